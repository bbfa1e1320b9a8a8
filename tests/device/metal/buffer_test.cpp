// SPDX-License-Identifier: MIT
#include "device/metal/buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "sim/metal/on_simulator.hpp"

namespace ab::device::metal {
namespace {

class MetalBuffers : public test::OnSimulator {
 protected:
  const std::shared_ptr<Gpu> gpu_ = [] {
    const AutoreleasePool pool;
    return std::make_shared<Gpu>(0);
  }();
};

TEST_F(MetalBuffers, AreTheHostsToo) {
  const Buffer buffer(gpu_, 1000);
  std::memset(buffer.data(), 7, buffer.bytes());
  EXPECT_EQ(buffer.bytes(), 1000u);
  EXPECT_EQ(buffer.offset(), 0u);
}

TEST_F(MetalBuffers, OfNothingExistAllTheSame) {
  const Buffer buffer(gpu_, 0);
  EXPECT_EQ(buffer.bytes(), 0u);
  EXPECT_NE(buffer.handle(), nullptr);
}

TEST_F(MetalBuffers, SayHowMuchTheDeviceHasInOne) {
  const std::uint64_t most = gpu_->traits().max_buffer_bytes;
  try {
    const Buffer buffer(gpu_, most + 1);
    ADD_FAILURE() << "there was room";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::AllocFailed);
    EXPECT_EQ(error.what(),
              "metal: a buffer of " + std::to_string(most + 1) + " bytes, the device has " + std::to_string(most) + " in one");
  }
}

TEST_F(MetalBuffers, SayThatThereIsNoMemory) {
  test::metal::fail_at(1, test::metal::Internal);
  try {
    const Buffer buffer(gpu_, 64);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::AllocFailed);
    EXPECT_STREQ(error.what(), "metal: no memory for 64 bytes");
  }
}

// Pages of the program's own with one in front and one behind that nobody may touch.
class Pages {
 public:
  explicit Pages(std::size_t count) : page_(static_cast<std::size_t>(getpagesize())), bytes_((count + 2) * page_) {
    all_ = static_cast<std::byte*>(mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(data(), count * page_, PROT_READ | PROT_WRITE);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(all_, bytes_); }
  std::byte* data() const { return all_ + page_; }
  std::size_t page() const { return page_; }

 private:
  const std::size_t page_, bytes_;
  std::byte* all_;
};

TEST_F(MetalBuffers, AdoptThePagesThatMemoryLiesOn) {
  const Pages pages(3);
  struct Case {
    std::size_t first, bytes, offset;
  };
  for (const Case& c : {Case{0, 3 * pages.page(), 0}, Case{0, 8, 0}, Case{40, 16, 40}, Case{pages.page() - 8, 16, pages.page() - 8},
                        Case{pages.page() + 24, pages.page(), 24}, Case{3 * pages.page() - 8, 8, pages.page() - 8}}) {
    const std::unique_ptr<Buffer> adopted = Buffer::adopt(gpu_, {pages.data() + c.first, c.bytes});
    ASSERT_NE(adopted, nullptr) << c.first;
    EXPECT_EQ(adopted->data(), pages.data() + c.first);
    EXPECT_EQ(adopted->offset(), c.offset);
    EXPECT_EQ(adopted->bytes(), c.bytes);
  }
}

TEST_F(MetalBuffers, LeaveToBeCopiedWhatCannotBeAdopted) {
  const Pages pages(3);
  EXPECT_EQ(Buffer::adopt(gpu_, {pages.data() + 4, 64}), nullptr);  // words of 64 bits at a multiple of 4
  EXPECT_EQ(Buffer::adopt(gpu_, {pages.data(), 0}), nullptr);
  test::metal::fail_at(1, test::metal::Internal);
  EXPECT_EQ(Buffer::adopt(gpu_, {pages.data(), 64}), nullptr);
  test::metal::set_limits({.buffer_bytes = pages.page()});
  const AutoreleasePool pool;
  const auto small = std::make_shared<Gpu>(0);
  EXPECT_NE(Buffer::adopt(small, {pages.data(), pages.page()}), nullptr);
  EXPECT_EQ(Buffer::adopt(small, {pages.data() + 8, pages.page()}), nullptr);  // two pages
}

}  // namespace
}  // namespace ab::device::metal
