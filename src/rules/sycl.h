// SPDX-License-Identifier: MIT
/* What the tables of SUAI rules share. */
#ifndef RULES_SYCL_H
#define RULES_SYCL_H

#include "rules/shared.h"

/* The document: a clause goes on with the key. */
#define SYCL_PAGE "dpctl documentation, __sycl_usm_array_interface__ attribute, version 1, "

#define SYCL_RULE(ID, NAME, SEVERITY, LEVEL)                                         \
	.id = (ID), .name = (NAME), .protocols = "sycl", .severity = SEV_##SEVERITY, \
	.level = LEVEL_##LEVEL, .facts = FACT_DICT

#endif
