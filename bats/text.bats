#!/usr/bin/env bats
# The text format, for dumps: the output at each verbosity, with colours and without.

load helpers

RULES=SUAI004,SUAI102,SUAI108,SUAI114,SUAI115,XPR002

setup() {
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
	[[ "$stderr" == "suai: --query: unknown key 'shap' for an array"* ]]
}

# bats test_tags=judge
@test "of a long struct only the lines around the mark are shown, and all with -v" {
	suai validate --select DLP303 "$ROOT/testdata/rules/DLP303/bad.yaml"
	[ "$(grep -c '^  |' <<<"$output")" -eq 6 ]
	[ "${lines[1]}" = '  | ...' ]
	grep -qx "  |                'strides': None," <<<"$output"
	suai validate -v --select DLP303 "$ROOT/testdata/rules/DLP303/bad.yaml"
	[ "$(grep -c '^  |' <<<"$output")" -eq 14 ]
	grep -qE "^  \|  'manager_ctx': 0x[0-9a-f]+,$" <<<"$output"
}

@test "a traceback shows where an object's code raised" {
	suai validate --select NAI002 "$ROOT/testdata/validate/mixed.py:raises"
	grep -qx '  = at: "'"$ROOT"'/testdata/validate/mixed.py", line 9, in __array_interface__' <<<"$output"
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
