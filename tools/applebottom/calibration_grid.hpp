// SPDX-License-Identifier: MIT
// What a calibration measures: routines, letters, classes and shapes.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "workload.hpp"

namespace ab::cli {

/// One pair of letters of a routine.
struct GridPoint {
  Operation operation;
  Ops ops;
  std::string table_class;  // "fp64"
  Shape shape;
};

struct GridOptions {
  std::vector<Operation> operations = {Operation::Dgemm, Operation::Zgemm};
  std::vector<std::string> classes;
  Index most = 8192;               // largest dimension
  bool quick = false;              // fewer letters and shapes
  std::uint64_t memory_bytes = 0;  // operands and result of a product may take a quarter; 0: no limit
};

/// Shapes by octaves from 256 up to `most`: squares, one dimension small, two small; and those of Quantum ESPRESSO. Every call whose
/// dimensions lie within a factor of 2 of one of them has a neighbour in the table.
std::vector<Shape> grid_shapes(Index most, bool quick);

/// The grid, the cheapest products first, so that what was measured of an interrupted calibration is the most.
std::vector<GridPoint> calibration_grid(const GridOptions& options);

}  // namespace ab::cli
