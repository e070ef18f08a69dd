// SPDX-License-Identifier: MIT
/* Shared by the tables of NAI rules. */
#ifndef RULES_NUMPY_NUMPY_H
#define RULES_NUMPY_NUMPY_H

#include "protocols/shared.h"
#include "rules/engine/clauses.h"
#include "rules/shared/shared.h"

#define NUMPY_RULE(ID, NAME, SEVERITY, LEVEL) \
	INTERFACE_RULE(PROTOCOL_NUMPY, FACT_DICT, ID, NAME, SEVERITY, LEVEL)

/* Of a rule for both forms of the interface, which requires these facts besides it. */
#define NUMPY_FORMS_RULE(FACTS, ID, NAME, SEVERITY, LEVEL)       \
	INTERFACE_RULE(PROTOCOL_NUMPY " " PROTOCOL_NUMPY_STRUCT, \
		FACT_DICT | FACT_STRUCT | (FACTS), ID, NAME, SEVERITY, LEVEL)

/* Whether the interface is __array_struct__. */
static inline bool numpy_is_struct(const struct subject *subject)
{
	return subject->protocol == &numpy_struct_protocol;
}

/* Whether a struct has a descr, whose type NumPy uses instead of that of the other members. */
static inline bool numpy_struct_has_descr(const struct subject *subject)
{
	return value_int_or(value_get(subject->declared, "flags"), 0) & PROTOCOL_STRUCT_HAS_DESCR;
}

#endif
