// SPDX-License-Identifier: MIT
/* The fixtures of a rule about a dictionary as Python: the attribute before the fix, and after. */
#include "formats/text/text_parts.h"
#include "formats/text/text_python.h"
#include "formats/yaml/yaml_read.h"
#include "protocols/protocol.h"

#include <string.h>

enum { RETURN_COLUMN = 15 }; /* behind "        return " */

static const struct value *read_dictionary(struct arena *arena, const char *fixture)
{
	struct err ignored;
	const struct value *document = yaml_read(arena, fixture, strlen(fixture), &ignored);
	const struct value *interface = value_at(document, "targets[0].interfaces[0]");
	const struct protocol *protocol =
		protocol_find(value_text_or(value_get(interface, "protocol"), ""));

	return protocol && protocol->is_dictionary && !protocol->is_of_files && value_is(value_get(interface, "declared"), VALUE_MAP) ? interface : NULL;
}

static void print_attribute(struct page *page, const struct value *interface)
{
	const char *protocol = value_text_or(value_get(interface, "protocol"), "");
	struct python_text python = { .packed = true, .whole = true };

	text_python_write(&python, value_get(interface, "declared"), value_get(interface, "types"),
		RETURN_COLUMN, PAGE_COLUMNS);
	text_printf(&page->text,
		"    @property\n"
		"    def %s(self):\n"
		"        return %s\n",
		protocol_find(protocol)->attribute, python.text.bytes);
	text_python_free(&python);
}

void text_before_after(struct page *page, const char *bad, const char *good)
{
	struct arena arena = { 0 };
	const struct value *before = read_dictionary(&arena, bad);
	const struct value *after = read_dictionary(&arena, good);

	if (before && after &&
		!value_equal(value_get(before, "declared"), value_get(after, "declared"))) {
		text_add(&page->text, "\n");
		page_styled(page, STYLE_ERROR, "before\n");
		print_attribute(page, before);
		page_styled(page, STYLE_GOOD, "\nafter\n");
		print_attribute(page, after);
	}
	arena_free(&arena);
}
