// SPDX-License-Identifier: MIT
// The operands of one operation, column-major in host memory, and what can be said of a result without trusting any BLAS.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "options.hpp"

namespace ab::cli {

enum class Operation { Dgemm, Zgemm, Dsyrk, Zherk, Dtrsm };
Operation parse_operation(const std::string& word);
/// The first two alone.
Operation parse_product(const std::string& word);
const char* word_of(Operation operation);
constexpr bool is_product(Operation operation) {
  return operation == Operation::Dgemm || operation == Operation::Zgemm;
}

struct Ops {  // of the two factors
  Op a = Op::None, b = Op::None;
  bool operator==(const Ops&) const = default;
};
/// "NT": two letters N, T or C.
Ops parse_ops(const std::string& word);
/// "dgemm", and "dgemm NT" where an operand is not taken as it is stored.
std::string label_of(Operation operation, const Ops& ops);

/// C = op(A) op(B). Rank-k updates: the upper triangle of C = A op(A), shape N x N x K. Solves: A C = B, A lower triangular, shape M x N x
/// M.
struct Workload {
  Operation operation;
  Shape shape;
  Ops ops;
  std::vector<double> a, b;  // as they are stored; complex entries are two doubles

  int parts() const { return operation == Operation::Zgemm || operation == Operation::Zherk ? 2 : 1; }
  bool is_update() const { return operation == Operation::Dsyrk || operation == Operation::Zherk; }
  bool is_solve() const { return operation == Operation::Dtrsm; }
  const std::vector<double>& right() const { return is_update() ? a : b; }
  Index lda() const { return ops.a == Op::None ? shape.m : shape.k; }
  Index ldb() const { return ops.b == Op::None ? shape.k : shape.n; }
  Index result_words() const { return shape.m * shape.n * parts(); }
  /// 2mnk or 8mnk, whatever the method; updates: n(n+1)k or four times that; solves: m^2 n.
  double flops() const;
};

/// What entries are: (u - 0.5) exp(phi g) with u uniform in (0, 1) and g of the standard normal distribution, or u alone.
struct Data {
  double phi = 0;
  bool one_sided = false;
};
/// "uniform", "one-sided", or "phi0.5" with any number.
Data parse_data(const std::string& word);

/// From a generator of our own: the same words on every machine, but for phi > 0, where the mathematical library has a part.
Workload make_workload(Operation operation, const Shape& shape, std::uint64_t seed, const Ops& ops = {}, const Data& data = {});

enum class Entries { Sampled, All };
/// The largest |C - op(A) op(B)| / (2^-53 |A||B|) over entries and parts, complex weights per part; of a solve the largest residual
/// |B - A C| / (2^-53 |A||C|). About 100 entries are sampled, corners included. The reference is a compensated sum kept as a pair: with t
/// terms its own error is below 4 t^2 2^-106 |A||B|, under 2^-15 of the unit for 2^18 terms. Infinity for a result that is not finite.
double error_in_u(const Workload& workload, const std::vector<double>& c, Entries entries);

/// 64 bits that tell two results apart: equal words in equal places give equal sums.
std::uint64_t checksum(const std::vector<double>& words);

}  // namespace ab::cli
