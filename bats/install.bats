#!/usr/bin/env bats
# make install: a tree that works where it was put, also through a symbolic link.

load helpers

setup_file() {
	make -s -C "$ROOT" install DESTDIR="$BATS_FILE_TMPDIR/tree" PREFIX=/opt/suai
}

@test "what is built without WERROR=1 stays built with it" {
	built=$(stat -c %y "$ROOT/suai" "$ROOT/_suai.abi3.so")
	make -s -C "$ROOT" all WERROR=1
	[ "$(stat -c %y "$ROOT/suai" "$ROOT/_suai.abi3.so")" = "$built" ]
}

@test "the installed suai finds its module and inspects" {
	SUAI="$BATS_FILE_TMPDIR/tree/opt/suai/bin/suai"
	suai inspect --query shape -p buffer -c 'b = b"abc"' b
	[ "$status" -eq 0 ]
	[ "$output" = 3 ]
}

@test "it works through a symbolic link too" {
	ln -s "$BATS_FILE_TMPDIR/tree/opt/suai/bin/suai" "$BATS_TEST_TMPDIR/suai"
	SUAI="$BATS_TEST_TMPDIR/suai"
	suai inspect --query shape -p buffer -c 'b = b"abc"' b
	[ "$output" = 3 ]
}

@test "without its module it names the places it tried, exit 4" {
	cp "$SUAI" "$BATS_TEST_TMPDIR/alone"
	SUAI="$BATS_TEST_TMPDIR/alone"
	suai inspect -c 'b = b"abc"' b
	[ "$status" -eq 4 ]
	[[ "$stderr" == *_suai.abi3.so* ]]
	[[ "$stderr" == *"$BATS_TEST_TMPDIR"* ]]
}
