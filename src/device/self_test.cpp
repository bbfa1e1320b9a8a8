// SPDX-License-Identifier: MIT
#include "device/self_test.hpp"

#include <cstdio>
#include <vector>

#include "device/kernel_cache.hpp"
#include "device/self_test_cases.hpp"
#include "kernels/host.hpp"

namespace ab::device {
namespace {

constexpr std::size_t row_words = 5;  // what a case sends: operation and four words

const char* name_of(std::uint64_t operation) {
  static constexpr std::array<const char*, 19> names = {"fused multiply-add of FP32",
                                                        "product and sum of FP32 (contracted?)",
                                                        "two_sum",
                                                        "fast_two_sum",
                                                        "two_product",
                                                        "double-float step",
                                                        "double-float sum",
                                                        "double-float conversion",
                                                        "soft FP64 addition",
                                                        "soft FP64 multiplication",
                                                        "soft FP64 fma",
                                                        "FP64 addition",
                                                        "FP64 multiplication",
                                                        "FP64 fma",
                                                        "rounding to FP64",
                                                        "64 x 64 bit product",
                                                        "64-bit shifts and bit counts",
                                                        "residues and byte products",
                                                        "two_sum of a product (contracted?)"};
  return operation < names.size() ? names[operation] : "unknown step";
}

template <class Params>
Argument as_argument(const Params& value) {
  return std::as_bytes(std::span<const Params>(&value, 1));
}

template <class T>
std::unique_ptr<Memory> filled(Device& device, Queue& queue, const std::vector<T>& values) {
  std::unique_ptr<Memory> memory = device.allocate(values.size() * sizeof(T));
  queue.write(*memory, 0, std::as_bytes(std::span<const T>(values)));
  return memory;
}

using Case = std::uint64_t[7];

bool is_right(const Case& test, const std::uint64_t* result) {
  // A zero result of FP32 may have either sign.
  const bool of_floats = test[0] < 8;
  const bool same_but_signs = ((result[0] ^ test[5]) & 0x7FFFFFFF7FFFFFFF) == 0;
  const bool has_zero = (test[5] & 0x7FFFFFFF00000000) == 0 || (test[5] & 0x7FFFFFFF) == 0;
  return (result[0] == test[5] || (of_floats && same_but_signs && has_zero)) && result[1] == test[6];
}

// Runs the stored cases in one launch: two words each.
std::vector<std::uint64_t> run_cases(Device& device, Queue& queue, const Kernel& kernel) {
  std::vector<std::uint64_t> rows;
  constexpr std::size_t count = std::size(self_test_cases);
  for (const auto& test : self_test_cases) rows.insert(rows.end(), test, test + row_words);
  const std::unique_ptr<Memory> input = filled(device, queue, rows);
  std::vector<std::uint64_t> results(2 * count);
  const std::unique_ptr<Memory> output = filled(device, queue, results);
  kernels::self_test_params p{static_cast<kernels::uint>((count + 63) / 64), static_cast<kernels::uint>(count)};
  const Argument arguments[] = {Slice{input.get(), 0}, Slice{output.get(), 0}, as_argument(p)};
  queue.launch(kernel, {p.groups, 1, 1, 0}, arguments);
  queue.read(*output, 0, std::as_writable_bytes(std::span(results)));
  return results;
}

std::string check_arithmetic(Device& device, Queue& queue, const KernelCache& kernels) {
  const std::vector<std::uint64_t> results = run_cases(device, queue, kernels.get(Text::SelfTest));
  for (std::size_t i = 0; i < std::size(self_test_cases); ++i) {
    const auto& test = self_test_cases[i];
    if (is_right(test, &results[2 * i])) continue;
    char text[160];
    std::snprintf(text, sizeof text, "%s: got %016llx, expected %016llx (case %zu)", name_of(test[0]),
                  static_cast<unsigned long long>(results[2 * i]), static_cast<unsigned long long>(test[5]), i);
    return text;
  }
  return "";
}

constexpr kernels::uint long_inner = 131072;
constexpr std::array<kernels::uint, 2> long_moduli = {256, 255};  // the first two of the family

std::vector<kernels::modulus> table_of_two() {
  std::vector<kernels::modulus> table;
  for (const kernels::uint m : long_moduli) {
    kernels::modulus entry{};
    entry.m = m;
    entry.inverse = static_cast<kernels::uint>((std::uint64_t{1} << 32) / m);
    entry.power1 = (1u << 16) % m;
    entry.power2 = entry.power1 * entry.power1 % m;
    entry.power3 = entry.power2 * entry.power1 % m;
    entry.power4 = entry.power3 * entry.power1 % m;
    table.push_back(entry);
  }
  return table;
}

enum class Hand { Left = 1, Right = -1 };

// Residues of one vector of equal entries, in the device's own layout.
std::unique_ptr<Memory> residues_of(Device& device, Queue& queue, const KernelCache& kernels, double value, Hand hand) {
  const auto vectors = static_cast<kernels::uint>(device.traits().vector_unit);
  const std::unique_ptr<Memory> words = filled(device, queue, std::vector<double>(long_inner, value));
  kernels::vector_record record{};
  record.E = 14;  // shift 0 under a budget of 1
  const std::unique_ptr<Memory> records = filled(device, queue, std::vector(1, record));
  const std::unique_ptr<Memory> shifts = filled(device, queue, std::vector<std::int32_t>(2));
  const std::unique_ptr<Memory> table = filled(device, queue, table_of_two());
  const std::size_t plane_bytes = std::size_t{long_inner} * vectors + static_cast<std::size_t>(device.traits().plane_padding_bytes);
  std::unique_ptr<Memory> planes = device.allocate(plane_bytes * long_moduli.size());
  kernels::residues_params p{};
  p.v = {0, 0, 1, 1, 1, long_inner, 1, 0};
  p.groups = long_inner / 64;
  p.all_vectors = vectors;
  p.inner_padded = long_inner;
  p.kappa_sign = static_cast<int>(hand);
  p.moduli = static_cast<kernels::uint>(long_moduli.size());
  p.budget = 1;
  const Argument arguments[] = {Slice{words.get(), 0}, Slice{words.get(), 0},  Slice{shifts.get(), 0}, Slice{records.get(), 0},
                                Slice{table.get(), 0}, Slice{planes.get(), 0}, Slice{shifts.get(), 0}, as_argument(p)};
  queue.launch(kernels.get(Text::ResiduesI8), {p.groups, 1, 1, 0}, arguments);
  queue.finish();  // the words go away
  return planes;
}

// The longest sums between two reductions: K = 131072 equal products of the largest residues, known in closed form.
std::string check_long_sums(Device& device, Queue& queue, const KernelCache& kernels) {
  const std::unique_ptr<Memory> table = filled(device, queue, table_of_two());
  const std::unique_ptr<Memory> left = residues_of(device, queue, kernels, 128, Hand::Left);  // -128 and -127
  for (const int other : {128, 127}) {
    const std::unique_ptr<Memory> right = residues_of(device, queue, kernels, other, Hand::Right);
    std::vector<std::uint32_t> result(2);
    const std::unique_ptr<Memory> out = filled(device, queue, result);
    kernels::modular_params p{};
    p.tile_rows = p.tile_columns = p.left_vectors = p.right_vectors = p.row_words = 1;
    p.left_all = p.right_all = static_cast<kernels::uint>(device.traits().vector_unit);
    p.groups = p.moduli = static_cast<kernels::uint>(long_moduli.size());
    p.inner_padded = long_inner;
    const Argument arguments[] = {Slice{left.get(), 0}, Slice{right.get(), 0}, Slice{table.get(), 0}, Slice{out.get(), 0}, as_argument(p)};
    queue.launch(kernels.get(Text::ModularGemmI8), {p.groups, 1, 1, 0}, arguments);
    queue.read(*out, 0, std::as_writable_bytes(std::span(result)));
    for (std::size_t l = 0; l < result.size(); ++l) {
      const std::int64_t m = long_moduli[l], sum = std::int64_t{long_inner} * 128 * other;
      const auto expected = static_cast<std::int8_t>((sum + m / 2) % m - m / 2);
      if (static_cast<std::int8_t>(result[l] & 255) != expected) return "int8 products: a sum of 131072 extreme terms is wrong";
    }
  }
  return "";
}

}  // namespace

std::string self_test(Device& device) {
  const KernelCache kernels(device);
  const std::unique_ptr<Queue> queue = device.open_queue();
  std::string reason = check_arithmetic(device, *queue, kernels);
  if (reason.empty()) reason = check_long_sums(device, *queue, kernels);
  queue->finish();
  return reason;
}

bool passes(Device& device, SelfTestStep step) {
  const std::unique_ptr<Kernel> kernel = device.load({"self_test"});
  const std::unique_ptr<Queue> queue = device.open_queue();
  const std::vector<std::uint64_t> results = run_cases(device, *queue, *kernel);
  for (std::size_t i = 0; i < std::size(self_test_cases); ++i) {
    const auto& test = self_test_cases[i];
    if (test[0] == static_cast<std::uint64_t>(step) && !is_right(test, &results[2 * i])) return false;
  }
  return true;
}

}  // namespace ab::device
