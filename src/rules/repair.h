// SPDX-License-Identifier: MIT
/* What can still be read of a dictionary or a struct that breaks a rule, so that the rules on its
 * layout go on. */
#ifndef RULES_REPAIR_H
#define RULES_REPAIR_H

#include "model/value.h"

/*
 * The facts of an interface that could not be described, with what its layout does not hang on put
 * right: a list is a tuple, a wrong address is 0, a wrong flag says read-only; keys other than
 * shape, typestr, data, strides and offset are what the document wants. A struct of DLPack may leave
 * strides out and lack a destructor. NULL where the interface has neither.
 */
const struct value *repair_interface(struct arena *arena, const struct value *interface);

#endif
