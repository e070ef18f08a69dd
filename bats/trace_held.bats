#!/usr/bin/env bats
# suai trace: memory that is held, released late, twice or never, and who holds it.

load helpers
load interpreters
load trace

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
	[ "${stderr_lines[1]}" = "6 exchanges, 48 bytes; 6 unknown; 2 HELD at exit: 16 bytes; 1 RELEASED late" ]
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
