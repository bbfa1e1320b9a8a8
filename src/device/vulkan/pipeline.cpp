// SPDX-License-Identifier: MIT
#include "device/vulkan/pipeline.hpp"

#include "core/ample_stack.hpp"

namespace ab::device::vulkan {

Pipeline::Pipeline(std::shared_ptr<LogicalDevice> device, const KernelText& text, Spelling spelling,
                   std::span<const std::uint32_t> constants)
    : device_(std::move(device)) {
  device_->require_usable();
  try {
    create_layouts(text.buffers + 1);
    compile(text, text.spirv[spelling], constants);
  } catch (...) {
    release();
    throw;
  }
}

Pipeline::~Pipeline() {
  if (device_->may_release()) release();
}

void Pipeline::create_layouts(std::size_t bindings) {
  std::vector<VkDescriptorSetLayoutBinding> buffers(bindings);
  for (std::size_t i = 0; i < bindings; ++i) {
    buffers[i] = {static_cast<std::uint32_t>(i), VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  }
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = static_cast<std::uint32_t>(bindings);
  set.pBindings = buffers.data();
  device_->check(device_->calls().create_set_layout(device_->handle(), &set, nullptr, &set_layout_), "vkCreateDescriptorSetLayout",
                 Status::ShaderCompile);
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout_;
  device_->check(device_->calls().create_pipeline_layout(device_->handle(), &layout, nullptr, &layout_), "vkCreatePipelineLayout",
                 Status::ShaderCompile);
}

void Pipeline::compile(const KernelText& text, const Spirv& spirv, std::span<const std::uint32_t> constants) {
  VkShaderModuleCreateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  wanted.codeSize = spirv.bytes;
  wanted.pCode = spirv.words;
  VkShaderModule module = VK_NULL_HANDLE;
  const std::string kernel = std::string("(") + text.name + ")";
  device_->check(device_->calls().create_shader_module(device_->handle(), &wanted, nullptr, &module),
                 ("vkCreateShaderModule" + kernel).c_str(), Status::ShaderCompile);
  std::vector<VkSpecializationMapEntry> places;
  for (std::uint32_t i = 0; i < constants.size(); ++i)
    places.push_back({i, i * std::uint32_t{sizeof(std::uint32_t)}, sizeof(std::uint32_t)});
  const VkSpecializationInfo values{static_cast<std::uint32_t>(places.size()), places.data(), constants.size_bytes(), constants.data()};
  VkComputePipelineCreateInfo pipeline{};
  pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline.stage.module = module;
  pipeline.stage.pName = "main";
  pipeline.stage.pSpecializationInfo = &values;
  pipeline.layout = layout_;
  VkResult result = VK_SUCCESS;
  with_ample_stack(
      [&] { result = device_->calls().create_compute_pipelines(device_->handle(), VK_NULL_HANDLE, 1, &pipeline, nullptr, &handle_); });
  device_->calls().destroy_shader_module(device_->handle(), module, nullptr);
  device_->check(result, ("vkCreateComputePipelines" + kernel).c_str(), Status::ShaderCompile);
}

void Pipeline::release() noexcept {
  device_->calls().destroy_pipeline(device_->handle(), handle_, nullptr);
  device_->calls().destroy_pipeline_layout(device_->handle(), layout_, nullptr);
  device_->calls().destroy_set_layout(device_->handle(), set_layout_, nullptr);
}

}  // namespace ab::device::vulkan
