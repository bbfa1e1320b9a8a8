// SPDX-License-Identifier: MIT
// Device buffers for tests: owned, with their doubles.
#pragma once
#include <gtest/gtest.h>

#include <vector>

#include "apple_bottom_device.h"

namespace ab::test {

class Buffer {
 public:
  explicit Buffer(std::size_t bytes) : handle_(ab_dev_malloc(bytes)) {}
  explicit Buffer(const std::vector<double>& data) : Buffer(data.size() * sizeof(double)) {
    EXPECT_EQ(ab_dev_memcpy_h2d(handle_, 0, data.data(), data.size() * sizeof(double)), AB_OK) << ab_last_error();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { ab_dev_free(handle_); }
  operator ab_dev_buffer_t() const { return handle_; }

  std::vector<double> values() const {
    std::vector<double> out(ab_dev_buffer_size(handle_) / sizeof(double));
    EXPECT_EQ(ab_dev_memcpy_d2h(out.data(), handle_, 0, out.size() * sizeof(double)), AB_OK) << ab_last_error();
    return out;
  }

 private:
  ab_dev_buffer_t handle_;
};

}  // namespace ab::test
