// SPDX-License-Identifier: MIT
/* Ids of replaced rules still work; the user learns which rule replaced them. */
#ifndef FINDINGS_RULE_ALIASES_H
#define FINDINGS_RULE_ALIASES_H

#include "base/option.h"

/* Reports on standard error which rule replaced each such id among words. */
void rule_aliases_report(const struct option_list *words);

#endif
