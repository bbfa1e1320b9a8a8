// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <gtest/gtest.h>

namespace ab::cli {
namespace {

Exit status_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Failure& failure) {
    return failure.status();
  }
  return Exit::Fine;
}

TEST(Options, Shapes) {
  const Shape shape = parse_shape("300x200x1000");
  EXPECT_EQ(shape.m, 300);
  EXPECT_EQ(shape.n, 200);
  EXPECT_EQ(shape.k, 1000);
  EXPECT_EQ(text_of(shape), "300x200x1000");
  for (const char* bad : {"", "3", "3x4", "3x4x", "3x4x5x6", "3x-4x5", "0x4x5", "3x4x5 ", "axbxc", "3X4X5", "4294967296x1x1"}) {
    EXPECT_EQ(status_of([&] { parse_shape(bad); }), Exit::WrongUsage) << bad;
  }
}

TEST(Options, ClassesByWord) {
  EXPECT_EQ(parse_precision("dd"), AB_PRECISION_DD);
  EXPECT_EQ(parse_precision("strict"), AB_PRECISION_STRICT);
  EXPECT_EQ(status_of([] { parse_precision("fp63"); }), Exit::WrongUsage);
  EXPECT_EQ(status_of([] { parse_precision("exact"); }), is_available(Precision::Exact) ? Exit::Fine : Exit::WrongUsage);
  for (const std::string& word : available_classes()) EXPECT_EQ(status_of([&] { parse_precision(word); }), Exit::Fine);
}

TEST(Options, DevicesById) {
  EXPECT_EQ(parse_devices("cpu"), std::vector<int>{0});
  EXPECT_EQ(parse_devices("all").size(), static_cast<std::size_t>(ab_device_count()));
  EXPECT_EQ(parse_devices("").size(), 1u);
  EXPECT_EQ(status_of([] { parse_devices("abacus:0"); }), Exit::NotAvailable);
}

}  // namespace
}  // namespace ab::cli
