// SPDX-License-Identifier: MIT
/*
 * PEP 3118 format strings ("Additions to the struct string-syntax"), Python's struct codes
 * included. Whether a structure's size is rounded up to its alignment under '@' is not said: struct
 * does not, NumPy does; a format whose size hangs on that has none that can be told.
 */
#include "model/dtype.h"

#include "model/dtype_make.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT_MAX_DEPTH = 64 };

struct code {
	char letter, part; /* part: what follows Z */
	enum dtype_kind kind;
	int native, standard; /* bytes; 0: the code is not there */
	int align;            /* under '@' */
};

static const struct code codes[] = {
	{ 'x', 0, DTYPE_VOID, 1, 1, 1 },
	{ 'c', 0, DTYPE_BYTES, 1, 1, 1 },
	{ 'b', 0, DTYPE_INT, 1, 1, 1 },
	{ 'B', 0, DTYPE_UINT, 1, 1, 1 },
	{ '?', 0, DTYPE_BOOL, 1, 1, 1 },
	{ 'h', 0, DTYPE_INT, sizeof(short), 2, _Alignof(short) },
	{ 'H', 0, DTYPE_UINT, sizeof(short), 2, _Alignof(short) },
	{ 'i', 0, DTYPE_INT, sizeof(int), 4, _Alignof(int) },
	{ 'I', 0, DTYPE_UINT, sizeof(int), 4, _Alignof(int) },
	{ 'l', 0, DTYPE_INT, sizeof(long), 4, _Alignof(long) },
	{ 'L', 0, DTYPE_UINT, sizeof(long), 4, _Alignof(long) },
	{ 'q', 0, DTYPE_INT, sizeof(long long), 8, _Alignof(long long) },
	{ 'Q', 0, DTYPE_UINT, sizeof(long long), 8, _Alignof(long long) },
	{ 'n', 0, DTYPE_INT, sizeof(size_t), 0, _Alignof(size_t) },
	{ 'N', 0, DTYPE_UINT, sizeof(size_t), 0, _Alignof(size_t) },
	{ 'e', 0, DTYPE_FLOAT, 2, 2, 2 },
	{ 'f', 0, DTYPE_FLOAT, sizeof(float), 4, _Alignof(float) },
	{ 'd', 0, DTYPE_FLOAT, sizeof(double), 8, _Alignof(double) },
	{ 'g', 0, DTYPE_FLOAT, sizeof(long double), sizeof(long double), _Alignof(long double) },
	{ 'F', 0, DTYPE_COMPLEX, 8, 8, _Alignof(float) },
	{ 'D', 0, DTYPE_COMPLEX, 16, 16, _Alignof(double) },
	{ 'Z', 'e', DTYPE_COMPLEX, 4, 4, 2 },
	{ 'Z', 'f', DTYPE_COMPLEX, 8, 8, _Alignof(float) },
	{ 'Z', 'd', DTYPE_COMPLEX, 16, 16, _Alignof(double) },
	{ 'Z', 'g', DTYPE_COMPLEX, 2 * sizeof(long double), 2 * sizeof(long double),
		_Alignof(long double) },
	{ 's', 0, DTYPE_BYTES, 1, 1, 1 },
	{ 'p', 0, DTYPE_VOID, 1, 1, 1 },
	{ 'w', 0, DTYPE_UNICODE, 4, 4, 4 },
	{ 'u', 0, DTYPE_VOID, 2, 2, 2 },
	{ 't', 0, DTYPE_VOID, 1, 1, 1 },
	{ 'P', 0, DTYPE_VOID, sizeof(void *), sizeof(void *), _Alignof(void *) },
	{ 'O', 0, DTYPE_OBJECT, sizeof(void *), sizeof(void *), _Alignof(void *) },
	{ '&', 0, DTYPE_VOID, sizeof(void *), sizeof(void *), _Alignof(void *) },
	{ 'X', 0, DTYPE_VOID, sizeof(void *), sizeof(void *), _Alignof(void *) },
};

enum { N_CODES = sizeof(codes) / sizeof(codes[0]) };

struct reader {
	const char *format, *at;
	struct err *err;
	char order;       /* in force until the next one */
	bool pad_structs; /* T{} is rounded up to its alignment under '@' */
	bool untold;      /* a part has no size that can be told */
	int depth;
};

/* One element: repeats of count of a code, or of a structure. */
struct item {
	const struct code *code; /* NULL: T{} */
	int64_t unit_bytes, count, repeats;
	int64_t align;
	char order;
	bool has_shape, has_name;
};

struct layout {
	int64_t n_bytes, align, n_items;
	struct item last;
};

static int malformed(struct reader *reader, const char *what)
{
	return err_set(reader->err, EXIT_FINDINGS, "format '%.60s': %s at position %zu",
		reader->format, what, (size_t)(reader->at - reader->format));
}

static void skip_space(struct reader *reader)
{
	while (isspace((unsigned char)*reader->at))
		reader->at++;
}

/* Reads digits; -1 where they overflow. No digits leave count as it is. */
static int read_count(struct reader *reader, int64_t *count)
{
	if (!isdigit((unsigned char)*reader->at))
		return 0;
	for (*count = 0; isdigit((unsigned char)*reader->at); reader->at++)
		if (__builtin_mul_overflow(*count, 10, count) ||
			__builtin_add_overflow(*count, *reader->at - '0', count))
			return malformed(reader, "a count overflows");
	return 0;
}

/* "(2,3)", after its parenthesis. */
static int read_shape(struct reader *reader, struct item *item)
{
	int64_t extent;

	item->has_shape = true;
	do {
		skip_space(reader);
		if (!isdigit((unsigned char)*reader->at))
			return malformed(reader, "no extent");
		if (read_count(reader, &extent))
			return -1;
		if (__builtin_mul_overflow(item->repeats, extent, &item->repeats))
			return malformed(reader, "a shape overflows");
		skip_space(reader);
	} while (*reader->at == ',' && reader->at++);
	if (*reader->at != ')')
		return malformed(reader, "'(' is not closed");
	reader->at++;
	return 0;
}

/* Byte orders and one shape, in any order, then the count. */
static int read_prefix(struct reader *reader, struct item *item)
{
	for (;; skip_space(reader)) {
		if (*reader->at && strchr("@=<>!^", *reader->at)) {
			reader->order = *reader->at++;
		} else if (*reader->at == '(' && !item->has_shape) {
			reader->at++;
			if (read_shape(reader, item))
				return -1;
		} else {
			return read_count(reader, &item->count);
		}
	}
}

/* "X{...}": what a function takes and gives is not looked at, but its braces must close. */
static int skip_signature(struct reader *reader)
{
	int depth = 0;

	do {
		if (!*reader->at || (!depth && *reader->at != '{'))
			return malformed(reader, "X without {...}");
		depth += (*reader->at == '{') - (*reader->at == '}');
		reader->at++;
	} while (depth);
	return 0;
}

static int read_items(struct reader *reader, char end, struct layout *layout);
static int read_item(struct reader *reader, struct item *item);

static int read_struct(struct reader *reader, struct item *item)
{
	struct layout inner = { .align = 1 };

	if (read_items(reader, '}', &inner))
		return -1;
	reader->at++;
	if (reader->pad_structs && inner.n_bytes % inner.align &&
		__builtin_add_overflow(
			inner.n_bytes, inner.align - inner.n_bytes % inner.align, &inner.n_bytes))
		return malformed(reader, "a structure's size overflows");
	item->unit_bytes = inner.n_bytes;
	item->align = inner.align;
	return 0;
}

static const struct code *find_code(char letter, char part)
{
	for (int i = 0; i < N_CODES; i++)
		if (codes[i].letter == letter && (!codes[i].part || codes[i].part == part))
			return &codes[i];
	return NULL;
}

static int read_code(struct reader *reader, struct item *item)
{
	const struct code *code = *reader->at ? find_code(reader->at[0], reader->at[1]) : NULL;
	bool native = strchr("@^", reader->order), untold;
	struct item target;

	if (!code)
		return malformed(reader, "no type");
	if (!native && !code->standard)
		return malformed(reader, "a type that has no standard size");
	reader->at += code->part ? 2 : 1;
	item->code = code;
	item->unit_bytes = native ? code->native : code->standard;
	item->align = code->align;
	if (code->letter == 't')
		reader->untold = true;
	if (code->letter == 'X')
		return skip_signature(reader);
	if (code->letter != '&')
		return 0;
	untold = reader->untold;
	if (read_item(reader, &target))
		return -1;
	reader->untold = untold;
	return 0;
}

static int read_name(struct reader *reader, struct item *item)
{
	const char *end;

	skip_space(reader);
	if (*reader->at != ':')
		return 0;
	end = strchr(reader->at + 1, ':');
	if (!end)
		return malformed(reader, "a name is not closed");
	reader->at = end + 1;
	item->has_name = true;
	return 0;
}

static int read_item(struct reader *reader, struct item *item)
{
	int status;

	*item = (struct item){ .count = 1, .repeats = 1, .align = 1 };
	if (++reader->depth > FORMAT_MAX_DEPTH)
		return malformed(reader, "nested too deep");
	skip_space(reader);
	if (read_prefix(reader, item))
		return -1;
	item->order = reader->order;
	if (reader->at[0] == 'T' && reader->at[1] == '{') {
		reader->at += 2;
		status = read_struct(reader, item);
	} else {
		status = read_code(reader, item);
	}
	reader->depth--;
	return status;
}

/* Puts the item behind the others; alignment counts under '@' alone. */
static int place(struct reader *reader, struct layout *layout, const struct item *item)
{
	int64_t n_bytes, padding = 0;

	if (item->order == '@') {
		padding = (item->align - layout->n_bytes % item->align) % item->align;
		layout->align = item->align > layout->align ? item->align : layout->align;
	}
	if (__builtin_mul_overflow(item->unit_bytes, item->count, &n_bytes) ||
		__builtin_mul_overflow(n_bytes, item->repeats, &n_bytes) ||
		__builtin_add_overflow(n_bytes, padding, &n_bytes) ||
		__builtin_add_overflow(n_bytes, layout->n_bytes, &layout->n_bytes))
		return malformed(reader, "the size overflows");
	layout->n_items++;
	layout->last = *item;
	return 0;
}

static int read_items(struct reader *reader, char end, struct layout *layout)
{
	struct item item;

	for (;;) {
		skip_space(reader);
		if (*reader->at == end)
			return 0;
		if (!*reader->at)
			return malformed(reader, "'{' is not closed");
		if (read_item(reader, &item) || read_name(reader, &item) ||
			place(reader, layout, &item))
			return -1;
	}
}

static int read_format(
	const char *format, bool pad_structs, struct layout *layout, bool *untold, struct err *err)
{
	struct reader reader = {
		.format = format, .at = format, .err = err, .order = '@', .pad_structs = pad_structs
	};

	*layout = (struct layout){ .align = 1 };
	if (read_items(&reader, '\0', layout))
		return -1;
	*untold = reader.untold;
	return 0;
}

int64_t dtype_pep3118_bytes(const char *format)
{
	struct layout tight, padded;
	struct err err;
	bool untold;

	format = format ? format : "B";
	if (read_format(format, false, &tight, &untold, &err) ||
		read_format(format, true, &padded, &untold, &err) || untold)
		return -1;
	return tight.n_bytes == padded.n_bytes ? tight.n_bytes : -1;
}

/* Whether the format is one element that a dtype other than void describes. */
static bool is_plain(const struct layout *layout)
{
	const struct item *item = &layout->last;

	if (layout->n_items != 1 || !item->code || item->has_shape || item->has_name)
		return false;
	if (item->code->kind == DTYPE_VOID)
		return false;
	return item->count == 1 || item->code->letter == 's' || item->code->kind == DTYPE_UNICODE;
}

int dtype_from_pep3118(struct dtype *dtype, const char *format, int64_t itemsize, struct err *err)
{
	struct layout layout;
	bool untold;

	format = format ? format : "B";
	if (read_format(format, false, &layout, &untold, err))
		return -1;
	if (itemsize < 0)
		return err_set(err, EXIT_FINDINGS, "itemsize is %" PRId64, itemsize);
	if (!is_plain(&layout))
		return dtype_make_counted(dtype, DTYPE_VOID, itemsize, 8, err);
	if (layout.n_bytes != itemsize)
		return err_set(err, EXIT_FINDINGS,
			"format '%.60s' takes %" PRId64 " bytes, itemsize is %" PRId64, format,
			layout.n_bytes, itemsize);
	if (dtype_make_counted(dtype, layout.last.code->kind, itemsize, 8, err))
		return -1;
	dtype->foreign_order =
		dtype_order_is_foreign(layout.last.order) && dtype_order_char(dtype) != '|';
	return 0;
}

int dtype_to_pep3118(const struct dtype *dtype, char out[40], struct err *err)
{
	const char *order =
		dtype->foreign_order ? (dtype_order_char(dtype) == '<' ? "<" : ">") : "";

	for (int i = 0; i < N_CODES && dtype->lanes == 1; i++) {
		const struct code *code = &codes[i];
		char part[2] = { code->part, '\0' };

		if (code->kind != dtype->kind ||
			(code->letter == 'c' && dtype->kind == DTYPE_BYTES))
			continue;
		if (dtype->kind == DTYPE_BYTES || dtype->kind == DTYPE_UNICODE ||
			dtype->kind == DTYPE_VOID)
			snprintf(out, 40, "%s%" PRId64 "%c", order,
				dtype->bits / 8 / code->standard, code->letter);
		else if (code->standard * 8 == dtype->bits && !strchr("FD", code->letter))
			snprintf(out, 40, "%s%c%s", order, code->letter, part);
		else
			continue;
		return 0;
	}
	return err_set(err, EXIT_UNAVAILABLE, "PEP 3118 has no format for %s", dtype->name);
}
