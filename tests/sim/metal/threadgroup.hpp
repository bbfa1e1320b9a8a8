// SPDX-License-Identifier: MIT
// Threadgroups executed on the CPU: every thread on a stack of its own, all of them taking turns at barriers.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ab::test::metal {

/// A compiled kernel function: the wrapper that compile_msl.py writes beside it.
struct Function {
  using Run = void(const std::uint64_t* buffers, const std::uint32_t* group, const std::uint32_t* local, const std::uint32_t* place);
  struct Argument {
    std::uint32_t index, written, bytes;  // of one element
  };
  Run* run = nullptr;
  std::vector<Argument> arguments;
  std::byte* threadgroup_memory = nullptr;
  std::size_t threadgroup_bytes = 0;
};

struct Dispatch {
  const Function* function;
  const std::uint64_t* buffers;  // addresses by index
  std::uint32_t groups[3], threads[3];
  unsigned seed;
};

inline constexpr std::size_t most_threads = 1024, simdgroup_width = 32;

/// What went wrong, or "".
std::string run(const Dispatch& dispatch);

}  // namespace ab::test::metal
