// SPDX-License-Identifier: MIT
// Queues, command buffers, encoders: as lazy as Metal may be, and as strict as its validation layer.
#include <algorithm>
#include <cstring>

#include "sim/metal/objects.hpp"

using namespace ab::test::metal;

namespace {

constexpr NSUInteger most_bindings = 31, most_inline_bytes = 4096;

void keep(SimCommandBuffer* commands, id object) {
  commands->recording->kept.push_back([object retain]);
}

void drop_kept(Recording& recording) {
  recording.work.clear();
  for (id object : recording.kept) [object release];
  recording.kept.clear();
}

void end_with(SimCommandBuffer* commands, long code, const std::string& words) {
  Recording& recording = *commands->recording;
  recording.status = MTLCommandBufferStatusError;
  recording.error = [[SimError errorWithCode:code words:words] retain];
}

void execute(SimCommandBuffer* commands) {
  State& now = state();
  Recording& recording = *commands->recording;
  const bool fails_here = ++now.command_buffers == now.failing_command_buffer;
  const bool failed = fails();
  std::string wrong;
  // A command buffer that fails has done some of its work.
  const std::size_t steps = failed || fails_here ? recording.work.size() / 2 : recording.work.size();
  for (std::size_t i = 0; i < steps && wrong.empty(); ++i) wrong = recording.work[i]();
  if (!wrong.empty()) violation(wrong);
  recording.status = MTLCommandBufferStatusCompleted;
  if (!wrong.empty()) end_with(commands, Internal, wrong);
  if (failed || fails_here) end_with(commands, failed ? now.code : now.command_buffer_code, "made up");
  drop_kept(recording);
}

void execute_up_to(SimCommandBuffer* last) {
  std::vector<SimCommandBuffer*>& committed = last->queue->work->committed;
  while (last->recording->status == MTLCommandBufferStatusCommitted && !committed.empty()) {
    SimCommandBuffer* const first = committed.front();
    committed.erase(committed.begin());
    execute(first);
    [first release];
  }
}

SimEncoder* open_encoder(SimCommandBuffer* commands, Bindings* bindings) {
  if (commands->recording->encoder_open) violation("a second encoder in a command buffer");
  if (commands->recording->status != MTLCommandBufferStatusNotEnqueued) violation("an encoder in a command buffer that is committed");
  commands->recording->encoder_open = true;
  SimEncoder* const encoder = [[SimEncoder alloc] init];
  encoder->commands = [commands retain];
  encoder->bindings = bindings;
  [encoder autorelease];
  return encoder;
}

bool is_open(SimEncoder* encoder) {
  if (encoder->ended) violation("a command after endEncoding");
  return !encoder->ended;
}

// What is bound fits what the function declares; "" when it does.
std::string fault_of_bindings(const Function& function, const Bindings& bindings) {
  for (const Function::Argument& argument : function.arguments) {
    const auto found = bindings.by_index.find(argument.index);
    const std::string name = "buffer " + std::to_string(argument.index);
    if (found == bindings.by_index.end()) return name + " is not bound";
    const Bound& bound = found->second;
    const std::size_t length = bound.buffer != nil ? bound.buffer->pages->bytes - bound.offset : bound.bytes.size();
    if (length < argument.bytes)
      return name + " has " + std::to_string(length) + " bytes, an element has " + std::to_string(argument.bytes);
    const std::size_t alignment = std::min<std::size_t>(argument.bytes & -argument.bytes, 16);
    if (bound.offset % std::min<std::size_t>(alignment, 16) != 0) return name + " begins at byte " + std::to_string(bound.offset);
    if (bound.buffer == nil && argument.written != 0) return name + " is written, but bound as bytes";
  }
  return "";
}

std::string fault_of_sizes(MTLSize groups, MTLSize threads) {
  const NSUInteger count = threads.width * threads.height * threads.depth;
  if (count == 0 || count > most_threads) return "groups of " + std::to_string(count) + " threads";
  if (groups.width == 0 || groups.height == 0 || groups.depth == 0) return "a dispatch of no groups";
  return "";
}

std::function<std::string()> dispatch_of(const Bindings& bindings, MTLSize groups, MTLSize threads) {
  return [function = static_cast<SimFunction*>(bindings.pipeline->source)->function, bound = bindings.by_index, groups, threads] {
    std::uint64_t addresses[most_bindings] = {};
    for (const auto& [index, place] : bound) {
      addresses[index] = place.buffer != nil ? reinterpret_cast<std::uint64_t>(place.buffer->pages->data) + place.offset
                                             : reinterpret_cast<std::uint64_t>(place.bytes.data());
    }
    const auto narrow = [](NSUInteger x) { return static_cast<std::uint32_t>(x); };
    return run({function,
                addresses,
                {narrow(groups.width), narrow(groups.height), narrow(groups.depth)},
                {narrow(threads.width), narrow(threads.height), narrow(threads.depth)},
                state().seed++});
  };
}

}  // namespace

@implementation SimQueue
- (id<MTLCommandBuffer>)commandBuffer {
  const Call call;
  if (fails()) return nil;
  SimCommandBuffer* const commands = [[SimCommandBuffer alloc] init];
  commands->queue = [self retain];
  commands->recording = new Recording;
  [commands autorelease];
  return commands;
}
- (void)dealloc {
  const Call call;
  if (!work->committed.empty()) violation("a command queue that ends before its work");
  delete work;
  [super dealloc];
}
@end

@implementation SimCommandBuffer
- (id<MTLComputeCommandEncoder>)computeCommandEncoder {
  const Call call;
  return fails() ? nil : open_encoder(self, new Bindings);
}
- (id<MTLBlitCommandEncoder>)blitCommandEncoder {
  const Call call;
  return fails() ? nil : open_encoder(self, nullptr);
}
- (void)commit {
  const Call call;
  if (recording->encoder_open) violation("a command buffer committed before endEncoding");
  if (recording->status != MTLCommandBufferStatusNotEnqueued) return violation("a command buffer committed twice");
  recording->status = MTLCommandBufferStatusCommitted;
  queue->work->committed.push_back([self retain]);
}
- (void)waitUntilCompleted {
  const Call call;
  if (recording->status == MTLCommandBufferStatusNotEnqueued) return violation("a wait for a command buffer that is not committed");
  execute_up_to(self);
}
- (MTLCommandBufferStatus)status {
  const Call call;
  return recording->status;
}
- (NSError*)error {
  return recording->error;
}
- (void)dealloc {
  const Call call;
  drop_kept(*recording);
  [recording->error release];
  delete recording;
  [queue release];
  [super dealloc];
}
@end

@implementation SimEncoder
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state {
  const Call call;
  if (!is_open(self)) return;
  keep(commands, state);
  bindings->pipeline = static_cast<SimPipeline*>(state);
}
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {
  const Call call;
  if (!is_open(self)) return;
  if (index >= most_bindings) return violation("a binding beyond 30");
  if (buffer != nil && offset >= [buffer length]) violation("a buffer bound behind its end");
  keep(commands, buffer);
  bindings->by_index[index] = {static_cast<SimBuffer*>(buffer), offset, {}};
}
- (void)setBytes:(const void*)bytes length:(NSUInteger)length atIndex:(NSUInteger)index {
  const Call call;
  if (!is_open(self)) return;
  if (index >= most_bindings) return violation("a binding beyond 30");
  if (length == 0 || length > most_inline_bytes) return violation("setBytes: of " + std::to_string(length) + " bytes");
  const auto* const first = static_cast<const std::byte*>(bytes);
  bindings->by_index[index] = {nil, 0, {first, first + length}};
}
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads {
  const Call call;
  if (!is_open(self)) return;
  if (bindings->pipeline == nil) return violation("a dispatch without a pipeline");
  const Function& function = *static_cast<SimFunction*>(bindings->pipeline->source)->function;
  std::string fault = fault_of_sizes(groups, threads);
  if (fault.empty()) fault = fault_of_bindings(function, *bindings);
  if (!fault.empty()) return violation("a dispatch: " + fault);
  commands->recording->work.push_back(dispatch_of(*bindings, groups, threads));
}
- (void)copyFromBuffer:(id<MTLBuffer>)source
          sourceOffset:(NSUInteger)sourceOffset
              toBuffer:(id<MTLBuffer>)destination
     destinationOffset:(NSUInteger)destinationOffset
                  size:(NSUInteger)size {
  const Call call;
  if (!is_open(self)) return;
  if ((sourceOffset | destinationOffset | size) % 4 != 0) return violation("a blit of parts of words");
  if (sourceOffset + size > [source length] || destinationOffset + size > [destination length]) return violation("a blit beyond a buffer");
  const bool apart = sourceOffset + size <= destinationOffset || destinationOffset + size <= sourceOffset;
  if (source == destination && !apart) return violation("a blit onto itself");
  keep(commands, source);
  keep(commands, destination);
  auto* const to = static_cast<std::byte*>([destination contents]) + destinationOffset;
  const auto* const from = static_cast<std::byte*>([source contents]) + sourceOffset;
  commands->recording->work.push_back([=] {
    std::memcpy(to, from, size);
    return std::string();
  });
}
- (void)endEncoding {
  const Call call;
  if (ended) return violation("endEncoding twice");
  ended = YES;
  commands->recording->encoder_open = false;
}
- (void)dealloc {
  const Call call;
  if (!ended) violation("an encoder that ends before endEncoding");
  delete bindings;
  [commands release];
  [super dealloc];
}
@end
