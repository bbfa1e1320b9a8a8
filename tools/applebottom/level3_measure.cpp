// SPDX-License-Identifier: MIT
#include "level3_measure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <functional>

#include "samples.hpp"
#include "workload.hpp"

namespace ab::cli {
namespace {

using Matrix = std::function<Complex(Index, Index)>;  // of a matrix, by row and column

Matrix stored(const std::vector<double>& words, Index ld, int parts) {
  return [&words, ld, parts](Index i, Index j) {
    const auto at = static_cast<std::size_t>((i + j * ld) * parts);
    return Complex(words[at], parts == 2 ? words[at + 1] : 0.0);
  };
}

Matrix with_op(const Matrix& x, Op op) {
  if (op == Op::None) return x;
  return [x, conjugate = op == Op::ConjugateTranspose](Index i, Index j) { return conjugate ? std::conj(x(j, i)) : x(j, i); };
}

// A whole matrix of which one triangle is stored: mirrored, or with zeros.
Matrix special(const Level3Call& call) {
  const Matrix a = stored(call.a, call.arguments.lda, call.parts());
  const bool upper = call.arguments.uplo == Triangle::Upper, hermitian = call.routine->hermitian;
  const bool unit = call.arguments.diag == Diagonal::Unit;
  if (call.routine->family == Family::Symmetric) {
    return [=](Index i, Index j) {
      if (i == j) return hermitian ? Complex(a(i, i).real()) : a(i, i);
      if ((i < j) == upper) return a(i, j);
      return hermitian ? std::conj(a(j, i)) : a(j, i);
    };
  }
  return [=](Index i, Index j) {
    if (i == j) return unit ? Complex(1) : a(i, i);
    return (i < j) == upper ? a(i, j) : Complex(0);
  };
}

// C = L R, or with `c` among the factors where that is what is to be judged.
struct Factors {
  Matrix left, right, result;
  Index inner;
};

Factors rank_factors(const Level3Call& call, const std::vector<double>& c) {
  const Arguments& x = call.arguments;
  const Op op = *x.op_a, other = blas::opposite(*call.routine, op);
  const Matrix a = stored(call.a, x.lda, call.parts()), result = stored(c, x.ldc, call.parts());
  if (call.routine->family == Family::RankK) return {with_op(a, op), with_op(a, other), result, x.k};
  const Matrix b = stored(call.b, x.ldb, call.parts()), al = with_op(a, op), bl = with_op(b, op), ar = with_op(a, other),
               br = with_op(b, other);
  return {[=, k = x.k](Index i, Index l) { return l < k ? al(i, l) : bl(i, l - k); },
          [=, k = x.k](Index l, Index j) { return l < k ? br(l, j) : ar(l - k, j); }, result, 2 * x.k};
}

Factors sided_factors(const Level3Call& call, const std::vector<double>& c) {
  const Arguments& x = call.arguments;
  const bool left = x.side == Side::Left;
  const Index order = left ? x.m : x.n;
  const Matrix t = with_op(special(call), *x.op_a);
  if (call.routine->family == Family::Symmetric) {
    const Matrix b = stored(call.b, x.ldb, call.parts());
    return {left ? t : b, left ? b : t, stored(c, x.ldc, call.parts()), order};
  }
  const Matrix given = stored(call.c, x.ldb, call.parts()), written = stored(c, x.ldb, call.parts());
  const bool equation = call.routine->family == Family::TriangularSolve;
  const Matrix& factor = equation ? written : given;
  return {left ? t : factor, left ? factor : t, equation ? given : written, order};
}

Factors factors_of(const Level3Call& call, const std::vector<double>& c) {
  const Arguments& x = call.arguments;
  switch (variants_of(*call.routine)) {
    case Variants::TriangleAndTranspose:
      return rank_factors(call, c);
    case Variants::SideAndTriangle:
      return sided_factors(call, c);
    default:
      return {with_op(stored(call.a, x.lda, call.parts()), *x.op_a), with_op(stored(call.b, x.ldb, call.parts()), *x.op_b),
              stored(c, x.ldc, call.parts()), x.k};
  }
}

std::vector<Index> sample(Index size, Generator& generator) {
  constexpr Index most = 10;
  std::vector<Index> some = {0, size - 1};
  while (static_cast<Index>(some.size()) < most) some.push_back(generator.integer(0, size - 1));
  return some;
}

void append(std::vector<double>& words, const Complex& value, int parts) {
  words.push_back(value.real());
  if (parts == 2) words.push_back(value.imag());
}

// Of an update, whose result is a triangle.
bool is_outside(const Level3Call& call, Index row, Index column) {
  if (row == column || variants_of(*call.routine) == Variants::SideAndTriangle) return false;
  if (call.arguments.uplo == Triangle::Full) return false;
  return (row < column) != (call.arguments.uplo == Triangle::Upper);
}

double error_of_entry(const Level3Call& call, const Factors& factors, Index row, Index column) {
  Workload work{call.parts() == 1 ? Operation::Dgemm : Operation::Zgemm, {1, 1, factors.inner}, {}, {}, {}};
  std::vector<double> entry;
  for (Index l = 0; l < factors.inner; ++l) {
    append(work.a, factors.left(row, l), call.parts());
    append(work.b, factors.right(l, column), call.parts());
  }
  append(entry, factors.result(row, column), call.parts());
  return error_in_u(work, entry, Entries::All);
}

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

ABProduct last_product() {
  ABProduct product = {};
  product.struct_size = sizeof product;
  ab_last_product(&product);
  return product;
}

// As measure.cpp has it for dtrsm. Every further product or sum of a routine adds roundings of its own.
double allowed_error(const Level3Call& call, const ABProduct& product) {
  constexpr double slack = 1.0 + 0x1p-20;
  if (call.routine->family != Family::TriangularSolve) return (std::max(product.bound, 0.0) + 3.0) * slack;
  constexpr Index substituted = 64;  // unknowns that are solved without products
  const Index order = call.arguments.side == Side::Left ? call.arguments.m : call.arguments.n;
  const auto products = static_cast<double>(std::bit_width(static_cast<std::uint64_t>((order - 1) / substituted)));
  return call.parts() * (products * std::max(product.bound, 0.0) + 2.0 * (substituted + products + 2.0)) * slack;
}

std::string fault_of(const Level3Call& call, const std::vector<double>& c, int device, ABPrecision precision) {
  const ABProduct product = last_product();
  if (product.engine != AB_ENGINE_DEVICE || product.device != device || product.fallback_reason[0] != '\0') {
    return fmt::format("did not run on {}: {} {}", device_traits(device).id, product.route_reason, product.fallback_reason);
  }
  if (product.precision != precision) return "ran in another class";
  const double error = error_of_level3(call, c), allowed = allowed_error(call, product);
  return error <= allowed ? "" : fmt::format("error {:.3g} exceeds the certified bound {:.3g} plus rounding", error, product.bound);
}

Arguments arguments_of(const GridPoint& point) {
  const auto& [m, n, k] = point.shape;
  const auto [first, second] = point.letters;
  Arguments x;
  x.m = m, x.n = n, x.k = k;
  switch (variants_of(*point.routine)) {
    case Variants::TriangleAndTranspose:
      x.uplo = triangle_of_letter(first), x.op_a = op_of_letter(second);
      if (point.routine->family == Family::RankTwo) x.k = k / 2;
      x.lda = x.ldb = x.op_a == Op::None ? n : x.k;
      break;
    case Variants::SideAndTriangle:
      x.side = side_of_letter(first), x.uplo = triangle_of_letter(second);
      x.lda = k, x.ldb = m;
      break;
    default:
      if (point.routine->family == Family::Gemmt) x.uplo = Triangle::Upper;
      x.op_a = op_of_letter(first), x.op_b = op_of_letter(second);
      x.lda = x.op_a == Op::None ? m : k, x.ldb = x.op_b == Op::None ? k : n;
  }
  x.ldc = m;
  return x;
}

}  // namespace

Level3Call call_of(const GridPoint& point) {
  Generator generator(1);
  return make_level3_call(*point.routine, arguments_of(point), {1.0, 0.0}, 1, generator);
}

double error_of_level3(const Level3Call& call, const std::vector<double>& c) {
  const Factors factors = factors_of(call, c);
  Generator generator(0x5A3D);
  const std::vector<Index> rows = sample(call.matrices.c.rows, generator), columns = sample(call.matrices.c.columns, generator);
  double largest = 0;
  for (const Index row : rows) {
    for (const Index column : columns) {
      const bool exists = !is_outside(call, row, column);  // else its mirror image does
      largest = std::max(largest, exists ? error_of_entry(call, factors, row, column) : error_of_entry(call, factors, column, row));
    }
  }
  return largest;
}

Level3Times measure_level3(const Level3Call& call, int device, ABPrecision precision, const Level3Timing& timing) {
  use_device(device);
  if (ab_set_precision(precision) != AB_OK) throw Failure(Exit::WrongUsage, ab_last_error());
  const host_blas::Library& host = *host_blas::library();
  std::vector<double> of_host, of_device;
  std::vector<Sample> host_samples, device_samples;
  std::uint64_t first_bits = 0;
  Level3Times times;
  for (int run = -timing.warmup; run < timing.runs; ++run) {
    of_host = call.c;
    const double host_s = seconds_of([&] { run_level3(host, call, of_host); });
    of_device = call.c;
    const double device_s = seconds_of([&] { run_level3(call, of_device); });
    if (run == -timing.warmup) first_bits = checksum(of_device);
    if (run < 0) continue;
    host_samples.push_back({host_s, std::nullopt});
    device_samples.push_back({device_s, std::nullopt});
  }
  times.host_s = median_seconds(host_samples);
  times.device_s = median_seconds(device_samples);
  times.fault = first_bits != checksum(of_device) ? "two runs gave different bits" : fault_of(call, of_device, device, precision);
  return times;
}

}  // namespace ab::cli
