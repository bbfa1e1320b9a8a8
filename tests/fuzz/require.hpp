// SPDX-License-Identifier: MIT
// What a fuzz target asserts: a broken promise ends the program, which is how a search and a replay notice it.
#pragma once
#include <cstdio>
#include <cstdlib>

#define REQUIRE(condition)                                                         \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (false)
