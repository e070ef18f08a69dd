// SPDX-License-Identifier: MIT
/* The fixtures of testdata/rules, embedded as the examples of a rule's page. tools/embed generates
 * the table. */
#ifndef RULES_ENGINE_EXAMPLES_H
#define RULES_ENGINE_EXAMPLES_H

struct rule_example {
	const char *rule, *name; /* "SUAI302", "good.yaml" */
	const char *text;
};

extern const struct rule_example rule_examples[]; /* ends with a NULL rule */

#endif
