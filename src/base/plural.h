// SPDX-License-Identifier: MIT
#ifndef BASE_PLURAL_H
#define BASE_PLURAL_H

/* What a noun that counts n ends in: "%d byte%s" with n and plural(n). */
static inline const char *plural(long long n)
{
	return n == 1 ? "" : "s";
}

#endif
