// SPDX-License-Identifier: MIT
/* The protocols as a table, from the list in protocols/names.h. */
#include "protocols/protocol.h"

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

const struct fact_record *protocol_details_of(const char *name)
{
	static const struct fact_record none = { .name = "details" };
	const struct protocol *protocol = protocol_find(name);

	if (!protocol)
		return NULL;
	return protocol->details ? protocol->details : &none;
}
