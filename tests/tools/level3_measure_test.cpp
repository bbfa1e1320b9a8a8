// SPDX-License-Identifier: MIT
// Every routine with every pair of letters: what the library and the host BLAS compute is right, and a wrong entry is found.
#include "level3_measure.hpp"

#include <gtest/gtest.h>

#include "contenders.hpp"
#include "core/settings.hpp"

namespace ab::cli {
namespace {

class Level3Measure : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    route_everything_to_the_device();
    static_cast<void>(settings());
    for (const char* name : {"AB_MODE", "AB_MIN_GPU_DIM"}) unsetenv(name);  // for programs of other tests
  }
};

std::vector<GridPoint> points() {
  GridOptions options;
  options.routines = calibrated_routines();
  options.routines.push_back(find_routine("zgemmt"));
  options.routines.push_back(find_routine("zgemm3m"));
  options.classes = {"fp64"};
  options.most = 256;
  std::vector<GridPoint> small;
  for (GridPoint point : calibration_grid(options)) {  // one shape of each kind, small
    for (Index* size : {&point.shape.m, &point.shape.n, &point.shape.k}) *size = *size == 256 ? 22 : 6;
    small.push_back(point);
  }
  return small;
}

TEST_F(Level3Measure, ResultsAreJudgedByTheirDefinition) {
  ASSERT_TRUE(host_blas_name());
  for (const GridPoint& point : points()) {
    const Level3Call call = call_of(point);
    std::vector<double> ours = call.c, theirs = call.c;
    run_level3(call, ours);
    run_level3(*host_blas::library(), call, theirs);
    EXPECT_LE(error_of_level3(call, ours), 100) << label_of(point);
    EXPECT_LE(error_of_level3(call, theirs), 100) << label_of(point);
    ours[0] += 0.001;
    EXPECT_GT(error_of_level3(call, ours), 1e6) << label_of(point);
  }
}

TEST_F(Level3Measure, TimesBothAndFindsNoFault) {
  if (settings().mode != Mode::Gpu) GTEST_SKIP() << "the settings of this process were read before";
  for (const GridPoint& point : points()) {
    const Level3Times times = measure_level3(call_of(point), 0, AB_PRECISION_FP64, {2, 1});
    EXPECT_EQ(times.fault, "") << label_of(point);
    EXPECT_GT(times.host_s, 0);
    EXPECT_GT(times.device_s, 0);
  }
}

}  // namespace
}  // namespace ab::cli
