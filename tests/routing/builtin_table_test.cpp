// SPDX-License-Identifier: MIT
// The tables compiled in: that they can be read, whom they serve, and what they keep on the host.
#include "routing/builtin_table.hpp"

#include <gtest/gtest.h>

#include "routing/router.hpp"
#include "routing/table_text.hpp"
#include "routing/tables.hpp"

namespace ab::routing {
namespace {

constexpr Machine amx_machine{"Some Xeon", "Some Xeon", "cpu:amx-int8", 1};

Tables built_in() {
  Settings settings;
  settings.dispatch_table = "builtin";
  std::vector<std::string> complaints;
  return read_tables(settings, complaints);
}

const Section* asked_section = nullptr;
Route route_of(const char* routine, std::array<Index, 3> shape, const Section* section) {
  asked_section = section;
  const Request request{.routine = find_routine(routine), .letters = {'N', 'N'}, .m = shape[0], .n = shape[1], .k = shape[2]};
  return choose_route(request, {.host_blas_found = true}, [] { return Surface{.section = asked_section}; });
}

TEST(BuiltinTable, EveryFileCanBeRead) {
  ASSERT_GE(std::size(builtin_tables), 1u);
  for (const BuiltinTable& table : builtin_tables) {
    const auto parsed = parse_table(table.text);
    const auto* error = std::get_if<TableError>(&parsed);
    EXPECT_EQ(error, nullptr) << table.file << ", line " << error->line << ": " << error->what;
  }
}

TEST(BuiltinTable, ServesAmxMachinesOfAnyNameAndNoOthers) {
  const Tables tables = built_in();
  for (const int threads : {1, 2, 16, 32}) {
    Machine machine = amx_machine;
    machine.threads = threads;
    const ChosenSection chosen = section_for(tables, machine);
    ASSERT_NE(chosen.section, nullptr) << threads;
    EXPECT_FALSE(chosen.of_file);
    EXPECT_EQ(chosen.section->machines, "AMX machines");
    for (const char* kind : {"", "cpu:avx512-vnni", "cpu:amx"}) {
      machine.kind = kind;
      EXPECT_EQ(section_for(tables, machine).section, nullptr) << kind;
    }
  }
  Machine other = amx_machine;
  other.threads = 224;  // far from what was measured
  EXPECT_EQ(section_for(tables, other).section, nullptr);
  const Route unmeasured = route_of("dgemm", {2048, 2048, 2048}, nullptr);
  EXPECT_EQ(unmeasured.engine, Engine::Host);
  EXPECT_EQ(unmeasured.reason, Reason::NoMeasurement);
}

TEST(BuiltinTable, LargeProductsOfOneThreadGoToTheMatrixUnit) {
  const Tables tables = built_in();
  const Section* section = section_for(tables, amx_machine).section;
  for (const std::array<Index, 3>& shape : {std::array<Index, 3>{2048, 2048, 2048}, {1500, 1400, 1300}}) {
    const Route route = route_of("dgemm", shape, section);
    EXPECT_EQ(route.engine, Engine::Device) << shape[0];
    EXPECT_EQ(route.reason, Reason::TableFaster);
  }
  EXPECT_EQ(route_of("zgemm", {2048, 2048, 2048}, section).engine, Engine::Device);
  EXPECT_EQ(route_of("zgemm", {20000, 20000, 20000}, section).reason, Reason::NoMeasurement);
}

// Around the measured shapes, with one, two or three small dimensions.
std::vector<std::array<Index, 3>> small_shapes() {
  std::vector<std::array<Index, 3>> shapes;
  for (const Index s : {64, 128, 255, 256, 257, 383, 384, 385, 500, 511}) {
    for (const Index x : {64, 256, 384, 511, 512, 513, 700, 1024, 1500, 2048, 4096, 8192, 20000}) {
      for (const Index y : {256, 511, 512, 1024, 2048, 4096, 8192, 20000}) {
        for (const std::array<Index, 3>& shape : {std::array{s, x, y}, {x, s, y}, {x, y, s}}) shapes.push_back(shape);
      }
    }
  }
  return shapes;
}

TEST(BuiltinTable, ProductsWithADimensionBelow512StayOnTheHost) {
  const Tables tables = built_in();
  for (const Section& section : tables.built_in.sections) {
    if (section.machines.empty()) continue;  // calibrated on this very machine
    for (const char* routine : {"dgemm", "zgemm"}) {
      for (const auto& shape : small_shapes()) {
        EXPECT_EQ(route_of(routine, shape, &section).engine, Engine::Host)
            << routine << " " << shape[0] << "x" << shape[1] << "x" << shape[2] << ", " << section.threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace ab::routing
