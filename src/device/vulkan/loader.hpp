// SPDX-License-Identifier: MIT
// Vulkan's loader, found when the program runs, and the one instance of this process: neither loader nor driver is needed to build or
// to load the library. Names of calls are Vulkan's without vk.
#pragma once
#define VK_NO_PROTOTYPES  // every call goes through the tables below
#include <vulkan/vulkan_core.h>

#include <string>
#include <vector>

namespace ab::device::vulkan {

struct Instance {
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;
  PFN_vkCreateInstance create_instance = nullptr;
  VkInstance handle = nullptr;
  PFN_vkEnumeratePhysicalDevices enumerate_physical_devices = nullptr;
  PFN_vkGetPhysicalDeviceProperties2 get_properties = nullptr;
  PFN_vkGetPhysicalDeviceFeatures2 get_features = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties get_memory_properties = nullptr;
  PFN_vkGetPhysicalDeviceQueueFamilyProperties get_queue_families = nullptr;
  PFN_vkEnumerateDeviceExtensionProperties enumerate_extensions = nullptr;
  PFN_vkCreateDevice create_device = nullptr;
  PFN_vkGetDeviceProcAddr get_device_proc_addr = nullptr;
  std::vector<VkPhysicalDevice> devices;  // in the loader's order, those of Vulkan 1.1 and later
};

/// The calls on one device.
struct DeviceCalls {
  PFN_vkDestroyDevice destroy_device = nullptr;
  PFN_vkGetDeviceQueue get_device_queue = nullptr;
  PFN_vkDeviceWaitIdle device_wait_idle = nullptr;
  PFN_vkQueueSubmit queue_submit = nullptr;
  PFN_vkAllocateMemory allocate_memory = nullptr;
  PFN_vkFreeMemory free_memory = nullptr;
  PFN_vkMapMemory map_memory = nullptr;
  PFN_vkCreateBuffer create_buffer = nullptr;
  PFN_vkDestroyBuffer destroy_buffer = nullptr;
  PFN_vkGetBufferMemoryRequirements get_buffer_requirements = nullptr;
  PFN_vkBindBufferMemory bind_buffer_memory = nullptr;
  PFN_vkCreateShaderModule create_shader_module = nullptr;
  PFN_vkDestroyShaderModule destroy_shader_module = nullptr;
  PFN_vkCreateDescriptorSetLayout create_set_layout = nullptr;
  PFN_vkDestroyDescriptorSetLayout destroy_set_layout = nullptr;
  PFN_vkCreatePipelineLayout create_pipeline_layout = nullptr;
  PFN_vkDestroyPipelineLayout destroy_pipeline_layout = nullptr;
  PFN_vkCreateComputePipelines create_compute_pipelines = nullptr;
  PFN_vkDestroyPipeline destroy_pipeline = nullptr;
  PFN_vkCreateDescriptorPool create_descriptor_pool = nullptr;
  PFN_vkDestroyDescriptorPool destroy_descriptor_pool = nullptr;
  PFN_vkResetDescriptorPool reset_descriptor_pool = nullptr;
  PFN_vkAllocateDescriptorSets allocate_sets = nullptr;
  PFN_vkUpdateDescriptorSets update_sets = nullptr;
  PFN_vkCreateCommandPool create_command_pool = nullptr;
  PFN_vkDestroyCommandPool destroy_command_pool = nullptr;
  PFN_vkAllocateCommandBuffers allocate_command_buffers = nullptr;
  PFN_vkBeginCommandBuffer begin_commands = nullptr;
  PFN_vkEndCommandBuffer end_commands = nullptr;
  PFN_vkResetCommandBuffer reset_commands = nullptr;
  PFN_vkCreateFence create_fence = nullptr;
  PFN_vkDestroyFence destroy_fence = nullptr;
  PFN_vkResetFences reset_fences = nullptr;
  PFN_vkWaitForFences wait_for_fences = nullptr;
  PFN_vkCmdBindPipeline cmd_bind_pipeline = nullptr;
  PFN_vkCmdBindDescriptorSets cmd_bind_sets = nullptr;
  PFN_vkCmdDispatch cmd_dispatch = nullptr;
  PFN_vkCmdCopyBuffer cmd_copy_buffer = nullptr;
  PFN_vkCmdPipelineBarrier cmd_barrier = nullptr;
};

/// Loaded and made by the first call; null where there is no loader, or none of Vulkan 1.1. Lock-free; stays for the life of the process.
const Instance* instance();

bool has_extension(const Instance& instance, VkPhysicalDevice device, const char* name);

/// Throws Error(NoDevice) when the driver lacks one of the calls.
DeviceCalls calls_of(const Instance& instance, VkDevice device, const std::string& id);

/// Vulkan's name for a result: "VK_ERROR_DEVICE_LOST".
std::string text_of(VkResult result);

}  // namespace ab::device::vulkan
