// SPDX-License-Identifier: MIT
// Reports name the device when only handles are used, and never less than another front door says.
#include "capi/facts.hpp"

#include "handles.hpp"
#include "report/facts.hpp"

namespace ab::test {
namespace {

using Facts = Initialized;

report::Facts nothing() {
  return {};
}
report::Facts everything() {
  report::Facts facts;
  facts.device = "another";
  return facts;
}

TEST_F(Facts, TheDeviceIsNamedWhenNobodyElseDoes) {
  report::set_facts_source(nothing);
  capi::tell_reports_the_device();
  ABDeviceTraits traits = {};
  traits.struct_size = sizeof traits;
  ASSERT_EQ(ab_device_traits(ab_current_device(), &traits), AB_OK);
  EXPECT_EQ(report::known_facts().device, traits.id);
  EXPECT_EQ(report::known_facts().device_name, traits.name);
}

TEST_F(Facts, TheDeviceIsNamedAfterAShutdown) {
  report::set_facts_source(nothing);
  capi::tell_reports_the_device();
  const std::string device = report::known_facts().device;
  EXPECT_NE(device, "");
  ab_shutdown();
  EXPECT_EQ(report::known_facts().device, device);
}

TEST_F(Facts, AnotherFrontDoorIsNotReplaced) {
  report::set_facts_source(everything);
  capi::tell_reports_the_device();
  EXPECT_EQ(report::known_facts().device, "another");
  report::set_facts_source(nothing);
}

}  // namespace
}  // namespace ab::test
