// SPDX-License-Identifier: MIT
/* The variables of the environment that suai reads, for the man page: each that stands in a getenv
 * stands here, and bats/docs.bats compares. */
#include "docgen/text.h"

#include <stddef.h>

const struct docs_row docs_environment[] = {
	{ "SUAI_OPTS",
		"Options before those of the command line, as words of a shell; suai.yaml(5) says by which rules." },
	{ "SUAI_PYTHON", "The interpreter, where --python names none." },
	{ "VIRTUAL_ENV", "The environment whose interpreter is used, where neither names one." },
	{ "CONDA_PREFIX", "The same for conda. After it python3 on PATH is tried." },
	{ "PATH",
		"Where interpreters are looked for that are named without a slash, and python3. Entries that do not begin with a "
		"slash are ignored: the working directory does not choose the interpreter." },
	{ "PYTHONPATH",
		"Besides the interpreter, which imports from it, -o reads it: a module that a run names is not replaced." },
	{ "LD_LIBRARY_PATH",
		"Where it holds another library of the interpreter's, that interpreter is executed as a program and not "
		"embedded." },
	{ "NO_COLOR", "Where it is set and not empty, no colours are written to a terminal." },
	{ "TERM", "Where it is dumb or not set, no progress is drawn." },
	{ "TMPDIR", "Where the elements of convert -o - are collected; /tmp where it is not set." },
	{ "XDG_CONFIG_HOME",
		"The user's suai.yaml is looked for in its folder suai; in ~/.config/suai where it is not set." },
	{ "XDG_CACHE_HOME",
		"Compiled kernels of OpenCL are kept in its folder suai; of ~/.cache, where it is not set. A folder that others "
		"can read or that is a link is not used." },
	{ "HOME", "What ~ stands for here." },
	{ "SUAI_MODULE", "The file _suai.abi3.so, where it lies in none of the usual places." },
	{ "SUAI_THREADS", "How many threads a copy on the processor takes at most." },
	{ "SUAI_ISA",
		"Its newest instructions: sse2, avx2 or avx512; else the best that the processor has." },
	{ "SUAI_LIVE_ROUNDS",
		"How often validate --live puts each question of order on CUDA: 1 to 100000, else 3. More rounds find rarer "
		"races, and may need a longer --timeout." },
	{ "CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION , CUPY_CUDA_ARRAY_INTERFACE_SYNC , NUMBA_CUDA_ARRAY_INTERFACE_SYNC",
		"What CuPy and Numba export and wait for; the rules of order know them." },
	{ NULL, NULL },
};

const char docs_environment_more[] =
	"Those that follow are for developers of suai and for its tests. A switch is on where it is neither empty nor 0.";

const struct docs_row docs_environment_tests[] = {
	{ "SUAI_DEBUG",
		"Lines on standard error: subjects separated by commas, or all. Subjects are cache, cuda, host, maps, opencl, "
		"read, reduce and timing." },
	{ "SUAI_SYCL_KERNELS",
		"source: SYCL builds the kernels from their source, also where it could take SPIR-V." },
	{ "SUAI_READ",
		"host or kernel: who makes statistics and checksums of shared SYCL memory, and with kernel of all memory that "
		"a device reaches." },
	{ "SUAI_NO_MAPS_QUERY",
		"A switch: /proc/self/maps is read as text, as on kernels before Linux 6.11." },
	{ "SUAI_NO_FORKSERVER",
		"A switch: each worker starts Python anew, where the workers of three and more files and modules are otherwise "
		"forked from one interpreter." },
	{ "SUAI_NO_PIDFD", "A switch: processes are watched without pidfds." },
	{ "SUAI_NO_PROC_FD",
		"A switch: the worker inherits its channel, and output files are not opened through /proc." },
	{ "SUAI_NO_TMPFILE",
		"A switch: output files are begun under temporary names, without O_TMPFILE." },
	{ "SUAI_NO_USM_EXTENT",
		"A switch: OpenCL is not asked for the extent of SYCL memory, of which both ends alone are asked then." },
	{ "SUAI_NO_VM_READV", "A switch: memory is looked at through a pipe." },
	{ "SUAI_FAIL_ALLOC",
		"N: the N-th allocation of each process fails, and suai ends with 70." },
	{ "SUAI_FAULT",
		"copy-flip, copy-flip-last or copy-swap: convert spoils its copy, which --verify must find." },
	{ "SUAI_DISABLE_CHECK", "The id of a rule whose check passes whatever is there." },
	{ NULL, NULL },
};
