// SPDX-License-Identifier: MIT
/* The protocols as a table, from the list in protocols/names.h. */
#include "protocols/protocol.h"

#include "model/device_name.h"
#include "model/runtimes.h"

#include <string.h>

#define ROW(SYMBOL, NAME, EXPORT) &SYMBOL##_protocol,
const struct protocol *const protocols[] = { PROTOCOL_LIST(ROW) FILE_PROTOCOL_LIST(ROW) NULL };

const struct protocol *protocol_find(const char *name)
{
	for (size_t i = 0; protocols[i]; i++)
		if (!strcmp(protocols[i]->name, name))
			return protocols[i];
	return NULL;
}

const char *protocol_title(const struct protocol *protocol)
{
	return protocol->title ? protocol->title : protocol->attribute;
}

const struct protocol *protocol_of_interface(const struct fact_interface *interface)
{
	return interface && interface->protocol ? protocol_find(interface->protocol) : NULL;
}

int protocol_check_device(
	const struct protocol *protocol, const struct job_device *device, struct err *err)
{
	const char *runtime = protocol ? protocol->runtime : RUNTIME_HOST;

	if (device_is_described(device))
		return err_set(err, EXIT_UNAVAILABLE,
			"'%s': suai cannot create arrays of the %s runtime", device->spelled,
			device->runtime);
	if (!runtime || (device->runtime && !strcmp(device->runtime, runtime)))
		return 0;
	if (!protocol)
		return err_set(err, EXIT_USAGE,
			"'%s': a file is written from host memory; omit the device",
			device->spelled);
	if (!strcmp(runtime, RUNTIME_HOST))
		return err_set(err, EXIT_USAGE,
			"'%s': %s describes only host memory; dlpack describes this device",
			device->spelled, protocol->name);
	return err_set(err, EXIT_USAGE,
		"'%s': %s describes only memory of the %s runtime; 'suai devices' lists its devices",
		device->spelled, protocol->name, runtime);
}

const struct fact_record *protocol_details_of(const char *name)
{
	static const struct fact_record none = { .name = "details" };
	const struct protocol *protocol = protocol_find(name);

	if (!protocol)
		return NULL;
	return protocol->details ? protocol->details : &none;
}
