#!/usr/bin/env bats
# Documents: they conform to the schema, whose every part takes effect, YAML equals JSON, and a dump equals its object.

load helpers

SCHEMA="$ROOT/schema/suai.schema.json"
OBJECTS="$ROOT/testdata/schema/objects.py"

# write FILE.FORMAT ARGUMENT...: writes the document to the file; the exit status is 0, or $exits.
write() {
	local file="$1" status=0
	shift
	"$SUAI" "$@" -f "${file##*.}" > "$file" || status=$?
	printf '$ suai %s\n[exit %s]\n' "$*" "$status"
	[ "$status" -eq "${exits:-0}" ]
}

# both NAME ARGUMENT...: the same document as NAME.yaml and NAME.json.
both() {
	local name="$1"
	shift
	write "$name.yaml" "$@"
	write "$name.json" "$@"
}

setup() {
	requires numpy jsonschema yaml
	cd "$BATS_TEST_TMPDIR"
	exits=2 write dump.yaml inspect "$OBJECTS" "$OBJECTS:buffer_only" "$OBJECTS:nothing" no_such_file.py
}

@test "every command's documents conform to the schema, and no key can be missing, misspelled or of another type" {
	exits=2 both inspect inspect dump.yaml
	exits=2 both validate validate dump.yaml
	both rule rule
	both devices devices
	write data.json inspect --values --stats --checksum "$OBJECTS:floats" "$OBJECTS:scalar"
	write calls.json inspect --max-version 1.3 --copy never --stream none --dl-device cpu "$OBJECTS:floats"
	write convert.json convert "$OBJECTS:reversed_columns" --to dlpack --copy always --verify --timing --call numpy:from_dlpack
	exits=1 write refused.json why "$OBJECTS:reversed_columns" 'memoryview(_).cast("B")'
	write accepted.json why "$OBJECTS:floats" numpy:from_dlpack
	jq -es '[.[].why.cause] == ["strides", null] and (.[0].why.remedies | length > 0)' refused.json accepted.json
	exits=2 write statistics.json validate --statistics dump.yaml
	both untyped inspect "$ROOT/testdata/inspect/untyped.yaml"
	write pending.json inspect --values "$ROOT/testdata/convert/pending.py:neg" "$ROOT/testdata/convert/pending.py:scaled"
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_schema.py" "$SCHEMA" inspect.yaml inspect.json validate.yaml validate.json \
		rule.yaml rule.json devices.yaml devices.json - data.json - calls.json - convert.json - refused.json - accepted.json - statistics.json untyped.yaml untyped.json - pending.json
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "documents of SYCL objects conform to the schema" {
	requires sycl
	write usm.yaml inspect -c 'import dpctl.memory as m; u = m.MemoryUSMShared(96)' u
	both sycl inspect usm.yaml
	write convert.json convert -c 'import dpctl.memory as m; u = m.MemoryUSMDevice(96)' u --to numpy --verify
	jq -es '[.[].targets[].status] == ["ok", "ok"]' sycl.json convert.json
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_schema.py" "$SCHEMA" sycl.yaml sycl.json - convert.json
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a dump contains what its objects reported" {
	exits=2 write again.yaml inspect dump.yaml
	diff dump.yaml again.yaml
	exits=2 write dump.json inspect dump.yaml
	jq -e '[.targets[].status] | contains(["ok", "left", "missing"])' dump.json
}

@test "strings that YAML would read as another type, invalid UTF-8 and non-finite numbers survive" {
	exits=2 write dump.json inspect dump.yaml
	declared=$(jq '.targets[] | select(.target | endswith(":odd")).interfaces[0]' dump.json)
	jq -e '.declared.typestr == "yes" and .declared.data[0] == "18446744073709551616"
		and .declared.strides[0] == "nan" and .declared.strides[3] == "-inf"
		and .declared.descr["a.b"] == "\\udc80\\\\" and .declared.descr[""]["~"] == "0x10"' <<<"$declared"
	jq -e '.types.shape == "list" and (.types["data[1]"] | startswith("numpy.bool")) and .types["strides[0]"] == "float"
		and .types["data[0]"] == "int" and .types.version == "bytes"
		and .types["descr['"'a.b'"']"] == "str"' <<<"$declared"
}

@test "JSON and SARIF are valid UTF-8 where names of files are not, and where messages have lone surrogates" {
	cat > $'lone\xff.py' <<-'END'
	class A:
	    @property
	    def __array_interface__(self):
	        raise ValueError("x\udcff")
	a = A()
	END
	for format in json sarif; do
		suai validate --select NAI002 -f $format $'lone\xff.py'
		[ "$status" -eq 1 ]
		"$TEST_PYTHON" -c 'import json, sys; json.loads(sys.stdin.buffer.read().decode("utf-8"))' <<< "$output"
		grep -qF 'raised ValueError: x\\udcff"' <<< "$output"
	done
}

@test "an invalid dump is refused with the position, and the rest still runs" {
	printf 'targets:\n- target: a\n  interfaces:\n  - {protocol: cuda, declard: {}}\n' > typo.yaml
	printf 'targets:\n- target: a\n- target: a\n  target: b\n' > twice.yaml
	suai inspect typo.yaml twice.yaml "$ROOT/testdata/validate/wrong_kind.yaml" dump.yaml
	[ "$status" -eq 2 ]
	[[ "$output" == *"targets[0]: 'own.scalar': expected true or false, got 7"* ]]
	[[ "$output" == *"targets[0]: 'interfaces[0].declard': unknown key"* ]]
	[[ "$output" == *"line 4, column 3: duplicate key 'target'"* ]]
	[[ "$output" == *"objects.py:floats"* ]]
}

# bats test_tags=judge
@test "an empty document, or one of a later suai, is refused and does not pass" {
	cd "$BATS_TEST_TMPDIR"
	while IFS='|' read -r document wanted; do
		# shellcheck disable=SC2059
		printf "$document" > dump.yaml
		suai validate dump.yaml
		[ "$status" -eq 2 ]
		[[ $output == "dump.yaml: unreadable: 'dump.yaml': $wanted"* ]]
	done <<- 'END'
		suai: 2\ntargets: [{target: a}]\n|expected 'suai: 1', the format version
		targets: []\n|the document has no targets
		targets: [{target: a, interfaces: [{protocol: later}]}]\n|targets[0]: 'interfaces[0].protocol': unknown protocol 'later'
	END
	suai devices -f yaml -o dump.yaml --python /usr/bin/python3
	suai validate dump.yaml
	[ "$status" -eq 2 ]
}

# bats test_tags=judge
@test "a script on standard input is refused with what is expected there" {
	cd "$BATS_TEST_TMPDIR"
	run "$SUAI" validate - < "$ROOT/demo/arrays.py"
	[ "$status" -eq 2 ]
	[[ "$(echo $output)" == "-: unreadable: '-': line "*"; standard input is expected to be the output of 'suai inspect -f yaml', not Python"* ]]
	"$SUAI" inspect -f yaml - <<< '{suai: 1, targets: [{target: a}]}'
	echo '[' > dump.yaml
	run "$SUAI" inspect dump.yaml
	[[ "$output" != *Python* ]]
}

@test "a dump keeps the memory of an interface that cannot be decoded, and gives the same findings as the object" {
	cat > undecodable.py <<-'END'
	import array
	owner = array.array("f", [0] * 6)
	class Array: pass
	a = Array()
	a.__array_interface__ = dict(shape=[2, 3], typestr="<f4", data=(owner.buffer_info()[0], False), version=3)
	END
	both undecodable inspect undecodable.py:a
	jq -e '.targets[0].interfaces[0] | .array == null and .memory.kind == "host" and .memory_reason == null' undecodable.json
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_schema.py" "$SCHEMA" - undecodable.json
	echo "$output"
	[ "$status" -eq 0 ]
	exits=1 write live.json validate undecodable.py:a
	exits=1 write dumped.json validate undecodable.yaml
	diff <(jq '.targets[0] | .findings, .skipped' live.json) <(jq '.targets[0] | .findings, .skipped' dumped.json)
}
