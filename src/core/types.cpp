// SPDX-License-Identifier: MIT
#include "core/types.hpp"

#include <array>
#include <cstddef>

namespace ab {

const char* word_of(Reason reason) {
  static constexpr std::array<const char*, static_cast<std::size_t>(Reason::Count)> words = {
      "",           "quick_return", "reentry",      "disabled",     "forked_child",      "mode_cpu",     "no_device",    "below_min_dim",
      "mode_gpu",   "precision",    "reproducible", "no_host_blas", "no_measurement",    "table_faster", "table_slower", "resident",
      "nonfinite",  "range",        "uncertified",  "memory_cap",   "allocation_failed", "device_error", "device_lost",  "kernel_missing",
      "size_limit", "not_converged"};
  return words[static_cast<std::size_t>(reason)];
}

bool is_available(Precision precision) {
  return precision != Precision::Exact;
}

const char* word_of(Precision precision) {
  static constexpr std::array<const char*, 6> words = {"", "dd", "fast", "fp64", "strict", "exact"};
  return words[static_cast<std::size_t>(precision)];
}

const char* word_of(Scheme scheme) {
  static constexpr std::array<const char*, 9> words = {"none",     "trivial",   "vendor",    "ieee", "dd",
                                                       "crt_int8", "crt_10bit", "crt_11bit", "exact"};
  return words[static_cast<std::size_t>(scheme)];
}

const char* word_of(Engine engine) {
  static constexpr std::array<const char*, 4> words = {"none", "host", "device", "split"};
  return words[static_cast<std::size_t>(engine)];
}

}  // namespace ab
