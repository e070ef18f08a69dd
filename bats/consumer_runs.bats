#!/usr/bin/env bats
# validate --consumer: how the consumer is named, formats, and unusual consumers, which have no finding.

load helpers

PLANTED=testdata/consumers/planted.py
FEW=float32,lanes-4,scalar,empty,offset,negative,aligned-40,legacy,read-only,null-deleter,raises-BufferError,no-keywords,name-used,major-2

setup() {
	cd "$ROOT" || return 1
	requires numpy
}

# serious_of CONSUMER OPTION...: "RULE COUNT" of errors and warnings.
serious_of() {
	"$SUAI" validate --exit-zero -f json --consumer "$@" | jq -r '[.targets[] | if .status == "ok" then . else error("\(.target): \(.status)") end
		| .findings[] | select(.severity != "note") | .rule] | group_by(.) | map("\(.[0]) \(length)") | join(" ")'
}

@test "what a consumer imports when it is called is imported once, not in the process of each case" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	echo 'open("imports", "a").write("once\n")' > heavy.py
	printf 'import numpy as np\n\n\ndef consume(x):\n    import heavy\n    import numpy.linalg\n    return np.from_dlpack(x)\n' > consumers.py
	suai validate --python "$TEST_PYTHON" --consumer consumers.py:consume --case float32,offset,fortran
	[ "$output" = "no findings in 3 targets" ]
	[ "$(cat imports)" = once ]
}

@test "a module that ends the process when a consumer imports it is reported by the cases, with its line" {
	cd "$BATS_TEST_TMPDIR"
	echo 'import os; os._exit(7)' > ends.py
	printf 'def leaves(x):\n    import ends\n    return x\n' > consumers.py
	suai validate --python "$TEST_PYTHON" --consumer consumers.py:leaves --case float32,offset
	[ "$status" -eq 1 ]
	[[ "$output" == *"consumers.py:leaves[float32], leaves[offset]: error DLC001"*"exited with status 7"*'"'*'/ends.py", line 1'* ]]
}

@test "consumers that do unusual but legal things have no finding" {
	for name in copies leaves_capsule deletes_in_thread exports_twice has_no_interface splits_lanes handles_faults keeps_results \
		keeps_tensors returns_bytes returns_digest widens_to_complex returns_objects ReadsLater stores; do
		echo "$name"
		[ -z "$(serious_of "testdata/consumers/unusual.py:$name" --case "$FEW")" ]
	done
	[ -z "$(serious_of testdata/consumers/unusual.py:deletes_slowly --case float32,read-only)" ]
	# A single case is not carried out in a fork: functions of atexit run.
	for name in keeps_results keeps_tensors; do
		suai validate --consumer "testdata/consumers/unusual.py:$name" --case float32
		[ "$status" -eq 0 ]
	done
}

@test "the elements of a result that has only __array__(), and bytes, are compared" {
	suai validate --consumer testdata/consumers/unusual.py:ReadsLater --case float32,fortran --no-skips
	[ "$output" = "no findings in 2 targets" ]
	suai validate --consumer 'type("A", (), {"__array__": lambda self, *a, _=np.from_dlpack(_), **k: _ * 2})()' --case float32 -f concise
	[[ "$output" == *"error DLC306"* ]]
	suai validate --consumer 'bytes(memoryview(_))' -p buffer --case float32,fortran,complex64,every-second --no-skips
	[ "$output" = "no findings in 4 targets" ]
	[ "$(serious_of 'np.lib.stride_tricks.as_strided(a := np.asarray(_), (5,), (4,)).tobytes()' -p buffer --case every-second)" = "DLC302 1" ]
}

@test "different elements of many cases are one block, and a result without a reading names its type" {
	suai validate --consumer 'np.from_dlpack(_) * 0' --case float32,int16,offset,one-dimension
	[ "$(grep -c DLC306 <<< "$output")" -eq 1 ]
	[[ "$output" == *"[float32] and 3 more: error DLC306"*"element (0, 0) is 0, expected "* ]]
	suai validate --consumer '(i for i in np.from_dlpack(_))' --case float32 -v
	[[ "$output" == *"skipped DLC306: the result, of type generator"* ]]
	suai validate --consumer 'iter([_])' --case float32,name-used -f concise
	[[ "$output" == *"calls neither __dlpack__ nor __dlpack_device__, and returns an object of type list_iterator"* ]]
	[ "$(grep -c 'error DLC' <<< "$output")" -eq 1 ]
}

@test "objects in another shape are not read, an empty result has no narrower elements, and close numbers are printed in full" {
	suai validate --consumer '[np.empty(2, object) for a in [np.from_dlpack(_)]]' --case float32,fortran -v
	[ "$status" -eq 0 ]
	[[ "$output" == *"skipped DLC306: the elements of the result, of type list, were not read: the elements are Python objects"* ]]
	suai validate --consumer 'np.from_dlpack(_).astype("i1")' --case empty,float32 -f concise
	[ "$(grep -c 'error DLC' <<< "$output")" -eq 1 ]
	[[ "$output" == *"[float32]: error DLC307"* ]]
	suai validate --consumer 'np.nextafter(np.from_dlpack(_), 0)' --case float64 -f concise
	[[ "$output" == *"error DLC306"*"element (0, 0) is 504.33333333333326, expected 504.33333333333331"* ]]
}

@test "elements that only DLPack can name may be exported as integers of their size" {
	[ -z "$(serious_of testdata/consumers/unusual.py:returns_bits --case bfloat16)" ]
	[ "$(serious_of testdata/consumers/unusual.py:returns_bits --case float32)" = "DLC307 1" ]
}

@test "an expression imports the submodules that it names" {
	mkdir -p "$BATS_TEST_TMPDIR/library/device"
	touch "$BATS_TEST_TMPDIR/library/__init__.py" "$BATS_TEST_TMPDIR/library/device/__init__.py"
	echo 'from numpy import from_dlpack as take' > "$BATS_TEST_TMPDIR/library/device/arrays.py"
	export PYTHONPATH="$BATS_TEST_TMPDIR"
	suai validate --consumer 'library.device.arrays.take(_)' --case float32
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings in 1 target"* ]]
	suai validate --consumer 'library.host.take(_)' --case float32
	[ "$status" -eq 1 ]
	[[ "$output" == *"AttributeError"*"module 'library' has no attribute 'host'"* ]]
}

@test "a consumer that rejects all valid tensors was not checked, and fails" {
	suai validate --consumer testdata/consumers/unusual.py:raises_after_export --case float32,offset,major-2
	[ "$status" -eq 3 ]
	[[ "$output" == *"unusual.py:raises_after_export: raised at consume: the consumer rejects all 2 valid tensors"* ]]
	[[ "$output" == *"the first with RuntimeError: the library is not initialized"* ]]
	suai validate --consumer 'no(_)' -c 'def no(x): raise BufferError("no")' --case float32,offset
	[ "$status" -eq 1 ]
	[[ "$output" == *"DLC004 consumer-reads: the consumer raises BufferError before it calls __dlpack__: no"* && "$output" != *"raised at consume"* ]]
	suai validate --consumer testdata/consumers/unusual.py:raises_after_export --case float32
	[ "$status" -eq 0 ]
}

@test "a SystemError that Python code raises is not an internal error" {
	[ -z "$(serious_of testdata/consumers/unusual.py:raises_system_error --case float32,offset)" ]
}

@test "a consumer is a function of a module or a file, or an expression with _" {
	printf 'import numpy as np\n\n\nclass Library:\n    take = staticmethod(np.from_dlpack)\n' > "$BATS_TEST_TMPDIR/library.py"
	while IFS= read -r consumer; do
		echo "$consumer"
		suai validate --consumer "$consumer" --case float32
		[ "$status" -eq 0 ]
		[[ "$output" == "no findings in 1 target"* ]]
	done <<- END
		numpy:from_dlpack
		$BATS_TEST_TMPDIR/library.py:Library.take
		np.from_dlpack(_)
		np.from_dlpack(_).copy()
	END
	suai validate -c 'import numpy as n' --consumer 'n.from_dlpack(_)' --case float32 --case offset -f json
	[ "$(jq -r '.targets | map(.target) | join(" ")' <<< "$output")" = "n.from_dlpack(_)[float32] n.from_dlpack(_)[offset]" ]
}

# refused STATUS TEXT ARGUMENT...
refused() {
	suai validate "${@:3}"
	[ "$status" -eq "$1" ]
	[[ "$output$stderr" == *"$2"* ]]
}

@test "consumers that cannot be called, and options that do not fit, are usage errors" {
	refused 2 "--case 'offsets': no such case (did you mean 'offset'?)" --consumer numpy:from_dlpack --case offsets
	refused 2 "--case 'readonly': no such case (did you mean 'read-only'?)" --consumer numpy:from_dlpack --case readonly
	refused 2 "--case 'plain': no such case; 'suai complete cases' lists them" --consumer numpy:from_dlpack --case plain
	refused 2 "--case requires --consumer" --case float32 numpy:pi
	refused 2 "--consumer takes no TARGET" --consumer numpy:from_dlpack numpy:pi
	refused 2 "does not use _" --consumer 'np.from_dlpack(3)'
	refused 2 "does not use _" --consumer ''
	refused 2 "No module named 'nosuch'" --consumer nosuch:from_dlpack --case float32
	refused 2 "has no attribute 'nosuch'" --consumer numpy:nosuch --case float32
	refused 2 "No module named 'numpy.ndarray' (did you mean 'numpy:ndarray.copy'?)" --consumer numpy.ndarray:copy --case float32
	refused 2 "No module named 'numpy.ndarray'" --consumer numpy.ndarray:nosuch --case float32
	[[ "$output$stderr" != *"did you mean"* ]]
	suai inspect numpy.ndarray:nosuch.x numpy.dtypes.Int8DType:str
	[ "$status" -eq 2 ]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"No module named 'numpy.dtypes.Int8DType'"*" (did you mean 'numpy.dtypes:Int8DType.str'?)"* ]]
	[ "$(grep -c 'did you mean' <<< "$output")" -eq 1 ]
	refused 2 "was never closed" --consumer 'np.from_dlpack(_' --case float32
	refused 2 "was never closed" --consumer 'np.from_dlpack(_' --reproduce float32
	refused 2 "--fuzz: 10001 is too large; the maximum is 10000" --consumer numpy:from_dlpack --fuzz 10001
	refused 2 "--seed: -3 is too small; the minimum is 0" --consumer numpy:from_dlpack --fuzz 3 --seed -3
	refused 2 "expected module:function" --consumer "$PLANTED" --case float32
	refused 2 "No such file" --consumer nosuch.py:f --case float32
	refused 2 "did you mean 'f(_)'" -c 'def f(x): return x' --consumer f
}

@test "a missing name of an expression fails the run" {
	refused 2 "name 'nosuch' is not defined" --consumer 'nosuch.from_dlpack(_)' --case float32
	refused 2 "module 'planted' has no attribute 'nosuch'" --consumer "$PLANTED:nosuch" --case float32
	refused 2 "module 'planted' has no attribute 'json'" --consumer "$PLANTED:json" --case float32
	refused 2 "has no attribute 'narrow' (did you mean 'narrows'?)" --consumer "$PLANTED:narrow" --case float32
	refused 1 "raises AttributeError before it calls __dlpack__" --consumer 'np.nosuch(_)' --case float32
	[ -z "$(serious_of '(lambda x: np.from_dlpack(x))(_)' --case float32)" ]
}

@test "a case that is named twice is one target" {
	suai validate --consumer numpy:from_dlpack --case float32,offset,float32
	[ "$output" = "no findings in 2 targets" ]
}

@test "lists of numbers and the only array of a tuple are compared, and other results are reported as not compared" {
	refused 1 "DLC306" --consumer '(np.from_dlpack(_) * 0,)' --case float32
	refused 1 "item 1 is" --consumer 'np.from_dlpack(_).ravel("K").tolist()' --case fortran
	for same in '(np.from_dlpack(_),)' '[np.from_dlpack(_)]' 'np.from_dlpack(_).ravel().tolist()' 'np.from_dlpack(_).tolist()'; do
		suai validate --consumer "$same" --case float32,fortran,int64 --no-skips
		[ "$output" = "no findings in 3 targets" ]
	done
	for other in 'dict(a=np.from_dlpack(_))' 'np.from_dlpack(_).size' 'np.from_dlpack(_) is None' '(np.from_dlpack(_), 1)'; do
		refused 1 "skipped DLC306: the result, of type" --consumer "$other" --case float32,fortran --no-skips
	done
}

@test "a dimension of extent 1 that a consumer adds is a note for each layout" {
	suai validate --consumer 'np.from_dlpack(_)[None]' --case float32,fortran,negative,every-second -f json
	[ "$status" -eq 0 ]
	jq -e '[.targets[].findings[].rule] == ["DLC309", "DLC309", "DLC309", "DLC309"]' <<< "$output"
	refused 1 "DLC306" --consumer 'np.from_dlpack(_)[None, ::-1] if hasattr(_, "x") else np.from_dlpack(_)[None, ..., ::-1]' --case fortran
}

@test "annotations are at the function of a file, and notes that need no action are omitted" {
	printf 'import numpy as np\n\n\ndef take(x):\n    array = np.from_dlpack(x)\n    if array.ndim == 1:\n        raise BufferError("1-D")\n    return array * 2\n' \
		> "$BATS_TEST_TMPDIR/mine.py"
	suai validate --consumer "$BATS_TEST_TMPDIR/mine.py:take" --case float32,one-dimension -f github
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "::error file="*"mine.py,line=4,title=DLC306 "* ]]
	suai validate --consumer "$BATS_TEST_TMPDIR/mine.py:take" --case float32,one-dimension -f github -v
	[[ "$output" == *"::notice file="*"mine.py,line=4,title=DLC807 "* ]]
	suai validate --consumer "$BATS_TEST_TMPDIR/mine.py:take" --case float32,one-dimension -f sarif
	[ "$(jq -c '[.runs[].results[] | [.level, .locations[0].physicalLocation.region.startLine]]' <<< "$output")" = '[["error",4],["note",4]]' ]
}

@test "a finding cites the documents of the tensor's interface, and no place in the expression of --consumer" {
	clause() { "$SUAI" validate --exit-zero -f json "$@" | jq -r '.targets[].findings[].clause'; }
	[ "$(clause --consumer "$PLANTED:ignores_strides" --case fortran)" = 'dlpack.h, version 1.3, DLTensor.strides ("in number of elements, not bytes")' ]
	[ "$(clause --consumer 'type(_)' --case float32 -p numpy-struct)" = "derived from NumPy array interface protocol, version 3, data" ]
	[ "$(clause --consumer 'type(_)' --case float32 -p buffer)" = "derived from Python C API Buffer Protocol, version 3, PyObject_GetBuffer" ]
	suai validate --consumer 'os.abort() or _' --case float32
	[[ "$output" == *"SIGABRT"* && "$output" != *"= at"* ]]
}

@test "each format names the case and the rule" {
	local options=(--consumer "$PLANTED:ignores_byte_offset" --case float32 --case offset)

	for format in text yaml json junit sarif tap github concise; do
		echo "$format"
		suai validate "${options[@]}" -f "$format"
		[ "$status" -eq 1 ]
		[[ "$output" == *DLC301* ]]
		[[ "$output" == *"offset"* ]]
	done
	suai validate "${options[@]}" -f json
	printf '%s' "$output" > "$BATS_TEST_TMPDIR/document.json"
	jq -e '[.targets[] | .consumption.id, (.findings | length)] == ["float32", 0, "offset", 1]' "$BATS_TEST_TMPDIR/document.json"
	suai validate "${options[@]}" -f concise
	[[ "$output" == *"[offset]: error DLC301"* ]]
	suai validate "${options[@]}" -f tap
	[[ "$output" == *"ok 1 - "*"not ok 2 - "* ]]
	requires jsonschema
	"$TEST_PYTHON" -m jsonschema -i "$BATS_TEST_TMPDIR/document.json" schema/suai.schema.json
}

@test "a baseline accepts the findings of a consumer, and no others" {
	local options=(--consumer "$PLANTED:ignores_byte_offset" --baseline "$BATS_TEST_TMPDIR/known.yaml")

	suai validate "${options[@]}" --update-baseline --case offset
	suai validate "${options[@]}" --case offset
	[ "$status" -eq 0 ]
	suai validate "${options[@]}" --case offset --case offset-1d
	[ "$status" -eq 1 ]
}

@test "a consumer that does not return in two cases is not called again" {
	suai validate --consumer "$PLANTED:hangs" -f json --timeout 2
	[ "$status" -eq 1 ]
	jq -e '[.targets[].findings[].rule] == ["DLC001", "DLC001"]
		and .targets[0].findings[0].message == "the call of the consumer does not return (timed out after 2 s)"
		and ([.targets[].consumption | select(.outcome == "skipped").error.message] | unique == ["the consumer did not return in other cases"])' <<< "$output"
}
