// SPDX-License-Identifier: MIT
#include "trace/verdict.h"

#include "trace/calls.h"
#include "trace/events.h"
#include "trace/memory.h"
#include "trace/numpy_api.h"
#include "trace/python.h"
#include "trace/request.h"
#include "trace/site.h"

#include <stddef.h>
#include <string.h>

enum { JAX_ALIGNMENT_BYTES = 64 }; /* of memory that JAX shares on the CPU */

/* The size of an element of the dtype that NumPy creates from a value; 0: it cannot. Clears errors.
 */
static ptrdiff_t numpy_item_bytes(void *type, void *value)
{
	void *dtype = type ? trace_python.call_one(type, value) : NULL;
	ptrdiff_t n_bytes = dtype ? trace_integer_attribute(dtype, "itemsize") : 0;

	trace_python.dec_ref(dtype);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return n_bytes;
}

/* The size of an element of the type that a call requests, such as "float32" or numpy.float32; 0:
 * unknown. */
static ptrdiff_t requested_item_bytes(void *dtype)
{
	ptrdiff_t n_bytes = trace_integer_attribute(dtype, "itemsize");
	void *module, *type, *name;

	if (n_bytes > 0)
		return n_bytes;
	module = trace_python_module("numpy");
	type = trace_module_attribute(module, "dtype");
	n_bytes = numpy_item_bytes(type, dtype);
	/* TensorFlow's types are not NumPy's, but have the same names. */
	name = n_bytes > 0 ? NULL : trace_python.get_attribute(dtype, "name");
	if (name)
		n_bytes = numpy_item_bytes(type, name);
	trace_python.dec_ref(name);
	trace_python.dec_ref(type);
	trace_python.dec_ref(module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return n_bytes > 0 ? n_bytes : 0;
}

/* Whether an attribute is true. */
static bool has_flag(void *object, const char *name)
{
	void *value = trace_python.get_attribute(object, name);
	bool has = value && trace_python.integer_as_size(value) == 1;

	trace_python.dec_ref(value);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return has;
}

/* The dtype.kind of an array of JAX, or the same of a tensor of PyTorch; 0: unknown. */
static char kind_of(void *array)
{
	void *dtype = trace_python.get_attribute(array, "dtype");
	void *text = dtype ? trace_python.get_attribute(dtype, "kind") : NULL;
	const char *kind = text ? trace_utf8(text, NULL) : NULL;
	char found = kind ? *kind : 0;

	if (dtype && !text) {
		trace_python.err_clear();
		found = has_flag(dtype, "is_floating_point") ? 'f'
			: has_flag(dtype, "is_complex")      ? 'c'
			: has_flag(dtype, "is_signed")       ? 'i'
							     : 'u';
	}
	trace_python.dec_ref(text);
	trace_python.dec_ref(dtype);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return found;
}

/* The sizes of other types, such as strings and objects, do not determine what they can represent.
 */
static bool is_numeric_kind(char kind)
{
	return kind && strchr("biufc", kind);
}

/* Whether elements of the same size represent different values. PyTorch's booleans are unsigned. */
static bool are_other_kinds(char a, char b)
{
	if (!is_numeric_kind(a) || !is_numeric_kind(b))
		return false;
	return (a == 'b' ? 'u' : a) != (b == 'b' ? 'u' : b);
}

/* False: they are unknown. */
static bool read_elements(void *result, struct trace_elements *elements)
{
	ptrdiff_t item_bytes, n_bytes;

	if (!result)
		return false;
	if (trace_array_elements(result, elements))
		return elements->item_bytes > 0;
	item_bytes = trace_integer_attribute(result, "itemsize");
	n_bytes = item_bytes > 0 && item_bytes <= UINT32_MAX
			  ? trace_integer_attribute(result, "nbytes")
			  : -1;
	if (n_bytes < 0)
		return false;
	*elements = (struct trace_elements){ .n_bytes = (uint64_t)n_bytes,
		.item_bytes = (uint32_t)item_bytes,
		.kind = kind_of(result) };
	return true;
}

/* A type that has a name; 0: none. That of two bytes of another library than NumPy may be bfloat16,
 * and its unsigned byte a boolean. */
static uint32_t element_type_code(const struct trace_elements *elements, bool is_of_numpy)
{
	const uint32_t n_bytes = elements->item_bytes;

	if (!is_numeric_kind(elements->kind) || n_bytes > 32 ||
		(!is_of_numpy && ((elements->kind == 'f' && n_bytes == 2) ||
					 (elements->kind == 'u' && n_bytes == 1))))
		return 0;
	return TRACE_ELEMENT_TYPE(elements->kind, n_bytes);
}

/* Whether the program itself requests elements that are no wider than these, either in its own call
 * of the function that converts them or in its call of a library that does. */
static bool is_requested(void *dtype, ptrdiff_t item_bytes)
{
	void *of_program;
	ptrdiff_t n_bytes;

	if (dtype && trace_site_package() == TRACE_NONE)
		return item_bytes >= requested_item_bytes(dtype);
	if (trace_calls.dtype && item_bytes < requested_item_bytes(trace_calls.dtype))
		return false;
	of_program = trace_request_dtype();
	n_bytes = of_program ? requested_item_bytes(of_program) : 0;
	trace_python.dec_ref(of_program);
	return n_bytes && item_bytes >= n_bytes;
}

struct trace_verdict trace_verdict_of_copy(
	void *result, void *dtype, const struct trace_elements *source)
{
	struct trace_verdict verdict = { .is_copy = true, .result_bytes = source->n_bytes };
	struct trace_elements elements;
	uint64_t n_results, n_sources;
	bool is_comparable;

	if (source->is_part)
		verdict.causes |= TRACE_COPY_ITEMS;
	if (!read_elements(result, &elements))
		return verdict;
	verdict.result_bytes = elements.n_bytes;
	if (!source->item_bytes)
		return verdict;
	verdict.wide_bytes = source->item_bytes;
	verdict.narrow_bytes = elements.item_bytes;
	verdict.from_type = element_type_code(source, true);
	verdict.to_type = element_type_code(&elements, trace_array_elements(result, &elements));
	n_results = elements.n_bytes / verdict.narrow_bytes;
	n_sources = source->n_bytes / verdict.wide_bytes;
	if (source->is_part && n_results > n_sources) {
		n_results = n_sources;
		verdict.result_bytes = n_sources * verdict.narrow_bytes;
	}
	/* Bytes that are reinterpreted as other elements are neither converted nor fewer. */
	if ((verdict.narrow_bytes != verdict.wide_bytes ||
		    are_other_kinds(source->kind, elements.kind)) &&
		n_results == n_sources)
		verdict.causes |= TRACE_COPY_ELEMENT_TYPE;
	is_comparable = is_numeric_kind(source->kind) && is_numeric_kind(elements.kind);
	if (is_comparable && verdict.narrow_bytes == verdict.wide_bytes)
		verdict.is_narrowed = n_results < n_sources;
	else if (is_comparable && verdict.narrow_bytes < verdict.wide_bytes &&
		 n_results == n_sources)
		verdict.is_narrowed = !is_requested(dtype, elements.item_bytes);
	return verdict;
}

void trace_verdict_check_alignment(
	struct trace_verdict *verdict, uint64_t address, uint32_t library)
{
	if (verdict->is_copy && address % JAX_ALIGNMENT_BYTES &&
		trace_memory_is_library(library, "jaxlib"))
		verdict->causes |= TRACE_COPY_ALIGNMENT;
}

void trace_verdict_add_request(struct trace_verdict *verdict, enum trace_copy_request request)
{
	bool is_requested = request == TRACE_REQUEST ||
			    (request == TRACE_REQUEST_IF_UNEXPLAINED && !verdict->causes);

	if (verdict->is_copy && is_requested)
		verdict->causes |= TRACE_COPY_REQUESTED;
}

/* The types of the first copy that converts elements and whose types are known. */
static void note_types(struct trace_row *counts, const struct trace_verdict *verdict)
{
	const bool is_converted =
		verdict->is_narrowed || (verdict->causes & TRACE_COPY_ELEMENT_TYPE);

	if (counts->to_type || !is_converted || !verdict->from_type || !verdict->to_type ||
		verdict->from_type == verdict->to_type)
		return;
	counts->from_type = verdict->from_type;
	counts->to_type = verdict->to_type;
}

/* Adds the causes of a copy, unless it is small in comparison with others. */
static void add_causes(struct trace_row *counts, const struct trace_verdict *verdict)
{
	const uint16_t size_bits = trace_size_bits(verdict->result_bytes);

	if (trace_is_small_copy(size_bits, counts->largest_copy_bits))
		return;
	if (trace_is_small_copy(counts->largest_copy_bits, size_bits)) {
		counts->copy_causes &= TRACE_COPY_FLAGGED;
		if (!counts->n_narrowed)
			counts->from_type = counts->to_type = 0;
	}
	if (counts->largest_copy_bits < size_bits)
		counts->largest_copy_bits = size_bits;
	counts->copy_causes |= (uint16_t)verdict->causes;
	note_types(counts, verdict);
}

static void add_narrowing(uint32_t row, const struct trace_verdict *verdict)
{
	struct trace_row *counts = &trace_memory.rows[row];

	if (!verdict->is_narrowed)
		return;
	note_types(counts, verdict);
	if (!counts->n_narrowed) {
		counts->wide_bytes = verdict->wide_bytes;
		counts->narrow_bytes = verdict->narrow_bytes;
	}
	counts->n_narrowed += 1 + verdict->n_before;
	counts->n_narrowed_bytes += verdict->result_bytes;
}

void trace_verdict_count_narrowing(
	uint32_t row, uint32_t event, const struct trace_verdict *verdict)
{
	note_types(&trace_memory.rows[row], verdict);
	add_narrowing(row, verdict);
	trace_event_set_verdict(event, verdict);
}

void trace_verdict_count(uint32_t row, uint32_t event, const struct trace_verdict *verdict)
{
	struct trace_row *counts = &trace_memory.rows[row];

	trace_event_set_verdict(event, verdict);
	if (!verdict->is_copy) {
		counts->n_shared++;
		return;
	}
	counts->n_copied += 1 + verdict->n_before;
	counts->n_copied_bytes += verdict->result_bytes;
	add_causes(counts, verdict);
	add_narrowing(row, verdict);
}
