// SPDX-License-Identifier: MIT
// Work that goes on after the call that asked for it: one thread a device runs it in the order of submission, and one thread a stream what
// belongs to that. Everything else in the library that touches matrices waits for it first (guarded_operation), so a caller sees one order.
#pragma once
#include <array>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apple_bottom.h"
#include "core/product.hpp"

struct ABMatrix_s;

namespace ab::capi {

/// What became of a piece of work. Written once, under the process mutex.
struct Completion {
  bool is_done = false;
  ABStatus status = AB_OK;
  std::array<char, 512> error{};  // for ab_last_error of whoever waits
  std::optional<ProductReport> report;
};

struct Work {
  const char* function;              // in error texts
  int device;                        // index
  std::vector<ABMatrix_s*> results;  // count as defined from submission on
  std::function<std::optional<ProductReport>()> body;
  std::uint64_t stream = 0;  // 0: in the order of the device, whose number counts only then
};

class SubmittedWork {
 public:
  /// Not within an operation. Runs at once where there can be no thread: in a forked child, or when the system gives none.
  std::shared_ptr<Completion> submit(Work work);
  /// A piece of work that has failed before it could begin: the exception being caught.
  static std::shared_ptr<Completion> failed_now(const char* function);
  /// Waits for what was submitted before the call.
  void wait_for_all();
  /// Waits, and takes over: the report into this thread's last product, or the error into its last error.
  ABStatus wait(const Completion& completion);
  void wait_until_done(const Completion& completion);
  /// The same as `wait` of what is known now; AB_OK while it is not done.
  ABStatus status_now(const Completion& completion);
  bool is_done(const Completion& completion) const;
  /// Its thread ends; all its work is done.
  void end_stream(std::uint64_t stream);

 private:
  friend SubmittedWork& submitted_work();
  struct Entry {
    std::uint64_t sequence;
    Work work;
    std::shared_ptr<Completion> completion;
  };
  struct Lane {  // of one device, or of one stream
    std::list<Entry> waiting;
    bool has_thread = false;
    bool ends = false;
  };
  using LaneName = std::pair<int, std::uint64_t>;  // device and 0, or 0 and stream
  struct Unfinished {
    std::shared_ptr<Completion> completion;
    std::vector<ABMatrix_s*> promised;
  };
  bool has_thread(const LaneName& name);
  bool enqueue(Work& work, const std::shared_ptr<Completion>& completion);
  void run_lane(const LaneName& name);
  void complete(Entry& entry, const Completion& result);
  static void give_up_in_child();

  // All under the process mutex, so that a forked child finds it whole.
  std::map<LaneName, Lane> lanes_;
  std::map<std::uint64_t, Unfinished> unfinished_;  // by sequence
  std::uint64_t last_sequence_ = 0;
  std::condition_variable changed_;
};

/// The one instance, never destroyed.
SubmittedWork& submitted_work();

}  // namespace ab::capi
