// SPDX-License-Identifier: MIT
#include "trace/numpy_api.h"

#include "trace/calls.h"
#include "trace/direct_readers.h"
#include "trace/events.h"
#include "trace/lock.h"
#include "trace/memory.h"
#include "trace/objects.h"
#include "trace/python.h"
#include "trace/results.h"
#include "trace/site.h"
#include "trace/verdict.h"

#include <stddef.h>
#include <string.h>

/* Positions in the table, the same since NumPy 1.7 except for those that name a version. */
enum api_function {
	API_ABI_VERSION = 0,
	API_ARRAY_TYPE = 2,
	API_BOOL_TYPE = 8,
	API_FIRST_NUMBER_TYPE = 20, /* byte, short, ..., clongdouble */
	API_LAST_NUMBER_TYPE = 35,
	API_STRING_TYPE = 37,
	API_UNICODE_TYPE = 38,
	API_CAST_TO_TYPE = 49,
	API_COPY_INTO = 50,
	API_COPY_ANY_INTO = 51,
	API_FROM_ANY = 69,
	API_COPY_INTO_OF_VERSION_1 = 82, /* as well as those at 50 and 51, which do the same */
	API_COPY_ANY_INTO_OF_VERSION_1 = 83,
	API_NEW_COPY = 85,
	API_CHECK_FROM_ANY = 108,
	API_FROM_ARRAY = 109,
};

enum { MAX_ARRAY_DIMENSIONS = 64, NUMPY_2_ABI = 0x2000000 };

/* What follows the head of an array object; compiled modules depend on it. */
struct array_fields {
	char *data;
	int n_dimensions;
	ptrdiff_t *shape, *strides;
	void *base; /* the object that has the memory; NULL: the array itself, or none */
	void *descriptor;
	int flags;
};

enum { FLAG_OWN_DATA = 4 }; /* NPY_ARRAY_OWNDATA */

typedef void *(*from_any_function)(
	void *object, void *dtype, int min_depth, int max_depth, int flags, void *context);
typedef void *(*from_array_function)(void *array, void *dtype, int flags);
typedef void *(*new_copy_function)(void *array, int order);
typedef int (*copy_into_function)(void *target, void *source);

static struct {
	void **table; /* NULL: not found yet */
	bool is_version_2;
	from_any_function from_any, check_from_any;
	from_array_function from_array, cast_to_type;
	new_copy_function new_copy;
	copy_into_function copy_into, copy_any_into;
} numpy;

const void *trace_bytes_type_with_gil = &trace_bytes_type_with_gil;
void *trace_array_type;
const void *trace_scalar_types[TRACE_N_SCALAR_TYPES];

/* --- arrays --- */

static bool is_array(const void *object)
{
	return object && (trace_type_pointer(object) == trace_array_type ||
				 trace_is_instance((void *)object, trace_array_type));
}

static struct array_fields read_array_fields(const void *array)
{
	struct array_fields fields;

	memcpy(&fields, (const char *)array + trace_head_bytes, sizeof(fields));
	return fields;
}

/* The dtype, borrowed. */
static void *array_descriptor(const void *array)
{
	void *descriptor;

	memcpy(&descriptor, (const char *)array + trace_head_bytes + ARRAY_DESCRIPTOR_OFFSET,
		sizeof(descriptor));
	return descriptor;
}

enum descriptor_size { ITEM_BYTES, ALIGNMENT };

/* A size that a dtype has among the fields that compiled modules depend on. */
static ptrdiff_t read_descriptor_size(const char *descriptor, enum descriptor_size which)
{
	ptrdiff_t size;
	int size_in_version_1;

	descriptor += trace_head_bytes + DESCRIPTOR_NUMBER_OFFSET + sizeof(int);
	if (numpy.is_version_2) {
		memcpy(&size, descriptor + sizeof(uint64_t) + which * sizeof(size), sizeof(size));
		return size;
	}
	memcpy(&size_in_version_1, descriptor + which * sizeof(int), sizeof(int));
	return size_in_version_1;
}

static int type_number(const void *array)
{
	int number;

	memcpy(&number,
		(char *)array_descriptor(array) + trace_head_bytes + DESCRIPTOR_NUMBER_OFFSET,
		sizeof(number));
	return number;
}

bool trace_array_elements(void *object, struct trace_elements *elements)
{
	struct array_fields fields;
	ptrdiff_t item_bytes;
	char *descriptor;

	if (!trace_array_type || !is_array(object))
		return false;
	fields = read_array_fields(object);
	descriptor = array_descriptor(object);
	item_bytes = read_descriptor_size(descriptor, ITEM_BYTES);
	*elements =
		(struct trace_elements){ .item_bytes = item_bytes > 0 ? (uint32_t)item_bytes : 0,
			.kind = descriptor[trace_head_bytes + DESCRIPTOR_KIND_OFFSET],
			.n_dimensions = fields.n_dimensions };
	elements->n_bytes = elements->item_bytes;
	for (int i = 0; i < fields.n_dimensions && i < MAX_ARRAY_DIMENSIONS; i++)
		elements->n_bytes *= (uint64_t)fields.shape[i];
	return true;
}

ptrdiff_t trace_integer_attribute(void *object, const char *name)
{
	void *value = trace_python.get_attribute(object, name);
	ptrdiff_t integer = value ? trace_python.integer_as_size(value) : -1;

	trace_python.dec_ref(value);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return integer;
}

/* Whether data begin within those of an array. */
static bool begins_within(uintptr_t data, const void *array)
{
	struct array_fields extent = read_array_fields(array);
	uintptr_t low = (uintptr_t)extent.data, high = low;

	for (int i = 0; i < extent.n_dimensions && i < MAX_ARRAY_DIMENSIONS; i++) {
		ptrdiff_t span = (extent.shape[i] - 1) * extent.strides[i];

		if (span < 0)
			low -= (uintptr_t)-span;
		else
			high += (uintptr_t)span;
	}
	return data >= low && data <= high;
}

/* Whether two arrays of one shape have their elements in the same order and distances; without a
 * result, whether the source is contiguous. */
static bool has_layout_of(
	const void *source, ptrdiff_t source_item, const void *result, ptrdiff_t result_item)
{
	struct array_fields from = read_array_fields(source), to = from;
	ptrdiff_t contiguous = 1;

	if (result)
		to = read_array_fields(result);
	if (from.n_dimensions != to.n_dimensions || from.n_dimensions > MAX_ARRAY_DIMENSIONS)
		return true;
	for (int i = from.n_dimensions - 1; i >= 0; i--) {
		ptrdiff_t stride = result ? to.strides[i] : contiguous * result_item;

		/* A stride may be no multiple of the item, as those of a field of packed records.
		 */
		if (from.shape[i] > 1 && from.strides[i] * result_item != stride * source_item)
			return false;
		contiguous *= from.shape[i];
	}
	return true;
}

/* Whether two arrays of NumPy have the same type of elements. */
static bool has_type_of(const void *source, const void *result)
{
	return type_number(source) == type_number(result);
}

/* Whether the elements are not in the processor's byte order. */
static bool is_swapped(const void *array)
{
	const char *descriptor = array_descriptor(array);

	return descriptor[trace_head_bytes + DESCRIPTOR_ORDER_OFFSET] ==
	       (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? '<' : '>');
}

/* Whether the first element is not aligned as compiled code requires. */
static bool is_misaligned(const void *array)
{
	ptrdiff_t alignment = read_descriptor_size(array_descriptor(array), ALIGNMENT);

	return alignment > 1 && (uintptr_t)read_array_fields(array).data % (uintptr_t)alignment;
}

/* --- records --- */

/* What a library received for an array. */
static struct trace_verdict judge_array(void *source, const struct trace_elements *elements,
	void *result, const struct trace_conversion *conversion, uint64_t result_address)
{
	struct trace_verdict verdict = { .is_copy = false };
	const ptrdiff_t item_bytes = elements->item_bytes;
	bool is_result_array = is_array(result);

	if (begins_within((uintptr_t)result_address, source))
		return verdict;
	verdict = trace_verdict_of_copy(result, conversion->dtype, elements);
	if (!conversion->takes_any_order && item_bytes > 0 && verdict.narrow_bytes &&
		!has_layout_of(source, item_bytes, is_result_array ? result : NULL,
			is_result_array ? (ptrdiff_t)verdict.narrow_bytes : item_bytes))
		verdict.causes |= TRACE_COPY_STRIDES;
	if (is_result_array && !has_type_of(source, result))
		verdict.causes |= TRACE_COPY_ELEMENT_TYPE;
	if (is_result_array && is_swapped(source) != is_swapped(result))
		verdict.causes |= TRACE_COPY_BYTE_ORDER;
	if (is_result_array && !verdict.causes && !conversion->takes_any_order &&
		is_misaligned(source) && !is_misaligned(result))
		verdict.causes |= TRACE_COPY_ALIGNMENT;
	return verdict;
}

/* TensorFlow copies most arrays to its own tensors, and shares what a graph receives of a function
 * of Python. PaddlePaddle copies all of them. */
static bool may_copy_what_it_receives(uint32_t consumer)
{
	return trace_memory_is_library(consumer, "tensorflow") ||
	       trace_memory_is_library(consumer, "paddle");
}

/* Between two libraries, one of which is NumPy. */
struct passing {
	uint32_t producer, consumer;
	uint64_t address, n_bytes;
	struct trace_call_line *line; /* NULL: the call passes nothing else */
};

/* Where an exchange was counted as shared. */
struct shared_exchange {
	uint32_t row; /* plus one; 0: nowhere; TRACE_NONE: it is too small to be recorded */
	uint32_t event;
};

/* The last array that a library received as itself, by the hash of who received it where. A library
 * that then copies it during the same call, as pybind11 does for Eigen, did not share it. */
static _Thread_local struct {
	uint64_t hash;
	struct shared_exchange exchange;
} last_shared __attribute__((tls_model("initial-exec")));

/* Of the memory of an array, a library, the instruction that the innermost frame executes, and the
 * process: a forked one has rows of its own. */
static uint64_t hash_receipt(const void *source, uint32_t consumer)
{
	const uint64_t multiplier = UINT64_C(0x9e3779b97f4a7c15);
	void *const frame = trace_python.eval_get_frame();
	const uint64_t parts[] = { trace_numpy_api_address(source), consumer, (uintptr_t)frame,
		frame ? (uint64_t)trace_python.frame_get_lasti(frame) : 0,
		(uint64_t)trace_memory.segment->pid };
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		hash = (hash ^ (hash >> 29) ^ parts[i]) * multiplier;
	return hash;
}

static struct shared_exchange count_passing(
	const struct passing *passing, uint32_t site, const struct trace_verdict *verdict)
{
	struct shared_exchange shared = { .row = 0 };
	uint32_t i, event;

	trace_lock();
	i = trace_memory_row(TRACE_NUMPY_API, passing->producer, passing->consumer, site);
	if (i == TRACE_NONE) {
		trace_memory.segment->n_lost++;
	} else {
		trace_memory.rows[i].n_exchanges++;
		trace_memory.rows[i].n_bytes += passing->n_bytes;
		event = trace_event_add(i, passing->address, passing->n_bytes, 0);
		if (verdict &&
			(verdict->is_copy || !may_copy_what_it_receives(passing->consumer))) {
			trace_verdict_count(i, event, verdict);
			if (!verdict->is_copy)
				shared = (struct shared_exchange){ i + 1, event };
		}
	}
	trace_unlock();
	return shared;
}

/* An array of NumPy that a library received, as itself, as a view or as a copy. What modules of
 * packages convert while they are imported are arrays of their own. */
static struct shared_exchange record_passing(
	const struct passing *passing, const struct trace_verdict *verdict)
{
	struct shared_exchange shared = { .row = 0 };
	bool is_importing;
	uint32_t site;

	if (passing->n_bytes >= trace_memory.min_bytes) {
		site = trace_site_of_call(passing->line, &is_importing);
		if (!is_importing)
			shared = count_passing(passing, site, verdict);
		return shared;
	}
	trace_lock();
	trace_memory.segment->n_below++;
	trace_unlock();
	if (verdict && !verdict->is_copy)
		shared.row = TRACE_NONE;
	return shared;
}

static uint32_t numpy_library(void)
{
	uint32_t library;

	trace_lock();
	library = trace_objects_library((void *)numpy.from_any);
	trace_unlock();
	return library;
}

/* Of an array to a library. */
static struct passing passing_of(
	void *source, uint64_t n_bytes, uint32_t consumer, struct trace_call_line *line)
{
	return (struct passing){ numpy_library(), consumer, trace_numpy_api_address(source),
		n_bytes, line };
}

/* What a library received for an array. *n_bytes: of that; 0: without elements, there is no memory
 * that could be shared. */
static struct trace_verdict judge_passed(void *source, void *result, uint64_t result_address,
	uint32_t consumer, const struct trace_conversion *conversion, uint64_t *n_bytes)
{
	struct trace_verdict verdict = { .is_copy = false };
	struct trace_elements elements;

	*n_bytes = 0;
	if (!trace_array_elements(source, &elements) || !elements.n_bytes)
		return verdict;
	*n_bytes = elements.n_bytes;
	elements.is_part = conversion->is_part;
	verdict = judge_array(source, &elements, result, conversion, result_address);
	trace_lock();
	trace_verdict_check_alignment(&verdict, trace_numpy_api_address(source), consumer);
	trace_unlock();
	trace_verdict_add_request(&verdict, conversion->request);
	return verdict;
}

void trace_array_passed(void *source, void *result, uint64_t result_address, uint32_t consumer,
	const struct trace_conversion *conversion)
{
	uint64_t n_bytes;
	const struct trace_verdict verdict =
		judge_passed(source, result, result_address, consumer, conversion, &n_bytes);
	struct passing passing;

	if (!n_bytes)
		return;
	passing = passing_of(source, n_bytes, consumer, conversion->line);
	record_passing(&passing, &verdict);
}

void trace_array_read(void *source, uint32_t consumer, struct trace_call_line *line)
{
	struct trace_elements elements;
	struct passing passing;

	if (!trace_array_elements(source, &elements) || !elements.n_bytes)
		return;
	passing = passing_of(source, elements.n_bytes, consumer, line);
	record_passing(&passing, NULL);
}

void trace_array_exported(
	uint32_t producer, uint64_t address, void *result, enum trace_copy_cause cause)
{
	const uint64_t offset = trace_numpy_api_address(result) - address;
	struct trace_verdict verdict = { .is_copy = false };
	struct trace_elements elements;
	struct passing passing;

	if (!trace_array_elements(result, &elements) || !elements.n_bytes)
		return;
	verdict.result_bytes = elements.n_bytes;
	verdict.is_copy = offset >= elements.n_bytes;
	verdict.causes = verdict.is_copy ? cause : 0;
	passing = (struct passing){ producer, numpy_library(), address, elements.n_bytes, NULL };
	record_passing(&passing, &verdict);
}

/* Whether a library created an array for itself alone, of memory that belongs to no object, as
 * pybind11 does before it copies that to return it. */
static bool is_of_own_memory(const void *array)
{
	const struct array_fields fields = read_array_fields(array);
	/* Without a GIL: of the thread that created the object, followed by those of others. */
	const size_t offset = trace_head_bytes == GIL_HEAD_BYTES ? 0 : 12;
	uint32_t n_references;

	if (fields.base || (fields.flags & FLAG_OWN_DATA))
		return false;
	memcpy(&n_references, (const char *)array + offset, sizeof(n_references));
	return n_references == 1;
}

static void count_shared_as_copy(
	const struct shared_exchange *shared, const struct trace_verdict *verdict)
{
	if (shared->row == TRACE_NONE)
		return;
	trace_lock();
	trace_memory.rows[shared->row - 1].n_shared--;
	trace_verdict_count(shared->row - 1, shared->event, verdict);
	trace_unlock();
}

/* An array that a library received by a function of NumPy's C API. */
static void record_conversion(
	void *source, void *result, uint32_t consumer, const struct trace_conversion *conversion)
{
	const uint64_t hash = hash_receipt(source, consumer);
	const struct shared_exchange last = last_shared.exchange;
	const bool is_same = last.row && last_shared.hash == hash;
	uint64_t n_bytes;
	const struct trace_verdict verdict = judge_passed(
		source, result, trace_numpy_api_address(result), consumer, conversion, &n_bytes);
	struct passing passing;

	if (!n_bytes)
		return;
	last_shared.exchange.row = 0;
	if (is_same && verdict.is_copy) {
		count_shared_as_copy(&last, &verdict);
		return;
	}
	passing = passing_of(source, n_bytes, consumer, NULL);
	last_shared.exchange = record_passing(&passing, &verdict);
	last_shared.hash = hash;
}

static void observe_result(
	const void *caller, void *source, void *result, enum trace_copy_request request)
{
	uint32_t consumer;
	bool is_other;

	if (!trace_is_on() || trace_python.err_occurred())
		return;
	trace_lock();
	consumer = trace_objects_library(caller);
	is_other = consumer != trace_objects_library((void *)numpy.from_any);
	trace_unlock();
	if (!is_other)
		return;
	if (is_of_own_memory(source)) {
		trace_array_exported(
			consumer, trace_numpy_api_address(source), result, TRACE_COPY_EXPORT);
		return;
	}
	trace_direct_call_note(trace_calls.direct, trace_numpy_api_address(source));
	record_conversion(
		source, result, consumer, &(struct trace_conversion){ .request = request });
}

/* --- the entries; a source is kept until its result was compared with it --- */

enum { FLAG_ENSURE_COPY = 0x20 }; /* NPY_ARRAY_ENSURECOPY */

static enum trace_copy_request request_of(int flags)
{
	return flags & FLAG_ENSURE_COPY ? TRACE_REQUEST : TRACE_NO_REQUEST;
}

/* What NumPy reads of an object by the buffer protocol or an interface, for a library, is compared
 * with the array that it makes of it. */
static __attribute__((noinline)) void *convert_for_library(from_any_function function, void *object,
	void *dtype, int min_depth, int max_depth, int flags, void *context)
{
	const struct trace_call_arguments arguments = {
		.consumer = trace_is_sequence_type(trace_type_pointer(object))
				    ? &trace_numpy_list_consumer
				    : &trace_numpy_consumer,
		.source = object,
		.dtype_position = TRACE_DTYPE_BY_NAME,
		.by_default = flags & FLAG_ENSURE_COPY ? TRACE_COPIES : TRACE_MAY_SHARE,
	};
	struct trace_outer_call outer;
	void *result;

	trace_call_begin(&outer, arguments.consumer, object);
	result = function(object, dtype, min_depth, max_depth, flags, context);
	trace_call_end(&outer, &arguments, result);
	return result;
}

static bool is_number_or_text(const void *object)
{
	const void *type = trace_type_pointer(object);

	return trace_is_number_type(type) || trace_is_scalar_type(type);
}

static void *convert_any(from_any_function function, const void *caller, void *object, void *dtype,
	int min_depth, int max_depth, int flags, void *context)
{
	void *result;

	if (!object || is_number_or_text(object))
		return function(object, dtype, min_depth, max_depth, flags, context);
	if (!is_array(object) && (trace_memory.layers & TRACE_LAYER_RESULTS))
		return convert_for_library(
			function, object, dtype, min_depth, max_depth, flags, context);
	result = function(object, dtype, min_depth, max_depth, flags, context);
	if (result && is_array(object) && is_array(result))
		observe_result(caller, object, result, request_of(flags));
	return result;
}

static void *traced_from_any(
	void *object, void *dtype, int min_depth, int max_depth, int flags, void *context)
{
	return convert_any(numpy.from_any, __builtin_return_address(0), object, dtype, min_depth,
		max_depth, flags, context);
}

static void *traced_check_from_any(
	void *object, void *dtype, int min_depth, int max_depth, int flags, void *context)
{
	return convert_any(numpy.check_from_any, __builtin_return_address(0), object, dtype,
		min_depth, max_depth, flags, context);
}

static void *traced_from_array(void *array, void *dtype, int flags)
{
	void *result = numpy.from_array(array, dtype, flags);

	if (result && is_array(array))
		observe_result(__builtin_return_address(0), array, result, request_of(flags));
	return result;
}

static bool is_in_library(const void *address, const char *name)
{
	bool is;

	trace_lock();
	is = trace_memory_is_library(trace_objects_library(address), name);
	trace_unlock();
	return is;
}

/* By which PyArray_Cast() copies an array, whatever its type. The calls during which JAX converts
 * elements by it are compared as a whole. */
static void *traced_cast_to_type(void *array, void *dtype, int is_fortran)
{
	const void *caller = __builtin_return_address(0);
	void *result = numpy.cast_to_type(array, dtype, is_fortran);

	if (result && is_array(array) && !is_in_library(caller, "jaxlib"))
		observe_result(caller, array, result, TRACE_REQUEST);
	return result;
}

/* Libraries that require contiguous elements, as with PyArray_GETCONTIGUOUS, copy only arrays that
 * are not contiguous. */
static void *traced_new_copy(void *array, int order)
{
	void *result = numpy.new_copy(array, order);

	if (result && is_array(array))
		observe_result(
			__builtin_return_address(0), array, result, TRACE_REQUEST_IF_UNEXPLAINED);
	return result;
}

/* The hook of PyArray_CopyInto(), by which f2py fills an array that it created. */
static int traced_copy_into(void *target, void *source)
{
	int status = numpy.copy_into(target, source);

	if (!status && is_array(target) && is_array(source))
		observe_result(
			__builtin_return_address(0), source, target, TRACE_REQUEST_IF_UNEXPLAINED);
	return status;
}

static int traced_copy_any_into(void *target, void *source)
{
	int status = numpy.copy_any_into(target, source);

	if (!status && is_array(target) && is_array(source))
		observe_result(
			__builtin_return_address(0), source, target, TRACE_REQUEST_IF_UNEXPLAINED);
	return status;
}

/* --- replacing --- */

static void replace_entry(void **table, enum api_function i, void *replacement, void *original)
{
	memcpy(original, &table[i], sizeof(table[i]));
	trace_objects_write(&table[i], replacement);
}

static void replace_entries(void **table)
{
	replace_entry(table, API_FROM_ANY, (void *)traced_from_any, &numpy.from_any);
	replace_entry(
		table, API_CHECK_FROM_ANY, (void *)traced_check_from_any, &numpy.check_from_any);
	replace_entry(table, API_FROM_ARRAY, (void *)traced_from_array, &numpy.from_array);
	replace_entry(table, API_CAST_TO_TYPE, (void *)traced_cast_to_type, &numpy.cast_to_type);
	replace_entry(table, API_NEW_COPY, (void *)traced_new_copy, &numpy.new_copy);
	replace_entry(table, API_COPY_INTO, (void *)traced_copy_into, &numpy.copy_into);
	replace_entry(table, API_COPY_ANY_INTO, (void *)traced_copy_any_into, &numpy.copy_any_into);
	if (!numpy.is_version_2) {
		replace_entry(table, API_COPY_INTO_OF_VERSION_1, (void *)traced_copy_into,
			&numpy.copy_into);
		replace_entry(table, API_COPY_ANY_INTO_OF_VERSION_1, (void *)traced_copy_any_into,
			&numpy.copy_any_into);
	}
}

/* The table of a module that was imported; NULL: it was not, or is incomplete. */
static void **find_api_table(const char *module_name)
{
	void *module = trace_python_module(module_name);
	void *capsule = trace_module_attribute(module, "_ARRAY_API");
	void **table = capsule ? trace_python.capsule_get_pointer(capsule, NULL) : NULL;

	trace_python.dec_ref(capsule);
	trace_python.dec_ref(module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return table;
}

static void add_scalar_type(const void *type)
{
	const void **entry = &trace_scalar_types[trace_scalar_type_position(type)];

	if (!*entry)
		*entry = type;
}

static void find_scalar_types(void *const *table)
{
	add_scalar_type(trace_python.float_type);
	add_scalar_type(trace_python.integer_type);
	add_scalar_type(trace_python.text_type);
	add_scalar_type(trace_python.bool_type);
	add_scalar_type(trace_python.complex_type);
	add_scalar_type(trace_python.bytes_type);
	add_scalar_type(trace_type_pointer(trace_python.none));
	add_scalar_type(table[API_BOOL_TYPE]);
	for (int i = API_FIRST_NUMBER_TYPE; i <= API_LAST_NUMBER_TYPE; i++)
		add_scalar_type(table[i]);
	add_scalar_type(table[API_STRING_TYPE]);
	add_scalar_type(table[API_UNICODE_TYPE]);
}

void trace_numpy_api_find(void)
{
	static const char *const modules[] = { NUMPY_MODULES };
	unsigned int (*abi_version)(void);

	trace_layout_find();
	if (trace_head_bytes == GIL_HEAD_BYTES)
		trace_bytes_type_with_gil = trace_python.bytes_type;
	if (numpy.table || !trace_head_bytes)
		return;
	for (size_t i = 0; !numpy.table && i < sizeof(modules) / sizeof(modules[0]); i++)
		numpy.table = find_api_table(modules[i]);
	if (numpy.table) {
		find_scalar_types(numpy.table);
		memcpy(&abi_version, &numpy.table[API_ABI_VERSION], sizeof(abi_version));
		numpy.is_version_2 = abi_version() >= NUMPY_2_ABI;
		trace_array_type = numpy.table[API_ARRAY_TYPE];
	}
}

void trace_numpy_api_replace(void)
{
	if (numpy.table && !numpy.from_any)
		replace_entries(numpy.table);
}

uint64_t trace_numpy_api_address(const void *object)
{
	const char *data;

	if (!trace_array_type || !is_array(object))
		return 0;
	memcpy(&data, (const char *)object + trace_head_bytes, sizeof(data));
	return (uint64_t)(uintptr_t)data;
}

bool trace_numpy_api_exists(void)
{
	return trace_array_type != NULL;
}

uint64_t trace_numpy_api_borrowed(void *object, void **owner)
{
	struct array_fields fields;
	void *base;

	if (!trace_array_type || !is_array(object))
		return 0;
	fields = read_array_fields(object);
	base = fields.base;
	for (int i = 0; base && i < MAX_ARRAY_DIMENSIONS && is_array(base); i++)
		base = read_array_fields(base).base;
	*owner = base;
	return base ? (uint64_t)(uintptr_t)fields.data : 0;
}
