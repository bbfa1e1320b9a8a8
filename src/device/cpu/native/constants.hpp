// SPDX-License-Identifier: MIT
// Constants of the native int8 engines, made once for each number of moduli (docs/cpu_engine.md has the derivations).
#pragma once
#include <cstdint>

#include "kernels/lang.h"

namespace ab::kernels {
struct modulus;
}

namespace ab::device::native {

inline constexpr int most_moduli = 20;
inline constexpr int fast_moduli = 15;     // up to here |a'| < 2^59, and residues are made of byte products; beyond, one by one
inline constexpr int digits = 6;           // of 16 bits: x / M to 2^-96
inline constexpr int residue_limit = 384;  // |residue of a result| that the digits can take

/// Residues of operands are kept as unit * x mod m, where the unit makes them cheap; the constants of a result undo it.
struct ModulusConstants {
  std::int32_t m;
  std::int32_t low_weights, high_weights;  // signed bytes: unit' * 256^i mod m for the limbs of x + 2^59
  std::int32_t bias;                       // makes the weighted sum congruent to unit' * x, in [0, 65535]
  std::int32_t inverse_words;              // m^-1 mod 2^16, in both halves
  std::int32_t modulus_words;              // m, in both halves
  std::int32_t fold_inverse;               // m^-1 mod 2^16, in the low half
  std::int32_t fold_minus_modulus;         // -m as 16 bits, in the low half
  std::int32_t offset_words;               // the multiple of m next below 2^14, in both halves: makes sums of chunks positive
  std::int32_t rounded_reciprocal;         // round(2^15 / m), in both halves: for a rough quotient of 16 bits
  std::uint32_t weight;                    // h: x = M frac(sum r h / m) for the residues r of a result
  std::int32_t canonical_words;            // 2^16 / unit of a result mod m, symmetric, in both halves: to the residue of 11.2
  std::int32_t canonical_inverse_words;    // canonical_words m^-1 mod 2^16
  std::uint64_t fraction[3];               // floor(2^192 / m), least significant word first
};

struct Constants {
  int count;
  ModulusConstants moduli[most_moduli];
  std::int32_t digit_pairs[most_moduli / 2][digits];  // h / m in signed 16-bit digits, two moduli a word, most significant first
  std::uint64_t whole[3];                             // M
  double whole_high, whole_low;                       // M to 106 bits
};

/// For the first `count` moduli of the family, of which `table` is the kernels' table. Never freed.
const Constants& constants_for(const kernels::modulus* table, int count);

/// The same for residues that are those of the integer itself, as in the planes of 11.2: m, weight, digits and fractions only.
const Constants& plain_constants_for(const kernels::modulus* table, int count);

}  // namespace ab::device::native
