// SPDX-License-Identifier: MIT
// Batches: products that are checked when added and run one after the other when committed; and arrays of products.
#include <new>
#include <unordered_set>

#include "capi/guarded.hpp"
#include "capi/product.hpp"
#include "capi/submitted_work.hpp"
#include "core/thread_state.hpp"

using ab::Status;
using ab::capi::Completion;
using ab::capi::fail;
using ab::capi::guarded;
using ab::capi::guarded_life;
using ab::capi::guarded_operation;
using ab::capi::Hold;
using ab::capi::Request;
using ab::capi::submitted_work;

namespace ab::capi {
namespace {

// Error texts of one of several products say which.
template <class Body>
void with_number(const char* noun, std::size_t number, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    fail(error.status(), std::string(noun) + " " + std::to_string(number) + ": " + error.what());
  }
}

// Products in their order, of which a later one may read what an earlier one writes.
class Sequence {
 public:
  /// Checks as if all before had run; adds it then.
  void add(const Request& request, const Surroundings& around) {
    check(request,
          {.is_defined = [&](const ABMatrix_s& matrix) { return writes(matrix) || around.is_defined(matrix); }, .batch = around.batch});
    if (entries_.size() == entries_.capacity()) entries_.reserve(2 * entries_.size() + 8);
    Entry entry{request, holds_on(request)};
    const std::vector<ABMatrix_s*> results = results_of(request);
    std::vector<ABMatrix_s*> fresh;
    fresh.reserve(results.size());
    try {
      for (ABMatrix_s* result : results) {
        if (results_.insert(result).second) fresh.push_back(result);
      }
    } catch (...) {  // a rejected product leaves the sequence as it was
      for (ABMatrix_s* result : fresh) results_.erase(result);
      throw;
    }
    entries_.push_back(std::move(entry));
  }

  /// Runs all, up to the first that fails; the merger of their reports. Numbers in error texts start at `first_number`.
  std::optional<ProductReport> run(const char* noun, std::size_t first_number) const {
    std::optional<ProductReport> all;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      with_number(noun, i + first_number, [&] {
        const ProductReport report = execute(entries_[i].request);
        all = all ? merged(*all, report) : report;
      });
    }
    return all;
  }
  std::vector<ABMatrix_s*> results() const { return {results_.begin(), results_.end()}; }

 private:
  struct Entry {
    Request request;
    std::vector<Hold> holds;
  };
  bool writes(const ABMatrix_s& matrix) const { return results_.contains(const_cast<ABMatrix_s*>(&matrix)); }

  std::vector<Entry> entries_;
  std::unordered_set<ABMatrix_s*> results_;
};

}  // namespace
}  // namespace ab::capi

struct ABBatch_s {
  std::shared_ptr<ab::ops::Context> context;
  std::shared_ptr<ab::capi::Sequence> sequence;  // null after the commit
  std::shared_ptr<Completion> completion;        // null before
};

namespace {

void require_batch(ABBatch batch) {
  if (!batch) fail(Status::InvalidArgument, "the batch is NULL");
}

void require_open(ABBatch batch) {
  if (batch->completion) fail(Status::InvalidArgument, "the batch is committed already");
}

ABStatus add(const char* function, ABBatch batch, const Request& given) {
  return guarded_life(function, [&] {
    require_batch(batch);
    require_handles(given);
    require_open(batch);
    Request request = given;
    request.api = ab::report::Api::Batch;
    batch->sequence->add(request, {.is_defined = ab::capi::is_defined_or_promised, .batch = batch->context.get()});
  });
}

ab::capi::Work work_of(ABBatch batch) {
  const std::shared_ptr<const ab::capi::Sequence> sequence = batch->sequence;
  auto body = [sequence] { return sequence->run("operation", 1); };
  return {"ab_batch_wait", ab::ops::index_of(*batch->context), sequence->results(), std::move(body)};
}

// Entries of arrays: all are checked before any runs.
template <class Make>
ABStatus run_arrays(const char* function, int count, std::initializer_list<std::pair<const char*, ABMatrix*>> arrays, const Make& make) {
  return guarded_operation(function, [&] {
    if (count <= 0) return;
    for (const auto& [name, array] : arrays) {
      if (!array) fail(Status::InvalidArgument, std::string(name) + " is NULL, expected an array of matrices");
      for (int i = 0; i < count; ++i) {
        if (!array[i]) fail(Status::InvalidArgument, std::string(name) + "[" + std::to_string(i) + "] is NULL, expected a matrix");
      }
    }
    ab::capi::Sequence sequence;
    for (int i = 0; i < count; ++i) {
      ab::capi::with_number("entry", static_cast<std::size_t>(i), [&] { sequence.add(make(i), {}); });
    }
    if (const auto report = sequence.run("entry", 0)) ab::thread_state().last_product = *report;
  });
}

}  // namespace

extern "C" {

ABBatch ab_batch_create(void) {
  ABBatch batch = nullptr;
  guarded("ab_batch_create", [&] {
    auto made = std::make_unique<ABBatch_s>();
    made->context = ab::capi::context_for_creation();
    made->sequence = std::make_shared<ab::capi::Sequence>();
    batch = made.release();
  });
  return batch;
}

void ab_batch_destroy(ABBatch batch) {
  if (!batch) return;
  guarded("ab_batch_destroy", [&] {
    if (batch->completion) submitted_work().wait_until_done(*batch->completion);
  });
  guarded_life("ab_batch_destroy", [&] { delete batch; });
}

ABStatus ab_batch_dgemm(ABBatch batch, ABMatrix A, ABMatrix B, ABMatrix C) {
  return add("ab_batch_dgemm", batch, ab::capi::real_product(A, B, C));
}

ABStatus ab_batch_dgemm_scaled(ABBatch batch, double alpha, ABMatrix A, ABMatrix B, double beta, ABMatrix C) {
  Request request = ab::capi::real_product(A, B, C);
  request.alpha = alpha;
  request.beta = beta;
  return add("ab_batch_dgemm_scaled", batch, request);
}

ABStatus ab_batch_zgemm(ABBatch batch, ABMatrix Ar, ABMatrix Ai, ABMatrix Br, ABMatrix Bi, ABMatrix Cr, ABMatrix Ci) {
  return add("ab_batch_zgemm", batch, ab::capi::complex_product(Ar, Ai, Br, Bi, Cr, Ci));
}

// Operations run one after the other as it is: there is nothing to do but to say what is wrong.
ABStatus ab_batch_barrier(ABBatch batch) {
  return guarded("ab_batch_barrier", [&] {
    require_batch(batch);
    require_open(batch);
    ab::capi::require_alive_batch(*batch->context);
  });
}

ABStatus ab_batch_commit(ABBatch batch) {
  std::optional<ab::capi::Work> work;
  const ABStatus status = guarded_life("ab_batch_commit", [&] {
    require_batch(batch);
    require_open(batch);
    ab::capi::require_alive_batch(*batch->context);
    work = work_of(batch);
  });
  if (status != AB_OK) return status;
  const ABStatus submitted = guarded("ab_batch_commit", [&] { batch->completion = submitted_work().submit(std::move(*work)); });
  if (submitted != AB_OK) return submitted;
  return guarded_life("ab_batch_commit", [&] { batch->sequence.reset(); });  // perhaps the last to hold the operands
}

ABStatus ab_batch_wait(ABBatch batch) {
  ABStatus found = AB_OK;
  const ABStatus status = guarded("ab_batch_wait", [&] {
    require_batch(batch);
    if (!batch->completion) fail(Status::InvalidArgument, "the batch is open: commit it first");
    found = submitted_work().wait(*batch->completion);
  });
  return status == AB_OK ? found : status;
}

ABStatus ab_dgemm_batched(int count, ABMatrix* As, ABMatrix* Bs, ABMatrix* Cs) {
  return run_arrays("ab_dgemm_batched", count, {{"As", As}, {"Bs", Bs}, {"Cs", Cs}},
                    [&](int i) { return ab::capi::real_product(As[i], Bs[i], Cs[i]); });
}

ABStatus ab_zgemm_batched(int count, ABMatrix* Ars, ABMatrix* Ais, ABMatrix* Brs, ABMatrix* Bis, ABMatrix* Crs, ABMatrix* Cis) {
  return run_arrays("ab_zgemm_batched", count, {{"Ars", Ars}, {"Ais", Ais}, {"Brs", Brs}, {"Bis", Bis}, {"Crs", Crs}, {"Cis", Cis}},
                    [&](int i) { return ab::capi::complex_product(Ars[i], Ais[i], Brs[i], Bis[i], Crs[i], Cis[i]); });
}

}  // extern "C"
