#!/usr/bin/env bats
# suai convert: every source to every target, as testdata/convert/pairs.txt says; refusals by type.

load helpers

setup() {
	DATA="$ROOT/testdata/convert"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# has RUNTIME: whether this machine has it; "-" stands for no requirement.
has() {
	case $1 in
	-) return 0 ;;
	cuda) [ -e /dev/nvidiactl ] ;;
	sycl) "$TEST_PYTHON" -c 'import dpctl; dpctl.SyclDevice("cpu")' 2>/dev/null ;;
	opencl) [ "$("$SUAI" devices -f json | jq '[.devices[] | select(.runtime == "opencl" and .status == "ok")] | length')" -gt 0 ] ;;
	esac
}

# options_of TARGET: the options for a column of the table.
options_of() {
	case $1 in
	dlpack@cpu) echo "--to dlpack --device cpu" ;;
	dlpack@cuda) echo "--to dlpack --device cuda:0" ;;
	dlpack@sycl) echo "--to dlpack --device sycl:cpu" ;;
	dlpack@opencl) echo "--to dlpack --device opencl:0.0" ;;
	*-?) echo "--to ${1%-?} --interface-version ${1##*-}" ;;
	*) echo "--to $1" ;;
	esac
}

# need_of TARGET: the runtime that it needs.
need_of() {
	case $1 in
	cuda* | *@cuda) echo cuda ;;
	sycl | *@sycl) echo sycl ;;
	*@opencl) echo opencl ;;
	*) echo - ;;
	esac
}

# Each target of the run as "NAME OUTCOME": zero or copy, by the addresses that both sides report and only
# if --verify found no difference; 4; "no: MESSAGE", or any other outcome.
outcomes() {
	jq -r --slurpfile addresses "$ADDRESSES" '.targets[] | (.target | sub(".*:"; "") | sub("\\.npy$"; "")) as $name
		| .interfaces[0].array as $array | $addresses[0][$name] as $source
		| ($array.pointer == $source) as $same
		| if .status == "unavailable" then "\($name) 4"
		elif .status == "raised" and .step == "convert" then "\($name) no: \(.error.message)"
		elif .status != "ok" then "\($name) \(.status) at \(.step): \(.error.message)"
		elif .copy.verified != true then "\($name) not verified"
		elif .copy.path == "zero-copy" and ($same or $name == "npy" or $array.elements == 0) then "\($name) zero"
		elif .copy.path != "zero-copy" and ($same | not) then "\($name) copy"
		else "\($name) \(.copy.path) of \($source) at \($array.pointer)" end' <<<"$output"
}

# compare TABLE MODULE: converts each row of the table, an object of the module, to each column's target, and
# compares; counts into n_done and n_skipped. Pairs that need a runtime missing from $runtimes must exit with 4.
compare() {
	local table=$1 module=$2 column=0 first=2 rows target source needs wanted found
	export ADDRESSES="$BATS_TEST_TMPDIR/addresses"
	rows=$(grep -v '^#' "$table" | sed '/^$/,$d')
	if head -n 1 <<<"$rows" | grep -q ' needs '; then first=3; fi
	for target in $(head -n 1 <<<"$rows"); do
		column=$((column + 1))
		[ $column -ge $first ] || continue
		# shellcheck disable=SC2046 # sources and options are words
		suai convert $(tail -n +2 <<<"$rows" | awk -v module="$module" \
			'$1 == "npy" { print "npy.npy"; next } { print module ":" $1 }') \
			$(options_of "$target") --verify -f json >/dev/null
		found=$(outcomes)
		while read -r source needs wanted; do
			if ! has_here "$needs" || ! { [ "$wanted" = no ] || has_here "$(need_of "$target")"; }; then wanted=4; fi
			if [ "$wanted" = 4 ]; then n_skipped=$((n_skipped + 1)); else n_done=$((n_done + 1)); fi
			if [ "$needs" = sycl ] || [ "$needs" = opencl ]; then # otherwise there is no such object
				has_here "$needs" || continue
			fi
			[ "$wanted" != no ] || wanted="no: $(sed -n "s/^$source $target: //p" "$table")"
			if ! grep -Fqx "$source $wanted" <<<"$found"; then
				echo "$source to $target: wanted $wanted, found: $(grep "^$source " <<<"$found")"
				return 1
			fi
		done < <(tail -n +2 <<<"$rows" | awk -v column=$column -v first=$first '{ print $1, first == 3 ? $2 : "-", $column }')
	done
	echo "$n_done done, $n_skipped skipped for want of a runtime; here: $runtimes"
}

# has_here RUNTIME: whether it is in $runtimes.
has_here() {
	case " $runtimes " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

find_runtimes() {
	runtimes=-
	for runtime in sycl cuda opencl; do if has $runtime; then runtimes+=" $runtime"; fi; done
}

@test "every source is converted to every target as the table states" {
	requires numpy
	local n_done=0 n_skipped=0 runtimes
	find_runtimes
	"$TEST_PYTHON" -c "import numpy as np; np.save('npy.npy', np.arange(12, dtype='f4').reshape(3, 4))"
	compare "$DATA/pairs.txt" "$DATA/pairs/sources.py"
	case $runtimes in
	"- sycl opencl") [ "$n_done $n_skipped" = "96 86" ] ;;
	"- cuda opencl") [ "$n_done $n_skipped" = "110 72" ] ;;
	"- sycl cuda opencl") [ "$n_done $n_skipped" = "182 0" ] ;;
	*) [ $((n_done + n_skipped)) = 182 ] ;;
	esac
}

@test "elements that a protocol cannot express are refused, with the option that helps" {
	requires numpy
	local n_done=0 n_skipped=0 runtimes
	find_runtimes
	compare "$DATA/elements.txt" "$DATA/pairs/elements.py"
	case $runtimes in
	"- sycl" | "- sycl opencl") [ "$n_done $n_skipped" = "88 14" ] ;;
	"- cuda" | "- cuda opencl") [ "$n_done $n_skipped" = "92 10" ] ;;
	*) [ $((n_done + n_skipped)) = 102 ] ;;
	esac
}

# converts_usm NAME OPTION...: of protocol_usm.py, with a check that raises if it does not hold.
converts_usm() {
	local name=$1
	shift
	suai convert "$DATA/protocol_usm.py:$name" -f json "$@"
	jq -r '.targets[] | select(.status != "ok") | .target, .error.traceback // .error.message' <<<"$output"
	[ "$status" -eq 0 ]
}

@test "__dlpack__ of USM handles each keyword as the standard requires, with a SyclQueue as stream" {
	requires sycl dpnp
	converts_usm a --to dlpack --call 'dlpack_keywords(_)'
	converts_usm shared --to dlpack --call 'shared_keywords(_)'
	converts_usm readonly --to dlpack --call 'readonly_keywords(_)'
	converts_usm host --to dlpack --device sycl:cpu --call 'dpnp.from_dlpack(_)'
}

@test "__sycl_usm_array_interface__ follows its specification exactly, and returns a new queue at each call" {
	requires sycl dpnp
	converts_usm a --to sycl --call 'dictionary(_)'
}

@test "10,000 exports of USM, consumed and not, leak nothing" {
	requires sycl dpnp
	converts_usm a --to sycl --call 'many(_)'
	converts_usm a --to dlpack --call 'many(_)'
}

@test "USM lives as long as a consumer holds it, and is freed with the last one" {
	requires sycl dpnp
	for to in sycl dlpack; do
		for copy in auto always; do
			suai convert "$DATA/protocol_usm.py:made()" "$DATA/protocol_usm.py:held_is_alive()" \
				"$DATA/protocol_usm.py:dropped_is_dead()" --to $to --copy $copy -f json \
				--call 'hold(_)'
			jq -r '.targets[] | select(.status != "ok") | .target, .error.traceback' <<<"$output"
			[ "$status" -eq 0 ]
		done
	done
}

@test "--stream gives the result the queue that the user passes, or a new one" {
	requires sycl dpnp
	converts_usm a --to sycl --stream py:queue --call 'ordered(_)'
	[ "$(jq -r '.targets[0].copy.path' <<<"$output")" = zero-copy ]
	converts_usm host --to sycl --stream py:queue --call 'ordered(_)'
	converts_usm a --to sycl --copy always --stream py:queue --call 'ordered(_)'
	converts_usm a --to sycl --stream new --verify
	suai convert "$DATA/protocol_usm.py:a" --to sycl --stream 7
	[ "$status" -eq 2 ]
	[[ "$stderr$output" == *"--stream: expected 'new', or 'py:EXPR' that returns a dpctl.SyclQueue"* ]]
	suai convert "$DATA/protocol_usm.py:host" --to dlpack --stream py:queue
	[ "$status" -eq 2 ]
	[[ "$stderr$output" == *"for a result in host memory"* ]]
}

@test "real consumers import the new object without a copy" {
	requires numpy
	local n_taken=0 wanted=0 installed
	installed=$("$TEST_PYTHON" -c 'import importlib.util, sys
print("", *filter(importlib.util.find_spec, sys.argv[1:]), "")' numpy jax pyarrow tvm_ffi array_api_strict dpctl dpnp)
	while IFS='|' read -r module name to consumer; do
		[[ "$installed" == *" $module "* ]] || continue
		wanted=$((wanted + 1))
		suai convert "$DATA/consumers.py:$name" --to $to --call "$consumer" -f json >/dev/null
		[ "$(jq -r '.targets[0] | .interfaces[0].array.pointer as $pointer | .copy.path == "zero-copy" and
			any(.copy.result.interfaces[]; .array.pointer == $pointer)' <<<"$output")" = true ] || {
			echo "$name to $to, $consumer: $(jq -c '.targets[0] | [.status, .error.message, .copy.path,
				.interfaces[0].array.pointer, [.copy.result.interfaces[]?.array.pointer]]' <<<"$output")"
			return 1
		}
		n_taken=$((n_taken + 1))
	done <<-'END'
		numpy|a|dlpack|numpy:from_dlpack
		numpy|a|numpy|np.asarray(_)
		numpy|a|buffer|np.asarray(_)
		numpy|a|buffer|memoryview(_)
		jax|a|dlpack|jax.dlpack.from_dlpack(_)
		jax|a|dlpack|jax.numpy.from_dlpack(_)
		pyarrow|a|buffer|pyarrow.py_buffer(_)
		pyarrow|a|numpy|pyarrow.Tensor.from_numpy(np.asarray(_))
		tvm_ffi|a|dlpack|tvm_ffi.from_dlpack(_)
		array_api_strict|a|dlpack|array_api_strict.from_dlpack(_)
		dpctl|d|sycl|dpctl.memory.as_usm_memory(_)
		dpnp|d|sycl|dpnp.tensor.asarray(_)
		dpnp|d|sycl|dpnp.tensor.asarray(_, copy=False)
		dpnp|d|dlpack|dpnp.from_dlpack(_)
		dpnp|d|dlpack|dpnp.tensor.from_dlpack(_)
		tvm_ffi|d|dlpack|tvm_ffi.from_dlpack(_)
	END
	[ $n_taken -eq $wanted ]
	[ $n_taken -ge 4 ]
	echo "$n_taken of 16 consumers here"
}

@test "suai validate has no findings for what suai creates of any source" {
	requires sycl numpy
	local options
	for options in '--to sycl' '--to dlpack' '--to dlpack --interface-version 0' '--to dlpack --device sycl:cpu' \
		'--to dlpack --device cpu' '--to numpy' '--to buffer'; do
		# shellcheck disable=SC2086 # the options are words
		suai convert "$DATA/pairs/sources.py" "$DATA/pairs/elements.py" $options -f yaml >/dev/null
		printf '%s\n' "$output" > made.yaml
		suai validate made.yaml -f json >/dev/null
		jq -r '.targets[] | .target as $target | .findings[]? | select(.severity != "note")
			| "\($target): \(.rule) \(.severity): \(.message)"' <<<"$output"
		[ "$(jq '.summary.errors + .summary.warnings' <<<"$output")" -eq 0 ]
		[ "$(jq '[.targets[] | select(.status == "ok")] | length' <<<"$output")" -ge 8 ]
	done
}

# made_of TABLE MODULE: an expression for each object that convert makes of a row for a column of the table, if available
# here; the sources are those of pairs/MODULE.py.
made_of() {
	local rows first=2 row column header
	rows=$(grep -v '^#' "$1" | sed '/^$/,$d')
	read -ra header <<<"$(head -n 1 <<<"$rows")"
	[ "${header[1]}" != needs ] || first=3
	while read -ra row; do
		[ "${row[0]}" != npy ] || continue
		for ((column = first - 1; column < ${#header[@]}; column++)); do
			[ "${row[column]}" != no ] && has_here "$(need_of "${header[column]}")" || continue
			[ $first = 2 ] || has_here "${row[1]}" || continue
			echo "$DATA/exports.py:made('$2.${row[0]}', '${header[column]}')"
		done
	done < <(tail -n +2 <<<"$rows")
}

# is_clean FACTS TARGET...: no error and no warning, except for an old version of an interface that was requested (DLP104).
is_clean() {
	suai validate "$1" --ignore DLP104 -f json "${@:2}" >/dev/null
	jq -r '.targets[] | .target as $target | select(.status != "ok") // (.findings[] | select(.severity != "note"))
		| "\($target): \(.rule) \(.step): \(.message // .error.message)"' <<<"$output"
	[ "$status" -eq 0 ]
	[ "$(jq '.summary.errors + .summary.warnings' <<<"$output")" -eq 0 ]
	[ "$(jq .summary.targets <<<"$output")" -eq $(($# - 1)) ]
}

@test "no call has findings for what suai creates of any source" {
	requires numpy
	local runtimes made
	find_runtimes
	mapfile -t made < <(made_of "$DATA/pairs.txt" sources; made_of "$DATA/elements.txt" elements)
	is_clean --calls "${made[@]}"
	[ "$(jq '[.targets[] | select(.calls | length > 150)] | length' <<<"$output")" -ge 25 ]
	echo "${#made[@]} objects"
}

@test "what suai creates is freed exactly once, by any thread, at any time" {
	requires numpy
	local runtimes made=() source target
	find_runtimes
	while read -r source target; do
		has_here "$(need_of "$target")" || continue
		case $source in *sycl* | *oneapi) has_here sycl ;; *opencl) has_here opencl ;; esac || continue
		made+=("$DATA/exports.py:made('$source', '$target')")
	done <<-'END'
		elements.half dlpack-0
		elements.half dlpack-1
		elements.readonly dlpack-1
		elements.big_endian dlpack-0
		elements.big_endian dlpack-1
		elements.bfloat16 dlpack-1
		elements.half numpy
		elements.structured buffer
		sources.sycl_device sycl
		sources.sycl_device dlpack-1
		sources.numpy sycl
		sources.numpy dlpack@sycl
		sources.dlpack_oneapi dlpack@cpu
		sources.dlpack_opencl dlpack-0
		sources.numpy dlpack@opencl
		sources.numpy cuda-3
		sources.numpy dlpack@cuda
	END
	is_clean --lifetime "${made[@]}"
	jq -e '[.targets[].trials[] | select(.outcome != "done")] == []' <<<"$output"
	[ "$(jq '[.targets[].trials[]] | length' <<<"$output")" -ge 32 ]
}

# What differs between an array of elements.py and the converted one: nothing, or for a copy its address and layout.
differences='def words: .data.checksum as $sum | .interfaces[0] | .array * {$sum, descr: .declared.descr};
	([.targets[] | select(.target | test("made") | not) | {(.target | capture("elements.(?<name>[a-z0-9_]+)").name): words}] | add) as $before
	| .targets[] | select(.target | test("made")) | .target as $target
	| [$before[.target | capture("elements.(?<name>[a-z0-9_]+)").name], words]
	| if .[1].pointer == .[0].pointer then map({dtype, typestr, shape, strides_bytes, readonly, sum, descr})
		else map({dtype, shape} + if $target | test("big_endian") then {} else {sum} end) end
	| select(.[0] != .[1] and .[0].shape != [0, 3]) | "\($target): \(.)"'

@test "a round trip through another protocol preserves every field, or for a copy the elements" {
	requires numpy
	local header row column targets=()
	read -ra header < <(grep -v '^#' "$DATA/elements.txt")
	while read -ra row; do
		[ "${row[5]}" != no ] || continue
		# In the same module as the converted object, since addresses differ between workers.
		targets+=("$DATA/exports.py:named('elements.${row[0]}')")
		for column in 3 4 5 6; do
			[ "${row[column]}" != no ] || continue
			targets+=("$DATA/exports.py:made(made('elements.${row[0]}', '${header[column]}'), 'numpy')")
		done
	done < <(grep -v '^#' "$DATA/elements.txt" | sed '1d; /^$/,$d')
	[ "${#targets[@]}" -ge 60 ]
	suai inspect -f json -p numpy --checksum "${targets[@]}" >/dev/null
	[ "$status" -eq 0 ]
	[ "$(jq '[.targets[] | select(.interfaces[0].status == "ok")] | length' <<<"$output")" -eq "${#targets[@]}" ]
	[ "$(jq '.targets | length' <<<"$output")" -eq "${#targets[@]}" ]
	run jq -r "$differences" <<<"$output"
	echo "$output"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "kernels copy within a device, and pack what is copied to another one" {
	requires sycl dpnp
	has opencl || skip "no OpenCL device here"
	for options in '--to sycl --order C' '--to dlpack --order C' '--to numpy --order C' '--to dlpack --device opencl:0.0'; do
		# shellcheck disable=SC2086 # the options are words
		converts_usm a.T $options --engine kernel --verify
		[ "$(jq -r '.targets[0].copy | [.path, .engine, .verified, .launches] | join(" ")' <<<"$output")" = \
			"kernel sycl true 1" ]
		[ "$(jq -r '.targets[0].copy.fallback' <<<"$output")" = null ]
	done
	converts_usm a.T --to sycl --order C --engine host --verify
	[ "$(jq -r .targets[0].copy.path <<<"$output")" = host ]
	suai convert "$DATA/protocol_usm.py:host" --to sycl --engine kernel
	[ "$status" -eq 4 ]
	[[ "$stderr$output" == *"--engine kernel: the source is host memory"* ]]
}

@test "pending work of the source's queue is done before anything is read" {
	requires sycl dpnp
	converts_usm pending --to numpy --call 'is_finished(_)'
	converts_usm pending --to sycl --copy always --call 'is_finished(_)'
	converts_usm pending --to sycl --call 'is_finished(_)'
}

@test "a consumer that terminates its process is reported, with what may help" {
	requires numpy
	local consumer
	for consumer in '(_, os.abort())' '(_, os._exit(0))'; do
		suai convert -c 'import numpy as np
a = np.arange(12.)[::-1]' a --to dlpack --call "$consumer"
		[ "$status" -eq 3 ]
		[[ "$output$stderr" == *"at call: "*"(the new object has negative strides; use --order C to avoid them)"* ]]
		suai convert -c 'import numpy as np
a = np.arange(12.)' a --to dlpack --call "$consumer"
		[ "$status" -eq 3 ]
		[[ "$output$stderr" != *"negative strides"* ]]
	done
}

@test "a consumer that needs write access is reported for read-only memory, and a missing one without a hint" {
	code='import numpy as np
a = np.frombuffer(b"abcdefgh")'
	suai convert -c "$code" a --to buffer --call 'memoryview(_).cast("B").__setitem__(0, 1)'
	[ "$status" -eq 3 ]
	[[ $output == *"at call: TypeError: "*"(the new object is read-only; use --copy always for a writable copy)"* ]]
	suai convert -c "$code" a --to buffer --copy always --call 'memoryview(_).cast("B").__setitem__(0, 1)'
	[ "$status" -eq 0 ]
	for consumer in 'nothing(_)' nothing:at_all; do
		suai convert -c "$code" a --to buffer --call "$consumer"
		[ "$status" -eq 3 ]
		[[ $output == *"at call: "* && $output != *"the new object"* ]]
	done
}

@test "for a consumer that supports only the host, the message names the option that helps" {
	requires sycl dpnp
	suai convert "$DATA/consumers.py:d" --to dlpack --call numpy:from_dlpack
	[ "$status" -eq 3 ]
	[[ "$stderr$output" == *"the new object is on oneapi:0; use --device cpu for a host copy"* ]]
	suai convert "$DATA/consumers.py:d[::-1]" --to sycl --call dpnp.tensor:asarray
	[ "$status" -eq 3 ]
	[[ "$stderr$output" == *"the new object has negative strides; use --order C to avoid them"* ]]
	suai convert "$DATA/consumers.py:d[::-1]" --to dlpack --call numpy:from_dlpack
	[ "$status" -eq 3 ]
	[[ "$stderr$output" == *"(the new object has negative strides; use --order C to avoid them) (the new object is on oneapi:0; "* ]]
	suai convert "$DATA/consumers.py:d[::-1]" --to sycl --order C --call dpnp.tensor:asarray
	[ "$status" -eq 0 ]
	suai convert "$DATA/consumers.py:d" --to dlpack --device cpu --call numpy:from_dlpack
	[ "$status" -eq 0 ]
}
