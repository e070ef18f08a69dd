// SPDX-License-Identifier: MIT
/* Shared by the tables of CAI rules. */
#ifndef RULES_CUDA_CUDA_H
#define RULES_CUDA_CUDA_H

#include "rules/engine/clauses.h"
#include "rules/shared/shared.h"

#define CUDA_RULE_OF(FACTS, ID, NAME, SEVERITY, LEVEL)                                           \
	.id = (ID), .name = (NAME), .protocols = PROTOCOL_CUDA, .severity = SEVERITY_##SEVERITY, \
	.level = LEVEL_##LEVEL, .facts = (FACTS)

#define CUDA_RULE(ID, NAME, SEVERITY, LEVEL) CUDA_RULE_OF(FACT_DICT, ID, NAME, SEVERITY, LEVEL)

#endif
