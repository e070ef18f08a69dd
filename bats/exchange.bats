#!/usr/bin/env bats
# DLPack's C exchange API, called: a type that follows dlpack.h, built with a C compiler, types that
# violate one sentence each, and tvm-ffi's.

load helpers
load toys

setup_file() {
	build_toy exchange_toy
}

@test "types that conform to dlpack.h have no findings, by any rule" {
	mapfile -t targets < <(toys exchange_toy good)
	[ "${#targets[@]}" -eq 4 ]
	suai validate --calls --lifetime --ignore CXA103 "${targets[@]}"
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings"* ]]
}

@test "each type that violates one requirement is reported by its rule, once, and by no other" {
	mapfile -t targets < <(toys exchange_toy CXA)
	[ "${#targets[@]}" -ge 28 ]
	"$SUAI" validate --calls --lifetime --exit-zero --ignore CXA103 -f json -o document "${targets[@]}"
	jq -r '.targets[] | "\(.target) \([.findings[].rule] | unique | join(" "))"' document > found
	while read -r target rules; do
		echo "$target $rules"
		target=${target#*:}
		[ "$rules" = "${target%%_*}" ]
	done < found
	[ "$(wc -l < found)" -eq "${#targets[@]}" ]
	jq -e '[.targets[] | select(.target == "exchange_toy:CXA701_keeps_owner()") | .findings[].message]
		== ["a round trip leaked 1 reference to the object"]' document
	requires jsonschema
	"$TEST_PYTHON" -m jsonschema -i document "$ROOT/schema/suai.schema.json"
}

@test "a document gives the same findings as the functions themselves" {
	mapfile -t targets < <(toys exchange_toy CXA)
	"$SUAI" validate --calls --lifetime --exit-zero --select CXA -f yaml -o document.yaml "${targets[@]}"
	"$SUAI" validate --calls --lifetime --exit-zero --select CXA -f json document.yaml > again
	"$SUAI" validate --calls --lifetime --exit-zero --select CXA -f json "${targets[@]}" > live
	diff <(jq -c '.targets[] | [.findings[] | [.rule, .field]]' live) <(jq -c '.targets[] | [.findings[] | [.rule, .field]]' again)
}

@test "a function that kills the process is named, and the others are called" {
	run -3 --separate-stderr "$SUAI" validate --calls --select CXA -f json 'exchange_toy:crashes()'
	jq -e '.targets[0] | .status == "crashed" and .step == "dltensor_from_py_object_no_sync(object)"
		and ([.interfaces[0].details.exchange.calls[].function] | unique
			== ["current_work_stream", "managed_tensor_allocator",
				"managed_tensor_from_py_object_no_sync", "managed_tensor_to_py_object_no_sync"])' <<< "$output"
}

@test "one call and one trial can be repeated by their steps" {
	"$SUAI" validate --calls --only-step 'managed_tensor_allocator(float32, (2^60,))' -f json 'exchange_toy:good()' |
		jq -e '.targets[0].interfaces[0].details.exchange.calls
			| length == 1 and .[0].set_error == {calls: 1, kind: "MemoryError", message: "out of memory"}'
	"$SUAI" validate --lifetime --only-step 'trial exchange of dlpack' -f json 'exchange_toy:good()' |
		jq -e '[.targets[0].trials[].trial] == ["exchange"]'
}

@test "objects without the API have no trial of it" {
	requires numpy
	"$SUAI" validate --lifetime -f json -c 'import numpy' 'numpy.arange(3)' |
		jq -e '[.targets[0].trials[].trial] | index("exchange") == null and index("deleter") != null'
}

# tvm-ffi's own table, of a type that it provides for tests.
@test "tvm-ffi: a NULL allocator, and a stream that is not set, as plain Python sees them" {
	requires numpy tvm_ffi
	code='import numpy, tvm_ffi; from tvm_ffi.core import DLTensorTestWrapper as Wrapper'
	"$SUAI" validate --calls --lifetime --exit-zero --select CXA -f json -c "$code" \
		'Wrapper(tvm_ffi.from_dlpack(numpy.arange(6.0)))' |
		jq -e '[.targets[0].findings[] | .rule + " " + .severity] == ["CXA102 error", "CXA103 note", "CXA601 note"]'
	"$TEST_PYTHON" "$ROOT/docs/findings/tvm_ffi_leaves_the_stream_unset.py"
}
