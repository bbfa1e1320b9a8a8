// SPDX-License-Identifier: MIT
// Residues of a result -> integers -> the one rounding -> epilogue -> C (docs/numerics.md 7.4, 6.3, 3; kernels/reconstruct.k).
#pragma once
#include "device/cpu/native/avx512.hpp"

namespace ab::device::native {

/// Residues of some pairs of right tiles and left tiles, in the layout of ModularBlock, product after product, modulus after modulus.
struct BlockResults {
  const std::int8_t* at;
  Index modulus_stride, product_stride;
  Tiles left_tiles;
  Tiles right_tiles;
  int products;  // 1: real; 3: re re, im im, (re + im)(re + im)
  const Constants* constants;
};

/// Writes the entries of C that the block covers. `launch`: the buffers of crt_product_i8.
void write_results(void* const* buffers, const BlockResults& block);

/// Writes (or adds to) result planes of bytes, symmetric residues, column after column (11.2). `l`: the one modulus in `block`.
void write_planes(void* const* buffers, const BlockResults& block, int l);

}  // namespace ab::device::native
