// SPDX-License-Identifier: MIT
/*
 * The rules of __cuda_array_interface__: dictionaries of each version and the ids that they raise,
 * and the property that describe fails exactly when a structural error is found.
 */
#include "rules/family_test.h"

extern const struct protocol cuda_protocol;

static const char base[] =
	"{'protocol': 'cuda', 'status': 'ok', 'error': None,"
	" 'declared': {'shape': (2, 3), 'typestr': '<f4', 'data': (4096, False), 'version': 3},"
	" 'details': None}";

#define MASK(SHAPE, TYPESTR)                                                             \
	"'mask': {'exposes': True, 'declared': {'shape': " SHAPE ", 'typestr': " TYPESTR \
	", 'data': (8192, True), 'version': 3}}"
#define BESIDE_DLPACK(DEVICE, REST) \
	"'beside': {'protocol': 'dlpack', 'declared': {'device': " DEVICE REST "}}"

static const struct family_case cases[] = {
	{ "", "" },
	{ "'status': 'raised', 'declared': None", "CAI001" },
	{ "'status': 'refused', 'declared': None", "CAI001" },
	{ "'own.device': 'cpu'", "CAI001" },
	{ "'own.device': 'cpu:0', 'shape': [2, 3]", "CAI001 CAI101" },
	{ "'own.device': 'cuda:0'", "" },
	{ BESIDE_DLPACK("(1, 0)", ""), "CAI001" },
	{ "'own.device': 'cpu', " BESIDE_DLPACK("(13, 0)", ""), "" },
	{ "'own.device': 'cpu', 'memory': {'kind': 'managed', 'by': 'cuda',"
	  " 'asked': {'low': 4096, 'high': 4120}}",
		"" },
	{ "'declared': <mylib.Thing>", "CAI002" },
	{ "'declared': None", "CAI002" },
	{ "'details': {'mapping': True}", "CAI005" },
	{ "'details': {'mapping': True}, 'version': 1", "CAI109" },
	{ "'extra': 1, 'offset': 'x'", "CAI004 CAI004" },
	{ "'shape': <absent>", "CAI101" },
	{ "'shape': None", "CAI101" },
	{ "'shape': [2, 3]", "CAI101" },
	{ "'shape': [2, None]", "CAI101 CAI102" },
	{ "'shape': (2, 3.0)", "CAI102" },
	{ "'shape': (True, 3)", "CAI102" },
	{ "'shape': ()", "" },
	{ "'typestr': <absent>", "CAI103" },
	{ "'typestr': <numpy.dtype>", "CAI103" },
	{ "'data': <absent>", "CAI104" },
	{ "'data': 4096", "CAI104" },
	{ "'data': [4096, False]", "CAI104" },
	{ "'data': [None, 0]", "CAI104 CAI105 CAI106" },
	{ "'data': (None, False)", "CAI105" },
	{ "'data': (-1, False)", "CAI105" },
	{ "'data': (18446744073709551616, False)", "CAI105" },
	{ "'data': (4096, None)", "CAI106" },
	{ "'data': (4096, numpy.bool_(False))", "CAI106" },
	{ "'version': <absent>", "CAI107" },
	{ "'version': None", "CAI107" },
	{ "'version': True", "CAI107" },
	{ "'version': 4", "CAI108" },
	{ "'version': -1", "CAI108" },
	{ "'version': 99999999999999999999", "CAI108" },
	{ "'version': 0", "CAI109" },
	{ "'version': 2", "CAI109" },
	{ "'strides': [12, 4]", "CAI110" },
	{ "'strides': (12, None)", "CAI110" },
	{ "'strides': [12, 4.0]", "CAI110 CAI110" },
	{ "'strides': None", "" },
	{ "'descr': [('', '<f4')]", "" },
	{ "'descr': (('', '<f4'),)", "CAI111" },
	{ "'descr': [('', '<f8')]", "CAI111" },
	{ "'mask': None", "" },
	{ "'mask': 7", "CAI112" },
	{ "'mask': 7, 'version': 0", "CAI109" },
	{ "'mask': {'exposes': False, 'declared': None}", "CAI112" },
	{ "'mask': <mylib.Mask>", "CAI113" },
	{ MASK("(2, 3)", "'|b1'"), "CAI113" },
	{ MASK("(1, 3)", "'<t1'"), "CAI113" },
	{ MASK("()", "'|u1'"), "CAI113" },
	{ MASK("(3, 2)", "'|b1'"), "CAI113 CAI116" },
	{ MASK("(1, 2, 3)", "'|i1'"), "CAI113 CAI116" },
	{ MASK("(3,)", "'<f4'"), "CAI113 CAI116" },
	{ "'stream': None", "" },
	{ "'stream': 1", "" },
	{ "'stream': True", "CAI114" },
	{ "'stream': <cupy.cuda.Stream>", "CAI114" },
	{ "'stream': 'x', 'version': 2", "CAI109 CAI115" },
	{ "'stream': 1, 'version': 2", "CAI109 CAI115" },
	{ "'stream': None, 'version': 2", "CAI109" },
	{ "'shape': (numpy.int64(2), 3), 'stream': numpy.int64(1)", "CAI117 CAI117" },
};

static const struct family_case by_version_1[] = {
	{ "'version': 1", "CAI109" },
	{ "'details': {'mapping': True}", "" },
	{ "'declared': None", "CAI002" },
	{ "'stream': 'x'", "" },
	{ "'mask': 7", "CAI112" },
};

static const struct family_case by_version_3[] = {
	{ "'version': 0, 'mask': 7", "CAI109 CAI112" },
	{ "'version': 1, 'details': {'mapping': True}", "CAI005 CAI109" },
	{ "'version': 2, 'stream': 'x'", "CAI109 CAI114 CAI115" },
};

int main(void)
{
	FAMILY_CHECK(base, cases);
	FAMILY_CHECK_SPEC(base, by_version_1, "cai=1");
	FAMILY_CHECK_SPEC(base, by_version_3, "cai=3");
	return test_end();
}
