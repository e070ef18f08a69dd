#!/usr/bin/env bats
# __sycl_usm_array_interface__: on real USM memory, wrong in every way, and with a fake library.

load helpers

# query EXPRESSION: evaluates jq over the only document in output.
query() {
	jq -e -r "$1" <<<"$output"
}

# syclobj NAME KEY: of the target NAME of the document in output.
syclobj() {
	jq -r --arg name "$1" ".targets[] | select(.target | endswith(\":\" + \$name))
		| .interfaces[] | select(.protocol == \"sycl\") | .details.syclobj.$2" <<<"$output"
}

memory() {
	jq -r --arg name "$1" ".targets[] | select(.target | endswith(\":\" + \$name))
		| .interfaces[] | select(.protocol == \"sycl\") | .array.memory.$2" <<<"$output"
}

reason() {
	jq -r --arg name "$1" '.targets[] | select(.target | endswith(":" + $name))
		| .interfaces[] | select(.protocol == "sycl") | .memory_reason' <<<"$output"
}

# The fake dpctl, importable from BATS_FILE_TMPDIR; arguments go to the compiler.
make_fake() {
	FAKE="$BATS_FILE_TMPDIR/fake$*"
	export PYTHONPATH="$FAKE"
	[ ! -e "$FAKE" ] || return 0
	mkdir -p "$FAKE"
	cp -r "$ROOT/testdata/fakes/fake_dpctl" "$FAKE/dpctl"
	"${CC:-gcc}" -D_GNU_SOURCE "$@" -fPIC -shared -o "$FAKE/dpctl/libDPCTLSyclInterface.so" \
		"$ROOT/testdata/fakes/fake_sycl_interface.c"
}

@test "the six forms of syclobj over device, shared and host USM, and dpnp's views" {
	requires sycl
	suai inspect -p sycl -f json "$ROOT/testdata/inspect/sycl_forms.py"
	[ "$status" -eq 0 ]
	printf '%s' "$output" > "$BATS_TEST_TMPDIR/document"
	printf '%s\n' "$stderr" > "$BATS_TEST_TMPDIR/expected"
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_sycl_forms.py" \
		"$BATS_TEST_TMPDIR/document" "$BATS_TEST_TMPDIR/expected"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "no invalid syclobj, pointer or extent crashes the worker" {
	requires sycl
	suai inspect -p sycl -f json "$ROOT/testdata/inspect/sycl_wrong.py"
	[ "$status" -eq 0 ]
	query '[.targets[] | select(.status != "ok")] | length == 0'
	query '.targets | length > 25'
}

@test "invalid forms are distinguished from valid ones" {
	requires sycl
	suai inspect -p sycl -f json "$ROOT/testdata/inspect/sycl_wrong.py"
	[ "$(syclobj filter_of_nothing selects)" = false ]
	[ "$(syclobj filter_of_no_grammar selects)" = false ]
	[ "$(syclobj filter_empty selects)" = false ]
	[ "$(syclobj filter_with_zero form)" = filter ]
	[ "$(syclobj capsule_of_other_name form)" = null ]
	[ "$(syclobj capsule_of_other_name capsule)" = SyclPlatformRef ]
	[ "$(syclobj capsule_without_name capsule)" = null ]
	[ "$(syclobj capsule_used capsule)" = used_SyclQueueRef ]
	[ "$(syclobj capsule_used form)" = null ]
	[[ "$(syclobj capsule_of_nothing resolve_error)" == *"holds 0x1, which is not mapped" ]]
	[ "$(syclobj get_capsule_raises form)" = get-capsule ]
	[ "$(syclobj get_capsule_raises error.message)" = "no capsule today" ]
	[ "$(syclobj get_capsule_gives_rubbish returned)" = int ]
	[ "$(syclobj get_capsule_gives_other_name capsule)" = SyclPlatformRef ]
	[ "$(syclobj get_capsule_is_no_function error.type)" = TypeError ]
	[ "$(syclobj get_capsule_wants_argument error.type)" = TypeError ]
	[ "$(syclobj look_alike form)" = null ]
	[ "$(syclobj look_alike has_get_capsule)" = false ]
	[ "$(syclobj hostile error.type)" = RuntimeError ]
	[ "$(syclobj subclass form)" = queue ]
	[ "$(syclobj subclass subclass)" = true ]
	[ "$(syclobj syclobj_none type)" = NoneType ]
	[ "$(syclobj syclobj_integer form)" = null ]
}

@test "pointers that are not USM of the context have kind unknown, and the maps describe the address" {
	requires sycl
	suai inspect -p sycl -f json "$ROOT/testdata/inspect/sycl_wrong.py"
	for name in host_memory freed_memory null_pointer small_pointer largest_pointer; do
		[ "$(memory "$name" kind)" = unknown ] || [ "$(memory "$name" kind)" = null ]
	done
	[ "$(memory host_memory mapping)" != null ]
	if [ -n "$(syclobj foreign_context form)" ]; then
		[ "$(memory foreign_context kind)" = unknown ]
		[ "$(memory foreign_queue kind)" = unknown ]
		[ "$(memory foreign_pointer kind)" = unknown ]
		[ "$(syclobj foreign_queue root_device)" = false ]
		[ "$(syclobj foreign_queue default_context)" = false ]
	fi
}

@test "an extent that exceeds its allocation is found at the end where it does" {
	requires sycl
	suai inspect -p sycl -f json "$ROOT/testdata/inspect/sycl_wrong.py"
	[ "$(memory too_long high_inside)" = false ]
	[ "$(memory too_long low_inside)" = true ]
	[ "$(memory far_too_long high_inside)" = false ]
	[ "$(memory too_low low_inside)" = false ]
	[ "$(memory too_low high_inside)" = true ]
	[ "$(memory interior high_inside)" = true ]
	[ "$(memory interior size)" = 96 ]
}

@test "a bare capsule is not consumed" {
	requires sycl
	suai inspect -p sycl -f json -c '
import atexit, dpctl, dpctl.memory
q = dpctl.SyclQueue("cpu")
c = q._get_capsule()
m = dpctl.memory.MemoryUSMShared(8, queue=q)
class A:
    __sycl_usm_array_interface__ = {"version": 1, "shape": (8,), "typestr": "|u1",
        "data": (m._pointer, False), "syclobj": c}
a = A()
atexit.register(lambda: print("still", dpctl.SyclQueue(c) == q))' a
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"still True"* ]]
	query '.targets[0].interfaces[0].details.syclobj.form == "queue-capsule"'
}

@test "without dpctl the dictionary is read and the memory is not queried" {
	suai inspect --python /usr/bin/python3 -p sycl -f json -c '
class A:
    __sycl_usm_array_interface__ = {"version": 1, "shape": (2,), "typestr": "|u1",
        "data": (4096, False), "syclobj": "opencl:cpu:0"}
a = A()' a
	[ "$status" -eq 0 ]
	query '.targets[0].interfaces[0] | .array.shape == [2] and .array.memory == null'
	[ "$(reason '')" = "dpctl is not installed in this interpreter" ] ||
		query '.targets[0].interfaces[0].memory_reason == "dpctl is not installed in this interpreter"'
	query '.targets[0].interfaces[0].details.syclobj | .form == "filter" and .selects == null'
}

@test "fake: without OpenCL underneath, both ends are queried" {
	make_fake
	suai inspect -p sycl -f json -c 'import dpctl
good, long = dpctl.FakeArray(6), dpctl.FakeArray(6, extra=1)' good long
	[ "$status" -eq 0 ]
	query '[.targets[].interfaces[0].array.memory | .how, .size, .low_inside, .high_inside]
		== ["ends", null, true, true, "ends", null, true, false]'
	query '.targets[0].interfaces[0].array.memory.device.name == "fake SYCL device"'
}

@test "fake: the device of an unknown pointer is never queried" {
	make_fake
	suai inspect -p sycl -f json -c 'import dpctl
a = dpctl.FakeArray(6, syclobj=dpctl.SyclContext(7))' a
	[ "$status" -eq 0 ]
	query '.targets[0] | .status == "ok" and .interfaces[0].array.memory.kind == "unknown"'
}

@test "fake: GPU memory is not host-accessible, and is not accessed" {
	make_fake
	FAKE_SYCL_GPU=1 suai inspect -p sycl -f json -c 'import dpctl
a, b = dpctl.FakeArray(6), dpctl.FakeArray(6, "shared")' a b
	[ "$status" -eq 0 ]
	query '[.targets[].interfaces[0].array.memory | .kind, .host_accessible]
		== ["usm-device", false, "usm-shared", true]'
}

@test "fake: a function that returns NULL is reported as a reason, not a crash" {
	make_fake
	for function in Queue_Copy Queue_GetContext Queue_GetDevice; do
		FAKE_SYCL_NULL=$function suai inspect -p sycl -f json -c 'import dpctl
a = dpctl.FakeArray(6)' a
		[ "$status" -eq 0 ]
		query '.targets[0].interfaces[0] | .array.memory == null and .details.syclobj.resolved == false'
		[[ "$(query '.targets[0].interfaces[0].memory_reason')" == *DPCTL${function%%_Get*}* ]]
	done
	for function in USM_GetPointerDevice Device_GetPlatform Platform_GetDefaultContext Device_GetName; do
		FAKE_SYCL_NULL=$function suai inspect -p sycl -f json -c 'import dpctl
a = dpctl.FakeArray(6)' a
		[ "$status" -eq 0 ]
		query '.targets[0] | .status == "ok" and .interfaces[0].array.memory.kind == "usm-device"'
	done
}

@test "fake: a library that lacks a function is named with the function" {
	make_fake -DFAKE_SYCL_OLD
	suai inspect -p sycl -f json -c 'import dpctl
a = dpctl.FakeArray(6)' a
	[ "$status" -eq 0 ]
	[[ "$(query '.targets[0].interfaces[0].memory_reason')" == *"libDPCTLSyclInterface.so"*DPCTLUSM_GetPointerType* ]]
}

@test "fake: a dpctl that raises on import is reported as a reason" {
	make_fake
	FAKE_DPCTL_IMPORT=raise suai inspect -p sycl -f json -c '
class A:
    __sycl_usm_array_interface__ = {"version": 1, "shape": (2,), "typestr": "|u1",
        "data": (4096, False), "syclobj": "cpu"}
a = A()' a
	[ "$status" -eq 0 ]
	[[ "$(query '.targets[0].interfaces[0].memory_reason')" == *"importing dpctl raised OSError: fake dpctl: scripted failure"* ]]
}

@test "an invalid capsule, and a _get_capsule() that crashes, cost only their step" {
	requires sycl
	for host in exec auto; do
		suai inspect --host $host -f json "$ROOT/testdata/hostile/sycl_rubbish_capsule.py"
		[ "$status" -eq 3 ]
		query '[.targets[] | .status, .step]
			== ["crashed", "memory of sycl", "crashed", "_get_capsule()", "ok", null]'
		query '.targets[0].interfaces[0].details.syclobj | .form == "queue-capsule" and .capsule == "SyclQueueRef"'
		query '.targets[1].interfaces[0] | .details.syclobj.form == "get-capsule" and .array.shape == [4]'
	done
}

@test "querying extents leaves the reference count of the OpenCL context unchanged" {
	requires sycl
	suai inspect -p sycl -f json "$ROOT/testdata/inspect/sycl_references.py"
	[ "$status" -eq 0 ]
	query '[.targets[].interfaces[0].array.memory.how] | length == 500 and unique == ["exact"]'
	[[ "$stderr" =~ references\ ([0-9]+)\ ([0-9]+) ]]
	[ "${BASH_REMATCH[1]}" -eq "${BASH_REMATCH[2]}" ]
}

@test "dpctl is imported only when an object claims the interface" {
	requires sycl
	code='import atexit, sys
class A:
    __sycl_usm_array_interface__ = {"version": 1, "shape": (1,), "typestr": "|u1",
        "data": (4096, False), "syclobj": "cpu"}
a, b = A(), memoryview(b"abc")
atexit.register(lambda: print("imported", "dpctl" in sys.modules, file=sys.stderr))'
	suai inspect -f json -c "$code" b
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"imported False"* ]]
	suai inspect -f json -c "$code" a
	[[ "$stderr" == *"imported True"* ]]
	query '.targets[0].interfaces[0] | .details.syclobj.selects and .array.memory.kind == "unknown"'
	suai validate --static -f json -c "$code" a
	[[ "$stderr" == *"imported False"* ]]
}

@test "suai waits for a busy queue without the GIL, which the queue's host task needs" {
	requires sycl numpy
	suai convert "$ROOT/testdata/inspect/sycl_busy.py:busy" --timeout 20 -o "$BATS_TEST_TMPDIR/busy.npy"
	[ "$status" -eq 0 ]
	"$TEST_PYTHON" -c 'import numpy, sys
a = numpy.load(sys.argv[1])
assert a.shape == (64 << 20,) and (a == 7).all()' "$BATS_TEST_TMPDIR/busy.npy"
}

@test "fake: GPU memory is converted by the queue's memcpy, from each form of syclobj" {
	requires numpy
	make_fake
	for syclobj in None 'dpctl.SyclContext()' 'dpctl.SyclQueue()._get_capsule()' '"gpu"'; do
		FAKE_SYCL_GPU=1 suai convert -o "$BATS_TEST_TMPDIR/gpu.npy" -c "import dpctl
a = dpctl.FakeArray(6, syclobj=$syclobj)" a
		[ "$status" -eq 0 ]
		[ "$("$TEST_PYTHON" -c 'import numpy, sys
print(numpy.load(sys.argv[1]).tolist())' "$BATS_TEST_TMPDIR/gpu.npy")" = '[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]' ]
		rm "$BATS_TEST_TMPDIR/gpu.npy"
	done
}

@test "fake: a refused memcpy, and a queue that cannot be created, are errors without a file" {
	make_fake
	FAKE_SYCL_GPU=1 FAKE_SYCL_NULL=Event suai convert -o "$BATS_TEST_TMPDIR/none.npy" -c 'import dpctl
a = dpctl.FakeArray(6)' a
	[ "$status" -eq 3 ]
	[[ "$output$stderr" == *DPCTLQueue_Memcpy* ]]
	FAKE_SYCL_GPU=1 FAKE_SYCL_NULL=Queue_Create suai convert -o "$BATS_TEST_TMPDIR/none.npy" -c 'import dpctl
a = dpctl.FakeArray(6, syclobj=dpctl.SyclContext())' a
	[ "$status" -eq 4 ]
	[[ "$output$stderr" == *DPCTLQueue_Create* ]]
	[ ! -e "$BATS_TEST_TMPDIR/none.npy" ]
}

@test "trials that read elements outside of the allocation or freed memory add no finding to that of the layout" {
	requires sycl
	code='import dpctl, dpctl.memory
queue = dpctl.SyclQueue("cpu")
def usm(n_bytes, held=True, **more):
    memory = dpctl.memory.MemoryUSMShared(n_bytes, queue=queue)
    interface = {"shape": (3, 4), "typestr": "<f4", "data": (memory._pointer, False), "version": 1, "syclobj": queue, **more}
    return type("Array", (), {"memory": memory if held else None, "__sycl_usm_array_interface__": interface})()'
	suai validate --live --lifetime --exit-zero -f json -c "$code" 'usm(48, strides=(16, 4))' 'usm(1 << 20, strides=(-4, 1))' 'usm(1 << 20, False)'
	[ "$(jq -c '[.targets[].findings[] | select(.severity != "note") | .rule]' <<< "$output")" = '["SUAI303","SUAI305","SUAI402"]' ]
}
