#!/usr/bin/env bats
# The legacy and the versioned capsule of __dlpack__: each is checked, and both are compared.

load helpers

setup() {
	cd "$ROOT" || return 1
}

@test "a defect in the legacy or the versioned capsule is found in either, and a defect in both is one finding" {
	"$SUAI" validate --exit-zero -f json testdata/calls/capsules.py > "$BATS_TEST_TMPDIR/document"
	run "$TEST_PYTHON" - "$BATS_TEST_TMPDIR/document" << 'END'
import json, sys
wrong = n = 0
for target in json.load(open(sys.argv[1]))["targets"]:
    name = target["target"].partition(":")[2]
    rule, _, kind = name.partition("_")[0], None, name.rpartition("_")[2]
    errors = [f for f in target["findings"] if f["severity"] == "error"]
    expected = [] if name == "healthy" or (rule, kind) == ("DLP901", "both") else [rule]
    found = [f["rule"] for f in errors]
    message = errors[0]["message"] if errors else ""
    field = errors[0]["field"] or "" if errors else ""
    named = {"legacy": "in the legacy capsule of __dlpack__(): ",
             "versioned": "in the versioned capsule of __dlpack__(max_version=(1, 3)): "}.get(kind)
    is_wrong = target["status"] != "ok" or found != expected
    if errors and rule != "DLP901":
        is_wrong |= message.startswith(named) if kind == "both" and named else not message.startswith(named or "")
        is_wrong |= kind == "both" and "capsule of" in message
        is_wrong |= (kind == "legacy") != field.startswith("other_capsule.")
    if errors and rule == "DLP901":
        is_wrong |= "in the legacy capsule of __dlpack__()" not in message or "in the versioned capsule of" not in message
    n += 1
    if is_wrong:
        wrong += 1
        print(name, found, [f["message"] for f in errors], field)
print(n, "objects,", wrong, "wrong")
sys.exit(wrong > 0 or n != 1 + 3 * 17)
END
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a dump contains both capsules, conforms to the schema, and gives the same findings as the object" {
	requires jsonschema
	for object in healthy DLP105_unmapped_shape_legacy DLP302_no_shape_legacy DLP307_too_long_legacy DLP901_type_legacy DLP501_device_legacy; do
		"$SUAI" inspect -f yaml -o "$BATS_TEST_TMPDIR/dump.yaml" "testdata/calls/capsules.py:$object"
		"$SUAI" inspect -f json -o "$BATS_TEST_TMPDIR/dump.json" "testdata/calls/capsules.py:$object"
		"$TEST_PYTHON" -m jsonschema -i "$BATS_TEST_TMPDIR/dump.json" schema/suai.schema.json
		diff <("$SUAI" validate -q --exit-zero "testdata/calls/capsules.py:$object" | sed 's/^[^ ]* //; s/0x[0-9a-f]*/0x/g; s/[0-9]* bytes/N bytes/g') \
			<("$SUAI" validate -q --exit-zero "$BATS_TEST_TMPDIR/dump.yaml" | sed 's/^[^ ]* //; s/0x[0-9a-f]*/0x/g; s/[0-9]* bytes/N bytes/g')
	done
}

@test "a versioned struct in a capsule named 'dltensor' is one error, in a dump too, and its own deleter releases it" {
	code='import sys; sys.path.insert(0, "testdata/calls"); from capsules import *
class Misnamed(Matrix):
    def wrap(self, address, name):
        return super().wrap(address, b"dltensor")
a = Misnamed(kinds=(True,))'
	suai validate --lifetime -f json -c "$code" a
	jq -e '.targets[0] | .status == "ok" and [.findings[] | select(.severity == "error").rule] == ["DLP105"]' <<< "$output"
	jq -e '.targets[0].findings[] | select(.rule == "DLP105") | (.message | contains("the struct is a DLManagedTensorVersioned"))
		and .hint == "name the capsule '"'dltensor_versioned'"'"' <<< "$output"
	"$SUAI" inspect -f yaml -o "$BATS_TEST_TMPDIR/dump.yaml" -c "$code" a
	suai validate -f json "$BATS_TEST_TMPDIR/dump.yaml"
	jq -e '[.targets[0].findings[] | select(.severity == "error").rule] == ["DLP105"]' <<< "$output"
}

@test "a legacy struct in a capsule named 'dltensor_versioned' is one error, and its own deleter releases it" {
	suai validate --lifetime -f json -c 'import sys; sys.path.insert(0, "testdata/calls"); from capsules import *
class Misnamed(Matrix):
    def wrap(self, address, name):
        return super().wrap(address, b"dltensor_versioned")
a = Misnamed()' a
	jq -e '.targets[0] | .status == "ok" and [.findings[] | select(.severity == "error").rule] == ["DLP105"]' <<< "$output"
	jq -e '.targets[0].findings[] | select(.rule == "DLP105") | (.message | contains("the struct is a DLManagedTensor,"))
		and .hint == "name the capsule '"'dltensor'"'"' <<< "$output"
}

@test "an element type that changes from export to export is one error" {
	suai validate -f json -c 'import sys; sys.path.insert(0, "testdata/calls"); from capsules import *
codes = iter([0, 2] * 100)
a = Matrix(lambda tensor: setattr(tensor, "code", next(codes)), (True, False))' a
	jq -e '[.targets[0].findings[] | select(.severity == "error").rule] == ["DLP008"]' <<< "$output"
}

@test "a deleter that is not code is one error, and is not called" {
	for address in 1 'id(object)'; do
		suai validate --lifetime -f json -c "import sys; sys.path.insert(0, 'testdata/calls'); from capsules import *
a = Matrix()
a.deleter = ctypes.c_void_p($address)" a
		jq -e '.targets[0] | .status == "ok" and [.findings[] | select(.severity != "note").rule] == ["DLP105"]' <<< "$output"
		jq -e '.targets[0].findings[] | select(.rule == "DLP105") | .field == "deleter"
			and (.message | test("^deleter is invalid: memory at 0x[0-9a-f]+ is not executable"))' <<< "$output"
	done
}

@test "another interface that agrees with one capsule identifies the wrong one, in one finding" {
	code='import sys; sys.path.insert(0, "testdata/calls"); from capsules import *
class Beside(Matrix):
    @property
    def __array_interface__(self):
        return {"version": 3, "typestr": "<f8", "shape": (2, 3), "data": (ctypes.addressof(self.memory), False)}
legacy, versioned = Beside(swaps, (False,)), Beside(swaps, (True,))'
	suai validate -f json -c "$code" legacy versioned
	[ "$status" -eq 1 ]
	jq -e '[.targets[] | [.findings[] | select(.severity == "error").rule]] == [["DLP901"], ["NAI901"]]' <<< "$output"
}

@test "copying read-only arrays for a legacy capsule, or flagging copies, is correct" {
	code='import sys; sys.path.insert(0, "testdata/calls"); from capsules import *
class Copies(Matrix):
    def __dlpack__(self, **keywords):
        if not self.asks_version(keywords.get("max_version")):
            self.copy = type(self.memory)(*self.memory)
            return self.export(self.copy, self.device, False, 0)
        return super().__dlpack__(**keywords)
class ReadOnly(Copies):
    own_flags = 1
class Flags(Matrix):
    def __dlpack__(self, *, max_version=None, **keywords):
        return super().__dlpack__(max_version=max_version, copy=True)'
	suai validate -f json -c "$code" 'ReadOnly()' 'Flags()' 'Copies()'
	jq -e '[.targets[] | [.findings[] | select(.severity == "error").rule]] == [[], [], ["DLP901"]]' <<< "$output"
}
