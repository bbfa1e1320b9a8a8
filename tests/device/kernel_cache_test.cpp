// SPDX-License-Identifier: MIT
#include "device/kernel_cache.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "device/cpu/cpu_device.hpp"
#include "support/faulty_device.hpp"

namespace ab::device {
namespace {

std::vector<std::string> variants() {
  std::ifstream file(AB_VARIANTS_FILE);
  std::vector<std::string> names;
  for (std::string line; std::getline(file, line);) {
    std::string name;
    if (!line.empty() && line[0] != '#' && std::istringstream(line) >> name) names.push_back(name);
  }
  if (describe_cpu().product_scratch_bytes > 0) names.insert(names.end(), {"crt_product_i8", "crt_product_i8_3m"});
  return names;
}

TEST(KernelCache, LoadsTheKernelsOfTheListInItsOrder) {
  const std::unique_ptr<Device> cpu = open_cpu();
  test::FaultyDevice device(*cpu);
  const KernelCache cache(device);
  EXPECT_EQ(device.loaded(), variants());
}

TEST(KernelCache, EveryTextIsItsOwnKernel) {
  const std::unique_ptr<Device> cpu = open_cpu();
  const KernelCache cache(*cpu);
  for (int a = 0; a < static_cast<int>(variants().size()); ++a) {
    for (int b = 0; b < a; ++b) EXPECT_NE(&cache.get(static_cast<Text>(a)), &cache.get(static_cast<Text>(b)));
  }
}

TEST(KernelCache, NamesTheKernelThatDoesNotLoad) {
  const std::unique_ptr<Device> cpu = open_cpu();
  for (const std::string& name : variants()) {
    test::FaultyDevice device(*cpu);
    device.lose_kernel(name);
    try {
      const KernelCache cache(device);
      FAIL() << "loaded without " << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::ShaderCompile);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace ab::device
