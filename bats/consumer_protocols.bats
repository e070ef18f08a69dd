#!/usr/bin/env bats
# validate --consumer -p: tensors that have another interface than DLPack.

load helpers

PLANTED=testdata/consumers/planted_host.py
LEGAL=float32,float64,int16,int64,scalar,empty,64-dimensions,unit-negative,fortran,every-second,negative,broadcast,aligned-4,\
read-only,swapped,swapped-int16
DEVICE=float32,float64,int16,int64,scalar,empty,64-dimensions,unit-negative,fortran,every-second,negative,broadcast,aligned-4,\
read-only,strides-none,typestr-unknown,shape-none,strides-short,data-text,null-data,extents-overflow
INVALID=strides-none,descr,typestr-unknown,shape-none,strides-short,data-text,null-data,extents-overflow

setup() {
	cd "$ROOT" || return 1
	requires numpy
}

# rules_of CONSUMER PROTOCOL [CASES]: the rules of all errors and warnings.
rules_of() {
	"$SUAI" validate --exit-zero -f json --consumer "$1" -p "$2" ${3:+--case "$3"} |
		jq -r '[.targets[] | if .status == "ok" then . else error(.target) end | .findings[] | select(.severity != "note").rule] | unique | join(" ")'
}

check_planted() {
	local protocol=$1 cases=$2 found

	shift 2
	while [ $# -gt 0 ]; do
		found=$(rules_of "$PLANTED:$1" "$protocol" "$cases")
		[ "$found" = "$2" ] || { echo "$1: $found, expected $2"; return 1; }
		shift 2
	done
}

@test "consumers of __array_interface__ with a fault are identified, with no other finding" {
	check_planted numpy "" interface_healthy ""
	check_planted numpy "$LEGAL,$INVALID" interface_ignores_strides DLC302 interface_ignores_byte_order DLC305 \
		interface_ignores_read_only DLC308 interface_narrows DLC307 interface_reads_past_end DLC402 \
		interface_releases_early DLC705 interface_trusts_address DLC002 interface_returns_argument DLC003 \
		interface_reads_nothing DLC004 interface_leaks DLC703
}

@test "consumers of __array_struct__ with a fault are identified, with no other finding" {
	check_planted numpy-struct "" struct_healthy ""
	check_planted numpy-struct "$LEGAL" struct_ignores_strides DLC302 struct_ignores_byte_order DLC305 struct_ignores_read_only DLC308 \
		struct_narrows DLC307 struct_reads_past_end DLC402 struct_releases_early DLC705
}

@test "consumers of buffers with a fault are identified, with no other finding" {
	check_planted buffer "" buffer_healthy ""
	check_planted buffer "$LEGAL" buffer_ignores_strides DLC302 buffer_ignores_byte_order DLC305 buffer_ignores_read_only DLC308 \
		buffer_narrows DLC307 buffer_reads_past_end DLC402 buffer_releases_early DLC705 buffer_leaks DLC703
}

@test "consumers of __sycl_usm_array_interface__ with a fault are identified, with no other finding" {
	requires sycl
	check_planted sycl "" sycl_healthy ""
	check_planted sycl "$DEVICE,offset,offset-strided,syclobj-none,offset-text" sycl_ignores_strides DLC302 sycl_mistakes_unit DLC302 \
		sycl_ignores_offset DLC301 sycl_ignores_read_only DLC308 sycl_narrows DLC307 sycl_releases_early DLC705 \
		sycl_trusts_address DLC002 sycl_reads_nothing DLC004
}

@test "consumers of __cuda_array_interface__ with a fault are identified, with no other finding" {
	"${CC:-gcc}" -D_GNU_SOURCE -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$BATS_TEST_TMPDIR/libcuda.so.1" \
		"$ROOT/testdata/fakes/fake_cuda_driver.c"
	export LD_LIBRARY_PATH=$BATS_TEST_TMPDIR
	check_planted cuda "" cuda_healthy ""
	check_planted cuda "$DEVICE,swapped,swapped-int16,stream-zero" cuda_ignores_strides DLC302 cuda_ignores_byte_order DLC305 \
		cuda_ignores_read_only DLC308 cuda_narrows DLC307 cuda_releases_early DLC705 cuda_trusts_address DLC002 cuda_reads_nothing DLC004
}

@test "without a device valid tensors are skipped with the reason, and invalid ones are passed" {
	[ ! -e /dev/nvidiactl ] || skip "this machine has an NVIDIA GPU"
	suai validate --consumer "$PLANTED:cuda_healthy" -p cuda --case float32,stream-zero -f json
	[ "$status" -eq 0 ]
	jq -e '[.targets[].consumption | [.id, .outcome, .exception]]
		== [["float32", "unavailable", null], ["stream-zero", "raised", "ValueError"]]
		and (.targets[0].consumption.error.message | startswith("cannot load '"'libcuda.so.1'"'"))
		and (.targets[0].skipped[] | select(.rule == "DLC004").reason | startswith("cannot load '"'libcuda.so.1'"'"))' <<< "$output"
	[[ "$stderr" == *"no valid tensor was passed to the consumer, so that it was not checked: cannot load 'libcuda.so.1'"* ]]
	suai validate --consumer "$PLANTED:cuda_healthy" -p cuda --case float32 --no-skips
	[ "$status" -ne 0 ]
	[ "$(rules_of "$PLANTED:cuda_trusts_address" cuda null-data,stream-zero)" = DLC002 ]
}

@test "dpnp has no finding" {
	requires sycl dpnp
	for consumer in 'dpnp.asarray(_)' 'dpnp.tensor.asarray(_)'; do
		suai validate --consumer "$consumer" -p sycl
		[[ "$output" == *"no findings in "*" targets" ]]
	done
	suai validate --consumer 'dpnp.tensor.asarray(_)' -p sycl --case offset-strided -f json
	jq -e '.targets[0].consumption | .outcome == "done" and .shared == true and .deleted_held == 0 and .deleted > 0
		and ([.readings[].equal] | length >= 2 and all)' <<< "$output"
}

@test "NumPy and memoryview have no finding" {
	for protocol in numpy numpy-struct buffer; do
		[ -z "$(rules_of 'np.asarray(_)' "$protocol")" ]
		[ -z "$(rules_of 'np.array(_)' "$protocol")" ]
	done
	[ -z "$(rules_of 'memoryview(_)' buffer)" ]
}

@test "a consumer of bytes receives tensors of uint8, for any request that fits their layout, and rejects others" {
	cat > "$BATS_TEST_TMPDIR/bytes.py" <<-'END'
		import ctypes, zlib
		import numpy as np

		def packed(tensor):
		    return np.frombuffer(zlib.decompress(zlib.compress(tensor)), "u1")

		def views(tensor):
		    lines = []
		    for flags in 0x00, 0x04, 0x08, 0x18, 0x1c:  # PyBUF_SIMPLE, FORMAT, ND, STRIDES, FORMAT | STRIDES
		        view = (ctypes.c_ssize_t * 11)()
		        ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(tensor), view, flags)
		        ndim = ctypes.c_int.from_address(ctypes.addressof(view) + 36).value
		        lines.append((view[2], ndim, *(bool(view[i]) for i in (5, 6, 7))))
		        ctypes.pythonapi.PyBuffer_Release(view)
		    assert lines == [(6, 1, False, False, False), (6, 1, True, False, False), (6, 2, False, True, False),
		                     (6, 2, False, True, True), (6, 2, True, True, True)], lines
		    return np.asarray(tensor)
	END
	suai validate --consumer "$BATS_TEST_TMPDIR/bytes.py:views" -p buffer --case uint8 -v
	[[ "$output" == "no findings in 1 target"* ]]
	suai validate --consumer "$BATS_TEST_TMPDIR/bytes.py:packed" -p buffer -f json
	[ "$status" -eq 0 ]
	jq -e '[.targets[] | select(.consumption.id == "uint8", .consumption.id == "float32") | .consumption | .outcome, .error.message]
		== ["raised", "suai: the elements of this tensor are not bytes: PyBUF_ND and PyBUF_FORMAT are required", "done", null]' <<< "$output"
}

@test "a consumer that requires a writable buffer receives tensors that are writable, and no others" {
	cat > "$BATS_TEST_TMPDIR/writable.py" <<-'END'
		import ctypes
		import numpy as np

		def writable(tensor):
		    view = (ctypes.c_ssize_t * 11)()
		    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(tensor), view, 0x1d)  # PyBUF_RECORDS
		    ctypes.pythonapi.PyBuffer_Release(view)
		    return np.asarray(tensor)
	END
	suai validate --consumer "$BATS_TEST_TMPDIR/writable.py:writable" -p buffer -f json
	[ "$status" -eq 0 ]
	jq -e '[.targets[].consumption | select(.id == "float32", .id == "read-only") | .id, .outcome, .readonly, .error.message]
		== ["float32", "done", false, null, "read-only", "raised", true, "suai: this tensor is read-only"]' <<< "$output"
}

@test "the document names the protocol, and the calls that the consumer made" {
	suai validate --consumer 'np.asarray(_)' -p numpy --case float32 -f json
	jq -e '.targets[0].consumption | .protocol == "numpy" and .calls == ["__array_interface__"] and .exports == 1
		and .renamed == null and .deleted == 1 and .deleted_held == 0' <<< "$output"
	suai validate --consumer 'memoryview(_)' -p buffer --case float32 -f json
	jq -e '.targets[0].consumption | .protocol == "buffer" and .calls == ["buffer"] and .exports == 1 and .deleted == 1' <<< "$output"
}

@test "two protocols, and a case that a protocol cannot express, are usage errors" {
	while IFS='|' read -r text options; do
		# shellcheck disable=SC2086 # words
		suai validate --consumer numpy:asarray $options
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"$text"* ]]
	done <<- END
		--case 'stream-zero': __array_interface__ cannot express this tensor|-p numpy --case stream-zero
		--case 'offset': __cuda_array_interface__ cannot express this tensor|-p cuda --case offset
		--case 'swapped': __sycl_usm_array_interface__ cannot express this tensor|-p sycl --case swapped
		-p: expected one protocol with --consumer, got 2|-p numpy -p buffer
		--case 'lanes-4': __array_interface__ cannot express this tensor|-p numpy --case lanes-4
		--case 'swapped': __dlpack__ cannot express this tensor|--case swapped
		--case 'null-data': buffer cannot express this tensor|-p buffer --case null-data
		--reproduce 'offset': __array_struct__ cannot express this tensor|-p numpy-struct --reproduce offset
		--case 'fuzz-1-2-zz': no such case|-p numpy --case fuzz-1-2-zz
	END
}

@test "elements of a result whose interface contains new bytes at each read are compared while these exist" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > images.py <<- 'END'
		import numpy as np
		class Image:
		    def __init__(self, array):
		        self.array = array
		    @property
		    def __array_interface__(self):
		        return {"version": 3, "shape": self.array.shape, "typestr": self.array.dtype.str, "data": self.array.tobytes()}
		def right(tensor):
		    return Image(np.array(tensor))
		def wrong(tensor):
		    return Image(np.array(tensor) + 1)
	END
	suai validate --consumer images.py:right -p numpy --case uint8,uint16,float32,fortran
	[ "$output" = "no findings in 4 targets" ]
	suai validate --consumer images.py:wrong -p numpy --case uint8,uint16,float32,fortran -f json
	[ "$(jq -c '[.targets[].findings[].rule] | unique' <<< "$output")" = '["DLC306"]' ]
}

@test "an exception without a message ends a finding without a colon, and DLC004 names functions for each interface" {
	cd "$BATS_TEST_TMPDIR"
	printf 'def interrupted(x): raise KeyboardInterrupt\n' > consumers.py
	for protocol in dlpack numpy; do
		suai validate -p $protocol --consumer consumers.py:interrupted --case float32 -f json
		[[ "$(jq -r '.targets[0].findings[0].message' <<<"$output")" =~ ^"the consumer raises KeyboardInterrupt before it "(calls __dlpack__|reads __array_interface__)$ ]]
		[[ "$(jq -r '.targets[0].findings[0].hint' <<<"$output")" == *"numpy:asarray for NumPy's interfaces"* ]]
	done
}
