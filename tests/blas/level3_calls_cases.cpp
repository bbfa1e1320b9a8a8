// SPDX-License-Identifier: MIT
// Level-3 routines through the exported names and the whole library, once for each setting of the environment (CMakeLists.txt): every
// choice of letters against reference loops, orders beyond the blocks of a solve, what may be read, and what is counted.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <cstring>

#include "core/problem.hpp"
#include "core/settings.hpp"
#include "core/thread_state.hpp"
#include "report/statistics.hpp"
#include "support/level3_call.hpp"
#include "support/random.hpp"

namespace ab::blas {
namespace {

using test::Layout;
using test::Letters;
using test::Level3Call;
using test::Name;
using test::Sizes3;

bool is_batch(const Routine& routine) {
  return routine.family == Family::GemmBatch || routine.family == Family::GemmBatchStrided;
}

class Level3Calls : public testing::TestWithParam<const Routine*> {
 protected:
  test::Random random_{7};
  test::Draw draw_ = [this](Index n) { return static_cast<Index>(random_.below(static_cast<std::uint64_t>(n))); };

  Level3Call run(const Letters& letters, const Sizes3& sizes) {
    const Name name = draw_(2) == 0 ? Name::Fortran : draw_(2) == 0 ? Name::Cblas : Name::Fortran64;
    const Layout layout = name == Name::Cblas && draw_(2) == 0 ? Layout::Rows : Layout::Columns;
    Level3Call call = draw_call(*GetParam(), layout, letters, sizes, draw_);
    EXPECT_TRUE(invoke(call, name));
    return call;
  }
};

TEST_P(Level3Calls, EveryChoiceOfLettersGivesTheReferenceResult) {
  for (const Letters& letters : test::letters_of(*GetParam())) {
    for (const Sizes3& sizes : {Sizes3{1, 1, 1}, {7, 5, 9}, {17, 33, 1}}) ASSERT_EQ(difference(run(letters, sizes)), "");
  }
}

TEST_P(Level3Calls, ManyShapes) {
  for (int i = 0; i < 60; ++i) {
    Level3Call call = draw_call(*GetParam(), draw_(2) == 0 ? Layout::Rows : Layout::Columns, 12, draw_);
    ASSERT_TRUE(invoke(call, call.layout == Layout::Rows ? Name::Cblas64 : Name::Fortran));
    ASSERT_EQ(difference(call), "");
  }
}

TEST_P(Level3Calls, OrdersBeyondABlock) {
  for (const Letters& letters : test::letters_of(*GetParam())) {
    if (letters.op_b != Op::None) continue;
    const Sizes3 sizes = letters.side == Side::Left ? Sizes3{141, 3, 5} : Sizes3{3, 141, 5};
    ASSERT_EQ(difference(run(letters, sizes)), "");
  }
}

TEST_P(Level3Calls, EveryClassIsExactOnIntegers) {
  for (const Precision precision : {Precision::DoubleFloat, Precision::Fast, Precision::Strict}) {
    thread_state().precision = precision;
    const Letters letters = test::letters_of(*GetParam()).back();
    for (const Sizes3& sizes : {Sizes3{9, 10, 11}, {70, 71, 2}}) ASSERT_EQ(difference(run(letters, sizes)), "");
  }
  thread_state().precision.reset();
}

// One call is one product in the statistics, or none where the host computed it.
TEST_P(Level3Calls, ACallIsCountedOnce) {
  const bool on_device = settings().mode == Mode::Gpu;
  for (const Index size : {20, 100}) {
    report::reset_statistics();
    Level3Call call = run(test::letters_of(*GetParam())[0], {size, size, size});
    while (call.alpha == 0.0) {
      report::reset_statistics();
      call = run(test::letters_of(*GetParam())[0], {size, size, size});
    }
    const auto counts = report::statistics();
    if (on_device) {
      EXPECT_EQ(counts.dgemm_count, GetParam()->complex ? 0u : 1u);
      EXPECT_EQ(counts.zgemm_count, GetParam()->complex ? 1u : 0u);
      EXPECT_EQ(thread_state().last_product.route_reason, Reason::ModeGpu);
      EXPECT_EQ(thread_state().last_product.engine, Engine::Device);
    }
  }
}

std::vector<const Routine*> single_calls() {
  std::vector<const Routine*> out;
  for (const Routine& routine : routines) {
    if (!is_batch(routine)) out.push_back(&routine);
  }
  return out;
}
INSTANTIATE_TEST_SUITE_P(Routines, Level3Calls, testing::ValuesIn(single_calls()),
                         [](const auto& info) { return std::string(info.param->name); });

// ---- what may be read -----------------------------------------------------------------------------------------------

/// A square matrix of ones: every page that holds no entry of its triangle is closed, and so is what follows the last entry.
class Guarded {
 public:
  Guarded(Triangle triangle, Index size, Index parts) : size_(size), parts_(parts) {
    const std::size_t column = ld * word() * static_cast<std::size_t>(parts), bytes = column * static_cast<std::size_t>(size) + page;
    room_ = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    bytes_ = bytes;
    for (Index j = 0; j < size; ++j) {
      const RowRange rows = rows_in(triangle, j, size);
      for (Index i = rows.first; i < rows.last; ++i) data()[(i + j * ld) * parts] = 1;
      const std::size_t first = static_cast<std::size_t>(rows.first * parts) * word(),
                        last = static_cast<std::size_t>(rows.last * parts) * word();
      for (std::size_t at = 0; at < column; at += page) {
        if (at + page <= first || at >= last) mprotect(room_ + static_cast<std::size_t>(j) * column + at, page, PROT_NONE);
      }
    }
    mprotect(room_ + bytes - page, page, PROT_NONE);
  }
  ~Guarded() { munmap(room_, bytes_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  double* data() const { return reinterpret_cast<double*>(room_); }
  double at(Index i, Index j) const { return data()[(i + j * ld) * parts_]; }

  static constexpr Index ld = 1024;  // two pages of doubles

 private:
  static constexpr std::size_t page = 4096;
  static constexpr std::size_t word() { return sizeof(double); }
  Index size_, parts_;
  char* room_;
  std::size_t bytes_;
};

extern "C" {
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*, double*, const int*);
void zherk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*, double*, const int*);
void dsyr2k_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*,
             const double*, double*, const int*);
void dgemmt_(const char*, const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*,
             const int*, const double*, double*, const int*);
void dsymm_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*,
            const double*, double*, const int*);
void dtrmm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*, const int*, double*,
            const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*, const int*, double*,
            const int*);
}

constexpr int n = 700, k = 2, ld = static_cast<int>(Guarded::ld);
constexpr double one = 1;

TEST(UnreferencedTriangles, OfResultsAreNotTouched) {
  const std::vector<double> a(static_cast<std::size_t>(2 * n * k), 1.0);
  for (const auto& [uplo, triangle] : {std::pair{"U", Triangle::Upper}, {"L", Triangle::Lower}}) {
    const Index i = triangle == Triangle::Upper ? 3 : n - 1, j = triangle == Triangle::Upper ? n - 1 : 3;
    for (const double beta : {0.0, 1.0}) {
      const Guarded syrk(triangle, n, 1), syr2k(triangle, n, 1), gemmt(triangle, n, 1), herk(triangle, n, 2);
      dsyrk_(uplo, "N", &n, &k, &one, a.data(), &n, &beta, syrk.data(), &ld);
      EXPECT_EQ(syrk.at(i, j), 2 + beta);
      dsyr2k_(uplo, "N", &n, &k, &one, a.data(), &n, a.data(), &n, &beta, syr2k.data(), &ld);
      EXPECT_EQ(syr2k.at(i, j), 4 + beta);
      dgemmt_(uplo, "N", "T", &n, &k, &one, a.data(), &n, a.data(), &n, &beta, gemmt.data(), &ld);
      EXPECT_EQ(gemmt.at(i, j), 2 + beta);
      zherk_(uplo, "N", &n, &k, &one, a.data(), &n, &beta, herk.data(), &ld);
      EXPECT_EQ(herk.at(i, j), 4 + beta);  // (1 + i)(1 - i) twice
    }
    const Guarded scaled(triangle, n, 1);
    const int none = 0;
    const double two = 2;
    dsyrk_(uplo, "N", &n, &none, &one, nullptr, &n, &two, scaled.data(), &ld);
    EXPECT_EQ(scaled.at(i, j), 2);
  }
}

TEST(UnreferencedTriangles, OfOperandsAreNotTouched) {
  const double zero = 0;
  for (const auto& [uplo, triangle] : {std::pair{"U", Triangle::Upper}, {"L", Triangle::Lower}}) {
    const Guarded a(triangle, n, 1);
    for (Index j = 0; j < n; ++j) a.data()[j + j * Guarded::ld] = 2;
    const std::vector<double> b(static_cast<std::size_t>(n * k), 1.0);
    std::vector<double> c(b.size());
    dsymm_("L", uplo, &n, &k, &one, a.data(), &ld, b.data(), &n, &zero, c.data(), &n);
    EXPECT_EQ(c[0], n + 1);
    for (const char* trans : {"N", "T"}) {
      std::vector<double> x = b;
      dtrmm_("L", uplo, trans, "N", &n, &k, &one, a.data(), &ld, x.data(), &n);
      const bool lower = (triangle == Triangle::Lower) != (*trans == 'T');
      EXPECT_EQ(x[lower ? n - 1 : 0], n + 1);
      EXPECT_EQ(x[lower ? 0 : n - 1], 2);
    }
    std::vector<double> x(b.size(), 2.0);
    dtrsm_("L", uplo, "N", "N", &n, &k, &one, a.data(), &ld, x.data(), &n);
    EXPECT_EQ(x[triangle == Triangle::Lower ? 0 : n - 1], 1);
    EXPECT_EQ(x[triangle == Triangle::Lower ? 1 : n - 2], 0.5);
  }
}

// ---- special values -------------------------------------------------------------------------------------------------

TEST(SpecialValues, ANanOfAReachesItsRowAndColumnAlone) {
  constexpr int order = 5, terms = 3;
  std::vector<double> a(order * terms, 1.0);
  a[2 + order * 1] = NAN;  // row 2
  std::vector<double> c(order * order, 7.0);
  const double zero = 0;
  dsyrk_("L", "N", &order, &terms, &one, a.data(), &order, &zero, c.data(), &order);
  for (int j = 0; j < order; ++j) {
    for (int i = 0; i < order; ++i) {
      const double got = c[static_cast<std::size_t>(i + j * order)];
      if (i < j) {
        EXPECT_EQ(got, 7.0);
      } else if (i == 2 || j == 2) {
        EXPECT_TRUE(std::isnan(got)) << i << j;
      } else {
        EXPECT_EQ(got, 3.0);
      }
    }
  }
}

TEST(SpecialValues, AZeroPivotAndANanStayInTheirColumns) {
  const double a[4] = {0, 1, -7, 2};  // lower: (0; 1 2)
  double b[6] = {3, 1, 0, 0, 4, NAN};
  const int order = 2, sides = 3;
  dtrsm_("L", "L", "N", "N", &order, &sides, &one, a, &order, b, &order);
  EXPECT_TRUE(std::isinf(b[0]));
  EXPECT_TRUE(std::isnan(b[2]));
  EXPECT_TRUE(std::isinf(b[4]));
  EXPECT_TRUE(std::isnan(b[5]));
}

}  // namespace
}  // namespace ab::blas
