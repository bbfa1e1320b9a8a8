// SPDX-License-Identifier: MIT
// Calls through the filter library: each arrives where it should with every argument, the first time as well as later.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "apple_bottom.h"

using Complex = std::complex<double>;

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*);
void cblas_zgemm(int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*, int);
void cblas_dgbmv(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
float cblas_sdsdot(int, float, const float*, int, const float*, int);
void cblas_drot(int, double*, int, double*, int, double, double);
void cblas_drotmg(double*, double*, double*, double, double*);
double dasum_(const int*, const double*, const int*);
Complex zdotc_(const int*, const Complex*, const int*, const Complex*, const int*);
}

namespace {

class OnTheDevice : public testing::Environment {  // before the first call reads them
  void SetUp() override {
    setenv("AB_MODE", "gpu", 1);
    setenv("AB_MIN_GPU_DIM", "0", 1);
    setenv("AB_DEVICE", "cpu", 1);
  }
};
const testing::Environment* const environment = testing::AddGlobalTestEnvironment(new OnTheDevice);

struct Name {
  std::string text;
  bool is_ours;
};
std::vector<Name> names() {
  return {
#define OURS(name) {#name, true},
#define HOST(name) {#name, false},
#include "names.h"
  };
}

std::string file_of(const void* address) {
  Dl_info info;
  return address != nullptr && dladdr(address, &info) != 0 ? info.dli_fname : "";
}

ABProduct last_product() {
  ABProduct product = {};
  product.struct_size = sizeof product;
  EXPECT_EQ(ab_last_product(&product), AB_OK);
  return product;
}

TEST(Filter, DefinesEveryNameAndItsPlaceHasIt) {
  void* filter = dlopen("libblas.so.3", RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_NE(filter, nullptr) << dlerror();
  void* ours = dlopen("libapplebottom.so.2", RTLD_LAZY | RTLD_NOLOAD);
  void* host = dlopen(static_cast<const char*>(dlsym(filter, "ab_filter_host")), RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_TRUE(ours != nullptr && host != nullptr);
  const std::string file = file_of(dlsym(filter, "ab_filter_host"));
  std::size_t of_ours = 0;
  for (const auto& [name, is_ours] : names()) {
    EXPECT_EQ(file_of(dlsym(filter, name.c_str())), file) << name;
    EXPECT_NE(dlsym(is_ours ? ours : host, name.c_str()), nullptr) << name;
    of_ours += is_ours;
  }
  EXPECT_GE(of_ours, 4u);
  EXPECT_GE(names().size() - of_ours, 140u);  // reference BLAS has 155
}

TEST(Filter, ProductsReachTheLibrary) {
  const int n = 2;
  const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8}, one = 1, two = 2;
  double c[] = {1, 1, 1, 1};
  dgemm_("T", "N", &n, &n, &n, &two, a, &n, b, &n, &one, c, &n);
  EXPECT_EQ(std::vector<double>(c, c + 4), (std::vector<double>{35, 79, 47, 107}));
  EXPECT_EQ(last_product().engine, AB_ENGINE_DEVICE);
}

TEST(Filter, CblasProductsToo) {
  const Complex a[] = {{1, 2}}, b[] = {{3, 4}}, one = 1, zero = 0;
  Complex c = 0;
  cblas_zgemm(101, 113, 111, 1, 1, 1, &one, a, 1, b, 1, &zero, &c, 1);
  EXPECT_EQ(c, Complex(11, -2));
  EXPECT_EQ(last_product().engine, AB_ENGINE_DEVICE);
}

// 14 arguments: six integers in registers, doubles in registers, the rest on the stack.
TEST(Filter, ArgumentsInRegistersAndOnTheStackArrive) {
  const double diagonal[] = {2, 3, 4}, x[] = {1, 10, 100};
  for (int call = 0; call < 2; ++call) {
    double y[] = {1, 1, 1};
    cblas_dgbmv(102, 111, 3, 3, 0, 0, 0.5, diagonal, 1, x, 1, 10, y, 1);
    EXPECT_EQ(std::vector<double>(y, y + 3), (std::vector<double>{11, 25, 210}));
  }
}

TEST(Filter, FloatsAndResultsArrive) {
  const float p[] = {1, 2}, q[] = {3, 4};
  for (int call = 0; call < 2; ++call) {
    EXPECT_EQ(cblas_sdsdot(2, 0.5f, p, 1, q, 1), 11.5f);
    double x = 1, y = 2;
    cblas_drot(1, &x, 1, &y, 1, 0, 1);
    EXPECT_EQ(x, 2);
    EXPECT_EQ(y, -1);
    double d1 = 0, d2 = 0, x1 = 1, h[5];
    cblas_drotmg(&d1, &d2, &x1, 0, h);
    EXPECT_EQ(h[0], -2);
  }
}

TEST(Filter, ComplexResultsArriveByWhateverConventionTheHostHas) {
  const int n = 2, step = 1;
  const Complex x[] = {{1, 2}, {0, 1}}, y[] = {{3, 4}, {1, 0}};
  EXPECT_EQ(zdotc_(&n, x, &step, y, &step), Complex(11, -3));
}

TEST(Filter, FirstCallsOfManyThreadsAgree) {
  const double x[] = {1, -2, 3};
  const int n = 3, step = 1;
  std::vector<double> sums(16);
  std::vector<std::thread> threads;
  for (double& sum : sums) threads.emplace_back([&] { sum = dasum_(&n, x, &step); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sums, std::vector<double>(16, 6.0));
}

}  // namespace
