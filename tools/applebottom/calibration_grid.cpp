// SPDX-License-Identifier: MIT
#include "calibration_grid.hpp"

#include <algorithm>
#include <tuple>

namespace ab::cli {
namespace {

constexpr Index smallest = 256;
constexpr Index small = 64;  // chosen: speaks for 32 to 128, where the floor of AB_MIN_GPU_DIM ends
// benchmarks/shapes/quantum_espresso.txt; calls below the floor need no row.
constexpr Shape espresso[] = {{64, 32, 3016}, {256, 256, 9104}, {9104, 256, 256}};

constexpr Ops pairs_of_real[] = {{}, {Op::None, Op::Transpose}, {Op::Transpose, Op::None}, {Op::Transpose, Op::Transpose}};
constexpr Ops pairs_of_complex[] = {{},
                                    {Op::None, Op::ConjugateTranspose},
                                    {Op::ConjugateTranspose, Op::None},
                                    {Op::ConjugateTranspose, Op::ConjugateTranspose},
                                    {Op::None, Op::Transpose},
                                    {Op::Transpose, Op::None}};

std::vector<Ops> pairs_of(Operation operation, bool quick) {
  if (operation == Operation::Dgemm) return {std::begin(pairs_of_real), std::begin(pairs_of_real) + (quick ? 1 : 4)};
  return {std::begin(pairs_of_complex), std::begin(pairs_of_complex) + (quick ? 1 : 6)};
}

std::uint64_t bytes_of(Operation operation, const Shape& shape) {
  const auto entries = static_cast<std::uint64_t>(shape.m * shape.k + shape.k * shape.n + shape.m * shape.n);
  return entries * (operation == Operation::Dgemm ? 8 : 16);
}

double work_of(const GridPoint& point) {
  const auto& [m, n, k] = point.shape;
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) * (point.operation == Operation::Dgemm ? 1 : 4);
}

}  // namespace

std::vector<Shape> grid_shapes(Index most, bool quick) {
  std::vector<Shape> shapes;
  for (Index s = smallest; s <= most; s *= 2) {
    shapes.push_back({s, s, s});
    if (quick && 2 * s <= most) continue;  // the largest size speaks for small dimensions
    for (const Shape& shape : {Shape{small, s, s}, {s, small, s}, {s, s, small}}) shapes.push_back(shape);
    for (const Shape& shape : {Shape{s, small, small}, {small, s, small}, {small, small, s}}) shapes.push_back(shape);
  }
  for (const Shape& shape : espresso) {
    if (!quick && std::max({shape.m, shape.n, shape.k}) <= most + most / 8) shapes.push_back(shape);
  }
  return shapes;
}

std::vector<GridPoint> calibration_grid(const GridOptions& options) {
  std::vector<GridPoint> grid;
  for (const Operation operation : options.operations) {
    for (const Shape& shape : grid_shapes(options.most, options.quick)) {
      if (options.memory_bytes > 0 && bytes_of(operation, shape) > options.memory_bytes / 4) continue;
      for (const Ops& ops : pairs_of(operation, options.quick)) {
        for (const std::string& table_class : options.classes) grid.push_back({operation, ops, table_class, shape});
      }
    }
  }
  std::stable_sort(grid.begin(), grid.end(), [](const GridPoint& a, const GridPoint& b) { return work_of(a) < work_of(b); });
  return grid;
}

}  // namespace ab::cli
