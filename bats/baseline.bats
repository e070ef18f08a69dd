#!/usr/bin/env bats
# --baseline: recorded findings pass, new ones fail, fixed ones are reported.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p tests ci
	write_arrays
}

# write_arrays [SED SCRIPT]: three objects, of which two have two mistakes each.
write_arrays() {
	cat > tests/arrays.py <<-'END'
	import ctypes
	buffer = (ctypes.c_float * 6)()
	class Array:
	    def __init__(self, **keys):
	        declared = dict(shape=(2, 3), typestr="<f4", data=(ctypes.addressof(buffer), False), version=3)
	        self.__cuda_array_interface__ = declared | keys
	a = Array(shape=[2, 3.5])
	b = Array(typestr="f4", strides=[12, 4])
	good = Array()
	END
	[ $# -eq 0 ] || sed -i -E "$1" tests/arrays.py
}

# validate ARGUMENT...: with the rules that need no driver.
validate() {
	suai validate --static --baseline ci/known.yaml "$@"
}

# update ARGUMENT...: the same, and writes the baseline.
update() {
	validate --update-baseline "$@"
}

# entries: the entries of the baseline, one per line.
entries() {
	"$TEST_PYTHON" -c '
import sys, yaml
for entry in yaml.safe_load(open("ci/known.yaml"))["findings"]:
    print(*entry.values())'
}

# found: rule and field of each finding of the printed document, sorted.
found() {
	jq -r '.targets[] | .target as $t | .findings[] | "\($t) \(.rule) \(.field)"' <<< "$output" | sort
}

@test "an update records each finding once; recorded findings then pass and are only counted" {
	suai validate --static tests/arrays.py -f json
	[ "$status" -eq 1 ]
	found > all
	[ "$(wc -l < all)" -eq 4 ]
	update tests/arrays.py
	[ "$status" -eq 0 ]
	[ "$stderr" = "suai: ci/known.yaml: wrote 4 findings: 4 new, 0 no longer found" ]
	[ "$(entries | sed 's#^\.\./##; s/ 1 None$//')" = "$(cat all)" ]
	validate tests/arrays.py
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings in 3 targets; 4 known (-v shows them)"* ]]
	[ -z "$stderr" ]
	validate -v tests/arrays.py
	[ "$(grep -c '^tests/arrays.py:[ab]: known CAI' <<< "$output")" -eq 4 ]
	validate -v -f concise tests/arrays.py
	[ "$(grep -c '^tests/arrays.py:[ab]: note known CAI' <<< "$output")" -eq 4 ]
	for format in concise junit tap github; do
		validate -f $format tests/arrays.py
		[ "$status" -eq 0 ]
		[[ "$output" != *error* || "$output" == *'errors="0"'* ]]
		[[ "$output" != *"not ok"* && "$output" != *"<failure"* ]]
	done
}

@test "a new finding fails and is the only one shown" {
	update tests/arrays.py
	write_arrays 's/^good = .*/good = Array(data=None)/'
	validate tests/arrays.py -f json
	[ "$status" -eq 1 ]
	[[ "$(found)" == "tests/arrays.py:good CAI"*" data" ]]
	[ "$(jq -c '.summary | [.errors, .baseline.known, .baseline.new, .baseline.gone]' <<< "$output")" = '[1,4,1,[]]' ]
	[ "$(jq '[.targets[].known | length] | add' <<< "$output")" -eq 4 ]
}

@test "a fixed finding is reported without changing the exit status, and an update removes it" {
	update tests/arrays.py
	write_arrays 's/^a = .*/a = Array()/'
	validate tests/arrays.py
	[ "$status" -eq 0 ]
	[ "$(wc -l <<< "$stderr")" -eq 3 ]
	[[ "$stderr" == *"suai: ci/known.yaml: tests/arrays.py:a: CAI"*" shape"*": no longer found"* ]]
	[[ "$output" == *"; 2 known (-v shows them); 2 no longer found"* ]]
	validate -q tests/arrays.py
	[ -z "$stderr" ]
	validate -f json tests/arrays.py
	[ "$(jq -c '.summary.baseline.gone[] | [.target, .count, .reason]' <<< "$output" | sort -u)" = '["tests/arrays.py:a",1,null]' ]
	validate -f github tests/arrays.py
	[ "$(grep -cE '^::notice .*title=baseline CAI[0-9]+::tests/arrays.py:a: .*: no longer found; --update-baseline removes it$' <<< "$output")" -eq 2 ]
	update tests/arrays.py
	[ "$stderr" = "suai: ci/known.yaml: wrote 2 findings: 0 new, 2 no longer found" ]
	[ "$(entries | grep -c arrays.py:a)" -eq 0 ]
	validate tests/arrays.py
	[ -z "$stderr" ]
}

@test "more than ten fixed findings are counted" {
	for i in {1..15}; do echo "x$i = Array(shape=[2, 3])" >> tests/arrays.py; done
	update tests/arrays.py
	write_arrays
	validate tests/arrays.py
	[ "$(wc -l <<< "$stderr")" -eq 12 ]
	[[ "$stderr" == *"suai: ci/known.yaml: 5 more no longer found"* ]]
}

@test "after renaming a variable its finding is new, and the old one is reported as fixed" {
	update tests/arrays.py
	write_arrays 's/^a = /renamed = /'
	validate tests/arrays.py -f json
	[ "$status" -eq 1 ]
	[ "$(found | cut -d' ' -f1 | sort -u)" = tests/arrays.py:renamed ]
	[ "$(jq -r '.summary.baseline.gone[].target' <<< "$output" | sort -u)" = tests/arrays.py:a ]
}

@test "an entry of a name that is no longer an array is reported as fixed, unless -p or the rule hide the object" {
	echo 'c = bytearray(2); d = 3' >> tests/arrays.py
	update tests/arrays.py tests/arrays.py:d
	write_arrays 's/^a = .*/a = 3; c = d = 4/'
	printf -- '- {target: ../tests/arrays.py:c, rule: BUF101, field: null, count: 1}\n' >> ci/known.yaml
	validate -p dlpack tests/arrays.py
	[ -z "$stderr" ]
	validate tests/arrays.py
	[ "$status" -eq 0 ]
	[ "$(grep -v 'removes them' <<< "$stderr" | sed 's/.*py:\(.\): \([A-Z]*\).*/\1 \2/' | sort -u)" = "a CAI" ]
	update tests/arrays.py
	[[ "$stderr" == *": 0 new, "[1-9]" no longer found" ]]
	[ "$(entries | grep -c 'arrays.py:a ')" -eq 0 ]
	entries | grep 'arrays.py:d XPR002'
	entries | grep 'arrays.py:c BUF101'
}

@test "the order of targets, addresses, the working directory and -j do not matter" {
	cp tests/arrays.py tests/more.py
	update tests/arrays.py tests/more.py
	write_arrays '1i filler = bytearray(10000000); import array'
	for order in "tests/arrays.py tests/more.py" "tests/more.py tests/arrays.py:b tests/arrays.py:a" "./tests/../tests/more.py" \
		"tests/arrays.py tests/more.py -j 2"; do
		# shellcheck disable=SC2086 # words
		validate $order
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
	done
	cp ci/known.yaml before
	update tests/more.py tests/arrays.py
	cmp ci/known.yaml before
	cd tests
	suai validate --static --baseline ../ci/known.yaml arrays.py "$PWD/more.py"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
}

# bats test_tags=judge
@test "equal findings are counted: an additional one is new, a missing one is fixed" {
	requires yaml
	printf 'targets: [{target: "x.py:x", interfaces: [%s, %s]}]\n' \
		"{protocol: cuda, declared: {version: 3, shape: [1], typestr: 4, data: [4096, false]}}" \
		"{protocol: cuda, declared: {version: 3, shape: [1], typestr: 4, data: [4096, false]}}" > two.yaml
	sed -E 's/, \{protocol.*\}\]\}\]/]}]/' two.yaml > one.yaml
	sed -E 's/interfaces: \[(\{.*\}), /&\1, /' two.yaml > three.yaml
	update two.yaml
	[ "$(entries | cut -d' ' -f4 | sort -u)" = 2 ]
	validate two.yaml
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	validate one.yaml -f json
	[ "$status" -eq 0 ]
	[ "$(jq -r '.summary.baseline.gone[].count' <<< "$output" | sort -u)" = 1 ]
	validate three.yaml -f json
	[ "$status" -eq 1 ]
	[ "$(jq -r '.summary.baseline | [.known, .new] | join(" ")' <<< "$output")" = "$((2 * $(entries | wc -l))) $(entries | wc -l)" ]
	update three.yaml
	validate two.yaml
	[[ "$stderr" == *": no longer found"* && "$stderr" != *" findings: "* ]]
	validate one.yaml
	[[ "$stderr" == *", 2 findings: no longer found"* ]]
}

@test "an update keeps reasons, and entries that this run did not check or could not evaluate" {
	cp tests/arrays.py tests/more.py
	update tests/arrays.py tests/more.py
	[ "$(entries | wc -l)" -eq 8 ]
	"$TEST_PYTHON" -c '
text = open("ci/known.yaml").read()
open("ci/known.yaml", "w").write(text.replace("reason: null", "reason: \"old; see #12\"", 1))'
	write_arrays 's/^(a|b) = .*/\1 = Array()/'
	update tests/arrays.py:b
	[ "$(entries | wc -l)" -eq 6 ]
	update --select DLP tests/more.py tests/arrays.py
	[ "$(entries | wc -l)" -eq 6 ]
	[ "$(entries | grep -c 'old; see #12')" -eq 1 ]
	rm tests/more.py
	update tests/arrays.py
	[ "$(entries | cut -d: -f1 | sort -u)" = "../tests/more.py" ]
	head -n 1 ci/known.yaml | grep -q '^# Findings that '
}

@test "findings of a failed target are neither recorded nor removed" {
	update tests/arrays.py
	cp ci/known.yaml before
	echo 'import os; os._exit(0)' >> tests/arrays.py
	update tests/arrays.py
	[ "$status" -eq 3 ]
	[[ "$stderr" == *"1 target failed; its entries are unchanged" ]]
	cmp ci/known.yaml before
	write_arrays
	cat >> tests/arrays.py <<-'END'
	class Crash(Array):
	    @property
	    def __array_interface__(self):
	        ctypes.string_at(8)
	crash = Crash(shape=[1])
	END
	update tests/arrays.py
	[ "$status" -eq 3 ]
	cmp ci/known.yaml before
	validate tests/arrays.py
	[ "$status" -eq 3 ]
	[[ "$output" == *"arrays.py:crash"*CAI* ]]
}

@test "notes are recorded only if they fail" {
	requires numpy
	echo 'import numpy as np; n = np.arange(6.0)[::-1]' > tests/notes.py
	suai validate --static --ignore DLP403 --baseline ci/known.yaml --update-baseline tests/notes.py
	[ "$(entries | wc -l)" -eq 0 ]
	suai validate --static --ignore DLP403 --baseline ci/known.yaml --update-baseline -S note tests/notes.py
	[ "$status" -eq 0 ]
	[ "$(entries | wc -l)" -gt 0 ]
	suai validate --static --ignore DLP403 --baseline ci/known.yaml -S note tests/notes.py
	[ "$status" -eq 0 ]
	suai validate --static --ignore DLP403 --baseline ci/known.yaml tests/notes.py
	[ -z "$stderr" ]
}

@test "sarif marks findings as new, unchanged or absent" {
	update tests/arrays.py
	write_arrays 's/^a = .*/a = Array()/; s/^good = /good = Array(version="3"); old = /'
	validate -f sarif tests/arrays.py
	[ "$(jq -r '.runs[0].results[] | "\(.baselineState) \(.locations[0].logicalLocations[0].fullyQualifiedName)"' <<< "$output" | sort | uniq -c | sed 's/^ *//')" = \
		$'2 absent tests/arrays.py:a\n1 new tests/arrays.py:good\n2 unchanged tests/arrays.py:b' ]
	suai validate --static -f sarif tests/arrays.py
	jq -e '[.runs[0].results[] | has("baselineState")] | any | not' <<< "$output"
	requires sarif_pydantic
	validate -f sarif tests/arrays.py
	echo "$output" > log.sarif
	"$TEST_PYTHON" "$ROOT/testdata/tools/check_sarif.py" log.sarif > /dev/null
}

@test "documents with a baseline conform to the schema" {
	requires jsonschema yaml
	update tests/arrays.py
	write_arrays 's/^a = .*/c = Array(shape=3)/'
	validate -f json tests/arrays.py > /dev/null
	echo "$output" > document.json
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_schema.py" "$ROOT/schema/suai.schema.json" - document.json
	echo "$output"
	[ "$status" -eq 0 ]
}

# bad TEXT MESSAGE: a baseline with that text is refused.
bad() {
	printf '%b' "$1" > ci/known.yaml
	validate tests/arrays.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: ci/known.yaml$2" ]
	cp ci/known.yaml before
	update tests/arrays.py
	[ "$status" -eq 2 ]
	cmp ci/known.yaml before
}

@test "an invalid baseline is refused with line, column and a suggestion, and is left unchanged" {
	suai validate --baseline nowhere.yaml tests/arrays.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot read the baseline 'nowhere.yaml': No such file or directory; --update-baseline creates it" ]
	suai validate --update-baseline tests/arrays.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --update-baseline requires --baseline FILE" ]
	bad 'baseline: 2\nfindings: []\n' ":1:11: expected 'baseline: 1', the format version"
	bad '- a\n' ":1:1: expected a baseline written by --update-baseline, got a list"
	bad 'baseline: 1\nfindngs: []\n' ":2:1: unknown key 'findngs' (did you mean 'findings'?)"
	bad 'baseline: 1\nfindings: 3\n' ":2:11: findings: expected a list, got a number"
	bad 'baseline: 1\nfindings:\n- target: a.py:a\n  ruel: CAI101\n' ":4:3: unknown key 'ruel' (did you mean 'rule'?)"
	bad 'baseline: 1\nfindings:\n- target: a.py:a\n' ":3:3: missing 'rule'"
	bad 'baseline: 1\nfindings:\n- {target: a.py:a, rule: CAI999}\n' ":3:26: rule: unknown rule 'CAI999' (did you mean 'CAI901'?)"
	bad 'baseline: 1\nfindings:\n- {target: a.py:a, rule: CAI}\n' ":3:26: rule: 'CAI' is a prefix of rule ids; expected one id"
	bad 'baseline: 1\nfindings:\n- {target: a.py:a, rule: CAI101, count: 0}\n' ":3:41: count: expected a positive integer"
	bad 'baseline: 1\nfindings:\n- {target: [a], rule: CAI101}\n' ":3:12: target: expected a string, got a list"
	bad 'baseline: 1\nfindings: [\n' ":3:1: did not find expected node content"
	: > ci/known.yaml
	validate tests/arrays.py
	[ "$status" -eq 1 ]
}

@test "an update is written completely or not at all" {
	update tests/arrays.py
	cp ci/known.yaml before
	echo 'import time; time.sleep(60)' >> tests/arrays.py
	run timeout -s TERM 2 "$SUAI" validate --baseline ci/known.yaml --update-baseline tests/arrays.py
	cmp ci/known.yaml before
	[ "$(ls ci)" = known.yaml ]
	write_arrays
	for special in /dev/null /dev/full; do
		suai validate --static --baseline "$special" --update-baseline tests/arrays.py
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: cannot write the baseline '$special': not a regular file" ]
	done
	suai validate --static --baseline "$PWD/nowhere/known.yaml" --update-baseline tests/arrays.py
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"cannot write '$PWD/nowhere/known.yaml': No such file or directory" ]]
}

@test "suai.yaml may set the baseline, relative to its own directory" {
	echo 'baseline: ci/known.yaml' > suai.yaml
	update tests/arrays.py
	cd tests
	suai validate --static arrays.py
	[ "$status" -eq 0 ]
	[[ "$output" == *"; 4 known "* ]]
}

# bats test_tags=judge
@test "a baseline of 2,000 findings is read, matched and written quickly" {
	"$TEST_PYTHON" -c '
print("targets:")
for i in range(2000):
    print(f"- {{target: \"t.py:x{i}\", interfaces: [{{protocol: cuda, declared: {{version: 3, shape: [1], typestr: 4, data: [4096, false]}}}}]}}")' > many.yaml
	update -q many.yaml
	[ "$status" -eq 0 ]
	# Time of the processor, since the machine may be busy.
	TIMEFORMAT=%U
	{ time "$SUAI" validate -q --static --baseline ci/known.yaml many.yaml > printed 2>&1; } 2> seconds
	[ ! -s printed ]
	awk '{ exit !($1 < 5) }' seconds
}
