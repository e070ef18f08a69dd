#!/usr/bin/env bats
# The text format, for dumps: the output at each verbosity, with colours and without.

load helpers

RULES=SUAI004,SUAI102,SUAI108,SUAI114,SUAI115,XPR002

setup() {
	unset COLUMNS
	cd "$ROOT/testdata/text"
}

# bats test_tags=judge
@test "inspect shows each interface as decoded and as declared" {
	suai inspect dump.yaml
	[ "$status" -eq 2 ]
	golden text/inspect.txt
}

# bats test_tags=judge
@test "inspect -q prints one line per interface" {
	suai inspect -q dump.yaml
	golden text/inspect_quiet.txt
}

# bats test_tags=judge
@test "inspect -v omits nothing" {
	suai inspect -v dump.yaml
	golden text/inspect_verbose.txt
}

# bats test_tags=judge
@test "validate marks the field and prints the consequence, the fix and the clause" {
	suai validate --select $RULES wrong.yaml
	[ "$status" -eq 3 ]
	golden text/validate.txt
}

# bats test_tags=judge
@test "validate -q prints one line per finding, and -v adds what was skipped" {
	suai validate -q wrong.yaml
	[ "${#lines[@]}" -gt 1 ]
	[ -z "$(grep -vE '^[a-z]+: ((error|warning|note) [A-Z]+[0-9]{3} [a-z-]+|raised at evaluate): ' <<<"$output")" ]
	suai validate -v wrong.yaml
	grep -E '^missing: skipped [A-Z]+[0-9]+: requires SUAI114, which failed$' <<<"$output"
}

# bats test_tags=judge
@test "validate reports success in one line, and nothing with -q" {
	suai validate "$ROOT/testdata/rules/SUAI102/good.yaml"
	[ "$status" -eq 0 ]
	[ "$output" = "no findings in 1 target" ] || [[ "$output" == "no findings in 1 target; "* ]]
	suai validate -q "$ROOT/testdata/rules/SUAI102/good.yaml"
	[ -z "$output" ]
}

# bats test_tags=judge
@test "--color always prints colour; pipes and NO_COLOR disable it" {
	suai validate --select $RULES --color always wrong.yaml
	[[ "$output" == *$'\e[1;31merror\e[0m'* ]]
	output="$(sed 's/\x1b\[[0-9;]*m//g' <<<"$output")"
	UPDATE= golden text/validate.txt
	suai validate --color auto wrong.yaml
	[[ "$output" != *$'\e['* ]]
}

# bats test_tags=judge
@test "control characters in an object's text do not reach the terminal" {
	printf 'targets:\n- target: "a\\e[2Jb"\n  type: "\\x07"\n  interfaces:\n  - protocol: "cuda\\e"\n    status: "\\e[1m"
    declared: {"\\e": "\\x9b", op: "\\e"}\n    types: {op: "\\e"}\n    error: {message: "\\e\\n\\e"}\n' > "$BATS_TEST_TMPDIR/a.yaml"
	for option in -q -v --color=never; do
		suai inspect "$option" "$BATS_TEST_TMPDIR/a.yaml"
		[ "$output" = "$(tr -d '\000-\011\013-\037' <<<"$output")" ]
		[[ "$output" != *$'\xc2\x9b'* ]]
	done
}

# bats test_tags=judge
@test "--query prints one line per key; a missing value is an empty line and exit status 1" {
	suai inspect --query shape,strides_bytes,pointer -p numpy one.yaml
	[ "$status" -eq 0 ]
	[ "$output" = $'3 4\n16 4\n0x55d0c0de1fb0' ]
	suai inspect --query memory.kind,device.id,extent.low,readonly one.yaml
	[ "$output" = $'host\n0\n0x55d0c0de1fb0\nfalse' ]
	suai inspect --query memory.context,ndim one.yaml
	[ "$status" -eq 1 ]
	[ "$output" = $'\n2' ]
	suai inspect --query shape -p sycl one.yaml
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	suai inspect --query shap one.yaml
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"unknown key 'shap' for an array"* ]]
	suai inspect --query ndim,shap nowhere.yaml one.yaml
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ "$stderr" == "suai: --query: unknown key 'shap' for an array (did you mean 'shape'?)" ]]
}

# bats test_tags=judge
@test "of a struct only the fields that findings name are shown, and all with -v" {
	suai validate --select DLP303 "$ROOT/testdata/rules/DLP303/bad.yaml"
	[ "$(grep -c '^  |' <<<"$output")" -eq 1 ]
	[ "${lines[1]}" = '  | dl_tensor.strides: None' ]
	suai validate -v --select DLP303 "$ROOT/testdata/rules/DLP303/bad.yaml"
	[ "$(grep -c '^  |' <<<"$output")" -eq 14 ]
	grep -qE "^  \|  'manager_ctx': 0x[0-9a-f]+,$" <<<"$output"
}

@test "a traceback shows where an object's code raised" {
	COLUMNS=1000 suai validate --select NAI002 "$ROOT/testdata/validate/mixed.py:raises"
	grep -qx '  = at: "'"$ROOT"'/testdata/validate/mixed.py", line 9, in __array_interface__' <<<"$output"
}

@test "equal exceptions that are raised in different places are not one finding" {
	cd "$BATS_TEST_TMPDIR"
	cat > two.py <<-'END'
	class A:
	    @property
	    def __array_interface__(self):
	        raise ValueError("bad")
	class B:
	    @property
	    def __array_interface__(self):
	        raise ValueError("bad")
	a, b, c = A(), B(), A()
	END
	suai validate --select NAI002 two.py
	grep -q '^two.py:a, c: error NAI002 ' <<< "$output"
	grep -q '^two.py:b: error NAI002 ' <<< "$output"
	[ "$(sed -n 's/^  = at: .*two.py", //p' <<< "$output")" = $'line 4, in __array_interface__\nline 8, in __array_interface__' ]
	GITHUB_WORKSPACE="$PWD" suai validate --select NAI002 -f github two.py
	[ "$(sed -n 's/^::error file=two.py,line=\([0-9]*\),title=[^:]*::\(.*\): reading .*/\1 \2/p' <<< "$output")" = $'4 two.py:a, two.py:c\n8 two.py:b' ]
	sed -n 1,4p two.py > class.py
	jq -n --rawfile code class.py '{nbformat: 4, nbformat_minor: 5, metadata: {}, cells: ["a", "b"] |
		map({cell_type: "code", id: ., metadata: {}, execution_count: null, outputs: [], source: ($code + . + " = A()\n")})}' > cells.ipynb
	suai validate --select NAI002 cells.ipynb
	[ "$(sed -n 's/^  = at: .*cells.ipynb", //p' <<< "$output")" = $'cell 1, line 4, in __array_interface__\ncell 2, line 4, in __array_interface__' ]
}

@test "the read-only flag of all interfaces is shown if they disagree" {
	local code='class A(bytes):
    writable = True
    @property
    def __array_interface__(self):
        return {"version": 3, "shape": (3,), "typestr": "|u1", "data": (id(self) + 32, not self.writable)}
lost, kept = A(b"abc"), A(b"abc")
kept.writable = False'
	suai inspect -c "$code" lost
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "    read-only    numpy no, buffer yes" ]
	suai inspect -q -c "$code" lost
	[[ "$output" != *"read-only    "* ]]
	suai inspect -c "$code" kept 'bytearray(3)'
	[ "$status" -eq 0 ]
	[[ "$output" != *"read-only    "* ]]
}

# bats test_tags=judge
@test "text fits COLUMNS, and hanging indents are kept" {
	local columns width defects="$ROOT/testdata/validate/defects.yaml"
	for columns in 60 80 120; do
		COLUMNS=$columns suai validate "$defects"
		width=$(wc -L <<< "$output")
		[ "$width" -le "$columns" ]
		[ "$width" -gt $((columns - 20)) ]
		COLUMNS=$columns suai inspect "$ROOT/testdata/rules/XPR801/bad.yaml"
		[ "$(wc -L <<< "$output")" -le "$columns" ]
	done
	COLUMNS=60 suai inspect dump.yaml
	grep -qx '    strides      (16, 8) bytes, (4, 2) elements,' <<< "$output"
	grep -qx '                 not contiguous' <<< "$output"
	COLUMNS=60 suai validate wrong.yaml
	grep -A1 -xE '    = why: .{30,47}' <<< "$output" | grep -qxE ' {11}[^ ].*'
	grep -qx 'nothing: error XPR002 no-interface: the object, of type int,' <<< "$output"
	grep -qx '    exposes none of the interfaces' <<< "$output"
}

@test "nested dictionaries of inspect fit COLUMNS, with and without -v" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	printf 'import numpy\na, b = numpy.ones(3), numpy.ones((2, 3))[:, ::2]\n' > nested.py
	for columns in 60 80 100; do
		for option in -q -v; do
			COLUMNS=$columns suai inspect $option nested.py
			[ "$status" -eq 0 ]
			[ "$(wc -L <<< "$output")" -le "$columns" ]
		done
	done
	COLUMNS=60 suai inspect -v nested.py
	grep -A1 -x "                        'dl_tensor':" <<< "$output" | grep -qE "^ {26}\{'data': 0x"
}

@test "nested dictionaries of SYCL objects fit COLUMNS" {
	requires dpnp sycl
	cd "$BATS_TEST_TMPDIR"
	printf 'import dpnp\na = dpnp.ones((2, 3))\n' > nested.py
	for columns in 60 80; do
		COLUMNS=$columns suai inspect nested.py
		[ "$(wc -L <<< "$output")" -le "$columns" ]
		COLUMNS=$columns suai inspect -v nested.py
		[ "$(wc -L <<< "$output")" -le "$columns" ]
	done
}

# bats test_tags=judge
@test "the width is that of the terminal, of COLUMNS if set, otherwise 100" {
	requires script
	local command="'$SUAI' validate '$ROOT/testdata/validate/defects.yaml'"
	widest() { sed 's/\x1b\[[0-9;]*m//g' | tr -d '\r' | wc -L; }
	[ "$(eval "$command" | widest)" -le 100 ]
	[ "$(eval "$command" | widest)" -gt 90 ]
	for columns in 60 80; do
		[ "$(on_terminal xterm "stty cols $columns; $command" | widest)" -le "$columns" ]
		[ "$(on_terminal xterm "stty cols $columns; $command" | widest)" -gt $((columns - 8)) ]
	done
	[ "$(on_terminal xterm "stty cols 200; $command" | widest)" -le 120 ]
	[ "$(on_terminal xterm "stty cols 60; COLUMNS=90 $command" | widest)" -gt 80 ]
	# Lines for grep are not broken.
	COLUMNS=60 suai validate -q wrong.yaml
	grep -qx 'nothing: error XPR002 no-interface: the object, of type int, exposes none of the interfaces' <<< "$output"
}

# bats test_tags=judge
@test "FORCE_COLOR, CLICOLOR_FORCE and NO_COLOR apply to standard output, --color to everything" {
	colored() { [[ "$(env "$@")" == *$'\e[1;31m'* ]]; }
	colored FORCE_COLOR=1 "$SUAI" validate wrong.yaml
	colored CLICOLOR_FORCE=1 "$SUAI" validate wrong.yaml
	colored NO_COLOR=1 "$SUAI" validate --color always wrong.yaml
	run ! colored FORCE_COLOR=0 CLICOLOR_FORCE=0 "$SUAI" validate wrong.yaml
	run ! colored NO_COLOR=1 FORCE_COLOR=1 "$SUAI" validate wrong.yaml
	run ! colored FORCE_COLOR=1 "$SUAI" validate --color never wrong.yaml
	FORCE_COLOR=1 suai validate -o "$BATS_TEST_TMPDIR/file" wrong.yaml
	run ! grep $'\e' "$BATS_TEST_TMPDIR/file"
	FORCE_COLOR=1 suai validate -f json wrong.yaml
	[[ "$output" != *$'\e'* ]]
	requires script
	on_terminal xterm "'$SUAI' validate wrong.yaml" | grep -q $'\e\[1;31m'
	on_terminal xterm "CLICOLOR_FORCE=0 '$SUAI' validate wrong.yaml" | grep -q $'\e\[1;31m'
	run ! grep -q $'\e\[1;31m' <(on_terminal xterm "FORCE_COLOR=0 '$SUAI' validate wrong.yaml")
	for setting in FORCE_COLOR=false CLICOLOR=0 TERM=; do
		run ! grep -q $'\e\[1;31m' <(on_terminal xterm "$setting '$SUAI' validate wrong.yaml")
	done
	on_terminal xterm "CLICOLOR=1 '$SUAI' validate wrong.yaml" | grep -q $'\e\[1;31m'
	on_terminal xterm "FORCE_COLOR=0 '$SUAI' validate --color always wrong.yaml" | grep -q $'\e\[1;31m'
	run ! grep $'\e\[1;31m' <<< "$(on_terminal dumb "'$SUAI' validate wrong.yaml")"
	run ! grep $'\e\[1;31m' <<< "$(NO_COLOR=1 on_terminal xterm "'$SUAI' validate wrong.yaml")"
}

# bats test_tags=judge
@test "rule ids are links on terminals that are known to show them, and nowhere else" {
	requires script
	links() { env -u CI -u TERM_PROGRAM -u WT_SESSION -u KONSOLE_VERSION "${@:3}" TERM="$1" script -qec "$2" /dev/null < /dev/null |
		grep -c $'\e\]8;;[^\e]*SUAI102\e\\\\\e\[1;31mSUAI102\e\[0m\e\]8;;\e\\\\'; }
	local command="'$SUAI' validate wrong.yaml"
	[ "$(links xterm-256color "$command" VTE_VERSION=7200)" -eq 1 ]
	[ "$(links xterm-kitty "$command")" -eq 1 ]
	[ "$(links xterm "$command" TERM_PROGRAM=WezTerm)" -eq 1 ]
	[ "$(links tmux "$command" TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.4)" -eq 1 ]
	[ "$(links xterm "$command" FORCE_HYPERLINK=1)" -eq 1 ]
	run ! links xterm "$command"
	run ! links xterm-256color "$command" VTE_VERSION=4800
	run ! links screen "$command" VTE_VERSION=7200
	run ! links xterm "$command" VTE_VERSION=7200 CI=true
	run ! links xterm "$command" VTE_VERSION=7200 NO_COLOR=1
	run ! links xterm "$command" VTE_VERSION=7200 FORCE_HYPERLINK=0
	run ! links xterm "$command | cat" VTE_VERSION=7200 FORCE_COLOR=1
	run ! links xterm "'$SUAI' validate -o /dev/stdout wrong.yaml" VTE_VERSION=7200
}

# bats test_tags=judge
@test "inspect marks what differs or fails, and shows addresses of capsules and deleters only with -v" {
	suai inspect --color always "$ROOT/testdata/rules/XPR801/bad.yaml"
	[[ "$output" == *$'\e[33mread-only\e[0m'* ]]
	[[ "$output" == *$'\e[33mas numpy, but\e[0m'* ]]
	[[ "$output" == *$'\e[33mwritable\e[0m'* ]]
	suai inspect --color always dump.yaml
	[[ "$output" == *$'\e[32mas dlpack\e[0m'* ]]
	[[ "$output" == *$'\e[1;31mraised'* ]]
	suai inspect dump.yaml
	[[ "$output" != *manager_ctx* && "$output" != *destructor* && "$output" == *dltensor_versioned* ]]
	suai inspect -v dump.yaml
	[[ "$output" == *"'manager_ctx': 0x"* && "$output" == *"'destructor': 0x"* && "$output" == *"'deleter': 0x"* ]]
}

# same_defect N: a dump of N objects with the same wrong strides and of one with another defect
same_defect() {
	echo 'targets:'
	for ((i = 0; i < $1; i++)); do
		printf -- "- {target: 'pkg/arrays.py:a%d', type: A, interfaces: [{protocol: numpy, declared: {shape: [2, 3], typestr: '<f4', data: [4096, false], strides: [4], version: 3}}]}\n" "$i"
	done
	echo "- {target: b, type: A, interfaces: [{protocol: numpy, declared: {shape: [2, 3], typestr: '<f4', data: [4096, false], strides: [4], version: '3'}}]}"
}

# bats test_tags=judge
@test "a finding of several targets is printed once, with the targets" {
	cd "$BATS_TEST_TMPDIR"
	same_defect 2 > two.yaml
	suai validate --select NAI301 two.yaml
	[ "${lines[0]}" = "pkg/arrays.py:a0 and 2 more: error NAI301 strides-tuple: strides has 1 entry, expected 2" ]
	[ "$(grep -c NAI301 <<< "$output")" -eq 1 ]
	[ "${lines[-2]}" = "  = also: a1, b" ]
	[ "${lines[-1]}" = "3 errors; 3 of 3 targets failed" ]
	sed -i '$d' two.yaml
	suai validate --select NAI301 two.yaml
	[ "${lines[0]}" = "pkg/arrays.py:a0, a1: error NAI301 strides-tuple: strides has 1 entry, expected 2" ]
	same_defect 99 > many.yaml
	suai validate --select NAI301 many.yaml
	[ "$(wc -l <<< "$output")" -lt 12 ]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" =~ ' and '[0-9]+' more (-v shows them) ' ]]
	suai validate -v --select NAI301 many.yaml
	local listed
	listed=$(sed -n 's/^  = also: //p; s/^          \([a-z]\)/\1/p' <<< "$output" | tr -s ', \n' '\n' | sort)
	diff <(printf '%s\n' a{1..98} b | sort) <(echo "$listed")
}

# bats test_tags=judge
@test "findings of several targets that differ in their messages only are explained once" {
	cd "$BATS_TEST_TMPDIR"
	cat > types.yaml <<-'END'
		targets:
		- {target: a, type: p.A, interfaces: []}
		- {target: lost, status: raised, step: import, error: {type: E, message: no}}
		- {target: b, type: p.B, interfaces: []}
		- {target: c, type: p.B, interfaces: []}
		- {target: d, type: p.B, interfaces: []}
		- {target: e, type: p.E, interfaces: []}
	END
	suai validate --select XPR002 types.yaml
	[ "$(grep -c ': error XPR002 ' <<< "$output")" -eq 3 ]
	[ "$(grep -c '  = why: ' <<< "$output")" -eq 1 ]
	[ "$(grep -c '  = help: ' <<< "$output")" -eq 1 ]
	[ "$(sed '/= why/,/^$/d' <<< "$output" | tail -n +3 | grep -o '^[^:]*: error\|^  = also: .*' | tr '\n' ';')" = "a: error;b and 2 more: error;  = also: c, d;e: error;" ]
	suai validate -v --select XPR002 types.yaml
	[ "$(grep -c '  = see: ' <<< "$output")" -eq 1 ]
}

# bats test_tags=judge
@test "findings that differ in severity or reason, and failures in stack, are printed one by one" {
	cd "$BATS_TEST_TMPDIR"
	cat > producers.yaml <<-END
	producers:
	- {type: p.B, rule: NAI301, effect: excused, evidence: "$("$SUAI" rule --query why NAI301)"}
	- {type: p.C, rule: NAI301, effect: excused, evidence: known}
	- {type: p.D, rule: NAI301, effect: excused, evidence: known}
	END
	echo targets: > mixed.yaml
	for name in A B C D; do
		echo "- {target: $name, type: p.$name, interfaces: [{protocol: numpy, declared: {shape: [2, 3], typestr: '<f4', data: [4096, false], strides: [4], version: 3}}]}"
	done >> mixed.yaml
	for name in x y z; do
		printf -- '- {target: %s, status: raised, step: import, error: {type: E, message: no, traceback: "T:\n  in %s\n"}}\n' $name ${name/z/y}
	done >> mixed.yaml
	suai validate -v --config producers.yaml --select NAI301 mixed.yaml
	[ "$(sed -n 's/^\([A-Za-z, ]*: \)\(raised\|error\|note\) .*/\1\2/p' <<< "$output")" = $'x: raised\ny, z: raised\nA: error\nB: note\nC, D: note' ]
}

@test "an exception without text is shown by its type, as Python shows it" {
	cd "$BATS_TEST_TMPDIR"
	echo 'raise MemoryError' > raises.py
	suai validate raises.py
	[ "${lines[0]}" = "raises.py: raised at import: MemoryError" ]
	suai validate -f concise raises.py
	[ "${lines[0]}" = "raises.py: error raised at import: MemoryError" ]
	suai validate -f tap raises.py
	grep -qx "  message: 'raised at import: MemoryError'" <<< "$output"
	cat > silent.py <<-'END'
	class Array:
	    __dlpack_device__ = lambda self: (1, 0)
	    def __dlpack__(self, **keywords):
	        assert False
	class Attribute:
	    @property
	    def __array_interface__(self):
	        raise ValueError
	a, b = Array(), Attribute()
	END
	suai inspect -v silent.py:a
	[ "$(grep -c 'AssertionError$' <<< "$output")" -ge 2 ]
	[ "$(grep -c 'Error:' <<< "$output")" -eq 0 ]
	suai convert --to numpy silent.py:a
	[ "${output//$'\n'/ }" = "silent.py:a: cannot be converted: dlpack: __dlpack__(max_version=(1, 3)): AssertionError" ]
	suai convert --to dlpack silent.py:b
	[ "$output" = "silent.py:b: cannot be converted: numpy: ValueError" ]
	suai why silent.py:a memoryview
	[ "$(grep -c 'Error: *$' <<< "$output")" -eq 0 ]
}

# bats test_tags=judge
@test "a traceback of thousands of frames needs memory in proportion to its text" {
	cd "$BATS_TEST_TMPDIR"
	"$TEST_PYTHON" -c '
import json
lines = [f"  File \"/app/part.py\", line {i}, in f\n    return g({i})" for i in range(4000)]
lines += ["  File \"/usr/lib/python3.11/json/__init__.py\", line 346, in loads\n    raise"]
traceback = "\n".join(["Traceback (most recent call last):", *lines, "ValueError: no", ""])
target = {"target": "x", "status": "raised", "step": "import", "error": {"type": "ValueError", "message": "no", "traceback": traceback}}
json.dump({"targets": [target]}, open("deep.yaml", "w"))'
	peak() {
		"$TEST_PYTHON" -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=open("out", "w"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$SUAI" validate "$@" deep.yaml
	}
	whole=$(peak -v)
	[ "$(grep -c '/app/part.py' out)" -eq 4000 ]
	cut=$(peak)
	[ "$(grep -c '/app/part.py' out)" -eq 4000 ]
	grep -qx '    1 frame of the standard library (-v shows it)' out
	echo "$whole KiB with -v, $cut KiB without"
	[ "$cut" -lt $((whole + 4096)) ]
}

# bats test_tags=judge
@test "skipped rules and failures of several targets are printed once, too" {
	cd "$BATS_TEST_TMPDIR"
	same_defect 3 > three.yaml
	suai validate -v --select NAI302 three.yaml
	[ "${lines[0]}" = "pkg/arrays.py:a0 and 3 more: skipped NAI302: the memory at the array's address was not looked up" ]
	printf 'targets:\n' > failed.yaml
	for name in x y z; do
		printf -- '- {target: %s, status: raised, step: import, error: {type: E, message: no, traceback: "T:\\n  E\\n"}}\n' $name
	done >> failed.yaml
	suai validate failed.yaml
	[ "${lines[0]}" = "x and 2 more: raised at import: E: no" ]
	[ "${lines[3]}" = "  = also: y, z" ]
	[[ "${lines[-1]}" == "3 of 3 targets failed"* ]]
	echo '- {target: w, status: ok, type: A, interfaces: []}' >> failed.yaml
	suai validate --ignore XPR failed.yaml
	[[ "${lines[-1]}" == "no findings in 1 target; 3 of 4 targets failed"* ]]
}

# bats test_tags=judge
@test "failures come first, then errors, warnings and notes, and the summary is last" {
	local order
	suai validate "$ROOT/testdata/validate/defects.yaml" wrong.yaml
	# The most severe word of each block: of its first line.
	order=$(grep -oE '^[^ ]+: (raised|1 error|[0-9]+ errors|error|warning|note)' <<< "$output" | sed -E 's/^.*: ([0-9]+ )?//; s/errors/error/')
	[ "$(echo "$order" | uniq | tr '\n' ' ')" = "raised error note " ]
	[[ "${lines[-1]}" == *" targets failed"* ]]
}

# bats test_tags=judge
@test "no finding that fails is hidden: all of them are in the text" {
	local text rule message n=0
	cd "$ROOT/testdata/rules"
	"$SUAI" validate --isolated -f json */bad.yaml > "$BATS_TEST_TMPDIR/all.json" || true
	plain() { sed -E 's/0x[0-9a-f]+/0x/g' | tr -s ' \n' ' '; }
	for options in --color=never '-S warning' '-S note' -q; do
		# shellcheck disable=SC2086
		text=$("$SUAI" validate --isolated $options */bad.yaml | plain || true)
		local least=error
		[ "$options" != '-S warning' ] || least='error|warning'
		[ "$options" != '-S note' ] || least='error|warning|note'
		while IFS=$'\t' read -r rule message; do
			[[ "$text" == *" $rule"*"$message"* ]] || { echo "$options: $rule: $message"; return 1; }
			n=$((n + 1))
		done < <(jq -r --arg least "^($least)$" '.targets[].findings[] | select(.severity | test($least)) | "\(.rule) \(.name): \(.message)"' "$BATS_TEST_TMPDIR/all.json" |
			sed -E 's/0x[0-9a-f]+/0x/g' | sed 's/ /\t/' | sort -u)
	done
	[ "$n" -gt 500 ]
}

# bats test_tags=judge
@test "notes that need no action are counted, and printed with -v" {
	suai validate "$ROOT/testdata/rules/DLP312/bad.yaml"
	[[ "${lines[0]}" == "no findings in 1 target; 1 more note (-v shows it)"* ]]
	suai validate -v "$ROOT/testdata/rules/DLP312/bad.yaml"
	[[ "$output" == *"note DLP312 scalar-pointers: "*"= help: "* ]]
	suai validate -S note "$ROOT/testdata/rules/DLP312/bad.yaml"
	[ "$status" -eq 1 ]
	[[ "$output" == *"note DLP312 scalar-pointers: "* ]]
	suai validate -f json "$ROOT/testdata/rules/DLP312/bad.yaml"
	[ "$(jq -c '[.targets[0].findings[] | .rule, .actionable, .excused_by]' <<< "$output")" = '["DLP312",false,null]' ]
}

@test "legitimate behaviour of NumPy is not printed; the same note about another exporter is" {
	requires numpy
	cat > "$BATS_TEST_TMPDIR/views.py" <<-'END'
		import numpy as np
		reversed = np.arange(4)[::-1]
		scalar = np.float64(3)
		structure = np.zeros(3, dtype=[("a", "i4"), ("b", "f8")])
		class Mine:
		    @property
		    def __array_interface__(self):
		        return {**reversed.__array_interface__, "shap": (4,)}
		mine = Mine()
	END
	suai validate "$BATS_TEST_TMPDIR/views.py"
	[ "${lines[0]}" = "$BATS_TEST_TMPDIR/views.py:mine: note NAI004 unknown-keys: unknown key 'shap'" ]
	[ "$(grep -c ': note ' <<< "$output")" -eq 1 ]
	omitted=$(tr -s ' \n' ' ' <<< "$output")
	for text in 'DLP308 in 1 target (no action needed)' 'NAI004 in 1 (known numpy behaviour)' \
		'NAI801 in 1 (known numpy behaviour)'; do
		[[ "$omitted" == *"$text"* ]] || { echo "$omitted"; return 1; }
	done
}

@test "ten objects of dpnp fit 20 lines, and thirty of three libraries 40, errors first" {
	requires dpnp pyarrow sycl
	suai validate ten.py
	[ "$status" -eq 1 ]
	[ "$(wc -l <<< "$output")" -lt 20 ]
	[[ "${lines[0]}" == "ten.py:scalar: error "* ]]
	[[ "${lines[-1]}" == "1 error, "*"; 1 of 10 targets failed"* ]]
	grep -q '^-v shows .* more notes: SUAI205 in 9 targets (known dpnp behaviour)' <<< "$output"
	[ "$(grep -c ': note ' <<< "$output")" -eq 0 ]
	suai validate thirty.py
	[ "$status" -eq 1 ]
	[ "$(wc -l <<< "$output")" -lt 40 ]
	grep -q '^thirty.py:dpt_scalar: error ' <<< "$output"
	grep -q '^thirty.py:dp_wrapped: 1 error, ' <<< "$output"
}

# bats test_tags=judge
@test "rules that have nothing to check are not counted as skipped, except by --no-skips" {
	cat > "$BATS_TEST_TMPDIR/none.yaml" <<-'END'
		targets:
		- {target: lost, status: raised, step: import, error: {type: E, message: no}}
		- target: no
		  type: A
		  interfaces:
		  - {protocol: dlpack, status: refused, error: {type: BufferError, message: no}}
	END
	suai validate --select DLP3,XPR002 "$BATS_TEST_TMPDIR/none.yaml"
	[ "${lines[-1]}" = "no findings in 1 target; 1 of 2 targets failed" ]
	suai validate -f concise --select DLP3,XPR002 "$BATS_TEST_TMPDIR/none.yaml"
	[ "${lines[-1]}" = "no findings in 1 target; 1 of 2 targets failed" ]
	suai validate -v --select DLP3,XPR002 "$BATS_TEST_TMPDIR/none.yaml"
	grep -qE '^no: skipped [0-9]+ rules, because __dlpack__ was refused$' <<< "$output"
	[ "$(grep -c skipped <<< "$output")" -eq 1 ]
	suai validate --no-skips --select DLP3,XPR002 "$BATS_TEST_TMPDIR/none.yaml"
	[[ "${lines[-1]}" == "2 of 2 targets failed; "*" rules skipped, which --no-skips forbids" ]]
	suai validate -f json --select DLP3,XPR002 "$BATS_TEST_TMPDIR/none.yaml"
	[ "$(jq .summary.skipped <<< "$output")" -eq "$(jq '[.targets[].skipped[]] | length' <<< "$output")" ]
	[ "$(jq .summary.skipped <<< "$output")" -gt 1 ]
}

# bats test_tags=judge
@test "findings of one rule explain it once, and each helps with its own defect" {
	cat > "$BATS_TEST_TMPDIR/rule.yaml" <<-'END'
		targets:
		- target: a
		  type: A
		  interfaces:
		  - {protocol: numpy, declared: {shape: [3, -4, -5], typestr: '<f4', data: [4096, false], strides: [4.0], version: 3}}
	END
	suai validate --select NAI102 "$BATS_TEST_TMPDIR/rule.yaml"
	[ "$(grep -c 'error NAI102' <<< "$output")" -eq 2 ]
	[ "$(grep -c '= why: ' <<< "$output")" -eq 1 ]
	[ "$(grep '= help: ' <<< "$output")" = "    = help: use the number of elements in each dimension, 0 or more" ]
	suai validate --select NAI301 "$BATS_TEST_TMPDIR/rule.yaml"
	[ "$(grep -c '= why: ' <<< "$output")" -eq 1 ]
	[ "$(grep -c '= help: ' <<< "$output")" -eq 2 ]
	grep -q 'help: use strides=tuple(int(stride) for stride in strides), in bytes' <<< "$output"
}

# bats test_tags=judge
@test "a number is not separated from 'expected', nor from its unit" {
	cat > "$BATS_TEST_TMPDIR/line.yaml" <<-'END'
		targets:
		- {target: x, status: hung, step: import, error: {message: timed out after 2 s with 3 MiB of output}}
		- target: y
		  type: A
		  interfaces:
		  - {protocol: numpy, declared: {shape: [2, 3], typestr: '<f4', data: [4096, false], strides: [4], version: 3}}
	END
	for ((columns = 40; columns < 100; columns++)); do
		COLUMNS=$columns suai validate --select NAI301 "$BATS_TEST_TMPDIR/line.yaml"
		[[ "$output" == *"expected 2"* ]] || { echo "$columns"; return 1; }
		[[ "$output" == *"2 s"* && "$output" == *"3 MiB"* ]] || { echo "$columns"; return 1; }
	done
}

# bats test_tags=judge
@test "several findings of the same targets name them once" {
	for name in x y z; do
		echo "- {target: $name, type: A, interfaces: [{protocol: cuda, declared: {shape: [2], typestr: '<f4', data: [4096, 0], version: '3'}}]}"
	done | sed '1i targets:' > "$BATS_TEST_TMPDIR/same.yaml"
	suai validate --select CAI106,CAI107 "$BATS_TEST_TMPDIR/same.yaml"
	[ "${lines[0]}" = "x and 2 more: 2 errors in cuda" ]
	[ "$(grep -c 'also: ' <<< "$output")" -eq 1 ]
	[ "${lines[-2]}" = "  = also: y, z" ]
}

# bats test_tags=judge
@test "messages that differ only in addresses have one cause" {
	sed 's/target: bad/target: one/' "$ROOT/testdata/rules/DLP401/bad.yaml" > "$BATS_TEST_TMPDIR/both.yaml"
	sed '1d; s/target: bad/target: two/; s/0x10000/0x20000/' "$ROOT/testdata/rules/DLP401/bad.yaml" >> "$BATS_TEST_TMPDIR/both.yaml"
	COLUMNS=1000 suai validate --select DLP401 "$BATS_TEST_TMPDIR/both.yaml"
	[ "${lines[0]}" = "one, two: warning DLP401 empty-data: data is 0x10000, expected NULL because the tensor has no elements" ]
	[ "${lines[-1]}" = "2 warnings in 2 targets" ]
	COLUMNS=1000 suai validate -q --select DLP401 "$BATS_TEST_TMPDIR/both.yaml"
	[ "${lines[1]}" = "two: warning DLP401 empty-data: data is 0x20000, expected NULL because the tensor has no elements" ]
}

@test "the message of an exception is truncated, and its length is reported" {
	local truncated='y... (truncated, 500000 bytes in total)' n_bytes
	cd "$BATS_TEST_TMPDIR"
	cat > long.py <<-'EOF'
		raise ValueError("y" * 500000)
	EOF
	cat > read.py <<-'EOF'
		class Raises:
		    @property
		    def __array_interface__(self):
		        raise ValueError("y" * 500000)
		a = Raises()
	EOF
	for command in 'inspect long.py' 'validate long.py' 'validate -f concise long.py' 'validate -f tap long.py' \
		'inspect read.py'; do
		# shellcheck disable=SC2086 # words
		suai $command
		[ "${#output}" -lt 6000 ]
		[[ "$(tr -s '\n ' ' ' <<< "$output")" == *'(truncated, 500000 bytes in total)'* ]]
	done
	# A message quotes the beginning.
	for command in 'validate read.py' 'validate -f concise read.py' 'convert --to numpy read.py:a'; do
		# shellcheck disable=SC2086 # words
		suai $command
		[[ "${#output}" -lt 2000 && "$(tr -s '\n ' ' ' <<< "$output")" == *'ValueError: '*yyy...* ]]
	done
	# Documents, and -v, have all that the worker passes on.
	for command in 'inspect -f yaml long.py' 'inspect -v long.py' 'inspect -f json read.py'; do
		# shellcheck disable=SC2086 # words
		suai $command
		n_bytes=$(grep -o 'y\{1000,\}' <<< "$output" | head -n 1 | wc -c)
		[ "$n_bytes" -ge 262144 ]
		[[ "$(tr -s '\n ' ' ' <<< "$output")" == *"$truncated"* ]]
	done
	# A shorter message is complete.
	printf 'raise ValueError("y" * 1990)\n' > long.py
	suai inspect long.py
	[[ "$output" == *"$(printf 'y%.0s' {1..1990})"* && "$output" != *truncated* ]]
}

@test "each of several findings about one value names its own further targets, and findings of the same targets name them once" {
	cat > "$BATS_TEST_TMPDIR/several.py" <<-'END'
		class A:
		    def __init__(self, shape):
		        self.__array_interface__ = dict(version=3, typestr="<f8", data=(0, True), shape=shape)
		a, b, c = A([0, -1.5]), A([0, -1.5]), A((0, -1.5))
	END
	cd "$BATS_TEST_TMPDIR"
	suai validate several.py
	[ "$(grep -E '^several|^  error|also' <<< "$output")" = "several.py:a: 2 errors in numpy
  error NAI102 shape-tuple: shape is a list of length 2, not a tuple
    = also: b
  error NAI102 shape-tuple: shape[1] is -1.5 (float), not an int
    = also: b, c" ]
	suai validate several.py:a several.py:b
	[ "$(grep -E '^several|^  error|also' <<< "$output")" = "several.py:a, b: 2 errors in numpy
  error NAI102 shape-tuple: shape is a list of length 2, not a tuple
  error NAI102 shape-tuple: shape[1] is -1.5 (float), not an int" ]
}

# bats test_tags=judge
@test "a declared string with both kinds of quotes is written as Python writes it" {
	cat > "$BATS_TEST_TMPDIR/quotes.yaml" <<-'END'
		targets:
		- target: quotes
		  interfaces:
		  - protocol: numpy
		    declared: {shape: [2], typestr: "it's \"x\"", data: [4096, false], version: 3}
	END
	suai inspect "$BATS_TEST_TMPDIR/quotes.yaml"
	[[ "$output" == *"'typestr': 'it\'s \"x\"',"* ]]
}

# bats test_tags=judge
@test "declared strings, bytes and keys are written as Python literals" {
	cat > "$BATS_TEST_TMPDIR/backslashes.yaml" <<-'END'
		targets:
		- target: backslashes
		  interfaces:
		  - protocol: numpy
		    declared: {shape: [2], typestr: '<f4\n', 'k\\e': '\x41', b: '\x00\\', data: [4096, false], version: 3}
		    types: {b: bytes}
	END
	suai inspect "$BATS_TEST_TMPDIR/backslashes.yaml"
	[[ "$output" == *"'typestr': '<f4\\\\n', 'k\\\\e': '\\\\x41', 'b': b'\\x00\\\\',"* ]]
}

@test "bytes of --values are written as Python literals" {
	printf '\x93NUMPY\x01\x00\x76\x00%-117s\n%s' "{'descr': '|S2', 'fortran_order': False, 'shape': (1,), }" 'a\' \
		> "$BATS_TEST_TMPDIR/bytes.npy"
	suai inspect --values "$BATS_TEST_TMPDIR/bytes.npy"
	[[ "$output" == *"values       [b'a\\\\']"* ]]
}
