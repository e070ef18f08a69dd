#!/usr/bin/env bats
# -o: a result file is complete or missing; links are kept, devices are written to.

load helpers

# bats test_tags=judge
@test "-o replaces an existing file, and leaves no temporary file" {
	mkdir "$BATS_TEST_TMPDIR/folder"
	echo old > "$BATS_TEST_TMPDIR/folder/out"
	suai rule SUAI101 -o "$BATS_TEST_TMPDIR/folder/out"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	grep -q '^SUAI101 shape-present' "$BATS_TEST_TMPDIR/folder/out"
	[ "$(ls "$BATS_TEST_TMPDIR/folder")" = out ]
}

# bats test_tags=judge
@test "-o through a link replaces the file that the link refers to" {
	echo old > "$BATS_TEST_TMPDIR/real"
	ln -s real "$BATS_TEST_TMPDIR/link"
	suai rule SUAI101 -o "$BATS_TEST_TMPDIR/link"
	[ -L "$BATS_TEST_TMPDIR/link" ]
	grep -q '^SUAI101' "$BATS_TEST_TMPDIR/real"
}

# bats test_tags=judge
@test "-o through a link to a missing file creates that file; a loop of links is an error" {
	cd "$BATS_TEST_TMPDIR"
	mkdir folder
	ln -s folder/new link
	ln -s "$PWD/link" second
	suai rule SUAI101 -o second
	[ "$status" -eq 0 ]
	[ -L link ]
	[ -L second ]
	grep -q '^SUAI101' folder/new
	ln -s nowhere/new into_nowhere
	suai rule SUAI101 -o into_nowhere
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"cannot write"*"No such file or directory" ]]
	ln -s loop_b loop_a
	ln -s loop_a loop_b
	suai rule SUAI101 -o loop_a
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot write 'loop_a': Too many levels of symbolic links" ]
	# The file of a descriptor that was deleted, as of /dev/stdout.
	ln -s /proc/self/fd/4 descriptor
	exec 4> gone
	rm gone
	suai rule SUAI101 -o descriptor
	exec 4>&-
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot write 'descriptor': No such file or directory" ]
	[ -L descriptor ]
	[ -L into_nowhere ]
	[ -L loop_a ]
	[ -L loop_b ]
}

# bats test_tags=judge
@test "-o /dev/stdout and /dev/fd/N write to the descriptor, and what others write to its file stays" {
	cd "$BATS_TEST_TMPDIR"
	for name in /dev/stdout /dev/fd/1 /proc/self/fd/1 /dev/fd/3 /dev/stderr; do
		{ echo before; "$SUAI" rule SUAI101 -o "$name"; echo after; } > log 3>&1 2>&1
		[ "$(sed -n '1p;$p' log)" = $'before\nafter' ]
		grep -q '^SUAI101 shape-present' log
		"$SUAI" rule SUAI101 -o "$name" >> log 3>&1 2>&1
		[ "$(grep -c '^SUAI101 shape-present' log)" -eq 2 ]
	done
	suai rule SUAI101 -o /dev/fd/77
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot write '/dev/fd/77': Bad file descriptor" ]
}

# bats test_tags=judge
@test "-o to a name as long as the file system permits" {
	mkdir "$BATS_TEST_TMPDIR/folder"
	cd "$BATS_TEST_TMPDIR/folder"
	name=$(printf 'n%.0s' {1..251}).txt
	for variable in A SUAI_NO_TMPFILE; do
		for _ in 1 2; do
			export "$variable=1"
			suai rule SUAI101 -o "$name"
			[ "$status" -eq 0 ]
			grep -q '^SUAI101' "$name"
			[ "$(ls)" = "$name" ]
		done
	done
	suai rule SUAI101 -o "x$name"
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"File name too long" ]]
}

# bats test_tags=judge
@test "-o to a device or a pipe writes to it" {
	suai rule SUAI101 -o /dev/null
	[ "$status" -eq 0 ]
	[ -c /dev/null ]
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	"$SUAI" rule SUAI101 -o "$BATS_TEST_TMPDIR/pipe" &
	grep -q '^SUAI101' "$BATS_TEST_TMPDIR/pipe"
	wait $!
}

# bats test_tags=judge
@test "a failed write is an error, exit 2, and an old file stays intact" {
	suai rule SUAI101 -o /dev/full
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"No space left on device"* ]]
	suai rule SUAI101 -o "$BATS_TEST_TMPDIR/nowhere/out"
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"cannot write"*nowhere/out* ]]
	echo old > "$BATS_TEST_TMPDIR/out"
	suai inspect "$BATS_TEST_TMPDIR/nothing.yaml" --fromat x -o "$BATS_TEST_TMPDIR/out"
	[ "$status" -eq 2 ]
	[ "$(cat "$BATS_TEST_TMPDIR/out")" = old ]
}

# bats test_tags=judge
@test "a run that is terminated by a signal leaves no file, at any time" {
	mkdir "$BATS_TEST_TMPDIR/folder"
	for signal in INT TERM KILL; do
		run timeout -s $signal 0.5 "$SUAI" inspect - -o "$BATS_TEST_TMPDIR/folder/out" < <(sleep 1)
		[ "$status" -ne 0 ]
		[ -z "$(ls -A "$BATS_TEST_TMPDIR/folder")" ]
		run timeout -s $signal 0.5 "$SUAI" inspect -c "import time; time.sleep(9)" x \
			-o "$BATS_TEST_TMPDIR/folder/out"
		[ "$status" -ne 0 ]
		[ -z "$(ls -A "$BATS_TEST_TMPDIR/folder")" ]
	done
}

@test "a closed or full standard output is an error, reported once" {
	run --separate-stderr bash -c '"$1" rule SUAI101 >&-' - "$SUAI"
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: cannot write to standard output"* ]]
	run --separate-stderr bash -c '"$1" inspect "$2" >/dev/full' - "$SUAI" "$ROOT/testdata/rules/NPY001/good.yaml"
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: cannot write to standard output: No space left on device" ]
	# More than one buffer of stdio: the write fails before the end of the document.
	for ((i = 0; i < 1000; i++)); do echo "a$i = memoryview(bytes(8))"; done > "$BATS_TEST_TMPDIR/many.py"
	for format in text concise json yaml junit tap sarif github; do
		run --separate-stderr "$SUAI" validate -v -f $format -o /dev/full "$BATS_TEST_TMPDIR/many.py"
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: cannot write '/dev/full': No space left on device" ]
	done
	for words in --version --help 'inspect --help' help rule 'rule -f json' 'docs man' 'docs rules' 'docs bash' 'docs zsh' 'docs fish'; do
		run --separate-stderr bash -c '"$1" $2 >/dev/full' - "$SUAI" "$words"
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: cannot write to standard output: No space left on device" ]
	done
}

@test "errors escape control characters in user input" {
	suai rule $'\e[31m'
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: unknown rule '\x1b[31m'; run 'suai rule' to list all rules" ]
	printf '\033]0;title\007 a\315.b\n' > "$BATS_TEST_TMPDIR/list"
	suai validate --targets-from "$BATS_TEST_TMPDIR/list" -c 1
	[ "$status" -ne 0 ]
	[[ "$output$stderr" == *'\x1b]0;title\x07 a'* ]]
	[[ "$output$stderr" != *$'\e'* ]]
	suai validate --select $'Zürich\e'
	[ "$stderr" = "suai: unknown rule 'Zürich\x1b'; run 'suai rule' to list all rules" ]
}

@test "-o keeps the mode of the file that it replaces" {
	cd "$BATS_TEST_TMPDIR"
	printf 'import array\na = array.array("d", [1])\n' > m.py
	for forced in UNSET SUAI_NO_TMPFILE; do
		for mode in 600 640 666 755; do
			for file in out out.npy baseline.yaml; do
				rm -f $file
				[ $file != baseline.yaml ] || printf 'baseline: 1\nfindings: []\n' > $file
				touch $file
				chmod $mode $file
			done
			env $forced=1 "$SUAI" inspect m.py:a -o out
			env $forced=1 "$SUAI" convert m.py:a -o out.npy >/dev/null
			env $forced=1 "$SUAI" validate m.py:a --baseline baseline.yaml --update-baseline
			[ -s out ]
			[ -s out.npy ]
			grep -q ignores baseline.yaml
			[ "$(stat -c %a out out.npy baseline.yaml | sort -u)" = $mode ]
		done
	done
	(umask 027 && "$SUAI" inspect m.py:a -o new)
	[ "$(stat -c %a new)" = 640 ]
}

@test "a replaced file grants no group more than all users have, if its group cannot be kept" {
	[ "$(id -u)" -eq 0 ] || skip "only root can give a file away"
	command -v setpriv > /dev/null || skip "no setpriv"
	theirs=$(mktemp -d) # below BATS_TEST_TMPDIR, they can search no directory
	cd "$theirs"
	chown 65534 .
	install -o 0 -g 0 -m 662 /dev/null out
	run setpriv --reuid=65534 --regid=65534 --clear-groups "$SUAI" rule SUAI102 -o out
	echo "$output"
	access=$(stat -c '%u:%g %a' out)
	rm -r "$theirs"
	[ "$status" -eq 0 ]
	[ "$access" = '65534:65534 622' ]
}

@test "during writing, others cannot read the replacement of a private file" {
	cd "$BATS_TEST_TMPDIR"
	printf 'import array, glob, os\nprint(*{oct(os.stat(f).st_mode & 0o777) for f in glob.glob("out.*")})\na = array.array("d", [1])\n' > m.py
	touch out
	chmod 600 out
	run --separate-stderr env SUAI_NO_TMPFILE=1 "$SUAI" inspect m.py:a -o out
	[ "$status" -eq 0 ]
	[ "$stderr" = 0o600 ]
}

# bats test_tags=judge
@test "-o refuses a file that its user may not write" {
	local as=()
	cd "$BATS_TEST_TMPDIR"
	mkdir open
	echo old > open/out
	chmod 444 open/out
	chmod 777 open
	if [ "$(id -u)" -eq 0 ]; then
		command -v setpriv >/dev/null || skip "no setpriv"
		as=(setpriv --reuid=65534 --clear-groups)
		chmod a+x "$BATS_TEST_TMPDIR"
		"${as[@]}" "$SUAI" --version >/dev/null 2>&1 && "${as[@]}" test -w open || skip "another user cannot run suai here"
	fi
	run --separate-stderr "${as[@]}" "$SUAI" inspect "$ROOT/testdata/rules/NPY101/good.yaml" -o open/out
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: cannot write '"*"out': Permission denied" ]]
	[ "$(cat open/out)" = old ]
}

@test "a result never replaces an input of the run, by whatever name" {
	cd "$BATS_TEST_TMPDIR"
	mkdir package folder
	printf 'import array\na = array.array("d", [1])\n' | tee m.py > package/__init__.py
	cp m.py folder/there.py
	ln -s m.py symbolic
	ln m.py hard
	"$SUAI" inspect m.py:a -f yaml -o dump.yaml
	"$SUAI" convert m.py:a -o a.npy >/dev/null
	ln a.npy hard.npy
	echo m.py:a > list
	printf 'baseline: 1\nfindings: []\n' > baseline.yaml
	ln -s baseline.yaml link.yaml
	echo 'color: never' > suai.yaml
	cp suai.yaml other.yaml
	sha256sum ./*.* symbolic list package/* folder/* > sums
	while read -r input words; do
		# shellcheck disable=SC2086 # words are words
		PYTHONPATH=/nowhere:folder run --separate-stderr "$SUAI" $words < dump.yaml
		echo "$words: $status $stderr"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[[ "$stderr" == "suai: "*" would replace an input of this run: ${input/standard_/standard }" ]]
		sha256sum --quiet -c sums
	done <<-'END'
		'm.py' inspect m.py:a -o m.py
		'./m.py' inspect ./m.py -p buffer -o m.py
		'm.py' validate m.py:a -o symbolic
		'symbolic' inspect -c 1 1 --targets-from symbolic -o hard
		'm.py' inspect dump.yaml m.py:a -o hard
		'm.py' inspect m:a -o m.py
		'package/__init__.py' inspect package:a -o package/__init__.py
		'folder/there.py' inspect there:a -o folder/there.py
		'dump.yaml' inspect dump.yaml -f yaml -o dump.yaml
		standard_input inspect - -f yaml -o dump.yaml
		'a.npy' validate a.npy -o a.npy
		'a.npy' convert a.npy -o a.npy
		'a.npy' convert a.npy --order F -o hard.npy
		'list' inspect --targets-from list -o list
		'suai.yaml' devices -o suai.yaml
		'other.yaml' inspect --config other.yaml m.py:a -o other.yaml
		'baseline.yaml' validate m.py:a --baseline baseline.yaml -o link.yaml
		'link.yaml' validate m.py:a --baseline link.yaml -o baseline.yaml
	END
	suai inspect m.py:a -o out
	suai inspect m.py:a -o out
	[ "$status" -eq 0 ]
}

@test "exceeding a limit on file size is reported as an error, without a signal" {
	cd "$BATS_TEST_TMPDIR"
	printf 'import array\na = array.array("d", [1])\nbig = array.array("d", bytes(8 << 20))\n' > m.py
	run --separate-stderr bash -c "ulimit -S -f 64; '$SUAI' inspect m.py:a" # the hard limit allows more
	[ "$status" -eq 0 ]
	run --separate-stderr bash -c "ulimit -f 64; '$SUAI' inspect m.py:a"
	[ "$status" -eq 4 ]
	[[ "$stderr" == "suai: cannot create "*" bytes of shared memory: File too large; raise the limit on the size of files (ulimit -f)" ]]
	run --separate-stderr bash -c "ulimit -f 1; '$SUAI' rule -f json -o book.json"
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: cannot write "*": File too large" ]]
	run --separate-stderr bash -c "ulimit -f 1; '$SUAI' rule -f json > book.json"
	[ "$status" -eq 2 ]
	run --separate-stderr bash -c "ulimit -f 100000; '$SUAI' convert m.py:big -p buffer -o big.npy; '$SUAI' convert m.py:a -p buffer -o a.npy --verify"
	[ "$status" -eq 0 ]
	run --separate-stderr bash -c "ulimit -S -f 4000; '$SUAI' convert m.py:big -p buffer -o limited.npy"
	[ "$status" -eq 2 ]
	[[ "$stderr$output" == *"File too large"* ]]
	[ ! -e limited.npy ]
}

@test "without -f, the suffix of -o selects the format, if the command has it" {
	cd "$BATS_TEST_TMPDIR"
	printf 'import array\na = array.array("d", [1])\n' > m.py
	mkdir config
	echo 'format: concise' > config/suai.yaml
	local words
	while read -r words; do
		# shellcheck disable=SC2086 # words are words
		suai $words
		[ "$status" -eq 0 ]
		[ -z "$output" ]
	done <<-'END'
		validate m.py:a -o 1.json
		inspect m.py:a -o 2.yml
		validate m.py:a -o 3.sarif
		validate m.py:a -o 4.xml
		rule BUF301 -o 5.json
		validate -f text m.py:a -o 7.json
		validate --config config/suai.yaml m.py:a -o 8.json
		inspect m.py:a -o 9.sarif
		validate m.py:a -o a.txt
	END
	[ "$(jq -r .command 1.json 5.json | tr '\n' ' ')" = 'validate rule ' ]
	[ "$(head -n 2 2.yml | tail -n 1)" = 'command: inspect' ]
	jq -e '.runs[0].tool.driver.name == "suai"' 3.sarif
	[[ "$(head -c 5 4.xml)" == '<?xml' ]]
	[ "$(cat 7.json 8.json a.txt)" = "$(printf 'no findings in 1 target\n%.0s' 1 2 3)" ]
	[ "$(sed -n 1p 9.sarif)" = 'm.py:a  array.array' ]
}
