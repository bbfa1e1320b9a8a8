// SPDX-License-Identifier: MIT
#include "support/faulty_device.hpp"

namespace ab::test {

using device::Argument;
using device::Grid;
using device::Kernel;
using device::Memory;
using device::Queue;
using device::Slice;

namespace {

class NamedKernel final : public Kernel {
 public:
  NamedKernel(std::unique_ptr<Kernel> inner, std::string name) : inner(std::move(inner)), name(std::move(name)) {}
  const std::unique_ptr<Kernel> inner;
  const std::string name;
};

// Tells how much memory is alive.
class CountedMemory final : public Memory {
 public:
  CountedMemory(std::unique_ptr<Memory> inner, std::shared_ptr<std::uint64_t> alive) : inner(std::move(inner)), alive_(std::move(alive)) {
    *alive_ += this->inner->bytes();
  }
  ~CountedMemory() override { *alive_ -= inner->bytes(); }
  std::size_t bytes() const override { return inner->bytes(); }
  const std::unique_ptr<Memory> inner;

 private:
  std::shared_ptr<std::uint64_t> alive_;
};

Memory& inner_of(const Memory& memory) {
  const auto* counted = dynamic_cast<const CountedMemory*>(&memory);
  return counted != nullptr ? *counted->inner : const_cast<Memory&>(memory);
}

Slice inner_of(const Slice& slice) {
  return {slice.memory == nullptr ? nullptr : &inner_of(*slice.memory), slice.offset};
}

}  // namespace

class FaultyQueue final : public Queue {
 public:
  FaultyQueue(FaultyDevice& device, std::unique_ptr<Queue> inner) : device_(device), inner_(std::move(inner)) {}

  void write(Memory& to, std::size_t offset, std::span<const std::byte> from) override {
    device_.count_call(Status::KernelFailed, "write");
    inner_->write(inner_of(to), offset, from);
  }
  void read(const Memory& from, std::size_t offset, std::span<std::byte> to) override {
    device_.count_call(Status::KernelFailed, "read");
    inner_->read(inner_of(from), offset, to);
  }
  std::unique_ptr<Mark> mark() override { return device_.marks_ ? std::make_unique<Mark>() : nullptr; }
  void copy(const Slice& from, const Slice& to, std::size_t bytes) override {
    device_.count_call(Status::KernelFailed, "copy");
    inner_->copy(inner_of(from), inner_of(to), bytes);
  }
  void launch(const Kernel& kernel, Grid grid, std::span<const Argument> arguments) override {
    const auto& named = static_cast<const NamedKernel&>(kernel);
    device_.count_call(Status::KernelFailed, named.name.c_str());
    ++device_.launches_[named.name];
    std::vector<Argument> passed(arguments.begin(), arguments.end());
    for (Argument& argument : passed) {
      if (auto* slice = std::get_if<Slice>(&argument)) *slice = inner_of(*slice);
    }
    inner_->launch(*named.inner, grid, passed);
    if (device_.wrong_ && device_.wrong_->kernel == named.name) flip(std::get<Slice>(passed[device_.wrong_->argument]));
  }
  void finish() override { inner_->finish(); }

 private:
  void flip(const Slice& slice) {
    std::byte value{};
    const std::size_t at = slice.offset + device_.wrong_->byte;
    inner_->read(*slice.memory, at, {&value, 1});
    value ^= device_.wrong_->flipped;
    inner_->write(*slice.memory, at, {&value, 1});
  }

  FaultyDevice& device_;
  std::unique_ptr<Queue> inner_;
};

std::unique_ptr<Memory> FaultyDevice::allocate(std::size_t bytes) {
  count_call(Status::AllocFailed, "allocate");
  if (*bytes_alive_ + bytes > most_bytes_) throw Error(Status::AllocFailed, "faulty: no memory left");
  return std::make_unique<CountedMemory>(inner_.allocate(bytes), bytes_alive_);
}

std::unique_ptr<Memory> FaultyDevice::adopt(std::span<std::byte> host) {
  return traits_.unified_memory ? inner_.adopt(host) : nullptr;
}

std::unique_ptr<Kernel> FaultyDevice::load(const device::KernelName& name) {
  if (name.name == lost_kernel_) throw Error(Status::ShaderCompile, "faulty: no kernel named " + name.name);
  loaded_.push_back(name.name);
  return std::make_unique<NamedKernel>(inner_.load(name), name.name);
}

std::unique_ptr<Queue> FaultyDevice::open_queue() {
  return std::make_unique<FaultyQueue>(*this, inner_.open_queue());
}

void FaultyDevice::fail_at(Index nth, Failures failures) {
  calls_ = 0;
  failing_call_ = nth;
  failures_ = failures;
  launches_.clear();
}

Index FaultyDevice::launches_of(const std::string& kernel) const {
  const auto found = launches_.find(kernel);
  return found == launches_.end() ? 0 : found->second;
}

void FaultyDevice::count_call(Status status, const char* what) {
  ++calls_;
  const bool fails = calls_ == failing_call_ || (failures_ == Failures::AllFromThere && failing_call_ > 0 && calls_ > failing_call_);
  if (fails) throw Error(status, "faulty: call " + std::to_string(calls_) + " (" + what + ") fails");
}

}  // namespace ab::test
