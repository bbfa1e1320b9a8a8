// SPDX-License-Identifier: MIT
// The search for the host BLAS: which file, which functions, and why one that was asked for cannot serve.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace ab::host_blas {

template <Scalar T>
using FortranGemm = void(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k, const T* alpha, const T* a,
                         const int* lda, const T* b, const int* ldb, const T* beta, T* c, const int* ldc, std::size_t, std::size_t);
using CblasDgemm = void(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
                        int ldb, double beta, double* c, int ldc);
using CblasZgemm = void(int order, int trans_a, int trans_b, int m, int n, int k, const void* alpha, const void* a, int lda, const void* b,
                        int ldb, const void* beta, void* c, int ldc);

struct Library {
  std::string file;     // without its folder: "libopenblas.so.0"
  std::string version;  // "OpenBLAS 0.3.21"; "" when it does not tell
  FortranGemm<double>* dgemm = nullptr;
  FortranGemm<Complex>* zgemm = nullptr;
  CblasDgemm* cblas_dgemm = nullptr;  // null: no CBLAS in it
  CblasZgemm* cblas_zgemm = nullptr;
};

/// The library of spec 4.9: the file `asked` ("" for none), else RTLD_NEXT, else a loaded libblas.so.3, else libopenblas.so.0 or
/// libblas.so.3; in place of our filter library the BLAS behind it. A file that was asked for and cannot serve goes to `complaints`, and
/// the search goes on.
std::optional<Library> find(const std::string& asked, std::vector<std::string>& complaints);

/// The BLAS behind a handle of dlopen, or nothing and why it cannot serve: functions missing, or 64-bit integers.
std::optional<Library> library_behind(void* handle, std::string& refusal);

}  // namespace ab::host_blas
