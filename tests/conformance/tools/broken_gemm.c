// SPDX-License-Identifier: MIT
// broken_gemm: a BLAS that is wrong on purpose, to prove that the harness sees it. Every GEMM with m > 8 is computed by the
// BLAS behind and then gets one wrong entry, C(1,1), off by a different amount at each call.
//
// build:  gcc -O2 -std=gnu11 -Wall -Wextra -shared -fPIC broken_gemm.c -o libbroken.so -ldl
// run:    ../run_suites.sh --lib $PWD/libbroken.so --suite all      must fail in every suite (../check_harness.sh does it)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

static void* next(const char* name) {
  void* p = dlsym(RTLD_NEXT, name);
  if (!p) {
    void* h = dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!h) h = dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL);
    p = h ? dlsym(h, name) : 0;
  }
  if (!p) abort();
  return p;
}

static void spoil(double* c, int m, int n) {
  static int call;
  if (m > 8 && n > 0) c[0] += 1e-3 * (1 + __atomic_fetch_add(&call, 1, __ATOMIC_RELAXED) % 7) * (1 + (c[0] > 0 ? c[0] : -c[0]));
}

#define FORTRAN(NAME)                                                                                                                    \
  typedef void NAME##fn(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,          \
                        const double*, const int*, const double*, double*, const int*, size_t, size_t);                                  \
  NAME##fn NAME;                                                                                                                         \
  void NAME(const char* ta, const char* tb, const int* m, const int* n, const int* k, const double* al, const double* a, const int* lda, \
            const double* b, const int* ldb, const double* be, double* c, const int* ldc, size_t l1, size_t l2) {                        \
    (void)l1, (void)l2;                                                                                                                  \
    static NAME##fn* f;                                                                                                                  \
    if (!f) *(void**)&f = next(#NAME);                                                                                                   \
    f(ta, tb, m, n, k, al, a, lda, b, ldb, be, c, ldc, 1, 1);                                                                            \
    if (*ldc >= *m) spoil(c, *m, *n);                                                                                                    \
  }
FORTRAN(dgemm_)
FORTRAN(zgemm_)

#define CBLAS(NAME, SCALAR)                                                                                                       \
  typedef void NAME##fn(int, int, int, int, int, int, SCALAR, const double*, int, const double*, int, SCALAR, double*, int);      \
  NAME##fn NAME;                                                                                                                  \
  void NAME(int o, int ta, int tb, int m, int n, int k, SCALAR al, const double* a, int lda, const double* b, int ldb, SCALAR be, \
            double* c, int ldc) {                                                                                                 \
    static NAME##fn* f;                                                                                                           \
    if (!f) *(void**)&f = next(#NAME);                                                                                            \
    f(o, ta, tb, m, n, k, al, a, lda, b, ldb, be, c, ldc);                                                                        \
    if (ldc >= (o == 101 ? n : m)) spoil(c, m, n);                                                                                \
  }
CBLAS(cblas_dgemm, double)
CBLAS(cblas_zgemm, const double*)
