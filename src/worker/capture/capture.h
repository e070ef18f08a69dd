// SPDX-License-Identifier: MIT
/*
 * The worker's own interfaces: announcing steps, sending facts, turning Python
 * objects into values, and the captures, one for each protocol.
 */
#ifndef WORKER_CAPTURE_CAPTURE_H
#define WORKER_CAPTURE_CAPTURE_H

#include "worker/python/python.h" /* Python.h, limited API 3.11 */

#include "base/arena.h"
#include "base/error.h"
#include "devices/device.h"
#include "facts/facts.h"
#include "facts/message.h"
#include "model/job.h"
#include "model/value.h"
#include "protocols/protocol.h"

#include <stdbool.h>

/* --- report.c: the ring --- */

/*
 * Announces a risky step ("evaluate", "__dlpack__()") before it is taken, so that the judge can
 * name it after a crash or a hang. False: the job skips it, because it crashed an earlier
 * worker.
 */
bool worker_step(const char *step);

/* How this step of this target ended an earlier worker ("crashed: killed by SIGSEGV"), if the job
 * skips it; otherwise NULL. */
const char *worker_loss(const char *step);

/* False: the target's time limit is used up, and the remaining steps are omitted. */
bool worker_has_time(void);

/* False: half of that limit is used up, and nothing is read a second time. */
bool worker_has_half_time(void);

/* Every interface of the target was read and is in its drafts: the judge may stop the steps that
 * follow. */
void worker_all_read(void);

/* Ends the step: suai's own code runs. */
void worker_step_done(void);

/* Reports the progress of a long copy; total 0: it is over. Restarts the target's time limit, since
 * a copy that proceeds does not hang. Does not require the GIL. */
void worker_work(uint64_t done_bytes, uint64_t total_bytes);

/* Sends one message; a no-op in a process that the user's code forked. */
void worker_send(const struct message *message);

/* Sends a target. If its facts exceed the limit of a message, the message reports that instead. */
void worker_send_target(const struct fact_target *target);

/* Records a part of the target's message, which the judge uses only if this worker is lost
 * (docs/facts.md, drafts). */
void worker_draft(const struct fact_draft *draft);

/* Which target the next steps belong to; -1: the import of the module. */
void worker_at(int target);

/* --- run.c: the job --- */

/* Runs the whole job: imports the module, captures targets, sends all messages but `done`. */
void worker_run(const struct job *job);

/* --- directory.c: the working directory --- */

/* Makes the root directory the working directory, and undoes that; no-ops if that was already done.
 */
void directory_leave(void);
bool directory_return(void); /* whether it was left */

/* Opens a path relative to the directory that suai was started in. */
int directory_open(const char *path, int flags);

/* --- target.c: the user's code --- */

/*
 * Removes the directory that the current target added to sys.path, and restores it: suai's own
 * imports must not come from there. No exception may be pending.
 */
Py_ssize_t target_hide_directory(void);
void target_restore_directory(Py_ssize_t position);

/* A module of the standard library or of a package, for suai's own use: a new reference, or NULL
 * with the exception pending. */
PyObject *import_for_suai(const char *name);

/*
 * Evaluates a Python expression in a module's dictionary (the module's __getattr__ provides names
 * that it lacks). file_name appears in tracebacks. A new reference, or NULL with the exception
 * pending. No step is announced.
 */
PyObject *target_evaluate(PyObject *names, const char *expression, const char *file_name);

/* The two halves of target_evaluate. */
PyObject *target_compile(const char *expression, const char *file_name);
PyObject *target_run(PyObject *names, PyObject *code);

/* --- object.c: Python -> value --- */

/* The whole object as a value; never raises: what cannot be read becomes an opaque with the reason.
 */
struct value *object_to_value(struct arena *arena, PyObject *object);

/* "numpy.ndarray"; built-in types without their module. Reads slots of the type: no code of a
 * metaclass runs, here or in the next three functions. */
char *object_type_name(struct arena *arena, PyObject *object);

/* The names of the types in whose order attributes of the object are looked up (tp_mro), its own
 * first; at most 256. */
struct fact_texts object_mro(struct arena *arena, PyObject *object);

/* The name of the type in that order that defines the attribute ("buffer": its getbuffer slot);
 * NULL if none does: it is the object's own attribute, or __getattr__ returns it. */
const char *object_definer(struct arena *arena, PyObject *object, const char *attribute);

/* Whether a type in that order defines the attribute. */
bool object_type_has(PyObject *object, const char *attribute);

/* Returns and clears the pending exception; the second as a map, for `details`. */
struct fact_error object_take_error(struct arena *arena);
struct value *object_take_error_value(struct arena *arena);

/* Whether the pending exception is a ModuleNotFoundError of the module or of one of its packages.
 * It stays pending. */
bool object_is_missing_module(const char *name);

/* The built-in exception that the pending one is or derives from: "TypeError"; NULL if there is
 * none. It stays pending. */
const char *object_builtin_exception(struct arena *arena);

/* A value as a new Python object (null, bool, int, real, text, bytes, list, tuple, map); NULL with
 * an exception set. */
PyObject *object_from_value(const struct value *value);

/*
 * Reads an attribute as hasattr does: 1 and *out (a new reference); 0 if the type or object has
 * none (AttributeError); -1 with the exception pending.
 */
int object_attribute(PyObject *object, const char *name, PyObject **out);

/* How many references the object has, as sys.getrefcount() reports it; -1 if it does not. */
int64_t object_references(PyObject *object);

/* --- captures.c --- */

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
struct exporter;

/* A protocol's descriptor in the worker: how to read it from objects, and how to export it. */
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
	const struct exporter *exporter; /* worker/export/exported.h; NULL: cannot be exported */
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

/* The interface's `declared`, read again; keeps nothing of the object. NULL: it does not expose it,
 * or that cannot be read. */
const struct value *capture_read_declared(
	const struct capture *capture, struct capture_context *context, PyObject *object);

/*
 * All interfaces of an object, for a target and for convert's results: exposes, read, describe,
 * query_memory, each a step. Fills interfaces, calls and data of context->target, and its status,
 * step and error if an option of the command line cannot be carried out.
 */
void capture_interfaces(struct capture_context *context, PyObject *object);

/* What the kernel's maps (os/maps.h) report of [low, high). If the kernel cannot report single
 * mappings, all are read once per object. False if they cannot be read. */
bool capture_query_maps(
	struct capture_context *context, uint64_t low, uint64_t high, struct memory *memory);

/* Adds a copy of call to those of the target, if there is one, and drafts it. */
void capture_add_call(struct capture_context *context, struct fact_call *call);

/* Drafts the planned calls, as records of skipped ones. */
void capture_draft_planned(
	const struct capture_context *context, const struct fact_call_list *calls);

/* A fresh interface with status ok. */
struct fact_interface *interface_new(struct arena *arena, const struct protocol *protocol);

/* Sets status and error of interface from the pending exception: BufferError is refused, all others
 * raised. */
void interface_set_error(struct arena *arena, struct fact_interface *interface);

/* --- convert.c --- */

/* Carries out job.convert on object: fills interfaces and own, of the new object, copy and, on
 * failure, status, step and error of context->target. */
void convert_object(struct capture_context *context, PyObject *object);

/* Returns only the new object; NULL with the exception pending. */
PyObject *convert_new(
	struct capture_context *context, PyObject *object, const struct job_convert *options);

/* --- devices.c: the runtimes (devices/device.h) --- */

/*
 * Loads the runtime's library: of this process or, by importing the package that ships it, of this
 * interpreter. Loads once; later calls return the same result. EXIT_UNAVAILABLE if it cannot be
 * loaded.
 */
int worker_load_runtime(const struct device_runtime *runtime, struct err *err);

/*
 * Queries a runtime about the memory of an interface that declares one of its devices; the elements
 * are at [low, high), or low is the address. Fills memory, and n_devices of details if the runtime
 * counts them. Returns NULL, or why the memory is unknown.
 */
const char *worker_query_runtime(struct capture_context *context,
	const struct device_runtime *runtime, struct fact_interface *interface,
	const struct device_claim *claim, uint64_t low, uint64_t high);

/* Fills memory of interface with what the session's runtime reports about address, and the mapping
 * of memory that it does not know: host memory, or none. Returns NULL, or why the memory is
 * unknown. */
const char *worker_locate(struct capture_context *context, struct device_session *session,
	uint64_t address, uint64_t low, uint64_t high, struct fact_interface *interface);

/* The job of `suai devices`: sends one message for each runtime that needs Python. */
void worker_list_devices(void);

#endif
