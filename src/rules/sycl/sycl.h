// SPDX-License-Identifier: MIT
/* Shared by the tables of SUAI rules. */
#ifndef RULES_SYCL_SYCL_H
#define RULES_SYCL_SYCL_H

#include "rules/engine/clauses.h"
#include "rules/engine/shared.h"

#define SYCL_RULE(ID, NAME, SEVERITY, LEVEL)                                                     \
	.id = (ID), .name = (NAME), .protocols = PROTOCOL_SYCL, .severity = SEVERITY_##SEVERITY, \
	.level = LEVEL_##LEVEL, .facts = FACT_DICT

#endif
