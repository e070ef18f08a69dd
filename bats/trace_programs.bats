#!/usr/bin/env bats
# suai trace: which programs are traced, and that their output, status, signals and descriptors are theirs.

load helpers
load interpreters
load trace

@test "output, exit status and environment are those of the program" {
	script='import os, sys; print(os.environ.get("LD_PRELOAD"), [k for k in os.environ if "SUAI_TRACE" in k]); print("e", file=sys.stderr); sys.exit(42)'
	unset LD_PRELOAD
	suai trace -o report.txt -- "$TEST_PYTHON" -c "$script"
	[ "$status" -eq 42 ]
	[ "$output" = "None []" ]
	[ "$stderr" = e ]
	[ "$(head -n 1 report.txt)" != "" ]
	echo 'int preloaded_value = 5;' | gcc -shared -fPIC -x c -o libother.so -
	for preload in "$PWD/libother.so" "" "$PWD/libother.so $PWD/libother.so"; do
		LD_PRELOAD=$preload suai trace -o report.txt -- "$TEST_PYTHON" -c "$script"
		[ "$output" = "$preload []" ]
	done
	LD_PRELOAD="$PWD/libother.so" suai trace -o report.txt -- "$TEST_PYTHON" -c 'import ctypes; print(ctypes.c_int.in_dll(ctypes.CDLL(None), "preloaded_value"))'
	[ "$output" = "c_int(5)" ]
	echo input | run -0 "$SUAI" trace -o report.txt -- "$TEST_PYTHON" -c 'print(input())'
}

@test "standard descriptors that are closed are closed in the program" {
	local script='import os, sys; print(1); os._exit(sum(1 << i for i, f in enumerate((sys.stdin, sys.stdout, sys.stderr)) if f is None))'
	status=0
	"$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" -c "$script" <&- || status=$?
	[ "$status" -eq 1 ]
	status=0
	"$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" -c "$script" >&- || status=$?
	[ "$status" -eq 2 ]
	status=0
	"$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" -c "$script" 2>&- || status=$?
	[ "$status" -eq 4 ]
	run -0 "$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" -c 'import os; os.fstat(0); os.fstat(1); os.fstat(2)'
	# The report is lost, which is not an error of the program.
	"$SUAI" trace -- "$TEST_PYTHON" -c '' <&- >&- 2>&-
}

@test "a program that a shell, env or a script starts is traced; a second one is counted" {
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$TEST_PYTHON" > start
	chmod +x start
	code='import giver, taker; taker.consume(giver.export(8, "plain"), "release")'
	for launcher in "./start" "env X=1 $TEST_PYTHON" "sh ./start"; do
		read -ra words <<< "$launcher"
		suai trace -f json -o report.json -- "${words[@]}" -c "$code"
		[ "$status" -eq 0 ]
		[ "$(reported '[.totals.exchanges, .coverage.untraced_processes]')" = '[1,0]' ]
	done
	suai trace -f json -o report.json -- sh -c "./start -c '$code'; ./start -c '$code'"
	[ "$(reported '[.totals.exchanges, .coverage.untraced_processes]')" = '[1,1]' ]
}

@test "an interpreter that a program loads with dlopen(), itself or with a plugin, is traced" {
	local python library include
	python=$(shared_interpreter)
	library=$(ldd "$(readlink -f "$python")" | sed -n 's/.*=> \(.*libpython3[^ ]*\) .*/\1/p')
	include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	mkdir modules
	build_exchanger giver modules "$include"
	build_exchanger taker modules "$include" -fno-plt
	cat > loader.c <<-'END'
		#include <dlfcn.h>

		int main(int argc, char **argv)
		{
			void *loaded = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
			int (*run)(int, char **) = loaded ? (int (*)(int, char **))dlsym(loaded, argv[2]) : 0;

			return run ? run(argc - 3, argv + 3) : 9;
		}
	END
	cat > plugin.c <<-'END'
		int Py_BytesMain(int argc, char **argv);
		int run_plugin(int argc, char **argv) { return Py_BytesMain(argc, argv); }
	END
	cat > middle.c <<-'END'
		#include <dlfcn.h>
		#include <stdlib.h>

		int run_middle(int argc, char **argv)
		{
			void *python = dlopen(getenv("LIBRARY"), RTLD_NOW | RTLD_GLOBAL);
			return ((int (*)(int, char **))dlsym(python, "Py_BytesMain"))(argc, argv);
		}
	END
	gcc -shared -fPIC -o middle.so middle.c -ldl
	export LIBRARY="$library"
	gcc -o loader loader.c -ldl
	gcc -shared -fPIC -o plugin.so plugin.c "$library" -Wl,-rpath,"$(dirname "$library")"
	export PYTHONPATH="$PWD/modules"
	plain=$("$python" "$ROOT/testdata/trace/exchanges.py")
	for program in "./loader $library Py_BytesMain" "./loader ./plugin.so run_plugin" "./loader ./middle.so run_middle"; do
		read -ra words <<< "$program"
		suai trace -f json -o report.json -- "${words[@]}" "$python" "$ROOT/testdata/trace/exchanges.py"
		[ "$status" -eq 0 ]
		[ "$output" = "$plain" ]
		[ -z "$stderr" ]
		[ "$(reported '[.totals | .exchanges, .copied, .held, .leaked, .unconsumed, .released_twice]')" = '[187,20,19,9,7,5]' ]
		[ "$(reported '.coverage | [.traced, .finalized, .processes]')" = '[true,true,1]' ]
		suai trace -f json -o report.json -- "${words[@]}" "$python" -c 'import os; print(os.environ.get("LD_PRELOAD"), os.environ.get("SUAI_TRACE_MEMORY"))'
		[ "$output" = "None None" ]
	done
	# What is loaded without an interpreter is as before.
	suai trace -f json -o report.json -- ./loader libm.so.6 no_such_function
	[ "$status" -eq 9 ]
	[ "$(reported '.coverage.traced')" = false ]
}

@test "a program that is killed, crashes or calls os._exit() leaves the report of what was seen" {
	for death in 'os.kill(os.getpid(), signal.SIGKILL)' 'os.kill(os.getpid(), signal.SIGSEGV)' 'os._exit(9)'; do
		trace -c "import os, signal, giver, taker; x = taker.consume(giver.export(8, 'plain'), 'hold'); $death"
		case $death in
		*KILL*) [ "$status" -eq 137 ] && [ "$(reported .program.signal)" = '"SIGKILL"' ] ;;
		*SEGV*) [ "$status" -eq 139 ] && [ "$(reported .program.signal)" = '"SIGSEGV"' ] ;;
		*) [ "$status" -eq 9 ] && [ "$(reported .program.exit_status)" = 9 ] ;;
		esac
		[ "$(reported '[.totals.exchanges, .totals.held, .totals.leaked, .coverage.finalized]')" = '[1,1,0,false]' ]
	done
}

@test "the report states how the program ended if its interpreter was not finalized, and for how long memory was held" {
	ends() { # CODE LINE: the report of a program that holds memory until the code ends it has the line
		local began
		began=$(date +%s.%N)
		suai trace --held -- "$TEST_PYTHON" -c "import os, signal, time, giver, taker"$'\n'"x = taker.consume(giver.export(8, 'plain'), 'hold')"$'\n'"$1"
		took=$(awk "BEGIN { print $(date +%s.%N) - $began }")
		grep -q "^        held .*for up to " <<< "$stderr"
		[ "$(grep -c '^suai trace: .* -c import os, signal, time, giver, taker\.\.\.: ' <<< "$stderr")" -eq 1 ]
		grep -qxF -- "$2" <<< "$stderr"
	}
	ends 'begun = time.monotonic(); time.sleep(1.05); print(time.monotonic() - begun, flush=True); os._exit(0)' 'the program ended by os._exit(), exec or exit() of C: what is held may not be a leak'
	# Rounded to a tenth: at least as long as the program slept, and not longer than everything took.
	sed -n 's/^        held .*for up to \(.*\) s$/\1/p' <<< "$stderr" |
		awk -v slept="$output" -v took="$took" '{ held = $1 } END { exit !(held >= slept - 0.06 && held <= took + 0.06) }'
	ends 'os.kill(os.getpid(), signal.SIGKILL)' 'the program was killed: what is held may not be a leak'
	# Python finalizes its interpreter before it kills itself: what it does not release is a leak.
	trace -c "import signal, giver, taker; taker.consume(giver.export(8, 'plain'), 'leak'); signal.raise_signal(signal.SIGINT)"
	[ "$status" -eq 130 ]
	[ "$(reported '[.program.signal, .coverage.finalized, .totals.leaked]')" = '["SIGINT",true,1]' ]
	suai trace -- "$TEST_PYTHON" -c "import signal, giver, taker; x = taker.consume(giver.export(8, 'plain'), 'hold'); signal.raise_signal(signal.SIGINT)"
	[[ "$stderr" == *": killed by SIGINT"* && "$stderr" != *"may not be a leak"* ]]
}

@test "a process that outlives the program, such as a daemon, is noted in the report" {
	local stop="$PWD/stop"
	mkfifo "$stop"
	suai trace --follow -f json -o report.json -- "$TEST_PYTHON" -c "
import os, signal, giver, taker
x = taker.consume(giver.export(8, 'plain'), 'hold')
ready, tell = os.pipe()
if not os.fork():
    signal.alarm(60)
    os.write(tell, b'.')
    os.closerange(0, 1000)
    os.read(os.open('$stop', os.O_RDONLY), 1)
    os._exit(0)
os.read(ready, 1)
if not os.fork():
    signal.alarm(60)
    taker.consume(giver.export(8, 'plain'), 'release')
    os.write(tell, b'.')
    os.closerange(0, 1000)
    os.read(os.open('$stop', os.O_RDONLY), 1)
    os._exit(0)
os.read(ready, 1)"
	[ "$(reported '.coverage | [.processes, .running_processes]')" = '[3,1]' ] # not one without exchanges
	exec {both}<> "$stop" # neither waits for the other end
	printf .. >&"$both"
	trace -c "import os; os._exit(0)"
	[ "$(reported '.coverage.running_processes')" = 0 ]
	exec {both}>&-
}

@test "a process of a PID namespace is not treated as the one outside of it with the same number" {
	unshare -pf true 2> unshare.txt || skip "$(cat unshare.txt)"
	suai trace --follow -f json -o report.json -- unshare -pf "$TEST_PYTHON" -c "
import os, giver, taker
taker.consume(giver.export(8, 'plain'), 'release')
os._exit(0)"
	[ "$(reported '[.totals.exchanges, .coverage.running_processes]')" = '[1,0]' ] # 1 is the init of both
}

@test "a program in a PID namespace with a separate /proc is traced by suai inside, and the report names the case outside" {
	unshare -pf --mount-proc true 2> unshare.txt || skip "$(cat unshare.txt)"
	local code="import giver, taker; taker.consume(giver.export(8, 'plain'), 'release')"
	suai trace -q -- unshare -pf --mount-proc "$TEST_PYTHON" -c "$code"
	[[ "$stderr" == *"not traced: "*"or run in a container?"* ]]
	run -0 unshare -pf --mount-proc "$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" -c "$code"
	[ "$(reported .totals.exchanges)" = 1 ]
}

@test "signals that suai receives reach the program, whose handlers run; what it ignores, the program does as well" {
	printf 'import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(33))\nopen("ready", "w")\nwhile True: time.sleep(0.1)\n' > app.py
	"$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" app.py &
	is_there ready
	kill -TERM $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 33 ]
	grep -q 'exit status 33' report.txt
	run -3 --separate-stderr env --ignore-signal=CHLD "$SUAI" trace -q -- "$TEST_PYTHON" -c 'import signal; print(signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN); exit(3)'
	[ "$output" = True ]
}

@test "each signal that suai receives, except those that docs/trace.md names, reaches the program, and the report is written" {
	cat > app.py <<-'END'
		import os, signal, sys, time, giver, taker
		taker.consume(giver.export(8, "plain"), "release")
		number = int(sys.argv[1])
		signal.signal(number, lambda *_: sys.exit(33))
		os.mknod("ready") # open() would close the file in a finalizer, which ignores SystemExit of a handler
		while True: time.sleep(0.1) # signal.pause() does not return for a signal that arrives before it
	END
	# SC2046: the names are words
	# shellcheck disable=SC2046
	for name in $(kill -l | tr '\t' '\n' | sed -n 's/.*) SIG//p' | grep -vxE 'KILL|STOP|TSTP|TTIN|TTOU|CHLD|XFSZ|RTMIN\+[2-9]|RTMIN\+1.|RTMAX-.*'); do
		rm -f ready report.json
		env --default-signal=INT,QUIT "$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" app.py "$(kill -l "$name")" &
		is_there ready
		kill "-$name" $!
		status=0
		wait $! || status=$?
		[ "$status" -eq 33 ]
		[ "$(reported '[.program.exit_status, .totals.exchanges]')" = '[33,1]' ]
	done
	# The value of sigqueue() and SIGPIPE of the program's own process; one that has no handler ends it.
	"$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" -c 'import giver, taker, signal
taker.consume(giver.export(8, "plain"), "release")
signal.pthread_sigmask(signal.SIG_BLOCK, [40])
open("blocked", "w")
print(signal.sigwaitinfo([40]).si_code, flush=True)
signal.alarm(1)
signal.pause()' > out &
	is_there blocked
	"$TEST_PYTHON" -c 'import ctypes, sys; ctypes.CDLL(None).sigqueue(int(sys.argv[1]), 40, ctypes.c_void_p(7))' $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 142 ]
	[ "$(< out)" = -1 ] # SI_QUEUE
	[ "$(reported '[.program.signal, .totals.exchanges]')" = '["SIGALRM",1]' ]
}

@test "a signal to the process group reaches the program once, and so does one to suai alone" {
	cat > app.py <<-'END'
		import os, signal, sys, time
		seen, log = [], open("seen", "w", 1)
		def handle(number, _): seen.append(number); os.write(log.fileno(), b".")
		for name in sys.argv[1:]: signal.signal(getattr(signal, name), handle)
		open("ready", "w")
		while not os.path.exists("end"): time.sleep(0.01)
		print([seen.count(getattr(signal, name)) for name in sys.argv[1:]])
	END
	cat > send.py <<-'END'
		import os, signal, subprocess, sys, time
		*command, kind, count = sys.argv[1:]
		names = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGRTMIN"]
		program = subprocess.Popen([*command, *names], start_new_session=True)
		while not os.path.exists("ready"): time.sleep(0.01)
		for i in range(int(count)):
		    for name in names:
		        if kind != "group": os.kill(program.pid, getattr(signal, name))
		        if kind != "suai": os.killpg(program.pid, getattr(signal, name))
		    # What the program has not handled when the next one arrives would be one signal with that.
		    while os.path.getsize("seen") < (i + 1) * len(names) and program.poll() is None: time.sleep(0.01)
		    time.sleep(0.1)
		time.sleep(0.2)
		open("end", "w")
		sys.exit(program.wait())
	END
	for kind in group suai; do
		rm -f ready end
		run -0 --separate-stderr "$TEST_PYTHON" send.py "$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" app.py "$kind" 10
		[ "$output" = '[10, 10, 10, 10, 10]' ]
	done
	# timeout(1) sends one to suai and one to the group, which are one signal while it is pending.
	printf 'import signal, sys, time\ndef stop(*_):\n    time.sleep(0.1)\n    print("stopped", flush=True)\n    sys.exit(5)\nsignal.signal(signal.SIGINT, stop)\nopen("ready", "w")\nwhile True: time.sleep(0.1)\n' > stop.py
	run -124 --separate-stderr timeout -s INT 2 "$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" stop.py
	[ "$output" = stopped ]
	# A program in a group of its own has none of those that suai's group receives.
	rm -f ready end
	run -0 --separate-stderr "$TEST_PYTHON" send.py "$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" -c 'import os, sys; os.setpgid(0, 0); exec(open("app.py").read())' group 3
	[ "$output" = '[3, 3, 3, 3, 3]' ]
}

@test "a signal that suai's parent ignores is ignored by the program, and others are not" {
	local print='import signal; print([s.name for s in signal.Signals if s not in (signal.SIGKILL, signal.SIGSTOP) and signal.getsignal(s) == signal.SIG_IGN])'
	for ignored in XFSZ,HUP,USR1 TERM CHLD,ALRM,PROF; do
		# Python itself ignores SIGPIPE and SIGXFSZ, a shell does not
		run -0 env "--ignore-signal=$ignored" --block-signal=USR2,RTMIN sh -c 'grep -E "Sig(Ign|Blk)" /proc/self/status'
		plain=$output
		suai() { env "--ignore-signal=$ignored" --block-signal=USR2,RTMIN "$SUAI" "$@"; }
		run -0 --separate-stderr suai trace -q -- sh -c 'grep -E "Sig(Ign|Blk)" /proc/self/status'
		[ "$output" = "$plain" ]
	done
	run -0 --separate-stderr suai trace -q -- "$TEST_PYTHON" -c "$print"
	[ "$output" = "$(env --ignore-signal=CHLD,ALRM,PROF "$TEST_PYTHON" -c "$print")" ]
}

@test "a timer that runs when suai is executed ends the program as without suai, and the report is written" {
	cat > execute.py <<- 'END'
		import os, signal, sys
		signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))
		os.execv(sys.argv[2], sys.argv[2:])
	END
	printf 'import signal, giver, taker\ntaker.consume(giver.export(8, "plain"), "release")\nsignal.pause()\n' > app.py
	# Long enough for the program to get there, on a busy machine as well.
	local began seconds
	began=$(date +%s.%N)
	suai trace -q -- "$TEST_PYTHON" -c 'import signal, giver, taker; taker.consume(giver.export(8, "plain"), "release")'
	seconds=$(awk "BEGIN { print 0.5 + 8 * ($(date +%s.%N) - $began) }")
	run -142 "$TEST_PYTHON" execute.py 1 "$TEST_PYTHON" app.py
	run -142 "$TEST_PYTHON" execute.py "$seconds" "$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.program.signal, .totals.exchanges]')" = '["SIGALRM",1]' ]
}

@test "a program continues if suai is killed" {
	printf 'import os, time, giver, taker\nopen("ready", "w")\nwhile not os.path.exists("go"): time.sleep(0.05)\nfor i in range(1000): taker.consume(giver.export(8, "plain"), "release")\nos.replace("ready", "finished")\n' > app.py
	"$SUAI" trace -q -o report.txt -- "$TEST_PYTHON" app.py &
	is_there ready
	kill -KILL $!
	wait $! || true
	touch go
	is_there finished
	[ ! -e report.txt ]
}

@test "programs that cannot be traced are refused with the reason" {
	printf 'int main(void) { return 0; }\n' > main.c
	gcc -static -o static main.c
	suai trace -- ./static
	[ "$status" -eq 4 ]
	[ "$stderr" = "suai: cannot trace './static': it is statically linked, so that no library can be preloaded; use a dynamically linked build" ]
	printf '#!%s/static\n' "$PWD" > script
	chmod +x script
	suai trace -- ./script
	[ "$status" -eq 4 ]
	[[ "$stderr" == "suai: cannot trace '$PWD/static': it is statically linked"* ]]
	mkfifo fifo
	printf '#!%s/fifo\n' "$PWD" > script
	suai trace -- ./script
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot execute './script': Permission denied" ]
	printf '#! /no/such/python -I\n' > script
	suai trace -- ./script
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot execute './script': its interpreter '/no/such/python' does not exist" ]
	printf '#!/bin/sh\r\n' > script
	suai trace -- ./script
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: cannot execute './script': its interpreter '/bin/sh' does not exist with a carriage return"* ]]
	suai trace -- no-such-program
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: no such program: 'no-such-program'" ]
	echo 'print(1)' > app.py
	suai trace app.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: no such program: 'app.py'; to trace a script, use: suai trace -- python3 app.py" ]
	suai trace -- /etc/passwd
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot run '/etc/passwd': it is not an executable file" ]
	suai trace
	[ "$status" -eq 2 ]
	suai trace -- /bin/true
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"not traced: no process that runs CPython loaded suai's library"* ]]
	[ "$(id -u)" -eq 0 ] || skip "only root can make a file of another user setuid"
	cp /bin/true setuid
	chown nobody setuid
	chmod u+s setuid
	cp /bin/true setgid
	chgrp nogroup setgid
	chmod g+s setgid
	for program in ./setuid ./setgid; do
		suai trace -- $program
		[ "$status" -eq 4 ]
		[[ "$stderr" == *"it is setuid, setgid or has file capabilities"* ]]
	done
}

@test "memory that the program overwrites is reported as corrupt, or read as what it is" {
	local n_corrupt=0
	for seed in {1..20}; do
		trace "$ROOT/testdata/trace/corrupt.py" "$seed"
		case $status in
		0) jq -e .totals report.json > /dev/null ;;
		3) [ "$stderr" = "suai: the program corrupted suai's shared memory" ] && n_corrupt=$((n_corrupt + 1)) ;;
		*) return 1 ;;
		esac
	done
	[ "$n_corrupt" -gt 0 ]
	[ "$n_corrupt" -lt 20 ]
}
