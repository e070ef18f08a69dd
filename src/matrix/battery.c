// SPDX-License-Identifier: MIT
#include "matrix/battery.h"

#define ARRAY(TYPE) "numpy.arange(6).reshape(2, 3).astype('" TYPE "')"
#define VIEW(ARRAY, SHAPE, STRIDES) \
	"numpy.lib.stride_tricks.as_strided(" ARRAY ", " SHAPE ", " STRIDES ")"

const struct placement placements[N_PLACEMENTS + 1] = {
	{ .name = "aligned", .meaning = "memory begins at a multiple of 64 bytes", .suffix = "" },
	{ .name = "offset",
		.meaning = "memory begins 4 bytes past a multiple of 64",
		.suffix = "+4",
		.comment = "# suai's memory begins 4 bytes past a multiple of 64\n",
		.offset_bytes = 4 },
	{ .name = "pending",
		.meaning = "work that writes the elements is pending on the queue of the producer",
		.suffix = "+pending",
		.comment = "# work on the queue that writes the elements is pending\n",
		.is_pending = true },
	{ 0 },
};

const struct battery_row battery[] = {
	{ "float32", ARRAY("float32") },
	{ "float64", ARRAY("float64") },
	{ "float16", ARRAY("float16") },
	{ "bfloat16", ARRAY("bfloat16") },
	{ "bool", ARRAY("bool") },
	{ "int8", ARRAY("int8") },
	{ "int32", ARRAY("int32") },
	{ "int64", ARRAY("int64") " + 2**40" },
	{ "uint8", ARRAY("uint8") },
	{ "uint64", ARRAY("uint64") " + 2**63" },
	{ "complex64", ARRAY("complex64") " * (1 + 1j)" },
	{ "complex128", ARRAY("complex128") " * (1 + 1j)" },
	{ "scalar", "numpy.array(1, dtype='float32')" },
	{ "empty-address", "numpy.empty((0, 4), dtype='float32')" },
	{ "long", "numpy.arange(1000, dtype='float32')" },
	{ "unit-stride", VIEW("numpy.arange(3, dtype='float32')", "(1, 3)", "(3996, 4)") },
	{ "fortran", "numpy.asfortranarray(" ARRAY("float32") ")" },
	{ "permuted", "numpy.arange(24, dtype='float32').reshape(4, 3, 2).transpose(1, 0, 2)" },
	{ "every-second", "numpy.arange(10, dtype='float32')[::2]" },
	{ "negative", "numpy.arange(5, dtype='float32')[::-1]" },
	{ "negative-columns", ARRAY("float32") "[:, ::-1]" },
	{ "broadcast", VIEW("numpy.arange(4, dtype='float32')", "(3, 4)", "(0, 4)") },
	{ "read-only",
		"numpy.frombuffer(" ARRAY("float32") ".tobytes(), 'float32').reshape(2, 3)" },
	{ 0 },
};
