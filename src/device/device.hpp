// SPDX-License-Identifier: MIT
// The whole interface of a device: memory, kernels, an in-order queue. No BLAS words, no matrices.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "core/types.hpp"

namespace ab::device {

class Memory {
 public:
  virtual ~Memory() = default;
  virtual std::size_t bytes() const = 0;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
};

struct Slice {  // device memory from an offset on
  Memory* memory = nullptr;
  std::size_t offset = 0;  // bytes
};

struct Grid {  // groups; the size of a group belongs to the kernel
  std::uint32_t x = 1, y = 1, z = 1;
  Index work = 0;  // rough number of inner operations of the whole launch: a hint for devices that share it over threads
};

using Argument = std::variant<Slice, std::span<const std::byte>>;  // memory, or a params struct

/// In-order: each call starts after the ones before it have finished. Several threads may use one queue.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual void write(Memory& to, std::size_t offset, std::span<const std::byte> from) = 0;
  virtual void read(const Memory& from, std::size_t offset, std::span<std::byte> to) = 0;
  /// A point behind what has been asked for so far. Null: for this device it is always the end.
  class Mark {
   public:
    virtual ~Mark() = default;
  };
  virtual std::unique_ptr<Mark> mark() { return nullptr; }
  /// As `read`, but waits for nothing that was asked for after the mark.
  virtual void read_after(const Mark* /*mark*/, const Memory& from, std::size_t offset, std::span<std::byte> to) { read(from, offset, to); }
  virtual void copy(const Slice& from, const Slice& to, std::size_t bytes) = 0;
  virtual void launch(const Kernel& kernel, Grid grid, std::span<const Argument> arguments) = 0;
  virtual void finish() = 0;
};

struct Traits {
  std::string id;          // "cpu", "cuda:0"
  std::string name;        // "NVIDIA H200"
  std::string features;    // "avx2, 2 threads"
  std::string table_kind;  // of devices alike enough to share routing measurements: "cpu:amx-int8"; "" for none
  std::uint64_t memory_bytes = 0;
  std::uint64_t max_buffer_bytes = 0;
  bool unified_memory = false;
  bool results_in_place = false;  // adopted memory may be written as results: a launch that has begun does not fail
  bool only_on_request = false;   // never a default: a software renderer
  bool fp64 = false;
  bool fp64_product = false;  // its vendor's library may have one: the kernel fp64_product (fp64_product.hpp), whose loading opens that
  bool int8_matrix = false;
  Index vector_unit = 1;                    // vectors of a residue plane come in multiples of it
  Index plane_padding_bytes = 0;            // between residue planes, beyond their size
  std::uint64_t product_scratch_bytes = 0;  // of the kernels crt_product_i8*; 0: the device has none
  // 0: products take all of that scratch; else what their result needs: a byte per entry, modulus and plane, rows and columns in
  // multiples of this, and as much as one such tile of each plane besides.
  Index product_tile = 0;
  // Of a device that leaves long loops too early, without a word. 0: none.
  Index most_terms_at_once = 0;              // of a launch whose sums later ones can go on with: a multiple of 64
  Index most_terms = 0;                      // of a product: scans, and sums in order, are one launch
  bool fused_fma = true;                     // false: load the soft-fma variants of double-float kernels
  ModuliFamily family = ModuliFamily::Int8;  // preferred
};

struct KernelName {
  std::string name;  // a line of kernels/variants.txt
};

/// One physical device; safe to use from several threads. Failures throw Error (AllocFailed, KernelFailed, ShaderCompile).
class Device {
 public:
  virtual ~Device() = default;
  virtual const Traits& traits() const = 0;
  virtual std::unique_ptr<Memory> allocate(std::size_t bytes) = 0;
  virtual std::unique_ptr<Memory> adopt(std::span<std::byte> host) = 0;  // null when it must be copied
  virtual std::unique_ptr<Kernel> load(const KernelName& name) = 0;      // native text first, common text else
  virtual std::unique_ptr<Queue> open_queue() = 0;
};

}  // namespace ab::device
