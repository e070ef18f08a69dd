#!/usr/bin/env bats
# Memory on a real GPU: each field of `memory` compared with what another program gets from the driver,
# and exporters with known defects, each found.

load helpers

# check_field FIELD: for memory of every kind.
check_field() {
	requires cuda
	if [ ! -e "$BATS_FILE_TMPDIR/document" ]; then
		"$SUAI" inspect -f json "$ROOT/testdata/cuda/kinds.py" > "$BATS_FILE_TMPDIR/document" 2> "$BATS_FILE_TMPDIR/expected" ||
			{ rm "$BATS_FILE_TMPDIR/document"; tail -n 20 "$BATS_FILE_TMPDIR/expected"; return 1; }
	fi
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_cuda_kinds.py" "$1" "$BATS_FILE_TMPDIR/document" "$BATS_FILE_TMPDIR/expected"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "memory.kind: device, managed, pinned, registered; also of pools, mappings and other processes" { check_field kind; }
@test "memory.origin: the driver function that allocated the memory" { check_field origin; }
@test "memory.base" { check_field base; }
@test "memory.size" { check_field size; }
@test "memory.device_pointer" { check_field device_pointer; }
@test "memory.host_accessible" { check_field host_accessible; }
@test "memory.managed" { check_field managed; }
@test "memory.readable and memory.writable: access of a mapping, and of memory shared with the host" { check_field access; }
@test "memory.context" { check_field context; }
@test "memory.device" { check_field device; }

@test "an interior pointer is inside, and adjacent mappings count as one" {
	requires cuda
	suai inspect -p cuda -f json "$ROOT/testdata/cuda/kinds.py"
	[ "$status" -eq 0 ]
	"$TEST_PYTHON" - "$output" <<-'END'
		import json, sys
		for target in json.loads(sys.argv[1])["targets"]:
		    memory = target["interfaces"][0]["array"]["memory"]
		    assert memory["low_inside"] and memory["high_inside"], (target["target"], memory)
	END
}

@test "each false declaration is found, and correct ones are not accused" {
	requires cuda
	"$SUAI" validate -f json --exit-zero "$ROOT/testdata/cuda/lies.py" > "$BATS_TEST_TMPDIR/document"
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_cuda_lies.py" "$BATS_TEST_TMPDIR/document"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "false declarations crash no worker, embedded or executed" {
	requires cuda
	for host in auto exec; do
		suai inspect --host $host -f json "$ROOT/testdata/cuda/lies.py"
		[ "$status" -eq 0 ]
		[[ "$output" != *'"status": "crashed"'* ]]
	done
}

@test "devices are those of the driver, also under CUDA_VISIBLE_DEVICES" {
	requires cuda
	suai devices -f json
	"$TEST_PYTHON" - "$output" "$ROOT/testdata/cuda" <<-'END'
		import json, sys
		sys.path.insert(0, sys.argv[2])
		import driver
		found = [d for d in json.loads(sys.argv[1])["devices"] if d["runtime"] == "cuda"]
		assert [(d["device"]["type"], d["device"]["id"], d["name"]) for d in found] == [
		    ("cuda", i, driver.device_name(i)) for i in range(driver.n_devices)], found
		assert found[0]["cores"] == driver.device_attribute(16), found
		assert found[0]["backend"] == f"sm_{driver.device_attribute(75)}{driver.device_attribute(76)}", found
	END
	CUDA_VISIBLE_DEVICES='' suai devices
	[ "$status" -eq 0 ]
	[[ "$output" == *"cuda: unavailable (cuInit: CUDA_ERROR_NO_DEVICE)"* ]]
	CUDA_VISIBLE_DEVICES=0 suai inspect -p cuda -f json "$ROOT/testdata/cuda/kinds.py:device"
	[ "$status" -eq 0 ]
	[[ "$output" == *'"kind": "device"'* ]]
}

@test "memory of a context other than the primary one is identified by it, and read" {
	requires cuda
	code="import sys, ctypes, struct
sys.path.insert(0, '$ROOT/testdata/cuda')
import driver
from arrays import Cai
other = ctypes.c_void_p()
try:
    driver.call('cuCtxCreate_v2', ctypes.byref(other), 0, 0)
except AttributeError:
    driver.call('cuCtxCreate_v4', ctypes.byref(other), None, 0, 0)
a = Cai(driver.allocate_device(16), shape=(4,))
driver.fill(a.interface['data'][0], struct.pack('<4f', 1, 2, 3, 4))
driver.make_current(driver.primary())
print('context', hex(other.value))"
	suai inspect --values -f json -c "$code" a
	[ "$status" -eq 0 ]
	[[ "$stderr" =~ context\ (0x[0-9a-f]+) ]]
	[[ "$output" == *"\"context\": \"${BASH_REMATCH[1]}\""* && "$output" == *'"values": [1.0, 2.0, 3.0, 4.0]'* ]]
}

@test "two GPUs: ordinals, and an array that its current device cannot access" {
	requires cuda cuda2
	code="import sys
sys.path.insert(0, '$ROOT/testdata/cuda')
import driver
from arrays import Cai, Dlpack
driver.make_current(driver.primary(1))
p = driver.allocate_device(1000)
driver.make_current(driver.primary(0))
a, b, c = Cai(p), Dlpack(p, (2, 1)), Dlpack(p, (2, 0))"
	suai inspect -f json -c "$code" a b
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.targets[].interfaces[0].array.memory.device.id]' <<<"$output")" = '[1,1]' ]
	suai validate -q --select CAI502,DLP503 -c "$code" a b c
	[[ "$output" == *"a: warning CAI502"* && "$output" == *"c: error DLP503"* && "$output" != *"b: error"* ]]
}

@test "two GPUs: CUDA_VISIBLE_DEVICES=1 makes the second one device 0, and there is no device 1" {
	requires cuda cuda2
	export CUDA_VISIBLE_DEVICES=1
	code="import sys
sys.path.insert(0, '$ROOT/testdata/cuda')
import driver
from arrays import Cai, Dlpack
p = driver.allocate_device(1000)
a, b, c = Cai(p), Dlpack(p, (2, 0)), Dlpack(p, (2, 1))"
	suai devices -f json
	[ "$(jq -c '[.devices[] | select(.runtime == "cuda") | .device.id]' <<<"$output")" = '[0]' ]
	suai inspect -f json -c "$code" a b
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.targets[].interfaces[0].array.memory.device.id]' <<<"$output")" = '[0,0]' ]
	suai validate -q --select CAI502,DLP503 -c "$code" a b c
	[ "$status" -eq 1 ]
	[[ "$output" == *"c: error DLP503"* && "$output" != *" a: "* && "$output" != *" b: "* ]]
	suai convert --to cuda --copy always --engine kernel --verify -c "$code" a
	[ "$status" -eq 0 ]
	[[ "$stderr$output" == *"all elements are equal"* ]]
}

@test "two GPUs: CAI502 reports what a kernel experiences, with and without peer access" {
	requires cuda cuda2
	local kind enabled kernel n_faults=0
	for kind in device pool mapped managed pinned; do
		for enabled in '' 1; do
			export PEERS_KIND=$kind
			unset PEERS_ENABLED
			[ -z "$enabled" ] || export PEERS_ENABLED=1
			kernel=$("$TEST_PYTHON" "$ROOT/testdata/cuda/peers.py")
			suai validate -q --select CAI502 "$ROOT/testdata/cuda/peers.py:memory"
			[ "$status" -eq 0 ]
			case $kernel in
			fine) [ -z "$output" ] ;;
			CUDA_ERROR_ILLEGAL_ADDRESS)
				[[ "$output" == *"memory: warning CAI502"* ]]
				n_faults=$((n_faults + 1)) ;;
			*) echo "$kind $enabled: $kernel"; false ;;
			esac
		done
	done
	[ "$n_faults" -ge 3 ]
}
