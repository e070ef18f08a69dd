// SPDX-License-Identifier: MIT
/*
 * DLPack's exchange API: tables of functions behind capsules of types, which pass tensors without a
 * capsule for each. The entries of a table are replaced when its capsule is created, before a
 * consumer can copy them.
 */
#ifndef TRACE_EXCHANGE_API_H
#define TRACE_EXCHANGE_API_H

#include <stdbool.h>

/* Whether a capsule of this name contains a table. */
bool trace_is_exchange_api(const char *name);

/* Replaces the entries of a table, of the library that contains the address. Call without the
 * lock. */
void trace_exchange_api_replace(void *table, const void *creator);

#endif
