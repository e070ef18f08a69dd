#!/usr/bin/env bats
# suai trace: threads, interpreters and greenlets that exchange at the same time.

load helpers
load interpreters
load trace

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
