#!/usr/bin/env bats
# validate --consumer -p cuda on a real GPU: released consumers of __cuda_array_interface__, and planted ones. tools/gpu runs it.

load helpers

setup() {
	cd "$ROOT" || return 1
	requires cuda
}

# has_no_error EXPRESSION: nor a warning, in any case or drawn tensor; some tensors are accepted, none is skipped.
has_no_error() {
	suai validate --severity warning -p cuda --no-skips --consumer "$1"
	[ "$status" -eq 0 ]
	suai validate --severity warning -p cuda --consumer "$1" --fuzz 60 --seed 3
	[ "$status" -eq 0 ]
	suai validate --consumer "$1" -p cuda --case float32,fortran -f json
	"$TEST_PYTHON" -c 'import json, sys
for target in json.loads(sys.argv[1])["targets"]:
    c = target["consumption"]
    assert c["outcome"] == "done" and c["readings"], c
    assert all(reading["equal"] is not False for reading in c["readings"]), c
    assert any(reading["equal"] for reading in c["readings"]), c' "$output"
}

@test "CuPy has no error in any case" {
	requires cupy
	has_no_error 'cupy.asarray(_)'
}

@test "PyTorch has no error in any case" {
	requires torch
	has_no_error 'torch.as_tensor(_, device="cuda")'
}

@test "Numba has no error in any case" {
	requires numba.cuda
	has_no_error 'numba.cuda.as_cuda_array(_)'
}

@test "planted consumers are identified, with no other finding" {
	requires numpy
	for planted in healthy: ignores_strides:DLC302 ignores_byte_order:DLC305 ignores_read_only:DLC308 narrows:DLC307 releases_early:DLC705; do
		suai validate --exit-zero -p cuda --consumer "testdata/consumers/planted_host.py:cuda_${planted%:*}" -f json \
			--case float32,float64,int64,fortran,every-second,read-only,swapped
		[ "$("$TEST_PYTHON" -c 'import json, sys
print(*sorted({f["rule"] for t in json.loads(sys.argv[1])["targets"] for f in t["findings"] if f["severity"] != "note"}))' "$output")" = \
			"${planted#*:}" ]
	done
}
