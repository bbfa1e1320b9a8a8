// SPDX-License-Identifier: MIT
#include "support/reference.hpp"

#include <cmath>
#include <cstdio>
#include <optional>
#include <ostream>

#include "support/oracle.hpp"
#include "support/reference_crt.hpp"
#include "support/reference_dd.hpp"
#include "support/reference_plan.hpp"

namespace ab::test {
namespace {

struct Value {  // an entry: one part, or two
  double re = 0, im = 0;
};

double stored(double x) {
  return std::isnan(x) ? double_of(nan_word) : x;
}

/// Section 4 in the host's FP64, which tests/support/word_test.cpp holds against golden/units.json.
Value ieee_dot(const Vectors& left, Index i, const Vectors& right, Index j) {
  Value out;
  double other = 0;
  for (Index k = 0; k < left.inner; ++k) {
    const double ar = double_of(left.part(i, 0)[k]), br = double_of(right.part(j, 0)[k]);
    out.re = std::fma(ar, br, out.re);
    if (left.parts == 1) continue;
    const double ai = double_of(left.part(i, 1)[k]), bi = double_of(right.part(j, 1)[k]);
    out.re = std::fma(-ai, bi, out.re);
    out.im = std::fma(ar, bi, out.im);
    other = std::fma(ai, br, other);
  }
  if (left.parts == 2) out.im = out.im + other;
  return out;
}

Value times(const Complex& s, const Value& x) {
  const double rr = s.real() * x.re, ii = s.imag() * x.im, ri = s.real() * x.im, ir = s.imag() * x.re;
  return {rr - ii, ri + ir};
}

/// Section 3 for the entries of one call.
class Epilogue {
 public:
  explicit Epilogue(const Call& call) : call_(call), real_scalars_(call.type == Type::Real || call.kind == Kind::Herk) {}

  Value scaled_c(const Value& c) const {
    if (is(call_.beta, 0)) return {};
    return real_scalars_ ? Value{call_.beta.real() * c.re, call_.beta.real() * c.im} : times(call_.beta, c);
  }

  Value combined(const Value& p, const Value& c) const {
    const Value t = is(call_.alpha, 1) && !real_scalars_ ? p : product(call_.alpha, p);
    if (is(call_.beta, 0)) return t;
    const Value u = is(call_.beta, 1) && !real_scalars_ ? c : product(call_.beta, c);
    return {t.re + u.re, t.im + u.im};
  }

  bool is(const Complex& s, double value) const { return s.real() == value && (real_scalars_ || s.imag() == 0); }

 private:
  Value product(const Complex& s, const Value& x) const { return real_scalars_ ? Value{s.real() * x.re, s.real() * x.im} : times(s, x); }

  const Call& call_;
  bool real_scalars_;
};

Value entry_of(const std::vector<double>& c, const Call& call, Index i, Index j) {
  const std::size_t at = call.at(i, j);
  return {c[at], call.type == Type::Complex ? c[at + 1] : 0};
}

void store(std::vector<double>& c, const Call& call, Index i, Index j, const Value& value) {
  const std::size_t at = call.at(i, j);
  c[at] = stored(value.re);
  if (call.type == Type::Complex) c[at + 1] = call.kind == Kind::Herk && i == j ? 0.0 : stored(value.im);
}

Verdict quick(const Call& call, const Epilogue& epilogue) {
  Verdict out{call.c, {}};
  if (epilogue.is(call.beta, 1)) return out;
  for (Index j = 0; j < call.n; ++j) {
    for (Index i = 0; i < call.m; ++i) {
      if (call.stores(i, j)) store(out.c, call, i, j, epilogue.scaled_c(entry_of(call.c, call, i, j)));
    }
  }
  return out;
}

Words ieee_words(const Call& call, const Vectors& left, const Vectors& right) {
  Words out(call.m, call.n, call.parts());
  for (Index i = 0; i < call.m; ++i) {
    for (Index j = 0; j < call.n; ++j) {
      if (!call.stores(i, j)) continue;
      const Value value = ieee_dot(left, i, right, j);
      out.at(i, j, 0) = word_of(value.re);
      if (out.parts == 2) out.at(i, j, 1) = word_of(value.im);
    }
  }
  return out;
}

Vectors finite_vectors(const Vectors& vectors, bool& all_finite) {
  Vectors out = vectors;
  for (Index v = 0; v < vectors.count; ++v) {
    if (is_finite(vectors, v)) continue;
    all_finite = false;
    std::fill_n(out.part(v, 0), vectors.parts * vectors.inner, Word{0});
  }
  return out;
}

/// Section 9; entries of non-finite vectors take the IEEE path one by one.
Words exact_words(const Call& call, const Vectors& left, const Vectors& right, Report& report) {
  bool finite = true;
  const Vectors a = finite_vectors(left, finite), b = finite_vectors(right, finite);
  const std::vector<Scanned> ra = scan_all(a), rb = scan_all(b);
  const std::optional<int> rung = reference_exact_rung({ra, rb, call.parts()});
  report.path = "exact";
  report.budget = reference_ladder[static_cast<std::size_t>(rung.value_or(static_cast<int>(reference_ladder.size()) - 1))];
  if (!finite) report.reason = "nonfinite";
  Words out = finite ? Words(call.m, call.n, call.parts()) : ieee_words(call, left, right);
  for (Index i = 0; i < call.m; ++i) {
    for (Index j = 0; j < call.n; ++j) {
      if (!call.stores(i, j) || !is_finite(left, i) || !is_finite(right, j)) continue;
      const auto parts = exact_entry(a, i, b, j);
      for (int p = 0; p < out.parts; ++p) {
        const ExactPart& part = parts[static_cast<std::size_t>(p)];
        out.at(i, j, p) = round_to_word(part.value, part.unit);
      }
    }
  }
  return out;
}

std::optional<Words> double_float(const Call& call, const Vectors& left, const Vectors& right, Report& report) {
  const std::vector<Scanned> a = scan_all(left), b = scan_all(right);
  const std::optional<int> form = reference_double_float_form({a, b, call.parts()}, call.k);
  if (!form) {
    report.reason = "range";
    return std::nullopt;
  }
  const std::int64_t factor = *form == 1 ? 3 * call.k + 13 : *form == 4 ? 3 * call.k + 16 : 6 * call.k + 45;
  report.path = "dd", report.level = "proof", report.bound = 1024 * 32 * factor;
  report.form = *form == 1 ? "1" : *form == 4 ? "4M" : "3M";
  return double_float_words(call, left, right, *form);
}

std::optional<Words> crt(const Call& call, const Vectors& left, const Vectors& right, Precision precision, Report& report) {
  const std::optional<Plan> plan = reference_plan(precision, left, right);
  if (!plan) {
    report.reason = "uncertified";
    return std::nullopt;
  }
  report.path = "crt";
  report.form = plan->split ? "split" : call.parts() == 2 ? "3M" : "1";
  report.level = "G" + std::to_string(plan->rung.level);
  report.budget = reference_ladder[static_cast<std::size_t>(plan->rung.index)];
  report.bound = plan->rung.bound;
  report.look = plan->look;
  report.kappa = plan->kappa.empty() ? 0 : 1;
  report.escalations = plan->rung.index - reference_first(precision);
  return crt_words(call, left, right, *plan);
}

bool all_finite(const Vectors& vectors) {
  for (Index v = 0; v < vectors.count; ++v) {
    if (!is_finite(vectors, v)) return false;
  }
  return true;
}

}  // namespace

Verdict judge(const Call& call, Precision precision) {
  const Epilogue epilogue(call);
  if (epilogue.is(call.alpha, 0) || call.k == 0) return quick(call, epilogue);
  const Vectors left = left_vectors(call), right = right_vectors(call);
  const bool finite = all_finite(left) && all_finite(right);
  Verdict out{call.c, {}};
  std::optional<Words> p;
  if (precision == Precision::Exact) {
    p = exact_words(call, left, right, out.report);
  } else if (!finite) {
    out.report.reason = "nonfinite";
  } else if (precision == Precision::DoubleFloat) {
    p = double_float(call, left, right, out.report);
  } else {
    p = crt(call, left, right, precision, out.report);
  }
  if (!p) {
    p = ieee_words(call, left, right);
    out.report.path = "ieee";
    out.report.level = finite ? "proof" : "none";
    out.report.bound = finite ? 1024 * call.k * call.parts() : -1;
  }
  for (Index j = 0; j < call.n; ++j) {
    for (Index i = 0; i < call.m; ++i) {
      if (!call.stores(i, j)) continue;
      const Value value{double_of(p->at(i, j, 0)), call.parts() == 2 ? double_of(p->at(i, j, 1)) : 0};
      store(out.c, call, i, j, epilogue.combined(value, entry_of(call.c, call, i, j)));
    }
  }
  return out;
}

ProductReport expected_report(const Report& report, Precision precision, ModuliFamily family) {
  static const std::array<std::vector<std::int64_t>, 3> lists = {coprime_from(256, 20), coprime_from(1023, 15), coprime_from(2047, 14)};
  ProductReport out;
  out.precision = precision;
  out.escalations = report.escalations;
  out.bound = report.bound < 0 ? -1 : static_cast<double>(report.bound) / 1024;
  out.complex_form = report.form == "3M" ? 3 : report.form == "4M" || report.form == "split" ? 4 : 0;
  out.guard = report.level.size() == 2 ? report.level[1] - '0' : report.level == "proof" || report.path == "exact" ? 4 : -1;
  for (int r = 0; r < static_cast<int>(Reason::Count); ++r) {
    if (report.reason == word_of(static_cast<Reason>(r))) out.fallback_reason = static_cast<Reason>(r);
  }
  out.scheme = report.path == "crt"     ? static_cast<Scheme>(static_cast<int>(Scheme::CrtInt8) + static_cast<int>(family))
               : report.path == "dd"    ? Scheme::DoubleFloat
               : report.path == "exact" ? Scheme::Exact
               : report.path == "ieee"  ? Scheme::Ieee
                                        : Scheme::Trivial;
  if (report.path != "crt") return out;
  BigInt product = 1;
  for (const std::int64_t m : lists[static_cast<std::size_t>(family)]) {
    if ((product >> report.budget) != 0) break;
    product *= m;
    ++out.moduli;
  }
  return out;
}

std::string difference(const Call& call, const std::vector<double>& expected, const std::vector<double>& got) {
  if (expected.size() != got.size()) return "arrays of " + std::to_string(expected.size()) + " and " + std::to_string(got.size());
  for (std::size_t at = 0; at < expected.size(); ++at) {
    if (word_of(expected[at]) == word_of(got[at])) continue;
    char text[200];
    const Index entry = static_cast<Index>(at) / call.parts();
    std::snprintf(text, sizeof text, "%s: entry (%lld, %lld) part %lld: expected %016llx (%g), got %016llx (%g)", call.name.c_str(),
                  static_cast<long long>(entry % call.ldc), static_cast<long long>(entry / call.ldc),
                  static_cast<long long>(static_cast<Index>(at) % call.parts()), static_cast<unsigned long long>(word_of(expected[at])),
                  expected[at], static_cast<unsigned long long>(word_of(got[at])), got[at]);
    return text;
  }
  return "";
}

std::ostream& operator<<(std::ostream& out, const Report& r) {
  return out << "path " << r.path << " form " << r.form << " level " << r.level << " budget " << r.budget << " bound " << r.bound
             << " look " << r.look << " kappa " << r.kappa << " escalations " << r.escalations << " reason " << r.reason;
}

}  // namespace ab::test
