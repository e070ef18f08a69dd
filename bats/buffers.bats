#!/usr/bin/env bats
# Buffers (PEP 3118), requested in every way and released: types built with a C compiler that follow
# Python's documentation or violate one sentence of it, and types of libraries.

load helpers
load toys

setup_file() {
	build_toy buffer_toy
}

@test "types that conform to the documentation have no findings, in any layout" {
	mapfile -t targets < <(toys buffer_toy good)
	[ "${#targets[@]}" -eq 5 ]
	suai validate -p buffer --calls --lifetime "${targets[@]}"
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings"* ]]
}

@test "each type that violates one requirement is reported by its rule, and by no other" {
	mapfile -t targets < <(toys buffer_toy BUF)
	[ "${#targets[@]}" -ge 20 ]
	"$SUAI" validate -p buffer --calls --lifetime --exit-zero -f json -o document "${targets[@]}"
	jq -r '.targets[] | "\(.target) \(.status) \([.findings[].rule] | unique | join(" "))"' document > found
	while read -r target status rules; do
		echo "$target $status $rules"
		target=${target#*:}
		[ "$status" = ok ]
		[ "$rules" = "${target%%_*}" ]
	done < found
	[ "$(wc -l < found)" -eq "${#targets[@]}" ]
	requires jsonschema
	"$TEST_PYTHON" -m jsonschema -i document "$ROOT/schema/suai.schema.json"
}

@test "a negative length of a buffer without a shape is not called a wrong multiple of itemsize" {
	sed 's/len: 20/len: -4/; s/ndim: 2/ndim: 1/; s/shape: .*/shape: null/; s/strides: .*/strides: null/' "$ROOT/testdata/rules/BUF101/bad.yaml" > negative.yaml
	suai validate --select BUF101 negative.yaml
	[ "${lines[0]}" = "bad: error BUF101 length: len is -4, expected 0 or more" ]
	sed -i 's/len: -4/len: 6/' negative.yaml
	suai validate --select BUF101 negative.yaml
	[ "${lines[0]}" = "bad: error BUF101 length: len is 6, not a multiple of itemsize (4)" ]
}

@test "by default, granting a request without strides for elements in another order is an error" {
	for name in fortran strided grants_simple grants_format grants_writable grants_contig; do
		suai validate -f json -p buffer "buffer_toy:BUF301_$name()"
		[ "$status" -eq 1 ]
		jq -e '[.targets[0].findings[] | [.rule, .severity]] == [["BUF301", "error"]]' <<< "$output"
	done
	suai validate -p buffer 'buffer_toy:BUF301_fortran()'
	[[ "$output" == *"PyBUF_SIMPLE, PyBUF_ND and 6 others are granted although the elements are not C-contiguous"* ]]
	suai validate -p buffer 'buffer_toy:good_fortran()' 'buffer_toy:good_strided()' 'buffer_toy:good_copies_unstrided()'
	[[ "$output" == "no findings"* ]]
}

@test "the consequence that BUF301 describes is real: wrong bytes are written and overwritten" {
	"$TEST_PYTHON" - << 'END'
import io, os
import buffer_toy

def fill(toy):
    view = memoryview(toy)
    for i in range(3):
        for j in range(4):
            view[i, j] = 10 * i + j
    return view.tobytes()

toy = buffer_toy.BUF301_strided()
right, sink = fill(toy), io.BytesIO()
assert sink.write(toy) == 48 and sink.getvalue() != right
reader, writer = os.pipe()
assert os.write(writer, toy) == 48 and os.read(reader, 48) != right
io.BytesIO(b"\x01" * 48).readinto(toy)
assert memoryview(toy).tobytes() not in (right, b"\x01" * 48)
for wrong in io.BytesIO().write, io.BytesIO(right).readinto:
    try:
        wrong(buffer_toy.good_strided())
        raise AssertionError("granted")
    except (BufferError, TypeError): # TypeError by readinto
        pass
END
}

@test "the consequence that BUF005 describes is real: the second consumer fails, whatever the first one is" {
	"$TEST_PYTHON" - << 'END'
import io
import buffer_toy

def fails(consumer, toy):
    try:
        consumer(toy)
        return False
    except BufferError:
        return True

consumers = bytes, io.BytesIO().write, memoryview
for first in consumers:
    for second in consumers:
        toy = buffer_toy.BUF005_grants_once()
        assert not fails(first, toy) and fails(second, toy)
        toy = buffer_toy.good_contiguous()
        assert not fails(first, toy) and not fails(second, toy)
END
}

@test "messages of buffers state that a request failed without an exception, or set one although it was granted" {
	suai validate --select BUF001,BUF801 --calls -f concise -p buffer "buffer_toy:BUF001_fails_silently()" "buffer_toy:BUF001_sets_exception()" \
		"buffer_toy:BUF001_raises_in_release()" "buffer_toy:BUF801_refuses_writable()"
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == *": a request for the buffer failed without an exception" ]]
	[[ "${lines[1]}" == *": PyBUF_SIMPLE is granted, but it or the release of its buffer set the exception ValueError: set although 0 is returned" ]]
	[[ "${lines[2]}" == *": PyBUF_SIMPLE is granted, but it or the release of its buffer set the exception ValueError: raised in bf_releasebuffer" ]]
	[[ "${lines[3]}" == *": readonly is 0 for PyBUF_FULL_RO, but PyBUF_FULL, which requests writable memory, is refused" ]]
}

@test "a signal that an object sends to its process does not interrupt the next object" {
	suai validate -p buffer 'buffer_toy:interrupts()' 'buffer_toy:good_contiguous()'
	[ "$status" -eq 0 ]
	[ "$output" = "no findings in 2 targets" ]
}

@test "a type that takes no reference for a view is queried to the end, and loses none" {
	"$SUAI" validate -p buffer --lifetime --exit-zero -f json 'buffer_toy:BUF702_takes_no_reference()' |
		jq -e '.targets[0] | .status == "ok" and ([.findings[].message] == ["512 acquired and released buffers released 512 references to the object that they had not acquired"])'
}

# NumPy refuses with ValueError, which is known, and a note; PyArrow's tensors are in docs/findings.
@test "libraries and Python's own types cause no false positives" {
	requires numpy pyarrow jax
	cat > real.py << 'END'
import array, ctypes, mmap
import jax.numpy
import numpy as np
import pyarrow
readonly = np.arange(6.0)
readonly.flags.writeable = False
END
	targets=()
	for expression in 'np.arange(12.0).reshape(3, 4)' 'np.arange(12.0)[::2]' 'np.ones((3, 4)).T' readonly 'np.float64(1)' \
		'pyarrow.py_buffer(b"abcd")' 'pyarrow.Tensor.from_numpy(np.ones((3, 4)).T)' 'jax.numpy.arange(6.0)' \
		'array.array("d", [1, 2])' '(ctypes.c_double * 3)()' 'bytes(4)' 'bytearray(4)' 'memoryview(bytearray(8))[::2]' \
		'mmap.mmap(-1, 4096)'; do
		targets+=("real.py:$expression")
	done
	"$SUAI" validate -p buffer --calls --lifetime --select BUF301,BUF7,BUF8 --exit-zero -f json -o document "${targets[@]}"
	jq -c '.targets[] | {target, status, findings: [.findings[] | select(.severity != "note") | [.rule, .message]]}' document
	jq -e '[.targets[].status] | unique == ["ok"]' document
	jq -e '[.targets[] | {target, rule: .findings[] | select(.severity != "note") | .rule}]
		== [{target: "real.py:pyarrow.Tensor.from_numpy(np.ones((3, 4)).T)", rule: "BUF301"}]' document
	jq -e '[.targets[] | select(.findings != []) | .target | test("np\\.|readonly")] | all' document
}

@test "a format of 10,000 fields is read completely" {
	requires numpy
	suai validate -f json -c 'import numpy as np
a = np.zeros(3, [(f"field_number_{i}", "f8") for i in range(10000)])' a
	jq -e '[.targets[0].findings[] | select(.severity != "note").rule] == []' <<< "$output"
}

@test "two fields of one structure with the same name are a warning, since NumPy rejects them" {
	suai validate -f concise -p buffer -c 'import ctypes
class Repeated(ctypes.Structure): _fields_ = [("a", ctypes.c_int), ("a", ctypes.c_int)]
class Inner(ctypes.Structure): _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_int)]
class Outer(ctypes.Structure): _fields_ = [("a", Inner), ("b", Inner)]' 'Repeated()' 'Outer()'
	[[ "$output" == *"Repeated(): warning BUF201 "*"format has two fields named 'a' in one structure"* ]]
	[[ "$output" != *"Outer(): warning"* ]]
}
