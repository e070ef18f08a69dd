// SPDX-License-Identifier: MIT
/* Retired ids of rules still work; the user is told where they went. */
#ifndef FINDINGS_RULE_ALIASES_H
#define FINDINGS_RULE_ALIASES_H

#include "base/option.h"

/* Says on standard error of each retired id among words which rule judges it now. */
void retired_tell(const struct option_list *words);

#endif
