#!/usr/bin/env bats
# The corpus of testdata/hostile (except sycl_*, which bats/sycl.bats runs): the expected result of each file,
# whichever way the worker is hosted, and no leftovers. Signals to suai itself, and the
# fallbacks for kernel features.

load helpers
load interpreters

setup_file() {
	BATS_FILE_TMPDIR="$BATS_FILE_TMPDIR" shared_interpreter > "$BATS_FILE_TMPDIR/shared-interpreter"
}

setup() {
	SHARED=$(cat "$BATS_FILE_TMPDIR/shared-interpreter")
	export SUAI_PYTHON="$SHARED" SUAI_HOSTILE="$BATS_TEST_TMPDIR" TMPDIR="$BATS_TEST_TMPDIR/tmp"
	export PYTHONDONTWRITEBYTECODE=1
	cp -r "$ROOT/testdata/hostile" "$BATS_TEST_TMPDIR/work"
	mkdir "$TMPDIR"
	cd "$BATS_TEST_TMPDIR/work"
	ulimit -c unlimited || true
}

# Processes that suai started, here or in their own session.
processes_left() {
	local environment
	for environment in $(grep -lsz "^SUAI_HOSTILE=$SUAI_HOSTILE\$" /proc/[0-9]*/environ); do
		tr '\0' ' ' 2> /dev/null < "${environment%environ}cmdline" | grep -E '^[^ ]*(suai|python|sleep)' || true
	done
}

files_left() {
	find "$TMPDIR" -mindepth 1
	find . -newer "$BATS_TEST_TMPDIR/start" -type f
	# Not that of other tests, which run at the same time.
	local run=${SUAI_HOSTILE##*bats-run-}
	find /dev/shm -name "psm_*_${run//\//_}"
}

nothing_left() {
	local left
	left="$(processes_left)$(files_left)"
	echo "left: '$left'"
	[ -z "$left" ]
}

# "crashed import" for the n-th target of the document in output.
outcome() {
	jq -r ".targets[$1] | \"\(.status) \(.step // \"-\")\"" <<< "$output"
}

check_row() { # HOST PYTHON TARGET EXIT STATUS STEP
	local limit limits=60
	[[ $3:$5 != *hangs*:* && $5 != hung ]] || limits='1 10' # others have a minute, which suffices on a busy machine
	for limit in $limits; do
		touch "$BATS_TEST_TMPDIR/start"
		suai inspect -f json --timeout "$limit" --host "$1" --python "$2" "$3" "${3%%:*}:good" healthy.py:good \
			< /dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
		[[ "$stderr" == *"did not start within 1 s"* ]] || break
	done
	[ "$status" -eq "$4" ] || return 1
	[ "$(outcome 0)" = "$5 $6" ] || return 1
	if [ "$6" = import ]; then
		[ "$(outcome 1)" = "$5 import" ] || return 1
	else
		[ "$(outcome 1)" = "ok -" ] || return 1
	fi
	[ "$(outcome 2)" = "ok -" ] || return 1
	nothing_left
}

check_corpus() { # HOST PYTHON
	local target code word step n=0 failed=0
	while read -r target code word step; do
		n=$((n + 1))
		if ! check_row "$1" "$2" "$target" "$code" "$word" "$step" > "$BATS_TEST_TMPDIR/row" 2>&1; then
			failed=$((failed + 1))
			echo "== $target must give: $code $word $step"
			cat "$BATS_TEST_TMPDIR/row"
		fi
	done < <(grep -v '^#' expected)
	echo "$n rows, $failed failed"
	[ "$n" -ge 30 ]
	[ "$failed" -eq 0 ]
}

@test "the corpus is complete: every file has a row, every row a file" {
	diff <(sed -n 's/^\([a-z_]*\.py\):.*/\1/p' expected | sort) <(ls ./*.py | sed 's#./##' | grep -Ev '^(healthy|sycl_.*)\.py' | sort)
}

@test "every hostile file gives the expected result, embedded" {
	check_corpus embed "$SHARED"
}

@test "every hostile file gives the expected result, executed" {
	static=$(static_interpreter)
	check_corpus exec "${static:-$SHARED}"
}

@test "without /proc descriptors, pidfds and a subreaper the results are the same" {
	touch "$BATS_TEST_TMPDIR/start"
	for host in embed exec; do
		for setting in SUAI_NO_PROC_FD=1 SUAI_NO_PIDFD=1 'SUAI_NO_PROC_FD=1 SUAI_NO_PIDFD=1' SUAI_NO_SUBREAPER=1; do
			for row in 'property_segfaults.py:bad 3 crashed __array_interface__' 'import_hangs.py:bad 3 hung import' \
				'closes_all_descriptors.py:bad 0 ok -' 'leaves_child.py:bad 0 ok -'; do
				# shellcheck disable=SC2086 # words
				export $setting
				# shellcheck disable=SC2086
				check_row "$host" "$SHARED" $row
				unset SUAI_NO_PROC_FD SUAI_NO_PIDFD SUAI_NO_SUBREAPER
			done
		done
	done
}

@test "a hang and a crash show the Python line" {
	for host in embed exec; do
		suai inspect --timeout 1 --host "$host" property_hangs.py:bad
		[[ "$output" == *'property_hangs.py", line '*' in __array_interface__'* ]]
		suai inspect --host "$host" property_segfaults.py:bad
		[[ "$output" == *'property_segfaults.py", line '*' in __array_interface__'* ]]
	done
}

@test "timers that an object sets end with its target, those of the module do not" {
	cat > timers.py <<-'END'
		import ctypes, signal, time

		c = ctypes.CDLL(None)
		def create(clock):
		    """A timer of timer_create()."""
		    timer = ctypes.c_void_p()
		    c.timer_create(clock, None, ctypes.byref(timer))
		    c.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 0, 0, 500_000_000), None)

		class Timed:
		    def __init__(self, *timers):
		        self.timers = timers
		    @property
		    def __array_interface__(self):
		        for timer in self.timers:
		            create(time.CLOCK_MONOTONIC) if timer is create else signal.setitimer(timer, 0.5 if timer == signal.ITIMER_REAL else 0.05)
		        end = time.process_time() + 0.1
		        while not self.timers and time.process_time() < end:
		            pass
		        time.sleep(0 if self.timers else 0.6)
		        return {'version': 3, 'shape': (0,), 'typestr': '<f4', 'data': (0, False)}

		for name in 'SIGALRM', 'SIGVTALRM', 'SIGPROF':
		    signal.signal(getattr(signal, name), signal.SIG_DFL)
		real, virtual, profiling = map(Timed, (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF))
		created = Timed(create)
		patient = Timed()
	END
	suai inspect -f json timers.py:real timers.py:patient timers.py:virtual timers.py:patient timers.py:profiling timers.py:patient timers.py:created timers.py:patient
	[ "$status" -eq 0 ]
	[ "$(jq -r '.targets[].status' <<< "$output" | uniq -c | tr -s ' ')" = " 8 ok" ]
	for own in 'signal.setitimer(signal.ITIMER_PROF, 0.05)' 'create(time.CLOCK_MONOTONIC)'; do
		{ cat timers.py; echo "$own"; } > own.py
		suai inspect -f json own.py:patient
		[ "$status" -eq 3 ]
		[ "$(outcome 0)" = 'crashed __array_interface__' ]
	done
}

@test "a crash that another target may have caused is repeated without it, and is said not to occur again" {
	cat > threads.py <<-'END'
		import os, threading, time

		class Threaded:
		    def __init__(self, call=None):
		        self.call = call
		    @property
		    def __array_interface__(self):
		        if self.call:
		            threading.Timer(0.1, self.call).start()
		        else:
		            time.sleep(0.3)
		        return {'version': 3, 'shape': (0,), 'typestr': '<f4', 'data': (0, False)}

		guilty, innocent = Threaded(os.abort), Threaded()
	END
	suai inspect -f json threads.py
	[ "$status" -eq 3 ]
	[ "$(outcome 0)" = 'ok -' ]
	[ "$(outcome 1)" = 'crashed __array_interface__' ]
	jq -e '.targets[1] | .error.message == "killed by SIGABRT; not again without the targets before it"
		and .interfaces[0].array.shape == [0]' <<< "$output"
}

@test "output of the script goes to standard error" {
	for host in embed exec; do
		suai inspect --host "$host" --query shape prints.py:bad
		[ "$output" = 4 ]
		for word in print original descriptor program; do
			[[ $'\n'"$stderr"$'\n' == *$'\n'"$word"$'\n'* ]]
		done
	done
}

@test "each crash costs one step: the other interfaces are still reported" {
	cat > several.py <<-'END'
		import ctypes

		class Several:
		    @property
		    def __cuda_array_interface__(self):
		        ctypes.string_at(0)
		    @property
		    def __sycl_usm_array_interface__(self):
		        ctypes.string_at(0)
		    __array_interface__ = {'version': 3, 'shape': (0,), 'typestr': '<f4', 'data': (0, False)}

		bad = Several()
	END
	for host in embed exec; do
		suai inspect -f json --host "$host" several.py:bad
		[ "$status" -eq 3 ]
		[ "$(outcome 0)" = "crashed __sycl_usm_array_interface__" ]
		[ "$(jq -r '.targets[0].interfaces[] | "\(.protocol) \(.status)"' <<< "$output")" = "numpy ok" ]
	done
}

@test "a target has one time limit, including re-imports, and keeps what was reported before that" {
	cat > slow.py <<-'END'
		import os, time
		from healthy import Healthy, good

		time.sleep(0.8)

		class Hangs(Healthy):
		    def wait(self): time.sleep(600)
		    __array_struct__ = property(wait)
		    __cuda_array_interface__ = {'version': 3, 'shape': (0,), 'typestr': '<f4', 'data': (0, False)}
		    def __dlpack__(self, **rest): time.sleep(600)
		    def __dlpack_device__(self): return 1, 0

		class Crashes(Healthy):
		    end = property(lambda self: os.abort())
		    __cuda_array_interface__ = __sycl_usm_array_interface__ = __array_struct__ = end
		    def __dlpack__(self, **rest): os.abort()
		    def __dlpack_device__(self): os.abort()

		hangs, crashes = Hangs(), Crashes()
	END
	for host in embed exec; do
		SECONDS=0
		suai inspect -f json --timeout 2 --host "$host" slow.py:hangs slow.py:good
		[ "$SECONDS" -lt 300 ]
		[ "$(outcome 0)" = "hung __dlpack__()" ]
		[ "$(jq -r '.targets[0].error.message' <<< "$output")" = "timed out after 2 s" ]
		[ "$(jq -c '[.targets[0].interfaces[].protocol]' <<< "$output")" = '["cuda"]' ]
		[ "$(outcome 1)" = "ok -" ]
		suai inspect -f json --timeout 2 --host "$host" slow.py:crashes slow.py:good
		[ "$(outcome 0)" = "crashed __sycl_usm_array_interface__" ]
		[ "$(jq -r '.targets[0].error.message' <<< "$output")" = "killed by SIGABRT; the time limit of the target was reached" ]
		[ "$(outcome 1)" = "ok -" ]
	done
}

@test "a slow producer is not reported as hung: steps beyond its time are skipped" {
	cat > steady.py <<-'END'
		import time
		from healthy import Healthy, good

		class Slow(Healthy):
		    n, delays = 0, (1.4, 1.4)
		    def __dlpack_device__(self): return 1, 0
		    def __dlpack__(self, **rest):
		        self.n += 1
		        time.sleep(self.delays[self.n - 1] if self.n <= len(self.delays) else 60)
		        raise BufferError('no')

		class Cut(Slow):
		    delays = (0.3,) * 5

		slow, cut = Slow(), Cut()
	END
	suai inspect -f json --timeout 2 steady.py:slow steady.py:good
	[ "$status" -eq 0 ]
	[ "$(outcome 0)" = "ok -" ]
	[ "$(jq -r '[.targets[0].interfaces[].protocol] | index("dlpack") != null' <<< "$output")" = true ]
	suai validate --exit-zero -v -f json --timeout 2 steady.py:slow
	[ "$status" -eq 0 ]
	jq -e '[.targets[0].skipped[] | select(.reason == "less than half of the target'"'"'s time limit was left for a second read") | .rule]
		| index("DLP008") != null and index("NAI005") != null' <<< "$output"
	suai validate --calls --exit-zero -f json --timeout 2 steady.py:cut steady.py:good
	[ "$status" -eq 0 ]
	[ "$(outcome 0)" = "ok -" ]
	jq -e '.targets[0] | ([.interfaces[].protocol] == ["dlpack", "numpy"]) and ([.calls[] | select(.lost) | .error.message] | unique == ["the time limit of the target was reached"])' <<< "$output"
	[ "$(outcome 1)" = "ok -" ]
}

@test "a target that is given up keeps the interfaces that were read" {
	cat > gives_up.py <<-'END'
		import os
		from healthy import Healthy

		class Bad(Healthy):
		    def __dlpack_device__(self): return 1, 0
		    def __dlpack__(self, **rest): os.abort()
		    __dlpack_c_exchange_api__ = __c_dlpack_exchange_api__ = property(lambda self: os.abort())
		    dtype = strides = readonly = device = requires_grad = ndim = sharding = mask = property(lambda self: os.abort())

		bad = Bad()
	END
	suai inspect -f json gives_up.py:bad
	[ "$status" -eq 3 ]
	[ "$(outcome 0)" = "crashed __dlpack__()" ]
	[[ "$(jq -r '.targets[0].error.message' <<< "$output")" == "killed by SIGABRT; gave up after 8 failed workers" ]]
	[ "$(jq -c '[.targets[0].interfaces[] | select(.protocol == "numpy") | .status]' <<< "$output")" = '["ok"]' ]
}

@test "every target is tried, however many workers others crash" {
	{
		cat property_leaves.py
		echo 'bads = [Bad() for _ in range(80)]'
	} > many.py
	# shellcheck disable=SC2046 # words
	suai inspect -f json $(seq -f 'many.py:bads[%g]' 0 79)
	[ "$status" -eq 3 ]
	[ "$(jq '[.targets[] | select(.status == "left")] | length' <<< "$output")" -eq 80 ]
}

# Starts suai on a script that sleeps; sets suai_pid once it does.
start_sleeping() { # HOST SCRIPT
	rm -f ready
	# shellcheck disable=SC2094
	"$SUAI" inspect --host "$1" "$2:bad" < /dev/null > out 2> err 3>&- &
	suai_pid=$!
	is_there ready
}

sleeping_script() {
	cat > sleeping.py <<-'END'
		import atexit
		import tempfile
		import time

		folder = tempfile.TemporaryDirectory()
		open('ready', 'w').close()
		time.sleep(1000)
	END
}

@test "SIGINT, SIGTERM and SIGHUP terminate suai, by that signal, and all its processes" {
	sleeping_script
	for host in embed exec; do
		for signal in 2 15 1; do
			# A shell without job control starts background jobs with SIGINT ignored.
			rm -f ready
			"$SHARED" -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$SUAI" inspect --host "$host" sleeping.py:bad < /dev/null > out 2> err 3>&- &
			suai_pid=$!
			is_there ready
			kill -"$signal" "$suai_pid"
			code=0
			wait "$suai_pid" || code=$?
			[ "$code" -eq $((128 + signal)) ]
			[ -z "$(processes_left)" ]
			[ "$signal" -ne 2 ] || [ -z "$(ls "$TMPDIR")" ]
			rm -rf "${TMPDIR:?}"/*
		done
	done
}

@test "an interrupted run writes no document that claims zero errors, and no step summary" {
	sleeping_script
	for format in json yaml sarif junit tap github; do
		rm -f ready
		GITHUB_STEP_SUMMARY="$PWD/summary" "$SUAI" validate -f $format sleeping.py:bad < /dev/null > out 2> err 3>&- &
		suai_pid=$!
		is_there ready
		kill -TERM "$suai_pid"
		wait "$suai_pid" || true
		grep -q interrupted err
		! grep -qE 'errors|failures|^1\.\.|</testsuites>|invocations' out || false
		[ ! -e summary ]
	done
}

@test "an interrupted run prints each target that was complete, also the last before one that hangs" {
	printf 'import time\nclass Hangs:\n    @property\n    def __array_interface__(self):\n        open("hangs", "w").close()\n        time.sleep(60)\na, b, c, hangs = bytearray(1), bytearray(2), bytearray(3), Hangs()\n' > late.py
	"$TEST_PYTHON" - "$SUAI" inspect -p buffer -p numpy late.py:a late.py:b late.py:c late.py:hangs > out 2> err <<-'END' || true
		import os, signal, subprocess, sys, time
		signal.signal(signal.SIGINT, signal.SIG_DFL)
		run = subprocess.Popen(sys.argv[1:])
		while not os.path.exists("hangs"):
		    time.sleep(0.01)
		time.sleep(0.5)
		run.send_signal(signal.SIGINT)
		run.wait(20)
	END
	[ "$(grep -o '^late.py:[a-z]*' out | tr '\n' ' ')" = "late.py:a late.py:b late.py:c " ]
	grep -q interrupted err
}

@test "an interrupted run reports what it found before the trial under way" {
	requires numpy
	cat > slow.py <<-'END'
		import os, time
		import numpy

		is_trial = os.path.exists("imported")
		open("imported", "w").close()

		class Bad:
		    array = numpy.arange(4.0)
		    __array_interface__ = {**array.__array_interface__, "typestr": "<f3"}

		class Slow:
		    def __dlpack_device__(self):
		        return 1, 0
		    def __dlpack__(self, **keywords):
		        if is_trial:
		            open("ready", "w").close()
		            time.sleep(60)
		        return numpy.arange(4.0).__dlpack__(**keywords)

		bad = Bad()
		slow = Slow()
	END
	for format in concise tap; do
		rm -f imported ready
		"$SUAI" validate --lifetime --python "$TEST_PYTHON" -f $format -j1 slow.py:bad slow.py:slow < /dev/null > out 2> err 3>&- &
		suai_pid=$!
		is_there ready
		kill -TERM "$suai_pid"
		code=0
		wait "$suai_pid" || code=$?
		[ "$code" -eq 143 ]
		grep -q interrupted err
		grep -q NAI201 out
		[ "$format" = concise ] || [ "$(tail -n 1 out)" = "Bail out! the run did not finish" ]
	done
}

@test "killing suai terminates the worker" {
	sleeping_script
	for host in embed exec; do
		start_sleeping "$host" sleeping.py
		kill -9 "$suai_pid"
		wait "$suai_pid" || true
		within_a_minute eval '[ -z "$(processes_left)" ]'
	done
}

@test "children that a script forks are terminated with suai, even if trials import it again" {
	requires numpy
	cat > forks.py <<-'END'
		import os
		import time

		import numpy

		if os.fork() == 0:
		    if os.fork() == 0:
		        os.setsid()
		    time.sleep(1000)
		a = numpy.arange(3)
	END
	touch "$BATS_TEST_TMPDIR/start"
	for options in --static --lifetime --all '--lifetime -j 2'; do
		# shellcheck disable=SC2086 # words
		suai validate --python "$TEST_PYTHON" -q $options forks.py:a forks.py:'a[:0]' healthy.py:good
		[ "$status" -eq 0 ]
		nothing_left
	done
}

@test "a child that outlives its script receives SIGTERM before SIGKILL" {
	cat > waits.py <<-END
		import os, signal, time
		from healthy import Healthy, good
		ready, tell = os.pipe()
		if not os.fork():
		    signal.signal(signal.SIGTERM, lambda *_: (open("$BATS_TEST_TMPDIR/terminated", "w"), os._exit(0)))
		    os.write(tell, b".")
		    time.sleep(1000)
		os.read(ready, 1)
	END
	run "$SUAI" inspect -q waits.py:good
	[ -e "$BATS_TEST_TMPDIR/terminated" ]
}

@test "processes that suai inherited are spared" {
	touch "$BATS_TEST_TMPDIR/start"
	run bash -c 'sleep 99 > /dev/null 2>&1 3>&- & echo $!; exec "$1" inspect -q leaves_child.py:bad' - "$SUAI"
	[ "$(tr '\0' ' ' < "/proc/${lines[0]}/cmdline")" = "sleep 99 " ]
	kill "${lines[0]}"
}

@test "a script that signals its process group terminates itself and not suai" {
	for signal in SIGTERM SIGKILL SIGUSR1; do
		cat > signals.py <<-END
			import os, signal
			from healthy import Healthy
			good = Healthy()
			class Bad:
			    @property
			    def __array_interface__(self):
			        os.killpg(0, signal.$signal)
			bad = Bad()
		END
		for host in embed exec; do
			run --separate-stderr bash -c '"$1" inspect --host "$2" -f json signals.py:bad signals.py:good | cat' - "$SUAI" "$host"
			[ "$(outcome 0)" = "crashed __array_interface__" ]
			[ "$(jq -r '.targets[0].error.message' <<< "$output")" = "killed by $signal" ]
			[ "$(outcome 1)" = "ok -" ]
		done
	done
}

@test "a fork in sitecustomize writes nothing to suai" {
	mkdir site
	echo 'import os; os.fork()' > site/sitecustomize.py
	for _ in $(seq 10); do
		for host in embed exec; do
			PYTHONPATH=site suai validate -q --host "$host" healthy.py:good
			[ "$status" -eq 0 ]
			[ "$output$stderr" = "" ]
		done
		PYTHONPATH=site suai inspect --wrap 'env A=1' --query shape healthy.py:good
		[ "$status" -eq 0 ]
		[ "$stderr" = "" ]
	done
}

# dialog PROMPT ANSWER... -- ARGUMENT...: runs suai as the foreground job of a terminal.
dialog() {
	run "$TEST_PYTHON" "$ROOT/testdata/terminal/dialog.py" "$@"
	echo "$output [$status]"
}

@test "on a terminal a script reads what is typed, and ^C terminates suai with SIGINT" {
	echo 'length = int(input("length? ")); b = bytes(length)' > asks.py
	echo 'import time; print("ready", flush=True); time.sleep(60)' > sleeps.py
	for host in embed exec; do
		dialog 'length? ' '7\n' -- "$SUAI" inspect --host "$host" --query shape -p buffer asks.py:b
		[ "$status" -eq 0 ]
		[ "${lines[-1]}" = 7 ]
		dialog 'length? ' '\x03' -- "$SUAI" inspect --host "$host" -p buffer asks.py:b
		[ "$status" -eq 130 ]
		[[ "$output" == *"suai: interrupted" ]]
		dialog ready '\x03' -- "$SUAI" inspect --host "$host" -p buffer sleeps.py:b
		[ "$status" -eq 130 ]
		[ -z "$(processes_left)" ]
	done
}

@test "^Z stops the script with suai, and both continue" {
	cat > ticks.py <<-'END'
		import time

		print("ready", flush=True)
		for i in range(25):
		    open("ticks", "a").write(".")
		    time.sleep(0.1)
		b = b"abc"
	END
	cat > job.sh <<-'END'
		set -m
		"$@"
		echo "ticks $(wc -c < ticks)"
		sleep 1
		echo "ticks $(wc -c < ticks)"
		fg
	END
	dialog ready '\x1a' -- bash job.sh "$SUAI" inspect -q --query shape -p buffer ticks.py:b
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = 3 ]
	mapfile -t ticks < <(grep -oE 'ticks [0-9]+' <<< "$output" | cut -d ' ' -f 2)
	[ "${ticks[0]}" -eq "${ticks[1]}" ]
	[ "${ticks[0]}" -lt 25 ]
	[ "$(wc -c < ticks)" -eq 25 ]
}

@test "--wrap gdb on a terminal: ^C stops the script in the debugger, which continues it" {
	command -v gdb > /dev/null || skip "no gdb"
	echo 'import time; print("ready", flush=True); time.sleep(3); b = b"abc"' > sleeps.py
	dialog '(gdb) ' 'run\n' ready '\x03' '(gdb) ' 'print 40 + 2\n' ' = 42' 'continue\n' 'exited normally' 'quit\n' -- \
		"$SUAI" inspect --timeout 600 --wrap "gdb -q -iex 'set pagination off' -iex 'set style enabled off' --args" \
		--query shape -p buffer sleeps.py:b
	[ "$status" -eq 0 ]
	[[ "$output" == *"Program received signal SIGINT"*" = 42"*"exited normally"* ]]
}

@test "standard input belongs to the script, and is empty if a target is read from it" {
	for host in embed exec; do
		run --separate-stderr "$SUAI" inspect --host "$host" --query shape -p buffer -c 'b = input().encode()' b <<< 12345
		[ "$output" = 5 ]
	done
}
