// SPDX-License-Identifier: MIT
// What of Apple's Metal the backend uses: names, numbers and selectors of macOS 15's headers, served by the simulator. Test only.
#pragma once
#include <Foundation/Foundation.h>

#define MTL_LIST(type) enum type : NSUInteger
MTL_LIST(MTLResourceOptions){MTLResourceStorageModeShared = 0, MTLResourceStorageModePrivate = 2 << 4};
MTL_LIST(MTLCommandBufferStatus){MTLCommandBufferStatusNotEnqueued, MTLCommandBufferStatusEnqueued,  MTLCommandBufferStatusCommitted,
                                 MTLCommandBufferStatusScheduled,   MTLCommandBufferStatusCompleted, MTLCommandBufferStatusError};
MTL_LIST(MTLCommandBufferError){MTLCommandBufferErrorNone = 0,          MTLCommandBufferErrorInternal = 1,
                                MTLCommandBufferErrorTimeout = 2,       MTLCommandBufferErrorPageFault = 3,
                                MTLCommandBufferErrorAccessRevoked = 4, MTLCommandBufferErrorNotPermitted = 7,
                                MTLCommandBufferErrorOutOfMemory = 8,   MTLCommandBufferErrorInvalidResource = 9,
                                MTLCommandBufferErrorMemoryless = 10,   MTLCommandBufferErrorDeviceRemoved = 11,
                                MTLCommandBufferErrorStackOverflow = 12};
MTL_LIST(MTLLanguageVersion){MTLLanguageVersion2_4 = (2 << 16) + 4, MTLLanguageVersion3_1 = (3 << 16) + 1,
                             MTLLanguageVersion3_2 = (3 << 16) + 2};
enum MTLMathMode : NSInteger { MTLMathModeSafe = 0, MTLMathModeRelaxed = 1, MTLMathModeFast = 2 };
enum MTLMathFloatingPointFunctions : NSInteger { MTLMathFloatingPointFunctionsFast = 0, MTLMathFloatingPointFunctionsPrecise = 1 };
enum MTLGPUFamily : NSInteger { MTLGPUFamilyApple1 = 1001, MTLGPUFamilyApple7 = 1007, MTLGPUFamilyApple8 = 1008 };

struct MTLSize {
  NSUInteger width, height, depth;
};
inline MTLSize MTLSizeMake(NSUInteger width, NSUInteger height, NSUInteger depth) {
  return {width, height, depth};
}

@interface MTLCompileOptions : NSObject {
 @public
  MTLLanguageVersion version;
  BOOL fast;
}
- (void)setLanguageVersion:(MTLLanguageVersion)value;
- (void)setFastMathEnabled:(BOOL)value;
- (void)setMathMode:(MTLMathMode)value;
- (void)setMathFloatingPointFunctions:(MTLMathFloatingPointFunctions)value;
@end

@protocol MTLBuffer <NSObject>
- (void*)contents;
- (NSUInteger)length;
@end

@protocol MTLFunction <NSObject>
@end

@protocol MTLLibrary <NSObject>
- (id<MTLFunction>)newFunctionWithName:(NSString*)name;
@end

@protocol MTLComputePipelineState <NSObject>
- (NSUInteger)maxTotalThreadsPerThreadgroup;
@end

@protocol MTLCommandEncoder <NSObject>
- (void)endEncoding;
@end

@protocol MTLComputeCommandEncoder <MTLCommandEncoder>
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state;
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index;
- (void)setBytes:(const void*)bytes length:(NSUInteger)length atIndex:(NSUInteger)index;
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads;
@end

@protocol MTLBlitCommandEncoder <MTLCommandEncoder>
- (void)copyFromBuffer:(id<MTLBuffer>)source
          sourceOffset:(NSUInteger)sourceOffset
              toBuffer:(id<MTLBuffer>)destination
     destinationOffset:(NSUInteger)destinationOffset
                  size:(NSUInteger)size;
@end

@protocol MTLCommandBuffer <NSObject>
- (id<MTLComputeCommandEncoder>)computeCommandEncoder;
- (id<MTLBlitCommandEncoder>)blitCommandEncoder;
- (void)commit;
- (void)waitUntilCompleted;
- (MTLCommandBufferStatus)status;
- (NSError*)error;
@end

@protocol MTLCommandQueue <NSObject>
- (id<MTLCommandBuffer>)commandBuffer;
@end

@protocol MTLDevice <NSObject>
- (NSString*)name;
- (BOOL)hasUnifiedMemory;
- (NSUInteger)recommendedMaxWorkingSetSize;
- (NSUInteger)maxBufferLength;
- (BOOL)supportsFamily:(MTLGPUFamily)family;
- (id<MTLCommandQueue>)newCommandQueue;
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options;
- (id<MTLBuffer>)newBufferWithBytes:(const void*)bytes length:(NSUInteger)length options:(MTLResourceOptions)options;
- (id<MTLBuffer>)newBufferWithBytesNoCopy:(void*)bytes
                                   length:(NSUInteger)length
                                  options:(MTLResourceOptions)options
                              deallocator:(id)deallocator;
- (id<MTLLibrary>)newLibraryWithSource:(NSString*)source options:(MTLCompileOptions*)options error:(NSError**)error;
- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function error:(NSError**)error;
@end

extern "C" NSArray* MTLCopyAllDevices();
