#!/usr/bin/env bats
# The build of a fresh clone: where dlpack.h comes from, and what is said where it cannot be had.

load helpers

setup() {
	CLONE="$BATS_TEST_TMPDIR/clone"
	mkdir "$CLONE"
	git -C "$ROOT" ls-files -z | (cd "$ROOT" && xargs -0 cp --parents -t "$CLONE")
}

@test "offline make names the variable that says where dlpack.h is" {
	run env -u PIP_FIND_LINKS PIP_NO_INDEX=1 PIP_CONFIG_FILE=/dev/null make -s -C "$CLONE"
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"set DLPACK_INCLUDE to a folder that holds dlpack/dlpack.h"* ]]
}

@test "DLPACK_INCLUDE is taken as it is and nothing is fetched" {
	include="${DLPACK_INCLUDE:-$ROOT/build/deps/include}"
	run env -u PIP_FIND_LINKS PIP_NO_INDEX=1 make -s -C "$CLONE" DLPACK_INCLUDE="$include" build/base/error.o
	echo "$output"
	[ "$status" -eq 0 ]
	[ -f "$CLONE/build/base/error.o" ]
	[ ! -e "$CLONE/build/deps" ]
}

@test "CFLAGS of the user are respected, and a changed SANITIZE rebuilds" {
	include="${DLPACK_INCLUDE:-$ROOT/build/deps/include}"
	run make -C "$CLONE" DLPACK_INCLUDE="$include" CFLAGS=-O1 build/base/error.o
	[[ "$output" == *" -O1 -c -o build/base/error.o"* ]]
	run make -C "$CLONE" DLPACK_INCLUDE="$include" CFLAGS=-O1 SANITIZE=undefined build/base/error.o
	[[ "$output" == *"-fsanitize=undefined"*"build/base/error.o"* ]]
	run make -C "$CLONE" DLPACK_INCLUDE="$include" CFLAGS=-O1 SANITIZE=undefined build/base/error.o
	[[ "$output" != *" -c -o "* ]]
}
