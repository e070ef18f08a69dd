// SPDX-License-Identifier: MIT
/* Shared by the tables of NAI rules. */
#ifndef RULES_NUMPY_NUMPY_H
#define RULES_NUMPY_NUMPY_H

#include "rules/engine/clauses.h"
#include "rules/shared/shared.h"

#define NUMPY_RULE(ID, NAME, SEVERITY, LEVEL) \
	INTERFACE_RULE(PROTOCOL_NUMPY, FACT_DICT, ID, NAME, SEVERITY, LEVEL)

#endif
