// SPDX-License-Identifier: MIT
#include "device/vulkan/command_stream.hpp"

#include <cstdlib>

#include "kernels/host.hpp"
#include "sim/vulkan/failing.hpp"

namespace ab::device::vulkan {
namespace {

// With memory of the device's own, which only the stream reaches, and with the host's.
class VulkanStreams : public test::OnVulkan, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    OnVulkan::SetUp();
    if (IsSkipped()) return;
    setenv("AB_FAKE_VULKAN", GetParam(), 1);
    device_ = std::make_shared<LogicalDevice>(*instance(), 0);
    unsetenv("AB_FAKE_VULKAN");
  }
  void TearDown() override {
    device_.reset();
    OnVulkan::TearDown();
  }
  CommandStream::Place place(std::size_t bytes) const { return {std::make_shared<const Buffer>(device_, bytes, Placement::Device), 0}; }
  std::shared_ptr<LogicalDevice> device_;
};

std::vector<std::uint64_t> counted_words(std::size_t count, std::uint64_t first) {
  std::vector<std::uint64_t> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = first + i;
  return words;
}

CommandStream::Place behind(const CommandStream::Place& place, std::size_t bytes) {
  return {place.buffer, place.offset + bytes};
}

TEST_P(VulkanStreams, MoveMoreThanTheirBatchesHold) {
  CommandStream stream(device_);
  const std::size_t words = 2 * CommandStream::batch_count * CommandBatch::arena_bytes / 8 + 1001;
  const CommandStream::Place a = place(8 * words), b = place(8 * words + 64);
  const std::vector<std::uint64_t> sent = counted_words(words, 5);
  stream.upload(a, std::as_bytes(std::span(sent)));
  stream.copy(a, behind(b, 64), 8 * words);
  std::vector<std::uint64_t> got(words);
  stream.download(behind(b, 64), std::as_writable_bytes(std::span(got)));
  EXPECT_EQ(got, sent);
}

TEST_P(VulkanStreams, KeepTheOrderOfSmallTransfers) {
  CommandStream stream(device_);
  const CommandStream::Place a = place(8192), b = place(8192);
  for (std::uint64_t round = 0; round < 400; ++round) {
    const std::vector<std::uint64_t> sent = counted_words(1 + round % 97, round);
    stream.upload(a, std::as_bytes(std::span(sent)));
    stream.copy(a, b, 8 * sent.size());
    if (round % 50 != 0) continue;
    std::vector<std::uint64_t> got(sent.size());
    stream.download(b, std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got, sent) << round;
  }
}

TEST_P(VulkanStreams, LaunchInOrderMoreThanABatchHolds) {
  const KernelText* text = kernel_texts;
  while (std::string(text->name) != "elementwise") ++text;
  const auto pipeline = std::make_shared<const Pipeline>(device_, *text, Plain);
  CommandStream stream(device_);
  const CommandStream::Place sum = place(64), one = place(64);
  const double start = 0, step = 1;
  stream.upload(sum, std::as_bytes(std::span(&start, 1)));
  stream.upload(one, std::as_bytes(std::span(&step, 1)));
  kernels::elementwise_params p{};
  p.count = 1, p.groups = 1;  // sum = sum + one
  const CommandStream::Place buffers[] = {sum, one, sum};
  constexpr int launches = 3 * static_cast<int>(CommandBatch::most_launches) + 5;
  for (int i = 0; i < launches; ++i) stream.launch({pipeline, buffers, std::as_bytes(std::span(&p, 1)), {1, 1, 1}});
  double got = 0;
  stream.download(sum, std::as_writable_bytes(std::span(&got, 1)));
  EXPECT_EQ(got, launches);
}

TEST_P(VulkanStreams, AfterAFailureGoOn) {
  CommandStream stream(device_);
  const CommandStream::Place a = place(800), b = place(800);
  const std::vector<std::uint64_t> sent = counted_words(100, 3);
  for (long n = 1; n <= 6; ++n) {
    test::failing().fail_at(n, VK_ERROR_OUT_OF_HOST_MEMORY, test::VulkanFailures::One);
    try {
      stream.copy(a, b, 8);
      stream.finish();
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::AllocFailed);
    }
    test::failing().fail_at(0, 0, test::VulkanFailures::One);
    std::vector<std::uint64_t> got(100);
    stream.upload(a, std::as_bytes(std::span(sent)));
    stream.copy(a, b, 800);
    stream.download(b, std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got, sent) << n;
  }
}

TEST_P(VulkanStreams, RefuseOffsetsThatTheDeviceCannotBind) {
  const KernelText* text = kernel_texts;
  while (std::string(text->name) != "elementwise") ++text;
  CommandStream stream(device_);
  const CommandStream::Place a = place(64);
  const CommandStream::Place buffers[] = {a, behind(a, 4), a};
  kernels::elementwise_params p{};
  const auto pipeline = std::make_shared<const Pipeline>(device_, *text, Plain);
  EXPECT_THROW(stream.launch({pipeline, buffers, std::as_bytes(std::span(&p, 1)), {1, 1, 1}}), Error);
}

INSTANTIATE_TEST_SUITE_P(Memory, VulkanStreams, testing::Values("", "discrete"),
                         [](const auto& info) { return *info.param == '\0' ? "AsItIs" : "Discrete"; });

}  // namespace
}  // namespace ab::device::vulkan
