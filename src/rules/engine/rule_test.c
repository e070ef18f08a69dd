// SPDX-License-Identifier: MIT
/* All rules: ids, requirements, texts, known producers. */
#include "rules/engine/rule.h"

#include "base/test.h"
#include "protocols/protocol.h"
#include "rules/engine/selection.h"

#include <ctype.h>
#include <string.h>

static void check_id(const struct rule *rule)
{
	size_t n_letters = strspn(rule->id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	CHECK(n_letters >= 3 && strspn(rule->id + n_letters, "0123456789") == 3 &&
			strlen(rule->id) == n_letters + 3 && strlen(rule->id) < RULE_ID_CHARS,
		"invalid id '%s'", rule->id);
	CHECK(rule_find(rule->id) == rule, "duplicate or retired id %s", rule->id);
	CHECK(!rule->replaces || rule_find(rule->replaces) == rule,
		"%s replaces %s, which is the id of a rule, or which another replaces", rule->id,
		rule->replaces);
}

/* One sentence, or parts separated by semicolons: no capital at the start, no full stop. */
static void check_text(const struct rule *rule, const char *field, const char *text)
{
	const size_t most = strcmp(field, "clause") ? 240 : 300; /* up to five documents */
	size_t n_chars = text ? strlen(text) : 0;

	CHECK(n_chars >= 5 && n_chars <= most, "%s: %s has %zu characters", rule->id, field,
		n_chars);
	CHECK(n_chars && text[n_chars - 1] != '.', "%s: %s ends with a full stop", rule->id, field);
	for (size_t i = 0; i < n_chars; i++)
		CHECK(isprint((unsigned char)text[i]), "%s: %s contains character %d", rule->id,
			field, text[i]);
}

static void check_protocols(const struct rule *rule)
{
	size_t n_covered = 0, n_words = 1;

	for (size_t i = 0; protocols[i]; i++)
		n_covered += rule_covers_protocol(rule, protocols[i]->name);
	for (const char *c = rule->protocols; c && *c; c++)
		n_words += *c == ' ';
	CHECK(rule->protocols ? n_covered == n_words : n_covered == 0,
		"%s: '%s' contains an unknown protocol", rule->id,
		rule->protocols ? rule->protocols : "");
}

static bool comes_before(const char *id, const struct rule *end)
{
	for (size_t i = 0; rule_families[i]; i++)
		for (const struct rule *rule = rule_families[i]; rule->id; rule++) {
			if (rule == end)
				return false;
			if (!strcmp(rule->id, id))
				return true;
		}
	return false;
}

static void check_edition(const struct rule *rule, const char *edition)
{
	struct err err = { 0 };

	CHECK(!edition || !rules_check_edition(edition, &err), "%s: %s", rule->id, err.message);
}

static void check_rule_entry(const struct rule *rule)
{
	check_id(rule);
	check_text(rule, "name", rule->name);
	CHECK(!rule->clause != !rule->protocol_clauses, "%s has two kinds of clauses, or none",
		rule->id);
	if (rule->clause)
		check_text(rule, "clause", rule->clause);
	for (const struct rule_clause *row = rule->protocol_clauses; row && row->clause; row++)
		check_text(rule, "clause", row->clause);
	check_text(rule, "says", rule->summary);
	check_text(rule, "why", rule->why);
	check_text(rule, "fix", rule->fix);
	check_protocols(rule);
	check_edition(rule, rule->since);
	check_edition(rule, rule->until);
	CHECK(rule->facts && rule->check, "%s reads no facts or has no check", rule->id);
	for (size_t i = 0; i < RULE_MAX_REQUIRED && rule->requires[i]; i++)
		CHECK(comes_before(rule->requires[i], rule),
			"%s requires %s, which does not run before it", rule->id,
			rule->requires[i]);
	for (size_t i = 0; i < RULE_MAX_SUBSUMING && rule->subsumed_by[i]; i++)
		CHECK(comes_before(rule->subsumed_by[i], rule),
			"%s is subsumed by %s, which does not run before it", rule->id,
			rule->subsumed_by[i]);
}

static void test_producers(void)
{
	const struct rule *rule = rule_find("SUAI109");

	for (const struct rule_producer *producer = rule_producers; producer->type; producer++) {
		CHECK(rule_find(producer->rule), "unknown rule %s", producer->rule);
		CHECK(producer->versions && producer->evidence, "%s: no evidence", producer->type);
		CHECK((producer->effect == PRODUCER_BREAKS) == (producer->message != NULL),
			"%s: a message belongs to a rule that is broken", producer->type);
	}
	CHECK(rule_producer_find(rule, "dpctl.memory._memory.MemoryUSMHost"), "dpctl.memory");
	CHECK(!rule_producer_find(rule, "my.dpctl.memory._memory.MemoryUSMHost"), "a similar name");
	CHECK(rule_producer_find(
		      rule_find("CAI001"), "numba.cuda.cudadrv.devicearray.ManagedNDArray") &&
			!rule_producer_find(rule_find("CAI001"),
				"numba.cuda.cudadrv.devicearray.DeviceNDArray"),
		"Numba arrays shared by host and device");
	CHECK(!rule_producer_find(rule_find("SUAI108"), "dpctl.memory._memory.MemoryUSMHost"),
		"another rule");
}

static void test_find(void)
{
	CHECK(rule_find("suai-302") == rule_find("SUAI302") && rule_find("SUAI302"), "SUAI302");
	CHECK(!rule_find("SUAI30") && !rule_find("SUAI3020") && !rule_find(""), "unknown rule");
}

int main(void)
{
	for (size_t i = 0; rule_families[i]; i++)
		for (const struct rule *rule = rule_families[i]; rule->id; rule++)
			check_rule_entry(rule);
	test_producers();
	test_find();
	return test_end();
}
