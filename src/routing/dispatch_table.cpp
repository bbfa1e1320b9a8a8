// SPDX-License-Identifier: MIT
#include "routing/dispatch_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "core/routines.hpp"

namespace ab::routing {
namespace {

constexpr double least_gain = 1.10;  // chosen: below it, a measured advantage may be noise

// Within a factor of 2, for any two positive numbers.
bool in_octave(Index ours, Index theirs) {
  return theirs - ours <= ours && ours - theirs <= theirs;
}
void widen(Extent& extent, Index size) {
  extent.least = std::min(extent.least, size);
  extent.most = std::max(extent.most, size);
}

std::uint64_t code_of(const Routine& routine, const Key& key) {
  const auto byte = [](auto value) { return static_cast<std::uint64_t>(static_cast<unsigned char>(value)); };
  return byte(&routine - routines) << 32 | byte(key.letters[0]) << 24 | byte(key.letters[1]) << 16 | byte(key.table_class) << 8 |
         byte(key.path);
}

double distance(const Measurement& row, const Request& request) {
  const auto octaves = [](Index ours, Index theirs) {
    return std::fabs(std::log2(static_cast<double>(ours) / static_cast<double>(theirs)));
  };
  return octaves(request.m, row.m) + octaves(request.n, row.n) + octaves(request.k, row.k);
}

// The verdict of some neighbours and one more.
class Poll {
 public:
  void ask(const Measurement& row, const Request& request) {
    const bool faster = row.host_ms && row.device_ms && *row.host_ms >= least_gain * *row.device_ms;
    const bool split_faster =
        row.host_ms && row.device_ms && row.split_ms && std::min(*row.host_ms, *row.device_ms) >= least_gain * *row.split_ms;
    verdict_.faster = faster && (verdict_.faster || !verdict_.measured);
    verdict_.split_faster = split_faster && (verdict_.split_faster || !verdict_.measured);
    verdict_.measured = true;
    verdict_.device_ms += row.device_ms.value_or(0);
    verdict_.split_ms += row.split_ms.value_or(0);
    if (!verdict_.split_faster) return;
    const double far = distance(row, request);
    if (nearest_ && far >= *nearest_) return;
    nearest_ = far;
    verdict_.split_share = row.split_share;
  }
  const Verdict& verdict() const { return verdict_; }

 private:
  Verdict verdict_;
  std::optional<double> nearest_;
};

Verdict ask_group(const Section::Group* group, const Request& request) {
  if (group == nullptr) return {};
  if (!group->m.may_be_near(request.m) || !group->n.may_be_near(request.n) || !group->k.may_be_near(request.k)) return {};
  Poll poll;
  for (const Measurement& row : group->rows) {
    if (row.m == request.m && row.n == request.n && row.k == request.k) {
      poll = {};
      poll.ask(row, request);
      break;
    }
    if (in_octave(request.m, row.m) && in_octave(request.n, row.n) && in_octave(request.k, row.k)) poll.ask(row, request);
  }
  return poll.verdict();
}

}  // namespace

Measurement& Section::row(const Routine& routine, const Key& key, const Measurement& shape) {
  const auto& [m, n, k] = std::array{shape.m, shape.n, shape.k};
  const std::uint64_t code = code_of(routine, key);
  auto place = std::lower_bound(places_.begin(), places_.end(), code, [](const Place& p, std::uint64_t wanted) { return p.code < wanted; });
  if (place == places_.end() || place->code != code) {
    place = places_.insert(place, {code, groups.size()});
    groups.push_back({key, {}, {m, m}, {n, n}, {k, k}});
  }
  Group& group = groups[place->group];
  widen(group.m, m);
  widen(group.n, n);
  widen(group.k, k);
  widen(m_, m);
  widen(n_, n);
  widen(k_, k);
  for (Measurement& known : group.rows) {
    if (known.m == m && known.n == n && known.k == k) return known;
  }
  Measurement fresh{};
  fresh.m = m, fresh.n = n, fresh.k = k;
  return group.rows.emplace_back(fresh);
}

const Section::Group* Section::find(const Routine& routine, const Key& key) const {
  const std::uint64_t code = code_of(routine, key);
  const auto place =
      std::lower_bound(places_.begin(), places_.end(), code, [](const Place& p, std::uint64_t wanted) { return p.code < wanted; });
  return place != places_.end() && place->code == code ? &groups[place->group] : nullptr;
}

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
  Verdict verdict = ask_group(section.find(*routine, key), request);
  if (!verdict.measured && key.path == DataPath::InPlace) {
    key.path = DataPath::Copied;
    verdict = ask_group(section.find(*routine, key), request);
  }
  if (verdict.measured || !is_made_of_gemm(*routine) || routine == &gemm_like(*routine)) return verdict;
  Request as_gemm = request;
  as_gemm.routine = &gemm_like(*routine);
  return look_up(section, as_gemm, table_class);
}

}  // namespace ab::routing
