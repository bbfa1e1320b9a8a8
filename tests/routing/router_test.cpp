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
Surface measured() {
  ++times_asked;
  return {.section = &measured_section()};
}
Surface measured_with_vendor() {
  return {.section = &measured_section(), .has_vendor_gemm = true};
}
Surface unmeasured() {
  return {};
}

Request square(Index n) {
  return {.routine = find_routine("dgemm"), .letters = {'N', 'N'}, .m = n, .n = n, .k = n};
}
Request plain_product(Index n) {
  Request request = square(n);
  request.plain_product = true;
  return request;
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
  SurfaceSource surface = measured;
  const auto method = [&](Index n) { return choose_route(plain_product(n), state, surface).method; };
  const auto reason = [&](Index n) { return choose_route(plain_product(n), state, surface).reason; };
  EXPECT_EQ(method(1000), Method::Class);
  EXPECT_EQ(reason(4000), Reason::TableSlower);  // without a vendor's GEMM its rows say nothing
  EXPECT_EQ(reason(64000), Reason::NoMeasurement);
  surface = measured_with_vendor;
  EXPECT_EQ(method(100), Method::Class);  // a tie
  EXPECT_EQ(method(1000), Method::Vendor);
  EXPECT_EQ(method(4000), Method::Vendor);
  EXPECT_EQ(reason(4000), Reason::TableFaster);
  EXPECT_EQ(reason(16000), Reason::TableSlower);
  EXPECT_EQ(reason(64000), Reason::TableFaster);
  EXPECT_EQ(choose_route(square(4000), state, surface).reason, Reason::TableSlower);  // more than one product: dgemmt, say
  state.mode = Mode::Gpu;
  EXPECT_EQ(method(4000), Method::Class);  // mode gpu always computes the class
}

TEST(Router, VendorIsNeverChosenWhereItIsNotPermitted) {
  Request call = plain_product(4000);
  for (const Precision precision : {Precision::Strict, Precision::Exact}) {
    call.precision = precision;
    EXPECT_EQ(choose_route(call, usual(), measured_with_vendor).method, Method::Class);
  }
  State reproducible = usual();
  reproducible.reproducible = true;
  EXPECT_EQ(choose_route(plain_product(4000), reproducible, measured_with_vendor).method, Method::Class);
  EXPECT_EQ(choose_route(plain_product(4000), {}, measured_with_vendor).method, Method::Class);  // no host BLAS: the class
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

// host, device, split and share of squares.
const Section& split_section() {
  static const Section section = test::section_of(
      "dgemm N N fp64 copied 100 100 100 20 10 9 0.2\n"       // 10 >= 1.1 * 9
      "dgemm N N fp64 copied 1000 1000 1000 20 10 9.1 0.2\n"  // not enough
      "dgemm N N fp64 copied 4000 4000 4000 10 10 5 0.3\n"    // the device alone is not faster than the host
      "dgemm N N vendor copied 4000 4000 4000 10 4 - -\n"
      "dgemm N N fp64 copied 16000 16000 16000 20 10 5 -\n"  // no share
      "dgemm N N fp64 copied 64000 64000 64000 20 10 - -\n"
      "dgemm N N fp64 in_place 100 100 100 10 20 - -\n");
  return section;
}
Surface other_device() {
  return {.section = &split_section(), .shares = true};
}
Surface other_device_with_vendor() {
  return {.section = &split_section(), .shares = true, .has_vendor_gemm = true};
}
Surface cpu_device() {
  return {.section = &split_section()};
}
Surface unified_device() {
  return {.section = &split_section(), .unified_memory = true, .shares = true};
}
Surface other_device_unmeasured() {
  return {.shares = true};
}

TEST(Router, SplitsByTheTable) {
  State state = usual();
  const auto engine = [&](Index n) { return choose_route(plain_product(n), state, other_device).engine; };
  EXPECT_EQ(engine(100), Engine::Device);  // off by default
  state.split.mode = Split::Mode::Auto;
  const Route route = choose_route(plain_product(100), state, other_device);
  EXPECT_EQ(route.engine, Engine::Split);
  EXPECT_EQ(route.method, Method::Class);
  EXPECT_EQ(route.reason, Reason::TableFaster);
  EXPECT_EQ(route.split_share, 0.2);
  EXPECT_EQ(engine(1000), Engine::Device);
  EXPECT_EQ(engine(4000), Engine::Split);  // though the device alone would not do
  EXPECT_EQ(engine(16000), Engine::Device);
  EXPECT_EQ(engine(64000), Engine::Device);
  EXPECT_EQ(choose_route(plain_product(4000), state, other_device_with_vendor).method, Method::Vendor);  // 4 ms against 5
  EXPECT_EQ(choose_route(square(100), state, other_device).engine, Engine::Device);                      // no columns of C to share
  EXPECT_EQ(choose_route(plain_product(100), state, cpu_device).engine, Engine::Device);                 // nobody to share with
  EXPECT_EQ(choose_route(plain_product(100), state, unified_device).reason, Reason::TableSlower);        // it has rows in place
  EXPECT_EQ(choose_route(plain_product(100), state, other_device_unmeasured).reason, Reason::NoMeasurement);
  Request one_column = plain_product(100);
  one_column.n = 1;
  state.min_gpu_dim = 0;
  state.mode = Mode::Gpu;
  EXPECT_EQ(choose_route(one_column, state, other_device).engine, Engine::Device);
}

TEST(Router, SplitsWhatIsRoutedToADeviceForOtherReasons) {
  State state = usual();
  state.mode = Mode::Gpu;
  state.split = {Split::Mode::Share, 0.25};
  Route route = choose_route(plain_product(1000), state, other_device_unmeasured);
  EXPECT_EQ(route.engine, Engine::Split);
  EXPECT_EQ(route.reason, Reason::ModeGpu);
  EXPECT_EQ(route.split_share, 0.25);
  EXPECT_EQ(choose_route(plain_product(1000), state, cpu_device).engine, Engine::Device);
  EXPECT_EQ(choose_route(plain_product(20), state, other_device).engine, Engine::Host);
  state.mode = Mode::Auto;
  EXPECT_EQ(choose_route(plain_product(1000), state, other_device).engine, Engine::Split);
  EXPECT_EQ(choose_route(plain_product(4000), state, other_device).reason,
            Reason::TableSlower);  // a share does not change where a call goes
  Request strict = plain_product(100);
  strict.precision = Precision::Strict;
  route = choose_route(strict, state, other_device);
  EXPECT_EQ(route.engine, Engine::Split);
  EXPECT_EQ(route.reason, Reason::Precision);
  state.split = {Split::Mode::Auto, 0};
  EXPECT_EQ(choose_route(strict, state, other_device).engine, Engine::Device);  // no rows speak for it
  state.reproducible = true;
  EXPECT_EQ(choose_route(plain_product(100), state, other_device).engine, Engine::Split);
  EXPECT_EQ(choose_route(plain_product(100), state, other_device).reason, Reason::Reproducible);
  EXPECT_EQ(choose_route(plain_product(1000), state, other_device).engine, Engine::Device);
  EXPECT_EQ(choose_route(plain_product(100), state, other_device_unmeasured).engine, Engine::Device);
}

}  // namespace
}  // namespace ab::routing
