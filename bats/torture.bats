#!/usr/bin/env bats
# SUAI_FAIL_ALLOC: each allocation of a command in turn fails. suai then says so and ends with 70;
# where it is the worker's, the target crashed of it. Nothing is left behind.

load helpers

setup() {
	DATA="$ROOT/testdata/torture"
	cd "$BATS_TEST_TMPDIR" || return
	mkdir folder
}

# ends_well N ARGUMENT...: whether allocation N failed, and as it should; 1: there are fewer.
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

@test "the judge without memory: 70, and nothing left" {
	torture 1 help validate
	torture 1 rule SUAI101 -o folder/out
	torture 50 docs man
	suai inspect "$DATA/objects.py" -f yaml -o dump.yaml
	torture 23 inspect dump.yaml -o folder/out
	torture 23 validate dump.yaml -f json -o folder/out
}

@test "judge or worker without memory: 70, or a target that crashed of it" {
	torture 3 inspect "$DATA/objects.py" -o folder/out
	torture 3 validate "$DATA/objects.py:thing"
	torture 5 convert "$DATA/objects.py:thing" -o folder/x.npy --verify
	torture 7 convert "$DATA/objects.py:thing" --to dlpack --call builtins:id
	torture 5 devices
}
