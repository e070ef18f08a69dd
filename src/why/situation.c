// SPDX-License-Identifier: MIT
/* Facts of the object and of the exception, by which causes are found, and their details for
 * messages. */
#include "why/situation.h"

#include "base/array_size.h"
#include "base/identifier.h"
#include "base/plural.h"
#include "base/python_code.h"
#include "base/text.h"
#include "base/words.h"
#include "model/job.h"
#include "protocols/description.h"
#include "protocols/protocol.h"
#include "why/why.h"

#include <ctype.h>
#include <string.h>

static const struct fact_interface *find_interface(
	const struct fact_target *target, const char *protocol)
{
	for (size_t i = 0; i < target->interfaces.n_items; i++)
		if (fact_text_is(target->interfaces.items[i].protocol, protocol))
			return &target->interfaces.items[i];
	return NULL;
}

/* Whether the interface describes an array, and not only some of its properties. */
static bool describes_array(const struct fact_interface *interface)
{
	return interface->array.present && interface->array.itemsize.known;
}

struct situation why_situation(struct arena *arena, const struct fact_target *target)
{
	const struct fact_why *why = &target->why;
	struct situation at = { .arena = arena,
		.target = target,
		.why = why,
		.message = why_lower_text(arena, fact_text_or(why->error.message, "")),
		.consumer = why_lower_text(arena, fact_text_or(why->consumer, "")) };

	const char *protocol = why_protocol_of(at.consumer);
	const struct fact_interface *read = protocol ? find_interface(target, protocol) : NULL;

	if (read && describes_array(read))
		at.array = &read->array;
	for (size_t i = 0; !at.array && i < target->interfaces.n_items; i++)
		if (describes_array(&target->interfaces.items[i]))
			at.array = &target->interfaces.items[i].array;
	return at;
}

bool why_has_library(const struct fact_target *target, const char *library)
{
	size_t n_chars = strlen(library);

	for (size_t i = 0; i < target->mro.n_items; i++) {
		const char *type = target->mro.items[i];

		/* Types of JAX are those of jaxlib. */
		if (!strncmp(type, library, n_chars) &&
			(type[n_chars] == '.' || !strncmp(type + n_chars, "lib.", 4)))
			return true;
	}
	return false;
}

const char *why_protocol_of(const char *consumer)
{
	if (why_has_words(consumer, "from_dlpack"))
		return dlpack_protocol.name;
	if (why_has_words(consumer, "as_cuda_array|from_cuda_array_interface"))
		return cuda_protocol.name;
	return why_has_words(consumer, "memoryview|frombuffer|py_buffer") ? buffer_protocol.name
									  : NULL;
}

const char *why_known_type(const char *declared, const struct fact_target *target)
{
	const char *own = target->own.dtype;

	if (own && (!declared || (!strncmp(declared, "void", 4) && isalpha((unsigned char)*own))))
		return own;
	return declared;
}

const char *why_element_type(const struct situation *at)
{
	return why_known_type(at->array ? at->array->dtype : NULL, at->target);
}

const char *why_unsupporting(const struct situation *at)
{
	const char *step = fact_text_or(at->why->step, "");

	if (!strncmp(step, "_.__", 4))
		return arena_printf(
			at->arena, "the object's %.*s", (int)strcspn(step + 2, "("), step + 2);
	return strcmp(step, "memoryview(_)") ? "the consumer" : "the object's buffer";
}

const char *why_type_name(const char *type)
{
	const char *dot = strrchr(type, '.');

	return dot && isalpha((unsigned char)*type) ? dot + 1 : type;
}

const char *why_number_name(struct arena *arena, const char *type)
{
	static const char *const others[][2] = { { "boolean", "bool" }, { "double", "float64" },
		{ "float", "float32" }, { "halffloat", "float16" } };
	const char *lower = why_lower_text(arena, why_type_name(type));
	size_t n_chars = strlen(lower);

	if (text_has_suffix(lower, n_chars, "[pyarrow]"))
		lower = arena_copy(arena, lower, n_chars - strlen("[pyarrow]"));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(lower, others[i][0]))
			return others[i][1];
	return lower;
}

bool why_has_rare_type(const struct situation *at)
{
	const char *name = why_element_type(at);

	return name &&
	       why_has_words(name, "float16|bfloat|float8|float4_|float6_|float128|longdouble|bool|"
				   "complex|uint16|uint32|uint64|int4|int2");
}

static bool exposes_arrow(const struct fact_target *target)
{
	const struct fact_alternative_list *others = &target->instead.alternatives;

	for (size_t i = 0; i < others->n_items; i++)
		if (!strncmp(fact_text_or(others->items[i].has, ""), "__arrow_c_",
			    strlen("__arrow_c_")))
			return true;
	return false;
}

bool why_is_read_by_numpy(const struct fact_target *target)
{
	const struct fact_alternative_list *others = &target->instead.alternatives;

	for (size_t i = 0; i < others->n_items; i++)
		if (fact_text_is(others->items[i].has, "__array__"))
			return true;
	return target->interfaces.n_items > 0;
}

bool why_is_list_of_arrays(const struct situation *at, const struct fact_why *result)
{
	const struct fact_interface_list *interfaces = &at->target->interfaces;

	for (size_t i = 0; i < interfaces->n_items; i++) {
		const char *protocol = interfaces->items[i].protocol;

		if (interfaces->items[i].status == INTERFACE_OK &&
			(!strcmp(protocol, PROTOCOL_NUMPY) ||
				!strcmp(protocol, PROTOCOL_NUMPY_STRUCT) ||
				!strcmp(protocol, PROTOCOL_BUFFER)))
			return false;
	}
	return at->array && !fact_text_is(at->array->dtype, "object") &&
	       result->result_nests == ANSWER_YES;
}

bool why_has_null_data(const struct situation *at)
{
	const struct fact_interface_list *interfaces = &at->target->interfaces;
	bool is_null = false;

	for (size_t i = 0; i < interfaces->n_items; i++) {
		const struct fact_array *array = &interfaces->items[i].array;

		if (!array->present || !array->itemsize.known)
			continue;
		if (array->pointer.known || fact_int_or(array->elements, 0) < 1)
			return false;
		is_null = true; /* facts have no address 0 */
	}
	return is_null;
}

bool why_reads_arrow(const struct situation *at)
{
	static const char *const libraries[] = { "arro3", "datafusion", "duckdb", "nanoarrow",
		"polars", "pyarrow" };

	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++)
		if (!strncmp(at->consumer, libraries[i], strlen(libraries[i])))
			return exposes_arrow(at->target);
	return false;
}

/* Whether the object's own __array__() raises the exception. */
static bool is_in_array_method(const struct situation *at)
{
	return at->why->step && !strncmp(at->why->step, "_.__array__(", strlen("_.__array__("));
}

bool why_lacks_protocol(const struct situation *at)
{
	const char *protocol = why_protocol_of(at->consumer);

	/* Nothing was captured. */
	if (at->target->status != STATUS_OK)
		return false;
	/* An interface whose method raises is not listed. */
	if (why_has_rare_type(at) &&
		why_has_words(at->message, "unsupported|not supported|of type"))
		return false;
	if (protocol)
		return !find_interface(at->target, protocol);
	return !at->target->interfaces.n_items && !is_in_array_method(at) && !why_reads_arrow(at);
}

bool why_becomes_object(const struct situation *at)
{
	const struct fact_interface_list *interfaces = &at->target->interfaces;
	const char *type = fact_text_or(why_element_type(at), "object");

	for (size_t i = 0; i < interfaces->n_items; i++)
		if (interfaces->items[i].array.present &&
			(fact_text_is(interfaces->items[i].protocol, numpy_protocol.name) ||
				fact_text_is(interfaces->items[i].protocol, buffer_protocol.name)))
			return false;
	return at->array && !strstr(type, "object");
}

bool why_has_invalid_device(const struct situation *at)
{
	const struct fact_interface *dlpack = find_interface(at->target, dlpack_protocol.name);
	const struct value *device = dlpack ? value_get(dlpack->declared, "device") : NULL;

	if (!device || value_is_null(device))
		return false;
	return !value_is_sequence(device) || device->n_items != 2 ||
	       !value_is_integer(value_item(device, 0)) || !value_is_integer(value_item(device, 1));
}

/* The device of an array that could not be read: the result of __dlpack_device__(), or what the
 * object reports outside protocols, unless that is an object whose repr() describes nothing. */
static const char *own_device(const struct situation *at)
{
	const struct fact_interface *dlpack = find_interface(at->target, dlpack_protocol.name);
	const struct value *device = dlpack ? value_get(dlpack->declared, "device") : NULL;
	const char *own = why_lower_text(at->arena, fact_text_or(at->target->own.device, ""));
	const char *name = device && value_is_sequence(device) && device->n_items == 2
				   ? device_type_name(value_int_or(value_item(device, 0), 0))
				   : NULL;

	if (name)
		return device_text(at->arena,
			(struct device){ name, value_int_or(value_item(device, 1), -1) });
	return strstr(own, " object at 0x") ? "" : own;
}

bool why_is_off_host(const struct situation *at)
{
	if (why_is_sharded(at))
		return false;
	if (!at->array)
		return *own_device(at) && !why_has_words(own_device(at), "cpu|host");
	return at->array->device.present && at->array->device.type &&
	       strcmp(at->array->device.type, DEVICE_CPU) != 0;
}

bool why_is_on_host(const struct situation *at)
{
	return at->array && at->array->device.present &&
	       fact_text_is(at->array->device.type, DEVICE_CPU);
}

bool why_has_foreign_order(const struct situation *at)
{
	for (size_t i = 0; i < at->target->interfaces.n_items; i++) {
		const struct fact_array *array = &at->target->interfaces.items[i].array;

		if (array->present && array->typestr && array->typestr[0] == '>')
			return true;
	}
	return at->target->own.dtype && at->target->own.dtype[0] == '>';
}

bool why_is_readonly(const struct situation *at)
{
	for (size_t i = 0; i < at->target->interfaces.n_items; i++)
		if (at->target->interfaces.items[i].array.present &&
			at->target->interfaces.items[i].array.readonly == ANSWER_YES)
			return true;
	return at->target->own.readonly == ANSWER_YES;
}

bool why_is_strided(const struct situation *at)
{
	return at->array && at->array->c_contiguous == ANSWER_NO;
}

bool why_is_misaligned(const struct situation *at)
{
	const struct fact_array *array = at->array;
	int64_t item_bytes = array ? fact_int_or(array->itemsize, 0) : 0;
	uint64_t alignment = item_bytes >= 8 ? 8 : (uint64_t)item_bytes;

	if (!array || !array->pointer.known || item_bytes < 2 || (item_bytes & (item_bytes - 1)))
		return false;
	if (array->pointer.value % alignment)
		return true;
	for (size_t i = 0; i < array->strides_bytes.n_items; i++)
		if ((uint64_t)array->strides_bytes.items[i] % alignment)
			return true;
	return false;
}

bool why_is_unaligned(const struct fact_target *target)
{
	for (size_t i = 0; i < target->interfaces.n_items; i++)
		if (target->interfaces.items[i].array.pointer.known)
			return target->interfaces.items[i].array.pointer.value % 64;
	return false;
}

bool why_has_foreign_type(const struct situation *at)
{
	const char *name = why_element_type(at);

	return name &&
	       why_has_words(
		       name, "datetime|timedelta|object|str|unicode|bytes|void|<U|<S|<M|<m|>M|>m");
}

bool why_lacks_dlpack_type(const struct situation *at)
{
	return why_has_foreign_type(at) && at->why->step && strstr(at->why->step, "__dlpack__(");
}

bool why_lacks_memory(const struct situation *at)
{
	enum { LARGE_BYTES = 1 << 20 };

	return why_object_bytes(at->target) > LARGE_BYTES &&
	       (fact_text_is(at->why->error.type, "MemoryError") ||
		       why_has_words(at->message,
			       "out of memory|unable to allocate|cannot allocate|failed to allocate|allocation failed|bad_alloc|malloc of size|not enough memory|insufficient memory|exceeds available memory"));
}

bool why_has_no_dims(const struct situation *at)
{
	return at->target->own.scalar == ANSWER_YES ||
	       (at->array && fact_int_or(at->array->ndim, 1) == 0);
}

bool why_has_no_or_many_dims(const struct situation *at)
{
	int64_t n_dims = at->array ? fact_int_or(at->array->ndim, 1) : 1;

	return n_dims == 0 || n_dims > 1;
}

bool why_has_pending_operation(const struct situation *at)
{
	return at->target->own.pending.n_items || at->target->own.requires_grad == ANSWER_YES ||
	       at->target->own.masked == ANSWER_YES;
}

bool why_is_lazy(const struct situation *at)
{
	for (size_t i = 0; i < at->target->own.pending.n_items; i++)
		if (fact_text_is(at->target->own.pending.items[i], "conjugation") ||
			fact_text_is(at->target->own.pending.items[i], "negation"))
			return true;
	return false;
}

bool why_is_sharded(const struct situation *at)
{
	return fact_int_or(at->target->own.shards, 1) > 1;
}

bool why_is_malformed(const struct situation *at)
{
	if (at->array)
		return false;
	for (size_t i = 0; i < at->target->interfaces.n_items; i++)
		if (at->target->interfaces.items[i].status == INTERFACE_OK)
			return true;
	return false;
}

bool why_has_malformed(const struct situation *at)
{
	for (size_t i = 0; i < at->target->interfaces.n_items; i++) {
		const struct fact_interface *interface = &at->target->interfaces.items[i];

		if (interface->status == INTERFACE_OK && !describes_array(interface))
			return true;
	}
	return false;
}

/* "dlpack: shape is NULL but ndim is 2"; NULL: nothing is wrong with the interface. */
static const char *describe_malformed(struct arena *arena, struct fact_interface interface)
{
	const char *protocol = fact_text_or(interface.protocol, "?");
	struct array array;
	struct err err;

	if (protocol_describe_strict(arena, &interface, &array, &err))
		return arena_printf(arena, "%s: %s", protocol, err.message);
	if (interface.memory.present && interface.memory.readable == ANSWER_NO)
		return arena_printf(arena, "%s: %s readable", protocol,
			words_not_all_bytes(
				arena, interface.memory.asked_low, interface.memory.asked_high));
	return NULL;
}

const char *why_detail_malformed(const struct situation *at)
{
	const struct fact_interface_list *interfaces = &at->target->interfaces;
	const char *malformed = NULL;

	for (size_t i = 0; !malformed && i < interfaces->n_items; i++)
		if (interfaces->items[i].status == INTERFACE_OK)
			malformed = describe_malformed(at->arena, interfaces->items[i]);
	return malformed;
}

bool why_has_sound(const struct situation *at)
{
	const struct fact_interface_list *interfaces = &at->target->interfaces;

	for (size_t i = 0; i < interfaces->n_items; i++)
		if (interfaces->items[i].status == INTERFACE_OK &&
			!describe_malformed(at->arena, interfaces->items[i]))
			return true;
	return false;
}

/* Whether the message is "module 'numpy' has no attribute 'f'" or "name 'f' is not defined", and
 * the consumer is an expression with that name. */
static bool is_name_absent(const struct situation *at)
{
	static const char *const beginnings[] = { "' has no attribute '", "name '" };
	const char *consumer = fact_text_or(at->why->consumer, "");

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++) {
		const char *message = fact_text_or(at->why->error.message, ""),
			   *name = strstr(message, beginnings[i]), *found;
		size_t n_chars;

		if (!name || (i == 0 ? strncmp(message, "module '", 8) != 0 : name != message))
			continue;
		name += strlen(beginnings[i]);
		n_chars = strcspn(name, "'");
		found = strstr(consumer, arena_copy(at->arena, name, n_chars));
		if (found && strchr(consumer, '(') && !is_identifier_byte(found[n_chars]))
			return true;
	}
	return false;
}

bool why_is_consumer_missing(const struct situation *at)
{
	return (at->why->step && !strcmp(at->why->step, PASS_STEP_FIND)) || is_name_absent(at);
}

/* Whether the exception was raised outside of all functions in Python: its traceback has no frame
 * but that of the consumer's expression. */
static bool is_raised_outside_functions(const struct situation *at)
{
	static const char own[] = "File \"<CONSUMER>\"";
	const char *frame = strstr(fact_text_or(at->why->error.traceback, ""), "File \"");

	return !frame ||
	       (!strncmp(frame, own, strlen(own)) && !strstr(frame + strlen(own), "File \""));
}

bool why_is_consumer_module(const struct situation *at)
{
	static const char message[] = "'module' object is not callable";
	const char *end = at->consumer;

	while (is_identifier_byte(*end) || *end == '.' || *end == ':')
		end++;
	return !strncmp(at->message, message, strlen(message)) && (!*end || !strcmp(end, "(_)")) &&
	       is_raised_outside_functions(at);
}

/* Whether the n_chars of text that qualify a function in an exception, such as "Index.__init__" or
 * "make.<locals>.convert", end with the consumer's name, or are those of its constructor. */
static bool is_name_of(const char *text, size_t n_chars, const char *name)
{
	static const char *const constructors[] = { ".__init__", ".__new__", ".__call__" };
	size_t n_name = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(constructors); i++)
		if (text_has_suffix(text, n_chars, constructors[i])) {
			n_chars -= strlen(constructors[i]);
			break;
		}
	return n_chars >= n_name && !strncmp(text + n_chars - n_name, name, n_name) &&
	       (n_chars == n_name || text[n_chars - n_name - 1] == '.');
}

bool why_rejects_one_argument(const struct situation *at)
{
	const char *consumer = fact_text_or(at->why->consumer, ""), *name = consumer;
	const char *message = fact_text_or(at->why->error.message, "");
	size_t n_function = strcspn(message, "(");
	bool is_function = !strchr(consumer, '(');

	for (const char *c = consumer; *c && *c != '('; c++)
		if (*c == ':' || *c == '.')
			name = c + 1;
	name = arena_copy(at->arena, name, strcspn(name, "("));
	if (at->why->step || !*name)
		return false;
	/* A message may list the reasons of several signatures; this is one of them. */
	if (is_function &&
		strstr(message, arena_printf(at->arena, " %s() missing required argument", name)))
		return true;
	return (is_function || text_has_suffix(consumer, strlen(consumer), "(_)")) &&
	       is_name_of(message, n_function, name) &&
	       (!strncmp(message + n_function, "() missing ", 11) ||
		       !strncmp(message + n_function, "() takes ", 9));
}

/* Whether a keyword argument of n_chars begins at `at`. */
static bool is_keyword_argument(const char *at, size_t n_chars)
{
	at += n_chars + strspn(at + n_chars, " ");
	return n_chars && at[0] == '=' && at[1] != '=';
}

/* Where the expression passes the keyword argument of these n_chars; NULL: it does not. */
static const char *find_keyword(const char *expression, const char *keyword, size_t n_chars)
{
	for (const char *found = expression; (found = strchr(found, *keyword)); found++)
		if (found > expression && strchr("(, ", found[-1]) &&
			!strncmp(found, keyword, n_chars) && is_keyword_argument(found, n_chars))
			return found;
	return NULL;
}

/* Where the expression passes the first keyword argument to the function of these n_chars, perhaps
 * qualified; NULL: it passes none. */
static const char *find_any_keyword(
	const struct situation *at, const char *expression, const char *function, size_t n_chars)
{
	const char *name = function + n_chars, *call, *argument;

	while (name > function && is_identifier_byte(name[-1]))
		name--;
	name = arena_printf(at->arena, "%.*s(", (int)(function + n_chars - name), name);
	call = name[1] ? strstr(expression, name) : NULL;
	while (call && call > expression && is_identifier_byte(call[-1]))
		call = strstr(call + 1, name);
	if (!call)
		return NULL;
	argument = call + strlen(name);
	argument += strspn(argument, " ");
	while (!is_keyword_argument(argument, identifier_length(argument))) {
		argument = python_argument_end(argument);
		if (*argument != ',')
			return NULL;
		argument += 1 + strspn(argument + 1, " ");
	}
	return argument;
}

bool why_takes_no_keywords(const struct situation *at)
{
	return strstr(at->message, WHY_NO_KEYWORDS) != NULL;
}

const char *why_rejected_keyword(const struct situation *at, const char *expression)
{
	static const char *const beginnings[] = { "() got an unexpected keyword argument '",
		"() got some positional-only arguments passed as keyword arguments: '" };
	static const char invalid[] = "' is an invalid keyword argument for ";
	const char *message = fact_text_or(at->why->error.message, ""), *keyword = NULL;

	if (at->why->step || !strchr(expression, '('))
		return NULL;
	if (why_takes_no_keywords(at))
		return find_any_keyword(at, expression, message,
			(size_t)(strstr(message, WHY_NO_KEYWORDS) - message));
	for (size_t i = 0; !keyword && i < ARRAY_SIZE(beginnings); i++) {
		keyword = strstr(message, beginnings[i]);
		if (keyword)
			keyword += strlen(beginnings[i]);
	}
	if (!keyword && *message == '\'' && strstr(message, invalid))
		keyword = message + 1;
	return keyword && strcspn(keyword, "'") > 0
		       ? find_keyword(expression, keyword, strcspn(keyword, "'"))
		       : NULL;
}

bool why_rejects_keyword(const struct situation *at)
{
	return why_rejected_keyword(at, fact_text_or(at->why->consumer, "")) != NULL;
}

/* The next place in the message after from where the name, in lower case, is a word; NULL: none. */
static const char *find_name(const struct situation *at, const char *name, const char *from)
{
	size_t n_chars = strlen(name);

	for (const char *found = from; n_chars && (found = strstr(found, name)); found++)
		if ((found == at->message || !is_identifier_byte(found[-1])) &&
			!is_identifier_byte(found[n_chars]))
			return found;
	return NULL;
}

static bool begins_with_one(const char *text, const char *const *beginnings, size_t n_beginnings)
{
	for (size_t i = 0; i < n_beginnings; i++)
		if (!strncmp(text, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static bool follows_one(const char *text, const char *end, const char *const *words, size_t n_words)
{
	for (size_t i = 0; i < n_words; i++) {
		size_t n_chars = strlen(words[i]);

		if ((size_t)(end - text) >= n_chars && !strncmp(end - n_chars, words[i], n_chars))
			return true;
	}
	return false;
}

/* Names such as "array" and "list" are also common nouns: only one that is quoted, or used as a
 * type, denotes the object's type. */
bool why_names_type(const struct situation *at)
{
	static const char *const before[] = { "'", "\"", "`", ".", "got ", "not ", "type ",
		"type: ", "found ", "received " };
	static const char *const after[] = { "'", "\"", "`", ">", ".", ",", ";", ":", ")",
		" object", " instead", " is not", "\n" };
	const char *type = fact_text_or(at->target->type, ""), *dot = strrchr(type, '.');
	const char *name = why_lower_text(at->arena, dot ? dot + 1 : type);

	for (const char *found = at->message; (found = find_name(at, name, found)); found++) {
		const char *rest = found + strlen(name);

		if ((found == at->message ||
			    follows_one(at->message, found, before, ARRAY_SIZE(before))) &&
			(!*rest || begins_with_one(rest, after, ARRAY_SIZE(after))))
			return true;
	}
	return false;
}

bool why_names_element_type(const struct situation *at)
{
	const char *name = why_element_type(at);

	return name && find_name(at, name, at->message);
}

bool why_has_nulls(const struct situation *at)
{
	for (size_t i = 0; i < at->target->interfaces.n_items; i++)
		if (at->target->interfaces.items[i].status != INTERFACE_OK &&
			why_has_words(
				fact_text_or(at->target->interfaces.items[i].error.message, ""),
				"no nulls|with nulls|has nulls"))
			return true;
	return false;
}

bool why_may_have_nulls(const struct fact_target *target)
{
	return why_has_library(target, "pandas") || why_has_library(target, "polars") ||
	       why_has_library(target, "pyarrow");
}

bool why_names_method(const struct situation *at)
{
	const char *step = at->why->step;
	size_t n_chars = strlen(fact_text_or(step, ""));

	/* A call without arguments raises the same exception: its cause is in the method. */
	if (n_chars > 2 && !strcmp(step + n_chars - 2, "()"))
		return false;
	if (step && !strncmp(step, "_.", 2))
		return true;
	return strstr(at->message, "__") && !strstr(at->message, "__init__()") &&
	       !strstr(at->message, "__new__()");
}

bool why_is_producer_lost(const struct situation *at)
{
	static const enum trial_outcome outcomes[] = { [STATUS_CRASHED] = TRIAL_CRASHED,
		[STATUS_HUNG] = TRIAL_HUNG,
		[STATUS_LEFT] = TRIAL_LEFT };
	enum target_status status = at->target->status;

	return status < ARRAY_SIZE(outcomes) && outcomes[status] &&
	       outcomes[status] == at->why->outcome && at->target->step;
}

bool why_has_only_array_method(const struct situation *at)
{
	return !at->target->interfaces.n_items && at->target->own.dtype && is_in_array_method(at);
}

bool why_has_no_memory(const struct situation *at)
{
	return at->target->status == STATUS_OK && !at->target->interfaces.n_items &&
	       !strchr(fact_text_or(at->target->type, "."), '.');
}

bool why_is_exit(const struct situation *at)
{
	return fact_text_is(at->why->exception, "SystemExit");
}

bool why_has_no_elements(const struct situation *at)
{
	return at->array && fact_int_or(at->array->elements, 1) == 0;
}

bool why_exports_legacy(const struct situation *at)
{
	const struct fact_interface *interface = find_interface(at->target, dlpack_protocol.name);

	return interface && interface->status == INTERFACE_OK &&
	       fact_text_is(value_text_or(interface->version, ""), "legacy");
}

bool why_is_of_producer(const struct situation *at)
{
	if (at->why->step && strncmp(at->why->step, "_.", 2) == 0)
		return true;
	for (size_t i = 0; i < at->target->interfaces.n_items; i++) {
		const struct fact_interface *interface = &at->target->interfaces.items[i];

		if (interface->status != INTERFACE_OK && interface->error.message &&
			fact_text_is(at->why->error.message, interface->error.message))
			return true;
	}
	return false;
}

bool why_cannot_export(const struct situation *at)
{
	return fact_text_is(at->why->step, "_.__dlpack__()") ||
	       fact_text_is(at->why->step, "_.__dlpack_device__()");
}

/* The number, which __cuda_array_interface__ does not declare, is that of another interface or, if
 * none declares it, of the memory. */
struct device why_device(const struct situation *at)
{
	const char *type = at->array->device.type;
	struct device device = { type, -1 };

	for (size_t i = 0; type && i < at->target->interfaces.n_items; i++) {
		const struct fact_interface *interface = &at->target->interfaces.items[i];

		if (!fact_text_is(interface->array.device.type, type))
			continue;
		if (interface->array.device.id.known)
			return (struct device){ type, interface->array.device.id.value };
		if (interface->memory.device_id.known)
			device.id = interface->memory.device_id.value;
	}
	return device;
}

/* --- details --- */

const char *why_detail_device(const struct situation *at)
{
	return at->array ? device_text(at->arena, why_device(at)) : own_device(at);
}

const char *why_detail_type(const struct situation *at)
{
	const char *name = fact_text_or(why_element_type(at), "this type");

	/* NumPy writes structured types as a list, a dictionary, or a pair of a class and these. */
	if (!strncmp(name, "void", 4) && strchr("[{(", *fact_text_or(at->target->own.dtype, "V")))
		return "a structured type";
	/* NumPy writes text types as "<U2". */
	return !strncmp(name, "str", 3) && isdigit((unsigned char)name[3]) && at->array
		       ? fact_text_or(at->array->typestr, name)
		       : name;
}

const char *why_detail_strides(const struct situation *at)
{
	const struct fact_ints *strides = &at->array->strides_bytes;
	const char *kind = "not contiguous in C order";

	if (!why_is_strided(at))
		return "as the exception states";
	for (size_t i = 0; i < strides->n_items; i++)
		if (strides->items[i] < 0)
			kind = "negative";
		else if (strides->items[i] == 0 && strcmp(kind, "negative") != 0)
			kind = "zero";
		else if (fact_int_or(at->array->itemsize, 1) > 0 &&
			 strides->items[i] % fact_int_or(at->array->itemsize, 1))
			kind = "not a multiple of the item size";
	return arena_printf(at->arena, "%s: %s bytes", kind,
		words_tuple(at->arena, strides->items, (int)strides->n_items));
}

bool why_is_masked(const struct situation *at)
{
	const struct fact_self_reported *own = &at->target->own;

	return own->masked == ANSWER_YES &&
	       (!own->pending.n_items || !strcmp(own->pending.items[0], "mask"));
}

const char *why_detail_pending(const struct situation *at)
{
	const struct fact_self_reported *own = &at->target->own;

	if (own->pending.n_items)
		return own->pending.items[0];
	return own->requires_grad == ANSWER_YES ? "gradient tracking" : "mask";
}

const char *why_detail_pending_state(const struct situation *at)
{
	const struct fact_self_reported *own = &at->target->own;

	if (!own->pending.n_items && own->requires_grad == ANSWER_YES)
		return "its gradients are tracked (requires_grad), which ends where its memory is shared with another library";
	if (why_is_masked(at))
		return "some of its elements are masked, and its memory does not contain the mask";
	return arena_printf(at->arena,
		"an operation is pending on its elements (%s), so that its memory does not contain its values",
		why_detail_pending(at));
}

/* "dlpack, buffer (which raises ValueError)"; empty if there are none. */
static const char *list_exposed(const struct situation *at)
{
	const char *text = "";

	for (size_t i = 0; i < at->target->interfaces.n_items; i++) {
		const struct fact_interface *interface = &at->target->interfaces.items[i];

		text = arena_printf(at->arena, "%s%s%s", text, i ? ", " : "", interface->protocol);
		if (interface->status == INTERFACE_RAISED && interface->error.type)
			text = arena_printf(
				at->arena, "%s (which raises %s)", text, interface->error.type);
	}
	return text;
}

const char *why_detail_protocols(const struct situation *at)
{
	const char *text = list_exposed(at), *protocol = why_protocol_of(at->consumer);

	if (!*text || !strcmp(text, buffer_protocol.name))
		return why_detail_exposed(at);
	return protocol ? arena_printf(at->arena, "%s, but not %s", text, protocol)
			: arena_printf(at->arena, "only %s", text);
}

const char *why_detail_exposed(const struct situation *at)
{
	const char *text = list_exposed(at);

	if (!strcmp(text, buffer_protocol.name))
		return "only a buffer";
	return *text ? text : "no array interface";
}

const char *why_detail_size(const struct situation *at)
{
	return why_size(at->arena, why_object_bytes(at->target));
}

const char *why_detail_dims(const struct situation *at)
{
	int64_t n_dims = at->array ? fact_int_or(at->array->ndim, -1) : -1;

	return n_dims < 0 ? "its dimensions"
			  : arena_printf(at->arena, "%lld dimension%s", (long long)n_dims,
				    plural(n_dims));
}

const char *why_detail_shards(const struct situation *at)
{
	return arena_printf(at->arena, "%lld devices", (long long)at->target->own.shards.value);
}

const char *why_detail_alignment(const struct situation *at)
{
	return at->array && at->array->pointer.known
		       ? arena_printf(at->arena, "address %#llx, items of %lld bytes",
				 (unsigned long long)at->array->pointer.value,
				 (long long)fact_int_or(at->array->itemsize, 0))
		       : "its address";
}

const char *why_detail_error(const struct situation *at)
{
	const char *message = fact_text_or(at->why->error.message, "?");
	char *line = arena_copy(at->arena, message, strlen(message));

	for (char *c = line; *c; c++)
		if (*c == '\n')
			*c = ' ';
	return *line ? line : fact_text_or(at->why->error.type, "?");
}
