#!/usr/bin/env bats
# Comments `# suai: ignore[RULE] reason` in the source, and where targets are defined.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	export GITHUB_WORKSPACE="$BATS_TEST_TMPDIR"
	cat > exporter.py <<-'END'
	import ctypes
	buffer = (ctypes.c_float * 6)()
	class Array:
	    def __init__(self, **keys):
	        declared = dict(shape=(2, 3), typestr="<f4", data=(ctypes.addressof(buffer), False), version=3)
	        self.__cuda_array_interface__ = declared | keys
	END
}

# check ARGUMENT...: with the rules that need no driver.
check() {
	suai validate --static "$@"
}

# lines_of FILE: name and line of each target.
lines_of() {
	"$SUAI" inspect -f json "$@" 2> /dev/null | jq -r '.targets[] | "\(.target | sub(".*?:"; "")) \(.source.line)"'
}

@test "every statement that binds a name gives its line" {
	cat > a.py <<-'END'
	from exporter import Array
	from exporter import (Array as
	    Other)
	a, b = Array(), Array()
	c = Array(); d = Array()
	if True:
	    e = Array()
	try:
	    with open("/dev/null"):
	        f = Array()
	except OSError:
	    pass
	(g) = Array(
	)
	h: Array = Array()
	print((i := Array()) and "")
	for j in [Array()]:
	    pass
	def main():
	    global k
	    k = Array()
	main()
	l = Array()
	l = Array()
	globals()["m"] = Array()
	[n, *o] = Array(), 1
	def make(): return Array()
	class Box:
	    p = Array()
	é = Array()
	q = \
	    Array()
	END
	[ "$(lines_of a.py)" = $'a 4\nb 4\nc 5\nd 5\ne 7\nf 10\ng 13\nh 15\ni 16\nj 17\nk 21\nl 24\nm null\nn 26\né 30\nq 31' ]
	[ "$(lines_of a.py:'make().x if 0 else make()' a.py:'Box().p' a.py:'[a][0]' a.py:'Other()')" = $'make().x if 0 else make() 27\nBox().p 28\n[a][0] 4\nOther() 2' ]
	sed -i 's/$/\r/' a.py
	[ "$(lines_of a.py:b a.py:k)" = $'b 4\nk 21' ]
}

@test "imported objects are at the import, those of modules in the module's file" {
	mkdir pkg
	touch pkg/__init__.py
	printf 'from exporter import Array\nx = y = Array()\n\nz = Array()  # suai: ignore[CAI] here\n' > pkg/mod.py
	printf 'import os\nfrom pkg.mod import x\nfrom pkg.mod import *\n' > a.py
	[ "$(lines_of a.py)" = $'x 2\nz 3' ]
	suai inspect -f json pkg.mod
	[ "$(jq -c '.targets[] | [.target, .source.file, .source.line, .ignores[].reason]' <<< "$output")" = '["pkg.mod:x","pkg/mod.py",2]
["pkg.mod:z","pkg/mod.py",4,"here"]' ]
	printf '#!/usr/bin/python3\nfrom .mod import *\n' > pkg/star.py
	suai inspect -f json pkg.star:z
	[ "$(jq -c '.targets[].source' <<< "$output")" = '{"file":"pkg/star.py","line":2,"cell":null}' ]
}

@test "an ignore moves findings of its rules to ignored, which are counted and never fail" {
	cat > a.py <<-'END'
	from exporter import Array
	a = Array(shape=[2, 3.5])  # suai: ignore[CAI101, CAI] known: see issue 3
	b = Array(typestr="f4",
	          strides=[12, 4])  # noqa: E501  #suai:ignore[cai,]
	good = Array()
	END
	sed -i 's/\[cai,\]/[CAI]/' a.py
	check a.py
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings in 3 targets; "[2-9]" ignored (-v shows them)"* ]]
	[ "$stderr" = "" ]
	check -v a.py
	[[ "$output" == *"a.py:a: ignored CAI"*" (known: see issue 3)"* ]]
	check -v -f concise a.py
	[[ "$output" == *"a.py:b: note ignored CAI"* ]]
	check -f json a.py
	printf '%s\n' "$output" > document.json
	! "$TEST_PYTHON" -c 'import jsonschema, yaml' 2> /dev/null ||
		"$TEST_PYTHON" "$ROOT/testdata/tools/check_schema.py" "$ROOT/schema/suai.schema.json" - document.json
	[ "$(jq '[.targets[].findings | length] | add' <<< "$output")" -eq 0 ]
	[ "$(jq '[.targets[].ignored | length] | add' <<< "$output")" -eq "$(jq .summary.ignored <<< "$output")" ]
	[ "$(jq -c '.targets[0].ignores' <<< "$output")" = '[{"line":2,"cell":null,"rules":["CAI101","CAI"],"reason":"known: see issue 3","error":null}]' ]
	[ "$(jq -c '[.targets[].ignored[].reason] | unique' <<< "$output")" = '[null,"known: see issue 3"]' ]
	check -f sarif a.py
	[ "$(jq -c '[.runs[0].results[].suppressions[0] | [.kind, .justification]] | unique' <<< "$output")" = '[["inSource",null],["inSource","known: see issue 3"]]' ]
	for format in concise junit tap github; do
		check -f $format a.py
		[ "$status" -eq 0 ]
		[[ "$output" != *"not ok"* && "$output" != *"<failure"* && "$output" != *::error* ]]
	done
	check -f yaml a.py
	printf '%s\n' "$output" > dump.yaml
	check dump.yaml
	[ "$status" -eq 0 ]
	[[ "$output" == *" ignored (-v shows them)"* ]]
}

@test "unused ignores are reported once with file and line, unless their rules could not run" {
	cat > a.py <<-'END'
	from exporter import Array
	a, b = Array(shape=[2, 3.5]), Array()  # suai: ignore[CAI] of a
	c = Array()  # suai: ignore[CAI103] old
	d = Array()  # suai: ignore[SUAI103, CAI601]
	e = Array()  # suai: ignore[DLP601] a rule of --live
	text = """
	# suai: ignore[CAI103] not a comment
	"""
	# suai: ignore[CAI103] no object
	END
	check a.py
	[ "$status" -eq 0 ]
	[ "$stderr" = "suai: a.py:3: suai: ignore[CAI103] is unused: no such finding
suai: a.py:4: suai: ignore[SUAI103] is unused: no such finding
suai: a.py:4: suai: ignore[CAI601] is unused: no such finding
suai: a.py:9: suai: ignore[CAI103] is unused: no target is defined on this line" ]
	check -f json a.py
	[ "$(jq -c '.summary.unused_ignores[0]' <<< "$output")" = '{"file":"a.py","line":3,"cell":null,"rule":"CAI103","message":"suai: ignore[CAI103] is unused: no such finding"}' ]
	check -f github a.py
	[ "$(grep -c '^::warning file=a.py,line=[349],title=unused ignore::' <<< "$output")" -eq 4 ]
	check -f sarif a.py
	[ "$(jq -c '.runs[0].invocations[0] | [.executionSuccessful, (.toolConfigurationNotifications | length), .toolConfigurationNotifications[0].locations[0].physicalLocation.region.startLine]' <<< "$output")" = '[true,4,3]' ]
	check -q a.py
	[ -z "$stderr" ]
	check --select SUAI a.py
	[ "$stderr" = "suai: a.py:4: suai: ignore[SUAI103] is unused: no such finding" ]
	check a.py:c
	[ "$stderr" = "suai: a.py:3: suai: ignore[CAI103] is unused: no such finding" ]
	check -p sycl a.py
	[ -z "$stderr" ]
}

@test "an ignore is unused only if the run captures what its rule can use: protocols, calls and trials" {
	printf 'from exporter import Array\na = Array()  # suai: ignore[NAI301, CAI103]\nb = Array()  # suai: ignore[DLP103, CAI003]\n' > a.py
	check -p cuda a.py:a
	[ "$stderr" = "suai: a.py:2: suai: ignore[CAI103] is unused: no such finding" ]
	check a.py:a
	[[ "$stderr" == *"a.py:2: suai: ignore[NAI301] is unused"* ]]
	check a.py:b
	[ -z "$stderr" ]
	suai validate --calls a.py:b
	[ "$stderr" = "suai: a.py:3: suai: ignore[DLP103] is unused: no such finding" ]
	suai validate --lifetime a.py:b
	[ "$stderr" = "suai: a.py:3: suai: ignore[CAI003] is unused: no such finding" ]
}

@test "github has an annotation for each unused or invalid ignore, even if their texts are equal" {
	cat > a.py <<-'END'
	from exporter import Array
	a = Array()  # suai: ignore
	b = Array()  # suai: ignore
	c = Array()  # suai: ignore[CAI103]
	d = Array()  # suai: ignore[CAI103]
	# suai: ignore[CAI103]
	# suai: ignore[CAI103]
	END
	GITHUB_STEP_SUMMARY="$PWD/summary.md" check -f github a.py
	[ "$output" = "$(printf '::warning file=a.py,line=%d,title=%s ignore::%s\n' \
		2 invalid "$(sed -n 's/^suai: a.py:2: //p' <<< "$stderr")" 3 invalid "$(sed -n 's/^suai: a.py:3: //p' <<< "$stderr")" \
		4 unused 'suai: ignore[CAI103] is unused: no such finding' 5 unused 'suai: ignore[CAI103] is unused: no such finding' \
		6 unused 'suai: ignore[CAI103] is unused: no target is defined on this line' \
		7 unused 'suai: ignore[CAI103] is unused: no target is defined on this line')" ]
	for line in 2 3 4 5 6 7; do
		[ "$(grep -c "^| warning | .* ignore | a\.py:$line | " summary.md)" -eq 1 ]
	done
}

@test "an ignore on a decorator is one of the function or class" {
	cat > decorated.py <<-'END'
		def made(f): return made if f == 0 else f() if callable(f) else f
		class Listed:
		    __array_interface__ = {"version": 3, "shape": [2], "typestr": "<f4", "data": (4096, True)}
		@made  # suai: ignore[NAI102] first
		@made(0)
		def a(): return Listed()

		@made(0)
		@made  # suai: ignore[NAI102] second
		class b(Listed): pass
		@made
		def c(): return Listed()
	END
	suai validate --select NAI102 -f json decorated.py
	[ "$(jq -r '.targets[] | "\(.target) \(.findings | length) \(.ignored | length)"' <<< "$output")" = \
		$'decorated.py:a 0 1\ndecorated.py:b 0 1\ndecorated.py:c 1 0' ]
	[ -z "$stderr" ]
}

@test "an ignore on the line of an alias counts, once, for that object" {
	cat > a.py <<-'END'
	from exporter import Array
	good = Array()
	bad = Array(shape=[2, 3])
	other = bad  # suai: ignore[CAI101, CAI103] of bad
	a = b = Array(shape=[2, 3])  # suai: ignore[CAI101] of both names
	box = [a]  # suai: ignore[CAI101] used by its other names
	same = good  # suai: ignore[CAI101] nothing to ignore
	hidden = Array(shape=[2, 3])
	END
	check -f json a.py
	[ "$status" -eq 1 ]
	[ "$(jq -c '.targets[] | [.target, .aliases, [.ignores[].line], [.findings[].rule], [.ignored[] | .rule]]' <<< "$output")" = '["a.py:good",["same"],[7],[],[]]
["a.py:bad",["other"],[4],[],["CAI101"]]
["a.py:a",["b","box[0]"],[5,6],[],["CAI101"]]
["a.py:hidden",[],[],["CAI101"],[]]' ]
	[ "$stderr" = "suai: a.py:4: suai: ignore[CAI103] is unused: no such finding
suai: a.py:7: suai: ignore[CAI101] is unused: no such finding" ]
}

@test "items that statements add to a list or dictionary have their line and ignore, and no others" {
	cat > a.py <<-'END'
	from exporter import Array
	arrays = [Array(shape=[2, 3.5])]
	arrays += [Array(shape=[2, 3.5])]  # suai: ignore[CAI101] known
	arrays += [
	    Array(),
	    Array(shape=[2, 3.5]),  # suai: ignore[CAI101]
	]
	arrays.append(Array(shape=[2, 3.5]))  # suai: ignore[CAI101]
	arrays.extend([Array(), Array(shape=[2, 3.5])])
	table = {"a": Array(shape=[2, 3.5])}
	table["b"] = Array(shape=[2, 3.5])  # suai: ignore[CAI101]
	table |= {"c": [Array(shape=[2, 3.5])]}  # suai: ignore[CAI101]
	table.update({"d": Array(shape=[2, 3.5])})  # suai: ignore[CAI101]
	table.update(e=Array(shape=[2, 3.5]), f=Array())  # suai: ignore[CAI101]
	# The indexes of these are unknown.
	made = list(arrays[:1])
	made += [Array()]
	looped = []
	for i in range(2):
	    looped += [Array(shape=[2, 3.5])]  # suai: ignore[CAI101]
	moved = [Array(), Array()]
	moved.reverse()
	moved.append(Array())
	END
	[ "$(lines_of a.py:arrays a.py:table 'a.py:made[1]' a.py:looped 'a.py:moved[2]' | tr '\n' ' ')" = 'arrays[0] 2 arrays[1] 3 arrays[2] 5 arrays[3] 6 arrays[4] 8 arrays[5] 9 arrays[6] 9 table["a"] 10 table["b"] 11 table["c"][0] 12 table["d"] 13 table["e"] 14 table["f"] 14 made[1] 17 looped[0] 20 looped[1] 20 moved[2] 21 ' ]
	suai validate --static --select CAI101 --exit-zero -f json a.py:arrays a.py:table a.py:looped
	[ "$(jq -r '.targets[] | "\(.target[5:]) \(.findings | length)\(.ignored | length)"' <<< "$output" | tr '\n' ' ')" = 'arrays[0] 10 arrays[1] 01 arrays[2] 00 arrays[3] 01 arrays[4] 01 arrays[5] 00 arrays[6] 10 table["a"] 10 table["b"] 01 table["c"][0] 01 table["d"] 01 table["e"] 01 table["f"] 00 looped[0] 01 looped[1] 01 ' ]
	[ -z "$stderr" ]
}

@test "invalid ignores are reported with file and line, and ignore nothing" {
	cat > a.py <<-'END'
	from exporter import Array
	a = Array(shape=[2, 3.5])  # suai: ignore
	b = Array()  # suai: ignore[]
	c = Array()  # suai: ignore[CAI103
	d = Array()  # suai: ignore[NOPE1]
	e = Array()  # suai: ignored, and # suai: something else
	END
	check a.py
	[ "$status" -eq 1 ]
	[ "${stderr_lines[0]}" = "suai: a.py:2: expected '# suai: ignore[RULE, ...]', optionally with a reason after it" ]
	[ "$(cut -d: -f1-4 <<< "$stderr")" = "suai: a.py:2: expected '# suai
suai: a.py:3: expected the id of a rule between the brackets and commas
suai: a.py:4: expected '# suai
suai: a.py:5: suai" ]
	[[ "$stderr" == *"a.py:5: suai: ignore[NOPE1]: "*NOPE1* ]]
}

@test "ignores may be in upper case, several in a comment, end in a comma, and follow any line end" {
	cat > a.py <<-'END'
	from exporter import Array
	a = Array(shape=[2, 3])  # SUAI: Ignore[CAI101, ] why
	b = Array(shape=[2, 3])  # noqa: E501 # suai: ignore[CAI103] # suai: ignore[CAI101,] here
	c = Array(shape=[2, 3])  # suai: ignore[CAI101,,CAI103]
	d = Array(shape=[2, 3])  # suai: ignore[CAI101] # suai: ignore[]
	e = Array(shape=[2, 3])  # noqa: E501 suai: ignore[CAI101]
	f = Array(shape=[2, 3])  # suai ignore [CAI101]
	g = Array(shape=[2, 3])  # suai: ignore[C, CA]
	h = Array()  # suai ignores this, and suai: ignore nothing
	END
	for line_end in '\n' '\r\n' '\r'; do
		awk -v ORS="$line_end" 1 a.py > ends.py
		check -f json ends.py
		[ "$(jq -c '[.targets[] | select(.findings | map(.rule) | index("CAI101")) | .target]' <<< "$output")" = '["ends.py:c","ends.py:d","ends.py:e","ends.py:f","ends.py:g"]' ]
		[ "$(jq -c '[.targets[].ignores[].reason]' <<< "$output")" = '["why","here",null,null,null,null,null]' ]
		[ "$stderr" = "suai: ends.py:3: suai: ignore[CAI103] is unused: no such finding
suai: ends.py:4: expected the id of a rule between the brackets and commas
suai: ends.py:5: expected the id of a rule between the brackets and commas
suai: ends.py:6: expected '# suai: ignore[RULE, ...]', optionally with a reason after it
suai: ends.py:7: expected '# suai: ignore[RULE, ...]', optionally with a reason after it
suai: ends.py:8: suai: ignore[C]: expected the id or name of a rule, or a prefix of ids such as NAI
suai: ends.py:8: suai: ignore[CA]: expected the id or name of a rule, or a prefix of ids such as NAI" ]
	done
}

# bats test_tags=judge
@test "ignores of failed targets and of skipped rules are not unused, and take skips" {
	target() {
		echo "- {target: \"a.py:$1\", type: m.A, source: {file: a.py, line: $2}, ignores: [{line: $2, rules: [CAI101, CAI303]}, {line: 9, rules: [CAI303]}], $3}"
	}
	{
		echo targets:
		target failed 2 'status: raised, error: {type: E, message: no}'
		target skips 3 'interfaces: [{protocol: cuda, declared: {version: 3, shape: 7, typestr: "<f4", data: [64, false], strides: [4]}}]'
	} > dump.yaml
	check -v dump.yaml
	[ "$status" -eq 3 ]
	[ -z "$stderr" ]
	[[ "$output" == *"skipped CAI"* ]]
	[[ "$output" != *"skipped CAI303"* && "$output" != *"error CAI101"* ]]
}

@test "an ignore by a name that rules share is unused only if all of them were selected" {
	printf 'from exporter import Array\na = Array()  # suai: ignore[version-integer, CAI103]\n' > a.py
	name="suai: a.py:2: suai: ignore[version-integer] is unused: no such finding"
	id="suai: a.py:2: suai: ignore[CAI103] is unused: no such finding"
	check a.py
	[ "$stderr" = "$name
$id" ]
	check --ignore NAI103 a.py
	[ "$stderr" = "$name
$id" ]
	check --ignore CAI107 a.py
	[ "$stderr" = "$id" ]
}

@test "an ignored finding is not in the baseline, and an entry for it is reported as gone" {
	printf 'from exporter import Array\na = Array(shape=[2, 3])\n' > a.py
	check --baseline known.yaml --update-baseline a.py
	sed -i '2s/$/  # suai: ignore[CAI] reason/' a.py
	check --baseline known.yaml a.py
	[ "$status" -eq 0 ]
	[[ "$output" == *"; 1 ignored"* ]]
	[[ "$stderr" == *"known.yaml: a.py:a: CAI"*": no longer found"* ]]
}

@test "sources of any encoding, changed or replaced while they run, neither crash nor mislead" {
	printf '\xef\xbb\xbffrom exporter import Array\r\na = Array(shape=[2, 3.5])  # suai: ignore[CAI] \xc3\xa9\r\n' > bom.py
	printf '# coding: latin-1\nfrom exporter import Array\na = Array(shape=[2, 3.5])  # suai: ignore[CAI] \xe9\n' > latin.py
	for file in bom.py latin.py; do
		check -f json $file
		[ "$status" -eq 0 ]
		[ "$(jq -r '.targets[].ignores[].reason' <<< "$output")" = é ]
	done
	for change in 'open(__file__, "w").write("a = (\n" * 9)' 'os.remove(__file__)' 'os.remove(__file__); os.mkdir(__file__)' \
		'os.remove(__file__); os.mkfifo(__file__)' 'sys.modules["tokenize"] = sys.modules["opcode"] = 3'; do
		rm -rf changes.py
		printf 'import os, sys\nfrom exporter import Array\n\na = Array(shape=[2, 3.5])  # suai: ignore[CAI]\n%s\n' "$change" > changes.py
		check -f json changes.py
		[ "$(jq -c '.targets | length' <<< "$output")" -eq 1 ]
		[[ "$change" == *tokenize* ]] || [ "$(jq -c '[.targets[0].source.line, .summary.ignored > 0]' <<< "$output")" = '[4,true]' ]
	done
	mkfifo pipe.py
	timeout 20 "$SUAI" validate --timeout 2 pipe.py || [ $? -eq 3 ]
	mkdir dir.py
	check dir.py
	[ "$status" -eq 2 ]
}

@test "a file of 100,000 lines has lines and ignores" {
	{ echo 'from exporter import Array'; seq -f 'x%.0f = (1, "suai: ignore[X]")' 100000; echo 'a = Array(shape=[2, 3.5])  # suai: ignore[CAI] last'; } > big.py
	check -f json big.py
	[ "$status" -eq 0 ]
	[ "$(jq -c '.targets[] | [.source.line, .ignores[].line]' <<< "$output")" = '[100002,100002]' ]
}

@test "ignores and lines in a notebook are those of its cells" {
	"$TEST_PYTHON" -c '
import json, sys
cells = ["from exporter import Array\na = Array(shape=[2, 3])", "x = 1\nb = Array(shape=[2, 3])  # suai: ignore[CAI]\nc = Array()",
         "d = 0\ne = Array()  # suai: ignore[CAI]"]
json.dump({"cells": [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": [], "execution_count": None} for cell in cells],
           "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, open("n.ipynb", "w"))'
	check n.ipynb
	[ "$status" -eq 1 ]
	[[ "$output" == *"; 1 ignored (-v shows it)"* ]]
	[ "$stderr" = "suai: n.ipynb: cell 3, line 2: suai: ignore[CAI] is unused: no such finding" ]
	check -f github n.ipynb
	[[ "${lines[0]}" == "::error file=n.ipynb,title=CAI101 "*"::n.ipynb:a (cell 1, line 2): "* ]]
	[[ "${lines[1]}" == "::warning file=n.ipynb,title=unused ignore::cell 3, line 2: suai: ignore[CAI] is unused: "* ]]
	check -f junit n.ipynb
	[[ "$output" == *'<testcase classname="n.ipynb" name="a" file="n.ipynb" time='*$'>\n<failure type="CAI101" message="'*$'">cell 1, line 2\nerror CAI101 '* ]]
	check -f sarif n.ipynb
	[ "$(jq -c '.runs[0] | .results[], .invocations[0].toolConfigurationNotifications[] | .locations[0] | [.message.text, .physicalLocation.region]' <<< "$output")" = '["cell 1, line 2",null]
["cell 2, line 2",null]
["cell 3, line 2",null]' ]
}

@test "an ignore takes nothing from the same line of another cell" {
	for rules in "CAI101 DLP" "DLP CAI101"; do
		"$TEST_PYTHON" -c '
import json, sys
cells = ["from exporter import Array", *(f"{name} = Array(shape=[2, 3])  # suai: ignore[{rule}]" for name, rule in zip("ab", sys.argv[1:]))]
json.dump({"cells": [{"cell_type": "code", "source": cell, "metadata": {}, "outputs": [], "execution_count": None} for cell in cells],
           "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, open("n.ipynb", "w"))' $rules
		check -f json n.ipynb
		[ "$status" -eq 1 ]
		[ "$(jq -c '[.targets[] | [(.findings, .ignored | map(.rule))]] | map(tojson) | sort' <<< "$output")" = '["[[\"CAI101\"],[]]","[[],[\"CAI101\"]]"]' ]
	done
}

@test "a comment on the line of one item or name does not ignore the findings of the others" {
	cat > a.py <<-'EOF'
	from exporter import Array
	listed = [
	    Array(shape=[2, 3]),  # suai: ignore[CAI] first
	    Array(shape=[2, 3]),
	]
	table = {"k": Array(shape=[2, 3]),
	         "l": [Array(shape=[2, 3])],  # suai: ignore[CAI] second
	         "m": Array(shape=[2, 3])}
	a, b = (Array(shape=[2, 3]),
	        Array(shape=[2, 3]))  # suai: ignore[CAI] third
	c = d = Array(shape=[2, 3])  # suai: ignore[CAI] fourth
	whole = [
	    Array(shape=[2, 3]),
	    Array(shape=[2, 3]),
	]  # suai: ignore[CAI] fifth
	items = [
	    # suai: ignore[CAI] above
	    Array(shape=[2, 3]),
	]
	EOF
	run -1 --separate-stderr "$SUAI" validate --static --select CAI -f json a.py
	[ "$(jq -r '.targets[] | [.target[5:], .source.line, .findings[].rule, .ignored[].rule + " ignored"] | join(" ")' <<< "$output")" = 'a 9 CAI101
b 9 CAI101 ignored
c 11 CAI101 ignored
listed[0] 3 CAI101 ignored
listed[1] 4 CAI101
table["k"] 6 CAI101
table["l"][0] 7 CAI101 ignored
table["m"] 8 CAI101
whole[0] 13 CAI101 ignored
whole[1] 14 CAI101 ignored
items[0] 18 CAI101' ]
	[ "$stderr" = "suai: a.py:17: suai: ignore[CAI] is unused: no target is defined on this line" ]
}

@test "names of a star import are read although sys.modules lacks its module, or has another object there" {
	cat > helper.py <<-'END'
		class Array:
		    __array_interface__ = dict(version=3, shape=(1,), typestr="<f8", data=(0x10, False))
		a = Array()
	END
	for replacement in 'del sys.modules["helper"]' 'sys.modules["helper"] = object()'; do
		printf 'import sys\nfrom helper import *\n%s\n' "$replacement" > star.py
		suai validate --python "$TEST_PYTHON" -f json star.py:a
		[ "$status" -eq 1 ]
		[ "$(jq -c '.targets[] | [.status, .source.line, (.findings | length > 0)]' <<< "$output")" = '["ok",null,true]' ]
	done
}

@test "more comments than a message can hold are reported as that" {
	"$TEST_PYTHON" - > many.py <<-'END'
	print("from exporter import Array")
	for i in range(1200):
	    print(f"a{i} = Array()  # suai: ignore[CAI1] {'reason ' * 1000}")
	END
	check --timeout 10 many.py
	[ "$status" = 4 ]
	grep -q '^many.py: unavailable at report: the facts take [0-9]* bytes, but the limit is 8388608 bytes$' <<<"$output"
	check many.py:a7
	[ "$status" = 0 ]
}
