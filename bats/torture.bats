#!/usr/bin/env bats
# SUAI_FAIL_ALLOC: each allocation of a command fails in turn. suai then reports it and exits with 70;
# if it is the worker's allocation, the target has crashed. Nothing is left behind.

load helpers

setup() {
	DATA="$ROOT/testdata/torture"
	cd "$BATS_TEST_TMPDIR" || return
	mkdir folder
}

# ends_well N ARGUMENT...: whether allocation N failed with the expected result; 1: there are fewer.
ends_well() {
	local n="$1"
	shift
	suai_status=0
	SUAI_FAIL_ALLOC=$n timeout 20 "$SUAI" "$@" >out 2>err </dev/null || suai_status=$?
	if ! grep -q 'suai: out of memory' err; then
		[ "$suai_status" -eq 0 ] || fails "$n" "is silent"
		return 1
	fi
	case $suai_status in
	70) [ -z "$(ls -A folder)" ] || fails "$n" "left $(ls -A folder)" ;;
	3) grep -q 'crashed at .*out of memory' out folder/* || fails "$n" "exits with 3" ;;
	*) fails "$n" "exits with $suai_status" ;;
	esac
}

fails() {
	echo "allocation $1 $2:" && cat out err
	exit 1
}

# torture STEP ARGUMENT...: every STEP-th allocation, up to the last.
torture() {
	local step="$1" n=1
	shift
	while ends_well "$n" "$@"; do
		n=$((n + step))
		rm -f folder/*
	done
	rm -f folder/*
	echo "$*: $n"
	[ "$n" -gt 1 ]
}

@test "allocation failures in the judge: exit 70, and nothing left behind" {
	torture 1 help validate
	torture 1 rule SUAI101 -o folder/out
	torture 50 docs man
	suai inspect "$DATA/objects.py" -f yaml -o dump.yaml
	torture 23 inspect dump.yaml -o folder/out
	torture 23 validate dump.yaml -f json -o folder/out
}

@test "allocation failures in judge or worker: exit 70, or a crashed target" {
	torture 3 inspect "$DATA/objects.py" -o folder/out
	torture 3 validate "$DATA/objects.py:thing"
	torture 5 convert "$DATA/objects.py:thing" -o folder/x.npy --verify
	torture 7 convert "$DATA/objects.py:thing" --to dlpack --call builtins:id
	torture 5 devices
}

# untimed FILE: without the times of JUnit, which vary.
untimed() {
	sed -E 's/ time="[0-9.]+"//g' "$1"
}

# lacking N ARGUMENT...: allocation N fails, in any component. suai then prints either the complete
# result or an error; 1: there are fewer allocations.
lacking() {
	local n="$1" lacking_status=0
	shift
	rm -f mark
	FAKE_MALLOC_FAIL=$n FAKE_MALLOC_MARK="$PWD/mark" LD_PRELOAD="$PWD/fake_malloc.so" timeout 20 \
		"$SUAI" "$@" >out 2>err </dev/null || lacking_status=$?
	[ -e mark ] || return 1
	case $lacking_status in
	"$whole_status") cmp -s <(untimed whole) <(untimed out) || fails "$n" "drops text and exits with $lacking_status" ;;
	70 | 2) [ -s err ] || grep -q 'allocate memory' out || fails "$n" "is silent" ;;
	*) fails "$n" "exits with $lacking_status" ;;
	esac
}

@test "an allocation failure in a library loses no text of a result" {
	"${CC:-cc}" -shared -fPIC -o fake_malloc.so "$ROOT/testdata/fakes/fake_malloc.c"
	suai inspect "$DATA/objects.py:thing" -f yaml -o dump.yaml
	while read -r step words; do
		whole_status=0
		# shellcheck disable=SC2086 # words are words
		"$SUAI" $words >whole </dev/null || whole_status=$?
		n=1
		# shellcheck disable=SC2086
		while lacking "$n" $words; do
			n=$((n + step))
		done
		echo "$words: $n"
		[ "$n" -gt 100 ]
	done <<-'END'
		3 rule -f json SUAI101
		7 inspect dump.yaml
		5 inspect dump.yaml -f json
		5 inspect dump.yaml -f yaml
		7 validate dump.yaml -f sarif
		7 validate dump.yaml -f tap
		7 validate dump.yaml -f junit
		5 validate --show-settings
	END
}
