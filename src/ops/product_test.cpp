// SPDX-License-Identifier: MIT
#include "ops/product_test.hpp"

#include <cstdlib>
#include <cstring>
#include <vector>

#include "ops/gemm.hpp"
#include "ops/open_device.hpp"
#include "ops/product_test_cases.hpp"

namespace ab::ops {
namespace {

std::vector<double> doubles_of(const char* digits) {
  std::vector<double> out;
  for (const char* at = digits; *at != '\0'; at += 16) {
    char word[17] = "";
    std::memcpy(word, at, 16);
    out.push_back(__builtin_bit_cast(double, static_cast<std::uint64_t>(std::strtoull(word, nullptr, 16))));
  }
  return out;
}

Op op_of(char letter) {
  return letter == 'N' ? Op::None : letter == 'T' ? Op::Transpose : Op::ConjugateTranspose;
}

template <Scalar T>
T scalar_of(const char* digits) {
  const std::vector<double> words = doubles_of(digits);
  if constexpr (std::is_same_v<T, double>) {
    return words[0];
  } else {
    return {words[0], words[1]};
  }
}

template <Scalar T>
bool passes(Context& context, const ProductTest& test, const Choices& choices) {
  const std::vector<double> a = doubles_of(test.a), b = doubles_of(test.b);
  std::vector<double> c = doubles_of(test.c);
  const GemmProblem<T> problem{test.m,
                               test.n,
                               test.k,
                               scalar_of<T>(test.alpha),
                               {reinterpret_cast<const T*>(a.data()), test.lda, op_of(test.transa)},
                               {reinterpret_cast<const T*>(b.data()), test.ldb, op_of(test.transb)},
                               scalar_of<T>(test.beta),
                               {reinterpret_cast<T*>(c.data()), test.ldc}};
  gemm(context, problem, choices);
  const std::vector<double> expected = doubles_of(test.expected[static_cast<int>(choices.precision) - 1]);
  return std::memcmp(c.data(), expected.data(), c.size() * sizeof(double)) == 0;
}

}  // namespace

std::string test_products(Context& context) {
  // Under no cap residues of results go through memory, which products that fit need not do on every device.
  const bool fused = context.device().traits().product_scratch_bytes > 0;
  for (const ProductTest& test : product_tests) {
    for (const Precision precision : {Precision::DoubleFloat, Precision::Fast, Precision::Fp64, Precision::Strict}) {
      for (const ModuliFamily family : {ModuliFamily::Int8, ModuliFamily::Ten}) {
        Choices choices;
        choices.precision = precision;
        choices.family = family;
        choices.may_exceed_cap = true;
        bool right = test.words == 1 ? passes<double>(context, test, choices) : passes<Complex>(context, test, choices);
        choices.cap_bytes = 0;
        if (right && fused) right = test.words == 1 ? passes<double>(context, test, choices) : passes<Complex>(context, test, choices);
        if (!right) return std::string("product ") + test.name + " in class " + word_of(precision) + ": wrong bits";
      }
    }
  }
  return "";
}

}  // namespace ab::ops
