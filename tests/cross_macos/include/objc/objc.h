// SPDX-License-Identifier: MIT
// Types of Apple's Objective-C runtime, written by hand for the cross-compiler. Test only.
#pragma once
typedef struct objc_class* Class;
typedef struct objc_object* id;
typedef struct objc_selector* SEL;
typedef bool BOOL;
#define YES true
#define NO false
#define nil nullptr
