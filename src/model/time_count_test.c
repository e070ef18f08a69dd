// SPDX-License-Identifier: MIT
/* Dates and durations of different units, as NumPy converts them. */
#include "model/time_count.h"

#include "base/array_size.h"
#include "base/test.h"

#include <inttypes.h>

static const struct {
	const char *a;
	int64_t a_count;
	const char *b;
	int64_t b_count;
	bool equal;
} rows[] = {
	{ "<M8[s]", 1, "<M8[ms]", 1000, true },
	{ "<M8[s]", 1, "<M8[ms]", 1001, false },
	{ "<M8[25us]", 2, "<M8[us]", 50, true },
	{ "<M8[25us]", 1, "<M8[us]", 1, false },
	{ "<m8[10s]", -3, ">m8[15s]", -2, true },
	{ "<m8[W]", 1, "<m8[as]", INT64_MAX, false },
	{ "<m8[W]", INT64_MAX, "<m8[as]", INT64_MAX, false },
	{ "<m8[W]", 0, "<m8[as]", 0, true },
	{ "<m8[W]", 1, "<m8[h]", 168, true },
	{ "<M8[s]", INT64_MIN, "<M8[ns]", INT64_MIN, true },
	{ "<M8[s]", INT64_MIN, "<M8[ns]", 0, false },
	{ "<M8[s]", 7, "<M8[s]", 7, true },
	{ "<M8", 7, "<M8[s]", 7, true },
	{ "<M8[Y]", 3, "<M8[M]", 36, true },
	{ "<M8[Y]", 2, "<M8[D]", 730, true },
	{ "<M8[Y]", 3, "<M8[D]", 1096, true },
	{ "<M8[D]", -719528, "<M8[Y]", -1970, true },
	{ "<M8[M]", 361, "<M8[h]", 263712, true },
	{ "<M8[M]", 362, "<M8[D]", 11017, true },
	{ "<M8[M]", -1, "<M8[D]", -31, true },
	{ "<M8[Y]", INT64_MAX, "<M8[D]", 1, false },
	{ "<m8[M]", 1, "<m8[D]", 30, false },
	{ "<m8[Y]", 1, "<m8[2M]", 6, true },
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dtype a, b;
		struct err err = { .code = EXIT_DONE };

		CHECK(!dtype_from_typestr(&a, rows[i].a, &err) &&
				!dtype_from_typestr(&b, rows[i].b, &err),
			"%s, %s", rows[i].a, rows[i].b);
		CHECK(time_counts_equal(&a, rows[i].a_count, &b, rows[i].b_count) == rows[i].equal,
			"%" PRId64 " of %s, %" PRId64 " of %s", rows[i].a_count, a.name,
			rows[i].b_count, b.name);
	}
	return test_end();
}
