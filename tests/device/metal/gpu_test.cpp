// SPDX-License-Identifier: MIT
#include "device/metal/gpu.hpp"

#include "sim/metal/on_simulator.hpp"

namespace ab::device::metal {
namespace {

class MetalGpus : public test::OnSimulator {
 protected:
  const AutoreleasePool pool_;
};

TEST_F(MetalGpus, SayWhatTheyAre) {
  ASSERT_EQ(device_count(), 1);
  const Traits traits = describe(0);
  EXPECT_EQ(traits.id, "metal");
  EXPECT_EQ(traits.name, "Simulated Apple GPU");
  EXPECT_EQ(traits.features, "Apple GPU family 8");
  EXPECT_EQ(traits.memory_bytes, std::uint64_t{4} << 30);
  EXPECT_EQ(traits.max_buffer_bytes, std::uint64_t{1} << 30);
  EXPECT_TRUE(traits.unified_memory);
  EXPECT_FALSE(traits.results_in_place);
  EXPECT_FALSE(traits.fp64);
  EXPECT_TRUE(traits.fused_fma);
  EXPECT_EQ(traits.family, ModuliFamily::Ten);
}

TEST_F(MetalGpus, HaveMatricesFromTheM1On) {
  EXPECT_TRUE(Gpu(0).has_simdgroup_matrices());
  test::metal::set_limits({.apple_family = 6});
  EXPECT_FALSE(Gpu(0).has_simdgroup_matrices());
  test::metal::set_limits({.apple_family = 0});
  EXPECT_EQ(describe(0).features, "no Apple GPU");
}

TEST_F(MetalGpus, ThatAreNotThereSaySo) {
  try {
    const Gpu gpu(1);
    ADD_FAILURE() << "there was one";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::NoDevice);
    EXPECT_STREQ(error.what(), "metal:1: there is no such device here");
  }
}

TEST_F(MetalGpus, StayUsableAfterWhatHasNoReason) {
  Gpu gpu(0);
  EXPECT_THROW(gpu.fail(nullptr, "a step"), Error);
  EXPECT_NO_THROW(gpu.require_usable());
  EXPECT_EQ(text_of(nullptr), "no reason given");
}

}  // namespace
}  // namespace ab::device::metal
