// SPDX-License-Identifier: MIT
#include "capi/facts.hpp"

#include "device/device.hpp"
#include "ops/context.hpp"
#include "report/facts.hpp"

namespace ab::capi {
namespace {

report::Facts device_facts() {
  report::Facts facts;
  const auto context = ops::current_context_if_initialized();
  if (!context) return facts;
  const device::Traits& traits = ops::device_of(*context).traits();
  facts.device = traits.id;
  facts.device_name = traits.name;
  facts.peak_bytes = static_cast<Index>(ops::memory_use(*context).peak_bytes);
  return facts;
}

}  // namespace

void tell_reports_the_device() {
  if (report::known_facts().device.empty()) report::set_facts_source(device_facts);
}

}  // namespace ab::capi
