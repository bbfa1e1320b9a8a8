// SPDX-License-Identifier: MIT
#include "device/kernel_cache.hpp"

namespace ab::device {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Text::Count)> names = {"scan",
                                                                                  "peaks",
                                                                                  "residues_i8",
                                                                                  "residues_half",
                                                                                  "modular_gemm_i8",
                                                                                  "modular_gemm_i8_3m",
                                                                                  "modular_gemm_f32",
                                                                                  "modular_gemm_f32_3m",
                                                                                  "reconstruct_i8",
                                                                                  "reconstruct_i16",
                                                                                  "pack_dd",
                                                                                  "gemm_dd",
                                                                                  "unpack_dd",
                                                                                  "ieee_gemm",
                                                                                  "scale_result",
                                                                                  "transfer_result",
                                                                                  "elementwise",
                                                                                  "self_test",
                                                                                  "crt_product_i8",
                                                                                  "crt_product_i8_3m"};

}  // namespace

KernelCache::KernelCache(Device& device) {
  const bool fused = device.traits().product_scratch_bytes > 0;
  const auto count = fused ? names.size() : static_cast<std::size_t>(Text::CrtProductI8);
  for (std::size_t i = 0; i < count; ++i) kernels_[i] = device.load({names[i]});
}

}  // namespace ab::device
