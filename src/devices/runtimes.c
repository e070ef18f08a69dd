// SPDX-License-Identifier: MIT
#include "devices/runtimes.h"

#include "base/text.h"

#include <string.h>

#define ROW(NAME, TYPE, ASKED, TEXT) &NAME##_runtime,
const struct device_runtime *const device_runtimes[] = { DEVICE_RUNTIME_LIST(ROW) NULL };

const struct device_runtime *device_runtime_find(const char *name)
{
	for (size_t i = 0; device_runtimes[i]; i++)
		if (!strcmp(device_runtimes[i]->name, name))
			return device_runtimes[i];
	return NULL;
}

const struct device_runtime *device_runtime_of_type(const char *device_type)
{
	for (size_t i = 0; device_type && device_runtimes[i]; i++)
		if (text_lists_word(device_runtimes[i]->device_types, device_type))
			return device_runtimes[i];
	return NULL;
}

const struct device_runtime *device_runtime_of_locator(const char *by)
{
	for (size_t i = 0; by && device_runtimes[i]; i++)
		if (!strcmp(device_runtimes[i]->located_by, by))
			return device_runtimes[i];
	return NULL;
}
