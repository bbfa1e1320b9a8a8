// SPDX-License-Identifier: MIT
// Futures on the real library: bits of the synchronous call, chains, classes, threads, shutdown. Unfinished ones: faked_async_cases.cpp.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <thread>

#include "handles.hpp"

namespace ab::test {
namespace {

using Futures = Initialized;
using Values = std::vector<double>;

Values roots(int rows, int cols) {
  Values values = counted(rows, cols);
  for (double& value : values) value = std::sqrt(value);
  return values;
}

ABStatus finish(ABFuture future) {
  const ABStatus status = ab_future_wait(future);
  EXPECT_TRUE(ab_future_is_ready(future));
  EXPECT_EQ(ab_future_status(future), status);
  EXPECT_EQ(ab_future_wait(future), status);
  ab_future_destroy(future);
  return status;
}

TEST_F(Futures, HaveTheBitsOfTheSynchronousCall) {
  const Matrix a(40, 30, roots(40, 30)), b(30, 20, roots(30, 20)), c(40, 20), d(40, 20), re(40, 20), im(40, 20), re2(40, 20), im2(40, 20);
  ASSERT_EQ(ab_dgemm(a, b, c), AB_OK);
  ASSERT_EQ(finish(ab_dgemm_async(a, b, d)), AB_OK) << ab_last_error();
  EXPECT_EQ(c.words(), d.words());
  ASSERT_EQ(ab_zgemm(a, a, b, b, re, im), AB_OK);
  ASSERT_EQ(finish(ab_zgemm_async(a, a, b, b, re2, im2)), AB_OK) << ab_last_error();
  EXPECT_EQ(re.words(), re2.words());
  EXPECT_EQ(im.words(), im2.words());
  EXPECT_EQ(ab_get_stats().dgemm_count, 2u);
  EXPECT_EQ(ab_get_stats().zgemm_count, 2u);
}

TEST_F(Futures, LaterCallsSeeOneOrder) {
  const Matrix a(2, 2, {1, 1, 0, 1}), x(2, 2), y(2, 2), z(2, 2);
  std::vector<ABFuture> futures = {ab_dgemm_async(a, a, x), ab_dgemm_async(x, a, y), ab_dgemm_async(y, a, z)};  // each reads the last
  EXPECT_EQ(z.contents(), (Values{1, 4, 0, 1}));                                                                // a download waits
  for (ABFuture future : futures) EXPECT_EQ(finish(future), AB_OK);
  ABFuture product = ab_dgemm_async(a, a, x);
  ASSERT_EQ(ab_matrix_scale(10.0, x), AB_OK);
  ASSERT_EQ(ab_matrix_zero(a), AB_OK);  // the product has read it
  EXPECT_EQ(x.contents(), (Values{10, 20, 0, 10}));
  EXPECT_EQ(finish(product), AB_OK);
}

TEST_F(Futures, AnInvalidCallIsACompleteFutureWithTheError) {
  const Matrix a(2, 3, counted(2, 3)), b(2, 3, counted(2, 3)), c(2, 2, counted(2, 2)), empty(3, 2);
  const std::vector<std::tuple<ABFuture, ABStatus, std::string>> cases = {
      {ab_dgemm_async(nullptr, b, c), AB_ERROR_INVALID_ARG, "ab_dgemm_async: A is NULL, expected a matrix"},
      {ab_dgemm_async(a, b, c), AB_ERROR_DIMENSION_MISMATCH, "ab_dgemm_async: A is 2x3, B is 2x3: inner dimensions differ"},
      {ab_dgemm_async(c, c, c), AB_ERROR_INVALID_ARG, "ab_dgemm_async: C is the same matrix as A: an output must not be an input"},
      {ab_dgemm_async(a, empty, c), AB_ERROR_NOT_UPLOADED, "ab_dgemm_async: B has no contents: upload, zero or compute it first"},
      {ab_zgemm_async(a, a, empty, empty, c, c), AB_ERROR_INVALID_ARG,
       "ab_zgemm_async: Cr and Ci are the same matrix: outputs must differ"},
  };
  for (const auto& [future, status, text] : cases) {
    ASSERT_NE(future, nullptr);
    EXPECT_TRUE(ab_future_is_ready(future));
    std::thread([&, waited = future] {
      EXPECT_EQ(ab_future_wait(waited), status);
      EXPECT_EQ(ab_last_error(), text);
    }).join();
    EXPECT_EQ(finish(future), status);
  }
  EXPECT_EQ(c.contents(), counted(2, 2));
  EXPECT_EQ(ab_get_stats().dgemm_count, 0u);
}

TEST_F(Futures, NullIsNoFuture) {
  EXPECT_EQ(ab_future_wait(nullptr), AB_ERROR_INVALID_ARG);
  EXPECT_STREQ(ab_last_error(), "ab_future_wait: the future is NULL");
  EXPECT_EQ(ab_future_status(nullptr), AB_ERROR_INVALID_ARG);
  EXPECT_TRUE(ab_future_is_ready(nullptr));
  ab_future_destroy(nullptr);
}

TEST_F(Futures, TheClassIsThatOfTheCallAndTheReportGoesToWhoWaits) {
  const Matrix a(8, 8, roots(8, 8)), c(8, 8);
  ASSERT_EQ(ab_set_precision(AB_PRECISION_DD), AB_OK);
  ABFuture future = ab_dgemm_async(a, a, c);
  ASSERT_EQ(ab_set_precision(AB_PRECISION_DEFAULT), AB_OK);
  std::thread([&] {
    ABProduct product = {};
    product.struct_size = sizeof product;
    EXPECT_EQ(ab_last_product(&product), AB_OK);
    EXPECT_EQ(product.scheme, AB_SCHEME_NONE);
    EXPECT_EQ(ab_future_wait(future), AB_OK);
    EXPECT_EQ(ab_last_product(&product), AB_OK);
    EXPECT_EQ(product.scheme, AB_SCHEME_DD);
    EXPECT_EQ(product.precision, AB_PRECISION_DD);
  }).join();
  ab_future_destroy(future);
}

TEST_F(Futures, ShutdownWaitsAndFuturesStayReadable) {
  ABMatrix a = ab_matrix_create(200, 200), c = ab_matrix_create(200, 200);
  ASSERT_EQ(ab_matrix_upload(a, roots(200, 200).data(), true), AB_OK);
  ABFuture future = ab_dgemm_async(a, a, c);
  ab_shutdown();
  EXPECT_TRUE(ab_future_is_ready(future));
  EXPECT_EQ(ab_future_wait(future), AB_OK);
  EXPECT_EQ(ab_get_stats().dgemm_count, 0u);
  ABFuture late = ab_dgemm_async(a, a, c);
  EXPECT_EQ(finish(late), AB_ERROR_NO_DEVICE);
  ab_future_destroy(future);
  ab_matrix_destroy(a);
  ab_matrix_destroy(c);
}

TEST_F(Futures, ManyThreadsSubmitAtOnce) {
  const Matrix shared(24, 24, roots(24, 24)), reference(24, 24);
  ASSERT_EQ(ab_dgemm(shared, shared, reference), AB_OK);
  const auto want = reference.words();
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 10; ++round) {
        ABMatrix c = ab_matrix_create(24, 24);
        ABFuture future = ab_dgemm_async(shared, shared, c);
        Values data(24 * 24);
        if (ab_matrix_download(c, data.data(), true) == AB_OK && ab_future_wait(future) == AB_OK) {
          Words words;
          for (double value : data) words.push_back(std::bit_cast<std::uint64_t>(value));
          if (words == want) ++right;
        }
        ab_matrix_destroy(c);
        ab_future_destroy(future);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 60);
}

TEST_F(Futures, AForkedChildComputesAtOnce) {
  const Matrix a(2, 2, {1, 2, 3, 4}), c(2, 2), d(2, 2);
  EXPECT_EQ(finish(ab_dgemm_async(a, a, c)), AB_OK);  // the thread exists
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    ABFuture future = ab_dgemm_async(a, a, d);
    const bool ready = ab_future_is_ready(future);
    const bool right = ab_future_wait(future) == AB_OK && d.contents() == (Values{7, 10, 15, 22});
    ab_future_destroy(future);
    _exit(ready && right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace ab::test
