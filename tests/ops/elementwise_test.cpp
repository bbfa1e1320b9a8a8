// SPDX-License-Identifier: MIT
#include "ops/elementwise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/random.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

using test::Word;
using Words = std::vector<Word>;

constexpr Index padding = 3;  // words before and after

Words random_words(std::size_t count, std::uint64_t start) {
  test::Random random(start);
  Words words(count);
  for (Word& word : words) word = random.below(4) == 0 ? random.bits() : test::word_of(random.uniform());
  return words;
}

class Arrays {  // a, b and out in one piece of memory, padding around each
 public:
  Arrays(const Words& a, const Words& b) : count_(static_cast<Index>(a.size())), words_(3 * a.size() + 4 * padding, 0xABABABABABABABABu) {
    std::copy(a.begin(), a.end(), words_.begin() + place(0));
    std::copy(b.begin(), b.end(), words_.begin() + place(1));
    memory_ = context().device().allocate(words_.size() * 8);
    context().queue().write(*memory_, 0, std::as_bytes(std::span(words_)));
  }
  static Context& context() { return test::context_of(); }
  device::Slice slice(int which) const { return {memory_.get(), static_cast<std::size_t>(place(which)) * 8}; }
  /// The array after the operation; everything else must be what it was.
  Words result(int which) {
    Words after(words_.size());
    context().queue().read(*memory_, 0, std::as_writable_bytes(std::span(after)));
    const auto from = after.begin() + place(which);
    const Words out(from, from + count_);
    std::copy(from, from + count_, words_.begin() + place(which));
    EXPECT_EQ(after, words_) << "something else was written";
    return out;
  }

 private:
  std::ptrdiff_t place(int which) const { return padding + which * (count_ + padding); }
  Index count_;
  Words words_;
  std::unique_ptr<device::Memory> memory_;
};

Word expected(Elementwise operation, double a, double b, double alpha) {
  const double r = operation == Elementwise::Add ? a + b : operation == Elementwise::Subtract ? a - b : alpha * a;
  return std::isnan(r) ? test::nan_word : test::word_of(r);
}

TEST(Elementwise, IsIeeeArithmeticWithCanonicalNans) {
  for (const Index count : {0, 1, 63, 64, 65, 1023, 1024, 1025, 5000}) {
    const Words a = random_words(static_cast<std::size_t>(count), 1), b = random_words(static_cast<std::size_t>(count), 2);
    for (const Elementwise operation : {Elementwise::Add, Elementwise::Subtract, Elementwise::Scale}) {
      for (const int out : {0, 1, 2}) {  // in place of a, of b, or elsewhere
        Arrays arrays(a, b);
        combine(Arrays::context(), operation, {arrays.slice(0), arrays.slice(1), arrays.slice(out), count, -1.7});
        const Words got = arrays.result(out);
        for (std::size_t i = 0; i < got.size(); ++i) {
          ASSERT_EQ(got[i], expected(operation, test::double_of(a[i]), test::double_of(b[i]), -1.7)) << i << " of " << count;
        }
      }
    }
  }
}

TEST(Elementwise, SpecialValues) {
  const double infinity = test::double_of(test::infinity_word), payload = test::double_of(0xFFF4000000000077);
  const auto scaled = [](double alpha, double x) {
    Arrays arrays({test::word_of(x)}, {0});
    combine(Arrays::context(), Elementwise::Scale, arrays.slice(0), arrays.slice(1), arrays.slice(2), 1, alpha);
    return arrays.result(2)[0];
  };
  EXPECT_EQ(scaled(0.0, infinity), test::nan_word);  // no shortcut for zero
  EXPECT_EQ(scaled(0.0, payload), test::nan_word);
  EXPECT_EQ(scaled(1.0, payload), test::nan_word);
  EXPECT_EQ(scaled(-1.0, 0.0), test::sign_bit);
  EXPECT_EQ(scaled(0.5, 0x1p-1074), 0u);  // a tie, to even
  EXPECT_EQ(scaled(0.75, 0x1p-1074), 1u);
  EXPECT_EQ(scaled(2.0, 0x1p1023), test::infinity_word);
  Arrays arrays({test::word_of(infinity), test::word_of(1.0), test::sign_bit}, {test::word_of(infinity), test::word_of(1.0), 0});
  combine(Arrays::context(), Elementwise::Subtract, {arrays.slice(0), arrays.slice(1), arrays.slice(2), 3, 1});
  EXPECT_EQ(arrays.result(2), (Words{test::nan_word, 0, test::sign_bit}));
}

TEST(Elementwise, ScalingDoesNotReadTheOtherOperand) {
  Arrays arrays({test::word_of(3.0)}, {0});
  combine(Arrays::context(), Elementwise::Scale, {arrays.slice(0), {}, arrays.slice(2), 1, 2.0});
  EXPECT_EQ(arrays.result(2), Words{test::word_of(6.0)});
}

TEST(Elementwise, ZerosAndCopies) {
  for (const Index count : {0, 1, 1025}) {
    const Words a = random_words(static_cast<std::size_t>(count), 3);
    Arrays zeros(a, a);
    fill_zero(Arrays::context(), zeros.slice(1), count);
    EXPECT_EQ(zeros.result(1), Words(static_cast<std::size_t>(count), 0));
    Arrays copies(a, a);
    copy(Arrays::context(), copies.slice(0), copies.slice(2), count);  // bit for bit, payloads too
    EXPECT_EQ(copies.result(2), a);
  }
}

}  // namespace
}  // namespace ab::ops
