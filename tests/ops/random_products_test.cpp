// SPDX-License-Identifier: MIT
// Random small products of every kind of data on every device against the judge, bit for bit with the report, and the certificates
// against exact sums. AB_TEST_PRODUCTS: how many products in all (3000 when not set).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "device/registry.hpp"
#include "support/data.hpp"
#include "support/oracle.hpp"
#include "support/run_golden.hpp"

namespace ab::test {
namespace {

constexpr std::array<Op, 3> ops_letters = {Op::None, Op::Transpose, Op::ConjugateTranspose};
constexpr int shards = 4;
constexpr std::uint64_t on_slow_devices =
    60;  // products of a shard that software renderers of GPU interfaces run, too: thousands of times slower

std::uint64_t products_wanted() {
  const char* set = std::getenv("AB_TEST_PRODUCTS");
  return set == nullptr ? 3000 : std::strtoull(set, nullptr, 10);
}

double special(Random& random) {
  const std::array<double, 8> values = {std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity(),
                                        double_of(0x7FF4000000000123),
                                        double_of(0xFFF8000000000001),
                                        -0.0,
                                        0x1p-1074,
                                        -std::numeric_limits<double>::max(),
                                        0x1p-1022};
  return values[random.below(values.size())];
}

double scalar(Random& random) {
  switch (random.below(12)) {
    case 0:
      return 0;
    case 1:
      return -0.0;
    case 2:
      return -1;
    case 3:
      return special(random);
    case 4:
      return 0x1p-1060;
    case 5:
      return 0x1p1000;
    case 6:
    case 7:
      return random.uniform();
    default:
      return 1;
  }
}

Complex scalars(Random& random, const Recipe& recipe) {
  const double re = scalar(random);
  const bool real = recipe.type == Type::Real || recipe.kind == Kind::Herk || random.below(2) == 0;
  return {re, real ? 0.0 : scalar(random)};
}

Tilt tilt_of(Random& random) {
  if (random.below(6) == 0) return std::nullopt;
  return static_cast<int>(random.below(117)) - 66;
}

// Some entries become zeros, infinities, NaNs, subnormal or huge numbers; whole lines become zero.
void disturb(Matrices& x, Random& random) {
  for (std::vector<double>* side : {&x.a, &x.b}) {
    if (side->empty()) continue;
    const std::uint64_t count = random.below(3);
    for (std::uint64_t i = 0; i < count; ++i) (*side)[random.below(side->size())] = special(random);
  }
  if (random.below(2) == 0 && x.k > 0) {
    const auto row = static_cast<Index>(random.below(static_cast<std::uint64_t>(x.m)));
    for (Index l = 0; l < x.k; ++l) {
      for (int p = 0; p < x.parts; ++p) x.at_a(row, l, p) = 0;
    }
  }
}

void edit(Matrices& x, Random& random) {
  if (x.parts == 2 && random.below(3) == 0) tilt(x, tilt_of(random), tilt_of(random));
  if (x.parts == 2 && random.below(16) == 0) {
    for (std::size_t i = 0; i < x.b.size(); i += 2) x.b[i] = 0;
  }
  if (random.below(12) == 0) disturb(x, random);
}

Recipe random_recipe(std::uint64_t number, Random& random) {
  Recipe recipe;
  recipe.family = data_families[number % data_families.size()];
  recipe.type = random.below(2) == 0 ? Type::Real : Type::Complex;
  const auto size = [&] { return static_cast<Index>(random.below(6)) + 1; };
  recipe.shape = {size(), size(), static_cast<Index>(random.below(25))};
  if (random.below(64) == 0) recipe.shape.k = static_cast<Index>(random.below(400));
  if (random.below(256) == 0) recipe.shape = {static_cast<Index>(random.below(70)) + 1, 2, 3};
  if (random.below(512) == 0) recipe.shape = {static_cast<Index>(random.below(90)) + 1, static_cast<Index>(random.below(70)) + 1, 40};
  const std::uint64_t kind = random.below(8);
  if (kind == 0) recipe.kind = Kind::Syrk;
  if (kind == 1 && recipe.type == Type::Complex) recipe.kind = Kind::Herk;
  recipe.transa = ops_letters[random.below(3)];
  recipe.transb = ops_letters[random.below(3)];
  if (recipe.kind != Kind::Gemm) recipe.triangle = random.below(2) == 0 ? Triangle::Upper : Triangle::Lower;
  if (recipe.kind == Kind::Syrk && recipe.transa == Op::ConjugateTranspose) recipe.transa = Op::Transpose;
  if (recipe.kind == Kind::Herk && recipe.transa == Op::Transpose) recipe.transa = Op::ConjugateTranspose;
  recipe.alpha = scalars(random, recipe);
  recipe.beta = scalars(random, recipe);
  recipe.padding = static_cast<Index>(random.below(3));
  recipe.edit = [&random](Matrices& x) { edit(x, random); };
  return recipe;
}

std::string kind_of(const Report& report) {
  return report.path + " " + report.form + " " + report.level + (report.look == 2 ? " second look" : "") +
         (report.kappa != 0 ? " kappa" : "") + " " + report.reason;
}

class RandomProducts : public testing::TestWithParam<int> {};

TEST_P(RandomProducts, HaveTheBitsOfTheJudge) {
  const std::uint64_t count = products_wanted() / shards;
  std::set<std::string> kinds;
  Random random(0xAB0 + static_cast<std::uint64_t>(GetParam()));
  for (std::uint64_t t = 0; t < count && !HasFailure(); ++t) {
    const Call call = make_call(random_recipe(t, random), random);
    const Precision precision = device_classes[(t / data_families.size() + t) % device_classes.size()];
    const Verdict verdict = judge(call, precision);
    kinds.insert(kind_of(verdict.report));
    for (const ModuliFamily family : device_families) {
      const Way way = all_ways[random.below(all_ways.size())];
      if (!exists(way, call)) continue;
      const ops::Choices choices = choices_for(precision, family);
      for (int device = 0; device < device::count(); ++device) {
        if (device::traits_of(device).only_on_request && t >= on_slow_devices) continue;
        const Ran ran = run_call(context_of(device), call, way, choices);
        EXPECT_EQ(difference_of_run(call, verdict, ran, choices), "")
            << "product " << t << " of shard " << GetParam() << ", class " << word_of(precision) << ", family " << static_cast<int>(family)
            << ", way " << static_cast<int>(way) << ", " << call.m << " x " << call.n << " x " << call.k << ", " << verdict.report;
      }
    }
  }
  // What the data is made for does happen.
  for (const char* kind : {"crt 1 G0 ", "crt 1 G1 ", "crt 1 G2 ", "crt 3M G0 ", "crt 3M G2 ", "dd 1 proof ", "dd 3M proof ", "dd 4M proof ",
                           "ieee  none nonfinite", "ieee  proof range", "ieee  proof uncertified", "none   "}) {
    EXPECT_TRUE(count < 700 || kinds.contains(kind)) << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Shard, RandomProducts, testing::Range(0, shards));

/// (|Ar| + |Ai|)(|Br| + |Bi|): what double-float with three products promises the imaginary part against (10.6).
ExactPart with_3m_weight(ExactPart part, const std::array<ExactPart, 2>& both) {
  const int unit = std::min(both[0].unit, both[1].unit);
  part.weight = (both[0].weight << (both[0].unit - unit)) + (both[1].weight << (both[1].unit - unit));
  part.value <<= part.unit - unit;
  part.unit = unit;
  return part;
}

/// The class's promise with the final rounding, in units of u|A||B|; 0: no more than the certified bound.
Index promise_of(Precision precision, const ProductReport& report, const Call& call) {
  if (report.scheme == Scheme::Ieee || precision == Precision::Fp64) return call.k * call.parts();
  if (precision == Precision::Strict) return 6;
  if (precision == Precision::Fast) return 32 * (3 * call.k + (call.parts() == 1 ? 13 : 16));
  return 0;
}

void expect_certified(const Call& call, Precision precision, const Ran& ran) {
  const ProductReport& report = ran.outcome.report;
  const Vectors left = left_vectors(call), right = right_vectors(call);
  const Index promise = promise_of(precision, report, call);
  const auto bound = static_cast<std::int64_t>(std::ceil(report.bound * 1024));
  ASSERT_GE(report.bound, 0) << call.name;
  for (Index i = 0; i < call.m; ++i) {
    for (Index j = 0; j < call.n; ++j) {
      const std::array<ExactPart, 2> parts = exact_entry(left, i, right, j);
      for (int p = 0; p < call.parts(); ++p) {
        const bool summed = p == 1 && report.scheme == Scheme::DoubleFloat && report.complex_form == 3;
        const ExactPart part = summed ? with_3m_weight(parts[1], parts) : parts[static_cast<std::size_t>(p)];
        const Word got = word_of(ran.c[call.at(i, j) + static_cast<std::size_t>(p)]);
        EXPECT_TRUE(report.scheme == Scheme::Ieee || within_rounded(got, part, bound)) << call.name << " " << word_of(precision);
        if (promise > 0 && is_finite(got)) {
          EXPECT_TRUE(within(got, part, 1024 * promise, report.scheme == Scheme::Ieee ? promise : 1))
              << call.name << " " << word_of(precision);
        }
      }
    }
  }
}

TEST(Certificates, HoldOnEveryFamilyOfData) {
  Random random(77);
  for (const std::string_view family : data_families) {
    for (const Index k : {1, 3, 24, 90}) {
      for (const Type type : {Type::Real, Type::Complex}) {
        Recipe recipe;
        recipe.family = family, recipe.shape = {3, 3, k}, recipe.type = type, recipe.transb = Op::Transpose;
        const Call call = make_call(recipe, random);
        for (const Precision precision : device_classes) {
          const Ran ran = run_call(context_of(), call, Way::Adopted, choices_for(precision));
          ASSERT_EQ(ran.error, "");
          expect_certified(call, precision, ran);
        }
      }
    }
  }
}

TEST(Certificates, HoldWhereRowsAndColumnsDifferBy300PowersOfTen) {
  Random random(78);
  for (const Type type : {Type::Real, Type::Complex}) {
    for (int t = 0; t < 12; ++t) {
      Recipe recipe;
      recipe.family = t % 2 == 0 ? "uniform" : "checkerboard", recipe.shape = {4, 4, 17}, recipe.type = type;
      recipe.edit = [&](Matrices& x) {
        for (Index l = 0; l < x.k; ++l) {
          for (int p = 0; p < x.parts; ++p) {
            for (Index i = 0; i < x.m; ++i) x.at_a(i, l, p) *= i == 0 ? 1e300 : i == 1 ? 1e-300 : 1;
            for (Index j = 0; j < x.n; ++j) x.at_b(l, j, p) *= j == 0 ? 1e-300 : j == 1 ? 1e5 : 1;
          }
        }
      };
      const Call call = make_call(recipe, random);
      for (const Precision precision : device_classes) {
        const Ran ran = run_call(context_of(), call, Way::Copied, choices_for(precision, ModuliFamily::Ten));
        ASSERT_EQ(ran.error, "");
        expect_certified(call, precision, ran);
      }
    }
  }
}

}  // namespace
}  // namespace ab::test
