#!/usr/bin/env bats
# What make bench measures: that it finds what it is measured at finding. Figures are no test.

load helpers

judge() {
	suai validate -f json -p sycl -p cuda -p dlpack -p numpy -p numpy-struct -p buffer "$@" \
		"$ROOT/testdata/bench/objects.py"
	[ "$status" -eq 1 ]
	printf '%s\n' "$output" > "$BATS_TEST_TMPDIR/found"
	run "$TEST_PYTHON" "$ROOT/testdata/bench/check.py" "$BATS_TEST_TMPDIR/found"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = "1000 objects of 6 protocols, 300 of 300 defects reported, 0 false alarms" ]
}

@test "of 1,000 objects of six protocols all 300 defects are reported, each by its rule, and no other error" {
	judge
}

@test "the same without NumPy and dpctl" {
	"/usr/bin/python3" -c 'import dpctl' 2>/dev/null && skip "dpctl in /usr/bin/python3"
	judge --python /usr/bin/python3
}

@test "tools/bench prints a row for each way of hosting, in ms and as a ratio" {
	run "$ROOT/tools/bench" 1
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -cE '^\| (inspect|validate) of .* \| [0-9.]+ ms \| [0-9.]+ ms \| -?[0-9.]+ ms \| [0-9.]+ \| [0-9.]+ ms \| [0-9.]+ ms \|$' <<< "$output")" -eq 4 ]
	[ "$(grep -c '300 of 300 defects reported, 0 false alarms' <<< "$output")" -eq 2 ]
}
