#!/usr/bin/env bats
# Real producers on a real GPU: inspect reports what the library itself reports, including values;
# findings of validate are on the list testdata/cuda/expected.

load helpers

# equals LIBRARY: for every object of testdata/cuda/from_LIBRARY.py.
equals() {
	export TRUTH="$BATS_TEST_TMPDIR/truth"
	suai inspect -f json --values=100 --checksum --timeout 120 -p cuda -p dlpack "$ROOT/testdata/cuda/from_$1.py"
	[ "$status" -eq 0 ]
	printf '%s' "$output" > "$BATS_TEST_TMPDIR/document"
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_objects.py" "$BATS_TEST_TMPDIR/document" "$TRUTH"
	echo "$output" | tail -n 60
	[ "$status" -eq 0 ]
}

# judge NAME OPTION... TARGET...: writes the output of validate to the document NAME.
judge() {
	local document="$BATS_TEST_TMPDIR/$1"
	shift
	"$SUAI" validate -f json -o "$document" --exit-zero --timeout 300 -p cuda -p dlpack "$@" || [ $? -eq 3 ]
}

# listed SCRIPT DOCUMENT...: every error and warning in the documents is on the list.
listed() { "$TEST_PYTHON" "$ROOT/testdata/tools/check_healthy.py" expected "$@"; }

healthy() {
	cd "$ROOT/testdata/cuda" || return 1
	judge all "from_$1.py"
	listed "from_$1.py" "$BATS_TEST_TMPDIR/all"
}

# asked LIBRARY OBJECT: some of its objects with every call, and one of them, whose module each trial imports again, with
# the trials of lifetime and order.
asked() {
	cd "$ROOT/testdata/cuda" || return 1
	judge called --calls -j 5 "asked_$1.py"
	judge tried --lifetime --live "asked_$1.py:$2"
	listed "asked_$1.py" "$BATS_TEST_TMPDIR/called" "$BATS_TEST_TMPDIR/tried"
}

@test "CuPy: inspect reports what CuPy reports" { requires cuda cupy; equals cupy; }
@test "PyTorch: inspect reports what PyTorch reports" { requires cuda torch; equals torch; }
@test "JAX: inspect reports what JAX reports" { requires cuda jax; equals jax; }
@test "Numba: inspect reports what Numba reports" { requires cuda numba.cuda; equals numba; }
@test "cuda.core: inspect reports what cuda.core reports" { requires cuda cuda.core; equals cuda_core; }

@test "CuPy: findings are on the list" { requires cuda cupy; healthy cupy; }
@test "PyTorch: findings are on the list" { requires cuda torch; healthy torch; }
@test "JAX: findings are on the list" { requires cuda jax; healthy jax; }
@test "Numba: findings are on the list" { requires cuda numba.cuda; healthy numba; }
@test "cuda.core: findings are on the list" { requires cuda cuda.core; healthy cuda_core; }

@test "CuPy: findings of calls, lifetimes and order are on the list" { requires cuda cupy; asked cupy plain; }
@test "PyTorch: findings of calls, lifetimes and order are on the list" { requires cuda torch; asked torch plain; }
@test "JAX: findings of calls, lifetimes and order are on the list" { requires cuda jax; asked jax plain; }
@test "Numba: findings of calls, lifetimes and order are on the list" { requires cuda numba.cuda; asked numba plain; }
@test "cuda.core: findings of calls, lifetimes and order are on the list" { requires cuda cuda.core; asked cuda_core view; }

@test "each finding on a GPU still exists, in plain Python" {
	requires cuda cupy jax numba.cuda torch cuda.core
	export TEST_PYTHON XLA_PYTHON_CLIENT_PREALLOCATE=false
	export CUDA_VISIBLE_DEVICES=0 # JAX makes the last GPU current, and PyTorch uses the current one
	run ! grep -i 'import.*suai' "$ROOT"/docs/findings/cuda/*.py
	printf '%s\n' "$ROOT"/docs/findings/cuda/*.py |
		xargs -P 6 -I{} sh -c '"$TEST_PYTHON" {} || { echo "{}: no longer so"; exit 1; }'
}

@test "two GPUs: each finding of an array whose device is not current still exists, in plain Python" {
	requires cuda cuda2 cupy
	run ! grep -i 'import.*suai' "$ROOT"/docs/findings/cuda/two_devices/*.py
	for finding in "$ROOT"/docs/findings/cuda/two_devices/*.py; do
		"$TEST_PYTHON" "$finding" || { echo "$finding: no longer so"; false; }
	done
}

@test "values are read after the stream's work: the last write of a busy stream is shown" {
	requires cuda cupy
	cat > "$BATS_TEST_TMPDIR/busy.py" <<-'END'
		import cupy as cp
		spin = cp.RawKernel('extern "C" __global__ void spin(long long n, float *x) { long long t = clock64();'
		                    ' while (clock64() - t < n) {} x[threadIdx.x] = 7; }', "spin")
		s = cp.cuda.Stream(non_blocking=True)
		with s:
		    a = cp.zeros(4, "f4")
		    spin((1,), (4,), (1, a))
		    s.synchronize()
		    a[...] = 0
		    spin((1,), (4,), (600_000_000, a))

		class Busy:
		    __cuda_array_interface__ = {**a.__cuda_array_interface__, "version": 3, "stream": s.ptr}
		busy = Busy()
	END
	suai inspect --values -f json "$BATS_TEST_TMPDIR/busy.py:busy"
	[ "$status" -eq 0 ]
	[[ "$output" == *'"values": [7.0, 7.0, 7.0, 7.0]'* ]]
	suai convert "$BATS_TEST_TMPDIR/busy.py:busy" --to numpy --call 'print("sum", __import__("numpy").asarray(_).sum())'
	[[ "$stderr$output" == *"sum 28.0"* ]]
}

@test "CuPy, PyTorch and JAX accept a stream that suai creates" {
	requires cuda
	local library
	for library in 'cupy cupy.arange(4.0)' 'torch torch.arange(4.0,device="cuda")' 'jax jax.numpy.arange(4.0)'; do
		"$TEST_PYTHON" -c "import ${library%% *}" 2>/dev/null || continue
		XLA_PYTHON_CLIENT_PREALLOCATE=false suai inspect -p dlpack --stream new -f json -c "import ${library%% *}
a = ${library#* }" a
		[ "$status" -eq 0 ]
		[[ "$output" == *'"step": "__dlpack__(stream=<new stream>)"'*'"outcome": "returned"'* ]]
	done
}
