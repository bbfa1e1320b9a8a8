// SPDX-License-Identifier: MIT
#include "device/vulkan/native/native.hpp"

#include <cstdlib>

#include "device/self_test.hpp"
#include "device/vulkan/vulkan_device.hpp"
#include "sim/vulkan/failing.hpp"

namespace ab::device::vulkan::native {
namespace {

Launch launched(Means means, const kernels::modular_params& p) {
  return launch_of(forms(means)[0], std::as_bytes(std::span(&p, 1)));
}

// 7 moduli by the common kernel's tiles.
kernels::modular_params product(kernels::uint rows, kernels::uint columns) {
  kernels::modular_params p{};
  p.left_vectors = rows, p.right_vectors = columns, p.left_first = 9;
  p.tile_rows = (rows + 63) / 64, p.tile_columns = (columns + 63) / 64;
  p.moduli = 7, p.groups = p.moduli * p.tile_rows * p.tile_columns;
  return p;
}

TEST(VulkanNative, LaunchesGoByItsTiles) {
  struct Tiling {
    Means means;
    kernels::uint rows, columns, tile_rows, tile_columns;
  };
  constexpr Means matrices = Means::Matrices, words = Means::Words;
  for (const Tiling& t :
       {Tiling{matrices, 1, 1, 1, 1}, Tiling{matrices, 128, 129, 1, 2}, Tiling{matrices, 1000, 64, 8, 1}, Tiling{matrices, 129, 128, 2, 1},
        Tiling{words, 1, 1, 1, 1}, Tiling{words, 8, 17, 1, 2}, Tiling{words, 65, 33, 9, 3}}) {
    const Launch launch = launched(t.means, product(t.rows, t.columns));
    EXPECT_EQ(launch.params.tile_rows, t.tile_rows) << t.rows << " x " << t.columns;
    EXPECT_EQ(launch.params.tile_columns, t.tile_columns);
    EXPECT_EQ(launch.params.groups, 7 * t.tile_rows * t.tile_columns);
    EXPECT_EQ(launch.params.left_first, 9u);
    EXPECT_EQ(launch.groups, (std::array<std::uint32_t, 3>{launch.params.groups, 1, 1}));
  }
  EXPECT_EQ(launched(Means::Matrices, product(128 * 128, 128 * 128)).groups, (std::array<std::uint32_t, 3>{AB_FOLD, 4, 1}));
}

TEST(VulkanNative, TheOthersAreCommon) {
  for (const char* kernel : {"scan", "residues_i8", "modular_gemm_f32", "gemm_dd"}) {
    for (const Means means : {Means::Matrices, Means::Words}) EXPECT_EQ(find_form(means, kernel), nullptr) << kernel;
  }
}

class VulkanNativeDevices : public test::OnVulkan {
 protected:
  static std::unique_ptr<Device> opened(const char* fake, GpuKernels kernels) {
    setenv("AB_FAKE_VULKAN", fake, 1);
    std::unique_ptr<Device> device = open_vulkan_with(0, kernels);
    unsetenv("AB_FAKE_VULKAN");
    return device;
  }
  static bool is_native(const Device& device) {
    EXPECT_EQ(device.traits().int8_matrix, device.traits().features.find("cooperative matrices") != std::string::npos);
    return device.traits().int8_matrix;
  }
};

TEST_F(VulkanNativeDevices, HaveTheKernelsThatAgreeWithTheCommonOnes) {
  EXPECT_TRUE(is_native(*opened("matrices", GpuKernels::Best)));
  EXPECT_FALSE(is_native(*opened("matrices", GpuKernels::Common)));
}

TEST_F(VulkanNativeDevices, AreCommonWhereTheKernelsAreWrong) {
  const std::unique_ptr<Device> device = opened("wrong_matrices", GpuKernels::Best);
  EXPECT_FALSE(is_native(*device));
  EXPECT_EQ(self_test(*device), "");
}

// Lavapipe's, where it is the driver here.
TEST_F(VulkanNativeDevices, MultiplyByWordsOnASoftwareRenderer) {
  const auto by_words = [](const Device& device) { return device.traits().features.find("products by words") != std::string::npos; };
  EXPECT_TRUE(by_words(*opened("software", GpuKernels::Best)));
  EXPECT_FALSE(by_words(*opened("software", GpuKernels::Common)));
  EXPECT_FALSE(by_words(*opened("discrete", GpuKernels::Best)));
}

}  // namespace
}  // namespace ab::device::vulkan::native
