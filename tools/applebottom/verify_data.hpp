// SPDX-License-Identifier: MIT
// The data of `verify`: random numbers, and what a product class could stumble over.
#pragma once
#include "workload.hpp"

namespace ab::cli {

enum class Family { Uniform, Exponents, Integers, Cancel, Graded, ComplexImbalance, Special };
constexpr Family all_families[] = {Family::Uniform, Family::Exponents,        Family::Integers, Family::Cancel,
                                   Family::Graded,  Family::ComplexImbalance, Family::Special};
const char* word_of(Family family);
/// Throws Failure(WrongUsage).
Family parse_family(const std::string& word);

/// uniform            in (-0.5, 0.5)
/// exponents          magnitudes over 2^-30 .. 2^30 within rows and columns, which themselves lie up to 2^150 apart
/// integers           below 2^20: every sum is exact
/// cancel             neighbouring terms cancel but for their last bits
/// graded             the terms of the inner products rise in A by 2^40 and fall in B by as much
/// complex_imbalance  imaginary parts 2^-40 times the real ones; of real data every second term
/// special            uniform with zeros, subnormals, huge numbers, infinities and NaNs strewn in
Workload make_workload(Operation operation, const Shape& shape, std::uint64_t seed, Family family);

}  // namespace ab::cli
