// SPDX-License-Identifier: MIT
// Modular products by blocks of the result, with the residues of a block in the caches: every modulus of a block, then its
// reconstruction (crt_product_i8), or block after block of each modulus into result planes (modular_gemm_i8).
#include <immintrin.h>

#include "device/cpu/native/avx512_result.hpp"
#include "device/cpu/native/text.hpp"

namespace ab::device::native {
namespace {

struct Blocking {
  Index left_tiles, right_tiles;  // of a block; right_tiles even
  Index rows, columns;            // blocks
};

Index entries_of(Index left_tiles, Index right_tiles) {
  return (right_tiles + 1) / 2 * left_tiles * pair_entries;
}

// Residues of the moduli of a block at distances that are no multiple of a page.
constexpr Index modulus_padding = 5 * 64, partial_bytes = sizeof(std::int16_t);

Index block_scratch(Index left_tiles, Index right_tiles, Index bytes_per_entry) {
  return (entries_of(left_tiles, right_tiles) + modulus_padding) * bytes_per_entry;
}

struct Limits {
  Index bytes;            // of a block
  Index bytes_per_entry;  // and of one of its results
  int threads;
};

// The blocks that finish first, by a model: all blocks take the same time, reading operands costs as much as 16 columns more of left
// tiles and 32 more of right ones (chosen; between blocks of 384 x 1024 and 1024 x 512 no difference could be seen on a noisy machine).
Blocking choose_blocking(Index left_tiles, Index right_tiles, const Limits& limits) {
  constexpr Index left_sizes[] = {32, 24, 16, 12, 8, 6, 4, 2, 1}, right_sizes[] = {64, 48, 32, 24, 16, 12, 8, 4, 2};
  Blocking best{1, 2, left_tiles, (right_tiles + 1) / 2};
  double least = -1;
  for (const Index left : left_sizes) {
    for (const Index right : right_sizes) {
      if (block_scratch(left, right, limits.bytes_per_entry) > limits.bytes) continue;
      const Index l = left < left_tiles ? left : left_tiles, r = right < right_tiles ? right : (right_tiles + 1) / 2 * 2;
      const Index rows = (left_tiles + l - 1) / l, columns = (right_tiles + r - 1) / r;
      const Index turns = (rows * columns + limits.threads - 1) / limits.threads;
      const double time = static_cast<double>(turns) * static_cast<double>((l + 1) * (r + 2));
      if (least >= 0 && time >= least) continue;
      least = time;
      best = {l, r, rows, columns};
    }
  }
  return best;
}

struct Product {
  const Launch* launch;
  const text::modular_params* p;
  const Multiplier* multiplier;
  const Constants* constants;
  int products;
  Blocking blocking;
  Index left_tiles, right_tiles;
  Chunks chunks;
  std::byte* scratch;   // of the fused product: one block a thread
  Index scratch_bytes;  // of one thread
  bool* slot_taken;     // a thread's place in scratch
};

Tiles tiles_of(Index block, Index size, Index total) {
  const Index first = block * size, left = total - first;
  return {first, left < size ? left : size};
}

Index padded_tiles(kernels::uint vectors) {
  return (static_cast<Index>(vectors) + tile_vectors - 1) / tile_vectors;
}

// One block of one modulus: its products, one after the other.
struct Place {
  Tiles left, right;
  int l;
  Index planes;  // of operands up to the last one that this thread goes on with
  std::int8_t* results;
  Index product_stride;
  std::int16_t* partial;
  std::byte* scratch;
};

void multiply_block(const Product& product, const Place& place) {
  const text::modular_params& p = *product.p;
  const auto* const left = static_cast<const std::int8_t*>(product.launch->buffers[0]);
  const auto* const right = static_cast<const std::int8_t*>(product.launch->buffers[1]);
  const Index left_plane = plane_bytes(p.left_all, p.inner_padded), right_plane = plane_bytes(p.right_all, p.inner_padded);
  for (int q = 0; q < product.products; ++q) {
    const Index plane = static_cast<Index>(place.l) * product.products + q;
    ModularBlock block{};
    block.left = {left + plane * left_plane, padded_tiles(p.left_all)};
    block.right = {right + plane * right_plane, padded_tiles(p.right_all)};
    if (plane + 1 < place.planes) {
      block.next_left = left + (plane + 1) * left_plane;
      block.next_right = right + (plane + 1) * right_plane;
    }
    block.chunks = product.chunks;
    block.left_tiles = place.left;
    block.right_tiles = place.right;
    block.modulus = &product.constants->moduli[place.l];
    block.results = place.results + q * place.product_stride;
    block.partial = place.partial;
    block.scratch = place.scratch;
    product.multiplier->multiply(block);
  }
}

// Whether the block has an entry that is stored.
bool is_wanted(const text::result_view& c, Tiles left, Tiles right) {
  const Index first_row = static_cast<Index>(c.row0) + left.first * tile_vectors, last_row = first_row + left.count * tile_vectors - 1;
  const Index first_column = static_cast<Index>(c.column0) + right.first * tile_vectors;
  const Index last_column = first_column + right.count * tile_vectors - 1;
  if (c.triangle == 1) return first_row <= last_column;
  if (c.triangle == 2) return last_row >= first_column;
  return true;
}

int take_slot(bool* taken) {
  for (int slot = 0;; ++slot) {
    if (!__atomic_exchange_n(&taken[slot], true, __ATOMIC_ACQUIRE)) return slot;
  }
}

void crt_blocks(const void* state, std::byte* scratch, Index first, Index last) {
  const Product& product = *static_cast<const Product*>(state);
  const auto* const p = static_cast<const text::crt_product_params*>(product.launch->buffers[9]);
  const int slot = take_slot(product.slot_taken);
  auto* const partial = reinterpret_cast<std::int16_t*>(product.scratch + slot * product.scratch_bytes);
  for (Index b = first; b < last; ++b) {
    const Tiles left = tiles_of(b % product.blocking.rows, product.blocking.left_tiles, product.left_tiles);
    const Tiles right = tiles_of(b / product.blocking.rows, product.blocking.right_tiles, product.right_tiles);
    if (!is_wanted(p->r.c, left, right)) continue;
    const Index entries = entries_of(left.count, right.count), modulus_stride = entries + modulus_padding;
    const Index product_stride = modulus_stride * product.constants->count;
    auto* const results = reinterpret_cast<std::int8_t*>(partial + (product.chunks.count > 1 ? entries : 0));
    const Index planes = static_cast<Index>(product.constants->count) * product.products;
    product.multiplier->enter();
    for (int l = 0; l < product.constants->count; ++l) {
      multiply_block(product, {left, right, l, planes, results + l * modulus_stride, product_stride, partial, scratch});
    }
    product.multiplier->leave();
    write_results(product.launch->buffers, {results, modulus_stride, product_stride, left, right, product.products, product.constants});
  }
  __atomic_store_n(&product.slot_taken[slot], false, __ATOMIC_RELEASE);
}

void plane_blocks(const void* state, std::byte* scratch, Index first, Index last) {
  const Product& product = *static_cast<const Product*>(state);
  const Index of_modulus = product.blocking.rows * product.blocking.columns;
  auto* const partial = reinterpret_cast<std::int16_t*>(scratch + multiply_scratch_bytes);
  for (Index b = first; b < last; ++b) {
    const auto l = static_cast<int>(b / of_modulus);
    const Index place = b % of_modulus;
    const Tiles left = tiles_of(place % product.blocking.rows, product.blocking.left_tiles, product.left_tiles);
    const Tiles right = tiles_of(place / product.blocking.rows, product.blocking.right_tiles, product.right_tiles);
    const Index product_stride = entries_of(left.count, right.count);
    auto* const results = reinterpret_cast<std::int8_t*>(partial + product_stride);
    product.multiplier->enter();
    multiply_block(product, {left, right, l, 0, results, product_stride, partial, scratch});
    product.multiplier->leave();
    write_planes(product.launch->buffers, {results, 0, product_stride, left, right, product.products, product.constants}, l);
  }
}

Product begin(const Launch& launch, const text::modular_params& p, const Multiplier& multiplier, int products) {
  Product product{};
  product.launch = &launch;
  product.p = &p;
  product.multiplier = &multiplier;
  product.constants = &constants_for(static_cast<const kernels::modulus*>(launch.buffers[2]), static_cast<int>(p.moduli));
  product.products = products;
  product.left_tiles = padded_tiles(p.left_vectors);
  product.right_tiles = padded_tiles(p.right_vectors);
  product.chunks = chunks_of(p.inner_padded);
  return product;
}

Index work_of(const Product& product) {
  const Index entries = static_cast<Index>(product.p->left_vectors) * static_cast<Index>(product.p->right_vectors);
  return entries * static_cast<Index>(product.p->inner_padded) / 64 * product.constants->count * product.products;
}

}  // namespace

void modular_gemm_avx512(const Launch& launch, const Multiplier& multiplier, int products) {
  Product product = begin(launch, *static_cast<const text::modular_params*>(launch.buffers[4]), multiplier, products);
  const auto room = static_cast<Index>(native_scratch_bytes - multiply_scratch_bytes);
  product.blocking = choose_blocking(product.left_tiles, product.right_tiles, {room, products + partial_bytes, 1});
  launch.sharer.share(product.constants->count * product.blocking.rows * product.blocking.columns, work_of(product), &plane_blocks,
                      &product);
}

void crt_product_avx512(const Launch& launch, const Multiplier& multiplier, int products) {
  const auto* const p = static_cast<const text::crt_product_params*>(launch.buffers[9]);
  Product product = begin(launch, p->g, multiplier, products);
  constexpr int most_threads = 1024;
  bool taken[most_threads] = {};
  const int threads = launch.sharer.threads() < most_threads ? launch.sharer.threads() : most_threads;
  product.scratch = static_cast<std::byte*>(launch.buffers[6]);
  product.scratch_bytes = static_cast<Index>(p->scratch_bytes) / threads / 64 * 64;
  product.slot_taken = taken;
  const Index bytes_per_entry = static_cast<Index>(products) * product.constants->count + (product.chunks.count > 1 ? partial_bytes : 0);
  product.blocking = choose_blocking(product.left_tiles, product.right_tiles, {product.scratch_bytes, bytes_per_entry, threads});
  launch.sharer.share(product.blocking.rows * product.blocking.columns, work_of(product), &crt_blocks, &product);
}

}  // namespace ab::device::native
