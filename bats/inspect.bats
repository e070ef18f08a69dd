#!/usr/bin/env bats
# suai inspect: what it captures, from real libraries, from fixed interfaces and from invalid pointers.

load helpers

DATA="$ROOT/testdata/inspect"

# truth_of FILE ARGUMENT...: every interface reports what the library itself reports.
truth_of() {
	local file="$1"
	shift
	export TRUTH="$BATS_TEST_TMPDIR/truth"
	suai inspect -f json --values=100 --checksum "$@" "$DATA/$file"
	[ "$status" -eq 0 ]
	printf '%s' "$output" > "$BATS_TEST_TMPDIR/document"
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_objects.py" "$BATS_TEST_TMPDIR/document" "$TRUTH"
	echo "$output"
	[ "$status" -eq 0 ]
}

# interface TARGET PROTOCOL PATH: from the document in output.
interface() {
	jq -r --arg name "$1" --arg protocol "$2" '.targets[] | select(.target | endswith(":" + $name))
		| .interfaces[] | select(.protocol == $protocol) | '"$3" <<<"$output"
}

names() {
	jq -r '[.targets[].target | sub(".*:"; "")] | join(" ")' <<<"$output"
}

@test "NumPy in every dtype and layout: inspect reports what NumPy reports" {
	requires numpy
	truth_of numpy_objects.py
}

@test "dpnp over every kind of USM, and dpctl's memory: inspect reports what they report" {
	requires dpnp sycl
	truth_of dpnp_objects.py
}

@test "array, bytes, memoryview, mmap and ctypes: inspect reports what they report" {
	truth_of stdlib_objects.py -p buffer
}

@test "pyarrow, tvm_ffi and ml_dtypes: inspect reports what they report" {
	requires numpy pyarrow tvm_ffi ml_dtypes
	truth_of peers_objects.py -p dlpack -p numpy -p buffer
}

@test "interfaces with fixed content, in text and yaml" {
	cd "$ROOT"
	COLUMNS=100 suai inspect testdata/inspect/fixed.py
	[ "$status" -eq 0 ]
	golden inspect/fixed.txt
	suai inspect -f yaml testdata/inspect/fixed.py:{cuda_0,masked,odd,listed,wild,deep}
	[ "$status" -eq 0 ]
	golden inspect/fixed.yaml
}

@test "a key that is not a str is shown with its type and value" {
	cd "$BATS_TEST_TMPDIR"
	cat > keys.py <<-'EOF'
		class Exporter: pass
		declared = {'shape': (2,), 'typestr': '<f4', 'data': (4096, False), 'version': 3, 1: 2, b'x': [1], 'y': 3,
		            '<int 1>': 4, '<z': 5, 'b\\c': 6, b'\0\\': 7}
		numpy, cuda, sycl = Exporter(), Exporter(), Exporter()
		numpy.__array_interface__ = declared
		cuda.__cuda_array_interface__ = declared
		sycl.__sycl_usm_array_interface__ = dict(declared, version=1, syclobj='cpu')
	EOF
	COLUMNS=100 suai inspect keys.py:numpy
	[[ "$output" == *"<int 1>: 2,"*"<bytes b'x'>: [1], 'y': 3, <str '<int 1>'>: 4, '<z': 5,"* ]]
	[[ "$output" == *"'b\\\\c': 6,"*"<bytes b'\\x00\\\\'>: 7}"* ]]
	suai inspect -f yaml keys.py:numpy
	[[ "$output" == *"      <int 1>: 2"* && "$output" == *"      <bytes b'x'>: [1]"* ]]
	for rule in NAI004 CAI004 SUAI004; do
		suai validate --static -f concise --select $rule keys.py
		[[ "$output" == *" note $rule unknown-keys: unknown key <int 1>"* ]]
		[[ "$output" == *": unknown key <bytes b'x'>"* && "$output" == *": unknown key 'y'"* && "$output" == *": unknown key '<z'"* ]]
	done
}

@test "each of 10,000 exports is deleted once, and memory stays constant" {
	export TRUTH="$BATS_TEST_TMPDIR/counts"
	COUNT=10000 suai inspect -p dlpack -f json "$DATA/counted.py"
	[ "$status" -eq 0 ]
	jq -e '[.targets[] | select(.status != "ok")] == []' <<<"$output"
	jq 'del(.sizes)' "$TRUTH"
	jq -e '.made == .deleted and .live == 0 and .made.both >= 20000' "$TRUTH"
	jq -e '.made | [.old, .future, .misnamed, .dropped, .lying] == [3, 5, 3, 2, 5]' "$TRUTH"
	jq -e '.sizes[-1] - .sizes[2000] < 2048' "$TRUTH"
}

@test "of a capsule of another major version only the header is read, and it is deleted" {
	suai inspect -f json "$DATA/counted.py:future"
	[ "$(interface future dlpack '.declared | [.version, .dl_tensor, .flags] | tojson')" = "[[9,0],null,null]" ]
}

@test "invalid pointers in DLPack's structs are facts" {
	suai inspect -p dlpack -f json "$DATA/wild_dlpack.py"
	[ "$status" -eq 0 ]
	[ "$(interface struct dlpack .declared.dl_tensor)" = "<memory at 0x10 cannot be read>" ]
	[ "$(interface shape dlpack .declared.dl_tensor.shape)" = "<memory at 0x8 cannot be read>" ]
	[ "$(interface strides dlpack .declared.dl_tensor.strides)" = "<memory at 0xffffffffffffff00 cannot be read>" ]
	[ "$(interface n_dims dlpack '.declared.dl_tensor | [.ndim, (.shape | length)] | tojson')" = "[1000,64]" ]
	[ "$(interface negative dlpack '.declared.dl_tensor | [.ndim, .shape] | tojson')" = "[-1,[]]" ]
	[ "$(interface offset dlpack .declared.dl_tensor.byte_offset)" = 18446744073709551615 ]
	[ "$(interface name dlpack .declared.capsule.name)" = '\xff\xfe' ]
	[ "$(interface used dlpack '[.declared.capsule.name, .declared.dl_tensor] | tojson')" = '["used_dltensor",null]' ]
	[ "$(interface nameless dlpack .declared.capsule.name)" = null ]
	[ "$(interface number dlpack .declared.capsule)" = 5 ]
	[ "$(interface far dlpack '[.array.memory.kind, .array.memory.readable] | tojson')" = '["unknown",false]' ]
	[ "$(interface oneapi dlpack .array.memory.kind)" != host ]
	[[ "$(interface deleter dlpack .declared.deleter)" =~ ^'<memory at 0x'[0-9a-f]+' is not executable>'$ ]]
	jq -e '[.targets[].status] | unique == ["ok"]' <<<"$output"
}

@test "the keywords of the command line reach __dlpack__, and no others" {
	suai inspect -p dlpack -f json "$DATA/keywords.py:recorder"
	jq -e '[.targets[0].calls[] | [.step, .outcome, .error.message]] ==
		[["__dlpack__()", "refused", ""],
		 ["__dlpack__(max_version=(1, 3))", "refused", "max_version=(1, 3)"]]' <<<"$output"
	expect_call() {
		local message="$1"
		shift
		suai inspect -p dlpack -f json "$@" "$DATA/keywords.py:recorder"
		jq -e --arg message "$message" '[.targets[0].calls[] | [.step, .error.message]] ==
			[["__dlpack__(\($message | sub("a queue"; "queue")))", $message]]' <<<"$output"
	}
	expect_call "max_version=(1, 1)" --max-version 1.1
	expect_call "max_version=None" --max-version none
	expect_call "dl_device=(1, 0)" --dl-device cpu
	expect_call "dl_device=(2, 1)" --dl-device cuda:1
	expect_call "copy=None" --copy auto
	expect_call "copy=True" --copy always
	expect_call "copy=False" --copy never
	expect_call "stream=None" --stream none
	expect_call "stream=-1" --stream -1
	expect_call "stream=9223372036854775807" --stream 0x7fffffffffffffff
	suai inspect --stream 0x8000000000000000 -c 'import array; a = array.array("b")' a
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --stream '0x8000000000000000': expected none, a number below 2^63, new, or py:EXPR" ]
	expect_call "stream=a queue" --stream py:queue
	expect_call "stream=2, copy=False" --stream 2 --copy never
}

@test "an unavailable stream is the user's mistake, not the object's" {
	script='import array; a = array.array("d", [1])
class D:
	def __dlpack__(self, stream=None): raise BufferError
	def __dlpack_device__(self): return (1, 0)
d = D()'
	suai inspect -f json --stream py:dd -c "$script" d
	[ "$status" -eq 2 ]
	jq -e '.targets[0] | .status == "missing" and .step == "--stream py:dd"' <<<"$output"
	[[ "$(jq -r '.targets[0].error.message' <<<"$output")" == "no name 'dd'; "*"defined names: "* ]]
	suai inspect --stream 'py:1 / 0' -c "$script" d
	[ "$status" -eq 3 ]
	[[ "$output" == "d: raised at --stream py:1 / 0: ZeroDivisionError: division by zero"* ]]
	suai inspect -q --stream new -c "$script" d
	[ "$status" -eq 4 ]
	[[ "$output" == "d: unavailable at --stream new: NotImplementedError: "* ]]
}

@test "a SyclQueue reaches dpnp, and is created on request" {
	requires dpnp sycl
	suai inspect -p dlpack -f json --stream new -c 'import dpnp; a = dpnp.arange(3)' a
	[ "$(jq -r '.targets[0].calls[] | [.step, .outcome] | join(" ")' <<<"$output")" = \
		"__dlpack__(stream=<new stream>) returned" ]
	suai inspect -p dlpack -f json --stream py:a.sycl_queue -c 'import dpnp; a = dpnp.arange(3)' a
	[ "$(interface a dlpack .status)$(jq -r '.targets[0].interfaces[0].status' <<<"$output")" = ok ]
}

@test "without an expression every exporting object is found once" {
	suai inspect -f json "$DATA/names.py"
	[ "$status" -eq 0 ]
	[ "$(names)" = "first lazy fussy half said exporters[0]" ]
	[ "$(jq -c '.targets[0].aliases' <<<"$output")" = '["second","third"]' ]
	[[ "$stderr" == *"the script prints"* ]]
	suai inspect -f json -p numpy -p buffer "$DATA/names.py"
	[ "$(names)" = "first lazy fussy buffer_only said exporters[0]" ]
	suai inspect -f json "$DATA/names.py:buffer_only"
	[ "$(interface buffer_only buffer .array.dtype)" = float64 ]
}

@test "expressions are evaluated in the module" {
	suai inspect -f json "$DATA"/names.py:{_hidden,'make(n=2)','exporters[0]',on_demand,'[first][0]',' first'}
	[ "$status" -eq 0 ]
	jq -e '[.targets[].interfaces[].protocol] | length == 6' <<<"$output"
	suai inspect -f json -c 'import array; a = array.array("b", [5])' a 'memoryview(a)[::-1]' __name__
	[ "$(jq -c '[.targets[] | [.target, .type]]' <<<"$output")" = \
		'[["a","array.array"],["memoryview(a)[::-1]","memoryview"],["__name__","str"]]' ]
	cd "$DATA"
	suai inspect -f json names:first
	[ "$(jq -r '.targets[0].target' <<<"$output")" = names:first ]
	[ "$(interface first numpy .status)" = ok ]
}

@test "a script runs as a module with its own name in its own directory" {
	mkdir "$BATS_TEST_TMPDIR/elsewhere"
	ln -s "$DATA/names.py" "$BATS_TEST_TMPDIR/elsewhere/link.py"
	cd "$BATS_TEST_TMPDIR"
	suai inspect -f json elsewhere/link.py:said
	facts="$(interface said numpy .declared)"
	[ "$(jq -r '.name' <<<"$facts")" = link ]
	[ "$(jq -r '.path == .here' <<<"$facts")" = true ]
	[ "$(jq -c '.argv' <<<"$facts")" = '["elsewhere/link.py"]' ]
	PYTHONSAFEPATH=1 suai inspect -f json "$DATA/names.py:said"
	[ "$(interface said numpy '.declared | .path == .here')" = false ]
}

@test "a nonexistent name is distinguished from an error" {
	suai inspect "$DATA/names.py:frist"
	[ "$status" -eq 2 ]
	[[ "$output" == *"did you mean 'first'"* ]]
	suai inspect -f json "$DATA"/names.py:{'broken()','first.missing','leave(7)','leave("why")','(',first}
	[ "$status" -eq 3 ]
	jq -e '[.targets[] | [.status, .step, .error.type, .error.message]] == [
		["raised", "evaluate", "NameError", "name '"'undefined_name'"' is not defined"],
		["raised", "evaluate", "AttributeError", "'"'Exporter' object has no attribute 'missing'"'"],
		["raised", "evaluate", "SystemExit", "exit status 7"],
		["raised", "evaluate", "SystemExit", "exit status 1: why"],
		["raised", "evaluate", "SyntaxError", "'"'(' was never closed (<expression>, line 1)"'"],
		["ok", null, null, null]]' <<<"$output"
	jq -r '.targets[0].error.traceback' <<<"$output" | grep -q 'in broken'
}

@test "a missing module is distinguished from one that fails" {
	cd "$BATS_TEST_TMPDIR"
	suai inspect nowhere.py
	[ "$status" -eq 2 ]
	suai inspect no_such_package.module:a
	[ "$status" -eq 2 ]
	echo 'import no_such_package' > importer.py
	suai inspect -f json importer.py:a importer.py:b
	[ "$status" -eq 3 ]
	jq -e '[.targets[] | [.target, .status, .step, .error.type]] ==
		[["importer.py:a", "raised", "import", "ModuleNotFoundError"],
		 ["importer.py:b", "raised", "import", "ModuleNotFoundError"]]' <<<"$output"
	[ "$(jq -r '.targets[0].error.message' <<<"$output")" = \
		"No module named 'no_such_package' in $SUAI_PYTHON; use --python or \$SUAI_PYTHON to choose another interpreter" ]
	suai inspect -f json importer
	[ "$status" -eq 3 ]
	printf 'a = 1\n\0' > zero.py
	suai inspect zero.py
	[ "$status" -eq 3 ]
}

@test "elements are read in C order, and only if all of them can be read" {
	requires numpy
	suai inspect -f json --values=3 --stats --checksum -c 'import numpy as np
a = np.array([[3, np.nan], [-1, np.inf]], "f2")
b = np.arange(6).reshape(2, 3)[:, ::-1].T
c = np.array([1+2j], ">c8")
d = np.array(["é", "x"])
class Wild: __array_interface__ = dict(shape=(9,), typestr="<i8", data=(4096, False), version=3)
e = Wild()
f = np.array([2**64 - 1, 0], "u8")' a b c d e f
	jq -c '[.targets[].data]' <<<"$output"
	jq -e '[.targets[].data | if . then [.values, .stats] else . end] == [
		[[3.0, "nan", -1.0], {min: -1.0, max: "inf", nan: 1}],
		[[2, 5, 1], {min: 0, max: 5, nan: 0}],
		[[[1.0, 2.0]], null],
		[["é", "x"], null],
		[null, null],
		[["18446744073709551615", 0], {min: 0, max: "18446744073709551615", nan: 0}]]' <<<"$output"
	sum="$("$TEST_PYTHON" -c 'import numpy as np, zlib
print("%08x" % zlib.crc32(np.arange(6).reshape(2, 3)[:, ::-1].T.tobytes()))')"
	[ "$(jq -r '.targets[1].data.checksum' <<<"$output")" = "$sum" ]
	suai inspect -f json -c 'import numpy as np; a = np.ones(3)' a
	[ "$(jq -c '.targets[0].data' <<<"$output")" = null ]
}

@test "a NumPy scalar's memory still exists when it is queried" {
	requires numpy
	suai inspect -f json --values -c 'import numpy as np; a = np.float64(2.5)' a
	[ "$(jq -c '[.targets[0].own.scalar, .targets[0].data.values]' <<<"$output")" = '[true,[2.5]]' ]
}

@test "a table states the types of its columns, unless they are too many to name" {
	cd "$BATS_TEST_TMPDIR"
	mkdir polars
	cat > polars/__init__.py <<-'END'
	class DataFrame:
	    __array_interface__ = {"version": 3, "shape": (0,), "typestr": "<f4", "data": (0, False)}
	    def __init__(self, *types):
	        self.dtypes = types
	END
	cat > tables.py <<-'END'
	import polars
	two = polars.DataFrame("Int64", "Float64", "Int64")
	four = polars.DataFrame(*"abcdabcd")
	five = polars.DataFrame(*"abcdeabcde")
	none = polars.DataFrame()
	END
	suai inspect -f json tables.py
	[ "$(jq -c '[.targets[].own.dtype]' <<< "$output")" = '["Int64, Float64","a, b, c, d",null,null]' ]
	cat > wide.py <<-'END'
	import polars
	class Text:
	    def __init__(self, n):
	        self.n = n
	    def __str__(self):
	        print(self.n, file=open("read", "a"))
	        return f"T{self.n}"
	table = polars.DataFrame(*map(Text, range(1000)))
	END
	suai inspect -f json wide.py
	[ "$(jq -c '[.targets[0].own.dtype, .targets[0].status]' <<< "$output")" = '[null,"ok"]' ]
	[ "$(wc -l < read)" -eq 5 ] # the others are not read
}

@test "warnings of an export belong to its call" {
	suai inspect -p dlpack -f json -c 'import warnings
class A:
    def __dlpack__(self):
        warnings.warn("old", DeprecationWarning)
        raise BufferError("no")
a = A()' a
	[ "$(jq -c '[.targets[0].calls[] | [.outcome, .error.type, .warnings]]' <<<"$output")" = \
		'[["refused","BufferError",["DeprecationWarning: old"]],["raised","TypeError",[]]]' ]
	[ -z "$stderr" ]
}

# bats test_tags=judge
@test "elements of a file have no address, and the text shows none" {
	printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}" > "$BATS_TEST_TMPDIR/a.npy"
	printf '12345678' >> "$BATS_TEST_TMPDIR/a.npy"
	suai inspect "$BATS_TEST_TMPDIR/a.npy"
	[ "$status" -eq 0 ]
	[[ "$output" != *pointer* ]]
	[[ "$output" == *"    memory       file, $BATS_TEST_TMPDIR/a.npy, 136 bytes"$'\n'* ]]
	suai inspect -q "$BATS_TEST_TMPDIR/a.npy"
	[[ "$output" == *'float32 (2,)' ]]
}

@test "file names and expressions that are not UTF-8 are valid targets" {
	cd "$BATS_TEST_TMPDIR"
	name=$'bad\xff'
	printf 'import array\na = array.array("d", [1, 2])\n' > "$name.py"
	"$SUAI" inspect "$name.py:a" -f yaml -o "$name.yaml"
	"$SUAI" convert "$name.py:a" -o "$name.npy"
	SUAI_NO_TMPFILE=1 "$SUAI" convert "$name.npy" -o "$name.2.npy" --verify
	cmp "$name.npy" "$name.2.npy"
	suai inspect "$name.py:a" "$name.npy" "$name.yaml" --query shape
	[ "$status" -eq 0 ]
	[ "$output" = $'2\n2\n2' ]
	suai inspect $'no\xff.py' "$name.py:"$'"\xff"' -f json
	[ "$status" -eq 2 ]
	[ "$(jq -r '.targets[] | .target + " " + .status' <<< "$output")" = $'no\\udcff.py missing\nbad\\udcff.py:"\\udcff" raised' ]
}

# bats test_tags=judge
@test "an array whose element type cannot be decoded is shown completely except for the type" {
	cd "$ROOT/testdata/inspect"
	for format in json yaml; do
		"$SUAI" inspect -f $format untyped.yaml -o "$BATS_TEST_TMPDIR/document.$format"
	done
	"$SUAI" inspect -f json "$BATS_TEST_TMPDIR/document.yaml" | diff - "$BATS_TEST_TMPDIR/document.json"
	run jq -r '.targets[] | [.target, (.interfaces[0].array | if . then .dtype, .typestr, .itemsize, .shape, .strides_bytes,
		.strides_elements, .nbytes, .pointer, .extent.high, .readonly, .c_contiguous, .device.type else . end)]
		| map(tostring) | join(" ")' "$BATS_TEST_TMPDIR/document.json"
	diff - <(echo "$output") <<-'END'
		numpy_f1 null null 1 [2,3] [8,1] [8,1] 6 0x1000 0x100b true false cpu
		numpy_string null null null [2,3] [96,32] null null 0x1000 null false null cpu
		numpy_compact null null null [2,3] null null null 0x1000 null false null cpu
		struct null null 16 [2] [32] [2] 32 0x1000 0x1030 false false cpu
		cuda null null null [4] [4] null null 0x1000 null false null cuda
		sycl_raw null null 8 [4] [16] [2] 32 0x1008 0x1040 false false oneapi
		sycl_unsized null null null [4] null [2] null null null false null oneapi
		dlpack_code null null 4 [6] [8] [2] 24 0x1008 0x1034 true false cpu
		dlpack_lanes null null null [6] null [2] null 0x1008 null true null cpu
		buffer null null 4 [6] [4] [1] 24 0x1000 0x1018 true true cpu
		shape_is_wrong null
	END
	suai inspect untyped.yaml --query dtype,itemsize,shape,strides_bytes,pointer,readonly
	[ "$status" -eq 1 ]
	[ "$(head -n 12 <<< "$output")" = $'\n1\n2 3\n8 1\n0x1000\ntrue\n\n\n2 3\n96 32\n0x1000\nfalse' ]
	suai inspect untyped.yaml
	[[ $output == *"    dtype        cannot be decoded ('suai validate' reports why), 1 byte
    shape        (2, 3), 6 elements, 6 bytes
    strides      (8, 1) bytes, (8, 1) elements, not contiguous
    pointer      0x1000
    extent       0x1000 to 0x100b
    access       read-only"* ]]
	[[ $output == *"    dtype        cannot be decoded; 'suai validate' reports why
    shape        (2, 3), 6 elements
    strides      (96, 32) bytes
    pointer      0x1000
    access       writable"* ]]
	[[ $output == *"    strides      (2,) elements
    pointer      unknown"* ]]
	[[ $output == *"array        cannot be decoded; 'suai validate' reports why"* ]]
	suai inspect -q untyped.yaml
	[ "$(head -n 2 <<< "$output")" = $'numpy_f1\n    numpy        unknown type (2, 3) 0x1000' ]
}

@test "the memory of arrays of StringDType and ml_dtypes is found, and the values of ml_dtypes are read" {
	requires numpy ml_dtypes
	suai inspect --values -f json -p numpy -p numpy-struct -c 'import numpy as np, ml_dtypes
s = np.array(["a", "b"], np.dtypes.StringDType())
f = np.array([[1.5, -2]], ml_dtypes.float8_e5m2)
b = np.array([1.5, -2], ml_dtypes.bfloat16)' s f b
	jq -ce '[.targets[].interfaces[].array | [.dtype, .memory.kind, .shape]] == [[null, "host", [2]], [null, "host", [2]],
		[null, "host", [1, 2]], [null, "host", [1, 2]], ["void2", "host", [2]], ["void2", "host", [2]]]' <<< "$output"
	jq -ce '[.targets[].data.values] == [null, [1.5, -2.0], [1.5, -2.0]]' <<< "$output"
	# Types of less than a byte are bytes, not another type of ml_dtypes.
	suai inspect --values -f json -p numpy -c 'import numpy as np, ml_dtypes
a = {name: np.ones(2, name) for name in ("int4", "uint4", "float4_e2m1fn")}' 'a["int4"]' 'a["uint4"]' 'a["float4_e2m1fn"]'
	jq -e '[.targets[].data.values | unique[0]] == ["\\x01", "\\x01", "\\x02"]' <<< "$output"
	suai convert --to dlpack --verify --query dtype,copy.path -c 'import numpy as np, ml_dtypes
f = np.array([1.5, -2], ml_dtypes.float8_e5m2)' f
	[ "$output" = $'float8_e5m2\nzero-copy' ]
}

@test "the type or the shape of a field whose size is unknown is named" {
	code='import ctypes
memory = ctypes.create_string_buffer(256)
class Struct:
    def __init__(self, *descr): self.__array_interface__ = dict(version=3, shape=(2,), typestr="|V16", descr=list(descr),
        data=(ctypes.addressof(memory), False))
cyclic = Struct(("a", "<i4"))
cyclic.__array_interface__["descr"].append(("b", cyclic.__array_interface__["descr"]))'
	suai validate -q -p numpy -c "$code" 'Struct(("a", "<i4", (2, -2)))' 'Struct(("a", "<i4", -2))' 'Struct(("a", "<i4", "x"))' \
		'Struct(("a", "<i4", (2.0,)))' 'Struct(("a", "<i4"), ("b", [("c", "<x9"), ("d", "<i4")]))' 'Struct(("a", float))' \
		'Struct(("a", "<i4", (2**62, 4)))' cyclic
	[ "$status" -eq 1 ]
	[ "$(sed 's/.*descr-size: //' <<< "$output")" = "descr[0][2][1] is -2, expected 0 or more
descr[0][2] is -2, expected 0 or more
descr[0][2] must be an int or a tuple of ints, not str
descr[0][2][0] must be an int, not float
descr[1][1][0][1] is '<x9', whose size is unknown
descr[0][1] must be a str or a list, not type
the fields in descr take more than 2^63 - 1 bytes
cannot read descr[1][1]: <list: a cycle>" ]
}

@test "a structure with an invalid descr is decoded by its typestr, and the finding remains" {
	requires numpy
	code='import numpy as np
memory = np.arange(9, dtype="f8")
class Struct:
	def __init__(self, descr): self.__array_interface__ = dict(version=3, shape=(3,), typestr="|V24", descr=descr,
		data=(memory.ctypes.data, False))
as_warp = Struct({"names": ["a", "v"], "formats": ["<i4", "3<f4"], "offsets": [0, 4], "itemsize": 24})
too_small = Struct([("a", "<f8")])'
	suai inspect --query dtype,shape,strides_bytes -c "$code" as_warp too_small
	[ "$status" -eq 0 ]
	[ "$output" = $'void24\n3\n24\nvoid24\n3\n24' ]
	suai validate -q -p numpy -c "$code" as_warp too_small
	[ "$status" -eq 1 ]
	[ "$output" = "as_warp: error NAI106 descr-size: descr must be a list, not dict
too_small: error NAI106 descr-size: the fields in descr take 8 bytes, but an element has 24" ]
	suai convert --to numpy --verify --query dtype,copy.path -c "$code" as_warp too_small
	[ "$output" = $'void24\nzero-copy\nvoid24\nzero-copy' ]
}

# bats test_tags=judge
@test "meaningless numbers are refused before anything is loaded" {
	for option in --values=-1 --max-version=1.-3 --max-version=1.x --max-version=4294967296.0 --max-version=-1.0; do
		suai inspect "$option" "$BATS_TEST_TMPDIR/nothing.yaml"
		[ "$status" -eq 2 ]
		[[ "$stderr" == "suai: "*"${option%%=*}"* ]]
		[ -z "$output" ]
	done
}

@test "the fields of a record have the offsets, types and shapes that NumPy reports" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > records.py << 'PY'
import numpy as np
dtypes = [
    np.dtype([("a", "i1"), ("b", "<f8"), ("c", ">u2")]),
    np.dtype([("a", "i1"), ("b", "<f8"), ("c", "<c16")], align=True),
    np.dtype([("p", [("x", "<f4"), ("y", "<f4", (2, 3))], (4,)), ("q", "?"), ("r", [("s", [("t", "<i8")])])]),
    np.dtype([("s", "S5"), ("u", "<U3"), ("m", "<i4", (2,)), ("f", "<f2")]),
    np.dtype({"names": ["a", "b"], "formats": ["<i4", "<f4"], "offsets": [0, 8], "itemsize": 16}),
    np.dtype([(("a title", "a"), "<i4"), ("sp ace", "<i2")]),
]
arrays = [np.zeros(3, dtype) for dtype in dtypes]
PY
	suai inspect -f json -p numpy,buffer records.py:arrays\[{0,1,2,3,4,5}\]
	[ "$status" -eq 0 ]
	printf '%s' "$output" > records.json
	"$TEST_PYTHON" - << 'EOF'
import json, records
def listed(dtype, path=(), start=0):
    for name in sorted(dtype.names, key=lambda name: dtype.fields[name][1]):
        type, offset = dtype.fields[name][:2]
        item, shape = type.subdtype or (type, ())
        yield {"path": [*path, name], "offset": start + offset, "itemsize": item.itemsize, "shape": list(shape),
               "typestr": None if item.names else item.str, "dtype": None if item.names else ...}
        if item.names:
            yield from listed(item, (*path, name), start + offset)
n_fields = 0
for dtype, target in zip(records.dtypes, json.load(open("records.json"))["targets"], strict=True):
    expected = list(listed(dtype))
    for interface in target["interfaces"]:
        fields = interface["array"]["fields"]
        assert interface["array"]["itemsize"] == dtype.itemsize
        if interface["protocol"] == "buffer" and fields is None:  # NumPy's format is too short, docs/findings.md
            assert dtype == records.dtypes[4], dtype
            continue
        for field in fields:
            if field["dtype"] is not None:
                field["dtype"] = ...
        assert fields == expected, (interface["protocol"], fields, expected)
        n_fields += len(fields)
assert n_fields == 40, n_fields
EOF
}

# bats test_tags=judge
@test "the fields of a record are shown below its type, and null if they do not make up the item size" {
	cd "$BATS_TEST_TMPDIR"
	cat > fields.yaml << 'YAML'
targets:
- target: record
  type: m.A
  interfaces:
  - protocol: numpy
    declared: {shape: [2], typestr: '|V13', data: [4096, true], version: 3, descr: [[a, '|i1'], ['', '|V3'], [pos, [["x\e\n", '<f4'], [y, '>i2']]], ['', '|V1'], [m, '|u1', [2]]]}
    types: {descr: list, 'descr[2][1]': list}
- target: shorter
  type: m.A
  interfaces:
  - protocol: numpy
    declared: {shape: [2], typestr: '|V13', data: [4096, true], version: 3, descr: [[a, '|i1'], [b, '<f4']]}
    types: {descr: list}
- target: formats
  type: m.A
  interfaces:
  - {protocol: buffer, declared: {buf: '0x1000', len: 16, itemsize: 8, readonly: true, ndim: 1, format: 'T{<i:a:<f:b:}', shape: [2], strides: [8], suboffsets: null}}
- target: plain
  type: m.A
  interfaces:
  - {protocol: buffer, declared: {buf: '0x1000', len: 16, itemsize: 8, readonly: true, ndim: 1, format: d, shape: [2], strides: [8], suboffsets: null}}
YAML
	suai inspect fields.yaml
	[[ "$output" == *"
    dtype        void13 (|V13), 13 bytes
    fields       a            int8 (|i1), 1 byte, at offset 0
                 pos          6 bytes, at offset 4
                   x\x1b\x0a  float32 (<f4), 4 bytes, at offset 4
                   y          int16 (>i2), 2 bytes, at offset 8
                 m            (2,) of uint8 (|u1), 1 byte each, at offset 11
    shape "* ]]
	[ "$(grep -c '^    fields ' <<< "$output")" -eq 2 ]
	suai inspect -f json fields.yaml
	[ "$(jq -c '[.targets[].interfaces[0].array.fields | if . then map(.path | join(".")) else . end]' <<< "$output")" = \
		'[["a","pos","pos.x\u001b\n","pos.y","m"],null,["a","b"],null]' ]
}

# A dump of a struct of each protocol, in which $2 (of sed) changed a field.
edited_dump() {
	local declared
	cd "$BATS_TEST_TMPDIR" || return
	case $1 in
	numpy-struct) declared="capsule: {name: null, destructor: '0x7f00', context: '0x7f08'}, two: 2, nd: 2, typekind: f,
  itemsize: 4, flags: 1793, shape: [2, 3], strides: [12, 4], data: '0x1000', descr: null" ;;
	buffer) declared="buf: '0x1000', len: 24, itemsize: 4, readonly: false, ndim: 2, format: f,
  shape: [2, 3], strides: [12, 4], suboffsets: null" ;;
	dlpack) declared="device: [1, 0], capsule: {name: dltensor_versioned, destructor: '0x7f01'},
  version: [1, 3], flags: 0, manager_ctx: '0x5000', deleter: '0x7f00', dl_tensor: {data: '0x10000',
  device: {device_type: 1, device_id: 0}, ndim: 2, dtype: {code: 2, bits: 32, lanes: 1},
  shape: [2, 3], strides: [3, 1], byte_offset: 0}" ;;
	esac
	sed "$2" > edited.yaml <<- END
		suai: 1
		targets:
		- {target: a, type: m.A, interfaces: [{protocol: $1, declared: {$declared}}]}
	END
}

# bats test_tags=judge
@test "a dump with a field that C cannot hold is rejected, and the message states the field and the remedy" {
	local protocol change field expected n=0
	for protocol in numpy-struct buffer dlpack; do
		edited_dump $protocol ''
		suai inspect edited.yaml
		[ "$status" -eq 0 ]
	done
	while IFS='|' read -r protocol change field expected; do
		edited_dump "$protocol" "s/$change/"
		suai validate -f concise edited.yaml
		[ "$status" -eq 2 ]
		[[ $output == *"'edited.yaml': targets[0]: 'interfaces[0].declared.$field': expected $expected; correct it, or write the file again with 'suai inspect -f yaml'"* ]] ||
			{ echo "$protocol, $change: $output"; return 1; }
		n=$((n + 1))
	done <<- 'END'
		numpy-struct|[[]2, 3]/[null, 3]|shape[0]|an integer from -2^63 to 2^63-1, got null
		numpy-struct|[[]2, 3]/[3]|shape|2 entries, since nd is 2, got 1
		numpy-struct|[[]12, 4]/[12, 4, 1]|strides|2 entries, since nd is 2, got 3
		numpy-struct|[[]12, 4]/[12, x]|strides[1]|an integer from -2^63 to 2^63-1, got 'x'
		numpy-struct|[[]12, 4]/12|strides|a list of integers from -2^63 to 2^63-1, or null, got 12
		numpy-struct|nd: 2, /|nd|an integer from -2^31 to 2^31-1, got no such key
		numpy-struct|typekind: f/typekind: float|typekind|one character, got 'float'
		numpy-struct|two: 2/two: 4294967298|two|an integer from -2^31 to 2^31-1, got 4294967298
		numpy-struct|itemsize: 4/itemsize: 4.5|itemsize|an integer from -2^31 to 2^31-1, got a real number
		buffer|[[]2, 3]/[2, 9223372036854775808]|shape[1]|an integer from -2^63 to 2^63-1, got 9223372036854775808
		buffer|len: 24/len: null|len|an integer from -2^63 to 2^63-1, got null
		buffer|readonly: false/readonly: 0|readonly|true or false, got 0
		buffer|suboffsets: null/suboffsets: []|suboffsets|2 entries, since ndim is 2, got 0
		buffer|buf: '0x1000'/buf: here|buf|an address, such as '0x1000', got 'here'
		dlpack|lanes: 1/lanes: 2305843009213693952|dl_tensor.dtype.lanes|an integer from 0 to 65535, got 2305843009213693952
		dlpack|bits: 32/bits: -1|dl_tensor.dtype.bits|an integer from 0 to 255, got -1
		dlpack|byte_offset: 0/byte_offset: -1|dl_tensor.byte_offset|an integer from 0 to 2^64-1, got -1
		dlpack|[[]3, 1]/[3]|dl_tensor.strides|2 entries, since dl_tensor.ndim is 2, got 1
		dlpack|version: [[]1, 3]/version: [1, -3]|version|two integers from 0 to 2^32-1, got a list
		dlpack|data: '0x10000'/data: null|dl_tensor.data|an address, such as '0x1000', got null
	END
	[ $n -eq 20 ]
}

# bats test_tags=judge
@test "a flat buffer whose stride exceeds the address space, or without an itemsize, is one error" {
	edited_dump buffer 's/ndim: 2/ndim: 1/; s/[[]2, 3]/null/; s/[[]12, 4]/[-9223372036854775808]/'
	suai validate -f concise edited.yaml
	[ "$status" -eq 1 ]
	[ "$(grep -c ' error ' <<< "$output")" = 1 ]
	[[ $output == *'BUF302'*'strides[0] is -9223372036854775808'* ]]
	edited_dump buffer "s/ndim: 2/ndim: 1/; s/[[]2, 3]/null/; s/[[]12, 4]/null/; s/itemsize: 4/itemsize: 0/; s/format: f/format: 0s/; s/len: 24/len: 0/"
	suai validate -f concise edited.yaml
	[ "$status" -eq 1 ]
	[[ $output == *'BUF104'*'shape is NULL but itemsize is 0'* ]]
}

@test "an object whose facts take more than a message can hold is reported as that" {
	suai inspect --values=1000000 -c 'import array; a = array.array("d", bytes(8000000))' a
	[ "$status" -eq 4 ]
	[[ "$output" == 'a: unavailable at report: the facts take '*' bytes, but the limit is 8388608 bytes'* ]]
}
