#!/usr/bin/env bats
# suai trace: exchanges of memory on SYCL and CUDA devices, their order, and copies by the CUDA driver.

load helpers
load interpreters
load trace

@test "reads of the interface of each kind of USM memory of dpctl are exchanges" {
	requires dpnp
	mkdir -p site-packages/solver
	echo 'def read(a): return a.__sycl_usm_array_interface__' > site-packages/solver/__init__.py
	export PYTHONPATH="$PWD/site-packages"
	for kind in Device Shared Host; do
		trace -c "import dpctl.memory, solver; solver.read(dpctl.memory.MemoryUSM$kind(100))"
		[ "$(reported '[.pairs[] | .producer, .consumer, .exchanges, .bytes]')" = '["dpctl","solver",1,100]' ]
	done
	# dpnp asks in one function, and reads in another: one exchange, however often; each read of a library counts.
	cat > site-packages/solver/__init__.py <<-'END'
		def read(a): return a.__sycl_usm_array_interface__
		def read_twice(a): return read(a), a.__sycl_usm_array_interface__, read(a)
		def ask(a): return hasattr(a, "__sycl_usm_array_interface__") and read(a)
		def ask_once(a): return hasattr(a, "__sycl_usm_array_interface__") and (read(a), read(a))
	END
	cat > app.py <<-'END'
		import dpctl.memory, dpnp, solver
		memory = [dpctl.memory.MemoryUSMShared(100) for _ in range(3)]
		for _ in range(5): dpnp.asarray(memory[0])
		for m in memory: dpnp.asarray(m)
		for m in memory: solver.read_twice(m)
		for _ in range(4): solver.ask(memory[0])
		for _ in range(2): solver.ask_once(memory[0])
	END
	trace app.py
	[ "$(reported '[.call_sites[] | select(.protocol == "sycl") | [.line, .exchanges]] | sort')" = '[[3,5],[4,3],[5,9],[6,4],[7,4]]' ]
}

# The program prints whether work was still pending after the read, which a busy machine may prevent.
@test "memory that is read while work is pending on its SYCL queue is ORDER; idle and other queues, and producers that wait, are not" {
	requires dpnp
	mkdir -p site-packages/solver
	echo 'def read(a): return a.__sycl_usm_array_interface__' > site-packages/solver/__init__.py
	export PYTHONPATH="$PWD/site-packages"
	cp "$ROOT/testdata/trace/sycl_order.py" order.py
	for kind in out_of_order in_order; do
		for _ in 1 2 3 4 5; do
			trace order.py $([ "$kind" = out_of_order ] || echo in_order)
			[ "$status" -eq 0 ]
			[ "$output" = False ] || break
		done
		[ "$output" = True ]
		run -0 jq -r '.call_sites | sort_by(.line)[] | select(.file | endswith("order.py"))
			| "\(.function) \(.producer)>\(.consumer) \([.exchanges, .unordered, .unordered_bytes])\([.findings[].rule])"' report.json
		diff - <(echo "$output") <<- 'END'
			idle dpctl>solver [1,0,0][]
			pending dpctl>solver [1,1,268435456]["TRC601"]
			pending_on_another_queue dpctl>solver [1,0,0][]
			producer_waits dpnp>solver [1,0,0][]
			waited dpctl>solver [1,0,0][]
			consumer_of_the_same_family dpctl>dpnp [1,0,0][]
		END
		[ "$(reported '.totals.unordered')" -eq 1 ]
	done
}

@test "--fail-on stream exits with 1 for memory passed while work is pending, unless a comment or the baseline ignores it" {
	requires dpnp
	mkdir -p site-packages/solver
	echo 'def read(a): return a.__sycl_usm_array_interface__' > site-packages/solver/__init__.py
	export PYTHONPATH="$PWD/site-packages"
	cp "$ROOT/testdata/trace/sycl_order.py" order.py
	fails() {
		for _ in 1 2 3 4 5; do
			suai trace --fail-on stream "$@" -- "$TEST_PYTHON" order.py
			[ "$output" = False ] || break
		done
		[ "$output" = True ]
	}
	fails -f sarif -o report.sarif
	[ "$status" -eq 1 ]
	fails -f json -o report.json --order
	[ "$(reported '[.call_sites[].line]')" = '[25]' ]
	[ "$(jq -c '[.runs[].results[] | [.ruleId, .level, .locations[0].physicalLocation.region.startLine]]' report.sarif)" = '[["TRC601","warning",25]]' ]
	fails --baseline baseline.yaml --update-baseline
	fails --baseline baseline.yaml
	[ "$status" -eq 0 ]
	sed -i '25s/$/  # suai: ignore[TRC601] waits itself/' order.py
	fails
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"1 ORDER: 256 MiB"*"findings ignored by comments: 1"* ]]
}

# The driver is a fake one: tools/trace-cuda-order has counts of a GPU.
@test "CUDA memory that is passed without a stream while work is pending on a stream of the producer is ORDER" {
	gcc -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$ROOT/testdata/fakes/fake_cuda_copies.c"
	mkdir site-packages
	cp -r "$ROOT/testdata/trace/fake_cuda_libraries/." site-packages/
	build_exchanger give site-packages/torch "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')"
	export LD_LIBRARY_PATH="$PWD" PYTHONPATH="$PWD/site-packages:$PYTHONPATH"
	cp "$ROOT/testdata/trace/cuda_order.py" order.py
	"$TEST_PYTHON" order.py
	trace order.py
	[ "$status" -eq 0 ]
	diff <(reported '.call_sites[] | select(.function | test("^test_")) | [.function, .protocol, .exchanges, .unordered, .unordered_bytes, [.findings[].rule]]' | sort) \
		<(sed -n 's/^# expected: //p' order.py | sort)
	suai trace -q --fail-on stream -- "$TEST_PYTHON" order.py
	[ "$status" -eq 1 ]
	for layer in driver attributes,capsules; do
		options=(--without "$layer")
		trace order.py
		[ "$(reported .totals.unordered)" = 0 ]
	done
}

@test "each of many versions of a driver's function receives its own calls, with twelve arguments" {
	gcc -shared -fPIC -O1 -w -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$ROOT/testdata/fakes/fake_cuda_versions.c"
	cat > versions.py <<-'END'
		import ctypes
		driver = ctypes.CDLL("./libcuda.so.1")
		called = []
		for n in range(136):
		    out = ctypes.c_void_p()
		    assert driver.cuGetProcAddress_v2(b"cuMemcpyHtoDAsync", ctypes.byref(out), 12000, ctypes.c_uint64(0), None) == 0
		    called.append(ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_size_t] * 12)(out.value))
		assert [function(*range(1, 13)) for function in called] == list(range(1, 137))
		assert not any(function(0, 2, 4096, *range(4, 13)) for function in called)
	END
	trace versions.py
	[ "$status" -eq 0 ]
	# cuGetProcAddress is one of the 128 functions that can be replaced.
	[ "$(reported '[.transfers.to_device, .transfers.to_device_bytes]')" = '[127,520192]' ]
}

# The driver is a fake one, which proves how calls are found and counted, not what a GPU does: tools/trace-cuda compares
# with NVIDIA's profiler.
@test "copies and waits that libraries ask the CUDA driver for have their direction, bytes, library and line" {
	gcc -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$ROOT/testdata/fakes/fake_cuda_copies.c"
	gcc -shared -fPIC -O2 -isystem "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')" -o copier.so \
		"$ROOT/testdata/trace/copier.c" -pthread
	export LD_LIBRARY_PATH="$PWD" PYTHONPATH="$PWD"
	"$TEST_PYTHON" "$ROOT/testdata/trace/cuda_copies.py"
	trace "$ROOT/testdata/trace/cuda_copies.py"
	[ "$status" -eq 0 ]
	[ "$(reported '.transfers | [.to_device, .to_device_bytes, .to_host, .to_host_bytes, .stream_waits]')" = '[77,7631,60,5924,1]' ]
	[ "$(reported '.transfers | [.between_devices, .between_devices_bytes]')" = '[11,920]' ]
	[ "$(reported '[.totals.exchanges, .coverage.lost, (.pairs | length)]')" = '[0,0,0]' ]
	run -0 jq -r '.call_sites | sort_by(.line)[] | "\(.line) \(.protocol) \(.producer)>\(.consumer) \(.exchanges) \(.bytes)"' report.json
	diff - <(echo "$output") <<- 'END'
		null cuda-to-host device>copier 9 900
		9 cuda-to-device copier>device 70 7000
		10 cuda-to-host device>copier 30 3000
		11 cuda-to-host device>copier 20 2000
		13 cuda-to-device copier>device 5 500
		20 cuda-wait python>python 1 0
		22 cuda-to-device python>device 1 11
		25 cuda-to-device python>device 1 120
		29 cuda-between-devices python>python 1 40
		31 cuda-between-devices copier>copier 6 600
		32 cuda-between-devices copier>copier 2 200
		36 cuda-between-devices python>python 1 50
		40 cuda-to-host device>python 1 24
		42 cuda-between-devices python>python 1 30
	END
	suai trace -q -- "$TEST_PYTHON" "$ROOT/testdata/trace/cuda_copies.py"
	[ "${stderr_lines[2]}" = '77 copies to CUDA devices: 7.45 KiB (7631 bytes)' ]
	[ "${stderr_lines[3]}" = '60 copies from CUDA devices: 5.79 KiB (5924 bytes)' ]
	[ "${stderr_lines[4]}" = '11 copies between CUDA devices: 920 bytes' ]
	[ "${stderr_lines[5]}" = '1 wait of a CUDA stream for an event' ]
	options=(--without driver)
	trace "$ROOT/testdata/trace/cuda_copies.py"
	[ "$(reported '[.transfers.to_device, (.call_sites | length)]')" = '[0,0]' ]
}

# The driver is a fake one, too.
@test "copies of launched CUDA graphs, of batches and of arrays are counted, and captured copies are not" {
	gcc -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$ROOT/testdata/fakes/fake_cuda_copies.c"
	export LD_LIBRARY_PATH="$PWD"
	"$TEST_PYTHON" "$ROOT/testdata/trace/cuda_graphs.py"
	trace "$ROOT/testdata/trace/cuda_graphs.py"
	[ "$status" -eq 0 ]
	[ "$(reported '.transfers | [.to_device, .to_host, .between_devices, .stream_waits]')" = '[13,19,8,0]' ]
	run -0 jq -r '.call_sites | sort_by(.line, .protocol)[] | "\(.line) \(.protocol) \(.exchanges) \(.bytes)"' report.json
	diff - <(echo "$output") <<- 'END'
		36 cuda-to-device 1 100
		46 cuda-between-devices 3 60
		46 cuda-to-device 3 3000
		46 cuda-to-host 6 111
		49 cuda-to-device 1 1000
		49 cuda-to-host 3 97
		53 cuda-between-devices 1 20
		53 cuda-to-host 3 97
		60 cuda-to-device 1 2000
		60 cuda-to-host 2 37
		66 cuda-between-devices 2 66
		66 cuda-to-device 2 22
		66 cuda-to-host 2 44
		81 cuda-between-devices 2 54
		81 cuda-to-device 4 96
		81 cuda-to-host 2 40
		83 cuda-to-host 1 50
		84 cuda-to-device 1 51
	END
	options=(--min-bytes 40)
	trace "$ROOT/testdata/trace/cuda_graphs.py"
	[ "$(reported '[.transfers.to_device, .transfers.to_host, .transfers.between_devices]')" = '[7,3,0]' ]
}
