// SPDX-License-Identifier: MIT
#include "report/ledger.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

namespace ab::report {
namespace {

// Written by its thread alone, read by whoever writes a report: relaxed loads and stores, no read-modify-write.
template <class Number>
class Tally {
 public:
  void add(Number amount) { value_.store(get() + amount, std::memory_order_relaxed); }
  Number get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Number> value_{0};
};

struct Entry {
  const char* routine;  // these four are fixed before the entry is published by `used`
  Engine engine;
  Method method;
  Reason reason;
  Tally<std::uint64_t> calls, elapsed_ns;
  Tally<double> flops;
  Tally<std::uint64_t> m, n, k;
};

struct Block {
  static constexpr int capacity = 24;  // chosen: most threads see fewer kinds of calls
  std::array<Entry, capacity> entries{};
  std::atomic<int> used{0};
  std::atomic<Block*> more{nullptr};
};

struct ThreadLedger {
  Block first;
  std::array<Tally<std::uint64_t>, static_cast<std::size_t>(Reason::Count)> declines{};
  Tally<std::uint64_t> escalations;
  std::atomic<bool> taken{true};  // by a living thread
  ThreadLedger* next = nullptr;   // fixed before the ledger is published
};

// Ledgers are never freed: one whose thread has ended keeps its counts and is taken over by a later thread.
constinit std::atomic<ThreadLedger*> all_ledgers{nullptr};
constinit thread_local ThreadLedger* own_ledger = nullptr;

struct GivenBackAtThreadExit {
  ~GivenBackAtThreadExit() {
    if (own_ledger != nullptr) own_ledger->taken.store(false, std::memory_order_release);
    own_ledger = nullptr;
  }
};

ThreadLedger* take_ledger() {
  static thread_local GivenBackAtThreadExit at_thread_exit;
  (void)at_thread_exit;
  for (ThreadLedger* ledger = all_ledgers.load(std::memory_order_acquire); ledger != nullptr; ledger = ledger->next) {
    bool free = false;
    if (ledger->taken.compare_exchange_strong(free, true, std::memory_order_acq_rel)) return ledger;
  }
  auto* fresh = new (std::nothrow) ThreadLedger;
  if (fresh == nullptr) return nullptr;
  fresh->next = all_ledgers.load(std::memory_order_relaxed);
  while (!all_ledgers.compare_exchange_weak(fresh->next, fresh, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return fresh;
}

bool is_for(const Entry& entry, const Call& call) {
  return entry.routine == call.routine && entry.engine == call.product.engine && entry.reason == reason_of(call.product) &&
         entry.method == method_of(call.product.scheme);
}

Entry* entry_for(ThreadLedger& ledger, const Call& call) {
  for (Block* block = &ledger.first;;) {
    const int used = block->used.load(std::memory_order_relaxed);
    for (int i = 0; i < used; ++i) {
      if (is_for(block->entries[static_cast<std::size_t>(i)], call)) return &block->entries[static_cast<std::size_t>(i)];
    }
    if (used < Block::capacity) {
      Entry& entry = block->entries[static_cast<std::size_t>(used)];
      entry.routine = call.routine;
      entry.engine = call.product.engine;
      entry.method = method_of(call.product.scheme);
      entry.reason = reason_of(call.product);
      block->used.store(used + 1, std::memory_order_release);
      return &entry;
    }
    Block* more = block->more.load(std::memory_order_relaxed);
    if (more == nullptr) {
      more = new (std::nothrow) Block;
      if (more == nullptr) return nullptr;
      block->more.store(more, std::memory_order_release);
    }
    block = more;
  }
}

void add_entry(Totals& totals, const Entry& entry) {
  const auto same = [&](const LedgerLine& line) {
    return std::strcmp(line.routine, entry.routine) == 0 && line.engine == entry.engine && line.method == entry.method &&
           line.reason == entry.reason;
  };
  auto line = std::find_if(totals.lines.begin(), totals.lines.end(), same);
  if (line == totals.lines.end()) {
    line = totals.lines.insert(line, {.routine = entry.routine, .engine = entry.engine, .method = entry.method, .reason = entry.reason});
  }
  line->calls += entry.calls.get();
  line->elapsed_ns += entry.elapsed_ns.get();
  line->flops += entry.flops.get();
  line->m += entry.m.get();
  line->n += entry.n.get();
  line->k += entry.k.get();
  totals.calls += entry.calls.get();
  totals.elapsed_ns += entry.elapsed_ns.get();
}

}  // namespace

void count_call(const Call& call, std::uint64_t elapsed_ns) noexcept {
  if (own_ledger == nullptr) own_ledger = take_ledger();
  Entry* entry = own_ledger != nullptr ? entry_for(*own_ledger, call) : nullptr;
  if (entry == nullptr) return;
  const double flops_per_term = static_cast<double>(call.products) * (call.complex ? 8 : 2);
  entry->calls.add(1);
  entry->elapsed_ns.add(elapsed_ns);
  entry->flops.add(flops_per_term * static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k));
  entry->m.add(static_cast<std::uint64_t>(call.m));
  entry->n.add(static_cast<std::uint64_t>(call.n));
  entry->k.add(static_cast<std::uint64_t>(call.k));
  if (call.product.fallback_reason != Reason::None) own_ledger->declines[static_cast<std::size_t>(call.product.fallback_reason)].add(1);
  own_ledger->escalations.add(static_cast<std::uint64_t>(call.product.escalations));
}

Totals totals() {
  Totals totals;
  for (const ThreadLedger* ledger = all_ledgers.load(std::memory_order_acquire); ledger != nullptr; ledger = ledger->next) {
    for (const Block* block = &ledger->first; block != nullptr; block = block->more.load(std::memory_order_acquire)) {
      const int used = block->used.load(std::memory_order_acquire);
      for (int i = 0; i < used; ++i) add_entry(totals, block->entries[static_cast<std::size_t>(i)]);
    }
    for (std::size_t i = 0; i < totals.declines.size(); ++i) totals.declines[i] += ledger->declines[i].get();
    totals.escalations += ledger->escalations.get();
  }
  std::stable_sort(totals.lines.begin(), totals.lines.end(), [](const LedgerLine& a, const LedgerLine& b) {
    const int order = std::strcmp(a.routine, b.routine);
    return order != 0 ? order < 0 : a.calls > b.calls;
  });
  return totals;
}

std::size_t ledger_count() noexcept {
  std::size_t count = 0;
  for (const ThreadLedger* ledger = all_ledgers.load(std::memory_order_acquire); ledger != nullptr; ledger = ledger->next) ++count;
  return count;
}

void forget_calls() noexcept {
  all_ledgers.store(nullptr, std::memory_order_relaxed);  // the ledgers of the parent's other threads have no owner here: let them be
  own_ledger = nullptr;
}

}  // namespace ab::report
