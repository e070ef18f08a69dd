#!/usr/bin/env bats
# The device kernels on CPUs: the table of layouts on each runtime, every byte compared, arrays of every type
# reduced as on the host, every kernel launched. Only real runtimes; each run prints the seed of three random layouts.
# Nearly all of the time is spent in the runtimes' compilers. Intel's OpenCL compiles with its defaults, as users do; the others,
# which would compile the same code again, without vectorization, PoCL without optimization. OPTIMIZED=1 restores it.

load helpers

# less_optimized: the runtimes compile for a third of the time, or less.
less_optimized() {
	[ -n "${OPTIMIZED:-}" ] || export CL_CONFIG_CPU_VECTORIZER_MODE=1 POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
}

# requires_pocl: the loader finds only PoCL.
requires_pocl() {
	[ -e /etc/OpenCL/vendors/pocl.icd ] || skip "no PoCL (pocl-opencl-icd) on this machine"
	mkdir "$BATS_TEST_TMPDIR/icd"
	cp /etc/OpenCL/vendors/pocl.icd "$BATS_TEST_TMPDIR/icd/"
	export OCL_ICD_VENDORS="$BATS_TEST_TMPDIR/icd"
}

# requires_nvidia: the loader finds only NVIDIA's OpenCL.
requires_nvidia() {
	requires cuda
	"$TEST_PYTHON" -c 'import ctypes; ctypes.CDLL("libnvidia-opencl.so.1"); ctypes.CDLL("libOpenCL.so.1")' 2>/dev/null ||
		skip "no libnvidia-opencl.so.1, or no OpenCL loader, on this machine"
	mkdir "$BATS_TEST_TMPDIR/icd"
	echo libnvidia-opencl.so.1 > "$BATS_TEST_TMPDIR/icd/nvidia.icd"
	export OCL_ICD_VENDORS="$BATS_TEST_TMPDIR/icd" OCL_ICD_FILENAMES=libnvidia-opencl.so.1 # for either loader
}

requires_intel() {
	compgen -G "$OCL_ICD_VENDORS/*.icd" >/dev/null && [ -e "$(cat "$OCL_ICD_VENDORS/intel.icd")" ] ||
		skip "no OpenCL runtime of Intel's in $OCL_ICD_VENDORS"
}

# kernel_table ARGUMENT...: the table on one device, then what must hold for each run.
kernel_table() {
	run "$ROOT/build/tests/kernel_table" "$@" "${SEED:-$((RANDOM * 32768 + RANDOM))}"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" =~ [1-9][0-9]*\ checks,\ 0\ failed ]]
	[[ "$output" == *"seed "* ]]
	diff <(sed -n 's/^kernel \(.*\): [1-9][0-9]* launches$/\1/p' <<<"$output") \
		<(awk '!/^#/ { print $1 ", width " $3 }' "$ROOT/src/copy/kernels/kernels.list" "$ROOT/src/copy/kernels/reduce.list")
}

@test "PoCL, cl_mem: every layout is copied bit by bit, by every kernel" {
	requires_pocl
	less_optimized
	kernel_table opencl 0.0 buffer
}

@test "Intel's OpenCL, cl_mem: every layout is copied bit by bit, by every kernel" {
	requires_intel
	kernel_table opencl 0.0 buffer
}

@test "Intel's OpenCL, USM of each kind: every layout, by every kernel" {
	requires_intel
	kernel_table opencl 0.0 usm-device
	kernel_table opencl 0.0 usm-shared
	kernel_table opencl 0.0 usm-host
}

@test "SYCL through dpctl, from SPIR-V: every layout, by every kernel" {
	requires sycl
	less_optimized
	[[ "$("$SUAI" --version)" == *"kernels: SPIR-V"* ]] || skip "this build has no kernels in SPIR-V"
	SUAI_SYCL_KERNELS=spirv kernel_table sycl "$(dpctl_folder)" opencl:cpu:0 usm-device
}

@test "SYCL through dpctl, from source: every layout, by every kernel" {
	requires sycl
	less_optimized
	SUAI_SYCL_KERNELS=source kernel_table sycl "$(dpctl_folder)" opencl:cpu:0 usm-shared
}

dpctl_folder() {
	"$TEST_PYTHON" -c 'import dpctl, os; print(os.path.dirname(dpctl.__file__))'
}

@test "CUDA, native code and PTX: every layout in device, managed and pinned memory, by every kernel" {
	requires cuda
	kernel_table cuda 0 device
	SUAI_CUDA_KERNELS=ptx kernel_table cuda 0 device
	kernel_table cuda 0 managed
	kernel_table cuda 0 pinned
}

@test "NVIDIA's OpenCL, cl_mem: every layout is copied bit by bit, by every kernel" {
	requires_nvidia
	kernel_table opencl 0.0 buffer
}

@test "NVIDIA's OpenCL is listed, and is a source and a target of conversions" {
	requires numpy cupy
	requires_nvidia
	suai devices -f json
	jq -e '[.devices[] | select(.runtime == "opencl")][0] | .filter == "opencl:0.0" and .backend == "NVIDIA CUDA"' <<<"$output"
	for source in 'numpy.arange(12, dtype="f4").reshape(3, 4).T' 'cupy.arange(12, dtype="f4").reshape(3, 4).T'; do
		suai convert --to dlpack --device opencl:0.0 --order C --verify -f json -c "import ${source%%.*}
a = $source" a
		[ "$status" -eq 0 ]
		jq -e '.targets[0].copy | .engine and .verified' <<<"$output"
		jq -e '[.targets[0].interfaces[] | select(.protocol == "dlpack") | .declared.device] == [[4, 0]]' <<<"$output"
	done
	converts_opencl
}

@test "each transposition of TTC is one launch, of the kernel on the list" {
	"$TEST_PYTHON" "$ROOT/testdata/bench/ttc_choices.py" "$ROOT/build/tests/kernel_choices" > "$BATS_TEST_TMPDIR/choices"
	cat "$BATS_TEST_TMPDIR/choices"
	[ "$(grep -c ': [a-z]*[0-9_a-z]*, 1 launches (1 with few arguments)$' "$BATS_TEST_TMPDIR/choices")" -eq $((5 * 57)) ]
	diff "$ROOT/testdata/bench/ttc_choices.txt" "$BATS_TEST_TMPDIR/choices"
}

@test "convert --engine kernel copies with the kernel that the layout requires" {
	requires sycl
	less_optimized
	export SEED="${SEED:-$((RANDOM * 32768 + RANDOM))}"
	echo "seed $SEED"
	kernels=$(awk '!/^#/ { print $1 }' "$ROOT/src/copy/kernels/kernels.list" |
		grep -vxE 'interleave(2_4|3_[24]|4_2)|deinterleave2_4|transpose[21]|block(8_pairs|4_quads|2_small)|pack8') # of larger arrays
	# shellcheck disable=SC2046 # targets are words
	suai convert $(sed "s#^#$ROOT/testdata/convert/kernels.py:#" <<<"$kernels") --to sycl --copy always --order C \
		--engine kernel --verify -f json
	[ "$status" -eq 0 ]
	diff <(jq -r '.targets[].copy | "\(.kernel): \(.path) by \(.engine), \(.launches) launch, \(.verified)"' <<<"$output") \
		<(sed 's/$/: kernel by sycl, 1 launch, true/' <<<"$kernels")
	suai convert "$ROOT/testdata/convert/kernels.py:drawn0" "$ROOT/testdata/convert/kernels.py:drawn1" \
		"$ROOT/testdata/convert/kernels.py:drawn2" "$ROOT/testdata/convert/kernels.py:narrow" --to sycl --copy always \
		--order C --engine kernel --verify -f json
	[ "$status" -eq 0 ]
	jq -e '[.targets[].copy | .path, .verified] == ["kernel", true, "kernel", true, "kernel", true, "kernel", true]' <<<"$output"
}

# converts_opencl: arrays in cl_mem, each copied by the kernel of the same name.
converts_opencl() {
	kernels=$'fill4\ntranspose4\ntranspose1_small\ninterleave3_1\nflat4\ngather16\ngather8'
	# shellcheck disable=SC2046 # targets are words
	suai convert $(sed "s#^#$ROOT/testdata/convert/kernels_opencl.py:#" <<<"$kernels") --to dlpack --copy always \
		--order C --engine kernel --verify -f json
	[ "$status" -eq 0 ]
	diff <(jq -r '.targets[].copy | "\(.kernel): \(.path) by \(.engine), \(.launches) launch, \(.verified)"' <<<"$output") \
		<(sed 's/$/: kernel by opencl, 1 launch, true/' <<<"$kernels")
}

@test "convert --engine kernel copies a PoCL cl_mem" {
	requires numpy
	requires_pocl
	less_optimized
	converts_opencl
}

@test "convert --engine kernel copies an Intel cl_mem" {
	requires numpy
	requires_intel
	converts_opencl
}

@test "--stream for an OpenCL result exits with 2, as for a host result" {
	requires numpy
	requires_pocl
	for stream in 5 new py:1; do
		suai convert -c 'import numpy as np; a = np.arange(12)' a --to dlpack --device opencl:0.0 --stream $stream
		[ "$status" -eq 2 ]
		[ "$output" = "a: cannot be converted: --stream cannot be used with OpenCL memory: DLPack defines no stream for OpenCL, and the result is complete when convert ends" ]
	done
}

# maps_opencl: a CPU device's cl_mem is mapped on both sides, and the host loops copy; no kernel is requested.
maps_opencl() {
	local arrays="$ROOT/testdata/convert/kernels_opencl.py" options
	for options in "--to dlpack --copy always --order C" "--to dlpack --copy always --engine host" "--to numpy --order F" \
		"-o $BATS_TEST_TMPDIR/a.npy" "--to dlpack --device opencl:0.0 --order F --dry-run"; do
		# shellcheck disable=SC2086 # options are words
		[[ "$options" == *dry* ]] || options+=" --timing --verify"
		suai convert "$arrays:transpose4" $options -f json
		[ "$status" -eq 0 ]
		jq -e --arg options "$options" '.targets[0].copy | .path == "host" and .engine == "host" and .kernel == null
			and .launches == null and .fallback == null and (.verified or ($options | test("dry")))
			and (.share_of_memcpy > 0 or ($options | test("dry|-o ")))' <<<"$output"
	done
	suai convert "$arrays:backwards" "$arrays:readonly" "$arrays:fill4" --to dlpack --copy always --order C --verify -f json
	[ "$status" -eq 0 ]
	jq -e '[.targets[].copy | .path, .verified] == ["host", true, "host", true, "host", true]' <<<"$output"
	suai convert -c 'import numpy as np; a = np.arange(12, dtype="f4").reshape(3, 4).T' a --to dlpack --device opencl:0.0 \
		--order C --verify -f json
	[ "$status" -eq 0 ]
	jq -e '.targets[0].copy | .path == "host" and .verified and .fallback == null' <<<"$output"
	suai convert "$arrays:transpose4" --to dlpack --copy always --order C
	[[ "$output" =~ path\ +host$'\n' ]]
	[[ "$output" == *"data is a cl_mem handle"* ]]
	# Everything mapped is unmapped again: the elements read, compared and written.
	suai convert "$ROOT/testdata/convert/mapped.py:a" --to dlpack --copy always --order C --verify --call 'seen(_)'
	[ "$status" -eq 0 ]
	[[ "$output$stderr" == *"call: 0 maps left"* ]]
	suai convert "$ROOT/testdata/convert/mapped.py:a" -o "$BATS_TEST_TMPDIR/mapped.npy"
	[ "$status" -eq 0 ]
	[[ "$output$stderr" == *"end: 0 maps left"* ]]
	# Memory that the host may not read is not mapped: a kernel copies it, and the report states why.
	suai convert "$arrays:no_access" "$arrays:write_only" --to dlpack --order C --verify -f json
	[ "$status" -eq 0 ]
	jq -e '[.targets[].copy | .path, .engine, .kernel, .verified] == ["kernel", "opencl", "square4", true, "kernel", "opencl", "square4", true]
		and ([.targets[].copy.fallback | test("^clEnqueueMapBuffer: CL_INVALID_(VALUE|OPERATION)$")] | all)' <<<"$output"
	suai convert "$arrays:no_access" --to dlpack --order C
	[[ "$output" =~ fallback\ +clEnqueueMapBuffer:\ CL_INVALID_[A-Z]+$'\n' ]]
	# The plain copy next to it has the same source and destination.
	while read -r name path where; do
		SUAI_DEBUG=timing suai convert "$arrays:$name" --to dlpack --copy always --order C --timing
		[[ "$output" =~ path\ +$path ]]
		[[ "$output$stderr" == *"a plain copy from $where to $where"* ]]
	done <<-'END'
		no_access_dense memcpy opencl
		no_access kernel opencl
		transpose4 host host
	END
	suai convert "$arrays:no_access" --to dlpack --order C --engine host
	[ "$status" -eq 3 ]
	[[ "$stderr$output" == *"clEnqueueReadBuffer: CL_INVALID_"* ]]
}

# mapping_table: the table over mapped buffers, in both directions.
mapping_table() {
	run "$ROOT/build/tests/mapping_table" 0.0 "${SEED:-$((RANDOM * 32768 + RANDOM))}"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" =~ [1-9][0-9]*\ checks,\ 0\ failed ]]
	[ "$(grep -c '[1-9][0-9]* layouts$' <<<"$output")" -eq 8 ]
	[ "$(grep -c 'kernel, clEnqueueMapBuffer: CL_INVALID_' <<<"$output")" -eq 2 ]
}

@test "PoCL, cl_mem: every layout is copied bit by bit by the host loops over mapped memory" {
	requires_pocl
	mapping_table
}

@test "Intel's OpenCL, cl_mem: every layout is copied bit by bit by the host loops over mapped memory" {
	requires_intel
	mapping_table
}

@test "convert copies a mapped PoCL cl_mem with the host loops" {
	requires numpy
	requires_pocl
	maps_opencl
}

@test "convert copies a mapped Intel cl_mem with the host loops" {
	requires numpy
	requires_intel
	maps_opencl
}

@test "if the host loops can access a CPU device's memory, they copy unless a kernel is requested" {
	requires sycl
	suai convert "$ROOT/testdata/convert/kernels.py:transpose4" --to sycl --copy always --order C --verify -f json
	[ "$status" -eq 0 ]
	jq -e '.targets[0].copy | .path == "host" and .kernel == null and .fallback == null and .verified' <<<"$output"
}

@test "fake: if a kernel cannot be built, memcpy and the host copy, and the report states it" {
	requires numpy
	export PYTHONPATH="$BATS_TEST_TMPDIR/fake"
	mkdir "$PYTHONPATH"
	cp -r "$ROOT/testdata/fakes/fake_dpctl" "$PYTHONPATH/dpctl"
	"${CC:-gcc}" -D_GNU_SOURCE -fPIC -shared -o "$PYTHONPATH/dpctl/libDPCTLSyclInterface.so" \
		"$ROOT/testdata/fakes/fake_sycl_interface.c"
	export FAKE_SYCL_GPU=1
	suai convert "$ROOT/testdata/convert/fake_usm.py:backwards" --to numpy --verify -f json
	[ "$status" -eq 0 ]
	jq -e '.targets[0].copy | .path == "memcpy" and .verified and .kernel == null
		and (.fallback | test("^DPCTLKernelBundle_CreateFrom[A-Za-z]* returned NULL for kernel .gather4.$"))' <<<"$output"
	suai convert "$ROOT/testdata/convert/fake_usm.py:backwards" --to numpy
	[[ "$output" == *"returned NULL for kernel 'gather4'"* ]]
	suai convert "$ROOT/testdata/convert/fake_usm.py:backwards" --to numpy --engine kernel
	[ "$status" -eq 4 ]
	[[ "$stderr$output" == *"returned NULL for kernel 'gather4'"* ]]
}

@test "compiled kernels are cached for the next run; a corrupt one is rebuilt" {
	requires_intel
	n_kernels=$(cat "$ROOT"/src/copy/kernels/*.list | grep -vc '^#')
	export SUAI_DEBUG=cache,opencl
	kernel_table opencl 0.0 buffer
	# A copy of Intel's entries, since other tests use the shared directory.
	mkdir -p -m 700 "$BATS_TEST_TMPDIR/cache/suai"
	find "$XDG_CACHE_HOME/suai" -name "*.bin" -exec grep -qaF " LINUX|" {} \; -exec cp -p {} "$BATS_TEST_TMPDIR/cache/suai" \;
	export XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	[ "$(find "$XDG_CACHE_HOME/suai" -type f -perm 600 | wc -l)" -eq "$n_kernels" ]
	entry=$(find "$XDG_CACHE_HOME/suai" -type f | sort | head -n 1)
	sum=$(cksum < "$entry")
	printf 'x' | dd of="$entry" bs=1 seek=3000 conv=notrunc status=none
	[ "$(cksum < "$entry")" != "$sum" ]
	kernel_table opencl 0.0 buffer
	[ "$(grep -c 'is not a valid entry' <<<"$output")" -eq 1 ]
	[ "$(grep -c 'cache: found' <<<"$output")" -eq $((n_kernels - 1)) ]
	[ "$(stat -c %a "$XDG_CACHE_HOME/suai")" = 700 ]
	kernel_table opencl 0.0 buffer
	[ "$(grep -c 'cache: found' <<<"$output")" -eq "$n_kernels" ]
}

@test "the SPIR-V kernels are valid, and load with SPIR-V 1.1" {
	command -v spirv-val >/dev/null || skip "no spirv-val (spirv-tools) on this machine"
	compgen -G "$ROOT/build/kernels/*.spv" >/dev/null || skip "this build made no SPIR-V"
	for module in "$ROOT"/build/kernels/*.spv; do
		spirv-val --target-env opencl1.2 "$module"
	done
}
