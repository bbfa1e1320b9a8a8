// SPDX-License-Identifier: MIT
// alpha p + beta c operation by operation against the hardware's FP64, and which entries of a result exist.
#include <gtest/gtest.h>

#include "kernels/host.hpp"
#include "support/random.hpp"
#include "support/word.hpp"

namespace ab::test {
namespace {

using namespace kernels;

constexpr double specials[] = {0.0, -0.0, 1.0, -1.0, 2.5, 0x1p-1074, 0x1.fffffffffffffp1023, __builtin_inf(), __builtin_nan("")};

double any_number(Random& random) {
  return random.below(3) == 0 ? specials[random.below(std::size(specials))] : random.tail(30.0);
}

struct Parts {
  double re, im;
};
Parts times(Parts s, Parts x) {  // every operation rounded, no fma: the build has contraction off
  const double a = s.re * x.re, b = s.im * x.im, c = s.re * x.im, d = s.im * x.re;
  return {a - b, c + d};
}

/// docs/numerics.md 3.1 and 3.2, written once more.
Parts expected(Parts p, Parts c, Parts alpha, Parts beta, bool real_scalars) {
  if (real_scalars) {
    Parts t{alpha.re * p.re, alpha.re * p.im};
    if (beta.re == 0.0) return t;
    const double re = beta.re * c.re, im = beta.re * c.im;
    return {t.re + re, t.im + im};
  }
  Parts t = alpha.re == 1.0 && alpha.im == 0.0 ? p : times(alpha, p);
  if (beta.re == 0.0 && beta.im == 0.0) return t;
  const Parts u = beta.re == 1.0 && beta.im == 0.0 ? c : times(beta, c);
  return {t.re + u.re, t.im + u.im};
}

scalars scalars_of(Parts alpha, Parts beta, uint hermitian) {
  return {word_of(alpha.re), word_of(alpha.im), word_of(beta.re), word_of(beta.im), hermitian, 0};
}

void expect_parts(parts64 got, Parts wanted, const char* what) {
  EXPECT_EQ(got.re, canonical(word_of(wanted.re))) << what;
  EXPECT_EQ(got.im, canonical(word_of(wanted.im))) << what;
}

TEST(Epilogue, IsRoundedOperationByOperation) {
  Random random(1);
  for (int i = 0; i < 100000; ++i) {
    const auto any = [&] { return Parts{any_number(random), any_number(random)}; };
    const Parts p = any(), c = any(), alpha = any(), beta = any();
    const parts64 p_words{word_of(p.re), word_of(p.im)}, c_words{word_of(c.re), word_of(c.im)};
    expect_parts(epilogue64(p_words, c_words, scalars_of(alpha, beta, 0), 2, false), expected(p, c, alpha, beta, false), "complex");
    expect_parts(epilogue64(p_words, c_words, scalars_of(alpha, {beta.re, 0}, 1), 2, false), expected(p, c, alpha, {beta.re, 0}, true),
                 "herk");
    const parts64 real = epilogue64({p_words.re, 0}, {c_words.re, 0}, scalars_of({alpha.re, 0}, {beta.re, 0}, 0), 1, false);
    EXPECT_EQ(real.re, canonical(word_of(expected(p, c, alpha, {beta.re, 0}, true).re))) << "real";
    EXPECT_EQ(epilogue64(p_words, c_words, scalars_of(alpha, {beta.re, 0}, 1), 2, true).im, 0u) << "a hermitian diagonal";
  }
}

TEST(Epilogue, ScalingAlone) {
  Random random(2);
  for (int i = 0; i < 50000; ++i) {
    const Parts c{any_number(random), any_number(random)}, beta{any_number(random), any_number(random)};
    const parts64 words{word_of(c.re), word_of(c.im)};
    const bool zero = beta.re == 0.0 && beta.im == 0.0;
    expect_parts(scaled64(words, scalars_of({0, 0}, beta, 0), 2, false), zero ? Parts{0, 0} : times(beta, c), "complex");
    const Parts real = beta.re == 0.0 ? Parts{0, 0} : Parts{beta.re * c.re, beta.re * c.im};
    expect_parts(scaled64(words, scalars_of({0, 0}, {beta.re, 0}, 1), 2, false), real, "herk");
  }
}

TEST(Epilogue, EntriesOfTriangles) {
  result_view c{};
  c.row0 = 5;
  c.column0 = 7;
  c.row_stride = -2;
  c.column_stride = slong{1} << 33;
  for (uint i = 0; i < 9; ++i) {
    for (uint j = 0; j < 9; ++j) {
      const int above = static_cast<int>(7 + j) - static_cast<int>(5 + i);
      c.triangle = 0;
      EXPECT_TRUE(is_stored(c, i, j));
      c.triangle = 1;
      EXPECT_EQ(is_stored(c, i, j), above >= 0);
      c.triangle = 2;
      EXPECT_EQ(is_stored(c, i, j), above <= 0);
      EXPECT_EQ(is_diagonal(c, i, j), above == 0);
      EXPECT_EQ(place_of(c, i, j), -2 * static_cast<slong>(i) + (slong{1} << 33) * j);
    }
  }
}

}  // namespace
}  // namespace ab::test
