// SPDX-License-Identifier: MIT
#include "ops/complex_vectors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "array.hpp"
#include "support/run_golden.hpp"
#include "support/word.hpp"

namespace ab::test {
namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

std::vector<Word> words_of(const Values& values) {
  std::vector<Word> words;
  for (const double value : values) words.push_back(value != value ? 0x7FF8000000000000u : word_of(value));
  return words;
}

ops::ComplexVector vector_at(const Array& array, Index first, Index increment) {
  return {{array.slice().memory, static_cast<std::size_t>(first) * 16}, increment};
}

void add_to(Values& y, std::size_t at, const Values& x, std::size_t from, Complex alpha) {
  const double re = alpha.real() * x[2 * from] - alpha.imag() * x[2 * from + 1];
  const double im = alpha.real() * x[2 * from + 1] + alpha.imag() * x[2 * from];
  y[2 * at] = y[2 * at] + re;
  y[2 * at + 1] = y[2 * at + 1] + im;
}

TEST(ComplexVectors, ConjugateNegatesTheImaginaryPartsOnly) {
  Values values = random_values(20, 3);
  values[7] = 0.0, values[9] = -endless;
  const Array x(context_of(), values);
  ops::conjugate(context_of(), vector_at(x, 2, 1), 5);
  for (std::size_t at = 2; at < 7; ++at) values[2 * at + 1] = -values[2 * at + 1];
  EXPECT_EQ(words_of(x.values()), words_of(values));
}

TEST(ComplexVectors, ScaleRoundsEachOperationAndHasNoShortcut) {
  for (const Complex alpha : {Complex(1.0 / 3.0, -0.7), Complex(0, 0), Complex(1, 0), Complex(0, -0.0)}) {
    Values values = random_values(14, 4);
    values[6] = endless;
    const Array x(context_of(), values);
    ops::scale(context_of(), alpha, vector_at(x, 1, 1), 5);
    for (std::size_t at = 1; at < 6; ++at) {
      const double re = values[2 * at], im = values[2 * at + 1];
      const double re_re = alpha.real() * re, im_im = alpha.imag() * im, re_im = alpha.real() * im, im_re = alpha.imag() * re;
      values[2 * at] = re_re - im_im;
      values[2 * at + 1] = re_im + im_re;
    }
    EXPECT_EQ(words_of(x.values()), words_of(values)) << alpha;
  }
}

TEST(ComplexVectors, AddsWithEveryIncrement) {
  const Complex alpha(0.3, 1.7);
  for (const int incx : {1, 3, -2, 0}) {
    for (const int incy : {1, 2, -3, 0}) {
      constexpr int n = 4;
      const Values x = random_values(40, 5);
      Values y = random_values(40, 6);
      const Array x_array(context_of(), x), y_array(context_of(), y);
      const int x0 = incx < 0 ? 1 + (1 - n) * incx : 1, y0 = incy < 0 ? 2 + (1 - n) * incy : 2;
      ops::add_scaled(context_of(), alpha, vector_at(x_array, x0, incx), vector_at(y_array, y0, incy), n);
      for (int i = 0; i < n; ++i) add_to(y, static_cast<std::size_t>(y0 + i * incy), x, static_cast<std::size_t>(x0 + i * incx), alpha);
      EXPECT_EQ(y_array.values(), y) << incx << " " << incy;
      EXPECT_EQ(x_array.values(), x);
    }
  }
}

}  // namespace
}  // namespace ab::test
