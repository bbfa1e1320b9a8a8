// SPDX-License-Identifier: MIT
#include "device/metal/native/native.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "kernels/host.hpp"

namespace ab::device::metal::native {
namespace {

template <class Params>
std::optional<Launch> chosen(const char* kernel, const Params& p) {
  return choose(kernel, std::as_bytes(std::span(&p, 1)));
}

kernels::dd_params dd_product(kernels::uint rows, kernels::uint columns) {
  kernels::dd_params p{};
  p.rows = rows, p.columns = columns, p.form = 3, p.inner_padded = 64, p.left_all = rows, p.right_all = columns;
  return p;
}

struct Tiling {
  kernels::uint rows, columns;
  const char* name;
  kernels::uint tile_rows, tile_columns;
};

TEST(MetalNative, TilesFollowTheShape) {
  for (const Tiling& t :
       {Tiling{1, 1, "gemm_dd_32x32_ahead", 1, 1}, Tiling{480, 480, "gemm_dd_32x32_ahead", 15, 15}, Tiling{481, 480, "gemm_dd_64x64", 8, 8},
        Tiling{480, 481, "gemm_dd_64x64", 8, 8}, Tiling{64, 500, "gemm_dd_64x64_ahead", 1, 8}, Tiling{2048, 512, "gemm_dd_128x16", 16, 32},
        Tiling{4, 1, "gemm_dd_128x16_ahead", 1, 1}, Tiling{2047, 512, "gemm_dd_64x64", 32, 8}}) {
    const std::optional<Launch> launch = chosen("gemm_dd", dd_product(t.rows, t.columns));
    ASSERT_TRUE(launch);
    EXPECT_STREQ(launch->text->name, t.name) << t.rows << " x " << t.columns;
    kernels::dd_params p;
    ASSERT_EQ(launch->params.size(), sizeof p);
    std::memcpy(&p, launch->params.data(), sizeof p);
    EXPECT_EQ(p.tile_rows, t.tile_rows);
    EXPECT_EQ(p.tile_columns, t.tile_columns);
    EXPECT_EQ(p.groups, 3 * t.tile_rows * t.tile_columns);
    EXPECT_EQ(launch->groups, (std::array<std::uint32_t, 3>{p.groups, 1, 1}));
  }
}

TEST(MetalNative, ProductsOfResiduesGoByTallTiles) {
  kernels::modular_params p{}, tall;
  p.left_vectors = 129, p.right_vectors = 64 * AB_FOLD, p.inner_padded = 64, p.moduli = 5;
  for (const auto& [kernel, name] : {std::pair{"modular_gemm_f32", "product_f32"}, std::pair{"modular_gemm_f32_3m", "product_f32_3m"}}) {
    const std::optional<Launch> launch = chosen(kernel, p);
    ASSERT_TRUE(launch);
    EXPECT_STREQ(launch->text->name, name);
    ASSERT_EQ(launch->params.size(), sizeof tall);
    std::memcpy(&tall, launch->params.data(), sizeof tall);
    EXPECT_EQ(tall.tile_rows, 2u);
    EXPECT_EQ(tall.tile_columns, AB_FOLD);
    EXPECT_EQ(tall.groups, 10 * AB_FOLD);
    EXPECT_EQ(tall.inner_padded, 64u);
    EXPECT_EQ(launch->groups, (std::array<std::uint32_t, 3>{AB_FOLD, 10, 1}));
  }
}

TEST(MetalNative, TheOthersAreCommon) {
  for (const char* kernel : {"scan", "residues_half", "modular_gemm_i8", "reconstruct_i16"}) EXPECT_FALSE(choose(kernel, {})) << kernel;
}

}  // namespace
}  // namespace ab::device::metal::native
