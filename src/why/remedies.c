// SPDX-License-Identifier: MIT
/* The lines that are tried if a consumer rejects or copies an object. */
#include "why/situation.h"
#include "why/why.h"

#include "base/array_size.h"
#include "base/identifier.h"
#include "base/python_code.h"
#include "base/text.h"
#include "model/device.h"
#include "model/usual_names.h"
#include "protocols/protocol.h"

#include <string.h>

enum { MAX_ATTEMPTS = 64 };

/* An object of 64-byte alignment with the type and shape of _, without its elements. */
#define ALIGNED                                                              \
	"(lambda a: (lambda b: "                                             \
	"b[-b.ctypes.data % 64:][:a.nbytes].view(a.dtype).reshape(a.shape))" \
	"(numpy.empty(a.nbytes + 64, 'u1')))(numpy.asarray(_))"

/* A 64-byte aligned array with the element type of _ and another shape, whose number of dimensions
 * must differ. */
#define ALIGNED_SHAPED(shape)                                                                    \
	"(lambda a, s: (lambda b, n: b[-b.ctypes.data % 64:][:n].view(a.dtype).reshape(s))("     \
	"numpy.zeros(27 * a.itemsize + 64, 'u1'), 3 ** len(s) * a.itemsize) if a.ndim != len(s)" \
	" else None.same_dimensions)(numpy.asarray(_), " shape ")"

/* A 64-byte aligned array with the shape of _ and another element type. */
#define ALIGNED_OTHER                                                       \
	"(lambda b, n, t: b[-b.ctypes.data % 64:][:n * 8].view(t).reshape(" \
	"numpy.shape(_)))(numpy.empty(numpy.size(_) * 8 + 64, 'u1'), "      \
	"numpy.size(_), 'i8' if numpy.asarray(_).dtype == 'f8' else 'f8')"

/* The first elements of a large array. */
#define CORNER "numpy.asarray(_)[(slice(9),) * numpy.ndim(_)]"

/* A line to try. causes: a space-separated list; NULL: any refusal. The row applies to objects with
 * a type of `library`, and to consumers of `consumer_library`; NULL: to all. */
struct remedy {
	const char *causes, *library, *consumer_library;
	const char *passed;   /* instead of _ */
	const char *keywords; /* after it; or NULL. Only for consumers that are functions */
	const char *called;   /* instead of the consumer; or NULL */
	const char *note;
	bool allows_changes;
	bool copies;
	bool is_off_host;         /* only for elements that are not in memory of the host */
	const char *types;        /* words of the element type, separated by |; NULL: all */
	const char *except_types; /* the same of types to which it does not apply; or NULL */
	bool (*fits)(int64_t n_dims, int64_t n_elements); /* -1: unknown; NULL: any array */
};

static bool has_one_element(int64_t n_dims, int64_t n_elements)
{
	return n_dims != 1 && n_elements == 1;
}

static bool has_some_dims(int64_t n_dims, int64_t n_elements)
{
	(void)n_elements;
	return n_dims != 1;
}

static bool has_rows(int64_t n_dims, int64_t n_elements)
{
	(void)n_elements;
	return n_dims > 1;
}

/* Passes a copy of another element type. The comparison of elements reports values that change. */
#define AS_TYPE(name, of)                                                                   \
	{                                                                                   \
		.causes = "element-type", .passed = "_.astype('" name "')", .copies = true, \
		.types = of                                                                 \
	}
/* For a consumer that accepts only arrays of its own library: passes one that `array` makes. */
#define IN_LIBRARY(name, array)                                                                    \
	{                                                                                          \
		.causes = "no-protocol", .consumer_library = name, .passed = array, .copies = true \
	}
/* For a consumer that reads another interface, or one that cannot mark memory as read-only. */
#define OF_DLPACK(name, function)                                                          \
	{                                                                                  \
		.causes = "no-protocol readonly", .consumer_library = name, .passed = "_", \
		.called = function                                                         \
	}
#define COUNTS "elements become their integer counts"
#define FILLED_BITS "numpy.asarray(_.fill_null(False))"
#define NUMBERS "int|float|bool|complex|longdouble|object"

/* Rows that need no copy come first. */
static const struct remedy remedies[] = {
	{ .causes = "copied",
		.consumer_library = "jax",
		.passed = "_",
		.called = "jax.dlpack.from_dlpack" },
	{ .causes = "copied",
		.consumer_library = "jax",
		.passed = "_",
		.called = "jax.device_put",
		.copies = true },
	{ .causes = "copied",
		.consumer_library = "numpy",
		.passed = "_",
		.called = "numpy.asarray" },
	{ .causes = "copied",
		.consumer_library = "torch",
		.passed = "_",
		.called = "torch.as_tensor" },
	{ .causes = "copied", .passed = "numpy.asarray(_)" },
	{ .causes = "copied", .passed = "_", .keywords = "copy=None", .copies = true },
	{ .causes = "copied", .passed = "_", .keywords = "copy=False" },
	{ .causes = "pending-operation", .passed = "_.detach()" },
	{ .causes = "pending-operation", .passed = "_.dequantize()", .copies = true },
	{ .causes = "pending-operation",
		.passed = "_.resolve_conj().resolve_neg()",
		.copies = true },
	{ .causes = "pending-operation",
		.passed = "_.detach().resolve_conj().resolve_neg()",
		.copies = true },
	{ .causes = "pending-operation",
		.library = "torch",
		.passed = "_.detach().cpu()",
		.copies = true,
		.is_off_host = true },
	{ .causes = "pending-operation",
		.library = "torch",
		.passed = "_.resolve_conj().resolve_neg().cpu()",
		.copies = true,
		.is_off_host = true },
	{ .causes = "pending-operation",
		.library = "torch",
		.passed = "_.detach().resolve_conj().resolve_neg().cpu()",
		.copies = true,
		.is_off_host = true },
	{ .causes = "pending-operation",
		.library = "numpy",
		.passed = "_.data",
		.note = "ignores the mask",
		.allows_changes = true },
	{ .causes = "pending-operation",
		.library = "numpy",
		.passed = "_.filled()",
		.copies = true,
		.note = "masked elements become the fill value",
		.allows_changes = true },
	{ .causes = "element-type", .passed = "_.view('uint8')", .types = "bool" },
	{ .causes = "element-type",
		.passed = "_.view('int64')",
		.note = COUNTS,
		.types = "datetime|timedelta|timestamp|duration|time64|date64" },
	{ .causes = "element-type",
		.library = "pyarrow",
		.passed = "_.view('int32')",
		.note = COUNTS,
		.types = "time32|date32" },
	{ .causes = "element-type",
		.library = "polars",
		.passed = "_.to_physical()",
		.note = COUNTS,
		.types = "Date|Time|Duration" },
	{ .causes = "element-type",
		.library = "pandas",
		.passed = "_.astype('int64')",
		.note = COUNTS,
		.copies = true,
		.types = "datetime|timedelta" },
	{ .causes = "element-type no-protocol",
		.library = "pyarrow",
		.passed = "_.flatten().to_numpy().reshape(len(_), -1)",
		.types = "fixed_size_list" },
	{ .causes = "element-type",
		.library = "jax",
		.passed = "jax.random.key_data(_)",
		.note = "the integers of the keys",
		.allows_changes = true,
		.types = "key<" },
	{ .causes = "several-devices device",
		.library = "jax",
		.passed = "jax.device_get(_)",
		.copies = true },
	{ .causes = "several-devices device",
		.library = "jax",
		.passed = "numpy.asarray(_)",
		.copies = true },
	{ .causes = "device", .passed = "_", .keywords = "device='cpu'", .copies = true },
	{ .causes = "copy-forbidden", .passed = "_", .keywords = "copy=None", .copies = true },
	{ .causes = "copy-forbidden",
		.passed = "_",
		.keywords = "zero_copy_only=False",
		.copies = true },
	OF_DLPACK("torch", "torch.from_dlpack"),
	OF_DLPACK("cupy", "cupy.from_dlpack"),
	OF_DLPACK("jax", "jax.numpy.from_dlpack"),
	OF_DLPACK("numpy", "numpy.from_dlpack"),
	OF_DLPACK("dpnp", "dpnp.from_dlpack"),
	{ .passed = "numpy.asarray(_)" },
	{ .passed = "numpy.from_dlpack(_)" },
	{ .consumer_library = "numpy", .passed = "_", .called = "numpy.asarray" },
	{ .consumer_library = "jax", .passed = "_", .called = "jax.numpy.asarray" },
	{ .causes = "no-protocol strides dimensions element-type readonly alignment",
		.consumer_library = "pyarrow",
		.passed = "_",
		.called = "pyarrow.array" },
	{ .consumer_library = "array_api_strict",
		.passed = "_",
		.called = "array_api_strict.asarray" },
	{ .consumer_library = "torch", .passed = "_", .called = "torch.as_tensor" },
	{ .consumer_library = "dpnp", .passed = "_", .called = "dpnp.asarray" },
	{ .consumer_library = "cupy", .passed = "_", .called = "cupy.asarray" },
	{ .causes = "no-protocol producer-error element-type", .passed = "_.to_numpy()" },
	IN_LIBRARY("torch", "torch.as_tensor(_)"),
	IN_LIBRARY("jax", "jax.numpy.asarray(_)"),
	IN_LIBRARY("tensorflow", "tensorflow.convert_to_tensor(_)"),
	IN_LIBRARY("paddle", "paddle.to_tensor(_)"),
	IN_LIBRARY("mlx", "mlx.core.array(_)"),
	IN_LIBRARY("cupy", "cupy.asarray(_)"),
	IN_LIBRARY("dpnp", "dpnp.asarray(_)"),
	IN_LIBRARY("array_api_strict", "array_api_strict.asarray(_)"),
	IN_LIBRARY("pyarrow", "pyarrow.array(_)"),
	IN_LIBRARY("polars", "polars.Series(_)"),
	IN_LIBRARY("pandas", "pandas.Series(_)"),
	IN_LIBRARY("xarray", "xarray.DataArray(_)"),
	{ .causes = "no-protocol", .passed = "_.numpy()" },
	{ .causes = "no-protocol producer-error", .passed = "_.to_dense()", .copies = true },
	{ .causes = "producer-error several-devices", .passed = "_.full_tensor()", .copies = true },
	{ .causes = "no-protocol", .passed = "_.data" },
	{ .causes = "no-protocol", .passed = "numpy.frombuffer(_, dtype='uint8')" },
	{ .causes = "no-protocol",
		.passed = "numpy.frombuffer(_, dtype='uint8').copy()",
		.copies = true },
	{ .causes = "nulls",
		.library = "pyarrow",
		.passed = "_.fill_null(0)",
		.copies = true,
		.note = "nulls become 0",
		.allows_changes = true,
		.except_types = "bool|Boolean" },
	{ .causes = "nulls",
		.library = "numpy",
		.passed = "_.astype('float64')",
		.copies = true,
		.note = "nulls become NaN",
		.allows_changes = true,
		.types = "object" },
	{ .causes = "nulls no-protocol element-type",
		.library = "pandas",
		.passed = "_.to_numpy('float64', na_value=numpy.nan)",
		.copies = true,
		.note = "nulls become NaN",
		.allows_changes = true,
		.types = "Int|Float|boolean" },
	{ .causes = "no-protocol producer-error",
		.library = "xarray",
		.passed = "_.to_dataarray()",
		.copies = true,
		.note = "the variables become a dimension",
		.allows_changes = true },
	{ .causes = "nulls",
		.library = "pandas",
		.passed = "_.fillna(0)",
		.copies = true,
		.note = "nulls become 0",
		.allows_changes = true },
	{ .causes = "nulls",
		.library = "pandas",
		.passed = "_.fillna(False)",
		.copies = true,
		.note = "nulls become False",
		.allows_changes = true,
		.types = "bool" },
	{ .causes = "nulls",
		.library = "xarray",
		.passed = "_.fillna(0)",
		.copies = true,
		.note = "nulls become 0",
		.allows_changes = true },
	{ .causes = "nulls",
		.library = "polars",
		.passed = "_.fill_null(0)",
		.copies = true,
		.note = "nulls become 0",
		.allows_changes = true,
		.except_types = "bool|Boolean" },
	{ .causes = "nulls",
		.passed = "_.fill_null(False)",
		.copies = true,
		.note = "nulls become False",
		.allows_changes = true,
		.types = "bool|Boolean" },
	/* Booleans stored as bits, which DLPack cannot describe. */
	{ .causes = "nulls no-protocol",
		.passed = FILLED_BITS,
		.copies = true,
		.note = "nulls become False",
		.allows_changes = true,
		.types = "bool|Boolean" },
	{ .causes = "no-protocol producer-error", .passed = "memoryview(_)" },
	{ .causes = "no-protocol producer-error element-type",
		.passed = "_.to_numpy(zero_copy_only=False)",
		.copies = true },
	{ .causes = "device no-protocol",
		.library = "dpnp",
		.passed = "dpnp.asnumpy(_)",
		.copies = true },
	{ .causes = "device no-protocol",
		.library = "dpctl",
		.passed = "dpctl.tensor.asnumpy(_)",
		.copies = true },
	{ .causes = "device no-protocol",
		.library = "cupy",
		.passed = "cupy.asnumpy(_)",
		.copies = true },
	{ .causes = "device", .library = "torch", .passed = "_.detach().cpu()", .copies = true },
	{ .causes = "device several-devices no-protocol",
		.passed = "_.to_device('cpu')",
		.copies = true },
	{ .causes = "device several-devices no-protocol", .passed = "_.cpu()", .copies = true },
	{ .causes = "device", .passed = "numpy.from_dlpack(_, device='cpu')", .copies = true },
	{ .causes = "device",
		.passed = "numpy.from_dlpack(_, device='cpu', copy=True)",
		.copies = true },
	{ .causes = "device readonly strides alignment copy-forbidden",
		.passed = "_",
		.keywords = "copy=True",
		.copies = true },
	{ .causes = "byte-order", .passed = "_.astype(_.dtype.newbyteorder('='))", .copies = true },
	{ .causes = "byte-order",
		.passed = "numpy.array(_, dtype=numpy.asarray(_).dtype.newbyteorder('='))",
		.copies = true },
	{ .causes = "strides alignment", .passed = "_.contiguous()", .copies = true },
	{ .causes = "strides alignment", .passed = "numpy.ascontiguousarray(_)", .copies = true },
	{ .causes = "strides",
		.passed = "numpy.asfortranarray(_)",
		.copies = true,
		.fits = has_rows },
	{ .passed = "_.copy()", .copies = true },
	{ .passed = "numpy.array(_)", .copies = true },
	{ .causes = "element-type",
		.passed = "_.astype('float32')",
		.copies = true,
		.types = "float16|bfloat|float8|float6|float4" },
	{ .causes = "element-type",
		.passed = "_.float()",
		.copies = true,
		.types = "float16|bfloat|float8|float6|float4" },
	{ .causes = "element-type",
		.library = "mlx",
		.passed = "_.astype(mlx.core.float32)",
		.copies = true,
		.types = "bfloat" },
	{ .causes = "device element-type",
		.library = "torch",
		.passed = "_.float().cpu()",
		.copies = true,
		.is_off_host = true,
		.types = "float16|bfloat|float8|float6|float4" },
	{ .causes = "element-type", .passed = "_.cfloat()", .copies = true, .types = "complex32" },
	AS_TYPE("int64", "int|bool"),
	AS_TYPE("float64", NUMBERS),
	AS_TYPE("float32", "float"),
	AS_TYPE("complex64", "complex"),
	AS_TYPE("int64", NUMBERS),
	AS_TYPE("uint8", NUMBERS),
	AS_TYPE("int32", NUMBERS),
	AS_TYPE("float32", NUMBERS),
	AS_TYPE("bool", NUMBERS),
	AS_TYPE("int8", NUMBERS),
	AS_TYPE("int16", NUMBERS),
	AS_TYPE("uint16", NUMBERS),
	AS_TYPE("uint32", NUMBERS),
	AS_TYPE("uint64", NUMBERS),
	AS_TYPE("float16", NUMBERS),
	AS_TYPE("complex64", NUMBERS),
	AS_TYPE("complex128", NUMBERS),
	{ .causes = "dimensions",
		.passed = "_.reshape(1)",
		.note = "the result has the shape (1,)",
		.allows_changes = true,
		.fits = has_one_element },
	{ .causes = "dimensions",
		.passed = "_.reshape(-1)",
		.note = "the result has one dimension",
		.allows_changes = true,
		.fits = has_some_dims },
	{ .causes = "dimensions",
		.passed = "_.reshape(1, *_.shape)",
		.note = "a dimension of extent 1 is added",
		.allows_changes = true },
	{ .causes = "dimensions",
		.passed = "_.reshape(*_.shape, 1)",
		.note = "a dimension of extent 1 is added",
		.allows_changes = true },
	{ .causes = "no-protocol producer-error",
		.passed = "numpy.array(_.tolist())",
		.copies = true },
};

/* Arguments of an expression that forbid a copy, and those that permit one. */
static const struct {
	const char *forbids, *permits;
} copy_arguments[] = {
	{ "copy=False", "copy=None" },
	{ "copy=False", "copy=True" },
	{ "allow_copy=False", "allow_copy=True" },
	{ "zero_copy_only=True", "zero_copy_only=False" },
	{ ".to_numpy()", ".to_numpy(zero_copy_only=False)" },
};

/* Options of suai convert, after the lines of Python. A space-separated list of causes; NULL: any
 * refusal. The protocol must be one that the consumer reads, as far as its name shows that. */
static const struct conversion_row {
	const char *causes, *consumer_library;
	struct why_conversion options;
	bool is_off_host; /* only for elements that are not in memory of the host */
} conversions[] = {
	{ .options = { .to = &dlpack_protocol } },
	{ .options = { .to = &numpy_protocol } },
	{ .options = { .to = &buffer_protocol } },
	{ .consumer_library = "dpnp", .options = { .to = &sycl_protocol } },
	{ .consumer_library = "dpctl", .options = { .to = &sycl_protocol } },
	{ .consumer_library = "cupy", .options = { .to = &cuda_protocol } },
	{ .consumer_library = "numba", .options = { .to = &cuda_protocol } },
	{ .consumer_library = "jax", .options = { .to = &cuda_protocol }, .is_off_host = true },
	{ .consumer_library = "torch", .options = { .to = &cuda_protocol }, .is_off_host = true },
	{ .causes = "capsule-version keyword element-type readonly",
		.options = { .to = &dlpack_protocol, .interface_version = "0" } },
	{ .causes = "strides",
		.options = { .to = &dlpack_protocol, .order = "C", .copies = true } },
	{ .causes = "strides", .options = { .to = &numpy_protocol, .order = "C", .copies = true } },
	{ .causes = "readonly alignment copy-forbidden consumer-lost",
		.options = { .to = &dlpack_protocol, .copy = "always", .copies = true } },
	{ .causes = "readonly alignment copy-forbidden",
		.options = { .to = &numpy_protocol, .copy = "always", .copies = true } },
	{ .causes = "device several-devices",
		.options = { .to = &dlpack_protocol, .device = DEVICE_CPU, .copies = true } },
};

#define IF_OF_ARRAY(condition) \
	"(lambda a: a if " condition " else None.not_applicable)(numpy.asarray(_))"

/* Objects that show why a consumer copies: if it shares the memory of the one that is passed, the
 * property in which that differs from the user's is the cause. One of the two expressions is for
 * objects whose layout only NumPy's array of them shows. */
static const struct {
	const char *cause, *passed, *passed_of_array;
} experiments[] = {
	{ "no-protocol", "numpy.asarray(_)", NULL },
	{ "nulls", WHY_WITHOUT_NULL("0"), NULL },
	{ "nulls", WHY_WITHOUT_NULL("False"), NULL },
	{ "nulls", WHY_WITHOUT_NAN("0"), NULL },
	{ "nulls", WHY_WITHOUT_NAN("False"), NULL },
	{ "strides", "numpy.ascontiguousarray(_)",
		"numpy.ascontiguousarray(" IF_OF_ARRAY("not a.flags.c_contiguous") ")" },
	{ "readonly", "(lambda a: a.copy())(_)", IF_OF_ARRAY("not a.flags.writeable") ".copy()" },
	{ "alignment", ALIGNED, NULL },
	{ "dimensions", ALIGNED_SHAPED("(3,)"), NULL },
	{ "dimensions", ALIGNED_SHAPED("(3, 3)"), NULL },
	{ "dimensions", ALIGNED_SHAPED("(3, 3, 3)"), NULL },
	{ "element-type", ALIGNED_OTHER, NULL },
};

/* --- which rows apply --- */

static bool is_consumer_of(struct arena *arena, const char *consumer, const char *library)
{
	const char *first = arena_copy(arena, consumer, strcspn(consumer, ".:(")),
		   *module = usual_module(first);
	size_t n_chars = strlen(library);

	module = module ? module : first;
	return !strncmp(module, library, n_chars) && !is_identifier_byte(module[n_chars]);
}

/* --- attempts --- */

/* Whether the row passes an array of the consumer's library. */
static bool is_into_library(const struct remedy *row)
{
	return row->consumer_library && !row->called && strcmp(row->passed, "_") != 0;
}

static bool has_line(const struct why_attempts *attempts, const char *line)
{
	for (size_t i = 0; i < attempts->n_items; i++)
		if (!attempts->items[i].proves && !strcmp(attempts->items[i].line, line))
			return true;
	return false;
}

/* Adds the line of a row. NULL: the row has no line for this consumer, the line is listed already,
 * or there are MAX_ATTEMPTS. */
static struct why_attempt *add_attempt(struct arena *arena, struct why_attempts *attempts,
	const struct why_names *names, const struct remedy *row, const char *proves)
{
	struct why_attempt *attempt;
	const char *object = expression_as_primary(arena, names->object), *called = names->consumer;
	const char *consumer, *passed, *line;

	if (attempts->n_items == MAX_ATTEMPTS || (row->keywords && !names->callable))
		return NULL;
	if (row->called) {
		consumer = arena_printf(arena, "%s(_)", row->called);
	} else if (names->callable) {
		consumer = row->keywords ? arena_printf(arena, "%s(_, %s)", called, row->keywords)
					 : arena_printf(arena, "%s(_)", called);
	} else {
		consumer = called;
	}
	passed = !strcmp(row->passed, "_")
			 ? names->object
			 : expression_replace_name(arena, row->passed, "_", object);
	line = expression_replace_name(arena, consumer, "_",
		names->callable || row->called ? passed : expression_as_primary(arena, passed));
	if (!proves && has_line(attempts, line))
		return NULL;
	attempt = &attempts->items[attempts->n_items++];
	*attempt = (struct why_attempt){ .producer = row->passed,
		.consumer = consumer,
		.line = line,
		.note = row->note,
		.replaces_consumer = row->called,
		.allows_changes = row->allows_changes,
		.into_library = is_into_library(row),
		.proves = proves };
	return attempt;
}

/* Marks the attempt as not tried if the array is too large to copy it. */
static void limit_copies(
	struct arena *arena, struct why_attempt *attempt, bool copies, int64_t n_bytes)
{
	if (attempt && copies && n_bytes > WHY_MAX_COPIED_BYTES)
		attempt->skipped =
			arena_printf(arena, WHY_NOT_TRIED "it copies %s", why_size(arena, n_bytes));
}

static void add_conversion(struct arena *arena, struct why_attempts *attempts,
	const struct why_names *names, const struct why_conversion *options, int64_t n_bytes)
{
	struct why_conversion *limited = arena_alloc(arena, sizeof(*limited));
	const struct remedy row = { .passed = "_" };
	struct why_attempt *attempt = add_attempt(arena, attempts, names, &row, NULL);

	if (!attempt)
		return;
	*limited = *options;
	if (n_bytes > WHY_MAX_COPIED_BYTES && !options->copies)
		limited->copy = "never";
	attempt->conversion = limited;
	attempt->line = arena_printf(arena, "%s --to %s%s%s%s%s%s%s%s%s --call %s%s",
		names->convert_command, limited->to->name,
		limited->interface_version ? " --interface-version " : "",
		limited->interface_version ? limited->interface_version : "",
		limited->device ? " --device " : "", limited->device ? limited->device : "",
		limited->order ? " --order " : "", limited->order ? limited->order : "",
		limited->copy ? " --copy " : "", limited->copy ? limited->copy : "",
		names->call_argument, names->script_arguments);
	limit_copies(arena, attempt, options->copies, n_bytes);
}

/* A line that is the call itself is not a remedy. */
static bool is_same_call(const struct remedy *row, const struct why_names *names)
{
	return !strcmp(row->passed, "_") && !row->keywords && row->called && names->callable &&
	       !strcmp(row->called, names->consumer);
}

/* Whether the expression is one call: NAME(...). */
static bool is_one_call(const char *expression)
{
	int depth = 0;

	for (const char *c = expression + strcspn(expression, "("); *c; c++) {
		depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
		if (!depth)
			return !c[1];
	}
	return true;
}

/* Whether the consumer makes an array of its library from the object, as far as its name shows;
 * then another such function of the library can replace it. */
static bool makes_array(struct arena *arena, const char *consumer)
{
	const char *name = arena_copy(arena, consumer, strcspn(consumer, "("));
	const char *dot = strrchr(name, '.');

	return is_one_call(consumer) &&
	       why_has_words(dot ? dot + 1 : name,
		       "from_|asarray|array|tensor|device_put|frombuffer|ascontiguous");
}

/* Whether the object has the operation that the row resolves, as far as it reports that. Another
 * operation can do harm: PyTorch's dequantize() drops imaginary parts. */
static bool is_of_pending(const struct remedy *row, const struct fact_self_reported *own)
{
	const struct fact_texts *pending = &own->pending;
	bool dequantizes = strstr(row->passed, ".dequantize(");
	bool resolves = strstr(row->passed, ".resolve_");

	if (strstr(row->passed, ".detach(") && own->requires_grad == ANSWER_NO)
		return false;
	if ((dequantizes || resolves) && !pending->n_items)
		return own->requires_grad == ANSWER_UNKNOWN;
	return (!dequantizes || fact_texts_have(pending, "dequantization")) &&
	       (!resolves || fact_texts_have(pending, "conjugation") ||
		       fact_texts_have(pending, "negation"));
}

/* Whether the row changes the byte order, which elements of one byte do not have. */
static bool is_of_byte_order(const struct remedy *row, const char *type)
{
	return row->causes && !strcmp(row->causes, "byte-order") &&
	       text_lists_word("uint8 int8 bool", type);
}

/* Whether the row applies to the element type. astype() of a whole table does not if some columns
 * are strings. */
static bool is_of_types(const struct remedy *row, const char *type)
{
	return why_has_words(type, row->types) &&
	       (strncmp(row->passed, "_.astype(", strlen("_.astype(")) != 0 ||
		       !why_has_words(type, "str|Str|object, |, object"));
}

/* Whether the cause is one of the words. "copy-forbidden" also matches an exception that states
 * that a necessary copy is forbidden. */
static bool has_cause(struct arena *arena, const struct fact_target *target, const char *words)
{
	const struct situation at = why_situation(arena, target);

	if (target->why.cause && text_lists_word(words, target->why.cause))
		return true;
	return target->why.verdict == WHY_REFUSED && text_lists_word(words, "copy-forbidden") &&
	       why_is_copy_forbidden(&at);
}

/* Whether the row only repeats that of _.copy(), which NumPy's arrays have. */
static bool is_second_copy(const struct remedy *row, const struct fact_target *target)
{
	return !strcmp(row->passed, "numpy.array(_)") &&
	       fact_text_is(target->type, "numpy.ndarray");
}

/* Whether the row applies to the type and the number of the elements, as the last interface that
 * could be decoded declares them. */
static bool applies_to_elements(const struct remedy *row, const struct fact_target *target)
{
	const char *type = fact_text_or(target->own.dtype, "");
	int64_t n_dims = -1, n_elements = -1;

	for (size_t i = 0; i < target->interfaces.n_items; i++) {
		const struct fact_array *array = &target->interfaces.items[i].array;

		type = fact_text_or(array->dtype, type);
		n_dims = fact_int_or(array->ndim, n_dims);
		n_elements = fact_int_or(array->elements, n_elements);
	}
	type = why_known_type(type, target);
	return (!row->types || is_of_types(row, type)) && !is_of_byte_order(row, type) &&
	       (!row->except_types || !why_has_words(type, row->except_types)) &&
	       (!row->fits || row->fits(n_dims, n_elements));
}

/* Whether the row is for the cause; a row without causes is for any refusal. A row that passes an
 * array of the consumer's library is also for refusals without a known cause. */
static bool applies_to_cause(
	struct arena *arena, const struct remedy *row, const struct fact_target *target)
{
	bool is_copy = target->why.verdict == WHY_COPIED;
	bool is_pending = fact_text_is(target->why.cause, "pending-operation");

	if (is_pending && !is_of_pending(row, &target->own))
		return false;
	if (!target->why.cause && !is_copy && is_into_library(row))
		return true;
	if (!row->causes)
		return !is_copy && !is_pending;
	return is_copy ? text_lists_word(row->causes, "copied")
		       : has_cause(arena, target, row->causes);
}

static bool applies_to_libraries(struct arena *arena, const struct remedy *row,
	const struct fact_target *target, const struct why_names *names)
{
	if (row->library && !why_has_library(target, row->library))
		return false;
	if (row->consumer_library && !is_consumer_of(arena, names->consumer, row->consumer_library))
		return false;
	return !row->called || (makes_array(arena, names->consumer) && !is_same_call(row, names));
}

static bool row_applies(struct arena *arena, const struct remedy *row,
	const struct fact_target *target, const struct why_names *names)
{
	const struct situation at = why_situation(arena, target);

	return (!row->is_off_host || why_is_off_host(&at)) && applies_to_elements(row, target) &&
	       applies_to_cause(arena, row, target) &&
	       applies_to_libraries(arena, row, target, names) && !is_second_copy(row, target);
}

/* Makes a line that replaces nulls by False inapplicable to an object without nulls. */
static void limit_filled(struct arena *arena, struct why_attempt *attempt)
{
	if (attempt && !strcmp(attempt->producer, FILLED_BITS))
		attempt->producer = arena_printf(arena, WHY_IF_NULLS("%s"), attempt->producer);
}

/* A sparse array with few elements can have the shape of a large array. */
static void limit_dense(struct arena *arena, struct why_attempt *attempt)
{
	if (attempt && why_has_words(attempt->producer, "dense()|toarray()"))
		attempt->producer = arena_printf(arena,
			"(%s if numpy.prod(numpy.shape(_), dtype=float) <= 1 << 25 else None.too_large)",
			attempt->producer);
}

/* Tries the methods that return an array, of an object without interfaces. */
static void try_alternatives(struct arena *arena, const struct fact_target *target,
	const struct why_names *names, struct why_attempts *attempts)
{
	for (size_t i = 0; i < target->instead.alternatives.n_items; i++) {
		const char *has = target->instead.alternatives.items[i].has;
		struct remedy row = { 0 };

		if (!has || !identifier_length(has) || strchr(has, ' ') || !strchr(has, '('))
			continue;
		row.passed = arena_printf(arena, "_.%s", has);
		limit_dense(arena, add_attempt(arena, attempts, names, &row, NULL));
	}
}

static bool has_layout(const struct fact_target *target)
{
	for (size_t i = 0; i < target->interfaces.n_items; i++)
		if (target->interfaces.items[i].array.present)
			return true;
	return false;
}

/* Whether the object has the property whose effect an experiment shows. The experiment with another
 * type also shows that no property is the cause. */
static bool may_cause_copy(const struct fact_target *target, const char *cause)
{
	for (size_t i = 0; i < target->interfaces.n_items; i++) {
		const struct fact_array *array = &target->interfaces.items[i].array;

		if (array->present &&
			((!strcmp(cause, "strides") && array->c_contiguous == ANSWER_NO) ||
				(!strcmp(cause, "readonly") && array->readonly == ANSWER_YES)))
			return true;
	}
	return text_lists_word("alignment no-protocol nulls dimensions element-type", cause);
}

int64_t why_object_bytes(const struct fact_target *target)
{
	int64_t n_bytes = 0;

	for (size_t i = 0; i < target->interfaces.n_items; i++) {
		int64_t declared = fact_int_or(target->interfaces.items[i].array.nbytes, 0);

		if (declared > n_bytes)
			n_bytes = declared;
	}
	return n_bytes;
}

static void plan_experiments(struct arena *arena, const struct fact_target *target,
	const struct why_names *names, struct why_attempts *attempts)
{
	bool is_large = why_object_bytes(target) > WHY_MAX_COPIED_BYTES;
	bool is_of_array = !has_layout(target);

	for (size_t i = 0; i < ARRAY_SIZE(experiments); i++) {
		bool has_own = is_of_array && experiments[i].passed_of_array;
		const char *passed =
			has_own ? experiments[i].passed_of_array : experiments[i].passed;
		const struct remedy row = { .passed = is_large ? expression_replace_name(
									 arena, passed, "_", CORNER)
							       : passed };

		/* The consumer might copy a NumPy array of the same memory, too. */
		if (is_large && !strcmp(experiments[i].cause, "no-protocol"))
			continue;
		if (has_own || may_cause_copy(target, experiments[i].cause))
			add_attempt(arena, attempts, names, &row, experiments[i].cause);
	}
}

/* Tries the same expression with an argument that permits a copy. */
static void permit_copy(struct arena *arena, const struct fact_target *target,
	const struct why_names *names, struct why_attempts *attempts)
{
	const struct remedy row = { .passed = "_" };

	for (size_t i = 0; !names->callable && i < ARRAY_SIZE(copy_arguments); i++) {
		const char *forbids = copy_arguments[i].forbids,
			   *found = strstr(names->consumer, forbids);
		struct why_names permitting = *names;

		/* allow_copy=False ends with copy=False. */
		if (!found || (*forbids != '.' && found > names->consumer &&
				      is_identifier_byte(found[-1])))
			continue;
		/* For functions that create arrays, copy=None copies if necessary; other functions
		 * may treat None as False. */
		if (!strcmp(forbids, "copy=False") &&
			makes_array(arena, names->consumer) !=
				!strcmp(copy_arguments[i].permits, "copy=None"))
			continue;
		permitting.consumer = arena_printf(arena, "%.*s%s%s",
			(int)(found - names->consumer), names->consumer, copy_arguments[i].permits,
			found + strlen(forbids));
		limit_copies(arena, add_attempt(arena, attempts, &permitting, &row, NULL), true,
			why_object_bytes(target));
	}
}

static void plan_lines(struct arena *arena, const struct fact_target *target,
	const struct why_names *names, struct why_attempts *attempts)
{
	int64_t n_bytes = why_object_bytes(target);

	for (size_t i = 0; i < ARRAY_SIZE(remedies); i++) {
		const struct remedy *row = &remedies[i];
		/* A consumer that copies the object also copies what is passed instead. */
		bool copies = row->copies ||
			      (target->why.verdict == WHY_COPIED && !row->called && !row->keywords);
		struct why_attempt *attempt;

		if (!row_applies(arena, row, target, names))
			continue;
		attempt = add_attempt(arena, attempts, names, row, NULL);
		limit_filled(arena, attempt);
		limit_copies(arena, attempt, copies, n_bytes);
	}
}

static void plan_conversions(struct arena *arena, const struct fact_target *target,
	const struct why_names *names, struct why_attempts *attempts)
{
	const char *protocol = why_protocol_of(names->consumer);
	const struct situation at = why_situation(arena, target);

	for (size_t i = 0; i < ARRAY_SIZE(conversions); i++) {
		const struct conversion_row *row = &conversions[i];

		/* The device may be a further obstacle even if the exception names another
		 * cause. */
		if ((!row->causes || has_cause(arena, target, row->causes) ||
			    (row->options.device && why_is_off_host(&at))) &&
			(!row->is_off_host || why_is_off_host(&at)) &&
			(!protocol || !strcmp(protocol, row->options.to->name)) &&
			(!row->consumer_library ||
				is_consumer_of(arena, names->consumer, row->consumer_library)))
			add_conversion(
				arena, attempts, names, &row->options, why_object_bytes(target));
	}
}

/* Moves the attempts that are not tried to the end; their order remains. */
static void move_skipped(struct arena *arena, struct why_attempts *attempts)
{
	struct why_attempt *moved = arena_alloc(arena, (attempts->n_items + 1) * sizeof(*moved));
	size_t n_moved = 0, n_kept = 0;

	for (size_t i = 0; i < attempts->n_items; i++)
		if (attempts->items[i].skipped)
			moved[n_moved++] = attempts->items[i];
		else
			attempts->items[n_kept++] = attempts->items[i];
	for (size_t i = 0; i < n_moved; i++)
		attempts->items[n_kept + i] = moved[i];
}

struct why_attempts why_plan(
	struct arena *arena, const struct fact_target *target, const struct why_names *names)
{
	struct why_attempts attempts = { .items = arena_alloc(
						 arena, MAX_ATTEMPTS * sizeof(*attempts.items)) };
	const struct fact_why *why = &target->why;
	bool is_copy = why->verdict == WHY_COPIED;
	/* NumPy makes an array of Python objects of what it cannot read. */
	bool is_unread = fact_text_is(why->cause, "no-protocol") &&
			 fact_text_is(why->result_dtype, "object");
	bool failed =
		why->verdict == WHY_REFUSED || why->verdict == WHY_LOST || is_unread ||
		(why->verdict == WHY_WRONG && (fact_text_is(why->cause, "pending-operation") ||
						      fact_text_is(why->cause, "producer-error")));
	/* A function that changes an array in place may change a copy of this one. */
	bool is_changed = why->verdict == WHY_WRONG && why->shared == ANSWER_NO;

	if (fact_text_is(why->cause, "consumer-missing") || target->status == STATUS_HUNG)
		return attempts;
	if ((is_copy || is_changed) && !why->cause)
		plan_experiments(arena, target, names, &attempts);
	if (!failed && !is_copy)
		return attempts;
	if (failed) {
		permit_copy(arena, target, names, &attempts);
		try_alternatives(arena, target, names, &attempts);
	}
	plan_lines(arena, target, names, &attempts);
	if (failed && target->interfaces.n_items)
		plan_conversions(arena, target, names, &attempts);
	move_skipped(arena, &attempts);
	return attempts;
}
