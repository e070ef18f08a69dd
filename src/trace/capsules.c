// SPDX-License-Identifier: MIT
#include "trace/capsules.h"

#include "trace/calls.h"
#include "trace/events.h"
#include "trace/exchange_api.h"
#include "trace/lock.h"
#include "trace/map.h"
#include "trace/memory.h"
#include "trace/modules.h"
#include "trace/objects.h"
#include "trace/order.h"
#include "trace/passed.h"
#include "trace/prefix.h"
#include "trace/reader.h"
#include "trace/results.h"
#include "trace/site.h"
#include "trace/streams.h"
#include "trace/tensor_facts.h"
#include "trace/tensors.h"
#include "trace/verdict.h"

#include <stdlib.h>
#include <string.h>

/* A tensor whose deleter was replaced. The entry remains after the release, to detect a second call
 * of the deleter, until another tensor has the same address. A consumer may copy the struct and
 * call the deleter with the copy. */
struct tensor_owner {
	trace_tensor_deleter deleter;
	uint64_t contents; /* trace_tensor_contents(); 0: not known yet */
	uint32_t tensor;   /* TRACE_NONE: it is not recorded; TRACE_RELEASED */
	uint32_t row;      /* of its exchange, after the release */
	uint32_t older;    /* with equal contents; TRACE_NONE: none, or it is not indexed */
};

#define TRACE_RELEASED (TRACE_NONE - 1)

/* A capsule whose destructor was replaced. */
struct capsule_owner {
	trace_capsule_destructor destructor;
	void *managed;
	uint32_t tensor;   /* TRACE_NONE: consumed, or not recorded */
	uint32_t disarmed; /* the tensor that was consumed by clearing the destructor */
	bool is_unordered; /* the same */
};

/* Items of growing lists; unused ones are linked through their field tensor. */
static struct {
	struct trace_map index; /* by address */
	struct tensor_owner *items;
	size_t n_items, capacity;
	struct trace_map newest; /* by contents; in use since a copy was released */
	bool are_copied;
} owners;

static struct {
	struct trace_map index; /* by address */
	struct capsule_owner *items;
	size_t n_items, capacity;
	uint32_t unused;
} capsules = { .unused = TRACE_NONE };

static bool is_tensor_name(const char *name)
{
	return name && name[0] == 'd' &&
	       (!strcmp(name, "dltensor") || !strcmp(name, "dltensor_versioned"));
}

/* --- exchanges, with the lock --- */

static void consume_tensor(uint32_t i, uint32_t consumer, uint32_t site, bool is_unordered)
{
	const struct trace_tensor *tensor = &trace_memory.tensors[i];
	enum trace_kind kind = tensor->flags & TENSOR_OF_API ? TRACE_EXCHANGE_API : TRACE_DLPACK;
	uint32_t index = trace_memory_row(kind, tensor->producer, consumer, site);
	uint32_t event = TRACE_NONE;
	bool is_copy = tensor->flags & TENSOR_COPY;

	if (index == TRACE_NONE) {
		trace_memory.segment->n_lost++;
	} else {
		struct trace_row *row = &trace_memory.rows[index];

		row->n_exchanges++;
		row->n_bytes += tensor->n_bytes;
		row->n_copied += is_copy;
		row->copy_causes |= is_copy ? TRACE_COPY_FLAGGED : 0;
		row->n_copied_bytes += is_copy ? tensor->n_bytes : 0;
		row->n_unordered += is_unordered;
		row->n_unordered_bytes += is_unordered ? tensor->n_bytes : 0;
		event = trace_event_add(index, tensor->address, tensor->n_bytes,
			(is_copy ? EVENT_COPIED | EVENT_FLAGGED : 0) |
				(is_unordered ? EVENT_UNORDERED : 0));
		trace_passed_note(&(struct trace_passed){ .address = tensor->address,
			.n_bytes = tensor->n_bytes,
			.item_bytes = tensor->item_bytes,
			.row = index,
			.consumer = consumer,
			.event = event,
			.is_known_copy = is_copy,
			.type_code = (uint8_t)(tensor->flags >> TENSOR_TYPE_SHIFT),
			.item_kind = trace_tensor_kind(tensor),
			.tensor = i + 1,
			.exported_ns = kind == TRACE_DLPACK ? tensor->since_ns : 0 });
	}
	trace_tensor_consumed(i, index, event);
}

/* Counts a capsule that was destroyed without being consumed. */
static void count_never(uint32_t i)
{
	struct trace_tensor *tensor = &trace_memory.tensors[i];
	uint32_t index = trace_memory_row(TRACE_DLPACK, tensor->producer, TRACE_NONE, tensor->site);

	if (index == TRACE_NONE) {
		trace_memory.segment->n_lost++;
	} else {
		trace_memory.rows[index].n_never++;
		trace_memory.rows[index].n_never_bytes += tensor->n_bytes;
	}
}

/* --- owners, with the lock --- */

static struct tensor_owner *find_tensor_owner(const void *managed)
{
	uint64_t *i = trace_map_find(&owners.index, (uint64_t)(uintptr_t)managed);

	return i ? &owners.items[*i] : NULL;
}

static struct capsule_owner *find_capsule(const void *capsule)
{
	uint64_t *i = trace_map_find(&capsules.index, (uint64_t)(uintptr_t)capsule);

	return i ? &capsules.items[*i] : NULL;
}

/* The list with space for one more item, which replaces it; NULL: no memory, and the list is
 * unchanged. */
static void *reserve_item(void *items, size_t n_items, size_t *capacity, size_t item_bytes)
{
	size_t wanted = *capacity ? 2 * *capacity : 64;
	void *grown;

	if (n_items < *capacity)
		return items;
	grown = realloc(items, wanted * item_bytes);
	if (grown)
		*capacity = wanted;
	return grown;
}

/* Adds an owner for a tensor; NULL: no memory. */
static struct tensor_owner *add_tensor_owner(void *managed)
{
	struct tensor_owner *owner = find_tensor_owner(managed), *items;

	if (owner)
		return owner;
	items = reserve_item(owners.items, owners.n_items, &owners.capacity, sizeof(*owners.items));
	if (!items)
		return NULL;
	owners.items = items;
	if (!trace_map_set(&owners.index, (uint64_t)(uintptr_t)managed, owners.n_items))
		return NULL;
	owner = &owners.items[owners.n_items++];
	*owner = (struct tensor_owner){
		.tensor = TRACE_NONE, .row = TRACE_NONE, .older = TRACE_NONE
	};
	return owner;
}

static bool add_capsule(void *capsule, const struct capsule_owner *added)
{
	struct capsule_owner *owner = find_capsule(capsule), *items;
	size_t i = capsules.n_items;

	/* A capsule whose destructor a consumer had replaced. */
	if (owner) {
		*owner = *added;
		return true;
	}
	if (capsules.unused != TRACE_NONE) {
		i = capsules.unused;
	} else {
		items = reserve_item(
			capsules.items, i, &capsules.capacity, sizeof(*capsules.items));
		if (!items)
			return false;
		capsules.items = items;
	}
	if (!trace_map_set(&capsules.index, (uint64_t)(uintptr_t)capsule, i))
		return false;
	if (i == capsules.n_items)
		capsules.n_items++;
	else
		capsules.unused = capsules.items[i].tensor;
	capsules.items[i] = *added;
	return true;
}

static struct capsule_owner remove_capsule(const void *capsule)
{
	struct capsule_owner owner = { .tensor = TRACE_NONE, .disarmed = TRACE_NONE };
	uint64_t i;

	if (trace_map_remove(&capsules.index, (uint64_t)(uintptr_t)capsule, &i)) {
		owner = capsules.items[i];
		capsules.items[i].tensor = capsules.unused;
		capsules.unused = (uint32_t)i;
	}
	return owner;
}

/* Ends the link from an owner to a tensor that is no longer recorded. */
static void forget_tensor(const void *managed, uint32_t tensor, bool is_released)
{
	struct tensor_owner *owner = find_tensor_owner(managed);

	if (owner && owner->tensor == tensor)
		owner->tensor = is_released ? TRACE_RELEASED : TRACE_NONE;
}

static bool has_held_tensor(const struct tensor_owner *owner)
{
	return owner->tensor != TRACE_NONE && owner->tensor != TRACE_RELEASED;
}

static void delete_traced_tensor(void *managed);

static void index_owner(uint32_t i)
{
	struct tensor_owner *owner = &owners.items[i];
	uint64_t *newest = trace_map_find(&owners.newest, owner->contents);

	owner->older = newest ? (uint32_t)*newest : TRACE_NONE;
	if (newest)
		*newest = i;
	else
		trace_map_set(&owners.newest, owner->contents, i);
}

static void remove_from_index(uint32_t i)
{
	const uint64_t contents = owners.items[i].contents;
	const uint32_t older = owners.items[i].older;
	uint64_t *newest = trace_map_find(&owners.newest, contents);
	uint32_t newer;

	if (!newest)
		return;
	newer = (uint32_t)*newest;
	if (newer == i) {
		if (older == TRACE_NONE)
			trace_map_remove(&owners.newest, contents, NULL);
		else
			*newest = older;
		return;
	}
	while (newer != TRACE_NONE && owners.items[newer].older != i)
		newer = owners.items[newer].older;
	if (newer != TRACE_NONE)
		owners.items[newer].older = older;
}

static void set_contents(struct tensor_owner *owner, uint64_t contents)
{
	const uint32_t i = (uint32_t)(owner - owners.items);

	if (owner->contents == contents)
		return;
	if (owners.are_copied && owner->contents)
		remove_from_index(i);
	owner->contents = contents;
	if (owners.are_copied)
		index_owner(i);
}

/* The newest struct with the contents, if possible one that is not released; NULL: none. */
static struct tensor_owner *find_original(uint64_t contents)
{
	uint64_t *newest;
	uint32_t i;

	if (!contents)
		return NULL;
	for (i = 0; !owners.are_copied && i < owners.n_items; i++)
		if (owners.items[i].contents)
			index_owner(i);
	owners.are_copied = true;
	newest = trace_map_find(&owners.newest, contents);
	i = newest ? (uint32_t)*newest : TRACE_NONE;
	while (i != TRACE_NONE && owners.items[i].tensor == TRACE_RELEASED)
		i = owners.items[i].older;
	if (i != TRACE_NONE)
		return &owners.items[i];
	return newest ? &owners.items[*newest] : NULL;
}

/* The owner of a struct that has the replaced deleter. The struct may be a copy, also where that of
 * a tensor was that is released. */
static struct tensor_owner *find_owner_of(const void *managed)
{
	struct tensor_owner *owner = find_tensor_owner(managed), *original;

	if (owner && owner->tensor != TRACE_RELEASED)
		return owner;
	original = find_original(trace_copy_contents(managed, (void *)delete_traced_tensor));
	return original && (!owner || original->tensor != TRACE_RELEASED) ? original : owner;
}

static void delete_traced_tensor(void *managed)
{
	const bool is_on = trace_is_on(); /* in a child, before the lock */
	trace_tensor_deleter deleter = NULL;
	struct tensor_owner *owner;

	trace_lock();
	owner = find_owner_of(managed);
	if (owner)
		deleter = owner->deleter;
	if (owner && is_on && has_held_tensor(owner)) {
		trace_tensor_complete(owner->tensor, managed);
		owner->row = trace_memory.tensors[owner->tensor].row;
		trace_tensor_released(owner->tensor);
		owner->tensor = TRACE_RELEASED;
	} else if (owner && owner->tensor == TRACE_NONE) {
		owner->tensor = TRACE_RELEASED;
	} else if (owner && is_on && owner->row != TRACE_NONE) {
		trace_memory.rows[owner->row].n_twice++;
	}
	trace_unlock();
	if (deleter)
		deleter(managed);
}

/* The owner of a struct whose deleter is to be replaced; NULL: it is a copy of another one, and has
 * the replaced deleter already, or there is no memory. */
static struct tensor_owner *find_owner_to_set(void *managed, const struct trace_tensor_facts *facts)
{
	struct tensor_owner *owner;

	if (*facts->deleter != delete_traced_tensor)
		return add_tensor_owner(managed);
	owner = find_tensor_owner(managed);
	if (owner && owner->contents == trace_tensor_contents(managed, facts->is_versioned))
		return owner;
	return find_owner_of(managed) == owner ? owner : NULL;
}

/* Replaces the deleter, unless that is impossible: then the release is not seen. */
static void own_tensor(void *managed, const struct trace_tensor_facts *facts, uint32_t i)
{
	struct tensor_owner *owner = NULL;

	if ((trace_memory.layers & TRACE_LAYER_DELETERS) && facts->deleter && *facts->deleter &&
		!trace_objects_contain(managed) &&
		(facts->is_writable || trace_is_writable((void *)facts->deleter)))
		owner = find_owner_to_set(managed, facts);
	if (!owner) {
		trace_memory.tensors[i].flags |= TENSOR_UNOWNED;
		return;
	}
	if (has_held_tensor(owner)) {
		/* The struct was wrapped again, or freed without its deleter: the earlier exchange
		 * is over. */
		trace_tensor_released(owner->tensor);
	}
	if (*facts->deleter != delete_traced_tensor)
		owner->deleter = *facts->deleter;
	*facts->deleter = delete_traced_tensor;
	owner->tensor = i;
	owner->row = TRACE_NONE;
	set_contents(owner, trace_tensor_contents(managed, facts->is_versioned));
}

/* Records a tensor that is passed; one that is too small is only counted. */
static void record_passed_tensor(void *managed, const struct trace_tensor_facts *facts,
	uint32_t producer, uint32_t consumer, uint32_t site)
{
	uint32_t i;

	if (facts->n_bytes < trace_memory.min_bytes) {
		trace_passed_note_below(
			&(struct trace_passed){ .address = facts->address, .consumer = consumer });
		return;
	}
	i = trace_memory_tensor();
	if (i == TRACE_NONE) {
		trace_memory.segment->n_lost++;
		return;
	}
	trace_memory.tensors[i] = (struct trace_tensor){ .address = facts->address,
		.n_bytes = facts->n_bytes,
		.item_bytes = facts->item_bytes,
		.flags = trace_tensor_flags(facts) | TENSOR_OF_API,
		.producer = producer,
		.site = site,
		.row = TRACE_NONE };
	own_tensor(managed, facts, i);
	consume_tensor(i, consumer, site, false);
}

void trace_tensor_passed(
	DLManagedTensorVersioned *managed, uint32_t producer, uint32_t consumer, uint32_t site)
{
	const struct trace_tensor_facts facts = trace_tensor_read(managed, true, true);

	record_passed_tensor(managed, &facts, producer, consumer, site);
}

void trace_view_passed(const DLTensor *view, uint32_t producer, uint32_t consumer, uint32_t site)
{
	const struct trace_tensor_facts facts = { .address = (uint64_t)(uintptr_t)view->data +
							     view->byte_offset,
		.n_bytes = trace_tensor_bytes(view) };

	record_passed_tensor(NULL, &facts, producer, consumer, site);
}

/* Whether an exporter synchronized with no stream. PyTorch's __dlpack__ is written in Python, so
 * that a capsule without its frame is that of torch.utils.dlpack.to_dlpack(); those of other
 * libraries may have been asked for a stream. */
static bool is_unsynchronized(const struct trace_tensor_facts *facts, uint32_t producer)
{
	return facts->request == STREAM_IS_EXCLUDED ||
	       (facts->request == STREAM_IS_UNSEEN && trace_memory_is_library(producer, "torch"));
}

/* Records a capsule. False: it has to keep its destructor. */
static bool record_capsule(void *capsule, struct capsule_owner *added,
	const struct trace_tensor_facts *facts, uint32_t producer, uint32_t site)
{
	uint32_t i = trace_memory_tensor();

	added->tensor = i;
	if (!add_capsule(capsule, added)) {
		if (i != TRACE_NONE)
			trace_memory_free_tensor(i);
		trace_memory.segment->n_lost++;
		return false;
	}
	if (i != TRACE_NONE) {
		trace_memory.tensors[i] = (struct trace_tensor){ .address = facts->address,
			.n_bytes = facts->n_bytes,
			.item_bytes = facts->item_bytes,
			.since_ns = trace_now_ns(),
			.flags = trace_tensor_flags(facts) |
				 (is_unsynchronized(facts, producer) ? TENSOR_UNSYNCHRONIZED : 0),
			.producer = producer,
			.site = site,
			.row = TRACE_NONE };
		own_tensor(added->managed, facts, i);
	} else {
		trace_memory.segment->n_lost++;
	}
	return true;
}

/* Whether this thread consumed another array with as many elements, of the same producer and at
 * the same call site, while the capsule of this tensor existed. With the lock. */
static bool encloses_exchange(
	const struct trace_tensor *tensor, const struct trace_passed *converted)
{
	const struct trace_row *row;

	if (!converted || converted->is_known_copy || converted->row == TRACE_NONE ||
		converted->exported_ns < tensor->since_ns || !converted->item_bytes ||
		!tensor->item_bytes || converted->address == tensor->address ||
		converted->n_bytes / converted->item_bytes != tensor->n_bytes / tensor->item_bytes)
		return false;
	row = &trace_memory.rows[converted->row];
	return row->site == tensor->site && row->producer == tensor->producer;
}

/* With the lock. */
static void count_library_conversion(
	const struct trace_tensor *tensor, struct trace_passed *converted)
{
	const uint8_t type_code = (uint8_t)(tensor->flags >> TENSOR_TYPE_SHIFT);
	const bool is_same_type =
		converted->item_bytes == tensor->item_bytes && converted->type_code == type_code;

	trace_verdict_count(converted->row, converted->event,
		&(struct trace_verdict){ .is_copy = true,
			.is_narrowed = converted->item_bytes < tensor->item_bytes,
			.wide_bytes = tensor->item_bytes,
			.narrow_bytes = converted->item_bytes,
			.result_bytes = converted->n_bytes,
			.causes = is_same_type ? TRACE_COPY_STRIDES : TRACE_COPY_ELEMENT_TYPE });
	converted->is_known_copy = true;
}

/* A library that requires another type or order, as nanobind's functions do, requests the memory of
 * an array, converts the array, consumes that of the result and then drops the first capsule: the
 * exchange is that of a copy, unless JAX converts a constant of a program that it compiles. */
static bool is_conversion(uint32_t i)
{
	struct trace_passed converted;
	bool is;

	trace_calls_update();
	trace_lock();
	is = encloses_exchange(&trace_memory.tensors[i], trace_passed_last());
	if (is)
		converted = *trace_passed_last();
	trace_unlock();
	if (!is || trace_reader_find().library != converted.consumer)
		return false;
	if (trace_is_within_jax())
		return true;
	trace_lock();
	count_library_conversion(&trace_memory.tensors[i], &converted);
	trace_passed_note(&converted);
	trace_unlock();
	return true;
}

/* A capsule that something renamed unseen, such as ctypes, was consumed. */
static void end_capsule(const struct capsule_owner *owner, bool is_consumed, bool is_conversion)
{
	const struct trace_tensor *tensor = &trace_memory.tensors[owner->tensor];

	if (is_consumed) {
		consume_tensor(owner->tensor, TRACE_NONE, tensor->site, false);
		return;
	}
	if (!is_conversion && tensor->n_bytes >= trace_memory.min_bytes)
		count_never(owner->tensor);
	forget_tensor(owner->managed, owner->tensor, true);
	trace_memory_free_tensor(owner->tensor);
}

static void destroy_capsule(void *capsule)
{
	const char *name = trace_python.capsule_get_name(capsule);
	const bool is_on = trace_is_on(); /* in a child, before the lock */
	struct capsule_owner owner;
	bool is_consumed = false, is_converted;

	trace_lock();
	owner = remove_capsule(capsule);
	if (owner.tensor != TRACE_NONE && is_on) {
		trace_tensor_complete(owner.tensor, owner.managed);
		/* Nothing else may read the name, which may be gone. */
		is_consumed = !trace_is_text(name, "dltensor") &&
			      !trace_is_text(name, "dltensor_versioned");
	}
	trace_unlock();
	if (owner.destructor)
		owner.destructor(capsule);
	if (owner.tensor == TRACE_NONE || !trace_is_on())
		return;
	is_converted = !is_consumed && is_conversion(owner.tensor);
	trace_lock();
	end_capsule(&owner, is_consumed, is_converted);
	trace_unlock();
}

/* --- the hooks --- */

/* The library that calls, or for which the interpreter calls; code that calls through ctypes is
 * that of the package of the innermost frame, TRACE_NONE if it is the program's, unless its
 * destructor is that of a library, whose function ended with the call. Call with the GIL and
 * without the lock. */
static uint32_t find_caller(
	const void *caller, const void *other, trace_capsule_destructor destructor)
{
	uint32_t library, owner = TRACE_NONE;
	bool is_ctypes;

	trace_lock();
	library = trace_objects_caller(caller, other);
	is_ctypes = trace_memory_is_library(library, "libffi");
	if (is_ctypes && destructor)
		owner = trace_objects_library((void *)destructor);
	trace_unlock();
	if (!is_ctypes)
		return library;
	return owner == TRACE_NONE ? trace_site_package() : owner;
}

/* Whether a library copies with copy=True without setting DLPACK_FLAG_BITMASK_IS_COPIED. */
static bool is_unflagged_copier(uint32_t library)
{
	bool is;

	trace_lock();
	is = trace_memory_is_library(library, "torch");
	trace_unlock();
	return is;
}

void *trace_capsule_new(void *pointer, const char *name, trace_capsule_destructor destructor)
{
	const void *caller = __builtin_return_address(0);
	struct capsule_owner added = {
		.destructor = destructor, .managed = pointer, .disarmed = TRACE_NONE
	};
	struct trace_tensor_facts facts;
	enum trace_access access;
	uint32_t site, producer;
	void *capsule;
	bool is_recorded;

	if (trace_is_on() && pointer && (trace_memory.layers & TRACE_LAYER_EXCHANGE_API) &&
		trace_is_exchange_api(name))
		trace_exchange_api_replace(pointer, caller);
	if (!trace_is_on() || !is_tensor_name(name))
		return trace_python.capsule_new(pointer, name, destructor);
	access = trace_struct_access(
		pointer, sizeof(DLManagedTensor), trace_memory.layers & TRACE_LAYER_DELETERS);
	if (access == TRACE_NO_ACCESS)
		return trace_python.capsule_new(pointer, name, destructor);
	trace_modules_update_changed();
	facts = trace_tensor_read(pointer, strcmp(name, "dltensor") != 0, false);
	facts.is_writable = access == TRACE_CAN_WRITE;
	site = trace_site_find();
	producer = find_caller(caller, (void *)*facts.deleter, destructor);
	capsule = trace_python.capsule_new(pointer, name, destroy_capsule);
	if (!capsule)
		return NULL;
	if (facts.is_on_cuda && trace_streams_exist())
		facts.request = trace_order_request();
	if (!facts.is_copy && is_unflagged_copier(producer))
		facts.is_copy = trace_order_requests_copy();
	trace_lock();
	is_recorded = record_capsule(capsule, &added, &facts, producer, site);
	trace_unlock();
	if (!is_recorded)
		trace_python.capsule_set_destructor(capsule, destructor);
	return capsule;
}

/* Removes a tensor that turns out to be too small. */
static void ignore_tensor(uint32_t tensor, const void *managed, uint32_t consumer)
{
	trace_passed_note_below(&(struct trace_passed){
		.address = trace_memory.tensors[tensor].address, .consumer = consumer });
	forget_tensor(managed, tensor, false);
	trace_memory_free_tensor(tensor);
}

/* Updates the index by contents for a struct that was filled after its capsule was created. */
static void update_contents(const void *managed, uint32_t tensor)
{
	struct tensor_owner *owner = find_tensor_owner(managed);

	if (owner && owner->tensor == tensor)
		set_contents(owner, trace_tensor_contents(managed,
					    trace_memory.tensors[tensor].flags & TENSOR_VERSIONED));
}

static void record_consumption(
	const void *capsule, uint32_t consumer, uint32_t site, bool is_unordered)
{
	struct capsule_owner *owner = find_capsule(capsule);
	uint32_t row;

	if (owner && owner->tensor != TRACE_NONE) {
		uint32_t tensor = owner->tensor;

		owner->tensor = TRACE_NONE;
		owner->is_unordered = is_unordered;
		if (trace_tensor_complete(tensor, owner->managed))
			update_contents(owner->managed, tensor);
		if (trace_memory.tensors[tensor].n_bytes >= trace_memory.min_bytes)
			consume_tensor(tensor, consumer, site, is_unordered);
		else
			ignore_tensor(tensor, owner->managed, consumer);
	} else if (!owner) {
		/* The capsule was created unseen, and its tensor may be freed, so that is not
		 * read. */
		row = trace_memory_row(TRACE_DLPACK, TRACE_NONE, consumer, site);
		if (row == TRACE_NONE) {
			trace_memory.segment->n_lost++;
		} else {
			trace_memory.rows[row].n_exchanges++;
			trace_event_add(row, 0, 0, 0);
		}
	}
}

/* Whether work may still be pending on the memory of a tensor that was exported without a stream.
 */
static bool is_consumed_early(const void *capsule, uint32_t consumer)
{
	struct trace_tensor tensor = { .flags = 0 };
	const struct capsule_owner *owner;

	trace_lock();
	owner = find_capsule(capsule);
	if (owner && owner->tensor != TRACE_NONE) {
		trace_tensor_complete(owner->tensor, owner->managed);
		tensor = trace_memory.tensors[owner->tensor];
	}
	trace_unlock();
	return (tensor.flags & TENSOR_UNSYNCHRONIZED) &&
	       !trace_is_same_family(tensor.producer, consumer) &&
	       trace_streams_are_pending(tensor.producer, tensor.address, tensor.n_bytes);
}

/* Whether the tensor of a capsule may not have been consumed yet. is_renamed: the capsule remains
 * consumed whatever destructor it is given. */
static bool is_to_be_consumed(const void *capsule, bool is_renamed)
{
	struct capsule_owner *owner;
	bool is;

	trace_lock();
	owner = find_capsule(capsule);
	is = !owner || owner->tensor != TRACE_NONE;
	if (owner && is_renamed)
		owner->disarmed = TRACE_NONE;
	trace_unlock();
	return is;
}

/* Call without the lock. */
static void observe_consumption(const void *capsule, const void *caller, bool is_renamed)
{
	uint32_t site, consumer;
	bool is_unordered;

	/* TVM FFI clears the destructor and changes the name. */
	if (!is_to_be_consumed(capsule, is_renamed))
		return;
	site = trace_site_find();
	consumer = find_caller(caller, NULL, NULL);
	is_unordered = trace_streams_exist() && is_consumed_early(capsule, consumer);
	trace_calls_update();
	trace_lock();
	record_consumption(capsule, consumer, site, is_unordered);
	trace_unlock();
}

int trace_capsule_set_name(void *capsule, const char *name)
{
	const void *caller = __builtin_return_address(0);
	bool is_exchange = false;
	int status;

	if (trace_is_on() && name && trace_has_prefix(name, "used_dltensor") &&
		!trace_python.err_occurred()) {
		is_exchange = is_tensor_name(trace_python.capsule_get_name(capsule));
		if (trace_python.err_occurred())
			trace_python.err_clear(); /* the call below raises it again */
	}
	status = trace_python.capsule_set_name(capsule, name);
	if (is_exchange && !status)
		observe_consumption(capsule, caller, true);
	return status;
}

/* Cancels an exchange. With the lock. */
static void cancel_exchange(uint32_t i, bool is_unordered)
{
	struct trace_tensor *tensor = &trace_memory.tensors[i];
	struct trace_row *row = &trace_memory.rows[tensor->row];
	const bool is_copy = tensor->flags & TENSOR_COPY;

	row->n_exchanges--;
	row->n_bytes -= tensor->n_bytes;
	row->n_copied -= is_copy;
	row->n_copied_bytes -= is_copy ? tensor->n_bytes : 0;
	row->n_unordered -= is_unordered;
	row->n_unordered_bytes -= is_unordered ? tensor->n_bytes : 0;
	trace_event_cancel(i);
	trace_passed_forget(i);
	tensor->flags &= ~(uint32_t)TENSOR_CONSUMED;
	tensor->row = TRACE_NONE;
}

/* The capsule of a tensor that seemed to be consumed has a destructor again, and so has its tensor.
 * One without a deleter is no longer known. With the lock. */
static void rearm_capsule(struct capsule_owner *owner)
{
	const struct tensor_owner *tensor = find_tensor_owner(owner->managed);

	if (owner->disarmed != TRACE_NONE && owner->tensor == TRACE_NONE && tensor &&
		tensor->tensor == owner->disarmed &&
		trace_memory.tensors[tensor->tensor].row != TRACE_NONE) {
		cancel_exchange(owner->disarmed, owner->is_unordered);
		owner->tensor = owner->disarmed;
	}
	owner->disarmed = TRACE_NONE;
}

/* nanobind does not rename a capsule that it consumes: without a destructor, nothing else frees the
 * tensor. The destructor that a producer sets later is called as the first one would be. */
int trace_capsule_set_destructor(void *capsule, trace_capsule_destructor destructor)
{
	const void *caller = __builtin_return_address(0);
	struct capsule_owner *owner;
	bool is_exchange = false;

	if (!trace_is_on() || trace_python.err_occurred())
		return trace_python.capsule_set_destructor(capsule, destructor);
	if (trace_python.capsule_get_destructor(capsule) != destroy_capsule) {
		if (trace_python.err_occurred())
			trace_python.err_clear(); /* the call below raises it again */
		return trace_python.capsule_set_destructor(capsule, destructor);
	}
	if (!destructor)
		is_exchange = is_tensor_name(trace_python.capsule_get_name(capsule));
	trace_lock();
	owner = find_capsule(capsule);
	if (owner)
		owner->destructor = destructor;
	if (owner && destructor)
		rearm_capsule(owner);
	else if (owner && is_exchange)
		owner->disarmed = owner->tensor;
	trace_unlock();
	if (is_exchange)
		observe_consumption(capsule, caller, false);
	return 0;
}

/* Returns the producer's destructor, or the one that another library set. */
trace_capsule_destructor trace_capsule_get_destructor(void *capsule)
{
	trace_capsule_destructor destructor = trace_python.capsule_get_destructor(capsule);
	const struct capsule_owner *owner;

	if (destructor != destroy_capsule)
		return destructor;
	trace_lock();
	owner = find_capsule(capsule);
	destructor = owner ? owner->destructor : NULL;
	trace_unlock();
	return destructor;
}

uint32_t trace_capsules_tensor(const void *managed)
{
	const struct tensor_owner *owner = find_tensor_owner(managed);

	return owner && has_held_tensor(owner) ? owner->tensor : TRACE_NONE;
}

void trace_capsules_fork(void)
{
	for (size_t i = 0; i < owners.n_items; i++) {
		if (owners.items[i].tensor != TRACE_RELEASED)
			owners.items[i].tensor = TRACE_NONE;
		owners.items[i].row = TRACE_NONE;
	}
	for (size_t i = 0; i < capsules.index.capacity; i++)
		if (capsules.index.items[i].key) {
			struct capsule_owner *owner =
				&capsules.items[capsules.index.items[i].value];

			owner->tensor = owner->disarmed = TRACE_NONE;
		}
}
