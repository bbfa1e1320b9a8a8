// SPDX-License-Identifier: MIT
// Handles on a device that works while the host goes on: an operation has ended when it returns, and says how.
#include "apple_bottom.h"
#include "apple_bottom_device.h"
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

// Work waits in as many of the driver's streams at once, none of which has been synchronised.
TEST_F(CudaHandles, CopiesOfStreamsWaitInStreamsOfTheirOwn) {
  const long before = fake().alive().streams;
  std::vector<ab_dev_stream_t> streams = {ab_dev_stream_create(), ab_dev_stream_create(), nullptr};
  const std::vector<double> in(1000, 2.5);
  std::vector<ab_dev_buffer_t> buffers;
  for (std::size_t s = 0; s < streams.size(); ++s) buffers.push_back(ab_dev_malloc(8000));
  fake().gather_streams(3);
  for (std::size_t s = 0; s < streams.size(); ++s) {
    ASSERT_EQ(ab_dev_memcpy_h2d_async(buffers[s], 0, in.data(), 8000, streams[s]), AB_OK);
  }
  for (ab_dev_stream_t stream : streams) EXPECT_EQ(ab_dev_stream_sync(stream), AB_OK) << ab_last_error();
  fake().gather_streams(0);
  EXPECT_EQ(fake().alive().streams, before + 2);
  for (std::size_t s = 0; s < streams.size(); ++s) {
    std::vector<double> out(1000);
    ASSERT_EQ(ab_dev_memcpy_d2h(out.data(), buffers[s], 0, 8000), AB_OK);
    EXPECT_EQ(out, in);
    ab_dev_free(buffers[s]);
    ab_dev_stream_destroy(streams[s]);
  }
  EXPECT_EQ(fake().alive().streams, before);
}

TEST_F(CudaHandles, ShutdownClosesTheQueuesOfStreams) {
  ab_dev_stream_t stream = ab_dev_stream_create();
  ab_dev_buffer_t buffer = ab_dev_malloc(8);
  const double in = 3;
  ASSERT_EQ(ab_dev_memcpy_h2d_async(buffer, 0, &in, 8, stream), AB_OK);
  ASSERT_EQ(ab_dev_stream_sync(stream), AB_OK);
  const long open = fake().alive().streams;
  ab_shutdown();
  EXPECT_LT(fake().alive().streams, open);
  ab_dev_free(buffer);
  ab_dev_stream_destroy(stream);
}

}  // namespace
}  // namespace ab::test
