// SPDX-License-Identifier: MIT
// What is true of a product, computed exactly, and how far a result is from it.
#pragma once
#include <string>
#include <vector>

#include "exact_sum.hpp"
#include "workload.hpp"

namespace ab::cli {

/// Entries of A B that are looked at: all of a small result, else some of them spread over it.
class Judge {
 public:
  explicit Judge(const Workload& workload);

  struct Verdict {
    double error_u = 0;  // the largest |C - A B| / (2^-53 |A||B|) of finite entries; infinity where |A||B| is 0 and C is not
    std::string fault;   // the first entry that is wrong: not within the bound and a rounding, or not finite where it must be. "": none
  };
  /// `bound`: in 2^-53 |A||B|; below 0: none is certified, and 2 K (4 K for complex products) is asked for.
  Verdict judge(const std::vector<double>& c, double bound) const;

 private:
  enum class Kind { Finite, NaN, Infinite, NegativelyInfinite, NotFinite };  // NotFinite: of complex entries, which part is not told
  struct Word {                                                              // one part of an entry
    std::size_t index;
    Kind kind = Kind::Finite;
    ExactSum sum;
    Magnitude weight;  // |A||B|
  };
  void add_entry(const Workload& workload, Index i, Index j);
  std::string fault_of(const Word& word, double value, double bound, double& error_u) const;

  Index terms_;
  int parts_;
  Index m_;
  std::vector<Word> words_;
};

}  // namespace ab::cli
