// SPDX-License-Identifier: MIT
// What all subcommands share: options, exit statuses, shapes and lists as they are written on the command line.
#pragma once
#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "apple_bottom.h"
#include "core/types.hpp"

namespace ab::cli {

enum class Exit { Fine = 0, CheckFailed = 1, WrongUsage = 2, NotAvailable = 3 };

/// Ends a subcommand with a message on stderr.
class Failure : public std::runtime_error {
 public:
  Failure(Exit status, const std::string& text) : std::runtime_error(text), status_(status) {}
  Exit status() const { return status_; }

 private:
  Exit status_;
};

struct SharedOptions {
  bool json = false;
  std::string device;     // id, or "all"; "" for the default
  std::string precision;  // "" for the environment's
};
void add_shared_options(CLI::App& command, SharedOptions& options);

struct Shape {
  Index m, n, k;
};
/// "2048x2048x2048"; throws Failure(WrongUsage).
Shape parse_shape(const std::string& text);
std::string text_of(const Shape& shape);
std::vector<std::string> split(const std::string& text, char separator);

/// The class of a word; throws Failure: WrongUsage for an unknown word or a class that does not exist yet.
ABPrecision parse_precision(const std::string& word);
/// The classes that this version computes, by word.
std::vector<std::string> available_classes();

ABDeviceTraits device_traits(int index);
/// Devices by id: one, "all", or (for "") the current one. Throws Failure(NotAvailable).
std::vector<int> parse_devices(const std::string& id);
/// Makes the device current, opened and tested. Throws Failure(NotAvailable) with the reason.
void use_device(int index);

}  // namespace ab::cli
