// SPDX-License-Identifier: MIT
// One call of a front door as ledger and trace record it: what was asked for, and what really ran.
#pragma once
#include <string>

#include "core/product.hpp"

namespace ab::report {

enum class Api { Fortran, Cblas, C, Handle, Async, Batch, DeviceBuffer };

/// The letters of a call as its caller passed them, in the order of the argument list; NUL: the routine has none.
struct Letters {
  char side = 0, uplo = 0, trans = 0, ta = 0, tb = 0, diag = 0;
};

struct Call {
  const char* routine = "";  // "dgemm"; static storage
  Api api = Api::Fortran;
  bool complex = false;
  Letters letters;  // these, sizes and leading dimensions as the caller passed them
  Index m = 0, n = 0, k = 0;
  Index lda = 0, ldb = 0, ldc = 0;  // 0: the routine has none
  Index products = 1;               // of a group of a batch
  Complex alpha, beta;
  ProductReport product;
  std::string device;         // "cuda:0"; "" for the host
  Index bytes_in = 0;         // copied to the device
  Index bytes_out = 0;        // copied from it
  const char* in_place = "";  // operands read in place, e.g. "ab"
};

/// Which kind of computation made a result.
enum class Method { Trivial, Vendor, Class, Ieee };

constexpr Method method_of(Scheme scheme) {
  switch (scheme) {
    case Scheme::Vendor:
      return Method::Vendor;
    case Scheme::Ieee:
      return Method::Ieee;
    case Scheme::None:
    case Scheme::Trivial:
      return Method::Trivial;
    default:
      return Method::Class;
  }
}

using ab::word_of;
constexpr const char* word_of(Method method) {
  constexpr const char* words[] = {"trivial", "vendor", "class", "ieee"};
  return words[static_cast<std::size_t>(method)];
}

constexpr const char* word_of(Api api) {
  constexpr const char* words[] = {"fortran", "cblas", "c", "handle", "async", "batch", "device_buffer"};
  return words[static_cast<std::size_t>(api)];
}

/// The reason that a report counts the call under: why it fell back, else why it was routed there.
constexpr Reason reason_of(const ProductReport& product) {
  return product.fallback_reason != Reason::None ? product.fallback_reason : product.route_reason;
}

}  // namespace ab::report
