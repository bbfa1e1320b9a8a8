// SPDX-License-Identifier: MIT
// The simulator sees what Metal would not forgive: each misuse is planted, and its words are wanted.
#include <gtest/gtest.h>

#include <cstring>

#import <Metal/Metal.h>

#include "sim/metal/simulator.hpp"

namespace ab::test {
namespace {

class MetalValidation : public testing::Test {
 protected:
  void SetUp() override {
    pool_ = [[NSAutoreleasePool alloc] init];
    NSArray* const all = MTLCopyAllDevices();
    device_ = [[all objectAtIndex:0] retain];
    [all release];
    queue_ = [device_ newCommandQueue];
    buffer_ = [device_ newBufferWithLength:64 options:MTLResourceStorageModeShared];
    commands_ = [queue_ commandBuffer];
  }
  void TearDown() override {
    metal::edit_texts(nullptr);
    metal::forget_violations();
    [buffer_ release];
    [queue_ release];
    [pool_ drain];
    [device_ release];
  }
  static void expect(const char* words) {
    EXPECT_EQ(metal::violations(), 1);
    EXPECT_EQ(metal::first_violation(), words);
    metal::forget_violations();
  }
  id<MTLComputePipelineState> pipeline(const char* body) {
    const std::string text = std::string("#include <metal_stdlib>\nusing namespace metal;\n"
                                         "kernel void step(device uint* words [[buffer(0)]], constant uint& count [[buffer(1)]],\n"
                                         "                 uint3 at [[thread_position_in_threadgroup]]) {") +
                             body + "}\n";
    NSError* error = nil;
    const id<MTLLibrary> library = [device_ newLibraryWithSource:[NSString stringWithUTF8String:text.c_str()] options:nil error:&error];
    EXPECT_NE(library, nil) << [[error localizedDescription] UTF8String];
    const id<MTLFunction> function = [library newFunctionWithName:[NSString stringWithUTF8String:"step"]];
    const id<MTLComputePipelineState> made = [device_ newComputePipelineStateWithFunction:function error:&error];
    [library release];
    [function release];
    return [made autorelease];
  }
  // Runs `step` with 64 threads; 4 words of params.
  void run(const char* body, NSUInteger threads = 64) {
    const id<MTLComputeCommandEncoder> encoder = [commands_ computeCommandEncoder];
    const unsigned count[4] = {16, 0, 0, 0};
    [encoder setComputePipelineState:pipeline(body)];
    [encoder setBuffer:buffer_ offset:0 atIndex:0];
    [encoder setBytes:count length:16 atIndex:1];
    [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(threads, 1, 1)];
    [encoder endEncoding];
    [commands_ commit];
    [commands_ waitUntilCompleted];
  }
  NSAutoreleasePool* pool_ = nil;
  id<MTLDevice> device_ = nil;
  id<MTLCommandQueue> queue_ = nil;
  id<MTLBuffer> buffer_ = nil;
  id<MTLCommandBuffer> commands_ = nil;
};

TEST_F(MetalValidation, RightUseIsSilent) {
  run("threadgroup uint shared_words[64]; shared_words[at.x] = at.x; threadgroup_barrier(mem_flags::mem_threadgroup);"
      "if (at.x < count) words[at.x] = shared_words[63u - at.x];");
  EXPECT_EQ([commands_ status], MTLCommandBufferStatusCompleted);
  EXPECT_EQ(metal::violations(), 0) << metal::first_violation();
  EXPECT_EQ(static_cast<unsigned*>([buffer_ contents])[3], 60u);
}

TEST_F(MetalValidation, AddressSpacesAreChecked) {
  NSError* error = nil;
  const char* const text = "#include <metal_stdlib>\nusing namespace metal;\nkernel void step(device uint* words [[buffer(0)]]) {\n"
                           "  threadgroup uint own[4]; device uint* other = own; other[0] = 1u; }\n";
  const id<MTLLibrary> library = [device_ newLibraryWithSource:[NSString stringWithUTF8String:text] options:nil error:&error];
  EXPECT_EQ(library, nil);
  EXPECT_NE(std::string([[error localizedDescription] UTF8String]).find("cannot initialize a variable of type '__global uint"),
            std::string::npos)
      << [[error localizedDescription] UTF8String];
}

TEST_F(MetalValidation, BarriersMustBeReachedByAll) {
  run("if (at.x < 32u) threadgroup_barrier(mem_flags::mem_threadgroup); words[0] = 1u;");
  expect("threads of a group that do not all reach the same barrier");
  EXPECT_EQ([commands_ status], MTLCommandBufferStatusError);
}

TEST_F(MetalValidation, ThreadgroupMemoryHasALimit) {
  EXPECT_EQ(pipeline("threadgroup uint much[8193]; much[at.x] = at.x; threadgroup_barrier(mem_flags::mem_threadgroup); words[0] = "
                     "much[8192u - at.x];"),
            nil);
}

TEST_F(MetalValidation, MemoryBehindABufferIsGuarded) {
  EXPECT_DEATH(run("words[at.x] = 1u;"), "");  // 64 words into 16
}

TEST_F(MetalValidation, DispatchesAreJudged) {
  run("words[0] = 1u;", 1025);
  expect("a dispatch: groups of 1025 threads");
  const id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  const id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  const MTLSize one = MTLSizeMake(1, 1, 1);
  const unsigned count = 1;
  [encoder dispatchThreadgroups:one threadsPerThreadgroup:one];
  expect("a dispatch without a pipeline");
  [encoder setComputePipelineState:pipeline("words[0] = count;")];
  [encoder setBytes:&count length:2 atIndex:1];
  [encoder dispatchThreadgroups:one threadsPerThreadgroup:one];
  expect("a dispatch: buffer 0 is not bound");
  [encoder setBuffer:buffer_ offset:2 atIndex:0];
  [encoder dispatchThreadgroups:one threadsPerThreadgroup:one];
  expect("a dispatch: buffer 0 begins at byte 2");
  [encoder setBuffer:buffer_ offset:0 atIndex:0];
  [encoder dispatchThreadgroups:one threadsPerThreadgroup:one];
  expect("a dispatch: buffer 1 has 2 bytes, an element has 4");
  [encoder setBytes:&count length:4 atIndex:0];
  [encoder setBytes:&count length:4 atIndex:1];
  [encoder dispatchThreadgroups:one threadsPerThreadgroup:one];
  expect("a dispatch: buffer 0 is written, but bound as bytes");
  [encoder dispatchThreadgroups:MTLSizeMake(0, 1, 1) threadsPerThreadgroup:one];
  expect("a dispatch: a dispatch of no groups");
  [encoder setBuffer:buffer_ offset:64 atIndex:0];
  expect("a buffer bound behind its end");
  [encoder setBuffer:buffer_ offset:0 atIndex:31];
  expect("a binding beyond 30");
  std::string long_text(5000, ' ');
  [encoder setBytes:long_text.data() length:5000 atIndex:1];
  expect("setBytes: of 5000 bytes");
  [encoder endEncoding];
}

TEST_F(MetalValidation, BlitsAreJudged) {
  const id<MTLBlitCommandEncoder> encoder = [commands_ blitCommandEncoder];
  [encoder copyFromBuffer:buffer_ sourceOffset:0 toBuffer:buffer_ destinationOffset:32 size:3];
  expect("a blit of parts of words");
  [encoder copyFromBuffer:buffer_ sourceOffset:0 toBuffer:buffer_ destinationOffset:32 size:36];
  expect("a blit beyond a buffer");
  [encoder copyFromBuffer:buffer_ sourceOffset:0 toBuffer:buffer_ destinationOffset:4 size:8];
  expect("a blit onto itself");
  [encoder endEncoding];
}

TEST_F(MetalValidation, EncodersAndCommandBuffersHaveAnOrder) {
  const id<MTLBlitCommandEncoder> first = [commands_ blitCommandEncoder];
  const id<MTLBlitCommandEncoder> second = [commands_ blitCommandEncoder];
  expect("a second encoder in a command buffer");
  [second endEncoding];
  [first endEncoding];
  [first endEncoding];
  expect("endEncoding twice");
  [first copyFromBuffer:buffer_ sourceOffset:0 toBuffer:buffer_ destinationOffset:32 size:4];
  expect("a command after endEncoding");
  [commands_ waitUntilCompleted];
  expect("a wait for a command buffer that is not committed");
  [commands_ commit];
  [commands_ commit];
  expect("a command buffer committed twice");
  [[commands_ blitCommandEncoder] endEncoding];
  expect("an encoder in a command buffer that is committed");
  [commands_ waitUntilCompleted];
}

TEST_F(MetalValidation, UnfinishedEncodersAreSeen) {
  NSAutoreleasePool* const inner = [[NSAutoreleasePool alloc] init];
  [commands_ computeCommandEncoder];
  [commands_ commit];
  expect("a command buffer committed before endEncoding");
  [inner drain];
  expect("an encoder that ends before endEncoding");
}

TEST_F(MetalValidation, CommandsAreNotExecutedBeforeSomebodyWaits) {
  const id<MTLBuffer> other = [device_ newBufferWithLength:64 options:MTLResourceStorageModeShared];
  std::memset([buffer_ contents], 1, 64);
  std::memset([other contents], 2, 64);
  const id<MTLBlitCommandEncoder> encoder = [commands_ blitCommandEncoder];
  [encoder copyFromBuffer:buffer_ sourceOffset:0 toBuffer:other destinationOffset:0 size:64];
  [encoder endEncoding];
  [commands_ commit];
  EXPECT_EQ(static_cast<char*>([other contents])[0], 2);
  [commands_ waitUntilCompleted];
  EXPECT_EQ(static_cast<char*>([other contents])[0], 1);
  [other release];
}

TEST_F(MetalValidation, MemoryRulesAreKept) {
  EXPECT_EQ([device_ newBufferWithLength:0 options:MTLResourceStorageModeShared], nil);
  expect("newBufferWithLength: of 0 bytes");
  EXPECT_EQ([device_ newBufferWithBytesNoCopy:[buffer_ contents] length:64 options:MTLResourceStorageModeShared deallocator:nil], nil);
  expect("newBufferWithBytesNoCopy: of what is not whole pages");
  EXPECT_EQ([device_ newBufferWithLength:(std::size_t{1} << 30) + 1 options:MTLResourceStorageModeShared], nil);
}

TEST_F(MetalValidation, WrongCountsOfObjectsAreSeen) {
  EXPECT_DEATH(
      {
        NSString* const text = [[NSString alloc] init];
        [text release];
        [text release];
        _exit(metal::violations() > 0 ? 1 : 0);
      },
      "");
}

}  // namespace
}  // namespace ab::test
