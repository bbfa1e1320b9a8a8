// SPDX-License-Identifier: MIT
#include "device/cpu/native/plane_product.hpp"

#include <algorithm>

#include "kernels/host.hpp"

namespace ab::device::native {
namespace {

using kernels::modular_params;

// Chosen: packed left and right panels (128 and 96 KiB of 16-bit words) stay in the second-level cache.
constexpr Index block_rows = 128, block_columns = 96, chunk_terms = 512;
constexpr Index chunks_between_reductions = 65536 / chunk_terms;  // half of what 32 bits hold (docs/numerics.md 7.3)

struct Scratch {
  std::byte left[2 * block_rows * chunk_terms];
  std::byte right[2 * block_columns * chunk_terms];
  std::int32_t sums[3][block_rows * block_columns];
};
static_assert(sizeof(Scratch) <= native_scratch_bytes);

struct Product {
  const Launch& launch;
  const modular_params& p;
  const PlaneSteps& steps;
  int products;
  Index row_blocks, column_blocks;
};

// One block of the result for one modulus.
struct Block {
  Index l, row, column, rows, columns;
  Index padded_rows, padded_columns;  // to whole register tiles; padded_rows is the stride of the sums
};

Index padded(Index count, Index unit) {
  return (count + unit - 1) / unit * unit;
}

Index blocks_for(Index count, Index block) {
  return (count + block - 1) / block;
}

std::int32_t modulus_of(const Product& product, Index l) {
  return static_cast<std::int32_t>(static_cast<const kernels::modulus*>(product.launch.buffers[2])[l].m);
}

Block block_of(const Product& product, Index number) {
  const Index of_modulus = product.row_blocks * product.column_blocks, place = number % of_modulus;
  Block b{};
  b.l = number / of_modulus;
  b.row = place % product.row_blocks * block_rows;
  b.column = place / product.row_blocks * block_columns;
  b.rows = std::min<Index>(product.p.left_vectors - b.row, block_rows);
  b.columns = std::min<Index>(product.p.right_vectors - b.column, block_columns);
  b.padded_rows = padded(b.rows, product.steps.left_unit);
  b.padded_columns = padded(b.columns, product.steps.right_unit);
  return b;
}

// The terms from `first` on of a block's vectors in a plane of all_vectors vectors.
PlanePart part_of(const void* planes, Index vector, Index vectors, Index inner_padded, Index first) {
  const auto* const at = static_cast<const std::int8_t*>(planes) + vector * inner_padded + first;
  return {at, inner_padded, vectors, std::min(inner_padded - first, chunk_terms)};
}

void multiply_block(const Product& product, const Block& b, int q, Scratch& s) {
  const modular_params& p = product.p;
  const PlaneSteps& steps = product.steps;
  const Index plane = b.l * product.products + q, inner_padded = p.inner_padded, count = b.padded_rows * b.padded_columns;
  const Index left = plane * p.left_all + p.left_first + b.row, right = plane * p.right_all + p.right_first + b.column;
  std::int32_t* const sums = s.sums[q];
  std::fill_n(sums, count, 0);
  for (Index chunk = 0; chunk * chunk_terms < inner_padded; ++chunk) {
    if (chunk > 0 && chunk % chunks_between_reductions == 0) steps.reduce(sums, count, modulus_of(product, b.l));
    const PlanePart left_part = part_of(product.launch.buffers[0], left, b.rows, inner_padded, chunk * chunk_terms);
    const PlanePart right_part = part_of(product.launch.buffers[1], right, b.columns, inner_padded, chunk * chunk_terms);
    steps.pack(left_part, b.padded_rows, s.left);
    steps.pack(right_part, b.padded_columns, s.right);
    steps.multiply({s.left, s.right, b.padded_rows, b.padded_columns, left_part.terms, sums, b.padded_rows});
  }
}

// P1, P2, P3 -> P1 - P2, P3 - P1 - P2 (docs/numerics.md 7.5).
void combine(const Block& b, Scratch& s) {
  for (Index i = 0; i < b.padded_rows * b.padded_columns; ++i) {
    const std::int32_t re = s.sums[0][i], im = s.sums[1][i];
    s.sums[0][i] = re - im;
    s.sums[1][i] = s.sums[2][i] - re - im;
  }
}

void write_part(const Product& product, const Block& b, std::int32_t* sums, Index plane) {
  const Index column_bytes = 4 * static_cast<Index>(product.p.row_words);
  auto* const planes = static_cast<std::int8_t*>(product.launch.buffers[3]);
  std::int8_t* const to = planes + (plane * product.p.right_vectors + b.column) * column_bytes + b.row;
  if (product.p.accumulate != 0) {
    for (Index j = 0; j < b.columns; ++j) {
      for (Index i = 0; i < b.rows; ++i) sums[j * b.padded_rows + i] += to[j * column_bytes + i];
    }
  }
  product.steps.reduce(sums, b.padded_rows * b.padded_columns, modulus_of(product, b.l));
  for (Index j = 0; j < b.columns; ++j) {
    // 128 stands for -128, its residue modulo 256
    for (Index i = 0; i < b.rows; ++i) to[j * column_bytes + i] = static_cast<std::int8_t>(sums[j * b.padded_rows + i]);
  }
}

void multiply_blocks(const void* state, std::byte* scratch, Index first, Index last) {
  const Product& product = *static_cast<const Product*>(state);
  Scratch& s = *reinterpret_cast<Scratch*>(scratch);
  for (Index number = first; number < last; ++number) {
    const Block b = block_of(product, number);
    for (int q = 0; q < product.products; ++q) multiply_block(product, b, q, s);
    if (product.products == 1) {
      write_part(product, b, s.sums[0], b.l);
      continue;
    }
    for (std::int32_t* sums : s.sums) product.steps.reduce(sums, b.padded_rows * b.padded_columns, modulus_of(product, b.l));
    combine(b, s);
    for (int part = 0; part < 2; ++part) write_part(product, b, s.sums[part], 2 * b.l + part);
  }
}

}  // namespace

void multiply_planes(const Launch& launch, const PlaneSteps& steps, int products) {
  const auto& p = *static_cast<const modular_params*>(launch.buffers[4]);
  const Product product{launch, p, steps, products, blocks_for(p.left_vectors, block_rows), blocks_for(p.right_vectors, block_columns)};
  const Index entries = static_cast<Index>(p.left_vectors) * static_cast<Index>(p.right_vectors);
  const Index work = entries * static_cast<Index>(p.inner_padded) / 8 * static_cast<Index>(p.moduli) * products;
  launch.sharer.share(static_cast<Index>(p.moduli) * product.row_blocks * product.column_blocks, work, &multiply_blocks, &product);
}

}  // namespace ab::device::native
