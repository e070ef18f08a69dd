#!/usr/bin/env bats
# System calls that fail: how suai ends. make test-faults lets each call of each command fail in turn.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	"${CC:-gcc}" -D_GNU_SOURCE -fPIC -shared -o faults.so "$ROOT/testdata/fakes/fake_faults.c" -ldl
}

# faults ARGUMENT...: the table; fails, with each run that ended wrongly, if there are any.
faults() {
	run "$TEST_PYTHON" "$ROOT/testdata/tools/faults.py" "$SUAI" "$TEST_PYTHON" faults.so "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a call that fails while a worker starts leaves no process, and is reported" {
	requires numpy
	faults --commands inspect --calls read,write,fork,pipe2,memfd_create --most 2
	[[ "$output" == *'fork` | 2 | 0 | 2 | 0 |'* ]]
	[[ "$output" == *'| `write` | '* ]]
}

@test "a file that cannot be read or written is reported, and an interrupted call is repeated" {
	requires numpy
	faults --commands convert,init --calls pread,pwrite,rename,linkat,open --most 3
	[[ "$output" == *'| `pread` | '* ]]
}

@test "a .npy file that cannot be read is not reported as empty" {
	requires numpy
	"$TEST_PYTHON" -c 'import numpy; numpy.save("a.npy", numpy.arange(3))'
	LD_PRELOAD="$PWD/faults.so" FAULT_PROGRAM=suai FAULT_CALL=pread FAULT_N=1 FAULT_ERRNO=5 run "$SUAI" inspect a.npy
	echo "$output"
	[[ "$output" == *'the file cannot be read: Input/output error'* ]]
}
