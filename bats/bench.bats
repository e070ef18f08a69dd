#!/usr/bin/env bats
# The benchmarks: the results of what make bench measures are correct. Timings are not tested.

load helpers

judge() {
	suai validate -f json -p sycl -p cuda -p dlpack -p numpy -p numpy-struct -p buffer "$@" \
		"$ROOT/testdata/bench/objects.py"
	[ "$status" -eq 1 ]
	printf '%s\n' "$output" > "$BATS_TEST_TMPDIR/found"
	run "$TEST_PYTHON" "$ROOT/testdata/bench/check.py" "$BATS_TEST_TMPDIR/found"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = "1000 objects of 6 protocols, 300 of 300 defects reported, 0 false alarms" ]
}

@test "validate reports all 300 defects of 1,000 objects of six protocols, each by its rule, and no other error" {
	judge
}

@test "validate reports the same without NumPy and dpctl" {
	"/usr/bin/python3" -c 'import dpctl' 2>/dev/null && skip "dpctl in /usr/bin/python3"
	judge --python /usr/bin/python3
}

@test "tools/bench-start prints a row for each way to host Python, in ms and as a ratio" {
	run "$ROOT/tools/bench-start" 1
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -cE '^\| (inspect|validate) of .* \| [0-9.]+ ms \| [0-9.]+ ms \| -?[0-9.]+ ms \| [0-9.]+ \| [0-9.]+ ms \| [0-9.]+ ms \|$' <<< "$output")" -eq 4 ]
	[ "$(grep -c '300 of 300 defects reported, 0 false alarms' <<< "$output")" -eq 2 ]
}

# rows_of COLUMNS: the number of rows of the printed table with that many non-empty columns.
rows_of() {
	grep -cE "^\\| [^|]*[0-9][^|]*( \\| [^| ][^|]*){$(($1 - 1))} \\|$" <<< "$output"
}

@test "tools/bench-copy prints a row for each case, with every library whose result is correct" {
	requires numpy
	run "$ROOT/tools/bench-copy" --rounds 2 --only "T 256^2 f4,T 16^2"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"| case | MiB | memcpy 1t GB/s | memcpy 2t | suai 1t | best library 1t | suai 2t | best library 2t | suai* |"* ]]
	[ "$(rows_of 12)" -eq 2 ]
	run "$ROOT/tools/bench-copy" --rounds 2 --only "T 256^2 f4" --cold --all
	[[ "$output" == *"T 256^2 f4:"*" suai 2t "[0-9]* ]]
}

@test "tools/bench-copy repeats a layout by the name that its tables print" {
	requires numpy
	run "$ROOT/tools/bench-copy" --threads 1 --rounds 1 \
		--table 'u2 (0, 2, 1) of (40, 9, 21);7: f4 (1, 0) of (30, 40) by [-1, 2]'
	[ "$status" -eq 0 ]
	[[ "$output" == *'| u2 (0, 2, 1) of (40, 9, 21) | '* ]]
	[[ "$output" == *'| 7: f4 (1, 0) of (30, 40) by [-1, 2] | '* ]]
	run "$ROOT/tools/bench-copy" --table 'u2 (0, 2, 1)'
	[ "$status" -ne 0 ]
	[[ "$output" == *"'u2 (0, 2, 1)' is not a layout such as 'u2 (0, 2, 1) of (99, 9, 21)'"* ]]
}

@test "tools/bench-copy compares a table with the peers that --peers names" {
	requires numpy
	run "$ROOT/tools/bench-copy" --threads 1 --rounds 1 --peers np.copyto --table 'f4 (1, 0) of (30, 40)'
	[ "$status" -eq 0 ]
	[[ "$output" == *'| layout | MiB | suai 1t over memcpy | np.copyto over suai | again over suai |'* ]]
}

@test "copies of a table begin with caches in the same state: emptied for large ones, filled by the same call for small ones" {
	requires numpy
	cd "$ROOT/testdata/bench"
	PYTHONDONTWRITEBYTECODE=1 run "$TEST_PYTHON" -c '
import argparse, copies, numpy
options = argparse.Namespace(rounds=2, cold=False, processor=False, minimum=False)
calls = []
class Scratch:
    max = staticmethod(lambda: calls.append("emptied"))
copies.scratch = Scratch
class Case:
    name, src, dst = "x", numpy.zeros(4, numpy.uint8), numpy.zeros(4, numpy.uint8)
def call():
    calls.append("call")
    Case.dst[:] = 0
for Case.n_bytes in 1 << 25, 1 << 10:
    calls.clear()
    copies.measure(Case, {"np.x": call}, options)
    print(calls[1:])'
	[ "$output" = "['emptied', 'call', 'emptied', 'call']
['call', 'call', 'call', 'call']" ]
}

@test "a library with wrong results is excluded, and wrong results of suai end the measurement" {
	requires numpy
	cd "$ROOT/testdata/bench"
	measured() {
		PYTHONDONTWRITEBYTECODE=1 run --separate-stderr "$TEST_PYTHON" -c "
import argparse, copies, numpy as np
case = copies.Case('T 256^2 f4')
right = lambda: np.copyto(case.dst, case.src)
wrong = lambda: np.copyto(case.dst, case.src + 1)
options = argparse.Namespace(cold=False, processor=False, minimum=False, rounds=2)
print(*copies.measure(case, {'np.copyto': right, 'a': wrong, 'a*': lambda: case.src + 1, 'b*': lambda: case.src, '$1': $2}, options))"
	}
	measured 'suai 1t' right
	[ "$status" -eq 0 ]
	[ "$output" = "np.copyto suai 1t" ]
	[[ "$stderr" == *"T 256^2 f4: a is wrong and left out"*"a* is wrong"*"b* is wrong"* ]]
	measured 'suai 1t' wrong
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"suai 1t is wrong"* ]]
}

@test "tools/bench-usm prints a row for each case, and names what is missing" {
	requires sycl
	run "$ROOT/tools/bench-usm" --rounds 2 --only "T 16^2,contig"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(rows_of 13)" -eq 2 ]
	[[ "$output" =~ \|\ T\ 16\^2\ f4\ .*\ gather4\ .*\ host\  ]]
	buffers=$(sed -n '/^Buffers of /,$p' <<<"$output")
	[ -z "$buffers" ] || [[ "$buffers" =~ \|\ T\ 16\^2\ f4\ .*\ gather4\ .*\ host\  ]]
	SUAI_TEST_PYTHON=$(command -v python3) OCL_ICD_VENDORS="$BATS_TEST_TMPDIR" run "$ROOT/tools/bench-usm" --rounds 1 --only "T 16^2"
	echo "$output"
	if "$(command -v python3)" -c 'import numpy' 2>/dev/null; then
		[ "$status" -eq 0 ]
		[[ "$output" == *"Absent: USM by SYCL, dpnp (No module named"*"Intel's OpenCL"* ]]
	fi
}

@test "tools/bench-convert prints --timing next to an outer clock" {
	requires numpy
	run "$ROOT/tools/bench-convert" --rounds 2 --only "T 1024^2,contig" cpu
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(rows_of 11)" -eq 2 ]
	requires sycl
	run "$ROOT/tools/bench-convert" --rounds 2 --only "T 1024^2" sycl
	[ "$(rows_of 11)" -eq 1 ]
	"$TEST_PYTHON" -c 'import cupy' 2>/dev/null && return
	run "$ROOT/tools/bench-convert" --rounds 1 cuda
	[ "$status" -eq 0 ]
	[[ "$output" == "cuda: absent: No module named 'cupy'"* ]]
}

@test "tools/bench prints its tables with their commands, and reports a missing GPU" {
	requires numpy
	"$TEST_PYTHON" -c 'import cupy' 2>/dev/null && skip "CuPy is here: the part takes minutes"
	run "$ROOT/tools/bench" gpu
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"$("$SUAI" --version | head -n 1)"* ]]
	[[ "$output" =~ Load\ [0-9.]+ ]]
	[[ "$output" == *"## Copy on a GPU"*"    gpu"*"Absent: a CUDA driver (libcuda.so.1)"* ]]
	[[ "$output" != *"## Copy on the CPU"* ]]
}

@test "trace_pairs.py, trace_programs.py and trace_readers.py print a row for each program, and name the one that fails under suai trace" {
	local row='^\| [^|]+ \| [0-9.]+ \| [+-][^|]+%[^|]+ \| [+-][^|]+%[^|]+ \|$'
	requires numpy
	cd "$ROOT"
	run "$TEST_PYTHON" testdata/bench/trace_pairs.py 2 'a function of Python' 'np.array(list of lists)'
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -cE "$row" <<< "$output")" -eq 2 ]
	run "$TEST_PYTHON" testdata/bench/trace_programs.py 2 'NumPy: particles'
	[ "$status" -eq 0 ]
	[ "$(grep -cE "$row" <<< "$output")" -eq 1 ]
	run -0 "$TEST_PYTHON" testdata/bench/trace_readers.py 1 'openvino.Tensor(type, shape)'
	[ "$(grep -cE '^(\| ns a call |\| openvino|skipped: openvino)' <<< "$output")" -eq 2 ]
	printf '#!/bin/sh\necho first >&2\necho "out of luck" >&2\nexit 3\n' > "$BATS_TEST_TMPDIR/failing"
	chmod +x "$BATS_TEST_TMPDIR/failing"
	SUAI="$BATS_TEST_TMPDIR/failing" run -1 --separate-stderr "$TEST_PYTHON" testdata/bench/trace_pairs.py 2 'a function of Python'
	[ "$stderr" = 'a function of Python, with suai trace: exit status 3: out of luck' ]
	SUAI="$BATS_TEST_TMPDIR/failing" run -1 --separate-stderr "$TEST_PYTHON" testdata/bench/trace_programs.py 2 'NumPy: particles'
	[ "$stderr" = 'NumPy: particles, with suai trace: exit status 3: out of luck' ]
}
