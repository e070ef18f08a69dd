// SPDX-License-Identifier: MIT
#include "base/identifier.h"

bool is_identifier_byte(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '_' || byte & 0x80;
}

size_t identifier_length(const char *text)
{
	size_t n_bytes = 0;

	if (*text >= '0' && *text <= '9')
		return 0;
	while (is_identifier_byte(text[n_bytes]))
		n_bytes++;
	return n_bytes;
}

bool is_identifier(const char *text)
{
	size_t n_bytes = identifier_length(text);

	return n_bytes && !text[n_bytes];
}

size_t dotted_name_length(const char *text)
{
	size_t n_bytes = identifier_length(text), n_more;

	while (n_bytes && text[n_bytes] == '.') {
		n_more = identifier_length(text + n_bytes + 1);
		if (!n_more)
			break;
		n_bytes += 1 + n_more;
	}
	return n_bytes;
}

bool is_dotted_name(const char *text)
{
	size_t n_bytes = dotted_name_length(text);

	return n_bytes && !text[n_bytes];
}
