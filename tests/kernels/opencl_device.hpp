// SPDX-License-Identifier: MIT
// The kernels' OpenCL form on a real OpenCL device, for tests: the text executed by somebody else's compiler.
#pragma once
#include <functional>
#include <optional>

#include "device/device.hpp"

namespace ab::test {

enum class FusedMultiplyAdd { Hardware, Soft };  // which variants of the texts

struct OpenClChoices {
  FusedMultiplyAdd fma = FusedMultiplyAdd::Hardware;
  std::string options;                                                              // of the compiler; none for right bits
  std::function<std::string(const std::string& name, std::string text)> edit = {};  // of a text before it is compiled
};

/// Why there is no OpenCL device here; "" when there is one.
std::string why_no_opencl();
/// The first CPU device of the first platform that has one, else the first device. Throws Error(NoDevice) when there is none.
std::unique_ptr<device::Device> open_opencl(OpenClChoices choices = {});

}  // namespace ab::test
