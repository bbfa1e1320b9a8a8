// SPDX-License-Identifier: MIT
#include "device/cpu/native/exact_entry.hpp"

#include <algorithm>

#include "kernels/host.hpp"

namespace ab::device::native {
namespace {

using Wide = unsigned __int128;

// |x| from Phi = x / M in 192 bits, x = ceil(Phi M / 2^192): six words of product, the upper three and whether anything is below.
kernels::scaled integer_of(const std::uint64_t* phi, const Constants& set) {
  std::uint64_t magnitude[3] = {phi[0], phi[1], phi[2]};
  const bool negative = phi[2] >> 63 != 0;
  if (negative) {
    Wide carry = 1;
    for (int i = 0; i < 3; ++i) {
      carry += static_cast<std::uint64_t>(~phi[i]);
      magnitude[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  std::uint64_t product[6] = {};
  for (int i = 0; i < 3; ++i) {
    Wide carry = 0;
    for (int j = 0; j < 3; ++j) {
      carry += static_cast<Wide>(magnitude[i]) * set.whole[j] + product[i + j];
      product[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    product[i + 3] = static_cast<std::uint64_t>(carry);
  }
  kernels::scaled x{};
  x.magnitude = {product[3], product[4], product[5], 0};
  x.sign = negative ? AB_SIGN : 0;
  if (!negative && (product[0] | product[1] | product[2]) != 0) x.magnitude = kernels::wide_add(x.magnitude, {1, 0, 0, 0});
  return x;
}

}  // namespace

std::uint64_t exact_entry(const std::int32_t* residues, const Constants& set, int shift) {
  if (std::all_of(residues, residues + set.count, [](std::int32_t r) { return r == 0; })) return 0;
  std::uint64_t phi[3] = {};
  for (int l = 0; l < set.count; ++l) {
    const ModulusConstants& c = set.moduli[l];
    const std::int32_t rest = residues[l] % c.m, positive = rest < 0 ? rest + c.m : rest;
    const std::uint64_t t = static_cast<std::uint64_t>(positive) * c.weight % static_cast<std::uint64_t>(c.m);
    Wide carry = 0;
    for (int i = 0; i < 3; ++i) {
      carry += static_cast<Wide>(c.fraction[i]) * t + phi[i];
      phi[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  kernels::scaled x = integer_of(phi, set);
  x.exponent = -shift;
  return kernels::round_scaled(x);
}

}  // namespace ab::device::native
