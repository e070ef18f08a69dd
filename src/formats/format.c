// SPDX-License-Identifier: MIT
#include "formats/format.h"

#include <string.h>

/* All formats, in the order of the help: x is `const struct format x_format`. */
#define FORMAT_LIST(EACH) \
	EACH(text)        \
	EACH(concise)     \
	EACH(yaml)        \
	EACH(json)        \
	EACH(sarif)       \
	EACH(junit)       \
	EACH(tap)         \
	EACH(github)

#define DECLARE(NAME) extern const struct format NAME##_format;
FORMAT_LIST(DECLARE)

#define ROW(NAME) &NAME##_format,
const struct format *const formats[] = { FORMAT_LIST(ROW) NULL };

const struct format *format_find(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}
