// SPDX-License-Identifier: MIT
#include "device/metal/native/native.hpp"

#include <cassert>
#include <cstring>

#include "kernels/host.hpp"

namespace ab::device::metal::native {
namespace {

using kernels::uint;

// The variants of the predecessor (its readme names the shapes): tall results waste less of a tall tile, small ones have more groups
// of small tiles. `ahead` kernels fetch the next tiles into registers while they compute, which pays where few groups hide latency.
struct Tiles {
  uint rows, columns;
  const char *name, *ahead;
};
constexpr Tiles square = {64, 64, "gemm_dd_64x64", "gemm_dd_64x64_ahead"};
constexpr Tiles tall = {128, 16, "gemm_dd_128x16", "gemm_dd_128x16_ahead"};
constexpr Tiles small = {32, 32, "gemm_dd_32x32_ahead", "gemm_dd_32x32_ahead"};
constexpr uint small_extent = 480;  // published by the predecessor: smaller results go by small tiles
constexpr uint few_groups = 160;    // chosen: four for each core of an M2 Max; not measured

Tiles choose_tiles(uint rows, uint columns) {
  if (rows >= 4 * columns) return tall;
  return rows <= small_extent && columns <= small_extent ? small : square;
}

std::array<std::uint32_t, 3> folded(std::uint64_t groups) {
  const auto rows = static_cast<std::uint32_t>((groups + AB_FOLD - 1) / AB_FOLD);
  return {rows > 1 ? AB_FOLD : static_cast<std::uint32_t>(groups), rows, 1};
}

template <class Params>
Launch launch_of(const char* name, const Params& p) {
  Launch launch{find_text(name), std::vector<std::byte>(sizeof p), folded(p.groups)};
  std::memcpy(launch.params.data(), &p, sizeof p);
  return launch;
}

template <class Params>
Params params_of(std::span<const std::byte> bytes) {
  assert(bytes.size() == sizeof(Params));
  Params p;
  std::memcpy(&p, bytes.data(), sizeof p);
  return p;
}

Launch choose_dd(kernels::dd_params p) {
  const Tiles tiles = choose_tiles(p.rows, p.columns);
  p.tile_rows = (p.rows + tiles.rows - 1) / tiles.rows;
  p.tile_columns = (p.columns + tiles.columns - 1) / tiles.columns;
  p.groups = p.tile_rows * p.tile_columns * p.form;
  return launch_of(p.groups <= few_groups ? tiles.ahead : tiles.name, p);
}

Launch choose_f32(const char* name, kernels::modular_params p) {
  p.tile_rows = (p.left_vectors + 127) / 128;
  p.tile_columns = (p.right_vectors + 63) / 64;
  p.groups = p.moduli * p.tile_rows * p.tile_columns;
  return launch_of(name, p);
}

}  // namespace

std::optional<Launch> choose(const std::string& kernel, std::span<const std::byte> params) {
  if (kernel == "gemm_dd") return choose_dd(params_of<kernels::dd_params>(params));
  if (kernel == "modular_gemm_f32") return choose_f32("product_f32", params_of<kernels::modular_params>(params));
  if (kernel == "modular_gemm_f32_3m") return choose_f32("product_f32_3m", params_of<kernels::modular_params>(params));
  return std::nullopt;
}

}  // namespace ab::device::metal::native
