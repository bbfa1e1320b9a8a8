// SPDX-License-Identifier: MIT
// Cooperative matrices: products of signed bytes, summed in 32 bits, that the threads of a subgroup make together.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "device/vulkan/loader.hpp"

namespace ab::device::vulkan {

/// Spelled by Khronos' extension or by NVIDIA's older one, which say the same with other numbers.
struct MatrixExtension {
  const char* name;
  const char* suffix;  // of the texts in its words
  VkStructureType features;
};

struct Matrices {
  const MatrixExtension* extension;
  std::uint32_t rows, columns, inner;  // of one product
  std::uint32_t lanes;                 // threads of a subgroup
};

/// The largest product of the device that the native texts can use, in words for which there are texts; nothing without one.
std::optional<Matrices> matrices_of(const Instance& instance, VkPhysicalDevice device);

/// What a device with matrices is opened with beside their extension.
inline constexpr const char* matrix_companions[] = {VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME};
struct MatrixFeatures {
  VkPhysicalDeviceCooperativeMatrixFeaturesNV matrices{};
  VkPhysicalDeviceVulkanMemoryModelFeatures memory_model{};
  VkPhysicalDeviceShaderFloat16Int8Features bytes{};

  /// A chain that ends with `next`.
  MatrixFeatures(const MatrixExtension& extension, void* next);
  MatrixFeatures(const MatrixFeatures&) = delete;
  MatrixFeatures& operator=(const MatrixFeatures&) = delete;
  /// Sets those that are used.
  void request();
  bool are_there() const;
};

}  // namespace ab::device::vulkan
