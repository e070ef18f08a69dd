// SPDX-License-Identifier: MIT
/* The parts of a document as text, each in its text_*.c. */
#ifndef FORMATS_TEXT_TEXT_PARTS_H
#define FORMATS_TEXT_TEXT_PARTS_H

#include "formats/text/text_page.h"

/*
 * The fields of an interface's array. like: an interface whose equal lines are left out, called by
 * its protocol in the line that refers to it; NULL: none is.
 */
void text_array(struct page *page, const struct fact_interface *interface,
	const struct fact_interface *like);

/* "(3, 4)" */
void text_add_tuple(struct text *out, const struct fact_ints *list);

/* All interfaces of a target or of a consumer's result. */
void text_interfaces(struct page *page, const struct fact_interface_list *interfaces);

/* What the interface declares is a dictionary; that of other protocols is a C struct. */
bool text_is_dictionary(const struct fact_interface *interface);

/* The line or lines of a target that was not reached, "raised at import: ...". */
void text_failure(struct page *page, const struct fact_target *target);

/* `inspect`: one target. */
void text_inspect(struct page *page, const struct fact_target *target);

/* `validate`: the findings of one target, and with -v what was tried and skipped. */
void text_validate(struct page *page, const struct fact_target *target);

/* `convert`: what was done, and the new object. */
void text_convert(struct page *page, const struct fact_target *target);

/* `devices`: the list of the document's head. */
void text_devices(struct page *page, const struct fact_listed_device_list *devices);

/* `rule`: the page of one rule, a line each of several. */
void text_rules(struct page *page, const struct fact_rule_page_list *rules);

/* Where the fixtures are dumps of one interface whose value is a dictionary, its Python before and
 * after the fix. */
void text_before_after(struct page *page, const char *bad, const char *good);

/*
 * A line each of the target's calls and trials, with the outcome; mark follows the target's
 * name: ": " or ": note ".
 */
void text_steps(struct page *page, const struct fact_target *target, const char *mark);

/* Counts in page a target that was reached and has no call, or no trial, of an option's. */
void text_count_untried(struct page *page, const struct fact_target *target);

/* A line for each option of asks (enum job_facts) that tried nothing of some targets. */
void text_untried(struct page *page, int asks, int64_t n_targets);

/* The last lines of `validate`; asks as above. */
void text_summary(struct page *page, const struct fact_summary *summary, int asks);

#endif
