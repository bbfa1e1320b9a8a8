// SPDX-License-Identifier: MIT
// Enumeration, traits and selection; what needs a second device is in faked_cases.cpp.
#include <cstring>
#include <thread>

#include "handles.hpp"

namespace ab::test {
namespace {

ABDeviceTraits traits_of(int index) {
  ABDeviceTraits traits = {};
  traits.struct_size = sizeof traits;
  EXPECT_EQ(ab_device_traits(index, &traits), AB_OK) << ab_last_error();
  return traits;
}

TEST(Devices, TheCpuComesFirstAndNeedsNoInit) {
  ASSERT_GE(ab_device_count(), 1);
  const ABDeviceTraits cpu = traits_of(0);
  EXPECT_EQ(cpu.index, 0);
  EXPECT_STREQ(cpu.id, "cpu");
  EXPECT_STRNE(cpu.name, "");
  EXPECT_GT(cpu.memory_bytes, 0u);
  EXPECT_GT(cpu.max_buffer_bytes, 0u);
  EXPECT_EQ(cpu.unified_memory, 1);
  EXPECT_FALSE(ab_is_initialized());
}

TEST(Devices, EveryDeviceHasItsIndexAndAnId) {
  for (int index = 0; index < ab_device_count(); ++index) {
    const ABDeviceTraits traits = traits_of(index);
    EXPECT_EQ(traits.index, index);
    EXPECT_GT(std::strlen(traits.id), 0u);
    EXPECT_EQ(traits.trusted == 0, traits.reason[0] != '\0');
  }
}

TEST(Devices, TraitsRefuseBadArgumentsAndLeaveTheStructAlone) {
  EXPECT_EQ(ab_device_traits(0, nullptr), AB_ERROR_INVALID_ARG);
  EXPECT_STREQ(ab_last_error(), "ab_device_traits: traits is NULL, expected an ABDeviceTraits");
  ABDeviceTraits traits, before;
  std::memset(&traits, 0x5A, sizeof traits);
  for (const auto& [size, index] : {std::pair(sizeof traits - 1, 0), {std::size_t{0}, 0}, {sizeof traits, -1}, {sizeof traits, 1000}}) {
    traits.struct_size = size;
    before = traits;
    EXPECT_EQ(ab_device_traits(index, &traits), AB_ERROR_INVALID_ARG) << size << " " << index;
    EXPECT_EQ(std::memcmp(&traits, &before, sizeof traits), 0);
  }
}

TEST(Devices, ALargerStructOfALaterVersionKeepsItsTail) {
  struct Later {
    ABDeviceTraits traits;
    unsigned char tail[64];
  } later;
  std::memset(&later, 0x5A, sizeof later);
  later.traits.struct_size = sizeof later;
  ASSERT_EQ(ab_device_traits(0, &later.traits), AB_OK);
  EXPECT_EQ(later.traits.struct_size, sizeof later);
  EXPECT_STREQ(later.traits.id, "cpu");
  for (unsigned char byte : later.tail) EXPECT_EQ(byte, 0x5A);
}

TEST(Devices, SelectionBelongsToTheThreadAndRefusesBadIndices) {
  const int start = ab_current_device();
  ASSERT_EQ(ab_select_device(0), AB_OK) << ab_last_error();
  EXPECT_EQ(ab_current_device(), 0);
  for (int index : {-1, ab_device_count(), 1 << 30}) {
    EXPECT_EQ(ab_select_device(index), AB_ERROR_INVALID_ARG);
    EXPECT_EQ(std::string(ab_last_error()),
              "ab_select_device: index is " + std::to_string(index) + ", expected 0 to " + std::to_string(ab_device_count() - 1));
    EXPECT_EQ(ab_current_device(), 0);
  }
  std::thread([&] { EXPECT_EQ(ab_current_device(), start); }).join();
}

}  // namespace
}  // namespace ab::test
