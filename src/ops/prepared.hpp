// SPDX-License-Identifier: MIT
// Prepared operands: what a product computed of one operand alone, kept for later products with the same contents (docs/numerics.md 11.1).
#pragma once
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "ops/steps.hpp"

namespace ab::ops {

/// A complex operand taken whole, or its parts as two real ones (the split form). Real operands are taken whole.
enum class OperandForm { Whole, Split };

enum class Preparation { Scan, Residues, Pairs, Constants };

/// What a preparation depends on, and nothing else. Scans need the first three only: they are the same for both sides and all classes.
/// Constants of moduli belong to no operand.
struct PreparedKey {
  Preparation preparation;
  VectorView operand;  // the memory is not compared: the contents stand for it
  OperandForm form;
  HandSide hand = HandSide::Left;  // residues: a device may order those of the two sides differently
  ModuliFamily family = ModuliFamily::Int8;
  int count = 0;   // constants: of moduli; pairs: of planes
  int budget = 0;  // residues: with the contents it decides shifts and moduli
};

/// Kept preparations, most recently used first. Thread-safe. What is taken from here stays alive as long as its user, kept or not.
class PreparedOperands {
 public:
  /// `most_bytes`: of device memory, for all together.
  explicit PreparedOperands(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// Null when it is not kept, or the contents are not known.
  std::shared_ptr<const void> find(const PreparedKey& key);
  /// Keeps what takes `bytes` of device memory, unless its contents are not known or it is too large.
  void keep(PreparedKey key, std::shared_ptr<const void> prepared, std::uint64_t bytes);
  /// Gives up what no product uses at the moment, the least recently used first, until that made `bytes`.
  void give_way(std::uint64_t bytes);
  /// The contents exist no more.
  void forget(std::uint64_t contents);
  void clear();
  /// Keeps nothing from now on.
  void close();
  std::uint64_t bytes() const;

 private:
  struct Entry {
    PreparedKey key;
    std::shared_ptr<const void> prepared;
    std::uint64_t bytes;
  };
  using Entries = std::list<Entry>;
  Entries::iterator position_of(const PreparedKey& key);
  void move(Entries::iterator entry, Entries& to);

  std::uint64_t most_bytes_;  // this and all below under the process mutex, so that a forked child finds it whole
  Entries entries_;
  std::uint64_t bytes_ = 0;
};

/// The scans of both sides, perhaps kept from an earlier product.
struct Scans {
  SharedScan left, right;
};
using MeanwhileOfBoth = std::function<void(const Scans&)>;
/// Those of the first look; what is not kept is made, both together (steps.hpp).
Scans first_scans(Context& context, const VectorView& left, const VectorView& right, OperandForm form,
                  const MeanwhileOfBoth& meanwhile = {});

}  // namespace ab::ops
