#!/usr/bin/env bats
# suai why: each cause, planted and of real libraries; the last test executes every line that it offers.

load helpers

setup_file() {
	requires numpy
	export OPENBLAS_NUM_THREADS=1 # its threads take 0.1 s of each import of NumPy
}

setup() {
	DATA="$ROOT/testdata/why/arrays.py"
	n_documents=0
}

# why NAME CONSUMER OPTION...: into $output, as JSON, $status and the simple fields of its result.
why() {
	local name=$1 consumer=$2 key value
	shift 2
	suai why -f json "$@" "$DATA:$name" "$consumer"
	declare -gA fields=()
	while IFS=$'\t' read -r key value; do
		fields[$key]=$value
	done < <(jq -r '.why | to_entries[] | select(.value | type != "array" and type != "object") | [.key, (.value | tostring)] | @tsv' <<<"$output")
}

# why_field PATH: of the last why.
why_field() {
	if [[ -v fields[$1] ]]; then
		printf '%s\n' "${fields[$1]}"
	else
		jq -r ".why.$1" <<<"$output"
	fi
}

# works: keeps the document, whose lines the last test executes; whether there are some.
works() {
	mkdir -p "$BATS_FILE_TMPDIR/offered/$BATS_TEST_NUMBER"
	printf '%s' "$output" >"$BATS_FILE_TMPDIR/offered/$BATS_TEST_NUMBER/$((++n_documents)).json"
	jq -e '[.why.remedies[] | select(.works)] | length > 0' <<<"$output"
}

# refuses CAUSE NAME CONSUMER: for this cause; something works.
refuses() {
	why "$2" "$3"
	[ "$status" -eq 1 ]
	[ "$(why_field verdict)" = refused ]
	[ "$(why_field cause)" = "$1" ]
	works
}

# accepts VERDICT CAUSE NAME CONSUMER
accepts() {
	why "$3" "$4"
	[ "$status" -eq 0 ]
	[ "$(why_field verdict)" = "$1" ]
	[ "$(why_field cause)" = "$2" ]
	works || true
}

@test "a consumer that shares the memory is reported as such" {
	accepts shared null plain numpy:from_dlpack
	accepts shared null plain builtins:memoryview
}

@test "refusals for the byte order, the element type and read-only memory are distinguished" {
	refuses byte-order swapped numpy:from_dlpack
	refuses element-type dates numpy:from_dlpack
	refuses readonly readonly 'writable_only(_)'
}

@test "refusals for strides, alignment, dimensions and empty arrays are distinguished" {
	refuses strides sliced 'compact_only(_)'
	refuses alignment misaligned 'aligned_only(_)'
	refuses dimensions scalar 'vectors_only(_)'
	why empty 'filled_only(_)'
	[ "$status" -eq 1 ]
	[ "$(why_field cause)" = empty ]
}

@test "an object without the interface that the consumer reads is named, with what provides it" {
	refuses no-protocol numbers numpy:from_dlpack
	refuses no-protocol text numpy:from_dlpack
	why bare numpy:from_dlpack
	[ "$(why_field cause)" = no-protocol ]
}

@test "pending operations are resolved" {
	refuses pending-operation tracked numpy:from_dlpack
	[[ "$(why_field message)" == 'its gradients are tracked (requires_grad)'* ]]
	[[ "$(why_field 'remedies[0].line')" == *'tracked.detach()'* ]]
	[ "$(why_field step)" = 'tracked.__dlpack__(max_version=(1, 0))' ]
}

@test "arguments, versions and exceptions of the object are distinguished" {
	why legacy 'versioned_only(_)'
	[ "$status" -eq 1 ]
	[ "$(why_field cause)" = keyword ]
	why plain 'streams(_)'
	[ "$(why_field cause)" = keyword ]
	why closed numpy:from_dlpack
	[ "$(why_field cause)" = producer-error ]
	[ "$(why_field step)" = 'closed.__dlpack__(max_version=(1, 0))' ]
	why unsupported numpy:from_dlpack
	[ "$(why_field cause)" = producer-error ]
	[ "$(why_field step)" = 'unsupported.__dlpack__()' ]
	why unsupported_cuda 'exports(_)'
	[ "$(why_field cause)" = producer-error ]
	why plain 'without_nulls(_)'
	[ "$(why_field cause)" = nulls ]
}

@test "several devices and kinds of capsules are distinguished" {
	refuses several-devices spread numpy:from_dlpack
	[[ "$(why_field message)" == *'2 devices'* ]]
	refuses capsule-version legacy_only 'new_capsules_only(_)'
	refuses capsule-version plain 'old_capsules_only(_)'
	[[ "$(why_field 'remedies[0].line')" == 'suai convert '*' --to dlpack --interface-version 0 --call '* ]]
	[ "$(why_field 'remedies[0].shared')" = true ]
}

@test "each line is tried on a new object, and what it changes does not count for others" {
	accepts accepted null once numpy:from_dlpack
	why plain 'counts(_)'
	[ "$(why_field verdict)" = refused ]
	[ "$(jq '[.why.remedies[] | select(.works)] | length' <<<"$output")" -eq 0 ]
	suai why "$DATA:plain" 'counts(_)'
	[[ "$output" == *'none of the '*' lines that suai tried'* ]]
}

@test "lines that copy large arrays are not tried" {
	why huge 'vectors_only(_)'
	[ "$(why_field cause)" = dimensions ]
	jq -e '[.why.remedies[] | select(.reason == "not tried: it copies 4 GiB")] | length > 0 and all(.works == null)' <<<"$output"
	suai why "$DATA:huge" 'vectors_only(_)'
	[[ "$output" == *'vectors_only(huge.reshape(-1))  (no copy;'*'not tried: it copies'* ]]
}

@test "a consumer in a file is called, and named as after its import" {
	mkdir "$BATS_TEST_TMPDIR/lib"
	printf 'import sibling\n\n\ndef strict(x):\n    return sibling.strict(x)\n' >"$BATS_TEST_TMPDIR/lib/other.py"
	cp "$ROOT/testdata/why/arrays.py" "$BATS_TEST_TMPDIR/lib/sibling.py"
	echo 'strict = writable_only' >>"$BATS_TEST_TMPDIR/lib/sibling.py"
	suai why "$DATA:readonly" "$BATS_TEST_TMPDIR/lib/other.py:strict"
	[ "$status" -eq 1 ]
	[[ "$output" == *'other.strict(readonly.copy())  (copies)'*' --call '*'lib/other.py:strict  (copies)'* ]]
	refuses readonly readonly "$DATA:writable_only"
	[ "$(why_field 'remedies[0].line')" = 'writable_only(readonly.copy())' ]
	suai convert "$DATA:plain" --to dlpack --call "$BATS_TEST_TMPDIR/lib/other.py:strict"
	[ "$status" -eq 0 ]
	[[ "$output" == *numpy.ndarray* ]]
	why plain "$BATS_TEST_TMPDIR/lib/other.py:absent"
	[ "$(why_field cause)" = consumer-missing ]
	suai why "$DATA:plain" "$BATS_TEST_TMPDIR/absent.py:f"
	[ "$status" -eq 2 ]
	[[ "$stderr" == *'no such file'* ]]
}

@test "a forbidden copy is reported, with what makes it necessary and a line that permits it" {
	forbids() { # CAUSE NAME CONSUMER WORDS LINE
		refuses "$1" "$2" "$3"
		[[ "$(why_field message)" == "a copy is forbidden, and the consumer cannot use the memory as it is: "*"$4"* ]]
		jq -e --arg line "$5" 'any(.why.remedies[]; .works and .line == $line)' <<<"$output"
	}

	forbids byte-order swapped 'numpy.array(_, dtype="f8", copy=False)' 'byte order' 'numpy.array(swapped, dtype="f8", copy=None)'
	forbids element-type plain 'numpy.asarray(_, dtype="f4", copy=False)' 'of float32' 'numpy.asarray(plain, dtype="f4", copy=None)'
	forbids no-protocol columns 'numpy.asarray(_, copy=False)' 'cannot be read without one' 'numpy.asarray(columns, copy=None)'
	forbids strides sliced 'used_in_place(_, copy=False)' 'contiguous array' 'used_in_place(sliced, copy=True)'
}

@test "a cause that words of the exception suggest is not named if another layout is rejected, too" {
	local name message

	while read -r name message; do
		why "$name" "raises('$message')(_)"
		[ "$(why_field cause)" = null ]
	done <<-'END'
		sliced negative elements are not allowed
		legacy_only the conversion failed
		plain cannot solve for float64 of this system
	END
	[[ "$(why_field message)" == 'the exception names the type of the elements, but the consumer rejects other types with the same one;'* ]]
	why singular 'of_full_rank(_)'
	[[ "$(why_field cause) $(why_field message)" == 'null the consumer accepts an array of the same type and shape with other elements;'* ]]
}

@test "a line works whose results differ by the type of the elements only" {
	refuses element-type halves 'numpy.linalg.inv(_)'
	[ "$(why_field 'remedies[0].line')" = "numpy.linalg.inv(halves.astype('float32'))" ]
}

@test "a quantity is not an array without dimensions, and long exceptions are cut" {
	refuses no-protocol quantity 'unitless_only(_)'
	[[ "$(why_field message)" == 'the consumer rejects objects of arrays.Quantity, but accepts NumPy'* ]]
	suai why "$DATA:plain" 'raises("line\n" * 40)(_)'
	[[ "$output" == *'... (-v shows the whole exception)'* ]]
	[ "$(grep -c 'line$' <<<"$output")" -eq 12 ]
}

@test "a consumer that takes arrays of its own library only is found by passing one" {
	requires array_api_strict
	why plain 'array_api_strict.sum(_)'
	[ "$(why_field cause) $(why_field 'remedies[0].line')" = 'no-protocol array_api_strict.sum(array_api_strict.asarray(plain))' ]
}

@test "elements that are None are nulls, and an array of Python objects is not one of the elements" {
	refuses nulls with_none 'numpy.sum(_)'
	[ "$(why_field 'remedies[0] | .line + ": " + .note')" = "numpy.sum(with_none.astype('float64')): nulls become NaN" ]
	accepts converted no-protocol items 'numpy.asarray(_)'
}

@test "a sparse object is passed as an array, not as its elements that are not zero" {
	refuses no-protocol sparse numpy:from_dlpack
	jq -e '[.why.remedies[] | select(.works).line] == ["numpy.from_dlpack(sparse.toarray())"]' <<<"$output"
}

@test "a consumer that returns the converted object itself has not used it" {
	refuses_unhelped empty empty 'numpy.max(_)'
}

@test "a consumer that does not exist is reported" {
	why plain no_such_module:f
	[ "$status" -eq 1 ]
	[ "$(why_field cause)" = consumer-missing ]
	why plain 'numpy:from_dlpakc'
	[ "$(why_field cause)" = consumer-missing ]
	[ "$(why_field error.message)" = "module 'numpy' has no attribute 'from_dlpakc' (did you mean 'from_dlpack'?)" ]
	suai why "$DATA:plain" 'numpy.from_dlpakc(_)'
	[[ "$output" == *"did you mean 'from_dlpack'?"*'nothing works until the name of the consumer is corrected'* ]]
	suai why "$DATA:plain" 'numpy:float64(2).__add__(_)'
	[[ "$output" == *"did you mean 'numpy.float64(2).__add__(_)'?"* ]]
	for consumer in 'numpy(_)' numpy:linalg 'numpy.linalg(_)' 'xml.etree.ElementTree(_)'; do
		suai why "$DATA:plain" "$consumer"
		[ "$status" -eq 1 ]
		[[ "$output" == *'cause        the consumer is a module; name one of its functions, as in numpy:from_dlpack'*'[consumer-missing]'*'nothing works until the name of the consumer is corrected' ]]
	done
	why plain 'calls_module(_)' # raises the same exception, in a function
	[ "$(why_field cause)" = null ]
	suai why "$DATA:plain" no_such_module:f
	[[ "$output" == *'nothing works without the module; --python or $SUAI_PYTHON chooses another interpreter'* ]]
}

@test "the reason of a copy is found by passing other arrays" {
	accepts copied consumer-copies plain 'copies(_)'
	accepts copied consumer-copies plain 'copies_one_type(_)'
	accepts copied strides sliced 'copies_strided(_)'
	accepts copied readonly readonly 'copies_readonly(_)'
	accepts copied alignment 'misaligned' 'copies_unaligned(_)'
	accepts narrowed element-type plain 'narrows(_)'
	accepts shared pending-operation masked numpy:from_dlpack
}

@test "causes that the exception does not state are found by passing other objects" {
	refuses strides sliced "silent('flags.c_contiguous')(_)"
	refuses readonly readonly "silent('flags.writeable')(_)"
	refuses byte-order swapped "silent('dtype.isnative')(_)"
	refuses alignment misaligned "silent('flags.aligned')(_)"
	refuses no-protocol numbers "silent('base is not None or x is array')(_)"
	why plain "silent('dtype == \"f4\"')(_)"
	[ "$(why_field cause)" = element-type ]
	[[ "$(why_field message)" == *'it accepts an array of the same shape of float32' ]]
	why plain "silent('ndim == 2')(_)"
	[ "$(why_field cause)" = dimensions ]
	[[ "$(why_field message)" == *'array of 1 dimension; it accepts one of 2 dimensions' ]]
	why no_rows "silent('size > 0')(_)"
	[ "$(why_field cause)" = empty ]
	why plain "silent('shape[0] == 3')(_)"
	[[ "$(why_field message)" == *'array of the shape (6,); it accepts one of the shape (3,)' ]]
	why plain "silent('sum() == 1')(_)"
	[ "$(why_field cause)" = null ]
}

@test "a cause is a property that alone decides" {
	# The copy without nulls is also writable.
	why without_missing "silent('flags.writeable')(_)"
	[ "$(why_field cause)" = readonly ]
	why with_missing 'complete_only(_)'
	[ "$(why_field cause)" = nulls ]
	# Some other types are accepted, too.
	why plain "silent('ndim == 2 or array.dtype == \"f4\"')(_)"
	[ "$(why_field cause)" = dimensions ]
	accepts copied dimensions plain 'copies_vectors(_)'
	accepts copied strides bare_sliced 'copies_strided(_)'
	accepts wrong alignment misaligned 'doubles_aligned(_)'
	accepts shared null plain 'doubles_aligned(_)'
}

@test "a line works whose consumer changes the array in place and returns nothing" {
	refuses readonly readonly 'writes_in_place(_)'
	[ "$(why_field 'remedies[0].note')" = 'returns None; the copy is changed, not the object' ]
}

@test "a keyword argument that the consumer does not accept is named, and omitted" {
	refuses keyword plain 'numpy.asarray(_, none_such=[1, 2], order="C").T'
	[ "$(why_field 'remedies[0].line')" = 'numpy.asarray(plain, order="C").T' ]
	[ "$(why_field 'remedies | length')" = 1 ]
	# NumPy before 2.1 states this of from_dlpack().
	refuses keyword plain 'numpy.asarray(str.__len__("mytolist(1)") and _.tolist( of=1, to="a)"))'
	[ "$(why_field 'remedies[0].line')" = 'numpy.asarray(str.__len__("mytolist(1)") and plain.tolist())' ]
	refuses keyword dates 'numpy.array(none_such=int, object=_)'
	[ "$(why_field 'remedies[0].line')" = 'numpy.array(object=dates)' ]
}

@test "lines are offered for tables, images and functions that compute" {
	refuses no-protocol columns 'arrays_only(_)'
	[ "$(why_field 'remedies[0].line')" = 'arrays_only(columns.to_numpy())' ]
	refuses no-protocol image 'arrays_only(_)'
	[ "$(why_field 'remedies[0].line')" = 'arrays_only(numpy.asarray(image))' ]
	refuses strides sliced 'doubles_contiguous(_)'
	[ "$(why_field 'remedies[0].line')" = 'doubles_contiguous(numpy.ascontiguousarray(sliced))' ]
	[ "$(why_field 'remedies[0].note')" = 'the result has other elements: element (1,) is 4, expected 2' ]
	why plain "$DATA:flips"
	[ "$(why_field cause)" = keyword ]
	[[ "$(why_field message)" == *'pass the others in an expression'* ]]
}

@test "an object without an interface whose attribute is its array is passed by that attribute" {
	works_by() {
		why "$1" "${3:-numpy:from_dlpack}"
		[ "$(jq -r '[.why.remedies[] | select(.works).line] | join(" ")' <<<"$output")" = "$2" ]
	}
	works_by wrapper_method "numpy.from_dlpack(wrapper_method.numpy())"
	works_by wrapper_data "numpy.from_dlpack(wrapper_data.data)"
	works_by wrapper_of_parts ""
	# NumPy accepts them, as Python objects.
	works_by wrapper_data "numpy.asarray(wrapper_data.data)" numpy:asarray
	[ "$status" -eq 0 ]
	[ "$(why_field cause)" = no-protocol ]
}

@test "an exception of the object is not attributed to a device that the object does not describe" {
	cd "$BATS_TEST_TMPDIR"
	DATA=$PWD/lazy.py
	cat >lazy.py <<-'END'
		class Lazy:
		    """As an array of ndonnx, which has no elements."""
		    device = object()
		    def __dlpack_device__(self):
		        raise BufferError("there are no elements to export")
		    def __dlpack__(self, **keywords):
		        raise BufferError("there are no elements to export")
		lazy = Lazy()
	END
	why lazy numpy:from_dlpack
	[ "$(why_field cause)" = producer-error ]
	[ "$(why_field message)" = 'a method of the object raises the exception: there are no elements to export' ]
}

@test "lines that cannot apply are not listed, and a shape that changes is noted" {
	why plain 'matrices_only(_)'
	[ "$(jq '[.why.remedies[] | select(.line | contains("to_numpy") or contains(".cpu()"))] | length' <<<"$output")" -eq 0 ]
	why misaligned 'flat_aligned_only(_)'
	[ "$(why_field 'remedies[0].note')" = null ]
	why table 'flat_compact_only(_)'
	[ "$(why_field cause)" = strides ]
	works
	[[ "$(why_field 'remedies[0].note')" == 'the result has the shape (6,)' ]]
}

@test "a consumer that ends its process is reported" {
	why plain 'crashes(_)'
	[ "$status" -eq 1 ]
	[ "$(why_field verdict)" = lost ]
	[ "$(why_field outcome)" = crashed ]
	[ "$(why_field cause)" = consumer-lost ]
	why plain 'leaves(_)'
	[ "$(why_field verdict)" = lost ]
	[ "$(why_field outcome)" = left ]
	why plain "hangs(_)" --timeout 4
	[ "$(why_field outcome)" = hung ]
	[ "$(why_field cause)" = consumer-lost ]
	works
	why plain 'exits(_)'
	[ "$(why_field cause)" = consumer-lost ]
}

@test "a malformed interface is the cause of a crash in a consumer that does not check it" {
	local cause='an interface of the object is malformed, which the consumer does not check:'
	# Not if the consumer may have read another interface, which is right.
	why partly_malformed 'crashes(_)'
	[ "$(why_field cause)" = consumer-lost ]
	[[ "$(why_field message)" == 'the process did not survive the consumer: killed by SIG'*'; an interface of the object is malformed: '* ]]
	DATA=testdata/validate/dlpack_lies.py
	why shape_missing numpy:from_dlpack
	[ "$status" -eq 1 ]
	[ "$(why_field verdict) $(why_field outcome) $(why_field cause)" = "lost crashed producer-error" ]
	[ "$(why_field message)" = "$cause dlpack: dl_tensor.shape is NULL but ndim is 2" ]
	why data_unreadable 'numpy.from_dlpack(_).sum()'
	[ "$(why_field cause)" = producer-error ]
	[[ "$(why_field message)" == "$cause dlpack: not all bytes from 0x"*' are readable' ]]
	why ndim_negative numpy:from_dlpack
	[ "$(why_field verdict) $(why_field cause)" = "refused producer-error" ]
	[ "$(why_field message)" = "an interface of the object is malformed: dlpack: dl_tensor.ndim is -1, expected 0 to 64" ]
	why truth '(_, __import__("os").abort())[0]'
	[ "$(why_field cause)" = consumer-lost ]
}

@test "an object that ends the process in one of its methods is the cause" {
	why crashing numpy:from_dlpack
	[ "$status" -eq 1 ]
	[ "$(why_field verdict)" = lost ]
	[ "$(why_field cause)" = producer-lost ]
	[ "$(why_field step)" = 'crashing.__dlpack__()' ]
	[[ "$(why_field message)" == *SIGSEGV* ]]
	# A consumer that does not call the method, and one that crashes itself.
	why crashing builtins:id
	[ "$status" -eq 0 ]
	[ "$(why_field cause)" = null ]
	[ "$(why_field error)" = null ]
	why crashing 'leaves(_)'
	[ "$(why_field cause)" = consumer-lost ]
	why hanging numpy:from_dlpack --timeout 2
	[ "$(why_field cause)" = producer-lost ]
}

@test "a consumer and lines that hang take no longer than the time limit" {
	SECONDS=0
	why plain 'never_returns(_)' --timeout 2
	[ "$(why_field cause)" = consumer-lost ]
	[[ "$(why_field error.message)" == 'timed out after 1 s'* ]]
	[ "$SECONDS" -lt 10 ] # 4 on a busy machine; without the limit, each line takes 10
}

@test "words of an exception show a cause only if they name the type of the object or of its elements" {
	local message

	for message in 'size must be at least 10, got 6' 'learning rate must be positive' \
		'the license key is required' 'forgot the type expected' 'paging is not supported'; do
		why plain "raises('$message')(_)"
		[ "$(why_field cause)" = null ]
	done
	why plain "raises('expected Tensor, got numpy.ndarray')(_)"
	[ "$(why_field cause)" = no-protocol ]
	why plain 'single_only(_)'
	[ "$(why_field cause)" = element-type ]
	why plain "raises('run() takes 1 positional argument but 2 were given')(_)"
	[ "$(why_field cause)" = null ]
}

@test "a consumer that prints, forks or returns None is reported" {
	suai why "$DATA:plain" 'prints(_)'
	[ "$status" -eq 0 ]
	[[ "$output" == *'accepted; it returned None'* ]]
	[[ "$output" != *'from the consumer'* ]]
	[[ "$stderr" == *'from the consumer'* ]]
	accepts shared null plain 'forks(_)'
}

@test "the text names the step, the cause and the lines" {
	suai why "$DATA:readonly" 'writable_only(_)'
	[ "$status" -eq 1 ]
	[[ "$output" == *'refused'*'ValueError: output array is read-only'*'[readonly]'* ]]
	[[ "$output" == *'writable_only(readonly.copy())  (copies)'* ]]
	suai why "$DATA:shut" numpy:from_dlpack
	[[ "$output" == *' cause '*'works        nothing works'* ]]
}

@test "a result that cannot be compared with the object is shown with its shape" {
	suai why -c 'class Image:
    def __len__(self):
        return 12
    def __getitem__(self, i):
        return [0.5] * 12 if isinstance(i, slice) else 0.5 if i < 12 else [][0]

image = Image()' image numpy:asarray
	[ "$status" -eq 0 ]
	[[ "$output" == *'accepted; whether the result has the elements of the object is unknown (numpy.ndarray of float64, shape (12,))'* ]]
}

@test "if no line works, the exception of one is shown in place of the cause" {
	suai why -c 'class Rows:
    def to_numpy(self):
        raise ValueError("rows of 2 and 3 elements")

rows = Rows()' rows numpy:from_dlpack
	[ "$status" -eq 1 ]
	[[ "$output" == *'nothing works; numpy.from_dlpack(rows.to_numpy()) fails: ValueError: rows of 2 and 3 elements (-v lists the lines)'* ]]
}

@test "an object that exposes only SYCL memory is exported to the host, and NumPy does not read it" {
	requires sycl
	suai why "$ROOT/demo/arrays.py:matrix" numpy:from_dlpack
	[ "$status" -eq 1 ]
	[[ "$output" == *'the object exposes sycl, but not dlpack [no-protocol]'* ]]
	[[ "$output" == *'--to dlpack --device cpu --call numpy:from_dlpack  (no copy)'* ]]
	suai why "$ROOT/demo/arrays.py:matrix" numpy:asarray
	[[ "$output" == *'the result has other elements'*'the consumer reads no interface of the object, which exposes sycl, and the result is an array of one Python object'*'[no-protocol]'* ]]
}

@test "a module that ends its first process only is reported as by suai inspect" {
	cd "$BATS_TEST_TMPDIR"
	printf 'import os\nif not os.path.exists("once"):\n    open("once", "w").close()\n    os.abort()\na = bytearray(3)\n' > once.py
	suai why once.py:a builtins:memoryview
	[ "$status" -eq 3 ]
	[[ "$output" == 'once.py:a: crashed at import: killed by SIGABRT'* ]]
	suai why once.py:a builtins:memoryview
	[ "$status" -eq 0 ]
	[[ "$output" == *'accepted; the result shares the memory of the object'* ]]
}

@test "an array that NumPy reads as a list of arrays is reported as unread, not as converted" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > rows.py <<-'END'
		import numpy as np
		class Array: # as those of dpctl 0.17, which NumPy reads by __len__ and __getitem__
		    def __init__(self, a): self.a = a
		    def __dlpack__(self, **keywords): return self.a.__dlpack__(**keywords)
		    def __dlpack_device__(self): return self.a.__dlpack_device__()
		    def __len__(self): return len(self.a)
		    def __getitem__(self, i): return Array(self.a[i, ...])
		    def __eq__(self, other): return bool(self.a == other)
		    def __complex__(self): return complex(self.a)
		    def __float__(self): return float(self.a)
		    def __int__(self): return int(self.a)
		    __index__ = __int__
		a = Array(np.arange(6.0).reshape(2, 3))
		row = Array(np.arange(3.0))
		numbers = np.arange(3.0)
	END
	suai why rows.py:a numpy:asarray
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *'accepted; the result has other elements (numpy.ndarray of object)'*'the consumer reads no interface of the object, which exposes dlpack, and the result is an array of Python objects, which are of its type [no-protocol]'* ]]
	[[ "$output" == *'works        numpy.from_dlpack(a)  (no copy)'* ]]
	# An array without dimensions can equal a number.
	suai why -v rows.py:row numpy:asarray
	[[ "$output" == *'tried        numpy.asarray(numpy.asarray(row)): the result is an array of Python objects'* ]]
	suai why rows.py:numbers 'np.array(_, dtype=object)'
	[[ "$output" == *'a copy of another element type'*'[element-type]'* ]]
}

@test "a consumer that rejects the shape of a masked array does not reject its mask" {
	requires pyarrow
	suai why -c 'import numpy as np; a = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])' a pyarrow:array
	[ "$status" -eq 1 ]
	[[ "$output" == *'ValueError: Mask must be 1D array'*'it accepts one of 1 dimension [dimensions]'* ]]
	[[ "$output" == *'pyarrow.array(a.reshape(-1))'* ]]
	suai why "$DATA:masked" numpy:from_dlpack
	[[ "$output" == *'the consumer accepts the memory of the object, which does not contain its mask [pending-operation]'* ]]
}

# refuses_unhelped CAUSE NAME CONSUMER: for this cause; no line works.
refuses_unhelped() {
	why "$2" "$3"
	[ "$status" -eq 1 ]
	[ "$(why_field cause)" = "$1" ]
	[ "$(jq '[.why.remedies[] | select(.works)] | length' <<<"$output")" -eq 0 ]
}

@test "a copy that an interface of the object makes is not attributed to the consumer" {
	accepts copied no-protocol decompressed numpy:asarray
	[[ "$(why_field message)" == 'the consumer, or an interface of the object that it reads, copies the elements;'* ]]
}

@test "exceptions of the object name the cause where its facts do not" {
	refuses_unhelped several-devices sharded numpy:from_dlpack
	refuses_unhelped byte-order big_endian numpy:from_dlpack
	refuses_unhelped pending-operation gradients numpy:from_dlpack
	refuses_unhelped copy-forbidden uncopied 'numpy.from_dlpack(_, copy=False)'
	refuses_unhelped producer-error malformed numpy:asarray
	refuses_unhelped producer-error without_type numpy:asarray
	refuses byte-order plane numpy:from_dlpack
}

@test "a malformed interface is the cause of an exception about it, even if another interface of the object works" {
	refuses producer-error partly_malformed numpy:asarray
	[ "$(why_field message)" = 'an interface of the object is malformed: shape must be a tuple' ]
	accepts shared null partly_malformed numpy:from_dlpack
}

@test "lines that pass only the bytes of an object state that, and bytes are not converted to another byte order" {
	refuses byte-order plane numpy:from_dlpack
	jq -e '[.why.remedies[] | select(.works)] | length >= 2 and
		all(.note == "bytes, without the type and the shape of the elements")' <<<"$output"
	jq -e '[.why.remedies[] | select(.line | contains("newbyteorder"))] == []' <<<"$output"
	# Bytes are what an object has that exposes nothing else.
	refuses no-protocol raw numpy:from_dlpack
	jq -e '[.why.remedies[].note] | all(. == null)' <<<"$output"
}

@test "an array of the object itself, which NumPy makes of what it cannot read, is not an accepted one" {
	accepts wrong no-protocol opaque numpy:asarray
	[ "$(why_field message)" = "the object exposes no array interface, and the result is an array of one Python object, which is the object itself" ]
	accepts wrong no-protocol opaque numpy:array
	why strings 'numpy.asarray(_, dtype=object)'
	[ "$(why_field verdict)" = accepted ]
}

@test "the consumer's name, signature and dimensions are distinguished from faults of the object" {
	refuses_unhelped consumer-missing plain 'numpy.absent(_)'
	refuses_unhelped keyword plain "$DATA:two"
	[[ "$(why_field message)" == 'the consumer cannot be called '* ]]
	refuses dimensions plain 'matrices_only(_)'
	refuses_unhelped empty empty 'filled_only(_)'
	refuses_unhelped empty no_rows 'memoryview(_).cast("B")'
}

@test "no line works by chance, or writes to memory that is read-only" {
	refuses alignment unaligned 'cache_lines_only(_)'
	[ "$(jq '[.why.remedies[] | select(.works and (.line | startswith("suai convert") | not))] | length' <<<"$output")" -eq 0 ]
	refuses readonly readonly 'writes(_)'
	[ "$(jq '[.why.remedies[] | select(.works and .shared)] | length' <<<"$output")" -eq 0 ]
}

@test "the cause of the copy of a large array is found with its first elements" {
	why huge_columns 'copies_large(_)'
	[ "$(why_field cause)" = strides ]
}

@test "targets and consumers are checked" {
	suai why "$DATA:plain"
	[ "$status" -eq 2 ]
	[[ "$stderr" == *'expected TARGET CONSUMER'* ]]
	suai why "$DATA" numpy:from_dlpack
	[ "$status" -eq 2 ]
	suai why "$DATA:plain" numpy.from_dlpack
	[ "$status" -eq 2 ]
	suai why "$DATA:absent" numpy:from_dlpack
	[ "$status" -eq 2 ]
	suai why -c 'import array; a = array.array("d", [1, 2])' a builtins:memoryview
	[ "$status" -eq 0 ]
}

@test "real pairs: PyArrow, tvm-ffi, array-api-strict" {
	requires pyarrow
	requires tvm_ffi
	requires array_api_strict
	DATA="$ROOT/testdata/why/libraries.py"
	refuses nulls nulls numpy:from_dlpack
	accepts wrong byte-order swapped pyarrow:Tensor.from_numpy
	accepts accepted pending-operation masked pyarrow:array
	refuses readonly readonly tvm_ffi:from_dlpack
}

@test "real pairs: a JAX array that cannot be read is at fault, whatever the consumer reports" {
	requires jax
	DATA="$ROOT/testdata/why/libraries_jax.py"
	refuses_unhelped producer-error deleted 'b"".join([_])'
	[[ "$(why_field message)" == *'has been deleted'* ]]
}

@test "real pairs: dpnp" {
	requires dpnp
	DATA="$ROOT/testdata/why/libraries_dpnp.py"
	refuses device usm numpy:from_dlpack
}

@test "pairs that were written without suai have the causes that were stated for them" {
	SUAI="$SUAI" run -0 "$TEST_PYTHON" "$ROOT/testdata/why/pairs.py" numpy
	[ "${lines[-1]}" = '8 pairs, 0 wrong' ]
}

# offers LINE NOTE: as one that works.
offers() {
	jq -e --arg line "$1" --arg note "$2" 'any(.why.remedies[]; .works and .line == $line and ((.note // "") == $note))' <<<"$output"
}

@test "values of conjugated and negated tensors are compared, not their memory" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	DATA=$PWD/lazy.py
	cat > lazy.py <<-'PYTHON'
		import numpy


		class Lazy:
		    """As a conjugated tensor of PyTorch: the memory has other elements than the object."""
		    def __init__(self, array, is_checked=False):
		        self.array, self.is_checked = array, is_checked
		        self.shape, self.dtype = array.shape, array.dtype

		    def is_conj(self):
		        return self.dtype.kind == "c"

		    def is_neg(self):
		        return self.dtype.kind != "c"

		    def tolist(self):
		        return (self.array.conj() if self.is_conj() else -self.array).tolist()

		    def detach(self):
		        return self

		    is_quantized = False

		    def dequantize(self):
		        """PyTorch's, too, returns float32 of any tensor."""
		        return numpy.array(self.tolist()).real.astype("f4")

		    @property
		    def __array_interface__(self):
		        if self.is_checked:
		            raise TypeError("an operation is pending")
		        return self.array.__array_interface__


		class Resolved(numpy.ndarray):
		    def is_conj(self):
		        return False

		    is_neg = is_conj

		    def resolve_neg(self):
		        return self


		Lazy.resolve_conj = lambda self: numpy.array(self.tolist()).view(Resolved)
		conjugated, checked = (Lazy(numpy.array([1 + 2j, 3 - 4j]), each) for each in (False, True))
		negated = Lazy(numpy.array([1.5, 2.5]))


		def with_values(x):
		    return numpy.array(x.tolist())
	PYTHON
	accepts wrong pending-operation conjugated numpy:asarray
	[[ "$(why_field message)" == *'(conjugation): element (0,) is (1, 2), expected (1, -2)' ]]
	offers 'numpy.asarray(conjugated.resolve_conj().resolve_neg())' ''
	[ "$(jq '[.why.remedies[] | select(.line | contains("dequantize"))] | length' <<<"$output")" -eq 0 ]
	accepts wrong pending-operation negated numpy:asarray
	offers 'numpy.asarray(negated.resolve_conj().resolve_neg())' ''
	[ "$(jq '[.why.remedies[] | select(.works and (.line | contains("resolve") | not))] | length' <<<"$output")" -eq 0 ]
	accepts copied pending-operation negated lazy.py:with_values
	why checked numpy:asarray
	[ "$status $(why_field cause)" = "1 pending-operation" ]
	offers 'numpy.asarray(checked.resolve_conj().resolve_neg())' ''
}

@test "lines for integers of 4 bits, dates and lists of one size are found, and compared by what the object lists" {
	requires numpy ml_dtypes pyarrow
	cd "$BATS_TEST_TMPDIR"
	DATA=$PWD/listed.py
	cat > listed.py <<-'PYTHON'
		import datetime, ml_dtypes, numpy, pyarrow

		nibbles = numpy.arange(-2, 4).astype(ml_dtypes.int4)
		stamps = pyarrow.array([datetime.datetime(2020, 1, 1)])
		dates = pyarrow.array([datetime.date(2020, 1, 1)])
		pairs = pyarrow.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], pyarrow.list_(pyarrow.float64(), 2)).slice(1)
	PYTHON
	why nibbles numpy:from_dlpack
	offers "numpy.from_dlpack(nibbles.astype('int64'))" ''
	[ "$(jq '[.why.remedies[] | select(.works and (.line | contains("uint8")))] | length' <<<"$output")" -eq 0 ]
	why stamps numpy:from_dlpack
	offers "numpy.from_dlpack(stamps.view('int64'))" 'elements become their integer counts'
	why dates numpy:from_dlpack
	offers "numpy.from_dlpack(dates.view('int32'))" 'elements become their integer counts'
	why pairs numpy:from_dlpack
	offers 'numpy.from_dlpack(pairs.flatten().to_numpy().reshape(len(pairs), -1))' ''
}

@test "dates of two units are compared as dates, and a lost multiple of a unit is reported" {
	requires numpy pyarrow
	cd "$BATS_TEST_TMPDIR"
	DATA=$PWD/times.py
	cat > times.py <<-'PYTHON'
		import numpy

		steps = numpy.arange(3).astype("M8[25us]")
		seconds = numpy.array(["2001-01-01", "NaT"], "M8[s]")
		swapped = numpy.arange(3).astype(">m8[s]")
	PYTHON
	accepts wrong element-type steps pyarrow:array
	[ "$(why_field message)" = 'the consumer does not convert the unit of datetime64[25us]: element (1,) is 1 of datetime64[us], expected 1 of datetime64[25us]' ]
	offers "pyarrow.array(steps.astype('datetime64[us]'))" ''
	accepts converted element-type seconds "numpy.asarray(_, 'M8[ms]')"
	[ "$(why_field equal)" = true ]
	accepts accepted null seconds pyarrow:array
	[ "$(why_field equal) $(why_field difference)" = "true null" ]
	refuses element-type swapped numpy:from_dlpack
	offers "numpy.from_dlpack(swapped.astype('int64'))" 'elements become their integer counts'
}

@test "arrays of structured types are passed by their fields, and lines state what these become" {
	requires numpy jax
	cd "$BATS_TEST_TMPDIR"
	DATA=$PWD/records.py
	cat > records.py <<-'PYTHON'
		import numpy

		aligned = numpy.zeros(3, numpy.dtype([("a", "i1"), ("it's", "f4"), ("b", "f8")], align=True))
		record = aligned.view(numpy.recarray)
	PYTHON
	refuses element-type aligned numpy:from_dlpack
	[ "$(why_field message)" = 'elements of a structured type have no equivalent in the protocol, or in the consumer' ]
	offers "numpy.from_dlpack(aligned['b'])" "only the field 'b'"
	why record jax.numpy:asarray
	[ "$status $(why_field cause)" = "1 element-type" ]
	[[ "$(why_field message)" == "elements of a structured type"* ]]
	offers "jax.numpy.asarray(record['a'])" "only the field 'a'"
	offers "jax.numpy.asarray(record['b'])" "only the field 'b'; elements become float32"
}

@test "results of types that interfaces declare as raw bytes have the name of the type" {
	requires numpy ml_dtypes jax
	cd "$BATS_TEST_TMPDIR"
	DATA=$PWD/nibbles.py
	cat > nibbles.py <<-'PYTHON'
		import jax.numpy, ml_dtypes, numpy

		nibbles = numpy.arange(3).astype(ml_dtypes.int4)
		of_jax = jax.numpy.asarray(nibbles)
		quarters = jax.numpy.zeros(3, "float4_e2m1fn")
	PYTHON
	why nibbles jax:device_put
	[ "$(why_field verdict) $(why_field result_dtype)" = "copied int4" ]
	accepts shared null of_jax jax.numpy:asarray
	[ "$(why_field result_dtype) $(why_field message)" = "int4 null" ]
	why quarters numpy:asarray
	[ "$(why_field verdict) $(why_field result_dtype)" = "copied float4_e2m1fn" ]
}

@test "a consumer that requires further arguments is not tried with other lines" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	printf '%s\n' 'import numpy' 'def scale(array, factor): return array * factor' 'a = numpy.arange(3)' > scale.py
	suai why scale.py:a scale.py:scale
	[ "$status" -eq 1 ]
	[[ "$output" == *"nothing works until the consumer is passed the arguments that it requires"* ]]
	[[ "$output" != *fails* ]]
}

@test "an exception for lack of memory has that cause, whatever type it names" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	printf '%s\n' 'import numpy' 'large = numpy.broadcast_to(numpy.float32(1), 2**60)' 'swapped = numpy.array(3, ">i4")' > large.py
	DATA=$PWD/large.py
	why large 'numpy.isnan(_)'
	[ "$status $(why_field cause)" = "1 memory" ]
	[[ "$(why_field message)" == *"the elements of the object take 4 EiB" ]]
	suai why large.py:large '_.tobytes()'
	[[ "$output" == *"[memory]"*"nothing works with so many elements; pass a part of them"* ]]
	refuses dimensions swapped 'numpy.linalg.svd(_)'
	offers 'numpy.linalg.svd(swapped.reshape(1, 1))' 'the result has the shape (1, 1)'
}

@test "an object none of whose interfaces can be decoded is not called copied by an array of the object" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > consumed.py <<-'PYTHON'
		import numpy


		class Consumed:
		    """Its only capsule was consumed."""
		    def __init__(self):
		        self.array = numpy.arange(3)
		        self.capsule = self.array.__dlpack__(max_version=(1, 0))
		        numpy.from_dlpack(self)

		    def __dlpack__(self, **keywords):
		        return self.capsule

		    def __dlpack_device__(self):
		        return 1, 0


		consumed = Consumed()
	PYTHON
	DATA=$PWD/consumed.py
	accepts wrong no-protocol consumed numpy:asarray
	[ "$(why_field message)" = 'no interface of the object can be read, and the result is an array of one Python object, which is the object itself' ]
}

@test "a result has the type of the object by whatever name its library has, and dates with and without a zone" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	DATA=$PWD/named.py
	cat > named.py <<-'PYTHON'
		import numpy


		class Column:
		    def __init__(self, dtype, array, copies=False):
		        self.dtype, self.array, self.copies = dtype, array, copies
		        self.shape = array.shape

		    def __array__(self, dtype=None, copy=None):
		        return self.array.copy() if self.copies else self.array

		    def to_numpy(self):
		        return self.array


		counts = Column("Int64", numpy.arange(3))
		reals = Column("double[pyarrow]", numpy.arange(3.0))
		flags = Column("Boolean", numpy.array([True, False]), copies=True)
		stamps = Column("timestamp[us, tz=UTC]", numpy.arange(3).astype("M8[us]"))
		spans = Column("Duration(time_unit='ms')", numpy.arange(3).astype("m8[ms]"))
		halves = Column("Int64", numpy.arange(3, dtype="i4"))
	PYTHON
	for name in counts reals stamps spans; do
		accepts shared null "$name" numpy:asarray
		[ "$(why_field message)" = null ]
	done
	why flags numpy:asarray
	[ "$(why_field verdict)" = copied ]
	[[ "$(why_field message)" != *' of Boolean'* ]]
	accepts shared null halves numpy:asarray
	[ "$(why_field message)" = 'the result views the memory of the Int64 elements as int32' ]
	refuses no-protocol flags numpy:from_dlpack
	offers 'numpy.from_dlpack(numpy.asarray(flags))' ''
	refuses no-protocol halves numpy:from_dlpack
	offers 'numpy.from_dlpack(numpy.asarray(halves))' 'elements become int32'
}

@test "lines that ignore the mask of an array that is rejected for another property have a note" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	printf '%s\n' 'import numpy' 'swapped = numpy.ma.array([1, 2], ">i4", mask=[False, True])' \
		'unmasked = numpy.ma.array([1, 2], ">i4")' > masked.py
	DATA=$PWD/masked.py
	refuses byte-order swapped numpy:from_dlpack
	offers "numpy.from_dlpack(swapped.astype(swapped.dtype.newbyteorder('=')))" 'ignores the mask'
	refuses byte-order unmasked numpy:from_dlpack
	offers "numpy.from_dlpack(unmasked.astype(unmasked.dtype.newbyteorder('=')))" ''
}

@test "elements of ml_dtypes that NumPy does not export are those of a line that does, and of other types" {
	requires numpy ml_dtypes
	suai why -f json -c 'import numpy, ml_dtypes; b = (numpy.arange(3) + .5).astype(ml_dtypes.bfloat16)' b numpy:from_dlpack
	[ "$status" -eq 1 ]
	jq -e '.why | .message == "elements of bfloat16 are not supported by the object'"'s"' __dlpack__" and .cause == "element-type"
		and any(.remedies[]; .line == "numpy.asarray(b)" and .reason == "the object already is a NumPy array")
		and any(.remedies[]; .line == "numpy.from_dlpack(b.astype('"'float32'"'))" and .works)' <<< "$output"
}

@test "a line that runs, and whose result cannot be compared, is not called failing" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	printf '%s\n' 'import numpy' 'class Opaque:' '    numpy = lambda self: numpy.arange(3)' 'opaque = Opaque()' > opaque.py
	DATA=$PWD/opaque.py
	why opaque numpy:from_dlpack
	[ "$status" -eq 1 ]
	jq -e '.why.remedies | any(.line == "numpy.from_dlpack(opaque.numpy())" and .works == null)' <<<"$output"
	suai why opaque.py:opaque numpy:from_dlpack
	[[ "$output" == *"ran, but the results could not be compared"*"ran          numpy.from_dlpack(opaque.numpy())"* ]]
	[[ "$output" != *fails* ]]
}

@test "an exception of __array__() that names the element type is of the element type" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	printf '%s\n' 'class Keys:' '    shape, dtype = (2,), "key<fry>"' '    def __array__(self, dtype=None, copy=None):' \
		'        raise TypeError("an array with key dtype cannot be converted to NumPy")' 'keys = Keys()' > keys.py
	DATA=$PWD/keys.py
	why keys numpy:asarray
	[ "$(why_field cause)" = element-type ]
	[ "$(why_field message)" = "the object cannot convert elements of key<fry> to those of an array of NumPy" ]
}

@test "lines that change values or narrow the type have a note, and float() is offered" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	DATA=$PWD/changes.py
	cat > changes.py <<-'PYTHON'
		import numpy


		NA = object()


		class Nullable:
		    """As a series of pandas with nulls: a copy has NaN."""
		    shape, dtype = (3,), "Int64"

		    def __array__(self, dtype=None, copy=None):
		        if copy is False:
		            raise ValueError("a copy is required")
		        return numpy.array([1, numpy.nan, 3])

		    def to_numpy(self):
		        return self.__array__()

		    def tolist(self):
		        return [1, NA, 3]


		class Half:
		    """As a tensor of PyTorch: float() instead of astype()."""
		    def __init__(self, array):
		        self.array, self.__array_interface__ = array, array.__array_interface__

		    def float(self):
		        return self.array.astype("float32")


		nullable, half, array = Nullable(), Half(numpy.array([1.5, 2], "f2")), numpy.array([1, 2], "f2")


		def consume(x):
		    if type(x) is Nullable:
		        raise TypeError("cannot convert a null")
		    if numpy.asarray(x).dtype == "f2":
		        raise TypeError("unsupported ScalarType float16")
		    return numpy.asarray(x)
	PYTHON
	why nullable changes.py:consume
	offers 'consume(nullable.to_numpy())' 'nulls become NaN: element (1,) is nan, expected a null; elements become float64'
	why half changes.py:consume
	offers 'consume(half.float())' ''
	why array changes.py:consume
	offers "consume(array.astype('float32'))" ''
	offers "consume(array.astype('uint8'))" 'elements become uint8'
}

@test "a note states what nulls become, whatever the method that converts them" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	DATA=$PWD/nulls.py
	cat > nulls.py <<-'PYTHON'
		import numpy


		class Series:
		    """As one of polars: without __array_interface__ and tolist()."""
		    def __init__(self, dtype, values, copy):
		        self.dtype, self.values, self.array, self.shape = dtype, values, copy, copy.shape
		        self.null_count = lambda: values.count(None)

		    def to_numpy(self):
		        return self.array

		    def to_list(self):
		        return self.values

		    def fill_null(self, value):
		        if type(value) is not bool:
		            raise ValueError("expected a boolean")
		        return numpy.array([value if each is None else each for each in self.values])

		    def __getitem__(self, item):
		        return Series(self.dtype, self.values[item], self.array[item])


		class Table(Series):
		    to_list = None

		    def rows(self):
		        return self.values


		numbers = Series("Int64", [1, None, 3], numpy.array([1, numpy.nan, 3]))
		filled = Series("Int64", [1, None, 3], numpy.array([1, 7, 3]))
		dates = Series("Date", [18262, None], numpy.array(["2020-01-01", "NaT"], "M8[D]"))
		flags = Series("Boolean", [True, None], numpy.array([True, None], object))
		table = Table("Float64", [(1, 2), (3, None)], numpy.array([[1, 2], [3, numpy.nan]]))
		# More elements than suai compares:
		large = Series("Int64", [1, None] + 100000 * [3], numpy.array([1, numpy.nan] + 100000 * [3]))


		def consume(x):
		    if type(x) in (Series, Table):
		        raise TypeError("has nulls, which are not supported")
		    return x


		def without_objects(x):
		    return None.shape if consume(x).dtype == object else x
	PYTHON
	why numbers nulls.py:consume
	offers 'consume(numbers.to_numpy())' 'nulls become NaN: element (1,) is nan, expected a null; elements become float64'
	why filled nulls.py:consume
	offers 'consume(filled.to_numpy())' 'nulls become values: element (1,) is 7, expected a null'
	why dates nulls.py:consume
	offers 'consume(dates.to_numpy())' 'nulls become NaT: element (1,) is NaT, expected a null'
	why table nulls.py:consume
	offers 'consume(table.to_numpy())' 'nulls become NaN: element (1, 1) is nan, expected a null'
	why large nulls.py:consume
	offers 'consume(large.to_numpy())' 'nulls become NaN: element (1,) is nan, expected a null; elements become float64'
	why flags nulls.py:consume
	offers 'consume(flags.fill_null(False))' 'nulls become False'
	offers 'consume(numpy.asarray(flags.fill_null(False)))' 'nulls become False'
	jq -e 'all(.why.remedies[]; .line | contains("fill_null(0)") | not)' <<<"$output"
}

@test "a result of Python objects has a note, and one that is the object is not a line that works" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	DATA=$PWD/objects.py
	cat > objects.py <<-'PYTHON'
		import numpy


		class Flags:
		    """As an array of PyArrow: bits with a null."""
		    dtype, shape = "bool", (2,)

		    def __array__(self, dtype=None, copy=None):
		        return numpy.array([True, None], object)

		    def tolist(self):
		        return [True, None]


		flags = Flags()
		objects = numpy.array([1, "a", None], object)
		records = numpy.zeros(3, [("a", "i4"), ("b", "f8")])
		words = numpy.array(["a", "bc"])
	PYTHON
	why flags numpy:from_dlpack
	offers 'numpy.asarray(flags)' 'elements become Python objects'
	for name in objects records words; do
		why "$name" numpy:from_dlpack
		[ "$(why_field cause)" = element-type ]
		jq -e --arg name "$name" 'all(.why.remedies[]; .works != true or (.line | test("records\\["))) and any(.why.remedies[]; .line == "numpy.asarray(\($name))" and .works == false and
			.reason == "the object already is a NumPy array")' <<<"$output"
	done
	[[ "$(why_field message)" == 'elements of <U2 '* ]]
	suai why objects.py:objects numpy:from_dlpack
	[[ "$output" == *'elements of object '*'lines that suai tried; the object already is a NumPy array'* ]]
}

@test "an object whose library the consumer rejects with any elements lacks the protocol" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	mkdir polars
	cat > polars/__init__.py <<-'PYTHON'
		import numpy


		class Series:
		    def __init__(self, values, dtype=None):
		        self.values = values
		        self.dtype, self.shape = dtype or self.values.dtype, self.values.shape

		    def cast(self, dtype):
		        return Series(self.values, dtype)

		    def to_numpy(self):
		        return self.values.astype(object)


		words = Series(numpy.array(["a", "b"]), "String")


		def consume(x):
		    if type(x) is Series or x.dtype == object:
		        raise RuntimeError("invalid capsule")
		    return x
	PYTHON
	why() { suai why -f json "polars:$1" "polars:consume"; }
	why words
	jq -e '.why.cause == "no-protocol"' <<<"$output"
}

@test "attempts are counted on a terminal if they take long, and lines of text are filled" {
	requires script
	cd "$BATS_TEST_TMPDIR"
	printf '%s\n' 'import array, time' 'a = array.array("d", [1, 2])' 'def reject(x):' '    time.sleep(0.02)' '    raise TypeError("no; native, contiguous arrays are accepted, in this order, but not what was passed here")' > slow.py
	COLUMNS=80 run -1 on_terminal xterm "'$SUAI' why slow.py:a slow.py:reject"
	[[ "$output" == *"#"*" % "*" of "*" attempts"*"refused"*"TypeError: no; native, contiguous arrays are accepted, in this"$'\r\n'* ]]
	run -1 on_terminal xterm "'$SUAI' why -q slow.py:a slow.py:reject"
	[[ "$output" != *" attempts"* && "$output" == *"refused"* ]]
}

@test "every line that the tests above were offered works" {
	local documents

	documents=$(find "$BATS_FILE_TMPDIR/offered" -name '*.json' | sort)
	[ -n "$documents" ] || skip "no test above was run"
	# shellcheck disable=SC2086 # a path each
	[ "$("$TEST_PYTHON" "$ROOT/testdata/why/run_lines.py" $documents)" -gt 60 ]
}

@test "an object that can only be read in the process that made it is not one without interfaces" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > owned.py <<-'END'
		import os
		import numpy
		process = os.getpid()
		class Owned:
		    def __init__(self):
		        self.array = numpy.arange(3.0)
		    @property
		    def __array_interface__(self):
		        if os.getpid() != process:
		            os.abort()
		        return self.array.__array_interface__
		a = Owned()
	END
	suai why owned.py:a numpy:from_dlpack
	[ "$status" -eq 1 ]
	[[ "$output" == *"this one exposes numpy [no-protocol]"*"works        numpy.from_dlpack(numpy.asarray(a))  (no copy)"* ]]
}

@test "the consumer's module is not imported again for each line, unless it starts threads" {
	cd "$BATS_TEST_TMPDIR"
	cat > incomplete.py <<-'END'
		class Incomplete:
		    __array_interface__ = {"shape": (3,), "version": 3, "data": (16, False)}
		a = Incomplete()
	END
	cat > counted.py <<-'END'
		import os, threading, time
		with open("imports", "a") as file:
		    print(file=file)
		if os.path.exists("threads"):
		    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
		def read(x):
		    raise TypeError("not read")
	END
	suai why -f json incomplete.py:a counted:read
	[ "$(jq '.why.remedies | length' <<< "$output")" -ge 5 ]
	# Called, diagnosed, tried in two forks, and imported for the lines and the other objects.
	[ "$(wc -l < imports)" -le 6 ]
	jq '.why.cause, .why.message, [.why.remedies[].works]' <<< "$output" > once
	rm imports
	touch threads
	suai why -f json incomplete.py:a counted:read
	[ "$(wc -l < imports)" -gt 6 ] # forks of a process with threads would not be safe
	jq '.why.cause, .why.message, [.why.remedies[].works]' <<< "$output" | diff once -
}

@test "the cause of a refusal names the interfaces of the object, and those that raise" {
	requires numpy
	suai why -c 'import mmap; m = mmap.mmap(-1, 16); m.close()' m numpy:from_dlpack
	[ "$status" -eq 1 ]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *" the object exposes buffer (which raises ValueError), but not dlpack [no-protocol]"* ]]
}

@test "an array of Python objects that NumPy makes of what it cannot read proves nothing" {
	requires numpy
	suai why -c 'class Result: pass
result = Result()' result numpy:frombuffer
	[ "$status" -eq 1 ]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *" works none of the "*" lines that suai tried; numpy.frombuffer(numpy.asarray(result)) fails: it passes the object itself, or its items, in an array of Python objects "* ]]
}

@test "the elements of an array whose address is NULL are undefined, and are not called a copy" {
	requires numpy
	# PyTorch exports such a tensor for a DTensor.
	code='import ctypes, numpy
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
class Null:
	def __init__(self): self.array = numpy.arange(3) + 0x123456789abc
	def __dlpack_device__(self): return 1, 0
	def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
		capsule = self.array.__dlpack__(max_version=max_version)
		name, offset = (b"dltensor_versioned", 32) if max_version else (b"dltensor", 0)
		ctypes.c_void_p.from_address(pointer(capsule, name) + offset).value = None # data
		return capsule
class Sharded(Null):
	def full_tensor(self): return self.array
class Refused:
	__array_interface__ = {"version": 3, "shape": (3,), "typestr": "<i8", "data": (0, False)}
null, sharded, refused = Null(), Sharded(), Refused()'
	suai why -c "$code" null numpy:from_dlpack
	[ "$status" -eq 0 ]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *'whether the result has the elements of the object is unknown '*' cause the object declares NULL as the address of its elements, so that those of the result are undefined [producer-error]'* ]]
	suai why -c "$code" sharded numpy:from_dlpack
	[ "$status" -eq 0 ]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *'the result has other elements '*'those of the result are undefined: element (0,) is '*', expected 20015998343868 [producer-error] works numpy.from_dlpack(sharded.full_tensor()) '* ]]
	suai why -v -c "$code" null numpy:frombuffer
	[ "$status" -eq 1 ]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *' tried numpy.frombuffer(numpy.from_dlpack(null)): the object declares NULL as the address of its elements '* ]]
	suai why -c "$code" refused numpy:asarray
	[ "$status" -eq 1 ]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *' cause the object declares NULL as the address of its elements [producer-error]'* ]]
}

@test "a method of the object that raises without a message, or returns no array, is named" {
	requires numpy
	code='class Silent:
	def __dlpack_device__(self): return 1, 0
	def __dlpack__(self, **keywords): raise BufferError
class Fails:
	def __array__(self, dtype=None, copy=None): raise NotImplementedError
class Nothing:
	def __array__(self, dtype=None, copy=None): pass
silent, fails, nothing = Silent(), Fails(), Nothing()'
	suai why -f json -c "$code" silent numpy:from_dlpack
	jq -e '[.why.step, .why.cause] == ["silent.__dlpack__(max_version=(1, 0))", "producer-error"]' <<< "$output"
	suai why -f json -c "$code" fails numpy:asarray
	jq -e '[.why.step, .why.cause, .why.message] == ["fails.__array__()", "producer-error",
		"a method of the object raises the exception: NotImplementedError"]' <<< "$output"
	suai why -f json -c "$code
class Unnumbered:
	def __dlpack_device__(self): return 1, None
	def __dlpack__(self, **keywords): raise BufferError
unnumbered = Unnumbered()" unnumbered 'int(_.__dlpack_device__()[1])'
	jq -e '[.why.cause, .why.message] == ["producer-error", "__dlpack_device__() of the object does not return two integers"]' <<< "$output"
	suai why -f json -c "$code" nothing numpy:asarray
	jq -e '[.why.cause, .why.message] == ["producer-error", "__array__() of the object does not return an array"]' <<< "$output"
}

@test "of lines whose results cannot be compared, four are printed, and all with -v" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > opaque.py <<-'PYTHON'
		import numpy


		class Opaque:
		    """Elements of which every interface gives only the size, and no method the values."""
		    shape, dtype = (3,), "int24"
		    __array_interface__ = numpy.zeros(3, "V3").__array_interface__ | {"data": b"\0" * 9}

		    def astype(self, dtype):
		        return numpy.zeros(3, dtype)


		def takes_numbers(array):
		    if not isinstance(array, numpy.ndarray) or array.dtype.kind == "V":
		        raise TypeError("unsupported dtype int24")
		    return array


		a = Opaque()
	PYTHON
	suai why opaque.py:a opaque.py:takes_numbers
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"lines that suai tried ran, but the results could not be compared (-v lists the lines)"* ]]
	[ "$(grep -c '^    ran ' <<< "$output")" -eq 4 ]
}

@test "a consumer that makes one Python object of an object with only DLPack reads no interface of it" {
	requires jax
	cd "$BATS_TEST_TMPDIR"
	cat > a.py <<-'END'
		import numpy as np
		class OnlyDlpack:
		    def __init__(self, array):
		        self.array = array
		    def __dlpack__(self, **keywords):
		        return self.array.__dlpack__(**keywords)
		    def __dlpack_device__(self):
		        return self.array.__dlpack_device__()
		only = OnlyDlpack(np.arange(6, dtype="i4"))
		array = np.arange(6.0)
		def as_cuda_array(obj):
		    if not hasattr(obj, "__cuda_array_interface__"):
		        raise TypeError("*obj* doesn't implement the cuda array interface.")
	END
	DATA=$PWD/a.py
	why only 'jax.numpy.asarray(_)'
	[ "$(why_field cause)" = no-protocol ]
	[ "$(why_field message)" = 'the consumer reads no interface of the object, which exposes dlpack' ]
	[ "$(why_field 'remedies[0].line')" = 'jax.numpy.from_dlpack(only)' ]
	[ "$(why_field 'remedies[0].works')" = true ]
	for name in only array; do
		why "$name" 'as_cuda_array(_)'
		[ "$(why_field cause)" = no-protocol ]
		[[ "$(why_field message)" == *', but not cuda' ]]
	done
}

# A module with PyTorch's name, as there is no GPU.
@test "a tensor on a GPU with a pending operation, or of a type that NumPy lacks, is also copied to the host" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	mkdir modules
	cat > modules/torch.py <<-'END'
		class Tensor:
		    def __init__(self, array, place="cuda", requires_grad=False):
		        self.array, self.device, self.requires_grad = array, place + ":0", requires_grad
		        self.dtype = "torch.bfloat16" if array.dtype == "u2" else "torch.float64"
		    def __dlpack_device__(self):
		        return (2 if self.device == "cuda:0" else 1, 0)
		    def __dlpack__(self, **keywords):
		        if self.requires_grad:
		            raise RuntimeError("Can't export tensors that require gradient, use tensor.detach()")
		        if self.device == "cuda:0":
		            raise BufferError("a fake has no memory there")
		        return self.array.__dlpack__(**keywords)
		    def __array__(self, dtype=None, copy=None):
		        if self.device == "cuda:0":
		            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()")
		        if self.array.dtype == "u2":
		            raise TypeError("Got unsupported ScalarType BFloat16")
		        return self.array
		    def detach(self):
		        return Tensor(self.array, self.device[:-2])
		    def cpu(self):
		        return Tensor(self.array, "cpu", self.requires_grad)
		    def float(self):
		        return Tensor((self.array.astype("u4") << 16).view("f4"), self.device[:-2])
	END
	cat > a.py <<-'END'
		import numpy as np, torch
		tracked = torch.Tensor(np.arange(6.0), requires_grad=True)
		bfloat = torch.Tensor(np.arange(6, dtype="u2"))
	END
	export PYTHONPATH="$PWD/modules"
	suai why a.py:tracked 'numpy.from_dlpack(_)'
	[[ "$output" == *'ran          numpy.from_dlpack(tracked.detach().cpu())'* ]]
	suai why a.py:bfloat 'numpy.asarray(_)'
	[[ "$output" == *'ran          numpy.asarray(bfloat.float().cpu())'* ]]
}

@test "an exception that names the interface that the object lacks is explained" {
	requires sycl
	suai why -c 'import array; a = array.array("d", [1])' a dpctl.memory:as_usm_memory
	[ "$status" -eq 1 ]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *" cause the consumer does not take objects of this type; this one exposes only a buffer [no-protocol] works suai convert "*" --to sycl "* ]]
}

@test "what an accepting consumer changes is the cause: element types, scalars, byte order, nulls" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > layouts.py <<-'END'
		import numpy as np
		a, scalar, swapped, items = np.arange(3.0), np.float64(3), np.arange(3, dtype=">f8"), [1.0, None]
		def integers(x): return np.asarray(x).view("i8")
		def objects(x): return np.array(x, dtype=object)
		def copies(x): return np.array(x)
		def native(x): return np.asarray(x).astype("f8")
		def filled(x): return np.array([0 if item is None else item for item in x])
	END
	while IFS='|' read -r object consumer expected; do
		suai why "layouts.py:$object" "layouts.py:$consumer"
		[ "$status" -eq 0 ] || [ "$consumer" = filled ]
		[[ "$output" == *"$expected"* ]]
	done <<-'END'
		a|integers|note         the result views the memory of the float64 elements as int64
		scalar|objects|the consumer treats the scalar as a Python object, not as an array [dimensions]
		scalar|copies|the object is a scalar, whose memory consumers do not share [dimensions]
		swapped|native|the consumer copies to change the byte order of the elements [byte-order]
		items|filled|the consumer replaces nulls by values: element (1,) is 0, expected None [nulls]
	END
}

@test "a result whose interfaces end the process is named as the step" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > results.py <<-'END'
		import os
		import numpy
		a = numpy.arange(3.0)
		class Array:
		    def __array__(self, dtype=None, copy=None):
		        os.abort()
		class Interface:
		    @property
		    def __array_interface__(self):
		        os.abort()
		def array(x):
		    return Array()
		def interface(x):
		    return Interface()
	END
	for consumer in array interface; do
		suai why results.py:a "results.py:$consumer"
		[[ "$output" == *"exception    killed by SIGABRT
    step         the result of the consumer"* ]]
	done
}

@test "a line works whose elements can be compared only with what a method of the object returns" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > fields.py <<-'END'
		import numpy
		class Field:
		    def to_numpy(self):
		        return numpy.arange(6.0).reshape(2, 3)
		a = Field()
		released = memoryview(bytearray(8))
		released.release()
	END
	suai why fields.py:a numpy:from_dlpack
	[ "$status" -eq 1 ]
	[[ "$output" == *"works        numpy.from_dlpack(a.to_numpy())"* ]]
	suai why fields.py:released numpy:asarray
	[ "$status" -eq 0 ]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"no interface of the object can be read, and the result is an array of one Python object"* ]]
}

@test "a line that passes other elements does not work, whatever the consumer returns" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > values.py <<-'END'
		import numpy as np
		halves, whole, wide = np.array([0.5, -1.5], "f2"), np.array([1, 2], "f2"), np.array([2 ** 40])
		def needs(type, x):
		    if x.dtype != type:
		        raise TypeError("unsupported dtype")
		def nothing(x): needs("i4", x)
		def size(x): return needs("i4", x) or len(x)
		def handle(x): return needs("u1", x) or object()
		def total(x): return needs("u1", x) or x.sum()
		def flat(x): return needs("u1", x) or x.reshape(-1, 1)
		def unread(x):
		    if type(x) is not Opaque: raise TypeError("expected Opaque")
		class Opaque: pass
		class Wrapped:
		    def numpy(self): return Opaque()
		wrapped = Wrapped()
	END
	while IFS='|' read -r object consumer line works detail; do
		suai why -f json "values.py:$object" "values.py:$consumer"
		jq -e --arg line "$line" --argjson works "$works" --arg detail "$detail" \
			'any(.why.remedies[]; .line == $line and .works == $works and (.note // .reason) == $detail)' <<<"$output"
	done <<-'END'
		halves|nothing|nothing(halves.astype('int32'))|false|in what it passes, element (0,) is 0, expected 0.5
		wide|nothing|nothing(wide.astype('int32'))|false|in what it passes, element (0,) is 0, expected 1099511627776
		halves|size|size(halves.astype('int32'))|false|in what it passes, element (0,) is 0, expected 0.5
		halves|flat|flat(halves.astype('uint8'))|false|in what it passes, element (0,) is 0, expected 0.5
		whole|nothing|nothing(whole.astype('int32'))|true|returns None; elements become int32
		whole|handle|handle(whole.astype('uint8'))|true|returns object, which was not compared; elements become uint8
		whole|total|total(whole.astype('uint8'))|true|the result has other elements: its shape is (), expected (2,); elements become uint8
		whole|flat|flat(whole.astype('uint8'))|true|the result has the shape (2, 1); elements become uint8
		wrapped|unread|unread(wrapped.numpy())|null|the elements of what it passes could not be compared with those of the object
	END
	# Not one of suai convert, with the code of -c.
	suai why -c 'import values; a = values.halves' a values:nothing
	[[ "$(tr -s ' \n' ' ' <<<"$output")" == *"suai tried; values.nothing(a.astype('int32')) fails: in what it passes, element (0,) is 0, expected 0.5 "* ]]
	suai why -c 'import numpy as np; a = np.ones((3, 5))' a 'np.dot(_, np.ones(4))'
	[[ "$output" == *"; np.dot(a.reshape(-1), np.ones(4)) fails: "* ]]
}

@test "extents, Fortran order, alignment and element types are named only if a trial agrees" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > trials.py <<-'END'
		import numpy as np
		a, b, half, small = np.ones((3, 5)), np.arange(5.0), np.ones((2, 5), "f4"), np.arange(3)
		def needs(condition, message):
		    if not condition:
		        raise ValueError(message)
		def fortran(x): return needs(x.flags.f_contiguous, "ndarray is not Fortran contiguous") or x
		def column_major(x): return needs(x.ndim == 2 and x.flags.f_contiguous, "expected column-major array") or x
		def fours(x): return needs(x.shape[-1] % 4 == 0, "last dimension must be a multiple of 4") or x
		def eights(x): return needs(x.size >= 8, "need at least 8 elements") or x
		def image(x): return needs(x.ndim < 3 or x.shape[2] == 3, "invalid data shape") or x
		def matrix(x): return needs(x.ndim == 2, "expected 2 dimensions") or x
		def cache_lines(x): return needs(x.ctypes.data % 64 == 0, "address is not aligned") or x
		def never(x): needs(False, "not aligned")
		def int8(x): return needs(x.dtype == "i1", "expected int8") or x
		def text(x): return needs(x.dtype.kind == "S", "Expected bytes") or x
		def double(x): return needs(x.dtype == "f8", "wrong type") or x
		def waves(x): return needs(x.dtype == "c16", "wrong type") or x
		image_of_five = np.ones((4, 4, 5))
		unaligned = (lambda a: a[65 - a.ctypes.data % 64:][:64])(np.zeros(200, "u1"))
	END
	while IFS='|' read -r object consumer cause message line; do
		suai why -f json "trials.py:$object" "$consumer"
		jq -e --arg cause "$cause" --arg message "$message" --arg line "$line" '.why |
			(.cause // "unknown") == $cause and (.message | contains($message)) and
			(if $line == "" then true elif $line == "-" then all(.remedies[]; .works != true)
			else any(.remedies[]; .works and .line == $line) end)' <<<"$output"
	done <<-'END'
		a|np.dot(_, np.ones(4))|dimensions|the shape (3, 5); it accepts one of the shape (4, 4)|-
		a|np.concatenate([_, np.ones((2, 4))])|dimensions|the shape (3, 5); it accepts one of the shape (4, 4)|-
		a|np.linalg.inv(_)|dimensions|the shape (3, 5); it accepts one of the shape (3, 3)|-
		a|_.view("c16")|dimensions|the shape (3, 5); it accepts one of the shape (4, 4)|
		a|trials.py:fours|dimensions|the shape (3, 5); it accepts one of the shape (4, 4)|-
		b|trials.py:eights|dimensions|the shape (5,); it accepts one of the shape (8,)|-
		image_of_five|trials.py:image|dimensions|it accepts one of the shape (3, 3, 3)|
		a|trials.py:fortran|strides|requires Fortran order|fortran(numpy.asfortranarray(a))
		a|trials.py:column_major|strides|requires Fortran order|column_major(numpy.asfortranarray(a))
		b|trials.py:matrix|dimensions|an array of 1 dimension; it accepts one of 2 dimensions|matrix(b.reshape(1, *b.shape))
		unaligned|trials.py:cache_lines|alignment|it accepts a copy that is aligned to 64 bytes|
		b|trials.py:never|unknown|rejects an aligned copy, too|-
		small|trials.py:int8|element-type|it accepts an array of the same shape of int8|int8(small.astype('int8'))
		small|trials.py:text|element-type|it accepts an array of the same shape of bytes|
		half|trials.py:double|element-type|it accepts an array of the same shape of float64|double(half.astype('float64'))
		half|trials.py:waves|element-type|it accepts an array of the same shape of complex128|waves(half.astype('complex128'))
	END
}

@test "an interface of the object that refuses the elements is named, not the consumer, which accepts them" {
	requires jax
	cd "$BATS_TEST_TMPDIR"
	cat > reader.py <<-'E'
		import hashlib, jax.numpy, numpy
		a = jax.numpy.arange(6, dtype="bfloat16")
		def read(x):
		    if isinstance(x, numpy.ndarray):
		        return x
		    try:
		        hashlib.md5(x)
		    except (BufferError, TypeError):
		        raise TypeError("argument must support the buffer protocol") from None
		    return numpy.asarray(x)
	E
	suai why -f json reader.py:a reader.py:read
	[ "$status" -eq 1 ]
	jq -e '.why | .cause == "element-type" and any(.remedies[]; .works and .line == "read(numpy.asarray(a))")
		and (.message | startswith("elements of bfloat16 are not supported by the object'"'"'s buffer; the consumer accepts"))' <<<"$output"
}

@test "a function of PyTorch that copies by default has a line that shares the memory" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	mkdir -p stand_in/torch
	cat > stand_in/torch/__init__.py <<-'END'
		import numpy
		class Tensor:
		    def __init__(self, values): self.values = values
		    def __dlpack__(self, **keywords): return self.values.__dlpack__(**keywords)
		    def __dlpack_device__(self): return self.values.__dlpack_device__()
		def tensor(a): return Tensor(numpy.array(a))
		def as_tensor(a): return Tensor(numpy.asarray(a))
	END
	PYTHONPATH=$PWD/stand_in suai why -f json -c 'import numpy; a = numpy.arange(20.0)' a torch:tensor
	[ "$status" -eq 0 ]
	jq -e '.why | .cause == "consumer-copies" and any(.remedies[]; .line == "torch.as_tensor(a)" and .works and (.copies | not))' <<< "$output"
}

@test "docs/why.md shows what its command prints" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	local blocks
	blocks=$(sed -n '/^```/,/^```$/p' "$ROOT/docs/why.md")
	sed -n '/^```python$/,/^```$/p' <<<"$blocks" | grep -v '^```' > arrays.py
	sed -n '/^```console$/,/^```$/p' <<<"$blocks" | grep -v '^```' > session
	[ "$(head -n 1 session)" = '$ suai why arrays.py:big_endian numpy:from_dlpack' ]
	COLUMNS=100 "$SUAI" why arrays.py:big_endian numpy:from_dlpack > printed || [ $? -eq 1 ]
	diff <(tail -n +2 session) printed
}

@test "an exception of __array__() is of the object, and to_dense() is a line that works" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > sparse_vector.py <<-'END'
		import numpy
		class Vector:
		    shape, size = (4,), 4
		    def __array__(self, dtype=None, copy=None):
		        raise TypeError("Vector can't be directly converted to a numpy array")
		    def to_dense(self): return numpy.arange(4.0)
		vector = Vector()
	END
	suai why -f json sparse_vector.py:vector numpy:asarray
	[ "$status" -eq 1 ]
	jq -e '.why | .cause == "producer-error" and ([.remedies[] | select(.works).line] == ["numpy.asarray(vector.to_dense())"])' <<< "$output"
}

@test "an Arrow interface that is malformed is the cause of its consumer's exception" {
	requires pyarrow
	cd "$BATS_TEST_TMPDIR"
	cat > arrow.py <<-'END'
		import pyarrow
		class Twice:
		    """Exports an array that was imported, which released it."""
		    def __init__(self): self.capsules = pyarrow.array([1.0, 2.0]).__arrow_c_array__()
		    def __arrow_c_array__(self, requested_schema=None): return self.capsules
		class Single:
		    def __arrow_c_array__(self, requested_schema=None): return pyarrow.array([1.0]).__arrow_c_array__()[1]
		class Swapped:
		    def __arrow_c_array__(self, requested_schema=None): return pyarrow.array([1.0]).__arrow_c_array__()[::-1]
		twice, single, swapped = Twice(), Single(), Swapped()
		pyarrow.array(twice)
	END
	for name in twice swapped; do
		suai why -f json "arrow.py:$name" pyarrow:array
		[ "$status" -eq 1 ]
		jq -e '.why | .cause == "producer-error" and (.message | startswith("the object'"'"'s Arrow interface is malformed: "))' <<< "$output"
	done
	suai why -f json arrow.py:single pyarrow:array
	[ "$status" -eq 1 ]
	jq -e '.why | .cause != "no-protocol"' <<< "$output"
	suai why -f json arrow.py:swapped numpy:from_dlpack
	jq -e '.why.cause == "no-protocol"' <<< "$output"
}

@test "the cause is found by passing other objects even if lines worked only after others in one process" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	# A process with a thread is not forked.
	cat > counting.py <<-'END'
		import numpy, threading, time
		threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
		array, n_calls = numpy.array([1, 2, 3], "f2"), 0
		def consume(x):
		    global n_calls
		    n_calls += 1
		    if x.ndim != 2 and (n_calls == 1 or x.dtype != "f4" or x.tolist() != [1, 2, 3]):
		        raise TypeError("unsupported dtype: float16")
		    return x
	END
	suai why counting.py:array counting.py:consume
	[ "$status" -eq 1 ]
	[[ "$output" == *"it accepts one of 2 dimensions [dimensions]"*"consume(array.reshape(1, *array.shape))"* ]]
}

@test "the device is not the cause if the consumer accepts an array that the object's library makes on it" {
	requires dpnp
	cat > "$BATS_TEST_TMPDIR/device.py" <<- 'END'
		import dpnp
		import numpy

		sliced = dpnp.zeros((6, 8, 4), dtype="u1")[:, :, :3]
		plain = dpnp.zeros((3, 4), dtype="f4")

		def packed(x):
		    if not isinstance(x, numpy.ndarray) and x.strides[-2] != x.shape[-1]:
		        raise RuntimeError("Pitch of dimension 1 must be == 3 (packed), but it is 4")
		    return x

		def integers(x):
		    if not isinstance(x, numpy.ndarray) and x.dtype != dpnp.int32:
		        raise RuntimeError("bad input")
		    return x

		def host(x):
		    if not isinstance(x, numpy.ndarray):
		        raise RuntimeError("bad input")
		    return x
	END
	DATA="$BATS_TEST_TMPDIR/device.py"
	why sliced device:packed
	[ "$(why_field cause)" = strides ]
	[[ "$(why_field message)" == *"(32, 4, 1) bytes"* ]]
	works
	why plain device:integers
	[ "$(why_field cause)" = element-type ]
	[[ "$(why_field message)" == *"accepts an array of the same shape of int32"* ]]
	why plain device:host
	[ "$(why_field cause)" = device ]
	[[ "$(why_field message)" == *"accepts a copy on the host" ]]
	works
}

@test "elements on a device are converted to another type in memory of the host" {
	requires dpnp
	cat > "$BATS_TEST_TMPDIR/device.py" <<- 'END'
		import dpnp
		import numpy

		integers = dpnp.arange(12, dtype="i4").reshape(3, 4)

		def doubles(x):
		    if not isinstance(x, numpy.ndarray):
		        raise TypeError(f"expected a numpy array, got {type(x).__name__}")
		    if x.dtype != numpy.float64:
		        raise TypeError(f"unsupported dtype {x.dtype}")
		    return x
	END
	DATA="$BATS_TEST_TMPDIR/device.py"
	why integers device:doubles
	[ "$(why_field cause)" = device ]
	[ "$(jq -r '.why.remedies[] | select(.works).line' <<< "$output")" = "device.doubles(dpnp.asnumpy(integers).astype('float64'))" ]
}

@test "a cause that could not be confirmed, because the object could not be created again, is said to be unconfirmed" {
	cat > "$BATS_TEST_TMPDIR/once.py" <<- END
		import os
		import numpy

		count = "$BATS_TEST_TMPDIR/count"
		with open(count, "a") as file:
		    file.write("x")
		if os.path.getsize(count) > 1:
		    raise MemoryError("no memory left")
		a = numpy.arange(24.0).reshape(2, 3, 4)[:, :, ::2]

		def packed(x):
		    if not x.flags.c_contiguous:
		        raise ValueError("Pitch of dimension 1 must be packed")
		    return x
	END
	DATA="$BATS_TEST_TMPDIR/once.py"
	why a once:packed
	[ "$status" -eq 1 ]
	[[ "$(why_field message)" == *"(unconfirmed, since the object could not be created again: MemoryError: no memory left)" ]]
	jq -e '.why.remedies | length > 0 and all(.works | not)' <<<"$output"
	[ "$(jq -r '.why.remedies[0].reason' <<<"$output")" = "MemoryError: no memory left" ]
	cat > "$BATS_TEST_TMPDIR/created.py" <<- END
		import os
		import numpy

		def create():
		    if os.path.exists("$BATS_TEST_TMPDIR/created"):
		        os.abort()
		    open("$BATS_TEST_TMPDIR/created", "w").close()
		    return numpy.arange(8.0)[::2]

		def packed(x):
		    if not x.flags.c_contiguous:
		        raise ValueError("Pitch of dimension 1 must be packed")
		    return x
	END
	DATA="$BATS_TEST_TMPDIR/created.py"
	why 'create()' created:packed
	[ "$status" -eq 1 ]
	[[ "$(why_field message)" == *"(unconfirmed, since the object could not be created again: killed by SIGABRT)" ]]
}

@test "a consumer that requires memory of a device is offered copies there, but not because a name contains cuda" {
	cat > "$BATS_TEST_TMPDIR/wrap.py" <<- 'END'
		import numpy

		a = numpy.zeros((4, 5), "f4")

		def wrap(x):
		    raise RuntimeError("Only CUDA-accessible memory buffers can be wrapped")

		def named(x):
		    raise TypeError("named(): expected cvcuda.ExternalBuffer")
	END
	DATA="$BATS_TEST_TMPDIR/wrap.py"
	why a wrap:wrap
	[ "$(why_field cause)" = device ]
	[ "$(why_field message)" = "its elements are in memory of the host, and the consumer requires memory of a device" ]
	jq -e '[.why.remedies[].line] | any(contains("--to dlpack --device cuda:0")) and any(contains("--to cuda"))' <<<"$output"
	why a wrap:named
	[ "$(why_field cause)" != device ]
	run -0 jq -r '[.why.remedies[].line] | any(contains("cuda"))' <<<"$output"
	[ "$output" = false ]
}

@test "a sparse array whose elements would need too much memory is not made dense" {
	cat > "$BATS_TEST_TMPDIR/sparse.py" <<- 'END'
		import numpy

		class Matrix:
		    shape = (1 << 30, 1 << 30)
		    def to_coo(self): pass
		    def to_dense(self, fill):
		        open("dense", "w").close()
		        return numpy.full(10, fill)

		class Vector(Matrix):
		    shape = (10,)

		class Tensor:
		    shape = (1 << 30, 1 << 30)
		    def __array__(self, dtype=None, copy=None): raise TypeError("not dense")
		    def to_dense(self): return Matrix.to_dense(self, 0)

		matrix, vector, tensor = Matrix(), Vector(), Tensor()
	END
	cd "$BATS_TEST_TMPDIR"
	DATA=sparse.py
	why matrix numpy:from_dlpack
	[ "$(why_field cause)" = no-protocol ]
	[ "$(jq -r '.why.remedies[] | select(.line == "numpy.from_dlpack(matrix.to_dense(0))") | "\(.works) \(.reason)"' <<<"$output")" = \
		'null not tried: the array would have more than 33,554,432 elements' ]
	[ ! -e dense ]
	why tensor numpy:asarray
	[ "$(why_field cause)" = producer-error ]
	[ ! -e dense ]
	why vector numpy:from_dlpack
	[ "$(jq -r '.why.remedies[] | select(.works).line' <<<"$output")" = 'numpy.from_dlpack(vector.to_dense(0))' ]
	[ -e dense ]
}

@test "a table is converted to a DataFrame by a line unless it would need too much memory" {
	cat > "$BATS_TEST_TMPDIR/duckdb.py" <<- 'END'
		import numpy
		class Frame: # as those of pandas
		    def __init__(self, array): self.array = array
		    def to_numpy(self): return self.array
		    def __array__(self, dtype=None, copy=None): return self.array
		class Relation: # as those of DuckDB, whose shape is that of the result of a query
		    def __init__(self, n_rows): self.shape = (n_rows, 2)
		    def __len__(self): return self.shape[0]
		    def __getitem__(self, key): raise TypeError("a relation is indexed by the name of a column")
		    def fetchnumpy(self): raise NotImplementedError
		    def to_df(self): return Frame(numpy.arange(6.0).reshape(3, 2))
		small, large = Relation(3), Relation(1 << 30)
	END
	cd "$BATS_TEST_TMPDIR"
	suai why -f json duckdb.py:small numpy:asarray
	jq -e '[.why.remedies[] | select(.works).line] == ["numpy.asarray(small.to_df())"]' <<< "$output"
	# Methods that the object does not have are not listed.
	suai why -f json duckdb.py:large numpy:asarray
	jq -e '[.why.remedies[] | select(.line | contains(".to_")) | [.line, .works, .reason]] == [
		["numpy.asarray(large.to_df())", null, "not tried: the array would have more than 33,554,432 elements"]]' <<< "$output"
}
