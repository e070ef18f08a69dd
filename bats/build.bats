#!/usr/bin/env bats
# Building a fresh clone: where dlpack.h comes from, and the message if it is not available.

load helpers

setup() {
	CLONE="$BATS_TEST_TMPDIR/clone"
	mkdir "$CLONE"
	git -C "$ROOT" ls-files -z | (cd "$ROOT" && xargs -0 cp --parents -t "$CLONE")
}

@test "make without network names the variable that locates dlpack.h" {
	run env -u PIP_FIND_LINKS PIP_NO_INDEX=1 PIP_CONFIG_FILE=/dev/null make -s -C "$CLONE"
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"set DLPACK_INCLUDE to the directory that contains dlpack/dlpack.h"* ]]
}

@test "DLPACK_INCLUDE is used unchanged, and nothing is downloaded" {
	include="${DLPACK_INCLUDE:-$ROOT/build/deps/include}"
	run env -u PIP_FIND_LINKS PIP_NO_INDEX=1 make -s -C "$CLONE" DLPACK_INCLUDE="$include" build/base/error.o
	echo "$output"
	[ "$status" -eq 0 ]
	[ -f "$CLONE/build/base/error.o" ]
	[ ! -e "$CLONE/build/deps" ]
}

@test "CFLAGS of the user are respected, and changing SANITIZE triggers a rebuild" {
	include="${DLPACK_INCLUDE:-$ROOT/build/deps/include}"
	run make V=1 -C "$CLONE" DLPACK_INCLUDE="$include" CFLAGS=-O1 build/base/error.o
	[[ "$output" == *" -O1 -c -o build/base/error.o"* ]]
	run make V=1 -C "$CLONE" DLPACK_INCLUDE="$include" CFLAGS=-O1 SANITIZE=undefined build/base/error.o
	[[ "$output" == *"-fsanitize=undefined"*"build/base/error.o"* ]]
	run make V=1 -C "$CLONE" DLPACK_INCLUDE="$include" CFLAGS=-O1 SANITIZE=undefined build/base/error.o
	[[ "$output" != *" -c -o "* ]]
}

@test "make prints one short line for each file, nothing if nothing changed, and nothing with -s" {
	include="${DLPACK_INCLUDE:-$ROOT/build/deps/include}"
	build() {
		# A separate make process: neither the flags nor the jobs of the one that runs the tests.
		run env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory -C "$CLONE" DLPACK_INCLUDE="$include" "$@"
		echo "$output"
		[ "$status" -eq 0 ]
	}
	build build/base/error.o
	[ "$output" = '  CC      src/base/error.c' ]
	build build/base/error.o
	[ "$output" = "" ]
	rm "$CLONE/build/base/error.o"
	build -s build/base/error.o
	[ "$output" = "" ]
}

@test "without kernel compilers, make uses carried kernels of the same source, or --version reports none" {
	include="${DLPACK_INCLUDE:-$ROOT/build/deps/include}"
	made="build/copy/kernels/kernel_tables.c build/commands/version.o"
	build() {
		# shellcheck disable=SC2086 # the files are words
		make -s -C "$CLONE" DLPACK_INCLUDE="$include" CLANG='' LLVM_SPIRV='' "$@" $made
	}
	build
	grep -q '"rows2", .*, { }, NULL }' "$CLONE/build/copy/kernels/kernel_tables.c"
	grep -aq 'OpenCL C only, no SPIR-V or PTX' "$CLONE/build/commands/version.o"
	carried="$BATS_TEST_TMPDIR/carried/kernels"
	mkdir -p "$carried"
	names=$(awk '!/^#/ { print $1 }' "$CLONE/src/copy/kernels/kernels.list" "$CLONE/src/copy/kernels/reduce.list")
	make -s -C "$CLONE" build/kernels/encode
	for name in $names; do
		printf '\003\002\043\007%016d' 0 > "$carried/$name.spv" # the header of SPIR-V
		echo "code of $name" > "$carried/$name.ptx"
	done
	for form in spv ptx; do
		(cd "$CLONE" && tools/pack-kernels "$carried" $form build/kernels/encode)
		rm "$carried"/*."$form"
	done
	(cd "$CLONE/src/copy/kernels" && cat kernels.list reduce.list $(LC_ALL=C ls cl/*.cl) reduce.cl strided_copy.cl kernel_constants.h ../../../tools/pack-kernels \
		../../../tools/encode_kernels.c | cksum) > "$carried/stamp"
	build DEPS="$BATS_TEST_TMPDIR/carried"
	grep -q '"rows2", .*, { { 0, 0, 14 }, { 0, 0, 20 }, }, NULL }' "$CLONE/build/copy/kernels/kernel_tables.c"
	grep -q '"rows1", .*, { { 0, 16, 14 }, { 0, 32, 20 }, }, NULL }' "$CLONE/build/copy/kernels/kernel_tables.c"
	grep -q '{ "spv", 0, form_spv, { { 0, [1-9][0-9]*, 0, [1-9][0-9]*, [1-9][0-9]*, [1-9][0-9]* }, ' "$CLONE/build/copy/kernels/kernel_tables.c"
	run ! grep -aq 'OpenCL C only, no SPIR-V or PTX' "$CLONE/build/commands/version.o"
	echo '/* changed */' >> "$CLONE/src/copy/kernels/strided_copy.cl"
	build DEPS="$BATS_TEST_TMPDIR/carried"
	grep -q '"rows2", .*, { }, NULL }' "$CLONE/build/copy/kernels/kernel_tables.c"
	grep -aq 'OpenCL C only, no SPIR-V or PTX' "$CLONE/build/commands/version.o"
}

@test "a dictionary passes fewer than 100 functions specific to it on its way to SARIF" {
	echo 'int main(void) { return 0; }' > "$BATS_TEST_TMPDIR/empty.c"
	"${CC:-gcc}" -finstrument-functions -o "$BATS_TEST_TMPDIR/empty" "$BATS_TEST_TMPDIR/empty.c" "$ROOT/testdata/tools/call_recorder.c" ||
		skip "${CC:-gcc} cannot build with -finstrument-functions"
	command -v addr2line nm > /dev/null || skip "no binutils"
	run env -u MAKEFLAGS -u MAKELEVEL "$ROOT/tools/call-count"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *" functions specific to it, 100 allowed; "*" functions in all, "*" allowed" ]]
}

# bats test_tags=judge
@test "test-gpu is skipped with the reason if DEPS is not a packed directory, and records no run" {
	export SUAI_TIER_RECORDS="$BATS_TEST_TMPDIR/tiers.md"
	cd "$CLONE"
	run -0 env -u MAKEFLAGS make -s test-gpu DEPS="$BATS_TEST_TMPDIR"
	[ "$output" = "skipped: DEPS is '$BATS_TEST_TMPDIR', expected a directory that tools/pack-deps filled" ]
	run -2 tools/tier test-gpu
	[ "$output" = 'usage: tools/tier NAME COMMAND...' ]
	[ ! -e "$SUAI_TIER_RECORDS" ]
}
