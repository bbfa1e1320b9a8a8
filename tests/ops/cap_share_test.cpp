// SPDX-License-Identifier: MIT
// Products of many threads on one device stay under the cap together, with the bits that each has alone.
#include "ops/cap_share.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "device/registry.hpp"
#include "ops/prepared.hpp"
#include "ops/rank_k.hpp"
#include "ops/solve.hpp"
#include "ops/triangular.hpp"
#include "support/data.hpp"
#include "support/run_golden.hpp"

namespace ab::ops {
namespace {

constexpr std::uint64_t mb = std::uint64_t{1} << 20;

struct Known {
  test::Call call;
  test::Way way;
  Choices choices;
  test::Ran alone;
};

test::Call call_of(const test::Shape& shape, test::Type type) {
  test::Recipe recipe;
  recipe.family = "normal", recipe.shape = shape, recipe.type = type;
  recipe.alpha = {1.5, 0}, recipe.beta = {0.5, 0};
  test::Random random(77);
  return make_call(recipe, random);
}

// Small ones, ones that take a part of the cap of the tests, ones that must be cut.
std::vector<Known> known_products(Context& wide) {
  std::vector<Known> out;
  for (const test::Shape& shape : {test::Shape{5, 4, 3}, test::Shape{100, 90, 80}, test::Shape{20, 200, 300}}) {
    for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
      for (const test::Way way : {test::Way::Resident, test::Way::ResidentPrivate, test::Way::Copied}) {
        const Precision precision = test::device_classes[out.size() % test::device_classes.size()];
        const Choices choices = test::choices_for(precision);
        test::Call call = call_of(shape, type);
        test::Ran alone = run_call(wide, call, way, choices);
        out.push_back({std::move(call), way, choices, std::move(alone)});
      }
    }
  }
  return out;
}

// How many products were wrong.
int run_in_threads(Context& context, const std::vector<Known>& products, int threads, int rounds) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      for (std::size_t i = 0; i < products.size() * static_cast<std::size_t>(rounds); ++i) {
        const Known& known = products[(i + static_cast<std::size_t>(5 * t)) % products.size()];
        const test::Ran ran = run_call(context, known.call, known.way, known.choices);
        if (!ran.error.empty() || ran.outcome.declined || ran.c != known.alone.c || !ran.others_kept) ++wrong;
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  return wrong;
}

TEST(CapShare, ProductsOfManyThreadsStayUnderTheCapTogether) {
  Context wide(0, device::open(0), 1024 * mb);
  const std::vector<Known> products = known_products(wide);
  for (const Known& known : products) ASSERT_TRUE(known.alone.error.empty() && !known.alone.outcome.declined) << known.alone.error;
  ASSERT_EQ(run_in_threads(wide, products, 8, 1), 0);
  constexpr std::uint64_t cap = 4 * mb;
  ASSERT_GT(memory_use(wide).peak_bytes, 2 * cap);  // what they hold when there is room
  Context context(0, device::open(0), cap);
  EXPECT_EQ(run_in_threads(context, products, 8, 1), 0);
  EXPECT_LE(memory_use(context).peak_bytes, cap);
  EXPECT_GT(memory_use(context).peak_bytes, cap / 2);
}

// Prepared operands are in the cap, too, and give way.
TEST(CapShare, PreparedOperandsCount) {
  Context wide(0, device::open(0), 1024 * mb);
  constexpr std::uint64_t cap = 3 * mb;
  Context context(0, device::open(0), cap);
  const test::Call call = call_of({100, 90, 80}, test::Type::Real);
  const test::Ran alone = run_call(wide, call, test::Way::Resident, test::choices_for(Precision::Fp64));
  std::atomic<std::uint64_t> contents{1};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const test::ResidentCall resident(context, call);
        Product product = resident.product();
        product.left.contents[0] = ++contents;
        product.right.contents[0] = ++contents;
        const Outcome outcome = multiply(context, product, test::choices_for(Precision::Fp64));
        context.queue().finish();
        if (outcome.declined || resident.read_back().c != alone.c) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(memory_use(context).peak_bytes, cap);
  EXPECT_GT(context.prepared().bytes(), 0u);
}

// One large product among a flood of small ones gets its turn; a product for which nothing fits goes alone.
TEST(CapShare, NobodyWaitsForEver) {
  Context wide(0, device::open(0), 1024 * mb);
  const std::vector<Known> products = known_products(wide);
  const auto of_size = [&](Index m) {
    std::vector<Known> some;
    for (const Known& known : products) {
      if (known.call.m == m) some.push_back(known);
    }
    return some;
  };
  const std::vector<Known> small = of_size(5), large = of_size(100);
  Context context(0, device::open(0), 2 * mb);
  std::atomic<bool> done{false};
  std::vector<std::thread> flood;
  for (int t = 0; t < 4; ++t) {
    flood.emplace_back([&] {
      while (!done) EXPECT_EQ(run_in_threads(context, small, 1, 1), 0);
    });
  }
  EXPECT_EQ(run_in_threads(context, large, 2, 3), 0);
  done = true;
  for (std::thread& thread : flood) thread.join();
  Context none(0, device::open(0), 0);
  std::vector<Known> resident;
  for (Known& known : of_size(100)) {
    known.choices.may_exceed_cap = true;
    resident.push_back(known);
  }
  EXPECT_EQ(run_in_threads(none, resident, 3, 1), 0);
}

TEST(CapShare, WhoHasAShareTakesNoOther) {
  Context context(0, device::open(0), 4 * mb);
  const Choices choices = test::choices_for(Precision::Fp64);
  const CapShare all(context, choices, {1e12, 0});
  const Choices within = all.within(choices);
  EXPECT_EQ(within.cap_bytes, static_cast<Index>(4 * mb));
  const CapShare none(context, within, {1e12, 0});
  EXPECT_EQ(none.within(within).cap_bytes, within.cap_bytes);
  const Known known{call_of({30, 20, 10}, test::Type::Real), test::Way::Resident, within, {}};
  EXPECT_TRUE(run_call(context, known.call, known.way, known.choices).error.empty());
}

// What is said to be needed is not less than what a product takes: only then is nothing cut that fits.
TEST(CapShare, NeedsAreNotLessThanWhatIsTaken) {
  for (const test::Shape& shape : {test::Shape{65, 7, 200}, test::Shape{100, 100, 1}}) {
    for (const test::Type type : {test::Type::Real, test::Type::Complex}) {
      for (const Precision precision : test::device_classes) {
        for (const ModuliFamily family : test::device_families) {
          for (const test::Way way : test::all_ways) {
            Context context(0, device::open(0), 1024 * mb);
            const Choices choices = test::choices_for(precision, family);
            run_call(context, call_of(shape, type), way, choices);
            const Extent extent{shape.m, shape.n, shape.k, type == test::Type::Real ? 1 : 2};
            const Need need = way == test::Way::Copied ? need_with_copies(context, choices, extent) : need_of(context, choices, extent);
            EXPECT_LE(static_cast<double>(memory_use(context).peak_bytes), need.all * 9 / 8 + 4096)
                << shape.m << "x" << shape.n << "x" << shape.k << " class " << word_of(precision) << " way " << static_cast<int>(way);
          }
        }
      }
    }
  }
}

TEST(CapShare, OperationsOfSeveralProductsTakeOneShare) {
  constexpr Index n = 200;
  Context context(0, device::open(0), 4 * mb);
  std::vector<double> values(n * n, 0.0), sides(n * n, 1.0);
  for (Index i = 0; i < n; ++i) values[static_cast<std::size_t>(i * (n + 1))] = 2;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      const auto a = allocate(context, values.size() * 8), b = allocate(context, sides.size() * 8);
      for (int round = 0; round < 3; ++round) {
        context.queue().write(*a, 0, std::as_bytes(std::span<const double>(values)));
        context.queue().write(*b, 0, std::as_bytes(std::span<const double>(sides)));
        if (t % 2 == 0) {
          TriangularSystem system{};
          system.t = {a.get(), 0};
          system.row_stride = n, system.column_stride = 1;
          system.triangle = Triangle::Lower;
          system.x = packed_unknowns<double>({b.get(), 0}, n, n);
          system.alpha = 1;
          if (solve_triangular(context, system, Precision::Fp64).declined) ++wrong;
        } else {
          if (solve_linear(context, {{a.get(), 0}, {b.get(), 0}, n, n, 0}, Precision::Fp64).declined) ++wrong;
        }
        std::vector<double> x(sides.size());
        context.queue().read(*b, 0, std::as_writable_bytes(std::span(x)));
        if (x != std::vector<double>(sides.size(), 0.5)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(memory_use(context).peak_bytes, 4 * mb);
}

}  // namespace
}  // namespace ab::ops
