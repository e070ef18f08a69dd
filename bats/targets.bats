#!/usr/bin/env bats
# Many targets: --targets-from, memory, and the progress on a terminal.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	cat > good.py <<-'END'
	import array
	a = array.array("d", [1, 2, 3])
	b = array.array("i", [4])
	END
}

# names: the targets of the printed document, one per line.
names() {
	jq -r '.targets[].target' <<< "$output"
}

@test "--targets-from reads one target per line, without comments, blank lines and surrounding blanks" {
	printf '\xef\xbb\xbf# a list\n\n  good.py:a  \r\n\t# more\ngood.py:b[:1]#\n good.py:[a, b][1]' > list
	suai inspect -f json --targets-from list
	[ "$status" -eq 0 ]
	[ "$(names)" = $'good.py:a\ngood.py:b[:1]#\ngood.py:[a, b][1]' ]
}

@test "a list that contains a NUL byte is separated by NUL bytes, and its items are used unchanged" {
	mkdir ' #folder'
	mv good.py $' #folder/two\nlines.py'
	find ' #folder' -name '*.py' -print0 > list
	suai inspect -p buffer -f json --targets-from list
	[ "$status" -eq 0 ]
	[ "$(jq -r '.targets[0].target' <<< "$output")" = $' #folder/two\nlines.py:a' ]
}

@test "--targets-from - reads standard input, and workers do not" {
	echo 'import sys, array; n = array.array("b", sys.stdin.read().encode() + b"!")' > reads.py
	output=$(printf 'reads.py:n\ngood.py:a\n' | "$SUAI" inspect --query elements --targets-from -)
	[ "$output" = $'1\n3' ]
	echo good.py:a > list
	suai inspect --targets-from - --targets-from - < list
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --targets-from: standard input can be read only once" ]
	suai inspect - --targets-from - < list
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: standard input cannot be both the list of --targets-from"* ]]
}

@test "targets of a module that exceed what a worker can read are an error that states the limit" {
	"$TEST_PYTHON" -c 'for _ in range(90): print("good.py:a" + "[0:]" * 25000)' > list
	suai inspect --targets-from list
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: the targets and options of a module take "*" bytes, but the limit is 8388608 bytes" ]]
}

@test "targets of the command line come first; lists follow in order; with -c each is an expression" {
	echo good.py:a > first
	echo good.py:b > second
	suai inspect -f json --targets-from first --targets-from second good.py:'a[:0]'
	[ "$(names)" = $'good.py:a[:0]\ngood.py:a\ngood.py:b' ]
	printf '# expressions\na[:1]\na[:2]\n' > expressions
	suai inspect -f json -c 'import array; a = array.array("d", [1, 2])' --targets-from expressions a
	[ "$(names)" = $'a\na[:1]\na[:2]' ]
}

@test "files in a list are relative to the working directory" {
	mkdir lists
	echo good.py:a > lists/list
	suai inspect -f json --targets-from lists/list
	[ "$status" -eq 0 ]
}

# bats test_tags=judge
@test "an error in a list names the list and the line; a list without targets is an error" {
	mkdir folder
	touch folder/a.txt
	printf 'good.py:a\n\nfolder/a.txt\n' > list
	suai validate --targets-from list
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: list, line 3: cannot read 'folder/a.txt': not a .py, .ipynb, .npy or .yaml file" ]
	printf 'good.py:a\0:x\0' | { suai validate --targets-from -; [ "$stderr" = "suai: standard input: ':x': no file or module before the colon" ]; }
	suai validate --targets-from nowhere
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --targets-from: cannot read 'nowhere': No such file or directory" ]
	suai validate --targets-from .
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --targets-from: cannot read '.': Is a directory" ]
	printf '\n# nothing\n' > empty
	suai validate --targets-from empty
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --targets-from: 'empty' contains no TARGET" ]
}

@test "a module is imported once, however its targets are named and in whatever order" {
	printf 'import array\nprint("imported")\na = array.array("d", [1])\n' > one.py
	printf 'one.py:a\ngood.py:a\none.py:a[:0]\none.py:[a][0]\n' > list
	suai inspect -f json --targets-from list
	[ "$status" -eq 0 ]
	[ "$(names)" = $'one.py:a\none.py:a[:0]\none.py:[a][0]\ngood.py:a' ]
	[ "$(grep -c imported <<< "$stderr")" -eq 1 ]
}

@test "no format retains what was checked: ten times the targets need no more memory" {
	for n in 500 5000; do
		seq -f 'good.py:memoryview(b)[:1][%.0f:]' $n > list$n
		seq -f 'lost.py:x%.0f' $n > lost$n
	done
	for format in text concise yaml json sarif junit tap github; do
		few=$("$TEST_PYTHON" "$ROOT/testdata/tools/judge_memory.py" "$SUAI" validate --static -f $format --targets-from list500)
		many=$("$TEST_PYTHON" "$ROOT/testdata/tools/judge_memory.py" "$SUAI" validate --static -f $format --targets-from list5000)
		echo "$format: 500 targets $few KiB, 5,000 targets $many KiB"
		# The names themselves take about 350 bytes each, a document 3 KiB and more.
		[ "$((many - few))" -lt 3072 ]
	done
	few=$("$TEST_PYTHON" "$ROOT/testdata/tools/judge_memory.py" "$SUAI" validate --targets-from lost500) || [ $? -eq 2 ]
	many=$("$TEST_PYTHON" "$ROOT/testdata/tools/judge_memory.py" "$SUAI" validate --targets-from lost5000) || [ $? -eq 2 ]
	[ "$((many - few))" -lt 3072 ]
}

@test "progress is one line on a terminal's standard error, removed at the end" {
	requires script
	printf 'import array, time\na = array.array("d", [1])\ndef slow():\n\ttime.sleep(0.15)\n\treturn a\n' > slow.py
	seq -f 'slow.py:slow()[%.0f:]' 8 > list
	output=$(on_terminal xterm "'$SUAI' validate --static --targets-from list -o out.txt")
	echo "$output" | cat -v
	[[ "$output" =~ \[#+\.*\]\ +[0-9]+\ %\ \ [0-9]\ of\ 8\ targets ]]
	[[ "$output" == *$'\r\e[K' ]]
	[[ "$(cat out.txt)" == *"in 8 targets"* ]]
	# On one terminal findings and the line do not mix: it is taken away before each.
	output=$(on_terminal xterm "'$SUAI' inspect --query elements --targets-from list")
	echo "$output" | cat -v
	[ "$(sed -E 's/.*\x1b\[K\r?//' <<< "$output" | grep -c '^[01].$')" -eq 8 ]
	[[ "$output" == *" of 8 targets"* ]]
	for quiet in "xterm --quiet" dumb; do
		output=$(on_terminal ${quiet%% *} "'$SUAI' validate --static --targets-from list -o out.txt ${quiet#"${quiet%% *}"}")
		[ -z "$output" ]
	done
	TERM=xterm "$SUAI" validate --static --targets-from list 2> errors > /dev/null
	[ ! -s errors ]
}

@test "^C removes the progress and reports nothing about targets that were not checked" {
	printf 'import array, time\na = array.array("d", [1])\ndef slow():\n\ttime.sleep(0.2)\n\treturn a\n' > slow.py
	seq -f 'slow.py:slow()[%.0f:]' 100 > list
	run "$TEST_PYTHON" -c '
import os, pty, sys
pid, terminal = pty.fork()
if not pid:
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], sys.argv[1:])
shown, interrupted = b"", False
while True:
    try:
        block = os.read(terminal, 4096)
    except OSError:
        block = b""
    if not block:
        break
    shown += block
    if b" of 100 targets" in shown and not interrupted:
        interrupted = True
        os.write(terminal, b"\x03")
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
sys.stdout.buffer.write(shown.split(b"^C")[-1])' "$SUAI" validate --static --targets-from list
	echo "$output" | cat -v
	[ "${lines[0]}" = "-2" ]
	[[ "$output" != *"no findings"* ]]
	[[ "$output" == *$'\r\e[K'* ]]
}

@test "an object with only a buffer is a target of a module only if -p names buffer" {
	printf 'import array\na = array.array("d", [1])\nb = b"abc"\n' > buffers.py
	suai validate -q buffers.py
	[ "$status" -eq 1 ]
	[[ "$output" == *"XPR002 no-interface: no object of the module"* ]]
	[ "$("$SUAI" inspect -f json -p buffer buffers.py | jq -c '[.targets[].target]')" = '["buffers.py:a","buffers.py:b"]' ]
	suai validate -q buffers.py:a
	[ "$status" -eq 0 ]
}

@test "a file of another kind, a directory and a missing file are distinguished, with the forms of targets" {
	mkdir folder
	touch notes.txt folder/script
	for target in notes.txt notes.txt:a ./notes.txt folder/script; do
		suai inspect "$target"
		[ "$status" -eq 2 ]
		[[ $output$stderr == *"cannot read '${target%:a}': not a .py, .ipynb, .npy or .yaml file" ]]
	done
	for target in . folder/ folder; do
		suai inspect "$target"
		[ "$status" -eq 2 ]
		[[ $output$stderr == *"cannot read '$target': is a directory; name .py, .ipynb, .npy or .yaml files in it" ]]
	done
	touch folder/__init__.py
	suai validate folder
	[ "$status" -eq 1 ]
	[[ "$output" == "folder: error XPR002 no-interface: no object of the module exposes an interface"* ]]
	mkdir json # Python has a package with the same name
	suai validate json
	[[ "$output" == "json: error XPR002 no-interface: "* ]]
	suai inspect notes.txt
	[ "$output" = "notes.txt: missing at import: cannot read 'notes.txt': not a .py, .ipynb, .npy or .yaml file" ]
	suai inspect ./nothing
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: no such file: './nothing'" ]
	suai inspect nothing
	[ "$status" -eq 2 ]
	[[ $output == "nothing: missing at import: ModuleNotFoundError: No module named 'nothing' in "* ]]
}

@test "for a module of a project that is not installed, the message states PYTHONPATH" {
	unset PYTHONPATH
	mkdir -p tests mylib src/inner
	touch mylib/__init__.py src/inner/__init__.py
	echo 'import mylib; a = bytes(3)' > tests/arrays.py
	echo 'import inner; b = bytes(3)' > tests/more.py
	suai inspect tests/arrays.py:a
	[ "$status" -eq 3 ]
	[[ "${output//$'\n'    / }" == *"No module named 'mylib'; set PYTHONPATH=. to import it from the working directory"* ]]
	PYTHONPATH=. suai inspect tests/arrays.py:a
	[ "$status" -eq 0 ]
	suai inspect tests/more.py:b
	[[ "${output//$'\n'    / }" == *"No module named 'inner'; set PYTHONPATH=src to import it from the directory 'src'"* ]]
	PYTHONPATH=/nowhere suai inspect inner
	[[ "${output//$'\n'    / }" == *"No module named 'inner'; set PYTHONPATH=src:\"\$PYTHONPATH\" to import it from the directory 'src'"* ]]
	PYTHONPATH=src suai inspect tests/more.py:b
	[ "$status" -eq 0 ]
}

@test "for a well-known name that was not imported, the message suggests the import" {
	suai inspect -c '' 'jnp.ones(2)'
	[ "$status" -eq 2 ]
	[[ $output == *"no name 'jnp' (is 'import jax.numpy as jnp' missing?);"* ]]
	suai inspect -c 'a = torch.ones(2)' a
	[ "$status" -eq 3 ]
	[[ $output == *"name 'torch' is not defined (is 'import torch' missing?)"* ]]
	suai inspect -c 'a = mine.ones(2)' a
	[ "$status" -eq 3 ]
	[[ $output != *"missing?"* ]]
}

@test "for a file next to -c, the message states that each TARGET is an expression" {
	suai validate -c 'x = 1' a.py:m
	[ "$status" -eq 3 ]
	[[ "$output" == *"raised at evaluate: SyntaxError: invalid syntax"*"; with -c each TARGET is an expression, not a file"* ]]
	printf 'x = 1\n' > plain.py
	suai validate 'plain.py:x['
	[[ "$output" != *"with -c"* ]]
}

@test "trials that follow a slow start show their progress before the first is done" {
	requires numpy script
	printf 'import time, numpy\ntime.sleep(0.5)\na = numpy.ones(3)\n' > slow.py
	output=$(on_terminal xterm "'$SUAI' validate --lifetime slow.py:a -o out.txt")
	echo "$output" | cat -v
	[[ "$output" == *"  0 %  0 of "[2-9]" trials"* ]]
}

@test "a slow import is shown on a terminal, even that of a single file" {
	requires script
	printf 'import array, time\ntime.sleep(2.7)\na = array.array("d", [1])\n' > slow.py
	output=$(on_terminal xterm "'$SUAI' validate slow.py -p buffer -o out.txt")
	echo "$output" | cat -v
	[[ "$output" == *" 0 of 1 targets  importing slow.py"*$'\r\e[K' ]]
}

@test "what follows -- after a TARGET is sys.argv[1:] of every script, module and -c code" {
	cat > sized.py <<-'END'
		import argparse, array
		parser = argparse.ArgumentParser()
		parser.add_argument("--size", type=int, default=1)
		a = array.array("d", [0] * parser.parse_args().size)
	END
	mkdir package
	printf 'import sys\na = bytes(len(sys.argv))\n' | tee package/__init__.py > other.py
	suai inspect --query elements sized.py:a -- --size 10
	[ "$output" = 10 ]
	suai inspect --query elements sized.py:a other.py:a package:a -- --size=7
	[ "$output" = $'7\n2\n2' ]
	suai inspect --query elements -c 'import os, sys; a = os.fsencode("|".join(sys.argv))' a -- -- $'\xff' ''
	[ "$output" = 8 ]
	suai convert sized.py:a --to buffer --dry-run -f json -- --size 3
	[ "$(jq '.targets[0].copy.bytes' <<< "$output")" = 24 ]
	suai validate --lifetime -f json sized.py:a -- --size 3
	[ "$(jq -r '[.targets[0].trials[].outcome] | unique[]' <<< "$output")" = done ]
	suai inspect sized.py:a -- --length 10
	[ "$status" -eq 3 ]
	[[ "$output" == *"exit status 2"* && "$stderr" == *"unrecognized arguments: --length"* ]]
}

@test "-- before the first TARGET ends the options; a second one precedes the arguments" {
	printf 'import sys\na = bytes(len(sys.argv))\n' | tee counts.py > ./-v.py
	suai inspect --query elements -- -v.py:a counts.py:a -- -x -- -y
	[ "$output" = $'4\n4' ]
	echo counts.py:a > list
	suai inspect --query elements --targets-from list -- -- -x
	[ "$output" = 2 ]
	suai inspect counts.npy -- -x
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: '-x' after --: arguments require a TARGET that is a script, a notebook, a module or -c CODE" ]
	SUAI_OPTS='-q -- -- x' suai inspect counts.py:a
	[ "$status" -eq 2 ]
}

@test "--main runs a script as __main__ and keeps its names after sys.exit(0)" {
	cat > program.py <<-'END'
		import array, sys
		from dataclasses import dataclass
		def main():
		    global a
		    a = array.array("d", [1] * len(sys.argv))
		    return None if len(sys.argv) < 4 else len(sys.argv)
		if __name__ == "__main__":
		    b = array.array("d", [1])
		    @dataclass
		    class Point:
		        x: "int"
		    assert sys.modules["__main__"].Point is Point and __spec__ is None
		    assert __file__.endswith("/program.py")
		    sys.exit(main())
	END
	suai inspect program.py:b
	[ "$status" -eq 2 ]
	[[ "$output" == *"no name 'b'; defined names: "*"; if the script defines it only as __main__, run it with --main" ]]
	suai inspect program.py:unknown
	[[ "$output" == *"no name 'unknown'"* && "$output" != *--main* ]]
	suai inspect --main --query elements program.py:a program.py:b -- x
	[ "$status" -eq 0 ]
	[ "$output" = $'2\n1' ]
	[ "$("$SUAI" inspect --main -p buffer -f json program.py | jq -c '[.targets[].target]')" = '["program.py:b","program.py:a"]' ]
	suai inspect --main program.py:a -- x y z
	[ "$status" -eq 3 ]
	[[ "$output" == *"program.py:a: raised at import: SystemExit: exit status 4"* ]]
	for code in 'sys.exit()' 'sys.exit(0)' 'sys.exit(False)' 'raise SystemExit' 'raise E' 'raise E(0)' 'raise E(None)'; do
		"$TEST_PYTHON" -c "import sys; E = type('E', (SystemExit,), {}); $code"
		suai inspect --main --query elements -c "import sys; a = b'12'; E = type('E', (SystemExit,), {}); $code" a
		[ "$status" -eq 0 ]
		[ "$output" = 2 ]
	done
	for code in 'sys.exit(True)' 'sys.exit("0")' 'sys.exit(0.0)' 'raise E(4)' 'raise E("")' 'raise type("E", (E,), {"code": property(lambda e: 1 / 0)})' \
		'sys.exit(1 << 70)'; do
		run ! "$TEST_PYTHON" -c "import sys; E = type('E', (SystemExit,), {}); $code"
		suai inspect --main -c "import sys; a = b'12'; E = type('E', (SystemExit,), {}); $code" a
		[ "$status" -eq 3 ]
		[[ "$output" == "a: raised at import: "*": exit status "* ]]
	done
	suai inspect -c "import sys; a = b'12'; sys.exit(0)" a
	[ "$status" -eq 3 ]
}

@test "the message about an undefined name lists twelve of the defined ones, and counts the others" {
	for n_names in 12 13 300; do
		for ((i = 1; i <= n_names; i++)); do echo "x$i = $i"; done > many.py
		suai inspect -f json many.py:q
		[ "$status" -eq 2 ]
		message=$(jq -r '.targets[0].error.message' <<<"$output")
		[[ "$message" == *"x11, x12$([ "$n_names" -eq 12 ] || echo " and $((n_names - 12)) more")" ]] || { echo "$message"; return 1; }
	done
}

@test "a script whose arrays are defined only as __main__ names --main, once it defines none otherwise" {
	printf 'import sys\n_k = 0\nif __name__ == "__main__":\n    a = memoryview(b"1")\n    b = 2\n' > main.py
	suai inspect main.py
	[ "$status" -eq 0 ]
	[ "$stderr" = "suai: main.py: defines a and b only as __main__; try: suai inspect --main main.py" ]
	for options in '--main main.py' '-q main.py'; do
		suai inspect $options
		[ -z "$stderr" ]
	done
	printf 'a = 1\nif __name__ == "__main__":\n    print(a)\n' > none.py
	suai inspect none.py
	[ -z "$stderr" ]
}

@test "another interpreter is suggested only if the package itself is missing" {
	mkdir -p pkg
	touch pkg/__init__.py
	echo 'from .nope import x' > pkg/imports.py
	for target in pkg.imports pkg.nope; do
		suai inspect -q "$target"
		[[ "$output" == *"No module named 'pkg.nope'" ]]
	done
	suai inspect -q nope.sub
	[[ "$output" == *"No module named 'nope' in "*"; use --python or "* ]]
	suai inspect -q 'np.ones(3)'
	[ "$status" -eq 2 ]
	[[ "$output" == *"'np.ones(3)' is not a module; for an expression, use: suai inspect -c 'import numpy as np' 'np.ones(3)'" ]]
	suai inspect -q 'f(1)'
	[[ "$output" == *"for an expression, use: suai inspect -c CODE 'f(1)'" ]]
	suai inspect -q --values 4
	[[ "$output" == *"'4' is not a module; if it is the number of an option, use '=', as in --values=4" ]]
}

@test "--main runs a module as python -m does, and the __main__ of a package" {
	mkdir package
	touch package/__init__.py
	printf 'a = b"123"\n' > package/data.py
	printf 'from .data import a\nimport sys\nassert __name__ == "__main__" and __package__ == "package", (__name__, __package__)\nassert sys.argv == [__file__, "x"], sys.argv\n' |
		tee package/__main__.py > package/tool.py
	suai inspect --main --query elements package:a package.tool:a -- x
	[ "$status" -eq 0 ]
	[ "$output" = $'3\n3' ]
	for name in nothing package.nothing nothing.at.all; do
		suai inspect --main $name
		[ "$status" -eq 2 ]
		[[ "$output" == "$name: missing at import: ModuleNotFoundError: No module named '"* ]]
	done
	rm package/__main__.py
	suai inspect --main package
	[[ "$output" == *"No module named 'package.__main__'"* ]]
	suai inspect --main math
	[ "$status" -eq 3 ]
	[[ "$output" == *"ImportError: "* ]]
}

# suggested: the command at the end of the first target's message.
suggested() {
	jq -r '.targets[0].error.message | sub(".* instead of the file: "; "")' <<< "$output"
}

@test "a file with relative imports is refused with the command that names its module, which works" {
	mkdir -p 'my src/pkg/sub' bin
	ln -s "$SUAI" bin/suai
	touch 'my src/pkg/__init__.py' 'my src/pkg/sub/__init__.py'
	echo 'a = b"123"' > 'my src/pkg/x.py'
	echo 'from ..x import a' > 'my src/pkg/sub/mod.py'
	echo 'from .x import a' >> 'my src/pkg/__init__.py'
	suai inspect -f json 'my src/pkg/sub/mod.py:a[:2]'
	[ "$status" -eq 3 ]
	[[ "$output" == *"ImportError"*"attempted relative import with no known parent package; name the module instead of the file: "* ]]
	[ "$(suggested)" = "PYTHONPATH='my src' suai inspect 'pkg.sub.mod:a[:2]'" ]
	[[ "$(PATH="$PWD/bin:$PATH" bash -c "$(suggested)")" == *"(2,), 2 elements"* ]]
	PYTHONPATH=/nonexistent suai validate --main -p buffer -f json "$PWD/my src/pkg/__init__.py"
	[ "$(suggested)" = "PYTHONPATH='my src':\"\$PYTHONPATH\" suai validate --main pkg" ]
	cd 'my src/pkg/sub' || return 1
	suai convert --to buffer --dry-run -f json mod.py:a
	[ "$(suggested)" = "PYTHONPATH='$BATS_TEST_TMPDIR/my src' suai convert ... pkg.sub.mod:a" ]
	cd ../..
	suai inspect -f json pkg/sub/mod.py:a
	[ "$(suggested)" = "suai inspect pkg.sub.mod:a" ]
}

@test "a directory without __init__.py is a namespace package; a failed import elsewhere gets no command" {
	mkdir -p space other-dir
	echo 'a = b"123"' > space/x.py
	echo 'from .x import a' | tee space/mod.py > other-dir/mod.py
	suai inspect -f json space/mod.py:a
	[ "$(suggested)" = "suai inspect space.mod:a" ]
	[[ "$("$SUAI" inspect space.mod:a)" == *"3 elements"* ]]
	echo 'import mod' > space/top.py
	for file in other-dir/mod.py space/top.py; do
		suai inspect $file:a
		[ "$status" -eq 3 ]
		[[ "$output" == *"attempted relative import"* && "$output" != *"instead of"* ]]
	done
}

# instead EXPR: "ATTRIBUTE,... TARGET": what the object has instead of interfaces, and the target that is offered.
instead() {
	"$SUAI" inspect -f json "${@:2}" "has.py:$1" | jq -r '.targets[0].instead.alternatives |
		([.[].has] | join(",")) + " " + ([.[].target | select(.)][0] // "-")'
}

@test "an object without interfaces is shown with what it has instead, and the target that suai can inspect" {
	requires numpy
	cat > has.py <<-'END'
		import numpy
		class Array:
		    def __array__(self, dtype=None, copy=None):
		        return numpy.ones(3)
		    def __getattr__(self, name):
		        raise AttributeError(name)
		    def __getattribute__(self, name):
		        if not name.startswith("__"): print("LOOKED UP", name)
		        return object.__getattribute__(self, name)
		class Frame(Array):
		    def to_numpy(self):
		        return numpy.ones(4)
		class Tensor:
		    def numpy(self):
		        return numpy.ones(5)
		array, frame, tensor, nothing = Array(), Frame(), Tensor(), object()
		numbers = [1, 2.5]
		d = {"a b": {")": frame}}
		def make(n=2):
		    return numpy.ones(n)
		def needs(n):
		    return numpy.ones(n)
	END
	[ "$(instead array)" = '__array__ has.py:numpy.asarray(array)' ]
	[ "$(instead frame)" = 'to_numpy(),__array__ has.py:frame.to_numpy()' ]
	[ "$(instead 'd["a b"][")"]')" = 'to_numpy(),__array__ has.py:d["a b"][")"].to_numpy()' ]
	[ "$(instead 'frame if array else 0')" = 'to_numpy(),__array__ has.py:(frame if array else 0).to_numpy()' ]
	[ "$(instead tensor)" = 'numpy() has.py:tensor.numpy()' ]
	[ "$(instead numbers)" = 'numbers has.py:numpy.asarray(numbers)' ]
	[ "$(instead 'make')" = 'no required parameters has.py:make()' ]
	[ "$(instead needs)" = ' -' ]
	[ "$(instead nothing)" = ' -' ]
	# Of an array that -p excludes, the interfaces; -p cuda is not satisfied by an array of NumPy.
	[ "$(instead 'make()' -p cuda)" = '__dlpack__,__array_interface__,__array_struct__ -' ]
	[ "$(instead array -p cuda)" = ' -' ]
	suai inspect has.py:array
	[ "$output" = "has.py:array  has.Array
    exposes      none of the interfaces
    looked for   sycl, cuda, dlpack, numpy, numpy-struct, buffer
    has          __array__
    try          'has.py:numpy.asarray(array)'" ]
	[[ "$stderr" != *"LOOKED UP"*array* && "$stderr" != *to_numpy* ]]
	suai inspect 'has.py:numpy.asarray(array)' 'has.py:frame.to_numpy()' 'has.py:tensor.numpy()' 'has.py:make()' --query elements
	[ "$output" = $'3\n4\n5\n2' ]
	suai validate -q has.py:array
	[ "$status" -eq 1 ]
	[ "$output" = "has.py:array: error XPR002 no-interface: the object, of type has.Array, exposes none of the interfaces (sycl, cuda, dlpack, numpy, numpy-struct, buffer); it has __array__; try 'has.py:numpy.asarray(array)'" ]
	suai validate -q has.py
	[ "$output" = "has.py: error XPR002 no-interface: no object of the module exposes an interface (sycl, cuda, dlpack, numpy, numpy-struct); try 'has.py:numpy.asarray(array)' or 'has.py:frame.to_numpy()' or 'has.py:tensor.numpy()'" ]
	"$SUAI" inspect -f yaml has.py:array > dump.yaml
	[ "$("$SUAI" validate -q dump.yaml)" = "$("$SUAI" validate -q has.py:array)" ]
}

@test "an expression that raises for all objects of a type is not suggested, one that may only if it works" {
	cat > has.py <<-'END'
	import numpy
	def named(name):
	    def decorate(type):
	        type.__module__, type.__qualname__ = name.rsplit(".", 1)
	        return type
	    return decorate
	@named("xarray.core.dataset.Dataset")
	class Dataset:
	    def __array__(self): raise TypeError("cannot directly convert")
	    def to_dataarray(self): return named("DataArray.DataArray")(type("DataArray", (), {"to_numpy": lambda self: numpy.ones(3)}))()
	@named("awkward.highlevel.Array")
	class Awkward:
	    def __init__(self, data): self.data = data
	    def to_numpy(self): return numpy.ones(self.data)
	@named("graphblas.core.vector.Vector")
	class Vector:
	    def __array__(self): raise TypeError("Vector can't be directly converted")
	variables, regular, ragged, vector = Dataset(), Awkward(2), Awkward("ragged"), Vector()
	END
	[ "$(instead vector)" = ' -' ]
	[ "$(instead variables)" = 'to_dataarray() has.py:variables.to_dataarray().to_numpy()' ]
	suai inspect 'has.py:variables.to_dataarray().to_numpy()' --query elements
	[ "$output" = 3 ]
	[ "$(instead regular)$(instead ragged)" = 'to_numpy() -to_numpy() -' ]
	for name in regular ragged; do
		run -1 --separate-stderr "$SUAI" validate --calls -f json "has.py:$name"
		[ "$(jq -r '.targets[0].instead.alternatives[0].target' <<< "$output")" = "$([ $name = ragged ] && echo null || echo has.py:regular.to_numpy\(\))" ]
	done
}

@test "objects of a module that are omitted for lack of an interface are named after the results, ordinary ones are not" {
	requires numpy
	cat > omits.py <<-'END'
		import numpy
		class Series:
		    def __array__(self, dtype=None, copy=None):
		        raise SystemExit(5)
		class Table:
		    def __len__(self): return 1
		    def to_numpy(self): pass
		class Timestamp:
		    def to_numpy(self): pass
		class Wrapper:
		    def __array__(self, dtype=None, copy=None): pass
		    def __getattr__(self, name):
		        return getattr(numpy.ones(2), name)
		a, s, _hidden, t, when, wrapper = numpy.ones(2), Series(), Series(), Table(), Timestamp(), Wrapper()
		n, f, d, o, b = 3, print, {"s": s}, object(), bytearray(1)
	END
	suai inspect --query elements omits.py
	[ "$status" -eq 0 ]
	[ "$output" = $'2\n2' ]
	[ "$stderr" = "suai: omits.py: omitted s, t, which expose no interface; try: suai inspect omits.py:s" ]
	suai validate -q omits.py:a
	[ -z "$stderr" ]
	suai inspect -q omits.py
	[ -z "$stderr" ]
	printf 'import numpy\nclass A:\n    def __array__(self): pass\na = numpy.ones(1)\n' > omits.py
	printf 'x%d = A()\n' {1..10} >> omits.py
	suai validate omits.py
	[[ "$stderr" == *"omitted x1, x2, x3, x4, x5, x6, x7, x8 and 2 more, which expose no interface"* ]]
	suai inspect omits.py:a
	[ -z "$stderr" ]
}

@test "a module with only buffers is said to lack interfaces, and how buffers are added" {
	echo 'b = bytearray(3)' > buffers.py
	suai inspect buffers.py
	[ "$status" -eq 0 ]
	[[ "${output//$'\n'/ }" == *"exposes      nothing: no object of the module has one of the interfaces; -p buffer"*"adds objects with only a buffer"* ]]
	suai inspect -p cuda buffers.py
	[ "$output" = "buffers.py
    exposes      nothing: no object of the module has one of the interfaces
    looked for   cuda" ]
	suai inspect --query elements -p buffer buffers.py
	[ "$output" = 3 ]
}

@test "a script that exits for lack of arguments is shown without frames of argparse, and where arguments go" {
	cat > needs.py <<-'END'
		import argparse, json
		def parse():
		    parser = argparse.ArgumentParser()
		    parser.add_argument("--size", type=int, required=True)
		    return parser.parse_args()
		a = bytearray(parse().size)
	END
	suai inspect needs.py:a
	[ "$status" -eq 3 ]
	[[ "$output" == *"SystemExit: exit status 2; a script's own arguments follow '--': suai inspect needs.py:a -- ARGUMENT..."* ]]
	[[ "$output" == *"return parser.parse_args()"*" frames of the standard library (-v shows them)"*"SystemExit: 2" ]]
	suai inspect needs.py:a -- --size x
	[[ "$output" == *"ArgumentError: "*"return parser.parse_args()"*"SystemExit: 2" && "$output" != *argparse.py* ]]
	[ "$(grep -c 'of the standard library (-v shows' <<< "$output")" -eq 3 ]
	[[ "$output" != *argparse.py* ]]
	suai inspect -v needs.py:a
	[[ "$output" == *argparse.py* && "$output" != *"of the standard library"* ]]
	suai validate --main needs.py
	[[ "${output//$'\n'/ }" == *"suai validate --main needs.py -- ARGUMENT..."* && "$output" != *argparse.py* ]]
	suai inspect --query elements needs.py:a -- --size 10
	[ "$output" = 10 ]
	# Frames between others stay; those that end an exception do not, even before the last one.
	printf 'import json\nclass D(dict):\n    def items(self): raise ValueError("here")\ntry:\n    json.loads("{")\nexcept ValueError:\n    json.dumps(D(a=1), indent=1)\n' > between.py
	suai inspect between.py:a
	[[ "$output" == *'json.loads("{")'*" frames of the standard library"*JSONDecodeError*json/*json/*"in items"* ]]
}

@test "expressions for objects without interfaces are evaluated only with --calls, and then offered only if they work" {
	requires numpy
	cat > fails.py <<-'END'
		import numpy, os, sys, time
		class Table:
		    def __init__(self, act): self.act = act
		    def __array__(self, dtype=None, copy=None): return numpy.ones(3)
		    def to_numpy(self): return self.act()
		def raises(): raise ValueError
		def exits(): sys.exit(0)
		def prints(): os.write(1, b"PRINTED"); os.write(2, b"PRINTED"); raise KeyboardInterrupt
		def effect():
		    open("effect", "w").close()
		    return numpy.ones(2)
		raising, exiting, printing, crashing = Table(raises), Table(exits), Table(prints), Table(os.abort)
		hanging, listing, working = Table(lambda: time.sleep(60)), Table(list), Table(lambda: numpy.ones(2))
	END
	cat >> fails.py <<-'END'
		class Side(Table):
		    def __array__(self, dtype=None, copy=None): open("effect", "w").close(); return numpy.ones(3)
		def nothing(): pass
		def items(): yield 1
		side, numbers = Side(effect), [1, 2]
	END
	tried() { # OPTION... EXPR: what validate offers for EXPR
		"$SUAI" validate -f json --exit-zero "${@:1:$#-1}" "fails.py:${!#}" |
			jq -c '.targets[0] | [.status, [.instead.alternatives[] | [.has, .target]]]'
	}
	for name in raising exiting printing crashing listing hanging; do
		[ "$(tried "$name")" = \
			"[\"ok\",[[\"to_numpy()\",\"fails.py:$name.to_numpy()\"],[\"__array__\",\"fails.py:numpy.asarray($name)\"]]]" ]
		[ "$(tried --calls "$name" 2>&1)" = \
			"[\"ok\",[[\"to_numpy()\",null],[\"__array__\",\"fails.py:numpy.asarray($name)\"]]]" ]
	done
	[ "$(tried --calls working)" = '["ok",[["to_numpy()","fails.py:working.to_numpy()"],["__array__","fails.py:numpy.asarray(working)"]]]' ]
	[ "$(tried --calls numbers)" = '["ok",[["numbers","fails.py:numpy.asarray(numbers)"]]]' ]
	[ "$(SUAI_NO_FORK=1 tried --calls working)" = '["ok",[["to_numpy()",null],["__array__",null]]]' ]
	printf 'import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n' | cat - fails.py > threads.py
	[ "$("$SUAI" validate --calls --exit-zero -f json threads.py:raising | jq -r '.targets[0].instead.alternatives[0].target')" = null ]
	for name in nothing items; do
		[ "$(tried "$name")" = "[\"ok\",[[\"no required parameters\",\"fails.py:$name()\"]]]" ]
		[ "$(tried --calls "$name")" = '["ok",[["no required parameters",null]]]' ]
	done
	# Without --calls no code of the user runs, of a whole module either.
	for name in side effect; do
		suai inspect "fails.py:$name"
		suai validate "fails.py:$name"
		suai validate --static "fails.py:$name"
	done
	printf 'class S:\n    def __array__(self): open("effect", "w")\ns = S()\n' > module.py
	suai inspect module.py
	[[ "$output" == *"try          'module.py:__import__(\"numpy\").asarray(s)'" ]]
	suai validate -f github module.py
	[ ! -e effect ]
	suai validate -q --calls module.py
	[[ "$output" == *"no object of the module exposes an interface "* && "$output" != *"try '"* ]]
	[ -e effect ]
}

@test "the target that is offered names a package as the module does, or imports it, or is absent" {
	requires numpy
	printf 'class A:\n    def __array__(self, dtype=None, copy=None):\n        import numpy\n        return numpy.ones(1)\na = A()\nx = None\n' > bare.py
	suai inspect -f json bare.py:a
	[ "$(jq -r '.targets[0].instead.alternatives[0].target' <<< "$output")" = 'bare.py:__import__("numpy").asarray(a)' ]
	[ "$("$SUAI" inspect --query elements 'bare.py:__import__("numpy").asarray(a)')" = 1 ]
	printf 'import sys\nsys.modules["numpy"] = None\n' | cat - bare.py > without.py
	suai inspect -f json without.py:a
	[ "$(jq -c '.targets[0].instead.alternatives[0].target' <<< "$output")" = null ]
	suai inspect -f json -c "$(cat bare.py; echo; echo 'import numpy as xp')" a
	[ "$(jq -r '.targets[0].instead.alternatives[0].target' <<< "$output")" = 'xp.asarray(a)' ]
}

@test "lists, tuples, named tuples and dictionaries are searched, each array once, without code of the user" {
	requires numpy
	cat > holds.py <<-'END'
		import numpy, types
		from collections import namedtuple
		Pair = namedtuple("Pair", "x y")
		class Listed(list):
		    def __iter__(self): raise SystemExit
		    def __len__(self): raise SystemExit
		    __getitem__ = __iter__
		class Key:
		    def __repr__(self): raise SystemExit
		class Text(str):
		    def __repr__(self): raise SystemExit
		objs = [numpy.ones(1), 5, "text", None, numpy.ndarray, numpy, (numpy.ones(2),)]
		a = objs[0]
		d = {"key": numpy.ones(3), "it's": numpy.ones(4), ("t", 1): numpy.ones(5), True: numpy.ones(6), b"b": a}
		odd = {Key(): numpy.ones(1), 1.5: numpy.ones(1), Text("t"): numpy.ones(1), "x" * 300: 7, "y": numpy.ones(7)}
		pair = Pair(numpy.ones(8), objs)
		listed = Listed([numpy.ones(9)])
		mapping = types.MappingProxyType({1: numpy.ones(9)})
		same = objs
		loop = [numpy.ones(10)]
		loop.append(loop)
		deep = [[[numpy.ones(11), [numpy.ones(12)]]]]
		numbers = list(range(1000))
		_hidden = [numpy.ones(13)]
	END
	suai inspect -f json holds.py
	[ "$status" -eq 0 ]
	[ "$(jq -r '.targets[] | "\(.target) \(.interfaces[0].array.elements) \(.aliases | join(" "))"' <<< "$output")" = 'holds.py:a 1 objs[0] d[b'"'b'"']
holds.py:objs[6][0] 2 
holds.py:d["key"] 3 
holds.py:d["it'"'"'s"] 4 
holds.py:d[('"'t'"', 1)] 5 
holds.py:d[True] 6 
holds.py:odd["y"] 7 
holds.py:pair[0] 8 
holds.py:loop[0] 10 
holds.py:deep[0][0][0] 11 ' ]
	[ "$stderr" = "suai: holds.py: odd: skipped 3 arrays with keys that suai does not write as literals; name an expression
suai: holds.py: listed: skipped 1 array in an object of type holds.Listed; name an expression
suai: holds.py: deep[0][0][1]: skipped 1 array nested more than 3 levels deep; name an expression" ]
	# Each name is an expression.
	jq -r '.targets[].target' <<< "$output" > list
	[ "$("$SUAI" inspect --query elements --targets-from list | tr '\n' ' ')" = "1 2 3 4 5 6 7 8 10 11 " ]
}

@test "a container that is emptied while it is searched is searched to its end" {
	requires numpy
	cat > empties.py <<-'END'
		import numpy
		class Empties:
		    @property
		    def __array_interface__(self):
		        held.clear()
		        return numpy.ones(1).__array_interface__
		    def __getattr__(self, name):
		        held.clear()
		        raise AttributeError(name)
		HELD
	END
	for held in '[Empties(), numpy.ones(2), numpy.ones(3)]' '{0: Empties(), 1: numpy.ones(2), 2: numpy.ones(3)}'; do
		sed "s/^HELD/held = $held/" empties.py > held.py
		suai inspect --query target,elements -f tsv held.py
		[ "$output" = $'held.py:held[0]\t1\nheld.py:held[1]\t2\nheld.py:held[2]\t3' ]
	done
}

@test "a container named as a target stands for its arrays; of another expression one is offered" {
	requires numpy
	printf 'import numpy, array\nobjs = [numpy.ones(1), array.array("b", [1, 2]), b"123"]\none = numpy.ones(9)\ndef make():\n    return {"x y": objs}\nempty = []\n' > holds.py
	suai inspect --query elements holds.py:objs holds.py:one holds.py:objs
	[ "$output" = $'1\n2\n9\n1\n2' ]
	suai validate --lifetime -f json holds.py:objs
	[ "$status" -eq 0 ]
	[ "$(jq -r '.targets[] | "\(.target) \([.trials[] | select(.trial == "rounds").outcome] | unique | join(","))"' <<< "$output")" = $'holds.py:objs[0] done\nholds.py:objs[1] done' ]
	suai convert --to numpy holds.py:objs --verify -f json
	[ "$(jq -r '.targets[] | "\(.target) \(.copy.verified)"' <<< "$output")" = $'holds.py:objs[0] true\nholds.py:objs[1] true' ]
	suai convert -o a.npy holds.py:objs
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"-o requires a single object, but there are several"* ]]
	[ "$("$SUAI" inspect --query shape -p buffer -f text holds.py:objs | wc -l)" -eq 3 ]
	suai validate -q 'holds.py:make()' holds.py:empty
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == *"of type dict, exposes none of the interfaces "*"; it has items; try 'holds.py:make()[\"x y\"][0]'" ]]
	[[ "${lines[1]}" == "holds.py:empty: error XPR002"* ]]
}

@test "of a container of objects without interfaces, the expression of the first is offered" {
	cat > has.py <<-'END'
		import numpy
		class Frame:
		    def __len__(self): return 1
		    def to_numpy(self): return numpy.ones(4)
		class Silent(list):
		    def __getitem__(self, index): raise SystemExit
		frames = [None, "text", {"a b": Frame()}]
		columns = {"x": (Frame(),), "y": 1}
		silent = Silent([Frame()])
		plain = [object(), 1]
	END
	[ "$(instead frames)" = 'items with to_numpy() has.py:frames[2]["a b"].to_numpy()' ]
	[ "$(instead columns)" = 'items with to_numpy() has.py:columns["x"][0].to_numpy()' ]
	[ "$(instead silent)$(instead plain)" = " - -" ]
	suai inspect --query elements 'has.py:frames[2]["a b"].to_numpy()' 'has.py:columns["x"][0].to_numpy()'
	[ "$output" = $'4\n4' ]
	suai validate -q has.py
	[ "$output" = "has.py: error XPR002 no-interface: no object of the module exposes an interface (sycl, cuda, dlpack, numpy, numpy-struct); try 'has.py:frames[2][\"a b\"].to_numpy()' or 'has.py:columns[\"x\"][0].to_numpy()'" ]
	[ "$(instead 'columns, 1')" = 'items with to_numpy() has.py:(columns, 1)[0]["x"][0].to_numpy()' ]
	[ "$(instead '[numpy.ones(1)] + []')" = 'items has.py:([numpy.ones(1)] + [])[0]' ]
	suai validate -q has.py:frames
	[[ "$output" == *"; it has items with to_numpy(); try 'has.py:frames[2][\"a b\"].to_numpy()'" ]]
	# Next to an array, they are omitted and named; what has a name of its own is named once.
	printf 'array, frame = numpy.ones(1), Frame()\nrest = [frame]\n' >> has.py
	suai inspect has.py
	[ "$stderr" = "suai: has.py: omitted frames[2][\"a b\"], columns[\"x\"][0], frame, which expose no interface; try: suai inspect 'has.py:frames[2][\"a b\"]'" ]
}

@test "of an object that keeps arrays in its attributes, the first of these is offered" {
	requires numpy
	cat > has.py <<-'END'
		import numpy
		class Image:
		    shape = property(lambda self: numpy.ones(9))
		    def __init__(self):
		        self._hidden, self.name, self.pixels = numpy.ones(1), "name", numpy.ones(2)
		    def __getattr__(self, name):
		        if not name.startswith("__"): print("LOOKED UP", name)
		        raise AttributeError(name)
		class Layers:
		    def __init__(self): self.layers = {"first": [Image(), numpy.ones(3)]}
		class Slots:
		    __slots__ = "array"
		image, layers, slots = Image(), Layers(), Slots()
		image.__dict__.update({"shape": numpy.ones(9), "not a name": numpy.ones(9)})
		import ctypes
		class Handle:
		    def __init__(self):
		        self.handle, self.count = ctypes.c_void_p(), ctypes.pointer(ctypes.c_int())
		class Frame:
		    def to_ndarray(self): return numpy.ones(5)
		class Sparse:
		    def __init__(self):
		        self.strides, self.indices = (numpy.int64(3),), numpy.ones(6)
		    def toarray(self): return numpy.ones(7)
		class Scaled:
		    def __init__(self): self.strides, self.scale = [numpy.int64(3)], numpy.float32(2)
		class Queued:
		    def get(self): return numpy.ones(8)
		    def get_async(self): pass
		class Mapping:
		    def get(self, key): pass
		class Shared:
		    def get_value(self): return numpy.ones(9)
		    def set_value(self, value): pass
		class Slider:
		    def get_value(self): return 3
		class Graph: # as those of GraphBLAS
		    shape = (10,)
		    def __init__(self): self.kept = numpy.ones(1)
		    def to_coo(self): pass
		    def to_dense(self, fill): return numpy.full(10, fill)
		Graph.__module__ = "graphblas.core.matrix"
		class Image: # as those of NiBabel
		    def get_fdata(self): return numpy.ones(11)
		class Raw: # as recordings of MNE
		    ch_names = ["a"]
		    def __init__(self): self.info = {"chs": [{"loc": numpy.ones(3)}]}
		    def get_data(self): return numpy.ones(12)
		class Page: # as those of tifffile
		    def aszarr(self): pass
		    def asarray(self): return numpy.ones(13)
		class Conformer: # as those of RDKit
		    def GetAtomPosition(self, i): pass
		    def GetPositions(self): return numpy.ones(14)
		class Qobj: # as those of QuTiP, whose dtype is the type of the storage
		    shape, dtype = (15,), Image
		    def dag(self): pass
		    def full(self): return numpy.ones(15, complex)
		class Operator: # as one of 2^20 rows and columns
		    shape = (1 << 20, 1 << 20)
		    def adjoint(self): pass
		    def to_array(self): open("densified", "w")
		class Expression: # as those of Ibis, whose to_array() returns an expression
		    def to_array(self): pass
		class Pixmap: # as those of PyMuPDF
		    height, width, n, colorspace = 2, 3, 1, None
		    def __init__(self): self.memory = bytes(6)
		    @property
		    def samples_mv(self): return memoryview(self.memory)
		Pixmap.__module__ = "pymupdf"
		class Batch: # as those of Rerun
		    def as_arrow_array(self): pass
		class Table: # as those of DataFusion
		    def to_pandas(self): open("collected", "w")
		    def __arrow_c_stream__(self, requested_schema=None): raise SystemExit
		class Relation: # as those of DuckDB
		    def fetchnumpy(self): open("collected", "w")
		    def to_df(self): open("collected", "w")
		class LazyFrame: # as those of Polars
		    def collect_schema(self): pass
		    def collect(self): open("collected", "w")
		class File: # as those of h5py
		    def visititems(self, function): return function("group", self) or function("set", numpy.ones(16))
		class UMat: # as those of OpenCV
		    def isSubmatrix(self): pass
		    def get(self): return numpy.ones(17)
		methods = {type(o).__name__: o for o in (File(), UMat(), LazyFrame(), Graph(), Image(), Raw(), Page(), Conformer(), Qobj(), Operator(), Pixmap(), Batch(), Table(), Relation(), Expression())}
		sparse, scaled, queued, mapping, shared, slider = Sparse(), Scaled(), Queued(), Mapping(), Shared(), Slider()
		handle, frame = Handle(), Frame()
		slots.array = numpy.ones(4)
	END
	[ "$(instead image)" = 'arrays as attributes has.py:image.pixels' ]
	[ "$(instead layers)" = 'arrays as attributes has.py:layers.layers["first"][1]' ]
	[ "$(instead slots)$(instead image.name)" = " - -" ]
	[ "$(instead handle)" = " -" ] # nothing that a pointer refers to
	[ "$(instead frame)" = 'to_ndarray() has.py:frame.to_ndarray()' ]
	# A method returns the whole array, an attribute a part of it; numbers are not arrays.
	[ "$(instead sparse)" = 'toarray(),arrays as attributes has.py:sparse.toarray()' ]
	[ "$(instead scaled)$(instead mapping)" = " - -" ]
	[ "$(instead queued)" = 'get() has.py:queued.get()' ]
	[ "$(instead shared)$(instead slider)" = 'get_value() has.py:shared.get_value() -' ]
	graph='methods["Graph"]' recording='methods["Raw"]'
	[ "$(instead "$graph")" = "to_dense(0),arrays as attributes has.py:$graph.to_dense(0)" ]
	[ "$(instead "$recording")" = "get_data(),arrays as attributes has.py:$recording.get_data()" ]
	[ "$(instead 'methods["Image"]')" = 'get_fdata() has.py:methods["Image"].get_fdata()' ]
	[ "$(instead 'methods["Page"]')" = 'asarray() has.py:methods["Page"].asarray()' ]
	[ "$(instead 'methods["Conformer"]')" = 'GetPositions() has.py:methods["Conformer"].GetPositions()' ]
	[ "$(instead 'methods["Operator"]')" = 'to_array() has.py:methods["Operator"].to_array()' ]
	[ "$(instead 'methods["Expression"]')" = ' -' ]
	[ "$(instead 'methods["Batch"]')" = 'as_arrow_array() has.py:methods["Batch"].as_arrow_array().to_numpy(zero_copy_only=False)' ]
	[ "$(instead 'methods["LazyFrame"]')" = 'collect has.py:methods["LazyFrame"].collect().to_numpy()' ]
	[ "$(instead 'methods["UMat"]')" = 'get() has.py:methods["UMat"].get()' ]
	file=$(instead 'methods["File"]')
	[[ "$file" == 'visititems has.py:methods["File"].visititems(lambda '* ]]
	[ "$("$SUAI" inspect --query elements "${file#* }")" = 16 ]
	pixmap='methods["Pixmap"]' state='methods["Qobj"]'
	[ "$(instead "$pixmap")" = "samples_mv has.py:numpy.ndarray(($pixmap.height, $pixmap.width, $pixmap.n), \"u1\", $pixmap.samples_mv)" ]
	suai why "has.py:$pixmap" numpy:asarray
	[[ "$output" == *"works        numpy.asarray(numpy.ndarray(($pixmap.height, "* ]]
	suai why "has.py:$state" numpy:asarray
	[[ "$output" == *"works        numpy.asarray($state.full())  (may copy)"* ]]
	suai why 'has.py:methods["Page"]' numpy:asarray
	[[ "$output" == *'works        numpy.asarray(methods["Page"].asarray())  (may copy)'* ]]
	[ "$(instead "$state")" = "full() has.py:$state.full()" ]
	: > pandas.py
	[ "$(instead 'methods["Relation"]')" = 'to_df has.py:methods["Relation"].to_df().to_numpy()' ]
	[ "$(instead 'methods["Table"]')" = 'to_pandas,__arrow_c_stream__ has.py:methods["Table"].to_pandas().to_numpy()' ]
	# Neither a matrix of 2^40 elements nor a table is created.
	suai why 'has.py:methods["Operator"]' numpy:asarray
	suai why 'has.py:methods["Table"]' numpy:asarray
	suai why 'has.py:methods["Relation"]' numpy:asarray
	[ ! -e densified ]
	[ ! -e collected ]
	rm pandas.py
	suai why "has.py:$graph" numpy:from_dlpack
	[[ "$output" == *'works        numpy.from_dlpack(methods["Graph"].to_dense(0))  (may copy)'* ]]
	suai why "$BATS_TEST_TMPDIR/has.py:shared" numpy:from_dlpack
	[[ "$output" == *'works        numpy.from_dlpack(shared.get_value())  (may copy)'* ]]
	suai validate -q has.py:layers
	[[ "$output" == *"; it has arrays as attributes; try 'has.py:layers.layers[\"first\"][1]'" ]]
	suai inspect --query elements 'has.py:layers.layers["first"][1]' has.py:image.pixels
	[ "$output" = $'3\n2' ]
	[ -z "$stderr" ]
}

@test "of objects with Arrow interfaces, what is offered works for nested types, texts and nulls" {
	cat > pyarrow.py <<-'END'
		import numpy
		class Array:
		    """Arrow's arrays have DLPack, which raises for most types."""
		    def __init__(self, is_chunked): self.is_chunked = is_chunked
		    def __dlpack__(self, **keywords): raise TypeError("DataType is not compatible with DLPack spec")
		    def __dlpack_device__(self): return (1, 0)
		    def combine_chunks(self): return Array(False)
		    def to_numpy(self, zero_copy_only=None):
		        if not self.is_chunked and zero_copy_only is not False:
		            raise ValueError("Needed to copy 1 chunks with 1 nulls, but zero_copy_only was True")
		        return numpy.array(["a", None], object)
		def array(obj): return Array(False)
		def chunked_array(obj): return Array(True)
	END
	cat > has.py <<-'END'
		class Column:
		    def __arrow_c_array__(self, requested_schema=None): raise SystemExit
		class Device:
		    def __arrow_c_device_array__(self, requested_schema=None): raise SystemExit
		class Stream:
		    def __arrow_c_stream__(self, requested_schema=None): raise SystemExit
		column, device, stream = Column(), Device(), Stream()
	END
	for name in column device stream; do
		target=$("$SUAI" inspect -f json "has.py:$name" | jq -r '.targets[0].instead.alternatives[0].target')
		suai inspect --query elements,status "$target"
		[ "$status" -eq 0 ]
		[ "$output" = $'2\nok' ]
	done
}

@test "a module of more items than are examined is not said to expose nothing" {
	requires numpy
	printf 'import numpy\nnested = [[object() for i in range(100)] for k in range(100)]\narrays = [numpy.ones(1)]\n' > large.py
	suai validate -f json large.py
	[ "$status" -eq 0 ]
	[ "$(jq -c '.targets[] | [.findings, [.skipped[] | .rule, .reason]]' <<< "$output")" = '[[],["XPR002","nested[49]: the search for objects reached its limit"]]' ]
	[ "$stderr" = "suai: large.py: nested[49]: stopped after 5000 items of containers; the remaining ones were not examined" ]
	printf 'import numpy\nnested = [[object() for i in range(49)] for k in range(99)]\narrays = [numpy.ones(1)] * 50\n' > large.py
	suai validate -f json large.py
	[ "$(jq -r '.targets[].target' <<< "$output")" = 'large.py:arrays[0]' ]
	[ "$stderr" = "" ]
}

@test "of a large dictionary the first 100 items are examined, even if one of them empties it" {
	requires numpy
	cat > large.py <<-'END'
		import numpy
		class Clears:
		    def __getattr__(self, name):
		        table.clear()
		        raise AttributeError(name)
		table = {"clears": Clears()}
		table.update((i, numpy.ones(i)) for i in range(150))
	END
	suai inspect -f json large.py
	[ "$(jq -r '.targets[].target' <<< "$output")" = "$(seq -f 'large.py:table[%.0f]' 0 98)" ]
	[ "$stderr" = "suai: large.py: table: only the first 100 of 151 items were examined" ]
}

@test "the time to search a module grows linearly with the number of its names" {
	local -A seconds
	local n TIMEFORMAT=%U

	for n in 4000 40000; do
		echo "globals().update((f'b{i}', bytearray(1)) for i in range($n))" > "many_$n.py"
		{ time run -0 "$SUAI" inspect "many_$n.py" 2> /dev/null; } 2> time
		seconds[$n]=$(cat time)
	done
	echo "# seconds of the processor: ${seconds[4000]}, ${seconds[40000]}" >&3
	awk "BEGIN { exit !(${seconds[40000]} < 15 * ${seconds[4000]} + 0.3) }"
}

@test "a large container whose first 100 items expose nothing is reported, and not offered as numbers" {
	requires numpy
	printf 'import numpy\nmany = [0] * 100 + [numpy.ones(2)]\nmore = [[0] * 1000, ["a"] * 200, {i: b"" for i in range(150)}]\n' > large.py
	for target in large.py large.py:many; do
		suai validate -q $target
		[ "$status" -eq 1 ]
		[[ "$output" == *XPR002* && "$output" != *asarray* && "$output" != *"has numbers"* ]]
		suai validate $target
		[[ "$stderr" == *"suai: large.py: many: only the first 100 of 101 items were examined"* && "$stderr" != *more:* ]]
	done
}

@test "an array after the first 100 items is reported even if the module has targets, but numbers are not" {
	requires numpy
	cat > large.py <<-'END'
		import collections, numpy
		many, table = [0] * 100 + [numpy.ones(2)], {i: i for i in range(100)}
		nested = tuple([0]) * 100 + ({"k": [numpy.ones(3)]},)
		table["last"] = numpy.ones(4)
		queue = collections.deque([0] * 100 + [numpy.ones(5)])
		numbers, known = list(range(1000)), [0] * 100 + [(ok := numpy.zeros(3))]
	END
	suai validate large.py
	[ "$status" -eq 0 ]
	[ "$output" = "no findings in 1 target" ]
	[ "$(grep -c . <<< "$stderr")" -eq 4 ]
	for name in many table nested; do
		[[ "$stderr" == *"suai: large.py: $name: only the first 100 of 101 items were examined"* ]]
	done
	[[ "$stderr" == *"suai: large.py: queue: skipped 1 array in an object of type collections.deque"* ]]
}

@test "names that differ after a NUL are different targets" {
	printf 'import array\nq = array.array("b", [1])\nfor i in range(2):\n    globals()[f"q\\0{i}"] = array.array("b", bytes(i + 2))\n' > nul.py
	suai inspect -p buffer -f json nul.py
	[ "$(jq -r '.targets[] | "\(.target) \(.interfaces[0].array.elements)"' <<< "$output")" = $'nul.py:q 1\nnul.py:q\\00 2\nnul.py:q\\01 3' ]
}

@test "of a large container the first 100 items are examined, which is reported; a crash costs one item" {
	requires numpy
	cat > large.py <<-'END'
		import numpy, os
		class Crashes:
		    def __getattr__(self, name):
		        if name == "__dlpack__": os.abort()
		        raise AttributeError(name)
		many = [numpy.ones(1) for i in range(150)]
		many[1] = Crashes()
		numbers = [0] * 1000 + [numpy.ones(1)]
		table = {i: many for i in range(1000)}
		nested = [[[object() for i in range(100)] for k in range(100)] for n in range(3)]
	END
	suai validate -f json large.py
	[ "$(jq '.targets | length' <<< "$output")" -eq 100 ]
	[ "$(jq -r '.targets[] | select(.status != "ok") | "\(.target) \(.status)"' <<< "$output")" = 'large.py:many[1] crashed' ]
	[[ "$stderr" == *"suai: large.py: many: only the first 100 of 150 items were examined"* ]]
	[[ "$stderr" == *"suai: large.py: numbers: only the first 100 of 1001 items were examined"* ]]
	[[ "$stderr" == *"stopped after 5000 items of containers"* ]]
	[ "$(grep -c '^suai: large.py: ' <<< "$stderr")" -eq 3 ]
}

@test "subclasses of containers are searched, and arrays in others or nested deeper are counted" {
	requires numpy
	cat > contains.py <<-'END'
		import collections, numpy
		one = lambda: numpy.ones(1)
		ordered, counted = collections.OrderedDict(x=one()), collections.defaultdict(list, k=[one()])
		class Names(list):
		    def __iter__(self): raise SystemExit(9)
		    def __len__(self): raise SystemExit(9)
		class Proxy(dict):
		    def __getitem__(self, key): raise SystemExit(9)
		names, proxy, queue = Names([one()]), Proxy(a=one(), b=2), collections.deque([one(), [one()]])
		deep, cyclic, plain = [[[[one()]]]], [one()], {"a": {"b": {"c": {"d": {"e": "text"}}}}}
		cyclic.append(cyclic)
	END
	suai validate --isolated contains.py
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings in 4 targets"* ]]
	[[ "$stderr" == *"proxy: skipped 1 array in an object of type contains.Proxy; name an expression"* ]]
	[[ "$stderr" == *"queue: skipped 2 arrays in an object of type collections.deque; name an expression"* ]]
	[[ "$stderr" == *"deep[0][0][0]: skipped 1 array nested more than 3 levels deep; name an expression"* ]]
	[[ "$stderr" != *plain* && "$stderr" != *cyclic* ]]
	suai inspect --isolated --query target contains.py
	[ "$output" = $'contains.py:ordered["x"]\ncontains.py:counted["k"][0]\ncontains.py:names[0]\ncontains.py:cyclic[0]' ]
	[ "$("$SUAI" inspect --isolated --query elements contains.py:ordered 'contains.py:counted["k"][0]')" = $'1\n1' ]
}

@test "a FIFO without a writer is named as the reason for the time limit" {
	mkfifo script.py notebook.ipynb dump.yaml
	printf 'while True: pass\n' > busy.py
	run --separate-stderr timeout 30 "$SUAI" validate --timeout 1 script.py notebook.ipynb busy.py dump.yaml
	[ "$status" -eq 2 ]
	output=$(tr -s ' \n' ' ' <<<"$output")
	[[ "$output" == *"script.py, notebook.ipynb: hung at import: timed out after 1 s; the file is a FIFO, which a process has to open for writing, and close"* ]]
	[[ "$output" == *"dump.yaml: unreadable: cannot read 'dump.yaml': timed out; it is a FIFO, which a process has to open for writing"* ]]
	[ "$(grep -o 'is a FIFO' <<<"$output" | wc -l)" -eq 2 ]
}

@test "memory in objects of the standard library is offered, and what why offers works" {
	printf 'import io\nfrom multiprocessing.shared_memory import SharedMemory\nshared = SharedMemory(create=True, size=8)\nshared.unlink()\nwritten = io.BytesIO(b"abcd")\n' > memory.py
	for call in shared.buf 'written.getbuffer()'; do
		suai inspect -f json "memory.py:${call%%.*}"
		[ "$(jq -r '.targets[0].instead.alternatives[0].target' <<< "$output")" = "memory.py:$call" ]
		requires numpy
		suai why "memory.py:${call%%.*}" numpy:asarray
		[[ "$output" == *"works        numpy.asarray($call)"* ]]
	done
}

@test "a script that is a FIFO is not read again to explain a missing name" {
	mkfifo script.py
	cat good.py > script.py &
	run --separate-stderr timeout 30 "$SUAI" inspect script.py:missing
	[ "$status" -eq 2 ]
	[[ "$output" == "script.py:missing: missing at evaluate: NameError: no name 'missing'"* ]]
}

@test "a script that is named as a built-in module does not replace it" {
	mkdir scripts
	printf 'import gc, itertools, sys\na = bytearray(len(list(itertools.chain([1], [2]))) + (gc.get_count() is None))\n' > scripts/itertools.py
	cp scripts/itertools.py scripts/gc.py
	for name in itertools gc; do
		"$TEST_PYTHON" "scripts/$name.py"
		suai inspect --query elements -p buffer "scripts/$name.py:a"
		[ "$output" = 2 ]
	done
}

@test "a file that hides a package is named if a module of the package is not found" {
	mkdir -p scripts path
	touch scripts/collections.py path/collections.py
	printf 'import collections.abc\n' | tee scripts/script.py > other.py
	suai validate scripts/script.py
	[ "$status" -eq 3 ]
	[[ "$(tr -s ' \n' ' ' <<<"$output")" == *"'collections' is not a package, but the file 'scripts/collections.py'; rename it if another module 'collections' is meant"* ]]
	PYTHONPATH=path suai validate other.py
	[[ "$(tr -s ' \n' ' ' <<<"$output")" == *"'collections' is not a package, but the file 'path/collections.py'; rename"* ]]
	printf 'import math.nothing\n' > other.py
	suai validate other.py
	[[ "$(tr -s ' \n' ' ' <<<"$output")" == *"'math' is not a package"* && "$output" != *"but the"* ]]
}

@test "files but .npy files can be FIFOs" {
	suai inspect -p buffer -f yaml good.py
	echo "$output" > dump
	printf 'good.py:a\n' > list
	mkfifo dump.yaml list.txt baseline script.py x.npy
	cat dump > dump.yaml & # it waits for one reader: the second, if the FIFO is opened twice, finds no writer
	sleep 0.5
	run --separate-stderr timeout 20 "$SUAI" validate dump.yaml
	[ "$status" -eq 0 ]
	[ "$output" = 'no findings in 2 targets' ]
	cat good.py > script.py &
	cat list > list.txt &
	echo 'baseline: 1' > baseline &
	suai validate --targets-from list.txt --baseline baseline script.py:b
	[ "$status" -eq 0 ]
	[ "$output" = 'no findings in 2 targets' ]
	suai validate --targets-from <(cat list) --baseline <(echo 'baseline: 1')
	[ "$output" = 'no findings in 1 target' ]
	suai validate x.npy
	[ "$status" -eq 2 ]
	[[ "$output" == "x.npy: unreadable: cannot read 'x.npy': not a regular file"* ]]
}
