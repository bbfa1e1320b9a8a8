// SPDX-License-Identifier: MIT
// OpenCL's texts of kernels, broken on purpose.
#pragma once
#include <optional>
#include <string>

namespace ab::test {

/// The text without its n-th barrier (from 0), or without any. What the scan then finds in local memory is its index into the
/// histogram: kept inside, so that a broken scan is wrong and does not write elsewhere.
inline std::string without_barriers(std::string text, std::optional<int> which = std::nullopt) {
  const std::string barrier = "barrier(CLK_LOCAL_MEM_FENCE);";
  std::size_t at = 0;
  for (int n = 0; (at = text.find(barrier, at)) != std::string::npos; ++n) {
    if (!which || *which == n)
      text.erase(at, barrier.size());
    else
      at += barrier.size();
  }
  const std::string bin = "if (bin < 96 && ";
  at = text.find(bin);
  if (at != std::string::npos) text.insert(at + bin.size(), "bin >= 0 && ");
  return text;
}

}  // namespace ab::test
