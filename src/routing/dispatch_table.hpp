// SPDX-License-Identifier: MIT
// Routing tables, format 2 (spec 6.3): measured times by device, CPU, threads, routine, letters, class, path and shape.
#pragma once
#include <cstdint>
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

/// Sizes between which the rows of a group lie: most calls that have no neighbour are outside of twice that.
struct Extent {
  Index least, most;
  bool may_be_near(Index ours) const { return least - ours <= ours && ours - most <= most; }
};

struct Section {
  struct Group {
    Key key;
    std::vector<Measurement> rows;  // in the order of the file
    Extent m, n, k;
  };
  /// The row of that key and shape, new (without times) if there is none.
  Measurement& row(const Routine& routine, const Key& key, const Measurement& shape);
  const Group* find(const Routine& routine, const Key& key) const;
  /// False when no row of any key is a neighbour of that shape: most small calls end here.
  bool reaches(const Request& request) const { return m_.may_be_near(request.m) && n_.may_be_near(request.n) && k_.may_be_near(request.k); }

  std::string device, cpu, host_blas, library, date;
  std::string machines;  // "AMX machines": whom a section of a kind serves, for reports
  int threads = 0;
  std::vector<Group> groups;

 private:
  struct Place {
    std::uint64_t code;  // of the key
    std::size_t group;
  };
  std::vector<Place> places_;                                   // in ascending order of the codes
  Extent m_{INT64_MAX, 0}, n_{INT64_MAX, 0}, k_{INT64_MAX, 0};  // of all rows
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
  // The same of a split: every neighbour has min(host_ms, device_ms) >= 1.10 split_ms.
  bool split_faster = false;
  double split_ms = 0;
  std::optional<double> split_share;  // of the neighbour that is nearest in |log2 m/m'| + |log2 n/n'| + |log2 k/k'|
};
/// What the neighbours of a call say: the row of exactly its shape alone, else all within a factor of 2 in m, n and k. Calls in place
/// without neighbours use copied rows; gemmt, gemm3m and batches without any use the rows of gemm.
Verdict look_up(const Section& section, const Request& request, TableClass table_class);

}  // namespace ab::routing
