// SPDX-License-Identifier: MIT
// Runs a test's call on a device by every way into ops, and says how it differs from the judge's verdict.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "ops/gemm.hpp"
#include "ops/open_device.hpp"
#include "support/call.hpp"
#include "support/reference.hpp"

namespace ab::test {

/// The classes that devices compute.
inline constexpr std::array<Precision, 4> device_classes = {Precision::DoubleFloat, Precision::Fast, Precision::Fp64, Precision::Strict};
inline constexpr std::array<ModuliFamily, 2> device_families = {ModuliFamily::Int8, ModuliFamily::Ten};
ops::Choices choices_for(Precision precision, ModuliFamily family = ModuliFamily::Int8);

/// How operands reach the device: in its memory already (C shared with others, or private to the product), from host memory that
/// it may use in place, from host memory that must be copied (misaligned).
enum class Way { Resident, ResidentPrivate, Adopted, Copied };
inline constexpr std::array<Way, 4> all_ways = {Way::Resident, Way::ResidentPrivate, Way::Adopted, Way::Copied};
/// Triangles exist for resident products only.
bool exists(Way way, const Call& call);

struct Ran {
  std::vector<double> c;    // the whole array after the call
  Outcome outcome;          // of a failed call: nothing
  std::string error;        // text of the Error that came out; "": none
  bool others_kept = true;  // operands, and what lies around C, are what they were
};
/// Runs alpha op(A) op(B) + beta C. An Error of the product is caught; everything else passes through.
Ran run_call(ops::Context& context, const Call& call, Way way, const ops::Choices& choices);

/// The same with A and B where the call has them, for memory that is registered.
Ran run_in_place(ops::Context& context, const Call& call, const ops::Choices& choices);

template <Scalar T>
struct HostMatrices {
  const T *a, *b;
  T* c;
};
/// The call with matrices of host memory that have its shapes and leading dimensions.
template <Scalar T>
GemmProblem<T> problem_of(const Call& call, const HostMatrices<T>& at) {
  const auto scalar = [](const Complex& value) {
    if constexpr (std::same_as<T, double>) {
      return value.real();
    } else {
      return value;
    }
  };
  return {
      call.m,          call.n, call.k, scalar(call.alpha), {at.a, call.lda, call.transa}, {at.b, call.ldb, call.transb}, scalar(call.beta),
      {at.c, call.ldc}};
}
/// The same with A and B of the call itself.
template <Scalar T>
GemmProblem<T> problem_of(const Call& call, std::vector<double>& c) {
  return problem_of<T>(
      call, {reinterpret_cast<const T*>(call.a.data()), reinterpret_cast<const T*>(call.b.data()), reinterpret_cast<T*>(c.data())});
}

/// A resident call: the product's views of the arrays in device memory, which live as long as this.
class ResidentCall {
 public:
  ResidentCall(ops::Context& context, const Call& call);
  const ops::Product& product() const { return product_; }
  /// Reads everything back; the outcome is left to the caller.
  Ran read_back() const;

 private:
  ops::Context& context_;
  const Call& call_;
  std::unique_ptr<device::Memory> memory_;
  std::vector<std::byte> before_;
  std::size_t c_offset_ = 0;
  ops::Product product_;
};

/// Bits of C and the whole report against the verdict; "" when there is no difference. `choices.family` must be set.
std::string difference_of_run(const Call& call, const Verdict& expected, const Ran& ran, const ops::Choices& choices);
std::string difference_of_reports(const ProductReport& expected, const ProductReport& got);

/// The opened device with this index, without its self-test and with a pool of its own; kept for the life of the test program.
ops::Context& context_of(int device = 0);

}  // namespace ab::test
