// SPDX-License-Identifier: MIT
#include "ops/staging.hpp"

#include <cstring>

#include "ops/timed.hpp"

namespace ab::ops {
namespace {

template <Scalar T>
constexpr int words_of = sizeof(T) / sizeof(double);

template <class T>
struct Columns {
  const T* data;
  Index ld, rows, columns;
  Triangle triangle = Triangle::Full;
};

// The part of a packed column that exists.
struct Bytes {
  std::size_t first, count;
};
template <class T>
Bytes bytes_in(Triangle triangle, Index column, Index rows) {
  const RowRange range = rows_in(triangle, column, rows);
  return {static_cast<std::size_t>(range.first) * sizeof(T), static_cast<std::size_t>(range.last - range.first) * sizeof(T)};
}

// Close together in device memory: in one piece where they are so on the host.
template <class T>
void write_columns(Context& context, const Lease& to, const Columns<T>& from) {
  const auto* bytes = reinterpret_cast<const std::byte*>(from.data);
  const std::size_t stride = static_cast<std::size_t>(from.ld) * sizeof(T), column = static_cast<std::size_t>(from.rows) * sizeof(T);
  if (CallWatch* watch = thread_state().watch) watch->copied_in(from.columns * static_cast<Index>(column));
  if (from.triangle == Triangle::Full && stride == column) {
    return context.queue().write(to.memory(), 0, {bytes, static_cast<std::size_t>(from.columns) * column});
  }
  for (Index j = 0; j < from.columns; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const Bytes part = bytes_in<T>(from.triangle, j, from.rows);
    context.queue().write(to.memory(), at * column + part.first, {bytes + at * stride + part.first, part.count});
  }
}

// The span an operand covers: its last column ends with its last referenced element, not with the leading dimension.
std::size_t span_bytes(Index rows, Index columns, Index ld, std::size_t element) {
  return static_cast<std::size_t>((columns - 1) * ld + rows) * element;
}

}  // namespace

template <Scalar T>
Staged<T>::Staged(Context& context, const GemmProblem<T>& problem, const Choices& choices)
    : context_(context), problem_(problem), choices_(choices) {
  const auto [m, n, k] = std::array{problem.m, problem.n, problem.k};
  const Shape a = problem.a.op == Op::None ? Shape{m, k} : Shape{k, m};
  const Shape b = problem.b.op == Op::None ? Shape{k, n} : Shape{n, k};
  const device::Traits& traits = context.device().traits();
  if (traits.results_in_place && m > 0 && n > 0) {
    c_.adopted = context.device().adopt({reinterpret_cast<std::byte*>(problem.c.data), span_bytes(m, n, problem.c.ld, sizeof(T))});
  }
  const Index staged_words =
      ((c_.adopted ? 0 : m * n) + (traits.unified_memory ? 0 : a.rows * a.columns + b.rows * b.columns)) * words_of<T>;
  fits_ = choices.may_exceed_cap || staged_words * 8 <= choices.cap_bytes;
  if (!fits_) return;
  choices_.cap_bytes = choices.cap_bytes > staged_words * 8 ? choices.cap_bytes - staged_words * 8 : 0;
  // In place, only a product that does not read C may write some of it before it has succeeded: what goes on without the device
  // then writes all of it again.
  choices_.private_result = !c_.adopted || problem.beta == T(0);
  timed(context, Stage::Stage, [&] {
    if (problem.alpha != T(0) && m > 0 && n > 0 && k > 0) {  // otherwise A and B are not read
      a_ = stage(problem.a.data, a, problem.a.ld);
      if (!shares_memory(problem.a, a, problem.b, b)) b_ = stage(problem.b.data, b, problem.b.ld);
    }
    stage_result();
  });
  tell_what_is_in_place();
  const Resident& right = b_.slice.memory != nullptr ? b_ : a_;
  product_.left = left_operand(a_.slice, words_of<T>, problem.a.op, m, k, a_.ld);
  product_.right = right_operand(right.slice, words_of<T>, problem.b.op, k, n, right.ld);
  product_.c = result(c_.slice, words_of<T>, m, n, c_.ld);
  product_.alpha = problem.alpha;
  product_.beta = problem.beta;
  product_.triangle = problem.triangle;
  product_.hermitian = problem.hermitian;
}

template <Scalar T>
typename Staged<T>::Resident Staged<T>::stage(const T* data, Shape shape, Index ld) {
  Resident out;
  out.ld = ld;
  const std::size_t bytes = span_bytes(shape.rows, shape.columns, ld, sizeof(T));
  // Kernels only read operands, so the adopted memory is never written.
  auto* bytes_of_data = reinterpret_cast<std::byte*>(const_cast<T*>(data));
  if (context_.device().traits().unified_memory) out.adopted = context_.device().adopt({bytes_of_data, bytes});
  if (out.adopted) {
    out.slice = {out.adopted.get(), 0};
    return out;
  }
  out.ld = shape.rows;
  out.copied = context_.lease(static_cast<std::size_t>(shape.rows * shape.columns) * sizeof(T));
  out.slice = out.copied.slice();
  write_columns<T>(context_, out.copied, {data, ld, shape.rows, shape.columns});
  return out;
}

template <Scalar T>
void Staged<T>::stage_result() {
  const Index m = problem_.m, n = problem_.n;
  if (c_.adopted) {
    c_.ld = problem_.c.ld;
    c_.slice = {c_.adopted.get(), 0};
    return;
  }
  c_.ld = m;
  c_.copied = context_.lease(static_cast<std::size_t>(m * n) * sizeof(T));
  c_.slice = c_.copied.slice();
  if (problem_.beta == T(0)) return;
  write_columns<T>(context_, c_.copied, {problem_.c.data, problem_.c.ld, m, n, problem_.triangle});
}

template <Scalar T>
void Staged<T>::tell_what_is_in_place() const {
  CallWatch* const watch = thread_state().watch;
  if (watch == nullptr) return;
  if (a_.adopted) watch->read_in_place('a');
  if (b_.adopted) watch->read_in_place('b');
  if (c_.adopted && problem_.beta != T(0)) watch->read_in_place('c');
}

template <Scalar T>
void Staged<T>::fetch() {
  if (c_.adopted) return;
  const auto columns = static_cast<std::size_t>(problem_.n), bytes = static_cast<std::size_t>(problem_.m) * sizeof(T);
  if (bytes == 0) return;
  const std::size_t stride = static_cast<std::size_t>(problem_.c.ld) * sizeof(T);
  // One read, and not into C: a device that fails, however far it has come, has written nothing there.
  const auto values = std::make_unique_for_overwrite<std::byte[]>(columns * bytes);
  context_.queue().read(c_.copied.memory(), 0, {values.get(), columns * bytes});
  if (CallWatch* watch = thread_state().watch) watch->copied_out(static_cast<Index>(columns * bytes));
  auto* c = reinterpret_cast<std::byte*>(problem_.c.data);
  for (std::size_t j = 0; j < columns; ++j) {
    const Bytes part = bytes_in<T>(problem_.triangle, static_cast<Index>(j), problem_.m);
    std::memcpy(c + j * stride + part.first, values.get() + j * bytes + part.first, part.count);
  }
}

template class Staged<double>;
template class Staged<Complex>;

}  // namespace ab::ops
