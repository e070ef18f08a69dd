// SPDX-License-Identifier: MIT
/*
 * The libraries of `suai matrix`: how each makes an array of a NumPy array, and which of its
 * functions accept arrays of others. One row each in adapters.c; users add theirs in suai.yaml.
 */
#ifndef MATRIX_ADAPTERS_H
#define MATRIX_ADAPTERS_H

#include <stdbool.h>
#include <stddef.h>

enum { ADAPTER_MAX_CONSUMERS = 6 };

struct adapter_consumer {
	const char *name;       /* as in the ids of cells: "numpy.asarray"; NULL: none */
	const char *expression; /* with _, the object that is passed */
};

struct adapter {
	const char *library;
	const char *distribution; /* which has the version, or JOB_PYTHON; NULL: the module that is
				     imported first */
	const char *import;       /* statements */
	const char *producer;     /* an expression with _, a NumPy array; NULL: it makes none */
	/* Ends with a NULL name, unless there are ADAPTER_MAX_CONSUMERS. A result that can be the
	 * very object that was passed proves nothing: the expression makes a view of it. */
	struct adapter_consumer consumers[ADAPTER_MAX_CONSUMERS];
	const char *device; /* an expression with the name of the device of its arrays; NULL: they
			       are in the memory of the host */
	bool has_queue;     /* work on its arrays may be pending when they are passed on */
	bool own_process;   /* it loads the runtime of a device, which must not be forked */
};

/* Ends with a NULL library. */
extern const struct adapter adapters[];

bool adapter_has_consumer(const struct adapter *adapter, const char *name);

#endif
