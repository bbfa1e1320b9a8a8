// SPDX-License-Identifier: MIT
// applebottom replay FILE: the calls of a trace again, on one device or on several, whose results must then have the same bits.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "measure.hpp"
#include "progress.hpp"
#include "replayed_call.hpp"
#include "subcommands.hpp"
#include "table.hpp"

namespace ab::cli {
namespace {

struct ReplayOptions {
  SharedOptions shared;
  std::string file, mode;
  Index call = 0;  // 0: all
  Index limit = 0;
  std::uint64_t seed = 1;
};

struct Kind {  // of calls
  std::string routine, letters, precision, front;
  Shape shape = {};
  Index calls = 0;
  double recorded_s = 0;
  std::vector<double> new_s = {};  // by device
  bool bits_differ = false;
};

struct Findings {
  std::vector<std::string> devices;
  std::vector<Kind> kinds;
  std::map<std::string, Index> skipped;  // why, and how many
  nlohmann::ordered_json checksums = nlohmann::ordered_json::array();
  Index calls = 0, differing = 0;
};

/// Devices that were asked for compute every call themselves, in its class: then their bits can be compared.
void prepare_environment(const ReplayOptions& options) {
  if (!options.mode.empty()) setenv("AB_MODE", options.mode.c_str(), 1);
  if (options.shared.device.empty()) return;
  if (options.mode.empty()) setenv("AB_MODE", "gpu", 1);
  setenv("AB_MIN_GPU_DIM", "0", 1);
  setenv("AB_REPRODUCIBLE", "1", 1);
}

std::vector<int> devices_of(const ReplayOptions& options) {
  std::vector<int> devices;
  for (const std::string& id : split(options.shared.device, ',')) {
    for (const int index : parse_devices(id)) devices.push_back(index);
  }
  for (const int index : devices) use_device(index);
  return devices;
}

/// Those that can be made again; at most `limit`, spread evenly over the trace.
std::vector<const TracedCall*> choose_calls(const Trace& trace, const ReplayOptions& options, Findings& findings) {
  std::vector<const TracedCall*> calls;
  for (const TracedCall& call : trace.calls) {
    if (options.call != 0 && call.sequence != options.call) continue;
    const std::string why = why_not_replayed(call);
    if (why.empty()) {
      calls.push_back(&call);
    } else {
      ++findings.skipped[why];
    }
  }
  if (options.call != 0 && calls.empty() && findings.skipped.empty()) {
    throw Failure(Exit::NotAvailable, fmt::format("{} has no call with seq {}", options.file, options.call));
  }
  const auto limit = static_cast<std::size_t>(options.limit);
  if (limit == 0 || calls.size() <= limit) return calls;
  std::vector<const TracedCall*> some;
  for (std::size_t i = 0; i < limit; ++i) some.push_back(calls[i * calls.size() / limit]);
  return some;
}

std::string letters_of(const TracedCall& call) {
  std::string letters;
  for (const char* key : {"side", "uplo", "trans", "ta", "tb", "diag"}) letters += call.arguments.value(key, "");
  return letters;
}

Kind& kind_of(Findings& findings, const TracedCall& call, const std::string& precision) {
  const std::string letters = letters_of(call);
  const auto same = [&](const Kind& kind) {
    return kind.routine == call.routine && kind.letters == letters && kind.precision == precision && kind.front == call.category &&
           text_of(kind.shape) == text_of(call.shape);
  };
  const auto found = std::find_if(findings.kinds.begin(), findings.kinds.end(), same);
  if (found != findings.kinds.end()) return *found;
  Kind kind{call.routine, letters, precision, call.category, call.shape};
  kind.new_s.resize(findings.devices.size());
  return findings.kinds.emplace_back(std::move(kind));
}

void replay_on_all(const TracedCall& call, const ReplayOptions& options, const std::vector<int>& devices, Findings& findings) {
  const std::string word = options.shared.precision.empty() ? call.precision : options.shared.precision;
  Kind& kind = kind_of(findings, call, word);
  std::vector<std::uint64_t> checksums;
  nlohmann::ordered_json bits = nlohmann::ordered_json::object();
  for (std::size_t d = 0; d < devices.size(); ++d) {
    use_device(devices[d]);
    const Replayed replayed = replay(call, options.seed, parse_precision(word));
    kind.new_s[d] += replayed.seconds;
    checksums.push_back(replayed.checksum);
    bits[findings.devices[d]] = hex(replayed.checksum);
  }
  ++kind.calls;
  ++findings.calls;
  kind.recorded_s += call.duration_us * 1e-6;
  findings.checksums.push_back({{"seq", call.sequence}, {"bits", bits}});
  if (std::equal(checksums.begin() + 1, checksums.end(), checksums.begin())) return;
  kind.bits_differ = true;
  ++findings.differing;
}

std::string mean_ms(double seconds, Index calls) {
  return fmt::format("{:.3f}", seconds * 1e3 / static_cast<double>(calls));
}

std::string text_of(const Findings& findings) {
  std::vector<std::string> titles = {"routine", "letters", "shape", "class", "front", "calls", "recorded ms"};
  for (const std::string& device : findings.devices) titles.push_back(device + " ms");
  const bool compared = findings.devices.size() > 1;
  if (compared) titles.emplace_back("bits");
  Table table(titles);
  for (const Kind& kind : findings.kinds) {
    std::vector<std::string> row = {kind.routine,
                                    kind.letters,
                                    cli::text_of(kind.shape),
                                    kind.precision,
                                    kind.front,
                                    std::to_string(kind.calls),
                                    mean_ms(kind.recorded_s, kind.calls)};
    for (const double seconds : kind.new_s) row.push_back(mean_ms(seconds, kind.calls));
    if (compared) row.emplace_back(kind.bits_differ ? "differ" : "equal");
    table.add(row);
  }
  std::string text = table.text();
  for (const auto& [why, count] : findings.skipped) text += fmt::format("left out: {}, {} calls\n", why, count);
  text += fmt::format("{} calls replayed", findings.calls);
  if (compared) text += fmt::format(" on {} devices, {} with different bits", findings.devices.size(), findings.differing);
  return text + "\n";
}

nlohmann::ordered_json json_of(const Findings& findings) {
  nlohmann::ordered_json json;
  json["devices"] = findings.devices;
  json["calls"] = findings.calls;
  json["differing"] = findings.differing;
  json["left_out"] = findings.skipped;
  json["kinds"] = nlohmann::ordered_json::array();
  for (const Kind& kind : findings.kinds) {
    nlohmann::ordered_json entry = {{"routine", kind.routine},      {"letters", kind.letters}, {"shape", cli::text_of(kind.shape)},
                                    {"class", kind.precision},      {"front", kind.front},     {"calls", kind.calls},
                                    {"recorded_s", kind.recorded_s}};
    for (std::size_t d = 0; d < kind.new_s.size(); ++d) entry["new_s"][findings.devices[d]] = kind.new_s[d];
    json["kinds"].push_back(entry);
  }
  json["checksums"] = findings.checksums;
  return json;
}

Exit replay_trace(const ReplayOptions& options) {
  prepare_environment(options);
  const Trace trace = read_trace(options.file);
  for (const std::string& line : trace.bad_lines) fmt::print(stderr, "applebottom: {}\n", line);
  const std::vector<int> devices = devices_of(options);
  Findings findings;
  for (const int index : devices) findings.devices.emplace_back(device_traits(index).id);
  const std::vector<const TracedCall*> calls = choose_calls(trace, options, findings);
  {
    const Progress progress;
    for (const TracedCall* call : calls) {
      progress.say(fmt::format("{} of {}: {} {}", findings.calls + 1, calls.size(), call->routine, cli::text_of(call->shape)));
      replay_on_all(*call, options, devices, findings);
    }
  }
  std::stable_sort(findings.kinds.begin(), findings.kinds.end(), [](const Kind& a, const Kind& b) { return a.recorded_s > b.recorded_s; });
  fmt::print("{}", options.shared.json ? json_of(findings).dump(1) + "\n" : text_of(findings));
  return findings.differing == 0 && trace.bad_lines.empty() ? Exit::Fine : Exit::CheckFailed;
}

}  // namespace

Action add_replay(CLI::App& command) {
  auto options = std::make_shared<ReplayOptions>();
  add_shared_options(command, options->shared);
  command.get_option("--device")->description("one or more of cpu, cuda:0, ..., or all: they compute every call, and bits are compared");
  command.add_option("FILE", options->file, "what AB_TRACE wrote")->required();
  command.add_option("--call", options->call, "only the call with this seq")->type_name("SEQ")->check(CLI::PositiveNumber);
  command.add_option("--mode", options->mode, "auto, cpu or gpu")->check(CLI::IsMember({"auto", "cpu", "gpu"}));
  command.add_option("--seed", options->seed, "of the data")->capture_default_str();
  command.add_option("--limit", options->limit, "at most so many calls, spread over the trace; 0: all")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  return [options] { return replay_trace(*options); };
}

}  // namespace ab::cli
