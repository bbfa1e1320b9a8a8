// SPDX-License-Identifier: MIT
// Tests on a Vulkan driver behind the failing loader. Skipped where there is no driver: Mesa's lavapipe is one for any machine.
#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "device/vulkan/loader.hpp"
#include "sim/vulkan/failing_control.hpp"

namespace ab::test {

inline const FailingVulkan& failing() {
  static const FailingVulkan* const control = [] {
    void* const library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    auto* const function = library == nullptr ? nullptr : reinterpret_cast<FailingVulkanFunction*>(dlsym(library, failing_vulkan_name));
    return function == nullptr ? nullptr : function();
  }();
  if (control == nullptr) throw std::runtime_error("this program does not find the failing loader");
  return *control;
}

class OnVulkan : public testing::Test {
 protected:
  void SetUp() override {
    const device::vulkan::Instance* instance = device::vulkan::instance();
    if (instance == nullptr || instance->devices.empty()) GTEST_SKIP() << "there is no Vulkan driver here";
    alive_before_ = failing().alive();
  }
  void TearDown() override {
    if (IsSkipped()) return;
    failing().fail_at(0, 0, VulkanFailures::One);
    EXPECT_EQ(failing().alive(), alive_before_);
  }
  long alive_before_ = 0;
};

}  // namespace ab::test
