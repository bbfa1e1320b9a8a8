// SPDX-License-Identifier: MIT
// Batches: states, order, what counts as defined, reports; arrays of products.
#include <cmath>
#include <thread>

#include "capi/matrix.hpp"
#include "handles.hpp"

namespace ab::test {
namespace {

using Batches = Initialized;
using Values = std::vector<double>;

class Batch {
 public:
  Batch() : handle_(ab_batch_create()) { EXPECT_NE(handle_, nullptr) << ab_last_error(); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() { ab_batch_destroy(handle_); }
  operator ABBatch() const { return handle_; }

 private:
  ABBatch handle_;
};

Values roots(int rows, int cols) {
  Values values = counted(rows, cols);
  for (double& value : values) value = std::sqrt(value);
  return values;
}

TEST_F(Batches, RunInTheOrderOfAddingWithTheBitsOfSingleCalls) {
  for (const bool barriers : {false, true}) {
    const Values data = roots(9, 9);
    const Matrix a(9, 9, data), c(9, 9), d(9, 9), e(9, 9), f(9, 9), want_c(9, 9), want_d(9, 9), want_e(9, 9), want_f(9, 9);
    ASSERT_EQ(ab_dgemm(a, a, want_c), AB_OK);
    ASSERT_EQ(ab_dgemm(want_c, a, want_d), AB_OK);
    ASSERT_EQ(ab_dgemm_scaled(0.5, a, a, -2.0, want_d), AB_OK);
    ASSERT_EQ(ab_zgemm(want_d, a, a, want_c, want_e, want_f), AB_OK);
    const Batch batch;
    EXPECT_EQ(ab_batch_dgemm(batch, a, a, c), AB_OK);
    EXPECT_EQ(barriers ? ab_batch_barrier(batch) : AB_OK, AB_OK);
    EXPECT_EQ(ab_batch_dgemm(batch, c, a, d), AB_OK) << ab_last_error();  // c has no contents yet
    EXPECT_EQ(ab_batch_dgemm_scaled(batch, 0.5, a, a, -2.0, d), AB_OK) << ab_last_error();
    EXPECT_EQ(barriers ? ab_batch_barrier(batch) : AB_OK, AB_OK);
    EXPECT_EQ(ab_batch_zgemm(batch, d, a, a, c, e, f), AB_OK) << ab_last_error();
    EXPECT_FALSE(c.contents());  // nothing has run
    ASSERT_EQ(ab_batch_commit(batch), AB_OK);
    ASSERT_EQ(ab_batch_wait(batch), AB_OK) << ab_last_error();
    EXPECT_EQ(ab_batch_wait(batch), AB_OK);
    EXPECT_EQ(c.words(), want_c.words());
    EXPECT_EQ(d.words(), want_d.words());
    EXPECT_EQ(e.words(), want_e.words());
    EXPECT_EQ(f.words(), want_f.words());
  }
}

// State by call: what each says, and that it changes nothing when refused.
TEST_F(Batches, StatesAreOpenThenCommitted) {
  const Matrix a(2, 2, {1, 2, 3, 4}), c(2, 2);
  const Batch batch, empty;
  EXPECT_EQ(ab_batch_wait(batch), AB_ERROR_INVALID_ARG);
  EXPECT_STREQ(ab_last_error(), "ab_batch_wait: the batch is open: commit it first");
  EXPECT_EQ(ab_batch_dgemm(batch, a, a, c), AB_OK);
  EXPECT_EQ(ab_batch_commit(batch), AB_OK);
  const std::vector<std::pair<std::function<ABStatus()>, std::string>> closed = {
      {[&] { return ab_batch_dgemm(batch, a, a, c); }, "ab_batch_dgemm"},
      {[&] { return ab_batch_dgemm_scaled(batch, 1, a, a, 1, c); }, "ab_batch_dgemm_scaled"},
      {[&] { return ab_batch_zgemm(batch, a, a, a, a, c, c); }, "ab_batch_zgemm"},
      {[&] { return ab_batch_barrier(batch); }, "ab_batch_barrier"},
      {[&] { return ab_batch_commit(batch); }, "ab_batch_commit"}};
  for (const auto& [call, name] : closed) {
    EXPECT_EQ(call(), AB_ERROR_INVALID_ARG);
    EXPECT_EQ(ab_last_error(), name + ": the batch is committed already");
  }
  EXPECT_EQ(ab_batch_wait(batch), AB_OK);
  EXPECT_EQ(c.contents(), (Values{7, 10, 15, 22}));
  EXPECT_EQ(ab_batch_commit(empty), AB_OK);
  EXPECT_EQ(ab_batch_wait(empty), AB_OK);
}

TEST_F(Batches, ARejectedOperationLeavesTheBatchAsItWas) {
  const Matrix a(2, 2, {1, 2, 3, 4}), odd(3, 2, counted(3, 2)), c(2, 2), never(2, 2);
  const Batch batch;
  ASSERT_EQ(ab_batch_dgemm(batch, a, a, c), AB_OK);
  EXPECT_EQ(ab_batch_dgemm(batch, a, odd, never), AB_ERROR_DIMENSION_MISMATCH);
  EXPECT_EQ(ab_batch_dgemm(batch, never, a, c), AB_ERROR_NOT_UPLOADED);  // the rejected one defines nothing
  EXPECT_EQ(ab_batch_dgemm_scaled(batch, 1, a, a, 1, never), AB_ERROR_NOT_UPLOADED);
  EXPECT_EQ(ab_batch_dgemm(batch, a, c, c), AB_ERROR_INVALID_ARG);
  ASSERT_EQ(ab_batch_commit(batch), AB_OK);
  ASSERT_EQ(ab_batch_wait(batch), AB_OK);
  EXPECT_EQ(c.contents(), (Values{7, 10, 15, 22}));
  EXPECT_FALSE(never.contents());
  EXPECT_EQ(ab_get_stats().dgemm_count, 1u);
}

TEST_F(Batches, DestroyedOpenRunsNothingAndCommittedWaits) {
  const Matrix a(2, 2, {1, 2, 3, 4}), c(2, 2), d(2, 2);
  {
    const Batch open, committed;
    ASSERT_EQ(ab_batch_dgemm(open, a, a, c), AB_OK);
    ASSERT_EQ(ab_batch_dgemm(committed, a, a, d), AB_OK);
    ASSERT_EQ(ab_batch_commit(committed), AB_OK);
  }
  EXPECT_FALSE(c.contents());
  EXPECT_EQ(d.contents(), (Values{7, 10, 15, 22}));
  ab_batch_destroy(nullptr);
}

TEST_F(Batches, OperandsMayBeDestroyedBeforeTheWorkIsDone) {
  ABMatrix a = ab_matrix_create(2, 2);
  const double data[] = {1, 2, 3, 4};
  ASSERT_EQ(ab_matrix_upload(a, data, true), AB_OK);
  const Matrix c(2, 2);
  const Batch batch;
  ASSERT_EQ(ab_batch_dgemm(batch, a, a, c), AB_OK);
  ab_matrix_destroy(a);
  ASSERT_EQ(ab_batch_commit(batch), AB_OK);
  EXPECT_EQ(ab_batch_wait(batch), AB_OK);
  EXPECT_EQ(c.contents(), (Values{7, 10, 15, 22}));
}

TEST_F(Batches, TheReportIsTheMergerAndTheClassThatOfAdding) {
  const Matrix a(3, 3, roots(3, 3)), long_a(3, 200, roots(3, 200)), long_b(200, 3, roots(200, 3)), c(3, 3), d(3, 3);
  const Batch batch;
  ASSERT_EQ(ab_set_precision(AB_PRECISION_STRICT), AB_OK);
  ASSERT_EQ(ab_batch_dgemm(batch, a, a, c), AB_OK);
  ASSERT_EQ(ab_batch_dgemm(batch, long_a, long_b, d), AB_OK);
  ASSERT_EQ(ab_set_precision(AB_PRECISION_DD), AB_OK);
  ASSERT_EQ(ab_batch_commit(batch), AB_OK);
  std::thread([&] {
    ABProduct product = {}, single = {};
    product.struct_size = single.struct_size = sizeof product;
    EXPECT_EQ(ab_batch_wait(batch), AB_OK);
    EXPECT_EQ(ab_last_product(&product), AB_OK);
    EXPECT_EQ(product.precision, AB_PRECISION_STRICT);
    EXPECT_EQ(ab_set_precision(AB_PRECISION_STRICT), AB_OK);
    double bound = 0;
    int moduli = 0;
    for (const auto& [x, y] : {std::pair<ABMatrix, ABMatrix>(a, a), std::pair<ABMatrix, ABMatrix>(long_a, long_b)}) {
      EXPECT_EQ(ab_dgemm(x, y, d), AB_OK);
      EXPECT_EQ(ab_last_product(&single), AB_OK);
      bound = std::max(bound, single.bound);
      moduli = std::max(moduli, single.moduli);
    }
    EXPECT_EQ(product.bound, bound);
    EXPECT_EQ(product.moduli, moduli);
  }).join();
  ASSERT_EQ(ab_set_precision(AB_PRECISION_DEFAULT), AB_OK);
}

TEST_F(Batches, ABatchFromBeforeAShutdownIsGone) {
  const Batch batch, done;
  ASSERT_EQ(ab_batch_commit(done), AB_OK);
  const Matrix a(2, 2, {1, 2, 3, 4}), c(2, 2);
  ASSERT_EQ(ab_batch_dgemm(batch, a, a, c), AB_OK);
  ab_shutdown();
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(ab_batch_dgemm(batch, a, a, c), AB_ERROR_NO_DEVICE);
    EXPECT_EQ(ab_batch_barrier(batch), AB_ERROR_NO_DEVICE);
    EXPECT_EQ(ab_batch_commit(batch), AB_ERROR_NO_DEVICE);
    EXPECT_STREQ(ab_last_error(), "ab_batch_commit: the batch is from before ab_shutdown, or on a device that cannot be used");
    EXPECT_EQ(ab_batch_wait(done), AB_OK);
    ASSERT_EQ(ab_init(), AB_OK);
  }
}

TEST_F(Batches, ArraysAreTheSingleCallsInIndexOrder) {
  const Matrix a(2, 3, counted(2, 3)), b(3, 2, counted(3, 2)), small(1, 1, {3}), c(2, 2), d(1, 1), e(2, 2);
  ABMatrix as[] = {a, small, c}, bs[] = {b, small, c}, cs[] = {c, d, e};  // the third reads the first's result
  ASSERT_EQ(ab_dgemm_batched(3, as, bs, cs), AB_OK) << ab_last_error();
  EXPECT_EQ(c.contents(), (Values{22, 28, 49, 64}));
  EXPECT_EQ(d.contents(), (Values{9}));
  EXPECT_EQ(e.contents(), (Values{22 * 22 + 28 * 49, 22 * 28 + 28 * 64, 49 * 22 + 64 * 49, 49 * 28 + 64 * 64}));
  const Matrix re(1, 1), im(1, 1);
  ABMatrix ars[] = {small}, crs[] = {re}, cis[] = {im};
  ASSERT_EQ(ab_zgemm_batched(1, ars, ars, ars, ars, crs, cis), AB_OK) << ab_last_error();
  EXPECT_EQ(re.contents(), (Values{0}));
  EXPECT_EQ(im.contents(), (Values{18}));
  EXPECT_EQ(ab_get_stats().dgemm_count, 3u);
  EXPECT_EQ(ab_get_stats().zgemm_count, 1u);
}

TEST_F(Batches, ArraysAreCheckedWholeBeforeAnythingRuns) {
  const Matrix a(2, 2, {1, 2, 3, 4}), odd(3, 3, counted(3, 3)), empty(2, 2), c(2, 2), d(2, 2);
  ABMatrix as[] = {a, a}, with_null[] = {a, nullptr}, with_odd[] = {a, odd}, with_empty[] = {a, empty}, cs[] = {c, d};
  EXPECT_EQ(ab_dgemm_batched(0, nullptr, nullptr, nullptr), AB_OK);
  EXPECT_EQ(ab_zgemm_batched(-1, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr), AB_OK);
  const std::vector<Refusal> refusals = {{[&] { return ab_dgemm_batched(2, nullptr, as, cs); }, AB_ERROR_INVALID_ARG,
                                          "ab_dgemm_batched: As is NULL, expected an array of matrices"},
                                         {[&] { return ab_dgemm_batched(2, with_odd, with_null, cs); }, AB_ERROR_INVALID_ARG,
                                          "ab_dgemm_batched: Bs[1] is NULL, expected a matrix"},
                                         {[&] { return ab_dgemm_batched(2, as, with_odd, cs); }, AB_ERROR_DIMENSION_MISMATCH,
                                          "ab_dgemm_batched: entry 1: A is 2x2, B is 3x3: inner dimensions differ"},
                                         {[&] { return ab_dgemm_batched(2, as, with_empty, cs); }, AB_ERROR_NOT_UPLOADED,
                                          "ab_dgemm_batched: entry 1: B has no contents: upload, zero or compute it first"},
                                         {[&] { return ab_zgemm_batched(2, as, as, as, as, cs, cs); }, AB_ERROR_INVALID_ARG,
                                          "ab_zgemm_batched: entry 0: Cr and Ci are the same matrix: outputs must differ"}};
  expect_refusals(refusals, {&a, &odd, &empty, &c, &d});
}

// Device memory that products hold after a batch of `count` products of the same size, in a library opened for it alone.
std::uint64_t peak_of_batch(int count) {
  ab_shutdown();
  EXPECT_EQ(ab_init(), AB_OK);
  const Matrix a(60, 60, roots(60, 60));
  std::vector<std::unique_ptr<Matrix>> results;
  const Batch batch;
  for (int i = 0; i < count; ++i) {
    results.push_back(std::make_unique<Matrix>(60, 60));
    EXPECT_EQ(ab_batch_dgemm(batch, a, a, *results.back()), AB_OK);
  }
  EXPECT_EQ(ab_batch_commit(batch), AB_OK);
  EXPECT_EQ(ab_batch_wait(batch), AB_OK);
  return ops::memory_use(*static_cast<ABMatrix>(a)->context).peak_bytes;
}

TEST_F(Batches, TemporariesAreSharedNotMultiplied) {
  const std::uint64_t one = peak_of_batch(1);
  EXPECT_GT(one, 60u * 60u * 8u);
  EXPECT_EQ(peak_of_batch(20), one);
}

}  // namespace
}  // namespace ab::test
