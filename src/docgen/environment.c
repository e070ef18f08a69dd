// SPDX-License-Identifier: MIT
/*
 * The environment variables that suai reads, for the man page; bats/docs.bats compares them with
 * the calls of getenv.
 */
#include "docgen/text.h"
#include "trace/record.h"

#include <stddef.h>

const struct docs_row docs_environment[] = {
	{ "SUAI_OPTS",
		"Options inserted before those of the command line, with the quoting described in suai.yaml(5)." },
	{ "SUAI_PYTHON", "The interpreter, unless --python is given." },
	{ "VIRTUAL_ENV",
		"The environment whose interpreter is used if neither --python nor SUAI_PYTHON is given." },
	{ "CONDA_PREFIX",
		"The same for conda environments. The interpreter of the virtual environment that suai is installed in is "
		"preferred to it, unless pipx or uv created that environment for suai; then it is the next choice. The "
		"last one is python3 on PATH." },
	{ "PATH",
		"Used to find python3, and interpreters that are named without a slash. Entries that do not begin with a "
		"slash are ignored, so that the working directory does not determine the interpreter." },
	{ "PYTHONPATH",
		"The interpreter imports modules from these directories; -o refuses to replace a TARGET module in them." },
	{ "LD_LIBRARY_PATH",
		"If it contains a different copy of the interpreter's library, the interpreter is executed as a program "
		"instead of being embedded." },
	{ "LD_PRELOAD",
		"trace appends its library for the program, which sees the original value." },
	{ TRACE_ENVIRONMENT,
		"Set by trace for the processes of the program: the memory that they share with suai. Its library removes it." },
	{ "COLUMNS",
		"The width of text, instead of that of the terminal. It is 100 if neither is known." },
	{ "GITHUB_WORKSPACE",
		"The directory to which paths in -f github, sarif and junit are relative; the repository if unset." },
	{ "GITHUB_STEP_SUMMARY", "The file to which -f github appends a table of the findings." },
	{ "NO_COLOR", "If set and not empty, text is not coloured." },
	{ "FORCE_COLOR , CLICOLOR_FORCE",
		"If set to anything but 0 or false, text on standard output is coloured even if that is not a terminal, unless "
		"NO_COLOR is set. With FORCE_COLOR=0, text is not coloured." },
	{ "CLICOLOR",
		"If 0, text on terminals is not coloured, unless FORCE_COLOR or CLICOLOR_FORCE is set." },
	{ "TERM", "If dumb or unset, text on terminals is not coloured and no progress is shown." },
	{ "TERM_PROGRAM , TERM_PROGRAM_VERSION , VTE_VERSION , KONSOLE_VERSION , WT_SESSION , CI",
		"On terminals that are known to support links, rule ids link to suai-rules(7), but not in CI." },
	{ "FORCE_HYPERLINK",
		"0 or false: no links; anything else: links on any terminal that shows colour." },
	{ "TMPDIR",
		"The directory of temporary files: output that several processes or formats collect, and the elements that "
		"convert -o writes to standard output or to a special file; /tmp if unset." },
	{ "XDG_CONFIG_HOME",
		"The directory that contains suai/suai.yaml, the user's settings; ~/.config if unset." },
	{ "XDG_CACHE_HOME",
		"Compiled OpenCL kernels are cached in its subdirectory suai; ~/.cache if unset. A directory that others "
		"can read, or that is a symbolic link, is not used." },
	{ "HOME", "The directory denoted by ~." },
	{ "SUAI_MODULE", "The file _suai.abi3.so, if it is in none of the usual places." },
	{ "SUAI_THREADS",
		"The maximum number of threads of a copy on the host, of which there are at most 64." },
	{ "SUAI_ISA",
		"The newest instructions that a copy may use on x86-64: sse2, avx2 or avx512; by default the best that the "
		"processor supports." },
	{ "SUAI_LIVE_ROUNDS",
		"The number of times validate --live repeats each test of stream order on CUDA: 1 to 100000, default 3. "
		"More repetitions find rarer races, and may require a longer --timeout." },
	{ "CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION , CUPY_CUDA_ARRAY_INTERFACE_SYNC , NUMBA_CUDA_ARRAY_INTERFACE_SYNC",
		"Variables of CuPy and Numba that change what CuPy exports, and whether CuPy and Numba wait for streams; rule CAI608 reports them." },
	{ NULL, NULL },
};

const char docs_environment_more[] =
	"The following variables are for developers of suai and for its tests. A switch is on if it is neither empty "
	"nor 0.";

const struct docs_row docs_environment_tests[] = {
	{ "SUAI_DEBUG",
		"Log lines on standard error: subjects separated by commas, or all. Subjects are cache, cuda, describe, "
		"maps, opencl, read, reduce, steps, supervisor, timing and trials." },
	{ "SUAI_SYCL_KERNELS",
		"source: SYCL on OpenCL builds kernels from source, even if this build includes SPIR-V." },
	{ "SUAI_CUDA_KERNELS",
		"ptx: the driver compiles the PTX of kernels, even if this build includes native code for the device." },
	{ "SUAI_READ",
		"host or kernel: where statistics and checksums of shared SYCL memory are computed; kernel also applies to "
		"all other memory that a device can access." },
	{ "SUAI_NO_MAPS_QUERY",
		"A switch: /proc/self/maps is read as text, as on kernels before Linux 6.11." },
	{ "SUAI_NO_FORKSERVER",
		"A switch: each worker starts a new interpreter. Otherwise the workers of three or more files and modules "
		"are forked from one interpreter." },
	{ "SUAI_NO_FORK",
		"A switch: the trials of a module run one after another in the process that imported it, as they do where "
		"that process cannot be forked safely." },
	{ "SUAI_TRIALS_ALONE",
		"A switch: each trial has its own process, which imports the module again." },
	{ "SUAI_NO_PIDFD", "A switch: processes are watched without pidfds." },
	{ "SUAI_NO_SUBREAPER",
		"A switch: suai does not adopt processes that lose their parent, and ends only those that "
		"a target leaves behind in its process group." },
	{ "SUAI_NO_PROC_FD",
		"A switch: the worker inherits its channel, and output files are not opened through /proc." },
	{ "SUAI_NO_TMPFILE",
		"A switch: files are created with temporary names instead of O_TMPFILE." },
	{ "SUAI_NO_USM_EXTENT",
		"A switch: only the two ends of SYCL memory are checked; OpenCL is not queried for its extent." },
	{ "SUAI_NO_VM_READV", "A switch: memory is read through a pipe." },
	{ "SUAI_FAIL_ALLOC",
		"N: the N-th memory allocation of each process fails, and suai exits with 70." },
	{ "SUAI_FAIL_STEP",
		"The name of a step, as in SUAI_DEBUG=steps: a worker that announces it is killed." },
	{ "SUAI_FAIL_SIGNAL",
		"The number of the signal that SUAI_FAIL_STEP sends instead of SIGKILL." },
	{ "SUAI_FAULT",
		"copy-flip, copy-flip-last or copy-swap: convert injects this fault into its copy, which --verify must "
		"find." },
	{ "SUAI_DISABLE_CHECK", "The id of a rule whose check always passes." },
	{ NULL, NULL },
};
