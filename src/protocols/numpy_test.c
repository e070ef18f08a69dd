// SPDX-License-Identifier: MIT
/* __array_interface__: valid and invalid dictionaries, with addresses and with buffers. */
#include "protocols/literal.h"

static const char base[] =
	"{'declared': {'data': (4096, False), 'strides': None, 'descr': [('', '<f4')],"
	" 'typestr': '<f4', 'shape': (2, 3), 'version': 3}, 'details': None}";

#define BUFFER "'details': {'buffer': {'pointer': '0x2000', 'nbytes': 64, 'readonly': True}}"

static const struct literal_case cases[] = {
	{ "", "float32 (2, 3) [12, 4] 0x1000 rw cpu:0" },
	{ "'data': (4096, True), 'strides': (4, 8)", "float32 (2, 3) (4, 8) 0x1000 ro cpu:0" },
	{ "'data': <bytearray>, " BUFFER, "float32 (2, 3) [12, 4] 0x2000 ro cpu:0" },
	{ "'data': <bytearray>, 'offset': 8, " BUFFER, "float32 (2, 3) [12, 4] 0x2008 ro cpu:0" },
	{ "'data': None, 'offset': 4, " BUFFER, "float32 (2, 3) [12, 4] 0x2004 ro cpu:0" },
	{ "'data': <absent>", "float32 (2, 3) [12, 4] 0x0 unknown cpu:0" },
	{ "'data': <absent>, " BUFFER, "float32 (2, 3) [12, 4] 0x2000 ro cpu:0" },
	{ "'descr': [('', '<f8')]", "float32 (2, 3) [12, 4] 0x1000 rw cpu:0" },
	{ "'typestr': '|V8', 'descr': {'names': ['x']}", "void8 (2, 3) [24, 8] 0x1000 rw cpu:0" },
	{ "'descr': <absent>", "float32 (2, 3) [12, 4] 0x1000 rw cpu:0" },
	{ "'typestr': '|O', 'descr': [('', '|O')]", "object (2, 3) [24, 8] 0x1000 rw cpu:0" },
	{ "'typestr': '<U3', 'descr': [('', '<U3')]", "str3 (2, 3) [36, 12] 0x1000 rw cpu:0" },
	{ "'shape': (), 'version': 7", "float32 () [] 0x1000 rw cpu:0" },
	{ "'shape': (2305843009213693951, 0)",
		"float32 (2305843009213693951, 0) [4, 4] 0x1000 rw cpu:0" },
	{ "'mask': <numpy.ndarray>", "float32 (2, 3) [12, 4] 0x1000 rw cpu:0" },
	{ "'mask': {'exposes': True, 'declared': {'shape': (1, 3)}}",
		"float32 (2, 3) [12, 4] 0x1000 rw cpu:0" },

	{ "'declared': None", "__array_interface__ must be a dict, not None" },
	{ "'shape': <absent>", "shape is missing" },
	{ "'typestr': <absent>", "typestr is missing" },
	{ "'version': <absent>", "version is missing" },
	{ "'version': 3.0", "version must be an int, not float" },
	{ "'shape': 3", "shape must be a tuple, not int" },
	{ "'shape': (2305843009213693952, 0)",
		"the size of the array in bytes exceeds a signed 64-bit integer" },
	{ "'shape': (2, '3')", "shape[1] must be an int, not str" },
	{ "'data': [4096, False]", "data must be a tuple of two, not list" },
	{ "'data': (4096, 0)", "float32 (2, 3) [12, 4] 0x1000 rw cpu:0" },
	{ "'data': (4096, 1)", "float32 (2, 3) [12, 4] 0x1000 ro cpu:0" },
	{ "'data': (4096, 'False')", "float32 (2, 3) [12, 4] 0x1000 ro cpu:0" },
	{ "'data': (4096, None)", "float32 (2, 3) [12, 4] 0x1000 rw cpu:0" },
	{ "'data': 'abc'", "data must be a 2-tuple, a buffer or None, not str" },
	{ "'data': <Thing>, 'details': {'buffer': None}",
		"data must be a 2-tuple, a buffer or None, not Thing" },
	{ "'data': None", "data is None but the object itself exports no buffer" },
	{ "'offset': 0", "offset must be absent if data is an address and a flag" },
	{ "'data': None, 'offset': '4', " BUFFER, "offset must be an int, not str" },
	{ "'typestr': '<x4'",
		"typestr: '<x4' has no kind that the array interface defines (biufcmMOSUVt)" },
	{ "'typestr': '<f3'", "typestr: '<f3': 3 is not a valid size for kind 'f'" },
	{ "'strides': (4,)", "strides has 1 entry, expected 2" },
	{ "'strides': [12, 4]", "strides must be a tuple or None, not list" },
	{ "'mask': 7", "mask must be None or an object that exposes __array_interface__" },
	{ "'mask': {'exposes': True, 'declared': {'shape': (3, 2)}}",
		"the shape of mask does not broadcast to the shape of the array" },
	{ "'mask': {'exposes': True, 'declared': {'shape': (4, 2, 3)}}",
		"the shape of mask does not broadcast to the shape of the array" },
};

int main(void)
{
	LITERAL_CHECK(&numpy_protocol, base, cases);
	literal_check_version(&numpy_protocol, base, "", "3");
	literal_check_version(&numpy_protocol, base, "'declared': None", "None");
	return test_end();
}
