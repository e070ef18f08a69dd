// SPDX-License-Identifier: MIT
/*
 * The rules of both forms of NumPy's array interface: facts and the ids that they raise, and the
 * property that describe fails exactly when a structural error is found.
 */
#include "rules/family_test.h"

extern const struct protocol numpy_protocol, numpy_struct_protocol;

static const char base[] =
	"{'protocol': 'numpy', 'status': 'ok', 'error': None,"
	" 'declared': {'shape': (2, 3), 'typestr': '<f4', 'data': (4096, False), 'strides': None,"
	" 'version': 3}, 'details': None}";

#define BUFFER "'details': {'buffer': {'pointer': '0x2000', 'nbytes': 64, 'readonly': True}}"

static const struct family_case cases[] = {
	{ "", "" },
	{ "'declared': <mappingproxy>", "NAI001" },
	{ "'declared': None", "NAI001" },
	{ "'status': 'raised', 'declared': None, 'error': {'type': 'ValueError', 'message': 'no'}",
		"NAI002" },
	{ "'stride': None", "NAI004" },
	{ "'shape': <absent>, 'version': <absent>", "NAI101 NAI101" },
	{ "'typestr': <absent>", "NAI101" },
	{ "'shape': [2, 3]", "NAI102" },
	{ "'shape': None", "NAI102" },
	{ "'shape': (2, -3)", "NAI102" },
	{ "'shape': (2, 3.0)", "NAI102" },
	{ "'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
	  "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)",
		"NAI102" },
	{ "'shape': ()", "" },
	{ "'version': 2", "" },
	{ "'version': 7", "" },
	{ "'version': True", "NAI103" },
	{ "'data': [4096, False]", "NAI104" },
	{ "'data': (4096,)", "NAI104" },
	{ "'data': (None, 1)", "NAI104 NAI104" },
	{ "'data': (4096, numpy.bool_(False))", "NAI104" },
	{ "'data': '0x1000'", "NAI104" },
	{ "'data': <bytearray>, " BUFFER, "" },
	{ "'data': None", "NAI104" },
	{ "'data': None, " BUFFER, "" },
	{ "'data': <absent>", "NAI112" },
	{ "'data': <absent>, " BUFFER, "NAI112" },
	{ "'offset': 0", "NAI105" },
	{ "'offset': None, 'data': None, " BUFFER, "NAI105" },
	{ "'offset': 8, 'data': None, " BUFFER, "" },
	{ "'offset': -9000, 'data': None, " BUFFER, "NAI105" },
	{ "'offset': 99999999999999999999, 'data': None, " BUFFER, "NAI105" },
	{ "'descr': [('x', '<f4')]", "" },
	{ "'descr': [('x', '<f8')]", "NAI106" },
	{ "'descr': (('x', '<f4'),)", "NAI106" },
	{ "'mask': 7", "NAI107" },
	{ "'mask': <numpy.ndarray>", "" },
	{ "'mask': {'exposes': True, 'declared': {'shape': (3, 2)}}", "NAI107" },
	{ "'data': (numpy.uint64(4096), False)", "NAI108" },
	{ "'typestr': 'f4'", "NAI201" },
	{ "'typestr': '<q4'", "NAI201" },
	{ "'typestr': '<f1'", "NAI201" },
	{ "'typestr': 'StringDType()'", "NAI201" },
	{ "'typestr': '<M8[25s]', 'shape': (3,)", "" },
	{ "'typestr': '|O'", "" },
	{ "'typestr': '<U3'", "" },
	{ "'typestr': '=f4'", "" },
	{ "'strides': [12, 4]", "NAI301" },
	{ "'strides': (12,)", "NAI301" },
	{ "'strides': (12, None)", "NAI301" },
	{ "'strides': (-12, 4)", "" },
	{ "'shape': (2147483648, 2147483648, 8)", "NAI303" },
	{ "'shape': (2147483648, 2147483648, 8, 0)", "" },
	{ "'strides': (9223372036854775807, 9223372036854775807)", "NAI303" },
	{ "'data': (0, False)", "NAI401" },
	{ "'data': (0, False), 'shape': (2, 0)", "" },
	{ "'version': None, 'shape': [2], 'typestr': 'f4'", "NAI102 NAI103 NAI201" },
};

static const char *const pool[] = {
	"'shape': (2, 3)",
	"'shape': ()",
	"'shape': (0, -1)",
	"'shape': [2]",
	"'shape': (True,)",
	"'shape': (4611686018427387904, 4)",
	"'shape': (99999999999999999999, 0)",
	"'shape': <absent>",
	"'strides': (3, 1)",
	"'strides': (1,)",
	"'strides': [3, 1]",
	"'strides': (1, 9223372036854775807)",
	"'strides': (None, 1)",
	"'strides': (99999999999999999999, 1)",
	"'strides': <absent>",
	"'offset': None",
	"'offset': -8193",
	"'offset': 8",
	"'offset': 99999999999999999999",
	"'typestr': '>i2'",
	"'typestr': '<c4'",
	"'typestr': '|S4'",
	"'typestr': '<f2x'",
	"'typestr': '<M8[s]'",
	"'typestr': '|b2'",
	"'typestr': '|O'",
	"'typestr': None",
	"'typestr': <absent>",
	"'data': (0, True)",
	"'data': (4097, None)",
	"'data': (18446744073709551616, False)",
	"'data': (-1, False)",
	"'data': (1, True, 2)",
	"'data': [1, True]",
	"'data': None",
	("'data': None, " BUFFER),
	("'data': <bytearray>, " BUFFER),
	"'data': 'abc'",
	"'data': <absent>",
	"'descr': [('', '<f4')]",
	"'descr': [('x', '<i2'), ('', '|V2')]",
	"'descr': (('x', '<f4'),)",
	"'descr': [('x', 7)]",
	"'mask': None",
	"'mask': {'exposes': True, 'declared': {'shape': (3,)}}",
	"'mask': {'exposes': False, 'declared': None}",
	"'mask': 'x'",
	"'version': 2",
	"'version': True",
	"'version': <absent>",
	"'extra': 1",
};

static const char struct_base[] =
	"{'protocol': 'numpy-struct', 'status': 'ok', 'error': None,"
	" 'declared': {'capsule': {'name': None, 'destructor': '0x99', 'context': '0x98'}, 'two': 2,"
	" 'nd': 2, 'typekind': 'f', 'itemsize': 4, 'flags': 1793, 'shape': (2, 3),"
	" 'strides': (12, 4), 'data': '0x1000', 'descr': None}, 'details': None}";

static const struct family_case struct_cases[] = {
	{ "", "" },
	{ "'status': 'raised', 'declared': None, 'error': {'type': 'ValueError', 'message': 'no'}",
		"NAI002" },
	{ "'declared.capsule': <object>", "NAI003" },
	{ "'declared.capsule.name': 'x'", "NAI003" },
	{ "'two': None", "NAI003" },
	{ "'two': 3", "NAI109" },
	{ "'nd': 65", "NAI110" },
	{ "'nd': -1", "NAI110" },
	{ "'shape': None", "NAI110" },
	{ "'shape': <memory at 0x7 cannot be read>", "NAI110" },
	{ "'shape': (2, -3)", "NAI110" },
	{ "'nd': 0, 'shape': None, 'strides': None", "" },
	{ "'flags': 3841, 'descr': [('x', '<f8')]", "NAI111" },
	{ "'descr': [('x', '<f8')]", "" },
	{ "'typekind': 'q'", "NAI203" },
	{ "'itemsize': -4", "NAI203" },
	{ "'shape': (4611686018427387904, 3)", "NAI303" },
	{ "'strides': (4611686018427387904, 4611686018427387904)", "NAI303" },
	{ "'strides': <memory at 0x7 cannot be read>", "NAI304" },
	{ "'strides': None", "" },
	{ "'data': '0x0'", "NAI401" },
	{ "'declared.capsule.destructor': '0x0'", "NAI801" },
	{ "'declared.capsule.context': '0x0'", "NAI801" },
	{ "'strides': (4, 8)", "NAI801" },
	{ "'flags': 1794, 'strides': (4, 8)", "" },
	{ "'data': '0x1002'", "NAI801" },
	{ "'flags': 3841, 'descr': [('x', '<f8')], 'data': '0x0'", "NAI111 NAI401" },
	{ "'flags': 3841, 'descr': [('x', '<f8')], 'strides': (4, 8)", "NAI111 NAI801" },
	{ "'typekind': 'q', 'strides': (4, 8)", "NAI203 NAI801" },
};

static const char *const struct_pool[] = {
	"'capsule': None",
	"'capsule': {'name': 'x', 'destructor': '0x99', 'context': '0x98'}",
	"'capsule': {'name': None, 'destructor': '0x0', 'context': '0x0'}",
	"'two': 3",
	"'two': None",
	"'nd': 0",
	"'nd': 1",
	"'nd': 65",
	"'nd': -1",
	"'shape': None",
	"'shape': (2, 3)",
	"'shape': (2, -3)",
	"'shape': (4611686018427387904, 4)",
	"'shape': <memory at 0x7 cannot be read>",
	"'strides': None",
	"'strides': (4, 8)",
	"'strides': (1, 9223372036854775807)",
	"'strides': (4,)",
	"'strides': <memory at 0x7 cannot be read>",
	"'typekind': 'V'",
	"'typekind': 'q'",
	"'typekind': '\\x00'",
	"'itemsize': 8",
	"'itemsize': 3",
	"'itemsize': -4",
	"'flags': 0",
	"'flags': 3841",
	"'descr': [('x', '<f4')]",
	"'descr': [('x', '<f8')]",
	"'descr': <memory at 0x7 cannot be read>",
	"'data': '0x0'",
};

int main(void)
{
	FAMILY_CHECK(base, cases);
	FAMILY_CHECK_DESCRIBE(&numpy_protocol, base, pool);
	FAMILY_CHECK(struct_base, struct_cases);
	FAMILY_CHECK_DESCRIBE(&numpy_struct_protocol, struct_base, struct_pool);
	return test_end();
}
