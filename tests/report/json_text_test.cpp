// SPDX-License-Identifier: MIT
// What is written is what a reader of JSON reads.
#include "report/json_text.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace ab::report {
namespace {

std::string text_of(double value) {
  std::string text;
  append_double(text, value);
  return text;
}

TEST(JsonText, StringsReadBack) {
  for (const std::string value : {"", "plain", "a\"b\\c", "tab\tnew\nline", "\x01\x1f", "\xc3\xa4"}) {
    std::string text;
    append_string(text, value);
    EXPECT_EQ(nlohmann::json::parse(text), value);
  }
}

TEST(JsonText, DoublesReadBackToTheSameBits) {
  for (const double value : {0.0, -0.0, 0.1, 1.0 / 3, 1e308, 5e-324, -2.5}) {
    const double again = nlohmann::json::parse(text_of(value)).get<double>();
    EXPECT_EQ(__builtin_bit_cast(std::uint64_t, again), __builtin_bit_cast(std::uint64_t, value)) << text_of(value);
  }
  EXPECT_EQ(text_of(std::numeric_limits<double>::quiet_NaN()), "\"nan\"");
  EXPECT_EQ(text_of(std::numeric_limits<double>::infinity()), "\"inf\"");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "\"-inf\"");
}

TEST(JsonText, MembersStandInTheirOrder) {
  std::string text;
  Members members(text);
  members.add("a", "x");
  members.add("b", std::int64_t{-7});
  members.name("c") += "null";
  members.close();
  EXPECT_EQ(text, "{\"a\":\"x\",\"b\":-7,\"c\":null}");
}

}  // namespace
}  // namespace ab::report
