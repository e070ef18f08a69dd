// SPDX-License-Identifier: MIT
/* The one list of rule families: rules/x.c defines `const struct rule x_rules[]`. In the order they
 * run. */
#ifndef RULES_FAMILIES_H
#define RULES_FAMILIES_H

#define RULE_FAMILIES(EACH) \
	EACH(sycl)          \
	EACH(dlpack)        \
	EACH(numpy)         \
	EACH(buffer)        \
	EACH(cross)

#endif
