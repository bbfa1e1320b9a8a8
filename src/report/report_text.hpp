// SPDX-License-Identifier: MIT
// The report of AB_REPORT as text (spec 8.1).
#pragma once
#include <string>

#include "core/settings.hpp"
#include "report/facts.hpp"
#include "report/ledger.hpp"

namespace ab::report {

/// `program` and `process_id` name the process; with 0 calls a hint says why nothing may have been seen.
std::string report_text(const Totals& totals, const Facts& facts, const Settings& settings, const std::string& program, long process_id);

}  // namespace ab::report
