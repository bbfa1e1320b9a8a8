// SPDX-License-Identifier: MIT
// The native kernels of Apple GPUs: which launches of common kernels they serve, in which variant.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "device/metal/kernel_texts.hpp"

namespace ab::device::metal::native {

struct Launch {
  const KernelText* text;
  std::vector<std::byte> params;
  std::array<std::uint32_t, 3> groups;
};

/// The native form of a launch of the common kernel with those params; nothing where there is none.
std::optional<Launch> choose(const std::string& kernel, std::span<const std::byte> params);

}  // namespace ab::device::metal::native
