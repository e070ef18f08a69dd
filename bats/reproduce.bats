#!/usr/bin/env bats
# suai validate --consumer EXPR --reproduce CASE: scripts that need no suai; --fuzz: drawn cases.

load helpers

@test "each case has a script in which NumPy does what suai reports" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	"$SUAI" validate --python "$TEST_PYTHON" --consumer numpy:from_dlpack -f json --exit-zero > document
	for case in $(jq -r '.targets[].consumption.id' document); do
		"$SUAI" validate --consumer numpy:from_dlpack --reproduce "$case" > "$case.py"
	done
	run "$TEST_PYTHON" "$ROOT/testdata/tools/reproductions.py" . document
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" =~ ^"$(jq '.targets | length' document) cases, 0 complaints"$ ]]
}

# check_scripts CONSUMER PROTOCOL [OPTION...]: the script of each case does what suai reports.
check_scripts() {
	"$SUAI" validate --python "$TEST_PYTHON" --consumer "$1" -p "$2" "${@:3}" -f json --exit-zero > document 2> messages
	for case in $(jq -r '.targets[].consumption.id' document); do
		"$SUAI" validate --consumer "$1" -p "$2" --reproduce "$case" > "$case.py"
	done
	"$TEST_PYTHON" "$ROOT/testdata/tools/reproductions.py" . document > complaints 2>> messages || true
	cat messages complaints
	[ "$(tail -n 1 complaints)" = "$(jq '.targets | length' document) cases, 0 complaints" ]
}

@test "tensors of other interfaces have scripts of at most ten lines" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	for protocol in numpy numpy-struct buffer; do
		check_scripts numpy:asarray "$protocol"
	done
}

@test "tensors with the C exchange API have scripts of at most ten lines with a table of it" {
	requires tvm_ffi
	cd "$BATS_TEST_TMPDIR"
	check_scripts tvm_ffi:from_dlpack dlpack \
		--case exchange,exchange-scalar,exchange-fortran,exchange-offset,exchange-aligned-4,exchange-read-only,exchange-chain,exchange-name
}

@test "tensors in memory of devices have scripts that allocate it" {
	cd "$BATS_TEST_TMPDIR"
	requires sycl dpnp
	check_scripts 'dpnp.tensor.asarray(_)' sycl --case float32,offset-strided,negative,empty,read-only,strides-short,syclobj-none,address-unknown,fuzz-1-2
}

@test "tensors in managed memory of CUDA have scripts that allocate it" {
	cd "$BATS_TEST_TMPDIR"
	requires numpy
	"${CC:-gcc}" -D_GNU_SOURCE -fPIC -shared -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$ROOT/testdata/fakes/fake_cuda_driver.c"
	export LD_LIBRARY_PATH=$PWD
	cp "$ROOT/testdata/consumers/planted_host.py" . # The width of lines is checked, so that the path has to be short.
	check_scripts planted_host.py:cuda_healthy cuda --case float32,fortran,negative,complex128,empty-address,swapped,read-only,stream-thread,stream-zero,null-data,fuzz-1-2
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
	printf 'import numpy as np\n\n\nclass Array:\n    make = staticmethod(np.from_dlpack)\n' > classes.py
	reproduce --consumer classes.py:Array.make
	[ "$status" -eq 0 ]
	cat > holders.py <<-'PYTHON'
		import numpy as np

		class Holder:
		    def __init__(self, array):
		        self.array, self.__array_interface__ = array, array.__array_interface__

		def holds(x):
		    return Holder(np.from_dlpack(x))
	PYTHON
	reproduce --consumer holders.py:holds
	[ "$status" -eq 0 ]
	printf 'import numpy as np\n\n\ndef twice(x):\n    np.from_dlpack(x)\n    return np.from_dlpack(x)\n' > twice.py
	for case in legacy-offset version-1.0; do
		"$SUAI" validate --consumer twice.py:twice --reproduce "$case" > script.py
		"$TEST_PYTHON" script.py
	done
	reproduce -c 'import numpy as np' --consumer 'np.from_dlpack(_)'
	[ "$status" -eq 0 ]
	[ "$(grep -c 'import numpy' script.py)" -eq 1 ]
	reproduce --consumer 'dict(_=1) and np.from_dlpack(_)'
	[ "$status" -eq 0 ]
	reproduce -c 'import numpy as library' --consumer 'library.from_dlpack(_) + 1'
	[ "$status" -eq 1 ]
	[[ "$output" == *AssertionError* ]]
}

@test "a script imports the modules that its expression names, and no class, variable or builtin" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	mkdir -p library/parts
	echo 'from library.function import function' > library/__init__.py
	echo 'def function(x): return x' > library/function.py
	touch library/parts/__init__.py
	printf 'import numpy as np\n\n\nclass Array:\n    make = staticmethod(np.from_dlpack)\n' > library/parts/arrays.py
	# imports EXPRESSION [OPTION...]: the imports of its script, which must run.
	imports() {
		"$SUAI" validate --python "$TEST_PYTHON" --consumer "$1" --reproduce float32 "${@:2}" > script.py
		"$TEST_PYTHON" script.py
		sed -n 's/^import //p' script.py | grep -v '^mmap$\|^ctypes$\|^numpy as np$' | paste -sd,
	}
	[ "$(imports 'library.parts.arrays.Array.make(_)')" = library.parts.arrays ]
	[ "$(imports 'library.function(library.parts.arrays.np.from_dlpack(_))')" = library.parts.arrays ]
	[ "$(imports 'library.function(np.from_dlpack(_))')" = library ]
	[ "$(imports '(lambda a: a.reshape(a.shape))(np.from_dlpack(_)) if float.fromhex("1") else _')" = "" ]
	[ "$(imports 'library.parts.arrays.Array.make(function(_))' -c 'from library import function')" = library.parts.arrays ]
	"$SUAI" validate --consumer 'np.from_dlpack(_)' --reproduce raises-TypeError > script.py
	run "$TEST_PYTHON" script.py
	[[ "$output" == *"TypeError: this exporter raises TypeError"* ]]
	# Without an interpreter, the first name is imported.
	[ "$("$SUAI" validate --python /bin/false --consumer 'library.parts.arrays.Array.make(_)' --reproduce float32 | grep library | head -n 1)" = "import library" ]
}

@test "--reproduce requires --consumer and a case" {
	suai validate --reproduce offset
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"--reproduce requires --consumer"* ]]
	suai validate --consumer numpy:from_dlpack --reproduce offsets
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"--reproduce 'offsets': no such case"* ]]
}

@test "-o writes the script of --reproduce to a file, but not to that of the consumer" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	printf 'import numpy\n\n\ndef take(tensor):\n    return numpy.from_dlpack(tensor)\n' > consumer.py
	cp consumer.py before.py
	suai validate --consumer consumer.py:take --reproduce offset -o script.py
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
	[ "$(cat script.py)" = "$("$SUAI" validate --consumer consumer.py:take --reproduce offset)" ]
	"$TEST_PYTHON" script.py
	suai validate --consumer consumer.py:take --reproduce offset -o consumer.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: -o 'consumer.py' would replace an input of this run: 'consumer.py'" ]
	cmp consumer.py before.py
}

@test "an unknown case, two consumers, and options of --consumer that exclude each other are refused" {
	# refused MESSAGE OPTION...
	refused() {
		suai validate --consumer numpy:from_dlpack "${@:2}"
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"$1"* ]]
	}
	refused "--case: expected CASE, got an empty value" --case ''
	refused "--case: expected CASE, got an empty value" --case offset --case ,
	refused "--consumer: expected one EXPR, got 'numpy:from_dlpack' and 'numpy:asarray'" --consumer numpy:asarray
	refused "--reproduce: expected one CASE, got 'offset' and 'negative'" --reproduce offset --reproduce negative
	refused "--reproduce cannot be used with --fuzz" --reproduce offset --fuzz 3
	refused "--reproduce cannot be used with --case" --reproduce offset --case negative
	refused "--reproduce cannot be used with --query" --reproduce offset --query rule
}

@test "the first finding of a text run names its script" {
	requires numpy
	suai validate --python "$TEST_PYTHON" --consumer numpy:from_dlpack --case float32,null-shape
	[[ "$stderr" == "suai: --reproduce null-shape prints Python that passes this tensor to the consumer without suai" ]]
	suai validate --python "$TEST_PYTHON" --consumer numpy:from_dlpack --case float32
	[[ "$stderr" != *"--reproduce"* ]]
	suai validate --consumer testdata/consumers/planted.py:ignores_byte_offset --case offset-1d
	[[ "$output" == *"without byte_offset"$'\n'"  = case: a byte_offset of 4 in 1 dimension"$'\n'"  = why: "* ]]
	suai validate --consumer 'type(_)' --case float32
	[[ "$output" == *"DLC004"*$'\n'"1 error; 1 of 1 target failed" && "$output" != *"= case"* && "$stderr" != *"--reproduce"* ]]
	suai validate --consumer 'type(_)' --case float32 -v
	[ "$(grep 'skipped' <<< "$output" | sed 's/[0-9][0-9]* rules/N rules/')" = "type(_)[float32]: skipped N rules, because the consumer does not read the tensor" ]
}

@test "--fuzz reports the simplest tensor for which a rule fails, the same in each run" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > consumers.py <<-'PYTHON'
		import numpy as np

		def narrows(x):
		    array = np.from_dlpack(x)
		    return array.astype("f4") if array.dtype == "f8" and array.ndim > 1 else array
	PYTHON
	suai validate --python "$TEST_PYTHON" --consumer consumers.py:narrows --fuzz 40 --seed 3 -f json
	[ "$status" -eq 1 ]
	[[ "$stderr" == "suai: DLC307: "*" of 40 tensors; the simplest is fuzz-3-"* ]]
	[ "$(jq -c '[.targets[].consumption.about]' <<<"$output")" = '["elements of float64, shape (1, 1)"]' ]
	local first=$output
	suai validate --python "$TEST_PYTHON" --consumer consumers.py:narrows --fuzz 40 --seed 3 -f json
	[ "$(jq '.targets[].consumption.id' <<<"$output")" = "$(jq '.targets[].consumption.id' <<<"$first")" ]
	id=$(jq -r '.targets[].consumption.id' <<<"$output")
	suai validate --python "$TEST_PYTHON" --consumer consumers.py:narrows --case "$id" -f concise
	[[ "$output" == *"[$id]: error DLC307 "* ]]
	"$SUAI" validate --consumer consumers.py:narrows --reproduce "$id" > script.py
	run "$TEST_PYTHON" script.py
	[[ "$output" == *AssertionError* ]]
}

@test "--fuzz draws tensors of each interface, and finds a byte order that a consumer ignores" {
	requires numpy
	cd "$ROOT"
	for protocol in numpy numpy-struct buffer; do
		suai validate --consumer 'np.asarray(_)' -p "$protocol" --fuzz 40 --seed 3
		[ "$output" = "no findings in 40 targets" ]
	done
	for planted in numpy:interface numpy-struct:struct buffer:buffer; do
		suai validate --consumer "testdata/consumers/planted_host.py:${planted#*:}_ignores_byte_order" -p "${planted%:*}" \
			--fuzz 40 --seed 3 -f json
		[ "$status" -eq 1 ]
		jq -e '[.targets[] | .findings[] | select(.severity == "error").rule] == ["DLC305"]
			and (.targets[0].consumption.about | endswith(", shape (), in the other byte order"))' <<<"$output"
	done
}

@test "the scripts of drawn cases do what suai reports" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	while read -r protocol function; do
		"$SUAI" validate --python "$TEST_PYTHON" --consumer "$function" -p "$protocol" --fuzz 20 --seed 5 -f json > document
		for case in $(jq -r '.targets[].consumption.id' document); do
			"$SUAI" validate --consumer "$function" -p "$protocol" --reproduce "$case" > "$case.py"
		done
		run "$TEST_PYTHON" "$ROOT/testdata/tools/reproductions.py" . document
		echo "$output"
		[ "$output" = "20 cases, 0 complaints" ]
	done <<- END
		dlpack numpy:from_dlpack
		numpy numpy:asarray
		numpy-struct numpy:asarray
		buffer numpy:asarray
	END
}

@test "--fuzz requires --consumer, and --seed requires --fuzz" {
	suai validate --fuzz 3
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"--fuzz requires --consumer"* ]]
	suai validate --consumer numpy:from_dlpack --fuzz 3 --case offset
	[[ "$stderr" == *"--fuzz cannot be used with --case"* ]]
	suai validate --consumer numpy:from_dlpack --seed 3
	[[ "$stderr" == *"--seed requires --fuzz"* ]]
	suai validate --consumer numpy:from_dlpack --case fuzz-1-2-zz
	[[ "$stderr" == *"--case 'fuzz-1-2-zz': no such case"* ]]
}
