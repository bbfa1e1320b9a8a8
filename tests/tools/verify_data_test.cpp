// SPDX-License-Identifier: MIT
#include "verify_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ab::cli {
namespace {

constexpr Shape shape{20, 12, 40};

Workload made(Family family, Operation operation = Operation::Zgemm, std::uint64_t seed = 1) {
  return make_workload(operation, shape, seed, family);
}

TEST(VerifyData, FamiliesHaveNames) {
  for (const Family family : all_families) EXPECT_EQ(parse_family(word_of(family)), family);
  try {
    parse_family("dreadful");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status(), Exit::WrongUsage);
    EXPECT_NE(std::string(failure.what()).find("complex_imbalance"), std::string::npos);
  }
}

TEST(VerifyData, DependOnTheSeedAlone) {
  for (const Family family : all_families) {
    EXPECT_EQ(checksum(made(family).a), checksum(made(family).a));
    EXPECT_NE(checksum(made(family).a), checksum(made(family, Operation::Zgemm, 2).a));
    EXPECT_NE(checksum(made(family).b), checksum(made(family, Operation::Zgemm, 2).b));
  }
}

TEST(VerifyData, OnlySpecialDataAreNotFinite) {
  for (const Family family : all_families) {
    for (const Operation operation : {Operation::Dgemm, Operation::Zgemm}) {
      const Workload work = made(family, operation);
      EXPECT_EQ(work.a.size(), static_cast<std::size_t>(shape.m * shape.k * work.parts()));
      const bool finite = std::all_of(work.a.begin(), work.a.end(), [](double x) { return std::isfinite(x); }) &&
                          std::all_of(work.b.begin(), work.b.end(), [](double x) { return std::isfinite(x); });
      EXPECT_EQ(finite, family != Family::Special) << word_of(family);
    }
  }
}

TEST(VerifyData, IntegersAreIntegers) {
  for (const double x : made(Family::Integers).a) {
    EXPECT_EQ(x, std::floor(x));
    EXPECT_LT(std::fabs(x), 0x1p20);
  }
}

TEST(VerifyData, NeighboursCancelInDoublesButForTheirLastBits) {
  const Workload work = made(Family::Cancel, Operation::Dgemm);
  for (Index l = 0; l + 1 < shape.k; l += 2) {
    const auto at = [&](Index term) { return work.a[static_cast<std::size_t>(3 + term * shape.m)]; };
    EXPECT_LE(std::fabs(at(l) + at(l + 1)), std::fabs(at(l)) * 0x1p-47);
    EXPECT_EQ(work.b[static_cast<std::size_t>(l)], work.b[static_cast<std::size_t>(l + 1)]);
  }
}

TEST(VerifyData, ImaginaryPartsAreFarSmaller) {
  const Workload work = made(Family::ComplexImbalance);
  for (std::size_t i = 1; i < work.b.size(); i += 2) EXPECT_LT(std::fabs(work.b[i]), 0x1p-40);
}

}  // namespace
}  // namespace ab::cli
