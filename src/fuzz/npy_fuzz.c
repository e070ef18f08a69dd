// SPDX-License-Identifier: MIT
/* Any bytes as a .npy file: what is described is within the file and has strides of its shape.
 * Built by clang -fsanitize=fuzzer,address,undefined with the files of base, model and protocols.
 */
#include "protocols/npy.h"
#include "protocols/npy_header.h"
#include "protocols/protocol.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
	struct arena arena = { 0 };
	struct fact_interface interface = { 0 };
	struct npy_elements elements;
	struct array array;
	struct err err;
	int64_t end = npy_header_end(bytes, (int64_t)n_bytes, &err);

	if (end > (int64_t)n_bytes)
		abort();
	if (end >= 0 && !npy_header_read(&arena, bytes, end, (int64_t)n_bytes, &interface, &err) &&
		!npy_protocol.describe(&interface, &array, &err)) {
		if (npy_read_descr(&arena, value_get(interface.declared, "descr"), &elements, &err))
			abort();
		if (!elements.objects && array_nbytes(&array) > (int64_t)n_bytes - end)
			abort();
		if (!array_is_c_contiguous(&array) && !array_is_f_contiguous(&array))
			abort();
	}
	arena_free(&arena);
	return 0;
}
