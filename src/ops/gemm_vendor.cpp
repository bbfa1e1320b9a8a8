// SPDX-License-Identifier: MIT
// A product by the device's own FP64 GEMM, whose interface is BLAS's: matrices stored by columns, turned or not.
#include <algorithm>

#include "device/fp64_product.hpp"
#include "ops/gemm_steps.hpp"
#include "ops/open_device.hpp"
#include "ops/timed.hpp"

namespace ab::ops {
namespace {

// Entry (i, j) of op(X) is word i * row_step + j * column_step of X.
struct Turned {
  Index rows, columns, row_step, column_step;
  bool conjugate;
};
struct Stored {
  Op op;
  Index ld;
};

// No BLAS has a name for a matrix that is conjugated and not turned.
std::optional<Stored> stored_by_columns(const Turned& x, Index words) {
  const Index ld = x.column_step / words, turned_ld = x.row_step / words;
  if (x.row_step == words && ld * words == x.column_step && ld >= x.rows && !x.conjugate) return Stored{Op::None, ld};
  if (x.column_step != words || turned_ld * words != x.row_step || turned_ld < x.columns) return std::nullopt;
  return Stored{x.conjugate ? Op::ConjugateTranspose : Op::Transpose, turned_ld};
}

// Real and imaginary parts of an entry side by side, at a multiple of their size, as vendors read them.
template <class View>
bool is_interleaved(const View& x) {
  if (x.part_count == 1) return true;
  const Slice &re = x.parts[0], &im = x.parts[1];
  return im.memory == re.memory && im.offset == re.offset + sizeof(double) && re.offset % sizeof(Complex) == 0;
}

struct Form {
  Stored a, b, c;
};
std::optional<Form> form_of(const Product& p) {
  const Index words = p.c.part_count;
  const bool plain = p.triangle == Triangle::Full && !p.hermitian && !p.left.negate && !p.right.negate;
  if (!plain || !is_interleaved(p.left) || !is_interleaved(p.right) || !is_interleaved(p.c)) return std::nullopt;
  const VectorView &l = p.left, &r = p.right;
  const auto a = stored_by_columns({l.vectors, l.inner, l.vector_stride, l.inner_stride, l.conjugate}, words);
  const auto b = stored_by_columns({r.inner, r.vectors, r.inner_stride, r.vector_stride, r.conjugate}, words);
  const auto c = stored_by_columns({p.c.rows, p.c.columns, p.c.row_stride, p.c.column_stride, false}, words);
  if (!a || !b || !c || c->op != Op::None) return std::nullopt;
  return Form{*a, *b, *c};
}

bool fits_32_bits(const Product& p, const Form& form) {
  return std::max({p.c.rows, p.c.columns, p.left.inner, form.a.ld, form.b.ld, form.c.ld}) <= INT32_MAX;
}

device::Fp64Product params_of(const Product& p, const Form& form) {
  const auto size = [](Index value) { return static_cast<std::int32_t>(value); };
  return {.m = size(p.c.rows),
          .n = size(p.c.columns),
          .k = size(p.left.inner),
          .lda = size(form.a.ld),
          .ldb = size(form.b.ld),
          .ldc = size(form.c.ld),
          .op_a = form.a.op,
          .op_b = form.b.op,
          .words = static_cast<std::uint8_t>(p.c.part_count),
          .alpha = {p.alpha.real(), p.alpha.imag()},
          .beta = {p.beta.real(), p.beta.imag()}};
}

void launch_vendor(Context& context, const Product& block) {
  const device::Fp64Product product = params_of(block, *form_of(block));  // blocks lie as the whole does
  const std::array<Argument, 4> arguments = {block.left.parts[0], block.right.parts[0], block.c.parts[0], params(product)};
  context.queue().launch(context.fp64_product(), {}, arguments);
}

}  // namespace

Outcome multiply_by_vendor(Context& context, const Product& product, const Choices& choices) {
  ProductReport report = report_of(context, choices);
  const std::optional<Form> form = form_of(product);
  // What fails may have written some of C: the caller must be able to do without.
  if (!form || !choices.private_result) return {Decline{Reason::KernelMissing}, report};
  if (!fits_32_bits(product, *form)) return {Decline{Reason::SizeLimit}, report};
  context.fp64_product();
  timed(context, Stage::Multiply,
        [&] { multiply_in_blocks(context, product, choices, [&](const Product& block, Block, Block) { launch_vendor(context, block); }); });
  report.scheme = Scheme::Vendor;
  return {std::nullopt, report};
}

}  // namespace ab::ops
