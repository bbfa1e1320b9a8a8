// SPDX-License-Identifier: MIT
// How a product is computed: decided once for the whole of it, from its operands and its class alone, and then carried out in one piece,
// in blocks, or in parts on two devices with the same bits.
#pragma once
#include <variant>

#include "ops/crt_plan.hpp"
#include "ops/gemm.hpp"

namespace ab::ops {

struct DoubleFloatPlan {
  int form;  // 1, 3 or 4 products
  std::vector<std::int32_t> left_scales, right_scales;
};

/// What the class cannot serve.
struct IeeePath {
  Reason reason;
  bool finite;  // the data: its error is then bounded
};

using Decision = std::variant<IeeePath, DoubleFloatPlan, CrtPlan>;

/// Looks at the operands on the device. `choices` with everything decided.
Decision decide(Context& context, const Product& product, const Choices& choices);

/// What a decision for all columns of the result says of some of them.
Decision decision_for(const Decision& decision, Block columns);

/// Computes the product so, or declines what a host BLAS may do. Throws OverCap (gemm_steps.hpp), Error.
Outcome carry_out(Context& context, const Product& product, const Decision& decision, const Choices& choices);

/// Whether the kernels can number its vectors, terms and entries.
bool is_countable(const Product& product);
/// Whether the device can sum so many terms.
bool can_sum(Context& context, const Product& product);
/// Whether it reads neither operand.
bool is_trivial(const Product& product);
/// What is known of a product before it is computed.
ProductReport report_of(const Context& context, const Choices& choices);

/// Choices under whose cap no piece of working memory is larger than the largest buffer.
Choices in_buffers_of(Context& context, Choices choices);

/// Choices with everything decided that is left to the context.
Choices settled(Context& context, Choices choices);

}  // namespace ab::ops
