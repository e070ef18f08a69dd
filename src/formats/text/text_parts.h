// SPDX-License-Identifier: MIT
/* The parts of a document as text, each in its text_*.c. */
#ifndef FORMATS_TEXT_TEXT_PARTS_H
#define FORMATS_TEXT_TEXT_PARTS_H

#include "formats/text/text_causes.h"
#include "formats/text/text_page.h"

/*
 * The fields of an interface's array. like: an interface whose equal lines are omitted; a line
 * refers to it by its protocol. NULL: print all lines.
 */
void text_array(struct page *page, const struct fact_interface *interface,
	const struct fact_interface *like);

/* "(3, 4)" */
void text_add_tuple(struct text *out, const struct fact_ints *list);

/* All interfaces of a target or of a consumer's result. */
void text_interfaces(struct page *page, const struct fact_interface_list *interfaces);

/* Whether the interface declares a dictionary; other protocols have a C struct. */
bool text_is_dictionary(const struct fact_interface *interface);

/* The line or lines of a target that was not reached, "raised at import: ...". */
void text_failure(struct page *page, const struct fact_target *target);
/* text_failure() without the name of the target. */
void text_failure_reason(struct page *page, const struct fact_target *target);

/* `inspect`: one target. */
void text_inspect(struct page *page, const struct fact_target *target);

/*
 * The declared value of an interface with the fields of the findings marked: a dictionary, or of a
 * struct, which is long, only those fields unless -v is given. Nothing if there is nothing to show.
 */
void text_frame(struct page *page, const struct fact_interface *interface,
	const struct fact_finding *const *findings, size_t n_findings);

/* `validate`: with -q the findings of the target; otherwise collects them for text_causes, and
 * prints with -v the target's calls, trials and known findings. */
void text_validate(struct page *page, struct causes *causes, const struct fact_target *target);

/* `validate`: everything that was collected, failures and errors first. */
void text_causes(struct page *page, const struct causes *causes);

/* `convert`: how the data was copied, and the new object. */
void text_convert(struct page *page, const struct fact_target *target);

/* `why`: what the consumer does with the target, the cause, and what works instead. */
void text_why(struct page *page, const struct fact_target *target);

/* `devices`: the list of the document's head. */
void text_devices(struct page *page, const struct fact_listed_device_list *devices);

/* `rule`: the page of one rule, or one line for each of several. */
void text_rules(struct page *page, const struct fact_rule_page_list *rules);

/* If the fixtures are dumps of one interface that declares a dictionary: its Python code before and
 * after the fix. */
void text_before_after(struct page *page, const char *bad, const char *good);

/*
 * One line per call and trial of the target, with the outcome; mark (": " or ": note ") follows the
 * name of the target.
 */
void text_steps(struct page *page, const struct fact_target *target, const char *mark);

/* The style in which the outcome of a call is printed. */
enum page_style text_call_style(enum call_outcome outcome);

/* Updates n_untried and n_inapplicable of the page with a target. */
void text_count_untried(struct page *page, const struct fact_target *target);

/* The interface that refused to export what the rule checks; or NULL. */
const struct fact_interface *text_refusal_of(
	const struct fact_target *target, const struct fact_skip *skip);

/* Whether a rule has nothing to check because a consumer did not read the tensor. */
bool text_is_unread(const struct fact_skip *skip);

/* One line per option of asks (enum job_facts) that did not apply to some targets; of all options
 * together (--all), only if none applied to any target, or with -v. */
void text_untried(struct page *page, int asks, int64_t n_targets);

/* The last lines of `validate`; asks as above. causes: what text_causes printed; NULL: nothing is
 * omitted. */
void text_summary(struct page *page, const struct fact_summary *summary, int asks,
	const struct causes *causes);

#endif
