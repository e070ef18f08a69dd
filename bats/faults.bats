#!/usr/bin/env bats
# System calls that fail: how suai ends. make test-faults lets each call of each command fail in turn.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	"${CC:-gcc}" -D_GNU_SOURCE -fPIC -shared -o faults.so "$ROOT/testdata/fakes/fake_faults.c" -ldl
}

# faults ARGUMENT...: the table; fails, with each run that ended wrongly, if there are any.
faults() {
	run "$TEST_PYTHON" "$ROOT/testdata/tools/faults.py" "$SUAI" "$TEST_PYTHON" faults.so "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a call that fails while a worker starts leaves no process, and is reported" {
	requires numpy
	faults --commands inspect --calls read,write,fork,pipe2,memfd_create --most 2
	[[ "$output" == *'fork` | 2 | 0 | 2 | 0 |'* ]]
	[[ "$output" == *'| `write` | '* ]]
}

@test "a file that cannot be read or written is reported, and an interrupted call is repeated" {
	requires numpy
	faults --commands convert,init --calls pread,pwrite,rename,linkat,open --most 3
	[[ "$output" == *'| `pread` | '* ]]
}

@test "a .npy file that cannot be read is not reported as empty" {
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
	mkdir before && mv faults.so before
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

@test "with few descriptors or little memory, a command works or is an error" {
	! grep -q -- '-fsanitize' "$ROOT/build/flags" || skip 'built with a sanitizer, which reserves address space'
	echo 'a = memoryview(bytes(8))' > m.py
	local limit n_errors=0 n_good=0
	for limit in '-n 4' '-n 5' '-n 6' '-n 8' '-n 12' '-v 5000' '-v 10000' '-v 20000' '-v 30000' '-v 50000' '-v 80000' '-v 200000'; do
		run --separate-stderr bash -c "exec 3>&-; ulimit $limit; exec timeout 60 '$SUAI' inspect m.py:a"
		echo "$limit: $status $output $stderr"
		if [ "$status" -eq 0 ]; then
			n_good=$((n_good + 1))
			[[ "$output" == *'m.py:a'* ]]
			continue
		fi
		n_errors=$((n_errors + 1))
		[[ "$status" -eq 3 || "$status" -eq 4 || "$status" -eq 70 || "$status" -eq 127 ]]
		[ -n "$output$stderr" ]
	done
	[ "$n_errors" -gt 2 ]
	[ "$n_good" -gt 2 ]
}

# KILLS of make test-faults is 200.
@test "suai killed at any moment leaves no process and no partial file" {
	local kills=${KILLS:-12} seed=${SEED:-$RANDOM} i n_complete=0 n_killed=0 command left
	echo "seed $seed"
	RANDOM=$seed
	mkdir work tmp cache
	cd work || return
	printf 'import json, decimal\na = memoryview(bytearray(1 << 20))\n' > m.py
	export TMPDIR="$BATS_TEST_TMPDIR/tmp" XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	local commands=("inspect m.py:a -f json -o out.json" "validate --exit-zero m.py -f json -o out.json" "convert m.py:a -p buffer -o out.npy"
		"inspect --checksum m.py:a -j2 -f json -o out.json")
	for ((i = 0; i < kills; i++)); do
		command=${commands[RANDOM % ${#commands[@]}]}
		# shellcheck disable=SC2086
		KILLED_MARK=$BATS_TEST_TMPDIR "$SUAI" $command < /dev/null > /dev/null 2>&1 3>&- &
		sleep "0.$(printf %03d $((RANDOM % 60)))"
		kill -KILL $! 2> /dev/null && n_killed=$((n_killed + 1))
		wait $! 2> /dev/null || true
		# A file is complete, or it does not exist.
		if [ -f out.json ]; then
			jq -e '.targets | length == 1' out.json > /dev/null
			n_complete=$((n_complete + 1))
		elif [ -f out.npy ]; then
			[ "$(stat -c %s out.npy)" -eq $((128 + (1 << 20))) ]
			n_complete=$((n_complete + 1))
		fi
		rm -f out.json out.npy
		rm -rf __pycache__
		[ "$(ls -A)" = m.py ]
		[ -z "$(ls -A "$TMPDIR")" ]
	done
	echo "$n_killed killed, $n_complete complete"
	[ "$n_killed" -gt 0 ]
	# A worker ends with its parent.
	for ((i = 0; i < 50; i++)); do
		grep -lsz "^KILLED_MARK=$BATS_TEST_TMPDIR\$" /proc/[0-9]*/environ > ../left || break
		sleep 0.1
	done
	while read -r left; do tr '\0' ' ' < "${left%environ}cmdline" || true; done < ../left
	[ ! -s ../left ]
}

@test "a worker that is stopped times out; suai that is stopped goes on later" {
	printf 'import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\na = 1\n' > import.py
	printf 'import os, signal\nclass A:\n    @property\n    def __array_interface__(self):\n        os.kill(os.getpid(), signal.SIGSTOP)\na = A()\n' \
		> property.py
	printf 'import os, signal, time\na = memoryview(bytes(8))\nos.kill(os.getppid(), signal.SIGSTOP)\n' > parent.py
	run "$SUAI" inspect --timeout 1 import.py:a property.py:a
	[ "$status" -eq 3 ]
	[[ "$output" == *'import.py:a: hung at import: timed out after 1 s'* ]]
	[[ "$output" == *'property.py:a: hung at __array_interface__: timed out after 1 s'* ]]
	"$SUAI" inspect parent.py:a > out 2> err < /dev/null 3>&- &
	for ((i = 0; i < 50; i++)); do
		[ "$(sed 's/.*) //; s/ .*//' "/proc/$!/stat")" != T ] || break
		sleep 0.1
	done
	[ "$i" -lt 50 ]
	kill -CONT $!
	wait $!
	grep -q 'memoryview' out
	[ ! -s err ]
}

@test "without /proc, what is read there is unknown, and what requires it is unavailable" {
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
}

@test "where no process may be started, a command states it" {
	command -v setpriv > /dev/null || skip 'setpriv (util-linux) is not installed'
	# as_other LIMIT COMMAND...: as a user without other processes, from a directory that it can read.
	as_other() {
		setpriv --reuid=65531 --regid=65531 --clear-groups bash -c 'cd / && ulimit -u "$1" && shift && exec "$@"' - "$@" 3>&-
	}
	as_other 8 "$SUAI" rule BUF101 > /dev/null || skip 'another user cannot run this suai'
	for limit in 0 1; do
		run --separate-stderr as_other $limit "$SUAI" inspect -c 'a = memoryview(bytes(8))' a
		echo "$limit: $status $output $stderr"
		[ "$status" -eq 4 ]
		[ "$stderr" = 'suai: cannot fork: Resource temporarily unavailable' ]
	done
	run --separate-stderr as_other 8 "$SUAI" inspect -c 'a = memoryview(bytes(8))' a
	[ "$status" -eq 0 ]
}
