// SPDX-License-Identifier: MIT
// The kernels' arithmetic text within one file built for a particular instruction set: no code is shared with other files.
#pragma once
#include "kernels/lang.h"

namespace ab::device::native {
namespace {
namespace text {
using namespace ab::kernels;
#include "kernels/arithmetic.h"
}  // namespace text
}  // namespace
}  // namespace ab::device::native
