// SPDX-License-Identifier: MIT
// What does a call that stays on the host cost on top of the host BLAS? Batches of small dgemm_ calls through the library and straight
// into the host BLAS, in turn; medians. Usage: call_overhead [host BLAS file]; AB_MODE and the rest as the environment says.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "apple_bottom.h"

using Dgemm = void(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                   const int*, const double*, double*, const int*, std::size_t, std::size_t);
extern "C" Dgemm dgemm_;

namespace {

constexpr int calls_per_batch = 2000, batches = 101;  // chosen: a batch is longer than a clock tick and shorter than a time slice

Dgemm* host_dgemm(const char* asked) {
  for (const char* file : {asked, "libopenblas.so.0", "libblas.so.3"}) {
    void* library = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr;
    void* found = library ? dlsym(library, "dgemm_") : nullptr;
    if (!found) continue;
    std::printf("host BLAS: %s\n", file);
    return reinterpret_cast<Dgemm*>(found);
  }
  return nullptr;
}

double nanoseconds_per_call(Dgemm* dgemm, int n, std::vector<double>& words) {
  const double alpha = 1.0, beta = 0.0;
  double *a = words.data(), *b = a + n * n, *c = b + n * n;
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < calls_per_batch; ++call) dgemm("N", "N", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n, 1, 1);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / calls_per_batch;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  Dgemm* host = host_dgemm(count > 1 ? arguments[1] : nullptr);
  if (!host) {
    std::fprintf(stderr, "no host BLAS found\n");
    return 3;
  }
  std::printf("%4s  %9s  %9s  %9s\n", "n", "ours ns", "host ns", "on top ns");
  for (int n : {1, 2, 4, 8, 16, 32}) {
    std::vector<double> words(static_cast<std::size_t>(3 * n * n), 0.5), ours, theirs;
    nanoseconds_per_call(dgemm_, n, words);  // the first call reads the environment and looks for the host BLAS
    for (int batch = 0; batch < batches; ++batch) {
      ours.push_back(nanoseconds_per_call(dgemm_, n, words));
      theirs.push_back(nanoseconds_per_call(host, n, words));
    }
    std::printf("%4d  %9.1f  %9.1f  %9.1f\n", n, median(ours), median(theirs), median(ours) - median(theirs));
  }
  ABProduct product = {};
  product.struct_size = sizeof product;
  ab_last_product(&product);
  std::printf("the last call: %s, reason %s\n", product.engine == AB_ENGINE_HOST ? "host" : "device", product.route_reason);
}
