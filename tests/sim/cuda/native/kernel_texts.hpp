// SPDX-License-Identifier: MIT
// The native kernels' text as host C++: all of it but what only the device can do. Their words come first.
#pragma once
#include "sim/cuda/native/cuda_words.hpp"
#include "sim/cuda/native/warp_words.hpp"

// The text.
#include "device/cuda/native/reconstruct.cuh"
#include "device/cuda/native/residues.cuh"
#include "device/cuda/native/scan.cuh"
#include "device/cuda/native/sums.cuh"
#include "device/cuda/native/warp_product.cuh"
