// SPDX-License-Identifier: MIT
#include "base/array_size.h"
#include "devices/gate.h"

#include "base/test.h"

#include <time.h>

static void sleep_ms(int ms)
{
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

static bool is_open(const volatile uint32_t *flag)
{
	return __atomic_load_n(flag, __ATOMIC_SEQ_CST); /* the watcher may open the gate now */
}

static void test_watch(void)
{
	static const struct {
		const char *name;
		int after_ms;
		bool opens;
	} cases[] = {
		{ "a call that returns in time finds the gate closed", 60000, false },
		{ "a blocked call is released", 20, true },
		{ "a call blocked for more than a second is released", 1100, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		volatile uint32_t flag = 0;
		struct gate gate = { .flag = &flag };

		CHECK(!gate_watch(&gate, cases[i].after_ms), "%s", cases[i].name);
		for (int waited_ms = 0; cases[i].opens && !is_open(&flag) && waited_ms < 60000;
			waited_ms++)
			sleep_ms(1);
		CHECK(gate_unwatch(&gate) == cases[i].opens, "%s", cases[i].name);
		CHECK(is_open(&flag) == cases[i].opens, "%s", cases[i].name);
		CHECK(!gate_unwatch(&gate), "a watch ends once");
		gate_open(&gate);
		CHECK(is_open(&flag), "the host opens it");
	}
}

int main(void)
{
	test_watch();
	return test_end();
}
