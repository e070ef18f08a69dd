// SPDX-License-Identifier: MIT
/*
 * The job: the judge's request to a worker (docs/facts.md, Job). The judge parses each option once,
 * into these fields; the worker does not parse options.
 */
#ifndef MODEL_JOB_H
#define MODEL_JOB_H

#include "model/value.h"

#include <stdbool.h>
#include <stdint.h>

/* The facts to read from an object. Each rule lists the facts that it requires. */
enum job_facts {
	FACT_DICT = 1 << 0,   /* attributes read: dictionaries */
	FACT_STRUCT = 1 << 1, /* C structs: capsules, Py_buffer */
	FACT_MEMORY = 1 << 2, /* what the driver, the runtime and the kernel report about memory */
	FACT_CALLS = 1 << 3,  /* every call that the protocols have (--calls) */
	FACT_LIFETIME = 1 << 4, /* trials (--lifetime) */
	FACT_LIVE = 1 << 5,     /* trials with work on devices (--live) */
	FACT_CONSUMER = 1 << 6, /* what a consumer does with tensors (--consumer) */
	FACT_EXCHANGE = 1 << 7, /* what a running program exchanged (suai trace) */
	FACT_ALL = (1 << 8) - 1,
};

/* --stream and --producer-stream. */
struct job_stream {
	enum job_stream_kind {
		JOB_STREAM_UNSET, /* not given */
		JOB_STREAM_NONE,
		JOB_STREAM_HANDLE,
		JOB_STREAM_NEW,
		JOB_STREAM_PYTHON, /* evaluated in the target's module */
	} kind;
	int64_t handle;
	const char *expression;
};

/* --device and --dl-device. */
struct job_device {
	const char *runtime; /* whose memory it is: host, cuda, rocm, sycl, opencl; NULL: not given,
				or not one that convert can allocate */
	const char *filter;  /* a filter string of SYCL; NULL: id */
	int64_t type;        /* DLPack's; -1: the runtime decides */
	int64_t id;          /* DLPack's; with a platform the device's number on it */
	int64_t platform;    /* of OpenCL; -1: none */
	const char *spelled; /* the option's text, for messages */
};

/* --call and --consumer: module:function, FILE.py:function, or an expression; all NULL: not given.
 */
struct job_call {
	const char *module, *function; /* a dotted name each */
	const char *file;              /* that defines the module; NULL: it is imported by name */
	const char *expression;        /* with _, the object that is passed */
	const char *spelled;           /* the option's text, for messages */
};

enum job_copy { JOB_COPY_AUTO, JOB_COPY_ALWAYS, JOB_COPY_NEVER };
enum job_engine { JOB_ENGINE_AUTO, JOB_ENGINE_KERNEL, JOB_ENGINE_HOST };
enum job_form { JOB_FORM_OBJECT, JOB_FORM_NPY, JOB_FORM_RAW };

/* Errors that tests of --verify inject (SUAI_FAULT). */
enum job_fault {
	JOB_FAULT_NONE,
	JOB_FAULT_COPY_FLIP,
	JOB_FAULT_COPY_FLIP_LAST,
	JOB_FAULT_COPY_SWAP
};

struct job_convert {
	const char *to;            /* NULL: a file */
	const char *from;          /* NULL: the best interface */
	int64_t interface_version; /* -1: the newest */
	struct job_device device;
	char order; /* C, F or K */
	enum job_copy copy;
	struct job_stream stream;
	enum job_engine engine;
	struct job_call call;
	bool verify, dry_run, timing;
	enum job_form form;
	const char *output_path; /* how the worker opens the judge's file; NULL in a dry run */
	enum job_fault fault;
};

/* A keyword of two numbers. */
struct job_pair {
	enum job_pair_kind { JOB_PAIR_UNSET, JOB_PAIR_NONE, JOB_PAIR_GIVEN } kind;
	int64_t first, second;
};

/* The keywords of __dlpack__ that were given; those that are unset are not passed. */
struct job_dlpack {
	struct job_stream stream;
	struct job_pair max_version; /* major and minor */
	struct job_pair dl_device;   /* type and id */
	bool has_copy;
	enum job_copy copy; /* None, True or False */
};

/* The elements to read. */
struct job_read {
	int64_t values; /* how many are printed */
	bool stats, checksum;
};

/* Trials of job.passes_objects: the object is captured, but not passed; it is passed, and after an
 * exception the method that raises it is searched; it is only passed; a line is tried. */
#define PASS_CAPTURE "capture"
#define PASS_AND_DIAGNOSE "diagnose"
#define PASS_CALL_ONLY "call"
#define PASS_LINE "line"

/* How the reason begins why an array of a pair of libraries is not passed: it has other elements.
 */
#define PRODUCER_DIFFERS "the producer's object differs: "

/* The steps of these trials, and of cases of consumers: making the producer's object, finding the
 * consumer, calling it, examining its result, and releasing that. */
#define PASS_STEP_PRODUCE "the producer"
#define PASS_STEP_FIND "find the consumer"
#define PASS_STEP_CALL "the consumer"
#define PASS_STEP_RESULT "the result of the consumer"
#define PASS_STEP_RELEASE "the release of the result"

/* The beginning of a difference: the result has an address, but no elements to compare. */
#define PASS_UNREADABLE "the host cannot read the memory of the result, at "

/* One of model/trials.h, of one interface; or a case of consumers/cases.h, passed to job.consumer
 * or by a producer to a consumer. */
struct job_trial {
	const char *name, *protocol;
	int64_t limit_ms; /* that remain for the trials on its object; 0: no limit */
	int64_t first;    /* index of the first trial of the module on the same object */
	/* Expressions with _: the object made of a NumPy array of the case, and the consumer's
	 * result. NULL: suai's own tensor is passed to job.consumer. Consecutive cases of one pair
	 * share a process as long as none of them ends it. */
	const char *producer, *consumer;
	int64_t offset_bytes; /* of the elements of a pair, from where the case has them */
	/* What is done with the queue of a pair's producer. */
	enum job_queue {
		JOB_QUEUE_NONE,    /* its objects have none */
		JOB_QUEUE_WAITED,  /* the work is complete when the object is passed */
		JOB_QUEUE_PENDING, /* work that writes the elements is pending */
	} queue;
	const struct job_convert *convert; /* instead of the producer; NULL: none */
};

struct job_words {
	size_t n_items;
	const char **items;
};

/* Why a step, a trial or the rest of a target was skipped. */
#define JOB_NO_TIME "the time limit of the target was reached"

/* Among the distributions of a module: the interpreter. */
#define JOB_PYTHON "Python"

/* What a worker imports, and which of its objects are targets. */
struct job_module {
	enum job_module_kind {
		JOB_MODULE_NONE,
		JOB_MODULE_FILE,
		JOB_MODULE_DOTTED,
		JOB_MODULE_CODE, /* of -c: a target's name is the expression only */
		JOB_MODULE_NPY,  /* FILE.npy as one object */
		JOB_MODULE_NOTEBOOK,
	} kind;
	const char *name;  /* the path as given, the dotted name or the code */
	const char *label; /* of targets, before the colon */
	bool all_objects;  /* every object that exposes an interface, before the expressions */
	struct job_words expressions;
	struct job_trial *trials; /* to carry out, one on each expression's object; NULL: none */
	bool one_process;         /* trials are not run in forks */
	struct job_words distributions; /* of which the versions are reported */
	const char *device; /* an expression with the name of the device that it uses; NULL: none */
};

/* The modules of a run. */
struct job_modules {
	size_t n_items;
	struct job_module **items;
};

/* Appends a module, kept, or a text, kept. */
void job_modules_add(struct arena *arena, struct job_modules *modules, struct job_module *module);
void job_words_add(struct arena *arena, struct job_words *words, const char *text);

/* Whether the first n_chars of a target are the name of a file that suai reads, by its suffix. */
bool job_is_target_file(const char *target, size_t n_chars);

/* "arrays.py:a", or of an expression of -c only the expression. */
const char *job_target_name(
	struct arena *arena, const struct job_module *module, const char *expression);

/* The step of a trial: "trial rounds of cuda". */
const char *job_trial_step(struct arena *arena, const char *trial, const char *protocol);

/* A step that terminated an earlier worker and is not repeated. */
struct job_skip {
	int64_t target; /* -1: the import */
	const char *step, *reason;
};

struct job {
	bool lists_devices; /* `suai devices`: there are no targets */
	struct job_module module;
	struct job_words arguments; /* sys.argv[1:] */
	bool as_main;               /* the module is loaded as __main__ */
	int64_t index;              /* of the module in the run */
	int64_t start;              /* the first target */
	size_t n_skip;
	const struct job_skip *skip;
	const struct value *protocols; /* names, the protocols to capture */
	bool protocols_named;          /* -p was given */
	int facts;                     /* of enum job_facts */
	struct job_dlpack dlpack;
	struct job_read read;
	const struct job_convert *convert; /* NULL: nothing is converted */
	const char *only_step;             /* of calls and trials; NULL: all; job_has_step() */
	struct job_stream producer_stream; /* of CUDA, for live trials */
	struct job_call consumer;          /* the trials of the module are its cases */
	bool passes_objects; /* suai why: the trials of the module are of PASS_CAPTURE and so on */
};

/* The destination of the report on a crash of a process that suai did not start. */
struct job_notice {
	int64_t fd;       /* standard error, also while pytest captures it */
	const char *test; /* that pytest runs; NULL: none */
};

/* A capture of a living object (facts/capture_stream.h), in addition to a job. */
struct job_capture {
	const char *name; /* of the target; NULL: not given */
	const char *file; /* of its source; NULL: unknown */
	int64_t line;     /* 0: unknown */
	bool makes;       /* the object is a function that returns a new one each time */
	enum job_isolation {
		JOB_ISOLATION_AUTO,
		JOB_ISOLATION_ALWAYS,
		JOB_ISOLATION_NEVER
	} isolation;
	int64_t timeout_ms;     /* of a fork; 0: none */
	const char *own_file;   /* the Python file of suai that calls it */
	int64_t n_idle_threads; /* of the process, which a fork can lack */
	bool has_idle_timer;    /* of the process, which a fork can lack */
	struct job_notice notice;
};

/* The wire form, less module and skip, which sessions set. Text need not be UTF-8; what is read
 * back is, but for paths and spellings. */
struct value *job_to_value(struct arena *arena, const struct job *job);

/* Keeps value. Keys of another type count as absent. */
struct job job_from_value(struct arena *arena, const struct value *value);
struct job_convert job_convert_from_value(struct arena *arena, const struct value *value);
/* A comment on a line of the call. */
struct job_comment {
	int64_t line;
	const char *text;
};

struct job_comment job_comment_from_value(const struct value *comment);
struct job_notice job_notice_from_value(const struct value *options);
struct job_capture job_capture_from_value(const struct value *value);

struct value *job_device_to_value(struct arena *arena, const struct job_device *device);

/* The keywords as a map, empty if none was given. */
struct value *job_dlpack_to_value(struct arena *arena, const struct job_dlpack *dlpack);
struct job_dlpack job_dlpack_from_value(const struct value *keywords);

struct value *job_stream_to_value(struct arena *arena, const struct job_stream *stream);
struct job_stream job_stream_from_value(const struct value *value);

/* Whether the job passes tensors to a consumer, instead of reading objects. */
bool job_has_consumer(const struct job *job);

/* Whether the step of a call or trial is requested. */
bool job_has_step(const struct job *job, const char *step);

/* "dict", "struct", ... */
struct value *job_facts_to_value(struct arena *arena, int facts);

/* The value of a word of an option's choices. */
enum job_copy job_copy_from_word(const char *word);
enum job_engine job_engine_from_word(const char *word);
enum job_fault job_fault_from_word(const char *word); /* NULL, or another word: JOB_FAULT_NONE */

#endif
