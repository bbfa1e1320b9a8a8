// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <fmt/core.h>

#include <charconv>

namespace ab::cli {

void add_shared_options(CLI::App& command, SharedOptions& options) {
  command.add_flag("--json", options.json, "machine-readable output on stdout");
  command.add_option("--device", options.device, "cpu, cuda:0, ... or all")->type_name("D");
  command.add_option("--precision", options.precision, "dd, fast, fp64 or strict")->type_name("P");
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> pieces(1);
  for (char c : text) {
    if (c == separator) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  return pieces;
}

Shape parse_shape(const std::string& text) {
  std::vector<Index> sizes;
  for (const std::string& piece : split(text, 'x')) {
    Index value = 0;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), value);
    if (error != std::errc() || end != piece.data() + piece.size() || value < 1 || value > INT32_MAX) break;
    sizes.push_back(value);
  }
  if (sizes.size() != 3) throw Failure(Exit::WrongUsage, fmt::format("'{}' is no shape; write it as MxNxK, e.g. 512x512x512", text));
  return {sizes[0], sizes[1], sizes[2]};
}

std::string text_of(const Shape& shape) {
  return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
}

namespace {

constexpr Precision all_classes[] = {Precision::DoubleFloat, Precision::Fast, Precision::Fp64, Precision::Strict, Precision::Exact};

}  // namespace

ABPrecision parse_precision(const std::string& word) {
  for (Precision precision : all_classes) {
    if (word != word_of(precision)) continue;
    if (!is_available(precision)) throw Failure(Exit::WrongUsage, fmt::format("class {} does not exist in this version yet", word));
    return static_cast<ABPrecision>(precision);
  }
  throw Failure(Exit::WrongUsage, fmt::format("'{}' is no precision class; there are dd, fast, fp64, strict", word));
}

std::vector<std::string> available_classes() {
  std::vector<std::string> words;
  for (Precision precision : all_classes) {
    if (is_available(precision)) words.push_back(word_of(precision));
  }
  return words;
}

ABDeviceTraits device_traits(int index) {
  ABDeviceTraits traits = {};
  traits.struct_size = sizeof traits;
  if (ab_device_traits(index, &traits) != AB_OK) throw Failure(Exit::NotAvailable, ab_last_error());
  return traits;
}

std::vector<int> parse_devices(const std::string& id) {
  if (id.empty()) return {ab_current_device()};
  std::vector<int> found;
  std::string known;
  for (int index = 0; index < ab_device_count(); ++index) {
    const std::string other = device_traits(index).id;
    if (id == "all" || id == other) found.push_back(index);
    known += (known.empty() ? "" : ", ") + other;
  }
  if (found.empty()) throw Failure(Exit::NotAvailable, fmt::format("no device '{}' here; there are: {}", id, known));
  return found;
}

void use_device(int index) {
  if (ab_select_device(index) != AB_OK || ab_init() != AB_OK) throw Failure(Exit::NotAvailable, ab_last_error());
}

}  // namespace ab::cli
