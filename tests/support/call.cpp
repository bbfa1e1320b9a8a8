// SPDX-License-Identifier: MIT
#include "support/call.hpp"

#include <algorithm>

namespace ab::test {
namespace {

struct Stored {
  const std::vector<double>& data;
  Index ld;
  Op op;
};

/// Vector v is row v (rows) or column v of op(X).
enum class Along { Rows, Columns };

Vectors extract(const Call& call, const Stored& x, Along along, Index count) {
  Vectors out{call.parts(), count, call.k, {}};
  out.words.resize(static_cast<std::size_t>(count * call.k * out.parts));
  const bool vector_is_stored_row = (along == Along::Rows) == (x.op == Op::None);
  const bool conjugate = x.op == Op::ConjugateTranspose;
  for (Index v = 0; v < count; ++v) {
    for (Index k = 0; k < call.k; ++k) {
      const Index at = vector_is_stored_row ? k * x.ld + v : v * x.ld + k;
      for (int p = 0; p < out.parts; ++p) {
        const Word word = word_of(x.data[static_cast<std::size_t>(at * out.parts + p)]);
        out.part(v, p)[k] = p == 1 && conjugate ? word ^ sign_bit : word;
      }
    }
  }
  return out;
}

}  // namespace

Vectors left_vectors(const Call& call) {
  return extract(call, {call.a, call.lda, call.transa}, Along::Rows, call.m);
}

Vectors right_vectors(const Call& call) {
  if (call.kind == Kind::Gemm) return extract(call, {call.b, call.ldb, call.transb}, Along::Columns, call.n);
  Vectors out = left_vectors(call);
  if (call.kind == Kind::Herk) {
    for (Index v = 0; v < out.count; ++v) {
      for (Index k = 0; k < out.inner; ++k) out.part(v, 1)[k] ^= sign_bit;
    }
  }
  return out;
}

Vectors split_parts(const Vectors& vectors) {
  Vectors out{1, 2 * vectors.count, vectors.inner, {}};
  out.words.reserve(vectors.words.size());
  for (int p = 0; p < 2; ++p) {
    for (Index v = 0; v < vectors.count; ++v) {
      out.words.insert(out.words.end(), vectors.part(v, p), vectors.part(v, p) + vectors.inner);
    }
  }
  return out;
}

bool is_finite(const Vectors& vectors, Index v) {
  const Word* begin = vectors.part(v, 0);
  return std::all_of(begin, begin + vectors.parts * vectors.inner, [](Word w) { return is_finite(w); });
}

}  // namespace ab::test
