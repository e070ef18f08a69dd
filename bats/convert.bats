#!/usr/bin/env bats
# suai convert: every pair of host protocols, USM sources, consumers, refusals. Files: convert_files.bats.

load helpers

setup() {
	DATA="$ROOT/testdata/convert"
	PLAIN='c_order fortran sliced reverse transposed scalar empty ones repeated boolean readonly'
	OTHER='big_endian structured aligned swapped nested unpadded field text raw_bytes void'
}

# targets MODULE NAME...: the TARGET arguments.
targets() {
	local module=$1 name
	shift
	for name in "$@"; do printf '%s ' "$DATA/$module.py:$name"; done
}

# converts CONSUMER "NAMES" OPTION...: passes each name of arrays.py to the consumer, which checks it.
converts() {
	local consumer=$1 names=$2
	shift 2
	requires numpy
	# shellcheck disable=SC2046,SC2086 # the targets are words
	NAMES="$names" suai convert $(targets arrays $names) -f json --verify --call "$consumer(_)" "$@"
	jq -r '.targets[] | select(.status != "ok") | .target, .error.traceback, .error.message' <<<"$output"
	[ "$status" -eq 0 ]
	[ "$(jq '[.targets[] | select(.copy.verified)] | length' <<<"$output")" -eq "$(wc -w <<<"$names")" ]
}

# paths EXPECTED: every target took this path.
paths() {
	[ "$(jq -r '[.targets[].copy.path] | unique | join(" ")' <<<"$output")" = "$1" ]
}

# converted KEY: of the only target.
converted() {
	jq -r ".targets[0].$1" <<<"$output"
}

@test "conversions between NumPy, buffer and DLPack share memory" {
	for from in numpy buffer dlpack; do
		for to in numpy buffer dlpack; do
			converts check_shared "$PLAIN" -p $from --to $to
			paths zero-copy
		done
	done
}

@test "what only NumPy and buffers can express shares memory between them" {
	for from in numpy buffer; do
		for to in numpy buffer; do
			converts check_shared "$OTHER" -p $from --to $to
			paths zero-copy
		done
	done
	converts check_shared "dates objects" -p numpy --to numpy
	converts check_shared "objects" -p buffer --to buffer
}

@test "without -p the first readable interface of sycl, cuda, dlpack, numpy and buffer is used" {
	converts check_shared "c_order structured" --to numpy
	[ "$(jq -r '[.targets[].copy.from] | join(" ")' <<<"$output")" = "dlpack numpy" ]
	suai convert -c 'import array; a = array.array("d", [1, 2])' a --to numpy -f json
	[ "$(converted copy.from)" = buffer ]
	suai convert -c 'b = b"abc"' b --to dlpack -f json
	[ "$(converted 'interfaces[0].declared.flags')" = 1 ]
}

@test "the new object's pointer is the source's, as the source itself reports it" {
	requires numpy
	suai convert "$DATA/arrays.py:reverse" --to dlpack -f json \
		--call '(print(reverse.ctypes.data, flush=True), _)[1]'
	[ "$(printf '0x%x' "$stderr")" = "$(converted 'interfaces[0].array.pointer')" ]
	[ "$(converted 'interfaces | length')" = 1 ]
	[ "$(converted type)" = numpy.ndarray ]
	[ "$(converted copy.result.type)" = suai.Array ]
}

@test "--copy always returns separate memory, in the source's order" {
	for to in numpy buffer; do
		converts check_copied "$PLAIN $OTHER large" -p numpy --to $to --copy always
		paths host
		converts check_k "$PLAIN large" --to $to --copy always --order K
	done
	converts check_copied "$PLAIN big_endian large" -p numpy --to dlpack --copy always
	[ "$(converted copy.reason)" = "--copy always" ]
}

@test "--order C and F copy only if the source has another order" {
	for to in numpy buffer dlpack; do
		converts check_c "$PLAIN large" --to $to --order C
		converts check_f "$PLAIN large" --to $to --order F
	done
	[[ "$(converted copy.reason)" == "--order F was given, but the source is not Fortran-contiguous" ]]
}

@test "DLPack gets native byte order and strides in elements, through a copy with a stated reason" {
	converts check_copied big_endian --to dlpack
	[[ "$(converted copy.reason)" == *"native byte order"* ]]
	converts check_copied field --to dlpack
	[[ "$(converted copy.reason)" == *"a stride of 23 bytes is not a multiple of the element size, 4"* ]]
}

@test "memoryview and bytes() return the source's elements" {
	converts check_view "c_order fortran sliced reverse transposed scalar empty boolean readonly" --to buffer
	converts check_view "big_endian structured aligned swapped text raw_bytes" -p numpy --to buffer
}

@test "__dlpack__ of the new object handles each keyword as the standard requires" {
	requires numpy
	for consumer in keywords lifetimes many; do
		suai convert "$DATA/protocol.py:a" --to dlpack --call "$consumer(_)" -f json
		converted error.traceback
		[ "$status" -eq 0 ]
	done
	suai convert "$DATA/protocol.py:b" --to dlpack --call 'read_only(_)' -f json
	converted error.traceback
	[ "$status" -eq 0 ]
}

@test "--interface-version 0 returns legacy capsules, which cannot express read-only" {
	requires numpy
	suai convert "$DATA/protocol.py:a" --to dlpack --interface-version 0 --call 'legacy(_)' -f json
	[ "$status" -eq 0 ]
	[ "$(converted copy.path)" = zero-copy ]
	[ "$(converted 'interfaces[0].version')" = legacy ]
	suai convert "$DATA/protocol.py:b" --to dlpack --interface-version 0 --call 'legacy(_)' -f json
	[ "$status" -eq 0 ]
	[[ "$(converted copy.reason)" == *"legacy capsule cannot express that the source is read-only"* ]]
	suai convert "$DATA/protocol.py:b" --to dlpack --interface-version 0 --copy never
	[ "$status" -eq 3 ]
	[[ "$output$stderr" == *"legacy capsule cannot express that the source is read-only"*"use --copy auto to allow it"* ]]
}

@test "buffer flags and NumPy's dictionary follow their specifications exactly" {
	requires numpy
	suai convert "$DATA/protocol.py:c" --to buffer --call 'buffer_requests(_)' -f json
	converted error.traceback
	[ "$status" -eq 0 ]
	suai convert "$DATA/protocol.py:a" --to numpy --call 'numpy_dictionary(_)' -f json
	converted error.traceback
	[ "$status" -eq 0 ]
}

@test "suai validate has no findings for the objects that suai creates" {
	requires numpy
	for to in numpy buffer dlpack; do
		suai convert "$DATA/arrays.py" --to $to -f yaml
		printf '%s\n' "$output" > "$BATS_TEST_TMPDIR/$to.yaml"
		suai validate "$BATS_TEST_TMPDIR/$to.yaml" -f json
		[ "$(jq .summary.errors <<<"$output")" -eq 0 ]
		[ "$(jq '[.targets[] | select(.status == "ok")] | length' <<<"$output")" -gt 10 ]
	done
}

@test "the source's capsule or view is released exactly once, after the last reference" {
	requires numpy
	for to in numpy dlpack buffer; do
		# shellcheck disable=SC2046
		suai convert $(targets owners legacy 'legacy.check()' compact 'compact.check()' view 'view.check()') \
			--to $to -f json
		jq -r '.targets[] | select(.status != "ok") | .target, .error.traceback' <<<"$output"
		[ "$status" -eq 0 ]
		suai convert "$DATA/owners.py:legacy" "$DATA/owners.py:legacy.check()" --to $to --copy always --verify
		[ "$status" -eq 0 ]
		suai convert "$DATA/owners.py:legacy" "$DATA/owners.py:legacy.check()" --to $to --dry-run
		[ "$status" -eq 0 ]
	done
	suai convert "$DATA/owners.py:elsewhere" --to numpy
	[ "$status" -eq 4 ]
	[[ "$stderr$output" == *"; the producer did not copy the elements to the CPU: "* ]]
}

@test "the memory lives as long as a consumer holds it" {
	requires numpy
	for to in numpy dlpack buffer; do
		for copy in auto always; do
			suai convert "$DATA/owners.py:made()" "$DATA/owners.py:held_is_alive()" --to $to --copy $copy \
				--call '[hold(_)][0] if not held else _' -f json
			jq -r '.targets[] | select(.status != "ok") | .target, .error.traceback' <<<"$output"
			[ "$status" -eq 0 ]
		done
	done
}

@test "USM of each kind behind each form of syclobj, and dpnp's views, to host protocols" {
	requires sycl
	for to in numpy 'dlpack --device cpu' buffer; do
		# shellcheck disable=SC2086 # the options are words
		suai convert "$DATA/usm.py" --to $to --verify --call 'check(_)' -f json
		jq -r '.targets[] | select(.status != "ok") | .target, .error.traceback' <<<"$output"
		[ "$status" -eq 0 ]
		[ "$(jq '[.targets[] | select(.copy.from == "sycl" and .copy.verified)] | length' <<<"$output")" -ge 21 ]
		[ "$(jq -r '.targets[] | select(.target | endswith(":queue_shared")) | .copy.path' <<<"$output")" = zero-copy ]
		[ "$(jq -r '.targets[] | select(.target | endswith(":queue_device")) | .copy.path' <<<"$output")" = host ]
		[[ "$(jq -r '.targets[] | select(.target | endswith(":queue_device")) | .copy.reason' <<<"$output")" == \
			"the elements are in usm-device memory of "* ]]
	done
	suai convert "$DATA/usm.py" --to numpy --copy always --order F --verify --call 'check(_)'
	[ "$status" -eq 0 ]
}

@test "suai reads DLPack on oneAPI itself, and passes a queue for the producer to wait on" {
	requires sycl dpnp
	suai convert "$DATA/usm.py:dpnp_reverse" -p dlpack --to numpy --verify -f json \
		--call '(np.asarray(_) == dpnp.asnumpy(dpnp_reverse)).all() or 1 / 0'
	[ "$status" -eq 0 ]
	[ "$(converted copy.path)" = host ]
	[[ "$(converted copy.reason)" == "the elements are in usm-device memory of "* ]]
	suai convert "$DATA/usm.py:dpnp_reverse" -p dlpack --to numpy --copy never
	[ "$status" -eq 3 ]
	suai convert "$DATA/usm.py:dpnp_reverse" -p dlpack --to dlpack --verify -f json \
		--call '(dpnp.asnumpy(dpnp.from_dlpack(_)) == dpnp.asnumpy(dpnp_reverse)).all() or 1 / 0'
	[ "$status" -eq 0 ]
	[ "$(converted copy.path)" = zero-copy ]
}

@test "memory that is not host-accessible is copied by the runtime's memcpy (fake)" {
	requires numpy
	FAKE="$BATS_TEST_TMPDIR/fake"
	mkdir -p "$FAKE"
	cp -r "$ROOT/testdata/fakes/fake_dpctl" "$FAKE/dpctl"
	"${CC:-gcc}" -D_GNU_SOURCE -fPIC -shared -o "$FAKE/dpctl/libDPCTLSyclInterface.so" \
		"$ROOT/testdata/fakes/fake_sycl_interface.c"
	PYTHONPATH="$FAKE" FAKE_SYCL_GPU=1 suai convert "$DATA/fake_usm.py" --to numpy --order C --verify \
		--call 'check(_)' -f json
	jq -r '.targets[] | select(.status != "ok") | .target, .error.traceback, .error.message' <<<"$output"
	[ "$status" -eq 0 ]
	paths memcpy
	[ "$(converted copy.engine)" = sycl ]
	cd "$BATS_TEST_TMPDIR"
	PYTHONPATH="$FAKE" FAKE_SYCL_GPU=1 suai convert "$DATA/fake_usm.py:strided" -o out.npy --verify
	[ "$status" -eq 0 ]
	"$TEST_PYTHON" -c 'import numpy as np; assert (np.load("out.npy") == np.arange(24, dtype="f4")[16:].reshape(2, 4)[:, ::2]).all()'
	PYTHONPATH="$FAKE" FAKE_SYCL_GPU=1 FAKE_SYCL_NULL=Queue_Memcpy suai convert "$DATA/fake_usm.py:strided" --to numpy
	[ "$status" -eq 3 ]
	[[ "$stderr$output" == *"DPCTLQueue_Memcpy returned NULL"* ]]
}

@test "without dpctl the error for a SYCL source names dpctl" {
	"$TEST_PYTHON" -m venv --without-pip "$BATS_TEST_TMPDIR/bare"
	suai convert --python "$BATS_TEST_TMPDIR/bare/bin/python" -c 'class S:
    __sycl_usm_array_interface__ = dict(version=1, shape=(1,), typestr="|u1", data=(4096, False), syclobj="cpu")
s = S()' s --to numpy
	[ "$status" -eq 4 ]
	[[ "$stderr$output" == *"dpctl"* ]]
}

@test "--verify finds a single flipped byte and reports where" {
	requires numpy
	for to in numpy buffer dlpack; do
		SUAI_FAULT=copy-flip suai convert "$DATA/arrays.py:transposed" --to $to --copy always --verify -f json
		[ "$status" -eq 1 ]
		[ "$(converted copy.verified)" = false ]
		[ "$(converted copy.difference)" = "element [0, 0, 0]: bytes 0000 in the source, 0100 in the result" ]
		SUAI_FAULT=copy-flip suai convert "$DATA/arrays.py:transposed" --to $to --verify
		[ "$status" -eq 0 ]
	done
}

@test "--verify compares the elements of a broadcast dimension once if the result broadcasts it, too" {
	requires numpy
	code='import numpy as np; a = np.broadcast_to(np.arange(4.)[:, None], (2**20, 4, 2**20))'
	for to in numpy dlpack; do # of all 2^42 elements, the comparison takes hours
		output=$(timeout 60 "$SUAI" convert -c "$code" a --to $to --verify --query copy.path,copy.verified)
		[ "$output" = $'zero-copy\ntrue' ]
	done
	SUAI_FAULT=copy-flip suai convert -c 'import numpy as np; a = np.broadcast_to(np.arange(4.)[:, None], (3, 4, 5))' a \
		--to numpy --copy always --verify -f json
	[ "$status" -eq 1 ]
	[ "$(converted copy.difference)" = "element [0, 0, 0]: bytes 0000000000000000 in the source, 0100000000000000 in the result" ]
}

@test "no element is lost where matrices of 139, 295 or 411 neighbours are transposed in blocks that leave one" {
	requires numpy
	for shape in '20, 15, 139' '20, 7, 295' '20, 5, 411'; do
		suai convert -c "import numpy; a = numpy.arange(200000, dtype='f4')[:numpy.prod(($shape))].reshape($shape).transpose(0, 2, 1)" a \
			--to buffer --order C --copy always --verify -f json
		[ "$status" -eq 0 ]
		[ "$(converted copy.verified)" = true ]
	done
}

@test "--dry-run prints the path and the reason without converting" {
	requires numpy
	suai convert "$DATA/arrays.py:sliced" --to numpy --order C --dry-run -f json
	[ "$status" -eq 0 ]
	[ "$(converted copy.path)" = host ]
	[[ "$(converted copy.reason)" == "--order C"* ]]
	[ "$(converted 'interfaces | length')" -eq 0 ]
	[ "$(converted copy.verified)" = null ]
	cd "$BATS_TEST_TMPDIR"
	suai convert "$DATA/arrays.py:sliced" -o none.npy --dry-run
	[ "$status" -eq 0 ]
	[ ! -e none.npy ]
}

@test "--dry-run does not swallow options that need the new object" {
	for option in '--timing' '--verify' '--call memoryview(_)'; do
		# shellcheck disable=SC2086
		suai convert -c 'import sys; sys.stderr.write("was run"); b = b"x"' b --to buffer --dry-run $option
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$stderr" = "suai: --dry-run cannot be used with ${option%% *}" ]
	done
}

@test "--dry-run prints the path to a device that the conversion then takes" {
	requires numpy sycl
	suai convert "$DATA/arrays.py:c_order" --to sycl --device sycl:cpu -f json
	local path
	path="$(converted copy.path)"
	suai convert "$DATA/arrays.py:c_order" --to sycl --device sycl:cpu -f json --dry-run
	[ "$(converted copy.path)" = "$path" ]
}

@test "a long copy by one kernel shows on a terminal what it copies and for how long" {
	requires sycl dpnp script
	export XDG_CACHE_HOME="$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
	printf 'import dpnp\na = dpnp.zeros((16384, 16384), dtype="u1").T\n' > wide.py
	output=$(on_terminal xterm "'$SUAI' convert wide.py:a --to sycl --order C --engine kernel --query copy.kernel")
	echo "$output" | cat -v
	[[ "$output" =~ copying\ 256\.0\ MiB,\ [0-9]+\.[0-9]\ s ]]
	[ "$(sed -E 's/.*\x1b\[K\r?//' <<< "$output" | tr -d '\r')" = transpose1 ]
	[ "$(on_terminal xterm "'$SUAI' convert -q wide.py:a --to sycl --order C --engine kernel --query copy.kernel" | tr -d '\r')" = transpose1 ]
}

@test "progress distinguishes a long comparison from the copy before it" {
	requires numpy script
	cd "$BATS_TEST_TMPDIR"
	printf 'import numpy\na = numpy.zeros((1 << 14, 1 << 14), dtype=">u2").T\n' > wide.py
	output=$(on_terminal xterm "'$SUAI' convert wide.py:a --to dlpack --verify")
	echo "$output" | cat -v
	[[ "$output" =~ comparing\ \[#*\.*\]\ +[0-9]+\ %\ \ [0-9.]+\ MiB\ of\ 512\.0\ MiB ]]
}

@test "--timing reports seconds and rate of the copy and of a repeated copy, and the share of memcpy" {
	requires numpy
	suai convert "$DATA/arrays.py:large" --to numpy --order C --timing -f json
	[ "$(jq '.targets[0].copy | .bytes == 12000000 and .seconds > 0 and .seconds < 10 and .gb_per_s > 0.001
		and .share_of_memcpy > 0.0001 and .share_of_memcpy < 10' <<<"$output")" = true ]
	[ "$(jq '.targets[0].copy | [.gb_per_s * .copy_seconds, .steady_gb_per_s * .steady_seconds]
		| all(. * 1e9 / 12000000 - 1 | fabs < 0.01)' <<<"$output")" = true ]
	suai convert "$DATA/arrays.py:large" --to numpy --order C --timing
	local time='[0-9.]+ [mun]?s' rate='[0-9.e-]+ GB/s'
	local parts="of which +reading $time, allocating $time, copying $time \($rate\), describing $time"
	[[ "$output" =~ \ in\ $time$'\n'\ *$parts$'\n'\ *repeated\ +$time,\ $rate,\ [0-9.]+\ %\ of\ memcpy\'s\ rate ]]
}

# The reported parts add up to the whole, and those listed are among them.
adds_up() {
	[ "$(converted 'copy | ([.read_seconds, .allocate_seconds, .copy_seconds, .describe_seconds] | map(. // 0) | add)
		/ .seconds - 1 | fabs < 1e-6')" = true ]
	[ "$(converted 'copy | to_entries | map(select(.key | test("^(read|allocate|copy|describe)_seconds$")) | select(.value > 0).key[:-8])
		| join(" ")')" = "$1" ]
}

@test "--timing reports the parts of the conversion, which add up, also for zero-copy and for files" {
	requires numpy
	suai convert "$DATA/arrays.py:large" --to numpy --order C --timing --verify -f json
	adds_up 'read allocate copy describe'
	suai convert "$DATA/arrays.py:large" --to numpy --timing -f json
	[ "$(converted copy.path)" = zero-copy ]
	adds_up 'read describe'
	[ "$(converted 'copy | [.gb_per_s, .steady_seconds] | all(. == null)')" = true ]
	suai convert "$DATA/arrays.py:large" --to numpy --timing
	[[ "$output" =~ \ in\ [0-9.]+\ [mun]?s$'\n'\ *of\ which\ +reading\ [0-9.]+\ [mun]?s,\ describing\ [0-9.]+\ [mun]?s$'\n' ]]
	suai convert "$DATA/arrays.py:large" --timing -f json -o "$BATS_TEST_TMPDIR/large.npy"
	adds_up 'read copy'
}

@test "--timing does not repeat the copy into memory that a consumer holds, or into a file" {
	requires numpy
	suai convert "$DATA/clock.py:a" --to numpy --order C --timing -f json --call 'seen(_)'
	[ "$(converted copy.seconds)" != null ]
	[ "$(converted copy.steady_seconds)" = null ]
	suai convert "$DATA/arrays.py:large" --order C --timing -f json -o "$BATS_TEST_TMPDIR/large.npy"
	[ "$(converted copy.seconds)" != null ]
	[ "$(converted copy.steady_seconds)" = null ]
}

@test "--timing includes building a kernel in the conversion, but not in the repeated copy" {
	requires sycl dpnp
	export XDG_CACHE_HOME="$BATS_TEST_TMPDIR"
	suai convert -c 'import dpnp; a = dpnp.zeros((64, 64), dtype="f4").T' a --to sycl --order C --engine kernel --timing -f json
	[ "$(converted copy.kernel)" = gather4 ]
	[ "$(jq '.targets[0].copy | .seconds > 2 * .steady_seconds' <<<"$output")" = true ]
}

# suai's seconds are within 10 % of an outer clock, for that array of clock.py with those options.
within_10_percent() {
	local outer inner
	for _ in {1..20}; do # the outer clock includes other load on this machine
		suai convert "$DATA/clock.py:$1" --to numpy --timing -f json "${@:2}"
		[ "$status" -eq 0 ]
		[[ "$stderr" =~ outer\ ([0-9.]+) ]]
		outer=${BASH_REMATCH[1]} inner=$(converted copy.seconds)
		echo "$*: outer clock $outer s, --timing $inner s"
		if jq -en "$inner <= 1.1 * $outer and $outer <= 1.1 * $inner" >/dev/null; then return 0; fi
	done
	return 1
}

@test "--timing is within 10 % of an outer clock, for arrays of all sizes and for zero-copy" {
	requires numpy
	within_10_percent a --order C --call 'seen(_)'
	within_10_percent middle --order C --call 'seen(_)'
	within_10_percent small --order C --call 'seen(_)'
	within_10_percent middle --call 'seen(_)'
	within_10_percent small --order C --call '[seen(_), fractions.Fraction][0]'
}

@test "--call accepts a function, and an expression whose modules are imported" {
	requires numpy
	suai convert "$DATA/arrays.py:c_order" --to dlpack --call numpy:from_dlpack -f json
	[ "$(converted copy.result.type)" = numpy.ndarray ]
	[ "$(converted 'copy.result.interfaces[0].array.pointer')" = "$(converted 'interfaces[0].array.pointer')" ]
	suai convert -c 'import array; a = array.array("f", [1, 2])' a --to buffer --call 'np.asarray(_).sum()' -f json
	[ "$(converted copy.result.type)" = numpy.float32 ]
	if "$TEST_PYTHON" -c 'import jax' 2>/dev/null; then
		suai convert -c 'import array; a = array.array("f", [1, 2])' a --to dlpack --call 'jnp.from_dlpack(_)' -f json
		[[ "$(converted copy.result.type)" == jax* ]]
	fi
	suai convert -c 'import array; a = array.array("f", [1, 2])' a --to buffer --call builtins:bytes -f json
	[ "$(converted copy.result.type)" = bytes ]
	suai convert "$DATA/hostile.py:a" --to numpy --call 'prints(_)' -f json
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"noise on standard output"* && "$stderr" == *"more noise"* ]]
}

@test "--call reports whether the consumer shares the memory or made a copy" {
	requires numpy
	local call said key
	while IFS='|' read -r call said key; do
		for quiet in '' -q; do
			# shellcheck disable=SC2086
			suai convert $quiet -c 'import numpy as np; a = np.arange(12.0).reshape(3, 4)' a --to dlpack --call "$call"
			[ "$status" -eq 0 ]
			[[ "$output"$'\n' =~ "the consumer's result: "[a-z0-9.]*"$said"$'\n' ]]
		done
		suai convert -c 'import numpy as np; a = np.arange(12.0).reshape(3, 4)' a --to dlpack --call "$call" --query copy.same_memory
		[ "$status" -eq 0 ]
		[ "$output" = "$key" ]
	done <<'END'
numpy:from_dlpack|, same memory|true
np.from_dlpack(_)[1:, ::-2]|, same memory|true
np.from_dlpack(_, copy=True)|, a copy made by the consumer|false
np.from_dlpack(_).astype('f4')|, a copy made by the consumer|false
np.from_dlpack(_).sum()||
np.from_dlpack(_)[:0]||
np.asarray(_)||
id(_)||
END
	suai convert -c 'import numpy as np; a = np.arange(12.0)' a --to dlpack --query copy.same_memory
	[ "$output" = "" ]
}

@test "a consumer that raises, crashes, hangs or exits gives status 3 and names the step" {
	requires numpy
	for consumer in raises exits crashes leaves hangs; do
		suai convert --timeout "$(time_limit)" "$DATA/hostile.py:a" --to numpy --call "hostile:$consumer" -f json
		[ "$status" -eq 3 ]
		[ "$(converted step)" = call ]
		[ "$(converted status)" != ok ]
	done
	suai convert "$DATA/hostile.py:a" --to numpy --call 'hostile:nothing' -f json
	[ "$status" -eq 3 ]
	[ "$(converted error.type)" = AttributeError ]
}

@test "an invalid --call is refused before anything is converted, with a suggestion" {
	requires numpy
	for call in numpy: :from_dlpack numpy::from_dlpack 'np.from_dlpack(' 'lambda x: f(x)' '{1: 2}' numpy.:a 1:2 'a b' '' "f('_')" 'x._(1)' 'dict(_=1)'; do
		suai convert "$DATA/arrays.py:c_order" --to dlpack --call "$call"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[[ "$stderr" == *"--call '$call' does not use _, the object that is passed; examples are numpy:from_dlpack and 'np.from_dlpack(_)'"* ]]
	done
	for call in np.asarray memoryview dpctl.memory.as_usm_memory; do
		suai convert "$DATA/arrays.py:c_order" --to dlpack --call "$call"
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"--call '$call' does not use _, the object that is passed (did you mean '$call(_)'?)"* ]]
	done
	suai convert "$DATA/arrays.py:c_order" --to dlpack --call 'np.from_dlpack(_'
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot be converted: --call 'np.from_dlpack(_': "*"; use module:function, or an expression with _ such as 'np.from_dlpack(_)'" ]]
	for call in 'nope.foo(_)' 'nope:foo'; do
		suai convert "$DATA/arrays.py:c_order" --to dlpack --call "$call"
		[ "$status" -eq 3 ]
		[[ "$output" == *" module"*"'nope' in $TEST_PYTHON; use --python or \$SUAI_PYTHON to choose another interpreter"* ]]
	done
	suai convert -c 'import numpy as np; a = np.arange(3)[::-1]' a --to numpy --call numpy:nope
	[ "$status" -eq 3 ]
	[[ "$output" == *"has no attribute 'nope'"* && "$output" != *"negative strides"* ]]
}

# Where the kernel overcommits, the allocation would succeed, and the copy end processes.
@test "a copy that the memory of the machine cannot hold is refused" {
	requires numpy
	"${CC:-gcc}" -fPIC -shared -o "$BATS_TEST_TMPDIR/fake.so" "$ROOT/testdata/fakes/fake_memory_size.c"
	FAKE_MEMORY_BYTES=$((1 << 27)) LD_PRELOAD="$BATS_TEST_TMPDIR/fake.so" suai convert --to numpy --copy always \
		-c 'import numpy as np; a = np.broadcast_to(1.0, (1 << 25,))' a
	[ "$status" -eq 3 ]
	[[ "$(tr -s ' \n' ' ' <<< "$stderr$output")" == *'MemoryError: cannot allocate 268435456 bytes'* ]]
}

@test "sources with false declarations, or that raise or crash, are refused with the reason" {
	requires numpy
	while read -r name wanted; do
		suai convert "$DATA/hostile.py:$name" --to numpy --copy always
		[ "$status" -eq 3 ]
		[[ "$stderr$output" == *"$wanted"* ]]
	done <<-'END'
		lying some memory in [0x40, 0x8040) cannot be read
		overflowing overflow
		raising ValueError: not today
		masked the array has a mask
		short elements span byte offsets [0, 32), but the buffer has 31 bytes
		plain exposes no interface that convert can read
		crashing SIGABRT
	END
}

@test "elements that are mapped but past the end of their file are refused before they are read" {
	code='import mmap, os, tempfile
with tempfile.TemporaryFile() as file:
    os.ftruncate(file.fileno(), 1 << 16)
    memory = mmap.mmap(file.fileno(), 1 << 16)
    os.ftruncate(file.fileno(), 100)
def array(length, **keys): return type("Array", (), {"__array_interface__": dict(version=3, shape=(length,), typestr="|u1", data=memory, **keys)})()'
	for option in "-o$BATS_TEST_TMPDIR/out.npy" --to=numpy; do
		suai convert "$option" -f json -c "$code" 'array(65536)'
		[ "$status" -eq 3 ]
		[[ "$(jq -r '.targets[0].error.message' <<< "$output")" == 'numpy: some memory in [0x'*') cannot be read: the mapping of '*' is longer than the file' ]]
	done
	suai convert --to numpy --verify --query elements -c "$code" 'array(100)' 'array(4000, offset=96)'
	[ "$status" -eq 0 ]
	[ "$output" = $'100\n4000' ]
}

@test "inspect reports elements masked by numpy.ma, and convert does not export them as valid" {
	requires numpy
	code='import numpy as np; ma = np.ma
some, none, clear = ma.array([1., -999., 3.], mask=[0, 1, 0]), ma.array([1.]), ma.array([1., 2.], mask=False)
record = ma.array([(1, 2.0)], [("a", "i4"), ("b", "f8")], mask=[(1, 0)])
unmasked_record, invalid = ma.array([(1, 2.0)], record.dtype), ma.masked_invalid(np.arange(3.0))
nested = ma.array([((1, [2, 3]),)], [("a", [("b", "i4"), ("c", "u2", 2)])], mask=[((0, [0, 1]),)])
unknown = ma.array([1.0, 2.0], mask=[0, 1])
class Mute:
	def __array__(self, *args, **keywords): raise RuntimeError
unknown._mask = Mute()'
	for name in some record nested; do
		suai convert --to numpy -p numpy -c "$code" $name
		[ "$status" -eq 3 ]
		[[ $output == *"$name: cannot be converted: elements of the array are masked, "*"use array.filled() or"* ]]
		suai inspect -c "$code" $name
		[[ $output == *"masked       by a mask that no interface reports"* ]]
	done
	suai convert -c "$code" some -o "$BATS_TEST_TMPDIR/some.npy"
	[ "$status" -eq 3 ]
	[ ! -e "$BATS_TEST_TMPDIR/some.npy" ]
	suai convert --to numpy -c "$code" unmasked_record
	[ "$status" -eq 0 ]
	suai convert --to dlpack -c "$code" unknown
	[ "$status" -eq 3 ]
	[[ $output == *"numpy.ma does not report whether elements of the array are masked: "* ]]
	for name in none clear invalid 'some.filled(0)' some.data; do
		suai convert --to dlpack -q -c "$code" "$name"
		[ "$status" -eq 0 ]
	done
	suai inspect -f json -c "$code" some none clear invalid some.data unknown
	jq -ce '[.targets[].own.masked] == [true, false, false, false, null, null]' <<< "$output"
	suai inspect -f json -c "$code" record nested unmasked_record
	jq -ce '[.targets[].own.masked] == [true, true, false]' <<< "$output"
	suai validate -q -c "$code" some none clear invalid some.data
	[[ $output == "some: warning DLP812 "* ]]
	[ "${#lines[@]}" -eq 1 ]
}

@test "lazily negated and conjugated elements are resolved before they are read or converted, and the report shows it" {
	requires numpy
	while IFS='|' read -r name method values; do
		suai inspect --values --checksum -f json "$DATA/pending.py:$name"
		jq -ce --argjson values "$values" '.targets[0].data | [.values, .resolved_by] == [$values, "'"$method"'"]' <<< "$output"
		suai inspect --values "$DATA/pending.py:$name"
		[[ $output == *"read from    the result of $method: the object's memory does not contain its values"* ]]
		suai convert --to numpy --verify --call 'print(np.asarray(_).tolist())' -f json "$DATA/pending.py:$name"
		[ "$status" -eq 0 ]
		jq -ce '.targets[0].copy | .verified and .path == "memcpy" and .engine == "producer"
			and .reason == "the elements in memory are not the object\u0027s values, which '"$method"' computed into a copy"' <<< "$output"
		[ "$("$TEST_PYTHON" -c 'print(eval(input()))' <<< "$stderr")" = "$("$TEST_PYTHON" -c "
import json
print([complex(*v) if isinstance(v, list) else v for v in json.loads('$values')])")" ]
		suai convert --to numpy --copy never "$DATA/pending.py:$name"
		[ "$status" -eq 3 ]
		[[ $output == *"a copy is required, but --copy never forbids it: "*"which $method computed into a copy"* ]]
		suai convert "$DATA/pending.py:$name" -o "$BATS_TEST_TMPDIR/$name.npy" --query copy.reason
		[ "$output" = "a file contains a copy of the elements; the elements in memory are not the object's values, which $method computed into a copy" ]
		suai inspect --values -f json "$BATS_TEST_TMPDIR/$name.npy"
		jq -ce --argjson values "$values" '.targets[0].data.values == $values' <<< "$output"
	done <<-'END'
		neg|resolve_neg()|[-1.0, 2.0, -3.0]
		conj|resolve_conj()|[[1.0, -2.0], [3.0, 4.0]]
		both|resolve_conj().resolve_neg()|[[-1.0, 2.0], [-3.0, -4.0]]
	END
	suai convert --to numpy --verify "$DATA/pending.py:other_order"
	[ "$status" -eq 0 ]
	for name in plain mock; do
		suai inspect --values -f json "$DATA/pending.py:$name"
		jq -ce '.targets[0] | .own.pending == [] and .data.resolved_by == null and .data.values == [1.0, -2.0, 3.0]' <<< "$output"
		suai convert --to numpy --query copy.path "$DATA/pending.py:$name"
		[ "$output" = zero-copy ]
	done
}

@test "elements that are not the object's values and cannot be resolved are neither read nor converted" {
	requires numpy
	local rows names name pending wanted options
	rows=$(cat <<-'END'
		stuck|negation|the same applies to the result of resolve_neg()
		other_shape|negation|resolve_neg() returned an array of another shape
		other_type|negation|resolve_neg() returned an array of another element type
		raises|negation|resolve_neg(): RuntimeError: not today
		no_resolver|negation|the object has no resolve_neg()
		mask_array|mask|a boolean mask of its own shape (.mask)
		mask_list|mask|a boolean mask of its own shape (.mask)
		mask_interface|mask|a boolean mask of its own shape (.mask)
		mask_view|mask|a boolean mask of its own shape (.mask)
		mask_all_false|mask|suai does not know which elements it hides
		mask_no_shape|mask|a boolean mask of its own shape (.mask)
		quantized|dequantization|use array.dequantize()
		quint8|dequantization|use the dequantized array
		qint8|dequantization|are quantized, and no interface reports their scale and zero point
		zero_point|dequantization|no interface reports their scale and zero point
		scaled|scaling|scale_factor and add_offset are not applied
	END
	)
	names=$(cut -d '|' -f 1 <<<"$rows")
	# shellcheck disable=SC2046,SC2086 # the targets and the options are words
	suai inspect -f json --values --stats --checksum $(targets pending $names)
	while IFS='|' read -r name pending wanted; do
		jq -ce --arg name ":$name" '.targets[] | select(.target | endswith($name))
			| [.data.values, .data.stats, .data.checksum, .own.pending] == [null, null, null, ["'"$pending"'"]]' <<<"$output"
		[[ "$(jq -r --arg name ":$name" '.targets[] | select(.target | endswith($name)) | .data.reason' <<<"$output")" == *"$wanted"* ]]
	done <<<"$rows"
	for options in '--to dlpack' '--to numpy -p numpy --copy always'; do
		# shellcheck disable=SC2046,SC2086
		suai convert $options $(targets pending $names)
		[ "$status" -eq 3 ]
		[[ $output != *" avoids this"* ]]
		while IFS='|' read -r name pending wanted; do
			[[ "$(grep -F ":$name: " <<<"$output")" == *"cannot be converted: "*"$wanted"* ]]
		done <<<"$rows"
	done
	while IFS='|' read -r name pending wanted; do
		suai convert -o "$BATS_TEST_TMPDIR/x.npy" "$DATA/pending.py:$name"
		[ "$status" -eq 3 ]
		[[ $output == *"cannot be converted: "*"$wanted"* ]]
		[[ $output != *" avoids this"* ]]
	done <<<"$rows"
	[ ! -e "$BATS_TEST_TMPDIR/x.npy" ]
	# shellcheck disable=SC2046,SC2086
	suai inspect $(targets pending $names)
	[ "$(grep -c 'pending  *[a-z]*, not applied to the elements in memory; consumers read the unmodified elements' <<<"$output")" -eq "$(wc -l <<<"$rows")" ]
	while IFS='|' read -r name pending wanted; do
		[[ "$(sed -n "\\|:$name|,\\|^/|p" <<<"$output")" == *"pending      $pending, not applied"* ]]
	done <<<"$rows"
	names='mask_other_shape mask_no_shape_other mask_numbers mask_method mask_flag neutral half fields'
	# shellcheck disable=SC2046,SC2086
	suai inspect --values -f json $(targets pending $names)
	jq -ce '[.targets[] | .own.pending == [] and .data.values != null] | all and length == 8' <<<"$output"
	# shellcheck disable=SC2046,SC2086
	suai convert --to numpy $(targets pending $names)
	[ "$status" -eq 0 ]
}

@test "validate reports exports of lazily negated elements, but not codes of quantized numbers or resolved elements" {
	requires numpy
	suai validate -q --select XPR202 "$DATA/pending.py:"{neg,conj,plain,quantized,scaled,mask_array}
	[ "$status" -eq 1 ]
	[ "$(sed 's/.*pending.py://' <<< "$output")" = "neg: error XPR202 values-in-memory: the pending negation is not applied to the elements exported by __dlpack__ and __array_interface__
conj: error XPR202 values-in-memory: the pending conjugation is not applied to the elements exported by __dlpack__ and __array_interface__" ]
}

@test "a mask of one interface applies to the object: no other interface is read instead" {
	requires numpy
	code='import numpy as np
class Masked:
	data, bits = np.arange(3.0), np.array([True, False, True])
	def __init__(self, mask): self.__array_interface__ = {**self.data.__array_interface__, "mask": mask}
	def __dlpack__(self, **keywords): return self.data.__dlpack__(**keywords)
	def __dlpack_device__(self): return 1, 0
	@property
	def __cuda_array_interface__(self): raise AttributeError
masked, clear = Masked(Masked.bits), Masked(None)'
	suai inspect --values -f json -c "$code" masked clear
	jq -ce '[.targets[].data | [.values, .reason]] ==
		[[null, "an interface declares a mask, which suai does not apply"], [[0.0, 1.0, 2.0], null]]' <<< "$output"
	suai convert --to numpy -c "$code" masked
	[ "$status" -eq 3 ]
	[[ $output == *"the array has a mask, which convert does not export" ]]
	suai convert --to numpy -c "$code" clear
	[ "$status" -eq 0 ]
}

@test "of two interfaces the one with the element type is converted, and a refusal names the suitable one" {
	requires numpy
	code='import numpy as np
class Raw(np.ndarray):
	"""Raw bytes but for its buffer, which is of int16."""
	@property
	def __array_interface__(self):
		return {**super().__array_interface__, "typestr": "<V2", "descr": [("", "<V2")]}
	@property
	def __array_struct__(self): raise AttributeError
	def __dlpack__(self, **keywords): raise BufferError("not today")
raw, void = np.arange(4, dtype="i2").view(Raw), np.zeros(2, "V4")'
	suai convert --to numpy --verify --query copy.from,dtype -c "$code" raw void
	[ "$output" = $'buffer\nint16\nnumpy\nvoid4' ]
	suai inspect --values -f json -p numpy -p buffer -c "$code" raw
	jq -ce '.targets[0].data.values == [0, 1, 2, 3]' <<< "$output"
	suai convert --to dlpack -p numpy -c "$code" raw
	[ "$status" -eq 3 ]
	[[ $output == *"DLPack has no type for void2; --to numpy, buffer or cuda can express these elements; -p buffer avoids this" ]]
	suai convert --to dlpack -p dlpack -c "$code" raw
	[[ $output == *"BufferError: not today; -p buffer avoids this" ]]
	suai convert --to dlpack -p numpy -c "$code" void
	[ "$status" -eq 3 ]
	[[ $output != *"avoids this"* ]]
}

@test "elements of ml_dtypes keep the type that NumPy reports as raw bytes, or are refused" {
	requires numpy ml_dtypes
	code='import numpy as np, ml_dtypes as m
bf = np.arange(6, dtype="f4").reshape(2, 3).astype(m.bfloat16)
f8, i4, raw = bf.astype(m.float8_e4m3fn), np.arange(4).astype(m.int4), bf.view("V2")
rows = np.zeros(2, [("a", m.bfloat16)])'
	for name in bf:bfloat16 f8:float8_e4m3fn 'bf.T:bfloat16'; do
		suai convert --to dlpack --verify --query dtype -c "$code" "${name%:*}"
		[ "$status" -eq 0 ]
		[ "$output" = "${name#*:}" ]
		for to in numpy buffer; do
			suai convert --to $to -c "$code" "${name%:*}"
			[ "$status" -eq 3 ]
			[[ $output == *" for ${name#*:}; --to dlpack can express these elements" ]]
		done
	done
	suai convert -c "$code" bf -o "$BATS_TEST_TMPDIR/bf.npy"
	[ "$status" -eq 3 ]
	[[ $output == *"NumPy has no typestr for bfloat16; -o FILE.raw stores the elements without their type" ]]
	[ ! -e "$BATS_TEST_TMPDIR/bf.npy" ]
	suai convert -c "$code" i4 --to numpy
	[ "$status" -eq 3 ]
	[[ $output == *"suai cannot convert elements of int4; use .astype('float32'), which has their values" ]]
	for name in "i4.astype('float32'):float32" "i4.view('u1'):uint8" raw:void2 rows:void2; do
		suai convert --to numpy --verify --query dtype -c "$code" "${name%:*}"
		[ "$status" -eq 0 ]
		[ "$output" = "${name#*:}" ]
	done
	suai inspect -c "$code" bf
	[[ $output == *"own dtype    bfloat16, exported as void2: consumers treat the elements as raw bytes"* ]]
	suai inspect -c "$code" raw rows
	[[ $output != *"own dtype"* ]]
}

@test "a refusal states the reason and which option helps" {
	requires numpy
	while IFS='|' read -r name options wanted; do
		# shellcheck disable=SC2086 # the options are words
		suai convert "$DATA/arrays.py:$name" $options
		[ "$status" -eq 3 ]
		[[ "$stderr$output" == *$wanted* ]]
	done <<-'END'
		structured|--to dlpack|DLPack has no type for *; --to numpy, buffer or cuda can express these elements
		dates|--to buffer|suai has no PEP 3118 format for datetime64[[]D]; --to numpy or cuda can express these elements
		text|--to dlpack|DLPack has no type for *; --to numpy, buffer or cuda
		objects|--to numpy --copy always|references to Python objects, which suai does not copy
		big_endian|-p dlpack --to numpy|native byte order*; -p numpy or -p numpy-struct or -p buffer avoids this
		sliced|--to numpy --order C --copy never|--copy never forbids it: --order C*; use --copy auto to allow it
		c_order|-p sycl --to numpy|sycl: the object has no __sycl_usm_array_interface__; -p dlpack or -p numpy or -p numpy-struct or -p buffer avoids this
	END
}

@test "missing drivers, devices and packages give status 4 and are named" {
	requires numpy
	[ ! -e /dev/nvidiactl ] || skip "this machine has a CUDA driver"
	while IFS='|' read -r options wanted; do
		# shellcheck disable=SC2086
		suai convert "$DATA/arrays.py:sliced" $options
		[ "$status" -eq 4 ]
		[[ "$stderr$output" == *"$wanted"* ]]
	done <<-'END'
		--to cuda|--to cuda: cannot load 'libcuda.so.1'
		--to dlpack --device cuda:0|--device cuda:0: cannot load 'libcuda.so.1'
		--to dlpack --device opencl:99.0|'suai devices' lists the available devices
		--to numpy --order C --engine kernel|--engine kernel: the source is host memory
	END
	suai convert -c 'class C:
    __cuda_array_interface__ = dict(version=3, shape=(1,), typestr="|u1", data=(4096, False))
c = C()' c --to numpy
	[ "$status" -eq 4 ]
	[[ "$stderr$output" == *"cuda: cannot load 'libcuda.so.1'"* ]]
}

@test "--device and --dl-device accept the same device names" {
	requires numpy
	for device in cpu cpu:0 1,0; do
		suai convert "$DATA/arrays.py:c_order" --to numpy --device $device --query copy.path,device.type
		[ "$output" = "$(printf 'zero-copy\ncpu')" ]
		suai inspect "$DATA/arrays.py:c_order" -p dlpack --dl-device $device -f json
		[ "$(converted 'calls[0].step')" = '__dlpack__(dl_device=(1, 0))' ]
	done
	for device in cuda 'cuda:x' 'opencl:x' 'cpu:1' cuda_host:0; do
		suai convert "$DATA/arrays.py:c_order" --to numpy --device $device
		[ "$status" -eq 2 ]
		[[ "$stderr" == "suai: --device"*" '$device': numpy describes only host memory; "* || "$stderr" == *"expected cpu, cuda:N, oneapi:N, sycl:FILTER, opencl:P.D, or TYPE,ID"* ]]
	done
	suai inspect "$DATA/arrays.py:c_order" --dl-device opencl:0.0
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"--dl-device 'opencl:0.0': expected a DLPack device, such as oneapi:0; 'suai devices' lists them"* ]]
	suai inspect "$DATA/arrays.py:c_order" --dl-device gpu
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"unknown device 'gpu'; expected cpu, cuda:N, oneapi:N, sycl:FILTER, opencl:P.D, or TYPE,ID"* ]]
	requires sycl
	suai convert "$DATA/arrays.py:c_order" --to dlpack --device oneapi:97
	[ "$status" -eq 4 ]
	[[ "$output$stderr" == *"--device oneapi:97: "* ]]
	for device in oneapi:0 sycl:0 14,0; do
		suai convert "$DATA/arrays.py:c_order" --to dlpack --device $device --verify --query copy.verified,device.type,device.id
		[ "$output" = "$(printf 'true\noneapi\n0')" ]
	done
}

@test "the device in a report is accepted as an option, and a cl_mem has no extent" {
	requires numpy
	"$SUAI" devices --query runtime,name | grep -q ^opencl || skip "no OpenCL device here"
	suai convert "$DATA/arrays.py:c_order" --to dlpack --device opencl:0.0 -f json
	jq -e '.targets[0].interfaces[0].array | .device.type == "opencl" and .device.id == 0 and .extent == {low: null, high: null}' <<<"$output"
	for device in opencl:0 4,0; do
		suai convert "$DATA/arrays.py:c_order" --to dlpack --device $device --verify
		[ "$status" -eq 0 ]
		[[ "$output" == *"device       opencl:0"* && "$output" != *extent* ]]
	done
	suai convert "$DATA/arrays.py:c_order" --to dlpack --device opencl:97
	[ "$status" -eq 4 ]
	[[ "$output$stderr" == *"--device opencl:97: unknown device 'opencl:97': OpenCL reports "*" device"*"; 'suai devices' lists the available devices"* ]]
	suai devices -q
	[[ "$output" == *"opencl  opencl:0.0  "* ]]
}

@test "a SYCL device without USM is reported as such" {
	requires numpy sycl
	vendors=/etc/OpenCL/vendors
	grep -qs pocl $vendors/*.icd || skip "no PoCL here"
	OCL_ICD_VENDORS=$vendors suai convert "$DATA/arrays.py:c_order" --to sycl
	[ "$status" -ne 0 ] || skip "PoCL has USM here"
	[ "$status" -eq 4 ]
	[[ "$output$stderr" == *"the device does not support usm-device memory; 'suai devices' lists the USM kinds of each device"* ]]
}

@test "options that contradict the source exit with 2" {
	requires numpy
	for stream in 5 new py:1; do
		suai convert "$DATA/arrays.py:c_order" --to dlpack --stream $stream
		[ "$status" -eq 2 ]
		[ "$output" = "$DATA/arrays.py:c_order: cannot be converted: --stream cannot be used for a result in host memory, which is complete when convert ends" ]
	done
	suai convert "$DATA/arrays.py:c_order" --to dlpack --stream none
	[ "$status" -eq 0 ]
}

@test "refusals are messages, not exceptions" {
	requires numpy
	suai convert "$DATA/arrays.py:c_order" --to numpy --order F --copy never
	[ "$status" -eq 3 ]
	[[ "$output" == "$DATA/arrays.py:c_order: cannot be converted: a copy is required, but --copy never forbids it: "* ]]
	suai convert "$DATA/arrays.py:c_order" --to numpy --order F --copy never -f json
	[ "$(converted 'error | [.type, .traceback]')" = "$(jq -n '[null, null]')" ]
	[ "$(jq -r '.targets[0] | [.status, .step] | join(" ")' <<<"$output")" = "raised convert" ]
	suai convert -c 'class A:
    @property
    def __array_interface__(self): raise BufferError("mine")
a = A()' a --to buffer
	[ "$status" -eq 3 ]
	[[ "$output" == *BufferError:\ mine* ]]
}

@test "invalid settings exit with 2 before anything runs" {
	for options in '' '--to numpi' '--to numpy --device cuda:0' '--to dlpack --device gpu' '--to dlpack --device opencl:1.' \
		'--to numpy --interface-version 2' '--to buffer --interface-version 0' '--to dlpack --interface-version 2' '--to dlpack --interface-version -1' \
		'--to numpy --stream 1' '--to dlpack --device cpu --stream new' '--to sycl --device cpu' '--to cuda --device sycl:cpu' '-o x.npy --to numpy' '-o x.npy --call builtins:bytes' \
		'--to buffer --call memoryview' '--to buffer --call a_._b' '--to buffer --call=' '-o x.npy b' \
		'-o x.dat' '-o x.npy --copy never' '--to numpy -p numpy,buffer' '--to numpy --order A'; do
		# shellcheck disable=SC2086
		suai convert -c 'import sys; sys.stderr.write("was run"); b = b"x"' b $options
		[ "$status" -eq 2 ]
		[ -n "$stderr" ]
		[[ "$stderr" != *"was run"* ]]
	done
	suai convert "$DATA/nothing.yaml" --to numpy
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"is a dump, which contains no elements: convert requires the object itself"* ]]
}

@test "-q prints a line for the path and one for the new object; a difference is still reported" {
	suai convert -q -c 'import array; a = array.array("d", [1, 2, 3])' a --to dlpack
	[ "${#lines[@]}" -eq 2 ]
	[ "${lines[0]}" = "a  from buffer, zero-copy" ]
	[[ "${lines[1]}" == *" dlpack "*" float64 (3,) 0x"* ]]
	SUAI_FAULT=copy-flip suai convert -q -c 'import array; a = array.array("d", [1, 2, 3])' a --to dlpack --copy always --verify
	[ "$status" -eq 1 ]
	[[ "$output" == *"elements differ"* ]]
}

@test "values in another case are suggested in their spelling, and --to opencl suggests the alternative" {
	code='import array; a = array.array("d", [1])'
	while read -r option value meant; do
		suai convert "$option" "$value" -c "$code" a
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"$meant"* ]]
	done << 'END'
-f JSON (did you mean 'json'?)
--to DLPACK (did you mean 'dlpack'?)
--order c (did you mean 'C'?)
--engine KERNEL (did you mean 'kernel'?)
--to=dlpack --device=SYCL:CPU (did you mean 'sycl:cpu'?)
--to=dlpack --device=Cuda:0 (did you mean 'cuda:0'?)
--to opencl use DLPack: --to dlpack --device opencl:P.D
--to cl_mem use DLPack: --to dlpack --device opencl:P.D
END
}

@test "a message that quotes a format that is not UTF-8, or that ends within a character, is a message only" {
	code='import ctypes
class Raises:
    @property
    def __array_interface__(self): raise ValueError("x" + "\u6587" * 3000)
class Odd:
    def __array_interface__(self): pass
    __array_interface__ = {"shape": (2,), "typestr": "<f4x" + "\u6587" * 400, "data": (ctypes.addressof(ctypes.create_string_buffer(8)), False), "version": 3}
class Good:
    __array_interface__ = {"shape": (1,), "typestr": "|u1", "data": bytearray(1), "version": 3}'
	suai convert -f json --to numpy -c "$code" 'Raises()' 'Odd()' 'Good()'
	[ "$status" -eq 3 ]
	jq -e '[.targets[].status] == ["raised", "raised", "ok"]' <<< "$output"
	jq -e '.targets[0].error.message | startswith("numpy: ValueError: x文文")' <<< "$output"
	jq -e '.targets[1].error.message | contains("<f4x文文")' <<< "$output"
}

@test "fields of a buffer that point to unreadable memory are named, and not read" {
	cp "$ROOT/testdata/validate/host_lies.py" "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
	suai convert -f json --to numpy host_lies.py:buffer_format_nowhere host_lies.py:buffer_shape_nowhere 'host_lies.py:Buffer(strides=16)' 'host_lies.py:Buffer(suboffsets=16)'
	[ "$status" -eq 3 ]
	jq -r '.targets[] | "\(.status) \(.error.message)"' <<< "$output" > found
	diff found - << 'END'
raised buffer: format points to memory that cannot be read
raised buffer: shape points to memory that cannot be read
raised buffer: strides points to memory that cannot be read
raised buffer: suboffsets points to memory that cannot be read
END
}

@test "structures with default names of fields and padding can be imported by NumPy, and files have the padding without a name" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	make='import numpy; a = numpy.zeros(3, numpy.dtype("u1,f8", align=True)); a["f1"] = [1, 2, 3]'
	suai convert --to numpy -c "$make" --call '(lambda b: numpy.asarray(b["f1"].tolist()))(numpy.asarray(_))' --verify -f json a
	[ "$status" -eq 0 ]
	jq -e '[.targets[0].copy.result.interfaces[] | select(.protocol == "numpy").array | .dtype, .shape] == ["float64", [3]]' <<<"$output"
	suai convert --to numpy -c "$make" -f json a
	jq -e '.targets[0].interfaces[0].declared.descr == [["f0", "|u1"], ["padding1", "|V7"], ["f1", "<f8"]]' <<<"$output"
	suai convert -o a.npy -c "$make" a
	[ "$("$TEST_PYTHON" -c 'import numpy; a = numpy.load("a.npy"); print(a.dtype.names, a["f1"])')" = "('f0', 'f1') [1. 2. 3.]" ]
}

@test "an object of a module whose properties raise AttributeError is skipped, as by inspect" {
	cat > "$BATS_TEST_TMPDIR/hidden.py" <<-'END'
		import array
		class Hidden:
		    @property
		    def __array_interface__(self): raise AttributeError("not on this device")
		class Shown:
		    memory = array.array("f", [1, 2])
		    @property
		    def __array_interface__(self):
		        return {"version": 3, "shape": (2,), "typestr": "<f4", "data": (self.memory.buffer_info()[0], False)}
		hidden, shown = Hidden(), Shown()
		both = [Hidden()]
	END
	suai convert --to dlpack --query target "$BATS_TEST_TMPDIR/hidden.py"
	[ "$status" -eq 0 ]
	[[ "$output" == *hidden.py:shown ]]
	[ -z "$stderr" ]
	for target in hidden.py:hidden hidden.py:both; do # named
		suai convert --to dlpack -q "$BATS_TEST_TMPDIR/$target"
		[ "$status" -eq 3 ]
	done
	[[ "$output" == *'hidden.py:both[0]: cannot be converted: numpy: the object has no __array_interface__' ]]
}
