// SPDX-License-Identifier: MIT
// Every int32 through the reductions of products, and many scaled integers through that of residues: counts what is wrong.
#define AB_LANG_CUDA
#include "device/cuda/native/residues.cuh"
#include "device/cuda/native/sums.cuh"

using namespace ab::device::cuda::native;

extern "C" __global__ void check_sums(const ProductModulus c, int m, long most, unsigned long* wrong) {
  unsigned long found = 0;
  const long step = static_cast<long>(gridDim.x) * blockDim.x;
  for (long sum = -most + static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x; sum <= most; sum += step) {
    if (sum < -2147483648l || sum > 2147483647l) continue;
    const int x = static_cast<int>(sum);
    const int byte = c.reduction == Reduction::Float ? static_cast<int>(static_cast<signed char>(reduce_float(x, c))) : (reduce_bytes(x, c) & 255) - 128;
    if ((sum - byte) % m != 0 || byte > 127 || byte < -127) ++found;
  }
  if (found != 0) atomicAdd(reinterpret_cast<unsigned long long*>(wrong), static_cast<unsigned long long>(found));
}

extern "C" __global__ void check_residues(const ResidueModulus c, int m, unsigned long count, unsigned long* wrong) {
  unsigned long found = 0;
  const unsigned long step = static_cast<unsigned long>(gridDim.x) * blockDim.x;
  for (unsigned long i = static_cast<unsigned long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    unsigned long x = i * 0x9E3779B97F4A7C15ul;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9ul;
    x ^= x >> 32;
    const long long a = static_cast<long long>(x) >> (i % 64);
    const long long r = ((a % m + m + m / 2) % m) - m / 2;
    if (static_cast<signed char>(residue_of(a, c)) != r) ++found;
  }
  if (found != 0) atomicAdd(reinterpret_cast<unsigned long long*>(wrong), static_cast<unsigned long long>(found));
}
