// SPDX-License-Identifier: MIT
/* `suai rule`: the list of rules, the page of one rule, all pages as a document. */
#include "cli/command.h"
#include "commands/rule_document.h"
#include "run/run.h"

struct rule_settings {
	struct shared_settings shared;
	const char *query;
};

#define FIELD(NAME) offsetof(struct rule_settings, shared.NAME)

static const struct option options[] = {
	QUERY_FORMAT_OPTION(FIELD(format)),
	QUERY_OPTION(offsetof(struct rule_settings, query),
		"print only these keys of each rule, such as rule,says, one per line",
		"Keys are rule, name, severity, level, protocols, facts, needs, said_by, took_over, since, until, clause, says, "
		"why and hint.",
		"."),
	{ OUTPUT_OPTION(FIELD(output_path)),
		.help = "write the result to FILE, completely or not at all" },
	{ COLOR_OPTION(FIELD(color)) },
	{ 0 },
};

static void set_defaults(void *opaque)
{
	struct rule_settings *settings = opaque;

	settings->shared.color = "auto";
}

static int rule_run(void *opaque, const struct option_list *operands, struct err *err)
{
	struct rule_settings *settings = opaque;
	struct arena arena = { 0 };
	struct run run = { .command = "rule", .settings = &settings->shared, .arena = &arena };
	/* The rules that the operands select; all if there are none. */
	const struct rule_request request = { .select = *operands, .facts = FACT_ALL };
	const struct rule_selection *selection = rules_select(&arena, &request, err);
	int status = -1;

	if (!selection || query_check(&query_rules, settings->query, settings->shared.format, err))
		goto out;
	rule_aliases_report(operands);
	run.head.rules = rule_document_list(&arena, selection);
	status = settings->query ? query_print_list(&run, &fact_rule_page_record, &run.head.rules,
					   settings->query, err)
				 : run_print(&run, err);
out:
	arena_free(&arena);
	return status;
}

const struct command rule_command = {
	.name = "rule",
	.summary =
		"describe a rule: the requirement, why, its clause and the fix; or list all rules",
	.usage = "[RULE...]",
	.prose =
		"RULE is an id such as SUAI302, a prefix of ids, such as SUAI3, or a name, such as strides-length, which "
		"rules of several families may share. One rule is shown as a page, with an example that passes and one "
		"that fails; several rules are shown as a list. -f json and -f yaml always contain the pages, without "
		"RULE those of all rules.",
	.examples = "suai rule SUAI302\n"
		    "  the page of a rule\n"
		    "suai rule SUAI3\n"
		    "  the rules of layout\n"
		    "suai rule -f json | jq -r '.rules[] | select(.took_over) | .rule'\n"
		    "  the rules that replaced others\n"
		    "suai rule --query rule,severity,says -f tsv CAI\n"
		    "  the rules of one family as a table\n",
	.options = options,
	.query = &query_rules,
	.settings_bytes = sizeof(struct rule_settings),
	.set_defaults = set_defaults,
	.run = rule_run,
};
