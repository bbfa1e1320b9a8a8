// SPDX-License-Identifier: MIT
// Routines made of products: the very bits that their definitions give (docs/numerics.md 1.2), errors against exact arithmetic, memory,
// failures.
#include "ops/level3.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>

#include "core/host_arithmetic.hpp"
#include "device/registry.hpp"
#include "ops/expand.hpp"
#include "support/faulty_device.hpp"
#include "support/random.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

using Big = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>>;
using test::context_of;
using test::Random;

void draw(double& x, Random& random) {
  x = random.tail(3);
}
void draw(Complex& x, Random& random) {
  const double re = random.tail(3), im = random.tail(3);
  x = {re, im};
}

template <Scalar T>
std::vector<T> random_matrix(Index rows, Index columns, std::uint64_t start) {
  Random random(start);
  std::vector<T> x(static_cast<std::size_t>(rows * columns));
  for (T& entry : x) draw(entry, random);
  return x;
}

template <Scalar T>
std::vector<T> well_conditioned(Index size, std::uint64_t start) {
  std::vector<T> t = random_matrix<T>(size, size, start);
  for (T& entry : t) entry *= 0.01;
  for (Index i = 0; i < size; ++i) t[static_cast<std::size_t>(i * (size + 1))] += T(2);
  return t;
}

template <Scalar T>
T& at(std::vector<T>& x, Index ld, Index i, Index j) {
  return x[static_cast<std::size_t>(i + j * ld)];
}

template <Scalar T>
std::vector<T> after(GemmProblem<T> problem, std::vector<T> c) {
  problem.c.data = c.data();
  // TRMM and TRSM share their general operand with C.
  if (is_triangular(problem.a.form)) problem.b.data = c.data();
  if (is_triangular(problem.b.form)) problem.a.data = c.data();
  const Outcome outcome = compute(context_of(), problem, test::choices_for(Precision::Fp64));
  EXPECT_FALSE(outcome.declined);
  return c;
}

template <Scalar T>
T scalar(double re, double im) {
  if constexpr (std::same_as<T, double>)
    return re + 0 * im;
  else
    return {re, im};
}

// ---- the bits of the definitions ------------------------------------------------------------------------------------

template <Scalar T>
void expect_expanded_products() {
  constexpr Index m = 37, n = 20;
  const std::vector<T> a = random_matrix<T>(m, m, 1), b = random_matrix<T>(m, n, 2), c = random_matrix<T>(m, n, 3);
  for (const Form form : {Form::Symmetric, Form::Hermitian, Form::Triangular, Form::UnitTriangular}) {
    for (const Triangle stored : {Triangle::Upper, Triangle::Lower}) {
      const bool triangular = is_triangular(form);
      const Op op = !triangular ? Op::None : std::same_as<T, double> ? Op::Transpose : Op::ConjugateTranspose;
      const std::unique_ptr<T[]> full = expand(Operand<T>{a.data(), m, op, form, stored}, m);
      const T alpha = scalar<T>(0.7, -0.2), beta = triangular ? T(0) : scalar<T>(-1.1, 0.4);
      const GemmProblem<T> special{m, n, m, alpha, {a.data(), m, op, form, stored}, {b.data(), m, Op::None}, beta, {nullptr, m}};
      const GemmProblem<T> plain{m, n, m, alpha, {full.get(), m, op}, {b.data(), m, Op::None}, beta, {nullptr, m}};
      EXPECT_EQ(after(special, triangular ? b : c), after(plain, triangular ? b : c)) << static_cast<int>(form);
    }
  }
}

TEST(Level3, SymmetricAndTriangularFactorsAreProductsOfTheWholeMatrix) {
  expect_expanded_products<double>();
  expect_expanded_products<Complex>();
}

template <Scalar T>
void expect_rank_two(bool hermitian) {
  constexpr Index n = 33, k = 21;
  const std::vector<T> a = random_matrix<T>(n, k, 4), b = random_matrix<T>(n, k, 5), c = random_matrix<T>(n, n, 6);
  const Op right = hermitian ? Op::ConjugateTranspose : Op::Transpose;
  const T alpha = scalar<T>(0.3, 0.9), beta = hermitian ? T(-0.6) : scalar<T>(-0.6, 0.1);
  GemmProblem<T> update{
      n, n, k, alpha, {a.data(), n, Op::None}, {b.data(), n, right}, beta, {nullptr, n}, Triangle::Lower, hermitian, Operation::RankTwo};
  GemmProblem<T> product{n, n, k, alpha, {a.data(), n, Op::None}, {b.data(), n, right}, T(0), {nullptr, n}};
  std::vector<T> u = after(product, c), want = c;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      T& entry = at(want, n, i, j);
      const T other = hermitian ? conjugated(at(u, n, j, i)) : at(u, n, j, i);
      const T scaled = hermitian ? multiply_parts(beta, entry) : ab::multiply(beta, entry);
      entry = (at(u, n, i, j) + other) + scaled;
      if (hermitian && i == j) entry = T(std::real(entry));
    }
  }
  EXPECT_EQ(after(update, c), want);
}

TEST(Level3, RankTwoUpdatesAddTheMirrorImageOfOneProduct) {
  expect_rank_two<double>(false);
  expect_rank_two<Complex>(false);
  expect_rank_two<Complex>(true);
}

/// The recursion of the definition by products on host memory; blocks of the order `size` from `first` on.
template <Scalar T>
struct Recursion {
  const std::vector<T>& t;
  Index order;
  bool lower;
  std::vector<T>& x;
  Index sides;

  void substitute(Index first, Index size) const {
    for (Index j = 0; j < sides; ++j) {
      for (Index step = 0; step < size; ++step) {
        const Index i = lower ? first + step : first + size - 1 - step;
        T value = at(x, order, i, j);
        for (Index before = 0; before < step; ++before) {
          const Index k = lower ? first + before : first + size - 1 - before;
          value = subtract_product(value, t[static_cast<std::size_t>(i + k * order)], at(x, order, k, j));
        }
        at(x, order, i, j) = divide(value, t[static_cast<std::size_t>(i * (order + 1))]);
      }
    }
  }
  void solve(Index first, Index size) const {
    if (size <= 64) return substitute(first, size);
    Index known = 64;
    while (2 * known < size) known *= 2;
    const Index rest = size - known, known_first = lower ? first : first + rest, rest_first = lower ? first + known : first;
    solve(known_first, known);
    const GemmProblem<T> product{rest,
                                 sides,
                                 known,
                                 T(-1),
                                 {t.data() + rest_first + known_first * order, order, Op::None},
                                 {x.data() + known_first, order, Op::None},
                                 T(1),
                                 {x.data() + rest_first, order}};
    gemm(context_of(), product, test::choices_for(Precision::Fp64));
    solve(rest_first, rest);
  }
};

template <Scalar T>
void expect_solution(Index order, Triangle stored) {
  constexpr Index sides = 5;
  const std::vector<T> t = well_conditioned<T>(order, 7), b = random_matrix<T>(order, sides, 8);
  const GemmProblem<T> problem{order,
                               sides,
                               order,
                               T(1),
                               {t.data(), order, Op::None, Form::Triangular, stored},
                               {nullptr, order, Op::None},
                               T(0),
                               {nullptr, order},
                               Triangle::Full,
                               false,
                               Operation::Solve};
  std::vector<T> want = b;
  Recursion<T>{t, order, stored == Triangle::Lower, want, sides}.solve(0, order);
  EXPECT_EQ(after(problem, b), want) << order;
}

TEST(Level3, SolvesHaveTheBitsOfTheRecursion) {
  for (const Triangle stored : {Triangle::Upper, Triangle::Lower}) {
    for (const Index order : {1, 64, 65, 130, 200}) {
      expect_solution<double>(order, stored);
      expect_solution<Complex>(order, stored);
    }
  }
}

template <Scalar T>
void expect_sides_agree() {
  constexpr Index order = 70, sides = 4;
  const std::vector<T> t = well_conditioned<T>(order, 9), b = random_matrix<T>(order, sides, 10);
  std::vector<T> turned(b.size());
  for (Index i = 0; i < order; ++i) {
    for (Index j = 0; j < sides; ++j) turned[static_cast<std::size_t>(j + i * sides)] = b[static_cast<std::size_t>(i + j * order)];
  }
  const T alpha = scalar<T>(0.1, 0.7);
  // op(A) X = alpha B, and the transposed equation X^T op(A)^T = alpha B^T with A^T stored as A.
  const GemmProblem<T> left{order,
                            sides,
                            order,
                            alpha,
                            {t.data(), order, Op::None, Form::Triangular, Triangle::Lower},
                            {nullptr, order, Op::None},
                            T(0),
                            {nullptr, order},
                            Triangle::Full,
                            false,
                            Operation::Solve};
  const GemmProblem<T> right{sides,
                             order,
                             order,
                             alpha,
                             {nullptr, sides, Op::None},
                             {t.data(), order, Op::Transpose, Form::Triangular, Triangle::Lower},
                             T(0),
                             {nullptr, sides},
                             Triangle::Full,
                             false,
                             Operation::Solve};
  const std::vector<T> x = after(left, b), y = after(right, turned);
  for (Index i = 0; i < order; ++i) {
    for (Index j = 0; j < sides; ++j) EXPECT_EQ(x[static_cast<std::size_t>(i + j * order)], y[static_cast<std::size_t>(j + i * sides)]);
  }
}

TEST(Level3, TheOtherSideIsTheTransposedEquation) {
  expect_sides_agree<double>();
  expect_sides_agree<Complex>();
}

// ---- errors ---------------------------------------------------------------------------------------------------------

TEST(Level3, TriangularProductsKeepTheBoundOfTheClass) {
  constexpr Index m = 60, n = 3;
  const std::vector<double> a = random_matrix<double>(m, m, 11), b = random_matrix<double>(m, n, 12);
  const GemmProblem<double> problem{
      m, n, m, 1.0, {a.data(), m, Op::Transpose, Form::Triangular, Triangle::Upper}, {b.data(), m, Op::None}, 0.0, {nullptr, m}};
  std::vector<double> c = after(problem, b);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      Big exact = 0, size = 0;
      for (Index k = 0; k <= i; ++k) {
        const Big term = Big(a[static_cast<std::size_t>(k + i * m)]) * b[static_cast<std::size_t>(k + j * m)];
        exact += term;
        size += abs(term);
      }
      EXPECT_LE(static_cast<double>(Big(abs(exact - at(c, m, i, j)) / size)), static_cast<double>(m) * 0x1p-53);
    }
  }
}

TEST(Level3, ComplexSolvesHaveASmallBackwardError) {
  constexpr Index order = 130, sides = 2;
  const std::vector<Complex> t = well_conditioned<Complex>(order, 13), b = random_matrix<Complex>(order, sides, 14);
  const GemmProblem<Complex> problem{order,
                                     sides,
                                     order,
                                     Complex(1),
                                     {t.data(), order, Op::ConjugateTranspose, Form::Triangular, Triangle::Upper},
                                     {nullptr, order, Op::None},
                                     Complex(0),
                                     {nullptr, order},
                                     Triangle::Full,
                                     false,
                                     Operation::Solve};
  std::vector<Complex> x = after(problem, b);
  for (Index i = 0; i < order; ++i) {
    for (Index j = 0; j < sides; ++j) {
      Big re = b[static_cast<std::size_t>(i + j * order)].real(), im = b[static_cast<std::size_t>(i + j * order)].imag();
      Big size = abs(re) + abs(im);
      for (Index k = 0; k <= i; ++k) {  // row i of the conjugate transpose is column i of the upper triangle
        const Complex f = std::conj(t[static_cast<std::size_t>(k + i * order)]), y = at(x, order, k, j);
        re -= Big(f.real()) * y.real() - Big(f.imag()) * y.imag();
        im -= Big(f.real()) * y.imag() + Big(f.imag()) * y.real();
        size += (abs(Big(f.real())) + abs(Big(f.imag()))) * (abs(Big(y.real())) + abs(Big(y.imag())));
      }
      EXPECT_LE(static_cast<double>(Big((abs(re) + abs(im)) / size)), 4.0 * static_cast<double>(order) * 0x1p-53);
    }
  }
}

// ---- memory and failures --------------------------------------------------------------------------------------------

GemmProblem<double> small_solve(const std::vector<double>& t, double* b) {
  return {70,
          3,
          70,
          2.0,
          {t.data(), 70, Op::None, Form::Triangular, Triangle::Lower},
          {b, 70, Op::None},
          0.0,
          {b, 70},
          Triangle::Full,
          false,
          Operation::Solve};
}

TEST(Level3, ACapThatHoldsNothingIsADecline) {
  const std::vector<double> t = well_conditioned<double>(70, 15), b = random_matrix<double>(70, 3, 16);
  std::vector<double> x = b;
  Choices choices = test::choices_for(Precision::Fp64);
  choices.cap_bytes = 0;
  const Outcome outcome = compute(context_of(), small_solve(t, x.data()), choices);
  ASSERT_TRUE(outcome.declined);
  EXPECT_EQ(outcome.declined->reason, Reason::MemoryCap);
  EXPECT_EQ(x, b);
}

TEST(Level3, SpecialDataIsADeclineWhereTheHostMayServe) {
  std::vector<double> t = well_conditioned<double>(70, 15), b = random_matrix<double>(70, 3, 16), x = b;
  t[0] = 0;  // Inf, then NaN in the product
  Choices choices = test::choices_for(Precision::Fp64);
  choices.may_decline = true;
  const Outcome outcome = compute(context_of(), small_solve(t, x.data()), choices);
  ASSERT_TRUE(outcome.declined);
  EXPECT_EQ(outcome.declined->reason, Reason::Nonfinite);
  EXPECT_EQ(x, b);
}

TEST(Level3, SubstitutionAloneSaysSo) {
  const double t = 2;
  double x = 6;
  const GemmProblem<double> problem{1,
                                    1,
                                    1,
                                    1.0,
                                    {&t, 1, Op::None, Form::Triangular, Triangle::Upper},
                                    {&x, 1, Op::None},
                                    0.0,
                                    {&x, 1},
                                    Triangle::Full,
                                    false,
                                    Operation::Solve};
  const Outcome outcome = compute(context_of(), problem, test::choices_for(Precision::Fp64));
  EXPECT_EQ(x, 3);
  EXPECT_EQ(outcome.report.scheme, Scheme::Ieee);
  EXPECT_EQ(outcome.report.engine, Engine::Device);
  EXPECT_EQ(outcome.report.bound, -1);
}

template <class Problem>
void expect_untouched_on_every_failure(const Problem& problem_on, const std::vector<double>& c) {
  test::FaultyDevice device(device::open(0));
  Context context(0, device, std::uint64_t{1} << 24);
  Index failed = 0;
  for (Index nth = 1;; ++nth) {
    ASSERT_LT(nth, 1000);
    std::vector<double> x = c;
    device.fail_at(nth, test::Failures::AllFromThere);
    bool threw = false;
    try {
      compute(context, problem_on(x), test::choices_for(Precision::Fp64));
    } catch (const Error&) {
      threw = true;
    }
    device.fail_at(0);
    if (!threw) break;
    ++failed;
    ASSERT_EQ(x, c) << nth;
  }
  EXPECT_GT(failed, 5);
}

TEST(Level3, EveryFailureLeavesCAsItWas) {
  const std::vector<double> t = well_conditioned<double>(70, 17), c = random_matrix<double>(70, 3, 18);
  expect_untouched_on_every_failure([&](std::vector<double>& x) { return small_solve(t, x.data()); }, c);
  expect_untouched_on_every_failure(
      [&](std::vector<double>& x) {
        GemmProblem<double> product = small_solve(t, x.data());
        product.operation = Operation::Product;
        return product;
      },
      c);
  const std::vector<double> square = random_matrix<double>(40, 40, 19);
  expect_untouched_on_every_failure(
      [&](std::vector<double>& x) {
        return GemmProblem<double>{40,
                                   40,
                                   30,
                                   1.0,
                                   {t.data(), 70, Op::None},
                                   {t.data(), 70, Op::Transpose},
                                   0.0,
                                   {x.data(), 40},
                                   Triangle::Upper,
                                   false,
                                   Operation::RankTwo};
      },
      square);
}

}  // namespace
}  // namespace ab::ops
