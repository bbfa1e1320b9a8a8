// SPDX-License-Identifier: MIT
#include "ops/prepared.hpp"

#include <algorithm>
#include <tuple>

#include "core/process.hpp"

namespace ab::ops {
namespace {

constexpr std::size_t most_entries = 128;  // chosen: they are searched one by one

bool is_known(const PreparedKey& key) {
  const VectorView& view = key.operand;
  return key.preparation == Preparation::Constants || (view.contents[0] != 0 && (view.part_count == 1 || view.contents[1] != 0));
}

bool is_of(const VectorView& view, std::uint64_t contents) {
  return view.contents[0] == contents || (view.part_count == 2 && view.contents[1] == contents);
}

auto layout_of(const VectorView& view) {
  const bool both = view.part_count == 2;
  return std::tuple(view.contents[0], both ? view.contents[1] : 0, view.parts[0].offset, both ? view.parts[1].offset : 0, view.part_count,
                    view.vectors, view.inner, view.vector_stride, view.inner_stride, view.conjugate, view.negate);
}

bool same(const PreparedKey& a, const PreparedKey& b) {
  if (a.preparation != b.preparation || a.form != b.form || layout_of(a.operand) != layout_of(b.operand)) return false;
  if (a.preparation == Preparation::Scan) return true;
  return a.hand == b.hand && a.family == b.family && a.count == b.count && a.budget == b.budget;
}

}  // namespace

PreparedOperands::Entries::iterator PreparedOperands::position_of(const PreparedKey& key) {
  return std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return same(entry.key, key); });
}

void PreparedOperands::move(Entries::iterator entry, Entries& to) {
  bytes_ -= entry->bytes;
  to.splice(to.begin(), entries_, entry);
}

std::shared_ptr<const void> PreparedOperands::find(const PreparedKey& key) {
  if (!is_known(key)) return nullptr;
  const std::scoped_lock lock(process_mutex());
  const auto found = position_of(key);
  if (found == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found);
  return found->prepared;
}

// What is given up here and below is freed outside of the lock, which the pool takes too.
void PreparedOperands::keep(PreparedKey key, std::shared_ptr<const void> prepared, std::uint64_t bytes) {
  if (!is_known(key)) return;
  Entries given_up, fresh;
  fresh.push_back({std::move(key), std::move(prepared), bytes});
  const std::scoped_lock lock(process_mutex());
  if (bytes > most_bytes_) return;
  if (position_of(fresh.front().key) != entries_.end()) return;  // another thread was faster
  while (bytes_ + bytes > most_bytes_ || entries_.size() >= most_entries) move(std::prev(entries_.end()), given_up);
  entries_.splice(entries_.begin(), fresh);
  bytes_ += bytes;
}

void PreparedOperands::give_way(std::uint64_t bytes) {
  Entries given_up;
  const std::scoped_lock lock(process_mutex());
  std::uint64_t freed = 0;
  for (auto next = entries_.end(); next != entries_.begin() && freed < bytes;) {
    const auto entry = std::prev(next);
    if (entry->prepared.use_count() > 1) {  // nobody gets it meanwhile: that takes the lock
      next = entry;
      continue;
    }
    freed += entry->bytes;
    move(entry, given_up);
  }
}

void PreparedOperands::forget(std::uint64_t contents) {
  Entries given_up;
  const std::scoped_lock lock(process_mutex());
  for (auto next = entries_.begin(); next != entries_.end();) {
    const auto entry = next++;
    if (is_of(entry->key.operand, contents)) move(entry, given_up);
  }
}

void PreparedOperands::clear() {
  Entries given_up;
  const std::scoped_lock lock(process_mutex());
  given_up.swap(entries_);
  bytes_ = 0;
}

void PreparedOperands::close() {
  {
    const std::scoped_lock lock(process_mutex());
    most_bytes_ = 0;
  }
  clear();
}

std::uint64_t PreparedOperands::bytes() const {
  const std::scoped_lock lock(process_mutex());
  return bytes_;
}

Scans first_scans(Context& context, const VectorView& left, const VectorView& right, OperandForm form, const MeanwhileOfBoth& meanwhile) {
  PreparedOperands& prepared = context.prepared();
  const auto key_of = [&](const VectorView& operand) {
    return PreparedKey{.preparation = Preparation::Scan, .operand = operand, .form = form};
  };
  const auto kept = [&](const PreparedKey& key) { return std::static_pointer_cast<const Scan>(prepared.find(key)); };
  const std::array<PreparedKey, 2> keys = {key_of(left), key_of(right)};
  std::array<SharedScan, 2> scans = {kept(keys[0]), kept(keys[1])};
  const bool one = is_known(keys[0]) && same(keys[0], keys[1]);  // the very same operand on both sides, of a rank-k update, say
  std::vector<ToScan> missing;
  for (std::size_t i = 0; i < (one ? 1 : 2); ++i) {
    if (scans[i]) continue;
    const VectorView& operand = keys[i].operand;
    const bool split = form == OperandForm::Split;
    missing.push_back({split ? std::vector{part_of(operand, 0), part_of(operand, operand.part_count - 1)} : std::vector{operand},
                       i == 0 ? HandSide::Left : HandSide::Right});
  }
  const auto with = [&](std::span<const SharedScan> made) {
    std::array<SharedScan, 2> both = scans;
    auto next = made.begin();
    for (SharedScan& side : both) {
      if (!side && next != made.end()) side = *next++;
    }
    return Scans{both[0], one ? both[0] : both[1]};
  };
  Meanwhile meanwhile_of_made;
  if (meanwhile) meanwhile_of_made = [&](std::span<const SharedScan> made) { meanwhile(with(made)); };
  const Scans all = with(scan(context, missing, {}, meanwhile_of_made));
  for (std::size_t i = 0; i < 2; ++i) {
    const SharedScan& side = i == 0 ? all.left : all.right;
    if (!scans[i]) prepared.keep(keys[i], side, side->records.size_bytes() + side->profiles.size_bytes());
  }
  return all;
}

}  // namespace ab::ops
