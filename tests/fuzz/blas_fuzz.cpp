// SPDX-License-Identifier: MIT
// Any call of any level-3 routine under any of its names, batches too: a legal one on integers gives the reference result, one with wild
// operands writes nothing but its result, one with a bad letter, size, leading dimension or count is reported once and writes nothing.
// Sizes of at most 3 stay on the host side, others go to the `cpu` device.
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "core/thread_state.hpp"
#include "fuzz/require.hpp"
#include "support/batch_call.hpp"

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
using test::BatchCall;
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

bool choose_environment() {
  for (const auto& [name, value] : {std::pair{"AB_MODE", "gpu"}, {"AB_MIN_GPU_DIM", "3"}, {"AB_DEVICE", "cpu"}, {"AB_NUM_THREADS", "1"}}) {
    setenv(name, value, 1);
  }
  return true;
}

enum class Kind { Legal, Illegal, Wild, LegalToo };  // LegalToo: half of all calls

// What may be wrong in a call: letters (side, uplo, op_a, op_b, diag) by s u a b d, sizes by m n k, leading dimensions by A B C.
std::string_view faults_of(const Routine& routine) {
  switch (routine.family) {
    case Family::Gemmt:
      return "uabnkABC";
    case Family::RankK:
      return "uankAC";
    case Family::RankTwo:
      return "uankABC";
    case Family::Symmetric:
      return "sumnABC";
    case Family::TriangularProduct:
    case Family::TriangularSolve:
      return "suadmnAB";
    default:
      return "abmnkABC";
  }
}

void spoil(Level3Call& call, Bytes& bytes) {
  constexpr test::Spelling strays[] = {{'X', 99}, {'\0', 0}, {'\x80', -1}, {'9', 'N'}};
  const std::string_view faults = faults_of(*call.routine);
  const Index amount = bytes.below(3);
  call.unknown = strays[bytes.below(4)];
  Arguments& x = call.arguments;
  switch (faults[static_cast<std::size_t>(bytes.below(static_cast<Index>(faults.size())))]) {
    case 's':
      return x.side.reset();
    case 'u':
      return x.uplo.reset();
    case 'a':
      return x.op_a.reset();
    case 'b':
      return x.op_b.reset();
    case 'd':
      return x.diag.reset();
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

void spoil(BatchCall& batch, Bytes& bytes) {
  const bool strided = batch.routine->family == Family::GemmBatchStrided;
  const Index which = bytes.below(strided ? 1 : batch.count + 1), negative = -1 - bytes.below(3);
  if (which == batch.count) {
    batch.count = negative;
    return;
  }
  BatchCall::Group& group = batch.groups[static_cast<std::size_t>(which)];
  if (bytes.below(4) != 0) return spoil(group.call, bytes);
  group.size = negative;
}

std::vector<Level3Call*> products_of(Level3Call& call) {
  return {&call};
}
std::vector<Level3Call*> products_of(BatchCall& batch) {
  std::vector<Level3Call*> all;
  for (BatchCall::Group& group : batch.groups) {
    for (Level3Call& product : group.products) all.push_back(&product);
  }
  return all;
}

void make_wild(Level3Call& call, Bytes& bytes) {
  for (std::vector<double>* words : {&call.a, &call.b}) {
    for (Index i = bytes.below(4); i > 0 && !words->empty(); --i) {
      (*words)[static_cast<std::size_t>(bytes.below(256)) % words->size()] = bytes.word();
    }
  }
}

// Words that the call does not write: what `expected` left as it was.
void require_nothing_else_written(const Level3Call& call, const std::vector<double>& before) {
  for (std::size_t i = 0; i < call.c.size(); ++i) {
    const auto as_bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
    const bool is_padding = call.expected[i] != call.expected[i];
    if (is_padding) REQUIRE(as_bits(call.c[i]) == as_bits(before[i]));
  }
}

void require_right(const Level3Call& call, Kind kind, const std::vector<double>& before) {
  if (kind == Kind::Wild) return require_nothing_else_written(call, before);
  if (kind == Kind::Illegal) {
    REQUIRE(before.empty() || std::memcmp(before.data(), call.c.data(), before.size() * sizeof(double)) == 0);
    return;
  }
  const std::string wrong = difference(call);
  if (!wrong.empty()) std::fprintf(stderr, "%s\n", wrong.c_str());
  REQUIRE(wrong.empty());
}

template <class Call>
void check(Call call, Name name, Kind kind, Bytes& bytes) {
  if (kind == Kind::Illegal) spoil(call, bytes);
  const std::vector<Level3Call*> products = products_of(call);
  std::vector<std::vector<double>> before;
  for (Level3Call* product : products) {
    if (kind == Kind::Wild) make_wild(*product, bytes);
    before.push_back(product->c);
  }
  reports = 0;
  REQUIRE(invoke(call, name));
  REQUIRE(reports == (kind == Kind::Illegal ? 1 : 0));
  for (std::size_t i = 0; i < products.size(); ++i) require_right(*products[i], kind, before[i]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool chosen = choose_environment();
  (void)chosen;
  Bytes bytes(data, size);
  const Routine& routine = routines[bytes.below(static_cast<Index>(routine_count))];
  const auto name = static_cast<Name>(bytes.below(5));
  const Layout layout = is_cblas(name) && bytes.below(2) == 1 ? Layout::Rows : Layout::Columns;
  const auto kind = static_cast<Kind>(bytes.below(4));
  thread_state().precision = static_cast<Precision>(1 + bytes.below(4));
  const Index most = bytes.below(16) == 0 ? 70 : 8;
  const auto draw = [&bytes](Index n) { return bytes.below(n); };
  const bool batch = routine.family == Family::GemmBatch || routine.family == Family::GemmBatchStrided;
  batch ? check(draw_batch(routine, layout, most, draw), name, kind, bytes)
        : check(draw_call(routine, layout, most, draw), name, kind, bytes);
  return 0;
}
