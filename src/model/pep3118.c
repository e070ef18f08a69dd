// SPDX-License-Identifier: MIT
/* The reader of PEP 3118 formats: the codes, and a recursive descent parser. A byte order stays in
 * force until the next one. */
#include "model/pep3118.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_MAX_DEPTH = 64 };

const struct pep3118_code pep3118_codes[] = {
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
	{ 0 },
};

struct reader {
	const char *format, *at;
	enum pep3118_reading reading;
	const struct pep3118_visitor *visitor;
	struct err *err;
	char order;        /* in force until the next one */
	bool size_unknown; /* the size of a part cannot be determined */
	int depth;
};

static int pep3118_malformed(struct reader *reader, const char *what)
{
	return err_set(reader->err, EXIT_FINDINGS, "format '%.60s': %s at position %zu",
		reader->format, what, (size_t)(reader->at - reader->format));
}

static void pep3118_skip_space(struct reader *reader)
{
	while (isspace((unsigned char)*reader->at))
		reader->at++;
}

/* Reads digits; -1 if they overflow. Without digits count is unchanged. */
static int pep3118_read_count(struct reader *reader, int64_t *count)
{
	if (!isdigit((unsigned char)*reader->at))
		return 0;
	for (*count = 0; isdigit((unsigned char)*reader->at); reader->at++)
		if (__builtin_mul_overflow(*count, 10, count) ||
			__builtin_add_overflow(*count, *reader->at - '0', count))
			return pep3118_malformed(reader, "a count overflows");
	return 0;
}

/* "(2,3)", after its parenthesis. */
static int pep3118_read_shape(struct reader *reader, struct pep3118_item *item)
{
	int64_t extent;

	item->shape = reader->at;
	do {
		pep3118_skip_space(reader);
		if (!isdigit((unsigned char)*reader->at))
			return pep3118_malformed(reader, "missing extent");
		if (pep3118_read_count(reader, &extent))
			return -1;
		if (__builtin_mul_overflow(item->repeats, extent, &item->repeats))
			return pep3118_malformed(reader, "a shape overflows");
		pep3118_skip_space(reader);
	} while (*reader->at == ',' && reader->at++);
	if (*reader->at != ')')
		return pep3118_malformed(reader, "unterminated '('");
	reader->at++;
	return 0;
}

/* Any number of byte orders, and space; the last stays in force. */
static void pep3118_read_orders(struct reader *reader)
{
	for (pep3118_skip_space(reader); *reader->at && strchr("@=<>!^", *reader->at);
		pep3118_skip_space(reader))
		reader->order = *reader->at++;
}

/* Byte orders and one shape, in any order, then the count. */
static int pep3118_read_prefix(struct reader *reader, struct pep3118_item *item)
{
	pep3118_read_orders(reader);
	if (*reader->at == '(') {
		reader->at++;
		if (pep3118_read_shape(reader, item))
			return -1;
		pep3118_read_orders(reader);
	}
	return pep3118_read_count(reader, &item->count);
}

/* "X{...}": the signature of a function is skipped, but its braces must close. */
static int pep3118_skip_signature(struct reader *reader)
{
	int depth = 0;

	do {
		if (!*reader->at || (!depth && *reader->at != '{'))
			return pep3118_malformed(reader, "X without {...}");
		depth += (*reader->at == '{') - (*reader->at == '}');
		reader->at++;
	} while (depth);
	return 0;
}

static int pep3118_read_items(struct reader *reader, char end, struct pep3118_layout *layout);
static int pep3118_read_item(struct reader *reader, struct pep3118_item *item);

static int pep3118_read_struct(struct reader *reader, struct pep3118_item *item)
{
	const struct pep3118_visitor *visitor = reader->visitor;
	struct pep3118_layout inner = { .align = 1 };
	const char *wrong = visitor ? visitor->begin(visitor->context) : NULL;
	int64_t padding;

	if (wrong)
		return pep3118_malformed(reader, wrong);
	if (pep3118_read_items(reader, '}', &inner))
		return -1;
	reader->at++;
	if (reader->reading == PEP3118_NUMPY)
		item->order = reader->order;
	padding = (inner.align - inner.n_bytes % inner.align) % inner.align;
	if (reader->reading == PEP3118_TIGHT ||
		(reader->reading == PEP3118_NUMPY && item->order != '@'))
		padding = 0;
	if (__builtin_add_overflow(inner.n_bytes, padding, &inner.n_bytes))
		return pep3118_malformed(reader, "a structure's size overflows");
	wrong = visitor ? visitor->end(visitor->context, padding) : NULL;
	if (wrong)
		return pep3118_malformed(reader, wrong);
	item->unit_bytes = inner.n_bytes;
	item->align = inner.align;
	return 0;
}

static const struct pep3118_code *pep3118_find_code(char letter, char part)
{
	for (const struct pep3118_code *code = pep3118_codes; code->letter; code++)
		if (code->letter == letter && (!code->part || code->part == part))
			return code;
	return NULL;
}

static int pep3118_read_code(struct reader *reader, struct pep3118_item *item)
{
	const struct pep3118_code *code =
		*reader->at ? pep3118_find_code(reader->at[0], reader->at[1]) : NULL;
	const struct pep3118_visitor *visitor = reader->visitor;
	bool native = strchr("@^", reader->order), size_unknown;
	struct pep3118_item target;

	if (!code)
		return pep3118_malformed(reader, *reader->at ? "unknown type" : "missing type");
	if (!native && !code->standard)
		return pep3118_malformed(reader, "a type that has no standard size");
	reader->at += code->part ? 2 : 1;
	item->code = code;
	item->unit_bytes = native ? code->native : code->standard;
	item->align = code->align;
	if (code->letter == 't')
		reader->size_unknown = true;
	if (code->letter == 'X')
		return pep3118_skip_signature(reader);
	if (code->letter != '&')
		return 0;
	size_unknown = reader->size_unknown;
	reader->visitor = NULL;
	if (pep3118_read_item(reader, &target))
		return -1;
	reader->visitor = visitor;
	reader->size_unknown = size_unknown;
	return 0;
}

static int pep3118_read_name(struct reader *reader, struct pep3118_item *item)
{
	const char *end;

	pep3118_skip_space(reader);
	if (*reader->at != ':')
		return 0;
	end = strchr(reader->at + 1, ':');
	if (!end)
		return pep3118_malformed(reader, "unterminated name");
	item->name = reader->at + 1;
	item->n_name_chars = (size_t)(end - item->name);
	reader->at = end + 1;
	return 0;
}

static int pep3118_read_item(struct reader *reader, struct pep3118_item *item)
{
	int status;

	*item = (struct pep3118_item){ .count = 1, .repeats = 1, .align = 1 };
	if (++reader->depth > FORMAT_MAX_DEPTH)
		return pep3118_malformed(reader, "nested too deeply");
	if (pep3118_read_prefix(reader, item))
		return -1;
	item->order = reader->order;
	item->at = reader->at;
	if (reader->at[0] == 'T' && reader->at[1] == '{') {
		reader->at += 2;
		status = pep3118_read_struct(reader, item);
	} else {
		status = pep3118_read_code(reader, item);
	}
	reader->depth--;
	return status;
}

/* Appends the item; alignment applies only under '@'. */
static int pep3118_append_item(
	struct reader *reader, struct pep3118_layout *layout, const struct pep3118_item *item)
{
	const struct pep3118_visitor *visitor = reader->visitor;
	int64_t n_bytes, padding = 0;
	const char *wrong;

	if (item->order == '@') {
		padding = (item->align - layout->n_bytes % item->align) % item->align;
		layout->align = item->align > layout->align ? item->align : layout->align;
	}
	if (__builtin_mul_overflow(item->unit_bytes, item->count, &n_bytes) ||
		__builtin_mul_overflow(n_bytes, item->repeats, &n_bytes) ||
		__builtin_add_overflow(n_bytes, padding, &n_bytes) ||
		__builtin_add_overflow(n_bytes, layout->n_bytes, &layout->n_bytes))
		return pep3118_malformed(reader, "the size overflows");
	wrong = visitor ? visitor->item(visitor->context, item, padding) : NULL;
	if (wrong) {
		reader->at = item->at;
		return pep3118_malformed(reader, wrong);
	}
	layout->n_items++;
	layout->last = *item;
	return 0;
}

static int pep3118_read_items(struct reader *reader, char end, struct pep3118_layout *layout)
{
	struct pep3118_item item;

	for (;;) {
		pep3118_read_orders(reader);
		if (*reader->at == end)
			return 0;
		if (!*reader->at)
			return pep3118_malformed(reader, "unterminated '{'");
		if (pep3118_read_item(reader, &item) || pep3118_read_name(reader, &item) ||
			pep3118_append_item(reader, layout, &item))
			return -1;
	}
}

int pep3118_read(const char *format, enum pep3118_reading reading,
	const struct pep3118_visitor *visitor, struct pep3118_layout *layout, bool *size_unknown,
	struct err *err)
{
	struct reader reader = { .format = format,
		.at = format,
		.reading = reading,
		.visitor = visitor,
		.err = err,
		.order = '@' };

	*layout = (struct pep3118_layout){ .align = 1 };
	if (pep3118_read_items(&reader, '\0', layout))
		return -1;
	*size_unknown = reader.size_unknown;
	return 0;
}

bool pep3118_next_extent(const char **shape, int64_t *extent)
{
	const char *at = *shape;
	char *end;

	at += strspn(at, " \t\n\v\f\r,");
	if (*at == ')')
		return false;
	*extent = strtoll(at, &end, 10);
	*shape = end;
	return true;
}

/* A name, and the number of the structure that it is in. */
struct pep3118_name {
	size_t structure, n_chars;
	const char *text;
};

static int pep3118_compare_names(const void *a, const void *b)
{
	const struct pep3118_name *first = a, *second = b;

	if (first->structure != second->structure)
		return first->structure < second->structure ? -1 : 1;
	if (first->n_chars != second->n_chars)
		return first->n_chars < second->n_chars ? -1 : 1;
	return memcmp(first->text, second->text, first->n_chars);
}

/* Lists the names of all structures; returns how many there are. */
static size_t pep3118_list_names(const char *format, struct pep3118_name *names)
{
	size_t outer[FORMAT_MAX_DEPTH + 1] = { 0 };
	size_t n_names = 0, n_structures = 0, depth = 0;
	const char *end;

	for (const char *at = format; *at; at++) {
		if (*at == '{' && depth < FORMAT_MAX_DEPTH) {
			outer[++depth] = ++n_structures;
		} else if (*at == '}' && depth) {
			depth--;
		} else if (*at == ':' && (end = strchr(at + 1, ':'))) {
			names[n_names++] = (struct pep3118_name){ outer[depth],
				(size_t)(end - at - 1), at + 1 };
			at = end;
		}
	}
	return n_names;
}

const char *pep3118_find_repeated_name(const char *format, size_t *n_chars)
{
	struct pep3118_name *names = mem_alloc((strlen(format) / 2 + 1) * sizeof(*names));
	size_t n_names = pep3118_list_names(format, names);
	const char *repeated = NULL;

	qsort(names, n_names, sizeof(*names), pep3118_compare_names);
	for (size_t i = 1; !repeated && i < n_names; i++)
		if (!pep3118_compare_names(&names[i - 1], &names[i])) {
			repeated = names[i].text;
			*n_chars = names[i].n_chars;
		}
	free(names);
	return repeated;
}
