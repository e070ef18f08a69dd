#!/usr/bin/env bats
# One build with every interpreter of this machine, embedded and executed, and the ones it refuses.

load helpers
load interpreters

setup_file() {
	BATS_FILE_TMPDIR="$BATS_FILE_TMPDIR" shared_interpreter > "$BATS_FILE_TMPDIR/shared-interpreter"
}

setup() {
	SHARED=$(cat "$BATS_FILE_TMPDIR/shared-interpreter")
	STATE_SCRIPT="$ROOT/testdata/interpreters/state.py"
	unset SUAI_PYTHON
}

# The state that the script sees equals the one under the interpreter itself.
same_state() { # PYTHON HOST
	STATE="$BATS_TEST_TMPDIR/plain" "$1" "$STATE_SCRIPT" < /dev/null
	STATE="$BATS_TEST_TMPDIR/hosted" suai inspect --python "$1" --host "$2" "$STATE_SCRIPT" < /dev/null
	[ "$status" -eq 0 ]
	diff -u "$BATS_TEST_TMPDIR/plain" "$BATS_TEST_TMPDIR/hosted"
}

# An interpreter that claims to be another: the bootstrap queries it, and it is refused.
claims() { # NAME 'PYTHON STATEMENT'
	cat > "$BATS_TEST_TMPDIR/$1" <<-END
		#!/bin/sh
		bootstrap=\$1
		shift
		exec $SHARED -c "import sys
		$2
		exec(open('\$bootstrap').read())" "\$@"
	END
	chmod +x "$BATS_TEST_TMPDIR/$1"
	suai inspect --python "$BATS_TEST_TMPDIR/$1" -c 'b = b"abc"' b
	[ "$status" -eq 4 ]
}

@test "a script sees the same state as under each interpreter, executed" {
	n=0
	for python in $(interpreters); do
		echo "# executed: $python, $("$python" -c 'import sys; print(sys.version.split()[0])')" >&3
		same_state "$python" exec
		n=$((n + 1))
	done
	[ "$n" -gt 0 ]
}

@test "a script sees the same state as under each interpreter on a shared libpython, embedded" {
	n=0
	for python in $(interpreters) "$SHARED"; do
		is_shared "$python" || continue
		echo "# embedded: $python, $("$python" -c 'import sys; print(sys.version.split()[0])')" >&3
		same_state "$python" embed
		n=$((n + 1))
	done
	[ "$n" -gt 0 ]
}

@test "a minimal program linked to libpython is embedded" {
	python=$(build_shared_interpreter "$BATS_TEST_TMPDIR/built")
	same_state "$python" embed
}

@test "a virtual environment, a nested one, a copied one" {
	for python in $(interpreters); do
		[ "$python" != "$TEST_PYTHON" ] || continue
		host=exec
		if is_shared "$python"; then host=embed; fi
		folder="$BATS_TEST_TMPDIR/$(basename "$(dirname "$(dirname "$python")")")"
		"$python" -m venv --without-pip "$folder/a"
		"$folder/a/bin/python3" -m venv --without-pip "$folder/b"
		"$python" -m venv --without-pip --copies "$folder/c"
		for environment in a b c; do
			same_state "$folder/$environment/bin/python3" "$host"
		done
		VIRTUAL_ENV="$folder/b" suai inspect --query shape -p buffer \
			-c 'import sys; b = sys.prefix.encode()' 'b[-1:]'
		[ "$output" = 1 ]
	done
}

@test "PYTHON variables have the same effect as with the interpreter" {
	mkdir "$BATS_TEST_TMPDIR/lib"
	for python in "$SHARED" $(static_interpreter); do
		host=exec
		if is_shared "$python"; then host=embed; fi
		for setting in PYTHONPATH="$BATS_TEST_TMPDIR/lib" PYTHONSAFEPATH=1 PYTHONNOUSERSITE=1 PYTHONOPTIMIZE=2 \
			PYTHONWARNINGS=error PYTHONUTF8=1 PYTHONHASHSEED=7 PYTHONDEVMODE=1 PYTHONUNBUFFERED=1 LC_ALL=C; do
			echo "$setting"
			export "${setting?}"
			same_state "$python" "$host"
			unset "${setting%%=*}"
		done
	done
}

@test "PYTHONINSPECT and PYTHONSTARTUP open no prompt" {
	echo 'print("startup")' > "$BATS_TEST_TMPDIR/startup.py"
	for host in embed exec; do
		PYTHONINSPECT=1 PYTHONSTARTUP="$BATS_TEST_TMPDIR/startup.py" \
			suai inspect --python "$SHARED" --host "$host" --query shape -p buffer -c 'b = b"abc"' b <<< 'print("prompt")'
		[ "$status" -eq 0 ]
		[ "$output" = 3 ]
		[ -z "$stderr" ]
		PYTHONINSPECT=1 suai inspect --python "$SHARED" --host "$host" -c 'raise SystemExit' b <<< 'print("prompt")'
		[ "$status" -eq 3 ]
		[[ "$output$stderr" != *prompt* ]]
	done
}

@test "output of sitecustomize goes to standard error; if it exits the process, nothing can run" {
	mkdir "$BATS_TEST_TMPDIR/site"
	for host in embed exec; do
		echo 'print("from site", flush=True)' > "$BATS_TEST_TMPDIR/site/sitecustomize.py"
		PYTHONPATH="$BATS_TEST_TMPDIR/site" \
			suai inspect --python "$SHARED" --host "$host" --query shape -p buffer -c 'b = b"abc"' b
		[ "$output" = 3 ]
		[ "$stderr" = "from site" ]
		for code in 'os._exit(0)' 'os.abort()' 'time.sleep(1000)'; do
			echo "import os, time; $code" > "$BATS_TEST_TMPDIR/site/sitecustomize.py"
			PYTHONPATH="$BATS_TEST_TMPDIR/site" \
				suai inspect --python "$SHARED" --host "$host" --timeout 1 -c 'b = b"abc"' b
			[ "$status" -eq 4 ]
			[[ "$stderr" == *"cannot use python '$SHARED'"* ]]
		done
		PYTHONHOME=/nowhere suai inspect --python "$SHARED" --host "$host" -c 'b = b"abc"' b
		[ "$status" -eq 4 ]
	done
}

@test "precedence: --python, SUAI_PYTHON, VIRTUAL_ENV, CONDA_PREFIX, PATH" {
	for name in option variable virtual conda path; do
		mkdir -p "$BATS_TEST_TMPDIR/$name/bin"
		printf '#!/bin/sh\necho "%s was chosen" >&2\nexec %s "$@"\n' "$name" "$SHARED" > "$BATS_TEST_TMPDIR/$name/bin/python3"
		chmod +x "$BATS_TEST_TMPDIR/$name/bin/python3"
	done
	export SUAI_PYTHON="$BATS_TEST_TMPDIR/variable/bin/python3" VIRTUAL_ENV="$BATS_TEST_TMPDIR/virtual" \
		CONDA_PREFIX="$BATS_TEST_TMPDIR/conda"
	PATH="$BATS_TEST_TMPDIR/path/bin:$PATH"
	suai inspect --python "$BATS_TEST_TMPDIR/option" -c 'b = b"abc"' b
	[ "$stderr" = "option was chosen" ]
	for expected in variable virtual conda path; do
		suai inspect -c 'b = b"abc"' b
		[ "$status" -eq 0 ]
		[ "$stderr" = "$expected was chosen" ]
		case $expected in
		variable) unset SUAI_PYTHON ;;
		virtual) unset VIRTUAL_ENV ;;
		conda) unset CONDA_PREFIX ;;
		esac
	done
}

@test "--python with a nonexistent file or an empty name exits with 2; no interpreter at all exits with 4" {
	suai inspect --python "$BATS_TEST_TMPDIR/nowhere" -c 'b = b"abc"' b
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --python: '$BATS_TEST_TMPDIR/nowhere' is not an executable file" ]
	suai inspect --python '' -c 'b = b"abc"' b
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --python: expected an interpreter, got ''" ]
	SUAI_PYTHON='' suai inspect -q -c 'b = b"abc"' b
	[ "$status" -eq 0 ]
	SUAI_PYTHON=nothing suai inspect -c 'b = b"abc"' b
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: SUAI_PYTHON: 'nothing' is not an executable file" ]
	mkdir "$BATS_TEST_TMPDIR/empty"
	path=$PATH
	PATH="$BATS_TEST_TMPDIR/empty"
	run "$SUAI" inspect -c 'b = b"abc"' b
	PATH=$path
	[ "$status" -eq 4 ]
	[ "$output" = "suai: no Python found: python3 is not in PATH; use --python to choose an interpreter" ]
}

@test "a virtual environment whose interpreter was removed is named, and no other interpreter is used" {
	ln -s "$BATS_TEST_TMPDIR/removed/python3.9" "$BATS_TEST_TMPDIR/python3.9"
	mkdir -p "$BATS_TEST_TMPDIR/venv/bin"
	ln -s ../../python3.9 "$BATS_TEST_TMPDIR/venv/bin/python3"
	link="'$BATS_TEST_TMPDIR/venv/bin/python3' is a broken symbolic link: '$BATS_TEST_TMPDIR/removed' does not exist; create the environment again, or use --python to choose another interpreter"
	unset SUAI_PYTHON
	export VIRTUAL_ENV="$BATS_TEST_TMPDIR/venv"
	suai inspect -c 'b = b"abc"' b
	[ "$status" -eq 4 ]
	[ "$stderr" = "suai: VIRTUAL_ENV: $link" ]
	for chosen in "$VIRTUAL_ENV" "$VIRTUAL_ENV/bin/python3"; do
		suai inspect --python "$chosen" -c 'b = b"abc"' b
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: --python: $link" ]
	done
	SUAI_PYTHON=$TEST_PYTHON suai inspect -q -c 'b = b"abc"' b
	[ "$status" -eq 0 ]
}

@test "the program and the module work with CPython 3.15" {
	local python
	python=$(fetched_interpreter 3.15)
	[ -n "$python" ] || skip "no CPython 3.15: $(cat "$ROOT/build/python3.15.missing" 2> /dev/null || echo "run tools/fetch-python 3.15")"
	for command in 'inspect --values' 'validate --all --strict' 'convert --to dlpack --order C --verify'; do
		suai $command --python "$python" -c 'import numpy' 'numpy.arange(12.0).reshape(3, 4).T'
		[ "$status" -eq 0 ]
	done
	PYTHONPATH=$ROOT/python run -0 "$python" -c 'import numpy, suai; print(len(suai.validate(numpy.ones(3)).findings), numpy.from_dlpack(suai.convert(numpy.ones((2, 3)).T, to="dlpack", order="C")).strides)'
	[ "$output" = "0 (16, 8)" ]
	# The line that defines an object, in an error.
	printf 'class Bad: __array_interface__ = 5\n\nbad = Bad()\n' > "$BATS_TEST_TMPDIR/bad.py"
	suai validate --python "$python" -f json "$BATS_TEST_TMPDIR/bad.py"
	[ "$(jq -c '[.targets[].source.line]' <<< "$output")" = "[3]" ]
}

@test "an older Python is refused with its version" {
	n=0
	for python in $(all_interpreters); do
		is_usable "$python" && continue
		version=$("$python" -c 'import sys; print(sys.version.split()[0])')
		for host in auto exec; do
			suai inspect --python "$python" --host "$host" -c 'b = b"abc"' b
			[ "$status" -eq 4 ]
			[[ "$stderr" == "suai: cannot use python '$python': it is CPython $version; suai requires CPython 3.11 or newer"* ]]
		done
		echo "# refused: $python, $version" >&3
		n=$((n + 1))
	done
	[ "$n" -gt 0 ] || skip "no Python older than 3.11 on this machine"
}

@test "a free-threaded Python, another implementation, and Python 2 are refused" {
	claims python3.13t "sys.abiflags = 't'"
	[[ "$stderr" == *"it is CPython 3."*"t; this suai is built for interpreters with the GIL; install suai with pip of this interpreter, which builds a module for it" ]]
	claims pypy3 "sys.implementation.name = 'pypy'"
	[[ "$stderr" == *"it is pypy 3."* ]]
	claims python2 "sys.version_info = (2, 7, 18); del sys.implementation, sys.abiflags"
	[[ "$stderr" == *"it is CPython 2.7.18; suai requires"* ]]
}

@test "a Python for which the module was not built is refused" {
	mkdir -p "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/lib"
	cp "$SUAI" "$BATS_TEST_TMPDIR/bin"
	cp "$ROOT/suai-bootstrap.py" "$BATS_TEST_TMPDIR/lib"
	cp "$ROOT/_suai.abi3.so" "$BATS_TEST_TMPDIR/lib/_suai.cpython-314t-x86_64-linux-gnu.so"
	SUAI="$BATS_TEST_TMPDIR/bin/suai" SUAI_MODULE="$BATS_TEST_TMPDIR/lib/_suai.cpython-314t-x86_64-linux-gnu.so" suai inspect -c 'b = b"abc"' b
	[ "$status" -eq 4 ]
	[[ "$stderr" == *"it is CPython 3."*"; this suai was built for cpython-314t-x86_64-linux-gnu" ]]
}

@test "a file in PYTHONPATH that prevents Python's start is named" {
	cd "$BATS_TEST_TMPDIR"
	echo 'a = b"a"' > script.py
	mkdir -p other shadow package/encodings
	touch shadow/encodings.py package/encodings/__init__.py
	for file in shadow/encodings.py package/encodings/__init__.py; do
		export PYTHONPATH="other:$PWD/${file%%/*}"
		suai inspect script.py:a
		[ "$status" -eq 4 ]
		[[ "$stderr" == *"before suai's module was loaded; PYTHONPATH contains '$PWD/$file', which replaces a package of Python's standard library" ]]
	done
	mkdir other/encodings # without __init__.py: not a package
	PYTHONPATH=other suai inspect -p buffer script.py:a
	[ "$status" -eq 0 ]
}

@test "a file that is not an interpreter is refused" {
	printf '#!/bin/sh\nexit 5\n' > "$BATS_TEST_TMPDIR/python-fails"
	printf '#!/nowhere\n' > "$BATS_TEST_TMPDIR/python-no-such"
	chmod +x "$BATS_TEST_TMPDIR/python-fails" "$BATS_TEST_TMPDIR/python-no-such"
	suai inspect --python "$BATS_TEST_TMPDIR/python-fails" -c 'b = b"abc"' b
	[ "$status" -eq 4 ]
	[[ "$stderr" == *"exited with status 5 before suai's module was loaded" ]]
	suai inspect --python "$BATS_TEST_TMPDIR/python-no-such" -c 'b = b"abc"' b
	[ "$status" -eq 4 ]
	[[ "$stderr" == *"cannot execute it: No such file or directory" ]]
}

@test "--host embed with a static interpreter, a script, or --wrap is refused with the reason" {
	static=$(static_interpreter)
	if [ -n "$static" ]; then
		suai inspect --python "$static" --host embed -c 'b = b"abc"' b
		[ "$status" -eq 4 ]
		[ "$stderr" = "suai: cannot embed python '$static': it is built without a shared libpython" ]
	fi
	printf '#!/bin/sh\nexec %s "$@"\n' "$SHARED" > "$BATS_TEST_TMPDIR/shim"
	chmod +x "$BATS_TEST_TMPDIR/shim"
	suai inspect --python "$BATS_TEST_TMPDIR/shim" --host embed -c 'b = b"abc"' b
	[ "$status" -eq 4 ]
	[[ "$stderr" == *"it is a script"* ]]
	suai inspect --python "$SHARED" --host embed --wrap env -c 'b = b"abc"' b
	[ "$status" -eq 2 ]
}

@test "--wrap prepends a command, with shell quoting" {
	suai inspect --python "$SHARED" --wrap "env 'WRAPPED=a b'" --query shape -p buffer \
		-c 'import os; b = os.environ["WRAPPED"].encode()' b
	[ "$status" -eq 0 ]
	[ "$output" = 3 ]
	suai inspect --python "$SHARED" --wrap nowhere -c 'b = b"abc"' b
	[ "$status" -eq 4 ]
}

@test "the worker runs under gdb and under valgrind" {
	command -v gdb > /dev/null || skip "no gdb"
	suai inspect --python "$SHARED" --wrap 'gdb -q -batch -ex run --args' --query shape -p buffer -c 'b = b"abc"' b
	[ "$status" -eq 0 ]
	[ "$output" = 3 ]
	command -v valgrind > /dev/null || skip "no valgrind"
	suai inspect --python "$SHARED" --wrap 'valgrind -q --error-exitcode=9' --query shape -p buffer -c 'b = b"abc"' b
	[ "$status" -eq 0 ]
	[ "$output" = 3 ]
}

@test "an executable that is not Python is refused before it sees suai's code" {
	for program in /bin/ls /usr/bin/yes /bin/sh /bin/cat; do
		suai inspect --python "$program" -c 'a = 1' a
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: --python: '$program' is not a Python interpreter" ]
	done
	SUAI_PYTHON=/bin/ls suai inspect -c 'a = 1' a
	[ "$stderr" = "suai: SUAI_PYTHON: '/bin/ls' is not a Python interpreter" ]
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$TEST_PYTHON" > "$BATS_TEST_TMPDIR/snake"
	chmod +x "$BATS_TEST_TMPDIR/snake"
	suai inspect --python "$BATS_TEST_TMPDIR/snake" -q -c 'import array; a = array.array("d", [1])' a
	[ "$status" -eq 0 ]
}

@test "if no worker can run, what needs none is still read" {
	cd "$BATS_TEST_TMPDIR"
	printf '#!/bin/sh\nexit 7\n' > python
	chmod +x python
	echo 'a = 1' | tee one.py > two.py
	cp "$ROOT/testdata/rules/SUAI102/bad.yaml" dump.yaml
	suai validate -q --python ./python one.py:a dump.yaml two.py one.py:b -j 3
	[ "$status" -eq 4 ]
	[[ "${lines[0]}" == "one.py:a: unavailable at start: cannot use python './python': exited with status 7 "* ]]
	[[ "${lines[1]}" == "one.py:b: unavailable at start: "* ]]
	[[ "${lines[2]}" == *" error SUAI102 "* ]]
	[[ "${lines[-1]}" == "two.py: unavailable at start: "* ]]
	suai validate -q --python ./python one.py two.py
	[ "$status" -eq 4 ]
	[ -z "$output" ]
	env PATH="$BATS_TEST_TMPDIR/empty" "$SUAI" validate -q dump.yaml one.py > lines || [ $? -eq 4 ]
	grep -q "^one.py: unavailable at start: no Python found: " lines
}
