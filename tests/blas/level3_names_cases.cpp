// SPDX-License-Identifier: MIT
// Every exported name of every level-3 routine, with all letters, both storage orders and both widths of integers, where nothing below can
// serve: so the plain loops give the results, and every argument must have gone to its place.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "blas/faked_layers.hpp"
#include "core/thread_state.hpp"
#include "support/level3_call.hpp"
#include "support/random.hpp"

namespace ab::blas {
namespace {

using test::faked;
using test::Layout;
using test::Level3Call;
using test::Name;

class Level3NamesTest : public testing::Test {
 protected:
  void SetUp() override {
    test::reset();
    faked().has_host_blas = false;
    faked().host_memory_gone = true;
    faked().settings.mode = Mode::Gpu;
    faked().settings.min_gpu_dim = 0;
  }
};

bool is_batch(const Routine& routine) {
  return routine.family == Family::GemmBatch || routine.family == Family::GemmBatchStrided;
}

TEST_F(Level3NamesTest, ComputeWhatTheyAreTold) {
  test::Random random(1);
  const test::Draw draw = [&random](Index n) { return static_cast<Index>(random.below(static_cast<std::uint64_t>(n))); };
  const std::pair<Name, Layout> forms[] = {
      {Name::Fortran, Layout::Columns}, {Name::Fortran64, Layout::Columns},         {Name::Cblas, Layout::Columns},
      {Name::Cblas, Layout::Rows},      {Name::CblasUnderscore64, Layout::Columns}, {Name::Cblas64, Layout::Rows}};
  for (const Routine& routine : routines) {
    if (is_batch(routine)) continue;
    for (const test::Letters& letters : test::letters_of(routine)) {
      for (const auto& [name, layout] : forms) {
        for (const test::Sizes3& sizes : {test::Sizes3{3, 4, 2}, {1, 1, 1}, {5, 2, 7}, {draw(4), draw(4), draw(4)}}) {
          Level3Call call = draw_call(routine, layout, letters, sizes, draw);
          ASSERT_TRUE(invoke(call, name)) << routine.name;
          ASSERT_EQ(difference(call), "");
        }
      }
    }
  }
}

TEST_F(Level3NamesTest, GemmtrIsGemmt) {
  for (const char* name : {"dgemmtr_", "zgemmtr_64_", "cblas_dgemmtr", "cblas_zgemmtr64_", "cblas_zgemmtr_64"}) {
    EXPECT_NE(dlsym(RTLD_DEFAULT, name), nullptr) << name;
  }
}

// A call is one product in every count and record, with the routine's own name.
TEST_F(Level3NamesTest, TheRoutineIsRoutedAndDisabledByItsName) {
  test::Random random(2);
  const test::Draw draw = [&random](Index n) { return static_cast<Index>(random.below(static_cast<std::uint64_t>(n))); };
  faked().has_host_blas = true;
  faked().host_memory_gone = false;
  for (const Routine& routine : routines) {
    if (is_batch(routine)) continue;
    Level3Call call = draw_call(routine, Layout::Columns, test::letters_of(routine)[0], {3, 4, 2}, draw);
    while (call.alpha == 0.0) call = draw_call(routine, Layout::Columns, test::letters_of(routine)[0], {3, 4, 2}, draw);
    faked().settings.disabled.clear();
    invoke(call, Name::Fortran);
    EXPECT_EQ(thread_state().last_product.route_reason, Reason::ModeGpu) << routine.name;
    EXPECT_EQ(faked().device_calls.size(), 1u) << routine.name;
    faked().device_calls.clear();
    faked().settings.disabled = {std::string(routine.name)};
    invoke(call, Name::Cblas64);
    EXPECT_EQ(thread_state().last_product.route_reason, Reason::Disabled) << routine.name;
    EXPECT_EQ(faked().host_routine, routine.name);
    EXPECT_EQ(faked().host_interface, host_blas::Interface::Cblas);
    EXPECT_EQ(faked().host_integers, host_blas::Integers::Bits64);
    faked().host_lacks = routine.name;  // then there is no host BLAS for it
    invoke(call, Name::Fortran);
    EXPECT_EQ(faked().device_calls, (std::vector{0})) << routine.name;
    faked().host_lacks = {};
    faked().device_calls.clear();
  }
}

// The shape that AB_MIN_GPU_DIM and tables see: (n,n,k), (n,n,2k), or (m,n) with the order of the special factor.
TEST_F(Level3NamesTest, TheShapeOfARoutine) {
  test::Random random(3);
  const test::Draw draw = [&random](Index n) { return static_cast<Index>(random.below(static_cast<std::uint64_t>(n))); };
  faked().has_host_blas = true;
  faked().host_memory_gone = false;
  const struct {
    const char* routine;
    Side side;
    Index smallest;  // min(m, n, k) of m = 5, n = 7, k = 3
  } rows[] = {{"dgemm", Side::Left, 3},  {"dgemmt", Side::Left, 3}, {"dsyrk", Side::Left, 3},  {"zherk", Side::Left, 3},
              {"dsyr2k", Side::Left, 6}, {"zher2k", Side::Left, 6}, {"dsymm", Side::Left, 5},  {"zhemm", Side::Right, 5},
              {"dtrsm", Side::Left, 5},  {"dtrsm", Side::Right, 5}, {"ztrmm", Side::Right, 5}, {"zgemm3m", Side::Left, 3}};
  for (const auto& [routine, side, smallest] : rows) {
    for (const Index floor : {smallest - 1, smallest}) {
      faked().settings.min_gpu_dim = floor;
      Level3Call call;
      do {
        call = draw_call(*find_routine(routine), Layout::Columns, {.side = side}, {5, 7, 3}, draw);
      } while (call.alpha == 0.0);
      invoke(call, Name::Fortran);
      EXPECT_EQ(thread_state().last_product.route_reason, floor < smallest ? Reason::ModeGpu : Reason::BelowMinDim) << routine << floor;
    }
  }
}

}  // namespace
}  // namespace ab::blas
