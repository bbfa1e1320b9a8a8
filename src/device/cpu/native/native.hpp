// SPDX-License-Identifier: MIT
// Native kernels of the cpu device: whole launches written for one instruction set, with the bits of the common kernels.
// This header is included by files built for particular instruction sets: nothing in it may become code outside of them.
#pragma once
#include <cstddef>

#include "core/types.hpp"
#include "device/cpu/kernel_table.hpp"

namespace ab::device::native {

/// Pieces [first, last) of a launch, with memory of their own (native_scratch_bytes, aligned to 64).
using Body = void (*)(const void* state, std::byte* scratch, Index first, Index last);
inline constexpr std::size_t native_scratch_bytes = 1536 * 1024;

/// Shares a launch over the queue's threads.
class Sharer {
 public:
  virtual void share(Index count, Index work, Body body, const void* state) const = 0;
  virtual int threads() const = 0;

 protected:
  ~Sharer() = default;
};

struct Launch {
  void* const* buffers;               // one per binding, params structs last, as the common kernel of the name takes them
  const kernels::HostKernel* common;  // the common kernels, for what a native one leaves to them
  const Sharer& sharer;
};

struct Kernel {
  const char* name;
  void (*run)(const Launch& launch);
};

/// The kernels of one engine, and what its residue planes look like.
struct Engine {
  const char* features;               // "amx-int8 avx512-vnni"
  const Kernel* kernels;              // a null name ends them
  Index vector_unit;                  // vectors of a residue plane come in multiples of it
  Index plane_padding;                // bytes between residue planes beyond their size
  std::size_t product_scratch_bytes;  // per thread, of the fused product; 0: there is none
  const char* table_kind = "";        // Traits::table_kind
};

/// What a native kernel leaves to the common one of that name.
void run_common(const Launch& launch, const char* name, Index groups, Index work);

/// AMX needs the system's permission, which changes what the process may do with signals: it is asked for when the device is opened,
/// not when it is only listed.
enum class Permission { Ask, DoNotAsk };

/// Null where the processor or the system does not have it.
const Engine* amx_engine(Permission permission);
const Engine* vnni_engine();
const Engine* avx2_engine();
const Engine* neon_engine();

}  // namespace ab::device::native
