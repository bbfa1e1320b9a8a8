// SPDX-License-Identifier: MIT
// Batches of GEMM as MKL has them: groups with arrays of pointers, or equal products at fixed distances. All arguments are checked before
// anything is computed; each group is routed and recorded by itself.
#include "apple_bottom_blas.h"
#include "blas/callers.hpp"
#include "blas/cblas_numbers.hpp"
#include "blas/checked_call.hpp"
#include "core/host_arithmetic.hpp"

namespace ab::blas {
namespace {

/// One entry a group; the arrays of pointers have one a product.
template <Scalar T, class Letter, class Int>
struct Groups {
  const Letter *trans_a, *trans_b;
  const Int *m, *n, *k;
  const T* alpha;
  const T* const* a;
  const Int* lda;
  const T* const* b;
  const Int* ldb;
  const T* beta;
  T* const* c;
  const Int* ldc;
  Index count;
  const Int* sizes;

  PassedCall<T> call(Index group) const {
    const auto op = [group](const Letter* letters) {
      if constexpr (sizeof(Letter) == 1)
        return op_of_letter(letters[group]);
      else
        return op_of_number(load(letters + group));
    };
    return {{.op_a = op(trans_a),
             .op_b = op(trans_b),
             .m = load(m + group),
             .n = load(n + group),
             .k = load(k + group),
             .lda = load(lda + group),
             .ldb = load(ldb + group),
             .ldc = load(ldc + group)},
            load(alpha + group),
            nullptr,
            nullptr,
            load(beta + group),
            nullptr};
  }
};

void report_size(const Front& front, const ArgumentFault& fault) {
  front.api == report::Api::Cblas ? report_cblas_fault(front, fault) : report_fault(front, fault, ' ');
}

/// A group's call in column-major form, or none: its first bad argument has been reported.
template <Scalar T, class Int>
std::optional<PassedCall<T>> checked(const Front& front, const PassedCall<T>& call, const Groups<T, char, Int>& groups, Index group) {
  const std::optional<ArgumentFault> fault = find_fault(*front.routine, call.arguments);
  if (!fault) return call;
  report_fault(front, *fault, (fault->position == 1 ? groups.trans_a : groups.trans_b)[group]);
  return std::nullopt;
}
template <Scalar T, class Int>
std::optional<PassedCall<T>> checked(const Front& front, const PassedCall<T>& call, const Groups<T, int, Int>& groups, Index group) {
  return checked_cblas(front, call,
                       {front.order == Order::RowMajor ? 101 : 102, load(groups.trans_a + group), load(groups.trans_b + group)});
}

template <Scalar T, class Letter, class Int>
bool all_are_legal(const Front& front, const Groups<T, Letter, Int>& groups) {
  if (groups.count < 0) {
    report_size(front, {14, "group_count", groups.count, 0});
    return false;
  }
  for (Index group = 0; group < groups.count; ++group) {
    if (!checked(front, groups.call(group), groups, group)) return false;
    const Index size = load(groups.sizes + group);
    if (size >= 0) continue;
    report_size(front, {15, "group_size", size, 0});
    return false;
  }
  return true;
}

template <Scalar T, class Letter, class Int>
void run_groups(const Front& front, const Groups<T, Letter, Int>& groups) {
  if (!all_are_legal(front, groups)) return;
  const bool row_major = front.order == Order::RowMajor;
  Index first = 0;
  for (Index group = 0; group < groups.count; ++group) {
    const Index size = load(groups.sizes + group);
    PassedCall<T> call = groups.call(group);
    if (row_major) call = exchanged(*front.routine, call);
    GemmBatch<T> batch{problem_of(*front.routine, call), size, groups.a + first, groups.b + first, groups.c + first};
    if (row_major) std::swap(batch.a, batch.b);
    if (size > 0) run_gemm_batch(batch, front);
    first += size;
  }
}

struct Strides {
  Index a, b, c;
  Index count;  // of products
};

template <Scalar T>
void run_strided(const Front& front, const PassedCall<T>& column_major, Strides strides) {
  if (strides.count < 0) return report_size(front, {17, "batch_size", strides.count, 0});
  if (front.order == Order::RowMajor) std::swap(strides.a, strides.b);
  GemmBatch<T> batch{problem_of(*front.routine, column_major), strides.count};
  batch.stride_a = strides.a;
  batch.stride_b = strides.b;
  batch.stride_c = strides.c;
  if (strides.count > 0) run_gemm_batch(batch, front);
}

template <Scalar T>
void check_and_run_strided(const Front& front, const PassedCall<T>& call, std::initializer_list<char> letters, const Strides& strides) {
  const std::optional<ArgumentFault> fault = find_fault(*front.routine, call.arguments);
  if (!fault) return run_strided(front, call, strides);
  report_fault(front, *fault, fault->expected != nullptr ? letters.begin()[fault->position - 1] : ' ');
}

template <Scalar T>
void check_and_run_strided(const Front& front, const PassedCall<T>& call, std::initializer_list<int> numbers, const Strides& strides) {
  if (const auto checked = checked_cblas(front, call, numbers)) run_strided(front, *checked, strides);
}

template <Scalar T, class Int>
void run_cblas_groups(int order, const Routine* routine, const Groups<T, int, Int>& groups) {
  const Front front = cblas<Int>(routine, order);
  if (is_order(order)) return run_groups(front, groups);
  report_cblas_enum(front, {1, "order", order, order_numbers});
}

}  // namespace
}  // namespace ab::blas

using ab::Complex;
using ab::load;
using ab::op_of_letter;
using ab::blas::cblas;
using ab::blas::check_and_run_strided;
using ab::blas::fortran;
using ab::blas::Groups;
using ab::blas::Matrix;
using ab::blas::named;
using ab::blas::op_of_number;
using ab::blas::Passed;
using ab::blas::run_cblas_groups;
using ab::blas::run_groups;
using ab::blas::scalar;

#define AB_BATCH(name, routine, Int, T)                                                                                                   \
  AB_API void name(const char* transa, const char* transb, const Int* m, const Int* n, const Int* k, const T* alpha, const T* const* a,   \
                   const Int* lda, const T* const* b, const Int* ldb, const T* beta, T* const* c, const Int* ldc, const Int* group_count, \
                   const Int* group_size) {                                                                                               \
    run_groups(fortran<Int>(routine),                                                                                                     \
               Groups<T, char, Int>{transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, load(group_count), group_size});        \
  }
#define AB_CBLAS_BATCH(name, routine, Int, T)                                                                                              \
  AB_API void name(int order, const int* transa, const int* transb, const Int* m, const Int* n, const Int* k, const Matrix<T>* alpha,      \
                   const Matrix<T>* const* a, const Int* lda, const Matrix<T>* const* b, const Int* ldb, const Matrix<T>* beta,            \
                   Matrix<T>* const* c, const Int* ldc, Int group_count, const Int* group_size) {                                          \
    run_cblas_groups(order, named(routine),                                                                                                \
                     Groups<T, int, Int>{transa, transb, m, n, k, static_cast<const T*>(alpha), reinterpret_cast<const T* const*>(a), lda, \
                                         reinterpret_cast<const T* const*>(b), ldb, static_cast<const T*>(beta),                           \
                                         reinterpret_cast<T* const*>(c), ldc, group_count, group_size});                                   \
  }
#define AB_STRIDED(name, routine, Int, T)                                                                                        \
  AB_API void name(const char* transa, const char* transb, const Int* m, const Int* n, const Int* k, const T* alpha, const T* a, \
                   const Int* lda, const Int* stride_a, const T* b, const Int* ldb, const Int* stride_b, const T* beta, T* c,    \
                   const Int* ldc, const Int* stride_c, const Int* batch_size) {                                                 \
    check_and_run_strided<T>(fortran<Int>(routine),                                                                              \
                             {{.op_a = op_of_letter(*transa),                                                                    \
                               .op_b = op_of_letter(*transb),                                                                    \
                               .m = load(m),                                                                                     \
                               .n = load(n),                                                                                     \
                               .k = load(k),                                                                                     \
                               .lda = load(lda),                                                                                 \
                               .ldb = load(ldb),                                                                                 \
                               .ldc = load(ldc)},                                                                                \
                              load(alpha),                                                                                       \
                              a,                                                                                                 \
                              b,                                                                                                 \
                              load(beta),                                                                                        \
                              c},                                                                                                \
                             std::initializer_list<char>{*transa, *transb},                                                      \
                             {load(stride_a), load(stride_b), load(stride_c), load(batch_size)});                                \
  }
#define AB_CBLAS_STRIDED(name, routine, Int, T)                                                                                        \
  AB_API void name(int order, int transa, int transb, Int m, Int n, Int k, Passed<T> alpha, const Matrix<T>* a, Int lda, Int stride_a, \
                   const Matrix<T>* b, Int ldb, Int stride_b, Passed<T> beta, Matrix<T>* c, Int ldc, Int stride_c, Int batch_size) {   \
    check_and_run_strided<T>(                                                                                                          \
        cblas<Int>(named(routine), order),                                                                                             \
        {{.op_a = op_of_number(transa), .op_b = op_of_number(transb), .m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc},     \
         scalar<T>(alpha),                                                                                                             \
         static_cast<const T*>(a),                                                                                                     \
         static_cast<const T*>(b),                                                                                                     \
         scalar<T>(beta),                                                                                                              \
         static_cast<T*>(c)},                                                                                                          \
        std::initializer_list<int>{order, transa, transb}, {stride_a, stride_b, stride_c, batch_size});                                \
  }
#define AB_ALL(name, T)                                                                      \
  AB_BATCH(name##_batch_, #name "_batch", int, T)                                            \
  AB_BATCH(name##_batch_64_, #name "_batch", std::int64_t, T)                                \
  AB_CBLAS_BATCH(cblas_##name##_batch, #name "_batch", int, T)                               \
  AB_CBLAS_BATCH(cblas_##name##_batch64_, #name "_batch", std::int64_t, T)                   \
  AB_CBLAS_BATCH(cblas_##name##_batch_64, #name "_batch", std::int64_t, T)                   \
  AB_STRIDED(name##_batch_strided_, #name "_batch_strided", int, T)                          \
  AB_STRIDED(name##_batch_strided_64_, #name "_batch_strided", std::int64_t, T)              \
  AB_CBLAS_STRIDED(cblas_##name##_batch_strided, #name "_batch_strided", int, T)             \
  AB_CBLAS_STRIDED(cblas_##name##_batch_strided64_, #name "_batch_strided", std::int64_t, T) \
  AB_CBLAS_STRIDED(cblas_##name##_batch_strided_64, #name "_batch_strided", std::int64_t, T)

extern "C" {

AB_ALL(dgemm, double)
AB_ALL(zgemm, Complex)

}  // extern "C"
