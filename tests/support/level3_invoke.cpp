// SPDX-License-Identifier: MIT
// Calls by the names of functions, as Fortran and C programs make them.
#include <dlfcn.h>

#include <algorithm>
#include <utility>

#include "host_blas/conventions.hpp"
#include "support/batch_call.hpp"

namespace ab::test {
namespace {

// Fortran takes addresses, of integers of its width.
template <class Int, class A>
auto narrowed(const A& argument) {
  if constexpr (std::same_as<A, Index>) {
    return static_cast<Int>(argument);
  } else if constexpr (std::same_as<A, Spelling>) {
    return argument.letter;
  } else {
    return argument;
  }
}
template <class A>
auto address_of(const A& argument) {
  if constexpr (std::is_pointer_v<A>) {
    return argument;
  } else {
    return &argument;
  }
}
// CBLAS takes values, but for complex numbers.
template <class Int, class A>
auto value_of(const A& argument) {
  if constexpr (std::same_as<A, Spelling>) {
    return argument.number;
  } else {
    return host_blas::cblas_argument<Int>(argument);
  }
}

template <class... A>
void call_with(host_blas::Function* function, A... arguments) {
  reinterpret_cast<void (*)(A...)>(function)(arguments...);
}
template <class... A>
void call_with_addresses(host_blas::Function* function, const A&... arguments) {
  call_with(function, address_of(arguments)...);
}

Spelling spelling_of(const Level3Call& call, const auto& letter) {
  return letter ? Spelling{letter_of(*letter), host_blas::cblas_number(*letter)} : call.unknown;
}

struct Target {
  host_blas::Function* function;
  Name name;
  Layout layout;
  int order() const { return layout == Layout::Rows ? 101 : 102; }
};

template <class Int, class... A>
void pass(const Target& target, const A&... arguments) {
  if (is_cblas(target.name)) return call_with(target.function, target.order(), value_of<Int>(arguments)...);
  call_with_addresses(target.function, narrowed<Int>(arguments)...);
}

template <class Int, Scalar T, Scalar S>
void pass_family(const Target& target, Level3Call& call, T alpha, T beta) {
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
  const auto spelled = [&call](const auto& letter) { return spelling_of(call, letter); };
  const Spelling side = spelled(x.side), uplo = spelled(x.uplo), op_a = spelled(x.op_a), op_b = spelled(x.op_b), diag = spelled(x.diag);
  switch (call.routine->family) {
    case Family::Gemmt:
      return pass<Int>(target, uplo, op_a, op_b, x.n, x.k, alpha, a, x.lda, b, x.ldb, beta, c, x.ldc);
    case Family::RankK:
      return pass<Int>(target, uplo, op_a, x.n, x.k, real_alpha, a, x.lda, real_beta, c, x.ldc);
    case Family::RankTwo:
      return pass<Int>(target, uplo, op_a, x.n, x.k, alpha, a, x.lda, b, x.ldb, real_beta, c, x.ldc);
    case Family::Symmetric:
      return pass<Int>(target, side, uplo, x.m, x.n, alpha, a, x.lda, b, x.ldb, beta, c, x.ldc);
    case Family::TriangularProduct:
    case Family::TriangularSolve:
      return pass<Int>(target, side, uplo, op_a, diag, x.m, x.n, alpha, a, x.lda, c, x.ldb);
    default:
      return pass<Int>(target, op_a, op_b, x.m, x.n, x.k, alpha, a, x.lda, b, x.ldb, beta, c, x.ldc);
  }
}

template <class Int>
void pass_typed(const Target& target, Level3Call& call) {
  if (!call.routine->complex) return pass_family<Int, double, double>(target, call, call.alpha.real(), call.beta.real());
  const bool real_scalars = call.routine->hermitian && call.routine->family != Family::Symmetric;
  if (real_scalars) return pass_family<Int, Complex, double>(target, call, call.alpha, call.beta);
  pass_family<Int, Complex, Complex>(target, call, call.alpha, call.beta);
}

template <Scalar T>
T scalar_of(Complex value) {
  if constexpr (std::same_as<T, double>) {
    return value.real();
  } else {
    return value;
  }
}

// What a call with arrays of pointers takes: an entry a group, pointers a product.
template <class Int, Scalar T, class Letter>
struct GroupArrays {
  std::vector<Letter> op_a, op_b;
  std::vector<Int> m, n, k, lda, ldb, ldc, sizes;
  std::vector<T> alpha, beta;
  std::vector<const T*> a, b;
  std::vector<T*> c;

  explicit GroupArrays(BatchCall& batch) {
    const auto letter = [](const Spelling& spelling) {
      return static_cast<Letter>(sizeof(Letter) == 1 ? spelling.letter : spelling.number);
    };
    const auto size = [](Index value) { return static_cast<Int>(value); };
    for (BatchCall::Group& group : batch.groups) {
      const Arguments& x = group.call.arguments;
      op_a.push_back(letter(spelling_of(group.call, x.op_a))), op_b.push_back(letter(spelling_of(group.call, x.op_b)));
      m.push_back(size(x.m)), n.push_back(size(x.n)), k.push_back(size(x.k));
      lda.push_back(size(x.lda)), ldb.push_back(size(x.ldb)), ldc.push_back(size(x.ldc)), sizes.push_back(size(group.size));
      alpha.push_back(scalar_of<T>(group.call.alpha)), beta.push_back(scalar_of<T>(group.call.beta));
      for (Level3Call& product : group.products) {
        a.push_back(reinterpret_cast<const T*>(product.a.data()));
        b.push_back(reinterpret_cast<const T*>(product.b.data()));
        c.push_back(reinterpret_cast<T*>(product.c.data()));
      }
    }
  }
};

template <class Int, Scalar T>
void pass_groups(const Target& target, BatchCall& batch) {
  const auto count = static_cast<Int>(batch.count);
  const auto call = [&target](const auto& x, auto passed_count, auto... order) {
    call_with(target.function, order..., x.op_a.data(), x.op_b.data(), x.m.data(), x.n.data(), x.k.data(), x.alpha.data(), x.a.data(),
              x.lda.data(), x.b.data(), x.ldb.data(), x.beta.data(), x.c.data(), x.ldc.data(), passed_count, x.sizes.data());
  };
  if (is_cblas(target.name)) return call(GroupArrays<Int, T, int>(batch), count, target.order());
  call(GroupArrays<Int, T, char>(batch), &count);
}

using Words = std::vector<double>;

// The matrices of all products one after another.
Words joined(const std::vector<Level3Call>& products, Words Level3Call::*matrix) {
  Words all;
  for (const Level3Call& product : products) all.insert(all.end(), (product.*matrix).begin(), (product.*matrix).end());
  return all;
}

template <class Int, Scalar T>
void pass_strided(const Target& target, BatchCall::Group& group) {
  std::vector<Level3Call>& products = group.products;
  const Words a = joined(products, &Level3Call::a), b = joined(products, &Level3Call::b);
  Words c = joined(products, &Level3Call::c);
  const auto stride = [&products](const Words& words) {
    return products.empty() ? Index{0} : static_cast<Index>(words.size() * sizeof(double) / sizeof(T) / products.size());
  };
  const Arguments& x = group.call.arguments;
  pass<Int>(target, spelling_of(group.call, x.op_a), spelling_of(group.call, x.op_b), x.m, x.n, x.k, scalar_of<T>(group.call.alpha),
            reinterpret_cast<const T*>(a.data()), x.lda, stride(a), reinterpret_cast<const T*>(b.data()), x.ldb, stride(b),
            scalar_of<T>(group.call.beta), reinterpret_cast<T*>(c.data()), x.ldc, stride(c), group.size);
  auto from = c.begin();
  for (Level3Call& product : products) {
    const auto to = from + static_cast<std::ptrdiff_t>(product.c.size());
    std::copy(std::exchange(from, to), to, product.c.begin());
  }
}

template <class Int, Scalar T>
void pass_batch(const Target& target, BatchCall& batch) {
  if (batch.routine->family == Family::GemmBatchStrided) return pass_strided<Int, T>(target, batch.groups.front());
  pass_groups<Int, T>(target, batch);
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

host_blas::Function* function_of(const Routine& routine, Name name) {
  return reinterpret_cast<host_blas::Function*>(dlsym(RTLD_DEFAULT, spelled(std::string(routine.name), name).c_str()));
}

}  // namespace

bool invoke(Level3Call& call, Name name) {
  const Target target{function_of(*call.routine, name), name, call.layout};
  if (target.function == nullptr) return false;
  is_wide(name) ? pass_typed<std::int64_t>(target, call) : pass_typed<int>(target, call);
  return true;
}

bool invoke(BatchCall& batch, Name name) {
  const Target target{function_of(*batch.routine, name), name, batch.layout};
  if (target.function == nullptr) return false;
  if (batch.routine->complex) {
    is_wide(name) ? pass_batch<std::int64_t, Complex>(target, batch) : pass_batch<int, Complex>(target, batch);
  } else {
    is_wide(name) ? pass_batch<std::int64_t, double>(target, batch) : pass_batch<int, double>(target, batch);
  }
  return true;
}

}  // namespace ab::test
