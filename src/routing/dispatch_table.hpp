// SPDX-License-Identifier: MIT
// Routing tables, format 2 (spec 6.3): measured times by device, CPU, threads, routine, letters, class, path and shape.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routing/route.hpp"

namespace ab::routing {

enum class TableClass { DoubleFloat, Fast, Fp64, Vendor };
/// The rows that speak for a class; those of fp64 for strict and exact, which are never looked up.
TableClass class_of(Precision precision);

/// Which measurements belong together. The op is a name of core/routines.hpp; real C is kept as T.
struct Key {
  std::string_view op;
  std::array<char, 2> letters;
  TableClass table_class;
  DataPath path;
  bool operator==(const Key&) const = default;
};

struct Measurement {
  Index m, n, k;
  std::optional<double> host_ms, device_ms, split_ms, split_share;  // none: not measured
};

struct Section {
  struct Group {
    Key key;
    std::vector<Measurement> rows;  // in the order of the file
  };
  std::string device, cpu, host_blas, date;
  std::string machines;  // "AMX machines": whom a section of a kind serves, for reports
  int threads = 0;
  std::vector<Group> groups;
};

struct Table {
  std::vector<Section> sections;
};

/// The section for this device and CPU with the nearest thread count (the smaller on a tie), or null.
const Section* choose_section(const Table& table, std::string_view device, std::string_view cpu, int threads);

struct Verdict {
  bool measured = false;  // there is a neighbour
  bool faster = false;    // and every neighbour has host_ms >= 1.10 device_ms
  double device_ms = 0;   // sum over the neighbours
};
/// What the neighbours of a call say: the row of exactly its shape alone, else all within a factor of 2 in m, n and k. Calls in place
/// without neighbours use copied rows; gemmt, gemm3m and batches without any use the rows of gemm.
Verdict look_up(const Section& section, const Request& request, TableClass table_class);

}  // namespace ab::routing
