// SPDX-License-Identifier: MIT
#include "devices/device_features.h"

void device_features_add(struct arena *arena, const struct device_features *features,
	struct fact_device_entry *entry)
{
	if (features->fp16)
		fact_texts_add(arena, &entry->aspects, "fp16");
	if (features->fp64)
		fact_texts_add(arena, &entry->aspects, "fp64");
	if (features->usm_device)
		fact_texts_add(arena, &entry->usm_kinds, "device");
	if (features->usm_shared)
		fact_texts_add(arena, &entry->usm_kinds, "shared");
	if (features->usm_host)
		fact_texts_add(arena, &entry->usm_kinds, "host");
}
