// SPDX-License-Identifier: MIT
#include "device/metal/pipeline.hpp"

#import <Metal/Metal.h>

#include <cstring>

namespace ab::device::metal {
namespace {

// docs/numerics.md 12.1. The words changed with macOS 15; the old ones are deprecated there, the new ones unknown before.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#pragma clang diagnostic ignored "-Wunguarded-availability-new"
Owned exact_arithmetic() {
  auto* const options = [[MTLCompileOptions alloc] init];
#if !defined(__MAC_OS_X_VERSION_MAX_ALLOWED) || __MAC_OS_X_VERSION_MAX_ALLOWED >= 150000
  if ([options respondsToSelector:@selector(setMathMode:)]) {
    [options setLanguageVersion:MTLLanguageVersion3_2];  // has the text's own word for it
    [options setMathMode:MTLMathModeSafe];
    [options setMathFloatingPointFunctions:MTLMathFloatingPointFunctionsPrecise];
    return Owned::taking(options);
  }
#endif
  [options setLanguageVersion:MTLLanguageVersion2_4];
  [options setFastMathEnabled:NO];
  return Owned::taking(options);
}
#pragma clang diagnostic pop

}  // namespace

const KernelText* find_text(const std::string& name) {
  for (const KernelText* text = kernel_texts; text->name != nullptr; ++text) {
    if (name == text->name) return text;
  }
  return nullptr;
}

Pipeline::Pipeline(std::shared_ptr<Gpu> gpu, const KernelText& text) : gpu_(std::move(gpu)), text_(text) {
  const AutoreleasePool pool;
  gpu_->require_usable();
  compile();
}

void Pipeline::compile() {
  const auto device = static_cast<id<MTLDevice>>(gpu_->handle());
  NSError* error = nil;
  const Owned options = exact_arithmetic();
  const Owned library = Owned::taking([device newLibraryWithSource:[NSString stringWithUTF8String:text_.text]
                                                           options:static_cast<MTLCompileOptions*>(options.get())
                                                             error:&error]);
  if (!library) refuse(text_of(error));
  const Owned function =
      Owned::taking([static_cast<id<MTLLibrary>>(library.get()) newFunctionWithName:[NSString stringWithUTF8String:text_.function]]);
  if (!function) refuse(std::string("no function ") + text_.function);
  state_ = Owned::taking([device newComputePipelineStateWithFunction:function.get() error:&error]);
  if (!state_) refuse(text_of(error));
  const NSUInteger most = [static_cast<id<MTLComputePipelineState>>(state_.get()) maxTotalThreadsPerThreadgroup];
  if (most < text_.width * text_.height) refuse("groups of at most " + std::to_string(most) + " threads");
}

void Pipeline::refuse(const std::string& why) const {
  throw Error(Status::ShaderCompile, gpu_->id_text() + ": " + text_.name + ": " + why);
}

Pipeline::~Pipeline() {
  if (!gpu_->may_release()) state_.abandon();
}

}  // namespace ab::device::metal
