// SPDX-License-Identifier: MIT
// Timed runs, with what the matrix unit made right before and after each, and their medians.
#pragma once
#include <optional>
#include <vector>

namespace ab::cli {

struct MatrixRates {
  double before, after;  // int8 TOPS
};

struct Sample {
  double seconds;
  std::optional<MatrixRates> rates;  // none: no matrix unit here, or not asked for
};

/// Whether the core's matrix unit was its own during a run.
enum class Sharing { Unshared, Mixed, Shared };
const char* word_of(Sharing sharing);

/// Against the highest rate of the process, for clock rates differ between machines: unshared when both rates are at least 0.8 of it,
/// shared when both are at most 0.5, else mixed. Chosen, between 4.5 TOPS alone and 1.2 beside a busy sibling (measured, Emerald Rapids).
/// A process that never saw the full rate takes a shared unit for its own.
Sharing classify(const MatrixRates& rates, double highest);

/// Of all the samples' rates; 0 when there are none.
double highest_rate(const std::vector<Sample>& samples);
/// The median of the rates before and after; none when there are none.
std::optional<double> median_rate(const std::vector<Sample>& samples);

/// values must not be empty.
double median(std::vector<double> values);
double median_seconds(const std::vector<Sample>& samples);
/// The times of the samples of one kind.
std::vector<double> seconds_of(const std::vector<Sample>& samples, Sharing sharing, double highest);

}  // namespace ab::cli
