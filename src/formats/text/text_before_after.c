// SPDX-License-Identifier: MIT
/* The fixtures of a rule about a dictionary as Python: the attribute before the fix, and after. */
#include "documents/document.h"
#include "formats/text/text_parts.h"
#include "formats/text/text_python.h"
#include "formats/yaml/yaml_read.h"
#include "protocols/protocol.h"

#include <string.h>

enum { RETURN_COLUMN = 15 }; /* after "        return " */

struct dictionary {
	const struct protocol *protocol;
	const struct value *facts;
};

/* False if the first interface of the fixture is not a dictionary. */
static bool read_dictionary(struct arena *arena, const char *fixture, struct dictionary *out)
{
	struct err ignored;
	const struct value *document = yaml_read(arena, fixture, strlen(fixture), &ignored);
	const struct fact_interface *interface;
	struct fact_target target;

	if (document_read(arena, value_at(document, "targets[0]"), &target, &ignored) ||
		!target.interfaces.n_items)
		return false;
	interface = &target.interfaces.items[0];
	out->protocol = protocol_of_interface(interface);
	if (!out->protocol->is_dictionary || out->protocol->is_of_files ||
		!value_is(interface->declared, VALUE_MAP))
		return false;
	out->facts = text_python_declared(arena, interface->declared, "mylib.Mask");
	return true;
}

static void print_attribute(struct page *page, const struct dictionary *dictionary)
{
	struct python_text python = { .packed = true, .whole = true };

	text_python_write(
		&python, dictionary->facts, RETURN_COLUMN, (size_t)page->terminal.columns);
	text_printf(&page->text,
		"    @property\n"
		"    def %s(self):\n"
		"        return %s\n",
		dictionary->protocol->attribute, python.text.bytes);
	text_python_free(&python);
}

void text_before_after(struct page *page, const char *bad, const char *good)
{
	struct dictionary before, after;
	struct arena arena = { 0 };

	if (read_dictionary(&arena, bad, &before) && read_dictionary(&arena, good, &after) &&
		before.protocol == after.protocol && !value_equal(before.facts, after.facts)) {
		text_add(&page->text, "\n");
		page_styled(page, STYLE_ERROR, "before\n");
		print_attribute(page, &before);
		page_styled(page, STYLE_GOOD, "\nafter\n");
		print_attribute(page, &after);
	}
	arena_free(&arena);
}
