// SPDX-License-Identifier: MIT
#include "ops/split.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <system_error>
#include <thread>

#include "core/float_environment.hpp"
#include "core/signals.hpp"
#include "ops/cap_share.hpp"
#include "ops/decision.hpp"
#include "ops/gemm_steps.hpp"
#include "ops/staging.hpp"

namespace ab::ops {
namespace {

template <Scalar T>
GemmProblem<T> columns_of(const GemmProblem<T>& problem, Block columns) {
  GemmProblem<T> part = problem;
  part.n = columns.count;
  part.b.data += columns.first * (problem.b.op == Op::None ? problem.b.ld : 1);
  part.c.data += columns.first * problem.c.ld;
  return part;
}

// Some columns of a product on one device, complete on the host but not yet in C.
template <Scalar T>
class Part {
 public:
  Part(Context& context, const GemmProblem<T>& whole, Block columns)
      : context_(context), problem_(columns_of(whole, columns)), columns_(columns) {}

  Outcome compute(const Decision& whole, const Choices& choices) {
    try {
      share_.emplace(context_, choices, need_with_copies(context_, choices, extent_of(problem_)));
      staged_.emplace(context_, problem_, settled(context_, share_->within(choices)), ResultPlace::Apart);
      outcome_ = carry_out(context_, staged_->product(), decision_for(whole, columns_), staged_->choices());
      staged_->collect();
    } catch (const OverCap&) {
      outcome_ = {Decline{Reason::MemoryCap}, {}};
    }
    return outcome_;
  }
  void fetch() { staged_->fetch(); }

 private:
  Context& context_;
  const GemmProblem<T> problem_;
  const Block columns_;
  std::optional<CapShare> share_;  // as long as what is staged
  std::optional<Staged<T>> staged_;
  Outcome outcome_;
};

// A thread beside the calling one until it is joined; where the system gives none, the work is done at once.
template <class Work>
std::thread run_beside(const Work& work) {
  const AllSignalsBlocked blocked;  // handlers run in the program's threads
  try {
    return std::thread(work);
  } catch (const std::system_error&) {
    work();
    return {};
  }
}

Decline reason_of(const Error& error) {
  return {error.status() == Status::AllocFailed ? Reason::AllocationFailed : Reason::DeviceError};
}

template <Scalar T>
Outcome compute_or_decline(Part<T>& part, const Decision& decision, const Choices& choices) {
  try {
    return part.compute(decision, choices);
  } catch (const Error& error) {
    return {reason_of(error), {}};
  } catch (const std::bad_alloc&) {
    return {Decline{Reason::AllocationFailed}, {}};
  }
}

// The other device's part: what goes wrong there is kept, and computed again elsewhere.
template <Scalar T>
void compute_kept(Part<T>& part, const Decision& decision, const Choices& choices, SplitOutcome& result) {
  const FloatEnvironment environment;
  try {
    const Outcome outcome = part.compute(decision, choices);
    result.other_declined = outcome.declined;
    result.outcome = outcome;
  } catch (const Error& error) {
    result.other_failed = error;
    result.other_declined = reason_of(error);
  } catch (const std::bad_alloc&) {
    result.other_declined = Decline{Reason::AllocationFailed};
  }
}

template <Scalar T>
SplitOutcome compute_parts(Context& cpu, Context& other, const GemmProblem<T>& problem, const Decision& decision,
                           const std::pair<Choices, Index>& how) {
  const Choices& choices = how.first;  // no structured binding: older compilers cannot capture those
  const Index cpu_columns = how.second;
  const Block firsts{0, cpu_columns}, lasts{cpu_columns, problem.n - cpu_columns};
  const CapShare share(cpu, choices, need_with_copies(cpu, choices, extent_of(problem)));
  const Choices of_cpu = share.within(choices);  // also of what is computed again: nobody waits for a share who has one
  Part<T> first(cpu, problem, firsts), last(other, problem, lasts), again(cpu, problem, lasts);
  SplitOutcome result;
  std::thread beside = run_beside([&] { compute_kept(last, decision, choices, result); });
  const Outcome own = compute_or_decline(first, decision, of_cpu);
  if (beside.joinable()) beside.join();
  const bool alone = result.other_declined.has_value();
  if (alone && !own.declined) result.outcome = compute_or_decline(again, decision, of_cpu);
  if (alone) other.prepared().clear();
  if (own.declined) result.outcome = own;
  if (result.outcome.declined) return result;
  first.fetch();
  (alone ? again : last).fetch();
  result.outcome.report = merged(own.report, result.outcome.report);
  result.outcome.report.escalations = own.report.escalations;  // of the one plan
  result.outcome.report.engine = alone ? Engine::Device : Engine::Split;
  result.outcome.report.device = alone ? cpu.index() : other.index();
  return result;
}

}  // namespace

Index columns_of_share(double share, Index columns) {
  const auto wanted = static_cast<Index>(std::floor(share * static_cast<double>(columns) + 0.5));
  return std::clamp<Index>(wanted, 1, columns - 1);
}

template <Scalar T>
SplitOutcome gemm_split(Context& cpu, Context& other, const GemmProblem<T>& problem, const Choices& choices, Index cpu_columns) {
  std::optional<Decision> decision;
  try {
    const CapShare share(cpu, choices, need_with_copies(cpu, choices, extent_of(problem)));
    const Staged<T> whole(cpu, problem, settled(cpu, share.within(choices)));
    if (is_countable(whole.product()) && !is_trivial(whole.product()) && can_sum(other, whole.product()))
      decision = decide(cpu, whole.product(), whole.choices());
  } catch (const OverCap&) {  // the other device may still have room for blocks
  } catch (const Error& error) {
    return {{reason_of(error), {}}, {}, {}};
  }
  if (!decision || std::holds_alternative<IeeePath>(*decision)) return {gemm(other, problem, choices), {}, {}};
  return compute_parts(cpu, other, problem, *decision, {choices, cpu_columns});
}

template SplitOutcome gemm_split(Context&, Context&, const GemmProblem<double>&, const Choices&, Index);
template SplitOutcome gemm_split(Context&, Context&, const GemmProblem<Complex>&, const Choices&, Index);

}  // namespace ab::ops
