// SPDX-License-Identifier: MIT
#include "device/vulkan/physical_device.hpp"

#include <algorithm>
#include <array>

#include "device/vulkan/kernel_texts.hpp"

namespace ab::device::vulkan {
namespace {

constexpr std::uint32_t needed_shared_bytes = 20480;  // scan.k takes 18464, the most of all kernels
constexpr std::uint32_t needed_groups = 65535;        // in each direction of a launch: what ops counts on

constexpr VkMemoryPropertyFlags mappable = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags readable = mappable | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;

struct Properties {
  VkPhysicalDeviceProperties2 all{};
  VkPhysicalDeviceMaintenance3Properties largest{};
  explicit Properties(const Instance& instance, VkPhysicalDevice device) {
    all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    all.pNext = &largest;
    largest.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
    instance.get_properties(device, &all);
  }
};

// The largest heap of its own, or without one the largest there is.
std::uint64_t memory_of(const VkPhysicalDeviceMemoryProperties& memory) {
  std::uint64_t own = 0, any = 0;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    const VkMemoryHeap& heap = memory.memoryHeaps[i];
    any = std::max<std::uint64_t>(any, heap.size);
    if ((heap.flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) own = std::max<std::uint64_t>(own, heap.size);
  }
  return own > 0 ? own : any;
}

std::optional<std::uint32_t> computing_family(const Instance& instance, VkPhysicalDevice device) {
  std::uint32_t count = 0;
  instance.get_queue_families(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  instance.get_queue_families(device, &count, families.data());
  for (std::uint32_t i = 0; i < count; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0 && families[i].queueCount > 0) return i;
  }
  return std::nullopt;
}

bool has_long_integers(const Instance& instance, VkPhysicalDevice device) {
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  instance.get_features(device, &features);
  return features.features.shaderInt64 == VK_TRUE;
}

// Worth it only where it is an instruction: elsewhere the driver does what our text does.
bool has_packed_dot(const Instance& instance, VkPhysicalDevice device) {
  if (!has_extension(instance, device, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) return false;
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot{};
  dot.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &dot;
  instance.get_features(device, &features);
  VkPhysicalDeviceShaderIntegerDotProductProperties speed{};
  speed.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &speed;
  instance.get_properties(device, &properties);
  return dot.shaderIntegerDotProduct == VK_TRUE && speed.integerDotProduct4x8BitPackedSignedAccelerated == VK_TRUE;
}

std::string too_small(const char* what, std::uint64_t here, std::uint64_t needed) {
  return std::string(what) + ": " + std::to_string(here) + ", the kernels need " + std::to_string(needed);
}

std::string shortage_of(const VkPhysicalDeviceLimits& limits) {
  std::uint32_t threads = 0, bindings = 0;
  for (const KernelText* text = kernel_texts; text->name != nullptr; ++text) {
    threads = std::max(threads, text->width * text->height);
    bindings = std::max(bindings, static_cast<std::uint32_t>(text->buffers + 1));
  }
  if (limits.maxComputeWorkGroupInvocations < threads) {
    return too_small("threads of a group", limits.maxComputeWorkGroupInvocations, threads);
  }
  if (limits.maxPerStageDescriptorStorageBuffers < bindings) {
    return too_small("buffers of a kernel", limits.maxPerStageDescriptorStorageBuffers, bindings);
  }
  if (limits.maxComputeSharedMemorySize < needed_shared_bytes) {
    return too_small("bytes shared by a group", limits.maxComputeSharedMemorySize, needed_shared_bytes);
  }
  const std::uint32_t groups = std::min(limits.maxComputeWorkGroupCount[0], limits.maxComputeWorkGroupCount[1]);
  return groups < needed_groups ? too_small("groups of a launch", groups, needed_groups) : "";
}

std::string version_text(std::uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) + "." +
         std::to_string(VK_API_VERSION_PATCH(version));
}

std::string kind_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "software renderer";
    default:
      return "device";
  }
}

}  // namespace

PhysicalDevice describe(const Instance& instance, int ordinal) {
  PhysicalDevice out;
  out.handle = instance.devices[static_cast<std::size_t>(ordinal)];
  const Properties found(instance, out.handle);
  const VkPhysicalDeviceProperties& properties = found.all.properties;
  instance.get_memory_properties(out.handle, &out.memory);
  out.limits = properties.limits;
  const VkPhysicalDeviceType type = properties.deviceType;
  out.shares_memory = type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU || type == VK_PHYSICAL_DEVICE_TYPE_CPU;
  Traits& traits = out.traits;
  traits.id = "vulkan:" + std::to_string(ordinal);
  traits.name = properties.deviceName;
  traits.features = kind_of(type) + ", Vulkan " + version_text(properties.apiVersion);
  traits.only_on_request = type == VK_PHYSICAL_DEVICE_TYPE_CPU;
  if (traits.only_on_request) {  // Mesa's lavapipe: 65535 rounds of all loops of a thread together; a term takes 21 of gemm_dd, 2 of
                                 // ieee_gemm
    traits.most_terms_at_once = 1024;
    traits.most_terms = 16384;
  }
  traits.memory_bytes = memory_of(out.memory);
  // A buffer is bound whole.
  traits.max_buffer_bytes = std::min<std::uint64_t>(found.largest.maxMemoryAllocationSize, properties.limits.maxStorageBufferRange);
  out.packed_dot = has_packed_dot(instance, out.handle);
  out.matrices = matrices_of(instance, out.handle);
  const std::optional<std::uint32_t> family = computing_family(instance, out.handle);
  out.queue_family = family.value_or(0);
  if (!family) {
    out.why_unusable = "it has no queue that computes";
  } else if (!has_long_integers(instance, out.handle)) {
    out.why_unusable = "it has no integers of 64 bits (shaderInt64)";
  } else {
    out.why_unusable = shortage_of(out.limits);
  }
  return out;
}

std::optional<std::uint32_t> choose_memory_type(const PhysicalDevice& device, std::uint32_t permitted, Placement placement) {
  const auto first_with = [&](VkMemoryPropertyFlags wanted) -> std::optional<std::uint32_t> {
    for (std::uint32_t i = 0; i < device.memory.memoryTypeCount; ++i) {
      if ((permitted >> i & 1) != 0 && (device.memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
    }
    return std::nullopt;
  };
  std::array<VkMemoryPropertyFlags, 3> wishes = {local, 0, 0};
  if (placement == Placement::Host) {
    wishes = {readable, mappable, mappable};
  } else if (device.shares_memory) {
    wishes = {local | readable, local, 0};
  }
  for (const VkMemoryPropertyFlags wish : wishes) {
    if (const auto type = first_with(wish)) return type;
  }
  return std::nullopt;
}

bool is_host_memory(const PhysicalDevice& device, std::uint32_t type) {
  return device.shares_memory && (device.memory.memoryTypes[type].propertyFlags & readable) == readable;
}

}  // namespace ab::device::vulkan
