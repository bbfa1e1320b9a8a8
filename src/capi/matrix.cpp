// SPDX-License-Identifier: MIT
// Matrices: creation, transfers and elementwise operations.
#include "capi/matrix.hpp"

#include <array>
#include <atomic>
#include <span>

#include "capi/arguments.hpp"
#include "capi/guarded.hpp"
#include "capi/stopwatch.hpp"
#include "ops/elementwise.hpp"
#include "report/statistics.hpp"

using ab::Index;
using ab::Status;
using ab::capi::Argument;
using ab::capi::fail;
using ab::capi::guarded_operation;
using ab::capi::Writing;

std::uint64_t ab::capi::new_contents() {
  static constinit std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void ABMatrix_s::renew_contents() {
  if (context && ab::ops::alive(*context)) ab::ops::forget(*context, contents);
  contents = ab::capi::new_contents();
}

void ABMatrix_s::release() {
  renew_contents();
  if (context && !ab::ops::alive(*context)) static_cast<void>(memory.release());
  memory.reset();
  context.reset();
}

namespace {

constexpr Index max_elements = INT32_MAX;

ABMatrix create(int rows, int cols) {
  const std::string shape = ab::capi::shape_text(rows, cols);
  if (rows <= 0 || cols <= 0) fail(Status::InvalidArgument, "the matrix is " + shape + ": rows and cols must be positive");
  if (Index{rows} * cols > max_elements) fail(Status::InvalidArgument, "the matrix is " + shape + ": more than 2^31 - 1 elements");
  auto context = ab::ops::current_context_if_initialized();
  if (!context) fail(Status::NoDevice, "the library is not initialised: call ab_init first");
  ab::device::Device& device = ab::ops::device_of(*context);
  const std::size_t bytes = static_cast<std::size_t>(Index{rows} * cols) * sizeof(double);
  if (bytes > device.traits().max_buffer_bytes) {
    fail(Status::AllocFailed, "the matrix is " + shape + ": " + std::to_string(bytes) + " bytes, the largest buffer of " +
                                  device.traits().id + " has " + std::to_string(device.traits().max_buffer_bytes));
  }
  auto matrix = std::make_unique<ABMatrix_s>();
  matrix->memory = ab::ops::allocate(*context, bytes);
  matrix->context = std::move(context);
  matrix->rows = rows;
  matrix->cols = cols;
  ab::capi::live_matrices().add(*matrix);
  return matrix.release();
}

void require_data(const double* data) {
  if (!data) fail(Status::InvalidArgument, "data is NULL, expected rows * cols doubles");
}

void finish(ABMatrix_s& written) {
  ab::ops::queue_of(*written.context).finish();
  written.has_contents = true;
}

void upload(ABMatrix_s& matrix, const double* data) {
  const ab::capi::Stopwatch stopwatch;
  const Writing writing({&matrix});
  const std::span words(data, static_cast<std::size_t>(matrix.count()));
  ab::ops::queue_of(*matrix.context).write(*matrix.memory, 0, std::as_bytes(words));
  finish(matrix);
  ab::report::count_transfer(matrix.count(), stopwatch.elapsed_ms(), ab::report::Direction::Upload);
}

void download(const ABMatrix_s& matrix, double* data) {
  const ab::capi::Stopwatch stopwatch;
  const std::span words(data, static_cast<std::size_t>(matrix.count()));
  ab::ops::queue_of(*matrix.context).read(*matrix.memory, 0, std::as_writable_bytes(words));
  ab::report::count_transfer(matrix.count(), stopwatch.elapsed_ms(), ab::report::Direction::Download);
}

void combine(ab::ops::Elementwise operation, ABMatrix A, ABMatrix B, ABMatrix C) {
  const std::array<Argument, 3> all = {{{"A", A}, {"B", B}, {"C", C}}};
  ab::capi::require_handles(all);
  ab::capi::require_equal_shapes(all);
  ab::capi::require_usable(all);
  ab::capi::require_one_device(all);
  ab::capi::require_contents(std::span(all).first(2));
  const Writing writing({C});
  ab::ops::combine(*C->context, operation, {A->slice(), B->slice(), C->slice(), C->count()});
  finish(*C);
}

}  // namespace

extern "C" {

ABMatrix ab_matrix_create(int rows, int cols) {
  ABMatrix matrix = nullptr;
  guarded_operation("ab_matrix_create", [&] { matrix = create(rows, cols); });
  return matrix;
}

void ab_matrix_destroy(ABMatrix matrix) {
  if (!matrix) return;
  guarded_operation("ab_matrix_destroy", [&] {
    const std::unique_ptr<ABMatrix_s> owned(matrix);
    ab::capi::live_matrices().remove(*matrix);
    matrix->release();
  });
}

void ab_matrix_dims(ABMatrix matrix, int* rows, int* cols) {
  if (!matrix) return;
  if (rows) *rows = matrix->rows;
  if (cols) *cols = matrix->cols;
}

size_t ab_matrix_count(ABMatrix matrix) {
  return matrix ? static_cast<size_t>(matrix->count()) : 0;
}

ABStatus ab_matrix_upload(ABMatrix matrix, const double* data, bool /*parallel*/) {
  return guarded_operation("ab_matrix_upload", [&] {
    const std::array<Argument, 1> all = {{{"the matrix", matrix}}};
    ab::capi::require_handles(all);
    require_data(data);
    ab::capi::require_usable(all);
    upload(*matrix, data);
  });
}

ABStatus ab_matrix_download(ABMatrix matrix, double* data, bool /*parallel*/) {
  return guarded_operation("ab_matrix_download", [&] {
    const std::array<Argument, 1> all = {{{"the matrix", matrix}}};
    ab::capi::require_handles(all);
    require_data(data);
    ab::capi::require_usable(all);
    ab::capi::require_contents(all);
    download(*matrix, data);
  });
}

ABStatus ab_matrix_zero(ABMatrix matrix) {
  return guarded_operation("ab_matrix_zero", [&] {
    const std::array<Argument, 1> all = {{{"the matrix", matrix}}};
    ab::capi::require_handles(all);
    ab::capi::require_usable(all);
    const Writing writing({matrix});
    ab::ops::fill_zero(*matrix->context, matrix->slice(), matrix->count());
    finish(*matrix);
  });
}

ABStatus ab_matrix_copy(ABMatrix src, ABMatrix dst) {
  return guarded_operation("ab_matrix_copy", [&] {
    const std::array<Argument, 2> all = {{{"src", src}, {"dst", dst}}};
    ab::capi::require_handles(all);
    ab::capi::require_equal_shapes(all);
    ab::capi::require_usable(all);
    ab::capi::require_one_device(all);
    ab::capi::require_contents(std::span(all).first(1));
    if (src == dst) return;
    const Writing writing({dst});
    ab::ops::copy(*dst->context, src->slice(), dst->slice(), dst->count());
    finish(*dst);
  });
}

ABStatus ab_matrix_add(ABMatrix A, ABMatrix B, ABMatrix C) {
  return guarded_operation("ab_matrix_add", [&] { combine(ab::ops::Elementwise::Add, A, B, C); });
}

ABStatus ab_matrix_sub(ABMatrix A, ABMatrix B, ABMatrix C) {
  return guarded_operation("ab_matrix_sub", [&] { combine(ab::ops::Elementwise::Subtract, A, B, C); });
}

ABStatus ab_matrix_scale(double alpha, ABMatrix A) {
  return guarded_operation("ab_matrix_scale", [&] {
    const std::array<Argument, 1> all = {{{"A", A}}};
    ab::capi::require_handles(all);
    ab::capi::require_usable(all);
    ab::capi::require_contents(all);
    const Writing writing({A});
    ab::ops::combine(*A->context, ab::ops::Elementwise::Scale, {A->slice(), A->slice(), A->slice(), A->count(), alpha});
    finish(*A);
  });
}

}  // extern "C"
