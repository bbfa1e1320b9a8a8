// SPDX-License-Identifier: MIT
#include "device/cpu/cpu_device.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <new>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/settings.hpp"
#include "device/cpu/kernel_table.hpp"
#include "device/cpu/native/engines.hpp"
#include "device/cpu/native/permission.hpp"
#include "device/threads.hpp"

namespace ab::device {
namespace {

constexpr std::align_val_t cache_line{64}, large_page{std::size_t{2} << 20};

class OwnMemory final : public Memory {
 public:
  explicit OwnMemory(std::size_t bytes) : bytes_(bytes) {
    alignment_ = bytes >= large ? large_page : cache_line;
    data_ = static_cast<std::byte*>(::operator new(bytes > 0 ? bytes : 1, alignment_, std::nothrow));
    if (data_ == nullptr) throw Error(Status::AllocFailed, "cpu: no memory for " + std::to_string(bytes) + " bytes");
#if defined(__linux__)
    if (bytes >= large) madvise(data_, bytes, MADV_HUGEPAGE);  // a wish
#endif
  }
  ~OwnMemory() override {
    ::operator delete(data_, alignment_);
  }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;
  std::size_t bytes() const override {
    return bytes_;
  }
  std::byte* data() const {
    return data_;
  }

 private:
  static constexpr std::size_t large = std::size_t{4} << 20;
  std::size_t bytes_;
  std::align_val_t alignment_;
  std::byte* data_;
};

class AdoptedMemory final : public Memory {
 public:
  explicit AdoptedMemory(std::span<std::byte> host) : host_(host) {}
  std::size_t bytes() const override { return host_.size(); }
  std::byte* data() const { return host_.data(); }

 private:
  std::span<std::byte> host_;
};

std::byte* data_of(const Memory& memory) {
  if (const auto* own = dynamic_cast<const OwnMemory*>(&memory)) return own->data();
  return static_cast<const AdoptedMemory&>(memory).data();
}

// A common kernel, run group by group, or a native one, which runs a launch as it likes.
class CpuKernel final : public Kernel {
 public:
  explicit CpuKernel(void (*run_group)(const kernels::Group&)) : run_group(run_group) {}
  CpuKernel(void (*run)(const native::Launch&), const kernels::HostKernel* common) : run(run), common(common) {}
  void (*const run_group)(const kernels::Group&) = nullptr;
  void (*const run)(const native::Launch&) = nullptr;
  const kernels::HostKernel* const common = nullptr;
};

constexpr std::size_t scratch_bytes = std::max(kernels::scratch_bytes, native::native_scratch_bytes);

// Scratch blocks of running groups, kept between launches. Slots are taken and given back by exchange: no lock, so nothing to fork.
class ScratchBlocks {
 public:
  std::unique_ptr<OwnMemory> take() {
    for (std::atomic<OwnMemory*>& slot : slots_) {
      if (OwnMemory* block = slot.exchange(nullptr, std::memory_order_acquire)) return std::unique_ptr<OwnMemory>(block);
    }
    return std::make_unique<OwnMemory>(scratch_bytes);
  }
  void give_back(std::unique_ptr<OwnMemory> block) {
    for (std::atomic<OwnMemory*>& slot : slots_) {
      OwnMemory* empty = nullptr;
      if (slot.compare_exchange_strong(empty, block.get(), std::memory_order_release)) {
        block.release();
        return;
      }
    }
  }
  ~ScratchBlocks() {
    for (std::atomic<OwnMemory*>& slot : slots_) delete slot.load();
  }

 private:
  std::array<std::atomic<OwnMemory*>, 32> slots_{};
};

class NativeSharer final : public native::Sharer {
 public:
  NativeSharer(int threads, ScratchBlocks& scratch) : threads_(threads), scratch_(scratch) {}
  void share(Index count, Index work, native::Body body, const void* state) const override {
    ab::device::share(count, work, threads_, [&](Index first, Index last) {
      std::unique_ptr<OwnMemory> scratch = scratch_.take();
      body(state, scratch->data(), first, last);
      scratch_.give_back(std::move(scratch));
    });
  }
  int threads() const override { return threads_; }

 private:
  int threads_;
  ScratchBlocks& scratch_;
};

class CpuQueue final : public Queue {
 public:
  explicit CpuQueue(int threads) : threads_(threads) {}

  void write(Memory& to, std::size_t offset, std::span<const std::byte> from) override {
    if (!from.empty()) std::memcpy(data_of(to) + offset, from.data(), from.size());
  }
  void read(const Memory& from, std::size_t offset, std::span<std::byte> to) override {
    if (!to.empty()) std::memcpy(to.data(), data_of(from) + offset, to.size());
  }
  void copy(const Slice& from, const Slice& to, std::size_t bytes) override {
    if (bytes > 0) std::memmove(data_of(*to.memory) + to.offset, data_of(*from.memory) + from.offset, bytes);
  }
  void launch(const Kernel& kernel, Grid grid, std::span<const Argument> arguments) override;
  void finish() override {}

 private:
  int threads_;
  ScratchBlocks scratch_;
};

void* address_of(const Argument& argument) {
  if (const auto* slice = std::get_if<Slice>(&argument)) {
    return slice->memory == nullptr ? nullptr : data_of(*slice->memory) + slice->offset;
  }
  return const_cast<std::byte*>(std::get<std::span<const std::byte>>(argument).data());  // kernels only read their params
}

void CpuQueue::launch(const Kernel& kernel, Grid grid, std::span<const Argument> arguments) {
  constexpr std::size_t most_arguments = 16;
  void* buffers[most_arguments] = {};
  for (std::size_t i = 0; i < arguments.size(); ++i) buffers[i] = address_of(arguments[i]);
  const auto& cpu_kernel = static_cast<const CpuKernel&>(kernel);
  if (cpu_kernel.run != nullptr) {
    cpu_kernel.run({buffers, cpu_kernel.common, NativeSharer(threads_, scratch_)});
    return;
  }
  const auto run_group = cpu_kernel.run_group;
  const Index row = grid.x, plane = row * grid.y, count = plane * grid.z;
  share(count, grid.work, threads_, [&](Index first, Index last) {
    std::unique_ptr<OwnMemory> scratch = scratch_.take();
    for (Index g = first; g < last; ++g) {
      run_group({buffers, scratch->data(), static_cast<kernels::uint>(g % row), static_cast<kernels::uint>(g % plane / row),
                 static_cast<kernels::uint>(g / plane)});
    }
    scratch_.give_back(std::move(scratch));
  });
}

enum class Level { Base, Avx2, Avx512 };

Level best_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = native::has_avx2();
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  if (avx512) return Level::Avx512;
  if (avx2) return Level::Avx2;
#endif
  return Level::Base;
}

const char* word_of(Level level) {
  switch (level) {
    case Level::Avx512:
      return "avx512";
    case Level::Avx2:
      return "avx2";
    default:
      return "base";
  }
}

const kernels::HostKernel* table_of(Level level) {
#if defined(__x86_64__)
  if (level == Level::Avx512) return kernels::host_kernels_avx512;
  if (level == Level::Avx2) return kernels::host_kernels_avx2;
#endif
  (void)level;
  return kernels::host_kernels_base;
}

std::string processor_name() {
#if defined(__linux__)
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
#endif
  return "CPU";
}

Traits describe(const native::Engine* engine) {
  Traits traits;
  traits.id = "cpu";
  traits.name = processor_name();
  const int threads = settings().num_threads;
  traits.features = std::to_string(threads) + (threads == 1 ? " thread, " : " threads, ");
  traits.features += engine != nullptr ? engine->features : word_of(best_level());
  if (engine != nullptr) {
    traits.table_kind = engine->table_kind;
    traits.int8_matrix = true;
    traits.vector_unit = engine->vector_unit;
    traits.plane_padding_bytes = engine->plane_padding;
    traits.product_scratch_bytes = engine->product_scratch_bytes * static_cast<std::uint64_t>(threads);
  }
  traits.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  traits.max_buffer_bytes = traits.memory_bytes;
  traits.unified_memory = true;
  traits.results_in_place = true;
  traits.fp64 = true;
  return traits;
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(const native::Engine* engine) : traits_(describe(engine)), level_(best_level()), engine_(engine) {}

  const Traits& traits() const override { return traits_; }
  std::unique_ptr<Memory> allocate(std::size_t bytes) override { return std::make_unique<OwnMemory>(bytes); }
  std::unique_ptr<Memory> adopt(std::span<std::byte> host) override {
    const bool aligned = reinterpret_cast<std::uintptr_t>(host.data()) % alignof(std::uint64_t) == 0;
    return aligned ? std::make_unique<AdoptedMemory>(host) : nullptr;
  }
  std::unique_ptr<Kernel> load(const KernelName& name) override {
    for (const native::Kernel* row = engine_ != nullptr ? engine_->kernels : nullptr; row != nullptr && row->name != nullptr; ++row) {
      if (name.name == row->name) return std::make_unique<CpuKernel>(row->run, table_of(level_));
    }
    for (const kernels::HostKernel* row = table_of(level_); row->name != nullptr; ++row) {
      if (name.name == row->name) return std::make_unique<CpuKernel>(row->run_group);
    }
    throw Error(Status::ShaderCompile, "cpu: no kernel named " + name.name);
  }
  std::unique_ptr<Queue> open_queue() override { return std::make_unique<CpuQueue>(settings().num_threads); }

 private:
  Traits traits_;
  Level level_;
  const native::Engine* engine_;
};

}  // namespace

Traits describe_cpu() {
  return describe(native::choose_engine(settings().cpu_kernels, native::Permission::DoNotAsk));
}

std::unique_ptr<Device> open_cpu() {
  return open_cpu_with(settings().cpu_kernels);
}

std::unique_ptr<Device> open_cpu_with(CpuKernels kernels) {
  return std::make_unique<CpuDevice>(native::choose_engine(kernels, native::Permission::Ask));
}

}  // namespace ab::device
