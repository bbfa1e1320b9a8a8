// SPDX-License-Identifier: MIT
// The judge: one whole product after docs/numerics.md in plain integers, sharing no code with src/. What it says is right.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "core/product.hpp"
#include "support/call.hpp"

namespace ab::test {

/// The words of golden/products.json (13.2).
struct Report {
  std::string path = "none", form, level;
  int budget = 0;
  std::int64_t bound = 0;  // units of u|A||B|/1024; -1: none
  int look = 0, kappa = 0, escalations = 0;
  std::string reason;
  bool operator==(const Report&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Report& report);

struct Verdict {
  std::vector<double> c;  // the whole array after the call, padding unchanged
  Report report;
};

/// The call under a class; the IEEE path is meant without a host BLAS.
Verdict judge(const Call& call, Precision precision);

/// What a device with this moduli family has to report (1.1): scheme, moduli, escalations, guard, complex_form, bound,
/// fallback_reason, precision. Engine, device and route are the caller's.
ProductReport expected_report(const Report& report, Precision precision, ModuliFamily family);

/// Bit for bit; on a difference says where, with both words. Empty: the same.
std::string difference(const Call& call, const std::vector<double>& expected, const std::vector<double>& got);

}  // namespace ab::test
