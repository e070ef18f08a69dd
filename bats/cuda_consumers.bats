#!/usr/bin/env bats
# validate --consumer -p cuda on a real GPU: released consumers of __cuda_array_interface__, and planted ones. tools/gpu runs it.

load helpers

setup() {
	cd "$ROOT" || return 1
	requires cuda
}

# has_only RULES EXPRESSION: no error or warning in any case but those of the rules, which docs/findings/cuda reproduces; some
# tensors are accepted, none is skipped. Nor in drawn tensors, unless it crashes: each crash costs an import of the library.
has_only() {
	suai validate --exit-zero -p cuda --no-skips --consumer "$2" -f json
	[ "$status" -eq 0 ]
	[ "$(rules_found "$output")" = "$1" ]
	if [[ "$1" != *DLC001* ]]; then
		suai validate --exit-zero -p cuda --consumer "$2" --fuzz 60 --seed 3 -f json
		[ "$status" -eq 0 ]
		for rule in $(rules_found "$output"); do
			[[ " $1 " == *" $rule "* ]]
		done
	fi
	suai validate --consumer "$2" -p cuda --case float32,fortran -f json
	"$TEST_PYTHON" -c 'import json, sys
for target in json.loads(sys.argv[1])["targets"]:
    c = target["consumption"]
    assert c["outcome"] == "done" and c["readings"], c
    assert all(reading["equal"] is not False for reading in c["readings"]), c
    assert any(reading["equal"] for reading in c["readings"]), c' "$output"
}

# rules_found DOCUMENT: the rules of its errors and warnings.
rules_found() {
	jq -r '[.targets[].findings[]? | select(.severity != "note") | .rule] | unique | join(" ")' <<<"$1"
}

@test "CuPy has no error in any case but that it ignores read-only" {
	requires cupy
	has_only DLC308 'cupy.asarray(_)'
}

@test "PyTorch has no error in any case but for negative strides and byte order" {
	requires torch
	has_only 'DLC001 DLC002 DLC305' 'torch.as_tensor(_, device="cuda")'
}

@test "Numba has no error in any case but for broadcast arrays, read-only memory and malformed interfaces" {
	requires numba.cuda
	has_only 'DLC302 DLC308 DLC808' 'numba.cuda.as_cuda_array(_)'
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

@test "suai why names strides and elements of a tensor on a GPU, not its device, if the consumer accepts others on it" {
	requires torch
	cat > "$BATS_TEST_TMPDIR/tensors.py" <<- 'END'
		import torch

		strided = torch.zeros(3, 4, device="cuda")[:, ::2]
		plain = torch.zeros(3, 4, device="cuda")

		def contiguous(x):
		    if not x.is_contiguous():
		        raise RuntimeError("bad input")
		    return x

		def integers(x):
		    if x.is_cuda and x.dtype != torch.int32:
		        raise RuntimeError("bad input")
		    return x

		def host(x):
		    if x.is_cuda:
		        raise RuntimeError("bad input")
		    return x
	END
	suai why -f json "$BATS_TEST_TMPDIR/tensors.py:strided" tensors:contiguous
	[ "$(jq -r '.why | .cause + " " + .remedies[0].line' <<<"$output")" = 'strides tensors.contiguous(strided.contiguous())' ]
	suai why -f json "$BATS_TEST_TMPDIR/tensors.py:plain" tensors:integers
	[ "$(jq -r .why.cause <<<"$output")" = element-type ]
	suai why -f json "$BATS_TEST_TMPDIR/tensors.py:plain" tensors:host
	[ "$(jq -r .why.cause <<<"$output")" = device ]
}
