// SPDX-License-Identifier: MIT
#include "ops/level3.hpp"

#include <cstring>

#include "core/host_arithmetic.hpp"
#include "core/thread_state.hpp"
#include "ops/cap_share.hpp"
#include "ops/expand.hpp"
#include "ops/triangular.hpp"

namespace ab::ops {
namespace {

// A buffer of our own in place of a result that an operand shares, or that is not the result yet.
template <Scalar T>
std::unique_ptr<T[]> scratch(Index rows, Index columns) {
  return std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(rows * columns));
}

template <Scalar T>
void copy_columns(const T* from, const GemmProblem<T>& to) {
  for (Index j = 0; j < to.n; ++j) std::memcpy(to.c.data + j * to.c.ld, from + j * to.m, static_cast<std::size_t>(to.m) * sizeof(T));
}

template <Scalar T>
Outcome multiply_expanded(Context& context, const GemmProblem<T>& problem, const Choices& choices) {
  GemmProblem<T> product = problem;
  Operand<T>& special = problem.a.form != Form::General ? product.a : product.b;
  const Index size = problem.a.form != Form::General ? problem.m : problem.n;
  const std::unique_ptr<T[]> full = expand(special, size);
  special = {full.get(), size, special.op};
  const bool in_place = is_triangular(problem.a.form) || is_triangular(problem.b.form);
  if (!in_place) return gemm(context, product, choices);
  const std::unique_ptr<T[]> result = scratch<T>(problem.m, problem.n);
  product.c = {result.get(), problem.m};
  Outcome outcome = gemm(context, product, choices);
  if (!outcome.declined) copy_columns(result.get(), problem);
  return outcome;
}

template <Scalar T>
Outcome update_rank_two(Context& context, const GemmProblem<T>& problem, const Choices& choices) {
  const Index n = problem.n;
  const std::unique_ptr<T[]> u = scratch<T>(n, n);
  GemmProblem<T> product = problem;
  product.operation = Operation::Product;
  product.triangle = Triangle::Full;
  product.hermitian = false;
  product.beta = 0;
  product.c = {u.get(), n};
  Outcome outcome = gemm(context, product, choices);
  if (outcome.declined) return outcome;
  for (Index j = 0; j < n; ++j) {
    const auto [first, last] = rows_in(problem.triangle, j, n);
    for (Index i = first; i < last; ++i) {
      const T entry = u[static_cast<std::size_t>(i + j * n)], mirrored = u[static_cast<std::size_t>(j + i * n)];
      store(problem.c.data + i + j * problem.c.ld, rank_two_entry(problem, entry, mirrored, i, j));
    }
  }
  return outcome;
}

// The unknowns of one side of the equation next to each other: element (i, j) of B is unknown i of side j (left), or j of i.
template <Scalar T, class Visit>
void for_each_unknown(const GemmProblem<T>& problem, Side side, Visit visit) {
  for (Index j = 0; j < problem.n; ++j) {
    for (Index i = 0; i < problem.m; ++i) {
      visit(problem.c.data + i + j * problem.c.ld, side == Side::Left ? i * problem.n + j : j * problem.m + i);
    }
  }
}

template <Scalar T>
std::vector<T> scaled_right_sides(const GemmProblem<T>& problem, Side side) {
  std::vector<T> x(static_cast<std::size_t>(problem.m * problem.n));
  for_each_unknown(problem, side, [&](const T* b, Index place) {
    x[static_cast<std::size_t>(place)] = problem.alpha == T(1) ? load(b) : with_defined_nan(ab::multiply(problem.alpha, load(b)));
  });
  return x;
}

template <Scalar T>
TriangularSystem system_of(const Operand<T>& t, Side side, Index size) {
  constexpr Index words = words_of<T>;
  const bool transposed = (t.op != Op::None) != (side == Side::Right);
  TriangularSystem system{};
  system.row_stride = transposed ? words * size : words;
  system.column_stride = transposed ? words : words * size;
  system.triangle = transposed ? flipped(t.stored) : t.stored;
  system.diagonal = t.form == Form::UnitTriangular ? Diagonal::Unit : Diagonal::Stored;
  system.conjugate = words == 2 && t.op == Op::ConjugateTranspose;
  return system;
}

ProductReport report_of(const Context& context, const SeriesReport& done, Precision precision) {
  if (done.report.scheme != Scheme::None) return done.report;
  ProductReport report;
  report.precision = precision;
  report.scheme = Scheme::Ieee;
  report.engine = Engine::Device;
  report.device = context.index();
  return report;
}

template <Scalar T>
Outcome solve(Context& context, const GemmProblem<T>& problem, Choices choices) {
  const Side side = is_triangular(problem.a.form) ? Side::Left : Side::Right;
  const Operand<T>& t = side == Side::Left ? problem.a : problem.b;
  const Index size = problem.k, sides = side == Side::Left ? problem.n : problem.m;
  const auto words = static_cast<std::size_t>(size * (size + sides));
  const Extent extent = {size, sides, size, words_of<T>};
  const Need of_products = need_of(context, choices, extent);
  const CapShare share(context, choices, {of_products.all + static_cast<double>(words * sizeof(T)), of_products.besides});
  choices = share.within(choices);
  const Index left_bytes = choices.cap_bytes - static_cast<Index>(words * sizeof(T));
  if (left_bytes < 0 && !choices.may_exceed_cap) return {Decline{Reason::MemoryCap}, {}};
  choices.cap_bytes = std::max<Index>(0, left_bytes);

  const std::unique_ptr<T[]> full = expand(t, size);
  const Lease t_on_device = upload(context, std::span<const T>(full.get(), static_cast<std::size_t>(size * size)));
  const Lease x_on_device = upload(context, std::span<const T>(scaled_right_sides(problem, side)));
  TriangularSystem system = system_of(t, side, size);
  system.t = t_on_device.slice();
  system.x = packed_unknowns<T>(x_on_device.slice(), size, sides);
  CallWatch* const watch = thread_state().watch;
  if (watch != nullptr) watch->copied_in(static_cast<Index>(words * sizeof(T)));
  const SeriesOutcome outcome = solve_in_place<T>(context, system, choices);
  if (outcome.declined) return {outcome.declined, {}};
  const std::vector<T> x = download<T>(context, x_on_device, static_cast<std::size_t>(size * sides));
  if (watch != nullptr) watch->copied_out(size * sides * static_cast<Index>(sizeof(T)));
  for_each_unknown(problem, side, [&](T* to, Index place) { store(to, x[static_cast<std::size_t>(place)]); });
  return {std::nullopt, report_of(context, outcome.done, choices.precision)};
}

}  // namespace

template <Scalar T>
Outcome compute(Context& context, const GemmProblem<T>& problem, const Choices& choices) {
  if (problem.operation == Operation::Solve) return solve(context, problem, choices);
  if (problem.operation == Operation::RankTwo) return update_rank_two(context, problem, choices);
  if (problem.a.form != Form::General || problem.b.form != Form::General) return multiply_expanded(context, problem, choices);
  return gemm(context, problem, choices);
}

template Outcome compute(Context&, const GemmProblem<double>&, const Choices&);
template Outcome compute(Context&, const GemmProblem<Complex>&, const Choices&);

}  // namespace ab::ops
