// SPDX-License-Identifier: MIT
#include "kernels/host_device.hpp"

#include <cstring>

#include "core/error.hpp"

namespace ab::test {
namespace {

class HostMemory final : public device::Memory {
 public:
  explicit HostMemory(std::size_t bytes) : bytes_(bytes), words_((bytes + 7) / 8) {}
  std::size_t bytes() const override { return bytes_; }
  std::byte* data() const { return reinterpret_cast<std::byte*>(words_.data()); }

 private:
  std::size_t bytes_;
  mutable std::vector<std::uint64_t> words_;
};

std::byte* data_of(const device::Memory& memory) {
  return static_cast<const HostMemory&>(memory).data();
}

struct HostFunction final : device::Kernel {
  explicit HostFunction(void (*run_group)(const kernels::Group&)) : run_group(run_group) {}
  void (*const run_group)(const kernels::Group&);
};

class HostQueue final : public device::Queue {
 public:
  void write(device::Memory& to, std::size_t offset, std::span<const std::byte> from) override {
    if (!from.empty()) std::memcpy(data_of(to) + offset, from.data(), from.size());
  }
  void read(const device::Memory& from, std::size_t offset, std::span<std::byte> to) override {
    if (!to.empty()) std::memcpy(to.data(), data_of(from) + offset, to.size());
  }
  void copy(const device::Slice& from, const device::Slice& to, std::size_t bytes) override {
    if (bytes > 0) std::memmove(data_of(*to.memory) + to.offset, data_of(*from.memory) + from.offset, bytes);
  }
  void launch(const device::Kernel& kernel, device::Grid grid, std::span<const device::Argument> arguments) override;
  void finish() override {}

 private:
  std::vector<std::uint64_t> scratch_ = std::vector<std::uint64_t>(kernels::scratch_bytes / 8 + 8);
};

void* address_of(const device::Argument& argument) {
  if (const auto* slice = std::get_if<device::Slice>(&argument)) {
    return slice->memory == nullptr ? nullptr : data_of(*slice->memory) + slice->offset;
  }
  return const_cast<std::byte*>(std::get<std::span<const std::byte>>(argument).data());  // kernels only read their params
}

void HostQueue::launch(const device::Kernel& kernel, device::Grid grid, std::span<const device::Argument> arguments) {
  std::vector<void*> buffers;
  for (const device::Argument& argument : arguments) buffers.push_back(address_of(argument));
  void* at = scratch_.data();
  std::size_t space = scratch_.size() * 8;
  auto* const scratch = static_cast<std::byte*>(std::align(64, kernels::scratch_bytes, at, space));
  for (kernels::uint z = 0; z < grid.z; ++z) {
    for (kernels::uint y = 0; y < grid.y; ++y) {
      for (kernels::uint x = 0; x < grid.x; ++x) static_cast<const HostFunction&>(kernel).run_group({buffers.data(), scratch, x, y, z});
    }
  }
}

}  // namespace

HostDevice::HostDevice(std::vector<const kernels::HostKernel*> tables) : tables_(std::move(tables)) {
  traits_.id = traits_.name = "host";
  traits_.max_buffer_bytes = SIZE_MAX;
  traits_.fp64 = true;
}

std::unique_ptr<device::Memory> HostDevice::allocate(std::size_t bytes) {
  return std::make_unique<HostMemory>(bytes);
}

std::unique_ptr<device::Memory> HostDevice::adopt(std::span<std::byte>) {
  return nullptr;
}

std::unique_ptr<device::Kernel> HostDevice::load(const device::KernelName& name) {
  for (const kernels::HostKernel* row : tables_) {
    for (; row->name != nullptr; ++row) {
      if (name.name == row->name) return std::make_unique<HostFunction>(row->run_group);
    }
  }
  throw Error(Status::ShaderCompile, "host: no kernel named " + name.name);
}

std::unique_ptr<device::Queue> HostDevice::open_queue() {
  return std::make_unique<HostQueue>();
}

}  // namespace ab::test
