// SPDX-License-Identifier: MIT
#include "host_blas/host_blas.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "core/arguments.hpp"
#include "core/process.hpp"
#include "core/settings.hpp"
#include "host_blas/conventions.hpp"

namespace ab::host_blas {
namespace {

constexpr const Routine& gemm_routine = *find_routine("dgemm");
constinit std::atomic<const Library*> the_library{nullptr};  // one without functions: the search has ended without finding any

// The first publishes and warns; those that come meanwhile wait for it.
const Library* search() {
  const LoadingLibrary loading;
  if (const Library* found = the_library.load(std::memory_order_acquire)) return found;
  std::vector<std::string> complaints;
  auto fresh = std::make_unique<const Library>(find(settings().host_blas, complaints).value_or(Library()));
  const Library* published = nullptr;
  if (!the_library.compare_exchange_strong(published, fresh.get(), std::memory_order_acq_rel)) return published;
  for (const std::string& complaint : complaints) warn(complaint);
  return fresh.release();  // lives as long as the process
}

class InsideHostBlas {
 public:
  explicit InsideHostBlas(ThreadState& thread) : inside_(thread.inside_host_blas), before_(inside_) { inside_ = true; }
  ~InsideHostBlas() { inside_ = before_; }
  InsideHostBlas(const InsideHostBlas&) = delete;
  InsideHostBlas& operator=(const InsideHostBlas&) = delete;

 private:
  bool& inside_;
  bool before_;
};

// A function of the library with what its name says of its arguments.
struct Callable {
  Function* function = nullptr;
  Convention convention;
};

Callable choose(const Functions& functions, Convention convention, bool fits_32) {
  const bool cblas = convention.interface == Interface::Cblas;
  if (convention.integers == Integers::Bits64) {
    if (cblas && functions.cblas_64 != nullptr) return {functions.cblas_64, {Interface::Cblas, Integers::Bits64}};
    if (functions.fortran_64 != nullptr) return {functions.fortran_64, {Interface::Fortran, Integers::Bits64}};
    if (!fits_32) return {};
  }
  if (cblas && functions.cblas != nullptr) return {functions.cblas, {Interface::Cblas, Integers::Bits32}};
  return {functions.fortran, {Interface::Fortran, Integers::Bits32}};
}

bool fits_32_bits(std::initializer_list<Index> values) {
  return std::all_of(values.begin(), values.end(), [](Index value) { return value >= INT32_MIN && value <= INT32_MAX; });
}

template <Scalar T>
[[gnu::always_inline]] inline Callable callable_for(const Library& library, const Routine& routine, const GemmProblem<T>& problem,
                                                    Convention convention) {
  return choose(
      library.of(routine), convention,
      convention.integers == Integers::Bits32 || fits_32_bits({problem.m, problem.n, problem.k, problem.a.ld, problem.b.ld, problem.c.ld}));
}

// Its own function, or GEMM's where that can do the same. Not inlined, so that the usual question is answered without it.
template <Scalar T>
[[gnu::noinline]] bool has_function(const Library& library, const Routine& routine, const GemmProblem<T>& problem, Convention convention) {
  if (callable_for(library, routine, problem, convention).function != nullptr) return true;
  return is_made_of_gemm(routine) && callable_for(library, gemm_like(routine), problem, convention).function != nullptr;
}

template <class... A>
void invoke(const Callable& target, const A&... arguments) {
  const bool wide = target.convention.integers == Integers::Bits64;
  if (target.convention.interface == Interface::Cblas) {
    wide ? call_cblas<std::int64_t>(target.function, arguments...) : call_cblas<int>(target.function, arguments...);
  } else {
    wide ? call_fortran<std::int64_t>(target.function, arguments...) : call_fortran<int>(target.function, arguments...);
  }
}

template <Scalar T>
void invoke_gemm(const Callable& target, const GemmProblem<T>& problem) {
  const auto& [m, n, k, alpha, a, b, beta, c, triangle, hermitian, operation] = problem;
  invoke(target, a.op, b.op, m, n, k, alpha, a.data, a.ld, b.data, b.ld, beta, c.data, c.ld);
}

template <Scalar T>
void invoke_gemmt(const Callable& target, const GemmProblem<T>& problem) {
  const auto& [m, n, k, alpha, a, b, beta, c, triangle, hermitian, operation] = problem;
  invoke(target, triangle, a.op, b.op, n, k, alpha, a.data, a.ld, b.data, b.ld, beta, c.data, c.ld);
}

template <Scalar T>
void invoke_rank_k(const Callable& target, const GemmProblem<T>& problem) {
  const auto& [m, n, k, alpha, a, b, beta, c, triangle, hermitian, operation] = problem;
  if (hermitian) return invoke(target, triangle, a.op, n, k, std::real(alpha), a.data, a.ld, std::real(beta), c.data, c.ld);
  invoke(target, triangle, a.op, n, k, alpha, a.data, a.ld, beta, c.data, c.ld);
}

template <Scalar T>
void invoke_rank_two(const Callable& target, const GemmProblem<T>& problem) {
  const auto& [m, n, k, alpha, a, b, beta, c, triangle, hermitian, operation] = problem;
  if (hermitian) return invoke(target, triangle, a.op, n, k, alpha, a.data, a.ld, b.data, b.ld, std::real(beta), c.data, c.ld);
  invoke(target, triangle, a.op, n, k, alpha, a.data, a.ld, b.data, b.ld, beta, c.data, c.ld);
}

// Of a problem with one operand of a special form: that one, the other, and where the special one stands.
template <Scalar T>
struct SpecialFirst {
  Side side;
  const Operand<T>&special, &general;
};
template <Scalar T>
SpecialFirst<T> special_first(const GemmProblem<T>& problem) {
  if (problem.a.form != Form::General) return {Side::Left, problem.a, problem.b};
  return {Side::Right, problem.b, problem.a};
}

template <Scalar T>
void invoke_symmetric(const Callable& target, const GemmProblem<T>& problem) {
  const auto [side, a, b] = special_first(problem);
  const Result<T>& c = problem.c;
  invoke(target, side, a.stored, problem.m, problem.n, problem.alpha, a.data, a.ld, b.data, b.ld, problem.beta, c.data, c.ld);
}

template <Scalar T>
void invoke_triangular(const Callable& target, const GemmProblem<T>& problem) {
  const auto [side, a, b] = special_first(problem);
  const Diagonal diagonal = a.form == Form::UnitTriangular ? Diagonal::Unit : Diagonal::Stored;
  const Result<T>& c = problem.c;
  invoke(target, side, a.stored, a.op, diagonal, problem.m, problem.n, problem.alpha, a.data, a.ld, c.data, c.ld);
}

template <Scalar T>
void invoke_routine(const Callable& target, const Routine& routine, const GemmProblem<T>& problem) {
  switch (routine.family) {
    case Family::Gemmt:
      return invoke_gemmt(target, problem);
    case Family::RankK:
      return invoke_rank_k(target, problem);
    case Family::RankTwo:
      return invoke_rank_two(target, problem);
    case Family::Symmetric:
      return invoke_symmetric(target, problem);
    case Family::TriangularProduct:
    case Family::TriangularSolve:
      return invoke_triangular(target, problem);
    default:
      return invoke_gemm(target, problem);
  }
}

// The part of the problem with these rows and columns of C.
template <Scalar T>
GemmProblem<T> part_of(const GemmProblem<T>& problem, RowRange rows, RowRange columns) {
  GemmProblem<T> part = problem;
  part.m = rows.last - rows.first;
  part.n = columns.last - columns.first;
  part.a.data += rows.first * (part.a.op == Op::None ? 1 : part.a.ld);
  part.b.data += columns.first * (part.b.op == Op::None ? part.b.ld : 1);
  part.c.data += rows.first + columns.first * part.c.ld;
  part.triangle = Triangle::Full;
  return part;
}

constexpr Index triangle_block = 32;  // chosen: its entries fit on small stacks

template <class T>
void copy_triangle(Result<T> to, Result<T> from, Triangle triangle, Index size) {
  for (Index j = 0; j < size; ++j) {
    const auto [first, last] = rows_in(triangle, j, size);
    std::memcpy(to.data + first + j * to.ld, from.data + first + j * from.ld, static_cast<std::size_t>(last - first) * sizeof(T));
  }
}

// GEMMT by GEMM: what lies off the diagonal in place, squares on the diagonal aside.
template <Scalar T>
void multiply_triangle(const Callable& gemm, const GemmProblem<T>& problem) {
  T square[triangle_block * triangle_block];
  for (Index first = 0; first < problem.n; first += triangle_block) {
    const RowRange block{first, std::min(problem.n, first + triangle_block)};
    const RowRange beside = problem.triangle == Triangle::Upper ? RowRange{0, block.first} : RowRange{block.last, problem.n};
    if (beside.first < beside.last) invoke_gemm(gemm, part_of(problem, beside, block));
    GemmProblem<T> diagonal = part_of(problem, block, block);
    const Result<T> aside{square, triangle_block}, place = std::exchange(diagonal.c, aside);
    std::fill(std::begin(square), std::end(square), T(0));
    if (problem.beta != T(0)) copy_triangle(aside, place, problem.triangle, diagonal.n);
    invoke_gemm(gemm, diagonal);
    copy_triangle(place, aside, problem.triangle, diagonal.n);
  }
}

}  // namespace

const Library* library() noexcept {
  const Library* found = the_library.load(std::memory_order_acquire);
  if (found == nullptr) {
    try {
      found = search();
    } catch (...) {  // out of memory: none this time, the next call tries again
      return nullptr;
    }
  }
  return found->of(gemm_routine).fortran != nullptr ? found : nullptr;
}

template <Scalar T>
bool serves(const Library& library, const Routine& routine, const GemmProblem<T>& problem, Convention convention) noexcept {
  if (convention.integers == Integers::Bits32 && library.of(routine).fortran != nullptr) return true;
  return has_function(library, routine, problem, convention);
}

template <Scalar T>
void call(const Library& library, const Routine& routine, const GemmProblem<T>& problem, Convention convention,
          ThreadState& thread) noexcept {
  const InsideHostBlas inside(thread);
  const Callable own = callable_for(library, routine, problem, convention);
  if (own.function != nullptr) return invoke_routine(own, routine, problem);
  const Callable gemm = callable_for(library, gemm_like(routine), problem, convention);
  routine.family == Family::Gemmt ? multiply_triangle(gemm, problem) : invoke_gemm(gemm, problem);
}

template <Scalar T>
void call(const Library& library, const Routine& routine, const GemmBatch<T>& batch, Convention convention, ThreadState& thread) noexcept {
  const auto& [m, n, k, alpha, a, b, beta, c, triangle, hermitian, operation] = batch.first;
  const bool strided = routine.family == Family::GemmBatchStrided;
  // With arrays of pointers, the Fortran form alone: what it takes by address is an array of one group.
  const Callable own =
      callable_for(library, routine, batch.first, strided ? convention : Convention{Interface::Fortran, convention.integers});
  const bool cut =
      own.convention.integers == Integers::Bits32 && !fits_32_bits({batch.stride_a, batch.stride_b, batch.stride_c, batch.count});
  if (own.function == nullptr || cut) {
    for (Index i = 0; i < batch.count; ++i) call(library, gemm_like(routine), batch.product(i), convention, thread);
    return;
  }
  const InsideHostBlas inside(thread);
  if (strided) {
    invoke(own, a.op, b.op, m, n, k, alpha, a.data, a.ld, batch.stride_a, b.data, b.ld, batch.stride_b, beta, c.data, c.ld, batch.stride_c,
           batch.count);
  } else {
    invoke(own, a.op, b.op, m, n, k, alpha, batch.a, a.ld, batch.b, b.ld, beta, batch.c, c.ld, Index{1}, batch.count);
  }
}

template bool serves(const Library&, const Routine&, const GemmProblem<double>&, Convention) noexcept;
template bool serves(const Library&, const Routine&, const GemmProblem<Complex>&, Convention) noexcept;
template void call(const Library&, const Routine&, const GemmProblem<double>&, Convention, ThreadState&) noexcept;
template void call(const Library&, const Routine&, const GemmProblem<Complex>&, Convention, ThreadState&) noexcept;
template void call(const Library&, const Routine&, const GemmBatch<double>&, Convention, ThreadState&) noexcept;
template void call(const Library&, const Routine&, const GemmBatch<Complex>&, Convention, ThreadState&) noexcept;

}  // namespace ab::host_blas
