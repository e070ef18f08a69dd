#!/usr/bin/env bats
# Trials that share an import of their module: in forks of one process, or one after another in it.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	trials="$ROOT/testdata/trials/processes.py"
}

# verdicts NAME ARGUMENT...: the findings and the outcomes of trials, without addresses and amounts, in the file NAME.
verdicts() {
	local file="$BATS_TEST_TMPDIR/$1"
	shift
	run --separate-stderr "$SUAI" validate --exit-zero -f json "$@"
	echo "$stderr"
	jq -c '.targets[] | {target, status, findings: [.findings[] | [.rule, .severity, .protocol]],
		skipped: ([.skipped[] | [.rule, .reason]] | sort), trials: [.trials[] | [.trial, .protocol, .outcome, .step, .error.message, .error.traceback != null]]}' \
		<<< "$output" > "$file"
	[ -s "$file" ]
}

# equal ARGUMENT...: the verdicts are those of trials in separate processes with separate imports.
equal() {
	SUAI_TRIALS_ALONE=1 verdicts alone "$@"
	verdicts forked "$@"
	diff "$BATS_TEST_TMPDIR"/{alone,forked}
	SUAI_NO_FORK=1 verdicts shared "$@"
	diff "$BATS_TEST_TMPDIR"/{alone,shared}
}

# processes FILE: in how many processes each line of FILE was written, and how many of them the module was imported in.
processes() {
	sort -u "$1" | awk '{ n[$1]++ } END { print n["import"] + 0, n["use"] + 0 }'
}

# noting FILE [LINE...]: a script with five objects, which notes the processes that import and use it, after the lines.
noting() {
	local file=$1
	shift
	printf '%s\n' "$@" > "$file"
	cat >> "$file" <<-'END'
		import array, os
		def note(what):
		    with open("noted", "a") as file: file.write(f"{what} {os.getpid()}\n")
		class Array:
		    def __init__(self): self.data = array.array("d", [1.0] * 6)
		    @property
		    def __array_interface__(self):
		        note("use")
		        return {"version": 3, "shape": (6,), "typestr": "<f8", "data": (self.data.buffer_info()[0], False)}
		note("import")
		a, b, c, d, e = [Array() for _ in range(5)]
	END
}

@test "verdicts do not depend on the process of a trial: arrays of NumPy" {
	requires numpy
	cat > arrays.py <<-'END'
		import numpy as np
		a, b, c = np.arange(6.0), np.zeros((3, 4), "f4").T, np.zeros((0, 3))
		d, e, f = np.broadcast_to(np.arange(3.0), (4, 3)), np.zeros(2, [("x", "f4"), ("y", "i4")]), np.ones((50, 50)) @ np.ones((50, 50))
	END
	equal --all arrays.py arrays.py:'np.arange(3)' arrays.py:'a[::2]'
}

@test "verdicts do not depend on the process of a trial: objects of dpctl and dpnp" {
	requires sycl dpnp
	cat > usm.py <<-'END'
		import dpnp
		import dpctl.memory
		a, b, m = dpnp.arange(12), dpnp.ones((3, 4), dtype="f4").T, dpctl.memory.MemoryUSMShared(64)
	END
	equal --all --ignore DLP403 usm.py
}

@test "verdicts do not depend on the process of a trial: objects that crash, exit, leak or lose references" {
	cd "$ROOT/testdata/calls"
	equal --lifetime diers.py:{Native,FreesUsed,FreesContextOfUsed,FreesTwice,DeleterAborts,DLPackAborts,DLPackLeaves,DLPackLoses,NumpyAborts}'()'
	equal --lifetime diers.py:{NumpyLoses,StructAborts,CudaLeaves,SyclAborts,SyclLoses}'()' \
		leakers.py:{NoDestructor,DeletesUsed,KeepsOwner,NeedsTheGil,OneCapsule,FreesWithObject,Leaks,TemporaryMemory,Image,Moves}'()'
}

@test "verdicts do not depend on the process of a trial: objects that notice which process they are in" {
	equal --lifetime --timeout 3 -p numpy "$trials" "$trials":{RaisesInAFork,LeavesInAFork,LosesInAFork,HangsInAFork,CannotBeMadeInAFork}'()'
	[ "$(grep -c '"findings":\[\]' forked)" -eq 6 ]
}

@test "verdicts do not depend on the process of a trial: objects that change it or end it" {
	equal --lifetime --timeout 3 -p numpy "$trials" \
		"$trials":{Changes,Changed,DiesOfManyUses,LosesAfterManyUses,Loses,Crashes,Leaves,KillsItsGroup,Hangs,Healthy}'()'
	[ "$(grep -c '"findings":\[\]' forked)" -eq 5 ]
	jq -se 'map(select(.target | endswith("Hangs()")) | .trials[0][2]) == ["hung"]' forked
}

@test "trials that together exceed the time limit of their target run one by one, within the limit" {
	noting slow.py 'import time'
	sed -i '/note("use")/s/.*/        if not self.data[0] == 2: time.sleep(0.9)\n        self.data[0] = 2/; s/^a, b.*/a = Array()/' slow.py
	sed -i 's/^\( *\)@property/&\n\1def __cuda_array_interface__(self): return self.__array_interface__\n\1@property/' slow.py
	suai validate --lifetime --timeout 2 --exit-zero -f json slow.py
	jq -e '.targets[0].trials | map(.error.message) | index("the time limit of the target was reached")' <<< "$output"
}

@test "all trials of a slow object stay within its time limit" {
	local name alone
	cat > slow.py <<-'END'
		import sys, time
		sys.path.insert(0, "testdata/calls")
		import leakers
		def slowly():
		    open("noted", "a").write("x")
		    time.sleep(0.25)
		class Numpy:
		    @property
		    def __array_interface__(self):
		        slowly()
		        return {"shape": (0,), "typestr": "<f8", "data": (0, False), "version": 3}
		class DLPack(leakers.Spy):
		    def __dlpack__(self, **rest):
		        slowly()
		        return super().__dlpack__(**rest)
		n, d = Numpy(), DLPack()
	END
	ln -sf "$ROOT/testdata" .
	for name in n d; do
		for alone in '' 1; do
			rm -f noted
			SUAI_TRIALS_ALONE=$alone suai validate --lifetime --timeout 3 --exit-zero -f json slow.py:$name
			[ "$status" -eq 0 ]
			jq -e '.targets[0].trials | length > 0' <<< "$output"
			# At most twice the limit, as for a step that begins late.
			[ "$(wc -c < noted)" -le $((2 * 3 * 4)) ]
		done
	done
}

@test "a module is imported twice for all its objects: to capture them, and for all their trials" {
	noting five.py
	suai validate --lifetime --select NAI7 five.py
	[ "$status" -eq 0 ]
	# One process captures; each of two trials of five objects has its own.
	[ "$(processes noted)" = "2 11" ]
	rm noted
	SUAI_NO_FORK=1 suai validate --lifetime --select NAI7 five.py
	[ "$(processes noted)" = "2 2" ]
	rm noted
	SUAI_TRIALS_ALONE=1 suai validate --lifetime --select NAI7 five.py
	[ "$(processes noted)" = "11 11" ]
	rm noted
	suai validate --lifetime --select NAI7 --wrap env five.py # a debugger does not follow forks
	[ "$(processes noted)" = "11 11" ]
}

@test "a process with threads, files, children, timers, shared memory or a device runtime is not forked" {
	local line
	while read -r line; do
		echo "$line"
		rm -f noted
		noting one.py "$line"
		suai validate --lifetime --select NAI7 one.py
		[ "$status" -eq 0 ]
		[ "$(processes noted)" = "2 2" ]
	done <<-'END'
		import threading, time; threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
		file = open("one.py")
		import socket; ends = socket.socketpair()
		import subprocess; child = subprocess.Popen(["sleep", "1000"])
		import signal; signal.setitimer(signal.ITIMER_REAL, 1000)
		import mmap; shared = mmap.mmap(-1, 4096)
	END
	requires sycl
	rm -f noted
	noting one.py 'import dpctl'
	suai validate --lifetime --select NAI7 one.py
	[ "$(processes noted)" = "2 2" ]
}

@test "a module whose code registers handlers of forks is not forked, but one that imports libraries which do is" {
	requires numpy
	cat > handlers.py <<-'END'
		import logging, os, random, threading
		import numpy
		numpy.random.default_rng()
		pid = os.getpid()
		class Traced(numpy.ndarray):
		    def __dlpack__(self, **words):
		        open("forked" if os.getpid() != pid else "same", "w").close()
		        return numpy.asarray(self).__dlpack__(**words)
		a, b = (numpy.ones(n).view(Traced) for n in (2, 3))
	END
	suai validate --lifetime -q handlers.py
	[ -e forked ]
	for register in 'os.register_at_fork' 'getattr(os, "register_at_fork")'; do
		rm -f forked same
		{ cat handlers.py; echo "$register(after_in_child=lambda: None)"; } > own.py
		suai validate --lifetime -q own.py
		[ "$status" -eq 0 ]
		[ -e same ]
		[ ! -e forked ]
	done
	equal --lifetime own.py
}

@test "threads that a library ends before a fork do not prevent it" {
	requires numpy
	noting blas.py 'import numpy; m = numpy.ones((200, 200)); m @ m'
	suai validate --lifetime --select NAI7 blas.py:{a,b,c,d,e}
	[ "$(processes noted)" = "2 11" ]
}

@test "equal doubts about objects of one type are repeated once" {
	printf 'import os, sys\nsys.path.insert(0, "%s")\nopen("noted", "a").write(f"import {os.getpid()}\\n")\nfrom leakers import Leaks\na, b, c, d = [Leaks() for _ in range(4)]\n' \
		"$ROOT/testdata/calls" > leaks.py
	suai validate --lifetime -f json --select DLP710 leaks.py
	[ "$(jq -c '[.targets[].findings[].rule]' <<< "$output")" = '["DLP710","DLP710","DLP710","DLP710"]' ]
	# The leak and, after it, a crash at the interpreter's end are each repeated once.
	[ "$(processes noted)" = "4 0" ]
}

@test "exports that work once are repeated with those of other objects, not one by one" {
	requires numpy
	cat > single.py <<-'END'
		import os
		import numpy
		open("noted", "a").write(f"import {os.getpid()}\n")
		class Once:
		    def __init__(self): self.array, self.is_used = numpy.ones(3), False
		    def __dlpack_device__(self): return 1, 0
		    def __dlpack__(self, **words):
		        if self.is_used: raise ValueError("the capsule was used")
		        self.is_used = True
		        return self.array.__dlpack__(**words)
		a, b, c, d, e = [Once() for _ in range(5)]
	END
	equal --lifetime single.py
	rm noted
	SUAI_NO_FORK=1 suai validate --lifetime -f json single.py
	[ "$(jq -c '[.targets[].trials[] | select(.trial == "thread" or .trial == "exit").outcome] | unique' <<< "$output")" = '["done"]' ]
	[ "$(jq -c '[.targets[].findings[].rule]' <<< "$output")" = '["DLP008","DLP008","DLP008","DLP008","DLP008"]' ]
	# To capture, for the trials, again after their exceptions, for one trial of each of three kinds, and for two kinds of the other objects.
	[ "$(processes noted)" = "8 0" ]
}

@test "a crash in a driver ends neither the other trials nor their process" {
	cat > odd.py <<-END
		import ctypes, os, sys
		sys.path.insert(0, "$ROOT/testdata/calls")
		import spy
		open("noted", "a").write(f"import {os.getpid()}\n")
		class Crashes(spy.Spy):
		    def check_stream(self, stream, dl_device):
		        if isinstance(stream, int) and stream < -1: self.crash()
		        super().check_stream(stream, dl_device)
		    def crash(self): ctypes.string_at(8)
		class CrashesWithoutTheGil(Crashes):
		    def crash(self): ctypes.CDLL(None).strlen(8)
		class Aborts(Crashes):
		    def crash(self): os.abort()
		class Leaves(Crashes):
		    def crash(self): os._exit(3)
		a, b, c = [Crashes(spy.CUDA) for _ in range(3)]
		d, e, f = [CrashesWithoutTheGil(spy.ROCM) for _ in range(3)]
		g, h, i = [Aborts(spy.CUDA) for _ in range(3)]
		j, k = Leaves(spy.CUDA), spy.Spy(spy.CUDA)
	END
	equal --live odd.py
	SUAI_TRIALS_ALONE=1 suai validate --exit-zero --live -f json odd.py
	stacks() { jq -c '[.targets[].trials[] | select(.trial == "odd-stream") | .error | [.message, (.traceback // "" | split("\n") | map(select(contains("<suai>") | not)))]]'; }
	stacks <<< "$output" > alone
	[ "$(grep -o 'killed by SIG' alone | wc -l)" -eq 9 ]
	rm noted
	SUAI_NO_FORK=1 suai validate --exit-zero --live -f json odd.py
	diff alone <(stacks <<< "$output")
	# To capture, for the trials, for those of drivers, again after os._exit(), and for one of each of four types in its own process.
	[ "$(processes noted)" = "8 0" ]
}

@test "with -j trials of several targets run in parallel, with the same result" {
	noting five.py 'import time; time.sleep(1)'
	verdicts one --lifetime -p numpy five.py
	[ "$(processes noted)" = "2 11" ]
	rm noted
	verdicts two --lifetime -p numpy -j 2 five.py
	[ "$(processes noted)" = "3 11" ]
	diff one two
	verdicts one --lifetime -p numpy "$trials":{Healthy,Loses,Crashes}'()' five.py
	verdicts three --lifetime -p numpy -j 3 "$trials":{Healthy,Loses,Crashes}'()' five.py
	diff one three
}

@test "trials leave no processes behind" {
	local seconds=9$BASHPID # no other test on this machine sleeps for as long
	printf 'import os, subprocess, array\nchild = None\nclass Array:\n    data = array.array("d", [1.0])\n    @property\n    def __array_interface__(self):\n        global child\n        child = child or subprocess.Popen(["sleep", "%s"])\n        return {"version": 3, "shape": (1,), "typestr": "<f8", "data": (self.data.buffer_info()[0], False)}\na, b = Array(), Array()\n' "$seconds" > starts.py
	suai validate --lifetime -p numpy starts.py
	[ "$status" -eq 0 ]
	run ! pgrep -f "sleep $seconds"
}

@test "the progress names the target and the trial, and counts down the time left" {
	requires script
	noting slow.py 'import time'
	sed -i 's/note("use")/time.sleep(0.002)/' slow.py
	run on_terminal xterm "'$SUAI' validate --lifetime -p numpy slow.py"
	cat -v <<< "$output"
	[[ "$output" =~ \ [0-9]+\ of\ 10\ trials,\ [0-9]+\ s\ left\ \ slow.py:[a-e]:\ (rounds|owner)\ of\ numpy ]]
}
