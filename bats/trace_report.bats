#!/usr/bin/env bats
# suai trace: the text of the report, its limits and the Perfetto trace.

load helpers
load interpreters
load trace

@test "the report fits the terminal and goes to standard error; -q prints the totals" {
	printf 'import giver, taker\nx = taker.consume(giver.export(1000, "plain"), "hold")\nprint("out")\n' > app.py
	suai trace -- "$TEST_PYTHON" app.py
	[ "$output" = out ]
	[ "${stderr_lines[0]}" = "suai trace: $TEST_PYTHON app.py: exit status 0" ]
	[ "${stderr_lines[1]}" = "1 exchange, 1000 bytes; 1 unknown; 1 HELD at exit: 1000 bytes" ]
	[ "${stderr_lines[2]}" = "app.py:2 in <module>" ]
	[ "${stderr_lines[3]}" = "    giver -> taker, dlpack: 1 exchange, 1000 bytes; 1 unknown; 1 HELD at exit: 1000 bytes" ]
	suai trace -q -- "$TEST_PYTHON" app.py
	[ "${#stderr_lines[@]}" -eq 2 ]
	COLUMNS=50 suai trace -- "$TEST_PYTHON" app.py
	# A longer path has a separate line.
	[ "$(tail -n +2 <<< "$stderr" | sed '/^ *[^ ]*$/d' | wc -L)" -le 50 ]
}

@test "the text lists the 20 largest call sites, and all with -v" {
	{ echo 'import giver, taker' && for i in {1..23}; do echo "taker.consume(giver.export($i, 'plain'), 'release')"; done; } > many.py
	suai trace -- "$TEST_PYTHON" many.py
	[ "$(grep -c '^many.py:' <<< "$stderr")" -eq 20 ]
	[[ "$stderr" == *$'\nmany.py:5 in <module>\n'*$'\n\n3 more; -v shows them' ]]
	suai trace -v -- "$TEST_PYTHON" many.py
	[ "$(grep -c '^many.py:' <<< "$stderr")" -eq 23 ]
}

@test "the text lists call sites with findings before larger ones without" {
	requires numpy
	cat > app.py <<-'END'
		import numpy as np
		a = np.arange(1000.0)
		np.from_dlpack(a)
		np.from_dlpack(a[:10], copy=True)
		np.from_dlpack(a[:500])
		np.from_dlpack(a[:20], copy=True)
	END
	suai trace -- "$TEST_PYTHON" app.py
	diff - <(grep -o '^app.py:[0-9]*' <<< "$stderr") <<-'END'
		app.py:6
		app.py:4
		app.py:3
		app.py:5
	END
}

@test "the cause of a copy is not that of another at its call site that has a thousandth of its bytes" {
	requires numpy
	build_numpy_converter numpy_converter.so
	cat > app.py <<-'END'
		import numpy as np
		from numpy_converter import convert
		large, small, similar = np.ones((100, 80)), np.ones(8), np.ones(900)
		for a in small, large: convert("check_from_any" if a is small else "from_array", a)
		for a in large, small: convert("check_from_any" if a is small else "from_array", a)
		for a in large, similar: convert("check_from_any" if a is similar else "from_array", a)
	END
	export PYTHONPATH="$PYTHONPATH:$PWD"
	trace app.py
	run -0 jq -c '.call_sites | sort_by(.line)[] | [.line, .copied, .copy_causes]' report.json
	diff - <(echo "$output") <<-'END'
		[4,2,["strides"]]
		[5,2,["strides"]]
		[6,2,["element-type","strides"]]
	END
}

@test "the text lists no call site that passed only arrays without elements, except with -v" {
	printf "import giver, taker\ntaker.consume(giver.export(0, 'plain'), 'release')\ntaker.consume(giver.export(8, 'plain'), 'release')\n" > empty.py
	suai trace -- "$TEST_PYTHON" empty.py
	[[ "$stderr" == *$'\n\nempty.py:3 in <module>\n'*$'\n\n1 more; -v shows it' ]]
	[[ "$stderr" != *empty.py:2* ]]
	suai trace -v -- "$TEST_PYTHON" empty.py
	[[ "$stderr" == *$'\n\nempty.py:2 in <module>\n'* ]]
}

@test "the text shows the cause of a copy and its fix at its call site, and the same explanation once" {
	requires numpy
	cat > app.py <<-'END'
		import array, numpy as np
		a = np.arange(1000.0)
		b = np.from_dlpack(a, copy=True)
		c = np.from_dlpack(b, copy=True)[:2]
		d = np.asarray(array.array("d", [1, 2]), dtype=np.longdouble)
		del b, c
	END
	suai trace --copies -- "$TEST_PYTHON" app.py
	diff <(tail -n +3 <<< "$stderr") - <<-'END'

		app.py:3 in <module>
		    numpy -> numpy, dlpack: 1 exchange, 7.81 KiB (8000 bytes); 1 COPIED: 7.81 KiB (8000 bytes)
		        TRC801: the producer passed a copy, as copy=True requests, or because it cannot export its memory
		        fix: drop copy=True where neither of the arrays is modified afterwards; otherwise run 'suai why ARRAY CONSUMER' on this line's array

		app.py:4 in <module>
		    numpy -> numpy, dlpack: 1 exchange, 7.81 KiB (8000 bytes); 1 COPIED: 7.81 KiB (8000 bytes)
		        TRC801: as at app.py:3

		app.py:5 in <module>
		    python -> numpy, buffer: 1 exchange, 16 bytes; 1 COPIED: 32 bytes
		        TRC801: the result has elements of another type than the array: float128 instead of float64
		        fix: create the array with the type that the consumer uses, such as numpy.zeros(n, dtype='float128'), instead of converting it at each call
	END
}

@test "the explanation of a conversion names the type of the array and that of the result, which the fix uses" {
	requires numpy scipy
	cat > app.py <<-'END'
		import sys, numpy as np
		from scipy.linalg import lapack
		a = np.eye(50, dtype=sys.argv[1], order="F")
		lapack.dgetrf(a, overwrite_a=1)
	END
	suai trace -o report.json -- "$TEST_PYTHON" app.py int64
	run -0 jq -r '.call_sites[] | select(.line == 4) | .converted_from, .converted_to, (.findings[] | .why, .hint)' report.json
	[ "${lines[0]}" = int64 ]
	[ "${lines[1]}" = float64 ]
	[[ ${lines[2]} == *'the result has elements of another type than the array: float64 instead of int64' ]]
	[[ ${lines[3]} == *"such as numpy.zeros(n, dtype='float64')"* ]]
	suai trace -o report.json -- "$TEST_PYTHON" app.py float64
	[ "$(reported .totals.copied)" = 0 ]
	cat > conversions.py <<-'END'
		import array, numpy as np
		np.asarray(array.array("b", [1]), dtype="?")
		np.asarray(array.array("f", [1]), dtype="c16")
		np.asarray(array.array("q", [1]), dtype="S8")
		np.array(array.array("q", [1]))
		for type in ("i4", "f4"): np.asarray(array.array("q", [1]), dtype=type)
	END
	suai trace -o report.json -- "$TEST_PYTHON" conversions.py
	[ "$(reported '[.call_sites[] | select(.copied > 0) | [.line, .converted_from, .converted_to]] | sort')" = \
		'[[2,"int8","bool"],[3,"float32","complex128"],[4,null,null],[5,null,null],[6,"int64","int32"]]' ]
	[[ $(reported '.call_sites[] | select(.line == 6) | .findings[].why') == *"than the array, such as int32 instead of int64"* ]]
}

@test "-v shows totals on a terminal while the program runs, and nothing elsewhere" {
	requires script
	cat > app.py <<-'END'
		import os, time, giver, taker
		for i in range(7): taker.consume(giver.export(100, "copy" if i < 2 else "plain"), "release")
		shown, end = os.path.exists("shown"), time.monotonic() + 60
		if not shown: time.sleep(0.7)
		while shown and "\x1b[K" not in open("shown").read() and time.monotonic() < end: time.sleep(0.01)
		print("out")
	END
	local line='7 exchanges, 700.0 bytes passed, 200.0 bytes copied'
	# The program continues when the line is shown.
	TERM=xterm script -qefc "'$SUAI' trace -v -- '$TEST_PYTHON' app.py" shown < /dev/null > /dev/null
	output=$(< shown)
	rm shown
	[[ "$output" == *$'\r'"$line"$'\e[K\r'*out*"7 exchanges, 700 bytes"* ]]
	for terminal in 'xterm ' 'xterm -vq' 'dumb -v'; do
		# shellcheck disable=SC2086 # two words
		[[ "$(on_terminal ${terminal% *} "'$SUAI' trace ${terminal#* } -- '$TEST_PYTHON' app.py")" != *"bytes passed"* ]]
	done
	suai trace -v -- "$TEST_PYTHON" app.py
	[[ "$output" == out && "$stderr" != *"bytes passed"* ]]
}

@test "--min-bytes, --copies and --held choose what is listed, and the totals remain" {
	options=(--min-bytes 1)
	trace "$ROOT/testdata/trace/exchanges.py"
	[ "$(reported '[.totals.exchanges, .coverage.below_min_bytes]')" = '[185,2]' ]
	printf 'import giver, taker\n' > app.py
	printf 'x%s = taker.consume(giver.export(8, "%s"), "%s")\n' 1 copy release 2 plain hold 3 plain release >> app.py
	options=(--copies)
	trace app.py
	[ "$(reported '[.totals.exchanges, [.call_sites[].line]]')" = '[3,[2]]' ]
	options=(--held)
	trace app.py
	[ "$(reported '[.totals.exchanges, [.call_sites[].line]]')" = '[3,[3]]' ]
	options=(--order)
	trace app.py
	[ "$(reported '[.totals.exchanges, [.call_sites[].line]]')" = '[3,[]]' ]
	options=(--order --copies)
	trace app.py
	[ "$(reported '[.call_sites[].line]')" = '[2]' ]
}

@test "--min-bytes N lists buffers, arrays, interfaces and unused capsules of exactly N bytes, and not of N - 1" {
	requires numpy
	cat > app.py <<- 'END'
		import array, giver, numpy as np, reader, taker
		taker.view(bytearray(96), "hold")
		taker.consume(giver.export(96, "plain"), "release")
		np.from_dlpack(np.arange(12.0))
		np.array(array.array("d", range(12)))
		reader.read(np.arange(12.0)), reader.copy(np.arange(12.0))
		giver.export(96, "plain")
	END
	mkdir -p site-packages/reader
	printf '%s\n' 'import numpy' 'def read(a): return a.__array_interface__' 'def copy(a): return numpy.array(a)' > site-packages/reader/__init__.py
	export PYTHONPATH="$PWD/site-packages:$PYTHONPATH"
	options=(--min-bytes 96)
	trace app.py
	[ "$(reported '[.call_sites[] | .line] | sort')" = '[2,3,4,5,6,6,7]' ]
	[ "$(reported .coverage.below_min_bytes)" = 0 ]
	options=(--min-bytes 97)
	trace app.py
	[ "$(reported '[.call_sites[] | .line]')" = '[]' ]
	[ "$(reported .coverage.below_min_bytes)" = 6 ]
}

@test "-f perfetto is a trace with a track for each library, and the exchanges, verdicts and holds of the report" {
	check() { "$TEST_PYTHON" "$ROOT/testdata/tools/check_perfetto.py" trace.json; }
	suai trace -f perfetto -o trace.json -- "$TEST_PYTHON" "$ROOT/testdata/trace/exchanges.py"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	diff <(check | sed 1d) - <<-'END'
		tracks: giver, taker
		20: giver -> taker, line 11, copied, 100 bytes
		2: giver -> taker, line 11, unknown, 0 bytes
		165: giver -> taker, line 11, unknown, 100 bytes
		held: 10 at exit, 153 before exit, 9 never
		187 flows, 187 events, 0 dropped, 187 exchanges
	END
	[ "$(jq '[.traceEvents[] | select(.args.thread) | .args.thread == .pid] | [all, length]' trace.json -c)" = '[true,187]' ]
	suai trace -f perfetto -o trace.json --max-events 50 --copies -- "$TEST_PYTHON" "$ROOT/testdata/trace/exchanges.py"
	[ "$stderr" = 'suai: note: 137 exchanges were not recorded individually because --max-events was reached; the totals include them' ]
	[ "$(check | tail -n 1)" = '0 flows, 50 events, 137 dropped, 187 exchanges' ]
	for n in 0 1048577 x; do
		suai trace -f perfetto --max-events "$n" -- true
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"--max-events: "* ]]
	done
}

@test "-f perfetto --follow has the tracks of each process, and what is held by one that is killed" {
	cat > app.py <<-'END'
		import giver, os, subprocess, sys, taker
		held = taker.consume(giver.export(100, "plain"), "hold")
		if len(sys.argv) < 2:
		    if not os.fork():
		        taker.consume(giver.export(8, "plain"), "release")
		        os.kill(os.getpid(), 9)
		    os.wait()
		    subprocess.run([sys.executable, "app.py", "child"])
		elif sys.argv[1] == "child":
		    os.execv(sys.executable, [sys.executable, "app.py", "executed"])
	END
	suai trace -f perfetto -o trace.json --follow -- "$TEST_PYTHON" app.py
	diff <("$TEST_PYTHON" "$ROOT/testdata/tools/check_perfetto.py" trace.json | sed 's/:.*app.py$//') - <<-'END'
		3 processes
		tracks: giver, taker
		3: giver -> taker, line 2, unknown, 100 bytes
		1: giver -> taker, line 5, unknown, 8 bytes
		held: 2 at exit, 1 before exit, 1 unknown
		4 flows, 4 events, 0 dropped, 4 exchanges
	END
	suai trace -f perfetto -o trace.json -- "$TEST_PYTHON" -c 'import giver, os, taker; a = taker.consume(giver.export(8, "plain"), "hold"); os._exit(3)'
	[ "$status" -eq 3 ]
	"$TEST_PYTHON" "$ROOT/testdata/tools/check_perfetto.py" trace.json | grep -qx 'held: 1 unknown'
}

@test "a program that fails keeps its exit status and its signal if the report cannot be written" {
	suai trace -o /dev/full -- "$TEST_PYTHON" -c 'raise SystemExit(9)'
	[ "$status" -eq 9 ]
	[ "$stderr" = "suai: cannot write '/dev/full': No space left on device" ]
	suai trace -o /dev/full -- sh -c 'kill -9 $$'
	[ "$status" -eq 137 ]
	suai trace -o /dev/full -- /bin/true
	[ "$status" -eq 2 ]
	mkfifo unread
	exec 5<> unread 6> unread 5>&-
	run -9 env --default-signal=PIPE sh -c '"$0" trace -- "$1" -c "raise SystemExit(9)" 2>&6' "$SUAI" "$TEST_PYTHON"
}
