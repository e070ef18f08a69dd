// SPDX-License-Identifier: MIT
/* Shared by the tables of SUAI rules. */
#ifndef RULES_SYCL_SYCL_H
#define RULES_SYCL_SYCL_H

#include "rules/engine/clauses.h"
#include "rules/shared/shared.h"

#define SYCL_RULE(ID, NAME, SEVERITY, LEVEL) \
	INTERFACE_RULE(PROTOCOL_SYCL, FACT_DICT, ID, NAME, SEVERITY, LEVEL)

#define SYCL_MEMORY_RULE(ID, NAME, SEVERITY, LEVEL) \
	INTERFACE_RULE(PROTOCOL_SYCL, FACT_DICT | FACT_MEMORY, ID, NAME, SEVERITY, LEVEL)

#endif
