// SPDX-License-Identifier: MIT
// One hash of all golden results a class and moduli family: what every device must print.
#pragma once
#include <string>

#include "support/run_golden.hpp"

namespace ab::test {

/// Runs every golden product of each class and family; differences from the file fail the test. Prints a line
/// "golden|DEVICE|CLASS|FAMILY|HASH" for each, which scripts/golden_table.py gathers, and returns the lines without the device.
std::string print_golden_hashes(ops::Context& context, const std::string& device);

}  // namespace ab::test
