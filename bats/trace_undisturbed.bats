#!/usr/bin/env bats
# suai trace: that programs run as without it, with other tracers and loaders, unusual memory and hostile objects.

load helpers
load interpreters
load trace

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
	# Libraries of the same size are loaded at the same address, one after another.
	requires numpy
	gcc -shared -fPIC -isystem "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')" -o first.so -xc - <<- 'END'
		#include <Python.h>
		void request(PyObject *object)
		{
			Py_buffer view;
			if (!PyObject_GetBuffer(object, &view, PyBUF_SIMPLE)) PyBuffer_Release(&view);
		}
	END
	cp first.so second.so
	cat > app.py <<- 'END'
		import _ctypes, ctypes, numpy, os
		array = numpy.arange(100.0)
		for i in range(40):
		    library = ctypes.PyDLL(os.path.abspath("second.so" if i % 4 else "first.so"))
		    library.request(ctypes.py_object(array))
		    _ctypes.dlclose(library._handle)
	END
	trace app.py
	[ "$(reported '[.pairs[] | .consumer, .exchanges] | sort')" = '[10,30,"first","second"]' ]
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
