// SPDX-License-Identifier: MIT
#include "sim/metal/threadgroup.hpp"

#include <sys/mman.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <ucontext.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace ab::test::metal {
namespace {

constexpr std::size_t stack_bytes = std::size_t{128} << 10;

#if defined(__x86_64__)
// Saves what a call must keep, goes to another stack, and returns from the call that stopped there.
extern "C" void ab_simulated_switch(void** from, void* to);
asm(R"(
.text
.hidden ab_simulated_switch
.globl ab_simulated_switch
.type ab_simulated_switch, @function
ab_simulated_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size ab_simulated_switch, .-ab_simulated_switch
)");
struct Place {
  void* stack = nullptr;
  void start(std::byte* bottom, void (*entry)()) {
    auto* top = reinterpret_cast<void**>(bottom + stack_bytes) - 1;
    *--top = reinterpret_cast<void*>(entry);  // at a multiple of 16: entry sees the stack as after a call
    stack = top - 6;
  }
  static void go(Place& from, Place& to) { ab_simulated_switch(&from.stack, to.stack); }
};
// Apple's GPUs flush subnormal numbers.
struct FlushesSubnormals {
  FlushesSubnormals() : before(_mm_getcsr()) { _mm_setcsr(before | 0x8040); }
  ~FlushesSubnormals() { _mm_setcsr(before); }
  const unsigned before;
};
#else
struct Place {
  ucontext_t context;
  void start(std::byte* bottom, void (*entry)()) {
    getcontext(&context);
    context.uc_stack.ss_sp = bottom;
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link = nullptr;
    makecontext(&context, entry, 0);
  }
  static void go(Place& from, Place& to) { swapcontext(&from.context, &to.context); }
};
struct FlushesSubnormals {};
#endif

enum class Waits { Ready, Barrier, Meeting, Done };

struct Thread {
  Place place;
  Waits waits;
  std::uint32_t line;  // of the text, where it waits
  std::uint32_t meetings;
  std::uint32_t local[3], position[3];  // in the group; indices in group, in SIMD-group, of SIMD-group
};

struct Simdgroup {
  alignas(16) std::array<std::array<std::byte, 512>, 2> memory;
};

// Of the one threadgroup that runs. All texts' threadgroup memory is static, so there is never more than one.
struct Running {
  std::array<Thread, most_threads> threads;
  std::array<Simdgroup, most_threads / simdgroup_width> simdgroups;
  std::array<std::uint8_t, 2 * simdgroup_width> elements;  // of a matrix, two for each lane
  std::byte* stacks = nullptr;
  std::size_t count = 0;
  Thread* current = nullptr;
  Place scheduler;
  const Dispatch* dispatch = nullptr;
  std::uint32_t group[3];
  std::uint64_t random = 1;
};
Running& running() {
  static Running* const all = new Running;
  return *all;
}

std::uint32_t draw(std::uint32_t below) {
  std::uint64_t& x = running().random;
  x ^= x << 13, x ^= x >> 7, x ^= x << 17;
  return static_cast<std::uint32_t>((x >> 32) % below);
}

// An order of 0 .. count - 1 without a table.
struct Order {
  explicit Order(std::uint32_t count) : count(count), first(draw(count)), step(1 + draw(count)) {
    while (std::gcd(step, count) != 1) ++step;
  }
  std::uint32_t at(std::uint32_t i) const { return static_cast<std::uint32_t>((first + std::uint64_t{i} * step) % count); }
  std::uint32_t count, first, step;
};

void stop(Waits waits, std::uint32_t line) {
  Running& now = running();
  Thread& self = *now.current;
  self.waits = waits;
  self.line = line;
  Place::go(self.place, now.scheduler);
}

void thread_main() {
  const Running& now = running();
  now.dispatch->function->run(now.dispatch->buffers, now.group, now.current->local, now.current->position);
  stop(Waits::Done, 0);
}

void resume(Thread& thread) {
  Running& now = running();
  now.current = &thread;
  Place::go(now.scheduler, thread.place);
}

void start_threads() {
  Running& now = running();
  if (now.stacks == nullptr) {
    void* const all = mmap(nullptr, most_threads * stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    now.stacks = static_cast<std::byte*>(all);
  }
  const std::uint32_t* const size = now.dispatch->threads;
  for (std::uint32_t i = 0; i < now.count; ++i) {
    Thread& thread = now.threads[i];
    thread.waits = Waits::Ready;
    thread.meetings = 0;
    thread.local[0] = i % size[0], thread.local[1] = i / size[0] % size[1], thread.local[2] = i / size[0] / size[1];
    thread.position[0] = i, thread.position[1] = i % simdgroup_width, thread.position[2] = i / simdgroup_width;
    thread.place.start(now.stacks + i * stack_bytes, thread_main);
  }
}

// Runs a SIMD-group until its lanes wait for the whole group or are done.
std::string run_simdgroup(std::uint32_t first, std::uint32_t lanes) {
  Running& now = running();
  for (;;) {
    const Order order(lanes);
    for (std::uint32_t i = 0; i < lanes; ++i) {
      Thread& thread = now.threads[first + order.at(i)];
      if (thread.waits == Waits::Ready) resume(thread);
    }
    const Thread& one = now.threads[first];
    const auto meets = [&](const Thread& other) { return other.waits == Waits::Meeting && other.line == one.line; };
    Thread* const begin = &now.threads[first];
    if (std::none_of(begin, begin + lanes, [](const Thread& other) { return other.waits == Waits::Meeting; })) return "";
    if (!std::all_of(begin, begin + lanes, meets) || lanes != simdgroup_width)
      return "lanes of a SIMD-group that do not all reach a matrix operation";
    for (std::uint32_t i = 0; i < lanes; ++i) begin[i].waits = Waits::Ready;
  }
}

std::string run_group() {
  Running& now = running();
  start_threads();
  const auto simdgroups = static_cast<std::uint32_t>((now.count + simdgroup_width - 1) / simdgroup_width);
  for (;;) {
    const Order order(simdgroups);
    for (std::uint32_t i = 0; i < simdgroups; ++i) {
      const std::uint32_t first = order.at(i) * simdgroup_width;
      const auto lanes = static_cast<std::uint32_t>(std::min<std::size_t>(simdgroup_width, now.count - first));
      if (const std::string wrong = run_simdgroup(first, lanes); !wrong.empty()) return wrong;
    }
    Thread* const begin = now.threads.data();
    Thread* const end = begin + now.count;
    if (std::all_of(begin, end, [](const Thread& thread) { return thread.waits == Waits::Done; })) return "";
    const std::uint32_t line = begin->line;
    const auto is_there = [&](const Thread& thread) { return thread.waits == Waits::Barrier && thread.line == line; };
    if (!std::all_of(begin, end, is_there)) return "threads of a group that do not all reach the same barrier";
    for (Thread* thread = begin; thread != end; ++thread) thread->waits = Waits::Ready;
  }
}

void deal_elements() {
  auto& elements = running().elements;
  std::iota(elements.begin(), elements.end(), std::uint8_t{0});
  for (std::size_t i = elements.size() - 1; i > 0; --i) std::swap(elements[i], elements[draw(static_cast<std::uint32_t>(i + 1))]);
}

}  // namespace

std::string run(const Dispatch& dispatch) {
  const FlushesSubnormals flushes;
  Running& now = running();
  now.dispatch = &dispatch;
  now.random = 0x9E3779B97F4A7C15u * (std::uint64_t{dispatch.seed} + 1);
  now.count = std::size_t{dispatch.threads[0]} * dispatch.threads[1] * dispatch.threads[2];
  deal_elements();
  const std::uint64_t groups = std::uint64_t{dispatch.groups[0]} * dispatch.groups[1] * dispatch.groups[2];
  const Order order(static_cast<std::uint32_t>(groups));
  for (std::uint32_t i = 0; i < groups; ++i) {
    const std::uint32_t g = order.at(i);
    now.group[0] = g % dispatch.groups[0];
    now.group[1] = g / dispatch.groups[0] % dispatch.groups[1];
    now.group[2] = g / dispatch.groups[0] / dispatch.groups[1];
    std::memset(dispatch.function->threadgroup_memory, 0xA5, dispatch.function->threadgroup_bytes);
    if (const std::string wrong = run_group(); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace ab::test::metal

// What compiled texts call (tests/kernels/metal/metal_stdlib).
#define AB_SERVICE extern "C" __attribute__((visibility("default"), used))
namespace sim = ab::test::metal;
AB_SERVICE void ab_simulated_barrier(int flags, unsigned line) {
  constexpr int threadgroup = 2;
  if (flags == threadgroup) return sim::stop(sim::Waits::Barrier, line);
  sim::stop(sim::Waits::Barrier, line + 1000000);  // orders no threadgroup memory: nothing of ours wants that
}
AB_SERVICE void ab_simulated_meeting(unsigned line) {
  ++sim::running().current->meetings;
  sim::stop(sim::Waits::Meeting, line);
}
AB_SERVICE void* ab_simulated_simdgroup_memory() {
  const sim::Thread& self = *sim::running().current;
  return sim::running().simdgroups[self.position[2]].memory[self.meetings % 2].data();
}
AB_SERVICE const unsigned char* ab_simulated_elements() {
  const sim::Running& now = sim::running();
  return &now.elements[2 * now.current->position[1]];
}
AB_SERVICE unsigned ab_simulated_seed() {
  return sim::running().dispatch->seed;
}
