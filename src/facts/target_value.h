// SPDX-License-Identifier: MIT
/* Targets under the names that they have on the wire. Used until both ends are typed. */
#ifndef FACTS_TARGET_VALUE_H
#define FACTS_TARGET_VALUE_H

#include "facts/facts.h"

/* -1 with err set where value is not the facts of a target. */
int target_from_value(
	struct arena *arena, const struct value *value, struct fact_target *out, struct err *err);

struct value *target_to_value(struct arena *arena, const struct fact_target *target);

/* In the arena; null (with no protocol) where value is not the facts of an interface. */
const struct fact_interface *interface_from_value(struct arena *arena, const struct value *value);

#endif
