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

  bool is_for(const Call& call) const {
    return routine == call.routine && engine == call.product.engine && reason == reason_of(call.product) &&
           method == method_of(call.product.scheme);
  }
  void become(const Call& call) {
    routine = call.routine;
    engine = call.product.engine;
    method = method_of(call.product.scheme);
    reason = reason_of(call.product);
  }
};

struct ProfileEntry {
  const char* routine;  // fixed before the entry is published
  Tally<std::uint64_t> calls, elapsed_ns, device_calls;
  std::array<Tally<Index>, 3> most;
  std::array<Tally<std::uint64_t>, 3> sum;
  std::array<Tally<std::uint64_t>, bin_count> bin_calls, bin_ns;

  bool is_for(const Call& call) const { return routine == call.routine; }
  void become(const Call& call) { routine = call.routine; }
};

template <class Kind>
struct Block {
  static constexpr int capacity = 16;  // chosen: most threads see fewer kinds of calls
  std::array<Kind, capacity> entries{};
  std::atomic<int> used{0};
  std::atomic<Block*> more{nullptr};
};

struct ThreadLedger {
  Block<Entry> entries;
  std::atomic<Block<ProfileEntry>*> profile{nullptr};
  std::array<Tally<std::uint64_t>, static_cast<std::size_t>(Reason::Count)> declines{};
  std::array<Tally<std::uint64_t>, static_cast<std::size_t>(Stage::Count)> stage_ns{};
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

ThreadLedger* ledger_of_this_thread() {
  if (own_ledger == nullptr) own_ledger = take_ledger();
  return own_ledger;
}

/// What comes behind a link, made if need be; null for want of memory.
template <class Kind>
Kind* behind(std::atomic<Kind*>& link) {
  Kind* there = link.load(std::memory_order_relaxed);
  if (there != nullptr) return there;
  there = new (std::nothrow) Kind;
  if (there != nullptr) link.store(there, std::memory_order_release);
  return there;
}

/// The entry of such calls, from this block on; null for want of memory.
template <class Kind>
Kind* entry_for(Block<Kind>* block, const Call& call) {
  for (; block != nullptr; block = behind(block->more)) {
    const int used = block->used.load(std::memory_order_relaxed);
    for (int i = 0; i < used; ++i) {
      if (block->entries[static_cast<std::size_t>(i)].is_for(call)) return &block->entries[static_cast<std::size_t>(i)];
    }
    if (used == Block<Kind>::capacity) continue;
    Kind& entry = block->entries[static_cast<std::size_t>(used)];
    entry.become(call);
    block->used.store(used + 1, std::memory_order_release);
    return &entry;
  }
  return nullptr;
}

template <class Kind, class Visit>
void for_each(const Block<Kind>* block, const Visit& visit) {
  for (; block != nullptr; block = block->more.load(std::memory_order_acquire)) {
    const int used = block->used.load(std::memory_order_acquire);
    for (int i = 0; i < used; ++i) visit(block->entries[static_cast<std::size_t>(i)]);
  }
}

template <class Visit>
void for_each_ledger(const Visit& visit) {
  for (const ThreadLedger* ledger = all_ledgers.load(std::memory_order_acquire); ledger != nullptr; ledger = ledger->next) visit(*ledger);
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

void add_profile_entry(std::vector<ProfileLine>& lines, const ProfileEntry& entry) {
  auto line = std::find_if(lines.begin(), lines.end(), [&](const ProfileLine& l) { return std::strcmp(l.routine, entry.routine) == 0; });
  if (line == lines.end()) {
    line = lines.emplace(line);
    line->routine = entry.routine;
  }
  line->calls += entry.calls.get();
  line->elapsed_ns += entry.elapsed_ns.get();
  line->device_calls += entry.device_calls.get();
  for (std::size_t i = 0; i < line->sum.size(); ++i) {
    line->most[i] = std::max(line->most[i], entry.most[i].get());
    line->sum[i] += entry.sum[i].get();
  }
  for (std::size_t i = 0; i < bin_count; ++i) {
    line->bin_calls[i] += entry.bin_calls[i].get();
    line->bin_ns[i] += entry.bin_ns[i].get();
  }
}

}  // namespace

void count_call(const Call& call, std::uint64_t elapsed_ns, const StageTimes& stages) noexcept {
  ThreadLedger* ledger = ledger_of_this_thread();
  Entry* entry = ledger != nullptr ? entry_for(&ledger->entries, call) : nullptr;
  if (entry == nullptr) return;
  const double flops_per_term = static_cast<double>(call.products) * (call.complex ? 8 : 2);
  entry->calls.add(1);
  entry->elapsed_ns.add(elapsed_ns);
  entry->flops.add(flops_per_term * static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k));
  entry->m.add(static_cast<std::uint64_t>(call.m));
  entry->n.add(static_cast<std::uint64_t>(call.n));
  entry->k.add(static_cast<std::uint64_t>(call.k));
  if (call.product.fallback_reason != Reason::None) ledger->declines[static_cast<std::size_t>(call.product.fallback_reason)].add(1);
  ledger->escalations.add(static_cast<std::uint64_t>(call.product.escalations));
  for (std::size_t i = 0; i < stages.size(); ++i) ledger->stage_ns[i].add(stages[i]);
}

void count_in_profile(const Call& call, std::uint64_t elapsed_ns) noexcept {
  ThreadLedger* ledger = ledger_of_this_thread();
  ProfileEntry* entry = ledger != nullptr ? entry_for(behind(ledger->profile), call) : nullptr;
  if (entry == nullptr) return;
  const std::array<Index, 3> sizes{call.m, call.n, call.k};
  entry->calls.add(1);
  entry->elapsed_ns.add(elapsed_ns);
  if (call.product.engine == Engine::Device || call.product.engine == Engine::Split) entry->device_calls.add(1);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    entry->most[i].add(std::max<Index>(0, sizes[i] - entry->most[i].get()));
    entry->sum[i].add(static_cast<std::uint64_t>(sizes[i]));
  }
  const std::size_t bin = bin_of(call.m, call.n);
  entry->bin_calls[bin].add(1);
  entry->bin_ns[bin].add(elapsed_ns);
}

Totals totals() {
  Totals totals;
  for_each_ledger([&](const ThreadLedger& ledger) {
    for_each(&ledger.entries, [&](const Entry& entry) { add_entry(totals, entry); });
    for (std::size_t i = 0; i < totals.declines.size(); ++i) totals.declines[i] += ledger.declines[i].get();
    for (std::size_t i = 0; i < totals.stage_ns.size(); ++i) totals.stage_ns[i] += ledger.stage_ns[i].get();
    totals.escalations += ledger.escalations.get();
  });
  std::stable_sort(totals.lines.begin(), totals.lines.end(), [](const LedgerLine& a, const LedgerLine& b) {
    const int order = std::strcmp(a.routine, b.routine);
    return order != 0 ? order < 0 : a.calls > b.calls;
  });
  return totals;
}

std::vector<ProfileLine> profile() {
  std::vector<ProfileLine> lines;
  for_each_ledger([&](const ThreadLedger& ledger) {
    for_each(ledger.profile.load(std::memory_order_acquire), [&](const ProfileEntry& entry) { add_profile_entry(lines, entry); });
  });
  std::stable_sort(lines.begin(), lines.end(), [](const ProfileLine& a, const ProfileLine& b) { return a.elapsed_ns > b.elapsed_ns; });
  return lines;
}

std::size_t ledger_count() noexcept {
  std::size_t count = 0;
  for_each_ledger([&](const ThreadLedger&) { ++count; });
  return count;
}

void forget_calls() noexcept {
  all_ledgers.store(nullptr, std::memory_order_relaxed);  // the ledgers of the parent's other threads have no owner here: let them be
  own_ledger = nullptr;
}

}  // namespace ab::report
