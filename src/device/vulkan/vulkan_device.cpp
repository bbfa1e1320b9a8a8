// SPDX-License-Identifier: MIT
#include "device/vulkan/vulkan_device.hpp"

#include <cassert>
#include <cstring>
#include <mutex>
#include <set>

#include "device/self_test.hpp"
#include "device/vulkan/command_stream.hpp"
#include "device/vulkan/native/native.hpp"

namespace ab::device {
namespace {

using vulkan::Buffer;
using vulkan::CommandStream;
using vulkan::KernelText;
using vulkan::LogicalDevice;
using vulkan::Pipeline;
using vulkan::Spelling;
using vulkan::native::Form;
using vulkan::native::Means;

using SharedDevice = std::shared_ptr<LogicalDevice>;

struct VulkanMemory final : Memory {
  VulkanMemory(const SharedDevice& device, std::size_t wanted)
      : size(wanted), buffer(std::make_shared<const Buffer>(device, wanted, vulkan::Placement::Device)) {}
  std::size_t bytes() const override { return size; }
  const std::size_t size;
  const std::shared_ptr<const Buffer> buffer;
};

CommandStream::Place place_of(const Memory& memory, std::size_t offset) {
  return {static_cast<const VulkanMemory&>(memory).buffer, offset};
}

// Compiled at its first launch: a program needs few of the kernels, and a driver may take its time.
class VulkanKernel final : public Kernel {
 public:
  VulkanKernel(SharedDevice device, const KernelText& text, Spelling spelling, const Form* form = nullptr)
      : text(text), form(form), device_(std::move(device)), spelling_(spelling) {}
  std::shared_ptr<const Pipeline> pipeline() const {
    const std::scoped_lock lock(mutex_);
    if (pipeline_ == nullptr) pipeline_ = made();
    return pipeline_;
  }
  const KernelText& text;
  const Form* const form;  // of a native kernel

 private:
  std::shared_ptr<const Pipeline> made() const {
    if (form == nullptr) return std::make_shared<const Pipeline>(device_, text, spelling_);
    return std::make_shared<const Pipeline>(device_, text, spelling_, vulkan::native::constants_of(*form, device_->physical()));
  }

  const SharedDevice device_;
  const Spelling spelling_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Pipeline> pipeline_;  // guarded by mutex_
};

// The open queues of a device: where memory is out, what only their work keeps alive can be had.
struct OpenQueues {
  std::mutex mutex;
  std::set<Queue*> queues;  // guarded by mutex
  void finish() {
    const std::scoped_lock lock(mutex);
    for (Queue* queue : queues) queue->finish();
  }
};
using SharedQueues = std::shared_ptr<OpenQueues>;

class VulkanQueue final : public Queue {
 public:
  VulkanQueue(SharedDevice device, SharedQueues open) : device_(std::move(device)), open_(std::move(open)), stream_(device_) {
    device_->require_usable();
    const std::scoped_lock lock(open_->mutex);
    open_->queues.insert(this);
  }
  ~VulkanQueue() override {
    if (!device_->may_release()) return;  // another thread may have held the lock when the process forked
    const std::scoped_lock lock(open_->mutex);
    open_->queues.erase(this);
  }
  VulkanQueue(const VulkanQueue&) = delete;
  VulkanQueue& operator=(const VulkanQueue&) = delete;

  void write(Memory& to, std::size_t offset, std::span<const std::byte> from) override {
    if (from.empty()) return;
    assert(offset + from.size() <= to.bytes());
    const std::scoped_lock lock(mutex_);
    stream_.upload(place_of(to, offset), from);
  }
  void read(const Memory& from, std::size_t offset, std::span<std::byte> to) override {
    if (to.empty()) return;
    assert(offset + to.size() <= from.bytes());
    const std::scoped_lock lock(mutex_);
    stream_.download(place_of(from, offset), to);
  }
  void copy(const Slice& from, const Slice& to, std::size_t bytes) override {
    if (bytes == 0) return;
    const std::scoped_lock lock(mutex_);
    stream_.copy(place_of(*from.memory, from.offset), place_of(*to.memory, to.offset), bytes);
  }
  void launch(const Kernel& kernel, Grid grid, std::span<const Argument> arguments) override;
  void finish() override {
    const std::scoped_lock lock(mutex_);
    stream_.finish();
  }

 private:
  const SharedDevice device_;
  const SharedQueues open_;
  std::mutex mutex_;
  CommandStream stream_;  // guarded by mutex_
};

void VulkanQueue::launch(const Kernel& kernel, Grid grid, std::span<const Argument> arguments) {
  const auto& launched = static_cast<const VulkanKernel&>(kernel);
  const KernelText& text = launched.text;
  const std::shared_ptr<const Pipeline> pipeline = launched.pipeline();
  assert(arguments.size() == text.buffers + 1);
  auto params = std::get<std::span<const std::byte>>(arguments[text.buffers]);
  assert(params.size() == text.params_bytes);
  std::array<std::uint32_t, 3> groups = {grid.x, grid.y, grid.z};
  vulkan::native::Launch native;
  if (launched.form != nullptr) {
    native = vulkan::native::launch_of(*launched.form, params);
    params = std::as_bytes(std::span(&native.params, 1));
    groups = native.groups;
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::uint32_t most = device_->physical().limits.maxComputeWorkGroupCount[i];
    if (groups[i] <= most) continue;
    throw Error(Status::KernelFailed, device_->id() + ": " + text.name + " with " + std::to_string(groups[i]) +
                                          " groups in a direction, the device has " + std::to_string(most));
  }
  std::vector<CommandStream::Place> buffers(text.buffers);
  for (std::size_t i = 0; i < text.buffers; ++i) {
    const Slice& slice = std::get<Slice>(arguments[i]);
    if (slice.memory != nullptr) buffers[i] = place_of(*slice.memory, slice.offset);
  }
  const std::scoped_lock lock(mutex_);
  stream_.launch({pipeline, buffers, params, groups});
}

const KernelText* find_text(const std::string& name) {
  for (const KernelText* text = vulkan::kernel_texts; text->name != nullptr; ++text) {
    if (name == text->name) return text;
  }
  return nullptr;
}

class VulkanDevice final : public Device {
 public:
  VulkanDevice(const vulkan::Instance& instance, int ordinal)
      : device_(std::make_shared<LogicalDevice>(instance, ordinal)), traits_(device_->physical().traits) {}

  const Traits& traits() const override { return traits_; }
  std::unique_ptr<Memory> allocate(std::size_t bytes) override {
    try {
      return std::make_unique<VulkanMemory>(device_, bytes);
    } catch (const Error& error) {
      if (error.status() != Status::AllocFailed || bytes > traits_.max_buffer_bytes) throw;
    }
    queues_->finish();
    return std::make_unique<VulkanMemory>(device_, bytes);
  }
  std::unique_ptr<Memory> adopt(std::span<std::byte>) override { return nullptr; }
  std::unique_ptr<Kernel> load(const KernelName& name) override {
    device_->require_usable();
    const KernelText* text = find_text(name.name);
    if (text == nullptr) throw Error(Status::ShaderCompile, traits_.id + ": no kernel named " + name.name);
    const Form* form = native_ ? vulkan::native::find_form(*native_, name.name) : nullptr;
    return form != nullptr ? native_kernel(*form) : std::make_unique<VulkanKernel>(device_, *text, spelling_);
  }
  std::unique_ptr<Queue> open_queue() override { return std::make_unique<VulkanQueue>(device_, queues_); }

  /// Before anybody else has the device: no promise of Vulkan's says what these do, so they are tried.
  void choose_spelling() {
    unsigned chosen = device_->physical().packed_dot ? Spelling::PackedDot : Spelling::Plain;
    spelling_ = static_cast<Spelling>(chosen);
    if (chosen == Spelling::PackedDot && !passes(*this, SelfTestStep::ByteProducts)) chosen = Spelling::Plain;
    if (chosen == Spelling::PackedDot) traits_.features += ", packed byte products";
    spelling_ = static_cast<Spelling>(chosen);
    if (passes(*this, SelfTestStep::FusedMultiplyAdd)) return;
    spelling_ = static_cast<Spelling>(chosen | Spelling::SoftFma);
    traits_.fused_fma = false;
    traits_.features += ", fma in integers";
  }

  /// The same for the native kernels, which serve where they make the residues of the common ones.
  void choose_native() {
    const std::optional<Means> means = vulkan::native::means_of(device_->physical());
    if (!means) return;
    try {
      for (const Form& form : vulkan::native::forms(*means)) {
        if (!vulkan::native::agree(*this, form, *load({form.kernel}), *native_kernel(form))) return;
      }
    } catch (const Error& error) {
      if (error.status() != Status::ShaderCompile) throw;
      return;
    }
    native_ = means;
    traits_.int8_matrix = means == Means::Matrices;
    traits_.features += means == Means::Matrices ? ", cooperative matrices" : ", products by words";
  }

 private:
  std::unique_ptr<Kernel> native_kernel(const Form& form) const {
    const KernelText* text = find_text(vulkan::native::text_of(form, device_->physical()));
    return std::make_unique<VulkanKernel>(device_, *text, Spelling::Plain, &form);
  }

  const SharedDevice device_;
  const SharedQueues queues_ = std::make_shared<OpenQueues>();
  Traits traits_;
  Spelling spelling_ = Spelling::Plain;
  std::optional<Means> native_;  // of the native kernels, where they serve
};

}  // namespace

std::vector<Traits> describe_vulkan() {
  std::vector<Traits> devices;
  const vulkan::Instance* instance = vulkan::instance();
  const int count = instance == nullptr ? 0 : static_cast<int>(instance->devices.size());
  for (int ordinal = 0; ordinal < count; ++ordinal) devices.push_back(vulkan::describe(*instance, ordinal).traits);
  return devices;
}

std::unique_ptr<Device> open_vulkan(int ordinal) {
  return open_vulkan_with(ordinal, settings().gpu_kernels.at("vulkan"));
}

std::unique_ptr<Device> open_vulkan_with(int ordinal, GpuKernels kernels) {
  const vulkan::Instance* instance = vulkan::instance();
  if (instance == nullptr || ordinal >= static_cast<int>(instance->devices.size())) {
    throw Error(Status::NoDevice, "vulkan:" + std::to_string(ordinal) + ": there is no such device here");
  }
  auto device = std::make_unique<VulkanDevice>(*instance, ordinal);
  device->choose_spelling();
  if (kernels != GpuKernels::Common) device->choose_native();
  return device;
}

}  // namespace ab::device
