// SPDX-License-Identifier: MIT
// applebottom demo: devices, every class on every device beside the host BLAS, then real programs through the drop-in.
#include <fmt/core.h>

#include <cstdio>
#include <map>
#include <memory>

#include "contenders.hpp"
#include "device/registry.hpp"
#include "device_list.hpp"
#include "programs.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "subcommands.hpp"
#include "table.hpp"

namespace ab::cli {
namespace {

struct DemoOptions {
  SharedOptions shared;
  Index size = 384;
  bool no_programs = false;
};

struct Findings {
  std::vector<ListedDevice> devices;
  std::vector<Measurement> measurements;
  std::vector<ProgramRun> programs;
  std::vector<std::string> faults;  // everything that is wrong
};

std::vector<int> devices_of(const DemoOptions& options, Findings& findings) {
  std::vector<int> usable;
  const bool asked_for = !options.shared.device.empty();
  for (int index : parse_devices(asked_for ? options.shared.device : "all")) {
    if (!asked_for && device::traits_of(index).only_on_request) continue;  // software renderers, which take too long
    const ListedDevice& device = findings.devices[static_cast<std::size_t>(index)];
    if (device.traits.trusted == 1) {
      usable.push_back(index);
    } else {
      findings.faults.push_back(fmt::format("{} is refused: {}", device.traits.id, device.traits.reason));
    }
  }
  return usable;
}

std::string describe(const Measurement& measured) {
  return fmt::format("{} {} on {}", word_of(measured.operation), ab::word_of(static_cast<Precision>(measured.precision)),
                     measured.device_id);
}

void measure_all(const DemoOptions& options, Findings& findings) {
  const std::vector<int> devices = devices_of(options, findings);
  std::vector<std::string> classes = available_classes();
  if (!options.shared.precision.empty()) classes = {options.shared.precision};
  const MeasureOptions how = {Front::Blas, 3, 1, true, Entries::Sampled};
  const Progress progress;
  for (Operation operation : {Operation::Dgemm, Operation::Zgemm}) {
    const Workload work = make_workload(operation, {options.size, options.size, options.size}, 1);
    for (const std::string& word : classes) {
      std::map<std::uint64_t, std::string> bits;  // of this class, and who had them first
      for (int device : devices) {
        progress.say(fmt::format("{} {} on {}", word_of(operation), word, device_traits(device).id));
        findings.measurements.push_back(measure(work, device, parse_precision(word), how));
        const Measurement& measured = findings.measurements.back();
        if (!measured.fault.empty()) findings.faults.push_back(describe(measured) + ": " + measured.fault);
        bits.emplace(measured.device.checksum, measured.device_id);
      }
      if (bits.size() > 1) findings.faults.push_back(fmt::format("{} {}: devices differ in bits", word_of(operation), word));
    }
  }
}

void add_host_row(Table& table, const Measurement& measured) {
  if (!measured.host) return;
  table.add({word_of(measured.operation), "-", "host BLAS", fmt::format("{:.2f}", measured.host->median_s * 1e3),
             fmt::format("{:.1f}", measured.host->gflops), fmt::format("{:.3g}", measured.host->error_u), "-", "-", "-",
             hex(measured.host->checksum)});
}

std::string table_of(const std::vector<Measurement>& measurements) {
  Table table({"op", "class", "engine", "ms", "GFLOP/s", "error/(u|A||B|)", "certified", "moduli", "guard", "bits"});
  const Measurement* before = nullptr;
  for (const Measurement& measured : measurements) {
    if (!before || before->operation != measured.operation) add_host_row(table, measured);
    before = &measured;
    const ABProduct& product = measured.product;
    table.add({word_of(measured.operation), ab::word_of(static_cast<Precision>(measured.precision)), measured.device_id,
               fmt::format("{:.2f}", measured.device.median_s * 1e3), fmt::format("{:.1f}", measured.device.gflops),
               fmt::format("{:.3g}", measured.device.error_u), product.bound < 0 ? "none" : fmt::format("{:.4g}", product.bound),
               product.moduli > 0 ? std::to_string(product.moduli) : "-", std::to_string(product.guard), hex(measured.device.checksum)});
  }
  return table.text();
}

void run_programs(const DemoOptions& options, Findings& findings) {
  const Progress progress;
  const int device = parse_devices(options.shared.device == "all" ? "" : options.shared.device).front();
  const std::string id = device_traits(device).id;
  progress.say("numpy through the drop-in");
  findings.programs.push_back(run_numpy(id));
  progress.say("HPL through the drop-in");
  findings.programs.push_back(run_hpl(id));
  for (const ProgramRun& run : findings.programs) {
    if (run.verdict == Verdict::Wrong) findings.faults.push_back(run.name + ": " + run.fault);
  }
}

void print_programs(const std::vector<ProgramRun>& programs) {
  fmt::print("\nReal programs, unmodified, with the library in front of their BLAS (AB_MODE=gpu)\n");
  for (const ProgramRun& run : programs) {
    fmt::print("{}\n", run.own_check.empty() ? run.name + ": no result" : run.own_check);
    for (const std::string& line : run.report) fmt::print("    {}\n", line);
  }
}

nlohmann::ordered_json json_of(const Findings& findings) {
  constexpr const char* verdicts[] = {"right", "wrong", "absent"};
  nlohmann::ordered_json json;
  json["version"] = ab_version();
  json["devices"] = json_of(findings.devices);
  json["measurements"] = nlohmann::ordered_json::array();
  for (const Measurement& measured : findings.measurements) json["measurements"].push_back(json_of(measured, 0.0));
  json["programs"] = nlohmann::ordered_json::array();
  for (const ProgramRun& run : findings.programs) {
    json["programs"].push_back({{"name", run.name},
                                {"verdict", verdicts[static_cast<int>(run.verdict)]},
                                {"own_check", run.own_check},
                                {"report", run.report},
                                {"fault", run.fault}});
  }
  json["faults"] = findings.faults;
  return json;
}

/// "all of it is right", or what can be said instead.
std::string verdict_of(const Findings& findings) {
  if (!findings.faults.empty()) return fmt::format("wrong: {}", findings.faults.size());
  std::string absent;
  for (const ProgramRun& run : findings.programs) {
    if (run.verdict == Verdict::Absent) absent += (absent.empty() ? "" : ", ") + run.name;
  }
  return absent.empty() ? "all of it is right" : "all that ran is right; not run: " + absent;
}

Exit conclude(const DemoOptions& options, const Findings& findings) {
  if (options.shared.json) {
    fmt::print("{}\n", json_of(findings).dump(1));
  } else {
    fmt::print("\n{}\n", verdict_of(findings));
  }
  std::fflush(stdout);
  for (const std::string& fault : findings.faults) fmt::print(stderr, "applebottom: {}\n", fault);
  return findings.faults.empty() ? Exit::Fine : Exit::CheckFailed;
}

Exit demo(const DemoOptions& options) {
  if (options.size < 1 || options.size > 16384) throw Failure(Exit::WrongUsage, "--size takes 1 to 16384");
  const bool talk = !options.shared.json;
  route_everything_to_the_device();
  Findings findings;
  findings.devices = list_devices();
  if (talk) {
    fmt::print("apple-bottom {}\n\nDevices, with their self-test\n{}", ab_version(), text_of(findings.devices));
    fmt::print("host BLAS: {}\n", host_blas_name().value_or("none found"));
    fmt::print("\nC = A B, {0} x {0} x {0}, operands in host memory; u = 2^-53. One class has one set of bits on every device.\n",
               options.size);
    std::fflush(stdout);
  }
  measure_all(options, findings);
  if (talk) fmt::print("{}", table_of(findings.measurements));
  std::fflush(stdout);
  if (!options.no_programs) run_programs(options, findings);
  if (talk && !options.no_programs) print_programs(findings.programs);
  return conclude(options, findings);
}

}  // namespace

Action add_demo(CLI::App& command) {
  auto options = std::make_shared<DemoOptions>();
  add_shared_options(command, options->shared);
  command.add_option("--size", options->size, "order of the matrices")->capture_default_str();
  command.add_flag("--no-programs", options->no_programs, "leave out numpy and HPL");
  return [options] { return demo(*options); };
}

}  // namespace ab::cli
