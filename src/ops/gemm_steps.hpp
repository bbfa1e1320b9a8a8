// SPDX-License-Identifier: MIT
// The three ways a product is computed on a device once it is known that it can be: each writes C last.
#pragma once
#include "ops/crt_plan.hpp"
#include "ops/gemm.hpp"

namespace ab::ops {

/// No useful blocks fit under the cap, and it may not be exceeded.
struct OverCap {};

/// CRT (docs/numerics.md 6, 7): residues, modular products, reconstruction with the epilogue. Fills the report's moduli.
void multiply_crt(Context& context, const Product& product, const CrtPlan& plan, const Choices& choices);

/// Double-float (docs/numerics.md 10) in the given form (1, 3 or 4 products).
void multiply_dd(Context& context, const Product& product, int form, const Scans& scans, const Choices& choices);

/// IEEE path (docs/numerics.md 4) on the device.
void multiply_ieee(Context& context, const Product& product);

/// C = beta C (docs/numerics.md 3.3).
void scale_result(Context& context, const Product& product);

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

/// A result to write to before success of the whole product is known: C itself when it is private or there is one block only,
/// else a copy that `commit` moves to C.
class SafeResult {
 public:
  SafeResult(Context& context, const Product& product, bool direct);
  const ResultView& view() const { return view_; }
  void commit();

 private:
  Context& context_;
  const Product& product_;
  ResultView view_;
  std::array<Lease, 2> copies_;
};
/// The block of a result view.
ResultView block_of(const ResultView& view, Block rows, Block columns);

}  // namespace ab::ops
