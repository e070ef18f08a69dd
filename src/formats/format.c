// SPDX-License-Identifier: MIT
#include "formats/format.h"

#include <string.h>

#define DECLARE(NAME) extern const struct format NAME##_format;
FORMAT_LIST(DECLARE, DECLARE)

#define ROW(NAME) &NAME##_format,
const struct format *const formats[] = { FORMAT_LIST(ROW, ROW) NULL };

const struct format *format_find(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}
