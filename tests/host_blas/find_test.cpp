// SPDX-License-Identifier: MIT
// The search for the host BLAS among libraries made for it.
#include "host_blas/find.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "report/run_self.hpp"

namespace ab::host_blas {
namespace {

std::string fake(const char* name) {
  return std::string(AB_FAKES) + "/fake_blas_" + name + ".so";
}

const Functions& of(const Library& library, const char* routine) {
  return library.of(*find_routine(routine));
}

bool lies_in(const void* function, const std::string& file) {
  Dl_info info;
  return dladdr(function, &info) != 0 && std::filesystem::equivalent(info.dli_fname, file);
}

TEST(Find, TheFileAskedForComesFirst) {
  std::vector<std::string> complaints;
  const std::optional<Library> found = find(fake("full"), complaints);
  ASSERT_TRUE(found);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(found->file, "fake_blas_full.so");
  EXPECT_EQ(found->version, "OpenBLAS 9.8.7");
  for (const char* routine : {"dgemm", "zgemm"}) {
    EXPECT_TRUE(lies_in(reinterpret_cast<const void*>(of(*found, routine).fortran), fake("full")));
    EXPECT_TRUE(lies_in(reinterpret_cast<const void*>(of(*found, routine).cblas), fake("full")));
  }
  EXPECT_EQ(of(*found, "dgemm").fortran_64, nullptr);
  EXPECT_EQ(of(*found, "dsyrk").fortran, nullptr);
}

TEST(Find, ALibraryMayLackCblasAndAVersion) {
  std::vector<std::string> complaints;
  const std::optional<Library> found = find(fake("fortran"), complaints);
  ASSERT_TRUE(found);
  EXPECT_EQ(of(*found, "dgemm").cblas, nullptr);
  EXPECT_EQ(of(*found, "zgemm").cblas, nullptr);
  EXPECT_EQ(found->version, "");
}

TEST(Find, WhatCannotServeIsOneComplaintAndTheSearchGoesOn) {
  const struct {
    std::string file;
    const char* says;
  } bad[] = {{fake("wide"), "64-bit integers"}, {fake("half"), "no dgemm_ and zgemm_"}, {"/nonexistent.so", "/nonexistent.so"}};
  for (const auto& [file, says] : bad) {
    std::vector<std::string> complaints;
    const std::optional<Library> found = find(file, complaints);
    ASSERT_EQ(complaints.size(), 1u) << file;
    EXPECT_EQ(complaints[0].find("AB_HOST_BLAS=\"" + file + "\""), 0u) << complaints[0];
    EXPECT_NE(complaints[0].find(says), std::string::npos) << complaints[0];
    EXPECT_NE(complaints[0].find("searching"), std::string::npos) << complaints[0];
    EXPECT_FALSE(found && std::filesystem::exists(file) && lies_in(reinterpret_cast<const void*>(of(*found, "dgemm").fortran), file));
  }
}

TEST(Find, ALibraryOpenedByOthersIsJudgedTheSameWay) {
  std::string refusal;
  const std::optional<Library> found = library_behind(dlopen(fake("full").c_str(), RTLD_NOW | RTLD_LOCAL), refusal);
  ASSERT_TRUE(found);
  EXPECT_TRUE(lies_in(reinterpret_cast<const void*>(of(*found, "dgemm").fortran), fake("full")));
  EXPECT_FALSE(library_behind(dlopen(fake("half").c_str(), RTLD_NOW | RTLD_LOCAL), refusal));
  EXPECT_EQ(refusal, "has no dgemm_ and zgemm_ of its own");
}

TEST(Find, NamesWithWideIntegersInBothSpellings) {
  std::vector<std::string> complaints;
  const std::optional<Library> found = find(fake("both"), complaints);
  ASSERT_TRUE(found);
  EXPECT_NE(of(*found, "dgemm").fortran_64, nullptr);
  EXPECT_NE(of(*found, "dgemm").cblas_64, nullptr);
  EXPECT_NE(of(*found, "zgemm").cblas_64, nullptr);
  EXPECT_EQ(of(*found, "zgemm").fortran_64, nullptr);
}

// Our filter library defines dgemm_ too, which would come back to us.
TEST(Find, BehindOurFilterLibraryStandsItsHost) {
  std::vector<std::string> complaints;
  const std::optional<Library> found = find(fake("filter"), complaints);
  ASSERT_TRUE(found);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(found->file, "fake_blas_full.so");
}

TEST(Inner, DISABLED_PassesOverAFilterInTheGlobalScope) {
  std::vector<std::string> complaints;
  const std::optional<Library> found = find("", complaints);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->file, "libopenblas.so.0");
}

TEST(Find, AFilterInTheGlobalScopeIsPassedOver) {
  const auto result = ab::test::run_self("Inner.DISABLED_PassesOverAFilterInTheGlobalScope",
                                         {{"LD_PRELOAD", fake("filter")}, {"LD_LIBRARY_PATH", AB_FAKES}});
  EXPECT_EQ(result.exit_status, 0);
}

// In a process of its own: what is loaded stays loaded.
TEST(Inner, DISABLED_FindsWhatIsLoaded) {
  const std::string file = std::string(AB_FAKES) + "/libblas.so.3";
  ASSERT_NE(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
  std::vector<std::string> complaints;
  const std::optional<Library> found = find("", complaints);
  ASSERT_TRUE(found);
  EXPECT_TRUE(lies_in(reinterpret_cast<const void*>(of(*found, "dgemm").fortran), file));
  EXPECT_EQ(found->file, "libblas.so.3");
}

TEST(Inner, DISABLED_FindsWhatWasPreloaded) {
  std::vector<std::string> complaints;
  const std::optional<Library> found = find("", complaints);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->file, "fake_blas_full.so");
}

TEST(Inner, DISABLED_LoadsOpenBlasBeforeLibblas) {
  std::vector<std::string> complaints;
  const std::optional<Library> found = find("", complaints);
  ASSERT_TRUE(found);
  EXPECT_TRUE(lies_in(reinterpret_cast<const void*>(of(*found, "dgemm").fortran), std::string(AB_FAKES) + "/libopenblas.so.0"));
}

TEST(Find, WithNothingLoadedOpenBlasComesFirst) {
  EXPECT_EQ(ab::test::run_self("Inner.DISABLED_LoadsOpenBlasBeforeLibblas", {{"LD_LIBRARY_PATH", AB_FAKES}}).exit_status, 0);
}

TEST(Find, ALoadedLibblasIsFoundThoughItIsLocal) {
  EXPECT_EQ(ab::test::run_self("Inner.DISABLED_FindsWhatIsLoaded", {}).exit_status, 0);
}

TEST(Find, TheNextInTheGlobalScopeComesBeforeALoadedLibblas) {
  EXPECT_EQ(ab::test::run_self("Inner.DISABLED_FindsWhatWasPreloaded", {{"LD_PRELOAD", fake("full")}}).exit_status, 0);
}

}  // namespace
}  // namespace ab::host_blas
