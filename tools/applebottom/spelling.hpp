// SPDX-License-Identifier: MIT
// The word somebody probably meant.
#pragma once
#include <string>
#include <vector>

namespace ab::cli {

/// The nearest word by the number of inserted, deleted, changed and swapped letters; the first on a tie.
std::string nearest_word(const std::string& misspelt, const std::vector<std::string>& words);

}  // namespace ab::cli
