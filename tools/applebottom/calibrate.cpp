// SPDX-License-Identifier: MIT
// applebottom calibrate: measures this machine and writes the routing table that AB_MODE=auto follows.
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "calibration_file.hpp"
#include "calibration_grid.hpp"
#include "contenders.hpp"
#include "core/routines.hpp"
#include "core/settings.hpp"
#include "device/registry.hpp"
#include "level3_measure.hpp"
#include "ops/context.hpp"
#include "ops/host_memory.hpp"
#include "progress.hpp"
#include "setup.hpp"
#include "split_measure.hpp"
#include "subcommands.hpp"
#include "table.hpp"

namespace ab::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CalibrateOptions {
  SharedOptions shared;
  bool quick = false;
  bool split = false;
  bool install = false;
  std::string operations;  // all
  std::string classes;
  Index most = 0;  // 0: 8192, quick 1024
  int threads = 0;
  std::string output = "dispatch_table.txt";
};

struct Timing {
  int runs, warmup;
};

Timing timing_of(const CalibrateOptions& options) {
  return options.quick ? Timing{3, 1} : Timing{7, 3};
}

constexpr const char* vendor = "vendor";  // in place of a class: the device's own FP64 GEMM

// For the current device.
std::vector<std::string> classes_of(const CalibrateOptions& options) {
  const std::string words = !options.classes.empty() ? options.classes : options.quick ? "fp64,vendor" : "dd,fast,fp64,vendor";
  std::vector<std::string> classes = cli::split(words, ',');
  for (const std::string& word : classes) {
    if (word == vendor) continue;
    const ABPrecision precision = parse_precision(word);
    if (precision > AB_PRECISION_FP64) throw Failure(Exit::WrongUsage, fmt::format("class {} is never looked up in a table", word));
  }
  if (!has_vendor_gemm()) std::erase(classes, vendor);
  if (classes.empty()) throw Failure(Exit::NotAvailable, "the device has no FP64 GEMM of its vendor's that works");
  return classes;
}

const Routine& parse_routine(const std::string& word) {
  const Routine* routine = find_routine(word);
  if (routine != nullptr && routine->family != Family::GemmBatch && routine->family != Family::GemmBatchStrided) return *routine;
  throw Failure(Exit::WrongUsage, fmt::format("'{}' is no routine that can be measured", word));
}

std::vector<GridPoint> grid_of(const CalibrateOptions& options) {
  GridOptions grid;
  if (options.operations.empty()) {
    grid.routines = calibrated_routines();
  } else {
    for (const std::string& word : cli::split(options.operations, ',')) grid.routines.push_back(&parse_routine(word));
  }
  grid.classes = classes_of(options);
  grid.most = options.most > 0 ? options.most : options.quick ? 1024 : 8192;
  grid.quick = options.quick;
  grid.memory_bytes = device_traits(0).memory_bytes;
  return calibration_grid(grid);
}

routing::Section section_for_device(int device) {
  routing::Section section;
  section.device = device_traits(device).name;
  section.cpu = device_traits(0).name;
  section.threads = settings().num_threads;
  section.host_blas = host_blas_name().value_or("");
  section.library = ab_version();
  section.date = describe_setup().date.substr(0, 10);
  return section;
}

routing::TableClass table_class_of(const std::string& word) {
  return word == vendor ? routing::TableClass::Vendor : routing::class_of(static_cast<Precision>(parse_precision(word)));
}

routing::Key key_of(const GridPoint& point, routing::DataPath path) {
  return {point.routine->name, point.letters, table_class_of(point.table_class), path};
}

bool is_gemm(const GridPoint& point) {
  return point.routine == &gemm_like(*point.routine);
}

/// Registers the operands while the products of a path in place are timed.
class Registered {
 public:
  explicit Registered(Workload& work) : work_(work) {
    for (std::vector<double>* words : {&work_.a, &work_.b}) ops::register_host_memory(words->data(), words->size() * sizeof(double));
  }
  ~Registered() {
    for (std::vector<double>* words : {&work_.a, &work_.b}) ops::unregister_host_memory(words->data());
  }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

 private:
  Workload& work_;
};

class Calibration {
 public:
  Calibration(const CalibrateOptions& options, int device) : options_(options), device_(device), timing_(timing_of(options)) {}

  Exit run() {
    const std::vector<GridPoint> grid = grid_of(options_);
    paths_ = paths_of_device();
    const std::string way = fmt::format("{} runs after {} warm-ups{}", timing_.runs, timing_.warmup, options_.split ? ", with splits" : "");
    PartialTable table(options_.output, section_for_device(device_), way);
    std::size_t done = 0;
    const std::size_t all = grid.size() * paths_.size();
    for (const GridPoint& point : grid) {
      for (const routing::DataPath path : paths_) {
        progress_.bar(done++, all, label_of(point) + " " + point.table_class);
        measure_row(table, point, path);
      }
    }
    progress_.say("");
    return finish(table);
  }

 private:
  // Where operands are, for this device: read in place always, if they are registered, or never.
  std::vector<routing::DataPath> paths_of_device() {
    if (device_traits(device_).unified_memory == 1) return {routing::DataPath::InPlace};
    Workload probe = make_workload(Operation::Dgemm, {64, 64, 64}, 1);
    const Registered registered(probe);
    const auto span = ops::find_registered(std::as_bytes(std::span(probe.a)));
    const bool takes = span && span->place(*ops::current_context()).memory != nullptr;
    if (takes) return {routing::DataPath::Copied, routing::DataPath::InPlace};
    return {routing::DataPath::Copied};
  }

  void measure_row(PartialTable& table, const GridPoint& point, routing::DataPath path) {
    const routing::Key key = key_of(point, path);
    routing::Measurement row{};
    row.m = point.shape.m, row.n = point.shape.n, row.k = point.shape.k;
    if (table.has(*point.routine, key, row)) return;
    // Factors beyond those of GEMM are copied whatever the path, and only GEMM is the vendor's.
    if (!is_gemm(point) && (path != paths_[0] || point.table_class == vendor)) return;
    if (!(is_gemm(point) ? measure_gemm(point, path, row) : measure_beyond_gemm(point, row))) return;
    table.add(*point.routine, key, row);
    if (options_.shared.json) print_json(key, row);
  }

  // False, and said, where something is wrong.
  bool measure_beyond_gemm(const GridPoint& point, routing::Measurement& row) {
    constexpr double ms = 1e3;
    const Level3Times times = measure_level3(call_of(point), device_, parse_precision(point.table_class), {timing_.runs, timing_.warmup});
    if (!times.fault.empty()) return complain(point, times.fault);
    row.host_ms = times.host_s * ms;
    row.device_ms = times.device_s * ms;
    return true;
  }

  bool measure_gemm(const GridPoint& point, routing::DataPath path, routing::Measurement& row) {
    Workload work = make_workload(operation_of(point), point.shape, 1, ops_of(point));
    std::unique_ptr<Registered> registered;
    if (path == routing::DataPath::InPlace && device_traits(device_).unified_memory == 0) registered = std::make_unique<Registered>(work);
    const bool by_vendor = point.table_class == vendor;
    const ABPrecision precision = by_vendor ? AB_PRECISION_FP64 : parse_precision(point.table_class);
    const Method method = by_vendor ? Method::Vendor : Method::Class;
    const Measurement measured = measure(work, device_, precision, {.runs = timing_.runs, .warmup = timing_.warmup, .method = method});
    if (!measured.fault.empty()) return complain(point, measured.fault);
    constexpr double ms = 1e3;
    row.host_ms = measured.host->median_s * ms;
    row.device_ms = measured.device.median_s * ms;
    if (options_.split && device_ != 0 && !by_vendor) {
      const SplitTime split = measure_split(work, device_, precision, {timing_.runs, timing_.warmup, measured.device.median_s});
      if (split.checksum != measured.device.checksum) return complain(point, "a split product has other bits");
      row.split_ms = split.median_s * ms;
      row.split_share = split.share;
    }
    return true;
  }

  bool complain(const GridPoint& point, const std::string& fault) {
    progress_.say("");
    fmt::print(stderr, "applebottom: {} {}: {}; no row\n", label_of(point), point.table_class, fault);
    ++faults_;
    return false;
  }

  static void print_json(const routing::Key& key, const routing::Measurement& row) {
    const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
    Json json{{"op", key.op}, {"ta", std::string(1, key.letters[0])}, {"tb", std::string(1, key.letters[1])}};
    json["class"] = word_of_class(key.table_class);
    json["path"] = key.path == routing::DataPath::InPlace ? "in_place" : "copied";
    json.update({{"m", row.m}, {"n", row.n}, {"k", row.k}});
    json["host_ms"] = number(row.host_ms);
    json["device_ms"] = number(row.device_ms);
    json["split_ms"] = number(row.split_ms);
    json["split_share"] = number(row.split_share);
    fmt::print("{}\n", json.dump());
    std::fflush(stdout);
  }

  static const char* word_of_class(routing::TableClass table_class) {
    constexpr const char* words[] = {"dd", "fast", "fp64", "vendor"};
    return words[static_cast<std::size_t>(table_class)];
  }

  void print_table(const routing::Section& section) const {
    Table table({"op", "class", "shape", "host ms", "device ms", "ratio", "split ms", "share"});
    for (const routing::Section::Group& group : section.groups) {
      for (const routing::Measurement& row : group.rows) {
        const std::string op = fmt::format("{} {}{}", group.key.op, group.key.letters[0], group.key.letters[1]);
        const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{:.3f}", *value) : "-"; };
        const std::string ratio = row.host_ms && row.device_ms ? fmt::format("{:.2f}", *row.host_ms / *row.device_ms) : "-";
        table.add({op, word_of_class(group.key.table_class), text_of({row.m, row.n, row.k}), number(row.host_ms), number(row.device_ms),
                   ratio, number(row.split_ms), number(row.split_share)});
      }
    }
    fmt::print("{}", table.text());
  }

  Exit finish(const PartialTable& table) {
    std::vector<std::string> files = {options_.output};
    if (options_.install) files.push_back(per_user_table_file());
    if (files.back().empty()) throw Failure(Exit::NotAvailable, "--install: neither XDG_CONFIG_HOME nor HOME is set");
    for (const std::string& file : files) {
      const std::string complaint = write_table(file, table.section());
      if (!complaint.empty()) fmt::print(stderr, "applebottom: {}\n", complaint);
    }
    table.remove();
    if (!options_.shared.json) {
      print_table(table.section());
      for (const std::string& file : files) fmt::print("written: {}\n", file);
    }
    return faults_ == 0 ? Exit::Fine : Exit::CheckFailed;
  }

  const CalibrateOptions& options_;
  const int device_;
  const Timing timing_;
  std::vector<routing::DataPath> paths_;
  const Progress progress_;
  int faults_ = 0;
};

Exit calibrate(const CalibrateOptions& options) {
  route_everything_to_the_device();
  for (const char* name : {"AB_SPLIT", "AB_HOST_PACK", "AB_REPRODUCIBLE"}) unsetenv(name);
  if (options.threads > 0) set_threads(options.threads);
  if (!host_blas_name()) throw Failure(Exit::NotAvailable, "no host BLAS was found: there is nothing to compare a device with");
  const std::vector<int> devices = parse_devices(options.shared.device);
  Exit status = Exit::Fine;
  for (const int device : devices) {
    use_device(device);
    const Exit ended = Calibration(options, device).run();
    if (ended != Exit::Fine) status = ended;
  }
  return status;
}

}  // namespace

Action add_calibrate(CLI::App& command) {
  auto options = std::make_shared<CalibrateOptions>();
  add_shared_options(command, options->shared);
  command.add_flag("--quick", options->quick,
                   "a few minutes: sizes to 1024, classes fp64 and vendor, one pair of letters each, medians of 3 after 1 warm-up");
  command.add_option("--op", options->operations, "routines, dgemm,zherk,...; default: all but those that have the rows of gemm")
      ->type_name("LIST");
  command.add_option("--classes", options->classes, "dd,fast,fp64, and vendor where the device has an FP64 GEMM of its own")
      ->type_name("LIST");
  command.add_option("--max", options->most, "largest dimension (8192)")->check(CLI::Range(256, 1 << 20));
  command.add_flag("--split", options->split, "measure products shared between the cpu device and the device, too");
  command.add_option("--threads", options->threads, "for the cpu device and the host BLAS; default: as the environment says")
      ->check(CLI::Range(1, 4096));
  command.add_option("--output", options->output, "the table; rows of an interrupted calibration are kept beside it, in FILE.partial")
      ->type_name("FILE")
      ->capture_default_str();
  command.add_flag("--install", options->install, "also into the table of this user, which AB_MODE=auto follows");
  return [options] { return calibrate(*options); };
}

}  // namespace ab::cli
