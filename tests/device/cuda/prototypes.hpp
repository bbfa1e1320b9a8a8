// SPDX-License-Identifier: MIT
// Our own declarations of a vendor's functions against the vendor's.
#pragma once
#include <type_traits>

namespace ab::device::cuda {

// A function of a vendor's header with int for every enumeration: what ours must be.
template <class T>
struct Plain {
  using Type = T;
};
template <class T>
requires std::is_enum_v<T>
struct Plain<T> {
  using Type = int;
};
template <class T>
requires std::is_enum_v<T>
struct Plain<T*> {
  using Type = int*;
};
template <class>
struct Entry;
template <class R, class... A>
struct Entry<R(A...)> {
  using Type = typename Plain<R>::Type (*)(typename Plain<A>::Type...);
};
template <class Theirs, class Ours>
constexpr bool agree = std::is_same_v<typename Entry<Theirs>::Type, Ours>;

}  // namespace ab::device::cuda
