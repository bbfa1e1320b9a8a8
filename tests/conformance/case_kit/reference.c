// SPDX-License-Identifier: MIT
// Products through the Fortran names, random data, and the reference: about 100 bits, scaled row by row and column by column.
// CK_CLASS chooses the bound: dd, fast (3K+20) 2^-48 |A||B| (the default; every class and every host BLAS keeps it), fp64 (K+2) 2^-53
// |A||B|, strict 6 2^-53 |A||B|, exact half a unit in the last place.
#include "case_kit.h"

#include <time.h>
#include <unistd.h>

void dgemm(char ta, char tb, int m, int n, int k, double al, const double* a, int lda, const double* b, int ldb, double be, double* c,
           int ldc) {
  dgemm_(&ta, &tb, &m, &n, &k, &al, a, &lda, b, &ldb, &be, c, &ldc, 1, 1);
}

void zgemm(char ta, char tb, int m, int n, int k, double al, const double* a, int lda, const double* b, int ldb, double be, double* c,
           int ldc) {
  double alpha[2] = {al, 0}, beta[2] = {be, 0};
  zgemm_(&ta, &tb, &m, &n, &k, alpha, a, &lda, b, &ldb, beta, c, &ldc, 1, 1);
}

static unsigned long long state = 88172645463325252ull;

double rnd(void)  // uniform in [-1, 1), the same on every machine
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53 * 2 - 1;
}

double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double* zeros(size_t n) {
  return calloc(n ? n : 1, sizeof(double));
}

double* randoms(size_t n) {
  double* p = zeros(n);
  for (size_t i = 0; i < n; i++) p[i] = rnd();
  return p;
}

long rss_kib(void) {
  long size, resident = 0;
  FILE* f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld %ld", &size, &resident) != 2) resident = 0;
  if (f) fclose(f);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

dd dd_add_product(dd s, double x, double y)  // s + x*y
{
  double p = x * y, e = fma(x, y, -p), t = s.hi + p, bb = t - s.hi;
  double err = (s.hi - (t - bb)) + (p - bb) + (s.lo + e);
  dd r = {t + err, 0};
  r.lo = err - (r.hi - t);
  return r;
}

double at(const double* a, int ld, char trans, int i, int l)  // op(A)(i,l)
{
  return trans == 'N' ? a[i + (size_t)l * (size_t)ld] : a[l + (size_t)i * (size_t)ld];
}

static int top_exponent(const double* a, int ld, char trans, int row, int k, int is_row) {
  double top = 0;
  for (int l = 0; l < k; l++) top = fmax(top, fabs(is_row ? at(a, ld, trans, row, l) : at(a, ld, trans, l, row)));
  return top > 0 ? ilogb(top) : 0;
}

static int too_far(double c, dd ref, double absolute, int k, int scale)  // everything in units of 2^scale
{
  const char* cl = getenv("CK_CLASS");
  double got = ldexp(c, -scale), err = fabs((got - ref.hi) - ref.lo), bound = (3.0 * k + 20) * 0x1p-48 * absolute;
  if (cl && !strcmp(cl, "fp64"))
    bound = (k + 2.0) * 0x1p-53 * absolute;
  else if (cl && !strcmp(cl, "strict"))
    bound = 6 * 0x1p-53 * absolute;
  else if (cl && !strcmp(cl, "exact"))
    bound = fabs(ref.hi) * 0x1p-53 * (1 + 0x1p-40);
  return !(err <= bound + ldexp(k + 2.0, -1074 - scale));  // the last term: underflow to subnormal numbers
}

// C = op(A) op(B) componentwise; the reference is scaled row by row and column by column, so it never over- or underflows
int bad(int m, int n, int k, const double* a, int lda, char ta, const double* b, int ldb, char tb, const double* c, int ldc) {
  int *ea = malloc(sizeof(int) * (size_t)(m + 1)), *eb = malloc(sizeof(int) * (size_t)(n + 1)), wrong = 0;
  for (int i = 0; i < m; i++) ea[i] = top_exponent(a, lda, ta, i, k, 1);
  for (int j = 0; j < n; j++) eb[j] = top_exponent(b, ldb, tb, j, k, 0);
  for (int j = 0; j < n && !wrong; j++)
    for (int i = 0; i < m && !wrong; i++) {
      dd s = {0, 0};
      double absolute = 0;
      for (int l = 0; l < k; l++) {
        double x = ldexp(at(a, lda, ta, i, l), -ea[i]), y = ldexp(at(b, ldb, tb, l, j), -eb[j]);
        s = dd_add_product(s, x, y);
        absolute += fabs(x * y);
      }
      double got = c[i + (size_t)j * (size_t)ldc];
      if (too_far(got, s, absolute, k, ea[i] + eb[j])) {
        printf("at (%d,%d): got %.17g, want %.17g * 2^%d, |A||B| %.3g * 2^%d\n", i, j, got, s.hi, ea[i] + eb[j], absolute, ea[i] + eb[j]);
        wrong = 1;
      }
    }
  free(ea);
  free(eb);
  return wrong;
}

int bad_complex(int m, int n, int k, const double* a, int lda, const double* b, int ldb, const double* c,
                int ldc)  // C = A B, entries near 1
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      dd re = {0, 0}, im = {0, 0};
      double absolute = 0;
      for (int l = 0; l < k; l++) {
        const double *x = a + 2 * (i + (size_t)l * (size_t)lda), *y = b + 2 * (l + (size_t)j * (size_t)ldb);
        re = dd_add_product(dd_add_product(re, x[0], y[0]), -x[1], y[1]);
        im = dd_add_product(dd_add_product(im, x[0], y[1]), x[1], y[0]);
        absolute += (fabs(x[0]) + fabs(x[1])) * (fabs(y[0]) + fabs(y[1]));
      }
      const double* got = c + 2 * (i + (size_t)j * (size_t)ldc);
      if (too_far(got[0], re, absolute, 2 * k, 0) || too_far(got[1], im, absolute, 2 * k, 0)) {
        printf("at (%d,%d): got (%.17g,%.17g), want (%.17g,%.17g)\n", i, j, got[0], got[1], re.hi, im.hi);
        return 1;
      }
    }
  return 0;
}
