// SPDX-License-Identifier: MIT
// Any call of any level-3 routine under any of its names: a legal one on integers gives the reference result, one with wild operands
// writes nothing but its result, an illegal one is reported once and writes nothing. Sizes of at most 3 stay on the host side, others
// go to the `cpu` device.
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "core/thread_state.hpp"
#include "fuzz/require.hpp"
#include "support/level3_call.hpp"

namespace {

int reports = 0;

}  // namespace

extern "C" {
void xerbla_(const char*, const int*, std::size_t) {
  ++reports;
}
void xerbla_64_(const char*, const std::int64_t*, std::size_t) {
  ++reports;
}
void cblas_xerbla(int, const char*, const char*, ...) {
  ++reports;
}
}

namespace {

using namespace ab;
using test::Layout;
using test::Level3Call;
using test::Name;

/// The input, byte by byte; zeros after its end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  Index below(Index n) { return next() % n; }
  double word() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | static_cast<std::uint64_t>(next());
    return std::bit_cast<double>(bits);
  }

 private:
  Index next() { return at_ < size_ ? data_[at_++] : 0; }
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

bool is_batch(const Routine& routine) {
  return routine.family == Family::GemmBatch || routine.family == Family::GemmBatchStrided;
}

bool choose_environment() {
  for (const auto& [name, value] : {std::pair{"AB_MODE", "gpu"}, {"AB_MIN_GPU_DIM", "3"}, {"AB_DEVICE", "cpu"}, {"AB_NUM_THREADS", "1"}}) {
    setenv(name, value, 1);
  }
  return true;
}

// Sizes and leading dimensions that a routine has.
const char* sizes_of(const Routine& routine) {
  switch (routine.family) {
    case Family::Gemmt:
      return "nkABC";
    case Family::RankK:
      return "nkAC";
    case Family::RankTwo:
      return "nkABC";
    case Family::Symmetric:
      return "mnABC";
    case Family::TriangularProduct:
    case Family::TriangularSolve:
      return "mnAB";
    default:
      return "mnkABC";
  }
}

void spoil(Level3Call& call, Bytes& bytes) {
  const char* sizes = sizes_of(*call.routine);
  Arguments& x = call.arguments;
  const Index amount = bytes.below(3);
  switch (sizes[bytes.below(static_cast<Index>(std::strlen(sizes)))]) {
    case 'm':
      x.m = -1 - amount;
      break;
    case 'n':
      x.n = -1 - amount;
      break;
    case 'k':
      x.k = -1 - amount;
      break;
    case 'A':
      x.lda = -amount;
      break;
    case 'B':
      x.ldb = -amount;
      break;
    default:
      x.ldc = -amount;
  }
}

/// Words that the call does not write: what `expected` left as it was.
void require_nothing_else_written(const Level3Call& call, const std::vector<double>& before) {
  for (std::size_t i = 0; i < call.c.size(); ++i) {
    const auto as_bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
    const bool is_padding = call.expected[i] != call.expected[i];
    if (is_padding) REQUIRE(as_bits(call.c[i]) == as_bits(before[i]));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool chosen = choose_environment();
  (void)chosen;
  Bytes bytes(data, size);
  const Routine& routine = routines[bytes.below(static_cast<Index>(routine_count))];
  if (is_batch(routine)) return 0;
  const auto name = static_cast<Name>(bytes.below(5));
  const bool cblas = name != Name::Fortran && name != Name::Fortran64;
  const Layout layout = cblas && bytes.below(2) == 1 ? Layout::Rows : Layout::Columns;
  const Index kind = bytes.below(4);
  thread_state().precision = static_cast<Precision>(1 + bytes.below(4));
  Level3Call call = draw_call(routine, layout, bytes.below(16) == 0 ? 70 : 8, [&bytes](Index n) { return bytes.below(n); });
  if (kind == 1) spoil(call, bytes);
  if (kind == 2) {
    for (std::vector<double>* words : {&call.a, &call.b}) {
      for (Index i = bytes.below(4); i > 0 && !words->empty(); --i) {
        (*words)[static_cast<std::size_t>(bytes.below(256)) % words->size()] = bytes.word();
      }
    }
  }
  const std::vector<double> before = call.c;
  reports = 0;
  REQUIRE(invoke(call, name));
  if (kind == 1) {
    REQUIRE(reports == 1);
    REQUIRE(before.empty() || std::memcmp(before.data(), call.c.data(), before.size() * sizeof(double)) == 0);
    return 0;
  }
  REQUIRE(reports == 0);
  if (kind == 2) {
    require_nothing_else_written(call, before);
  } else {
    const std::string wrong = difference(call);
    if (!wrong.empty()) std::fprintf(stderr, "%s\n", wrong.c_str());
    REQUIRE(wrong.empty());
  }
  return 0;
}
