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
using ab::capi::guarded_life;
using ab::capi::guarded_operation;
using ab::capi::Writing;

std::uint64_t ab::capi::new_contents() {
  static constinit std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void ABMatrix_s::renew_contents() {
  const std::uint64_t before = contents.exchange(ab::capi::new_contents());  // parts of a buffer may be written by several streams
  if (context && ab::ops::alive(*context)) ab::ops::forget(*context, before);
}

void ABMatrix_s::release() {
  renew_contents();
  if (context && !ab::ops::alive(*context)) static_cast<void>(memory.release());
  memory.reset();
  context.reset();
}

std::shared_ptr<ab::ops::Context> ab::capi::context_for_creation() {
  auto context = ops::current_context_if_initialized();
  if (!context) fail(Status::NoDevice, "the library is not initialised: call ab_init first");
  return context;
}

void ab::capi::require_shape(int rows, int cols) {
  constexpr Index max_elements = INT32_MAX;
  if (rows <= 0 || cols <= 0) fail(Status::InvalidArgument, "the matrix is " + shape_text(rows, cols) + ": rows and cols must be positive");
  if (Index{rows} * cols > max_elements) {
    fail(Status::InvalidArgument, "the matrix is " + shape_text(rows, cols) + ": more than 2^31 - 1 elements");
  }
}

ABMatrix_s* ab::capi::create_storage(const std::shared_ptr<ops::Context>& context, std::size_t bytes, const std::string& name) {
  const device::Traits& traits = ops::device_of(*context).traits();
  if (bytes > traits.max_buffer_bytes) {
    fail(Status::AllocFailed, name + ": " + std::to_string(bytes) + " bytes, the largest buffer of " + traits.id + " has " +
                                  std::to_string(traits.max_buffer_bytes));
  }
  auto matrix = std::make_unique<ABMatrix_s>();
  matrix->memory = ops::allocate(*context, bytes);
  matrix->context = context;
  live_matrices().add(*matrix);
  return matrix.release();
}

ABMatrix_s* ab::capi::create_matrix(const std::shared_ptr<ops::Context>& context, int rows, int cols) {
  const std::size_t bytes = static_cast<std::size_t>(Index{rows} * cols) * sizeof(double);
  ABMatrix_s* const matrix = create_storage(context, bytes, "the matrix is " + shape_text(rows, cols));
  matrix->rows = rows;
  matrix->cols = cols;
  return matrix;
}

void ab::capi::let_go(ABMatrix_s& matrix) {
  if (--matrix.holders > 0) return;
  const std::unique_ptr<ABMatrix_s> owned(&matrix);
  live_matrices().remove(matrix);
  matrix.release();
}

namespace {

void finish(ABMatrix_s& written) {
  ab::ops::queue_of(*written.context).finish();
  written.has_contents = true;
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

void ab::capi::require_data(const double* data) {
  if (!data) fail(Status::InvalidArgument, "data is NULL, expected rows * cols doubles");
}

void ab::capi::upload(const Argument& to, const double* data) {
  const std::span all(&to, 1);
  require_handles(all);
  require_data(data);
  require_usable(all);
  ABMatrix_s& matrix = *to.matrix;
  const Stopwatch stopwatch;
  const Writing writing({&matrix});
  const std::span words(data, static_cast<std::size_t>(matrix.count()));
  ops::queue_of(*matrix.context).write(*matrix.memory, 0, std::as_bytes(words));
  finish(matrix);
  report::count_transfer(matrix.count(), stopwatch.elapsed_ms(), report::Direction::Upload);
}

void ab::capi::download(const Argument& from, double* data) {
  const std::span all(&from, 1);
  require_handles(all);
  require_data(data);
  require_usable(all);
  require_contents(all);
  const ABMatrix_s& matrix = *from.matrix;
  const Stopwatch stopwatch;
  const std::span words(data, static_cast<std::size_t>(matrix.count()));
  ops::queue_of(*matrix.context).read(*matrix.memory, 0, std::as_writable_bytes(words));
  report::count_transfer(matrix.count(), stopwatch.elapsed_ms(), report::Direction::Download);
}

extern "C" {

ABMatrix ab_matrix_create(int rows, int cols) {
  ABMatrix matrix = nullptr;
  guarded_life("ab_matrix_create", [&] {
    ab::capi::require_shape(rows, cols);
    matrix = ab::capi::create_matrix(ab::capi::context_for_creation(), rows, cols);
  });
  return matrix;
}

void ab_matrix_destroy(ABMatrix matrix) {
  if (!matrix || matrix->is_contained) return;
  guarded_life("ab_matrix_destroy", [&] { ab::capi::let_go(*matrix); });
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
  return guarded_operation("ab_matrix_upload", [&] { ab::capi::upload({"the matrix", matrix}, data); });
}

ABStatus ab_matrix_download(ABMatrix matrix, double* data, bool /*parallel*/) {
  return guarded_operation("ab_matrix_download", [&] { ab::capi::download({"the matrix", matrix}, data); });
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
