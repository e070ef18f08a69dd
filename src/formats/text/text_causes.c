// SPDX-License-Identifier: MIT
/* Groups what was found by cause. */
#include "formats/text/text_causes.h"

#include "base/array_size.h"
#include "base/crc32.h"
#include "base/memory.h"
#include "base/plural.h"
#include "documents/document.h"
#include "formats/source_location.h"
#include "formats/text/text_parts.h"
#include "formats/verdict.h"
#include "protocols/protocol.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool cause_is_shown(const struct page *page, const struct fact_finding *finding)
{
	return page->verbosity > 0 || finding->severity > SEVERITY_NOTE ||
	       finding->severity >= page->fail_from ||
	       (!finding->excused_by && finding->actionable != ANSWER_NO);
}

static const char *keep_text(struct causes *causes, const char *text)
{
	return text ? arena_copy(&causes->arena, text, strlen(text)) : NULL;
}

/*
 * Adds the target to the cause whose key consists of the parts. *is_new: there was none, or only
 * one that this target has already; the caller completes it.
 */
static struct cause *cause_of_key(struct causes *causes, enum cause_kind kind,
	const char *const *parts, size_t n_parts, const char *target, bool *is_new)
{
	struct cause **bucket, *cause;
	struct text key = { 0 };

	for (size_t i = 0; i < n_parts; i++) {
		verdict_add_cause_key(&key, parts[i]);
		text_add(&key, "\n");
	}
	bucket = &causes->buckets[crc32_add(0, key.bytes, key.n_bytes) % N_CAUSE_BUCKETS];
	for (cause = *bucket; cause; cause = cause->next_in_bucket)
		if (cause->kind == kind && !strcmp(cause->key, key.bytes) &&
			strcmp(cause->targets.items[cause->targets.n_items - 1], target) != 0)
			break;
	*is_new = !cause;
	if (!cause) {
		cause = arena_alloc(&causes->arena, sizeof(*cause));
		cause->kind = kind;
		cause->key = keep_text(causes, key.bytes);
		cause->next_in_bucket = *bucket;
		*bucket = cause;
	}
	fact_texts_add(&causes->arena, &cause->targets, target);
	text_free(&key);
	return cause;
}

/* at: the link before which the block is inserted. */
static struct cause_block *insert_block(
	struct causes *causes, struct cause_block **at, enum cause_kind kind)
{
	struct cause_block *block = arena_alloc(&causes->arena, sizeof(*block));

	block->kind = kind;
	block->next = *at;
	*at = block;
	if (!block->next)
		causes->end = &block->next;
	return block;
}

static struct cause_block *add_block(struct causes *causes, enum cause_kind kind)
{
	return insert_block(causes, causes->end ? causes->end : &causes->blocks, kind);
}

bool text_equals(const char *a, const char *b)
{
	return !strcmp(fact_text_or(a, ""), fact_text_or(b, ""));
}

static bool has_explanation_of(const struct fact_finding *a, const struct fact_finding *b)
{
	return a->severity == b->severity && text_equals(a->rule, b->rule) &&
	       text_equals(a->why, b->why) && text_equals(a->hint, b->hint);
}

/* A block of one finding without a frame follows those with the same explanation, which is then
 * printed once. */
static void add_lone_finding(struct causes *causes, struct cause *cause)
{
	struct cause_block *block;
	struct lone_findings *alike = causes->lone;

	while (alike && !has_explanation_of(&alike->last->causes->finding, &cause->finding))
		alike = alike->next;
	if (alike) {
		block = insert_block(causes, &alike->last->next, CAUSE_FINDING);
		block->continues = true;
	} else {
		block = add_block(causes, CAUSE_FINDING);
		alike = arena_alloc(&causes->arena, sizeof(*alike));
		alike->next = causes->lone;
		causes->lone = alike;
	}
	alike->last = block;
	block->causes = cause;
	block->worst = cause->finding.severity;
}

static void add_failure(struct causes *causes, const struct fact_target *target, const char *name)
{
	const struct fact_error *error = &target->error;
	const char *parts[] = { target_status_name(target->status), target->step, error->type,
		error->message, error->traceback };
	struct cause *cause;
	bool is_new;

	cause = cause_of_key(causes, CAUSE_FAILURE, parts, ARRAY_SIZE(parts), name, &is_new);
	if (!is_new)
		return;
	cause->failure.status = target->status;
	cause->failure.step = keep_text(causes, target->step);
	fact_copy(&fact_error_record, &causes->arena, error, &cause->failure.error);
	add_block(causes, CAUSE_FAILURE)->causes = cause;
}

static void add_skipped_rule(struct causes *causes, const struct fact_skip *skip, const char *name)
{
	const char *parts[] = { skip->rule, skip->reason };
	struct cause *cause;
	bool is_new;

	cause = cause_of_key(causes, CAUSE_SKIP, parts, ARRAY_SIZE(parts), name, &is_new);
	if (!is_new)
		return;
	fact_copy(&fact_skip_record, &causes->arena, skip, &cause->skip);
	add_block(causes, CAUSE_SKIP)->causes = cause;
}

static void omit_note(struct causes *causes, const struct fact_target *target,
	const struct fact_finding *finding, const char *name)
{
	/* A pattern such as "*.memoryview" is for types of any package. */
	const char *type = finding->excused_by && finding->excused_by[0] == '*'
				   ? target->type
				   : finding->excused_by;
	const char *package = type ? arena_copy(&causes->arena, type, strcspn(type, ".")) : NULL;
	struct omitted_notes **at = &causes->omitted, *omitted;

	while (*at &&
		(!text_equals((*at)->rule, finding->rule) || !text_equals((*at)->package, package)))
		at = &(*at)->next;
	if (!*at) {
		*at = arena_alloc(&causes->arena, sizeof(**at));
		(*at)->rule = keep_text(causes, finding->rule);
		(*at)->package = package;
	}
	omitted = *at;
	if (!fact_text_is(omitted->last_target, name)) {
		omitted->n_targets++;
		omitted->last_target = keep_text(causes, name);
	}
	causes->n_omitted++;
}

static const struct fact_interface *interface_of_finding(
	const struct fact_target *target, const struct fact_finding *finding)
{
	for (size_t i = 0; i < target->interfaces.n_items && finding->protocol; i++)
		if (fact_text_is(target->interfaces.items[i].protocol, finding->protocol))
			return &target->interfaces.items[i];
	return NULL;
}

/* NULL if the finding has a cause that is known from other targets. */
static struct cause *add_finding(
	struct causes *causes, const struct fact_finding *finding, const char *name)
{
	struct arena arena = { 0 }; /* of entries of the traceback */
	const char *raised_at = stack_raised_at(&arena, finding->traceback);
	const char *parts[] = { finding->rule, severity_name(finding->severity), finding->protocol,
		finding->field, finding->message, finding->why, raised_at };
	struct cause *cause;
	bool is_new;

	cause = cause_of_key(causes, CAUSE_FINDING, parts, ARRAY_SIZE(parts), name, &is_new);
	if (is_new) {
		fact_copy(&fact_finding_record, &causes->arena, finding, &cause->finding);
		cause->raised_at = keep_text(causes, raised_at);
	}
	arena_free(&arena);
	return is_new ? cause : NULL;
}

/* The frame of the interface for n causes; NULL if they need none. */
static const char *render_frame(struct causes *causes, struct page *page,
	const struct fact_interface *interface, struct cause *const *members, size_t n)
{
	const struct fact_finding **findings = mem_alloc(n * sizeof(const struct fact_finding *));
	size_t start = page->text.n_bytes;
	enum severity worst = SEVERITY_NOTE;
	const char *frame = NULL;

	for (size_t i = 0; i < n; i++) {
		findings[i] = &members[i]->finding;
		worst = findings[i]->severity > worst ? findings[i]->severity : worst;
	}
	if (worst > SEVERITY_NOTE || page->verbosity > 0)
		text_frame(page, interface, findings, n);
	if (page->text.n_bytes > start)
		frame = arena_copy(
			&causes->arena, page->text.bytes + start, page->text.n_bytes - start);
	text_truncate(&page->text, start);
	free(findings);
	return frame;
}

/* Inserts after causes that are at least as severe. */
static void add_to_block(struct cause_block *block, struct cause *cause)
{
	struct cause **at = &block->causes;

	while (*at && (*at)->finding.severity >= cause->finding.severity)
		at = &(*at)->next;
	cause->next = *at;
	*at = cause;
	block->worst = block->causes->finding.severity;
}

/* The causes of one interface in one block if there is a frame to share, else in one each. */
static void add_blocks(struct causes *causes, struct page *page,
	const struct fact_interface *interface, struct cause *const *members, size_t n)
{
	const char *frame = interface ? render_frame(causes, page, interface, members, n) : NULL;
	struct cause_block *block = frame ? add_block(causes, CAUSE_FINDING) : NULL;

	for (size_t i = 0; i < n; i++)
		if (frame)
			add_to_block(block, members[i]);
		else
			add_lone_finding(causes, members[i]);
	if (frame)
		block->frame = frame;
}

static void add_findings(struct causes *causes, struct page *page, const struct fact_target *target,
	const char *name)
{
	size_t n_findings = target->findings.n_items, n_new = 0;
	const struct fact_consumption *consumption = &target->consumption;
	/* What the tensor has does not matter to a consumer that does not read it. */
	bool is_read = consumption->calls.n_items ||
		       (consumption->outcome != TRIAL_DONE && consumption->outcome != TRIAL_RAISED);
	const char *about = is_read ? consumption->about : NULL;
	struct cause **added = mem_alloc((n_findings + 1) * sizeof(struct cause *));
	struct cause **members = mem_alloc((n_findings + 1) * sizeof(struct cause *));

	for (size_t i = 0; i < n_findings; i++) {
		const struct fact_finding *finding = &target->findings.items[i];
		struct cause *cause = NULL;

		if (cause_is_shown(page, finding))
			cause = add_finding(causes, finding, name);
		else
			omit_note(causes, target, finding, name);
		if (!cause)
			continue;
		if (about && !strstr(fact_text_or(finding->message, ""), about))
			cause->about = keep_text(causes, about);
		added[n_new++] = cause;
	}
	for (size_t i = 0; i < n_new; i++) {
		const struct fact_interface *interface;
		size_t n_members = 0;

		if (!added[i])
			continue;
		interface = interface_of_finding(target, &added[i]->finding);
		for (size_t k = i; k < n_new; k++)
			if (added[k] && (k == i || (interface && interface_of_finding(target,
									 &added[k]->finding) ==
									 interface))) {
				members[n_members++] = added[k];
				added[k] = NULL;
			}
		add_blocks(causes, page, interface, members, n_members);
	}
	free(added);
	free(members);
}

const struct fact_interface *text_refusal_of(
	const struct fact_target *target, const struct fact_skip *skip)
{
	const struct fact_interface *refusal = NULL;

	for (size_t i = 0; i < target->interfaces.n_items; i++) {
		const struct fact_interface *interface = &target->interfaces.items[i];
		const struct protocol *protocol = protocol_of_interface(interface);

		if (!protocol || strncmp(skip->rule, protocol->rule_prefix,
					 strlen(protocol->rule_prefix)) != 0)
			continue;
		if (interface->status != INTERFACE_REFUSED)
			return NULL;
		refusal = interface;
	}
	return refusal;
}

bool text_is_unread(const struct fact_skip *skip)
{
	return fact_text_is(skip->failed_rule, CONSUMER_READS_RULE);
}

/* Rules that have nothing to check, because the object was not loaded, refused an export or was not
 * read, are not listed one by one, unless they fail. */
static void add_skipped_rules(struct causes *causes, const struct page *page,
	const struct fact_target *target, const char *name)
{
	const struct fact_interface *refused = NULL;
	int64_t n_refused = 0, n_unread = 0;

	for (size_t i = 0; i < target->skipped.n_items; i++) {
		const struct fact_skip *skip = &target->skipped.items[i];
		const struct fact_interface *refusal = text_refusal_of(target, skip);

		if (!page->skips_fail && (refusal || target->status != STATUS_OK)) {
			refused = refusal ? refusal : refused;
			n_refused += refusal != NULL;
		} else if (!page->skips_fail && text_is_unread(skip)) {
			n_unread++;
		} else if (page->verbosity > 0 || page->skips_fail) {
			add_skipped_rule(causes, skip, name);
		}
	}
	if (n_refused && page->verbosity > 0)
		add_skipped_rule(causes,
			&(struct fact_skip){ .present = true,
				.reason = arena_printf(&causes->arena,
					"%" PRId64 " rule%s, because %s was refused", n_refused,
					plural(n_refused),
					protocol_of_interface(refused)->attribute) },
			name);
	if (n_unread && page->verbosity > 0)
		add_skipped_rule(causes,
			&(struct fact_skip){ .present = true,
				.reason = arena_printf(&causes->arena,
					"%" PRId64
					" rules, because the consumer does not read the tensor",
					n_unread) },
			name);
}

void causes_add(struct causes *causes, struct page *page, const struct fact_target *target)
{
	const char *name = fact_text_or(target->target, "?");

	if (target->status != STATUS_OK)
		add_failure(causes, target, name);
	add_findings(causes, page, target, name);
	add_skipped_rules(causes, page, target, name);
}

void causes_free(struct causes *causes)
{
	arena_free(&causes->arena);
}
