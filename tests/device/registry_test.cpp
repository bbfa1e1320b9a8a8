// SPDX-License-Identifier: MIT
#include "device/registry.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace ab::device {
namespace {

TEST(Registry, CpuIsThereAndFirst) {
  ASSERT_GE(count(), 1);
  EXPECT_EQ(traits_of(0).id, "cpu");
  EXPECT_TRUE(traits_of(0).fp64);
  EXPECT_TRUE(traits_of(0).unified_memory);
  EXPECT_GT(traits_of(0).memory_bytes, 0u);
  EXPECT_FALSE(traits_of(0).name.empty());
}

TEST(Registry, EveryDeviceIsFoundByItsId) {
  std::set<std::string> ids;
  for (int i = 0; i < count(); ++i) {
    EXPECT_EQ(index_of_id(traits_of(i).id), i);
    EXPECT_TRUE(ids.insert(traits_of(i).id).second) << traits_of(i).id;
  }
}

TEST(Registry, UnknownIdsAreNoDevice) {
  for (const char* id : {"", "abacus", "cpu:7", "cp", "CPU"}) EXPECT_EQ(index_of_id(id), -1) << id;
}

TEST(Registry, ADeviceIsOpenedOnceWhoeverAsks) {
  std::vector<Device*> opened(16);
  std::vector<std::thread> threads;
  for (Device*& device : opened) threads.emplace_back([&device] { device = &open(0); });
  for (std::thread& thread : threads) thread.join();
  for (const Device* device : opened) EXPECT_EQ(device, opened[0]);
  EXPECT_EQ(opened[0]->traits().id, "cpu");
}

TEST(Registry, RemembersTheVerdictOfADevice) {
  const TrustState before = trust_of(0);
  set_trust(0, {Trust::Refused, "adds wrongly"});
  EXPECT_EQ(trust_of(0).trust, Trust::Refused);
  EXPECT_EQ(trust_of(0).reason, "adds wrongly");
  set_trust(0, before);
  EXPECT_EQ(trust_of(0).trust, before.trust);
}

}  // namespace
}  // namespace ab::device
