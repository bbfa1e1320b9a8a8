// SPDX-License-Identifier: MIT
#include "capi/submitted_work.hpp"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstdio>
#include <new>
#include <system_error>
#include <thread>

#include "capi/guarded.hpp"
#include "capi/matrix.hpp"
#include "core/process.hpp"
#include "core/thread_state.hpp"

namespace ab::capi {
namespace {

constinit std::atomic<SubmittedWork*> published{nullptr};
constinit std::atomic<int> unfinished_count{0};  // so that who waits for nothing takes no lock

Completion failed(ABStatus status, const char* text) {
  Completion result;
  result.is_done = true;
  result.status = status;
  std::snprintf(result.error.data(), result.error.size(), "%s", text);
  return result;
}

Completion run(const Work& work) {
  Completion result;
  result.is_done = true;
  result.status = guarded_life(work.function, [&] {
    const FloatEnvironment environment;
    result.report = work.body();
  });
  return result.status == AB_OK ? result : failed(result.status, thread_state().last_error);
}

void drop_promises(const std::vector<ABMatrix_s*>& results) {
  for (ABMatrix_s* matrix : results) --matrix->promises;
}

// Lets go of the matrices that the work held.
void forget_body(Work& work) {
  guarded_life(work.function, [&] { work.body = nullptr; });
}

ABStatus take_over(const Completion& completion) {
  if (completion.status != AB_OK) remember_error(completion.error.data());
  if (completion.report) thread_state().last_product = *completion.report;
  return completion.status;
}

}  // namespace

// Never freed, and no static with a guard: see live_matrices().
SubmittedWork& submitted_work() {
  SubmittedWork* known = published.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto fresh = std::make_unique<SubmittedWork>();
  watch_forks();
  pthread_atfork(nullptr, nullptr, SubmittedWork::give_up_in_child);
  return published.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel) ? *fresh.release() : *known;
}

void wait_for_submitted_work() {
  if (unfinished_count.load(std::memory_order_acquire) != 0) submitted_work().wait_for_all();
}

std::shared_ptr<Completion> SubmittedWork::failed_now(const char* function) {
  const ABStatus status = status_of_caught(function);
  return std::make_shared<Completion>(failed(status, thread_state().last_error));
}

std::shared_ptr<Completion> SubmittedWork::submit(Work work) {
  auto completion = std::make_shared<Completion>();
  if (!is_forked_child() && enqueue(work, completion)) return completion;
  *completion = run(work);
  forget_body(work);
  return completion;
}

// False: there is no thread for it.
bool SubmittedWork::enqueue(Work& work, const std::shared_ptr<Completion>& completion) {
  const LaneName name(work.stream == 0 ? work.device : 0, work.stream);
  std::list<Entry> fresh;
  const std::scoped_lock lock(process_mutex());
  if (!has_thread(name)) return false;
  const std::uint64_t sequence = last_sequence_ + 1;
  fresh.push_back({sequence, {}, completion});
  unfinished_.emplace(sequence, Unfinished{completion, work.results});
  last_sequence_ = sequence;
  for (ABMatrix_s* matrix : work.results) ++matrix->promises;
  fresh.front().work = std::move(work);
  Lane& lane = lanes_.at(name);
  lane.waiting.splice(lane.waiting.end(), fresh);
  ++unfinished_count;
  changed_.notify_all();
  return true;
}

// Signals are the program's: none is handled in a thread that it does not know. Detached: the thread sleeps until its stream or the process
// ends.
bool SubmittedWork::has_thread(const LaneName& name) {
  Lane& lane = lanes_[name];
  if (lane.has_thread) return true;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([this, name] { run_lane(name); }).detach();
    lane.has_thread = true;
  } catch (const std::system_error&) {  // the caller does the work
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return lane.has_thread;
}

void SubmittedWork::run_lane(const LaneName& name) {
  while (true) {
    std::list<Entry> taken;
    {
      std::unique_lock lock(process_mutex());
      Lane& lane = lanes_.at(name);
      changed_.wait(lock, [&] { return lane.ends || !lane.waiting.empty(); });
      if (lane.waiting.empty()) {
        lanes_.erase(name);
        return;
      }
      taken.splice(taken.end(), lane.waiting, lane.waiting.begin());
    }
    complete(taken.front(), run(taken.front().work));
  }
}

// Promises end while the matrices are held, and the end is announced when they are not any more.
void SubmittedWork::complete(Entry& entry, const Completion& result) {
  {
    const std::scoped_lock lock(process_mutex());
    Unfinished& unfinished = unfinished_.at(entry.sequence);
    drop_promises(unfinished.promised);
    unfinished.promised.clear();
  }
  forget_body(entry.work);
  const std::scoped_lock lock(process_mutex());
  *entry.completion = result;
  unfinished_.erase(entry.sequence);
  --unfinished_count;
  changed_.notify_all();
}

void SubmittedWork::end_stream(std::uint64_t stream) {
  const std::scoped_lock lock(process_mutex());
  const auto lane = lanes_.find({0, stream});
  if (lane == lanes_.end()) return;
  if (lane->second.has_thread) {
    lane->second.ends = true;
    changed_.notify_all();
  } else {
    lanes_.erase(lane);
  }
}

void SubmittedWork::wait_for_all() {
  if (unfinished_count.load(std::memory_order_acquire) == 0) return;
  std::unique_lock lock(process_mutex());
  const std::uint64_t last = last_sequence_;
  changed_.wait(lock, [&] { return unfinished_.empty() || unfinished_.begin()->first > last; });
}

void SubmittedWork::wait_until_done(const Completion& completion) {
  std::unique_lock lock(process_mutex());
  changed_.wait(lock, [&] { return completion.is_done; });
}

ABStatus SubmittedWork::wait(const Completion& completion) {
  std::unique_lock lock(process_mutex());
  changed_.wait(lock, [&] { return completion.is_done; });
  return take_over(completion);
}

ABStatus SubmittedWork::status_now(const Completion& completion) {
  const std::scoped_lock lock(process_mutex());
  if (!completion.is_done) return AB_OK;
  if (completion.status != AB_OK) remember_error(completion.error.data());
  return completion.status;
}

bool SubmittedWork::is_done(const Completion& completion) const {
  const std::scoped_lock lock(process_mutex());
  return completion.is_done;
}

// The threads exist in the parent only. What they had not finished fails here; its matrices keep a holder that is gone.
void SubmittedWork::give_up_in_child() {
  SubmittedWork* const known = published.load(std::memory_order_acquire);
  if (known == nullptr) return;
  new (&known->changed_) std::condition_variable;
  for (auto& [sequence, unfinished] : known->unfinished_) {
    *unfinished.completion = failed(AB_ERROR_NO_DEVICE, "the process was forked before this work had ended");
    drop_promises(unfinished.promised);
  }
  known->unfinished_.clear();
  for (auto& [name, lane] : known->lanes_) {
    new std::list<Entry>(std::move(lane.waiting));  // left alone: what it holds of a GPU must not be released here
    lane.waiting.clear();
    lane.has_thread = false;
  }
  unfinished_count.store(0);
}

}  // namespace ab::capi
