#!/usr/bin/env bats
# A fake CUDA driver, for error paths: every call fails in turn, and nothing crashes. Not a test of a GPU.

load helpers

setup_file() {
	export FAKE="$BATS_FILE_TMPDIR/fake" OLD="$BATS_FILE_TMPDIR/old"
	mkdir -p "$FAKE" "$OLD"
	"${CC:-gcc}" -D_GNU_SOURCE -fPIC -shared -Wl,-soname,libcuda.so.1 -o "$FAKE/libcuda.so.1" \
		"$ROOT/testdata/fakes/fake_cuda_driver.c"
	"${CC:-gcc}" -D_GNU_SOURCE -fPIC -shared -Wl,-soname,libcuda.so.1 -DcuStreamGetCtx=cuStreamGetCtx_gone \
		-o "$OLD/libcuda.so.1" "$ROOT/testdata/fakes/fake_cuda_driver.c"
}

setup() {
	export LD_LIBRARY_PATH="$FAKE" PYTHONPATH="$ROOT/testdata/fakes/fake_cuda"
}

# Code for Turned, an array of two rows and three columns in the order of Fortran.
turned='import fake_cuda
class Turned(fake_cuda.FakeArray):
	@property
	def __cuda_array_interface__(self):
		return {**super().__cuda_array_interface__, "shape": (2, 3), "strides": (4, 8)}'

# query EXPRESSION: evaluates jq over the only document in output.
query() {
	jq -e -r "$1" <<<"$output"
}

# inspect CODE NAME...: the cuda interface of objects with the fake driver.
inspect() {
	local code="$1"
	shift
	suai inspect -p cuda -f json -c "import fake_cuda
from fake_cuda import FakeArray
$code" "$@"
}

@test "fake: each kind of memory is reported with its extent, device and host access" {
	FAKE_CUDA_DEVICES=2 inspect 'a = [FakeArray(6, kind, 1)
	for kind in ("device", "pool", "mapped", "managed", "pinned", "registered")]
a, b, c, d, e, f = a' a b c d e f
	[ "$status" -eq 0 ]
	[ "$(query '[.targets[].interfaces[0].array.memory | .kind] | join(" ")')" = \
		"device device device managed registered registered" ]
	query '[.targets[].interfaces[0].array.memory | .origin] == ["cuMemAlloc", "cuMemAllocAsync", "cuMemMap",
		"cuMemAllocManaged", "cuMemHostRegister", "cuMemHostRegister"]'
	query '[.targets[].interfaces[0].array.memory | .host_accessible] == [false, false, false, true, true, true]'
	query '[.targets[].interfaces[0].array.memory | .size, .by, .how, .device.id, .device.name] | unique
		== [1, 24, "cuda", "exact", "fake CUDA device 1"]'
	query '[.targets[].interfaces[0].details.driver] | unique
		== [{"current_device": 0, "peer_access": null, "pageable_access": false}]'
}

@test "fake: unmapped addresses and exceeding extents are results, not errors" {
	inspect 'free, long, wrong = FakeArray(6), FakeArray(6, extra=1), FakeArray(6, shift=8)
host = FakeArray(6)
host.pointer = id(host)
free.pointer = 4096' free long wrong host
	[ "$status" -eq 0 ]
	query '[.targets[].interfaces[0].array.memory | .kind, .low_inside, .high_inside] == ["unknown", null, null,
		"device", true, false, "device", true, false, "unknown", null, null]'
	query '[.targets[].interfaces[0].array.memory.readable] == [false, null, null, true]'
}

@test "fake: streams are queried; one that crashes the driver is invalid, and no crash" {
	inspect 'good = FakeArray(6, stream=fake_cuda.stream())
dead = FakeArray(6, stream=id(good))
wild = FakeArray(6, stream=fake_cuda.stream(wild=True))
low = FakeArray(6, stream=5)
legacy = FakeArray(6, stream=1)' good dead wild low legacy
	[ "$status" -eq 0 ]
	query '[.targets[].interfaces[0].details.stream.valid] == [true, false, false, false, true]'
	query '[.targets[].interfaces[0].details.stream.error] == [null, "cuStreamGetCtx: CUDA_ERROR_INVALID_HANDLE",
		"cuStreamGetCtx: SIGSEGV", "no readable memory at 0x5", null]'
	query '[.targets[].interfaces[0].details.stream.device] == [0, null, null, null, null]'
	query '[.targets[].interfaces[0].array.memory.kind] | unique == ["device"]'
}

@test "fake: an error of the driver about a handle makes the stream invalid; after another its state is unknown" {
	for error in 1:false 201:false 400:false 709:false 700:null 999:null; do
		FAKE_CUDA_FAIL=StreamQuery:${error%:*} inspect 'a = FakeArray(6, stream=fake_cuda.stream())' a
		[ "$status" -eq 0 ]
		query ".targets[0].interfaces[0].details.stream | .valid == ${error#*:} and (.error | startswith(\"cuStreamQuery: \"))"
	done
}

@test "fake: the driver's results are checked: address, extent, kind, device, stream" {
	FAKE_CUDA_DEVICES=2 suai validate -f concise --no-summary --select CAI307,CAI403,CAI404,CAI501,CAI502,CAI603,CAI604 -c 'import fake_cuda
from fake_cuda import FakeArray
good, long, managed, there = FakeArray(6), FakeArray(6, extra=1), FakeArray(6, "managed"), FakeArray(6, device=1)
lost, dead, across = FakeArray(6), FakeArray(6, stream=5), FakeArray(6, stream=fake_cuda.stream(1))
lost.pointer = 4096
good.device = "cuda:0"
there.device = "cuda:0"' good long managed there lost dead across
	[ "$status" -eq 1 ]
	[ "$(sed -E 's/^([a-z]+): [a-z]+ ([A-Z0-9]+).*/\1 \2/' <<< "$output" | grep -v '^ ' | sort | tr '\n' ' ')" = \
		"across CAI604 dead CAI603 long CAI307 lost CAI403 managed CAI404 there CAI501 " ]
}

@test "fake: access between devices considers peer access, pools and mappings" {
	code='import fake_cuda
from fake_cuda import FakeArray
fake_cuda.use(0)
far, pool, mapped, managed, pinned = [FakeArray(6, kind, 1)
	for kind in ("device", "pool", "mapped", "managed", "pinned")]
shared_pool, shared_mapped, near = FakeArray(6, "pool", 1).share(), FakeArray(6, "mapped", 1).share(), FakeArray(6)'
	names="far pool mapped managed pinned shared_pool shared_mapped near"
	export FAKE_CUDA_DEVICES=2
	inspect "$code
import atexit
atexit.register(lambda: print('reaches', fake_cuda.reaches(0, 1)))" $names
	[ "$status" -eq 0 ]
	query '[.targets[].interfaces[0].details.driver.peer_access] == [false, false, false, true, true, true, true, true]'
	[[ "$stderr" == *"reaches 0"* ]]
	suai validate -q --select CAI502 -c "$code" $names
	[ "$status" -eq 0 ]
	[ "$(sed -nE 's/^([a-z_]+): warning CAI502.*/\1/p' <<< "$output" | tr '\n' ' ')" = "far pool mapped " ]
	inspect "$code
import atexit
fake_cuda.reach(0, 1)
atexit.register(lambda: print('reaches', fake_cuda.reaches(0, 1)))" $names
	query '[.targets[].interfaces[0].details.driver.peer_access] == [true, false, false, true, true, true, true, true]'
	[[ "$stderr" == *"reaches 1"* ]]
}

@test "fake: with two devices, text, reasons of copies and causes state the number that the driver reports" {
	requires numpy
	export FAKE_CUDA_DEVICES=2
	code='from fake_cuda import FakeArray
class Tensor(FakeArray):
    def __dlpack_device__(self):
        return 2, 1
    def __dlpack__(self, **options):
        raise BufferError("Can'"'"'t export tensors on a different CUDA device index. Expected: 1. Current device: 0.")
a, managed, tensor = FakeArray(6, "device", 1), FakeArray(6, "managed", 1), Tensor(6, "device", 1)'
	suai inspect -c "$code" a
	[[ "$output" == *"    device       cuda:1, fake CUDA device 1"* ]]
	suai convert --to numpy -c "$code" managed
	[[ "$output" == *"    device       cpu:0"$'\n'"    memory       managed (cuMemAllocManaged)"* ]]
	suai convert --to cuda --device cuda:0 --query copy.reason -c "$code" a
	[ "$output" = "the elements are in device memory of cuda:1 (fake CUDA device 1), but the result must be on cuda:0" ]
	suai why -f json -c "$code" a 'type(_)(6, "device", 0)'
	query '.why.message == "the elements are on device cuda:1, and the consumer copies them to device cuda:0"'
	suai why -c "$code" tensor '_.__dlpack__()'
	[ "$status" -eq 1 ]
	[[ "${output//$'\n                '/}" == *"the object exports its memory only while its device is the current one: Can't export"* ]]
}

@test "fake: complex elements in device memory are compared, which tolist() returns as Python's complex" {
	code='from fake_cuda import FakeArray
class Complex(FakeArray):
    strides, first = (8,), 0
    @property
    def __cuda_array_interface__(self):
        return {**super().__cuda_array_interface__, "typestr": "<c8", "shape": (3,), "strides": self.strides,
                "data": (self.pointer + self.first, False)}
    def tolist(self):
        return [0j, 1 + 1j, 2 + 2j]
class Reversed(Complex):
    strides, first = (-8,), 16
a = Complex(6)'
	suai why -f json -c "$code" a 'type(_)(6)'
	query '.why | .equal and .difference == null'
	suai why -f json -c "$code" a 'type(_).__subclasses__()[0](6)'
	query '.why | has("equal") and .equal == null' # work may be pending that makes them equal
}

@test "fake: elements of a PyTorch type that the dictionary has as raw bytes keep that type, or are refused" {
	cd "$BATS_TEST_TMPDIR"
	cat > torch.py <<-'END'
		class dtype:
		    def __init__(self, name):
		        self.name = name
		    def __repr__(self):
		        return "torch." + self.name
	END
	code='import torch
from fake_cuda import FakeArray
class Tensor(FakeArray):
    dtype = torch.dtype("bfloat16")
    @property
    def __cuda_array_interface__(self):
        return {**super().__cuda_array_interface__, "typestr": "<V2"}
a = Tensor(6)'
	export PYTHONPATH="$PYTHONPATH:$PWD"
	suai convert --to dlpack --query dtype -c "$code" a
	[ "$output" = bfloat16 ]
	for to in numpy cuda; do
		suai convert --to $to -c "$code" a
		[ "$status" -eq 3 ]
		[[ "$output" == *"NumPy has no typestr for bfloat16; --to dlpack can express these elements" ]]
	done
	suai inspect --values -f json -c "$code" a
	query '.targets[0].data.values == [0.0, 0.0, 0.0, 1.0, 0.0, 2.0]'
}

@test "fake: no failing driver function causes a crash or hides the dictionary" {
	local function
	while read -r function; do
		FAKE_CUDA_FAIL=$function:700 inspect 'a = FakeArray(6, stream=fake_cuda.stream())' a
		[ "$status" -eq 0 ]
		query '.targets[0] | .status == "ok" and .interfaces[0].array.shape == [6]'
		query '.targets[0].interfaces[0] | (.array.memory == null) == (.memory_reason != null)'
		case $function in
		Init | DeviceGetCount | PointerGetAttributes)
			query ".targets[0].interfaces[0].memory_reason == \"cu$function: CUDA_ERROR_ILLEGAL_ADDRESS\"" ;;
		*)
			query '.targets[0].interfaces[0].array.memory.kind == "device"' ;;
		esac
	done < <(grep -oE 'API int cu[A-Za-z0-9_]+' "$ROOT/testdata/fakes/fake_cuda_driver.c" | sed 's/API int cu//' |
		grep -vE 'GetErrorName')
}

@test "fake: a missing device is reported as the reason, in inspect and in devices" {
	FAKE_CUDA_FAIL=Init:100 inspect 'a = FakeArray.__new__(FakeArray)
a.pointer, a._shape, a._stream = 4096, (6,), None' a
	[ "$status" -eq 0 ]
	query '.targets[0].interfaces[0].memory_reason == "cuInit: CUDA_ERROR_NO_DEVICE"'
	FAKE_CUDA_FAIL=Init:100 suai devices
	[ "$status" -eq 0 ]
	[[ "$output" == *"cuda: unavailable (cuInit: CUDA_ERROR_NO_DEVICE)"* ]]
	FAKE_CUDA_DEVICES=0 suai devices
	[[ "$output" == *"cuda: unavailable (no CUDA device found)"* ]]
}

@test "fake: a library that lacks a function is named with the function" {
	LD_LIBRARY_PATH="$OLD" suai devices
	[ "$status" -eq 0 ]
	[[ "$output" == *"cuda: unavailable ('libcuda.so.1' lacks the function 'cuStreamGetCtx')"* ]]
}

@test "fake: devices are listed with the numbers that DLPack uses" {
	FAKE_CUDA_DEVICES=2 suai devices -f json
	[ "$status" -eq 0 ]
	query '[.devices[] | select(.runtime == "cuda") | .device.type, .device.id, .name, .backend, .driver_version, .cores]
		== ["cuda", 0, "fake CUDA device 0", "sm_90", "CUDA 13.0", 2, "cuda", 1, "fake CUDA device 1", "sm_90", "CUDA 13.0", 2]'
	for function in DeviceGet DeviceGetName DeviceTotalMem_v2 DeviceGetAttribute DriverGetVersion; do
		FAKE_CUDA_FAIL=$function:700 suai devices
		[ "$status" -eq 0 ]
		[[ "$output" == *"cuda: unavailable (cu${function%_v2}: CUDA_ERROR_ILLEGAL_ADDRESS)"* ]]
	done
}

@test "fake: without a CUDA object no driver is opened" {
	FAKE_CUDA_FAIL=Init:700 suai inspect -f json -c 'import atexit, os
a = bytearray(8)
atexit.register(lambda: print("libcuda" in open("/proc/self/maps").read()))' a
	[ "$status" -eq 0 ]
	[[ "$stderr" == *False* ]]
}

@test "fake: device memory is converted by the driver's copy, after the producer's stream" {
	requires numpy
	for kind in device pool mapped; do
		suai convert -o "$BATS_TEST_TMPDIR/a.npy" -c "import fake_cuda
a = fake_cuda.FakeArray(6, '$kind', stream=fake_cuda.stream())" a
		[ "$status" -eq 0 ]
		[[ "$stderr" == *"fake CUDA: event recorded on 0x"*"fake CUDA: stream destroyed"* ]]
		[ "$("$TEST_PYTHON" -c 'import numpy, sys
print(numpy.load(sys.argv[1]).tolist())' "$BATS_TEST_TMPDIR/a.npy")" = '[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]' ]
		rm "$BATS_TEST_TMPDIR/a.npy"
	done
}

@test "fake: of two interfaces convert and --values read the one with the element type, and a refusal names -p" {
	requires numpy
	export PYTHONPATH="$PYTHONPATH:$ROOT/testdata/cuda"
	local code='from fake_cuda import FakeArray
from arrays import Dlpack
class Bfloat16(Dlpack):
	def __init__(self):
		self.memory = FakeArray(3)
		super().__init__(self.memory.pointer, (2, 0), 6)
		for tensor in self._versioned.tensor, self._legacy.tensor: tensor.code, tensor.bits = 4, 16
	@property
	def __cuda_array_interface__(self):
		return {**self.memory.__cuda_array_interface__, "shape": (6,), "typestr": "<V2"}
a = Bfloat16()'
	suai convert --to dlpack --verify --query copy.from,dtype,copy.path -c "$code" a
	[ "$output" = $'dlpack\nbfloat16\nzero-copy' ]
	suai convert --to dlpack -p cuda -c "$code" a
	[ "$status" -eq 3 ]
	[[ $output == *"DLPack has no type for void2; --to "*" can express these elements; -p dlpack avoids this" ]]
	suai convert --to cuda -c "$code" a
	[ "$status" -eq 3 ]
	[[ $output == *"NumPy has no typestr for bfloat16; --to dlpack can express these elements; -p cuda avoids this" ]]
	suai convert --to cuda -p cuda --query copy.from,dtype -c "$code" a
	[ "$output" = $'cuda\nvoid2' ]
	suai inspect --values -f json -c "$code" a
	query '.targets[0].data.values == [0.0, 0.0, 0.0, 1.0, 0.0, 2.0]'
}

@test "fake: a failing call during a copy leaves no file, context or stream behind" {
	for function in CtxPushCurrent_v2 EventCreate EventRecord EventSynchronize StreamCreate MemcpyAsync StreamSynchronize; do
		FAKE_CUDA_FAIL=$function:2 suai convert -o "$BATS_TEST_TMPDIR/none.npy" -c "import fake_cuda
a = fake_cuda.FakeArray(6, 'pool', stream=1)" a
		[ "$status" -eq 4 ]
		[[ "$output$stderr" == *"cu${function%_v2}: CUDA_ERROR_OUT_OF_MEMORY"* ]]
		[[ "$stderr" != *"too often"* ]]
		[ ! -e "$BATS_TEST_TMPDIR/none.npy" ]
	done
	FAKE_CUDA_FAIL=MemAlloc_v2:2 suai convert --to cuda --order C -c "$turned
a = Turned(6)" a
	[ "$status" -eq 4 ]
	[[ "$output" == *"cannot allocate 24 bytes of device memory: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY"* ]]
	FAKE_CUDA_CAPTURING=1 suai convert -o "$BATS_TEST_TMPDIR/none.npy" -c "import fake_cuda
a = fake_cuda.FakeArray(6, stream=fake_cuda.stream())" a
	[ "$status" -eq 3 ]
	[[ "$output$stderr" == *"is being captured into a graph"* ]]
	suai convert -o "$BATS_TEST_TMPDIR/none.npy" -c "import fake_cuda
a = fake_cuda.FakeArray(6, stream=fake_cuda.stream(wild=True))" a
	[ "$status" -eq 3 ]
	[[ "$output$stderr" == *"cannot wait for stream 0x"*"cuStreamGetCtx: SIGSEGV"* ]]
}

@test "fake: objects are allocated in CUDA memory, and freed" {
	requires numpy
	suai convert --to cuda --verify -f json -c 'import numpy as np
a = np.arange(6, dtype="f4").reshape(2, 3).T' a
	[ "$status" -eq 0 ]
	query '.targets[0] | .copy.verified and .interfaces[0].array.memory.kind == "device"
		and .interfaces[0].array.device.type == "cuda" and .interfaces[0].declared.stream == null'
	[[ "$stderr" == *"fake CUDA: memory freed"* ]]
	[[ "$stderr" != *"too often"* ]]
	FAKE_CUDA_DEVICES=2 suai convert --to dlpack --device cuda:1 --verify -f json -c 'import numpy as np
a = np.arange(6, dtype="f4")' a
	[ "$status" -eq 0 ]
	query '.targets[0].interfaces[] | select(.protocol == "dlpack") | .declared.device == [2, 1]
		and .array.memory.origin == "cuMemAlloc"'
	[[ "$stderr" == *"fake CUDA: memory freed"* ]]
	suai convert --to cuda --device cuda:1 -c 'a = bytearray(8)' a
	[ "$status" -eq 4 ]
	[[ "$output$stderr" == *"unknown device 'cuda:1': the CUDA driver reports 1 device"* ]]
}

@test "fake: calls and trials have no findings for the objects that suai creates, in each version" {
	requires numpy
	local made=() target of
	for target in cuda-0 cuda-1 cuda-2 cuda-3 dlpack-0 dlpack@cuda; do
		for of in "'elements.half'" "'elements.empty'" "made('elements.half', 'cuda-3')"; do
			made+=("$ROOT/testdata/convert/exports.py:made($of, '$target')")
		done
	done
	suai validate --calls --lifetime --ignore DLP104 -f json "${made[@]}" >/dev/null
	jq -r '.targets[] | .target as $target | .findings[] | "\($target): \(.rule) \(.message)"' <<<"$output"
	[ "$status" -eq 0 ]
	query '.summary | .targets == 18 and .errors + .warnings == 0'
	query '[.targets[].trials[] | select(.outcome != "done" and .trial != "outlive")] == []' # the host reads none of it
	query '[.targets[].calls[]] | length > 1000'
}

@test "fake: SYCL arrays are copied to CUDA through the host, and a consumer uses them in place" {
	requires sycl
	local source
	for source in device shared host; do
		suai convert "$ROOT/testdata/convert/usm.py:queue_$source" --to cuda --device cuda:0 --verify -f json \
			--call 'type("Taken", (), {"__cuda_array_interface__": _.__cuda_array_interface__, "owner": _})()'
		[ "$status" -eq 0 ]
		query '.targets[0] | .copy.from == "sycl" and .copy.path == "memcpy" and .copy.engine == "cuda" and .copy.verified
			and ([.interfaces[].array.pointer, .copy.result.interfaces[].array.pointer] | unique | length) == 1
			and .interfaces[0].array.memory.kind == "device"'
	done
}

@test "fake: a stream that the user passes is checked and reported" {
	requires numpy
	code='import fake_cuda, numpy as np
a, s, wild = np.arange(6, dtype="f4"), fake_cuda.stream(), fake_cuda.stream(wild=True)'
	suai convert --to cuda --stream py:s -f json -c "$code" a
	[ "$status" -eq 0 ]
	query '.targets[0].interfaces[0] | .declared.stream > 2 and .details.stream.valid'
	suai convert --to cuda --stream py:wild -c "$code" a
	[ "$status" -eq 3 ]
	[[ "$output$stderr" == *"cannot use 0x"*" as a CUDA stream: "*SIGSEGV* ]]
	suai convert --to cuda --stream 0 -c "$code" a
	[ "$status" -eq 2 ]
	suai convert --to cuda --stream new -f json -c "$code" a
	[ "$status" -eq 0 ]
}

@test "fake: the context that a new stream retained is released, with the stream or if there is none" {
	code='import atexit, fake_cuda
class Device:
	def __dlpack__(self, stream=None, **keywords): raise BufferError(stream)
	def __dlpack_device__(self): return 2, 0
a = Device()
atexit.register(lambda: print("retained", fake_cuda.retained(0)))'
	suai inspect -p dlpack --stream new -c "$code" a
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"retained 0"* ]]
	FAKE_CUDA_FAIL=StreamCreate:2 suai inspect -p dlpack --stream new -c "$code" a
	[ "$status" -eq 4 ]
	[[ "$output" == *"cuStreamCreate: CUDA_ERROR_OUT_OF_MEMORY"* && "$stderr" == *"retained 0"* ]]
}

@test "fake: without a kernel the driver copies, and the document states why" {
	requires numpy
	suai convert --to numpy --order C --verify -f json -c "$turned
a = Turned(6)" a
	[ "$status" -eq 0 ]
	query '.targets[0].copy | .path == "memcpy" and .verified'
	[[ "$(query '.targets[0].copy.fallback // .targets[0].copy.reason')" == *cu* ]]
}

@test "fake: the code of kernels that is damaged in the file of the program is not loaded, and the document states it" {
	requires numpy
	cp "$SUAI" "$ROOT/suai-bootstrap.py" "$ROOT/suai-devices" "$BATS_TEST_TMPDIR"
	"$TEST_PYTHON" - "$ROOT/_suai.abi3.so" "$BATS_TEST_TMPDIR/_suai.abi3.so" <<-'END'
		import re, sys
		module = bytearray(open(sys.argv[1], "rb").read())
		streams = [match.start() for match in re.finditer(rb"\xfd7zXZ\0", bytes(module))]
		assert streams
		for stream in streams:
		    module[stream + 20000] ^= 1
		open(sys.argv[2], "wb").write(module)
	END
	SUAI="$BATS_TEST_TMPDIR/suai" suai convert --python "$TEST_PYTHON" --to numpy --order C --verify -f json -c "$turned
a = Turned(6)" a
	[ "$status" -eq 0 ]
	query '.targets[0].copy | .path == "memcpy" and .verified and (.fallback | startswith("the kernels of this build are damaged"))'
}

# The address of an array without elements is NULL, and shows no device.
@test "fake: an array without elements is exported with its device, or the first, and pinned memory as memory of the host" {
	cat > "$BATS_TEST_TMPDIR/a.py" <<-'END'
		import ctypes, sys
		sys.path.insert(0, sys.argv[1])
		import capsules, fake_cuda
		class Empty(fake_cuda.FakeArray):
		    @property
		    def __cuda_array_interface__(self):
		        return {**super().__cuda_array_interface__, "shape": (0, 3), "data": (0, False), "typestr": "<f8"}
		def clear(tensor):
		    tensor.shape[0], tensor.data = 0, None
		    tensor.device_type, tensor.device_id = 2, 1
		class OnSecond(Empty):
		    def __dlpack_device__(self):
		        return 2, 1
		    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
		        return capsules.Matrix(clear, (True, False)).__dlpack__(max_version=max_version)
		class Pinned(capsules.Matrix):
		    def __dlpack_device__(self):
		        return 3, 0
		empty, second, pinned = Empty(6), OnSecond(6), Pinned()
	END
	for name in empty:0 second:1; do
		FAKE_CUDA_DEVICES=2 suai convert -f json --to dlpack "$BATS_TEST_TMPDIR/a.py:${name%:*}" -- "$ROOT/testdata/calls"
		[ "$status" -eq 0 ]
		query ".targets[0].interfaces[0].declared.device == [2, ${name#*:}]"
	done
	for to in numpy dlpack; do
		suai convert -f json --to "$to" "$BATS_TEST_TMPDIR/a.py:pinned" -- "$ROOT/testdata/calls"
		[ "$status" -eq 0 ]
		query '.targets[0].copy.path == "zero-copy"'
	done
}

@test "fake: values are fetched from the device, after the stream, and no more than are shown" {
	code='import fake_cuda
a, b = fake_cuda.FakeArray(1 << 20, stream=7), fake_cuda.FakeArray(6, "managed")
a._stream = fake_cuda.stream()
class Turned(fake_cuda.FakeArray):
	@property
	def __cuda_array_interface__(self):
		return {**super().__cuda_array_interface__, "shape": (2, 3), "strides": (4, 8), "version": 2}
c, d = Turned(6), fake_cuda.FakeArray(6, extra=1)'
	suai inspect --values=3 -f json -c "$code" a
	[ "$status" -eq 0 ]
	query '.targets[0].data.values == [0.0, 1.0, 2.0]'
	[[ "$stderr" == *"event recorded on 0x"*"copied 12 bytes"* ]]
	[ "$(grep -c "copied 4194304 bytes" <<<"$stderr")" -eq 1 ] # the test's own
	suai inspect --values --stats --checksum -f json -c "$code" b c d
	[ "$status" -eq 0 ]
	query '[.targets[].data | if .engine then del(.fallback, .resolved_by, .reason) else .reason end] == [{"values": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
		"stats": {"min": 0.0, "max": 5.0, "nan": 0}, "checksum": "91e79017", "engine": "cuda"}, {"values": [0.0, 2.0, 4.0, 1.0, 3.0,
		5.0], "stats": {"min": 0.0, "max": 5.0, "nan": 0}, "checksum": "588478c3", "engine": "cuda"}, "cuda: not all of the elements can be read"]'
	query '[.targets[:2][].data.fallback | test("PTX|cuModuleLoadData: CUDA_ERROR_NOT_SUPPORTED")] == [true, true]'
	[[ "$stderr" == *"event recorded on 0x1"* ]]
	suai inspect --checksum -c "$code" b
	[[ "$output" == *"checksum     CRC-32 91e79017"*"read by      cuda, and by the host: "* ]]
	FAKE_CUDA_FAIL=MemcpyAsync:700 suai inspect --values --stats --checksum -f json -c "$code" b
	[ "$status" -eq 0 ]
	query '.targets[0].data | del(.fallback, .resolved_by, .reason) == {"values": null, "stats": null, "checksum": null, "engine": "cuda"}'
}

@test "fake: reading that hangs is reported with the step, the wait for pending work or the copy" {
	for words in 'EventRecord wait for pending work' 'StreamSynchronize read'; do
		FAKE_CUDA_HANG=${words%% *} suai inspect --values --timeout 2 -c 'import fake_cuda
a = fake_cuda.FakeArray(6, stream=fake_cuda.stream())' a
		[ "$status" -eq 3 ]
		[[ "$output" == *"a: hung at ${words#* }: timed out after 2 s"* ]]
	done
}

@test "fake: kernels do not access host memory that the device cannot access" {
	code="$turned
a, b = fake_cuda.FakeArray(6, 'pinned'), Turned(6, 'pinned')"
	FAKE_CUDA_HOST_ALONE=1 suai inspect --checksum --values -f json -c "$code" a
	[ "$status" -eq 0 ]
	query '.targets[0].data | .checksum == "91e79017" and (.fallback | test("the device cannot access host memory at 0x"))'
	FAKE_CUDA_HOST_ALONE=1 suai convert --to cuda --order C --engine kernel -c "$code" b
	[ "$status" -eq 4 ]
	[[ "$output" == *"unavailable at copy: the device cannot access host memory at 0x"* ]]
	FAKE_CUDA_HOST_ALONE=1 suai convert --to cuda --order C --verify -f json -c "$code" b
	[ "$status" -eq 0 ]
	query '.targets[0].copy | .verified and .path == "host"'
}

@test "fake: stream order: which side waits, what blocks the host, and what breaks a capture" {
	cd "$ROOT"
	mapfile -t targets < <(sed -n 's/^class \([A-Za-z]*\)(.*/testdata\/cuda\/orders.py:\1()/p' testdata/cuda/orders.py)
	# Most of its time is waiting: four processes at once.
	printf '%s\n' "${targets[@]}" | SUAI=$SUAI xargs -P 4 -n $((${#targets[@]} / 4 + 1)) sh -c '
		exec "$SUAI" validate --live --exit-zero --producer-stream py:work_stream -f json "$@" \
			> "$(mktemp "$BATS_TEST_TMPDIR/part.XXXXXX")"' run
	jq -s '.[0] + {targets: map(.targets[])}' "$BATS_TEST_TMPDIR"/part.* > "$BATS_TEST_TMPDIR/all.json"
	[ "$(jq '.targets | length' "$BATS_TEST_TMPDIR/all.json")" -eq "${#targets[@]}" ]
	run "$TEST_PYTHON" testdata/tools/check_orders.py "$BATS_TEST_TMPDIR/all.json" testdata/cuda/orders.py
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "fake: if the object's stream is unknown or invalid, order is skipped with the reason" {
	cd "$ROOT"
	suai validate --live -v --select CAI606,DLP608 'testdata/cuda/orders.py:NamesNone()' 'testdata/cuda/orders.py:Ignores()'
	[ "$status" -eq 0 ]
	[ "$(grep -c "the stream of the object's work is unknown: pass it with --producer-stream" <<< "$output")" -eq 2 ]
	for option in 'py:missing' 'py:"text"' 'py:id(driver)' 1234567; do
		suai validate --live -v --select DLP608 --producer-stream "$option" 'testdata/cuda/orders.py:Ignores()'
		[ "$status" -eq 0 ]
		[[ "$output" == *"skipped DLP608: the trial 'order' "* ]]
	done
	for option in 0 -1 new text py:; do
		suai validate --live --producer-stream "$option" 'testdata/cuda/orders.py:Ignores()'
		[ "$status" -eq 2 ]
		[[ "$stderr" == *"--producer-stream '$option': expected 1, 2, a handle, or py:EXPR"* ]]
	done
}

@test "fake: what CUDA orders implicitly is not attributed to the object" {
	cd "$ROOT"
	for stream in py:blocking_stream 1; do
		suai validate --live --exit-zero --select DLP607 --producer-stream "$stream" -f json 'testdata/cuda/orders.py:Ignores()'
		query '.targets[0].trials[] | select(.trial == "order").counts.order | [.None, ."1"] == [{same: 3}, {same: 3}]'
		query '.targets[0] | .findings == [] and (.skipped[0].reason | test("CUDA itself orders the consumer.s stream after"))'
	done
}

@test "fake: an invalid stream handle is reported, and does not crash the order trials" {
	for stream in 1234567 0xdeadbeef000 'fake_cuda.stream(wild=True)'; do
		run -1 --separate-stderr "$SUAI" validate --all -f json -p cuda -c 'import fake_cuda' "fake_cuda.FakeArray(6, stream=$stream)"
		jq -c '.targets[0] | [.status, .step, [.findings[].rule], [.trials[] | {trial, outcome, error: .error.message}]]' <<< "$output"
		jq -e '.targets[0] | .status == "ok" and any(.findings[]; .rule == "CAI603")
			and ([.trials[] | select(.outcome == "crashed")] == [])' <<< "$output"
	done
}

@test "fake: a stream that is freed with the dictionary is reported, one that the object keeps is not" {
	suai validate --lifetime -q --select CAI701,CAI603 -c 'import fake_cuda
from fake_cuda import FakeArray, Owner
class Temporary(FakeArray):
    @property
    def __cuda_array_interface__(self):
        return Owner(FakeArray.__cuda_array_interface__.fget(self), stream=fake_cuda.stream())
keeps, legacy, none = FakeArray(6, stream=fake_cuda.stream()), FakeArray(6, stream=1), FakeArray(6)' \
		keeps legacy none 'Temporary(6)'
	[ "$status" -eq 1 ]
	[ "$output" = "Temporary(6): error CAI701 stream-lifetime: the declared stream is no longer valid after the release of the dictionary, although the object is alive" ]
}

@test "fake: a capture that breaks independently of the object is not reported as its defect" {
	cd "$ROOT"
	objects=('testdata/cuda/orders.py:Names()' 'testdata/cuda/orders.py:Orders()' 'testdata/cuda/orders.py:Exchanges()')
	FAKE_CUDA_BREAKS_CAPTURES=1 suai validate --live --exit-zero --select CAI607,DLP609,CXA603 --producer-stream py:work_stream -f json "${objects[@]}"
	query '[.targets[].findings[]] == [] and all(.targets[].trials[] | select(.trial == "order"); .outcome == "done" and (.counts.capture | not))'
	suai validate --live --exit-zero --producer-stream py:work_stream -f json "${objects[@]}"
	query '[.targets[].trials[] | select(.trial == "order") | .counts.capture[]] == [null, null, null, null]'
	query '[.targets[].trials[] | select(.trial == "order") | .counts.capture | keys[]] | unique == ["-1", "exchange", "read"]'
}

@test "fake: if a CUDA driver is loaded, --calls passes no invented stream for host memory" {
	suai validate -p dlpack --calls -f json -c 'import ctypes, os, numpy
ctypes.CDLL("libcuda.so.1")
class Pinned:
	def __dlpack_device__(self):
		return (1, 0)
	def __dlpack__(self, *, stream=None, **keywords):
		if isinstance(stream, int) and stream > 2:
			os.abort()  # as JAX does, whose driver reads the address
		return numpy.arange(3.0).__dlpack__(**keywords)
a = Pinned()' a
	query '.targets[0].status == "ok"'
	query '[.targets[0].calls[] | select(.outcome == "skipped") | .error.message]
		| any(contains("the loaded CUDA driver may dereference the stream handle"))'
}

@test "fake: the stream that an exporter without max_version gets is checked after the export" {
	export PYTHONPATH="$PYTHONPATH:$ROOT/testdata/cuda"
	suai validate --live --exit-zero -f json -c 'from fake_cuda import FakeArray
from arrays import Dlpack
class Legacy(Dlpack):
	def __init__(self):
		self.memory = FakeArray(6)
		super().__init__(self.memory.pointer, (2, 0), 6)
	def __dlpack__(self, *, stream=None):
		return super().__dlpack__()
a = Legacy()' a
	query '[.targets[0].trials[] | select(.trial == "stream") | .outcome, .counts.alive_deleted] == ["done", true]'
}

@test "fake: why compares elements in device memory with those of a result" {
	requires numpy
	local code='import fake_cuda, numpy
class Device(fake_cuda.FakeArray):
	@property
	def __array_interface__(self):
		raise RuntimeError("the array is on the device")
	def cpu(self):
		return numpy.arange(6, dtype="f4")
class Wrong(Device):
	def cpu(self):
		return numpy.ones(6, dtype="f4")
a, b = Device(6), Wrong(6)'
	suai why -f json -c "$code" a numpy:asarray
	query '.why | .cause == "device" and .remedies[0] == {"line": "numpy.asarray(a.cpu())", "works": true, "shared": false,
		"type": "numpy.ndarray", "dtype": "float32", "note": null, "reason": null}'
	suai why -f json -c "$code" b numpy:asarray
	query '[.why.remedies[] | select(.line == "numpy.asarray(b.cpu())").works] | length == 1 and .[0] != true'
}

@test "fake: why names device memory that an interface for the host declares, and does not read it" {
	requires numpy
	suai why -c 'import fake_cuda
class Exposed(fake_cuda.FakeArray):
	@property
	def __array_interface__(self):
		return {"version": 3, "shape": (6,), "typestr": "<f4", "data": (self.pointer, False)}
a = Exposed(6)' a numpy:asarray
	[ "$status" -eq 0 ]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" =~ "cause the consumer reads an interface for host memory: the host cannot read the memory of the result, at 0x"[0-9a-f]+"; an access to it ends the process [device]" ]]
	[[ "$output" != *SIGSEGV* ]]
}
