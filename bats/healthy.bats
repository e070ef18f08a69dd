#!/usr/bin/env bats
# Released libraries, in every element type and view: the findings are those on the list
# testdata/healthy/expected, and each line of it has a reproduction without suai (docs/findings).

load helpers

# Reproductions of nanobind compile an extension.
setup() {
	CXX=$(command -v "${CXX:-g++}" || command -v clang++ || command -v clang++-14) || CXX=
	export CXX
}

# healthy LIBRARY: validates the objects of testdata/healthy/from_LIBRARY.py, buffers included.
healthy() {
	cd "$ROOT/testdata/healthy" || return 1
	"$SUAI" validate -f json -o "$BATS_TEST_TMPDIR/document" --exit-zero --timeout 300 \
		-p sycl -p cuda -p dlpack -p numpy -p numpy-struct -p buffer "from_$1.py" || [ $? -eq 3 ]
	"$TEST_PYTHON" "$ROOT/testdata/tools/check_healthy.py" expected "from_$1.py" "$BATS_TEST_TMPDIR/document"
}

# asked LIBRARY NAME...: all objects of testdata/healthy/asked_LIBRARY.py with --calls, the named ones also with --lifetime.
asked() {
	cd "$ROOT/testdata/healthy" || return 1
	local script="asked_$1.py" protocols
	read -ra protocols <<<"-p sycl -p cuda -p dlpack -p numpy -p numpy-struct -p buffer"
	sed -n 's/^def \(.*\)():$/\1/p' "$script" | sed "s/.*/$script:&()/" |
		"$SUAI" validate --calls "${protocols[@]}" -f json -o "$BATS_TEST_TMPDIR/calls" --exit-zero --targets-from -
	shift
	"$SUAI" validate --lifetime "${protocols[@]}" -f json -o "$BATS_TEST_TMPDIR/trials" --exit-zero "${@/#/$script:}"
	"$TEST_PYTHON" "$ROOT/testdata/tools/check_healthy.py" expected "$script" "$BATS_TEST_TMPDIR/calls" "$BATS_TEST_TMPDIR/trials"
}

@test "NumPy" {
	requires numpy
	healthy numpy
}

@test "dpctl" {
	requires sycl
	healthy dpctl
}

@test "dpnp" {
	requires sycl dpnp
	healthy dpnp
}

@test "PyArrow" {
	requires pyarrow numpy
	healthy pyarrow
}

@test "JAX on the CPU" {
	requires jax numpy
	healthy jax
}

@test "tvm-ffi" {
	requires tvm_ffi jax numpy
	healthy tvm_ffi
}

@test "ml_dtypes" {
	requires ml_dtypes numpy
	healthy ml_dtypes
}

@test "array-api-strict" {
	requires python3.11 array_api_strict numpy
	healthy array_api_strict
}

@test "array" {
	healthy array
}

@test "ctypes" {
	requires python3.11
	healthy ctypes
}

@test "mmap" {
	healthy mmap
}

@test "memoryview, bytes, bytearray" {
	requires numpy
	healthy memoryview
}

@test "calls and lifetimes: NumPy, ml_dtypes, array-api-strict, the standard library" {
	requires python3.11 numpy ml_dtypes array_api_strict
	asked numpy 'plain()' 'readonly()' 'broadcast()' 'mapped()' 'taken()' 'structured()'
	asked ml_dtypes 'bfloat16()'
	asked array_api_strict 'view()'
	asked stdlib 'numbers()' 'ctypes_matrix()' 'memory_map()' 'view()' 'constant()'
}

@test "calls and lifetimes: PyArrow, tvm-ffi" {
	requires pyarrow tvm_ffi numpy
	asked pyarrow 'array_sliced()' 'tensor()' 'tensor_readonly()' 'buffer()'
	asked tvm_ffi 'plain()'
}

@test "calls and lifetimes: dpctl, dpnp" {
	requires sycl dpnp
	asked dpctl 'device()' 'shared()'
	asked dpnp 'plain()'
}

@test "calls and lifetimes: JAX" {
	requires jax numpy
	asked jax 'plain()'
}

@test "every script of testdata/healthy is validated above" {
	for script in "$ROOT"/testdata/healthy/{from,asked}_*.py; do
		library=$(basename "$script" .py)
		grep -qE "^	(healthy ${library#from_}|asked ${library#asked_} .*)$" "$BATS_TEST_FILENAME" || { echo "$library"; return 1; }
	done
}

@test "each finding still exists, in plain Python" {
	requires python3.11 sycl dpnp jax pyarrow tvm_ffi ml_dtypes
	for finding in "$ROOT"/docs/findings/*.py; do
		# A finding that names the version of its library is of one that this Python may lack.
		if grep -qE '^Library: .*[0-9]$' "$finding"; then
			module=$(sed -nE 's/^(import|from) (torch|astropy).*/\2/p' "$finding")
			[ -n "$module" ]
			"$TEST_PYTHON" -c "import $module" 2>/dev/null ||
				{ echo "# not run: $(basename "$finding") requires $module" >&3; continue; }
		fi
		"$TEST_PYTHON" "$finding" || { echo "$finding: no longer so"; return 1; }
		run ! grep -i 'import.*suai' "$finding"
	done
}

# applies FILE: whether the reproduction in FILE applies to this Python; otherwise prints why it does not.
applies() {
	local version
	version=$(grep -o 'requires CPython 3\.[0-9]* or later' "$1" | grep -o '3\.[0-9]*') || return 0
	"$TEST_PYTHON" -c "import sys; sys.exit(sys.version_info < (3, ${version#3.}))" ||
		{ echo "# not run: $(basename "$1") requires CPython $version" >&3; return 1; }
}

@test "the reproduction of each draft in docs/upstream still holds" {
	requires numpy dpnp jax pyarrow array_api_strict
	local n_run=0
	for draft in "$ROOT"/docs/upstream/*.md; do
		sed -n '/^```python$/,/^```$/{/^```/!p}' "$draft" > "$BATS_TEST_TMPDIR/script.py"
		[ -s "$BATS_TEST_TMPDIR/script.py" ]
		! grep -q 'requires an NVIDIA GPU' "$draft" || "$TEST_PYTHON" -c 'import ctypes; ctypes.CDLL("libcuda.so.1")' 2> /dev/null || continue
		! grep -q '^import nanobind' "$BATS_TEST_TMPDIR/script.py" || [ "$CXX" ] || continue
		applies "$draft" || continue
		run "$TEST_PYTHON" -W ignore "$BATS_TEST_TMPDIR/script.py"
		# This Python may lack libraries such as those of docs/findings/further, but none of those required above.
		if [[ "$output" =~ ModuleNotFoundError:\ No\ module\ named\ \'([^.\']*) ]]; then
			[[ ! ${BASH_REMATCH[1]} =~ ^(numpy|dpnp|dpctl|jax|pyarrow|array_api_strict)$ ]]
			continue
		fi
		[ "$status" -eq 0 ] || { echo "$draft: no longer so: $output"; return 1; }
		n_run=$((n_run + 1))
	done
	[ "$n_run" -gt 0 ]
}

@test "findings of further libraries still exist, if these are installed" {
	local n_run=0
	for finding in "$ROOT"/docs/findings/further/*.py; do
		[[ "$finding" != */nanobind_* ]] || [ "$CXX" ] || continue
		applies "$finding" || continue
		run "$TEST_PYTHON" "$finding"
		if [[ "$output" == *ModuleNotFoundError* ]]; then continue; fi
		echo "$finding: $output"
		[ "$status" -eq 0 ]
		n_run=$((n_run + 1))
	done
	[ "$n_run" -gt 0 ] || skip "no library of docs/findings/further in $TEST_PYTHON"
}

@test "behaviour measured before suai existed still holds" {
	requires sycl dpnp jax pyarrow tvm_ffi array_api_strict
	"$TEST_PYTHON" -W ignore "$ROOT/testdata/healthy/field.py"
}

@test "docs/findings.md is the output of tools/findings" {
	requires python3.11 sycl dpnp jax pyarrow tvm_ffi ml_dtypes
	diff -u "$ROOT/docs/findings.md" <("$TEST_PYTHON" "$ROOT/tools/findings")
}

@test "a finding missing from the list, and an entry without a finding, are reported" {
	cd "$BATS_TEST_TMPDIR"
	"$SUAI" validate -f json --exit-zero "$ROOT/testdata/rules/SUAI102/bad.yaml" |
		sed 's/"target": "[^"]*"/"target": "bad.py:a"/' > document
	check() { run "$TEST_PYTHON" "$ROOT/testdata/tools/check_healthy.py" expected bad.py document; }
	echo 'other.py:a SUAI103 shape why' > expected
	check
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "not on the list: bad.py:a SUAI102 shape: "* ]]
	[ "${lines[1]}" = "bad.py: 1 objects, 1 findings that are not on the list" ]
	printf 'bad.py:%s SUAI102 shape why\n' '*' b > expected
	check
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "on the list, but not seen: bad.py:b SUAI102 shape" ]
	echo 'bad.py:? SUAI102 shape why' > expected
	check
	[ "$status" -eq 0 ]
}
