// SPDX-License-Identifier: MIT
// Whole results with one launch: the IEEE path, C = beta C and transfers, for every triangle and storage.
#include <gtest/gtest.h>

#include "ops/gemm_steps.hpp"
#include "support/data.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

constexpr std::array<Triangle, 3> triangles = {Triangle::Full, Triangle::Upper, Triangle::Lower};

test::Call square(Triangle triangle, test::Type type, Index order, std::uint64_t start) {
  test::Random random(start);
  test::Recipe recipe;
  recipe.shape = {order, order, 5}, recipe.type = type, recipe.transa = Op::ConjugateTranspose, recipe.padding = 2;
  recipe.alpha = {1.25, 0}, recipe.beta = {-0.5, 0};
  recipe.edit = [](test::Matrices& x) { x.at_a(0, 1) = test::double_of(test::infinity_word); };  // the judge takes the IEEE path
  test::Call call = make_call(recipe, random);
  call.triangle = triangle;
  return call;
}

TEST(Result, TheIeeePathIsTheJudges) {
  for (const Triangle triangle : triangles) {
    for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
      for (const Index order : {1, 7, 64, 67}) {
        const test::Call call = square(triangle, type, order, 41);
        const test::ResidentCall resident(test::context_of(), call);
        multiply_ieee(test::context_of(), resident.product(), {});
        EXPECT_EQ(difference(call, judge(call, Precision::Fp64).c, resident.read_back().c), "");
        EXPECT_TRUE(resident.read_back().others_kept);
      }
    }
  }
}

TEST(Result, ScalingIsTheJudges) {
  for (const Triangle triangle : triangles) {
    for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
      for (const Complex beta : {Complex{0, 0}, Complex{-3, 0}, Complex{0.5, 2}}) {
        test::Call call = square(triangle, type, 66, 42);
        call.alpha = {0, 0}, call.beta = type == test::Type::Real ? Complex{beta.real(), 0} : beta;
        const test::ResidentCall resident(test::context_of(), call);
        scale_result(test::context_of(), resident.product(), {});
        EXPECT_EQ(difference(call, judge(call, Precision::Fp64).c, resident.read_back().c), "");
        EXPECT_TRUE(resident.read_back().others_kept);
      }
    }
  }
}

TEST(Result, HermitianDiagonalsHaveNoImaginaryPart) {
  test::Random random(43);
  test::Recipe recipe;
  recipe.shape = {5, 5, 0}, recipe.type = test::Type::Complex, recipe.kind = test::Kind::Herk, recipe.triangle = Triangle::Upper;
  recipe.beta = {2, 0};
  const test::Call call = make_call(recipe, random);
  const test::Ran ran = run_call(test::context_of(), call, test::Way::Resident, test::choices_for(Precision::Fp64));
  EXPECT_EQ(difference(call, judge(call, Precision::Fp64).c, ran.c), "");
  for (Index i = 0; i < 5; ++i) EXPECT_EQ(test::word_of(ran.c[call.at(i, i) + 1]), 0u);
}

TEST(Result, TransfersMoveTheEntriesOfATriangleBetweenStorages) {
  constexpr Index order = 67;
  Context& context = test::context_of();
  for (const Triangle triangle : triangles) {
    for (const int words : {1, 2}) {
      const test::Call call = square(triangle, words == 1 ? test::Type::Real : test::Type::Complex, order, 44);
      const test::ResidentCall resident(context, call);
      const ResultView c = resident.product().c;
      std::vector<double> zeros(static_cast<std::size_t>(order * order * words), -7.0);
      const Lease rows = upload(context, std::span<const double>(zeros));  // row-major, parts one after the other
      ResultView other = c;
      other.parts = {rows.slice(), rows.slice(static_cast<std::size_t>(order * order) * 8 * (words == 2 ? 1 : 0))};
      other.row_stride = order, other.column_stride = 1;
      transfer(context, c, other, triangle);
      const std::vector<double> moved = download<double>(context, rows, zeros.size());
      for (Index i = 0; i < order; ++i) {
        for (Index j = 0; j < order; ++j) {
          for (int p = 0; p < words; ++p) {
            const double expected = call.stores(i, j) ? call.c[call.at(i, j) + static_cast<std::size_t>(p)] : -7.0;
            ASSERT_EQ(test::word_of(moved[static_cast<std::size_t>(p * order * order + i * order + j)]), test::word_of(expected));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ab::ops
