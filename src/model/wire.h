// SPDX-License-Identifier: MIT
/*
 * The wire form of a fact: what the worker writes and the judge reads. The
 * reader trusts nothing: lengths, depth (64), size (8 MiB), kinds and UTF-8
 * are checked, and the input is copied, never used in place.
 */
#ifndef MODEL_WIRE_H
#define MODEL_WIRE_H

#include "base/error.h"
#include "base/text.h"
#include "model/value.h"

/* Appends the wire form of value to out. */
void wire_write(struct text *out, const struct value *value);

/* Reads one value that fills n_bytes exactly, into the arena. NULL with err set (code 70)
 * otherwise. */
struct value *wire_read(struct arena *arena, const void *bytes, size_t n_bytes, struct err *err);

#endif
