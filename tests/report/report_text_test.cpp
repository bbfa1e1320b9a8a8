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
  const Facts facts{.host_blas = "libopenblas.so.0",
                    .host_blas_version = "OpenBLAS 0.3.21",
                    .device = "cuda:0",
                    .device_name = "NVIDIA H200",
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

TEST(ReportText, ALongProgramNameIsNotFatal) {
  const std::string text = report_text({}, {}, {}, std::string(2000, 'p'), 1);
  EXPECT_EQ(text.find("apple-bottom "), 0u);
}

}  // namespace
}  // namespace ab::report
