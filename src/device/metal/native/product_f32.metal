// SPDX-License-Identifier: MIT
// Products of residues of the ten-bit family as kernels/modular_gemm_f32.k defines them, on the 8 x 8 matrices of a SIMD-group: halves
// times halves, summed in FP32. AB_PRODUCTS: 1 (real, split) or 3 (3M). A group makes 64 x 64 entries of one modulus, a SIMD-group 32 x 32.
//
// Exact: residues are integers of at most 511 in magnitude, which halves hold. A product is below 2^18, 64 of them and what a reduction
// left (at most 512) stay at most 64 511^2 + 512 = 16712256 < 2^24, and so does every partial sum: no order of additions rounds. The
// reduction after each block of 64 terms is that of docs/numerics.md 7.3, checked there for every sum that can occur; what it leaves
// depends on nothing but the class modulo m once reduce_signed has been applied at the end.
// The elements that a lane holds of a matrix are unspecified: they are reduced one by one, and meet places only through simdgroup_store.

#define AB_BLOCK 64u        // terms between reductions
#define AB_ROW_QUADS 8u     // 16 bytes each in a row of a tile
#define AB_STRIDE_QUADS 9u  // with padding
#define AB_STRIDE 72u       // in halves; of the tile of results: in floats
#define AB_MATRICES 4u      // down and across, of a SIMD-group
#define AB_ALL_MATRICES _Pragma("clang loop unroll(full)") for (uint e = 0u; e < AB_MATRICES * AB_MATRICES; ++e)

AB_FN float reduced(float x, float m, float reciprocal) {
  float shifted = AB_HARD_FMA(x, reciprocal, 12582912.0f);
  float quotient = AB_SUB(shifted, 12582912.0f);
  return AB_HARD_FMA(-quotient, m, x);
}

kernel void product_f32(device const uint4* left [[buffer(0)]], device const uint4* right [[buffer(1)]], device const uint* table [[buffer(2)]],
                        device uint* planes [[buffer(3)]], constant modular_params& p [[buffer(4)]],
                        uint3 ab_group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
                        uint simdgroup_index [[simdgroup_index_in_threadgroup]]) {
  threadgroup uint4 tile[2 * 64 * 9];  // of the left operand, of the right one; then of results
  threadgroup half* a_tile = (threadgroup half*)tile;
  threadgroup half* b_tile = a_tile + 64u * AB_STRIDE;
  threadgroup float* results = (threadgroup float*)tile;
  AB_GROUPS_ARE(p.groups)
  uint tiles = p.tile_rows * p.tile_columns;
  uint l = AB_GROUP_ID / tiles;
  uint i0 = (AB_GROUP_ID % tiles) % p.tile_rows * 64u;
  uint j0 = (AB_GROUP_ID % tiles) / p.tile_rows * 64u;
  uint rows_here = p.left_vectors - i0 < 64u ? p.left_vectors - i0 : 64u;
  uint columns_here = p.right_vectors - j0 < 64u ? p.right_vectors - j0 : 64u;
  uint m = table[l * AB_MODULUS_WORDS];
  uint inverse = table[l * AB_MODULUS_WORDS + AB_MODULUS_INVERSE];
  float modulus_value = AB_FLOAT(m);
  float reciprocal = AB_BITS_FLOAT(table[l * AB_MODULUS_WORDS + AB_MODULUS_RECIPROCAL]);
  uint quads = p.inner_padded / 8u;  // of a vector
  uint row0 = simdgroup_index % 2u * 32u;
  uint column0 = simdgroup_index / 2u * 32u;
  bool has_entries = row0 < rows_here && column0 < columns_here;  // the same in all lanes
  simdgroup_float8x8 sums[AB_MATRICES * AB_MATRICES];
#if AB_PRODUCTS == 3
  simdgroup_half8x8 re[AB_MATRICES * AB_MATRICES];  // at most 3 512: halves are exact to 2048
  simdgroup_half8x8 im[AB_MATRICES * AB_MATRICES];
#endif
  for (uint product = 0u; product < AB_PRODUCTS; ++product) {
    ulong plane = l * AB_PRODUCTS + product;
    ulong left_at = (plane * p.left_all + p.left_first + i0) * quads;
    ulong right_at = (plane * p.right_all + p.right_first + j0) * quads;
    AB_ALL_MATRICES sums[e] = make_filled_simdgroup_matrix<float, 8>(0.0f);
    for (uint q0 = 0u; q0 < quads; q0 += AB_ROW_QUADS) {
      _Pragma("clang loop unroll(full)") for (uint part = 0u; part < 4u; ++part) {
        uint row = thread_index / AB_ROW_QUADS + 16u * part;
        uint q = thread_index % AB_ROW_QUADS;
        tile[row * AB_STRIDE_QUADS + q] = row < rows_here ? left[left_at + ulong(row) * quads + q0 + q] : uint4(0u);
        tile[(64u + row) * AB_STRIDE_QUADS + q] = row < columns_here ? right[right_at + ulong(row) * quads + q0 + q] : uint4(0u);
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
      for (uint k = 0u; has_entries && k < AB_BLOCK; k += 8u) {
        simdgroup_half8x8 a[AB_MATRICES];
        simdgroup_half8x8 b[AB_MATRICES];
        _Pragma("clang loop unroll(full)") for (uint i = 0u; i < AB_MATRICES; ++i) {
          simdgroup_load(a[i], a_tile + (row0 + 8u * i) * AB_STRIDE + k, AB_STRIDE);
          simdgroup_load(b[i], b_tile + (column0 + 8u * i) * AB_STRIDE + k, AB_STRIDE, ulong2(0ul, 0ul), true);
        }
        AB_ALL_MATRICES simdgroup_multiply_accumulate(sums[e], a[e % AB_MATRICES], b[e / AB_MATRICES], sums[e]);
      }
      AB_ALL_MATRICES {
        sums[e].thread_elements()[0] = reduced(sums[e].thread_elements()[0], modulus_value, reciprocal);
        sums[e].thread_elements()[1] = reduced(sums[e].thread_elements()[1], modulus_value, reciprocal);
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
#if AB_PRODUCTS == 3
    AB_ALL_MATRICES for (uint lane = 0u; lane < 2u; ++lane) {
      half value = half(sums[e].thread_elements()[lane]);
      half re_before = product == 0u ? half(0.0f) : re[e].thread_elements()[lane];
      half im_before = product == 0u ? half(0.0f) : im[e].thread_elements()[lane];
      re[e].thread_elements()[lane] = product == 0u ? value : product == 1u ? re_before - value : re_before;
      im[e].thread_elements()[lane] = product == 2u ? im_before + value : im_before - value;
    }
#endif
  }
  for (uint part = 0u; part < (AB_PRODUCTS == 3 ? 2u : 1u); ++part) {
    AB_ALL_MATRICES {
#if AB_PRODUCTS == 3
      for (uint lane = 0u; lane < 2u; ++lane) {
        sums[e].thread_elements()[lane] = float(part == 0u ? re[e].thread_elements()[lane] : im[e].thread_elements()[lane]);
      }
#endif
      simdgroup_store(sums[e], results + (column0 + 8u * (e / AB_MATRICES)) * AB_STRIDE + row0 + 8u * (e % AB_MATRICES), AB_STRIDE, ulong2(0ul, 0ul), true);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint word = thread_index; word < 64u * 32u; word += 128u) {  // two rows each
      uint i = 2u * (word % 32u);
      uint j = word / 32u;
      if (i < rows_here && j < columns_here) {
        ulong at = (ulong(l * (AB_PRODUCTS == 3 ? 2u : 1u) + part) * p.right_vectors + j0 + j) * p.row_words + (i0 + i) / 2u;
        uint before = p.accumulate != 0u ? planes[at] : 0u;
        int low = AB_INT(results[j * AB_STRIDE + i]) + (AB_INT(before << 16) >> 16);
        int high = AB_INT(results[j * AB_STRIDE + i + 1u]) + (AB_INT(before) >> 16);
        planes[at] = (AB_UINT(reduce_signed(low, m, inverse)) & 0xFFFFu) | (AB_UINT(reduce_signed(high, m, inverse)) << 16);
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
}
