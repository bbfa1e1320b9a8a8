// SPDX-License-Identifier: MIT
// Threads, fork, signals, the floating-point environment, memory over many calls: C25 to C60.
#include "case_kit.h"

#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static int thread_wrong;

static void* ones_thread(void* v)  // n x n matrices of ones, five times
{
  int n = (int)(long)v;
  size_t nn = (size_t)n * (size_t)n;
  double *a = zeros(nn), *c = zeros(nn);
  for (size_t i = 0; i < nn; i++) a[i] = 1;
  for (int r = 0; r < 5; r++) {
    memset(c, 0, nn * sizeof *c);
    dgemm('N', 'N', n, n, n, 1, a, n, a, n, 0, c, n);
    for (size_t i = 0; i < nn; i++)
      if (c[i] != n) __atomic_store_n(&thread_wrong, 1, __ATOMIC_RELAXED);
  }
  free(a);
  free(c);
  return 0;
}

// C25: a thread with a 64 KiB stack
int smallstack(void) {
  long least = PTHREAD_STACK_MIN;
  pthread_attr_t attr;
  pthread_t t;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, least > 65536 ? (size_t)least : 65536);
  if (pthread_create(&t, &attr, ones_thread, (void*)200L)) WRONG("the thread cannot be made (thread-local storage too large?)");
  pthread_join(t, 0);
  if (thread_wrong) WRONG("result");
  return 0;
}

// C27: product in the parent, then in a forked child and in the child's child; the parent goes on
int forkchild(void) {
  ones_thread((void*)300L);
  fflush(stdout);
  pid_t p = fork();
  if (!p) {
    alarm(60);
    ones_thread((void*)300L);
    pid_t q = fork();
    if (!q) {
      alarm(60);
      ones_thread((void*)200L);
      _exit(thread_wrong);
    }
    int st = 1;
    waitpid(q, &st, 0);
    _exit(thread_wrong || !WIFEXITED(st) || WEXITSTATUS(st));
  }
  int st = 1;
  waitpid(p, &st, 0);
  if (!WIFEXITED(st)) WRONG("the child was killed by signal %d (14: it hung)", WTERMSIG(st));
  ones_thread((void*)300L);
  if (WEXITSTATUS(st) || thread_wrong) WRONG("result in the child or in the parent");
  return 0;
}

static double seconds_per_call(int n, int calls, int rounds) {
  double *a = randoms((size_t)(n * n)), *c = zeros((size_t)(n * n)), best = 1e9;
  for (int q = 0; q < rounds; q++) {
    double t = now();
    for (int r = 0; r < calls; r++) dgemm('N', 'N', n, n, n, 1, a, n, a, n, 0, c, n);
    best = fmin(best, (now() - t) / calls);
  }
  free(a);
  free(c);
  return best;
}

// C28: small products are no slower after a fork
int forkperf(void) {
  double before = seconds_per_call(32, 500, 15);
  if (system("true")) CANNOT("system() fails");
  pid_t p = fork();
  if (!p) _exit(0);
  waitpid(p, 0, 0);
  double after = seconds_per_call(32, 500, 15);
  printf("us per call before the fork %.2f, after %.2f\n", before * 1e6, after * 1e6);
  if (after > 2 * before) WRONG("slower after a fork");
  return 0;
}

// C29, C30: 300 threads at once
int manythreads(void) {
  enum { N = 300 };
  pthread_t t[N];
  int made = 0;
  while (made < N && !pthread_create(t + made, 0, ones_thread, (void*)(long)(40 + made % 16))) made++;
  for (int i = 0; i < made; i++) pthread_join(t[i], 0);
  if (thread_wrong) WRONG("result in one of %d threads", made);
  if (made < N) CANNOT("only %d threads could be made", made);
  return 0;
}

// C31: how many threads the process has after a call
int threadcount(void) {
  char cmd[64];
  int n = 0;
  seconds_per_call(1000, 1, 1);
  snprintf(cmd, sizeof cmd, "ls /proc/%d/task | wc -l", (int)getpid());
  FILE* p = popen(cmd, "r");
  if (!p || fscanf(p, "%d", &n) != 1) CANNOT("no /proc");
  printf("threads=%d\n", n);
  return 0;
}

// C32: the CPU mask is the parent's (so loading did not narrow it), before and after a call
int affinity(void) {
  cpu_set_t before, after, parent;
  CPU_ZERO(&parent);
  sched_getaffinity(getppid(), sizeof parent, &parent);
  sched_getaffinity(0, sizeof before, &before);
  seconds_per_call(500, 1, 1);
  sched_getaffinity(0, sizeof after, &after);
  printf("cpus=%d\n", CPU_COUNT(&after));
  if (!CPU_EQUAL(&parent, &before))
    WRONG("loading changed the affinity: %d CPUs in the parent, %d here", CPU_COUNT(&parent), CPU_COUNT(&before));
  if (!CPU_EQUAL(&before, &after)) WRONG("a call changed the affinity: %d CPUs before, %d after", CPU_COUNT(&before), CPU_COUNT(&after));
  return 0;
}

// C33: control word of the floating-point unit at start and after calls; rounding mode kept; subnormals not flushed
int fpmode(void) {
#if defined(__x86_64__)
  unsigned start = _mm_getcsr() & ~0x3fu;
  if (start != 0x1f80) WRONG("MXCSR is %x at start: a library that was loaded turned on flush-to-zero?", start);
#endif
  seconds_per_call(300, 1, 1);
#if defined(__x86_64__)
  if ((_mm_getcsr() & ~0x3fu) != start) WRONG("MXCSR changed to %x", _mm_getcsr());
#endif
  fesetround(FE_UPWARD);
  seconds_per_call(300, 1, 1);
  if (fegetround() != FE_UPWARD) WRONG("the rounding mode was not kept");
  fesetround(FE_TONEAREST);
  volatile double d = 1e-310;
  if (d * 0.5 == 0) WRONG("subnormal numbers are flushed");
  return 0;
}

// C34: clean data raises no invalid, divide-by-zero or overflow flag, and runs with traps on
int fpflags(void) {
  for (int n = 1; n <= 130; n += n < 40 ? 1 : 31) {
    double *a = zeros((size_t)(n * n)), *c = zeros((size_t)(n * n));
    for (int i = 0; i < n; i++) a[i * n + i] = 1;
    feclearexcept(FE_ALL_EXCEPT);
    dgemm('N', 'N', n, n, n, 1, a, n, a, n, 0, c, n);
    int e = fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    if (e)
      WRONG("identity times identity, n=%d, raised %s%s%s", n, e & FE_INVALID ? "invalid " : "", e & FE_DIVBYZERO ? "divbyzero " : "",
            e & FE_OVERFLOW ? "overflow" : "");
    free(a), free(c);
  }
  double *a = randoms(40000), *c = zeros(40000);
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  dgemm('N', 'N', 200, 200, 200, 1, a, 200, a, 200, 0, c, 200);
  zgemm('N', 'N', 100, 100, 100, 1, a, 100, a, 100, 0, c, 100);
  fedisableexcept(FE_ALL_EXCEPT);
  return 0;
}

static void* load_call_unload(void* file) {
  void* h = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  dgemm_fn* g = 0;
  if (h) *(void**)&g = dlsym(h, "dgemm_");
  if (!g) {
    printf("dlopen: %s\n", dlerror());
    thread_wrong = 1;
    return 0;
  }
  int n = 128;
  double one = 1, zero = 0, *a = randoms(16384), *c = zeros(16384);
  g("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n, 1, 1);
  dlclose(h);
  return 0;
}

// C35: dlopen, call and dlclose in a thread that then ends; ARG: the library
int unload(const char* lib) {
  for (int i = 0; i < 5; i++) {
    pthread_t t;
    if (pthread_create(&t, 0, load_call_unload, (void*)(lib ? lib : "libblas.so.3"))) CANNOT("no thread");
    pthread_join(t, 0);
  }
  return thread_wrong;
}

// C39: memory is level over 300 calls of changing shape, real and complex
int leak(void) {
  double *a = randoms(320000), *c = zeros(320000);
  for (int r = 0; r < 50; r++) {
    dgemm('N', 'N', 400, 400, 400, 1, a, 400, a, 400, 0, c, 400);
    zgemm('N', 'N', 300, 300, 300, 1, a, 300, a, 300, 0, c, 300);
  }
  long before = rss_kib();
  for (int r = 0; r < 300; r++) {
    int n = 100 + (r * 37) % 300;
    dgemm('N', 'N', n, n, n, 1, a, n, a, n, 0, c, n);
    zgemm('N', 'N', n / 2, n / 2, n / 2, 1, a, n / 2, a, n / 2, 0, c, n / 2);
  }
  long after = rss_kib();
  printf("resident %ld -> %ld KiB\n", before, after);
  if (after > before + 20000) WRONG("it grew");
  return 0;
}

static volatile sig_atomic_t ticks;
static void tick(int sig) {
  (void)sig;
  ticks++;
}

// C44: SIGALRM every 0.5 ms, without SA_RESTART
int signals(void) {
  int n = 300;
  struct sigaction sa;
  struct sigevent ev;
  struct itimerspec every = {{0, 500000}, {0, 500000}};
  timer_t t;
  memset(&sa, 0, sizeof sa);
  memset(&ev, 0, sizeof ev);
  sa.sa_handler = tick;
  ev.sigev_notify = SIGEV_SIGNAL;
  ev.sigev_signo = SIGALRM;
  sigaction(SIGALRM, &sa, 0);
  if (timer_create(CLOCK_MONOTONIC, &ev, &t) || timer_settime(t, 0, &every, 0)) CANNOT("no timer");
  double *a = randoms((size_t)(n * n)), *b = randoms((size_t)(n * n)), *c = zeros((size_t)(n * n));
  double until = now() + 0.3;
  for (int r = 0; r < 30 || now() < until; r++) dgemm('N', 'N', n, n, n, 1, a, n, b, n, 0, c, n);
  timer_delete(t);
  printf("signals handled: %d\n", (int)ticks);
  if (bad(n, n, n, a, n, 'N', b, n, 'N', c, n) || !ticks) WRONG("with interrupting signals");
  return 0;
}

// C47, C56: which file serves each name in this process (how a harness sees that its preload took effect)
int which(void) {
  const char* names[] = {"dgemm_", "zgemm_", "cblas_dgemm", "cblas_zgemm", "dsyrk_", "dgemv_", "xerbla_"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    void* p = dlsym(RTLD_DEFAULT, names[i]);
    Dl_info d;
    printf("%-12s %s\n", names[i], p && dladdr(p, &d) ? d.dli_fname : "-");
  }
  return 0;
}

// C60: time of one call, small sizes; run with and without the preload and compare
int latency(void) {
  for (int n = 2; n <= 256; n *= 2) printf("n=%d %.3f us\n", n, 1e6 * seconds_per_call(n, 2000000 / (n * n * n / 8 + 200) + 3, 5));
  return 0;
}
