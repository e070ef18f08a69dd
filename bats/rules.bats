#!/usr/bin/env bats
# Every rule: a page, a passing and a failing fixture; and the failing one is not found
# if the rule's check is disabled.

load helpers

setup() {
	cd "$ROOT" || return 1
}

rule_ids() {
	"$SUAI" rule --query rule
}

# check_rules CHECK [yaml|py]: what testdata/tools/check_rules.py checks of each rule.
check_rules() {
	run "$TEST_PYTHON" testdata/tools/check_rules.py "$SUAI" "$@"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" =~ [1-9][0-9]*\ checked,\ 0\ wrong$ ]]
}

# bats test_tags=judge
@test "every rule has a passing and a failing fixture, and every fixture has a rule" {
	diff <(for id in $(rule_ids); do echo "$id/bad $id/good"; done | tr ' ' '\n' | sort) \
		<(cd testdata/rules && find . -mindepth 2 -name '*.*' | sed -E 's#^\./##; s/\.(yaml|py)$//' | sort)
}

# bats test_tags=judge
@test "each failing fixture that is a dump raises its rule and no other error" {
	check_rules bad yaml
}

@test "each failing fixture that is a script raises its rule and no other error" {
	check_rules bad py
}

# bats test_tags=judge
@test "no passing fixture that is a dump raises its rule, or any error or warning" {
	check_rules good yaml
}

@test "no passing fixture that is a script raises its rule, or any error or warning" {
	check_rules good py
}

# bats test_tags=judge
@test "each rule alone detects its failing dump, and does not if its check is disabled" {
	check_rules off yaml
}

@test "each rule alone detects its failing script, and does not if its check is disabled" {
	check_rules off py
}

@test "the findings of a script's object are those of a dump of it" {
	check_rules dumps
}

# bats test_tags=judge
@test "every rule has a page: what, why, fix, clause, level and both examples" {
	check_rules pages
}

# bats test_tags=judge
@test "rule accepts ids in any case, with a hyphen, and prefixes of ids" {
	for word in suai302 SUAI-302; do
		suai rule "$word"
		[ "${lines[0]}" = "SUAI302 strides-length (error)" ]
	done
	suai rule SUAI2
	[ "${#lines[@]}" -eq 6 ]
	[[ "${lines[0]}" == "SUAI201  error "* ]]
	[[ "${lines[5]}" == "SUAI206  warning "* ]]
}

@test "rule accepts names, which rules of several families may share" {
	suai rule copy-true
	[ "${lines[0]}" = "DLP801 copy-true (error)" ]
	suai rule strides-length
	[ "$(sed 's/ .*//' <<<"$output" | tr '\n' ' ')" = "SUAI302 CAI302 " ]
	suai validate --calls --select copy-true --ignore DLP8 testdata/calls/liars.py:DLP801_same_memory
	[[ "$output" == *" DLP801 copy-true: "* ]]
}

# bats test_tags=judge
@test "rule refuses unknown prefixes, with a suggestion" {
	suai rule SUAI399
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: unknown rule 'SUAI399' (did you mean 'SUAI30"?"'?)" ]]
	suai rule banana
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: unknown rule 'banana'; run 'suai rule' to list all rules" ]
	suai rule copy-treu
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: unknown rule 'copy-treu' (did you mean 'copy-true'?)" ]
	while read -r protocol prefix; do
		suai rule "$protocol"
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: unknown rule '$protocol' (did you mean '$prefix'?)" ]
	done <<-'END'
		sycl SUAI
		cuda CAI
		DLPack DLP
		numpy NAI
		buffer BUF
	END
}

# bats test_tags=judge
@test "all rules as json and as yaml are the same, and complete" {
	for format in json yaml; do
		"$SUAI" rule -f $format -o "$BATS_TEST_TMPDIR/book.$format"
	done
	requires yaml
	"$TEST_PYTHON" - "$BATS_TEST_TMPDIR" << 'EOF'
import json, sys, yaml
book = json.load(open(sys.argv[1] + "/book.json"))
assert book == yaml.safe_load(open(sys.argv[1] + "/book.yaml"))
assert book["command"] == "rule" and book["suai"] == 1
keys = {"rule", "name", "severity", "level", "protocols", "facts", "needs", "said_by", "took_over", "since", "until", "clause",
        "says", "why", "hint", "known_producers", "examples"}
for rule in book["rules"]:
    assert set(rule) == keys, rule["rule"]
    assert [e["passes"] for e in rule["examples"]] == [True, False], rule["rule"]
by_id = {rule["rule"]: rule for rule in book["rules"]}
assert by_id["SUAI109"]["known_producers"][0]["effect"] == "breaks"
assert by_id["NAI002"]["protocols"] == ["numpy", "numpy-struct"]
assert by_id["XPR002"]["protocols"] == []
assert by_id["XPR801"]["said_by"][:2] == ["SUAI109", "DLP806"] and by_id["XPR801"]["needs"] == []
EOF
}

@test "the page of a rule about a dictionary shows the attribute before and after the fix, in Python" {
	run env -u COLUMNS "$SUAI" rule CAI302
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"before
    @property
    def __cuda_array_interface__(self):
        return {'shape': (2, 3), 'typestr': '<f4', 'data': (4096, False), 'strides': (4,),
                'version': 3}

after
    @property
    def __cuda_array_interface__(self):
        return {'shape': (2, 3), 'typestr': '<f4', 'data': (4096, False), 'strides': (12, 4),
                'version': 3}"* ]]
	run "$SUAI" rule DLP201
	[ "$status" -eq 0 ]
	[[ "$output" != *"before"* ]]
}
