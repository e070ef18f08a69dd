// SPDX-License-Identifier: MIT
#include "trace/tensor_facts.h"

#include "trace/map.h"
#include "trace/memory.h"
#include "trace/objects.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_DIMENSIONS = 64, SMALLEST_PAGE_BYTES = 4096 };

/* Whether the kernel can read the 8 bytes of a set of signals there, before it rejects the first
 * argument: a tenth of the time of process_vm_readv(). */
static bool is_word_readable(const void *word)
{
	const int saved = errno;
	const bool is =
		syscall(SYS_rt_sigprocmask, ~0, word, NULL, sizeof(uint64_t)) && errno == EINVAL;

	errno = saved;
	return is;
}

enum answer { NO, YES, UNKNOWN };

/* Lets the kernel add zero to the word. */
static enum answer is_word_writable(void *word)
{
	static uint32_t unused;
	const int saved = errno;
	enum answer is = YES;

	if (syscall(SYS_futex, &unused, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, NULL, word,
		    FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) < 0)
		is = errno == EFAULT ? NO : UNKNOWN;
	errno = saved;
	return is;
}

static bool is_same_page(const void *a, const void *b)
{
	return (uintptr_t)a / SMALLEST_PAGE_BYTES == (uintptr_t)b / SMALLEST_PAGE_BYTES;
}

bool trace_is_text(const char *text, const char *expected)
{
	for (size_t i = 0; text; i++) {
		const uintptr_t at = (uintptr_t)text + i;

		if ((!i || !(at % SMALLEST_PAGE_BYTES)) &&
			!is_word_readable((const void *)(at & ~(sizeof(uint64_t) - 1))))
			return false;
		if (text[i] != expected[i])
			return false;
		if (!expected[i])
			return true;
	}
	return false;
}

/* Whether memory of at least a word, and at most a page, can be read. The kernel is asked each
 * time, as a program may unmap or protect a page between two exchanges. */
static bool is_memory_readable(const void *from, size_t n_bytes)
{
	const char *last = (const char *)from + n_bytes - sizeof(uint64_t);

	return is_word_readable(from) && (is_same_page(from, last) || is_word_readable(last));
}

enum trace_access trace_struct_access(void *pointer, size_t n_bytes, bool is_to_be_written)
{
	if (!pointer || (uintptr_t)pointer % sizeof(int64_t))
		return TRACE_NO_ACCESS;
	if (is_to_be_written &&
		is_same_page(pointer, (const char *)pointer + n_bytes - sizeof(uint64_t)) &&
		is_word_writable(pointer) == YES)
		return TRACE_CAN_WRITE;
	return is_memory_readable(pointer, n_bytes) ? TRACE_CAN_READ : TRACE_NO_ACCESS;
}

bool trace_is_writable(void *word)
{
	return is_word_writable(word) != NO;
}

/* Whether a producer's list of extents exists; a consumer may have rejected the tensor unread.
 * readable: in a page that is known to be, or NULL. */
static bool is_shape_readable(const DLTensor *tensor, const void *readable)
{
	const int64_t *shape = tensor->shape;

	return !tensor->ndim ||
	       (is_same_page(shape, readable) &&
		       is_same_page(&shape[tensor->ndim - 1], readable)) ||
	       is_memory_readable(shape, (size_t)tensor->ndim * sizeof(*shape));
}

static uint64_t count_tensor_bytes(const DLTensor *tensor, const void *readable)
{
	uint64_t n_bits = (uint64_t)tensor->dtype.bits * tensor->dtype.lanes, n_bytes;

	if (tensor->ndim < 0 || tensor->ndim > MAX_DIMENSIONS ||
		!is_shape_readable(tensor, readable))
		return 0;
	n_bytes = 1;
	for (int32_t i = 0; i < tensor->ndim; i++) {
		int64_t extent = tensor->shape[i];

		if (extent < 0 || __builtin_mul_overflow(n_bytes, (uint64_t)extent, &n_bytes))
			return 0;
	}
	if (__builtin_mul_overflow(n_bytes, n_bits, &n_bytes))
		return 0;
	return (n_bytes + 7) / 8;
}

uint64_t trace_tensor_bytes(const DLTensor *tensor)
{
	return count_tensor_bytes(tensor, NULL);
}

static void read_tensor_fields(
	struct trace_tensor_facts *facts, const DLTensor *tensor, bool is_complete)
{
	facts->is_on_cuda = tensor->device.device_type == kDLCUDA ||
			    tensor->device.device_type == kDLCUDAManaged;
	facts->is_unread = !is_complete;
	if (facts->is_unread)
		return;
	facts->address = (uint64_t)(uintptr_t)tensor->data + tensor->byte_offset;
	facts->n_bytes = count_tensor_bytes(tensor, tensor);
	facts->item_bytes = tensor->dtype.bits * tensor->dtype.lanes / 8U;
	facts->type_code = tensor->dtype.code;
}

struct trace_tensor_facts trace_tensor_read(void *pointer, bool is_versioned, bool is_complete)
{
	struct trace_tensor_facts facts = { .is_versioned = is_versioned };

	if (!is_versioned) {
		DLManagedTensor *managed = pointer;

		facts.deleter = (trace_tensor_deleter *)&managed->deleter;
		read_tensor_fields(&facts, &managed->dl_tensor, is_complete);
	} else {
		DLManagedTensorVersioned *managed = pointer;

		/* Only the deleter has a place in all versions. */
		facts.deleter = (trace_tensor_deleter *)&managed->deleter;
		if (managed->version.major == DLPACK_MAJOR_VERSION) {
			read_tensor_fields(&facts, &managed->dl_tensor, is_complete);
			facts.is_copy = !facts.is_unread &&
					(managed->flags & DLPACK_FLAG_BITMASK_IS_COPIED);
		}
	}
	return facts;
}

uint32_t trace_tensor_flags(const struct trace_tensor_facts *facts)
{
	return TENSOR_USED | (facts->is_copy ? TENSOR_COPY : 0) |
	       (facts->is_unread ? TENSOR_UNREAD : 0) |
	       (facts->is_versioned ? TENSOR_VERSIONED : 0) |
	       ((uint32_t)facts->type_code << TENSOR_TYPE_SHIFT);
}

union struct_copy {
	DLManagedTensor unversioned;
	DLManagedTensorVersioned versioned;
	int64_t alignment;
};

/*
 * False: there is no such memory. Of a page at most, and of a word at least. Not by memcpy(), whose
 * arguments a program with AddressSanitizer checks: the memory may have been freed.
 */
__attribute__((no_sanitize("address"))) static bool read_safely(
	void *to, const void *from, size_t n_bytes)
{
	const volatile char *source = from;

	if (!is_memory_readable(from, n_bytes))
		return false;
	for (size_t i = 0; i < n_bytes; i++)
		((char *)to)[i] = source[i];
	return true;
}

static size_t struct_bytes(bool is_versioned)
{
	return is_versioned ? sizeof(DLManagedTensorVersioned) : sizeof(DLManagedTensor);
}

/* Copies a struct that may be freed, with its shape. */
static bool copy_struct(union struct_copy *copy, const void *managed, bool is_versioned,
	int64_t shape[MAX_DIMENSIONS])
{
	DLTensor *tensor = is_versioned ? &copy->versioned.dl_tensor : &copy->unversioned.dl_tensor;

	if (!read_safely(copy, managed, struct_bytes(is_versioned)) || tensor->ndim < 0 ||
		tensor->ndim > MAX_DIMENSIONS)
		return false;
	if (tensor->ndim &&
		!read_safely(shape, tensor->shape, (size_t)tensor->ndim * sizeof(*shape)))
		return false;
	tensor->shape = shape;
	return true;
}

bool trace_tensor_complete(uint32_t i, void *managed)
{
	struct trace_tensor *tensor = &trace_memory.tensors[i];
	bool is_versioned = tensor->flags & TENSOR_VERSIONED;
	int64_t shape[MAX_DIMENSIONS];
	struct trace_tensor_facts facts;
	union struct_copy copy;

	if ((tensor->flags & (TENSOR_UNREAD | TENSOR_RELEASED)) != TENSOR_UNREAD)
		return false;
	if ((tensor->flags & TENSOR_UNOWNED) && !trace_objects_contain(managed)) {
		if (!copy_struct(&copy, managed, is_versioned, shape))
			return false;
		managed = &copy;
	} else if (!is_memory_readable(managed, struct_bytes(is_versioned))) {
		return false;
	}
	facts = trace_tensor_read(managed, is_versioned, true);
	tensor->flags = (tensor->flags & ~(uint32_t)TENSOR_UNREAD) | trace_tensor_flags(&facts);
	tensor->address = facts.address;
	tensor->n_bytes = facts.n_bytes;
	tensor->item_bytes = facts.item_bytes;
	return true;
}

uint64_t trace_tensor_contents(const void *managed, bool is_versioned)
{
	const DLManagedTensorVersioned *versioned = managed;
	const DLManagedTensor *unversioned = managed;
	const void *context = is_versioned ? versioned->manager_ctx : unversioned->manager_ctx;
	const void *data = is_versioned ? versioned->dl_tensor.data : unversioned->dl_tensor.data;

	return context ? (uintptr_t)context : ~(uint64_t)(uintptr_t)data;
}

uint64_t trace_copy_contents(const void *managed, const void *deleter)
{
	union struct_copy copy;

	/* The smaller one of both structs contains what is read of either. */
	if (!read_safely(&copy, managed, sizeof(copy.unversioned)))
		return 0;
	if ((const void *)copy.versioned.deleter == deleter)
		return trace_tensor_contents(&copy, true);
	return (const void *)copy.unversioned.deleter == deleter
		       ? trace_tensor_contents(&copy, false)
		       : 0;
}

char trace_tensor_kind(const struct trace_tensor *tensor)
{
	const uint32_t code = tensor->flags >> TENSOR_TYPE_SHIFT;
	static const char kinds[] = { [kDLInt] = 'i',
		[kDLUInt] = 'u',
		[kDLFloat] = 'f',
		[kDLOpaqueHandle] = 'V',
		[kDLBfloat] = 'f',
		[kDLComplex] = 'c',
		[kDLBool] = 'b' };

	return code < sizeof(kinds) ? kinds[code] : 'f';
}
