// SPDX-License-Identifier: MIT
#include "support/data.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ab::test {
namespace {

enum class Side { Left, Right };

/// Where an entry stands: `outer` is the row of op(A) or column of op(B).
struct Place {
  Index outer, k, inner;
  Side side;
  bool left() const { return side == Side::Left; }
};

double times_power(double x, Index exponent) {
  return x * std::ldexp(1.0, static_cast<int>(exponent));
}

Index floor_divided(Index numerator, Index positive) {
  const Index quotient = numerator / positive;
  return quotient * positive > numerator ? quotient - 1 : quotient;
}

using Draw = double (*)(double x, const Place& at, Random& random);

struct Family {
  std::string_view name;
  Draw draw;  // x: a uniform number, always drawn first
};

constexpr std::array<Family, 22> table = {{
    {"uniform", [](double x, const Place&, Random&) { return x; }},
    {"normal", [](double, const Place&, Random& r) { return r.normal(); }},
    {"tails", [](double, const Place&, Random& r) { return r.tail(1.5); }},
    {"wide", [](double, const Place&, Random& r) { return r.tail(12); }},
    {"integers", [](double, const Place&, Random& r) { return static_cast<double>(r.below(1 << 21)) - (1 << 20); }},
    {"small", [](double, const Place&, Random& r) { return static_cast<double>(r.below(7)) - 3; }},
    {"float32", [](double x, const Place&, Random&) { return static_cast<double>(static_cast<float>(x)); }},
    {"powers", [](double x, const Place&, Random& r) { return times_power(x < 0 ? 1.0 : -1.0, static_cast<Index>(r.below(9)) - 4); }},
    {"checkerboard", [](double x, const Place& at, Random&) { return times_power(x, (at.k + (at.left() ? 1 : 0)) % 2 != 0 ? -32 : 0); }},
    {"opposed",
     [](double x, const Place& at, Random&) {
       const Index step = at.left() ? at.k : at.inner - 1 - at.k;
       return times_power(x, floor_divided(-60 * step, std::max<Index>(at.inner - 1, 1)));
     }},
    {"aligned",
     [](double x, const Place& at, Random&) { return times_power(x, floor_divided(-40 * at.k, std::max<Index>(at.inner - 1, 1))); }},
    {"scaled", [](double x, const Place& at, Random&) { return times_power(x, 300 * (at.outer % 3 - 1)); }},
    {"cancel", [](double x, const Place&, Random&) { return x; }},
    {"subnormal", [](double x, const Place& at, Random&) { return times_power(x, at.left() ? -1060 : 1000); }},
    {"underflow", [](double x, const Place& at, Random&) { return times_power(x, at.left() ? -540 : -533 - at.outer % 4); }},
    {"huge", [](double x, const Place& at, Random&) { return times_power(x, at.left() ? 700 : 300); }},
    {"overflow", [](double x, const Place& at, Random&) { return times_power(x, at.left() ? 512 : 511); }},
    {"zeros", [](double x, const Place&, Random& r) { return r.below(10) >= 3 ? x : 0.0; }},
    {"identity", [](double x, const Place& at, Random&) { return at.left() ? (at.outer == at.k ? 1.0 : 0.0) : x; }},
    {"triangle", [](double x, const Place& at, Random&) { return !at.left() || at.k <= at.outer ? x : 0.0; }},
    {"outlier", [](double x, const Place& at, Random&) { return times_power(x, at.left() && at.outer == 0 && at.k == 0 ? 600 : 0); }},
    {"one-sided", [](double x, const Place& at, Random&) { return at.left() ? std::fabs(x) : std::fabs(x) + 1.0; }},
}};

Draw draw_of(std::string_view name) {
  for (const Family& family : table) {
    if (family.name == name) return family.draw;
  }
  throw std::invalid_argument("no data family " + std::string(name));
}

/// The second half of the inner indices repeats the first, nearly negated: products cancel to 2^-45.
void cancel(Matrices& x) {
  const Index half = x.k / 2;
  for (Index l = half; l < 2 * half; ++l) {
    for (int p = 0; p < x.parts; ++p) {
      for (Index i = 0; i < x.m; ++i) x.at_a(i, l, p) = x.at_a(i, l - half, p);
      for (Index j = 0; j < x.n; ++j) x.at_b(l, j, p) = -x.at_b(l - half, j, p) * (1.0 + std::ldexp(1.0, -45));
    }
  }
}

const double marker = double_of(0x7FF4DEADDEADDEAD);

struct Storage {
  std::vector<double> data;
  Index ld;
};

/// Column-major storage of X with op(X) = the given rows x columns matrix (row by row).
Storage store(const std::vector<double>& x, const Shape& shape, int parts, const Recipe& recipe, Op op) {
  const Index rows = shape.m, columns = shape.n;
  const Index stored_rows = op == Op::None ? rows : columns, stored_columns = op == Op::None ? columns : rows;
  Storage out{{}, std::max<Index>(stored_rows + recipe.padding, 1)};
  out.data.assign(static_cast<std::size_t>(out.ld * stored_columns * parts), marker);
  for (Index c = 0; c < stored_columns; ++c) {
    for (Index r = 0; r < stored_rows; ++r) {
      const Index i = op == Op::None ? r : c, j = op == Op::None ? c : r;
      for (int p = 0; p < parts; ++p) {
        const double value = x[static_cast<std::size_t>((i * columns + j) * parts + p)];
        const bool negate = p == 1 && op == Op::ConjugateTranspose;
        out.data[static_cast<std::size_t>((c * out.ld + r) * parts + p)] = negate ? -value : value;
      }
    }
  }
  return out;
}

}  // namespace

Matrices matrices(std::string_view family, const Shape& shape, Type type, Random& random) {
  Matrices out{shape.m, shape.n, shape.k, type == Type::Complex ? 2 : 1, {}, {}};
  const Draw draw = draw_of(family);
  for (Index i = 0; i < shape.m; ++i) {
    for (Index l = 0; l < shape.k; ++l) {
      for (int p = 0; p < out.parts; ++p) out.a.push_back(draw(random.uniform(), {i, l, shape.k, Side::Left}, random));
    }
  }
  for (Index l = 0; l < shape.k; ++l) {
    for (Index j = 0; j < shape.n; ++j) {
      for (int p = 0; p < out.parts; ++p) out.b.push_back(draw(random.uniform(), {j, l, shape.k, Side::Right}, random));
    }
  }
  if (family == "cancel") cancel(out);
  return out;
}

void tilt(Matrices& x, Tilt left, Tilt right) {
  if (x.parts != 2) throw std::invalid_argument("only complex data has parts to tilt");
  for (std::size_t i = 1; i < x.a.size(); i += 2) x.a[i] = left ? std::ldexp(x.a[i], *left) : 0.0;
  for (std::size_t i = 1; i < x.b.size(); i += 2) x.b[i] = right ? std::ldexp(x.b[i], *right) : 0.0;
}

Call make_call(const Recipe& recipe, Random& random) {
  Matrices x = matrices(recipe.family, recipe.shape, recipe.type, random);
  if (recipe.edit) recipe.edit(x);
  const bool gemm = recipe.kind == Kind::Gemm;
  Call out;
  out.name = std::string(recipe.family);
  out.kind = recipe.kind, out.type = recipe.type, out.triangle = recipe.triangle;
  out.transa = recipe.transa, out.transb = recipe.transb;
  out.m = x.m, out.n = gemm ? x.n : x.m, out.k = x.k;
  out.alpha = recipe.alpha, out.beta = recipe.beta;
  Storage a = store(x.a, {x.m, x.k, 0}, x.parts, recipe, recipe.transa);
  out.a = std::move(a.data), out.lda = a.ld;
  if (gemm) {
    Storage b = store(x.b, {x.k, x.n, 0}, x.parts, recipe, recipe.transb);
    out.b = std::move(b.data), out.ldb = b.ld;
  }
  std::vector<double> values;
  for (Index i = 0; i < out.m * out.n * x.parts; ++i) values.push_back(random.uniform());
  Storage c = store(values, {out.m, out.n, 0}, x.parts, recipe, Op::None);
  out.c = std::move(c.data), out.ldc = c.ld;
  return out;
}

}  // namespace ab::test
