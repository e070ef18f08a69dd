#!/usr/bin/env bats
# .npy files: verdicts equal to those of NumPy's reader, and objects that are never loaded from files.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# npy NAME DESCR [KEYS...]: a file with zeros as elements, whose header is {'descr': DESCR, KEYS}.
npy() {
	"$TEST_PYTHON" - "$@" <<-'END'
		import struct, sys
		name, descr, keys = (*sys.argv[1:], "'fortran_order': False, 'shape': (3,), ")[:3]
		header = f"{{'descr': {descr}, {keys}}}".encode("latin-1")
		with open(name, "wb") as file:
		    file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + bytes(480))
	END
}

@test "suai accepts a .npy file where numpy.load does, and only there" {
	requires python3.11 numpy
	run "$TEST_PYTHON" "$ROOT/testdata/tools/npy_differential.py" "$SUAI" "$ROOT/testdata/npy/exceptions.txt" 1500
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *" deliberate exceptions, 0 disagreements" ]]
}

@test "a file with object fields at any depth is an error, and is never passed to a consumer" {
	requires numpy
	npy flat.npy "[('size', '<i4'), ('owner', '|O')]"
	npy nested.npy "[('size', '<i4'), ('part', [('owners', '|O', (2,))])]"
	npy spelled.npy "[('a', ('object', (2,)))]"
	npy named.npy "[('O', '<i4'), ('object', '<f8')]"
	for name in flat:owner nested:part.owners spelled:a; do
		suai validate "${name%:*}.npy" -f json
		[ "$status" -eq 1 ]
		[ "$(jq -r '.targets[0].findings | map(.rule) | join(" ")' <<<"$output")" = NPY102 ]
		[[ "$output" == *"field '${name#*:}' contains Python objects"* ]]
		for words in '--to numpy --call numpy:array' '--to buffer' '-o x.npy' '-o x.raw'; do
			# shellcheck disable=SC2086 # words are words
			suai convert "${name%:*}.npy" $words
			[ "$status" -eq 3 ]
			[[ "$stderr$output" == *"field '${name#*:}' contains Python objects"* ]]
		done
		suai inspect --values "${name%:*}.npy"
		[ "$status" -eq 3 ]
	done
	suai validate named.npy
	[ "$status" -eq 0 ]
	suai convert named.npy --to numpy --call numpy:array
	[ "$status" -eq 0 ]
}

@test "the fields of a .npy file reach a consumer, however its header spells them" {
	requires numpy
	npy odd.npy "[(('Title', 'a'), 'int16'), ['b\\\\', ('>f4', (2,)), 3], ('', '|V3'), ('it\\'s', 'S', 5)]"
	printf '%s' 'abcdefghijklmnopqrstuvwxyz0123456789' | dd of=odd.npy bs=1 seek=150 conv=notrunc 2>/dev/null
	local same="all(new[name].tobytes() == old[name].tobytes() for name in ('a', 'Title', 'b\\\\', 'it\\'s'))"
	suai convert odd.npy --to numpy --call "(lambda new, old: $same or 1 / 0)(np.asarray(_), np.load('odd.npy'))"
	[ "$status" -eq 0 ]
	suai convert odd.npy --to buffer --call "memoryview(_).itemsize == 34 or 1 / 0"
	[ "$status" -eq 0 ]
	suai convert odd.npy -o even.npy --verify
	[ "$status" -eq 0 ]
	"$TEST_PYTHON" -c "import numpy as np; new, old = np.load('even.npy'), np.load('odd.npy'); assert $same"
}
