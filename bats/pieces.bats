#!/usr/bin/env bats
# Pieces of distributed arrays: validate --pieces, with lists of dumps and with captures.

load helpers

setup() {
	cp "$ROOT"/testdata/pieces/*.yaml "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR" || return 1
	export PYTHONPATH="$ROOT/python" PYTHONDONTWRITEBYTECODE=1
}

# with EDIT: validates list.yaml after an edit by sed; sets status and output, one line per finding.
with() {
	sed "$1" list.yaml > edited.yaml
	suai validate --pieces -f concise edited.yaml
}

# found LINE...: the findings are these lines.
found() {
	[ "$status" -eq 1 ]
	diff <(printf '%s\n' "$@") <(sed '$d' <<<"$output")
}

# bats test_tags=judge
@test "four pieces that form their array have no findings, and the array is one more target" {
	suai validate --pieces list.yaml
	[ "$status" -eq 0 ]
	[[ $output == "no findings in 5 targets"* ]]
	suai validate --pieces -f json list.yaml
	[ "$(jq -c '[.targets[] | [.target, .piece.of, .piece.offset, .piece.chunk, (.pieces | length)]]' <<<"$output")" = '[["x[0, 0]","x",[0,0],[4,3],0],["x[0, 1]","x",[0,3],[4,3],0],["x[1, 0]","x",[4,0],[4,3],0],["x[1, 1]","x",[4,3],[4,3],0],["x",null,null,null,4]]' ]
}

# bats test_tags=judge
@test "the document of an array can be validated again, with and without its pieces" {
	sed -i '/11.yaml/d' list.yaml
	suai validate --pieces -f yaml list.yaml
	echo "$output" > saved.yaml
	for option in --pieces --static; do
		suai validate $option -f concise saved.yaml
		found "x: error PCS306 piece-gap: no piece contains [4:8, 3:6] (12 elements)"
	done
}

# bats test_tags=judge
@test "faults in shape, chunk, type, order, device and access, gaps and overlaps are found by piece and field" {
	with 's/{dump: 11.yaml, index: \[1, 1\]}/{dump: 11.yaml, index: [1, 1], chunk: [4, 2]}/; s/\[3, 3\]\]/[3, 2]]/; s/shape: \[8, 6\]/shape: [8, 5]/; s/{dump: 01.yaml, index: \[0, 1\]}/{dump: 01.yaml, index: [0, 1], chunk: [4, 2]}/'
	found "x[0, 1]: error PCS303 piece-shape: the shape is (4, 3), but 'x' declares (4, 2)" \
		"x[1, 1]: error PCS303 piece-shape: the shape is (4, 3), but 'x' declares (4, 2)"
	with 's/{dump: 10.yaml/&, dtype: int32/; s/^dtype.*//'
	found "x[1, 0]: error PCS201 piece-type: the element type is float32, but 'x' declares int32" \
		"x: error PCS901 one-declaration: 'x[0, 0]' declares no type for the array, but 'x[1, 0]' declares int32"
	with '/10.yaml/d'
	found "x: error PCS306 piece-gap: no piece contains [4:8, 0:3] (12 elements)"
	with 's/{dump: 11.yaml.*/{dump: 11.yaml, offset: [4, 2]}/'
	[[ $output == *"x: error PCS305 piece-overlap: 'x[1, 0]' and 'x[1, 1]' both contain [4:8, 2:3] (4 elements)"* ]]
	with 's/{dump: 10.yaml/&, order: F/'
	found "x[1, 0]: error PCS304 piece-order: 'x' declares order F, but the strides for shape (4, 3) are (12, 4) bytes"
	with 's/{dump: 10.yaml/&, device: "cuda:1"/'
	found "x[1, 0]: error PCS501 piece-device: the piece is on cpu:0, but 'x' declares cuda:1"
	with 's/{dump: 10.yaml/&, readonly: true/'
	found "x[1, 0]: error PCS801 piece-access: the piece is writable, but 'x' declares it read-only"
	with 's/{dump: 11.yaml, index: \[1, 1\]}/{dump: 11.yaml, offset: [5, 3]}/'
	found "x[1, 1]: error PCS302 piece-bounds: the piece has the indices 5:9 on axis 0, but the extent of 'x' is 8" \
		"x: error PCS306 piece-gap: no piece contains [4:5, 3:6] (3 elements)"
	suai validate --pieces -f json edited.yaml
	[ "$(jq -c '[.targets[].findings[] | [.rule, .field]]' <<<"$output")" = '[["PCS302","piece.offset[0]"],["PCS306","pieces[0].piece.shape"]]' ]
}

# bats test_tags=judge
@test "chunks of one extent per axis end at the shape, and pieces of several arrays are separate" {
	cat > list.yaml <<-'END'
		shape: [4, 5]
		chunks: [4, 3]
		pieces:
		- {dump: 00.yaml, of: a, index: [0, 0]}
		- {dump: 01.yaml, of: b, index: [0, 1]}
	END
	suai validate --pieces -f concise list.yaml
	found "x[0, 1]: error PCS303 piece-shape: the shape is (4, 3), but 'b' declares (4, 2)" \
		"a: error PCS306 piece-gap: no piece contains [0:4, 3:5] (8 elements)" \
		"b: error PCS306 piece-gap: no piece contains [0:4, 0:3] (12 elements)"
}

# bats test_tags=judge
@test "a dump that cannot be read leaves no gap, and fails" {
	rm 10.yaml
	suai validate --pieces -f concise list.yaml
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "10.yaml: error unreadable: cannot read '10.yaml': No such file or directory" ]
	[[ $output != *PCS* ]]
}

# bats test_tags=judge
@test "wrong lists and targets are refused with the key and what is expected" {
	refused() { # EDIT MESSAGE
		with "$1"
		[ "$status" -eq 2 ]
		[[ $output == *"$2"* ]] || { echo "expected: $2"; return 1; }
	}
	refused 's/index: \[1, 1\]/index: [1, 2]/' "'pieces[3]': 'index[1]' is 2, but the axis has 2 chunks"
	refused 's/index: \[1, 1\]/index: [1]/' "'pieces[3]': 'index' has length 1, but 'chunks' has 2 axes"
	refused 's/, index: \[1, 1\]//' "'pieces[3]': missing key 'offset', or 'index' and 'chunks'"
	refused 's/^of: x//' "'pieces[0]': missing key 'of', the name of the array"
	refused 's/^dtype:/dtyp:/' "'dtyp': unknown key"
	refused 's/^chunks.*/chunks: [[4, -4], [3, 3]]/' "'chunks[0][1]': expected an extent in elements"
	refused 's/^chunks.*/chunks: [4, 0]/' "'chunks[1]': expected a list of extents, or one positive extent for all chunks of the axis"
	refused 's/dump: 11.yaml, //' "'pieces[3]': expected a map with the key 'dump', a file"
	refused '/^-/d' "'pieces': expected a list of maps with the key 'dump'"
	refused 's/11.yaml/list.yaml/' "list.yaml': expected a dump of one target, got a list of pieces"
	suai validate --pieces 00.yaml
	[ "$status" -eq 2 ]
	[[ $output == *"x[0, 0]: missing at piece: the array of which it is a piece is not stated"* ]]
	suai validate --pieces arrays.py
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --pieces: 'arrays.py' is not a dump; expected captures, FILE.yaml or a list of pieces" ]
	for command in validate inspect; do
		suai $command list.yaml
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: 'list.yaml' is a list of pieces, which requires validate --pieces" ]
	done
}

@test "captures with piece= are checked together by validate_pieces and by the program" {
	requires numpy
	cat > pieces.py <<-'END'
		import numpy as np, suai

		class Array:
		    shape, chunks, dtype, name = (8, 6), ((4, 4), (3, 3)), np.dtype("f4"), "x"

		pieces = suai.pieces(Array, order="C", device="cpu", readonly=False)
		captures = [suai.capture(np.zeros((4, 3), "f4"), piece=piece) for piece in pieces.values()]
		report = suai.validate_pieces(captures)
		assert report.ok and [target["target"] for target in report.document["targets"]] == ["x[0, 0]", "x[0, 1]", "x[1, 0]", "x[1, 1]", "x"]
		report = suai.validate_pieces(captures[:3])
		assert [str(finding) for finding in report.findings] == ["x: error PCS306 piece-gap: no piece contains [4:8, 3:6] (12 elements)"]
		assert not suai.validate_pieces(captures + captures[:1], ignore="PCS306")
		assert suai.validate_pieces(captures[1:], ignore="PCS306")
		assert suai.validate_pieces(b"".join(captures[1:]), ignore="PCS306")
		open("captures", "wb").write(b"".join(captures[:3]))
	END
	run -0 "$TEST_PYTHON" pieces.py
	suai validate --pieces -f concise captures
	found "x: error PCS306 piece-gap: no piece contains [4:8, 3:6] (12 elements)"
}

@test "the dtype of a piece can be any type of NumPy, its name or its typestr" {
	requires numpy
	cat > spelled.py <<-'END'
		import itertools
		import numpy as np, suai

		numbers = itertools.count()
		def capture(array, dtype):
		    class Array:
		        shape, chunks, name = array.shape, (array.shape,), f"array {next(numbers)}"
		    Array.dtype = dtype
		    [first] = suai.pieces(Array).values()
		    second = {**first, "of": f"array {next(numbers)}", "dtype": dtype}
		    return [suai.capture(array, piece=piece, protocols="numpy", isolate=False) for piece in (first, second)]

		sized = [t for t in vars(np).values() if isinstance(t, type) and issubclass(t, np.generic)
		         and t.__subclasses__() == [] and t not in (np.str_, np.bytes_, np.void, np.record)]
		assert np.longlong in sized and np.object_ in sized, sized
		captures = []
		for dtype in *sized, int, float, complex, bool, object, "U3", "S3", "M8[ns]", ">f8", "V5", "longlong", "i4,f4", "O":
		    array = np.zeros(3, dtype)
		    for spelled in dtype, array.dtype, array.dtype.str, np.str_(array.dtype.str):
		        captures += capture(array, spelled)
		captures += capture(np.zeros(3, "V2"), "bfloat16")  # as an array of ml_dtypes
		assert not suai.validate_pieces(captures, select="PCS").findings
		wrong = [data for dtype in (float, "longlong", ">c8", "bfloat16") for data in capture(np.zeros(3, "c8"), dtype)]
		assert [finding.field for finding in suai.validate_pieces(wrong, select="PCS").findings] == ["piece.dtype"] * 8
		for wrong in np.str_, np.void, 5:
		    try:
		        suai.capture(np.zeros(3), piece={"of": "x", "offset": [0], "dtype": wrong})
		    except (TypeError, ValueError) as error:
		        print(error)
	END
	run "$TEST_PYTHON" spelled.py
	echo "$output"
	[ "$output" = "piece: dtype: <class 'numpy.str_'> has no size; expected a type such as <U8
piece: dtype: <class 'numpy.void'> has no size; expected a type such as |V8
piece: dtype: expected an element type, got 5" ]
}

@test "the names of arrays and pieces are printed without control characters, and written as they are" {
	requires numpy
	cat > names.py <<-'END'
		import numpy as np, suai

		pieces = {"of": "a\n\x1b[31m\u202e", "offset": [0], "shape": [6]}
		report = suai.validate_pieces([suai.capture(np.zeros(3), piece=pieces)])
		assert [target["target"] for target in report.document["targets"]] == ["a\n\x1b[31m\u202e[0]", "a\n\x1b[31m\u202e"]
		named = suai.validate(np.zeros(3), name="a\n\x1b[31m\u202e", select="BUF")
		for text in report.text, report.format("concise"), report._repr_html_(), repr(report), repr(named), named._repr_html_():
		    assert not any(c in text for c in "\x1b\u202e"), text
		assert report.text.splitlines()[0].startswith("a\\x0a\\x1b[31m\\u202e: error PCS306 "), report.text
		print(report.findings[0])
	END
	run "$TEST_PYTHON" names.py
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "pieces= and piece= refuse what has no place, with the key" {
	requires numpy
	cat > wrong.py <<-'END'
		import numpy as np, suai

		def refused(error, message, function, *arguments, **keywords):
		    try:
		        function(*arguments, **keywords)
		    except error as raised:
		        assert message in str(raised), raised
		    else:
		        raise AssertionError(message)

		class Array:
		    shape, chunks, dtype, name = (8,), ((4, float("nan")),), np.dtype("f4"), "x"

		refused(ValueError, "the extents of chunks are unknown", suai.pieces, Array)
		Array.shape = (float("nan"),) # as of Dask
		refused(ValueError, "the extents of chunks are unknown", suai.pieces, Array)
		Array.shape = (8,)
		for extent in 0, -2:
		    Array.chunks = (extent,)
		    refused(ValueError, f"chunks: expected extents of 1 or more, got {extent}", suai.pieces, Array)
		Array.chunks = ()
		refused(ValueError, "chunks: expected one item per axis (1), got ", suai.pieces, Array)
		a = np.zeros(3)
		refused(ValueError, "piece: missing key 'of'", suai.capture, a, piece={})
		refused(ValueError, "piece: missing key 'offset'", suai.capture, a, piece={"of": "x"})
		refused(ValueError, "piece: 'offst': unknown key", suai.capture, a, piece={"of": "x", "offst": [0]})
		refused(TypeError, "piece: offset: expected integers, one per axis, got 'ab'", suai.capture, a, piece={"of": "x", "offset": "ab"})
		refused(TypeError, "piece: expected a dictionary, got int", suai.capture, a, piece=3)
		refused(ValueError, "wrong.py:a: the array of which it is a piece is not stated", suai.validate_pieces, [suai.capture(a)])
		refused(ValueError, "captures: expected the results of suai.capture", suai.validate_pieces, [a])
	END
	run -0 "$TEST_PYTHON" wrong.py
}

@test "time and memory grow linearly to 10,000 pieces" {
	requires numpy
	cat > many.py <<-'END'
		import resource, subprocess, sys, time
		import numpy as np, suai

		def judge(n):
		    class Array:
		        shape, chunks, dtype, name = (n, 2), ((1,) * n, (2,)), np.dtype("f4"), "x"
		    one = suai.capture(np.zeros((1, 2), "f4"), piece=suai.pieces(Array)[0, 0])
		    captures = [suai.capture(None, protocols="numpy", isolate=False, piece=piece) for piece in suai.pieces(Array).values()]
		    began = time.perf_counter()
		    process = subprocess.run([suai.find_program(), "validate", "--pieces", "--select", "PCS", "-f", "concise", "-"],
		        input=b"".join(captures), stdout=subprocess.PIPE)
		    seconds = time.perf_counter() - began
		    assert process.returncode == 0, process.stdout[-300:]
		    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss

		small, large = judge(1000), judge(10000)
		print(small, large)
		assert large[0] < 20 * small[0] + 1 and large[1] < 20 * small[1], (small, large)
	END
	run -0 "$TEST_PYTHON" many.py
	echo "# seconds and KiB: $output" >&3
}
