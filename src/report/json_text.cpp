// SPDX-License-Identifier: MIT
#include "report/json_text.hpp"

#include <charconv>
#include <cmath>

namespace ab::report {

void append_string(std::string& text, std::string_view value) {
  text += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char digits[] = "0123456789abcdef";
      text += "\\u00";
      text += digits[c >> 4];
      text += digits[c & 15];
    } else {
      text += c;
    }
  }
  text += '"';
}

void append_double(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "\"nan\"";
  } else if (std::isinf(value)) {
    text += value > 0 ? "\"inf\"" : "\"-inf\"";
  } else if (value == 0 && std::signbit(value)) {
    text += "-0.0";  // readers take -0 for the integer 0
  } else {
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
    text.append(digits, error == std::errc() ? end : digits);
  }
}

std::string& Members::name(const char* name) {
  if (!first_) text_ += ',';
  first_ = false;
  append_string(text_, name);
  return text_ += ':';
}

}  // namespace ab::report
