#!/usr/bin/env bats
# --calls: the keyword grid of __dlpack__, checked for the device of the producer.

load helpers

setup() {
	cd "$ROOT" || return 1
}

# The ids of the DLP rules for calls that each target violates: "target: ID ID".
found_by_calls() {
	"$SUAI" validate --calls --exit-zero -f json "$@" | jq -r '.targets[]
		| "\(.target | sub(".*:"; "")): \([.findings[] | select(.rule | test("^DLP(00[456]|10[347]|50[5678]|6|711|80[13-479]|802|81[012])")) | .rule] | unique | join(" "))"'
}

@test "conforming producers have no findings on CPU, CUDA, ROCm and oneAPI" {
	for device in cpu cuda rocm oneapi; do
		suai validate --calls --select DLP --ignore DLP4,DLP503 "testdata/calls/liars.py:good_$device"
		[ "$status" -eq 0 ]
		[[ "$output" == "no findings"* ]]
	done
}

@test "each producer that violates one requirement is reported by its rule, and by no other rule of --calls" {
	while read -r target found; do
		echo "$target $found"
		[[ $target == good_* && -z $found ]] || [ "${target%%_*}" = "$found" ]
	done < <(found_by_calls testdata/calls/liars.py)
	[ "$(grep -c '^liar("' testdata/calls/liars.py)" -eq "$(found_by_calls testdata/calls/liars.py | grep -vc '^good_')" ]
}

@test "a finding about a call is shown without the whole struct, which -v shows" {
	suai validate --calls --select DLP602 testdata/calls/liars.py:DLP602_any_stream
	[ "$status" -eq 0 ]
	[[ "$output" == *"__dlpack__(stream=-1) returned"*"= why: "* ]]
	[[ "$output" != *"manager_ctx"* ]]
	suai validate --calls --select DLP602 -v testdata/calls/liars.py:DLP602_any_stream
	[[ "$output" == *"__dlpack__(stream=-1) returned"*"manager_ctx"*"= why: "* ]]
	[[ "$output" != *"^"* ]]
}

@test "the document lists at least 200 calls with their arguments and outcomes" {
	requires numpy
	"$SUAI" validate --calls -f json -c 'import numpy; a = numpy.arange(6.0)' a > "$BATS_TEST_TMPDIR/document.json"
	jq -e '.targets[0].calls | length >= 200 and all(.[]; .step and .arguments and .outcome)
		and ([.[].step] | unique | length) >= 200' "$BATS_TEST_TMPDIR/document.json"
	jq -e '[.targets[0].calls[] | select(.held)] | length == 2' "$BATS_TEST_TMPDIR/document.json"
	requires jsonschema
	"$TEST_PYTHON" -m jsonschema -i "$BATS_TEST_TMPDIR/document.json" schema/suai.schema.json
}

@test "ROCm streams: None, 0, -1 and handles are accepted, 1 and 2 are refused" {
	"$SUAI" validate --calls -f json testdata/calls/liars.py:good_rocm | jq -r '.targets[0].calls[]
		| select(.held | not) | select(.step | test("^__dlpack__\\(stream=")) | "\(.arguments.stream) \(.outcome)"' > "$BATS_TEST_TMPDIR/column"
	diff "$BATS_TEST_TMPDIR/column" - << 'END'
null returned
-1 returned
0 returned
1 raised
2 raised
4096 returned
x raised
END
}

@test "a stream whose support is optional may be refused on CUDA, ROCm and oneAPI" {
	for device in cuda rocm oneapi; do
		suai validate --calls --select DLP6 "testdata/calls/liars.py:good_${device}_no_streams"
		[ "$status" -eq 0 ]
		[[ "$output" == "no findings"* ]]
	done
}

@test "a SyclQueue may be refused, but must not cause an exception such as AttributeError" {
	requires sycl
	code='import dpctl, sys; sys.path.insert(0, "testdata/calls"); import liars, spy
spy.Spy.sycl_device = dpctl.SyclDevice("cpu")
def asserts_queue(self, stream, dl_device):
    assert type(stream).__name__ != "SyclQueue"
    spy.Spy.check_stream(self, stream, dl_device)
good = liars.good_oneapi_no_streams
bad = type("Asserts", (spy.Spy,), {"check_stream": asserts_queue})(spy.ONEAPI)'
	suai validate --calls --select DLP612 -f json -c "$code" good
	[ "$status" -eq 0 ]
	jq -e '[.targets[0].calls[] | select(.step == "__dlpack__(stream=<new stream>)") | .outcome] == ["refused"]' <<< "$output"
	suai validate --calls --select DLP612 -c "$code" bad
	[ "$status" -eq 1 ]
	[[ "$output" == *"__dlpack__(stream=<new stream>) raised AssertionError, expected a capsule, or a refusal such as BufferError"* ]]
}

@test "ValueError is accepted if dl_device requests host memory and copy=False forbids the copy" {
	for name in good_host_value_error good_host_value_error_cpu; do
		suai validate --calls --select DLP5,DLP8 --ignore DLP503 "testdata/calls/liars.py:$name"
		[ "$status" -eq 0 ]
		[[ "$output" == "no findings"* ]]
	done
}

@test "a __dlpack__ that returns no capsule is reported once" {
	requires numpy
	code='import numpy
class Array:
    a = numpy.arange(3)
    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None): return self.a.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)
    def __dlpack_device__(self): return 1, 0
class Async(Array):
    async def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None): return super().__dlpack__()'
	suai validate --calls -f json -c "$code" 'Array()' 'Async()'
	[ "$(jq -c '.targets[] | [.findings[] | select(.severity != "note") | .rule]' <<< "$output")" = '["DLP602"]
["DLP101"]' ]
}

@test "coroutines that methods of interfaces with async return are closed, without a warning for each" {
	cd "$BATS_TEST_TMPDIR"
	cat > async.py <<-'END'
		class Async:
		    def __dlpack_device__(self): return 1, 0
		    async def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None): pass
		class AsyncDevice(Async):
		    async def __dlpack_device__(self): return 1, 0
		class Queue:
		    async def _get_capsule(self): pass
		class Usm:
		    __sycl_usm_array_interface__ = dict(shape=(1,), typestr="<f4", data=(64, False), version=1, syclobj=Queue())
		a, b, c = Async(), AsyncDevice(), Usm()
	END
	export SUAI_PYTHON="$TEST_PYTHON"
	suai validate --all async.py
	[ "$status" -eq 1 ]
	[ -z "$stderr" ]
	[[ "$output" == *"DLP101 capsule: __dlpack__ returned <coroutine>, expected a PyCapsule"* ]]
	[[ "$output" == *"DLP002 device-pair: __dlpack_device__() returned <coroutine>, expected a 2-tuple"* ]]
	[[ "$output" == *"SUAI507 get-capsule: _get_capsule() returned an object of type coroutine, expected a PyCapsule"* ]]
	suai convert --to numpy async.py:b
	[ "$status" -eq 3 ]
	[ -z "$stderr" ]
	suai inspect async.py
	[ -z "$stderr" ]
}

@test "the consequence that DLP508 describes is real: NumPy requests the CPU of arrays that are on it" {
	requires numpy
	cd testdata/calls
	run "$TEST_PYTHON" -u -c 'import liars, numpy
good = numpy.from_dlpack(liars.good_cpu, device="cpu")
print(len(good))
numpy.from_dlpack(liars.DLP508_misreads, device="cpu")'
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = 6 ]
	[ "${lines[-1]}" = "ValueError: dl_device must be a tuple" ]
}

@test "MemoryError of a copy to the host is not reported" {
	suai validate --calls --select DLP5,DLP8 --ignore DLP503 testdata/calls/liars.py:good_host_memory_error
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings"* ]]
}

@test "calls that would copy more than 1 MiB are skipped with the reason, unless --live is given" {
	requires numpy
	code='import numpy; a = numpy.zeros(1 << 18)'
	"$SUAI" validate --calls -f json -c "$code" a | jq -e '[.targets[0].calls[] | select(.outcome == "skipped")]
		| length > 50 and all(.[]; .error.message | test("1 MiB"))'
	"$SUAI" validate --calls --live -f json -c "$code" a | jq -e 'all(.targets[0].calls[]; .outcome != "skipped")'
}

@test "a call that kills the process is named, and the other calls are made" {
	run -3 --separate-stderr "$SUAI" validate --calls -f json -c 'import os, numpy
class Array:
    def __init__(self): self.a = numpy.arange(3)
    def __dlpack_device__(self): return 1, 0
    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if stream == 2: os.abort()
        return self.a.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
a = Array()' a
	jq -e '.targets[0] | .status == "crashed" and .step == "__dlpack__(stream=2)"
		and ([.calls[].step] | index("__dlpack__(stream=0)")) and (.calls | length > 200)' <<< "$output"
}

@test "calls that crash or hang keep earlier results, and calls with the same keywords are skipped" {
	requires numpy
	cat > "$BATS_TEST_TMPDIR/lost.py" <<'END'
import os, time, numpy
class Array:
    def __init__(self): self.a = numpy.arange(3)
    __array_interface__ = {'version': 3, 'shape': (-1,), 'typestr': '<f4', 'data': (0, False)}
    def __dlpack_device__(self): return 1, 0
    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.end(stream, max_version, dl_device, copy)
        return self.a.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)
class OneKeyword(Array):
    def end(self, stream, max_version, dl_device, copy):
        if copy is True: os.abort()
class AllKeywords(Array):
    def end(self, stream, max_version, dl_device, copy):
        if (stream, copy) != (None, None) or max_version not in (None, (1, 3)): os._exit(1)
class Hangs(Array):
    def end(self, stream, max_version, dl_device, copy):
        if copy is False: time.sleep(600)
class Always(Array):
    @property
    def __dlpack_c_exchange_api__(self): os.abort()
    def end(self, *rest): os.abort()
class Slow(Array):
    def end(self, *rest): time.sleep(0.05)
END
	cd "$BATS_TEST_TMPDIR"
	while read -r class code outcome step rest; do
		echo "$class"
		# A time limit is for those that need it; what ends by itself may take long on a busy machine.
		limit=300
		[[ $class != @(Hangs|Slow) ]] || limit=2
		SECONDS=0
		run -"$code" --separate-stderr "$SUAI" validate --calls --timeout $limit -f json "lost.py:$class()"
		[ "$limit" -gt 2 ] || [ "$SECONDS" -lt 300 ]
		jq -e --arg status "$outcome" --arg step "$step" '.targets[0] | .status == $status and (.step // "-") == $step
			and ([.interfaces[] | select(.protocol == "numpy")] | length) == 1 and ([.findings[].rule] | index("NAI102"))' <<< "$output"
		jq -e ".targets[0] | .interfaces |= map(.protocol) | ($rest)" <<< "$output"
	done <<-'END'
		OneKeyword 3 crashed __dlpack__(copy=True) (.interfaces == ["dlpack", "numpy"]) and ([.calls[] | select(.outcome == "returned")] | length > 40) and all(.calls[]; .outcome != "skipped" or (.lost and (.error.message | test("__dlpack__.copy=True.; that call, or the deleter of its result, terminated an earlier worker: crashed: killed by SIGABRT|^this call terminated an earlier worker: crashed: killed by SIGABRT$")))) and ([.calls[] | select(.lost) | .arguments | has("copy")] | all) and ([.skipped[] | select(.rule == "DLP801").reason | test("the keyword grid lacks [0-9]+ of its [0-9]+ calls")] == [true])
		AllKeywords 3 left __dlpack__(copy=True) (.interfaces == ["dlpack", "numpy"]) and ([.calls[] | select(.held)] | length == 2) and ([.calls[] | select(.step == "__dlpack__()" and .outcome == "returned")] | length == 2)
		Hangs 3 hung __dlpack__(copy=False) (.interfaces == ["dlpack", "numpy"]) and .error.message == "timed out after 2 s" and ([.calls[] | select(.step == "__dlpack__(copy=True)" and .outcome == "returned")] | length == 1) and ([.calls[] | select(.step == "__dlpack__(copy=False)") | .error.message] == ["a worker was lost in this call: hung: timed out after 2 s"]) and ([.calls[] | select(.lost) | .error.message] | unique == ["a worker was lost in this call: hung: timed out after 2 s", "the time limit of the target was reached"])
		Always 3 crashed __dlpack__() .interfaces == ["numpy"]
		Slow 1 ok - ([.calls[] | select(.lost) | .error.message] | length > 50 and unique == ["the time limit of the target was reached"]) and ([.calls[] | select(.outcome == "returned")] | length > 10)
	END
}

@test "a target whose worker is lost in a call keeps its type, its line and the comments about it" {
	requires numpy
	cat > "$BATS_TEST_TMPDIR/lost.py" <<'END'
import os, numpy
class Base:
    __array_interface__ = {'version': 3, 'shape': (-1,), 'typestr': '<f4', 'data': (0, False)}
    def __dlpack_device__(self): return 1, 0
    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if copy: os.abort()
        return numpy.arange(3).__dlpack__(max_version=max_version)
class Array(Base): pass

a = Array()  # suai: ignore[NAI102] a test
END
	cd "$BATS_TEST_TMPDIR"
	run -3 --separate-stderr "$SUAI" validate --calls --select NAI102,DLP801 -f json lost.py:a
	jq -e '.targets[0] | .status == "crashed" and .type == "lost.Array" and .mro[1] == "lost.Base"
		and .source.line == 10 and .findings == [] and [.ignored[].rule] == ["NAI102"]' <<< "$output"
}

@test "a tensor of a newer major version is released, and a crash of its deleter is reported" {
	run -3 --separate-stderr "$SUAI" validate --calls --select DLP711 -f json -c 'import ctypes, sys; sys.path.insert(0, "testdata/calls"); import liars, spy
class Array(spy.Spy):
    asks_version = liars.version_two
    @property
    def deleter(self): return ctypes.cast(ctypes.pythonapi.abort, ctypes.c_void_p) if self.version[0] == 2 else spy.Spy.deleter' 'Array()'
	jq -e '.targets[0] | .status == "crashed" and .step == "deleter of a newer major version"
		and (.findings[0].message | test("^[0-9]+ calls returned tensors of a newer major version, the first __dlpack__.max_version=.99, 0.., and the deleter of one of these tensors crashed$"))' <<< "$output"
}

@test "sharded arrays that refuse with a reason have no findings" {
	requires jax
	suai validate --calls --select DLP812 -q -c 'import os
os.environ.update(XLA_FLAGS="--xla_force_host_platform_device_count=2", JAX_PLATFORMS="cpu")
import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
parts = jax.device_put(jax.numpy.arange(8.0), NamedSharding(Mesh(jax.devices(), "x"), PartitionSpec("x")))' parts
	[ "$status" -eq 0 ]
}

@test "the consequence of an export that loses something is that of this array" {
	requires numpy
	suai validate --calls --select DLP812 -f json -c 'import numpy as np
masked = np.ma.masked_array([1.0, 2.0], [0, 1])
class Tensor(np.ndarray):
    requires_grad = True
tensor = np.ones(2).view(Tensor)' masked tensor
	[ "$(jq -r '.targets[] | .target + ": " + .findings[0].why' <<< "$output")" = "masked: the consumer treats masked elements as valid
tensor: operations of the consumer are not recorded, and gradients are silently wrong" ]
}

@test "real producers: the findings of --calls are those of docs/findings.md" {
	requires numpy jax pyarrow tvm_ffi array_api_strict
	cat > "$BATS_TEST_TMPDIR/real.py" << 'END'
import array_api_strict
import numpy as np
import jax.numpy
import pyarrow
import tvm_ffi
numpy_array = np.arange(12.0).reshape(3, 4)
numpy_readonly = np.arange(3)
numpy_readonly.flags.writeable = False
strict = array_api_strict.asarray([1.0, 2.0])
jax_array = jax.numpy.arange(6.0)
arrow = pyarrow.array([1, 2, 3])
tvm = tvm_ffi.from_dlpack(np.arange(12.0))
END
	found_by_calls "$BATS_TEST_TMPDIR/real.py" > "$BATS_TEST_TMPDIR/found"
	diff "$BATS_TEST_TMPDIR/found" - << 'END'
numpy_array: 
numpy_readonly: 
strict: 
jax_array: DLP104 DLP505
arrow: DLP807 DLP811
tvm: DLP505 DLP602 DLP801 DLP809
END
}

@test "--calls does not include stream=-2, which no consumer passes" {
	suai validate --calls -f json -c 'import os, sys; sys.path.insert(0, "testdata/calls"); import spy
class Array(spy.Spy):
    def check_stream(self, stream, dl_device):
        if isinstance(stream, int) and stream < -1: os.abort()
        super().check_stream(stream, dl_device)' 'Array(spy.CUDA)' 'Array(spy.ROCM)' 'Array(spy.CPU)'
	jq -e 'all(.targets[]; .status == "ok" and all(.calls[]; .arguments.stream != -2))' <<< "$output"
}

@test "a device type that is not an int, or exceeds 32 bits, is reported, and the keywords are checked for the device of the tensor" {
	code='import enum, sys; sys.path.insert(0, "testdata/calls"); import spy
class Device(enum.Enum): CPU = 1
class Array(spy.Spy):
    __dlpack_device__ = lambda self: (Device.CPU, 0)
class Ignores(Array):
    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None): return super().__dlpack__(max_version=max_version)
class Large(Array):
    __dlpack_device__ = lambda self: (1, 2**40)
class Vast(Array):
    __dlpack_device__ = lambda self: (10**5000, -10**5000)'
	suai validate --calls --exit-zero -f json -c "$code" 'Array()' 'Ignores()' 'Large()' 'Vast()'
	jq -e '[.targets[3].findings[] | select(.rule == "DLP003") | .message] == ["the device type is <int: an integer of thousands of digits>, which dlpack.h 1.3 does not define",
		"the device id is <int: an integer of thousands of digits>, expected 0 to 2^31 - 1"]' <<< "$output"
	suai validate --calls --exit-zero -f json -c "$code" 'Array()' 'Ignores()' 'Large()'
	[ "$(jq -c '.targets[] | [.findings[] | select(.severity != "note") | .rule] | sort' <<< "$output")" = '["DLP003"]
["DLP003","DLP505","DLP602","DLP801"]
["DLP003"]' ]
	[ "$(jq '[.targets[].calls[] | select(.arguments.dl_device | type == "array" and (.[0] == null or .[1] > 2147483647))] | length' <<< "$output")" -eq 0 ]
}

@test "a message shows an exception in one line, and the document contains all of its lines" {
	code='class Raises:
    def __getattr__(self, name):
        if name in ("__array_interface__", "__dlpack__"): raise ValueError("no device\n\n  The device\twas reset.\r\nRestart it.\n")
        raise AttributeError(name)
    __dlpack_device__ = lambda self: (1, 0)'
	suai validate -f json -c "$code" 'Raises()'
	jq -e '.targets[0] | [.interfaces[0].error.message, (.findings[] | .message | sub(".* raised "; ""))] ==
		["no device\n\n  The device\twas reset.\r\nRestart it.\n", "ValueError: no device The device was reset. Restart it.; so did __array_interface__"]' <<< "$output"
	suai convert --to numpy -c "$code" 'Raises()'
	[ "$status" -eq 3 ]
	[ "$(wc -l <<< "$output$stderr")" -eq 1 ]
	[[ "$output$stderr" == *'ValueError: no device The device was reset. Restart it.' ]]
}

@test "the message of an exception is shortened between words" {
	suai validate --calls --select DLP505 -f json -c 'import sys; sys.path.insert(0, "testdata/calls"); import spy
class Array(spy.Spy):
    def find_device(self, dl_device):
        if dl_device not in (None, self.device, (spy.CPU, 0)): raise RuntimeError(self.text)
        return super().find_device(dl_device)
class Linked(Array): text = "no backend for this device is installed, which the function requires for every export; the page https://example.org/" + "install/" * 20 + " lists them"
class Long(Array): text = "x" * 201
class Whole(Array): text = "y " * 99 + "zz"' 'Linked()' 'Long()' 'Whole()'
	diff <(jq -r '.targets[].findings[].message | sub(".* raised (?<rest>RuntimeError.*), expected .*"; "\(.rest)")' <<< "$output") - <<-END
		RuntimeError: no backend for this device is installed, which the function requires for every export; the page...
		RuntimeError: $(printf 'x%.0s' {1..200})...
		RuntimeError: $(printf 'y %.0s' {1..99})zz
	END
}

@test "for a __dlpack__ that requires an argument, the consumers that pass none and the signature are stated" {
	code='class Needs:
	def __init__(self, a): self.a = a
	def __dlpack__(self, stream, **keywords): return self.a.__dlpack__()
	def __dlpack_device__(self): return self.a.__dlpack_device__()
class Fails(Needs):
	def __dlpack__(self, **keywords): raise KeyError("stream")
import numpy
needs, fails = Needs(numpy.arange(3)), Fails(numpy.arange(3))'
	requires numpy
	suai validate -f json --select DLP007 -c "$code" needs fails
	[ "$status" -eq 1 ]
	jq -e '[.targets[].findings[] | [.rule, (.why | startswith("consumers such as tvm_ffi.from_dlpack call __dlpack__ without arguments")),
		(.hint | startswith("declare def __dlpack__(self, *, stream=None"))]] == [["DLP007", true, true], ["DLP007", false, false]]' <<<"$output"
}

@test "a legacy capsule of an array that another interface declares read-only is reported, and of a writable one not" {
	requires numpy
	suai validate --calls -f json --select DLP807 -c 'import numpy
class Legacy:
	def __init__(self, writable):
		self.a = numpy.arange(3)
		shown = self.a.view()
		shown.flags.writeable = writable
		self.__array_interface__ = shown.__array_interface__
	def __dlpack__(self, stream=None): return self.a.__dlpack__()
	def __dlpack_device__(self): return self.a.__dlpack_device__()
writable, readonly = Legacy(True), Legacy(False)' writable readonly
	[ "$status" -eq 0 ]
	jq -e '[.targets[] | [.findings[].message, .skipped[].reason]] == [["the object does not report whether it is writable"],
		["__dlpack__() returned a legacy capsule, which cannot express that the array is read-only in __array_interface__"]]' <<<"$output"
}

@test "what is not a capsule is not reported as the capsule of an array that cannot be exported" {
	cat > "$BATS_TEST_TMPDIR/itself.py" <<-'END'
		class Itself:
		    requires_grad = True
		    def __dlpack_device__(self): return (1, 0)
		    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None): return self
		itself = Itself()
	END
	suai validate --calls -f concise "$BATS_TEST_TMPDIR/itself.py"
	[ "$status" -eq 1 ]
	[[ "$output" == *'DLP101 capsule: __dlpack__ returned <itself.Itself>, expected a PyCapsule'* ]]
	[[ "$output" != *DLP812* ]]
}
