// SPDX-License-Identifier: MIT
/* Text in XML 1.0: markup is escaped, and characters that XML does not allow, such as most control
 * characters, become backslash escapes. */
#ifndef FORMATS_JUNIT_XML_H
#define FORMATS_JUNIT_XML_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends text as content, or as the value of an attribute, whose line breaks are escaped too. */
void xml_add(struct text *out, const char *bytes, size_t n_bytes, bool is_attribute);

#endif
