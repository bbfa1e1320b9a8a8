// SPDX-License-Identifier: MIT
// Words to integers to residues: the golden integers modulo every modulus, padding, complex parts.
#include <gtest/gtest.h>

#include "kernels/device_under_test.hpp"
#include "numerics/moduli.hpp"
#include "ops/open_device.hpp"
#include "support/golden.hpp"

namespace ab::test {
namespace {

using ops::Lease;

class Residues : public testing::TestWithParam<ModuliFamily> {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_device_under_test(); !why.empty()) GTEST_SKIP() << "skipped: " << why;
    context_ = std::make_unique<ops::Context>(0, device_under_test(), std::uint64_t{1} << 26);
  }
  static constexpr int budget = 149;  // all moduli that any budget uses
  static constexpr std::size_t inner_padded = 64;
  const numerics::ModuliSet& set() const { return numerics::moduli(GetParam(), budget); }

  /// Runs the kernel on the golden integers as vectors of one term; residues by modulus, part, vector and term.
  std::vector<int> run(kernels::vector_view view, std::span<const Word> words);
  std::unique_ptr<ops::Context> context_;
};

/// Those a shift can make: |a'| < 2^74 under the largest budget (6.2).
const std::vector<GoldenUnits::Integer>& integers() {
  static const std::vector<GoldenUnits::Integer> reachable = [] {
    std::vector<GoldenUnits::Integer> out;
    for (const GoldenUnits::Integer& item : golden_units().integer) {
      if (abs(item.result) >> 74 == 0) out.push_back(item);
    }
    return out;
  }();
  return reachable;
}

std::vector<int> Residues::run(kernels::vector_view view, std::span<const Word> words) {
  ops::Context& context = *context_;
  std::vector<kernels::vector_record> records(integers().size());
  for (std::size_t v = 0; v < records.size(); ++v) records[v].E = 14 - integers()[v].shift;  // under a budget of 1
  kernels::residues_params p{};
  p.v = view;
  p.groups = (view.vectors + 3) / 4;
  p.all_vectors = view.vectors;
  p.inner_padded = inner_padded;
  p.moduli = static_cast<kernels::uint>(set().count);
  const bool bytes = numerics::residue_bytes(GetParam()) == 1;
  const std::size_t count = set().constants.size() * (view.parts == 2 ? 3 : 1) * view.vectors * inner_padded;
  const Lease operand = ops::upload(context, words), record = ops::upload(context, std::span<const kernels::vector_record>(records));
  const Lease table = ops::upload(context, std::span<const kernels::modulus>(set().constants));
  const Lease planes = ops::upload(context, std::span<const std::uint16_t>(std::vector<std::uint16_t>(count, 0x1111)));
  p.budget = 1;
  const Lease shifts = context.lease(records.size() * sizeof(std::int32_t));
  context.launch(
      bytes ? ops::Text::ResiduesI8 : ops::Text::ResiduesHalf, p.groups, 0,
      {operand.slice(), operand.slice(), table.slice(), record.slice(), table.slice(), planes.slice(), shifts.slice(), ops::params(p)});
  const std::vector<std::int32_t> made = ops::download<std::int32_t>(context, shifts, records.size());
  for (std::size_t v = 0; v < records.size(); ++v) EXPECT_EQ(made[v], integers()[v].shift);
  std::vector<int> out;
  if (bytes) {
    for (const std::int8_t r : ops::download<std::int8_t>(context, planes, count)) out.push_back(r);
  } else {
    for (const std::uint16_t half : ops::download<std::uint16_t>(context, planes, count)) out.push_back(kernels::int_of_half(half));
  }
  return out;
}

int symmetric_residue(const BigInt& x, int m) {
  return static_cast<int>(((x + m / 2) % m + m) % m) - m / 2;
}

TEST_P(Residues, OfTheGoldenIntegers) {
  std::vector<Word> words;
  for (const GoldenUnits::Integer& item : integers()) words.push_back(item.x);
  const auto count = static_cast<kernels::uint>(words.size());
  ASSERT_GT(count, 50u);
  const std::vector<int> got = run({0, 0, 1, 1, count, 1, 1, 0}, words);
  for (int l = 0; l < set().count; ++l) {
    const int m = numerics::family_of(GetParam())[static_cast<std::size_t>(l)];
    for (std::size_t v = 0; v < count; ++v) {
      const int* terms = got.data() + (static_cast<std::size_t>(l) * count + v) * inner_padded;
      ASSERT_EQ(terms[0], symmetric_residue(integers()[v].result, m)) << integers()[v].result << " mod " << m;
      for (std::size_t k = 1; k < inner_padded; ++k) ASSERT_EQ(terms[k], 0) << "padding";
    }
  }
}

TEST_P(Residues, OfComplexVectorsConjugated) {  // real and imaginary part of the same word, the latter negated: re + im = 0
  std::vector<Word> words;
  for (const GoldenUnits::Integer& item : integers()) words.insert(words.end(), {item.x, item.x});
  const auto count = static_cast<kernels::uint>(integers().size());
  const std::vector<int> got = run({0, 1, 2, 2, count, 1, 2, 2}, words);
  for (int l = 0; l < set().count; ++l) {
    const int m = numerics::family_of(GetParam())[static_cast<std::size_t>(l)];
    for (std::size_t v = 0; v < count; ++v) {
      const auto at = [&](std::size_t part) { return got[((static_cast<std::size_t>(l) * 3 + part) * count + v) * inner_padded]; };
      ASSERT_EQ(at(0), symmetric_residue(integers()[v].result, m));
      ASSERT_EQ(at(1), symmetric_residue(-integers()[v].result, m));
      ASSERT_EQ(at(2), symmetric_residue(at(0) + at(1), m));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Family, Residues, testing::Values(ModuliFamily::Int8, ModuliFamily::Ten),
                         [](const auto& info) { return info.param == ModuliFamily::Int8 ? "int8" : "ten"; });

}  // namespace
}  // namespace ab::test
