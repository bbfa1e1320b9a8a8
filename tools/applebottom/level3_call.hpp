// SPDX-License-Identifier: MIT
// A call of any routine of the BLAS ABI with random data, column-major: what `replay` makes again and `calibrate` measures.
#pragma once
#include <array>
#include <vector>

#include "blas/gemm.hpp"
#include "blas/problems.hpp"
#include "generator.hpp"

namespace ab::cli {

struct StoredMatrix {
  Index rows = 0, columns = 0, ld = 0;
  std::size_t elements() const { return rows == 0 || columns == 0 ? 0 : static_cast<std::size_t>((columns - 1) * ld + rows); }
};
struct StoredMatrices {
  StoredMatrix a, b, c;  // without rows: the routine has none; c: what it writes, of TRMM and TRSM the matrix B
};
/// Of arguments in which no fault was found.
StoredMatrices matrices_of(const Routine& routine, const Arguments& arguments);

struct Level3Call {
  const Routine* routine;
  Arguments arguments;
  Complex alpha, beta;
  Index products;  // of a batch, whose matrices lie one behind the other
  StoredMatrices matrices;
  std::vector<double> a, b, c;  // complex entries are two doubles

  int parts() const { return routine->complex ? 2 : 1; }
};
/// Triangular factors of equations are such that solutions neither grow nor vanish. A C that is not read is full of NaN.
Level3Call make_level3_call(const Routine& routine, const Arguments& arguments, std::array<Complex, 2> alpha_and_beta, Index products,
                            Generator& generator);

/// Makes the call as the BLAS ABI does it, once arguments are checked; `c`, where C is, is written.
void run_level3(const Level3Call& call, std::vector<double>& c);
/// The same in a library.
void run_level3(const host_blas::Library& library, const Level3Call& call, std::vector<double>& c);

}  // namespace ab::cli
