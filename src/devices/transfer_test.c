// SPDX-License-Identifier: MIT
/*
 * Copies between a host and two fake devices (they check the strategies, not a driver), with
 * random layouts, strategies and block sizes, with and without kernels; compared with the
 * definition of strides.
 */
#include "devices/transfer.h"

#include "base/test.h"
#include "copy/host/host_copy.h"

#include <stdlib.h>
#include <string.h>

#define CHECK_INT(GOT, WANTED) \
	CHECK((GOT) == (WANTED), "round %d: %lld", test_round, (long long)(GOT))
#define CHECK_TEXT(GOT, WANTED) CHECK(!strcmp(GOT, WANTED), "%s", GOT)
#define CHECK_TRUE(IS) CHECK(IS, "round %d", test_round)

enum { POOL_BYTES = 1 << 16, N_ROUNDS = 4000, N_PLACES = 3, MAX_TEST_DIMS = 4 };

static int test_round;

/* Random bytes; pools are filled from different offsets. */
static unsigned char noise[2 * POOL_BYTES];

/* A device whose addresses are offsets into a pool, distinct from any host address. */
struct fake_session {
	struct device_session base;
	unsigned char pool[POOL_BYTES];
	uint64_t next;
	bool has_kernels;
	int n_kernels, n_read_bytes;
};

static const uint64_t fake_base = UINT64_C(1) << 40;

static unsigned char *at(struct device_session *session, uint64_t address)
{
	return ((struct fake_session *)session)->pool + (address - fake_base);
}

static int fake_allocate(struct device_session *session, enum memory_kind kind, size_t n_bytes,
	struct device_pointer *pointer, struct err *err)
{
	struct fake_session *fake = (struct fake_session *)session;

	(void)kind;
	if (fake->next + n_bytes > POOL_BYTES)
		return err_set(err, EXIT_UNAVAILABLE, "the pool is too small");
	*pointer = (struct device_pointer){ .address = fake_base + fake->next };
	fake->next += n_bytes;
	return 0;
}

static void fake_release(struct device_session *session, struct device_pointer pointer)
{
	((struct fake_session *)session)->next = pointer.address - fake_base;
}

static int fake_read(struct device_session *session, void *to, struct device_pointer from,
	size_t n_bytes, struct err *err)
{
	(void)err;
	((struct fake_session *)session)->n_read_bytes += (int)n_bytes;
	memcpy(to, at(session, from.address), n_bytes);
	return 0;
}

static int fake_write(struct device_session *session, struct device_pointer to, const void *from,
	size_t n_bytes, struct err *err)
{
	(void)err;
	memcpy(at(session, to.address), from, n_bytes);
	return 0;
}

static int fake_move(struct device_session *session, struct device_pointer to,
	struct device_pointer from, size_t n_bytes, struct err *err)
{
	(void)err;
	memcpy(at(session, to.address), at(session, from.address), n_bytes);
	return 0;
}

static int fake_copy_strided(struct device_session *session, const struct copy_plan *plan,
	struct device_pointer to, struct device_pointer from, struct device_launch *launch,
	struct err *err)
{
	struct fake_session *fake = (struct fake_session *)session;

	if (!fake->has_kernels)
		return err_set(err, EXIT_UNAVAILABLE, "no kernels here");
	fake->n_kernels++;
	*launch = (struct device_launch){ "fake", (int)plan->item_bytes, 1 };
	host_copy(plan, at(session, from.address), at(session, to.address));
	return 0;
}

static const struct device_runtime fake_runtime = {
	.name = "fake",
	.device_kind = MEMORY_DEVICE,
	.allocate = fake_allocate,
	.release = fake_release,
	.read = fake_read,
	.write = fake_write,
	.move = fake_move,
	.copy_strided = fake_copy_strided,
};

static struct fake_session sessions[N_PLACES]; /* the first represents the host */

static uint64_t draw(uint64_t below)
{
	return (uint64_t)random() % below;
}

/* A random shape and item size in a layout that stays within 1 KiB of the first element. */
static void draw_source(struct array *array)
{
	static const int64_t sizes[] = { 1, 2, 3, 4, 8, 12, 16 };
	int64_t item_bytes = sizes[draw(7)], step = item_bytes;

	*array = (struct array){ .n_dims = (int)draw(MAX_TEST_DIMS + 1) };
	array->dtype = (struct dtype){ .kind = DTYPE_VOID, .bits = item_bytes * 8, .lanes = 1 };
	for (int i = array->n_dims - 1; i >= 0; i--) {
		array->shape[i] = 1 + (int64_t)draw(4);
		array->stride_bytes[i] = draw(4) ? (draw(2) ? step : -step) : 0;
		step *= array->shape[i] + (int64_t)draw(2);
	}
}

static void shuffle_dimensions(struct array *array)
{
	for (int i = 0; i + 1 < array->n_dims; i++) {
		int j = i + (int)draw((uint64_t)(array->n_dims - i));
		int64_t n = array->shape[i], step = array->stride_bytes[i];

		array->shape[i] = array->shape[j];
		array->stride_bytes[i] = array->stride_bytes[j];
		array->shape[j] = n;
		array->stride_bytes[j] = step;
	}
}

static struct memory_location location_of(int session)
{
	if (!session)
		return (struct memory_location){ .host_reaches = true, .host_owns = true };
	return (struct memory_location){ .session = &sessions[session].base };
}

static uint64_t address_of(int session, uint64_t offset)
{
	return session ? fake_base + offset : (uint64_t)(uintptr_t)sessions[0].pool + offset;
}

/* Whether every element is at the address that the definition of strides gives. */
static bool is_copied(const struct array *from, const unsigned char *source, const struct array *to,
	const unsigned char *target)
{
	int64_t n = array_elements(from), item_bytes = dtype_itemsize(&from->dtype);

	for (int64_t k = 0; k < n; k++) {
		int64_t rest = k, at_source = 0, at_target = 0;

		for (int i = from->n_dims - 1; i >= 0; i--) {
			at_source += rest % from->shape[i] * from->stride_bytes[i];
			at_target += rest % from->shape[i] * to->stride_bytes[i];
			rest /= from->shape[i];
		}
		if (memcmp(source + at_source, target + at_target, (size_t)item_bytes) != 0)
			return false;
	}
	return true;
}

/*
 * One copy between two sessions; the source is in the middle of the pool, the target at its
 * start.
 */
static void copy_once(int from_session, int to_session, enum transfer_engine wanted)
{
	struct memory_location from_location = location_of(from_session),
			       to_location = location_of(to_session);
	enum { MIDDLE = POOL_BYTES / 2 };
	struct transfer transfer = { 0 };
	struct array from, to;
	struct err err = { 0 };
	int rc;
	bool possible =
		wanted != TRANSFER_KERNEL || (from_session && sessions[from_session].has_kernels);

	for (int i = 0; i < N_PLACES; i++) {
		memcpy(sessions[i].pool, noise + draw(POOL_BYTES), POOL_BYTES);
		sessions[i].next = POOL_BYTES / 4;
	}
	draw_source(&from);
	shuffle_dimensions(&from);
	to = from;
	plan_keep_order(&to, &from);
	if (draw(2))
		array_set_compact_strides(&to, draw(2) ? 'C' : 'F');
	from.pointer = address_of(from_session, MIDDLE);
	to.pointer = address_of(to_session, 0);
	transfer_block_bytes = 1 + (int64_t)draw(200);
	rc = transfer_run(&transfer, &(struct transfer_end){ &from, &from_location },
		&(struct transfer_end){ &to, &to_location }, wanted, &err);
	CHECK_INT(rc, possible ? 0 : -1);
	if (!possible) {
		CHECK_INT(err.code, EXIT_UNAVAILABLE);
		return;
	}
	CHECK_TRUE(is_copied(
		&from, sessions[from_session].pool + MIDDLE, &to, sessions[to_session].pool));
	CHECK_INT(sessions[1].next, POOL_BYTES / 4); /* nothing remains allocated */
	CHECK_INT(sessions[2].next, POOL_BYTES / 4);
	if (wanted == TRANSFER_KERNEL)
		CHECK_TRUE(transfer.path == PATH_KERNEL);
	if (!sessions[from_session].has_kernels)
		CHECK_TRUE(transfer.path != PATH_KERNEL);
}

static void test_every_way(void)
{
	for (int i = 0; i < 2 * POOL_BYTES; i++)
		noise[i] = (unsigned char)random();
	for (int i = 0; i < N_PLACES; i++)
		sessions[i].base.runtime = &fake_runtime;
	for (test_round = 0; test_round < N_ROUNDS; test_round++) {
		sessions[1].has_kernels = draw(2);
		sessions[2].has_kernels = draw(2);
		copy_once((int)draw(N_PLACES), (int)draw(N_PLACES), (enum transfer_engine)draw(3));
	}
}

/* Memory that is packed on the device first is transferred once: only the elements are read. */
static void test_packed_first(void)
{
	struct memory_location from_location = location_of(1), to_location = location_of(2);
	struct array from = { .n_dims = 2, .shape = { 8, 8 }, .stride_bytes = { 256, 8 } }, to;
	struct transfer transfer = { 0 };
	struct err err;
	int rc;

	from.dtype = (struct dtype){ .kind = DTYPE_FLOAT, .bits = 32, .lanes = 1 };
	to = from;
	array_set_compact_strides(&to, 'C');
	from.pointer = address_of(1, POOL_BYTES / 2);
	to.pointer = address_of(2, 0);
	sessions[1].next = sessions[2].next = POOL_BYTES / 4;
	sessions[1].has_kernels = true;
	sessions[1].n_read_bytes = sessions[1].n_kernels = 0;
	transfer_block_bytes = 128;
	rc = transfer_run(&transfer, &(struct transfer_end){ &from, &from_location },
		&(struct transfer_end){ &to, &to_location }, TRANSFER_AUTO, &err);
	CHECK_INT(rc, 0);
	CHECK_INT(sessions[1].n_read_bytes, 8 * 8 * 4);
	CHECK_INT(sessions[1].n_kernels, 2);
	CHECK_INT(transfer.launch.n_launches, 2);
	sessions[1].has_kernels = false;
	rc = transfer_run(&transfer, &(struct transfer_end){ &from, &from_location },
		&(struct transfer_end){ &to, &to_location }, TRANSFER_AUTO, &err);
	CHECK_INT(rc, 0);
	CHECK_TEXT(transfer.fallback, "no kernels here");
	CHECK_TRUE(transfer.path == PATH_MEMCPY);
}

int main(void)
{
	srandom(20261121);
	test_every_way();
	test_packed_first();
	return test_end();
}
