// SPDX-License-Identifier: MIT
// Device buffers: life, copies of every kind, fills, ranges; shutdown.
#include "capi/device_buffer.hpp"

#include <cstring>
#include <numeric>

#include "dev_buffer.hpp"
#include "handles.hpp"

namespace ab::test {
namespace {

using Bytes = std::vector<unsigned char>;

class DeviceBuffers : public ::testing::Test {  // no ab_init: they initialise by themselves
 protected:
  void TearDown() override { ab_shutdown(); }
};

Bytes numbered(std::size_t count) {
  Bytes bytes(count);
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(1));
  return bytes;
}

Bytes contents(ab_dev_buffer_t buffer) {
  Bytes out(ab_dev_buffer_size(buffer));
  EXPECT_EQ(ab_dev_memcpy_d2h(out.data(), buffer, 0, out.size()), AB_OK) << ab_last_error();
  return out;
}

TEST_F(DeviceBuffers, AreMadeOfBytesAndInitialiseTheLibrary) {
  EXPECT_FALSE(ab_is_initialized());
  const Buffer odd(13);
  ASSERT_NE(static_cast<ab_dev_buffer_t>(odd), nullptr) << ab_last_error();
  EXPECT_TRUE(ab_is_initialized());
  EXPECT_EQ(ab_dev_buffer_size(odd), 13u);
  EXPECT_EQ(ab_dev_buffer_size(nullptr), 0u);
  EXPECT_EQ(ab_dev_malloc(0), nullptr);
  EXPECT_STREQ(ab_last_error(), "ab_dev_malloc: nbytes is 0, expected at least 1");
  EXPECT_EQ(ab_dev_malloc(SIZE_MAX), nullptr);
  EXPECT_EQ(ab_dev_malloc(SIZE_MAX / 2), nullptr);
  ab_dev_free(nullptr);
}

TEST_F(DeviceBuffers, CopiesTakeAnyAlignment) {
  const Bytes data = numbered(32);
  const Buffer a(40), b(29);
  ASSERT_EQ(ab_dev_memset(a, 0, 0x1FF, 40), AB_OK);  // the low byte
  ASSERT_EQ(ab_dev_memcpy_h2d(a, 3, data.data(), 21), AB_OK);
  Bytes want(40, 0xFF);
  std::copy_n(data.begin(), 21, want.begin() + 3);
  EXPECT_EQ(contents(a), want);
  ASSERT_EQ(ab_dev_memset(b, 0, 7, 29), AB_OK);
  ASSERT_EQ(ab_dev_memcpy_d2d(b, 1, a, 5, 11), AB_OK);
  Bytes moved(29, 7);
  std::copy_n(want.begin() + 5, 11, moved.begin() + 1);
  EXPECT_EQ(contents(b), moved);
  ASSERT_EQ(ab_dev_memcpy_d2d(a, 6, a, 3, 21), AB_OK);  // overlapping, to both sides
  std::copy_backward(want.begin() + 3, want.begin() + 24, want.begin() + 27);
  ASSERT_EQ(ab_dev_memcpy_d2d(a, 0, a, 2, 30), AB_OK);
  std::copy(want.begin() + 2, want.begin() + 32, want.begin());
  EXPECT_EQ(contents(a), want);
  ASSERT_EQ(ab_dev_memset(a, 39, 1, 1), AB_OK);
  want[39] = 1;
  EXPECT_EQ(contents(a), want);
}

TEST_F(DeviceBuffers, StridedCopiesLeaveTheGapsAlone) {
  const Bytes data = numbered(60);
  const Buffer a(50);
  ASSERT_EQ(ab_dev_memset(a, 0, 0, 50), AB_OK);
  ASSERT_EQ(ab_dev_memcpy_h2d_strided(a, 2, 9, data.data(), 7, 5, 4), AB_OK) << ab_last_error();
  Bytes want(50, 0);
  for (std::size_t row = 0; row < 4; ++row)
    std::copy_n(data.begin() + static_cast<int>(row * 7), 5, want.begin() + static_cast<int>(2 + row * 9));
  EXPECT_EQ(contents(a), want);
  Bytes out(40, 0xAA), expected(40, 0xAA);
  ASSERT_EQ(ab_dev_memcpy_d2h_strided(out.data(), 11, a, 2, 9, 5, 3), AB_OK) << ab_last_error();
  for (std::size_t row = 0; row < 3; ++row)
    std::copy_n(data.begin() + static_cast<int>(row * 7), 5, expected.begin() + static_cast<int>(row * 11));
  EXPECT_EQ(out, expected);
  ASSERT_EQ(ab_dev_memcpy_h2d_strided(a, 32, 18, data.data(), 18, 18, 1), AB_OK);  // one row reaches the end
  EXPECT_EQ(ab_dev_memcpy_h2d_strided(a, 33, 18, data.data(), 18, 18, 1), AB_ERROR_INVALID_ARG);
  EXPECT_EQ(ab_dev_memcpy_h2d_strided(a, 50, 4, data.data(), 4, 4, 0), AB_OK);
}

TEST_F(DeviceBuffers, RefuseWhatIsNotInside) {
  const Buffer a(16), b(16);
  Bytes host(64, 5);
  const std::string outside = " has 16 bytes: 8 bytes from 9 on are not inside";
  const std::vector<Refusal> refusals = {
      {[&] { return ab_dev_memcpy_h2d(nullptr, 0, host.data(), 1); }, AB_ERROR_INVALID_ARG,
       "ab_dev_memcpy_h2d: dst is NULL, expected a buffer"},
      {[&] { return ab_dev_memcpy_h2d(a, 99, nullptr, 1); }, AB_ERROR_INVALID_ARG, "ab_dev_memcpy_h2d: src is NULL"},
      {[&] { return ab_dev_memcpy_h2d(a, 9, host.data(), 8); }, AB_ERROR_INVALID_ARG, "ab_dev_memcpy_h2d: dst" + outside},
      {[&] { return ab_dev_memcpy_d2h(host.data(), a, 9, 8); }, AB_ERROR_INVALID_ARG, "ab_dev_memcpy_d2h: src" + outside},
      {[&] { return ab_dev_memcpy_d2h(nullptr, a, 0, 8); }, AB_ERROR_INVALID_ARG, "ab_dev_memcpy_d2h: dst is NULL"},
      {[&] { return ab_dev_memcpy_d2d(a, 0, b, 9, 8); }, AB_ERROR_INVALID_ARG, "ab_dev_memcpy_d2d: src" + outside},
      {[&] { return ab_dev_memcpy_d2d(a, 9, b, 0, 8); }, AB_ERROR_INVALID_ARG, "ab_dev_memcpy_d2d: dst" + outside},
      {[&] { return ab_dev_memset(a, 9, 0, 8); }, AB_ERROR_INVALID_ARG, "ab_dev_memset: buf" + outside},
      {[&] { return ab_dev_memcpy_h2d(a, 1, host.data(), SIZE_MAX); }, AB_ERROR_INVALID_ARG,
       "ab_dev_memcpy_h2d: dst has 16 bytes: 18446744073709551615 bytes from 1 on are not inside"},
      {[&] { return ab_dev_memcpy_h2d_strided(a, 0, 3, host.data(), 4, 4, 2); }, AB_ERROR_INVALID_ARG,
       "ab_dev_memcpy_h2d_strided: dst_pitch is 3, less than the width 4"},
      {[&] { return ab_dev_memcpy_d2h_strided(host.data(), 4, a, 0, 3, 4, 2); }, AB_ERROR_INVALID_ARG,
       "ab_dev_memcpy_d2h_strided: src_pitch is 3, less than the width 4"},
      {[&] { return ab_dev_memcpy_h2d_strided(a, 0, SIZE_MAX / 2, host.data(), 4, 4, 5); }, AB_ERROR_INVALID_ARG,
       "ab_dev_memcpy_h2d_strided: dst has 16 bytes: 18446744073709551615 bytes from 0 on are not inside"}};
  expect_refusals(refusals, {});
  EXPECT_EQ(host, Bytes(64, 5));
  EXPECT_EQ(ab_dev_memcpy_h2d(a, 16, host.data(), 0), AB_OK);
  EXPECT_EQ(ab_dev_memcpy_h2d(a, 17, host.data(), 0), AB_ERROR_INVALID_ARG);  // after the checks
}

TEST_F(DeviceBuffers, ThoseFromBeforeAShutdownAreGone) {
  const Buffer a(16);
  Bytes host(16);
  ab_shutdown();
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(ab_dev_memcpy_h2d(a, 0, host.data(), 16), AB_ERROR_NO_DEVICE);
    EXPECT_EQ(ab_dev_memcpy_h2d(a, 0, host.data(), 17), AB_ERROR_INVALID_ARG);
    EXPECT_EQ(ab_dev_memcpy_d2h(host.data(), a, 0, 16), AB_ERROR_NO_DEVICE);
    EXPECT_EQ(ab_dev_memset(a, 0, 0, 1), AB_ERROR_NO_DEVICE);
    EXPECT_EQ(ab_dev_memcpy_h2d_async(a, 0, host.data(), 16, nullptr), AB_ERROR_NO_DEVICE);
    EXPECT_EQ(ab_dev_buffer_size(a), 16u);
    ASSERT_EQ(ab_init(), AB_OK);
  }
}

TEST_F(DeviceBuffers, TransfersAreCounted) {
  ASSERT_EQ(ab_init(), AB_OK);
  const Buffer a(std::vector<double>(6, 1.0));
  a.values();
  EXPECT_EQ(ab_get_stats().elements_converted, 12u);
}

}  // namespace
}  // namespace ab::test
