#!/usr/bin/env bats
# Conversions on a real GPU: kernels copy bit by bit, consumers import the result without a copy, and a consumer that ends
# its process is reported.

load helpers

setup() {
	export XLA_PYTHON_CLIENT_PREALLOCATE=false
}

# convert ARGUMENT...: of `a`, a CuPy array of 3 x 4 floats, and `n`, a NumPy array.
convert() {
	suai convert -f json -c 'import cupy, numpy
a = cupy.arange(12, dtype="f4").reshape(3, 4)
n = numpy.arange(12, dtype="f4").reshape(3, 4)' "$@"
}

query() {
	"$TEST_PYTHON" -c 'import json, sys
t = json.loads(sys.argv[1])["targets"][0]
i = {x["protocol"]: x for x in t["interfaces"]}
c = t["copy"]
assert eval(sys.argv[2]), (sys.argv[2], c)' "$output" "$1"
}

# takes_its_address: the consumer's result has the address of the object that was passed.
takes_its_address() {
	query 'len({x["array"]["pointer"] for y in (t, c["result"]) for x in y["interfaces"] if x["array"]}) == 1'
}

@test "device memory is shared, and copied by a kernel if another order is requested" {
	requires cuda cupy
	for to in cuda dlpack; do
		convert a --to $to --verify
		[ "$status" -eq 0 ]
		query 'c["path"] == "zero-copy" and c["verified"]'
		convert a.T --to $to --order C --verify --timing
		[ "$status" -eq 0 ]
		query 'c["path"] == "kernel" and c["engine"] == "cuda" and c["kernel"] and c["verified"]'
		convert n --to $to --device cuda:0 --verify
		[ "$status" -eq 0 ]
		query 'c["path"] == "memcpy" and c["verified"]'
	done
	for to in numpy buffer; do
		convert 'a.T[::-1]' --to $to --verify
		[ "$status" -eq 0 ]
		query 'c["verified"]'
	done
	convert 'a[:, ::2]' -o "$BATS_TEST_TMPDIR/a.npy" --verify
	[ "$status" -eq 0 ]
	"$TEST_PYTHON" -c 'import numpy, sys
assert numpy.load(sys.argv[1]).tolist() == numpy.arange(12.0).reshape(3, 4)[:, ::2].tolist()' "$BATS_TEST_TMPDIR/a.npy"
}

@test "PyTorch types that CUDA's dictionary lacks are read through DLPack, and lazy views as their values" {
	requires cuda torch numpy
	local code='import torch
b = torch.arange(6, device="cuda").to(torch.bfloat16)
f = torch.arange(6, device="cuda", dtype=torch.float32).to(torch.float8_e4m3fn)
z = torch.tensor([1 + 2j, 3 - 4j], device="cuda")
conj, neg = z.conj(), z.conj().imag'
	suai convert --to dlpack --verify --query copy.from,dtype,copy.path -c "$code" b f
	[ "$output" = $'dlpack\nbfloat16\nzero-copy\ndlpack\nfloat8_e4m3fn\nzero-copy' ]
	suai convert --to dlpack -p cuda --verify --query copy.from,dtype,copy.path -c "$code" b
	[ "$output" = $'cuda\nbfloat16\nzero-copy' ]
	suai convert --to cuda -c "$code" b
	[ "$status" -eq 3 ]
	[[ $output == *"NumPy has no typestr for bfloat16; --to dlpack can express these elements" ]]
	suai inspect --values -f json -c "$code" b conj neg
	jq -ce '[.targets[].data | [.values, .resolved_by]] == [[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], null],
		[[[1.0, -2.0], [3.0, 4.0]], "resolve_conj()"], [[-2.0, 4.0], "resolve_neg()"]]' <<< "$output"
	for to in cuda dlpack; do
		suai convert --to $to --verify --query copy.verified,copy.path,copy.engine -c "$code" conj neg
		[ "$output" = $'true\nmemcpy\nproducer\ntrue\nmemcpy\nproducer' ]
	done
	suai convert --to cuda --call 'print(torch.as_tensor(_).tolist())' -c "$code" conj neg
	[[ $stderr == *"[(1-2j), (3+4j)]"*"[-2.0, 4.0]"* ]]
	suai validate -q -c "$code" conj neg
	[[ $output == *"conj: error XPR202 values-in-memory: the pending conjugation is not applied to the elements exported by __cuda_array_interface__"* ]]
	[[ $output == *"neg: error XPR202 values-in-memory: the pending negation is not applied to the elements exported by __cuda_array_interface__ and __dlpack__"* ]]
}

@test "each version of the interface, and legacy capsules, follow their specifications" {
	requires cuda cupy
	for version in 0 1 2 3; do
		convert a.T --to cuda --interface-version $version
		[ "$status" -eq 0 ]
		query "i['cuda']['declared']['version'] == $version and ('stream' in i['cuda']['declared']) == ($version == 3)"
	done
	convert a --to dlpack --interface-version 0
	[ "$status" -eq 0 ]
	query 'i["dlpack"]["declared"]["version"] is None and i["dlpack"]["declared"]["dl_tensor"]["device"]["device_type"] == 2'
}

@test "CuPy, PyTorch, JAX, Numba and cuda.core accept device memory and copies of host memory" {
	requires cuda cupy
	local to module call n_asked=0
	while read -r to module call; do
		"$TEST_PYTHON" -c "import $module" 2>/dev/null || continue
		n_asked=$((n_asked + 1))
		convert a --to "$to" --call "$call"
		[ "$status" -eq 0 ]
		query 'c["path"] == "zero-copy"'
		takes_its_address
		convert n --to "$to" --device cuda:0 --call "$call"
		[ "$status" -eq 0 ]
		query 'c["path"] == "memcpy"'
		takes_its_address
	done <<-'END'
		cuda cupy cupy:asarray
		dlpack cupy cupy:from_dlpack
		dlpack torch torch:from_dlpack
		cuda torch torch.as_tensor(_,device="cuda")
		dlpack jax jax.dlpack:from_dlpack
		cuda numba.cuda numba.cuda:as_cuda_array
		dlpack cuda.core __import__("cuda.core.utils").core.utils.StridedMemoryView.from_dlpack(_,stream_ptr=-1)
	END
	[ "$n_asked" -ge 2 ]
}

# `tools/gpu DIR sycl` runs it, if tools/pack-sycl packed a SYCL runtime for the CPU.
@test "SYCL memory is copied to the GPU through the host, packed first if it has gaps: CuPy, PyTorch, JAX, Numba" {
	requires cuda cupy sycl
	local source to module call n_asked=0
	while read -r source to module call; do
		"$TEST_PYTHON" -c "import $module" 2>/dev/null || continue
		n_asked=$((n_asked + 1))
		suai convert --to "$to" --device cuda:0 --order C --verify -f json --call "same($call)" -c "import sys
sys.path.insert(0, '$ROOT/testdata/convert')
import cupy, usm
a = usm.queue_$source
def same(taken):
    assert (cupy.asarray(taken).get() == a.on_host()).all()
    return taken" a
		[ "$status" -eq 0 ]
		query 'c["from"] == "sycl" and c["engine"] == "cuda" and c["verified"]'
		takes_its_address
	done <<-'END'
		device cuda cupy cupy.asarray(_)
		shared cuda cupy cupy.asarray(_)
		host cuda cupy cupy.asarray(_)
		device dlpack cupy cupy.from_dlpack(_)
		device dlpack torch __import__("torch").from_dlpack(_)
		device dlpack jax __import__("jax").dlpack.from_dlpack(_)
		device cuda numba.cuda __import__("numba.cuda").cuda.as_cuda_array(_)
	END
	[ "$n_asked" -ge 4 ]
}

@test "a consumer that aborts its process is reported with its step, and --order C avoids it" {
	requires cuda cupy torch
	convert 'a[::-1]' --to dlpack --call torch:from_dlpack
	[ "$status" -eq 3 ]
	query 't["status"] == "crashed" and t["step"] == "call" and "SIGABRT" in t["error"]["message"] and "use --order C to avoid them" in t["error"]["message"]'
	[[ "$stderr" == *"c10::Error"*"strides=[-4, 1]"* ]] # PyTorch's own reason
	convert 'a[::-1]' --to dlpack --order C --call '(torch := __import__("torch")).from_dlpack(_).tolist() == [[8.0, 9.0, 10.0, 11.0], [4.0, 5.0, 6.0, 7.0], [0.0, 1.0, 2.0, 3.0]] and torch.from_dlpack(_)'
	[ "$status" -eq 0 ]
	query 'c["path"] == "kernel" and c["result"]["type"] == "torch.Tensor"'
	takes_its_address
}

@test "validate has no findings for the objects that convert creates" {
	requires cuda cupy
	for to in cuda dlpack; do
		convert a.T --to $to --order C
		[ "$status" -eq 0 ]
		printf '%s' "$output" > "$BATS_TEST_TMPDIR/made.yaml"
		suai validate -q "$BATS_TEST_TMPDIR/made.yaml"
		[ "$status" -eq 0 ]
	done
}

@test "the result is ordered on the stream that the user passes" {
	requires cuda cupy
	suai convert -f json --to cuda --stream py:s.ptr -c 'import cupy
s = cupy.cuda.Stream()
a = cupy.arange(12.0)' a
	[ "$status" -eq 0 ]
	query 'i["cuda"]["declared"]["stream"] > 2'
	suai convert -f json --to cuda --stream 99999 -c 'import cupy
a = cupy.arange(12.0)' a
	[ "$status" -eq 2 ]
}

@test "the module: threads convert on their own streams, which may end before the results" {
	requires cuda cupy torch
	PYTHONPATH=$ROOT/python PYTHONDONTWRITEBYTECODE=1 SUAI_PROGRAM=$SUAI run --separate-stderr "$TEST_PYTHON" - <<-'END'
		import threading, cupy, suai, torch

		kept, wrong = [], []

		def convert(number):
		    stream = cupy.cuda.Stream(non_blocking=True)
		    with stream:
		        for i in range(20):
		            a = cupy.full((300 + number, 200), 1000 * number + i, "i4").T
		            made = suai.convert(a, to="dlpack", order="C", stream=stream.ptr)
		            kept.append((torch.from_dlpack(made), 1000 * number + i))
		            cuda = suai.convert(a, to="cuda", order="C", stream=stream.ptr)
		    del a, stream  # before cuda

		threads = [threading.Thread(target=convert, args=[number]) for number in range(8)]
		for thread in threads:
		    thread.start()
		for thread in threads:
		    thread.join()
		cupy.cuda.Device().synchronize()
		print(len(kept), [value for made, value in kept if not bool((made == value).all())])
		kept.clear()
		print("released")
	END
	[ "$status" -eq 0 ]
	[ "$output" = $'160 []\nreleased' ]
}

@test "10,000 exports leak no device memory" {
	requires cuda cupy
	# Free memory is that of the device, on which other processes start and end: a leak would show each time.
	suai convert --to dlpack --order C -c 'import cupy
a = cupy.arange(1 << 20, dtype="f4").reshape(1 << 10, 1 << 10).T
def grown(made):
    before = cupy.cuda.runtime.memGetInfo()[0]
    for i in range(10000):
        cupy.from_dlpack(made)
    return before - cupy.cuda.runtime.memGetInfo()[0]
def least(made):
    print("grown", min(grown(made) for i in range(3)))' a --call 'least(_)'
	[ "$status" -eq 0 ]
	[[ "$stderr$output" =~ grown\ (-?[0-9]+) ]]
	[ "${BASH_REMATCH[1]}" -le $((32 << 20)) ]
}
