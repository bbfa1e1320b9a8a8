// SPDX-License-Identifier: MIT
#include "capi/facts.hpp"

#include <atomic>

#include "device/registry.hpp"
#include "ops/context.hpp"
#include "report/facts.hpp"

namespace ab::capi {
namespace {

constinit std::atomic<int> last_used{-1};  // a device index, which stays right after ab_shutdown

report::Facts device_facts() {
  report::Facts facts;
  const auto context = ops::current_context_if_initialized();
  const int index = context ? ops::index_of(*context) : last_used.load();
  if (index < 0) return facts;
  const device::Traits& traits = device::traits_of(index);
  facts.device = traits.id;
  facts.device_name = traits.name;
  if (context) facts.peak_bytes = static_cast<Index>(ops::memory_use(*context).peak_bytes);
  return facts;
}

}  // namespace

void tell_reports_the_device() {
  if (const auto context = ops::current_context_if_initialized()) last_used.store(ops::index_of(*context));
  if (report::known_facts().device.empty()) report::set_facts_source(device_facts);
}

}  // namespace ab::capi
