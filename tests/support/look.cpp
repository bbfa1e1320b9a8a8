// SPDX-License-Identifier: MIT
#include "support/look.hpp"

namespace ab::test {
namespace {

std::vector<numerics::Record> records_of(const Vectors& vectors, const std::vector<Scanned>& scanned) {
  std::vector<numerics::Record> out;
  for (Index v = 0; v < vectors.count; ++v) out.push_back(record_of(vectors, v, scanned[static_cast<std::size_t>(v)]));
  return out;
}

std::vector<numerics::Profile> profiles_of(const std::vector<Scanned>& scanned, int parts, std::span<const std::int32_t> group,
                                           std::size_t groups) {
  std::vector<numerics::Profile> out;
  for (std::size_t g = 0; g < groups; ++g) {
    for (int p = 0; p < parts; ++p) out.push_back(profile_of(scanned, p, {group, static_cast<int>(g)}));
  }
  return out;
}

LookData look_data(const Vectors& left, const Vectors& right, std::span<const std::int32_t> kappa, std::span<const std::int32_t> group) {
  LookData out;
  out.parts = left.parts;
  const std::vector<Scanned> a = scan_all(left, {kappa, 1}), b = scan_all(right, {kappa, -1});
  out.left = records_of(left, a), out.right = records_of(right, b);
  const std::size_t groups = group.empty() ? 1 : 4;  // more than there are: the rest stays unread
  out.left_profiles = profiles_of(a, out.parts, group, groups), out.right_profiles = profiles_of(b, out.parts, group, groups);
  return out;
}

}  // namespace

LookData first_look(const Vectors& left, const Vectors& right) {
  LookData out = look_data(left, right, {}, {});
  out.group_sizes = {left.inner};
  return out;
}

LookData second_look(const Vectors& left, const Vectors& right, const numerics::Inner& inner) {
  LookData out = look_data(left, right, inner.kappa, inner.group);
  out.group_sizes = inner.group_sizes;
  return out;
}

std::vector<std::int32_t> first_peaks(const Vectors& vectors) {
  return peaks_of(vectors, scan_all(vectors));
}

}  // namespace ab::test
