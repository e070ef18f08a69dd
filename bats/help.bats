#!/usr/bin/env bats
# Help: what suai prints without arguments, and the spellings of help and version.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# next_steps: runs suai without arguments and each command that it suggests, which must succeed.
next_steps() {
	local n_steps=0
	suai
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	while IFS= read -r step; do
		n_steps=$((n_steps + 1))
		run --separate-stderr bash -c "$step" < /dev/null
		printf '$ %s\n[exit %s]\n%s\n%s\n' "$step" "$status" "$output" "$stderr"
		[ "$status" -eq 0 ]
		[ -n "$output" ]
	done < <(sed -n "s|^  \($SUAI .*\)|\1|p" <<< "$stderr")
	[ "$n_steps" -eq 3 ]
	suai
}

@test "suai without arguments suggests three commands, which work with this machine's Python" {
	next_steps
	[[ "$stderr" == *"$SUAI validate FILE.py"*"$SUAI help COMMAND"* ]]
	[ "$(wc -l <<< "$stderr")" -le 20 ]
	[ "$(wc -L <<< "${stderr//$SUAI/suai}")" -le 80 ]
	requires numpy
	[[ "$stderr" == *"import numpy as np"* ]]
}

@test "the commands that suai suggests need no NumPy if the interpreter has none" {
	"$TEST_PYTHON" -m venv --without-pip bare || skip "no venv in $TEST_PYTHON"
	SUAI_PYTHON=$PWD/bare/bin/python next_steps
	[[ "$stderr" == *"import array"* && "$stderr" != *numpy* ]]
}

# bats test_tags=judge
@test "without a usable Python, suai names the reason and suggests commands that need none" {
	SUAI_PYTHON=/nonexistent/python next_steps
	[[ "$stderr" == *"SUAI_PYTHON: '/nonexistent/python' is not an executable file"* ]]
	printf '#!/bin/sh\nexit 2\n' > python-old
	chmod +x python-old
	SUAI_PYTHON=./python-old next_steps
	[[ "$stderr" == *"'./python-old' does not run as CPython 3.11 or later with a GIL"* ]]
	printf '#!/bin/sh\nexec sleep 60\n' > python-slow
	chmod +x python-slow
	SUAI_PYTHON=./python-slow suai
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"'./python-slow' does not run as"* ]]
}

# bats test_tags=judge
@test "suai without arguments runs nothing from the working directory" {
	for name in numpy importlib site sys; do
		echo "open('executed', 'w')" > "$name.py"
	done
	SUAI_PYTHON=$TEST_PYTHON suai
	[ "$status" -eq 2 ]
	[ ! -e executed ]
}

# bats test_tags=judge
@test "help COMMAND, COMMAND --help, COMMAND -h and --help COMMAND print the same" {
	for command in inspect validate convert devices rule init version help docs; do
		help=$("$SUAI" help $command)
		[[ "$help" == "usage: suai $command"* ]]
		for words in "$command --help" "$command -h" "--help $command" "-h $command" "$command x.py -q --help" "$command -q x.py -h"; do
			# shellcheck disable=SC2086 # words
			suai $words
			[ "$status" -eq 0 ]
			[ "$output" = "$help" ]
			[ -z "$stderr" ]
		done
	done
	suai rule -- -h
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"'-h'"* ]]
}

# bats test_tags=judge
@test "help, --help and -h list the commands; version, --version and -V print the version" {
	help=$("$SUAI" help)
	[[ "$help" == "usage: suai COMMAND"* ]]
	for word in --help -h; do
		suai $word
		[ "$status" -eq 0 ]
		[ "$output" = "$help" ]
	done
	version=$("$SUAI" version)
	[[ "$version" == "suai "*$'\n'"dlpack.h: "* ]]
	for word in --version -V; do
		suai $word
		[ "$status" -eq 0 ]
		[ "$output" = "$version" ]
	done
	suai version x
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: version: unexpected argument 'x'" ]
}

# bats test_tags=judge
# bats test_tags=judge
@test "the texts of help begin in one column, and continue there in a narrow terminal" {
	COLUMNS=60 suai help
	[ "$(sed -n 3p <<< "$output")" = "Read, check and convert the array interfaces of Python" ]
	[ "$(sed -n 4p <<< "$output")" = "objects." ]
	sed -n '/^commands:/,/^$/{/^ /p}' <<< "$output" > commands
	[ "$(wc -l < commands)" -gt 15 ]
	[ "$(cut -c 13 commands | sort -u)" = " " ]
	[ "$(cut -c 14 commands | grep -c ' ')" -eq 0 ]
	[ "$(wc -L < commands)" -le 60 ]
}

@test "an option before the command is an error that states where options belong" {
	for option in --python -q; do
		suai "$option" inspect
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: '$option': expected a command, which options follow; 'suai help' lists the commands" ]
	done
}

@test "an unknown command is an error that suggests the nearest, whether run or asked about" {
	for words in 'inspcet' 'help inspcet' '--help inspcet' 'inspcet --help'; do
		# shellcheck disable=SC2086 # words
		suai $words
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$stderr" = "suai: unknown command 'inspcet' (did you mean 'inspect'?)" ]
	done
	suai help nosuch
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: unknown command 'nosuch'; 'suai help' lists the commands" ]
	suai help inspect rule
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: help: expected one COMMAND, got 2" ]
}
