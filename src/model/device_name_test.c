// SPDX-License-Identifier: MIT
/* Spellings of devices, and what they mean. */
#include "base/array_size.h"
#include "model/device_name.h"

#include "base/test.h"

#include <stdbool.h>
#include <string.h>

static const struct {
	const char *text;
	int64_t type, id;
	const char *runtime, *filter; /* NULL: none */
	int64_t platform;
} good[] = {
	{ "cpu", 1, 0, "host", NULL, -1 },
	{ "cpu:0", 1, 0, "host", NULL, -1 },
	{ "1,0", 1, 0, "host", NULL, -1 },
	{ "cuda", 2, 0, "cuda", NULL, -1 },
	{ "cuda:1", 2, 1, "cuda", NULL, -1 },
	{ "2,1", 2, 1, "cuda", NULL, -1 },
	{ "rocm:0", 10, 0, "rocm", NULL, -1 },
	{ "oneapi:3", 14, 3, "sycl", NULL, -1 },
	{ "14,3", 14, 3, "sycl", NULL, -1 },
	{ "sycl:3", 14, 3, "sycl", "3", -1 },
	{ "sycl:opencl:cpu:0", -1, 0, "sycl", "opencl:cpu:0", -1 },
	{ "opencl:0.1", -1, 1, "opencl", NULL, 0 },
	{ "opencl:2", 4, 2, "opencl", NULL, -1 },
	{ "cuda_host:0", 3, 0, NULL, NULL, -1 },
	{ "cuda:-1", 2, -1, "cuda", NULL, -1 },
	{ "99,7", 99, 7, NULL, NULL, -1 },
};

static const char *const bad[] = { "", "gpu", "sycl", "sycl:", "cuda:", "cuda:x", "cuda:0.1", "1,",
	"1,0,0", "opencl:1.", "opencl:.1", "opencl:1.-1", "opencl:1.1.1",
	"cpu:99999999999999999999", "cuda:2147483648", "2,4294967296", "4294967298,0",
	"sycl:4294967296" };

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

int main(void)
{
	struct job_device device;
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		CHECK(!device_name_parse(good[i].text, &device, &err), "%s", err.message);
		CHECK(device.type == good[i].type && device.id == good[i].id, "%s is %lld,%lld",
			good[i].text, (long long)device.type, (long long)device.id);
		CHECK(is_same(device.runtime, good[i].runtime), "%s", good[i].text);
		CHECK(is_same(device.filter, good[i].filter), "%s", good[i].text);
		CHECK(device.platform == good[i].platform, "%s", good[i].text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(device_name_parse(bad[i], &device, &err) && err.code == EXIT_USAGE,
			"'%s' was taken", bad[i]);
	return test_end();
}
