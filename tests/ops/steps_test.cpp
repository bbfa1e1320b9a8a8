// SPDX-License-Identifier: MIT
#include "ops/steps.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "ops/scan_now.hpp"
#include "support/data.hpp"
#include "support/look.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

using test::Call;
using test::LookData;

TEST(Steps, ViewsAsKernelsReadThem) {
  VectorView view = left_operand({nullptr, 48}, 2, Op::ConjugateTranspose, 3, 7, 9);
  const kernels::vector_view of_complex = kernel_view(view);
  EXPECT_EQ(of_complex.offset_re, 6u);
  EXPECT_EQ(of_complex.offset_im, 7u);
  EXPECT_EQ(of_complex.vector_stride, 18);
  EXPECT_EQ(of_complex.inner_stride, 2);
  EXPECT_EQ(of_complex.vectors, 3u);
  EXPECT_EQ(of_complex.inner, 7u);
  EXPECT_EQ(of_complex.parts, 2u);
  EXPECT_EQ(of_complex.negated, 2u);
  EXPECT_EQ(kernel_view(part_of(view, 0)).negated, 0u);
  EXPECT_EQ(kernel_view(part_of(view, 1)).negated, 1u);  // the conjugated imaginary part as a real operand
  EXPECT_EQ(kernel_view(part_of(view, 1)).offset_re, 7u);
  EXPECT_EQ(kernel_view(part_of(view, 1)).parts, 1u);
  view.conjugate = false;
  EXPECT_EQ(kernel_view(view).negated, 0u);
  EXPECT_EQ(kernel_view(part_of(view, 1)).negated, 0u);
}

TEST(Steps, ResultsAndScalarsAsKernelsReadThem) {
  const kernels::result_view c = kernel_view(result({nullptr, 16}, 2, 3, 4, 5), Triangle::Lower);
  EXPECT_EQ(c.offset_re, 2u);
  EXPECT_EQ(c.offset_im, 3u);
  EXPECT_EQ(c.row_stride, 2);
  EXPECT_EQ(c.column_stride, 10);
  EXPECT_EQ(c.triangle, 2u);
  EXPECT_EQ(c.row0 + c.column0, 0u);
  Product product;
  product.alpha = {2, -0.0}, product.beta = {0, 1}, product.hermitian = true;
  const kernels::scalars s = kernel_scalars(product);
  EXPECT_EQ(s.alpha_re, 0x4000000000000000u);
  EXPECT_EQ(s.alpha_im, 0x8000000000000000u);
  EXPECT_EQ(s.beta_re, 0u);
  EXPECT_EQ(s.beta_im, 0x3FF0000000000000u);
  EXPECT_EQ(s.hermitian, 1u);
}

TEST(Steps, BlocksCoverEverythingOnce) {
  for (const Index total : {0, 1, 63, 64, 65, 200}) {
    for (const Index size : {1, 64, 1000}) {
      Index next = 0;
      for (const Block& block : blocks_of(total, size)) {
        EXPECT_EQ(block.first, next);
        EXPECT_GT(block.count, 0);
        EXPECT_LE(block.count, size);
        next += block.count;
      }
      EXPECT_EQ(next, total);
    }
  }
  EXPECT_EQ(rounded_up(65, 64), 128);
  EXPECT_EQ(rounded_up(64, 64), 64);
  EXPECT_EQ(groups_for(129, 64), 3);
}

void expect_same(const Scan& scan, std::span<const numerics::Record> records, std::span<const numerics::Profile> profiles,
                 const std::string& what) {
  ASSERT_EQ(scan.records.size(), records.size());
  for (std::size_t v = 0; v < records.size(); ++v) {
    EXPECT_EQ(scan.records[v].flags, records[v].flags) << what << ": record " << v;
    if (numerics::is_zero(records[v])) continue;  // nobody looks at the rest
    EXPECT_EQ(std::memcmp(&scan.records[v], &records[v], sizeof records[v]), 0) << what << ": record " << v;
  }
  ASSERT_LE(scan.profiles.size(), profiles.size());
  for (std::size_t p = 0; p < scan.profiles.size(); ++p) EXPECT_EQ(scan.profiles[p], profiles[p]) << what << ": profile " << p;
}

// Device and judge scan the operands, jointly and by parts, in both looks.
void expect_scans(const Call& call) {
  Context& context = test::context_of();
  const test::ResidentCall resident(context, call);
  const test::Vectors left = test::left_vectors(call), right = test::right_vectors(call);
  const VectorView &l = resident.product().left, &r = resident.product().right;
  const LookData first = test::first_look(left, right);
  expect_same(scan(context, std::span(&l, 1), {}, HandSide::Left), first.left, first.left_profiles, call.name + " left");
  expect_same(scan(context, std::span(&r, 1), {}, HandSide::Right), first.right, first.right_profiles, call.name + " right");
  const numerics::Inner inner = numerics::plan_inner(test::first_peaks(left), test::first_peaks(right));
  if (!inner.group_sizes.empty()) {
    std::vector<std::int32_t> pairs;
    for (std::size_t k = 0; k < inner.kappa.size(); ++k) pairs.insert(pairs.end(), {inner.kappa[k], inner.group[k]});
    const InnerOnDevice on_device{&inner, upload(context, std::span<const std::int32_t>(pairs))};
    const LookData second = test::second_look(left, right, inner);
    expect_same(scan(context, std::span(&l, 1), on_device, HandSide::Left), second.left, second.left_profiles, call.name + " left again");
    expect_same(scan(context, std::span(&r, 1), on_device, HandSide::Right), second.right, second.right_profiles,
                call.name + " right again");
  }
  if (call.parts() == 1) return;
  const LookData split = test::first_look(test::split_parts(left), test::split_parts(right));
  const std::array<VectorView, 2> parts = {part_of(l, 0), part_of(l, 1)};
  expect_same(scan(context, parts, {}, HandSide::Left), split.left, split.left_profiles, call.name + " parts");
}

TEST(Steps, ScansAreThoseOfTheJudge) {
  test::Random random(21);
  for (const std::string_view family : test::data_families) {
    for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
      for (const test::Shape& shape : {test::Shape{1, 1, 1}, test::Shape{5, 9, 70}, test::Shape{4, 2, 33}}) {
        test::Recipe recipe;
        recipe.family = family, recipe.shape = shape, recipe.type = type;
        recipe.transa = Op::ConjugateTranspose, recipe.transb = Op::Transpose, recipe.padding = 1;
        expect_scans(make_call(recipe, random));
      }
    }
  }
}

TEST(Steps, ScansSeeEveryEntryThatIsNotFinite) {
  for (const double value :
       {test::double_of(0x7FF0000000000000), test::double_of(0xFFF0000000000001), test::double_of(0x7FF8000000000000)}) {
    for (std::size_t at = 0; at < 2 * 5 * 40; at += 7) {
      test::Random random(at);
      test::Recipe recipe;
      recipe.shape = {5, 1, 40}, recipe.type = test::Type::Complex;
      recipe.edit = [&](test::Matrices& x) { x.a[at] = value; };
      const test::ResidentCall resident(test::context_of(), make_call(recipe, random));
      const Scan found = scan(test::context_of(), std::span(&resident.product().left, 1), {}, HandSide::Left);
      EXPECT_FALSE(found.finite);
      for (std::size_t v = 0; v < 5; ++v) EXPECT_EQ(numerics::is_finite(found.records[v]), v != at / 80);
    }
  }
}

}  // namespace
}  // namespace ab::ops
