// SPDX-License-Identifier: MIT
// The fake driver of this test program, and what every test leaves behind: nothing told to fail, nothing lost, nothing done wrong.
#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "sim/cuda/fake_control.hpp"

namespace ab::test {

inline constexpr int out_of_memory = 2, not_initialized = 3, invalid_value = 1, not_found = 500, illegal_address = 700, launch_failed = 719;

inline const FakeControl& fake() {
  static const FakeControl* const control = [] {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    auto* const function = library == nullptr ? nullptr : reinterpret_cast<FakeControlFunction*>(dlsym(library, fake_control_name));
    return function == nullptr ? nullptr : function();
  }();
  if (control == nullptr) throw std::runtime_error("this program does not find the fake driver");
  return *control;
}

class OnFakeDriver : public testing::Test {
 protected:
  void TearDown() override {
    fake().fail_at(0, 0, FakeFailures::One);
    fake().fault_at_launch(0);
    fake().limit_memory(std::size_t{1} << 30);
    fake().repair();
    EXPECT_EQ(fake().violations(), 0) << fake().first_violation();
  }
};

}  // namespace ab::test
