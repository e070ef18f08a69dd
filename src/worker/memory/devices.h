// SPDX-License-Identifier: MIT
/* Device runtimes (devices/device.h) in a process with Python. */
#ifndef WORKER_MEMORY_DEVICES_H
#define WORKER_MEMORY_DEVICES_H

#include "base/error.h"
#include "devices/device.h"

/*
 * Loads the runtime's library: of this process or, by importing the package that ships it, of this
 * interpreter. Loads once; later calls return the same result. EXIT_UNAVAILABLE if it cannot be
 * loaded.
 */
int worker_load_runtime(const struct device_runtime *runtime, struct err *err);

/* The job of `suai devices`: sends one message for each runtime that needs Python. */
void worker_list_devices(void);

#endif
