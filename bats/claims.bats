#!/usr/bin/env bats
# The `why` texts of the rules NAI, BUF and CAI, executed with NumPy and Python's own consumers, and the
# severities of __array_interface__ compared with what NumPy does with each object.

load helpers

setup_file() {
	requires numpy
	local python
	python=$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	[ -e "$python/Python.h" ] || skip "no Python.h in $python"
	"${CC:-gcc}" -Wall -Werror -shared -fPIC -isystem "$python" -o "$BATS_FILE_TMPDIR/exporter.abi3.so" "$ROOT/testdata/claims/exporter.c"
}

setup() {
	export PYTHONPATH="$BATS_FILE_TMPDIR"
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "what the rules NAI, BUF and CAI claim about consumers is true wherever it can be executed" {
	mapfile -t rules < <("$SUAI" rule | grep -oE '^(NAI|BUF|CAI)[0-9]+')
	[ "${#rules[@]}" -gt 90 ]
	"$TEST_PYTHON" "$ROOT/testdata/claims/claims.py" "${rules[@]}"
}

@test "array interfaces that NumPy refuses are errors, and those that it reads are not" {
	"$SUAI" validate -f json -o document --exit-zero -p numpy "$ROOT/testdata/claims/dictionaries.py"
	"$TEST_PYTHON" "$ROOT/testdata/claims/dictionaries.py" document
}

@test "more than 64 dimensions do not hide pointers, nor extents and bounds in a dictionary" {
	mapfile -t names < <(grep -oE '^[A-Z]{3}[0-9]\w*' "$ROOT/testdata/claims/dimensions.py")
	"$SUAI" validate -f json --exit-zero -p numpy -p numpy-struct -p buffer "${names[@]/#/$ROOT/testdata/claims/dimensions.py:}" > document
	jq -r '.targets[] | "\(.target | sub(".*:"; "") | sub("_wild.*"; "")) \(.status) \([.findings[] | select(.severity == "error") | .rule] | unique | join("_"))"' document > found
	while read -r name status rules; do
		echo "$name $status $rules"
		[ "$status" = ok ]
		[ "$(tr _ '\n' <<< "$name" | sort)" = "$(tr _ '\n' <<< "$rules" | sort)" ]
	done < found
	[ "$(wc -l < found)" -eq 11 ]
}

@test "NumPy rejects tensors without elements whose other extents DLP314 reports, and JAX some of them" {
	requires jax
	while read -r consumer shape expected; do
		run "$TEST_PYTHON" "$ROOT/testdata/claims/empty_extents.py" "$consumer" "$shape"
		echo "$consumer $shape: $output"
		[ "${lines[-1]}" = "$expected" ]
	done <<-'END'
		numpy 2305843009213693951,0 (2305843009213693951, 0)
		numpy 2305843009213693952,0 ValueError
		numpy 0,4611686018427387904,4611686018427387904 ValueError
		jax.numpy 4611686018427387904,0 RuntimeError
		jax.numpy 0,3 (0, 3)
	END
}
