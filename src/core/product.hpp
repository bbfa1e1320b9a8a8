// SPDX-License-Identifier: MIT
// What a product was computed by and what is proven of it: the inside of ABProduct.
#pragma once
#include <optional>

#include "core/types.hpp"

namespace ab {

/// An expected "not here" of a device; C is untouched.
struct Decline {
  Reason reason;
};

struct ProductReport {
  Precision precision = Precision::Fp64;
  Scheme scheme = Scheme::None;
  Engine engine = Engine::None;
  int device = -1;       // device index
  int moduli = 0;        // CRT: moduli of the family used
  int escalations = 0;   // rungs above the class's first budget
  int guard = -1;        // 0, 1, 2: G0..G2; 4: proven without the guard; -1: none
  int complex_form = 0;  // 3, 4, or 0
  double bound = -1;     // units of u|A||B|, before epilogue and final rounding; -1: none
  Reason route_reason = Reason::None;
  Reason fallback_reason = Reason::None;
};

/// What is said of an operation made of several products: the largest bound (none if any has none), the most moduli, all escalations,
/// the first reason of a fallback. Scheme, guard and form are those of the weakest: no certificate, else the later look. Products that
/// computed nothing (Trivial, None) leave the other's description alone.
ProductReport merged(const ProductReport& first, const ProductReport& second);

/// Result of one product on a device: declined (C untouched), or done and described.
struct Outcome {
  std::optional<Decline> declined;
  ProductReport report;
};

}  // namespace ab
