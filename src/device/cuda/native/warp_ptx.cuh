// SPDX-License-Identifier: MIT
// The instructions of compute capability 8.0 and later that the product by warps takes: copies that go on beside the products, matrices
// from shared memory, products. Source: PTX ISA 7.0 and later, cp.async, ldmatrix, mma.
#pragma once

namespace ab::device::cuda::native {

/// 16 bytes to shared memory, past the L1 cache. The line's other half is the next block of terms.
__device__ __forceinline__ void copy_piece(unsigned to, const unsigned char* from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int in_flight>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(in_flight) : "memory");
}
/// Four matrices of eight lines of 16 bytes: line `lane` of all 32 is at the lane's address, and the lane gets word lane % 4 of line
/// lane / 4 of each.
__device__ __forceinline__ void load_matrices(unsigned (&to)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from)
               : "memory");
}
/// sums += a b^T for 16 x 32 signed bytes a and 8 x 32 b. Sums wrap.
__device__ __forceinline__ void multiply_add(int* sums, const unsigned (&a)[4], const unsigned* b) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace ab::device::cuda::native
