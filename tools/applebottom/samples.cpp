// SPDX-License-Identifier: MIT
#include "samples.hpp"

#include <algorithm>
#include <cstddef>

namespace ab::cli {

const char* word_of(Sharing sharing) {
  constexpr const char* words[] = {"unshared", "mixed", "shared"};
  return words[static_cast<int>(sharing)];
}

Sharing classify(const MatrixRates& rates, double highest) {
  const auto [lower, upper] = std::minmax(rates.before, rates.after);
  if (lower >= 0.8 * highest) return Sharing::Unshared;
  return upper <= 0.5 * highest ? Sharing::Shared : Sharing::Mixed;
}

double highest_rate(const std::vector<Sample>& samples) {
  double highest = 0;
  for (const Sample& sample : samples) {
    if (sample.rates) highest = std::max({highest, sample.rates->before, sample.rates->after});
  }
  return highest;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::optional<double> median_rate(const std::vector<Sample>& samples) {
  std::vector<double> rates;
  for (const Sample& sample : samples) {
    if (sample.rates) rates.insert(rates.end(), {sample.rates->before, sample.rates->after});
  }
  if (rates.empty()) return std::nullopt;
  return median(rates);
}

double median_seconds(const std::vector<Sample>& samples) {
  std::vector<double> seconds;
  for (const Sample& sample : samples) seconds.push_back(sample.seconds);
  return median(seconds);
}

std::vector<double> seconds_of(const std::vector<Sample>& samples, Sharing sharing, double highest) {
  std::vector<double> seconds;
  for (const Sample& sample : samples) {
    if (sample.rates && classify(*sample.rates, highest) == sharing) seconds.push_back(sample.seconds);
  }
  return seconds;
}

}  // namespace ab::cli
