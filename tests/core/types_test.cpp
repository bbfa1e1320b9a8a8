// SPDX-License-Identifier: MIT
// The fixed vocabulary of reports, word by word.
#include "core/types.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace ab {
namespace {

TEST(Types, ReasonWordsAreThoseOfTheDocuments) {
  const char* words[] = {
      "",           "quick_return", "reentry",      "disabled",     "forked_child",      "mode_cpu",     "no_device",    "below_min_dim",
      "mode_gpu",   "precision",    "reproducible", "no_host_blas", "no_measurement",    "table_faster", "table_slower", "resident",
      "nonfinite",  "range",        "uncertified",  "memory_cap",   "allocation_failed", "device_error", "device_lost",  "kernel_missing",
      "size_limit", "not_converged"};
  ASSERT_EQ(std::size(words), static_cast<std::size_t>(Reason::Count));
  for (std::size_t i = 0; i < std::size(words); ++i) EXPECT_STREQ(word_of(static_cast<Reason>(i)), words[i]);
  EXPECT_STREQ(word_of(Reason::SizeLimit), "size_limit");
  EXPECT_STREQ(word_of(Reason::NotConverged), "not_converged");
  EXPECT_STREQ(word_of(Reason::Nonfinite), "nonfinite");
  EXPECT_STREQ(word_of(Reason::Resident), "resident");
}

TEST(Types, OtherWords) {
  EXPECT_STREQ(word_of(Precision::DoubleFloat), "dd");
  EXPECT_STREQ(word_of(Precision::Exact), "exact");
  EXPECT_STREQ(word_of(Scheme::Vendor), "vendor");
  EXPECT_STREQ(word_of(Scheme::CrtInt8), "crt_int8");
  EXPECT_STREQ(word_of(Scheme::Exact), "exact");
  EXPECT_STREQ(word_of(Engine::None), "none");
  EXPECT_STREQ(word_of(Engine::Split), "split");
}

}  // namespace
}  // namespace ab
