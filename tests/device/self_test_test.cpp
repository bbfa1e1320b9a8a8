// SPDX-License-Identifier: MIT
#include "device/self_test.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <set>

#include "device/cpu/cpu_device.hpp"
#include "device/registry.hpp"
#include "device/self_test_cases.hpp"
#include "support/faulty_device.hpp"

namespace ab::device {
namespace {

std::string verdict_on(const test::WrongResult& wrong) {
  const std::unique_ptr<Device> cpu = open_cpu();
  test::FaultyDevice device(*cpu);
  device.compute_wrongly(wrong);
  return self_test(device);
}

TEST(SelfTest, EveryDevicePresentPasses) {
  for (int i = 0; i < count(); ++i) EXPECT_EQ(self_test(open(i)), "") << traits_of(i).id;
}

TEST(SelfTest, OneWrongBitOfAnyCaseIsRefusedWithOneReason) {
  constexpr std::size_t bytes = 16;  // of a result
  for (std::size_t i = 0; i < std::size(self_test_cases); i += 7) {
    const std::string reason = verdict_on({"self_test", 1, i * bytes + 4 + i % 4, std::byte{0x10}});
    EXPECT_NE(reason.find("(case " + std::to_string(i) + ")"), std::string::npos) << i << ": " << reason;
    EXPECT_EQ(reason.find('\n'), std::string::npos);
    EXPECT_EQ(reason.find("unknown"), std::string::npos) << reason;
  }
}

TEST(SelfTest, SumsOfLongProductsAreChecked) {
  EXPECT_NE(verdict_on({"modular_gemm_i8", 3, 0, std::byte{1}}).find("int8 products"), std::string::npos);
}

TEST(SelfTest, ResultsOfEveryOperationAreStored) {
  std::set<std::uint64_t> operations;
  for (const auto& test : self_test_cases) operations.insert(test[0]);
  EXPECT_GE(operations.size(), 18u);
  EXPECT_EQ(operations.size(), *operations.rbegin() + 1) << "a number is left out";
}

TEST(SelfTest, PassesWhateverRoundingTheCallerHasChosen) {
  const std::unique_ptr<Device> cpu = open_cpu();
  for (const int rounding : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(rounding);
    const std::string reason = self_test(*cpu);
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(reason, "") << rounding;
  }
}

TEST(SelfTest, ErrorsOfTheDeviceComeThrough) {
  const std::unique_ptr<Device> cpu = open_cpu();
  test::FaultyDevice device(*cpu);
  device.fail_at(0);
  ASSERT_EQ(self_test(device), "");
  const Index calls = device.calls();
  ASSERT_GT(calls, 0);
  for (Index n = 1; n <= calls; ++n) {
    device.fail_at(n);
    EXPECT_THROW(self_test(device), Error) << n;
    EXPECT_EQ(device.bytes_alive(), 0u);
  }
}

}  // namespace
}  // namespace ab::device
