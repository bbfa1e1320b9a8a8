// SPDX-License-Identifier: MIT
// The frame of a chart in SVG, and text in it.
#pragma once
#include <string>

namespace ab::cli {

constexpr int svg_width = 900;  // chosen, in pixels

/// A whole document: white, with a title at the top left and what `body` draws.
std::string svg_document(int height, const std::string& title, const std::string& body);

/// Text as it stands between tags.
std::string escaped(const std::string& text);

}  // namespace ab::cli
