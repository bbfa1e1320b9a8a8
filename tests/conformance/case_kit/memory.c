// SPDX-License-Identifier: MIT
// Arguments, and what memory a call touches: C15, C16, C19 to C24.
#include "case_kit.h"

#include <dlfcn.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// C15: a bad argument in a program without an xerbla_ of its own: one message, then control returns
int errreturn(void) {
  fflush(stdout);
  pid_t p = fork();
  if (!p) {
    double a[4] = {1}, c[4] = {7, 8, 9, 10};
    dgemm('N', 'N', -1, 2, 2, 1, a, 1, a, 2, 0, c, 1);
    _exit(c[0] == 7 && c[3] == 10 ? 42 : 43);
  }
  int st = 0;
  waitpid(p, &st, 0);
  if (!WIFEXITED(st) || WEXITSTATUS(st) != 42)
    WRONG("%s", WIFEXITED(st) && WEXITSTATUS(st) == 43 ? "C was written" : "the error handler ended the process");
  return 0;
}

// C16: no hidden string lengths, absurd ones, and strings longer than one character
int hidden(void) {
  typedef void f13(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                   const int*, const double*, double*, const int*);
  int n = 50;
  double one = 1, zero = 0, *a = randoms(2500), *b = randoms(2500), *c = zeros(2500);
  f13* g;
  *(void**)&g = dlsym(RTLD_DEFAULT, "dgemm_");
  if (!g) CANNOT("dgemm_ is not in the global scope");
  g("N", "T", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
  if (bad(n, n, n, a, n, 'N', b, n, 'T', c, n)) WRONG("call with 13 arguments");
  dgemm_("Transpose", "No transpose", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, (size_t)-1, 0);
  if (bad(n, n, n, a, n, 'T', b, n, 'N', c, n)) WRONG("long strings, lengths -1 and 0");
  return 0;
}

static double* ends_at_page(size_t count)  // the array's last byte is the last readable one
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = count * sizeof(double), len = (bytes + page - 1) / page * page;
  char* p = mmap(0, len + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED || mprotect(p + len, page, PROT_NONE)) return 0;
  return (double*)(p + len - bytes);
}

// C19, C20, C21: operands that end at an unreadable page; the last column is shorter than the leading dimension
int guardpage(void) {
  const int shape[][4] = {{126, 1, 126, 31509}, {7, 61, 68, 68},      {45, 33, 33, 50},   {64, 64, 64, 64},    {129, 65, 67, 200},
                          {1, 1, 1, 1},         {300, 5, 1000, 1000}, {1, 126, 126, 200}, {257, 255, 256, 256}};
  for (unsigned q = 0; q < sizeof shape / sizeof *shape; q++) {
    int m = shape[q][0], n = shape[q][1], k = shape[q][2], ldb = shape[q][3], lda = m + 3, ldc = m + 5;
    for (int cx = 1; cx <= 2; cx++) {
      double* a = ends_at_page(((size_t)lda * (size_t)(k - 1) + (size_t)m) * (size_t)cx);
      double* b = ends_at_page(((size_t)ldb * (size_t)(n - 1) + (size_t)k) * (size_t)cx);
      double* c = ends_at_page(((size_t)ldc * (size_t)(n - 1) + (size_t)m) * (size_t)cx);
      if (!a || !b || !c) CANNOT("no memory");
      for (int l = 0; l < k; l++)
        for (int i = 0; i < cx * m; i++) a[i + (size_t)l * (size_t)lda * (size_t)cx] = rnd();
      for (int j = 0; j < n; j++)
        for (int l = 0; l < cx * k; l++) b[l + (size_t)j * (size_t)ldb * (size_t)cx] = rnd();
      (cx == 1 ? dgemm : zgemm)('N', 'N', m, n, k, 1, a, lda, b, ldb, 0, c, ldc);
      if (cx == 1 ? bad(m, n, k, a, lda, 'N', b, ldb, 'N', c, ldc) : bad_complex(m, n, k, a, lda, b, ldb, c, ldc))
        WRONG("%s, shape %dx%dx%d", cx == 1 ? "dgemm" : "zgemm", m, n, k);
    }
  }
  return 0;
}

// C21: pointers aligned to 4, 8 and 12 bytes only
int unaligned(void) {
  enum { N = 40 };
  for (int off = 0; off < 16; off += 4) {
    char* raw[3];
    double* plain[3];
    for (int q = 0; q < 3; q++) {
      raw[q] = (char*)malloc(N * N * 8 + 64) + off;
      plain[q] = randoms(N * N);
      memcpy(raw[q], plain[q], N * N * 8);
    }
    dgemm('T', 'N', 37, 39, N, 1, (double*)(void*)raw[0], N, (double*)(void*)raw[1], N, 0, (double*)(void*)raw[2], N);
    memcpy(plain[2], raw[2], N * N * 8);
    if (bad(37, 39, N, plain[0], N, 'T', plain[1], N, 'N', plain[2], N)) WRONG("offset %d", off);
  }
  return 0;
}

// C22: a leading dimension so large that column*ld passes 2^31; only the pages in use are touched
int ldahuge(void) {
  int m = 40, n = 20, k = 24, ld = 1 << 27;
  size_t len = (size_t)ld * (size_t)k * sizeof(double);
  int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  double *a = mmap(0, len, prot, flags, -1, 0), *c = mmap(0, len, prot, flags, -1, 0), *b = randoms((size_t)(k * n));
  if (a == MAP_FAILED || c == MAP_FAILED) CANNOT("no address space for %zu bytes", len);
  for (int l = 0; l < k; l++)
    for (int i = 0; i < m; i++) a[i + (size_t)l * (size_t)ld] = rnd();
  dgemm('N', 'N', m, n, k, 1, a, ld, b, k, 0, c, ld);
  if (bad(m, n, k, a, ld, 'N', b, k, 'N', c, ld)) WRONG("ld=2^27");
  return 0;
}

// C22: lda = ldb = ldc = INT_MAX, all of size 1
int intmax(void) {
  double a = 1, b = 1, c = 7, one = 1, zero = 0;
  int ld = INT_MAX, n = 1;
  dgemm_("N", "N", &n, &n, &n, &one, &a, &ld, &b, &ld, &zero, &c, &ld, 1, 1);
  if (c != 1) WRONG("ld=INT_MAX gives %g, want 1", c);
  return 0;
}

// C23: one array as both operands (legal), all transpose pairs
int sameAB(void) {
  int n = 200;
  double *a = randoms((size_t)(n * n)), *c = zeros((size_t)(n * n));
  for (int t = 0; t < 4; t++) {
    char ta = t & 1 ? 'T' : 'N', tb = t & 2 ? 'T' : 'N';
    dgemm(ta, tb, n, n, n, 1, a, n, a, n, 0, c, n);
    if (bad(n, n, n, a, n, ta, a, n, tb, c, n)) WRONG("A as both operands, %c%c", ta, tb);
  }
  return 0;
}

// no case of its own: the caller changes A and B in place between calls; guards any kept copy of operands
int inplace(void) {
  int n = 256;
  double *a = randoms((size_t)(n * n)), *b = randoms((size_t)(n * n)), *c = zeros((size_t)(n * n));
  for (int r = 0; r < 4; r++) {
    dgemm('N', 'N', n, n, n, 1, a, n, b, n, 0, c, n);
    if (bad(n, n, n, a, n, 'N', b, n, 'N', c, n)) WRONG("round %d: old contents of A or B were used", r);
    for (int i = 0; i < n * n; i++) a[i] = rnd(), b[i] *= -3;
  }
  return 0;
}

// C24: C is read at once after the call, which is repeated on the same C
int sync_(void) {
  for (int n = 256; n <= 1024; n *= 2) {
    size_t nn = (size_t)n * (size_t)n;
    double *a = zeros(nn), *b = zeros(nn), *c = zeros(nn), want = 1;
    for (size_t i = 0; i < nn; i++) a[i] = 1, b[i] = 0.5, c[i] = 1;
    for (int r = 0; r < 13107200 / (n * n); r++) {  // exact: small integers times powers of two
      double beta = want > 1e6 ? 0 : 2;
      dgemm('N', 'N', n, n, n, 10, a, n, b, n, beta, c, n);
      want = 10 * 0.5 * n + beta * want;
      for (size_t i = 0; i < nn; i += 37)
        if (c[i] != want || c[nn - 1 - i] != want) WRONG("n=%d, call %d: C[%zu] is %.17g, want %.17g", n, r, i, c[i], want);
    }
    free(a), free(b), free(c);
  }
  return 0;
}
