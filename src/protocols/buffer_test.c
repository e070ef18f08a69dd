// SPDX-License-Identifier: MIT
/* Py_buffer as the worker reads it: valid and invalid results of requests. */
#include "protocols/literal.h"

static const char base[] =
	"{'declared': {'buf': '0x1000', 'len': 24, 'itemsize': 4, 'readonly': False, 'ndim': 2,"
	" 'format': 'f', 'shape': (2, 3), 'strides': (12, 4), 'suboffsets': None},"
	" 'details': None}";

#define SCALAR "'ndim': 0, 'len': 4, 'shape': None, 'strides': None"

static const struct literal_case cases[] = {
	{ "", "float32 (2, 3) (12, 4) 0x1000 rw cpu:0" },
	{ "'readonly': True, 'strides': (-12, 4)", "float32 (2, 3) (-12, 4) 0x1000 ro cpu:0" },
	{ "'strides': None", "float32 (2, 3) [12, 4] 0x1000 rw cpu:0" },
	{ SCALAR, "float32 () [] 0x1000 rw cpu:0" },
	{ "'ndim': 1, 'shape': None, 'strides': None", "float32 (6,) [4,] 0x1000 rw cpu:0" },
	{ "'format': '>i'", "swapped int32 (2, 3) (12, 4) 0x1000 rw cpu:0" },
	{ "'format': 'T{h:a:h:b:}'", "void4 (2, 3) (12, 4) 0x1000 rw cpu:0" },
	{ "'format': '%$!'", "void4 (2, 3) (12, 4) 0x1000 rw cpu:0" },
	{ "'shape': (0, 3), 'len': 0, 'buf': '0x0'", "float32 (0, 3) (12, 4) 0x0 rw cpu:0" },

	{ "'declared': None", "buffer must be a Py_buffer, not None" },
	{ "'itemsize': -1", "itemsize is -1, expected 0 or more" },
	{ "'itemsize': 8, 'len': 48", "itemsize is 8, but format 'f' takes 4 bytes" },
	{ "'format': None", "format is NULL but was requested" },
	{ "'format': <memory at 0x7 cannot be read>",
		"format points to memory that cannot be read" },
	{ "'ndim': 65", "ndim is 65, expected 0 to 64" },
	{ "'ndim': -1", "ndim is -1, expected 0 to 64" },
	{ SCALAR ", 'shape': ()", "shape is not NULL but ndim is 0" },
	{ SCALAR ", 'strides': ()", "strides is not NULL but ndim is 0" },
	{ SCALAR ", 'suboffsets': ()", "suboffsets is not NULL but ndim is 0" },
	{ "'shape': None", "shape is NULL but ndim is 2" },
	{ "'ndim': 1, 'shape': None, 'strides': None, 'itemsize': 0, 'len': 0, 'format': '0s'",
		"shape is NULL but itemsize is 0" },
	{ "'ndim': 1, 'shape': None, 'strides': (-9223372036854775808,)",
		"strides[0] places elements outside the address space" },
	{ "'shape': (2, -3)", "shape[1] is -3, expected 0 or more" },
	{ "'len': 23", "len is 23, but the elements take 24 bytes" },
	{ "'ndim': 1, 'shape': None, 'strides': None, 'len': 23",
		"len is 23, not a multiple of itemsize (4)" },
	{ "'ndim': 1, 'shape': None, 'strides': None, 'len': -4", "len is -4, expected 0 or more" },
	{ "'shape': (4611686018427387904, 2)",
		"the size of the array in bytes exceeds a signed 64-bit integer" },
	{ "'suboffsets': (-1, -1)",
		"suboffsets is not NULL, although all its entries are negative; expected NULL" },
	{ "'suboffsets': (0, -1)",
		"suboffsets[0] is 0: an indirect buffer is not a strided array" },
};

int main(void)
{
	LITERAL_CHECK(&buffer_protocol, base, cases);
	literal_check_version(&buffer_protocol, base, "", "None");
	return test_end();
}
