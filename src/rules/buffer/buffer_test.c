// SPDX-License-Identifier: MIT
/*
 * The rules of the buffer protocol: facts and the ids that they raise, and the property that
 * describe fails exactly when a structural error is found. Indirect buffers are legal and no
 * strided arrays: describe refuses them, and BUF109 warns of them.
 */
#include "rules/shared/family_test.h"

extern const struct protocol buffer_protocol;

static const char base[] =
	"{'protocol': 'buffer', 'status': 'ok', 'error': None,"
	" 'declared': {'buf': '0x1000', 'len': 24, 'itemsize': 4, 'readonly': False, 'ndim': 2,"
	" 'format': 'f', 'shape': (2, 3), 'strides': (12, 4), 'suboffsets': None},"
	" 'details': {'requests': []}}";

#define SCALAR "'ndim': 0, 'len': 4, 'shape': None, 'strides': None"
#define ASKED(REQUEST, LEN, SET)                                                                   \
	"'details.requests': [{'request': 'PyBUF_" REQUEST "', 'outcome': 'returned', 'len': " LEN \
	", 'itemsize': 4, 'set': [" SET "]}]"

#define REPLY(REQUEST, FIELDS)                             \
	"'details.requests': [{'request': 'PyBUF_" REQUEST \
	"', 'outcome': 'returned', 'itemsize': 4, " FIELDS "}]"

/* A reply with all fields, for the array of the base. */
#define WHOLE(FORMAT)                                                                    \
	"'len': 24, 'ndim': 2, 'set': ['format', 'shape', 'strides'], 'format': " FORMAT \
	", 'shape': (2, 3), 'strides': (12, 4)"

#define FORTRAN ", 'strides': (4, 8)"

#define REFUSED(OUTCOME, TYPE, OWNED)                                                              \
	"'details.requests': [{'request': 'PyBUF_WRITABLE', 'outcome': '" OUTCOME                  \
	"', 'error': {'type': " TYPE ", 'message': ''}, 'len': None, 'itemsize': None, 'set': []," \
	" 'readonly': None, 'owned': " OWNED "}]"

#define REQUEST(NAME, OUTCOME, TYPE, OWNED)                                         \
	"{'request': '" NAME "', 'outcome': '" OUTCOME "', 'error': {'type': " TYPE \
	", 'message': ''}, 'len': None, 'itemsize': None, 'set': [], 'owned': " OWNED "}"

#define AGAIN(OUTCOME, TYPE) \
	"'details.requests': [" REQUEST("PyBUF_FULL_RO", OUTCOME, TYPE, "False") "]"

#define REFUSED_FULL(OWNED)                                                                       \
	"'status': 'refused', 'declared': None, 'error': {'type': 'BufferError', 'message': ''}," \
	" 'details': {'requests': [" REQUEST("PyBUF_FULL_RO", "refused", "None", OWNED) "]}"

#define ONES_10 "1,1,1,1,1,1,1,1,1,1,"
#define ONES_70 ONES_10 ONES_10 ONES_10 ONES_10 ONES_10 ONES_10 ONES_10
#define ONES_64 ONES_10 ONES_10 ONES_10 ONES_10 ONES_10 ONES_10 "1,1,1,1,"

static const struct family_case cases[] = {
	{ "'ndim': 70, 'shape': (" ONES_70 "), 'strides': (" ONES_70 "), 'len': 4", "BUF104" },
	{ "'ndim': 70, 'shape': (" ONES_70 "), 'strides': (" ONES_70 "), 'len': 4, 'buf': '0x0'",
		"BUF104 BUF402" },
	{ "'ndim': 71, 'shape': (" ONES_70 "-3), 'strides': None, 'len': 4", "BUF104" },
	/* The largest number of dimensions. */
	{ "'ndim': 64, 'shape': (" ONES_64 "), 'strides': (4,), 'len': 4", "BUF302" },
	{ "'ndim': 2147483647, 'shape': <memory at 0x7 cannot be read>, 'strides': None",
		"BUF104" },
	/* What is behind the extents differs. */
	{ "'ndim': 71, 'shape': (" ONES_70 "3), 'strides': None, 'len': 4,"
	  " 'details.requests': [{'request': 'PyBUF_ND', 'outcome': 'returned', 'len': 4, 'itemsize': 4,"
	  " 'ndim': 71, 'set': ['shape'], 'shape': (" ONES_70 "4)}]",
		"BUF104" },
	{ REFUSED("refused", "'BufferError'", "False"), "" },
	{ REFUSED("refused", "'BufferError'", "True"), "BUF701" },
	{ REFUSED("raised", "'ValueError'", "False"), "BUF701" },
	{ REFUSED("raised", "'ValueError'", "False") ", 'type': 'numpy.ndarray'", "BUF701" },
	{ REFUSED("raised", "None", "False"), "BUF701" },
	{ AGAIN("refused", "'BufferError'"), "BUF005" },
	{ AGAIN("raised", "None"), "BUF005 BUF701" },
	{ AGAIN("raised", "'ValueError'"), "BUF005" },
	{ REPLY("FULL_RO", WHOLE("'f'")), "" },
	{ REFUSED_FULL("True"), "BUF701" },
	{ REFUSED_FULL("False"), "" },
	{ "", "" },
	{ "'status': 'refused', 'declared': None, 'details': None,"
	  " 'error': {'type': 'BufferError', 'message': ''}",
		"" },
	{ "'status': 'raised', 'declared': None, 'details': None,"
	  " 'error': {'type': 'ValueError', 'message': ''}",
		"BUF001" },
	{ SCALAR, "" },
	{ "'len': 20", "BUF101" },
	{ "'shape': (4611686018427387904, 3)", "BUF101" },
	/* In C order, although the size of the elements is out of range. */
	{ ASKED("SIMPLE", "24",
		  "") ", 'shape': (4294967296, 4294967296), 'strides': (17179869184, 4)",
		"BUF101" },
	{ ASKED("SIMPLE", "24",
		  "") ", 'shape': (4294967296, 4294967296, 2), 'ndim': 3, 'strides': (17179869184, 8, 4)",
		"BUF101 BUF301" },
	{ "'shape': (4611686018427387904, 3, 0), 'ndim': 3, 'len': 0, 'strides': (4, 4, 4)", "" },
	{ "'ndim': 1, 'shape': None, 'strides': None", "BUF108 BUF108" },
	{ "'ndim': 1, 'shape': None, 'strides': None, 'len': 23", "BUF101 BUF108 BUF108" },
	{ "'itemsize': 8, 'len': 48, 'strides': (24, 8)", "BUF102" },
	{ "'itemsize': -4", "BUF102" },
	{ "'itemsize': 1152921504606846976, 'len': 6917529027641081856, 'format': '<f4'",
		"BUF102 BUF201" },
	{ "'format': '2f'", "BUF102" },
	{ "'format': None", "BUF103" },
	{ "'format': 'T{f:\\xff\\xfe:}'", "BUF201" },
	{ "'format': 'T{f:\\x7f\xED\x95\x9C:}'", "" },
	{ "'format': <memory at 0x7 cannot be read>", "BUF103" },
	{ "'ndim': 65", "BUF104" },
	{ "'ndim': -1", "BUF104" },
	{ SCALAR ", 'strides': ()", "BUF104" },
	{ SCALAR ", 'strides': (), 'shape': ()", "BUF104" },
	{ "'shape': None", "BUF104" },
	{ "'shape': (2, -3)", "BUF105" },
	{ "'shape': <memory at 0x7 cannot be read>", "BUF105" },
	{ "'strides': (13, 4)", "BUF106" },
	{ "'strides': (-12, 4)", "" },
	{ "'strides': (3, 1)", "BUF307" },
	{ "'strides': (4, 4)", "BUF308" },
	{ "'strides': (0, 4), 'readonly': True", "" },
	{ "'suboffsets': (-1, -1)", "BUF107" },
	{ "'suboffsets': <memory at 0x7 cannot be read>", "BUF107" },
	{ "'strides': None", "BUF108" },
	{ "'suboffsets': (0, -1)", "BUF109" },
	{ ASKED("SIMPLE", "24", ""), "" },
	{ ASKED("SIMPLE", "24", "'format'"), "BUF110" },
	{ ASKED("ND", "24", "'shape'"), "" },
	{ ASKED("ND", "24", "'shape', 'strides'"), "BUF110" },
	{ ASKED("STRIDES", "24", "'shape', 'strides'"), "" },
	{ ASKED("STRIDES", "24", "'shape', 'strides', 'suboffsets'"), "BUF110" },
	{ ASKED("ND", "24", ""), "BUF108" },
	{ ASKED("STRIDES", "24", "'shape'"), "BUF108" },
	{ ASKED("ND|PyBUF_FORMAT", "24", "'shape'"), "BUF108" },
	{ ASKED("SIMPLE", "24", "") FORTRAN, "BUF301" },
	{ ASKED("FORMAT", "24", "'format'") FORTRAN, "BUF301" },
	{ ASKED("WRITABLE", "24", "") FORTRAN, "BUF301" },
	{ ASKED("WRITABLE|PyBUF_FORMAT", "24", "'format'") FORTRAN, "BUF301" },
	{ ASKED("ND", "24", "'shape'") FORTRAN, "BUF301" },
	{ ASKED("ND|PyBUF_FORMAT", "24", "'format', 'shape'") FORTRAN, "BUF301" },
	{ ASKED("CONTIG", "24", "'shape'") FORTRAN, "BUF301" },
	{ ASKED("CONTIG|PyBUF_FORMAT", "24", "'format', 'shape'") FORTRAN, "BUF301" },
	{ ASKED("STRIDES", "24", "'shape', 'strides'") FORTRAN, "" },
	{ ASKED("SIMPLE", "24", "") ", 'strides': (-12, 4)", "BUF301" },
	{ ASKED("SIMPLE", "24", "") ", 'strides': (24, 4)", "BUF301" },
	{ ASKED("SIMPLE", "24", "") ", 'strides': (0, 4)", "BUF301 BUF308" },
	{ ASKED("SIMPLE", "24", "") ", 'strides': (9223372036854775807, 4)", "BUF301 BUF302" },
	/* Other defects do not hide it. */
	{ ASKED("SIMPLE", "24", "") FORTRAN ", 'buf': '0x0'", "BUF301 BUF402" },
	{ ASKED("SIMPLE", "24", "") FORTRAN ", 'format': None", "BUF103 BUF301" },
	{ ASKED("SIMPLE", "24", "") ", 'suboffsets': (0, -1)", "BUF109 BUF301" },
	{ ASKED("STRIDES", "24", "'shape', 'strides'") ", 'suboffsets': (0, -1)", "BUF109 BUF301" },
	/* Strides of extents 0 and 1 are arbitrary; another rule checks itemsize. */
	{ ASKED("SIMPLE", "12", "") ", 'len': 12, 'shape': (1, 3), 'strides': (100, 4)", "" },
	{ ASKED("SIMPLE", "0", "") ", 'len': 0, 'shape': (0, 3), 'strides': (100, 40)", "" },
	{ ASKED("SIMPLE", "24", "") ", 'format': 'd'", "BUF102" },
	/* A copy made for the request is at another address; another one in the block is wrong. */
	{ REPLY("SIMPLE", "'buf': '0x9000', 'len': 24, 'ndim': 1") FORTRAN, "" },
	{ REPLY("STRIDES", "'buf': '0x9000', 'len': 24, 'set': ['shape', 'strides'], 'ndim': 2,"
			   " 'shape': (2, 3), 'strides': (12, 4)"),
		"" },
	{ REPLY("C_CONTIGUOUS",
		  "'buf': '0x9000', 'len': 24, 'set': ['shape', 'strides'], 'ndim': 2,"
		  " 'shape': (2, 3), 'strides': (12, 4)") FORTRAN,
		"" },
	{ REPLY("SIMPLE", "'buf': '0x1004', 'len': 24, 'ndim': 1"), "BUF113" },
	{ REPLY("FULL", WHOLE("'f'")), "" },
	{ REPLY("FULL", WHOLE("'i'")), "BUF113" },
	{ REPLY("FULL", WHOLE("None")), "" },
	{ REPLY("C_CONTIGUOUS", WHOLE("'i'")), "BUF110" },
	{ REPLY("SIMPLE", "'buf': '0x1000', 'len': 24, 'ndim': 0"), "" },
	{ REPLY("SIMPLE", "'len': 24, 'itemsize': 1"), "" },
	{ REPLY("SIMPLE", "'len': 24, 'itemsize': 2"), "BUF113" },
	{ REPLY("ND", "'len': 24, 'itemsize': 1"), "BUF108 BUF113" },
	{ REPLY("ND", "'len': 24, 'ndim': 1, 'set': ['shape'], 'shape': (6,)"), "BUF113" },
	{ REPLY("ND", "'len': 24, 'ndim': 2, 'set': ['shape'], 'shape': (3, 2)"), "BUF113" },
	{ REPLY("ND", "'len': 24, 'ndim': 2, 'set': ['shape'], 'shape': None"), "BUF113" },
	{ REPLY("ND", "'len': 24, 'ndim': 2, 'set': ['shape'], 'shape': (2, 3)"), "" },
	{ REPLY("STRIDES", "'len': 24, 'ndim': 2, 'set': ['shape', 'strides'], 'shape': (2, 3),"
			   " 'strides': (4, 8)"),
		"BUF113" },
	{ REPLY("STRIDES", "'len': 12, 'ndim': 2, 'set': ['shape', 'strides'], 'shape': (1, 3),"
			   " 'strides': (4, 4)") ", 'len': 12, 'shape': (1, 3)",
		"" },
	{ REPLY("SIMPLE", "'len': 24, 'readonly': True"), "BUF801" },
	{ REPLY("CONTIG", "'len': 24, 'set': ['shape'], 'readonly': True") ", 'readonly': True",
		"BUF801" },
	{ "'format': 'T{<i:a:<d:b:}', 'itemsize': 16, 'len': 96, 'strides': (48, 16)", "BUF111" },
	{ "'format': 'T{<i:a:<d:b:}', 'itemsize': 20, 'len': 120, 'strides': (60, 20)", "BUF102" },
	{ "'format': 'T{i:a:d:b:}', 'itemsize': 16, 'len': 96, 'strides': (48, 16)", "" },
	{ "'format': 'T{i:a:d:b:}', 'itemsize': 12, 'len': 72, 'strides': (36, 12)", "BUF102" },
	{ ASKED("SIMPLE", "6", ""), "BUF113" },
	{ "'format': '%$!'", "BUF201" },
	{ "'format': 'T{<h:a:<h:a:}'", "BUF201" },
	{ "'format': 'T{<h::<h::}'", "BUF201" },
	{ "'format': '<h:a:<h:a:'", "BUF201" },
	{ "'format': 'T{T{<b:x:<b:x:}:a:<h:b:}'", "BUF201" },
	{ "'format': 'T{T{<b:a:<b:b:}:a:<h:b:}'", "" },
	{ "'format': 'T{T{<b:x:<b:y:}:a:T{<b:x:<b:y:}:b:}'", "" },
	{ "'format': '>?', 'itemsize': 1, 'len': 6, 'strides': (3, 1)", "" },
	{ "'strides': (9223372036854775807, 9223372036854775807)", "BUF302" },
	{ "'strides': (12,)", "BUF302" },
	{ "'ndim': 1, 'shape': None, 'strides': (-9223372036854775808,)", "BUF108 BUF302" },
	{ "'ndim': 1, 'shape': None, 'strides': (4,)", "BUF108" },
	{ "'buf': '0x0'", "BUF402" },
	{ "'buf': '0x0', 'shape': (2, 0), 'len': 0", "" },
	/* Layout rules still find their facts next to another defect. */
	{ "'len': 20, 'buf': '0x0'", "BUF101 BUF402" },
	{ "'len': 20, 'strides': (13, 4)", "BUF101 BUF106" },
	{ "'len': 20, 'strides': (9223372036854775807, 9223372036854775807)", "BUF101 BUF302" },
	{ "'format': '2f', 'buf': '0x0'", "BUF102 BUF402" },
	{ "'format': None, 'buf': '0x0'", "BUF103 BUF402" },
	{ SCALAR ", 'strides': (), 'buf': '0x0'", "BUF104 BUF402" },
	{ "'suboffsets': (-1, -1), 'buf': '0x0'", "BUF107 BUF402" },
	{ "'suboffsets': (0, -1), 'buf': '0x0'", "BUF109 BUF402" },
	{ "'shape': (2, -3), 'buf': '0x0'", "BUF105 BUF402" },
};

static const char *const pool[] = {
	"'len': 0",
	"'len': 23",
	"'len': 6",
	"'len': -1",
	"'itemsize': 1",
	"'itemsize': 0",
	"'itemsize': -4",
	"'itemsize': 16",
	"'ndim': 0",
	"'ndim': 1",
	"'ndim': 3",
	"'ndim': 65",
	"'ndim': -1",
	"'format': 'B'",
	"'format': '%$!'",
	"'format': 'T{<i:a:<d:b:}'",
	"'format': None",
	"'format': <memory at 0x7 cannot be read>",
	"'shape': (6,)",
	"'shape': (2, -3)",
	"'shape': (0, 3)",
	"'shape': (4611686018427387904, 4)",
	"'shape': None",
	"'shape': ()",
	"'shape': <memory at 0x7 cannot be read>",
	"'strides': (4,)",
	"'strides': (4, 9223372036854775807)",
	"'strides': (-12, 0)",
	"'strides': None",
	"'strides': ()",
	"'strides': <memory at 0x7 cannot be read>",
	"'suboffsets': (-1, -1)",
	"'suboffsets': (-1,)",
	"'suboffsets': <memory at 0x7 cannot be read>",
	"'buf': '0x0'",
	"'readonly': True",
};

static struct family_excuse excuses[] = {
	{ "BUF103", "BUF113", "the format to compare is unknown" },
	{ "BUF104", "BUF101 BUF105 BUF301 BUF302 BUF113", "the number of dimensions is unknown" },
	{ "BUF104", "BUF108 BUF107", "which pointers must be NULL depends on ndim" },
	{ "BUF105", "BUF101 BUF113 BUF301 BUF302", "the extents are unknown" },
	{ "'itemsize': -4", "BUF101 BUF113 BUF301 BUF302", "the size of an element is unknown" },
	{ "'shape': (4611686018427387904, 3)", "BUF113 BUF302", "one size that does not fit" },
	{ "'format': '2f'", "BUF102", "one difference of itemsize and format" },
	{ "'itemsize': 8", "BUF102", "one difference of itemsize and format" },
	{ "BUF103", "BUF102 BUF108", "without a format nothing differs from it" },
	{ "BUF201", "BUF102", "what an unknown format takes is not known" },
	{ "'ndim': 1, 'shape': None", "BUF101 BUF113",
		"a flat buffer of another number of elements" },
	{ "BUF108", "BUF113", "there are no strides to differ" },
	{ "BUF102", "BUF307 BUF308", "the size of an element is one of two" },
	{ "'shape': (4611686018427387904, 3)", "BUF307 BUF308",
		"the layout does not fit in numbers of 64 bits" },
	{ "BUF201", "BUF307 BUF308", "what an unknown format takes is not known" },
	{ "BUF109", "BUF307 BUF308", "the elements are reached through pointers" },
	{ "BUF104", "BUF307 BUF308", "the number of dimensions is unknown" },
	{ "BUF105", "BUF307 BUF308", "the extents are unknown" },
	{ "BUF109", "BUF113", "the extent of the block is not known" },
	{ "BUF302", "BUF113", "the extent of the block is not known" },
	{ "BUF402", "BUF113", "the extent of the block is not known" },
};

int main(void)
{
	FAMILY_CHECK(base, cases);
	FAMILY_CHECK_PAIRS(base, cases, excuses);
	FAMILY_CHECK_DESCRIBE(&buffer_protocol, base, pool);
	return test_end();
}
