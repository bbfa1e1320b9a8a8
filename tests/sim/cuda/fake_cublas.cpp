// SPDX-License-Identifier: MIT
// A cuBLAS that is none: products in plain loops over the fake driver's memory, on its streams, with what cuBLAS would refuse refused.
#include "sim/cuda/fake_cublas_control.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <mutex>
#include <set>

#include "sim/cuda/fake_control.hpp"

struct cublasContext {
  void* stream = nullptr;
  int math_mode = 0;
};

namespace {

using ab::test::FakeLaunch;
using ab::test::FakeMemory;
using ab::test::FakeProduct;
using Handle = cublasContext*;

constexpr int success = 0, no_memory = 3, invalid_value = 7, execution_failed = 13;

struct State {
  std::mutex mutex;
  std::set<Handle> handles;
  long calls = 0, failing_call = 0, products = 0;
  int failure = 0;
  FakeProduct last{};
};
State& state() {
  static State* const instance = new State;
  return *instance;
}

const ab::test::FakeControl& driver() {
  static const ab::test::FakeControl* const control = [] {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<ab::test::FakeControlFunction*>(dlsym(library, ab::test::fake_control_name))();
  }();
  return *control;
}

int run(const FakeLaunch& launch) {
  constexpr int driver_out_of_memory = 2;
  const int result = driver().run_for_library(launch);
  return result == 0 ? success : result == driver_out_of_memory ? no_memory : execution_failed;
}

// Under the lock: counts a call, and says what it must return.
int due_failure(State& now) {
  return ++now.calls == now.failing_call ? now.failure : success;
}

template <class T>
T factor(T entry, int op) {
  if constexpr (std::is_same_v<T, double>) {
    return entry;
  } else {
    return op == 2 ? std::conj(entry) : entry;
  }
}

template <class T>
T scalar(const std::array<double, 2>& words) {
  if constexpr (std::is_same_v<T, double>) {
    return words[0];
  } else {
    return {words[0], words[1]};
  }
}

template <class T>
void multiply(const FakeProduct& p, const std::vector<std::byte*>& places, int columns) {
  const auto* a = reinterpret_cast<const T*>(places[0]);
  const auto* b = reinterpret_cast<const T*>(places[1]);
  auto* c = reinterpret_cast<T*>(places[2]);
  for (std::ptrdiff_t j = 0; j < columns; ++j) {
    for (std::ptrdiff_t i = 0; i < p.m; ++i) {
      T sum{};
      for (std::ptrdiff_t l = 0; l < p.k; ++l) {
        const T x = factor(p.op_a == 0 ? a[i + l * p.lda] : a[l + i * p.lda], p.op_a);
        const T y = factor(p.op_b == 0 ? b[l + j * p.ldb] : b[j + l * p.ldb], p.op_b);
        sum += x * y;
      }
      T& entry = c[i + j * p.ldc];
      sum *= scalar<T>(p.alpha);
      entry = scalar<T>(p.beta) == T{} ? sum : sum + scalar<T>(p.beta) * entry;
    }
  }
}

std::size_t bytes_of(int rows, int columns, int ld, int words) {
  return (static_cast<std::size_t>(columns - 1) * static_cast<std::size_t>(ld) + static_cast<std::size_t>(rows)) * 8 *
         static_cast<std::size_t>(words);
}

int gemm(Handle handle, const FakeProduct& asked, const std::array<const double*, 3>& matrices) {
  State& now = state();
  const std::scoped_lock lock(now.mutex);
  const int failure = due_failure(now);
  if (!now.handles.contains(handle)) return invalid_value;
  FakeProduct p = asked;
  p.math_mode = handle->math_mode;
  const int a_rows = p.op_a == 0 ? p.m : p.k, b_rows = p.op_b == 0 ? p.k : p.n;
  const bool right = p.m > 0 && p.n > 0 && p.k > 0 && p.lda >= a_rows && p.ldb >= b_rows && p.ldc >= p.m && p.op_a >= 0 && p.op_a <= 2 &&
                     p.op_b >= 0 && p.op_b <= 2 && handle->stream != nullptr;
  if (!right) return invalid_value;
  now.last = p;
  ++now.products;
  std::vector<FakeMemory> memory;
  for (const double* matrix : matrices) memory.push_back({reinterpret_cast<unsigned long long>(matrix), 0});
  for (const FakeMemory& at : memory) {
    if (at.address % (8u * static_cast<unsigned>(p.words)) != 0) return invalid_value;
  }
  memory[0].bytes = bytes_of(a_rows, p.op_a == 0 ? p.k : p.m, p.lda, p.words);
  memory[1].bytes = bytes_of(b_rows, p.op_b == 0 ? p.n : p.k, p.ldb, p.words);
  memory[2].bytes = bytes_of(p.m, p.n, p.ldc, p.words);
  const int columns = failure == success ? p.n : (p.n + 1) / 2;  // one that fails half-way
  const int result = run({handle->stream, memory, [p, columns](const std::vector<std::byte*>& places) {
                            p.words == 1 ? multiply<double>(p, places, columns) : multiply<std::complex<double>>(p, places, columns);
                          }});
  return failure != success ? failure : result;
}

FakeProduct product_of(int words, const std::array<int, 2>& ops, const std::array<int, 3>& sizes, const std::array<int, 3>& lds,
                       const std::array<const double*, 2>& scalars) {
  const auto [alpha, beta] = scalars;
  const auto second = [words](const double* scalar) { return words == 2 ? scalar[1] : 0; };
  FakeProduct product{};
  product.words = words;
  product.op_a = ops[0], product.op_b = ops[1];
  product.m = sizes[0], product.n = sizes[1], product.k = sizes[2];
  product.lda = lds[0], product.ldb = lds[1], product.ldc = lds[2];
  product.alpha = {alpha[0], second(alpha)};
  product.beta = {beta[0], second(beta)};
  return product;
}

}  // namespace

extern "C" {

const ab::test::FakeCublasControl* ab_fake_cublas_control() {
  static const ab::test::FakeCublasControl control = {[](long nth, int status) {
                                                        const std::scoped_lock lock(state().mutex);
                                                        state().calls = 0, state().failing_call = nth, state().failure = status;
                                                      },
                                                      [] { return state().calls; }, [] { return state().products; },
                                                      [] { return state().last; },
                                                      [] { return static_cast<long>(state().handles.size()); }};
  return &control;
}

int cublasCreate_v2(Handle* handle) {
  State& now = state();
  const std::scoped_lock lock(now.mutex);
  if (const int failure = due_failure(now)) return failure;
  if (const int failure = run({nullptr, {}, {}})) return failure;
  *handle = *now.handles.insert(new cublasContext).first;
  return success;
}

int cublasDestroy_v2(Handle handle) {
  State& now = state();
  const std::scoped_lock lock(now.mutex);
  if (now.handles.erase(handle) == 0) return invalid_value;
  delete handle;
  return success;
}

int cublasSetStream_v2(Handle handle, void* stream) {
  const std::scoped_lock lock(state().mutex);
  handle->stream = stream;
  return due_failure(state());
}

int cublasSetMathMode(Handle handle, int mode) {
  const std::scoped_lock lock(state().mutex);
  handle->math_mode = mode;
  return due_failure(state());
}

int cublasDgemm_v2(Handle handle, int op_a, int op_b, int m, int n, int k, const double* alpha, const double* a, int lda, const double* b,
                   int ldb, const double* beta, double* c, int ldc) {
  return gemm(handle, product_of(1, {op_a, op_b}, {m, n, k}, {lda, ldb, ldc}, {alpha, beta}), {a, b, c});
}

#if !defined(AB_FAKE_WITHOUT_ZGEMM)
int cublasZgemm_v2(Handle handle, int op_a, int op_b, int m, int n, int k, const double* alpha, const double* a, int lda, const double* b,
                   int ldb, const double* beta, double* c, int ldc) {
  return gemm(handle, product_of(2, {op_a, op_b}, {m, n, k}, {lda, ldb, ldc}, {alpha, beta}), {a, b, c});
}
#endif

}  // extern "C"
