// SPDX-License-Identifier: MIT
#include "support/run_golden.hpp"

#include <cstring>
#include <map>
#include <sstream>

#include "core/error.hpp"
#include "device/registry.hpp"

namespace ab::test {
namespace {

constexpr std::size_t margin = 24;  // bytes before, between and after the arrays: offsets that are multiples of 8 and of nothing more
constexpr std::byte filler{0xA5};

std::size_t bytes_of(const std::vector<double>& array) {
  return array.size() * sizeof(double);
}

std::size_t append(std::vector<std::byte>& all, const std::vector<double>& array) {
  const std::size_t offset = all.size();
  all.resize(offset + bytes_of(array) + margin, filler);
  if (!array.empty()) std::memcpy(all.data() + offset, array.data(), bytes_of(array));
  return offset;
}

// A copy of an array that starts at a multiple of 8 bytes, or 4 bytes behind one.
class HostArray {
 public:
  HostArray(const std::vector<double>& array, Way way) : shift_(way == Way::Copied ? 4 : 0), bytes_(bytes_of(array) + 8, filler) {
    if (!array.empty()) std::memcpy(bytes_.data() + shift_, array.data(), bytes_of(array));
    before_ = bytes_;
  }
  template <class T>
  T* data() {
    return reinterpret_cast<T*>(bytes_.data() + shift_);
  }
  bool is_kept() const { return bytes_ == before_; }
  bool edges_are_kept() const {
    return std::equal(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(shift_), before_.begin()) &&
           std::equal(bytes_.end() - static_cast<std::ptrdiff_t>(8 - shift_), bytes_.end(),
                      before_.end() - static_cast<std::ptrdiff_t>(8 - shift_));
  }
  std::vector<double> values() const {
    std::vector<double> out((bytes_.size() - 8) / sizeof(double));
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + shift_, bytes_of(out));
    return out;
  }

 private:
  std::size_t shift_;
  std::vector<std::byte> bytes_, before_;
};

template <Scalar T>
Ran run_staged(ops::Context& context, const Call& call, Way way, const ops::Choices& choices) {
  HostArray a(call.a, way), b(call.b, way), c(call.c, way);
  const GemmProblem<T> problem = problem_of<T>(call, {a.data<const T>(), b.data<const T>(), c.data<T>()});
  Ran ran;
  try {
    ran.outcome = ops::gemm(context, problem, choices);
  } catch (const Error& error) {
    ran.error = error.what();
  }
  ran.c = c.values();
  ran.others_kept = a.is_kept() && b.is_kept() && c.edges_are_kept();
  return ran;
}

template <Scalar T>
Ran run_there(ops::Context& context, const Call& call, const ops::Choices& choices) {
  Ran ran;
  ran.c = call.c;
  const GemmProblem<T> problem = problem_of<T>(call, ran.c);
  try {
    ran.outcome = ops::gemm(context, problem, choices);
  } catch (const Error& error) {
    ran.error = error.what();
  }
  return ran;
}

Ran run_resident(ops::Context& context, const Call& call, const ops::Choices& choices) {
  const ResidentCall resident(context, call);
  Outcome outcome;
  std::string error;
  try {
    outcome = ops::multiply(context, resident.product(), choices);
  } catch (const Error& caught) {
    error = caught.what();
  }
  Ran ran = resident.read_back();
  ran.outcome = outcome;
  ran.error = error;
  return ran;
}

}  // namespace

ops::Choices choices_for(Precision precision, ModuliFamily family) {
  ops::Choices choices;
  choices.precision = precision;
  choices.family = family;
  return choices;
}

bool exists(Way way, const Call& call) {
  return call.kind == Kind::Gemm || way == Way::Resident || way == Way::ResidentPrivate;
}

ResidentCall::ResidentCall(ops::Context& context, const Call& call) : context_(context), call_(call) {
  const int words = call.parts();
  before_.assign(margin, filler);
  const std::size_t a = append(before_, call.a), b = append(before_, call.b);
  c_offset_ = append(before_, call.c);
  memory_ = context.device().allocate(before_.size());
  context.queue().write(*memory_, 0, before_);
  product_.left = ops::left_operand({memory_.get(), a}, words, call.transa, call.m, call.k, call.lda);
  product_.right = ops::right_operand({memory_.get(), b}, words, call.transb, call.k, call.n, call.ldb);
  if (call.kind != Kind::Gemm) product_.right = product_.left;
  if (call.kind == Kind::Herk) product_.right.conjugate = !product_.left.conjugate;
  product_.c = ops::result({memory_.get(), c_offset_}, words, call.m, call.n, call.ldc);
  product_.alpha = call.alpha;
  product_.beta = call.beta;
  product_.triangle = call.triangle;
  product_.hermitian = call.kind == Kind::Herk;
}

Ran ResidentCall::read_back() const {
  std::vector<std::byte> after(before_.size());
  context_.queue().read(*memory_, 0, after);
  Ran ran;
  ran.c.resize(call_.c.size());
  const auto begin = static_cast<std::ptrdiff_t>(c_offset_), end = static_cast<std::ptrdiff_t>(c_offset_ + bytes_of(call_.c));
  if (!ran.c.empty()) std::memcpy(ran.c.data(), after.data() + begin, bytes_of(ran.c));
  ran.others_kept = std::equal(after.begin(), after.begin() + begin, before_.begin()) &&
                    std::equal(after.begin() + end, after.end(), before_.begin() + end);
  return ran;
}

Ran run_call(ops::Context& context, const Call& call, Way way, const ops::Choices& choices) {
  if (way == Way::Resident || way == Way::ResidentPrivate) {
    ops::Choices resident = choices;
    resident.private_result = way == Way::ResidentPrivate;
    return run_resident(context, call, resident);
  }
  return call.type == Type::Real ? run_staged<double>(context, call, way, choices) : run_staged<Complex>(context, call, way, choices);
}

Ran run_in_place(ops::Context& context, const Call& call, const ops::Choices& choices) {
  return call.type == Type::Real ? run_there<double>(context, call, choices) : run_there<Complex>(context, call, choices);
}

std::string difference_of_reports(const ProductReport& expected, const ProductReport& got) {
  std::ostringstream out;
  const auto compare = [&](const char* what, auto wanted, auto found) {
    if (wanted != found) out << what << " " << found << " instead of " << wanted << "; ";
  };
  compare("class", std::string(word_of(expected.precision)), std::string(word_of(got.precision)));
  compare("scheme", std::string(word_of(expected.scheme)), std::string(word_of(got.scheme)));
  compare("moduli", expected.moduli, got.moduli);
  compare("escalations", expected.escalations, got.escalations);
  compare("guard", expected.guard, got.guard);
  compare("form", expected.complex_form, got.complex_form);
  compare("bound", expected.bound, got.bound);
  compare("reason", std::string(word_of(expected.fallback_reason)), std::string(word_of(got.fallback_reason)));
  compare("engine", std::string(word_of(Engine::Device)), std::string(word_of(got.engine)));
  return out.str();
}

std::string difference_of_run(const Call& call, const Verdict& expected, const Ran& ran, const ops::Choices& choices) {
  if (!ran.error.empty()) return call.name + ": " + ran.error;
  if (ran.outcome.declined) return call.name + ": declined, " + word_of(ran.outcome.declined->reason);
  if (!ran.others_kept) return call.name + ": something besides C was written";
  const std::string bits = difference(call, expected.c, ran.c);
  if (!bits.empty()) return bits;
  const std::string report =
      difference_of_reports(expected_report(expected.report, choices.precision, *choices.family), ran.outcome.report);
  return report.empty() ? "" : call.name + ": report: " + report;
}

ops::Context& context_of(int device) {
  constexpr std::uint64_t cap_bytes = std::uint64_t{256} << 20;
  // Never destroyed, as the library's own are not: a driver's handlers of exit() may run first.
  static auto& open = *new std::map<int, std::unique_ptr<ops::Context>>;
  std::unique_ptr<ops::Context>& context = open[device];
  if (!context) context = std::make_unique<ops::Context>(device, device::open(device), cap_bytes);
  return *context;
}

}  // namespace ab::test
