#!/usr/bin/env bats
# More than 64 dimensions: pointers, signs and bounds are checked at any ndim.

load helpers

setup() {
	cd "$ROOT" || return 1
}

@test "at any ndim up to 2^31-1 pointers, negative extents, sizes and bounds are checked, within 20 s for all" {
	TIMEFORMAT=%U
	{ time "$SUAI" validate --exit-zero -f json testdata/calls/dimensions.py > "$BATS_TEST_TMPDIR/document"; } 2> "$BATS_TEST_TMPDIR/seconds"
	awk '{ exit !($1 < 20) }' "$BATS_TEST_TMPDIR/seconds" # of the processor, since the machine may be busy
	run "$TEST_PYTHON" - "$BATS_TEST_TMPDIR/document" << 'END'
import json, re, sys
wrong = n = 0
for target in json.load(open(sys.argv[1]))["targets"]:
    name = target["target"].partition(":")[2]
    expected = re.findall("DLP[0-9]+", name)
    found = sorted({f["rule"] for f in target["findings"] if f["severity"] == "error"})
    n += 1
    if target["status"] != "ok" or found != expected:
        wrong += 1
        print(name, target["status"], found, [f["message"] for f in target["findings"]])
print(n, "objects,", wrong, "wrong")
sys.exit(wrong > 0 or n != 15)
END
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a message states the dimension, how many entries can be read, and suai's own limit" {
	messages() {
		"$SUAI" validate -q --exit-zero "testdata/calls/dimensions.py:$1"
	}
	[[ "$(messages DLP305_DLP313_far)" == *"DLP305 shape-extents: shape[999998] is -7"* ]]
	[[ "$(messages DLP105_DLP313_short)" =~ "DLP105 readable-struct: ndim is 2147483647, but dl_tensor.shape has only "[0-9]+" entries in readable memory" ]]
	[[ "$(messages DLP310_DLP313_strides)" == *"strides[66]"* || "$(messages DLP310_DLP313_strides)" == *"strides place elements outside the address space"* ]]
	[[ "$(messages DLP313)" == *"error DLP313 dimension-count: ndim is 65, expected at most 64"* ]]
	suai validate -v testdata/calls/dimensions.py:DLP313_beyond_the_limit
	[[ "$output" == *"skipped DLP305: suai reads at most 1048576 entries of shape and strides, but ndim is 2097152"* ]]
	[[ "$output" == *"skipped DLP306: dl_tensor.ndim is 2097152, but suai reads at most 1048576 entries of shape and strides"* ]]
}

@test "a dump of many dimensions gives the same findings, and inspect, --values and convert refuse them without a crash" {
	for object in just_64 DLP313 DLP313_DLP402 DLP305_DLP313_far DLP105_DLP313_short DLP310_DLP313_all_twos; do
		diff <("$SUAI" validate -q --exit-zero "testdata/calls/dimensions.py:$object" | sed 's/^[^ ]* //; s/only [0-9]* entries/N/') \
			<("$SUAI" inspect -f yaml "testdata/calls/dimensions.py:$object" | "$SUAI" validate -q --exit-zero - | sed 's/^[^ ]* //; s/only [0-9]* entries/N/')
		suai inspect --values "testdata/calls/dimensions.py:$object"
		[ "$status" -eq 0 ]
	done
	suai convert --to numpy testdata/calls/dimensions.py:DLP313
	[ "$status" -ne 0 ]
	[[ "$output$stderr" == *"dl_tensor.ndim is 65, expected 0 to 64"* ]]
}

@test "an array of 64 dimensions, the most that interfaces share, is compared with its other interfaces" {
	"$TEST_PYTHON" - > "$BATS_TEST_TMPDIR/dump.yaml" << 'END'
import json


def target(last):
    tensor = {"data": "0x10000", "device": {"device_type": 1, "device_id": 0}, "ndim": 64, "dtype": {"code": 2, "bits": 32, "lanes": 1},
              "shape": [1] * 63 + [last], "strides": None, "byte_offset": 0}
    declared = {"device": [1, 0], "capsule": {"name": "dltensor", "destructor": None}, "version": None, "flags": None, "manager_ctx": None,
                "deleter": "0x7f0000002000", "dl_tensor": tensor}
    numpy = {"shape": [1] * 63 + [3], "typestr": "<f4", "data": [65536, False], "version": 3, "strides": None}
    return {"target": f"last_{last}", "type": "mylib.Array",
            "interfaces": [{"protocol": "dlpack", "declared": declared}, {"protocol": "numpy", "declared": numpy}]}


print(json.dumps({"targets": [target(3), target(2)]}))
END
	suai validate --exit-zero --static -f json --select NAI901 "$BATS_TEST_TMPDIR/dump.yaml"
	[ "$(jq -c '[.targets[] | [.target, .findings[].rule]]' <<< "$output")" = '[["last_3"],["last_2","NAI901"]]' ]
}
