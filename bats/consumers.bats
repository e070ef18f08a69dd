#!/usr/bin/env bats
# validate --consumer: planted consumers are identified, and a healthy one is not accused.

load helpers

setup() {
	cd "$ROOT" || return 1
	requires numpy
}

# rules_of NAME: the rules of all errors and warnings of a consumer in planted.py.
rules_of() {
	"$SUAI" validate --exit-zero -f json --consumer "testdata/consumers/planted.py:$1" |
		"$TEST_PYTHON" -c 'import json, sys
targets = json.load(sys.stdin)["targets"]
assert len(targets) > 90
print(*sorted({f["rule"] for t in targets for f in t["findings"] if f["severity"] != "note"}))'
}

check_planted() {
	while [ $# -gt 0 ]; do
		[ "$(rules_of "$1")" = "$2" ] || { echo "$1: $(rules_of "$1"), expected $2"; return 1; }
		shift 2
	done
}

@test "a consumer without a fault has no finding in any case" {
	[ -z "$(rules_of healthy)" ]
}

@test "consumers that ignore a field of the tensor are identified, with no other finding" {
	check_planted ignores_byte_offset DLC301 ignores_strides DLC302 ignores_lanes DLC304 \
		ignores_read_only DLC308 ignores_version DLC802 requires_alignment DLC401
}

@test "consumers that change elements or access other memory are identified, with no other finding" {
	check_planted narrows DLC307 changes_element DLC306 writes DLC403 reads_past_end DLC402
}

@test "consumers that do not own the tensor correctly are identified, with no other finding" {
	check_planted leaks DLC703 leaks_if_it_raises DLC703 deletes_twice DLC703 deletes_early DLC705 \
		does_not_rename DLC701 accepts_used DLC702 calls_null DLC704
}

@test "consumers that raise, return or end wrongly are identified, with no other finding" {
	check_planted ignores_tensor DLC004 returns_argument DLC003 exits DLC001 trusts_ndim DLC002 \
		requires_keywords DLC801 ignores_exception DLC804 raises_system_error DLC808
}

@test "a consumer that hangs is ended after two cases" {
	[ "$(rules_of hangs)" = DLC001 ]
}
