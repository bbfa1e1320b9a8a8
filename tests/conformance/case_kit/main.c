// SPDX-License-Identifier: MIT
// usage:  case_kit NAME [ARG]     exit 0 = right, 1 = wrong (the reason is printed), 77 = cannot be tried here
//         case_kit list           the names, one a line
// build:  gcc -O2 -std=gnu11 -rdynamic case_kit/*.c -o case_kit -lblas -lpthread -lm -ldl
// run:    LD_PRELOAD=/path/libapplebottom.so AB_MODE=gpu AB_MIN_GPU_DIM=0 ./case_kit NAME       (no preload: a plain BLAS)
// Linux with glibc. OpenBLAS-pthread itself fails `smallstack`: its thread-local storage is too large.
#include "case_kit.h"

static const struct {
  const char* name;
  int (*run)(void);
} table[] = {{"specials", specials},
             {"exps", exps},
             {"subnormal", subnormal},
             {"imag3m", imag3m},
             {"cancel", cancel},
             {"errreturn", errreturn},
             {"hidden", hidden},
             {"guardpage", guardpage},
             {"unaligned", unaligned},
             {"ldahuge", ldahuge},
             {"intmax", intmax},
             {"sameAB", sameAB},
             {"inplace", inplace},
             {"sync", sync_},
             {"smallstack", smallstack},
             {"forkchild", forkchild},
             {"forkperf", forkperf},
             {"manythreads", manythreads},
             {"threadcount", threadcount},
             {"affinity", affinity},
             {"fpmode", fpmode},
             {"fpflags", fpflags},
             {"leak", leak},
             {"signals", signals},
             {"which", which},
             {"latency", latency}};

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "list";
  int r = 2;
  if (!strcmp(name, "unload")) r = unload(argc > 2 ? argv[2] : 0);
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
    if (!strcmp(name, "list"))
      puts(table[i].name);
    else if (!strcmp(name, table[i].name))
      r = table[i].run();
  }
  if (!strcmp(name, "list")) return puts("unload"), 0;
  printf("%s %s\n", name, r == 0 ? "ok" : r == 77 ? "not tried" : r == 2 ? "is no name of this kit" : "FAIL");
  return r;
}
