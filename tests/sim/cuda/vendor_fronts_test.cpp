// SPDX-License-Identifier: MIT
// BLAS calls that a routing table sends to the vendor's own GEMM: when they go there, what is said of them, and what happens when it is
// missing or fails. A process for each case, since settings, tables and failures are those of a process.
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "blas/gemm.hpp"
#include "core/thread_state.hpp"
#include "device/registry.hpp"
#include "host_blas/host_blas.hpp"
#include "ops/context.hpp"
#include "report/ledger.hpp"
#include "report/run_self.hpp"
#include "sim/cuda/fake.hpp"
#include "sim/cuda/fake_cublas_control.hpp"
#include "support/golden.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

const ProductReport& last() {
  return thread_state().last_product;
}

void expect_last(Scheme scheme, Reason route, Reason fallback) {
  EXPECT_STREQ(word_of(last().scheme), word_of(scheme));
  EXPECT_STREQ(word_of(last().route_reason), word_of(route));
  EXPECT_STREQ(word_of(last().fallback_reason), word_of(fallback));
  EXPECT_EQ(last().engine, Engine::Device);
  EXPECT_EQ(last().device, 1);
}

std::uint64_t declines() {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : report::totals().declines) sum += count;
  return sum;
}

/// C of the call through the BLAS front.
std::vector<double> run(const Call& call, const char* routine = nullptr) {
  std::vector<double> c = call.c;
  const bool real = call.type == Type::Real;
  const blas::Front front{find_routine(routine != nullptr ? routine : real ? "dgemm" : "zgemm"), report::Api::C};
  if (real) {
    GemmProblem<double> problem = problem_of<double>(call, c);
    problem.triangle = call.triangle;
    blas::run_gemm(problem, front);
  } else {
    blas::run_gemm(problem_of<Complex>(call, c), front);
  }
  return c;
}

// C = 2 A B - C of ones: all entries are 2 k - 1.
Call ones(Index n) {
  Call call;
  call.m = call.n = call.k = call.lda = call.ldb = call.ldc = n;
  call.alpha = 2, call.beta = -1;
  call.a.assign(static_cast<std::size_t>(n * n), 1);
  call.b = call.c = call.a;
  return call;
}
std::vector<double> right(Index n) {
  return std::vector<double>(static_cast<std::size_t>(n * n), static_cast<double>(2 * n - 1));
}

constexpr Index by_vendor = 20, by_class = 60, by_host = 200;  // sizes, as the table below says

// Golden products of the integer class, which all have rows.
std::vector<const GoldenProduct*> golden_of_the_class() {
  std::vector<const GoldenProduct*> found;
  for (const GoldenProduct& golden : golden_products()) {
    const Call& call = golden.call;
    const bool is_product = call.kind == Kind::Gemm && call.m > 0 && call.n > 0 && call.k > 0 && call.alpha != Complex(0, 0);
    const Report& report = golden.expect.at(Precision::Fp64).report;
    const Scheme scheme = expected_report(report, Precision::Fp64, ModuliFamily::Int8).scheme;
    if (is_product && scheme == Scheme::CrtInt8) found.push_back(&golden);
  }
  return found;
}

std::string rows_of(const Call& call, const char* device_ms_of_class, const char* device_ms_of_vendor) {
  const bool real = call.type == Type::Real;
  const auto letter = [&](Op op) { return op == Op::None ? "N" : real || op == Op::Transpose ? "T" : "C"; };
  const std::string front = std::string(real ? "dgemm " : "zgemm ") + letter(call.transa) + " " + letter(call.transb) + " ";
  const std::string shape = " copied " + std::to_string(call.m) + " " + std::to_string(call.n) + " " + std::to_string(call.k) + " 20 ";
  return front + "fp64" + shape + device_ms_of_class + " - -\n" + front + "fast" + shape + device_ms_of_class + " - -\n" + front + "dd" +
         shape + device_ms_of_class + " - -\n" + front + "vendor" + shape + device_ms_of_vendor + " - -\n";
}

std::string table() {
  std::string text = "applebottom-dispatch 2\nsection device=\"Fake CUDA device\" cpu=\"" + device::cpu_traits().name + "\" threads=2\n";
  for (const GoldenProduct* golden : golden_of_the_class()) text += rows_of(golden->call, "10", "5");
  return text + rows_of(ones(by_vendor), "10", "5") + rows_of(ones(by_class), "5", "6") + rows_of(ones(by_host), "20", "20");
}

class CudaVendorFronts : public testing::Test {
 protected:
  void SetUp() override {
    if (host_blas::library() == nullptr) GTEST_SKIP() << "without a host BLAS no table is asked";
  }
  Ended run_case(const std::string& name, Variables variables = {}) const {
    const std::string file = folder_.path() + "/table.txt";
    std::ofstream(file) << table();
    variables.insert(
        variables.begin(),
        {{"AB_MODE", "auto"}, {"AB_MIN_GPU_DIM", "0"}, {"AB_DEVICE", "cuda:0"}, {"AB_REPORT", "1"}, {"AB_DISPATCH_TABLE", file}});
    const Ended ended = run_self("Inner.DISABLED_" + name, variables);
    EXPECT_EQ(ended.exit_status, 0) << name << "\n" << ended.errors;
    return ended;
  }

 private:
  const Folder folder_;
};

TEST(Inner, DISABLED_ByTheTable) {
  EXPECT_EQ(run(ones(by_host)), right(by_host));
  EXPECT_EQ(last().route_reason, Reason::TableSlower);
  EXPECT_EQ(run(ones(by_class)), right(by_class));
  expect_last(Scheme::CrtInt8, Reason::TableFaster, Reason::None);
  EXPECT_FALSE(is_loaded(fake_cublas_file));  // nobody wanted it
  for (const Precision precision : {Precision::DoubleFloat, Precision::Fast, Precision::Fp64}) {
    thread_state().precision = precision;
    EXPECT_EQ(run(ones(by_vendor)), right(by_vendor));
    expect_last(Scheme::Vendor, Reason::TableFaster, Reason::None);
    EXPECT_EQ(last().precision, precision);
    EXPECT_EQ(last().bound, -1);
    EXPECT_EQ(last().guard, -1);
    EXPECT_TRUE(thread_state().last_path_was_gpu);
  }
  EXPECT_EQ(fake_cublas().products(), 3);
  EXPECT_EQ(fake_cublas().handles(), 1);
  ops::shutdown();
  EXPECT_EQ(fake_cublas().handles(), 0);
  EXPECT_EQ(declines(), 0u);
}

void expect_only_the_class(Reason route) {
  const Call call = ones(by_vendor);
  EXPECT_EQ(run(call), right(by_vendor));
  expect_last(Scheme::CrtInt8, route, Reason::None);
  EXPECT_FALSE(is_loaded(fake_cublas_file));
}

TEST(Inner, DISABLED_NeverForStrict) {
  thread_state().precision = Precision::Strict;
  expect_only_the_class(Reason::Precision);
}
TEST(Inner, DISABLED_NeverReproducibly) {
  expect_only_the_class(Reason::Reproducible);
}
TEST(Inner, DISABLED_NeverInModeGpu) {
  expect_only_the_class(Reason::ModeGpu);
}

// Rows of dgemm serve dgemmt, too; but only a whole product is the vendor's.
TEST(Inner, DISABLED_NeverForTriangles) {
  Call call = ones(by_vendor);
  call.triangle = Triangle::Upper;
  run(call, "dgemmt");
  expect_last(Scheme::CrtInt8, Reason::TableFaster, Reason::None);
  EXPECT_FALSE(is_loaded(fake_cublas_file));
}

// Every golden product, by the vendor and then by the class because the vendor fails.
TEST(Inner, DISABLED_FailuresEndInTheGoldenBits) {
  fake_cublas();
  EXPECT_EQ(run(ones(by_vendor)), right(by_vendor));
  int products = 0;
  for (const GoldenProduct* golden : golden_of_the_class()) {
    run(golden->call);
    expect_last(Scheme::Vendor, Reason::TableFaster, Reason::None);
    const std::uint64_t before = declines();
    const long call = 1 + products % 2;  // cublasSetStream, cublasXgemm
    const bool memory = products % 3 == 0;
    fake_cublas().fail_at(call, memory ? cublas_no_memory : cublas_execution_failed);
    const std::vector<double> c = run(golden->call);
    EXPECT_EQ(difference(golden->call, golden->expect.at(Precision::Fp64).c, c), "") << golden->call.name;
    expect_last(Scheme::CrtInt8, Reason::TableFaster, memory ? Reason::AllocationFailed : Reason::DeviceError);
    EXPECT_EQ(declines(), before + 1);
    ++products;
  }
  EXPECT_GT(products, 20);
}

TEST(Inner, DISABLED_ThreeFailuresInARow) {
  fake_cublas();
  for (int i = 0; i < 3; ++i) {
    fake_cublas().fail_at(i == 0 ? 4 : 2, cublas_execution_failed);
    EXPECT_EQ(run(ones(by_vendor)), right(by_vendor));
    expect_last(Scheme::CrtInt8, Reason::TableFaster, Reason::DeviceError);
  }
  fake_cublas().fail_at(0, 0);
  EXPECT_EQ(run(ones(by_vendor)), right(by_vendor));
  expect_last(Scheme::CrtInt8, Reason::TableFaster, Reason::None);
  EXPECT_EQ(fake_cublas().calls(), 0);  // it is left alone
  EXPECT_EQ(declines(), 3u);
}

// One counted reason, and from then on its rows say nothing.
void expect_missing() {
  EXPECT_EQ(run(ones(by_vendor)), right(by_vendor));
  expect_last(Scheme::CrtInt8, Reason::TableFaster, Reason::KernelMissing);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run(ones(by_vendor)), right(by_vendor));
    expect_last(Scheme::CrtInt8, Reason::TableFaster, Reason::None);
  }
  EXPECT_EQ(declines(), 1u);
}

TEST(Inner, DISABLED_TooOldADriver) {
  expect_missing();
  EXPECT_FALSE(is_loaded(fake_cublas_file));
}

TEST(Inner, DISABLED_ALibraryThatDoesNotStart) {
  fake_cublas().fail_at(1, cublas_not_initialized);
  expect_missing();
}

TEST(Inner, DISABLED_AnIncompleteVersionIsPassedOver) {
  for (const char* file :
       {AB_FAKE_CUBLAS_FOLDER "fake_cublas_13/libcublas.so.13", AB_FAKE_CUBLAS_FOLDER "fake_cublas_12/libcublas.so.12"}) {
    ASSERT_NE(dlopen(file, RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
  }
  EXPECT_EQ(run(ones(by_vendor)), right(by_vendor));
  expect_last(Scheme::Vendor, Reason::TableFaster, Reason::None);
  EXPECT_EQ(fake_cublas("libcublas.so.12").products(), 1);
}

TEST(Inner, DISABLED_ALostDevice) {
  EXPECT_EQ(run(ones(by_vendor)), right(by_vendor));
  fake().fault_at_launch(1);
  EXPECT_EQ(run(ones(by_vendor)), right(by_vendor));
  EXPECT_EQ(last().engine, Engine::Host);
  EXPECT_EQ(last().fallback_reason, Reason::DeviceLost);
  EXPECT_EQ(run(ones(by_vendor)), right(by_vendor));
  EXPECT_EQ(last().route_reason, Reason::NoDevice);
}

TEST_F(CudaVendorFronts, TheTableChoosesAndTheReportSaysSo) {
  const Ended ended = run_case("ByTheTable");
  EXPECT_NE(ended.errors.find("dgemm    device  vendor   table_faster"), std::string::npos) << ended.errors;
}

TEST_F(CudaVendorFronts, NeverWhereTheClassIsPromised) {
  run_case("NeverForStrict");
  run_case("NeverReproducibly", {{"AB_REPRODUCIBLE", "1"}});
  run_case("NeverInModeGpu", {{"AB_MODE", "gpu"}});
  run_case("NeverForTriangles");
}

TEST_F(CudaVendorFronts, FailuresEndInTheClassesBits) {
  run_case("FailuresEndInTheGoldenBits");
  run_case("ThreeFailuresInARow");
  run_case("ALostDevice");
}

TEST_F(CudaVendorFronts, WhatIsMissingIsOneReason) {
  run_case("TooOldADriver", {{"AB_FAKE_CUDA_VERSION", "10020"}});
  run_case("ALibraryThatDoesNotStart");
  run_case("AnIncompleteVersionIsPassedOver");
}

}  // namespace
}  // namespace ab::test
