// SPDX-License-Identifier: MIT
#include "device/cuda/primary_context.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "core/process.hpp"
#include "sim/cuda/fake.hpp"

namespace ab::device::cuda {
namespace {

class CudaPrimaryContext : public test::OnFakeDriver {
 protected:
  const Driver& driver_ = *driver();
  PrimaryContext context_{driver_, 0};

  ContextHandle current() const {
    ContextHandle found = nullptr;
    if (driver_.pop_current(&found) == success) driver_.push_current(found);
    return found;
  }
  Status status_of(Result result) {
    try {
      context_.check(result, "cuAnything");
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind("cuda:0: cuAnything failed: CUDA_ERROR_", 0), 0u) << error.what();
      return error.status();
    }
    return Status::Ok;
  }
  bool is_lost() {
    try {
      const Current here(context_);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::NoDevice);
      return true;
    }
    return false;
  }
};

TEST_F(CudaPrimaryContext, TheCallersContextComesBack) {
  PrimaryContext other(driver_, 1);
  const Current callers(other);
  const ContextHandle before = current();
  {
    const Current ours(context_);
    EXPECT_NE(current(), before);
    const CurrentForRelease again(other);
    EXPECT_TRUE(static_cast<bool>(again));
    EXPECT_EQ(current(), before);
  }
  EXPECT_EQ(current(), before);
}

TEST_F(CudaPrimaryContext, IsReleased) {
  const long before = test::fake().alive().contexts;
  { const PrimaryContext other(driver_, 0); }
  EXPECT_EQ(test::fake().alive().contexts, before);
}

TEST_F(CudaPrimaryContext, NoSuchDeviceIsNoDevice) {
  try {
    const PrimaryContext other(driver_, 7);
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::NoDevice);
    EXPECT_NE(std::string(error.what()).find("cuda:7: cuDeviceGet failed"), std::string::npos) << error.what();
  }
}

TEST_F(CudaPrimaryContext, ResultsBecomeErrorsThatNameTheCall) {
  EXPECT_EQ(status_of(success), Status::Ok);
  EXPECT_EQ(status_of(out_of_memory), Status::AllocFailed);
  EXPECT_EQ(status_of(test::invalid_value), Status::KernelFailed);
  EXPECT_FALSE(is_lost());
}

TEST_F(CudaPrimaryContext, ALostDeviceStaysLost) {
  EXPECT_EQ(status_of(test::illegal_address), Status::NoDevice);
  EXPECT_TRUE(is_lost());
  EXPECT_TRUE(is_lost());
  EXPECT_TRUE(static_cast<bool>(CurrentForRelease(context_)));  // its memory is given back all the same
}

TEST_F(CudaPrimaryContext, AForkedChildDoesNotTouchTheDriver) {
  watch_forks();
  const pid_t child = fork();
  if (child == 0) {
    int wrong = is_lost() ? 0 : 1;
    wrong += static_cast<bool>(CurrentForRelease(context_)) ? 2 : 0;
    try {
      const PrimaryContext other(driver_, 0);
      wrong += 4;
    } catch (const Error&) {
    }
    _exit(wrong + (test::fake().violations() == 0 ? 0 : 8));
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ab::device::cuda
