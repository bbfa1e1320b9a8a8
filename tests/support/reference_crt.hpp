// SPDX-License-Identifier: MIT
// The judge's integers: scaling, exact products of integer vectors, residues and Garner (docs/numerics.md 6, 7).
#pragma once
#include <vector>

#include "support/reference_plan.hpp"

namespace ab::test {

/// rint(x 2^shift), ties to even (6.2); the result must fit 127 bits.
Int128 scaled_integer(Word x, int shift);

/// The integers a' of vector v; part p from p * K on.
std::vector<Int128> scaled_vector(const Vectors& vectors, Index v, int shift, const InnerShift& inner);

/// The class value of a CRT product: entry (i, j), part p as RN64 (6.3, 8.7); entries outside the triangle stay 0.
struct Words {
  Index rows = 0, columns = 0;
  int parts = 1;
  std::vector<Word> words;
  Words(Index m, Index n, int part_count) : rows(m), columns(n), parts(part_count), words(static_cast<std::size_t>(m * n * part_count)) {}
  Word& at(Index i, Index j, int p) { return words[static_cast<std::size_t>((i * columns + j) * parts + p)]; }
};
Words crt_words(const Call& call, const Vectors& left, const Vectors& right, const Plan& plan);

/// Symmetric residue, the half point of an even modulus negative (7.2).
std::int64_t reference_residue(const BigInt& x, std::int64_t m);
/// Leading pairwise coprime moduli from `top` downwards.
std::vector<std::int64_t> coprime_from(std::int64_t top, std::size_t count);
/// x of |x| < 2^(budget - 1) from its residues, by mixed radix digits (7.4).
BigInt garner(const std::vector<std::int64_t>& residues, const std::vector<std::int64_t>& moduli, int budget);

}  // namespace ab::test
