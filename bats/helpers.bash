# Shared by all bats files: running suai, requirements of tests, and goldens.

bats_require_minimum_version 1.5.0
ROOT="${BATS_TEST_DIRNAME%/*}"
SUAI="$ROOT/suai"
TEST_PYTHON="${SUAI_TEST_PYTHON:-$ROOT/build/env/bin/python}"
[ -x "$TEST_PYTHON" ] || TEST_PYTHON=$(command -v python3) # before `make test`; tests that need packages are skipped
export COLUMNS=1000 # messages in one line; tests of the layout unset it
unset GITHUB_WORKSPACE GITHUB_STEP_SUMMARY PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE VIRTUAL_ENV CONDA_PREFIX NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE SUAI_DEBUG SUAI_OPTS
export XDG_CONFIG_HOME=/proc/none # without the user's suai.yaml, and fish creates no directory there
export SUAI_PYTHON="${SUAI_TEST_JUDGE:+/nonexistent/}$TEST_PYTHON" # tests of the judge may start no worker
export OCL_ICD_VENDORS="${OCL_ICD_VENDORS:-$ROOT/build/icd}"
export OPENBLAS_THREAD_TIMEOUT=4 # its threads sleep at once; otherwise they take 25 ms of a core in each import of NumPy
# What one test prepares serves the others, such as compiled kernels; tools/run-tests shares the directories between files.
export XDG_CACHE_HOME="${SUAI_TEST_CACHE:-$BATS_RUN_TMPDIR/cache}"
REQUIREMENTS="$XDG_CACHE_HOME.requirements"
[ -d "$REQUIREMENTS" ] || mkdir -p "$XDG_CACHE_HOME" "$REQUIREMENTS"

# suai ARGUMENT...: sets status, output (standard output) and stderr; shows all three when the test fails.
suai() {
	run --separate-stderr "$SUAI" "$@"
	printf '$ suai %s\n[exit %s]\n%s\n--- stderr\n%s\n' "$*" "$status" "$output" "$stderr"
}

# jq ARGUMENT...: with -e also fails if there is no result; that of jq 1.6 succeeds without input, as after a command that prints nothing.
jq() {
	local result
	[[ "$1" == -*e* && "$1" != --* ]] || {
		builtin command jq "$@"
		return
	}
	result=$(builtin command jq "$@") || {
		set -- "$?"
		printf '%s\n' "$result"
		return "$1"
	}
	printf '%s\n' "$result"
	[ -n "$result" ]
}

# on_terminal TERM COMMAND...: what a terminal receives from standard output and error.
on_terminal() {
	TERM=$1 script -qec "${*:2}" /dev/null < /dev/null
}

# within_a_minute COMMAND...: waits until the command succeeds; fails if it has not after a minute, which is long on any machine.
within_a_minute() {
	local end=$((SECONDS + 60))
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}

# is_there FILE: waits until another process has created the file.
is_there() {
	within_a_minute [ -e "$1" ]
}

# time_limit: a number of seconds for --timeout that only what hangs exceeds: several times what it takes at present to import
# NumPy, at least one.
time_limit() {
	local began
	began=$(date +%s.%N)
	"$TEST_PYTHON" -c 'import numpy' 2> /dev/null || true
	awk -v ended="$(date +%s.%N)" -v began="$began" 'BEGIN { printf "%d", 1 + 8 * (ended - began) }'
}

# runs_python THING CODE: whether the code, which requires THING, runs in $TEST_PYTHON. Asked once for all tests, since
# imports take up to a second.
runs_python() {
	local answer="$REQUIREMENTS/$1"
	[ -s "$answer" ] || {
		# Renamed, since tests of another file may read it at the same time.
		if "$TEST_PYTHON" -c "$2" 2>/dev/null; then echo yes; else echo no; fi > "$answer.$BASHPID"
		mv "$answer.$BASHPID" "$answer"
	}
	[ "$(< "$answer")" = yes ]
}

# requires numpy|dpctl|sycl|dpnp|cuda|cuda2|script|...: skips the test with the reason if this machine lacks it.
requires() {
	local thing
	for thing in "$@"; do
		case $thing in
		sycl)
			runs_python sycl 'import dpctl; dpctl.SyclDevice("cpu")' || skip "no SYCL device through dpctl in $TEST_PYTHON" ;;
		cuda)
			[ -e /dev/nvidiactl ] || skip "no NVIDIA GPU on this machine" ;;
		gil)
			runs_python gil 'import sys; sys.exit(not getattr(sys, "_is_gil_enabled", lambda: True)())' ||
				skip "no GIL in $TEST_PYTHON" ;;
		python3.11)
			runs_python python3.11 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' ||
				skip "what is expected is that of CPython 3.11, unlike $TEST_PYTHON" ;;
		script)
			command -v script > /dev/null || skip "no script (util-linux)" ;;
		cuda2)
			[ "$(find /dev -maxdepth 1 -name 'nvidia[0-9]*' | wc -l)" -ge 2 ] || skip "no two NVIDIA GPUs on this machine" ;;
		*)
			runs_python "$thing" "import $thing" || skip "no $thing in $TEST_PYTHON" ;;
		esac
	done
}

# Addresses, times and versions differ from run to run, so goldens contain placeholders.
normalise() {
	sed -E "s/0x[0-9a-f]{5,}/0xADDRESS/g; s#$ROOT/##g; s/-?[0-9]{13,20}/INTEGER/g"
}

# golden FILE: output, normalised, equals testdata/FILE; UPDATE=1 rewrites it.
golden() {
	local file="$ROOT/testdata/$1"
	if [ -n "${UPDATE:-}" ]; then
		printf '%s\n' "$output" | normalise > "$file"
	fi
	diff -u "$file" <(printf '%s\n' "$output" | normalise)
}

# built_objects: what make built, without tests and other builds, as a tar file on standard output.
built_objects() {
	tar -C "$ROOT" -c --exclude=build/env --exclude=build/tests --exclude=build/bench --exclude=build/sanitized \
		--exclude=build/call-count --exclude=build/lint build
}
