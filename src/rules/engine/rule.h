// SPDX-License-Identifier: MIT
/*
 * Rules: each is one entry and one check over the facts of an object. A check
 * reports failures or skips; saying nothing is a pass.
 */
#ifndef RULES_ENGINE_RULE_H
#define RULES_ENGINE_RULE_H

#include "base/arena.h"
#include "facts/memory.h"
#include "model/array.h"
#include "model/value.h"

#include <stdbool.h>
#include <stddef.h>

enum rule_severity { SEV_NOTE, SEV_WARNING, SEV_ERROR };

enum rule_level {
	LEVEL_MUST,   /* the document says so */
	LEVEL_SHOULD, /* the document recommends it */
	LEVEL_MAY,    /* the document allows it */
	LEVEL_LOGIC,  /* follows from the document although no sentence says it */
	LEVEL_FACT,   /* not written, but the reference consumer refuses it */
	LEVEL_HAZARD, /* legal, yet known to hurt a real peer */
};

/* The facts a rule reads; their union over the selected rules is the worker's job. */
enum rule_facts {
	FACT_DICT = 1 << 0,     /* attributes read: dictionaries (mode S) */
	FACT_STRUCT = 1 << 1,   /* C structs read: capsules, Py_buffer (mode C) */
	FACT_MEMORY = 1 << 2,   /* the driver, the runtime, the maps asked (mode T) */
	FACT_CALLS = 1 << 3,    /* keyword grid (mode P) */
	FACT_LIFETIME = 1 << 4, /* repeats, trials (mode R) */
	FACT_LIVE = 1 << 5,     /* device work (mode L) */
	FACT_ALL = (1 << 6) - 1,
};

enum { RULE_MAX_REQUIRED = 6, RULE_MAX_SUBSUMING = 8 };

/* What a check looks at. Pointers may be NULL where the facts lack it. */
struct subject {
	const struct value *target;    /* the facts of the object (see docs/facts.md) */
	const struct value *interface; /* {protocol, status, error, declared, details, memory};
					  NULL for a rule on the whole object */
	const struct value *declared;  /* interface.declared */
	const struct value *details;   /* interface.details */
	const struct array
		*array;          /* described, or what protocols/repair.h can read of it; or NULL */
	const char *array_error; /* why it failed */
	bool is_repaired;        /* array is what can be read, not what is declared */
	/* The other answer of the object to the same question (protocol.h), of an interface that
	 * has one; and, of either, what findings call it: "the legacy capsule of __dlpack__()". */
	const struct subject *other_capsule;
	const char *capsule_name;
	const struct memory *memory; /* NULL where nobody was asked, or asked of another extent */
	const struct subject *interfaces; /* of the object, all that it exposes, this one among them
					   */
	size_t n_interfaces;
	struct arena *arena;
};

struct report; /* opaque to checks */

struct rule {
	const char *id;        /* "CAI302"; final */
	const char *name;      /* "strides-length" */
	const char *protocols; /* whose interfaces it judges, each alone: "numpy numpy-struct".
				  NULL: judges the object as a whole */
	enum rule_severity severity;
	enum rule_level level;
	int facts;             /* enum rule_facts, or-ed: it cannot be judged without them */
	int alternative_facts; /* where the job has one of these, the rule runs without `facts`, too
				*/
	int optional_facts;    /* read where the job has them, done without where it has not */
	bool checks_both_capsules; /* judges the other answer of an interface as well (protocol.h)
				    */
	bool reads_device_details; /* reads with FACT_MEMORY what details say of the device: judged
			      where nothing is known of the memory, too */
	const char *requires[RULE_MAX_REQUIRED]; /* ids of earlier rules that must have passed */
	/* Ids of earlier rules that tell of the same cause: where one of them failed on any
	 * interface of the object, failures of this rule are left to it. They run although not
	 * selected. */
	const char *subsumed_by[RULE_MAX_SUBSUMING];
	const char *clause;        /* document, edition and section */
	const char *summary;       /* what must hold, one sentence without a full stop */
	const char *why;           /* whom it hurts and how */
	const char *fix;           /* the mend: the finding's `hint` */
	const char *replaces;      /* a retired id that is judged here now; or NULL */
	const char *since, *until; /* first and last edition it holds in, "cai=3"; NULL: all */
	void (*check)(const struct subject *subject, struct report *report);
};

/* A failure at a field path ("shape[1]"; NULL: the whole). The rule's identity is written by the
 * engine. */
void rule_fail(struct report *report, const char *field, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The rule cannot be judged here, and why. */
void rule_skip(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* From here on the fields of failures are paths within this one ("dl_tensor"). */
void rule_set_field_prefix(struct report *report, const char *path);

/* A family: rules in the order of their ids; ends with a NULL id. Families end with NULL. A rule
 * may only need, and be said by, rules that come before it. */
extern const struct rule *const rule_families[]; /* from rules/engine/families.h */

/* By "CAI302", "cai302", "CAI-302"; a retired id finds the rule that took it over. */
const struct rule *rule_find(const char *id);
/* Whether the id was a rule's and is none any more. */
bool rule_is_retired(const char *id);

/* All rules, by id within each family: they run in another order. */
const struct rule **rules_by_id(struct arena *arena, size_t *n_rules);

bool rule_covers_protocol(const struct rule *rule, const char *protocol);
const char *rule_severity_name(enum rule_severity severity);
const char *rule_level_name(enum rule_level level);

/* The words of docs/facts.md for facts or-ed: [dict, struct]. */
struct value *rule_facts_to_value(struct arena *arena, int facts);

/* What is known of a type of object; applied to a rule's outcome after its check. */
enum producer_effect {
	PRODUCER_EXCUSED, /* its failures are notes: peers live with it */
	PRODUCER_BREAKS,  /* where the check cannot tell, this type is known to fail: a note */
	PRODUCER_KEEPS,   /* it keeps the rule by other means than the check sees: passes */
};

struct rule_producer {
	const char *type;     /* of the object, or one that it inherits the interface from; a shell
				 pattern: "dpctl.memory._memory.MemoryUSM*" */
	const char *versions; /* in which this was seen */
	const char *rule;
	enum producer_effect effect;
	const char *field, *message; /* of the finding; PRODUCER_BREAKS only */
	const char *evidence;        /* becomes the finding's `why` */
};

extern const struct rule_producer rule_producers[]; /* ends with a NULL type */

/* NULL where nothing is known of the type for the rule. */
const struct rule_producer *rule_producer_find(const struct rule *rule, const char *type);
/* The same in another list. */
const struct rule_producer *rule_producer_find_in(
	const struct rule_producer *producers, const struct rule *rule, const char *type);
const char *rule_producer_effect_name(enum producer_effect effect);

#endif
