// SPDX-License-Identifier: MIT
#include "judgement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ab::cli {
namespace {

constexpr double most_terms = 2e7;  // looked at for one product: chosen, about a second

// One part of an entry while its terms are added: what IEEE arithmetic makes of infinities and NaNs, and the exact sum of the rest.
struct Part {
  ExactSum sum, weight;
  bool nan = false, plus = false, minus = false;

  void add(double x, double y) {
    if (std::isfinite(x) && std::isfinite(y)) {
      sum.add_product(x, y);
      weight.add_product(std::fabs(x), std::fabs(y));
      return;
    }
    const double product = x * y;
    if (std::isnan(product)) nan = true;
    if (product > 0) plus = true;
    if (product < 0) minus = true;
  }
};

}  // namespace

Judge::Judge(const Workload& workload) : terms_(workload.shape.k), parts_(workload.parts()), m_(workload.shape.m) {
  const auto [m, n, k] = workload.shape;
  const double total = static_cast<double>(m) * static_cast<double>(n);
  const double affordable = std::max(64.0, most_terms / (static_cast<double>(std::max<Index>(1, k)) * (parts_ == 2 ? 4 : 1)));
  const auto stride = static_cast<Index>(std::ceil(total / affordable)) | 1;  // odd, so that it meets all rows of an even m
  for (Index entry = 0; entry < m * n; entry += stride) add_entry(workload, entry % m, entry / m);
}

void Judge::add_entry(const Workload& work, Index i, Index j) {
  Part re, im;
  for (Index l = 0; l < work.shape.k; ++l) {
    const auto a = static_cast<std::size_t>((i + l * work.lda()) * parts_), b = static_cast<std::size_t>((l + j * work.ldb()) * parts_);
    re.add(work.a[a], work.b[b]);
    if (parts_ == 1) continue;
    re.add(-work.a[a + 1], work.b[b + 1]);
    im.add(work.a[a], work.b[b + 1]);
    im.add(work.a[a + 1], work.b[b]);
  }
  const auto first = static_cast<std::size_t>((i + j * m_) * parts_);
  const auto special = [](const Part& part) { return part.nan || part.plus || part.minus; };
  for (int p = 0; p < parts_; ++p) {
    const Part& part = p == 0 ? re : im;
    Word word{first + static_cast<std::size_t>(p), Kind::Finite, part.sum, part.weight.magnitude()};
    if (parts_ == 2 && (special(re) || special(im))) {
      word.kind = Kind::NotFinite;
    } else if (special(part)) {
      word.kind = part.nan || (part.plus && part.minus) ? Kind::NaN : part.plus ? Kind::Infinite : Kind::NegativelyInfinite;
    }
    words_.push_back(std::move(word));
  }
}

std::string Judge::fault_of(const Word& word, double value, double bound, double& error_u) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (word.kind == Kind::NaN) return std::isnan(value) ? "" : "must be NaN";
  if (word.kind == Kind::Infinite) return value == infinity ? "" : "must be Inf";
  if (word.kind == Kind::NegativelyInfinite) return value == -infinity ? "" : "must be -Inf";
  constexpr int overflow = 1024;
  const Magnitude exact = word.sum.magnitude();
  if (!exact.is_zero() && exact.exponent >= overflow - 1 && !std::isfinite(value)) return std::isnan(value) ? "must not be NaN" : "";
  if (!std::isfinite(value)) return "must be finite";
  ExactSum difference = word.sum;
  difference.subtract_product(value, 1.0);
  const Magnitude error = difference.magnitude();
  const double asked = bound >= 0 ? bound : 2.0 * static_cast<double>(terms_) * parts_;
  if (error.is_zero()) return "";
  const double in_u = word.weight.is_zero() ? infinity : error.over(word.weight) * 0x1p53;
  error_u = std::max(error_u, in_u);
  ExactSum of_rounding;  // half a unit in the last place of the result
  of_rounding.add_product(std::nextafter(std::fabs(value), infinity) - std::fabs(value), 0.5);
  const double rounding_u = word.weight.is_zero() ? 0 : of_rounding.magnitude().over(word.weight) * 0x1p53;
  return in_u <= (asked + rounding_u) * (1 + 0x1p-40) ? "" : fmt::format("errs by {:.4g} u|A||B|, {:.4g} are certified", in_u, asked);
}

Judge::Verdict Judge::judge(const std::vector<double>& c, double bound) const {
  Verdict verdict;
  for (std::size_t w = 0; w < words_.size(); ++w) {
    const Word& word = words_[w];
    if (word.kind == Kind::NotFinite) {  // at least one part of the entry
      const std::size_t entry = word.index / 2 * 2;
      const bool lost = std::isfinite(c[entry]) && std::isfinite(c[entry + 1]);
      if (lost && verdict.fault.empty()) verdict.fault = fmt::format("entry {}: must not be finite", entry / 2);
      continue;
    }
    const std::string fault = fault_of(word, c[word.index], bound, verdict.error_u);
    if (!fault.empty() && verdict.fault.empty()) {
      const auto entry = static_cast<Index>(word.index) / parts_;
      verdict.fault = fmt::format("C({},{}) = {:.17g} {}", entry % m_, entry / m_, c[word.index], fault);
    }
  }
  return verdict;
}

}  // namespace ab::cli
