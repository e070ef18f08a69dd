#!/usr/bin/env bats
# make install: an installed tree works in its place, also through a symbolic link.

load helpers

setup_file() {
	make -s -C "$ROOT" install DESTDIR="$BATS_FILE_TMPDIR/tree" PREFIX=/opt/suai
}

@test "a build without WERROR=1 is not rebuilt with it" {
	built=$(stat -c %y "$ROOT/suai" "$ROOT/_suai.abi3.so")
	make -s -C "$ROOT" all WERROR=1
	[ "$(stat -c %y "$ROOT/suai" "$ROOT/_suai.abi3.so")" = "$built" ]
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
