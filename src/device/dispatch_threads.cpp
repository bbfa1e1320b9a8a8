// SPDX-License-Identifier: MIT
// `share` by Apple's own scheduler, for macOS without oneTBB: its threads block signals of themselves.
#include <dispatch/dispatch.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "core/float_environment.hpp"
#include "core/process.hpp"
#include "device/threads.hpp"

namespace ab::device {
namespace {

constexpr Index worth_sharing = 200000;  // as in threads.cpp

struct Shared {
  const std::function<void(Index, Index)>& body;
  const Index count, grain;
  std::atomic<Index> next{0};
  std::mutex mutex;
  std::exception_ptr failure;  // guarded by mutex; of the first body that threw
};

void run_pieces(void* state, std::size_t) {
  auto& shared = *static_cast<Shared*>(state);
  const FloatEnvironment standard;
  for (;;) {
    const Index first = shared.next.fetch_add(shared.grain);
    if (first >= shared.count) return;
    try {
      shared.body(first, std::min(first + shared.grain, shared.count));
    } catch (...) {
      const std::scoped_lock lock(shared.mutex);
      if (!shared.failure) shared.failure = std::current_exception();
      shared.next = shared.count;
    }
  }
}

}  // namespace

void share(Index count, Index work, int threads, const std::function<void(Index, Index)>& body) {
  if (count <= 0) return;
  const FloatEnvironment standard;
  if (threads <= 1 || count == 1 || work < worth_sharing || is_forked_child()) {
    body(0, count);
    return;
  }
  Shared shared{body, count, std::max<Index>(1, count / (8 * threads)), {}, {}, {}};
  dispatch_apply_f(static_cast<std::size_t>(threads), DISPATCH_APPLY_AUTO, &shared, run_pieces);
  if (shared.failure) std::rethrow_exception(shared.failure);
}

}  // namespace ab::device
