// SPDX-License-Identifier: MIT
// Streams: asynchronous copies, order, failures, buffers freed before their copy.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "dev_buffer.hpp"
#include "handles.hpp"

namespace ab::test {
namespace {

using Values = std::vector<double>;

class Streams : public ::testing::Test {
 protected:
  void TearDown() override {
    ab_dev_stream_sync(nullptr);
    ab_shutdown();
  }
};

TEST_F(Streams, CopiesAreDoneWhenTheirStreamIsSynchronised) {
  ab_dev_stream_t streams[] = {ab_dev_stream_create(), ab_dev_stream_create(), nullptr};
  ASSERT_NE(streams[0], nullptr) << ab_last_error();
  for (ab_dev_stream_t stream : streams) {
    const Buffer a(4 * sizeof(double));
    const Values in = counted(2, 2);
    Values out(4);
    ASSERT_EQ(ab_dev_memcpy_h2d_async(a, 0, in.data(), 32, stream), AB_OK) << ab_last_error();
    ASSERT_EQ(ab_dev_memcpy_d2h_async(out.data(), a, 8, 24, stream), AB_OK) << ab_last_error();
    ASSERT_EQ(ab_dev_stream_sync(stream), AB_OK) << ab_last_error();
    EXPECT_EQ(out, (Values{2, 3, 4, 0}));
    EXPECT_EQ(ab_dev_stream_sync(stream), AB_OK);  // nothing since
  }
  ab_dev_stream_destroy(streams[0]);
  ab_dev_stream_destroy(streams[1]);
  ab_dev_stream_destroy(nullptr);
}

TEST_F(Streams, WhoWaitsForTheDefaultStreamWaitsThoughAnotherDoes) {
  const Values in(std::size_t{4} << 20, 2.5);
  const Buffer a(in.size() * sizeof(double));
  ASSERT_EQ(ab_dev_memcpy_h2d(a, 0, in.data(), in.size() * sizeof(double)), AB_OK);
  for (int round = 0; round < 5; ++round) {
    Values out(in.size(), 0.0);
    for (int copy = 0; copy < 4; ++copy) {
      ASSERT_EQ(ab_dev_memcpy_d2h_async(out.data(), a, 0, out.size() * sizeof(double), nullptr), AB_OK);
    }
    std::atomic<bool> waits{false};
    std::thread other([&] {
      waits = true;
      ab_dev_stream_sync(nullptr);
    });
    while (!waits) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    ASSERT_EQ(ab_dev_stream_sync(nullptr), AB_OK);
    EXPECT_EQ(out.back(), 2.5);
    other.join();
  }
}

TEST_F(Streams, PartsOfABufferGoThroughStreamsAtOnceWithTheSameBits) {
  std::vector<ab_dev_stream_t> streams;
  for (int s = 0; s < 4; ++s) streams.push_back(ab_dev_stream_create());
  const Values in = counted(300, 400);
  const std::size_t part = in.size() / 16;
  const Buffer a(in.size() * sizeof(double)), whole(in), c(300 * 300 * sizeof(double)), expected(300 * 300 * sizeof(double));
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(ab_dev_memset(a, 0, 255, in.size() * sizeof(double)), AB_OK);
    for (std::size_t p = 0; p < 16; ++p) {
      const std::size_t from = p * part * sizeof(double);
      ASSERT_EQ(ab_dev_memcpy_h2d_async(a, from, in.data() + p * part, part * sizeof(double), streams[p % 4]), AB_OK);
    }
    ASSERT_EQ(ab_dev_dgemm(AB_NO_TRANS, AB_TRANS, 300, 300, 400, 1, a, 300, a, 300, 0, c, 300), AB_OK);  // after all of them
    ASSERT_EQ(ab_dev_dgemm(AB_NO_TRANS, AB_TRANS, 300, 300, 400, 1, whole, 300, whole, 300, 0, expected, 300), AB_OK);
    EXPECT_EQ(c.values(), expected.values());
    Values out(in.size());
    for (std::size_t p = 0; p < 16; ++p) {
      const std::size_t from = p * part * sizeof(double);
      ASSERT_EQ(ab_dev_memcpy_d2h_async(out.data() + p * part, a, from, part * sizeof(double), streams[p % 4]), AB_OK);
    }
    for (ab_dev_stream_t stream : streams) ASSERT_EQ(ab_dev_stream_sync(stream), AB_OK) << ab_last_error();
    EXPECT_EQ(out, in);
  }
  for (ab_dev_stream_t stream : streams) ab_dev_stream_destroy(stream);
}

TEST_F(Streams, AStreamOutlivesTheLibrarysLife) {
  ab_dev_stream_t stream = ab_dev_stream_create();
  const Values in = counted(10, 10);
  for (int life = 0; life < 3; ++life) {
    const Buffer a(in.size() * sizeof(double));
    Values out(in.size());
    ASSERT_EQ(ab_dev_memcpy_h2d_async(a, 0, in.data(), in.size() * sizeof(double), stream), AB_OK);
    ASSERT_EQ(ab_dev_memcpy_d2h_async(out.data(), a, 0, in.size() * sizeof(double), stream), AB_OK);
    ab_shutdown();  // waits
    EXPECT_EQ(out, in);
    EXPECT_EQ(ab_dev_memcpy_h2d_async(a, 0, in.data(), 8, stream), AB_ERROR_NO_DEVICE);
    EXPECT_EQ(ab_dev_stream_sync(stream), AB_OK);
  }
  ab_dev_stream_destroy(stream);
}

int child_uses(ab_dev_stream_t stream, ab_dev_buffer_t buffer) {
  alarm(20);
  const double in = 7;
  double out = 0;
  if (ab_dev_memcpy_h2d_async(buffer, 0, &in, 8, stream) != AB_OK) return 1;
  if (ab_dev_memcpy_d2h_async(&out, buffer, 0, 8, stream) != AB_OK) return 2;
  if (ab_dev_stream_sync(stream) != AB_OK || out != 7) return 3;
  ab_dev_stream_t own = ab_dev_stream_create();
  if (ab_dev_memcpy_d2h_async(&out, buffer, 0, 8, own) != AB_OK || ab_dev_stream_sync(own) != AB_OK) return 4;
  ab_dev_stream_destroy(own);
  ab_dev_stream_destroy(stream);
  return 0;
}

TEST_F(Streams, OfTheCpuDeviceWorkInAForkedChild) {
  if (ab_current_device() != 0) GTEST_SKIP() << "a GPU's do not";
  ab_dev_stream_t stream = ab_dev_stream_create();
  const Values in(50000, 1.5);
  const Buffer a(in);
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(ab_dev_memcpy_h2d_async(a, 0, in.data(), in.size() * sizeof(double), stream), AB_OK);
    ASSERT_TRUE(round % 2 == 1 || ab_dev_stream_sync(stream) == AB_OK);
    const pid_t child = fork();
    if (child == 0) {
      ab_dev_stream_sync(stream);  // what the fork interrupted fails
      _exit(child_uses(stream, a));
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(ab_dev_stream_sync(stream), AB_OK);
  }
  ab_dev_stream_destroy(stream);
}

TEST_F(Streams, SynchronousFunctionsComeAfterAllThatWasSubmitted) {
  ab_dev_stream_t stream = ab_dev_stream_create();
  const Values in = counted(30, 30);
  const Buffer a(in.size() * sizeof(double));
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(ab_dev_memset(a, 0, 0, 100), AB_OK);
    ASSERT_EQ(ab_dev_memcpy_h2d_async(a, 0, in.data(), in.size() * sizeof(double), stream), AB_OK);
    EXPECT_EQ(a.values(), in);
  }
  ab_dev_stream_destroy(stream);
}

TEST_F(Streams, ABufferMayBeFreedBeforeItsCopyIsDone) {
  ab_dev_stream_t stream = ab_dev_stream_create();
  const Values in(100000, 2.5);
  Values out(100000);
  for (int round = 0; round < 10; ++round) {
    ab_dev_buffer_t a = ab_dev_malloc(in.size() * sizeof(double));
    ASSERT_EQ(ab_dev_memcpy_h2d_async(a, 0, in.data(), in.size() * sizeof(double), stream), AB_OK);
    ASSERT_EQ(ab_dev_memcpy_d2h_async(out.data(), a, 0, in.size() * sizeof(double), stream), AB_OK);
    ab_dev_free(a);
  }
  EXPECT_EQ(ab_dev_stream_sync(stream), AB_OK);
  EXPECT_EQ(out, in);
  ab_dev_stream_destroy(stream);
}

TEST_F(Streams, BadCallsAreRefusedAtOnceAndLeaveNothingToSynchronise) {
  const Buffer a(16);
  double word = 0;
  EXPECT_EQ(ab_dev_memcpy_h2d_async(nullptr, 0, &word, 8, nullptr), AB_ERROR_INVALID_ARG);
  EXPECT_EQ(ab_dev_memcpy_h2d_async(a, 0, nullptr, 8, nullptr), AB_ERROR_INVALID_ARG);
  EXPECT_EQ(ab_dev_memcpy_h2d_async(a, 9, &word, 8, nullptr), AB_ERROR_INVALID_ARG);
  EXPECT_STREQ(ab_last_error(), "ab_dev_memcpy_h2d_async: dst has 16 bytes: 8 bytes from 9 on are not inside");
  EXPECT_EQ(ab_dev_memcpy_d2h_async(nullptr, a, 0, 8, nullptr), AB_ERROR_INVALID_ARG);
  EXPECT_EQ(ab_dev_memcpy_d2h_async(&word, a, 17, 0, nullptr), AB_ERROR_INVALID_ARG);
  EXPECT_EQ(ab_dev_memcpy_d2h_async(&word, a, 16, 0, nullptr), AB_OK);
  EXPECT_EQ(ab_dev_stream_sync(nullptr), AB_OK);
}

TEST_F(Streams, ManyThreadsShareTheDefaultStream) {
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const Values in(500, t);
      for (int round = 0; round < 20; ++round) {
        const Buffer a(in.size() * sizeof(double));
        Values out(in.size());
        ab_dev_memcpy_h2d_async(a, 0, in.data(), in.size() * sizeof(double), nullptr);
        if (ab_dev_memcpy_d2h(out.data(), a, 0, in.size() * sizeof(double)) == AB_OK && out == in) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 80);
}

}  // namespace
}  // namespace ab::test
