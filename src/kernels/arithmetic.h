// SPDX-License-Identifier: MIT
// All arithmetic of the kernels, in the order in which it builds on itself.
#include "kernels/fp64_bits.h"
#include "kernels/eft.h"
#include "kernels/dd.h"
#include "kernels/wide_int.h"
#include "kernels/modular.h"
#include "kernels/params.h"
#include "kernels/epilogue.h"
