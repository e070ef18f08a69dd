// SPDX-License-Identifier: MIT
/* Shared by the tables of SUAI rules. */
#ifndef RULES_SYCL_SYCL_H
#define RULES_SYCL_SYCL_H

#include "rules/engine/clauses.h"
#include "rules/shared/shared.h"

#define SYCL_RULE_OF(FACTS, ID, NAME, SEVERITY, LEVEL)                                           \
	.id = (ID), .name = (NAME), .protocols = PROTOCOL_SYCL, .severity = SEVERITY_##SEVERITY, \
	.level = LEVEL_##LEVEL, .facts = (FACTS)

#define SYCL_RULE(ID, NAME, SEVERITY, LEVEL) SYCL_RULE_OF(FACT_DICT, ID, NAME, SEVERITY, LEVEL)

#define SYCL_MEMORY_RULE(ID, NAME, SEVERITY, LEVEL) \
	SYCL_RULE_OF(FACT_DICT | FACT_MEMORY, ID, NAME, SEVERITY, LEVEL)

#endif
