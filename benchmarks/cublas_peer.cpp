// SPDX-License-Identifier: MIT
// How fast and how accurate is cuBLAS on matrices that stay on the device? Libraries and driver are opened when the program runs; a
// library in LD_PRELOAD that puts its own cublasDgemm_v2 in front is the one that is measured. One JSON object a line.
// With --beside the product of our C API (class fp64) is measured in turn with it: with what was prepared of its operands kept, and with
// operands just written. Then both go 1.5 s without a pause.
// Usage: cublas_peer [--beside] NAME LIBRARY native|emulated dgemm|zgemm MxNxK...
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "apple_bottom.h"
#include "device/cuda/driver.hpp"

namespace {

namespace cuda = ab::device::cuda;

constexpr int warm_up = 3, runs = 7, sampled = 64;  // as applebottom bench
constexpr int emulated_math = 8;                    // CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH of cublas_api.h, CUDA 13.0
constexpr double unit = 0x1p-53;

using Handle = void*;
using Gemm = int(Handle, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*, int);

void check(int status, const char* what) {
  if (status != 0) throw std::runtime_error(std::string(what) + " failed with " + std::to_string(status));
}

// The first library with that name: what LD_PRELOAD puts in front, else cuBLAS.
template <class Function>
Function* entry(const char* name) {
  auto* const found = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
  if (found == nullptr) throw std::runtime_error(std::string("there is no ") + name);
  return found;
}

struct Case {
  std::string name, library, mode, operation;
  bool beside;
  int m, n, k;
  int parts() const { return operation == "zgemm" ? 2 : 1; }
};

class OnDevice {
 public:
  OnDevice(const cuda::Driver& driver, std::size_t words) : driver_(driver), bytes_(words * sizeof(double)) {
    check(driver_.mem_alloc(&address_, bytes_), "cuMemAlloc");
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { driver_.mem_free(address_); }
  void write(const std::vector<double>& from) {
    check(driver_.copy_to_device(address_, from.data(), bytes_, nullptr), "cuMemcpyHtoDAsync");
    check(driver_.stream_synchronize(nullptr), "cuStreamSynchronize");
  }
  std::vector<double> read() const {
    std::vector<double> to(bytes_ / sizeof(double));
    check(driver_.copy_to_host(to.data(), address_, bytes_, nullptr), "cuMemcpyDtoHAsync");
    check(driver_.stream_synchronize(nullptr), "cuStreamSynchronize");
    return to;
  }
  void* pointer() const { return reinterpret_cast<void*>(address_); }

 private:
  const cuda::Driver& driver_;
  std::size_t bytes_;
  cuda::Address address_ = 0;
};

std::vector<double> random_words(std::size_t count, std::mt19937_64& generator) {
  std::vector<double> words(count);
  for (double& word : words) word = static_cast<double>(static_cast<std::int64_t>(generator())) * 0x1p-63;
  return words;
}

// A sum of products in twice the working precision (Ogita, Rump, Oishi 2005), and the sum of absolute values.
struct Sum {
  double high = 0, low = 0, absolute = 0;
  void add(double a, double b) {
    const double product = a * b, product_error = std::fma(a, b, -product);
    const double sum = high + product, part = sum - high;
    low += (high - (sum - part)) + (product - part) + product_error;
    high = sum;
    absolute += std::fabs(product);
  }
};

struct Operands {
  std::vector<double> a, b;  // column-major, complex numbers as pairs
};

double error_of_entry(const Case& asked, const Operands& x, const std::vector<double>& c, std::size_t i, std::size_t j) {
  const auto m = static_cast<std::size_t>(asked.m), k = static_cast<std::size_t>(asked.k), parts = static_cast<std::size_t>(asked.parts());
  Sum re, im;
  for (std::size_t l = 0; l < k; ++l) {
    const double* const a = &x.a[(l * m + i) * parts];
    const double* const b = &x.b[(j * k + l) * parts];
    re.add(a[0], b[0]);
    if (parts == 1) continue;
    re.add(-a[1], b[1]);
    im.add(a[0], b[1]);
    im.add(a[1], b[0]);
  }
  const double* const got = &c[(j * m + i) * parts];
  double error = std::fabs((got[0] - re.high) - re.low) / re.absolute;
  if (parts == 2) error = std::max(error, std::fabs((got[1] - im.high) - im.low) / im.absolute);
  return error / unit;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void require(ABStatus status) {
  if (status != AB_OK) throw std::runtime_error(ab_last_error());
}

// The same product by the C API: matrices that stay on the device.
class Ours {
 public:
  Ours(const Case& asked, const Operands& x) : parts_(asked.parts()) {
    for (int part = 0; part < parts_; ++part) {
      a_[part] = matrix(asked.m, asked.k, x.a, part);
      b_[part] = matrix(asked.k, asked.n, x.b, part);
      c_[part] = matrix(asked.m, asked.n, {}, part);
    }
  }
  Ours(const Ours&) = delete;
  Ours& operator=(const Ours&) = delete;
  ~Ours() {
    for (const auto& matrices : {a_, b_, c_}) {
      for (int part = 0; part < parts_; ++part) ab_matrix_destroy(matrices[part]);
    }
  }
  void multiply() { require(parts_ == 1 ? ab_dgemm(a_[0], b_[0], c_[0]) : ab_zgemm(a_[0], a_[1], b_[0], b_[1], c_[0], c_[1])); }
  // What was prepared of the operands is of no use any more.
  void write_operands() {
    for (const auto& matrices : {a_, b_}) {
      for (int part = 0; part < parts_; ++part) require(ab_matrix_scale(1.0, matrices[part]));
    }
  }

 private:
  // The parts differ: with equal ones every real part of the result would be zero, which takes the long way.
  static ABMatrix matrix(int rows, int cols, const std::vector<double>& words, int part) {
    ABMatrix made = ab_matrix_create(rows, cols);
    if (made == nullptr) throw std::runtime_error(ab_last_error());
    if (!words.empty()) require(ab_matrix_upload(made, words.data() + static_cast<std::size_t>(part) * ab_matrix_count(made), true));
    return made;
  }
  int parts_;
  std::array<ABMatrix, 2> a_{}, b_{}, c_{};
};

double time_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Seconds a call when calls follow one another for 1.5 s.
double sustained(const std::function<void()>& body) {
  constexpr double long_enough_s = 1.5;
  int calls = 0;
  double elapsed_s = 0;
  for (; elapsed_s < long_enough_s; ++calls) elapsed_s += time_of(body);
  return elapsed_s / calls;
}

// By what took it: the peer, our product with prepared operands, and with fresh ones.
struct Times {
  std::vector<double> peer, kept, fresh;
  double sustained_peer = 0, sustained_kept = 0;
};

Times time_in_turn(const std::function<void()>& peer, Ours* ours) {
  Times times;
  for (int run = -warm_up; run < runs; ++run) {
    const auto time = [&](std::vector<double>& to, const std::function<void()>& body) {
      const double seconds = time_of(body);
      if (run >= 0) to.push_back(seconds);
    };
    time(times.peer, peer);
    if (ours == nullptr) continue;
    ours->write_operands();
    time(times.fresh, [&] { ours->multiply(); });
    time(times.kept, [&] { ours->multiply(); });
  }
  if (ours == nullptr) return times;
  times.sustained_peer = sustained(peer);
  times.sustained_kept = sustained([&] { ours->multiply(); });
  return times;
}

void measure(const cuda::Driver& driver, Handle handle, const Case& asked) {
  std::mt19937_64 generator(1);
  const auto m = static_cast<std::size_t>(asked.m), n = static_cast<std::size_t>(asked.n), k = static_cast<std::size_t>(asked.k);
  const auto parts = static_cast<std::size_t>(asked.parts());
  const Operands x{random_words(m * k * parts, generator), random_words(k * n * parts, generator)};
  OnDevice a(driver, x.a.size()), b(driver, x.b.size()), c(driver, m * n * parts);
  a.write(x.a);
  b.write(x.b);
  auto* const gemm = entry<Gemm>(parts == 2 ? "cublasZgemm_v2" : "cublasDgemm_v2");
  const double one[2] = {1, 0}, zero[2] = {0, 0};
  const auto multiply = [&] {
    check(gemm(handle, 0, 0, asked.m, asked.n, asked.k, one, a.pointer(), asked.m, b.pointer(), asked.k, zero, c.pointer(), asked.m),
          "gemm");
    check(driver.stream_synchronize(nullptr), "cuStreamSynchronize");
  };
  const auto ours = asked.beside ? std::make_unique<Ours>(asked, x) : nullptr;
  const Times times = time_in_turn(multiply, ours.get());
  const std::vector<double> result = c.read();
  double error_u = 0;
  for (int s = 0; s < sampled; ++s) error_u = std::max(error_u, error_of_entry(asked, x, result, generator() % m, generator() % n));
  const double median_s = median(times.peer), flops = (parts == 2 ? 8.0 : 2.0) * asked.m * asked.n * asked.k;
  std::printf(
      "{\"op\":\"%s\",\"shape\":\"%dx%dx%d\",\"peer\":\"%s\",\"library\":\"%s\",\"mode\":\"%s\",\"operands\":\"resident\",\"runs\":%d,"
      "\"median_s\":%.9g,\"gflops\":%.6g,\"error_u\":%.4g",
      asked.operation.c_str(), asked.m, asked.n, asked.k, asked.name.c_str(), asked.library.c_str(), asked.mode.c_str(), runs, median_s,
      flops / median_s * 1e-9, error_u);
  if (ours) {
    const auto rate = [&](double seconds) { return flops / seconds * 1e-9; };
    std::printf(",\"sustained_gflops\":%.6g,\"ours\":{\"kept_gflops\":%.6g,\"fresh_gflops\":%.6g,\"sustained_gflops\":%.6g}",
                rate(times.sustained_peer), rate(median(times.kept)), rate(median(times.fresh)), rate(times.sustained_kept));
  }
  std::printf("}\n");
  std::fflush(stdout);
}

int run(std::vector<std::string> words) {
  const bool beside = words[0] == "--beside";
  if (beside) words.erase(words.begin());
  const cuda::Driver* const driver = cuda::driver();
  if (driver == nullptr) throw std::runtime_error("there is no CUDA driver here");
  cuda::Number device = 0;
  cuda::ContextHandle context = nullptr;
  check(driver->device_get(&device, 0), "cuDeviceGet");
  check(driver->primary_retain(&context, device), "cuDevicePrimaryCtxRetain");
  check(driver->push_current(context), "cuCtxPushCurrent");
  if (dlopen(words[1].c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) throw std::runtime_error(dlerror());
  Handle handle = nullptr;
  check(entry<int(Handle*)>("cublasCreate_v2")(&handle), "cublasCreate");
  if (words[2] == "emulated") check(entry<int(Handle, int)>("cublasSetMathMode")(handle, emulated_math), "cublasSetMathMode");
  if (beside) require(ab_init());
  for (std::size_t i = 4; i < words.size(); ++i) {
    Case asked{words[0], words[1], words[2], words[3], beside, 0, 0, 0};
    if (std::sscanf(words[i].c_str(), "%dx%dx%d", &asked.m, &asked.n, &asked.k) != 3) throw std::runtime_error(words[i] + " is no MxNxK");
    measure(*driver, handle, asked);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 6) {
    std::fprintf(stderr, "usage: cublas_peer [--beside] NAME LIBRARY native|emulated dgemm|zgemm MxNxK...\n");
    return 2;
  }
  try {
    return run(std::vector<std::string>(arguments + 1, arguments + count));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cublas_peer: %s\n", error.what());
    return 3;
  }
}
