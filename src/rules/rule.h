// SPDX-License-Identifier: MIT
/*
 * Rules: each is one entry and one check over the facts of an object. A check
 * reports failures or skips; saying nothing is a pass.
 */
#ifndef RULES_RULE_H
#define RULES_RULE_H

#include "base/arena.h"
#include "model/array.h"
#include "model/value.h"

#include <stdbool.h>
#include <stddef.h>

enum rule_severity { SEV_NOTE, SEV_WARNING, SEV_ERROR };

enum rule_level { LEVEL_MUST, LEVEL_SHOULD, LEVEL_MAY, LEVEL_LOGIC, LEVEL_FACT, LEVEL_HAZARD };

/* The facts a rule reads; their union over the selected rules is the worker's job. */
enum rule_facts {
	FACT_DICT = 1 << 0,     /* attributes read: dictionaries (mode S) */
	FACT_STRUCT = 1 << 1,   /* C structs read: capsules, Py_buffer (mode C) */
	FACT_MEMORY = 1 << 2,   /* the driver, the runtime, the maps asked (mode T) */
	FACT_CALLS = 1 << 3,    /* keyword grid (mode P) */
	FACT_LIFETIME = 1 << 4, /* repeats, trials (mode R) */
	FACT_LIVE = 1 << 5,     /* device work (mode L) */
};

enum rule_scope {
	SCOPE_INTERFACE, /* run once for each interface of `protocol` that was captured or raised */
	SCOPE_OBJECT,    /* run once for the object */
};

enum { RULE_MAX_NEEDS = 6 };

/* What a check looks at. Pointers may be NULL where the facts lack it. */
struct subject {
	const struct value *target;    /* the facts of the object (see docs/facts.md) */
	const struct value *interface; /* of SCOPE_INTERFACE rules: {protocol, status, error,
					  declared, details, memory} */
	const struct value *declared;  /* interface.declared */
	const struct value *details;   /* interface.details */
	const struct array *array;     /* described; NULL where describe failed */
	const struct memory *memory;   /* NULL where nobody was asked, or asked of another extent */
	struct arena *arena;
};

struct report; /* opaque to checks */

struct rule {
	const char *id;       /* "CAI302"; final */
	const char *name;     /* "strides-length" */
	const char *protocol; /* the protocol whose interfaces it judges; NULL: SCOPE_OBJECT */
	enum rule_scope scope;
	enum rule_severity severity;
	enum rule_level level;
	int facts;                         /* enum rule_facts, or-ed */
	const char *needs[RULE_MAX_NEEDS]; /* ids of earlier rules that must have passed */
	const char *clause;                /* document, edition and section */
	const char *says;                  /* what must hold, one sentence without a full stop */
	const char *why;                   /* whom it hurts and how */
	const char *fix;                   /* the mend: the finding's `hint` */
	const char *since, *until;         /* edition bounds of the document, or NULL */
	const char
		*requires_driver; /* "cuda": skipped where the worker has no such driver; or NULL */
	void (*check)(const struct subject *subject, struct report *report);
};

/* A failure at a field path ("shape[1]"; NULL: the whole). The rule's identity is written by the
 * engine. */
void rule_fail(struct report *report, const char *field, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The rule cannot be judged here, and why. */
void rule_skip(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A family: rules in the order of their ids; ends with a NULL id. */
extern const struct rule *const rule_families[]; /* ends with NULL; from rules/families.h */

const struct rule *rule_find(const char *id); /* "CAI302", "cai302", "CAI-302" */
const char *rule_severity_name(enum rule_severity severity);
const char *rule_level_name(enum rule_level level);

#endif
