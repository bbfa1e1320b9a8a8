// SPDX-License-Identifier: MIT
// The search of the filter library, built here before the C library's mathematics.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>

#include "apple_bottom.h"

namespace {

struct Entry {
  void* target;
  int place;
  char name[20];
};

}  // namespace

extern "C" void* ab_filter_find(Entry* entry);

TEST(FilterFind, EachPlaceIsSearchedAlone) {
  ASSERT_NE(ab_version(), nullptr);  // libapplebottom is loaded
  ASSERT_GT(std::lgamma(ab_device_count() + 2.5), 0.0);
  Entry ours{nullptr, 0, "zgemm_"};
  EXPECT_EQ(ab_filter_find(&ours), dlsym(RTLD_DEFAULT, "zgemm_"));
  EXPECT_EQ(ours.target, dlsym(RTLD_DEFAULT, "zgemm_"));
  Entry host{nullptr, 1, "lgamma"};
  EXPECT_EQ(ab_filter_find(&host), dlsym(RTLD_DEFAULT, "lgamma"));
}

TEST(FilterFind, AFunctionThatIsGoneGivesOneLineAndDoesNothing) {
  Entry entry{nullptr, 1, "zgemm_"};
  testing::internal::CaptureStderr();
  void* target = ab_filter_find(&entry);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "apple-bottom: libblas.so.3: no zgemm_ in libm.so.6; calls of it do nothing\n");
  EXPECT_EQ(entry.target, target);
  reinterpret_cast<void (*)()>(target)();
}
