// SPDX-License-Identifier: MIT
/* Texts, and the lengths of the identifier and of the dotted name that each begins with. */
#include "base/identifier.h"

#include "base/array_size.h"
#include "base/test.h"

static const struct {
	const char *text;
	size_t n_identifier, n_dotted;
} rows[] = {
	{ "", 0, 0 },
	{ "_", 1, 1 },
	{ "a1_Z9", 5, 5 },
	{ "1a", 0, 0 },
	{ "gr\xc3\xb6\xc3\x9f"
	  "e = 1",
		7, 7 },
	{ "\xff", 1, 1 },
	{ "a-b", 1, 1 },
	{ "@`[{/:", 0, 0 },
	{ "np.random.rand(3)", 2, 14 },
	{ "a.", 1, 1 },
	{ "a..b", 1, 1 },
	{ ".a", 0, 0 },
	{ "a.1", 1, 1 },
	{ "a.b1.", 1, 4 },
};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *text = rows[i].text;
		size_t n_identifier = identifier_length(text), n_dotted = dotted_name_length(text);

		CHECK(n_identifier == rows[i].n_identifier, "'%s': %zu", text, n_identifier);
		CHECK(n_dotted == rows[i].n_dotted, "'%s': dotted %zu", text, n_dotted);
		CHECK(is_identifier(text) == (n_identifier && !text[n_identifier]), "'%s'", text);
		CHECK(is_dotted_name(text) == (n_dotted && !text[n_dotted]), "'%s': dotted", text);
	}
	CHECK(is_identifier_byte('9') && !is_identifier_byte('\0') && !is_identifier_byte('.'),
		"a digit, and not the end of a text or a dot");
	return test_end();
}
