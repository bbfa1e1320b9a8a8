// SPDX-License-Identifier: MIT
#include "kernels/opencl_device.hpp"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <array>
#include <fstream>
#include <iterator>
#include <list>
#include <mutex>
#include <vector>

#include "core/error.hpp"

namespace ab::test {
namespace {

void check(cl_int status, const std::string& what, Status failure = Status::KernelFailed) {
  if (status != CL_SUCCESS) throw Error(failure, "OpenCL: " + what + " failed with " + std::to_string(status));
}

template <class Handle, cl_int (*release)(Handle)>
class Owned {
 public:
  Owned(Handle handle, cl_int status, const std::string& what, Status failure = Status::KernelFailed) : handle_(handle) {
    check(status, what, failure);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (handle_ != nullptr) release(handle_);
  }
  Handle get() const { return handle_; }

 private:
  Handle handle_;
};
using OwnContext = Owned<cl_context, clReleaseContext>;
using OwnQueue = Owned<cl_command_queue, clReleaseCommandQueue>;
using OwnBuffer = Owned<cl_mem, clReleaseMemObject>;
using OwnProgram = Owned<cl_program, clReleaseProgram>;
using OwnKernel = Owned<cl_kernel, clReleaseKernel>;

std::vector<cl_device_id> devices_of(cl_platform_id platform, cl_device_type type) {
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, type, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(count);
  if (count > 0) check(clGetDeviceIDs(platform, type, count, devices.data(), nullptr), "clGetDeviceIDs");
  return devices;
}

std::optional<cl_device_id> find_device() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return std::nullopt;
  std::vector<cl_platform_id> platforms(count);
  check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  for (const cl_device_type type : std::initializer_list<cl_device_type>{CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_ALL}) {
    for (cl_platform_id platform : platforms) {
      const std::vector<cl_device_id> devices = devices_of(platform, type);
      if (!devices.empty()) return devices.front();
    }
  }
  return std::nullopt;
}

std::string text_of(cl_device_id device, cl_device_info what) {
  std::array<char, 512> text{};
  check(clGetDeviceInfo(device, what, text.size() - 1, text.data(), nullptr), "clGetDeviceInfo");
  return text.data();
}

cl_ulong number_of(cl_device_id device, cl_device_info what) {
  cl_ulong number = 0;
  check(clGetDeviceInfo(device, what, sizeof number, &number, nullptr), "clGetDeviceInfo");
  return number;
}

class OpenClMemory final : public device::Memory {
 public:
  OpenClMemory(cl_context context, std::size_t bytes) : bytes_(bytes), buffer_(create(context, bytes)) {}
  std::size_t bytes() const override { return bytes_; }
  cl_mem buffer() const { return buffer_.get(); }

 private:
  static OwnBuffer create(cl_context context, std::size_t bytes) {
    cl_int status = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes > 0 ? bytes : 1, nullptr, &status);
    return {buffer, status, "a buffer of " + std::to_string(bytes) + " bytes", Status::AllocFailed};
  }
  std::size_t bytes_;
  OwnBuffer buffer_;
};

cl_mem buffer_of(const device::Memory& memory) {
  return static_cast<const OpenClMemory&>(memory).buffer();
}

class OpenClKernel final : public device::Kernel {
 public:
  OpenClKernel(cl_context context, cl_device_id device, const std::string& text, const std::string& options)
      : program_(program_of(context, text)), kernel_(only_kernel(built(program_.get(), device, options))) {
    check(clGetKernelWorkGroupInfo(kernel_.get(), device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group_, group_.data(), nullptr),
          "clGetKernelWorkGroupInfo");
  }
  cl_kernel get() const { return kernel_.get(); }
  const std::array<std::size_t, 3>& group() const { return group_; }

 private:
  static OwnProgram program_of(cl_context context, const std::string& text);
  static cl_program built(cl_program program, cl_device_id device, const std::string& options);
  static OwnKernel only_kernel(cl_program program) {
    cl_kernel kernel = nullptr;
    const cl_int status = clCreateKernelsInProgram(program, 1, &kernel, nullptr);
    return {kernel, status, "clCreateKernelsInProgram", Status::ShaderCompile};
  }
  OwnProgram program_;
  OwnKernel kernel_;
  std::array<std::size_t, 3> group_{};
};

OwnProgram OpenClKernel::program_of(cl_context context, const std::string& text) {
  const char* source = text.c_str();
  cl_int status = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
  return {program, status, "clCreateProgramWithSource", Status::ShaderCompile};
}

cl_program OpenClKernel::built(cl_program program, cl_device_id device, const std::string& options) {
  const cl_int status = clBuildProgram(program, 1, &device, options.c_str(), nullptr, nullptr);
  std::array<char, 4096> log{};
  if (status != CL_SUCCESS) clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
  check(status, std::string("clBuildProgram: ") + log.data(), Status::ShaderCompile);
  return program;
}

class OpenClQueue final : public device::Queue {
 public:
  OpenClQueue(cl_context context, cl_device_id device) : queue_(create(context, device)) {}
  void write(device::Memory& to, std::size_t offset, std::span<const std::byte> from) override {
    if (from.empty()) return;
    check(clEnqueueWriteBuffer(queue_.get(), buffer_of(to), CL_TRUE, offset, from.size(), from.data(), 0, nullptr, nullptr), "a write");
  }
  void read(const device::Memory& from, std::size_t offset, std::span<std::byte> to) override {
    if (to.empty()) return;
    check(clEnqueueReadBuffer(queue_.get(), buffer_of(from), CL_TRUE, offset, to.size(), to.data(), 0, nullptr, nullptr), "a read");
  }
  void copy(const device::Slice& from, const device::Slice& to, std::size_t bytes) override {
    if (bytes == 0) return;
    check(clEnqueueCopyBuffer(queue_.get(), buffer_of(*from.memory), buffer_of(*to.memory), from.offset, to.offset, bytes, 0, nullptr,
                              nullptr),
          "a copy");
  }
  void launch(const device::Kernel& kernel, device::Grid grid, std::span<const device::Argument> arguments) override;
  void finish() override { check(clFinish(queue_.get()), "clFinish"); }

 private:
  static OwnQueue create(cl_context context, cl_device_id device) {
    cl_int status = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    return {queue, status, "clCreateCommandQueue"};
  }
  OwnQueue queue_;
  std::mutex arguments_are_set_;  // a cl_kernel holds one set of arguments
};

// Buffers from an offset on. The queue keeps them for what was launched with them.
using Parts = std::list<OwnBuffer>;

cl_mem add_part(Parts& parts, cl_mem buffer, std::size_t offset, std::size_t bytes) {
  const cl_buffer_region region = {offset, bytes};
  cl_int status = CL_SUCCESS;
  cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  return parts.emplace_back(part, status, "clCreateSubBuffer").get();
}

void set_argument(cl_kernel kernel, cl_uint index, const device::Argument& argument, Parts& parts) {
  if (const auto* params = std::get_if<std::span<const std::byte>>(&argument)) {
    check(clSetKernelArg(kernel, index, params->size(), params->data()), "params as argument " + std::to_string(index));
    return;
  }
  const auto& slice = std::get<device::Slice>(argument);
  cl_mem buffer = slice.memory == nullptr ? nullptr : buffer_of(*slice.memory);
  if (slice.offset != 0) buffer = add_part(parts, buffer, slice.offset, slice.memory->bytes() - slice.offset);
  check(clSetKernelArg(kernel, index, sizeof buffer, &buffer), "memory as argument " + std::to_string(index));
}

void OpenClQueue::launch(const device::Kernel& kernel, device::Grid grid, std::span<const device::Argument> arguments) {
  const auto& loaded = static_cast<const OpenClKernel&>(kernel);
  const std::scoped_lock lock(arguments_are_set_);
  Parts parts;
  for (std::size_t i = 0; i < arguments.size(); ++i) set_argument(loaded.get(), static_cast<cl_uint>(i), arguments[i], parts);
  const std::array<std::size_t, 3>& local = loaded.group();
  const std::array<std::size_t, 3> global = {grid.x * local[0], grid.y * local[1], grid.z * local[2]};
  check(clEnqueueNDRangeKernel(queue_.get(), loaded.get(), 3, nullptr, global.data(), local.data(), 0, nullptr, nullptr), "a launch");
}

class OpenClDevice final : public device::Device {
 public:
  OpenClDevice(cl_device_id device, OpenClChoices choices) : device_(device), choices_(std::move(choices)), context_(create(device)) {
    traits_.id = "opencl:0";
    traits_.name = text_of(device, CL_DEVICE_NAME);
    traits_.features = text_of(device, CL_DEVICE_VERSION);
    traits_.memory_bytes = number_of(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    traits_.max_buffer_bytes = number_of(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    traits_.fused_fma = choices_.fma == FusedMultiplyAdd::Hardware;
  }
  const device::Traits& traits() const override { return traits_; }
  std::unique_ptr<device::Memory> allocate(std::size_t bytes) override { return std::make_unique<OpenClMemory>(context_.get(), bytes); }
  std::unique_ptr<device::Memory> adopt(std::span<std::byte>) override { return nullptr; }
  std::unique_ptr<device::Kernel> load(const device::KernelName& name) override;
  std::unique_ptr<device::Queue> open_queue() override { return std::make_unique<OpenClQueue>(context_.get(), device_); }

 private:
  static OwnContext create(cl_device_id device) {
    cl_int status = CL_SUCCESS;
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    return {context, status, "clCreateContext", Status::NoDevice};
  }
  cl_device_id device_;
  OpenClChoices choices_;
  OwnContext context_;
  device::Traits traits_;
};

std::unique_ptr<device::Kernel> OpenClDevice::load(const device::KernelName& name) {
  const std::string path = std::string(AB_OPENCL_TEXTS) + "/" + name.name + (traits_.fused_fma ? ".cl" : "_soft_fma.cl");
  std::ifstream file(path);
  if (!file) throw Error(Status::ShaderCompile, "OpenCL: no text " + path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (choices_.edit) text = choices_.edit(name.name, std::move(text));
  return std::make_unique<OpenClKernel>(context_.get(), device_, text, choices_.options);
}

}  // namespace

std::string why_no_opencl() {
  return find_device() ? "" : "no OpenCL platform with a device (pocl-opencl-icd would be one)";
}

std::unique_ptr<device::Device> open_opencl(OpenClChoices choices) {
  const std::optional<cl_device_id> device = find_device();
  if (!device) throw Error(Status::NoDevice, why_no_opencl());
  return std::make_unique<OpenClDevice>(*device, std::move(choices));
}

}  // namespace ab::test
