// SPDX-License-Identifier: MIT
#include "ops/staging.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "ops/cap_share.hpp"
#include "ops/resident.hpp"
#include "ops/timed.hpp"

namespace ab::ops {
namespace {

// The span an operand covers: its last column ends with its last referenced element, not with the leading dimension.
std::span<std::byte> span_of(const HostMatrix& host, Index rows, Index columns) {
  const Index words = ((columns - 1) * host.ld + rows) * host.words;
  return {host.data, static_cast<std::size_t>(words) * sizeof(double)};
}

bool is_aligned(const std::byte* data) {
  return reinterpret_cast<std::uintptr_t>(data) % sizeof(double) == 0;
}

// Of a result: from here on its blocks go to the host while others are computed (chosen: a millisecond and more of copying).
constexpr Index worth_overlapping = Index{64} << 20;

}  // namespace

template <Scalar T>
Staged<T>::Staged(Context& context, const GemmProblem<T>& problem, const Choices& choices, ResultPlace place)
    : context_(context), problem_(problem), choices_(choices) {
  const auto [m, n, k] = std::array{problem.m, problem.n, problem.k};
  a_ = resident(problem.a.data, problem.a.op == Op::None ? Shape{m, k} : Shape{k, m}, problem.a.ld);
  b_ = resident(problem.b.data, problem.b.op == Op::None ? Shape{k, n} : Shape{n, k}, problem.b.ld);
  c_ = resident(problem.c.data, {m, n}, problem.c.ld);
  a_.host.vectors_are_columns = problem.a.op != Op::None;
  b_.host.vectors_are_columns = problem.b.op == Op::None;
  c_.host.triangle = problem.triangle;
  const device::Traits& traits = context.device().traits();
  const bool writes = m > 0 && n > 0, reads = problem.alpha != T(0) && writes && k > 0;  // otherwise A and B are not read
  if (traits.results_in_place && writes && place == ResultPlace::Best) {
    c_.adopted = context.device().adopt(span_of(c_.host, m, n));
    if (c_.adopted) c_.slice = {c_.adopted.get(), 0};
  }
  const bool alike = reads && shares_memory(problem.a, a_.shape, problem.b, b_.shape);
  if (reads) {
    use_in_place(a_);
    use_in_place(b_);
  }
  const Copies copies = choose_copies(!reads  ? std::initializer_list<const Resident*>{&c_}
                                      : alike ? std::initializer_list<const Resident*>{&a_, &c_}
                                              : std::initializer_list<const Resident*>{&a_, &b_, &c_});
  timed(context, Stage::Stage, [&] {
    if (reads) copy_whole_operand(a_, copies);
    if (reads && !alike) copy_whole_operand(b_, copies);
    place_result(copies, place);
  });
  // In place, only a product that does not read C may write some of it before it has succeeded: what goes on without the device
  // then writes all of it again.
  choices_.private_result = !c_.in_place() || problem.beta == T(0);
  tell_what_is_in_place();
  const Resident& right = b_.slice.memory != nullptr ? b_ : a_;
  product_.left = left_operand(a_.slice, words_of<T>, problem.a.op, m, k, a_.ld);
  product_.right = right_operand(right.slice, words_of<T>, problem.b.op, k, n, right.ld);
  product_.c = result(c_.slice, words_of<T>, m, n, c_.ld);
  product_.alpha = problem.alpha;
  product_.beta = problem.beta;
  product_.triangle = problem.triangle;
  product_.hermitian = problem.hermitian;
  if (copies == Copies::Blocks) view_blocks_of_operands();
  if (c_.host.results != nullptr) product_.c.host = &c_.host;
}

template <Scalar T>
Staged<T>::~Staged() {
  if (!a_.registered && !b_.registered) return;
  try {  // after a failure something may still be reading there
    context_.queue().finish();
  } catch (const Error&) {  // a lost device reads nothing
  }
}

template <Scalar T>
typename Staged<T>::Resident Staged<T>::resident(const T* data, Shape shape, Index ld) const {
  auto* const bytes = reinterpret_cast<std::byte*>(const_cast<T*>(data));  // kernels only read operands
  return {shape, {bytes, ld, words_of<T>, false, 0, nullptr, 0}, nullptr, std::nullopt, {}, {}, ld};
}

template <Scalar T>
void Staged<T>::use_in_place(Resident& operand) {
  const std::span<std::byte> span = span_of(operand.host, operand.shape.rows, operand.shape.columns);
  if (context_.device().traits().unified_memory) operand.adopted = context_.device().adopt(span);
  if (operand.adopted) {
    operand.slice = {operand.adopted.get(), 0};
    return;
  }
  if (!is_aligned(span.data())) return;
  std::optional<RegisteredSpan> registered = find_registered(span);
  if (!registered) return;
  operand.slice = registered->place(context_);
  if (operand.slice.memory != nullptr) operand.registered.emplace(std::move(*registered));
}

// Decides, and takes off the cap what will not be the product's to use.
template <Scalar T>
typename Staged<T>::Copies Staged<T>::choose_copies(std::initializer_list<const Resident*> needed) {
  const auto most = static_cast<Index>(std::min<std::uint64_t>(context_.device().traits().max_buffer_bytes, INT64_MAX));
  Index copied = 0, largest = 0;
  for (const Resident* operand : needed) {
    if (operand->in_place()) continue;
    copied += operand->bytes();
    largest = std::max(largest, operand->bytes());
  }
  if (copied == 0) return Copies::Whole;
  const Index small = small_buffers(problem_.m + problem_.n, problem_.k, words_of<T>);
  const Index usable = std::max<Index>(without_rounding(choices_.cap_bytes) - small, 0);
  // Chosen: whole operands leave half of the cap, or what blocks of a useful size take; the rest of the product is cut to that.
  constexpr Index useful = Index{64} << 20;
  const bool fits = copied <= usable / 2 || (copied <= usable - usable / 8 && usable - copied >= useful);
  const bool whole = largest <= most && (choices_.may_exceed_cap || fits);
  choices_.cap_bytes = whole ? std::max<Index>(usable - copied, 0) : usable;
  return whole ? Copies::Whole : Copies::Blocks;
}

template <Scalar T>
void Staged<T>::copy_whole(Resident& operand) {
  const HostColumns from = columns_of(operand.host, {0, operand.shape.rows}, {0, operand.shape.columns});
  operand.copied = context_.lease(from.columns * from.column_bytes);
  operand.slice = operand.copied.slice();
  operand.ld = operand.shape.rows;
  if (&operand != &c_ || problem_.beta != T(0)) write_columns(context_, operand.copied, from);
}

template <Scalar T>
void Staged<T>::copy_whole_operand(Resident& operand, Copies copies) {
  if (!operand.in_place() && copies == Copies::Whole) copy_whole(operand);
}

template <Scalar T>
void Staged<T>::place_result(Copies copies, ResultPlace place) {
  if (c_.in_place()) return;
  if (copies == Copies::Whole && c_.bytes() < worth_overlapping) return copy_whole(c_);
  if (place == ResultPlace::Best && problem_.beta == T(0)) {  // what goes on after a failure does not read C, and writes all of it
    c_.host.results = c_.host.data;
    c_.host.results_ld = c_.host.ld;
  } else {
    values_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(c_.bytes()));
    c_.host.results = values_.get();
    c_.host.results_ld = c_.shape.rows;
  }
}

template <Scalar T>
void Staged<T>::view_blocks_of_operands() {
  const auto most = static_cast<Index>(std::min<std::uint64_t>(context_.device().traits().max_buffer_bytes, INT64_MAX));
  for (const auto& [operand, view] : {std::pair(&a_, &product_.left), std::pair(&b_, &product_.right)}) {
    if (operand->slice.memory != nullptr) continue;
    operand->host.panel_bytes = std::min(choices_.may_exceed_cap ? most : choices_.cap_bytes, most);
    view->host = &operand->host;
  }
}

template <Scalar T>
void Staged<T>::collect() {
  if (c_.in_place() || values_) return;
  // One read, and not into C: a device that fails, however far it has come, has written nothing there.
  values_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(c_.bytes()));
  context_.queue().read(c_.copied.memory(), 0, {values_.get(), static_cast<std::size_t>(c_.bytes())});
  if (CallWatch* watch = thread_state().watch) watch->copied_out(c_.bytes());
}

template <Scalar T>
void Staged<T>::tell_what_is_in_place() const {
  CallWatch* const watch = thread_state().watch;
  if (watch == nullptr) return;
  if (a_.in_place()) watch->read_in_place('a');
  if (b_.in_place()) watch->read_in_place('b');
  if (c_.in_place() && problem_.beta != T(0)) watch->read_in_place('c');
}

template <Scalar T>
void Staged<T>::fetch() {
  if (c_.in_place() || (c_.host.results != nullptr && !values_)) return;
  const HostColumns to = columns_of(c_.host, {0, c_.shape.rows}, {0, c_.shape.columns});
  if (!values_ && problem_.beta == T(0)) return read_columns(context_, c_.copied, to);
  collect();
  store_columns(to, values_.get());
}

template class Staged<double>;
template class Staged<Complex>;

}  // namespace ab::ops
