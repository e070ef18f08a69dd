// SPDX-License-Identifier: MIT
/* __cuda_array_interface__: valid and invalid dictionaries of each version. */
#include "protocols/literal.h"

static const char base[] =
	"{'declared': {'shape': (2, 3), 'typestr': '<f4', 'data': (4096, False), 'version': 3},"
	" 'details': None}";

static const struct literal_case cases[] = {
	{ "", "float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },
	{ "'strides': (4, 8), 'stream': 1", "float32 (2, 3) (4, 8) 0x1000 rw cuda:-1" },
	{ "'strides': None, 'stream': None", "float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },
	{ "'shape': (0, 3), 'data': (0, True)", "float32 (0, 3) [12, 4] 0x0 ro cuda:-1" },
	{ "'typestr': '<M8[ns]'", "datetime64[ns] (2, 3) [24, 8] 0x1000 rw cuda:-1" },
	{ "'descr': [('', '<f4')]", "float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },
	{ "'descr': (('', '<f4'),)", "float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },
	{ "'descr': [['', '<f4']]", "float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },
	{ "'descr': [('', '<f8')]", "float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },
	{ "'descr': [('x', 'x4')]", "float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },
	{ "'descr': [('p', [('x', '<f4', 1, 1)])]", "float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },
	{ "'typestr': '|V8', 'descr': {'names': ['x']}", "void8 (2, 3) [24, 8] 0x1000 rw cuda:-1" },
	{ "'typestr': '|V8', 'descr': [('x', '<f4'), (('title', 'y'), '<i2', (2,))]",
		"void8 (2, 3) [24, 8] 0x1000 rw cuda:-1" },
	{ "'typestr': '|V8', 'descr': [('p', [('x', '<f4'), ('', '|V4')])]",
		"void8 (2, 3) [24, 8] 0x1000 rw cuda:-1" },
	{ "'mask': None", "float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },
	{ "'mask': {'exposes': True, 'declared': None}",
		"float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },
	{ "'mask': 7, 'version': 0", "float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },
	{ "'stream': 'x', 'version': 2", "float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },
	{ "'version': 4", "float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },

	{ "'details': {'mapping': True}, 'version': 1",
		"float32 (2, 3) [12, 4] 0x1000 rw cuda:-1" },

	{ "'declared': <dict_like>", "__cuda_array_interface__ must be a dict, not dict_like" },
	{ "'details': {'mapping': True}, 'version': 2",
		"since version 2, __cuda_array_interface__ must be a dict, not another mapping" },
	{ "'version': <absent>", "version is missing" },
	{ "'version': '3'", "version must be an int, not str" },
	{ "'shape': <absent>", "shape is missing" },
	{ "'shape': [2, 3]", "shape must be a tuple, not list" },
	{ "'shape': (2, None)", "shape[1] must be an int, not None" },
	{ "'shape': (-1, 3)", "shape[0] is -1, expected 0 or more" },
	{ "'shape': (4294967296, 4294967296)",
		"the size of the array in bytes exceeds a signed 64-bit integer" },
	{ "'typestr': None", "typestr must be a str, not None" },
	{ "'typestr': '|O'", "typestr is '|O', whose kind is not one of tbiufcmMSUV" },
	{ "'data': (None, False)", "data[0] must be an int, not None" },
	{ "'data': (4096, False, 0)", "data has 3 entries, expected 2" },
	{ "'data': (4096, 0)", "data[1] must be a bool, not int" },
	{ "'data': (4096, numpy.bool_(True))", "data[1] must be a bool, not numpy.bool_" },
	{ "'strides': [12, 4]", "strides must be a tuple or None, not list" },
	{ "'strides': (12, 4, 1)", "strides has 3 entries, expected 2" },
	{ "'mask': {'exposes': False, 'declared': None}",
		"mask must be None or an object that exposes __cuda_array_interface__" },
	{ "'mask': 7, 'version': 1",
		"mask must be None or an object that exposes __cuda_array_interface__" },
	{ "'stream': True", "stream must be an int or None, not bool" },
};

int main(void)
{
	LITERAL_CHECK(&cuda_protocol, base, cases);
	literal_check_version(&cuda_protocol, base, "", "3");
	literal_check_version(&cuda_protocol, base, "'version': <absent>", "None");
	return test_end();
}
