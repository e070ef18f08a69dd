// SPDX-License-Identifier: MIT
/* Maps the bytes that an array covers, and no others. */
#include "devices/mapping.h"

#include "devices/transfer_blocks.h"

/* How one end is mapped. */
struct use {
	enum transfer_engine wanted;
	bool writes;
	bool waits; /* no other mapping of the place follows */
};

static bool needs_mapping(const struct site *site)
{
	return !site->host_reaches && site->place && site->handle && site->place->maps;
}

bool mapping_reaches(const struct site *site)
{
	return site->host_reaches || needs_mapping(site);
}

/* Only bytes that are all written anew need not be what they were. */
static enum device_access access_for(
	const struct use *use, const struct array *array, uint64_t n_bytes)
{
	if (!use->writes)
		return DEVICE_READ;
	return n_bytes == (uint64_t)array_nbytes(array) ? DEVICE_FILL : DEVICE_WRITE;
}

static int open_one(
	struct mapping *mapping, const struct transfer_end *end, struct use use, struct err *err)
{
	const struct site *site = end->site;
	struct device_place *place = site->place;
	uint64_t low, high;

	*mapping = (struct mapping){ .end = *end };
	if (!needs_mapping(site) || use.wanted == TRANSFER_KERNEL)
		return 0;
	if (array_extent(end->array, &low, &high, err))
		return -1;
	mapping->pointer = transfer_pointer(site, low);
	if (low < high &&
		place->runtime->map(place, mapping->pointer, high - low,
			access_for(&use, end->array, high - low), use.waits, &mapping->host, err))
		return -1;
	mapping->place = mapping->host ? place : NULL;
	mapping->array = *end->array;
	mapping->array.pointer = (uintptr_t)mapping->host + (end->array->pointer - low);
	mapping->site = (struct site){ .host_reaches = true };
	mapping->end = (struct transfer_end){ &mapping->array, &mapping->site };
	return 0;
}

static int close_one(struct mapping *mapping, bool waits, struct err *err)
{
	struct device_place *place = mapping->place;

	mapping->place = NULL;
	return place ? place->runtime->unmap(place, mapping->pointer, mapping->host, waits, err)
		     : 0;
}

int mapping_open(struct mapping *mapping, const struct transfer_end *end,
	enum transfer_engine wanted, struct err *err)
{
	return open_one(mapping, end, (struct use){ wanted, .waits = true }, err);
}

int mapping_close(struct mapping *mapping, struct err *err)
{
	return close_one(mapping, true, err);
}

int mapping_open_pair(struct mapping pair[2], const struct transfer_end *from,
	const struct transfer_end *to, enum transfer_engine wanted, struct err *err)
{
	bool follows = needs_mapping(to->site) && to->site->place == from->site->place;
	struct err ignored;

	if (open_one(&pair[0], from, (struct use){ wanted, false, !follows }, err))
		return -1;
	if (!open_one(&pair[1], to, (struct use){ wanted, true, true }, err))
		return 0;
	close_one(&pair[0], true, &ignored);
	return -1;
}

int mapping_close_pair(struct mapping pair[2], struct err *err)
{
	bool follows = pair[1].place && pair[1].place == pair[0].place;
	struct err ignored;
	int rc = close_one(&pair[0], !follows, err);

	return close_one(&pair[1], true, rc ? &ignored : err) ? -1 : rc;
}
