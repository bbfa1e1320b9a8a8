// SPDX-License-Identifier: MIT
#include "device/vulkan/command_batch.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "core/ample_stack.hpp"

namespace ab::device::vulkan {
namespace {

constexpr std::uint32_t most_bindings = 16;
constexpr VkPipelineStageFlags device_stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags device_writes = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
constexpr VkAccessFlags device_accesses = device_writes | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;

VkMemoryBarrier barrier_to(VkAccessFlags accesses) {
  return {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, device_writes, accesses};
}

std::size_t rounded_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

bool overlap(const CommandBatch::Range& a, const CommandBatch::Range& b) {
  return a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

}  // namespace

CommandBatch::CommandBatch(std::shared_ptr<LogicalDevice> device) : device_(std::move(device)) {
  try {
    create();
  } catch (...) {
    release();
    throw;
  }
}

CommandBatch::~CommandBatch() {
  if (!device_->may_release()) return;
  if (state_ == State::InFlight) {
    const VkResult result = device_->calls().wait_for_fences(device_->handle(), 1, &done_, VK_TRUE, UINT64_MAX);
    if (result != VK_SUCCESS) device_->calls().device_wait_idle(device_->handle());
  }
  release();
}

void CommandBatch::create() {
  const DeviceCalls& calls = device_->calls();
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = device_->physical().queue_family;
  device_->check(calls.create_command_pool(device_->handle(), &pool, nullptr, &command_pool_), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo commands{};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands.commandPool = command_pool_;
  commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands.commandBufferCount = 1;
  device_->check(calls.allocate_command_buffers(device_->handle(), &commands, &commands_), "vkAllocateCommandBuffers");
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, most_launches * most_bindings};
  VkDescriptorPoolCreateInfo sets{};
  sets.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  sets.maxSets = most_launches;
  sets.poolSizeCount = 1;
  sets.pPoolSizes = &size;
  device_->check(calls.create_descriptor_pool(device_->handle(), &sets, nullptr, &set_pool_), "vkCreateDescriptorPool");
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  device_->check(calls.create_fence(device_->handle(), &fence, nullptr, &done_), "vkCreateFence");
  arena_ = std::make_unique<Buffer>(device_, arena_bytes, Placement::Host);
}

void CommandBatch::release() noexcept {
  const DeviceCalls& calls = device_->calls();
  calls.destroy_fence(device_->handle(), done_, nullptr);
  calls.destroy_descriptor_pool(device_->handle(), set_pool_, nullptr);
  calls.destroy_command_pool(device_->handle(), command_pool_, nullptr);
}

void CommandBatch::begin() {
  assert(state_ == State::Idle);
  arena_used_ = 0;
  launches_ = 0;
  has_new_pipeline_ = false;
  device_->check(device_->calls().reset_descriptor_pool(device_->handle(), set_pool_, 0), "vkResetDescriptorPool");
  VkCommandBufferBeginInfo once{};
  once.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  once.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  device_->check(device_->calls().begin_commands(commands_, &once), "vkBeginCommandBuffer");
  state_ = State::Recording;
  record_barrier();  // behind the commands of earlier batches
}

void CommandBatch::forget() {
  state_ = State::Idle;
  kept_.clear();
}

void CommandBatch::submit() {
  assert(state_ == State::Recording);
  const VkMemoryBarrier host = barrier_to(VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
  device_->calls().cmd_barrier(commands_, device_stages, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &host, 0, nullptr, 0, nullptr);
  try {
    device_->check(device_->calls().end_commands(commands_), "vkEndCommandBuffer");
    device_->check(device_->calls().reset_fences(device_->handle(), 1, &done_), "vkResetFences");
    send();
  } catch (...) {
    device_->calls().reset_commands(commands_, 0);
    forget();
    throw;
  }
  state_ = State::InFlight;
}

void CommandBatch::send() {
  if (!has_new_pipeline_) return device_->submit(commands_, done_);
  with_ample_stack([&] { device_->submit(commands_, done_); });
}

void CommandBatch::wait() {
  if (state_ != State::InFlight) return;
  device_->check(device_->calls().wait_for_fences(device_->handle(), 1, &done_, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  forget();
}

std::size_t CommandBatch::arena_left() const {
  const std::size_t first = rounded_up(arena_used_, device_->physical().limits.minStorageBufferOffsetAlignment);
  return first < arena_bytes ? arena_bytes - first : 0;
}

bool CommandBatch::has_room_for_launch(std::size_t params_bytes) const {
  return launches_ < most_launches && arena_left() >= params_bytes;
}

CommandBatch::Piece CommandBatch::take(std::size_t bytes) {
  assert(bytes <= arena_left());
  const std::size_t first = rounded_up(arena_used_, device_->physical().limits.minStorageBufferOffsetAlignment);
  arena_used_ = first + bytes;
  return {arena_->mapped() + first, first};
}

// A barrier where a range is one that an earlier command may still be using; whether to read or to write is not known here.
void CommandBatch::wait_for_earlier_users(std::span<const Range> ranges) {
  const bool in_use = std::any_of(ranges.begin(), ranges.end(), [this](const Range& range) {
    return std::any_of(touched_.begin(), touched_.end(), [&](const Range& other) { return overlap(range, other); });
  });
  if (in_use) record_barrier();
  touched_.insert(touched_.end(), ranges.begin(), ranges.end());
}

void CommandBatch::record_barrier() {
  const VkMemoryBarrier all = barrier_to(device_accesses);
  device_->calls().cmd_barrier(commands_, device_stages, device_stages, 0, 1, &all, 0, nullptr, 0, nullptr);
  touched_.clear();
}

void CommandBatch::copy(const Range& from, const Range& to) {
  const Range both[] = {from, to};
  wait_for_earlier_users(both);
  const VkBufferCopy region{from.offset, to.offset, from.bytes};
  device_->calls().cmd_copy_buffer(commands_, from.buffer, to.buffer, 1, &region);
}

VkDescriptorSet CommandBatch::bind(const Pipeline& pipeline, std::span<const Range> bindings) {
  const VkDescriptorSetLayout layout = pipeline.set_layout();
  VkDescriptorSetAllocateInfo wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  wanted.descriptorPool = set_pool_;
  wanted.descriptorSetCount = 1;
  wanted.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  device_->check(device_->calls().allocate_sets(device_->handle(), &wanted, &set), "vkAllocateDescriptorSets");
  std::array<VkDescriptorBufferInfo, most_bindings> buffers{};
  assert(bindings.size() <= buffers.size());
  for (std::size_t i = 0; i < bindings.size(); ++i) buffers[i] = {bindings[i].buffer, bindings[i].offset, bindings[i].bytes};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set;
  write.descriptorCount = static_cast<std::uint32_t>(bindings.size());  // runs on over the bindings that follow the first
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = buffers.data();
  device_->calls().update_sets(device_->handle(), 1, &write, 0, nullptr);
  return set;
}

void CommandBatch::launch(const Pipeline& pipeline, std::span<const Range> bindings, const std::uint32_t (&groups)[3]) {
  const VkDescriptorSet set = bind(pipeline, bindings);
  ++launches_;
  has_new_pipeline_ |= pipeline.is_first_use();
  wait_for_earlier_users(bindings);
  const DeviceCalls& calls = device_->calls();
  calls.cmd_bind_pipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
  calls.cmd_bind_sets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout(), 0, 1, &set, 0, nullptr);
  calls.cmd_dispatch(commands_, groups[0], groups[1], groups[2]);
}

}  // namespace ab::device::vulkan
