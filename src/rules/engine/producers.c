// SPDX-License-Identifier: MIT
/* Known producers: what their objects are known to do, so that no check needs to name a library. */
#include "rules/engine/rule.h"

#include <fnmatch.h>
#include <string.h>

const struct rule_producer rule_producers[] = {
	{ .type = "dpctl.memory._memory.MemoryUSM*",
		.versions = "all, to 0.22.1",
		.rule = "SUAI109",
		.effect = PRODUCER_BREAKS,
		.field = "data[1]",
		.message =
			"data[1] is True by dpctl.memory's own meaning, writable; by the document it says read-only",
		.evidence =
			"dpctl.memory always writes True and reads it as 'is writable', the opposite of the document and "
			"of dpctl's own arrays; dpnp imports such memory as a read-only array" },
	{ .type = "dpctl.tensor._usmarray.usm_ndarray",
		.versions = "all, to 0.21",
		.rule = "SUAI205",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"dpctl's arrays write '|f8' for a native double; NumPy and dpctl read it as native order" },
	{ .type = "dpnp.tensor._usmarray.usm_ndarray",
		.versions = "0.20",
		.rule = "SUAI205",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"dpnp's arrays write '|f8' for a native double; NumPy and dpctl read it as native order" },
	{ .type = "dpnp.dpnp_array.dpnp_array",
		.versions = "0.10 to 0.20",
		.rule = "SUAI205",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"dpnp's arrays write '|f8' for a native double; NumPy and dpctl read it as native order" },
	{ .type = "numba.cuda.cudadrv.devicearray.Ma*NDArray",
		.versions = "all, to 0.68",
		.rule = "CAI001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"Numba's mapped and managed arrays are NumPy arrays, which call their device cpu: the memory is that of "
			"host and device alike" },
	{ .type = "torch.Tensor",
		.versions = "all, to 2.11",
		.rule = "CAI606",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"PyTorch exports version 2, which has no stream to name, and waits for nothing: consumers order by "
			"torch.cuda.current_stream(), or by __dlpack__" },
	{ .type = "dpctl.tensor._usmarray.usm_ndarray",
		.versions = "all, to 0.21",
		.rule = "SUAI601",
		.effect = PRODUCER_KEEPS,
		.evidence = "its property waits for the queue before it gives the dictionary" },
	{ .type = "dpnp.tensor._usmarray.usm_ndarray",
		.versions = "0.20",
		.rule = "SUAI601",
		.effect = PRODUCER_KEEPS,
		.evidence = "its property waits for the queue before it gives the dictionary" },
	{ .type = "dpnp.dpnp_array.dpnp_array",
		.versions = "0.20",
		.rule = "SUAI601",
		.effect = PRODUCER_KEEPS,
		.evidence = "its property waits for the queue before it gives the dictionary" },
	{ .type = "suai.Array",
		.versions = "all",
		.rule = "SUAI601",
		.effect = PRODUCER_KEEPS,
		.evidence = "its property waits for the queue before it gives the dictionary" },
	{ .type = "numpy.*",
		.versions = "all, to 2.4",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"NumPy raises ValueError for element types that have no buffer format (datetime64, timedelta64, "
			"StringDType, those of ml_dtypes); its users know it" },
	{ .type = "numpy.*",
		.versions = "all, to 2.4",
		.rule = "BUF701",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"NumPy raises ValueError where an array is not contiguous as asked, or not writable; its users know it" },
	{ .type = "tensorflow.python.framework.ops.EagerTensor",
		.versions = "all, to 2.21",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"TensorFlow exports the buffer of a NumPy array of the values, which raises ValueError for element "
			"types that have no buffer format (bfloat16, float8)" },
	{ .type = "_ctypes.Array",
		.versions = "all, to 3.14",
		.rule = "BUF108",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"ctypes leaves strides NULL for arrays, whatever is asked for; NumPy and memoryview read that as C order" },
	{ .type = "_ctypes.Array",
		.versions = "all, to 3.14",
		.rule = "BUF301",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"ctypes looks at none of the flags: an array of two dimensions grants the request for Fortran order, too" },
	{ .type = "memoryview",
		.versions = "all, to 3.14",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence = "a released memoryview raises ValueError for whatever is asked of it" },
	{ .type = "pickle.PickleBuffer",
		.versions = "all, to 3.14",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"a released PickleBuffer raises ValueError for whatever is asked of it" },
	{ .type = "mmap.mmap",
		.versions = "all, to 3.14",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence = "a closed mmap raises ValueError for whatever is asked of it" },
	{ .type = "vtkmodules.*",
		.versions = "all, to 9.7",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"every VTK class has the buffer slot; those without an array of numbers in them, such as an "
			"empty vtkImageData, raise ValueError" },
	{ .type = "cupy.ndarray",
		.versions = "all, to 14.2",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"CuPy's arrays have a buffer for memory that the host reaches, and raise TypeError for any other, so that "
			"nobody copies from the device unawares; its users know it" },
	{ .type = "paddle.Tensor",
		.versions = "all, to 3.3.1",
		.rule = "CXA601",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"its current_work_stream leaves out_current_stream as it was for the host; the document lets consumers "
			"leave the question out there" },
	{ .type = "tvm_ffi.core.DLTensorTestWrapper",
		.versions = "all, to 0.1.15",
		.rule = "CXA601",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"its current_work_stream leaves out_current_stream as it was for the host; the document lets consumers "
			"leave the question out there" },
	{ .type = "ml_dtypes.*",
		.versions = "all, to 0.6",
		.rule = "BUF001",
		.effect = PRODUCER_EXCUSED,
		.evidence =
			"NumPy, whose scalars these are, raises TypeError for types that it does not know" },
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
