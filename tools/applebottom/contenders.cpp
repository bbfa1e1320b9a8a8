// SPDX-License-Identifier: MIT
#include "contenders.hpp"

#include <fmt/core.h>

#include <array>

#include "core/arguments.hpp"
#include "core/thread_state.hpp"
#include "host_blas/host_blas.hpp"
#include "ops/split.hpp"

namespace ab::cli {
namespace {

template <Scalar T>
GemmProblem<T> problem_of(const Workload& work, std::vector<double>& c) {
  const auto [m, n, k] = work.shape;
  return {m,
          n,
          k,
          T(1),
          {reinterpret_cast<const T*>(work.a.data()), work.lda(), work.ops.a},
          {reinterpret_cast<const T*>(work.b.data()), work.ldb(), work.ops.b},
          T(0),
          {reinterpret_cast<T*>(c.data()), m}};
}

class BlasLibrary final : public Contender {
 public:
  BlasLibrary(const host_blas::Library& library, const Workload& work)
      : library_(library), work_(work), c_(static_cast<std::size_t>(work.result_words())) {}

  void run() override {
    if (work_.operation == Operation::Dgemm) {
      host_blas::call(library_, *find_routine("dgemm"), problem_of<double>(work_, c_), {}, thread_state());
    } else {
      host_blas::call(library_, *find_routine("zgemm"), problem_of<Complex>(work_, c_), {}, thread_state());
    }
  }
  std::vector<double> result() override { return c_; }

 private:
  const host_blas::Library& library_;
  const Workload& work_;
  std::vector<double> c_;
};

class Direct final : public Contender {
 public:
  Direct(const Workload& work, ABPrecision precision, double cpu_share)
      : work_(work), device_(ops::current_context()), c_(static_cast<std::size_t>(work.result_words())) {
    choices_.precision = static_cast<Precision>(precision);
    choices_.cpu_share = cpu_share;
    if (cpu_share == 0) return;
    const int selected = ab_current_device();
    use_device(0);
    cpu_ = ops::current_context();
    use_device(selected);
  }

  void run() override {
    const Outcome outcome = work_.operation == Operation::Dgemm ? multiply<double>() : multiply<Complex>();
    if (outcome.declined) throw Failure(Exit::CheckFailed, fmt::format("the device declined: {}", ab::word_of(outcome.declined->reason)));
  }
  std::vector<double> result() override { return c_; }

 private:
  template <Scalar T>
  Outcome multiply() {
    GemmProblem<T> problem = problem_of<T>(work_, c_);
    if constexpr (std::same_as<T, double>) {
      for (Op* op : {&problem.a.op, &problem.b.op}) *op = *op == Op::None ? Op::None : Op::Transpose;
    }
    if (cpu_ == nullptr) return ops::gemm(*device_, problem, choices_);
    return ops::gemm_split(*cpu_, *device_, problem, choices_, ops::columns_of_share(choices_.cpu_share, problem.n)).outcome;
  }

  const Workload& work_;
  ops::Choices choices_;
  std::shared_ptr<ops::Context> device_, cpu_;
  std::vector<double> c_;
};

class Staged final : public Contender {  // the BLAS ABI with operands in host memory
 public:
  explicit Staged(const Workload& work) : work_(work), c_(static_cast<std::size_t>(work.result_words())) {}

  void run() override {
    const int m = static_cast<int>(work_.shape.m), n = static_cast<int>(work_.shape.n), k = static_cast<int>(work_.shape.k);
    const int lda = static_cast<int>(work_.lda()), ldb = static_cast<int>(work_.ldb());
    const char op_a = letter_of(work_.ops.a), op_b = letter_of(work_.ops.b);
    if (work_.operation == Operation::Dgemm) {
      ab_dgemm_blas(op_a, op_b, m, n, k, 1.0, work_.a.data(), lda, work_.b.data(), ldb, 0.0, c_.data(), m);
    } else {
      const auto* a = reinterpret_cast<const ab_complex*>(work_.a.data());
      const auto* b = reinterpret_cast<const ab_complex*>(work_.b.data());
      ab_zgemm_blas(op_a, op_b, m, n, k, 1.0, a, lda, b, ldb, 0.0, reinterpret_cast<ab_complex*>(c_.data()), m);
    }
  }
  std::vector<double> result() override { return c_; }

 private:
  const Workload& work_;
  std::vector<double> c_;
};

class Handle {
 public:
  Handle(Index rows, Index cols) : matrix_(ab_matrix_create(static_cast<int>(rows), static_cast<int>(cols))) {
    if (!matrix_) throw Failure(Exit::NotAvailable, ab_last_error());
  }
  ~Handle() { ab_matrix_destroy(matrix_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator ABMatrix() const { return matrix_; }

 private:
  ABMatrix matrix_;
};

void require_ok(ABStatus status) {
  if (status != AB_OK) throw Failure(Exit::CheckFailed, ab_last_error());
}

class Resident final : public Contender {  // handles: row-major, one per part; ops N N only
 public:
  Resident(const Workload& work, Front front) : work_(work), fresh_(front == Front::Fresh) {
    const auto [m, n, k] = work.shape;
    for (int part = 0; part < work.parts(); ++part) {
      a_.push_back(uploaded(work.a, m, k, part));
      b_.push_back(uploaded(work.b, k, n, part));
      c_.push_back(std::make_unique<Handle>(m, n));
    }
  }

  void make_ready() override {
    if (!fresh_) return;
    for (const auto* operands : {&a_, &b_}) {
      for (const auto& part : *operands) require_ok(ab_matrix_scale(1.0, *part));
    }
  }
  void run() override {
    require_ok(work_.operation == Operation::Dgemm ? ab_dgemm(*a_[0], *b_[0], *c_[0])
                                                   : ab_zgemm(*a_[0], *a_[1], *b_[0], *b_[1], *c_[0], *c_[1]));
  }

  std::vector<double> result() override {
    const auto [m, n, k] = work_.shape;
    std::vector<double> row_major(static_cast<std::size_t>(m * n)), c(static_cast<std::size_t>(work_.result_words()));
    for (int part = 0; part < work_.parts(); ++part) {
      require_ok(ab_matrix_download(*c_[static_cast<std::size_t>(part)], row_major.data(), true));
      for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < m; ++i) {
          c[static_cast<std::size_t>((i + j * m) * work_.parts() + part)] = row_major[static_cast<std::size_t>(i * n + j)];
        }
      }
    }
    return c;
  }

 private:
  std::unique_ptr<Handle> uploaded(const std::vector<double>& words, Index rows, Index cols, int part) const {
    std::vector<double> row_major(static_cast<std::size_t>(rows * cols));
    for (Index j = 0; j < cols; ++j) {
      for (Index i = 0; i < rows; ++i) {
        row_major[static_cast<std::size_t>(i * cols + j)] = words[static_cast<std::size_t>((i + j * rows) * work_.parts() + part)];
      }
    }
    auto handle = std::make_unique<Handle>(rows, cols);
    require_ok(ab_matrix_upload(*handle, row_major.data(), true));
    return handle;
  }

  const Workload& work_;
  const bool fresh_;
  std::vector<std::unique_ptr<Handle>> a_, b_, c_;
};

}  // namespace

std::unique_ptr<Contender> library_contender(const host_blas::Library& library, const Workload& workload) {
  return std::make_unique<BlasLibrary>(library, workload);
}

std::unique_ptr<Contender> host_contender(const Workload& workload) {
  const host_blas::Library* library = host_blas::library();
  return library ? library_contender(*library, workload) : nullptr;
}

std::optional<std::string> host_blas_name() {
  const host_blas::Library* library = host_blas::library();
  if (!library) return std::nullopt;
  return library->version.empty() ? library->file : fmt::format("{} ({})", library->file, library->version);
}

std::unique_ptr<Contender> direct_contender(const Workload& workload, ABPrecision precision, double cpu_share) {
  return std::make_unique<Direct>(workload, precision, cpu_share);
}

std::unique_ptr<Contender> device_contender(const Workload& workload, Front front) {
  if (front == Front::Blas) return std::make_unique<Staged>(workload);
  return std::make_unique<Resident>(workload, front);
}

}  // namespace ab::cli
