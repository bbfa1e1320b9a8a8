// SPDX-License-Identifier: MIT
// Library life: init, shutdown, names, version, status texts, the last error.
#include "capi/arguments.hpp"
#include "capi/guarded.hpp"
#include "core/thread_state.hpp"
#include "device/registry.hpp"
#include "ops/context.hpp"
#include "report/statistics.hpp"

extern "C" {

ABStatus ab_init(void) {
  return ab::capi::guarded("ab_init", [] { ab::ops::initialize(); });
}

void ab_shutdown(void) {
  ab::capi::guarded("ab_shutdown", [] {
    ab::capi::wait_for_submitted_work();
    const auto pause = ab::capi::live_matrices().pause_operations();
    ab::capi::live_matrices().release_all();
    ab::ops::shutdown();
    ab::report::reset_statistics();
  });
}

bool ab_is_initialized(void) {
  return ab::ops::is_initialized();
}

const char* ab_device_name(void) {
  const char* name = "Unknown";
  ab::capi::guarded("ab_device_name", [&] {
    if (ab::ops::is_initialized()) name = ab::device::traits_of(ab::ops::current_device_index()).name.c_str();
  });
  return name;
}

const char* ab_status_string(ABStatus status) {
  switch (ab::capi::number_of(status)) {
    case AB_OK:
      return "Success";
    case AB_ERROR_NO_DEVICE:
      return "No usable device";
    case AB_ERROR_ALLOC_FAILED:
      return "Memory allocation failed";
    case AB_ERROR_DIMENSION_MISMATCH:
      return "Matrix dimensions do not match";
    case AB_ERROR_NOT_UPLOADED:
      return "Matrix has no contents";
    case AB_ERROR_KERNEL_FAILED:
      return "Device execution failed";
    case AB_ERROR_INVALID_ARG:
      return "Invalid argument";
    case AB_ERROR_SHADER_COMPILE:
      return "Device kernels could not be loaded";
    case AB_ERROR_SINGULAR:
      return "Matrix is singular";
  }
  return "Unknown error";
}

const char* ab_version(void) {
  return APPLE_BOTTOM_VERSION_STRING;
}

const char* ab_last_error(void) {
  return ab::thread_state().last_error;
}

}  // extern "C"
