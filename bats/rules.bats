#!/usr/bin/env bats
# Every rule: a page, a passing and a failing fixture; and the failing one is not found
# if the rule's check is disabled.

load helpers

setup() {
	cd "$ROOT" || return 1
}

rule_ids() {
	"$SUAI" rule | sed 's/ .*//'
}

# The options that a rule needs beyond the default. Rules of --calls also use --live, but do not need it.
options_of() {
	"$SUAI" rule -f json "$1" | jq -r '.rules[0].facts
		| if any(. == "calls" or . == "lifetime") then map(select(. == "calls" or . == "lifetime")) else map(select(. == "live")) end
		| .[] | "--" + .'
}

# The rules by the options that they need: "calls", "lifetime" and "live", or "default".
ids_that_need() {
	"$SUAI" rule -f json | jq -r --arg need "$1" '.rules[]
		| (if any(.facts[]; . == "lifetime") then "lifetime" elif any(.facts[]; . == "calls") then "calls"
			elif any(.facts[]; . == "live") then "live" else "default" end) as $own
		| select($own == $need) | .rule'
}

# The fixture testdata/rules/ID/KIND.* as a target; the object of a script is called `array`.
fixture() {
	local file
	for file in "testdata/rules/$1/$2".*; do
		case $file in
		*.py) echo "$file:array" ;;
		*) echo "$file" ;;
		esac
	done
}

# judge KIND: all fixtures of that kind; a line "ID STATUS RULE/SEVERITY..." for each.
judge() {
	judge_those "$1" default
	judge_those "$1" calls --calls
	judge_those "$1" lifetime --lifetime
	judge_those "$1" live --live
}

# judge_those KIND NEED OPTION...: those that need it, in one run.
judge_those() {
	local id ids=() targets=() kind=$1 need=$2
	shift 2
	for id in $(ids_that_need "$need"); do
		ids+=("$id")
		targets+=("$(fixture "$id" "$kind")")
	done
	[ ${#ids[@]} -gt 0 ] || return 0
	"$SUAI" validate -f json --exit-zero "$@" "${targets[@]}" | "$TEST_PYTHON" -c '
import json, sys
ids, targets = sys.argv[1:], json.load(sys.stdin)["targets"]
assert len(ids) == len(targets), (len(ids), len(targets))
for id, target in zip(ids, targets):
    print(id, target["status"], *[f["rule"] + "/" + f["severity"] for f in target["findings"]])
' "${ids[@]}"
}

@test "every rule has a passing and a failing fixture, and every fixture has a rule" {
	for id in $(rule_ids); do
		for kind in good bad; do
			[ "$(fixture "$id" "$kind" | wc -l)" -eq 1 ] && [ -f "$(fixture "$id" "$kind" | sed 's/:array$//')" ] ||
				{ echo "$id: no $kind fixture, or two"; return 1; }
		done
	done
	diff <(rule_ids | sort) <(ls testdata/rules)
}

@test "each failing fixture raises its rule and no other error" {
	judge bad > "$BATS_TEST_TMPDIR/judged"
	while read -r id status found; do
		echo "$id $status: $found"
		[ "$status" = ok ]
		[[ " $found" == *" $id/"* ]]
		for finding in $found; do
			[[ $finding == "$id/"* || $finding != */error ]]
		done
	done < "$BATS_TEST_TMPDIR/judged"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/judged")" -eq "$(rule_ids | wc -l)" ]
}

@test "no passing fixture raises its rule, or any error or warning" {
	judge good > "$BATS_TEST_TMPDIR/judged"
	while read -r id status found; do
		echo "$id $status: $found"
		[ "$status" = ok ]
		[[ " $found" != *" $id/"* ]]
		[[ $found != */error* && $found != */warning* ]]
	done < "$BATS_TEST_TMPDIR/judged"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/judged")" -eq "$(rule_ids | wc -l)" ]
}

@test "with its check disabled no failing fixture is found" {
	for id in $(rule_ids); do
		target=$(fixture "$id" bad)
		mapfile -t options < <(options_of "$id")
		run "$SUAI" validate "${options[@]}" --select "$id" "$target"
		[[ "$output" == *" $id "* ]] || { echo "$id is not found at all"; return 1; }
		SUAI_DISABLE_CHECK=$id run "$SUAI" validate "${options[@]}" --select "$id" "$target"
		echo "$output"
		[ "$status" -eq 0 ]
		[[ "$output" != *" $id "* ]]
	done
}

# Findings without the target's name; addresses and names of unnamed files differ from run to run.
bare_findings() {
	sed -E 's/^[^ ]* //; s/0x[0-9a-f]+/0x/g; s/#[0-9]+ \(deleted\)/# (deleted)/g'
}

@test "a dump of a script's object gives the same findings as the object" {
	for file in testdata/rules/*/*.py; do
		[ -z "$(options_of "$(basename "$(dirname "$file")")")" ] || continue # dumps contain no trials
		live=$("$SUAI" validate -q "$file:array" | bare_findings) || true
		dumped=$("$SUAI" inspect -f yaml "$file:array" | "$SUAI" validate -q - | bare_findings) || true
		[[ $file != */bad.py || -n $live ]]
		diff <(echo "$live") <(echo "$dumped")
	done
}

@test "every rule has a page: requirement, consequence, fix, clause and both examples" {
	for id in $(rule_ids); do
		suai rule "$id"
		[ "$status" -eq 0 ]
		[ "$(head -n 1 <<< "$output" | cut -d ' ' -f 1)" = "$id" ]
		for part in what why mend clause level; do
			grep -qE "^    $part +[^ ]" <<< "$output"
		done
		grep -qE '^passes \(good\.(yaml|py)\)$' <<< "$output"
		grep -qE '^fails \(bad\.(yaml|py)\)$' <<< "$output"
	done
}

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

@test "rule refuses unknown prefixes, with a suggestion" {
	suai rule SUAI399
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: no rule 'SUAI399' (did you mean 'SUAI30"?"'?)" ]]
	suai rule banana
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: no rule 'banana'; 'suai rule' lists them" ]
	suai rule copy-treu
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: no rule 'copy-treu' (did you mean 'copy-true'?)" ]
}

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
