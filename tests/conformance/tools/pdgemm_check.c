// SPDX-License-Identifier: MIT
// pdgemm_check: distributed products (PDGEMM and PZGEMM of ScaLAPACK's PBLAS) whose local parts run on dgemm_ and zgemm_;
// every entry is held against a sum computed here. Needs no MPI header: it speaks to ScaLAPACK's BLACS only.
//
// build:  gcc -O2 -std=gnu11 -Wall -Wextra pdgemm_check.c -o pdgemm_check -l:libscalapack-openmpi.so.2.2 -lm -ldl
// run:    ../scalapack_pdgemm.sh --lib FILE      (it builds this, sets the environment, and runs 2 and 4 ranks)
// Output: which file served dgemm_, then `pdgemm_check RxC ranks: passed N, failed M`; exit 0 when M is 0.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern void Cblacs_pinfo(int*, int*);
extern void Cblacs_get(int, int, int*);
extern void Cblacs_gridinit(int*, const char*, int, int);
extern void Cblacs_gridinfo(int, int*, int*, int*, int*);
extern void Cblacs_gridexit(int);
extern void Cblacs_exit(int);
extern void Cigsum2d(int, const char*, const char*, int, int, int*, int, int, int);
extern int numroc_(const int*, const int*, const int*, const int*, const int*);
extern void descinit_(int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*, const int*, int*);
typedef void pgemm_fn(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const int*,
                      const int*, const double*, const int*, const int*, const int*, const double*, double*, const int*, const int*,
                      const int*);
extern pgemm_fn pdgemm_, pzgemm_;

static const int zero = 0, one = 1;
static int ctx, prow, pcol, nprow, npcol;

static double value(int which, int part, int i, int j)  // entry (i,j) of matrix `which`, the same on every rank
{
  unsigned h = (unsigned)(i * 7919 + j * 104729 + which * 1299709 + part * 15485863);
  h ^= h >> 13, h *= 0x5bd1e995u, h ^= h >> 15;
  return (double)(h & 0xffff) / 32768.0 - 1;
}

typedef struct {
  double* p;
  int desc[9], rows, cols, ld, nb, cx;
} matrix;

static int global(int local, int nb, int me, int np) {
  return (local / nb * np + me) * nb + local % nb;
}

static matrix make(int which, int m, int n, int nb, int cx) {
  matrix a = {.nb = nb, .cx = cx};
  int info;
  a.rows = numroc_(&m, &nb, &prow, &zero, &nprow);
  a.cols = numroc_(&n, &nb, &pcol, &zero, &npcol);
  a.ld = a.rows > 1 ? a.rows : 1;
  a.p = malloc(sizeof(double) * (size_t)cx * (size_t)a.ld * (size_t)(a.cols + 1));
  descinit_(a.desc, &m, &n, &nb, &nb, &zero, &zero, &ctx, &a.ld, &info);
  for (int j = 0; j < a.cols; j++)
    for (int i = 0; i < a.rows; i++)
      for (int part = 0; part < cx; part++)
        a.p[cx * (i + j * a.ld) + part] = value(which, part, global(i, nb, prow, nprow), global(j, nb, pcol, npcol));
  return a;
}

static void entry(int which, int cx, char t, int i, int l, double* re, double* im)  // op(X)(i,l)
{
  int r = t == 'N' ? i : l, c = t == 'N' ? l : i;
  *re = value(which, 0, r, c);
  *im = cx == 2 ? (t == 'C' ? -1 : 1) * value(which, 1, r, c) : 0;
}

static int check(int cx, char ta, char tb, int m, int n, int k, int nb)  // C = 2 op(A) op(B) - C; 1 when wrong
{
  double alpha[2] = {2, 0}, beta[2] = {-1, 0};
  matrix a = make(1, ta == 'N' ? m : k, ta == 'N' ? k : m, nb, cx);
  matrix b = make(2, tb == 'N' ? k : n, tb == 'N' ? n : k, nb, cx);
  matrix c = make(3, m, n, nb, cx);
  int wrong = 0;
  (cx == 2 ? pzgemm_ : pdgemm_)(&ta, &tb, &m, &n, &k, alpha, a.p, &one, &one, a.desc, b.p, &one, &one, b.desc, beta, c.p, &one, &one,
                                c.desc);
  for (int j = 0; j < c.cols; j++)
    for (int i = 0; i < c.rows; i++) {
      int gi = global(i, nb, prow, nprow), gj = global(j, nb, pcol, npcol);
      double sr = 0, si = 0;  // entries are multiples of 2^-15: and the sums are exact
      for (int l = 0; l < k; l++) {
        double xr, xi, yr, yi;
        entry(1, cx, ta, gi, l, &xr, &xi);
        entry(2, cx, tb, l, gj, &yr, &yi);
        sr += xr * yr - xi * yi;
        si += xr * yi + xi * yr;
      }
      const double* got = c.p + cx * (i + j * c.ld);
      double want = (double)(2 * sr) - value(3, 0, gi, gj), tol = 1e-13 * k;
      wrong += !(fabs(got[0] - want) <= tol);
      if (cx == 2) wrong += !(fabs(got[1] - ((double)(2 * si) - value(3, 1, gi, gj))) <= tol);
    }
  Cigsum2d(ctx, "All", " ", 1, 1, &wrong, 1, -1, -1);
  if (wrong && !prow && !pcol)
    printf("WRONG: p%cgemm %c%c %dx%dx%d, block %d: %d entries\n", cx == 2 ? 'z' : 'd', ta, tb, m, n, k, nb, wrong);
  free(a.p), free(b.p), free(c.p);
  return wrong != 0;
}

int main(void) {
  const int shape[][4] = {{9, 7, 5, 2}, {64, 64, 64, 32}, {150, 130, 170, 32}, {257, 255, 64, 64}, {40, 300, 333, 48}};
  int me, ranks, passed = 0, failed = 0;
  Cblacs_pinfo(&me, &ranks);
  nprow = (int)sqrt((double)ranks);
  while (ranks % nprow) nprow--;
  npcol = ranks / nprow;
  Cblacs_get(-1, 0, &ctx);
  Cblacs_gridinit(&ctx, "Row", nprow, npcol);
  Cblacs_gridinfo(ctx, &nprow, &npcol, &prow, &pcol);
  void* p = dlsym(RTLD_DEFAULT, "dgemm_");
  Dl_info d;
  if (!me) printf("dgemm_ from %s\n", p && dladdr(p, &d) ? d.dli_fname : "-");
  for (int cx = 1; cx <= 2; cx++)
    for (unsigned s = 0; s < sizeof shape / sizeof *shape; s++)
      for (const char* t = "NN NT TN TT NC CN CC";; t += 3) {
        int w = check(cx, t[0], t[1], shape[s][0], shape[s][1], shape[s][2], shape[s][3]);
        failed += w;
        passed += !w;
        if (!t[2]) break;
      }
  if (!me) printf("pdgemm_check %dx%d ranks: passed %d, failed %d\n", nprow, npcol, passed, failed);
  Cblacs_gridexit(ctx);
  Cblacs_exit(0);
  return failed != 0;
}
