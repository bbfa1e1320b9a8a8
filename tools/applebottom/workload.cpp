// SPDX-License-Identifier: MIT
#include "workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/arguments.hpp"
#include "generator.hpp"

namespace ab::cli {
namespace {

double entry(Generator& generator, const Data& data) {
  const double x = data.one_sided ? std::fabs(generator.uniform()) * 2 : generator.uniform();
  return data.phi == 0 ? x : x * std::exp(data.phi * generator.normal());
}

/// A sum of products as head + tail, and the sum of the products' magnitudes.
class Sum {
 public:
  void add_product(double x, double y) {
    const double product = x * y;
    add(product, std::fma(x, y, -product));
    weight_ += std::fabs(product);
  }
  /// |c - sum| / (2^-53 weight)
  double error_of(double c) const {
    if (!std::isfinite(c)) return std::numeric_limits<double>::infinity();
    const double difference = std::fabs((c - head_) - tail_);
    return weight_ == 0.0 ? (difference == 0.0 ? 0.0 : std::numeric_limits<double>::infinity()) : difference / (weight_ * 0x1p-53);
  }

 private:
  void add(double product, double rest) {  // TwoSum into the head; what is lost goes to the tail
    const double sum = head_ + product, part = sum - head_;
    tail_ += ((head_ - (sum - part)) + (product - part)) + rest;
    head_ = sum;
  }
  double head_ = 0, tail_ = 0, weight_ = 0;
};

double at(const std::vector<double>& words, Index index) {
  return words[static_cast<std::size_t>(index)];
}

double error_of_product(const Workload& work, const std::vector<double>& c, Index i, Index j) {
  const auto place = [](Op op, Index row, Index column, Index ld) { return op == Op::None ? row + column * ld : column + row * ld; };
  const auto imaginary_sign = [](Op op) { return op == Op::ConjugateTranspose ? -1.0 : 1.0; };
  const std::vector<double>& right = work.right();
  Sum re, im;
  for (Index l = 0; l < work.shape.k; ++l) {
    const Index a = place(work.ops.a, i, l, work.lda()), b = place(work.ops.b, l, j, work.ldb());
    if (work.parts() == 1) {
      re.add_product(at(work.a, a), at(right, b));
      continue;
    }
    const double ar = at(work.a, 2 * a), ai = imaginary_sign(work.ops.a) * at(work.a, 2 * a + 1);
    const double br = at(right, 2 * b), bi = imaginary_sign(work.ops.b) * at(right, 2 * b + 1);
    re.add_product(ar, br);
    re.add_product(-ai, bi);
    im.add_product(ar, bi);
    im.add_product(ai, br);
  }
  const Index entry = (i + j * work.shape.m) * work.parts();
  if (work.parts() == 1) return re.error_of(at(c, entry));
  return std::max(re.error_of(at(c, entry)), im.error_of(at(c, entry + 1)));
}

double error_of_solution(const Workload& work, const std::vector<double>& c, Index i, Index j) {
  Sum sum;
  for (Index l = 0; l <= i; ++l) sum.add_product(at(work.a, i + l * work.lda()), at(c, l + j * work.shape.m));
  return sum.error_of(at(work.b, i + j * work.shape.m));
}

// Of an update only the upper triangle is a result: (i,j) stands for (j,i) there.
double error_of_entry(const Workload& work, const std::vector<double>& c, Index i, Index j) {
  if (work.is_solve()) return error_of_solution(work, c, i, j);
  return work.is_update() && i > j ? error_of_product(work, c, j, i) : error_of_product(work, c, i, j);
}

void require_shape(Operation operation, const Shape& shape) {
  const bool update = operation == Operation::Dsyrk || operation == Operation::Zherk, solve = operation == Operation::Dtrsm;
  if ((!update || shape.m == shape.n) && (!solve || shape.m == shape.k)) return;
  throw Failure(Exit::WrongUsage, fmt::format("{} has shapes {}, not {}", word_of(operation), update ? "NxNxK" : "MxNxM", text_of(shape)));
}

Ops ops_of(Operation operation, const Ops& asked) {
  if (is_product(operation)) return asked;
  if (asked != Ops{}) throw Failure(Exit::WrongUsage, fmt::format("letters are for dgemm and zgemm, not for {}", word_of(operation)));
  if (operation == Operation::Dtrsm) return {};
  return {Op::None, operation == Operation::Zherk ? Op::ConjugateTranspose : Op::Transpose};
}

// So that solutions neither grow nor vanish: a diagonal between 1 and 1.5, or more for other data, beside which a row's other entries are
// small together.
void make_dominant(std::vector<double>& a, Index order) {
  const int scale = std::bit_width(static_cast<std::uint64_t>(order));
  for (Index j = 0; j < order; ++j) {
    for (Index i = 0; i < order; ++i) {
      double& word = a[static_cast<std::size_t>(i + j * order)];
      word = i == j ? 1 + std::fabs(word) : std::ldexp(word, -scale);
    }
  }
}

}  // namespace

constexpr const char* operation_words[] = {"dgemm", "zgemm", "dsyrk", "zherk", "dtrsm"};

Operation parse_operation(const std::string& word) {
  const auto* const found = std::find(std::begin(operation_words), std::end(operation_words), word);
  if (found != std::end(operation_words)) return static_cast<Operation>(found - operation_words);
  throw Failure(Exit::WrongUsage, fmt::format("'{}' is no operation; there are {}", word, fmt::join(operation_words, ", ")));
}

Operation parse_product(const std::string& word) {
  const Operation operation = parse_operation(word);
  if (is_product(operation)) return operation;
  throw Failure(Exit::WrongUsage, fmt::format("'{}' is for bench alone; there are dgemm, zgemm", word));
}

const char* word_of(Operation operation) {
  return operation_words[static_cast<std::size_t>(operation)];
}

Ops parse_ops(const std::string& word) {
  const std::optional<Op> a = word.size() == 2 ? op_of_letter(word[0]) : std::nullopt;
  const std::optional<Op> b = word.size() == 2 ? op_of_letter(word[1]) : std::nullopt;
  if (!a || !b) throw Failure(Exit::WrongUsage, fmt::format("'{}' is no pair of the letters N, T, C", word));
  return {*a, *b};
}

std::string label_of(Operation operation, const Ops& ops) {
  if (ops == Ops{} || !is_product(operation)) return word_of(operation);
  return fmt::format("{} {}{}", word_of(operation), letter_of(ops.a), letter_of(ops.b));
}

double Workload::flops() const {
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k);
  const double multiply_adds = is_solve() ? m * m * n / 2 : is_update() ? n * (n + 1) / 2 * k : m * n * k;
  return multiply_adds * (parts() == 1 ? 2.0 : 8.0);
}

Data parse_data(const std::string& word) {
  if (word == "uniform") return {};
  if (word == "one-sided") return {0, true};
  double phi = 0;
  const char* const end = word.data() + word.size();
  if (word.starts_with("phi")) {
    const auto [stopped, error] = std::from_chars(word.data() + 3, end, phi);
    if (error == std::errc() && stopped == end && phi >= 0 && phi <= 8) return {phi, false};
  }
  throw Failure(Exit::WrongUsage, fmt::format("'{}' is no kind of data; there are uniform, one-sided, phi0 to phi8", word));
}

Workload make_workload(Operation operation, const Shape& shape, std::uint64_t seed, const Ops& ops, const Data& data) {
  require_shape(operation, shape);
  Workload work{operation, shape, ops_of(operation, ops), {}, {}};
  work.a.resize(static_cast<std::size_t>(shape.m * shape.k * work.parts()));
  if (!work.is_update()) work.b.resize(static_cast<std::size_t>(shape.k * shape.n * work.parts()));
  Generator generator(seed);
  for (double& word : work.a) word = entry(generator, data);
  for (double& word : work.b) word = entry(generator, data);
  if (work.is_solve()) make_dominant(work.a, shape.m);
  return work;
}

double error_in_u(const Workload& work, const std::vector<double>& c, Entries entries) {
  const auto [m, n, k] = work.shape;
  double largest = 0;
  if (entries == Entries::All) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < m; ++i) largest = std::max(largest, error_of_entry(work, c, i, j));
    }
    return largest;
  }
  for (const auto& [i, j] : {std::pair<Index, Index>(0, 0), {m - 1, 0}, {0, n - 1}, {m - 1, n - 1}}) {
    largest = std::max(largest, error_of_entry(work, c, i, j));
  }
  constexpr int samples = 96;
  Generator generator(0x5A3D);
  for (int s = 0; s < samples; ++s) {
    const auto i = static_cast<Index>(generator.bits() % static_cast<std::uint64_t>(m));
    const auto j = static_cast<Index>(generator.bits() % static_cast<std::uint64_t>(n));
    largest = std::max(largest, error_of_entry(work, c, i, j));
  }
  return largest;
}

std::uint64_t checksum(const std::vector<double>& words) {
  std::uint64_t sum = 0x243F6A8885A308D3u;
  for (double word : words) {  // odd multiplier and xor-shift: each step is a bijection of the sum
    sum = (sum ^ std::bit_cast<std::uint64_t>(word)) * 0x9E3779B97F4A7C15u;
    sum ^= sum >> 32;
  }
  return sum;
}

}  // namespace ab::cli
