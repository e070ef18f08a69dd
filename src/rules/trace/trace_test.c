// SPDX-License-Identifier: MIT
/* The rules TRC: changes to an exchange that shares memory and releases it, and the findings. */
#include "rules/shared/family_test.h"

static const char healthy[] =
	"{'file': 'app.py', 'line': 12, 'function': 'load', 'in_library': False,"
	" 'protocol': 'dlpack', 'producer': 'numpy', 'consumer': 'jax', 'exchanges': 5,"
	" 'bytes': 500, 'shared': 5, 'copied': 0, 'copied_bytes': 0, 'narrowed': 0,"
	" 'narrowed_bytes': 0, 'held': 0, 'held_bytes': 0, 'leaked': 0, 'leaked_bytes': 0,"
	" 'unconsumed': 0, 'unconsumed_bytes': 0, 'released_twice': 0, 'released_late': 0}";

static const struct family_case cases[] = {
	{ "", "" },
	{ "'copied': 1, 'copied_bytes': 100",
		"TRC801: 1 array that jax received from numpy was copied: 100 bytes" },
	{ "'copied': 5, 'copied_bytes': 500, 'consumer': None",
		"TRC801: 5 arrays of numpy were copied: 500 bytes" },
	{ "'copied': 2, 'producer': None",
		"TRC801: 2 arrays that jax received from an unknown library were copied: 0 bytes" },
	{ "'narrowed': 2, 'narrowed_bytes': 200, 'copied': 2, 'copied_bytes': 100",
		"TRC201: 2 arrays that jax received from numpy were converted to smaller or fewer "
		"elements: 200 bytes; "
		"TRC801: 2 arrays that jax received from numpy were copied: 100 bytes" },
	/* What the program still holds when it ends is no leak. */
	{ "'held': 5, 'held_bytes': 500", "" },
	{ "'held': 5, 'held_bytes': 500, 'leaked': 1, 'leaked_bytes': 100",
		"TRC701: 1 array that jax received from numpy was never released: 100 bytes" },
	{ "'unordered': 2, 'unordered_bytes': 200, 'protocol': 'sycl', 'producer': 'dpctl'",
		"TRC601: 2 arrays that jax received from dpctl were passed without an event while "
		"work was pending on the queue: 200 bytes" },
	{ "'unordered': 1, 'unordered_bytes': 8, 'protocol': 'cuda', 'producer': 'torch'",
		"TRC601: 1 array that jax received from torch was passed without a stream while "
		"work was pending on a stream of the producer: 8 bytes" },
	{ "'unordered': 0, 'unordered_bytes': 0", "" },
	{ "'unordered': None", "" },
	{ "'released_twice': 3",
		"TRC702: 3 arrays that jax received from numpy were released more than once" },
	{ "'released_late': 1",
		"TRC703: 1 array that jax received from numpy was released without the GIL while "
		"the interpreter was shutting down, or after that" },
	{ "'released_elsewhere': 5", "" },
	{ "'unconsumed': 2, 'unconsumed_bytes': 64, 'consumer': None, 'exchanges': 0",
		"TRC704: 2 arrays of numpy were exported and never used: 64 bytes" },
	/* Unknown is no finding, and neither is a number that no tracer writes. */
	{ "'copied': None, 'leaked': None, 'released_twice': None", "" },
	{ "'copied': -1", "" },
};

static const char *messages(struct arena *arena, const struct rule_results *results)
{
	const char *text = "";

	for (size_t i = 0; i < results->findings.n_items; i++)
		text = arena_printf(arena, "%s%s%s: %s", text, *text ? "; " : "",
			results->findings.items[i].rule, results->findings.items[i].message);
	return text;
}

static void check_call_site(const struct rule_selection *selection, const struct family_case *one)
{
	struct arena arena = { 0 };
	struct value *map = value_map(&arena);
	const char *base = healthy;
	const char *changes = arena_printf(&arena, "{%s}", one->changes), *found;
	struct value *site = literal_read(&arena, &base), *changed = literal_read(&arena, &changes);
	struct fact_target target;
	struct rule_results results;
	struct err err = { 0 };

	for (size_t i = 0; i < changed->n_items; i++)
		value_set(&arena, site, changed->keys[i], changed->items[i]);
	value_set(&arena, map, "call_site", site);
	CHECK(!fact_read(&fact_target_record, &arena, map, FACT_WIRE, NULL, &target, &err),
		"{%s}: %s", one->changes, err.message);
	results = rules_run(selection, &target, &arena);
	found = messages(&arena, &results);
	CHECK(!strcmp(found, one->expected), "{%s}: '%s'", one->changes, found);
	arena_free(&arena);
}

static const struct {
	const char *consumer, *fix;
} request_fixes[] = {
	{ "numpy", "call numpy.asarray(a)" },
	{ "torch", "call torch.from_numpy(a)" },
	{ "jaxlib", "call jax.device_put(a)" },
	{ "pandas", "pandas.DataFrame(a, copy=False)" },
	{ "openvino", "share_outputs=True" },
	{ "sklearn", "they overwrite it" },
	{ "xarray", "the argument of xarray that avoids the copy" },
};

/* The texts of a copy are those of its causes, and the first one determines the fix. */
static void check_causes(const struct rule_selection *selection)
{
	struct fact_target target = { .present = true, .status = STATUS_OK };
	struct arena arena = { 0 };
	struct rule_results results;
	const char *why;

	target.call_site = (struct fact_call_site){ .present = true, .copied = fact_int(1) };
	results = rules_run(selection, &target, &arena);
	CHECK(strstr(results.findings.items[0].why, "time and memory"), "no cause");
	fact_texts_add(&arena, &target.call_site.copy_causes, "alignment");
	fact_texts_add(&arena, &target.call_site.copy_causes, "strides");
	results = rules_run(selection, &target, &arena);
	why = results.findings.items[0].why;
	CHECK(strstr(why, "order") && strstr(why, "elements are not aligned"), "%s", why);
	target.call_site.consumer = "jaxlib";
	results = rules_run(selection, &target, &arena);
	why = results.findings.items[0].why;
	CHECK(strstr(why, "order") && strstr(why, "64 bytes"), "%s", why);
	CHECK(strstr(results.findings.items[0].hint, "ascontiguousarray"), "%s",
		results.findings.items[0].hint);
	fact_texts_add(&arena, &target.call_site.copy_causes, "requested");
	for (size_t i = 0; i < ARRAY_SIZE(request_fixes); i++) {
		target.call_site.consumer = request_fixes[i].consumer;
		results = rules_run(selection, &target, &arena);
		CHECK(strstr(results.findings.items[0].hint, request_fixes[i].fix), "%s: %s",
			request_fixes[i].consumer, results.findings.items[0].hint);
	}
	fact_texts_add(&arena, &target.call_site.copy_causes, "items");
	target.call_site.consumer = "torch";
	results = rules_run(selection, &target, &arena);
	CHECK(!strncmp(results.findings.items[0].hint, "(1) compute the items in one array", 34),
		"%s", results.findings.items[0].hint);
	why = results.findings.items[0].why;
	CHECK(strstr(why, "; (3) the result has its elements in another order") &&
			strstr(results.findings.items[0].hint, "; (3) keep the array in the order"),
		"%s", why);
	fact_texts_add(&arena, &target.call_site.copy_causes, "element-type");
	results = rules_run(selection, &target, &arena);
	CHECK(!strstr(results.findings.items[0].hint, "dtype="), "%s",
		results.findings.items[0].hint);
	target.call_site.converted_to = "float16";
	results = rules_run(selection, &target, &arena);
	CHECK(strstr(results.findings.items[0].hint, "dtype='float16'"), "%s",
		results.findings.items[0].hint);
	target.call_site.consumer = "numpy";
	target.call_site.producer = "python";
	results = rules_run(selection, &target, &arena);
	CHECK(!strstr(results.findings.items[0].hint, "itself"), "the program calls NumPy");
	target.call_site.producer = "soxr";
	results = rules_run(selection, &target, &arena);
	CHECK(strstr(results.findings.items[0].hint, "if soxr itself makes this call"), "%s",
		results.findings.items[0].hint);
	arena_free(&arena);
}

int main(void)
{
	struct arena arena = { 0 };
	const struct rule_selection *selection = family_select(&arena, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_call_site(selection, &cases[i]);
	check_causes(selection);
	arena_free(&arena);
	return test_end();
}
