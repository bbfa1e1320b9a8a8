// SPDX-License-Identifier: MIT
#include "ops/host_pack.hpp"

#include "ops/cap_share.hpp"
#include "ops/decision.hpp"
#include "ops/staging.hpp"

namespace ab::ops {

template <Scalar T>
Outcome gemm_with_host_pack(Context& device, const GemmProblem<T>& problem, const Choices& choices) {
  const std::shared_ptr<Context> packer = packing_context();
  const CapShare share(device, choices, need_with_copies(device, choices, extent_of(problem)));
  Choices chosen = settled(device, share.within(choices));
  chosen.host_pack = false;
  chosen.multiplier = &device;
  Choices of_packer = chosen;  // host memory: operands that cannot be used in place count for nothing
  of_packer.may_exceed_cap = true;
  Staged<T> staged(*packer, problem, of_packer);
  chosen.private_result = staged.choices().private_result;
  Outcome outcome = multiply(*packer, staged.product(), chosen);
  if (outcome.declined) return outcome;
  staged.fetch();
  const bool on_device = outcome.report.scheme != Scheme::Ieee && outcome.report.scheme != Scheme::Trivial;
  outcome.report.engine = on_device ? Engine::Device : Engine::Host;
  outcome.report.device = on_device ? device.index() : -1;
  return outcome;
}

template Outcome gemm_with_host_pack(Context&, const GemmProblem<double>&, const Choices&);
template Outcome gemm_with_host_pack(Context&, const GemmProblem<Complex>&, const Choices&);

}  // namespace ab::ops
