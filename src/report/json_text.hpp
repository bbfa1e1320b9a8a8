// SPDX-License-Identifier: MIT
// JSON as text, written member by member. Numbers do not depend on the program's locale.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ab::report {

void append_string(std::string& text, std::string_view value);
/// The shortest decimal that reads back to the same double; "nan", "inf" and "-inf" as strings.
void append_double(std::string& text, double value);

/// The members of one object, in the order of writing.
class Members {
 public:
  explicit Members(std::string& text) : text_(text) { text_ += '{'; }

  void close() { text_ += '}'; }
  /// Writes the name; the value is then appended to what this returns.
  std::string& name(const char* name);
  void add(const char* key, std::string_view value) { append_string(name(key), value); }
  void add(const char* key, std::int64_t value) { name(key) += std::to_string(value); }

 private:
  std::string& text_;
  bool first_ = true;
};

}  // namespace ab::report
