// SPDX-License-Identifier: MIT
/* The one list of formats: formats/x.c defines `const struct format x_format`. In the order that
 * help shows them. */
#ifndef FORMATS_NAMES_H
#define FORMATS_NAMES_H

#define FORMAT_LIST(EACH) \
	EACH(text)        \
	EACH(concise)     \
	EACH(yaml)        \
	EACH(json)        \
	EACH(sarif)       \
	EACH(junit)       \
	EACH(tap)         \
	EACH(github)

#endif
