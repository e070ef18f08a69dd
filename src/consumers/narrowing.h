// SPDX-License-Identifier: MIT
/* Conversions of element types that lose values. */
#ifndef CONSUMERS_NARROWING_H
#define CONSUMERS_NARROWING_H

#include <stdbool.h>

/* Whether values of the type named from, such as "int64", are not all values of the other one. */
bool dtype_name_is_narrower(const char *from, const char *to);

#endif
