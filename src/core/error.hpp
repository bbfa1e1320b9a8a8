// SPDX-License-Identifier: MIT
// Errors that become a status of the C API. Texts name function, argument, value and expectation.
#pragma once
#include <stdexcept>
#include <string>

namespace ab {

enum class Status {  // the numbers of ABStatus
  Ok = 0,
  NoDevice = -1,
  AllocFailed = -2,
  DimensionMismatch = -3,
  NotUploaded = -4,
  KernelFailed = -5,
  InvalidArgument = -6,
  ShaderCompile = -7,
  Singular = -8
};

class Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& text) : std::runtime_error(text), status_(status) {}
  Status status() const { return status_; }

 private:
  Status status_;
};

}  // namespace ab
