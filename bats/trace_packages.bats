#!/usr/bin/env bats
# suai trace: which library, package or program an exchange belongs to, and its line.

load helpers
load interpreters
load trace

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

@test "code that runs with several dictionaries belongs to the one that it runs with, each time" {
	requires numpy
	mkdir -p site-packages/owning
	touch site-packages/owning/__init__.py
	cat > app.py <<-'END'
		import numpy, sys
		import owning
		a = numpy.arange(4.0)
		code, text = compile("numpy.from_dlpack(a)", "<generated>", "exec"), compile("numpy.from_dlpack(a)", "<string>", "exec")
		class Text(str): pass
		class Deleted:
		    def __del__(self): print("deleted")
		def run(code, **names):
		    names |= {"numpy": numpy, "a": a}
		    exec(code, names)
		for i in range(20):
		    run(code)
		    run(code, __file__=__file__)
		    run(code, __file__=owning.__file__)
		    run(code, __file__=Text(owning.__file__))
		    exec(code, vars(owning) | {"numpy": numpy, "a": a})
		    run(text, __name__="__main__")
		    run(text, __name__=Text("__main__"))
		    run(code, __file__=Deleted())
		    print(i)
		shared = {"numpy": numpy, "a": a}
		for i in range(10):
		    exec(code, shared)
		    shared["__file__"] = owning.__file__
		    exec(code, shared)
		    del shared["__file__"]
	END
	PYTHONPATH="site-packages:$PYTHONPATH" trace_unchanged app.py
	run -0 jq -c '[.call_sites[] | [.line, (.file | sub(".*/"; "")), .function, .exchanges]] | group_by(.[:3]) | map(.[0][:3] + [(map(.[3]) | add)])' report.json
	[ "$output" = '[[1,"<generated>","<module>",70],[1,"<string>","<module>",20],[10,"app.py","run",60],[16,"app.py","<module>",20],[25,"app.py","<module>",10]]' ]
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
