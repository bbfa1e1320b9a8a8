// SPDX-License-Identifier: MIT
// A device for tests whose kernels are host functions of tables that the test names: other builds of the text, broken ones too.
#pragma once
#include <vector>

#include "device/cpu/kernel_table.hpp"
#include "device/device.hpp"

namespace ab::test {

/// The first table that has a kernel's name has the kernel. Groups run one after the other in the calling thread; memory is host
/// memory that must be copied to.
class HostDevice final : public device::Device {
 public:
  explicit HostDevice(std::vector<const kernels::HostKernel*> tables);
  const device::Traits& traits() const override { return traits_; }
  std::unique_ptr<device::Memory> allocate(std::size_t bytes) override;
  std::unique_ptr<device::Memory> adopt(std::span<std::byte> host) override;
  std::unique_ptr<device::Kernel> load(const device::KernelName& name) override;
  std::unique_ptr<device::Queue> open_queue() override;

 private:
  device::Traits traits_;
  std::vector<const kernels::HostKernel*> tables_;
};

}  // namespace ab::test
