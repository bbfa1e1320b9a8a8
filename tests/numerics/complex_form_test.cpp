// SPDX-License-Identifier: MIT
// Form and range of class double-float against the judge, and its table of bounds (docs/numerics.md 10.4 to 10.6).
#include <gtest/gtest.h>

#include <map>

#include "numerics/plan.hpp"
#include "support/data.hpp"
#include "support/look.hpp"
#include "support/reference_plan.hpp"

namespace ab::numerics {
namespace {

struct Sides {
  test::LookData data;
  std::vector<test::Scanned> left, right;

  explicit Sides(const test::Call& call)
      : data(test::first_look(test::left_vectors(call), test::right_vectors(call))),
        left(test::scan_all(test::left_vectors(call))),
        right(test::scan_all(test::right_vectors(call))) {}
};

TEST(ComplexForm, IsTheJudges) {
  test::Random random(1);
  std::map<int, int> forms;
  for (int t = 0; t < 4000; ++t) {
    test::Recipe recipe;
    recipe.family = test::data_families[random.below(test::data_families.size())];
    recipe.shape = {2, 2, 14 + static_cast<Index>(random.below(4))};
    recipe.type = random.below(4) == 0 ? test::Type::Real : test::Type::Complex;
    const auto some_tilt = [&]() -> test::Tilt {
      const auto kind = random.below(8);
      return kind == 0 ? test::Tilt() : test::Tilt(static_cast<int>(random.below(kind < 6 ? 6 : 120)) - (kind < 6 ? 3 : 60));
    };
    recipe.edit = [&](test::Matrices& x) {
      if (x.parts == 2) tilt(x, some_tilt(), some_tilt());
      if (x.parts == 2 && random.below(6) == 0) {
        for (std::size_t i = 0; i < x.a.size(); i += 2) x.a[i] = 0;  // purely imaginary
      }
      if (random.below(4) == 0) x.a[0] = std::ldexp(x.a[0], -static_cast<int>(random.below(160)));
    };
    const test::Call call = test::make_call(recipe, random);
    const Sides sides(call);
    const auto got = double_float_form(sides.data.left, sides.data.right, call.parts(), call.k);
    EXPECT_EQ(got, test::reference_double_float_form({sides.left, sides.right, call.parts()}, call.k)) << t;
    ++forms[got.value_or(0)];
  }
  for (const int form : {0, 1, 3, 4}) EXPECT_GT(forms[form], 100) << form;
}

Record record(int E, int nmin, int top_re, int top_im) {
  Record out{};
  out.E = E, out.nmin = nmin, out.L = 30;
  out.top_re = top_re, out.top_im = top_im;
  return out;
}

TEST(ComplexForm, EdgesOfTheRange) {
  const auto real_form = [](int left, int right) {
    return double_float_form(std::vector{record(0, -left, 0, AB_NO_TOP)}, std::vector{record(5, 5 - right, 5, AB_NO_TOP)}, 1, 8);
  };
  EXPECT_EQ(real_form(119, 22), 1);
  EXPECT_EQ(real_form(120, 0), std::nullopt);
  EXPECT_EQ(real_form(0, 120), std::nullopt);
  EXPECT_EQ(real_form(71, 70), 1);
  EXPECT_EQ(real_form(71, 71), std::nullopt);
}

TEST(ComplexForm, EdgesOfThreeProducts) {
  const auto form = [](const Record& left, const Record& right, Index k) {
    return double_float_form(std::vector{left}, std::vector{right}, 2, k).value_or(0);
  };
  const Record level = record(0, -10, 0, 0);
  EXPECT_EQ(form(level, level, 16), 3);
  EXPECT_EQ(form(level, level, 15), 4);
  EXPECT_EQ(form(record(0, -56, 0, 0), record(0, -56, 0, 0), 16), 3);
  EXPECT_EQ(form(record(0, -57, 0, 0), record(0, -56, 0, 0), 16), 4);
  EXPECT_EQ(form(record(0, -9, 0, -1), record(0, -9, 0, -9), 16), 3);  // the smaller tilt is 1
  EXPECT_EQ(form(record(0, -9, 0, -2), record(0, -9, 0, -2), 16), 4);
  EXPECT_EQ(form(record(0, -9, 0, -9), record(0, -9, -9, 0), 16), 3);  // opposite tilts
  EXPECT_EQ(form(record(0, -9, -2, 0), record(0, -9, -2, 0), 16), 4);
  const Record real = record(0, -9, 0, AB_NO_TOP), imaginary = record(0, -9, AB_NO_TOP, 0);
  EXPECT_EQ(form(real, real, 16), 3);
  EXPECT_EQ(form(real, record(0, -9, 0, -2), 16), 4);
  EXPECT_EQ(form(real, record(0, -9, -2, 0), 16), 3);
  EXPECT_EQ(form(record(0, -9, -2, 0), imaginary, 16), 4);
  EXPECT_EQ(form(imaginary, record(0, -9, 0, -2), 16), 3);
  Record zero{};
  zero.flags = AB_RECORD_ZERO;  // its fields are zero, which must not count
  EXPECT_EQ(form(zero, record(0, -9, 0, -9), 16), 3);
}

TEST(ComplexForm, Bounds) {
  EXPECT_EQ(double_float_bound(1, 100), 32 * 313);
  EXPECT_EQ(double_float_bound(4, 100), 32 * 316);
  EXPECT_EQ(double_float_bound(3, 100), 32 * 645);
}

}  // namespace
}  // namespace ab::numerics
