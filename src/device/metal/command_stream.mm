// SPDX-License-Identifier: MIT
#include "device/metal/command_stream.hpp"

#import <Metal/Metal.h>

#include <cassert>
#include <cstring>

namespace ab::device::metal {
namespace {

id<MTLCommandBuffer> commands_of(const Owned& commands) {
  return commands.get();
}

[[maybe_unused]] bool is_done(const Owned& commands) {
  return [commands_of(commands) status] >= MTLCommandBufferStatusCompleted;  // or failed
}

// Blits move whole words.
bool is_blit(std::size_t from, std::size_t to, std::size_t bytes) {
  return (from | to | bytes) % 4 == 0;
}

bool overlap(std::size_t a, std::size_t b, std::size_t bytes) {
  return a < b + bytes && b < a + bytes;
}

}  // namespace

CommandStream::CommandStream(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {
  const AutoreleasePool pool;
  gpu_->require_usable();
  queue_ = Owned::taking([static_cast<id<MTLDevice>>(gpu_->handle()) newCommandQueue]);
  if (!queue_) throw Error(Status::AllocFailed, gpu_->id_text() + ": no more command queues");
  nothing_ = std::make_unique<Buffer>(gpu_, 16);
}

CommandStream::~CommandStream() {
  const AutoreleasePool pool;
  if (!gpu_->may_release()) {
    for (Owned* object : {&queue_, &commands_, &encoder_}) object->abandon();
    for (Owned& commands : in_flight_) commands.abandon();
    return;
  }
  end_encoder();
  for (const Owned& commands : in_flight_) [commands_of(commands) waitUntilCompleted];
}

bool CommandStream::is_quiet() {
  // Of those that failed the error is still to be said.
  while (!in_flight_.empty() && [commands_of(in_flight_.front()) status] == MTLCommandBufferStatusCompleted) in_flight_.pop_front();
  return in_flight_.empty() && !commands_;
}

void CommandStream::end_encoder() {
  if (encoder_) [static_cast<id<MTLCommandEncoder>>(encoder_.get()) endEncoding];
  encoder_ = Owned();
  kind_ = Encoder::None;
}

id CommandStream::encoder(Encoder kind) {
  if (kind_ == kind) return encoder_.get();
  end_encoder();
  if (!commands_) commands_ = Owned::sharing([static_cast<id<MTLCommandQueue>>(queue_.get()) commandBuffer]);
  if (!commands_) throw Error(Status::AllocFailed, gpu_->id_text() + ": no command buffer");
  encoder_ = kind == Encoder::Compute ? Owned::sharing([commands_of(commands_) computeCommandEncoder])
                                      : Owned::sharing([commands_of(commands_) blitCommandEncoder]);
  if (!encoder_) throw Error(Status::AllocFailed, gpu_->id_text() + ": no command encoder");
  kind_ = kind;
  return encoder_.get();
}

void CommandStream::commit() {
  if (!commands_) return;
  end_encoder();
  if (in_flight_.size() == most_in_flight) {
    [commands_of(in_flight_.front()) waitUntilCompleted];
    is_quiet();
  }
  [commands_of(commands_) commit];
  in_flight_.push_back(std::move(commands_));
  commands_ = Owned();
  launches_ = 0;
  work_ = 0;
}

void CommandStream::wait() {
  const AutoreleasePool pool;
  commit();
  for (const Owned& commands : in_flight_) [commands_of(commands) waitUntilCompleted];
  is_quiet();
}

void CommandStream::finish() {
  const AutoreleasePool pool;
  gpu_->require_usable();
  wait();
  const std::deque<Owned> done = std::exchange(in_flight_, {});
  for (const Owned& commands : done) {
    assert(is_done(commands));
    if ([commands_of(commands) status] != MTLCommandBufferStatusCompleted) gpu_->fail([commands_of(commands) error], "a command buffer");
  }
}

void CommandStream::write(const Place& to, std::span<const std::byte> from) {
  const AutoreleasePool pool;
  gpu_->require_usable();
  const std::size_t offset = to.buffer->offset() + to.offset;
  if (!is_quiet() && from.size() <= small_bytes && is_blit(0, offset, from.size())) return write_behind(to, from);
  if (!is_quiet()) finish();
  std::memcpy(to.buffer->data() + to.offset, from.data(), from.size());
}

void CommandStream::write_behind(const Place& to, std::span<const std::byte> from) {
  const Owned copied = Owned::taking([static_cast<id<MTLDevice>>(gpu_->handle()) newBufferWithBytes:from.data()
                                                                                             length:from.size()
                                                                                            options:MTLResourceStorageModeShared]);
  if (!copied) throw Error(Status::AllocFailed, gpu_->id_text() + ": no memory for " + std::to_string(from.size()) + " bytes");
  [static_cast<id<MTLBlitCommandEncoder>>(encoder(Encoder::Blit)) copyFromBuffer:copied.get()
                                                                    sourceOffset:0
                                                                        toBuffer:to.buffer->handle()
                                                               destinationOffset:to.buffer->offset() + to.offset
                                                                            size:from.size()];
}

void CommandStream::read(const Place& from, std::span<std::byte> to) {
  if (!is_quiet()) finish();
  gpu_->require_usable();
  std::memcpy(to.data(), from.buffer->data() + from.offset, to.size());
}

void CommandStream::copy(const Place& from, const Place& to, std::size_t bytes) {
  const AutoreleasePool pool;
  gpu_->require_usable();
  const std::size_t source = from.buffer->offset() + from.offset, target = to.buffer->offset() + to.offset;
  if (!is_blit(source, target, bytes) || (from.buffer == to.buffer && overlap(source, target, bytes))) {
    finish();
    std::memmove(to.buffer->data() + to.offset, from.buffer->data() + from.offset, bytes);
    return;
  }
  [static_cast<id<MTLBlitCommandEncoder>>(encoder(Encoder::Blit)) copyFromBuffer:from.buffer->handle()
                                                                    sourceOffset:source
                                                                        toBuffer:to.buffer->handle()
                                                               destinationOffset:target
                                                                            size:bytes];
}

void CommandStream::bind(id compute, const Launch& launch) {
  const auto target = static_cast<id<MTLComputeCommandEncoder>>(compute);
  NSUInteger index = 0;
  for (const Place& place : launch.buffers) {
    const Buffer& buffer = place.buffer == nullptr ? *nothing_ : *place.buffer;
    [target setBuffer:buffer.handle() offset:buffer.offset() + place.offset atIndex:index++];
  }
  [target setBytes:launch.params.data() length:launch.params.size() atIndex:index];
}

void CommandStream::launch(const Launch& launch) {
  const AutoreleasePool pool;
  gpu_->require_usable();
  const auto target = static_cast<id<MTLComputeCommandEncoder>>(encoder(Encoder::Compute));
  [target setComputePipelineState:launch.pipeline->handle()];
  bind(target, launch);
  const KernelText& text = launch.pipeline->text();
  [target dispatchThreadgroups:MTLSizeMake(launch.groups[0], launch.groups[1], launch.groups[2])
         threadsPerThreadgroup:MTLSizeMake(text.width, text.height, 1)];
  work_ += launch.work;
  if (++launches_ >= most_launches || work_ >= most_work) commit();
}

}  // namespace ab::device::metal
