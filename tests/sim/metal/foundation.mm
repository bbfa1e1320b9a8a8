// SPDX-License-Identifier: MIT
// Objects that count themselves, and what of Foundation there is. The backend counts by hand, so every wrong release shows.
#include <objc/runtime.h>
#include <unwind.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "sim/metal/objects.hpp"

// C++ exceptions pass through Objective-C++ on Apple's systems. With GCC's runtime clang names a routine that knows only Objective-C's.
extern "C" _Unwind_Reason_Code __gxx_personality_v0(int, _Unwind_Action, _Unwind_Exception_Class, _Unwind_Exception*, _Unwind_Context*);
extern "C" _Unwind_Reason_Code __gnu_objc_personality_v0(int version, _Unwind_Action action, _Unwind_Exception_Class kind,
                                                         _Unwind_Exception* exception, _Unwind_Context* context) {
  return __gxx_personality_v0(version, action, kind, exception, context);
}

namespace {

// The innermost pool of the thread, each with the one around it. Plain, since objects end after the thread's own have ended.
struct Pool {
  Pool* outer;
  std::vector<id> objects;
};
thread_local Pool* innermost = nullptr;

}  // namespace

#pragma clang diagnostic ignored "-Wobjc-missing-super-calls"
#pragma clang diagnostic ignored "-Wdeprecated-objc-isa-usage"

@implementation NSObject
+ (instancetype)alloc {
  return static_cast<NSObject*>(class_createInstance(self, 0));
}
- (instancetype)init {
  __atomic_store_n(&counted, 1u, __ATOMIC_RELAXED);
  return self;
}
- (id)retain {
  if (__atomic_fetch_add(&counted, 1u, __ATOMIC_RELAXED) == 0) ab::test::metal::violation("an object retained after its end");
  return self;
}
- (void)release {
  const unsigned before = __atomic_fetch_sub(&counted, 1u, __ATOMIC_ACQ_REL);
  if (before == 0) return ab::test::metal::violation("an object released after its end");
  if (before == 1) [self dealloc];
}
- (id)autorelease {
  if (innermost == nullptr) {
    ab::test::metal::violation("autorelease without a pool in the thread: the object leaks");
    return self;
  }
  innermost->objects.push_back(self);
  return self;
}
- (BOOL)respondsToSelector:(SEL)selector {
  return class_respondsToSelector(isa, selector);
}
- (void)dealloc {
  object_dispose(self);
}
@end

@implementation NSAutoreleasePool
- (instancetype)init {
  [super init];
  innermost = new Pool{innermost, {}};
  objects = innermost;
  return self;
}
- (void)drain {
  [self release];
}
- (void)dealloc {
  auto* const own = static_cast<Pool*>(objects);
  if (innermost != own) ab::test::metal::violation("autorelease pools drained in the wrong order or thread");
  for (id object : own->objects) [object release];
  innermost = own->outer;
  delete own;
  [super dealloc];
}
@end

@implementation NSString
+ (instancetype)stringWithUTF8String:(const char*)text {
  NSString* const made = [[self alloc] init];
  made->text = strdup(text);
  [made autorelease];
  return made;
}
- (const char*)UTF8String {
  return text;
}
- (void)dealloc {
  std::free(text);
  [super dealloc];
}
@end

@implementation NSArray
- (NSUInteger)count {
  return length;
}
- (id)objectAtIndex:(NSUInteger)index {
  if (index < length) return objects[index];
  ab::test::metal::violation("objectAtIndex: beyond the array");
  return nil;
}
- (void)dealloc {
  for (NSUInteger i = 0; i < length; ++i) [objects[i] release];
  delete[] objects;
  [super dealloc];
}
@end

@implementation SimArray
+ (NSArray*)arrayTaking:(id)object count:(NSUInteger)count {
  SimArray* const made = [[self alloc] init];
  made->objects = new id[count + 1];
  made->length = count;
  for (NSUInteger i = 0; i < count; ++i) made->objects[i] = [object retain];
  return made;
}
@end

@implementation NSError
- (NSInteger)code {
  return number;
}
- (NSString*)localizedDescription {
  return words;
}
- (void)dealloc {
  [words release];
  [super dealloc];
}
@end

@implementation SimError
+ (NSError*)errorWithCode:(NSInteger)code words:(const std::string&)words {
  SimError* const made = [[self alloc] init];
  made->number = code;
  made->words = [[NSString stringWithUTF8String:words.c_str()] retain];
  [made autorelease];
  return made;
}
@end

@implementation SimObject
- (instancetype)init {
  const ab::test::metal::Call call;
  ++ab::test::metal::state().alive;
  return [super init];
}
- (void)dealloc {
  const ab::test::metal::Call call;
  --ab::test::metal::state().alive;
  [super dealloc];
}
@end
