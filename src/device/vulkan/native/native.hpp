// SPDX-License-Identifier: MIT
// The native kernels of Vulkan devices: products of residues on cooperative matrices.
#pragma once
#include <array>
#include <string>

#include "device/device.hpp"
#include "device/vulkan/matrices.hpp"
#include "kernels/host.hpp"

namespace ab::device::vulkan::native {

/// A common kernel that has a native form, and what product_i8.comp says of that.
struct Form {
  const char* kernel;
  kernels::uint products, subgroups;
};
std::span<const Form> forms();
const Form* find_form(const std::string& kernel);

struct Launch {
  kernels::modular_params params;
  std::array<std::uint32_t, 3> groups;
};
/// The launch of the common kernel with those params, by the native one's tiles.
Launch launch_of(std::span<const std::byte> params);

/// The specialization constants of the native text, by number.
std::array<std::uint32_t, 5> constants_of(const Form& form, const Matrices& matrices);

/// Whether two kernels of that form, the common one and the native one, make the same planes of stored residues. Throws what the device
/// throws.
bool agree(Device& device, const Form& form, const Kernel& common, const Kernel& native);

}  // namespace ab::device::vulkan::native
