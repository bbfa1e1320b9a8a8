/* SPDX-License-Identifier: MIT
 * A loop as self-consistent calculations have it, on matrices that a session knows by name: a fixed point of P = A (A P) / |A (A P)|, and
 * a linear system at the end, solved to FP64 level from factors in low precision. Usage: 03_session_and_solve */
#include <math.h>
#include <stdio.h>

#include "apple_bottom.h"

enum { size = 64, most_steps = 200 };

static int complain(const char* what) {
  fprintf(stderr, "%s: %s\n", what, ab_last_error());
  return 1;
}

/* P = A (A P), normalised; the change of P, or -1. */
static double step(ABSession session, double* p) {
  double next[size], norm = 0.0, change = 0.0;
  if (ab_session_upload(session, "P", p) != AB_OK || ab_session_dgemm(session, "A", "P", "Q") != AB_OK ||
      ab_session_dgemm(session, "A", "Q", "P") != AB_OK || ab_session_download(session, "P", next) != AB_OK) {
    complain("step");
    return -1.0;
  }
  for (int i = 0; i < size; ++i) norm += next[i] * next[i];
  for (int i = 0; i < size; ++i) {
    next[i] /= sqrt(norm);
    change = fmax(change, fabs(next[i] - p[i]));
    p[i] = next[i];
  }
  return change;
}

/* Largest |A X - P| after solving A X = P; A's product with X is made by the library again. */
static double residual_of_solve(ABSession session, const double* p) {
  double got[size], worst = 0.0;
  if (ab_session_upload(session, "P", p) != AB_OK) return -1.0;
  if (ab_dgesv_mpir(ab_session_get(session, "A"), ab_session_get(session, "P")) != AB_OK) return complain("ab_dgesv_mpir"), -1.0;
  if (ab_session_dgemm(session, "A", "P", "Q") != AB_OK || ab_session_download(session, "Q", got) != AB_OK) return -1.0;
  for (int i = 0; i < size; ++i) worst = fmax(worst, fabs(got[i] - p[i]));
  return worst;
}

int main(void) {
  static double a[size * size], p[size];
  for (int i = 0; i < size * size; ++i) a[i] = 1.0 / (1.0 + i / size + i % size) + (i / size == i % size ? 2.0 : 0.0);
  for (int i = 0; i < size; ++i) p[i] = 1.0;
  if (ab_init() != AB_OK) return complain("ab_init");
  ABSession session = ab_session_create();
  if (!session || ab_session_add(session, "A", size, size) != AB_OK || ab_session_add(session, "P", size, 1) != AB_OK ||
      ab_session_add(session, "Q", size, 1) != AB_OK || ab_session_upload(session, "A", a) != AB_OK) {
    return complain("session");
  }
  double change = 1.0;
  int steps = 0;
  while (change > 1e-12 && steps < most_steps) {
    change = step(session, p);
    if (change < 0.0) return 1;
    ++steps;
  }
  const double residual = residual_of_solve(session, p);
  printf("converged to %g in %d steps; A X = P solved with a residual of %g\n", change, steps, residual);
  ab_session_destroy(session);
  ab_shutdown();
  return !(change <= 1e-12 && residual >= 0.0 && residual < 1e-14);
}
