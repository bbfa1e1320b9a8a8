// SPDX-License-Identifier: MIT
// What a calibration measures: routines, letters, classes and shapes.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/routines.hpp"
#include "workload.hpp"

namespace ab::cli {

/// One pair of letters of a routine, as routing tables have them (core/routines.hpp, Variants).
struct GridPoint {
  const Routine* routine;
  std::array<char, 2> letters;
  std::string table_class;  // "fp64"
  Shape shape;              // as tables have it: k of rank-2k updates is that of both products, of sided routines the order of A
};
/// "dsyrk UN 64x64x256"
std::string label_of(const GridPoint& point);
/// Of the routines dgemm and zgemm.
Operation operation_of(const GridPoint& point);
Ops ops_of(const GridPoint& point);

struct GridOptions {
  std::vector<const Routine*> routines;
  std::vector<std::string> classes;
  Index most = 8192;               // largest dimension
  bool quick = false;              // fewer letters and shapes
  std::uint64_t memory_bytes = 0;  // operands and result of a product may take a quarter; 0: no limit
};

/// All that rows of their own are looked up for: not those that have the rows of GEMM (routing/dispatch_table.hpp).
std::vector<const Routine*> calibrated_routines();
/// Shapes of GEMM by octaves from 256 up to `most`: squares, one dimension small, two small; and those of Quantum ESPRESSO. Every call
/// whose dimensions lie within a factor of 2 of one of them has a neighbour in the table.
std::vector<Shape> grid_shapes(Index most, bool quick);
/// The same of a routine with one pair of letters; beyond GEMM those that it has, quick: squares to 512.
std::vector<Shape> grid_shapes(const Routine& routine, std::array<char, 2> letters, const GridOptions& options);

/// The grid, the cheapest products first, so that what was measured of an interrupted calibration is the most.
std::vector<GridPoint> calibration_grid(const GridOptions& options);

}  // namespace ab::cli
