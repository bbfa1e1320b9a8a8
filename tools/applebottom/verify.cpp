// SPDX-License-Identifier: MIT
// applebottom verify: random and adversarial data on every device. One class has one set of bits, and errs by no more than it certifies.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "contenders.hpp"
#include "device/registry.hpp"
#include "judgement.hpp"
#include "progress.hpp"
#include "subcommands.hpp"
#include "table.hpp"
#include "verify_data.hpp"

namespace ab::cli {
namespace {

struct VerifyOptions {
  SharedOptions shared;
  std::string ops = "dgemm,zgemm", shapes = "300x200x1000,64x64x64,1x129x77", classes, data = "all";
  std::uint64_t seed = 1;
  Index count = 1;
};

struct Row {
  std::string op, precision, data, shape, device, bits;
  double error_u = 0, certified = -1;
  int guard = -1;
  std::string fault;  // "" when all is well
};

struct Plan {
  std::vector<Operation> operations;
  std::vector<Shape> shapes;
  std::vector<std::string> classes;
  std::vector<Family> families;
  std::vector<int> devices;
};

std::vector<int> devices_of(const VerifyOptions& options) {
  if (!options.shared.device.empty()) return parse_devices(options.shared.device);
  std::vector<int> devices;
  for (const int index : parse_devices("all")) {
    if (!device::traits_of(index).only_on_request) devices.push_back(index);  // software renderers take too long
  }
  return devices;
}

Plan plan_of(const VerifyOptions& options) {
  Plan plan;
  for (const std::string& word : split(options.ops, ',')) plan.operations.push_back(parse_product(word));
  for (const std::string& word : split(options.shapes, ',')) plan.shapes.push_back(parse_shape(word));
  plan.classes = options.classes.empty() ? available_classes() : split(options.classes, ',');
  if (!options.shared.precision.empty()) plan.classes = {options.shared.precision};
  for (const std::string& word : plan.classes) parse_precision(word);
  if (options.data == "all") {
    plan.families.assign(std::begin(all_families), std::end(all_families));
  } else {
    for (const std::string& word : split(options.data, ',')) plan.families.push_back(parse_family(word));
  }
  plan.devices = devices_of(options);
  for (const int index : plan.devices) use_device(index);
  return plan;
}

Row run(const Workload& work, const Judge& judge, const std::string& precision, int device) {
  use_device(device);
  if (ab_set_precision(parse_precision(precision)) != AB_OK) throw Failure(Exit::CheckFailed, ab_last_error());
  Row row;
  row.op = word_of(work.operation), row.precision = precision, row.shape = text_of(work.shape), row.device = device_traits(device).id;
  const std::unique_ptr<Contender> contender = device_contender(work, Front::Blas);
  contender->run();
  const std::vector<double> c = contender->result();
  ABProduct product = {};
  product.struct_size = sizeof product;
  ab_last_product(&product);
  const Judge::Verdict verdict = judge.judge(c, product.bound);
  row.bits = hex(checksum(c));
  row.error_u = verdict.error_u;
  row.certified = product.bound;
  row.guard = product.guard;
  row.fault = verdict.fault;
  if (product.engine != AB_ENGINE_DEVICE || product.device != device) row.fault = "was not computed there";
  return row;
}

/// The rows of one product on all devices; those whose bits differ from the first device's are at fault.
void add_rows(const Workload& work, const Judge& judge, const std::pair<std::string, Family>& what, const std::vector<int>& devices,
              std::vector<Row>& rows) {
  const std::size_t first = rows.size();
  for (const int device : devices) {
    Row row = run(work, judge, what.first, device);
    row.data = word_of(what.second);
    if (rows.size() > first && row.bits != rows[first].bits && row.fault.empty())
      row.fault = "its bits differ from those of " + rows[first].device;
    rows.push_back(std::move(row));
  }
}

std::vector<Row> verify_all(const VerifyOptions& options, const Plan& plan) {
  std::vector<Row> rows;
  const Progress progress;
  for (const Operation operation : plan.operations) {
    for (const Family family : plan.families) {
      for (const Shape& shape : plan.shapes) {
        for (Index i = 0; i < options.count; ++i) {
          progress.say(fmt::format("{} {} {}", word_of(operation), word_of(family), text_of(shape)));
          const Workload work = make_workload(operation, shape, options.seed + static_cast<std::uint64_t>(i), family);
          const Judge judge(work);
          for (const std::string& precision : plan.classes) add_rows(work, judge, {precision, family}, plan.devices, rows);
        }
      }
    }
  }
  return rows;
}

std::size_t failures_in(const std::vector<Row>& rows) {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.fault.empty(); }));
}

std::string text_of(const std::vector<Row>& rows, std::size_t devices) {
  Table table({"op", "class", "data", "shape", "device", "bits", "error/(u|A||B|)", "certified", "guard", "result"});
  std::set<std::string> bits;
  for (const Row& row : rows) {
    table.add({row.op, row.precision, row.data, row.shape, row.device, row.bits, fmt::format("{:.3g}", row.error_u),
               row.certified < 0 ? "none" : fmt::format("{:.4g}", row.certified), std::to_string(row.guard),
               row.fault.empty() ? "ok" : "wrong: " + row.fault});
  }
  std::size_t sets = 0;  // of bits, product by product
  for (std::size_t i = 0; i < rows.size(); i += devices) {
    bits.clear();
    for (std::size_t d = 0; d < devices; ++d) bits.insert(rows[i + d].bits);
    sets += bits.size();
  }
  return table.text() +
         fmt::format("{} products, {} {} of bits, {} failures\n", rows.size(), sets, sets == 1 ? "set" : "sets", failures_in(rows));
}

nlohmann::ordered_json json_of(const std::vector<Row>& rows) {
  nlohmann::ordered_json json;
  json["products"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    json["products"].push_back({{"op", row.op},
                                {"class", row.precision},
                                {"data", row.data},
                                {"shape", row.shape},
                                {"device", row.device},
                                {"bits", row.bits},
                                {"error_u", row.error_u},
                                {"certified", nullptr},
                                {"guard", row.guard},
                                {"fault", row.fault}});
    if (row.certified >= 0) json["products"].back()["certified"] = row.certified;
  }
  json["failures"] = failures_in(rows);
  return json;
}

Exit verify(const VerifyOptions& options) {
  setenv("AB_MODE", "gpu", 1);
  setenv("AB_MIN_GPU_DIM", "0", 1);
  setenv("AB_REPRODUCIBLE", "1", 1);  // what no class can serve is computed on the device too
  const Plan plan = plan_of(options);
  const std::vector<Row> rows = verify_all(options, plan);
  fmt::print("{}", options.shared.json ? json_of(rows).dump(1) + "\n" : text_of(rows, plan.devices.size()));
  return failures_in(rows) == 0 ? Exit::Fine : Exit::CheckFailed;
}

}  // namespace

Action add_verify(CLI::App& command) {
  auto options = std::make_shared<VerifyOptions>();
  add_shared_options(command, options->shared);
  command.add_option("--op", options->ops, "dgemm, zgemm")->type_name("LIST")->capture_default_str();
  command.add_option("--shape", options->shapes, "shapes MxNxK")->type_name("LIST")->capture_default_str();
  command.add_option("--classes", options->classes, "dd, fast, fp64, strict, or all of them")->type_name("LIST");
  command.add_option("--data", options->data, "uniform, exponents, integers, cancel, graded, complex_imbalance, special, or all")
      ->type_name("LIST")
      ->capture_default_str();
  command.add_option("--seed", options->seed, "of the data")->capture_default_str();
  command.add_option("--count", options->count, "products of each kind, each with other data")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  return [options] { return verify(*options); };
}

}  // namespace ab::cli
