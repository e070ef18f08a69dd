// SPDX-License-Identifier: MIT
/* What XML cannot hold is escaped; markup is never let through. */
#include "base/test.h"
#include "formats/junit/xml.h"

#include <string.h>

static void check(const char *text, bool is_attribute, const char *expected)
{
	struct text out = { 0 };

	xml_add(&out, text, strlen(text), is_attribute);
	CHECK(!strcmp(out.bytes, expected), "%s", out.bytes);
	text_free(&out);
}

int main(void)
{
	struct text out = { 0 };

	check("a<b>&\"]]>", false, "a&lt;b&gt;&amp;&quot;]]&gt;");
	check("a\n\tb\r", false, "a\n\tb&#13;");
	check("a\n\tb\r", true, "a&#10;&#9;b&#13;");
	check("\x1b[1m\x01", false, "\\x1b[1m\\x01");
	check("é€\xf0\x9f\x98\x80", false, "é€\xf0\x9f\x98\x80");
	check("\xef\xbf\xbe\xef\xbf\xbf\xef\xbf\xbd", false,
		"\\xef\\xbf\\xbe\\xef\\xbf\\xbf\xef\xbf\xbd");
	/* NOLINTNEXTLINE(misc-misleading-bidirectional): what has to be escaped */
	check("a\u202eb\xc2\x9b"
	      "2J\u2028\x7f\u200d\U000e0041",
		true, "a\\u202eb\\u009b2J\\u2028\\x7f\\u200d\\U000e0041");
	check("\xff\xed\xb2\x80", false, "\\xff\\udc80");
	xml_add(&out, "a\0b", 3, false);
	CHECK(!strcmp(out.bytes, "a\\x00b"), "%s", out.bytes);
	text_free(&out);
	return test_end();
}
