// SPDX-License-Identifier: MIT
// The last resort gives the bits of the IEEE path, as the judge defines them.
#include "blas/plain.hpp"

#include <gtest/gtest.h>

#include "support/data.hpp"
#include "support/reference.hpp"

namespace ab::blas {
namespace {

using ab::test::Call;
using ab::test::Random;
using ab::test::Recipe;
using ab::test::Type;

template <Scalar T>
void compute(Call& call) {
  const auto as = [](const std::vector<double>& values) { return reinterpret_cast<const T*>(values.data()); };
  compute_plainly(GemmProblem<T>{call.m,
                                 call.n,
                                 call.k,
                                 std::same_as<T, double> ? T(call.alpha.real()) : T(*reinterpret_cast<const T*>(&call.alpha)),
                                 {as(call.a), call.lda, call.transa},
                                 {as(call.b), call.ldb, call.transb},
                                 std::same_as<T, double> ? T(call.beta.real()) : T(*reinterpret_cast<const T*>(&call.beta)),
                                 {reinterpret_cast<T*>(call.c.data()), call.ldc}});
}

// One NaN sends the whole call down the judge's IEEE path; entries whose row and column miss it show ordinary bits.
void expect_bits_of_the_ieee_path(const Recipe& recipe, std::uint64_t start) {
  Random random(start);
  Call call = make_call(recipe, random);
  call.a[0] = NAN;
  const std::vector<double> expected = judge(call, Precision::Fp64).c;
  Call computed = call;
  call.type == Type::Real ? compute<double>(computed) : compute<Complex>(computed);
  EXPECT_EQ(ab::test::difference(call, expected, computed.c), "") << recipe.family << ", start " << start;
}

TEST(Plain, HasTheBitsOfTheIeeePath) {
  std::uint64_t start = 1;
  for (const Type type : {Type::Real, Type::Complex}) {
    for (const Op op_a : {Op::None, Op::Transpose, Op::ConjugateTranspose}) {
      for (const Op op_b : {Op::None, Op::Transpose, Op::ConjugateTranspose}) {
        for (const auto& [alpha, beta] : {std::pair<Complex, Complex>{1, 0}, {1, 1}, {{-0.7, 0.3}, {1.1, -2}}, {3, 0}}) {
          Recipe recipe;
          recipe.family = start % 3 == 0 ? "huge" : start % 3 == 1 ? "uniform" : "underflow";
          recipe.shape = {4, 3, 5};
          recipe.type = type;
          recipe.transa = op_a;
          recipe.transb = op_b;
          recipe.alpha = type == Type::Real ? Complex(alpha.real()) : alpha;
          recipe.beta = type == Type::Real ? Complex(beta.real()) : beta;
          recipe.padding = 2;
          expect_bits_of_the_ieee_path(recipe, start++);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ab::blas
