// SPDX-License-Identifier: MIT
// The simulator's objects. Members are pointers to C++ structs: GCC's runtime constructs nothing inside of objects.
#pragma once
#import <Metal/Metal.h>

#include <map>
#include <memory>
#include <vector>

#include "sim/metal/state.hpp"
#include "sim/metal/threadgroup.hpp"

namespace ab::test::metal {

struct Pages;
struct Compiled;
struct Recording;
struct InOrder;
struct Bindings;

}  // namespace ab::test::metal

/// Counts itself among the living.
@interface SimObject : NSObject
@end

@interface SimArray : NSArray
+ (NSArray*)arrayTaking:(id)object count:(NSUInteger)count;
@end

@interface SimError : NSError
+ (NSError*)errorWithCode:(NSInteger)code words:(const std::string&)words;
@end

@interface SimDevice : NSObject <MTLDevice> {
 @public
  ab::test::metal::Limits* limits;
}
@end

@interface SimBuffer : SimObject <MTLBuffer> {
 @public
  ab::test::metal::Pages* pages;
}
@end

@interface SimLibrary : SimObject <MTLLibrary> {
 @public
  void* image;
}
@end

@interface SimFunction : SimObject <MTLFunction> {
 @public
  ab::test::metal::Function* function;
}
@end

@interface SimPipeline : SimObject <MTLComputePipelineState> {
 @public
  id<MTLFunction> source;
}
@end

@interface SimQueue : SimObject <MTLCommandQueue> {
 @public
  ab::test::metal::InOrder* work;
}
@end

@interface SimCommandBuffer : SimObject <MTLCommandBuffer> {
 @public
  SimQueue* queue;
  ab::test::metal::Recording* recording;
}
@end

@interface SimEncoder : SimObject <MTLComputeCommandEncoder, MTLBlitCommandEncoder> {
 @public
  SimCommandBuffer* commands;
  ab::test::metal::Bindings* bindings;  // of a compute encoder
  BOOL ended;
}
@end

namespace ab::test::metal {

/// Memory of a buffer: pages of our own with a guard page behind its last byte, or the program's.
struct Pages {
  std::byte* mapped = nullptr;  // null: the program's
  std::size_t mapped_bytes = 0;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// Bytes at a place within a buffer that stays alive.
struct Bound {
  SimBuffer* buffer = nullptr;
  std::size_t offset = 0;
  std::vector<std::byte> bytes;  // of setBytes instead
};
struct Bindings {
  SimPipeline* pipeline = nullptr;
  std::map<NSUInteger, Bound> by_index;
};

struct Recording {
  std::vector<std::function<std::string()>> work;  // each returns what went wrong
  std::vector<id> kept;                            // until it is done
  bool encoder_open = false;
  MTLCommandBufferStatus status = MTLCommandBufferStatusNotEnqueued;
  NSError* error = nil;
};

/// Command buffers in the order of their commits, none executed before somebody waits.
struct InOrder {
  std::vector<SimCommandBuffer*> committed;
};

/// Compiles a text or takes it from the cache: a shared library, or why there is none.
struct Compiled {
  std::string path, said;
};
Compiled compile(const std::string& text, MTLCompileOptions* options);

}  // namespace ab::test::metal
