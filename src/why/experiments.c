// SPDX-License-Identifier: MIT
/*
 * Experiments: the consumer is called with objects that differ from the user's in one property. The
 * property without which it accepts them is the cause of a refusal, whatever the exception states.
 */
#include "why/experiments.h"

#include "base/array_size.h"
#include "base/words.h"
#include "model/array.h"
#include "protocols/protocol.h"
#include "why/situation.h"

#include <stdlib.h>
#include <string.h>

/* The objects that are passed instead of the user's. */
enum experiment {
	EXP_WHOLE,      /* NumPy's array of the same memory */
	EXP_COMPACT,    /* its copy: contiguous, writable, aligned, with the same elements */
	EXP_ALIGNED,    /* the same, aligned to 64 bytes */
	EXP_WRITABLE,   /* the same, if the array is read-only */
	EXP_CONTIGUOUS, /* the same, read-only if the array is, if the array is not contiguous */
	EXP_FORTRAN,    /* the same in Fortran order, if the array is not */
	EXP_NATIVE,     /* the same in the byte order of the machine, if the array is not */
	EXP_FILLED,     /* the same without nulls, if it has some */
	EXP_OWN_COPY,   /* a copy by the object's library, which keeps nulls */
	EXP_HOST,       /* a copy in the memory of the host */
	EXP_RESOLVED,   /* without pending operations */
	EXP_ONES,       /* an array of the same type and shape, with other elements */
	EXP_TYPE,       /* the same of another type */
	EXP_EXTENTS,    /* the same with other extents */
	EXP_DIMS,       /* the same with another number of dimensions */
	EXP_NONEMPTY,   /* the same with elements, if the array has none */
	EXP_ARRAY,      /* an array, if the object is not one, nor a list or a buffer */
	N_EXPERIMENTS,
};

/* Raises AttributeError unless the condition holds: the experiment then does not apply, as with a
 * method that the object lacks. */
#define ONLY_IF(condition, value) "(" value ") if " condition " else None.not_applicable"
#define OF_ARRAY(value) "(lambda a: " value ")(numpy.asarray(_))"

/* Without it, the result would depend on where NumPy happens to allocate. */
#define ALIGNED_COPY(value)                                                                        \
	"(lambda x: x if x.dtype.hasobject else (lambda b: (lambda v: (numpy.copyto(v, x), v)[1])" \
	"(b[-b.ctypes.data % 64:][:x.nbytes].view(x.dtype).reshape(x.shape)))"                     \
	"(numpy.empty(x.nbytes + 64, 'u1')))(" value ")"

/* Other objects, such as sets and strings, become arrays of objects and strings without dimensions.
 */
#define IS_ARRAY \
	"isinstance(_, numpy.ndarray) or (lambda a: a.ndim or a.dtype.kind not in 'OSU')(numpy.asarray(_))"
#define UNLESS_ARRAY(value) "None.not_applicable if " IS_ARRAY " else " value

static const struct row {
	enum experiment kind;
	const char *passed;
	const char *library; /* of the objects that it is for; NULL: all */
} rows[] = {
	{ EXP_RESOLVED, "_.detach()", NULL },
	{ EXP_RESOLVED, "_.resolve_conj().resolve_neg()", NULL },
	{ EXP_FILLED, WHY_WITHOUT_NAN("0"), NULL },
	{ EXP_FILLED, WHY_WITHOUT_NAN("False"), NULL },
	{ EXP_FILLED, WHY_WITHOUT_NULL("0"), NULL },
	{ EXP_FILLED, WHY_WITHOUT_NULL("False"), NULL },
	{ EXP_FILLED,
		OF_ARRAY(ONLY_IF(
			"a.dtype == object and (a == None).any()", "numpy.where(a == None, 0, a)")),
		"numpy" },
	{ EXP_OWN_COPY, "_.copy(deep=True)", NULL },
	{ EXP_HOST, "dpnp.asnumpy(_)", "dpnp" },
	{ EXP_HOST, "dpctl.tensor.asnumpy(_)", "dpctl" },
	{ EXP_HOST, "cupy.asnumpy(_)", "cupy" },
	{ EXP_HOST, "jax.device_get(_)", "jax" },
	{ EXP_HOST, "_.cpu()", NULL },
	{ EXP_HOST, "numpy.from_dlpack(_, device='cpu')", NULL },
	{ EXP_WHOLE,
		OF_ARRAY(ONLY_IF("not (a.dtype == object and a.shape == () and a[()] is _)", "a")),
		NULL },
	{ EXP_COMPACT, "numpy.array(_, order='C')", NULL },
	{ EXP_ALIGNED, ALIGNED_COPY("numpy.asarray(_)"), NULL },
	{ EXP_WRITABLE, OF_ARRAY(ONLY_IF("not a.flags.writeable", "a.copy('K')")), NULL },
	{ EXP_CONTIGUOUS,
		OF_ARRAY(ONLY_IF("not a.flags.c_contiguous",
			"(lambda b: (b.setflags(write=a.flags.writeable), b)[1])(a.copy('C'))")),
		NULL },
	{ EXP_FORTRAN, OF_ARRAY(ONLY_IF("not a.flags.f_contiguous", "a.copy('F')")), NULL },
	{ EXP_NATIVE,
		OF_ARRAY(ONLY_IF("not a.dtype.isnative", "a.astype(a.dtype.newbyteorder('='))")),
		NULL },
	{ EXP_ARRAY, UNLESS_ARRAY("numpy.ones(3, 'f4')"), NULL },
	{ EXP_ARRAY, UNLESS_ARRAY("numpy.ones((3, 3))"), NULL },
	{ EXP_ARRAY, UNLESS_ARRAY("numpy.ones(3, 'i4')"), NULL },
	{ EXP_ARRAY, UNLESS_ARRAY("numpy.ones((3, 3), 'u1')"), NULL },
};

/* Whether the type is one of NumPy's, rather than one that the object has. */
#define IS_NUMPY_TYPE "str(t).startswith('<class')"

/* Text that is not a number: functions convert numbers as text. */
#define IS_TEXT(type) "any(w in str(" type ").lower() for w in ('str', 'binary', 'categor'))"

/* The element type of NumPy's array of a table. Raises AttributeError if NumPy can only make an
 * array of Python objects of the columns. */
#define NUMERIC_TYPE \
	"(lambda t: t if t != numpy.object_ else None.not_applicable)(numpy.asarray(a).dtype.type)"

/* How each library makes an array of small numbers; S stands for the shape, T for the element type.
 * The type of a table is that of its columns or, if these have several, that of NumPy's array of
 * it. */
static const struct maker {
	const char *library, *ones, *type; /* of a name such as "float32" */
	const char *own_type;              /* that of the object a */
	bool is_on_device; /* ones are on the object's device, or on the library's default one */
} makers[] = {
	{ .library = "numpy",
		.ones = ALIGNED_COPY(
			"(lambda t: numpy.full(S, 'a', t) if numpy.dtype(t).type in (numpy.str_, numpy.bytes_) else"
			" (numpy.arange(1, 1 + int(numpy.prod(S))) ** 2).reshape(S).astype(t))"
			"(T)"),
		.type = "numpy.%s",
		.own_type = "a.dtype" },
	{ .library = "torch",
		.ones = "torch.ones(S, dtype=T, device=a.device)",
		.type = "torch.%s",
		.own_type = "a.dtype",
		.is_on_device = true },
	{ .library = "jax",
		.ones = "jax.numpy.ones(S, T)",
		.type = "jax.numpy.%s",
		.own_type = "a.dtype",
		.is_on_device = true },
	{ .library = "paddle", .ones = "paddle.ones(S, T)", .type = "'%s'", .own_type = "a.dtype" },
	{ .library = "tensorflow",
		.ones = "tensorflow.ones(S, T)",
		.type = "tensorflow.%s",
		.own_type = "a.dtype" },
	{ .library = "mlx",
		.ones = "__import__('mlx.core').core.ones(S, T)",
		.type = "__import__('mlx.core').core.%s",
		.own_type = "a.dtype" },
	{ .library = "array_api_strict",
		.ones = "array_api_strict.ones(S, dtype=T)",
		.type = "array_api_strict.%s",
		.own_type = "a.dtype" },
	{ .library = "dpnp",
		.ones = "dpnp.ones(S, dtype=T)",
		.type = "dpnp.%s",
		.own_type = "a.dtype",
		.is_on_device = true },
	{ .library = "cupy",
		.ones = "cupy.ones(S, dtype=T)",
		.type = "cupy.%s",
		.own_type = "a.dtype",
		.is_on_device = true },
	{ .library = "xarray",
		.ones = "type(_)(numpy.full(S, 'a', T) if numpy.dtype(T).type in (numpy.str_, numpy.bytes_)"
			" else numpy.ones(S, T))",
		.type = "numpy.%s",
		.own_type = "a.dtype" },
	{ .library = "pandas",
		.ones = "type(_)(numpy.full(S, 'a') if " IS_TEXT(
			"T") " else numpy.ones(S, 'i8'), dtype=T)",
		.type = "numpy.%s",
		.own_type =
			"(a.dtype if hasattr(a, 'dtype') else a.dtypes.iloc[0] if a.dtypes.nunique() == 1"
			" else " NUMERIC_TYPE ")" },
	{ .library = "polars",
		.ones = "(lambda t: type(_)(numpy.ones(S, t)) if " IS_NUMPY_TYPE
			" else type(_)(numpy.full(S, 'a') if " IS_TEXT(
				"t") " else numpy.ones(S, 'i8')).cast(t))(T)",
		.type = "numpy.%s",
		.own_type =
			"(a.dtype if hasattr(a, 'dtype') else a.dtypes[0] if len({*a.dtypes}) == 1"
			" else " NUMERIC_TYPE ")" },
	{ .library = "pyarrow",
		.ones = "(lambda b: b if isinstance(a, pyarrow.Array) else pyarrow.chunked_array([b])"
			" if isinstance(a, pyarrow.ChunkedArray) else None.not_applicable)"
			"((lambda t: pyarrow.array(numpy.ones(S, t)) if " IS_NUMPY_TYPE
			" else pyarrow.array(numpy.full(S, 'a') if " IS_TEXT(
				"t") " else numpy.ones(S, 'i8')).cast(t))(T))",
		.type = "numpy.%s",
		.own_type = "a.type" },
};

/* In the order of how often consumers accept them. */
static const char *const other_types[] = { "float32", "float64", "int32", "int64", "uint8", "bool",
	"int8", "int16", "uint16", "uint32", "uint64", "float16", "complex64", "complex128",
	"bytes_", "str_" };
static const struct {
	const char *shape, *name;
	int n_dims;
} other_shapes[] = { { "(3,)", "1 dimension", 1 }, { "(3, 3)", "2 dimensions", 2 },
	{ "(3, 3, 3)", "3 dimensions", 3 } };
/* The extents of other shapes: `each` of all dimensions but the last. */
static const struct extents {
	int each, last;
} other_extents[] = { { 3, 3 }, { 4, 4 }, { 8, 8 }, { 2, 2 }, { 5, 5 }, { 6, 6 }, { 7, 7 },
	{ 16, 16 }, { 64, 64 }, { 8, 3 } };

struct experiments {
	struct arena *arena;
	const struct why_names *names;
	struct why_attempts *attempts;
};

/* Arrays that a library makes, by Python expressions over `a`. */
struct made_arrays {
	const struct maker *maker;
	const char *of; /* the object that `a` is: the object itself, or NumPy's array of it */
	bool is_own;    /* the library is that of the object */
};

/* --- planning --- */

static void add_experiment(struct experiments *experiments, enum experiment kind,
	const char *passed, const char *detail, bool is_of_library)
{
	struct why_attempts *attempts = experiments->attempts;
	const struct why_names *names = experiments->names;

	attempts->items = arena_grow(
		experiments->arena, attempts->items, attempts->n_items, sizeof(*attempts->items));
	attempts->items[attempts->n_items++] = (struct why_attempt){ .producer = passed,
		.consumer = names->callable
				    ? arena_printf(experiments->arena, "%s(_)", names->consumer)
				    : names->consumer,
		.detail = detail ? detail : "",
		.experiment = kind,
		.is_of_library = is_of_library };
}

static const char *fill_maker(
	struct arena *arena, const struct maker *maker, const char *shape, const char *type)
{
	const char *text = "", *end;

	for (const char *at = maker->ones; *at; at = *end ? end + 1 : end) {
		end = at + strcspn(at, "ST");
		text = arena_printf(arena, "%s%.*s%s", text, (int)(end - at), at,
			*end == 'S'   ? shape
			: *end == 'T' ? type
				      : "");
	}
	return text;
}

static const char *named_type(struct arena *arena, const struct maker *maker, const char *name)
{
	const char *at = strstr(maker->type, "%s");

	return arena_printf(arena, "%.*s%s%s", (int)(at - maker->type), maker->type, name, at + 2);
}

/* The shape of an array of ones: that of the object `a`, or of NumPy's array of it. */
#define SHAPE_OF_A "getattr(a, 'shape', None) or numpy.shape(a)"

/* The array of a shape with the element type of `a`. */
static const char *make_shape(
	struct experiments *experiments, const struct made_arrays *made, const char *shape)
{
	return fill_maker(experiments->arena, made->maker, shape, made->maker->own_type);
}

static void add_made(struct experiments *experiments, const struct made_arrays *made,
	enum experiment kind, const char *expression, const char *detail)
{
	add_experiment(experiments, kind,
		arena_printf(experiments->arena, "(lambda a: %s)(%s)", expression, made->of),
		detail, made->is_own);
}

/* Adds an array with as many dimensions as the object. At most three, since arrays with more would
 * be large. */
static void try_extents(struct experiments *experiments, const struct made_arrays *made,
	const struct extents *extents)
{
	struct arena *arena = experiments->arena;
	const char *shape = arena_printf(
		arena, "((%d,) * (len(" SHAPE_OF_A ") - 1) + (%d,))", extents->each, extents->last);

	add_made(experiments, made, EXP_EXTENTS,
		arena_printf(arena, "(%s) if 0 < len(" SHAPE_OF_A ") < 4 else None.not_applicable",
			make_shape(experiments, made, shape)),
		arena_printf(arena, "%d %d", extents->each, extents->last));
}

/* Adds arrays of ones that the library of `maker` creates. */
static void add_ones(struct experiments *experiments, const struct maker *maker, bool is_own)
{
	const struct made_arrays made = { .maker = maker,
		.of = is_own ? "_" : "numpy.asarray(_) if " IS_ARRAY " else None.not_applicable",
		.is_own = is_own };
	struct arena *arena = experiments->arena;
	const char *shape = SHAPE_OF_A;

	add_made(experiments, &made, EXP_ONES, make_shape(experiments, &made, shape), NULL);
	for (size_t i = 0; i < ARRAY_SIZE(other_types); i++)
		add_made(experiments, &made, EXP_TYPE,
			fill_maker(arena, maker, shape, named_type(arena, maker, other_types[i])),
			other_types[i]);
	/* A table has two dimensions, whatever it is made of. */
	for (size_t i = 0; i < ARRAY_SIZE(other_shapes); i++)
		add_made(experiments, &made, EXP_DIMS,
			arena_printf(arena,
				"(lambda o: o if len(numpy.shape(o)) == %d != len(%s) else None.not_applicable)(%s)",
				other_shapes[i].n_dims, shape,
				make_shape(experiments, &made, other_shapes[i].shape)),
			other_shapes[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(other_extents); i++)
		try_extents(experiments, &made, &other_extents[i]);
	add_made(experiments, &made, EXP_NONEMPTY,
		arena_printf(arena, "(%s) if 0 in (%s) else None.not_applicable",
			make_shape(experiments, &made,
				arena_printf(arena, "tuple(n or 3 for n in %s)", shape)),
			shape),
		NULL);
}

struct why_attempts why_plan_experiments(
	struct arena *arena, const struct fact_target *target, const struct why_names *names)
{
	struct why_attempts attempts = { 0 };
	struct experiments experiments = { .arena = arena, .names = names, .attempts = &attempts };

	if (target->status == STATUS_HUNG || why_object_bytes(target) > WHY_MAX_COPIED_BYTES)
		return attempts;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].library && !why_has_library(target, rows[i].library))
			continue;
		add_experiment(&experiments, rows[i].kind, rows[i].passed, NULL,
			rows[i].kind == EXP_RESOLVED || rows[i].kind == EXP_FILLED ||
				rows[i].kind == EXP_OWN_COPY || rows[i].kind == EXP_HOST);
	}
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++)
		if (i == 0 || why_has_library(target, makers[i].library))
			add_ones(&experiments, &makers[i], i > 0);
	return attempts;
}

/* --- conclusions --- */

enum { MANY_TYPES = 8 };

/* The results of the experiments, counted by kind. */
struct outcomes {
	bool accepted[N_EXPERIMENTS], refused[N_EXPERIMENTS];
	int n_accepted[N_EXPERIMENTS], n_refused[N_EXPERIMENTS];
	int n_same_error[N_EXPERIMENTS];   /* as that of the object, of those that it refused */
	const char *detail[N_EXPERIMENTS]; /* of the first that it accepted */
};

/* Whether both messages are equal, or equal up to the name of the element type in the object's. */
static bool is_same_error(const struct situation *at, const struct fact_why *tried)
{
	enum { MIN_CHARS = 16 };
	const char *own = fact_text_or(at->why->error.message, "");
	const char *other = fact_text_or(tried->error.message, ""), *type = why_element_type(at);
	const char *named = type ? strstr(own, why_type_name(type)) : NULL;

	if (!strcmp(own, other))
		return true;
	return named && named - own >= MIN_CHARS && !strncmp(own, other, (size_t)(named - own));
}

static void count_outcome(struct outcomes *outcomes, const struct why_attempt *attempt,
	const struct fact_why *tried, const struct situation *at)
{
	enum experiment kind = attempt->experiment;

	if (tried->outcome == TRIAL_DONE && !outcomes->accepted[kind]) {
		outcomes->accepted[kind] = true;
		outcomes->detail[kind] = attempt->detail;
	}
	outcomes->n_accepted[kind] += tried->outcome == TRIAL_DONE;
	if (tried->outcome == TRIAL_RAISED && tried->passed.obtained == ANSWER_YES) {
		outcomes->refused[kind] = true;
		outcomes->n_refused[kind]++;
		outcomes->n_same_error[kind] += is_same_error(at, tried);
	}
}

/* Counts the results of arrays of the object's own library (is_of_library), or of NumPy's. */
static struct outcomes read_outcomes(const struct why_attempts *attempts,
	const struct fact_target *results, const struct situation *at, bool is_of_library)
{
	struct outcomes outcomes = { 0 };

	for (size_t i = 0; i < attempts->n_items; i++)
		if (attempts->items[i].is_of_library == is_of_library)
			count_outcome(&outcomes, &attempts->items[i], &results[i].why, at);
	return outcomes;
}

struct conclusion {
	enum why_cause cause;
	const char *message;
};

/* Concludes that the layout is the cause: the consumer accepts the same elements in another
 * layout. */
static struct conclusion conclude_layout(const struct situation *at, const struct outcomes *numpy)
{
	if (numpy->accepted[EXP_CONTIGUOUS])
		return (struct conclusion){ CAUSE_STRIDES,
			arena_printf(at->arena,
				"its strides are not supported by the consumer (%s), which accepts the same elements as a contiguous array",
				at->array ? why_detail_strides(at) : "not contiguous in C order") };
	if (numpy->accepted[EXP_WRITABLE])
		return (struct conclusion){ CAUSE_READONLY,
			"the object is read-only; the consumer accepts a writable copy of it" };
	if (why_is_misaligned(at))
		return (struct conclusion){ CAUSE_ALIGNMENT,
			arena_printf(at->arena,
				"its elements are not aligned (%s); the consumer accepts an aligned copy",
				why_detail_alignment(at)) };
	if (numpy->accepted[EXP_ALIGNED] && why_is_unaligned(at->target))
		return (struct conclusion){ CAUSE_ALIGNMENT,
			arena_printf(at->arena,
				"the consumer requires another alignment (%s); it accepts a copy that is aligned to 64 bytes",
				why_detail_alignment(at)) };
	return (struct conclusion){ 0 };
}

/* Whether the consumer accepts an array that the object's library made. */
static bool accepts_made_array(const struct outcomes *own)
{
	return own->accepted[EXP_ONES] || own->accepted[EXP_TYPE] || own->accepted[EXP_DIMS] ||
	       own->accepted[EXP_EXTENTS];
}

/* Whether the device of the object may be the cause. If the consumer accepts an array that the
 * object's library made on a device, it can read that of the object, unless that is another one. */
static bool is_device_suspect(const struct situation *at, const struct outcomes *own)
{
	if (!why_is_off_host(at))
		return false;
	for (size_t i = 0; accepts_made_array(own) && i < ARRAY_SIZE(makers); i++)
		if (makers[i].is_on_device && why_has_library(at->target, makers[i].library))
			return false;
	return true;
}

/* Concludes that a property of this object is the cause: the consumer accepts other objects of its
 * library. */
static struct conclusion conclude_facts(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	bool has_elements = numpy->accepted[EXP_WHOLE] || numpy->refused[EXP_WHOLE];
	struct fact_why unreadable;

	if (why_is_sharded(at) || why_is_of_producer(at))
		return (struct conclusion){ 0 };
	if (!at->array && why_explain_unreadable(at, &unreadable))
		return (struct conclusion){ unreadable.cause, unreadable.message };
	if (is_device_suspect(at, own))
		return (struct conclusion){ CAUSE_DEVICE,
			arena_printf(at->arena,
				"its elements are on device %s, which the consumer cannot read",
				why_detail_device(at)) };
	if (why_is_strided(at))
		return (struct conclusion){ CAUSE_STRIDES,
			arena_printf(at->arena,
				"its strides are not supported by the consumer (%s)",
				why_detail_strides(at)) };
	/* Other objects of the type have the same interfaces. */
	if (!has_elements || at->why->cause != CAUSE_NO_PROTOCOL)
		return (struct conclusion){ 0 };
	if (why_has_foreign_type(at))
		return (struct conclusion){ CAUSE_ELEMENT_TYPE,
			arena_printf(at->arena,
				"the consumer rejects these elements of %s, but accepts others of this type",
				why_detail_type(at)) };
	return (struct conclusion){
		CAUSE_NULL,
		"the consumer accepts another object of this type and shape; suai does not know the cause of this exception"
	};
}

/* Whether the consumer accepts a larger share of the arrays with another number of dimensions than
 * of those with another type. If it accepts some of both, the cause is the property for which it
 * accepts more of the other values. */
static bool is_shape_likelier(const struct outcomes *outcomes)
{
	int n_types = outcomes->n_accepted[EXP_TYPE] + outcomes->n_refused[EXP_TYPE];
	int n_shapes = outcomes->n_accepted[EXP_DIMS] + outcomes->n_refused[EXP_DIMS];

	return n_shapes &&
	       outcomes->n_accepted[EXP_DIMS] * n_types > outcomes->n_accepted[EXP_TYPE] * n_shapes;
}

/* Whether it accepts a larger share of the arrays with other extents than of those with another
 * type. */
static bool are_extents_likelier(const struct outcomes *outcomes)
{
	int n_types = outcomes->n_accepted[EXP_TYPE] + outcomes->n_refused[EXP_TYPE];
	int n_extents = outcomes->n_accepted[EXP_EXTENTS] + outcomes->n_refused[EXP_EXTENTS];

	return n_extents && outcomes->n_accepted[EXP_EXTENTS] * n_types >
				    outcomes->n_accepted[EXP_TYPE] * n_extents;
}

/* The message for a shape whose extents are the cause. extents: "each last" of a shape that the
 * consumer accepts (struct extents). */
static const char *extents_message(const struct situation *at, const char *extents)
{
	int64_t shape[ARRAY_MAX_DIMS];
	char *last;
	long each = strtol(extents, &last, 10);
	int n_dims = at->array ? (int)at->array->shape.n_items : 0;

	if (n_dims < 1 || n_dims > ARRAY_MAX_DIMS)
		return arena_printf(at->arena,
			"the consumer does not take an array of this shape; it accepts one whose extents are all %ld",
			each);
	for (int i = 0; i < n_dims; i++)
		shape[i] = i < n_dims - 1 ? each : strtol(last, NULL, 10);
	return arena_printf(at->arena,
		"the consumer does not take an array of the shape %s; it accepts one of the shape %s",
		words_tuple(at->arena, at->array->shape.items, n_dims),
		words_tuple(at->arena, shape, n_dims));
}

/* "bytes" of NumPy's "bytes_" */
static const char *shown_type(struct arena *arena, const char *name)
{
	return arena_copy(arena, name, strcspn(name, "_"));
}

/* An interface of the object that refuses these elements: "the object's buffer"; or NULL. */
static const char *find_refusing_interface(const struct situation *at)
{
	const struct fact_interface_list *interfaces = &at->target->interfaces;

	for (size_t i = 0; i < interfaces->n_items; i++)
		if (interfaces->items[i].status == INTERFACE_REFUSED)
			return arena_printf(at->arena, "the object's %s",
				protocol_find(interfaces->items[i].protocol)->attribute);
	return NULL;
}

/* Concludes the cause from arrays of ones: elements, emptiness, type, extents, or the number of
 * dimensions. */
static struct conclusion conclude_ones(
	const struct situation *at, const struct outcomes *outcomes, bool accepts_elements)
{
	const char *refusing = accepts_elements ? find_refusing_interface(at) : NULL;
	const char *by = refusing ? refusing : why_unsupporting(at);

	if (outcomes->accepted[EXP_ONES])
		return (struct conclusion){ 0 };
	if (outcomes->accepted[EXP_NONEMPTY])
		return (struct conclusion){ CAUSE_EMPTY,
			"the array has no elements; the consumer accepts one with elements" };
	if (outcomes->accepted[EXP_TYPE] && !are_extents_likelier(outcomes) &&
		(at->why->cause == CAUSE_ELEMENT_TYPE ||
			(at->why->cause != CAUSE_DIMENSIONS && !is_shape_likelier(outcomes))))
		return (struct conclusion){ CAUSE_ELEMENT_TYPE,
			arena_printf(at->arena,
				"elements of %s are not supported by %s; %s accepts an array of the same shape of %s",
				why_detail_type(at), by,
				strcmp(by, "the consumer") ? "the consumer" : "it",
				shown_type(at->arena, outcomes->detail[EXP_TYPE])) };
	if (outcomes->accepted[EXP_EXTENTS])
		return (struct conclusion){ CAUSE_DIMENSIONS,
			extents_message(at, outcomes->detail[EXP_EXTENTS]) };
	if (outcomes->accepted[EXP_DIMS])
		return (struct conclusion){ CAUSE_DIMENSIONS,
			arena_printf(at->arena,
				"the consumer does not take an array of %s; it accepts one of %s",
				at->array ? why_detail_dims(at) : "as many dimensions",
				outcomes->detail[EXP_DIMS]) };
	return (struct conclusion){ 0 };
}

/* Whether the consumer accepts the elements as an array of NumPy, but no array of the object's
 * library. If suai cannot make one of the latter, NumPy's array of the same memory decides. Not if
 * a method of the object raises the exception: a consumer that calls it accepts the object's
 * type. */
static bool is_type_refused(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	if (why_has_library(at->target, "numpy") || why_is_of_producer(at) ||
		accepts_made_array(own))
		return false;
	return numpy->accepted[EXP_WHOLE] ||
	       (numpy->accepted[EXP_ALIGNED] && own->refused[EXP_ONES]);
}

/* Whether the consumer rejects each array of the object's library that suai can make, whatever its
 * elements are, as it rejects the object. */
static bool is_library_refused(const struct outcomes *own)
{
	return !own->accepted[EXP_ONES] && !own->accepted[EXP_TYPE] &&
	       own->n_same_error[EXP_ONES] == own->n_refused[EXP_ONES] &&
	       own->n_same_error[EXP_TYPE] == own->n_refused[EXP_TYPE];
}

/* Whether the object lacks the method that the consumer calls, as all objects of its type that suai
 * can make: then elements that the consumer rejects as an array of NumPy, too, are not the first
 * obstacle. */
static bool is_method_missing(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	return numpy->refused[EXP_WHOLE] && is_library_refused(own) &&
	       !why_has_library(at->target, "numpy") && at->why->cause == CAUSE_NO_PROTOCOL &&
	       why_has_words(at->message, "has no attribute '__");
}

/* Whether the object exposes no interface, and the consumer accepts only arrays of NumPy. Their
 * elements need not be those of the object, of which NumPy may make an array of Python objects. */
static bool is_only_numpy_accepted(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	return !at->target->interfaces.n_items && is_library_refused(own) &&
	       own->n_refused[EXP_TYPE] >= MANY_TYPES &&
	       (numpy->accepted[EXP_ONES] || numpy->accepted[EXP_TYPE]);
}

/* Concludes that a state of the object is the cause: a pending operation, its device, nulls. */
static struct conclusion conclude_state(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	if ((own->accepted[EXP_RESOLVED] || numpy->accepted[EXP_WHOLE]) &&
		why_has_pending_operation(at))
		return (struct conclusion){ CAUSE_PENDING_OPERATION, why_detail_pending_state(at) };
	if (own->accepted[EXP_HOST] && is_device_suspect(at, own))
		return (struct conclusion){ CAUSE_DEVICE,
			arena_printf(at->arena,
				"its elements are on device %s, which the consumer cannot read; it accepts a copy on the host",
				why_detail_device(at)) };
	if (own->accepted[EXP_FILLED] && !own->accepted[EXP_OWN_COPY])
		return (struct conclusion){ CAUSE_NULLS,
			"it has nulls, which the consumer cannot use as elements" };
	return (struct conclusion){ 0 };
}

/* Concludes that the consumer reads no interface of objects of this type. */
static struct conclusion conclude_protocol(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	if (is_type_refused(at, numpy, own) && why_is_copy_forbidden(at))
		return (struct conclusion){
			CAUSE_NO_PROTOCOL,
			"the elements of the object cannot be read without one; the consumer accepts NumPy's array of the same elements"
		};
	if (is_type_refused(at, numpy, own))
		return (struct conclusion){ CAUSE_NO_PROTOCOL,
			arena_printf(at->arena,
				"the consumer takes objects of other types, such as NumPy's array of the same elements; this one exposes %s",
				why_detail_exposed(at)) };
	if (is_method_missing(at, numpy, own))
		return (struct conclusion){ CAUSE_NO_PROTOCOL,
			arena_printf(at->arena,
				at->target->interfaces.n_items
					? "%s; the consumer also rejects NumPy's array of the same elements"
					: "%s",
				at->why->message) };
	if (is_only_numpy_accepted(at, numpy, own))
		return (struct conclusion){
			CAUSE_NO_PROTOCOL,
			"the consumer takes objects of other types, such as NumPy's arrays; this one exposes no array interface"
		};
	return (struct conclusion){ 0 };
}

/* Concludes that the order of bytes or of dimensions is the cause. */
static struct conclusion conclude_order(const struct situation *at, const struct outcomes *numpy)
{
	if (numpy->accepted[EXP_NATIVE] && !numpy->accepted[EXP_COMPACT] &&
		!numpy->accepted[EXP_ALIGNED])
		return (struct conclusion){
			CAUSE_BYTE_ORDER,
			"its elements are not in this machine's byte order, which the protocol or the consumer requires"
		};
	if (numpy->accepted[EXP_FORTRAN] && numpy->refused[EXP_WHOLE] &&
		!numpy->accepted[EXP_COMPACT] && !numpy->accepted[EXP_ALIGNED])
		return (struct conclusion){ CAUSE_STRIDES,
			arena_printf(at->arena,
				"the consumer requires Fortran order, and the array is not contiguous in it%s",
				at->array && at->array->c_contiguous == ANSWER_YES
					? ", but in C order"
					: "") };
	return (struct conclusion){ 0 };
}

/* Concludes the cause of a refusal. */
static struct conclusion conclude_refusal(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	bool is_numpy = why_has_library(at->target, "numpy");
	struct conclusion found = conclude_state(at, numpy, own);

	if (!found.cause)
		found = conclude_protocol(at, numpy, own);
	if (!found.cause)
		found = conclude_order(at, numpy);
	if (found.cause)
		return found;
	/* Elements of a type that only the library has become Python objects in NumPy's copy, which
	 * does not show their layout. */
	if ((numpy->accepted[EXP_COMPACT] || numpy->accepted[EXP_ALIGNED]) &&
		!numpy->accepted[EXP_WHOLE] &&
		(own->accepted[EXP_ONES] || !own->accepted[EXP_TYPE]))
		found = conclude_layout(at, numpy);
	if (own->accepted[EXP_ONES]) {
		const struct conclusion facts = conclude_facts(at, numpy, own);

		if (facts.cause || !found.message)
			found = facts;
	}
	if (!found.message && numpy->accepted[EXP_ARRAY] &&
		(!at->why->cause || !at->target->interfaces.n_items) && !why_reads_arrow(at))
		return (struct conclusion){ CAUSE_NO_PROTOCOL,
			arena_printf(at->arena,
				"the consumer takes arrays, and the object is not one; it exposes %s",
				why_detail_exposed(at)) };
	if (!found.message)
		found = conclude_ones(at, own, numpy->accepted[EXP_WHOLE] && !is_numpy);
	if (!found.message && (is_numpy || !own->accepted[EXP_ONES]))
		found = conclude_ones(at, numpy, false);
	return found;
}

/* Concludes the cause of a result of another type: nulls, if the consumer shares the memory of an
 * array without them. */
static struct conclusion conclude_changed(
	const struct why_attempts *attempts, const struct fact_target *results)
{
	for (size_t i = 0; i < attempts->n_items; i++)
		if (attempts->items[i].experiment == EXP_FILLED &&
			results[i].why.passed.shared == ANSWER_YES)
			return (struct conclusion){
				CAUSE_NULLS,
				"the consumer replaces nulls by elements of another type; it shares an array without nulls"
			};
	return (struct conclusion){ 0 };
}

/* Whether the exception blames a common element type, but the consumer rejects arrays of many other
 * types with the same exception. */
static bool is_no_type_accepted(const struct situation *at, const struct outcomes *of)
{
	return at->why->cause == CAUSE_ELEMENT_TYPE && !why_has_foreign_type(at) &&
	       !why_has_rare_type(at) && !of->accepted[EXP_TYPE] &&
	       of->n_refused[EXP_TYPE] >= MANY_TYPES &&
	       of->n_same_error[EXP_TYPE] == of->n_refused[EXP_TYPE];
}

/* Whether the consumer rejects the object for being of a subclass of numpy.ndarray, such as a
 * quantity with a unit. */
static bool is_subclass_refused(const struct situation *at, const struct outcomes *numpy)
{
	return strncmp(fact_text_or(at->target->type, "numpy."), "numpy.", strlen("numpy.")) != 0 &&
	       numpy->accepted[EXP_WHOLE] &&
	       why_is_among(at->why->cause, WHY_BIT(CAUSE_NULL) | WHY_BIT(CAUSE_DIMENSIONS) |
						    WHY_BIT(CAUSE_ELEMENT_TYPE) |
						    WHY_BIT(CAUSE_STRIDES));
}

/* Concludes what to report if the experiments contradict the cause that the exception indicates. */
static struct conclusion conclude_disproved(
	const struct situation *at, const struct outcomes *numpy, const struct outcomes *own)
{
	static const struct {
		enum why_cause cause;
		enum experiment without;
		const char *message;
	} properties[] = {
		{ CAUSE_STRIDES, EXP_COMPACT,
			"the consumer rejects a contiguous copy with the same exception; suai does not know its cause" },
		{ CAUSE_READONLY, EXP_COMPACT,
			"the consumer rejects a writable copy with the same exception; suai does not know its cause" },
		{ CAUSE_BYTE_ORDER, EXP_NATIVE,
			"the consumer rejects a copy in the byte order of the machine with the same exception; suai does not know its cause" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(properties); i++)
		if (at->why->cause == properties[i].cause &&
			numpy->n_same_error[properties[i].without])
			return (struct conclusion){ CAUSE_NULL, properties[i].message };
	/* The consumer rejects NumPy's array, too, so the missing interface is not the cause. */
	if (at->why->cause == CAUSE_NO_PROTOCOL && !at->target->interfaces.n_items &&
		(numpy->refused[EXP_ONES] || numpy->accepted[EXP_ONES]) &&
		numpy->n_same_error[EXP_WHOLE])
		return (struct conclusion){
			CAUSE_NULL,
			"the consumer rejects NumPy's array of the same elements with the same exception; suai does not know its cause"
		};
	if (is_no_type_accepted(at, why_has_library(at->target, "numpy") ? numpy : own))
		return (struct conclusion){
			CAUSE_NULL,
			"the exception names the type of the elements, but the consumer rejects other types with the same one; suai does not know its cause"
		};
	if (!why_has_library(at->target, "numpy"))
		return (struct conclusion){ 0 };
	if (is_subclass_refused(at, numpy))
		return (struct conclusion){ CAUSE_NO_PROTOCOL,
			arena_printf(at->arena,
				"the consumer rejects objects of %s, but accepts NumPy's array of the same memory",
				fact_text_or(at->target->type, "this type")) };
	/* The values can be the cause, such as an index out of range or a singular matrix. */
	if (numpy->accepted[EXP_ONES] && !why_has_foreign_type(at) &&
		why_is_among(
			at->why->cause, WHY_BIT(CAUSE_DIMENSIONS) | WHY_BIT(CAUSE_ELEMENT_TYPE)))
		return (struct conclusion){
			CAUSE_NULL,
			"the consumer accepts an array of the same type and shape with other elements; suai does not know the cause of this exception"
		};
	/* "not aligned" in a message can also refer to shapes that do not match. */
	if (at->why->cause == CAUSE_ALIGNMENT && numpy->refused[EXP_ALIGNED])
		return (struct conclusion){
			CAUSE_NULL,
			"the consumer rejects an aligned copy, too; suai does not know the cause of this exception"
		};
	if (at->why->cause == CAUSE_DIMENSIONS && numpy->refused[EXP_DIMS])
		return (struct conclusion){ CAUSE_DIMENSIONS,
			arena_printf(at->arena,
				"the exception indicates the dimensions or the extents of the array, whose shape is %s; the consumer accepts no array of another shape that suai passed",
				at->array ? words_tuple(at->arena, at->array->shape.items,
						    (int)at->array->shape.n_items)
					  : "unknown") };
	return (struct conclusion){ 0 };
}

/* Whether no experiment reached the consumer: the import of the module or the evaluation of the
 * object failed before. */
static bool are_all_lost(const struct why_attempts *attempts, const struct fact_target *results)
{
	for (size_t i = 0; i < attempts->n_items; i++)
		if (results[i].why.present)
			return false;
	return attempts->n_items;
}

void why_conclude(struct arena *arena, struct fact_target *target,
	const struct why_attempts *attempts, const struct fact_target *results)
{
	const struct situation at = why_situation(arena, target);
	const bool was_refused = target->why.verdict == WHY_REFUSED;
	const struct outcomes numpy = read_outcomes(attempts, results, &at, false),
			      own = read_outcomes(attempts, results, &at, true);
	struct conclusion found = was_refused ? conclude_refusal(&at, &numpy, &own)
					      : conclude_changed(attempts, results);

	if (are_all_lost(attempts, results)) {
		if (target->why.message)
			target->why.message = arena_printf(arena,
				"%s (unconfirmed, since the object could not be created again: %s)",
				target->why.message,
				fact_exception(
					arena, results[0].error.type, results[0].error.message));
		return;
	}
	/* A line that works confirmed the cause that exception and object indicate. */
	if (!found.cause && target->why.remedies.n_items)
		found.message = NULL;
	if (!found.message && was_refused)
		found = conclude_disproved(&at, &numpy, &own);
	/* No property that suai can change makes the copy necessary. */
	if (!found.cause && target->why.cause == CAUSE_COPY_FORBIDDEN)
		return;
	if (!found.message)
		return;
	target->why.cause = found.cause;
	target->why.message =
		was_refused ? why_add_forbidden_copy(&at, found.message) : found.message;
}
