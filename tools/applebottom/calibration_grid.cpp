// SPDX-License-Identifier: MIT
#include "calibration_grid.hpp"

#include <algorithm>
#include <tuple>

namespace ab::cli {
namespace {

constexpr Index smallest = 256;
constexpr Index most_quick = 512;  // chosen: of routines beyond GEMM, which are many
constexpr Index small = 64;        // chosen: speaks for 32 to 128, where the floor of AB_MIN_GPU_DIM ends
// benchmarks/shapes/quantum_espresso.txt; calls below the floor need no row.
constexpr Shape espresso[] = {{64, 32, 3016}, {256, 256, 9104}, {9104, 256, 256}};

using Letters = std::array<char, 2>;

// The likeliest first.
std::vector<Letters> all_letters(const Routine& routine) {
  const char conjugate = routine.hermitian ? 'C' : 'T';
  switch (variants_of(routine)) {
    case Variants::TriangleAndTranspose:
      return {{'U', 'N'}, {'L', 'N'}, {'U', conjugate}, {'L', conjugate}};
    case Variants::SideAndTriangle:
      return {{'L', 'L'}, {'L', 'U'}, {'R', 'L'}, {'R', 'U'}};
    default:
      if (!routine.complex) return {{'N', 'N'}, {'N', 'T'}, {'T', 'N'}, {'T', 'T'}};
      return {{'N', 'N'}, {'N', 'C'}, {'C', 'N'}, {'C', 'C'}, {'N', 'T'}, {'T', 'N'}};
  }
}

std::vector<Letters> letters_of(const Routine& routine, bool quick) {
  std::vector<Letters> letters = all_letters(routine);
  if (quick) letters.resize(1);
  return letters;
}

std::uint64_t bytes_of(const Routine& routine, const Shape& shape) {
  const auto entries = static_cast<std::uint64_t>(shape.m * shape.k + shape.k * shape.n + shape.m * shape.n);
  return entries * (routine.complex ? 16 : 8);
}

double work_of(const GridPoint& point) {
  const auto& [m, n, k] = point.shape;
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) * (point.routine->complex ? 4 : 1);
}

Op op_of(char letter) {
  return letter == 'N' ? Op::None : letter == 'T' ? Op::Transpose : Op::ConjugateTranspose;
}

// Of updates, whose m and n are one; or of routines with a square A on one side.
std::vector<Shape> shapes_beyond_gemm(Variants variants, char side, Index size) {
  const Index s = size;
  if (variants == Variants::TriangleAndTranspose) return {{s, s, s}, {s, s, small}, {small, small, s}};
  if (side == 'L') return {{s, s, s}, {s, small, s}, {small, s, small}};
  return {{s, s, s}, {small, s, s}, {s, small, small}};
}

}  // namespace

std::string label_of(const GridPoint& point) {
  return std::string(point.routine->name) + " " + point.letters[0] + point.letters[1] + " " + text_of(point.shape);
}

Operation operation_of(const GridPoint& point) {
  return point.routine->complex ? Operation::Zgemm : Operation::Dgemm;
}

Ops ops_of(const GridPoint& point) {
  return {op_of(point.letters[0]), op_of(point.letters[1])};
}

std::vector<const Routine*> calibrated_routines() {
  std::vector<const Routine*> some;
  for (const Routine& routine : routines) {
    if (!is_made_of_gemm(routine) || &routine == &gemm_like(routine)) some.push_back(&routine);
  }
  return some;
}

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

std::vector<Shape> grid_shapes(const Routine& routine, Letters letters, const GridOptions& options) {
  const Variants variants = variants_of(routine);
  if (variants == Variants::Transposes) {
    std::vector<Shape> shapes = grid_shapes(options.most, options.quick);
    if (routine.family == Family::Gemmt) std::erase_if(shapes, [](const Shape& shape) { return shape.m != shape.n; });
    return shapes;
  }
  std::vector<Shape> shapes;
  const Index most = options.quick ? std::min(options.most, most_quick) : options.most;
  for (Index s = smallest; s <= most; s *= 2) {
    std::vector<Shape> some = shapes_beyond_gemm(variants, letters[0], s);
    if (options.quick) some.resize(1);
    shapes.insert(shapes.end(), some.begin(), some.end());
  }
  return shapes;
}

std::vector<GridPoint> calibration_grid(const GridOptions& options) {
  std::vector<GridPoint> grid;
  for (const Routine* routine : options.routines) {
    for (const Letters& letters : letters_of(*routine, options.quick)) {
      for (const Shape& shape : grid_shapes(*routine, letters, options)) {
        if (options.memory_bytes > 0 && bytes_of(*routine, shape) > options.memory_bytes / 4) continue;
        for (const std::string& table_class : options.classes) grid.push_back({routine, letters, table_class, shape});
      }
    }
  }
  std::stable_sort(grid.begin(), grid.end(), [](const GridPoint& a, const GridPoint& b) { return work_of(a) < work_of(b); });
  return grid;
}

}  // namespace ab::cli
