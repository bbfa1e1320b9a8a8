// SPDX-License-Identifier: MIT
// What the front door does with failures, a second device and a lost one (see faked_ops.hpp).
#include <array>
#include <cstring>

#include "capi/matrix.hpp"
#include "faked_ops.hpp"
#include "handles.hpp"

namespace ab::test {
namespace {

using Values = std::vector<double>;

class Faked : public Initialized {
 protected:
  void TearDown() override {
    faults() = {};
    ab_select_device(0);
    Initialized::TearDown();
  }
};

TEST_F(Faked, FailuresOfTheDeviceBecomeStatusesAndChangeNothing) {
  const Matrix a(2, 2, {1, 2, 3, 4}), c(2, 2, {5, 6, 7, 8}), fresh(2, 2);
  const std::vector<std::tuple<Faults, ABStatus, std::string>> cases = {
      {{.multiply = Status::KernelFailed}, AB_ERROR_KERNEL_FAILED, "ab_dgemm: the kernel failed"},
      {{.multiply = Status::AllocFailed}, AB_ERROR_ALLOC_FAILED, "ab_dgemm: the kernel failed"},
      {{.multiply = Status::NoDevice}, AB_ERROR_NO_DEVICE, "ab_dgemm: the kernel failed"},
      {{.host_memory_gone = true}, AB_ERROR_ALLOC_FAILED, "ab_dgemm: no host memory"},
      {{.decline = Reason::MemoryCap}, AB_ERROR_ALLOC_FAILED, "ab_dgemm: the device could not compute the product: memory_cap"},
      {{.decline = Reason::AllocationFailed},
       AB_ERROR_ALLOC_FAILED,
       "ab_dgemm: the device could not compute the product: allocation_failed"},
      {{.decline = Reason::DeviceLost}, AB_ERROR_NO_DEVICE, "ab_dgemm: the device could not compute the product: device_lost"},
      {{.decline = Reason::KernelMissing}, AB_ERROR_SHADER_COMPILE, "ab_dgemm: the device could not compute the product: kernel_missing"},
      {{.decline = Reason::DeviceError}, AB_ERROR_KERNEL_FAILED, "ab_dgemm: the device could not compute the product: device_error"},
  };
  const int run_before = operations_run();
  for (const auto& [fault, status, text] : cases) {
    faults() = fault;
    EXPECT_EQ(ab_dgemm(a, a, c), status) << text;
    EXPECT_EQ(ab_last_error(), text);
    EXPECT_EQ(ab_dgemm(a, a, fresh), status);
    EXPECT_FALSE(fresh.contents());
  }
  EXPECT_EQ(operations_run(), run_before);
  EXPECT_EQ(ab_get_stats().dgemm_count, 0u);
  EXPECT_EQ(c.contents(), (Values{5, 6, 7, 8}));
}

// A failed write may have written something: what is kept of the contents of before must not be taken for it.
TEST_F(Faked, WritesThatFailGiveNewContentsToo) {
  const Matrix a(2, 2, {1, 2, 3, 4}), c(2, 2, {5, 6, 7, 8});
  const Values data(4, 9.0);
  faults() = {.multiply = Status::KernelFailed, .combine = Status::KernelFailed, .write = Status::KernelFailed};
  const std::vector<std::function<ABStatus()>> writes = {
      [&] { return ab_matrix_upload(c, data.data(), true); },
      [&] { return ab_matrix_zero(c); },
      [&] { return ab_matrix_copy(a, c); },
      [&] { return ab_matrix_add(a, a, c); },
      [&] { return ab_matrix_scale(2.0, c); },
      [&] { return ab_dgemm(a, a, c); },
  };
  const std::uint64_t read = static_cast<ABMatrix>(a)->contents;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const std::uint64_t before = static_cast<ABMatrix>(c)->contents;
    EXPECT_EQ(writes[i](), AB_ERROR_KERNEL_FAILED) << i;
    EXPECT_NE(static_cast<ABMatrix>(c)->contents, before) << i;
    EXPECT_EQ(static_cast<ABMatrix>(a)->contents, read) << i;
  }
}

TEST_F(Faked, FailedElementwiseWorkAndTransfersDefineNoContents) {
  const Matrix a(2, 2, {1, 2, 3, 4}), fresh(2, 2);
  Values data(4, 9.0);
  faults() = {.combine = Status::KernelFailed, .write = Status::KernelFailed};
  const std::array<ABStatus, 5> statuses = {ab_matrix_add(a, a, fresh), ab_matrix_sub(a, a, fresh), ab_matrix_zero(fresh),
                                            ab_matrix_copy(a, fresh), ab_matrix_upload(fresh, data.data(), true)};
  for (ABStatus status : statuses) EXPECT_EQ(status, AB_ERROR_KERNEL_FAILED);
  EXPECT_EQ(ab_get_stats().elements_converted, 4u);  // a's upload
  EXPECT_EQ(ab_matrix_download(fresh, data.data(), true), AB_ERROR_NOT_UPLOADED);
}

TEST_F(Faked, CreationReportsTheDevicesLimits) {
  const int rows = static_cast<int>(largest_buffer_bytes / sizeof(double));
  const Matrix largest(rows, 1);
  EXPECT_NE(static_cast<ABMatrix>(largest), nullptr);
  EXPECT_EQ(ab_matrix_create(rows + 1, 1), nullptr);
  EXPECT_STREQ(ab_last_error(), "ab_matrix_create: the matrix is 131073x1: 1048584 bytes, the largest buffer of cpu has 1048576");
  faults().allocate = Status::AllocFailed;
  EXPECT_EQ(ab_matrix_create(2, 2), nullptr);
  EXPECT_STREQ(ab_last_error(), "ab_matrix_create: no device memory");
}

TEST_F(Faked, OperandsOfTwoDevicesAreRefusedAfterAliasingBeforeContents) {
  const Matrix here(2, 2, {1, 2, 3, 4}), result(2, 2);
  ASSERT_EQ(ab_select_device(1), AB_OK);
  const Matrix there(2, 2, {1, 2, 3, 4}), undefined(2, 2);
  EXPECT_EQ(ab_dgemm(here, here, here), AB_ERROR_INVALID_ARG);
  const std::string text = "A is on device 0, B on device 1: operands must share one device";
  const std::vector<Refusal> refusals = {
      {[&] { return ab_dgemm(here, there, result); }, AB_ERROR_INVALID_ARG, "ab_dgemm: " + text},
      {[&] { return ab_dgemm(result, undefined, here); }, AB_ERROR_INVALID_ARG, "ab_dgemm: " + text},
      {[&] { return ab_matrix_add(here, undefined, here); }, AB_ERROR_INVALID_ARG, "ab_matrix_add: " + text},
      {[&] { return ab_matrix_copy(here, there); }, AB_ERROR_INVALID_ARG,
       "ab_matrix_copy: src is on device 0, dst on device 1: operands must share one device"},
  };
  expect_refusals(refusals, {&here, &there, &result, &undefined});
  EXPECT_EQ(ab_dgemm(there, there, undefined), AB_OK);  // all on one: the matrices' device counts, not the thread's
  ASSERT_EQ(ab_select_device(0), AB_OK);
  EXPECT_EQ(ab_dgemm(there, undefined, there), AB_ERROR_INVALID_ARG);
  EXPECT_EQ(ab_dgemm(undefined, undefined, there), AB_OK);
}

TEST_F(Faked, AForkedChildKeepsCpuHandlesAndLosesThoseOfAGpu) {
  const Matrix cpu(2, 2, {1, 2, 3, 4}), result(2, 2);
  ASSERT_EQ(ab_select_device(1), AB_OK);
  const int before = living_memories();
  {
    const Matrix gpu(2, 2, {1, 2, 3, 4}), other(3, 2, counted(3, 2));
    faults().forked_child = true;
    EXPECT_EQ(ab_matrix_zero(gpu), AB_ERROR_NO_DEVICE);
    EXPECT_STREQ(ab_last_error(), "ab_matrix_zero: the matrix is on a GPU, which a forked child cannot use");
    EXPECT_EQ(ab_dgemm(gpu, other, gpu), AB_ERROR_DIMENSION_MISMATCH);  // dimensions come first
    EXPECT_EQ(ab_dgemm(cpu, gpu, gpu), AB_ERROR_NO_DEVICE);             // the context before aliasing and mixed devices
    EXPECT_EQ(ab_dgemm(cpu, cpu, result), AB_OK);
  }
  EXPECT_EQ(living_memories(), before + 2);  // the GPU's memory was not touched
}

TEST_F(Faked, ALostDeviceIsNoDevice) {
  const Matrix a(2, 2, {1, 2, 3, 4});
  faults().lost_device = 0;
  EXPECT_EQ(ab_matrix_zero(a), AB_ERROR_NO_DEVICE);
  EXPECT_STREQ(ab_last_error(), "ab_matrix_zero: the matrix is on a device that was lost");
  faults().lost_device = -1;
}

TEST_F(Faked, ShutdownFreesTheMemoryOfLiveHandles) {
  const int before = living_memories();
  {
    const Matrix a(8, 8), b(8, 8);
    EXPECT_EQ(living_memories(), before + 2);
    ab_shutdown();
    EXPECT_EQ(living_memories(), before);
  }
  EXPECT_EQ(living_memories(), before);
}

TEST_F(Faked, TrivialProductsAreNotCounted) {
  const Matrix a(2, 2), c(2, 2, {1, 2, 3, 4});
  ASSERT_EQ(ab_dgemm_scaled(0.0, a, a, 2.0, c), AB_OK);
  EXPECT_EQ(ab_get_stats().dgemm_count, 0u);
}

TEST(FakedInit, FailuresAreToldApart) {
  for (Status status : {Status::NoDevice, Status::ShaderCompile, Status::AllocFailed}) {
    faults().initialize = status;
    EXPECT_EQ(ab_init(), static_cast<ABStatus>(status));
    EXPECT_STREQ(ab_last_error(), "ab_init: the device asked for is absent");
    EXPECT_FALSE(ab_is_initialized());
  }
  faults() = {};
}

TEST(FakedTraits, AReasonLongerThanItsFieldIsCut) {
  ABDeviceTraits traits = {};
  traits.struct_size = sizeof traits;
  ASSERT_EQ(ab_device_traits(1, &traits), AB_OK);
  EXPECT_EQ(traits.trusted, 0);
  EXPECT_EQ(std::strlen(traits.reason), sizeof traits.reason - 1);
  ASSERT_EQ(ab_device_traits(0, &traits), AB_OK);
  EXPECT_EQ(traits.trusted, -1);
}

}  // namespace
}  // namespace ab::test
