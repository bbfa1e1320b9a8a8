// SPDX-License-Identifier: MIT
#include "device/cpu/native/engines.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "device/cpu/native/permission.hpp"

namespace ab::device::native {
namespace {

// Here: asked for by its word it is there. On other architectures the choice steps further down.
void expect_choice(CpuKernels wanted, bool here, const std::string& features) {
  const Engine* const engine = choose_engine(wanted, Permission::Ask);
  if (here) {
    ASSERT_NE(engine, nullptr);
    EXPECT_TRUE(std::string(engine->features).starts_with(features));
  } else if (engine != nullptr) {
    EXPECT_FALSE(std::string(engine->features).starts_with(features));
  }
}

TEST(Engines, TheChoiceStepsDownFromWhatIsWanted) {
  const std::string best =
      choose_engine(CpuKernels::Best, Permission::Ask) != nullptr ? choose_engine(CpuKernels::Best, Permission::Ask)->features : "";
  EXPECT_EQ(best.starts_with("amx"), has_avx512_vnni() && may_use_amx());
  const Engine* const vnni = choose_engine(CpuKernels::Vnni, Permission::Ask);
  if (has_avx512_vnni()) {
    ASSERT_NE(vnni, nullptr);
    EXPECT_TRUE(std::string(vnni->features).starts_with("avx512"));
  }
  expect_choice(CpuKernels::Avx2, has_avx2(), "avx2");
  expect_choice(CpuKernels::Neon, has_dot_product(), has_matrix_multiply() ? "neon-i8mm" : "neon-dotprod");
  EXPECT_EQ(choose_engine(CpuKernels::Common, Permission::Ask), nullptr);
}

TEST(Engines, EveryKernelHasItsOwnName) {
  for (const CpuKernels wanted : {CpuKernels::Best, CpuKernels::Vnni, CpuKernels::Avx2, CpuKernels::Neon}) {
    const Engine* const engine = choose_engine(wanted, Permission::Ask);
    if (engine == nullptr) continue;
    std::set<std::string> names;
    for (const Kernel* kernel = engine->kernels; kernel->name != nullptr; ++kernel) EXPECT_TRUE(names.insert(kernel->name).second);
    EXPECT_EQ(names.contains("crt_product_i8"), engine->product_scratch_bytes > 0);
    EXPECT_GE(engine->vector_unit, 1);
    EXPECT_STREQ(engine->table_kind, std::string(engine->features).starts_with("amx-int8") ? "cpu:amx-int8" : "") << engine->features;
  }
}

}  // namespace
}  // namespace ab::device::native
