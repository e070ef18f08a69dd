// SPDX-License-Identifier: MIT
/* DLPack capsules as the worker reads them: versioned and legacy, valid and invalid structs. */
#include "protocols/literal.h"

static const char base[] =
	"{'declared': {'device': (1, 0), 'version': (1, 3), 'flags': 0, 'manager_ctx': '0x9',"
	" 'capsule': {'name': 'dltensor_versioned', 'destructor': '0x99'}, 'deleter': '0x98',"
	" 'dl_tensor': {'data': '0x1000', 'device': {'device_type': 1, 'device_id': 0}, 'ndim': 2,"
	" 'dtype': {'code': 2, 'bits': 32, 'lanes': 1}, 'shape': (2, 3), 'strides': (3, 1),"
	" 'byte_offset': 0}}, 'details': None}";

#define LEGACY "'capsule.name': 'dltensor', 'version': None, 'flags': None"

static const struct literal_case cases[] = {
	{ "", "float32 (2, 3) (12, 4) 0x1000 rw cpu:0" },
	{ "'flags': 1", "float32 (2, 3) (12, 4) 0x1000 ro cpu:0" },
	{ "'flags': 6", "float32 (2, 3) (12, 4) 0x1000 rw cpu:0" },
	{ LEGACY, "float32 (2, 3) (12, 4) 0x1000 unknown cpu:0" },
	{ LEGACY ", 'dl_tensor.strides': None", "float32 (2, 3) [12, 4] 0x1000 unknown cpu:0" },
	{ "'version': (1, 1), 'dl_tensor.strides': None",
		"float32 (2, 3) [12, 4] 0x1000 rw cpu:0" },
	{ "'dl_tensor.byte_offset': 16", "float32 (2, 3) (12, 4) 0x1010 rw cpu:0" },
	{ "'dl_tensor.ndim': 0, 'dl_tensor.shape': None, 'dl_tensor.strides': None",
		"float32 () [] 0x1000 rw cpu:0" },
	{ "'dl_tensor.ndim': 0, 'dl_tensor.shape': (), 'dl_tensor.strides': ()",
		"float32 () [] 0x1000 rw cpu:0" },
	{ "'dl_tensor.device': {'device_type': 14, 'device_id': 1}",
		"float32 (2, 3) (12, 4) 0x1000 rw oneapi:1" },
	{ "'dl_tensor.device': {'device_type': 6, 'device_id': 1}",
		"float32 (2, 3) (12, 4) 0x1000 rw ?:1" },
	{ "'dl_tensor.dtype': {'code': 4, 'bits': 16, 'lanes': 1}",
		"bfloat16 (2, 3) (6, 2) 0x1000 rw cpu:0" },
	{ "'dl_tensor.dtype': {'code': 2, 'bits': 32, 'lanes': 4}",
		"float32x4 (2, 3) (48, 16) 0x1000 rw cpu:0" },
	{ "'dl_tensor.data': '0x0', 'dl_tensor.shape': (0, 3)",
		"float32 (0, 3) (12, 4) 0x0 rw cpu:0" },

	{ "'capsule': None", "capsule must be a PyCapsule, not None" },
	{ "'capsule': None, 'details': {'call': None}",
		"there is no capsule: __dlpack__ was not called" },
	{ "'capsule': <object>", "capsule must be a PyCapsule, not object" },
	{ "'capsule.name': 'used_dltensor'",
		"capsule.name is 'used_dltensor', expected 'dltensor' or 'dltensor_versioned'" },
	{ "'capsule.name': None",
		"capsule.name is NULL, expected 'dltensor' or 'dltensor_versioned'" },
	{ "'capsule.name': <memory at 0x10 cannot be read>",
		"capsule.name points to memory that cannot be read" },
	{ "'capsule.destructor': '0x0'", "capsule.destructor is NULL" },
	{ "'version': (2, 0), 'dl_tensor': None", "version is 2.0, whose struct is unknown" },
	{ "'version': (0, 8)", "version is 0.8, whose struct is unknown" },
	{ "'dl_tensor': None", "dl_tensor must be a DLTensor, not None" },
	{ "'dl_tensor.dtype.code': 18",
		"dl_tensor.dtype: the type code is 18, which dlpack.h does not define" },
	{ "'dl_tensor.dtype.bits': 33",
		"dl_tensor.dtype: bits is 33, which is invalid for kDLFloat" },
	{ "'dl_tensor.dtype.lanes': 0", "dl_tensor.dtype: lanes is 0, expected 1 to 65535" },
	{ "'dl_tensor.ndim': -1", "dl_tensor.ndim is -1, expected 0 to 64" },
	{ "'dl_tensor.ndim': 65", "dl_tensor.ndim is 65, expected 0 to 64" },
	{ "'dl_tensor.shape': None", "dl_tensor.shape is NULL but ndim is 2" },
	{ "'dl_tensor.shape': (2, -3)", "dl_tensor.shape[1] is -3, expected 0 or more" },
	{ "'dl_tensor.shape': (4611686018427387904, 3)",
		"the size of the array in bytes exceeds a signed 64-bit integer" },
	{ "'dl_tensor.strides': None", "dl_tensor.strides is NULL in version 1.3" },
	{ "'dl_tensor.strides': (3, 4611686018427387904)",
		"dl_tensor.strides[1] places elements outside the address space" },
	{ "'dl_tensor.byte_offset': 18446744073709551615",
		"dl_tensor.byte_offset places the first element outside the address space" },
};

int main(void)
{
	LITERAL_CHECK(&dlpack_protocol, base, cases);
	literal_check_version(&dlpack_protocol, base, "", "'1.3'");
	literal_check_version(&dlpack_protocol, base, LEGACY, "'legacy'");
	literal_check_version(&dlpack_protocol, base, "'capsule': None", "None");
	return test_end();
}
