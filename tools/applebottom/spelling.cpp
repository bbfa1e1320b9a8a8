// SPDX-License-Identifier: MIT
#include "spelling.hpp"

#include <algorithm>

namespace ab::cli {
namespace {

// Optimal string alignment: edits of single letters, and swaps of neighbours.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        edits[i][j] = i + j;
        continue;
      }
      const std::size_t changed = edits[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  }
  return edits[a.size()][b.size()];
}

}  // namespace

std::string nearest_word(const std::string& misspelt, const std::vector<std::string>& words) {
  const auto nearer = [&](const std::string& a, const std::string& b) { return distance(misspelt, a) < distance(misspelt, b); };
  return words.empty() ? "" : *std::min_element(words.begin(), words.end(), nearer);
}

}  // namespace ab::cli
