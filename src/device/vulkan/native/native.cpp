// SPDX-License-Identifier: MIT
#include "device/vulkan/native/native.hpp"

#include <cassert>
#include <cstring>

namespace ab::device::vulkan::native {
namespace {

using kernels::uint;

constexpr Form by_matrices[] = {{"modular_gemm_i8", Means::Matrices, 1, 4}, {"modular_gemm_i8_3m", Means::Matrices, 3, 8}};
constexpr Form by_words[] = {{"modular_gemm_i8", Means::Words, 1, 0}, {"modular_gemm_i8_3m", Means::Words, 3, 0}};
struct Tile {
  uint rows, columns;
};
constexpr Tile common_tile = {64, 64};
constexpr Tile tile_of(Means means) {
  return means == Means::Matrices ? Tile{128, 128} : Tile{8, 16};
}

void set_tiles(kernels::modular_params& p, Tile tile) {
  p.tile_rows = (p.left_vectors + tile.rows - 1) / tile.rows;
  p.tile_columns = (p.right_vectors + tile.columns - 1) / tile.columns;
  p.groups = p.moduli * p.tile_rows * p.tile_columns;
}

std::array<std::uint32_t, 3> folded(uint groups) {
  const uint rows = (groups + AB_FOLD - 1) / AB_FOLD;
  return {rows > 1 ? AB_FOLD : groups, rows, 1};
}

// A product that touches more than one tile, within its planes and on top of what is there.
constexpr std::array<uint, 3> moduli = {256, 251, 127};
kernels::modular_params trial(Means means) {
  const Tile tile = tile_of(means);
  kernels::modular_params p{};
  p.left_vectors = tile.rows + 21;
  p.right_vectors = tile.columns + 9;
  p.left_first = 3, p.right_first = 5;
  p.left_all = p.left_vectors + p.left_first + 1;
  p.right_all = p.right_vectors + p.right_first;
  p.inner_padded = 192;
  p.row_words = (p.left_vectors + 3) / 4 + 1;
  p.accumulate = 1;
  p.moduli = static_cast<uint>(moduli.size());
  set_tiles(p, common_tile);
  return p;
}

// Residues of all values that moduli up to 256 have, in an order of no pattern.
std::vector<std::byte> residues(std::size_t bytes, std::uint32_t state) {
  std::vector<std::byte> out(bytes);
  for (std::byte& each : out) {
    state = state * 1664525u + 1013904223u;
    each = static_cast<std::byte>(state >> 24);
  }
  return out;
}

std::vector<std::byte> table() {
  std::vector<uint> words(moduli.size() * AB_MODULUS_WORDS);
  for (std::size_t l = 0; l < moduli.size(); ++l) {
    words[l * AB_MODULUS_WORDS] = moduli[l];
    words[l * AB_MODULUS_WORDS + AB_MODULUS_INVERSE] = static_cast<uint>((std::uint64_t{1} << 32) / moduli[l]);
  }
  std::vector<std::byte> out(words.size() * sizeof(uint));
  std::memcpy(out.data(), words.data(), out.size());
  return out;
}

std::unique_ptr<Memory> memory_with(Device& device, Queue& queue, std::span<const std::byte> bytes) {
  std::unique_ptr<Memory> memory = device.allocate(bytes.size());
  queue.write(*memory, 0, bytes);
  return memory;
}

}  // namespace

std::optional<Means> means_of(const PhysicalDevice& device) {
  if (device.matrices) return Means::Matrices;
  return device.traits.only_on_request ? std::optional(Means::Words) : std::nullopt;
}

std::span<const Form> forms(Means means) {
  if (means == Means::Words) return by_words;
  return by_matrices;
}

const Form* find_form(Means means, const std::string& kernel) {
  for (const Form& form : forms(means)) {
    if (kernel == form.kernel) return &form;
  }
  return nullptr;
}

std::string text_of(const Form& form, const PhysicalDevice& device) {
  return std::string(form.kernel) + (form.means == Means::Words ? "_words" : device.matrices->extension->suffix);
}

Launch launch_of(const Form& form, std::span<const std::byte> params) {
  Launch launch{};
  assert(params.size() == sizeof launch.params);
  std::memcpy(&launch.params, params.data(), sizeof launch.params);
  set_tiles(launch.params, tile_of(form.means));
  launch.groups = folded(launch.params.groups);
  return launch;
}

std::vector<std::uint32_t> constants_of(const Form& form, const PhysicalDevice& device) {
  if (form.means == Means::Words) return {};
  const Matrices& matrices = *device.matrices;
  return {matrices.rows, matrices.columns, matrices.inner, matrices.lanes, form.subgroups * matrices.lanes};
}

bool agree(Device& device, const Form& form, const Kernel& common, const Kernel& native) {
  const kernels::modular_params p = trial(form.means);
  const std::size_t inner = p.inner_padded, planes = std::size_t{p.moduli} * form.products;
  const std::size_t result_bytes = std::size_t{p.moduli} * (form.products == 3 ? 2 : 1) * p.right_vectors * p.row_words * sizeof(uint);
  const std::unique_ptr<Queue> queue = device.open_queue();
  const auto left = memory_with(device, *queue, residues(planes * p.left_all * inner, 1));
  const auto right = memory_with(device, *queue, residues(planes * p.right_all * inner, 2));
  const auto constants = memory_with(device, *queue, table());
  const auto results_of = [&](const Kernel& kernel) {
    const auto results = memory_with(device, *queue, residues(result_bytes, 3));
    const auto groups = folded(p.groups);
    queue->launch(kernel, {groups[0], groups[1], groups[2], 0},
                  std::array<Argument, 5>{Slice{left.get(), 0}, Slice{right.get(), 0}, Slice{constants.get(), 0}, Slice{results.get(), 0},
                                          std::as_bytes(std::span(&p, 1))});
    std::vector<std::byte> out(result_bytes);
    queue->read(*results, 0, out);
    return out;
  };
  return results_of(common) == results_of(native);
}

}  // namespace ab::device::vulkan::native
