#!/usr/bin/env bats
# validate --consumer -p: tensors that have __array_interface__, __array_struct__ or a buffer.

load helpers

PLANTED=testdata/consumers/planted_host.py
LEGAL=float32,float64,int16,int64,scalar,empty,64-dimensions,unit-negative,fortran,every-second,negative,broadcast,aligned-4,\
read-only,swapped,swapped-int16
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
		interface_reads_nothing DLC004
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

@test "NumPy and memoryview have no finding" {
	for protocol in numpy numpy-struct buffer; do
		[ -z "$(rules_of 'np.asarray(_)' "$protocol")" ]
		[ -z "$(rules_of 'np.array(_)' "$protocol")" ]
	done
	[ -z "$(rules_of 'memoryview(_)' buffer)" ]
}

@test "the document names the protocol, and the calls that the consumer made" {
	suai validate --consumer 'np.asarray(_)' -p numpy --case float32 -f json
	jq -e '.targets[0].consumption | .protocol == "numpy" and .calls == ["__array_interface__"] and .exports == 1
		and .renamed == null and .deleted == 1 and .deleted_held == 0' <<< "$output"
	suai validate --consumer 'memoryview(_)' -p buffer --case float32 -f json
	jq -e '.targets[0].consumption | .protocol == "buffer" and .calls == ["buffer"] and .exports == 1 and .deleted == 1' <<< "$output"
}

@test "a protocol without tensors, and a case that a protocol cannot express, are usage errors" {
	while IFS='|' read -r text options; do
		# shellcheck disable=SC2086 # words
		suai validate --consumer numpy:asarray $options
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"$text"* ]]
	done <<- END
		-p cuda cannot be used with --consumer: expected one of dlpack numpy|-p cuda
		-p: expected one protocol with --consumer, got 2|-p numpy -p buffer
		--case 'lanes-4': __array_interface__ cannot express this tensor|-p numpy --case lanes-4
		--case 'swapped': __dlpack__ cannot express this tensor|--case swapped
		--case 'null-data': buffer cannot express this tensor|-p buffer --case null-data
		--reproduce 'offset': __array_struct__ cannot express this tensor|-p numpy-struct --reproduce offset
		--case 'fuzz-1-2-zz': no such case|-p numpy --case fuzz-1-2-zz
	END
}
