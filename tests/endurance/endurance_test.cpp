// SPDX-License-Identifier: MIT
// Ten thousand mixed calls, a hundred lives of the library, three hundred threads at once, forks in between: right results, and memory
// that returns to a level.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "apple_bottom.h"
#include "apple_bottom_device.h"
#include "ops/context.hpp"
#include "report/run_self.hpp"
#include "sim/cuda/fake_control.hpp"
#include "support/random.hpp"

namespace ab::test {
namespace {

using Words = std::vector<double>;

Words small_integers(Random& random, std::size_t count) {  // so that whoever computes, the result is exact
  Words words(count);
  for (double& word : words) word = static_cast<double>(random.below(17)) - 8;
  return words;
}

/// C = A B by rows: what every front is asked for, and what it must give.
struct Job {
  explicit Job(std::uint64_t start, std::uint64_t largest = 40) : random(start) {
    m = static_cast<int>(1 + random.below(largest));
    n = static_cast<int>(1 + random.below(largest));
    k = static_cast<int>(1 + random.below(largest));
    a = small_integers(random, size(m, k));
    b = small_integers(random, size(k, n));
    c.assign(size(m, n), 99);
    expected.assign(size(m, n), 0);
    for (int i = 0; i < m; ++i) {
      for (int l = 0; l < k; ++l) {
        for (int j = 0; j < n; ++j) expected[at(i, j, n)] += a[at(i, l, k)] * b[at(l, j, n)];
      }
    }
  }
  static std::size_t size(int rows, int cols) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols); }
  static std::size_t at(int row, int col, int cols) { return size(row, cols) + static_cast<std::size_t>(col); }

  Random random;
  int m, n, k;
  Words a, b, c, expected;
};

void on_blas(Job& job) {  // by columns: the product of the transposes
  ab_dgemm_blas('N', 'N', job.n, job.m, job.k, 1, job.b.data(), job.n, job.a.data(), job.k, 0, job.c.data(), job.n);
}

void on_complex_blas(Job& job) {  // imaginary parts are zero
  std::vector<std::complex<double>> a(job.a.begin(), job.a.end()), b(job.b.begin(), job.b.end()), c(job.c.size());
  ab_zgemm_blas('N', 'N', job.n, job.m, job.k, 1, b.data(), job.n, a.data(), job.k, 0, c.data(), job.n);
  for (std::size_t i = 0; i < c.size(); ++i) job.c[i] = c[i].imag() == 0 ? c[i].real() : 1e9;
}

enum class Way { AtOnce, Future, Batch };
void on_handles(Job& job, Way way) {
  const ABMatrix a = ab_matrix_create(job.m, job.k), b = ab_matrix_create(job.k, job.n), c = ab_matrix_create(job.m, job.n);
  EXPECT_EQ(ab_matrix_upload(a, job.a.data(), true), AB_OK);
  EXPECT_EQ(ab_matrix_upload(b, job.b.data(), true), AB_OK);
  if (way == Way::AtOnce) {
    EXPECT_EQ(ab_dgemm(a, b, c), AB_OK);
  } else if (way == Way::Future) {
    const ABFuture future = ab_dgemm_async(a, b, c);
    EXPECT_EQ(ab_future_wait(future), AB_OK);
    ab_future_destroy(future);
  } else {
    const ABBatch batch = ab_batch_create();
    EXPECT_EQ(ab_batch_dgemm(batch, a, b, c), AB_OK);
    EXPECT_EQ(ab_batch_commit(batch), AB_OK);
    EXPECT_EQ(ab_batch_wait(batch), AB_OK);
    ab_batch_destroy(batch);
  }
  EXPECT_EQ(ab_matrix_download(c, job.c.data(), true), AB_OK);
  for (ABMatrix matrix : {a, b, c}) ab_matrix_destroy(matrix);
}

ab_dev_buffer_t buffer_of(const Words& words) {
  const ab_dev_buffer_t buffer = ab_dev_malloc(words.size() * sizeof(double));
  EXPECT_EQ(ab_dev_memcpy_h2d(buffer, 0, words.data(), words.size() * sizeof(double)), AB_OK);
  return buffer;
}

void on_buffers(Job& job) {
  const ab_dev_buffer_t a = buffer_of(job.a), b = buffer_of(job.b), c = buffer_of(job.c);
  EXPECT_EQ(ab_dev_dgemm(AB_NO_TRANS, AB_NO_TRANS, job.n, job.m, job.k, 1, b, job.n, a, job.k, 0, c, job.n), AB_OK);
  EXPECT_EQ(ab_dev_memcpy_d2h(job.c.data(), c, 0, job.c.size() * sizeof(double)), AB_OK);
  for (ab_dev_buffer_t buffer : {a, b, c}) ab_dev_free(buffer);
}

// Operands come through two streams, which overlap; the result goes through one of them.
void on_streams(Job& job) {
  ab_dev_stream_t streams[] = {ab_dev_stream_create(), ab_dev_stream_create()};
  const std::size_t bytes[] = {job.a.size() * 8, job.b.size() * 8, job.c.size() * 8};
  const ab_dev_buffer_t a = ab_dev_malloc(bytes[0]), b = ab_dev_malloc(bytes[1]), c = ab_dev_malloc(bytes[2]);
  EXPECT_EQ(ab_dev_memcpy_h2d_async(a, 0, job.a.data(), bytes[0], streams[0]), AB_OK);
  EXPECT_EQ(ab_dev_memcpy_h2d_async(b, 0, job.b.data(), bytes[1], streams[1]), AB_OK);
  EXPECT_EQ(ab_dev_dgemm(AB_NO_TRANS, AB_NO_TRANS, job.n, job.m, job.k, 1, b, job.n, a, job.k, 0, c, job.n), AB_OK);
  EXPECT_EQ(ab_dev_memcpy_d2h_async(job.c.data(), c, 0, bytes[2], streams[0]), AB_OK);
  EXPECT_EQ(ab_dev_stream_sync(streams[0]), AB_OK);
  for (ab_dev_buffer_t buffer : {a, b, c}) ab_dev_free(buffer);
  for (ab_dev_stream_t stream : streams) ab_dev_stream_destroy(stream);
}

constexpr ABPrecision classes[] = {AB_PRECISION_DD, AB_PRECISION_FAST, AB_PRECISION_FP64, AB_PRECISION_STRICT};

bool is_right(std::uint64_t number) {
  Job job(number);
  ab_set_precision(classes[number % 4]);
  switch (job.random.below(7)) {
    case 0:
      on_blas(job);
      break;
    case 1:
      on_complex_blas(job);
      break;
    case 2:
      on_handles(job, Way::AtOnce);
      break;
    case 3:
      on_handles(job, Way::Future);
      break;
    case 4:
      on_handles(job, Way::Batch);
      break;
    case 5:
      on_streams(job);
      break;
    default:
      on_buffers(job);
  }
  return job.c == job.expected;
}

/// Resident memory without what the allocator keeps for later, bytes.
std::int64_t resident_bytes() {
  malloc_trim(0);
  std::int64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

/// Of the fake driver's devices; 0 without it.
std::int64_t device_bytes() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  auto* const function = library == nullptr ? nullptr : reinterpret_cast<FakeControlFunction*>(dlsym(library, fake_control_name));
  return function == nullptr ? 0 : static_cast<std::int64_t>(function()->alive().device_bytes);
}

constexpr std::int64_t megabyte = 1 << 20;

std::size_t thread_count() {
  const auto tasks = std::filesystem::directory_iterator("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}
// Threads of streams end soon after them.
void expect_threads(std::size_t most) {
  for (int round = 0; round < 100 && thread_count() > most; ++round) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(thread_count(), most);
}

TEST(Endurance, MemoryIsLevelOverTenThousandMixedCalls) {
  constexpr std::uint64_t calls = 10000, warm_up = 2000;
  ASSERT_EQ(ab_init(), AB_OK);
  std::int64_t resident = 0, on_device = 0;
  std::size_t threads = 0;
  for (std::uint64_t call = 0; call < calls; ++call) {
    if (call == warm_up) resident = resident_bytes(), on_device = device_bytes(), threads = thread_count();
    bool right = false;
    if (call % 50 == 0) {
      std::thread([&] { right = is_right(call); }).join();
    } else {
      right = is_right(call);
    }
    ASSERT_TRUE(right) << "call " << call;
  }
  EXPECT_LT(resident_bytes() - resident, 4 * megabyte);
  EXPECT_LT(device_bytes() - on_device, megabyte);
  expect_threads(threads + 2);
  RecordProperty("resident_growth_bytes", std::to_string(resident_bytes() - resident));
  ab_set_precision(AB_PRECISION_DEFAULT);
  ab_shutdown();
  EXPECT_EQ(device_bytes(), 0);
}

TEST(Endurance, MemoryIsLevelOverAHundredLives) {
  std::int64_t resident = 0;
  for (int life = 0; life < 100; ++life) {
    if (life == 20) resident = resident_bytes();
    ASSERT_EQ(ab_init(), AB_OK);
    for (std::uint64_t call = 0; call < 6; ++call) ASSERT_TRUE(is_right(call)) << "life " << life;
    ab_shutdown();
    ASSERT_EQ(device_bytes(), 0) << "life " << life;
  }
  EXPECT_LT(resident_bytes() - resident, 2 * megabyte);
}

TEST(Endurance, ThreeHundredThreadsAtOnce) {
  constexpr int count = 300;
  ASSERT_EQ(ab_init(), AB_OK);
  std::atomic<int> waiting{count}, right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      waiting.fetch_sub(1);
      while (waiting.load() > 0) std::this_thread::yield();
      bool all = true;
      for (std::uint64_t call = 0; call < 6; ++call) all = is_right(static_cast<std::uint64_t>(t) * 100 + call) && all;
      if (all) right.fetch_add(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right.load(), count);
  const ops::DeviceUse use = ops::device_use();
  EXPECT_GT(use.peak_bytes, 0u);
  EXPECT_LE(use.peak_bytes, use.cap_bytes);  // all together; also where the environment leaves little (CMakeLists.txt)
  ab_shutdown();
  EXPECT_EQ(device_bytes(), 0);
}

/// Ends without handlers; a child that hangs is ended by its alarm.
int status_of_child(bool (*body)()) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

bool blas_is_right() {
  Job job(7);
  on_blas(job);
  return job.c == job.expected;
}

bool blas_is_right_and_in_a_child() {
  return blas_is_right() && status_of_child(blas_is_right) == 0;
}

TEST(Endurance, ForksWhileThreadsCompute) {
  ASSERT_EQ(ab_init(), AB_OK);
  std::atomic<bool> stop{false}, wrong{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t call = 0; !stop.load(); ++call) {
        if (!is_right(static_cast<std::uint64_t>(t) * 1000 + call % 50)) wrong.store(true);
      }
    });
  }
  for (int round = 0; round < 30; ++round) {
    ASSERT_EQ(status_of_child(round % 3 == 0 ? blas_is_right_and_in_a_child : blas_is_right), 0) << "round " << round;
    ASSERT_TRUE(blas_is_right());
  }
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(wrong.load());
  ab_shutdown();
}

/// What the process may have of address space from now on, beyond what it has.
void limit_address_space(std::int64_t more_bytes) {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto limit = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + more_bytes);
  const rlimit both{limit, limit};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &both), 0);
}

TEST(Inner, DISABLED_ComputesUnderALimit) {
  Job first(1), large(3, 1), other(2);
  large.m = large.n = large.k = 400;
  large.a.assign(Job::size(400, 400), 1);
  large.b = large.a;
  large.c.assign(Job::size(400, 400), 7);
  const bool before = std::getenv("AB_TEST_OPENED") != nullptr;
  if (before) on_blas(first);
  limit_address_space(std::atoll(std::getenv("AB_TEST_MORE_KB")) << 10);
  for (int round = 0; round < 3; ++round) {
    on_blas(other);
    on_blas(large);
    if (other.c != other.expected) _exit(2);
    for (const double entry : large.c) {
      if (entry != 400) _exit(3);
    }
  }
  _exit(0);
}

// A BLAS call ends right whatever memory is left, none included, and however far the library had come. Without a host BLAS: OpenBLAS
// asks for its own buffers again and again for ever.
TEST(Endurance, BlasCallsEndRightUnderAnyMemoryLimit) {
  for (const char* more : {"0", "64", "256", "1024", "4096", "16384", "65536", "262144"}) {
    for (const bool opened : {false, true}) {
      Variables variables = {{"AB_TEST_MORE_KB", more}, {"AB_REPRODUCIBLE", "1"}};
      if (opened) variables.emplace_back("AB_TEST_OPENED", "1");
      const Ended ended = run_self("Inner.DISABLED_ComputesUnderALimit", variables);
      EXPECT_EQ(ended.exit_status, 0) << more << " KB more, " << (opened ? "opened" : "new") << "\n" << ended.errors;
    }
  }
}

}  // namespace
}  // namespace ab::test
