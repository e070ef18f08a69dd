// SPDX-License-Identifier: MIT
/*
 * Experiments: the consumer is called with objects that differ from the user's in one property. The
 * property without which it accepts them is the cause of a refusal, whatever the exception states.
 */
#include "why/experiments.h"

#include "base/array_size.h"
#include "model/array.h"
#include "why/situation.h"

#include <string.h>

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

bool why_makes_arrays_on_device(const struct fact_target *target)
{
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++)
		if (makers[i].is_on_device && why_has_library(target, makers[i].library))
			return true;
	return false;
}
