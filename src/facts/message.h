// SPDX-License-Identifier: MIT
/* The messages of a worker: one record each, in a map with the key `kind`. */
#ifndef FACTS_MESSAGE_H
#define FACTS_MESSAGE_H

#include "base/text.h"
#include "facts/facts.h"

/* Names of a module in a message: a list of this many may be truncated. */
enum { MESSAGE_MAX_NAMES = 1000 };

enum message_kind {
	MESSAGE_HELLO,   /* the first one */
	MESSAGE_MODULE,  /* the outcome of an import */
	MESSAGE_TARGET,  /* the facts of a target */
	MESSAGE_TRIAL,   /* the start of a step of a trial */
	MESSAGE_LOST,    /* the end of a process that the worker forked for a trial */
	MESSAGE_DEVICES, /* the devices of a runtime */
	MESSAGE_DONE,    /* the last one; without a record */
};

struct message {
	enum message_kind kind;
	union {
		struct fact_hello hello;
		struct fact_module_result module;
		struct fact_target target;
		struct fact_trial_step trial;
		struct fact_lost_fork lost;
		struct fact_device_list devices;
	};
};

/* -1 with err set if value is not a message. */
int message_read(
	struct arena *arena, const struct value *value, struct message *out, struct err *err);

/* Appends the wire form. That of a module or a target that exceeds the limit of a message states
 * this instead of its facts. */
void message_write(struct text *wire, const struct message *message);

#endif
