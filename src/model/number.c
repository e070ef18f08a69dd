// SPDX-License-Identifier: MIT
/* Reals as text. Times and rates are small, so 1e-4 to 1e16 are written without an exponent. */
#include "model/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_ALWAYS_ENOUGH = 17 };

static void add_point(char out[NUMBER_TEXT_BYTES])
{
	size_t mantissa = strcspn(out, "e");

	if (memchr(out, '.', mantissa))
		return;
	memmove(out + mantissa + 2, out + mantissa, strlen(out + mantissa) + 1);
	out[mantissa] = '.';
	out[mantissa + 1] = '0';
}

int number_digits(double real)
{
	char text[NUMBER_TEXT_BYTES];
	int digits = 1;

	for (; isfinite(real) && digits < DIGITS_ALWAYS_ENOUGH; digits++) {
		snprintf(text, sizeof(text), "%.*e", digits - 1, real);
		if (strtod(text, NULL) == real)
			break;
	}
	return digits;
}

const char *number_text(double real, char out[NUMBER_TEXT_BYTES])
{
	int digits = number_digits(real), exponent;

	if (!isfinite(real)) {
		snprintf(out, NUMBER_TEXT_BYTES, "%s",
			isnan(real) ? "nan"
			: real < 0  ? "-inf"
				    : "inf");
		return out;
	}
	snprintf(out, NUMBER_TEXT_BYTES, "%.*e", digits - 1, real);
	exponent = atoi(strchr(out, 'e') + 1);
	if (exponent >= -7 && exponent < 16)
		snprintf(out, NUMBER_TEXT_BYTES, "%.*f",
			digits - 1 > exponent ? digits - 1 - exponent : 1, real);
	add_point(out);
	return out;
}
