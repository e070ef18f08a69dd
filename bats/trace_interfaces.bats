#!/usr/bin/env bats
# suai trace: capsules, attributes, buffers and C API tables, and whether the consumer shares or copies the memory.

load helpers
load interpreters
load trace

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

@test "an array that a library receives and then copies during one call, as pybind11 does for Eigen, is copied once" {
	requires numpy
	build_numpy_converter numpy_converter.so
	cat > app.py <<-'END'
		import numpy as np
		from numpy_converter import convert
		class Own(np.ndarray): pass
		a = np.arange(100, dtype="f4")
		for i in range(3): convert("both", a)
		for row in a.view(Own).reshape(10, 10): convert("both", row)
		convert("from_any", a), convert("copy_any_into", a)
		convert("from_any", a), convert("both", a), convert("from_any", a)
	END
	PYTHONPATH="$PYTHONPATH:$PWD" suai trace -f json -o report.json -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	run -0 jq -c '.call_sites | sort_by(.line)[] | [.line, .exchanges, .bytes, .shared, .copied, .copied_bytes]' report.json
	diff - <(echo "$output") <<-'END'
		[5,3,1200,0,3,2400]
		[6,10,400,0,10,800]
		[7,2,800,1,1,800]
		[8,3,1200,2,1,800]
	END
	PYTHONPATH="$PYTHONPATH:$PWD" suai trace -f perfetto -o trace.json -- "$TEST_PYTHON" app.py
	run -0 jq -c '[.traceEvents[] | select(.args.verdict?) | .args.verdict] | group_by(.) | map([.[0], length])' trace.json
	[ "$output" = '[["copied",15],["shared",3]]' ]
	PYTHONPATH="$PYTHONPATH:$PWD" suai trace --min-bytes 401 -f json -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.totals.exchanges, .coverage.below_min_bytes]')" = '[0,18]' ]
}

@test "copies by each function of NumPy 1's C API are seen" {
	[ -f "$ROOT/build/numpy1/.lock" ] || skip "no build/numpy1: run tools/setup test"
	export PYTHONPATH="$ROOT/build/numpy1:$PYTHONPATH:$PWD"
	"$TEST_PYTHON" -c 'import numpy; assert numpy.__version__ == "1.26.4"' || skip "another interpreter than that of build/env"
	build_numpy_converter numpy_converter.so
	cat > app.py <<-'END'
		import numpy as np
		from numpy_converter import convert
		a = np.ones((10, 10))
		for i, name in enumerate(["check_from_any", "from_array", "cast", "new_copy", "copy_into", "copy_any_into"]):
		    for n in range(i + 1): convert(name, a)
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '.call_sites[] | [.producer, .consumer, .exchanges, .copied]')" = '["numpy","numpy_converter",21,21]' ]
	sed -i 's/\["check_from_any".*\]/["copy_into"]/' app.py
	trace app.py
	[ "$(reported '.call_sites[] | [.exchanges, .copied]')" = '[1,1]' ]
}

@test "below --min-bytes, what a call requests twice, or converts after it received a capsule, is counted once" {
	requires numpy jax
	cat > app.py <<-'END'
		import array, numpy as np, jax.dlpack
		buffer, values = array.array("d", range(64)), np.arange(64.0)
		jax.dlpack.from_dlpack(values) # and what JAX passes to itself the first time
		for i in range(5): np.frombuffer(buffer)
		for i in range(7): jax.dlpack.from_dlpack(values)
	END
	trace app.py
	[ "$(reported '[.call_sites[] | select(.line > 3) | .exchanges] | add')" = 12 ]
	local all=$(reported .totals.exchanges)
	options=(--min-bytes 10000)
	trace app.py
	[ "$(reported '[.totals.exchanges, .coverage.below_min_bytes]')" = "[0,$all]" ]
}

@test "an array that a library makes of its own memory, as pybind11 does, is passed to NumPy" {
	requires numpy
	build_numpy_converter numpy_converter.so
	cat > app.py <<-'END'
		from numpy_converter import convert, export_copy, export_view
		a = export_copy()
		b = export_view()
		convert("new_copy", b)
	END
	PYTHONPATH="$PYTHONPATH:$PWD" trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -c '.call_sites | sort_by(.line)[] | [.line, .protocol, .producer, .consumer, .exchanges, .copied, .copied_bytes, .copy_causes]' report.json
	diff - <(echo "$output") <<-'END'
		[2,"numpy-api","numpy_converter","numpy",1,1,800,["export"]]
		[4,"numpy-api","numpy","numpy_converter",1,1,800,["requested"]]
	END
	PYTHONPATH="$PYTHONPATH:$PWD" suai trace -- "$TEST_PYTHON" app.py
	[[ "$stderr" == *"the producer copies its memory to return it as an array of NumPy"* ]]
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

@test "a function that a package keeps, or calls by compiled code, is not that package's unless it uses NumPy" {
	requires numpy
	mkdir -p site-packages/plain site-packages/owner
	gcc -shared -fPIC -O1 -isystem "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
		-o site-packages/plain/solver.so "$ROOT/testdata/trace/numpy_caller.c"
	cat > site-packages/plain/__init__.py <<- 'END'
		from plain import solver
		class Kept:
		    def __init__(self, *functions):
		        self.first, self.rest = functions[0], dict(enumerate(functions[1:]))
		    def __call__(self, a):
		        a = self.first(a)
		        for key in self.rest: a = self.rest[key](a)
		        return a
		def partial(f, a): return f(a)
		def compiled(f, a): return solver.apply(f, a)
	END
	cat > site-packages/owner/__init__.py <<- 'END'
		import functools
		import numpy as np
		import plain
		class Kept:
		    def __init__(self): self.convert = np.array
		    def __call__(self, a): return self.convert(a)
		def kept(a): return plain.Kept(np.array)(a)
		def compiled(a): return plain.compiled(np.array, a)
		def partial(a): return plain.partial(functools.partial(np.array, copy=True), a)
	END
	mkdir site-packages/mixed
	echo 'from numpy import array' > site-packages/mixed/tools.py
	printf 'import mixed.tools\nclass Both:\n    def __init__(self, f): self.f, self.g = f, mixed.tools.array\n    def __call__(self, a): return self.f(a), self.g(a)\n' \
		> site-packages/mixed/__init__.py
	echo 'from numpy import array as convert' > site-packages/owner/tools.py
	printf 'from owner import tools\ndef renamed(a): return tools.convert(a)\n' > site-packages/owner/renamed.py
	cat > app.py <<- 'END'
		import functools
		import numpy as np, plain, owner, owner.renamed, mixed
		a = np.arange(1000.0)
		kept = plain.Kept(np.array, np.array, functools.partial(np.array, copy=True))
		for i in range(2): kept(a)
		for i in range(3): plain.partial(functools.partial(np.array, dtype="f4"), a)
		for i in range(4): plain.compiled(np.array, a)
		for i in range(5): owner.Kept()(a)
		for i in range(6): owner.kept(a)
		for i in range(7): owner.compiled(a)
		for i in range(8): owner.partial(a)
		for i in range(9): owner.renamed.renamed(a)
		for i in range(10): plain.solver.call("array", a)
		for i in range(11): mixed.Both(np.asfortranarray)(a.reshape(10, 100))
	END
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | sort_by(.line)[] | "\(.line) \(.protocol) \(.consumer) \(.exchanges) \(.copied)"' report.json
	diff - <(echo "$output") <<- 'END'
		8 numpy-api owner 5 5
		9 numpy-api owner 6 6
		10 numpy-api owner 7 7
		11 numpy-api owner 8 8
		12 numpy-api owner 9 9
		13 numpy-api plain 10 10
		14 numpy-api mixed 11 11
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
		convert("cast", a)
		convert("cast", a.astype("f4"))
		convert("cast", a.astype(">M8[s]").astype(">f8"))
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
		[11,"numpy-api","numpy","numpy_converter",1,0,1,48,["element-type","requested"]]
		[12,"numpy-api","numpy","numpy_converter",1,0,1,48,["requested"]]
		[13,"numpy-api","numpy","numpy_converter",1,0,1,48,["element-type","requested","byte-order"]]
	END
	options=(--min-bytes 97)
	trace app.py
	[ "$(reported '[.totals.exchanges, .coverage.below_min_bytes]')" = '[0,9]' ]
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
