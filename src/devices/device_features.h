// SPDX-License-Identifier: MIT
/* What OpenCL and SYCL devices support, for the list of devices. */
#ifndef DEVICES_DEVICE_FEATURES_H
#define DEVICES_DEVICE_FEATURES_H

#include "facts/facts.h"

struct device_features {
	bool fp16, fp64;
	bool usm_device, usm_shared, usm_host;
};

/* Appends the names of the aspects that element types require: fp16, fp64. */
void device_features_add_types(
	struct arena *arena, const struct device_features *features, struct fact_texts *aspects);

/* Appends all names to the aspects and the kinds of USM of the entry. */
void device_features_add(struct arena *arena, const struct device_features *features,
	struct fact_device_entry *entry);

#endif
