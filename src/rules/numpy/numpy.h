// SPDX-License-Identifier: MIT
/* Shared by the tables of NAI rules. */
#ifndef RULES_NUMPY_NUMPY_H
#define RULES_NUMPY_NUMPY_H

#include "rules/engine/clauses.h"
#include "rules/shared/shared.h"

#define NUMPY_RULE_OF(PROTOCOLS, FACTS, ID, NAME, SEVERITY, LEVEL)                             \
	.id = (ID), .name = (NAME), .protocols = (PROTOCOLS), .severity = SEVERITY_##SEVERITY, \
	.level = LEVEL_##LEVEL, .facts = (FACTS)

#define NUMPY_RULE(ID, NAME, SEVERITY, LEVEL) \
	NUMPY_RULE_OF(PROTOCOL_NUMPY, FACT_DICT, ID, NAME, SEVERITY, LEVEL)

#endif
