// SPDX-License-Identifier: MIT
// Products cut in rows, columns and terms have the bits of the whole; launches large enough to be shared over threads, too. The whole
// file runs with 1, 2 and 3 threads (CMakeLists.txt).
#include <gtest/gtest.h>

#include <cstring>

#include "device/registry.hpp"
#include "ops/gemm_steps.hpp"
#include "support/data.hpp"
#include "support/faulty_device.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

double bytes_of(const Footprint& f, const Blocks& b) {
  return f.left_per_term * static_cast<double>(b.rows * rounded_up(b.inner, 64)) +
         f.right_per_term * static_cast<double>(b.columns * rounded_up(b.inner, 64)) +
         f.result_per_entry * static_cast<double>(b.rows * b.columns);
}

TEST(Blocking, BlocksFitUnderTheCapWheneverTheSmallestDo) {
  test::Random random(51);
  for (int t = 0; t < 3000; ++t) {
    const auto size = [&] { return static_cast<Index>(random.below(std::uint64_t{1} << random.below(22))) + 1; };
    const Blocks whole{size(), size(), size()};
    const Footprint footprint{14, 14, static_cast<double>(random.below(60)) + 1};
    const std::uint64_t cap = random.below(std::uint64_t{1} << random.below(45));
    const Cut cut = cut_product(footprint, whole, cap);
    EXPECT_EQ(cut.fits, bytes_of(footprint, cut.blocks) <= static_cast<double>(cap));
    const auto least = [](Index all, Index unit) { return std::min(all, unit); };
    const Blocks smallest{least(whole.rows, 64), least(whole.columns, 64), least(whole.inner, 1024)};
    EXPECT_EQ(cut.fits, bytes_of(footprint, smallest) <= static_cast<double>(cap));
    const auto is_block = [](Index block, Index all, Index unit) {
      return block == all || (block < all && block % unit == 0 && block > 0);
    };
    EXPECT_TRUE(is_block(cut.blocks.rows, whole.rows, 64) && is_block(cut.blocks.columns, whole.columns, 64));
    EXPECT_TRUE(is_block(cut.blocks.inner, whole.inner, 1024));  // a multiple of 128: double-float carries its pairs on
  }
}

TEST(Blocking, NothingIsCutThatFits) {
  const Cut cut = cut_product({1, 1, 1}, {100, 100, 100}, 100 * 128 * 2 + 100 * 100);
  EXPECT_TRUE(cut.fits);
  EXPECT_EQ(cut.blocks.rows, 100);
  EXPECT_EQ(cut.blocks.columns, 100);
  EXPECT_EQ(cut.blocks.inner, 100);
}

TEST(Blocking, AHugeProductUnderNoCapIsNoOverflow) {
  constexpr Index huge = INT32_MAX;
  const Cut cut = cut_product({60, 60, 40}, {huge, huge, huge}, 0);
  EXPECT_FALSE(cut.fits);
  EXPECT_EQ(cut.blocks.rows, 64);
  EXPECT_EQ(cut.blocks.columns, 64);
  EXPECT_EQ(cut.blocks.inner, 1024);
}

struct Sized {
  std::string name;
  test::Recipe recipe;
  std::vector<Precision> classes;
  Index blocks;  // under the smallest cap, results
  Index sums;    // and blocks of terms
};

test::Recipe recipe_of(std::string_view family, const test::Shape& shape, test::Type type) {
  test::Recipe recipe;
  recipe.family = family, recipe.shape = shape, recipe.type = type, recipe.transb = Op::Transpose;
  recipe.alpha = {-1.5, 0}, recipe.beta = {0.25, 0}, recipe.padding = 1;
  return recipe;
}

std::vector<Sized> products() {
  const std::vector<Precision> both = {Precision::DoubleFloat, Precision::Fp64};
  std::vector<Sized> out;
  out.push_back({"all three ways", recipe_of("uniform", {65, 66, 1030}, test::Type::Real), {Precision::Fp64}, 4, 2});
  out.push_back({"all three ways of double-float", recipe_of("normal", {66, 65, 1030}, test::Type::Real), {Precision::DoubleFloat}, 4, 2});
  out.push_back({"complex", recipe_of("normal", {2, 65, 1100}, test::Type::Complex), {Precision::DoubleFloat, Precision::Fast}, 2, 2});
  out.push_back({"rows", recipe_of("tails", {131, 2, 40}, test::Type::Real), {Precision::DoubleFloat, Precision::Strict}, 3, 1});
  out.push_back({"inner exponents", recipe_of("opposed", {2, 65, 2050}, test::Type::Real), {Precision::Fp64}, 2, 3});
  test::Recipe tilted = recipe_of("uniform", {65, 2, 1030}, test::Type::Complex);
  tilted.edit = [](test::Matrices& x) { tilt(x, -45, -45); };
  out.push_back({"split or four products", tilted, both, 2, 2});
  test::Recipe imaginary = recipe_of("aligned", {2, 65, 1030}, test::Type::Complex);
  imaginary.transa = Op::ConjugateTranspose;
  imaginary.edit = [](test::Matrices& x) { tilt(x, -60, std::nullopt); };
  out.push_back({"split with inner exponents", imaginary, {Precision::Fp64}, 2, 2});
  test::Recipe triangle = recipe_of("uniform", {130, 130, 5}, test::Type::Real);
  triangle.kind = test::Kind::Syrk, triangle.triangle = Triangle::Upper;
  out.push_back({"triangle", triangle, both, 9, 1});
  test::Recipe herk = recipe_of("uniform", {66, 66, 17}, test::Type::Complex);
  herk.kind = test::Kind::Herk, herk.triangle = Triangle::Lower, herk.transa = Op::ConjugateTranspose;
  out.push_back({"hermitian", herk, {Precision::DoubleFloat, Precision::Fast}, 4, 1});
  return out;
}

constexpr std::initializer_list<const char*> results = {"reconstruct_i8", "reconstruct_i16", "unpack_dd", "crt_product_i8",
                                                        "crt_product_i8_3m"};
constexpr std::initializer_list<const char*> sums = {"modular_gemm_i8", "modular_gemm_f32", "modular_gemm_i8_3m", "modular_gemm_f32_3m",
                                                     "gemm_dd",         "crt_product_i8",   "crt_product_i8_3m"};

class Judged {
 public:
  Judged(const Sized& sized, Precision precision) : sized_(sized), precision_(precision) {
    test::Random random(52);
    call_ = make_call(sized.recipe, random);
    verdict_ = judge(call_, precision);
  }
  void expect_blocks(test::Way way, ModuliFamily family) {
    if (!exists(way, call_)) return;
    SCOPED_TRACE(sized_.name + ", class " + word_of(precision_) + ", way " + std::to_string(static_cast<int>(way)));
    Choices choices = test::choices_for(precision_, family);
    choices.cap_bytes = Index{1} << 30;
    expect_run(way, choices, 1, 1);
    EXPECT_EQ(device_.launches_of("transfer_result"), 0);
    choices.cap_bytes = 0;
    choices.may_exceed_cap = true;
    expect_run(way, choices, sized_.blocks, sized_.sums);
    // C that others may see, or the caller's own that is read, is written at the very end only.
    const bool last = way == test::Way::Resident || (way == test::Way::Adopted && context_.device().traits().results_in_place);
    EXPECT_EQ(device_.launches_of("transfer_result"), last ? 2 : 0);
  }

 private:
  void expect_run(test::Way way, const Choices& choices, Index blocks, Index terms) {
    device_.fail_at(0);
    EXPECT_EQ(difference_of_run(call_, verdict_, run_call(context_, call_, way, choices), choices), "");
    EXPECT_EQ(launches_of(results), blocks);
    EXPECT_EQ(launches_of(sums), blocks * terms);
  }
  Index launches_of(std::initializer_list<const char*> kernels) const {
    Index sum = 0;
    for (const char* kernel : kernels) sum += device_.launches_of(kernel);
    return sum;
  }

  const Sized& sized_;
  Precision precision_;
  test::Call call_;
  test::Verdict verdict_;
  test::FaultyDevice device_{device::open(0)};
  Context context_{0, device_, std::uint64_t{1} << 30};
};

class BlockingTest : public testing::TestWithParam<std::size_t> {};

TEST_P(BlockingTest, BlocksHaveTheBitsOfTheWhole) {
  const Sized sized = products()[GetParam()];
  for (const Precision precision : sized.classes) {
    Judged judged(sized, precision);
    for (const test::Way way : test::all_ways) {
      judged.expect_blocks(way, ModuliFamily::Int8);
      if (precision != Precision::DoubleFloat) judged.expect_blocks(way, ModuliFamily::Ten);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Products, BlockingTest, testing::Range(std::size_t{0}, products().size()));

// A device that sums few terms at once: blocks of terms, the same bits; more than it sums at all are declined.
TEST(Terms, AsManyAsTheDeviceSumsAtOnce) {
  test::FaultyDevice device(device::open(0)), plain_device(device::open(0));
  Context context(0, device, std::uint64_t{1} << 26), plain(0, plain_device, std::uint64_t{1} << 26);
  device.limits_terms(64, 300);
  test::Random random(92);
  for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
    for (const Precision precision : {Precision::DoubleFloat, Precision::Fp64, Precision::Strict}) {
      test::Recipe recipe;
      recipe.family = "uniform", recipe.shape = {9, 7, 300}, recipe.type = type, recipe.beta = {0.5, 0};
      const test::Call call = make_call(recipe, random);
      device.fail_at(0);
      const test::Ran ran = run_call(context, call, test::Way::Resident, test::choices_for(precision));
      const test::Ran expected = run_call(plain, call, test::Way::Resident, test::choices_for(precision));
      EXPECT_EQ(ran.error, "");
      EXPECT_EQ(std::memcmp(ran.c.data(), expected.c.data(), ran.c.size() * sizeof(double)), 0) << word_of(precision);
      const char* const kernel = precision == Precision::DoubleFloat ? "gemm_dd"
                                 : type == test::Type::Real          ? "modular_gemm_i8"
                                                                     : "modular_gemm_i8_3m";
      EXPECT_EQ(device.launches_of(kernel), 5) << kernel;
      recipe.shape.k = 301;
      const test::Ran declined = run_call(context, make_call(recipe, random), test::Way::Resident, test::choices_for(precision));
      ASSERT_TRUE(declined.outcome.declined.has_value());
      EXPECT_EQ(declined.outcome.declined->reason, Reason::SizeLimit);
    }
  }
}

}  // namespace
}  // namespace ab::ops
