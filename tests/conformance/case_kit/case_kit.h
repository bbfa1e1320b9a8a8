// SPDX-License-Identifier: MIT
// case_kit: small programs for cases in which libraries like this one have failed their users. This header: what the cases share.
#ifndef CASE_KIT_H
#define CASE_KIT_H
#define _GNU_SOURCE
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void dgemm_fn(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                      const int*, const double*, double*, const int*, size_t, size_t);
extern dgemm_fn dgemm_, zgemm_;

// column-major products through the Fortran names; complex ones take a real alpha and beta
void dgemm(char ta, char tb, int m, int n, int k, double al, const double* a, int lda, const double* b, int ldb, double be, double* c,
           int ldc);
void zgemm(char ta, char tb, int m, int n, int k, double al, const double* a, int lda, const double* b, int ldb, double be, double* c,
           int ldc);

#define WRONG(...)                 \
  do {                             \
    printf("WRONG: " __VA_ARGS__); \
    printf("\n");                  \
    return 1;                      \
  } while (0)
#define CANNOT(...)                     \
  do {                                  \
    printf("CANNOT TRY: " __VA_ARGS__); \
    printf("\n");                       \
    return 77;                          \
  } while (0)

double rnd(void);  // uniform in [-1, 1), the same on every machine
double now(void);  // seconds
double* zeros(size_t n);
double* randoms(size_t n);
long rss_kib(void);

typedef struct {
  double hi, lo;
} dd;                                                          // hi + lo, about 106 bits
dd dd_add_product(dd s, double x, double y);                   // s + x*y
double at(const double* a, int ld, char trans, int i, int l);  // op(A)(i,l)
// 1 and a line of output when an entry of C differs from op(A) op(B) by more than the bound of CK_CLASS
int bad(int m, int n, int k, const double* a, int lda, char ta, const double* b, int ldb, char tb, const double* c, int ldc);
int bad_complex(int m, int n, int k, const double* a, int lda, const double* b, int ldb, const double* c,
                int ldc);  // C = A B, entries near 1

// A case: 0 right, 1 wrong, 77 cannot be tried here.
int specials(void);
int exps(void);
int subnormal(void);
int imag3m(void);
int cancel(void);
int errreturn(void);
int hidden(void);
int guardpage(void);
int unaligned(void);
int ldahuge(void);
int intmax(void);
int sameAB(void);
int inplace(void);
int sync_(void);
int smallstack(void);
int forkchild(void);
int forkperf(void);
int manythreads(void);
int threadcount(void);
int affinity(void);
int fpmode(void);
int fpflags(void);
int leak(void);
int signals(void);
int which(void);
int latency(void);
int unload(const char* lib);

#endif
