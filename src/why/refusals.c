// SPDX-License-Identifier: MIT
/*
 * The causes of refusals, as rows: which facts of the object and which words of the exception
 * indicate each. A row that both indicate comes before one that only the facts, or only the words,
 * indicate.
 */
#include "why/situation.h"
#include "why/why.h"

#include "base/array_size.h"

#include <string.h>

/* Excludes "dimensionless", which messages say of physical quantities. */
#define DIMENSION \
	"dimensions|dimensional|dimension |dimension,|dimension.|dimension:|dimension;|dimension(|dimension)|dimension'|dimension="

/* What indicates the cause of a row: all that the row has, facts and words or one of them; or, of a
 * row that has both, only the facts. */
enum evidence { EVIDENCE_NONE, EVIDENCE_FACTS, EVIDENCE_ALL };

#define COPY_WORDS \
	"copy=false|without a copy|without copy|without copying|zero-copy|zero copy|avoid copy|unable to avoid|zero_copy_only|copy is required|copy is needed|cannot be made without|requires a copy|needs a copy|copy not allowed"
/* What PyTorch and XLA state of the stream of __cuda_array_interface__, or of an argument of
 * __dlpack__(), and the like. Not all messages with the word: a file is a stream, too, and errors
 * of CUDA name streams in which something else fails. */
#define STREAM_WORDS \
	"unsupported stream|stream is not supported|stream not supported|streams are supported|valid stream|stream must |stream should |stream 0 |stream=0"
#define COPY_FORBIDDEN "a copy is forbidden, and the consumer cannot use the memory as it is: "

/* Followed by what does not support it. */
#define UNSUPPORTED_TYPE "elements of %s are not supported"

static const char *detail_malformed(const struct situation *at)
{
	const char *malformed = why_detail_malformed(at);

	return malformed ? malformed : why_detail_error(at);
}

/* In the order of precedence among rows of equal evidence. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): fields in the order of a row */
static const struct refusal {
	enum why_cause cause;
	bool (*holds)(const struct situation *at);  /* NULL: facts do not show it */
	const char *words;                          /* in lower case; NULL: no words show it */
	enum { NEEDS_ALL, FACTS_SUFFICE } evidence; /* that makes the row apply */
	const char *sentence;                       /* with %s for the detail */
	const char *(*detail)(const struct situation *at);
} refusals[] = {
	{ CAUSE_MEMORY, why_lacks_memory, NULL, NEEDS_ALL,
		"there is not enough memory for what the consumer allocates; the elements of the object take %s",
		why_detail_size },
	/* Of a small object, which is not what fills it. */
	{ CAUSE_DEVICE, NULL,
		"cuda out of memory|out of gpu memory|out of device memory|cuda_error_out_of_memory|cudaerrormemoryallocation",
		NEEDS_ALL, "the device that the consumer uses does not have enough free memory: %s",
		why_detail_error },
	{ CAUSE_CONSUMER_MISSING, why_is_consumer_module, NULL, NEEDS_ALL,
		"the consumer is a module; name one of its functions, as in numpy:from_dlpack",
		NULL },
	{ CAUSE_CONSUMER_MISSING, why_is_consumer_missing, NULL, NEEDS_ALL,
		"the consumer cannot be found: %s", why_detail_error },
	{ CAUSE_CONSUMER_MISSING, NULL,
		"no module named|there is no module|' has no attribute 'from_|is not installed",
		NEEDS_ALL, "the consumer cannot be found: %s", why_detail_error },
	{ CAUSE_KEYWORD, why_rejects_keyword, NULL, NEEDS_ALL,
		"the consumer does not accept a keyword argument that the expression passes: %s",
		why_detail_error },
	{ CAUSE_CONSUMER_LOST, why_is_exit, NULL, NEEDS_ALL, "the consumer ends the process: %s",
		why_detail_error },
	{ CAUSE_SEVERAL_DEVICES, why_is_sharded, "shard|device|addressable", FACTS_SUFFICE,
		"its elements are distributed over %s, and an array interface describes one block of memory",
		why_detail_shards },
	{ CAUSE_SEVERAL_DEVICES, NULL,
		"sharded over|over several devices|multiple devices|sharding strategy", NEEDS_ALL,
		"its elements are distributed over several devices: %s", why_detail_error },
	{ CAUSE_PENDING_OPERATION, why_has_pending_operation, "grad|conj|neg|mask|quant|qint|quint",
		FACTS_SUFFICE, "%s", why_detail_pending_state },
	{ CAUSE_PENDING_OPERATION, NULL,
		"require grad|requires grad|requires_grad|conjugate bit|negative bit", NEEDS_ALL,
		"an operation is pending on its elements: %s", why_detail_error },
	{ CAUSE_PRODUCER_ERROR, why_reads_arrow,
		"arrowarray|arrowschema|arrow_array|arrow_c_|unsupported format string|null bitmap|pycapsule|released arrow",
		NEEDS_ALL, "the object's Arrow interface is malformed: %s", why_detail_error },
	{ CAUSE_NULLS, why_has_nulls, "none|null|missing", NEEDS_ALL,
		"it has nulls, which the consumer cannot use as elements", NULL },
	{ CAUSE_NULLS, NULL, "no nulls|null values|has nulls|with nulls|contains nulls| nulls,",
		NEEDS_ALL, "it has nulls, which the interface cannot describe", NULL },
	{ CAUSE_NO_PROTOCOL, why_has_no_memory, COPY_WORDS, NEEDS_ALL,
		"the object exposes no array interface, and nothing of it can be used without a copy",
		NULL },
	{ CAUSE_COPY_FORBIDDEN, NULL, COPY_WORDS, NEEDS_ALL, COPY_FORBIDDEN "%s",
		why_detail_error },
	{ CAUSE_NO_PROTOCOL, NULL,
		"sparse|ragged|jagged|not regular|inhomogeneous|nested tensor|layout other than",
		NEEDS_ALL, "the elements are not stored as one array: %s", why_detail_error },
	{ CAUSE_ELEMENT_TYPE, why_has_only_array_method, "dtype|data type|element type", NEEDS_ALL,
		"the object cannot convert elements of %s to those of an array of NumPy",
		why_detail_type },
	{ CAUSE_PRODUCER_ERROR, NULL, "__array__ method not producing an array", NEEDS_ALL,
		"__array__() of the object does not return an array", NULL },
	{ CAUSE_NO_PROTOCOL, why_lacks_protocol, NULL, NEEDS_ALL,
		"the consumer reads an interface that the object does not expose; the object exposes %s",
		why_detail_protocols },
	{ CAUSE_NO_PROTOCOL, why_becomes_object,
		"data type object|dtype object|dtype('o')|dtype=object|object arrays", NEEDS_ALL,
		"the consumer reads no interface of the object, which exposes %s",
		why_detail_exposed },
	{ CAUSE_PRODUCER_ERROR, why_is_malformed, NULL, NEEDS_ALL,
		"an interface of the object is malformed: %s", detail_malformed },
	{ CAUSE_PRODUCER_ERROR, why_has_malformed,
		"array_interface|arrayinterface|must be a tuple|2-tuple|typestr|typestring",
		NEEDS_ALL, "an interface of the object is malformed: %s", why_detail_error },
	{ CAUSE_PRODUCER_ERROR, why_has_invalid_device, "device|nonetype|integer| int", NEEDS_ALL,
		"__dlpack_device__() of the object does not return two integers", NULL },
	{ CAUSE_PRODUCER_ERROR, why_has_null_data, "null", NEEDS_ALL,
		"the object declares NULL as the address of its elements", NULL },
	{ CAUSE_NO_PROTOCOL, NULL,
		"did not pass ndarray|have a dtype attribute|to a numpy dtype|a bytes-like object is|must have __dlpack__|has no attribute '__dlpack|has no attribute '__array|the buffer interface|not expose `__",
		NEEDS_ALL, "the consumer does not take objects of this type; this one exposes %s",
		why_detail_exposed },
	{ CAUSE_READONLY, why_is_readonly,
		"readonly|read-only|read only|writable|writeable|immutable|not mutable", NEEDS_ALL,
		"the object is read-only, and the consumer requires writable memory or a protocol that cannot mark a tensor as read-only",
		NULL },
	/* DLPack describes them in no byte order. */
	{ CAUSE_ELEMENT_TYPE, why_lacks_dlpack_type, "byte order", NEEDS_ALL,
		"elements of %s have no equivalent in the protocol, or in the consumer",
		why_detail_type },
	{ CAUSE_BYTE_ORDER, why_has_foreign_order, "byte|endian|native|type|format|swap|order",
		FACTS_SUFFICE,
		"its elements are not in this machine's byte order, which the protocol or the consumer requires",
		NULL },
	{ CAUSE_BYTE_ORDER, NULL, "byte order|byteorder|byte-order|endian|byte-swapped", NEEDS_ALL,
		"its elements are not in the byte order that the protocol or the consumer requires: %s",
		why_detail_error },
	{ CAUSE_ALIGNMENT, why_is_misaligned, "align", NEEDS_ALL,
		"its elements are not aligned (%s)", why_detail_alignment },
	{ CAUSE_ALIGNMENT, NULL, "not aligned|misaligned|alignment|be aligned|aligned to|unaligned",
		NEEDS_ALL, "the consumer requires another alignment of memory (%s)",
		why_detail_alignment },
	{ CAUSE_ELEMENT_TYPE, why_has_foreign_type,
		"type|unsupported|format|object|string|struct|void|date", FACTS_SUFFICE,
		"elements of %s have no equivalent in the protocol, or in the consumer",
		why_detail_type },
	{ CAUSE_KEYWORD, why_rejects_one_argument, NULL, NEEDS_ALL,
		"the consumer cannot be called with the object as its only argument; pass the others in an expression, in which _ is the object",
		NULL },
	{ CAUSE_KEYWORD, why_names_method,
		"unexpected keyword|invalid keyword|no keyword arguments|takes no keyword|takes no arguments|positional argument",
		NEEDS_ALL,
		"the consumer passes an argument that the object's method does not take: %s",
		why_detail_error },
	{ CAUSE_CAPSULE_VERSION, why_exports_legacy, "versioned|dlpack version|capsule|max_version",
		NEEDS_ALL,
		"the object exports only legacy DLPack capsules, and the consumer requires a versioned one",
		NULL },
	{ CAUSE_CAPSULE_VERSION, NULL,
		"dltensor_versioned|versioned capsule|unsupported dlpack version|dlpack version|capsule name|invalid capsule|pycapsule",
		NEEDS_ALL,
		"producer and consumer do not support the same kind of DLPack capsule: %s",
		why_detail_error },
	{ CAUSE_EMPTY, why_has_no_elements,
		"empty|zeros in shape|zero-size|size 0|too small|null|no elements|zero size|length (0)|length 0|must not be 0",
		NEEDS_ALL, "the array has no elements, and the consumer does not take empty arrays",
		NULL },
	{ CAUSE_EMPTY, why_has_no_elements, "stride|contiguous", NEEDS_ALL,
		"the consumer checks the strides of the array, which has no elements", NULL },
	{ CAUSE_STRIDES, why_is_strided,
		"stride|contiguous|order|layout|negative|compact|dense|row-major|row major",
		NEEDS_ALL, "its strides are not supported by the consumer (%s)",
		why_detail_strides },
	{ CAUSE_DIMENSIONS, NULL, "did not match indexed array", NEEDS_ALL,
		"the consumer does not take an array of %s", why_detail_dims },
	{ CAUSE_ELEMENT_TYPE, why_has_rare_type,
		"dtype|data type|type code|dl_dtype|dldatatype|bfloat|float16|float8|bool|complex|bits|unsupported type|element type|not understood|pep 3118|unsupported format|format",
		NEEDS_ALL, UNSUPPORTED_TYPE, why_detail_type },
	{ CAUSE_STREAM, why_is_off_host, STREAM_WORDS, NEEDS_ALL,
		"the consumer does not support the stream that the object declares, or that it declares none: %s",
		why_detail_error },
	{ CAUSE_DEVICE, why_is_off_host, "current device|different cuda device", NEEDS_ALL,
		"the object exports its memory only while its device is the current one: %s",
		why_detail_error },
	{ CAUSE_DEVICE, why_is_off_host, "device|host|cpu|gpu|usm|sycl|implicit conversion|queue",
		NEEDS_ALL, "its elements are on device %s, which the consumer cannot read",
		why_detail_device },
	{ CAUSE_DIMENSIONS, why_has_no_dims, "not iterable|unsized", NEEDS_ALL,
		"the consumer does not take an array of %s", why_detail_dims },
	{ CAUSE_DIMENSIONS, why_has_no_or_many_dims,
		DIMENSION "|ndim|0-d|1-d|rank|scalar|0d array|one-dim|too deep|small depth",
		NEEDS_ALL, "the consumer does not take an array of %s", why_detail_dims },
	{ CAUSE_ELEMENT_TYPE, NULL,
		"unsupported dtype|data type|datatype|not compatible with dlpack|dtype|type code|dldatatype|not understood|unsupported format|format ",
		NEEDS_ALL, UNSUPPORTED_TYPE, why_detail_type },
	{ CAUSE_PRODUCER_ERROR, why_cannot_export, NULL, NEEDS_ALL,
		"a method of the object raises the exception: %s", why_detail_error },
	{ CAUSE_DEVICE, why_is_off_host, NULL, NEEDS_ALL,
		"its elements are on device %s, which the consumer cannot read",
		why_detail_device },
	{ CAUSE_STRIDES, NULL,
		"stride|contiguous|row-major|row major|column-major|column major|fortran order|f order",
		NEEDS_ALL, "its strides are not supported by the consumer (%s)",
		why_detail_strides },
	{ CAUSE_DEVICE, NULL,
		"no cuda|no gpu|no nvidia driver|cuda device not found|cuda device was not found|is_available() is false|driver version is insufficient",
		NEEDS_ALL, "the consumer requires a device that is not available: %s",
		why_detail_error },
	{ CAUSE_DEVICE, why_is_on_host,
		"cuda-accessible|cuda memory|cuda tensor|cuda device|cuda array|on cuda|gpu memory|gpu tensor|on gpu|on the gpu|on a gpu|device memory|device pointer",
		NEEDS_ALL,
		"its elements are in memory of the host, and the consumer requires memory of a device",
		NULL },
	{ CAUSE_DEVICE, NULL, "matching device|no such device|unknown backend|' device to ",
		NEEDS_ALL, "the consumer does not support the device that the object reports: %s",
		why_detail_error },
	{ CAUSE_ELEMENT_TYPE, NULL, "scalar type|scalartype", NEEDS_ALL, UNSUPPORTED_TYPE,
		why_detail_type },
	{ CAUSE_DIMENSIONS, NULL,
		DIMENSION
		"|ndim| rank| scalar|0d array|1d array|2d array|3d array|0-d |1-d |2-d |3-d ",
		NEEDS_ALL, "the consumer does not take an array of %s", why_detail_dims },
	{ CAUSE_ELEMENT_TYPE, why_has_rare_type, "type", NEEDS_ALL,
		"elements of %s are not supported by the protocol or the consumer",
		why_detail_type },
	{ CAUSE_PRODUCER_ERROR, why_is_of_producer, NULL, NEEDS_ALL,
		"a method of the object raises the exception: %s", why_detail_error },
	{ CAUSE_ELEMENT_TYPE, why_names_element_type,
		"expect|must|require|got|not|only|cannot|unsupported|invalid", NEEDS_ALL,
		UNSUPPORTED_TYPE, why_detail_type },
	{ CAUSE_NO_PROTOCOL, why_names_type,
		"expect|must be|got|convert|no attribute|support|invalid|not a|is not|required|interpret|incompatible|no len()",
		NEEDS_ALL, "the consumer takes objects of other types; this one exposes %s",
		why_detail_protocols },
	{ CAUSE_NO_PROTOCOL, NULL,
		"bytes-like object|unsupported object type|a numpy array|expected a tensor|must be a tensor|must be tensor|not a tensor|only tensors|expected an array|must be an array|not an array|only arrays|array-like|array_like",
		NEEDS_ALL, "the consumer takes objects of other types; this one exposes %s",
		why_detail_protocols },
};

static enum evidence evidence_of(const struct refusal *row, const struct situation *at)
{
	bool holds = row->holds && row->holds(at);
	bool has = row->words && why_has_words(at->message, row->words);

	if ((holds || !row->holds) && (has || !row->words))
		return EVIDENCE_ALL;
	return holds ? EVIDENCE_FACTS : EVIDENCE_NONE;
}

static const struct refusal *find_refusal(const struct situation *at)
{
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		if (evidence_of(&refusals[i], at) == EVIDENCE_ALL)
			return &refusals[i];
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		if (refusals[i].evidence == FACTS_SUFFICE &&
			evidence_of(&refusals[i], at) == EVIDENCE_FACTS)
			return &refusals[i];
	return NULL;
}

/* The sentence with %s replaced by the detail, which may be NULL. */
static const char *fill_in(struct arena *arena, const char *sentence, const char *detail)
{
	const char *at = strstr(sentence, "%s");

	if (!at || !detail)
		return sentence;
	return arena_printf(arena, "%.*s%s%s", (int)(at - sentence), sentence, detail, at + 2);
}

void why_explain_refusal(const struct situation *at, struct fact_why *why)
{
	const struct refusal *row = find_refusal(at);

	why->cause = row ? row->cause : CAUSE_NULL;
	why->message =
		!row ? "suai does not know the cause of this exception"
		     : fill_in(at->arena, row->sentence, row->detail ? row->detail(at) : NULL);
	if (row && !strcmp(row->sentence, UNSUPPORTED_TYPE))
		why->message =
			arena_printf(at->arena, "%s by %s", why->message, why_unsupporting(at));
	if (row && row->holds != why_has_no_memory)
		why->message = why_add_forbidden_copy(at, why->message);
}

bool why_is_copy_forbidden(const struct situation *at)
{
	return why_has_words(at->message, COPY_WORDS);
}

const char *why_add_forbidden_copy(const struct situation *at, const char *message)
{
	if (!why_is_copy_forbidden(at) || !strncmp(message, COPY_FORBIDDEN, strlen(COPY_FORBIDDEN)))
		return message;
	return arena_printf(at->arena, COPY_FORBIDDEN "%s", message);
}

bool why_explain_unreadable(const struct situation *at, struct fact_why *why)
{
	for (size_t i = 0; i < at->target->interfaces.n_items; i++) {
		const struct fact_interface *interface = &at->target->interfaces.items[i];
		struct situation reading = *at;

		if (interface->status == INTERFACE_OK || !interface->error.message)
			continue;
		*why = (struct fact_why){ .error = interface->error };
		reading.why = why;
		reading.consumer = "";
		reading.message = why_lower_text(at->arena, interface->error.message);
		why_explain_refusal(&reading, why);
		return true;
	}
	return false;
}

/* Causes that only the exception shows. */
#define SHOWN_BY_WORDS                                                                             \
	(WHY_BIT(CAUSE_CONSUMER_MISSING) | WHY_BIT(CAUSE_CONSUMER_LOST) | WHY_BIT(CAUSE_KEYWORD) | \
		WHY_BIT(CAUSE_CAPSULE_VERSION) | WHY_BIT(CAUSE_PENDING_OPERATION) |                \
		WHY_BIT(CAUSE_SEVERAL_DEVICES) | WHY_BIT(CAUSE_NULLS))

bool why_is_refusal_doubtful(const struct situation *at)
{
	const struct refusal *row = find_refusal(at);

	if (!row)
		return true;
	if (row->holds == why_has_no_memory)
		return false;
	/* What a method of the object states of its elements, no other object shows. */
	if (row->cause == CAUSE_NO_PROTOCOL && !row->holds && why_is_of_producer(at))
		return false;
	/* A message that contains the repr of the object names its type and its element type. */
	if (why_is_off_host(at) &&
		why_is_among(row->cause, WHY_BIT(CAUSE_ELEMENT_TYPE) | WHY_BIT(CAUSE_NO_PROTOCOL)))
		return true;
	/* NumPy represents elements of any type that have nulls as Python objects. */
	if (row->cause == CAUSE_ELEMENT_TYPE && why_may_have_nulls(at->target))
		return true;
	/* Messages about shapes that do not match use the words "dimension" and "not aligned". */
	if (why_is_among(row->cause, WHY_BIT(CAUSE_DIMENSIONS) | WHY_BIT(CAUSE_ALIGNMENT)))
		return true;
	return !why_is_among(row->cause, SHOWN_BY_WORDS) &&
	       (!row->holds || !row->words || evidence_of(row, at) != EVIDENCE_ALL ||
		       row->cause == CAUSE_NO_PROTOCOL);
}
