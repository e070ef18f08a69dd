// SPDX-License-Identifier: MIT
/* The document of exchanges as text: totals, then call sites, largest first. */
#include "exchanges/exchanges.h"

#include "base/plural.h"
#include "formats/json/json_write.h"
#include "formats/text/text_page.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SITES_SHOWN = 20, SITE_COLUMN = 4, FINDING_COLUMN = 8, MAX_EXPLANATIONS = 64 };

static uint64_t document_count(const struct value *map, const char *key)
{
	uint64_t count = 0;

	value_to_uint64(value_get(map, key), &count);
	return count;
}

/* ": 24 bytes", of what the key counts; nothing if the map has no such number. */
static void add_bytes_of(struct page *page, const struct value *map, const char *key)
{
	const char *bytes_key = arena_printf(&page->arena, "%s_bytes", key);

	if (!value_get(map, bytes_key))
		return;
	text_add(&page->text, ": ");
	page_add_bytes(&page->text, document_count(map, bytes_key));
}

/* "; 3 COPIED: 24 bytes", in a style; nothing if there are none. */
static void add_exchange_part(struct page *page, enum page_style style, const struct value *map,
	const char *key, const char *label)
{
	uint64_t count = document_count(map, key);

	if (!count)
		return;
	text_add(&page->text, document_count(map, "exchanges") ? "; " : "");
	page_styled(page, style, "%llu %s", (unsigned long long)count, label);
	add_bytes_of(page, map, key);
}

/* "; 2 unknown": neither known to be shared nor to be copied; nothing if there are none. */
static void add_unknown_part(struct page *page, const struct value *map)
{
	const uint64_t n_known = document_count(map, "shared") + document_count(map, "copied");
	const uint64_t n_exchanges = document_count(map, "exchanges");

	if (n_exchanges > n_known)
		text_printf(
			&page->text, "; %llu unknown", (unsigned long long)(n_exchanges - n_known));
}

static void add_exchange_counts(struct page *page, const struct value *map)
{
	uint64_t n_exchanges = document_count(map, "exchanges");

	if (n_exchanges || !document_count(map, "unconsumed"))
		text_printf(&page->text, "%llu exchange%s", (unsigned long long)n_exchanges,
			plural((long long)n_exchanges));
	if (n_exchanges) {
		text_add(&page->text, ", ");
		page_add_bytes(&page->text, document_count(map, "bytes"));
	}
	add_exchange_part(page, STYLE_GOOD, map, "shared", "shared");
	add_exchange_part(page, STYLE_WARNING, map, "copied", "COPIED");
	add_exchange_part(page, STYLE_WARNING, map, "narrowed", "NARROWED");
	add_unknown_part(page, map);
	add_exchange_part(page, STYLE_WARNING, map, "unordered", "ORDER");
	add_exchange_part(page, STYLE_NOTE, map, "held", "HELD at exit");
	add_exchange_part(page, STYLE_ERROR, map, "leaked", "RELEASED never");
	add_exchange_part(page, STYLE_ERROR, map, "released_twice", "RELEASED twice");
	add_exchange_part(page, STYLE_WARNING, map, "released_late", "RELEASED late");
	add_exchange_part(page, STYLE_WARNING, map, "unconsumed", "NEVER consumed");
	page_end_line(page, 2 * SITE_COLUMN);
}

/* The first line of an argument, such as the code of python -c. */
static void add_word(struct page *page, const char *word)
{
	size_t n_chars = strcspn(word, "\n");

	page_foreign(page, STYLE_PLAIN, arena_printf(&page->arena, "%.*s", (int)n_chars, word));
	if (word[n_chars])
		text_add(&page->text, "...");
}

static void add_program_end(struct page *page, const struct value *document)
{
	const struct value *program = value_get(document, "program");
	const struct value *words = value_get(program, "command");
	const char *signal = value_text_or(value_get(program, "signal"), NULL);

	text_add(&page->text, "suai trace:");
	for (size_t i = 0; i < words->n_items; i++) {
		text_add(&page->text, " ");
		add_word(page, value_text_or(words->items[i], "?"));
	}
	if (signal)
		text_printf(&page->text, ": killed by %s", signal);
	else
		text_printf(&page->text, ": exit status %llu",
			(unsigned long long)document_count(program, "exit_status"));
	page_end_line(page, SITE_COLUMN);
}

/* A path relative to a directory ("": unknown), if it is below that. */
static const char *relative_path(const char *path, const char *directory)
{
	size_t n_chars = strlen(directory);

	return n_chars && !strncmp(path, directory, n_chars) && path[n_chars] == '/'
		       ? path + n_chars + 1
		       : path;
}

const char *exchange_place(struct arena *arena, const struct fact_call_site *site)
{
	char directory[PATH_MAX];
	const char *file = site->file;

	if (!file)
		return "(no Python frame)";
	if (getcwd(directory, sizeof(directory)))
		file = relative_path(file, directory);
	return site->line.known ? arena_printf(arena, "%s:%lld", file, (long long)site->line.value)
				: arena_copy(arena, file, strlen(file));
}

/* ":12"; "": unknown. */
static const char *describe_line(struct page *page, const struct value *site)
{
	long long line = (long long)value_int_or(value_get(site, "line"), 0);

	return line ? arena_printf(&page->arena, ":%lld", line) : "";
}

static void add_site_position(struct page *page, const struct value *site, const char *directory)
{
	const char *file = value_text_or(value_get(site, "file"), NULL);
	const char *function = value_text_or(value_get(site, "function"), NULL);

	if (!file) {
		page_styled(page, STYLE_STRONG, "(no Python frame)");
	} else {
		page_foreign(page, STYLE_STRONG, relative_path(file, directory));
		page_styled(page, STYLE_STRONG, "%s", describe_line(page, site));
	}
	if (function) {
		text_add(&page->text, " in ");
		page_foreign(page, STYLE_PLAIN, function);
	}
	page_end_line(page, SITE_COLUMN);
}

static bool is_same_position(const struct value *a, const struct value *b)
{
	return a && value_equal(value_get(a, "file"), value_get(b, "file")) &&
	       value_equal(value_get(a, "line"), value_get(b, "line")) &&
	       value_equal(value_get(a, "function"), value_get(b, "function"));
}

/* Findings whose explanation was printed, and their call sites. Explanations are texts of rules, so
 * there are few. */
struct explained {
	const struct value *findings[MAX_EXPLANATIONS], *sites[MAX_EXPLANATIONS];
	size_t n_findings;
	const char *directory;
};

/* The call site of an earlier finding with the same explanation; NULL: none, and this one is
 * remembered. */
static const struct value *find_explanation(
	struct explained *explained, const struct value *finding, const struct value *site)
{
	for (size_t i = 0; i < explained->n_findings; i++)
		if (value_equal(
			    value_get(explained->findings[i], "why"), value_get(finding, "why")) &&
			value_equal(value_get(explained->findings[i], "hint"),
				value_get(finding, "hint")))
			return explained->sites[i];
	if (explained->n_findings < MAX_EXPLANATIONS) {
		explained->sites[explained->n_findings] = site;
		explained->findings[explained->n_findings++] = finding;
	}
	return NULL;
}

static void add_explanation(struct page *page, const char *label, const struct value *text)
{
	page_spaces(page, FINDING_COLUMN);
	text_add(&page->text, label);
	text_add(&page->text, value_text_or(text, "?"));
	page_end_line(page, FINDING_COLUMN + SITE_COLUMN);
}

/* ": as at app.py:3" */
static void add_reference(struct page *page, const struct value *site, const char *directory)
{
	const char *file = value_text_or(value_get(site, "file"), NULL);

	text_add(&page->text, ": as ");
	if (!file) {
		text_add(&page->text, "without a Python frame above");
		return;
	}
	text_add(&page->text, "at ");
	page_foreign(page, STYLE_PLAIN, relative_path(file, directory));
	text_add(&page->text, describe_line(page, site));
}

/* Why each finding of the call site matters and how to fix it, once. */
static void add_explanations(
	struct page *page, struct explained *explained, const struct value *site)
{
	const struct value *findings = value_get(site, "findings");

	for (size_t i = 0; value_is_sequence(findings) && i < findings->n_items; i++) {
		const struct value *finding = findings->items[i], *before;

		page_spaces(page, FINDING_COLUMN);
		page_styled(
			page, STYLE_WARNING, "%s", value_text_or(value_get(finding, "rule"), "?"));
		before = find_explanation(explained, finding, site);
		if (before) {
			add_reference(page, before, explained->directory);
			page_end_line(page, FINDING_COLUMN + SITE_COLUMN);
			continue;
		}
		text_printf(&page->text, ": %s", value_text_or(value_get(finding, "why"), "?"));
		page_end_line(page, FINDING_COLUMN + SITE_COLUMN);
		add_explanation(page, "fix: ", value_get(finding, "hint"));
	}
}

/* What is not reported: findings that comments ignore, with their reasons, or that the baseline
 * lists. */
static void add_suppressed(
	struct page *page, const struct value *site, const char *key, const char *how)
{
	const struct value *findings = value_get(site, key);

	for (size_t i = 0; value_is_sequence(findings) && i < findings->n_items; i++) {
		const char *reason = value_text_or(value_get(findings->items[i], "reason"), NULL);

		page_spaces(page, FINDING_COLUMN);
		page_styled(page, STYLE_DIM, "%s %s",
			value_text_or(value_get(findings->items[i], "rule"), "?"), how);
		if (reason) {
			text_add(&page->text, ": ");
			page_foreign(page, STYLE_PLAIN, reason);
		}
		page_end_line(page, FINDING_COLUMN + SITE_COLUMN);
	}
}

/* What refers to the memory, and the longest time from an exchange to its release or the end. */
static void add_hold(struct page *page, const struct value *site)
{
	const char *holder = value_text_or(value_get(site, "holder"), NULL);
	const struct value *longest = value_get(site, "longest_hold_seconds");
	double seconds = value_is(longest, VALUE_REAL) ? longest->real : 0;

	page_spaces(page, FINDING_COLUMN);
	text_add(&page->text, "held ");
	if (holder) {
		text_add(&page->text, "by ");
		page_foreign(page, STYLE_PLAIN, holder);
		text_add(&page->text, " ");
	}
	if (seconds < 0.9995e-3)
		text_printf(&page->text, "for up to %.0f us", seconds * 1e6);
	else if (seconds < 0.9995)
		text_printf(&page->text, "for up to %.*f ms", seconds < 0.00995, seconds * 1e3);
	else
		text_printf(&page->text, "for up to %.*f s", seconds < 99.95, seconds);
	page_end_line(page, FINDING_COLUMN + SITE_COLUMN);
}

static void add_call_site(struct page *page, const struct value *site)
{
	page_spaces(page, SITE_COLUMN);
	page_foreign(page, STYLE_PLAIN, value_text_or(value_get(site, "producer"), "(unknown)"));
	if (document_count(site, "exchanges") || !value_is_null(value_get(site, "consumer"))) {
		text_add(&page->text, " -> ");
		page_foreign(
			page, STYLE_PLAIN, value_text_or(value_get(site, "consumer"), "(unknown)"));
	}
	text_printf(&page->text, ", %s: ", value_text_or(value_get(site, "protocol"), "?"));
	add_exchange_counts(page, site);
	if (document_count(site, "held"))
		add_hold(page, site);
}

/* Whether a call site passed no memory, which can be neither copied nor held, and has no finding.
 */
static bool is_empty_site(const struct value *site)
{
	return !document_count(site, "bytes") && !document_count(site, "unconsumed") &&
	       !value_get(site, "findings")->n_items;
}

/* What is listed so far. */
struct shown_sites {
	size_t n;
	const struct value *last; /* NULL: none */
	struct explained explained;
};

static void show_site(struct page *page, struct shown_sites *shown, const struct value *site)
{
	if (!is_same_position(shown->last, site)) {
		text_add(&page->text, "\n");
		add_site_position(page, site, shown->explained.directory);
	}
	add_call_site(page, site);
	add_explanations(page, &shown->explained, site);
	add_suppressed(page, site, "ignored", "ignored by a comment");
	add_suppressed(page, site, "known", "listed in the baseline");
	shown->n++;
	shown->last = site;
}

/* Call sites with findings, or those without. */
static void show_sites(
	struct page *page, struct shown_sites *shown, const struct value *sites, bool have_findings)
{
	for (size_t i = 0; i < sites->n_items; i++) {
		const struct value *site = sites->items[i];

		if ((value_get(site, "findings")->n_items > 0) != have_findings)
			continue;
		if (page->verbosity > 0 || (shown->n < MAX_SITES_SHOWN && !is_empty_site(site)))
			show_site(page, shown, site);
	}
}

static void add_call_sites(struct page *page, const struct value *document)
{
	const struct value *sites = value_get(document, "call_sites");
	char directory[PATH_MAX];
	struct shown_sites shown = { .explained = { .directory = directory } };

	if (!getcwd(directory, sizeof(directory)))
		directory[0] = '\0';
	show_sites(page, &shown, sites, true);
	show_sites(page, &shown, sites, false);
	if (shown.n < sites->n_items) {
		text_printf(&page->text, "\n%zu more; -v shows %s", sites->n_items - shown.n,
			sites->n_items - shown.n == 1 ? "it" : "them");
		page_end_line(page, SITE_COLUMN);
	}
}

/* "3 copies to CUDA devices: 24 bytes"; nothing if there are none. */
static void add_transfers(struct page *page, const struct value *map, const char *key,
	const char *one, const char *many)
{
	uint64_t count = document_count(map, key);

	if (!count)
		return;
	text_printf(&page->text, "%llu %s", (unsigned long long)count, count == 1 ? one : many);
	add_bytes_of(page, map, key);
	page_end_line(page, SITE_COLUMN);
}

static void add_all_transfers(struct page *page, const struct value *document)
{
	const struct value *map = value_get(document, "transfers");

	add_transfers(page, map, "to_device", "copy to a CUDA device", "copies to CUDA devices");
	add_transfers(page, map, "to_host", "copy from a CUDA device", "copies from CUDA devices");
	add_transfers(page, map, "between_devices", "copy between two CUDA devices",
		"copies between CUDA devices");
	add_transfers(page, map, "stream_waits", "wait of a CUDA stream for an event",
		"waits of CUDA streams for events");
}

static void add_coverage_note(struct page *page, uint64_t count, const char *one, const char *many)
{
	if (!count)
		return;
	text_printf(&page->text, "%llu %s", (unsigned long long)count, count == 1 ? one : many);
	page_end_line(page, SITE_COLUMN);
}

/* What happened instead of the end of an interpreter. */
static const char *unfinalized_end(const struct value *document)
{
	const struct value *map = value_get(document, "coverage");
	uint64_t n_processes = document_count(map, "processes");

	if (document_count(map, "running_processes"))
		return n_processes > 1 ? "a process still ran" : "the program still ran";
	if (n_processes > 1)
		return "a process was killed, or ended by os._exit() or exec";
	return value_is_null(value_get(value_get(document, "program"), "signal"))
		       ? "the program ended by os._exit(), exec or exit() of C"
		       : "the program was killed";
}

static void add_coverage(struct page *page, const struct value *document)
{
	const struct value *map = value_get(document, "coverage");
	const char *problem = value_text_or(value_get(map, "problem"), NULL);
	const uint64_t n_unsupported = document_count(map, "unsupported_processes");
	uint64_t n_untraced;

	if (problem) {
		page_styled(page, STYLE_WARNING, "not traced: ");
		text_add(&page->text, problem);
		page_end_line(page, SITE_COLUMN);
		return;
	}
	if (!value_bool_or(value_get(map, "finalized"), false) &&
		document_count(value_get(document, "totals"), "held")) {
		text_printf(&page->text, "%s: what is held may not be a leak",
			unfinalized_end(document));
		page_end_line(page, SITE_COLUMN);
	}
	if (document_count(map, "processes") > 1)
		add_coverage_note(
			page, document_count(map, "processes"), "", "processes were traced");
	add_coverage_note(page, document_count(map, "running_processes"),
		"process still runs: what it exchanges from now on is not seen",
		"processes still run: what they exchange from now on is not seen");
	add_coverage_note(page, document_count(map, "below_min_bytes"),
		"exchange below --min-bytes is not listed",
		"exchanges below --min-bytes are not listed");
	add_coverage_note(page, n_unsupported,
		"other process was not traced: it runs a CPython before 3.11",
		"other processes were not traced: they run a CPython before 3.11");
	n_untraced = document_count(map, "untraced_processes") - n_unsupported;
	if (value_bool_or(value_get(map, "followed"), false))
		add_coverage_note(page, n_untraced, "other process that runs Python was not traced",
			"other processes that run Python were not traced");
	else
		add_coverage_note(page, n_untraced,
			"other process that runs Python was not traced; --follow traces it",
			"other processes that run Python were not traced; --follow traces them");
	add_coverage_note(page, document_count(map, "lost"), "exchange was lost: a table is full",
		"exchanges were lost: a table is full");
}

/* Findings that are not reported. */
static void add_ignored_findings(struct page *page, const struct value *document)
{
	const struct value *summary = value_get(document, "summary");
	uint64_t n_ignored = document_count(summary, "ignored"),
		 n_known = document_count(value_get(summary, "baseline"), "known");

	if (n_ignored) {
		text_printf(&page->text, "findings ignored by comments: %llu",
			(unsigned long long)n_ignored);
		page_end_line(page, SITE_COLUMN);
	}
	if (n_known) {
		text_printf(&page->text, "findings listed in the baseline: %llu",
			(unsigned long long)n_known);
		page_end_line(page, SITE_COLUMN);
	}
}

int exchanges_write_text(
	const struct format_output *output, const struct value *document, struct err *err)
{
	struct page page = { 0 };
	int status;

	page_begin(&page, output);
	add_program_end(&page, document);
	if (value_bool_or(value_get(value_get(document, "coverage"), "traced"), false))
		add_exchange_counts(&page, value_get(document, "totals"));
	add_all_transfers(&page, document);
	add_coverage(&page, document);
	add_ignored_findings(&page, document);
	if (page.verbosity >= 0)
		add_call_sites(&page, document);
	status = json_write_text(output->stream, page.text.bytes, err);
	text_free(&page.text);
	arena_free(&page.arena);
	return status;
}
