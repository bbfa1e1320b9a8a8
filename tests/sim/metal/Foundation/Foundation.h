// SPDX-License-Identifier: MIT
// What of Apple's Foundation the Metal backend uses, for clang and GCC's Objective-C runtime on Linux. Test only.
#pragma once
#include <objc/objc.h>

typedef long NSInteger;
typedef unsigned long NSUInteger;

@protocol NSObject
- (id)retain;
- (void)release;
- (id)autorelease;
- (BOOL)respondsToSelector:(SEL)selector;
@end

__attribute__((objc_root_class)) @interface NSObject <NSObject> {
  Class isa;
  unsigned counted;
}
+ (instancetype)alloc;
- (instancetype)init;
- (void)dealloc;
@end

@interface NSAutoreleasePool : NSObject {
  void* objects;
}
- (void)drain;
@end

@interface NSString : NSObject {
  char* text;
}
+ (instancetype)stringWithUTF8String:(const char*)text;
- (const char*)UTF8String;
@end

@interface NSArray : NSObject {
  id* objects;
  NSUInteger length;
}
- (NSUInteger)count;
- (id)objectAtIndex:(NSUInteger)index;
@end

@interface NSError : NSObject {
  NSInteger number;
  NSString* words;
}
- (NSInteger)code;
- (NSString*)localizedDescription;
@end
