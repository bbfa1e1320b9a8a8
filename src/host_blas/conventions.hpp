// SPDX-License-Identifier: MIT
// How arguments go to a function of another BLAS: Fortran takes addresses and string lengths, CBLAS numbers and complex scalars by
// address. A call is written once, with our own types.
#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

#include "core/arguments.hpp"
#include "host_blas/find.hpp"

namespace ab::host_blas {

template <class T>
concept Letter = std::is_enum_v<T>;

/// `A` as Fortran takes it, with integers of type Int.
template <class Int, class A>
struct FortranArgument {  // pointers to arrays
  A value;
  A get() const { return value; }
};
template <class Int, Letter A>
struct FortranArgument<Int, A> {
  char value;
  explicit FortranArgument(A letter) : value(letter_of(letter)) {}
  const char* get() const { return &value; }
};
template <class Int>
struct FortranArgument<Int, Index> {
  Int value;
  explicit FortranArgument(Index size) : value(static_cast<Int>(size)) {}
  const Int* get() const { return &value; }
};
template <class Int, Scalar A>
struct FortranArgument<Int, A> {
  A value;
  const A* get() const { return &value; }
};

template <class Int, class... A>
void call_fortran(Function* function, A... arguments) {
  constexpr std::size_t letters = (std::size_t{Letter<A>} + ...);
  const auto call = [function]<std::size_t... I>(std::index_sequence<I...>, const FortranArgument<Int, A>&... passed) {
    using Typed = void(decltype(passed.get())..., decltype(I)...);
    reinterpret_cast<Typed*>(function)(passed.get()..., (static_cast<void>(I), std::size_t{1})...);
  };
  call(std::make_index_sequence<letters>(), FortranArgument<Int, A>{arguments}...);
}

constexpr int cblas_number(Op op) {
  return op == Op::None ? 111 : op == Op::Transpose ? 112 : 113;
}
constexpr int cblas_number(Triangle triangle) {
  return triangle == Triangle::Upper ? 121 : 122;
}
constexpr int cblas_number(Diagonal diagonal) {
  return diagonal == Diagonal::Unit ? 132 : 131;
}
constexpr int cblas_number(Side side) {
  return side == Side::Left ? 141 : 142;
}

/// `A` as CBLAS takes it.
template <class Int, class A>
auto cblas_argument(const A& argument) {
  if constexpr (Letter<A>) {
    return cblas_number(argument);
  } else if constexpr (std::same_as<A, Index>) {
    return static_cast<Int>(argument);
  } else if constexpr (std::same_as<A, Complex>) {
    return static_cast<const void*>(&argument);
  } else {
    return argument;
  }
}

/// The column-major call.
template <class Int, class... A>
void call_cblas(Function* function, const A&... arguments) {
  constexpr int column_major = 102;
  using Typed = void(int, decltype(cblas_argument<Int>(arguments))...);
  reinterpret_cast<Typed*>(function)(column_major, cblas_argument<Int>(arguments)...);
}

}  // namespace ab::host_blas
