// SPDX-License-Identifier: MIT
/* Maps exactly the bytes that an array covers. */
#include "devices/mapping.h"

/* How one end is mapped. */
struct use {
	enum transfer_engine wanted;
	bool writes;
	bool waits; /* no other mapping of the session follows */
};

static bool needs_mapping(const struct memory_location *location)
{
	return !location->host_reaches && location->session && location->handle &&
	       location->session->maps;
}

bool mapping_reaches(const struct memory_location *location)
{
	return location->host_reaches || needs_mapping(location);
}

static int mapping_open_one(
	struct mapping *mapping, const struct transfer_end *end, struct use use, struct err *err)
{
	const struct memory_location *location = end->location;
	struct device_session *session = location->session;
	enum device_access access = DEVICE_READ;
	uint64_t low, high;

	*mapping = (struct mapping){ .end = *end };
	if (!needs_mapping(location) || use.wanted == TRANSFER_KERNEL)
		return 0;
	if (array_extent(end->array, &low, &high, err))
		return -1;
	/* The old contents may be discarded only if every byte is overwritten. */
	if (use.writes)
		access = high - low == (uint64_t)array_nbytes(end->array) ? DEVICE_FILL
									  : DEVICE_WRITE;
	mapping->pointer = memory_location_pointer(location, low);
	if (low < high && session->runtime->map(session, mapping->pointer, high - low, access,
				  use.waits, &mapping->host, err))
		return -1;
	mapping->session = mapping->host ? session : NULL;
	mapping->array = *end->array;
	mapping->array.pointer = (uintptr_t)mapping->host + (end->array->pointer - low);
	mapping->location = (struct memory_location){ .host_reaches = true };
	mapping->end = (struct transfer_end){ &mapping->array, &mapping->location };
	return 0;
}

static int close_one(struct mapping *mapping, bool waits, struct err *err)
{
	struct device_session *session = mapping->session;

	mapping->session = NULL;
	return session ? session->runtime->unmap(
				 session, mapping->pointer, mapping->host, waits, err)
		       : 0;
}

int mapping_open(struct mapping *mapping, const struct transfer_end *end,
	enum transfer_engine wanted, struct err *err)
{
	return mapping_open_one(mapping, end, (struct use){ wanted, .waits = true }, err);
}

int mapping_close(struct mapping *mapping, struct err *err)
{
	return close_one(mapping, true, err);
}

int mapping_open_pair(struct mapping pair[2], const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err)
{
	bool follows =
		needs_mapping(to->location) && to->location->session == from->location->session;
	struct err ignored;

	if (mapping_open_one(&pair[0], from, (struct use){ wanted, false, !follows }, err))
		return -1;
	if (!mapping_open_one(&pair[1], to, (struct use){ wanted, true, true }, err))
		return 0;
	close_one(&pair[0], true, &ignored);
	return -1;
}

int mapping_close_pair(struct mapping pair[2], struct err *err)
{
	bool follows = pair[1].session && pair[1].session == pair[0].session;
	struct err ignored;
	int rc = close_one(&pair[0], !follows, err);

	return close_one(&pair[1], true, rc ? &ignored : err) ? -1 : rc;
}
