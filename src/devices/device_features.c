// SPDX-License-Identifier: MIT
#include "devices/device_features.h"

void device_features_add_types(
	struct arena *arena, const struct device_features *features, struct fact_texts *aspects)
{
	if (features->fp16)
		fact_texts_add(arena, aspects, "fp16");
	if (features->fp64)
		fact_texts_add(arena, aspects, "fp64");
}

void device_features_add(struct arena *arena, const struct device_features *features,
	struct fact_device_entry *entry)
{
	device_features_add_types(arena, features, &entry->aspects);
	if (features->usm_device)
		fact_texts_add(arena, &entry->usm_kinds, "device");
	if (features->usm_shared)
		fact_texts_add(arena, &entry->usm_kinds, "shared");
	if (features->usm_host)
		fact_texts_add(arena, &entry->usm_kinds, "host");
}
