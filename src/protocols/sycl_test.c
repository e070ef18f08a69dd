// SPDX-License-Identifier: MIT
/* __sycl_usm_array_interface__: valid and invalid dictionaries. */
#include "protocols/literal.h"

static const char base[] =
	"{'declared': {'shape': (2, 3), 'typestr': '|f4', 'data': (4096, False), 'strides': None,"
	" 'offset': 0, 'version': 1, 'syclobj': <dpctl.SyclQueue>},"
	" 'details': {'syclobj': {'form': 'queue', 'device': {'position': 1}}}}";

static const struct literal_case cases[] = {
	{ "", "float32 (2, 3) [12, 4] 0x1000 rw oneapi:1" },
	{ "'data': (4096, True)", "float32 (2, 3) [12, 4] 0x1000 ro oneapi:1" },
	{ "'data': (4096, numpy.bool_(True))", "float32 (2, 3) [12, 4] 0x1000 ro oneapi:1" },
	{ "'data': (4096, 1)", "float32 (2, 3) [12, 4] 0x1000 unknown oneapi:1" },
	{ "'details': None", "float32 (2, 3) [12, 4] 0x1000 rw oneapi:-1" },
	{ "'strides': (3, 1)", "float32 (2, 3) (12, 4) 0x1000 rw oneapi:1" },
	{ "'strides': <absent>, 'offset': <absent>", "float32 (2, 3) [12, 4] 0x1000 rw oneapi:1" },
	{ "'strides': (-3, 1), 'offset': 3", "float32 (2, 3) (-12, 4) 0x100c rw oneapi:1" },
	{ "'offset': -2", "float32 (2, 3) [12, 4] 0xff8 rw oneapi:1" },
	{ "'shape': ()", "float32 () [] 0x1000 rw oneapi:1" },
	{ "'shape': (numpy.int64(2), 3)", "float32 (2, 3) [12, 4] 0x1000 rw oneapi:1" },
	{ "'shape': (0,), 'data': (0, False)", "float32 (0,) [4,] 0x0 rw oneapi:1" },
	{ "'typestr': '>f8', 'strides': (0, 1)",
		"swapped float64 (2, 3) (0, 8) 0x1000 rw oneapi:1" },
	{ "'typestr': '=i2'", "int16 (2, 3) [6, 2] 0x1000 rw oneapi:1" },
	{ "'typestr': '|b1', 'data': (18446744073709551615, False)",
		"bool (2, 3) [3, 1] 0xffffffffffffffff rw oneapi:1" },
	{ "'extra': 1", "float32 (2, 3) [12, 4] 0x1000 rw oneapi:1" },

	{ "'declared': (1, 2)", "__sycl_usm_array_interface__ must be a dict, not tuple" },
	{ "'version': <absent>", "version is missing" },
	{ "'version': True", "version must be the int 1, not bool" },
	{ "'version': 2", "version is 2, expected 1" },
	{ "'shape': <absent>", "shape is missing" },
	{ "'shape': None", "shape must be a tuple, not None" },
	{ "'shape': [2, 3]", "shape must be a tuple, not list" },
	{ "'shape': (2, 3.0)", "shape[1] must be an int, not float" },
	{ "'shape': (True, 3)", "shape[0] must be an int, not bool" },
	{ "'shape': (2, -3)", "shape[1] is -3, expected 0 or more" },
	{ "'shape': (99999999999999999999,)",
		"shape[0] is 99999999999999999999, expected a signed 64-bit integer" },
	{ "'shape': (1000000000000000000000000000000000000000000000000000000000000,)",
		"shape[0] is 100000000000000000000000000000000000000000000000000000000000..., expected a signed 64-bit integer" },
	{ "'shape': (4611686018427387904,)",
		"the size of the array in bytes exceeds a signed 64-bit integer" },
	{ "'typestr': <absent>", "typestr is missing" },
	{ "'typestr': <bytes>", "typestr must be a str, not bytes" },
	{ "'typestr': '|S4'", "typestr is '|S4', whose kind is not one of biufc" },
	{ "'typestr': '<f16'", "typestr is '<f16', for which SYCL has no type" },
	{ "'typestr': '<c4'", "typestr is '<c4', for which SYCL has no type" },
	{ "'data': <absent>", "data is missing" },
	{ "'data': [4096, False]", "data must be a tuple of two, not list" },
	{ "'data': (4096,)", "data has 1 entry, expected 2" },
	{ "'data': (None, False)", "data[0] must be an int, not None" },
	{ "'data': (-1, False)", "data[0] is -1, expected 0 to 2^64 - 1" },
	{ "'data': (18446744073709551616, False)",
		"data[0] is 18446744073709551616, expected 0 to 2^64 - 1" },
	{ "'strides': [3, 1]", "strides must be a tuple or None, not list" },
	{ "'strides': (3, 1.0)", "strides[1] must be an int, not float" },
	{ "'strides': (3,)", "strides has 1 entry, expected 2" },
	{ "'strides': (3, 2305843009213693952)",
		"strides[1] places elements outside the address space" },
	{ "'offset': None", "offset must be an int, not None" },
	{ "'offset': 9223372036854775807",
		"offset places the first element outside the address space" },
	{ "'offset': -1025", "offset places the first element outside the address space" },
	{ "'syclobj': <absent>", "syclobj is missing" },
	{ "'syclobj': None",
		"syclobj must be a queue, a context, a capsule, an object with _get_capsule or a filter string, not None" },
};

int main(void)
{
	LITERAL_CHECK(&sycl_protocol, base, cases);
	literal_check_version(&sycl_protocol, base, "", "1");
	literal_check_version(&sycl_protocol, base, "'version': '1'", "None");
	return test_end();
}
