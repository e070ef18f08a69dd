// SPDX-License-Identifier: MIT
/* Known producers and how their objects behave, so that no check needs to name a library. */
#include "rules/engine/rule.h"

#include <fnmatch.h>
#include <string.h>

#define USM_BYTE_OFFSET                                                                    \
	"a view exports the address of its USM allocation as data, and its offset in the " \
	"allocation as byte_offset; consumers must add the two"

const struct rule_producer rule_producers[] = {
	{ .type = "dpctl.memory._memory.MemoryUSM*",
		.versions = "up to 0.22.1",
		.rule = "SUAI109",
		.effect = PRODUCER_BREAKS,
		.field = "data[1]",
		.message =
			"data[1] is True, which means writable in dpctl.memory but read-only by the specification",
		.evidence =
			"dpctl.memory always exports True and interprets it as 'is writable', the opposite of the specification and "
			"of dpctl arrays; dpnp imports such memory as a read-only array" },
	{ .type = "dpctl.tensor._usmarray.usm_ndarray",
		.versions = "up to 0.21",
		.rule = "SUAI205",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"dpctl arrays export '|f8' for a native double; NumPy and dpctl interpret it as native order" },
	{ .type = "dpnp.tensor._usmarray.usm_ndarray",
		.versions = "0.20",
		.rule = "SUAI205",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"dpnp arrays export '|f8' for a native double; NumPy and dpctl interpret it as native order" },
	{ .type = "dpnp.dpnp_array.dpnp_array",
		.versions = "0.10 to 0.20",
		.rule = "SUAI205",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"dpnp arrays export '|f8' for a native double; NumPy and dpctl interpret it as native order" },
	{ .type = "numba.cuda.cudadrv.devicearray.Ma*NDArray",
		.versions = "up to 0.68",
		.rule = "CAI001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"Numba's mapped and managed arrays are NumPy arrays, whose device is cpu, but host and device can both "
			"access the memory" },
	{ .type = "torch.Tensor",
		.versions = "up to 2.11",
		.rule = "CAI606",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"PyTorch exports version 2, which has no stream, and does not wait: consumers synchronize through "
			"torch.cuda.current_stream() or __dlpack__" },
	{ .type = "dpctl.tensor._usmarray.usm_ndarray",
		.versions = "up to 0.21",
		.rule = "SUAI601",
		.effect = PRODUCER_KEEPS,
		.evidence = "the property waits for the queue before it returns the dictionary" },
	{ .type = "dpnp.tensor._usmarray.usm_ndarray",
		.versions = "0.20",
		.rule = "SUAI601",
		.effect = PRODUCER_KEEPS,
		.evidence = "the property waits for the queue before it returns the dictionary" },
	{ .type = "dpnp.dpnp_array.dpnp_array",
		.versions = "0.20",
		.rule = "SUAI601",
		.effect = PRODUCER_KEEPS,
		.evidence = "the property waits for the queue before it returns the dictionary" },
	{ .type = "suai.Array",
		.versions = "all",
		.rule = "SUAI601",
		.effect = PRODUCER_KEEPS,
		.evidence = "the property waits for the queue before it returns the dictionary" },
	{ .type = "numpy.*",
		.versions = "up to 2.4",
		.rule = "DLP401",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"NumPy arrays without elements export the address of their allocation or view; consumers of such a "
			"tensor read nothing from it" },
	{ .type = "numpy.*",
		.versions = "up to 2.4",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"NumPy raises ValueError for element types that have no buffer format (datetime64, timedelta64, "
			"StringDType, those of ml_dtypes); numpy.asarray accepts such arrays without a buffer" },
	{ .type = "numpy.*",
		.versions = "up to 2.4",
		.rule = "BUF701",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"NumPy raises ValueError if an array is not contiguous or not writable as requested" },
	{ .type = "array_api_strict.*",
		.versions = "up to 2.6",
		.rule = "BUF701",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"the buffer, from Python 3.12 on, is that of a NumPy array, which raises ValueError if it is not "
			"contiguous as requested" },
	{ .type = "dpctl.tensor._usmarray.usm_ndarray",
		.versions = "up to 0.21",
		.rule = "DLP403",
		.effect = PRODUCER_EXCUSED,
		.evidence = USM_BYTE_OFFSET },
	{ .type = "dpctl.tensor._usmarray.usm_ndarray",
		.versions = "up to 0.21",
		.rule = "DLP405",
		.effect = PRODUCER_EXCUSED,
		.evidence = USM_BYTE_OFFSET },
	{ .type = "dpnp.*",
		.versions = "up to 0.20",
		.rule = "DLP403",
		.effect = PRODUCER_EXCUSED,
		.evidence = USM_BYTE_OFFSET },
	{ .type = "dpnp.*",
		.versions = "up to 0.20",
		.rule = "DLP405",
		.effect = PRODUCER_EXCUSED,
		.evidence = USM_BYTE_OFFSET },
	{ .type = "numpy.*",
		.versions = "up to 2.4",
		.rule = "NAI004",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"NumPy scalars add '__ref', a reference to the array whose memory data[0] points to; consumers ignore it" },
	{ .type = "numpy.*",
		.versions = "up to 2.4",
		.rule = "NAI116",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"NumPy exports padding without a name and rejects its own export if a field has the default name; consumers of NumPy arrays use the buffer" },
	{ .type = "numpy.*",
		.versions = "up to 2.4",
		.rule = "NAI307",
		.effect = PRODUCER_KEEPS,
		.evidence =
			"NumPy stores strides in bytes; elements overlap in part only if code sets the strides itself, for example with as_strided" },
	{ .type = "numpy.*",
		.versions = "up to 2.4",
		.rule = "BUF307",
		.effect = PRODUCER_KEEPS,
		.evidence =
			"NumPy stores strides in bytes; elements overlap in part only if code sets the strides itself, for example with as_strided" },
	{ .type = "numpy.*",
		.versions = "up to 2.4",
		.rule = "NAI701",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"NumPy scalars copy their value to a new array on each read, and '__ref' in the dictionary keeps it alive (numpy#31036); numpy.asarray reads the value of a scalar, not this dictionary" },
	{ .type = "numpy.*",
		.versions = "up to 2.4",
		.rule = "NAI801",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"NumPy clears all flags of a structured array when it adds descr; numpy.asarray accepts such arrays without the struct" },
	{ .type = "tensorflow.python.framework.ops.EagerTensor",
		.versions = "up to 2.21",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"TensorFlow exports the buffer of a NumPy array of the values, which raises ValueError for element "
			"types that have no buffer format (bfloat16, float8)" },
	{ .type = "_ctypes.Array",
		.versions = "up to 3.14",
		.rule = "BUF108",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"ctypes sets strides to NULL for arrays regardless of the request; NumPy and memoryview interpret that as C order" },
	{ .type = "_ctypes.*",
		.versions = "up to 3.14",
		.rule = "BUF110",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"ctypes ignores the flags: it sets format and shape whatever was requested" },
	{ .type = "*.memoryview",
		.versions = "Cython up to 3.2",
		.rule = "BUF110",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"typed memoryviews of Cython set strides for PyBUF_ND, whose bit PyBUF_STRIDES contains" },
	{ .type = "_ctypes.Array",
		.versions = "up to 3.14",
		.rule = "BUF301",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"ctypes ignores the flags: a two-dimensional array grants the request for Fortran order although it is in C order" },
	{ .type = "memoryview",
		.versions = "up to 3.14",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence = "a released memoryview raises ValueError for a request of its buffer" },
	{ .type = "pickle.PickleBuffer",
		.versions = "up to 3.14",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"a released PickleBuffer raises ValueError for a request of its buffer" },
	{ .type = "mmap.mmap",
		.versions = "up to 3.14",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence = "a closed mmap raises ValueError for a request of its buffer" },
	{ .type = "vtkmodules.*",
		.versions = "up to 9.7",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"every VTK class has the buffer slot; objects that do not contain an array of numbers, such as an "
			"empty vtkImageData, raise ValueError" },
	{ .type = "cupy.ndarray",
		.versions = "up to 14.2",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"CuPy arrays export a buffer if the host can access the memory, and otherwise raise TypeError to prevent "
			"implicit copies from the device" },
	{ .type = "paddle.Tensor",
		.versions = "up to 3.3.1",
		.rule = "CXA601",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"current_work_stream does not set *out_current_stream for the host; the specification allows consumers to omit the call for the host" },
	{ .type = "tvm_ffi.core.DLTensorTestWrapper",
		.versions = "up to 0.1.15",
		.rule = "CXA601",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"current_work_stream does not set *out_current_stream for the host; the specification allows consumers to omit the call for the host" },
	{ .type = "ml_dtypes.*",
		.versions = "up to 0.6",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"scalars of ml_dtypes are NumPy scalars; NumPy raises TypeError for a request that includes the format unless the type is its own" },
	{ .type = NULL },
};

const struct rule_producer *rule_producer_find_in(
	const struct rule_producer *producers, const struct rule *rule, const char *type)
{
	for (const struct rule_producer *producer = producers; producer->type; producer++)
		if (!strcmp(producer->rule, rule->id) && !fnmatch(producer->type, type, 0))
			return producer;
	return NULL;
}

const struct rule_producer *rule_producer_find(const struct rule *rule, const char *type)
{
	return rule_producer_find_in(rule_producers, rule, type);
}

const char *rule_producer_effect_name(enum producer_effect effect)
{
	static const char *const names[] = { [PRODUCER_EXCUSED] = "excused",
		[PRODUCER_BREAKS] = "breaks",
		[PRODUCER_KEEPS] = "keeps" };

	return names[effect];
}
