// SPDX-License-Identifier: MIT
// The native kernels of devices of compute capability 8.0 and later: their image, and how they are launched.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "core/settings.hpp"
#include "core/types.hpp"
#include "device/cuda/native/layout.hpp"
#include "device/cuda/primary_context.hpp"

namespace ab::device::cuda::native {

/// What of kernels/variants.txt (and beyond it) has a native form.
enum class Form { Scan, ResiduesI8, CrtProductI8, CrtProductI8Complex };

/// Tiles of 256 rows of C by 128 columns (small) or 192 (large): which wins depends on the size alone. By warps all are small.
enum class Tiles { Best, Small, Large };

/// Residues of a panel of the result in the scratch, from planes of both operands.
struct PlaneProduct {
  Address left, right;  // planes; rows of C are left vectors
  Index left_all, right_all, inner_padded;
  Index first_row, first_column, rows, columns;
  int moduli, products;  // products: planes per modulus, 1 or 3
  Address results;
  Address meetings;  // a word for the lock-step
  Tiles tiles = Tiles::Best;
};

class NativeKernels {
 public:
  /// Null when the device, the driver or this build has none, or the image does not load: the common kernels then serve. Products are
  /// those of warpgroups where the image has them for the device, unless `kernels` is Ampere, else those of warps.
  static std::unique_ptr<NativeKernels> load(PrimaryContext& context, int ordinal, GpuKernels kernels);
  NativeKernels(const NativeKernels&) = delete;
  NativeKernels& operator=(const NativeKernels&) = delete;
  ~NativeKernels();

  /// The form of a kernel's name, if it has one here.
  static const Form* form_of(const std::string& name);
  /// Launches with the arguments that the kernel of the name takes. False: not in this case, the common kernel is to serve.
  bool run(Form form, std::span<const Address> buffers, std::span<const std::byte> params, StreamHandle stream);

  // The steps of a product alone, for tests and measurements.
  void multiply(const PlaneProduct& product, StreamHandle stream);
  void reconstruct(ResultParams& p, int products, StreamHandle stream);
  bool has_warpgroups() const { return warpgroups_; }

 private:
  enum Function {
    ProductSmall,  // these two only where there are warpgroups
    ProductLarge,
    ProductWarps,
    Result13,
    AlongReal = Result13 + 10,
    AlongComplex,
    AcrossReal,
    AcrossComplex,
    ScanLong,
    ScanShort = ScanLong + 2,
    ScanAcross = ScanShort + 2,
    FunctionCount = ScanAcross + 2
  };
  NativeKernels(PrimaryContext& context, ModuleHandle module) : context_(context), module_(module) {}
  bool find_functions(GpuKernels kernels);
  void multiply_by_warpgroups(const PlaneProduct& product, StreamHandle stream);
  void multiply_by_warps(const PlaneProduct& product, StreamHandle stream);
  void launch(Function function, std::size_t groups, unsigned threads, unsigned shared, StreamHandle stream, void** arguments);
  bool scan(std::span<const Address> buffers, const kernels::scan_params& p, StreamHandle stream);
  bool make_residues(std::span<const Address> buffers, const kernels::residues_params& p, StreamHandle stream);
  void crt_product(std::span<const Address> buffers, const kernels::crt_product_params& p, int products, StreamHandle stream);

  PrimaryContext& context_;
  ModuleHandle module_;
  int multiprocessors_ = 0;
  bool warpgroups_ = false;
  FunctionHandle functions_[FunctionCount] = {};
};

/// How a result is cut so that its residues fit into `bytes`: sizes of panels, which never grow beyond a product's own.
struct Panel {
  Index rows, columns;
};
Panel choose_panel(Index rows, Index columns, Index planes, std::uint64_t bytes);
/// Bytes of the residues of a panel.
std::uint64_t result_bytes(Panel panel, Index planes);

/// Bytes of scratch in front of the residues.
inline constexpr std::uint64_t scratch_head_bytes = 256;

}  // namespace ab::device::cuda::native
