// SPDX-License-Identifier: MIT
#include "copy/kernels/kernel_code.h"

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

static unsigned char *unpack_group(
	const struct kernel_form *form, const struct kernel_group *group, struct err *err)
{
	uint64_t max_bytes = MAX_DECODER_BYTES;
	size_t at_in = 0, at_out = 0;
	unsigned char *code = mem_alloc(group->n_encoded);
	lzma_ret rc = lzma_stream_buffer_decode(&max_bytes, 0, NULL, form->packed + group->at,
		&at_in, group->n_packed, code, &at_out, group->n_encoded);

	if (rc == LZMA_OK && at_out == group->n_encoded) {
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
