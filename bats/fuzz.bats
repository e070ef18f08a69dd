#!/usr/bin/env bats
# The fuzzers of src/fuzz: the inputs of testdata/fuzz, without libFuzzer, under AddressSanitizer and UndefinedBehaviorSanitizer.

load helpers

@test "every saved input of each fuzzer passes under ASan and UBSan" {
	local fuzzer name replayed=0
	# The objects are those of unit.bats.
	make -s -C "$ROOT" BUILD=build/sanitized DLPACK_INCLUDE=build/deps/include SANITIZE=address,undefined CFLAGS='-O1 -g1' \
		kernels_from="$(cat "$ROOT/build/kernels/from")" replayers
	for fuzzer in "$ROOT"/src/fuzz/*_fuzz.c; do
		name=$(basename "$fuzzer" .c)
		run --separate-stderr "$ROOT/build/sanitized/replay/$name" "$ROOT/testdata/fuzz/${name%_fuzz}.corpus"
		[ "$status" -eq 0 ] || {
			echo "$name: status $status: $stderr"
			false
		}
		[ "$output" = "$(grep -cE '^([0-9a-f]{2})+$' "$ROOT/testdata/fuzz/${name%_fuzz}.corpus") inputs" ]
		replayed=$((replayed + 1))
	done
	[ "$replayed" -ge 15 ]
}

@test "an input that breaks an invariant of a fuzzer aborts the replay" {
	local broken="$BATS_TEST_TMPDIR/broken.c"
	cat > "$broken" <<-'EOF'
		#include <stdint.h>
		#include <stdlib.h>
		int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
		{
			if (n_bytes > 1 && bytes[1] == 0x61)
				abort();
			return 0;
		}
	EOF
	gcc -D_GNU_SOURCE -o "$BATS_TEST_TMPDIR/replay" "$broken" "$ROOT/testdata/tools/replay.c"
	printf '00ff\n0162\n' > "$BATS_TEST_TMPDIR/good"
	printf '00ff\n0161\n' > "$BATS_TEST_TMPDIR/bad"
	run --separate-stderr "$BATS_TEST_TMPDIR/replay" "$BATS_TEST_TMPDIR/good"
	[ "$status" -eq 0 ]
	[ "$output" = "2 inputs" ]
	run --separate-stderr "$BATS_TEST_TMPDIR/replay" "$BATS_TEST_TMPDIR/bad"
	[ "$status" -ne 0 ]
	[[ "$stderr" == *"bad:2"* ]]
}
