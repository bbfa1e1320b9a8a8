// SPDX-License-Identifier: MIT
#include "capi/product.hpp"

#include <algorithm>
#include <array>

#include "capi/facts.hpp"
#include "capi/guarded.hpp"
#include "capi/stopwatch.hpp"
#include "core/arguments.hpp"
#include "core/settings.hpp"
#include "core/thread_state.hpp"
#include "device/registry.hpp"
#include "ops/elementwise.hpp"
#include "ops/rank_k.hpp"
#include "report/statistics.hpp"

namespace ab::capi {
namespace {

std::vector<Argument> joined(const std::vector<Argument>& left, const std::vector<Argument>& right) {
  std::vector<Argument> all = left;
  all.insert(all.end(), right.begin(), right.end());
  return all;
}

std::string text_of(const Factor& factor) {
  const std::string name = factor.parts[0].name;
  return (factor.op == Op::None ? name : "op(" + name + ")") + " is " + shape_text(factor.rows(), factor.cols());
}

void require_fit(const Request& request) {
  for (const Factor* factor : {&request.a, &request.b, &request.c}) require_equal_shapes(factor->parts);
  const Factor &a = request.a, &b = request.b, &c = request.c;
  if (a.cols() != b.rows()) fail(Status::DimensionMismatch, text_of(a) + ", " + text_of(b) + ": inner dimensions differ");
  if (c.rows() == a.rows() && c.cols() == b.cols()) return;
  const std::string factors = request.routine == Routine::Gemm ? text_of(a) + ", " + text_of(b) : text_of(a);
  fail(Status::DimensionMismatch, factors + ", " + text_of(c) + ": C must be " + shape_text(a.rows(), b.cols()));
}

std::array<device::Slice, 2> slices(const Factor& factor) {
  std::array<device::Slice, 2> parts;
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
ops::VectorView view(const Factor& factor, Vectors vectors) {
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

ops::Product product_of(const Request& request) {
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
          .beta = {request.beta, 0.0},
          .triangle = request.routine == Routine::Syrk ? Triangle::Upper : Triangle::Full};
}

Outcome compute(ops::Context& context, const Request& request) {
  ops::Choices choices;
  choices.precision = request.precision;
  choices.may_exceed_cap = true;
  const ops::Product product = product_of(request);
  if (request.routine == Routine::Herk) return ops::multiply_hermitian(context, product, choices);
  const ABMatrix_s& c = *request.c.parts[0].matrix;
  if (request.routine == Routine::Syrk && !c.has_contents) ops::fill_zero(context, c.slice(), c.count());
  return ops::multiply(context, product, choices);
}

ProductReport multiply(const Request& request) {
  const std::vector<ABMatrix_s*> results = results_of(request);
  const Writing writing(results);
  ops::Context& context = *results[0]->context;
  Outcome outcome = compute(context, request);
  if (outcome.declined) fail_declined("product", outcome.declined->reason);
  ops::queue_of(context).finish();  // what fails on the device fails here, and not in a later call
  for (ABMatrix_s* result : results) result->has_contents = true;
  outcome.report.route_reason = Reason::Resident;
  return outcome.report;
}

report::Call call_of(const Request& request, const ProductReport& product) {
  report::Call call;
  call.complex = request.is_complex();
  call.api = request.api;
  if (request.routine == Routine::Gemm) {
    call.routine = call.complex ? "zgemm" : "dgemm";
    call.letters = {.ta = letter_of(request.a.op), .tb = letter_of(request.b.op)};
    call.ldb = request.b.parts[0].matrix->cols;
  } else {
    call.routine = call.complex ? "zherk" : "dsyrk";
    call.letters = {.uplo = 'U', .trans = 'N'};
  }
  call.m = request.c.rows();
  call.n = request.c.cols();
  call.k = request.a.cols();
  call.lda = request.a.parts[0].matrix->cols;
  call.ldc = request.c.cols();
  call.alpha = request.alpha;
  call.beta = request.beta;
  call.product = product;
  return call;
}

}  // namespace

Precision Request::thread_class() {
  return thread_precision();
}

Request real_product(ABMatrix A, ABMatrix B, ABMatrix C) {
  return {.a = {{{"A", A}}}, .b = {{{"B", B}}}, .c = {{{"C", C}}}};
}

Request complex_product(ABMatrix Ar, ABMatrix Ai, ABMatrix Br, ABMatrix Bi, ABMatrix Cr, ABMatrix Ci) {
  return {.a = {{{"Ar", Ar}, {"Ai", Ai}}}, .b = {{{"Br", Br}, {"Bi", Bi}}}, .c = {{{"Cr", Cr}, {"Ci", Ci}}}};
}

std::vector<Argument> handles_of(const Request& request) {
  return joined(joined(request.a.parts, request.b.parts), request.c.parts);
}

std::vector<ABMatrix_s*> results_of(const Request& request) {
  std::vector<ABMatrix_s*> results;
  for (const Argument& part : request.c.parts) results.push_back(part.matrix);
  return results;
}

std::vector<Hold> holds_on(const Request& request) {
  std::vector<Hold> holds;
  for (const Argument& argument : handles_of(request)) holds.emplace_back(*argument.matrix);
  return holds;
}

int device_of(const Request& request) {
  return ops::index_of(*request.c.parts[0].matrix->context);
}

void require_handles(const Request& request) {
  require_handles(handles_of(request));
}

bool has_contents(const ABMatrix_s& matrix) {
  return matrix.has_contents;
}

bool is_defined_or_promised(const ABMatrix_s& matrix) {
  return matrix.promises > 0 || matrix.has_contents;
}

void require_alive_batch(const ops::Context& batch) {
  if (!ops::alive(batch)) fail(Status::NoDevice, "the batch is from before ab_shutdown, or on a device that cannot be used");
}

void check(const Request& request, const Surroundings& around) {
  const std::vector<Argument> all = handles_of(request), factors = joined(request.a.parts, request.b.parts);
  require_handles(all);
  require_fit(request);
  if (around.batch) require_alive_batch(*around.batch);
  require_usable(all);
  require_distinct(factors, request.c.parts);
  require_one_device(all);
  if (around.batch && ops::index_of(*around.batch) != device_of(request)) {
    fail(Status::InvalidArgument, "the operands are on device " + std::to_string(device_of(request)) + ", the batch on device " +
                                      std::to_string(ops::index_of(*around.batch)) + ": they must share one device");
  }
  if (request.reads_factors()) require_contents(factors, around.is_defined);
  if (request.reads_c()) require_contents(request.c.parts, around.is_defined);
}

ProductReport execute(const Request& request) {
  check(request);
  Recorded recorded;
  const Stopwatch stopwatch;
  const ProductReport product = multiply(request);
  if (product.scheme != Scheme::Trivial && product.engine == Engine::Device) {
    report::count_product(request.is_complex() ? report::ProductKind::Complex : report::ProductKind::Real, stopwatch.elapsed_ms());
  }
  if (recorded.wanted()) recorded.end(call_of(request, product));
  return product;
}

void run(const Request& request) {
  thread_state().last_product = execute(request);
}

void fail_declined(const char* what, Reason reason) {
  const auto status = [&] {
    switch (reason) {
      case Reason::MemoryCap:
      case Reason::AllocationFailed:
        return Status::AllocFailed;
      case Reason::NoDevice:
      case Reason::DeviceLost:
      case Reason::ForkedChild:
        return Status::NoDevice;
      case Reason::KernelMissing:
        return Status::ShaderCompile;
      default:
        return Status::KernelFailed;
    }
  };
  fail(status(), std::string("the device could not compute the ") + what + ": " + word_of(reason));
}

Recorded::Recorded() {
  if (!report::recording(settings())) return;
  tell_reports_the_device();
  recording_.emplace();
}

void Recorded::end(const report::Call& call) {
  report::Call described = call;
  if (call.product.device >= 0) described.device = device::traits_of(call.product.device).id;
  recording_->end(described);
}

}  // namespace ab::capi
