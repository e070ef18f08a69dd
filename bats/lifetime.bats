#!/usr/bin/env bats
# --lifetime: deleters, owners and leaks, each tested in its own worker.

load helpers

setup() {
	cd "$ROOT" || return 1
}

# The rules of mode R that TARGET... violates, one line per target: "RULE RULE".
broken_by() {
	"$SUAI" validate --lifetime --exit-zero -f json "$@" | jq -r '.targets[]
		| [.findings[] | select(.rule | test("^(DLP7(0[1-68-9]|1[01])|SUAI(003|506|70[12])|CAI003|NAI701|BUF702)$")) | .rule] | unique | join(" ")'
}

@test "producers that conform to the specifications have no findings" {
	[ "$(broken_by 'testdata/calls/leakers.py:Spy()')" = DLP706 ]
	[ "$(broken_by 'testdata/calls/leakers.py:Numpy()')" = "" ]
	[ "$(broken_by 'testdata/calls/leakers.py:Cuda()')" = "" ]
	[ "$(broken_by 'testdata/calls/leakers.py:Image()')" = "" ]
}

@test "a deleter that its library disables at interpreter exit, as nanobind does, conforms" {
	cd "$BATS_TEST_TMPDIR"
	cat > library.c << 'END'
int Py_AtExit(void (*function)(void)), PyGILState_Ensure(void);
void PyGILState_Release(int state);
static int is_alive = 1;
static void end(void) { is_alive = 0; }
void begin(void) { Py_AtExit(end); }
void deleter(void *tensor) { if (is_alive) PyGILState_Release(PyGILState_Ensure()); }
END
	"${CC:-gcc}" -shared -fPIC -o library.so library.c
	cat > script.py << 'END'
import ctypes, sys
sys.path.insert(0, sys.argv[1])
from spy import Spy
library = ctypes.CDLL("./library.so")
class Guarded(Spy):
    deleter = ctypes.cast(library.deleter, ctypes.c_void_p)
if len(sys.argv) == 2:
    library.begin()
a = Guarded()
END
	[[ "$(broken_by script.py:a -- "$ROOT/testdata/calls")" != *DLP706* ]]
	[[ "$(broken_by script.py:a -- "$ROOT/testdata/calls" never)" == *DLP706* ]]
}

@test "each producer whose memory is freed too early, too late or twice is reported by its rule" {
	while read -r class rules; do
		echo "$class $rules"
		[ "$(broken_by "testdata/calls/leakers.py:$class()")" = "$rules" ]
	done << 'END'
NoDestructor DLP701 DLP706
DeletesUsed DLP702 DLP706
KeepsOwner DLP703 DLP706
KeepsTensor DLP704 DLP706
NeedsTheGil DLP704 DLP705 DLP706
OneCapsule DLP706 DLP708
FreesWithObject DLP706 DLP709
Leaks DLP706 DLP710
TemporaryMemory NAI701
Moves CAI003
END
}

# ends_by RULE OPTION... TARGET: --lifetime exits with 1, and its only error is of that rule; $output is the document.
ends_by() {
	run -1 --separate-stderr "$SUAI" validate --lifetime --select DLP7,SUAI7,CAI7,NAI7,BUF7 -f json "${@:2}"
	[ "$(jq -r '.targets[] | "\(.status) " + ([.findings[] | select(.severity == "error").rule] | join(" "))' <<< "$output")" = "ok $1" ]
}

@test "an object that crashes, exits or loses references after many exports or readings is an error" {
	suai validate --lifetime testdata/calls/diers.py:'Native()'
	[ "$status" -eq 0 ]
	while read -r class rule message; do
		echo "$class $rule"
		ends_by "$rule" "testdata/calls/diers.py:$class()"
		jq -e --arg message "$message" '.targets[0].findings | map(select(.severity == "error").message | startswith($message)) == [true]' <<< "$output"
	done << 'END'
DLPackAborts DLP712 export 57 crashed the process: killed by SIGABRT (trial 'deleter' and 1 more)
DLPackLeaves DLP712 export 57 terminated the process: the process exited with status 0
DLPackLoses DLP703 512 exports released 512 references to the object that they had not acquired
NumpyAborts NAI702 read 59 crashed the process: killed by SIGABRT (trial 'rounds')
NumpyLeaves NAI702 read 59 terminated the process: the process exited with status 0
NumpyLoses NAI702 512 reads released 512 references to the object that they had not acquired
StructAborts NAI702 read 59 crashed the process: killed by SIGABRT (trial 'rounds')
CudaAborts CAI704 read 59 crashed the process: killed by SIGABRT (trial 'rounds')
CudaLeaves CAI704 read 59 terminated the process: the process exited with status 0
CudaLoses CAI704 512 reads released 512 references to the object that they had not acquired
SyclAborts SUAI703 read 59 crashed the process: killed by SIGABRT (trial 'rounds')
SyclLeaves SUAI703 read 59 terminated the process: the process exited with status 0
SyclLoses SUAI703 512 reads released 512 references to the object that they had not acquired
END
}

@test "an object that hangs in a trial is an error, and one that is slow is not" {
	ends_by DLP712 --timeout 2 'testdata/calls/diers.py:DLPackHangs()'
	jq -e '.targets[0].findings[0].message | test("^export [0-9]+ did not return: timed out after 2 s .trial .rounds..$")' <<< "$output"
	# The remaining trials are not reported as a hang.
	jq -e '[.targets[0].trials[] | select(.outcome == "skipped") | .error.message] | length > 2 and unique == ["the time limit of the target was reached"]' <<< "$output"
	run -0 --separate-stderr "$SUAI" validate --lifetime --timeout 3 -f json testdata/calls/diers.py:'NumpySlow()'
	jq -e '[.targets[0].trials[] | select(.trial == "rounds") | .outcome, .error.message]
		== ["skipped", "rounds take too long to run enough of them to detect a leak"]' <<< "$output"
}

@test "DLP702 reports what a renamed capsule's destructor frees, whether or not the deleter crashes afterwards" {
	local crashed="the destructor of a renamed capsule freed or changed memory that the deleter uses: the deleter crashed the process when called after the destructor ("
	run -3 --separate-stderr "$SUAI" validate --lifetime --select DLP7 -f json 'testdata/calls/diers.py:FreesUsed()'
	jq -e '[.targets[0].findings[] | .rule] == ["DLP702"]' <<< "$output"
	run -1 --separate-stderr "$SUAI" validate --lifetime --select DLP7 -f json 'testdata/calls/diers.py:FreesContextOfUsed()'
	jq -e --arg message "$crashed" '[.targets[0].findings[] | select(.severity == "error")] | length == 1
		and .[0].rule == "DLP702" and (.[0].message | startswith($message))' <<< "$output"
}

@test "DLP701 reports a capsule that is freed twice, and only DLP712 a deleter that never returns" {
	ends_by DLP701 'testdata/calls/diers.py:FreesTwice()'
	run -3 --separate-stderr "$SUAI" validate --lifetime --select DLP7 -f json 'testdata/calls/diers.py:DeleterAborts()'
	jq -e '[.targets[0].findings[] | .rule] == ["DLP712"]' <<< "$output"
	jq -e '.targets[0].skipped[] | select(.rule == "DLP705") | .reason | test("see DLP712")' <<< "$output"
}

@test "a trial whose worker is lost before it begins is skipped with the reason" {
	printf 'import os\nif os.path.exists("tried"):\n\tos.abort()\nopen("tried", "w").close()\nfrom array import array\na = array("d", [1])\n' > "$BATS_TEST_TMPDIR/once.py"
	cd "$BATS_TEST_TMPDIR"
	run -0 --separate-stderr "$SUAI" validate --lifetime -p buffer -f json once.py:a
	jq -e '.targets[0] | .findings == [] and ([.trials[] | .outcome, .step] == ["skipped", null])
		and ([.skipped[].reason] | any(test("the object could not be created again .crashed, step import.: killed by SIGABRT")))' <<< "$output"
}

@test "an object that keeps only a dictionary is reported, one that keeps the owner is not" {
	"$SUAI" validate --lifetime --exit-zero --select CAI703 -f json -c 'from types import SimpleNamespace as Holder
interface = {"shape": (6,), "typestr": "<f4", "data": (0x10000, False), "version": 3}
bare = Holder(__cuda_array_interface__=interface)
owner = Holder(__cuda_array_interface__=interface, owner=bytearray(24))
inside = Holder(__cuda_array_interface__={**interface, "owner": bytearray(24)})
import ctypes
class Bare: pass
class Slot: __slots__ = ("owner", "__dict__", "__weakref__")
class Structure(ctypes.Structure): _fields_ = [("address", ctypes.c_void_p)]
class List(list): pass
def hold(kind):
    made = kind()
    made.__cuda_array_interface__ = interface
    return made' bare owner inside 'hold(Bare)' 'hold(Slot)' 'hold(Structure)' 'hold(List)' |
		jq -e '[.targets[] | select(.findings != []) | .target] == ["bare", "hold(Bare)"]'
}

@test "real libraries cause no false positives" {
	requires numpy jax pyarrow tvm_ffi
	cat > "$BATS_TEST_TMPDIR/real.py" << 'END'
import jax.numpy
import numpy as np
import pyarrow
import tvm_ffi
END
	for expression in 'np.arange(1000.0)' 'jax.numpy.arange(1000.0)' 'pyarrow.array(range(1000))' 'tvm_ffi.from_dlpack(np.arange(1000.0))'; do
		echo "$expression"
		[ "$(broken_by "$BATS_TEST_TMPDIR/real.py:$expression")" = "" ]
	done
}

@test "memory that the runtime allocates once and keeps is not a leak" {
	requires dpnp
	run -0 "$SUAI" validate --lifetime --select SUAI702 -q -c 'import dpnp' 'dpnp.arange(10, dtype="i4")'
	[ "$output" = "" ]
}

@test "a trial that kills its worker is a finding, and the target is complete" {
	run -1 --separate-stderr "$SUAI" validate --lifetime --select DLP7 -f json 'testdata/calls/leakers.py:NeedsTheGil()'
	jq -e '.targets[0] | .status == "ok" and (.trials[] | select(.trial == "thread")
		| .outcome == "crashed" and (.error.message | test("SIGSEGV")))' <<< "$output"
	[ -z "$stderr" ]
}

@test "a call that ends the process does not end trials, and one that never returns leaves no time for them" {
	local end limit status_word
	while read -r status_word limit end; do
		run -3 --separate-stderr "$SUAI" validate --calls --lifetime --timeout "$limit" --select DLP7 -f json -c "import os, sys, time; sys.path.insert(0, 'testdata/calls'); import leakers
class Array(leakers.NeedsTheGil):
    def __dlpack__(self, *, stream=None, **rest):
        if stream == 2: $end
        return super().__dlpack__(stream=stream, **rest)" 'Array()'
		jq -e --arg status "$status_word" '.targets[0] | .status == $status and .step == "__dlpack__(stream=2)"
			and (if $status == "hung" then [.trials[] | .outcome + ": " + .error.message] | unique == ["skipped: the time limit of the target was reached"]
				else ([.trials[] | .trial + " " + .outcome] | index("thread crashed") and index("rounds done")) end)
			and ([.findings[].rule] | (index("DLP705") != null) == ($status != "hung"))' <<< "$output"
	done <<-'END'
		crashed 300 os.abort()
		left 300 os._exit(0)
		hung 3 time.sleep(100)
	END
}

@test "a trial can be repeated by its step" {
	requires numpy
	"$SUAI" validate --lifetime --only-step 'trial deleter of dlpack' -f json -c 'import numpy' 'numpy.arange(3)' |
		jq -e '[.targets[0].trials[].trial] == ["deleter"]'
	"$SUAI" validate --calls --only-step '__dlpack__(copy=True)' -f json -c 'import numpy' 'numpy.arange(3)' |
		jq -e '[.targets[0].calls[] | select(.held | not) | .step] == ["__dlpack__(copy=True)"]'
	suai validate --only-step '__dlpack__(copy=True)' -c 'import numpy' 'numpy.arange(3)'
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"--only-step requires --calls, --lifetime, --live or --all"* ]]
	suai validate --all --only-step '__dlpack__(copy=Maybe)' -c 'import numpy' 'numpy.arange(3)'
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"'__dlpack__(copy=Maybe)': no target has such a call or trial"* ]]
}

@test "memory of an object that has another name is not tested, and this is reported" {
	requires numpy
	"$SUAI" validate --lifetime -f json -c 'import numpy; a = numpy.arange(3)' a |
		jq -e '.targets[0].skipped[] | select(.rule == "DLP709") | .reason | test("only reference")'
}

@test "trials are counted on a terminal" {
	requires numpy script
	run on_terminal xterm "'$SUAI' validate --lifetime -c 'import numpy, time; time.sleep(0.3)' 'numpy.arange(3)'"
	cat -v <<< "$output"
	[[ "$output" =~ \[#*\.*\]\ +[0-9]+\ %\ \ [0-9]\ of\ [0-9]\ trials ]]
}

@test "a signal during a trial terminates suai by it, and reports nothing about the target" {
	printf 'import array, os, time\nif os.path.exists("tried"):\n\topen("again", "w").close()\n\ttime.sleep(1000)\nopen("tried", "w").close()
a, b = array.array("d", [1]), array.array("d", [2])\n' > "$BATS_TEST_TMPDIR/slow.py"
	cd "$BATS_TEST_TMPDIR"
	"$SUAI" validate --lifetime -p buffer slow.py:a slow.py:b > out 2> err 3>&- &
	suai_pid=$!
	is_there again
	kill -15 "$suai_pid"
	code=0
	wait "$suai_pid" || code=$?
	[ "$code" -eq 143 ]
	[ "$(cat err)" = "suai: interrupted" ]
	[ ! -s out ] || { cat out; return 1; }
}

@test "what --calls, --lifetime and --live could not test is listed below the counts, in text and concise" {
	code='import array
a = array.array("d", [1, 2])
class Dictionary:
    __array_interface__ = {"version": 3, "shape": (0,), "typestr": "<f8", "data": (0, False)}
d = Dictionary()'
	live="trials require a live object with __sycl_usm_array_interface__, __cuda_array_interface__, or __dlpack__ on a CUDA or ROCm device"
	for format in text concise; do
		suai validate --live -f $format -c "$code" a
		[ "$output" = "no findings in 1 target
no trial of --live applies to 1 target: $live" ]
		suai validate --calls --live -f $format -c "$code" a d
		[[ "$output" == *"
no call of --calls applies to 1 of 2 targets: only __dlpack__, DLPack's C exchange API and buffers have calls
no trial of --live applies to 2 targets: $live" ]]
		suai validate --all -f $format -c "$code" a
		[[ "$output" != *applies* ]]
		suai validate --all -v -f $format -c "$code" a
		[[ "$output" == *"no trial of --live applies to 1 target: $live" ]]
	done
	for quiet in --no-summary -q '-f yaml'; do
		suai validate --live $quiet -c "$code" a
		[[ "$output" != *"no trial"* ]]
	done
	suai validate -c "$code" a
	[ "$output" = "no findings in 1 target" ]
}

@test "-v lists each call and each trial with its outcome" {
	suai validate --lifetime -v -c 'import testdata.calls.leakers as m' 'm.OneCapsule()'
	[[ "$output" == *$'\nm.OneCapsule(): trial rounds of dlpack: done\n'* ]]
	[[ "$output" == *"m.OneCapsule(): call __dlpack__(): returned PyCapsule"* ]]
	suai validate --lifetime -v -f concise -c 'import testdata.calls.leakers as m' 'm.OneCapsule()'
	[[ "$output" == *"m.OneCapsule(): note trial deleter of dlpack: "* ]]
	suai validate --lifetime --exit-zero -c 'import testdata.calls.leakers as m' 'm.OneCapsule()'
	[[ "$output" != *": trial "* ]]
	code='class Refuses:
    def __dlpack_device__(self): return (1, 0)
    def __dlpack__(self, **keywords): raise BufferError("not now")
r = Refuses()'
	suai validate -v -c "$code" r
	[[ "$output" == *"r: call __dlpack__("*"): refused BufferError: not now"* ]]
}

@test "freed memory is detected at any size, whichever allocator keeps it" {
	requires numpy
	cat > "$BATS_TEST_TMPDIR/m.py" << 'PY'
import array
import ctypes

import numpy as np


class Exports:
    def __init__(self, n, owner):
        self.n, self.owner = n, owner

    @property
    def __array_interface__(self):
        address, keeper = self.owner(self.n)
        return {"shape": (self.n,), "typestr": "<f8", "data": (address, False), "version": 3}


def of_numpy(n):
    made = np.full(n, 7.0)
    return made.ctypes.data, made


def of_array(n):
    made = array.array("d", [1.0] * n)
    return made.buffer_info()[0], made


def of_ctypes(n):
    made = (ctypes.c_double * n)(*[1.0] * n)
    return ctypes.addressof(made), made


kept = [np.full(n, 7.0) for n in range(1, 8)]


def of_module(n):
    return kept[n - 1].ctypes.data, None
PY
	cd "$BATS_TEST_TMPDIR"
	for owner in of_numpy of_array of_ctypes; do
		printf 'm.py:Exports(%s, '"$owner"')\n' 1 4 16 130
	done > targets
	suai validate --isolated --lifetime --select NAI701 -f json --targets-from targets
	[ "$(jq -c '[.targets[].findings | map(.rule)] | unique' <<< "$output")" = '[["NAI701"]]' ]
	suai validate --isolated --lifetime --select NAI701 'm.py:Exports(1, of_module)' 'm.py:Exports(4, of_module)'
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings in 2 targets"* ]]
}

@test "memory of NumPy scalars that is freed with the dictionary is known behaviour, that of a subclass is not" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > scalars.py <<-'END'
		import numpy as np
		scale, count = np.float32(2), np.int64(3)
		class Own(np.float64):
		    @property
		    def __array_interface__(self): return np.ones(1).__array_interface__
	END
	suai validate --isolated --lifetime --select NAI701 -f json scalars.py:scale scalars.py:count
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.targets[].findings[] | [.rule, .severity, .excused_by]]' <<< "$output")" = \
		'[["NAI701","note","numpy.*"],["NAI701","note","numpy.*"]]' ]
	suai validate --isolated --lifetime --select NAI701 -f json 'scalars.py:Own(1)'
	[ "$(jq -r '.targets[0].findings[].severity' <<< "$output")" = error ]
}

@test "memory that exceeds its mapping is one finding, not also one about its owner" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > long.py <<-'END'
		import numpy as np
		class Long:
		    def __init__(self): self.array = np.arange(12.0)
		    @property
		    def __array_interface__(self): return {**self.array.__array_interface__, "shape": (1200000,)}
		long = Long()
	END
	suai validate --isolated --lifetime -f json long.py:long
	[ "$(jq -c '[.targets[0].findings[].rule]' <<< "$output")" = '["NAI302"]' ]
}

# bats test_tags=judge
@test "a timer of the program that ends a trial is not a defect of the object" {
	for signal in SIGALRM SIGVTALRM SIGPROF; do
		sed "s/SIGABRT/$signal/" testdata/rules/NAI702/bad.yaml > "$BATS_TEST_TMPDIR/timed.yaml"
		suai validate --isolated --lifetime --select NAI702 -f json "$BATS_TEST_TMPDIR/timed.yaml"
		[ "$status" -eq 0 ]
		[ "$(jq -r '.targets[0] | .findings[].rule, .skipped[].reason' <<< "$output")" = \
			"a timer of the program ended the process of the trial 'rounds': killed by $signal" ]
	done
	# Another trial that crashed is one.
	{ cat "$BATS_TEST_TMPDIR/timed.yaml"; grep -- '- {trial:' testdata/rules/NAI702/bad.yaml | sed 's/trial: rounds/trial: outlive/'; } > "$BATS_TEST_TMPDIR/both.yaml"
	suai validate --isolated --lifetime --select NAI702 -f json "$BATS_TEST_TMPDIR/both.yaml"
	[ "$(jq -r '.targets[0].findings[].message' <<< "$output")" = "read 59 crashed the process: killed by SIGABRT (trial 'outlive')" ]
	sed 's/outcome: done, error: null/outcome: crashed, error: {type: null, message: killed by SIGPROF, traceback: null}/; s/rounds: 512.*/}}/' \
		testdata/rules/BUF702/bad.yaml > "$BATS_TEST_TMPDIR/buffer.yaml"
	suai validate --isolated --lifetime --select BUF702 -f json "$BATS_TEST_TMPDIR/buffer.yaml"
	[ "$status" -eq 0 ]
	[ "$(jq -r '.targets[0] | .findings[].rule, .skipped[].reason' <<< "$output")" = "the trial 'rounds' crashed the process: killed by SIGPROF" ]
}
