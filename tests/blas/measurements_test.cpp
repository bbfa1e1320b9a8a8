// SPDX-License-Identifier: MIT
// The table in force for the thread's device, and the facts of a report. Tables are read once, so each case has a process of its own.
#include "blas/measurements.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "blas/faked_layers.hpp"
#include "core/thread_state.hpp"
#include "report/run_self.hpp"

namespace ab::blas {
namespace {

using test::faked;
using test::Folder;
using test::run_self;

void ask_for_table(const Folder& folder, const std::string& sections) {
  const std::string file = folder.path() + "/table";
  std::ofstream(file) << "applebottom-dispatch 2\n" << sections;
  faked().settings.dispatch_table = file;
  faked().settings.num_threads = 4;
}

TEST(Inner, DISABLED_ASectionForEachDevice) {
  test::reset();
  const Folder folder;
  ask_for_table(folder,
                "section device=\"A GPU\" cpu=\"A CPU\" threads=2\nsection device=\"A GPU\" cpu=\"A CPU\" threads=8\n"
                "section device=\"A GPU\" cpu=\"other\" threads=4\n");
  const routing::Section* of_gpu = surface_of_current_device().section;
  ASSERT_NE(of_gpu, nullptr);
  EXPECT_EQ(of_gpu->threads, 2);
  EXPECT_EQ(surface_of_current_device().section, of_gpu);
  EXPECT_TRUE(surface_of_current_device().has_vendor_gemm);
  EXPECT_TRUE(faked().warnings.empty());
  EXPECT_EQ(process_facts().table, faked().settings.dispatch_table + ", A GPU, 2 threads");
  thread_state().device = 0;
  EXPECT_EQ(surface_of_current_device().section, nullptr);
  EXPECT_FALSE(surface_of_current_device().has_vendor_gemm);
  ASSERT_EQ(faked().warnings.size(), 1u);  // the file was asked for and does not know this device
  EXPECT_EQ(faked().warnings[0].find("AB_DISPATCH_TABLE="), 0u) << faked().warnings[0];
}

TEST(Inner, DISABLED_NoTable) {
  test::reset();
  EXPECT_EQ(surface_of_current_device().section, nullptr);
  thread_state().device = 0;
  EXPECT_EQ(surface_of_current_device().section, nullptr);
  EXPECT_EQ(process_facts().table, "");
  EXPECT_TRUE(faked().warnings.empty());
  EXPECT_EQ(faked().asked_for_device, 0);  // the built-in table is for other machines: no driver is loaded to find that out
}

TEST(Inner, DISABLED_TheBuiltInSectionOfTheDevicesKind) {
  test::reset();
  faked().cpu_kind = "cpu:amx-int8";
  faked().settings.num_threads = 1;
  EXPECT_EQ(surface_of_current_device().section, nullptr);  // the GPU is no AMX machine, though its CPU is
  thread_state().device = 0;
  ASSERT_NE(surface_of_current_device().section, nullptr);
  EXPECT_EQ(process_facts().table, "built-in, cpu:amx-int8, 1 threads");
  EXPECT_TRUE(faked().warnings.empty());
}

TEST(Inner, DISABLED_FactsOpenNothing) {
  test::reset();
  report::Facts facts = process_facts();
  EXPECT_EQ(facts.host_blas, "libfaked.so");
  EXPECT_EQ(facts.device, "");
  ops::current_context();
  facts = process_facts();
  EXPECT_EQ(facts.device, "cuda:0");
  EXPECT_EQ(facts.device_name, "A GPU");
  EXPECT_EQ(facts.peak_bytes, 5 << 20);
  faked().has_host_blas = false;
  EXPECT_EQ(process_facts().host_blas, "");
}

TEST(Measurements, InProcessesOfTheirOwn) {
  for (const char* name : {"ASectionForEachDevice", "NoTable", "TheBuiltInSectionOfTheDevicesKind", "FactsOpenNothing"}) {
    EXPECT_EQ(run_self(std::string("Inner.DISABLED_") + name, {}).exit_status, 0) << name;
  }
}

}  // namespace
}  // namespace ab::blas
