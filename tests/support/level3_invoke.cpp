// SPDX-License-Identifier: MIT
// Calls by the names of functions, as Fortran and C programs make them.
#include <dlfcn.h>

#include "host_blas/conventions.hpp"
#include "support/level3_call.hpp"

namespace ab::test {
namespace {

template <class Int, class... A>
void pass(void* function, const Level3Call& call, Name name, const A&... arguments) {
  auto* typed = reinterpret_cast<host_blas::Function*>(function);
  if (name == Name::Fortran || name == Name::Fortran64) return host_blas::call_fortran<Int>(typed, arguments...);
  using Typed = void(int, decltype(host_blas::cblas_argument<Int>(arguments))...);
  const int order = call.layout == Layout::Rows ? 101 : 102;
  reinterpret_cast<Typed*>(function)(order, host_blas::cblas_argument<Int>(arguments)...);
}

template <class Int, Scalar T, Scalar S>
void pass_family(void* f, Level3Call& call, Name name, T alpha, T beta) {
  const Arguments& x = call.arguments;
  const auto* a = reinterpret_cast<const T*>(call.a.data());
  const auto* b = reinterpret_cast<const T*>(call.b.data());
  auto* c = reinterpret_cast<T*>(call.c.data());
  S real_alpha, real_beta;
  if constexpr (std::same_as<S, double>) {
    real_alpha = std::real(alpha), real_beta = std::real(beta);
  } else {
    real_alpha = alpha, real_beta = beta;
  }
  switch (call.routine->family) {
    case Family::Gemmt:
      return pass<Int>(f, call, name, *x.uplo, *x.op_a, *x.op_b, x.n, x.k, alpha, a, x.lda, b, x.ldb, beta, c, x.ldc);
    case Family::RankK:
      return pass<Int>(f, call, name, *x.uplo, *x.op_a, x.n, x.k, real_alpha, a, x.lda, real_beta, c, x.ldc);
    case Family::RankTwo:
      return pass<Int>(f, call, name, *x.uplo, *x.op_a, x.n, x.k, alpha, a, x.lda, b, x.ldb, real_beta, c, x.ldc);
    case Family::Symmetric:
      return pass<Int>(f, call, name, *x.side, *x.uplo, x.m, x.n, alpha, a, x.lda, b, x.ldb, beta, c, x.ldc);
    case Family::TriangularProduct:
    case Family::TriangularSolve:
      return pass<Int>(f, call, name, *x.side, *x.uplo, *x.op_a, *x.diag, x.m, x.n, alpha, a, x.lda, c, x.ldb);
    default:
      return pass<Int>(f, call, name, *x.op_a, *x.op_b, x.m, x.n, x.k, alpha, a, x.lda, b, x.ldb, beta, c, x.ldc);
  }
}

template <class Int>
void pass_typed(void* function, Level3Call& call, Name name) {
  if (!call.routine->complex) return pass_family<Int, double, double>(function, call, name, call.alpha.real(), call.beta.real());
  const bool real_scalars = call.routine->hermitian && call.routine->family != Family::Symmetric;
  if (real_scalars) return pass_family<Int, Complex, double>(function, call, name, call.alpha, call.beta);
  pass_family<Int, Complex, Complex>(function, call, name, call.alpha, call.beta);
}

std::string spelled(const std::string& routine, Name name) {
  switch (name) {
    case Name::Fortran:
      return routine + "_";
    case Name::Fortran64:
      return routine + "_64_";
    case Name::Cblas:
      return "cblas_" + routine;
    case Name::CblasUnderscore64:
      return "cblas_" + routine + "_64";
    default:
      return "cblas_" + routine + "64_";
  }
}

}  // namespace

bool invoke(Level3Call& call, Name name) {
  void* function = dlsym(RTLD_DEFAULT, spelled(std::string(call.routine->name), name).c_str());
  if (function == nullptr) return false;
  const bool wide = name == Name::Fortran64 || name == Name::Cblas64 || name == Name::CblasUnderscore64;
  wide ? pass_typed<std::int64_t>(function, call, name) : pass_typed<int>(function, call, name);
  return true;
}

}  // namespace ab::test
