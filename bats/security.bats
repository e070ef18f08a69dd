#!/usr/bin/env bats
# What suai does to the rest of the machine, as strace sees it: nothing that SECURITY.md does not state.

load helpers

setup() {
	command -v strace > /dev/null || skip "no strace"
	strace -f -o /dev/null true 2> /dev/null || skip "strace cannot trace here (ptrace is not permitted)"
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir work cache
	export XDG_CACHE_HOME="$PWD/cache" HOME="$PWD/cache/home" PYTHONDONTWRITEBYTECODE=1
	cd work || return 1
	# Its only library is Python's own, so that all effects are suai's.
	cat > arrays.py <<-'END'
		import ctypes

		memory = (ctypes.c_float * 2)()


		class Array:
		    __array_interface__ = {"version": 3, "shape": (2,), "typestr": "<f4", "data": (ctypes.addressof(memory), False)}


		a = Array()
	END
}

# effects ARGUMENT...: runs suai under strace; sets status, and output to what testdata/tools/effects.py prints.
effects() {
	strace -f -y -qq -s 256 -o ../log -e trace=%network,%process,%file "$SUAI" "$@" > ../out 2> ../err && status=0 || status=$?
	cat ../out ../err
	output=$("$TEST_PYTHON" "$ROOT/testdata/tools/effects.py" ../log "$PWD")
	echo "--- effects of suai $*"
	echo "$output"
}

# A worker is Python; a virtual environment's may start another one.
PYTHONS='run (python[0-9.]*|suai)'

# only LINE...: the effects are these and the interpreter.
only() {
	diff <(grep -vxE "$PYTHONS" <<< "$output" | grep . || true) <([ $# -eq 0 ] || printf '%s\n' "$@" | LC_ALL=C sort)
}

# no_other PATTERN: the effects match it, or are the interpreter.
no_other() {
	local other
	other=$(grep -vxE "$PYTHONS|$1" <<< "$output") || [ $? -eq 1 ]
	[ -z "$other" ]
}

@test "the effects are those that processes have: paths below descriptors, unnamed files, sockets of this machine" {
	cat > effects.py <<-'END'
		import os, socket

		os.mkdir("sub")
		sub = os.open("sub", os.O_DIRECTORY)
		os.close(os.open("a", os.O_WRONLY | os.O_CREAT, dir_fd=sub))
		os.close(os.open("sub", os.O_WRONLY | os.O_TMPFILE))
		os.rename("a", "../b", src_dir_fd=sub, dst_dir_fd=sub)
		os.unlink("../b", dir_fd=sub)
		if not os.fork():
		    os.chdir("sub")
		    os.mkdir("c")
		    os.rmdir("c")
		    os._exit(0)
		os.wait()
		one, other = socket.socketpair()
		one.send(b"x")
		server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		server.bind("server")
		socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", "server")
		socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	END
	SUAI=$TEST_PYTHON effects effects.py
	only 'network bind AF_UNIX sun_path="server"' 'network sendto AF_UNIX sun_path="server"' 'network socket AF_INET' \
		'remove b' 'remove sub/c' 'write b' 'write sub' 'write sub/a' \
		'write sub/c' 'write unnamed file in sub'
}

@test "commands that read open nothing for writing, start no program but Python, and use no network" {
	for command in 'inspect arrays.py' 'validate arrays.py' 'validate --all arrays.py' 'inspect --values arrays.py:a' \
		'rule NAI101' 'help validate' 'why arrays.py:a bytes(_)' 'convert --to dlpack arrays.py:a' \
		'convert --copy always --verify --to buffer arrays.py:a'; do
		# shellcheck disable=SC2086 # a command is several arguments
		effects $command
		[ "$status" -le 1 ]
		only
	done
	effects validate -f sarif arrays.py
	[ "$status" -eq 0 ]
	only 'write unnamed file in /tmp'
}

@test "-o, the baseline and suai init write their file, through a temporary one in the same directory, and nothing else" {
	effects validate -f json -o report.json arrays.py
	[ "$status" -eq 0 ]
	grep -qx 'write report.json' <<< "$output"
	no_other 'write unnamed file in \.|write report\.json|(write|remove) \.?report\.json\.\*'
	[ "$(echo *)" = "arrays.py report.json" ]
	effects validate --baseline base.yaml --update-baseline arrays.py
	[ "$status" -eq 0 ]
	no_other 'write unnamed file in \.|write base\.yaml|(write|remove) \.?base\.yaml\.\*'
	[ "$(echo *)" = "arrays.py base.yaml report.json" ]
	effects init
	[ "$status" -eq 0 ]
	no_other 'write unnamed file in \.|write suai\.yaml|(write|remove) \.?suai\.yaml\.\*'
	[ "$(echo *)" = "arrays.py base.yaml report.json suai.yaml" ]
	for file in a.npy a.raw; do
		effects convert -o "$file" arrays.py:a
		[ "$status" -eq 0 ]
		grep -qx "write $file" <<< "$output"
		no_other "write unnamed file in \.|(write|remove) \.?$file(\.\*)?"
	done
	[ "$(echo *)" = "a.npy a.raw arrays.py base.yaml report.json suai.yaml" ]
}

@test "-f github writes to GITHUB_STEP_SUMMARY only" {
	GITHUB_STEP_SUMMARY=$PWD/summary effects validate -f github arrays.py
	[ "$status" -eq 0 ]
	only 'write summary'
}

@test "--wrap runs its command, and no other command runs a shell" {
	effects validate --wrap 'env A=1' arrays.py
	[ "$status" -eq 0 ]
	grep -qx 'run env' <<< "$output"
	no_other 'run (env|sh)'
}

@test "suai trace writes nothing, and runs nothing but the program" {
	effects trace -- "$TEST_PYTHON" -c 'import hashlib; hashlib.sha256(b"abc")'
	[ "$status" -eq 0 ]
	only
}

@test "suai matrix passes arrays without a file, a network or a program, and writes -o only" {
	effects matrix memoryview ctypes
	[ "$status" -eq 0 ]
	only
	for format in markdown html json; do
		effects matrix -f $format -o matrix.out memoryview ctypes
		[ "$status" -eq 0 ]
		grep -qx 'write matrix.out' <<< "$output"
		no_other 'write unnamed file in \.|write matrix\.out|(write|remove) \.?matrix\.out\.\*'
	done
	[ "$(echo *)" = "arrays.py matrix.out" ]
}

@test "suai devices, version and convert --call write and run nothing" {
	effects version
	[ "$status" -eq 0 ]
	only
	effects convert --to buffer --call 'bytes(_)' arrays.py:a
	[ "$status" -eq 0 ]
	only
	# Runtimes of devices read and write as they do; suai itself runs only its own program.
	effects devices
	[ "$status" -eq 0 ]
	[ -z "$(grep -xE 'run .*' <<< "$output" | grep -vxE "$PYTHONS|run suai-devices")" ]
	run ! grep -E '^network' <<< "$output"
}

# opened COMMAND...: what is opened, by path, without the interpreter, libraries and the kernel's files.
opened() {
	strace -f -y -qq -s 256 -o ../log -e trace=open,openat,openat2 "$SUAI" "$@" > ../out 2> ../err
	sed -nE 's/^[0-9]+ +open(at2?)?\(.*"([^"]*)", .*= [0-9]+<([^>]*)>.*/\3/p' ../log | sort -u |
		grep -vE "^/(proc|sys|dev|lib|lib64|usr|etc)(/|$)|^$(dirname "$(dirname "$TEST_PYTHON")")/|\.so(\.|$)" || true
}

@test "commands without Python open only suai's own files and those that are named" {
	"$SUAI" inspect arrays.py:a -f yaml -o dump.yaml
	echo 'format: json' > suai.yaml
	[ "$(opened inspect dump.yaml)" = "$(printf '%s\n' "$PWD/dump.yaml" "$PWD/suai.yaml" | sort)" ]
	[ "$(opened validate --isolated dump.yaml)" = "$PWD/dump.yaml" ]
	[ -z "$(opened help validate)" ]
}

@test "a consumer is called without a file, a network or a program" {
	effects validate --consumer 'bytes(_)' -p buffer --case float32,fortran
	[ "$status" -le 1 ]
	only
}
