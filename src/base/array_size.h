// SPDX-License-Identifier: MIT
#ifndef BASE_ARRAY_SIZE_H
#define BASE_ARRAY_SIZE_H

/* The number of elements of an array, which must not be a pointer. */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))

#endif
