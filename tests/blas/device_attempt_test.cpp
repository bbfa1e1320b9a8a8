// SPDX-License-Identifier: MIT
// When a device is given up for good. That holds for the process, so each case runs in one of its own.
#include "blas/device_attempt.hpp"

#include <gtest/gtest.h>

#include "blas/faked_layers.hpp"
#include "core/thread_state.hpp"
#include "report/run_self.hpp"

namespace ab::blas {
namespace {

using test::faked;
using test::run_self;

Outcome attempt(On where = On::CurrentDevice, Method method = Method::Class) {
  static double a = 1, b = 1, c = 7;
  return try_on_device(GemmProblem<double>{1, 1, 1, 1, {&a, 1, Op::None}, {&b, 1, Op::None}, 0, {&c, 1}}, {.method = method}, where);
}

Reason reason_of_attempt(On where = On::CurrentDevice) {
  const Outcome outcome = attempt(where);
  return outcome.declined ? outcome.declined->reason : Reason::None;
}

TEST(Inner, DISABLED_ThreeErrorsInARow) {
  test::reset();
  faked().gpu_fails = Status::KernelFailed;
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(reason_of_attempt(), Reason::DeviceError);
    EXPECT_EQ(reason_of_attempt(), Reason::DeviceError);
    EXPECT_TRUE(device_usable());
    faked().gpu_fails.reset();
    EXPECT_EQ(reason_of_attempt(), Reason::None);  // a success in between begins the row anew
    faked().gpu_fails = Status::KernelFailed;
  }
  EXPECT_TRUE(faked().warnings.empty());
  attempt();
  attempt();
  EXPECT_TRUE(device_usable());
  attempt();
  EXPECT_FALSE(device_usable());
  attempt();
  ASSERT_EQ(faked().warnings.size(), 1u);
  EXPECT_NE(faked().warnings[0].find("three times"), std::string::npos);
}

TEST(Inner, DISABLED_LostDevice) {
  test::reset();
  faked().gpu_fails = Status::NoDevice;
  EXPECT_EQ(reason_of_attempt(), Reason::DeviceLost);
  EXPECT_FALSE(device_usable());
  EXPECT_EQ(faked().warnings.size(), 1u);
  EXPECT_EQ(reason_of_attempt(On::Cpu), Reason::None);  // the cpu device is another one
}

TEST(Inner, DISABLED_AskedForButRefused) {
  test::reset();
  faked().settings.device = "cuda:0";
  faked().opening_fails = Status::NoDevice;
  EXPECT_TRUE(device_usable());
  EXPECT_EQ(reason_of_attempt(), Reason::NoDevice);
  EXPECT_FALSE(device_usable());
  attempt();
  ASSERT_EQ(faked().warnings.size(), 1u);
  EXPECT_EQ(faked().warnings[0].find("AB_DEVICE=\"cuda:0\""), 0u) << faked().warnings[0];
}

TEST(Inner, DISABLED_AskedForButAbsent) {
  test::reset();
  faked().settings.device = "vulkan:1";
  EXPECT_FALSE(device_usable());
  EXPECT_FALSE(device_usable());
  ASSERT_EQ(faked().warnings.size(), 1u);
  EXPECT_EQ(faked().warnings[0].find("AB_DEVICE=\"vulkan:1\""), 0u) << faked().warnings[0];
}

void expect_by_class(Reason reason) {
  const Outcome outcome = attempt(On::CurrentDevice, Method::Vendor);
  EXPECT_FALSE(outcome.declined);
  EXPECT_EQ(outcome.report.scheme, Scheme::CrtInt8);
  EXPECT_EQ(outcome.report.fallback_reason, reason);
}

TEST(Inner, DISABLED_VendorsGemmThatKeepsFailing) {
  test::reset();
  for (int round = 0; round < 2; ++round) {
    faked().vendor_fails = Status::KernelFailed;
    expect_by_class(Reason::DeviceError);
    expect_by_class(Reason::DeviceError);
    faked().vendor_fails.reset();
    EXPECT_EQ(attempt(On::CurrentDevice, Method::Vendor).report.scheme, Scheme::Vendor);
    EXPECT_EQ(attempt().report.scheme, Scheme::CrtInt8);
  }
  faked().vendor_fails = Status::AllocFailed;
  for (int i = 0; i < 5; ++i) expect_by_class(Reason::AllocationFailed);
  EXPECT_TRUE(vendor_gemm_usable());
  faked().vendor_fails = Status::KernelFailed;
  for (int i = 0; i < 3; ++i) expect_by_class(Reason::DeviceError);
  EXPECT_FALSE(vendor_gemm_usable());
  EXPECT_TRUE(device_usable());
  EXPECT_TRUE(faked().warnings.empty());
}

TEST(Inner, DISABLED_VendorsGemmThatIsMissing) {
  test::reset();
  EXPECT_TRUE(vendor_gemm_usable());
  faked().vendor_fails = Status::ShaderCompile;
  expect_by_class(Reason::KernelMissing);
  EXPECT_FALSE(vendor_gemm_usable());
  EXPECT_TRUE(device_usable());
}

TEST(DeviceAttempt, GivesUpWhatKeepsFailing) {
  for (const char* name : {"ThreeErrorsInARow", "LostDevice", "AskedForButRefused", "AskedForButAbsent", "VendorsGemmThatKeepsFailing",
                           "VendorsGemmThatIsMissing"}) {
    EXPECT_EQ(run_self(std::string("Inner.DISABLED_") + name, {}).exit_status, 0) << name;
  }
}

class DeviceAttemptTest : public testing::Test {
 protected:
  void SetUp() override { test::reset(); }
};

TEST_F(DeviceAttemptTest, AShutdownMeanwhileIsNoLostDevice) {
  faked().gpu_fails = Status::NoDevice;
  faked().context_is_dead = true;
  EXPECT_EQ(reason_of_attempt(), Reason::NoDevice);
  EXPECT_TRUE(device_usable());
}

TEST_F(DeviceAttemptTest, WantOfMemoryIsNoFailureOfTheDevice) {
  faked().gpu_fails = Status::AllocFailed;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(reason_of_attempt(), Reason::AllocationFailed);
  EXPECT_TRUE(device_usable());
  faked().gpu_fails.reset();
  faked().opening_fails = Status::AllocFailed;
  EXPECT_EQ(reason_of_attempt(), Reason::AllocationFailed);
  EXPECT_TRUE(device_usable());
}

TEST_F(DeviceAttemptTest, TheCpuDeviceIsTakenWithoutChangingTheThreadsChoice) {
  thread_state().device = 1;
  EXPECT_EQ(attempt(On::Cpu).report.device, 0);
  EXPECT_EQ(thread_state().device, 1);
  EXPECT_EQ(attempt().report.device, 1);
  faked().cpu_fails = Status::KernelFailed;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(reason_of_attempt(On::Cpu), Reason::DeviceError);
  EXPECT_TRUE(device_usable());
  EXPECT_EQ(thread_state().device, 1);
}

TEST_F(DeviceAttemptTest, AThreadThatHasChosenDoesNotDependOnTheEnvironment) {
  faked().settings.device = "metal";
  thread_state().device = 0;
  EXPECT_TRUE(device_usable());
  EXPECT_TRUE(faked().warnings.empty());
}

TEST_F(DeviceAttemptTest, TrafficIsWhatIsCopied) {
  double x[1];
  GemmProblem<double> real{2, 3, 5, 1, {x, 2, Op::None}, {x, 5, Op::None}, 0, {x, 2}};
  EXPECT_EQ(traffic_of(real, 1).bytes_in, 8 * (10 + 15));
  EXPECT_EQ(traffic_of(real, 1).bytes_out, 8 * 6);
  real.beta = 1;
  EXPECT_EQ(traffic_of(real, 1).bytes_in, 8 * (10 + 15 + 6));
  EXPECT_EQ(traffic_of(real, 0).bytes_in, 0);  // shares the host's memory
  EXPECT_EQ(traffic_of(real, -1).bytes_out, 0);
}

}  // namespace
}  // namespace ab::blas
