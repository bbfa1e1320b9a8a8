// SPDX-License-Identifier: MIT
#include "device/vulkan/loader.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "core/error.hpp"
#include "core/process.hpp"

namespace ab::device::vulkan {
namespace {

constexpr std::uint32_t needed_version = VK_API_VERSION_1_1;  // SPIR-V 1.3, properties of the largest allocation

template <class Call>
bool find(const Instance& from, const char* name, Call& call) {
  call = reinterpret_cast<Call>(from.get_instance_proc_addr(from.handle, name));
  return call != nullptr;
}

bool find_calls(Instance& i) {
  return find(i, "vkEnumeratePhysicalDevices", i.enumerate_physical_devices) &&
         find(i, "vkGetPhysicalDeviceProperties2", i.get_properties) && find(i, "vkGetPhysicalDeviceFeatures2", i.get_features) &&
         find(i, "vkGetPhysicalDeviceMemoryProperties", i.get_memory_properties) &&
         find(i, "vkGetPhysicalDeviceQueueFamilyProperties", i.get_queue_families) && find(i, "vkCreateDevice", i.create_device) &&
         find(i, "vkEnumerateDeviceExtensionProperties", i.enumerate_extensions) && find(i, "vkGetDeviceProcAddr", i.get_device_proc_addr);
}

bool create(Instance& made) {
  PFN_vkEnumerateInstanceVersion version_of_loader = nullptr;  // not there: Vulkan 1.0
  std::uint32_t version = 0;
  if (!find(made, "vkEnumerateInstanceVersion", version_of_loader) || !find(made, "vkCreateInstance", made.create_instance)) return false;
  if (version_of_loader(&version) != VK_SUCCESS || version < needed_version) return false;
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = application.pEngineName = "apple-bottom";
  application.apiVersion = needed_version;
  VkInstanceCreateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  wanted.pApplicationInfo = &application;
  if (made.create_instance(&wanted, nullptr, &made.handle) == VK_SUCCESS) return true;
  made.handle = nullptr;
  return false;
}

void list_devices(Instance& made) {
  std::uint32_t count = 0;
  if (made.enumerate_physical_devices(made.handle, &count, nullptr) != VK_SUCCESS) return;
  std::vector<VkPhysicalDevice> all(count);
  if (made.enumerate_physical_devices(made.handle, &count, all.data()) != VK_SUCCESS) return;
  all.resize(count);
  for (VkPhysicalDevice device : all) {
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    made.get_properties(device, &properties);
    if (properties.properties.apiVersion >= needed_version) made.devices.push_back(device);
  }
}

// Without a handle when there is no loader that works. A loader that made an instance may have threads: it stays.
std::unique_ptr<const Instance> load() {
  auto loaded = std::make_unique<Instance>();
  const LoadingLibrary loading;
  void* const library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return loaded;
  loaded->get_instance_proc_addr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (loaded->get_instance_proc_addr == nullptr || !create(*loaded)) {
    dlclose(library);
    return std::make_unique<Instance>();
  }
  if (find_calls(*loaded)) list_devices(*loaded);
  return loaded;
}

// A lookup that remembers what was missing.
struct Search {
  const Instance& instance;
  VkDevice device;
  const char* missing = nullptr;
  template <class Call>
  void operator()(const char* name, Call& call) {
    call = reinterpret_cast<Call>(instance.get_device_proc_addr(device, name));
    if (call == nullptr && missing == nullptr) missing = name;
  }
};

void find_calls_of_memory(Search& find, DeviceCalls& c) {
  find("vkDestroyDevice", c.destroy_device);
  find("vkGetDeviceQueue", c.get_device_queue);
  find("vkDeviceWaitIdle", c.device_wait_idle);
  find("vkQueueSubmit", c.queue_submit);
  find("vkAllocateMemory", c.allocate_memory);
  find("vkFreeMemory", c.free_memory);
  find("vkMapMemory", c.map_memory);
  find("vkCreateBuffer", c.create_buffer);
  find("vkDestroyBuffer", c.destroy_buffer);
  find("vkGetBufferMemoryRequirements", c.get_buffer_requirements);
  find("vkBindBufferMemory", c.bind_buffer_memory);
}

void find_calls_of_kernels(Search& find, DeviceCalls& c) {
  find("vkCreateShaderModule", c.create_shader_module);
  find("vkDestroyShaderModule", c.destroy_shader_module);
  find("vkCreateDescriptorSetLayout", c.create_set_layout);
  find("vkDestroyDescriptorSetLayout", c.destroy_set_layout);
  find("vkCreatePipelineLayout", c.create_pipeline_layout);
  find("vkDestroyPipelineLayout", c.destroy_pipeline_layout);
  find("vkCreateComputePipelines", c.create_compute_pipelines);
  find("vkDestroyPipeline", c.destroy_pipeline);
  find("vkCreateDescriptorPool", c.create_descriptor_pool);
  find("vkDestroyDescriptorPool", c.destroy_descriptor_pool);
  find("vkResetDescriptorPool", c.reset_descriptor_pool);
  find("vkAllocateDescriptorSets", c.allocate_sets);
  find("vkUpdateDescriptorSets", c.update_sets);
}

void find_calls_of_commands(Search& find, DeviceCalls& c) {
  find("vkCreateCommandPool", c.create_command_pool);
  find("vkDestroyCommandPool", c.destroy_command_pool);
  find("vkAllocateCommandBuffers", c.allocate_command_buffers);
  find("vkBeginCommandBuffer", c.begin_commands);
  find("vkEndCommandBuffer", c.end_commands);
  find("vkResetCommandBuffer", c.reset_commands);
  find("vkCreateFence", c.create_fence);
  find("vkDestroyFence", c.destroy_fence);
  find("vkResetFences", c.reset_fences);
  find("vkWaitForFences", c.wait_for_fences);
  find("vkCmdBindPipeline", c.cmd_bind_pipeline);
  find("vkCmdBindDescriptorSets", c.cmd_bind_sets);
  find("vkCmdDispatch", c.cmd_dispatch);
  find("vkCmdCopyBuffer", c.cmd_copy_buffer);
  find("vkCmdPipelineBarrier", c.cmd_barrier);
}

}  // namespace

const Instance* instance() {
  // No static with a guard, which a fork in another thread could leave locked in the child: whoever is first publishes.
  static constinit std::atomic<const Instance*> published{nullptr};
  const Instance* found = published.load(std::memory_order_acquire);
  if (found == nullptr) {
    std::unique_ptr<const Instance> loaded = load();
    if (published.compare_exchange_strong(found, loaded.get(), std::memory_order_acq_rel)) found = loaded.release();
  }
  return found->handle != nullptr ? found : nullptr;
}

bool has_extension(const Instance& instance, VkPhysicalDevice device, const char* name) {
  std::uint32_t count = 0;
  if (instance.enumerate_extensions(device, nullptr, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkExtensionProperties> extensions(count);
  if (instance.enumerate_extensions(device, nullptr, &count, extensions.data()) != VK_SUCCESS) return false;
  return std::any_of(extensions.begin(), extensions.end(),
                     [name](const VkExtensionProperties& each) { return std::strcmp(each.extensionName, name) == 0; });
}

DeviceCalls calls_of(const Instance& instance, VkDevice device, const std::string& id) {
  DeviceCalls calls;
  Search find{instance, device};
  find_calls_of_memory(find, calls);
  find_calls_of_kernels(find, calls);
  find_calls_of_commands(find, calls);
  if (find.missing != nullptr) throw Error(Status::NoDevice, id + ": the driver has no " + find.missing);
  return calls;
}

std::string text_of(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
      return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED:
      return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_FRAGMENTED_POOL:
      return "VK_ERROR_FRAGMENTED_POOL";
    case VK_ERROR_OUT_OF_POOL_MEMORY:
      return "VK_ERROR_OUT_OF_POOL_MEMORY";
    default:
      return "VkResult " + std::to_string(static_cast<int>(result));
  }
}

}  // namespace ab::device::vulkan
