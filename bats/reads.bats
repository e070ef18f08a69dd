#!/usr/bin/env bats
# --values, --stats and --checksum on the device: for arrays of every type, dense and random (the seed is printed), results
# equal NumPy's, and no more bytes are copied to the host than are printed.

load helpers

# reads RUNTIME [ENGINE]: all arrays of testdata/inspect/reads.py there; ENGINE: what reads them, if not RUNTIME.
reads() {
	export READS_ON="$1" READS_BY="${2:-$1}" SEED="${SEED:-$((RANDOM * 32768 + RANDOM))}"
	[ "$1" != managed ] || export READS_BY=cuda
	SUAI_DEBUG=read "$SUAI" inspect -f json --values=7 --stats --checksum --timeout 300 "$ROOT/testdata/inspect/reads.py" \
		> "$BATS_TEST_TMPDIR/document" 2> "$BATS_TEST_TMPDIR/trace"
	run "$TEST_PYTHON" "$ROOT/testdata/inspect/reads.py" "$BATS_TEST_TMPDIR/document" "$BATS_TEST_TMPDIR/trace"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" =~ [1-9][0-9]*\ arrays\ on\ $1,\ 0\ wrong ]]
}

requires_opencl() {
	compgen -G "$OCL_ICD_VENDORS/*.icd" >/dev/null && [ -e "$(cat "$OCL_ICD_VENDORS/intel.icd")" ] ||
		skip "no OpenCL runtime of Intel's in $OCL_ICD_VENDORS"
}

@test "a .npy file is read like an object, and a dump, which has no elements, is refused" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	"$TEST_PYTHON" -c 'import numpy; numpy.save("a.npy", numpy.arange(6, dtype=">i4"))'
	"$SUAI" inspect --values=2 --stats --checksum -f json a.npy | jq -e '.targets[0].data
		| .values == [0, 1] and .stats.max == 5 and .checksum == "f85cdaa2"'
	"$SUAI" inspect -f yaml a.npy > dump.yaml
	for option in --values --stats --checksum; do
		suai inspect $option dump.yaml
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"is a dump, which contains no elements: --"* ]]
	done
}

@test "SYCL, by kernels: every type, dense and random layouts" {
	requires numpy sycl
	SUAI_READ=kernel reads sycl
}

@test "SYCL on the CPU: the host loops read host memory, with the same results" {
	requires numpy sycl
	reads sycl host
}

@test "Intel's OpenCL, cl_mem: every type, including the small floats of DLPack" {
	requires numpy
	requires_opencl
	reads opencl
}

@test "PoCL, cl_mem: every type, including the small floats of DLPack" {
	requires numpy
	[ -e /etc/OpenCL/vendors/pocl.icd ] || skip "no PoCL (pocl-opencl-icd) on this machine"
	mkdir "$BATS_TEST_TMPDIR/icd"
	cp /etc/OpenCL/vendors/pocl.icd "$BATS_TEST_TMPDIR/icd/"
	OCL_ICD_VENDORS="$BATS_TEST_TMPDIR/icd" reads opencl
}

@test "CUDA, device and managed memory: every type, dense and random layouts" {
	requires numpy cuda
	reads cuda
	reads managed
}

@test "values of USM that the host can access are read after the work on its queue" {
	requires numpy sycl
	cat > "$BATS_TEST_TMPDIR/pending.py" <<-'END'
		import dpctl, dpctl.memory as usm
		N = 1 << 26
		class Pending:
		    """The property returns while copies are on the queue, the last of which writes the elements."""
		    def __init__(self, kind):
		        self.queue = dpctl.SyclQueue("cpu", property="in_order")
		        self.memory, self.ones = kind(8, queue=self.queue), usm.MemoryUSMDevice(8, queue=self.queue)
		        self.source, self.large = (usm.MemoryUSMDevice(N, queue=self.queue) for _ in range(2))
		        self.memory.memset(0)
		        self.ones.memset(1)
		    @property
		    def __sycl_usm_array_interface__(self):
		        for _ in range(20):
		            self.queue.memcpy_async(self.large, self.source, N)
		        self.queue.memcpy_async(self.memory, self.ones, 8)
		        return dict(version=1, shape=(8,), typestr="|u1", strides=None, data=(self.memory._pointer, False), syclobj=self.queue)
		shared, host, device = Pending(usm.MemoryUSMShared), Pending(usm.MemoryUSMHost), Pending(usm.MemoryUSMDevice)
	END
	for name in shared host device; do
		suai inspect -p sycl --values -f json "$BATS_TEST_TMPDIR/pending.py:$name"
		[ "$status" -eq 0 ]
		jq -e '.targets[0].data.values == [1, 1, 1, 1, 1, 1, 1, 1]' <<<"$output"
	done
}

@test "the host reads shared USM of a CPU, also of a sub-device" {
	requires numpy sycl
	cat > "$BATS_TEST_TMPDIR/parts.py" <<-'END'
		import dpctl, dpctl.memory as usm
		class Shared:
		    def __init__(self, device):
		        self.memory = usm.MemoryUSMShared(8, queue=dpctl.SyclQueue(device))
		        self.__sycl_usm_array_interface__ = dict(version=1, shape=(8,), typestr="|u1", strides=None,
		            data=(self.memory._pointer, False), syclobj=self.memory.sycl_queue)
		root = Shared(dpctl.SyclDevice("cpu"))
		part = Shared(dpctl.SyclDevice("cpu").create_sub_devices(partition=1)[0])
	END
	for name in root part; do
		suai inspect -p sycl --values -f json "$BATS_TEST_TMPDIR/parts.py:$name"
		jq -e '.targets[0] | .data.engine == "host" and .interfaces[0].array.memory.kind == "usm-shared"' <<<"$output"
		jq -e --argjson is_root "$([ "$name" = root ] && echo true || echo false)" \
			'.targets[0].interfaces[0].details.syclobj.root_device == $is_root' <<<"$output"
	done
}

# verified TRACE MOST: kernels summed both sides of --verify and copied at most so many bytes of each to the host.
verified() {
	grep 'read: verify by' <<<"$1" | tee /dev/stderr |
		awk -v most="$2" '$5 == "host:" || $6 < 1 || $8 > most { bad = 1 } END { exit bad || NR != 2 }'
}

@test "convert --verify sums each block on the device, and names the first different element" {
	requires numpy sycl
	cat > "$BATS_TEST_TMPDIR/large.py" <<-'END'
		import dpctl.memory, numpy as np
		class Usm:
		    """70 MiB: a whole block and more, backwards."""
		    def __init__(self):
		        values = np.arange(70 << 18, dtype="u4")
		        self.memory = dpctl.memory.MemoryUSMDevice(values.nbytes, queue=dpctl.SyclQueue("cpu"))
		        self.memory.copy_from_host(values.view("u1"))
		        self.__sycl_usm_array_interface__ = dict(version=1, shape=values.shape, typestr="<u4", strides=(-1,),
		            data=(self.memory._pointer, False), offset=values.size - 1, syclobj=self.memory.sycl_queue)
		a = Usm()
	END
	export SUAI_DEBUG=read
	suai convert "$BATS_TEST_TMPDIR/large.py:a" --to sycl --copy always --engine kernel --verify -f json
	[ "$status" -eq 0 ]
	jq -e '.targets[0].copy | .verified and .path == "kernel"' <<<"$output"
	verified "$stderr" 40
	SUAI_FAULT=copy-flip-last suai convert "$BATS_TEST_TMPDIR/large.py:a" --to sycl --copy always --engine kernel --verify -f json
	[ "$status" -eq 1 ]
	jq -e '.targets[0].copy.difference == "element [18350079]: bytes 00000000 in the source, 00000001 in the result"' <<<"$output"
	SUAI_FAULT=copy-swap suai convert "$BATS_TEST_TMPDIR/large.py:a" --to sycl --copy always --engine kernel --verify -f json
	[ "$status" -eq 1 ]
	jq -e '.targets[0].copy.difference == "element [0]: bytes ffff1701 in the source, 00000000 in the result"' <<<"$output"
	# On the host's side the sum is the host's.
	SUAI_FAULT=copy-flip-last suai convert "$BATS_TEST_TMPDIR/large.py:a" --to numpy --copy always --engine kernel --verify -f json
	[ "$status" -eq 1 ]
	jq -e '.targets[0].copy.difference == "element [18350079]: bytes 00000000 in the source, 00000001 in the result"' <<<"$output"
	[[ "$stderr" == *"verify by sycl"*"verify by host"* ]]
}

# verifies_opencl: each layout; buffers of a CPU device are mapped, unless a kernel is requested.
verifies_opencl() {
	export SUAI_DEBUG=read
	for name in flat4 transpose1_small gather8; do
		suai convert "$ROOT/testdata/convert/kernels_opencl.py:$name" --to dlpack --copy always --order C --engine kernel --verify -f json
		[ "$status" -eq 0 ]
		jq -e '.targets[0].copy.verified' <<<"$output"
		verified "$stderr" 23
		for engine in kernel auto; do
			SUAI_FAULT=copy-swap suai convert "$ROOT/testdata/convert/kernels_opencl.py:$name" --to dlpack --copy always \
				--order C --engine $engine --verify -f json
			[ "$status" -eq 1 ]
			jq -e '.targets[0].copy.difference | test("^element .0")' <<<"$output"
		done
		[[ "$stderr" == *"verify by host"*"verify by host"* ]]
	done
}

@test "convert --verify of an Intel cl_mem sums on the device" {
	requires numpy
	requires_opencl
	verifies_opencl
}

@test "CUDA: convert --verify sums on the GPU" {
	requires numpy cuda cupy
	export SUAI_DEBUG=read
	for expression in 'a.T' 'a[::2, ::-1]' 'a.astype("u1")[1:]' 'cp.broadcast_to(a[0], a.shape)'; do
		suai convert --to cuda --copy always --order C --verify -f json -c "import cupy as cp
a = cp.arange(3000 * 5000, dtype='f4').reshape(3000, 5000)
b = $expression" b
		[ "$status" -eq 0 ]
		jq -e '.targets[0].copy.verified' <<<"$output"
		verified "$stderr" 23
	done
	SUAI_FAULT=copy-swap suai convert --to cuda --copy always --order C --verify -f json -c "import cupy as cp
a = cp.arange(3000 * 5000, dtype='f4').reshape(3000, 5000).T" a
	[ "$status" -eq 1 ]
	jq -e '.targets[0].copy.difference == "element [0, 0]: bytes 00000000 in the source, bfe1644b in the result"' <<<"$output"
	SUAI_FAULT=copy-flip-last suai convert --to numpy --verify -f json -c "import cupy as cp
a = cp.arange(100 << 20, dtype='u1')[::-1]" a
	[ "$status" -eq 1 ]
	jq -e '.targets[0].copy.difference == "element [104857599]: bytes 00 in the source, 01 in the result"' <<<"$output"
}

@test "CUDA: a large array is summed on the device" {
	requires numpy cuda cupy
	SUAI_DEBUG=read suai inspect -f json --values=3 --stats --checksum -p cuda -c 'import cupy as cp, zlib, sys
a = cp.arange(3 << 28, dtype="u4").reshape(3 << 14, -1)
b = a[:, 1::2]
print("truth", *(format(zlib.crc32(cp.asnumpy(x).tobytes()), "08x") for x in (a, b)), file=sys.stderr)' a b
	[ "$status" -eq 0 ]
	[ "$(jq -r '[.targets[].data.checksum] | join(" ")' <<<"$output")" = "$(sed -n 's/^truth //p' <<<"$stderr")" ]
	jq -e '[.targets[].data | .values, .stats, .engine, .fallback] == [[0, 1, 2], {min: 0, max: 805306367, nan: 0}, "cuda", null,
		[1, 3, 5], {min: 1, max: 805306367, nan: 0}, "cuda", null]' <<<"$output"
	[ "$(grep -c 'read: .* by cuda' <<<"$stderr")" -eq 6 ]
	# Three blocks of a GiB, and 24 of 64 MiB.
	grep 'read: .* by cuda' <<<"$stderr" | awk '$8 > 24 * 24 { print; bad = 1 } END { exit bad }'
}

@test "a long reading shows progress on a terminal, and does not count as a hang" {
	requires numpy script
	cd "$BATS_TEST_TMPDIR"
	printf 'import numpy\na = numpy.zeros((1 << 14, 1 << 14), dtype=">u2").T\n' > wide.py
	output=$(on_terminal xterm "'$SUAI' inspect -p numpy --stats wide.py:a")
	echo "$output" | cat -v
	[[ "$output" =~ reading\ \[#*\.*\]\ +[0-9]+\ %\ \ [0-9.]+\ MiB\ of\ 512\.0\ MiB ]]
	[[ "$output" == *"min 0, max 0, 0 NaN"* ]]
	run --separate-stderr env TERM=xterm "$SUAI" inspect -p numpy --stats --timeout 1 wide.py:a
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
}

@test "a few values of a huge array are read immediately" {
	requires numpy
	code='import numpy; a = numpy.broadcast_to(numpy.float32(7), (1 << 30, 1 << 28))'
	suai inspect -p numpy --values=3 --timeout 5 -f json -c "$code" a
	[ "$status" -eq 0 ]
	jq -e '.targets[0].data.values == [7, 7, 7]' <<< "$output"
	suai inspect -p numpy --values=9 -f json -c 'import numpy; a = numpy.arange(6.0).reshape(2, 3).T' a
	jq -e '.targets[0].data.values == [0, 3, 1, 4, 2, 5]' <<< "$output"
}

@test "elements outside the buffer that data refers to are not read" {
	requires numpy
	suai inspect -p numpy --values -f json "$ROOT/testdata/convert/hostile.py:short"
	[ "$status" -eq 0 ]
	jq -e '.targets[0] | .interfaces[0].array.elements == 4 and .data.values == null and .data.engine == null' <<< "$output"
	suai inspect -q -p numpy --stats "$ROOT/testdata/convert/hostile.py:short"
	[[ $output == *"not read     numpy: elements span byte offsets [0, 32), but the buffer has 31 bytes" ]]
	suai inspect -q --checksum -c 'class A: __array_interface__ = dict(version=3, shape=(2,), typestr="<f8", data=(4096, False))
a, b = A(), 5' a b
	[[ $output == *"not read     numpy: not all of the elements can be read"*"not read     no interface of the object could be read" ]]
}
