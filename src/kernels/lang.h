// SPDX-License-Identifier: MIT
// The kernel dialect: one text, five languages. Words and rules: README.md beside this file.
// One of AB_LANG_CUDA, AB_LANG_METAL, AB_LANG_GLSL, AB_LANG_OPENCL is defined for device text; none of them means host C++.

#define AB_RECORD_ZERO 1u
#define AB_RECORD_NONFINITE 2u
#define AB_NO_LOW 1073741824
#define AB_NO_TOP (-1073741824)
#define AB_NO_PEAK (-2147483647 - 1)

#if defined(AB_LANG_CUDA)  // ------------------------------------------------------------------------------------ CUDA C++
typedef unsigned int uint;
typedef unsigned long ulong;
#define AB_FN static __device__ __forceinline__
#define AB_X
#define AB_STRUCT(name) struct name {
#define AB_STRUCT_END(name) };
#define AB_KERNEL(name, width, height) extern "C" __global__ void __launch_bounds__((width) * (height)) name(
#define AB_IN(index, type, name) const type* name,
#define AB_OUT(index, type, name) type* name,
#define AB_INOUT(index, type, name) type* name,
#define AB_ATOMIC(index, name) uint* name,
#define AB_PARAMS(index, type, name) const type name) {
#define AB_SHARED(type, name, count) __shared__ type name[count];
#define AB_COUNTERS(name, count) __shared__ uint name[count];
#define AB_BODY(name)
#define AB_PRIVATE(type, name, count) type name[count];
#define AB_P(name, i) name[i]
#define AB_THREADS {
#define AB_THREADS_IN(columns, rows) if (AB_LOCAL_X < (columns) && AB_LOCAL_Y < (rows)) {
#define AB_THREADS_END } __syncthreads();
#define AB_THREADS_LAST }
#define AB_END }
#define AB_LOCAL_X threadIdx.x
#define AB_LOCAL_Y threadIdx.y
#define AB_GROUP_X blockIdx.x
#define AB_GROUP_Y blockIdx.y
#define AB_GROUP_Z blockIdx.z
#define AB_COUNT(name, i) atomicAdd(&name[i], 1u)
#define AB_COUNTER(name, i) name[i]
#define AB_COUNTER_SET(name, i, value) name[i] = (value)
#define AB_ATOMIC_MIN(name, i, value) atomicMin(&name[i], value)
#define AB_INT(x) ((int)(x))
#define AB_UINT(x) ((uint)(x))
#define AB_LONG(x) ((long)(x))
#define AB_ULONG(x) ((ulong)(x))
#define AB_FLOAT(x) ((float)(x))
#define AB_FLOAT_BITS(x) __float_as_uint(x)
#define AB_BITS_FLOAT(x) __uint_as_float(x)
#define AB_CLZ(x) AB_UINT(__clz(AB_INT(x)))
#define AB_ADD(a, b) __fadd_rn(a, b)
#define AB_SUB(a, b) __fsub_rn(a, b)
#define AB_MUL(a, b) __fmul_rn(a, b)
#define AB_HARD_FMA(a, b, c) __fmaf_rn(a, b, c)
#define AB_HARD_FP64
#define AB_HARD_ADD64(a, b) ((ulong)__double_as_longlong(__dadd_rn(__longlong_as_double((long long)(a)), __longlong_as_double((long long)(b)))))
#define AB_HARD_MUL64(a, b) ((ulong)__double_as_longlong(__dmul_rn(__longlong_as_double((long long)(a)), __longlong_as_double((long long)(b)))))
#define AB_HARD_FMA64(a, b, c) ((ulong)__double_as_longlong(__fma_rn(__longlong_as_double((long long)(a)), __longlong_as_double((long long)(b)), __longlong_as_double((long long)(c)))))

#elif defined(AB_LANG_METAL)  // --------------------------------------------------------------------------------- Metal
#define AB_FN static inline
#define AB_X
#define AB_STRUCT(name) struct name {
#define AB_STRUCT_END(name) };
#define AB_KERNEL(name, width, height) kernel void name(
#define AB_IN(index, type, name) device const type* name [[buffer(index)]],
#define AB_OUT(index, type, name) device type* name [[buffer(index)]],
#define AB_INOUT(index, type, name) device type* name [[buffer(index)]],
#define AB_ATOMIC(index, name) device atomic_uint* name [[buffer(index)]],
#define AB_PARAMS(index, type, name) constant type& name [[buffer(index)]], uint3 ab_group [[threadgroup_position_in_grid]], uint3 ab_local [[thread_position_in_threadgroup]]) {
#define AB_SHARED(type, name, count) threadgroup type name[count];
#define AB_COUNTERS(name, count) threadgroup atomic_uint name[count];
#define AB_BODY(name)
#define AB_PRIVATE(type, name, count) type name[count];
#define AB_P(name, i) name[i]
#define AB_THREADS {
#define AB_THREADS_IN(columns, rows) if (AB_LOCAL_X < (columns) && AB_LOCAL_Y < (rows)) {
#define AB_THREADS_END } threadgroup_barrier(mem_flags::mem_threadgroup);
#define AB_THREADS_LAST }
#define AB_END }
#define AB_LOCAL_X ab_local.x
#define AB_LOCAL_Y ab_local.y
#define AB_GROUP_X ab_group.x
#define AB_GROUP_Y ab_group.y
#define AB_GROUP_Z ab_group.z
#define AB_COUNT(name, i) atomic_fetch_add_explicit(&name[i], 1u, memory_order_relaxed)
#define AB_COUNTER(name, i) atomic_load_explicit(&name[i], memory_order_relaxed)
#define AB_COUNTER_SET(name, i, value) atomic_store_explicit(&name[i], value, memory_order_relaxed)
#define AB_ATOMIC_MIN(name, i, value) atomic_fetch_min_explicit(&name[i], value, memory_order_relaxed)
#define AB_INT(x) ((int)(x))
#define AB_UINT(x) ((uint)(x))
#define AB_LONG(x) ((long)(x))
#define AB_ULONG(x) ((ulong)(x))
#define AB_FLOAT(x) ((float)(x))
#define AB_FLOAT_BITS(x) as_type<uint>(x)
#define AB_BITS_FLOAT(x) as_type<float>(x)
#define AB_CLZ(x) clz(x)
#define AB_ADD(a, b) ((a) + (b))
#define AB_SUB(a, b) ((a) - (b))
#define AB_MUL(a, b) ((a) * (b))
#define AB_HARD_FMA(a, b, c) fma(a, b, c)

#elif defined(AB_LANG_GLSL)  // ---------------------------------------------------------------------------------- Vulkan GLSL
#define ulong uint64_t
#define AB_FN
#define AB_X precise
#define AB_STRUCT(name) struct name {
#define AB_STRUCT_END(name) };
#define AB_KERNEL(name, width, height) layout(local_size_x = width, local_size_y = height) in;
#define AB_IN(index, type, name) layout(std430, set = 0, binding = index) readonly buffer ab_buffer_##name { type name[]; };
#define AB_OUT(index, type, name) layout(std430, set = 0, binding = index) buffer ab_buffer_##name { type name[]; };
#define AB_INOUT(index, type, name) layout(std430, set = 0, binding = index) buffer ab_buffer_##name { type name[]; };
#define AB_ATOMIC(index, name) layout(std430, set = 0, binding = index) buffer ab_buffer_##name { uint name[]; };
#define AB_PARAMS(index, type, name) layout(std430, set = 0, binding = index) readonly buffer ab_buffer_##name { type name; };
#define AB_SHARED(type, name, count) shared type name[count];
#define AB_COUNTERS(name, count) shared uint name[count];
#define AB_BODY(name) void main() {
#define AB_PRIVATE(type, name, count) AB_X type name[count];
#define AB_P(name, i) name[i]
#define AB_THREADS {
#define AB_THREADS_IN(columns, rows) if (AB_LOCAL_X < (columns) && AB_LOCAL_Y < (rows)) {
#define AB_THREADS_END } memoryBarrierShared(); barrier();
#define AB_THREADS_LAST }
#define AB_END }
#define AB_LOCAL_X gl_LocalInvocationID.x
#define AB_LOCAL_Y gl_LocalInvocationID.y
#define AB_GROUP_X gl_WorkGroupID.x
#define AB_GROUP_Y gl_WorkGroupID.y
#define AB_GROUP_Z gl_WorkGroupID.z
#define AB_COUNT(name, i) atomicAdd(name[i], 1u)
#define AB_COUNTER(name, i) name[i]
#define AB_COUNTER_SET(name, i, value) name[i] = (value)
#define AB_ATOMIC_MIN(name, i, value) atomicMin(name[i], value)
#define AB_INT(x) int(x)
#define AB_UINT(x) uint(x)
#define AB_LONG(x) int64_t(x)
#define AB_ULONG(x) uint64_t(x)
#define AB_FLOAT(x) float(x)
#define AB_FLOAT_BITS(x) floatBitsToUint(x)
#define AB_BITS_FLOAT(x) uintBitsToFloat(x)
#define AB_CLZ(x) uint(31 - findMSB(x))
#define AB_ADD(a, b) ((a) + (b))
#define AB_SUB(a, b) ((a) - (b))
#define AB_MUL(a, b) ((a) * (b))
#define AB_HARD_FMA(a, b, c) fma(a, b, c)

#elif defined(AB_LANG_OPENCL)  // -------------------------------------------------------------------------------- OpenCL C
#define AB_FN static inline
#define AB_X
#define AB_STRUCT(name) typedef struct {
#define AB_STRUCT_END(name) } name;
#define AB_KERNEL(name, width, height) __kernel __attribute__((reqd_work_group_size(width, height, 1))) void name(
#define AB_IN(index, type, name) __global const type* name,
#define AB_OUT(index, type, name) __global type* name,
#define AB_INOUT(index, type, name) __global type* name,
#define AB_ATOMIC(index, name) volatile __global uint* name,
#define AB_PARAMS(index, type, name) const type name) {
#define AB_SHARED(type, name, count) __local type name[count];
#define AB_COUNTERS(name, count) __local uint name[count];
#define AB_BODY(name)
#define AB_PRIVATE(type, name, count) type name[count];
#define AB_P(name, i) name[i]
#define AB_THREADS if (ab_exists) {
#define AB_THREADS_IN(columns, rows) if (ab_exists && AB_LOCAL_X < (columns) && AB_LOCAL_Y < (rows)) {
#define AB_THREADS_END } barrier(CLK_LOCAL_MEM_FENCE);
#define AB_THREADS_LAST }
#define AB_END }
#define AB_LOCAL_X AB_UINT(get_local_id(0))
#define AB_LOCAL_Y AB_UINT(get_local_id(1))
#define AB_GROUP_X AB_UINT(get_group_id(0))
#define AB_GROUP_Y AB_UINT(get_group_id(1))
#define AB_GROUP_Z AB_UINT(get_group_id(2))
#define AB_COUNT(name, i) atomic_add((volatile __local uint*)&name[i], 1u)
#define AB_COUNTER(name, i) name[i]
#define AB_COUNTER_SET(name, i, value) name[i] = (value)
#define AB_ATOMIC_MIN(name, i, value) atomic_min(&name[i], value)
#define AB_INT(x) ((int)(x))
#define AB_UINT(x) ((uint)(x))
#define AB_LONG(x) ((long)(x))
#define AB_ULONG(x) ((ulong)(x))
#define AB_FLOAT(x) ((float)(x))
#define AB_FLOAT_BITS(x) as_uint(x)
#define AB_BITS_FLOAT(x) as_float(x)
#define AB_CLZ(x) clz(x)
#define AB_ADD(a, b) ((a) + (b))
#define AB_SUB(a, b) ((a) - (b))
#define AB_MUL(a, b) ((a) * (b))
#define AB_HARD_FMA(a, b, c) fma(a, b, c)

#else  // -------------------------------------------------------------------------------------------------------- host C++
#if defined(__FAST_MATH__)
#error "apple-bottom is wrong under fast math: compile without it (docs/numerics.md, 12.1)"
#endif
#ifndef AB_HOST_DIALECT
#define AB_HOST_DIALECT
#include <cstddef>
#include <cstdint>

namespace ab::kernels {
using uint = unsigned int;
using ulong = std::uint64_t;
using slong = std::int64_t;

/// One group of a launch as host code sees it.
struct Group {
  void* const* buffers;  // one per binding, the params struct last
  std::byte* scratch;    // shared and private arrays of the group
  uint x, y, z;
};
inline constexpr std::size_t scratch_bytes = 256 * 1024;  // the most any kernel takes; checked by kernels_test

// Internal linkage and builtins instead of std templates: the text is compiled for several instruction sets within one library,
// and no function compiled for one may serve another.
static inline std::size_t padded(std::size_t bytes) { return (bytes + 63) & ~std::size_t{63}; }
static inline void lower_to(uint& cell, uint value) {
  uint old = __atomic_load_n(&cell, __ATOMIC_RELAXED);
  while (value < old && !__atomic_compare_exchange_n(&cell, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}
static inline uint leading_zeros(uint x) { return x == 0u ? 32u : static_cast<uint>(__builtin_clz(x)); }
/// Sum of the 64 signed byte products of 16 words each.
static inline int dot_of_bytes(const uint* a, const uint* b) {
  const signed char* x = reinterpret_cast<const signed char*>(a);
  const signed char* y = reinterpret_cast<const signed char*>(b);
  int sum = 0;
  for (int k = 0; k < 64; ++k) sum += static_cast<short>(x[k]) * static_cast<short>(y[k]);
  return sum;
}
}  // namespace ab::kernels
#endif
#define AB_FN static inline
#define AB_X
#define AB_STRUCT(name) struct name {
#define AB_STRUCT_END(name) };
#define AB_KERNEL(name, width, height) \
  static void name(const Group& ab_group) { \
    constexpr uint ab_width = width, ab_height = height; \
    std::size_t ab_taken = 0;
#define AB_IN(index, type, name) const type* const name = static_cast<const type*>(ab_group.buffers[index]);
#define AB_OUT(index, type, name) type* const name = static_cast<type*>(ab_group.buffers[index]);
#define AB_INOUT(index, type, name) type* const name = static_cast<type*>(ab_group.buffers[index]);
#define AB_ATOMIC(index, name) uint* const name = static_cast<uint*>(ab_group.buffers[index]);
#define AB_PARAMS(index, type, name) const type& name = *static_cast<const type*>(ab_group.buffers[index]);
#define AB_SHARED(type, name, count) \
  type* const __restrict name = reinterpret_cast<type*>(ab_group.scratch + ab_taken); \
  ab_taken += padded(sizeof(type) * (count));
#define AB_COUNTERS(name, count) AB_SHARED(uint, name, count)
#define AB_BODY(name)
#define AB_PRIVATE(type, name, count) \
  constexpr uint name##_count = (count); \
  type* const __restrict name = reinterpret_cast<type*>(ab_group.scratch + ab_taken); \
  ab_taken += padded(sizeof(type) * (count) * ab_width * ab_height);
#define AB_P(name, i) name[ab_thread * name##_count + (i)]
#define AB_THREADS \
  for (uint ab_thread = 0, ab_y = 0; ab_y < ab_height; ++ab_y) \
    for (uint ab_x = 0; ab_x < ab_width; ++ab_x, ++ab_thread) {
#define AB_THREADS_IN(columns, rows) \
  for (uint ab_y = 0, ab_rows = (rows) < ab_height ? (rows) : ab_height; ab_y < ab_rows; ++ab_y) \
    for (uint ab_x = 0, ab_columns = (columns) < ab_width ? (columns) : ab_width, ab_thread = ab_y * ab_width; ab_x < ab_columns; ++ab_x, ++ab_thread) {
#define AB_THREADS_END }
#define AB_THREADS_LAST }
#define AB_END (void)ab_taken; }
#define AB_LOCAL_X ab_x
#define AB_LOCAL_Y ab_y
#define AB_GROUP_X ab_group.x
#define AB_GROUP_Y ab_group.y
#define AB_GROUP_Z ab_group.z
#define AB_COUNT(name, i) ++name[i]
#define AB_COUNTER(name, i) name[i]
#define AB_COUNTER_SET(name, i, value) name[i] = (value)
#define AB_ATOMIC_MIN(name, i, value) lower_to(name[i], value)
#define AB_INT(x) static_cast<int>(x)
#define AB_UINT(x) static_cast<uint>(x)
#define AB_LONG(x) static_cast<slong>(x)
#define AB_ULONG(x) static_cast<ulong>(x)
#define AB_FLOAT(x) static_cast<float>(x)
#define AB_FLOAT_BITS(x) __builtin_bit_cast(uint, static_cast<float>(x))
#define AB_BITS_FLOAT(x) __builtin_bit_cast(float, static_cast<uint>(x))
#define AB_CLZ(x) leading_zeros(AB_UINT(x))
#define AB_ADD(a, b) ((a) + (b))
#define AB_SUB(a, b) ((a) - (b))
#define AB_MUL(a, b) ((a) * (b))
#define AB_HARD_FMA(a, b, c) __builtin_fmaf(a, b, c)
#define AB_DOT64(sum, a, i, b, j) sum = (sum) + dot_of_bytes(&a[i], &b[j]);
#define AB_HARD_FP64
#define AB_AS_DOUBLE(x) __builtin_bit_cast(double, static_cast<ulong>(x))
#define AB_HARD_ADD64(a, b) __builtin_bit_cast(ulong, AB_AS_DOUBLE(a) + AB_AS_DOUBLE(b))
#define AB_HARD_MUL64(a, b) __builtin_bit_cast(ulong, AB_AS_DOUBLE(a) * AB_AS_DOUBLE(b))
#define AB_HARD_FMA64(a, b, c) __builtin_bit_cast(ulong, __builtin_fma(AB_AS_DOUBLE(a), AB_AS_DOUBLE(b), AB_AS_DOUBLE(c)))
#endif

// Signed 64-bit integers, subscripts and the byte product under one name.
#if defined(AB_LANG_GLSL)
#define slong int64_t
#define AB_INDEX(x) uint(x)
#elif defined(AB_LANG_CUDA) || defined(AB_LANG_METAL) || defined(AB_LANG_OPENCL)
#define slong long
#define AB_INDEX(x) (x)
#else
#define AB_INDEX(x) (x)
#endif
#if !defined(AB_DOT64)  // a statement: sum = sum + the 64 signed byte products of the 16 words from a[i] and from b[j] on
#define AB_DOT64(sum, a, i, b, j) for (uint ab_word = 0u; ab_word < 16u; ++ab_word) sum = AB_DOT4(a[(i) + ab_word], b[(j) + ab_word], sum);
#endif
#if defined(AB_LANG_CUDA)
#define AB_DOT4(a, b, sum) __dp4a(AB_INT(a), AB_INT(b), sum)
#elif defined(AB_PACKED_DOT)
#define AB_DOT4(a, b, sum) (packed_dot(AB_INT(a), AB_INT(b), 0) + (sum))
#else
#define AB_DOT4(a, b, sum) dot4(a, b, sum)
#endif

// Launches are one row of groups, folded at AB_FOLD because some devices count only to 65535 in a direction. Groups beyond the count
// do nothing. In OpenCL C they stay until the end: PoCL 3.1 loses variables at barriers that stand behind a return.
#define AB_FOLD 32768u
#define AB_FOLDED_GROUP (AB_GROUP_Y * AB_FOLD + AB_GROUP_X)
#if defined(AB_LANG_OPENCL)
#define AB_GROUP_ID ab_group
#define AB_GROUPS_ARE(count) \
  const bool ab_exists = AB_FOLDED_GROUP < (count); \
  const uint ab_group = ab_exists ? AB_FOLDED_GROUP : 0u;
#else
#define AB_GROUP_ID AB_FOLDED_GROUP
#define AB_GROUPS_ARE(count) if (AB_GROUP_ID >= (count)) return;
#endif

// The fused multiply-add of double-float arithmetic; devices whose own is not fused take the integer one of eft.h.
#if defined(AB_SOFT_FMA)
#define AB_FMA(a, b, c) soft_fma32(a, b, c)
#else
#define AB_FMA(a, b, c) AB_HARD_FMA(a, b, c)
#endif
