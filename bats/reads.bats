#!/usr/bin/env bats
# --values, --stats and --checksum where the memory is: arrays of every type, dense and drawn by a printed seed, say what
# NumPy says of them, and no more bytes come to the host than are printed.

load helpers

# reads RUNTIME [ENGINE]: all arrays of testdata/inspect/reads.py there; ENGINE: who is to read them, where not RUNTIME.
reads() {
	export READS_ON="$1" READS_BY="${2:-$1}" SEED="${SEED:-$((RANDOM * 32768 + RANDOM))}"
	export XDG_CACHE_HOME="$BATS_FILE_TMPDIR"
	[ "$1" != managed ] || export READS_BY=cuda
	SUAI_TRACE=read "$SUAI" inspect -f json --values=7 --stats --checksum --timeout 300 "$ROOT/testdata/inspect/reads.py" \
		> "$BATS_TEST_TMPDIR/document" 2> "$BATS_TEST_TMPDIR/trace"
	run "$TEST_PYTHON" "$ROOT/testdata/inspect/reads.py" "$BATS_TEST_TMPDIR/document" "$BATS_TEST_TMPDIR/trace"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" =~ [1-9][0-9]*\ arrays\ on\ $1,\ 0\ wrong ]]
}

requires_opencl() {
	compgen -G "$OCL_ICD_VENDORS/*.icd" >/dev/null && [ -e "$(cat "$OCL_ICD_VENDORS/intel.icd")" ] ||
		skip "no OpenCL runtime of Intel's in $OCL_ICD_VENDORS"
}

@test "SYCL, by kernels: every type, dense and drawn" {
	requires numpy sycl
	SUAI_READ=kernel reads sycl
}

@test "SYCL on the processor: the host's loops read what is theirs, and find the same" {
	requires numpy sycl
	reads sycl host
}

@test "cl_mem of Intel's OpenCL: every type, the small floats of DLPack among them" {
	requires numpy
	requires_opencl
	reads opencl
}

@test "cl_mem of PoCL: every type, the small floats of DLPack among them" {
	requires numpy
	[ -e /etc/OpenCL/vendors/pocl.icd ] || skip "no PoCL (pocl-opencl-icd) on this machine"
	mkdir "$BATS_TEST_TMPDIR/icd"
	cp /etc/OpenCL/vendors/pocl.icd "$BATS_TEST_TMPDIR/icd/"
	OCL_ICD_VENDORS="$BATS_TEST_TMPDIR/icd" reads opencl
}

@test "CUDA, device and managed memory: every type, dense and drawn" {
	requires numpy cuda
	reads cuda
	reads managed
}
