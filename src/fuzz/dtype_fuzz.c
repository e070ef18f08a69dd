// SPDX-License-Identifier: MIT
/* Any text as an element type: as a typestr, as a PEP 3118 format of any item size, and as another
 * spelling. What is read has a size, and survives being written in each notation and read again.
 */
#include "model/dtype.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

static void check_same(const struct dtype *dtype, const struct dtype *again)
{
	if (dtype->kind != again->kind || dtype->bits != again->bits ||
		dtype->foreign_order != again->foreign_order)
		abort();
}

static void check_notations(const struct dtype *dtype)
{
	struct dtype again;
	struct err err;
	char text[DTYPE_TEXT_BYTES];
	uint8_t code, bits;
	uint16_t lanes;

	if (dtype_itemsize(dtype) < 0 || strnlen(dtype->name, sizeof(dtype->name)) >= 40)
		abort();
	if (!dtype_to_typestr(dtype, text, &err)) {
		if (dtype_from_typestr(&again, text, &err))
			abort();
		check_same(dtype, &again);
	}
	if (!dtype_to_pep3118(dtype, text, &err) && dtype_itemsize(dtype)) {
		if (dtype_from_pep3118(&again, text, dtype_itemsize(dtype), &err) ||
			dtype_itemsize(&again) != dtype_itemsize(dtype))
			abort();
	}
	if (!dtype_to_dlpack(dtype, &code, &bits, &lanes, &err)) {
		if (dtype_from_dlpack(&again, code, bits, lanes, &err) ||
			dtype_itemsize(&again) != dtype_itemsize(dtype))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	char text[MAX_TEXT], spelt[DTYPE_TEXT_BYTES], again[DTYPE_TEXT_BYTES];
	struct dtype dtype;
	struct err err;
	int64_t itemsize, taken;

	if (n_bytes < 2 || n_bytes > MAX_TEXT)
		return 0;
	memcpy(text, bytes + 1, n_bytes - 1);
	text[n_bytes - 1] = '\0';
	if (!dtype_from_typestr(&dtype, text, &err))
		check_notations(&dtype);
	if (dtype_spell_out(text, spelt) && dtype_spell_out(spelt, again))
		abort();
	taken = dtype_pep3118_bytes(text);
	itemsize = bytes[0] == 255 && taken >= 0 ? taken : bytes[0];
	(void)dtype_pep3118_padded_bytes(text);
	if (!dtype_from_pep3118(&dtype, text, itemsize, &err)) {
		check_notations(&dtype);
		if (dtype_itemsize(&dtype) != itemsize)
			abort();
	}
	return 0;
}
