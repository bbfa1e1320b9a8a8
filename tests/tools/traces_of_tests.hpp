// SPDX-License-Identifier: MIT
// Traces as the library would write them, in files that go away.
#pragma once
#include <cmath>
#include <fstream>
#include <string>

#include "child.hpp"
#include "report/trace_text.hpp"

namespace ab::cli::test {

inline const report::TraceProcess process{"pw.x", 41, 0, 1'796'083'200'000'000'000};
constexpr std::uint64_t second = 1'000'000'000;

inline report::Call device_call(const char* routine) {
  report::Call call;
  call.routine = routine;
  call.complex = routine[0] == 'z';
  call.letters = {.ta = 'N', .tb = 'N'};
  call.m = 3, call.n = 4, call.k = 5;
  call.lda = 3, call.ldb = 5, call.ldc = 6;
  call.alpha = {1, -2};
  call.product.scheme = Scheme::CrtInt8;
  call.product.engine = Engine::Device;
  call.product.device = 0;
  call.product.route_reason = Reason::ModeGpu;
  call.device = "cpu";
  return call;
}

inline std::string opening() {
  report::Facts facts;
  facts.host_blas = "libtest.so";
  facts.device = "cpu";
  Settings settings;
  settings.rank = 3;
  return report::trace_opening(process, facts, settings);
}

inline std::string call_line(const char* routine, std::uint64_t from_s, std::uint64_t to_s, std::uint64_t sequence) {
  report::Call call = device_call(routine);
  if (call.complex) call.beta = {std::nan(""), -INFINITY};
  return report::trace_event(process, call, {from_s * second, to_s * second, sequence}, 7);
}

inline std::string stage_line(Stage stage, std::uint64_t from_s, std::uint64_t to_s, std::uint64_t sequence) {
  return report::stage_event(process, stage, {from_s * second, to_s * second, sequence}, 7);
}

class TraceFile {
 public:
  explicit TraceFile(const std::string& text) { std::ofstream(name()) << text; }
  std::string name() const { return folder_.path() + "/trace"; }

 private:
  TemporaryFolder folder_;
};

}  // namespace ab::cli::test
