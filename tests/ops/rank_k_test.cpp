// SPDX-License-Identifier: MIT
// Hermitian products: the upper triangle has the bits of the general product, the rest mirrors it exactly, whatever fails.
#include "ops/rank_k.hpp"

#include <gtest/gtest.h>

#include "array.hpp"
#include "device/registry.hpp"
#include "support/faulty_device.hpp"
#include "support/run_golden.hpp"
#include "support/word.hpp"

namespace ab::test {
namespace {

struct Hermitian {  // n x k, row-major, parts apart
  Index n, k;
  Array ar, ai, cr, ci;
  Hermitian(ops::Context& context, Index rows, Index inner, double tilt = 1.0)
      : n(rows),
        k(inner),
        ar(context, random_values(n * k, 1)),
        ai(context, tilted(random_values(n * k, 2), tilt)),
        cr(context, Values(static_cast<std::size_t>(n * n), -7.0)),
        ci(context, Values(static_cast<std::size_t>(n * n), -7.0)) {}
  static Values tilted(Values values, double by) {
    for (double& value : values) value *= by;
    return values;
  }
  ops::Product product() const {
    ops::Product out;
    out.left = {.parts = {ar.slice(), ai.slice()}, .part_count = 2, .vectors = n, .inner = k, .vector_stride = k, .inner_stride = 1};
    out.right = out.left;
    out.right.conjugate = true;
    out.c = {.parts = {cr.slice(), ci.slice()}, .part_count = 2, .rows = n, .columns = n, .row_stride = n, .column_stride = 1};
    return out;
  }
};

void expect_mirrored(const Hermitian& x, const Values& full_re, const Values& full_im) {
  const Values re = x.cr.values(), im = x.ci.values();
  for (Index i = 0; i < x.n; ++i) {
    for (Index j = 0; j < x.n; ++j) {
      const auto at = static_cast<std::size_t>(i * x.n + j), mirror = static_cast<std::size_t>(j * x.n + i);
      if (i <= j) {
        EXPECT_EQ(word_of(re[at]), word_of(full_re[at])) << i << " " << j;
      }
      if (i < j) {
        EXPECT_EQ(word_of(im[at]), word_of(full_im[at])) << i << " " << j;
      }
      EXPECT_EQ(word_of(re[at]), word_of(re[mirror])) << i << " " << j;
      EXPECT_EQ(im[at], -im[mirror]) << i << " " << j;
    }
    EXPECT_EQ(word_of(im[static_cast<std::size_t>(i * (x.n + 1))]), 0u) << i;
  }
}

TEST(RankK, HermitianProductsAreMirroredExactlyInEveryClass) {
  ops::Context& context = context_of();
  for (const Index n : {1, 2, 5, 70}) {
    for (const double tilt : {1.0, 0x1p-40}) {  // the second is computed in the split form
      for (const Precision precision : device_classes) {
        const Hermitian general(context, n, 19, tilt), mirrored(context, n, 19, tilt);
        ASSERT_FALSE(ops::multiply(context, general.product(), choices_for(precision)).declined);
        const Outcome outcome = ops::multiply_hermitian(context, mirrored.product(), choices_for(precision));
        ASSERT_FALSE(outcome.declined);
        EXPECT_EQ(outcome.report.precision, precision);
        expect_mirrored(mirrored, general.cr.values(), general.ci.values());
      }
    }
  }
}

TEST(RankK, EveryFailureLeavesBothPartsAsTheyWere) {
  FaultyDevice device(device::open(0));
  ops::Context context(0, device, std::uint64_t{1} << 24);
  const Hermitian x(context, 5, 9);
  const Values before = x.cr.values();
  Index failed = 0;
  for (Index n = 1;; ++n) {
    ASSERT_LT(n, 1000);
    device.fail_at(n, Failures::AllFromThere);
    bool threw = false;
    try {
      ops::multiply_hermitian(context, x.product(), choices_for(Precision::Fp64));
    } catch (const Error&) {
      threw = true;
    }
    const Index calls = device.calls();
    device.fail_at(0);
    if (!threw) {
      EXPECT_LT(calls, n);
      break;
    }
    ++failed;
    EXPECT_EQ(x.cr.values(), before) << n;
    EXPECT_EQ(x.ci.values(), before) << n;
  }
  EXPECT_GT(failed, 5);
  EXPECT_NE(x.cr.values(), before);
}

}  // namespace
}  // namespace ab::test
