// SPDX-License-Identifier: MIT
// The native kernels of Vulkan devices: products of residues on cooperative matrices, or on a software renderer by words.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "device/vulkan/physical_device.hpp"
#include "kernels/host.hpp"

namespace ab::device::vulkan::native {

/// What a thread works on: with others on matrices (product_i8.comp), or alone on a word of the result (words_i8.comp).
enum class Means { Matrices, Words };
std::optional<Means> means_of(const PhysicalDevice& device);

/// A common kernel that has a native form, and what the text says of that.
struct Form {
  const char* kernel;
  Means means;
  kernels::uint products, subgroups;
};
std::span<const Form> forms(Means means);
const Form* find_form(Means means, const std::string& kernel);
/// The name of its text.
std::string text_of(const Form& form, const PhysicalDevice& device);

struct Launch {
  kernels::modular_params params;
  std::array<std::uint32_t, 3> groups;
};
/// The launch of the common kernel with those params, by the native one's tiles or words.
Launch launch_of(const Form& form, std::span<const std::byte> params);

/// The specialization constants of the native text, by number.
std::vector<std::uint32_t> constants_of(const Form& form, const PhysicalDevice& device);

/// Whether two kernels of that form, the common one and the native one, make the same planes of stored residues. Throws what the device
/// throws.
bool agree(Device& device, const Form& form, const Kernel& common, const Kernel& native);

}  // namespace ab::device::vulkan::native
