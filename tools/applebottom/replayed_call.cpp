// SPDX-License-Identifier: MIT
#include "replayed_call.hpp"

#include <fmt/core.h>

#include <chrono>
#include <limits>
#include <vector>

#include "apple_bottom_device.h"
#include "core/arguments.hpp"
#include "generator.hpp"
#include "replayed_routine.hpp"
#include "workload.hpp"

namespace ab::cli {
namespace {

struct Matrix {
  Index rows, columns, ld;  // as it is stored, column-major

  std::size_t elements() const { return columns == 0 || rows == 0 ? 0 : static_cast<std::size_t>((columns - 1) * ld + rows); }
};

struct Product {  // column-major
  int parts;
  char op_a, op_b;
  Index m, n, k;
  Matrix a, b, c;
};

Matrix stored(char op, Index rows, Index columns, Index ld) {
  return op == 'N' ? Matrix{rows, columns, ld} : Matrix{columns, rows, ld};
}

bool fits(const Product& product) {
  const auto enough = [](const Matrix& matrix) { return matrix.ld >= std::max<Index>(1, matrix.rows); };
  return enough(product.a) && enough(product.b) && enough(product.c);
}

/// The call as it is written, or of the transposes, which is what its row-major reading means.
Product read_as(const TracedCall& call, bool row_major) {
  const nlohmann::json& given = call.arguments;
  const char ta = given.at("ta").get<std::string>().at(0), tb = given.at("tb").get<std::string>().at(0);
  const Index lda = given.at("lda"), ldb = given.at("ldb"), ldc = given.at("ldc");
  const auto [m, n, k] = call.shape;
  const int parts = call.complex() ? 2 : 1;
  if (row_major) return {parts, tb, ta, n, m, k, stored(tb, n, k, ldb), stored(ta, k, m, lda), {n, m, ldc}};
  return {parts, ta, tb, m, n, k, stored(ta, m, k, lda), stored(tb, k, n, ldb), {m, n, ldc}};
}

// A trace does not say how a CBLAS call was ordered; handles are row-major.
Product product_of(const TracedCall& call) {
  const Product as_written = read_as(call, false);
  if (call.category == "handle") return read_as(call, true);
  return call.api == "cblas" && !fits(as_written) ? read_as(call, true) : as_written;
}

std::vector<double> random_words(std::size_t count, Generator& generator) {
  std::vector<double> words(count);
  for (double& word : words) word = generator.uniform();
  return words;
}

class Clock {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Operands {
  std::vector<double> a, b, c;
};

int as_int(Index value) {
  return static_cast<int>(value);
}

double call_blas(const TracedCall& call, const Product& p, Operands& data) {
  const int m = as_int(p.m), n = as_int(p.n), k = as_int(p.k);
  const int lda = as_int(p.a.ld), ldb = as_int(p.b.ld), ldc = as_int(p.c.ld);
  const Clock clock;
  if (p.parts == 1) {
    ab_dgemm_blas(p.op_a, p.op_b, m, n, k, call.alpha.real(), data.a.data(), lda, data.b.data(), ldb, call.beta.real(), data.c.data(), ldc);
  } else {
    ab_zgemm_blas(p.op_a, p.op_b, m, n, k, call.alpha, reinterpret_cast<const ab_complex*>(data.a.data()), lda,
                  reinterpret_cast<const ab_complex*>(data.b.data()), ldb, call.beta, reinterpret_cast<ab_complex*>(data.c.data()), ldc);
  }
  return clock.seconds();
}

void require_ok(ABStatus status) {
  if (status != AB_OK) throw Failure(Exit::CheckFailed, ab_last_error());
}

class Buffer {  // a copy on the device
 public:
  explicit Buffer(const std::vector<double>& words)
      : bytes_(words.size() * sizeof(double)), buffer_(ab_dev_malloc(std::max<std::size_t>(8, bytes_))) {
    if (buffer_ == nullptr) throw Failure(Exit::CheckFailed, ab_last_error());
    require_ok(ab_dev_memcpy_h2d(buffer_, 0, words.data(), bytes_));
  }
  ~Buffer() { ab_dev_free(buffer_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  operator ab_dev_buffer_t() const { return buffer_; }
  void copy_to(std::vector<double>& words) const { require_ok(ab_dev_memcpy_d2h(words.data(), buffer_, 0, bytes_)); }

 private:
  std::size_t bytes_;
  ab_dev_buffer_t buffer_;
};

ABTranspose transpose_of(char op) {
  return op == 'N' ? AB_NO_TRANS : op == 'T' ? AB_TRANS : AB_CONJ_TRANS;
}

double call_on_buffers(const TracedCall& call, const Product& p, Operands& data) {
  const Buffer a(data.a), b(data.b), c(data.c);
  const double alpha[2] = {call.alpha.real(), call.alpha.imag()}, beta[2] = {call.beta.real(), call.beta.imag()};
  const auto ta = transpose_of(p.op_a), tb = transpose_of(p.op_b);
  const int m = as_int(p.m), n = as_int(p.n), k = as_int(p.k);
  const int lda = as_int(p.a.ld), ldb = as_int(p.b.ld), ldc = as_int(p.c.ld);
  const Clock clock;
  require_ok(p.parts == 1 ? ab_dev_dgemm(ta, tb, m, n, k, alpha[0], a, lda, b, ldb, beta[0], c, ldc)
                          : ab_dev_zgemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc));
  const double seconds = clock.seconds();
  c.copy_to(data.c);
  return seconds;
}

}  // namespace

std::string why_not_replayed(const TracedCall& call) {
  if (!is_gemm(call)) return why_routine_is_not_replayed(call);
  try {
    const Product product = product_of(call);
    for (const char op : {product.op_a, product.op_b}) {
      if (op != 'N' && op != 'T' && op != 'C') return "a letter is none of N, T, C";
    }
    const Index most = std::numeric_limits<int>::max();
    for (const Matrix& matrix : {product.a, product.b, product.c}) {
      if (matrix.rows < 0 || matrix.columns < 0 || std::max({matrix.rows, matrix.columns, matrix.ld}) > most)
        return "a dimension is out of range";
    }
    return fits(product) ? "" : "its leading dimensions do not fit its shape";
  } catch (const std::exception& error) {
    return error.what();
  }
}

ABPrecision precision_of(const TracedCall& call) {
  return parse_precision(call.precision);
}

Replayed replay(const TracedCall& call, std::uint64_t seed, ABPrecision precision) {
  if (ab_set_precision(precision) != AB_OK) throw Failure(Exit::CheckFailed, ab_last_error());
  if (!is_gemm(call)) return replay_routine(call, seed);
  const Product product = product_of(call);
  const auto parts = static_cast<std::size_t>(product.parts);
  Generator generator(seed_of(call, seed));
  Operands data{random_words(product.a.elements() * parts, generator), random_words(product.b.elements() * parts, generator),
                random_words(product.c.elements() * parts, generator)};
  if (call.beta == 0.0) data.c.assign(data.c.size(), std::numeric_limits<double>::quiet_NaN());
  Replayed replayed;
  replayed.seconds = call.category == "blas" ? call_blas(call, product, data) : call_on_buffers(call, product, data);
  replayed.checksum = checksum(data.c);
  return replayed;
}

}  // namespace ab::cli
