// SPDX-License-Identifier: MIT
// Futures: products that may go on after the call.
#include "capi/guarded.hpp"
#include "capi/product.hpp"
#include "capi/submitted_work.hpp"

using ab::capi::Completion;
using ab::capi::fail;
using ab::capi::guarded;
using ab::capi::guarded_life;
using ab::capi::submitted_work;

struct ABFuture_s {
  std::shared_ptr<Completion> completion;
};

namespace {

ab::capi::Work work_of(const char* function, const ab::capi::Request& request) {
  check(request, {.is_defined = ab::capi::is_defined_or_promised});
  auto body = [request, holds = holds_on(request)]() -> std::optional<ab::ProductReport> { return execute(request); };
  return {function, device_of(request), results_of(request), std::move(body)};
}

// A refused call is a future, too: complete, with the error.
ABFuture submit(const char* function, ab::capi::Request request) {
  auto future = std::make_unique<ABFuture_s>();
  request.api = ab::report::Api::Async;
  std::optional<ab::capi::Work> work;
  const ABStatus status = guarded_life(function, [&] {
    try {
      work = work_of(function, request);
    } catch (const ab::Error&) {
      future->completion = ab::capi::SubmittedWork::failed_now(function);
    }
  });
  if (status != AB_OK) throw std::bad_alloc();
  if (work) future->completion = submitted_work().submit(std::move(*work));
  return future.release();
}

const Completion& completion_of(ABFuture future) {
  if (!future) fail(ab::Status::InvalidArgument, "the future is NULL");
  return *future->completion;
}

// The status that `read` finds; where that is an error, it has left the text.
template <class Read>
ABStatus status_by(const char* function, ABFuture future, const Read& read) {
  ABStatus found = AB_OK;
  const ABStatus status = guarded(function, [&] { found = read(completion_of(future)); });
  return status == AB_OK ? found : status;
}

}  // namespace

extern "C" {

ABFuture ab_dgemm_async(ABMatrix A, ABMatrix B, ABMatrix C) {
  ABFuture future = nullptr;
  guarded("ab_dgemm_async", [&] { future = submit("ab_dgemm_async", ab::capi::real_product(A, B, C)); });
  return future;
}

ABFuture ab_zgemm_async(ABMatrix Ar, ABMatrix Ai, ABMatrix Br, ABMatrix Bi, ABMatrix Cr, ABMatrix Ci) {
  ABFuture future = nullptr;
  guarded("ab_zgemm_async", [&] { future = submit("ab_zgemm_async", ab::capi::complex_product(Ar, Ai, Br, Bi, Cr, Ci)); });
  return future;
}

ABStatus ab_future_wait(ABFuture future) {
  return status_by("ab_future_wait", future, [](const Completion& completion) { return submitted_work().wait(completion); });
}

bool ab_future_is_ready(ABFuture future) {
  return !future || submitted_work().is_done(*future->completion);
}

ABStatus ab_future_status(ABFuture future) {
  return status_by("ab_future_status", future, [](const Completion& completion) { return submitted_work().status_now(completion); });
}

void ab_future_destroy(ABFuture future) {
  if (!future) return;
  guarded("ab_future_destroy", [&] {
    const std::unique_ptr<ABFuture_s> owned(future);
    submitted_work().wait_until_done(*owned->completion);
  });
}

}  // extern "C"
