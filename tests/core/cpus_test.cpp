// SPDX-License-Identifier: MIT
#include "core/cpus.hpp"

#include <gtest/gtest.h>

#include <map>

#if defined(__linux__)
#include <sched.h>
#endif

namespace ab {
namespace {

const std::map<std::string, std::string>* files;

int quota(const std::string& memberships, const std::map<std::string, std::string>& there) {
  files = &there;
  return cpus_of_quota(memberships, [](const std::string& file) {
    const auto found = files->find(file);
    return found == files->end() ? std::string() : found->second;
  });
}

TEST(Cpus, QuotaOfVersionTwo) {
  const char* in = "0::/user/job\n";
  EXPECT_EQ(quota(in, {}), 0);
  EXPECT_EQ(quota(in, {{"/sys/fs/cgroup/user/job/cpu.max", "max 100000\n"}}), 0);
  EXPECT_EQ(quota(in, {{"/sys/fs/cgroup/user/job/cpu.max", "150000 100000\n"}}), 2);
  EXPECT_EQ(quota(in, {{"/sys/fs/cgroup/user/job/cpu.max", "400000 100000\n"}, {"/sys/fs/cgroup/user/cpu.max", "300000 100000\n"}}), 3);
  EXPECT_EQ(quota(in, {{"/sys/fs/cgroup/cpu.max", "50000 100000\n"}}), 1);
}

TEST(Cpus, QuotaOfVersionOne) {
  const char* in = "3:cpuset:/a\n2:cpu,cpuacct:/a/b\n1:name=systemd:/\n0::/\n";
  const std::string folder = "/sys/fs/cgroup/cpu,cpuacct";
  EXPECT_EQ(quota(in, {{folder + "/a/b/cpu.cfs_quota_us", "-1\n"}, {folder + "/a/b/cpu.cfs_period_us", "100000\n"}}), 0);
  EXPECT_EQ(quota(in, {{folder + "/a/b/cpu.cfs_quota_us", "250000\n"}, {folder + "/a/b/cpu.cfs_period_us", "100000\n"}}), 3);
  EXPECT_EQ(quota("2:cpu:/\n", {{"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000"}, {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000"}}), 1);
}

TEST(Cpus, WhatCannotBeReadIsNoQuota) {
  for (const char* text : {"", "\n", "nonsense", "0:", "0::", "0::relative", ":::"}) EXPECT_EQ(quota(text, {}), 0) << text;
  for (const char* limit : {"", "max", "1", "x 100000", "0 100000", "100000 0", "-5 7"}) {
    EXPECT_EQ(quota("0::/\n", {{"/sys/fs/cgroup/cpu.max", limit}}), 0) << limit;
  }
}

#if defined(__linux__)
TEST(Cpus, ObeysTheAffinityMask) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cpus(), 1);
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_GE(usable_cpus(), 1);
  EXPECT_LE(usable_cpus(), CPU_COUNT(&before));
}
#endif

}  // namespace
}  // namespace ab
