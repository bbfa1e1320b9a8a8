// SPDX-License-Identifier: MIT
// Products of planes alone, by warpgroups in both tilings and by warps: every byte is a residue of the exact sum. On a fake driver and on a
// GPU.
#include "device/cuda/native/native_kernels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "device/cuda/native/constants.hpp"
#include "support/random.hpp"

namespace ab::device::cuda::native {
namespace {

TEST(CudaPanels, FitTheScratchAndCoverTheResult) {
  test::Random random(61);
  for (int t = 0; t < 20000; ++t) {
    const auto size = [&] { return static_cast<Index>(1 + random.below(1 + random.below(30000))); };
    const Index rows = size(), columns = size(), planes = 13 + static_cast<Index>(random.below(48));
    const std::uint64_t least = static_cast<std::uint64_t>(planes * slab_bytes);
    const std::uint64_t bytes = least + random.below(std::uint64_t{1} << (10 + random.below(24)));
    const Panel panel = choose_panel(rows, columns, planes, bytes);
    ASSERT_LE(result_bytes(panel, planes), bytes);
    ASSERT_TRUE(panel.rows > 0 && panel.columns > 0);
    ASSERT_TRUE(panel.rows >= rows || panel.rows % tile_rows == 0);
    ASSERT_TRUE(panel.columns >= columns || panel.columns % slab_columns == 0);
  }
  EXPECT_EQ(choose_panel(16384, 16384, 14, std::uint64_t{4} << 30).columns, 16384);
  EXPECT_EQ(choose_panel(16384, 16384, 14, std::uint64_t{1} << 30).columns, 4608);
}

class CudaNativeProduct : public testing::TestWithParam<GpuKernels> {
 protected:
  void SetUp() override {
    int count = 0;
    if (driver() == nullptr || driver()->device_get_count(&count) != success || count == 0) GTEST_SKIP() << "skipped: no GPU";
    context_ = std::make_unique<PrimaryContext>(*driver(), 0);
    current_ = std::make_unique<Current>(*context_);
    kernels_ = NativeKernels::load(*context_, 0, GetParam());
    if (kernels_ == nullptr) GTEST_SKIP() << "skipped: no native kernels for this GPU";
    context_->check(driver()->stream_create(&stream_, stream_non_blocking), "cuStreamCreate");
    context_->check(driver()->mem_host_alloc(&pinned_, pinned_bytes, 0), "cuMemHostAlloc");
  }
  void TearDown() override {
    if (stream_ != nullptr) {
      driver()->stream_synchronize(stream_);
      for (const Address at : taken_) driver()->mem_free(at);
      driver()->mem_free_host(pinned_);
      driver()->stream_destroy(stream_);
    }
    kernels_.reset();
    current_.reset();
    context_.reset();
  }
  Address allocate(std::size_t bytes) {
    Address at = 0;
    context_->check(driver()->mem_alloc(&at, bytes), "cuMemAlloc");
    taken_.push_back(at);
    return at;
  }
  void copy(Address to, const std::vector<std::int8_t>& from) {
    std::memcpy(pinned_, from.data(), from.size());
    context_->check(driver()->copy_to_device(to, pinned_, from.size(), stream_), "cuMemcpyHtoDAsync");
    context_->check(driver()->stream_synchronize(stream_), "cuStreamSynchronize");
  }
  std::vector<std::uint8_t> read(Address from, std::size_t bytes) {
    context_->check(driver()->copy_to_host(pinned_, from, bytes, stream_), "cuMemcpyDtoHAsync");
    context_->check(driver()->stream_synchronize(stream_), "cuStreamSynchronize");
    const auto* const at = static_cast<const std::uint8_t*>(pinned_);
    return std::vector<std::uint8_t>(at, at + bytes);
  }

  static constexpr std::size_t pinned_bytes = std::size_t{64} << 20;
  std::unique_ptr<PrimaryContext> context_;
  std::unique_ptr<Current> current_;
  std::unique_ptr<NativeKernels> kernels_;
  StreamHandle stream_ = nullptr;
  void* pinned_ = nullptr;
  std::vector<Address> taken_;
};

enum class Data { Random, Extreme };

std::vector<std::int8_t> random_planes(Index moduli, Index products, Index vectors, Index inner, Data data, test::Random& random) {
  std::vector<std::int8_t> bytes;
  for (Index plane = 0; plane < moduli * products; ++plane) {
    const int m = moduli_list[plane / products];
    for (Index i = 0; i < vectors * inner; ++i) {
      const int value = static_cast<int>(random.below(static_cast<std::uint64_t>(m))) - m / 2;
      bytes.push_back(static_cast<std::int8_t>(data == Data::Random ? value : random.below(16) == 0 ? -m / 2 + 1 : -m / 2));
    }
  }
  return bytes;
}

struct Case {
  Index rows, columns, inner;
  int moduli, products;
  Tiles tiles;
  Data data;
};

// The first wrong byte in words, or "".
std::string wrong_byte(const Case& c, const std::vector<std::int8_t>& left, const std::vector<std::int8_t>& right,
                       const std::vector<std::uint8_t>& results) {
  const Index slabs = (c.columns + slab_columns - 1) / slab_columns, row_tiles = (c.rows + tile_rows - 1) / tile_rows;
  for (Index plane = 0; plane < Index{c.moduli} * c.products; ++plane) {
    const int m = moduli_list[plane / c.products];
    for (Index slab = 0; slab < slabs * row_tiles; ++slab) {
      for (int index = 0; index < slab_bytes; ++index) {
        const Place place = place_of_word(index / 4);
        const Index i = slab / slabs * tile_rows + place.row + row_of_byte(index % 4), j = slab % slabs * slab_columns + place.column;
        if (i >= c.rows || j >= c.columns) continue;
        std::int64_t sum = 0;
        for (Index k = 0; k < c.inner; ++k)
          sum += left[static_cast<std::size_t>((plane * c.rows + i) * c.inner + k)] *
                 right[static_cast<std::size_t>((plane * c.columns + j) * c.inner + k)];
        const int byte = results[static_cast<std::size_t>((plane * slabs * row_tiles + slab) * slab_bytes + index)] - 128;
        if ((sum - byte) % m == 0) continue;
        return "plane " + std::to_string(plane) + " row " + std::to_string(i) + " column " + std::to_string(j) + ": " +
               std::to_string(byte) + " for " + std::to_string(sum) + " modulo " + std::to_string(m);
      }
    }
  }
  return "";
}

TEST_P(CudaNativeProduct, BytesAreResiduesOfTheSums) {
  test::Random random(62);
  const Case cases[] = {{1, 1, 64, 2, 1, Tiles::Small, Data::Random},      {257, 65, 192, 3, 1, Tiles::Small, Data::Random},
                        {257, 65, 192, 3, 1, Tiles::Large, Data::Random},  {300, 200, 64, 2, 3, Tiles::Small, Data::Extreme},
                        {520, 390, 128, 1, 3, Tiles::Large, Data::Random}, {256, 193, 640, 2, 1, Tiles::Large, Data::Extreme},
                        {70, 600, 320, 2, 1, Tiles::Small, Data::Random},  {70, 600, 320, 2, 1, Tiles::Large, Data::Random},
                        {3, 2, 8192, 2, 1, Tiles::Large, Data::Extreme},   {3, 2, 135168, 2, 1, Tiles::Small, Data::Extreme},
                        {3, 2, 262272, 2, 1, Tiles::Large, Data::Extreme}};
  const Address meetings = allocate(256);
  for (const Case& c : cases) {
    if (GetParam() == GpuKernels::Ampere && c.inner > 200000) continue;  // the fake driver takes long over warps' instructions
    const std::vector<std::int8_t> left = random_planes(c.moduli, c.products, c.rows, c.inner, c.data, random);
    const std::vector<std::int8_t> right = random_planes(c.moduli, c.products, c.columns, c.inner, c.data, random);
    PlaneProduct product{};
    product.left = allocate(left.size());
    product.right = allocate(right.size());
    copy(product.left, left);
    copy(product.right, right);
    product.left_all = product.rows = c.rows, product.right_all = product.columns = c.columns, product.inner_padded = c.inner;
    product.moduli = c.moduli, product.products = c.products, product.tiles = c.tiles;
    const std::uint64_t bytes = result_bytes({c.rows, c.columns}, Index{c.moduli} * c.products);
    product.results = allocate(bytes);
    product.meetings = meetings;
    kernels_->multiply(product, stream_);
    const std::string wrong = wrong_byte(c, left, right, read(product.results, bytes));
    ASSERT_EQ(wrong, "") << c.rows << "x" << c.columns << "x" << c.inner << (c.tiles == Tiles::Small ? " small" : " large") << " tiles";
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, CudaNativeProduct, testing::Values(GpuKernels::Best, GpuKernels::Ampere),
                         [](const auto& info) { return info.param == GpuKernels::Best ? "Best" : "Ampere"; });

}  // namespace
}  // namespace ab::device::cuda::native
