// SPDX-License-Identifier: MIT
/* Which lines are tried if a consumer rejects or copies an object. */
#include "why/remedies.h"
#include "why/copy_causes.h"
#include "why/situation.h"

#include "base/array_size.h"
#include "base/identifier.h"
#include "base/python_code.h"
#include "base/text.h"
#include "model/array_methods.h"
#include "model/usual_names.h"

#include <string.h>

enum { MAX_FIELDS = 4 };

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
		if (!attempts->items[i].tests && !strcmp(attempts->items[i].line, line))
			return true;
	return false;
}

struct why_attempt *why_add_attempt(struct arena *arena, struct why_attempts *attempts,
	const struct why_names *names, const struct remedy *row)
{
	struct why_attempt *attempt;
	const char *object = expression_as_primary(arena, names->object), *called = names->consumer;
	const char *consumer, *passed, *line;

	if (attempts->n_items == WHY_MAX_ATTEMPTS || (row->keywords && !names->callable))
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
	if (has_line(attempts, line))
		return NULL;
	attempt = &attempts->items[attempts->n_items++];
	*attempt = (struct why_attempt){ .producer = row->passed,
		.consumer = consumer,
		.line = line,
		.note = row->note,
		.replaces_consumer = row->called,
		.allows_changes = row->allows_changes,
		.into_library = is_into_library(row) };
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
	struct why_attempt *attempt = why_add_attempt(arena, attempts, names, &row);

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
	return row->causes == WHY_BIT(CAUSE_BYTE_ORDER) && text_lists_word("uint8 int8 bool", type);
}

/* Whether the row applies to the element type. astype() of a whole table does not if some columns
 * are strings. */
static bool is_of_types(const struct remedy *row, const char *type)
{
	return why_has_words(type, row->types) &&
	       (strncmp(row->passed, "_.astype(", strlen("_.astype(")) != 0 ||
		       !why_has_words(type, "str|Str|object, |, object"));
}

/* Whether the cause is one of these. CAUSE_COPY_FORBIDDEN also matches an exception that states
 * that a necessary copy is forbidden. */
static bool has_cause(const struct situation *at, unsigned causes)
{
	if (why_is_among(at->why->cause, causes))
		return true;
	return at->why->verdict == WHY_REFUSED && why_is_among(CAUSE_COPY_FORBIDDEN, causes) &&
	       why_is_copy_forbidden(at);
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
static bool applies_to_cause(const struct situation *at, const struct remedy *row)
{
	bool is_copy = at->why->verdict == WHY_COPIED;
	bool is_pending = at->why->cause == CAUSE_PENDING_OPERATION;

	if (is_pending && !is_of_pending(row, &at->target->own))
		return false;
	if (!at->why->cause && !is_copy && is_into_library(row))
		return true;
	if (is_copy || row->for_copies)
		return is_copy ? row->for_copies : has_cause(at, row->causes);
	return row->causes ? has_cause(at, row->causes) : !is_pending;
}

static bool applies_to_libraries(
	const struct situation *at, const struct remedy *row, const struct why_names *names)
{
	if (row->library && !why_has_library(at->target, row->library))
		return false;
	if (row->consumer_library &&
		!is_consumer_of(at->arena, names->consumer, row->consumer_library))
		return false;
	return !row->called ||
	       (makes_array(at->arena, names->consumer) && !is_same_call(row, names));
}

static bool row_applies(
	const struct situation *at, const struct remedy *row, const struct why_names *names)
{
	return (!row->is_off_host || why_is_off_host(at)) &&
	       (!row->is_on_host || why_is_on_host(at)) &&
	       (!row->for_foreign_order || why_has_foreign_order(at)) &&
	       applies_to_elements(row, at->target) && applies_to_cause(at, row) &&
	       applies_to_libraries(at, row, names) && !is_second_copy(row, at->target);
}

/* Makes a line that replaces nulls by False inapplicable to an object without nulls. */
static void limit_filled(struct arena *arena, struct why_attempt *attempt)
{
	if (attempt && !strcmp(attempt->producer, WHY_FILLED_BITS))
		attempt->producer = arena_printf(arena, WHY_IF_NULLS("%s"), attempt->producer);
}

/* Limits a line that can need too much memory, such as for the elements that a sparse array does
 * not store. */
static void limit_memory(struct arena *arena, const struct remedy *row, struct why_attempt *attempt)
{
	/* A method that the object does not have raises AttributeError in either case. */
	if (attempt && row->is_large)
		attempt->producer = arena_printf(arena,
			"(%s if numpy.prod(numpy.shape(_), dtype=float) <= 1 << 25 else (%.*s, None)[1]." WHY_TOO_LARGE
			")",
			attempt->producer, (int)strcspn(attempt->producer, "("), attempt->producer);
}

#define METHOD_SIZE(name, with, call, is_large) \
	{                                       \
		call, is_large                  \
	}

/* Whether an array that the call returns can need far more memory than the object. */
static bool is_large_method(const char *call)
{
	static const struct {
		const char *call;
		bool is_large;
	} methods[] = { ARRAY_METHOD_LIST(METHOD_SIZE) };

	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (!strcmp(methods[i].call, call))
			return methods[i].is_large;
	return false;
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
		row.is_large = is_large_method(has);
		limit_memory(arena, &row, why_add_attempt(arena, attempts, names, &row));
	}
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

/* Tries the fields of an array of a structured type, each of which is an array. */
static void try_fields(struct arena *arena, const struct fact_target *target,
	const struct why_names *names, struct why_attempts *attempts)
{
	const struct fact_array *array = why_situation(arena, target).array;

	if (!array || target->why.cause != CAUSE_ELEMENT_TYPE)
		return;
	for (size_t i = 0; i < array->fields.n_items && i < MAX_FIELDS; i++) {
		const struct fact_texts *path = &array->fields.items[i].path;
		const char *name = path->n_items ? path->items[0] : "";
		struct remedy row = { .allows_changes = true };

		if (!*name || strpbrk(name, "'\\\n\r"))
			continue;
		row.passed = arena_printf(arena, "_['%s']", name);
		row.note = arena_printf(arena, "only the field '%s'", name);
		why_add_attempt(arena, attempts, names, &row);
	}
}

/* Tries the same expression without the keyword argument that the consumer does not accept, or, if
 * it takes none, without all. */
static void omit_keyword(struct arena *arena, const struct fact_target *target,
	const struct why_names *names, const char *keyword, bool takes_none,
	struct why_attempts *attempts)
{
	const struct remedy row = { .passed = "_" };
	const char *rest = python_argument_end(keyword), *comma = keyword;
	struct why_names accepted = *names;

	/* The arguments after a keyword argument are keyword arguments, too. */
	while (takes_none && *rest == ',')
		rest = python_argument_end(rest + 1);
	while (comma > names->consumer && comma[-1] == ' ')
		comma--;
	if (comma > names->consumer && comma[-1] == ',')
		comma--;
	else if (*rest == ',')
		rest += 1 + strspn(rest + 1, " ");
	accepted.consumer = arena_printf(
		arena, "%.*s%s", (int)(comma - names->consumer), names->consumer, rest);
	limit_copies(arena, why_add_attempt(arena, attempts, &accepted, &row), true,
		why_object_bytes(target));
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
		limit_copies(arena, why_add_attempt(arena, attempts, &permitting, &row), true,
			why_object_bytes(target));
	}
}

static void plan_lines(struct arena *arena, const struct fact_target *target,
	const struct why_names *names, struct why_attempts *attempts)
{
	const struct situation at = why_situation(arena, target);
	int64_t n_bytes = why_object_bytes(target);

	for (size_t i = 0; i < why_n_remedies; i++) {
		const struct remedy *row = &why_remedies[i];
		/* A consumer that copies the object also copies what is passed instead. */
		bool copies = row->copies ||
			      (target->why.verdict == WHY_COPIED && !row->called && !row->keywords);
		struct why_attempt *attempt;

		if (!row_applies(&at, row, names))
			continue;
		attempt = why_add_attempt(arena, attempts, names, row);
		limit_filled(arena, attempt);
		limit_memory(arena, row, attempt);
		limit_copies(arena, attempt, copies, n_bytes);
	}
}

static void plan_conversions(struct arena *arena, const struct fact_target *target,
	const struct why_names *names, struct why_attempts *attempts)
{
	const char *protocol = why_protocol_of(names->consumer);
	const struct situation at = why_situation(arena, target);

	for (size_t i = 0; i < why_n_conversions; i++) {
		const struct conversion_row *row = &why_conversions[i];

		/* The device may be a further obstacle even if the exception names another
		 * cause. */
		if ((!row->causes || has_cause(&at, row->causes) ||
			    (row->options.device && why_is_off_host(&at))) &&
			(!row->is_off_host || why_is_off_host(&at)) &&
			(!row->is_on_host || why_is_on_host(&at)) &&
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
	struct why_attempts attempts = { .items = arena_alloc(arena,
						 WHY_MAX_ATTEMPTS * sizeof(*attempts.items)) };
	const struct fact_why *why = &target->why;
	const struct situation at = why_situation(arena, target);
	const char *keyword =
		why->cause == CAUSE_KEYWORD ? why_rejected_keyword(&at, names->consumer) : NULL;
	bool is_copy = why->verdict == WHY_COPIED;
	/* NumPy makes an array of Python objects of what it cannot read. */
	bool is_unread =
		why->cause == CAUSE_NO_PROTOCOL && fact_text_is(why->result_dtype, "object");
	bool failed = why->verdict == WHY_REFUSED || why->verdict == WHY_LOST || is_unread ||
		      (why->verdict == WHY_WRONG &&
			      why_is_among(why->cause, WHY_BIT(CAUSE_PENDING_OPERATION) |
							       WHY_BIT(CAUSE_PRODUCER_ERROR) |
							       WHY_BIT(CAUSE_ELEMENT_TYPE)));
	/* A function that changes an array in place may change a copy of this one. */
	bool is_changed = why->verdict == WHY_WRONG && why->shared == ANSWER_NO;

	if (why_is_among(why->cause, WHY_BIT(CAUSE_CONSUMER_MISSING) | WHY_BIT(CAUSE_MEMORY)) ||
		target->status == STATUS_HUNG ||
		(why->cause == CAUSE_KEYWORD && why_rejects_one_argument(&at)))
		return attempts;
	/* Whatever is passed instead of the object, the consumer rejects the keyword argument. */
	if (keyword) {
		omit_keyword(arena, target, names, keyword, why_takes_no_keywords(&at), &attempts);
		return attempts;
	}
	if ((is_copy || is_changed) && !why->cause)
		why_plan_copy_experiments(arena, target, names, &attempts);
	if (!failed && !is_copy)
		return attempts;
	if (failed) {
		permit_copy(arena, target, names, &attempts);
		try_alternatives(arena, target, names, &attempts);
	}
	plan_lines(arena, target, names, &attempts);
	if (failed)
		try_fields(arena, target, names, &attempts);
	if (failed && target->interfaces.n_items)
		plan_conversions(arena, target, names, &attempts);
	move_skipped(arena, &attempts);
	return attempts;
}
