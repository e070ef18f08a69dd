// SPDX-License-Identifier: MIT
/* Element types as PEP 3118 formats. */
#include "model/dtype.h"

#include "base/plural.h"
#include "base/text.h"
#include "model/dtype_make.h"
#include "model/pep3118.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int64_t dtype_pep3118_bytes(const char *format)
{
	struct pep3118_layout layout;
	int64_t n_bytes = -1;
	struct err err;
	bool size_unknown;

	for (int i = 0; i < PEP3118_N_READINGS; i++) {
		if (pep3118_read(format ? format : "B", (enum pep3118_reading)i, NULL, &layout,
			    &size_unknown, &err) ||
			size_unknown || (i && layout.n_bytes != n_bytes))
			return -1;
		n_bytes = layout.n_bytes;
	}
	return n_bytes;
}

/* The format without byte orders. Names lose these characters, too, on which no size depends. */
static void drop_orders(struct text *out, const char *format)
{
	for (const char *c = format; *c; c++)
		if (!strchr("<>=!^@", *c))
			text_add_bytes(out, c, 1);
}

int64_t dtype_pep3118_padded_bytes(const char *format)
{
	struct pep3118_layout layout;
	struct text aligned = { 0 };
	int64_t n_bytes = -1;
	struct err err;
	bool size_unknown;

	if (!strstr(format, "T{"))
		return -1;
	drop_orders(&aligned, format);
	if (!pep3118_read(aligned.bytes, PEP3118_PADDED, NULL, &layout, &size_unknown, &err) &&
		!size_unknown)
		n_bytes = layout.n_bytes;
	text_free(&aligned);
	return n_bytes;
}

/* Whether the format is one element of a dtype other than void. */
static bool is_plain(const struct pep3118_layout *layout)
{
	const struct pep3118_item *item = &layout->last;

	if (layout->n_items != 1 || !item->code || item->shape || item->name)
		return false;
	if (item->code->kind == DTYPE_VOID)
		return false;
	return item->count == 1 || item->code->letter == 's' || item->code->kind == DTYPE_UNICODE;
}

int dtype_from_pep3118(struct dtype *dtype, const char *format, int64_t itemsize, struct err *err)
{
	struct pep3118_layout layout;
	bool size_unknown;

	format = format ? format : "B";
	if (pep3118_read(format, PEP3118_TIGHT, NULL, &layout, &size_unknown, err))
		return -1;
	if (itemsize < 0)
		return err_set(err, EXIT_FINDINGS, "itemsize is %" PRId64 ", expected 0 or more",
			itemsize);
	if (!is_plain(&layout))
		return dtype_make(dtype, DTYPE_VOID, itemsize, 8, err);
	if (layout.n_bytes != itemsize)
		return err_set(err, EXIT_FINDINGS,
			"format '%.60s' takes %" PRId64 " byte%s, but itemsize is %" PRId64, format,
			layout.n_bytes, plural(layout.n_bytes), itemsize);
	if (dtype_make(dtype, layout.last.code->kind, itemsize, 8, err))
		return -1;
	dtype->foreign_order =
		dtype_order_is_foreign(layout.last.order) && dtype_order_char(dtype) != '|';
	return 0;
}

int dtype_to_pep3118(const struct dtype *dtype, char out[DTYPE_TEXT_BYTES], struct err *err)
{
	const char *order =
		dtype->foreign_order ? (dtype_order_char(dtype) == '<' ? "<" : ">") : "";

	for (const struct pep3118_code *code = pep3118_codes; code->letter && dtype->lanes == 1;
		code++) {
		char part[2] = { code->part, '\0' };

		if (code->kind != dtype->kind ||
			(code->letter == 'c' && dtype->kind == DTYPE_BYTES))
			continue;
		if (dtype->kind == DTYPE_BYTES || dtype->kind == DTYPE_UNICODE ||
			dtype->kind == DTYPE_VOID)
			snprintf(out, DTYPE_TEXT_BYTES, "%s%" PRId64 "%c", order,
				dtype->bits / 8 / code->standard, code->letter);
		else if (INT64_C(8) * code->standard == dtype->bits && !strchr("FD", code->letter))
			snprintf(out, DTYPE_TEXT_BYTES, "%s%c%s", order, code->letter, part);
		else
			continue;
		return 0;
	}
	return err_set(err, EXIT_UNAVAILABLE, "suai has no PEP 3118 format for %s", dtype->name);
}
