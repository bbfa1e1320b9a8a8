// SPDX-License-Identifier: MIT
// The report, line by line.
#include "report/report_text.hpp"

#include <gtest/gtest.h>

#include "core/version.hpp"

namespace ab::report {
namespace {

LedgerLine device_line() {
  return {.routine = "zgemm",
          .engine = Engine::Device,
          .method = Method::Class,
          .reason = Reason::TableFaster,
          .calls = 2,
          .elapsed_ns = 4'000'000'000,
          .flops = 2e12,
          .m = 512,
          .n = 512,
          .k = 18208};
}

TEST(ReportText, SaysWhatRan) {
  Totals totals;
  totals.lines = {device_line()};
  totals.calls = 2;
  totals.elapsed_ns = 4'000'000'000;
  totals.declines[static_cast<std::size_t>(Reason::Uncertified)] = 1;
  totals.declines[static_cast<std::size_t>(Reason::AllocationFailed)] = 2;
  totals.escalations = 3;
  const StageTimes stage_ns{2'100'000'000, 310'000'000, 20'000'000, 1'400'000'000, 0, 5'900'000'000, 810'000'000, 0, 660'000'000, 0};
  totals.stage_ns = stage_ns;
  const Facts facts{.host_blas = "libopenblas.so.0",
                    .host_blas_version = "OpenBLAS 0.3.21",
                    .device = "cuda:0",
                    .device_name = "NVIDIA H200",
                    .verdict = "passed",
                    .table = "built-in, NVIDIA H200, 16 threads",
                    .peak_bytes = 614 << 20};
  Settings settings;
  settings.staging_mb = 2048;
  EXPECT_EQ(report_text(totals, facts, settings, "pw.x", 41235),
            "apple-bottom " + std::string(version) +
                " report: pw.x, pid 41235, 2 calls, 4.00 s in BLAS\n"
                "host BLAS  libopenblas.so.0 (OpenBLAS 0.3.21)        device  cuda:0 NVIDIA H200, self-test passed        table  built-in, "
                "NVIDIA H200, 16 threads\n"
                "mode auto  class fp64  reproducible no  split off  host pack no  staging cap 2048 MB, peak 614 MB\n"
                "routine  engine  method   reason                 calls     time s   GFLOP/s   mean m       n       k\n"
                "zgemm    device  class    table_faster               2       4.00     500.0      256     256    9104\n"
                "stages s   stage 2.10  scan 0.31  plan 0.02  residues 1.40  multiply 5.90  reconstruct 0.81  fetch 0.66\n"
                "declines   nonfinite 0  range 0  uncertified 1  memory_cap 0  allocation_failed 2  device_error 0        escalations 3\n");
}

TEST(ReportText, WithoutCallsItSaysWhyNoneMayHaveBeenSeen) {
  const std::string text = report_text({}, {}, {}, "true", 1);
  EXPECT_NE(text.find(" 0 calls"), std::string::npos);
  EXPECT_NE(text.find("\nhint  "), std::string::npos);
  EXPECT_NE(text.find("linked statically"), std::string::npos);
  Totals some;
  some.calls = 1;
  EXPECT_EQ(report_text(some, {}, {}, "x", 1).find("hint"), std::string::npos);
}

TEST(ReportText, NamesTheRankOfAParallelRun) {
  Settings settings;
  settings.rank = 5;
  settings.local_rank = 1;
  settings.local_size = 4;
  const std::string text = report_text({}, {}, settings, "x", 1);
  EXPECT_NE(text.find(", rank 5, local rank 1 of 4\n"), std::string::npos) << text;
}

TEST(ReportText, SaysNoneForWhatIsNotThere) {
  const std::string text = report_text({}, {}, {}, "x", 1);
  EXPECT_NE(text.find("host BLAS  none        device  none opened        table  none\n"), std::string::npos) << text;
}

TEST(ReportText, StagesOfOtherSchemesAreThereWhenUsed) {
  Totals totals;
  totals.stage_ns[static_cast<std::size_t>(Stage::Pack)] = 1'500'000'000;
  totals.stage_ns[static_cast<std::size_t>(Stage::Host)] = 250'000'000;
  const std::string text = report_text(totals, {}, {}, "x", 1);
  EXPECT_NE(text.find("residues 0.00  pack 1.50  multiply 0.00  reconstruct 0.00  fetch 0.00  host 0.25\n"), std::string::npos) << text;
}

TEST(ReportText, TheCapIsTheOneInForce) {
  Facts facts;
  EXPECT_NE(report_text({}, facts, {}, "x", 1).find("staging cap default, "), std::string::npos);
  facts.cap_bytes = 512 << 20;
  EXPECT_NE(report_text({}, facts, {}, "x", 1).find("staging cap 512 MB, "), std::string::npos);
  Settings settings;
  settings.staging_mb = 3;
  EXPECT_NE(report_text({}, facts, settings, "x", 1).find("staging cap 3 MB, "), std::string::npos);
}

TEST(ReportText, ARefusedDeviceSaysWhy) {
  Facts facts;
  facts.device = "cuda:0";
  facts.device_name = "A GPU";
  facts.verdict = "refused: 1 + 1 is 3";
  EXPECT_NE(report_text({}, facts, {}, "x", 1).find("device  cuda:0 A GPU, self-test refused: 1 + 1 is 3  "), std::string::npos);
}

TEST(ReportText, HintsFollowFromWhatRan) {
  const auto hints = [](Reason route, Reason decline) {
    Totals totals;
    totals.calls = 1;
    totals.lines = {{.routine = "dgemm", .reason = route, .calls = 1}};
    if (decline != Reason::None) totals.declines[static_cast<std::size_t>(decline)] = 1;
    const std::string text = report_text(totals, {}, {}, "x", 1);
    const std::size_t first = text.find("\nhint");
    return first == std::string::npos ? "" : text.substr(first + 1);
  };
  EXPECT_EQ(hints(Reason::TableFaster, Reason::None), "");
  EXPECT_EQ(hints(Reason::NoMeasurement, Reason::None).find("hint  no_measurement: "), 0u);
  EXPECT_EQ(hints(Reason::NoHostBlas, Reason::None).find("hint  no_host_blas: "), 0u);
  EXPECT_EQ(hints(Reason::ModeGpu, Reason::MemoryCap).find("hint  memory_cap: "), 0u);
}

TEST(ReportText, ALongProgramNameIsNotFatal) {
  const std::string text = report_text({}, {}, {}, std::string(2000, 'p'), 1);
  EXPECT_EQ(text.find("apple-bottom "), 0u);
}

}  // namespace
}  // namespace ab::report
