// SPDX-License-Identifier: MIT
// The instructions of the product by warps, as host C++. Those of a whole warp are queued by each lane and done when all lanes have come
// by; what they make is there only then. Source of the layouts: PTX ISA, ldmatrix and mma.m16n8k32 with signed bytes.
#pragma once
#include <cassert>
#include <vector>

#include "sim/cuda/native/cuda_words.hpp"

inline thread_local std::vector<unsigned char> shared_of_block;

struct LaneCall {
  unsigned* matrices;  // null: a product
  unsigned from;
  int* sums;
  const unsigned *a, *b;
};
inline thread_local std::vector<LaneCall> calls_of_lanes[32];

inline void copy_piece(unsigned to, const unsigned char* from) {
  assert(to % 16 == 0 && to + 16 <= shared_of_block.size() && reinterpret_cast<std::uintptr_t>(from) % 16 == 0);
  std::memcpy(&shared_of_block[to], from, 16);
}
inline void commit_copies() {}
template <int>
void wait_for_copies() {}
inline void load_matrices(unsigned (&to)[4], unsigned from) {
  calls_of_lanes[threadIdx.x % 32].push_back({to, from, nullptr, nullptr, nullptr});
}
inline void multiply_add(int* sums, const unsigned (&a)[4], const unsigned* b) {
  calls_of_lanes[threadIdx.x % 32].push_back({nullptr, 0, sums, a, b});
}

inline void load_of_warp(std::size_t call) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
      const unsigned line = calls_of_lanes[8 * matrix + lane / 4][call].from;
      assert(line % 16 == 0 && line + 16 <= shared_of_block.size());
      std::memcpy(&calls_of_lanes[lane][call].matrices[matrix], &shared_of_block[line + lane % 4 * 4], 4);
    }
  }
}

inline void product_of_warp(std::size_t call) {
  std::int8_t bytes[24][32];  // 16 lines of a, 8 of b
  for (unsigned lane = 0; lane < 32; ++lane) {
    const LaneCall& own = calls_of_lanes[lane][call];
    const unsigned group = lane / 4, term = lane % 4 * 4;
    for (unsigned i = 0; i < 4; ++i) std::memcpy(&bytes[group + i % 2 * 8][term + i / 2 * 16], &own.a[i], 4);
    for (unsigned i = 0; i < 2; ++i) std::memcpy(&bytes[16 + group][term + i * 16], &own.b[i], 4);
  }
  std::int16_t terms[24][32];  // what compilers have instructions for
  for (int line = 0; line < 24; ++line) {
    for (int k = 0; k < 32; ++k) terms[line][k] = bytes[line][k];
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < 4; ++i) {
      const std::int16_t *const row = terms[lane / 4 + i / 2 * 8], *const column = terms[16 + lane % 4 * 2 + i % 2];
      int sum = 0;
      for (int k = 0; k < 32; ++k) sum += row[k] * column[k];
      int& to = calls_of_lanes[lane][call].sums[i];
      to = static_cast<int>(static_cast<unsigned>(to) + static_cast<unsigned>(sum));
    }
  }
}

inline void finish_warp() {
  const std::size_t calls = calls_of_lanes[0].size();
  for (const auto& lane : calls_of_lanes) assert(lane.size() == calls);
  for (std::size_t call = 0; call < calls; ++call) {
    if (calls_of_lanes[0][call].matrices != nullptr) {
      load_of_warp(call);
    } else {
      product_of_warp(call);
    }
  }
  for (auto& lane : calls_of_lanes) lane.clear();
}
