// SPDX-License-Identifier: MIT
#include "capi/facts.hpp"

#include "device/registry.hpp"
#include "ops/context.hpp"
#include "report/facts.hpp"

namespace ab::capi {
namespace {

report::Facts device_facts() {
  report::Facts facts;
  const ops::DeviceUse use = ops::device_use();
  if (use.device < 0) return facts;
  const device::Traits& traits = device::traits_of(use.device);
  facts.device = traits.id;
  facts.device_name = traits.name;
  facts.verdict = use.refusal.empty() ? "passed" : "refused: " + use.refusal;
  facts.cap_bytes = use.refusal.empty() ? static_cast<Index>(use.cap_bytes) : -1;
  facts.peak_bytes = static_cast<Index>(use.peak_bytes);
  return facts;
}

}  // namespace

void tell_reports_the_device() {
  if (report::known_facts().device.empty()) report::set_facts_source(device_facts);
}

}  // namespace ab::capi
