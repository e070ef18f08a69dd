// SPDX-License-Identifier: MIT
/* SYCL devices: facts about one, and their list. For devices/sycl/sycl.c. */
#ifndef DEVICES_SYCL_SYCL_DEVICE_H
#define DEVICES_SYCL_SYCL_DEVICE_H

#include "devices/sycl/sycl.h"
#include "devices/sycl/sycl_api.h"

void sycl_device_describe(
	const struct sycl_api *api, const void *device, struct sycl_device *facts);

/* Gives the default context of the device's platform, or NULL. */
void *sycl_device_default_context(const struct sycl_api *api, const void *device);

/* Gives the devices in the order of dpctl.get_devices() (free with free()). */
struct sycl_device *sycl_device_list(const struct sycl_api *api, size_t *n_devices);

#endif
