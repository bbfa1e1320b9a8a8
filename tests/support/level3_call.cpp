// SPDX-License-Identifier: MIT
#include "support/level3_call.hpp"

#include <bit>

namespace ab::test {
namespace {

const double poison = std::bit_cast<double>(std::uint64_t{0x7FF8DEAD00C0FFEE});

bool is_real(const Level3Call& call) {
  return !call.routine->complex;
}

/// A stored matrix of words.
struct Stored {
  std::vector<double>& words;
  Index ld;
  Layout layout;
  int parts;

  std::size_t place(Index i, Index j) const {
    return static_cast<std::size_t>((layout == Layout::Columns ? i + j * ld : i * ld + j) * parts);
  }
  Complex get(Index i, Index j) const { return {words[place(i, j)], parts == 2 ? words[place(i, j) + 1] : 0.0}; }
  void set(Index i, Index j, Complex value) const {
    words[place(i, j)] = value.real();
    if (parts == 2) words[place(i, j) + 1] = value.imag();
  }
};

struct Shape2 {
  Index rows, columns;
};

/// Allocates with a leading dimension that leaves room, all poison.
Index make_room(std::vector<double>& words, Shape2 shape, const Level3Call& call, Index padding) {
  const bool by_columns = call.layout == Layout::Columns;
  const Index ld = std::max<Index>(1, by_columns ? shape.rows : shape.columns) + padding;
  words.assign(static_cast<std::size_t>(ld * (by_columns ? shape.columns : shape.rows) * (is_real(call) ? 1 : 2)), poison);
  return ld;
}

Stored view(std::vector<double>& words, Index ld, const Level3Call& call) {
  return {words, ld, call.layout, is_real(call) ? 1 : 2};
}

Complex small(const Level3Call& call, const Draw& draw) {
  const auto re = static_cast<double>(draw(7) - 3);
  return {re, is_real(call) ? 0.0 : static_cast<double>(draw(7) - 3)};
}

Complex applied(Complex x, Op op) {
  return op == Op::ConjugateTranspose ? std::conj(x) : x;
}

bool inside(Triangle triangle, Index i, Index j) {
  return triangle == Triangle::Full || (triangle == Triangle::Upper ? i <= j : i >= j);
}

using Entries = std::function<Complex(Index, Index)>;

/// op(X) of a stored matrix.
Entries under(const Stored& x, Op op) {
  return [x, op](Index i, Index j) { return applied(op == Op::None ? x.get(i, j) : x.get(j, i), op); };
}

/// The whole of a matrix of which one triangle is stored.
Entries whole(const Level3Call& call, const Stored& x) {
  const bool hermitian = call.routine->hermitian;
  const Triangle uplo = *call.arguments.uplo;
  return [x, hermitian, uplo](Index i, Index j) {
    if (i == j) return hermitian ? Complex(x.get(i, i).real(), 0) : x.get(i, i);
    if (inside(uplo, i, j)) return x.get(i, j);
    return hermitian ? std::conj(x.get(j, i)) : x.get(j, i);
  };
}

Entries triangle_of(const Level3Call& call, const Stored& x) {
  const auto uplo = *call.arguments.uplo;
  const auto op = *call.arguments.op_a;
  const bool unit = *call.arguments.diag == Diagonal::Unit;
  return [x, uplo, op, unit](Index i, Index j) {
    if (op != Op::None) std::swap(i, j);
    if (i == j && unit) return Complex(1, 0);
    return inside(uplo, i, j) ? applied(x.get(i, j), op) : Complex(0, 0);
  };
}

Complex inner(const Entries& a, const Entries& b, Index i, Index j, Index k) {
  Complex sum = 0;
  for (Index l = 0; l < k; ++l) sum += a(i, l) * b(l, j);
  return sum;
}

void fill(const Stored& x, Shape2 shape, const std::function<bool(Index, Index)>& which, const std::function<Complex()>& value) {
  for (Index j = 0; j < shape.columns; ++j) {
    for (Index i = 0; i < shape.rows; ++i) {
      if (which(i, j)) x.set(i, j, value());
    }
  }
}

/// What every family gives: P of C = alpha P + beta C, and which entries of C there are.
struct Meaning {
  Shape2 c;
  Triangle triangle;
  Entries product;  // alpha included
};

Shape2 turned(Op op, Index rows, Index columns) {
  return op == Op::None ? Shape2{rows, columns} : Shape2{columns, rows};
}

void set_expected(Level3Call& call, const Meaning& meaning, bool reads_factors) {
  Arguments& x = call.arguments;
  const bool hermitian = call.routine->hermitian && meaning.triangle != Triangle::Full;
  const Stored c = view(call.c, x.ldc, call);
  call.expected = call.c;
  const Stored out = view(call.expected, x.ldc, call);
  if (!reads_factors && call.beta == 1.0) return;
  for (Index j = 0; j < meaning.c.columns; ++j) {
    for (Index i = 0; i < meaning.c.rows; ++i) {
      if (!inside(meaning.triangle, i, j)) continue;
      Complex value = reads_factors ? meaning.product(i, j) : 0.0;
      if (call.beta != 0.0) value += call.beta * c.get(i, j);
      out.set(i, j, hermitian && i == j ? Complex(value.real(), 0) : value);
    }
  }
}

Meaning meaning_of_factors(Level3Call& call, const Draw& draw, bool reads) {
  Arguments& x = call.arguments;
  const bool gemmt = call.routine->family == Family::Gemmt;
  if (gemmt) x.m = x.n;
  const Shape2 a = turned(*x.op_a, x.m, x.k), b = turned(*x.op_b, x.k, x.n);
  x.lda = make_room(call.a, a, call, call.padding[0]), x.ldb = make_room(call.b, b, call, call.padding[1]);
  const auto all = [reads](Index, Index) { return reads; };
  fill(view(call.a, x.lda, call), a, all, [&] { return small(call, draw); });
  fill(view(call.b, x.ldb, call), b, all, [&] { return small(call, draw); });
  const Entries left = under(view(call.a, x.lda, call), *x.op_a), right = under(view(call.b, x.ldb, call), *x.op_b);
  const Complex alpha = call.alpha;
  const Index k = x.k;
  return {{x.m, x.n}, gemmt ? *x.uplo : Triangle::Full, [=](Index i, Index j) { return alpha * inner(left, right, i, j, k); }};
}

Entries transposed(const Entries& x, bool conjugate) {
  return [x, conjugate](Index i, Index j) { return conjugate ? std::conj(x(j, i)) : x(j, i); };
}

Meaning meaning_of_rank(Level3Call& call, const Draw& draw, bool reads) {
  Arguments& x = call.arguments;
  const bool two = call.routine->family == Family::RankTwo, hermitian = call.routine->hermitian;
  const Shape2 shape = turned(*x.op_a, x.n, x.k);
  const auto all = [reads](Index, Index) { return reads; };
  x.lda = make_room(call.a, shape, call, call.padding[0]);
  fill(view(call.a, x.lda, call), shape, all, [&] { return small(call, draw); });
  if (two) {
    x.ldb = make_room(call.b, shape, call, call.padding[1]);
    fill(view(call.b, x.ldb, call), shape, all, [&] { return small(call, draw); });
  }
  const Entries a = under(view(call.a, x.lda, call), *x.op_a);
  const Entries b = two ? under(view(call.b, x.ldb, call), *x.op_a) : a;
  const Complex alpha = call.alpha;
  const Index k = x.k;
  const Entries b_turned = transposed(b, hermitian), a_turned = transposed(a, hermitian);
  return {{x.n, x.n}, *x.uplo, [=](Index i, Index j) {
            const Complex first = alpha * inner(a, b_turned, i, j, k);
            return two ? first + (hermitian ? std::conj(alpha) : alpha) * inner(b, a_turned, i, j, k) : first;
          }};
}

Meaning meaning_of_symmetric(Level3Call& call, const Draw& draw, bool reads) {
  Arguments& x = call.arguments;
  const bool left = *x.side == Side::Left, hermitian = call.routine->hermitian;
  const Index order = left ? x.m : x.n;
  x.lda = make_room(call.a, {order, order}, call, call.padding[0]), x.ldb = make_room(call.b, {x.m, x.n}, call, call.padding[1]);
  const Stored a = view(call.a, x.lda, call), b = view(call.b, x.ldb, call);
  fill(
      a, {order, order}, [&](Index i, Index j) { return reads && inside(*x.uplo, i, j); }, [&] { return small(call, draw); });
  if (hermitian && reads) {
    for (Index i = 0; i < order; ++i) a.set(i, i, {a.get(i, i).real(), poison});  // imaginary parts of the diagonal are not read
  }
  fill(
      b, {x.m, x.n}, [reads](Index, Index) { return reads; }, [&] { return small(call, draw); });
  const Entries full = whole(call, a), other = under(b, Op::None);
  const Complex alpha = call.alpha;
  return {{x.m, x.n}, Triangle::Full, [=](Index i, Index j) {
            return alpha * (left ? inner(full, other, i, j, order) : inner(other, full, i, j, order));
          }};
}

// Right sides are made from an integer solution, so that substitution is exact: pivots divide what they divide.
Complex pivot(const Level3Call& call, const Draw& draw) {
  constexpr Complex real[] = {1, -1, 2, -2}, others[] = {{0, 1}, {0, -1}, {1, 1}, {1, -1}};
  return is_real(call) || draw(2) == 0 ? real[draw(4)] : others[draw(4)];
}

void make_triangular(Level3Call& call, const Draw& draw, bool reads) {
  Arguments& x = call.arguments;
  const bool left = *x.side == Side::Left, solve = call.routine->family == Family::TriangularSolve;
  const Index order = left ? x.m : x.n;
  x.lda = make_room(call.a, {order, order}, call, call.padding[0]), x.ldb = make_room(call.c, {x.m, x.n}, call, call.padding[2]);
  x.ldc = x.ldb;
  const Stored a = view(call.a, x.lda, call), c = view(call.c, x.ldb, call);
  const bool unit = *x.diag == Diagonal::Unit;
  fill(
      a, {order, order}, [&](Index i, Index j) { return reads && inside(*x.uplo, i, j) && !(unit && i == j); },
      [&] { return small(call, draw); });
  for (Index i = 0; i < order && reads && !unit && solve; ++i) a.set(i, i, pivot(call, draw));
  fill(
      c, {x.m, x.n}, [reads](Index, Index) { return reads; }, [&] { return small(call, draw); });
  call.expected = call.c;
  const Stored out = view(call.expected, x.ldb, call);
  if (!reads)
    return fill(
        out, {x.m, x.n}, [](Index, Index) { return true; }, [] { return Complex(0); });
  const Entries t = triangle_of(call, a), b = under(c, Op::None);
  std::vector<Complex> products;
  for (Index j = 0; j < x.n; ++j) {
    for (Index i = 0; i < x.m; ++i) products.push_back(left ? inner(t, b, i, j, order) : inner(b, t, i, j, order));
  }
  std::size_t next = 0;
  const Stored& changed = solve ? c : out;  // TRSM: what was drawn is the solution, and the right sides are T X / alpha
  fill(
      changed, {x.m, x.n}, [](Index, Index) { return true; },
      [&] { return solve ? products[next++] * std::conj(call.alpha) / std::norm(call.alpha) : products[next++] * call.alpha; });
}

bool is_triangular(const Routine& routine) {
  return routine.family == Family::TriangularProduct || routine.family == Family::TriangularSolve;
}

// The reciprocals of TRSM's factors are exact.
Complex draw_alpha(const Level3Call& call, const Draw& draw) {
  constexpr Complex factors[] = {1, -1, 2, 1, 0, {0, 1}, {2, 0}, {0, -2}};
  constexpr Complex general[] = {1, -1, 2, 1, 0, {1, -2}, {0, 3}, {-1, 1}};
  const bool real = is_real(call) || (call.routine->family == Family::RankK && call.routine->hermitian);
  const Index choice = draw(real ? 5 : 8);
  return is_triangular(*call.routine) ? factors[choice] : general[choice];
}
Complex draw_beta(const Level3Call& call, const Draw& draw) {
  constexpr Complex values[] = {0, 1, -1, 2, {0, 1}, {1, 3}, {0, 0}};
  return values[draw(is_real(call) || call.routine->hermitian ? 4 : 7)];
}

void complete(Level3Call& call, const Draw& draw) {
  Arguments& x = call.arguments;
  if (is_triangular(*call.routine)) return make_triangular(call, draw, call.alpha != 0.0);
  const bool has_inner = call.routine->family != Family::Symmetric;
  const bool reads = call.alpha != 0.0 && (!has_inner || x.k > 0);
  Meaning meaning;
  switch (call.routine->family) {
    case Family::RankK:
    case Family::RankTwo:
      meaning = meaning_of_rank(call, draw, reads);
      break;
    case Family::Symmetric:
      meaning = meaning_of_symmetric(call, draw, reads);
      break;
    default:
      meaning = meaning_of_factors(call, draw, reads);
  }
  x.ldc = make_room(call.c, meaning.c, call, call.padding[2]);
  fill(
      view(call.c, x.ldc, call), meaning.c, [&](Index i, Index j) { return call.beta != 0.0 && inside(meaning.triangle, i, j); },
      [&] { return small(call, draw); });
  set_expected(call, meaning, reads);
}

}  // namespace

std::vector<Letters> letters_of(const Routine& routine) {
  std::vector<Letters> all;
  const bool sides = variants_of(routine) == Variants::SideAndTriangle, triangular = is_triangular(routine);
  const bool uplos = variants_of(routine) != Variants::Transposes || routine.family == Family::Gemmt;
  const bool ops = routine.family != Family::Symmetric, two_ops = variants_of(routine) == Variants::Transposes;
  for (const Side side : {Side::Left, Side::Right}) {
    for (const Triangle uplo : {Triangle::Upper, Triangle::Lower}) {
      for (const Op op_a : {Op::None, Op::Transpose, Op::ConjugateTranspose}) {
        for (const Op op_b : {Op::None, Op::Transpose, Op::ConjugateTranspose}) {
          for (const Diagonal diag : {Diagonal::Stored, Diagonal::Unit}) {
            if ((side == Side::Right && !sides) || (uplo == Triangle::Lower && !uplos) || (op_a != Op::None && !ops) ||
                (op_b != Op::None && !two_ops) || (diag == Diagonal::Unit && !triangular)) {
              continue;
            }
            const bool rank = variants_of(routine) == Variants::TriangleAndTranspose;
            if (rank && routine.complex && op_a == (routine.hermitian ? Op::Transpose : Op::ConjugateTranspose)) continue;
            all.push_back({side, uplo, op_a, op_b, diag});
          }
        }
      }
    }
  }
  return all;
}

Level3Call draw_call(const Routine& routine, Layout layout, const Letters& letters, const Sizes3& sizes, const Draw& draw) {
  Level3Call call;
  call.routine = &routine;
  call.layout = layout;
  call.arguments = {.side = letters.side,
                    .uplo = letters.uplo,
                    .op_a = letters.op_a,
                    .op_b = letters.op_b,
                    .diag = letters.diag,
                    .m = sizes.m,
                    .n = sizes.n,
                    .k = sizes.k};
  call.alpha = draw_alpha(call, draw);
  call.beta = draw_beta(call, draw);
  for (Index& padding : call.padding) padding = draw(3);
  complete(call, draw);
  return call;
}

Level3Call draw_like(Level3Call call, const Draw& draw) {
  complete(call, draw);
  return call;
}

Level3Call draw_call(const Routine& routine, Layout layout, Index most, const Draw& draw) {
  const std::vector<Letters> letters = letters_of(routine);
  const Letters& chosen = letters[static_cast<std::size_t>(draw(static_cast<Index>(letters.size())))];
  const Sizes3 sizes{draw(most + 1), draw(most + 1), draw(most + 1)};
  return draw_call(routine, layout, chosen, sizes, draw);
}

std::string difference(const Level3Call& call) {
  for (std::size_t i = 0; i < call.c.size(); ++i) {
    const double got = call.c[i], want = call.expected[i];
    const bool same = want == want ? got == want : std::bit_cast<std::uint64_t>(got) == std::bit_cast<std::uint64_t>(want);
    if (!same) return describe(call) + ": word " + std::to_string(i) + " is " + std::to_string(got) + ", expected " + std::to_string(want);
  }
  return "";
}

std::string describe(const Level3Call& call) {
  const Arguments& x = call.arguments;
  std::string text(call.routine->name);
  text += call.layout == Layout::Rows ? " rows " : " columns ";
  text += {letter_of(*x.side), letter_of(*x.uplo), letter_of(*x.op_a), letter_of(*x.op_b), letter_of(*x.diag)};
  for (const Index value : {x.m, x.n, x.k, x.lda, x.ldb, x.ldc}) text += " " + std::to_string(value);
  const auto scalar = [](Complex s) { return " (" + std::to_string(s.real()) + "," + std::to_string(s.imag()) + ")"; };
  return text + scalar(call.alpha) + scalar(call.beta);
}

}  // namespace ab::test
