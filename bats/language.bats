#!/usr/bin/env bats
# The wording of user-visible text: tools/language finds what testdata/language/patterns.txt lists.

load helpers

@test "no user-visible text uses wording that patterns.txt replaces" {
	run "$ROOT/tools/language"
	echo "$output"
	[ "$status" -eq 0 ]
}

# found NAME [OPTION]: the lines and the wording that tools/language reports for a file of testdata/language/samples.
found() {
	"$BATS_TEST_TMPDIR/tools/language" "${@:2}" "$BATS_TEST_TMPDIR/testdata/language/samples/$1" 2>/dev/null |
		cut -d: -f 2,3 | tr '\n' ' '
}

# bats test_tags=judge
@test "wording is found in strings, docstrings, descriptions, test titles and prose, but not in code" {
	cd "$BATS_TEST_TMPDIR"
	mkdir tools testdata
	cp "$ROOT/tools/language" tools
	cp -r "$ROOT/testdata/language" testdata
	[ "$(found sample.c)" = "5: 'folder' " ]
	[ "$(found sample.c --comments)" = "2: 'folder' 5: 'folder' " ]
	[ "$(found sample.py)" = "1: 'folder' 2: 'folder' " ]
	[ "$(found sample.json)" = "2: 'folder' " ]
	[ "$(found sample.bats)" = "1: 'folder' 3: 'folder' " ]
	[ "$(found sample.md)" = "1: 'is none' " ]
	printf '%s\t%s\t%s\n' '*.json' 'is a' 'test' >> testdata/language/allow.txt
	[ "$(found sample.json)" = "" ]
}
