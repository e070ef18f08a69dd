// SPDX-License-Identifier: MIT
/* Spellings of devices, and what they mean. */
#include "commands/device_name.h"

#include "base/test.h"

#include <stdbool.h>
#include <string.h>

static const struct {
	const char *text;
	int64_t type, id;
	const char *runtime, *place; /* NULL: none */
} good[] = {
	{ "cpu", 1, 0, "host", "cpu" },
	{ "cpu:0", 1, 0, "host", "cpu" },
	{ "1,0", 1, 0, "host", "cpu" },
	{ "cuda", 2, 0, "cuda", "cuda:0" },
	{ "cuda:1", 2, 1, "cuda", "cuda:1" },
	{ "2,1", 2, 1, "cuda", "cuda:1" },
	{ "rocm:0", 10, 0, "rocm", "rocm:0" },
	{ "oneapi:3", 14, 3, "sycl", "sycl:3" },
	{ "14,3", 14, 3, "sycl", "sycl:3" },
	{ "sycl:3", 14, 3, "sycl", "sycl:3" },
	{ "sycl:opencl:cpu:0", -1, 0, "sycl", "sycl:opencl:cpu:0" },
	{ "opencl:0.1", -1, 0, "opencl", "opencl:0.1" },
	{ "opencl:2", 4, 2, "opencl", "opencl:2" },
	{ "cuda_host:0", 3, 0, NULL, NULL },
	{ "cuda:-1", 2, -1, "cuda", "cuda:-1" },
	{ "99,7", 99, 7, NULL, NULL },
};

static const char *const bad[] = { "", "gpu", "sycl", "sycl:", "cuda:", "cuda:x", "cuda:0.1", "1,",
	"1,0,0", "opencl:1.", "opencl:.1", "opencl:1.-1", "opencl:1.1.1",
	"cpu:99999999999999999999" };

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

int main(void)
{
	struct arena arena = { 0 };
	struct device_name name;
	struct err err;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		CHECK(!device_name_parse(good[i].text, &name, &err), "%s", err.message);
		CHECK(name.type == good[i].type && name.id == good[i].id, "%s is %lld,%lld",
			good[i].text, (long long)name.type, (long long)name.id);
		CHECK(is_same(name.runtime, good[i].runtime), "%s", good[i].text);
		CHECK(!name.runtime || is_same(device_name_place(&arena, &name), good[i].place),
			"%s", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(device_name_parse(bad[i], &name, &err) && err.code == EXIT_USAGE,
			"'%s' was taken", bad[i]);
	arena_free(&arena);
	return test_end();
}
