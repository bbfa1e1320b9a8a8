// SPDX-License-Identifier: MIT
// The version for layers that do not see the public header; blas/ holds both to the same text.
#pragma once

namespace ab {

inline constexpr const char version[] = "2.0.0-dev";

}  // namespace ab
