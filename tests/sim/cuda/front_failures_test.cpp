// SPDX-License-Identifier: MIT
// Every driver call of a product may fail, seen from the front doors. A BLAS call then ends with a right C and one counted reason; a
// handle call with a right C, or with a status and C as it was (or complete, when the last wait has failed); nothing is lost. A device
// that fails three times in a row, or is lost, is given up. What is given up stays so for the process: such cases have one of their own.
#include <cstdlib>

#include "apple_bottom.h"
#include "core/thread_state.hpp"
#include "report/ledger.hpp"
#include "report/run_self.hpp"
#include "sim/cuda/fake.hpp"

namespace ab::test {
namespace {

constexpr int m = 5, n = 4, k = 9, padding = 2;
using Words = std::vector<double>;

// Small integers: whoever computes, the result is exact.
Words integers(std::size_t count, int start) {
  Words words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = static_cast<double>((static_cast<int>(i) * 7 + start) % 19 - 9);
  return words;
}

struct Blas {  // C = 2 A B - C with rows of padding
  Words a = integers(m * k, 1), b = integers(k * n, 5), c = integers((m + padding) * n, 3);

  Words expected() const {
    Words out = c;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        double sum = 0;
        for (int l = 0; l < k; ++l) sum += a[static_cast<std::size_t>(i + l * m)] * b[static_cast<std::size_t>(l + j * k)];
        double& entry = out[static_cast<std::size_t>(i + j * (m + padding))];
        entry = 2 * sum - entry;
      }
    }
    return out;
  }
  Words run() const {
    Words out = c;
    ab_dgemm_blas('N', 'N', m, n, k, 2, a.data(), m, b.data(), k, -1, out.data(), m + padding);
    return out;
  }
};

Reason last_reason() {
  return thread_state().last_product.fallback_reason;
}

std::uint64_t declines() {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : report::totals().declines) sum += count;
  return sum;
}

void stop_failing() {
  fake().fail_at(0, 0, FakeFailures::One);
}

class CudaFronts : public OnFakeDriver {
 protected:
  void TearDown() override {
    stop_failing();
    ab_shutdown();
    OnFakeDriver::TearDown();
    EXPECT_EQ(fake().alive().device_buffers, 0);
  }
};

// Fails each driver call in turn; after each failure one call that succeeds, so that no three come in a row.
void fail_blas_everywhere(int result, FakeFailures failures) {
  constexpr long most_calls = 5000;
  const Blas blas;
  const Words expected = blas.expected();
  ASSERT_EQ(blas.run(), expected);
  ASSERT_EQ(thread_state().last_product.device, 1);
  long calls = 0, fallen_back = 0, call = 0;
  do {
    const std::uint64_t calls_before = report::totals().calls, declines_before = declines();
    fake().fail_at(++call, result, failures);
    const Words c = blas.run();
    calls = fake().calls();
    stop_failing();
    ASSERT_EQ(c, expected) << "call " << call << " failed with " << result;
    const Reason reason = last_reason();
    ASSERT_TRUE(reason == Reason::None || reason == Reason::DeviceError || reason == Reason::AllocationFailed) << word_of(reason);
    ASSERT_EQ(report::totals().calls, calls_before + 1);
    ASSERT_EQ(declines(), declines_before + (reason == Reason::None ? 0 : 1));
    fallen_back += reason == Reason::None ? 0 : 1;
    ASSERT_EQ(blas.run(), expected);
    ASSERT_EQ(last_reason(), Reason::None) << "after call " << call;
  } while (calls >= call && call < most_calls);
  EXPECT_GT(fallen_back, 10);
  EXPECT_LT(call, most_calls);
}

TEST_F(CudaFronts, BlasCallsEndRightAndCountOneReason) {
  ASSERT_NE(std::getenv("AB_REPORT"), nullptr);  // calls are counted
  for (const int result : {invalid_value, out_of_memory}) fail_blas_everywhere(result, FakeFailures::One);
  fail_blas_everywhere(out_of_memory, FakeFailures::AllFromThere);
}

class Matrices {
 public:
  Matrices() {
    for (ABMatrix* matrix : {&a, &b, &c}) {
      *matrix = ab_matrix_create(k, k);
      EXPECT_NE(*matrix, nullptr);
    }
    write();
  }
  ~Matrices() {
    for (ABMatrix matrix : {a, b, c}) ab_matrix_destroy(matrix);
  }
  void write() const {  // anew: nothing of them is prepared
    EXPECT_EQ(ab_matrix_upload(a, one.data(), true), AB_OK);
    EXPECT_EQ(ab_matrix_upload(b, other.data(), true), AB_OK);
    EXPECT_EQ(ab_matrix_upload(c, before.data(), true), AB_OK);
  }
  Words result() const {
    Words words(k * k);
    EXPECT_EQ(ab_matrix_download(c, words.data(), true), AB_OK);
    return words;
  }
  Words product() const {
    Words out(k * k);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) {
        double sum = 0;
        for (std::size_t l = 0; l < k; ++l) sum += one[i * k + l] * other[l * k + j];
        out[i * k + j] = 3 * sum + before[i * k + j];
      }
    }
    return out;
  }
  ABMatrix a = nullptr, b = nullptr, c = nullptr;
  const Words one = integers(k * k, 2), other = integers(k * k, 4), before = integers(k * k, 6);
};

TEST_F(CudaFronts, HandleCallsEndRightOrLeaveCAsItWas) {
  constexpr long most_calls = 5000;
  ASSERT_EQ(ab_init(), AB_OK);
  const Matrices matrices;
  const Words product = matrices.product();
  for (const int result : {invalid_value, out_of_memory}) {
    long calls = 0, errors = 0, written = 0, call = 0;
    do {
      matrices.write();
      ABStats before = ab_get_stats();
      fake().fail_at(++call, result, FakeFailures::One);
      const ABStatus status = ab_dgemm_scaled(3, matrices.a, matrices.b, 1, matrices.c);
      calls = fake().calls();
      stop_failing();
      const ABStats after = ab_get_stats();
      ASSERT_TRUE(status == AB_OK || status == AB_ERROR_ALLOC_FAILED || status == AB_ERROR_KERNEL_FAILED) << status;
      const Words result = matrices.result();
      ASSERT_TRUE(result == product || (status != AB_OK && result == matrices.before)) << "call " << call << ": " << ab_last_error();
      written += status != AB_OK && result == product ? 1 : 0;
      ASSERT_EQ(after.dgemm_count - before.dgemm_count, status == AB_OK ? 1u : 0u);
      errors += status == AB_OK ? 0 : 1;
    } while (calls >= call && call < most_calls);
    EXPECT_GT(errors, 10);
    EXPECT_LT(written, 10);  // the driver calls of the waits behind the last launch
    EXPECT_LT(call, most_calls);
  }
}

// Launches of the one product that a fresh process makes.
void lose_the_device() {
  const Blas blas;
  const Words expected = blas.expected();
  EXPECT_EQ(blas.run(), expected);
  fake().fault_at_launch(2);
  EXPECT_EQ(blas.run(), expected);
  EXPECT_EQ(last_reason(), Reason::DeviceLost);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(blas.run(), expected);  // no device is tried any more
    EXPECT_EQ(last_reason(), Reason::None);
    EXPECT_EQ(thread_state().last_product.route_reason, Reason::NoDevice);
  }
}

TEST(Inner, DISABLED_ALostDevice) {
  lose_the_device();
}

TEST(Inner, DISABLED_ThreeErrorsInARow) {
  const Blas blas;
  const Words expected = blas.expected();
  EXPECT_EQ(blas.run(), expected);
  for (int i = 0; i < 3; ++i) {
    fake().fail_at(1, invalid_value, FakeFailures::AllFromThere);
    EXPECT_EQ(blas.run(), expected);
    EXPECT_EQ(last_reason(), Reason::DeviceError);
  }
  const long calls = fake().calls();
  EXPECT_EQ(blas.run(), expected);
  EXPECT_EQ(thread_state().last_product.route_reason, Reason::NoDevice);
  EXPECT_EQ(fake().calls(), calls);  // the driver is left alone
}

TEST(Inner, DISABLED_ADeviceThatDoesNotOpen) {
  const Blas blas;
  const Words expected = blas.expected();
  fake().fail_at(1, invalid_value, FakeFailures::AllFromThere);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(blas.run(), expected);
}

TEST(CudaFrontsAlone, WhatIsGivenUpIsWarnedOfOnce) {
  const Variables variables = {{"AB_REPORT", "0"}};
  const struct {
    const char *test, *warning;
  } cases[] = {{"ALostDevice", "it was lost"}, {"ThreeErrorsInARow", "it failed three times in a row"}};
  for (const auto& [test, warning] : cases) {
    const Ended ended = run_self(std::string("Inner.DISABLED_") + test, variables);
    EXPECT_EQ(ended.exit_status, 0) << test << ended.errors;
    EXPECT_EQ(ended.errors, std::string("apple-bottom: AB_DEVICE=\"cuda:0\" is not used (") + warning + "); BLAS calls stay on the host\n");
  }
  EXPECT_EQ(run_self("Inner.DISABLED_ADeviceThatDoesNotOpen", variables).exit_status, 0);
}

}  // namespace
}  // namespace ab::test
