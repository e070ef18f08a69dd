#!/usr/bin/env bats
# The committed man pages and completions, and the examples of the help texts.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	cp "$ROOT"/testdata/docs/*.py .
	export PATH="$ROOT:$PATH"
}

# Names of the commands that help lists.
listed_commands() {
	"$SUAI" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# The command lines of a command's examples: those that are not indented.
examples_of() {
	"$SUAI" help "$1" | sed -n '/^examples:/,$p' | sed -n '2,$s/^\([^ ].*\)/\1/p'
}

# bats test_tags=judge
@test "the man pages and the completions are the output of 'make docs'" {
	diff -u "$ROOT/man/suai.1" <("$SUAI" docs man)
	diff -u "$ROOT/man/suai-rules.7" <("$SUAI" docs rules)
	diff -u "$ROOT/man/suai.yaml.5" <("$SUAI" docs config)
	diff -u "$ROOT/completions/suai.bash" <("$SUAI" docs bash)
	diff -u "$ROOT/completions/_suai" <("$SUAI" docs zsh)
	diff -u "$ROOT/completions/suai.fish" <("$SUAI" docs fish)
}

# bats test_tags=judge
@test "structs, tables, schema and documentation of facts are the output of 'tools/facts'" {
	"$ROOT/tools/facts" --check
}

# bats test_tags=judge
@test "a generated file that differs from the output of 'tools/facts' is found, whatever its spaces" {
	mkdir -p src/facts src/protocols docs schema
	cp -r "$ROOT/tools" .
	cp -r "$ROOT/src/facts" "$ROOT/src/protocols" src
	cp "$ROOT/docs/facts.md" docs
	cp "$ROOT/schema/"*.json schema
	sed -i 's/\t/    /' src/facts/facts.h
	tools/facts --check
	sed -i 's/const char \*typestr;/const char *typestring;/' src/facts/facts.h
	sed -i 's/"itemsize"/"item_size"/' src/facts/facts_tables.c
	run tools/facts --check
	[ "$status" -eq 1 ]
	[ "$output" = 'src/facts/facts.h differs from the output of tools/facts; run tools/facts
src/facts/facts_tables.c differs from the output of tools/facts; run tools/facts' ]
}

# bats test_tags=judge
@test "links between the documents name files and headings that exist" {
	"$TEST_PYTHON" - "$ROOT" << 'EOF'
import pathlib, re, sys
root = pathlib.Path(sys.argv[1])
pages = {page.resolve(): re.sub(r"(?ms)^```.*?^```$", "", page.read_text()) for page in [*root.glob("*.md"), *root.glob("docs/*.md")]}
def anchors(text):
    for heading in re.findall(r"(?m)^#+ (.*)$", text):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
broken, n_headings = [], 0
for page, text in pages.items():
    for name, heading in re.findall(r"\]\(([^)#\s:]*)(?:#([^)\s]*))?\)", text):
        target = (page.parent / name).resolve() if name else page
        n_headings += bool(heading)
        if not target.exists() or heading and target in pages and heading not in anchors(pages[target]):
            broken.append(f"{page.name}: {name}#{heading}")
assert not broken, broken
assert n_headings > 20
EOF
}

# bats test_tags=judge
@test "the man pages pass mandoc's lint" {
	command -v mandoc >/dev/null || skip "no mandoc on this machine"
	mkdir man1 man5 man7
	cp "$ROOT/man/suai.1" man1
	cp "$ROOT/man/suai.yaml.5" man5
	cp "$ROOT/man/suai-rules.7" man7
	for page in suai.1 suai.yaml.5 suai-rules.7; do
		MANPATH=$PWD run mandoc -T lint -W style "$ROOT/man/$page"
		echo "$output"
		[ "$status" -eq 0 ]
	done
	for command in $(listed_commands) docs; do
		run mandoc -T lint -W style <("$SUAI" docs man "$command")
		echo "$command: $output"
		[ "$status" -eq 0 ]
	done
}

# bats test_tags=judge
@test "the man page names every command, option and exit status" {
	command -v mandoc >/dev/null || skip "no mandoc on this machine"
	page=$(mandoc -T ascii -O width=200 "$ROOT/man/suai.1" | col -bx)
	for command in $(listed_commands); do
		grep -q "^   suai $command$" <<< "$page" || { echo "no section: $command"; return 1; }
		for option in $("$SUAI" help "$command" | grep -oE '^  (-.,|   ) --[a-z-]+' | grep -oE -- '--[a-z-]+'); do
			grep -qE -- " $option( |=|\[|$)" <<< "$page" || { echo "no entry: $command $option"; return 1; }
		done
	done
	for code in 0 1 2 3 4 70; do
		grep -qE "^     $code " <<< "$page"
	done
}

# bats test_tags=judge
@test "the man pages document exactly the environment variables that the sources read" {
	command -v mandoc >/dev/null || skip "no mandoc on this machine"
	cd "$ROOT/src"
	# The names in files that read variables: of getenv itself, of tables, of options.
	mapfile -t files < <(grep -rlE 'getenv\(|environment_forces\(|\.environment = ' --include='*.c' . | grep -v '_test\.c$')
	{
		grep -hoE '"[A-Z][A-Z0-9]*_[A-Z0-9_]+"|getenv\("[A-Z_]+"' "${files[@]}" | grep -oE '[A-Z][A-Z0-9_]+'
		sed -n 's/^#define [A-Z_]*_ENVIRONMENT "\(.*\)"$/\1/p' ./*/*.h
	} | sort -u > "$BATS_TEST_TMPDIR/read"
	mandoc -T ascii -O width=1000 "$ROOT/man/suai.1" | col -bx | sed -n '/^ENVIRONMENT/,/^FILES/s/^     \([A-Z][A-Z0-9_, ]*\)\( .*\|\)$/\1/p' |
		grep -oE '[A-Z][A-Z0-9_]+' | sort -u > "$BATS_TEST_TMPDIR/described"
	grep -qx SUAI_LIVE_ROUNDS "$BATS_TEST_TMPDIR/described"
	diff "$BATS_TEST_TMPDIR/read" "$BATS_TEST_TMPDIR/described"
}

@test "the man page lists the subjects of SUAI_DEBUG" {
	command -v mandoc >/dev/null || skip "no mandoc on this machine"
	subjects=$(grep -rhoE 'DEBUG_LOG\("[a-z]+' "$ROOT/src" | cut -d '"' -f 2 | sort -u)
	said=$(mandoc -T ascii -O width=1000 "$ROOT/man/suai.1" | col -bx | grep -oE 'Subjects are [^.]*' | sed 's/Subjects are //')
	[ "$(tr ' ' '\n' <<< "${said//,/}" | grep -vx and)" = "$subjects" ]
}

# bats test_tags=judge
@test "help fits into the terminal, or 100 columns, and lists the values of each option" {
	unset COLUMNS
	for columns in '' 80 60; do
		for command in '' $(listed_commands); do
			# Command lines of examples are not broken.
			${columns:+env COLUMNS=$columns} "$SUAI" help $command | sed '/^examples:/,$ { /^[^ ]/d; }' > help
			printf '%s columns: %s\n' "$columns" "$command"
			[ "$(wc -L < help)" -le "${columns:-100}" ]
			run ! grep -n ' $' help
		done
	done
	"$SUAI" help validate | grep -q 'LEVEL or above: error, warning, note'
	"$SUAI" help validate | tr -s ' \n' ' ' | grep -q 'repeatable: sycl, cuda, dlpack, numpy, numpy-struct, buffer '
}

# bats test_tags=judge
@test "suai-rules(7) is complete: each rule with requirement, consequence, fix and clause" {
	command -v mandoc >/dev/null || skip "no mandoc on this machine"
	mandoc -T utf8 -O width=1000 "$ROOT/man/suai-rules.7" | col -bx > page
	"$SUAI" rule -f json -o book.json
	"$TEST_PYTHON" - << 'EOF'
import json
page = open("page").read()
squeezed = "".join(page.split())
book = json.load(open("book.json"))["rules"]
heads = [line.split()[0] for line in page.splitlines() if line.startswith("   ") and line[3:4] != " "]
assert heads == [rule["rule"] for rule in book], heads
for rule in book:
    for key in ("why", "hint", "clause", "says"):
        words = "".join(rule[key].split())
        assert words in squeezed, (rule["rule"], key, words)
EOF
}

# bats test_tags=judge
@test "docs refuses unknown documents" {
	suai docs
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: docs: expected 'man [COMMAND]', 'rules', 'config', 'bash', 'zsh' or 'fish'" ]
	suai docs powershell
	[ "$status" -eq 2 ]
	suai docs bash inspect
	[ "$status" -eq 2 ]
	suai docs rules SUAI302
	[ "$status" -eq 2 ]
	suai docs man inspetc
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: unknown command 'inspetc' (did you mean 'inspect'?)" ]
}

@test "every example of the help texts works" {
	examples=0
	for command in $(listed_commands); do
		while IFS= read -r example; do
			if [[ $example == *"| jq"* ]] && ! command -v jq >/dev/null; then
				echo "# skipped: $example: no jq on this machine" >&3
				continue
			fi
			examples=$((examples + 1))
			run --separate-stderr timeout 120 bash -o pipefail -c "$example" < /dev/null
			printf '$ %s\n[exit %s]\n%s\n%s\n' "$example" "$status" "$output" "$stderr"
			if [ "$status" -eq 4 ] && [[ $stderr != *"cannot use python"* ]]; then
				echo "# skipped: $example: ${stderr%%$'\n'*}" >&3
				continue
			fi
			# An example of validate may show findings.
			[[ $status == 0 || ($status == 1 && $example == *"suai validate"*) ]] || return 1
		done < <(examples_of "$command")
	done
	[ "$examples" -gt 0 ]
}

# bash_offers WORD...: the completions for the last word.
bash_offers() {
	bash --norc -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _suai; echo "${COMPREPLY[*]}"' \
		bash "$ROOT/completions/suai.bash" "$@"
}

# bats test_tags=judge
@test "bash completes commands, options, values, lists and files" {
	touch other.py
	[ "$(bash_offers suai insp)" = inspect ]
	[[ "$(bash_offers suai '')" == *inspect*--help* ]]
	[ "$(bash_offers suai inspect --form)" = --format ]
	[ "$(bash_offers suai inspect -f '')" = "text yaml json tsv" ]
	[ "$(bash_offers suai inspect --format = y)" = yaml ]
	[ "$(bash_offers suai inspect --color =)" = "auto always never" ]
	[ "$(bash_offers suai inspect -p sycl,cu)" = sycl,cuda ]
	[ "$(bash_offers suai inspect --timeout '')" = "" ]
	[ "$(bash_offers suai inspect oth)" = other.py ]
	[ "$(bash_offers suai inspect -o oth)" = other.py ]
	[ "$(bash_offers suai help insp)" = inspect ]
}

# bats test_tags=judge
@test "bash completes validate's options, rules, formats and files" {
	touch suai.yaml baseline.yaml
	[ "$(bash_offers suai validate --show)" = --show-settings ]
	[ "$(bash_offers suai validate --no-s)" = "--no-skips --no-summary" ]
	[ "$(bash_offers suai validate -f '')" = "text concise yaml json sarif junit tap github tsv" ]
	[ "$(bash_offers suai validate --select SUAI10)" = "$("$SUAI" rule --query rule SUAI10 | tr '\n' ' ' | sed 's/ $//')" ]
	[ "$(bash_offers suai validate --ignore SUAI101,SUAI51)" = "$("$SUAI" rule --query rule SUAI51 | sed 's/^/SUAI101,/' | tr '\n' ' ' | sed 's/ $//')" ]
	[ "$(bash_offers suai validate --config suai)" = suai.yaml ]
	[ "$(bash_offers suai validate --python suai)" = suai.yaml ]
	[ "$(bash_offers suai rule CAI40)" = "$("$SUAI" rule --query rule CAI40 | tr '\n' ' ' | sed 's/ $//')" ]
}

@test "keys of a conversion are completed for convert only" {
	suai complete query inspect
	[[ "$output" == *shape* && "$output" != *copy.* ]]
	suai complete query convert
	[[ "$output" == *copy.path* ]]
}

# complete_arrays: a script that would leave a file behind if it ran.
complete_arrays() {
	cat > complete_arrays.py << 'PY'
open("executed", "w")
import numpy as np
from lib import borrowed
first, second = 1, 2
_private = 3
def make(n):
    inner = n
PY
}

# bats test_tags=judge
@test "bash quotes a script's path if readline replaces the whole target" {
	cd "$BATS_TEST_TMPDIR"
	local file='$(touch hit)`touch hit` &.py' word target
	echo 'alb = 1' > "$file"
	for word in '\$\(touch\ hit\)\`touch\ hit\`\ \&.py:al' '"\$(touch hit)\`touch hit\` &.py:al' "'$file:al"; do
		target=$(bash_offers suai inspect "$word")
		case $word in # what readline retains
		\'*) target="'$target'" ;;
		\"*) target="\"$target\"" ;;
		esac
		eval "target=$target"
		[ "$target" = "$file:alb" ]
	done
	[ ! -e hit ]
}

# bats test_tags=judge
@test "bash completes keys, names in scripts, rule names and steps" {
	complete_arrays
	mkdir 'a b'
	cp complete_arrays.py 'a b/x.py'
	[ "$(bash_offers suai inspect complete_arrays.py :)" = "borrowed first second make" ]
	[ "$(bash_offers suai inspect complete_arrays.py : se)" = second ]
	[ "$(bash_offers suai validate -q complete_arrays.py : _)" = _private ]
	[ "$(bash_offers suai inspect 'a\ b/x.py' : ma)" = make ]
	[ "$(bash_offers suai inspect "'a b/x.py" : ma)" = make ]
	[ "$(bash_offers suai inspect none.py : ma)" = "" ]
	[ "$(HOME=$PWD bash_offers suai inspect '~/complete_arrays.py' : f)" = first ]
	[ "$(bash_offers suai inspect complete_arr)" = complete_arrays.py ]
	[ ! -e executed ]
	[ "$(bash_offers suai inspect --query strides)" = "strides_bytes strides_elements" ]
	[ "$(bash_offers suai inspect --query shape,memory.k)" = shape,memory.kind ]
	[ "$(bash_offers suai validate --query ru)" = rule ]
	[ "$(bash_offers suai devices --query = fil)" = filter ]
	[ "$(bash_offers suai validate --ignore strides-l)" = strides-length ]
	[ "$(bash_offers suai rule shape-t)" = shape-tuple ]
	[ "$(bash_offers suai validate --only-step 'trial\ thr')" = "trial thread of dlpack" ]
}

# fish_offers LINE: the completions, without descriptions.
fish_offers() {
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$ROOT/completions/suai.fish" "$1" |
		cut -f 1 | sort | tr '\n' ' '
}

# bats test_tags=judge
@test "fish completes commands, options, values, lists and files" {
	command -v fish >/dev/null || skip "no fish on this machine"
	touch other.py
	[ "$(fish_offers 'suai insp')" = "inspect " ]
	[ "$(fish_offers 'suai inspect --form')" = "--format " ]
	[ "$(fish_offers 'suai inspect -f ')" = "json text tsv yaml " ]
	[ "$(fish_offers 'suai inspect --format=y')" = "--format=yaml " ]
	[ "$(fish_offers 'suai inspect -p sycl,cu')" = "sycl,cuda " ]
	[ "$(fish_offers 'suai inspect --timeout ')" = "" ]
	[ "$(fish_offers 'suai inspect oth')" = "other.py " ]
	[ "$(fish_offers 'suai inspect -o oth')" = "other.py " ]
	[ "$(fish_offers 'suai help insp')" = "inspect " ]
}

# bats test_tags=judge
@test "fish completes validate's options, rules, formats and files" {
	command -v fish >/dev/null || skip "no fish on this machine"
	touch suai.yaml
	[ "$(fish_offers 'suai validate --show')" = "--show-settings " ]
	[ "$(fish_offers 'suai validate --no-sk')" = "--no-skips " ]
	[ "$(fish_offers 'suai validate -f ')" = "concise github json junit sarif tap text tsv yaml " ]
	[ "$(fish_offers 'suai validate --select SUAI10')" = "$("$SUAI" rule --query rule SUAI10 | tr '\n' ' ')" ]
	[ "$(fish_offers 'suai validate --ignore SUAI101,SUAI51')" = "$("$SUAI" rule --query rule SUAI51 | sed 's/^/SUAI101,/' | tr '\n' ' ')" ]
	[ "$(fish_offers 'suai validate --config suai')" = "suai.yaml " ]
	[ "$(fish_offers 'suai rule CAI40')" = "$("$SUAI" rule --query rule CAI40 | tr '\n' ' ')" ]
}

# bats test_tags=judge
@test "fish completes keys, names in scripts, rule names and steps" {
	command -v fish >/dev/null || skip "no fish on this machine"
	complete_arrays
	[ "$(fish_offers 'suai inspect complete_arrays.py:' | sed 's/complete_arrays.py://g')" = "borrowed first make second " ]
	[ "$(fish_offers 'suai validate -q complete_arrays.py:_')" = "complete_arrays.py:_private " ]
	mkdir 'a b'
	cp complete_arrays.py 'a b/x.py'
	[ "$(fish_offers 'suai inspect a\ b/x.py:ma')" = "a b/x.py:make " ]
	[ "$(fish_offers 'suai inspect complete_arr')" = "complete_arrays.py " ]
	[ ! -e executed ]
	[ "$(fish_offers 'suai inspect --query strides')" = "strides_bytes strides_elements " ]
	[ "$(fish_offers 'suai inspect --query shape,memory.k')" = "shape,memory.kind " ]
	[ "$(fish_offers 'suai validate --ignore SUAI101,strides-l')" = "SUAI101,strides-length " ]
	[ "$(fish_offers 'suai rule shape-t')" = "shape-tuple " ]
	[ "$(fish_offers 'suai validate --only-step trial\ thr')" = "trial thread of dlpack " ]
}

# zsh_offers LINE: the completions of a real zsh.
zsh_offers() {
	timeout 30 zsh -f "$ROOT/testdata/docs/complete.zsh" "$ROOT/completions" "$1" | tr '\n' ' '
}

# bats test_tags=judge
@test "zsh completes commands, options, values, lists and files" {
	command -v zsh >/dev/null || skip "no zsh on this machine"
	touch other.py
	[ "$(zsh_offers 'suai insp')" = "inspect " ]
	[ "$(zsh_offers 'suai inspect --form')" = "--format " ]
	[ "$(zsh_offers 'suai inspect -f ')" = "json text tsv yaml " ]
	[ "$(zsh_offers 'suai inspect --format=y')" = "yaml " ]
	[ "$(zsh_offers 'suai inspect -p sycl,cu')" = "cuda " ]
	[ "$(zsh_offers 'suai inspect oth')" = "other.py " ]
	[ "$(zsh_offers 'suai inspect -o oth')" = "other.py " ]
	[ "$(zsh_offers 'suai help insp')" = "inspect " ]
}

# bats test_tags=judge
@test "zsh completes validate's options, rules, formats and files" {
	command -v zsh >/dev/null || skip "no zsh on this machine"
	touch suai.yaml
	[ "$(zsh_offers 'suai validate --show')" = "--show-settings " ]
	[ "$(zsh_offers 'suai validate --no-s' | xargs -n 1 | sort | xargs)" = "--no-skips --no-summary" ]
	[ "$(zsh_offers 'suai validate -f ' | xargs -n 1 | sort | xargs)" = "concise github json junit sarif tap text tsv yaml" ]
	[ "$(zsh_offers 'suai validate --select SUAI10' | xargs)" = "$("$SUAI" rule --query rule SUAI10 | xargs)" ]
	[ "$(zsh_offers 'suai validate --ignore SUAI101,SUAI51' | xargs)" = "$("$SUAI" rule --query rule SUAI51 | xargs)" ]
	[ "$(zsh_offers 'suai validate --config suai')" = "suai.yaml " ]
	[ "$(zsh_offers 'suai rule CAI40' | xargs)" = "$("$SUAI" rule --query rule CAI40 | xargs)" ]
}

# bats test_tags=judge
@test "zsh completes keys, names in scripts, rule names and steps" {
	command -v zsh >/dev/null || skip "no zsh on this machine"
	complete_arrays
	[ "$(zsh_offers 'suai inspect complete_arrays.py:' | xargs)" = "borrowed first make second" ]
	[ "$(zsh_offers 'suai validate -q complete_arrays.py:_')" = "_private " ]
	mkdir 'a b'
	cp complete_arrays.py 'a b/x.py'
	[ "$(zsh_offers 'suai inspect a\ b/x.py:ma')" = "make " ]
	[ "$(zsh_offers 'suai inspect complete_arr')" = "complete_arrays.py " ]
	[ ! -e executed ]
	[ "$(zsh_offers 'suai inspect --query strides' | xargs)" = "strides_bytes strides_elements" ]
	[ "$(zsh_offers 'suai inspect --query shape,memory.k')" = "memory.kind " ]
	[ "$(zsh_offers 'suai validate --ignore SUAI101,strides-l')" = "strides-length " ]
	[ "$(zsh_offers 'suai rule shape-t')" = "shape-tuple " ]
	[ "$(zsh_offers 'suai validate --only-step trial\ thr')" = 'trial\ thread\ of\ dlpack ' ]
}

@test "bash, fish and zsh complete --device with the devices of this machine" {
	"$SUAI" complete devices > devices
	grep -qx cpu devices
	while IFS= read -r device; do
		suai convert -c 'import array; a = array.array("d", [1])' a --to dlpack --dry-run --device "$device"
		[[ "$stderr" != *"unknown device"* ]]
		[[ "$stderr" != *"cannot allocate memory on this device"* ]]
	done < devices
	[ "$(bash_offers suai convert --device '')" = "$(xargs < devices)" ]
	if command -v fish >/dev/null; then
		[ "$(fish_offers 'suai convert --device ')" = "$(sort devices | xargs) " ]
	fi
	if command -v zsh >/dev/null; then
		[ "$(zsh_offers 'suai convert --device ' | xargs)" = "$(sort -u devices | xargs)" ]
	fi
}

# bats test_tags=judge
@test "complete targets finds the names that Python's ast finds in the standard library" {
	SUAI="$SUAI" "$TEST_PYTHON" - << 'EOF'
import ast, glob, os, subprocess, sysconfig
def names(body):
    for node in body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        elif isinstance(node, ast.AnnAssign) and node.value and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name
        elif isinstance(node, ast.ImportFrom):
            yield from (a.asname or a.name for a in node.names if a.name != "*")
        elif not isinstance(node, ast.ClassDef):
            for part in "body", "orelse", "finalbody":
                yield from names(getattr(node, part, []) if isinstance(getattr(node, part, []), list) else [])
            for handler in getattr(node, "handlers", []):
                yield from names(handler.body)
n_names = 0
for path in sorted(glob.glob(os.path.join(sysconfig.get_path("stdlib"), "*.py"))):
    with open(path, encoding="utf-8") as file:
        expected = set(names(ast.parse(file.read()).body))
    found = set()
    for prefix in "", "_":
        out = subprocess.run([os.environ["SUAI"], "complete", "targets", f"{path}:{prefix}"], capture_output=True, text=True, check=True)
        found |= {line.rpartition(":")[2] for line in out.stdout.splitlines()}
    assert found == expected, (path, found ^ expected)
    n_names += len(found)
assert n_names > 2000, n_names
EOF
}

# bats test_tags=judge
@test "names of notebooks and modules are completed, and nothing after a complete name" {
	mkdir -p pkg/sub
	echo 'first = 1' > pkg/__init__.py
	printf 'second = 1\n_own = 2\n' > pkg/sub/mod.py
	echo '{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "x = 1"}, {"cell_type": "code", "source": ["a = 1\n", "b = 2"]},
		{"cell_type": "code", "source": "c = 3"}]}' > nb.ipynb
	[ "$("$SUAI" complete targets nb.ipynb: | xargs)" = "nb.ipynb:a nb.ipynb:b nb.ipynb:c" ]
	[ "$("$SUAI" complete targets pkg:)" = pkg:first ]
	[ "$("$SUAI" complete targets pkg.sub.mod:)" = pkg.sub.mod:second ]
	[ "$("$SUAI" complete targets pkg.sub.mod:_o | tail -n 1)" = pkg.sub.mod:_own ]
	echo '{' > bad.ipynb
	mkfifo pipe.ipynb
	for word in bad.ipynb: pipe.ipynb: none.ipynb: none: pkg. pkg/sub: 'nb.ipynb:a["' 'pkg:first[0].'; do
		run -0 "$SUAI" complete targets "$word"
		[ -z "$output" ]
	done
	[ "$(bash_offers suai inspect nb.ipynb : b)" = b ]
	[ "$(bash_offers suai validate pkg.sub.mod : s)" = second ]
	if command -v fish >/dev/null; then
		[ "$(fish_offers 'suai inspect nb.ipynb:')" = "nb.ipynb:a nb.ipynb:b nb.ipynb:c " ]
		[ "$(fish_offers 'suai inspect pkg.sub.mod:')" = "pkg.sub.mod:second " ]
	fi
	if command -v zsh >/dev/null; then
		[ "$(zsh_offers 'suai inspect nb.ipynb:' | xargs)" = "a b c" ]
		[ "$(zsh_offers 'suai inspect pkg.sub.mod:')" = "second " ]
	fi
}

# bats test_tags=judge
@test "complete targets reads regular files only, at most 4 MiB, and accepts any bytes" {
	mkfifo pipe.py
	mkdir directory.py
	head -c 100000 /dev/urandom > random.py
	printf 'a = 1\nb\e = 2\nc$(touch hit) = 3\n\xff\xfe = 4\nd = """' > odd.py
	head -c 5000000 /dev/zero >> odd.py
	printf '"""\nafter = 1\n' >> odd.py
	for file in pipe directory none random odd; do
		suai complete targets "$file.py:"
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
	done
	[ "$output" = $'odd.py:a\nodd.py:d' ]
	suai complete targets odd.py
	[ -z "$output" ]
	for words in '' 'nothing' 'query inspect more'; do
		# shellcheck disable=SC2086 # words
		suai complete $words
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: complete: expected 'targets WORD', 'query COMMAND', 'rules', 'devices', 'steps' or 'cases'" ]
	done
	# The help lists these kinds, and cases are those of --case.
	kinds=$("$SUAI" help complete | tr -s ' \n' ' ' | sed 's/.*KIND is one of: //; s/ examples:.*//' | tr ';' '\n' | sed 's/^ //; s/^and //; s/,.*//')
	[ "$kinds" = $'targets\nquery\nrules\ndevices\nsteps\ncases' ]
	suai help validate
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"--case CASE pass only this tensor to the consumer; 'suai complete cases' lists them; repeatable"* ]]
	suai complete cases
	[ "$status" -eq 0 ]
	grep -q $'^offset\t' <<< "$output"
}

@test "suai.yaml(5) names the commands that read the file" {
	local command readers=()
	for command in $("$SUAI" help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p'); do
		suai "$command" --isolated --show-settings
		[ "$status" -ne 0 ] || readers+=("$command")
	done
	[ "${#readers[@]}" -ge 6 ]
	found=$(tr '\n' ' ' < "$ROOT/man/suai.yaml.5" | grep -oP 'values\. \K[a-z, ]*(?= read it\.)' | sed 's/, /\n/g; s/ and /\n/')
	[ "$(sort <<< "$found")" = "$(printf '%s\n' "${readers[@]}" | sort)" ]
}

# bats test_tags=judge
@test "complete query lists keys that --query accepts" {
	for command in validate convert devices rule; do
		keys=$("$SUAI" complete query $command | paste -sd ,)
		[[ "$keys" == *,* ]]
		suai $command --query "$keys,nothing"
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"unknown key 'nothing'"* || "$command" == convert ]]
	done
	suai inspect --query "$("$SUAI" complete query inspect | paste -sd ,)" "$ROOT/testdata/validate/defects.yaml"
	[ "$status" -eq 1 ]
	suai convert --to dlpack --query "$("$SUAI" complete query convert | paste -sd ,),nothing" x.py
	[[ "$stderr" == *"unknown key 'nothing'"* ]]
}

@test "the blocks that no test executes are listed by functions and lines that exist" {
	"$ROOT/tools/uncovered"
	grep -q 'tools/uncovered build/coverage.json' "$ROOT/tools/coverage"
	mkdir -p tree/tools tree/testdata/tools tree/src
	cp "$ROOT/tools/uncovered" tree/tools/
	printf 'int f(int a)\n{\n\tif (a)\n\t\treturn 1;\n\treturn 2;\n}\n' > tree/src/a.c
	printf '{"files": [{"file": "src/a.c", "lines": [%s]}]}' \
		'{"line_number": 1, "function_name": "f", "count": 0}, {"line_number": 3, "function_name": "f", "count": 1}, {"line_number": 4, "function_name": "f", "count": 0}' > coverage.json
	printf 'src/a.c\tf\tint f(int a)\tnone calls it\nsrc/a.c\tf\treturn 1;\ta is set\n' > tree/testdata/tools/uncovered.tsv
	tree/tools/uncovered coverage.json
	printf 'src/a.c\tf\tint f(int a)\tnone calls it\nsrc/a.c\tf\tif (a)\tnothing\nsrc/a.c\tg\t*\tnothing\n' > tree/testdata/tools/uncovered.tsv
	run -1 tree/tools/uncovered coverage.json
	[ "$output" = "uncovered.tsv:3: src/a.c has no function 'g'
uncovered.tsv:2: src/a.c: no block of f begins with 'if (a)': remove the row if tests execute it now
uncovered.tsv:3: src/a.c: no block of g begins with '*': remove the row if tests execute it now
src/a.c:4-4: no test executes this block of f, and uncovered.tsv does not list it: 'return 1;'" ]
}

# bats test_tags=judge
@test "--help of each tool prints how it is used, and does nothing else" {
	cd "$ROOT"
	for tool in tools/*; do
		case $tool:$(head -n 1 "$tool") in
		# What only builds call, without options.
		tools/embed* | tools/pack-kernels:* | tools/built-kernels:* | tools/bench-peers:* | tools/fuzz-coverage:*) continue ;;
		*:'#!'*) ;;
		*) continue ;;
		esac
		run timeout 60 "$tool" --help
		echo "$tool: $output"
		[ "$status" -eq 0 ]
		[[ "$output" == *"$(basename "$tool")"* ]]
		! grep -q '^#' <<<"$output" || false
	done
}
