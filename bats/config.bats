#!/usr/bin/env bats
# suai.yaml: which files apply, what they set, what is refused, and where each value comes from.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	unset SUAI_PYTHON
	export XDG_CONFIG_HOME="$PWD/home"
	mkdir -p home/suai project/sub
	cd project || return 1
	cp "$ROOT/testdata/validate/defects.yaml" .
}

# config FILE: writes standard input to FILE.
config() {
	cat > "$1"
}

# shown KEY: its value and origin in --show-settings.
shown() {
	sed -n "s/^$1: *//p" <<< "$output"
}

# rules: the ids that were found, in order.
rules() {
	grep -oE '(error|warning|note) [A-Z]+[0-9]+' <<< "$output" | cut -d ' ' -f 2 | tr '\n' ' '
}

# bats test_tags=judge
@test "the nearest suai.yaml applies, from the working directory upward; its paths are relative to it" {
	config suai.yaml <<< 'targets: [defects.yaml]
select: [SUAI103]'
	suai validate -q
	[ "$status" -eq 1 ]
	[ "$(rules)" = "SUAI103 " ]
	cd sub
	suai validate -q
	[ "$(rules)" = "SUAI103 " ]
	config suai.yaml <<< 'targets: ../defects.yaml
select: SUAI108'
	suai validate -q
	[ "$(rules)" = "SUAI108 " ]
	suai validate -q --config ../suai.yaml
	[ "$(rules)" = "SUAI103 " ]
	suai validate -q --isolated ../defects.yaml
	[ "$(rules)" = "SUAI103 SUAI108 SUAI110 SUAI113 SUAI205 SUAI307 " ]
	suai validate -q --isolated
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: no TARGET; "* ]]
	suai validate --isolated --config suai.yaml
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --isolated cannot be used with --config" ]
	suai validate --config nothing.yaml x.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot read 'nothing.yaml': No such file or directory" ]
}

# bats test_tags=judge
@test "precedence is the user's file, the nearest file, SUAI_OPTS, the command line, for each key" {
	config ../home/suai/suai.yaml <<< '# mine
timeout: 10
severity: error
ignore: SUAI110'
	config suai.yaml <<< 'timeout: 20
format: concise
ignore: [SUAI108]
strict: true'
	export SUAI_OPTS="--severity 'warning' -f json"
	suai validate --show-settings -f yaml
	[[ "$(shown timeout)" == '20 '*'# suai.yaml:1' ]]
	[[ "$(shown severity)" == '"warning" '*'# SUAI_OPTS' ]]
	[[ "$(shown format)" == '"yaml" '*'# command line' ]]
	[[ "$(shown ignore)" == '["SUAI110", "SUAI108"] '*"# $XDG_CONFIG_HOME/suai/suai.yaml:4, suai.yaml:3" ]]
	[[ "$(shown strict)" == 'true '*'# suai.yaml:4' ]]
	[[ "$(shown static)" == 'false '*'# default' ]]
	suai validate --show-settings --ignore SUAI2 --no-strict
	[[ "$(shown ignore)" == '["SUAI110", "SUAI108", "SUAI2"] '*", command line" ]]
	[[ "$(shown strict)" == 'false '*'# command line' ]]
	suai validate --show-settings --select SUAI1 --timeout 1
	[[ "$(shown ignore)" == '[] '*'# default' ]]
	[[ "$(shown timeout)" == '1 '*'# command line' ]]
	suai inspect --show-settings
	[ "$status" -eq 0 ]
	keys=" $(cut -d : -f 1 <<< "$output" | tr '\n' ' ')"
	[[ "$keys" == *" timeout "* ]]
	[[ "$keys" != *" severity "* ]]
}

# bats test_tags=judge
@test "without XDG_CONFIG_HOME the user's file is in .config below HOME" {
	mkdir -p ../me/.config/suai
	echo 'timeout: 7' > ../me/.config/suai/suai.yaml
	run --separate-stderr env -u XDG_CONFIG_HOME HOME="$BATS_TEST_TMPDIR/me" "$SUAI" devices --show-settings
	[[ "$(shown timeout)" == '7 '*"# $BATS_TEST_TMPDIR/me/.config/suai/suai.yaml:1" ]]
}

# bats test_tags=judge
@test "--show-settings prints a suai.yaml that gives the same settings" {
	config suai.yaml < "$ROOT/testdata/config/full.yaml"
	suai validate --config suai.yaml --show-settings
	[ "$status" -eq 0 ]
	printf '%s\n' "$output" > printed.yaml
	suai validate --config printed.yaml --show-settings
	[ "$status" -eq 0 ]
	diff <(sed 's/ *# .*//' printed.yaml) <(sed 's/ *# .*//' <<< "$output")
	grep -q '# suai.yaml:' printed.yaml
	[ "$(grep -c default printed.yaml)" -eq 0 ]
}

# bats test_tags=judge
@test "SUAI_PYTHON takes precedence over the python of a file, and --python over both" {
	config other.yaml <<< 'python: bin/python'
	suai inspect --config other.yaml --show-settings
	[[ "$(shown python)" == '"bin/python" '*'# other.yaml:1' ]]
	cd sub
	suai inspect --config ../other.yaml --show-settings
	[[ "$(shown python)" == '"../bin/python" '*'# ../other.yaml:1' ]]
	suai inspect --config ../other.yaml -c 'a = 1' a
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: ../other.yaml:1: --python: '../bin/python' is not an executable file" ]
	suai inspect --config ../other.yaml --python none/python -c 'a = 1' a
	[ "$stderr" = "suai: --python: 'none/python' is not an executable file" ]
	export SUAI_OPTS='--config ../other.yaml'
	SUAI_PYTHON=/nonexistent suai inspect --show-settings
	[[ "$(shown python)" == '"/nonexistent" '*'# SUAI_PYTHON' ]]
	SUAI_PYTHON=/nonexistent suai inspect --python x --show-settings
	[[ "$(shown python)" == '"x" '*'# command line' ]]
	config ../other.yaml <<< 'python: python3.99'
	suai inspect --show-settings
	[[ "$(shown python)" == '"python3.99" '* ]]
}

# bats test_tags=judge
@test "a discovered file cannot choose the interpreter, for any command; the user's own file can" {
	printf '#!/bin/sh\ntouch "%s/executed"\n' "$BATS_TEST_TMPDIR" > sub/evil
	chmod +x sub/evil
	suai convert -c 'import array; a = array.array("d", [1])' a -o a.npy --python "$TEST_PYTHON"
	for value in ./sub/evil sub/evil python3 '"sub/evil"' "$PWD/sub/evil"; do
		printf '# one\ntimeout: 5\npython: %s\n' "$value" > suai.yaml
		while read -r arguments; do
			eval suai "$arguments"
			[ "$status" -eq 2 ]
			[ -z "$output" ]
			[ "$stderr" = "suai: suai.yaml:3:1: 'python' chooses a program and cannot be set in a discovered file; use --python, or --config to name this file" ]
		done << 'END'
devices
inspect -c 'a = 1' a
inspect a.npy
inspect --values a.npy
convert a.npy --to dlpack
validate defects.yaml
validate --show-settings
devices --python sub/evil
END
	done
	cd sub
	suai devices
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: ../suai.yaml:3:1: 'python' "* ]]
	[ ! -e "$BATS_TEST_TMPDIR/executed" ]
	rm ../suai.yaml
	config ../../home/suai/suai.yaml <<< "python: $TEST_PYTHON"
	suai inspect -q --query shape -p buffer -c 'b = b"abc"' b
	[ "$output" = 3 ]
	suai inspect --show-settings
	[[ "$(shown python)" == "\"$TEST_PYTHON\" "*"# $XDG_CONFIG_HOME/suai/suai.yaml:1" ]]
	cd ../../home/suai
	suai inspect -q --query shape -p buffer -c 'b = b"abc"' b
	[ "$output" = 3 ]
	cd "$BATS_TEST_TMPDIR/project"
	config suai.yaml <<< 'python: ~'
	suai devices --show-settings
	[ "$status" -eq 0 ]
}

# bats test_tags=judge
@test "a discovered file determines what validate imports, and no other command imports anything" {
	printf 'open("%s/executed", "w")\nb = b"abc"\n' "$BATS_TEST_TMPDIR" > project_code.py
	config suai.yaml <<< "python:
targets: [project_code.py, project_code, 'project_code:b']
baseline: project_code.py
format: json
severities: {SUAI: error}
producers: [{type: '*', rule: SUAI103, effect: keeps, evidence: project_code}]"
	suai convert -c 'import array; a = array.array("d", [1])' a -o a.npy --python "$TEST_PYTHON"
	while read -r arguments; do
		eval suai "$arguments"
		[ ! -e "$BATS_TEST_TMPDIR/executed" ]
	done << 'END'
devices
inspect
inspect a.npy
inspect --stats a.npy
inspect -p buffer -c 'b = b"abc"' b
convert
convert a.npy --to dlpack
convert -c 'import array; a = array.array("d", [1])' a --to buffer
validate --show-settings
validate --baseline none.yaml a.npy
validate --isolated
END
	suai validate --python "$TEST_PYTHON" --baseline none.yaml --update-baseline
	[ -e "$BATS_TEST_TMPDIR/executed" ]
}

# bats test_tags=judge
@test "SUAI_OPTS is split like a shell command; options of other commands are ignored" {
	SUAI_OPTS="--timeout 5 --select 'SUAI103' --order=F -e" suai validate --show-settings
	[ "$status" -eq 0 ]
	[[ "$(shown timeout)" == '5 '*'# SUAI_OPTS' ]]
	[[ "$(shown select)" == '["SUAI103"] '*'# SUAI_OPTS' ]]
	SUAI_OPTS='--python "/my dir/python" --statistics' suai inspect --show-settings
	[[ "$(shown python)" == '"/my dir/python" '* ]]
	SUAI_OPTS='--banana' suai validate x.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: SUAI_OPTS: unknown option '--banana'" ]
	SUAI_OPTS='x.py' suai validate
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: SUAI_OPTS: 'x.py' is not an option; targets are given on the command line" ]
	SUAI_OPTS="--python 'a" suai inspect x.py
	[ "$stderr" = "suai: SUAI_OPTS: unterminated quote" ]
	SUAI_OPTS="--severity fatal" suai validate x.py
	[ "$stderr" = "suai: SUAI_OPTS: --severity: unknown value 'fatal' (one of: error warning note)" ]
}

# bats test_tags=judge
@test "an invalid key or value is refused with file, line, column and a suggestion" {
	while IFS='|' read -r text message; do
		printf '# one\n%b\n' "$text" > suai.yaml
		suai validate defects.yaml
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$stderr" = "suai: suai.yaml:$message" ]
		suai inspect defects.yaml
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: suai.yaml:$message" ]
		suai inspect -q --isolated defects.yaml
		[ "$status" -eq 0 ]
	done < "$ROOT/testdata/config/refused"
}

# bats test_tags=judge
@test "a suai.yaml that is a dangling or circular link is refused, not ignored" {
	for to in nowhere.yaml suai.yaml; do
		ln -sfn "$to" suai.yaml
		suai validate -q defects.yaml
		[ "$status" -eq 2 ]
		[[ "$stderr" == "suai: cannot read 'suai.yaml': "* ]]
		suai inspect -q --isolated defects.yaml
		[ "$status" -eq 0 ]
	done
	rm suai.yaml
	mkdir suai.yaml
	suai inspect -q defects.yaml
	[ "$status" -eq 0 ]
}

# bats test_tags=judge
@test "a discovered suai.yaml that is huge, nested or uses aliases is refused at once, and a FIFO is not read" {
	{ printf 'format: json\n#'; head -c 1048576 /dev/zero | tr '\0' x; echo; } > suai.yaml
	suai inspect -q defects.yaml
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: 'suai.yaml' is larger than 1 MiB; use --config to read it" ]
	suai inspect -q --config suai.yaml defects.yaml
	[ "$status" -eq 0 ]
	printf 'a: &a [x, x]\nb: [*a, *a]\n' > suai.yaml
	suai inspect -q defects.yaml
	[ "$stderr" = "suai: suai.yaml:2:5: aliases are not supported: 'a'" ]
	printf '%0.s[' {1..100000} > suai.yaml
	suai inspect -q defects.yaml
	[[ "$stderr" == "suai: suai.yaml:1:81: nested more than 80 levels deep" ]]
	rm suai.yaml
	mkfifo suai.yaml
	run --separate-stderr timeout 20 "$SUAI" inspect -q defects.yaml
	[ "$status" -eq 0 ]
}

# bats test_tags=judge
@test "comments only, an empty file and nulls set nothing" {
	for text in '' '\n' '# nothing\n' '\xef\xbb\xbf' '---' 'select:' 'targets: ~' '{}\r\n'; do
		printf '%b' "$text" > suai.yaml
		suai validate -q --select SUAI103 defects.yaml
		[ "$status" -eq 1 ]
		[ "$(rules)" = "SUAI103 " ]
	done
}

# bats test_tags=judge
@test "per-target-ignores omit what they list, and report entries that ignore nothing" {
	config suai.yaml << 'YAML'
targets: [defects.yaml]
per-target-ignores:
- target: arrays.py
  rules: [SUAI1, SUAI205]
  reason: both targets
- target: '*:b'
  rules: SUAI307
  reason: one target
YAML
	suai validate -q
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
	sed -i 's/SUAI307/[SUAI3, CAI401]/; $a - {target: "old/*", rules: SUAI, reason: gone}' suai.yaml
	suai validate
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings in 2 targets"* ]]
	[ "$stderr" = "suai: suai.yaml:6: per-target-ignores: no target that matches '*:b' has a finding of CAI401
suai: suai.yaml:9: per-target-ignores: no target matches 'old/*'" ]
	suai validate defects.yaml
	[ "$stderr" = "suai: suai.yaml:6: per-target-ignores: no target that matches '*:b' has a finding of CAI401" ]
	suai validate --select SUAI103 defects.yaml
	[ "$status" -eq 0 ]
	[ "$stderr" = "" ]
	suai validate --isolated -q defects.yaml
	[ "$status" -eq 1 ]
}

# bats test_tags=judge
@test "per-target-ignores match names with brackets as they are printed" {
	local pattern
	printf '%s\n' 'class A:' '    __cuda_array_interface__ = {"shape": [1], "typestr": "<f4", "data": (0, False), "version": 3}' \
		'def make(i): return A()' 'all = {"[x]": A()}' > 'arrays[1].py'
	for pattern in 'arrays[1].py:all["[x]"]' 'arrays[1].py' 'arrays\[1].py:all\["\[x*' 'arrays?1?.py'; do
		config suai.yaml <<< "select: CAI101
per-target-ignores: [{target: '$pattern', rules: CAI, reason: known}]"
		suai validate -q 'arrays[1].py:all["[x]"]'
		echo "$pattern: $output $stderr"
		[ "$status" -eq 0 ]
		suai validate -q --isolated 'arrays[1].py:all["[x]"]'
		[ "$status" -eq 1 ]
	done
	# A pattern that matches nothing is reported by -v.
	config suai.yaml <<< "select: CAI101
per-target-ignores: [{target: 'arrays[2].py:all[\"[x]\"]', rules: CAI, reason: known}]"
	suai validate -v 'arrays[1].py:all["[x]"]'
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"per-target-ignores: no target matches 'arrays[2].py:all["* ]]
}

# bats test_tags=judge
@test "patterns match names relative to the directory of suai.yaml, from any working directory" {
	requires numpy
	SUAI_PYTHON=$TEST_PYTHON
	export SUAI_PYTHON
	printf '%s\n' 'class A:' '    __cuda_array_interface__ = {"shape": [1], "typestr": "<f4", "data": (0, False), "version": 3}' \
		'a = A()' > sub/arrays.py
	config suai.yaml <<< 'targets: [sub/arrays.py]
select: CAI101
per-target-ignores: [{target: "sub/arrays.py:a", rules: CAI, reason: known}]'
	for place in .:sub/arrays.py sub:arrays.py sub:../sub/arrays.py "$PWD:./sub/../sub/arrays.py" "/:$PWD/sub/arrays.py"; do
		suai validate -q --isolated "$PWD/sub/arrays.py"
		[ "$status" -eq 1 ]
		cfg="$PWD/suai.yaml"
		run --separate-stderr bash -c 'cd "$1" && exec "$2" validate -q --config "$4" "$3"' - \
			"${place%%:*}" "$SUAI" "${place#*:}" "$cfg"
		echo "$place: $output $stderr"
		[ "$status" -eq 0 ]
	done
	cd sub
	suai validate
	[ "$status" -eq 0 ]
	[ "$output" = "no findings in 1 target" ]
	cp arrays.py other.py
	suai validate -q other.py
	[ "$status" -eq 1 ]
}

# bats test_tags=judge
@test "--show-settings names the suffix of -o as the origin of a format that it chooses" {
	suai validate --show-settings -o x.sarif
	[[ "$(shown format)" == '"sarif" '*'# suffix of --output' ]]
	suai validate --show-settings -o x.sarif -f tap
	[[ "$(shown format)" == '"tap" '*'# command line' ]]
	suai validate --show-settings -o x.txt
	[[ "$(shown format)" == '"text" '*'# default' ]]
	suai validate --show-settings -o x.sarif --query rule
	[ "$status" -eq 0 ]
}

# bats test_tags=judge
@test "--show-settings prints the entries of both files for keys that merge, and where each file has them" {
	config ../home/suai/suai.yaml <<< 'strict: true
severities: {CAI: note, NAI: warning}
targets: [users.yaml]'
	config suai.yaml <<< 'severities: {CAI: error}
targets: [defects.yaml]'
	suai validate --show-settings
	[ "$status" -eq 0 ]
	[[ "$(shown severities)" == "{\"CAI\": \"error\", \"NAI\": \"warning\"} "*"# suai.yaml:1, $XDG_CONFIG_HOME/suai/suai.yaml:2" ]]
	[[ "$(shown targets)" == '["defects.yaml"] '*"# suai.yaml:2" ]]
}

# bats test_tags=judge
@test "severities change the severity of findings, by the longest match, before --strict" {
	config suai.yaml <<< 'severities: {SUAI1: note, SUAI103: warning, suai-205: error}'
	suai validate -q --strict defects.yaml
	[ "$status" -eq 1 ]
	[ "$(grep -oE '(error|warning|note) [A-Z]+[0-9]+' <<< "$output" | tr '\n' ' ')" = \
		"warning SUAI103 note SUAI108 note SUAI110 note SUAI113 error SUAI205 note SUAI307 " ]
	suai validate -q -S warning --ignore SUAI205 defects.yaml
	[ "$(rules)" = "SUAI103 " ]
}

# bats test_tags=judge
@test "user-defined producers are treated like built-in ones" {
	config suai.yaml << 'YAML'
producers:
- {type: 'mylib.*', rule: SUAI103, effect: excused, evidence: "its readers round, see #3"}
- {type: '*', rule: suai-110, effect: keeps, evidence: never mind, versions: '1'}
YAML
	suai validate --select SUAI103,SUAI110,SUAI108 defects.yaml
	[ "$status" -eq 0 ]
	[ "${lines[-2]}" = "-v shows 1 more note: SUAI103 in 1 target (known mylib behaviour)" ]
	suai validate -v --select SUAI103,SUAI110,SUAI108 defects.yaml
	[ "$(grep -oE '(error|warning|note) [A-Z]+[0-9]+' <<< "$output" | tr '\n' ' ')" = "warning SUAI108 note SUAI103 " ]
	grep -q 'why: its readers round, see #3' <<< "$output"
	config ../home/suai/suai.yaml <<< 'producers: [{type: "mylib.*", rule: SUAI103, effect: keeps, evidence: of the user}]'
	suai validate -v --select SUAI103 defects.yaml
	grep -q 'why: its readers round, see #3' <<< "$output"
}

# bats test_tags=judge
@test "--no-summary omits the last line, and can be set in suai.yaml" {
	suai validate -f concise --no-summary --select SUAI103 defects.yaml
	[ "${#lines[@]}" -eq 1 ]
	suai validate --no-summary --select SUAI302 defects.yaml
	[ -z "$output" ]
	config suai.yaml <<< 'no-summary: true'
	suai validate --select SUAI302 defects.yaml
	[ -z "$output" ]
	suai validate --summary --select SUAI302 defects.yaml
	[[ "$output" == "no findings in 2 targets"* ]]
	suai validate -f json --select SUAI302 defects.yaml
	[[ "$output" == *'"summary": {"targets": 2,'* ]]
}

# bats test_tags=judge
@test "--no-hints omits what -v would show, and can be set in suai.yaml" {
	suai validate defects.yaml
	[[ "${lines[-1]}" == *"; "*" rules skipped (-v shows why)" ]]
	suai validate --no-hints defects.yaml
	[[ "${lines[-1]}" == *"; "*" rules skipped" ]]
	config suai.yaml <<< 'no-hints: true'
	suai validate defects.yaml
	[[ "${lines[-1]}" == *"; "*" rules skipped" ]]
}

# bats test_tags=judge
@test "a discovered file owned by another user, or linked to one, is refused and its owner named" {
	[ "$(id -u)" -eq 0 ] || skip "only root can give a file away"
	echo 'strict: true' > suai.yaml
	cd sub
	suai validate --show-settings
	[[ "$(shown strict)" == 'true '* ]]
	while read -r owner name; do
		chown "$owner" ../suai.yaml
		for command in devices 'inspect -c b=1 b' 'validate --show-settings' 'convert a.npy --to dlpack'; do
			# shellcheck disable=SC2086 # words
			suai $command
			[ "$status" -eq 2 ]
			[ -z "$output" ]
			[ "$stderr" = "suai: '../suai.yaml' is owned by $name; use --config to read it" ]
		done
		suai validate --config ../suai.yaml --show-settings
		[[ "$(shown strict)" == 'true '* ]]
		suai validate --isolated --show-settings
		[[ "$(shown strict)" == 'false '* ]]
		chown "$owner" .
		suai validate --show-settings
		[ "$status" -eq 2 ]
		chown 0 .
	done << 'END'
12345 uid 12345
daemon daemon
END
	chmod 0 ../suai.yaml
	suai validate --show-settings
	[[ "$stderr" == *"is owned by daemon"* ]]
	chown 0 ../suai.yaml
	chmod 644 ../suai.yaml
	mv ../suai.yaml ../mine.yaml
	ln -s mine.yaml ../suai.yaml
	suai validate --show-settings
	[[ "$(shown strict)" == 'true '* ]]
	chown -h daemon ../suai.yaml
	suai validate --show-settings
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: '../suai.yaml' is owned by daemon; use --config to read it" ]
	chown -h 0 ../suai.yaml
	chown daemon ../mine.yaml
	suai validate --show-settings
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: '../suai.yaml' is owned by daemon; use --config to read it" ]
	echo 'timeout: 7' > suai.yaml
	suai validate --show-settings
	[[ "$(shown timeout)" == '7 '* ]]
}

# bats test_tags=judge
@test "a discovered file that all users can write to is refused" {
	echo 'strict: true' > suai.yaml
	chmod 666 suai.yaml
	suai validate --show-settings
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: all users can write to 'suai.yaml'; remove that permission (chmod o-w), or use --config to read it" ]
	suai validate --config suai.yaml --show-settings
	[ "$status" -eq 0 ]
	chmod 664 suai.yaml
	suai validate --show-settings
	[[ "$(shown strict)" == 'true '* ]]
}

# bats test_tags=judge
@test "a discovered file can name a baseline below its directory only" {
	mkdir -p below
	for path in ../elsewhere below/../../elsewhere "$PWD/elsewhere" ..; do
		printf 'baseline: %s\n' "$path" > suai.yaml
		suai validate --update-baseline defects.yaml
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: suai.yaml:1:1: 'baseline' of a discovered file must be below its directory, since suai writes to it; use --baseline, or --config to name this file" ]
		[ ! -e ../elsewhere ]
		[ ! -e elsewhere ]
	done
	# Through symbolic links: to a directory, to a file, and to one that does not exist.
	ln -s "$BATS_TEST_TMPDIR" above
	echo 'kept' > ../kept.yaml
	ln -s ../kept.yaml file-link
	ln -s ../elsewhere dangling-link
	for path in above/elsewhere above/kept.yaml file-link dangling-link; do
		printf 'baseline: %s\n' "$path" > suai.yaml
		suai validate --update-baseline defects.yaml
		[ "$status" -eq 2 ]
		[[ "$stderr" == "suai: suai.yaml:1:1: 'baseline' of a discovered file must be below its directory, since suai writes to it;"* ]]
		[ ! -e ../elsewhere ]
	done
	ln -s below inside
	printf 'baseline: inside/linked.yaml\n' > suai.yaml
	suai validate --update-baseline defects.yaml
	[ -f below/linked.yaml ]
	for path in base.yaml ./below/base.yaml ..base.yaml; do
		printf 'baseline: %s\n' "$path" > suai.yaml
		suai validate --update-baseline defects.yaml
		[ -f "$path" ]
	done
	printf 'baseline: ../above.yaml\n' > suai.yaml
	suai validate --config suai.yaml --update-baseline defects.yaml
	[ -f ../above.yaml ]
}

# bats test_tags=judge
@test "a user's discovered file and root's are read by that user" {
	[ "$(id -u)" -eq 0 ] || skip "only root can give a file away"
	command -v setpriv > /dev/null || skip "no setpriv"
	chmod 755 "$BATS_TEST_TMPDIR"
	[ "$(setpriv --reuid=1 --regid=1 --clear-groups cat defects.yaml | head -c 1)" ] || skip "another user cannot read here"
	for owner in 0 1; do
		echo 'timeout: 7' > suai.yaml
		chown "$owner" suai.yaml
		run --separate-stderr setpriv --reuid=1 --regid=1 --clear-groups "$SUAI" validate --show-settings
		[[ "$(shown timeout)" == '7 '* ]]
	done
	chown 2 suai.yaml
	run --separate-stderr setpriv --reuid=1 --regid=1 --clear-groups "$SUAI" validate --show-settings
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: 'suai.yaml' is owned by "*"; use --config to read it" ]]
}

# all_shown: the keys of all commands.
all_shown() {
	for command in validate inspect convert matrix why devices; do
		"$SUAI" $command --isolated --show-settings | sed 's/:.*//'
	done | sort -u
}

# owner KEY: the first command that shows the key.
owner() {
	for command in validate inspect convert matrix why devices; do
		! "$SUAI" $command --isolated --show-settings | grep -q "^$1:" || break
	done
	echo $command
}

# page_keys: the keys that suai.yaml(5) documents.
page_keys() {
	sed -nE 's/^\.It Cm ([a-z-]+) :.*/\1/p' "$ROOT/man/suai.yaml.5"
}

# bats test_tags=judge
@test "suai.yaml(5) documents each key of --show-settings, with an example that is accepted" {
	diff <(page_keys | sort) <(all_shown)
	n_examples=0
	while IFS= read -r -d '' example; do
		printf '%s' "$example" > suai.yaml
		key=$(sed -n '1s/:.*//p' suai.yaml)
		suai "$(owner "$key")" --config suai.yaml --show-settings
		[ "$status" -eq 0 ]
		[[ "$(shown "$key")" == *'# suai.yaml:1' ]]
		n_examples=$((n_examples + 1))
	done < <(awk '/^\.Bd/ { inside = 1; next } /^\.Ed/ { inside = 0; printf "%c", 0; next } inside' "$ROOT/man/suai.yaml.5" |
		sed 's/\\(aq/'"'"'/g; s/\\-/-/g; s/\\&//g; s/\\e/\\/g')
	[ "$n_examples" -eq $(($(page_keys | wc -l) + 1)) ]
}

# init_blocks: the settings of suai.yaml that init wrote, uncommented, each followed by a NUL byte.
init_blocks() {
	awk '/^#[^ ]/ { inside = 1 } /^#[a-z]/ { if (n++) printf "%c", 0 } /^(# [^ ].*)?$/ { inside = 0 } inside { print substr($0, 2) }
		END { printf "%c", 0 }' suai.yaml
}

# bats test_tags=judge
@test "init writes a suai.yaml in which every setting is commented out, and valid once uncommented" {
	suai init
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$stderr" = "suai: wrote 'suai.yaml', in which every setting is commented out" ]
	[ "$(wc -L < suai.yaml)" -le 100 ]
	suai validate --show-settings
	[ "$status" -eq 0 ]
	[ "$(grep -vc '# default$' <<< "$output")" -eq 0 ]
	cp suai.yaml written.yaml
	n_settings=0
	while IFS= read -r -d '' block; do
		printf '%s' "$block" > suai.yaml
		suai "$(owner "${block%%:*}")" --show-settings
		[ "$status" -eq 0 ]
		[[ "$(shown "${block%%:*}")" == *'# suai.yaml:1' ]]
		n_settings=$((n_settings + 1))
	done < <(cp written.yaml suai.yaml; init_blocks)
	[ "$n_settings" -gt 20 ]
	diff <(sed -n 's/^#\([a-z-]*\):.*/\1/p' written.yaml | sort) \
		<(all_shown | grep -vx python)
	sed 's/^#\([^ ]\)/\1/; s/^#  /  /' written.yaml > suai.yaml
	suai validate --show-settings
	[ "$status" -eq 0 ]
	[ "$(grep -c '# suai.yaml:' <<< "$output")" -eq "$("$SUAI" validate --isolated --show-settings | grep -vc ^python:)" ]
}

# bats test_tags=judge
@test "init never overwrites, wherever it writes to, and leaves nothing behind" {
	echo 'timeout: 7' > suai.yaml
	suai init
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: 'suai.yaml' already exists" ]
	[ "$(cat suai.yaml)" = 'timeout: 7' ]
	ln -s nowhere link.yaml
	for name in link.yaml sub .; do
		suai init -o $name
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: '$name' already exists" ]
	done
	suai init -o none/suai.yaml
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: cannot write 'none/suai.yaml': No such file"* ]]
	suai init other.yaml
	[ "$status" -eq 2 ]
	suai init -o other.yaml
	[ "$status" -eq 0 ]
	SUAI_NO_TMPFILE=1 suai init -o named.yaml
	[ "$status" -eq 0 ]
	cmp other.yaml named.yaml
	suai init -o -
	[ "$output" = "$(cat other.yaml)" ]
	[ -z "$stderr" ]
	[ "$(find . -mindepth 1 | sort | tr '\n' ' ')" = "./defects.yaml ./link.yaml ./named.yaml ./other.yaml ./suai.yaml ./sub " ]
}

# bats test_tags=judge
@test "init leaves nothing behind if the file cannot be renamed where the file system has no RENAME_NOREPLACE" {
	strace -o /dev/null true 2> /dev/null || skip 'strace is not installed, or cannot trace here'
	export SUAI_NO_TMPFILE=1
	run --separate-stderr strace -qq -o /dev/null -e inject=renameat2:error=EINVAL -e inject=rename:error=ENOSPC "$SUAI" init -o new.yaml
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot write 'new.yaml': No space left on device" ]
	[ "$(echo *)" = "defects.yaml sub" ]
}

# bats test_tags=judge
@test "init suggests the scripts that define interfaces as targets, and runs none" {
	mkdir tests
	printf 'open("executed", "w")\nclass A:\n    __cuda_array_interface__ = {}\n' > arrays.py
	cp arrays.py tests/test_arrays.py
	cp arrays.py 'two words.py'
	cp arrays.py $'line\n- evil.py'
	echo 'a = 1' > plain.py
	head -c 100000 /dev/urandom > random.py
	mkfifo pipe.py
	mkdir directory.py
	suai init
	[ "$status" -eq 0 ]
	[ "$(sed -n '/^#targets:/,/^$/p' suai.yaml)" = $'#targets:\n#- arrays.py\n#- tests/test_arrays.py' ]
	[ ! -e executed ]
}

# bats test_tags=judge
@test "init reports the file above that it replaces for its directory" {
	echo 'timeout: 7' > suai.yaml
	cd sub
	suai init
	[ "$status" -eq 0 ]
	[ "$stderr" = "suai: wrote 'suai.yaml', in which every setting is commented out
suai: '../suai.yaml' no longer applies to this directory" ]
}
