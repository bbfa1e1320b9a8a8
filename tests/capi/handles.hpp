// SPDX-License-Identifier: MIT
// Handles for tests: owned matrices, their words, and tables of calls that must fail and change nothing.
#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apple_bottom.h"

namespace ab::test {

using Words = std::vector<std::uint64_t>;

class Matrix {
 public:
  Matrix(int rows, int cols) : handle_(ab_matrix_create(rows, cols)) {}
  Matrix(int rows, int cols, const std::vector<double>& data) : Matrix(rows, cols) {
    EXPECT_EQ(ab_matrix_upload(handle_, data.data(), true), AB_OK) << ab_last_error();
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() { ab_matrix_destroy(handle_); }

  operator ABMatrix() const { return handle_; }

  /// None when the matrix has no contents.
  std::optional<std::vector<double>> contents() const {
    std::vector<double> data(ab_matrix_count(handle_));
    if (ab_matrix_download(handle_, data.data(), false) != AB_OK) return std::nullopt;
    return data;
  }
  std::optional<Words> words() const {
    const auto data = contents();
    if (!data) return std::nullopt;
    Words words;
    for (double value : *data) words.push_back(std::bit_cast<std::uint64_t>(value));
    return words;
  }

 private:
  ABMatrix handle_;
};

/// rows * cols values 1, 2, 3, ...: every small product of them is exact.
inline std::vector<double> counted(int rows, int cols, double first = 1.0) {
  std::vector<double> data(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  for (double& value : data) value = first++;
  return data;
}

struct Refusal {  // a call that must fail
  std::function<ABStatus()> call;
  ABStatus status;
  std::string error;  // the whole of ab_last_error
};

inline bool equal(const ABStats& a, const ABStats& b) {
  return a.upload_time_ms == b.upload_time_ms && a.download_time_ms == b.download_time_ms && a.kernel_time_ms == b.kernel_time_ms &&
         a.dgemm_count == b.dgemm_count && a.zgemm_count == b.zgemm_count && a.elements_converted == b.elements_converted;
}

/// Each call fails as told and leaves every bit of the watched matrices, their contents flags, the statistics and the last product alone.
inline void expect_refusals(const std::vector<Refusal>& refusals, const std::vector<const Matrix*>& watched) {
  std::vector<std::optional<Words>> before;
  for (const Matrix* matrix : watched) before.push_back(matrix->words());
  ABProduct last_before = {}, last_after = {};
  last_before.struct_size = last_after.struct_size = sizeof(ABProduct);
  ASSERT_EQ(ab_last_product(&last_before), AB_OK);
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.error);
    const ABStats stats = ab_get_stats();
    EXPECT_EQ(refusal.call(), refusal.status);
    EXPECT_EQ(ab_last_error(), refusal.error);
    EXPECT_TRUE(equal(stats, ab_get_stats()));
    for (std::size_t i = 0; i < watched.size(); ++i) EXPECT_EQ(watched[i]->words(), before[i]) << "matrix " << i;
  }
  ASSERT_EQ(ab_last_product(&last_after), AB_OK);
  EXPECT_EQ(last_after.scheme, last_before.scheme);
  EXPECT_EQ(last_after.bound, last_before.bound);
}

class Initialized : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(ab_init(), AB_OK) << ab_last_error(); }
  void TearDown() override { ab_shutdown(); }
};

}  // namespace ab::test
