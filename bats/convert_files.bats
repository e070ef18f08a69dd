#!/usr/bin/env bats
# suai convert to and from files: .npy and .raw, complete or not at all.

load helpers

setup() {
	DATA="$ROOT/testdata/convert"
	NAMES='c_order fortran sliced reverse transposed scalar empty ones repeated big_endian boolean readonly
		structured aligned swapped field dates text raw_bytes void large'
	cd "$BATS_TEST_TMPDIR" || return 1
}

# in_python CODE: with the arrays available and NumPy imported as np.
in_python() {
	PYTHONPATH="$DATA" PYTHONDONTWRITEBYTECODE=1 "$TEST_PYTHON" -c "import numpy as np, arrays
$1"
}

@test ".npy files are byte for byte those of numpy.save" {
	requires numpy
	for name in $NAMES; do
		suai convert "$DATA/arrays.py:$name" -o "$name.npy" --verify -f json
		[ "$status" -eq 0 ]
		[ "$(jq -r '.targets[0] | [.copy.path, .copy.verified, .interfaces[0].protocol, .interfaces[0].status]
			| join(" ")' <<<"$output")" = "host true npy ok" ]
	done
	in_python "
for name in '''$NAMES'''.split():
    np.save('expected.npy', getattr(arrays, name))
    assert open('expected.npy', 'rb').read() == open(name + '.npy', 'rb').read(), name"
}

@test "--order C and F determine the order in the file" {
	requires numpy
	for name in c_order fortran transposed large structured; do
		suai convert "$DATA/arrays.py:$name" -p numpy -o "$name-C.npy" --order C --verify
		[ "$status" -eq 0 ]
		suai convert "$DATA/arrays.py:$name" -p numpy -o "$name-F.npy" --order F --verify
		[ "$status" -eq 0 ]
	done
	in_python "
for name in ['c_order', 'fortran', 'transposed', 'large', 'structured']:
    for order in 'CF':
        got, want = np.load(f'{name}-{order}.npy'), getattr(arrays, name)
        assert got.dtype == want.dtype and (got == want).all(), (name, order)
        assert got.flags[order + '_CONTIGUOUS'], (name, order)"
}

@test ".raw files contain only the elements" {
	requires numpy
	for name in $NAMES; do
		suai convert "$DATA/arrays.py:$name" -p numpy -o "$name.raw" --order C --verify
		[ "$status" -eq 0 ]
	done
	in_python "
for name in '''$NAMES'''.split():
    assert getattr(arrays, name).tobytes() == open(name + '.raw', 'rb').read(), name"
}

@test "field names in any script, and structures of buffers, are written to the header" {
	requires numpy
	cat > fields.py <<-'END'
		import ctypes
		import numpy as np
		latin = np.zeros(2, dtype=[("caf\u00e9", "i4"), ("it's", "f8")])
		greek = np.zeros(2, dtype=[("\u03b1", "i4"), ('"', "u1"), ("back\\slash", "i2")])
		long = np.zeros(1, dtype=[(f"field_{i:05}", "u1") for i in range(4000)])

		class Pair(ctypes.Structure):
		    _fields_ = [("x", ctypes.c_int8), ("y", ctypes.c_double), ("z", ctypes.c_uint16)]

		pairs = (Pair * 3)(Pair(1, 2.5, 3), Pair(4, 5.5, 6))
		aligned = np.dtype([("x", "i1"), ("y", "f8"), ("z", "u2")], align=True)
		records = memoryview(np.array([(1, 2.5, 3), (4, 5.5, 6)], dtype=aligned))
	END
	for name in latin greek long; do
		suai convert "fields.py:$name" -o "$name.npy" --verify
		[ "$status" -eq 0 ]
	done
	suai convert fields.py:records -p buffer -o records.npy --verify
	[ "$status" -eq 0 ]
	if "$TEST_PYTHON" -c 'import ctypes, fields; assert len(memoryview(fields.pairs).format) < 25'; then
		suai convert fields.py:pairs -p buffer -o pairs.npy # ctypes omits its padding
		[ "$status" -eq 3 ]
		[[ "$stderr$output" == *"the offsets of the fields are unknown"* ]]
	fi
	"$TEST_PYTHON" -W ignore -c "
import numpy as np, fields
for name in ['latin', 'greek', 'long']:
    np.save('expected.npy', getattr(fields, name))
    assert open('expected.npy', 'rb').read() == open(name + '.npy', 'rb').read(), name
records = np.load('records.npy')
assert records['y'].tolist() == [2.5, 5.5] and records['z'].tolist() == [3, 6], records
assert records.dtype == fields.aligned"
}

@test "USM arrays are written to files that NumPy reads" {
	requires sycl dpnp
	for name in dpnp_reverse dpnp_scalar dpnp_empty dpnp_transposed queue_device context_shared; do
		suai convert "$DATA/usm.py:$name" -o "$name.npy" --verify
		[ "$status" -eq 0 ]
	done
	PYTHONPATH="$DATA" PYTHONDONTWRITEBYTECODE=1 "$TEST_PYTHON" -c "
import numpy as np, usm
for name in ['dpnp_reverse', 'dpnp_scalar', 'dpnp_empty', 'dpnp_transposed']:
    got, want = np.load(name + '.npy'), usm.dpnp.asnumpy(getattr(usm, name))
    assert got.dtype == want.dtype and got.shape == want.shape and (got == want).all(), name
for name in ['queue_device', 'context_shared']:
    assert (np.load(name + '.npy') == getattr(usm, name).on_host()).all(), name"
}

@test "FILE.npy is a source: mapped, read-only, zero-copy" {
	requires numpy
	in_python "
for name in ['c_order', 'fortran', 'scalar', 'empty', 'big_endian', 'structured', 'dates', 'large']:
    np.save(name + '.npy', getattr(arrays, name))"
	for name in c_order fortran scalar empty big_endian structured dates large; do
		NAMES=$name suai convert "$name.npy" --to numpy --verify -f json \
			--call "(lambda f: (_.__array_interface__['data'][1] or 1 / 0) and f)(np.asarray(_)).tobytes('A') == np.load('$name.npy').tobytes('A') or 1 / 0"
		[ "$status" -eq 0 ]
		[ "$(jq -r '.targets[0] | [.target, .copy.from, .copy.path] | join(" ")' <<<"$output")" = "$name.npy npy zero-copy" ]
		suai convert "$name.npy" -o copy.npy --verify
		[ "$status" -eq 0 ]
		cmp "$name.npy" copy.npy
	done
	suai convert fortran.npy --to dlpack --call numpy:from_dlpack -f json
	[ "$status" -eq 0 ]
	[ "$(jq -r '.targets[0].interfaces[0].array.memory.kind' <<<"$output")" = file ]
}

@test "a FILE.npy that is invalid, truncated or missing is refused" {
	requires numpy
	in_python "
np.save('short.npy', arrays.c_order)
np.save('pickled.npy', arrays.objects)"
	truncate -s 150 short.npy
	printf 'no numpy at all, really' > junk.npy
	suai convert short.npy --to numpy
	[ "$status" -eq 3 ]
	[[ "$stderr$output" == *"short.npy"*"but only"* ]]
	suai convert junk.npy --to numpy
	[ "$status" -eq 3 ]
	[[ "$stderr$output" == *"not a .npy file"* ]]
	suai convert pickled.npy --to numpy
	[ "$status" -eq 3 ]
	[[ "$stderr$output" == *"pickled Python objects"* ]]
	suai convert none.npy --to numpy
	[ "$status" -eq 2 ]
	[[ "$stderr$output" == *"No such file"* ]]
}

@test "-o - does not write .npy to a terminal, and suggests what to do" {
	requires numpy script
	output=$(on_terminal xterm "'$SUAI' convert '$DATA/arrays.py:transposed' -o -") && status=0 || status=$?
	echo "$output" | cat -v
	[ "$status" -eq 2 ]
	[[ "$output" == "suai: -o -: standard output is a terminal and .npy data is binary; redirect it or use -o FILE.npy"* ]]
	[[ "$output" != *NUMPY* ]]
	on_terminal xterm "'$SUAI' convert '$DATA/arrays.py:transposed' -o - | cat > '$BATS_TEST_TMPDIR/a.npy'"
	[ "$(head -c 6 "$BATS_TEST_TMPDIR/a.npy" | tail -c 5)" = NUMPY ]
	output=$(on_terminal xterm "'$SUAI' convert '$DATA/arrays.py:transposed' -o - --dry-run")
	[[ "$output" == *"reason "* ]]
}

@test "-o - writes .npy to standard output and the report to standard error" {
	requires numpy
	"$SUAI" convert "$DATA/arrays.py:transposed" -o - > out.npy 2> report
	in_python "assert (np.load('out.npy') == arrays.transposed).all()"
	grep -q 'arrays.py:transposed' report
	grep -q 'memory  *file, standard output, ' report
	"$SUAI" convert "$DATA/arrays.py:large" -o - 2>/dev/null | cat > piped.npy
	in_python "assert (np.load('piped.npy') == arrays.large).all()"
	{ printf head; "$SUAI" convert "$DATA/arrays.py:scalar" -o - 2>/dev/null; } > appended
	[ "$(head -c 4 appended)" = head ]
	[ "$(wc -c < appended)" -eq 140 ]
	"$SUAI" convert "$DATA/hostile.py:crashing" -o - > nothing 2>/dev/null || status=$?
	[ "$status" -eq 3 ]
	[ ! -s nothing ]
}

@test "1 GiB is written with memory for a few blocks, and with progress on a terminal" {
	requires numpy script
	cat > wide.py <<-'END'
		import atexit, resource
		import numpy as np
		a = np.broadcast_to(np.arange(1 << 16, dtype="i4"), (1 << 12, 1 << 16)).T
		atexit.register(lambda: print("KiB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
	END
	output=$(on_terminal xterm "'$SUAI' convert wide.py:a -o wide.npy")
	echo "$output" | cat -v
	[ "$(stat -c %s wide.npy)" -gt 1000000000 ]
	[[ "$output" =~ KiB\ ([0-9]+) ]]
	[ "${BASH_REMATCH[1]}" -lt 100000 ]
	[[ "$output" =~ copying\ \[#*\.*\]\ +[0-9]+\ %\ \ [0-9.]+\ [KMG]iB\ of\ 1\.0\ GiB ]]
	rm wide.npy
}

@test "-o with several objects writes none, and the report is about its own object" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	suai convert -c 'import numpy; a = numpy.zeros((2, 3)); b = numpy.ones(5, dtype="i2")' -o x.npy
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"-o requires a single object"* ]]
	[[ "$output" != *int16* ]]
	[ ! -e x.npy ]
}

@test "a device, a pipe or a link receives the data and is not replaced" {
	requires numpy
	mkfifo pipe.npy
	cat pipe.npy > from_pipe & reader=$!
	suai convert "$DATA/arrays.py:c_order" -o pipe.npy
	wait $reader
	[ "$status" -eq 0 ]
	[ -p pipe.npy ]
	in_python "assert (np.load('from_pipe') == arrays.c_order).all()"
	mkdir folder
	echo old > folder/real.npy
	ln -s folder/real.npy link.npy
	suai convert "$DATA/arrays.py:c_order" -o link.npy
	[ "$status" -eq 0 ]
	[ -L link.npy ]
	in_python "assert (np.load('folder/real.npy') == arrays.c_order).all()"
}

# leaves_nothing: only the old file exists, and is intact.
leaves_nothing() {
	[ "$(cat old.npy)" = old ]
	[ "$(find . -name 'old*' -o -name '*.npy*' | wc -l)" -eq 1 ]
}

@test "a failure, crash, difference or signal leaves the old file intact and no other" {
	requires numpy
	echo old > old.npy
	for forced in NOTHING SUAI_NO_TMPFILE SUAI_NO_PROC_FD; do
		for name in crashing raising lying overflowing plain none; do
			env $forced=1 "$SUAI" convert "$DATA/hostile.py:$name" -o old.npy 2>/dev/null && false
			leaves_nothing
		done
		env $forced=1 SUAI_FAULT=copy-flip "$SUAI" convert "$DATA/arrays.py:large" -o old.npy --verify 2>/dev/null && false
		leaves_nothing
		env $forced=1 "$SUAI" convert "$DATA/arrays.py:objects" -o old.npy 2>/dev/null && false
		leaves_nothing
		env $forced=1 timeout -s INT 1.5 "$SUAI" convert "$DATA/hostile.py:huge" -o old.npy 2>/dev/null && false
		leaves_nothing
	done
	timeout -s KILL 1.5 "$SUAI" convert "$DATA/hostile.py:huge" -o old.npy && false
	leaves_nothing
	suai convert "$DATA/arrays.py" -o old.npy
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"name one, as in FILE.py:NAME"* ]]
	leaves_nothing
}

@test "the fallbacks for O_TMPFILE and /proc write the same file" {
	requires numpy
	suai convert "$DATA/arrays.py:large" -o plain.npy
	for forced in SUAI_NO_TMPFILE SUAI_NO_PROC_FD; do
		env $forced=1 "$SUAI" convert "$DATA/arrays.py:large" -o forced.npy --verify
		cmp plain.npy forced.npy
		[ "$(stat -c %a forced.npy)" = "$(stat -c %a plain.npy)" ]
		rm forced.npy
	done
	[ "$(echo *.npy*)" = plain.npy ]
	(umask 077 && "$SUAI" convert "$DATA/arrays.py:scalar" -o private.npy >/dev/null)
	[ "$(stat -c %a private.npy)" = 600 ]
}

@test "a missing or unwritable directory, and a full disk, exit with 2" {
	requires numpy
	suai convert "$DATA/arrays.py:scalar" -o nowhere/x.npy
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"cannot write 'nowhere/x.npy': No such file or directory"* ]]
	mkdir x.npy
	suai convert "$DATA/arrays.py:scalar" -o x.npy
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"Is a directory"* ]]
	if [ "$(id -u)" -ne 0 ]; then
		mkdir closed && chmod 555 closed
		suai convert "$DATA/arrays.py:scalar" -o closed/x.npy
		[ "$status" -eq 2 ]
	fi
	# A limit on the file's size stands for a full disk; the signal that comes with it is ignored.
	run bash -c "trap '' XFSZ; ulimit -f 40000; exec '$SUAI' convert '$DATA/hostile.py:huge' -o full.npy"
	echo "$output"
	[ "$status" -eq 2 ]
	[[ "$output" == *"write"*"File too large"* || "$output" == *"No space left on device: "* ]]
	[ ! -e full.npy ]
}

@test "a file or copy that exceeds the disk or the memory is refused immediately, with its size" {
	requires numpy
	code='import numpy; a = numpy.broadcast_to(numpy.zeros(1, "u1"), (1 << 30, 1 << 30))'
	run -2 --separate-stderr timeout 20 "$SUAI" convert -c "$code" a -o huge.npy
	[[ "$stderr$output" == *"No space left on device: the elements have 1152921504606846976 bytes, but only "*" bytes are free"* ]]
	[ ! -e huge.npy ]
	run -3 --separate-stderr timeout 20 "$SUAI" convert -c "$code" a --to numpy --copy always
	[[ "$stderr$output" == *"allocating the memory of the new object: MemoryError: cannot allocate 1152921504606846976 bytes"* ]]
}

@test "object fields at any depth are refused if a copy or a file would contain their addresses" {
	requires numpy
	cat > fields.py <<-'END'
		import numpy as np
		flat = np.zeros(3, [("size", "i4"), ("owner", "O")])
		nested = np.zeros(3, [("size", "i4"), ("part", [("owners", "O", (2,))])])
		aligned = np.zeros(3, np.dtype([("size", "i4"), ("owner", "O")], align=True))

		class Raw: # describes its structure as raw bytes
		    dtype = flat.dtype

		    @property
		    def __array_interface__(self):
		        return dict(flat.__array_interface__, descr=[("", "|V12")])

		raw = Raw()

		class Struct: # NumPy sets descr and leaves its flag clear
		    def __init__(self, array, **attributes):
		        self.array = array
		        vars(self).update(attributes)

		    __array_struct__ = property(lambda self: self.array.__array_struct__)

		plain = np.zeros(3, [("size", "i4"), ("weight", "f8")])
		hidden, unknown, void = Struct(flat), Struct(plain), Struct(np.zeros(3, "V12"))
		vague = Struct(flat, dtype=np.dtype("V12"), __array_interface__=raw.__array_interface__)
		told, typed = Struct(plain, __array_interface__=plain.__array_interface__), Struct(plain, dtype=plain.dtype)
		innocent = np.zeros(3, [("O", "i4"), ("object", [("T{O}", "f8", (2,))])])
	END
	while read -r name words; do
		# shellcheck disable=SC2086 # words are words
		suai convert "fields.py:$name" $words
		[ "$status" -eq 3 ]
		[[ "$stderr$output" == *"fields with references to Python objects, which suai does not copy"* ]]
		[ ! -e x.npy ]
		[ ! -e x.raw ]
	done <<-'END'
		flat -o x.npy
		flat -o x.raw
		flat -o x.npy -p numpy-struct
		flat --to numpy --copy always
		nested -o x.npy
		nested -o x.npy -p numpy-struct
		aligned -o x.npy -p buffer
		aligned --to buffer -p buffer --order F --copy always
		raw -o x.npy
	END
	suai convert fields.py:flat --to cuda
	[ "$status" -eq 3 ]
	[[ "$stderr$output" == *"the elements contain references to Python objects, which are meaningless on a device"* ]]
	for name in flat nested; do # the source keeps the objects alive
		suai convert "fields.py:$name" --to numpy --call "np.asarray(_).dtype.hasobject or 1 / 0"
		[ "$status" -eq 0 ]
	done
	for name in hidden unknown vague; do
		for words in '-o x.npy' '-o x.raw' '--to numpy --copy always' '-o x.raw -p numpy-struct'; do
			# shellcheck disable=SC2086 # words are words
			suai convert "fields.py:$name" $words
			[ "$status" -eq 3 ]
			[[ "$stderr$output" == *"the elements are structures whose fields no interface reports"* ]]
			[ ! -e x.npy ]
			[ ! -e x.raw ]
		done
		suai convert "fields.py:$name" --to numpy --copy never
		[ "$status" -eq 0 ]
	done
	for name in told typed void plain; do
		suai convert "fields.py:$name" -p numpy-struct -o told.npy --verify
		[ "$status" -eq 0 ]
	done
	for interface in numpy numpy-struct buffer; do
		suai convert fields.py:innocent -p $interface -o innocent.npy
		[ "$status" -eq 0 ]
	done
}

@test "documents of every outcome conform to the schema" {
	requires numpy jsonschema yaml
	suai convert "$DATA/arrays.py:structured" -o s.npy -f json
	printf '%s' "$output" > file.json
	suai convert "$DATA/arrays.py:structured" --to dlpack -f json
	printf '%s' "$output" > refused.json
	suai convert "$DATA/arrays.py:c_order" --to cuda -f json
	printf '%s' "$output" > lacking.json
	suai convert "$DATA/arrays.py:c_order" --to numpy --order F --dry-run -f json
	printf '%s' "$output" > dry.json
	SUAI_FAULT=copy-flip suai convert "$DATA/arrays.py:c_order" --to numpy --order F --verify -f json
	printf '%s' "$output" > differs.json
	suai convert "$DATA/hostile.py:a" --to numpy --call 'crashes(_)' -f json
	printf '%s' "$output" > crashed.json
	suai convert s.npy --to buffer --call builtins:bytes -f json
	printf '%s' "$output" > called.json
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_schema.py" "$ROOT/schema/suai.schema.json" \
		- file.json - refused.json - lacking.json - dry.json - differs.json - crashed.json - called.json
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "-o for a module with several arrays is refused before anything is reported as done" {
	printf 'import array\na = array.array("d", [1])\nb = array.array("d", [2])\n' > two.py
	local refusal="suai: -o requires a single object, but there are several; name one, as in FILE.py:NAME"
	printf 'two.py:a\ntwo.py:b\n' > list.txt
	for words in 'two.py -p buffer' 'two.py -p buffer --query copy.path' 'two.py -p buffer -q' '--targets-from list.txt'; do
		# shellcheck disable=SC2086 # words are words
		suai convert $words -o two.npy
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$stderr" = "$refusal" ]
		[ ! -e two.npy ]
	done
	suai convert two.py -p buffer -o two.npy -f json
	[ "$status" -eq 2 ]
	! jq -e . <<< "$output" || false # a run that fails does not complete its document
	printf 'import array\na = array.array("d", [1])\n' > one.py
	suai convert one.py -p buffer -o one.npy
	[ "$status" -eq 0 ]
	[ -s one.npy ]
}

@test "a .npy file that is truncated, empty or of another kind is reported as such" {
	cd "$BATS_TEST_TMPDIR"
	"$TEST_PYTHON" -c '
import array, struct
header = b"{\"descr\": \"<f8\", \"fortran_order\": False, \"shape\": (2,), }".ljust(117) + b"\n"
whole = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(16)
for name, data in ("cut", whole[:50]), ("short", whole[:9]), ("empty", b""), ("none", b"PK\x03\x04" * 9), ("new", b"\x93NUMPY\x09" + whole[7:]):
    open(name + ".npy", "wb").write(data)'
	while read -r name why; do
		suai convert --to dlpack $name.npy
		[ "$status" -eq 3 ]
		[[ "$output" == *"$why"* ]]
		[[ "$output" != *"no .npy file"* ]]
	done << 'END'
cut file truncated at 50 bytes; its header ends at byte 128
short file truncated at 9 bytes, inside the header
empty the file is empty
none not a .npy file: it does not begin with \x93NUMPY
new unknown .npy format version 9.0; expected 1.0, 2.0 or 3.0
END
}

@test "a file that the target's process may no longer open is an error without an internal path" {
	[ "$(id -u)" -eq 0 ] || skip "only root can drop its privileges"
	cd "$BATS_TEST_TMPDIR"
	suai convert -o a.npy -c 'import array, os
base = array.array("d", range(6))
class Drops:
    @property
    def __array_interface__(self):
        os.setuid(65534)
        return dict(shape=(6,), typestr="<f8", data=(base.buffer_info()[0], False), version=3)' 'Drops()'
	[ "$status" -eq 2 ]
	[[ "$output" == *'cannot write the file: Permission denied'* && "$output$stderr" != */proc/* ]]
	[ ! -e a.npy ]
}
