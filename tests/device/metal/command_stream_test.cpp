// SPDX-License-Identifier: MIT
#include "device/metal/command_stream.hpp"

#include <functional>

#include "kernels/host.hpp"
#include "sim/metal/on_simulator.hpp"

namespace ab::device::metal {
namespace {

class MetalStreams : public test::OnSimulator {
 protected:
  using Words = std::vector<std::uint64_t>;
  static Words counted(std::size_t count, std::uint64_t first) {
    Words words(count);
    for (std::size_t i = 0; i < count; ++i) words[i] = first + i;
    return words;
  }
  static CommandStream::Place at(const Buffer& buffer, std::size_t offset = 0) { return {&buffer, offset}; }
  // sum = sum + one, in place.
  void add(CommandStream& stream, const Buffer& sum, const Buffer& one, Index work = 1) {
    kernels::elementwise_params p{};
    p.count = 1, p.groups = 1;
    const CommandStream::Place buffers[] = {at(sum), at(one), at(sum)};
    stream.launch({&add_, buffers, std::as_bytes(std::span(&p, 1)), {1, 1, 1}, work});
  }
  Status status_of(const std::function<void()>& act) const {
    try {
      act();
    } catch (const Error& error) {
      return error.status();
    }
    return Status::Ok;
  }
  const std::shared_ptr<Gpu> gpu_ = [] {
    const AutoreleasePool pool;
    return std::make_shared<Gpu>(0);
  }();
  const Pipeline add_{gpu_, *find_text("elementwise")};
};

TEST_F(MetalStreams, MoveWhatIsWritten) {
  CommandStream stream(gpu_);
  const Buffer a(gpu_, 8000), b(gpu_, 8100);
  const Words sent = counted(1000, 5);
  Words got(1000);
  stream.write(at(a), std::as_bytes(std::span(sent)));
  stream.copy(at(a), at(b, 64), 8000);
  stream.read(at(b, 64), std::as_writable_bytes(std::span(got)));
  EXPECT_EQ(got, sent);
}

TEST_F(MetalStreams, KeepTheOrderOfTransfersLargeAndSmall) {
  CommandStream stream(gpu_);
  const Buffer a(gpu_, 200000), b(gpu_, 200000);
  for (std::uint64_t round = 0; round < 40; ++round) {
    const Words sent = counted(round % 3 == 0 ? 20000 : 1 + round, round);  // more and less than what is written behind
    stream.write(at(a), std::as_bytes(std::span(sent)));
    stream.copy(at(a), at(b), 8 * sent.size());
    if (round % 5 != 0) continue;
    Words got(sent.size());
    stream.read(at(b), std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got, sent) << round;
  }
}

TEST_F(MetalStreams, CopyPartsOfWordsAndOverlappingRanges) {
  CommandStream stream(gpu_);
  const Buffer a(gpu_, 64);
  const std::string sent = "0123456789abcdef";
  stream.write(at(a), std::as_bytes(std::span(sent)));
  stream.copy(at(a, 3), at(a, 17), 5);  // no multiples of 4
  stream.copy(at(a), at(a, 4), 12);     // onto itself
  std::string got(22, ' ');
  stream.read(at(a), std::as_writable_bytes(std::span(got)));
  EXPECT_EQ(got.substr(0, 16), "01230123456789ab");
  EXPECT_EQ(got.substr(17, 5), "34567");
}

TEST_F(MetalStreams, LaunchInOrderMoreThanCommandBuffersHold) {
  CommandStream stream(gpu_);
  const Buffer sum(gpu_, 8), one(gpu_, 8);
  const double start = 0, step = 1;
  stream.write(at(sum), std::as_bytes(std::span(&start, 1)));
  stream.write(at(one), std::as_bytes(std::span(&step, 1)));
  test::metal::fail_command_buffer(0, test::metal::Internal);  // counts from here
  constexpr int launches = 3 * CommandStream::most_launches + 5;
  for (int i = 0; i < launches; ++i) add(stream, sum, one);
  for (std::size_t i = 0; i < 2 * CommandStream::most_in_flight; ++i) add(stream, sum, one, CommandStream::most_work);  // one each
  double got = 0;
  stream.read(at(sum), std::as_writable_bytes(std::span(&got, 1)));
  EXPECT_EQ(got, launches + 2.0 * CommandStream::most_in_flight);
  EXPECT_EQ(test::metal::command_buffers(), 3 + static_cast<long>(2 * CommandStream::most_in_flight));
}

TEST_F(MetalStreams, BuffersMayGoBeforeTheirCommandsAreDone) {
  CommandStream stream(gpu_);
  const Buffer last(gpu_, 8000);
  const Words sent = counted(1000, 3);
  for (int round = 0; round < 20; ++round) {
    const Buffer brief(gpu_, 8000);
    stream.write(at(brief), std::as_bytes(std::span(sent)));
    stream.copy(at(brief), at(last), 8000);
  }
  Words got(1000);
  stream.read(at(last), std::as_writable_bytes(std::span(got)));
  EXPECT_EQ(got, sent);
}

TEST_F(MetalStreams, SayWhatCommandBuffersSay) {
  CommandStream stream(gpu_);
  const Buffer sum(gpu_, 8), one(gpu_, 8);
  struct Case {
    test::metal::ErrorCode code;
    Status status;
  };
  for (const Case& c : {Case{test::metal::OutOfMemory, Status::AllocFailed}, Case{test::metal::Timeout, Status::KernelFailed},
                        Case{test::metal::PageFault, Status::KernelFailed}, Case{test::metal::Internal, Status::KernelFailed}}) {
    test::metal::fail_command_buffer(2, c.code);
    for (int i = 0; i < 3; ++i) add(stream, sum, one, CommandStream::most_work);
    EXPECT_EQ(status_of([&] { stream.finish(); }), c.status);
    EXPECT_EQ(status_of([&] { stream.finish(); }), Status::Ok);  // said once
  }
}

TEST_F(MetalStreams, KeepAnErrorForWhoeverFinishes) {
  CommandStream stream(gpu_);
  const Buffer sum(gpu_, 8), one(gpu_, 8);
  test::metal::fail_command_buffer(1, test::metal::Timeout);
  add(stream, sum, one, CommandStream::most_work);
  add(stream, sum, one, CommandStream::most_work);
  stream.wait();
  EXPECT_EQ(status_of([&] { stream.finish(); }), Status::KernelFailed);
  EXPECT_EQ(status_of([&] { stream.finish(); }), Status::Ok);
}

TEST_F(MetalStreams, LoseADeviceForGood) {
  CommandStream stream(gpu_);
  const Buffer sum(gpu_, 8), one(gpu_, 8);
  test::metal::fail_command_buffer(1, test::metal::DeviceRemoved);
  add(stream, sum, one);
  EXPECT_EQ(status_of([&] { stream.finish(); }), Status::NoDevice);
  try {
    add(stream, sum, one);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::NoDevice);
    EXPECT_STREQ(error.what(), "metal was lost: metal: a command buffer failed: made up (11)");
  }
}

TEST_F(MetalStreams, AfterAFailureGoOn) {
  CommandStream stream(gpu_);
  const Buffer a(gpu_, 800), b(gpu_, 800);
  const Words sent = counted(100, 3);
  for (long n = 1; n <= 6; ++n) {
    test::metal::fail_at(n, test::metal::OutOfMemory);
    const Status status = status_of([&] {
      stream.copy(at(a), at(b), 8);
      stream.write(at(a), std::as_bytes(std::span(sent)).first(16));
      stream.finish();
    });
    EXPECT_EQ(status, n <= 4 ? Status::AllocFailed : Status::Ok) << n;  // command buffer, encoder, a copy's buffer, completion
    test::metal::fail_at(0, test::metal::Internal);
    Words got(100);
    stream.write(at(a), std::as_bytes(std::span(sent)));
    stream.copy(at(a), at(b), 800);
    stream.read(at(b), std::as_writable_bytes(std::span(got)));
    EXPECT_EQ(got, sent) << n;
  }
}

}  // namespace
}  // namespace ab::device::metal
