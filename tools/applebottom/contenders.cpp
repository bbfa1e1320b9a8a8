// SPDX-License-Identifier: MIT
#include "contenders.hpp"

#include <fmt/core.h>

#include <array>

#include "blas/gemm.hpp"
#include "core/thread_state.hpp"
#include "host_blas/host_blas.hpp"
#include "ops/split.hpp"

namespace ab::cli {
namespace {

template <Scalar T>
GemmProblem<T> problem_of(const Workload& work, std::vector<double>& c) {
  const auto [m, n, k] = work.shape;
  auto* result = reinterpret_cast<T*>(c.data());
  GemmProblem<T> problem{m,
                         n,
                         k,
                         T(1),
                         {reinterpret_cast<const T*>(work.a.data()), work.lda(), work.ops.a},
                         {reinterpret_cast<const T*>(work.right().data()), work.ldb(), work.ops.b},
                         T(0),
                         {result, m}};
  if (work.is_update()) problem.triangle = Triangle::Upper;
  problem.hermitian = work.operation == Operation::Zherk;
  if (work.is_solve()) {
    problem.a.form = Form::Triangular, problem.a.stored = Triangle::Lower;
    problem.b.data = result;
    problem.operation = ab::Operation::Solve;
  }
  return problem;
}

const Routine& routine_of(const Workload& work) {
  return *find_routine(word_of(work.operation));
}

class InHostMemory : public Contender {
 public:
  explicit InHostMemory(const Workload& work) : work_(work), c_(static_cast<std::size_t>(work.result_words())) {}

  void make_ready() override {
    if (work_.is_solve()) c_ = work_.b;  // which the solution replaces
  }
  void run() override { work_.parts() == 1 ? run_problem(problem_of<double>(work_, c_)) : run_problem(problem_of<Complex>(work_, c_)); }
  std::vector<double> result() override { return c_; }

 protected:
  const Routine& routine() const { return routine_of(work_); }

 private:
  virtual void run_problem(const GemmProblem<double>& problem) = 0;
  virtual void run_problem(const GemmProblem<Complex>& problem) = 0;

  const Workload& work_;
  std::vector<double> c_;
};

class BlasLibrary final : public InHostMemory {
 public:
  BlasLibrary(const host_blas::Library& library, const Workload& work) : InHostMemory(work), library_(library) {}

 private:
  void run_problem(const GemmProblem<double>& problem) override { host_blas::call(library_, routine(), problem, {}, thread_state()); }
  void run_problem(const GemmProblem<Complex>& problem) override { host_blas::call(library_, routine(), problem, {}, thread_state()); }

  const host_blas::Library& library_;
};

class Staged final : public InHostMemory {  // as the BLAS ABI does it, once arguments are checked
 public:
  using InHostMemory::InHostMemory;

 private:
  void run_problem(const GemmProblem<double>& problem) override { blas::run_gemm(problem, front()); }
  void run_problem(const GemmProblem<Complex>& problem) override { blas::run_gemm(problem, front()); }
  blas::Front front() const { return {&routine(), report::Api::C}; }
};

class Direct final : public Contender {
 public:
  Direct(const Workload& work, const ops::Choices& choices)
      : work_(work), choices_(choices), device_(ops::current_context()), c_(static_cast<std::size_t>(work.result_words())) {
    if (choices.cpu_share == 0) return;
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
  const ops::Choices choices_;
  std::shared_ptr<ops::Context> device_, cpu_;
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

class Resident final : public Contender {  // handles: row-major, one per part; products N N only
 public:
  Resident(const Workload& work, Front front) : work_(work), fresh_(front == Front::Fresh) {
    const auto [m, n, k] = work.shape;
    for (int part = 0; part < work.parts(); ++part) {
      a_.push_back(uploaded(work.a, m, k, part));
      if (!work.is_update()) b_.push_back(uploaded(work.b, k, n, part));
      c_.push_back(std::make_unique<Handle>(m, n));
    }
  }

  void make_ready() override {
    if (work_.is_solve()) require_ok(ab_matrix_copy(*b_[0], *c_[0]));  // which the solution replaces
    if (!fresh_) return;
    for (const auto* operands : {&a_, &b_}) {
      for (const auto& part : *operands) require_ok(ab_matrix_scale(1.0, *part));
    }
  }
  void run() override { require_ok(compute()); }

  std::vector<double> result() override {
    const auto [m, n, k] = work_.shape;
    std::vector<double> row_major(static_cast<std::size_t>(m * n)), c(static_cast<std::size_t>(work_.result_words()));
    for (int part = 0; part < work_.parts(); ++part) {
      require_ok(ab_matrix_download(*c_[static_cast<std::size_t>(part)], row_major.data(), true));
      for (Index j = 0; j < n; ++j) {
        const Index rows = work_.is_update() ? j + 1 : m;  // ab_zherk writes both triangles
        for (Index i = 0; i < rows; ++i) {
          c[static_cast<std::size_t>((i + j * m) * work_.parts() + part)] = row_major[static_cast<std::size_t>(i * n + j)];
        }
      }
    }
    return c;
  }

 private:
  ABStatus compute() {
    switch (work_.operation) {
      case Operation::Dgemm:
        return ab_dgemm(*a_[0], *b_[0], *c_[0]);
      case Operation::Zgemm:
        return ab_zgemm(*a_[0], *a_[1], *b_[0], *b_[1], *c_[0], *c_[1]);
      case Operation::Dsyrk:
        return ab_dsyrk(*a_[0], *c_[0]);
      case Operation::Zherk:
        return ab_zherk(*a_[0], *a_[1], *c_[0], *c_[1]);
      default:
        return ab_dtrsm(AB_LEFT, AB_LOWER, AB_NO_TRANS, AB_NON_UNIT, 1.0, *a_[0], *c_[0]);
    }
  }

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
  if (library.of(routine_of(workload)).fortran != nullptr) return std::make_unique<BlasLibrary>(library, workload);
  throw Failure(Exit::NotAvailable, fmt::format("{} has no {}", library.file, word_of(workload.operation)));
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
  ops::Choices choices;
  choices.precision = static_cast<Precision>(precision);
  choices.cpu_share = cpu_share;
  return std::make_unique<Direct>(workload, choices);
}

std::unique_ptr<Contender> vendor_contender(const Workload& workload) {
  ops::Choices choices;
  choices.method = Method::Vendor;
  return std::make_unique<Direct>(workload, choices);
}

bool has_vendor_gemm() {
  const Workload probe = make_workload(Operation::Dgemm, {64, 64, 64}, 1);
  try {
    vendor_contender(probe)->run();
    return true;
  } catch (const std::exception&) {  // no such kernel, a library that does not start, a decline
    return false;
  }
}

std::unique_ptr<Contender> device_contender(const Workload& workload, Front front) {
  if (front == Front::Blas) return std::make_unique<Staged>(workload);
  return std::make_unique<Resident>(workload, front);
}

}  // namespace ab::cli
