// SPDX-License-Identifier: MIT
// Pools and sessions: reuse, capacity, names, ownership, shutdown.
#include <set>

#include "handles.hpp"

namespace ab::test {
namespace {

using Pools = Initialized;
using Sessions = Initialized;
using Values = std::vector<double>;

std::pair<int, int> dims(ABMatrix matrix) {
  int rows = 0, cols = 0;
  ab_matrix_dims(matrix, &rows, &cols);
  return {rows, cols};
}

TEST_F(Pools, PreferTheSameShapeThenCapacityThenANewMatrix) {
  ABMemoryPool pool = ab_pool_create(0);
  ASSERT_NE(pool, nullptr) << ab_last_error();
  ABMatrix wide = ab_pool_get_matrix(pool, 2, 6), tall = ab_pool_get_matrix(pool, 6, 2), large = ab_pool_get_matrix(pool, 10, 10);
  const std::set<ABMatrix> all = {wide, tall, large};
  EXPECT_EQ(all.size(), 3u);
  ab_pool_reset(pool);
  EXPECT_EQ(ab_pool_get_matrix(pool, 6, 2), tall);
  EXPECT_EQ(ab_pool_get_matrix(pool, 3, 4), wide);  // the smallest that is large enough
  EXPECT_EQ(ab_pool_get_matrix(pool, 3, 4), large);
  EXPECT_EQ(all.count(ab_pool_get_matrix(pool, 1, 1)), 0u);  // a new one
  ab_pool_reset(pool);
  EXPECT_EQ(ab_pool_get_matrix(pool, 10, 10), large);  // it was 3x4 in between, and has kept its capacity
  ab_pool_destroy(pool);
}

TEST_F(Pools, AReusedMatrixHasTheNewShapeEverywhereAndNoContents) {
  ABMemoryPool pool = ab_pool_create(1000);
  ABMatrix first = ab_pool_get_matrix(pool, 4, 4);
  ASSERT_EQ(ab_matrix_upload(first, counted(4, 4).data(), true), AB_OK);
  ABMatrix product = ab_pool_get_matrix(pool, 4, 4);
  ASSERT_EQ(ab_dgemm(first, first, product), AB_OK);  // its preparations are kept now
  ab_pool_reset(pool);
  ABMatrix again = ab_pool_get_matrix(pool, 2, 3);
  ASSERT_EQ(again, first);
  EXPECT_EQ(dims(again), (std::pair(2, 3)));
  EXPECT_EQ(ab_matrix_count(again), 6u);
  Values data(16, -1.0);
  EXPECT_EQ(ab_matrix_download(again, data.data(), true), AB_ERROR_NOT_UPLOADED);
  ASSERT_EQ(ab_matrix_upload(again, counted(2, 3).data(), true), AB_OK);
  EXPECT_EQ(ab_get_stats().elements_converted, 16u + 6u);
  ASSERT_EQ(ab_matrix_download(again, data.data(), true), AB_OK);
  EXPECT_EQ(data, (Values{1, 2, 3, 4, 5, 6, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}));
  const Matrix other(3, 2, counted(3, 2)), result(2, 2);
  ASSERT_EQ(ab_dgemm(again, other, result), AB_OK);
  EXPECT_EQ(result.contents(), (Values{22, 28, 49, 64}));
  ab_pool_destroy(pool);
}

TEST_F(Pools, CapacityBadShapesAndNull) {
  ABMemoryPool pool = ab_pool_create(0);
  EXPECT_EQ(ab_pool_get_matrix(pool, 0, 3), nullptr);
  EXPECT_STREQ(ab_last_error(), "ab_pool_get_matrix: the matrix is 0x3: rows and cols must be positive");
  EXPECT_EQ(ab_pool_get_matrix(pool, 46341, 46341), nullptr);
  std::set<ABMatrix> all;
  for (int i = 0; i < AB_POOL_CAPACITY; ++i) all.insert(ab_pool_get_matrix(pool, 2, 2));
  EXPECT_EQ(all.size(), static_cast<std::size_t>(AB_POOL_CAPACITY));
  EXPECT_EQ(all.count(nullptr), 0u);
  EXPECT_EQ(ab_pool_get_matrix(pool, 2, 2), nullptr);
  EXPECT_STREQ(ab_last_error(), "ab_pool_get_matrix: the pool is full: it has 128 matrices, of which none is free and fits");
  ab_pool_reset(pool);
  EXPECT_EQ(ab_pool_get_matrix(pool, 3, 3), nullptr);  // all free ones are too small
  EXPECT_EQ(all.count(ab_pool_get_matrix(pool, 2, 2)), 1u);
  ab_pool_destroy(pool);
  ABMatrix free_standing = ab_pool_get_matrix(nullptr, 2, 2);
  EXPECT_EQ(dims(free_standing), (std::pair(2, 2)));
  ab_matrix_destroy(free_standing);
  EXPECT_EQ(ab_pool_get_matrix(nullptr, -1, 2), nullptr);
  ab_pool_reset(nullptr);
  ab_pool_destroy(nullptr);
}

TEST_F(Pools, DestroyingAPoolsMatrixHasNoEffectAndThePoolOutlivesShutdownEmpty) {
  ABMemoryPool pool = ab_pool_create(0);
  ABMatrix matrix = ab_pool_get_matrix(pool, 2, 2);
  ab_matrix_destroy(matrix);
  ASSERT_EQ(ab_matrix_upload(matrix, counted(2, 2).data(), true), AB_OK);
  ab_shutdown();
  ASSERT_EQ(ab_init(), AB_OK);
  EXPECT_EQ(ab_matrix_zero(matrix), AB_ERROR_NO_DEVICE);
  ab_pool_reset(pool);
  EXPECT_EQ(ab_pool_get_matrix(pool, 2, 2), nullptr);
  EXPECT_STREQ(ab_last_error(), "ab_pool_get_matrix: the pool is from before ab_shutdown, or on a device that cannot be used");
  ab_pool_destroy(pool);
}

TEST_F(Sessions, KnowTheirMatricesByName) {
  ABSession session = ab_session_create();
  ASSERT_NE(session, nullptr) << ab_last_error();
  std::string name = "A";
  ASSERT_EQ(ab_session_add(session, name.c_str(), 2, 3), AB_OK) << ab_last_error();
  name = "changed";  // it was copied
  ASSERT_EQ(ab_session_add(session, "B", 3, 2), AB_OK);
  ASSERT_EQ(ab_session_add(session, "C", 2, 2), AB_OK);
  ASSERT_EQ(ab_session_add(session, "c", 2, 2), AB_OK);  // another name
  EXPECT_EQ(dims(ab_session_get(session, "A")), (std::pair(2, 3)));
  EXPECT_NE(ab_session_get(session, "C"), ab_session_get(session, "c"));
  ASSERT_EQ(ab_session_upload(session, "A", counted(2, 3).data()), AB_OK);
  ASSERT_EQ(ab_session_upload(session, "B", counted(3, 2).data()), AB_OK);
  ASSERT_EQ(ab_session_dgemm(session, "A", "B", "C"), AB_OK) << ab_last_error();
  Values data(4);
  ASSERT_EQ(ab_session_download(session, "C", data.data()), AB_OK);
  EXPECT_EQ(data, (Values{22, 28, 49, 64}));
  ASSERT_EQ(ab_session_zgemm(session, "A", "A", "B", "B", "C", "c"), AB_OK) << ab_last_error();
  ASSERT_EQ(ab_session_download(session, "c", data.data()), AB_OK);
  EXPECT_EQ(data, (Values{44, 56, 98, 128}));
  ab_matrix_destroy(ab_session_get(session, "A"));  // no effect
  EXPECT_EQ(dims(ab_session_get(session, "A")), (std::pair(2, 3)));
  ab_session_destroy(session);
}

TEST_F(Sessions, RefuseInTheOrderOfTheErrorTable) {
  ABSession session = ab_session_create();
  const std::string longest(AB_SESSION_NAME_MAX, 'x'), longer(AB_SESSION_NAME_MAX + 1, 'x');
  ASSERT_EQ(ab_session_add(session, "A", 2, 3), AB_OK);
  ASSERT_EQ(ab_session_add(session, longest.c_str(), 1, 1), AB_OK) << ab_last_error();
  double data[6] = {};
  const std::vector<Refusal> refusals = {
      {[&] { return ab_session_add(nullptr, "x", 1, 1); }, AB_ERROR_INVALID_ARG, "ab_session_add: the session is NULL"},
      {[&] { return ab_session_add(session, nullptr, 1, 1); }, AB_ERROR_INVALID_ARG,
       "ab_session_add: name is NULL, expected the name of a matrix"},
      {[&] { return ab_session_add(session, "", 1, 1); }, AB_ERROR_INVALID_ARG, "ab_session_add: name is empty"},
      {[&] { return ab_session_add(session, longer.c_str(), 1, 1); }, AB_ERROR_INVALID_ARG,
       "ab_session_add: name has 64 bytes, at most 63"},
      {[&] { return ab_session_add(session, "A", 2, 3); }, AB_ERROR_INVALID_ARG,
       "ab_session_add: name is \"A\": the session has a matrix of that name"},
      {[&] { return ab_session_add(session, "x", 0, 1); }, AB_ERROR_INVALID_ARG,
       "ab_session_add: the matrix is 0x1: rows and cols must be positive"},
      {[&] { return ab_session_add(session, "x", 46341, 46341); }, AB_ERROR_INVALID_ARG,
       "ab_session_add: the matrix is 46341x46341: more than 2^31 - 1 elements"},
      {[&] { return ab_session_upload(session, "x", nullptr); }, AB_ERROR_INVALID_ARG,
       "ab_session_upload: data is NULL, expected rows * cols doubles"},
      {[&] { return ab_session_upload(session, "x", data); }, AB_ERROR_INVALID_ARG,
       "ab_session_upload: name is \"x\": the session has no matrix of that name"},
      {[&] { return ab_session_download(session, "A", data); }, AB_ERROR_NOT_UPLOADED,
       "ab_session_download: A has no contents: upload, zero or compute it first"},
      {[&] { return ab_session_dgemm(session, "x", "A", nullptr); }, AB_ERROR_INVALID_ARG,
       "ab_session_dgemm: C is NULL, expected the name of a matrix"},
      {[&] { return ab_session_dgemm(session, "A", "y", "A"); }, AB_ERROR_INVALID_ARG,
       "ab_session_dgemm: B is \"y\": the session has no matrix of that name"},
      {[&] { return ab_session_dgemm(session, "A", "A", "A"); }, AB_ERROR_DIMENSION_MISMATCH,
       "ab_session_dgemm: A is 2x3, B is 2x3: inner dimensions differ"},
      {[&] { return ab_session_zgemm(session, "A", "A", "A", "A", "A", "z"); }, AB_ERROR_INVALID_ARG,
       "ab_session_zgemm: Ci is \"z\": the session has no matrix of that name"}};
  expect_refusals(refusals, {});
  EXPECT_EQ(ab_session_get(session, "x"), nullptr);
  EXPECT_STREQ(ab_last_error(), "ab_session_get: name is \"x\": the session has no matrix of that name");
  EXPECT_EQ(ab_session_get(nullptr, "x"), nullptr);
  EXPECT_EQ(ab_session_get(session, nullptr), nullptr);
  ab_session_destroy(session);
  ab_session_destroy(nullptr);
}

TEST_F(Sessions, AreFullAtTheirCapacity) {
  ABSession session = ab_session_create();
  for (int i = 0; i < AB_SESSION_CAPACITY; ++i) ASSERT_EQ(ab_session_add(session, std::to_string(i).c_str(), 1, 1), AB_OK) << i;
  EXPECT_EQ(ab_session_add(session, "one more", 1, 1), AB_ERROR_INVALID_ARG);
  EXPECT_STREQ(ab_last_error(), "ab_session_add: the session is full: it has 64 matrices");
  EXPECT_NE(ab_session_get(session, "63"), nullptr);
  ab_shutdown();
  EXPECT_EQ(ab_session_upload(session, "0", counted(1, 1).data()), AB_ERROR_NO_DEVICE);
  ab_session_destroy(session);
}

TEST(PoolsAndSessions, AreNotCreatedBeforeInit) {
  EXPECT_EQ(ab_pool_create(0), nullptr);
  EXPECT_STREQ(ab_last_error(), "ab_pool_create: the library is not initialised: call ab_init first");
  EXPECT_EQ(ab_session_create(), nullptr);
  EXPECT_EQ(ab_batch_create(), nullptr);
}

}  // namespace
}  // namespace ab::test
