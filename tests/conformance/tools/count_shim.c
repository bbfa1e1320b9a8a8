// SPDX-License-Identifier: MIT
// count_shim: a counting interposer. Tells what a program asks of its BLAS: calls, GFLOP, seconds, the largest shape,
// a histogram of sizes and the transpose pairs, for GEMM and its neighbours. It computes nothing itself.
//
// build:  gcc -O2 -std=gnu11 -Wall -Wextra -shared -fPIC count_shim.c -o libcountshim.so -ldl
// run:    LD_PRELOAD=$PWD/libcountshim.so [COUNT_OUT=/tmp/cnt] PROGRAM    (MPI: mpirun ... -x LD_PRELOAD=$PWD/libcountshim.so)
// At exit one line per function goes to stderr, or to $COUNT_OUT.<pid>.
//
// It also shows the order in which a preloaded library finds the BLAS behind it: RTLD_NEXT, then a libblas.so.3 that is
// loaded already (Python loads it with RTLD_LOCAL, where RTLD_NEXT finds nothing), then a plain dlopen. The library itself
// asks AB_HOST_BLAS first. Each name falls back to the same name (C48).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BINS = 8 };
static const double bin_limit[BINS - 1] = {1, 4096, 262144, 16777216, 134217728, 1e9, 1e10};

typedef struct {
  const char* name;
  double flops_per_mnk;  // real multiplications and additions for one m*n*k
  long calls, bins[BINS], trans[9];
  double flops, seconds, biggest;
  int m, n, k;
  void* next;
} counter;

enum { DGEMM, ZGEMM, CDGEMM, CZGEMM, DSYRK, ZHERK, DTRSM, ZTRSM, DGEMV, ZGEMV, FUNCTIONS };
static counter counters[FUNCTIONS] = {{.name = "dgemm_", .flops_per_mnk = 2},      {.name = "zgemm_", .flops_per_mnk = 8},
                                      {.name = "cblas_dgemm", .flops_per_mnk = 2}, {.name = "cblas_zgemm", .flops_per_mnk = 8},
                                      {.name = "dsyrk_", .flops_per_mnk = 1},      {.name = "zherk_", .flops_per_mnk = 4},
                                      {.name = "dtrsm_", .flops_per_mnk = 1},      {.name = "ztrsm_", .flops_per_mnk = 4},
                                      {.name = "dgemv_", .flops_per_mnk = 2},      {.name = "zgemv_", .flops_per_mnk = 8}};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void* next(counter* c) {
  if (!c->next) {
    void* p = dlsym(RTLD_NEXT, c->name);
    if (!p) {
      void* h = dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
      if (!h) h = dlopen("libblas.so.3", RTLD_NOW | RTLD_LOCAL);
      p = h ? dlsym(h, c->name) : 0;
      fprintf(stderr, "[count_shim] RTLD_NEXT has no %s; dlopen: %s\n", c->name, p ? "found" : "not found");
    }
    if (!p) abort();
    c->next = p;
  }
  return c->next;
}

static int code(char t) {
  return t == 'n' || t == 'N' ? 0 : t == 't' || t == 'T' ? 1 : 2;
}
static int cblas_code(int t) {
  return t == 111 ? 0 : t == 112 ? 1 : 2;
}  // testers pass illegal values too

static void count(counter* c, int ta, int tb, double m, double n, double k, double since) {
  double t = now() - since, mnk = m * n * k;
  int bin = 0;
  while (bin < BINS - 1 && mnk >= bin_limit[bin]) bin++;
  pthread_mutex_lock(&lock);
  c->calls++;
  c->seconds += t;
  c->flops += c->flops_per_mnk * mnk;
  c->bins[bin]++;
  c->trans[ta * 3 + tb]++;
  if (mnk > c->biggest) c->biggest = mnk, c->m = (int)m, c->n = (int)n, c->k = (int)k;
  pthread_mutex_unlock(&lock);
}

#define CS const char*
#define CI const int*
#define CD const double*
#define LEN(x) size_t x __attribute__((unused))  // hidden string length: never read, passed on as 1 (C16)
// each: the name, its counter, the parameters, the arguments passed on, and (trans codes, m, n, k) for the count
#define FORWARD(NAME, WHICH, PARAMS, ARGS, ...) \
  void NAME PARAMS;                             \
  void NAME PARAMS {                            \
    counter* ct = &counters[WHICH];             \
    void(*f) PARAMS;                            \
    *(void**)&f = next(ct);                     \
    double t0 = now();                          \
    f ARGS;                                     \
    count(ct, __VA_ARGS__, t0);                 \
  }
#define GEMM(NAME, WHICH)                                                                                                               \
  FORWARD(NAME, WHICH, (CS ta, CS tb, CI m, CI n, CI k, CD al, CD a, CI lda, CD b, CI ldb, CD be, double* c, CI ldc, LEN(l1), LEN(l2)), \
          (ta, tb, m, n, k, al, a, lda, b, ldb, be, c, ldc, 1, 1), code(*ta), code(*tb), *m, *n, *k)
GEMM(dgemm_, DGEMM)
GEMM(zgemm_, ZGEMM)
#define RANK_K(NAME, WHICH)                                                                                        \
  FORWARD(NAME, WHICH, (CS u, CS tr, CI n, CI k, CD al, CD a, CI lda, CD be, double* c, CI ldc, LEN(l1), LEN(l2)), \
          (u, tr, n, k, al, a, lda, be, c, ldc, 1, 1), 0, code(*tr), *n, *n, *k)
RANK_K(dsyrk_, DSYRK)
RANK_K(zherk_, ZHERK)
#define TRSM(NAME, WHICH)                                                                                                                 \
  FORWARD(NAME, WHICH, (CS s, CS u, CS tr, CS d, CI m, CI n, CD al, CD a, CI lda, double* b, CI ldb, LEN(l1), LEN(l2), LEN(l3), LEN(l4)), \
          (s, u, tr, d, m, n, al, a, lda, b, ldb, 1, 1, 1, 1), code(*tr), 0, *m, *n, *s == 'L' || *s == 'l' ? *m : *n)
TRSM(dtrsm_, DTRSM)
TRSM(ztrsm_, ZTRSM)
#define GEMV(NAME, WHICH)                                                                                       \
  FORWARD(NAME, WHICH, (CS tr, CI m, CI n, CD al, CD a, CI lda, CD x, CI ix, CD be, double* y, CI iy, LEN(l1)), \
          (tr, m, n, al, a, lda, x, ix, be, y, iy, 1), code(*tr), 0, *m, *n, 1)
GEMV(dgemv_, DGEMV)
GEMV(zgemv_, ZGEMV)
FORWARD(cblas_dgemm, CDGEMM,
        (int o, int ta, int tb, int m, int n, int k, double al, CD a, int lda, CD b, int ldb, double be, double* c, int ldc),
        (o, ta, tb, m, n, k, al, a, lda, b, ldb, be, c, ldc), cblas_code(ta), cblas_code(tb), m, n, k)
FORWARD(cblas_zgemm, CZGEMM, (int o, int ta, int tb, int m, int n, int k, CD al, CD a, int lda, CD b, int ldb, CD be, double* c, int ldc),
        (o, ta, tb, m, n, k, al, a, lda, b, ldb, be, c, ldc), cblas_code(ta), cblas_code(tb), m, n, k)

__attribute__((destructor)) static void report(void) {
  const char* prefix = getenv("COUNT_OUT");
  char line[1024], file[4096];
  FILE* out = 0;
  for (counter* c = counters; c < counters + FUNCTIONS; c++) {
    if (!c->calls) continue;
    if (!out && prefix) {
      snprintf(file, sizeof file, "%s.%d", prefix, (int)getpid());
      out = fopen(file, "w");
    }
    if (!out) out = stderr;
    const long *b = c->bins, *t = c->trans;  // one write a line: ranks share stderr
    snprintf(line, sizeof line,
             "COUNT %s calls=%ld gflop=%.3f secs=%.3f biggest=%dx%dx%d "
             "mnk(0,<16^3,<64^3,<256^3,<512^3,<1e9,<1e10,more)=%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld "
             "trans(NN,NT,NC,TN,TT,TC,CN,CT,CC)=%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld\n",
             c->name, c->calls, c->flops * 1e-9, c->seconds, c->m, c->n, c->k, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], t[0], t[1],
             t[2], t[3], t[4], t[5], t[6], t[7], t[8]);
    fputs(line, out);
  }
}
