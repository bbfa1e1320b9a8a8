// SPDX-License-Identifier: MIT
#include "routing/dispatch_table.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/routines.hpp"

namespace ab::routing {
namespace {

constexpr double least_gain = 1.10;  // chosen: below it, a measured advantage may be noise

bool in_octave(Index ours, Index theirs) {
  return theirs <= 2 * ours && ours <= 2 * theirs;
}

const Section::Group* find_group(const Section& section, const Key& key) {
  const auto found = std::find_if(section.groups.begin(), section.groups.end(), [&](const auto& group) { return group.key == key; });
  return found == section.groups.end() ? nullptr : &*found;
}

Verdict ask_group(const Section::Group* group, const Request& request) {
  Verdict verdict;
  if (group == nullptr) return verdict;
  const auto ask = [&verdict](const Measurement& row) {
    const bool faster = row.host_ms && row.device_ms && *row.host_ms >= least_gain * *row.device_ms;
    verdict.faster = faster && (verdict.faster || !verdict.measured);
    verdict.measured = true;
    verdict.device_ms += row.device_ms.value_or(0);
  };
  for (const Measurement& row : group->rows) {
    if (row.m == request.m && row.n == request.n && row.k == request.k) {
      verdict = {};
      ask(row);
      return verdict;
    }
    if (in_octave(request.m, row.m) && in_octave(request.n, row.n) && in_octave(request.k, row.k)) ask(row);
  }
  return verdict;
}

}  // namespace

TableClass class_of(Precision precision) {
  if (precision == Precision::DoubleFloat) return TableClass::DoubleFloat;
  return precision == Precision::Fast ? TableClass::Fast : TableClass::Fp64;
}

const Section* choose_section(const Table& table, std::string_view device, std::string_view cpu, int threads) {
  const Section* best = nullptr;
  for (const Section& section : table.sections) {
    if (section.device != device || section.cpu != cpu) continue;
    const auto distance = [threads](const Section* candidate) { return std::abs(candidate->threads - threads); };
    if (best == nullptr || distance(&section) < distance(best) ||
        (distance(&section) == distance(best) && section.threads < best->threads)) {
      best = &section;
    }
  }
  return best;
}

Verdict look_up(const Section& section, const Request& request, TableClass table_class) {
  const Routine* routine = request.routine;
  if (routine == nullptr) return {};
  Key key{routine->name, request.letters, table_class, request.path};
  if (!routine->complex) std::replace(key.letters.begin(), key.letters.end(), 'C', 'T');
  Verdict verdict = ask_group(find_group(section, key), request);
  if (!verdict.measured && key.path == DataPath::InPlace) {
    key.path = DataPath::Copied;
    verdict = ask_group(find_group(section, key), request);
  }
  if (verdict.measured || !is_made_of_gemm(*routine) || routine == &gemm_like(*routine)) return verdict;
  Request as_gemm = request;
  as_gemm.routine = &gemm_like(*routine);
  return look_up(section, as_gemm, table_class);
}

}  // namespace ab::routing
