// SPDX-License-Identifier: MIT
/*
 * The table of lines to try: of rows that make the same line and state different things about it,
 * the more specific one is first, and no object and consumer have more lines than are tried.
 */
#include "why/remedies.h"
#include "why/situation.h"

#include "base/array_size.h"
#include "base/test.h"

#include <string.h>

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Whether both can apply to one object and consumer, as far as causes and libraries show it. */
static bool can_meet(const struct remedy *a, const struct remedy *b)
{
	return (!a->causes || !b->causes || (a->causes & b->causes)) &&
	       (!a->library || !b->library || !strcmp(a->library, b->library)) &&
	       (!a->consumer_library || !b->consumer_library ||
		       !strcmp(a->consumer_library, b->consumer_library)) &&
	       !(a->is_on_host && b->is_off_host) && !(a->is_off_host && b->is_on_host);
}

static bool takes_type(const struct remedy *row, const char *type)
{
	return (!row->types || why_has_words(type, row->types)) &&
	       (!row->except_types || !why_has_words(type, row->except_types));
}

static const char *const types[] = { "bool", "uint8", "int32", "int64", "float16", "bfloat16",
	"float32", "float64", "float8_e4m3fn", "complex32", "complex64", "complex256", "object",
	"str", "datetime64[ns]", "timedelta64[s]", "date32[day]", "time64[us]", "Date", "Boolean",
	"Int64", "key<fry>", "fixed_size_list<item: float>[2]", "void8" };

static bool share_a_type(const struct remedy *a, const struct remedy *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (takes_type(a, types[i]) && takes_type(b, types[i]))
			return true;
	return false;
}

static bool is_same_statement(const struct remedy *a, const struct remedy *b)
{
	return is_same_text(a->note, b->note) && a->copies == b->copies &&
	       a->allows_changes == b->allows_changes && a->is_large == b->is_large;
}

/* How specific a row is. */
static int conditions_of(const struct remedy *row)
{
	return (row->causes != 0) + !!row->library + !!row->consumer_library + !!row->types +
	       row->is_off_host + row->is_on_host + row->for_foreign_order + !!row->fits;
}

static void check_same_lines(void)
{
	for (size_t i = 0; i < why_n_remedies; i++)
		for (size_t j = i + 1; j < why_n_remedies; j++) {
			const struct remedy *a = &why_remedies[i], *b = &why_remedies[j];

			if (!is_same_text(a->passed, b->passed) ||
				!is_same_text(a->keywords, b->keywords) ||
				!is_same_text(a->called, b->called) || !can_meet(a, b) ||
				!share_a_type(a, b) || a->for_copies != b->for_copies)
				continue;
			CHECK(is_same_statement(a, b) || conditions_of(a) > conditions_of(b),
				"rows %zu and %zu: %s", i, j, a->passed);
		}
}

/* How many rows are for the cause, the type and the libraries. */
static size_t count_lines(
	unsigned cause, const char *type, const char *library, const char *consumer_library)
{
	size_t n_rows = 0;

	for (size_t i = 0; i < why_n_remedies; i++) {
		const struct remedy *row = &why_remedies[i];

		n_rows += !row->for_copies && (!row->causes || (row->causes & cause)) &&
			  takes_type(row, type) &&
			  (!row->library || is_same_text(row->library, library)) &&
			  (!row->consumer_library ||
				  is_same_text(row->consumer_library, consumer_library));
	}
	for (size_t i = 0; i < why_n_conversions; i++) {
		const struct conversion_row *row = &why_conversions[i];

		n_rows += (!row->causes || (row->causes & cause)) &&
			  (!row->consumer_library ||
				  is_same_text(row->consumer_library, consumer_library));
	}
	return n_rows;
}

static void check_number_of_lines(void)
{
	static const char *const libraries[] = { "numpy", "torch", "jax", "cupy", "dpnp", "pandas",
		"polars", "pyarrow", "duckdb", "mlx" };

	for (unsigned bit = 0; bit < 32; bit++)
		for (size_t t = 0; t < ARRAY_SIZE(types); t++)
			for (size_t i = 0; i < ARRAY_SIZE(libraries); i++)
				for (size_t j = 0; j < ARRAY_SIZE(libraries); j++) {
					size_t n_rows = count_lines(
						1u << bit, types[t], libraries[i], libraries[j]);

					CHECK(n_rows <= WHY_MAX_ATTEMPTS,
						"cause %u, %s of %s to %s: %zu lines", bit,
						types[t], libraries[i], libraries[j], n_rows);
				}
}

int main(void)
{
	check_same_lines();
	check_number_of_lines();
	return test_end();
}
