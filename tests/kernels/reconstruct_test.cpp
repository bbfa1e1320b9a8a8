// SPDX-License-Identifier: MIT
// Residues to integers to words: the golden reconstructions under every budget, with shifts that reach subnormal and infinite results.
#include <gtest/gtest.h>

#include "kernels/device_under_test.hpp"
#include "numerics/moduli.hpp"
#include "ops/open_device.hpp"
#include "support/golden.hpp"

namespace ab::test {
namespace {

using Cases = std::vector<GoldenUnits::Reconstruct>;

/// Row i of one column of results is case i.
std::vector<std::uint32_t> planes_of(const Cases& cases, std::size_t moduli, std::size_t row_words, int bytes) {
  std::vector<std::uint32_t> planes(moduli * row_words);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t l = 0; l < moduli; ++l) {
      const auto residue = static_cast<std::uint32_t>(cases[i].residues[l]);
      std::uint32_t& word = planes[l * row_words + i * static_cast<std::size_t>(bytes) / 4];
      word |= bytes == 1 ? (residue & 0xFFu) << 8 * (i % 4) : (residue & 0xFFFFu) << 16 * (i % 2);
    }
  }
  return planes;
}

std::vector<Word> run(ops::Context& context, const numerics::ModuliSet& set, const Cases& cases, std::span<const std::int32_t> shifts) {
  const int bytes = numerics::residue_bytes(set.family);
  const std::size_t row_words = (cases.size() * static_cast<std::size_t>(bytes) + 3) / 4;
  const std::vector<std::uint32_t> residues = planes_of(cases, set.constants.size(), row_words, bytes);
  const auto rows = static_cast<kernels::uint>(cases.size());
  kernels::reconstruct_params p{};
  p.c = {0, 0, 1, rows, rows, 1, 1, 0, 0, 0};
  p.s = {AB_ONE, 0, 0, 0, 0, 0};
  p.groups = (rows + 63) / 64;
  p.form = 1;
  p.row_words = static_cast<kernels::uint>(row_words);
  p.moduli = static_cast<kernels::uint>(set.count);
  const std::int32_t no_shift = 0;
  const ops::Lease planes = ops::upload(context, std::span<const std::uint32_t>(residues));
  const ops::Lease table = ops::upload(context, std::span<const kernels::modulus>(set.constants));
  const ops::Lease whole = ops::upload(context, std::span<const kernels::reconstruction>(&set.product, 1));
  const ops::Lease left = ops::upload(context, shifts), right = ops::upload(context, std::span<const std::int32_t>(&no_shift, 1));
  const ops::Lease c = context.pool().lease(rows * sizeof(Word));
  context.launch(bytes == 1 ? ops::Text::ReconstructI8 : ops::Text::ReconstructI16, p.groups, 0,
                 {planes.slice(), table.slice(), whole.slice(), left.slice(), right.slice(), c.slice(), c.slice(), ops::params(p)});
  return ops::download<Word>(context, c, rows);
}

class Reconstruct : public testing::TestWithParam<ModuliFamily> {};

TEST_P(Reconstruct, TheGoldenIntegers) {
  if (const std::string why = why_no_device_under_test(); !why.empty()) GTEST_SKIP() << "skipped: " << why;
  ops::Context context(0, device_under_test(), std::uint64_t{1} << 26);
  std::map<int, Cases> by_budget;
  for (const GoldenUnits::Reconstruct& item : golden_units().reconstruct) {
    if (item.family == GetParam()) by_budget[item.budget].push_back(item);
  }
  EXPECT_EQ(by_budget.size(), 7u);  // the ladder
  for (const auto& [budget, cases] : by_budget) {
    for (const int shift : {0, 60, -900, 1150, 1200}) {
      std::vector<std::int32_t> shifts;
      for (std::size_t i = 0; i < cases.size(); ++i) shifts.push_back(shift + static_cast<std::int32_t>(i));
      const std::vector<Word> got = run(context, numerics::moduli(GetParam(), budget), cases, shifts);
      for (std::size_t i = 0; i < cases.size(); ++i) {
        EXPECT_EQ(got[i], round_to_word(cases[i].x, -shifts[i])) << cases[i].x << " 2^" << -shifts[i] << " under " << budget;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Family, Reconstruct, testing::Values(ModuliFamily::Int8, ModuliFamily::Ten),
                         [](const auto& info) { return info.param == ModuliFamily::Int8 ? "int8" : "ten"; });

}  // namespace
}  // namespace ab::test
