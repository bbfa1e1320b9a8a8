// SPDX-License-Identifier: MIT
#include "device/vulkan/matrices.hpp"

#include <cstdlib>

#include "sim/vulkan/failing.hpp"

namespace ab::device::vulkan {
namespace {

class VulkanMatrices : public test::OnVulkan {
 protected:
  static std::optional<Matrices> found(const char* fake) {
    setenv("AB_FAKE_VULKAN", fake, 1);
    const std::optional<Matrices> matrices = matrices_of(*instance(), instance()->devices[0]);
    unsetenv("AB_FAKE_VULKAN");
    return matrices;
  }
};

TEST_F(VulkanMatrices, AreTheLargestOfBytesThatTheTextsCanUse) {
  const std::optional<Matrices> matrices = found("matrices");
  ASSERT_TRUE(matrices);
  EXPECT_EQ(matrices->rows, 16u);
  EXPECT_EQ(matrices->columns, 16u);
  EXPECT_EQ(matrices->inner, 32u);
  EXPECT_GE(matrices->lanes, 8u);
}

TEST_F(VulkanMatrices, AreNoneWhereSizesOrMemoryDoNotServe) {
  for (const char* fake : {"odd_matrices", "matrices,few_bytes"}) EXPECT_FALSE(found(fake)) << fake;
}

TEST_F(VulkanMatrices, AreAskedForWithAllTheyNeed) {
  const MatrixExtension extension = {"", "", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV};
  int end = 0;
  MatrixFeatures features(extension, &end);
  EXPECT_FALSE(features.are_there());
  features.request();
  EXPECT_TRUE(features.are_there());
  int links = 0;
  const void* next = &features.matrices;
  for (; next != &end; ++links) next = static_cast<const VkBaseInStructure*>(next)->pNext;
  EXPECT_EQ(links, 3);
  features.bytes.shaderInt8 = VK_FALSE;
  EXPECT_FALSE(features.are_there());
}

}  // namespace
}  // namespace ab::device::vulkan
