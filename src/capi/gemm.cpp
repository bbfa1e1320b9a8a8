// SPDX-License-Identifier: MIT
// Products of handles, synchronous: general ones, and of a matrix with its own transpose.
#include "capi/enums.hpp"
#include "capi/guarded.hpp"
#include "capi/product.hpp"

using ab::Op;
using ab::capi::guarded_operation;
using ab::capi::Request;

extern "C" {

ABStatus ab_dgemm(ABMatrix A, ABMatrix B, ABMatrix C) {
  return guarded_operation("ab_dgemm", [&] { run(ab::capi::real_product(A, B, C)); });
}

ABStatus ab_dgemm_scaled(double alpha, ABMatrix A, ABMatrix B, double beta, ABMatrix C) {
  return guarded_operation("ab_dgemm_scaled", [&] {
    Request request = ab::capi::real_product(A, B, C);
    request.alpha = alpha;
    request.beta = beta;
    run(request);
  });
}

ABStatus ab_zgemm(ABMatrix Ar, ABMatrix Ai, ABMatrix Br, ABMatrix Bi, ABMatrix Cr, ABMatrix Ci) {
  return guarded_operation("ab_zgemm", [&] { run(ab::capi::complex_product(Ar, Ai, Br, Bi, Cr, Ci)); });
}

ABStatus ab_zgemm_ex(ABTranspose transA, ABTranspose transB, ABMatrix Ar, ABMatrix Ai, ABMatrix Br, ABMatrix Bi, ABMatrix Cr, ABMatrix Ci) {
  return guarded_operation("ab_zgemm_ex", [&] {
    Request request = ab::capi::complex_product(Ar, Ai, Br, Bi, Cr, Ci);
    require_handles(request);
    request.a.op = ab::capi::op_of("transA", ab::capi::number_of(transA));
    request.b.op = ab::capi::op_of("transB", ab::capi::number_of(transB));
    run(request);
  });
}

ABStatus ab_dsyrk(ABMatrix A, ABMatrix C) {
  return guarded_operation("ab_dsyrk", [&] {
    Request request = {.a = {{{"A", A}}}, .b = {{{"A", A}}, Op::Transpose}, .c = {{{"C", C}}}};
    request.routine = ab::capi::Routine::Syrk;
    run(request);
  });
}

ABStatus ab_zherk(ABMatrix Ar, ABMatrix Ai, ABMatrix Cr, ABMatrix Ci) {
  return guarded_operation("ab_zherk", [&] {
    Request request = ab::capi::complex_product(Ar, Ai, Ar, Ai, Cr, Ci);
    request.b = {request.a.parts, Op::ConjugateTranspose};
    request.routine = ab::capi::Routine::Herk;
    run(request);
  });
}

}  // extern "C"
