// SPDX-License-Identifier: MIT
/* Any bytes for the wire reader; a fact that it takes must survive another trip, byte for byte.
 * Built by clang -fsanitize=fuzzer,address,undefined with the files of base and model. */
#include "model/wire.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct arena arena = { 0 };
	struct text wire = { 0 };
	struct value *value, *again;
	struct err err;

	value = wire_read(&arena, bytes, n_bytes, &err);
	if (value) {
		wire_write(&wire, value);
		again = wire_read(&arena, wire.bytes, wire.n_bytes, &err);
		if (!again || !value_equal(value, again))
			abort();
		if (wire.n_bytes != n_bytes || memcmp(wire.bytes, bytes, n_bytes) != 0)
			abort();
	}
	text_free(&wire);
	arena_free(&arena);
	return 0;
}
