// SPDX-License-Identifier: MIT
#include "model.hpp"

#include <gtest/gtest.h>

namespace ab::cli {
namespace {

Prediction of_m2_max(Operation operation, Index n, ABPrecision precision) {
  return predict(chip_of("apple-m2-max"), operation, {n, n, n}, precision);
}

// By hand: 38 cores, 128 lanes, 1398 MHz are 6.7999e12 slots a second.
TEST(Model, CeilingsAreSlots) {
  EXPECT_NEAR(of_m2_max(Operation::Dgemm, 4096, AB_PRECISION_DD).ceiling_gflops, 2 * 6799.872 / 15, 0.01);
  const Prediction crt = of_m2_max(Operation::Dgemm, 4096, AB_PRECISION_FP64);
  EXPECT_EQ(crt.moduli, 11);
  EXPECT_NEAR(crt.slots, 11 * (1 + 3.0 / 64), 1e-12);
  EXPECT_NEAR(crt.ceiling_gflops, 2 * 6799.872 / crt.slots, 0.01);
  EXPECT_EQ(of_m2_max(Operation::Dgemm, 4096, AB_PRECISION_FAST).moduli, 10);
  EXPECT_EQ(of_m2_max(Operation::Dgemm, 4096, AB_PRECISION_STRICT).moduli, 12);
  // Three products of real numbers are counted as eight operations a term.
  EXPECT_NEAR(of_m2_max(Operation::Zgemm, 4096, AB_PRECISION_DD).ceiling_gflops, 8.0 / 3 * 6799.872 / 15, 0.01);
}

// 1024: operands 2^21 entries, results 2^20. Scan 16, residues 8 + 22, of results 22 + 8 bytes an entry; 400 GB/s.
TEST(Model, TimesAreSlotsAndBytes) {
  const Prediction crt = of_m2_max(Operation::Dgemm, 1024, AB_PRECISION_FP64);
  EXPECT_NEAR(crt.memory_ms, (2097152.0 * (16 + 8 + 22) + 1048576.0 * (22 + 8)) / 400e9 * 1e3, 1e-9);
  EXPECT_NEAR(crt.product_ms, 1073741824.0 * crt.slots / 6799.872e9 / 0.77 * 1e3, 1e-9);
  EXPECT_NEAR(crt.gflops, 2 * 1073741824.0 / (crt.memory_ms + crt.product_ms) * 1e-6, 1e-9);
  // One term: the product's own bytes take longer than its slots. Pairs of both operands and of the result.
  const Prediction flat = predict(chip_of("apple-m2-max"), Operation::Dgemm, {4096, 4096, 1}, AB_PRECISION_DD);
  EXPECT_NEAR(flat.product_ms, 8 * (2 * 4096.0 + 4096.0 * 4096.0) / 400e9 * 1e3, 1e-9);
}

TEST(Model, PublishedFiguresStandBesideTheirSizes) {
  const Prediction dd = of_m2_max(Operation::Dgemm, 4096, AB_PRECISION_DD);
  EXPECT_EQ(dd.published, 699);
  EXPECT_EQ(dd.published_host, 604);
  EXPECT_LT(dd.gflops, dd.ceiling_gflops);
  EXPECT_EQ(of_m2_max(Operation::Dgemm, 4096, AB_PRECISION_FP64).published, std::nullopt);  // 1.5.1 has no such class
  EXPECT_EQ(of_m2_max(Operation::Zgemm, 3072, AB_PRECISION_DD).published, 868);
  EXPECT_EQ(of_m2_max(Operation::Dgemm, 4000, AB_PRECISION_DD).published_host, std::nullopt);
  EXPECT_EQ(predict(chip_of("apple-m1"), Operation::Dgemm, {512, 512, 512}, AB_PRECISION_DD).published_host, std::nullopt);
}

TEST(Model, EveryChipHasItsFiguresOrSaysWhichItLacks) {
  for (const char* family : {"m1", "m2", "m3", "m4"}) {
    for (const char* size : {"", "-pro", "-max"}) {
      const Chip chip = chip_of(std::string("apple-") + family + size);
      EXPECT_GT(chip.cores * chip.clock_mhz * chip.bandwidth_gb_s, 0) << chip.id;
      EXPECT_FALSE(chip.source.empty()) << chip.id;
    }
  }
  try {
    chip_of("apple-m5");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status(), Exit::NotAvailable);
    EXPECT_NE(std::string(failure.what()).find("clock_mhz"), std::string::npos);
  }
  EXPECT_THROW(chip_of("apple-m99"), Failure);
}

TEST(Model, SaysThatItIsOneWhereverItIsShown) {
  std::vector<Prediction> both = {of_m2_max(Operation::Dgemm, 1024, AB_PRECISION_DD), of_m2_max(Operation::Dgemm, 1024, AB_PRECISION_FP64)};
  EXPECT_EQ(text_of(both).substr(0, 5), "MODEL");
  EXPECT_EQ(json_of(both[0])["measured"], false);
  const std::string svg = svg_of(both);
  EXPECT_NE(svg.find("not measured"), std::string::npos);
  std::size_t drawn = 0;
  for (std::size_t at = 0; (at = svg.find("<circle", at)) != std::string::npos; ++at) ++drawn;
  EXPECT_EQ(drawn, 4u);  // two classes, 1.5.1, Accelerate once
}

}  // namespace
}  // namespace ab::cli
