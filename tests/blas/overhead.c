/* SPDX-License-Identifier: MIT
 * Calls 8 x 8 products through both interfaces and prints the best time of one, in nanoseconds. tests/conformance/overhead.sh runs it with
 * and without the library in front, also under an instruction counter.
 *
 * usage: overhead CALLS ROUNDS */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*, size_t, size_t);
void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);

enum { N = 8 };
static double a[N * N], b[N * N], c[N * N];

static void by_fortran(long calls) {
  const int n = N;
  const double one = 1, zero = 0;
  for (long i = 0; i < calls; ++i) dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
}

static void by_cblas(long calls) {
  for (long i = 0; i < calls; ++i) cblas_dgemm(102, 111, 111, N, N, N, 1, a, N, b, N, 0, c, N);
}

static double best_ns(void (*run)(long), long calls, int rounds) {
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    run(calls);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double ns = 1e9 * (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec);
    if (ns < best) best = ns;
  }
  return best / (double)calls;
}

int main(int argc, char** argv) {
  const long calls = argc > 1 ? atol(argv[1]) : 100000;
  const int rounds = argc > 2 ? atoi(argv[2]) : 20;
  for (int i = 0; i < N * N; ++i) a[i] = b[i] = i % 5;
  printf("dgemm_ %.2f\n", best_ns(by_fortran, calls, rounds));
  printf("cblas_dgemm %.2f\n", best_ns(by_cblas, calls, rounds));
  return c[0] == 0;
}
