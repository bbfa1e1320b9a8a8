// SPDX-License-Identifier: MIT
// Products of handles: checks, views, ops::multiply, records.
#include "ops/gemm.hpp"

#include <array>
#include <vector>

#include "capi/arguments.hpp"
#include "capi/facts.hpp"
#include "capi/guarded.hpp"
#include "capi/stopwatch.hpp"
#include "core/arguments.hpp"
#include "core/settings.hpp"
#include "core/thread_state.hpp"
#include "device/registry.hpp"
#include "report/recording.hpp"
#include "report/statistics.hpp"

using ab::Index;
using ab::Op;
using ab::Status;
using ab::capi::Argument;
using ab::capi::Arguments;
using ab::capi::fail;
using ab::capi::guarded_operation;

namespace {

struct Factor {  // one factor or the result: the real part, and for complex products the imaginary one
  std::vector<Argument> parts;
  Op op = Op::None;

  Index rows() const { return op == Op::None ? parts[0].matrix->rows : parts[0].matrix->cols; }  // of op(X)
  Index cols() const { return op == Op::None ? parts[0].matrix->cols : parts[0].matrix->rows; }
};

struct Request {  // C = alpha op(A) op(B) + beta C
  Factor a, b, c;
  double alpha = 1.0;
  double beta = 0.0;

  bool is_complex() const { return c.parts.size() == 2; }
  bool reads_factors() const { return alpha != 0.0; }
  bool reads_c() const { return beta != 0.0; }
};

std::vector<Argument> joined(const std::vector<Argument>& left, const std::vector<Argument>& right) {
  std::vector<Argument> all = left;
  all.insert(all.end(), right.begin(), right.end());
  return all;
}

std::string shape_text(const Factor& factor) {
  const std::string name = factor.parts[0].name;
  return (factor.op == Op::None ? name : "op(" + name + ")") + " is " + ab::capi::shape_text(factor.rows(), factor.cols());
}

void require_fit(const Request& request) {
  for (const Factor* factor : {&request.a, &request.b, &request.c}) ab::capi::require_equal_shapes(factor->parts);
  const Factor &a = request.a, &b = request.b, &c = request.c;
  if (a.cols() != b.rows()) fail(Status::DimensionMismatch, shape_text(a) + ", " + shape_text(b) + ": inner dimensions differ");
  if (c.rows() != a.rows() || c.cols() != b.cols()) {
    fail(Status::DimensionMismatch,
         shape_text(a) + ", " + shape_text(b) + ", " + shape_text(c) + ": C must be " + ab::capi::shape_text(a.rows(), b.cols()));
  }
}

void check(const Request& request) {
  const std::vector<Argument> factors = joined(request.a.parts, request.b.parts);
  const std::vector<Argument> all = joined(factors, request.c.parts);
  ab::capi::require_handles(all);
  require_fit(request);
  ab::capi::require_usable(all);
  ab::capi::require_distinct(factors, request.c.parts);
  ab::capi::require_one_device(all);
  if (request.reads_factors()) ab::capi::require_contents(factors);
  if (request.reads_c()) ab::capi::require_contents(request.c.parts);
}

std::array<ab::device::Slice, 2> slices(const Factor& factor) {
  std::array<ab::device::Slice, 2> parts;
  for (std::size_t p = 0; p < factor.parts.size(); ++p) parts[p] = factor.parts[p].matrix->slice();
  return parts;
}

std::array<std::uint64_t, 2> contents(const Factor& factor) {
  std::array<std::uint64_t, 2> parts{};
  for (std::size_t p = 0; p < factor.parts.size(); ++p) parts[p] = factor.parts[p].matrix->contents;
  return parts;
}

/// The rows of op(A), or the columns of op(B), of a row-major matrix.
enum class Vectors { RowsOfOp, ColumnsOfOp };
ab::ops::VectorView view(const Factor& factor, Vectors vectors) {
  const Index stored_cols = factor.parts[0].matrix->cols;
  const bool contiguous = (vectors == Vectors::RowsOfOp) == (factor.op == Op::None);  // a vector is a stored row
  return {.parts = slices(factor),
          .part_count = static_cast<int>(factor.parts.size()),
          .vectors = vectors == Vectors::RowsOfOp ? factor.rows() : factor.cols(),
          .inner = vectors == Vectors::RowsOfOp ? factor.cols() : factor.rows(),
          .vector_stride = contiguous ? stored_cols : 1,
          .inner_stride = contiguous ? 1 : stored_cols,
          .conjugate = factor.op == Op::ConjugateTranspose,
          .contents = contents(factor)};
}

ab::ops::Product product_of(const Request& request) {
  const Factor& c = request.c;
  return {.left = view(request.a, Vectors::RowsOfOp),
          .right = view(request.b, Vectors::ColumnsOfOp),
          .c = {.parts = slices(c),
                .part_count = static_cast<int>(c.parts.size()),
                .rows = c.rows(),
                .columns = c.cols(),
                .row_stride = c.cols(),
                .column_stride = 1},
          .alpha = {request.alpha, 0.0},
          .beta = {request.beta, 0.0}};
}

Status status_of(ab::Reason reason) {
  switch (reason) {
    case ab::Reason::MemoryCap:
    case ab::Reason::AllocationFailed:
      return Status::AllocFailed;
    case ab::Reason::NoDevice:
    case ab::Reason::DeviceLost:
    case ab::Reason::ForkedChild:
      return Status::NoDevice;
    case ab::Reason::KernelMissing:
      return Status::ShaderCompile;
    default:
      return Status::KernelFailed;
  }
}

/// The product, computed. C has its contents then.
ab::ProductReport multiply(const Request& request) {
  ab::ops::Choices choices;
  choices.precision = ab::thread_precision();
  choices.may_exceed_cap = true;
  std::vector<ABMatrix> results;
  for (const Argument& part : request.c.parts) results.push_back(part.matrix);
  const ab::capi::Writing writing(results);
  ab::ops::Context& context = *request.c.parts[0].matrix->context;
  ab::Outcome outcome = ab::ops::multiply(context, product_of(request), choices);
  if (outcome.declined) {
    const ab::Reason reason = outcome.declined->reason;
    fail(status_of(reason), std::string("the device could not compute the product: ") + ab::word_of(reason));
  }
  ab::ops::queue_of(context).finish();  // what fails on the device fails here, and not in a later call
  for (ABMatrix result : results) result->has_contents = true;
  outcome.report.route_reason = ab::Reason::Resident;
  return outcome.report;
}

ab::report::Call call_of(const Request& request, const ab::ProductReport& product) {
  ab::report::Call call;
  call.routine = request.is_complex() ? "zgemm" : "dgemm";
  call.api = ab::report::Api::Handle;
  call.complex = request.is_complex();
  call.letters = {ab::letter_of(request.a.op), ab::letter_of(request.b.op)};
  call.m = request.c.rows();
  call.n = request.c.cols();
  call.k = request.a.cols();
  call.lda = request.a.parts[0].matrix->cols;
  call.ldb = request.b.parts[0].matrix->cols;
  call.ldc = request.c.cols();
  call.alpha = request.alpha;
  call.beta = request.beta;
  call.product = product;
  if (product.device >= 0) call.device = ab::device::traits_of(product.device).id;
  return call;
}

void run(const Request& request) {
  check(request);
  const bool recorded = ab::report::recording(ab::settings());
  const ab::report::Span span = recorded ? ab::report::begin_call() : ab::report::Span();
  const ab::capi::Stopwatch stopwatch;
  const ab::ProductReport product = multiply(request);
  ab::thread_state().last_product = product;
  if (product.scheme != ab::Scheme::Trivial && product.engine == ab::Engine::Device) {
    ab::report::count_product(request.is_complex() ? ab::report::ProductKind::Complex : ab::report::ProductKind::Real,
                              stopwatch.elapsed_ms());
  }
  if (!recorded) return;
  ab::capi::tell_reports_the_device();
  ab::report::end_call(span, call_of(request, product));
}

Op op_of(const char* name, int number) {
  switch (number) {
    case AB_NO_TRANS:
      return Op::None;
    case AB_TRANS:
      return Op::Transpose;
    case AB_CONJ_TRANS:
      return Op::ConjugateTranspose;
    default:
      fail(Status::InvalidArgument, std::string(name) + " is " + std::to_string(number) + ", expected 0, 1 or 2");
  }
}

}  // namespace

extern "C" {

ABStatus ab_dgemm(ABMatrix A, ABMatrix B, ABMatrix C) {
  return guarded_operation("ab_dgemm", [&] { run({.a = {{{"A", A}}}, .b = {{{"B", B}}}, .c = {{{"C", C}}}}); });
}

ABStatus ab_dgemm_scaled(double alpha, ABMatrix A, ABMatrix B, double beta, ABMatrix C) {
  return guarded_operation("ab_dgemm_scaled", [&] {
    run({.a = {{{"A", A}}}, .b = {{{"B", B}}}, .c = {{{"C", C}}}, .alpha = alpha, .beta = beta});
  });
}

ABStatus ab_zgemm(ABMatrix Ar, ABMatrix Ai, ABMatrix Br, ABMatrix Bi, ABMatrix Cr, ABMatrix Ci) {
  return guarded_operation("ab_zgemm", [&] {
    run({.a = {{{"Ar", Ar}, {"Ai", Ai}}}, .b = {{{"Br", Br}, {"Bi", Bi}}}, .c = {{{"Cr", Cr}, {"Ci", Ci}}}});
  });
}

ABStatus ab_zgemm_ex(ABTranspose transA, ABTranspose transB, ABMatrix Ar, ABMatrix Ai, ABMatrix Br, ABMatrix Bi, ABMatrix Cr, ABMatrix Ci) {
  return guarded_operation("ab_zgemm_ex", [&] {
    Request request = {.a = {{{"Ar", Ar}, {"Ai", Ai}}}, .b = {{{"Br", Br}, {"Bi", Bi}}}, .c = {{{"Cr", Cr}, {"Ci", Ci}}}};
    for (const Factor* factor : {&request.a, &request.b, &request.c}) ab::capi::require_handles(factor->parts);
    request.a.op = op_of("transA", ab::capi::number_of(transA));
    request.b.op = op_of("transB", ab::capi::number_of(transB));
    run(request);
  });
}

}  // extern "C"
