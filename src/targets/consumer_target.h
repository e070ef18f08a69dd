// SPDX-License-Identifier: MIT
/* --consumer: its cases as targets of one module. */
#ifndef TARGETS_CONSUMER_TARGET_H
#define TARGETS_CONSUMER_TARGET_H

#include "consumers/tensor_interface.h"
#include "targets/consumer_imports.h"
#include "targets/targets.h"

struct consumer_words {
	const char *consumer;            /* module:function, FILE.py:function, or an expression */
	const char *code;                /* of -c; NULL: none */
	const struct option_list *cases; /* ids; none: all */
	const struct tensor_interface *interface; /* of the tensors */
};

/*
 * Fills call and sources, which keep the words: each case is a target CONSUMER[CASE]. EXIT_USAGE if
 * the consumer is none of the three, or a case is unknown.
 */
int consumer_targets(struct arena *arena, const struct consumer_words *words, struct job_call *call,
	struct source_list *sources, struct err *err);

/* Plain Python that passes the case to the consumer; NULL with err set, as above. The interpreter
 * of the settings is asked what to import. */
const char *consumer_reproduction(struct arena *arena, const struct consumer_words *words,
	const struct import_settings *settings, const char *id, struct err *err);

#endif
