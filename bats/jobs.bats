#!/usr/bin/env bats
# -j: several workers at a time, the same output in the same order.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	export TMPDIR="$BATS_TEST_TMPDIR/temporary"
	mkdir "$TMPDIR"
}

# array_of FILE [LINE...]: a script with one healthy array, after the lines.
array_of() {
	{ [ $# -lt 2 ] || printf '%s\n' "${@:2}"; printf 'import array\na = array.array("d", [1])\n'; } > "$1"
}

# same COMMAND...: the documents and exit statuses of -j1 and -j4 are equal, except for addresses.
same() {
	local jobs
	for jobs in 1 4; do
		run --separate-stderr "$SUAI" "$@" -f json -j $jobs
		sed -E 's/0x[0-9a-f]{5,}|\b[0-9]{7,}\b/ADDRESS/g; s/[0-9]+\.[0-9]+ s/TIME/' <<< "$output" > document$jobs
		echo "[$status]" >> document$jobs
		tail -n 2 document$jobs | cut -c 1-400
	done
	cmp document1 document4
}

@test "-j4 prints what -j1 prints, whatever happens to workers" {
	array_of a.py
	array_of crashes.py 'import ctypes' 'class Crash:' '	@property' '	def __cuda_array_interface__(self):' \
		'		ctypes.string_at(8)' 'x = Crash()'
	array_of hangs.py 'import time' 'class Hang:' '	@property' '	def __array_interface__(self):' \
		'		time.sleep(60)' 'x = Hang()'
	array_of raises.py 'raise RuntimeError("no")'
	array_of leaves.py 'import os' 'def leave():' '	os._exit(0)'
	echo 'import os; os._exit(0)' > left.py
	same validate -p buffer -p cuda -p numpy --timeout 5 a.py crashes.py hangs.py:a hangs.py:x hangs.py:'a[:0]' raises.py:a \
		raises.py:b leaves.py:'leave()' leaves.py:a left.py nowhere.py a.py:nothing
	grep -q '"crashed"' document1
	grep -q '"hung"' document1
	[ "$(tail -n 1 document1)" = "[2]" ]
	same inspect -p buffer a.py crashes.py
	same validate -p buffer a.py
	same validate -c 'import array; a = array.array("i", [1])' a 'a[:0]'
}

@test "real libraries: the documents of many modules are equal" {
	requires numpy
	for i in 1 2 3 4 5 6; do
		printf 'import numpy as np\nvalues = [np.arange(%d, dtype=t)[::s] for t in ("f4", "i8") for s in (1, -1)]\na, b, c, d = values\n' $i > n$i.py
	done
	same validate --ignore DLP403 n*.py # alignment varies
	[ "$(grep -c '"target": "n' document4)" -eq 24 ]
}

@test "workers run in parallel, and results are printed in order" {
	for i in 1 2 3 4; do
		# Each continues when all have begun.
		array_of s$i.py 'import os, time' "open('begun$i', 'w').close()" \
			'while not all(os.path.exists(f"begun{i}") for i in (1, 2, 3, 4)): time.sleep(0.01)'
	done
	suai inspect -p buffer --query pointer,shape -j4 s1.py s2.py s3.py s4.py
	[ "$status" -eq 0 ]
	array_of s5.py 'print("fast", flush=True)' 'open("printed", "w").close()'
	array_of s0.py 'import os, time' 'while not os.path.exists("printed"): time.sleep(0.01)' 'print("slow", flush=True)'
	suai inspect -p buffer -f json -j 2 s0.py s5.py
	[ "$stderr" = $'fast\nslow' ]
	[ "$(jq -r '.targets[].target' <<< "$output")" = $'s0.py:a\ns5.py:a' ]
}

@test "a module is imported once for all its targets, with any number of workers" {
	array_of big.py 'print("imported")'
	array_of other.py
	{ seq -f 'big.py:a[%.0f:]' 1000; echo other.py:a; seq -f 'big.py:a[%.0f:]' 1001 2000; } > list
	for jobs in 1 4; do
		suai validate --static -j $jobs --targets-from list
		[ "$status" -eq 0 ]
		[ "$stderr" = imported ]
	done
	same validate --static --targets-from list
}

@test "scripts do not see each other's modules, sys.path, directory, environment or warning filters" {
	mkdir A B
	for folder in A B; do
		cat > $folder/t.py <<-'END'
			import os, sys, warnings
			seen = [len(sys.path), os.getcwd(), "SUAI_SEEN" in os.environ, len(warnings.filters), sys.flags.dev_mode,
			        "seen_by_all" in sys.modules, sys.getrecursionlimit()]
			print(seen)
			sys.path.insert(1, "/nowhere")
			sys.setrecursionlimit(500)
			sys.modules["seen_by_all"] = sys
			os.environ["SUAI_SEEN"] = "1"
			warnings.simplefilter("error")
			os.chdir("/")
			from helper import a
		END
	done
	echo 'import array; a = array.array("d", [1, 2])' > A/helper.py
	cat > B/helper.py <<-'END'
		class A:
		    __array_interface__ = {'version': 3, 'shape': (-1,), 'typestr': '<f4', 'data': (0, False)}
		a = A()
	END
	cp -r A package
	for jobs in 1 2; do
		suai validate -p buffer -p numpy -f json -j $jobs A/t.py B/t.py
		[ "$status" -eq 1 ]
		[ "$(jq -c '[.targets[] | [.target, .type, (.findings | length > 0)]]' <<< "$output")" = \
			'[["A/t.py:a","array.array",false],["B/t.py:a","helper.A",true]]' ]
		[ "$(sort -u <<< "$stderr" | wc -l)" -eq 1 ]
	done
	same validate -p buffer -p numpy A/t.py B/t.py A/helper.py:a
	# Dotted modules, too.
	printf 'import helper\nclass A: pass\na = helper.a\n' | tee one.py > two.py
	cp A/helper.py helper.py
	echo 'a = a[:1]; import sys; sys.modules["one"] = sys.modules["helper"] = None' >> two.py
	same inspect -p buffer two one
	[ "$(jq -c '[.targets[] | .interfaces[0].array.shape]' <<< "$output")" = '[[1],[2]]' ]
}

@test "2,000 one-line scripts take much less than as many runs, each in its own process" {
	for i in $(seq 2000); do
		echo 'import os; b = bytes(1)[:1 - ("SUAI_SEEN" in os.environ)]; os.environ["SUAI_SEEN"] = "1"' > s$i.py
	done
	# Seconds of the processor, on which other programs have little effect.
	run "$TEST_PYTHON" - "$SUAI" <<-'END'
		import collections, glob, resource, subprocess, sys
		def seconds():
		    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
		    return usage.ru_utime + usage.ru_stime
		def inspect(*scripts):
		    return subprocess.run([sys.argv[1], "inspect", "-p", "buffer", "--query", "shape", *scripts], stdout=subprocess.PIPE, check=True).stdout.split()
		for _ in range(20): inspect("s1.py")
		single = seconds() / 20
		print(collections.Counter(inspect(*glob.glob("s*.py"))))
		print(each := (seconds() - 20 * single) / 2000, single, file=sys.stderr)
		assert each < 0.7 * single
	END
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"Counter({b'1': 2000})"* ]]
}

@test "a module that cannot be imported fails each of its targets once" {
	seq -f 'lost.py:a%.0f' 1500 > list
	same validate --targets-from list
	[ "$(jq -s '.[0].targets | length' <(head -n -1 document4))" -eq 1500 ]
}

@test "with several workers scripts read an empty standard input" {
	array_of reads.py 'import sys' 'print(len(sys.stdin.read()))'
	array_of other.py
	run --separate-stderr bash -c 'echo hello | "$1" inspect -p buffer reads.py other.py -j 2' - "$SUAI"
	[ "$stderr" = 0 ]
	run --separate-stderr bash -c 'echo hello | "$1" inspect -p buffer reads.py other.py' - "$SUAI"
	[ "$stderr" = 6 ]
}

@test "-j0 uses as many workers as cores; a number out of range is refused" {
	array_of a.py
	array_of b.py
	suai inspect -p buffer -j0 a.py b.py
	[ "$status" -eq 0 ]
	suai inspect -p buffer -j 65536 a.py b.py
	[ "$status" -eq 0 ]
	for command in 'inspect a.py' 'validate a.py' matrix; do
		# shellcheck disable=SC2086 # words
		suai $command -j 65537
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: ${command% *}: --jobs: 65537 is too large; the maximum is 65536" ]
	done
	suai inspect --timeout 2000001 a.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: inspect: --timeout: 2000001 is too large; the maximum is 2000000" ]
	suai inspect -j -2 a.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: inspect: --jobs: -2 is too small; the minimum is 0" ]
}

@test "an unusable interpreter is reported once" {
	array_of a.py
	array_of b.py
	printf '#!/bin/sh\nexit 7\n' > python
	chmod +x python
	suai inspect --python ./python -j 4 a.py b.py
	[ "$status" -eq 4 ]
	[ "$(wc -l <<< "$stderr")" -eq 1 ]
}

@test "a script that writes to all descriptors does not reach pending or spooled output" {
	array_of slow.py 'import time' 'time.sleep(1)'
	array_of junk.py 'import os' 'for fd in range(3, 300):' '	try:' '		if "deleted" in os.readlink(f"/proc/self/fd/{fd}"):' \
		'			os.write(fd, b"junk" * 999)' '	except OSError:' '		pass'
	array_of later.py
	# The runner's own unnamed files are not suai's to keep from its workers.
	same inspect -p buffer slow.py later.py junk.py later.py:a 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
	suai validate -p buffer -f junit -j 3 slow.py later.py junk.py 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
	[ "$status" -eq 0 ]
	[[ "$output" != *junk" "* && "$output" != *junkjunk* ]]
	[ "$(grep -c '<testcase' <<< "$output")" -eq 3 ]
}

# alive PIDFILE...: those of the processes that are still running.
alive() {
	local file
	for file in "$@"; do
		! kill -0 "$(cat "$file")" 2> /dev/null || echo "$file"
	done
}

@test "a signal terminates all workers and their children, and leaves no file" {
	for i in 1 2 3; do
		array_of w$i.py 'import os, subprocess, sys, time' "open('pid$i', 'w').write(str(os.getpid()))" \
			"child = subprocess.Popen(['sleep', '60'], start_new_session=True)" \
			"open('child$i', 'w').write(str(child.pid))" 'def wait():' '	time.sleep(60)'
	done
	array_of early.py
	for signal in INT TERM HUP; do
		rm -f pid? child?
		# Not with &, which lets SIGINT be ignored.
		run "$TEST_PYTHON" -c '
import os, signal, subprocess, sys, time
process = subprocess.Popen(sys.argv[2:])
while not all(os.path.exists(f"child{i}") and os.path.getsize(f"child{i}") for i in (1, 2, 3)):
    time.sleep(0.05)
process.send_signal(signal.Signals["SIG" + sys.argv[1]])
print(signal.Signals(-process.wait()).name)' $signal "$SUAI" validate -p buffer -j 4 -o out w1.py:'wait()' early.py w2.py:'wait()' w3.py:'wait()'
		echo "$output"
		[ "${lines[-1]}" = SIG$signal ]
		[ "$(alive pid? child?)" = "" ]
		[ ! -e out ]
		[ -z "$(ls -A "$TMPDIR")" ]
	done
}

@test "^C and a closed reader end a run with many workers immediately" {
	for i in 1 2 3 4; do
		array_of p$i.py "import os; open('pid$i', 'w').write(str(os.getpid()))"
	done
	printf 'import time\ntime.sleep(600)\n' >> p4.py
	SECONDS=0
	run timeout --foreground -s INT 2 "$SUAI" inspect -p buffer -j 4 p1.py p2.py p3.py p4.py
	[ "$status" -ne 0 ]
	[ "$SECONDS" -lt 300 ] # less than p4.py takes, on a busy machine, too
	[ "$(alive pid?)" = "" ]
	requires numpy
	printf 'import numpy as np\nfor i in range(3000): globals()[f"a{i}"] = np.arange(i)\n' | tee q1.py > q2.py
	SECONDS=0
	run bash -c '"$1" inspect -j 2 q1.py q2.py p4.py | head -n 1' - "$SUAI"
	[ "$output" = "q1.py:a0  numpy.ndarray" ]
	[ "$SECONDS" -lt 300 ]
	[ "$(alive pid?)" = "" ]
}

@test "several workers also run without optional kernel features" {
	array_of a.py 'import time' 'time.sleep(0.3)'
	array_of crash.py 'import os' 'def crash():' '	os.abort()'
	array_of b.py
	for variable in SUAI_NO_PIDFD SUAI_NO_PROC_FD SUAI_NO_FORKSERVER SUAI_NO_SUBREAPER; do
		export $variable=1
		same inspect -p buffer a.py crash.py:'crash()' crash.py:a b.py
		unset $variable
	done
}

@test "site code that starts threads, forks or leaves processes changes no result of many modules" {
	mkdir site
	for i in 1 2 3 4; do
		array_of t$i.py
	done
	while read -r code; do
		echo "$code" > site/sitecustomize.py
		for jobs in 1 3; do
			PYTHONPATH=site suai inspect -p buffer -j $jobs --query shape t1.py t2.py t3.py t4.py
			[ "$status" -eq 0 ]
			[ "$output$stderr" = $'1\n1\n1\n1' ]
		done
	done <<-'END'
		import threading, time; threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
		import os; os.fork()
		import os, time; os.fork() or (open("left", "w").write(str(os.getpid())), time.sleep(99))
	END
	[ "$(alive left)" = "" ]
	echo 'raise SystemExit(7)' > site/sitecustomize.py
	PYTHONPATH=site suai inspect -p buffer t1.py t2.py t3.py
	[ "$status" -eq 4 ]
	[ "$(grep -c 'Fatal Python error' <<< "$stderr")" -eq 1 ]
}

@test "a file that is named both without and with expressions is imported once" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > once.py <<-'END'
		import numpy as np
		open("imports", "a").write("x")
		a = np.arange(3)
		class Nothing: pass
		n = Nothing()
	END
	for targets in "once.py once.py:a[1:]" "once.py:a[1:] once.py"; do
		rm -f imports
		suai inspect -f json $targets
		[ "$status" -eq 0 ]
		[ "$(cat imports)" = x ]
		[ "$(jq -c '[.targets[].target]' <<<"$output")" = '["once.py:a","once.py:a[1:]"]' ]
	done
	suai validate -f concise once.py once.py:n once.py:missing
	[ "$status" -eq 2 ]
	[[ "$output" == *"once.py:n: error XPR002"* ]]
	[[ "$output" == *"once.py:missing: error missing"* ]]
	echo 'raise ValueError("x")' > broken.py
	suai inspect -q broken.py broken.py:a
	[ "$status" -eq 3 ]
	[[ "$output$stderr" == *"broken.py: raised at import"*"broken.py:a: raised at import"* ]]
}
