// SPDX-License-Identifier: MIT
// Products of residues of the int8 family as kernels/modular_gemm_i8.k defines them, for software renderers: loads are what costs there,
// lane by lane, and threads that have nothing to do cost as much as the others. So there are no barriers and nothing that a group shares, a
// load has 16 bytes, and a thread makes 4 x 4 entries. AB_PRODUCTS: 1 (real, split) or 3 (3M). A group makes 8 x 16 entries of one modulus.
//
// Exact: as in the common kernel, 65536 terms between reductions. Mesa's lavapipe leaves all loops of a kernel after 65535 rounds: a round
// has 16 terms. Subscripts have 32 bits: bindings have at most 2^32 bytes.

#define AB_QUADS 4096u  // of 16 terms, between reductions
#if AB_PRODUCTS == 3
#define AB_PARTS 2u  // of the result
#else
#define AB_PARTS 1u
#endif
#define AB_FOUR(i, count) uvec4(at_most(i, count - 1u), at_most(i + 1u, count - 1u), at_most(i + 2u, count - 1u), at_most(i + 3u, count - 1u))
#define AB_DOT16(a, b, sum) dot4(a.x, b.x, dot4(a.y, b.y, dot4(a.z, b.z, dot4(a.w, b.w, sum))))

AB_FN uint at_most(uint x, uint most) { return x < most ? x : most; }

AB_KERNEL(words_i8, 2, 4)
AB_IN(0, uvec4, left) AB_IN(1, uvec4, right) AB_IN(2, uint, table) AB_INOUT(3, uint, planes) AB_PARAMS(4, modular_params, p)

AB_BODY(words_i8)
  ivec4 sums[4];  // columns
  ivec4 parts[AB_PRODUCTS * 4];
  AB_GROUPS_ARE(p.groups)
  uint tiles = p.tile_rows * p.tile_columns;
  uint l = AB_GROUP_ID / tiles;
  uint i = AB_GROUP_ID % tiles % p.tile_rows * 8u + AB_LOCAL_X * 4u;
  uint j = AB_GROUP_ID % tiles / p.tile_rows * 16u + AB_LOCAL_Y * 4u;
  if (i >= p.left_vectors || j >= p.right_vectors) return;
  uint m = table[l * AB_MODULUS_WORDS];
  uint inverse = table[l * AB_MODULUS_WORDS + AB_MODULUS_INVERSE];
  uint quads = p.inner_padded / 16u;  // of a vector
  uvec4 rows = AB_FOUR(i, p.left_vectors);
  uvec4 columns = AB_FOUR(j, p.right_vectors);
  for (uint product = 0u; product < AB_PRODUCTS; ++product) {
    uvec4 left_at = ((l * AB_PRODUCTS + product) * p.left_all + p.left_first + rows) * quads;
    uvec4 right_at = ((l * AB_PRODUCTS + product) * p.right_all + p.right_first + columns) * quads;
    for (uint c = 0u; c < 4u; ++c) sums[c] = ivec4(0);
    for (uint first = 0u; first < quads; first += AB_QUADS) {
      for (uint q = first; q < at_most(first + AB_QUADS, quads); ++q) {
        uvec4 a0 = left[left_at.x + q];
        uvec4 a1 = left[left_at.y + q];
        uvec4 a2 = left[left_at.z + q];
        uvec4 a3 = left[left_at.w + q];
        for (uint c = 0u; c < 4u; ++c) {
          uvec4 b = right[right_at[c] + q];
          sums[c].x = AB_DOT16(a0, b, sums[c].x);
          sums[c].y = AB_DOT16(a1, b, sums[c].y);
          sums[c].z = AB_DOT16(a2, b, sums[c].z);
          sums[c].w = AB_DOT16(a3, b, sums[c].w);
        }
      }
      for (uint e = 0u; e < 16u; ++e) sums[e / 4u][e % 4u] = reduce_signed(sums[e / 4u][e % 4u], m, inverse);
    }
    for (uint c = 0u; c < 4u; ++c) parts[product * 4u + c] = sums[c];
  }
  for (uint part = 0u; part < AB_PARTS; ++part) {
    for (uint c = 0u; c < at_most(4u, p.right_vectors - j); ++c) {
      uint at = ((l * AB_PARTS + part) * p.right_vectors + j + c) * p.row_words + i / 4u;
      uint before = p.accumulate != 0u ? planes[at] : 0u;
      uint after = 0u;
      for (uint r = 0u; r < 4u; ++r) {
        int value = parts[c][r];
#if AB_PRODUCTS == 3
        value = part == 0u ? value - parts[4u + c][r] : parts[8u + c][r] - value - parts[4u + c][r];
#endif
        value = i + r < p.left_vectors ? value : 0;  // no row
        value = value + (AB_INT(before << (24u - 8u * r)) >> 24);
        after = after | ((AB_UINT(reduce_signed(value, m, inverse)) & 255u) << (8u * r));
      }
      planes[at] = after;
    }
  }
AB_END
