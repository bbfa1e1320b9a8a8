// SPDX-License-Identifier: MIT
// applebottom bench: interleaved medians of device, host BLAS and other libraries, each with the accuracy it was got at.
#include <fmt/core.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

#include "contenders.hpp"
#include "model.hpp"
#include "plot.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "subcommands.hpp"

namespace ab::cli {
namespace {

using Json = nlohmann::ordered_json;

struct BenchOptions {
  SharedOptions shared;
  std::string operations = "dgemm";
  std::string ops = "NN";
  std::string shapes;
  std::string shapes_file;
  std::string classes;
  bool resident = false;
  bool fresh = false;
  bool verify = false;
  bool no_host = false;
  int runs = 7;
  int warmup = 3;
  std::string output;
  std::string plot;
  std::string against;
  bool no_matrix_rate = false;
  int threads = 0;  // 0: as the environment says
  std::string data = "uniform";
  std::string model;
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
  if (shapes.empty() && !options.model.empty()) return shapes_of_model();
  if (shapes.empty()) shapes = {{256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}};
  return shapes;
}

std::vector<std::string> classes_of(const BenchOptions& options) {
  if (!options.classes.empty()) return split(options.classes, ',');
  if (!options.shared.precision.empty()) return {options.shared.precision};
  if (!options.model.empty()) return {"dd", "fp64"};
  return {"fp64"};
}

MeasureOptions how_to_measure(const BenchOptions& options) {
  const Front front = options.fresh ? Front::Fresh : options.resident ? Front::Resident : Front::Blas;
  MeasureOptions how = {front, options.runs, options.warmup, !options.no_host, options.verify ? Entries::All : Entries::Sampled};
  host_blas_name();  // found before any peer is opened: MKL puts its own functions where the search for the host BLAS begins
  if (!options.against.empty()) how.peers = open_peers(split(options.against, ','));
  how.probe = options.no_matrix_rate ? MatrixProbe::Off : MatrixProbe::On;
  return how;
}

struct Product {
  Operation operation;
  Ops ops;
  Shape shape;
};

std::vector<Product> products_of(const BenchOptions& options) {
  std::vector<Product> products;
  for (const std::string& word : split(options.operations, ',')) {
    const Operation operation = options.model.empty() ? parse_operation(word) : parse_product(word);
    for (const std::string& letters : split(options.ops, ',')) {
      const Ops ops = parse_ops(letters);
      if ((options.resident || options.fresh) && ops != Ops{})
        throw Failure(Exit::WrongUsage, "--resident multiplies handles, which know no op but NN");
      for (const Shape& shape : shapes_of(options)) products.push_back({operation, ops, shape});
    }
  }
  return products;
}

Json object_of(const Measurement& measured, const Setup& setup, double highest_tops) {
  Json json = json_of(measured, highest_tops);
  json.update(json_of(setup));
  return json;
}

/// JSON objects go out as they are measured, one a line.
std::vector<Measurement> measure_all(const BenchOptions& options, const MeasureOptions& how, const Setup& setup) {
  std::vector<ABPrecision> classes;
  for (const std::string& word : classes_of(options)) classes.push_back(parse_precision(word));
  const std::vector<int> devices = parse_devices(options.shared.device);
  const Data data = parse_data(options.data);
  const Progress progress;
  std::vector<Measurement> measurements;
  for (const auto& [operation, ops, shape] : products_of(options)) {
    const Workload work = make_workload(operation, shape, 1, ops, data);
    for (ABPrecision precision : classes) {
      for (int device : devices) {
        progress.say(fmt::format("{} {} on {}", label_of(operation, ops), text_of(shape), device_traits(device).id));
        measurements.push_back(measure(work, device, precision, how));
        progress.say("");
        if (!options.shared.json) continue;
        fmt::print("{}\n", object_of(measurements.back(), setup, highest_rate(measurements)).dump());
        std::fflush(stdout);
      }
    }
  }
  return measurements;
}

void write_file(const std::string& name, const std::string& text) {
  std::ofstream file(name, std::ios::binary);
  file << text;
  if (!file.flush()) throw Failure(Exit::NotAvailable, fmt::format("cannot write {}", name));
}

void write_results(const std::string& name, const std::vector<Json>& objects) {
  const bool csv = name.size() > 4 && name.substr(name.size() - 4) == ".csv";
  write_file(name, csv ? csv_of(objects) : Json(objects).dump(1) + "\n");
}

std::vector<Json> objects_of(const std::vector<Measurement>& measurements, const Setup& setup) {
  const double highest_tops = highest_rate(measurements);
  std::vector<Json> objects;
  for (const Measurement& measured : measurements) objects.push_back(object_of(measured, setup, highest_tops));
  return objects;
}

/// Runs nothing: what the figures of a chip that is not here allow.
Exit model(const BenchOptions& options) {
  const Chip chip = chip_of(options.model);
  std::vector<Prediction> predictions;
  for (const auto& [operation, ops, shape] : products_of(options)) {
    for (const std::string& word : classes_of(options)) predictions.push_back(predict(chip, operation, shape, parse_precision(word)));
  }
  std::vector<Json> objects;
  for (const Prediction& prediction : predictions) objects.push_back(json_of(prediction));
  if (options.shared.json) {
    for (const Json& object : objects) fmt::print("{}\n", object.dump());
  } else {
    fmt::print("{}", text_of(predictions));
  }
  if (!options.output.empty()) write_results(options.output, objects);
  if (!options.plot.empty()) write_file(options.plot, svg_of(predictions));
  return Exit::Fine;
}

Exit bench(const BenchOptions& options) {
  if (!options.model.empty()) return model(options);
  if (options.runs < 1 || options.warmup < 0) throw Failure(Exit::WrongUsage, "--runs takes 1 or more, --warmup 0 or more");
  route_everything_to_the_device();
  if (options.threads > 0) set_threads(options.threads);
  const MeasureOptions how = how_to_measure(options);
  Setup setup = describe_setup();
  setup.data = options.data;
  if (!options.shared.json) {
    fmt::print("{}", head_of(setup, how));
    std::fflush(stdout);
  }
  const std::vector<Measurement> measurements = measure_all(options, how, setup);
  if (!options.shared.json) fmt::print("{}", tables_of(measurements));
  if (!options.output.empty()) write_results(options.output, objects_of(measurements, setup));
  if (!options.plot.empty()) write_file(options.plot, svg_of(measurements));
  Exit status = Exit::Fine;
  for (const Measurement& measured : measurements) {
    if (measured.fault.empty()) continue;
    fmt::print(stderr, "applebottom: {} {} {} on {}: {}\n", measured.label(), text_of(measured.shape),
               ab::word_of(static_cast<Precision>(measured.precision)), measured.device_id, measured.fault);
    status = Exit::CheckFailed;
  }
  return status;
}

}  // namespace

Action add_bench(CLI::App& command) {
  auto options = std::make_shared<BenchOptions>();
  add_shared_options(command, options->shared);
  command.add_option("--op", options->operations, "dgemm,zgemm; dsyrk,zherk (shapes NxNxK); dtrsm (MxNxM)")->type_name("LIST");
  command.add_option("--ops", options->ops, "NN,NT,TN,TT: letters N, T or C for op(A) op(B) of dgemm and zgemm")
      ->type_name("LIST")
      ->capture_default_str();
  command.add_option("--shape", options->shapes, "MxNxK,...")->type_name("LIST");
  command.add_option("--shapes", options->shapes_file, "lines: M N K tag")->type_name("FILE");
  command
      .add_option("--data", options->data, "entries: uniform in (-0.5, 0.5), one-sided in (0, 1), or phi0.5: uniform times exp(0.5 normal)")
      ->type_name("KIND")
      ->capture_default_str();
  command.add_option("--classes", options->classes, "dd,fast,fp64,strict")->type_name("LIST");
  command.add_flag("--resident", options->resident, "matrices that stay on the device, instead of BLAS calls from host memory");
  command.add_flag("--fresh", options->fresh, "as --resident, with operands written before each run: nothing prepared for them is left");
  command.add_option("--runs", options->runs, "timed runs, device and libraries in turn; medians count")->capture_default_str();
  command.add_option("--warmup", options->warmup, "runs before them")->capture_default_str();
  command.add_flag("--verify", options->verify, "check every entry instead of about 100");
  command.add_flag("--no-host", options->no_host, "leave the host BLAS out");
  command.add_option("--against", options->against, "BLAS libraries (32-bit integers) to measure in turn with the device")
      ->type_name("FILE,...");
  command.add_option("--threads", options->threads, "for the cpu device and all libraries; default: as the environment says")
      ->check(CLI::Range(1, 4096));
  command.add_flag("--no-matrix-rate", options->no_matrix_rate, "do not measure the matrix unit before and after each run");
  command
      .add_option("--model", options->model,
                  "print what a GPU's published figures allow instead of measuring: apple-m2-max, ... (benchmarks/apple_gpus.json)")
      ->type_name("CHIP");
  command.add_option("--output", options->output, "all measurements as JSON, or as CSV by its name")->type_name("FILE");
  command.add_option("--plot", options->plot, "GFLOP/s over size, or as bars for one size")->type_name("FILE.svg");
  return [options] { return bench(*options); };
}

}  // namespace ab::cli
