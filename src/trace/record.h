// SPDX-License-Identifier: MIT
/*
 * The memory that a traced process shares with suai: a page for all processes, and a segment for
 * each. It contains tables instead of a stream of events: exchanges of equal kind, libraries and
 * call site are one row, so that the process never waits for suai, a run of any length needs the
 * same memory, and what was recorded remains if either of them is killed. suai copies it when the
 * process is over and trusts no number in it.
 */
#ifndef TRACE_RECORD_H
#define TRACE_RECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Identifies the layout; changes with it. */
#define TRACE_MAGIC UINT64_C(0x3b65636172546963)

/* Set by suai for the program: the path of the memory. */
#define TRACE_ENVIRONMENT "SUAI_TRACE_MEMORY"

#define TRACE_LIBRARY_FILE "libsuai_trace.so"

enum {
	TRACE_PAGE_BYTES = 4096,
	TRACE_MAX_LIBRARIES = 4096,
	TRACE_MAX_SITES = 1 << 16,
	TRACE_MAX_ROWS = 1 << 16,
	TRACE_MAX_TENSORS = 1 << 20,
	TRACE_STRING_BYTES = 8 << 20,
	TRACE_MAX_SEGMENTS = 256,
	TRACE_MAX_EVENTS = 1 << 20,
};

/* No library, site or row. */
#define TRACE_NONE UINT32_MAX

/* What can be switched off: name, constant and description, FIRST and EACH of the others. */
#define TRACE_LAYERS(FIRST, EACH)                                                            \
	FIRST("capsules", CAPSULES, "those of DLPack")                                       \
	EACH("deleters", DELETERS, "without them, it is unknown what is held")               \
	EACH("buffers", BUFFERS, "those that libraries request")                             \
	EACH("lines", LINES, "without them, exchanges are listed by pair of libraries only") \
	EACH("numpy-api", NUMPY_API, "functions of NumPy's C API")                           \
	EACH("results", RESULTS,                                                             \
		"what functions of NumPy, JAX and PyTorch return that receive arrays")       \
	EACH("exchange-api", EXCHANGE_API,                                                   \
		"the functions by which DLPack passes tensors without a capsule")            \
	EACH("driver", DRIVER, "functions of the CUDA driver")                               \
	EACH("attributes", ATTRIBUTES, "those that describe memory")

#define TRACE_LAYER_NUMBER(NAME, LAYER, TEXT) TRACE_LAYER_NUMBER_##LAYER,
#define TRACE_LAYER_BIT(NAME, LAYER, TEXT) TRACE_LAYER_##LAYER = 1 << TRACE_LAYER_NUMBER_##LAYER,
enum trace_layer_number { TRACE_LAYERS(TRACE_LAYER_NUMBER, TRACE_LAYER_NUMBER) TRACE_N_LAYERS };
enum trace_layer {
	TRACE_LAYERS(TRACE_LAYER_BIT, TRACE_LAYER_BIT) TRACE_LAYER_ALL = (1 << TRACE_N_LAYERS) - 1
};

/* The first page, written by suai except for the last two. */
struct trace_head {
	uint64_t magic;
	uint64_t min_bytes;
	uint32_t layers;
	uint32_t max_segments;
	uint32_t is_following; /* processes that the program starts are traced too */
	uint32_t max_events;   /* of a segment; 0: none are recorded */
	_Atomic uint32_t
		n_claimed; /* processes that run Python, including those without a segment */
	_Atomic uint32_t n_unreachable; /* of those that are not in n_claimed: started as a user
					 * who may not open this memory, or after chroot() */
};

enum trace_state {
	TRACE_UNUSED,
	TRACE_RUNNING,   /* or killed, or ended by os._exit() */
	TRACE_EXITED,    /* exit() was called, but the interpreter was not finalized */
	TRACE_FINALIZED, /* all Python objects should have been destroyed */
	TRACE_LEFT,      /* to the program that the process executes, which is counted as untraced
			  * until it uses the segment */
};

/* Why a process that runs Python is not traced. */
enum trace_problem { TRACE_WORKS, TRACE_NO_FUNCTION, TRACE_NO_SLOT };

/* Texts are offsets into the strings, which end with a zero byte each; offset 0 is "". */
struct trace_library {
	uint32_t name, path;
};

struct trace_site {
	uint32_t file, function;
	int32_t line;
	uint32_t is_library; /* no frame belongs to the program: this is the innermost frame */
};

enum trace_kind {
	TRACE_DLPACK,
	TRACE_BUFFER,
	TRACE_NUMPY_API,
	TRACE_EXCHANGE_API,
	TRACE_NUMPY_ATTRIBUTE,
	TRACE_CUDA_ATTRIBUTE,
	TRACE_SYCL_ATTRIBUTE,
	/* Not exchanges: copies and waits that a library requests from the driver. */
	TRACE_CUDA_TO_DEVICE,
	TRACE_CUDA_TO_HOST,
	TRACE_CUDA_BETWEEN_DEVICES,
	TRACE_CUDA_WAIT,
	TRACE_N_KINDS
};

/* A type of elements: NumPy's dtype.kind, and the size. */
#define TRACE_ELEMENT_TYPE(KIND, ITEM_BYTES) ((uint32_t)(KIND) << 24 | (uint32_t)(ITEM_BYTES))

/* Exchanges of the same kind, libraries and call site; with consumer TRACE_NONE, tensors that no
 * library consumed, which are counted in n_never only. */
struct trace_row {
	uint32_t kind, producer, consumer, site;
	uint64_t n_exchanges, n_bytes;
	uint64_t n_copied,
		n_copied_bytes;        /* known to be copies: flagged by the producer, or seen */
	uint64_t n_shared;             /* known to share memory */
	uint64_t n_released;           /* before the interpreter began to shut down */
	uint64_t n_held, n_held_bytes; /* released only after that */
	uint64_t held_ns_max;
	uint64_t n_elsewhere; /* released by a thread other than the one that consumed them */
	uint64_t n_after_end; /* released when the interpreter was ending or gone, without the GIL:
				 a deleter that runs Python code would fail */
	uint64_t n_twice;     /* calls of a deleter after the first */
	uint64_t n_never, n_never_bytes;
	/* Results, among n_copied, with narrower or fewer elements, and their bytes. */
	uint64_t n_narrowed, n_narrowed_bytes;
	/* Exchanges without an event while work was pending on the queue, and their bytes. */
	uint64_t n_unordered, n_unordered_bytes;
	uint32_t wide_bytes, narrow_bytes; /* of an element, of the first of them */
	/* Of the first copy with another type of elements: TRACE_ELEMENT_TYPE(); 0: unknown. */
	uint32_t from_type, to_type;
	uint16_t copy_causes;       /* of n_copied, as far as they were seen */
	uint16_t largest_copy_bits; /* of the size of the largest one: trace_size_bits() */
	uint32_t holder; /* text: what refers to held memory at exit; 0: unknown; and a flag */
};

/* A flag of a holder: the tensor that it held was released at exit or is unknown, so that tensors
 * of the row which were never released may have another holder. */
#define TRACE_HOLDER_RELEASED (UINT32_C(1) << 31)

/* How many bits a number of bytes has. */
static inline uint16_t trace_size_bits(uint64_t n_bytes)
{
	return n_bytes ? (uint16_t)(64 - __builtin_clzll(n_bytes)) : 0;
}

/* Whether a copy has less than about a 64th of the bytes of another at the same call site. Causes
 * of the small one are left out: those of a library's counters or shapes are not what a program has
 * to avoid. */
static inline bool trace_is_small_copy(uint16_t size_bits, uint16_t other_bits)
{
	return size_bits + 6 < other_bits;
}

/* Why a copy was made: what differs between the source and the result. Constant, bit and name. */
#define TRACE_COPY_CAUSES(EACH)                                                                  \
	EACH(COPY_FLAGGED, 1, "flagged")           /* by the producer */                         \
	EACH(COPY_ELEMENT_TYPE, 2, "element-type") /* elements have another type */              \
	EACH(COPY_STRIDES, 4, "strides")           /* another order, or gaps in the source */    \
	EACH(COPY_ALIGNMENT, 8, "alignment")       /* of memory, or of elements, is too small */ \
	EACH(COPY_EXPORT, 16, "export")            /* by the producer, to a new bytes object */  \
	EACH(COPY_REQUESTED, 32, "requested")      /* by an argument, or by default */           \
	EACH(COPY_BYTE_ORDER, 64, "byte-order")    /* of elements, is not the processor's */     \
	EACH(COPY_ITEMS, 128, "items")             /* of a list or a tuple, to one array */

#define TRACE_COPY_CAUSE(CAUSE, BIT, NAME) TRACE_##CAUSE = (BIT),
enum trace_copy_cause { TRACE_COPY_CAUSES(TRACE_COPY_CAUSE) };

enum {
	TENSOR_USED = 1,
	TENSOR_CONSUMED = 2,
	TENSOR_RELEASED = 4,
	TENSOR_COPY = 8,     /* flagged as a copy */
	TENSOR_UNOWNED = 16, /* no deleter, or none that can be replaced: its release is not seen */
	TENSOR_OF_API = 32,  /* passed without a capsule */
	TENSOR_UNSYNCHRONIZED = 64, /* on CUDA, exported without a stream */
	TENSOR_UNREAD = 128,        /* its capsule was created before the struct was complete */
	TENSOR_VERSIONED = 256,     /* its struct is a DLManagedTensorVersioned */
	TENSOR_NAMED = 512,         /* the one that the holder of its row holds */
	TENSOR_OF_THREAD = 1024,    /* a thread that runs at exit has it: it is never released */
	TENSOR_OF_MODULE = 2048, /* a package took it when it was imported, for static variables */
	TENSOR_TYPE_SHIFT = 24,  /* the upper bits are the code of its type: enum DLDataTypeCode */
};

/* A tensor whose capsule exists, or a tensor or buffer that was consumed and not released. */
struct trace_tensor {
	uint64_t address; /* of its first element */
	uint64_t n_bytes, since_ns;
	uint32_t flags, producer, site;
	uint32_t row;        /* of its exchange; TRACE_NONE: none yet */
	uint32_t thread;     /* that consumed it, or released it if that came first; 0: neither */
	uint32_t item_bytes; /* of an element */
};

enum trace_event_flag {
	EVENT_SHARED = 1, /* neither this nor the next: unknown */
	EVENT_COPIED = 2,
	EVENT_FLAGGED = 4, /* as a copy, by the producer */
	EVENT_NARROWED = 8,
	EVENT_UNORDERED = 16,
	EVENT_HELD = 32, /* its release is seen */
	EVENT_RELEASED = 64,
	EVENT_AT_END = 128, /* released when the interpreter was ending or gone */
};

/* An exchange, or transfers between a host and a device that one call requests. */
struct trace_event {
	uint64_t at_ns, released_ns, address, n_bytes;
	uint32_t row, flags, copy_causes, thread; /* thread: that of the system */
	uint32_t n_exchanges;
	uint32_t unused;
};

/* Counts and indices are the process's; it adds to a table before it counts the entry. */
struct trace_segment {
	uint64_t magic;
	uint32_t pid, state, problem;
	uint32_t n_libraries, n_sites, n_rows;
	uint32_t n_tensors; /* the largest index that was ever used, plus one */
	uint32_t n_string_bytes;
	uint32_t n_patched; /* relocations */
	uint32_t n_events;
	uint64_t n_dropped_events; /* for which the table had no space */
	uint64_t n_lost;           /* exchanges for which a table had no space */
	uint64_t n_below;          /* exchanges below min_bytes */
	uint64_t started_ns, ended_ns;
};

/* The tables of a segment, each from a page of its own. */
#define TRACE_LIBRARIES_OFFSET UINT64_C(0x1000)
#define TRACE_SITES_OFFSET (TRACE_LIBRARIES_OFFSET + TRACE_MAX_LIBRARIES * UINT64_C(8))
#define TRACE_ROWS_OFFSET (TRACE_SITES_OFFSET + TRACE_MAX_SITES * UINT64_C(16))
#define TRACE_STRINGS_OFFSET (TRACE_ROWS_OFFSET + TRACE_MAX_ROWS * UINT64_C(184))
#define TRACE_TENSORS_OFFSET (TRACE_STRINGS_OFFSET + TRACE_STRING_BYTES)
#define TRACE_EVENTS_OFFSET (TRACE_TENSORS_OFFSET + TRACE_MAX_TENSORS * UINT64_C(48))

_Static_assert(sizeof(struct trace_head) <= TRACE_PAGE_BYTES, "head");
_Static_assert(sizeof(struct trace_segment) <= TRACE_PAGE_BYTES, "segment");
_Static_assert(sizeof(struct trace_library) == 8, "library");
_Static_assert(sizeof(struct trace_site) == 16, "site");
_Static_assert(sizeof(struct trace_row) == 184, "row");
_Static_assert(sizeof(struct trace_tensor) == 48, "tensor");
_Static_assert(sizeof(struct trace_event) == 56, "event");

/* A multiple of the size of a page. */
static inline uint64_t trace_segment_bytes(uint32_t max_events)
{
	uint64_t n_bytes = TRACE_EVENTS_OFFSET + max_events * sizeof(struct trace_event);

	return (n_bytes + TRACE_PAGE_BYTES - 1) / TRACE_PAGE_BYTES * TRACE_PAGE_BYTES;
}

static inline uint64_t trace_segment_offset(uint32_t i, uint32_t max_events)
{
	return TRACE_PAGE_BYTES + i * trace_segment_bytes(max_events);
}

#endif
