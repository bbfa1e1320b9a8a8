// SPDX-License-Identifier: MIT
// The routines of the BLAS ABI by name: what AB_DISABLE and routing tables may name, what a host BLAS is asked for, and which
// arguments each has.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ab {

/// Routines with one list of arguments.
enum class Family : std::uint8_t {
  Gemm,
  GemmBatch,
  GemmBatchStrided,
  Gemmt,
  RankK,
  RankTwo,
  Symmetric,
  TriangularProduct,
  TriangularSolve
};

struct Routine {
  std::string_view name;  // of a literal, so a NUL follows
  Family family;
  bool complex;
  bool hermitian = false;
};

inline constexpr Routine routines[] = {
    {"dgemm", Family::Gemm, false},
    {"zgemm", Family::Gemm, true},
    {"dsyrk", Family::RankK, false},
    {"zsyrk", Family::RankK, true},
    {"zherk", Family::RankK, true, true},
    {"dsyr2k", Family::RankTwo, false},
    {"zsyr2k", Family::RankTwo, true},
    {"zher2k", Family::RankTwo, true, true},
    {"dsymm", Family::Symmetric, false},
    {"zsymm", Family::Symmetric, true},
    {"zhemm", Family::Symmetric, true, true},
    {"dtrsm", Family::TriangularSolve, false},
    {"ztrsm", Family::TriangularSolve, true},
    {"dtrmm", Family::TriangularProduct, false},
    {"ztrmm", Family::TriangularProduct, true},
    {"dgemmt", Family::Gemmt, false},
    {"zgemmt", Family::Gemmt, true},
    {"zgemm3m", Family::Gemm, true},
    {"dgemm_batch", Family::GemmBatch, false},
    {"zgemm_batch", Family::GemmBatch, true},
    {"dgemm_batch_strided", Family::GemmBatchStrided, false},
    {"zgemm_batch_strided", Family::GemmBatchStrided, true},
};
inline constexpr std::size_t routine_count = std::size(routines);

/// The routine of that name (lower case, without underscore), or null.
constexpr const Routine* find_routine(std::string_view name) {
  const auto* found = std::find_if(std::begin(routines), std::end(routines), [&](const Routine& routine) { return routine.name == name; });
  return found == std::end(routines) ? nullptr : found;
}

/// Its place in the table.
constexpr std::size_t index_of(const Routine& routine) {
  return static_cast<std::size_t>(&routine - routines);
}

/// GEMM of the same type: what serves where a library lacks GEMMT, GEMM3M or batches, and measurements of them.
constexpr const Routine& gemm_like(const Routine& routine) {
  return routines[routine.complex ? 1 : 0];
}
/// Can GEMM calls do what the routine does?
constexpr bool is_made_of_gemm(const Routine& routine) {
  return routine.family == Family::Gemm || routine.family == Family::GemmBatch || routine.family == Family::GemmBatchStrided ||
         routine.family == Family::Gemmt;
}

/// The two letters that tell the variants of a routine apart, in routing tables.
enum class Variants { Transposes, SideAndTriangle, TriangleAndTranspose };
constexpr Variants variants_of(const Routine& routine) {
  switch (routine.family) {
    case Family::RankK:
    case Family::RankTwo:
      return Variants::TriangleAndTranspose;
    case Family::Symmetric:
    case Family::TriangularProduct:
    case Family::TriangularSolve:
      return Variants::SideAndTriangle;
    default:
      return Variants::Transposes;
  }
}

}  // namespace ab
