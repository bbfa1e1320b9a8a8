// SPDX-License-Identifier: MIT
// Prepared operands behind handles: kept from product to product, gone with the contents they were made of.
#include <atomic>
#include <thread>

#include "capi/matrix.hpp"
#include "handles.hpp"
#include "ops/prepared.hpp"

namespace ab::test {
namespace {

using Values = std::vector<double>;

class PreparedHandles : public Initialized {
 protected:
  static std::uint64_t kept_bytes() { return ops::current_context()->prepared().bytes(); }
};

Values product(const Values& a, const Values& b, int n) {
  Values c(a.size(), 0.0);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) {
        c[static_cast<std::size_t>(i * n + j)] += a[static_cast<std::size_t>(i * n + k)] * b[static_cast<std::size_t>(k * n + j)];
      }
    }
  }
  return c;
}

struct Write {
  const char* name;
  std::function<ABStatus(ABMatrix)> run;
};

// Everything that writes to a matrix; `other` is 4 x 4 and is only read.
std::vector<Write> writes(ABMatrix other, ABMatrix scratch) {
  static const Values data = counted(4, 4, -20.0);
  return {
      {"upload", [](ABMatrix x) { return ab_matrix_upload(x, data.data(), true); }},
      {"add", [=](ABMatrix x) { return ab_matrix_add(x, other, x); }},
      {"sub", [=](ABMatrix x) { return ab_matrix_sub(other, x, x); }},
      {"scale", [](ABMatrix x) { return ab_matrix_scale(-3.0, x); }},
      {"copy", [=](ABMatrix x) { return ab_matrix_copy(other, x); }},
      {"dgemm", [=](ABMatrix x) { return ab_dgemm(other, other, x); }},
      {"dgemm_scaled", [=](ABMatrix x) { return ab_dgemm_scaled(2.0, other, other, 1.0, x); }},
      {"dgemm_scaled without a product", [=](ABMatrix x) { return ab_dgemm_scaled(0.0, other, other, 2.0, x); }},
      {"zgemm, real part", [=](ABMatrix x) { return ab_zgemm(other, other, other, other, x, scratch); }},
      {"zgemm_ex, imaginary part",
       [=](ABMatrix x) { return ab_zgemm_ex(AB_CONJ_TRANS, AB_NO_TRANS, other, other, other, other, scratch, x); }},
      {"zero", [](ABMatrix x) { return ab_matrix_zero(x); }},
  };
}

TEST_F(PreparedHandles, EveryWriteMakesTheNextProductPrepareAgain) {
  const Matrix a(4, 4, counted(4, 4)), b(4, 4, counted(4, 4, 5.0)), c(4, 4), scratch(4, 4), i(4, 4, Values(16, 0.0)), re(4, 4), im(4, 4);
  for (const bool left : {true, false}) {
    const Matrix& written = left ? a : b;
    for (const Write& write : writes(left ? b : a, scratch)) {
      SCOPED_TRACE(write.name);
      for (int before = 0; before < 2; ++before) {
        ASSERT_EQ(ab_dgemm(a, b, c), AB_OK) << ab_last_error();
        ASSERT_EQ(ab_zgemm(i, a, b, i, re, im), AB_OK) << ab_last_error();  // (i a) b
        const Values want = product(a.contents().value(), b.contents().value(), 4);
        EXPECT_EQ(c.contents(), want);
        EXPECT_EQ(re.contents(), Values(16, 0.0));
        EXPECT_EQ(im.contents(), want);
      }
      const std::uint64_t contents = static_cast<ABMatrix>(written)->contents;
      ASSERT_EQ(write.run(written), AB_OK) << ab_last_error();
      EXPECT_NE(static_cast<ABMatrix>(written)->contents, contents);
    }
    ASSERT_EQ(ab_dgemm(a, b, c), AB_OK);
    EXPECT_EQ(c.contents(), product(a.contents().value(), b.contents().value(), 4));
  }
}

TEST_F(PreparedHandles, ReadingKeepsTheContents) {
  const Matrix a(4, 4, counted(4, 4)), b(4, 4), c(4, 4);
  const std::uint64_t contents = static_cast<ABMatrix>(a)->contents;
  EXPECT_TRUE(a.contents());
  ASSERT_EQ(ab_matrix_copy(a, b), AB_OK);
  ASSERT_EQ(ab_matrix_copy(a, a), AB_OK);
  ASSERT_EQ(ab_matrix_add(a, b, b), AB_OK);
  ASSERT_EQ(ab_dgemm(a, a, c), AB_OK);
  EXPECT_EQ(ab_dgemm(a, a, a), AB_ERROR_INVALID_ARG);
  EXPECT_EQ(static_cast<ABMatrix>(a)->contents, contents);
}

TEST_F(PreparedHandles, ReportsAndWordsAreTheSameWhateverIsKept) {
  Values x = counted(4, 4, 0.1), y = counted(4, 4, -7.3);
  const Matrix a(4, 4, x), b(4, 4, y), c(4, 4);
  for (const ABPrecision precision : {AB_PRECISION_DD, AB_PRECISION_FAST, AB_PRECISION_FP64, AB_PRECISION_STRICT}) {
    ASSERT_EQ(ab_set_precision(precision), AB_OK);
    std::optional<Words> first;
    ABProduct first_report = {};
    for (int round = 0; round < 3; ++round) {
      ASSERT_EQ(ab_dgemm(a, b, c), AB_OK);
      ABProduct report = {};
      report.struct_size = sizeof report;
      ASSERT_EQ(ab_last_product(&report), AB_OK);
      if (round == 0) first = c.words(), first_report = report;
      EXPECT_EQ(c.words(), first);
      EXPECT_EQ(report.moduli, first_report.moduli);
      EXPECT_EQ(report.guard, first_report.guard);
      EXPECT_EQ(report.bound, first_report.bound);
    }
  }
  ASSERT_EQ(ab_set_precision(AB_PRECISION_DEFAULT), AB_OK);
}

TEST_F(PreparedHandles, DestructionAndShutdownDropWhatWasKept) {
  const Matrix b(4, 4, counted(4, 4)), c(4, 4);
  std::uint64_t constants = 0;  // of the moduli: they belong to no matrix
  for (int round = 0; round < 2; ++round) {
    std::uint64_t with_a = 0;
    {
      const Matrix a(4, 4, counted(4, 4));
      ASSERT_EQ(ab_dgemm(a, b, c), AB_OK);
      const std::uint64_t with_both = kept_bytes();
      ASSERT_EQ(ab_matrix_zero(b), AB_OK);
      with_a = kept_bytes();
      EXPECT_LT(with_a, with_both);
    }
    if (round == 0) constants = kept_bytes();
    EXPECT_LT(kept_bytes(), with_a);
    EXPECT_EQ(kept_bytes(), constants);
  }
  ASSERT_EQ(ab_dgemm(b, b, c), AB_OK);
  const std::shared_ptr<ops::Context> context = ops::current_context();
  ab_shutdown();
  EXPECT_EQ(context->prepared().bytes(), 0u);
  EXPECT_EQ(ops::memory_use(*context).held_bytes, 0u);
  ASSERT_EQ(ab_init(), AB_OK);
  EXPECT_EQ(kept_bytes(), 0u);
}

TEST_F(PreparedHandles, ThreadsShareAnOperandWhileOthersComeAndGo) {
  const int n = 12;
  const Matrix a(n, n, counted(n, n));
  const Values want = product(counted(n, n), counted(n, n, 3.0), n);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 25; ++round) {
        const Matrix b(n, n, counted(n, n, 3.0)), c(n, n);
        if (ab_dgemm(a, b, c) != AB_OK || c.contents() != want) ++wrong;
        if (t == 0) ops::current_context()->prepared().clear();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace ab::test
