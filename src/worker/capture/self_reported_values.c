// SPDX-License-Identifier: MIT
/*
 * Whether the elements in an object's memory are its values, or what must be applied to them: the
 * object's own mask, PyTorch's lazy negation and conjugation, quantized and scaled types, the
 * tables of FITS files. Protocols express none of these except the mask of two dictionaries.
 */
#include "base/array_size.h"
#include "worker/capture/keepalive.h"
#include "worker/capture/self_reported.h"

#include <stdio.h>
#include <string.h>

/* Whether the object is exactly a numpy.ndarray, which has none of the attributes that are read
 * here. */
static bool is_plain_ndarray(PyObject *object)
{
	PyObject *numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
	PyObject *type = numpy ? PyObject_GetAttrString(numpy, "ndarray") : NULL;
	bool is_plain = type && (PyObject *)Py_TYPE(object) == type;

	object_drop_error();
	Py_DecRef(type);
	return is_plain;
}

/* --- masks --- */

/* Whether name is a field of the object's records, which numpy.recarray exposes as an attribute. */
static bool is_field(PyObject *object, const char *name)
{
	PyObject *dtype = NULL, *names = NULL, *text = PyUnicode_FromString(name);
	bool found = false;

	if (text && object_attribute(object, "dtype", &dtype) > 0 &&
		object_attribute(dtype, "names", &names) > 0 && PyTuple_Check(names))
		found = PySequence_Contains(names, text) == 1;
	object_drop_error();
	Py_DecRef(names);
	Py_DecRef(dtype);
	Py_DecRef(text);
	return found;
}

/* An attribute that contains data: not a method, None, or a field. A new reference, or NULL;
 * is_lost: reading it ended an earlier worker. */
static PyObject *data_attribute(PyObject *object, const char *name, bool *is_lost)
{
	PyObject *found = NULL;

	*is_lost = !worker_step(name);
	if (*is_lost)
		return NULL;
	object_attribute(object, name, &found);
	if (found && (found == Py_None || PyCallable_Check(found) || is_field(object, name))) {
		Py_DecRef(found);
		found = NULL;
	}
	object_drop_error();
	worker_step_done();
	return found;
}

static const struct value *shape_of(struct arena *arena, PyObject *object)
{
	PyObject *shape = NULL;
	const struct value *value = NULL;

	if (object_attribute(object, "shape", &shape) > 0)
		value = object_to_value(arena, shape);
	object_drop_error();
	Py_DecRef(shape);
	return value_is_sequence(value) ? value : NULL;
}

/* The `declared` of an interface that can be read without an export; NULL: it cannot. */
static const struct value *declared_by(
	struct arena *arena, PyObject *object, const struct capture *capture)
{
	const struct job job = { 0 };
	struct capture_context fresh = { .arena = arena, .job = &job };
	const struct value *declared = NULL;

	if (!capture->is_export)
		declared = capture_read_declared(capture, &fresh, object);
	object_drop_error();
	worker_step_done();
	return declared;
}

/* The attribute, read in a step; NULL: there is none. */
static const struct value *own_shape(struct arena *arena, PyObject *object)
{
	const struct value *shape = worker_step("shape") ? shape_of(arena, object) : NULL;

	worker_step_done();
	return shape;
}

/* The shape of the first interface that declares one; otherwise NULL. */
static const struct value *declared_shape(struct arena *arena, PyObject *object)
{
	for (size_t i = 0; captures[i]; i++) {
		const struct value *shape =
			value_get(declared_by(arena, object, captures[i]), "shape");

		if (value_is_sequence(shape))
			return shape;
	}
	return NULL;
}

static bool is_same_shape(const struct value *a, const struct value *b)
{
	if (a->n_items != b->n_items)
		return false;
	for (size_t i = 0; i < a->n_items; i++)
		if (value_int_or(a->items[i], -1) != value_int_or(b->items[i], -2))
			return false;
	return true;
}

/* str(dtype) of NumPy's bool, of records of them, and of other libraries' bool. */
static bool dtype_is_bool(struct arena *arena, PyObject *object)
{
	PyObject *dtype = NULL, *text = NULL;
	const char *name;

	if (object_attribute(object, "dtype", &dtype) > 0)
		text = PyObject_Str(dtype);
	name = text ? value_text_or(object_to_value(arena, text), "") : "";
	object_drop_error();
	Py_DecRef(text);
	Py_DecRef(dtype);
	return strstr(name, "bool") || (*name == '[' && strstr(name, "'?'"));
}

/* Reads a dictionary interface and its *shape. */
static bool dictionary_is_bool(
	struct arena *arena, PyObject *object, const char *attribute, const struct value **shape)
{
	PyObject *dictionary = NULL;
	const struct value *plain = NULL;
	const char *typestr;

	if (object_attribute(object, attribute, &dictionary) > 0)
		plain = object_to_value(arena, dictionary);
	object_drop_error();
	Py_DecRef(dictionary);
	typestr = value_text_or(value_get(plain, "typestr"), "");
	if (!*typestr || strcmp(typestr + 1, "b1") != 0)
		return false;
	*shape = value_get(plain, "shape");
	return true;
}

/* Reads nested lists of bool, whose lengths become *shape. */
static bool list_is_bool(struct arena *arena, const struct value *list, const struct value **shape)
{
	struct value *lengths = value_tuple(arena);

	for (; value_is_sequence(list); list = value_item(list, 0))
		value_append(arena, lengths, value_int(arena, (int64_t)list->n_items));
	*shape = lengths;
	return value_is(list, VALUE_BOOL);
}

/* Whether mask is boolean and of the given shape; NULL: any shape. */
static bool is_mask_of(struct arena *arena, PyObject *mask, const struct value *wanted)
{
	const struct value *shape = shape_of(arena, mask), *plain;
	PyObject *format = NULL;
	bool is_bool;

	if (PyBool_Check(mask))
		return wanted && !wanted->n_items;
	if (PyList_Check(mask) || PyTuple_Check(mask)) {
		plain = object_to_value(arena, mask);
		is_bool = list_is_bool(arena, plain, &shape);
	} else {
		is_bool = dtype_is_bool(arena, mask) ||
			  dictionary_is_bool(arena, mask, "__array_interface__", &shape) ||
			  dictionary_is_bool(arena, mask, "__cuda_array_interface__", &shape);
		if (!is_bool && PyMemoryView_Check(mask) &&
			object_attribute(mask, "format", &format) > 0)
			is_bool = PyUnicode_Check(format) &&
				  !PyUnicode_CompareWithASCIIString(format, "?");
		Py_DecRef(format);
		object_drop_error();
	}
	return is_bool && shape && (wanted ? is_same_shape(shape, wanted) : shape->n_items > 0);
}

/* The result of module.function(argument), a new reference; NULL: it raised. */
static PyObject *call_module_function(const char *module, const char *function, PyObject *argument)
{
	PyObject *imported = PyDict_GetItemString(PyImport_GetModuleDict(), module);
	PyObject *answer = NULL;

	if (imported && worker_step(function))
		answer = PyObject_CallMethod(imported, function, "O", argument);
	worker_step_done();
	return answer;
}

/* Whether a mask of NumPy's convention, in which True is masked, masks an element. Masks of records
 * are records: numpy.ma.is_masked raises, count_nonzero reads their fields. */
static enum object_mask count_masked(PyObject *mask)
{
	PyObject *count = mask ? call_module_function("numpy", "count_nonzero", mask) : NULL;
	int truth = count ? PyObject_IsTrue(count) : -1;

	object_drop_error();
	Py_DecRef(count);
	if (truth < 0)
		return OBJECT_MASK_UNKNOWN;
	return truth ? OBJECT_MASKED : OBJECT_UNMASKED;
}

enum object_mask object_mask_of(struct arena *arena, PyObject *object)
{
	enum object_mask result = OBJECT_NO_MASK;
	const struct value *shape = NULL;
	bool is_lost = false;
	PyObject *mask;

	if (is_plain_ndarray(object))
		return OBJECT_NO_MASK;
	if (object_is_instance(object, "numpy.ma", "MaskedArray")) {
		mask = call_module_function("numpy.ma", "getmask", object);
		result = count_masked(mask);
	} else {
		mask = data_attribute(object, "mask", &is_lost);
		if (!mask && is_lost)
			return OBJECT_MASK_UNKNOWN;
		if (mask)
			shape = own_shape(arena, object);
		if (mask && !shape)
			shape = declared_shape(arena, object);
		if (mask && worker_step("mask")) {
			/* Libraries other than NumPy differ in what True means. */
			if (is_mask_of(arena, mask, shape))
				result = object_is_instance(object, "numpy", "ndarray")
						 ? count_masked(mask)
						 : OBJECT_MASK_UNKNOWN;
			worker_step_done();
		}
	}
	object_drop_error();
	Py_DecRef(mask);
	return result;
}

/* --- operations still to be applied --- */

/* Whether the method exists and returns True: one from __getattr__ may return anything. */
static bool method_is_true(struct arena *arena, PyObject *object, const char *name)
{
	PyObject *method = NULL, *answer = NULL;
	bool is_true;

	if (!worker_step(arena_printf(arena, "%s()", name)))
		return false;
	if (object_attribute(object, name, &method) > 0 && PyCallable_Check(method) &&
		!PyType_Check(object))
		answer = PyObject_CallNoArgs(method);
	is_true = answer == Py_True;
	object_drop_error();
	Py_DecRef(answer);
	Py_DecRef(method);
	worker_step_done();
	return is_true;
}

/* The codes of PyTorch's and TensorFlow's quantized types: "torch.quint8", "<dtype: 'qint8'>". */
static bool dtype_is_quantized(struct arena *arena, PyObject *object)
{
	PyObject *dtype = NULL, *text = NULL;
	const char *name = "";
	const char *at;

	if (!worker_step("dtype"))
		return false;
	if (object_attribute(object, "dtype", &dtype) > 0)
		text = PyObject_Str(dtype);
	if (text)
		name = value_text_or(object_to_value(arena, text), "");
	object_drop_error();
	Py_DecRef(text);
	Py_DecRef(dtype);
	worker_step_done();
	if (*name == '[' || *name == '{')
		return false;
	at = strrchr(name, '.') ? strrchr(name, '.') + 1 : name;
	at = strchr(at, '\'') ? strchr(at, '\'') + 1 : at;
	return !strncmp(at, "qint", 4) || !strncmp(at, "quint", 5);
}

static bool is_quantized(struct arena *arena, PyObject *object)
{
	bool is_lost;
	PyObject *flag = data_attribute(object, "is_quantized", &is_lost);
	bool is_set = flag == Py_True;

	Py_DecRef(flag);
	return is_set || dtype_is_quantized(arena, object);
}

/* Whether the attribute has a value other than the neutral number. */
static bool is_number_other_than(PyObject *found, double neutral)
{
	double number;

	if (!PyFloat_Check(found) && !PyLong_Check(found))
		return true;
	number = PyFloat_AsDouble(found);
	object_drop_error();
	return number != neutral;
}

/* A factor and an offset, as ONNX and netCDF name them: both exist, and together they change a
 * number. */
static bool is_scaled_by(PyObject *object, const char *factor, const char *offset)
{
	bool is_lost, is_scaled;
	PyObject *multiply = data_attribute(object, factor, &is_lost);
	PyObject *add = multiply ? data_attribute(object, offset, &is_lost) : NULL;

	is_scaled = multiply && add &&
		    (is_number_other_than(multiply, 1) || is_number_other_than(add, 0));
	Py_DecRef(add);
	Py_DecRef(multiply);
	return is_scaled;
}

/* Whether an item of the list is a factor or offset that changes a number. */
static bool has_scale(const struct value *list, double neutral)
{
	for (size_t i = 0; value_is_sequence(list) && i < list->n_items; i++) {
		const struct value *item = list->items[i];

		if ((value_is(item, VALUE_INT) && (double)item->integer != neutral) ||
			value_is(item, VALUE_WIDE_INT) ||
			(value_is(item, VALUE_REAL) && item->real != neutral))
			return true;
	}
	return false;
}

/* Formats of logical values ('T' and 'F'), bits, and rows that are elsewhere (FITS 4.0, 7.3). */
static bool has_coded_format(const struct value *formats)
{
	for (size_t i = 0; value_is_sequence(formats) && i < formats->n_items; i++)
		if (strpbrk(value_text_or(formats->items[i], ""), "LXPQ"))
			return true;
	return false;
}

static const struct value *list_attribute(struct arena *arena, PyObject *object, const char *name)
{
	PyObject *found = NULL;
	const struct value *list = NULL;

	if (object_attribute(object, name, &found) > 0)
		list = object_to_value(arena, found);
	object_drop_error();
	Py_DecRef(found);
	return list;
}

/* astropy's table of a FITS file holds the file's bytes, and decodes a column when it is read. */
static bool is_coded_table(struct arena *arena, PyObject *object)
{
	bool is_lost, is_coded = false;
	PyObject *columns;

	if (!object_is_instance(object, "astropy.io.fits", "FITS_rec"))
		return false;
	columns = data_attribute(object, "columns", &is_lost);
	if (columns && worker_step("columns")) {
		is_coded = has_scale(list_attribute(arena, columns, "bscales"), 1) ||
			   has_scale(list_attribute(arena, columns, "bzeros"), 0) ||
			   has_coded_format(list_attribute(arena, columns, "formats"));
		worker_step_done();
	}
	Py_DecRef(columns);
	return is_coded;
}

enum {
	PENDING_MASK = 1 << 0,
	PENDING_NEGATION = 1 << 1,
	PENDING_CONJUGATION = 1 << 2,
	PENDING_DEQUANTIZATION = 1 << 3,
	PENDING_SCALING = 1 << 4,
	PENDING_DECODING = 1 << 5,
};

static int find_pending(struct arena *arena, PyObject *object)
{
	int pending = 0;

	if (is_plain_ndarray(object))
		return 0;
	if (method_is_true(arena, object, "is_neg"))
		pending |= PENDING_NEGATION;
	if (method_is_true(arena, object, "is_conj"))
		pending |= PENDING_CONJUGATION;
	if (is_quantized(arena, object) || is_scaled_by(object, "scale", "zero_point"))
		pending |= PENDING_DEQUANTIZATION;
	if (is_scaled_by(object, "scale_factor", "add_offset"))
		pending |= PENDING_SCALING;
	if (is_coded_table(arena, object))
		pending |= PENDING_DECODING;
	return pending;
}

struct fact_texts object_pending(struct arena *arena, PyObject *object, enum object_mask mask)
{
	static const struct {
		int bit;
		const char *word;
	} words[] = {
		{ PENDING_MASK, "mask" },
		{ PENDING_NEGATION, "negation" },
		{ PENDING_CONJUGATION, "conjugation" },
		{ PENDING_DEQUANTIZATION, "dequantization" },
		{ PENDING_SCALING, "scaling" },
		{ PENDING_DECODING, "decoding" },
	};
	int pending = find_pending(arena, object);
	struct fact_texts list = { .known = true };

	if (mask == OBJECT_MASKED || mask == OBJECT_MASK_UNKNOWN)
		pending |= PENDING_MASK;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (pending & words[i].bit)
			fact_texts_add(arena, &list, words[i].word);
	return list;
}

/* --- the object whose memory holds the values --- */

static bool has_attribute(PyObject *object, const char *name)
{
	PyObject *found = NULL;

	if (worker_step(name)) {
		object_attribute(object, name, &found);
		object_drop_error();
		worker_step_done();
	}
	Py_DecRef(found);
	return found != NULL;
}

static int check_mask(struct arena *arena, PyObject *object, struct err *err)
{
	bool is_numpy = object_is_instance(object, "numpy.ma", "MaskedArray");

	switch (object_mask_of(arena, object)) {
	case OBJECT_MASKED:
		return err_set(err, EXIT_TARGET,
			"elements of the array are masked, which its interfaces do not report: use %s%s",
			has_attribute(object, "filled")
				? "array.filled() or, to include the masked elements, "
				: "",
			has_attribute(object, "unmasked") ? "array.unmasked" : "array.data");
	case OBJECT_MASK_UNKNOWN:
		if (is_numpy)
			return err_set(err, EXIT_TARGET,
				"numpy.ma does not report whether elements of the array are masked: use array.filled() or array.data");
		return err_set(err, EXIT_TARGET,
			"the object has a boolean mask%s (.mask), which its interfaces do not report, and suai does not know which elements it hides: use an array without a mask",
			own_shape(arena, object) || declared_shape(arena, object)
				? " of its own shape"
				: "");
	default:
		return 0;
	}
}

static int refuse_pending(PyObject *object, int pending, struct err *err)
{
	if (pending & PENDING_DEQUANTIZATION)
		return err_set(err, EXIT_TARGET,
			"the elements in memory are quantized, and no interface reports their scale and zero point: use %s",
			has_attribute(object, "dequantize") ? "array.dequantize()"
							    : "the dequantized array");
	if (pending & PENDING_SCALING)
		return err_set(err, EXIT_TARGET,
			"scale_factor and add_offset are not applied to the elements in memory: use the scaled array");
	return err_set(err, EXIT_TARGET,
		"columns of the table are stored scaled or encoded (TSCAL, TZERO, or a format such as L): use one column, "
		"such as ['NAME']");
}

/* Calls the method that computes the values; takes object and returns the result. */
static PyObject *call_resolver(
	struct arena *arena, PyObject *object, const char *name, struct err *err)
{
	PyObject *method = NULL, *resolved = NULL;
	struct fact_error error;

	if (!worker_step(arena_printf(arena, "%s()", name))) {
		err_set(err, EXIT_TARGET, "skipped: %s() terminated an earlier worker", name);
	} else if (object_attribute(object, name, &method) == 0) {
		err_set(err, EXIT_TARGET,
			"the elements in memory are not the object's values, and the object has no %s()",
			name);
	} else {
		resolved = method ? PyObject_CallNoArgs(method) : NULL;
		if (!resolved) {
			error = object_take_error(arena);
			err_set(err, EXIT_TARGET, "%s(): %s: %s", name,
				fact_text_or(error.type, "exception"),
				fact_text_or(error.message, ""));
		}
	}
	worker_step_done();
	Py_DecRef(method);
	Py_DecRef(object);
	return resolved;
}

/* The name of the element type without the module and punctuation: "torch.float32". */
static const char *dtype_name(struct arena *arena, PyObject *object)
{
	PyObject *dtype = NULL, *text = NULL;
	const char *name = NULL, *at;

	if (object_attribute(object, "dtype", &dtype) > 0 && dtype != Py_None)
		text = PyObject_Str(dtype);
	if (text)
		name = value_text_or(object_to_value(arena, text), NULL);
	object_drop_error();
	Py_DecRef(text);
	Py_DecRef(dtype);
	at = name ? strrchr(name, '.') : NULL;
	return at ? at + 1 : name;
}

static bool has_typestr(const struct value *declared)
{
	return *value_text_or(value_get(declared, "typestr"), "") != 0;
}

/* Whether two typestrs differ in more than the byte order: NumPy computes in native order. */
static bool is_other_type(const struct value *a, const struct value *b)
{
	return strcmp(value_text_or(value_get(a, "typestr"), "") + 1,
		       value_text_or(value_get(b, "typestr"), "") + 1) != 0;
}

/* Properties of a resolver's result that were compared with those of its source. */
struct resolved_comparison {
	bool has_shape, has_type;
	const char *differs; /* the first that differs; NULL: none */
};

static void compare_resolved_shape(struct resolved_comparison *comparison,
	const struct value *source, const struct value *resolved)
{
	if (comparison->differs || !source || !value_is_sequence(resolved))
		return;
	comparison->has_shape = true;
	comparison->differs = is_same_shape(resolved, source) ? NULL : "shape";
}

/* Compares the typestr of two dictionaries, either of which may be NULL. */
static void compare_resolved_type(struct resolved_comparison *comparison,
	const struct value *source, const struct value *resolved)
{
	if (comparison->differs || !source || !has_typestr(resolved))
		return;
	comparison->has_type = true;
	comparison->differs = is_other_type(source, resolved) ? "element type" : NULL;
}

static int compare_resolved_dtype(struct resolved_comparison *comparison, struct arena *arena,
	PyObject *source, PyObject *resolved, struct err *err)
{
	const char *source_name, *resolved_name;

	if (!worker_step("dtype"))
		return err_set(
			err, EXIT_TARGET, "skipped: reading dtype terminated an earlier worker");
	source_name = dtype_name(arena, source);
	resolved_name = dtype_name(arena, resolved);
	worker_step_done();
	comparison->has_type = source_name && resolved_name;
	if (comparison->has_type && strcmp(source_name, resolved_name) != 0)
		comparison->differs = "element type";
	return 0;
}

/* Whether a resolver's result has the shape and element type of its source in every interface that
 * reports them: otherwise it does not hold the source's values. */
static int check_resolved(struct arena *arena, PyObject *source, PyObject *resolved,
	const char *resolved_by, struct err *err)
{
	const struct value *shape = declared_shape(arena, source), *type = NULL;
	struct resolved_comparison comparison = { 0 };

	shape = shape ? shape : own_shape(arena, source);
	for (size_t i = 0; captures[i] && !type; i++) {
		type = declared_by(arena, source, captures[i]);
		type = has_typestr(type) ? type : NULL;
	}
	for (size_t i = 0; captures[i] && !comparison.differs; i++) {
		const struct value *declared = declared_by(arena, resolved, captures[i]);

		compare_resolved_shape(&comparison, shape, value_get(declared, "shape"));
		compare_resolved_type(&comparison, type, declared);
	}
	compare_resolved_shape(&comparison, shape, own_shape(arena, resolved));
	if (!comparison.differs && !comparison.has_type &&
		compare_resolved_dtype(&comparison, arena, source, resolved, err))
		return -1;
	if (comparison.differs)
		return err_set(err, EXIT_TARGET,
			"the elements in memory are not the object's values, and %s returned an array of another %s",
			resolved_by, comparison.differs);
	if (comparison.has_shape && comparison.has_type)
		return 0;
	return err_set(err, EXIT_TARGET,
		"the elements in memory are not the object's values, and suai cannot compare the %s of the result of %s with the object's",
		comparison.has_shape ? "element type" : "shape", resolved_by);
}

int object_values_check(struct arena *arena, PyObject *object, int *pending, struct err *err)
{
	*pending = 0;
	if (check_mask(arena, object, err))
		return -1;
	*pending = find_pending(arena, object);
	if (*pending & ~(PENDING_NEGATION | PENDING_CONJUGATION))
		return refuse_pending(object, *pending, err);
	return 0;
}

PyObject *object_values_resolve(struct arena *arena, PyObject *object, int pending,
	const char **resolved_by, struct err *err)
{
	PyObject *source = object;

	*resolved_by = NULL;
	Py_IncRef(object);
	if (object && pending & PENDING_CONJUGATION) {
		object = call_resolver(arena, object, "resolve_conj", err);
		*resolved_by = "resolve_conj()";
	}
	if (object && pending & PENDING_NEGATION) {
		object = call_resolver(arena, object, "resolve_neg", err);
		*resolved_by = *resolved_by ? "resolve_conj().resolve_neg()" : "resolve_neg()";
	}
	if (!object || !pending)
		return object;
	if (find_pending(arena, object))
		err_set(err, EXIT_TARGET,
			"the elements in memory are not the object's values, and the same applies to the result of %s",
			*resolved_by);
	else if (!check_resolved(arena, source, object, *resolved_by, err))
		return object;
	Py_DecRef(object);
	return NULL;
}
