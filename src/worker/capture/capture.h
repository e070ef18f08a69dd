// SPDX-License-Identifier: MIT
/*
 * The captures, one for each protocol: how the worker reads it from objects; and what they share.
 */
#ifndef WORKER_CAPTURE_CAPTURE_H
#define WORKER_CAPTURE_CAPTURE_H

#include "worker/process/step.h"
#include "worker/python/object.h"

#include "base/arena.h"
#include "base/error.h"
#include "devices/device.h"
#include "facts/facts.h"
#include "model/job.h"
#include "protocols/protocol.h"

#include <stdbool.h>

struct capture_context {
	struct arena *arena;
	const struct job *job;
	bool drafts; /* interfaces and calls are drafted, see worker_draft() */
	/* The syclobj that the latest read() keeps for query_memory() and open_session() of the
	 * same object, so that the interface is read once; the caller of read() clears it. */
	PyObject *syclobj_handle;
	PyObject *names;     /* the dictionary of the target's module; borrowed */
	PyObject *keepalive; /* what must outlive query_memory() (worker/capture/keepalive.h); or
				NULL */
	struct maps *maps;   /* of capture_query_maps(); or NULL */
	struct fact_target *target; /* takes what is found */
};

struct source;

/* A protocol's descriptor in the worker: how to read it from objects. */
struct capture {
	const struct protocol *protocol;
	/* Whether the object exposes it, found by an attribute look-up only. May announce a step.
	 * NULL: it does if it has the protocol's attribute. */
	bool (*exposes)(struct capture_context *context, PyObject *object);
	/* The interface's facts (docs/facts.md): status, error, declared, details. Never leaves an
	 * exception pending. NULL: the object does not expose it after all, or the step is skipped.
	 * keepalive_release() releases what it keeps. */
	struct fact_interface *(*read)(struct capture_context *context, PyObject *object);
	/* Reads again, and sets `again` of interface, which read() returned; called while the first
	 * result is held, or, for exports, after its release. NULL: nothing is read again. */
	void (*read_again)(struct capture_context *context, PyObject *object,
		struct fact_interface *interface);
	bool is_export; /* read() exports */
	/* Fills memory and memory_reason of interface; NULL: /proc/self/maps is used. Called last,
	 * with the GIL held. */
	void (*query_memory)(struct capture_context *context, PyObject *object,
		struct fact_interface *interface);
	/* Gives the session (devices/device.h; free with its close) of the memory of interface,
	 * which read() has just returned; NULL with err set. A NULL function: host memory. */
	struct device_session *(*open_session)(struct capture_context *context,
		const struct fact_interface *interface, struct err *err);
	/* --calls: makes every call that the protocol has, after everything else; adds to
	 * context->target and to interface. NULL: there are no other calls. */
	void (*make_calls)(struct capture_context *context, PyObject *object,
		struct fact_interface *interface);
	/*
	 * Opens the interface for convert (worker/capture/source.h): fills elements, owner and
	 * producer_copied of a zeroed source. Fails with the exception's message if the object
	 * raises or refuses; with EXIT_UNAVAILABLE if this machine or build lacks the runtime.
	 * Leaves no exception pending, and keeps nothing on failure.
	 */
	int (*open_source)(struct capture_context *context, PyObject *object, struct source *source,
		struct err *err);
	/*
	 * Whether elements of item_bytes hold pointers to Python objects, by the fields that
	 * declared names; sets *has_fields if it has some that cannot be read. NULL: the protocol
	 * does not describe fields of host memory.
	 */
	enum answer (*holds_objects)(
		const struct value *declared, int64_t item_bytes, bool *has_fields);
};

#define CAPTURE_DECLARE(SYMBOL, NAME, EXPORT) extern const struct capture SYMBOL##_capture;
PROTOCOL_LIST(CAPTURE_DECLARE)

/* One for each protocol of objects, in the order of protocols/names.h; ends with NULL. */
extern const struct capture *const captures[];

/* NULL when no protocol of objects has the name. */
const struct capture *capture_find(const char *protocol);

/* Whether the object exposes the interface. May announce a step. */
bool capture_exposes(
	const struct capture *capture, struct capture_context *context, PyObject *object);
/* Whether the object exposes any of the interfaces. */
bool capture_exposes_any(struct capture_context *context, PyObject *object);

/* The interface's `declared`, read again; keeps nothing of the object. NULL: it does not expose it,
 * or that cannot be read. */
const struct value *capture_read_declared(
	const struct capture *capture, struct capture_context *context, PyObject *object);

/* Adds a copy of call to those of the target, if there is one, and drafts it. */
void capture_add_call(struct capture_context *context, struct fact_call *call);

/* Sends a draft, if context drafts. */
void capture_draft(const struct capture_context *context, const struct fact_draft *draft);

/* Drafts the planned calls, as records of skipped ones. */
void capture_draft_planned(
	const struct capture_context *context, const struct fact_call_list *calls);

/* A fresh interface with status ok. */
struct fact_interface *interface_new(struct arena *arena, const struct protocol *protocol);

/* Sets status and error of interface from the pending exception: BufferError is refused, all others
 * raised. */
void interface_set_error(struct arena *arena, struct fact_interface *interface);

/* --- query_memory.c --- */

/* Why the memory is unknown if there is nothing to look up. */
#define CAPTURE_NO_ADDRESS "the address is 0, and the extent of the elements is empty or unknown"

/* Fills memory of interface: a runtime is queried if its declared device is one of that runtime's,
 * otherwise the kernel. Returns NULL, or why the memory is unknown. */
const char *capture_query_memory(struct capture_context *context, struct fact_interface *interface);

/* What the kernel's maps (os/maps.h) report of [low, high). If the kernel cannot report single
 * mappings, all are read once per object. False if they cannot be read. */
bool capture_query_maps(
	struct capture_context *context, uint64_t low, uint64_t high, struct memory *memory);

/*
 * Queries a runtime about the memory of an interface that declares one of its devices; the elements
 * are at [low, high), or low is the address. Fills memory, and n_devices of details if the runtime
 * counts them. Returns NULL, or why the memory is unknown.
 */
const char *capture_query_runtime(struct capture_context *context,
	const struct device_runtime *runtime, struct fact_interface *interface,
	const struct device_claim *claim, uint64_t low, uint64_t high);

/* Fills memory of interface with what the session's runtime reports about address, and the mapping
 * of memory that it does not know: host memory, or none. Returns NULL, or why the memory is
 * unknown. */
const char *capture_locate(struct capture_context *context, struct device_session *session,
	uint64_t address, uint64_t low, uint64_t high, struct fact_interface *interface);

#endif
