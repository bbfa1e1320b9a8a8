// SPDX-License-Identifier: MIT
// ab_get_stats and its kin.
#include "report/statistics.hpp"

#include "apple_bottom.h"

extern "C" {

ABStats ab_get_stats(void) {
  const ab::report::Statistics now = ab::report::statistics();
  return {.upload_time_ms = now.upload_time_ms,
          .download_time_ms = now.download_time_ms,
          .kernel_time_ms = now.kernel_time_ms,
          .dgemm_count = now.dgemm_count,
          .zgemm_count = now.zgemm_count,
          .elements_converted = now.elements_converted};
}

void ab_reset_stats(void) {
  ab::report::reset_statistics();
}

void ab_print_stats(void) {
  ab::report::print_statistics();
}

}  // extern "C"
