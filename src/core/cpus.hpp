// SPDX-License-Identifier: MIT
// How many CPUs this process may use at once.
#pragma once
#include <string>

namespace ab {

/// The CPUs of the affinity mask, at most as many as the time quotas of the process's control groups are worth (rounded up); >= 1.
int usable_cpus();

/// The smallest quota of a process's control groups and all groups above them, in CPUs rounded up; 0: none.
/// memberships: the text of /proc/self/cgroup; read: the text of a file, "" when it cannot be read.
int cpus_of_quota(const std::string& memberships, std::string (*read)(const std::string& file));

}  // namespace ab
