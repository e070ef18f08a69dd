// SPDX-License-Identifier: MIT
/*
 * What `validate` found in a run, each cause once: a finding, a failure or a skipped rule with the
 * targets that share it. Findings about one interface of a target form a block, which shows the
 * declared value once.
 */
#ifndef FORMATS_TEXT_TEXT_CAUSES_H
#define FORMATS_TEXT_TEXT_CAUSES_H

#include "base/arena.h"
#include "formats/text/text_page.h"

enum cause_kind { CAUSE_FAILURE, CAUSE_FINDING, CAUSE_SKIP };

struct cause {
	enum cause_kind kind;
	struct fact_target failure;  /* CAUSE_FAILURE: status, step, error */
	struct fact_finding finding; /* CAUSE_FINDING: of the first target */
	struct fact_skip skip;       /* CAUSE_SKIP; rule NULL: several, named in the reason */
	const char *raised_at;       /* if the finding is about an exception: its place; or NULL */
	const char *about;           /* of a case of --consumer, unless the message contains it */
	struct fact_texts targets;
	struct cause *next; /* in its block, less severe or equal */
	/* of the table */
	const char *key;
	struct cause *next_in_bucket;
};

struct cause_block {
	enum cause_kind kind;
	enum severity worst; /* CAUSE_FINDING */
	const char *frame;   /* the declared value of the first target, printed; NULL: none */
	struct cause *causes;
	bool continues; /* it has the explanation of the block before it */
	struct cause_block *next;
};

/* Blocks of one finding without a frame, all with the same explanation. */
struct lone_findings {
	struct cause_block *last;
	struct lone_findings *next;
};

/* Notes that are not printed, by rule. */
struct omitted_notes {
	const char *rule;
	const char *package; /* of the excused producer; NULL: they need no action */
	int64_t n_targets;
	const char *last_target;
	struct omitted_notes *next;
};

enum { N_CAUSE_BUCKETS = 1024 };

/* Zero-initialise; causes_free. */
struct causes {
	struct arena arena;
	struct cause_block *blocks, **end; /* in the order of targets and findings */
	struct lone_findings *lone;
	struct cause *buckets[N_CAUSE_BUCKETS];
	struct omitted_notes *omitted;
	int64_t n_omitted;
	bool follows_lines; /* -v: printed before the blocks */
};

/* Adds what was found in a target; page renders its values. */
void causes_add(struct causes *causes, struct page *page, const struct fact_target *target);

/* Whether a finding is printed: a note that fails nothing is omitted without -v if nobody can act
 * on it or its producer is excused. */
bool cause_is_shown(const struct page *page, const struct fact_finding *finding);

void causes_free(struct causes *causes);

/* NULL equals "". */
bool text_equals(const char *a, const char *b);

#endif
