// SPDX-License-Identifier: MIT
#include "trace/holders.h"

#include "trace/capsules.h"
#include "trace/lock.h"
#include "trace/map.h"
#include "trace/memory.h"
#include "trace/numpy_api.h"
#include "trace/python.h"
#include "trace/site.h"
#include "trace/tensors.h"

#include <dlfcn.h>
#include <dlpack/dlpack.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	MAX_OBJECTS = 20000,  /* of the program; as many of libraries */
	MAX_REFERENTS = 1000, /* of one object */
	MAX_HELD = 1 << 16,
	MAX_HELD_OF_ROW = 256,
	MAX_OVERLAPS = 64,
	MAX_STEPS = 3,        /* from a variable of the program's modules */
	MAX_THREAD_STEPS = 8, /* from a local variable of a thread */
	MAX_CHAIN_CHARS = 400,
};

/* Memory that a tensor or view holds. */
struct held_memory {
	uint64_t address, n_bytes;
	uint32_t row;
	uint32_t tensor; /* TRACE_NONE: several of the row */
};

/* An object that was reached. It remains valid, since nothing is released during the search. */
struct reached {
	void *object;
	const char *module; /* of the dictionary of a module; otherwise NULL */
	uint32_t parent;    /* TRACE_NONE: a dictionary of a module */
	uint32_t n_steps;
};

typedef int (*visit_function)(void *object, void *context);
typedef int (*traverse_function)(void *object, visit_function visit, void *context);

static struct {
	struct held_memory *held;
	size_t n_held;
	struct reached *reached;
	uint32_t n_reached, max_reached;
	uint32_t current, n_referents; /* the object that is followed */
	struct trace_map seen;
	struct trace_map tensors_of_results; /* by object: the tensor whose memory it has */
	struct trace_map guessed; /* by row plus 1: its holder was found by the address */
	bool is_of_thread;        /* local variables of other threads are searched */
	void *tvm_type;           /* tvm_ffi.core.Tensor; NULL: it was not imported */
} search;

/* For each tensor, a weak reference to the object that shares its memory, and since when, which
 * distinguishes a tensor that has its place later. NULL: none yet. */
static struct held_result {
	void *reference;
	uint64_t since_ns;
} * held_results;

/* --- the memory --- */

static int compare_held(const void *left, const void *right)
{
	const struct held_memory *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Sorts, and keeps one item of each row and address. */
static void sort_held(void)
{
	size_t n_kept = 0;

	if (search.n_held)
		qsort(search.held, search.n_held, sizeof(*search.held), compare_held);
	for (size_t i = 0; i < search.n_held; i++)
		if (!n_kept || compare_held(&search.held[n_kept - 1], &search.held[i]))
			search.held[n_kept++] = search.held[i];
		else
			search.held[n_kept - 1].tensor = TRACE_NONE;
	search.n_held = n_kept;
}

static bool is_tensor_held(const struct trace_tensor *tensor)
{
	return (tensor->flags & (TENSOR_USED | TENSOR_CONSUMED | TENSOR_RELEASED)) ==
		       (TENSOR_USED | TENSOR_CONSUMED) &&
	       tensor->row < trace_memory.segment->n_rows && tensor->n_bytes;
}

/* Collects held memory, at most MAX_HELD_OF_ROW items of each row. */
static void collect_held(void)
{
	uint16_t *n_of_row;

	trace_lock();
	n_of_row = calloc((size_t)trace_memory.segment->n_rows + 1, sizeof(*n_of_row));
	for (uint32_t i = 0;
		n_of_row && i < trace_memory.segment->n_tensors && search.n_held < MAX_HELD; i++) {
		const struct trace_tensor *tensor = &trace_memory.tensors[i];

		if (is_tensor_held(tensor) && n_of_row[tensor->row] < MAX_HELD_OF_ROW) {
			n_of_row[tensor->row]++;
			search.held[search.n_held++] = (struct held_memory){ tensor->address,
				tensor->n_bytes, tensor->row, i };
		}
	}
	trace_unlock();
	free(n_of_row);
	sort_held();
}

/* The first item that begins after the address. */
static size_t first_held_after(uint64_t address)
{
	size_t low = 0, high = search.n_held;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (search.held[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* --- results --- */

/* Reserves address space for the results, of which only written pages use memory. With the lock. */
static bool reserve_held_results(void)
{
	void *memory;

	if (held_results)
		return true;
	memory = mmap(NULL, TRACE_MAX_TENSORS * sizeof(*held_results), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory != MAP_FAILED)
		held_results = memory;
	return memory != MAP_FAILED;
}

void trace_holders_note(uint32_t tensor, void *result)
{
	struct held_result added = { trace_python.new_weak_reference(result, NULL), 0 };
	void *replaced = NULL;

	if (!added.reference) {
		trace_python.err_clear(); /* the type has none */
		return;
	}
	trace_lock();
	if (reserve_held_results() && is_tensor_held(&trace_memory.tensors[tensor])) {
		added.since_ns = trace_memory.tensors[tensor].since_ns;
		replaced = held_results[tensor].reference;
		held_results[tensor] = added;
	} else {
		replaced = added.reference;
	}
	trace_unlock();
	trace_python.dec_ref(replaced);
}

/* The objects that still exist, of tensors that are held. */
static void collect_results(void)
{
	uint32_t n_tensors = held_results ? trace_memory.segment->n_tensors : 0;

	for (uint32_t i = 0; i < n_tensors && search.tensors_of_results.n_items < MAX_HELD; i++) {
		const struct held_result *held = &held_results[i];
		bool is_held;
		void *object;

		if (!held->reference)
			continue;
		trace_lock();
		is_held = is_tensor_held(&trace_memory.tensors[i]) &&
			  trace_memory.tensors[i].since_ns == held->since_ns;
		trace_unlock();
		object = is_held ? trace_python.call_no_arguments(held->reference) : NULL;
		if (object && object != trace_python.none)
			trace_map_set(&search.tensors_of_results, (uint64_t)(uintptr_t)object, i);
		trace_python.dec_ref(object); /* another one refers to it */
	}
}

/* What follows the head of a tensor of TVM FFI: an object of TVM, and the DLTensor in it, which is
 * after the 24 bytes of the head that its ABI defines. */
struct tvm_fields {
	const char *object;
	const DLTensor *tensor;
};

enum { TVM_HEAD_BYTES = 24 };

static void find_tvm_type(void)
{
	void *module = trace_python_module("tvm_ffi.core");
	void *type = trace_module_attribute(module, "Tensor");

	if (type && trace_integer_attribute(type, "__basicsize__") ==
			    (ptrdiff_t)(trace_head_bytes + sizeof(struct tvm_fields)))
		search.tvm_type = type; /* keeps the reference */
	else
		trace_python.dec_ref(type);
	trace_python.dec_ref(module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

/* The address of the elements of a tensor of TVM FFI; 0: another object. */
static uint64_t tvm_address(void *object)
{
	struct tvm_fields fields;

	if (!search.tvm_type || !trace_is_exactly(object, search.tvm_type))
		return 0;
	memcpy(&fields, (const char *)object + trace_head_bytes, sizeof(fields));
	if (!fields.object || (const char *)fields.tensor != fields.object + TVM_HEAD_BYTES)
		return 0;
	return (uint64_t)(uintptr_t)fields.tensor->data + fields.tensor->byte_offset;
}

/* --- names --- */

/* The key of a dictionary's value, borrowed; NULL: none. */
static void *key_of(void *dictionary, void *wanted)
{
	ptrdiff_t position = 0;
	void *key, *value;

	while (trace_python.dict_next(dictionary, &position, &key, &value))
		if (value == wanted)
			return key;
	return NULL;
}

/* key_of() if the key is a string; otherwise NULL. */
static const char *text_key_of(void *dictionary, void *wanted)
{
	void *key = key_of(dictionary, wanted);

	return key && trace_is_exactly(key, trace_python.text_type) ? trace_utf8(key, NULL) : NULL;
}

static ptrdiff_t index_in_list(void *list, void *wanted)
{
	ptrdiff_t n_items = trace_python.list_size(list);

	for (ptrdiff_t i = 0; i < n_items; i++)
		if (trace_python.list_get(list, i) == wanted)
			return i;
	return -1;
}

static ptrdiff_t index_in_tuple(void *tuple, void *wanted)
{
	ptrdiff_t n_items = trace_python.tuple_size(tuple);

	for (ptrdiff_t i = 0; i < n_items; i++)
		if (trace_python.tuple_get(tuple, i) == wanted)
			return i;
	return -1;
}

/* The name of an attribute whose value the object has; NULL: none. */
static const char *own_attribute_of(void *object, void *wanted)
{
	void *dictionary = trace_python.get_own_dict(object, NULL);
	const char *key = NULL;

	if (dictionary) {
		key = text_key_of(dictionary, wanted);
		trace_python.dec_ref(dictionary); /* the object has it */
	}
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return key;
}

/* Whether a dictionary to which an object refers contains its attributes, unlike that which is the
 * value of one. */
static bool is_own_dictionary(void *object, const void *dictionary)
{
	void *own;
	bool is;

	if (trace_is_instance(object, trace_python.type_type))
		return true;
	own = trace_python.get_own_dict(object, NULL);
	is = own == dictionary;
	if (own)
		trace_python.dec_ref(own);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return is;
}

/* "['key']", "[3]", or "[...]" for keys whose representation would run code of the program. */
static void add_key_step(char *chain, size_t space, void *key)
{
	const char *text = NULL;
	ptrdiff_t number;

	if (key && trace_is_exactly(key, trace_python.integer_type)) {
		number = trace_python.integer_as_size(key);
		if (!trace_python.err_occurred()) {
			snprintf(chain, space, "[%td]", number);
			return;
		}
		trace_python.err_clear();
	} else if (key && trace_is_exactly(key, trace_python.text_type)) {
		text = trace_utf8(key, NULL);
	}
	if (text)
		snprintf(chain, space, "['%s']", text);
	else
		snprintf(chain, space, "[...]");
}

/* Appends the step from an object to what it refers to: ".name", "[3]", "['key']", or " > type". */
static void add_step(char chain[MAX_CHAIN_CHARS], const struct reached *from, void *to)
{
	size_t n = strlen(chain), space = MAX_CHAIN_CHARS - n;
	bool is_dict = trace_is_exactly(from->object, trace_python.dict_type);
	bool is_attributes = is_dict && from->parent != TRACE_NONE &&
			     is_own_dictionary(search.reached[from->parent].object, from->object);
	const char *key;
	void *type, *name;

	if (from->module || is_attributes) {
		key = text_key_of(from->object, to);
		snprintf(chain + n, space, key ? ".%s" : "[...]", key);
	} else if (is_dict) {
		add_key_step(chain + n, space, key_of(from->object, to));
	} else if (trace_is_exactly(from->object, trace_python.list_type)) {
		snprintf(chain + n, space, "[%td]", index_in_list(from->object, to));
	} else if (trace_is_exactly(from->object, trace_python.tuple_type)) {
		snprintf(chain + n, space, "[%td]", index_in_tuple(from->object, to));
	} else if ((key = own_attribute_of(from->object, to)) != NULL) {
		snprintf(chain + n, space, ".%s", key);
	} else if (!trace_is_exactly(to, trace_python.dict_type) ||
		   !is_own_dictionary(from->object, to)) {
		type = trace_python.type_of(to);
		name = trace_python.type_get_name(type);
		snprintf(chain + n, space, " > %s", name ? trace_utf8(name, NULL) : "?");
		trace_python.dec_ref(name);
		trace_python.dec_ref(type);
	}
}

/* Writes the steps from the dictionary of the module to the object. */
static void describe_chain(char chain[MAX_CHAIN_CHARS], uint32_t last)
{
	const struct reached *at = &search.reached[last];
	uint32_t steps[MAX_STEPS + 1] = { 0 }, n_steps = 0;

	for (; at->parent != TRACE_NONE && n_steps <= MAX_STEPS; at = &search.reached[at->parent])
		steps[n_steps++] = (uint32_t)(at - search.reached);
	snprintf(chain, MAX_CHAIN_CHARS, "%s", at->module);
	while (n_steps-- > 0) {
		const struct reached *to = &search.reached[steps[n_steps]];

		add_step(chain, &search.reached[to->parent], to->object);
	}
}

/* --- the search --- */

/* What was reached holds a tensor of the row; TRACE_NONE: it is unknown which one. */
static void name_holder(uint32_t row, uint32_t tensor, uint32_t reached)
{
	char chain[MAX_CHAIN_CHARS] = "";
	uint32_t text;

	describe_chain(chain, reached);
	trace_lock();
	text = trace_string(chain, strlen(chain));
	if (tensor != TRACE_NONE)
		trace_memory.tensors[tensor].flags |= TENSOR_NAMED;
	else if (text)
		text |= TRACE_HOLDER_RELEASED;
	trace_memory.rows[row].holder = text;
	trace_unlock();
}

/* Names the holder of a tensor. False: it is not held. */
static bool note_tensor(uint32_t reached, uint32_t tensor)
{
	uint32_t row = TRACE_NONE;
	bool is_named;

	trace_lock();
	if (tensor != TRACE_NONE && is_tensor_held(&trace_memory.tensors[tensor]))
		row = trace_memory.tensors[tensor].row;
	if (row != TRACE_NONE && search.is_of_thread)
		trace_memory.tensors[tensor].flags |= TENSOR_OF_THREAD;
	is_named = row != TRACE_NONE && trace_memory.rows[row].holder;
	if (is_named && trace_map_remove(&search.guessed, (uint64_t)row + 1, NULL))
		is_named = search.is_of_thread;
	trace_unlock();
	if (row != TRACE_NONE && !is_named && !search.is_of_thread)
		name_holder(row, tensor, reached);
	return row != TRACE_NONE;
}

/* Names what a consumer returned. */
static void note_result(uint32_t reached, const void *object)
{
	uint64_t *tensor = trace_map_find(&search.tensors_of_results, (uint64_t)(uintptr_t)object);

	if (tensor)
		note_tensor(reached, (uint32_t)*tensor);
}

/* Names an array in the row of the tensor whose capsule it has, as numpy.from_dlpack() does. False:
 * there is none. */
static bool note_capsule(uint32_t reached, void *owner)
{
	const void *managed;
	uint32_t tensor;

	if (!owner || !trace_is_exactly(owner, trace_python.capsule_type))
		return false;
	managed = trace_python.capsule_get_pointer(owner, trace_python.capsule_get_name(owner));
	trace_lock();
	tensor = trace_capsules_tensor(managed);
	trace_unlock();
	return note_tensor(reached, tensor);
}

/* Names an array in the row of the memory that it borrows, if that is the memory of no other one:
 * which of them it holds cannot be told. The array that has the capsule of the row, or is its
 * result, replaces it. */
static void note_holder(uint32_t reached, uint64_t address)
{
	const struct held_memory *found = NULL;
	uint32_t tensor = TRACE_NONE;

	/* Memory that begins at lower addresses may contain the address as well. */
	for (size_t i = first_held_after(address), n = 0; i-- > 0 && n < MAX_OVERLAPS; n++) {
		const struct held_memory *held = &search.held[i];

		if (address - held->address >= held->n_bytes)
			continue;
		if (found && found->row != held->row)
			return;
		tensor = found ? TRACE_NONE : held->tensor;
		found = held;
	}
	if (!found || trace_memory.rows[found->row].holder)
		return;
	name_holder(found->row, tensor, reached);
	trace_map_set(&search.guessed, (uint64_t)found->row + 1, 1);
}

static bool mark_seen(void *object)
{
	return !trace_map_find(&search.seen, (uint64_t)(uintptr_t)object) &&
	       trace_map_set(&search.seen, (uint64_t)(uintptr_t)object, 1);
}

static void add_reached(void *object, const char *module, uint32_t parent)
{
	uint32_t i = search.n_reached;

	if (i == search.max_reached)
		return;
	search.reached[i] = (struct reached){ object, module, parent,
		parent == TRACE_NONE ? 0 : search.reached[parent].n_steps + 1 };
	search.n_reached++;
}

/* Names what an object holds. Not while its parent is traversed: to find the name of an attribute
 * may create the dictionary of the parent, whose attributes are elsewhere then. */
static void examine_reached(uint32_t i)
{
	void *object = search.reached[i].object, *owner = NULL;
	uint64_t address;

	note_result(i, object);
	address = trace_numpy_api_borrowed(object, &owner);
	if (!address)
		address = tvm_address(object);
	/* A memoryview is a view that the interpreter requested, of which nothing is recorded. */
	if (owner && trace_is_exactly(owner, trace_python.memoryview_type))
		return;
	if (address && !note_capsule(i, owner) && !search.is_of_thread)
		note_holder(i, address);
}

static void reach(void *object, uint32_t parent)
{
	if (object && mark_seen(object))
		add_reached(object, NULL, parent);
}

/* Adds a referent. A value other than 0 ends the traversal. */
static int reach_referent(void *object, void *context)
{
	(void)context;
	reach(object, search.current);
	return ++search.n_referents == MAX_REFERENTS;
}

static void follow_list(void *list)
{
	ptrdiff_t n_items = trace_python.list_size(list);

	for (ptrdiff_t i = 0; i < n_items; i++)
		if (reach_referent(trace_python.list_get(list, i), NULL))
			return;
}

static void follow_dictionary(void *dictionary)
{
	ptrdiff_t position = 0;
	void *key, *value;

	while (trace_python.dict_next(dictionary, &position, &key, &value))
		if (reach_referent(value, NULL))
			return;
}

static void follow_references(uint32_t i)
{
	void *object = search.reached[i].object, *type;
	traverse_function traverse;

	search.current = i;
	search.n_referents = 0;
	if (trace_is_exactly(object, trace_python.dict_type)) {
		follow_dictionary(object);
		return;
	}
	if (trace_is_exactly(object, trace_python.list_type)) {
		follow_list(object);
		return;
	}
	/* Tuples of arrays are not tracked; other objects are not before they are complete. */
	if (!trace_is_exactly(object, trace_python.tuple_type) && !trace_python.is_tracked(object))
		return;
	type = trace_python.type_of(object);
	traverse = type == trace_python.module_type
			   ? NULL
			   : (traverse_function)trace_python.type_get_slot(type, Py_tp_traverse);
	trace_python.dec_ref(type);
	if (traverse)
		traverse(object, reach_referent, NULL);
}

/* The dictionary of a module, which the module keeps; NULL: not a module. */
static void *module_dictionary(void *module)
{
	return trace_is_exactly(module, trace_python.module_type)
		       ? trace_python.module_get_dict(module)
		       : NULL;
}

static bool is_of_library(void *dictionary, const char *name)
{
	void *file = trace_python.dict_get(dictionary, "__file__");
	const char *path = NULL;

	if (file && trace_is_exactly(file, trace_python.text_type))
		path = trace_utf8(file, NULL);
	return path ? trace_site_is_library_file(path) : strcmp(name, "__main__") != 0;
}

/* Starts with the modules of the program, or with those of libraries. Functions lead to the
 * dictionaries of all modules, which are not followed from there. */
static void reach_modules(bool of_library)
{
	void *modules = trace_python.import_modules(), *name, *module, *dictionary;
	ptrdiff_t position = 0;
	const char *text;

	while (trace_python.dict_next(modules, &position, &name, &module)) {
		dictionary = module_dictionary(module);
		text = trace_is_exactly(name, trace_python.text_type) ? trace_utf8(name, NULL)
								      : NULL;
		if (!dictionary || !text)
			continue;
		mark_seen(dictionary);
		if (is_of_library(dictionary, text) == of_library)
			add_reached(dictionary, text, TRACE_NONE);
	}
}

static bool is_all_found(void)
{
	for (size_t i = 0; i < search.n_held; i++)
		if (!trace_memory.rows[search.held[i].row].holder)
			return false;
	return true;
}

static void follow_all(uint32_t first)
{
	const uint32_t max_steps = search.is_of_thread ? MAX_THREAD_STEPS : MAX_STEPS;

	for (uint32_t i = first; i < search.n_reached; i++) {
		examine_reached(i);
		if (search.reached[i].n_steps <= max_steps)
			follow_references(i);
	}
}

static void search_modules(bool of_library)
{
	uint32_t i = search.n_reached;

	search.max_reached = i + MAX_OBJECTS;
	reach_modules(of_library);
	follow_all(i);
}

/* Searches the objects of all modules, with the garbage collector disabled: it would release
 * objects and run code of the program. */
static void search_all_modules(void)
{
	int was_collecting = trace_python.gc_disable();

	search_modules(false);
	if (!is_all_found())
		search_modules(true);
	if (was_collecting)
		trace_python.gc_enable();
	if (trace_python.err_occurred()) /* of a name that is not UTF-8 */
		trace_python.err_clear();
}

/* --- threads --- */

enum { MAX_THREAD_FRAMES = 100 };

/* Gives a reference to a dictionary with the local variables of a frame; NULL: not possible. */
static void *copy_locals(void *frame)
{
	void *locals = trace_python.frame_get_locals(frame);
	void *dictionary = locals ? trace_python.call_one(trace_python.dict_type, locals) : NULL;

	trace_python.dec_ref(locals);
	return dictionary;
}

/* Follows the variables of the functions that a frame belongs to. What the dictionaries of the
 * local ones refer to remains: the frames have it as well. */
static void reach_frames(void *frame, void *(*get_variables)(void *frame))
{
	trace_python.inc_ref(frame);
	for (int n = 0; frame && n < MAX_THREAD_FRAMES; n++) {
		void *dictionary = get_variables(frame), *back;

		if (dictionary && mark_seen(dictionary))
			add_reached(dictionary, "", TRACE_NONE);
		else if (dictionary)
			trace_python.dec_ref(dictionary);
		back = trace_python.frame_get_back(frame);
		trace_python.dec_ref(frame);
		frame = back;
	}
	trace_python.dec_ref(frame);
}

enum { MAX_STATE_WORDS = 64, THREAD_NUMBERS = 2, MAX_THREADS = 1 << 16 };

/* Where a thread state has the two numbers of its thread, pthread_self() and gettid(); 0: unknown.
 */
static size_t find_thread_numbers(const void *state)
{
	const unsigned long wanted[THREAD_NUMBERS] = { (unsigned long)pthread_self(),
		(unsigned long)syscall(SYS_gettid) };

	for (size_t i = 1; i < MAX_STATE_WORDS; i++)
		if (!memcmp((const unsigned long *)state + i, wanted, sizeof(wanted)))
			return i;
	return 0;
}

/* The system may kill a program in a sandbox for tgkill(), so that this thread is not asked for. */
static bool has_not_ended(unsigned long thread, unsigned long own)
{
	return !thread || thread == own || !syscall(SYS_tgkill, getpid(), (pid_t)thread, 0) ||
	       errno != ESRCH;
}

/* Whether a thread has ended, as by pthread_exit(), while it ran Python code: the entry frame of
 * that is on the stack of the thread, which does not exist anymore. */
static bool has_thread_without_stack(void)
{
	const unsigned long *state = trace_python.thread_state_current();
	const size_t numbers = state ? find_thread_numbers(state) : 0;
	const unsigned long own = numbers ? state[numbers + 1] : 0;
	const int saved = errno;
	bool has = false;

	state = numbers ? trace_python.first_thread_state(trace_python.interpreter_of_this())
			: NULL;
	for (int n = 0; state && !has && n < MAX_THREADS; n++) {
		has = !has_not_ended(state[numbers + 1], own);
		state = trace_python.next_thread_state((void *)state);
	}
	errno = saved;
	return has;
}

/* A dictionary of the innermost frames of all threads; NULL: there is none. */
static void *find_frames(void)
{
	void *sys = has_thread_without_stack() ? NULL : trace_python_module("sys");
	void *function = trace_module_attribute(sys, "_current_frames");
	void *frames = function ? trace_python.call_no_arguments(function) : NULL;

	trace_python.dec_ref(function);
	trace_python.dec_ref(sys);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return frames;
}

static void reach_threads(void *frames, void *(*get_variables)(void *frame))
{
	void *own = trace_python.eval_get_frame(), *key, *frame;
	ptrdiff_t position = 0;

	while (trace_python.dict_next(frames, &position, &key, &frame))
		if (frame != own)
			reach_frames(frame, get_variables);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

static void mark_modules(void)
{
	void *modules = trace_python.import_modules(), *name, *module;
	ptrdiff_t position = 0;

	while (trace_python.dict_next(modules, &position, &name, &module)) {
		void *dictionary = module_dictionary(module);

		if (dictionary)
			mark_seen(dictionary);
	}
}

static uint64_t memory_key(const struct trace_tensor *tensor)
{
	const uint64_t parts[] = { tensor->address, tensor->thread };

	return trace_hash(parts, sizeof(parts));
}

/* Libraries pass on what they received: what a thread has may hold the tensors of the same memory
 * that the thread consumed before, which no traversal finds. */
static void mark_earlier_tensors(void)
{
	struct trace_map of_threads = { 0 };

	trace_lock();
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < trace_memory.segment->n_tensors; i++) {
			struct trace_tensor *tensor = &trace_memory.tensors[i];

			if (!is_tensor_held(tensor))
				continue;
			if (!pass && (tensor->flags & TENSOR_OF_THREAD))
				trace_map_set(&of_threads, memory_key(tensor), 1);
			else if (pass && trace_map_find(&of_threads, memory_key(tensor)))
				tensor->flags |= TENSOR_OF_THREAD;
		}
	trace_unlock();
	trace_map_clear(&of_threads);
}

/* What a daemon thread has is never released, and no error of a library: also the global variables
 * of its functions, which remain when the interpreter deletes their modules. */
static void search_threads(void *frames)
{
	uint32_t n_roots;
	int was_collecting;

	if (!frames)
		return;
	was_collecting = trace_python.gc_disable();
	search.is_of_thread = true;
	search.max_reached = MAX_OBJECTS;
	reach_threads(frames, copy_locals);
	reach_threads(frames, trace_python.frame_get_globals);
	mark_modules();
	n_roots = search.n_reached;
	follow_all(0);
	mark_earlier_tensors();
	for (uint32_t i = 0; i < n_roots; i++)
		trace_python.dec_ref(search.reached[i].object);
	search.is_of_thread = false;
	search.n_reached = 0;
	trace_map_clear(&search.seen);
	trace_map_clear(&search.guessed);
	if (was_collecting)
		trace_python.gc_enable();
}

static void search_all(void *frames)
{
	search_threads(frames);
	search_all_modules();
}

static int search_at_first_object(void *object, void *frames)
{
	(void)object;
	search_all(frames);
	return 0;
}

/* Searches with the other threads stopped in an interpreter without a GIL, as they are while the
 * garbage collector visits objects. */
static void search_alone(void *frames)
{
	int (*stop_and_visit)(int (*visit)(void *object, void *context), void *context);
	void *found;

	if (trace_head_bytes == GIL_HEAD_BYTES) {
		search_all(frames);
		return;
	}
	found = dlsym(RTLD_DEFAULT, "PyUnstable_GC_VisitObjects");
	memcpy(&stop_and_visit, &found, sizeof(found));
	if (stop_and_visit)
		stop_and_visit(search_at_first_object, frames);
}

static void *find_holders(void *self, void *arguments)
{
	void *frames;

	(void)self;
	(void)arguments;
	if (trace_is_on()) {
		trace_lock();
		trace_tensors_end();
		trace_unlock();
	}
	search.held = malloc(MAX_HELD * sizeof(*search.held));
	search.reached = malloc(sizeof(*search.reached) * 2 * MAX_OBJECTS);
	if (trace_is_on() && search.held && search.reached) {
		collect_held();
		if (search.n_held) {
			collect_results();
			find_tvm_type();
			frames = find_frames();
			search_alone(frames);
			trace_python.dec_ref(frames);
		}
	}
	free(search.held);
	free(search.reached);
	trace_python.inc_ref(trace_python.none);
	return trace_python.none;
}

void trace_holders_register(void)
{
	static struct trace_method_definition definition = { "find_holders", (void *)find_holders,
		METH_NOARGS, NULL };
	static bool is_registered;
	void *module, *add, *function, *result = NULL;

	if (is_registered || !trace_numpy_api_exists())
		return;
	is_registered = true;
	module = trace_python.import_module("atexit");
	add = module ? trace_python.get_attribute(module, "register") : NULL;
	function = trace_python.function_new(&definition, NULL, NULL);
	if (add && function)
		result = trace_python.call_one(add, function);
	trace_python.dec_ref(result);
	trace_python.dec_ref(function);
	trace_python.dec_ref(add);
	trace_python.dec_ref(module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}
