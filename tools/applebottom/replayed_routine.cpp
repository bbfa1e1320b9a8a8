// SPDX-License-Identifier: MIT
#include "replayed_routine.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "level3_call.hpp"
#include "workload.hpp"

namespace ab::cli {
namespace {

// What a trace does not name is no letter.
char letter_in(const TracedCall& call, const char* key) {
  const auto found = call.arguments.find(key);
  return found == call.arguments.end() ? '\0' : found->get<std::string>().at(0);
}

Arguments arguments_as_written(const Routine& routine, const TracedCall& call) {
  Arguments x;
  x.m = call.shape.m, x.n = call.shape.n, x.k = call.shape.k;
  x.lda = call.arguments.at("lda"), x.ldb = call.arguments.at("ldb"), x.ldc = call.arguments.at("ldc");
  switch (variants_of(routine)) {
    case Variants::TriangleAndTranspose:
      x.uplo = triangle_of_letter(letter_in(call, "uplo"));
      x.op_a = op_of_letter(letter_in(call, "trans"));
      break;
    case Variants::SideAndTriangle:
      x.side = side_of_letter(letter_in(call, "side"));
      x.uplo = triangle_of_letter(letter_in(call, "uplo"));
      if (routine.family == Family::Symmetric) break;
      x.op_a = op_of_letter(letter_in(call, "trans"));
      x.diag = diagonal_of_letter(letter_in(call, "diag"));
      break;
    default:
      if (routine.family == Family::Gemmt) x.uplo = triangle_of_letter(letter_in(call, "uplo"));
      x.op_a = op_of_letter(letter_in(call, "ta"));
      x.op_b = op_of_letter(letter_in(call, "tb"));
  }
  return x;
}

// A trace does not say how a CBLAS call was ordered.
Arguments arguments_of(const Routine& routine, const TracedCall& call) {
  const Arguments x = arguments_as_written(routine, call);
  if (call.api != "cblas" || !find_fault(routine, x)) return x;
  const Arguments by_rows = exchanged(routine, x);
  return find_fault(routine, by_rows) ? x : by_rows;
}

Index products_of(const TracedCall& call) {
  return call.arguments.value("products", Index{1});
}

bool is_too_large(const TracedCall& call) {
  constexpr Index most = std::numeric_limits<int>::max();
  const auto& [m, n, k] = call.shape;
  Index largest = std::max({m, n, k});
  for (const char* key : {"lda", "ldb", "ldc"}) largest = std::max(largest, call.arguments.at(key).get<Index>());
  return largest > most || products_of(call) > most || std::min({m, n, k}) < 0 || products_of(call) < 0;
}

std::string fault_of(const TracedCall& call, const Routine& routine) {
  if (is_too_large(call)) return "a dimension is out of range";
  const auto fault = find_fault(routine, arguments_of(routine, call));
  if (!fault) return "";
  return fault->expected != nullptr ? std::string("a letter is none of ") + fault->expected : "its leading dimensions do not fit its shape";
}

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Replayed replay_blas(const TracedCall& traced, Generator& generator) {
  const Routine& routine = *find_routine(traced.routine);
  Level3Call call = make_level3_call(routine, arguments_of(routine, traced), {traced.alpha, traced.beta}, products_of(traced), generator);
  const Clock clock;
  run_level3(call, call.c);
  return {clock.seconds(), checksum(call.c)};
}

// ---- operations on handles: row-major, whole matrices

bool is_of_handles(const std::string& routine) {
  return routine == "dsyrk" || routine == "zherk" || routine == "dtrsm" || routine == "dgesv_mpir";
}

void require_ok(ABStatus status) {
  if (status != AB_OK) throw Failure(Exit::CheckFailed, ab_last_error());
}

class Handle {
 public:
  Handle(Index rows, Index cols) : matrix_(ab_matrix_create(static_cast<int>(rows), static_cast<int>(cols))) {
    if (matrix_ == nullptr) throw Failure(Exit::CheckFailed, ab_last_error());
  }
  ~Handle() { ab_matrix_destroy(matrix_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator ABMatrix() const { return matrix_; }

  void fill(Generator& generator) {
    std::vector<double> words(ab_matrix_count(matrix_));
    for (double& word : words) word = generator.uniform();
    require_ok(ab_matrix_upload(matrix_, words.data(), true));
  }
  /// So that solutions neither grow nor vanish.
  void fill_dominant(Index order, Generator& generator) {
    std::vector<double> words(ab_matrix_count(matrix_));
    for (std::size_t at = 0; at < words.size(); ++at) {
      const double word = generator.uniform();
      words[at] = at % static_cast<std::size_t>(order + 1) == 0 ? 1 + std::abs(word) : word / static_cast<double>(order);
    }
    require_ok(ab_matrix_upload(matrix_, words.data(), true));
  }
  void append_to(std::vector<double>& all) const {
    std::vector<double> words(ab_matrix_count(matrix_));
    require_ok(ab_matrix_download(matrix_, words.data(), true));
    all.insert(all.end(), words.begin(), words.end());
  }

 private:
  ABMatrix matrix_;
};

Replayed replay_update(const TracedCall& call, Generator& generator) {
  const auto& [m, n, k] = call.shape;
  Handle re(n, k), im(n, k);
  const Handle c(n, n), d(n, n);
  re.fill(generator);
  im.fill(generator);
  const Clock clock;
  require_ok(call.complex() ? ab_zherk(re, im, c, d) : ab_dsyrk(re, c));
  Replayed replayed{clock.seconds(), 0};
  std::vector<double> all;
  c.append_to(all);
  if (call.complex()) d.append_to(all);
  replayed.checksum = checksum(all);
  return replayed;
}

ABStatus solve(const TracedCall& call, ABMatrix a, ABMatrix b) {
  if (call.routine == "dgesv_mpir") return ab_dgesv_mpir(a, b);
  const char trans = letter_in(call, "trans");
  return ab_dtrsm(letter_in(call, "side") == 'L' ? AB_LEFT : AB_RIGHT, letter_in(call, "uplo") == 'U' ? AB_UPPER : AB_LOWER,
                  trans == 'N'   ? AB_NO_TRANS
                  : trans == 'T' ? AB_TRANS
                                 : AB_CONJ_TRANS,
                  letter_in(call, "diag") == 'U' ? AB_UNIT_DIAG : AB_NON_UNIT, call.alpha.real(), a, b);
}

Replayed replay_solve(const TracedCall& call, Generator& generator) {
  Handle a(call.shape.k, call.shape.k), b(call.shape.m, call.shape.n);
  a.fill_dominant(call.shape.k, generator);
  b.fill(generator);
  const Clock clock;
  require_ok(solve(call, a, b));
  Replayed replayed{clock.seconds(), 0};
  std::vector<double> all;
  b.append_to(all);
  replayed.checksum = checksum(all);
  return replayed;
}

std::string fault_of_handles(const TracedCall& call) {
  if (!is_of_handles(call.routine)) return call.routine + " is not replayed";
  if (is_too_large(call)) return "a dimension is out of range";
  const auto& [m, n, k] = call.shape;
  if (std::min({m, n, k}) < 1) return "a matrix is empty";
  const bool fits = call.routine.ends_with("rk") ? m == n
                    : call.routine == "dtrsm"    ? k == (letter_in(call, "side") == 'L' ? m : n)
                                                 : k == m;
  return fits ? "" : "its dimensions do not fit";
}

}  // namespace

bool is_gemm(const TracedCall& call) {
  return call.routine == "dgemm" || call.routine == "zgemm";
}

std::uint64_t seed_of(const TracedCall& call, std::uint64_t seed) {
  return seed ^ (static_cast<std::uint64_t>(call.sequence) << 20);
}

std::string why_routine_is_not_replayed(const TracedCall& call) {
  try {
    if (call.category != "blas") return fault_of_handles(call);
    const Routine* routine = find_routine(call.routine);
    return routine == nullptr ? call.routine + " is not replayed" : fault_of(call, *routine);
  } catch (const std::exception& error) {
    return error.what();
  }
}

Replayed replay_routine(const TracedCall& call, std::uint64_t seed) {
  Generator generator(seed_of(call, seed));
  if (call.category == "blas") return replay_blas(call, generator);
  return call.routine.ends_with("rk") ? replay_update(call, generator) : replay_solve(call, generator);
}

}  // namespace ab::cli
