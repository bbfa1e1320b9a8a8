// SPDX-License-Identifier: MIT
#include "results.hpp"

#include <gtest/gtest.h>

namespace ab::cli {
namespace {

Side side_of(const char* name, std::vector<Sample> samples) {
  Side side;
  side.name = name;
  side.samples = std::move(samples);
  side.median_s = median_seconds(side.samples);
  side.gflops = 60.0 / side.median_s;
  return side;
}

/// The device: 1 s with the unit to itself, 2 s shared; the peer 2 s and 3 s.
Measurement with_matrix_unit() {
  constexpr MatrixRates full = {4.0, 4.0}, low = {1.0, 1.0}, half = {4.0, 1.0};
  Measurement measured;
  measured.shape = {8, 8, 8};
  measured.device_id = "cpu";
  measured.device = side_of("cpu", {{1.0, full}, {1.5, half}, {2.0, low}});
  measured.options.peers = {{"/lib/peer.so", "Peer 1.0", "K, \"9\"", 2, {}}};
  measured.peers = {side_of("Peer 1.0", {{2.0, full}, {3.0, low}, {3.0, low}})};
  return measured;
}

TEST(Results, SpeedsAreToldApartBySharing) {
  const Measurement measured = with_matrix_unit();
  EXPECT_EQ(highest_rate(std::vector<Measurement>{measured}), 4.0);
  const nlohmann::ordered_json json = json_of(measured, 4.0);
  EXPECT_EQ(json["matrix_highest_tops"], 4.0);
  EXPECT_EQ(json["device_matrix"]["unshared"]["samples"], 1);
  EXPECT_EQ(json["device_matrix"]["unshared"]["gflops"], 60.0);
  EXPECT_EQ(json["device_matrix"]["mixed"]["median_s"], 1.5);
  EXPECT_EQ(json["device_matrix"]["shared"]["gflops"], 30.0);
  const auto& peer = json["peers"][0];
  EXPECT_EQ(peer["ratio"], 2.0);
  EXPECT_EQ(peer["matrix"]["median_tops"], 1.0);
  EXPECT_EQ(peer["matrix"]["unshared"]["ratio"], 2.0);
  EXPECT_EQ(peer["matrix"]["mixed"]["samples"], 0);
  EXPECT_TRUE(peer["matrix"]["mixed"]["ratio"].is_null());
  EXPECT_EQ(peer["matrix"]["shared"]["samples"], 2);
  EXPECT_EQ(peer["matrix"]["shared"]["ratio"], 1.5);
  EXPECT_TRUE(json["host_matrix"].is_null());
}

TEST(Results, TablesHaveALinePerContender) {
  const std::string text = tables_of({with_matrix_unit()});
  EXPECT_NE(text.find("dgemm  8x8x8  fp64   cpu     Peer 1.0  3000.000          20.0"), std::string::npos) << text;
  EXPECT_NE(text.find("4.00 TOPS at most"), std::string::npos) << text;
  EXPECT_NE(text.find("dgemm  8x8x8  fp64   Peer 1.0        1.00     20.0   2.00              1     30.0   2.00            2     20.0   "
                      "1.50           0\n"),
            std::string::npos)
      << text;
}

TEST(Results, WithoutAMatrixUnitNothingSpeaksOfIt) {
  Measurement measured = with_matrix_unit();
  for (Sample& sample : measured.device.samples) sample.rates.reset();
  for (Sample& sample : measured.peers[0].samples) sample.rates.reset();
  const nlohmann::ordered_json json = json_of(measured, 0.0);
  EXPECT_TRUE(json["matrix_highest_tops"].is_null());
  EXPECT_TRUE(json["device_matrix"].is_null());
  EXPECT_TRUE(json["peers"][0]["matrix"].is_null());
  EXPECT_EQ(tables_of({measured}).find("TOPS"), std::string::npos);
}

TEST(Results, CsvNamesNestedValuesByTheirPlace) {
  const std::string csv = csv_of({json_of(with_matrix_unit(), 4.0)});
  EXPECT_NE(csv.find(",peers.0.file,"), std::string::npos);
  EXPECT_NE(csv.find(",device_matrix.shared.samples,"), std::string::npos);
  EXPECT_NE(csv.find("\"K, \"\"9\"\"\""), std::string::npos) << csv;  // quotes doubled, as CSV has them
}

}  // namespace
}  // namespace ab::cli
