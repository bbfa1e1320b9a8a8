// SPDX-License-Identifier: MIT
// A libvulkan.so.1 before the real one: every call that can fail does so when a test wants it, and the first device describes itself as
// AB_FAKE_VULKAN says (words separated by commas):
//   discrete       a GPU with memory of its own      software     a renderer on the CPU
//   no_compute     no queue computes                 no_int64     no integers of 64 bits
//   small_buffers  four megabytes in one buffer      few_threads  groups of 128 threads
//   few_bytes      16 KiB shared by a group          fast_dot     byte products in hardware
//   no_barriers    barriers do nothing (for the validation layer to see)
//   deep           opening, compiling and the first submission after it take a megabyte of stack
//   matrices       cooperative matrices, each held whole by every thread (matrices_simulated.h)
//   odd_matrices   the same of sizes that no kernel has    wrong_matrices  the same, real products in the place of complex ones
#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sim/vulkan/failing_control.hpp"

namespace ab::test {
namespace {

std::atomic<long> calls{0}, fail_nth{0}, alive{0};
std::atomic<int> fail_result{0};
std::atomic<bool> fail_all{false};

// 0, or what the call must return instead of being made.
int injected() {
  const long call = ++calls, nth = fail_nth.load();
  return nth > 0 && (call == nth || (fail_all.load() && call > nth)) ? fail_result.load() : 0;
}

bool told(const char* word) {
  const char* words = std::getenv("AB_FAKE_VULKAN");
  return words != nullptr && std::strstr(words, word) != nullptr;
}

enum class Gives { Nothing, AnObject };

// One wrapper a call, told apart by a number.
template <int number, class Call>
struct Counted;
template <int number, class... Args>
struct Counted<number, VkResult(VKAPI_PTR*)(Args...)> {
  static inline VkResult(VKAPI_PTR* real)(Args...) = nullptr;
  static inline Gives gives = Gives::Nothing;
  static VkResult VKAPI_PTR call(Args... args) {
    if (const int result = injected(); result != 0) return static_cast<VkResult>(result);
    const VkResult result = real(args...);
    if (result == VK_SUCCESS && gives == Gives::AnObject) ++alive;
    return result;
  }
};
template <int number, class Call>
struct Returned;
template <int number, class Owner, class Object>
struct Returned<number, void(VKAPI_PTR*)(Owner, Object, const VkAllocationCallbacks*)> {
  static inline void(VKAPI_PTR* real)(Owner, Object, const VkAllocationCallbacks*) = nullptr;
  static void VKAPI_PTR call(Owner owner, Object object, const VkAllocationCallbacks* callbacks) {
    if (object != VK_NULL_HANDLE) --alive;
    real(owner, object, callbacks);
  }
};

// A call by its name: what stands before it, if anything.
struct Lookup {
  const char* name;
  PFN_vkVoidFunction real;
  PFN_vkVoidFunction found = nullptr;

  template <int number, class Call>
  void count(const char* wrapped, Call, Gives gives = Gives::Nothing) {
    if (std::strcmp(name, wrapped) != 0) return;
    Counted<number, Call>::real = reinterpret_cast<Call>(real);
    Counted<number, Call>::gives = gives;
    found = reinterpret_cast<PFN_vkVoidFunction>(&Counted<number, Call>::call);
  }
  template <int number, class Call>
  void give_back(const char* wrapped, Call) {
    if (std::strcmp(name, wrapped) != 0) return;
    Returned<number, Call>::real = reinterpret_cast<Call>(real);
    found = reinterpret_cast<PFN_vkVoidFunction>(&Returned<number, Call>::call);
  }
  /// Between the caller, counted or not, and the driver.
  template <class Call>
  void precede(const char* wrapped, Call& place, Call by) {
    if (std::strcmp(name, wrapped) != 0) return;
    place = reinterpret_cast<Call>(real);
    real = reinterpret_cast<PFN_vkVoidFunction>(by);
  }
  template <class Call>
  void replace(const char* wrapped, Call& place, Call by) {
    if (std::strcmp(name, wrapped) != 0) return;
    place = reinterpret_cast<Call>(real);
    found = reinterpret_cast<PFN_vkVoidFunction>(by);
  }
};

// What a driver's compiler does.
void take_stack() {
  if (!told("deep")) return;
  volatile char deep[1 << 20];
  for (std::size_t i = 0; i < sizeof deep; i += 1024) deep[i] = 1;
}

std::atomic<bool> compiled{false};  // since the last submission

PFN_vkCreateComputePipelines real_compile = nullptr;
VkResult VKAPI_PTR compile(VkDevice device, VkPipelineCache cache, std::uint32_t count, const VkComputePipelineCreateInfo* wanted,
                           const VkAllocationCallbacks* callbacks, VkPipeline* pipelines) {
  take_stack();
  compiled = true;
  return real_compile(device, cache, count, wanted, callbacks, pipelines);
}

PFN_vkQueueSubmit real_submit = nullptr;
VkResult VKAPI_PTR submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* work, VkFence fence) {
  if (compiled.exchange(false)) take_stack();
  return real_submit(queue, count, work, fence);
}

PFN_vkGetPhysicalDeviceProperties2 real_properties = nullptr;
void VKAPI_PTR properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2* out) {
  real_properties(device, out);
  VkPhysicalDeviceLimits& limits = out->properties.limits;
  if (told("discrete")) out->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  if (told("software")) out->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU;
  if (told("small_buffers")) limits.maxStorageBufferRange = 4u << 20;
  if (told("matrices")) limits.maxComputeSharedMemorySize = 49152;  // what GPUs have; Mesa's lavapipe takes what it is asked for
  if (told("few_threads")) limits.maxComputeWorkGroupInvocations = 128;
  for (auto* next = static_cast<VkBaseOutStructure*>(out->pNext); next != nullptr; next = next->pNext) {
    if (next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES || !told("fast_dot")) continue;
    reinterpret_cast<VkPhysicalDeviceShaderIntegerDotProductProperties*>(next)->integerDotProduct4x8BitPackedSignedAccelerated = VK_TRUE;
  }
  if (told("few_bytes")) limits.maxComputeSharedMemorySize = 16384;
}

PFN_vkGetPhysicalDeviceFeatures2 real_features = nullptr;
void VKAPI_PTR features(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* out) {
  real_features(device, out);
  if (told("no_int64")) out->features.shaderInt64 = VK_FALSE;
  for (auto* next = static_cast<VkBaseOutStructure*>(out->pNext); next != nullptr; next = next->pNext) {
    if (next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV || !told("matrices")) continue;
    reinterpret_cast<VkPhysicalDeviceCooperativeMatrixFeaturesNV*>(next)->cooperativeMatrix = VK_TRUE;
  }
}

PFN_vkEnumerateDeviceExtensionProperties real_extensions = nullptr;
VkResult VKAPI_PTR extensions(VkPhysicalDevice device, const char* layer, std::uint32_t* count, VkExtensionProperties* out) {
  const std::uint32_t room = *count;
  const VkResult result = real_extensions(device, layer, count, out);
  if (result != VK_SUCCESS || !told("matrices") || (out != nullptr && *count == room)) return result;
  if (out != nullptr) out[*count] = {VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME, VK_NV_COOPERATIVE_MATRIX_SPEC_VERSION};
  ++*count;
  return result;
}

VkResult VKAPI_PTR matrix_shapes(VkPhysicalDevice, std::uint32_t* count, VkCooperativeMatrixPropertiesNV* out) {
  const VkCooperativeMatrixPropertiesNV bytes = {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV,
                                                 nullptr,
                                                 16,
                                                 8,
                                                 told("odd_matrices") ? 24u : 32u,
                                                 VK_COMPONENT_TYPE_SINT8_NV,
                                                 VK_COMPONENT_TYPE_SINT8_NV,
                                                 VK_COMPONENT_TYPE_SINT32_NV,
                                                 VK_COMPONENT_TYPE_SINT32_NV,
                                                 VK_SCOPE_SUBGROUP_NV};
  VkCooperativeMatrixPropertiesNV wider = bytes, halves = bytes;
  wider.NSize = 16;
  halves.AType = halves.BType = VK_COMPONENT_TYPE_FLOAT16_NV;
  halves.KSize = 64;
  if (out != nullptr) out[0] = bytes, out[1] = wider, out[2] = halves;
  *count = 3;
  return VK_SUCCESS;
}

// The driver has never heard of matrices.
PFN_vkCreateDevice real_create_device = nullptr;
VkResult VKAPI_PTR create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* wanted, const VkAllocationCallbacks* callbacks,
                                 VkDevice* device) {
  take_stack();
  std::vector<const char*> names;
  for (std::uint32_t i = 0; i < wanted->enabledExtensionCount; ++i) {
    const char* name = wanted->ppEnabledExtensionNames[i];
    if (std::strcmp(name, VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME) != 0) names.push_back(name);
  }
  VkDeviceCreateInfo known = *wanted;
  known.enabledExtensionCount = static_cast<std::uint32_t>(names.size());
  known.ppEnabledExtensionNames = names.data();
  const auto* first = static_cast<const VkBaseInStructure*>(wanted->pNext);
  if (first != nullptr && first->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV) known.pNext = first->pNext;
  return real_create_device(physical, &known, callbacks, device);
}

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A text with matrices becomes the one that simulates them.
PFN_vkCreateShaderModule real_create_module = nullptr;
VkResult VKAPI_PTR create_module(VkDevice device, const VkShaderModuleCreateInfo* wanted, const VkAllocationCallbacks* callbacks,
                                 VkShaderModule* module) {
  const std::string code(reinterpret_cast<const char*>(wanted->pCode), wanted->codeSize), folder = std::string(AB_SPIRV) + "/";
  VkShaderModuleCreateInfo known = *wanted;
  std::string simulated;
  for (const std::string name : {"modular_gemm_i8", "modular_gemm_i8_3m"}) {
    if (told("matrices") && code == contents(folder + name + "_nv.spv")) {
      simulated = contents(folder + (told("wrong_matrices") ? "modular_gemm_i8" : name) + "_simulated.spv");
    }
  }
  if (!simulated.empty()) known.codeSize = simulated.size(), known.pCode = reinterpret_cast<const std::uint32_t*>(simulated.data());
  return real_create_module(device, &known, callbacks, module);
}

PFN_vkGetPhysicalDeviceQueueFamilyProperties real_families = nullptr;
void VKAPI_PTR families(VkPhysicalDevice device, std::uint32_t* count, VkQueueFamilyProperties* out) {
  real_families(device, count, out);
  for (std::uint32_t i = 0; out != nullptr && i < *count; ++i) {
    if (told("no_compute")) out[i].queueFlags &= ~static_cast<VkQueueFlags>(VK_QUEUE_COMPUTE_BIT);
  }
}

PFN_vkDestroyDevice real_destroy_device = nullptr;
void VKAPI_PTR destroy_device(VkDevice device, const VkAllocationCallbacks* callbacks) {
  --alive;
  real_destroy_device(device, callbacks);
}

PFN_vkCmdPipelineBarrier real_barrier = nullptr;
void VKAPI_PTR barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to, VkDependencyFlags flags,
                       std::uint32_t memories, const VkMemoryBarrier* memory, std::uint32_t buffers, const VkBufferMemoryBarrier* buffer,
                       std::uint32_t images, const VkImageMemoryBarrier* image) {
  if (!told("no_barriers")) real_barrier(commands, from, to, flags, memories, memory, buffers, buffer, images, image);
}

PFN_vkGetDeviceProcAddr real_device_proc = nullptr;
PFN_vkVoidFunction VKAPI_PTR device_proc(VkDevice device, const char* name);

PFN_vkVoidFunction wrapped(const char* name, PFN_vkVoidFunction real) {
  if (real == nullptr) return nullptr;
  Lookup look{name, real};
  look.precede("vkCreateDevice", real_create_device, &create_device);
  look.precede("vkCreateShaderModule", real_create_module, &create_module);
  look.precede("vkCreateComputePipelines", real_compile, &compile);
  look.precede("vkQueueSubmit", real_submit, &submit);
  look.count<0>("vkCreateDevice", PFN_vkCreateDevice(), Gives::AnObject);
  look.count<1>("vkQueueSubmit", PFN_vkQueueSubmit());
  look.count<2>("vkAllocateMemory", PFN_vkAllocateMemory(), Gives::AnObject);
  look.count<3>("vkMapMemory", PFN_vkMapMemory());
  look.count<4>("vkCreateBuffer", PFN_vkCreateBuffer(), Gives::AnObject);
  look.count<5>("vkBindBufferMemory", PFN_vkBindBufferMemory());
  look.count<6>("vkCreateShaderModule", PFN_vkCreateShaderModule(), Gives::AnObject);
  look.count<7>("vkCreateDescriptorSetLayout", PFN_vkCreateDescriptorSetLayout(), Gives::AnObject);
  look.count<8>("vkCreatePipelineLayout", PFN_vkCreatePipelineLayout(), Gives::AnObject);
  look.count<9>("vkCreateComputePipelines", PFN_vkCreateComputePipelines(), Gives::AnObject);
  look.count<10>("vkCreateDescriptorPool", PFN_vkCreateDescriptorPool(), Gives::AnObject);
  look.count<11>("vkResetDescriptorPool", PFN_vkResetDescriptorPool());
  look.count<12>("vkAllocateDescriptorSets", PFN_vkAllocateDescriptorSets());
  look.count<13>("vkCreateCommandPool", PFN_vkCreateCommandPool(), Gives::AnObject);
  look.count<14>("vkAllocateCommandBuffers", PFN_vkAllocateCommandBuffers());
  look.count<15>("vkBeginCommandBuffer", PFN_vkBeginCommandBuffer());
  look.count<16>("vkEndCommandBuffer", PFN_vkEndCommandBuffer());
  look.count<17>("vkCreateFence", PFN_vkCreateFence(), Gives::AnObject);
  look.count<18>("vkResetFences", PFN_vkResetFences());
  look.count<19>("vkWaitForFences", PFN_vkWaitForFences());
  look.give_back<0>("vkFreeMemory", PFN_vkFreeMemory());
  look.give_back<1>("vkDestroyBuffer", PFN_vkDestroyBuffer());
  look.give_back<2>("vkDestroyShaderModule", PFN_vkDestroyShaderModule());
  look.give_back<3>("vkDestroyDescriptorSetLayout", PFN_vkDestroyDescriptorSetLayout());
  look.give_back<4>("vkDestroyPipelineLayout", PFN_vkDestroyPipelineLayout());
  look.give_back<5>("vkDestroyPipeline", PFN_vkDestroyPipeline());
  look.give_back<6>("vkDestroyDescriptorPool", PFN_vkDestroyDescriptorPool());
  look.give_back<7>("vkDestroyCommandPool", PFN_vkDestroyCommandPool());
  look.give_back<8>("vkDestroyFence", PFN_vkDestroyFence());
  look.replace("vkDestroyDevice", real_destroy_device, &destroy_device);
  look.replace("vkCmdPipelineBarrier", real_barrier, &barrier);
  look.replace("vkGetPhysicalDeviceProperties2", real_properties, &properties);
  look.replace("vkGetPhysicalDeviceFeatures2", real_features, &features);
  look.replace("vkGetPhysicalDeviceQueueFamilyProperties", real_families, &families);
  look.replace("vkEnumerateDeviceExtensionProperties", real_extensions, &extensions);
  look.replace("vkGetDeviceProcAddr", real_device_proc, &device_proc);
  return look.found != nullptr ? look.found : real;
}

PFN_vkVoidFunction VKAPI_PTR device_proc(VkDevice device, const char* name) {
  return wrapped(name, real_device_proc(device, name));
}

constexpr FailingVulkan control = {[](long nth, int result, VulkanFailures failures) {
                                     calls = 0, fail_nth = nth, fail_result = result, fail_all = failures == VulkanFailures::AllFromThere;
                                   },
                                   [] { return calls.load(); }, [] { return alive.load(); }};

}  // namespace
}  // namespace ab::test

extern "C" {

PFN_vkVoidFunction VKAPI_PTR vkGetInstanceProcAddr(VkInstance instance, const char* name) {
  static const auto real =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(dlopen(AB_REAL_LOADER, RTLD_NOW | RTLD_LOCAL), "vkGetInstanceProcAddr"));
  if (ab::test::told("matrices") && std::strcmp(name, "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV") == 0) {
    return reinterpret_cast<PFN_vkVoidFunction>(&ab::test::matrix_shapes);
  }
  return real == nullptr ? nullptr : ab::test::wrapped(name, real(instance, name));
}

const ab::test::FailingVulkan* ab_failing_vulkan() {
  return &ab::test::control;
}
}
