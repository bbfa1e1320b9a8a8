// SPDX-License-Identifier: MIT
#include "ops/elementwise.hpp"

#include "ops/steps.hpp"

namespace ab::ops {
namespace {

enum Operation : kernels::uint { add = 0, subtract = 1, scale = 2, zero = 3 };

void launch(Context& context, kernels::uint operation, const ElementwiseCall& call) {
  kernels::elementwise_params p{};
  p.offset_a = call.a.offset / 8;
  p.offset_b = call.b.offset / 8;
  p.offset_out = call.out.offset / 8;
  p.count = static_cast<kernels::ulong>(call.count);
  p.alpha = __builtin_bit_cast(kernels::ulong, call.alpha);
  p.operation = operation;
  p.groups = static_cast<kernels::uint>(groups_for(call.count, 1024));
  context.launch(Text::Elementwise, p.groups, call.count * 2, {whole(call.a), whole(call.b), whole(call.out), params(p)});
}

}  // namespace

void combine(Context& context, Elementwise operation, const ElementwiseCall& call) {
  switch (operation) {
    case Elementwise::Add:
      return launch(context, add, call);
    case Elementwise::Subtract:
      return launch(context, subtract, call);
    case Elementwise::Scale: {
      ElementwiseCall scaled = call;
      scaled.b = call.a;
      return launch(context, scale, scaled);
    }
  }
}

void fill_zero(Context& context, device::Slice out, Index count) {
  launch(context, zero, {out, out, out, count, 1});
}

void copy(Context& context, device::Slice from, device::Slice to, Index count) {
  context.queue().copy(from, to, static_cast<std::size_t>(count) * 8);
}

}  // namespace ab::ops
