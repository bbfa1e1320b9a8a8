// SPDX-License-Identifier: MIT
#include "support/golden_table.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "support/golden.hpp"

namespace ab::test {
namespace {

std::uint64_t hash_of(std::uint64_t hash, const std::vector<double>& values) {  // FNV-1a over words
  for (const double value : values) hash = (hash ^ word_of(value)) * 0x100000001B3u;
  return hash;
}

std::uint64_t hash_of_golden(ops::Context& context, const ops::Choices& choices) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const GoldenProduct& golden : golden_products()) {
    const Ran ran = run_call(context, golden.call, Way::Resident, choices);
    EXPECT_EQ(difference_of_run(golden.call, golden.expect.at(choices.precision), ran, choices), "") << word_of(choices.precision);
    hash = hash_of(hash, ran.c);
  }
  return hash;
}

}  // namespace

std::string print_golden_hashes(ops::Context& context, const std::string& device) {
  std::string lines;
  for (const Precision precision : device_classes) {
    for (const ModuliFamily family : device_families) {
      char line[64];
      std::snprintf(line, sizeof line, "%s|%s|%016llx\n", word_of(precision), family == ModuliFamily::Int8 ? "int8" : "ten",
                    static_cast<unsigned long long>(hash_of_golden(context, choices_for(precision, family))));
      std::printf("golden|%s|%s", device.c_str(), line);
      lines += line;
    }
  }
  return lines;
}

}  // namespace ab::test
