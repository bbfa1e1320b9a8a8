/* SPDX-License-Identifier: MIT
 * A BLAS library that remembers its last GEMM call instead of computing, in the variants that a search for the host BLAS must tell apart.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "host_blas/fake_blas.h"

static struct fake_call last;
static void (*hook)(void);

const struct fake_call* fake_last_call(void) {
  return &last;
}
void fake_set_hook(void (*function)(void)) {
  hook = function;
}

static void note(const char* name) {
  last.name = name;
  if (hook) hook();
}

#define GEMM(NAME)                                                                                                                  \
  void NAME(const char* ta, const char* tb, const int* m, const int* n, const int* k, const double* alpha, const double* a,         \
            const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc, size_t la, size_t lb) { \
    struct fake_call call = {0, {*ta, *tb}, {*m, *n, *k}, {*lda, *ldb, *ldc}, alpha[0], beta[0], a, b, c, {la, lb}, 0, {0, 0}};     \
    last = call;                                                                                                                    \
    note(#NAME);                                                                                                                    \
  }
GEMM(dgemm_)
#if !defined(AB_FAKE_HALF)
GEMM(zgemm_)
#endif

#if defined(AB_FAKE_CBLAS)
static void note_cblas(const char* name, int order, int ta, int tb) {
  last.order = order;
  last.transposes[0] = ta;
  last.transposes[1] = tb;
  note(name);
}
void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double* a, int lda, const double* b, int ldb,
                 double beta, double* c, int ldc) {
  struct fake_call call = {0, {0, 0}, {m, n, k}, {lda, ldb, ldc}, alpha, beta, a, b, c, {0, 0}, 0, {0, 0}};
  last = call;
  note_cblas("cblas_dgemm", order, ta, tb);
}
void cblas_zgemm(int order, int ta, int tb, int m, int n, int k, const void* alpha, const void* a, int lda, const void* b, int ldb,
                 const void* beta, void* c, int ldc) {
  struct fake_call call = {0, {0, 0}, {m, n, k}, {lda, ldb, ldc}, *(const double*)alpha, *(const double*)beta, a, b, c, {0, 0}, 0, {0, 0}};
  last = call;
  note_cblas("cblas_zgemm", order, ta, tb);
}
#endif

#if defined(AB_FAKE_BOTH_WIDTHS)
void dgemm_64_(const char* ta, const char* tb, const int64_t* m, const int64_t* n, const int64_t* k, const double* alpha, const double* a,
               const int64_t* lda, const double* b, const int64_t* ldb, const double* beta, double* c, const int64_t* ldc, size_t la,
               size_t lb) {
  struct fake_call call = {0, {*ta, *tb}, {(int)*m, (int)*n, (int)*k}, {(int)*lda, (int)*ldb, (int)*ldc}, *alpha, *beta, a, b, c, {la, lb},
                           0, {0, 0}};
  last = call;
  note("dgemm_64_");
}
void cblas_dgemm64_(int order, int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha, const double* a, int64_t lda, const double* b,
                    int64_t ldb, double beta, double* c, int64_t ldc) {
  struct fake_call call = {0, {0, 0}, {(int)m, (int)n, (int)k}, {(int)lda, (int)ldb, (int)ldc}, alpha, beta, a, b, c, {0, 0}, 0, {0, 0}};
  last = call;
  note_cblas("cblas_dgemm64_", order, ta, tb);
}
void cblas_zgemm_64(void) {}
void dgemm_batch_(const char* ta, const char* tb, const int* m, const int* n, const int* k, const double* alpha, const double** a,
                  const int* lda, const double** b, const int* ldb, const double* beta, double** c, const int* ldc, const int* groups,
                  const int* sizes) {
  struct fake_call call = {0, {*ta, *tb}, {*m, *n, *k}, {*lda, *ldb, *ldc}, *alpha, *beta, a, b, c, {0, 0}, 0, {*groups, sizes[0]}};
  last = call;
  note("dgemm_batch_");
}
#endif

#if defined(AB_FAKE_FILTER)
const char ab_filter_host[] = AB_FAKE_FILTER;
#endif

#if defined(AB_FAKE_VERSION)
const char* openblas_get_config(void) {
  return "OpenBLAS 9.8.7 NO_AFFINITY Haswell";
}
const char* openblas_get_corename(void) {
  return "Haswell";
}
int openblas_get_num_threads(void) {
  return 3;
}
#endif

#if defined(AB_FAKE_WIDE)
int64_t idamax_(const int64_t* n, const double* x, const int64_t* step) {
  int64_t best = 0;
  for (int64_t i = 0; i < *n; ++i)
    if (best == 0 || x[i * *step] > x[(best - 1) * *step]) best = i + 1;
  return best;
}
#else
int idamax_(const int* n, const double* x, const int* step) {
  int best = 0;
  for (int i = 0; i < *n; ++i)
    if (best == 0 || x[i * *step] > x[(best - 1) * *step]) best = i + 1;
  return best;
}
#endif
