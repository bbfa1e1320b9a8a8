// SPDX-License-Identifier: MIT
// The native kernels as one image for compute capability 8.0 and later, beside the common kernels of kernels/variants.txt; products by
// warpgroups are in its code for 9.0 (sm_90a) only.
#define AB_LANG_CUDA
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#include "device/cuda/native/product.cuh"
#endif
#include "device/cuda/native/reconstruct.cuh"
#include "device/cuda/native/residues.cuh"
#include "device/cuda/native/scan.cuh"
#include "device/cuda/native/warp_product.cuh"

using namespace ab::device::cuda::native;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define AB_PRODUCT(name, warpgroups, pairing)                                                                                     \
  extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(warpgroups* warpgroup_threads, 1)                        \
      name(const __grid_constant__ CUtensorMap columns, const __grid_constant__ CUtensorMap rows, const __grid_constant__ ProductParams p) { \
    multiply_planes<warpgroups, pairing>(columns, rows, p);                                                                       \
  }
AB_PRODUCT(product_small, 2, Pairing::Columns)
AB_PRODUCT(product_large, 3, Pairing::Rows)
#endif

extern "C" __global__ void __launch_bounds__(warp_product_threads, 1)
    product_warps(const __grid_constant__ Planes columns, const __grid_constant__ Planes rows, const __grid_constant__ ProductParams p) {
  extern __shared__ uint4 stages_of_block[];
  WarpThread thread(columns, rows, p, static_cast<unsigned>(__cvta_generic_to_shared(stages_of_block)), threadIdx.x, blockIdx.x, gridDim.x);
  multiply_by_warps(thread, p, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
}

// Named after the most moduli they serve: budgets of 98, 109, 117, 125 bits, and all.
#define AB_RESULT(name, most, products, blocks)                                                                                   \
  extern "C" __global__ void __launch_bounds__(result_threads, blocks) name(const __grid_constant__ ResultParams p) { \
    reconstruct<most, products>(p);                                                                                               \
  }
AB_RESULT(result_13, 13, 1, 5)
AB_RESULT(result_14, 14, 1, 5)
AB_RESULT(result_15, 15, 1, 5)
AB_RESULT(result_16, 16, 1, 4)
AB_RESULT(result_20, 20, 1, 4)
AB_RESULT(result_13_3m, 13, 3, 4)
AB_RESULT(result_14_3m, 14, 3, 4)
AB_RESULT(result_15_3m, 15, 3, 4)
AB_RESULT(result_16_3m, 16, 3, 4)
AB_RESULT(result_20_3m, 20, 3, 3)

#define AB_RESIDUES(name, way, parts, threads, blocks)                                                                            \
  extern "C" __global__ void __launch_bounds__(threads, blocks) name(const __grid_constant__ ResidueParams p) { way<parts>(p); }
AB_RESIDUES(residues_along_real, residues_along, 1, residue_threads, 4)
AB_RESIDUES(residues_along_complex, residues_along, 2, residue_threads, 2)
AB_RESIDUES(residues_across_real, residues_across, 1, across_threads, 2)
AB_RESIDUES(residues_across_complex, residues_across, 2, across_threads, 1)

#define AB_SCAN(name, parts, vectors, lanes, across, blocks)                                                                        \
  extern "C" __global__ void __launch_bounds__((vectors) * (lanes), blocks) name(const __grid_constant__ ScanParams p) { \
    scan<parts, vectors, lanes, across>(p);                                                                                       \
  }
AB_SCAN(scan_long_real, 1, 1, long_lanes, false, 4)
AB_SCAN(scan_long_complex, 2, 1, long_lanes, false, 3)
AB_SCAN(scan_short_real, 1, short_vectors, short_lanes, false, 4)
AB_SCAN(scan_short_complex, 2, short_vectors, short_lanes, false, 3)
AB_SCAN(scan_across_real, 1, side_vectors, side_lanes, true, 1)
AB_SCAN(scan_across_complex, 2, side_vectors, side_lanes, true, 1)
