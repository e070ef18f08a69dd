// SPDX-License-Identifier: MIT
#include "copy/kernels/kernel_code.h"

#include "base/crc32.h"
#include "base/memory.h"
#include "copy/kernels/kernel_decode.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DECODER_BYTES = 16 << 20 }; /* a dictionary of 4 MiB requires 5 MiB at most */

const struct kernel_form *kernel_form_find(const char *name)
{
	for (const struct kernel_form *form = kernel_forms; form->name; form++)
		if (!strcmp(form->name, name))
			return form;
	return NULL;
}

const struct kernel_form *kernel_form_native(int major, int minor)
{
	const struct kernel_form *best = NULL;

	for (const struct kernel_form *form = kernel_forms; form->name; form++)
		if (form->sm && form->sm / 10 == major && form->sm % 10 <= minor &&
			(!best || form->sm > best->sm))
			best = form;
	return best;
}

/* Returns the decoded bytes of a group, or NULL. Consumes code. */
static unsigned char *decode_group(
	const struct kernel_form *form, const struct kernel_group *group, unsigned char *code)
{
	unsigned char *text;
	bool is_decoded;

	if (form->sm)
		return code;
	if (!strcmp(form->name, "spv")) {
		if (kernel_decode_spirv(code, group->n_bytes))
			return code;
		free(code);
		return NULL;
	}
	text = mem_alloc(group->n_bytes);
	is_decoded = kernel_decode_ptx(
		(const char *)code, group->n_encoded, (char *)text, group->n_bytes);
	free(code);
	if (is_decoded)
		return text;
	free(text);
	return NULL;
}

/* The first n bytes of a stream. */
static lzma_ret unpack_beginning(
	unsigned char *code, size_t n, const unsigned char *packed, size_t n_packed)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret rc = lzma_stream_decoder(&stream, MAX_DECODER_BYTES, 0);

	if (rc != LZMA_OK)
		return rc;
	stream.next_in = packed;
	stream.avail_in = n_packed;
	stream.next_out = code;
	stream.avail_out = n;
	rc = lzma_code(&stream, LZMA_FINISH);
	lzma_end(&stream);
	if (rc == LZMA_MEM_ERROR)
		return rc;
	return stream.avail_out ? LZMA_DATA_ERROR : LZMA_OK;
}

static unsigned char *unpack_group(
	const struct kernel_form *form, const struct kernel_group *group, struct err *err)
{
	size_t n = group->n_before + group->n_encoded;
	unsigned char *code = mem_alloc(n);
	lzma_ret rc = unpack_beginning(code, n, form->packed + group->at, group->n_packed);

	if (rc == LZMA_OK) {
		memmove(code, code + group->n_before, group->n_encoded);
		if (crc32_add(0, code, group->n_encoded) != group->crc32)
			rc = LZMA_DATA_ERROR;
	}
	if (rc == LZMA_OK) {
		code = decode_group(form, group, code);
		if (code)
			return code;
	} else {
		free(code);
	}
	err_set(err, EXIT_UNAVAILABLE,
		rc == LZMA_MEM_ERROR ? "no memory to unpack the kernels (form %s)"
				     : "the kernels of this build are damaged (form %s)",
		form->name);
	return NULL;
}

const char *kernel_code(const struct kernel *kernel, const struct kernel_form *form,
	size_t *n_bytes, struct err *err)
{
	static unsigned char *unpacked[KERNEL_MAX_FORMS][KERNEL_MAX_GROUPS];
	const struct kernel_part *part = &kernel->parts[form - kernel_forms];
	unsigned char **code = &unpacked[form - kernel_forms][part->group];

	if (!*code)
		*code = unpack_group(form, &form->groups[part->group], err);
	*n_bytes = part->n_bytes;
	return *code ? (const char *)*code + part->at : NULL;
}
