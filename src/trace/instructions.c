// SPDX-License-Identifier: MIT
#include "trace/instructions.h"

#include "trace/lock.h"
#include "trace/numpy_api.h"
#include "trace/python.h"

#include <stddef.h>

enum { SET_BITS = 10, N_OF_SET = 2 };

/* An object that may be freed while its address is known. */
struct weak_object {
	const void *object;
	const void *const *referent; /* what a weak reference to it refers to; NULL: no object */
};

/* In one line of the processor's cache. */
struct noted_instruction {
	struct trace_instruction instruction;
	struct weak_object code;
	struct weak_object module; /* without an object: the owner does not depend on one */
	const void *globals;       /* of the module */
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

static bool has_globals(void *frame, const void *expected)
{
	void *globals = trace_python.frame_get_globals(frame);

	trace_python.dec_ref(globals);
	return globals == expected;
}

bool trace_instruction_find(void *frame, struct trace_instruction *instruction)
{
	const struct noted_instruction *set = set_of_instruction(instruction);
	const void *globals = NULL;
	bool is_known = false;

	trace_lock();
	for (int i = 0; i < N_OF_SET && !is_known; i++) {
		if (!is_noted(&set[i], instruction))
			continue;
		globals = set[i].globals;
		is_known = !globals || is_alive(&set[i].module);
		if (is_known)
			*instruction = set[i].instruction;
	}
	trace_unlock();
	return is_known && (!globals || has_globals(frame, globals));
}

static struct weak_object refer_weakly(void *object)
{
	const void *reference = trace_python.new_weak_reference(object, NULL);

	return (struct weak_object){ object, reference ? trace_weak_field(reference) : NULL };
}

static void release_weak_object(const struct weak_object *weak)
{
	if (weak->referent)
		trace_python.dec_ref(trace_weak_reference_of(weak->referent));
}

/* Refers to the module whose global variables a frame has. False: there is none. */
static bool refer_to_module(void *frame, struct noted_instruction *added)
{
	void *globals = trace_python.frame_get_globals(frame);
	void *module = globals ? trace_module_of_globals(globals) : NULL;

	if (module) {
		added->globals = globals;
		added->module = refer_weakly(module);
	}
	trace_python.dec_ref(module);
	trace_python.dec_ref(globals);
	return added->module.referent;
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
void trace_instruction_note(
	void *frame, const struct trace_instruction *instruction, bool depends_on_module)
{
	struct noted_instruction added = { .instruction = *instruction };

	if (!trace_head_bytes || !trace_is_main_interpreter())
		return;
	if (!depends_on_module || refer_to_module(frame, &added))
		added.code = refer_weakly((void *)instruction->code);
	if (added.code.referent) {
		trace_lock();
		added = add_noted_instruction(&added);
		trace_unlock();
	}
	release_weak_object(&added.code);
	release_weak_object(&added.module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}
