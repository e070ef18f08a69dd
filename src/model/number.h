// SPDX-License-Identifier: MIT
/* Reals as text, the same in every format. */
#ifndef MODEL_NUMBER_H
#define MODEL_NUMBER_H

enum { NUMBER_TEXT_BYTES = 40 }; /* of the texts of number_text(), their end included */

/* The shortest decimal text that reads back as the same number, always with a point ("3.0",
 * "1.0e+22"); "nan", "inf" or "-inf" if there is none. Returns out. */
const char *number_text(double real, char out[NUMBER_TEXT_BYTES]);

/* The fewest significant digits that read back as the same number; 1 if it is not finite. */
int number_digits(double real);

#endif
