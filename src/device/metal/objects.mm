// SPDX-License-Identifier: MIT
#include "device/metal/objects.hpp"

#import <Foundation/Foundation.h>

namespace ab::device::metal {

Owned Owned::sharing(id object) {
  return Owned([object retain]);
}

Owned::~Owned() {
  [object_ release];
}

AutoreleasePool::AutoreleasePool() : pool_([[NSAutoreleasePool alloc] init]) {}

AutoreleasePool::~AutoreleasePool() {
  [static_cast<NSAutoreleasePool*>(pool_) drain];
}

}  // namespace ab::device::metal
