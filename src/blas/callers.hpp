// SPDX-License-Identifier: MIT
// Who calls: the Front of a Fortran or CBLAS name with integers of type Int.
#pragma once
#include <string_view>

#include "blas/gemm.hpp"

namespace ab::blas {

template <class Int>
inline constexpr host_blas::Integers integers_of = sizeof(Int) == 8 ? host_blas::Integers::Bits64 : host_blas::Integers::Bits32;

template <class Int>
consteval Front fortran(std::string_view routine) {
  return {find_routine(routine), report::Api::Fortran, Order::ColumnMajor, integers_of<Int>};
}

/// A routine by its name, when this is compiled.
consteval const Routine* named(std::string_view name) {
  return find_routine(name);
}

/// `order` as passed; what is no order is refused later.
template <class Int>
constexpr Front cblas(const Routine* routine, int order) {
  return {routine, report::Api::Cblas, order == 101 ? Order::RowMajor : Order::ColumnMajor, integers_of<Int>};
}

}  // namespace ab::blas
