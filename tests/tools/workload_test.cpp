// SPDX-License-Identifier: MIT
// The judge of demo and bench must see wrong results: it is held against rational arithmetic and against spoilt ones.
#include "workload.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>

namespace ab::cli {
namespace {

using boost::multiprecision::cpp_rational;

/// The words of the correctly rounded product, or of the product cut after some terms.
std::vector<double> rounded_product(const Workload& work, Index terms) {
  const auto [m, n, k] = work.shape;
  std::vector<double> c(static_cast<std::size_t>(work.result_words()));
  const auto cell = [](const std::vector<double>& words, Index index, int parts, int part) {
    return cpp_rational(words[static_cast<std::size_t>(index * parts + part)]);
  };
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < m; ++i) {
      cpp_rational re = 0, im = 0;
      for (Index l = 0; l < terms; ++l) {
        const Index a = work.ops.a == Op::None ? i + l * m : l + i * k, b = work.ops.b == Op::None ? l + j * k : j + l * n;
        const cpp_rational ar = cell(work.a, a, work.parts(), 0), br = cell(work.b, b, work.parts(), 0);
        if (work.parts() == 1) {
          re += ar * br;
          continue;
        }
        const int sign_a = work.ops.a == Op::ConjugateTranspose ? -1 : 1, sign_b = work.ops.b == Op::ConjugateTranspose ? -1 : 1;
        const cpp_rational ai = sign_a * cell(work.a, a, 2, 1), bi = sign_b * cell(work.b, b, 2, 1);
        re += ar * br - ai * bi;
        im += ar * bi + ai * br;
      }
      c[static_cast<std::size_t>((i + j * m) * work.parts())] = static_cast<double>(re);
      if (work.parts() == 2) c[static_cast<std::size_t>((i + j * m) * 2 + 1)] = static_cast<double>(im);
    }
  }
  return c;
}

class WorkloadOf : public ::testing::TestWithParam<Operation> {};

TEST_P(WorkloadOf, TheRoundedProductIsWithinOneUnit) {
  const Workload work = make_workload(GetParam(), {5, 4, 30}, 7);
  const std::vector<double> c = rounded_product(work, 30);
  EXPECT_LE(error_in_u(work, c, Entries::All), 1.0 + 1e-6);
  EXPECT_GT(error_in_u(work, c, Entries::All), 0.0);
  EXPECT_LE(error_in_u(work, c, Entries::Sampled), error_in_u(work, c, Entries::All));
}

TEST_P(WorkloadOf, OpsAreJudgedAsTheyAre) {
  for (const char* word : {"NN", "NT", "NC", "TN", "TT", "TC", "CN", "CT", "CC"}) {
    const Workload work = make_workload(GetParam(), {5, 4, 30}, 7, parse_ops(word));
    EXPECT_LE(error_in_u(work, rounded_product(work, 30), Entries::All), 1.0 + 1e-6) << word;
    const Workload other = make_workload(GetParam(), {5, 4, 30}, 7, parse_ops(word[0] == 'N' ? "TN" : "NN"));
    EXPECT_GT(error_in_u(work, rounded_product(other, 30), Entries::All), 1e6) << word;
  }
}

TEST(Workload, OpsAreTwoLetters) {
  EXPECT_EQ(parse_ops("NC"), (Ops{Op::None, Op::ConjugateTranspose}));
  for (const char* word : {"", "N", "NNN", "NX", "RN", "N,"}) EXPECT_THROW(parse_ops(word), Failure) << word;
  EXPECT_EQ(label_of(Operation::Dgemm, {}), "dgemm");
  EXPECT_EQ(label_of(Operation::Zgemm, parse_ops("CN")), "zgemm CN");
}

TEST_P(WorkloadOf, SpoiltResultsAreSeen) {
  const Workload work = make_workload(GetParam(), {5, 4, 30}, 7);
  const std::vector<double> right = rounded_product(work, 30);
  for (std::size_t spoilt = 0; spoilt < right.size(); ++spoilt) {
    std::vector<double> c = right;
    c[spoilt] += 30 * 0x1p-50;  // |A||B| is below 30/4 a part
    EXPECT_GT(error_in_u(work, c, Entries::All), 8.0) << spoilt;
    c[spoilt] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(error_in_u(work, c, Entries::All), std::numeric_limits<double>::infinity());
  }
  EXPECT_GT(error_in_u(work, rounded_product(work, 29), Entries::Sampled), 1e6);  // a term left out
}

INSTANTIATE_TEST_SUITE_P(BothOperations, WorkloadOf, ::testing::Values(Operation::Dgemm, Operation::Zgemm));

TEST(Workload, OfUpdatesTheUpperTriangleIsJudged) {
  for (const Operation operation : {Operation::Dsyrk, Operation::Zherk}) {
    const Workload work = make_workload(operation, {5, 5, 30}, 7);
    Workload product = work;  // of A with itself
    product.b = work.a;
    std::vector<double> c = rounded_product(product, 30);
    EXPECT_LE(error_in_u(work, c, Entries::All), 1.0 + 1e-6);
    const auto parts = static_cast<std::size_t>(work.parts());
    c[1 * parts] += 1;  // (1,0)
    EXPECT_LE(error_in_u(work, c, Entries::All), 1.0 + 1e-6);
    c[5 * parts] += 0x1p-44;  // (0,1)
    EXPECT_GT(error_in_u(work, c, Entries::All), 8.0);
    EXPECT_GT(error_in_u(work, c, Entries::Sampled), 8.0);
  }
}

TEST(Workload, OfSolvesTheResidualIsJudged) {
  const Workload work = make_workload(Operation::Dtrsm, {9, 4, 9}, 7);
  std::vector<double> x = work.b;
  for (std::size_t j = 0; j < 4; ++j) {
    for (std::size_t i = 0; i < 9; ++i) {
      for (std::size_t l = 0; l < i; ++l) x[i + 9 * j] -= work.a[i + 9 * l] * x[l + 9 * j];
      x[i + 9 * j] /= work.a[i + 9 * i];
    }
  }
  EXPECT_LE(error_in_u(work, x, Entries::All), 10.0);
  x[8 + 9 * 3] *= 1 + 0x1p-44;
  EXPECT_GT(error_in_u(work, x, Entries::All), 100.0);
}

TEST(Workload, UpdatesAndSolvesHaveTheirShapes) {
  EXPECT_THROW(make_workload(Operation::Dsyrk, {3, 4, 5}, 1), Failure);
  EXPECT_THROW(make_workload(Operation::Dtrsm, {3, 4, 5}, 1), Failure);
  EXPECT_THROW(make_workload(Operation::Zherk, {3, 3, 5}, 1, parse_ops("NC")), Failure);
  EXPECT_EQ(make_workload(Operation::Dsyrk, {3, 3, 5}, 1).flops(), 3 * 4 * 5);
  EXPECT_EQ(make_workload(Operation::Dtrsm, {3, 4, 3}, 1).flops(), 3 * 3 * 4);
  EXPECT_EQ(label_of(Operation::Zherk, {Op::None, Op::ConjugateTranspose}), "zherk");
  EXPECT_THROW(parse_product("dsyrk"), Failure);
  EXPECT_EQ(parse_operation("dtrsm"), Operation::Dtrsm);
}

TEST(Workload, TheMeasuredErrorIsTheRationalOne) {
  const Workload work = make_workload(Operation::Dgemm, {1, 1, 64}, 3);
  std::vector<double> c = rounded_product(work, 64);
  c[0] = std::nextafter(std::nextafter(c[0], 1.0), 1.0);
  cpp_rational sum = 0, weight = 0;
  for (std::size_t l = 0; l < 64; ++l) {
    const cpp_rational product = cpp_rational(work.a[l]) * cpp_rational(work.b[l]);
    sum += product;
    weight += abs(product);
  }
  const double want = static_cast<double>(cpp_rational(abs(cpp_rational(c[0]) - sum) / weight)) * 0x1p53;
  EXPECT_NEAR(error_in_u(work, c, Entries::All), want, want * 1e-9);
}

TEST(Workload, ValuesAreFullDoublesBelowOneHalfAndRepeat) {
  const Workload work = make_workload(Operation::Dgemm, {40, 30, 20}, 1), again = make_workload(Operation::Dgemm, {40, 30, 20}, 1);
  EXPECT_EQ(work.a, again.a);
  EXPECT_NE(work.a, make_workload(Operation::Dgemm, {40, 30, 20}, 2).a);
  double sum = 0;
  for (double value : work.a) {
    EXPECT_LT(std::fabs(value), 0.5);
    EXPECT_NE(value, 0.0);
    sum += std::fabs(value);
  }
  EXPECT_NEAR(sum / static_cast<double>(work.a.size()), 0.25, 0.02);
}

TEST(Workload, TheChecksumTellsEveryBitAndPlaceApart) {
  const std::vector<double> words = {1.0, 2.0, 3.0};
  EXPECT_EQ(checksum(words), checksum({1.0, 2.0, 3.0}));
  EXPECT_NE(checksum(words), checksum({2.0, 1.0, 3.0}));
  EXPECT_NE(checksum(words), checksum({1.0, 2.0, std::nextafter(3.0, 4.0)}));
  EXPECT_NE(checksum({0.0}), checksum({-0.0}));
  EXPECT_NE(checksum({0.0}), checksum({0.0, 0.0}));
}

TEST(Data, KindsAndWhatTheyMake) {
  EXPECT_THROW(parse_data("normal"), Failure);
  EXPECT_THROW(parse_data("phi"), Failure);
  EXPECT_THROW(parse_data("phi9"), Failure);
  EXPECT_THROW(parse_data("phi0.5x"), Failure);
  const auto spread = [](const std::string& kind) {  // largest over smallest magnitude, and how many are negative
    const Workload work = make_workload(Operation::Dgemm, {100, 100, 100}, 5, {}, parse_data(kind));
    double sum = 0, negative = 0;
    for (const double x : work.a) sum += std::log(std::fabs(x)) * std::log(std::fabs(x)), negative += x < 0 ? 1 : 0;
    return std::pair(sum / 10000, negative / 10000);
  };
  EXPECT_EQ(spread("uniform"), spread("phi0"));
  EXPECT_NEAR(spread("uniform").second, 0.5, 0.03);
  EXPECT_EQ(spread("one-sided").second, 0.0);
  // ln|u - 0.5| has mean -1 - ln 2 and variance 1; the normal part adds phi^2 to the mean square.
  const double mean_square = (1 + std::log(2.0)) * (1 + std::log(2.0)) + 1;
  EXPECT_NEAR(spread("uniform").first, mean_square, 0.2);
  EXPECT_NEAR(spread("phi2").first, mean_square + 4, 0.5);
}

}  // namespace
}  // namespace ab::cli
