#!/usr/bin/env bats
# suai trace: processes that a program forks or starts, with --follow and without.

load helpers
load interpreters
load trace

trace_shell() {
	suai trace -f json -o report.json -- bash -c "$1"
	[ "$status" -eq 0 ]
}

@test "without --follow, forked processes are counted, and the report names --follow" {
	code='import os, giver, taker
for i in range(2):
    if not os.fork(): taker.consume(giver.export(8, "plain"), "release"); os._exit(0)
    os.wait()'
	suai trace -- "$TEST_PYTHON" -c "$code"
	[ "$status" -eq 0 ]
	grep -qxF '2 other processes that run Python were not traced; --follow traces them' <<< "$stderr"
	suai trace --follow -- "$TEST_PYTHON" -c "$code"
	grep -qxF '3 processes were traced' <<< "$stderr"
	[[ "$stderr" != *"--follow"* ]]
}

@test "without --follow, the first process that exchanges is traced, and those that ended before are not counted" {
	exchange='import giver, taker; taker.consume(giver.export(8, "plain"), "release")'
	two="$exchange"$'\ntaker.consume(giver.export(8, "plain"), "release")'
	for program in "'$TEST_PYTHON' -c pass" "'$TEST_PYTHON' -c 'import os, sys; sys.exit(3)'" "true"; do
		trace_shell "$program; $program; '$TEST_PYTHON' -c '$two'; '$TEST_PYTHON' -c '$exchange'"
		[ "$(reported '[.totals.exchanges, .coverage.processes, .coverage.untraced_processes, .coverage.finalized]')" = '[2,1,1,true]' ]
	done
	# Nor is one that cannot be traced, which lacks functions of CPython 3.11.
	echo 'void PyCapsule_New(void) {} int main(void) { return 0; }' | gcc -x c -rdynamic -o older -
	trace_shell "./older; ./older; '$TEST_PYTHON' -c '$exchange'"
	[ "$(reported '[.totals.exchanges, .coverage.processes, .coverage.untraced_processes]')" = '[1,1,0]' ]
	trace_shell ./older
	[ "$(reported '[.coverage.traced, .coverage.problem]')" = '[false,"the interpreter lacks a function of CPython 3.11 or later"]' ]
	# Neither one that is still running nor one that exported something is replaced by the next.
	trace_shell "'$TEST_PYTHON' -c 'import sys; sys.stdin.read()' < <(sleep 2) & sleep 1; '$TEST_PYTHON' -c '$exchange'; wait"
	[ "$(reported '[.totals.exchanges, .coverage.processes, .coverage.untraced_processes]')" = '[0,1,1]' ]
	trace_shell "'$TEST_PYTHON' -c 'import giver; giver.export(8, \"plain\")'; '$TEST_PYTHON' -c '$exchange'"
	[ "$(reported '[.totals.exchanges, .totals.unconsumed, .coverage.untraced_processes]')" = '[0,1,1]' ]
	trace_shell "'$TEST_PYTHON' -c pass; '$TEST_PYTHON' -c pass"
	[ "$(reported '[.totals.exchanges, .coverage.processes, .coverage.untraced_processes]')" = '[0,1,0]' ]
}

@test "without --follow, a program that the traced process executes is traced instead, if nothing was exchanged before" {
	cat > app.py <<- 'END'
		import os, subprocess, sys
		import giver, taker
		def exchange(n):
		    for i in range(n): taker.consume(giver.export(8, "plain"), "release")
		program = [sys.executable, "-c", "import os, giver, taker; taker.consume(giver.export(8, 'plain'), 'release'); print(sorted(k for k in os.environ if k in ('LD_PRELOAD', 'SUAI_TRACE_MEMORY')))"]
		starts = {
		    "first": lambda: os.execv(program[0], program),
		    "search": lambda: os.execvpe(program[0], program, dict(os.environ)),
		    "shell": lambda: os.execv("/bin/sh", ["sh", "-c", f"exec '{program[0]}' -c \"{program[2]}\""]),
		    "exchanged": lambda: (exchange(2), os.execv(program[0], program)),
		    "child": lambda: (subprocess.run(program), exchange(3)),
		    "fork": lambda: (os.fork() or os.execv(program[0], program), os.wait(), exchange(4)),
		    "failed": lambda: exchange(5),
		    "cleared": lambda: os.execve("/usr/bin/env", ["env", "-i", program[0], "-c", "pass"], dict(os.environ)),
		}
		if sys.argv[1] == "failed":
		    try: os.execv("/no/python3", ["python3"])
		    except FileNotFoundError: pass
		starts[sys.argv[1]]()
	END
	for start in first=1,0 search=1,0 shell=1,0 exchanged=2,1 child=3,1 fork=4,1 failed=5,0 cleared=0,1; do
		trace_unchanged app.py "${start%=*}"
		[ "$start: $(reported '[.totals.exchanges, .coverage.untraced_processes]')" = "$start: [${start#*=}]" ]
		[ "$(reported '[.coverage.processes, .coverage.finalized]')" = '[1,'"$([[ $start == exchanged* || $start == cleared* ]] && echo false || echo true)"']' ]
	done
}

@test "without --follow, programs that Python starts to run Python are counted, others are not, and --fail-on states it" {
	cat > start.py <<- 'END'
		import os, subprocess, sys
		python, code = sys.executable, "pass"
		open("script", "w").write(f"#!{python}\n")
		os.chmod("script", 0o755)
		os.symlink(os.path.realpath(python), "interpreter")
		starts = {
		    "run": lambda: subprocess.run([python, "-c", code]),
		    "environment": lambda: subprocess.Popen([python, "-c", code], env={}).wait(),
		    "fork": lambda: subprocess.run([python, "-c", code], preexec_fn=lambda: None),
		    "search": lambda: subprocess.run(["env", python, "-c", code]),
		    "spawn": lambda: os.waitpid(os.posix_spawn(python, [python, "-c", code], {}), 0),
		    "system": lambda: os.system(f"'{python}' -c {code}"),
		    "shell": lambda: subprocess.run(f"true && {python} -c {code}", shell=True),
		    "script": lambda: subprocess.run(["./script"]),
		    "name": lambda: subprocess.run(["./interpreter", "-c", code]),
		    "other": lambda: (os.system("true --python"), subprocess.run(["true"])),
		    "exec": lambda: os.execv(python, [python, "-c", code]),
		    "lost": lambda: os.execvp("/no/python3", ["python3"]),
		}
		starts["failing"] = lambda: subprocess.run(["/no/python3"])
		try: starts[sys.argv[1]]()
		except FileNotFoundError: assert sys.argv[1] in ("failing", "lost")
	END
	for start in run=1 environment=1 fork=1 search=1 spawn=1 system=1 shell=1 script=1 name=1 other=0 failing=0 exec=0 lost=0; do
		rm -f interpreter
		trace start.py "${start%=*}"
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		[ "$start: $(reported .coverage.untraced_processes)" = "$start: ${start#*=}" ]
	done
	rm interpreter
	suai trace -q --fail-on copy -- "$TEST_PYTHON" start.py run
	[ "$status" -eq 0 ]
	grep -qxF '1 other process that runs Python was not traced; --follow traces it' <<< "$stderr"
	grep -qxF 'suai: note: --fail-on: 1 process that runs Python was not traced; use --follow' <<< "$stderr"
}

@test "a forked child releases its copies of tensors, and adds nothing to the report" {
	cat > app.py <<- 'END'
		import os, giver, taker
		held = [taker.consume(giver.export(8, "plain"), "hold") for i in range(10)]
		capsule = giver.export(8, "plain")
		pid = os.fork()
		if not pid:
		    held.clear()
		    del capsule
		    taker.consume(giver.export(8, "plain"), "release")
		    os._exit(giver.deleted() + taker.deleted())
		print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
		held.clear()
		taker.consume(capsule, "release")
	END
	trace app.py
	[ "$status" -eq 0 ]
	[ "$output" = 12 ]
	[ "$(reported '[.totals.exchanges, .totals.held, .totals.unconsumed]')" = '[11,0,0]' ]
}

@test "what a child exchanges that a system call forked is not that of its parent, and --follow traces it" {
	cat > app.py <<- 'END'
		import ctypes, os, subprocess, sys, giver, taker
		libc = ctypes.PyDLL(None)
		clone3 = (ctypes.c_uint64 * 8)(0, 0, 0, 0, 17)
		def work(n):
		    for i in range(n): taker.consume(giver.export(8, "plain"), "release")
		if __name__ == "__main__":
		    held = [taker.consume(giver.export(8, "plain"), "hold") for i in range(3)]
		    for fork in lambda: libc.syscall(435, clone3, 64), libc._Fork:
		        for end in "exit", "_exit", "execute", "fork":
		            pid = fork()
		            if not pid:
		                held.clear()
		                if end == "execute": os.execv(sys.executable, [sys.executable, "-c", "import app; app.work(7)"])
		                if end == "fork" and os.fork(): os.wait()
		                else: work(5)
		                sys.exit() if end == "exit" else os._exit(0)
		            assert os.waitpid(pid, 0)[1] == 0
		    work(2)
	END
	export PYTHONPATH="$PYTHONPATH:$PWD"
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals.exchanges, .totals.held, .totals.leaked, .coverage.processes, .coverage.finalized]')" = '[5,3,0,1,true]' ]
	# Each child.
	[ "$(reported .coverage.untraced_processes)" -eq 8 ]
	options=(--follow)
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals.exchanges, .totals.held, .coverage.untraced_processes]')" = '[49,3,0]' ]
}

@test "a forked child that is not traced writes nothing into the memory that its parent shares" {
	requires numpy
	mkdir -p site-packages/fresh
	printf 'import numpy as np\ndef copy(a): return np.array(a)\n' > site-packages/fresh/__init__.py
	cat > app.py <<- 'END'
		import os, fresh, numpy as np
		ranges = [[int(address, 16) for address in line.split()[0].split("-")] for line in open("/proc/self/maps") if "suai-trace" in line]
		start = max(ranges, key=lambda range: range[1] - range[0])[0]
		def head():
		    with open("/proc/self/mem", "rb") as memory: return memory.seek(start) and memory.read(4096)
		a, before = np.arange(5.0), head()
		if not os.fork():
		    fresh.copy(a)
		    os._exit(0)
		os.wait()
		print(head() == before)
		fresh.copy(a)
		print(head() == before)
	END
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" trace app.py
	[ "$status" -eq 0 ]
	[ "$output" = $'True\nFalse' ]
}

@test "threads that fork, exchange and release at the same time neither hang nor miscount" {
	cat > app.py <<- 'END'
		import os, threading, giver, taker
		def work():
		    for i in range(2000):
		        taker.consume(giver.export(8, "plain"), "thread" if i % 50 == 0 else "release")
		threads = [threading.Thread(target=work) for i in range(4)]
		for thread in threads: thread.start()
		for i in range(20):
		    pid = os.fork()
		    if not pid:
		        taker.consume(giver.export(8, "plain"), "release")
		        os._exit(0)
		    assert os.waitpid(pid, 0)[1] == 0
		for thread in threads: thread.join()
	END
	run timeout 60 "$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" -W ignore app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals.exchanges, .totals.held]')" = '[8000,0]' ]
}

@test "--follow traces processes that are forked and started, and what they inherit belongs to the parent" {
	cat > app.py <<- 'END'
		import multiprocessing, os, subprocess, sys, giver, taker
		def work(n):
		    for i in range(n): taker.consume(giver.export(8, "plain"), "release")
		if __name__ == "__main__":
		    held = [taker.consume(giver.export(8, "plain"), "hold") for i in range(3)]
		    for method in "fork", "spawn":
		        with multiprocessing.get_context(method).Pool(2) as pool: pool.map(work, [10] * 4)
		    pid = os.fork()
		    if not pid:
		        held.clear()
		        work(5)
		        os.execv(sys.executable, [sys.executable, "-c", "import app; app.work(7)"])
		    os.waitpid(pid, 0)
		    subprocess.run([sys.executable, "-c", "import app; app.work(9); held = app.taker.consume(app.giver.export(8, 'plain'), 'leak')"], check=True)
		    held.clear()
	END
	export PYTHONPATH="$PYTHONPATH:$PWD"
	options=(--follow)
	trace app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals | .exchanges, .held, .leaked]')" = '[105,1,1]' ]
	[ "$(reported '.coverage.processes >= 8')" = true ]
	options=()
	trace app.py
	[ "$(reported '[.totals | .exchanges, .held, .leaked]')" = '[3,0,0]' ]
	options=(--follow)
	trace -c 'import os; [os.waitpid(os.fork() or os._exit(0), 0) for i in range(300)]'
	[ "$(reported '[.coverage.processes, .coverage.untraced_processes]')" = '[256,45]' ]
}

@test "--follow traces as many processes as the limit on the size of files allows, and notes that" {
	code='import os, giver, taker
for i in range(3):
    if not os.fork(): break
else:
    for i in range(3): os.wait()
taker.consume(giver.export(8, "plain"), "release")'
	run -0 --separate-stderr bash -c "ulimit -f 10485760; exec '$SUAI' trace --follow -- '$TEST_PYTHON' -c '$code'"
	grep -qxE 'suai: note: the limit on the size of files \(ulimit -f\) allows --follow to trace 1[0-9][0-9] processes' <<< "$stderr"
	grep -qxF '4 processes were traced' <<< "$stderr"
	run -0 --separate-stderr bash -c "ulimit -f 160000; exec '$SUAI' trace --follow -- '$TEST_PYTHON' -c '$code'"
	grep -qxF 'suai: note: the limit on the size of files (ulimit -f) allows --follow to trace 2 processes' <<< "$stderr"
	grep -qxF '2 other processes that run Python were not traced' <<< "$stderr"
	[[ "$stderr" == *$'\n'"2 exchanges, 16 bytes"* ]]
	run -4 --separate-stderr bash -c "ulimit -f 1000; exec '$SUAI' trace --follow -- '$TEST_PYTHON' -c '$code'"
	[[ "$stderr" == *"File too large; raise the limit on the size of files (ulimit -f)" ]]
	run -0 --separate-stderr "$SUAI" trace --follow -- "$TEST_PYTHON" -c "$code"
	[[ "$stderr" != *"suai: note"* ]]
}

@test "a traced process has as much address space as docs/trace.md states, and runs untraced with less" {
	requires numpy
	local plain traced
	export OPENBLAS_NUM_THREADS=1
	cat > app.py <<-'END'
		import numpy as np
		a = np.from_dlpack(np.zeros(1000))
		print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmSize")))
	END
	# larger_by MB: VmSize is at most 1.5 MB from that.
	larger_by() {
		echo "$(((output - $1) * 1024)) bytes"
		[ $(((output - $1) * 1024)) -ge $(($2 * 1000000 - 1500000)) ]
		[ $(((output - $1) * 1024)) -le $(($2 * 1000000 + 1500000)) ]
	}
	plain=$("$TEST_PYTHON" app.py)
	trace app.py
	traced=$output
	larger_by "$plain" 73
	run -0 --separate-stderr "$SUAI" trace -f perfetto -o trace.json -- "$TEST_PYTHON" app.py
	larger_by "$traced" 10
	run -0 --separate-stderr bash -c "ulimit -v 60000; exec '$SUAI' trace -- '$TEST_PYTHON' -c 'print(1)'"
	[ "$output" = 1 ]
	[[ "$stderr" == *"not traced: the program could not map suai's shared memory"* ]]
}

@test "--follow leaves the environment of the program as it is, and follows what it starts in any way" {
	cat > app.py <<- 'END'
		import os, subprocess, sys, giver, taker
		print(os.environ.get("LD_PRELOAD"), [k for k in os.environ if "SUAI_TRACE" in k], flush=True)
		taker.consume(giver.export(8, "plain"), "release")
		words = [sys.executable, "-c", "import giver, taker, os; taker.consume(giver.export(8, 'plain'), 'release'); print(os.environ.get('LD_PRELOAD'), len(os.environ))"]
		subprocess.run(words, check=True)
		subprocess.run(words, check=True, env={"PYTHONPATH": os.environ["PYTHONPATH"], "LC_CTYPE": "C"})
		os.waitpid(os.posix_spawn(words[0], words, os.environ), 0)
		os.waitpid(os.posix_spawnp(words[0], words, {"PYTHONPATH": os.environ["PYTHONPATH"], "LC_CTYPE": "C", "LD_PRELOAD": "libm.so.6"}), 0)
		print(os.system("exit 7"), os.system("kill -9 $$"))
		os.system('"%s" -c "%s"' % (words[0], words[2].replace("import giver", "from os import environ; import giver")))
		with open(words[0], "rb") as program: os.execve(program.fileno(), words, os.environ)
	END
	unset LD_PRELOAD
	options=(--follow)
	trace_unchanged app.py
	[ "$(reported '[.totals.exchanges, .coverage.untraced_processes]')" = '[7,0]' ]
}

@test "--follow traces what compiled code starts by any function of the C library" {
	cat > starter.c <<- 'END'
		#define _GNU_SOURCE
		#include <stdio.h>
		#include <sys/wait.h>
		#include <unistd.h>
		extern char **environ;
		int start(int how, char **words)
		{
			int status;
			pid_t pid = fork();
			if (!pid) {
				if (how == 0) execvp(words[0], words);
				if (how == 1) execvpe(words[0], words, environ);
				if (how == 2) execl(words[0], words[0], words[1], words[2], (char *)NULL);
				if (how == 3) execlp(words[0], words[0], words[1], words[2], (char *)NULL);
				if (how == 4) execle(words[0], words[0], words[1], words[2], (char *)NULL, environ);
				_exit(1);
			}
			waitpid(pid, &status, 0);
			return status;
		}
		int start_command(const char *command)
		{
			char line[1000];
			FILE *file = popen(command, "r");
			while (fgets(line, sizeof line, file)) { fputs(line, stdout); fflush(stdout); }
			return pclose(file);
		}
	END
	gcc -shared -fPIC -o starter.so starter.c
	cat > app.py <<- 'END'
		import ctypes, os, sys
		starter = ctypes.CDLL(os.path.abspath("starter.so"))
		words = [sys.executable.encode(), b"-c", b"import giver, os, taker; taker.consume(giver.export(8, 'plain'), 'release'); print(os.environ.get('LD_PRELOAD'), len(os.environ), flush=True)"]
		for how in range(5): print(starter.start(how, (ctypes.c_char_p * 4)(*words, None)), flush=True)
		print(starter.start_command(b"# comment\nexit 3"), starter.start_command(b""), flush=True)
		print(starter.start_command(b'"%s" -c "%s"; exit 4' % (words[0], words[2])), flush=True)
	END
	for preload in "" "libm.so.6:$PWD/it's.so"; do
		gcc -shared -fPIC -o "it's.so" -x c /dev/null
		plain=$(LD_PRELOAD=$preload "$TEST_PYTHON" app.py)
		LD_PRELOAD=$preload suai trace --follow -f json -o report.json -- "$TEST_PYTHON" app.py
		[ "$status" -eq 0 ]
		[ "$output" = "$plain" ]
		[ "$(reported '[.totals.exchanges, .coverage.untraced_processes]')" = '[6,0]' ]
	done
}

@test "commands that threads start by system() at the same time have the program's signals, and so has the program then" {
	cat > app.py <<- 'END'
		import os, threading, time
		shells = [threading.Thread(target=os.system, args=("sleep %s; grep SigIgn /proc/self/status" % seconds,)) for seconds in (.1, .3)]
		for shell in shells:
		    shell.start()
		    time.sleep(.05)
		for shell in shells: shell.join()
		os.system("grep SigIgn /proc/self/status")
		print([line for line in open("/proc/self/status") if "SigIgn" in line])
	END
	options=(--follow)
	trace_unchanged app.py
}

@test "a child is traced that may open no file, or was forked after chroot()" {
	requires numpy
	cat > app.py <<- 'END'
		import os, resource, sys, numpy as np
		values = np.arange(8.0)
		if sys.argv[1] == "limit": resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
		else: os.chroot(".")
		for i in range(2):
		    pid = os.fork()
		    if not pid:
		        pid = os.fork()
		        np.from_dlpack(values)
		        if pid: os.waitpid(pid, 0)
		        os._exit(0)
		    os.waitpid(pid, 0)
	END
	options=(--follow)
	trace app.py limit
	[ "$(reported '[.totals.exchanges, .coverage.processes, .coverage.untraced_processes]')" = '[4,5,0]' ]
	[ "$(id -u)" -ne 0 ] || trace app.py chroot
	[ "$(reported '[.totals.exchanges, .coverage.processes, .coverage.untraced_processes]')" = '[4,5,0]' ]
}

@test "with --follow, the report does not suggest it for what a limit excludes" {
	printf 'import subprocess, sys, giver, taker\ntaker.consume(giver.export(8, "plain"), "release")\nlen(sys.argv) > 1 or subprocess.run([sys.executable, *sys.argv, "1"])\n' > app.py
	# Of 1 KiB: the memory of one process.
	(ulimit -f 100000 && "$SUAI" trace --follow -- "$TEST_PYTHON" app.py 2> report)
	grep 'Python was not traced' report > lines
	diff lines - <<< "1 other process that runs Python was not traced"
	suai trace -- "$TEST_PYTHON" app.py
	[ "${stderr_lines[2]}" = "1 other process that runs Python was not traced; --follow traces it" ]
}

@test "with --follow, Python that a process starts as another user is counted as not traced" {
	[ "$(id -u)" -eq 0 ] || skip "only root can change its user"
	setpriv --reuid=65534 --clear-groups "$TEST_PYTHON" -c '' || skip "another user cannot run $TEST_PYTHON"
	cat > app.py <<- 'END'
		import os, subprocess, sys, giver, taker
		taker.consume(giver.export(8, "plain"), "release")
		python = [sys.executable, "-c", "print(1)"]
		for command in python, [*python[:2], "print(2)"], ["echo", "3"], ["no-such-program", "python3"]:
		    try: subprocess.run(command, user=65534)
		    except OSError as e: print(e.errno)
		sys.stdout.flush()
		os.setuid(65534)
		os.waitpid(os.posix_spawn(sys.executable, python, os.environ), 0)
		os.system("'%s' -c 'print(4)'" % sys.executable)
	END
	plain=$("$TEST_PYTHON" app.py)
	suai trace --follow --fail-on copy -f json -o report.json -- "$TEST_PYTHON" app.py
	[ "$status" -eq 1 ]
	[ "$output" = "$plain" ]
	[ "$(reported '[.totals.exchanges, .coverage.untraced_processes]')" = '[1,4]' ]
	[[ "$stderr" == *"--fail-on: 4 processes that run Python were not traced"* ]]
}

@test "a program starts others as before if suai's library was removed" {
	cp "$SUAI" "$ROOT/libsuai_trace.so" .
	cat > app.py <<- 'END'
		import os, subprocess, sys
		os.remove("libsuai_trace.so")
		print(subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True), os.system("exit 3"))
	END
	run --separate-stderr ./suai trace -q --follow -o report.txt -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	[[ "$output" == *"stdout=b'1\n', stderr=b'') 768" ]]
}

@test "a program runs as without the tracer if the memory is another file, as after suai was killed" {
	touch empty
	for file in empty missing; do
		run -0 env SUAI_TRACE_MEMORY="$PWD/$file" LD_PRELOAD="${SUAI%/*}/libsuai_trace.so" "$TEST_PYTHON" -c 'import os; print("LD_PRELOAD" in os.environ)'
		[ "$output" = False ]
	done
}

@test "with --follow, what a library received before a fork and copies after it are two exchanges" {
	requires numpy
	build_numpy_converter numpy_converter.so
	cat > app.py <<-'END'
		import os, numpy
		from numpy_converter import convert
		a = numpy.arange(100.0)
		for function in "from_any", "copy_any_into":
		    convert(function, a)
		    if function == "from_any" and os.fork(): os.wait(); break
	END
	PYTHONPATH="$PYTHONPATH:$PWD" suai trace --follow -f json -o report.json -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	[ "$(jq -c '.call_sites[] | [.exchanges, .shared, .copied]' report.json)" = '[2,1,1]' ]
}
