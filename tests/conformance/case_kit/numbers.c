// SPDX-License-Identifier: MIT
// Special values, exponents, subnormal numbers, complex parts of different size, cancellation: C03 to C08.
#include "case_kit.h"

static int kind(double x) {
  return isnan(x) ? 2 : isinf(x) ? (x > 0 ? 3 : 4) : 0;
}

// C03, C04: NaN and Inf at one place of A, B or C; each entry of the result must be NaN, Inf or finite where IEEE says so
int specials(void) {
  enum { N = 70 };
  const double special[] = {NAN, INFINITY, -INFINITY};
  const int places[] = {0, 7, 31, 32, 33, 63, 64, 69};
  for (int which = 0; which < 3; which++)
    for (int sp = 0; sp < 3; sp++)
      for (unsigned p = 0; p < sizeof places / sizeof *places; p++)
        for (int t = 0; t < 4; t++) {
          char ta = t & 1 ? 'T' : 'N', tb = t & 2 ? 'T' : 'N';
          int i0 = places[p], j0 = places[(p * 3 + 1) % 8];
          double *a = randoms(N * N), *b = randoms(N * N), *c = randoms(N * N), *c0 = zeros(N * N);
          for (int i = 0; i < N * N; i += 5)  // zeros against the special value: 0*Inf is NaN
            a[i] = b[(i + 2) % (N * N)] = 0;
          (which == 0 ? a : which == 1 ? b : c)[i0 + j0 * N] = special[sp];
          memcpy(c0, c, N * N * sizeof *c);
          dgemm(ta, tb, N, N, N, -2, a, N, b, N, 0.5, c, N);
          for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
              double s = 0;
              for (int l = 0; l < N; l++) s += at(a, N, ta, i, l) * at(b, N, tb, l, j);
              double want = -2 * s + 0.5 * c0[i + j * N], got = c[i + j * N];
              if (kind(want) != kind(got) || (!kind(want) && fabs(got - want) > 1e-11))
                WRONG("%g in %c at (%d,%d), %c%c: C(%d,%d) is %g, want %g", special[sp], "ABC"[which], i0, j0, ta, tb, i, j, got, want);
            }
          free(a), free(b), free(c), free(c0);
        }
  return 0;
}

// C05: scales near the ends of the exponent range, for whole matrices and for each row and column
int exps(void) {
  enum { N = 96 };
  const int shift[] = {996, -996, 498, -498, 1000, -1000};
  double *a = randoms(N * N), *b = randoms(N * N), *x = zeros(N * N), *y = zeros(N * N), *c = zeros(N * N);
  for (unsigned q = 0; q < sizeof shift / sizeof *shift; q++) {
    for (int i = 0; i < N * N; i++) x[i] = ldexp(a[i], shift[q]), y[i] = ldexp(b[i], -shift[q]);
    dgemm('N', 'N', N, N, N, 1, x, N, y, N, 0, c, N);
    if (bad(N, N, N, x, N, 'N', y, N, 'N', c, N)) WRONG("A scaled by 2^%d, B by 2^%d", shift[q], -shift[q]);
  }
  for (int l = 0; l < N; l++)
    for (int i = 0; i < N; i++) {
      x[i + l * N] = ldexp(a[i + l * N], (i % 41 - 20) * 40);
      y[l + i * N] = ldexp(b[l + i * N], (i % 37 - 18) * 7);
    }
  dgemm('N', 'N', N, N, N, 1, x, N, y, N, 0, c, N);
  if (bad(N, N, N, x, N, 'N', y, N, 'N', c, N)) WRONG("each row of A and each column of B at a scale of its own");
  return 0;
}

// C06: subnormal operands, and products that are subnormal
int subnormal(void) {
  enum { N = 70 };
  double *a = zeros(N * N), *b = zeros(N * N), *c = zeros(N * N);
  const double scale[][2] = {{1e-310, 1e10}, {1e-160, 1e-150}, {1e-155, 1e-155}};
  for (int q = 0; q < 3; q++) {
    double largest = 0;
    for (int i = 0; i < N * N; i++) a[i] = rnd() * scale[q][0], b[i] = rnd() * scale[q][1];
    dgemm('N', 'N', N, N, N, 1, a, N, b, N, 0, c, N);
    for (int i = 0; i < N * N; i++) largest = fmax(largest, fabs(c[i]));
    if (largest == 0) WRONG("A near %g times B near %g came out as 0", scale[q][0], scale[q][1]);
    if (bad(N, N, N, a, N, 'N', b, N, 'N', c, N)) WRONG("A near %g, B near %g", scale[q][0], scale[q][1]);
  }
  return 0;
}

// C07: real parts near 1, imaginary parts near 1e-14 (and the reverse): the small part keeps its own accuracy
int imag3m(void) {
  enum { N = 64 };
  for (int swap = 0; swap < 2; swap++) {
    double *a = zeros(2 * N * N), *b = zeros(2 * N * N), *c = zeros(2 * N * N), worst = 0;
    for (int i = 0; i < N * N; i++) {
      a[2 * i + swap] = rnd(), a[2 * i + 1 - swap] = 1e-14 * rnd();
      b[2 * i + swap] = rnd(), b[2 * i + 1 - swap] = 1e-14 * rnd();
    }
    zgemm('N', 'N', N, N, N, 1, a, N, b, N, 0, c, N);
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++) {
        dd im = {0, 0};
        double absolute = 0;
        for (int l = 0; l < N; l++) {
          const double *x = a + 2 * (i + l * N), *y = b + 2 * (l + j * N);
          im = dd_add_product(dd_add_product(im, x[0], y[1]), x[1], y[0]);
          absolute += fabs(x[0] * y[1]) + fabs(x[1] * y[0]);
        }
        worst = fmax(worst, fabs(c[2 * (i + j * N) + 1] - im.hi) / absolute);
      }
    printf("%s parts small: error of the imaginary part / (|Ar||Bi|+|Ai||Br|) = %.2g\n", swap ? "real" : "imaginary", worst);
    if (!(worst < 1e-12)) WRONG("the imaginary part is lost");
  }
  return 0;
}

// C08: sums that cancel (condition 1 to 1e14) and long K, against the bound of the class
int cancel(void) {
  for (int power = 0; power <= 14; power += 2)
    for (int k = 16; k <= 65536; k *= 8) {
      int m = 5, n = 4;
      double *a = randoms((size_t)m * (size_t)k), *b = randoms((size_t)k * (size_t)n), *c = zeros(20);
      for (int l = 0; l + 1 < k; l += 2)  // neighbouring terms cancel to one part in 10^power
        for (int i = 0; i < m; i++) a[i + (l + 1) * m] = -a[i + l * m] * (1 + pow(10, -power) * rnd());
      for (int j = 0; j < n; j++)
        for (int l = 0; l + 1 < k; l += 2) b[l + 1 + j * k] = b[l + j * k];
      dgemm('N', 'N', m, n, k, 1, a, m, b, k, 0, c, m);
      if (bad(m, n, k, a, m, 'N', b, k, 'N', c, m)) WRONG("condition 1e%d, K=%d", power, k);
      free(a), free(b), free(c);
    }
  return 0;
}
