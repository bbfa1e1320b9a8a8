// SPDX-License-Identifier: MIT
// The three ways a product is computed on a device once it is known that it can be: each writes C last.
#pragma once
#include <functional>

#include "ops/decision.hpp"

namespace ab::ops {

/// No useful blocks fit under the cap, and it may not be exceeded.
struct OverCap {};

/// CRT (docs/numerics.md 6, 7): residues, modular products, reconstruction with the epilogue. Fills the report's moduli.
void multiply_crt(Context& context, const Product& product, const CrtPlan& plan, const Choices& choices);

/// Asks for residues for a plan that is still to be confirmed, of operands that the product would take as wholes and on this device, and
/// leaves them in the plan. `choices` with everything decided.
void make_residues_ahead(Context& context, const Product& product, CrtPlan& plan, const Choices& choices);

/// Double-float (docs/numerics.md 10).
void multiply_dd(Context& context, const Product& product, const DoubleFloatPlan& plan, const Choices& choices);

/// IEEE path (docs/numerics.md 4) on the device.
void multiply_ieee(Context& context, const Product& product, const Choices& choices);

/// The device's own FP64 GEMM: no certificate, nobody's bits. Declines what it has no form for (KernelMissing, SizeLimit) before anything
/// is computed; throws Error(ShaderCompile) where there is none, and after any other Error the result must be given up.
Outcome multiply_by_vendor(Context& context, const Product& product, const Choices& choices);

/// The product in blocks of rows and columns under the cap, sums whole: `launch` makes each, whose views are in device memory.
/// Throws OverCap.
using LaunchBlock = std::function<void(const Product& block, Block rows, Block columns)>;
void multiply_in_blocks(Context& context, const Product& product, const Choices& choices, const LaunchBlock& launch);

/// C = beta C (docs/numerics.md 3.3).
void scale_result(Context& context, const Product& product, const Choices& choices);

/// Copies the entries of a triangle (or all) from one result view to another of the same shape.
void transfer(Context& context, const ResultView& from, const ResultView& to, Triangle triangle);

/// How a product is cut so that its workspace stays under the cap: bytes as a function of the three block sizes.
struct Blocks {
  Index rows, columns, inner;
};
struct Footprint {       // bytes of workspace
  double left_per_term;  // per left vector and term
  double right_per_term;
  double result_per_entry;
};
/// Blocks by columns, then rows, then terms (multiples of 64). Returns the smallest useful blocks when nothing fits; `fits` tells.
struct Cut {
  Blocks blocks;
  bool fits;
};
Cut cut_product(const Footprint& footprint, Blocks whole, std::uint64_t cap_bytes);
/// The same in blocks of no more terms than the device sums at once.
Cut with_terms_of(const device::Traits& traits, Cut cut);
/// What blocks take besides when operands and result are fetched for them.
Footprint with_copies(Footprint footprint, const Product& product);

/// A result to write to before success of the whole product is known: C itself when it is private or there is one block only,
/// else a copy that `commit` moves to C. Of a C in host memory, each block is copied from there and, while the one after it is computed, to
/// the place of its results.
class SafeResult {
 public:
  enum class Writing { Direct, AtTheEnd };
  SafeResult(Context& context, const Product& product, Writing writing);
  /// Where a block of the result goes; holds what C holds when beta is not 0. The block asked for before is complete.
  ResultView block(Block rows, Block columns);
  void commit();

 private:
  // Of a C in host memory.
  struct Fetched {
    Lease lease;
    Block rows{}, columns{};
    std::unique_ptr<device::Queue::Mark> complete;
  };
  ResultView fetch(Block rows, Block columns);
  void store(Fetched block);

  Context& context_;
  const Product& product_;
  ResultView view_;
  std::array<Lease, 2> copies_;
  Fetched computed_, current_;
};
SafeResult::Writing writing_of(const Choices& choices, std::size_t blocks);
/// The same bytes in the memory of another context's device, by way of the host; what was there already stays.
Lease moved(Context& from, Lease lease, Context& to);
/// The block of a result view.
ResultView block_of(const ResultView& view, Block rows, Block columns);

}  // namespace ab::ops
