// SPDX-License-Identifier: MIT
// The routines of the BLAS ABI by name: what AB_DISABLE and routing tables may name, and the two letters that tell their variants apart.
#pragma once
#include <algorithm>
#include <string_view>

namespace ab {

enum class Variants { Transposes, SideAndTriangle, TriangleAndTranspose };

struct Routine {
  std::string_view name;
  Variants variants;
  bool complex;
};

inline constexpr Routine routines[] = {{"dgemm", Variants::Transposes, false},           {"zgemm", Variants::Transposes, true},
                                       {"dsyrk", Variants::TriangleAndTranspose, false}, {"zsyrk", Variants::TriangleAndTranspose, true},
                                       {"zherk", Variants::TriangleAndTranspose, true},  {"dsyr2k", Variants::TriangleAndTranspose, false},
                                       {"zsyr2k", Variants::TriangleAndTranspose, true}, {"zher2k", Variants::TriangleAndTranspose, true},
                                       {"dsymm", Variants::SideAndTriangle, false},      {"zsymm", Variants::SideAndTriangle, true},
                                       {"zhemm", Variants::SideAndTriangle, true},       {"dtrsm", Variants::SideAndTriangle, false},
                                       {"ztrsm", Variants::SideAndTriangle, true},       {"dtrmm", Variants::SideAndTriangle, false},
                                       {"ztrmm", Variants::SideAndTriangle, true},       {"dgemmt", Variants::Transposes, false},
                                       {"zgemmt", Variants::Transposes, true},           {"zgemm3m", Variants::Transposes, true}};

/// The routine of that name (lower case, without underscore), or null.
constexpr const Routine* find_routine(std::string_view name) {
  const auto* found = std::find_if(std::begin(routines), std::end(routines), [&](const Routine& routine) { return routine.name == name; });
  return found == std::end(routines) ? nullptr : found;
}

}  // namespace ab
