/* SPDX-License-Identifier: MIT
 * Where the functions of the filter library are: libapplebottom and the host BLAS, both loaded with it because it needs them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

struct entry { /* as forward.S lays it out */
  void* target;
  int place;
  char name[];
};

/* The file behind this filter. Who looks for a host BLAS and finds this library takes that one instead (src/host_blas/find.cpp). */
__attribute__((visibility("default"))) extern const char ab_filter_host[];
const char ab_filter_host[] = AB_FILTER_HOST;

static const char* const files[] = {AB_FILTER_LIBRARY, AB_FILTER_HOST};

static void do_nothing(void) {}

static void complain(const struct entry* entry) {
  const char* const words[] = {"apple-bottom: libblas.so.3: no ", entry->name, " in ", files[entry->place], "; calls of it do nothing\n"};
  char line[512];
  size_t length = 0;
  for (int i = 0; i < 5; ++i) {
    const size_t size = strnlen(words[i], sizeof line - length);
    memcpy(line + length, words[i], size);
    length += size;
  }
  if (write(STDERR_FILENO, line, length) < 0) return;
}

/* The function of the entry, for good. One that the host BLAS has lost since this was built gives a line on stderr. */
void* ab_filter_find(struct entry* entry) {
  void* library = dlopen(files[entry->place], RTLD_LAZY | RTLD_NOLOAD);
  void* target = library != NULL ? dlsym(library, entry->name) : NULL;
  if (target == NULL) {
    complain(entry);
    target = (void*)do_nothing;
  }
  __atomic_store_n(&entry->target, target, __ATOMIC_RELEASE);
  return target;
}
