// SPDX-License-Identifier: MIT
#include "device/vulkan/matrices.hpp"

#include <algorithm>
#include <string>

#include "device/vulkan/kernel_texts.hpp"

namespace ab::device::vulkan {
namespace {

constexpr std::uint32_t needed_shared_bytes = 40960;  // of native/product_i8.comp
constexpr std::uint32_t subgroups = 8;                // of a group of its threads

// Khronos' words have been in the headers since 1.3.255.
constexpr MatrixExtension khronos = {"VK_KHR_cooperative_matrix", "_khr", static_cast<VkStructureType>(1000506000)};
struct KhronosShape {
  static constexpr auto type = static_cast<VkStructureType>(1000506001);
  static constexpr const char* call = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";
  VkStructureType sType;
  void* pNext;
  std::uint32_t MSize, NSize, KSize;
  VkComponentTypeNV AType, BType, CType, DType;
  VkBool32 saturates;
  VkScopeNV scope;
};

constexpr MatrixExtension nvidia = {VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME, "_nv",
                                    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV};
struct NvidiaShape : VkCooperativeMatrixPropertiesNV {
  static constexpr auto type = VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV;
  static constexpr const char* call = "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV";
};

// Matrices that divide a subgroup's piece of the tile and a block of terms (native/product_i8.comp).
template <class Shape>
bool serves(const Shape& shape) {
  const bool multiplies_bytes = shape.AType == VK_COMPONENT_TYPE_SINT8_NV && shape.BType == VK_COMPONENT_TYPE_SINT8_NV &&
                                shape.CType == VK_COMPONENT_TYPE_SINT32_NV && shape.DType == VK_COMPONENT_TYPE_SINT32_NV;
  const bool divides = (shape.MSize == 8 || shape.MSize == 16 || shape.MSize == 32) && (shape.NSize == 8 || shape.NSize == 16) &&
                       (shape.KSize == 16 || shape.KSize == 32 || shape.KSize == 64);
  return multiplies_bytes && divides && shape.scope == VK_SCOPE_SUBGROUP_NV;
}

template <class Shape>
std::optional<Matrices> largest(const Instance& instance, VkPhysicalDevice device, const MatrixExtension& extension) {
  using Call = VkResult(VKAPI_PTR*)(VkPhysicalDevice, std::uint32_t*, Shape*);
  const auto query = reinterpret_cast<Call>(instance.get_instance_proc_addr(instance.handle, Shape::call));
  std::uint32_t count = 0;
  if (query == nullptr || query(device, &count, nullptr) != VK_SUCCESS) return std::nullopt;
  Shape empty{};
  empty.sType = Shape::type;
  std::vector<Shape> shapes(count, empty);
  if (query(device, &count, shapes.data()) != VK_SUCCESS) return std::nullopt;
  std::optional<Matrices> best;
  for (const Shape& shape : shapes) {
    const Matrices found = {&extension, shape.MSize, shape.NSize, shape.KSize, 0};
    const auto size = [](const Matrices& m) { return m.rows * m.columns * m.inner; };
    if (serves(shape) && (!best || size(found) > size(*best))) best = found;
  }
  return best;
}

bool has_texts(const MatrixExtension& extension) {
  for (const KernelText* text = kernel_texts; text->name != nullptr; ++text) {
    if (std::string(text->name) == std::string("modular_gemm_i8") + extension.suffix) return true;
  }
  return false;
}

bool has_all(const Instance& instance, VkPhysicalDevice device, const MatrixExtension& extension) {
  const auto has = [&](const char* name) { return has_extension(instance, device, name); };
  if (!has(extension.name) || !std::all_of(std::begin(matrix_companions), std::end(matrix_companions), has)) return false;
  const MatrixFeatures here(extension, nullptr);
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = const_cast<VkPhysicalDeviceCooperativeMatrixFeaturesNV*>(&here.matrices);
  instance.get_features(device, &features);
  return here.are_there();
}

// The lanes of a subgroup, where groups are large enough; else 0.
std::uint32_t lanes_of(const Instance& instance, VkPhysicalDevice device) {
  VkPhysicalDeviceSubgroupProperties subgroup{};
  subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &subgroup;
  instance.get_properties(device, &properties);
  const VkPhysicalDeviceLimits& limits = properties.properties.limits;
  const std::uint32_t threads = subgroups * subgroup.subgroupSize;
  const bool enough = threads <= limits.maxComputeWorkGroupInvocations && threads <= limits.maxComputeWorkGroupSize[0] &&
                      limits.maxComputeSharedMemorySize >= needed_shared_bytes && subgroup.subgroupSize >= 8;
  return enough ? subgroup.subgroupSize : 0;
}

}  // namespace

MatrixFeatures::MatrixFeatures(const MatrixExtension& extension, void* next) {
  matrices.sType = extension.features;
  matrices.pNext = &memory_model;
  memory_model.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES;
  memory_model.pNext = &bytes;
  bytes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES;
  bytes.pNext = next;
}

// The scope of the device: where the memory model is on, barriers of the common kernels need it.
void MatrixFeatures::request() {
  matrices.cooperativeMatrix = bytes.shaderInt8 = VK_TRUE;
  memory_model.vulkanMemoryModel = memory_model.vulkanMemoryModelDeviceScope = VK_TRUE;
}

bool MatrixFeatures::are_there() const {
  return matrices.cooperativeMatrix == VK_TRUE && bytes.shaderInt8 == VK_TRUE && memory_model.vulkanMemoryModel == VK_TRUE &&
         memory_model.vulkanMemoryModelDeviceScope == VK_TRUE;
}

std::optional<Matrices> matrices_of(const Instance& instance, VkPhysicalDevice device) {
  std::optional<Matrices> found;
  if (has_texts(khronos) && has_all(instance, device, khronos)) found = largest<KhronosShape>(instance, device, khronos);
  if (!found && has_texts(nvidia) && has_all(instance, device, nvidia)) found = largest<NvidiaShape>(instance, device, nvidia);
  if (found) found->lanes = lanes_of(instance, device);
  return found && found->lanes != 0 ? found : std::nullopt;
}

}  // namespace ab::device::vulkan
