#!/usr/bin/env bats
# What a new protocol takes: its files, and one line in the list.

load helpers

DUMMY="$ROOT/testdata/dummy_protocol"

# With the objects that are built here, if they are newer than the sources; what depends on the list is compiled without
# optimization, which takes half of the time.
setup_file() {
	local tree="$BATS_FILE_TMPDIR/tree"
	mkdir -p "$tree/testdata"
	cp -rp "$ROOT/src" "$ROOT/tools" "$ROOT/Makefile" "$tree"
	cp -rp "$ROOT/testdata/rules" "$tree/testdata"
	built_objects | tar -C "$tree" -x
	cp -r "$DUMMY/src" "$tree"
	sed -i "/^#define PROTOCOL_LIST/r $DUMMY/line" "$tree/src/protocols/names.h"
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$tree" CC="$(sed 's/ -std=.*//' "$ROOT/build/flags")" CFLAGS=-O0 -o build/flags \
		DEPS="$ROOT/build/deps" suai _suai.abi3.so suai-bootstrap.py > "$BATS_FILE_TMPDIR/make" 2>&1
}

setup() {
	SUAI="$BATS_FILE_TMPDIR/tree/suai"
	cd "$DUMMY" || exit
}

@test "a dictionary protocol is at most four files and one line" {
	[ "$(find "$DUMMY/src" -type f | wc -l)" -le 4 ]
	[ "$(wc -l < "$DUMMY/line")" -eq 1 ]
}

@test "tools/facts adds a new protocol to the schema" {
	command -v clang-format > /dev/null || skip "no clang-format on this machine"
	local tree="$BATS_FILE_TMPDIR/tree"
	cp -r "$ROOT/schema" "$ROOT/docs" "$ROOT/.clang-format" "$tree"
	run "$tree/tools/facts" --check
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "schema/suai.schema.json differs from the output of tools/facts; run tools/facts" ]
	"$tree/tools/facts"
	[ "$(jq -c '."$defs".protocol.enum' "$tree/schema/suai.schema.json")" \
		= '["dummy","sycl","cuda","dlpack","numpy","numpy-struct","buffer","npy"]' ]
	"$tree/tools/facts" --check
}

@test "inspect reads a new protocol's interface" {
	suai inspect -f json objects.py:good
	[ "$status" -eq 0 ]
	[ "$(jq -c '.targets[0].interfaces[0] | [.protocol, .version, .array.shape, .array.typestr, .array.device.type]' <<< "$output")" \
		= '["dummy",7,[2,3],"<f4","cpu"]' ]
	[ "$(jq -r '.targets[0].interfaces[0].array.memory.readable' <<< "$output")" = true ]
	suai inspect -p dummy --query typestr,protocol objects.py:good
	[ "$output" = $'<f4\ndummy' ]
	suai inspect -p sycl,dummies objects.py:good
	[[ "$stderr" == *"one of: dummy sycl cuda dlpack numpy numpy-struct buffer)"* ]]
}

@test "validate recognizes a new protocol's edition and reads its interface twice, and trials cover it" {
	suai validate -f json --spec dummy=7 --lifetime objects.py:good
	[ "$status" -eq 0 ]
	[ "$(jq -c '.targets[0].interfaces[0].again.differs' <<< "$output")" = '[]' ]
	[ "$(jq -c '[.targets[0].trials[] | [.trial, .protocol, .outcome]]' <<< "$output")" = '[["rounds","dummy","done"],["owner","dummy","done"]]' ]
	suai validate --spec dummy=8 objects.py:good
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"the edition of dummy is 7" ]]
}

@test "convert reads and creates a new protocol's objects, whatever its rank" {
	requires numpy
	suai convert --to numpy --verify --call 'numpy.asarray(_).tolist().__repr__()' objects.py:good
	[ "$status" -eq 0 ]
	suai convert --to dummy --verify --query protocol,typestr -c 'import numpy' 'numpy.arange(6)'
	[ "$status" -eq 0 ]
	[ "$output" = $'dummy\n<i8' ]
	suai convert --to numpy objects.py:bad
	[ "$status" -eq 3 ]
	[[ "$output" == *"typestr must be a str"* || "$output" == *"shape must be a tuple"* ]]
	suai convert --to dummy --interface-version 3 objects.py:good
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"expected 7 for dummy" ]]
	suai convert --to dummy --device cuda:0 objects.py:good
	[[ "$stderr" == *"dummy describes only host memory"* ]]
}

@test "the Python package reads and creates a new protocol's objects" {
	requires numpy
	cp -r "$ROOT/python" "$BATS_FILE_TMPDIR/tree"
	cat > "$BATS_TEST_TMPDIR/script.py" <<-'END'
		import suai, numpy
		made = suai.convert(numpy.arange(6), to="dummy", interface_version=7)
		print(suai.inspect(made, protocols="dummy")["interfaces"][0]["array"]["typestr"])
		try:
		    suai.convert(made, to="dummy", interface_version=8)
		except ValueError as error:
		    print(error)
	END
	PYTHONPATH="$BATS_FILE_TMPDIR/tree/python" run -0 "$TEST_PYTHON" "$BATS_TEST_TMPDIR/script.py"
	[ "$output" = $'<i8\ninterface_version: expected 7 for dummy' ]
}
