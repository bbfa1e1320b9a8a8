// SPDX-License-Identifier: MIT
// Calls as a front door would record them.
#pragma once
#include "report/call.hpp"

namespace ab::report::test {

inline Call host_call(const char* routine, Reason reason) {
  Call call;
  call.routine = routine;
  call.m = 3;
  call.n = 4;
  call.k = 5;
  call.lda = 3;
  call.ldb = 5;
  call.ldc = 6;
  call.alpha = 1;
  call.product = {.scheme = Scheme::Vendor, .engine = Engine::Host, .route_reason = reason};
  return call;
}

inline Call device_call(const char* routine, Reason reason) {
  Call call = host_call(routine, reason);
  call.product.scheme = Scheme::CrtInt8;
  call.product.engine = Engine::Device;
  call.product.device = 1;
  call.product.moduli = 14;
  call.product.guard = 2;
  call.product.bound = 180.5;
  call.device = "cuda:0";
  return call;
}

}  // namespace ab::report::test
