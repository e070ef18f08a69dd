#!/usr/bin/env bats
# Jupyter notebooks as targets.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# notebook FILE CELL...: writes a notebook of code cells; one that begins with "md:" is text.
notebook() {
	"$TEST_PYTHON" -c 'import json, sys
cells = [{"cell_type": "markdown", "metadata": {}, "source": cell[3:]} if cell.startswith("md:") else
         {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": cell.splitlines(True)}
         for cell in sys.argv[2:]]
kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
json.dump({"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}, open(sys.argv[1], "w"))' "$@"
}

@test "the code cells of a notebook run in order, in one namespace, as __main__ in the notebook's directory" {
	mkdir directory
	echo 'n = 3' > directory/helper.py
	notebook directory/nb.ipynb 'md:# Arrays' $'import array, helper, os, sys\na = array.array("d", [0] * helper.n)' 'md:text' \
		$'assert __name__ == "__main__" and sys.modules["__main__"].a is a\nassert os.path.exists("helper.py")\nb = bytes(len(sys.argv))' \
		'display(a)' ''
	suai inspect --query elements directory/nb.ipynb:a 'directory/nb.ipynb:a[1:]' directory/nb.ipynb:b -- x y
	[ "$status" -eq 0 ]
	[ "$output" = $'3\n2\n3' ]
	[ -z "$stderr" ]
	suai inspect -p buffer -f json directory/nb.ipynb
	[ "$(jq -c '[.targets[] | [.target, .source.file, .source.cell, .source.line]]' <<< "$output")" = \
		'[["directory/nb.ipynb:a","directory/nb.ipynb",1,2],["directory/nb.ipynb:b","directory/nb.ipynb",2,3]]' ]
	suai validate --lifetime -q directory/nb.ipynb:a
	[ "$status" -eq 0 ]
	suai convert directory/nb.ipynb:a -o a.npy
	[ "$status" -eq 0 ]
	[ "$("$SUAI" inspect --query elements a.npy)" = 3 ]
	echo directory/nb.ipynb:b > list
	[ "$("$SUAI" inspect --query elements --targets-from list)" = 1 ]
}

@test "lines for IPython are skipped, which is reported with the cell; continued expressions are not" {
	notebook nb.ipynb $'%matplotlib inline\nn = (5\n% 3)\ntext = """\n%text\n!text"""' \
		$'!ls \\\n  -la "x\'\nfiles = !ls\nif n:\n    %timeit n\nn?\n?n\na = bytes(n)' \
		$'\n%%bash\nfor i in $x; do' $'%%time\nb = bytes(7)' $'%%writefile a.py\nx = 1'
	suai inspect --query elements nb.ipynb:a nb.ipynb:b 'nb.ipynb:text.encode()'
	[ "$status" -eq 0 ]
	[ "$output" = $'2\n7\n12' ]
	[ "$stderr" = "suai: nb.ipynb: cell 1, line 1: skipped %matplotlib inline
suai: nb.ipynb: cell 2, line 1: skipped !ls \\
suai: nb.ipynb: cell 2, line 3: skipped files = !ls
suai: nb.ipynb: cell 2, line 5: skipped %timeit n
suai: nb.ipynb: cell 2, line 6: skipped n?
suai: nb.ipynb: cell 2, line 7: skipped ?n
suai: nb.ipynb: cell 3, line 2: skipped %%bash and the rest of the cell
suai: nb.ipynb: cell 4, line 1: skipped %%time
suai: nb.ipynb: cell 5, line 1: skipped %%writefile and the rest of the cell" ]
	[ ! -e a.py ]
	suai inspect -q --query elements nb.ipynb:a
	[ "$output" = 2 ]
	[ -z "$stderr" ]
	notebook many.ipynb "$(printf '%%x\n%.0s' {1..50})" 'a = b"1"'
	suai inspect --query elements many.ipynb:a
	[ "$output" = 1 ]
	[ "${stderr_lines[20]}" = "suai: many.ipynb: skipped lines or cells: 30 more" ]
}

@test "get_ipython() returns an object whose calls are skipped, unless the notebook defines it" {
	notebook nb.ipynb 'a = b"1"' $'if get_ipython() is not None:\n    get_ipython().run_line_magic("matplotlib", "inline")\nb = b"12"'
	suai inspect --query elements nb.ipynb:a nb.ipynb:b
	[ "$status" -eq 0 ]
	[ "$output" = $'1\n2' ]
	[ "$stderr" = "suai: nb.ipynb: cell 2: skipped get_ipython().run_line_magic('matplotlib')" ]
	notebook uses.ipynb 'a = b"1"' 'get_ipython().system("touch made")' 'get_ipython().user_ns'
	suai inspect -q uses.ipynb:a
	[ "$status" -eq 3 ]
	[ "$output" = "uses.ipynb:a: raised at cell 3, line 1: AttributeError: 'InteractiveShell' object has no attribute 'user_ns'" ]
	[ ! -e made ]
	printf 'try:\n    get_ipython\nexcept NameError:\n    a = b"123"\n' > script.py
	suai inspect --query elements script.py:a
	[ "$output" = 3 ]
}

@test "a line that only looks like one for IPython raises SyntaxError; help of any expression is skipped" {
	for line in 'x = = 3 # really?' 'x = = 3?' 'x y # z = !ls' 'x = "what?' 'x = 5?'; do
		notebook nb.ipynb "$line"$'\na = b"1"'
		suai inspect nb.ipynb:a
		[ "$status" -ne 0 ]
		[[ "$output$stderr" == *SyntaxError* && "$stderr" != *skipped* ]]
	done
	notebook nb.ipynb $'d = {}\nd["k"].get??\n%time?\nx = d.get?\na = b"1"'
	suai inspect --query elements nb.ipynb:a
	[ "$output" = 1 ]
	[ "$(grep -c skipped <<< "$stderr")" -eq 3 ]
}

@test "errors, crashes and annotations name the cell and its line" {
	notebook nb.ipynb 'a = 1' $'def f():\n    raise ValueError("bad")\nf()'
	suai inspect nb.ipynb:a
	[ "$status" -eq 3 ]
	[[ "$output" == "nb.ipynb:a: raised at cell 2, line 3: ValueError: bad"*'/nb.ipynb#cell2", line 3, in <module>
      f()'*'/nb.ipynb#cell2", line 2, in f
      raise ValueError("bad")'* ]]
	suai validate -f github nb.ipynb:a
	[[ "$output" == "::error file=nb.ipynb,title=raised::nb.ipynb:a (cell 2, line 2): raised at cell 2, line 3: ValueError: bad"* ]]
	suai validate -f sarif nb.ipynb:a
	[[ "$output" == *'"uri": "nb.ipynb"'* && "$output" != *'#cell2"'*startLine* ]]
	notebook crash.ipynb 'a = b"1"' $'import os\nos.abort()' 'b = 1'
	suai inspect crash.ipynb:a
	[ "$status" -eq 3 ]
	[[ "$output" == "crash.ipynb:a: crashed at cell 2: killed by SIGABRT"* ]]
	notebook hang.ipynb 'a = b"1"' $'import time\ntime.sleep(60)'
	suai inspect --timeout 1 hang.ipynb:a
	[ "$status" -eq 3 ]
	[[ "$output" == "hang.ipynb:a: hung at cell 2: "* ]]
	for cell in $'x = 1\ny = = 2' $'x = 1\n\x0cy = [' $'x = 1\n"%d" %% 3' $'x = 1\nx y?z'; do
		notebook syntax.ipynb 'a = 1' "$cell"
		suai inspect -q syntax.ipynb:a
		[ "$status" -eq 3 ]
		[[ "$output" == "syntax.ipynb:a: raised at cell 2, line 2: SyntaxError: "* ]]
	done
	notebook await.ipynb 'a = b"1"' $'import asyncio\nawait asyncio.sleep(0)'
	suai inspect -q await.ipynb:a
	[ "$status" -eq 3 ]
	[ "$output" = "await.ipynb:a: raised at cell 2, line 2: SyntaxError: top-level await requires IPython's event loop; call asyncio.run() instead" ]
	notebook value.ipynb 'a = b"1"' $'def late():\n    return undefined'
	suai inspect 'value.ipynb:late()'
	[[ "$output" == *'value.ipynb#cell2", line 2, in late'*"return undefined"* ]]
}

@test "the objects of cells before one that raises are checked" {
	notebook nb.ipynb $'class A:\n    __array_interface__ = {"shape": (1,), "typestr": "<f4", "data": (4096, True)}\na = A()' \
		'1 / 0' 'b = A()' 'c = A()'
	suai validate -f concise nb.ipynb
	[ "$status" -eq 3 ]
	[[ "$output" == "nb.ipynb: error raised at cell 2, line 1: ZeroDivisionError: division by zero"*$'\nnb.ipynb:a: error NAI'* ]]
	[[ "$output" != *nb.ipynb:[bc]* ]]
	[[ "$stderr" == *"suai: nb.ipynb: cells 3 to 4 did not run"* ]]
	suai validate --all -f concise nb.ipynb
	[ "$status" -eq 3 ]
	[[ "$output" == "nb.ipynb: error raised at cell 2, line 1: "*$'\nnb.ipynb:a: error NAI'* ]]
	# Nothing is checked without an array, and a conversion makes no partial results.
	notebook empty.ipynb 'a = 1' '1 / 0'
	suai validate -f concise empty.ipynb
	[ "$status" -eq 3 ]
	[[ "$output" == "empty.ipynb: error raised at cell 2, line 1: "* && "$output" != *XPR002* ]]
	suai convert nb.ipynb --to dlpack
	[ "$status" -eq 3 ]
	[[ "$output" == "nb.ipynb: raised at cell 2, line 1: "* && "$output" != *nb.ipynb:a* ]]
}

@test "a cell that cannot be compiled loses neither the findings nor the errors of those before it" {
	local defines=$'class A:\n    __array_interface__ = {"shape": (1,), "typestr": "<f4", "data": (4096, True)}\na = A()' cell
	for cell in 'def broken(:' $'import asyncio\nawait asyncio.sleep(0)' $'x = 1\nfrom __future__ import annotations' '   x = 1'; do
		notebook nb.ipynb "$defines" "$cell" 'b = A()'
		suai validate -f concise nb.ipynb
		[ "$status" -eq 3 ]
		[[ "$output" == "nb.ipynb: error raised at cell 2, line "[12]": "*Error:*$'\nnb.ipynb:a: error NAI'* ]]
		[ "$stderr" = "suai: nb.ipynb: cell 3 did not run" ]
		notebook nb.ipynb '1 / 0' "$cell"
		suai validate -f concise nb.ipynb
		[[ "$output" == "nb.ipynb: error raised at cell 1, line 1: ZeroDivisionError: "* ]]
	done
}

@test "a finding of a notebook's object names the cell that defines it" {
	requires numpy
	notebook nb.ipynb 'import numpy' $'class A:\n    __array_interface__ = {"version": 3}\nx = 1\na = A()  # suai: ignore[XPR] unrelated'
	suai validate -f github nb.ipynb
	[ "$status" -eq 1 ]
	[[ "$output" == *"file=nb.ipynb,title="*"::nb.ipynb:a (cell 2, line 4): "* ]]
}

@test "sys.exit(0) ends a notebook; cells share __future__ imports" {
	notebook nb.ipynb 'from __future__ import annotations' $'def f(x: undefined): pass\na = b"12"\nimport sys' 'sys.exit()' 'a = 1'
	suai inspect --query elements nb.ipynb:a
	[ "$output" = 2 ]
	notebook nb.ipynb 'a = b"1"' 'import sys; sys.exit(3)'
	suai inspect nb.ipynb:a
	[ "$status" -eq 3 ]
	[[ "$output" == *"raised at cell 2, line 1: SystemExit: exit status 3"* ]]
}

# refused TEXT: nb.ipynb is refused for this reason.
refused() {
	suai inspect -q nb.ipynb:a
	[ "$status" -eq 3 ]
	[[ "$output" == "nb.ipynb:a: raised at $1"* ]]
}

@test "a file that is not a Python notebook is rejected with the reason" {
	: > nb.ipynb
	refused 'import: ValueError: not a notebook: invalid JSON: Expecting value: line 1 column 1 (char 0)'
	echo '{"nbformat": 4, "cells": [' > nb.ipynb
	refused 'import: ValueError: not a notebook: invalid JSON: '
	printf '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "a = \xff"}]}' > nb.ipynb
	refused 'import: ValueError: not a notebook: not UTF-8: '
	"$TEST_PYTHON" -c 'print("[" * 1000000)' > nb.ipynb
	refused 'import: ValueError: not a notebook: invalid JSON: nested too deeply'
	for text in '[]' '3' '{}' '{"nbformat": "4"}' '{"nbformat": true}'; do
		echo "$text" > nb.ipynb
		refused 'import: ValueError: not a notebook: it has no valid nbformat'
	done
	for cells in '' ', "cells": {}' ', "cells": null'; do
		echo '{"nbformat": 4'"$cells"'}' > nb.ipynb
		refused 'import: ValueError: not a notebook: it has no list of cells'
	done
	echo '{"nbformat": 3, "worksheets": []}' > nb.ipynb
	refused "import: ValueError: notebook format 3 is not supported; convert it with 'jupyter nbconvert --to notebook --nbformat 4'"
	echo '{"nbformat": 5}' > nb.ipynb
	refused 'import: ValueError: notebook format 5 is not supported; the newest supported is 4'
	echo '{"nbformat": 99999999999999999999999}' > nb.ipynb
	refused 'import: ValueError: not a notebook: it has no valid nbformat'
	echo '{"nbformat": 4, "metadata": {"kernelspec": {"language": "R"}}, "cells": []}' > nb.ipynb
	refused "import: ValueError: the notebook's language is R, not Python"
	for source in 3 null '[3]' '{}'; do
		echo '{"nbformat": 4, "metadata": [], "cells": [3, {"cell_type": 3}, {"cell_type": "code", "source": '"$source"'}]}' > nb.ipynb
		refused 'cell 1: ValueError: the cell'"'"'s source is not a string or a list of strings'
	done
	echo '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "a = \"\ud800\""}]}' > nb.ipynb
	refused 'cell 1: UnicodeEncodeError: '
	echo '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "a = 1\u0000"}]}' > nb.ipynb
	refused 'cell 1: '
	truncate -s 300M nb.ipynb
	refused 'import: ValueError: the notebook is larger than 256 MiB'
	rm nb.ipynb
	suai inspect -q nb.ipynb:a
	[ "$status" -eq 2 ]
	[[ "$output" == "nb.ipynb:a: missing at import: FileNotFoundError"* ]]
}

@test "a notebook has a byte order mark, line ends of any system, and no metadata" {
	printf '\xef\xbb\xbf{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["a = b\\"1\\"\\r\\n", "%%time\\r", "b = a\\n"]}]}' > nb.ipynb
	suai inspect --query elements nb.ipynb:b
	[ "$output" = 1 ]
	[ "$stderr" = "suai: nb.ipynb: cell 1, line 2: skipped %time" ]
}

@test "of thousands of lines for IPython, all are skipped, and 20 are reported" {
	notebook nb.ipynb "$(printf '%%x\n%.0s' {1..2000})" "$(printf '!y \\\n%%z\n%.0s' {1..2000})" 'a = b"1"'
	suai inspect --query elements nb.ipynb:a
	[ "$output" = 1 ]
	[ "${stderr_lines[20]}" = "suai: nb.ipynb: skipped lines or cells: 3980 more" ]
}
