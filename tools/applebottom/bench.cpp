// SPDX-License-Identifier: MIT
// applebottom bench: interleaved medians of host BLAS and device, each with the accuracy it was got at.
#include <fmt/core.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

#include "plot.hpp"
#include "progress.hpp"
#include "subcommands.hpp"
#include "table.hpp"

namespace ab::cli {
namespace {

struct BenchOptions {
  SharedOptions shared;
  std::string operations = "dgemm";
  std::string shapes;
  std::string shapes_file;
  std::string classes;
  bool resident = false;
  bool verify = false;
  bool no_host = false;
  int runs = 7;
  int warmup = 3;
  std::string output;
  std::string plot;
};

/// Lines "M N K tag"; "#" starts a comment.
std::vector<Shape> read_shapes(const std::string& name) {
  std::ifstream file(name);
  if (!file) throw Failure(Exit::NotAvailable, fmt::format("cannot read {}", name));
  std::vector<Shape> shapes;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line = line.substr(0, line.find('#'));
    std::istringstream fields(line);
    std::string m, n, k;
    if (!(fields >> m)) continue;
    if (!(fields >> n >> k)) throw Failure(Exit::WrongUsage, fmt::format("{}:{}: expected M N K", name, number));
    shapes.push_back(parse_shape(m + "x" + n + "x" + k));
  }
  return shapes;
}

std::vector<Shape> shapes_of(const BenchOptions& options) {
  std::vector<Shape> shapes;
  if (!options.shapes_file.empty()) shapes = read_shapes(options.shapes_file);
  if (!options.shapes.empty()) {
    for (const std::string& text : split(options.shapes, ',')) shapes.push_back(parse_shape(text));
  }
  if (shapes.empty()) shapes = {{256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}};
  return shapes;
}

std::vector<std::string> classes_of(const BenchOptions& options) {
  if (!options.classes.empty()) return split(options.classes, ',');
  if (!options.shared.precision.empty()) return {options.shared.precision};
  return {"fp64"};
}

/// JSON objects go out as they are measured, one a line.
std::vector<Measurement> measure_all(const BenchOptions& options) {
  const MeasureOptions how = {options.resident ? Front::Resident : Front::Blas, options.runs, options.warmup, !options.no_host,
                              options.verify ? Entries::All : Entries::Sampled};
  std::vector<Operation> operations;
  for (const std::string& word : split(options.operations, ',')) operations.push_back(parse_operation(word));
  std::vector<ABPrecision> classes;
  for (const std::string& word : classes_of(options)) classes.push_back(parse_precision(word));
  const std::vector<int> devices = parse_devices(options.shared.device);
  const Progress progress;
  std::vector<Measurement> measurements;
  for (Operation operation : operations) {
    for (const Shape& shape : shapes_of(options)) {
      const Workload work = make_workload(operation, shape, 1);
      for (ABPrecision precision : classes) {
        for (int device : devices) {
          progress.say(fmt::format("{} {} on {}", word_of(operation), text_of(shape), device_traits(device).id));
          measurements.push_back(measure(work, device, precision, how));
          progress.say("");
          if (!options.shared.json) continue;
          fmt::print("{}\n", json_of(measurements.back()).dump());
          std::fflush(stdout);
        }
      }
    }
  }
  return measurements;
}

std::string host_cell(const std::optional<Side>& host, double Side::*member, const char* format) {
  return host ? fmt::format(fmt::runtime(format), *host.*member) : "-";
}

std::string table_of(const std::vector<Measurement>& measurements) {
  Table table({"op", "shape", "class", "device", "host ms", "device ms", "ratio", "host GFLOP/s", "GFLOP/s", "host error/(u|A||B|)",
               "error/(u|A||B|)", "certified", "moduli", "bits"});
  for (const Measurement& measured : measurements) {
    const std::optional<double> ratio = measured.ratio();
    table.add({word_of(measured.operation), text_of(measured.shape), ab::word_of(static_cast<Precision>(measured.precision)),
               measured.device_id, measured.host ? fmt::format("{:.3f}", measured.host->median_s * 1e3) : "-",
               fmt::format("{:.3f}", measured.device.median_s * 1e3), ratio ? fmt::format("{:.2f}", *ratio) : "-",
               host_cell(measured.host, &Side::gflops, "{:.1f}"), fmt::format("{:.1f}", measured.device.gflops),
               host_cell(measured.host, &Side::error_u, "{:.3g}"), fmt::format("{:.3g}", measured.device.error_u),
               fmt::format("{:.4g}", measured.product.bound), fmt::format("{}", measured.product.moduli), hex(measured.device.checksum)});
  }
  return table.text();
}

std::string csv_of(const std::vector<Measurement>& measurements) {
  std::string text;
  for (const Measurement& measured : measurements) {
    const nlohmann::ordered_json json = json_of(measured);
    std::string names, values;
    for (const auto& [name, value] : json.items()) {
      names += (names.empty() ? "" : ",") + name;
      values += (values.empty() ? "" : ",") + (value.is_null() ? "" : value.dump());
    }
    if (text.empty()) text = names + "\n";
    text += values + "\n";
  }
  return text;
}

std::string json_lines_of(const std::vector<Measurement>& measurements) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Measurement& measured : measurements) all.push_back(json_of(measured));
  return all.dump(1) + "\n";
}

void write_file(const std::string& name, const std::string& text) {
  std::ofstream file(name, std::ios::binary);
  file << text;
  if (!file.flush()) throw Failure(Exit::NotAvailable, fmt::format("cannot write {}", name));
}

Exit bench(const BenchOptions& options) {
  if (options.runs < 1 || options.warmup < 0) throw Failure(Exit::WrongUsage, "--runs takes 1 or more, --warmup 0 or more");
  route_everything_to_the_device();
  const std::vector<Measurement> measurements = measure_all(options);
  if (!options.shared.json) fmt::print("{}", table_of(measurements));
  const bool csv = options.output.size() > 4 && options.output.substr(options.output.size() - 4) == ".csv";
  if (!options.output.empty()) write_file(options.output, csv ? csv_of(measurements) : json_lines_of(measurements));
  if (!options.plot.empty()) write_file(options.plot, svg_of(measurements));
  Exit status = Exit::Fine;
  for (const Measurement& measured : measurements) {
    if (measured.fault.empty()) continue;
    fmt::print(stderr, "applebottom: {} {} {} on {}: {}\n", word_of(measured.operation), text_of(measured.shape),
               ab::word_of(static_cast<Precision>(measured.precision)), measured.device_id, measured.fault);
    status = Exit::CheckFailed;
  }
  return status;
}

}  // namespace

Action add_bench(CLI::App& command) {
  auto options = std::make_shared<BenchOptions>();
  add_shared_options(command, options->shared);
  command.add_option("--op", options->operations, "dgemm,zgemm")->type_name("LIST");
  command.add_option("--shape", options->shapes, "MxNxK,...")->type_name("LIST");
  command.add_option("--shapes", options->shapes_file, "lines: M N K tag")->type_name("FILE");
  command.add_option("--classes", options->classes, "dd,fast,fp64,strict")->type_name("LIST");
  command.add_flag("--resident", options->resident, "matrices that stay on the device, instead of BLAS calls from host memory");
  command.add_option("--runs", options->runs, "timed runs, host and device in turn; medians count")->capture_default_str();
  command.add_option("--warmup", options->warmup, "runs before them")->capture_default_str();
  command.add_flag("--verify", options->verify, "check every entry instead of about 100");
  command.add_flag("--no-host", options->no_host, "leave the host BLAS out");
  command.add_option("--output", options->output, "all measurements as JSON, or as CSV by its name")->type_name("FILE");
  command.add_option("--plot", options->plot, "GFLOP/s as a bar chart")->type_name("FILE.svg");
  return [options] { return bench(*options); };
}

}  // namespace ab::cli
