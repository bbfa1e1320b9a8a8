// SPDX-License-Identifier: MIT
// Attempts to run a call on a device: the one place that turns device errors into declines, and gives up on a device that keeps failing.
#pragma once
#include "core/problem.hpp"
#include "ops/gemm.hpp"

namespace ab::blas {

/// The calling thread's current device, or the `cpu` device whatever the current one is.
enum class On { CurrentDevice, Cpu };

/// False when BLAS calls have no device: AB_DEVICE names none that exists (one warning), it was lost, or it failed too often in a row.
bool device_usable() noexcept;

/// False once the devices' own GEMM was wanted and missing, or failed too often in a row.
bool vendor_gemm_usable() noexcept;

/// The problem on that device; by the class, and with a fallback reason, where the vendor's GEMM was chosen and does not do it. Declined
/// with a reason word and C untouched when the device declines, fails or cannot be opened.
template <Scalar T>
Outcome try_on_device(const GemmProblem<T>& problem, const ops::Choices& choices, On where) noexcept;

/// Bytes that a call copies to and from a device; none where host and device share memory.
struct Traffic {
  Index bytes_in = 0;
  Index bytes_out = 0;
};
template <Scalar T>
Traffic traffic_of(const GemmProblem<T>& problem, int device) noexcept;

}  // namespace ab::blas
