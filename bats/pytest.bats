#!/usr/bin/env bats
# The pytest plugin: the fixture suai, and --suai-report.

load helpers

setup() {
	requires pytest xdist
	mkdir -p "$BATS_TEST_TMPDIR/project/tests"
	cd "$BATS_TEST_TMPDIR/project" || return 1
	export PYTHONPATH="$ROOT/python" PYTHONDONTWRITEBYTECODE=1 COLUMNS=250
	unset CI BUILD_NUMBER PYTEST_ADDOPTS
	touch pytest.ini
	cat > tests/defects.py <<-'END'
		import array
		import ctypes

		class Unmapped:
		    __array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (0x10, False), "version": 3}

		class Two(Unmapped):
		    __cuda_array_interface__ = {"shape": (3,), "typestr": "x8", "data": (0x10, False), "version": 3}

		class Crashes(Unmapped):
		    @property
		    def __cuda_array_interface__(self):
		        ctypes.string_at(8)

		healthy = array.array("d", [1, 2, 3])
	END
}

# pytest ARGUMENT...: runs pytest with the plugin; sets status, output and stderr.
pytest() {
	run --separate-stderr "$TEST_PYTHON" -m pytest -p pytest_suai -p no:cacheprovider "$@"
	printf '$ pytest %s\n[exit %s]\n%s\n--- stderr\n%s\n' "$*" "$status" "$output" "$stderr"
}

# has TEXT...: every TEXT is in the output.
has() {
	local text
	for text in "$@"; do
		[[ "$output" == *"$text"* ]] || { echo "not in the output: $text"; return 1; }
	done
}

@test "a failure shows what suai validate prints without suai's frames, and a summary line for each finding" {
	cat > tests/test_two.py <<-'END'
		from defects import *

		def test_healthy(suai):
		    assert suai.check(healthy).ok

		def test_two(suai):
		    suai.check(Two())

		def test_module():
		    import suai
		    suai.check(Unmapped())
	END
	for workers in 0 2; do
		pytest -n "$workers"
		[ "$status" -eq 1 ]
		has ">       suai.check(Two())" \
			"E       suai.CheckError: tests/test_two.py::test_two: error CAI201 typestr-grammar: typestr 'x8' does" \
			"E         |                 ^^^^^^^" \
			"E         = help: use the address of live memory" \
			"tests/test_two.py:7: CheckError" \
			$'\nFAILED tests/test_two.py::test_two - error CAI201 typestr-grammar: typestr \'x8\' does not begin with a byte order (< > | =)\n' \
			$'\nFAILED tests/test_two.py::test_two - error NAI402 pointer-mapped: the address 0x10 is not mapped\n' \
			$'\nFAILED tests/test_two.py::test_module - tests/test_two.py:Unmapped(): error NAI402 ' \
			"2 failed, 1 passed"
		[ "$(grep -c ^FAILED <<< "$output")" -eq 3 ] # without the note
		[[ "$output" != *python/suai/* && "$output" != *pytest_suai.py* ]]
	done
}

@test "targets have the names of tests, with the ids of their parameters and the number or the name of the check" {
	cat > tests/test_names.py <<-'END'
		import pytest
		from defects import *

		@pytest.fixture
		def checked(suai):
		    suai.check(Unmapped(), name="fixture")

		def test_setup(checked):
		    pass

		@pytest.mark.parametrize("n", [1, 2], ids=["one", "a b/c"])
		def test_both(suai, n):
		    for obj in [healthy] * (n - 1) + [Unmapped()]:
		        suai.check(obj)

		def test_facade(suai):
		    with pytest.raises(suai.CheckError, match=":named: error NAI402"):
		        suai.check(Unmapped(), name="named")
		    assert not suai.validate(Unmapped()) and suai.inspect(healthy)["interfaces"]
		    captures = [suai.capture(healthy, name="first"), suai.capture(healthy, name="second")]
		    assert [target["target"] for target in suai.check(captures).document["targets"]] == ["first", "second"]
	END
	pytest --suai-report findings.json
	[ "$status" -eq 1 ]
	has "FAILED tests/test_names.py::test_both[one] - error NAI402" \
		"FAILED tests/test_names.py::test_both[a b/c] - 2: error NAI402" \
		"ERROR tests/test_names.py::test_setup - fixture: error NAI402" "2 failed, 1 passed, 1 error"
	[ "$(jq -r '.targets[] | .target + " " + .source.file + ":" + (.source.line | tostring)' findings.json)" = \
		"tests/test_names.py::test_setup:fixture tests/test_names.py:6
tests/test_names.py::test_both[one] tests/test_names.py:14
tests/test_names.py::test_both[a b/c] tests/test_names.py:14
tests/test_names.py::test_both[a b/c]:2 tests/test_names.py:14
tests/test_names.py::test_facade:named tests/test_names.py:18
first tests/test_names.py:20
second tests/test_names.py:20" ]
}

@test "a crash fails one test and names the step, also with pytest-xdist" {
	cat > tests/test_crash.py <<-'END'
		from defects import *

		def test_crash(suai):
		    suai.check(Crashes())

		def test_next(suai):
		    assert suai.check(healthy).isolated
	END
	for workers in 0 2; do
		pytest -n "$workers" --suai-report findings.json
		[ "$status" -eq 1 ]
		has "suai.CheckError: tests/test_crash.py::test_crash: crashed at __cuda_array_interface__: killed by SIGSEGV" \
			"tests/defects.py\", line 13 in __cuda_array_interface__" \
			"FAILED tests/test_crash.py::test_crash - error crashed at __cuda_array_interface__: killed by SIGSEGV" \
			"1 failed, 1 passed"
		[[ "$output" != *site-packages* ]] # pytest's frames
		[ "$(jq -r '.targets[] | .status + " " + (.step | tostring)' findings.json)" = $'crashed __cuda_array_interface__\nok null' ]
	done
}

@test "a test with capfd keeps its isolation" {
	cat > tests/test_capfd.py <<-'END'
		import os
		from defects import *

		def test_capfd(suai, capfd):
		    os.write(1, b"text")
		    assert suai.check(healthy).isolated
		    assert capfd.readouterr().out == "text"
		    suai.check(Crashes())

		def test_open(suai):
		    with open(__file__):
		        assert not suai.check(healthy).isolated
	END
	pytest
	[ "$status" -eq 1 ]
	has "FAILED tests/test_capfd.py::test_capfd - 2: error crashed at __cuda_array_interface__" "1 failed, 1 passed"
}

@test "threads and timers of pytest and its plugins, which only wait, keep no check from its isolation" {
	cat > pytest_rerunfailures.py <<-'END'
		import socket, threading

		def pytest_configure(config):
		    server = socket.create_server(("localhost", 0))
		    threading.Thread(target=run_server, args=[server], daemon=True).start()

		def run_server(server):
		    server.accept()
	END
	cat > pytest_timeout.py <<-'END'
		import signal, threading

		def pytest_configure(config):
		    signal.signal(signal.SIGALRM, handler)
		    signal.setitimer(signal.ITIMER_REAL, 60)
		    config.timer = threading.Timer(60, handler)
		    config.timer.start()

		def handler(*arguments):
		    raise SystemExit

		def pytest_unconfigure(config):
		    config.timer.cancel()
	END
	cat > tests/test_threads.py <<-'END'
		import signal, threading
		from defects import *

		def test_plugins(suai):
		    assert suai.check(healthy).isolated

		def test_timer(suai):
		    handler = signal.signal(signal.SIGALRM, lambda *arguments: None)
		    before = signal.setitimer(signal.ITIMER_REAL, 60)
		    assert suai.check(healthy).why_not_isolated == "the process has timers"
		    signal.setitimer(signal.ITIMER_REAL, *before)
		    signal.signal(signal.SIGALRM, handler)

		def test_other(suai):
		    end = threading.Event()
		    thread = threading.Thread(target=end.wait)
		    thread.start()
		    assert suai.check(healthy).why_not_isolated == "the process has other threads"
		    end.set()
	END
	for options in '' '-p pytest_rerunfailures' '-p pytest_timeout' '-p pytest_timeout -o faulthandler_timeout=60 -n 1'; do
		# shellcheck disable=SC2086 # words
		PYTHONPATH="$PYTHONPATH:$PWD" pytest -p no:rerunfailures -p no:timeout $options
		[ "$status" -eq 0 ]
		has "3 passed"
	done
}

@test "a crash in the process of the tests names the test, the object and the step on standard error" {
	cat > tests/test_crash.py <<-'END'
		import ctypes, faulthandler, os
		import pytest
		from defects import *

		class Ends:
		    def __init__(self, end):
		        self.end = end
		    @property
		    def __array_interface__(self):
		        self.end()

		@pytest.mark.parametrize(
		    "end", [os.abort, lambda: ctypes.CDLL(None).exit(3), lambda: os._exit(status=3), faulthandler._stack_overflow],
		    ids=["abort", "exit", "_exit", "stack"])
		def test_ends(suai, capfd, end):
		    with open(__file__):
		        suai.check(healthy)
		        suai.check(Ends(end), name="ends")

		def test_convert():
		    import suai
		    suai.convert(Crashes(), to="dlpack")

		def test_survives(suai):
		    import signal
		    before = os._exit
		    suai.check(healthy, isolate=False)
		    assert os._exit is before
		    signal.signal(signal.SIGABRT, lambda number, frame: None)
		    suai.check(Ends(lambda: os.kill(os.getpid(), signal.SIGABRT)), isolate=False)
	END
	local reason="suai: it was not read in a fork: the process has opened files or sockets that a fork would share"
	local test=tests/test_crash.py::test_ends
	for options in '' '-p no:faulthandler' '-n 1 --max-worker-restart 0'; do
		# shellcheck disable=SC2086 # words
		pytest $options -k abort
		[ "$status" -ne 0 ]
		[[ "$stderr" == *"suai: ${test}[abort]:ends: crashed at __array_interface__: SIGABRT"$'\n'"$reason"$'\n'"suai: the current test is ${test}[abort] (call)"* ]]
		[[ "$options" == *no:* || "$stderr" == *"Fatal Python error: Aborted"* ]]
	done
	for end in exit _exit; do
		pytest "tests/test_crash.py::test_ends[$end]"
		[ "$status" -eq 3 ]
		[[ "$stderr" == *"suai: ${test}[$end]:ends: exited at __array_interface__"$'\n'"$reason"* ]]
	done
	pytest -k stack -p no:faulthandler
	[ "$status" -eq 139 ]
	[[ "$stderr" == *"suai: ${test}[stack]:ends: crashed at __array_interface__: SIGSEGV"* ]]
	pytest -k convert
	[ "$status" -eq 139 ]
	[[ "$stderr" == *"suai: the conversion of an object of type defects.Crashes: crashed at __cuda_array_interface__: SIGSEGV"* ]]
	pytest -k survives # a handler of the process decides what ends it
	[ "$status" -eq 1 ]
	[[ "$stderr" != *crashed* ]]
}

@test "the suai.yaml of pytest's root directory applies, wherever pytest and the test are" {
	cat > suai.yaml <<-'END'
		calls: true
		ignore: [CAI201]
		severity: warning
		per-target-ignores:
		- target: 'tests/test_settings.py::test_known[c16]'
		  rules: NAI402
		  reason: it has no memory
	END
	cat > tests/test_settings.py <<-'END'
		import pytest
		from defects import *

		@pytest.mark.parametrize("name", ["c16"])
		def test_known(suai, name):
		    suai.check(Two())

		def test_calls(suai, tmp_path, monkeypatch):
		    monkeypatch.chdir(tmp_path)
		    class Refuses:
		        def __dlpack__(self, **keywords):
		            raise BufferError("refused")
		        def __dlpack_device__(self):
		            return (1, 0)
		    report = suai.check(Refuses(), isolate=False)
		    assert report.document["targets"][0]["calls"]
	END
	cd /
	pytest "$BATS_TEST_TMPDIR/project" --suai-report "$BATS_TEST_TMPDIR/findings.sarif" -o tmp_path_retention_policy=none
	[ "$status" -eq 0 ]
	has "2 passed"
	[ "$(jq -c .runs[0].results "$BATS_TEST_TMPDIR/findings.sarif")" = "[]" ]
	mv "$BATS_TEST_TMPDIR/project/suai.yaml" "$BATS_TEST_TMPDIR/project/other.yaml"
	pytest "$BATS_TEST_TMPDIR/project" -k known
	[ "$status" -eq 1 ]
	cd "$BATS_TEST_TMPDIR"
	for options in '' '-n 1'; do
		# shellcheck disable=SC2086 # words
		pytest project --suai-config project/other.yaml $options --suai-report "$BATS_TEST_TMPDIR/findings.sarif"
		[ "$status" -eq 0 ]
		[ "$(jq -c .runs[0].results "$BATS_TEST_TMPDIR/findings.sarif")" = "[]" ]
	done
	pytest project --suai-config missing.yaml
	[ "$status" -eq 1 ]
	has "ValueError: " "missing.yaml"
	cd /
	echo "severity: [fatal" > "$BATS_TEST_TMPDIR/project/suai.yaml"
	pytest "$BATS_TEST_TMPDIR/project" -k known
	[ "$status" -eq 1 ]
	has "E       ValueError: suai.yaml:2:1: "
}

@test "comments that are invalid are warnings, and unused ones if all tests ran that could need them" {
	cat > tests/helpers.py <<-'END'
		def check(suai, obj):
		    suai.check(obj)  # suai: ignore[NAI402] needed by one test
		def check_healthy(suai, obj):
		    suai.check(obj)  # suai: ignore[NAI402] needed by none
	END
	cat > tests/test_comments.py <<-'END'
		import pytest
		from defects import *
		import helpers

		@pytest.mark.parametrize("obj", [healthy, Unmapped(), healthy], ids=["first", "needs", "last"])
		def test_some(suai, obj):
		    suai.check(obj)  # suai: ignore[NAI402] needed by one
		@pytest.mark.parametrize("obj", [healthy, healthy], ids=["first", "last"])
		def test_none(suai, obj):
		    suai.check(obj)  # suai: ignore[NAI402] needed by none
		def test_calls(suai):
		    helpers.check(suai, healthy)
		    helpers.check_healthy(suai, healthy)
		def test_needs(suai):
		    helpers.check(suai, Unmapped())
		def test_invalid(suai):
		    suai.check(healthy)  # suai: ignore[NAI999]
		def test_module():
		    import suai
		    suai.check(healthy)  # suai: ignore[CAI201]
	END
	# expect LINE...: the files and lines with warnings are these.
	expect() {
		local found
		found=$(grep -oP "^  $PWD/tests/\\K\\S+(?=: UserWarning: suai: ignore\\[)" <<< "$output" | sort)
		[ "$found" = "$(printf '%s\n' "$@")" ] || { echo "unexpected: $found"; return 1; }
	}
	local all=(helpers.py:4 test_comments.py:10 test_comments.py:17 test_comments.py:20)
	for arguments in '' '-n 2' tests; do
		# shellcheck disable=SC2086 # words
		pytest $arguments
		[ "$status" -eq 0 ]
		expect "${all[@]}"
		has "UserWarning: suai: ignore[NAI999]: unknown rule 'NAI999'" "UserWarning: suai: ignore[CAI201] is unused: no such finding"
	done
	pytest tests/test_comments.py # other files could call the helpers
	expect "${all[@]:1}"
	pytest tests/test_comments.py::test_none
	[[ "$output" != *UserWarning* ]]
	for arguments in '-k last -n 2' '--deselect tests/test_comments.py::test_none[first] -k test_none'; do
		# shellcheck disable=SC2086 # words
		pytest $arguments
		[[ "$output" != *UserWarning* ]]
	done
	pytest -k 'test_none or test_calls'
	expect test_comments.py:10
	pytest -k test_none -W error
	[ "$status" -eq 1 ]
	has "ERROR tests/test_comments.py:10: suai: ignore[NAI402] is unused: no such finding"
	sed -i 's/^def test_needs.*/&\n    pytest.skip("no device")/; s/needed by none$/&\n    pytest.xfail("known")/' tests/test_comments.py
	pytest -k 'not test_invalid and not test_module'
	[[ "$output" != *UserWarning* ]]
}

@test "--suai-report writes the findings of a run as SARIF, JSON or JUnit, equal with pytest-xdist" {
	cat > tests/test_report.py <<-'END'
		import pytest
		from defects import *

		@pytest.mark.parametrize("i", range(5))
		def test_many(suai, i):
		    suai.check(Two() if i % 2 else healthy, calls=i == 4)
	END
	for format in sarif json xml; do
		pytest -q --suai-report "serial.$format"
		[ "$status" -eq 1 ]
		has "suai: findings of all checks are in $PWD/serial.$format" "2 failed, 3 passed"
	done
	pytest -q -n 2 --suai-report parallel.sarif
	[ "$status" -eq 1 ]
	cmp serial.sarif parallel.sarif
	[ "$(jq -c '[.runs[].results[] | .ruleId + " " + .locations[0].physicalLocation.artifactLocation.uri]' serial.sarif)" = \
		'["CAI201 tests/test_report.py","NAI402 tests/test_report.py","XPR001 tests/test_report.py","CAI201 tests/test_report.py","NAI402 tests/test_report.py","XPR001 tests/test_report.py"]' ]
	[ "$(jq -c '[.targets[].findings | length]' serial.json)" = '[0,3,0,3,0]' ]
	[ "$(jq -r '.targets[3].target' serial.json)" = "tests/test_report.py::test_many[3]" ]
	[ "$("$TEST_PYTHON" -m junitparser verify serial.xml > /dev/null; echo $?)" -eq 1 ]
}

@test "check_consumer fails with a summary line for each finding, which --suai-report contains" {
	requires numpy
	cat > tests/test_consumer.py <<-'END'
		import numpy
		from defects import *

		def take(tensor):
		    return numpy.from_dlpack(tensor)

		def ignores(tensor):
		    return numpy.zeros(3)

		def test_take(suai):
		    assert suai.check_consumer(take, cases=["float32", "offset"]).ok
		    suai.check(healthy)

		def test_ignores(suai):
		    suai.check_consumer(ignores, cases=["float32", "offset"])

		def test_options(suai):
		    suai.check_consumer(take, ignore="DLC004")
	END
	for workers in 0 2; do
		pytest -n "$workers" --suai-report findings.json
		[ "$status" -eq 1 ]
		has ">       suai.check_consumer(ignores" "E       suai.CheckError: test_consumer:ignores[float32], ignores[offset]: error DLC004" \
			$'\nFAILED tests/test_consumer.py::test_ignores - test_consumer:ignores[float32]: error DLC004 consumer-reads: ' \
			$'\nFAILED tests/test_consumer.py::test_ignores - test_consumer:ignores[offset]: error DLC004 consumer-reads: ' \
			"TypeError: check_consumer: ignore is a setting of suai.yaml" "2 failed, 1 passed"
		[[ "$output" != *python/suai/* && "$output" != *pytest_suai.py* ]]
		[ "$(jq -r '[.targets[] | "\(.target) \(.findings | length)"] | join(", ")' findings.json)" = \
			"tests/test_consumer.py::test_take 0, test_consumer:take[float32] 0, test_consumer:take[offset] 0, test_consumer:ignores[float32] 1, test_consumer:ignores[offset] 1" ]
	done
}

@test "a report that cannot be written, one of an unknown format, and a run without checks are stated" {
	echo 'def test_check(suai): suai.check(b"bytes")' > tests/test_check.py
	pytest --suai-report findings.txt
	[ "$status" -eq 4 ]
	[[ "$stderr" == *"--suai-report: expected a name that ends with .sarif, .json or .xml, got 'findings.txt'"* ]]
	pytest --suai-report missing/findings.json
	[ "$status" -eq 4 ]
	has "suai: $PWD/missing/findings.json was not written: " "1 passed"
	echo stale > findings.json
	pytest --suai-report findings.json -k nothing
	[ "$status" -eq 5 ]
	has "suai: no checks, so that $PWD/findings.json was not written"
	[ ! -e findings.json ]
}

@test "wrong arguments and a missing program fail the test with a message and without suai's frames" {
	cat > tests/test_wrong.py <<-'END'
		def test_ignore(suai): suai.check(bytearray(), ignore="NAI")
		def test_protocol(suai): suai.check(bytearray(), protocols="arrow")
		def test_two(suai): suai.check(bytearray(), bytearray())
		def test_program(suai, monkeypatch):
		    monkeypatch.setenv("SUAI_PROGRAM", "/nonexistent")
		    suai.check(bytearray())
	END
	pytest
	[ "$status" -eq 1 ]
	has "TypeError: check: ignore is a setting of suai.yaml" "ValueError: unknown protocol 'arrow'" \
		"TypeError: check: expected one object, got 2" "suai.Error: SUAI_PROGRAM: '/nonexistent' is not an executable file"
	[[ "$output" != *python/suai/* && "$output" != *pytest_suai.py:* ]]
}

@test "a run that checks nothing imports no suai, and the entry point names the plugin" {
	cat > tests/test_other.py <<-'END'
		import sys

		def test_modules():
		    assert "pytest_suai" in sys.modules and "suai" not in sys.modules and "_suai" not in sys.modules
	END
	pytest
	[ "$status" -eq 0 ]
	grep -A 1 -F '[project.entry-points.pytest11]' "$ROOT/pyproject.toml" | grep -Fx 'suai = "pytest_suai"'
}

@test "--suai-report contains messages that the locale cannot encode" {
	cat > tests/test_messages.py <<-'END'
		def refuse(tensor):
		    raise ValueError("größe")

		def test_messages(suai):
		    suai.check_consumer(refuse, cases="float32")
	END
	LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0 pytest --suai-report findings.json
	[ "$status" -eq 1 ]
	jq -e '[.targets[].findings[].message | select(contains("größe"))] | length > 0' findings.json
}

@test "check_consumer finds functions whose names the locale cannot encode" {
	requires numpy
	cat > tests/test_names.py <<-'END'
		import numpy

		def prüfe(tensor):
		    return numpy.from_dlpack(tensor)

		def test_names(suai):
		    suai.check_consumer(prüfe, cases="float32")
	END
	LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0 pytest --suai-report findings.json
	[ "$status" -eq 0 ]
	jq -e '[.targets[].target] == ["test_names:prüfe[float32]"]' findings.json
}
