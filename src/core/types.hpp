// SPDX-License-Identifier: MIT
// Words every layer shares: sizes, scalars, the letters of BLAS, precision classes, reason words.
#pragma once
#include <complex>
#include <concepts>
#include <cstdint>

namespace ab {

using Index = std::int64_t;  // every dimension, leading dimension and offset
using Complex = std::complex<double>;

template <class T>
concept Scalar = std::same_as<T, double> || std::same_as<T, Complex>;

// The letters of BLAS; small, so that a described operand is.
enum class Op : std::uint8_t { None, Transpose, ConjugateTranspose };
enum class Triangle : std::uint8_t { Full, Upper, Lower };  // which entries of a matrix exist
enum class Side : std::uint8_t { Left, Right };
enum class Diagonal : std::uint8_t { Stored, Unit };

// The numbers of the following three are those of the public enums in apple_bottom.h.
enum class Precision { DoubleFloat = 1, Fast = 2, Fp64 = 3, Strict = 4, Exact = 5 };
enum class Engine { None = 0, Host = 1, Device = 2, Split = 3 };
enum class Scheme { None = 0, Trivial = 1, Vendor = 2, Ieee = 3, DoubleFloat = 4, CrtInt8 = 5, Crt10Bit = 6, Crt11Bit = 7, Exact = 8 };

/// False for a class that this version does not compute yet: the one place that says so.
bool is_available(Precision precision);

// How a device makes a product: as the precision class says, or by its vendor's own FP64 GEMM.
enum class Method : std::uint8_t { Class, Vendor };

enum class ModuliFamily { Int8, Ten, Eleven };

/// The fixed vocabulary of reports (docs/integration.md, spec 8.2): first the routes, then the declines.
enum class Reason {
  None,
  QuickReturn,
  Reentry,
  Disabled,
  ForkedChild,
  ModeCpu,
  NoDevice,
  BelowMinDim,
  ModeGpu,
  Precision,
  Reproducible,
  NoHostBlas,
  NoMeasurement,
  TableFaster,
  TableSlower,
  Resident,
  Nonfinite,
  Range,
  Uncertified,
  MemoryCap,
  AllocationFailed,
  DeviceError,
  DeviceLost,
  KernelMissing,
  SizeLimit,
  NotConverged,
  Count
};
const char* word_of(Reason reason);        // "table_faster"; "" for None; static storage
const char* word_of(Precision precision);  // "fp64"
const char* word_of(Scheme scheme);        // "crt_int8"
const char* word_of(Engine engine);        // "device"

}  // namespace ab
