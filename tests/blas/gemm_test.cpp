// SPDX-License-Identifier: MIT
// Where a checked call runs, what happens when a device declines or fails, and what is said of it afterwards.
#include "blas/gemm.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "blas/faked_layers.hpp"
#include "core/thread_state.hpp"
#include "report/run_self.hpp"
#include "report/statistics.hpp"

namespace ab::blas {
namespace {

using test::by_cpu;
using test::by_gpu;
using test::by_host;
using test::faked;

const Front fortran{find_routine("dgemm"), report::Api::Fortran};

class GemmTest : public testing::Test {
 protected:
  void SetUp() override {
    test::reset();
    report::reset_statistics();
    faked().settings.mode = Mode::Gpu;
    faked().settings.min_gpu_dim = 0;
  }

  /// Runs 2 x 2 x 2 with operands of ones; the fakes tell in C who computed.
  double run(double alpha = 1, double beta = 0, const Front& front = fortran) {
    double a[4] = {1, 1, 1, 1}, b[4] = {1, 1, 1, 1}, c[4] = {7, 7, 7, 7};
    run_gemm(GemmProblem<double>{2, 2, 2, alpha, {a, 2, Op::ConjugateTranspose}, {b, 2, Op::None}, beta, {c, 2}}, front);
    for (const double entry : c) EXPECT_EQ(entry, c[0]);
    return c[0];
  }

  const ProductReport& last() { return thread_state().last_product; }
  void expect_last(Engine engine, Scheme scheme, Reason route, Reason fallback) {
    EXPECT_EQ(last().engine, engine);
    EXPECT_EQ(last().scheme, scheme);
    EXPECT_STREQ(word_of(last().route_reason), word_of(route));
    EXPECT_STREQ(word_of(last().fallback_reason), word_of(fallback));
  }
};

TEST_F(GemmTest, ModeGpuRunsTheClassOnTheCurrentDevice) {
  EXPECT_EQ(run(), by_gpu);
  expect_last(Engine::Device, Scheme::CrtInt8, Reason::ModeGpu, Reason::None);
  EXPECT_EQ(last().device, 1);
  EXPECT_TRUE(thread_state().last_path_was_gpu);
  EXPECT_TRUE(faked().last_choices.may_decline);
  EXPECT_FALSE(faked().last_choices.may_exceed_cap);
  EXPECT_EQ(faked().last_ops[0], Op::Transpose);  // real data has no conjugate
  EXPECT_EQ(report::statistics().dgemm_count, 1u);
  EXPECT_EQ(report::statistics().elements_converted, 12u);  // A and B there, C back
  thread_state().device = 0;
  EXPECT_EQ(run(), by_cpu);
  EXPECT_FALSE(thread_state().last_path_was_gpu);
}

TEST_F(GemmTest, ModeCpuRunsTheHostBlasOfTheCallersInterface) {
  faked().settings.mode = Mode::Cpu;
  EXPECT_EQ(run(), by_host);
  expect_last(Engine::Host, Scheme::Vendor, Reason::ModeCpu, Reason::None);
  EXPECT_EQ(last().bound, -1);
  EXPECT_EQ(last().device, -1);
  EXPECT_EQ(faked().host_interface, host_blas::Interface::Fortran);
  run(1, 0, {find_routine("dgemm"), report::Api::Cblas});
  EXPECT_EQ(faked().host_interface, host_blas::Interface::Cblas);
  EXPECT_TRUE(faked().device_calls.empty());
  EXPECT_EQ(report::statistics().dgemm_count, 0u);
}

TEST_F(GemmTest, QuickReturnsTouchNoDeviceAndNoHostBlas) {
  EXPECT_EQ(run(0, 2), 14);
  expect_last(Engine::Host, Scheme::Trivial, Reason::QuickReturn, Reason::None);
  EXPECT_EQ(last().bound, 0);
  EXPECT_EQ(run(0, 1), 7);
  EXPECT_EQ(faked().host_calls, 0);
  EXPECT_TRUE(faked().device_calls.empty());
}

TEST_F(GemmTest, DisabledRoutinesStayOnTheHostSide) {
  faked().settings.disabled = {"zgemm"};
  EXPECT_EQ(run(), by_gpu);
  faked().settings.disabled = {"zherk", "dgemm"};
  EXPECT_EQ(run(), by_host);
  EXPECT_EQ(last().route_reason, Reason::Disabled);
}

TEST_F(GemmTest, AutoWithoutMeasurementsStaysOnTheHost) {
  faked().settings.mode = Mode::Auto;
  EXPECT_EQ(run(), by_host);
  EXPECT_EQ(last().route_reason, Reason::NoMeasurement);
  faked().has_host_blas = false;
  EXPECT_EQ(run(), by_gpu);
  EXPECT_EQ(last().route_reason, Reason::NoHostBlas);
}

TEST_F(GemmTest, ADeclineFallsBackToTheHostBlas) {
  for (const Reason reason : {Reason::Nonfinite, Reason::Range, Reason::Uncertified, Reason::MemoryCap, Reason::SizeLimit}) {
    faked().gpu_declines = reason;
    EXPECT_EQ(run(), by_host);
    expect_last(Engine::Host, Scheme::Vendor, Reason::ModeGpu, reason);
    EXPECT_FALSE(thread_state().last_path_was_gpu);
  }
  EXPECT_EQ(report::statistics().dgemm_count, 0u);
}

TEST_F(GemmTest, AFailureFallsBackWithItsReason) {
  const std::pair<Status, Reason> failures[] = {{Status::AllocFailed, Reason::AllocationFailed},
                                                {Status::KernelFailed, Reason::DeviceError},
                                                {Status::ShaderCompile, Reason::KernelMissing}};
  for (const auto& [status, reason] : failures) {
    faked().gpu_fails = status;
    EXPECT_EQ(run(), by_host);
    expect_last(Engine::Host, Scheme::Vendor, Reason::ModeGpu, reason);
  }
  faked().gpu_fails.reset();
  faked().host_memory_gone = true;
  EXPECT_EQ(run(), by_host);
  EXPECT_EQ(last().fallback_reason, Reason::AllocationFailed);
  EXPECT_TRUE(faked().warnings.empty());
}

TEST_F(GemmTest, StrictAndExactNeverUseTheHostBlasButForSpecialDataUnderStrict) {
  const struct {
    Precision precision;
    Reason decline;
    double by;
  } cases[] = {{Precision::Strict, Reason::Nonfinite, by_host},  {Precision::Strict, Reason::Uncertified, by_host},
               {Precision::Strict, Reason::Range, by_host},      {Precision::Strict, Reason::MemoryCap, by_cpu},
               {Precision::Strict, Reason::DeviceError, by_cpu}, {Precision::Exact, Reason::MemoryCap, by_cpu},
               {Precision::Fast, Reason::MemoryCap, by_host}};
  for (const auto& [precision, decline, by] : cases) {
    thread_state().precision = precision;
    faked().gpu_declines = decline;
    EXPECT_EQ(run(), by) << word_of(precision) << " " << word_of(decline);
    EXPECT_EQ(last().precision, precision);
    EXPECT_EQ(last().fallback_reason, decline);
  }
  faked().gpu_declines.reset();
  thread_state().precision = Precision::Exact;
  EXPECT_EQ(run(), by_gpu);
  EXPECT_FALSE(faked().last_choices.may_decline);
  thread_state().precision = Precision::Strict;
  EXPECT_EQ(run(), by_gpu);
  EXPECT_TRUE(faked().last_choices.may_decline);
  faked().settings.mode = Mode::Cpu;  // the host side of strict is the cpu device
  EXPECT_EQ(run(), by_cpu);
  expect_last(Engine::Device, Scheme::CrtInt8, Reason::ModeCpu, Reason::None);
  EXPECT_TRUE(faked().last_choices.may_exceed_cap);
  EXPECT_EQ(faked().host_calls, 4);
}

TEST_F(GemmTest, ReproducibleNeverUsesTheHostBlas) {
  faked().settings.reproducible = true;
  EXPECT_EQ(run(), by_gpu);
  EXPECT_FALSE(faked().last_choices.may_decline);
  faked().gpu_fails = Status::KernelFailed;
  EXPECT_EQ(run(), by_cpu);
  EXPECT_FALSE(faked().last_choices.may_decline);
  EXPECT_EQ(last().fallback_reason, Reason::DeviceError);
  faked().settings.mode = Mode::Auto;
  faked().gpu_fails.reset();
  EXPECT_EQ(run(), by_gpu);
  EXPECT_EQ(last().route_reason, Reason::Reproducible);
  EXPECT_EQ(faked().host_calls, 0);
}

TEST_F(GemmTest, WithoutHostBlasTheCpuDeviceServes) {
  faked().has_host_blas = false;
  faked().settings.mode = Mode::Cpu;
  EXPECT_EQ(run(), by_cpu);
  EXPECT_EQ(last().route_reason, Reason::ModeCpu);
  EXPECT_FALSE(faked().last_choices.may_decline);
  EXPECT_EQ(thread_state().device, -1);  // the thread's own choice is as before
  faked().settings.mode = Mode::Gpu;
  EXPECT_EQ(run(), by_gpu);
  EXPECT_FALSE(faked().last_choices.may_decline);
}

TEST_F(GemmTest, WhenNothingElseWorksTheCallIsComputedHere) {
  faked().has_host_blas = false;
  faked().host_memory_gone = true;
  EXPECT_EQ(run(), 2);  // 1 * 1 + 1 * 1
  expect_last(Engine::Host, Scheme::Ieee, Reason::ModeGpu, Reason::AllocationFailed);
  EXPECT_EQ(faked().device_calls, (std::vector{1, 0}));
}

TEST_F(GemmTest, AReenteredCallGoesStraightOnAndIsNotTheThreadsLast) {
  faked().settings.mode = Mode::Cpu;
  faked().in_host_blas = [this] {
    thread_state().last_product.moduli = 77;
    EXPECT_EQ(run(1, 0, {find_routine("dgemm"), report::Api::Cblas}), by_host);
    EXPECT_EQ(last().moduli, 77);
    EXPECT_EQ(run(0, 2), by_host);  // what is trivial too: it is the host BLAS's own business
    EXPECT_EQ(last().moduli, 77);
  };
  EXPECT_EQ(run(), by_host);
  EXPECT_EQ(faked().host_calls, 3);
  expect_last(Engine::Host, Scheme::Vendor, Reason::ModeCpu, Reason::None);
}

TEST_F(GemmTest, ASplitRunsOnBothDevices) {
  faked().settings.split = {Split::Mode::Share, 0.3};
  EXPECT_EQ(run(), test::by_both);
  expect_last(Engine::Split, Scheme::CrtInt8, Reason::ModeGpu, Reason::None);
  EXPECT_EQ(faked().split_devices, (std::vector{0, 1}));
  EXPECT_EQ(faked().last_share, 0.3);
  EXPECT_TRUE(thread_state().last_path_was_gpu);
  EXPECT_EQ(thread_state().device, -1);
  EXPECT_EQ(report::statistics().dgemm_count, 1u);
  thread_state().device = 0;  // the cpu device shares with nobody
  EXPECT_EQ(run(), by_cpu);
  expect_last(Engine::Device, Scheme::CrtInt8, Reason::ModeGpu, Reason::None);
}

TEST_F(GemmTest, WhatFailsInASplitIsOneCountedReason) {
  faked().settings.split = {Split::Mode::Share, 0.3};
  faked().gpu_fails = Status::KernelFailed;
  EXPECT_EQ(run(), by_cpu);
  expect_last(Engine::Device, Scheme::CrtInt8, Reason::ModeGpu, Reason::DeviceError);
  EXPECT_FALSE(thread_state().last_path_was_gpu);
  EXPECT_EQ(faked().host_calls, 0);
}

TEST_F(GemmTest, HostPackIsPassedOn) {
  run();
  EXPECT_FALSE(faked().last_choices.host_pack);
  faked().settings.host_pack = true;
  run();
  EXPECT_TRUE(faked().last_choices.host_pack);
}

TEST_F(GemmTest, ComplexProductsAreCountedAsSuch) {
  Complex a[1] = {1}, b[1] = {1}, c[1] = {0};
  run_gemm(GemmProblem<Complex>{1, 1, 1, 1, {a, 1, Op::ConjugateTranspose}, {b, 1, Op::None}, 1, {c, 1}},
           {find_routine("zgemm"), report::Api::C});
  EXPECT_EQ(c[0], Complex(by_gpu));
  EXPECT_EQ(faked().last_ops[0], Op::ConjugateTranspose);
  EXPECT_EQ(report::statistics().zgemm_count, 1u);
  EXPECT_EQ(report::statistics().elements_converted, 8u);  // A, B, C there, C back
}

}  // namespace
}  // namespace ab::blas
