// SPDX-License-Identifier: MIT
// What of Accelerate's new interface the library uses, written by hand for the cross-compiler: names as Apple's headers make them. Test only.
#pragma once
#include <complex>
#if !defined(ACCELERATE_NEW_LAPACK)
#error "the old interface is deprecated"
#endif
#define NEWLAPACK(name) __asm("_" #name "$NEWLAPACK")
enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 };
extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*, const int*,
            const double*, double*, const int*) NEWLAPACK(dgemm);
void zgemm_(const char*, const char*, const int*, const int*, const int*, const std::complex<double>*, const std::complex<double>*, const int*,
            const std::complex<double>*, const int*, const std::complex<double>*, std::complex<double>*, const int*) NEWLAPACK(zgemm);
void cblas_dgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, double, const double*, int, const double*, int, double, double*,
                 int) NEWLAPACK(cblas_dgemm);
void cblas_zgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, const void*, const void*, int, const void*, int, const void*, void*,
                 int) NEWLAPACK(cblas_zgemm);
}
