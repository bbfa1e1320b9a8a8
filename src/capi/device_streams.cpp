// SPDX-License-Identifier: MIT
// Streams of the device-buffer API: each has a thread and, on every device that it is used on, a queue of its own, so their copies overlap.
// The default stream is that of the device's futures and batches.
#include <atomic>
#include <list>
#include <mutex>

#include "capi/arguments.hpp"
#include "capi/device_buffer.hpp"
#include "capi/guarded.hpp"
#include "capi/submitted_work.hpp"
#include "core/process.hpp"

using ab::Status;
using ab::capi::Completion;
using ab::capi::guarded;
using ab::capi::guarded_life;
using ab::capi::require_buffer;
using ab::capi::require_range;
using ab::capi::submitted_work;

namespace ab::capi {
namespace {

class Submissions {
 public:
  void add(std::shared_ptr<Completion> completion) {
    std::list<std::shared_ptr<Completion>> one;
    one.push_back(std::move(completion));
    const std::scoped_lock lock(process_mutex());
    while (!unfinished_.empty() && unfinished_.front()->is_done && unfinished_.front()->status == AB_OK) unfinished_.pop_front();
    unfinished_.splice(unfinished_.end(), one);
  }
  /// Waits for all; the first failure, with its text for this thread. Several threads may wait for the default stream: what one waits for
  /// stays here for the others until it is done.
  ABStatus wait() {
    std::list<std::shared_ptr<Completion>> waited, gone;
    {
      const std::scoped_lock lock(process_mutex());
      waited = unfinished_;
    }
    ABStatus first = AB_OK;
    for (const auto& completion : waited) {
      if (first == AB_OK) {
        first = submitted_work().wait(*completion);
      } else {
        submitted_work().wait_until_done(*completion);
      }
    }
    const std::scoped_lock lock(process_mutex());
    for (const auto& completion : waited) {  // in order, and others take from the front only
      if (!unfinished_.empty() && unfinished_.front() == completion) gone.splice(gone.end(), unfinished_, unfinished_.begin());
    }
    return first;
  }

 private:
  std::list<std::shared_ptr<Completion>> unfinished_;  // under the process mutex, so that a forked child finds it whole
};

// From 1 on.
std::uint64_t new_stream() {
  static constinit std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// The default stream, of all threads; never destroyed, and no static with a guard: see live_matrices().
constinit std::atomic<Submissions*> published{nullptr};
Submissions& default_submissions() {
  Submissions* known = published.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto fresh = std::make_unique<Submissions>();
  return published.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel) ? *fresh.release() : *known;
}

}  // namespace
}  // namespace ab::capi

struct ab_dev_stream_s {
  std::uint64_t number = ab::capi::new_stream();
  ab::capi::Submissions submissions;
};

namespace {

ab::capi::Submissions& submissions_of(ab_dev_stream_t stream) {
  return stream ? stream->submissions : ab::capi::default_submissions();
}

ab::device::Queue& queue_of(std::uint64_t stream, ab_dev_buffer_t buffer) {
  return stream == 0 ? ab::capi::queue_of(buffer) : ab::ops::queue_of_stream(*buffer->storage->context, stream);
}

// The copy, when its turn has come.
template <class Copy>
ab::capi::Work work_of(const char* function, const ab::capi::BufferArgument& buffer, ab_dev_stream_t stream, const Copy& copy) {
  ABMatrix_s& storage = *buffer.buffer->storage;
  const std::uint64_t number = stream ? stream->number : 0;
  // The buffer may be freed before: its storage is held, and copied here is what says where it is.
  auto body = [name = buffer.name, copy, number, seen = *buffer.buffer,
               hold = ab::capi::Hold(storage)]() mutable -> std::optional<ab::ProductReport> {
    ab::capi::require_usable_buffer({name, &seen});
    copy(queue_of(number, &seen), &seen);
    return std::nullopt;
  };
  return {function, ab::ops::index_of(*storage.context), {}, std::move(body), number};
}

template <class Check, class Copy>
ABStatus submit(const char* function, const ab::capi::BufferArgument& buffer, ab_dev_stream_t stream, const Check& check,
                const Copy& copy) {
  std::optional<ab::capi::Work> work;
  const ABStatus status = guarded_life(function, [&] {
    if (!check()) return;
    require_usable_buffer(buffer);
    work = work_of(function, buffer, stream, copy);
  });
  if (status != AB_OK || !work) return status;
  return guarded(function, [&] { submissions_of(stream).add(submitted_work().submit(std::move(*work))); });
}

}  // namespace

extern "C" {

ABStatus ab_dev_memcpy_h2d_async(ab_dev_buffer_t dst, size_t dst_offset, const void* src, size_t nbytes, ab_dev_stream_t stream) {
  const auto check = [&] {
    require_buffer({"dst", dst});
    ab::capi::require_pointer("src", src);
    require_range({"dst", dst}, dst_offset, nbytes);
    return nbytes > 0;
  };
  return submit("ab_dev_memcpy_h2d_async", {"dst", dst}, stream, check, [=](ab::device::Queue& queue, ab_dev_buffer_t to) {
    ab::capi::copy_in(queue, {to, dst_offset}, src, {nbytes, 1, 0, 0});
  });
}

ABStatus ab_dev_memcpy_d2h_async(void* dst, ab_dev_buffer_t src, size_t src_offset, size_t nbytes, ab_dev_stream_t stream) {
  const auto check = [&] {
    ab::capi::require_pointer("dst", dst);
    require_buffer({"src", src});
    require_range({"src", src}, src_offset, nbytes);
    return nbytes > 0;
  };
  return submit("ab_dev_memcpy_d2h_async", {"src", src}, stream, check, [=](ab::device::Queue& queue, ab_dev_buffer_t from) {
    ab::capi::copy_out(queue, dst, {from, src_offset}, {nbytes, 1, 0, 0});
  });
}

ab_dev_stream_t ab_dev_stream_create(void) {
  ab_dev_stream_t stream = nullptr;
  guarded_life("ab_dev_stream_create", [&] {
    ab::ops::initialize();
    stream = new ab_dev_stream_s;
  });
  return stream;
}

void ab_dev_stream_destroy(ab_dev_stream_t stream) {
  if (!stream) return;
  guarded("ab_dev_stream_destroy", [&] {
    const std::unique_ptr<ab_dev_stream_s> owned(stream);
    stream->submissions.wait();
    submitted_work().end_stream(stream->number);
    ab::ops::close_stream(stream->number);
  });
}

ABStatus ab_dev_stream_sync(ab_dev_stream_t stream) {
  ABStatus found = AB_OK;
  const ABStatus status = guarded("ab_dev_stream_sync", [&] { found = submissions_of(stream).wait(); });
  return status == AB_OK ? found : status;
}

}  // extern "C"
