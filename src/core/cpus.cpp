// SPDX-License-Identifier: MIT
#include "core/cpus.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace ab {
namespace {

int cpus_of_affinity_mask() {
#if defined(__linux__)
  for (int cpus = 1024; cpus <= (1 << 20); cpus *= 4) {  // the kernel refuses masks that are too short for the machine
    cpu_set_t* mask = CPU_ALLOC(cpus);
    if (mask == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    const int count = sched_getaffinity(0, bytes, mask) == 0 ? CPU_COUNT_S(bytes, mask) : 0;
    CPU_FREE(mask);
    if (count > 0) return count;
  }
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

#if defined(__linux__)
std::string text_of(const std::string& file) {
  std::string text;
  std::FILE* const from = std::fopen(file.c_str(), "re");
  if (from == nullptr) return text;
  char piece[4096];
  while (const std::size_t count = std::fread(piece, 1, sizeof piece, from)) text.append(piece, count);
  std::fclose(from);
  return text;
}
#endif

/// "quota period" in microseconds -> CPUs; a quota that is no number above 0 ("max", "-1") is none.
int cpus_of(const std::string& quota_and_period) {
  char* end = nullptr;
  const long quota = std::strtol(quota_and_period.c_str(), &end, 10), period = std::strtol(end, nullptr, 10);
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<int>(std::min((quota - 1) / period + 1, 1L << 20));
}

int smaller_quota(int a, int b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

bool names_cpu(const std::string& controllers) {
  return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

}  // namespace

int cpus_of_quota(const std::string& memberships, std::string (*read)(const std::string& file)) {
  constexpr const char* root = "/sys/fs/cgroup";
  int least = 0;
  for (std::size_t at = 0, end; at < memberships.size(); at = end + 1) {
    end = std::min(memberships.find('\n', at), memberships.size());
    const std::string line = memberships.substr(at, end - at);  // "number:controllers:group", no controllers in version 2
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && !names_cpu(controllers)) continue;
    std::string group = line.substr(second + 1);
    while (true) {
      const std::string folder = root + (controllers.empty() ? "" : "/" + controllers) + (group == "/" ? "" : group);
      const std::string limit =
          controllers.empty() ? read(folder + "/cpu.max") : read(folder + "/cpu.cfs_quota_us") + " " + read(folder + "/cpu.cfs_period_us");
      least = smaller_quota(least, cpus_of(limit));
      if (group.empty() || group == "/") break;
      group.erase(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
    }
  }
  return least;
}

int usable_cpus() {
  const int cpus = cpus_of_affinity_mask();
#if defined(__linux__)
  const int quota = cpus_of_quota(text_of("/proc/self/cgroup"), text_of);
  if (quota > 0) return std::min(cpus, quota);
#endif
  return cpus;
}

}  // namespace ab
