// SPDX-License-Identifier: MIT
// The types of CBLAS arguments: enums, which are plain integers here (none for a number that is no such letter), scalars, matrices.
#pragma once
#include <type_traits>

#include "core/arguments.hpp"
#include "core/host_arithmetic.hpp"

namespace ab::blas {

constexpr bool is_order(int number) {
  return number == 101 || number == 102;
}
inline constexpr const char* order_numbers = "101 or 102";
constexpr std::optional<Op> op_of_number(int number) {
  if (number == 111) return Op::None;
  if (number == 112) return Op::Transpose;
  return number == 113 ? std::optional(Op::ConjugateTranspose) : std::nullopt;
}
constexpr std::optional<Triangle> triangle_of_number(int number) {
  return number == 121 ? std::optional(Triangle::Upper) : number == 122 ? std::optional(Triangle::Lower) : std::nullopt;
}
constexpr std::optional<Diagonal> diagonal_of_number(int number) {
  return number == 131 ? std::optional(Diagonal::Stored) : number == 132 ? std::optional(Diagonal::Unit) : std::nullopt;
}
constexpr std::optional<Side> side_of_number(int number) {
  return number == 141 ? std::optional(Side::Left) : number == 142 ? std::optional(Side::Right) : std::nullopt;
}

/// Scalars and matrices of real routines have their types, those of complex routines are addresses of anything.
template <class T>
using Passed = std::conditional_t<std::same_as<T, double>, double, const void*>;
template <class T>
using Matrix = std::conditional_t<std::same_as<T, double>, double, void>;

template <Scalar T>
T scalar(double value) {
  return value;
}
template <Scalar T>
T scalar(const void* address) {
  return load(static_cast<const T*>(address));
}

}  // namespace ab::blas
