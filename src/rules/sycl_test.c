// SPDX-License-Identifier: MIT
/*
 * The rules of __sycl_usm_array_interface__: dictionaries and the ids that they raise, and the
 * property that describe fails exactly when a structural error is found.
 */
#include "protocols/literal.h"
#include "rules/run.h"

extern const struct protocol sycl_protocol;

static const char base[] =
	"{'protocol': 'sycl', 'status': 'ok', 'error': None,"
	" 'declared': {'shape': (2, 3), 'typestr': '<f4', 'data': (4096, False), 'strides': None,"
	" 'offset': 0, 'version': 1, 'syclobj': <dpctl.SyclQueue>},"
	" 'details': {'syclobj': {'form': 'queue', 'type': 'dpctl.SyclQueue', 'capsule': 'SyclQueueRef',"
	" 'has_get_capsule': True, 'subclass': False, 'selects': None}}}";

#define NAMED(FORM, TYPE, CAPSULE)                                        \
	"'details.syclobj.form': " FORM ", 'details.syclobj.type': " TYPE \
	", 'details.syclobj.capsule': " CAPSULE
#define FILTER(TEXT, SELECTS)                                        \
	"'syclobj': '" TEXT "', 'details.syclobj.selects': " SELECTS \
	", " NAMED("'filter'", "'str'", "None")

static const struct literal_case cases[] = {
	{ "", "" },
	{ "'declared': <mappingproxy>", "SUAI002" },
	{ "'declared': None", "SUAI002" },
	{ "'extra': 1, 'stride': None", "SUAI004 SUAI004" },
	{ "'shape': <absent>", "SUAI101" },
	{ "'shape': [2, 3]", "SUAI102" },
	{ "'shape': <torch.Size>", "SUAI102" },
	{ "'shape': (2, 3.0)", "SUAI103" },
	{ "'shape': (True, None)", "SUAI103 SUAI103" },
	{ "'shape': None", "SUAI104" },
	{ "'shape': ()", "" },
	{ "'typestr': <absent>", "SUAI105" },
	{ "'typestr': None", "SUAI105" },
	{ "'data': <absent>", "SUAI106" },
	{ "'data': [4096, False]", "SUAI106" },
	{ "'data': (4096,)", "SUAI106" },
	{ "'data': (None, False)", "SUAI107" },
	{ "'data': (-1, False)", "SUAI107" },
	{ "'data': (18446744073709551616, False)", "SUAI107" },
	{ "'data': (18446744073709551612, False), 'shape': (1,)", "" },
	{ "'data': (4096, 0)", "SUAI108" },
	{ "'data': (4096, numpy.bool_(False))", "SUAI108" },
	{ "'strides': [3, 1]", "SUAI110" },
	{ "'strides': (3, None)", "SUAI110" },
	{ "'offset': None", "SUAI111" },
	{ "'offset': 1.0", "SUAI111" },
	{ "'offset': <absent>, 'strides': <absent>", "" },
	{ "'version': <absent>", "SUAI112" },
	{ "'version': True", "SUAI113" },
	{ "'version': 2", "SUAI113" },
	{ "'syclobj': <absent>", "SUAI114" },
	{ "'syclobj': None", "SUAI114" },
	{ "'shape': (numpy.int64(2), 3), 'offset': numpy.int32(0)", "SUAI115 SUAI115" },
	{ "'shape': (m.Extent(2), 3)", "" },
	{ "'typestr': 'f4'", "SUAI201" },
	{ "'typestr': ''", "SUAI201" },
	{ "'typestr': '<f'", "SUAI201" },
	{ "'typestr': '<f4x'", "SUAI201" },
	{ "'typestr': '<f99999999999999999999'", "SUAI201" },
	{ "'typestr': '<M8[ns]'", "SUAI202" },
	{ "'typestr': '|V4'", "SUAI202" },
	{ "'typestr': '<f16'", "SUAI203" },
	{ "'typestr': '|b4'", "SUAI203" },
	{ "'typestr': '<i04'", "" },
	{ "'typestr': '>f4'", "SUAI204" },
	{ "'typestr': '>u1'", "" },
	{ "'typestr': '|f4'", "SUAI205" },
	{ "'typestr': '=i2'", "SUAI205" },
	{ "'typestr': '|u1'", "" },
	{ "'shape': (2, -3)", "SUAI301" },
	{ "'shape': (-99999999999999999999,)", "SUAI301" },
	{ "'strides': (3,)", "SUAI302" },
	{ "'strides': ()", "SUAI302" },
	{ "'shape': (2147483648, 2147483648, 8)", "SUAI304" },
	{ "'shape': (99999999999999999999,)", "SUAI304" },
	{ "'shape': (99999999999999999999, 0)", "SUAI304" },
	{ "'shape': (2147483648, 2147483648, 8, 0)", "" },
	{ "'strides': (3, 4611686018427387904)", "SUAI304" },
	{ "'offset': -2000", "SUAI304" },
	{ "'offset': 9223372036854775807", "SUAI304" },
	{ "'strides': (3, 1)", "SUAI307" },
	{ "'strides': (1, 2)", "" },
	{ "'strides': (-3, 1), 'offset': 3", "" },
	{ "'strides': (0, 1)", "SUAI308" },
	{ "'strides': (0, 1), 'data': (4096, True)", "" },
	{ "'shape': (0, 3), 'strides': (0, 0)", "" },
	{ "'shape': (1, 3), 'strides': (7, 1)", "SUAI309" },
	{ "'shape': (1, 3), 'strides': (1, 1)", "" },
	{ "'shape': (1, 3), 'strides': (7, 2)", "" },
	{ "'data': (0, False)", "SUAI401" },
	{ "'data': (0, False), 'shape': (0,)", "" },
	{ "'data': (4098, False)", "SUAI404" },
	{ "'data': (4100, False), 'typestr': '<c8'", "" },
	{ "'data': (4100, False), 'typestr': '<f8'", "SUAI404" },
	{ NAMED("None", "'int'", "None"), "SUAI501" },
	{ FILTER("opencl:cpu:0", "True"), "" },
	{ FILTER("cpu:opencl", "None"), "" },
	{ FILTER("level_zero:gpu,cpu", "None"), "" },
	{ FILTER("0", "None"), "" },
	{ FILTER("gpu", "False"), "SUAI502" },
	{ FILTER("", "False"), "SUAI502" },
	{ FILTER(":", "None"), "SUAI502" },
	{ FILTER("CPU", "None"), "SUAI502" },
	{ FILTER("cpu:gpu", "None"), "SUAI502" },
	{ FILTER("opencl:cpu:0:1", "None"), "SUAI502" },
	{ FILTER("opencl:cpu:-1", "None"), "SUAI502" },
	{ NAMED("'queue-capsule'", "'PyCapsule'", "'SyclQueueRef'"), "" },
	{ NAMED("None", "'PyCapsule'", "'SyclEventRef'"), "SUAI504" },
	{ NAMED("None", "'PyCapsule'", "None"), "SUAI504" },
	{ NAMED("None", "'PyCapsule'", "'used_SyclQueueRef'"), "SUAI505" },
	{ NAMED("None", "'PyCapsule'", "'used_SyclContextRef'"), "SUAI505" },
	{ "'details.syclobj.subclass': True", "" },
	{ "'details.syclobj.subclass': True, 'details.syclobj.has_get_capsule': False", "SUAI508" },
	{ "'version': 3, 'shape': [1], 'typestr': 'f4'", "SUAI102 SUAI113 SUAI201" },
};

static struct rule_selection *select_all(struct arena *arena)
{
	struct rule_request request = { .fail_from = SEV_ERROR, .facts = FACT_ALL };
	struct err err;

	return rules_select(arena, &request, &err);
}

static struct value *target_of(struct arena *arena, struct value *interface)
{
	struct value *target = value_map(arena), *interfaces = value_list(arena);

	value_append(arena, interfaces, interface);
	value_set(arena, target, "type", value_text(arena, "m.Array"));
	value_set(arena, target, "interfaces", interfaces);
	return target;
}

static void test_cases(void)
{
	struct arena arena = { 0 };
	struct rule_selection *selection = select_all(&arena);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct value *interface = literal_facts(&arena, base, cases[i].changes);
		struct rule_results results =
			rules_run(selection, target_of(&arena, interface), &arena);
		const char *got = "";

		for (size_t f = 0; f < results.findings->n_items; f++)
			got = arena_printf(&arena, "%s%s%s", got, f ? " " : "",
				value_text_or(value_get(results.findings->items[f], "rule"), "?"));
		CHECK(!strcmp(got, cases[i].expected), "{%s} raised '%s'", cases[i].changes, got);
	}
	arena_free(&arena);
}

/* Values for each key, healthy and broken; several keys are changed at once. */
static const char *const pool[] = {
	"'shape': (2, 3)",
	"'shape': ()",
	"'shape': (0, -1)",
	"'shape': [2]",
	"'shape': None",
	"'shape': (1, numpy.int64(4))",
	"'shape': (True,)",
	"'shape': (4611686018427387904, 4)",
	"'shape': (99999999999999999999, 0)",
	"'shape': <absent>",
	"'strides': (3, 1)",
	"'strides': (-3, 1)",
	"'strides': (0, 0)",
	"'strides': (1,)",
	"'strides': [3, 1]",
	"'strides': (1, 9223372036854775807)",
	"'strides': (2305843009213693951, 1)",
	"'strides': (99999999999999999999, 1)",
	"'strides': (None, 1)",
	"'strides': <absent>",
	"'offset': None",
	"'offset': True",
	"'offset': -1",
	"'offset': 4611686018427387904",
	"'offset': -1025",
	"'offset': 99999999999999999999",
	"'offset': <absent>",
	"'typestr': '<f8'",
	"'typestr': '>i2'",
	"'typestr': '=c16'",
	"'typestr': '<c4'",
	"'typestr': '|S4'",
	"'typestr': '<f2x'",
	"'typestr': 'f4'",
	"'typestr': None",
	"'typestr': '<M8[s]'",
	"'typestr': '|b2'",
	"'typestr': '<u3'",
	"'typestr': '<f016'",
	"'data': (0, True)",
	"'data': (4097, None)",
	"'data': (18446744073709551615, False)",
	"'data': (18446744073709551616, False)",
	"'data': (-1, False)",
	"'data': (1.0, False)",
	"'data': (1, True, 2)",
	"'data': [1, True]",
	"'data': <absent>",
	"'version': 2",
	"'version': True",
	"'version': numpy.int64(1)",
	"'version': <absent>",
	"'syclobj': None",
	"'syclobj': <absent>",
	"'syclobj': 'cpu'",
	"'extra': 1",

};

static bool has_structural_error(const struct rule_results *results)
{
	for (size_t i = 0; i < results->findings->n_items; i++) {
		const struct value *finding = results->findings->items[i];
		const char *rule = value_text_or(value_get(finding, "rule"), "");

		if (value_is_text(value_get(finding, "severity"), "error") &&
			strcmp(rule, "SUAI304") <= 0)
			return true;
	}
	return false;
}

static void test_describe_agrees(void)
{
	struct arena book = { 0 };
	struct rule_selection *selection = select_all(&book);

	srand(1);
	for (int round = 0; round < 6000; round++) {
		struct arena arena = { 0 };
		const char *changes = "";
		struct value *interface;
		struct rule_results results;
		struct array array;
		struct err err = { 0 };

		for (int n = rand() % 3; n >= 0; n--)
			changes = arena_printf(&arena, "%s%s%s", changes, *changes ? ", " : "",
				pool[(size_t)rand() % (sizeof(pool) / sizeof(*pool))]);
		interface = literal_facts(&arena, base, changes);
		results = rules_run(selection, target_of(&arena, interface), &arena);
		CHECK(has_structural_error(&results) ==
				(sycl_protocol.describe(interface, &array, &err) != 0),
			"{%s}: describe says '%s'", changes, err.message);
		arena_free(&arena);
	}
	arena_free(&book);
}

int main(void)
{
	test_cases();
	test_describe_agrees();
	return test_end();
}
