#!/usr/bin/env bats
# Mode T on real USM: what the runtime says of pointers, extents, contexts and devices.

load helpers

setup() {
	cd "$ROOT/testdata/validate" || return 1
	requires sycl
}

# The names of targets with the rules that each raised above a note.
verdicts() {
	jq -r '.targets[] | [(.target | sub(".*:"; "")), (.findings[] | select(.severity != "note") | .rule)] | join(" ")' \
		<<< "$output"
}

@test "each lie about real USM is caught, and by the rule that it breaks" {
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
last_address SUAI402
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

@test "a finding names the key that is to blame" {
	suai validate -f json --select SUAI3 usm_lies.py
	[ "$(jq -r '.targets[] | select(.findings[0].severity == "error")
		| "\(.target | sub(".*:"; "")) \(.findings[0].field)"' <<< "$output")" = "past_the_end shape
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

@test "real USM of three kinds and five forms, from 1 byte to 300 MiB, and dpnp's views raise nothing" {
	requires dpnp
	suai validate -S warning --ignore DLP401,DLP813 usm_truth.py
	[ "$status" -eq 0 ]
	[ "$output" = "no findings in 72 targets" ]
	suai validate -f json --select SUAI --ignore SUAI205,SUAI307,SUAI309 usm_truth.py
	[ "$(jq -r '[.targets[].findings[] | .message] | unique | .[]' <<< "$output")" = "syclobj names no queue that could be waited for" ]
	[ "$(jq '[.targets[].interfaces[] | select(.protocol == "sycl") | .array.memory.how] | unique' -c <<< "$output")" = '["exact"]' ]
}

@test "an overrun is caught every time by the exact extent, and the finding says that it is exact" {
	suai validate -f json usm_overruns.py
	[ "$(jq '[.targets[] | select(.findings[0].rule == "SUAI306")] | length' <<< "$output")" -eq 720 ]
	[ "$(jq '[.targets[].findings[0].message | select(test("past the allocation, which is [0-9]+ bytes at 0x"))] | length' <<< "$output")" -eq 720 ]
}

@test "where only both ends can be asked, short overruns are caught, and the finding says how" {
	export SUAI_NO_USM_EXTENT=1
	suai validate -f json usm_overruns.py
	caught() {
		jq "[.targets[] | select(.target | test(\"$1\")) | .findings[] | select(.rule == \"SUAI306\")] | length" <<< "$output"
	}
	[ "$(caught '_by_(1|64)$')" -eq 360 ]
	[ "$(caught '')" -lt 720 ]
	[ "$(jq '[.targets[].findings[].message | select(test("as asking at both ends tells; its size is not known$") | not)] | length' <<< "$output")" -eq 0 ]
	suai validate -f json usm_lies.py
	[ "$(verdicts | grep -cE '^(past_the_end|typestr_too_wide|strides_in_bytes) SUAI306$|^(below_the_start|offset_below) SUAI305$')" -eq 5 ]
	suai validate --select SUAI405 --no-skips -q usm_lies.py:truth
	[ "$status" -eq 1 ]
	[ "$output" = "usm_lies.py:truth: error skipped SUAI405: the runtime does not tell where the allocation begins" ]
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
a: error skipped SUAI402: no dpctl in this interpreter
a: error skipped SUAI503: no dpctl in this interpreter
a: error skipped SUAI510: no dpctl in this interpreter
a: error skipped SUAI601: no dpctl in this interpreter
END
}

@test "what only a CUDA driver can tell is skipped where there is none, and says so" {
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
	grep -q 'no driver was asked' <<< "$(grep 'NAI501' <<< "$skipped")"
}

@test "--static runs no rule of mode T, and calls none skipped" {
	suai validate --static --no-skips -q --select SUAI2,SUAI3,SUAI4,SUAI5,SUAI6 usm_lies.py:malloc_small usm_lies.py:past_the_end
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "an offset that leads out of all memory is named, and not data[0]" {
	code='class A: pass
a = A()
a.__sycl_usm_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (4096, False), "version": 1,
    "syclobj": "opencl:cpu:0", "offset": 1024}'
	suai validate -f json --select SUAI402 -c "$code" a
	[ "$(jq -r '.targets[0].findings[0] | .field, .message' <<< "$output")" = "offset
elements begin at 0x2000, which the USM runtime does not know, and nothing is mapped there; data[0] is 0x1000" ]
}
