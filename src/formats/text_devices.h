// SPDX-License-Identifier: MIT
/* The text format's lines for `suai devices`. */
#ifndef FORMATS_TEXT_DEVICES_H
#define FORMATS_TEXT_DEVICES_H

#include "model/value.h"

#include <stdio.h>

/* One line for each entry of the document's `devices`. */
void text_write_devices(FILE *out, const struct value *devices);

#endif
