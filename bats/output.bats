#!/usr/bin/env bats
# -o: a result file is whole or not there; links stay, devices are written to.

load helpers

@test "-o replaces an existing file, and leaves nothing beside it" {
	mkdir "$BATS_TEST_TMPDIR/folder"
	echo old > "$BATS_TEST_TMPDIR/folder/out"
	suai rule SUAI101 -o "$BATS_TEST_TMPDIR/folder/out"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	grep -q '^SUAI101 shape-present' "$BATS_TEST_TMPDIR/folder/out"
	[ "$(ls "$BATS_TEST_TMPDIR/folder")" = out ]
}

@test "-o through a link replaces what it leads to" {
	echo old > "$BATS_TEST_TMPDIR/real"
	ln -s real "$BATS_TEST_TMPDIR/link"
	suai rule SUAI101 -o "$BATS_TEST_TMPDIR/link"
	[ -L "$BATS_TEST_TMPDIR/link" ]
	grep -q '^SUAI101' "$BATS_TEST_TMPDIR/real"
}

@test "-o to a device or a pipe writes to it" {
	suai rule SUAI101 -o /dev/null
	[ "$status" -eq 0 ]
	[ -c /dev/null ]
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	"$SUAI" rule SUAI101 -o "$BATS_TEST_TMPDIR/pipe" &
	grep -q '^SUAI101' "$BATS_TEST_TMPDIR/pipe"
	wait $!
}

@test "what cannot be written is an error, exit 2, and an old file stays whole" {
	suai rule SUAI101 -o /dev/full
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"No space left on device"* ]]
	suai rule SUAI101 -o "$BATS_TEST_TMPDIR/nowhere/out"
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"cannot write"*nowhere/out* ]]
	echo old > "$BATS_TEST_TMPDIR/out"
	suai inspect "$BATS_TEST_TMPDIR/nothing.yaml" --fromat x -o "$BATS_TEST_TMPDIR/out"
	[ "$status" -eq 2 ]
	[ "$(cat "$BATS_TEST_TMPDIR/out")" = old ]
}

@test "a run that is ended by a signal leaves no file, whatever it was doing" {
	mkdir "$BATS_TEST_TMPDIR/folder"
	for signal in INT TERM KILL; do
		run timeout -s $signal 0.5 "$SUAI" inspect - -o "$BATS_TEST_TMPDIR/folder/out" < <(sleep 1)
		[ "$status" -ne 0 ]
		[ -z "$(ls -A "$BATS_TEST_TMPDIR/folder")" ]
		run timeout -s $signal 0.5 "$SUAI" inspect -c "import time; time.sleep(9)" x \
			-o "$BATS_TEST_TMPDIR/folder/out"
		[ "$status" -ne 0 ]
		[ -z "$(ls -A "$BATS_TEST_TMPDIR/folder")" ]
	done
}

@test "a standard output that is closed or full is an error, said once" {
	run --separate-stderr bash -c '"$1" rule SUAI101 >&-' - "$SUAI"
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: cannot write to standard output"* ]]
	run --separate-stderr bash -c '"$1" inspect "$2" >/dev/full' - "$SUAI" "$ROOT/testdata/rules/NPY001/good.yaml"
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot write to standard output: No space left on device" ]
	for words in --version --help 'inspect --help' help; do
		run --separate-stderr bash -c '"$1" $2 >/dev/full' - "$SUAI" "$words"
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: cannot write to standard output" ]
	done
}

@test "an error shows control characters of what the user wrote as escapes" {
	suai rule $'\e[31m'
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: no rule '\x1b[31m'; 'suai rule' lists them" ]
	printf '\033]0;title\007 a\315.b\n' > "$BATS_TEST_TMPDIR/list"
	suai validate --targets-from "$BATS_TEST_TMPDIR/list" -c 1
	[ "$status" -ne 0 ]
	[[ "$output$stderr" == *'\x1b]0;title\x07 a'* ]]
	[[ "$output$stderr" != *$'\e'* ]]
	suai validate --select $'Zürich\e'
	[ "$stderr" = "suai: no rule 'Zürich\x1b'; 'suai rule' lists them" ]
}
