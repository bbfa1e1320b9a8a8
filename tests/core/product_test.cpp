// SPDX-License-Identifier: MIT
#include "core/product.hpp"

#include <gtest/gtest.h>

namespace ab {
namespace {

ProductReport certified(double bound, int moduli, int escalations, int guard) {
  ProductReport report;
  report.scheme = Scheme::CrtInt8;
  report.engine = Engine::Device;
  report.device = 0;
  report.bound = bound;
  report.moduli = moduli;
  report.escalations = escalations;
  report.guard = guard;
  report.route_reason = Reason::Resident;
  return report;
}

ProductReport ieee(double bound, Reason reason) {
  ProductReport report = certified(bound, 0, 0, bound < 0 ? -1 : 4);
  report.scheme = Scheme::Ieee;
  report.fallback_reason = reason;
  return report;
}

TEST(MergedReports, LargestBoundMostModuliAllEscalationsFirstFallback) {
  const ProductReport sum = merged(merged(certified(3, 14, 1, 0), certified(7, 12, 2, 2)), certified(5, 16, 0, 1));
  EXPECT_EQ(sum.bound, 7);
  EXPECT_EQ(sum.moduli, 16);
  EXPECT_EQ(sum.escalations, 3);
  EXPECT_EQ(sum.guard, 2);
  EXPECT_EQ(sum.scheme, Scheme::CrtInt8);
  EXPECT_EQ(sum.fallback_reason, Reason::None);
  EXPECT_EQ(sum.route_reason, Reason::Resident);
  const ProductReport fell = merged(merged(sum, ieee(4, Reason::Range)), ieee(4, Reason::Uncertified));
  EXPECT_EQ(fell.fallback_reason, Reason::Range);
  EXPECT_EQ(fell.bound, 7);
}

TEST(MergedReports, NoCertificateAnywhereIsNoCertificate) {
  for (const bool last : {false, true}) {
    const ProductReport good = certified(3, 14, 1, 0), none = ieee(-1, Reason::Nonfinite);
    const ProductReport sum = last ? merged(good, none) : merged(none, good);
    EXPECT_EQ(sum.bound, -1);
    EXPECT_EQ(sum.guard, -1);
    EXPECT_EQ(sum.scheme, Scheme::Ieee);
    EXPECT_EQ(sum.moduli, 14);
    EXPECT_EQ(sum.fallback_reason, Reason::Nonfinite);
  }
}

TEST(MergedReports, WhatComputedNothingChangesNothing) {
  ProductReport trivial;
  trivial.scheme = Scheme::Trivial;
  trivial.bound = 0;
  const ProductReport product = certified(3, 14, 1, 0);
  for (const ProductReport& sum : {merged(trivial, product), merged(product, trivial), merged({}, product), merged(product, {})}) {
    EXPECT_EQ(sum.scheme, Scheme::CrtInt8);
    EXPECT_EQ(sum.bound, 3);
    EXPECT_EQ(sum.guard, 0);
  }
  EXPECT_EQ(merged({}, trivial).scheme, Scheme::Trivial);
  EXPECT_EQ(merged({}, {}).scheme, Scheme::None);
}

}  // namespace
}  // namespace ab
