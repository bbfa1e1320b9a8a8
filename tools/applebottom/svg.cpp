// SPDX-License-Identifier: MIT
#include "svg.hpp"

#include <fmt/core.h>

namespace ab::cli {

std::string svg_document(int height, const std::string& title, const std::string& body) {
  return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" font-family="sans-serif" font-size="12">)",
                     svg_width, height) +
         "\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
         fmt::format("<text x=\"10\" y=\"18\" font-size=\"14\">{}</text>\n", escaped(title)) + body + "</svg>\n";
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (char c : text) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace ab::cli
