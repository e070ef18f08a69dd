// SPDX-License-Identifier: MIT
/* XML 1.0, section 2.2 (Char) and 2.4 (markup). Characters that XML does not allow, or that are
 * unsafe to display (model/escape.h), become visible escapes. */
#include "formats/junit/xml.h"

#include "model/escape.h"
#include "model/value.h"

#include <string.h>

static const char *entity(char c, bool is_attribute)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\r':
		return "&#13;";
	case '\n':
		return is_attribute ? "&#10;" : NULL;
	case '\t':
		return is_attribute ? "&#9;" : NULL;
	default:
		return NULL;
	}
}

/* A character that XML 1.0 allows: no C0 except tab and line ends, no U+FFFE, no U+FFFF. */
static bool is_char(const char *bytes, size_t length)
{
	if (length == 1)
		return (unsigned char)*bytes >= 0x20 || (*bytes && strchr("\t\n\r", *bytes));
	return length != 3 ||
	       (memcmp(bytes, "\xef\xbf\xbe", 3) != 0 && memcmp(bytes, "\xef\xbf\xbf", 3) != 0);
}

void xml_add(struct text *out, const char *bytes, size_t n_bytes, bool is_attribute)
{
	for (size_t i = 0, length; i < n_bytes; i += length) {
		const char *as_entity = entity(bytes[i], is_attribute);
		const size_t n_sequence = value_utf8_sequence(bytes + i, n_bytes - i);

		length = escape_utf8_length(bytes + i, n_bytes - i);
		if (as_entity) {
			text_add(out, as_entity);
		} else if (length && bytes[i] != '\n' && bytes[i] != '\t' &&
			   escape_is_unsafe(bytes + i, length)) {
			escape_unsafe(out, bytes + i, length);
		} else if (length && is_char(bytes + i, length)) {
			text_add_bytes(out, bytes + i, length);
		} else if (!length && n_sequence) {
			length = n_sequence; /* a surrogate */
			escape_text(out, bytes + i, length, ESCAPE_INVALID);
		} else {
			text_printf(out, "\\x%02x", (unsigned)(unsigned char)bytes[i]);
			length = 1;
		}
	}
}
