// SPDX-License-Identifier: MIT
// Texts to functions: compile_msl.py, with what it has made kept beside the build.
#include <dlfcn.h>
#include <objc/runtime.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/metal/objects.hpp"

using namespace ab::test::metal;
namespace files = std::filesystem;

namespace {

std::string file_text(const files::path& path) {
  std::ostringstream all;
  all << std::ifstream(path).rdbuf();
  return all.str();
}

std::uint64_t hash_of(const std::string& text) {  // FNV-1a
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3u;
  return hash;
}

int run_command(const std::string& command) {
  const char* const words[] = {"/bin/sh", "-c", command.c_str(), nullptr};
  pid_t child = 0;
  int status = -1;
  if (posix_spawn(&child, words[0], nullptr, nullptr, const_cast<char* const*>(words), environ) != 0) return -1;
  return waitpid(child, &status, 0) == child ? status : -1;
}

SimFunction* find_function(void* image, const std::string& name) {
  auto* const run = reinterpret_cast<Function::Run*>(dlsym(image, ("ab_run_" + name).c_str()));
  auto* const describe = reinterpret_cast<std::uint32_t (*)(std::uint32_t*)>(dlsym(image, ("ab_describe_" + name).c_str()));
  auto* const memory = reinterpret_cast<void (*)(std::uint64_t*)>(dlsym(image, "ab_threadgroup_memory"));
  if (run == nullptr || describe == nullptr || memory == nullptr) return nil;
  auto function = std::make_unique<Function>();
  std::uint32_t described[3 * 31];
  const std::uint32_t count = describe(described);
  for (std::uint32_t i = 0; i < count; ++i) function->arguments.push_back({described[3 * i], described[3 * i + 1], described[3 * i + 2]});
  std::uint64_t range[2];
  memory(range);
  function->run = run;
  function->threadgroup_memory = reinterpret_cast<std::byte*>(range[0]);
  function->threadgroup_bytes = range[1] - range[0];
  SimFunction* const made = [[SimFunction alloc] init];
  made->function = function.release();
  return made;
}

}  // namespace

namespace ab::test::metal {

// Of two processes that compile one text each renames a file of its own into place.
Compiled compile(const std::string& original, MTLCompileOptions* options) {
  const std::string text = state().edit ? state().edit(original) : original;
  const bool fast = state().options_ignored || options == nil || options->fast;
  const NSUInteger version = options == nil ? MTLLanguageVersion2_4 : options->version;
  const std::string words = std::to_string((version >> 16) * 100 + (version & 0xFFFF) * 10) + (fast ? " fast" : " safe");
  const files::path cache = AB_SIM_METAL_CACHE;
  const std::string tools = file_text(AB_SIM_METAL_COMPILER) + file_text(AB_SIM_METAL_STDLIB);
  char name[32];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(hash_of(text + words + tools)));
  const files::path made = cache / (std::string(name) + ".so");
  if (files::exists(made)) return {made, ""};
  const std::string own = (cache / name).string() + "." + std::to_string(getpid());
  files::create_directories(cache);
  std::ofstream(own + ".metal") << text;
  const int status =
      run_command(std::string("python3 ") + AB_SIM_METAL_COMPILER + " " + own + ".metal " + own + ".so " + words + " 2>" + own + ".said");
  const Compiled result = status == 0 ? Compiled{made, ""} : Compiled{"", file_text(own + ".said")};
  if (status == 0) files::rename(own + ".so", made);
  for (const char* ending : {".metal", ".said", ".check.metal", ".run.metal"}) files::remove(own + ending);
  return result;
}

}  // namespace ab::test::metal

id<MTLLibrary> open_library(const std::string& path) {
  void* const image = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (image == nullptr) {
    violation(std::string("a compiled text does not load: ") + dlerror());
    return nil;
  }
  SimLibrary* const library = [[SimLibrary alloc] init];
  library->image = image;
  return library;
}

@implementation MTLCompileOptions
- (instancetype)init {
  version = MTLLanguageVersion3_1;
  fast = YES;  // Metal's default
  return [super init];
}
- (BOOL)respondsToSelector:(SEL)selector {
  const bool of_macos_15 =
      sel_isEqual(selector, @selector(setMathMode:)) || sel_isEqual(selector, @selector(setMathFloatingPointFunctions:));
  return of_macos_15 ? state().limits.has_math_mode : [super respondsToSelector:selector];
}
- (void)setLanguageVersion:(MTLLanguageVersion)value {
  if (value >= MTLLanguageVersion3_2 && !state().limits.has_math_mode) violation("Metal 3.2 before macOS 15");
  version = value;
}
- (void)setFastMathEnabled:(BOOL)value {
  fast = value;
}
- (void)setMathMode:(MTLMathMode)value {
  if (!state().limits.has_math_mode) violation("setMathMode: before macOS 15");
  fast = value != MTLMathModeSafe;
}
- (void)setMathFloatingPointFunctions:(MTLMathFloatingPointFunctions)value {
  if (!state().limits.has_math_mode) violation("setMathFloatingPointFunctions: before macOS 15");
  (void)value;
}
@end

// Images stay loaded: functions of theirs may be running, and dlopen gives the same one again.
@implementation SimLibrary
- (id<MTLFunction>)newFunctionWithName:(NSString*)name {
  const Call call;
  return fails() ? nil : find_function(image, [name UTF8String]);
}
@end

@implementation SimFunction
- (void)dealloc {
  delete function;
  [super dealloc];
}
@end

@implementation SimPipeline
- (NSUInteger)maxTotalThreadsPerThreadgroup {
  return most_threads;
}
- (void)dealloc {
  [source release];
  [super dealloc];
}
@end
