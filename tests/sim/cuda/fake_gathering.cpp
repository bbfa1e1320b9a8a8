// SPDX-License-Identifier: MIT
// Streams that are answered only when several of them have work that waits: what shows that they are used at once.
#include <chrono>
#include <condition_variable>

#include "sim/cuda/fake_state.hpp"

namespace ab::test::fake {
namespace {

std::mutex mutex;
std::condition_variable changed;
int wanted = 0, gathered = 0;

bool has_work(const Stream& stream) {
  const std::scoped_lock lock(state().mutex);
  return !stream.work.empty();
}

}  // namespace

void gather_streams(int count) {
  const std::scoped_lock lock(mutex);
  wanted = count, gathered = 0;
}

bool is_gathered(const Stream& stream) {
  if (!has_work(stream)) return true;
  std::unique_lock lock(mutex);
  if (wanted == 0) return true;
  ++gathered;
  changed.notify_all();
  return changed.wait_for(lock, std::chrono::seconds(10), [] { return gathered >= wanted; });
}

}  // namespace ab::test::fake
