#!/usr/bin/env bats
# validate --consumer: planted consumers are identified, and a healthy one is not accused.

load helpers

setup() {
	cd "$ROOT" || return 1
	requires numpy
}

# Cases of every kind: a planted consumer is passed these, the healthy one all.
SOME=float32,float64,int16,int64,lanes-4,scalar,empty,64-dimensions,unit-negative,fortran,every-second,negative,negative-step,broadcast,\
offset,offset-strided,aligned-4,aligned-16,legacy,version-1.99,read-only,null-deleter,null-context,no-keywords,raises-BufferError,raises-ValueError,\
no-method,name-unknown,name-used,major-2,major-1000,null-shape,ndim-negative,ndim-huge,extents-overflow,code-unknown

# rules_of NAME [CASES]: the rules of all errors and warnings of a consumer in planted.py.
rules_of() {
	"$SUAI" validate --exit-zero -f json --consumer "testdata/consumers/planted.py:$1" ${2:+--case "$2"} |
		jq -r '[.targets[].findings[] | select(.severity != "note").rule] | unique | join(" ")'
}

check_planted() {
	while [ $# -gt 0 ]; do
		[ "$(rules_of "$1" "$SOME")" = "$2" ] || { echo "$1: $(rules_of "$1" "$SOME"), expected $2"; return 1; }
		shift 2
	done
}

@test "a consumer without a fault has no finding in any case" {
	[ -z "$(rules_of healthy)" ]
	[ "$("$SUAI" complete cases | wc -l)" -ge 90 ]
}

@test "consumers that ignore a field of the tensor are identified, with no other finding" {
	check_planted ignores_byte_offset DLC301 ignores_strides DLC302 ignores_lanes DLC304 \
		ignores_read_only DLC308 ignores_version DLC802 requires_alignment DLC401
}

@test "a consumer that ignores the sign of strides is distinguished from one that ignores all strides" {
	messages() { "$SUAI" validate --exit-zero -f json --consumer "testdata/consumers/planted.py:$1" --case "$2" |
		jq -r '[.targets[].findings[] | select(.severity == "error") | "\(.rule) \(.message)"] | unique[]'; }
	for planted in ignores_stride_signs copies_without_stride_signs; do
		[ "$(messages "$planted" fortran,every-second,negative,negative-step,negative-both,offset-negative)" = \
			"DLC302 the sign of strides is ignored: the elements are those of positive strides" ]
	done
	[ "$(messages ignores_strides every-second,negative,negative-both)" = \
		"DLC302 strides is ignored: the elements are read from consecutive addresses" ]
}

@test "a consumer that passes no max_version has one note on all tensors that require it" {
	suai validate --consumer 'old(_)' --case float32,version-1.0,version-1.99,copied -v -c '
import numpy
def old(x): return numpy.from_dlpack(type("Old", (), {"__dlpack__": lambda _, **keywords: x.__dlpack__(),
    "__dlpack_device__": lambda _: (1, 0)})())'
	[ "$status" -eq 0 ]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == "old(_)[version-1.0] and 2 more: note DLC807 consumer-accepts: the consumer does not request version 1.0 by max_version, which the tensor requires = why: "*" = help: try: x.__dlpack__(max_version=(1, 0)); except TypeError: x.__dlpack__() "*" 3 notes"* ]] || { echo "$output"; false; }
}

@test "consumers that change elements or access other memory are identified, with no other finding" {
	check_planted ignores_sign DLC306 returns_absolute DLC306 converts_to_real DLC306
	[ "$(rules_of returns_absolute float32)" = DLC306 ]
	check_planted narrows DLC307 changes_element DLC306 writes DLC403 reads_past_end DLC402 \
		transposes DLC306
	[ "$(rules_of reads_whole_steps padded-rows-64)$(rules_of reads_whole_steps every-third-64)" = DLC402DLC402 ]
	[ "$(rules_of ignores_read_only_of_scalars read-only-scalar)" = DLC308 ]
}

@test "consumers that do not own the tensor correctly are identified, with no other finding" {
	check_planted leaks DLC703 leaks_if_it_raises DLC703 deletes_twice DLC703 deletes_early DLC705 \
		does_not_rename DLC701 accepts_used DLC702 calls_null DLC704 requires_context DLC703 leaks_tensor DLC703 over_releases DLC703 \
		keeps_address DLC705
}

@test "consumers that raise, return or end wrongly are identified, with no other finding" {
	check_planted ignores_tensor DLC004 returns_argument DLC003 exits DLC001 trusts_ndim DLC002 \
		requires_keywords DLC801 ignores_exception DLC804 raises_system_error DLC808
}

@test "NumPy and tvm_ffi import every legal tensor correctly, or raise an exception" {
	suai validate --severity error --consumer numpy:from_dlpack
	[ "$status" -eq 0 ]
	[[ "$output" == *"no findings in "*" targets"* ]]
	"$TEST_PYTHON" -c 'import tvm_ffi' 2> /dev/null || skip "no package tvm_ffi"
	suai validate --consumer 'tvm_ffi.from_dlpack(_)' -f json --exit-zero
	[ "$(jq -r '.targets[] | .consumption.id as $id | .findings[] | select(.severity != "note") | "\($id) \(.rule)"' <<< "$output" | sort)" = \
		"$(printf '%s\n' 'exchange-chain DLC001' 'exchange-major-2 DLC002' 'exchange-read-only DLC308')" ] # docs/findings
	jq -e '[.targets[].consumption | select(.id == "exchange-offset")]
		| .[0].calls == ["managed_tensor_from_py_object_no_sync()"] and .[0].shared and .[0].deleted == 1' <<< "$output"
}

@test "consumers of the C exchange API with a fault are identified, with no other finding" {
	local exchange
	exchange=$("$SUAI" complete cases | cut -f 1 | grep '^exchange' | paste -sd,)
	while read -r planted rules; do
		[ "$(rules_of "$planted" "$exchange")" = "$rules" ] || { echo "$planted: $(rules_of "$planted" "$exchange")"; return 1; }
	done <<- END
		exchange_healthy
		exchange_ignores_byte_offset DLC301
		exchange_ignores_strides DLC302
		exchange_narrows DLC307
		exchange_ignores_read_only DLC308
		exchange_leaks DLC703
		exchange_deletes_twice DLC703
		exchange_deletes_early DLC705
		exchange_ignores_version DLC001 DLC002
	END
}
