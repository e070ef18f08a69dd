// SPDX-License-Identifier: MIT
/* __array_struct__: PyArrayInterface as the worker reads it. Flags: 0x200 native byte order, 0x400
 * writeable, 0x800 with descr. */
#include "protocols/literal.h"

static const char base[] =
	"{'declared': {'capsule': {'name': None, 'destructor': '0x99'}, 'two': 2, 'nd': 2,"
	" 'typekind': 'f', 'itemsize': 4, 'flags': 1793, 'shape': (2, 3), 'strides': (12, 4),"
	" 'data': '0x1000', 'descr': None}, 'details': None}";

static const struct literal_case cases[] = {
	{ "", "float32 (2, 3) (12, 4) 0x1000 rw cpu:0" },
	{ "'flags': 512", "float32 (2, 3) (12, 4) 0x1000 ro cpu:0" },
	{ "'flags': 1024", "swapped float32 (2, 3) (12, 4) 0x1000 rw cpu:0" },
	{ "'strides': None", "float32 (2, 3) [12, 4] 0x1000 rw cpu:0" },
	{ "'nd': 0, 'shape': None, 'strides': None", "float32 () [] 0x1000 rw cpu:0" },
	{ "'typekind': 'U', 'itemsize': 12", "str3 (2, 3) (12, 4) 0x1000 rw cpu:0" },
	{ "'typekind': 'O', 'itemsize': 8", "object (2, 3) (12, 4) 0x1000 rw cpu:0" },
	{ "'flags': 3584, 'descr': [('x', '<f8')]", "float32 (2, 3) (12, 4) 0x1000 rw cpu:0" },
	{ "'flags': 3584, 'descr': [('x', '<f4')]", "float32 (2, 3) (12, 4) 0x1000 rw cpu:0" },
	{ "'typekind': 'V', 'flags': 0", "void4 (2, 3) (12, 4) 0x1000 ro cpu:0" },
	{ "'typekind': 'V', 'flags': 0, 'descr': '0x2000'",
		"void4 (2, 3) (12, 4) 0x1000 unknown cpu:0" },
	{ "'flags': 0, 'descr': '0x2000'", "swapped float32 (2, 3) (12, 4) 0x1000 unknown cpu:0" },
	{ "'typekind': 'V', 'flags': 256, 'descr': '0x2000'",
		"void4 (2, 3) (12, 4) 0x1000 ro cpu:0" },

	{ "'two': 3", "two is 3, expected 2" },
	{ "'two': None", "the capsule points to memory that cannot be read" },
	{ "'capsule': {'name': 'x'}", "capsule must have no name" },
	{ "'capsule': None", "capsule must be a PyCapsule, not None" },
	{ "'capsule': <object>", "capsule must be a PyCapsule, not object" },
	{ "'nd': -1", "nd is -1, expected 0 to 64" },
	{ "'nd': 65", "nd is 65, expected 0 to 64" },
	{ "'shape': None", "shape is NULL but nd is 2" },
	{ "'shape': <memory at 0x7 cannot be read>", "shape points to memory that cannot be read" },
	{ "'shape': (2305843009213693952, 0)",
		"the size of the array in bytes exceeds a signed 64-bit integer" },
	{ "'shape': (2, -3)", "shape[1] is -3, expected 0 or more" },
	{ "'typekind': 'q'", "typekind is 'q', expected one of t b i u f c m M O S U V" },
	{ "'itemsize': 3", "itemsize is 3, which is not a valid size for typekind 'f'" },
	{ "'typekind': 'U', 'itemsize': 6",
		"itemsize is 6, which is not a valid size for typekind 'U'" },
	{ "'descr': None, 'flags': 3584",
		"descr is NULL but flags contains ARR_HAS_DESCR (0x800)" },
	{ "'itemsize': -4", "itemsize is -4, expected 0 to 2147483647" },
};

int main(void)
{
	LITERAL_CHECK(&numpy_struct_protocol, base, cases);
	literal_check_version(&numpy_struct_protocol, base, "", "2");
	literal_check_version(&numpy_struct_protocol, base, "'two': None", "None");
	return test_end();
}
