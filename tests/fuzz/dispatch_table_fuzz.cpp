// SPDX-License-Identifier: MIT
// Any bytes as a routing table: read or refused with a line; what was read is written and read back the same, and asked about shapes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/require.hpp"
#include "routing/router.hpp"
#include "routing/table_text.hpp"

namespace ab::routing {
namespace {

const Section* asked_section = nullptr;

// No look-up says what its parts contradict.
void ask(const Section& section, const Request& request) {
  for (const TableClass table_class : {TableClass::DoubleFloat, TableClass::Fast, TableClass::Fp64, TableClass::Vendor}) {
    const Verdict verdict = look_up(section, request, table_class);
    REQUIRE(verdict.measured || (!verdict.faster && !verdict.split_faster));
    REQUIRE(!verdict.faster || verdict.device_ms > 0);
    REQUIRE(!verdict.split_share || (*verdict.split_share > 0 && *verdict.split_share < 1));
  }
  asked_section = &section;
  State state{.host_blas_found = true, .split = {Split::Mode::Auto, 0}};
  const Route route =
      choose_route(request, state, [] { return Surface{.section = asked_section, .shares = true, .has_vendor_gemm = true}; });
  REQUIRE((route.engine == Engine::Split) == (route.split_share > 0));
}

void ask_about_every_row(const Section& section) {
  for (const Section::Group& group : section.groups) {
    for (const Measurement& row : group.rows) {
      Request request{.routine = find_routine(group.key.op), .letters = group.key.letters, .m = row.m, .n = row.n, .k = row.k};
      request.path = group.key.path;
      request.plain_product = true;
      REQUIRE(look_up(section, request, group.key.table_class).measured);
      ask(section, request);
      request.m = request.m / 2 + 1, request.n = request.n > INT64_MAX / 2 ? INT64_MAX : request.n * 2, request.k = 1;
      ask(section, request);
    }
  }
}

void try_text(std::string_view text) {
  const auto parsed = parse_table(text);
  if (const auto* error = std::get_if<TableError>(&parsed)) {
    REQUIRE(error->line >= 1 && !error->what.empty());
    return;
  }
  const Table& table = std::get<Table>(parsed);
  REQUIRE(!table.sections.empty());
  const std::string written = text_of(table, "");
  const auto again = parse_table(written);
  REQUIRE(std::holds_alternative<Table>(again));
  REQUIRE(text_of(std::get<Table>(again), "") == written);
  for (const Section& section : table.sections) ask_about_every_row(section);
}

}  // namespace
}  // namespace ab::routing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  ab::routing::try_text({reinterpret_cast<const char*>(data), bytes});
  return 0;
}
