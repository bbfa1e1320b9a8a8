// SPDX-License-Identifier: MIT
// The kernels of a device, loaded together when it is opened.
#pragma once
#include <array>
#include <memory>

#include "device/device.hpp"

namespace ab::device {

enum class Text {  // a line of kernels/variants.txt each
  Scan,
  Peaks,
  ResiduesI8,
  ResiduesHalf,
  ModularGemmI8,
  ModularGemmI8Complex,
  ModularGemmF32,
  ModularGemmF32Complex,
  ReconstructI8,
  ReconstructI16,
  PackDd,
  GemmDd,
  UnpackDd,
  IeeeGemm,
  ScaleResult,
  TransferResult,
  Elementwise,
  SelfTest,
  CrtProductI8,  // these two on devices with Traits::product_scratch_bytes only
  CrtProductI8Complex,
  Count
};

class KernelCache {
 public:
  /// Loads every kernel; throws Error(ShaderCompile) naming the one that does not load.
  explicit KernelCache(Device& device);
  const Kernel& get(Text text) const { return *kernels_[static_cast<std::size_t>(text)]; }

 private:
  std::array<std::unique_ptr<Kernel>, static_cast<std::size_t>(Text::Count)> kernels_;
};

}  // namespace ab::device
