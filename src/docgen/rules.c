// SPDX-License-Identifier: MIT
/* suai-rules(7) as mdoc: all rules, one section per prefix of ids. The examples of a rule are only
 * in `suai rule ID`. */
#include "docgen/docs.h"
#include "docgen/mdoc.h"
#include "docgen/text.h"
#include "rules/engine/rule.h"

#include <string.h>

static const char description[] =
	"suai validate checks the interfaces of objects with these rules. An id is the prefix of a family and three "
	"digits. In every family, the first digit is the subject: 0 access to the attribute, 1 the container and its "
	"keys, 2 element type, 3 layout, 4 pointer and memory, 5 device, 6 order of work, 7 lifetime, 8 negotiation, "
	"9 agreement with another interface. Ids never change, and can be selected by prefix: --select SUAI3,DLP303.\n\n"
	"Errors fail; warnings and notes fail if --severity requires it. The level is the basis of a rule. must, "
	"should, may: the specification requires, recommends or allows it; logic: it follows from the specification, "
	"although no sentence states it; fact: it is not specified, but a reference consumer requires it; hazard: what "
	"the rule reports is legal, but breaks a known consumer. With --strict, should and fact are errors.\n\n"
	"A rule that requires another one is skipped if that one failed. Failures of a rule are dropped if a rule "
	"that subsumes it failed on any interface of the object, so that one cause gives one finding. Rules are also "
	"skipped if they cannot be checked, such as those that require a driver that this machine lacks. The clause "
	"names document, version and section. Known properties of a library's objects are taken into account.";

static void write_part(FILE *out, const char *label, const char *text)
{
	if (!text)
		return;
	fprintf(out, ".It %s\n", label);
	mdoc_write_filled(out, text, strlen(text));
}

static void write_ids(FILE *out, const char *label, const char *const *ids, size_t max_ids)
{
	struct text list = { 0 };

	for (size_t i = 0; i < max_ids && ids[i]; i++)
		text_printf(&list, "%s%s", i ? ", " : "", ids[i]);
	if (list.n_bytes)
		write_part(out, label, list.bytes);
	text_free(&list);
}

static void write_producers(FILE *out, const struct rule *rule)
{
	for (const struct rule_producer *known = rule_producers; known->type; known++) {
		struct text text = { 0 };

		if (strcmp(known->rule, rule->id) != 0)
			continue;
		text_printf(&text, "%s (%s) %s: %s", known->type, known->versions,
			rule_producer_effect_name(known->effect), known->evidence);
		write_part(out, "Known", text.bytes);
		text_free(&text);
	}
}

static void write_rule(FILE *out, struct arena *arena, const struct rule *rule)
{
	fprintf(out, ".Ss %s %s\n", rule->id, rule->name);
	fprintf(out, "%s, %s:\n", severity_name(rule->severity), rule_level_name(rule->level));
	mdoc_write_filled(out, rule->summary, strlen(rule->summary));
	fputs(".Bl -tag -width Subsumed -compact\n", out);
	write_part(out, "Why", rule->why);
	write_part(out, "Fix", rule->fix);
	write_part(out, "Clause", rule_clause(arena, rule, NULL));
	write_ids(out, "Requires", rule->requires, RULE_MAX_REQUIRED);
	write_ids(out, "Subsumed by", rule->subsumed_by, RULE_MAX_SUBSUMING);
	write_part(out, "Since", rule->since);
	write_part(out, "Until", rule->until);
	write_part(out, "Replaces", rule->replaces);
	write_producers(out, rule);
	fputs(".El\n", out);
}

void docs_write_rules(FILE *out)
{
	struct arena arena = { 0 };
	const char *prefix = "", *title;
	size_t n_rules, n_prefix = 0;
	const struct rule **rules = rules_by_id(&arena, &n_rules);

	fprintf(out,
		".\\\" SPDX-License-Identifier: MIT\n.\\\" Written by `suai docs rules`.\n"
		".Dd %s\n.Dt SUAI-RULES 7\n.Os Linux\n.Sh NAME\n.Nm suai-rules\n"
		".Nd the rules of suai validate\n.Sh DESCRIPTION\n",
		docs_date);
	mdoc_write_prose(out, description);
	for (size_t i = 0; i < n_rules; i++) {
		if (!n_prefix || strncmp(prefix, rules[i]->id, n_prefix) != 0) {
			prefix = rules[i]->id;
			n_prefix = strcspn(prefix, "0123456789");
			fprintf(out, ".Sh %.*s\nRules of ", (int)n_prefix, prefix);
			title = rule_family_title(&arena, prefix);
			mdoc_write_filled(out, title, strlen(title));
		}
		write_rule(out, &arena, rules[i]);
	}
	fputs(".Sh SEE ALSO\n.Xr suai 1 ,\nwhose command rule shows each with examples,\n.Xr suai.yaml 5\n",
		out);
	arena_free(&arena);
}
