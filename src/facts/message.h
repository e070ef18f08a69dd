// SPDX-License-Identifier: MIT
/* The messages of a worker: a record each, in whose map `kind` says which. */
#ifndef FACTS_MESSAGE_H
#define FACTS_MESSAGE_H

#include "facts/facts.h"

enum message_kind {
	MESSAGE_HELLO,   /* the first */
	MESSAGE_MODULE,  /* an import has ended */
	MESSAGE_TARGET,  /* all facts of a target */
	MESSAGE_TRIAL,   /* a step of a trial begins */
	MESSAGE_DEVICES, /* what a runtime lists */
	MESSAGE_DONE,    /* the last; without a record */
};

struct message {
	enum message_kind kind;
	union {
		struct fact_hello hello;
		struct fact_module_result module;
		struct fact_target target;
		struct fact_trial_step trial;
		struct fact_device_list devices;
	};
};

/* -1 with err set where value is no message. */
int message_read(
	struct arena *arena, const struct value *value, struct message *out, struct err *err);

struct value *message_write(struct arena *arena, const struct message *message);

#endif
