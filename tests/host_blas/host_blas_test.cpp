// SPDX-License-Identifier: MIT
// How the host BLAS is called: through the caller's interface, with every argument, and marked as inside it.
#include "host_blas/host_blas.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "core/thread_state.hpp"
#include "host_blas/fake_blas.h"
#include "report/run_self.hpp"

namespace ab::host_blas {
namespace {

struct Fake {
  Library library;
  const fake_call* (*last_call)() = nullptr;
  void (*set_hook)(void (*)()) = nullptr;
};

Fake open_fake(const char* name) {
  const std::string file = std::string(AB_FAKES) + "/fake_blas_" + name + ".so";
  std::vector<std::string> complaints;
  Fake fake;
  fake.library = find(file, complaints).value();
  void* handle = dlopen(file.c_str(), RTLD_NOW);
  fake.last_call = reinterpret_cast<const fake_call* (*)()>(dlsym(handle, "fake_last_call"));
  fake.set_hook = reinterpret_cast<void (*)(void (*)())>(dlsym(handle, "fake_set_hook"));
  return fake;
}

template <Scalar T>
const Routine& gemm_of() {
  return *find_routine(std::same_as<T, double> ? "dgemm" : "zgemm");
}

template <Scalar T>
struct Operands {
  T a[1], b[1], c[15];  // c: of a batch of three, 7 apart
  GemmProblem<T> problem() { return {2, 3, 4, T(5), {a, 10, Op::Transpose}, {b, 20, Op::ConjugateTranspose}, T(6), {c, 30}}; }
};

template <Scalar T>
void expect_arguments(const fake_call& call, const Operands<T>& operands) {
  EXPECT_EQ(call.sizes[0], 2);
  EXPECT_EQ(call.sizes[1], 3);
  EXPECT_EQ(call.sizes[2], 4);
  EXPECT_EQ(call.strides[0], 10);
  EXPECT_EQ(call.strides[1], 20);
  EXPECT_EQ(call.strides[2], 30);
  EXPECT_EQ(call.alpha, 5);
  EXPECT_EQ(call.beta, 6);
  EXPECT_EQ(call.a, operands.a);
  EXPECT_EQ(call.b, operands.b);
  EXPECT_EQ(call.c, operands.c);
}

template <Scalar T>
void expect_fortran(const Fake& fake, Interface interface, const char* name) {
  Operands<T> operands;
  call(fake.library, gemm_of<T>(), operands.problem(), {interface}, thread_state());
  const fake_call& call = *fake.last_call();
  EXPECT_STREQ(call.name, name);
  expect_arguments(call, operands);
  EXPECT_EQ(call.letters[0], 'T');
  EXPECT_EQ(call.letters[1], 'C');
  EXPECT_EQ(call.lengths[0], 1u);  // hidden string lengths
  EXPECT_EQ(call.lengths[1], 1u);
}

template <Scalar T>
void expect_cblas(const Fake& fake, const char* name) {
  Operands<T> operands;
  call(fake.library, gemm_of<T>(), operands.problem(), {Interface::Cblas}, thread_state());
  const fake_call& call = *fake.last_call();
  EXPECT_STREQ(call.name, name);
  expect_arguments(call, operands);
  EXPECT_EQ(call.order, 102);
  EXPECT_EQ(call.transposes[0], 112);
  EXPECT_EQ(call.transposes[1], 113);
}

TEST(HostBlas, TheSameInterfaceBehind) {
  const Fake fake = open_fake("full");
  expect_fortran<double>(fake, Interface::Fortran, "dgemm_");
  expect_fortran<Complex>(fake, Interface::Fortran, "zgemm_");
  expect_cblas<double>(fake, "cblas_dgemm");
  expect_cblas<Complex>(fake, "cblas_zgemm");
}

TEST(HostBlas, FortranServesCblasWhereThereIsNone) {
  const Fake fake = open_fake("fortran");
  expect_fortran<double>(fake, Interface::Cblas, "dgemm_");
  expect_fortran<Complex>(fake, Interface::Cblas, "zgemm_");
}

TEST(HostBlas, TheThreadIsMarkedWhileItRunsAndAsBeforeAfterwards) {
  const Fake fake = open_fake("full");
  static int marked;
  marked = 0;
  fake.set_hook([] { marked += thread_state().inside_host_blas ? 1 : 100; });
  for (const bool before : {false, true}) {
    thread_state().inside_host_blas = before;
    Operands<double> operands;
    call(fake.library, gemm_of<double>(), operands.problem(), {Interface::Fortran}, thread_state());
    call(fake.library, gemm_of<double>(), operands.problem(), {Interface::Cblas}, thread_state());
    EXPECT_EQ(thread_state().inside_host_blas, before);
  }
  EXPECT_EQ(marked, 4);
  fake.set_hook(nullptr);
  thread_state() = {};
}

constexpr Convention wide{Interface::Fortran, Integers::Bits64}, wide_cblas{Interface::Cblas, Integers::Bits64};

TEST(HostBlas, WideCallsGoToWideNamesAndElseToNarrowOnesWhereAllSizesFit) {
  const Fake both = open_fake("both"), narrow = open_fake("full");
  Operands<double> operands;
  GemmProblem<double> problem = operands.problem();
  const auto name = [&](const Fake& fake, Convention convention) {
    call(fake.library, gemm_of<double>(), problem, convention, thread_state());
    return std::string(fake.last_call()->name);
  };
  EXPECT_EQ(name(both, wide), "dgemm_64_");
  expect_arguments(*both.last_call(), operands);
  EXPECT_EQ(name(both, wide_cblas), "cblas_dgemm64_");
  EXPECT_EQ(name(narrow, wide), "dgemm_");
  EXPECT_EQ(name(narrow, wide_cblas), "cblas_dgemm");
  expect_arguments(*narrow.last_call(), operands);
  for (const Index huge : {Index{INT32_MAX}, Index{INT32_MAX} + 1}) {
    problem = operands.problem();
    problem.b.ld = huge;
    EXPECT_EQ(serves(narrow.library, gemm_of<double>(), problem, wide), huge <= INT32_MAX);
    EXPECT_TRUE(serves(both.library, gemm_of<double>(), problem, wide));
  }
}

TEST(HostBlas, WhatGemmCanDoItDoes) {
  const Fake fake = open_fake("full");
  Operands<double> operands;
  const GemmProblem<double> problem = operands.problem();
  for (const char* routine : {"dgemmt", "dgemm_batch", "dgemm_batch_strided"}) {
    EXPECT_TRUE(serves(fake.library, *find_routine(routine), problem, {})) << routine;
  }
  EXPECT_TRUE(serves(fake.library, *find_routine("zgemm3m"), Operands<Complex>().problem(), {}));
  EXPECT_FALSE(serves(fake.library, *find_routine("dsyrk"), problem, {}));
  GemmBatch<double> batch{problem, 3};
  batch.stride_c = 7;
  call(fake.library, *find_routine("dgemm_batch_strided"), batch, {}, thread_state());
  EXPECT_STREQ(fake.last_call()->name, "dgemm_");
  EXPECT_EQ(fake.last_call()->c, operands.c + 14);
}

TEST(HostBlas, BatchesGoWholeWhereThereAreSuch) {
  const Fake fake = open_fake("both");
  Operands<double> operands;
  const double* a[2] = {operands.a, operands.a};
  double* c[2] = {operands.c, operands.c};
  GemmBatch<double> batch{operands.problem(), 2, a, a, c};
  call(fake.library, *find_routine("dgemm_batch"), batch, {Interface::Cblas}, thread_state());
  EXPECT_STREQ(fake.last_call()->name, "dgemm_batch_");
  EXPECT_EQ(fake.last_call()->a, a);
  EXPECT_EQ(fake.last_call()->c, c);
  EXPECT_EQ(fake.last_call()->sizes[0], 2);
  EXPECT_EQ(fake.last_call()->transposes[0], 1);  // groups
  EXPECT_EQ(fake.last_call()->transposes[1], 2);  // products
}

TEST(Inner, DISABLED_UsesTheFileOfTheEnvironment) {
  ASSERT_NE(library(), nullptr);
  EXPECT_EQ(library()->file, "fake_blas_full.so");
  EXPECT_EQ(library(), library());
}

TEST(Inner, DISABLED_WarnsOnce) {
  library();
  library();
}

TEST(HostBlas, TheEnvironmentNamesIt) {
  const std::string file = std::string(AB_FAKES) + "/fake_blas_full.so";
  EXPECT_EQ(ab::test::run_self("Inner.DISABLED_UsesTheFileOfTheEnvironment", {{"AB_HOST_BLAS", file}}).exit_status, 0);
}

TEST(HostBlas, ABadFileOfTheEnvironmentIsOneWarning) {
  const ab::test::Ended ended = ab::test::run_self("Inner.DISABLED_WarnsOnce", {{"AB_HOST_BLAS", "/nonexistent.so"}});
  EXPECT_EQ(ended.exit_status, 0);
  EXPECT_EQ(ended.errors.find("apple-bottom: AB_HOST_BLAS=\"/nonexistent.so\""), 0u) << ended.errors;
  EXPECT_EQ(ended.errors.find('\n'), ended.errors.size() - 1) << ended.errors;
}

}  // namespace
}  // namespace ab::host_blas
