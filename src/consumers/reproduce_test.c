// SPDX-License-Identifier: MIT
/* Scripts of all cases, some drawn ones, and consumers of several forms: at most ten lines that are
 * neither imports nor comments, of at most 110 columns. bats/reproduce.bats runs scripts. */
#include "consumers/reproduce.h"

#include "base/test.h"
#include "consumers/draw.h"
#include "consumers/tensor_interface.h"

#include <string.h>

enum { N_DRAWN = 60, MAX_LINES = 10, MAX_WIDTH = 110 };

static const struct job_call calls[] = {
	{ .module = "numpy", .function = "from_dlpack" },
	{ .module = "a_library.of_several.modules", .function = "functions.from_dlpack" },
	{ .expression = "np.from_dlpack(_)" },
	{ .expression = "tf.experimental.dlpack.from_dlpack(_.__dlpack__())" },
	{ .expression = "dict(_=1) and np.from_dlpack(_)" },
	{ .expression = "[_ for _ in [_]][0]" },
	{ .expression = "PIL.Image.fromarray(_)" },
	{ .expression = "np.asarray(_) if hasattr(_, '__array_interface__') else np.from_dlpack(_)" },
	{ .expression = "xarray.DataArray(np.from_dlpack(_)).isel(dim_0=slice(None)).astype(float).data" },
};

static bool is_code(const char *line)
{
	return *line && *line != '\n' && *line != '#' && strncmp(line, "import ", 7) != 0 &&
	       strncmp(line, "from ", 5) != 0;
}

static void check_script(const char *script, const char *id, const char *protocol)
{
	int n_lines = 0;

	for (const char *line = script, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			break;
		n_lines += is_code(line);
		CHECK(end - line <= MAX_WIDTH, "%s, %s: %.*s", id, protocol, (int)(end - line),
			line);
	}
	CHECK(n_lines <= MAX_LINES, "%s, %s: %d lines:\n%s", id, protocol, n_lines, script);
}

static void check_case(
	struct arena *arena, const char *id, const struct tensor_interface *interface)
{
	const struct consumer_case *row = consumer_case_find_for(arena, id, interface);
	const struct reproduce_names names = { .imports = "import library\n" };

	for (size_t i = 0; row && i < sizeof(calls) / sizeof(*calls); i++)
		check_script(reproduce_script(arena, row, interface, &calls[i], &names), row->id,
			interface->protocol->name);
}

int main(void)
{
	struct arena arena = { 0 };

	for (const struct tensor_interface *interface = tensor_interfaces; interface->protocol;
		interface++) {
		for (const struct consumer_case *row = consumer_cases; row->id; row++)
			check_case(&arena, row->id, interface);
		for (int i = 0; i < N_DRAWN; i++)
			check_case(&arena, arena_printf(&arena, "fuzz-3-%d", i), interface);
	}
	arena_free(&arena);
	return test_end();
}
