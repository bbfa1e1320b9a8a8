// SPDX-License-Identifier: MIT
// The products of one operation that is made of several, and what is reported of them together.
#pragma once
#include "ops/gemm.hpp"

namespace ab::ops {

/// An operation that succeeded: the merger of its products' reports (scheme None when it took none), and how many ran.
struct SeriesReport {
  ProductReport report;
  Index products = 0;
};

class Series {
 public:
  /// Results go to buffers of the operation's own.
  Series(Context& context, const Choices& choices) : context_(context), choices_(choices) { choices_.private_result = true; }

  /// Throws Declined when the device cannot do it.
  void multiply(const Product& product) {
    const Outcome outcome = ops::multiply(context_, product, choices_);
    if (outcome.declined) throw Declined{*outcome.declined};
    done_.report = merged(done_.report, outcome.report);
    if (outcome.report.scheme != Scheme::Trivial) ++done_.products;
  }
  const SeriesReport& done() const { return done_; }

  struct Declined {
    Decline decline;
  };

 private:
  Context& context_;
  Choices choices_;
  SeriesReport done_;
};

/// Done, or the decline of its first product that the device cannot do; outputs are untouched then.
struct SeriesOutcome {
  std::optional<Decline> declined;
  SeriesReport done;
};

}  // namespace ab::ops
