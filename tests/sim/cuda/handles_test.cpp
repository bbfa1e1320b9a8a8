// SPDX-License-Identifier: MIT
// Handles on a device that works while the host goes on: an operation has ended when it returns, and says how.
#include "apple_bottom.h"
#include "sim/cuda/fake.hpp"

namespace ab::test {
namespace {

class CudaHandles : public OnFakeDriver {
 protected:
  static constexpr int n = 20;
  void SetUp() override {
    ASSERT_EQ(ab_init(), AB_OK);
    ASSERT_EQ(ab_current_device(), 1);
    for (ABMatrix* matrix : {&a_, &b_, &c_}) *matrix = ab_matrix_create(n, n);
    fill();
  }
  // New contents: nothing of them is prepared.
  void fill() {
    const std::vector<double> twos(n * n, 2);
    ASSERT_EQ(ab_matrix_upload(a_, twos.data(), true), AB_OK);
    ASSERT_EQ(ab_matrix_upload(b_, twos.data(), true), AB_OK);
  }
  void TearDown() override {
    for (ABMatrix matrix : {a_, b_, c_}) ab_matrix_destroy(matrix);
    ab_shutdown();
    OnFakeDriver::TearDown();
    EXPECT_EQ(fake().alive().device_buffers, 0);
  }
  ABMatrix a_ = nullptr, b_ = nullptr, c_ = nullptr;
};

TEST_F(CudaHandles, Multiply) {
  ASSERT_EQ(ab_dgemm(a_, b_, c_), AB_OK) << ab_last_error();
  std::vector<double> c(n * n);
  ASSERT_EQ(ab_matrix_download(c_, c.data(), true), AB_OK);
  EXPECT_EQ(c, std::vector<double>(n * n, 4 * n));
  ABDeviceTraits traits = {};
  traits.struct_size = sizeof traits;
  ASSERT_EQ(ab_device_traits(1, &traits), AB_OK);
  EXPECT_STREQ(traits.id, "cuda:0");
  EXPECT_EQ(traits.trusted, 1);
}

TEST_F(CudaHandles, AFaultInAnyLaunchIsThatProductsStatus) {
  fake().fault_at_launch(1000);
  long launches = 0;
  ASSERT_EQ(ab_dgemm(a_, b_, c_), AB_OK);
  launches = fake().launches();
  ASSERT_GT(launches, 3);
  fill();
  fake().fault_at_launch(launches);  // the last one: nothing in the product waits for it but its end
  EXPECT_EQ(ab_dgemm(a_, b_, c_), AB_ERROR_NO_DEVICE);
  EXPECT_NE(std::string(ab_last_error()).find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos) << ab_last_error();
  EXPECT_EQ(ab_dgemm(a_, b_, c_), AB_ERROR_NO_DEVICE);
  EXPECT_NE(std::string(ab_last_error()).find("was lost"), std::string::npos) << ab_last_error();
}

}  // namespace
}  // namespace ab::test
