#!/usr/bin/env bats
# README.md: its console blocks show what the commands print, and its snippets are valid.

load helpers

# The commands of all console blocks, each followed by the lines that README shows below it.
console_blocks() {
	sed -n '/^```console$/,/^```$/p' "$ROOT/README.md" | grep -v '^```'
}

# Line breaks, and with them the marks below lines, depend on the length of addresses.
in_one_line() {
	normalise | sed -E '/^ +\| [ ^]+$/d; s/^ +\| //; s/AMD EPYC|Intel.*/CPU/; s/[0-9.]+ MiB \([0-9]+ bytes\)/SIZE/; s/for up to [0-9.]+ m?s/for TIME/' |
		tr -s ' \n' ' '
}

@test "README shows what its commands print" {
	requires sycl numpy
	cd "$ROOT"
	unset COLUMNS
	local command='' printed='' line n_lines=0
	while IFS= read -r line; do
		case $line in
		'$ export '*) ;;
		'$ '*)
			command=${line#'$ '}
			printed=$(eval "$command" 2>&1 | in_one_line || true) ;;
		...) ;;
		*)
			line=$(printf '%s\n' "$line" | in_one_line)
			[[ "$printed" == *"$line"* ]] || { echo "$command does not print: $line"; return 1; }
			n_lines=$((n_lines + 1)) ;;
		esac
	done < <(console_blocks)
	[ "$n_lines" -gt 30 ]
}

@test "the comparison of README shows a changed export, and nothing if only addresses change" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	unset -f suai
	PATH="$ROOT:$PATH"
	mkdir tests
	sed -n '/^suai inspect -f json tests/,/> new.jsonl$/p' "$ROOT/README.md" > compare
	[ "$(wc -l < compare)" -eq 2 ]
	echo 'import numpy; a = numpy.zeros((2, 3), "f4"); b = numpy.zeros(3)' > tests/arrays.py
	. ./compare
	mv new.jsonl old.jsonl
	. ./compare
	diff old.jsonl new.jsonl
	[ "$(wc -l < new.jsonl)" -eq 8 ]
	echo 'import numpy; a = numpy.zeros((3, 2), "f4").T; b = numpy.zeros(3)' > tests/arrays.py
	. ./compare
	[ "$(diff old.jsonl new.jsonl | grep -c '^>.*"target":"tests/arrays.py:a".*"strides_bytes":\[4,8\]')" -eq 4 ]
}

# bats test_tags=judge
@test "the suai.yaml of README is valid" {
	sed -n '/^# suai.yaml$/,/^```$/p' "$ROOT/README.md" | grep -v '^```' > "$BATS_TEST_TMPDIR/suai.yaml"
	suai validate --config "$BATS_TEST_TMPDIR/suai.yaml" --show-settings
	[ "$status" -eq 0 ]
	[[ "$output" == *"tests/arrays.py:legacy*"* ]]
}

@test "CI runs the test command that README names" {
	grep -q '^make test ' "$ROOT/README.md"
	grep -q '^make test ' "$ROOT/.ci/run"
}

# bats test_tags=judge
@test "README lists every package that setup installs" {
	for package in $(sed -n "s/^packages='\(.*\)'/\1/p; s/^test_packages='\(.*\)'/\1/p" "$ROOT/tools/setup"); do
		grep -q -- "$package" "$ROOT/README.md" || [ "$package" = ca-certificates ] || { echo "$package"; return 1; }
	done
}
