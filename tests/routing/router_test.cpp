// SPDX-License-Identifier: MIT
// The rows of spec 6.1, each alone and against those above and below it.
#include "routing/router.hpp"

#include <gtest/gtest.h>

#include "routing/tables_of_tests.hpp"

namespace ab::routing {
namespace {

const Section& measured_section() {
  static const Section section = test::section_of(
      "dgemm N N fp64 copied 100 100 100 20 10 - -\n"  // class and vendor say yes; the class is as fast
      "dgemm N N vendor copied 100 100 100 20 10 - -\n"
      "dgemm N N fp64 copied 1000 1000 1000 20 10 - -\n"  // the vendor is faster
      "dgemm N N vendor copied 1000 1000 1000 20 9 - -\n"
      "dgemm N N fp64 copied 4000 4000 4000 10 20 - -\n"  // the vendor alone says yes
      "dgemm N N vendor copied 4000 4000 4000 20 9 - -\n"
      "dgemm N N fp64 copied 16000 16000 16000 10 20 - -\n"  // both say no
      "dgemm N N vendor copied 16000 16000 16000 10 20 - -\n"
      "dgemm N N vendor copied 64000 64000 64000 20 10 - -\n");  // only the vendor was measured
  return section;
}

int times_asked = 0;
const Section* measured() {
  ++times_asked;
  return &measured_section();
}
const Section* unmeasured() {
  return nullptr;
}

Request square(Index n) {
  return {.routine = find_routine("dgemm"), .letters = {'N', 'N'}, .m = n, .n = n, .k = n};
}
State usual() {
  return {.host_blas_found = true};
}

void expect_route(const Route& route, Engine engine, Reason reason, const char* what) {
  EXPECT_EQ(route.engine, engine) << what;
  EXPECT_STREQ(word_of(route.reason), word_of(reason)) << what;
}

TEST(Router, FirstMatchWins) {
  // From the last row of the table up: each change makes an earlier row match.
  Request call = square(100);
  State state = usual();
  expect_route(choose_route(call, state, measured), Engine::Device, Reason::TableFaster, "11");
  expect_route(choose_route(call, state, unmeasured), Engine::Host, Reason::NoMeasurement, "10");
  state.host_blas_found = false;
  expect_route(choose_route(call, state, measured), Engine::Device, Reason::NoHostBlas, "9");
  call.precision = Precision::Strict;
  expect_route(choose_route(call, state, measured), Engine::Device, Reason::Precision, "8 strict");
  call.precision = Precision::Exact;
  expect_route(choose_route(call, state, measured), Engine::Device, Reason::Precision, "8 exact");
  state.reproducible = true;
  expect_route(choose_route(call, state, measured), Engine::Device, Reason::Reproducible, "8 reproducible");
  state.mode = Mode::Gpu;
  expect_route(choose_route(call, state, measured), Engine::Device, Reason::ModeGpu, "7");
  state.min_gpu_dim = 100;
  expect_route(choose_route(call, state, measured), Engine::Host, Reason::BelowMinDim, "6");
  state.device_usable = false;
  expect_route(choose_route(call, state, measured), Engine::Host, Reason::NoDevice, "5");
  state.mode = Mode::Cpu;
  expect_route(choose_route(call, state, measured), Engine::Host, Reason::ModeCpu, "4");
  state.forked_child = true;
  expect_route(choose_route(call, state, measured), Engine::Host, Reason::ForkedChild, "3");
  state.disabled = true;
  expect_route(choose_route(call, state, measured), Engine::Host, Reason::Disabled, "2");
}

TEST(Router, TheSmallestDimensionDecidesTheFloor) {
  State state = usual();
  state.mode = Mode::Gpu;
  for (const auto& [m, n, k] : {std::array<Index, 3>{32, 99, 99}, {99, 32, 99}, {99, 99, 32}}) {
    Request call = square(99);
    call.m = m;
    call.n = n;
    call.k = k;
    EXPECT_EQ(choose_route(call, state, measured).reason, Reason::BelowMinDim);
  }
  EXPECT_EQ(choose_route(square(33), state, measured).reason, Reason::ModeGpu);
  state.min_gpu_dim = 0;
  EXPECT_EQ(choose_route(square(1), state, measured).reason, Reason::ModeGpu);
}

TEST(Router, ClassOrVendorByTheSmallerSum) {
  State state = usual();
  const auto method = [&](Index n) { return choose_route(square(n), state, measured).method; };
  const auto reason = [&](Index n) { return choose_route(square(n), state, measured).reason; };
  EXPECT_EQ(method(1000), Method::Class);
  EXPECT_EQ(reason(4000), Reason::TableSlower);  // without a vendor's GEMM its rows say nothing
  EXPECT_EQ(reason(64000), Reason::NoMeasurement);
  state.device_has_vendor_gemm = true;
  EXPECT_EQ(method(100), Method::Class);  // a tie
  EXPECT_EQ(method(1000), Method::Vendor);
  EXPECT_EQ(method(4000), Method::Vendor);
  EXPECT_EQ(reason(4000), Reason::TableFaster);
  EXPECT_EQ(reason(16000), Reason::TableSlower);
  EXPECT_EQ(reason(64000), Reason::TableFaster);
  state.mode = Mode::Gpu;
  EXPECT_EQ(method(4000), Method::Class);  // mode gpu always computes the class
}

TEST(Router, TheTableIsReadOnlyWhenNothingElseDecides) {
  times_asked = 0;
  State state = usual();
  state.mode = Mode::Cpu;
  choose_route(square(100), state, measured);
  state.mode = Mode::Gpu;
  choose_route(square(100), state, measured);
  state.mode = Mode::Auto;
  choose_route(square(10), state, measured);
  EXPECT_EQ(times_asked, 0);
  choose_route(square(100), state, measured);
  EXPECT_EQ(times_asked, 1);
}

TEST(Router, VendorIsPermittedToTheClassesThatDoNotPromiseMore) {
  for (const Precision precision : {Precision::DoubleFloat, Precision::Fast, Precision::Fp64}) {
    EXPECT_TRUE(permits_vendor(precision, usual()));
    EXPECT_FALSE(permits_vendor(precision, {.reproducible = true}));
  }
  EXPECT_FALSE(permits_vendor(Precision::Strict, usual()));
  EXPECT_FALSE(permits_vendor(Precision::Exact, usual()));
}

}  // namespace
}  // namespace ab::routing
