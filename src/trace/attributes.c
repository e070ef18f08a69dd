// SPDX-License-Identifier: MIT
#include "trace/attributes.h"

#include "trace/calls.h"
#include "trace/conversions.h"
#include "trace/events.h"
#include "trace/lock.h"
#include "trace/map.h"
#include "trace/memory.h"
#include "trace/numpy_api.h"
#include "trace/objects.h"
#include "trace/order.h"
#include "trace/passed.h"
#include "trace/property.h"
#include "trace/python.h"
#include "trace/reader.h"
#include "trace/site.h"
#include "trace/streams.h"
#include "trace/verdict.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_CALLERS = 16,
	MAX_EXAMINED = 10000,
};

/* An attribute of a type. */
static struct traced_attribute {
	const char *module, *type, *name;
	enum trace_kind kind;
	bool is_replaced;
	/* Set if it is not a property: */
	uint32_t producer; /* a library */
	void *original;    /* the descriptor */
	trace_property_function get;
	int (*set)(void *descriptor, void *object, void *value); /* or NULL */
	struct trace_getset_definition definition;
} traced_attributes[] = {
	{ .module = "numpy",
		.type = "ndarray",
		.name = "__array_interface__",
		.kind = TRACE_NUMPY_ATTRIBUTE },
	{ .module = "PIL.Image",
		.type = "Image",
		.name = "__array_interface__",
		.kind = TRACE_NUMPY_ATTRIBUTE },
	/* MemoryUSMDevice, MemoryUSMShared and MemoryUSMHost inherit the attribute of this base. */
	{ .module = "dpctl.memory._memory",
		.type = "_Memory",
		.name = "__sycl_usm_array_interface__",
		.kind = TRACE_SYCL_ATTRIBUTE },
	{ .module = "dpctl.tensor",
		.type = "usm_ndarray",
		.name = "__sycl_usm_array_interface__",
		.kind = TRACE_SYCL_ATTRIBUTE },
	{ .module = "dpnp.tensor",
		.type = "usm_ndarray",
		.name = "__sycl_usm_array_interface__",
		.kind = TRACE_SYCL_ATTRIBUTE },
	{ .module = "dpnp",
		.type = "ndarray",
		.name = "__sycl_usm_array_interface__",
		.kind = TRACE_SYCL_ATTRIBUTE },
	{ .module = "cupy",
		.type = "ndarray",
		.name = "__cuda_array_interface__",
		.kind = TRACE_CUDA_ATTRIBUTE },
	{ .module = "torch",
		.type = "Tensor",
		.name = "__cuda_array_interface__",
		.kind = TRACE_CUDA_ATTRIBUTE },
	{ .module = "numba.cuda.cudadrv.devicearray",
		.type = "DeviceNDArrayBase",
		.name = "__cuda_array_interface__",
		.kind = TRACE_CUDA_ATTRIBUTE },
};

/* Descriptors that replace others, by address; they are never freed. */
static struct trace_map replacements;

/* --- the dictionary of an interface --- */

static void *tuple_field(void *dictionary, const char *key)
{
	void *value = trace_python.dict_get(dictionary, key);

	return trace_is_instance(value, trace_python.tuple_type) ? value : NULL;
}

/* The bytes of an element: the number that ends a typestr. */
static uint64_t typestr_bytes(void *dictionary)
{
	void *value = trace_python.dict_get(dictionary, "typestr");
	const char *text = value ? trace_utf8(value, NULL) : NULL;

	return text && strlen(text) > 2 ? strtoull(text + 2, NULL, 10) : 0;
}

/* The kind of element of a dictionary's typestr, as NumPy's dtype.kind; 0: unknown. */
static char typestr_kind(void *dictionary)
{
	void *value = trace_python.dict_get(dictionary, "typestr");
	const char *text = value ? trace_utf8(value, NULL) : NULL;

	return text && *text ? text[1] : 0;
}

/* Whether a type defines __index__() in C, as those of numpy.int64 and the like do: that of a class
 * of Python is a function of the interpreter, and would run code of the program. */
static bool has_native_index(void *object)
{
	void *type = trace_python.type_of(object);
	const void *function = trace_python.type_get_slot(type, Py_nb_index);
	bool is_native;

	trace_lock();
	is_native = function && !trace_objects_is_interpreter(function);
	trace_unlock();
	trace_python.dec_ref(type);
	return is_native;
}

/* An extent or an offset, of Python or of NumPy; -1: another object. */
static ptrdiff_t interface_number(void *number)
{
	void *integer = NULL;
	ptrdiff_t value;

	if (!trace_is_instance(number, trace_python.integer_type)) {
		integer = number && has_native_index(number) ? trace_python.number_index(number)
							     : NULL;
		number = integer;
	}
	value = number ? trace_python.integer_as_size(number) : -1;
	trace_python.dec_ref(integer);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return value;
}

/* The size of the elements that a dictionary describes; 0: unknown. */
static uint64_t interface_bytes(void *dictionary, uint64_t item_bytes)
{
	void *shape = tuple_field(dictionary, "shape");
	ptrdiff_t n_dimensions = shape ? trace_python.tuple_size(shape) : 0;
	uint64_t n_bytes = shape ? item_bytes : 0;

	for (ptrdiff_t i = 0; i < n_dimensions; i++) {
		ptrdiff_t extent = interface_number(trace_python.tuple_get(shape, i));

		if (extent < 0 || __builtin_mul_overflow(n_bytes, (uint64_t)extent, &n_bytes))
			return 0;
	}
	return n_bytes;
}

static bool defines_buffer_in_python(void *object);

/* The memory of an object with the buffer protocol; 0: it has none, or code of the program would
 * run. */
static uint64_t buffer_address(void *object)
{
	union trace_buffer view;
	uint64_t address;

	if (defines_buffer_in_python(object))
		return 0;
	if (trace_python.get_buffer(object, &view.head, 0)) {
		trace_python.err_clear();
		return 0;
	}
	address = (uint64_t)(uintptr_t)view.head.buf;
	trace_python.release_buffer(&view.head);
	return address;
}

/* The address at an offset in an object with the buffer protocol; 0: unknown. */
static uint64_t address_in_object(void *object, void *offset)
{
	const uint64_t start = object == trace_python.none ? 0 : buffer_address(object);
	const ptrdiff_t n_bytes = offset ? interface_number(offset) : 0;

	return start && n_bytes >= 0 ? start + (uint64_t)n_bytes : 0;
}

/* The address of the elements that a dictionary describes: `data` is a pointer and a flag, or an
 * object with the buffer protocol, to which `offset` is added. 0: unknown. */
static uint64_t interface_address(void *dictionary)
{
	void *data = trace_python.dict_get(dictionary, "data"), *pointer;
	ptrdiff_t address;

	if (data && !trace_is_instance(data, trace_python.tuple_type))
		return address_in_object(data, trace_python.dict_get(dictionary, "offset"));
	pointer = data && trace_python.tuple_size(data) ? trace_python.tuple_get(data, 0) : NULL;
	address = pointer ? trace_python.integer_as_size(pointer) : 0;
	return address > 0 ? (uint64_t)address : 0;
}

/* Whether the elements are in a bytes object to which nothing else refers: the producer copied them
 * to export them, as Pillow does. */
static bool contains_new_bytes(void *dictionary)
{
	void *data = trace_python.dict_get(dictionary, "data");
	void *sys, *count, *n = NULL;
	bool is_copied = false;

	if (!trace_is_instance(data, trace_python.bytes_type))
		return false;
	sys = trace_python_module("sys");
	count = trace_module_attribute(sys, "getrefcount");
	n = count ? trace_python.call_one(count, data) : NULL;
	is_copied = n && trace_python.integer_as_size(n) == 1;
	trace_python.dec_ref(n);
	trace_python.dec_ref(count);
	trace_python.dec_ref(sys);
	if (trace_python.err_occurred())
		trace_python.err_clear();
	return is_copied;
}

/* --- records --- */

/* Whether a frame that still runs, as the callers of the present one do, called a frame. */
static bool has_called(const void *caller, void *frame)
{
	void *back = trace_python.frame_get_back(frame);
	bool has = false;

	for (int n = 0; back && !has && n < MAX_CALLERS; n++) {
		void *next = NULL;

		has = back == caller;
		if (!has)
			next = trace_python.frame_get_back(back);
		trace_python.dec_ref(back);
		back = next;
	}
	if (!has)
		trace_python.dec_ref(back);
	return has;
}

/* Whether two instructions of a frame are on the same line. Looking up lines takes as long as the
 * rest of a read, so equal instructions are compared first. */
static bool is_at_same_line(void *frame, int instruction, int other)
{
	void *code = frame && instruction != other ? trace_python.frame_get_code(frame) : NULL;
	bool is = instruction == other || (code && trace_python.code_line_at(code, instruction) ==
							   trace_python.code_line_at(code, other));

	trace_python.dec_ref(code);
	return is;
}

/* Whether a read belongs to the same exchange as the last one. Only once if another function reads:
 * the memory of a frame that ended is reused. */
static bool is_same_exchange(const struct trace_attribute_read *read)
{
	struct trace_attribute_read *last = &trace_calls.last_read;

	if (last->object != read->object || last->library != read->library ||
		last->address == read->address)
		return false;
	if (last->frame == read->frame)
		return is_at_same_line((void *)read->frame, last->instruction, read->instruction);
	if (last->is_followed || !last->frame || !read->frame ||
		!has_called(last->frame, (void *)read->frame))
		return false;
	last->is_followed = true;
	return true;
}

/* A function that reads what it has read before through a function which it called knew only then
 * that the object has the attribute. The library may check this through the same function before
 * each of its reads, so that only a further read at this address begins an exchange. */
static void note_read_after_check(const struct trace_attribute_read *read, uintptr_t call)
{
	if (call && call == trace_calls.last_read.outer_call)
		trace_calls.last_read.address = read->address;
}

/* Whether a module belongs to an installed package in a namespace package, whose name has two
 * parts.
 */
static bool is_in_namespace(const char *module_name, char package[TRACE_MAX_PACKAGE_CHARS + 1])
{
	void *module = trace_python_module(module_name);
	void *file =
		module ? trace_python.dict_get(trace_python.module_get_dict(module), "__file__")
		       : NULL;
	const char *path = file && trace_is_exactly(file, trace_python.text_type)
				   ? trace_utf8(file, NULL)
				   : NULL;
	bool is = path && trace_site_package_of_file(path, package) && strchr(package, '.');

	trace_python.dec_ref(module);
	return is;
}

/* The package of a type; TRACE_NONE: the program. Call without the lock. */
static uint32_t producer_of(const char *module)
{
	char name[TRACE_MAX_PACKAGE_CHARS + 1] = { 0 };
	uint32_t library;

	if (!is_in_namespace(module, name)) {
		strncpy(name, module, sizeof(name) - 1);
		name[strcspn(name, ".")] = 0;
	}
	trace_lock();
	library = strcmp(name, "__main__") ? trace_memory_library(name, "") : TRACE_NONE;
	trace_unlock();
	return library;
}

/* With the lock. */
static void count_read(struct trace_passed *passed, bool is_unordered)
{
	if (passed->row == TRACE_NONE) {
		trace_memory.segment->n_lost++;
		return;
	}
	trace_memory.rows[passed->row].n_exchanges++;
	trace_memory.rows[passed->row].n_bytes += passed->n_bytes;
	trace_memory.rows[passed->row].n_unordered += is_unordered;
	trace_memory.rows[passed->row].n_unordered_bytes += is_unordered ? passed->n_bytes : 0;
	passed->event = trace_event_add(
		passed->row, passed->address, passed->n_bytes, is_unordered ? EVENT_UNORDERED : 0);
	trace_passed_note(passed);
}

/* dpctl and dpnp order their work by the queue, or by events that they keep for each queue, which
 * is not seen here. */
static bool orders_itself(uint32_t consumer)
{
	bool is;

	trace_lock();
	is = trace_memory_is_library(consumer, "dpctl") ||
	     trace_memory_is_library(consumer, "dpnp");
	trace_unlock();
	return is;
}

static void record_read(struct trace_interface interface, uint32_t consumer, void *dictionary)
{
	const uint64_t item_bytes = typestr_bytes(dictionary);
	struct trace_passed passed = { .address = interface_address(dictionary),
		.n_bytes = interface_bytes(dictionary, item_bytes),
		.item_bytes = (uint32_t)item_bytes,
		.item_kind = typestr_kind(dictionary),
		.consumer = consumer };
	struct trace_verdict verdict = { .result_bytes = passed.n_bytes,
		.causes = TRACE_COPY_EXPORT };
	bool is_unordered = false;
	uint32_t site;

	verdict.is_copy = passed.is_known_copy = contains_new_bytes(dictionary);
	if (interface.kind == TRACE_SYCL_ATTRIBUTE)
		is_unordered = !orders_itself(consumer) && trace_order_is_pending(dictionary);
	else if (interface.kind == TRACE_CUDA_ATTRIBUTE)
		is_unordered = !trace_is_same_family(interface.producer, consumer) &&
			       trace_order_is_cuda_pending(dictionary, interface.producer,
				       passed.address, passed.n_bytes);

	if (trace_python.err_occurred())
		trace_python.err_clear();
	site = trace_site_find();
	trace_calls.is_unsettled = false;
	trace_lock();
	if (passed.n_bytes < trace_memory.min_bytes) {
		trace_passed_note_below(&passed);
	} else {
		passed.row = trace_memory_row(interface.kind, interface.producer, consumer, site);
		count_read(&passed, is_unordered);
		if (verdict.is_copy && passed.row != TRACE_NONE)
			trace_verdict_count(passed.row, passed.event, &verdict);
	}
	trace_unlock();
	trace_conversions_settle(&passed);
}

/* exporter: of the attribute whose read reads this one, or NULL. A library that exports an array so
 * which it received, as dpnp does, passes it on: that is one exchange. */
static void observe_read(struct trace_interface interface, const struct trace_interface *exporter,
	const void *object, void *dictionary)
{
	void *frame = trace_python.eval_get_frame();
	const struct trace_reader reader = trace_reader_find();
	const struct trace_attribute_read read = { .object = object,
		.frame = frame,
		.address = reader.address,
		.outer_call = reader.outer_call,
		.library = reader.library,
		.instruction = frame ? trace_python.frame_get_lasti(frame) : 0 };

	if (reader.is_check || reader.library == TRACE_NONE ||
		reader.library == interface.producer ||
		(exporter && reader.library == exporter->producer))
		return;
	if (is_same_exchange(&read)) {
		note_read_after_check(&read, reader.call);
		return;
	}
	trace_calls.last_read = read;
	record_read(interface, reader.library, dictionary);
}

/* Reads an attribute and observes its value. */
static void *read_observed(trace_property_function read, void *descriptor, void *object, void *type,
	struct trace_interface interface)
{
	struct trace_interface exporter;
	bool is_nested;
	void *value;

	trace_calls_update();
	is_nested = trace_calls.n_reads++ > 0;
	exporter = trace_calls.exporter;
	trace_calls.exporter = interface;
	value = read(descriptor, object, type);
	trace_calls_update();
	trace_calls.n_reads--;
	trace_calls.exporter = exporter;
	if (value && trace_is_on() && !trace_python.is_finalizing() &&
		!trace_python.err_occurred() && trace_is_instance(value, trace_python.dict_type))
		observe_read(interface, is_nested ? &exporter : NULL, object, value);
	return value;
}

static void *read_traced_attribute(void *self, void *closure)
{
	struct traced_attribute *attribute = closure;
	void *type = trace_python.type_of(self);
	void *value = read_observed(attribute->get, attribute->original, self, type,
		(struct trace_interface){ attribute->kind, attribute->producer });

	trace_python.dec_ref(type);
	return value;
}

static int set_traced_attribute(void *self, void *value, void *closure)
{
	struct traced_attribute *attribute = closure;

	return attribute->set(attribute->original, self, value);
}

/* --- replacing --- */

/* The dictionary of a type, to which its __dict__, a mapping proxy, refers in the first field after
 * its head; NULL: it is something else. *proxy keeps it: a metaclass may create both. */
static void *type_dictionary(void *type, void **proxy)
{
	void *dictionary;

	*proxy = trace_is_instance(type, trace_python.type_type)
			 ? trace_type_attribute(type, "__dict__")
			 : NULL;
	if (!*proxy || !trace_is_instance(*proxy, trace_python.proxy_type))
		return NULL;
	memcpy(&dictionary, (const char *)*proxy + trace_head_bytes, sizeof(dictionary));
	return trace_is_instance(dictionary, trace_python.dict_type) ? dictionary : NULL;
}

static struct trace_interface exported_by(const struct traced_attribute *attribute)
{
	return (struct trace_interface){ .producer = producer_of(attribute->module),
		.kind = attribute->kind };
}

/* A descriptor like that of a type in C. It refers to a copy of the attribute, and that to the
 * original; all are never freed, since the descriptor may be called until the end. */
static void *new_getset(const struct traced_attribute *attribute, void *type, void *original)
{
	void *get = trace_python.type_get_slot(trace_python.getset_type, Py_tp_descr_get);
	void *set = trace_python.type_get_slot(trace_python.getset_type, Py_tp_descr_set);
	void *doc = trace_python.get_attribute(original, "__doc__"), *descriptor = NULL;
	const char *text = doc ? trace_utf8(doc, NULL) : NULL;
	struct traced_attribute *kept = malloc(sizeof(*kept));

	if (trace_python.err_occurred())
		trace_python.err_clear();
	if (kept) {
		*kept = (struct traced_attribute){ .name = attribute->name,
			.kind = attribute->kind,
			.producer = exported_by(attribute).producer,
			.original = original };
		memcpy(&kept->get, &get, sizeof(get));
		memcpy(&kept->set, &set, sizeof(set));
		kept->definition =
			(struct trace_getset_definition){ attribute->name, read_traced_attribute,
				set_traced_attribute, text ? strdup(text) : NULL, kept };
		descriptor = trace_python.descriptor_new(type, &kept->definition);
	}
	if (descriptor) {
		trace_python.inc_ref(original);
		trace_python.inc_ref(descriptor);
		trace_lock();
		trace_map_set(&replacements, (uint64_t)(uintptr_t)descriptor, 1);
		trace_unlock();
	} else if (kept) {
		free((char *)kept->definition.doc);
		free(kept);
	}
	trace_python.dec_ref(doc);
	return descriptor;
}

/* The entry in which the lookup of an attribute ends. */
struct type_entry {
	void *type, *dictionary, *value; /* borrowed */
	void *proxy;                     /* keeps the dictionary */
};

/* Finds the first type of an __mro__, or NULL, whose dictionary has the name. The caller releases
 * the proxy, also if there is none. */
static bool find_type_entry(void *bases, const char *name, struct type_entry *entry)
{
	ptrdiff_t n_bases = trace_is_instance(bases, trace_python.tuple_type)
				    ? trace_python.tuple_size(bases)
				    : 0;

	*entry = (struct type_entry){ 0 };
	for (ptrdiff_t i = 0; i < n_bases && !entry->value; i++) {
		trace_python.dec_ref(entry->proxy);
		entry->type = trace_python.tuple_get(bases, i);
		entry->dictionary = type_dictionary(entry->type, &entry->proxy);
		if (entry->dictionary)
			entry->value = trace_python.dict_get(entry->dictionary, name);
	}
	return entry->value != NULL;
}

/* Since CPython 3.12, a class may define __buffer__(). */
static bool defines_buffer_in_python(void *object)
{
	void *type = trace_python.type_of(object);
	void *bases = trace_type_attribute(type, "__mro__");
	struct type_entry entry;
	const bool defines = find_type_entry(bases, "__buffer__", &entry) &&
			     !trace_is_exactly(entry.value, trace_python.wrapper_type);

	trace_python.dec_ref(entry.proxy);
	trace_python.dec_ref(bases);
	trace_python.dec_ref(type);
	return defines;
}

/* Replaces the descriptor in an entry. Descriptors of other types stay, since the program could
 * distinguish their replacement. */
static void replace_type_entry(struct traced_attribute *attribute, const struct type_entry *entry)
{
	void *descriptor = NULL;

	if (trace_is_exactly(entry->value, trace_python.property_type))
		descriptor =
			trace_property_new(entry->value, exported_by(attribute), read_observed);
	else if (trace_is_exactly(entry->value, trace_python.getset_type))
		descriptor = new_getset(attribute, entry->type, entry->value);
	if (!descriptor)
		return;
	attribute->is_replaced =
		trace_python.dict_set(entry->dictionary, attribute->name, descriptor) == 0;
	trace_python.dec_ref(descriptor);
	trace_python.type_modified(entry->type);
}

static void find_attribute(struct traced_attribute *attribute)
{
	void *module = trace_python_module(attribute->module);
	void *type = trace_module_attribute(module, attribute->type);
	void *bases = trace_is_instance(type, trace_python.type_type)
			      ? trace_type_attribute(type, "__mro__")
			      : NULL;
	struct type_entry entry;

	if (find_type_entry(bases, attribute->name, &entry))
		replace_type_entry(attribute, &entry);
	trace_python.dec_ref(entry.proxy);
	trace_python.dec_ref(bases);
	trace_python.dec_ref(type);
	trace_python.dec_ref(module);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

void trace_attributes_update(void)
{
	if (!trace_head_bytes)
		return;
	for (size_t i = 0; i < sizeof(traced_attributes) / sizeof(traced_attributes[0]); i++)
		if (!traced_attributes[i].is_replaced)
			find_attribute(&traced_attributes[i]);
}

/* --- other types --- */

enum { IS_STATIC = 1 };

/* Types that were examined, by address: IS_STATIC, or a weak reference to one that can be freed,
 * after which another may have its address. */
static struct trace_map examined;

_Atomic(const void *) trace_last_examined;
_Atomic(void *) trace_last_reference;

static void note_last(const void *type, void *reference)
{
	trace_last_examined = NULL;
	trace_last_reference = reference;
	trace_last_examined = type;
}

/* Drops a weak reference. Without a GIL it is leaked, since another thread may be reading it. */
static void drop_reference(uint64_t value)
{
	if (value != IS_STATIC && trace_head_bytes == GIL_HEAD_BYTES)
		trace_python.dec_ref((void *)(uintptr_t)value);
}

/* With the lock. */
static void forget_examined(void)
{
	note_last(NULL, NULL);
	for (size_t i = 0; i < examined.capacity; i++)
		if (examined.items[i].key)
			drop_reference(examined.items[i].value);
	trace_map_clear(&examined);
}

/* Begins to examine a type. False: it was examined before. */
static bool begin_examination(void *type)
{
	const uint64_t key = (uint64_t)(uintptr_t)type;
	uint64_t *found, known, value = IS_STATIC;

	trace_lock();
	found = trace_map_find(&examined, key);
	known = found ? *found : 0;
	if (!known && !trace_objects_contain(type))
		value = 0;
	trace_unlock();
	if (known == IS_STATIC || (known && *trace_weak_field((void *)(uintptr_t)known) == type)) {
		note_last(type, known == IS_STATIC ? NULL : (void *)(uintptr_t)known);
		return false;
	}
	if (known || !value)
		value = (uint64_t)(uintptr_t)trace_python.new_weak_reference(type, NULL);
	if (!value) {
		trace_python.err_clear();
		return true;
	}
	trace_lock();
	if (examined.n_items >= MAX_EXAMINED)
		forget_examined();
	else if (known)
		drop_reference(known);
	if (trace_map_set(&examined, key, value))
		note_last(type, value == IS_STATIC ? NULL : (void *)(uintptr_t)value);
	trace_unlock();
	return true;
}

static bool is_replacement(void *descriptor)
{
	bool is;

	trace_lock();
	is = trace_map_find(&replacements, (uint64_t)(uintptr_t)descriptor) != NULL;
	trace_unlock();
	return is || trace_property_is_traced(descriptor);
}

static void replace_untraced(
	const struct traced_attribute *interface, const struct type_entry *entry)
{
	void *module = trace_type_attribute(entry->type, "__module__");
	const char *name = module ? trace_utf8(module, NULL) : NULL;
	struct traced_attribute added = *interface;

	added.module = name;
	if (name)
		replace_type_entry(&added, entry);
	trace_python.dec_ref(module);
}

static void examine_type(void *type)
{
	static const struct traced_attribute interfaces[] = {
		{ .name = "__array_interface__", .kind = TRACE_NUMPY_ATTRIBUTE },
		{ .name = "__cuda_array_interface__", .kind = TRACE_CUDA_ATTRIBUTE },
		{ .name = "__sycl_usm_array_interface__", .kind = TRACE_SYCL_ATTRIBUTE },
	};
	void *bases = trace_type_attribute(type, "__mro__");

	for (size_t i = 0; i < sizeof(interfaces) / sizeof(interfaces[0]); i++) {
		struct type_entry entry;

		if (find_type_entry(bases, interfaces[i].name, &entry) &&
			!is_replacement(entry.value))
			replace_untraced(&interfaces[i], &entry);
		trace_python.dec_ref(entry.proxy);
	}
	trace_python.dec_ref(bases);
	if (trace_python.err_occurred())
		trace_python.err_clear();
}

void trace_attributes_examine(void *object)
{
	void *type;

	if (!(trace_memory.layers & TRACE_LAYER_ATTRIBUTES) || !trace_head_bytes ||
		!trace_is_main_interpreter())
		return;
	type = trace_python.type_of(object);
	if (!trace_python.err_occurred() && begin_examination(type))
		examine_type(type);
	trace_python.dec_ref(type);
}
