// SPDX-License-Identifier: MIT
// Products of residues of the ten-bit family as kernels/modular_gemm_f32.k defines them, on the 8 x 8 matrices of a SIMD-group: halves
// times halves, summed in FP32. AB_PRODUCTS: 1 (real, split) or 3 (3M). A group makes 128 x 64 entries of one modulus, a SIMD-group 64 x 32.
//
// Exact: residues are integers of at most 511 in magnitude, which halves hold. A product is below 2^18, 64 of them and what a reduction
// left (at most 512) stay at most 64 511^2 + 512 = 16712256 < 2^24, and so does every partial sum: no order of additions rounds. The
// reduction after each block of 64 terms is that of docs/numerics.md 7.3, checked there for every sum that can occur; what it leaves
// depends on nothing but the class modulo m once reduce_signed has been applied at the end.
// The elements that a lane holds of a matrix are unspecified: they are reduced one by one, and meet places only through simdgroup_store.
// Each product of 3M is added to the planes of both parts: registers hold one product's sums.

#define AB_BLOCK 64u        // terms between reductions
#define AB_ROW_QUADS 8u     // 16 bytes each in a row of a tile
#define AB_STRIDE_QUADS 9u  // with padding
#define AB_STRIDE 72u       // in halves; of the tile of results: in floats
#define AB_DOWN 8u          // matrices of a SIMD-group
#define AB_ACROSS 4u
#define AB_PARTS (AB_PRODUCTS == 3 ? 2u : 1u)  // of the result
#define AB_TILE_ROWS 128u
#define AB_TILE_COLUMNS 64u
#define AB_UNROLLED _Pragma("clang loop unroll(full)")
#define AB_ALL_MATRICES AB_UNROLLED for (uint e = 0u; e < AB_DOWN * AB_ACROSS; ++e)

AB_FN float reduced(float x, float m, float reciprocal) {
  float shifted = AB_HARD_FMA(x, reciprocal, 12582912.0f);
  float quotient = AB_SUB(shifted, 12582912.0f);
  return AB_HARD_FMA(-quotient, m, x);
}

kernel void product_f32(device const uint4* left [[buffer(0)]], device const uint4* right [[buffer(1)]], device const uint* table [[buffer(2)]],
                        device uint* planes [[buffer(3)]], constant modular_params& p [[buffer(4)]],
                        uint3 ab_group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
                        uint simdgroup_index [[simdgroup_index_in_threadgroup]]) {
  threadgroup uint4 tile[192 * 9];  // of the left operand, of the right one; then of results, 64 rows of them
  threadgroup half* a_tile = (threadgroup half*)tile;
  threadgroup half* b_tile = a_tile + AB_TILE_ROWS * AB_STRIDE;
  threadgroup float* results = (threadgroup float*)tile;
  AB_GROUPS_ARE(p.groups)
  uint tiles = p.tile_rows * p.tile_columns;
  uint l = AB_GROUP_ID / tiles;
  uint i0 = (AB_GROUP_ID % tiles) % p.tile_rows * AB_TILE_ROWS;
  uint j0 = (AB_GROUP_ID % tiles) / p.tile_rows * AB_TILE_COLUMNS;
  uint rows_here = min(p.left_vectors - i0, AB_TILE_ROWS);
  uint columns_here = min(p.right_vectors - j0, AB_TILE_COLUMNS);
  uint m = table[l * AB_MODULUS_WORDS];
  uint inverse = table[l * AB_MODULUS_WORDS + AB_MODULUS_INVERSE];
  float modulus_value = AB_FLOAT(m);
  float reciprocal = AB_BITS_FLOAT(table[l * AB_MODULUS_WORDS + AB_MODULUS_RECIPROCAL]);
  uint quads = p.inner_padded / 8u;  // of a vector
  uint row0 = simdgroup_index % 2u * 64u;
  uint column0 = simdgroup_index / 2u * 32u;
  bool has_entries = row0 < rows_here && column0 < columns_here;  // the same in all lanes
  // What this thread fetches: quads of every 16th vector, of the last one in the place of those that do not exist, whose entries are not kept.
  uint left_offsets[AB_TILE_ROWS / 16u];
  uint right_offsets[AB_TILE_COLUMNS / 16u];
  AB_UNROLLED for (uint e = 0u; e < AB_TILE_ROWS / 16u; ++e) {
    left_offsets[e] = min(thread_index / AB_ROW_QUADS + 16u * e, rows_here - 1u) * quads + thread_index % AB_ROW_QUADS;
  }
  AB_UNROLLED for (uint e = 0u; e < AB_TILE_COLUMNS / 16u; ++e) {
    right_offsets[e] = min(thread_index / AB_ROW_QUADS + 16u * e, columns_here - 1u) * quads + thread_index % AB_ROW_QUADS;
  }
  threadgroup uint4* place = tile + thread_index / AB_ROW_QUADS * AB_STRIDE_QUADS + thread_index % AB_ROW_QUADS;
  threadgroup half* a_piece = a_tile + row0 * AB_STRIDE;
  threadgroup half* b_piece = b_tile + column0 * AB_STRIDE;
  simdgroup_float8x8 sums[AB_DOWN * AB_ACROSS];
  for (uint product = 0u; product < AB_PRODUCTS; ++product) {
    ulong plane = l * AB_PRODUCTS + product;
    device const uint4* left_block = left + (plane * p.left_all + p.left_first + i0) * quads;
    device const uint4* right_block = right + (plane * p.right_all + p.right_first + j0) * quads;
    AB_ALL_MATRICES sums[e] = make_filled_simdgroup_matrix<float, 8>(0.0f);
    for (uint q0 = 0u; q0 < quads; q0 += AB_ROW_QUADS) {
      AB_UNROLLED for (uint e = 0u; e < AB_TILE_ROWS / 16u; ++e) place[16u * e * AB_STRIDE_QUADS] = left_block[left_offsets[e]];
      AB_UNROLLED for (uint e = 0u; e < AB_TILE_COLUMNS / 16u; ++e) {
        place[(AB_TILE_ROWS + 16u * e) * AB_STRIDE_QUADS] = right_block[right_offsets[e]];
      }
      left_block += AB_ROW_QUADS;
      right_block += AB_ROW_QUADS;
      threadgroup_barrier(mem_flags::mem_threadgroup);
      if (has_entries) {
        AB_UNROLLED for (uint k = 0u; k < AB_BLOCK; k += 8u) {
          simdgroup_half8x8 a[AB_DOWN];
          simdgroup_half8x8 b[AB_ACROSS];
          AB_UNROLLED for (uint i = 0u; i < AB_DOWN; ++i) simdgroup_load(a[i], a_piece + 8u * i * AB_STRIDE + k, AB_STRIDE);
          AB_UNROLLED for (uint j = 0u; j < AB_ACROSS; ++j) {
            simdgroup_load(b[j], b_piece + 8u * j * AB_STRIDE + k, AB_STRIDE, ulong2(0ul, 0ul), true);
          }
          AB_ALL_MATRICES simdgroup_multiply_accumulate(sums[e], a[e % AB_DOWN], b[e / AB_DOWN], sums[e]);
        }
        AB_ALL_MATRICES {
          sums[e].thread_elements()[0] = reduced(sums[e].thread_elements()[0], modulus_value, reciprocal);
          sums[e].thread_elements()[1] = reduced(sums[e].thread_elements()[1], modulus_value, reciprocal);
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint first = 0u; first < AB_TILE_ROWS; first += 64u) {
      AB_ALL_MATRICES if (row0 == first) {
        simdgroup_store(sums[e], results + (column0 + 8u * (e / AB_DOWN)) * AB_STRIDE + 8u * (e % AB_DOWN), AB_STRIDE, ulong2(0ul, 0ul), true);
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
      for (uint word = thread_index; word < 64u * 32u; word += 128u) {  // two rows each
        uint i = first + 2u * (word % 32u);
        uint j = word / 32u;
        if (i >= rows_here || j >= columns_here) continue;
        int low = AB_INT(results[j * AB_STRIDE + i - first]);
        int high = i + 1u < rows_here ? AB_INT(results[j * AB_STRIDE + i + 1u - first]) : 0;
        for (uint part = product == 2u ? 1u : 0u; part < AB_PARTS; ++part) {  // re = P1 - P2, im = P3 - P1 - P2
          int sign = product == 1u || (product == 0u && part == 1u) ? -1 : 1;
          ulong at = (ulong(l * AB_PARTS + part) * p.right_vectors + j0 + j) * p.row_words + (i0 + i) / 2u;
          uint before = p.accumulate != 0u || product > 0u ? planes[at] : 0u;
          uint even = AB_UINT(reduce_signed(sign * low + (AB_INT(before << 16) >> 16), m, inverse)) & 0xFFFFu;
          planes[at] = even | (AB_UINT(reduce_signed(sign * high + (AB_INT(before) >> 16), m, inverse)) << 16);
        }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
  }
}
