// SPDX-License-Identifier: MIT
// Registration through the C API; what it does to products is tested in tests/ops and on the fake CUDA driver.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apple_bottom_blas.h"

namespace {

TEST(HostMemoryApi, StatusesAndTexts) {
  std::vector<double> words(100);
  EXPECT_EQ(ab_register_host_memory(nullptr, 8), AB_ERROR_INVALID_ARG);
  EXPECT_STREQ(ab_last_error(), "ab_register_host_memory: base is NULL");
  EXPECT_EQ(ab_register_host_memory(words.data(), 0), AB_ERROR_INVALID_ARG);
  EXPECT_EQ(ab_unregister_host_memory(words.data()), AB_ERROR_INVALID_ARG);
  EXPECT_NE(std::string(ab_last_error()).find("ab_unregister_host_memory: base"), std::string::npos);
  EXPECT_EQ(ab_register_host_memory(words.data(), 800), AB_OK);
  EXPECT_EQ(ab_register_host_memory(words.data() + 50, 8), AB_ERROR_INVALID_ARG);
  EXPECT_EQ(ab_unregister_host_memory(words.data()), AB_OK);
}

TEST(HostMemoryApi, IsRememberedBeforeInitAndKeptByShutdown) {
  ab_shutdown();
  std::vector<double> words(12);
  EXPECT_EQ(ab_register_host_memory(words.data(), 96), AB_OK);
  EXPECT_FALSE(ab_is_initialized());  // no device was opened
  EXPECT_EQ(ab_init(), AB_OK);
  ab_shutdown();
  EXPECT_EQ(ab_register_host_memory(words.data(), 8), AB_ERROR_INVALID_ARG);  // still there
  EXPECT_EQ(ab_unregister_host_memory(words.data()), AB_OK);
}

}  // namespace
