// SPDX-License-Identifier: MIT
#define ACCELERATE_NEW_LAPACK
#include "host_blas/accelerate.hpp"

#include <Accelerate/Accelerate.h>

namespace ab::host_blas {

// The headers give these names the ending $NEWLAPACK. Their types differ from ours in qualifiers, and in the length arguments of Fortran
// compilers, which Accelerate does not read.
Library accelerate() {
  Library found;
  found.file = "Accelerate";
  found.version = "Accelerate";
  found.dgemm = reinterpret_cast<FortranGemm<double>*>(&dgemm_);
  found.zgemm = reinterpret_cast<FortranGemm<Complex>*>(&zgemm_);
  found.cblas_dgemm = reinterpret_cast<CblasDgemm*>(&::cblas_dgemm);
  found.cblas_zgemm = reinterpret_cast<CblasZgemm*>(&::cblas_zgemm);
  return found;
}

}  // namespace ab::host_blas
