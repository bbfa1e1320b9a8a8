// SPDX-License-Identifier: MIT
// Devices and their memory.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "sim/metal/objects.hpp"

using namespace ab::test::metal;

namespace {

std::size_t page_bytes() {
  return static_cast<std::size_t>(getpagesize());
}

std::size_t rounded(std::size_t bytes) {
  return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

// The last byte lies before a page that nobody may touch; the first at a multiple of 16. Filled with what no kernel should read.
Pages* map_pages(std::size_t bytes) {
  const std::size_t all = rounded(bytes) + page_bytes();
  void* const mapped = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(mapped);
  mprotect(begin + all - page_bytes(), page_bytes(), PROT_NONE);
  std::memset(begin, 0xA5, std::min<std::size_t>(rounded(bytes), std::size_t{1} << 22));
  state().used_bytes += bytes;
  return new Pages{begin, all, begin + rounded(bytes) - (bytes + 15) / 16 * 16, bytes};
}

id<MTLBuffer> buffer_of(Pages* pages) {
  if (pages == nullptr) return nil;
  SimBuffer* const buffer = [[SimBuffer alloc] init];
  buffer->pages = pages;
  return buffer;
}

bool may_have(const Limits& limits, std::size_t bytes) {
  return bytes <= limits.buffer_bytes && state().used_bytes + bytes <= limits.memory_bytes;
}

int device_count() {
  const char* const asked = std::getenv("AB_SIM_METAL_DEVICES");
  return asked != nullptr ? std::atoi(asked) : 1;
}

}  // namespace

extern "C" NSArray* MTLCopyAllDevices() {
  const Call call;
  SimDevice* const device = [[SimDevice alloc] init];
  NSArray* const all = [SimArray arrayTaking:device count:static_cast<NSUInteger>(device_count())];
  [device release];
  return all;
}

@implementation SimDevice
- (instancetype)init {
  limits = new Limits(state().limits);
  return [super init];
}
- (void)dealloc {
  delete limits;
  [super dealloc];
}
- (NSString*)name {
  return [NSString stringWithUTF8String:"Simulated Apple GPU"];
}
- (BOOL)hasUnifiedMemory {
  return limits->unified;
}
- (NSUInteger)recommendedMaxWorkingSetSize {
  return limits->memory_bytes;
}
- (NSUInteger)maxBufferLength {
  return limits->buffer_bytes;
}
- (BOOL)supportsFamily:(MTLGPUFamily)family {
  return family > 1000 && family <= 1000 + limits->apple_family;
}
- (id<MTLCommandQueue>)newCommandQueue {
  const Call call;
  if (fails()) return nil;
  SimQueue* const queue = [[SimQueue alloc] init];
  queue->work = new InOrder;
  return queue;
}
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
  const Call call;
  if (length == 0) violation("newBufferWithLength: of 0 bytes");
  if (options != MTLResourceStorageModeShared) violation("a buffer that is not shared with the host");
  return length == 0 || fails() || !may_have(*limits, length) ? nil : buffer_of(map_pages(length));
}
- (id<MTLBuffer>)newBufferWithBytes:(const void*)bytes length:(NSUInteger)length options:(MTLResourceOptions)options {
  const id<MTLBuffer> buffer = [self newBufferWithLength:length options:options];
  if (buffer != nil) std::memcpy([buffer contents], bytes, length);
  return buffer;
}
- (id<MTLBuffer>)newBufferWithBytesNoCopy:(void*)bytes
                                   length:(NSUInteger)length
                                  options:(MTLResourceOptions)options
                              deallocator:(id)deallocator {
  const Call call;
  const bool whole_pages = reinterpret_cast<std::uintptr_t>(bytes) % page_bytes() == 0 && length % page_bytes() == 0 && length > 0;
  if (!whole_pages) violation("newBufferWithBytesNoCopy: of what is not whole pages");
  if (deallocator != nil) violation("a deallocator for the program's own memory");
  if (!whole_pages || fails() || length > limits->buffer_bytes) return nil;
  return buffer_of(new Pages{nullptr, 0, static_cast<std::byte*>(bytes), length});
}
- (id<MTLLibrary>)newLibraryWithSource:(NSString*)source options:(MTLCompileOptions*)options error:(NSError**)error {
  const Call call;
  const Compiled compiled = fails() ? Compiled{"", "made up"} : compile([source UTF8String], options);
  if (compiled.path.empty()) {
    *error = [SimError errorWithCode:3 words:compiled.said];
    return nil;
  }
  extern id<MTLLibrary> open_library(const std::string& path);
  return open_library(compiled.path);
}
- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function error:(NSError**)error {
  const Call call;
  constexpr std::size_t most_threadgroup_bytes = 32768;
  const std::size_t bytes = static_cast<SimFunction*>(function)->function->threadgroup_bytes;
  if (bytes > most_threadgroup_bytes || fails()) {
    *error = [SimError errorWithCode:2 words:"threadgroup memory of " + std::to_string(bytes) + " bytes, or made up"];
    return nil;
  }
  SimPipeline* const pipeline = [[SimPipeline alloc] init];
  pipeline->source = [function retain];
  return pipeline;
}
@end

@implementation SimBuffer
- (void*)contents {
  return pages->data;
}
- (NSUInteger)length {
  return pages->bytes;
}
- (void)dealloc {
  const Call call;
  if (pages->mapped != nullptr) {
    state().used_bytes -= pages->bytes;
    munmap(pages->mapped, pages->mapped_bytes);
  }
  delete pages;
  [super dealloc];
}
@end
