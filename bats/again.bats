#!/usr/bin/env bats
# What the second consumer of an object gets: by default each interface is read again.

load helpers

setup() {
	cd "$ROOT" || return 1
	code='import sys; sys.path.insert(0, "testdata/calls"); import ctypes, spy
data = (ctypes.c_double * 6)()
dictionary = {"shape": (6,), "typestr": "<f8", "data": (ctypes.addressof(data), False), "version": 3}
def once(attribute, value, error=RuntimeError):
    """Its attribute can be read once."""
    def read(self):
        self.n = getattr(self, "n", 0) + 1
        if self.n > 1: raise error("taken")
        return value
    return type("Once", (), {attribute: property(read)})()
class Third(spy.Spy):
    error, n = RuntimeError, 0
    def __dlpack__(self, **keywords):
        self.n += 1
        if self.n > 2: raise self.error("no more")
        return super().__dlpack__(**keywords)
class Device(spy.Spy):
    n = 0
    def __dlpack_device__(self):
        self.n += 1
        return self.answer(self.n)
class Moves(Device): answer = lambda self, n: (1, 0) if n == 1 else (2, 0)
class RaisesLater(Device):
    def answer(self, n):
        if n > 1: raise KeyError("device")
        return 1, 0
class Changes:
    def __init__(self, **changes): self.n, self.changes = 0, changes
    @property
    def __array_interface__(self):
        self.n += 1
        return {**dictionary, **(self.changes if self.n > 1 else {})}
class Buffer:
    "Makes its bytes anew, as Pillow does."
    __array_interface__ = property(lambda self: {"shape": (3,), "typestr": "|u1", "data": bytes(3), "version": 3})
class Ticks:
    n = 0
    @property
    def __cuda_array_interface__(self):
        self.n += 1
        return {"shape": (6,), "typestr": "<f8", "data": (4096, False), "version": 3, "stream": 1 + self.n % 2}'
}

# rules EXPRESSION...: the rules of errors and warnings, by target.
rules() {
	"$SUAI" validate --exit-zero -f json --ignore CAI4 -c "$code" "$@" | jq -c '.targets[] | [.status, (.findings[] | select(.severity != "note") | .rule)]'
}

@test "an interface that can be read only once is an error, whatever it raises" {
	[ "$(rules 'once("__array_interface__", dictionary)' 'once("__array_interface__", dictionary, AttributeError)' \
		'once("__cuda_array_interface__", dictionary, BufferError)')" = '["ok","NAI005"]
["ok","NAI005"]
["ok","CAI006"]' ]
	run rules 'once("__sycl_usm_array_interface__", {**dictionary, "version": 1, "syclobj": "cpu"})'
	[[ "$output" == '["ok"'*'"SUAI005"'* ]]
	requires numpy
	suai validate -q -c "$code" 'once("__array_struct__", __import__("numpy").arange(3).__array_struct__)'
	[ "$status" -eq 1 ]
	[[ "$output" == *"error NAI005 repeated-read: the second read of __array_struct__ raised RuntimeError: taken" ]]
}

@test "a third export that raises is an error, even with BufferError, and so is a second __dlpack_device__" {
	[ "$(rules 'Third()' 'type("Refuses", (Third,), {"error": BufferError})()' 'type("Types", (Third,), {"error": TypeError})()' 'RaisesLater()' 'spy.Spy()')" = '["ok","DLP008"]
["ok","DLP008"]
["ok","DLP008"]
["ok","DLP008"]
["ok"]' ]
}

@test "an export that raises only while earlier ones are alive is an error, unless it raises BufferError" {
	code+='
class Alone(spy.Spy):
    error, n = RuntimeError, 0
    def __dlpack__(self, **keywords):
        self.n += 1
        if self.n in (3, 4): raise self.error("an export is alive")
        return super().__dlpack__(**keywords)'
	suai validate -f json --select DLP008 -c "$code" 'Alone()' 'type("Refuses", (Alone,), {"error": BufferError})()' 'spy.Spy()'
	[ "$status" -eq 1 ]
	[ "$(jq -c '[.targets[] | [.findings[].message]]' <<< "$output")" = '[["a repeated __dlpack__() raised RuntimeError: an export is alive"],[],[]]' ]
}

@test "a second reading that returns something other than a dict is an error" {
	code+='
class Then:
    n = 0
    def __init__(self, then): self.then = then
    def answer(self, **more):
        self.n += 1
        return {**dictionary, **more} if self.n == 1 else self.then
class Host(Then): __array_interface__ = property(Then.answer)
class Cuda(Then): __cuda_array_interface__ = property(Then.answer)
class Sycl(Then): __sycl_usm_array_interface__ = property(lambda self: self.answer(version=1, syclobj="cpu"))
import types
class Proxy(Then): __cuda_array_interface__ = property(lambda self: types.MappingProxyType(dictionary))'
	suai validate -q --ignore CAI4 -c "$code" 'Host(None)' 'Host(5)' 'Host([1])' 'Cuda(None)' 'Sycl(None)'
	[ "$status" -eq 1 ]
	[ "$(grep -c 'error NAI005 repeated-read: the second read of __array_interface__ returned NoneType, expected dict' <<< "$output")" -eq 1 ]
	[ "$(grep -c 'error NAI005 repeated-read: the second read of __array_interface__ returned int, expected dict' <<< "$output")" -eq 1 ]
	[ "$(grep -c 'error NAI005 repeated-read: the second read of __array_interface__ returned list, expected dict' <<< "$output")" -eq 1 ]
	[ "$(grep -c 'error CAI006 repeated-read: the second read of __cuda_array_interface__ returned NoneType, expected dict' <<< "$output")" -eq 1 ]
	[ "$(grep -c 'error SUAI005 repeated-read: the second read of __sycl_usm_array_interface__ returned NoneType, expected dict' <<< "$output")" -eq 1 ]
	run rules 'Proxy(None)'
	[[ "$output" != *CAI006* ]]
}

@test "a later export that is not a capsule, or has another shape, is an error" {
	code+='
class Later(spy.Spy):
    "Answers otherwise after k calls."
    n = 0
    def __init__(self, k, other): super().__init__(); self.k, self.other = k, other
    def __dlpack__(self, **keywords):
        self.n += 1
        if self.n <= self.k: return super().__dlpack__(**keywords)
        return self.other.__dlpack__(**keywords) if hasattr(self.other, "__dlpack__") else self.other
class Shorter(spy.Spy):
    def __init__(self): super().__init__(); self.memory = (ctypes.c_double * 3)()'
	suai validate -q -S error -c "$code" 'Later(2, None)' 'Later(4, 5)' 'Later(4, Shorter())' 'Later(2, Shorter())'
	[ "$status" -eq 1 ]
	[ "$(grep -c 'error DLP' <<< "$output")" -eq 4 ]
	[ "$(grep -c 'error DLP008 repeated-export: .*after the release of all exports returned a tensor whose shape differs from that of an earlier export' <<< "$output")" -eq 2 ]
	grep 'error DLP008 repeated-export: a repeated __dlpack__() returned NoneType, expected a PyCapsule' <<< "$output"
	grep 'error DLP008 repeated-export: __dlpack__(.*) after the release of all exports returned int, expected a PyCapsule' <<< "$output"
}

@test "a __dlpack_device__ or __array_interface__ that changes between reads is found" {
	[ "$(rules 'Moves()')" = '["ok","DLP009"]' ]
	for change in 'data=(ctypes.addressof(data) + 8, False)' 'shape=(3,)' 'typestr="<i8"' 'strides=(8,)'; do
		echo "$change"
		[ "$(rules "Changes($change)")" = '["ok","NAI006"]' ]
	done
}

@test "objects as data of __array_interface__ that have other writable memory at each read are found" {
	code+='
class Regenerates:
    def __init__(self, data): self.data = data
    @property
    def __array_interface__(self): return {"shape": (8,), "typestr": "|u1", "version": 3, "data": self.data()}
kept = bytearray(8)'
	[ "$(rules 'Regenerates(lambda: bytearray(8))' 'Regenerates(lambda: bytes(8))' 'Regenerates(lambda: kept)' 'Regenerates(lambda: memoryview(kept))')" = '["ok","NAI006"]
["ok"]
["ok"]
["ok"]' ]
}

@test "a different stream, regenerated bytes and scalars do not count as changes" {
	[ "$(rules 'Ticks()' 'Buffer()' 'Changes()')" = '["ok"]
["ok"]
["ok"]' ]
	requires numpy
	suai validate -q -S warning -c 'import numpy; a, b, c, d = numpy.float64(1), numpy.arange(3), numpy.ma.array([1, 2]), numpy.zeros(2, "M8[s]")' a b c d
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "a second reading that kills the process is reported as such" {
	run -3 --separate-stderr "$SUAI" validate -f json -c 'import os
class Once:
    n = 0
    @property
    def __array_interface__(self):
        self.n += 1
        if self.n > 1: os.abort()
        return {"shape": (0,), "typestr": "<f8", "data": (0, False), "version": 3}' 'Once()'
	jq -e '.targets[0] | .status == "crashed" and .step == "__array_interface__ again" and (.interfaces | length == 1)' <<< "$output"
}

@test "a __dlpack__ that is not callable is an error: None, or the result of a property" {
	suai validate -q -c "$code" 'type("No", (spy.Spy,), {"__dlpack__": None})()' 'type("Property", (spy.Spy,), {"__dlpack__": property(lambda self: None)})()' \
		'type("Number", (spy.Spy,), {"__dlpack__": 5})()'
	[ "$status" -eq 1 ]
	[ "$(grep -c "error DLP007 plain-call: __dlpack__() raised TypeError: 'NoneType' object is not callable" <<< "$output")" -eq 2 ]
	[ "$(grep -c "error DLP007 plain-call: __dlpack__() raised TypeError: 'int' object is not callable" <<< "$output")" -eq 1 ]
	[ "$(grep -c error <<< "$output")" -eq 3 ]
}

@test "a warning emitted by an export is not shown a third time, and not an error under -W error" {
	PYTHONWARNINGS=error run --separate-stderr "$SUAI" validate -q -S error -c 'import sys, warnings; sys.path.insert(0, "testdata/calls"); import spy
class Warns(spy.Spy):
    def __dlpack__(self, **keywords):
        warnings.warn("pass max_version", DeprecationWarning)
        return super().__dlpack__(**keywords)' 'Warns()'
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
}

@test "one cause is one finding: no rule repeats what the readings, the capsule or the device show" {
	code+='
class Device(spy.Spy): __dlpack_device__ = lambda self: (1, 2**40)
class Nothing(spy.Spy): __dlpack__ = lambda self, *, stream=None, max_version=None, dl_device=None, copy=None: None
class Shifted(spy.Spy):
    "Reports another address than it exports, which does not make the exports copies."
    other = (ctypes.c_double * 6)()
    __array_interface__ = property(lambda self: {**dictionary, "data": (ctypes.addressof(self.other), False)})
class Bare(spy.Spy):
    def __dlpack__(self, *, max_version, **keywords): return super().__dlpack__(max_version=max_version, **keywords)
class Stream(spy.Spy):
    def __dlpack__(self, stream): return super().__dlpack__(stream=stream)'
	errors() { "$SUAI" validate --exit-zero -f json -c "$code" "$@" | jq -c '.targets[] | [.findings[] | select(.severity == "error") | .rule]'; }
	[ "$(errors --all 'once("__array_interface__", dictionary)' 'Device()' 'Shifted()')" = '["NAI005"]
["DLP003"]
["NAI901"]' ]
	[[ "$("$SUAI" validate --calls --exit-zero -f json -c "$code" 'Nothing()')" != *DLP809* ]]
	# Parameters of __dlpack__ without defaults: the plain call is the error.
	run "$SUAI" validate --exit-zero -f concise -c "$code" 'Bare()' 'Stream()'
	[ "$(grep -c ': error DLP007 .*__dlpack__() raised TypeError: .*missing 1 required' <<< "$output")" -eq 2 ]
	[[ "$output" != *DLP808* ]]
}

@test "extents that are not in readable memory are reported, and not that they change" {
	sed "s/error: {.*traceback: null}, differs: \[\]/error: null, differs: [dl_tensor.shape]/" "$ROOT/testdata/rules/DLP008/bad.yaml" > "$BATS_TEST_TMPDIR/changing.yaml"
	suai validate --select DLP008 "$BATS_TEST_TMPDIR/changing.yaml"
	[[ "${lines[0]}" == "bad: error DLP008"*"returned a tensor whose shape differs from that of an earlier export"* ]]
	list="[$(printf '2, %.0s' {1..63})2]"
	sed "s/ndim: 2/ndim: 2147483647/; s/shape: \[2, 3\]/shape: $list/; s/strides: \[3, 1\]/strides: $list/" "$BATS_TEST_TMPDIR/changing.yaml" > "$BATS_TEST_TMPDIR/unreadable.yaml"
	suai validate -f json --select DLP "$BATS_TEST_TMPDIR/unreadable.yaml"
	jq -e '[.targets[0].findings[] | select(.severity == "error") | .rule] | . == ["DLP313"]' <<< "$output"
	cat > "$BATS_TEST_TMPDIR/struct.yaml" << END
targets:
- target: bad
  type: mylib.Array
  interfaces:
  - protocol: numpy-struct
    again: {step: '__array_struct__ again', error: null, differs: [shape]}
    declared: {capsule: {name: null, destructor: '0x7f0000001000'}, two: 2, nd: 2147483647, typekind: f, itemsize: 4, flags: 1793, shape: $list, strides: $list, data: '0x10000', descr: null}
END
	suai validate -f json --select NAI006,NAI110 "$BATS_TEST_TMPDIR/struct.yaml"
	jq -e '[.targets[0].findings[].rule] == ["NAI110"]' <<< "$output"
}
