// SPDX-License-Identifier: MIT
// Aligned columns of text: words to the left, numbers to the right.
#pragma once
#include <string>
#include <vector>

namespace ab::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> titles) { rows_.push_back(std::move(titles)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// With a final newline. Columns are two blanks apart; "-" and "" leave the alignment of a column alone.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ab::cli
