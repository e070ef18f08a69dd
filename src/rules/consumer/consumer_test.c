// SPDX-License-Identifier: MIT
/* The rules of consumers: changes to what a healthy consumer did, and the ids that they raise. */
#include "rules/shared/family_test.h"

/* A tensor with a byte_offset, shared with the result and released with it. */
static const char healthy[] =
	"{'consumer': 'm:f', 'expected': 'elements', 'protocol': 'dlpack', 'id': 'offset',"
	" 'about': 'a byte_offset of 8', 'outcome': 'done', 'step': None, 'error': None,"
	" 'exception': None, 'calls': ['__dlpack_device__()', '__dlpack__(max_version=(1, 3))'],"
	" 'warnings': [], 'dtype': 'float64', 'shape': [2, 3], 'readonly': False,"
	" 'type': 'm.Array', 'same_object': False, 'result_dtype': 'float64',"
	" 'result_shape': [2, 3], 'result_readonly': False, 'shared': True,"
	" 'readings': [{'how': 'dlpack', 'equal': True}], 'read_as': None, 'exports': 1,"
	" 'renamed': 1, 'deleted': 1, 'deleted_again': 0, 'deleted_held': 0, 'outside': None,"
	" 'outside_write': None, 'changed_bytes': 0, 'changed_elements': False}";

#define DIFFERS "'readings': [{'how': 'numpy', 'equal': False, 'difference': 'x'}], "
#define READ_AS(WHAT) DIFFERS "'read_as': '" WHAT "'"
#define LOST(HOW, STEP)                                                                           \
	"'outcome': '" HOW "', 'step': '" STEP "', 'error': {'type': None, 'message': 'lost'}, "  \
	"'same_object': None, 'readings': [], 'shared': None, 'exports': None, 'renamed': None, " \
	"'deleted': None, 'deleted_again': None, 'deleted_held': None, "
#define RAISED(TYPE, MESSAGE)                                                    \
	"'outcome': 'raised', 'exception': '" TYPE "', 'error': {'type': '" TYPE \
	"', 'message': '" MESSAGE                                                \
	"'}, 'type': None, 'same_object': None, 'readings': [], 'shared': None, "
#define RESHAPED "'readings': [{'how': 'dlpack', 'equal': False, 'reshaped': True"
#define COPIED "'shared': False, 'deleted_held': 1, "
#define UNTAKEN "'renamed': 0, 'deleted': 0, "
#define OTHER(NAME) "'protocol': '" NAME "', 'renamed': None, 'deleted_again': None, "
#define CASE(ID, EXPECTED) "'id': '" ID "', 'expected': '" EXPECTED "', "

static const struct family_case cases[] = {
	{ "", "" },
	{ COPIED, "" },
	/* A copy of a tensor that the destructor of its capsule releases. */
	{ "'shared': False, " UNTAKEN, "" },

	/* The process. */
	{ LOST("crashed", "the consumer"), "DLC001" },
	{ LOST("hung", "the consumer"), "DLC001" },
	{ LOST("left", "the release of the result"), "DLC001" },
	{ LOST("crashed", "the consumer") CASE("null-shape", "rejection"), "DLC002" },
	{ LOST("crashed", "the consumer") CASE("raises-ValueError", "exception"), "DLC001" },
	{ LOST("crashed", "the release of the result") CASE("null-deleter", "elements"), "DLC704" },
	{ LOST("hung", "the release of the result") CASE("null-deleter", "elements"), "DLC001" },
	{ "'same_object': True", "DLC003" },
	{ "'calls': []", "DLC004" },
	{ "'calls': [], " RAISED("ValueError", "no"), "DLC004" },
	{ "'calls': [], " RAISED("TypeError", "no") CASE("no-method", "exception"), "" },

	/* Elements. */
	{ READ_AS("byte_offset"), "DLC301" },
	{ READ_AS("strides"), "DLC302" },
	{ READ_AS("the unit of strides"), "DLC302" },
	{ READ_AS("byte_offset and strides"), "DLC301 DLC302" },
	{ READ_AS("byte_offset and the sign of strides"), "DLC301 DLC302" },
	{ READ_AS("lanes"), "DLC304" },
	{ READ_AS("the alignment of data"), "DLC401" },
	{ DIFFERS, "DLC306" },
	{ "'readings': [{'how': 'dlpack', 'equal': True}, {'how': 'tolist', 'equal': False}]", "" },
	{ "'readings': [{'how': 'dlpack', 'reason': 'x'}, {'how': 'tolist', 'equal': False}]",
		"DLC306" },
	{ "'readings': [{'how': 'dlpack', 'equal': True}, {'how': 'numpy', 'equal': False}]",
		"DLC306" },
	{ RESHAPED "}]", "DLC309" },
	{ RESHAPED "}, {'how': 'tolist', 'equal': False}]", "DLC309" },
	{ RESHAPED "}, {'how': 'numpy', 'equal': False}]", "DLC306" },
	{ RESHAPED "}], " CASE("bits-0", "rejection"), "" },
	{ DIFFERS CASE("null-shape", "rejection"), "" },
	{ "'result_dtype': 'float32'", "DLC307" },
	{ "'result_dtype': 'float32', " DIFFERS, "DLC307" },
	{ "'result_dtype': 'complex128'", "" },

	/* Memory. */
	{ "'readonly': True", "DLC308" },
	{ "'readonly': True, 'result_readonly': True", "" },
	{ "'readonly': True, " COPIED, "" },
	{ "'outside': 4, 'outside_write': False", "DLC402" },
	{ "'outside': -4, 'outside_write': True", "DLC402" },
	{ "'outside': 4, 'outside_write': False, " CASE("bits-0", "rejection"), "" },
	{ "'changed_elements': True, " DIFFERS, "DLC403" },
	{ "'changed_bytes': 1", "DLC403" },

	/* Ownership. */
	{ "'renamed': 0", "DLC701" },
	{ UNTAKEN, "DLC701" },
	{ "'deleted': 0", "DLC703" },
	{ "'deleted': None, 'deleted_again': None", "" },
	{ "'deleted_again': 1", "DLC703" },
	{ "'deleted': 0, " RAISED("ValueError", "no"), "DLC703" },
	{ UNTAKEN RAISED("ValueError", "no"), "" },
	{ "'deleted_held': 1", "DLC705" },
	{ "'deleted_held': 1, " DIFFERS, "DLC705" },
	{ CASE("name-used", "rejection"), "DLC702" },
	{ UNTAKEN RAISED("ValueError", "no") CASE("name-used", "rejection"), "" },

	/* Other interfaces: a buffer is released, an attribute's object is freed. */
	{ OTHER("numpy"), "" },
	{ OTHER("numpy") "'deleted': 0", "" },
	{ OTHER("numpy") "'deleted_held': 1", "DLC705" },
	{ OTHER("numpy") READ_AS("the byte order"), "DLC305" },
	{ OTHER("numpy") READ_AS("strides"), "DLC302" },
	{ OTHER("numpy-struct") "'deleted': 0", "" },
	{ OTHER("numpy-struct") "'calls': []", "DLC004" },
	{ OTHER("buffer"), "" },
	{ OTHER("buffer") "'deleted': 0", "DLC703" },
	{ OTHER("buffer") "'deleted': None", "" },
	{ OTHER("buffer") "'deleted': 0, " RAISED("ValueError", "no"), "DLC703" },
	{ OTHER("buffer") RAISED("ValueError", "no"), "" },
	{ OTHER("buffer") "'deleted_held': 1", "DLC705" },
	{ OTHER("buffer") "'exports': 2, 'deleted': 2, 'deleted_held': 1", "" },
	{ OTHER("buffer") "'exports': 2, 'deleted': 1, 'deleted_held': 1", "DLC703" },

	/* The calls. */
	{ "'exports': 0, " UNTAKEN RAISED("TypeError", "keyword") CASE("no-keywords", "elements"),
		"DLC801" },
	{ CASE("major-2", "rejection"), "DLC802" },
	{ "'deleted': 0, " RAISED("BufferError", "major") CASE("major-2", "rejection"), "DLC802" },
	{ UNTAKEN RAISED("BufferError", "major") CASE("major-2", "rejection"), "" },
	{ "'shared': False, " CASE("raises-BufferError", "exception"), "DLC804" },
	{ "'exports': 0, " UNTAKEN RAISED("ValueError", "no")
			CASE("raises-BufferError", "exception"),
		"DLC804" },
	{ "'exports': 0, " UNTAKEN RAISED("BufferError", "no")
			CASE("raises-BufferError", "exception"),
		"" },
	{ "'calls': ['__array__()'], " CASE("no-method", "exception"), "" },
	{ UNTAKEN RAISED("SystemError", "<f> returned NULL without setting an exception"),
		"DLC808" },
	{ UNTAKEN RAISED("SystemError", "not ready"), "" },
};

/* The ids of all findings but those of what a consumer does not support, in order. */
static const char *consumer_ids(
	struct arena *arena, const struct rule_selection *selection, const char *changes)
{
	const char *base = healthy, *text = arena_printf(arena, "{%s}", changes), *ids = "";
	struct value *consumption = literal_read(arena, &base), *map = literal_read(arena, &text);
	struct value *target = value_map(arena);
	struct fact_target typed;
	struct rule_results results;
	struct err err = { 0 };

	for (size_t i = 0; i < map->n_items; i++)
		literal_change(arena, consumption, map->keys[i], map->items[i]);
	value_set(arena, target, "consumption", consumption);
	CHECK(!fact_read(&fact_target_record, arena, target, FACT_WIRE, NULL, &typed, &err),
		"{%s}: %s", changes, err.message);
	results = rules_run(selection, &typed, arena);
	for (size_t i = 0; i < results.findings.n_items; i++)
		if (results.findings.items[i].severity != SEVERITY_NOTE ||
			strcmp(results.findings.items[i].rule, "DLC807") != 0)
			ids = arena_printf(arena, "%s%s%s", ids, *ids ? " " : "",
				results.findings.items[i].rule);
	return ids;
}

int main(void)
{
	struct arena arena = { 0 };
	struct rule_selection *selection = family_select(&arena, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *ids = consumer_ids(&arena, selection, cases[i].changes);

		CHECK(!strcmp(ids, cases[i].expected), "{%s} raised '%s'", cases[i].changes, ids);
	}
	arena_free(&arena);
	return test_end();
}
