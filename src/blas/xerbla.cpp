// SPDX-License-Identifier: MIT
#include "blas/xerbla.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "core/thread_state.hpp"
#include "report/output.hpp"

// Handlers are defined by the program, by one of its libraries, or nowhere.
using FortranHandler = void (*)(const char* routine, const int* info, std::size_t length);
using Fortran64Handler = void (*)(const char* routine, const std::int64_t* info, std::size_t length);
using CblasHandler = void (*)(int info, const char* routine, const char* format, ...);
#if !defined(__APPLE__)
extern "C" {
[[gnu::weak]] void xerbla_(const char* routine, const int* info, std::size_t length);
[[gnu::weak]] void xerbla_64_(const char* routine, const std::int64_t* info, std::size_t length);
[[gnu::weak]] void cblas_xerbla(int info, const char* routine, const char* format, ...);
}
#endif

namespace ab::blas {
namespace {

#if defined(__APPLE__)  // Mach-O links no reference to what is defined nowhere: names are looked for
FortranHandler fortran_handler() noexcept {
  return reinterpret_cast<FortranHandler>(dlsym(RTLD_DEFAULT, "xerbla_"));
}
Fortran64Handler fortran_64_handler() noexcept {
  return reinterpret_cast<Fortran64Handler>(dlsym(RTLD_DEFAULT, "xerbla_64_"));
}
CblasHandler cblas_handler() noexcept {
  return reinterpret_cast<CblasHandler>(dlsym(RTLD_DEFAULT, "cblas_xerbla"));
}
#else
FortranHandler fortran_handler() noexcept {
  return &xerbla_;
}
Fortran64Handler fortran_64_handler() noexcept {
  return &xerbla_64_;
}
CblasHandler cblas_handler() noexcept {
  return &cblas_xerbla;
}
#endif

/// Does the object that holds this function define BLAS routines too? Then it is a BLAS library, and some stop the process in theirs.
/// A program that links us statically is none for that: the routines in it are ours.
bool lies_in_blas_library(const void* function) noexcept {
  static const char anchor = 0;
  Dl_info own, us;
  if (dladdr(function, &own) == 0 || dladdr(&anchor, &us) == 0 || own.dli_fbase == us.dli_fbase) return false;
  void* object = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) object = dlopen(nullptr, RTLD_LAZY);  // the program itself, which cannot be opened by name
  if (object == nullptr) return false;
  bool found = false;
  for (const char* name : {"dgemm_", "cblas_dgemm"}) {
    Dl_info other;
    const void* routine = dlsym(object, name);
    found = found || (routine != nullptr && dladdr(routine, &other) != 0 && other.dli_fbase == own.dli_fbase);
  }
  dlclose(object);
  return found;
}

template <class Handler>
bool is_usable(Handler handler) noexcept {
  return handler != nullptr && !lies_in_blas_library(reinterpret_cast<const void*>(handler));
}

void print(const char* line) noexcept {
  report::write_whole(STDERR_FILENO, std::string_view(line, std::strlen(line)));
}

constexpr std::size_t line_length = 200;

void note_rejected_call() noexcept {
  ThreadState& thread = thread_state();
  thread.any_blas_call = true;
  thread.last_path_was_gpu = false;
}

// The routine's name as xerbla has it.
struct PaddedName {
  char text[24] = "      ";
  std::size_t length = 6;

  explicit PaddedName(const Routine& routine) {
    length = std::max(length, routine.name.size());
    std::transform(routine.name.begin(), routine.name.end(), text,
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  }
};

struct CblasName {
  char text[32];
  explicit CblasName(const Routine& routine) { std::snprintf(text, sizeof text, "cblas_%s", routine.name.data()); }
};

void print_fault(const char* routine, int position, const ArgumentFault& fault, char letter) noexcept {
  char line[line_length];
  if (fault.expected != nullptr) {
    std::snprintf(line, sizeof line, " ** On entry to %s parameter number %2d had an illegal value (%s = '%c', expected %s)\n", routine,
                  position, fault.name, letter >= ' ' && letter <= '~' ? letter : '?', fault.expected);
  } else {
    std::snprintf(line, sizeof line, " ** On entry to %s parameter number %2d had an illegal value (%s = %lld, expected >= %lld)\n",
                  routine, position, fault.name, static_cast<long long>(fault.value), static_cast<long long>(fault.least));
  }
  print(line);
}

// A fault of the column-major form of a row-major call in the caller's words: what changed places in pairs.
ArgumentFault as_passed(const Front& front, ArgumentFault fault) {
  if (front.order == Order::ColumnMajor) return fault;
  struct Pair {
    const char *first, *second;
    int first_position, second_position;
  };
  const bool factors = variants_of(*front.routine) == Variants::Transposes, gemmt = front.routine->family == Family::Gemmt;
  const bool symmetric = front.routine->family == Family::Symmetric;
  const int ldb = front.routine->family == Family::GemmBatchStrided ? 11 : 10;
  const Pair sizes = {"m", "n", factors || symmetric ? 3 : 5, factors || symmetric ? 4 : 6}, strides = {"lda", "ldb", 8, ldb};
  for (const Pair& pair : {sizes, strides}) {
    const bool first = std::strcmp(fault.name, pair.first) == 0, second = std::strcmp(fault.name, pair.second) == 0;
    const bool exchanged = pair.first_position == 8 ? factors : !gemmt && variants_of(*front.routine) != Variants::TriangleAndTranspose;
    if (!exchanged || (!first && !second)) continue;
    fault.name = first ? pair.second : pair.first;
    fault.position = first ? pair.second_position : pair.first_position;
  }
  return fault;
}

const char* expected_numbers(const char* name) {
  if (std::strcmp(name, "side") == 0) return "141 or 142";
  if (std::strcmp(name, "uplo") == 0) return "121 or 122";
  if (std::strcmp(name, "diag") == 0) return "131 or 132";
  return "111, 112 or 113";
}

bool has_fortran_handler(const Front& front) {
  return front.integers == host_blas::Integers::Bits64 ? is_usable(fortran_64_handler()) : is_usable(fortran_handler());
}

void call_fortran_handler(const Front& front, int position) {
  const PaddedName name(*front.routine);
  const std::int64_t wide = position;
  if (front.integers == host_blas::Integers::Bits64) {
    fortran_64_handler()(name.text, &wide, name.length);
  } else {
    fortran_handler()(name.text, &position, name.length);
  }
}

}  // namespace

void report_fault(const Front& front, const ArgumentFault& fault, char letter) {
  note_rejected_call();
  if (has_fortran_handler(front)) return call_fortran_handler(front, fault.position);
  print_fault(PaddedName(*front.routine).text, fault.position, fault, letter);
}

void report_cblas_enum(const Front& front, const CblasEnum& bad) {
  note_rejected_call();
  const CblasName name(*front.routine);
  if (is_usable(cblas_handler())) {
    cblas_handler()(bad.position, name.text, "illegal %s setting, %d\n", bad.name, bad.value);
    return;
  }
  char line[line_length];
  std::snprintf(line, sizeof line, " ** On entry to %s parameter number %2d had an illegal value (%s = %d, expected %s)\n", name.text,
                bad.position, bad.name, bad.value, bad.expected != nullptr ? bad.expected : expected_numbers(bad.name));
  print(line);
}

void report_cblas_fault(const Front& front, const ArgumentFault& fault) {
  note_rejected_call();
  if (has_fortran_handler(front)) return call_fortran_handler(front, fault.position);
  const CblasName name(*front.routine);
  if (is_usable(cblas_handler())) {
    cblas_handler()(fault.position + 1, name.text, "");
  } else {
    const ArgumentFault passed = as_passed(front, fault);
    print_fault(name.text, passed.position + 1, passed, ' ');
  }
}

}  // namespace ab::blas
