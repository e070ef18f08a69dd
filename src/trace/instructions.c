// SPDX-License-Identifier: MIT
#include "trace/instructions.h"

#include "trace/lock.h"
#include "trace/numpy_api.h"
#include "trace/python.h"

#include <stddef.h>
#include <string.h>

enum { SET_BITS = 10, N_OF_SET = 2 };

/* An object that may be freed while its address is known. */
struct weak_object {
	const void *object;
	const void *const *referent; /* what a weak reference to it refers to; NULL: no object */
};

/* The global variables that determine whose code without a file is; NULL: no text. */
enum { FILE_VARIABLE, NAME_VARIABLE, N_VARIABLES };

static const char *const variable_texts[N_VARIABLES] = { "__file__", "__name__" };
static _Atomic(void *) variable_names[N_VARIABLES]; /* interned */

/* In one line of the processor's cache. */
struct noted_instruction {
	struct trace_instruction instruction;
	struct weak_object code;
	bool depends_on_globals;
	void *variables[N_VARIABLES]; /* references; of the frame's global variables */
} __attribute__((aligned(64)));

/* With the lock: the instructions of each hash, the one that was noted last first. */
static struct noted_instruction noted[1 << SET_BITS][N_OF_SET];

static struct noted_instruction *set_of_instruction(const struct trace_instruction *instruction)
{
	const uint64_t mixed =
		((uint64_t)(uintptr_t)instruction->code ^ (uint64_t)instruction->offset_bytes) *
		UINT64_C(0x9e3779b97f4a7c15);

	return noted[mixed >> (64 - SET_BITS)];
}

/* As long as the object exists, no other one has its address. */
static bool is_alive(const struct weak_object *weak)
{
	return *weak->referent == weak->object;
}

static bool is_noted(
	const struct noted_instruction *known, const struct trace_instruction *instruction)
{
	return known->instruction.code == instruction->code &&
	       known->instruction.offset_bytes == instruction->offset_bytes &&
	       known->code.referent && is_alive(&known->code);
}

/* Borrowed. Dictionaries have no weak references, so that those of exec() are compared by these
 * values. Clears errors. */
static void read_variables(void *frame, void *variables[N_VARIABLES])
{
	void *globals = trace_python.frame_get_globals(frame);

	for (int i = 0; i < N_VARIABLES; i++)
		variables[i] = trace_python.dict_get_object(globals, variable_names[i]);
	trace_python.dec_ref(globals);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

static bool has_variables(void *frame, void *const expected[N_VARIABLES])
{
	void *variables[N_VARIABLES];

	read_variables(frame, variables);
	return !memcmp(variables, expected, sizeof(variables));
}

bool trace_instruction_find(void *frame, struct trace_instruction *instruction)
{
	const struct noted_instruction *set = set_of_instruction(instruction);
	struct noted_instruction known = { 0 };

	trace_lock();
	for (int i = 0; i < N_OF_SET && !known.code.object; i++)
		if (is_noted(&set[i], instruction))
			known = set[i];
	trace_unlock();
	if (!known.code.object ||
		(known.depends_on_globals && !has_variables(frame, known.variables)))
		return false;
	*instruction = known.instruction;
	return true;
}

static struct weak_object refer_weakly(void *object)
{
	const void *reference = trace_python.new_weak_reference(object, NULL);

	return (struct weak_object){ object, reference ? trace_weak_field(reference) : NULL };
}

static void release_instruction(const struct noted_instruction *noted_before)
{
	if (noted_before->code.referent)
		trace_python.dec_ref(trace_weak_reference_of(noted_before->code.referent));
	for (int i = 0; i < N_VARIABLES; i++)
		trace_python.dec_ref(noted_before->variables[i]);
}

/* What is no text determines nothing, and is not kept alive. False: no memory. */
static bool refer_to_variables(void *frame, void *variables[N_VARIABLES])
{
	for (int i = 0; i < N_VARIABLES; i++) {
		if (!variable_names[i])
			variable_names[i] = trace_python.text_intern(variable_texts[i]);
		if (!variable_names[i])
			return false;
	}
	read_variables(frame, variables);
	for (int i = 0; i < N_VARIABLES; i++) {
		if (variables[i] && !trace_is_exactly(variables[i], trace_python.text_type))
			variables[i] = NULL;
		trace_python.inc_ref(variables[i]);
	}
	return true;
}

/* Puts an instruction into its set. Returns the one that it replaces. With the lock. */
static struct noted_instruction add_noted_instruction(const struct noted_instruction *added)
{
	struct noted_instruction *set = set_of_instruction(&added->instruction), last;
	int i = 0;

	while (i < N_OF_SET - 1 && !is_noted(&set[i], &added->instruction))
		i++;
	last = set[i];
	for (; i > 0; i--)
		set[i] = set[i - 1];
	set[0] = *added;
	return last;
}

/* Weak references of another interpreter may be freed with that. */
__attribute__((cold)) void trace_instruction_note(
	void *frame, const struct trace_instruction *instruction, bool depends_on_globals)
{
	struct noted_instruction added = { .instruction = *instruction,
		.depends_on_globals = depends_on_globals };

	if (!trace_head_bytes || !trace_is_main_interpreter())
		return;
	if (!depends_on_globals || refer_to_variables(frame, added.variables))
		added.code = refer_weakly((void *)instruction->code);
	if (added.code.referent) {
		trace_lock();
		added = add_noted_instruction(&added);
		trace_unlock();
	}
	release_instruction(&added);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}
