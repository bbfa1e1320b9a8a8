// SPDX-License-Identifier: MIT
// What tests can ask of the fake cuBLAS, and make it do.
#pragma once
#include <dlfcn.h>

#include <array>
#include <stdexcept>

namespace ab::test {

struct FakeProduct {  // as it was asked for
  int words;          // of an entry
  int op_a, op_b, m, n, k, lda, ldb, ldc;
  std::array<double, 2> alpha, beta;
  int math_mode;
};

struct FakeCublasControl {
  /// The n-th call from now on, from 1, returns `status` (0: none does); a product has then written some of C.
  void (*fail_at)(long nth, int status);
  long (*calls)();
  long (*products)();  // since the library was loaded
  FakeProduct (*last_product)();
  long (*handles)();  // that live
};
inline constexpr const char* fake_cublas_control_name = "ab_fake_cublas_control";
using FakeCublasControlFunction = const FakeCublasControl*();

inline constexpr const char* fake_cublas_file = "libcublas.so.13";
inline constexpr int cublas_not_initialized = 1, cublas_no_memory = 3, cublas_execution_failed = 13;

/// Loads the library if it is not.
inline const FakeCublasControl& fake_cublas(const char* file = fake_cublas_file) {
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  auto* const function =
      library == nullptr ? nullptr : reinterpret_cast<FakeCublasControlFunction*>(dlsym(library, fake_cublas_control_name));
  if (function == nullptr) throw std::runtime_error("this program does not find the fake cuBLAS");
  return *function();
}
inline bool is_loaded(const char* file) {
  void* const library = dlopen(file, RTLD_NOW | RTLD_NOLOAD);
  if (library != nullptr) dlclose(library);
  return library != nullptr;
}

}  // namespace ab::test
