#!/usr/bin/env bats
# README.md: its session is what the commands print today, and its test command is what CI runs.

load helpers

# The commands of the session, and for each the lines that README shows below it.
session() {
	sed -n '/^## A session/,/^## In CI/p' "$ROOT/README.md" | sed -n 's/^    //p'
}

# How long an address is decides where a line is broken; each new rule may be one more that is skipped.
in_one_line() {
	normalise | sed 's/AMD EPYC\|Intel.*/CPU/; s/[0-9]* rules skipped/N rules skipped/' | tr -s ' \n' ' '
}

@test "every line of the session in README is printed by its command" {
	requires sycl numpy
	cd "$ROOT"
	local command='' printed='' line n_lines=0
	while IFS= read -r line; do
		case $line in
		'$ export '*) ;;
		'$ '*)
			command=${line#'$ '}
			printed=$(eval "$command" 2>&1 | in_one_line || true) ;;
		...) ;;
		*)
			line=$(printf '%s\n' "$line" | in_one_line)
			[[ "$printed" == *"$line"* ]] || { echo "$command does not print: $line"; return 1; }
			n_lines=$((n_lines + 1)) ;;
		esac
	done < <(session)
	[ "$n_lines" -gt 20 ]
}

@test "CI runs the test command that README names" {
	grep -q '^    make test ' "$ROOT/README.md"
	grep -q '^exec make test$' "$ROOT/.ci/run"
}

@test "README names every package that setup installs" {
	for package in $(sed -n "s/^packages='\(.*\)'/\1/p; s/^test_packages='\(.*\)'/\1/p" "$ROOT/tools/setup"); do
		grep -q -- "$package" "$ROOT/README.md" || [ "$package" = ca-certificates ] || { echo "$package"; return 1; }
	done
}
