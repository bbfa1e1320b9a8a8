// SPDX-License-Identifier: MIT
#include "trace_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

namespace ab::cli {
namespace {

using nlohmann::json;

double number_of(const json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string word = value.get<std::string>();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf") return std::numeric_limits<double>::infinity();
  if (word == "-inf") return -std::numeric_limits<double>::infinity();
  throw std::invalid_argument("\"" + word + "\" is no number");
}

std::complex<double> scalar_of(const json& value) {
  if (!value.is_array()) return number_of(value);
  return {number_of(value.at(0)), number_of(value.at(1))};
}

TracedCall call_of(const json& event) {
  TracedCall call;
  const json& arguments = event.at("args");
  call.routine = event.at("name");
  call.category = event.at("cat");
  call.arguments = arguments;
  call.shape = {arguments.at("m"), arguments.at("n"), arguments.at("k")};
  call.api = arguments.at("api");
  call.precision = arguments.at("class");
  call.engine = arguments.at("engine");
  call.method = arguments.at("method");
  call.device = arguments.at("device");
  const std::string fallback = arguments.at("fallback");
  call.reason = fallback.empty() ? arguments.at("reason").get<std::string>() : fallback;
  call.alpha = scalar_of(arguments.at("alpha"));
  call.beta = scalar_of(arguments.at("beta"));
  call.start_us = event.at("ts");
  call.duration_us = event.at("dur");
  call.sequence = arguments.at("seq");
  call.thread = event.at("tid");
  return call;
}

TracedStage stage_of(const json& event) {
  return {event.at("name"), event.at("ts"), event.at("dur"), event.at("args").at("seq"), event.at("tid")};
}

void take_metadata(Trace& trace, const json& event) {
  const std::string name = event.at("name");
  const json& arguments = event.at("args");
  trace.process = event.at("pid");
  if (name == "process_name") trace.program = arguments.at("name");
  if (name == "end") trace.ended = true;
  if (name != "applebottom") return;
  if (arguments.at("format") != 1) throw std::invalid_argument("a trace of another format");
  trace.version = arguments.at("version");
  trace.device = arguments.at("device");
  trace.host_blas = arguments.at("host_blas");
  trace.rank = arguments.at("rank");
  trace.start_unix_us = arguments.at("unix_ns").get<double>() / 1e3;
}

void take_event(Trace& trace, const json& event) {
  const std::string phase = event.at("ph");
  if (phase == "M") return take_metadata(trace, event);
  if (phase != "X") throw std::invalid_argument("an event of phase \"" + phase + "\"");
  if (event.at("cat") == "stage") {
    trace.stages.push_back(stage_of(event));
  } else {
    trace.calls.push_back(call_of(event));
  }
}

std::string fault_of(Trace& trace, const std::string& line) {
  try {
    take_event(trace, json::parse(line));
    return "";
  } catch (const json::parse_error&) {
    return "is not JSON";
  } catch (const json::exception& error) {
    return std::string("is no event of ours: ") + error.what();
  } catch (const std::invalid_argument& error) {
    return std::string("is no event of ours: ") + error.what();
  }
}

}  // namespace

double TracedCall::flops() const {
  return (complex() ? 8.0 : 2.0) * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
}

Trace read_trace(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw Failure(Exit::NotAvailable, file + " cannot be opened");
  Trace trace;
  trace.file = file;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    const bool whole = !stream.eof();  // a line that was cut off has no end
    if (line.ends_with(',')) line.pop_back();
    if (line.empty() || line == "[" || line == "]") continue;
    const std::string fault = fault_of(trace, line);
    if (!fault.empty() && whole) trace.bad_lines.push_back(fmt::format("{}:{}: {}", file, number, fault));
  }
  if (trace.version.empty()) {
    const std::string why = trace.bad_lines.empty() ? "it does not say which library wrote it" : trace.bad_lines[0];
    throw Failure(Exit::NotAvailable, fmt::format("{} is no trace of AB_TRACE: {}", file, why));
  }
  std::stable_sort(trace.calls.begin(), trace.calls.end(),
                   [](const TracedCall& a, const TracedCall& b) { return a.sequence < b.sequence; });
  return trace;
}

}  // namespace ab::cli
