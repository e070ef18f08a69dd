#!/usr/bin/env bats
# make install: an installed tree works in its place, also through a symbolic link.

load helpers

# When the program and the module were built.
built() {
	stat -c %y "$ROOT/suai" "$ROOT/_suai.abi3.so"
}

setup_file() {
	built > "$BATS_FILE_TMPDIR/built"
	make -s -C "$ROOT" install DESTDIR="$BATS_FILE_TMPDIR/tree" PREFIX=/opt/suai
}

@test "what is built is not built again by make install, nor with WERROR=1" {
	built | diff "$BATS_FILE_TMPDIR/built" -
	make -s -C "$ROOT" all WERROR=1
	built | diff "$BATS_FILE_TMPDIR/built" -
}

@test "the installed suai finds its module and inspects" {
	SUAI="$BATS_FILE_TMPDIR/tree/opt/suai/bin/suai"
	suai inspect --query shape -p buffer -c 'b = b"abc"' b
	[ "$status" -eq 0 ]
	[ "$output" = 3 ]
}

@test "the installed tree contains the program, its module, the man pages and the completions, and nothing else" {
	cd "$BATS_FILE_TMPDIR/tree"
	diff <(find . -type f | sort) - << 'EOF'
./opt/suai/bin/suai
./opt/suai/lib/suai/_suai.abi3.so
./opt/suai/lib/suai/libsuai_trace.so
./opt/suai/lib/suai/suai-bootstrap.py
./opt/suai/lib/suai/suai-devices
./opt/suai/share/bash-completion/completions/suai
./opt/suai/share/fish/vendor_completions.d/suai.fish
./opt/suai/share/man/man1/suai.1
./opt/suai/share/man/man5/suai.yaml.5
./opt/suai/share/man/man7/suai-rules.7
./opt/suai/share/zsh/site-functions/_suai
EOF
}

@test "links to links, relative ones, and one on PATH work" {
	cd "$BATS_TEST_TMPDIR"
	mkdir bin
	ln -s "$BATS_FILE_TMPDIR/tree/opt/suai" current
	ln -s ../current/bin/suai bin/suai
	ln -s bin/suai s
	for SUAI in ./s bin/suai current/bin/suai; do
		suai inspect --query shape -p buffer -c 'b = b"abc"' b
		[ "$output" = 3 ]
	done
	PATH="$PWD/bin:$PATH" run env -C / suai inspect --query shape -p buffer -c 'b = b"abc"' b
	[ "$output" = 3 ]
}

@test "suai works through a symbolic link, too" {
	ln -s "$BATS_FILE_TMPDIR/tree/opt/suai/bin/suai" "$BATS_TEST_TMPDIR/suai"
	SUAI="$BATS_TEST_TMPDIR/suai"
	suai inspect --query shape -p buffer -c 'b = b"abc"' b
	[ "$output" = 3 ]
}

# installed_as DIRECTORY PACKAGES: the files of the wheel, as pip installs them into DIRECTORY and DIRECTORY/PACKAGES.
installed_as() {
	mkdir -p "$1/bin" "$1/$2/suai" "$1/$2/suai-$("$ROOT/suai" --version | sed -n '1s/suai //p').dist-info"
	cp "$ROOT/suai" "$1/bin"
	cp "$ROOT/_suai.abi3.so" "$ROOT/suai-bootstrap.py" "$ROOT/suai-devices" "$1/$2/suai"
	SUAI="$1/bin/suai"
}

# interpreter DIRECTORY WORD: a python3 in DIRECTORY/bin that prints WORD.
interpreter() {
	mkdir -p "$1/bin"
	printf '#!/bin/sh\necho "%s was chosen" >&2\nexec "%s" "$@"\n' "$2" "$TEST_PYTHON" > "$1/bin/python3"
	chmod +x "$1/bin/python3"
}

@test "a program that pip installed finds its files in site-packages, dist-packages and a --target" {
	for packages in lib/python3.11/site-packages lib64/python3.14/site-packages lib/python3/dist-packages .; do
		directory="$BATS_TEST_TMPDIR/${packages//\//,} [a-z]*"
		installed_as "$directory" "$packages"
		suai inspect --query shape -p buffer -c 'b = b"abc"' b
		[ "$output" = 3 ]
		suai devices
		[[ "$output" == *cuda* && "$output$stderr" != *suai-devices* ]]
		mv "$directory/$packages/"suai-*.dist-info "$directory/$packages/suai-0.0.9.dist-info"
		suai inspect -c 'b = b"abc"' b
		[ "$status" -eq 4 ]
		[[ "$stderr" == "suai: cannot find suai's file '_suai.abi3.so': tried "*dist-info* ]]
	done
}

@test "a virtual environment's suai uses its interpreter, also through a link; that of pipx or uv after Conda's" {
	unset SUAI_PYTHON
	directory="$BATS_TEST_TMPDIR/venv"
	installed_as "$directory" lib/python3.11/site-packages
	for each in venv active conda; do
		interpreter "$BATS_TEST_TMPDIR/$each" "$each"
	done
	suai inspect -c 'b = b"abc"' b
	[[ "$stderr" != *chosen* ]]
	touch "$directory/pyvenv.cfg"
	ln -s venv/bin/suai "$BATS_TEST_TMPDIR/suai"
	for SUAI in "$directory/bin/suai" "$BATS_TEST_TMPDIR/suai"; do
		rm -f "$directory/pipx_metadata.json" "$directory/uv-receipt.toml"
		suai inspect -c 'b = b"abc"' b
		[ "$stderr" = "venv was chosen" ]
		CONDA_PREFIX="$BATS_TEST_TMPDIR/conda" suai inspect -c 'b = b"abc"' b
		[ "$stderr" = "venv was chosen" ]
		VIRTUAL_ENV="$BATS_TEST_TMPDIR/active" suai inspect -c 'b = b"abc"' b
		[ "$stderr" = "active was chosen" ]
		for marker in pipx_metadata.json uv-receipt.toml; do
			touch "$directory/$marker"
			suai inspect -c 'b = b"abc"' b
			[ "$stderr" = "venv was chosen" ]
			CONDA_PREFIX="$BATS_TEST_TMPDIR/conda" suai inspect -c 'b = b"abc"' b
			[ "$stderr" = "conda was chosen" ]
			rm "$directory/$marker"
		done
	done
}

@test "without its module suai lists the places it tried and exits with 4" {
	cp "$SUAI" "$BATS_TEST_TMPDIR/alone"
	SUAI="$BATS_TEST_TMPDIR/alone"
	suai inspect -c 'b = b"abc"' b
	[ "$status" -eq 4 ]
	[[ "$stderr" == *_suai.abi3.so* ]]
	[[ "$stderr" == *"$BATS_TEST_TMPDIR"* ]]
}

@test "make uninstall removes every installed file and suai's own directory" {
	make -s -C "$ROOT" install DESTDIR="$BATS_TEST_TMPDIR" PREFIX=/opt/suai
	[ -x "$BATS_TEST_TMPDIR/opt/suai/bin/suai" ]
	touch "$BATS_TEST_TMPDIR/opt/suai/bin/other"
	make -s -C "$ROOT" uninstall DESTDIR="$BATS_TEST_TMPDIR" PREFIX=/opt/suai
	[ "$(cd "$BATS_TEST_TMPDIR" && find . -type f)" = ./opt/suai/bin/other ]
	[ ! -e "$BATS_TEST_TMPDIR/opt/suai/lib/suai" ]
}
