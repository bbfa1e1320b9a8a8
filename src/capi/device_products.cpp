// SPDX-License-Identifier: MIT
// Products and complex vectors on device buffers: column-major, offsets in elements.
#include <array>
#include <cstdlib>

#include "capi/device_buffer.hpp"
#include "capi/enums.hpp"
#include "capi/product.hpp"
#include "capi/stopwatch.hpp"
#include "core/arguments.hpp"
#include "core/thread_state.hpp"
#include "ops/complex_vectors.hpp"
#include "ops/gemm.hpp"
#include "report/statistics.hpp"

using ab::Complex;
using ab::Index;
using ab::Op;
using ab::Status;
using ab::capi::BufferArgument;
using ab::capi::fail;
using ab::capi::guarded_operation;
using ab::capi::number_of;
using ab::capi::require_buffer;
using ab::capi::Writing;

namespace {

struct Place {  // of an operand
  BufferArgument buffer;
  std::size_t offset;  // elements
  Index ld;
};

struct Request {
  int words;  // of an element: 1 or 2
  std::array<int, 2> ops;
  Index m, n, k;
  const double *alpha, *beta;  // words of them
  Place a, b, c;
};

Complex scalar_of(const Request& request, const double* words) {
  return {words[0], request.words == 2 ? words[1] : 0.0};
}

// Checks in the order of the specification, up to the quick returns.
ab::Arguments checked_arguments(const Request& request) {
  for (const Place* place : {&request.a, &request.b, &request.c}) require_buffer(place->buffer);
  ab::capi::require_pointer("alpha", request.alpha);
  ab::capi::require_pointer("beta", request.beta);
  const ab::Arguments arguments = {.op_a = ab::capi::op_of("transA", request.ops[0]),
                                   .op_b = ab::capi::op_of("transB", request.ops[1]),
                                   .m = request.m,
                                   .n = request.n,
                                   .k = request.k,
                                   .lda = request.a.ld,
                                   .ldb = request.b.ld,
                                   .ldc = request.c.ld};
  if (const auto fault = ab::find_gemm_fault(arguments)) {
    fail(Status::InvalidArgument,
         std::string(fault->name) + " is " + std::to_string(fault->value) + ", expected at least " + std::to_string(fault->least));
  }
  return arguments;
}

// A stored matrix of rows x columns lies inside its buffer.
void require_span(const Request& request, const Place& place, Index rows, Index columns) {
  const std::size_t total = place.buffer.buffer->bytes / (sizeof(double) * static_cast<std::size_t>(request.words));
  const auto reach = static_cast<std::size_t>((columns - 1) * place.ld + rows);
  if (place.offset <= total && reach <= total - place.offset) return;
  fail(Status::InvalidArgument, std::string(place.buffer.name) + " has " + std::to_string(total) +
                                    (request.words == 2 ? " complex elements: " : " elements: ") + std::to_string(reach) + " from " +
                                    std::to_string(place.offset) + " on are not inside");
}

ab::device::Slice slice_of(const Request& request, const Place& place) {
  ab::device::Slice slice = place.buffer.buffer->storage->slice();
  slice.offset = place.offset * sizeof(double) * static_cast<std::size_t>(request.words);
  return slice;
}

ab::ops::Product product_of(const Request& request, const ab::Arguments& arguments) {
  const int words = request.words;
  ab::ops::Product product;
  product.left = ab::ops::left_operand(slice_of(request, request.a), words, *arguments.op_a, request.m, request.k, request.a.ld);
  product.right = ab::ops::right_operand(slice_of(request, request.b), words, *arguments.op_b, request.k, request.n, request.b.ld);
  const std::uint64_t a = request.a.buffer.buffer->storage->contents, b = request.b.buffer.buffer->storage->contents;
  product.left.contents = {a, words == 2 ? a : 0};
  product.right.contents = {b, words == 2 ? b : 0};
  product.c = ab::ops::result(slice_of(request, request.c), words, request.m, request.n, request.c.ld);
  product.alpha = scalar_of(request, request.alpha);
  product.beta = scalar_of(request, request.beta);
  return product;
}

ab::ProductReport multiply(const Request& request, const ab::ops::Product& product) {
  ab::ops::Choices choices;
  choices.precision = ab::thread_precision();
  choices.may_exceed_cap = true;
  ABMatrix_s& storage = *request.c.buffer.buffer->storage;
  const Writing writing({&storage});
  ab::Outcome outcome = ab::ops::multiply(*storage.context, product, choices);
  if (outcome.declined) ab::capi::fail_declined("product", outcome.declined->reason);
  ab::ops::queue_of(*storage.context).finish();
  outcome.report.route_reason = ab::Reason::Resident;
  return outcome.report;
}

ab::report::Call call_of(const Request& request, const ab::Arguments& arguments, const ab::ProductReport& product) {
  ab::report::Call call;
  call.routine = request.words == 2 ? "zgemm" : "dgemm";
  call.api = ab::report::Api::DeviceBuffer;
  call.complex = request.words == 2;
  call.letters = {.ta = ab::letter_of(*arguments.op_a), .tb = ab::letter_of(*arguments.op_b)};
  call.m = request.m, call.n = request.n, call.k = request.k;
  call.lda = request.a.ld, call.ldb = request.b.ld, call.ldc = request.c.ld;
  call.alpha = scalar_of(request, request.alpha);
  call.beta = scalar_of(request, request.beta);
  call.product = product;
  return call;
}

void run(const Request& request) {
  const ab::Arguments arguments = checked_arguments(request);
  const Complex alpha = scalar_of(request, request.alpha), beta = scalar_of(request, request.beta);
  const bool reads_factors = alpha != 0.0 && request.k > 0;
  if (request.m == 0 || request.n == 0 || (!reads_factors && beta == 1.0)) return;
  for (const Place* place : {&request.a, &request.b, &request.c}) require_usable_buffer(place->buffer);
  if (reads_factors) {
    const bool a_plain = arguments.op_a == Op::None, b_plain = arguments.op_b == Op::None;
    require_span(request, request.a, a_plain ? request.m : request.k, a_plain ? request.k : request.m);
    require_span(request, request.b, b_plain ? request.k : request.n, b_plain ? request.n : request.k);
  }
  require_span(request, request.c, request.m, request.n);
  require_one_device(request.a.buffer, request.b.buffer);
  require_one_device(request.a.buffer, request.c.buffer);
  ab::capi::Recorded recorded;
  const ab::capi::Stopwatch stopwatch;
  const ab::ProductReport product = multiply(request, product_of(request, arguments));
  ab::thread_state().last_product = product;
  if (product.scheme != ab::Scheme::Trivial) {
    ab::report::count_product(request.words == 2 ? ab::report::ProductKind::Complex : ab::report::ProductKind::Real,
                              stopwatch.elapsed_ms());
  }
  if (recorded.wanted()) recorded.end(call_of(request, arguments, product));
}

ABStatus run(const char* function, const Request& request) {
  return guarded_operation(function, [&] { run(request); });
}

// ---- complex vectors

struct Vector {
  BufferArgument buffer;
  std::size_t offset;  // complex elements
  Index increment = 1;
};

// All n elements lie inside the buffer.
void require_span(const Vector& x, std::size_t n) {
  const std::size_t total = x.buffer.buffer->bytes / sizeof(Complex), step = static_cast<std::size_t>(std::abs(x.increment));
  const bool inside = x.offset < total && n <= static_cast<std::size_t>(INT64_MAX) && (step == 0 || n - 1 <= (total - x.offset - 1) / step);
  if (inside) return;
  fail(Status::InvalidArgument, std::string(x.buffer.name) + " has " + std::to_string(total) + " complex elements: " + std::to_string(n) +
                                    " with increment " + std::to_string(x.increment) + " from " + std::to_string(x.offset) +
                                    " on are not inside");
}

ab::ops::ComplexVector vector_of(const Vector& x, std::size_t n) {
  const Index first = static_cast<Index>(x.offset) + (x.increment < 0 ? (1 - static_cast<Index>(n)) * x.increment : 0);
  return {{x.buffer.buffer->storage->memory.get(), static_cast<std::size_t>(first) * sizeof(Complex)}, x.increment};
}

/// `work(context, vector)` on x, which is written.
template <class Work>
void change(const Vector& x, std::size_t n, const Work& work) {
  if (n == 0) return;
  require_span(x, n);
  require_usable_buffer(x.buffer);
  ABMatrix_s& storage = *x.buffer.buffer->storage;
  const Writing writing({&storage});
  work(*storage.context, vector_of(x, n));
  ab::ops::queue_of(*storage.context).finish();
}

}  // namespace

extern "C" {

ABStatus ab_dev_dgemm(ABTranspose transA, ABTranspose transB, int m, int n, int k, double alpha, ab_dev_buffer_t A, int lda,
                      ab_dev_buffer_t B, int ldb, double beta, ab_dev_buffer_t C, int ldc) {
  return run(
      "ab_dev_dgemm",
      {1, {number_of(transA), number_of(transB)}, m, n, k, &alpha, &beta, {{"A", A}, 0, lda}, {{"B", B}, 0, ldb}, {{"C", C}, 0, ldc}});
}

ABStatus ab_dev_dgemm_offset(ABTranspose transA, ABTranspose transB, int m, int n, int k, double alpha, ab_dev_buffer_t A, size_t a_offset,
                             int lda, ab_dev_buffer_t B, size_t b_offset, int ldb, double beta, ab_dev_buffer_t C, size_t c_offset,
                             int ldc) {
  return run("ab_dev_dgemm_offset", {1,
                                     {number_of(transA), number_of(transB)},
                                     m,
                                     n,
                                     k,
                                     &alpha,
                                     &beta,
                                     {{"A", A}, a_offset, lda},
                                     {{"B", B}, b_offset, ldb},
                                     {{"C", C}, c_offset, ldc}});
}

ABStatus ab_dev_zgemm(ABTranspose transA, ABTranspose transB, int m, int n, int k, const double alpha[2], ab_dev_buffer_t A, int lda,
                      ab_dev_buffer_t B, int ldb, const double beta[2], ab_dev_buffer_t C, int ldc) {
  return run("ab_dev_zgemm",
             {2, {number_of(transA), number_of(transB)}, m, n, k, alpha, beta, {{"A", A}, 0, lda}, {{"B", B}, 0, ldb}, {{"C", C}, 0, ldc}});
}

ABStatus ab_dev_zgemm_offset(ABTranspose transA, ABTranspose transB, int m, int n, int k, const double alpha[2], ab_dev_buffer_t A,
                             size_t a_offset, int lda, ab_dev_buffer_t B, size_t b_offset, int ldb, const double beta[2], ab_dev_buffer_t C,
                             size_t c_offset, int ldc) {
  return run("ab_dev_zgemm_offset", {2,
                                     {number_of(transA), number_of(transB)},
                                     m,
                                     n,
                                     k,
                                     alpha,
                                     beta,
                                     {{"A", A}, a_offset, lda},
                                     {{"B", B}, b_offset, ldb},
                                     {{"C", C}, c_offset, ldc}});
}

ABStatus ab_dev_conjg_c(ab_dev_buffer_t buf, size_t offset, size_t n) {
  return guarded_operation("ab_dev_conjg_c", [&] {
    require_buffer({"buf", buf});
    change({{"buf", buf}, offset}, n,
           [&](ab::ops::Context& context, const ab::ops::ComplexVector& x) { ab::ops::conjugate(context, x, static_cast<Index>(n)); });
  });
}

ABStatus ab_dev_scale_z(ab_dev_buffer_t buf, size_t offset, size_t n, const double alpha[2]) {
  return guarded_operation("ab_dev_scale_z", [&] {
    require_buffer({"buf", buf});
    ab::capi::require_pointer("alpha", alpha);
    change({{"buf", buf}, offset}, n, [&](ab::ops::Context& context, const ab::ops::ComplexVector& x) {
      ab::ops::scale(context, {alpha[0], alpha[1]}, x, static_cast<Index>(n));
    });
  });
}

ABStatus ab_dev_axpy_z(size_t n, const double alpha[2], ab_dev_buffer_t x, size_t x_offset, int incx, ab_dev_buffer_t y, size_t y_offset,
                       int incy) {
  return guarded_operation("ab_dev_axpy_z", [&] {
    const Vector from = {{"x", x}, x_offset, incx}, to = {{"y", y}, y_offset, incy};
    ab::capi::require_pointer("alpha", alpha);
    require_buffer(from.buffer);
    require_buffer(to.buffer);
    if (n == 0) return;
    require_span(from, n);
    require_span(to, n);
    require_usable_buffer(from.buffer);
    require_usable_buffer(to.buffer);
    require_one_device(from.buffer, to.buffer);
    change(to, n, [&](ab::ops::Context& context, const ab::ops::ComplexVector& sum) {
      ab::ops::add_scaled(context, {alpha[0], alpha[1]}, vector_of(from, n), sum, static_cast<Index>(n));
    });
  });
}

}  // extern "C"
