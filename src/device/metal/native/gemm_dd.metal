// SPDX-License-Identifier: MIT
// Double-float inner products as kernels/gemm_dd.k makes them, with the same steps in the same order for each entry: same bits. Written
// for Apple GPUs: a thread keeps AB_THREAD_ROWS x AB_THREAD_COLUMNS entries in registers and takes operands from threadgroup memory as vectors.
// AB_AHEAD: the next tiles are on their way into registers while these are multiplied.
// left, right: planes of pairs, two a float4. Threads: AB_TILE_ROWS / AB_THREAD_ROWS x AB_TILE_COLUMNS / AB_THREAD_COLUMNS = 256.

#define AB_DEPTH 16u                                // terms in a tile
#define AB_QUADS (AB_DEPTH / 2u)                    // float4 of a tile's row
#define AB_WIDTH (AB_TILE_ROWS / AB_THREAD_ROWS)
#define AB_LEFT_LOADS (AB_TILE_ROWS / 32)           // float4 that a thread fetches: 256 threads, 8 a row
#define AB_RIGHT_LOADS ((AB_TILE_COLUMNS + 31) / 32)
#define AB_LEFT_STRIDE (AB_TILE_ROWS + 4)           // floats between terms of a tile; a multiple of 4 keeps vectors aligned
#define AB_RIGHT_STRIDE (AB_TILE_COLUMNS + 4)
#define AB_UNROLLED _Pragma("clang loop unroll(full)")
#if AB_THREAD_ROWS == 4
#define AB_ROWS float4
#else
#define AB_ROWS float2
#endif
#if AB_THREAD_COLUMNS == 4
#define AB_COLUMNS float4
#else
#define AB_COLUMNS float2
#endif

#define AB_FETCH \
  AB_UNROLLED for (uint e = 0u; e < AB_LEFT_LOADS; ++e) left_next[e] = left_block[left_offsets[e]]; \
  AB_UNROLLED for (uint e = 0u; e < AB_RIGHT_LOADS; ++e) right_next[e] = right_block[right_offsets[e]]; \
  left_block += AB_QUADS; \
  right_block += AB_QUADS;

#define AB_PUT(hi_tile, lo_tile, stride, row, value) \
  hi_tile[(2u * (thread_index % AB_QUADS)) * (stride) + (row)] = (value).x; \
  lo_tile[(2u * (thread_index % AB_QUADS)) * (stride) + (row)] = (value).y; \
  hi_tile[(2u * (thread_index % AB_QUADS) + 1u) * (stride) + (row)] = (value).z; \
  lo_tile[(2u * (thread_index % AB_QUADS) + 1u) * (stride) + (row)] = (value).w;

// c = c + first second for every entry of the thread, term by term; four terms a round, whose operands are constants away from a place.
#define AB_MULTIPLY(first, second) \
  threadgroup const float* rows_at = a_hi + row0; \
  threadgroup const float* columns_at = b_hi + column0; \
  _Pragma("clang loop unroll(disable)") for (uint round = 0u; round < AB_DEPTH / 4u; ++round) { \
    AB_UNROLLED for (uint k = 0u; k < 4u; ++k) { \
      AB_ROWS rows_hi = *(threadgroup const AB_ROWS*)&rows_at[k * AB_LEFT_STRIDE]; \
      AB_ROWS rows_lo = *(threadgroup const AB_ROWS*)&rows_at[(AB_DEPTH + k) * AB_LEFT_STRIDE]; \
      AB_COLUMNS columns_hi = *(threadgroup const AB_COLUMNS*)&columns_at[k * AB_RIGHT_STRIDE]; \
      AB_COLUMNS columns_lo = *(threadgroup const AB_COLUMNS*)&columns_at[(AB_DEPTH + k) * AB_RIGHT_STRIDE]; \
      AB_UNROLLED for (uint column = 0u; column < AB_THREAD_COLUMNS; ++column) { \
        AB_UNROLLED for (uint row = 0u; row < AB_THREAD_ROWS; ++row) { \
          pair32 a = {rows_hi[row], rows_lo[row]}; \
          pair32 b = {columns_hi[column], columns_lo[column]}; \
          sums[column * AB_THREAD_ROWS + row] = dd_step(sums[column * AB_THREAD_ROWS + row], first, second); \
        } \
      } \
    } \
    rows_at += 4u * AB_LEFT_STRIDE; \
    columns_at += 4u * AB_RIGHT_STRIDE; \
  }

AB_KERNEL(gemm_dd, AB_WIDTH, AB_TILE_COLUMNS / AB_THREAD_COLUMNS)
AB_IN(0, float4, left) AB_IN(1, float4, right) AB_INOUT(2, pair32, products) AB_PARAMS(3, dd_params, p)
  threadgroup float4 left_tile[2 * 16 * AB_LEFT_STRIDE / 4];
  threadgroup float4 right_tile[2 * 16 * AB_RIGHT_STRIDE / 4];
  threadgroup float* a_hi = (threadgroup float*)left_tile;
  threadgroup float* a_lo = a_hi + AB_DEPTH * AB_LEFT_STRIDE;
  threadgroup float* b_hi = (threadgroup float*)right_tile;
  threadgroup float* b_lo = b_hi + AB_DEPTH * AB_RIGHT_STRIDE;
  AB_GROUPS_ARE(p.groups)
  uint tiles = p.tile_rows * p.tile_columns;
  uint product = AB_GROUP_ID / tiles;
  uint i0 = (AB_GROUP_ID % tiles) % p.tile_rows * AB_TILE_ROWS;
  uint j0 = (AB_GROUP_ID % tiles) / p.tile_rows * AB_TILE_COLUMNS;
  uint left_plane = p.form == 4u ? (product == 1u || product == 3u ? 1u : 0u) : product;
  uint right_plane = p.form == 4u ? (product == 1u || product == 2u ? 1u : 0u) : product;
  bool right_first = p.form == 4u && product == 3u;
  uint rows_here = p.rows - i0 < AB_TILE_ROWS ? p.rows - i0 : AB_TILE_ROWS;
  uint columns_here = p.columns - j0 < AB_TILE_COLUMNS ? p.columns - j0 : AB_TILE_COLUMNS;
  uint quads = p.inner_padded / 2u;  // of a vector
  device const float4* left_block = left + (ulong(left_plane) * p.left_all + p.left_first + i0) * quads;
  device const float4* right_block = right + (ulong(right_plane) * p.right_all + p.right_first + j0) * quads;
  uint thread_index = AB_LOCAL_Y * AB_WIDTH + AB_LOCAL_X;
  uint row0 = AB_LOCAL_X * AB_THREAD_ROWS;
  uint column0 = AB_LOCAL_Y * AB_THREAD_COLUMNS;
  bool has_entries = row0 < rows_here && column0 < columns_here;
  pair32 sums[AB_THREAD_ROWS * AB_THREAD_COLUMNS];
  AB_UNROLLED for (uint e = 0u; e < AB_THREAD_ROWS * AB_THREAD_COLUMNS; ++e) {
    uint i = row0 + e % AB_THREAD_ROWS;
    uint j = column0 + e / AB_THREAD_ROWS;
    sums[e].hi = 0.0f;
    sums[e].lo = 0.0f;
    if (p.accumulate != 0u && i < rows_here && j < columns_here) sums[e] = products[(ulong(product) * p.columns + j0 + j) * p.rows + i0 + i];
  }
  // What this thread fetches, of the last vector in the place of those that do not exist: their entries are not kept.
  uint left_offsets[AB_LEFT_LOADS];
  uint right_offsets[AB_RIGHT_LOADS];
  AB_UNROLLED for (uint e = 0u; e < AB_LEFT_LOADS; ++e) {
    left_offsets[e] = min(thread_index / AB_QUADS + 32u * e, rows_here - 1u) * quads + thread_index % AB_QUADS;
  }
  AB_UNROLLED for (uint e = 0u; e < AB_RIGHT_LOADS; ++e) {
    right_offsets[e] = min(thread_index / AB_QUADS + 32u * e, columns_here - 1u) * quads + thread_index % AB_QUADS;
  }
  float4 left_next[AB_LEFT_LOADS];
  float4 right_next[AB_RIGHT_LOADS];
  AB_FETCH
  for (uint k0 = 0u; k0 < p.inner_padded; k0 += AB_DEPTH) {
    AB_UNROLLED for (uint e = 0u; e < AB_LEFT_LOADS; ++e) {
      AB_PUT(a_hi, a_lo, AB_LEFT_STRIDE, thread_index / AB_QUADS + 32u * e, left_next[e])
    }
    AB_UNROLLED for (uint e = 0u; e < AB_RIGHT_LOADS; ++e) {
      uint row = thread_index / AB_QUADS + 32u * e;
      if (row < AB_TILE_COLUMNS) {
        AB_PUT(b_hi, b_lo, AB_RIGHT_STRIDE, row, right_next[e])
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bool more = k0 + AB_DEPTH < p.inner_padded;
#if defined(AB_AHEAD)
    if (more) {
      AB_FETCH
    }
#endif
    if (has_entries && right_first) {
      AB_MULTIPLY(b, a)
    } else if (has_entries) {
      AB_MULTIPLY(a, b)
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
#if !defined(AB_AHEAD)
    if (more) {
      AB_FETCH
    }
#endif
  }
  AB_UNROLLED for (uint e = 0u; e < AB_THREAD_ROWS * AB_THREAD_COLUMNS; ++e) {
    uint i = row0 + e % AB_THREAD_ROWS;
    uint j = column0 + e / AB_THREAD_ROWS;
    if (i < rows_here && j < columns_here) products[(ulong(product) * p.columns + j0 + j) * p.rows + i0 + i] = sums[e];
  }
AB_END
