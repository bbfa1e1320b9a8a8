// SPDX-License-Identifier: MIT
#include "device/metal/metal_device.hpp"

#include <cassert>
#include <map>
#include <set>

#include "core/ample_stack.hpp"
#include "core/process.hpp"
#include "device/metal/command_stream.hpp"
#include "device/metal/native/native.hpp"

namespace ab::device {
namespace {

using metal::AutoreleasePool;
using metal::Buffer;
using metal::CommandStream;
using metal::Gpu;
using metal::KernelText;
using metal::Pipeline;

using SharedGpu = std::shared_ptr<Gpu>;

class MetalQueue;

// The open queues of a device: what only their work keeps alive can be had by waiting for them.
struct OpenQueues {
  std::mutex mutex;
  std::set<MetalQueue*> queues;  // guarded by mutex
  void wait();
};
using SharedQueues = std::shared_ptr<OpenQueues>;

struct MetalMemory : Memory {
  explicit MetalMemory(std::unique_ptr<Buffer> buffer) : buffer(std::move(buffer)) {}
  std::size_t bytes() const override { return buffer->bytes(); }
  const std::unique_ptr<Buffer> buffer;  // command buffers that use it keep it
};

// The program may free its pages as soon as this is gone, so no command may still be reading them.
struct AdoptedMemory final : MetalMemory {
  AdoptedMemory(std::unique_ptr<Buffer> adopted, SharedQueues open) : MetalMemory(std::move(adopted)), open(std::move(open)) {}
  ~AdoptedMemory() override {
    if (!is_forked_child()) open->wait();
  }
  const SharedQueues open;
};

CommandStream::Place place_of(const Memory& memory, std::size_t offset) {
  return {static_cast<const MetalMemory&>(memory).buffer.get(), offset};
}

// Pipelines of one device. Each is compiled at its first launch: a program needs few of them, and the compiler takes its time.
class Pipelines {
 public:
  explicit Pipelines(SharedGpu gpu) : gpu_(std::move(gpu)) {}
  const Pipeline& get(const KernelText& text) {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<const Pipeline>& pipeline = made_[&text];
    if (pipeline == nullptr) with_ample_stack([&] { pipeline = std::make_unique<const Pipeline>(gpu_, text); });
    return *pipeline;
  }

 private:
  const SharedGpu gpu_;
  std::mutex mutex_;
  std::map<const KernelText*, std::unique_ptr<const Pipeline>> made_;  // guarded by mutex_
};
using SharedPipelines = std::shared_ptr<Pipelines>;

struct MetalKernel final : Kernel {
  MetalKernel(const KernelText& text, bool native) : text(text), native(native) {}
  const KernelText& text;
  const bool native;  // where there is a native form
};

class MetalQueue final : public Queue {
 public:
  MetalQueue(SharedGpu gpu, SharedQueues open, SharedPipelines pipelines)
      : gpu_(std::move(gpu)), open_(std::move(open)), pipelines_(std::move(pipelines)), stream_(gpu_) {
    const std::scoped_lock lock(open_->mutex);
    open_->queues.insert(this);
  }
  ~MetalQueue() override {
    if (!gpu_->may_release()) return;  // another thread may have held the lock when the process forked
    const std::scoped_lock lock(open_->mutex);
    open_->queues.erase(this);
  }
  MetalQueue(const MetalQueue&) = delete;
  MetalQueue& operator=(const MetalQueue&) = delete;

  void write(Memory& to, std::size_t offset, std::span<const std::byte> from) override {
    if (from.empty()) return;
    assert(offset + from.size() <= to.bytes());
    const std::scoped_lock lock(mutex_);
    stream_.write(place_of(to, offset), from);
  }
  void read(const Memory& from, std::size_t offset, std::span<std::byte> to) override {
    if (to.empty()) return;
    assert(offset + to.size() <= from.bytes());
    const std::scoped_lock lock(mutex_);
    stream_.read(place_of(from, offset), to);
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
  /// What failed is told to those who finish the queue.
  void wait() {
    const std::scoped_lock lock(mutex_);
    stream_.wait();
  }

 private:
  const SharedGpu gpu_;
  const SharedQueues open_;
  const SharedPipelines pipelines_;
  std::mutex mutex_;
  CommandStream stream_;  // guarded by mutex_
};

void OpenQueues::wait() {
  const std::scoped_lock lock(mutex);
  for (MetalQueue* queue : queues) queue->wait();
}

void MetalQueue::launch(const Kernel& kernel, Grid grid, std::span<const Argument> arguments) {
  const auto& launched = static_cast<const MetalKernel&>(kernel);
  const std::size_t buffers = launched.text.buffers;
  assert(arguments.size() == buffers + 1);
  std::array<CommandStream::Place, 16> places{};
  for (std::size_t i = 0; i < buffers; ++i) {
    const Slice& slice = std::get<Slice>(arguments[i]);
    if (slice.memory != nullptr) places[i] = place_of(*slice.memory, slice.offset);
  }
  const auto params = std::get<std::span<const std::byte>>(arguments[buffers]);
  assert(params.size() == launched.text.params_bytes);
  CommandStream::Launch launch{nullptr, std::span(places).first(buffers), params, {grid.x, grid.y, grid.z}, grid.work};
  const std::optional<metal::native::Launch> native = launched.native ? metal::native::choose(launched.text.name, params) : std::nullopt;
  if (native) {
    launch.params = native->params;
    launch.groups = native->groups;
  }
  launch.pipeline = &pipelines_->get(native ? *native->text : launched.text);
  const std::scoped_lock lock(mutex_);
  stream_.launch(launch);
}

class MetalDevice final : public Device {
 public:
  MetalDevice(int ordinal, GpuKernels kernels) : gpu_(std::make_shared<Gpu>(ordinal)), traits_(gpu_->traits()) {
    native_ = kernels != GpuKernels::Common && gpu_->has_simdgroup_matrices();
    if (native_) traits_.features += ", native kernels";
  }

  const Traits& traits() const override { return traits_; }
  std::unique_ptr<Memory> allocate(std::size_t bytes) override {
    try {
      return std::make_unique<MetalMemory>(std::make_unique<Buffer>(gpu_, bytes));
    } catch (const Error& error) {
      if (error.status() != Status::AllocFailed || bytes > traits_.max_buffer_bytes) throw;
    }
    queues_->wait();  // memory that only commands still keep
    return std::make_unique<MetalMemory>(std::make_unique<Buffer>(gpu_, bytes));
  }
  std::unique_ptr<Memory> adopt(std::span<std::byte> host) override {
    if (!traits_.unified_memory) return nullptr;
    std::unique_ptr<Buffer> buffer = Buffer::adopt(gpu_, host);
    return buffer == nullptr ? nullptr : std::make_unique<AdoptedMemory>(std::move(buffer), queues_);
  }
  std::unique_ptr<Kernel> load(const KernelName& name) override {
    gpu_->require_usable();
    const KernelText* text = metal::find_text(name.name);
    if (text == nullptr) throw Error(Status::ShaderCompile, traits_.id + ": no kernel named " + name.name);
    return std::make_unique<MetalKernel>(*text, native_);
  }
  std::unique_ptr<Queue> open_queue() override { return std::make_unique<MetalQueue>(gpu_, queues_, pipelines_); }

 private:
  const SharedGpu gpu_;
  const SharedQueues queues_ = std::make_shared<OpenQueues>();
  const SharedPipelines pipelines_ = std::make_shared<Pipelines>(gpu_);
  Traits traits_;
  bool native_ = false;
};

}  // namespace

std::vector<Traits> describe_metal() {
  const AutoreleasePool pool;
  std::vector<Traits> devices;
  const int count = metal::device_count();
  for (int ordinal = 0; ordinal < count; ++ordinal) devices.push_back(metal::describe(ordinal));
  return devices;
}

std::unique_ptr<Device> open_metal(int ordinal) {
  return open_metal_with(ordinal, settings().gpu_kernels.at("metal"));
}

std::unique_ptr<Device> open_metal_with(int ordinal, GpuKernels kernels) {
  const AutoreleasePool pool;
  return std::make_unique<MetalDevice>(ordinal, kernels);
}

}  // namespace ab::device
