// SPDX-License-Identifier: MIT
// The words of CUDA C++ that the native kernels use, as host C++: their text runs on the host, a thread after the other.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define __device__
#define __forceinline__ inline
#define __noinline__
#define __shared__ static

struct uint2 {
  unsigned x, y;
};
struct uint4 {
  unsigned x, y, z, w;
};
struct double2 {
  double x, y;
};
struct ulonglong2 {
  std::uint64_t x, y;
};
inline uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
inline ulonglong2 make_ulonglong2(std::uint64_t x, std::uint64_t y) {
  return {x, y};
}

struct CudaIndex {
  unsigned x, y, z;
};
inline thread_local CudaIndex threadIdx, blockIdx, blockDim, gridDim;
inline void __syncthreads() {}

template <class To, class From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
inline float __int_as_float(int x) {
  return bits_as<float>(x);
}
inline int __float_as_int(float x) {
  return bits_as<int>(x);
}
inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
inline float __fsub_rn(float a, float b) {
  return a - b;
}
inline float __fmaf_rn(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline double __dadd_rn(double a, double b) {
  return a + b;
}
inline double __dsub_rn(double a, double b) {
  return a - b;
}
inline double __dmul_rn(double a, double b) {
  return a * b;
}
inline double __fma_rn(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
// Of numbers that are not negative.
inline double __dmul_ru(double a, double b) {
  const double product = a * b;
  return __builtin_fma(a, b, -product) > 0 || (product == 0 && a != 0 && b != 0) ? std::nextafter(product, HUGE_VAL) : product;
}
inline double __dadd_ru(double a, double b) {
  const double sum = a + b, part = sum - a;
  return (a - (sum - part)) + (b - part) > 0 ? std::nextafter(sum, HUGE_VAL) : sum;
}
inline long long __double2ll_rn(double x) {
  return static_cast<long long>(__builtin_nearbyint(x));
}
inline double __hiloint2double(int high, int low) {
  return bits_as<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 | static_cast<unsigned>(low));
}
inline int __double2hiint(double x) {
  return static_cast<int>(bits_as<std::uint64_t>(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(bits_as<std::uint64_t>(x));
}
inline int __dp4a(int a, int b, int sum) {
  auto total = static_cast<unsigned>(sum);
  for (int i = 0; i < 4; ++i) {
    const int x = static_cast<std::int8_t>(static_cast<unsigned>(a) >> (8 * i)),
              y = static_cast<std::int8_t>(static_cast<unsigned>(b) >> (8 * i));
    total += static_cast<unsigned>(x * y);
  }
  return static_cast<int>(total);
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = std::uint64_t{y} << 32 | x;
  unsigned out = 0;
  for (int i = 0; i < 4; ++i) out |= static_cast<unsigned>(bytes >> (8 * (selector >> (4 * i) & 7u)) & 255u) << (8 * i);
  return out;
}
inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
template <class T>
void atomicAdd(T* at, T value) {
  *at += value;
}
template <class T>
void atomicOr(T* at, T value) {
  *at |= value;
}
template <class T>
void atomicMin(T* at, T value) {
  if (value < *at) *at = value;
}
template <class T>
void atomicMax(T* at, T value) {
  if (value > *at) *at = value;
}
template <class T>
T __ldcs(const T* at) {
  return *at;
}
template <class T>
void __stcs(T* at, const T& value) {
  *at = value;
}
