// SPDX-License-Identifier: MIT
// BLAS libraries named on the command line, each apart from the others in the same process.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "host_blas/find.hpp"

namespace ab::cli {

struct Peer {
  std::string file;            // as it was asked for
  std::string name;            // short, no two alike: "OpenBLAS 0.3.21 Zen"
  std::string kernel;          // what it chose for this processor, in its own words; "" when it does not tell
  std::optional<int> threads;  // as it counts them; none when it does not tell
  host_blas::Library library;
};

/// Opens all of them, for good. Throws Failure(NotAvailable) with the file and the reason.
std::vector<Peer> open_peers(const std::vector<std::string>& files);

/// "MKL 2020.0.4" and "OpenBLAS 0.3.21 Zen" from what a library says of itself; its file name when it says nothing.
std::string short_name(const host_blas::Library& library, const std::string& kernel);

}  // namespace ab::cli
