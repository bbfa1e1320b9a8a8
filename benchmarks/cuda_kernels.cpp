// SPDX-License-Identifier: MIT
// How fast are the native CUDA kernels one by one? Events around launches on the first device: residues of both operands (terms that are
// neighbours, and vectors that are), product, reconstruction, for square products of 14 moduli. Contents are random, C is not checked.
// usage: cuda_kernels [--3m] [--sustained] [--ampere] N...     rates: GB/s of compulsory traffic, TOPS of int8 operations
// --ampere: products by warps, on any card
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "device/cuda/native/constants.hpp"
#include "device/cuda/native/native_kernels.hpp"
#include "numerics/moduli.hpp"

namespace {

using namespace ab;
using namespace ab::device::cuda;
using namespace ab::device::cuda::native;

class Machine {
 public:
  explicit Machine(GpuKernels kernels) : context_(*driver(), 0), current_(context_), kernels_(NativeKernels::load(context_, 0, kernels)) {
    check(call().stream_create(&stream_, stream_non_blocking));
    check(call().event_create(&from_, event_default));
    check(call().event_create(&to_, event_default));
  }
  const Driver& call() const { return context_.driver(); }
  NativeKernels* kernels() const { return kernels_.get(); }
  StreamHandle stream() const { return stream_; }
  void check(Result result) { context_.check(result, "a call of the benchmark"); }

  Address allocate(std::size_t bytes) {
    Address at = 0;
    check(call().mem_alloc(&at, bytes));
    taken_.push_back(at);
    return at;
  }
  // A block of random bytes, repeated.
  Address random_bytes(std::size_t bytes, const std::vector<std::uint64_t>& block) {
    const Address at = allocate(bytes);
    for (std::size_t done = 0; done < bytes; done += block.size() * 8)
      check(call().copy_to_device(at + done, block.data(), std::min(bytes - done, block.size() * 8), stream_));
    check(call().stream_synchronize(stream_));
    return at;
  }
  void release_all() {
    for (const Address at : taken_) call().mem_free(at);
    taken_.clear();
  }
  double milliseconds(const std::function<void()>& launch) {
    check(call().event_record(from_, stream_));
    launch();
    check(call().event_record(to_, stream_));
    check(call().event_synchronize(to_));
    float elapsed = 0;
    check(call().event_elapsed(&elapsed, from_, to_));
    return static_cast<double>(elapsed);
  }

 private:
  PrimaryContext context_;
  Current current_;
  std::unique_ptr<NativeKernels> kernels_;
  StreamHandle stream_ = nullptr;
  EventHandle from_ = nullptr, to_ = nullptr;
  std::vector<Address> taken_;
};

struct Options {
  bool complex = false, sustained = false;
};

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void report(Machine& machine, const Options& options, const char* name, double giga, const char* unit,
            const std::function<void()>& launch) {
  std::vector<double> times;
  for (int run = 0; run < 3; ++run) launch();
  for (int run = 0; run < 11; ++run) times.push_back(machine.milliseconds(launch));
  const double middle = median(times), best = *std::min_element(times.begin(), times.end());
  std::printf("  %-22s %9.4f ms %8.0f %s (best %8.0f)", name, middle, giga / middle * 1e3, unit, giga / best * 1e3);
  if (options.sustained) {
    const int count = std::max(4, static_cast<int>(1200 / middle));
    for (int run = 0; run < count; ++run) launch();
    const int last = std::max(2, count / 3);
    const double all = machine.milliseconds([&] {
      for (int run = 0; run < last; ++run) launch();
    });
    std::printf("  sustained %8.0f", giga * last / all * 1e3);
  }
  std::printf("\n");
  std::fflush(stdout);
}

// Random numbers in (-0.5, 0.5) and random bytes in -86..86, which are residues of every modulus.
std::vector<std::uint64_t> random_words(bool bytes) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> words(std::size_t{1} << 20);
  for (std::uint64_t& word : words) {
    if (!bytes) {
      word = __builtin_bit_cast(std::uint64_t, static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
      continue;
    }
    word = 0;
    for (int i = 0; i < 8; ++i) word = word << 8 | static_cast<std::uint8_t>(static_cast<std::int8_t>(random() % 173) - 86);
  }
  return words;
}

// The operands and results of one size.
struct Arrays {
  Index n;
  int products, parts;
  Address a, c, left, right, results, small;
  Index planes() const { return Index{moduli} * products; }
  double mega() const { return static_cast<double>(n * n) * 1e-9; }
  static constexpr int moduli = 14;
};

Arrays make_arrays(Machine& machine, const Options& options, Index n) {
  Arrays x{};
  x.n = n, x.products = options.complex ? 3 : 1, x.parts = options.complex ? 2 : 1;
  const auto words = static_cast<std::size_t>(n * n * x.parts), bytes = static_cast<std::size_t>(x.planes() * n * n);
  x.a = machine.random_bytes(8 * words, random_words(false));
  x.c = machine.allocate(8 * words);
  const std::vector<std::uint64_t> residues = random_words(true);
  x.left = machine.random_bytes(bytes, residues);
  x.right = machine.random_bytes(bytes, residues);
  x.results = machine.allocate(result_bytes({n, n}, x.planes()));
  x.small = machine.allocate(std::size_t{4} << 20);  // shifts of 0, records, the counter
  machine.check(machine.call().memset_words(x.small, 0, std::size_t{1} << 20, machine.stream()));
  return x;
}

kernels::vector_view view_of(const Arrays& x, bool along) {
  const Index far = x.n * x.parts;
  return {0,
          x.parts == 2 ? 1u : 0u,
          along ? far : x.parts,
          along ? x.parts : far,
          static_cast<unsigned>(x.n),
          static_cast<unsigned>(x.n),
          static_cast<unsigned>(x.parts),
          0};
}

void measure_operands(Machine& machine, const Options& options, const Arrays& x) {
  NativeKernels& kernels = *machine.kernels();
  for (const bool along : {true, false}) {
    kernels::scan_params s{};
    s.v = view_of(x, along);
    s.group_count = 1;
    const Address scan_buffers[] = {x.a, x.a, x.small, x.small + (1u << 21), x.small + (3u << 20)};
    report(machine, options, along ? "scan, along" : "scan, across", x.mega() * 8.0 * x.parts, "GB/s",
           [&] { kernels.run(Form::Scan, scan_buffers, std::as_bytes(std::span(&s, 1)), machine.stream()); });
    kernels::residues_params p{};
    p.v = view_of(x, along);
    p.all_vectors = p.inner_padded = static_cast<unsigned>(x.n);
    p.moduli = Arrays::moduli;
    p.kappa_sign = 1;
    p.budget = 1;
    const Address buffers[] = {x.a, x.a, x.small, x.small, x.small, x.results, x.small + (1u << 21)};
    report(machine, options, along ? "residues, along" : "residues, across", x.mega() * (8.0 * x.parts + static_cast<double>(x.planes())),
           "GB/s", [&] { kernels.run(Form::ResiduesI8, buffers, std::as_bytes(std::span(&p, 1)), machine.stream()); });
  }
}

void measure_product(Machine& machine, const Options& options, const Arrays& x) {
  PlaneProduct product{};
  product.left = x.left, product.right = x.right, product.left_all = product.right_all = product.inner_padded = x.n;
  product.rows = product.columns = x.n, product.moduli = Arrays::moduli, product.products = x.products, product.results = x.results;
  product.meetings = x.small;
  for (const Tiles tiles : {Tiles::Best, Tiles::Small, Tiles::Large}) {
    if (tiles != Tiles::Best && !machine.kernels()->has_warpgroups()) continue;
    product.tiles = tiles;
    report(machine, options,
           tiles == Tiles::Best    ? "product"
           : tiles == Tiles::Small ? "product, small tiles"
                                   : "product, large tiles",
           2e-3 * x.mega() * static_cast<double>(x.n * x.planes()), "TOPS",
           [&] { machine.kernels()->multiply(product, machine.stream()); });
  }
  machine.check(machine.call().memset_words(x.small, 0, 64, machine.stream()));
}

template <class T>
Address upload(Machine& machine, const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  const Address at = machine.allocate(bytes);
  machine.check(machine.call().copy_to_device(at, values.data(), bytes, machine.stream()));
  machine.check(machine.call().stream_synchronize(machine.stream()));
  return at;
}

void measure_reconstruction(Machine& machine, const Options& options, const Arrays& x) {
  constexpr int budget = 109;  // 14 moduli
  const numerics::ModuliSet& set = numerics::moduli(ModuliFamily::Int8, budget);
  ResultParams p{};
  p.results = reinterpret_cast<const unsigned char*>(x.results);
  p.left_shifts = p.right_shifts = reinterpret_cast<const int*>(upload(machine, std::vector<int>(static_cast<std::size_t>(x.n))));
  p.table = reinterpret_cast<const unsigned*>(upload(machine, std::vector(set.constants.begin(), set.constants.end())));
  p.whole = reinterpret_cast<const unsigned*>(upload(machine, std::vector{set.product}));
  p.c_re = reinterpret_cast<kernels::ulong*>(x.c);
  p.c_im = p.c_re + (x.parts == 2 ? 1 : 0);
  p.store = x.parts == 2 ? Store::Interleaved : Store::Rows;
  p.plain = true;
  p.rows = p.columns = static_cast<int>(x.n);
  p.p.c.row_stride = x.parts, p.p.c.column_stride = x.n * x.parts, p.p.c.parts = static_cast<unsigned>(x.parts);
  p.p.c.rows = p.p.c.columns = static_cast<unsigned>(x.n);
  p.p.s.alpha_re = __builtin_bit_cast(std::uint64_t, 1.0);
  p.p.form = x.products == 3 ? 3 : 1;
  set_up_weights(p, Arrays::moduli, x.products);
  report(machine, options, "reconstruction", x.mega() * (8.0 * x.parts + static_cast<double>(x.planes())), "GB/s",
         [&] { machine.kernels()->reconstruct(p, x.products, machine.stream()); });
}

void measure(Machine& machine, const Options& options, Index n) {
  const Arrays x = make_arrays(machine, options, n);
  std::printf("n = %ld, %s\n", static_cast<long>(n), options.complex ? "complex, three products" : "real");
  measure_operands(machine, options, x);
  measure_product(machine, options, x);
  measure_reconstruction(machine, options, x);
  machine.release_all();
}

}  // namespace

int main(int count, char** words) {
  Options options;
  GpuKernels kernels = GpuKernels::Best;
  std::vector<Index> sizes;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--3m") == 0) {
      options.complex = true;
    } else if (std::strcmp(words[i], "--sustained") == 0) {
      options.sustained = true;
    } else if (std::strcmp(words[i], "--ampere") == 0) {
      kernels = GpuKernels::Ampere;
    } else {
      sizes.push_back(std::atol(words[i]));
    }
  }
  if (sizes.empty()) return std::fprintf(stderr, "usage: cuda_kernels [--3m] [--sustained] [--ampere] N...\n"), 2;
  if (driver() == nullptr) return std::fprintf(stderr, "cuda_kernels: no CUDA driver here\n"), 77;
  try {
    Machine machine(kernels);
    if (machine.kernels() == nullptr) return std::fprintf(stderr, "cuda_kernels: no native kernels for this device\n"), 77;
    std::printf("products by %s\n", machine.kernels()->has_warpgroups() ? "warpgroups" : "warps");
    for (const Index n : sizes) measure(machine, options, n);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "cuda_kernels: %s\n", error.what()), 1;
  }
  return 0;
}
