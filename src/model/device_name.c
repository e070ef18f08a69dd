// SPDX-License-Identifier: MIT
/* Forms of devices: DLPack's names and numbers, SYCL's filter strings, clinfo's numbers. */
#include "model/device_name.h"

#include "base/array_size.h"
#include "model/device.h"
#include "model/runtimes.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* DLPack's names of the devices whose memory convert supports. */
static const struct {
	const char *type, *runtime;
	bool is_described;
} device_types[] = { { DEVICE_CPU, RUNTIME_HOST, false },
#define ROW(NAME, TYPE, ASKED, TEXT) { #TYPE, #NAME, false },
#define DESCRIBED_ROW(NAME, TYPE, ASKED, TEXT) { #TYPE, #NAME, true },
	DEVICE_RUNTIME_LIST(ROW) DESCRIBED_RUNTIME_LIST(DESCRIBED_ROW)
#undef ROW
};

/* How each runtime names its devices. */
static const struct named_runtime {
	const char *name, *device_type;
	enum { ORDINAL, FILTER, NUMBERS } text;
} runtimes[] = {
#define ROW(NAME, TYPE, ASKED, TEXT) { #NAME, #TYPE, TEXT },
	DEVICE_RUNTIME_LIST(ROW)
#undef ROW
};

/* An integer up to the character that ends it. */
static bool parse_number(const char *text, char end, int64_t *number, const char **rest)
{
	char *stop;

	errno = 0;
	*number = strtoll(text, &stop, 10);
	if (rest)
		*rest = stop + 1;
	return stop != text && *stop == end && !errno;
}

static bool is_pair(const char *text, char separator, int64_t *first, int64_t *second)
{
	const char *rest;

	return parse_number(text, separator, first, &rest) &&
	       parse_number(rest, '\0', second, NULL);
}

static void set_type(struct job_device *device, int64_t type)
{
	const char *type_name = device_type_name(type);

	device->type = type;
	for (size_t i = 0; type_name && i < ARRAY_SIZE(device_types); i++)
		if (!strcmp(device_types[i].type, type_name))
			device->runtime = device_types[i].runtime;
}

/* The text after the colon: FILTER, of which a number is DLPack's device id, or P.D. */
static bool parse_filter_of(
	const struct named_runtime *runtime, const char *text, struct job_device *device)
{
	int64_t platform, number;

	if (runtime->text == ORDINAL || !*text)
		return false;
	if (runtime->text == NUMBERS) {
		if (text[strspn(text, "0123456789.")] || !is_pair(text, '.', &platform, &number) ||
			platform > INT32_MAX || number > INT32_MAX)
			return false;
		device->platform = platform;
		device->id = number;
	} else {
		device->filter = text;
	}
	device->runtime = runtime->name;
	if (runtime->text == FILTER && *text && !text[strspn(text, "0123456789")] &&
		parse_number(text, '\0', &device->id, NULL))
		device->type = device_type_code(runtime->device_type);
	return true;
}

static bool parse_filter(const char *text, struct job_device *device)
{
	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++) {
		size_t n_chars = strlen(runtimes[i].name);

		if (!strncmp(text, runtimes[i].name, n_chars) && text[n_chars] == ':' &&
			parse_filter_of(&runtimes[i], text + n_chars + 1, device))
			return true;
	}
	return false;
}

/* TYPE, or TYPE:ID. */
static bool parse_type(const char *text, struct job_device *device)
{
	const char *colon = strchr(text, ':');
	char type[32];
	int code;

	snprintf(type, sizeof(type), "%.*s", colon ? (int)(colon - text) : (int)strlen(text), text);
	code = device_type_code(type);
	if (code < 0 || (colon && !parse_number(colon + 1, '\0', &device->id, NULL)))
		return false;
	set_type(device, code);
	return true;
}

int device_name_parse_allocatable(const char *text, struct job_device *device, struct err *err)
{
	if (device_name_parse(text, device, err))
		return -1;
	if (device->runtime && device->id >= 0 &&
		(strcmp(device->runtime, RUNTIME_HOST) != 0 || !device->id))
		return 0;
	return err_set(err, EXIT_USAGE,
		"'%s': suai cannot allocate memory on this device; expected " DEVICE_NAMES
		"; 'suai devices' lists the devices of this machine",
		text);
}

bool device_is_described(const struct job_device *device)
{
	for (size_t i = 0; device->runtime && i < ARRAY_SIZE(device_types); i++)
		if (!strcmp(device_types[i].runtime, device->runtime))
			return device_types[i].is_described;
	return false;
}

/* Whether text is a device in lower case, as all names of devices are. */
static bool is_lower_device(const char *text, char lower[64])
{
	struct job_device ignored = { .type = -1 };
	size_t n_chars = strlen(text);

	if (n_chars >= 64)
		return false;
	for (size_t i = 0; i <= n_chars; i++)
		lower[i] = (char)tolower((unsigned char)text[i]);
	return parse_filter(lower, &ignored) || parse_type(lower, &ignored);
}

/* Whether DLDevice can hold it. */
static bool fits(const struct job_device *device)
{
	return device->type == (int32_t)device->type && device->id == (int32_t)device->id;
}

int device_name_parse(const char *text, struct job_device *device, struct err *err)
{
	char lower[64] = "";
	int64_t type;
	bool is_read;

	*device = (struct job_device){ .type = -1, .platform = -1, .spelled = text };
	is_read = is_pair(text, ',', &type, &device->id);
	if (is_read) {
		set_type(device, type);
	} else {
		device->id = 0;
		is_read = parse_filter(text, device) || parse_type(text, device);
	}
	if (is_read && !fits(device))
		return err_set(err, EXIT_USAGE,
			"'%s': the type and the id of a device are 32-bit integers", text);
	if (is_read)
		return 0;
	err_set(err, EXIT_USAGE, "unknown device '%s'", text);
	return err_suggest(err, is_lower_device(text, lower) ? lower : NULL,
		"; expected " DEVICE_NAMES "; 'suai devices' lists the devices of this machine");
}
