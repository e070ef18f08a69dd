#!/usr/bin/env bats
# `import suai`: objects of a living process, captured by the module and checked by the program.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	export PYTHONPATH="$ROOT/python" PYTHONDONTWRITEBYTECODE=1
	cat > defects.py <<-'END'
		import array

		class Unmapped:
		    __array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (0x10, False), "version": 3}

		healthy = array.array("d", [1, 2, 3])
	END
}

# copy_package DIRECTORY: the package, without the compiled files that other tests may be replacing.
copy_package() {
	mkdir -p "$1" && cp "$ROOT"/python/suai/{*.py,py.typed} "$1"
}

# python ARGUMENT...: runs the interpreter of the tests; sets status, output and stderr.
python() {
	run --separate-stderr "$TEST_PYTHON" "$@"
	printf '$ python\n[exit %s]\n%s\n--- stderr\n%s\n' "$status" "$output" "$stderr"
}

@test "a report of a healthy object is true, and one of an object with a defect lists the findings" {
	python - <<-'END'
		import suai
		from defects import *
		report = suai.validate(healthy)
		assert report and report.ok and report.exit_status == 0 and report.findings == []
		report = suai.validate(Unmapped(), name="unmapped")
		assert not report and not report.ok and report.exit_status == 1
		[finding] = report.findings
		print(finding)
		print(repr(report))
		assert (finding.rule, finding.protocol, finding.field) == ("NAI402", "numpy", "data[0]")
		assert report.document["targets"][0]["findings"][0]["rule"] == finding.rule
		assert "<pre>unmapped: error NAI402" in report._repr_html_()
	END
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "unmapped: error NAI402 pointer-mapped: "*"0x10 is not mapped" ]]
	[ "${lines[1]}" = "<suai.Report of unmapped: 1 error>" ]
}

@test "the name of an object may contain any character" {
	python - <<-'END'
		import suai
		from defects import *
		for name in ["a\0b", "a\nb", "é", "x" * 100000]:
		    report = suai.validate(Unmapped(), name=name)
		    assert report.document["targets"][0]["target"] == name.replace("\0", "\\x00"), name
		try:
		    suai.capture(healthy, piece={"of": "a\0b", "offset": (0,)})
		except ValueError as error:
		    print(error)
	END
	[ "$status" -eq 0 ]
	[ "$output" = "piece: of contains a NUL character" ]
}

@test "check raises what suai validate prints, and names the object by file, line and expression" {
	cat > check.py <<-'END'
		import suai
		from defects import *

		suai.check(healthy)
		try:
		    suai.check(
		        Unmapped(), select="NAI4")
		except suai.CheckError as error:
		    print(error)
		    print(error.report.document["targets"][0]["source"])
	END
	python check.py
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "check.py:Unmapped(): error NAI402 pointer-mapped: "*"0x10 is not mapped" ]]
	[[ "$output" == *"= help: use the address of live memory"* ]]
	[[ "$output" == *"{'file': 'check.py', 'line': 6, 'cell': None}" ]]
}

@test "a comment on a line of the call ignores findings, with a reason" {
	cat > ignores.py <<-'END'
		import suai
		from defects import *

		report = suai.validate(Unmapped())  # suai: ignore[NAI402] the address is a placeholder
		assert report.ok and not report.findings
		assert report.document["targets"][0]["ignored"][0]["rule"] == "NAI402"
		assert '"justification": "the address is a placeholder"' in report.format("sarif")
		if suai.validate(
		    Unmapped(),  # suai: ignore[NAI4]
		    name="several lines").ok: print("ignored")
		print(suai.validate("# suai: ignore[NAI402]" and Unmapped()).ok)
	END
	python ignores.py
	[ "$status" -eq 0 ]
	[ "$output" = "ignored"$'\n'"False" ]
	head -n 5 ignores.py > no_columns.py
	python -X no_debug_ranges no_columns.py
	[ "$status" -eq 0 ]
}

@test "objects are checked where the source has changed since" {
	cat > changes.py <<-'END'
		import suai
		open(__file__, "w").write("\n\n" + "é" * 40)
		print(suai.validate(bytearray(3)).document["targets"][0]["target"])
	END
	python changes.py
	[ "$status" -eq 0 ]
	[ "$output" = changes.py:object ]
}

@test "comments that are invalid are warnings at once, and unused ones when a script ends" {
	cat > comments.py <<-'END'
		import sys, threading, suai
		from defects import *

		for obj in healthy, Unmapped(), healthy:
		    suai.validate(obj)  # suai: ignore[NAI402]
		def check(obj):
		    suai.validate(obj)  # suai: ignore[NAI402, CAI201]
		threads = [threading.Thread(target=check, args=[obj]) for obj in (healthy, Unmapped(), healthy)]
		[thread.start() for thread in threads]
		[thread.join() for thread in threads]
		suai.validate(healthy)  # suai: ignore
		suai.validate(healthy)  # suai: ignore[NAI999], type: ignore
		print("last line", file=sys.stderr)
		if sys.argv[1:]: raise Exception
	END
	python comments.py
	[ "$status" -eq 0 ]
	[ "$(grep -v '^  ' <<< "$stderr")" = "$PWD/comments.py:11: UserWarning: expected '# suai: ignore[RULE, ...]', optionally with a reason after it
$PWD/comments.py:12: UserWarning: suai: ignore[NAI999]: unknown rule 'NAI999' (did you mean 'NAI901'?)
last line
$PWD/comments.py:7: UserWarning: suai: ignore[CAI201] is unused: no such finding" ]
	echo 'import comments' > imports.py
	for arguments in imports.py 'comments.py fail'; do # lines that did not run could need the comments
		# shellcheck disable=SC2086 # words
		python $arguments
		[[ "$stderr" == *"last line"* && "$stderr" != *unused* ]]
	done
	python -W error comments.py
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"UserWarning: expected '# suai: ignore[RULE, ...]'"* ]]
}

@test "check_consumer passes tensors to a function that other processes import" {
	requires numpy
	mkdir library
	cat > library/__init__.py <<-'END'
		import os
		import numpy

		def take(tensor):
		    return numpy.from_dlpack(tensor)

		class Array:
		    def __init__(self, tensor):
		        self.__array_interface__ = numpy.from_dlpack(tensor).__array_interface__

		def ignores(tensor):
		    return numpy.zeros(3)

		def doubles(tensor):
		    array = numpy.from_dlpack(tensor)
		    if array.ndim == 1:
		        raise BufferError("one dimension")
		    return array * 2

		def crashes(tensor):
		    os.abort()
	END
	cat > script.py <<-'END'
		import functools, pickle
		import numpy, suai
		import library

		def own(tensor):
		    return numpy.from_dlpack(tensor)

		def rejected(call, *arguments, **options):
		    try:
		        call(*arguments, **options)
		    except (ValueError, suai.Error) as error:
		        print(f"{type(error).__name__}: {error}")
		    except suai.CheckError as error:
		        print(error.report.findings[0] if error.report.findings else str(error).splitlines()[0])
		    else:
		        print("accepted")

		if __name__ == "__main__":
		    for consumer in library.take, own, numpy.from_dlpack, "library:take", "np.from_dlpack(_)":
		        print(suai.check_consumer(consumer, cases=["float32", "offset"]))
		    report = suai.check_consumer("numpy:asarray", protocol="numpy", cases="float32")
		    for timeout in 9.5, 2000000: # not an integer; 2e+06 in the form %g
		        suai.check_consumer("numpy:asarray", protocol="numpy", cases="float32", timeout=timeout)
		    assert pickle.loads(pickle.dumps(report)).text == report.text
		    assert report.document["targets"][0]["consumption"]["protocol"] == "numpy"
		    assert len(suai.check_consumer(library.take, fuzz=3, seed=5).document["targets"]) == 3
		    try:
		        suai.check_consumer(library.doubles, cases=["one-dimension", "float32", "fortran"])
		    except suai.CheckError as error:
		        assert "-v shows 1 more note" in error.report.text and "-v" not in str(error), error
		        print(str(error).splitlines()[-1])
		    rejected(suai.check_consumer, library.ignores, cases="float32")
		    rejected(suai.check_consumer, library.crashes, cases="float32")
		    rejected(suai.check_consumer, library.ignores, cases="float32", ignore="DLC004")
		    rejected(suai.check_consumer, lambda tensor: tensor)
		    rejected(suai.check_consumer, "numpy:asarray", timeout=2000001)
		    rejected(suai.check_consumer, functools.partial(int))
		    rejected(suai.check_consumer, library.take, cases="nothing")
		    rejected(suai.check_consumer, "library:missing")
	END
	python script.py
	[ "$status" -eq 0 ]
	[ "$output" = "<suai.Report of 2 targets: no findings>
<suai.Report of 2 targets: no findings>
<suai.Report of 2 targets: no findings>
<suai.Report of 2 targets: no findings>
<suai.Report of 2 targets: no findings>
suai validate --consumer library:doubles --reproduce float32 prints Python that shows this without suai
library:ignores[float32]: error DLC004 consumer-reads: the consumer calls neither __dlpack__ nor __dlpack_device__, and returns an object of type numpy.ndarray
library:crashes[float32]: error DLC001 consumer-survives: the call of the consumer crashes: killed by SIGABRT
accepted
ValueError: consumer: another process cannot find __main__.<lambda>: define it at the top level of a module, or pass an expression, such as 'numpy.from_dlpack(_, copy=True)'
ValueError: timeout: expected seconds, 0.001 to 2000000, got 2000001
ValueError: consumer: expected a function or a text, got functools.partial(<class 'int'>)
ValueError: cases 'nothing': no such case; 'suai complete cases' lists them
library:missing: missing at evaluate: AttributeError: module 'library' has no attribute 'missing'" ]
}

@test "errors name parameters of the module, not options of the command line" {
	requires numpy
	cat > script.py <<-'END'
		import numpy, suai
		def show(function, *arguments, **options):
		    try:
		        function(*arguments, **options)
		    except (ValueError, BufferError) as error:
		        print(f"{type(error).__name__}: {error}")
		a = numpy.arange(3.0)
		show(suai.validate, a, select="")
		show(suai.validate, a, severity="bad")
		show(suai.check_consumer, "numpy:from_dlpack", protocol="arrow")
		show(suai.check_consumer, "numpy:from_dlpack", fuzz=3, cases="offset")
		show(suai.check_consumer, "numpy:from_dlpack --seed")
		show(suai.convert, a.astype(">f8"), to="dlpack", copy=False)
		show(suai.convert, a.astype("M8[s]"), to="dlpack")
		show(suai.convert, a, to="dlpack", protocol="sycl")
		show(suai.convert, a, to="dlpack", stream=3)
		show(suai.convert, numpy.eye(3)[::2, ::2], to="numpy", order="F", copy=False)
	END
	python script.py
	[ "$status" -eq 0 ]
	diff <(printf '%s\n' "$output") - <<-'END'
		ValueError: select: expected RULE, got an empty value
		ValueError: severity: unknown value 'bad' (one of: error warning note)
		ValueError: protocol: unknown value 'arrow' (one of: sycl cuda dlpack numpy numpy-struct buffer)
		ValueError: fuzz cannot be used with cases
		ValueError: consumer 'numpy:from_dlpack --seed' does not use _, the object that is passed; examples are numpy:from_dlpack and 'np.from_dlpack(_)'
		BufferError: a copy is required, but copy=False forbids it: DLPack supports only native byte order, but the source is byte-swapped; use copy=None to allow it
		BufferError: DLPack has no type for datetime64[s]; to='numpy' or 'cuda' can express these elements
		BufferError: sycl: the object has no __sycl_usm_array_interface__; protocol='dlpack' or protocol='numpy' or protocol='numpy-struct' or protocol='buffer' avoids this
		BufferError: stream cannot be used for a result in host memory, which is complete when convert ends
		BufferError: a copy is required, but copy=False forbids it: order='F' was given, but the source is not Fortran-contiguous; use copy=None to allow it
	END
}

@test "a script that checks its own function without a guard gets an error instead of running without end" {
	requires numpy
	printf 'import numpy, suai\ndef own(tensor):\n    return numpy.from_dlpack(tensor)\nsuai.check_consumer(own)\n' > script.py
	python script.py
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"suai.check_consumer() is called while its consumer is imported; call it below if __name__ == '__main__'"* ]]
}

@test "captures are targets of every command that reads dumps, also several in one file of any name" {
	python - <<-'END'
		import suai
		from defects import *
		both = [suai.capture(healthy, name="first"), suai.capture(Unmapped(), name="second")]
		open("both.py", "wb").write(b"".join(both))
		assert [t["target"] for t in suai.validate(both).document["targets"]] == ["first", "second"]
		assert suai.inspect(both[0])["target"] == "first"
	END
	[ "$status" -eq 0 ]
	suai inspect -q both.py
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == first* ]]
	suai validate -f concise both.py
	[ "$status" -eq 1 ]
	[[ "$output" == *"second"*"NAI402"* ]]
	suai validate -f concise - < both.py
	[[ "$output" == *"second"*"NAI402"* ]]
	suai convert both.py --to numpy
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"'both.py' is a dump, which contains no elements"* ]]
}

@test "a capture that is truncated, damaged or of another version is an error that states it" {
	python - <<-'END'
		import suai
		from defects import *
		data = suai.capture(healthy)
		open("truncated", "wb").write(data[:-5])
		open("damaged", "wb").write(data[:200] + b"\xff" + data[201:])
		open("format", "wb").write(b"suai-capture 2" + data[14:])
		open("trailing", "wb").write(data + b"targets: []")
		for name in "truncated", "damaged", "format", "trailing":
		    messages = set()
		    for function in suai.inspect, suai.validate:
		        try:
		            function(open(name, "rb").read())
		        except ValueError as error:
		            messages.add(str(error))
		    print(*messages)
		for wrong in b"", data[:5], [data, b"other"], [b""], [b"other"]:
		    try:
		        suai.validate(wrong)
		    except ValueError as error:
		        print(error)
	END
	[ "$status" -eq 0 ]
	[ "${lines[4]}" = "truncated capture of 0 bytes" ]
	[ "${lines[5]}" = "truncated capture of 5 bytes" ]
	[ "${lines[6]}" = "item 1 is not a capture" ]
	[ "${lines[7]}" = "item 0 is not a capture" ]
	[ "${lines[8]}" = "item 0 is not a capture" ]
	[[ "${lines[0]}" =~ ^"the capture is truncated: it ends after "[0-9]+" bytes"$ ]]
	[[ "${lines[1]}" =~ ^"at byte "[0-9]+" of the capture: a record has a wrong checksum"$ ]]
	[[ "${lines[2]}" == "the format of the capture is that of another version of suai"* ]]
	[[ "${lines[3]}" == *"expected a capture, which begins with 'suai-capture 1'" ]]
	for name in truncated damaged format trailing; do
		suai validate "./$name"
		[ "$status" -eq 2 ]
		[[ "$output" == *"./$name: unreadable: "*capture* ]]
	done
}

@test "the package, the extension module and the program have one version" {
	python -c 'import suai, suai._program; print(suai.__version__)'
	[ "$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")" = "$output" ]
	[[ "$("$SUAI" --version)" == "suai $output"$'\n'* ]]
}

@test "a crash or a hang ends a fork: the report names the step, and the process goes on" {
	cat > crashes.py <<-'END'
		import ctypes, os, sys, time
		import suai
		from defects import *

		class Crashes(Unmapped):
		    @property
		    def __cuda_array_interface__(self):
		        ctypes.string_at(8)

		class Hangs(Unmapped):
		    def __dlpack__(self, **keywords):
		        time.sleep(60)
		    def __dlpack_device__(self):
		        return (1, 0)

		class Exits(Unmapped):
		    @property
		    def __array_struct__(self):
		        os._exit(7)

		for cls, limit in ((Crashes, 60), (Hangs, 1), (Exits, 60)):
		    print("printed once", end=" ")
		    report = suai.validate(cls(), name=cls.__name__, timeout=limit)
		    [target] = report.document["targets"]
		    print(repr(report), "at", target["step"], [i["protocol"] for i in target["interfaces"]], report.exit_status)
		    assert report.isolated and report.why_not_isolated is None
	END
	python crashes.py
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "printed once <suai.Report of Crashes: crashed, 1 error> at __cuda_array_interface__ ['numpy'] 3" ]
	[ "${lines[1]}" = "printed once <suai.Report of Hangs: hung> at __dlpack__() [] 3" ]
	[ "${lines[2]}" = "printed once <suai.Report of Exits: left, 1 error> at __array_struct__ ['numpy'] 3" ]
	[ "${#lines[@]}" -eq 3 ]
	[ -z "$stderr" ]
}

@test "processes that an object forks end with the capture, and keep no pipe open" {
	cat > forks.py <<-'END'
		import os, time
		import suai
		from defects import *

		class Forks(Unmapped):
		    def __dlpack__(self, **keywords):
		        if os.fork() == 0:
		            time.sleep(600)
		        raise BufferError("none")
		    def __dlpack_device__(self):
		        return (1, 0)

		print(suai.validate(Forks(), name="a").exit_status in (0, 1), flush=True)
	END
	before=$SECONDS
	[ "$("$TEST_PYTHON" forks.py < /dev/null 2> err | cat)" = True ]
	[ $((SECONDS - before)) -lt 300 ]
}

@test "a process that a fork would not copy whole captures in itself, and the report states why" {
	python - <<-'END'
		import subprocess, threading, mmap
		import suai
		from defects import *

		def attempt(expected):
		    report = suai.validate(healthy)
		    assert report.ok and not report.isolated and report.why_not_isolated == expected, report.why_not_isolated
		    try:
		        suai.validate(healthy, isolate=True)
		    except suai.Error as error:
		        assert str(error) == "cannot isolate the capture: " + expected
		    else:
		        assert False

		assert suai.validate(healthy, isolate=True).isolated
		assert suai.validate(healthy, isolate=False).why_not_isolated == "isolate=False"
		with open("/dev/null"):
		    attempt("the process has opened files or sockets that a fork would share")
		with mmap.mmap(-1, 4096):
		    attempt("the process has shared memory or the library of a device runtime")
		with subprocess.Popen(["sleep", "60"]) as child:
		    attempt("the process has child processes")
		    child.kill()
		done = threading.Event()
		thread = threading.Thread(target=done.wait)
		thread.start()
		attempt("the process has other threads")
		done.set()
		thread.join()
		assert suai.validate([suai.capture(healthy, isolate=False), suai.capture(healthy)]).why_not_isolated == "isolate=False"
		assert suai.validate(healthy).isolated
	END
	[ "$status" -eq 0 ]
}

@test "a fork shows no warning about forks of JAX, and no function that runs before forks sees the probe" {
	cat > jax.py <<-'END'
		import os, warnings
		os.register_at_fork(before=lambda: warnings.warn("os.fork() was called", RuntimeWarning))
	END
	python - <<-'END'
		import threading, jax, suai
		from defects import *
		assert suai.validate(healthy).isolated
		end = threading.Event()
		thread = threading.Thread(target=end.wait)
		thread.start()
		assert not suai.validate(healthy).isolated
		end.set()
	END
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
}

@test "^C during a capture ends it and raises KeyboardInterrupt" {
	cat > slow.py <<-'END'
		import os, signal, time
		import suai

		class Slow:
		    def __dlpack__(self, **keywords):
		        os.kill(os.getppid(), signal.SIGINT)
		        time.sleep(60)
		    def __dlpack_device__(self):
		        return (1, 0)

		try:
		    suai.validate(Slow())
		except KeyboardInterrupt:
		    print("interrupted")
		try:
		    os.waitpid(-1, 0)
		except ChildProcessError:
		    print("no process is left")
	END
	python slow.py
	[ "$status" -eq 0 ]
	[ "$output" = "interrupted"$'\n'"no process is left" ]
}

@test "the module works with SIGCHLD ignored, in threads, under asyncio, in forks and with -I and -S" {
	cat > everywhere.py <<-'END'
		import asyncio, os, signal, sys, threading
		sys.path[:0] = [os.environ["SUAI_TEST_PACKAGE"], "."]
		import suai
		from defects import *

		def both():
		    assert suai.validate(healthy).exit_status == 0
		    assert suai.validate(Unmapped()).exit_status == 1
		    done.append(1)

		done = []
		both()
		threads = [threading.Thread(target=both) for _ in range(4)]
		for thread in threads:
		    thread.start()
		for thread in threads:
		    thread.join()
		async def main():
		    await asyncio.gather(*(asyncio.to_thread(both) for _ in range(4)))
		asyncio.run(main())
		assert len(done) == 9
		pid = os.fork()
		if not pid:
		    both()
		    os._exit(0)
		assert os.waitpid(pid, 0)[1] == 0
		signal.signal(signal.SIGCHLD, signal.SIG_IGN)
		both()
		with suai.trace() as trace:
		    pass
		assert trace.exchanges == 0
		print("done")
	END
	export SUAI_TEST_PACKAGE="$PYTHONPATH"
	for options in '' -I -S -IS -O; do
		# shellcheck disable=SC2086 # an empty list of options
		python $options everywhere.py
		[ "$status" -eq 0 ]
		[ "$output" = "done" ]
	done
}

@test "the first calls of a process may come from several threads at once" {
	python - <<-'END'
		import array, threading, suai
		barrier, errors = threading.Barrier(16), []
		def first():
		    barrier.wait()
		    try:
		        suai.validate(array.array("d", [1]))
		    except BaseException as error:
		        errors.append(repr(error))
		threads = [threading.Thread(target=first) for _ in range(16)]
		for thread in threads:
		    thread.start()
		for thread in threads:
		    thread.join()
		print("errors:", errors)
	END
	[ "$output" = "errors: []" ]
}

@test "no code of the object runs before it is isolated" {
	python - <<-'END'
		import os, suai
		class Aborts:
		    __class__ = property(lambda self: os.abort())
		class Raises:
		    def __getattribute__(self, name):
		        raise RuntimeError("no")
		class Meta(type):
		    __hash__ = type.__hash__
		    def __eq__(self, other):
		        os.abort()
		class Compares(metaclass=Meta):
		    pass
		for obj in Aborts(), Raises(), [Aborts()], Compares():
		    print(suai.validate(obj).ok)
	END
	[ "$status" -eq 0 ]
	[ "$(wc -l <<< "$output")" -eq 4 ]
}

@test "a program that is not suai is an error that names it" {
	printf '#!/bin/sh\necho text\n' > other
	chmod +x other
	SUAI_PROGRAM=$PWD/other python - <<-'END'
		import suai
		for call in (lambda: suai.validate(bytearray(3))), (lambda: suai.inspect(bytearray(3))), suai.devices:
		    try:
		        call()
		    except suai.Error as error:
		        print(error)
	END
	[ "${#lines[@]}" -eq 3 ]
	[[ "${lines[0]}" =~ ^"'$PWD/other' is not suai "[0-9.]+": it did not print a document"$ ]]
	[ "$(sort -u <<< "$output" | wc -l)" -eq 1 ]
	SUAI_PROGRAM=/bin/true python -c 'import suai; suai.inspect(bytearray(3))'
	[[ "$stderr" == *"suai.Error: '/bin/true' is not suai "* ]]
}

@test "a program of another version is an error that names both versions" {
	"$TEST_PYTHON" - "$SUAI" <<-'END'
		import sys
		open("other", "wb").write(open(sys.argv[1], "rb").read().replace(b"0.1.0", b"0.0.9"))
	END
	chmod +x other
	SUAI_PROGRAM=$PWD/other python - <<-'END'
		import suai
		for function in suai.validate, suai.inspect, suai.check:
		    try:
		        function(bytearray(3))
		    except suai.Error as error:
		        print(error)
	END
	[ "$status" -eq 0 ]
	[ "$(uniq -c <<< "$output")" = "      3 the capture was made by suai 0.1.0, but this is suai 0.0.9" ]
}

@test "a wrong argument is an error that names the parameter" {
	python - <<-'END'
		import suai
		from defects import *
		for function, options in [
		    (suai.validate, dict(select=5)), (suai.validate, dict(ignore=[None])), (suai.validate, dict(select="NAI\0")),
		    (suai.validate, dict(protocols=5)), (suai.convert, dict(to="dlpack", device=5)),
		    (suai.convert, dict(to="dlpack", device="cpu\0")), (suai.convert, dict(to="dlpack", device="cpu:1")),
		    (suai.convert, dict(to="dlpack", device="cuda_host:0")), (suai.convert, dict(to="numpy", device="cuda:0")),
		    (suai.convert, dict(to="sycl", device="cpu")), (suai.convert, dict(to=["dlpack"])),
		    (lambda captures: suai.validate_pieces(3), {}), (suai.pieces, {}),
		]:
		    try:
		        print("accepted", function(healthy, **options))
		    except (TypeError, ValueError) as error:
		        print(type(error).__name__, str(error).partition(";")[0])
	END
	[ "$status" -eq 0 ]
	diff - <(echo "$output") <<-'END'
		TypeError select: expected a text or several, got 5
		TypeError ignore: expected a text, got None
		ValueError select: 'NAI\x00' contains a NUL character
		TypeError protocols: expected a text or several, got 5
		TypeError device: expected a text, got 5
		ValueError device: 'cpu\x00' contains a NUL character
		ValueError device: 'cpu:1': suai cannot allocate memory on this device
		ValueError device: 'cuda_host:0': suai cannot allocate memory on this device
		ValueError device: 'cuda:0': numpy describes only host memory
		ValueError device: 'cpu': sycl describes only memory of the sycl runtime
		ValueError to: expected one of sycl, cuda, dlpack, numpy, buffer, got ['dlpack']
		ValueError captures: expected the results of suai.capture(obj, piece=...)
		TypeError array: expected a distributed array, which has shape, chunks and dtype
	END
}

@test "convert exports only versions that the protocol has" {
	python - <<-'END'
		import suai
		for to, version in ("dlpack", 2), ("cuda", 4), ("numpy", 77), ("dlpack", -1):
		    try:
		        suai.convert(bytearray(8), to=to, interface_version=version)
		    except ValueError as error:
		        print(error)
		print(suai.convert(bytearray(8), to="numpy", interface_version=3).__array_interface__["version"])
	END
	[ "$output" = "interface_version: expected 0 or 1 for dlpack
interface_version: expected 0 or 1 or 2 or 3 for cuda
interface_version: expected 3 for numpy
interface_version: expected 0 or 1 for dlpack
3" ]
}

@test "a program that any signal kills is an error that names the signal" {
	for signal in TERM HUP 40; do
		printf '#!/bin/sh\nkill -%s $$\n' "$signal" > killed
		chmod +x killed
		SUAI_PROGRAM=$PWD/killed python <<-'END'
			import suai
			try:
			    suai.run_program(["--version"])
			except suai.Error as error:
			    print(error)
		END
		[ "$output" = "'$PWD/killed' was killed by $([ "$signal" = 40 ] && echo "signal 40" || echo "SIG$signal")" ]
	done
}

@test "data that the limit on the size of files does not allow is an error that leaves no descriptor" {
	run -0 --separate-stderr "$TEST_PYTHON" - <<-'END'
		import os, resource, suai
		resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
		before = os.listdir("/proc/self/fd")
		try:
		    suai.run_program(["inspect", "-"], bytes(10000))
		except suai.Error as error:
		    print(str(error).split(": ")[1], os.listdir("/proc/self/fd") == before)
	END
	[ "$output" = "File too large True" ]
}

@test "objects and consumers are checked in a working directory that was removed, and by code of a module without a name" {
	requires numpy
	mkdir removed
	cat > script.py <<-'END'
		import os, numpy, suai
		a = numpy.zeros(3)
		os.chdir("removed")
		os.rmdir(os.getcwd())
		print(suai.inspect(a)["target"])
		exec("print(suai.check(a))", {"__name__": None, "suai": suai, "a": a})
		import sys, types
		sys.path.append("")
		print(suai.check_consumer("numpy:from_dlpack", cases="float32"))
		sys.modules["relative"] = relative = types.ModuleType("relative")
		relative.__file__ = "relative.py"
		exec("def take(tensor): pass", relative.__dict__)
		try:
		    suai.check_consumer(relative.take)
		except ValueError as error:
		    print(str(error).split(">")[-1])
	END
	python "$PWD/script.py"
	[ "$output" = "$PWD/script.py:a
<suai.Report of object: no findings>
<suai.Report of numpy:from_dlpack[float32]: no findings>
 is defined in no file that can be imported" ]
}

@test "convert accepts only integers of 64 bits as a stream, also for results that need none" {
	python - <<-'END'
		import suai
		for stream in 1 << 63, 1 << 70, -(1 << 63) - 1, "1", 1.5:
		    try:
		        suai.convert(bytearray(8), to="numpy", stream=stream)
		        print("accepted", stream)
		    except (TypeError, ValueError) as error:
		        print(type(error).__name__, error)
	END
	[ "$output" = "ValueError stream: expected a number below 2^63, got 9223372036854775808
ValueError stream: expected a number below 2^63, got 1180591620717411303424
ValueError stream: expected a number below 2^63, got -9223372036854775809
TypeError stream: expected the handle of a stream, got '1'
TypeError stream: expected the handle of a stream, got 1.5" ]
}

@test "a piece whose offset does not fit in 64 bits is refused with the reason" {
	python - <<-'END'
		import suai
		try:
		    suai.capture(bytearray(8), piece={"of": "x", "offset": [0, 1 << 70]})
		except ValueError as error:
		    print(error)
	END
	[ "$output" = "piece: 'offset[1]': expected an integer from -2^63 to 2^63-1, got '1180591620717411303424'" ]
}

@test "a timeout is at least a millisecond, and at most what the command line accepts" {
	python - <<-'END'
		import suai
		for timeout in 0, -1, 0.0001, 2000001, float("nan"), float("inf"), None:
		    try:
		        suai.validate(bytearray(3), timeout=timeout)
		    except ValueError as error:
		        print(error)
	END
	[ "$(sort -u <<< "$output" | wc -l)" -eq 7 ]
	[ "${lines[0]}" = "timeout: expected seconds, 0.001 to 2000000, got 0" ]
}

@test "^C in a capture that is not isolated raises KeyboardInterrupt" {
	python - <<-'END'
		import os, signal, suai
		class Slow:
		    @property
		    def __array_interface__(self):
		        os.kill(os.getpid(), signal.SIGINT)
		        return {}
		try:
		    suai.validate(Slow(), isolate=False)
		    print("continues")
		except KeyboardInterrupt:
		    print("interrupted")
	END
	[ "$output" = interrupted ]
}

@test "^C in a capture that is not isolated omits the remaining reads, but releases exports" {
	requires numpy
	python - <<-'END'
		import os, signal, sys, time, weakref
		import numpy, suai

		class Slow:
		    __slots__ = ("attribute", "array", "n_reads", "__weakref__")
		    def __init__(self, attribute):
		        self.attribute, self.array, self.n_reads = attribute, numpy.zeros(3), 0
		    def read(self, attribute):
		        self.n_reads += 1
		        if attribute == self.attribute:
		            os.kill(os.getpid(), signal.SIGINT)
		            for _ in range(3):
		                time.sleep(0)
		    def __getattribute__(self, name):
		        if name in ("__array_interface__", "__dlpack__", "flags"):
		            object.__getattribute__(self, "read")(name)
		            return getattr(object.__getattribute__(self, "array"), name)
		        return object.__getattribute__(self, name)
		    __array_interface__ = __dlpack__ = None
		    def __dlpack_device__(self):
		        return (1, 0)

		for attribute in "__dlpack__", "__array_interface__", "flags", None:
		    slow = Slow(attribute)
		    references = sys.getrefcount(slow.array)
		    try:
		        suai.validate(slow, isolate=False)
		        print("continues after", slow.n_reads > 3)
		    except KeyboardInterrupt:
		        print("interrupted", slow.n_reads)
		    assert sys.getrefcount(slow.array) == references
	END
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "interrupted 1" ]
	[[ "${lines[1]}" =~ ^"interrupted "[0-9]+$ ]]
	[[ "${lines[2]}" =~ ^"interrupted "[0-9]+$ ]]
	[ "${lines[3]}" = "continues after True" ]
}

@test "^C in a conversion raises KeyboardInterrupt, and releases the object" {
	requires numpy
	python - <<-'END'
		import os, signal, sys
		import numpy, suai

		class Slow:
		    def __init__(self, attribute):
		        self.attribute, self.array = attribute, numpy.zeros(3)
		    def read(self, attribute):
		        if attribute == self.attribute:
		            os.kill(os.getpid(), signal.SIGINT)
		    def __dlpack__(self, **keywords):
		        self.read("__dlpack__")
		        return self.array.__dlpack__(**keywords)
		    def __dlpack_device__(self):
		        self.read("__dlpack_device__")
		        return (1, 0)
		    @property
		    def __array_interface__(self):
		        self.read("__array_interface__")
		        return self.array.__array_interface__

		for attribute, source in ("__dlpack__", None), ("__dlpack_device__", "dlpack"), ("__array_interface__", "numpy"):
		    slow = Slow(attribute)
		    references = sys.getrefcount(slow), sys.getrefcount(slow.array)
		    try:
		        suai.convert(slow, to="numpy", protocol=source)
		        print("continues")
		    except KeyboardInterrupt:
		        print("interrupted")
		    assert (sys.getrefcount(slow), sys.getrefcount(slow.array)) == references
		assert suai.convert(Slow(None), to="numpy").__array_interface__["shape"] == (3,)
	END
	[ "$status" -eq 0 ]
	[ "$output" = interrupted$'\n'interrupted$'\n'interrupted ]
}

@test "an object whose code waits for a thread that calls suai is an error after the timeout, not a deadlock" {
	python - <<-'END'
		import threading, suai
		class Waits:
		    @property
		    def __array_interface__(self):
		        thread = threading.Thread(target=call)
		        thread.start()
		        thread.join()
		def call():
		    try:
		        suai.validate(b"x", timeout=0.1)
		    except suai.Error as error:
		        print(error)
		suai.validate(Waits(), isolate=False)
	END
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "another thread has been reading an object for 0.1 s; its code may be waiting for this thread" ]
}

# installed DIRECTORY [bin]: the files of the wheel in DIRECTORY, as pip installs them there, or with --target.
installed() {
	local package="$1/lib/python3/site-packages/suai" module
	[ "$#" -eq 1 ] || package=$1/suai
	mkdir -p "$package" "$1/bin"
	cp "$ROOT"/python/suai/*.py "$package"
	for module in "$ROOT"/_suai.*.so; do
		ln -s "$module" "$package"
	done
	ln "$SUAI" "$1/bin/suai" || cp "$SUAI" "$1/bin/suai"
	PYTHONPATH=${package%/suai}
}

@test "an installed package works with -S and -I, and finds its program without the paths of site" {
	cat > installed.py <<-'END'
		import os, sys
		sys.path[:0] = [os.environ["SUAI_TEST_PACKAGE"], "."]
		import suai
		from defects import *
		assert suai.validate(healthy).ok and not suai.check(healthy).findings and not suai.validate(Unmapped()).ok
		print(suai.find_program())
	END
	for layout in prefix 'target bin'; do
		# shellcheck disable=SC2086 # words
		installed "$PWD/"$layout
		export SUAI_TEST_PACKAGE="$PYTHONPATH"
		for options in -S -IS -I ''; do
			# shellcheck disable=SC2086 # an empty list of options
			run -0 env PATH=/nonexistent "$TEST_PYTHON" $options installed.py
			[ "$output" = "$PWD/${layout% bin}/bin/suai" ]
		done
	done
}

@test "configure names the file of settings, and the directory in which it is searched otherwise" {
	mkdir project
	echo 'ignore: [NAI402]' > project/suai.yaml
	echo 'severity: note' > other.yaml
	python - <<-'END'
		import os, suai
		from defects import *
		assert not suai.validate(Unmapped()).ok
		suai.configure(directory="project")
		assert suai.validate(Unmapped()).ok
		os.mkdir("other")
		os.chdir("other")
		assert suai.validate(Unmapped()).ok
		os.chdir("..")
		suai.configure(directory="missing")
		try:
		    suai.validate(healthy)
		except suai.Error as error:
		    print(error)
		suai.configure(config="project/suai.yaml")
		os.chdir("/")
		assert suai.validate(Unmapped()).ok and suai.inspect(healthy)["status"] == "ok"
		suai.configure()
		assert not suai.validate(Unmapped()).ok
		suai.configure(config="missing.yaml")
		try:
		    suai.validate(healthy)
		except ValueError as error:
		    print(error)
	END
	[ "$status" -eq 0 ]
	[[ "$output" == "configure: '$PWD/missing' is not a directory"* ]]
	[[ "$output" == *"'/missing.yaml': No such file or directory"* ]]
}

@test "python -m suai is the program with this interpreter, and states why it cannot run" {
	python -m suai --version
	[ "$status" -eq 0 ]
	[[ "$output" == "suai "*"python: $TEST_PYTHON"* ]]
	python -m suai validate -q 'defects.py:Unmapped()'
	[ "$status" -eq 1 ]
	[[ "$output" == *NAI402* && "$output" != *Traceback* ]]
	run -2 "$TEST_PYTHON" -m suai validate missing.py
	[[ "$output" == *"No such file or directory: 'missing.py'"* ]]
	run -0 "$TEST_PYTHON" -m suai validate --targets-from - -q -p buffer <<< defects.py:healthy
	printf '\177ELFxyz' > foreign
	chmod +x foreign
	SUAI_PROGRAM=$PWD/foreign python -m suai --version
	[ "$status" -eq 4 ]
	[ "$stderr" = "suai: cannot run '$PWD/foreign': Exec format error" ]
	installed "$PWD/removed"
	rm removed/bin/suai
	# Since 3.14, -S does not hide the programs of a virtual environment.
	[ ! -e "${TEST_PYTHON%/*}/suai" ] || return 0
	run -4 "$TEST_PYTHON" -S -m suai --version
	[ "$output" = "suai: no program 'suai' belongs to $PYTHONPATH/suai; reinstall suai, or set SUAI_PROGRAM to its path" ]
}

@test "the examples of docs/python.md run" {
	requires numpy pytest jax
	cat > mylib.py <<-'END'
		from numpy import arange, asarray, from_dlpack, zeros
		class client:
		    """As distributed.Client.run(), with one worker."""
		    @staticmethod
		    def run(function):
		        class worker:
		            data = {"one": zeros(3), "two": zeros((3, 4))}
		        return {"tcp://127.0.0.1": function(worker)}
	END
	cat > examples.py <<-'END'
		import re, sys
		blocks = re.findall("^```(\\w*)\n(.*?)^```", open(sys.argv[1]).read(), re.M | re.S)
		python = [code for language, code in blocks if language == "python"]
		[settings] = [code for language, code in blocks if language == "yaml"]
		open("suai.yaml", "w").write(settings)
		names = {}
		exec("import mylib; from mylib import client; obj = legacy = mylib.zeros(3)", names)
		for code in python:
		    if "def test_" in code:
		        open(f"test_{len(code)}.py", "w").write(code)
		    else:
		        exec(code, names)
		        print(len(code.splitlines()), "lines")
		open("pieces.capture", "wb").write(b"".join(data for worker in names["captures"].values() for data in worker))
		assert names["suai"].validate(names["new"]).ok and names["report"].ok and names["data"].startswith(b"suai-capture")
	END
	python examples.py "$ROOT/docs/python.md"
	[ "$status" -eq 0 ]
	[ "$(grep -c lines <<< "$output")" -eq 6 ]
	for options in '' --isolated; do # a suai.yaml of the documents is valid
		# shellcheck disable=SC2086 # an empty list of options
		suai validate -f concise $options pieces.capture
		[ "$status" -eq 0 ]
		[[ "$output" != *error* ]]
	done
	suai validate - < pieces.capture
	[ "$status" -eq 0 ]
	python -m pytest -p pytest_suai -p no:cacheprovider -q .
	[ "$status" -eq 0 ]
	[[ "$output" == *"6 passed"* ]]
}

@test "the import by an older Python is an error that names its version" {
	load interpreters
	n=0
	copy_package suai
	for python in $(all_interpreters); do
		"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info < (3, 11))' || continue
		run --separate-stderr env PYTHONPATH="$PWD" "$python" -c 'import suai'
		[ "$status" -eq 1 ]
		[ "${stderr_lines[-1]}" = "ImportError: suai: requires CPython 3.11 or newer, and this is $("$python" -c 'import sys; print(sys.version.split()[0])')" ]
		n=$((n + 1))
	done
	[ "$n" -gt 0 ] || skip "no Python 3.8 to 3.10 on this machine"
}

@test "a module of another architecture is an error that names both" {
	copy_package suai
	# Without a GIL, no interpreter has the stable ABI before 3.15.
	module=_suai$("$TEST_PYTHON" -c 'import sysconfig as s; print(s.get_config_var("EXT_SUFFIX") if s.get_config_var("Py_GIL_DISABLED") else ".abi3.so")')
	printf '\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\xf3\0' > "suai/$module"
	PYTHONPATH=$PWD python -c 'import suai'
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"suai: cannot load $PWD/suai/$module: it is built for riscv64, but this is $(uname -m); reinstall suai"* ]]
}

@test "arguments of a wrong type are errors that name them, and names print without control characters" {
	python - <<-'END'
		import suai
		for wrong in {"name": 5}, {"isolate": "no"}, {"protocols": []}:
		    try:
		        suai.validate(b"x", **wrong)
		    except ValueError as error:
		        print(error)
		try:
		    suai.run_program("version")
		except ValueError as error:
		    print(error)
		print(repr(suai.validate(b"x", name="a\n\x1b[31m")))
		for wrong in {"copy": "never"}, {"protocol": ["dlpack", "numpy"]}, {"protocol": []}:
		    try:
		        suai.convert(b"x", to="buffer", **wrong)
		    except ValueError as error:
		        print(error)
	END
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "name: expected a text, got int" ]
	[ "${lines[1]}" = "isolate: expected True, False or None, got 'no'" ]
	[ "${lines[2]}" = "protocols: expected at least one, or None for all" ]
	[ "${lines[3]}" = "arguments: expected a list of texts, got 'version'" ]
	[[ "${lines[4]}" == "<suai.Report of a\\x0a\\x1b[31m:"* ]]
	[ "${lines[5]}" = "copy: expected True, False or None, got 'never'" ]
	[ "${lines[6]}" = "protocol: expected the name of one, got ['dlpack', 'numpy']" ]
	[ "${lines[7]}" = "protocol: expected the name of one, got []" ]
}

@test "in an interpreter without the GIL it stays disabled, and threads check and convert arrays" {
	"$TEST_PYTHON" -c 'import sys; sys.exit(sys._is_gil_enabled())' 2> /dev/null || skip "$TEST_PYTHON has the GIL"
	requires numpy
	python -W error - <<-'END'
		import sys, threading
		import numpy, suai
		from defects import *

		def use():
		    for i in range(20):
		        made = suai.convert(numpy.arange(6.0).reshape(2, 3), to="dlpack", copy=i % 2 > 0)
		        assert numpy.from_dlpack(made).sum() == 15
		        assert suai.validate(made).ok and not suai.validate(Unmapped()).ok
		        done.append(suai.inspect(numpy.zeros((3, 4)))["interfaces"][0]["protocol"])

		done = []
		threads = [threading.Thread(target=use) for _ in range(4)]
		for thread in threads:
		    thread.start()
		for thread in threads:
		    thread.join()
		assert len(done) == 80 and not sys._is_gil_enabled()
		report = suai.validate(Unmapped())
		assert report.isolated, report.why_not_isolated
	END
	[ "$status" -eq 0 ]
}

@test "convert returns the new object, which keeps the memory, and raises with the reason if it cannot" {
	python - <<-'END'
		import array, gc, suai
		a = array.array("d", range(6))
		b = suai.convert(a, to="buffer")
		view = memoryview(b)
		a[0] = 7.0
		assert view[0] == 7.0 and not hasattr(b, "__dlpack__")
		assert suai.validate(suai.convert(memoryview(bytes(range(6))).cast("B", (2, 3)), to="numpy", order="F", copy=True)).ok
		copied = suai.convert(a, to="dlpack", copy=True)
		del a, b
		gc.collect()
		assert suai.inspect(copied)["interfaces"][0]["protocol"] == "dlpack"
		for error, arguments in (
		    (ValueError, {"to": "arrow"}),
		    (ValueError, {"to": "numpy", "device": "tpu"}),
		    (ValueError, {"to": "numpy", "protocol": "arrow"}),
		    (ValueError, {"to": "numpy", "order": "A"}),
		    (BufferError, {"to": "numpy", "protocol": "sycl"}),
		):
		    try:
		        suai.convert(array.array("d", [1]), **arguments)
		    except error as raised:
		        print(raised)
		print(suai.devices()[0]["device"])
	END
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "to: expected one of sycl, cuda, dlpack, numpy, buffer, got 'arrow'" ]
	[[ "${lines[1]}" == "device: unknown device 'tpu'; expected cpu, "* ]]
	[ "${lines[2]}" = "unknown protocol 'arrow'; expected sycl, cuda, dlpack, numpy, numpy-struct, buffer" ]
	[ "${lines[3]}" = "order: expected C, F or K, got 'A'" ]
	[[ "${lines[4]}" == *"has no __sycl_usm_array_interface__"* ]]
	[ "${lines[5]}" = "{'type': 'cpu', 'id': 0}" ]
}

@test "wrong arguments and installations are errors that state the problem" {
	copy_package package
	copy_package versions/suai && sed -i 's/^VERSION = .*/VERSION = "9.9"/' versions/suai/_program.py
	mkdir -p empty && mv package empty/suai
	printf '#!/bin/sh\nexit 9\n' > fails; printf '\177ELFxyz' > foreign; chmod +x fails foreign
	python - <<-'END'
		import suai, os, pickle
		from defects import *

		def attempt(error, function, *arguments, **keywords):
		    try:
		        function(*arguments, **keywords)
		    except error as raised:
		        print(f"{type(raised).__name__}: {raised}")

		attempt(ValueError, suai.validate, healthy, select="NOPE")
		attempt(ValueError, suai.validate, healthy, severity="fatal")
		attempt(ValueError, suai.capture, healthy, protocols=["arrow"])
		for program in "fails", "foreign", "missing", ".":
		    os.environ["SUAI_PROGRAM"] = os.path.abspath(program)
		    attempt(suai.Error, suai.validate, healthy)
		del os.environ["SUAI_PROGRAM"]
		state = suai.validate(healthy).__getstate__()
		state["version"] = "9.9"
		attempt(suai.Error, suai.Report.__new__(suai.Report).__setstate__, state)
		os.environ["TMPDIR"] = "/nonexistent"
		os.environ["SUAI_OPTS"] = "--query rule"
		report = pickle.loads(pickle.dumps(suai.validate(Unmapped(), name="unmapped")))
		assert not report.ok and report.findings and "NAI402" in report.text and report.isolated
		attempt(suai.CheckError, suai.check, Unmapped(), name="checked")
		failed = pickle.loads(pickle.dumps(suai.CheckError(report)))
		assert str(failed) == str(suai.CheckError(report)), str(failed)
		assert report.text.startswith(str(failed).rpartition(";")[0]), str(failed)
	END
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "ValueError: "*"unknown rule 'NOPE'"* ]]
	[[ "${lines[1]}" == "ValueError: "*"fatal"* ]]
	[[ "${lines[2]}" == "ValueError: unknown protocol 'arrow'; expected "* ]]
	[ "${lines[3]}" = "Error: the program exited with status 9" ]
	[[ "${lines[4]}" == "Error: cannot run '"*"/foreign': "* ]]
	[[ "${lines[5]}" == "Error: SUAI_PROGRAM: '"*"/missing' is not an executable file" ]]
	[[ "${lines[6]}" == "Error: SUAI_PROGRAM: '"*"' is not an executable file" ]]
	[ "${lines[7]}" = "Error: the Report was pickled by suai 9.9, but this is suai 0.1.0" ]
	[[ "${lines[8]}" == "CheckError: checked: error NAI402 "* ]]
	PYTHONPATH=empty python -c 'import suai'
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"ImportError: suai: no extension module _suai for this interpreter in "*"; reinstall suai, or run make in a development tree" ||
		"$stderr" == *"ImportError: suai: no extension module _suai for free-threaded CPython in "*"; install suai with pip of this interpreter, which builds one" ]]
	cp "$ROOT"/_suai.*.so versions
	PYTHONPATH=versions python -c 'import suai'
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"ImportError: suai: the package is version 9.9, but "*"/_suai."*".so is 0.1.0; reinstall suai" ]]
}

@test "objects are named by the code of the user, also in archives, and not by that of asyncio or threads" {
	mkdir archive
	cat > archive/__main__.py <<-'END'
		import array, asyncio, concurrent.futures, suai
		def name(obj, **options):
		    return suai.validate(obj).document["targets"][0]["target"]
		numbers = array.array("d", [1])
		print(name(numbers))
		print(asyncio.run(asyncio.to_thread(suai.validate, numbers)).document["targets"][0]["target"])
		with concurrent.futures.ThreadPoolExecutor(1) as pool:
		    print(pool.submit(lambda: name(numbers)).result())
		    print(pool.submit(suai.validate, numbers, name="named").result().document["targets"][0]["target"])
	END
	"$TEST_PYTHON" -m zipapp archive -o archive.pyz
	python archive.pyz
	[ "$status" -eq 0 ]
	[ "$output" = obj$'\n'object$'\n'obj$'\n'named ]
	copy_package archive/suai
	"$TEST_PYTHON" -m zipapp archive -o whole.pyz
	PYTHONPATH='' python whole.pyz
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"ImportError: suai: cannot be imported from an archive, $PWD/whole.pyz/suai: its extension module"* ]]
}

@test "processes of multiprocessing check objects and return the reports" {
	cat > processes.py <<-'END'
		import array, multiprocessing, suai
		def check(i):
		    return suai.check(array.array("d", [i]), name=f"object {i}")
		if __name__ == "__main__":
		    for method in "fork", "spawn", "forkserver":
		        context = multiprocessing.get_context(method)
		        if method == "forkserver":
		            context.set_forkserver_preload(["suai"])
		        with context.Pool(1) as pool:
		            [report] = pool.map(check, [7])
		        print(repr(report), report.text.splitlines()[0])
	END
	python processes.py
	[ "$status" -eq 0 ]
	[ "$(uniq -c <<< "$output")" = "      3 <suai.Report of object 7: no findings> no findings in 1 target" ]
}

@test "an interpreter without a GIL does not load a module for those with one, and the reason is stated" {
	# Only the flag differs: a free-threaded interpreter ends here with SIGSEGV if it loads the module.
	python -c 'import sys; sys.abiflags = "t"; import importlib.machinery as m; m.EXTENSION_SUFFIXES = [".abi3.so"]; import suai'
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"ImportError: suai: no extension module _suai for free-threaded CPython in "*"; install suai with pip of this interpreter, which builds one" ]]
}

@test "a subinterpreter cannot import the module, and the reason is stated" {
	python - <<-'END'
		try:
		    import _interpreters as interpreters
		except ImportError:
		    import _xxsubinterpreters as interpreters
		import suai
		print(interpreters.run_string(interpreters.create(), """if True:
		    try:
		        import suai
		    except ImportError as error:
		        print(error)
		"""))
	END
	[ "$status" -eq 0 ]
	[[ "$output" == *"subinterpreters"* ]]
}

@test "trials run on new objects of make=, and what cannot be tried is stated" {
	cat > trials.py <<-'END'
		import array, ctypes, os, suai

		class Exports:
		    def __init__(self):
		        self.memory = array.array("d", [1, 2, 3])
		    @property
		    def __array_interface__(self):
		        address, size = self.memory.buffer_info()
		        return {"shape": (size,), "typestr": "<f8", "data": (address, False), "version": 3}
		class Leaves(Exports):
		    def __del__(self):
		        os._exit(3)
		class Releases(Exports):
		    @property
		    def __array_interface__(self):
		        ctypes.pythonapi.Py_DecRef(ctypes.py_object(self))
		        return super().__array_interface__

		kept = []
		def make():
		    kept[:] = [Releases()] * 9
		    return kept[0]

		report = suai.validate(make=make, lifetime=True, name="releases")
		print(report, report.isolated, [finding.rule for finding in report.findings])
		report = suai.validate(make=Leaves, lifetime=True, name="leaves")
		print([(trial["trial"], trial["outcome"], trial["step"]) for trial in report.document["targets"][0]["trials"]])
		healthy = suai.validate(make=lambda: array.array("d", [1]), lifetime=True)
		print(healthy.ok, [trial["outcome"] for trial in healthy.document["targets"][0]["trials"]])
		assert suai.validate(None).findings[0].rule == "XPR002"
		for arguments in {"obj": 3, "lifetime": True}, {"obj": 3, "make": int}, {}, {"make": 3}:
		    try:
		        suai.validate(**arguments)
		    except ValueError as error:
		        print(error)
		with open(os.devnull):
		    try:
		        suai.validate(make=Exports, lifetime=True)
		    except suai.Error as error:
		        print(error)
	END
	python trials.py
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "<suai.Report of releases: 1 error> True ['NAI702']" ]
	[[ "${lines[1]}" == "[('rounds', 'left', 'the release of the object'),"* ]]
	[ "${lines[2]}" = "True ['done']" ]
	[ "${lines[3]}" = "lifetime= and live= need a new object for each trial: pass make=, a function that returns one, instead of the object" ]
	[ "${lines[4]}" = "expected either an object or make=, a function that returns one" ]
	[ "${lines[5]}" = "${lines[4]}" ]
	[ "${lines[6]}" = "make: expected a function without parameters" ]
	[ "${lines[7]}" = "cannot isolate the trials: the process has opened files or sockets that a fork would share" ]
}

# ALL=1 compares all objects of the test tree, in two minutes. What wild pointers lead to differs between processes.
@test "the module's JSON is the program's for the objects of the test tree" {
	requires numpy
	local files
	files=$(cd "$ROOT" && find testdata/rules testdata/inspect testdata/claims testdata/text ${ALL:+testdata/validate testdata/calls testdata/convert testdata/cuda testdata/healthy testdata/hostile} \
		-name '*.py' ! -name '*hang*' ! -name 'wild_*' | sort)
	cd "$ROOT" || return 1
	mkdir "$BATS_TEST_TMPDIR/modules"
	# shellcheck disable=SC2086 # names of files are words
	run "$TEST_PYTHON" testdata/tools/module_differential.py "$SUAI" "$BATS_TEST_TMPDIR/modules" $files
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "${lines[-1]}" =~ ^[0-9]{3,}" objects, 0 differences"$ ]]
}

@test "trace records the exchanges of a block: copies at their line, of all threads, and nothing outside of it" {
	requires numpy
	cat > block.py <<-'END'
		import array, threading
		import numpy, suai

		def work(values):
		    copied = numpy.from_dlpack(values, copy=True)
		    return copied, numpy.from_dlpack(values), numpy.array(array.array("d", [1, 2]))

		values = numpy.arange(1000.0)
		with suai.trace() as first:
		    work(values)
		work(values)
		with suai.trace() as second:
		    thread = threading.Thread(target=work, args=[values])
		    thread.start()
		    thread.join()
		    work(values)
		with suai.trace() as empty:
		    pass
		for trace, times in (first, 1), (second, 2):
		    print(trace.exchanges, trace.bytes, *trace.copies, sep=chr(10))
		    assert [(site.line, site.function, site.copied) for site in trace.copies] == [(5, "work", times), (6, "work", times)]
		    assert trace.exchanges == 3 * times and trace.bytes == 16016 * times
		    assert {site.file for site in trace.call_sites} == {__file__}
		assert empty.call_sites == [] and not empty.copies and empty.exchanges == 0
		assert repr(empty) == "<suai.Trace: 0 exchanges, 0 bytes; no copies>"
		assert repr(second).startswith("<suai.Trace: 6 exchanges, 32032 bytes; copies at 2 call sites")
		assert suai.validate(values).isolated # the memory of the trace does not prevent a fork
		try:
		    with suai.trace() as failed:
		        work(values)
		        raise KeyError("the program's own")
		except KeyError:
		    assert len(failed.copies) == 2
	END
	python "$PWD/block.py"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ "$output" == *"block.py:5 in work: numpy -> numpy, dlpack: 2 exchanges, 16000 bytes; 2 COPIED: 16000 bytes"* ]]
}

@test "trace does not write to a file that a program opened after it closed the descriptors of trace" {
	cat > daemon.py <<-'END'
		import os, subprocess, sys, suai

		with suai.trace():
		    pass
		os.closerange(3, 1000)
		logs = [open(f"{i}.log", "w") for i in range(9)]
		try:
		    with suai.trace():
		        pass
		except suai.Error as error:
		    print(error)
		print([os.fstat(log.fileno()).st_size for log in logs])
	END
	cat > within.py <<-'END'
		import os, suai

		def attempt(read):
		    try:
		        return read()
		    except suai.Error:
		        return "suai.Error"

		def block(error):
		    global t
		    with suai.trace() as t:
		        os.closerange(3, 1000)
		        if error: raise error

		if os.fork():
		    os.wait()
		    print(attempt(lambda: block(None)), attempt(lambda: t.copies))
		else:
		    try:
		        block(KeyError("the program's own"))
		    except KeyError as error:
		        print(error, error.__context__, attempt(lambda: t.copies), flush=True)
	END
	python daemon.py
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "trace: the program closed file descriptor "*", through which suai reads what is recorded; call suai.trace() only after "* ]]
	[ "${lines[1]}" = "[0, 0, 0, 0, 0, 0, 0, 0, 0]" ]
	python within.py
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "\"the program's own\" None suai.Error" ]
	[ "${lines[1]}" = "suai.Error suai.Error" ]
	: > empty
	suai trace-memory "$PWD/empty"
	[ "$status" -ne 0 ]
	[ "$stderr" = "suai: cannot create shared memory: not a new memory file that can be sealed" ]
	[ ! -s empty ]
}

@test "trace records calls of functions of JAX that were imported by name after an empty block, and those of others in any case" {
	requires numpy jax
	cat > names.py <<-'END'
		import array as arrays, sys, suai
		if sys.argv[1] == "early":
		    with suai.trace():
		        pass
		import jax, jax.numpy, jax.dlpack, numpy
		from jax.numpy import asarray, array, from_dlpack
		from jax import device_put
		from numpy import array as copy
		values = numpy.arange(1001.0)[1:] # not aligned to 64 bytes
		for function in asarray, array, device_put, from_dlpack, jax.dlpack.from_dlpack, copy:
		    with suai.trace() as t:
		        function(arrays.array("d", [1, 2]) if function is copy else values)
		    print(int(bool(t.copies)), end=" ")
		with suai.trace() as t:
		    jax.numpy.asarray(values)
		print(int(bool(t.copies)))
	END
	python -W ignore names.py early
	[ "$output" = "1 1 1 1 1 1 1" ]
	python -W ignore names.py late
	[ "$output" = "0 0 0 1 1 1 1" ]
}

@test "trace under suai trace records its block, and suai trace the whole run" {
	requires numpy
	cat > inner.py <<-'END'
		import numpy, suai
		values = numpy.arange(9.0)
		numpy.from_dlpack(values, copy=True)
		with suai.trace() as t:
		    numpy.from_dlpack(values)
		    numpy.from_dlpack(values, copy=True)
		print(t.exchanges, [site.line for site in t.copies])
	END
	suai trace -f json -o report.json -- "$TEST_PYTHON" inner.py
	[ "$status" -eq 0 ]
	[ "$output" = "2 [6]" ]
	[ "$(jq -c '.totals | [.exchanges, .copied]' report.json)" = '[3,2]' ]
}

@test "the test that docs/trace.md shows passes for a pipeline that shares memory, and fails for one that copies" {
	requires numpy
	sed -n '/^```python module$/,/^```$/p' "$ROOT/docs/trace.md" | grep -v '^```' > test_pipeline.py
	[ "$(grep -c assert test_pipeline.py)" -eq 2 ]
	for copy in None True; do
		{ cat test_pipeline.py; printf 'import numpy\nvalues = numpy.arange(9.0)\ndef run_pipeline():\n    numpy.from_dlpack(values, copy=%s)\ntest_pipeline_shares_memory()\n' "$copy"; } > run.py
		python run.py
		[ "$copy $((status != 0))" = "None 0" ] || { [ "$copy" = True ] && [[ "$stderr" == *AssertionError* ]]; }
	done
}

@test "trace is refused in forks, and under suai trace with options that leave out exchanges or add those of others" {
	cat > again.py <<-'END'
		import os, sys, suai
		def attempt():
		    try:
		        with suai.trace():
		            return "traced"
		    except suai.Error as error:
		        return str(error)
		print(attempt(), "SUAI_TRACE_MEMORY" in os.environ, flush=True)
		if not (pid := os.fork()):
		    print(attempt(), flush=True)
		    os._exit(0)
		os.waitpid(pid, 0)
	END
	python again.py
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "traced False" ]
	[[ "${lines[1]}" == "trace: the process that forked this one is traced, and forks are not"* ]]
	suai trace -q -o report -- "$TEST_PYTHON" again.py
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "traced False" ]
	[[ "${lines[1]}" == "trace: the process that forked this one is traced, and forks are not"* ]]
	for option in --follow --min-bytes=9 --without=driver; do
		suai trace -q -o report "$option" -- "$TEST_PYTHON" again.py
		[[ "${lines[0]}" == "trace: this process is traced already, by suai trace with --follow, --min-bytes or --without; run it without"* ]]
	done
	env LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}${SUAI%/*}/libsuai_trace.so" SUAI_TRACE_MEMORY=/nowhere "$TEST_PYTHON" again.py > unopened
	[[ "$(head -n 1 unopened)" == "trace: this process is traced already, and what is recorded cannot be read; run it without suai trace"* ]]
	suai trace-memory /dev/null
	[ "$status" -ne 0 ]
	[[ "$stderr" == *"cannot create shared memory"* ]]
	suai trace-memory "$PWD/again.py"
	[ "$status" -ne 0 ]
	[[ "$stderr" == *"corrupted suai's shared memory"* ]]
}

@test "a test of pytest that asserts that nothing is copied fails with the line of the copy" {
	requires numpy pytest
	cat > test_copies.py <<-'END'
		import numpy, pytest

		@pytest.mark.parametrize("copy", [False, True])
		def test_shares(suai, copy):
		    values = numpy.arange(1000.0)
		    with suai.trace() as t:
		        numpy.from_dlpack(values, copy=copy)
		    assert not t.copies

		@pytest.fixture
		def exchanges(suai):
		    with suai.trace() as t:
		        yield t

		@pytest.mark.parametrize("copy", [False, True])
		def test_fixture(exchanges, copy):
		    numpy.from_dlpack(numpy.arange(1000.0), copy=copy)
		    assert exchanges.exchanges == 1
		    assert not exchanges.copies
	END
	COLUMNS=200 python -m pytest -p pytest_suai -p no:cacheprovider -q test_copies.py
	[ "$status" -eq 1 ]
	[[ "$output" == *"2 failed, 2 passed"* ]]
	[[ "$output" == *"not [test_copies.py:17 in test_fixture: numpy -> numpy, dlpack: 1 exchange, 8000 bytes; 1 COPIED: 8000 bytes"* ]]
	[[ "$output" == *"not [test_copies.py:7 in test_shares: numpy -> numpy, dlpack: 1 exchange, 8000 bytes; 1 COPIED: 8000 bytes"* ]]
}

@test "the object that trace returns traces one block after another, and decorates functions" {
	requires numpy
	cat > blocks.py <<-'END'
		import numpy, suai
		a, counts, block = numpy.arange(10.0), [], suai.trace()
		for i in range(3):
		    with block as t:
		        for _ in range(i): numpy.from_dlpack(a)
		    counts.append(t.exchanges)
		with block as outer:
		    numpy.from_dlpack(a)
		    try:
		        with block: pass
		    except suai.Error as error: print(error)
		with suai.trace() as inner:
		    numpy.from_dlpack(a)
		@suai.trace()
		def f(n):
		    numpy.from_dlpack(a)
		    return f(n - 1) + 1 if n else 0
		print(counts, outer.exchanges, inner.exchanges, f(2))
	END
	python "$PWD/blocks.py"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "$output" = $'trace: this object traces a block already; call suai.trace() for each one\n[0, 1, 2] 1 1 2' ]
}
