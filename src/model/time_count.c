// SPDX-License-Identifier: MIT
#include "model/time_count.h"

#include "base/array_size.h"
#include "base/common_divisor.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A unit in months or in attoseconds: multiple times the size of its name. */
struct time_size {
	bool is_known, has_months;
	__int128 size;
};

enum { ATTOSECONDS_OF_FEMTOSECOND = 1000, MONTHS_OF_YEAR = 12 };

/* Each unit as a number of the next one. */
static const struct {
	const char *name;
	int64_t of_next;
} descending_units[] = {
	{ "W", 7 },
	{ "D", 24 },
	{ "h", 60 },
	{ "m", 60 },
	{ "s", 1000 },
	{ "ms", 1000 },
	{ "us", 1000 },
	{ "ns", 1000 },
	{ "ps", 1000 },
	{ "fs", ATTOSECONDS_OF_FEMTOSECOND },
	{ "as", 1 },
};

bool dtype_is_time(const struct dtype *dtype)
{
	return dtype->kind == DTYPE_DATETIME || dtype->kind == DTYPE_TIMEDELTA;
}

bool dtype_differs_in_unit(const struct dtype *a, const struct dtype *b)
{
	return dtype_is_time(a) && a->kind == b->kind && strcmp(a->name, b->name) != 0;
}

static __int128 attoseconds_of(const char *unit)
{
	__int128 size = 0;

	for (size_t i = 0; i < ARRAY_SIZE(descending_units); i++) {
		if (!strcmp(unit, descending_units[i].name))
			size = 1;
		size *= descending_units[i].of_next;
	}
	return size;
}

/* The size of the unit in the name of the type, such as "datetime64[25us]". */
static struct time_size time_size_of(const struct dtype *dtype)
{
	const char *bracket = strchr(dtype->name, '[');
	long long multiple = 1;
	struct time_size size = { 0 };
	char unit[4] = "";

	if (!bracket || (sscanf(bracket, "[%lld%3[A-Za-z]", &multiple, unit) != 2 &&
				(multiple = 1, sscanf(bracket, "[%3[A-Za-z]", unit) != 1)))
		return size;
	size.has_months = !strcmp(unit, "Y") || !strcmp(unit, "M");
	size.size = multiple * (!size.has_months      ? attoseconds_of(unit)
				       : *unit == 'Y' ? (__int128)MONTHS_OF_YEAR
						      : (__int128)1);
	size.is_known = size.size > 0;
	return size;
}

/* The days from 1970-01-01 to the first of a month, which is counted from January 1970. False: more
 * than fit. */
static bool days_to_month(__int128 month, int64_t *days)
{
	enum { LIMIT = 1 << 30, MARCH = 2, LEAP_CYCLE_YEARS = 400, LEAP_CYCLE_DAYS = 146097 };
	int64_t from_march, year, of_year, cycle;

	if (month > LIMIT || month < -LIMIT)
		return false;
	/* Years begin in March, so that leap days are at their end. */
	from_march = (int64_t)month + (int64_t)1970 * MONTHS_OF_YEAR - MARCH;
	year = from_march / MONTHS_OF_YEAR - (from_march % MONTHS_OF_YEAR < 0);
	of_year = from_march - year * MONTHS_OF_YEAR;
	cycle = year / LEAP_CYCLE_YEARS - (year % LEAP_CYCLE_YEARS < 0);
	year -= cycle * LEAP_CYCLE_YEARS;
	/* 719468 days from 0000-03-01 to 1970-01-01; (153 m + 2) / 5 to the m-th month after March.
	 */
	*days = cycle * LEAP_CYCLE_DAYS + year * 365 + year / 4 - year / 100 +
		(153 * of_year + 2) / 5 - 719468;
	return true;
}

/* Whether the products are equal; sizes are positive. */
static bool products_equal(int64_t a, __int128 a_size, int64_t b, __int128 b_size)
{
	__int128 divisor = common_divisor(a_size, b_size);

	a_size /= divisor;
	b_size /= divisor;
	if (!a || !b)
		return a == b;
	/* The sizes have no common divisor, so that each one divides the other's count. */
	return a_size <= INT64_MAX && b_size <= INT64_MAX && a * a_size == b * b_size;
}

bool time_counts_equal(
	const struct dtype *a, int64_t a_count, const struct dtype *b, int64_t b_count)
{
	struct time_size a_size = time_size_of(a), b_size = time_size_of(b);
	const __int128 day = attoseconds_of("D");
	int64_t days;

	if (!a_size.is_known || !b_size.is_known || !strcmp(a->name, b->name) ||
		a_count == INT64_MIN || b_count == INT64_MIN) /* not a time, in each unit */
		return a_count == b_count;
	if (a_size.has_months == b_size.has_months)
		return products_equal(a_count, a_size.size, b_count, b_size.size);
	if (a->kind != DTYPE_DATETIME)
		return false;
	if (b_size.has_months)
		return days_to_month(b_count * b_size.size, &days) &&
		       products_equal(a_count, a_size.size, days, day);
	return days_to_month(a_count * a_size.size, &days) &&
	       products_equal(days, day, b_count, b_size.size);
}
