// SPDX-License-Identifier: MIT
// A kernel as the device runs it: its compiled text and the layout of its bindings (buffers, then the params struct).
#pragma once
#include <atomic>
#include <memory>
#include <span>

#include "device/vulkan/kernel_texts.hpp"
#include "device/vulkan/logical_device.hpp"

namespace ab::device::vulkan {

class Pipeline {
 public:
  /// Constants: what the text leaves open, by number. Throws Error(ShaderCompile) when the driver refuses the text.
  Pipeline(std::shared_ptr<LogicalDevice> device, const KernelText& text, Spelling spelling, std::span<const std::uint32_t> constants = {});
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  ~Pipeline();

  VkPipeline handle() const { return handle_; }
  VkPipelineLayout layout() const { return layout_; }
  VkDescriptorSetLayout set_layout() const { return set_layout_; }
  /// True once: a driver may compile when a pipeline is first used.
  bool is_first_use() const { return !used_.exchange(true, std::memory_order_relaxed); }

 private:
  void create_layouts(std::size_t bindings);
  void compile(const KernelText& text, const Spirv& spirv, std::span<const std::uint32_t> constants);
  void release() noexcept;

  const std::shared_ptr<LogicalDevice> device_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline handle_ = VK_NULL_HANDLE;
  mutable std::atomic<bool> used_{false};
};

}  // namespace ab::device::vulkan
