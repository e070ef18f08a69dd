#!/usr/bin/env bats
# The documents for contributors: what they name exists, and nothing is missing from them.

load helpers

DOCUMENTS='CONTRIBUTING.md ARCHITECTURE.md SECURITY.md CHANGELOG.md README.md docs/facts.md docs/glossary.md docs/rules.md'

# Paths of the repository that a document names in backquotes or links to; a placeholder <x> or /XX matches any name.
paths_in() {
	{
		grep -oE '`[A-Za-z0-9_./<>*-]+`' "$ROOT/$1" | tr -d '`'
		grep -oE '\]\([A-Za-z0-9_./-]+\)' "$ROOT/$1" | sed 's/^](//; s/)$//'
	} | grep -E '^(src|bats|docs|testdata|tools|man|completions|schema|deps|demo|\.ci|\.github)/|^[A-Z]+\.md$|^LICENSE$|^Makefile$' |
		sed -E 's/<[^>]*>/*/g; /\//s/\b[A-Z]{2,}\b/*/g' | sort -u
}

# bats test_tags=judge
@test "every path in a document exists" {
	cd "$ROOT"
	local document path n_paths=0
	for document in $DOCUMENTS; do
		[ -f "$document" ] || { echo "$document is missing"; return 1; }
		for path in $(set -f; paths_in "$document"); do
			compgen -G "$path" > /dev/null || { echo "$document: $path does not exist"; return 1; }
			n_paths=$((n_paths + 1))
		done
	done
	[ "$n_paths" -gt 60 ]
}

# bats test_tags=judge
@test "a path that does not exist is found" {
	[ "$(ROOT=$BATS_TEST_TMPDIR; echo 'see `src/no/<x>_file.c` and [b](docs/b.md)' > "$ROOT/a.md"; paths_in a.md | tr '\n' ' ')" = \
		'docs/b.md src/no/*_file.c ' ]
}

# bats test_tags=judge
@test "the sources refer to no document that does not exist" {
	cd "$ROOT"
	local name missing=''
	for name in $(grep -rhoE '\b(docs|testdata|tools|schema|bats)/[a-z0-9_/-]+\.(md|py|c|bats|json|txt)\b|\b[A-Z]{4,}\.md\b' src tools bats/*.bash Makefile |
		sort -u); do
		[ -e "$name" ] || missing="$missing $name"
	done
	[ -z "$missing" ] || { echo "do not exist:$missing"; return 1; }
}

# bats test_tags=judge
@test "every make target in CONTRIBUTING exists" {
	for target in $(grep -oE 'make [a-z][a-z-]+' "$ROOT/CONTRIBUTING.md" | cut -d ' ' -f 2 | sort -u); do
		grep -qE "^$target:" "$ROOT/Makefile" || { echo "make $target"; return 1; }
	done
}

# bats test_tags=judge
@test "ARCHITECTURE lists every layer, every directory of the worker, and every file that forks" {
	rows() { # HEADING: the names in the first column of a table
		sed -n "/^| $1 /,/^\$/s/^| \`\([a-z]*\)\`.*/\1/p" "$ROOT/ARCHITECTURE.md" | sort
	}
	directories() {
		find "$ROOT/$1" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort
	}
	diff <(rows layer) <(directories src)
	diff <(rows directory) <(directories src/worker)
	for file in $(cd "$ROOT" && grep -rlE '= v?fork\(\)' src --include=*.c | grep -v _test.c); do
		grep -q "^| \`$file\`" "$ROOT/ARCHITECTURE.md" || { echo "$file forks"; return 1; }
	done
}

# bats test_tags=judge
@test "CODEOWNERS and .editorconfig refer to existing paths" {
	cd "$ROOT"
	for path in $(set -f; sed -n 's#^/\([^ ]*\) .*#\1#p' .github/CODEOWNERS); do
		[ -e "$path" ] || { echo "$path"; return 1; }
	done
	grep -q '^root = true$' .editorconfig
}

# bats test_tags=judge
@test "the license is the one that each source file declares" {
	head -n 1 "$ROOT/LICENSE" | grep -qx 'MIT License'
	[ -z "$(cd "$ROOT" && grep -rL 'SPDX-License-Identifier: MIT' src --include=*.[ch])" ]
}
