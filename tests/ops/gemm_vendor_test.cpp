// SPDX-License-Identifier: MIT
// Products by a device's own GEMM, which here is a fake cuBLAS over the fake driver: every form of operands, blocks, declines, failures.
#include "core/error.hpp"
#include "device/cuda/cuda_device.hpp"
#include "ops/context.hpp"
#include "sim/cuda/fake.hpp"
#include "sim/cuda/fake_cublas_control.hpp"
#include "support/data.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

using test::Call;
using test::fake_cublas;
using test::Way;

constexpr Op all_ops[] = {Op::None, Op::Transpose, Op::ConjugateTranspose};

class GemmVendor : public test::OnFakeDriver {
 protected:
  void TearDown() override {
    fake_cublas().fail_at(0, 0);
    context_.reset();
    EXPECT_EQ(fake_cublas().handles(), 0);
    device_.reset();
    OnFakeDriver::TearDown();
  }
  Choices choices() const {
    Choices choices = test::choices_for(Precision::Fp64);
    choices.method = Method::Vendor;
    return choices;
  }
  Choices private_choices() const {
    Choices private_choices = choices();
    private_choices.private_result = true;
    return private_choices;
  }
  Reason reason_of(const Product& product, const Choices& chosen) {
    const Outcome outcome = multiply(*context_, product, chosen);
    return outcome.declined ? outcome.declined->reason : Reason::None;
  }

  std::unique_ptr<device::Device> device_ = device::open_cuda(0);
  std::unique_ptr<Context> context_ = std::make_unique<Context>(1, *device_, std::uint64_t{1} << 26);
};

// Small integers: every order of sums is exact.
Call integers(const test::Shape& shape, test::Type type, std::array<Op, 2> ops, Index padding = 2) {
  test::Random random(5);
  test::Recipe recipe;
  recipe.family = "integers", recipe.shape = shape, recipe.type = type, recipe.padding = padding;
  recipe.transa = ops[0], recipe.transb = ops[1];
  recipe.alpha = {2, type == test::Type::Complex ? 3.0 : 0.0}, recipe.beta = {-1, type == test::Type::Complex ? 1.0 : 0.0};
  return make_call(recipe, random);
}

// Equal as numbers; where there is padding, as words.
void expect_result(const Call& call, const std::vector<double>& c) {
  const std::vector<double> expected = test::judge(call, Precision::Fp64).c;
  ASSERT_EQ(c.size(), expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < c.size(); ++i) wrong += c[i] == expected[i] || std::memcmp(&c[i], &expected[i], 8) == 0 ? 0 : 1;
  EXPECT_EQ(wrong, 0u);
}

TEST_F(GemmVendor, EveryPairOfLettersInsideLargerMatrices) {
  for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
    for (const Op a : all_ops) {
      for (const Op b : all_ops) {
        if (type == test::Type::Real && (a == Op::ConjugateTranspose || b == Op::ConjugateTranspose)) continue;
        for (const test::Shape& shape : {test::Shape{5, 4, 9}, {1, 6, 1}, {7, 1, 3}, {1, 1, 1}}) {
          const Call call = integers(shape, type, {a, b});
          const test::Ran ran = run_call(*context_, call, Way::Copied, choices());
          ASSERT_EQ(ran.error, "");
          EXPECT_FALSE(ran.outcome.declined);
          EXPECT_TRUE(ran.others_kept);
          expect_result(call, ran.c);
        }
      }
    }
  }
}

TEST_F(GemmVendor, SaysWhatItIs) {
  const long products = fake_cublas().products();
  const test::Ran ran =
      run_call(*context_, integers({5, 4, 9}, test::Type::Complex, {Op::ConjugateTranspose, Op::None}), Way::Copied, choices());
  EXPECT_EQ(fake_cublas().products(), products + 1);
  const ProductReport& report = ran.outcome.report;
  EXPECT_EQ(report.scheme, Scheme::Vendor);
  EXPECT_EQ(report.engine, Engine::Device);
  EXPECT_EQ(report.device, 1);
  EXPECT_EQ(report.guard, -1);
  EXPECT_EQ(report.bound, -1);
  EXPECT_EQ(report.moduli, 0);
  const test::FakeProduct product = fake_cublas().last_product();
  EXPECT_EQ(product.op_a, 2);
  EXPECT_EQ(product.op_b, 0);
  EXPECT_EQ(product.alpha, (std::array<double, 2>{2, 3}));
}

TEST_F(GemmVendor, ACOfNaNsIsNotReadWhenBetaIsZero) {
  Call call = integers({5, 4, 9}, test::Type::Real, {Op::None, Op::None}, 0);
  call.beta = 0;
  call.c.assign(call.c.size(), std::numeric_limits<double>::quiet_NaN());
  expect_result(call, run_call(*context_, call, Way::Copied, choices()).c);
}

TEST_F(GemmVendor, InBlocksWhereTheCapSaysSo) {
  for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
    const Call call = integers({150, 170, 40}, type, {Op::Transpose, Op::None});
    Choices small = choices();
    small.cap_bytes = Index{700} << 10;
    const long products = fake_cublas().products();
    const test::Ran ran = run_call(*context_, call, Way::Copied, small);
    ASSERT_EQ(ran.error, "");
    ASSERT_FALSE(ran.outcome.declined) << word_of(ran.outcome.declined->reason);
    expect_result(call, ran.c);
    EXPECT_GT(fake_cublas().products(), products + 1);
  }
  Choices none = choices();
  none.cap_bytes = 1000;
  const test::Ran ran = run_call(*context_, integers({150, 170, 40}, test::Type::Real, {Op::None, Op::None}), Way::Copied, none);
  ASSERT_TRUE(ran.outcome.declined);
  EXPECT_EQ(ran.outcome.declined->reason, Reason::MemoryCap);
}

TEST_F(GemmVendor, DeclinesWhatBlasHasNoFormFor) {
  const Call call = integers({5, 4, 9}, test::Type::Real, {Op::None, Op::None});
  const test::ResidentCall resident(*context_, call);
  EXPECT_EQ(reason_of(resident.product(), choices()), Reason::KernelMissing);  // a failure might leave C half written
  Product product = resident.product();
  product.left.conjugate = true;  // and not turned
  EXPECT_EQ(reason_of(product, private_choices()), Reason::KernelMissing);
  product = resident.product();
  product.triangle = Triangle::Upper;
  EXPECT_EQ(reason_of(product, private_choices()), Reason::KernelMissing);
  product = resident.product();
  std::swap(product.c.row_stride, product.c.column_stride);  // a C by rows
  EXPECT_EQ(reason_of(product, private_choices()), Reason::KernelMissing);
  product = resident.product();
  product.left.inner_stride = Index{INT32_MAX} + 1;
  EXPECT_EQ(reason_of(product, private_choices()), Reason::SizeLimit);
  EXPECT_EQ(test::difference(call, call.c, resident.read_back().c), "");
  EXPECT_EQ(reason_of(resident.product(), private_choices()), Reason::None);
  expect_result(call, resident.read_back().c);
}

TEST_F(GemmVendor, DeclinesComplexNumbersThatDoNotLieAsVendorsReadThem) {
  const Call call = integers({5, 4, 9}, test::Type::Complex, {Op::None, Op::None});
  const test::ResidentCall resident(*context_, call);
  Product product = resident.product();
  ASSERT_NE(product.left.parts[0].offset % sizeof(Complex), 0u);  // misaligned
  EXPECT_EQ(reason_of(product, private_choices()), Reason::KernelMissing);
  for (auto* parts : {&product.left.parts, &product.right.parts, &product.c.parts}) {
    for (device::Slice& part : *parts) part.offset -= part.offset % sizeof(Complex) == 0 ? 0 : 8;
  }
  product.right.parts[1] = product.left.parts[0];  // parts apart
  EXPECT_EQ(reason_of(product, private_choices()), Reason::KernelMissing);
  EXPECT_EQ(test::difference(call, call.c, resident.read_back().c), "");
}

TEST_F(GemmVendor, AFailureAnywhereLeavesCAsItWas) {
  const Call call = integers({5, 4, 9}, test::Type::Real, {Op::None, Op::None});
  for (const int status : {test::cublas_execution_failed, test::cublas_no_memory}) {
    for (const long nth : {1, 2, 3, 4}) {  // cublasCreate, SetMathMode, SetStream, Dgemm
      context_ = std::make_unique<Context>(1, *device_, std::uint64_t{1} << 26);
      fake_cublas().fail_at(nth, status);
      const test::Ran ran = run_call(*context_, call, Way::Copied, choices());
      EXPECT_NE(ran.error, "") << nth;
      EXPECT_TRUE(ran.others_kept);
      EXPECT_EQ(test::difference(call, call.c, ran.c), "") << nth;
      expect_result(call, run_call(*context_, call, Way::Copied, choices()).c);  // the next one is tried anew
    }
  }
}

TEST_F(GemmVendor, DevicesWithoutOneSaySo) {
  Context& cpu = test::context_of(0);
  EXPECT_FALSE(cpu.device().traits().fp64_product);
  const Call call = integers({5, 4, 9}, test::Type::Real, {Op::None, Op::None}, 0);
  const test::Ran ran = run_call(cpu, call, Way::Copied, choices());
  EXPECT_NE(ran.error.find("fp64_product"), std::string::npos) << ran.error;
  EXPECT_EQ(test::difference(call, call.c, ran.c), "");
}

}  // namespace
}  // namespace ab::ops
