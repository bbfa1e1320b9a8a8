// SPDX-License-Identifier: MIT
// Systems of equations on handles: triangular ones, and general ones by mixed-precision iterative refinement.
#include "ops/solve.hpp"

#include <array>
#include <utility>

#include "capi/enums.hpp"
#include "capi/product.hpp"
#include "capi/stopwatch.hpp"
#include "core/arguments.hpp"
#include "core/thread_state.hpp"
#include "ops/triangular.hpp"
#include "report/statistics.hpp"

using ab::Diagonal;
using ab::Index;
using ab::Op;
using ab::Side;
using ab::Status;
using ab::Triangle;
using ab::capi::Argument;
using ab::capi::fail;
using ab::capi::guarded_operation;
using ab::capi::number_of;
using ab::capi::one_of_two;
using ab::capi::shape_text;

namespace {

struct TriangularRequest {
  Side side;
  Triangle triangle;  // of A as it is stored
  Op op;
  Diagonal diagonal;
  double alpha;
  ABMatrix a, b;
};

using Operands = std::array<Argument, 2>;

Operands operands_of(ABMatrix A, ABMatrix B) {
  return {{{"A", A}, {"B", B}}};
}

void require_square_and_fit(const TriangularRequest& request) {
  const Operands both = operands_of(request.a, request.b);
  if (request.a->rows != request.a->cols) fail(Status::DimensionMismatch, shape_text(both[0]) + ": it must be square");
  const int needed = request.side == Side::Left ? request.b->rows : request.b->cols;
  if (request.a->rows == needed) return;
  fail(Status::DimensionMismatch, shape_text(both[0]) + ", " + shape_text(both[1]) + ": A must be " + shape_text(needed, needed));
}

void check(const TriangularRequest& request) {
  const Operands both = operands_of(request.a, request.b);
  require_square_and_fit(request);
  ab::capi::require_usable(both);
  ab::capi::require_one_device(both);
  if (request.alpha != 0.0) ab::capi::require_contents(both);
}

// T X = alpha B with T = op(A), or its transpose where X stands to the left of it.
ab::ops::TriangularSystem system_of(const TriangularRequest& request) {
  const Index lda = request.a->cols, ldb = request.b->cols;
  const bool transposed = (request.op != Op::None) != (request.side == Side::Right);
  const Triangle flipped = request.triangle == Triangle::Upper ? Triangle::Lower : Triangle::Upper;
  const bool left = request.side == Side::Left;
  return {.t = request.a->slice(),
          .row_stride = transposed ? 1 : lda,
          .column_stride = transposed ? lda : 1,
          .contents = request.a->contents,
          .triangle = transposed ? flipped : request.triangle,
          .diagonal = request.diagonal,
          .alpha = request.alpha,
          .x = {.parts = {request.b->slice(), request.b->slice()},
                .part_count = 1,
                .rows = left ? request.b->rows : request.b->cols,
                .columns = left ? request.b->cols : request.b->rows,
                .row_stride = left ? ldb : 1,
                .column_stride = left ? 1 : ldb}};
}

// What a trace says of a solution by substitution alone, or of none.
ab::ProductReport without_products(const ab::report::Call& call, const ab::ops::Context& context) {
  ab::ProductReport report;
  report.precision = ab::thread_precision();
  report.scheme = call.alpha == 0.0 ? ab::Scheme::Trivial : ab::Scheme::Ieee;
  report.engine = ab::Engine::Device;
  report.device = ab::ops::index_of(context);
  report.bound = call.alpha == 0.0 ? 0 : -1;
  report.route_reason = ab::Reason::Resident;
  return report;
}

// What every solver does around its computation: B's new contents, the wait, statistics, the last product, the record.
template <class Compute>
void solve(ABMatrix B, const char* what, ab::report::Call call, const Compute& compute) {
  ab::capi::Recorded recorded;
  const ab::capi::Stopwatch stopwatch;
  const ab::capi::Writing writing({B});
  ab::ops::SeriesOutcome outcome = compute(*B->context);
  if (outcome.declined) ab::capi::fail_declined(what, outcome.declined->reason);
  ab::ops::queue_of(*B->context).finish();
  B->has_contents = true;
  double elapsed_ms = stopwatch.elapsed_ms();
  for (Index i = 0; i < outcome.done.products; ++i) ab::report::count_product(ab::report::ProductKind::Real, std::exchange(elapsed_ms, 0));
  ab::ProductReport& report = outcome.done.report;
  report.route_reason = ab::Reason::Resident;
  if (report.scheme != ab::Scheme::None) ab::thread_state().last_product = report;  // else there was no product to say anything of
  if (!recorded.wanted()) return;
  call.product = report.scheme != ab::Scheme::None ? report : without_products(call, *B->context);
  recorded.end(call);
}

ab::report::Call call_of(const char* routine, ABMatrix A, ABMatrix B) {
  ab::report::Call call;
  call.routine = routine;
  call.api = ab::report::Api::Handle;
  call.m = B->rows;
  call.n = B->cols;
  call.k = A->rows;
  call.lda = A->cols;
  call.ldb = call.ldc = B->cols;
  call.alpha = 1.0;
  return call;
}

void run(const TriangularRequest& request) {
  check(request);
  ab::report::Call call = call_of("dtrsm", request.a, request.b);
  call.letters = {.side = ab::letter_of(request.side),
                  .uplo = ab::letter_of(request.triangle),
                  .trans = ab::letter_of(request.op),
                  .diag = ab::letter_of(request.diagonal)};
  call.ldc = 0;
  call.alpha = request.alpha;
  solve(request.b, "solution", call,
        [&](ab::ops::Context& context) { return ab::ops::solve_triangular(context, system_of(request), ab::thread_precision()); });
}

void check_linear(const Operands& both) {
  const ABMatrix_s &a = *both[0].matrix, &b = *both[1].matrix;
  if (a.rows != a.cols) fail(Status::InvalidArgument, shape_text(both[0]) + ": it must be square");
  if (a.rows != b.rows) {
    fail(Status::DimensionMismatch, shape_text(both[0]) + ", " + shape_text(both[1]) + ": B must have " + std::to_string(a.rows) + " rows");
  }
  ab::capi::require_usable(both);
  ab::capi::require_one_device(both);
  ab::capi::require_contents(both);
}

}  // namespace

extern "C" {

ABStatus ab_dtrsm(ABSide side, ABUplo uplo, ABTranspose transA, ABDiag diag, double alpha, ABMatrix A, ABMatrix B) {
  return guarded_operation("ab_dtrsm", [&] {
    ab::capi::require_handles(operands_of(A, B));
    run({.side = one_of_two("side", number_of(side), Side::Left, Side::Right),
         .triangle = one_of_two("uplo", number_of(uplo), Triangle::Upper, Triangle::Lower),
         .op = ab::capi::op_of("transA", number_of(transA)),
         .diagonal = one_of_two("diag", number_of(diag), Diagonal::Stored, Diagonal::Unit),
         .alpha = alpha,
         .a = A,
         .b = B});
  });
}

ABStatus ab_dgesv_mpir(ABMatrix A, ABMatrix B) {
  return guarded_operation("ab_dgesv_mpir", [&] {
    const Operands both = operands_of(A, B);
    ab::capi::require_handles(both);
    check_linear(both);
    const ab::ops::LinearSystem system = {A->slice(), B->slice(), A->rows, B->cols, ab::capi::new_contents()};
    solve(B, "solution", call_of("dgesv_mpir", A, B),
          [&](ab::ops::Context& context) { return ab::ops::solve_linear(context, system, ab::thread_precision()); });
  });
}

}  // extern "C"
