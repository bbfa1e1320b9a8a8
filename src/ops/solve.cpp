// SPDX-License-Identifier: MIT
#include "ops/solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "numerics/equilibrate.hpp"
#include "numerics/lu.hpp"
#include "ops/cap_share.hpp"
#include "ops/steps.hpp"

namespace ab::ops {
namespace {

using Values = std::vector<double>;
using DoubleFactors = numerics::LuFactors<double>;

constexpr int most_steps = 30;          // as LAPACK's DSGESV
constexpr double least_progress = 0.5;  // of a residual from one step to the next (chosen)

struct Scaled {  // the equilibrated system
  Index n, sides;
  Values a, b;
  double norm;  // |A|_inf
};

double norm_of(const Values& a, Index n) {
  double norm = 0;
  for (Index i = 0; i < n; ++i) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) sum += std::abs(a[static_cast<std::size_t>(i * n + j)]);
    norm = std::max(norm, sum);
  }
  return norm;
}

// Largest magnitude of each side; NaN where there is a NaN.
Values norms_of(const Values& x, Index sides) {
  Values norms(static_cast<std::size_t>(sides), 0.0);
  for (std::size_t at = 0; at < x.size(); ++at) {
    double& norm = norms[at % norms.size()];
    if (!(std::abs(x[at]) <= norm)) norm = std::abs(x[at]);
  }
  return norms;
}

// Factors in single precision whose pivots stand above their own rounding errors: below that, only FP64 can tell whether the matrix is
// singular. They come as doubles, since what is solved with them has the range of doubles.
std::optional<DoubleFactors> factor_in_single(const Scaled& system) {
  const auto factors = numerics::factor(std::vector<float>(system.a.begin(), system.a.end()), system.n);
  if (!factors) return std::nullopt;
  const float least = 4.0f * std::sqrt(static_cast<float>(system.n)) * 0x1p-24f;  // chosen: a few roundings of entries near 1
  for (Index i = 0; i < system.n; ++i) {
    if (!(std::abs(factors->lu[static_cast<std::size_t>(i * (system.n + 1))]) > least)) return std::nullopt;
  }
  return DoubleFactors{factors->n, Values(factors->lu.begin(), factors->lu.end()), factors->rows};
}

class Residuals {  // B - A X on the device
 public:
  Residuals(Context& context, const LinearSystem& given, const Scaled& system, Series& series)
      : context_(context), series_(series), contents_(given.scaled_contents), bytes_(system.b.size() * 8) {
    a_ = upload(context, std::span<const double>(system.a));
    b_ = upload(context, std::span<const double>(system.b));
    x_ = context.lease(bytes_);
    residual_ = context.lease(bytes_);
    product_.left = {.parts = {a_.slice(), {}}, .vectors = system.n, .inner = system.n, .vector_stride = system.n, .inner_stride = 1};
    product_.left.contents = {contents_, 0};
    product_.right = {.parts = {x_.slice(), {}}, .vectors = system.sides, .inner = system.n, .vector_stride = 1};
    product_.right.inner_stride = system.sides;
    product_.c = {.parts = {residual_.slice(), residual_.slice()}, .rows = system.n, .columns = system.sides};
    product_.c.row_stride = system.sides;
    product_.c.column_stride = 1;
    product_.alpha = -1;
    product_.beta = 1;
  }
  Residuals(const Residuals&) = delete;
  Residuals& operator=(const Residuals&) = delete;
  ~Residuals() { forget(context_, contents_); }

  Values of(const Values& x) {
    context_.queue().write(x_.memory(), 0, std::as_bytes(std::span(x)));
    context_.queue().copy(b_.slice(), residual_.slice(), bytes_);
    series_.multiply(product_);
    return download<double>(context_, residual_, x.size());
  }

 private:
  Context& context_;
  Series& series_;
  std::uint64_t contents_;
  std::size_t bytes_;
  Lease a_, b_, x_, residual_;
  Product product_;
};

// The sides still to be refined; none left: converged. No value: one of them does not get better any more.
std::optional<std::vector<bool>> sides_left(const Scaled& system, const Values& x, const Values& now, const Values& before) {
  const double target = std::sqrt(static_cast<double>(system.n)) * 0x1p-53 * system.norm;
  const Values sizes = norms_of(x, system.sides);
  std::vector<bool> left(now.size(), false);
  for (std::size_t k = 0; k < now.size(); ++k) {
    if (now[k] <= target * sizes[k]) continue;
    if (!(now[k] <= least_progress * before[k])) return std::nullopt;  // also NaN
    left[k] = true;
  }
  return left;
}

std::optional<Values> refine(Context& context, const LinearSystem& given, const Scaled& system, Series& series) {
  const std::optional<DoubleFactors> factors = factor_in_single(system);
  if (!factors) return std::nullopt;
  Residuals residuals(context, given, system, series);
  Values x(system.b.size(), 0.0), residual = system.b, norms = norms_of(residual, system.sides);
  std::vector<bool> left(norms.size(), true);
  for (int step = 0; step < most_steps; ++step) {
    const Values change = numerics::solve(*factors, residual, system.sides);
    for (std::size_t at = 0; at < x.size(); ++at) {
      if (left[at % left.size()]) x[at] += change[at];
    }
    residual = residuals.of(x);
    const Values before = std::exchange(norms, norms_of(residual, system.sides));
    const std::optional<std::vector<bool>> still = sides_left(system, x, norms, before);
    if (!still) return std::nullopt;
    left = *still;
    if (std::find(left.begin(), left.end(), true) == left.end()) return x;
  }
  return std::nullopt;
}

Values solve_in_double(const Scaled& system) {
  const auto factors = numerics::factor(system.a, system.n);
  if (!factors) throw Error(Status::Singular, "A is exactly singular: a column has no pivot but zero");
  Values x = numerics::solve(*factors, system.b, system.sides);
  for (double& value : x) {
    if (value != value) value = std::numeric_limits<double>::quiet_NaN();  // which one a host makes depends on its kind
  }
  return x;
}

// Scaling has rounded an entry, which is far below the largest of its row and column; it may be a pivot all the same.
bool has_rounded(const Values& given, const Values& scaled) {
  for (std::size_t at = 0; at < given.size(); ++at) {
    if (given[at] != 0 && std::abs(scaled[at]) < std::numeric_limits<double>::min()) return true;
  }
  return false;
}

// What computed X was no product of the class.
void report_factors(ProductReport& report, Precision precision, Reason why) {
  report = {.precision = precision, .scheme = Scheme::Ieee, .engine = Engine::Host, .escalations = report.escalations};
  report.fallback_reason = why;
}

Values read(Context& context, const device::Slice& slice, Index count) {
  Values values(static_cast<std::size_t>(count));
  context.queue().read(*slice.memory, slice.offset, std::as_writable_bytes(std::span(values)));
  return values;
}

}  // namespace

SeriesOutcome solve_linear(Context& context, const LinearSystem& given, Precision precision) {
  const Values a = read(context, given.a, given.n * given.n), b = read(context, given.b, given.n * given.sides);
  const numerics::Equilibration scale = numerics::equilibrate(a, b, given.n, given.sides);
  Scaled system{given.n, given.sides, numerics::scaled_matrix(scale, a), numerics::scaled_sides(scale, b), 0};
  system.norm = norm_of(system.a, system.n);
  const Choices choices = {.precision = precision, .may_exceed_cap = true, .private_result = true};
  const auto n = static_cast<double>(given.n), sides = static_cast<double>(given.sides);
  const Need of_products = need_of(context, choices, {given.n, given.sides, given.n, 1});
  const CapShare share(context, choices, with_buffers(of_products, sizeof(double) * n * (n + 3 * sides)));
  Series series(context, share.within(choices));
  std::optional<Values> x;
  try {
    if (scale.finite) x = refine(context, given, system, series);
  } catch (const Series::Declined& declined) {
    return {declined.decline, {}};
  }
  SeriesReport done = series.done();
  if (!x) {
    const bool as_given = has_rounded(a, system.a);
    x = solve_in_double(as_given ? Scaled{given.n, given.sides, a, b, 0} : system);
    if (!as_given) numerics::unscale(scale, *x);
    report_factors(done.report, precision, scale.finite ? Reason::NotConverged : Reason::Nonfinite);
  } else {
    numerics::unscale(scale, *x);
  }
  context.queue().write(*given.b.memory, given.b.offset, std::as_bytes(std::span<const double>(*x)));
  return {std::nullopt, done};
}

}  // namespace ab::ops
