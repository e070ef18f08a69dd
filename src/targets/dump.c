// SPDX-License-Identifier: MIT
/* Reads a dump: YAML to document, document to facts. */
#include "targets/dump.h"

#include "base/read_file.h"
#include "base/text.h"
#include "documents/document.h"
#include "formats/yaml/yaml_read.h"

static struct value *targets_to_facts(
	struct arena *arena, const struct value *document, struct err *err)
{
	const struct value *targets = value_get(document, "targets");
	const struct value *format = value_get(document, "suai");
	struct value *list = value_list(arena), *facts;

	if (!value_is_sequence(targets)) {
		err_set(err, EXIT_USAGE,
			"no list 'targets': not a document that 'suai inspect -f yaml' wrote");
		return NULL;
	}
	if (format && value_int_or(format, 0) != DOCUMENT_FORMAT) {
		err_set(err, EXIT_USAGE, "'suai' is not %d: a document of another format",
			DOCUMENT_FORMAT);
		return NULL;
	}
	if (!targets->n_items) {
		err_set(err, EXIT_USAGE, "the document has no targets");
		return NULL;
	}
	for (size_t i = 0; i < targets->n_items; i++) {
		facts = document_to_facts(arena, targets->items[i], err);
		if (!facts) {
			err_wrap(err, "targets[%zu]", i);
			return NULL;
		}
		value_append(arena, list, facts);
	}
	return list;
}

struct value *dump_read(struct arena *arena, const char *path, struct err *err)
{
	struct value *document, *facts = NULL;
	struct text text = { 0 };

	if (!read_file(path, &text, err)) {
		document = yaml_read(arena, text.bytes ? text.bytes : "", text.n_bytes, err);
		facts = document ? targets_to_facts(arena, document, err) : NULL;
		if (!facts)
			err_wrap(err, "'%s'", path);
	}
	text_free(&text);
	return facts;
}
