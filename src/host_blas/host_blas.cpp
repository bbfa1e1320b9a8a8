// SPDX-License-Identifier: MIT
#include "host_blas/host_blas.hpp"

#include <atomic>
#include <memory>

#include "core/arguments.hpp"
#include "core/settings.hpp"

namespace ab::host_blas {
namespace {

constinit std::atomic<const Library*> the_library{nullptr};  // one without functions: the search has ended without finding any

// Threads that come at the same time may all search (dlopen counts, and gives them the same functions); one publishes and warns.
const Library* search() {
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

constexpr int column_major = 102;
int cblas_letter(Op op) {
  return op == Op::None ? 111 : op == Op::Transpose ? 112 : 113;
}

template <Scalar T>
void call_cblas(const Library& library, const GemmProblem<T>& problem) {
  const auto& [m, n, k, alpha, a, b, beta, c] = problem;
  const auto as_int = [](Index value) { return static_cast<int>(value); };
  if constexpr (std::same_as<T, double>) {
    library.cblas_dgemm(column_major, cblas_letter(a.op), cblas_letter(b.op), as_int(m), as_int(n), as_int(k), alpha, a.data, as_int(a.ld),
                        b.data, as_int(b.ld), beta, c.data, as_int(c.ld));
  } else {
    library.cblas_zgemm(column_major, cblas_letter(a.op), cblas_letter(b.op), as_int(m), as_int(n), as_int(k), &alpha, a.data, as_int(a.ld),
                        b.data, as_int(b.ld), &beta, c.data, as_int(c.ld));
  }
}

template <Scalar T>
void call_fortran(FortranGemm<T>* gemm, const GemmProblem<T>& problem) {
  const auto& [m, n, k, alpha, a, b, beta, c] = problem;
  const char letters[] = {letter_of(a.op), letter_of(b.op)};
  const int sizes[] = {static_cast<int>(m), static_cast<int>(n), static_cast<int>(k)};
  const int strides[] = {static_cast<int>(a.ld), static_cast<int>(b.ld), static_cast<int>(c.ld)};
  gemm(&letters[0], &letters[1], &sizes[0], &sizes[1], &sizes[2], &alpha, a.data, &strides[0], b.data, &strides[1], &beta, c.data,
       &strides[2], 1, 1);
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
  return found->dgemm != nullptr ? found : nullptr;
}

template <Scalar T>
void gemm(const Library& library, const GemmProblem<T>& problem, Interface interface, ThreadState& thread) noexcept {
  const InsideHostBlas inside(thread);
  constexpr bool real = std::same_as<T, double>;
  const bool has_cblas = real ? library.cblas_dgemm != nullptr : library.cblas_zgemm != nullptr;
  if (interface == Interface::Cblas && has_cblas) {
    call_cblas(library, problem);
  } else if constexpr (real) {
    call_fortran(library.dgemm, problem);
  } else {
    call_fortran(library.zgemm, problem);
  }
}

template void gemm(const Library&, const GemmProblem<double>&, Interface, ThreadState&) noexcept;
template void gemm(const Library&, const GemmProblem<Complex>&, Interface, ThreadState&) noexcept;

}  // namespace ab::host_blas
