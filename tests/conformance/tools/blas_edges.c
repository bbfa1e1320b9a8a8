// SPDX-License-Identifier: MIT
// blas_edges: dgemm_ and zgemm_ at the edges (C01 to C05, C07, C12 to C14): NaN, Inf, subnormal numbers, zero scalars,
// empty matrices, illegal arguments. Each row is judged; the table of right answers stands in ../cases.md.
//
// usage:  blas_edges [openblas]   exit 0 = every row right, 1 = not
//         openblas: also allow OpenBLAS's own, laxer argument checks (only for a run on plain OpenBLAS; with the library
//         preloaded Netlib's numbers are wanted, whatever BLAS is behind)
// build:  gcc -O2 -std=gnu11 -Wall -Wextra -rdynamic blas_edges.c -o blas_edges -lblas -lm
// run:    LD_LIBRARY_PATH=<folder with libblas.so.3> [LD_PRELOAD=/path/libapplebottom.so AB_MODE=gpu AB_MIN_GPU_DIM=0] ./blas_edges
// The program brings its own xerbla_, which must be the one that is called. Columns: judgement, row, info, C, and the
// floating-point exceptions raised (I invalid, Z divide by zero, O overflow; shown, not judged: case_kit fpflags does).
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void gemm_fn(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                     const int*, const double*, double*, const int*, size_t, size_t);
extern gemm_fn dgemm_, zgemm_;
void xerbla_(const char* name, const int* info, size_t len);

static int last_info, calls, lax, wrong, rows;

void xerbla_(const char* name, const int* info, size_t len) {
  (void)name, (void)len;
  last_info = *info;
  calls++;
}

#define KEEP 7, 8, 9, 10  // what C holds before a call that must not touch it
#define ANY 1e99          // this entry may be anything

static int same(double got, double want, double tol) {
  if (want == ANY) return 1;
  if (isnan(want) || isinf(want)) return isnan(want) ? isnan(got) : got == want;
  return fabs(got - want) <= tol * fabs(want) || got == want;
}

static int all_same(const double* c, const double* want, int n, double tol) {
  for (int i = 0; i < n; i++)
    if (!same(c[i], want[i], tol)) return 0;
  return 1;
}

// want2: a second right answer (or null); info2: what OpenBLAS gives instead (or -1); show: how many doubles of C count
static void row(const char* what, gemm_fn* f, const char* ta, const char* tb, int m, int n, int k, const double* al, const double* a,
                int lda, const double* b, int ldb, const double* be, double* c, int ldc, int show, int info, int info2, const double* want,
                const double* want2) {
  last_info = calls = 0;
  feclearexcept(FE_ALL_EXCEPT);
  f(ta, tb, &m, &n, &k, al, a, &lda, b, &ldb, be, c, &ldc, 1, 1);
  int ex = fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), lax_row = lax && info2 >= 0 && last_info == info2;
  int ok = (last_info == info && calls == (info != 0)) || lax_row;
  if (!lax_row) ok = ok && (all_same(c, want, show, 1e-12) || (want2 && all_same(c, want2, show, 1e-12)));
  printf("%-5s %-38s info=%d C=", ok ? "ok" : "WRONG", what, last_info);
  for (int i = 0; i < show; i++) printf("%.17g ", c[i]);
  printf("fe=%s%s%s\n", ex & FE_INVALID ? "I" : "", ex & FE_DIVBYZERO ? "Z" : "", ex & FE_OVERFLOW ? "O" : "");
  rows++;
  wrong += !ok;
}

#define ARR(...) ((double[]){__VA_ARGS__})
// D: real, good arguments; E: real, arguments to be judged by info; Z: complex, alpha and beta as (re, im)
#define D(what, ta, tb, m, n, k, al, A, lda, B, ldb, be, C, ldc, show, want, want2) \
  row(what, dgemm_, ta, tb, m, n, k, ARR(al), A, lda, B, ldb, ARR(be), C, ldc, show, 0, -1, want, want2)
#define E(what, ta, tb, m, n, k, lda, ldb, ldc, info, info2)                                                                     \
  row(what, dgemm_, ta, tb, m, n, k, ARR(1), ARR(1, 1, 1, 1), lda, ARR(1, 1, 1, 1), ldb, ARR(0), ARR(KEEP), ldc, 4, info, info2, \
      ARR(KEEP), 0)
#define Z(what, ta, tb, m, n, k, al, A, lda, B, ldb, be, C, ldc, show, want, want2) \
  row(what, zgemm_, ta, tb, m, n, k, al, A, lda, B, ldb, be, C, ldc, show, 0, -1, want, want2)

static const double N = NAN, I = INFINITY;
static const double one[] = {1, 0}, nil[] = {0, 0}, two[] = {2, 0};

// What is multiplied by 0 is not read.
static void zero_scalars(void) {
  D("beta=0, C all NaN", "N", "N", 2, 2, 2, 1, ARR(1, 2, 3, 4), 2, ARR(1, 0, 0, 1), 2, 0, ARR(N, N, N, N), 2, 4, ARR(1, 2, 3, 4), 0);
  D("beta=0, C all Inf", "T", "T", 2, 2, 2, 1, ARR(1, 2, 3, 4), 2, ARR(1, 0, 0, 1), 2, 0, ARR(I, I, -I, I), 2, 4, ARR(1, 3, 2, 4), 0);
  D("alpha=0, beta=1, A has NaN", "N", "N", 2, 2, 2, 0, ARR(N, 2, 3, 4), 2, ARR(1, 0, 0, 1), 2, 1, ARR(1, 2, 3, 4), 2, 4, ARR(1, 2, 3, 4),
    0);
  D("alpha=0, beta=2, A has NaN", "N", "N", 2, 2, 2, 0, ARR(N, 2, 3, 4), 2, ARR(1, 0, 0, 1), 2, 2, ARR(1, 2, 3, 4), 2, 4, ARR(2, 4, 6, 8),
    0);
  D("alpha=0, beta=0, all NaN", "N", "N", 2, 2, 2, 0, ARR(N, 2, 3, 4), 2, ARR(N, 0, 0, 1), 2, 0, ARR(N, 2, 3, 4), 2, 4, ARR(0, 0, 0, 0), 0);
  D("alpha=0, A=B=NULL, beta=2", "N", "N", 2, 2, 2, 0, 0, 2, 0, 2, 2, ARR(1, 2, 3, 4), 2, 4, ARR(2, 4, 6, 8), 0);
  D("alpha=0, beta=1, C has NaN", "N", "N", 2, 2, 2, 0, 0, 2, 0, 2, 1, ARR(N, 2, 3, 4), 2, 4, ARR(N, 2, 3, 4), 0);
  D("k=0, beta=2", "N", "N", 2, 2, 0, 1, ARR(1, 2), 2, ARR(1, 0), 1, 2, ARR(1, 2, 3, 4), 2, 4, ARR(2, 4, 6, 8), 0);
  D("k=0, beta=0, C has NaN", "N", "N", 2, 2, 0, 1, ARR(1, 2), 2, ARR(1, 0), 1, 0, ARR(N, 2, 3, 4), 2, 4, ARR(0, 0, 0, 0), 0);
  D("k=0, beta=1, C has NaN", "N", "N", 2, 2, 0, 1, ARR(1, 2), 2, ARR(1, 0), 1, 1, ARR(N, 2, 3, 4), 2, 4, ARR(N, 2, 3, 4), 0);
  D("k=0, A=B=NULL, beta=2", "N", "N", 2, 2, 0, 1, 0, 2, 0, 1, 2, ARR(1, 2, 3, 4), 2, 4, ARR(2, 4, 6, 8), 0);
  D("m=0, everything NULL", "N", "N", 0, 2, 2, 1, 0, 1, 0, 2, 0, 0, 1, 0, nil, 0);
}

// The number of the first bad one, one call of xerbla_, C untouched.
static void arguments(void) {
  E("m=0, ldc=0", "N", "N", 0, 2, 2, 1, 2, 0, 13, 0);
  E("m=0, lda=0", "N", "N", 0, 2, 2, 0, 2, 1, 8, 0);
  E("n=0, ldb=0, TRANSB=T", "N", "T", 2, 0, 2, 2, 0, 2, 10, 0);
  E("k=0, ldb=0", "N", "N", 2, 2, 0, 2, 0, 2, 10, 0);
  E("m=-1", "N", "N", -1, 2, 2, 1, 2, 1, 3, -1);
  E("n=-1", "N", "N", 2, -1, 2, 2, 2, 2, 4, -1);
  E("k=-1", "N", "N", 2, 2, -1, 2, 2, 2, 5, -1);
  E("TRANSA=X and m=-1", "X", "N", -1, 2, 2, 1, 2, 1, 1, -1);
  E("TRANSB=R", "N", "R", 2, 2, 2, 2, 2, 2, 2, 0);
  E("lda=1 for m=2", "N", "N", 2, 2, 2, 1, 2, 2, 8, -1);
  E("ldb=1 for k=2, and ldc=1", "N", "N", 2, 2, 2, 2, 1, 1, 10, -1);
  E("ldc=1 for m=2", "T", "N", 2, 2, 2, 2, 2, 1, 13, -1);
  D("lower-case c and t", "c", "t", 2, 2, 2, 1, ARR(1, 2, 3, 4), 2, ARR(1, 0, 0, 1), 2, 0, ARR(0, 0, 0, 0), 2, 4, ARR(1, 3, 2, 4), 0);
}

static void special_values(void) {
  D("0*Inf + 1*1", "N", "N", 1, 1, 2, 1, ARR(0, 1), 1, ARR(I, 1), 2, 0, ARR(0), 1, 1, ARR(N), 0);
  D("Inf*0 + 1*1", "N", "N", 1, 1, 2, 1, ARR(I, 1), 1, ARR(0, 1), 2, 0, ARR(0), 1, 1, ARR(N), 0);
  D("Inf*1 + 1*1", "N", "N", 1, 1, 2, 1, ARR(I, 1), 1, ARR(1, 1), 2, 0, ARR(0), 1, 1, ARR(I), 0);
  D("NaN in B only", "N", "N", 1, 1, 2, 1, ARR(1, 1), 1, ARR(1, N), 2, 0, ARR(0), 1, 1, ARR(N), 0);
  D("alpha=NaN", "N", "N", 1, 1, 1, N, ARR(1), 1, ARR(1), 1, 0, ARR(3), 1, 1, ARR(N), 0);
  D("beta=NaN", "N", "N", 1, 1, 1, 1, ARR(1), 1, ARR(1), 1, N, ARR(3), 1, 1, ARR(N), 0);
}

static void range(void) {
  D("1e-310*1e10", "N", "N", 1, 1, 2, 1, ARR(1e-310, 0), 1, ARR(1e10, 0), 2, 0, ARR(0), 1, 1, ARR(1e-310 * 1e10), 0);
  D("1e-200*1e-110", "N", "N", 1, 1, 2, 1, ARR(1e-200, 0), 1, ARR(1e-110, 0), 2, 0, ARR(0), 1, 1, ARR(1e-310), 0);
  D("1e300*1e-300 + 1", "N", "N", 1, 1, 2, 1, ARR(1e300, 1), 1, ARR(1e-300, 1), 2, 0, ARR(0), 1, 1, ARR(2), 0);
  double c3[1] = {7};  // 0 when exact, NaN without fma, Inf with it
  D("1e400 - 1e400: 0, NaN or Inf", "N", "N", 1, 1, 2, 1, ARR(1e200, -1e200), 1, ARR(1e200, 1e200), 2, 0, c3, 1, 1, ARR(ANY), 0);
  if (isfinite(c3[0]) && c3[0] != 0) printf("WRONG 1e400 - 1e400 is %g\n", c3[0]), wrong++;
  D("alpha=1e-300, product 1e400", "N", "N", 1, 1, 2, 1e-300, ARR(1e200, 0), 1, ARR(1e200, 0), 2, 0, ARR(0), 1, 1, ARR(1e100), ARR(I));
  D("alpha=1e300, product 1e-400", "N", "N", 1, 1, 2, 1e300, ARR(1e-200, 0), 1, ARR(1e-200, 0), 2, 0, ARR(0), 1, 1, ARR(1e-100), ARR(0));
  double c0[1] = {0};
  D("1e16 + 1 - 1e16: 1 within 3u|A||B|", "N", "N", 1, 1, 3, 1, ARR(1e16, 1, -1e16), 1, ARR(1, 1, 1), 3, 0, c0, 1, 1, ARR(ANY), 0);
  if (!(fabs(c0[0] - 1) <= 3 * 0x1p-53 * 2e16)) printf("WRONG 1e16 + 1 - 1e16 is %g\n", c0[0]), wrong++;
  D("-0*1, beta=0", "N", "N", 1, 1, 1, 1, ARR(-0.0), 1, ARR(1), 1, 0, ARR(-0.0), 1, 1, ARR(0), 0);
}

static void complex_products(void) {
  double c1[2] = {0, 0};
  Z("z (Inf,0)*(1,0): not finite", "N", "N", 1, 1, 1, one, ARR(I, 0), 1, ARR(1, 0), 1, nil, c1, 1, 2, ARR(ANY, ANY), 0);
  if (isfinite(c1[0]) && isfinite(c1[1])) printf("WRONG z (Inf,0)*(1,0) is finite\n"), wrong++;
  Z("z beta=0, C all NaN", "N", "N", 1, 1, 1, one, ARR(1, 1), 1, ARR(1, 0), 1, nil, ARR(N, N), 1, 2, ARR(1, 1), 0);
  Z("z alpha=0, beta=0, all NaN", "N", "N", 1, 1, 1, nil, ARR(1, 1), 1, ARR(N, 0), 1, nil, ARR(N, N), 1, 2, ARR(0, 0), 0);
  Z("z alpha=0, A=B=NULL, beta=2", "N", "C", 1, 1, 1, nil, 0, 1, 0, 1, two, ARR(3, 4), 1, 2, ARR(6, 8), 0);
  Z("z (1+1e-20i)^2", "N", "N", 1, 1, 1, one, ARR(1, 1e-20), 1, ARR(1, 1e-20), 1, nil, ARR(0, 0), 1, 2, ARR(1, 2e-20), 0);
  Z("z conjugate transpose", "C", "N", 2, 2, 2, one, ARR(1, 2, 3, 4, 5, 6, 7, 8), 2, ARR(1, 0, 0, 0, 0, 0, 1, 0), 2, nil,
    ARR(0, 0, 0, 0, 0, 0, 0, 0), 2, 8, ARR(1, -2, 5, -6, 3, -4, 7, -8), 0);
  Z("z 1e200(1+i)*1e-200(1+i)", "N", "N", 1, 1, 1, one, ARR(1e200, 1e200), 1, ARR(1e-200, 1e-200), 1, nil, ARR(0, 0), 1, 2, ARR(ANY, 2), 0);
  double s[2] = {0.4713259, 0.14339028}, c2[2] = {0, 0};
  Z("z conj(a)*a: imaginary part near 0", "C", "N", 1, 1, 1, one, s, 1, s, 1, nil, c2, 1, 2, ARR(ANY, ANY), 0);
  if (!(fabs(c2[1]) <= 0x1p-46 * (s[0] * s[0] + s[1] * s[1]))) printf("WRONG z conj(a)*a has imaginary part %g\n", c2[1]), wrong++;
}

int main(int argc, char** argv) {
  lax = argc > 1 && !strcmp(argv[1], "openblas");
  zero_scalars();
  arguments();
  special_values();
  range();
  complex_products();
  printf("blas_edges: %d rows, %d wrong\n", rows, wrong);
  return wrong != 0;
}
