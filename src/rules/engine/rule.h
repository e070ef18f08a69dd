// SPDX-License-Identifier: MIT
/*
 * A rule: one entry in its family's table and one check function over captured facts.
 *
 * To add one:
 * 1. Write `static void cai_check_x(const struct subject *subject, struct report *report)` in the
 *    file of rules/<family>/ that covers its ids. It calls rule_fail() for each violation, or
 *    rule_skip() if the facts do not suffice; a check that calls neither passes. Checks that
 *    several protocols share are in rules/shared/shared.h.
 * 2. Add an entry to the table at the end of that file. Rules run in the order of the tables in
 *    rules/engine/families.h; a rule comes after those that it requires or is subsumed by.
 * 3. Add testdata/rules/<ID>/good.* and bad.*; bats/rules.bats runs them.
 *
 * docs/rules.md describes ids, clauses and fixtures; docs/facts.md the facts.
 */
#ifndef RULES_ENGINE_RULE_H
#define RULES_ENGINE_RULE_H

#include "base/arena.h"
#include "facts/facts.h"
#include "model/array.h"
#include "model/job.h"
#include "model/value.h"
#include "protocols/protocol.h"

#include <stdbool.h>
#include <stddef.h>

enum rule_level {
	LEVEL_MUST,   /* required by the document */
	LEVEL_SHOULD, /* recommended by the document */
	LEVEL_MAY,    /* permitted by the document */
	LEVEL_LOGIC,  /* follows from the document, though no sentence states it */
	LEVEL_FACT,   /* not documented, but the reference consumer rejects violations */
	LEVEL_HAZARD, /* permitted, but known to break a real consumer */
};

enum { RULE_MAX_REQUIRED = 6, RULE_MAX_SUBSUMING = 8 };

/* What a check examines: one interface of an object, or the object as a whole. Pointers are NULL
 * if the facts lack what they point to; value_get() and similar functions accept NULL. */
struct subject {
	const struct fact_target *target;       /* the object (docs/facts.md) */
	const struct fact_interface *interface; /* NULL: the object as a whole */
	const struct protocol *protocol;        /* of interface; NULL: the object as a whole */
	const struct value *declared;           /* interface.declared: what the protocol returned */
	const struct value *details;            /* interface.details: what else was captured */
	const struct array *array; /* the interface decoded, strictly or, failing that, as far
				      as it can be (protocols/description.h); or NULL */
	bool is_repaired;          /* array differs from what is declared */
	const char *array_error;   /* why array is NULL or repaired; or NULL */
	/* __dlpack__ can return two capsules, with and without max_version: the other one, and the
	 * name of this one in messages ("the legacy capsule of __dlpack__()"). NULL if there
	 * is only one. */
	const struct subject *other_capsule;
	const char *capsule_name;
	const struct memory *memory;      /* the memory at array's address; NULL if unknown */
	const struct subject *interfaces; /* all interfaces of the object, this one included */
	size_t n_interfaces;
	struct arena *arena; /* for messages; freed after the report is written */
};

struct report; /* opaque to checks */

/* A clause that applies to these protocols ("numpy numpy-struct"). */
struct rule_clause {
	const char *protocols, *clause;
};

struct rule {
	const char *id;        /* "CAI302"; never reused */
	const char *name;      /* "strides-length" */
	const char *protocols; /* the check runs once for each interface of these protocols ("numpy
				  numpy-struct"); NULL: once for the object as a whole */
	enum severity severity;
	enum rule_level level;
	int facts;                 /* enum job_facts, or-ed: all are required for the rule to run */
	int alternative_facts;     /* any of these suffices instead of `facts` */
	int optional_facts;        /* captured too if the job allows it, but not required */
	bool checks_both_capsules; /* run on subject.other_capsule, too */
	bool is_informative; /* neither the exporter nor the user of an object can act on it: text
				output omits its notes */
	bool reads_device_details; /* with FACT_MEMORY: run even if subject.memory is NULL, because
				      the check reads `details` about the device */
	const char *requires[RULE_MAX_REQUIRED]; /* rules that must pass on the same interface;
						    otherwise this one is skipped */
	/* Rules that report the same cause: if one of them fails on any interface of the object,
	 * failures of this rule are dropped. They run even if not selected. */
	const char *subsumed_by[RULE_MAX_SUBSUMING];
	const char *clause; /* document, version and section (rules/engine/clauses.h) */
	/* Instead of clause, of a rule on consumers: one for each document; ends with a NULL
	 * clause. */
	const struct rule_clause *protocol_clauses;
	bool is_derived;     /* protocol_clauses do not state the requirement: "derived from ..." */
	const char *summary; /* the requirement: one sentence without a full stop */
	const char *why;     /* which consumer breaks, and how */
	const char *fix;     /* how to fix the producer; `hint` of the finding */
	const char *replaces; /* a retired id that selects this rule; or NULL */
	const char *since,
		*until; /* first and last edition that it applies to, "cai=3"; NULL: all */
	void (*check)(const struct subject *subject, struct report *report);
};

/* The fields that each entry begins with; severity and level without their prefixes. */
#define RULE_ENTRY(FACTS, ID, NAME, SEVERITY, LEVEL)                                         \
	.id = (ID), .name = (NAME), .severity = SEVERITY_##SEVERITY, .level = LEVEL_##LEVEL, \
	.facts = (FACTS)

/* The first fields of a rule that examines interfaces of these protocols. */
#define INTERFACE_RULE(PROTOCOLS, ...) RULE_ENTRY(__VA_ARGS__), .protocols = (PROTOCOLS)

/* Reports a violation at a field path ("shape[1]"; NULL: the interface as a whole). The message is
 * a clause without capital or full stop that states what was found: "shape[1] is -1". */
void rule_fail(struct report *report, const char *field, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Sets the traceback of the exception that the last failure reports. Keeps the text. */
void rule_set_traceback(struct report *report, const char *traceback);

/*
 * States that the last failure is an exception of reading an attribute. Attributes for which the
 * same code raised the same exception, such as a __getattr__, become one finding.
 */
void rule_set_read_error(
	struct report *report, const char *attribute, const struct fact_error *error);

/* Reports that the facts do not suffice to check the rule, and why. Failures take precedence. */
void rule_skip(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The fix and the consequence of subsequent failures, if they differ from the rule's; NULL: the
 * rule's. Borrow their text. */
void rule_set_fix(struct report *report, const char *fix);
void rule_set_why(struct report *report, const char *why);

/* Prepends "prefix." to the fields of subsequent failures ("dl_tensor"). Borrows prefix. */
void rule_set_field_prefix(struct report *report, const char *prefix);

/* Whether reading the interface succeeded. */
bool interface_was_read(const struct fact_interface *interface);

/* All families; ends with NULL. A family is a table of rules that ends with a NULL id. */
extern const struct rule *const rule_families[];

enum { RULE_ID_CHARS = 16 };

/* "cai-401" becomes "CAI401"; longer words are truncated. */
void rule_id_normalise(const char *word, char id[RULE_ID_CHARS]);

/* Finds a rule by "CAI302", "cai302" or "CAI-302"; a retired id finds the rule that replaces it.
 * NULL: there is none. */
const struct rule *rule_find(const char *id);
/* Whether the id belonged to a rule that another one replaced. */
bool rule_is_retired(const char *id);

/* All rules, sorted by id within each prefix, which is not the order in which they run. */
const struct rule **rules_by_id(struct arena *arena, size_t *n_rules);

/* What the rules with the prefix of the id check: "__cuda_array_interface__". */
const char *rule_family_title(struct arena *arena, const char *id);

/* Whether the rule checks interfaces of that protocol. */
bool rule_covers_protocol(const struct rule *rule, const char *protocol);
const char *rule_level_name(enum rule_level level);

/* The clause of a rule: of a rule with several, those of the protocol if there are any, or with
 * NULL all. In the arena. */
const char *rule_clause(struct arena *arena, const struct rule *rule, const char *protocol);

/*
 * Known producers: how a rule applies to objects of a certain type, so that no check mentions a
 * library by name. Applied to the outcome of the check.
 */
enum producer_effect {
	PRODUCER_EXCUSED, /* failures become notes: consumers handle them */
	PRODUCER_BREAKS,  /* a note if the check is skipped: this type is known to fail */
	PRODUCER_KEEPS,   /* complies in a way that the check cannot detect: passes */
};

struct rule_producer {
	const char *type;     /* of the object, or the base that it inherits the interface from; a
				 shell pattern: "dpctl.memory._memory.MemoryUSM*" */
	const char *versions; /* in which this was observed */
	const char *rule;
	enum producer_effect effect;
	const char *field, *message; /* of the finding; PRODUCER_BREAKS only */
	const char *evidence;        /* becomes the finding's `why` */
};

extern const struct rule_producer rule_producers[]; /* ends with a NULL type */

/* The row of rule_producers for that type; or NULL. */
const struct rule_producer *rule_producer_find(const struct rule *rule, const char *type);
/* The row for that type in another list; or NULL. */
const struct rule_producer *rule_producer_find_in(
	const struct rule_producer *producers, const struct rule *rule, const char *type);
const char *rule_producer_effect_name(enum producer_effect effect);

#endif
