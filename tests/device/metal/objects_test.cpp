// SPDX-License-Identifier: MIT
#include "device/metal/objects.hpp"

#include <thread>

#include "device/metal/gpu.hpp"
#include "sim/metal/on_simulator.hpp"

namespace ab::device::metal {
namespace {

using MetalObjects = test::OnSimulator;

TEST_F(MetalObjects, AreReleasedOnce) {
  const AutoreleasePool pool;
  const Gpu gpu(0);
  Owned first = Owned::sharing(gpu.handle());
  Owned second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT: moved from
  first = std::move(second);
  EXPECT_EQ(first.get(), gpu.handle());
  EXPECT_FALSE(Owned());
}

TEST_F(MetalObjects, AbandonedAreNotReleased) {
  const AutoreleasePool pool;
  const Gpu gpu(0);
  Owned kept = Owned::sharing(gpu.handle()), given_up = Owned::sharing(gpu.handle());
  given_up.abandon();
  EXPECT_FALSE(given_up);
  Owned::taking(gpu.handle());  // gives the abandoned count back
  EXPECT_TRUE(kept);
}

TEST_F(MetalObjects, PoolsBelongToTheirThread) {
  const AutoreleasePool outer;
  std::thread([] {
    const AutoreleasePool own;
    EXPECT_EQ(device_count(), 1);
  }).join();
}

}  // namespace
}  // namespace ab::device::metal
