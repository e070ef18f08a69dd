#!/usr/bin/env bats
# The unit tests: each program of build/tests, plain and under AddressSanitizer and UndefinedBehaviorSanitizer.

load helpers

run_units() {
	local program n_programs=0
	for program in $(find "$1/tests" -name "*_test" | sort); do
		run "$program"
		echo "$program: $output"
		[ "$status" -eq 0 ]
		[[ "$output" =~ [1-9][0-9]*\ checks,\ 0\ failed ]]
		n_programs=$((n_programs + 1))
	done
	[ "$n_programs" -gt 5 ]
}

@test "every unit test passes" {
	run_units "$ROOT/build"
}

@test "every unit test passes under ASan and UBSan" {
	make -s -C "$ROOT" BUILD=build/sanitized DLPACK_INCLUDE=build/deps/include SANITIZE=address,undefined units
	run_units "$ROOT/build/sanitized"
}
