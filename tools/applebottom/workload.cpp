// SPDX-License-Identifier: MIT
#include "workload.hpp"

#include <fmt/core.h>

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

double error_of_entry(const Workload& work, const std::vector<double>& c, Index i, Index j) {
  const auto at = [](const std::vector<double>& words, Index index) { return words[static_cast<std::size_t>(index)]; };
  const auto place = [](Op op, Index row, Index column, Index ld) { return op == Op::None ? row + column * ld : column + row * ld; };
  const auto imaginary_sign = [](Op op) { return op == Op::ConjugateTranspose ? -1.0 : 1.0; };
  Sum re, im;
  for (Index l = 0; l < work.shape.k; ++l) {
    const Index a = place(work.ops.a, i, l, work.lda()), b = place(work.ops.b, l, j, work.ldb());
    if (work.operation == Operation::Dgemm) {
      re.add_product(at(work.a, a), at(work.b, b));
      continue;
    }
    const double ar = at(work.a, 2 * a), ai = imaginary_sign(work.ops.a) * at(work.a, 2 * a + 1);
    const double br = at(work.b, 2 * b), bi = imaginary_sign(work.ops.b) * at(work.b, 2 * b + 1);
    re.add_product(ar, br);
    re.add_product(-ai, bi);
    im.add_product(ar, bi);
    im.add_product(ai, br);
  }
  const Index entry = (i + j * work.shape.m) * work.parts();
  if (work.operation == Operation::Dgemm) return re.error_of(at(c, entry));
  return std::max(re.error_of(at(c, entry)), im.error_of(at(c, entry + 1)));
}

}  // namespace

Operation parse_operation(const std::string& word) {
  if (word == "dgemm") return Operation::Dgemm;
  if (word == "zgemm") return Operation::Zgemm;
  throw Failure(Exit::WrongUsage, fmt::format("'{}' is no operation of this version; there are dgemm, zgemm", word));
}

const char* word_of(Operation operation) {
  return operation == Operation::Dgemm ? "dgemm" : "zgemm";
}

Ops parse_ops(const std::string& word) {
  const std::optional<Op> a = word.size() == 2 ? op_of_letter(word[0]) : std::nullopt;
  const std::optional<Op> b = word.size() == 2 ? op_of_letter(word[1]) : std::nullopt;
  if (!a || !b) throw Failure(Exit::WrongUsage, fmt::format("'{}' is no pair of the letters N, T, C", word));
  return {*a, *b};
}

std::string label_of(Operation operation, const Ops& ops) {
  if (ops == Ops{}) return word_of(operation);
  return fmt::format("{} {}{}", word_of(operation), letter_of(ops.a), letter_of(ops.b));
}

double Workload::flops() const {
  const double volume = static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  return volume * (operation == Operation::Dgemm ? 2.0 : 8.0);
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
  Workload work{operation, shape, ops, {}, {}};
  work.a.resize(static_cast<std::size_t>(shape.m * shape.k * work.parts()));
  work.b.resize(static_cast<std::size_t>(shape.k * shape.n * work.parts()));
  Generator generator(seed);
  for (double& word : work.a) word = entry(generator, data);
  for (double& word : work.b) word = entry(generator, data);
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
