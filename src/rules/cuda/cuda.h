// SPDX-License-Identifier: MIT
/* Shared by the tables of CAI rules. */
#ifndef RULES_CUDA_CUDA_H
#define RULES_CUDA_CUDA_H

#include "rules/engine/clauses.h"
#include "rules/shared/shared.h"

#define CUDA_RULE(ID, NAME, SEVERITY, LEVEL) \
	INTERFACE_RULE(PROTOCOL_CUDA, FACT_DICT, ID, NAME, SEVERITY, LEVEL)

#endif
