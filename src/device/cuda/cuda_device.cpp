// SPDX-License-Identifier: MIT
#include "device/cuda/cuda_device.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <optional>

#include "core/ample_stack.hpp"
#include "core/process.hpp"
#include "device/cuda/cublas.hpp"
#include "device/cuda/kernel_image.hpp"
#include "device/cuda/native/native_kernels.hpp"
#include "device/cuda/staging_ring.hpp"

namespace ab::device {
namespace {

using cuda::Address;
using cuda::Current;
using cuda::CurrentForRelease;
using cuda::Driver;
using cuda::PrimaryContext;
using cuda::native::Form;
using cuda::native::NativeKernels;

// What memory, kernels and queues of a device share; the last of them closes it.
using SharedContext = std::shared_ptr<PrimaryContext>;

class CudaMemory : public Memory {
 public:
  std::size_t bytes() const override { return bytes_; }
  Address address() const { return address_; }

 protected:
  explicit CudaMemory(std::size_t bytes) : bytes_(bytes) {}
  const std::size_t bytes_;
  Address address_ = 0;
};

class OwnMemory final : public CudaMemory {
 public:
  OwnMemory(SharedContext context, std::size_t bytes) : CudaMemory(bytes), context_(std::move(context)) {
    const Current current(*context_);
    const cuda::Result result = context_->driver().mem_alloc(&address_, bytes > 0 ? bytes : 1);
    if (result == cuda::out_of_memory) throw no_memory();
    context_->check(result, "cuMemAlloc", Status::AllocFailed);
  }
  ~OwnMemory() override {
    const CurrentForRelease current(*context_);
    if (current) context_->driver().mem_free(address_);
  }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

 private:
  Error no_memory() const {
    std::size_t free_bytes = 0, total_bytes = 0;
    std::string text = context_->id() + ": cuMemAlloc: no memory for " + std::to_string(bytes_) + " bytes";
    if (context_->driver().mem_get_info(&free_bytes, &total_bytes) == cuda::success) {
      text += " (" + std::to_string(free_bytes) + " of " + std::to_string(total_bytes) + " are free)";
    }
    return Error(Status::AllocFailed, text);
  }
  const SharedContext context_;
};

// Memory of the host whose pages the driver has pinned and mapped: kernels read it over the bus.
class HostMemory final : public CudaMemory {
 public:
  HostMemory(SharedContext context, std::span<std::byte> host) : CudaMemory(host.size()), context_(std::move(context)) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto first = reinterpret_cast<std::uintptr_t>(host.data()), last = first + host.size();
    const std::uintptr_t begin = first / page * page, end = (last + page - 1) / page * page;
    const Driver& driver = context_->driver();
    const Current current(*context_);
    void* const pages = reinterpret_cast<void*>(begin);
    context_->check(driver.mem_host_register(pages, end - begin, cuda::host_register_device_map), "cuMemHostRegister", Status::AllocFailed);
    pages_ = pages;
    const cuda::Result result = driver.mem_host_get_device_pointer(&address_, pages, 0);
    if (result != cuda::success) driver.mem_host_unregister(pages);
    context_->check(result, "cuMemHostGetDevicePointer", Status::AllocFailed);
    address_ += first - begin;
  }
  ~HostMemory() override {
    const CurrentForRelease current(*context_);
    if (!current) return;
    context_->driver().mem_host_unregister(pages_);  // waits for what still reads there
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

 private:
  const SharedContext context_;
  void* pages_ = nullptr;
};

Address address_of(const Memory& memory, std::size_t offset) {
  return static_cast<const CudaMemory&>(memory).address() + offset;
}

// A common kernel, its native form, or both: what the native one does not take, the common one does. Or cuBLAS's product alone.
struct CudaKernel final : Kernel {
  cuda::FunctionHandle function = nullptr;
  const cuda::KernelShape* shape = nullptr;
  NativeKernels* native = nullptr;
  const Form* form = nullptr;
  std::unique_ptr<cuda::CublasProducts> product;
};

// A stream with the pinned memory that its copies go through. Used by one thread at a time, with the context current.
class CudaStream {
 public:
  explicit CudaStream(SharedContext context) : context_(std::move(context)) {
    context_->check(context_->driver().stream_create(&stream_, cuda::stream_non_blocking), "cuStreamCreate");
    staging_.emplace(*context_, stream_, settings().num_threads);
  }
  ~CudaStream() {
    const CurrentForRelease current(*context_);
    if (!current) return;
    context_->driver().stream_synchronize(stream_);
    staging_->release();
    context_->driver().stream_destroy(stream_);
  }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  cuda::StreamHandle handle() const { return stream_; }
  cuda::StagingRing& staging() { return *staging_; }

 private:
  const SharedContext context_;
  cuda::StreamHandle stream_ = nullptr;
  std::optional<cuda::StagingRing> staging_;
};

class CudaMark final : public Queue::Mark {
 public:
  CudaMark(SharedContext context, cuda::StreamHandle stream) : context_(std::move(context)) {
    context_->check(context_->driver().event_create(&event_, cuda::event_disable_timing), "cuEventCreate");
    const cuda::Result result = context_->driver().event_record(event_, stream);
    if (result != cuda::success) context_->driver().event_destroy(event_);
    context_->check(result, "cuEventRecord");
  }
  ~CudaMark() override {
    const CurrentForRelease current(*context_);
    if (current) context_->driver().event_destroy(event_);
  }
  CudaMark(const CudaMark&) = delete;
  CudaMark& operator=(const CudaMark&) = delete;
  void wait() const { context_->check(context_->driver().event_synchronize(event_), "cuEventSynchronize"); }

 private:
  const SharedContext context_;
  cuda::EventHandle event_ = nullptr;
};

class CudaQueue final : public Queue {
 public:
  explicit CudaQueue(SharedContext context) : context_(std::move(context)) {
    const Current current(*context_);
    main_.emplace(context_);
  }
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  void write(Memory& to, std::size_t offset, std::span<const std::byte> from) override {
    if (from.empty()) return;
    assert(offset + from.size() <= to.bytes());
    const std::scoped_lock lock(mutex_);
    const Current current(*context_);
    main_->staging().upload(address_of(to, 0), offset, from);
  }
  void read(const Memory& from, std::size_t offset, std::span<std::byte> to) override {
    if (to.empty()) return;
    assert(offset + to.size() <= from.bytes());
    const std::scoped_lock lock(mutex_);
    const Current current(*context_);
    main_->staging().download(address_of(from, offset), to);
  }
  std::unique_ptr<Mark> mark() override {
    const std::scoped_lock lock(mutex_);
    const Current current(*context_);
    main_->staging().flush();
    return std::make_unique<CudaMark>(context_, main_->handle());
  }
  void read_after(const Mark* mark, const Memory& from, std::size_t offset, std::span<std::byte> to) override {
    if (mark == nullptr) return read(from, offset, to);
    if (to.empty()) return;
    assert(offset + to.size() <= from.bytes());
    const std::scoped_lock lock(aside_mutex_);
    const Current current(*context_);
    static_cast<const CudaMark*>(mark)->wait();
    if (!aside_) aside_.emplace(context_);
    aside_->staging().download(address_of(from, offset), to);
  }
  void copy(const Slice& from, const Slice& to, std::size_t bytes) override {
    if (bytes == 0) return;
    const std::scoped_lock lock(mutex_);
    const Current current(*context_);
    main_->staging().flush();
    context_->check(
        context_->driver().copy_on_device(address_of(*to.memory, to.offset), address_of(*from.memory, from.offset), bytes, main_->handle()),
        "cuMemcpyDtoDAsync");
  }
  void launch(const Kernel& kernel, Grid grid, std::span<const Argument> arguments) override;
  void finish() override {
    const std::scoped_lock lock(mutex_);
    const Current current(*context_);
    main_->staging().flush();
    context_->check(context_->driver().stream_synchronize(main_->handle()), "cuStreamSynchronize");
  }

 private:
  const SharedContext context_;
  std::mutex mutex_, aside_mutex_;
  std::optional<CudaStream> main_;   // guarded by mutex_
  std::optional<CudaStream> aside_;  // guarded by aside_mutex_; of reads that need not wait for all
};

// Buffers go as addresses, the params struct, which is the last argument, by value: the driver copies both before the call returns.
void CudaQueue::launch(const Kernel& kernel, Grid grid, std::span<const Argument> arguments) {
  constexpr std::size_t most_arguments = 16;
  std::array<Address, most_arguments> addresses{};
  std::array<void*, most_arguments> places{};
  const auto& launched = static_cast<const CudaKernel&>(kernel);
  assert(!arguments.empty() && arguments.size() <= most_arguments);
  const std::size_t buffers = arguments.size() - 1;
  for (std::size_t i = 0; i < buffers; ++i) {
    const Slice& slice = std::get<Slice>(arguments[i]);
    addresses[i] = slice.memory == nullptr ? 0 : address_of(*slice.memory, slice.offset);
    places[i] = &addresses[i];
  }
  const auto params = std::get<std::span<const std::byte>>(arguments[buffers]);
  places[buffers] = const_cast<std::byte*>(params.data());  // only read
  const std::scoped_lock lock(mutex_);
  const Current current(*context_);
  main_->staging().flush();
  if (launched.product != nullptr) return launched.product->multiply(std::span(addresses).first(buffers), params, main_->handle());
  if (launched.native != nullptr && launched.native->run(*launched.form, std::span(addresses).first(buffers), params, main_->handle()))
    return;
  const cuda::KernelShape& shape = *launched.shape;
  assert(buffers == shape.buffers && params.size() == shape.params_bytes);
  context_->check(context_->driver().launch_kernel(launched.function, grid.x, grid.y, grid.z, shape.width, shape.height, 1, 0,
                                                   main_->handle(), places.data(), nullptr),
                  "cuLaunchKernel");
}

int attribute_of(const Driver& driver, cuda::Number number, cuda::Attribute attribute) {
  int value = 0;
  return driver.device_get_attribute(&value, attribute, number) == cuda::success ? value : 0;
}

Traits describe(const Driver& driver, int ordinal) {
  Traits traits;
  traits.id = "cuda:" + std::to_string(ordinal);
  traits.name = "CUDA device";
  traits.fp64 = traits.fp64_product = true;
  cuda::Number number = 0;
  if (driver.device_get(&number, ordinal) != cuda::success) return traits;  // listed all the same; opening it says why
  std::array<char, 256> name{};
  if (driver.device_get_name(name.data(), name.size() - 1, number) == cuda::success) traits.name = name.data();
  std::size_t bytes = 0;
  if (driver.device_total_mem(&bytes, number) == cuda::success) traits.memory_bytes = traits.max_buffer_bytes = bytes;
  int version = 0;
  driver.driver_get_version(&version);
  traits.features = "sm_" + std::to_string(attribute_of(driver, number, cuda::CapabilityMajor)) +
                    std::to_string(attribute_of(driver, number, cuda::CapabilityMinor)) + ", " +
                    std::to_string(attribute_of(driver, number, cuda::MultiprocessorCount)) + " multiprocessors, driver API " +
                    std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  return traits;
}

const cuda::KernelShape* find_shape(const std::string& name) {
  for (const cuda::KernelShape* shape = cuda::kernel_shapes; shape->name != nullptr; ++shape) {
    if (name == shape->name) return shape;
  }
  return nullptr;
}

class CudaDevice final : public Device {
 public:
  CudaDevice(const Driver& driver, int ordinal, GpuKernels kernels)
      : traits_(describe(driver, ordinal)), context_(std::make_shared<PrimaryContext>(driver, ordinal)) {
    native_ = NativeKernels::load(*context_, ordinal, kernels);
    if (native_ == nullptr) return;
    constexpr std::uint64_t most_scratch_bytes = std::uint64_t{4} << 30;  // the residues of a result of 16384 x 16384
    traits_.features += ", native int8 kernels";
    traits_.int8_matrix = true;
    traits_.product_scratch_bytes = std::min(most_scratch_bytes, traits_.memory_bytes / 16);
    traits_.product_tile = cuda::native::tile_rows;
  }
  ~CudaDevice() override {
    const CurrentForRelease current(*context_);
    if (module_ != nullptr && current) context_->driver().module_unload(module_);
  }
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const Traits& traits() const override { return traits_; }
  std::unique_ptr<Memory> allocate(std::size_t bytes) override { return std::make_unique<OwnMemory>(context_, bytes); }
  // Null where the driver cannot, or pages of the range are pinned already.
  std::unique_ptr<Memory> adopt(std::span<std::byte> host) override {
    if (host.empty() || !context_->driver().has_calls_of_host_memory()) return nullptr;
    try {
      return std::make_unique<HostMemory>(context_, host);
    } catch (const Error& error) {
      if (error.status() == Status::NoDevice) throw;
      return nullptr;
    }
  }
  std::unique_ptr<Kernel> load(const KernelName& name) override {
    auto kernel = std::make_unique<CudaKernel>();
    if (name.name == fp64_product_name) {
      kernel->product = std::make_unique<cuda::CublasProducts>(context_);
      return kernel;
    }
    kernel->native = native_.get();
    kernel->form = native_ != nullptr ? NativeKernels::form_of(name.name) : nullptr;
    if (kernel->form == nullptr) kernel->native = nullptr;
    kernel->shape = find_shape(name.name);
    if (kernel->shape == nullptr && kernel->form == nullptr)
      throw Error(Status::ShaderCompile, traits_.id + ": no kernel named " + name.name);
    if (kernel->shape == nullptr) return kernel;
    with_ample_stack([&] { find_function(*kernel); });
    return kernel;
  }
  std::unique_ptr<Queue> open_queue() override { return std::make_unique<CudaQueue>(context_); }

 private:
  void find_function(CudaKernel& kernel);
  void load_module();
  Traits traits_;
  const SharedContext context_;
  std::unique_ptr<NativeKernels> native_;  // null: the common kernels only
  std::mutex mutex_;
  cuda::ModuleHandle module_ = nullptr;  // guarded by mutex_
};

void CudaDevice::find_function(CudaKernel& kernel) {
  const std::scoped_lock lock(mutex_);
  const Current current(*context_);
  if (module_ == nullptr) load_module();
  const char* const name = kernel.shape->name;
  context_->check(context_->driver().module_get_function(&kernel.function, module_, name),
                  (std::string("cuModuleGetFunction(") + name + ")").c_str(), Status::ShaderCompile);
}

void CudaDevice::load_module() {
  std::array<char, 4096> log{};
  std::array<int, 2> names = {cuda::ErrorLogBuffer, cuda::ErrorLogBufferBytes};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  const cuda::Result result = context_->driver().module_load(&module_, cuda::kernel_image, names.size(), names.data(), values.data());
  const std::string said = log.data();
  context_->check(result, said.empty() ? "cuModuleLoadDataEx" : ("cuModuleLoadDataEx: " + said).c_str(), Status::ShaderCompile);
}

}  // namespace

std::vector<Traits> describe_cuda() {
  std::vector<Traits> devices;
  const Driver* driver = cuda::kernel_image_bytes > 0 ? cuda::driver() : nullptr;
  int count = 0;
  if (driver == nullptr || driver->device_get_count(&count) != cuda::success) return devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) devices.push_back(describe(*driver, ordinal));
  return devices;
}

std::unique_ptr<Device> open_cuda(int ordinal) {
  return open_cuda_with(ordinal, settings().gpu_kernels.at("cuda"));
}

std::unique_ptr<Device> open_cuda_with(int ordinal, GpuKernels kernels) {
  const Driver* driver = cuda::driver();
  if (driver == nullptr) throw Error(Status::NoDevice, "cuda:" + std::to_string(ordinal) + ": there is no CUDA driver here");
  return std::make_unique<CudaDevice>(*driver, ordinal, kernels);
}

}  // namespace ab::device
