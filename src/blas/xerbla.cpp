// SPDX-License-Identifier: MIT
#include "blas/xerbla.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "core/thread_state.hpp"
#include "report/output.hpp"

// Defined by the program, by one of its libraries, or nowhere.
extern "C" {
[[gnu::weak]] void xerbla_(const char* routine, const int* info, std::size_t length);
[[gnu::weak]] void cblas_xerbla(int info, const char* routine, const char* format, ...);
}

namespace ab::blas {
namespace {

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

template <class Function>
bool is_usable(Function* handler) noexcept {
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

void print_fault(const char* routine, int position, const ArgumentFault& fault, char letter) noexcept {
  char line[line_length];
  if (fault.least < 0) {
    std::snprintf(line, sizeof line, " ** On entry to %s parameter number %2d had an illegal value (%s = '%c', expected N, T or C)\n",
                  routine, position, fault.name, letter >= ' ' && letter <= '~' ? letter : '?');
  } else {
    std::snprintf(line, sizeof line, " ** On entry to %s parameter number %2d had an illegal value (%s = %lld, expected >= %lld)\n",
                  routine, position, fault.name, static_cast<long long>(fault.value), static_cast<long long>(fault.least));
  }
  print(line);
}

// A fault of the exchanged problem in the caller's words.
ArgumentFault as_passed(ArgumentFault fault, Order order) {
  if (order == Order::ColumnMajor) return fault;
  constexpr struct {
    int exchanged, passed;
    const char* name;
  } places[] = {{3, 4, "n"}, {4, 3, "m"}, {8, 10, "ldb"}, {10, 8, "lda"}};
  for (const auto& place : places) {
    if (place.exchanged == fault.position) return {place.passed, place.name, fault.value, fault.least};
  }
  return fault;
}

const char* expected(const char* name) {
  if (std::strcmp(name, "order") == 0) return "101 or 102";
  return "111, 112 or 113";
}

}  // namespace

void report_fault(const char* routine, const ArgumentFault& fault, char letter) {
  note_rejected_call();
  if (!is_usable(&xerbla_)) return print_fault(routine, fault.position, fault, letter);
  const int info = fault.position;
  xerbla_(routine, &info, std::strlen(routine));
}

void report_cblas_enum(const char* routine, const CblasEnum& bad) {
  note_rejected_call();
  if (is_usable(&cblas_xerbla)) {
    cblas_xerbla(bad.position, routine, "illegal %s setting, %d\n", bad.name, bad.value);
    return;
  }
  char line[line_length];
  std::snprintf(line, sizeof line, " ** On entry to %s parameter number %2d had an illegal value (%s = %d, expected %s)\n", routine,
                bad.position, bad.name, bad.value, expected(bad.name));
  print(line);
}

void report_cblas_fault(const char* routine, const char* fortran_routine, Order order, const ArgumentFault& fault) {
  note_rejected_call();
  if (is_usable(&xerbla_)) {
    const int info = fault.position;
    xerbla_(fortran_routine, &info, std::strlen(fortran_routine));
  } else if (is_usable(&cblas_xerbla)) {
    cblas_xerbla(fault.position + 1, routine, "");
  } else {
    const ArgumentFault passed = as_passed(fault, order);
    print_fault(routine, passed.position + 1, passed, ' ');
  }
}

}  // namespace ab::blas
