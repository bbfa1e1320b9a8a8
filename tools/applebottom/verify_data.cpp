// SPDX-License-Identifier: MIT
#include "verify_data.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "generator.hpp"

namespace ab::cli {
namespace {

constexpr const char* words[] = {"uniform", "exponents", "integers", "cancel", "graded", "complex_imbalance", "special"};
constexpr int row_span = 150, entry_span = 30, grading = 40, imbalance = -40;  // powers of two
constexpr std::int64_t largest_integer = (1 << 20) - 1;

/// One operand: its vectors are the rows of A or the columns of B.
struct Operand {
  std::vector<double>& words;
  Index vectors, inner;
  Index vector_stride, inner_stride;
  int parts;

  double& at(Index vector, Index term, int part) const {
    return words[static_cast<std::size_t>((vector * vector_stride + term * inner_stride) * parts + part)];
  }
};

template <class Change>
void for_each(const Operand& operand, const Change& change) {
  for (Index vector = 0; vector < operand.vectors; ++vector) {
    for (Index term = 0; term < operand.inner; ++term) {
      for (int part = 0; part < operand.parts; ++part) change(operand.at(vector, term, part), vector, term, part);
    }
  }
}

void spread(const Operand& operand, Generator& generator) {
  for (Index vector = 0; vector < operand.vectors; ++vector) {
    const auto of_vector = static_cast<int>(generator.integer(-row_span / 2, row_span / 2));
    for (Index term = 0; term < operand.inner; ++term) {
      for (int part = 0; part < operand.parts; ++part) {
        double& word = operand.at(vector, term, part);
        word = std::ldexp(word, of_vector + static_cast<int>(generator.integer(-entry_span, entry_span)));
      }
    }
  }
}

enum class Copies { Negated, Plain };
// Every second term is its neighbour again; in the last bits it differs.
void pair_terms(const Operand& operand, Generator& generator, Copies copies) {
  for_each(operand, [&](double& word, Index vector, Index term, int part) {
    if (term % 2 == 0) return;
    const double neighbour = operand.at(vector, term - 1, part);
    word = copies == Copies::Plain ? neighbour : -neighbour * (1 + static_cast<double>(generator.integer(0, 3)) * 0x1p-50);
  });
}

enum class Slope { Rising, Falling };
void grade(const Operand& operand, Slope slope) {
  for_each(operand, [&](double& word, Index, Index term, int) {
    const auto power = static_cast<int>(grading * term / operand.inner);
    word = std::ldexp(word, slope == Slope::Rising ? power : -power);
  });
}

void unbalance(const Operand& operand) {
  for_each(operand, [&](double& word, Index, Index term, int part) {
    if (operand.parts == 2 ? part == 1 : term % 2 == 1) word = std::ldexp(word, imbalance);
  });
}

void strew_specials(const Operand& operand, Generator& generator) {
  constexpr double specials[] = {0.0,
                                 -0.0,
                                 5e-324,
                                 -3e-310,
                                 1e300,
                                 -1e300,
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()};
  constexpr std::int64_t count = std::size(specials);
  const std::int64_t total = operand.vectors * operand.inner * operand.parts;
  for (std::int64_t i = 0; i < count; ++i) {  // few, so that most entries of C stay finite
    operand.words[static_cast<std::size_t>(static_cast<std::int64_t>(generator.bits() >> 1) % total)] = specials[i];
  }
}

}  // namespace

const char* word_of(Family family) {
  return words[static_cast<std::size_t>(family)];
}

Family parse_family(const std::string& word) {
  std::string known;
  for (const Family family : all_families) {
    if (word == word_of(family)) return family;
    known += (known.empty() ? "" : ", ") + std::string(word_of(family));
  }
  throw Failure(Exit::WrongUsage, fmt::format("'{}' is no kind of data; there are {}", word, known));
}

Workload make_workload(Operation operation, const Shape& shape, std::uint64_t seed, Family family) {
  Workload work = make_workload(operation, shape, seed);
  const auto [m, n, k] = shape;
  const Operand a{work.a, m, k, 1, m, work.parts()}, b{work.b, n, k, k, 1, work.parts()};
  Generator generator(seed + 0x5EED);
  switch (family) {
    case Family::Uniform:
      break;
    case Family::Exponents:
      spread(a, generator);
      spread(b, generator);
      break;
    case Family::Integers:
      for (std::vector<double>* operand : {&work.a, &work.b}) {
        for (double& word : *operand) word = static_cast<double>(generator.integer(-largest_integer, largest_integer));
      }
      break;
    case Family::Cancel:
      pair_terms(a, generator, Copies::Negated);
      pair_terms(b, generator, Copies::Plain);
      break;
    case Family::Graded:
      grade(a, Slope::Rising);
      grade(b, Slope::Falling);
      break;
    case Family::ComplexImbalance:
      unbalance(a);
      unbalance(b);
      break;
    case Family::Special:
      strew_specials(a, generator);
      strew_specials(b, generator);
      break;
  }
  return work;
}

}  // namespace ab::cli
