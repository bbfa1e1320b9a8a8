// SPDX-License-Identifier: MIT
// applebottom selftest: the start-up checks of each device, then whole products in every class against golden bits.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "device/registry.hpp"
#include "device/self_test.hpp"
#include "ops/context.hpp"
#include "ops/product_test.hpp"
#include "subcommands.hpp"
#include "table.hpp"

namespace ab::cli {
namespace {

struct Check {
  std::string device, name;
  std::string fault;  // "" when passed
};

std::string fault_in(const std::function<std::string()>& check) {
  try {
    return check();
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::vector<Check> checks_of(int index) {
  const std::string id = device_traits(index).id;
  std::vector<Check> checks;
  std::string how;
  const std::string fault = fault_in([&] {
    device::Device& device = device::open(index);
    if (!device.traits().fused_fma) how = "; its fma is not fused: the soft module, which has one in integers, is used";
    return device::self_test(device);
  });
  checks.push_back({id, "arithmetic, sums, steps" + how, fault});
  checks.push_back({id, "products, every class", fault_in([&] {
                      use_device(index);
                      return ops::test_products(*ops::current_context());
                    })});
  return checks;
}

Exit selftest(const SharedOptions& options) {
  std::vector<Check> checks;
  for (int index : parse_devices(options.device.empty() ? "all" : options.device)) {
    for (Check& check : checks_of(index)) checks.push_back(std::move(check));
  }
  int failures = 0;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  Table table({"device", "check", "result"});
  for (const Check& check : checks) {
    const std::string result = check.fault.empty() ? "passed" : "failed: " + check.fault;
    failures += check.fault.empty() ? 0 : 1;
    table.add({check.device, check.name, result});
    list.push_back({{"device", check.device}, {"check", check.name}, {"result", result}});
  }
  fmt::print("{}", options.json ? list.dump(1) + "\n" : table.text());
  return failures == 0 ? Exit::Fine : Exit::CheckFailed;
}

}  // namespace

Action add_selftest(CLI::App& command) {
  auto options = std::make_shared<SharedOptions>();
  add_shared_options(command, *options);
  return [options] { return selftest(*options); };
}

}  // namespace ab::cli
