// SPDX-License-Identifier: MIT
#include "core/settings.hpp"
