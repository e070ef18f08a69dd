// SPDX-License-Identifier: MIT
/* The names of fields, the layout and the memory at the address, for both forms of the array
 * interface. */
#include "rules/numpy/numpy.h"

#include "base/array_size.h"
#include "base/plural.h"
#include "model/fields.h"

#include <string.h>

static const char *data_field(const struct subject *subject)
{
	return value_is_sequence(value_get(subject->declared, "data")) ? "data[0]" : "data";
}

/* Whether other processes can access the mapping. */
static bool is_shared(const struct memory *memory)
{
	static const char *const shared[] = { "/dev/zero", "/dev/shm/", "/memfd:", "/SYSV" };

	for (size_t i = 0; i < ARRAY_SIZE(shared); i++)
		if (!strncmp(memory->mapping, shared[i], strlen(shared[i])))
			return true;
	return memory->kind == MEMORY_FILE;
}

static void nai_check_objects(const struct subject *subject, struct report *report)
{
	const struct array *array = shared_array(subject, report);

	if (array && array->dtype.kind == DTYPE_OBJECT && array_elements(array) > 0 &&
		is_shared(subject->memory))
		rule_fail(report, numpy_is_struct(subject) ? "typekind" : "typestr",
			"elements are pointers to Python objects, but are in '%s', a file or shared memory",
			subject->memory->mapping);
}

static void nai_check_numpy_type(const struct subject *subject, struct report *report)
{
	const struct value *kind = value_get(subject->declared, "typekind");
	int64_t itemsize = value_int_or(value_get(subject->declared, "itemsize"), 0);
	struct typestr typestr = { 0 };

	if (!numpy_is_struct(subject))
		typestr = shared_typestr(subject);
	if (typestr.kind == 't' || (typestr.kind == 'c' && typestr.size == 4))
		rule_fail(report, "typestr", "typestr is %s, a type that NumPy does not support",
			shared_show(subject->arena, value_get(subject->declared, "typestr")));
	else if (numpy_is_struct(subject) && !numpy_struct_has_descr(subject) &&
		 (value_is_text(kind, "t") || (value_is_text(kind, "c") && itemsize == 4)))
		rule_fail(report, "typekind",
			"typekind is %s and itemsize is %lld, a type that NumPy does not support",
			shared_show(subject->arena, kind), (long long)itemsize);
}

/* The size of an array without elements, as NumPy calculates it: extents of 0 do not count. */
static bool check_empty_size(const struct subject *subject, struct report *report, int64_t itemsize)
{
	const struct value *shape = value_get(subject->declared, "shape");
	int64_t total = itemsize > 0 ? itemsize : 1, extent;
	bool is_empty = false, overflows = false;

	/* Of a struct with an invalid nd, the shape is whatever is in memory. */
	if (!value_is_sequence(shape) ||
		value_int_or(value_get(subject->declared, "nd"), 0) > ARRAY_MAX_DIMS)
		return true;
	for (size_t i = 0; i < shape->n_items; i++) {
		is_empty |= value_to_int64(shape->items[i], &extent) && !extent;
		overflows |= value_to_int64(shape->items[i], &extent) && extent > 0 &&
			     __builtin_mul_overflow(total, extent, &total);
	}
	if (is_empty && overflows)
		rule_fail(report, "shape",
			"the product of the item size and the extents that are not 0 exceeds a signed 64-bit integer");
	return !is_empty || !overflows;
}

/* An element whose type cannot be read has at least one byte. */
static void nai_check_size(const struct subject *subject, struct report *report)
{
	struct dtype dtype;
	struct err ignored;

	if (numpy_is_struct(subject)
			? protocol_read_struct_type(subject->declared, &dtype, &ignored)
			: !shared_read_dtype(subject, &dtype))
		dtype = (struct dtype){ 0 };
	if ((numpy_is_struct(subject) && !value_int_or(value_get(subject->declared, "nd"), 0)) ||
		(shared_check_size(subject, report, dtype_itemsize(&dtype), 1, false) &&
			check_empty_size(subject, report, dtype_itemsize(&dtype))))
		shared_check_address_space(subject, report, data_field(subject));
}

static bool array_is_within(const struct array *array, uint64_t pointer, int64_t n_bytes)
{
	uint64_t low, high;
	struct err ignored;

	return !array_extent(array, &low, &high, &ignored) &&
	       (low == high || (low >= pointer && high - pointer <= (uint64_t)n_bytes));
}

/* The key that is wrong: offset or strides if indices without it stay in the buffer. */
static const char *blame_in_buffer(const struct subject *subject, uint64_t pointer, int64_t n_bytes)
{
	struct array other = *subject->array;

	other.pointer = pointer;
	if (subject->array->pointer != pointer && array_is_within(&other, pointer, n_bytes))
		return "offset";
	other = *subject->array;
	array_set_compact_strides(&other, 'C');
	return other.strides_given && array_is_within(&other, pointer, n_bytes) ? "strides"
										: "shape";
}

/* The distance of an address from the pointer, in bytes. */
static const char *show_distance(struct arena *arena, uint64_t address, uint64_t pointer)
{
	return address < pointer
		       ? arena_printf(arena, "-%llu", (unsigned long long)(pointer - address))
		       : arena_printf(arena, "%llu", (unsigned long long)(address - pointer));
}

/* Checks a buffer named by data against its length, whatever is mapped after its end. */
static bool nai_check_buffer_extent(const struct subject *subject, struct report *report)
{
	const struct value *buffer = value_get(subject->details, "buffer");
	uint64_t pointer, low, high;
	struct err ignored;
	int64_t n_bytes;

	if (!value_to_address(value_get(buffer, "pointer"), &pointer) || !pointer ||
		!value_to_int64(value_get(buffer, "nbytes"), &n_bytes) ||
		array_extent(subject->array, &low, &high, &ignored) ||
		array_is_within(subject->array, pointer, n_bytes))
		return true;
	rule_fail(report, blame_in_buffer(subject, pointer, n_bytes),
		"indices span byte offsets [%s, %s), but the buffer has %lld byte%s",
		show_distance(subject->arena, low, pointer),
		show_distance(subject->arena, high, pointer), (long long)n_bytes, plural(n_bytes));
	return false;
}

static void nai_check_extent(const struct subject *subject, struct report *report)
{
	if (subject->array && nai_check_buffer_extent(subject, report))
		shared_check_extent(subject, report, 0);
}

/* Whether an array with a descr is read-only is unknown if NumPy cleared its flags: NAI801. */
static void nai_check_overlap(const struct subject *subject, struct report *report)
{
	if (!numpy_is_struct(subject) || !protocol_lost_struct_flags(subject->declared))
		shared_check_overlap(subject, report);
}

static void nai_check_null(const struct subject *subject, struct report *report)
{
	const struct value *data = value_get(subject->declared, "data");
	const struct array *array = subject->array;
	uint64_t address;

	if (numpy_is_struct(subject)) {
		if (value_to_address(data, &address) && !address)
			shared_fail_null(subject, report, "data", "NULL");
	} else if (value_is_sequence(data)) {
		shared_check_null(subject, report);
	} else if (value_is(value_get(subject->details, "buffer"), VALUE_MAP) && array &&
		   !array->pointer) {
		shared_fail_null(subject, report, "data", "a buffer at address 0");
	}
}

static void nai_check_permission(const struct subject *subject, struct report *report)
{
	const char *pointer = data_field(subject);
	bool is_pair = !strcmp(pointer, "data[0]");
	uint64_t address;

	if (is_pair && !value_to_uint64(value_at(subject->declared, pointer), &address))
		return; /* NAI104 */
	shared_check_permission(subject, report, pointer,
		is_pair                    ? "data[1]"
		: numpy_is_struct(subject) ? "flags"
					   : pointer);
}

static void nai_check_host(const struct subject *subject, struct report *report)
{
	shared_check_host_memory(subject, report, data_field(subject));
}

/* Fails for the first clash of a list, and of each list nested in it. */
static void check_default_names(const struct subject *subject, struct report *report,
	const struct value *fields, const char *path)
{
	bool has_failed = false;

	if (!value_is(fields, VALUE_LIST))
		return;
	for (size_t i = 0; i < fields->n_items; i++) {
		const struct value *field = fields->items[i];
		const struct value *name = fields_name_of(field);
		ptrdiff_t unnamed = fields_find_default_name(fields, name);

		if (unnamed < 0) {
			name = fields_title_of(field);
			unnamed = fields_find_default_name(fields, name);
		}
		if (unnamed >= 0 && !has_failed) {
			rule_fail(report, path,
				"%s[%zu] is named '%s', the name that numpy.dtype gives to %s[%td], which has none",
				path, i, name->bytes, path, unnamed);
			has_failed = true;
		}
		check_default_names(subject, report, value_item(field, 1),
			arena_printf(subject->arena, "%s[%zu][1]", path, i));
	}
}

/* Only if NumPy reads descr. */
static void nai_check_default_names(const struct subject *subject, struct report *report)
{
	const struct value *declared = subject->declared;
	const char *typestr = value_text_or(value_get(declared, "typestr"), "");

	if (numpy_is_struct(subject) ? numpy_struct_has_descr(subject)
				     : *typestr && typestr[1] == 'V')
		check_default_names(subject, report, value_get(declared, "descr"), "descr");
}

const struct rule numpy_memory_rules[] = {
	{
		NUMPY_FORMS_RULE(0, "NAI116", "descr-names", ERROR, FACT),
		.clause = CLAUSE_NUMPY "descr (the document does not define unnamed fields)",
		.summary =
			"no field in descr has the name that numpy.dtype gives to an unnamed field of the same list, such as padding: f and its index",
		.why = "numpy.asarray raises ValueError for a dictionary of such a structure (\"field 'f1' occurs more than once\"), and reads a struct as raw bytes without fields; arrays of numpy.dtype('u1,f8', align=True) have such names",
		.fix = "give the fields other names, as in x.dtype.names = ['a', 'b'], or name the padding in descr",
		.check = nai_check_default_names,
	},
	{
		NUMPY_FORMS_RULE(0, "NAI205", "numpy-type", ERROR, FACT),
		.requires = { "NAI201", "NAI203" },
		.clause = CLAUSE_NUMPY
		"typestr (describes bit fields, but NumPy supports neither these nor complex numbers of four bytes)",
		.summary =
			"the element type is supported by NumPy: neither a bit field ('|t8') nor a complex number with float16 components ('<c4')",
		.why = "numpy.asarray raises TypeError, for a struct unless descr declares another type",
		.fix = "export bit fields as '|u1' or, if larger, as bytes ('|V8' for '|t64'), and complex numbers with float16 components as '<f2' with an additional last dimension of extent 2",
		.check = nai_check_numpy_type,
	},
	{
		NUMPY_FORMS_RULE(FACT_MEMORY, "NAI202", "objects-in-process", ERROR, HAZARD),
		.clause = "derived from " CLAUSE_NUMPY
			  "typestr (\"the memory contains a pointer to PyObject\")",
		.summary =
			"elements of kind O are neither in a file nor in memory shared between processes",
		.why = "the pointers are valid only in the process that wrote them: reading an element in any other process, or after a restart, can crash that process",
		.fix = "store numbers or fixed-width bytes instead, or pickle the objects",
		.check = nai_check_objects,
	},
	{
		NUMPY_FORMS_RULE(FACT_MEMORY, "NAI302", "extent-mapped", ERROR, MUST),
		.clause = CLAUSE_NUMPY
		"data (\"points to the data-area storing the array contents\")",
		.summary =
			"every element is in the buffer that data refers to (without data: that of the object itself) or, if data is an address, in mapped memory without gaps",
		.why = "reading an element outside this memory crashes the process or returns unrelated bytes; without data, numpy.asarray uses the buffer and ignores the dictionary",
		.fix = "correct shape, strides (in bytes), offset or the address; with a negative stride, data points to the element at index 0, "
		       "not to the lowest byte",
		.check = nai_check_extent,
	},
	{
		NUMPY_FORMS_RULE(0, "NAI303", "size-overflow", ERROR, LOGIC),
		.clause = "derived from " CLAUSE_NUMPY
			  "shape; strides (\"raising an error when overflow is possible\")",
		.summary =
			"each extent, each stride and the size in bytes (the product without extents of 0) fit in a signed 64-bit integer, and every element is within the address space",
		.why = "numpy.asarray raises OverflowError or ValueError if an extent, a stride or the size exceeds a signed 64-bit integer; it accepts any other layout that places elements outside the address space, and reading such an element crashes the process",
		.fix = "correct shape, strides or the address",
		.check = nai_check_size,
	},
	{
		NUMPY_FORMS_RULE(0, "NAI307", "strides-unit", WARNING, MUST),
		.requires = { "NAI201", "NAI203" },
		.clause = CLAUSE_NUMPY
		"strides (\"the number of bytes needed to jump to the next array element\")",
		.summary = SHARED_STRIDE_UNIT_SUMMARY,
		.why = "in DLPack, PyTorch and SYCL, strides are in elements; if they are exported unchanged, adjacent elements overlap, and numpy.asarray returns wrong values without an error",
		.fix = "multiply each stride by the element size: strides=tuple(stride * itemsize for stride in strides)",
		.check = shared_check_stride_unit,
	},
	{
		NUMPY_FORMS_RULE(0, "NAI308", "overlap", WARNING, HAZARD),
		.requires = { "NAI307" },
		.subsumed_by = { "DLP311" },
		.clause = "derived from " CLAUSE_NUMPY "strides; data",
		.summary = "no two elements overlap in memory unless the array is read-only",
		.why = "an assignment through numpy.asarray to one element also changes others, and the result of an operation in place depends on the order of the writes",
		.fix = "export a copy, or declare the array read-only: data=(address, True), or for a struct, clear WRITEABLE (0x400) in flags",
		.check = nai_check_overlap,
	},
	{
		NUMPY_FORMS_RULE(0, "NAI401", "null-pointer", ERROR, FACT),
		.clause = CLAUSE_NUMPY
		"data (\"Prior to NumPy 2.4 a NULL pointer used the undocumented\")",
		.summary = "the address is not 0 if the array has elements",
		.why = "numpy.asarray raises ValueError (before NumPy 2.4, it calls float() or int() on an object with one element); for "
		       "a struct, it allocates a new array with uninitialized elements",
		.fix = "use the address of the first element, or a shape with an extent of 0",
		.check = nai_check_null,
	},
	{
		NUMPY_FORMS_RULE(FACT_MEMORY, "NAI402", "pointer-mapped", ERROR, MUST),
		.clause = CLAUSE_NUMPY
		"data (\"This pointer must point to the first element of data\")",
		.summary =
			"the memory of the elements is readable, and writable unless the interface declares it read-only",
		.why = "reading an element of unreadable memory, or writing to an element of read-only memory, crashes the process",
		.fix = "use the address of live memory; if it must not be written, use data=(address, True), or clear WRITEABLE (0x400) in the flags of the struct",
		.check = nai_check_permission,
	},
	{
		NUMPY_FORMS_RULE(FACT_MEMORY, "NAI501", "host-memory", ERROR, HAZARD),
		.clause = "derived from " CLAUSE_NUMPY "data",
		.summary =
			"the memory is accessible from the host, as are host, pinned, managed, USM host and USM shared memory",
		.why = "NumPy reads the memory on the host, and the process crashes if it is device memory",
		.fix = "export device memory only through __cuda_array_interface__, __sycl_usm_array_interface__ or __dlpack__",
		.check = nai_check_host,
	},
	{ .id = NULL },
};
