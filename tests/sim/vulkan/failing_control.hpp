// SPDX-License-Identifier: MIT
// What tests can make the failing loader do. Found in the library that the backend has opened, never linked.
#pragma once

namespace ab::test {

enum class VulkanFailures : int { One, AllFromThere };

struct FailingVulkan {
  /// The n-th call from now on that can fail, from 1, returns `result` and does nothing (0: none does).
  void (*fail_at)(long nth, int result, VulkanFailures failures);
  long (*calls)();
  /// Devices, buffers, pieces of memory, kernels and pools that were taken and not given back.
  long (*alive)();
};

/// The name of the function that returns the table.
inline constexpr const char* failing_vulkan_name = "ab_failing_vulkan";
using FailingVulkanFunction = const FailingVulkan*();

}  // namespace ab::test
