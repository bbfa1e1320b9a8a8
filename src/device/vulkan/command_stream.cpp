// SPDX-License-Identifier: MIT
#include "device/vulkan/command_stream.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace ab::device::vulkan {
namespace {

constexpr std::size_t smallest_chunk = 4096;  // less is left in the arena: the next batch has all of it

}  // namespace

bool CommandStream::is_quiet() const {
  return std::all_of(batches_.begin(), batches_.end(), [](const auto& batch) { return batch == nullptr || batch->is_idle(); });
}

CommandBatch& CommandStream::recording() {
  std::unique_ptr<CommandBatch>& batch = batches_[current_];
  if (batch == nullptr) batch = std::make_unique<CommandBatch>(device_);
  if (batch->is_recording()) return *batch;
  batch->wait();
  batch->begin();
  return *batch;
}

void CommandStream::submit() {
  CommandBatch& filled = *batches_[current_];
  current_ = (current_ + 1) % batch_count;
  filled.submit();
}

void CommandStream::finish() {
  device_->require_usable();
  if (batches_[current_] != nullptr && batches_[current_]->is_recording()) submit();
  for (const auto& batch : batches_) {
    if (batch != nullptr) batch->wait();
  }
}

void CommandStream::upload(const Place& to, std::span<const std::byte> from) {
  device_->require_usable();
  if (to.buffer->mapped() != nullptr && is_quiet()) {
    std::memcpy(to.buffer->mapped() + to.offset, from.data(), from.size());
    return;
  }
  std::size_t done = 0;
  while (done < from.size()) {
    if (recording().arena_left() < std::min(from.size() - done, smallest_chunk)) submit();
    CommandBatch& batch = recording();
    const std::size_t bytes = std::min(from.size() - done, batch.arena_left());
    const CommandBatch::Piece piece = batch.take(bytes);
    std::memcpy(piece.data, from.data() + done, bytes);
    batch.keep(to.buffer);
    batch.copy({batch.arena().handle(), piece.offset, bytes}, {to.buffer->handle(), to.offset + done, bytes});
    done += bytes;
  }
}

void CommandStream::download(const Place& from, std::span<std::byte> to) {
  device_->require_usable();
  if (from.buffer->mapped() == nullptr) return download_in_chunks(from, to);
  finish();
  std::memcpy(to.data(), from.buffer->mapped() + from.offset, to.size());
}

// A batch a chunk, one batch less in flight than there are: the next one to record is never one that has not been read.
void CommandStream::download_in_chunks(const Place& from, std::span<std::byte> to) {
  struct Chunk {
    CommandBatch* batch;
    const std::byte* data;
    std::span<std::byte> to;
  };
  std::array<Chunk, batch_count - 1> asked{};
  std::size_t sent = 0, fetched = 0, begun = 0;
  while (fetched < to.size() || sent > 0) {
    for (; begun < to.size() && sent < asked.size(); ++sent) {
      if (recording().arena_left() < std::min(to.size() - begun, smallest_chunk)) submit();
      CommandBatch& batch = recording();
      const std::size_t bytes = std::min(to.size() - begun, batch.arena_left());
      const CommandBatch::Piece piece = batch.take(bytes);
      batch.keep(from.buffer);
      batch.copy({from.buffer->handle(), from.offset + begun, bytes}, {batch.arena().handle(), piece.offset, bytes});
      submit();
      asked[sent] = {&batch, piece.data, to.subspan(begun, bytes)};
      begun += bytes;
    }
    const Chunk& first = asked[0];
    first.batch->wait();
    std::memcpy(first.to.data(), first.data, first.to.size());
    fetched += first.to.size();
    std::rotate(asked.begin(), asked.begin() + 1, asked.end());
    --sent;
  }
}

void CommandStream::copy(const Place& from, const Place& to, std::size_t bytes) {
  device_->require_usable();
  CommandBatch& batch = recording();
  batch.keep(from.buffer);
  batch.keep(to.buffer);
  batch.copy({from.buffer->handle(), from.offset, bytes}, {to.buffer->handle(), to.offset, bytes});
}

void CommandStream::launch(const Launch& launch) {
  device_->require_usable();
  if (!recording().has_room_for_launch(launch.params.size())) submit();
  CommandBatch& batch = recording();
  const CommandBatch::Piece params = batch.take(launch.params.size());
  std::memcpy(params.data, launch.params.data(), launch.params.size());
  const CommandBatch::Range arena{batch.arena().handle(), params.offset, launch.params.size()};
  std::vector<CommandBatch::Range> bindings;
  for (const Place& place : launch.buffers) {
    if (place.buffer == nullptr) {
      bindings.push_back(arena);
      continue;
    }
    const std::size_t alignment = device_->physical().limits.minStorageBufferOffsetAlignment;
    if (place.offset % alignment != 0) {
      throw Error(Status::KernelFailed, device_->id() + ": a kernel's buffer at byte " + std::to_string(place.offset) +
                                            ", the device binds at multiples of " + std::to_string(alignment));
    }
    bindings.push_back({place.buffer->handle(), place.offset, place.buffer->bytes() - place.offset});
    batch.keep(place.buffer);
  }
  bindings.push_back(arena);
  batch.keep(launch.pipeline);
  batch.launch(*launch.pipeline, bindings, {launch.groups[0], launch.groups[1], launch.groups[2]});
}

}  // namespace ab::device::vulkan
