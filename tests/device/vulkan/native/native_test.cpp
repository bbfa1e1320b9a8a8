// SPDX-License-Identifier: MIT
#include "device/vulkan/native/native.hpp"

#include <cstdlib>

#include "device/self_test.hpp"
#include "device/vulkan/vulkan_device.hpp"
#include "sim/vulkan/failing.hpp"

namespace ab::device::vulkan::native {
namespace {

Launch launched(const kernels::modular_params& p) {
  return launch_of(std::as_bytes(std::span(&p, 1)));
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
    kernels::uint rows, columns, tile_rows, tile_columns;
  };
  for (const Tiling& t : {Tiling{1, 1, 1, 1}, Tiling{128, 129, 1, 2}, Tiling{1000, 64, 8, 1}, Tiling{129, 128, 2, 1}}) {
    const Launch launch = launched(product(t.rows, t.columns));
    EXPECT_EQ(launch.params.tile_rows, t.tile_rows) << t.rows << " x " << t.columns;
    EXPECT_EQ(launch.params.tile_columns, t.tile_columns);
    EXPECT_EQ(launch.params.groups, 7 * t.tile_rows * t.tile_columns);
    EXPECT_EQ(launch.params.left_first, 9u);
    EXPECT_EQ(launch.groups, (std::array<std::uint32_t, 3>{launch.params.groups, 1, 1}));
  }
  EXPECT_EQ(launched(product(128 * 128, 128 * 128)).groups, (std::array<std::uint32_t, 3>{AB_FOLD, 4, 1}));
}

TEST(VulkanNative, TheOthersAreCommon) {
  for (const char* kernel : {"scan", "residues_i8", "modular_gemm_f32", "gemm_dd"}) EXPECT_EQ(find_form(kernel), nullptr) << kernel;
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

}  // namespace
}  // namespace ab::device::vulkan::native
