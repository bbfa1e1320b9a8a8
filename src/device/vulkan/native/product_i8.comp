// SPDX-License-Identifier: MIT
// Products of residues of the int8 family as kernels/modular_gemm_i8.k defines them, on the matrices of a subgroup (words: matrices_*.h):
// bytes times bytes, summed in 32 bits. AB_PRODUCTS: 1 (real, split) or 3 (3M). A group makes a tile of one modulus, 128 x 128 entries;
// terms go by blocks of 64, the next one fetched while one is multiplied.
//
// Exact: as in the common kernel, 65536 terms between reductions. What a thread holds of a matrix is unspecified: elements are reduced one
// by one, and meet places only through AB_STORE. Subscripts have 32 bits: bindings have at most 2^32 bytes.

#define AB_TILE 128u
#define AB_PIECE_ROWS 64u  // of a subgroup
#if AB_PRODUCTS == 3
#define AB_PIECE_COLUMNS 32u
#define AB_SUBGROUPS 8u
#define AB_PARTS 2u  // of the result
#else
#define AB_PIECE_COLUMNS 64u
#define AB_SUBGROUPS 4u
#define AB_PARTS 1u
#endif
#define AB_STRIDE 5u  // 16 bytes each of a tile's row, with padding
#define AB_BLOCK (2u * AB_TILE * AB_STRIDE)

layout(constant_id = 0) const uint AB_ROWS = 16u;  // of a matrix
layout(constant_id = 1) const uint AB_COLUMNS = 16u;
layout(constant_id = 2) const uint AB_INNER = 32u;
layout(constant_id = 3) const uint AB_LANES = 32u;  // of a subgroup
layout(local_size_x_id = 4) in;                     // AB_SUBGROUPS of them
const uint AB_DOWN = AB_PIECE_ROWS / AB_ROWS;
const uint AB_ACROSS = AB_PIECE_COLUMNS / AB_COLUMNS;
const uint AB_LOADS = 2u * AB_TILE * 4u / (AB_SUBGROUPS * AB_LANES);  // of a thread, for a block
#define AB_ALL(i, count) AB_UNROLL for (uint i = 0u; i < count; ++i)
#define AB_ALL_ELEMENTS(x) AB_UNROLL for (int x = 0; x < sums[0].length(); ++x)

AB_IN(0, uvec4, left) AB_IN(1, uvec4, right) AB_IN(2, uint, table) AB_INOUT(3, uint, planes) AB_PARAMS(4, modular_params, p)
AB_SHARED(uvec4, tile, 2 * AB_BLOCK)  // two blocks, left above right; then results, column after column

AB_BODY(product_i8)
  uvec4 next[AB_LOADS];
  AB_LEFT_MATRICES(a, AB_DOWN)
  AB_RIGHT_MATRIX(b)
  AB_SUM_MATRICES(sums, AB_DOWN * AB_ACROSS)
#if AB_PRODUCTS == 3
  AB_SUM_MATRICES(parts, AB_DOWN * AB_ACROSS)  // 65536 re + im
#endif
  AB_GROUPS_ARE(p.groups)
  uint tiles = p.tile_rows * p.tile_columns;
  uint l = AB_GROUP_ID / tiles;
  uint i0 = (AB_GROUP_ID % tiles) % p.tile_rows * AB_TILE;
  uint j0 = (AB_GROUP_ID % tiles) / p.tile_rows * AB_TILE;
  uint rows_here = p.left_vectors - i0;
  uint columns_here = p.right_vectors - j0;
  uint m = table[l * AB_MODULUS_WORDS];
  uint inverse = table[l * AB_MODULUS_WORDS + AB_MODULUS_INVERSE];
  uint quads = p.inner_padded / 16u;  // of a vector
  uint row0 = gl_SubgroupID % (AB_TILE / AB_PIECE_ROWS) * AB_PIECE_ROWS;
  uint column0 = gl_SubgroupID / (AB_TILE / AB_PIECE_ROWS) * AB_PIECE_COLUMNS;
  for (uint product = 0u; product < AB_PRODUCTS; ++product) {
    uint left_at = ((l * AB_PRODUCTS + product) * p.left_all + p.left_first + i0) * quads;
    uint right_at = ((l * AB_PRODUCTS + product) * p.right_all + p.right_first + j0) * quads;
    AB_ALL(e, AB_DOWN * AB_ACROSS) {
      AB_ALL_ELEMENTS(x) sums[e][x] = 0;
    }
    // Before the first block, which is fetched in a round of its own, nothing is multiplied.
    for (uint q = 0u; q <= quads; q += 4u) {
      AB_ALL(load, AB_LOADS) {
        uint row = (load * AB_SUBGROUPS * AB_LANES + gl_LocalInvocationIndex) / 4u;
        uint at = q + gl_LocalInvocationIndex % 4u;
        next[load] = uvec4(0u);
        if (q < quads && row < AB_TILE && row < rows_here) next[load] = left[left_at + row * quads + at];
        if (q < quads && row >= AB_TILE && row - AB_TILE < columns_here) next[load] = right[right_at + (row - AB_TILE) * quads + at];
      }
      uint block = (q / 4u & 1u) * AB_BLOCK;
      uint before = AB_BLOCK - block;
      if (q > 0u) AB_ALL(step, 64u / AB_INNER) {
        uint k = step * AB_INNER / 16u;
        AB_ALL(i, AB_DOWN) AB_LOAD_LEFT(a[i], before + (row0 + i * AB_ROWS) * AB_STRIDE + k)
        AB_ALL(j, AB_ACROSS) {
          AB_LOAD_RIGHT(b, before + (AB_TILE + column0 + j * AB_COLUMNS) * AB_STRIDE + k)
          AB_ALL(i, AB_DOWN) AB_MULTIPLY(sums[j * AB_DOWN + i], a[i], b)
        }
      }
      AB_ALL(load, AB_LOADS) {
        uint row = (load * AB_SUBGROUPS * AB_LANES + gl_LocalInvocationIndex) / 4u;
        if (q < quads) tile[block + row * AB_STRIDE + gl_LocalInvocationIndex % 4u] = next[load];
      }
      barrier();
      if ((q & 0xFFFu) == 0u || q == quads) {
        AB_ALL(e, AB_DOWN * AB_ACROSS) {
          AB_ALL_ELEMENTS(x) sums[e][x] = reduce_signed(sums[e][x], m, inverse);
        }
      }
    }
#if AB_PRODUCTS == 3
    AB_ALL(e, AB_DOWN * AB_ACROSS) {
      AB_ALL_ELEMENTS(x) parts[e][x] = product == 0u ? 65535 * sums[e][x] : parts[e][x] + (product == 1u ? -65537 : 1) * sums[e][x];
    }
#endif
  }
  uint results = gl_SubgroupID * (AB_PIECE_ROWS * AB_COLUMNS / 4u);  // place of the subgroup's: matrices below each other
  AB_ALL(turn, AB_PARTS * AB_ACROSS) {
    uint part = turn / AB_ACROSS;
    uint across = turn % AB_ACROSS;
    AB_ALL(i, AB_DOWN) {
#if AB_PRODUCTS == 3
      AB_ALL_ELEMENTS(x) {
        int both = parts[across * AB_DOWN + i][x];
        int im = both << 16 >> 16;
        sums[0][x] = part == 0u ? (both - im) / 65536 : im;
      }
      AB_STORE(sums[0], results + i * AB_ROWS / 4u)
#else
      AB_STORE(sums[across * AB_DOWN + i], results + i * AB_ROWS / 4u)
#endif
    }
    barrier();
    for (uint word = gl_SubgroupInvocationID; word < AB_PIECE_ROWS * AB_COLUMNS / 4u; word += AB_LANES) {  // four rows each
      uint i = row0 + word % (AB_PIECE_ROWS / 4u) * 4u;
      uint j = column0 + across * AB_COLUMNS + word / (AB_PIECE_ROWS / 4u);
      if (i < rows_here && j < columns_here) {
        uint at = ((l * AB_PARTS + part) * p.right_vectors + j0 + j) * p.row_words + (i0 + i) / 4u;
        uint before = p.accumulate != 0u ? planes[at] : 0u;
        uint after = 0u;
        for (uint r = 0u; r < 4u; ++r) {
          int value = AB_INT(tile[results + word][r]) + (AB_INT(before << (24u - 8u * r)) >> 24);
          after = after | ((AB_UINT(reduce_signed(value, m, inverse)) & 255u) << (8u * r));
        }
        planes[at] = after;
      }
    }
    barrier();
  }
AB_END
