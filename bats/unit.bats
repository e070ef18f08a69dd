#!/usr/bin/env bats
# The unit tests: each program of build/tests, plain and under AddressSanitizer and UndefinedBehaviorSanitizer.

load helpers

# bats test_tags=judge
@test "a unit test that fails, and one that checks nothing, are found" {
	cd "$BATS_TEST_TMPDIR"
	for i in 1 2 3 4 5 6; do
		printf '#!/bin/sh\necho "%s checks, 0 failed"\n' "$i" > "good${i}_test"
	done
	chmod +x ./*_test
	run "$ROOT/tools/run-units" .
	[ "$status" -eq 0 ]
	[ "$output" = "6 unit tests, 0 failed" ]
	echo 'echo "0 checks, 0 failed"' > good6_test
	echo 'echo "2 checks, 0 failed"; exit 1' > good5_test
	run "$ROOT/tools/run-units" .
	[ "$status" -eq 1 ]
	[ "${lines[-1]}" = "6 unit tests, 2 failed" ]
}

# bats test_tags=judge
@test "a unit test that does not end is killed, and fails" {
	cd "$BATS_TEST_TMPDIR"
	for i in 1 2 3 4 5 6; do
		printf '#!/bin/sh\necho "%s checks, 0 failed"\n' "$i" > "good${i}_test"
	done
	chmod +x ./*_test
	echo 'exec sleep 60' >> good6_test
	UNIT_SECONDS=3 run "$ROOT/tools/run-units" .
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "./good6_test: failed: timed out after 3 s" ]
	[ "${lines[-1]}" = "6 unit tests, 1 failed" ]
}

@test "every unit test passes" {
	"$ROOT/tools/run-units" "$ROOT/build/tests"
}

@test "every unit test passes under ASan and UBSan" {
	# With the kernels of the plain build.
	make -s -C "$ROOT" BUILD=build/sanitized DLPACK_INCLUDE=build/deps/include SANITIZE=address,undefined CFLAGS='-O1 -g1' \
		kernels_from="$(cat "$ROOT/build/kernels/from")" unit-tests
	"$ROOT/tools/run-units" "$ROOT/build/sanitized/tests"
}
