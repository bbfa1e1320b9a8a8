// SPDX-License-Identifier: MIT
// Modular products on AMX tiles: 32 x 32 results at a time, four tiles of sums, two of right and two of left vectors.
// The sums of the block before are folded between the tile instructions of the next.
#include <immintrin.h>

#include "device/cpu/native/fold.hpp"
#include "device/cpu/native/permission.hpp"

namespace ab::device::native {
namespace {

// Operands of one 32 x 32 block: two right tiles (read from the first-level cache), two left ones (streamed from the second).
struct Operands {
  const std::int8_t* right0;
  const std::int8_t* right1;
  const std::int8_t* left0;
  const std::int8_t* left1;
  const std::int8_t* next0;  // what the next blocks will read from `right`, fetched ahead
  const std::int8_t* next1;
  int lines_ahead;           // cache lines of each to fetch per step
  const std::int8_t* later;  // and the left tiles of the next chunk or block
  int lines_later;
};

inline __attribute__((always_inline)) void advance(Operands& o) {
  o.right0 += block_bytes;
  o.right1 += block_bytes;
  o.left0 += block_bytes;
  o.left1 += block_bytes;
  for (int line = 0; line < o.lines_ahead; ++line) {
    _mm_prefetch(reinterpret_cast<const char*>(o.next0), _MM_HINT_T1);
    _mm_prefetch(reinterpret_cast<const char*>(o.next1), _MM_HINT_T1);
    o.next0 += 64;
    o.next1 += 64;
  }
  for (int line = 0; line < o.lines_later; ++line) {
    _mm_prefetch(reinterpret_cast<const char*>(o.later), _MM_HINT_T1);
    o.later += 64;
  }
}

// One step of 64 terms, with `rows` rows of the pending block folded in between. Tiles 0 to 3: sums of (right, left) tiles
// 00, 01, 10, 11; 4, 5: right; 6, 7: left.
template <Parity parity, Chunk chunk, int rows>
inline __attribute__((always_inline)) void step(Operands& o, Pending& pending, int& place, const FoldConstants& c) {
  _tile_loadd(4, o.right0, 64);
  _tile_stream_loadd(6, o.left0, 64);
  _tile_dpbssd(0, 4, 6);
  if constexpr (rows >= 1) fold_next<parity, chunk>(pending, place, c);
  _tile_stream_loadd(7, o.left1, 64);
  _tile_dpbssd(1, 4, 7);
  if constexpr (rows >= 3) fold_next<parity, chunk>(pending, place, c);
  if constexpr (rows >= 5) fold_next<parity, chunk>(pending, place, c);
  _tile_loadd(5, o.right1, 64);
  _tile_dpbssd(2, 5, 6);
  if constexpr (rows >= 2) fold_next<parity, chunk>(pending, place, c);
  if constexpr (rows >= 6) fold_next<parity, chunk>(pending, place, c);
  _tile_dpbssd(3, 5, 7);
  if constexpr (rows >= 4) fold_next<parity, chunk>(pending, place, c);
  advance(o);
}

template <Parity parity, Chunk chunk, int rows>
inline void steps(Operands& o, Index count, Pending& pending, const FoldConstants& c) {
  int place = 0;
  Index done = 0;
  if constexpr (rows > 0) {
    for (const Index folding = pending.rows / rows; done < folding; ++done) step<parity, chunk, rows>(o, pending, place, c);
    pending.rows -= static_cast<int>(done) * rows;
    fold_all<parity, chunk>(pending, place, c);
  }
  for (; done < count; ++done) step<parity, chunk, 0>(o, pending, place, c);
}

// The last two steps tile by tile, so that each store waits for its own sums only. sums: left tile, right tile, 256 each.
inline __attribute__((always_inline)) void finish_two(const Operands& o, std::int32_t* sums) {
  _tile_loadd(4, o.right0, 64);
  _tile_stream_loadd(6, o.left0, 64);
  _tile_dpbssd(0, 4, 6);
  _tile_loadd(5, o.right0 + block_bytes, 64);
  _tile_stream_loadd(7, o.left0 + block_bytes, 64);
  _tile_dpbssd(0, 5, 7);
  _tile_stream_loadd(6, o.left1, 64);
  _tile_dpbssd(1, 4, 6);
  _tile_stream_loadd(7, o.left1 + block_bytes, 64);
  _tile_dpbssd(1, 5, 7);
  _tile_stored(0, sums, 64);
  _tile_loadd(4, o.right1, 64);
  _tile_loadd(5, o.right1 + block_bytes, 64);
  _tile_dpbssd(3, 4, 6);
  _tile_dpbssd(3, 5, 7);
  _tile_stored(1, sums + 512, 64);
  _tile_stream_loadd(6, o.left0, 64);
  _tile_stream_loadd(7, o.left0 + block_bytes, 64);
  _tile_dpbssd(2, 4, 6);
  _tile_dpbssd(2, 5, 7);
  _tile_stored(3, sums + 768, 64);
  _tile_stored(2, sums + 256, 64);
}

template <Parity parity, Chunk chunk>
void multiply_32x32(Operands o, Index count, std::int32_t* sums, Pending& pending, const FoldConstants& c) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const Index body = count - 2;
  const Index rows = body > 0 ? (pending.rows + body - 1) / body : 7;
  if (rows == 0) {
    steps<parity, chunk, 0>(o, body, pending, c);
  } else if (rows == 1) {
    steps<parity, chunk, 1>(o, body, pending, c);
  } else if (rows == 2) {
    steps<parity, chunk, 2>(o, body, pending, c);
  } else if (rows == 3) {
    steps<parity, chunk, 3>(o, body, pending, c);
  } else if (rows == 4) {
    steps<parity, chunk, 4>(o, body, pending, c);
  } else if (rows <= 6) {
    steps<parity, chunk, 6>(o, body, pending, c);
  } else {
    int place = 0;
    fold_all<parity, chunk>(pending, place, c);
    steps<parity, chunk, 0>(o, body, pending, c);
  }
  if (count >= 2) {
    finish_two(o, sums);
  } else {
    int place = 0;
    step<parity, chunk, 0>(o, pending, place, c);
    _tile_stored(0, sums, 64);
    _tile_stored(1, sums + 512, 64);
    _tile_stored(2, sums + 256, 64);
    _tile_stored(3, sums + 768, 64);
  }
}

// Where the tiles of the chunk after this one begin; null: nothing comes.
struct Ahead {
  const std::int8_t* left;
  const std::int8_t* right;
};

Ahead ahead_of(const ModularBlock& b, Index number) {
  const bool inside = number + 1 < b.chunks.count;
  if (!inside && b.next_left == nullptr) return {nullptr, nullptr};
  const Index chunk = inside ? number + 1 : 0, tile = blocks_of(b.chunks, chunk) * block_bytes;
  const Plane left{inside ? b.left.at : b.next_left, b.left.tiles}, right{inside ? b.right.at : b.next_right, b.right.tiles};
  return {chunk_at(left, b.chunks, chunk) + b.left_tiles.first * tile, chunk_at(right, b.chunks, chunk) + b.right_tiles.first * tile};
}

Index ceiling(Index a, Index b) {
  return (a + b - 1) / b;
}

template <Parity parity, Chunk chunk>
void multiply_chunk(const ModularBlock& b, Index number) {
  const FoldConstants c(*b.modulus);
  auto* const sums = reinterpret_cast<std::int32_t*>(b.scratch);  // two blocks of 1024, in turn
  const Index count = blocks_of(b.chunks, number), tile = count * block_bytes, right_end = b.right_tiles.first + b.right_tiles.count;
  const Index steps = ceiling(b.left_tiles.count, 2) * (count > 2 ? count - 2 : 1);  // that fetch ahead, of a pair of right tiles
  const auto lines = static_cast<int>(ceiling(count * 16, steps));
  const Ahead ahead = ahead_of(b, number);
  const auto lines_later =
      ahead.left == nullptr ? 0 : static_cast<int>(ceiling(b.left_tiles.count * count * 16, steps * ceiling(b.right_tiles.count, 2)));
  const std::int8_t* later = ahead.left;
  std::int8_t* results = b.results;
  std::int16_t* partial = b.partial;
  const __mmask32 added = number > 0 ? ~__mmask32{0} : __mmask32{0};
  Pending pending{nullptr, nullptr, nullptr, 0, 0};
  int half = 0;
  for (Index jt = b.right_tiles.first; jt < right_end; jt += 2) {
    const std::int8_t* const right = chunk_at(b.right, b.chunks, number) + jt * tile;
    const Index to_second = jt + 1 < b.right.tiles ? tile : 0;
    const std::int8_t* next0 = jt + 2 < right_end ? right + 2 * tile : ahead.right != nullptr ? ahead.right : right;
    const std::int8_t* next1 = next0 + tile;
    for (Index it = 0; it < b.left_tiles.count; it += 2) {
      const std::int8_t* const left = chunk_at(b.left, b.chunks, number) + (b.left_tiles.first + it) * tile;
      const bool paired = it + 1 < b.left_tiles.count;
      std::int32_t* const here = sums + 1024 * half;
      half ^= 1;
      multiply_32x32<parity, chunk>({right, right + to_second, left, paired ? left + tile : left, next0, next1, lines, later, lines_later},
                                    count, here, pending, c);
      const Index fetched = count > 2 ? (count - 2) * 64 : 0;
      next0 += fetched * lines;
      next1 += fetched * lines;
      later += fetched * lines_later;
      pending = {here, partial, results, paired ? 32 : 16, added};
      results += paired ? 2 * pair_entries : pair_entries;
      partial += paired ? 2 * pair_entries : pair_entries;
    }
  }
  int place = 0;
  fold_all<parity, chunk>(pending, place, c);
}

void multiply(const ModularBlock& block) {
  if (block.modulus->m % 2 == 0) {
    multiply_chunks(block, &multiply_chunk<Parity::Even, Chunk::Other>, &multiply_chunk<Parity::Even, Chunk::Last>);
  } else {
    multiply_chunks(block, &multiply_chunk<Parity::Odd, Chunk::Other>, &multiply_chunk<Parity::Odd, Chunk::Last>);
  }
}

struct __attribute__((packed)) TileConfiguration {
  std::uint8_t palette, start_row;
  std::uint8_t reserved[14];
  std::uint16_t row_bytes[16];
  std::uint8_t rows[16];
};

void enter() {
  alignas(64) static constexpr TileConfiguration all_16x64 = {1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
  _tile_loadconfig(&all_16x64);
}

void leave() {
  _tile_release();
}

constexpr Multiplier multiplier{&multiply, &enter, &leave};

constexpr Kernel kernels[] = {{"scan", &scan_avx512},
                              {"residues_i8", &residues_avx512},
                              {"modular_gemm_i8", [](const Launch& launch) { modular_gemm_avx512(launch, multiplier, 1); }},
                              {"modular_gemm_i8_3m", [](const Launch& launch) { modular_gemm_avx512(launch, multiplier, 3); }},
                              {"crt_product_i8", [](const Launch& launch) { crt_product_avx512(launch, multiplier, 1); }},
                              {"crt_product_i8_3m", [](const Launch& launch) { crt_product_avx512(launch, multiplier, 3); }},
                              {nullptr, nullptr}};
constexpr Engine engine{"amx-int8 avx512-vnni", kernels, tile_vectors, plane_padding, product_scratch_bytes, "cpu:amx-int8"};

}  // namespace

const Engine* amx_engine(Permission permission) {
  if (!has_avx512_vnni()) return nullptr;
  return (permission == Permission::Ask ? may_use_amx() : has_amx()) ? &engine : nullptr;
}

}  // namespace ab::device::native
