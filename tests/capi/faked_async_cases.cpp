// SPDX-License-Identifier: MIT
// Futures, batches and streams while their work is not finished, and when it fails (see faked_ops.hpp): what counts as defined, deferred
// destruction, two devices, copies that overlap.
#include <thread>

#include "capi/matrix.hpp"
#include "dev_buffer.hpp"
#include "faked_ops.hpp"
#include "handles.hpp"

namespace ab::test {
namespace {

using Values = std::vector<double>;

class FakedAsync : public Initialized {
 protected:
  void TearDown() override {
    faults() = {};
    ab_select_device(0);
    Initialized::TearDown();
  }
};

ABMatrix uploaded(std::vector<double> data) {
  ABMatrix matrix = ab_matrix_create(2, 2);
  EXPECT_EQ(ab_matrix_upload(matrix, data.data(), true), AB_OK);
  return matrix;
}

TEST_F(FakedAsync, UnfinishedFuturesArePending) {
  const Matrix a(2, 2, {1, 2, 3, 4}), c(2, 2), d(2, 2);
  ABFuture first = nullptr, second = nullptr;
  {
    const HeldProducts held;
    first = ab_dgemm_async(a, a, c);
    second = ab_dgemm_async(c, a, d);  // an output of earlier work counts as defined
    EXPECT_FALSE(ab_future_is_ready(first));
    EXPECT_EQ(ab_future_status(first), AB_OK);
    EXPECT_FALSE(ab_future_is_ready(second));
  }
  std::thread([&] { EXPECT_EQ(ab_future_wait(second), AB_OK); }).join();
  EXPECT_TRUE(ab_future_is_ready(first));
  EXPECT_EQ(d.contents(), (Values{37, 54, 81, 118}));
  ab_future_destroy(first);
  ab_future_destroy(second);
}

TEST_F(FakedAsync, FailedFuturesLeaveTheirOutputsAndWhatDependsOnThemFailsToo) {
  const Matrix a(2, 2, {1, 2, 3, 4}), old(2, 2, {5, 6, 7, 8}), fresh(2, 2), d(2, 2);
  std::vector<ABFuture> futures;
  {
    const HeldProducts held;
    futures = {ab_dgemm_async(a, a, old), ab_dgemm_async(a, a, fresh), ab_dgemm_async(fresh, a, d)};
    faults().multiply = Status::KernelFailed;
  }
  EXPECT_EQ(ab_future_wait(futures[0]), AB_ERROR_KERNEL_FAILED);
  EXPECT_STREQ(ab_last_error(), "ab_dgemm_async: the kernel failed");
  EXPECT_EQ(ab_future_wait(futures[1]), AB_ERROR_KERNEL_FAILED);
  EXPECT_EQ(ab_future_wait(futures[2]), AB_ERROR_NOT_UPLOADED);
  EXPECT_EQ(old.contents(), (Values{5, 6, 7, 8}));
  EXPECT_FALSE(fresh.contents());
  EXPECT_FALSE(d.contents());
  EXPECT_EQ(ab_get_stats().dgemm_count, 0u);
  for (ABFuture future : futures) ab_future_destroy(future);
}

TEST_F(FakedAsync, DestroyingAnOperandOfUnfinishedWorkDefersTheRelease) {
  const int before = living_memories();
  ABMatrix a = uploaded({1, 2, 3, 4}), c = ab_matrix_create(2, 2);
  ABFuture future = nullptr;
  {
    const HeldProducts held;
    future = ab_dgemm_async(a, a, c);
    ab_matrix_destroy(a);  // does not wait
    ab_matrix_destroy(c);
    EXPECT_EQ(living_memories(), before + 2);
    EXPECT_FALSE(ab_future_is_ready(future));
  }
  EXPECT_EQ(ab_future_wait(future), AB_OK);
  EXPECT_EQ(living_memories(), before);
  ab_future_destroy(future);
}

TEST_F(FakedAsync, PoolsAndSessionsDeferTheReleaseToo) {
  const int before = living_memories();
  ABMemoryPool pool = ab_pool_create(0);
  ABSession session = ab_session_create();
  ABMatrix a = ab_pool_get_matrix(pool, 2, 2);
  ASSERT_EQ(ab_session_add(session, "C", 2, 2), AB_OK);
  ASSERT_EQ(ab_matrix_upload(a, counted(2, 2).data(), true), AB_OK);
  ABFuture future = nullptr;
  {
    const HeldProducts held;
    future = ab_dgemm_async(a, a, ab_session_get(session, "C"));
    ab_pool_destroy(pool);
    ab_session_destroy(session);
    EXPECT_EQ(living_memories(), before + 2);
  }
  EXPECT_EQ(ab_future_wait(future), AB_OK);
  EXPECT_EQ(living_memories(), before);
  ab_future_destroy(future);
}

TEST_F(FakedAsync, DestroyingAnUnfinishedFutureWaits) {
  const Matrix a(2, 2, {1, 2, 3, 4}), c(2, 2);
  std::thread destroyer;
  std::atomic<bool> destroyed{false};
  {
    const HeldProducts held;
    ABFuture future = ab_dgemm_async(a, a, c);
    destroyer = std::thread([&, future] {
      ab_future_destroy(future);
      destroyed = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(destroyed);
  }
  destroyer.join();
  EXPECT_EQ(c.contents(), (Values{7, 10, 15, 22}));
}

TEST_F(FakedAsync, ShutdownWaitsForUnfinishedWork) {
  ABMatrix a = uploaded({1, 2, 3, 4}), c = ab_matrix_create(2, 2);
  std::thread closer;
  std::atomic<bool> closed{false};
  ABFuture future = nullptr;
  {
    const HeldProducts held;
    future = ab_dgemm_async(a, a, c);
    closer = std::thread([&] {
      ab_shutdown();
      closed = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(closed);
  }
  closer.join();
  EXPECT_EQ(ab_future_wait(future), AB_OK);
  ab_future_destroy(future);
  ab_matrix_destroy(a);
  ab_matrix_destroy(c);
}

TEST_F(FakedAsync, AFailureEndsABatchAndLaterOutputsStay) {
  const Matrix a(2, 2, {1, 2, 3, 4}), c(2, 2), old(2, 2, {5, 6, 7, 8}), never(2, 2);
  ABBatch batch = ab_batch_create();
  ASSERT_EQ(ab_batch_dgemm(batch, a, a, c), AB_OK);
  ASSERT_EQ(ab_batch_dgemm_scaled(batch, 1.0, a, a, 1.0, old), AB_OK);
  ASSERT_EQ(ab_batch_dgemm(batch, a, a, never), AB_OK);
  const int run_before = operations_run();
  faults().fail_after = 1;
  faults().multiply_later = Status::KernelFailed;
  ASSERT_EQ(ab_batch_commit(batch), AB_OK);
  EXPECT_EQ(ab_batch_wait(batch), AB_ERROR_KERNEL_FAILED);
  EXPECT_STREQ(ab_last_error(), "ab_batch_wait: operation 2: the kernel failed");
  EXPECT_EQ(ab_batch_wait(batch), AB_ERROR_KERNEL_FAILED);
  EXPECT_EQ(operations_run(), run_before + 1);
  faults() = {};
  EXPECT_EQ(c.contents(), (Values{7, 10, 15, 22}));
  EXPECT_EQ(old.contents(), (Values{5, 6, 7, 8}));
  EXPECT_FALSE(never.contents());
  ab_batch_destroy(batch);
}

TEST_F(FakedAsync, ABatchThatReadsWhatAFailedFutureShouldHaveWrittenFails) {
  const Matrix a(2, 2, {1, 2, 3, 4}), promised(2, 2);
  ABBatch batch = ab_batch_create();
  ABFuture future = nullptr;
  {
    const HeldProducts held;
    future = ab_dgemm_async(a, a, promised);
    ASSERT_EQ(ab_batch_dgemm_scaled(batch, 1.0, a, a, 1.0, promised), AB_OK) << ab_last_error();
    ASSERT_EQ(ab_batch_commit(batch), AB_OK);
    faults().fail_next = Status::KernelFailed;
  }
  EXPECT_EQ(ab_future_wait(future), AB_ERROR_KERNEL_FAILED);
  EXPECT_EQ(ab_batch_wait(batch), AB_ERROR_NOT_UPLOADED);
  EXPECT_FALSE(promised.contents());
  ab_future_destroy(future);
  ab_batch_destroy(batch);
}

TEST_F(FakedAsync, BatchesStayOnTheirDevice) {
  const Matrix here(2, 2, {1, 2, 3, 4}), result(2, 2);
  ABBatch batch = ab_batch_create();
  ASSERT_EQ(ab_select_device(1), AB_OK);
  const Matrix there(2, 2, {1, 2, 3, 4}), other(2, 2);
  EXPECT_EQ(ab_batch_dgemm(batch, there, there, other), AB_ERROR_INVALID_ARG);
  EXPECT_STREQ(ab_last_error(), "ab_batch_dgemm: the operands are on device 1, the batch on device 0: they must share one device");
  EXPECT_EQ(ab_batch_dgemm(batch, here, there, other), AB_ERROR_INVALID_ARG);
  EXPECT_EQ(ab_batch_dgemm(batch, here, here, result), AB_OK);
  ABMemoryPool pool = ab_pool_create(0);
  ASSERT_EQ(ab_select_device(0), AB_OK);
  EXPECT_EQ(ab_dgemm(there, there, ab_pool_get_matrix(pool, 2, 2)), AB_OK) << ab_last_error();  // on the pool's device
  ab_pool_destroy(pool);
  ab_batch_destroy(batch);
}

TEST_F(FakedAsync, SolvesReportDeclinesFailuresAndSingularity) {
  const Matrix a(2, 2, {1, 2, 3, 4}), b(2, 2, {5, 6, 7, 8});
  const auto trsm = [&] { return ab_dtrsm(AB_LEFT, AB_UPPER, AB_NO_TRANS, AB_NON_UNIT, 2.0, a, b); };
  const auto mpir = [&] { return ab_dgesv_mpir(a, b); };
  for (const std::function<ABStatus()>& call : {std::function<ABStatus()>(trsm), std::function<ABStatus()>(mpir)}) {
    const std::uint64_t contents = static_cast<ABMatrix>(b)->contents;
    faults() = {.multiply = Status::KernelFailed};
    EXPECT_EQ(call(), AB_ERROR_KERNEL_FAILED);
    EXPECT_NE(static_cast<ABMatrix>(b)->contents, contents);  // a failed write may have written something
    faults() = {.decline = Reason::MemoryCap};
    EXPECT_EQ(call(), AB_ERROR_ALLOC_FAILED);
    EXPECT_NE(std::string(ab_last_error()).find("the device could not compute the solution: memory_cap"), std::string::npos);
    faults() = {};
    EXPECT_EQ(b.contents(), (Values{5, 6, 7, 8}));
  }
  faults() = {.singular = Status::Singular};
  EXPECT_EQ(mpir(), AB_ERROR_SINGULAR);
  faults() = {};
  EXPECT_EQ(ab_get_stats().dgemm_count, 0u);
  EXPECT_EQ(trsm(), AB_OK);
  EXPECT_EQ(ab_get_stats().dgemm_count, 2u);  // as many as the solve says
  EXPECT_EQ(b.contents(), (Values{10, 12, 14, 16}));
}

TEST_F(FakedAsync, CopiesOfStreamsRunAtOnce) {
  ab_dev_stream_t streams[] = {ab_dev_stream_create(), ab_dev_stream_create(), nullptr};
  const Values in = {1, 2};
  const Buffer a(16), b(16), c(16);
  {
    const GatheredWrites three(3);
    ASSERT_EQ(ab_dev_memcpy_h2d_async(a, 0, in.data(), 16, streams[0]), AB_OK);
    ASSERT_EQ(ab_dev_memcpy_h2d_async(b, 0, in.data(), 16, streams[1]), AB_OK);
    ASSERT_EQ(ab_dev_memcpy_h2d_async(c, 0, in.data(), 16, streams[2]), AB_OK);
    for (ab_dev_stream_t stream : streams) EXPECT_EQ(ab_dev_stream_sync(stream), AB_OK) << ab_last_error();
  }
  for (const Buffer* buffer : {&a, &b, &c}) EXPECT_EQ(buffer->values(), in);
  EXPECT_EQ(living_stream_queues(), 2);
  for (ab_dev_stream_t stream : streams) ab_dev_stream_destroy(stream);
  EXPECT_EQ(living_stream_queues(), 0);
}

TEST_F(FakedAsync, CopiesOfAStreamGoBesideProducts) {
  ab_dev_stream_t stream = ab_dev_stream_create();
  const Matrix a(2, 2, {1, 2, 3, 4}), c(2, 2);
  const Buffer buffer(16);
  const Values in = {1, 2};
  ABFuture future = nullptr;
  {
    const HeldProducts held;
    future = ab_dgemm_async(a, a, c);
    ASSERT_EQ(ab_dev_memcpy_h2d_async(buffer, 0, in.data(), 16, stream), AB_OK);
    EXPECT_EQ(ab_dev_stream_sync(stream), AB_OK);
    EXPECT_FALSE(ab_future_is_ready(future));
  }
  EXPECT_EQ(buffer.values(), in);
  EXPECT_EQ(ab_future_wait(future), AB_OK);
  ab_future_destroy(future);
  ab_dev_stream_destroy(stream);
}

TEST_F(FakedAsync, AStreamReportsItsOwnFirstFailureOnly) {
  ab_dev_stream_t bad = ab_dev_stream_create(), good = ab_dev_stream_create();
  const Buffer a(16);
  const Values in = {1, 2};
  faults().write = Status::KernelFailed;
  ASSERT_EQ(ab_dev_memcpy_h2d_async(a, 0, in.data(), 16, bad), AB_OK);
  EXPECT_EQ(ab_dev_stream_sync(good), AB_OK);
  EXPECT_EQ(ab_dev_stream_sync(bad), AB_ERROR_KERNEL_FAILED);
  EXPECT_EQ(ab_dev_stream_sync(bad), AB_OK);  // nothing since
  ab_dev_stream_destroy(bad);
  ab_dev_stream_destroy(good);
}

}  // namespace
}  // namespace ab::test
