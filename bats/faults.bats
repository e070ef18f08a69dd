#!/usr/bin/env bats
# Calls that fail, limits and signals: how suai ends. A drawn part of make test-faults.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	"${CC:-gcc}" -D_GNU_SOURCE -fPIC -shared -o faults.so "$ROOT/testdata/fakes/fake_faults.c" -ldl
	"${CC:-gcc}" -fPIC -shared -o malloc.so "$ROOT/testdata/fakes/fake_malloc.c"
}

# Sanitizers reserve address space, read /proc, and must be loaded before a preloaded library.
requires_no_sanitizer() {
	! grep -qs -- '-fsanitize' "$ROOT/build/flags" || skip 'built with a sanitizer'
}

# faults ARGUMENT...: the tables of system calls and allocations; fails, with each run that ended wrongly, if there are any.
faults() {
	requires_no_sanitizer
	run "$TEST_PYTHON" -B "$ROOT/testdata/tools/faults.py" "$SUAI" "$TEST_PYTHON" faults.so malloc.so "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

# conditions ARGUMENT...: the same for limits and signals.
conditions() {
	run "$TEST_PYTHON" -B "$ROOT/testdata/tools/conditions.py" "$SUAI" "$TEST_PYTHON" "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a call that fails while a worker starts leaves no process, and is reported" {
	requires numpy
	faults --commands inspect --components suai --calls read,write,fork,pipe2,memfd_create --most 2
	[[ "$output" == *'fork`, suai | 2 | 0 | 2 | 0 |'* ]]
	[[ "$output" == *'| `write`, suai | '* ]]
}

@test "a call that fails in a worker, in suai-devices or in a traced program is reported" {
	requires numpy
	faults --commands convert,trace,devices --components worker,libsuai_trace.so,suai-devices \
		--calls mmap,open,pwrite,dlopen --most 1
	for row in 'mmap`, worker' 'open`, worker' 'mmap`, libsuai_trace.so' 'dlopen`, suai-devices'; do
		[[ "$output" == *"| \`$row | "* ]]
	done
}

@test "a file that cannot be read or written is reported, and an interrupted call is repeated" {
	requires numpy
	faults --commands convert,init --components suai --calls pread,pwrite,rename,linkat,open --most 3
	[[ "$output" == *'| `pread`, suai | '* ]]
}

@test "an allocation that fails is reported, in commands without and with Python" {
	requires numpy
	faults --calls none --commands 'validate a dump as junit,init,convert' --most 6 --allocations 6
	[[ "$output" == *'| `validate` | 6 | '* ]]
	[[ "$output" == *'| `convert` | '* ]]
}

@test "a baseline names the same targets if the working directory is not known once" {
	requires_no_sanitizer
	printf 'class A:\n    __array_interface__ = {}\na = A()\n' > script.py
	"$SUAI" validate script.py --baseline kept.yaml --update-baseline
	for n in 1 2 3; do
		LD_PRELOAD="$PWD/faults.so" FAULT_PROGRAM=suai FAULT_CALL=getcwd FAULT_N=$n FAULT_ERRNO=2 FAULT_MARK=failed$n \
			"$SUAI" validate script.py --baseline again.yaml --update-baseline
		diff kept.yaml again.yaml
	done
	[ -e failed2 ]
}

@test "limits, closed descriptors and pipes, and signals end a command or its worker as documented" {
	requires_no_sanitizer
	requires numpy
	conditions --seed 1 --most 1 --kills 8 --rows 'file size,disk,pipe,head,closed,descriptors,memory,processes,proc,stopped,steps,killed'
	[[ "$output" == *'| the worker killed at a step (SIGKILL) | '* ]]
}

@test "killed by SIGKILL between linking and renaming its output file, suai leaves the complete file only" {
	requires_no_sanitizer
	cat > kill.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <signal.h>
		#include <stdio.h>
		#include <unistd.h>
		static pid_t program;
		__attribute__((constructor)) static void start(void) { program = getpid(); }
		int rename(const char *from, const char *to)
		{
			int (*next)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
			kill(program, SIGKILL);
			usleep(100000);
			return next(from, to);
		}
	END
	gcc -shared -fPIC -o kill.so kill.c -ldl
	mkdir written
	printf 'a = memoryview(bytes(8))\n' > m.py
	: > written/out
	LD_PRELOAD="$PWD/kill.so" suai inspect -f json -o written/out m.py:a
	[ "$status" -eq 137 ]
	within_a_minute eval '[ "$(ls written)" = out ] && [ -s written/out ]'
	jq -e '.targets | length == 1' written/out
}

@test "a changed result without a reason is wrong, even if its lines contain words such as failed or null" {
	cd "$ROOT/testdata/tools"
	"$TEST_PYTHON" -B - <<-'END'
		from fault_runs import Outcome, complaint_of
		def outcome(out, err=""):
		    return Outcome(0, out.encode(), {}, err, [])
		healthy = outcome('1 passed, 0 failed\n"device": "cpu"\nb: skipped: none left\n')
		for changed in ('0 passed, 1 failed\n"device": "cpu"\nb: skipped: none left\n', '1 passed, 0 failed\n"device": null\nb: skipped: none left\n',
		                '1 passed, 0 failed\n"device": "cpu"\nb: skipped: 1 left\n', '1 passed, 0 failed\n'):
		    assert complaint_of(outcome(changed), healthy), changed
		assert not complaint_of(outcome(changed, "a: cannot open"), healthy)
		assert not complaint_of(outcome('1 passed, 0 failed\n"device": "cpu"\nb: skipped: none left\nc: skipped: killed\n'), healthy)
	END
}

@test "times of any number of digits are masked equally" {
	cd "$ROOT/testdata/tools"
	"$TEST_PYTHON" -B - <<-'END'
		from fault_runs import mask
		for form in ('"longest_hold_seconds": %s,', 'longest_hold_seconds: %s', 'took %s s'):
		    texts = {mask((form % time).encode()) for time in ("0.00012", "0.000123", "1.5", "123456.7")}
		    assert len(texts) == 1, texts
	END
}

@test "a .npy file that cannot be read is not reported as empty" {
	requires_no_sanitizer
	requires numpy
	"$TEST_PYTHON" -c 'import numpy; numpy.save("a.npy", numpy.arange(3))'
	LD_PRELOAD="$PWD/faults.so" FAULT_PROGRAM=suai FAULT_CALL=pread FAULT_N=1 FAULT_ERRNO=5 run "$SUAI" inspect a.npy
	echo "$output"
	[[ "$output" == *'the file cannot be read: Input/output error'* ]]
}

# descriptors CLOSED COMMAND...: runs the command without the standard descriptors of the bits; sets status.
descriptors() {
	local closed=$1 redirections='3>&-'
	shift
	rm -f out err
	redirections+=$([ $((closed & 1)) -ne 0 ] && echo ' <&-' || echo ' < /dev/null')
	redirections+=$([ $((closed & 2)) -ne 0 ] && echo ' >&-' || echo ' > out')
	redirections+=$([ $((closed & 4)) -ne 0 ] && echo ' 2>&-' || echo ' 2> err')
	status=0
	bash -c "exec timeout 60 \"\$@\" $redirections" - "$@" || status=$?
}

@test "without some of the standard descriptors, documents are complete and go nowhere else" {
	echo 'a = memoryview(bytes(8))' > m.py
	mkdir before && mv ./*.so before
	local closed command expected
	local commands=("inspect --stats m.py:a" "validate --exit-zero m.py" "convert m.py:a --to numpy -p buffer" "rule BUF101")
	for closed in 0 1 2 3 4 5 6 7; do
		expected=$((closed & 2 ? 2 : 0))
		for command in "${commands[@]}"; do
			# shellcheck disable=SC2086
			descriptors $closed "$SUAI" $command -f json
			echo "without $closed, $command: $status $(cat err 2> /dev/null)"
			[ "$status" -eq "$expected" ]
			[ "$expected" -ne 0 ] || jq -e . out > /dev/null
			[ ! -f err ] || [ "$(cat err)" = "$([ "$expected" -eq 0 ] || echo 'suai: cannot write to standard output: Bad file descriptor')" ]
		done
		descriptors $closed "$SUAI" inspect m.py:a -f json -o document.json
		echo "without $closed, -o: $status $(cat err 2> /dev/null)"
		[ "$status" -eq 0 ]
		jq -e '.targets | length == 1' document.json > /dev/null
		rm -f document.json out err
		[ "$(ls)" = "$(printf 'before\nm.py')" ]
	done
}

@test "a worker that is stopped times out and ends; suai that is stopped goes on later" {
	printf 'import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\na = 1\n' > import.py
	printf 'import os, signal\nclass A:\n    @property\n    def __array_interface__(self):\n        os.kill(os.getpid(), signal.SIGSTOP)\na = A()\n' \
		> property.py
	printf 'import os, signal, time\na = memoryview(bytes(8))\nos.kill(os.getppid(), signal.SIGSTOP)\n' > parent.py
	STOPPED_MARK=$BATS_TEST_TMPDIR run "$SUAI" inspect --timeout 1 import.py:a property.py:a
	[ "$status" -eq 3 ]
	[[ "$output" == *'import.py:a: hung at import: timed out after 1 s'* ]]
	[[ "$output" == *'property.py:a: hung at __array_interface__: timed out after 1 s'* ]]
	# grep fails on the processes of other users whether it finds one or not.
	[ -z "$(grep -lsz "^STOPPED_MARK=$BATS_TEST_TMPDIR\$" /proc/[0-9]*/environ)" ]
	"$SUAI" inspect parent.py:a > out 2> err < /dev/null 3>&- &
	within_a_minute grep -q ') T ' "/proc/$!/stat"
	kill -CONT $!
	wait $!
	grep -q 'memoryview' out
	[ ! -s err ]
}

@test "without /proc, what is read there is unknown, and what requires it is unavailable" {
	requires_no_sanitizer
	unshare -m true 2> /dev/null || skip 'unshare -m is not permitted'
	echo 'a = memoryview(bytes(8))' > m.py
	# without_proc ARGUMENT...: suai where /proc is empty.
	without_proc() {
		run --separate-stderr unshare -m sh -c 'mount -t tmpfs none /proc && exec timeout 60 "$@"' - "$SUAI" "$@"
		echo "$* : $status $output $stderr"
	}
	without_proc inspect m.py:a
	[ "$status" -eq 0 ]
	[[ "$output" == *'memory       unknown: cannot read /proc/self/maps'* ]]
	without_proc inspect m.py:a -f json -o out.json
	[ "$status" -eq 0 ]
	[ "$(jq '.targets | length' out.json)" -eq 1 ]
	without_proc validate --exit-zero m.py
	[ "$status" -eq 0 ]
	without_proc convert m.py:a -p buffer -o out.npy
	[ "$status" -eq 4 ]
	[[ "$output" == "m.py:a: unavailable at convert: buffer: cannot open '/proc/self/maps': No such file or directory"* ]]
	[ ! -e out.npy ]
	without_proc rule BUF101
	[ "$status" -eq 0 ]
	without_proc inspect -c 'import time; time.sleep(99)' a --timeout 1
	[ "$status" -eq 3 ]
	without_proc devices
	[ "$status" -eq 0 ]
	[[ "$output" == *'sycl: unavailable (not queried: /proc is not mounted)'* ]]
	without_proc trace -- "$TEST_PYTHON" -c 'print("ran")'
	[ "$status" -eq 0 ]
	[ "$output" = ran ]
	[[ "$stderr" == *"not traced: the program opens suai's shared memory through /proc, which is not mounted"* ]]
}

@test "with the /proc of another PID namespace, no file descriptors of other processes are used" {
	requires_no_sanitizer
	unshare -pf true 2> /dev/null || skip 'unshare -pf is not permitted'
	{ command -v strace && strace -o /dev/null true; } > /dev/null 2>&1 || skip 'strace is not installed, or cannot trace here'
	cd "$BATS_TEST_TMPDIR"
	printf 'import ctypes\na = bytearray(3)\nclass Crash:\n    @property\n    def __array_interface__(self): ctypes.string_at(0)\ncrash = Crash()\n' > a.py
	run --separate-stderr unshare -pf strace -f -o calls "$SUAI" convert a.py:a -p buffer -o out.npy
	echo "$status $output $stderr"
	[ "$status" -eq 0 ]
	[ "$(stat -c %s out.npy)" -eq 131 ]
	run grep -E '"/proc/[0-9]{1,2}/fd/' calls
	echo "$output"
	[ "$status" -eq 1 ]
	run -3 --separate-stderr unshare -pf "$SUAI" validate a.py:crash
	echo "$output $stderr"
	[[ "$output" == *'Fatal Python error: Segmentation fault'* ]]
	run --separate-stderr unshare -pf "$SUAI" trace -- "$TEST_PYTHON" -c 'print(memoryview(b"abc").nbytes)'
	echo "$output $stderr"
	[ "$output" = 3 ]
	[[ "$stderr" != *'not traced'* ]]
}

@test "a filter of system calls that forbids waiting for processes does not make suai wait forever" {
	cd "$BATS_TEST_TMPDIR"
	cat > without.py <<-'END'
		import ctypes, os, struct, sys
		wait4, refuse, allow = {"x86_64": 61, "aarch64": 260}[os.uname().machine], 0x50001, 0x7fff0000
		filters = [(0x20, 0, 0, 0), (0x15, 0, 1, wait4), (6, 0, 0, refuse), (6, 0, 0, allow)]
		code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in filters))
		class Program(ctypes.Structure):
		    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
		libc = ctypes.CDLL(None)
		libc.prctl(38, 1, 0, 0, 0)
		if libc.prctl(22, 2, ctypes.byref(Program(len(filters), ctypes.addressof(code)))):
		    sys.exit("no filters")
		os.execv(sys.argv[1], sys.argv[1:])
	END
	echo 'a = bytearray(3)' > a.py
	run timeout -s KILL 60 python3 without.py "$SUAI" inspect --query elements a.py:a
	echo "$status $output"
	[ "$output" != 'no filters' ] || skip 'seccomp is not available'
	[ "$status" -eq 0 ]
	[ "$output" = 3 ]
}

@test "where no process may be started, a command states it" {
	command -v setpriv > /dev/null || skip 'setpriv (util-linux) is not installed'
	# as_other LIMIT COMMAND...: as a user without other processes, from a directory that it can read.
	local other=$((60000 + $$ % 5000)) # not that of a test on the same machine
	as_other() {
		setpriv --reuid=$other --regid=$other --clear-groups bash -c 'cd / && ulimit -u "$1" && shift && exec "$@"' - "$@" 3>&-
	}
	as_other 8 "$SUAI" rule BUF101 > /dev/null || skip 'another user cannot run this suai'
	for limit in 0 1; do
		run --separate-stderr as_other $limit "$SUAI" inspect -c 'a = memoryview(bytes(8))' a
		echo "$limit: $status $output $stderr"
		[ "$status" -eq 4 ]
		[ "$stderr" = 'suai: cannot start a process: Resource temporarily unavailable; raise the limit on processes (ulimit -u, or that of the container)' ]
	done
	run --separate-stderr as_other 8 "$SUAI" inspect -c 'a = memoryview(bytes(8))' a
	[ "$status" -eq 0 ]
	# suai, a worker, and the process that starts it: -j4 runs one worker at a time.
	local readable
	readable=$(mktemp -d /tmp/suai-processes.XXXXXX)
	chmod 755 "$readable"
	for i in 1 2 3 4; do echo 'a = memoryview(bytes(8))' > "$readable/m$i.py"; done
	cd "$readable"
	run --separate-stderr setpriv --reuid=$other --regid=$other --clear-groups bash -c 'ulimit -u 3 && exec "$@"' - \
		"$SUAI" inspect -j4 -f json m1.py:a m2.py:a m3.py:a m4.py:a 3>&-
	rm -r "$readable"
	echo "$status $output $stderr"
	[ "$status" -eq 0 ]
	[ "$(jq '.targets | length' <<< "$output")" -eq 4 ]
}

@test "a program whose address space is limited is not traced, which the report states" {
	requires_no_sanitizer
	cd "$BATS_TEST_TMPDIR"
	printf '#include "trace/record.h"\n#include <stdio.h>\nint main(void) { printf("%%d", (int)(trace_segment_bytes(0) >> 10)); }\n' > segment.c
	gcc -I "$ROOT/src" -o segment segment.c
	run --separate-stderr bash -c "ulimit -v $(($(./segment) * 7 / 8)); exec '$SUAI' trace -- '$TEST_PYTHON' -c 'print(1)'"
	echo "$output $stderr"
	[ "$status" -eq 0 ]
	[[ "${stderr//$'\n'/ }" == *'not traced: the program could not map'*'(ulimit -v)?'* ]]
}

@test "suai why reports that the process which read the object was lost" {
	requires numpy
	SUAI_FAIL_STEP=__array_struct__ suai why -c 'import numpy; a = numpy.ones(3)' a numpy:from_dlpack
	[ "$status" -eq 0 ]
	[[ "$output" == *'object       crashed at __array_struct__: killed by SIGKILL'* ]]
}
