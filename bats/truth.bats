#!/usr/bin/env bats
# Mode T: the kernel's maps of host memory, and the runtime of real USM: pointers, extents, contexts, devices.

load helpers

setup() {
	cd "$ROOT/testdata/validate" || return 1
}

# The names of targets with the rules that each raised above a note.
verdicts() {
	jq -r '.targets[] | [(.target | sub(".*:"; "")), (.findings[] | select(.severity != "note") | .rule)] | join(" ")' \
		<<< "$output"
}

# The names of targets with each rule above a note and its field.
blamed() {
	jq -r '.targets[] | [(.target | sub(".*:"; "")),
		(.findings[] | select(.severity != "note") | .rule, .field // "-")] | join(" ")' <<< "$output"
}

@test "each false field of a DLPack export is found by its rule, and each true one has no findings" {
	suai validate -f json dlpack_lies.py
	[ "$status" -eq 1 ]
	diff <(blamed) - << 'END'
truth
truth_read_only
truth_whole
truth_scalar
truth_empty
device_list DLP002 device
device_unknown DLP003 device[0]
device_negative DLP003 device[1]
device_other DLP501 dl_tensor.device
device_second_cpu DLP502 device[1]
name_wrong DLP102 -
name_used DLP102 -
name_not_legacy DLP102 -
legacy_alone DLP104 -
struct_nowhere DLP105 dl_tensor
shape_nowhere DLP105 dl_tensor.shape
destructor_missing DLP106 capsule.destructor
version_later DLP107 version
version_earlier DLP108 dl_tensor.dtype.code
version_missing DLP111 version
flags_unknown DLP109 flags
flags_copied DLP805 flags
code_unknown DLP201 dl_tensor.dtype.code
bits_odd DLP202 dl_tensor.dtype.bits
bits_of_bool DLP202 dl_tensor.dtype.bits
bits_of_float4 DLP206 dl_tensor.dtype.bits
lanes_none DLP203 dl_tensor.dtype.lanes
ndim_negative DLP301 dl_tensor.ndim
shape_missing DLP302 dl_tensor.shape
shape_negative DLP305 dl_tensor.shape[1]
shape_huge DLP310 dl_tensor.shape
shape_too_far DLP307 dl_tensor.shape
strides_missing DLP303 dl_tensor.strides
strides_too_far DLP307 dl_tensor.strides
strides_below DLP307 dl_tensor.strides
strides_of_bytes DLP306 dl_tensor.strides
offset_too_far DLP407 dl_tensor.byte_offset
offset_wraps DLP310 dl_tensor.byte_offset
data_missing DLP402 dl_tensor.data
data_nowhere DLP407 dl_tensor.data
data_unreadable DLP407 dl_tensor.data
data_read_only DLP407 flags
data_unmapped DLP407 dl_tensor.data
END
}

@test "each false field of NumPy's dictionary, struct and buffer in host memory is found once, and each true one has no findings" {
	suai validate -f json -p numpy -p numpy-struct -p buffer host_lies.py
	[ "$status" -eq 1 ]
	diff <(blamed) - << 'END'
dict_truth
dict_truth_file
dict_truth_read_only
dict_truth_whole
dict_truth_reversed
dict_truth_buffer
dict_truth_empty
dict_data_nowhere NAI402 data[0]
dict_data_missing NAI401 data[0]
dict_data_last NAI303 data[0]
dict_data_unreadable NAI402 data[0]
dict_file_truncated NAI402 data[0]
dict_flag_lies NAI402 data[1]
dict_shape_too_far NAI302 shape
dict_shape_huge NAI303 shape
dict_strides_too_far NAI302 strides
dict_strides_below NAI302 strides
dict_strides_below_zero NAI303 strides
dict_typestr_too_wide NAI302 shape
dict_buffer_too_short NAI302 shape
dict_buffer_offset_too_far NAI302 offset
dict_buffer_offset_below NAI302 offset
dict_buffer_strides_below NAI302 strides
struct_truth
struct_truth_read_only
struct_data_nowhere NAI402 data
struct_data_last NAI303 data
struct_data_missing NAI401 data
struct_data_unreadable NAI402 data
struct_flag_lies NAI402 flags
struct_shape_too_far NAI302 shape
struct_shape_nowhere NAI110 shape
struct_strides_too_far NAI302 strides
struct_strides_below NAI302 strides
struct_strides_below_zero NAI303 strides
struct_strides_nowhere NAI304 strides
struct_itemsize_too_wide NAI305 flags NAI302 shape NAI308 strides
struct_two_lies NAI109 two
struct_nd_lies NAI110 nd
struct_named NAI003 capsule.name
buffer_truth
buffer_truth_read_only
buffer_truth_scalar
buffer_nowhere BUF401 buf
buffer_last BUF302 buf
buffer_missing BUF402 buf
buffer_unreadable BUF401 buf
buffer_file_truncated BUF401 buf
buffer_flag_lies BUF401 readonly
buffer_too_long BUF303 shape
buffer_len_lies BUF101 len
buffer_strides_too_far BUF301 strides BUF303 strides
buffer_strides_below BUF301 strides BUF303 strides
buffer_strides_below_zero BUF301 strides BUF302 strides
buffer_itemsize_lies BUF102 itemsize
buffer_ndim_lies BUF104 ndim
buffer_format_missing BUF103 format
buffer_format_nowhere BUF103 format
buffer_shape_nowhere BUF105 shape
buffer_strides_nowhere BUF302 strides
buffer_suboffsets_lie BUF107 suboffsets
dict_data_unmapped NAI402 data[0]
struct_data_unmapped NAI402 data
buffer_unmapped BUF401 buf
END
}

@test "each false field of a DLPack export of real USM is found, and each true one has no findings" {
	requires sycl
	suai validate -f json usm_dlpack_lies.py
	[ "$status" -eq 1 ]
	diff <(blamed) - << 'END'
truth_shared
truth_device
truth_host
truth_reversed
truth_empty
data_of_host DLP406 dl_tensor.data
data_nowhere DLP406 dl_tensor.data
data_last DLP310 dl_tensor.data
data_missing DLP402 dl_tensor.data
data_of_other_context DLP406 dl_tensor.data
data_too_far DLP307 dl_tensor.shape
shape_too_far DLP307 dl_tensor.shape
shape_far_too_far DLP307 dl_tensor.shape
strides_too_far DLP307 dl_tensor.strides
strides_below DLP307 dl_tensor.strides
strides_of_bytes DLP306 dl_tensor.strides
bits_too_wide DLP307 dl_tensor.shape
lanes_too_wide DLP204 dl_tensor.dtype.lanes DLP307 dl_tensor.shape
offset_too_far DLP307 dl_tensor.byte_offset
offset_behind DLP307 dl_tensor.byte_offset
offset_out_of_memory DLP307 dl_tensor.byte_offset
device_id_of_no_device DLP504 dl_tensor.device.device_id
END
}

@test "real host memory from 1 byte to 300 MiB, on heap and stack, in files, shared and guarded, has no findings of mode T" {
	requires numpy
	rules=$("$SUAI" rule -f json | jq -r '[.rules[] | select(.facts | index("memory")) | .rule] | join(",")')
	suai validate -p dlpack -p numpy -p numpy-struct -p buffer --select "$rules" --no-skips host_truth.py
	[ "$output" = "no findings in 69 targets" ]
	[ "$status" -eq 0 ]
	kinds=$("$SUAI" inspect -f json -p numpy host_truth.py |
		jq -r '.targets[].interfaces[].array.memory | "\(.kind) \(.mapping | sub("^/.*/"; ""))"')
	for kind in 'file data' 'host anonymous' 'host [heap]' 'host [stack]' 'host zero (deleted)' 'host /memfd:arrays (deleted)'; do
		grep -qxF "$kind" <<< "$kinds"
	done
}

@test "the maps are read once per object, whatever it exposes, and once for the deleters of a library" {
	requires numpy
	code='import numpy; a, b = numpy.ones(3), numpy.ones(4)
class Liar(numpy.ndarray):
    @property
    def __sycl_usm_array_interface__(self):
        return {"shape": (3,), "typestr": "<f8", "data": (self.ctypes.data, False), "version": 1, "syclobj": "cpu"}
c = a.view(Liar)'
	for expected in 2:a 3:a,b 2:c 4:a,b,c; do
		IFS=, read -ra names <<< "${expected#*:}"
		[ "$(SUAI_NO_MAPS_QUERY=1 SUAI_DEBUG=maps "$SUAI" validate --exit-zero -p sycl -p dlpack -p numpy -p numpy-struct -p buffer \
			-o /dev/null -c "$code" "${names[@]}" 2>&1 | grep -c 'maps: read')" -eq "${expected%%:*}" ]
	done
	[ "$(SUAI_NO_MAPS_QUERY=1 SUAI_DEBUG=maps "$SUAI" validate --static -o /dev/null -c "$code" a b 2>&1 | grep -c 'maps: read')" -eq 1 ]
}

@test "a kernel that reports single mappings is queried for those only, with the same results" {
	requires numpy
	code='import mmap, numpy; a = numpy.ones(3); b = numpy.frombuffer(mmap.mmap(-1, 1 << 24), "f8")[::-1]'
	SUAI_DEBUG=maps suai inspect -p numpy -f json -c "$code" a b
	[[ "$stderr" == *"maps: asked for "* ]] || skip "this kernel tells all mappings alone (before Linux 6.11)"
	[[ "$stderr" != *"maps: read"* ]]
	kinds=$(jq -c '[.targets[].interfaces[].array.memory | del(.base, .asked, .size)]' <<< "$output")
	SUAI_NO_MAPS_QUERY=1 SUAI_DEBUG=maps suai inspect -p numpy -f json -c "$code" a b
	[[ "$stderr" == *"maps: read"* ]]
	[ "$(jq -c '[.targets[].interfaces[].array.memory | del(.base, .asked, .size)]' <<< "$output")" = "$kinds" ]
}

@test "each false declaration about real USM is found by the rule that it violates" {
	requires sycl
	suai validate -f json usm_lies.py
	[ "$status" -eq 1 ]
	# Freed memory may be mapped again by whatever comes next.
	diff <(verdicts | sed -E 's/^(freed_.*) SUAI40[23]$/\1 SUAI402|3/') - << 'END'
truth
malloc_small SUAI403
malloc_large SUAI403
ctypes_array SUAI403
freed_small SUAI402|3
freed_large SUAI402|3
nowhere SUAI402
no_address SUAI107
last_address SUAI304
past_the_end SUAI306
far_past_the_end SUAI306
below_the_start SUAI305
offset_too_far SUAI306
offset_below SUAI305
offset_behind SUAI306
pointer_too_far SUAI306
strides_too_far SUAI306
strides_in_bytes SUAI303
strides_and_offset_in_bytes SUAI303
typestr_too_wide SUAI306
elsewhere_by_filter SUAI503
foreign_context SUAI402
foreign_queue SUAI402 SUAI511
foreign_memory SUAI403
foreign_memory_by_filter SUAI503
wrong_device SUAI509 SUAI511
wrong_device_shared SUAI509 SUAI511
host_memory_of_both_devices SUAI511
END
}

@test "a finding names the key at fault" {
	requires sycl
	suai validate -f json --select SUAI3 usm_lies.py
	[ "$(jq -r '.targets[] | select(.findings[0].severity == "error")
		| "\(.target | sub(".*:"; "")) \(.findings[0].field)"' <<< "$output")" = "last_address data[0]
past_the_end shape
far_past_the_end shape
below_the_start strides
offset_too_far offset
offset_below offset
offset_behind offset
pointer_too_far shape
strides_too_far strides
strides_in_bytes strides
strides_and_offset_in_bytes strides
typestr_too_wide shape" ]
}

@test "real USM of three kinds and five forms, from 1 byte to 300 MiB, and dpnp's views have no findings" {
	requires sycl dpnp
	suai validate -S warning --ignore DLP401,DLP813 usm_truth.py
	[ "$status" -eq 0 ]
	# XPR801 for the three elements, which DLP813 subsumes.
	[ "$output" = "no findings in 72 targets; 3 rules skipped (-v shows why)" ]
	suai validate -f json --select SUAI --ignore SUAI205,SUAI307,SUAI309 usm_truth.py
	[ "$(jq -r '[.targets[].findings[] | .message] | unique | .[]' <<< "$output")" = "syclobj does not identify a queue to wait for" ]
	[ "$(jq '[.targets[].interfaces[] | select(.protocol == "sycl") | .array.memory.how] | unique' -c <<< "$output")" = '["exact"]' ]
}

@test "the exact extent finds every overrun, and the finding states that it is exact" {
	requires sycl
	suai validate -f json usm_overruns.py
	[ "$(jq '[.targets[] | select(.findings[0].rule == "SUAI306")] | length' <<< "$output")" -eq 720 ]
	[ "$(jq '[.targets[].findings[0].message | select(test("past the end of the allocation of [0-9]+ bytes at 0x"))] | length' <<< "$output")" -eq 720 ]
}

@test "if only both ends can be queried, short overruns are found, and the finding states how" {
	requires sycl
	export SUAI_NO_USM_EXTENT=1
	suai validate -f json usm_overruns.py
	caught() {
		jq "[.targets[] | select(.target | test(\"$1\")) | .findings[] | select(.rule == \"SUAI306\")] | length" <<< "$output"
	}
	[ "$(caught '_by_(1|64)$')" -eq 360 ]
	[ "$(caught '')" -lt 720 ]
	[ "$(jq '[.targets[].findings[].message | select(test("whose size is unknown .only the first and the last byte of the array were queried.$") | not)] | length' <<< "$output")" -eq 0 ]
	suai validate -f json usm_lies.py
	[ "$(verdicts | grep -cE '^(past_the_end|typestr_too_wide|strides_in_bytes) SUAI306$|^(below_the_start|offset_below) SUAI305$')" -eq 5 ]
	suai validate --select SUAI405 --no-skips -q usm_lies.py:truth
	[ "$status" -eq 1 ]
	[ "$output" = "usm_lies.py:truth: error skipped SUAI405: the runtime did not report where the allocation begins" ]
}

@test "without dpctl rules of mode T are skipped, with the reason" {
	python=/usr/bin/python3
	"$python" -c 'import dpctl' 2> /dev/null && skip "dpctl in $python"
	code='class A: pass
a = A()
a.__sycl_usm_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (4096, False), "version": 1,
    "syclobj": "opencl:cpu:0"}'
	suai validate --python "$python" --no-skips -q --select SUAI402,SUAI503,SUAI510,SUAI601 -c "$code" a
	[ "$status" -eq 1 ]
	diff <(echo "$output") - << 'END'
a: error skipped SUAI402: dpctl is not installed in this interpreter
a: error skipped SUAI503: dpctl is not installed in this interpreter
a: error skipped SUAI510: dpctl is not installed in this interpreter
a: error skipped SUAI601: dpctl is not installed in this interpreter
END
}

@test "what only a CUDA driver can determine is skipped without one, with the reason" {
	[ -e /dev/nvidiactl ] && skip "an NVIDIA GPU is here"
	cat > "$BATS_TEST_TMPDIR/claims.py" << 'END'
from dlpack_lies import Array
import host_lies

on_gpu = Array(told=(2, 0), device_type=2)
dictionary, buffer = host_lies.dict_data_unreadable, host_lies.buffer_unreadable
END
	export PYTHONPATH=$PWD
	suai validate -v -p dlpack -p numpy -p buffer --select DLP307,DLP406,DLP503,NAI501,BUF501 "$BATS_TEST_TMPDIR/claims.py"
	[ "$status" -eq 0 ]
	skipped=$(grep -oE '[a-z_]+: skipped [A-Z]+[0-9]+: .*' <<< "$output")
	[ "$(cut -d : -f 1,2 <<< "$skipped" | sort | tr '\n' ' ')" = "$(printf '%s: skipped %s ' \
		buffer BUF501 dictionary NAI501 on_gpu DLP307 on_gpu DLP406 on_gpu DLP503)" ]
	grep -q 'CUDA driver\|libcuda' <<< "$(grep 'DLP406' <<< "$skipped")"
	grep -q 'no driver was queried' <<< "$(grep 'NAI501' <<< "$skipped")"
}

@test "--static runs no rule of mode T, and reports none as skipped" {
	requires sycl
	suai validate --static --no-skips -q --select SUAI2,SUAI3,SUAI4,SUAI5 usm_lies.py:malloc_small usm_lies.py:past_the_end
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "an offset that exceeds the address space is named, and not data[0]" {
	code='class A: pass
a = A()
a.__sycl_usm_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (4096, False), "version": 1,
    "syclobj": "opencl:cpu:0", "offset": 1024}'
	suai validate -f json --select SUAI402 -c "$code" a
	[ "$(jq -r '.targets[0].findings[0] | .field, .message' <<< "$output")" = "offset
data[0] is 0x1000, which the USM runtime does not recognize, and the element with the lowest address is at 0x2000, which is not mapped" ]
}

@test "a layout that exceeds the address space is an error without any driver, and high or tagged addresses are not" {
	"$SUAI" validate --static --exit-zero -f json address_space.yaml > "$BATS_TEST_TMPDIR/document"
	while IFS=$'\t' read -r target found; do
		echo "$target: $found"
		[[ $target == [A-Z]*[0-9]\ * ]] || target=
		[ "$found" = "$target" ]
	done < <(jq -r '.targets[] | [.target, ([.findings[] | select(.severity == "error") | .rule + " " + .field] | join(", "))] | @tsv' \
		"$BATS_TEST_TMPDIR/document")
	[ "$(jq '.targets | length' "$BATS_TEST_TMPDIR/document")" -ge 20 ]
	"$SUAI" validate --exit-zero -f json address_space.yaml > "$BATS_TEST_TMPDIR/asked"
	diff <(jq -c '.targets[].findings[] | select(.severity == "error").rule' "$BATS_TEST_TMPDIR/document") \
		<(jq -c '.targets[].findings[] | select(.severity == "error").rule' "$BATS_TEST_TMPDIR/asked")
}

@test "data of NumPy's dictionary whose buffer cannot be requested is shown with the exception" {
	suai validate -f concise -c 'class A:
    def __init__(self, data): self.__array_interface__ = {"shape": (2,), "typestr": "|u1", "data": data, "version": 3}
released, strided = memoryview(b"abc"), memoryview(b"abcdef")[::2]
released.release()' 'A(released)' 'A(strided)' 'A(5)'
	[[ "${lines[0]}" == *": data is <memoryview>, and a request for its buffer raised ValueError: operation forbidden on released memoryview object" ]]
	[[ "${lines[1]}" == *": data is <memoryview>, and a request for its buffer raised BufferError: memoryview: underlying buffer is not C-contiguous" ]]
	[[ "${lines[2]}" == *": data is 5, expected a 2-tuple, a buffer or None" ]]
}

@test "of 600 random layouts, each has the errors and warnings that counting its bytes predicts, and no others" {
	local layouts="$ROOT/testdata/tools/random_layouts.py" seed
	for seed in ${SUAI_TEST_SEED:-1 2}; do
		export SUAI_TEST_SEED=$seed SUAI_TEST_LAYOUTS=300
		suai validate -f json -o "$BATS_TEST_TMPDIR/$seed.json" "$layouts"
		[ "$status" -eq 1 ]
		run -0 "$TEST_PYTHON" "$layouts" "$seed" 300 "$BATS_TEST_TMPDIR/$seed.json"
		[ "${lines[-1]}" = '300 layouts, 0 wrong' ]
	done
	run -1 "$TEST_PYTHON" "$layouts" another 300 "$BATS_TEST_TMPDIR/$seed.json"
}
