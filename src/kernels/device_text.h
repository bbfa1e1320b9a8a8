// SPDX-License-Identifier: MIT
// What the preprocessor makes one self-contained device text of: the language's first lines, the dialect, the arithmetic, and the
// kernel that AB_KERNEL_TEXT names. AB_DIRECTIVE leaves a directive to the device's own compiler. See cmake/device_kernels.cmake.
#define AB_DIRECTIVE #

#if defined(AB_LANG_GLSL)
AB_DIRECTIVE version 450
AB_DIRECTIVE extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#if defined(AB_PACKED_DOT)  // OpSDot with PackedVectorFormat4x8Bit: four signed bytes a word (VK_KHR_shader_integer_dot_product)
AB_DIRECTIVE extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4450)
int packed_dot(int a, int b, spirv_literal int format);
#endif
#if defined(AB_FIRST_LINES)  // a native text's extensions
#include AB_FIRST_LINES
#endif
#elif defined(AB_LANG_OPENCL)
#pragma OPENCL FP_CONTRACT OFF
#elif defined(AB_LANG_METAL)
AB_DIRECTIVE include <metal_stdlib>
AB_DIRECTIVE if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
AB_DIRECTIVE else
#pragma clang fp contract(off)
AB_DIRECTIVE endif
using namespace metal;
#endif

#include "kernels/lang.h"
#include "kernels/arithmetic.h"
#include AB_KERNEL_TEXT
