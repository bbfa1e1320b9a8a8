// SPDX-License-Identifier: MIT
// What a routing decision is made from, and what it says (spec 6.1).
#pragma once
#include <array>

#include "core/routines.hpp"
#include "core/settings.hpp"
#include "core/types.hpp"

namespace ab::routing {

enum class DataPath { Copied, InPlace };  // operands in ordinary memory; all registered or unified

/// Of a call: what the decision may depend on. Never the data.
struct Request {
  const Routine* routine;       // of core/routines.hpp; null: none of ours
  std::array<char, 2> letters;  // transA transB, or the pair of the routine's table rows
  Index m, n, k;
  Precision precision = Precision::Fp64;
  DataPath path = DataPath::Copied;
  bool plain_product = false;  // C is one product and no more: its columns may be computed apart, and by the vendor's GEMM
};

/// Of the process and the thread.
struct State {
  bool disabled = false;  // the routine is named in AB_DISABLE
  bool forked_child = false;
  bool device_usable = true;
  bool host_blas_found = false;
  bool reproducible = false;
  Mode mode = Mode::Auto;
  Index min_gpu_dim = 32;
  Split split = {};
};

struct Route {
  Engine engine = Engine::Host;
  Method method = Method::Class;  // means something for engine Device
  Reason reason = Reason::None;
  double split_share = 0;  // engine Split: part of the columns that the cpu device takes
};

}  // namespace ab::routing
