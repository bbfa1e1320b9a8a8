// SPDX-License-Identifier: MIT
// Stand-ins for the layers below blas, linked instead of them: settings, two devices and a host BLAS that do what the test asks for and
// remember what they were asked. So every route and every failure is reached without a device that fails.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/settings.hpp"
#include "host_blas/host_blas.hpp"
#include "ops/host_memory.hpp"
#include "ops/level3.hpp"
#include "ops/split.hpp"

namespace ab::test {

struct Faked {
  Settings settings;
  bool has_host_blas = true;
  std::vector<std::string> devices = {"cpu", "cuda:0"};
  int default_device = 1;
  std::string cpu_kind;                                       // Traits::table_kind of device 0
  std::optional<Status> opening_fails, gpu_fails, cpu_fails;  // thrown; cpu is device 0
  std::optional<Reason> gpu_declines, cpu_declines;
  std::optional<Status> vendor_fails;  // thrown by products of that method
  bool host_memory_gone = false;       // products throw std::bad_alloc
  bool context_is_dead = false;        // closed by a shutdown meanwhile
  std::function<void()> in_host_blas;  // runs inside a call of the host BLAS

  std::vector<std::string> warnings;
  int host_calls = 0;
  int asked_for_device = 0;       // how often the current device was asked for, for which all are listed
  std::string_view host_lacks;    // a routine that it cannot complete
  std::string_view host_routine;  // asked for last
  std::optional<host_blas::Interface> host_interface;
  std::optional<host_blas::Integers> host_integers;
  std::vector<int> device_calls;  // indices of the devices that products were tried on
  std::vector<Op> last_ops;
  ops::Choices last_choices;
  bool marked_inside_host = false;
  double last_share = 0;           // of a split
  std::vector<int> split_devices;  // indices
  std::span<const std::byte> registered = {};
};

/// The fakes in force; reset() makes them new, for each test.
Faked& faked();
void reset();

/// What the fakes put into every entry of C, by who computed it.
inline constexpr double by_host = 100, by_cpu = 200, by_gpu = 300, by_both = 400;

}  // namespace ab::test
