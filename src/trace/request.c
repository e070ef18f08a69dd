// SPDX-License-Identifier: MIT
/*
 * Whether a call passes an argument, or the function uses its default, follows from the program's
 * call instruction or, for functions such as decorators, from the *arguments and **keywords that
 * they receive. The value is that of the function's parameter; the function may be called through
 * such decorators. A class that is called, such as jax.numpy.float32, has its own dtype.
 */
#include "trace/request.h"

#include "trace/numpy_api.h"
#include "trace/python.h"
#include "trace/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	MAX_FRAMES = 1 << 10,
	MAX_PASSING_FRAMES = 16, /* that pass on the arguments of the program */
	CODE_VARARGS = 4,        /* flags of code: *args and **keywords */
	CODE_VARKEYWORDS = 8,
	NO_OPCODE = 0, /* of the interpreter's caches between instructions */
};

/* Names that code objects use, which are interned. */
#define NAMES(EACH)             \
	EACH(co_code)           \
	EACH(co_name)           \
	EACH(co_consts)         \
	EACH(co_varnames)       \
	EACH(co_argcount)       \
	EACH(co_kwonlyargcount) \
	EACH(co_flags) EACH(dtype) EACH(dtype_hint) EACH(self) EACH(cls) EACH(__call__)
#define NAME_NUMBER(NAME) NAME_##NAME,
#define NAME_TEXT(NAME) #NAME,
enum name { NAMES(NAME_NUMBER) N_NAMES };

static const char *const name_texts[] = { NAMES(NAME_TEXT) };

static void *interned(enum name name)
{
	static _Atomic(void *) objects[N_NAMES]; /* NULL: not used yet */

	if (!objects[name])
		objects[name] = trace_python.text_intern(name_texts[name]);
	return objects[name];
}

static void *interned_attribute(void *object, enum name name)
{
	void *text = interned(name);

	return text ? trace_python.get_attribute_of(object, text) : NULL;
}

static ptrdiff_t interned_integer(void *object, enum name name)
{
	void *value = interned_attribute(object, name);
	ptrdiff_t integer = value ? trace_python.integer_as_size(value) : 0;

	trace_python.dec_ref(value);
	return integer;
}

/* The instructions of a call. The one that loads the names of the last arguments precedes the call
 * with names, or the instruction that prepares a call. */
struct call_opcodes {
	unsigned int version;
	unsigned char call, call_with_names, prepare, names, extended;
};

static const struct call_opcodes known_opcodes[] = {
	{ 0x030b, .call = 171, .prepare = 166, .names = 172, .extended = 144 },
	{ 0x030c, .call = 171, .names = 172, .extended = 144 },
	{ 0x030d, .call = 53, .call_with_names = 57, .names = 83, .extended = 71 },
	{ 0x030e, .call = 52, .call_with_names = 55, .names = 82, .extended = 69 },
	{ 0x030f, .call = 50, .call_with_names = 53, .names = 81, .extended = 67 },
};

/* NULL: the version is not known. */
static const struct call_opcodes *find_opcodes(void)
{
	const unsigned int version = trace_python_version();

	for (size_t i = 0; i < sizeof(known_opcodes) / sizeof(known_opcodes[0]); i++)
		if (known_opcodes[i].version == version)
			return &known_opcodes[i];
	return NULL;
}

struct instructions {
	const unsigned char *bytes; /* two for each: its code and its argument */
	ptrdiff_t n;
};

static unsigned char opcode_at(const struct instructions *code, ptrdiff_t i)
{
	return i >= 0 && i < code->n ? code->bytes[2 * i] : NO_OPCODE;
}

/* The instruction at i, or the one whose cache is at i. */
static ptrdiff_t skip_cache(const struct instructions *code, ptrdiff_t i)
{
	while (i > 0 && opcode_at(code, i) == NO_OPCODE)
		i--;
	return i;
}

static ptrdiff_t argument_of(
	const struct instructions *code, const struct call_opcodes *opcodes, ptrdiff_t i)
{
	ptrdiff_t argument = code->bytes[2 * i + 1];

	for (int k = 1; k <= 2 && opcode_at(code, i - k) == opcodes->extended; k++)
		argument |= (ptrdiff_t)code->bytes[2 * (i - k) + 1] << (8 * k);
	return argument;
}

/* Of the first n names; -1: it is not among them. */
static ptrdiff_t index_of_name(void *names, enum name wanted, ptrdiff_t n)
{
	ptrdiff_t n_names = names ? trace_python.tuple_size(names) : 0;
	const void *name = interned(wanted);

	for (ptrdiff_t i = 0; name && i < n && i < n_names; i++)
		if (trace_python.tuple_get(names, i) == name)
			return i;
	return -1;
}

/* What a call passes. */
struct call_arguments {
	enum name dtype_name; /* dtype, or TensorFlow's dtype_hint */
	bool is_known;        /* what follows */
	bool has_dtype;       /* by name */
	ptrdiff_t n_positional;
};

/* Does nothing if the instruction is not a call, or a call with a list of arguments, f(*arguments).
 */
static void decode_call(const struct instructions *code, ptrdiff_t at, void *constants,
	const struct call_opcodes *opcodes, struct call_arguments *call)
{
	ptrdiff_t i = skip_cache(code, at), n_names = 0, constant;
	unsigned char opcode = opcode_at(code, i);
	void *names = NULL;

	if (opcode == NO_OPCODE || (opcode != opcodes->call && opcode != opcodes->call_with_names))
		return;
	call->n_positional = argument_of(code, opcodes, i);
	i = skip_cache(code, i - 1);
	if (opcodes->prepare && opcode_at(code, i) == opcodes->prepare)
		i = skip_cache(code, i - 1);
	if ((!opcodes->call_with_names || opcode == opcodes->call_with_names) &&
		opcode_at(code, i) == opcodes->names) {
		constant = argument_of(code, opcodes, i);
		if (constant < trace_python.tuple_size(constants))
			names = trace_python.tuple_get(constants, constant);
		if (names && trace_is_exactly(names, trace_python.tuple_type))
			n_names = trace_python.tuple_size(names);
	}
	call->has_dtype = index_of_name(names, call->dtype_name, n_names) >= 0;
	call->n_positional -= n_names;
	call->is_known = true;
}

static void read_call(void *frame, struct call_arguments *call)
{
	const struct call_opcodes *opcodes = find_opcodes();
	void *code = opcodes ? trace_python.frame_get_code(frame) : NULL;
	void *bytes = code ? interned_attribute(code, NAME_co_code) : NULL;
	void *constants = code ? interned_attribute(code, NAME_co_consts) : NULL;
	struct instructions instructions;
	ptrdiff_t n_bytes;
	char *text;

	if (bytes && constants && !trace_python.bytes_as_text(bytes, &text, &n_bytes)) {
		instructions = (struct instructions){ (unsigned char *)text, n_bytes / 2 };
		decode_call(&instructions, trace_python.frame_get_lasti(frame) / 2, constants,
			opcodes, call);
	}
	trace_python.dec_ref(constants);
	trace_python.dec_ref(bytes);
	trace_python.dec_ref(code);
}

struct parameters {
	void *names; /* of all local variables */
	ptrdiff_t n, n_by_name, flags;
};

static bool read_parameters(void *frame, struct parameters *parameters)
{
	void *code = trace_python.frame_get_code(frame);

	*parameters = (struct parameters){ interned_attribute(code, NAME_co_varnames),
		interned_integer(code, NAME_co_argcount),
		interned_integer(code, NAME_co_kwonlyargcount),
		interned_integer(code, NAME_co_flags) };
	trace_python.dec_ref(code);
	return parameters->names != NULL;
}

/* The i-th local variable, in a new reference; NULL: it has no value. */
static void *variable_at(void *frame, const struct parameters *parameters, ptrdiff_t i)
{
	void *name = i < trace_python.tuple_size(parameters->names)
			     ? trace_python.tuple_get(parameters->names, i)
			     : NULL;

	return name ? trace_local_variable(frame, name) : NULL;
}

/* The value of an argument in **keywords, in a new reference; NULL: there is none. */
static void *argument_in_keywords(
	void *frame, const struct parameters *parameters, enum name wanted)
{
	const int n_lists = parameters->flags & CODE_VARARGS ? 1 : 0;
	void *keywords, *value = NULL;

	if (!(parameters->flags & CODE_VARKEYWORDS))
		return NULL;
	keywords = variable_at(frame, parameters, parameters->n + parameters->n_by_name + n_lists);
	if (keywords && trace_is_exactly(keywords, trace_python.dict_type))
		value = trace_python.dict_get(keywords, name_texts[wanted]);
	trace_python.inc_ref(value);
	trace_python.dec_ref(keywords);
	return value;
}

/* How many arguments *arguments contains; -1: there is no such parameter. */
static ptrdiff_t count_listed_arguments(void *frame, const struct parameters *parameters)
{
	void *list = parameters->flags & CODE_VARARGS
			     ? variable_at(frame, parameters, parameters->n + parameters->n_by_name)
			     : NULL;
	ptrdiff_t n = list && trace_is_exactly(list, trace_python.tuple_type)
			      ? trace_python.tuple_size(list)
			      : -1;

	trace_python.dec_ref(list);
	return n;
}

/* A method has a parameter for which the call passes no argument. */
static bool is_method(const struct parameters *parameters)
{
	return parameters->n > 0 && (index_of_name(parameters->names, NAME_self, 1) == 0 ||
					    index_of_name(parameters->names, NAME_cls, 1) == 0);
}

/* What a function receives that the program calls as f(*arguments). */
static void read_listed_arguments(
	void *frame, const struct parameters *parameters, struct call_arguments *call)
{
	const ptrdiff_t n_listed = count_listed_arguments(frame, parameters);
	void *value = argument_in_keywords(frame, parameters, call->dtype_name);

	call->has_dtype = value != NULL;
	if (n_listed > 0 || (n_listed == 0 && !parameters->n))
		call->n_positional = parameters->n - is_method(parameters) + n_listed;
	call->is_known = true;
	trace_python.dec_ref(value);
}

/* The value of dtype in a frame that the program's call reaches. True: the value was found, or none
 * is requested; false: the frame passes on what it received. */
static bool find_dtype(void *frame, struct call_arguments *call, void **value)
{
	struct parameters parameters;
	ptrdiff_t i;
	bool is_found = true;

	*value = NULL;
	if (!read_parameters(frame, &parameters))
		return true;
	if (!call->is_known)
		read_listed_arguments(frame, &parameters, call);
	i = index_of_name(parameters.names, call->dtype_name, parameters.n + parameters.n_by_name);
	if (i >= 0 && (call->has_dtype || (i < parameters.n &&
						  call->n_positional > i - is_method(&parameters))))
		*value = trace_local_variable(frame, interned(call->dtype_name));
	else if (i < 0 && call->has_dtype && (parameters.flags & CODE_VARKEYWORDS))
		*value = argument_in_keywords(frame, &parameters, call->dtype_name);
	else if (i < 0)
		is_found = !(parameters.flags & CODE_VARARGS);
	trace_python.dec_ref(parameters.names);
	return is_found;
}

/* A new reference to the attribute dtype of a class that the program calls and whose metaclass
 * defines the call; NULL: none. */
static void *dtype_of_called_class(void *frame)
{
	void *code = trace_python.frame_get_code(frame);
	void *name = interned_attribute(code, NAME_co_name), *class = NULL;
	void *attributes = NULL, *dtype = NULL;

	if (name == interned(NAME___call__))
		class = trace_local_variable(frame, interned(NAME_self));
	trace_python.dec_ref(name);
	trace_python.dec_ref(code);
	if (class && trace_is_instance(class, trace_python.type_type))
		attributes = trace_type_attribute(class, "__dict__");
	if (attributes)
		dtype = trace_python.mapping_get(attributes, "dtype");
	trace_python.dec_ref(attributes);
	trace_python.dec_ref(class);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return dtype;
}

/* New references to the program's innermost frame and to the outermost frames that it called, the
 * first of which is frames[0]. */
static void *find_calling_frame(void *frames[MAX_PASSING_FRAMES], int *n_frames)
{
	void *frame = trace_python.eval_get_frame(), *back;

	*n_frames = 0;
	trace_python.inc_ref(frame);
	for (int n = 0; frame && n < MAX_FRAMES && !trace_site_is_program_frame(frame); n++) {
		back = trace_python.frame_get_back(frame);
		if (*n_frames == MAX_PASSING_FRAMES)
			trace_python.dec_ref(frames[--*n_frames]);
		memmove(&frames[1], &frames[0], (size_t)*n_frames * sizeof(*frames));
		frames[0] = frame;
		++*n_frames;
		frame = back;
	}
	return frame;
}

/* A new reference to the argument that the program passes; NULL: none, or None. */
static void *find_stated(void *program, void *const *frames, int n_frames, enum name dtype_name)
{
	struct call_arguments call = { .dtype_name = dtype_name };
	void *dtype = NULL;

	read_call(program, &call);
	for (int i = 0; i < n_frames && !find_dtype(frames[i], &call, &dtype); i++)
		;
	if (trace_python.err_occurred())
		trace_python.err_clear();
	if (dtype != trace_python.none)
		return dtype;
	trace_python.dec_ref(dtype);
	return NULL;
}

void *trace_request_dtype(void)
{
	void *frames[MAX_PASSING_FRAMES], *dtype = NULL;
	int n_frames;
	void *program = find_calling_frame(frames, &n_frames);

	if (program && n_frames) {
		dtype = find_stated(program, frames, n_frames, NAME_dtype);
		if (!dtype)
			dtype = find_stated(program, frames, n_frames, NAME_dtype_hint);
		if (!dtype)
			dtype = dtype_of_called_class(frames[0]);
	}
	for (int i = 0; i < n_frames; i++)
		trace_python.dec_ref(frames[i]);
	trace_python.dec_ref(program);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return dtype;
}
