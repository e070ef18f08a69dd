#!/usr/bin/env bats
# suai trace: what is counted, at which line, with which verdict; programs whose exchanges are known by construction.

load helpers
load interpreters
load trace

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
	for python in $(interpreters) $(fetched_interpreter 3.14) $(fetched_interpreter 3.15); do
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

@test "a library that another compiler built sees the same exchanges" {
	local python include
	command -v clang > compiler || skip "no clang"
	mkdir tree modules
	cp -r "$ROOT/Makefile" "$ROOT/src" "$ROOT/tools" tree
	env -u MAKEFLAGS -u CPPFLAGS -u LDFLAGS make -s -C tree CC=clang CFLAGS=-O2 SANITIZE='' \
		DLPACK_INCLUDE="${DLPACK_INCLUDE:-$ROOT/build/deps/include}" libsuai_trace.so
	cp "$SUAI" tree/suai
	# What the interpreter exports is then at high addresses.
	python=$(shared_interpreter)
	include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	build_exchanger giver modules "$include"
	build_exchanger taker modules "$include" -fno-plt
	SUAI=$PWD/tree/suai PYTHONPATH=$PWD/modules suai trace -f json -o report.json -- "$python" "$ROOT/testdata/trace/exchanges.py"
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals | .exchanges, .copied, .held, .leaked, .unconsumed, .released_twice]')" = '[187,20,19,9,7,5]' ]
}

@test "an interpreter before 3.11 is not traced, which the report states" {
	local python n=0
	for python in $(all_interpreters); do
		"$python" -c 'import sys; sys.exit(sys.version_info >= (3, 11))' || continue
		suai trace -- "$python" -c 'print(5)'
		[ "$status" -eq 0 ]
		[ "$output" = 5 ]
		[ "${stderr_lines[1]}" = "not traced: the interpreter lacks a function of CPython 3.11 or later" ]
		suai trace --follow -- "$TEST_PYTHON" -c 'import subprocess, sys; subprocess.run([sys.argv[1], "-c", "import ctypes"])' "$python"
		[ "${stderr_lines[2]}" = "1 other process was not traced: it runs a CPython before 3.11" ]
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

@test "of 32,144 exchanges of sixty-one programs, those of installed packages have the lines, libraries and verdicts that comments state" {
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
	[ $((n_exchanges + n_skipped)) -eq 32144 ]
}

# use_fetched VERSION: as the Python of the tests.
use_fetched() {
	TEST_PYTHON=$(fetched_interpreter "$1")
	[ -n "$TEST_PYTHON" ] || skip "no CPython $1: $(cat "$ROOT/build/python$1.missing" 2> /dev/null || echo "run tools/fetch-python $1")"
}

trace_programs_with() {
	local program plain options=(--follow)
	use_fetched "$1"
	local names=(acquisition event_loop numpy_only processes standard_library thread_pool)
	for program in "${names[@]/#/"$ROOT/testdata/trace/truth/"}"; do
		plain=$("$TEST_PYTHON" "$program.py")
		trace_known_exchanges "$program.py"
	done
}

@test "programs of NumPy and the standard library have the exchanges that comments state with CPython 3.14 as well" {
	trace_programs_with 3.14
}

@test "programs of NumPy and the standard library have the exchanges that comments state with CPython 3.15 as well" {
	trace_programs_with 3.15
}

@test "calls by name, with a dtype, of checks and in threads are read with CPython 3.15 as well" {
	use_fetched 3.15
	mkdir -p site-packages/package
	printf 'import numpy\ndef convert(a, dtype="f4"): return numpy.asarray(a, dtype=dtype)\ndef check(o): return hasattr(o, "__array_interface__") and o.__array_interface__["shape"]\n' \
		> site-packages/package/__init__.py
	cat > app.py <<- 'END'
		import threading
		import numpy as np, package
		a = np.arange(100.0)
		class Own:
		    __array_interface__ = property(lambda self: a.__array_interface__)
		np.asarray(Own())
		def work():
		    for i in range(3): package.convert(a)
		    for i in range(4): package.convert(a, dtype="f4")
		    for i in range(5): package.convert(a, "f4")
		    for i in range(6): package.check(Own())
		    for i in range(7): np.array(a)
		thread = threading.Thread(target=work)
		thread.start()
		thread.join()
	END
	PYTHONPATH="$PWD/site-packages" trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites | sort_by(.line)[] | [.line, .consumer, .exchanges, .narrowed]]')" = \
		'[[6,"numpy",1,0],[8,"package",3,3],[9,"package",4,0],[10,"package",5,0],[11,"package",6,0]]' ]
}

@test "if a later CPython describes its frames in another way, nothing is attributed to the C library" {
	use_fetched 3.14
	mkdir -p site-packages/package
	echo 'def read(o): return o.__array_interface__["shape"]' > site-packages/package/__init__.py
	cat > app.py <<- 'END'
		import ctypes, threading
		ctypes.memset(ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime")), 0, 8)
		import numpy as np, package
		a = np.arange(100.0)
		class Own:
		    __array_interface__ = property(lambda self: a.__array_interface__)
		np.asarray(Own())
		def work():
		    for i in range(3): np.array(a), np.asarray(a, dtype="f4")
		    for i in range(4): np.from_dlpack(a, copy=True)
		    for i in range(5): package.read(Own())
		for target in work, work:
		    thread = threading.Thread(target=target)
		    thread.start()
		    thread.join()
	END
	PYTHONPATH="$PWD/site-packages" trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites | sort_by(.line)[] | [.line, .consumer, .exchanges, .copied]]')" = '[[7,"numpy",1,0],[10,"numpy",8,8],[11,"package",10,0]]' ]
}

# build_inference MODULE FILE FLAG...: testdata/trace/fake_inference.c as a module.
build_inference() {
	mkdir -p "$(dirname "$2")"
	gcc -shared -fPIC -O1 -DMODULE_NAME="\"$1\"" -DMODULE_INIT="PyInit_$1" -isystem "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
		"${@:3}" -o "$2" "$ROOT/testdata/trace/fake_inference.c"
}

@test "arrays that OpenVINO, ONNX Runtime, TensorFlow and PaddlePaddle read or return without a protocol are exchanges" {
	requires numpy
	local site=site-packages
	mkdir -p $site/tensorflow/python/framework $site/onnxruntime
	touch $site/onnxruntime/__init__.py
	cat > $site/tensorflow/python/framework/ops.py <<-'END'
		import numpy
		from tensorflow import fake_eager
		class _EagerTensorBase:
		    backing_device = "/job:localhost/replica:0/task:0/device:CPU:0"
		    def set(self, value, device=None, dtype=None): self.array = numpy.stack(value) if device else value
		    def numpy(self):
		        "Copies."
		        return self.array.copy()
		EagerTensor = fake_eager.eager_tensor(_EagerTensorBase)
	END
	mkdir -p $site/paddle/base/libpaddle
	cat > $site/paddle/base/libpaddle/eager.py <<-'END'
		import types
		from paddle import fake_eager
		class _Base:
		    place = types.SimpleNamespace(is_cpu_place=lambda: True)
		    def __init__(self, array): self.array = array
		    def data_ptr(self): return self.array.ctypes.data
		    def export(self, copy=True): return self.array.copy() if copy else self.array[:5]
		Tensor = fake_eager.paddle_tensor(_Base)
	END
	touch $site/paddle/__init__.py
	# The array that is converted first finds NumPy's functions; nothing else is observed between an import and a call.
	cat > app.py <<-'END'
		import numpy as np
		a = np.arange(1000.0).reshape(10, 100)
		from openvino import _pyopenvino
		own = _pyopenvino.Tensor(a)  # expect: numpy-api numpy>openvino 1 copied
		own = _pyopenvino.Tensor(array=a, shared_memory=True)  # expect: numpy-api numpy>openvino 1 shared
		text = _pyopenvino.Tensor(np.array(["a", "b"]))  # expect: numpy-api numpy>openvino 1
		try: _pyopenvino.Tensor(a.T, shared_memory=True)
		except ValueError: pass
		try: _pyopenvino.Tensor()
		except AttributeError: pass
		from onnxruntime.capi import onnxruntime_pybind11_state as onnx
		value = onnx.OrtValue.ortvalue_from_numpy(a)  # expect: numpy-api numpy>onnxruntime 1 shared
		value = onnx.OrtValue.ortvalue_from_numpy(a.T, None)  # expect: numpy-api numpy>onnxruntime 1 copied
		onnx.InferenceSession().run(None, {"x": a, "y": a, "n": 1.0, "l": [a]}, None)  # expect: numpy-api numpy>onnxruntime 2
		try: onnx.InferenceSession().run(["z"], {"x": a}, None)
		except ValueError: pass
		onnx.SessionIOBinding().bind_input("x", a)  # expect: numpy-api numpy>onnxruntime 1
		from tensorflow.python.framework import ops
		import tensorflow.fake_last  # as many modules follow in TensorFlow
		both = ops.EagerTensor([a, a], "CPU")  # expect: numpy-api numpy>tensorflow 2 copied
		nested = ops.EagerTensor(value=((a, [1.0] * 100), a[0]))  # expect: numpy-api numpy>tensorflow 2 copied
		numbers = ops.EagerTensor([1.0, 2.0])
		one = ops.EagerTensor(a)
		result = one.numpy()  # expect: numpy-api tensorflow>numpy 1 copied
		one.array = np.array([b"a", b"b"], dtype=object)
		words = one.numpy()
		one.array = a
		one.backing_device = "/device:GPU:0"
		one.numpy()
		from paddle.base.libpaddle import eager
		import paddle.fake_last
		tensor = eager.Tensor(a)
		copy = tensor.numpy()  # expect: numpy-api paddle>numpy 1 copied
		view = tensor.numpy(copy=False)  # expect: numpy-api paddle>numpy 1 shared
		tensor.place.is_cpu_place = lambda: False
		tensor.numpy()
		try: tensor.numpy(unknown=1)
		except TypeError: pass
		print(one.numpy.__doc__, type(one).numpy.__name__, type(one).__init__(one, numbers.array), one.array)
	END
	for flags in "" "-DFAST" "-DSINGLE_PHASE" "-DFAST -DSINGLE_PHASE"; do
		read -ra words <<< "$flags"
		build_inference _pyopenvino $site/openvino/_pyopenvino.so "${words[@]}"
		build_inference onnxruntime_pybind11_state $site/onnxruntime/capi/onnxruntime_pybind11_state.so "${words[@]}"
		build_inference fake_eager $site/tensorflow/fake_eager.so "${words[@]}"
		build_inference fake_last $site/tensorflow/fake_last.so "${words[@]}"
		cp $site/tensorflow/fake_*.so $site/paddle
		PYTHONPATH="$PWD/$site:$PYTHONPATH" trace app.py
		[ "$status" -eq 0 ]
		[ "$output" = "Copies. numpy None [1.0, 2.0]" ]
		run -0 "$TEST_PYTHON" "$ROOT/testdata/trace/check_truth.py" app.py report.json
		[ "$output" = "15 exchanges" ]
	done
	[ "$(reported '[.call_sites[] | select(.copied == 1) | .copy_causes] | unique | tojson')" = '"[[\"requested\"]]"' ]
}
