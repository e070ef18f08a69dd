#!/usr/bin/env bats
# suai validate --consumer EXPR --reproduce CASE: scripts that need no suai.

load helpers

@test "each case has a script in which NumPy does what suai reports" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	"$SUAI" validate --python "$TEST_PYTHON" --consumer numpy:from_dlpack -f json --exit-zero > document
	for case in $("$SUAI" complete cases | cut -f1); do
		"$SUAI" validate --consumer numpy:from_dlpack --reproduce "$case" > "$case.py"
	done
	run "$TEST_PYTHON" "$ROOT/testdata/tools/reproductions.py" . document
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" =~ ^"$(jq '.targets | length' document) cases, 0 complaints"$ ]]
}

@test "a script passes the tensor to a function of a file, and to an expression" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	printf 'import numpy as np\n\n\ndef %s(x):\n    return %s\n\n\n' \
		ignores_strides 'np.from_dlpack(x).ravel("K").reshape(2, 3)' copies 'np.from_dlpack(x).copy()' > consumers.py
	reproduce() { "$SUAI" validate --reproduce fortran "$@" > script.py; run "$TEST_PYTHON" script.py; echo "$output"; }
	reproduce --consumer consumers.py:copies
	[ "$status" -eq 0 ]
	reproduce --consumer consumers.py:ignores_strides
	[ "$status" -eq 1 ]
	[[ "$output" == *AssertionError* ]]
	reproduce --consumer 'np.from_dlpack(_).copy()'
	[ "$status" -eq 0 ]
	reproduce -c 'import numpy as library' --consumer 'library.from_dlpack(_) + 1'
	[ "$status" -eq 1 ]
	[[ "$output" == *AssertionError* ]]
}

@test "--reproduce requires --consumer and a case" {
	suai validate --reproduce offset
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"--reproduce requires --consumer"* ]]
	suai validate --consumer numpy:from_dlpack --reproduce offsets
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"--reproduce 'offsets': no such case"* ]]
}

@test "the first finding of a text run names its script" {
	requires numpy
	suai validate --python "$TEST_PYTHON" --consumer numpy:from_dlpack --case float32,null-shape
	[[ "$stderr" == "suai: --reproduce null-shape prints Python that passes this tensor to the consumer without suai" ]]
	suai validate --python "$TEST_PYTHON" --consumer numpy:from_dlpack --case float32
	[[ "$stderr" != *"--reproduce"* ]]
}

@test "the reproduction of each draft in docs/upstream still holds" {
	requires numpy dpnp jax pyarrow array_api_strict
	for draft in "$ROOT"/docs/upstream/*.md; do
		sed -n '/^```python$/,/^```$/{/^```/!p}' "$draft" > "$BATS_TEST_TMPDIR/script.py"
		[ -s "$BATS_TEST_TMPDIR/script.py" ]
		"$TEST_PYTHON" -W ignore "$BATS_TEST_TMPDIR/script.py" || { echo "$draft: no longer so"; return 1; }
	done
}
