// SPDX-License-Identifier: MIT
/* The protocols as a table, from the list in protocols/names.h. */
#include "protocols/names.h"
#include "protocols/protocol.h"

#include <string.h>

#define DECLARE(NAME) extern const struct protocol NAME##_protocol;
PROTOCOL_LIST(DECLARE)
FILE_PROTOCOL_LIST(DECLARE)

#define ROW(NAME) &NAME##_protocol,
const struct protocol *const protocols[] = { PROTOCOL_LIST(ROW) FILE_PROTOCOL_LIST(ROW) NULL };

const struct protocol *protocol_find(const char *name)
{
	for (size_t i = 0; protocols[i]; i++)
		if (!strcmp(protocols[i]->name, name))
			return protocols[i];
	return NULL;
}
