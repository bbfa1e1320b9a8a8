// SPDX-License-Identifier: MIT
// What reports say of the process when only the handle API is in use.
#pragma once

namespace ab::capi {

/// Lets reports know the device, unless another front door tells them already. Call it after a product, when a device is open.
void tell_reports_the_device();

}  // namespace ab::capi
