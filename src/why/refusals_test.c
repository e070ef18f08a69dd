// SPDX-License-Identifier: MIT
/*
 * The cause of a refusal: which facts of the object and which words of the exception decide, and
 * that what both indicate precedes what one does.
 */
#include "why/situation.h"
#include "why/why.h"

#include "base/array_size.h"
#include "base/test.h"

#include <string.h>

/* An array of two dimensions, or what differs from one. */
struct described {
	const char *dtype, *typestr, *device; /* NULL: float32, <f4 and cpu */
	bool is_strided, is_readonly, is_empty, is_scalar;
	bool has_no_interface, requires_grad;
	int64_t n_shards, n_bytes;
};

static const struct row {
	const char *message;
	struct described object;
	enum why_cause cause; /* CAUSE_NULL: unknown */
	const char *detail;   /* in the message; NULL: any */
} rows[] = {
	{ "spam", { .dtype = NULL }, CAUSE_NULL, "suai does not know the cause" },
	/* Facts and words are required. */
	{ "the array is read-only", { .is_readonly = true }, CAUSE_READONLY, NULL },
	{ "the array is read-only", { .dtype = NULL }, CAUSE_NULL, NULL },
	{ "spam", { .is_readonly = true }, CAUSE_NULL, NULL },
	{ "a dense layout is required", { .is_strided = true }, CAUSE_STRIDES, NULL },
	{ "a dense layout is required", { .dtype = NULL }, CAUSE_NULL, NULL },
	{ "spam", { .is_strided = true }, CAUSE_NULL, NULL },
	{ "dtype is not supported", { .dtype = "float16" }, CAUSE_ELEMENT_TYPE,
		"elements of float16 are not supported by the consumer" },
	{ "zero-size array", { .is_empty = true }, CAUSE_EMPTY, NULL },
	{ "zero-size array", { .dtype = NULL }, CAUSE_NULL, NULL },
	{ "object is not iterable", { .is_scalar = true }, CAUSE_DIMENSIONS, NULL },
	/* The exception names a type that the consumer makes of the elements. */
	{ "Unable to allocate 8 GiB for an array with data type bool", { .n_bytes = 1 << 30 },
		CAUSE_MEMORY, "take 1 GiB" },
	{ "Unable to allocate 8 GiB for an array with data type bool", { .dtype = NULL },
		CAUSE_ELEMENT_TYPE, NULL },
	/* Facts suffice. */
	{ "spam", { .typestr = ">f4" }, CAUSE_BYTE_ORDER, NULL },
	{ "spam", { .n_shards = 4 }, CAUSE_SEVERAL_DEVICES, NULL },
	{ "spam", { .requires_grad = true }, CAUSE_PENDING_OPERATION, NULL },
	{ "spam", { .dtype = "datetime64[ns]" }, CAUSE_ELEMENT_TYPE, "datetime64[ns]" },
	{ "spam", { .has_no_interface = true }, CAUSE_NO_PROTOCOL, NULL },
	{ "spam", { .device = "cuda" }, CAUSE_DEVICE, "cuda:0" },
	{ "requires a pointer to GPU memory", { .dtype = NULL }, CAUSE_DEVICE,
		"memory of the host" },
	{ "requires a pointer to GPU memory", { .device = "cuda" }, CAUSE_DEVICE, "cuda:0" },
	{ "CUDA out of memory. Of the allocated GPU memory 2 GiB is in use", { .dtype = NULL },
		CAUSE_DEVICE, "enough free memory" },
	{ "CUDA out of memory. Of the allocated GPU memory 2 GiB is in use", { .n_bytes = 1 << 30 },
		CAUSE_MEMORY, "take 1 GiB" },
	{ "No CUDA devices were found", { .dtype = NULL }, CAUSE_DEVICE, "not available" },
	{ "cudaErrorNoDevice: no CUDA-capable device is detected", { .dtype = NULL }, CAUSE_DEVICE,
		"not available" },
	/* A stream is named with memory of a device only. */
	{ "failed to find stream; only GPU streams are supported", { .device = "cuda" },
		CAUSE_STREAM, NULL },
	{ "not a stream", { .dtype = NULL }, CAUSE_NULL, NULL },
	{ "unsupported stream on CUDA: 0.", { .device = "cuda" }, CAUSE_STREAM, NULL },
	{ "per-thread default stream is not supported.", { .device = "cuda" }, CAUSE_STREAM, NULL },
	{ "stream must be ``int`` or ``none``", { .device = "cuda" }, CAUSE_STREAM, NULL },
	/* Another stream, and an error in one. */
	{ "expected a file or a stream of bytes", { .device = "cuda" }, CAUSE_DEVICE, NULL },
	{ "the upstream operation failed", { .device = "cuda" }, CAUSE_DEVICE, NULL },
	{ "could not synchronize on CUDA stream 0x55d0c8e3f2a0", { .device = "cuda" }, CAUSE_DEVICE,
		NULL },
	{ "operation not permitted when stream is capturing", { .device = "cuda" }, CAUSE_DEVICE,
		NULL },
	{ "operation failed due to a previous error during capture of a stream",
		{ .device = "cuda" }, CAUSE_DEVICE, NULL },
	/* Words suffice, if no facts contradict them. */
	{ "the array is not contiguous", { .dtype = NULL }, CAUSE_STRIDES, NULL },
	{ "unsupported dtype", { .dtype = NULL }, CAUSE_ELEMENT_TYPE, NULL },
	{ "no such device", { .dtype = NULL }, CAUSE_DEVICE, NULL },
	{ "Unable to avoid a COPY", { .dtype = NULL }, CAUSE_COPY_FORBIDDEN, NULL },
	{ "null values are not allowed", { .dtype = NULL }, CAUSE_NULLS, NULL },
	/* The consumer, f, lacks arguments; a function that it calls has its own reasons. */
	{ "f() missing 1 required positional argument: 'shape'", { .dtype = NULL }, CAUSE_KEYWORD,
		"cannot be called with the object as its only argument" },
	{ "f.__init__() takes 1 positional argument but 2 were given", { .dtype = NULL },
		CAUSE_KEYWORD, "cannot be called with the object as its only argument" },
	{ "make.<locals>.f() missing 1 required keyword-only argument: 'k'", { .dtype = NULL },
		CAUSE_KEYWORD, "cannot be called with the object as its only argument" },
	{ "of() missing 1 required positional argument: 'shape'", { .dtype = NULL }, CAUSE_NULL,
		NULL },
	{ "A.__init__() takes 1 positional argument but 2 were given", { .dtype = NULL },
		CAUSE_NULL, NULL },
	{ "a.__dlpack__() got an unexpected keyword argument 'copy'", { .dtype = NULL },
		CAUSE_KEYWORD, "an argument that the object's method does not take" },
	/* Facts and words precede facts that suffice. */
	{ "the array is not contiguous", { .typestr = ">f4", .is_strided = true }, CAUSE_STRIDES,
		NULL },
	{ "the byte order is wrong", { .typestr = ">f4", .is_strided = true }, CAUSE_BYTE_ORDER,
		NULL },
	/* The cause of a copy that is forbidden is named, and the copy as well. */
	{ "read-only arrays cannot be used without copying", { .is_readonly = true },
		CAUSE_COPY_FORBIDDEN, "a copy is forbidden" },
	{ "Operator aten.as_strided.default does not have a sharding strategy registered.",
		{ .dtype = NULL }, CAUSE_SEVERAL_DEVICES, "sharding strategy" },
	{ "shard without copying", { .n_shards = 2 }, CAUSE_SEVERAL_DEVICES,
		"a copy is forbidden, and the consumer cannot use the memory as it is: its elements are distributed over 2 devices" },
};

static struct fact_target describe(struct arena *arena, const struct described *object)
{
	const int64_t shape[] = { object->is_empty ? 0 : 2, 3 };
	const int64_t strides[] = { object->is_strided ? 24 : 12, 4 };
	const size_t n_dims = object->is_scalar ? 0 : 2;
	const char *dtype = object->dtype ? object->dtype : "float32";
	struct fact_target target = { .present = true,
		.status = STATUS_OK,
		.type = "mylib.Array",
		.own = { .shards = { object->n_shards > 0, object->n_shards },
			.requires_grad = object->requires_grad ? ANSWER_YES : ANSWER_NO },
		.why = { .present = true, .consumer = "f" } };
	struct fact_interface *interface;

	if (object->has_no_interface)
		return target;
	interface = FACT_LIST_ADD(arena, &target.interfaces);
	interface->protocol = "numpy";
	interface->status = INTERFACE_OK;
	interface->array = (struct fact_array){ .present = true,
		.dtype = dtype,
		.typestr = object->typestr ? object->typestr : "<f4",
		.itemsize = fact_int(4),
		.ndim = fact_int((int64_t)n_dims),
		.shape = fact_ints(arena, shape, n_dims),
		.strides_bytes = fact_ints(arena, strides, n_dims),
		.elements = fact_int(object->is_empty ? 0 : 6),
		.nbytes = fact_int(object->n_bytes ? object->n_bytes : 24),
		.pointer = fact_address(4096),
		.readonly = object->is_readonly ? ANSWER_YES : ANSWER_NO,
		.c_contiguous = object->is_strided ? ANSWER_NO : ANSWER_YES,
		.device = { .present = true,
			.type = object->device ? object->device : "cpu",
			.id = fact_int(0) } };
	return target;
}

static void check_row(const struct row *row)
{
	struct arena arena = { 0 };
	struct fact_target target = describe(&arena, &row->object);
	struct situation at;

	target.why.error = (struct fact_error){ .present = true, .message = row->message };
	at = why_situation(&arena, &target);
	why_explain_refusal(&at, &target.why);
	CHECK(target.why.cause == row->cause, "'%s': %s, %s", row->message,
		fact_text_or(why_cause_name(target.why.cause), "unknown"), target.why.message);
	CHECK(!row->detail || strstr(target.why.message, row->detail), "'%s': %s", row->message,
		target.why.message);
	arena_free(&arena);
}

/* A version of a library may use other words: then the cause is unknown, or what the facts show
 * without them. */
static void check_other_words(const struct row *row)
{
	struct arena arena = { 0 };
	struct fact_target target = describe(&arena, &row->object);
	struct situation at;

	target.why.error = (struct fact_error){ .present = true, .message = "this failed" };
	at = why_situation(&arena, &target);
	why_explain_refusal(&at, &target.why);
	CHECK(!target.why.cause || target.why.cause == row->cause || why_is_refusal_doubtful(&at),
		"other words than '%s': %s instead of %s", row->message,
		fact_text_or(why_cause_name(target.why.cause), "unknown"),
		fact_text_or(why_cause_name(row->cause), "unknown"));
	arena_free(&arena);
}

/* Other objects of the type, such as those of PyTorch's nested tensors, can have another layout. */
static void check_layout(const char *step, bool is_doubtful)
{
	struct arena arena = { 0 };
	struct fact_target target = describe(&arena, &(struct described){ .dtype = NULL });
	struct situation at;

	target.why.error = (struct fact_error){ .present = true,
		.message = "Can't export tensors with layout other than torch.strided" };
	target.why.step = step;
	at = why_situation(&arena, &target);
	why_explain_refusal(&at, &target.why);
	CHECK(target.why.cause == CAUSE_NO_PROTOCOL, "%s", target.why.message);
	CHECK(why_is_refusal_doubtful(&at) == is_doubtful, "step '%s'", step);
	arena_free(&arena);
}

int main(void)
{
	check_layout("_.__dlpack__(max_version=(1, 0))", false);
	check_layout("the consumer", true);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		check_row(&rows[i]);
		check_other_words(&rows[i]);
	}
	return test_end();
}
