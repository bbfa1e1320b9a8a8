// SPDX-License-Identifier: MIT
// What holds of every product whatever computes it: rules of calls, invariances, declines (docs/numerics.md 1, 3, 13.1).
#include "ops/gemm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "support/data.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

constexpr double quiet = std::numeric_limits<double>::quiet_NaN();
constexpr double endless = std::numeric_limits<double>::infinity();
const double payload = double_of(0x7FF4000000000BAD);

std::string run_against_judge(const Call& call, const ops::Choices& choices, Way way = Way::Resident) {
  return difference_of_run(call, judge(call, choices.precision), run_call(context_of(), call, way, choices), choices);
}

Call drawn(std::string_view family, const Shape& shape, Type type, std::uint64_t start, std::function<void(Matrices&)> edit = {}) {
  Random random(start);
  Recipe recipe;
  recipe.family = family, recipe.shape = shape, recipe.type = type, recipe.transb = Op::Transpose, recipe.edit = std::move(edit);
  return make_call(recipe, random);
}

// ---- invariances

Ran run_transposed(const Call& call, const ops::Choices& choices) {
  const ResidentCall resident(context_of(), call);
  ops::Product product = resident.product();
  std::swap(product.left, product.right);
  std::swap(product.c.rows, product.c.columns);
  std::swap(product.c.row_stride, product.c.column_stride);
  const Outcome outcome = ops::multiply(context_of(), product, choices);
  Ran ran = resident.read_back();
  ran.outcome = outcome;
  return ran;
}

TEST(Gemm, TransposedProductsHaveTheSameBitsAndReports) {
  Random random(5);
  for (const std::string_view family : data_families) {
    for (const Type type : {Type::Real, Type::Complex}) {
      for (const Op transa : {Op::None, Op::ConjugateTranspose}) {
        Recipe recipe;
        recipe.family = family, recipe.shape = {3, 5, 19}, recipe.type = type, recipe.transa = transa;
        recipe.alpha = {-1.25, 0}, recipe.beta = {0.75, 0};
        const Call call = make_call(recipe, random);
        for (const Precision precision : {Precision::Fast, Precision::Fp64, Precision::Strict}) {
          const Ran straight = run_call(context_of(), call, Way::Resident, choices_for(precision));
          const Ran transposed = run_transposed(call, choices_for(precision));
          EXPECT_EQ(difference(call, straight.c, transposed.c), "") << family << " " << word_of(precision);
          EXPECT_EQ(difference_of_reports(straight.outcome.report, transposed.outcome.report), "") << family << " " << word_of(precision);
        }
      }
    }
  }
}

TEST(Gemm, TransposedIeeeProductsHaveTheSameBits) {
  const Call call = drawn("uniform", {4, 3, 9}, Type::Complex, 6, [](Matrices& x) { x.at_a(1, 2) = endless; });
  const Ran straight = run_call(context_of(), call, Way::Resident, choices_for(Precision::Fp64));
  ASSERT_EQ(straight.outcome.report.scheme, Scheme::Ieee);
  EXPECT_EQ(difference(call, straight.c, run_transposed(call, choices_for(Precision::Fp64)).c), "");
}

TEST(Gemm, PowersOfTwoOfRowsAndColumnsPassThrough) {
  constexpr std::array<int, 4> rows = {-310, 300, 0, 17}, columns = {299, -200, 1, -7};
  const auto scaled = [&](Matrices& x) {
    for (Index l = 0; l < x.k; ++l) {
      for (int p = 0; p < x.parts; ++p) {
        for (Index i = 0; i < x.m; ++i) x.at_a(i, l, p) = std::ldexp(x.at_a(i, l, p), rows[static_cast<std::size_t>(i)]);
        for (Index j = 0; j < x.n; ++j) x.at_b(l, j, p) = std::ldexp(x.at_b(l, j, p), columns[static_cast<std::size_t>(j)]);
      }
    }
  };
  for (const std::string_view family : {"uniform", "normal", "checkerboard", "opposed", "cancel"}) {
    for (const Type type : {Type::Real, Type::Complex}) {
      const Call plain = drawn(family, {4, 4, 40}, type, 7), powers = drawn(family, {4, 4, 40}, type, 7, scaled);
      for (const Precision precision : device_classes) {
        const Ran one = run_call(context_of(), plain, Way::Adopted, choices_for(precision));
        const Ran other = run_call(context_of(), powers, Way::Adopted, choices_for(precision));
        EXPECT_EQ(difference_of_reports(one.outcome.report, other.outcome.report), "") << family;
        std::vector<double> expected = one.c;
        for (Index j = 0; j < 4; ++j) {
          for (std::size_t w = 0; w < static_cast<std::size_t>(4 * plain.parts()); ++w) {
            double& word = expected[plain.at(0, j) + w];
            word = std::ldexp(word, rows[w / static_cast<std::size_t>(plain.parts())] + columns[static_cast<std::size_t>(j)]);
          }
        }
        EXPECT_EQ(difference(plain, expected, other.c), "") << family << " " << word_of(precision);
      }
    }
  }
}

TEST(Gemm, ColumnsAloneHaveTheBitsOfTheWholeUnderTheSamePlan) {
  int compared = 0;
  for (const std::string_view family : data_families) {
    for (const Type type : {Type::Real, Type::Complex}) {
      const Call whole = drawn(family, {3, 5, 33}, type, 8);
      for (const Precision precision : device_classes) {
        const Ran all = run_call(context_of(), whole, Way::Adopted, choices_for(precision));
        for (Index j = 0; j < whole.n; ++j) {  // B is stored transposed: column j of op(B) is row j
          Call part = whole;
          part.n = 1;
          part.b.erase(part.b.begin(), part.b.begin() + j * part.parts());
          part.b.resize(whole.b.size());
          part.c.assign(whole.c.begin() + static_cast<std::ptrdiff_t>(whole.at(0, j)),
                        whole.c.begin() + static_cast<std::ptrdiff_t>(whole.at(0, j + 1)));
          const Ran one = run_call(context_of(), part, Way::Adopted, choices_for(precision));
          const Report a = judge(whole, precision).report, b = judge(part, precision).report;
          if (a.path != b.path || a.form != b.form || a.budget != b.budget || a.kappa + b.kappa > 0) continue;
          ++compared;
          const std::vector<double> expected(all.c.begin() + static_cast<std::ptrdiff_t>(whole.at(0, j)),
                                             all.c.begin() + static_cast<std::ptrdiff_t>(whole.at(0, j + 1)));
          EXPECT_EQ(difference(part, expected, one.c), "") << family << " " << word_of(precision);
        }
      }
    }
  }
  EXPECT_GT(compared, 500);
}

// ---- rules of calls

TEST(Gemm, CIsNotReadWhenBetaIsZero) {
  for (const double beta : {0.0, -0.0}) {
    for (const Type type : {Type::Real, Type::Complex}) {
      Call call = drawn("uniform", {3, 4, 5}, type, 9);
      call.beta = {beta, 0};
      std::fill(call.c.begin(), call.c.end(), payload);
      for (const Precision precision : device_classes) {
        for (const Way way : all_ways) EXPECT_EQ(run_against_judge(call, choices_for(precision), way), "");
        const Ran ran = run_call(context_of(), call, Way::Adopted, choices_for(precision));
        for (const double word : ran.c) EXPECT_TRUE(std::isfinite(word));
      }
    }
  }
}

TEST(Gemm, OperandsAreNotReadWhenAlphaIsZeroOrThereIsNothingToSum) {
  for (const double beta : {0.0, 1.0, -2.5}) {
    for (const bool empty : {false, true}) {
      Call call = drawn("uniform", {3, 4, empty ? 0 : 5}, Type::Complex, 10);
      std::fill(call.a.begin(), call.a.end(), quiet);
      std::fill(call.b.begin(), call.b.end(), endless);
      call.alpha = {empty ? 1.0 : -0.0, 0}, call.beta = {beta, 0};
      call.c[3] = payload;
      for (const Way way : all_ways) {
        const Ran ran = run_call(context_of(), call, way, choices_for(Precision::Fp64));
        EXPECT_EQ(difference(call, judge(call, Precision::Fp64).c, ran.c), "");
        EXPECT_EQ(ran.outcome.report.scheme, Scheme::Trivial);
        EXPECT_EQ(ran.outcome.report.bound, 0);
        EXPECT_EQ(word_of(ran.c[3]), beta == 0 ? 0 : beta == 1.0 ? word_of(payload) : nan_word);
      }
    }
  }
}

TEST(Gemm, SpecialScalarsAndEntriesGiveWhatIeeeGives) {
  for (const double value : {quiet, payload, endless, -endless, -0.0, 0x1p-1074, 0x1p1023, double_of(0xFFF8000000000001)}) {
    for (const Type type : {Type::Real, Type::Complex}) {
      for (int place = 0; place < 5; ++place) {
        Call call = drawn("small", {3, 3, 6}, type, 11);
        call.beta = {0.5, 0};
        if (place == 0) call.a[2] = value;
        if (place == 1) call.b[call.b.size() - 1] = value;
        if (place == 2) call.c[1] = value;
        if (place == 3) call.alpha = {value, 0};
        if (place == 4) call.beta = {value, 0};
        for (const Precision precision : device_classes)
          EXPECT_EQ(run_against_judge(call, choices_for(precision)), "") << value << " at " << place;
      }
    }
  }
}

TEST(Gemm, SignsOfZeros) {  // an exact zero is +0, a tiny negative number -0, a product by a negative alpha -0
  Call call;
  call.name = "zeros", call.m = 1, call.n = 1, call.k = 2, call.ldb = 2;
  call.a = {1.0, 1.0}, call.b = {3.0, -3.0}, call.c = {quiet};
  const auto result = [&] { return word_of(run_call(context_of(), call, Way::Adopted, choices_for(Precision::Fp64)).c[0]); };
  EXPECT_EQ(result(), 0u);
  call.alpha = {-1, 0};
  EXPECT_EQ(result(), sign_bit);
  call.alpha = {1, 0};
  call.a = {0x1p-600, 0}, call.b = {-0x1p-600, 0x1p-600};
  EXPECT_EQ(result(), sign_bit);
  call.beta = {1, 0}, call.c = {-0.0};
  EXPECT_EQ(result(), sign_bit);
  call.c = {0.0};
  EXPECT_EQ(result(), 0u);
}

TEST(Gemm, EmptyResultsAreDoneAtOnce) {
  for (const Shape& shape : {Shape{0, 3, 4}, Shape{3, 0, 4}, Shape{0, 0, 0}}) {
    Call call;
    call.m = shape.m, call.n = shape.n, call.k = shape.k, call.lda = 3, call.ldb = 4, call.ldc = 3, call.beta = {2, 0};
    call.a.assign(12, 1.0), call.b.assign(12, 1.0), call.c.assign(9, payload);
    for (const Way way : all_ways) {
      const Ran ran = run_call(context_of(), call, way, choices_for(Precision::Fp64));
      EXPECT_EQ(difference(call, call.c, ran.c), "");
      EXPECT_EQ(ran.outcome.report.scheme, Scheme::Trivial);
      EXPECT_FALSE(ran.outcome.declined);
    }
  }
}

// ---- views

TEST(Gemm, PartsMayLieInMatricesOfTheirOwnInRowMajorOrder) {
  const Call call = drawn("normal", {3, 4, 20}, Type::Complex, 12);  // B is stored transposed
  const Verdict verdict = judge(call, Precision::Fp64);
  ops::Context& context = context_of();
  const auto memory_of = [&](const std::vector<double>& values, std::size_t part) {
    std::vector<double> own;
    for (std::size_t at = part; at < values.size(); at += 2) own.push_back(values[at]);
    auto memory = context.device().allocate(own.size() * 8);
    context.queue().write(*memory, 0, std::as_bytes(std::span(own)));
    return memory;
  };
  const auto ar = memory_of(call.a, 0), ai = memory_of(call.a, 1), br = memory_of(call.b, 0), bi = memory_of(call.b, 1);
  const auto cr = memory_of(call.c, 0), ci = memory_of(call.c, 1);
  ops::Product product;  // C^T = (A B)^T, so that everything is row-major
  product.left = {{{{ar.get(), 0}, {ai.get(), 0}}}, 2, call.m, call.k, 1, call.lda, false, false};
  product.right = {{{{br.get(), 0}, {bi.get(), 0}}}, 2, call.n, call.k, 1, call.ldb, false, false};
  product.c = {{{{cr.get(), 0}, {ci.get(), 0}}}, 2, call.m, call.n, 1, call.ldc};
  const Outcome outcome = ops::multiply(context, product, choices_for(Precision::Fp64));
  EXPECT_EQ(difference_of_reports(expected_report(verdict.report, Precision::Fp64, ModuliFamily::Int8), outcome.report), "");
  std::vector<double> re(call.c.size() / 2), im(call.c.size() / 2);
  context.queue().read(*cr, 0, std::as_writable_bytes(std::span(re)));
  context.queue().read(*ci, 0, std::as_writable_bytes(std::span(im)));
  for (std::size_t at = 0; at < re.size(); ++at) {
    EXPECT_EQ(word_of(re[at]), word_of(verdict.c[2 * at]));
    EXPECT_EQ(word_of(im[at]), word_of(verdict.c[2 * at + 1]));
  }
}

TEST(Gemm, NegatedRealViewsNegateOnEveryPath) {
  for (const double entry : {1.0, 0x1p200, endless}) {
    const Call call = drawn("uniform", {3, 3, 7}, Type::Real, 13, [&](Matrices& x) { x.at_a(0, 0) *= entry; });
    Call negated = call;
    for (double& x : negated.a) x = -x;
    for (const Precision precision : device_classes) {
      const ResidentCall resident(context_of(), call);
      ops::Product product = resident.product();
      product.left.negate = true;
      ops::multiply(context_of(), product, choices_for(precision));
      EXPECT_EQ(difference(call, judge(negated, precision).c, resident.read_back().c), "") << word_of(precision) << " " << entry;
    }
  }
}

// ---- declines

TEST(Gemm, SpecialDataIsDeclinedOnRequestWithCUntouched) {
  const auto spoil = [](double value) { return [value](Matrices& x) { x.at_a(0, 0) = value; }; };
  const Call nonfinite = drawn("uniform", {2, 2, 6}, Type::Real, 14, spoil(quiet));
  const Call range = drawn("uniform", {2, 2, 6}, Type::Real, 14, spoil(0x1p150));
  const Call uncertified = drawn("wide", {6, 6, 8}, Type::Real, 14);
  const auto reason_of = [](const Call& call, Precision precision, Way way) {
    ops::Choices choices = choices_for(precision);
    choices.may_decline = true;
    const Ran ran = run_call(context_of(), call, way, choices);
    EXPECT_EQ(difference(call, call.c, ran.c), "");
    return ran.outcome.declined ? ran.outcome.declined->reason : Reason::None;
  };
  for (const Way way : all_ways) {
    for (const Precision precision : device_classes) EXPECT_EQ(reason_of(nonfinite, precision, way), Reason::Nonfinite);
    EXPECT_EQ(reason_of(range, Precision::DoubleFloat, way), Reason::Range);
    EXPECT_EQ(reason_of(uncertified, Precision::Strict, way), Reason::Uncertified);
  }
}

TEST(Gemm, MoreThanTheCapIsDeclinedWithCUntouched) {
  const Call call = drawn("uniform", {3, 3, 6}, Type::Real, 15);
  for (const Precision precision : device_classes) {
    for (const Way way : all_ways) {
      ops::Choices choices = choices_for(precision);
      choices.cap_bytes = 0;
      const Ran ran = run_call(context_of(), call, way, choices);
      ASSERT_TRUE(ran.outcome.declined);
      EXPECT_EQ(ran.outcome.declined->reason, Reason::MemoryCap);
      EXPECT_EQ(difference(call, call.c, ran.c), "");
      choices.may_exceed_cap = true;
      EXPECT_EQ(run_against_judge(call, choices, way), "");
    }
  }
}

TEST(Gemm, AFamilyWithoutKernelsIsDeclinedWithCUntouched) {
  const Call call = drawn("uniform", {3, 3, 70}, Type::Real, 18);
  for (const Way way : all_ways) {
    const Ran ran = run_call(context_of(), call, way, choices_for(Precision::Fp64, ModuliFamily::Eleven));
    ASSERT_TRUE(ran.outcome.declined);
    EXPECT_EQ(ran.outcome.declined->reason, Reason::KernelMissing);
    EXPECT_EQ(difference(call, call.c, ran.c), "");
  }
}

TEST(Gemm, SizesBeyondWhatKernelsCountAreDeclined) {  // strides of 0: no memory is needed to ask
  const Call call = drawn("uniform", {1, 1, 1}, Type::Real, 16);
  constexpr Index too_many = (Index{1} << 32) + 1;  // 1 in 32 bits
  for (int which = 0; which < 4; ++which) {
    for (const double alpha : {1.0, 0.0}) {
      const ResidentCall resident(context_of(), call);
      ops::Product product = resident.product();
      product.alpha = {alpha, 0}, product.beta = {2, 0};
      product.left.vector_stride = product.left.inner_stride = product.right.vector_stride = product.right.inner_stride = 0;
      product.c.row_stride = product.c.column_stride = 0;
      if (which == 0) product.left.vectors = product.c.rows = too_many;
      if (which == 1) product.right.vectors = product.c.columns = too_many;
      if (which == 2) product.left.inner = product.right.inner = too_many;
      if (which == 3) product.left.vectors = product.c.rows = product.right.vectors = product.c.columns = Index{1} << 20;
      if (which == 2 && alpha == 0.0) continue;  // a trivial product has no inner dimension
      const Outcome outcome = ops::multiply(context_of(), product, choices_for(Precision::Fp64));
      ASSERT_TRUE(outcome.declined) << which;
      EXPECT_EQ(outcome.declined->reason, Reason::SizeLimit);
      EXPECT_EQ(difference(call, call.c, resident.read_back().c), "");
    }
  }
}

TEST(Gemm, SumsOfMoreThanTwoToThe31TermsAreNotTheDevicesWhenAnotherMayServe) {
  const Call call = drawn("uniform", {1, 1, 1}, Type::Real, 17);
  const ResidentCall resident(context_of(), call);
  ops::Product product = resident.product();
  product.left.inner_stride = product.right.inner_stride = 0;
  product.left.inner = product.right.inner = Index{1} << 31;
  ops::Choices choices = choices_for(Precision::Fp64);
  choices.may_decline = true;
  const Outcome outcome = ops::multiply(context_of(), product, choices);
  ASSERT_TRUE(outcome.declined);
  EXPECT_EQ(outcome.declined->reason, Reason::SizeLimit);
}

}  // namespace
}  // namespace ab::test
