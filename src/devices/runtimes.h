// SPDX-License-Identifier: MIT
/* The tables of all device runtimes, in the order of model/runtimes.h. */
#ifndef DEVICES_RUNTIMES_H
#define DEVICES_RUNTIMES_H

#include "devices/device.h"
#include "model/runtimes.h"

#define DECLARE(NAME, TYPE, ASKED, TEXT) extern const struct device_runtime NAME##_runtime;
DEVICE_RUNTIME_LIST(DECLARE)
#undef DECLARE

extern const struct device_runtime *const device_runtimes[]; /* ends with NULL */

/*
 * Finds a runtime by its name, by one of its DLPack device types, and by the `by` of memory;
 * NULL: not found. The last two accept NULL.
 */
const struct device_runtime *device_runtime_find(const char *name);
const struct device_runtime *device_runtime_of_type(const char *device_type);
const struct device_runtime *device_runtime_of_locator(const char *by);

#endif
