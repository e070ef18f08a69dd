// SPDX-License-Identifier: MIT
/* Reads a dump: YAML to document, document to targets. */
#include "targets/dump.h"

#include "base/read_file.h"
#include "base/text.h"
#include "documents/document.h"
#include "formats/yaml/yaml_read.h"

static int read_dumped_targets(struct arena *arena, const struct value *document,
	struct fact_target **targets, size_t *n_targets, struct err *err)
{
	const struct value *list = value_get(document, "targets");
	const struct value *format = value_get(document, "suai");

	if (!value_is_sequence(list))
		return err_set(err, EXIT_USAGE,
			"the document has no list 'targets'; expected the output of 'suai inspect -f yaml'");
	if (format && value_int_or(format, 0) != DOCUMENT_FORMAT)
		return err_set(err, EXIT_USAGE, "expected 'suai: %d', the format version",
			DOCUMENT_FORMAT);
	if (!list->n_items)
		return err_set(err, EXIT_USAGE, "the document has no targets");
	*targets = arena_alloc(arena, list->n_items * sizeof(**targets));
	for (size_t i = 0; i < list->n_items; i++)
		if (document_read(arena, list->items[i], &(*targets)[i], err))
			return err_wrap(err, "targets[%zu]", i);
	*n_targets = list->n_items;
	return 0;
}

int dump_read(struct arena *arena, const char *path, struct fact_target **targets,
	size_t *n_targets, struct err *err)
{
	const struct value *document;
	struct text text = { 0 };
	int status = read_file(path, &text, err);

	if (!status) {
		document = yaml_read(arena, text.bytes ? text.bytes : "", text.n_bytes, err);
		if (!document || read_dumped_targets(arena, document, targets, n_targets, err))
			status = err_wrap(err, "'%s'", path);
	}
	text_free(&text);
	return status;
}
