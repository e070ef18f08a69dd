#!/usr/bin/env bats
# --live on a real GPU: proofs of stream order, for exporters with known defects and for libraries.

load helpers

export SUAI_LIVE_ROUNDS=${LIVE_ROUNDS:-20} # LIVE_ROUNDS=1000 for docs/findings.md

# wrong_exporters: the classes of testdata/cuda/orders.py as targets.
wrong_exporters() {
	sed -n 's/^class \([A-Za-z]*\)(.*/testdata\/cuda\/orders.py:\1()/p' "$ROOT/testdata/cuda/orders.py"
}

# orders FUNCTION KEY: of testdata/cuda/order_of.py, the counts that a trial reported, by protocol.
orders() {
	"$SUAI" validate --live --exit-zero --timeout 300 -f json "$ROOT/testdata/cuda/order_of.py:$1()" > "$BATS_TEST_TMPDIR/document"
	jq -e '.targets[0].status == "ok"' "$BATS_TEST_TMPDIR/document" > /dev/null || jq -c '.targets[0].error' "$BATS_TEST_TMPDIR/document"
	jq -c ".targets[0].trials | [.[] | select(.trial == \"order\") | {(.protocol): .counts.$2}] | add" "$BATS_TEST_TMPDIR/document"
}

@test "each ordering defect is found, and correct exporters are not accused" {
	requires cuda
	cd "$ROOT"
	mapfile -t targets < <(wrong_exporters)
	# Three rounds: those who block are held for long, and asked twice.
	SUAI_LIVE_ROUNDS=3 "$SUAI" validate --live --exit-zero --producer-stream py:work_stream -f json "${targets[@]}" > "$BATS_TEST_TMPDIR/document"
	run "$TEST_PYTHON" testdata/tools/check_orders.py "$BATS_TEST_TMPDIR/document" testdata/cuda/orders.py
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "CuPy on its own stream: each run of each test gives the same verdict" {
	requires cuda cupy
	run orders cupy_own order
	echo "$output"
	[ "${output//$SUAI_LIVE_ROUNDS/N}" = '{"cuda":{"read":{"ordered":N}},"dlpack":{"new":{"ordered":N},"None":{"ordered":N},"1":{"ordered":N},"2":{"ordered":N},"-1":{"returned":N}}}' ]
}

@test "CuPy on the default stream: each run of each test gives the same verdict" {
	requires cuda cupy
	run orders cupy_default order
	echo "$output"
	[ "${output//$SUAI_LIVE_ROUNDS/N}" = '{"cuda":{"read":{"ordered":N}},"dlpack":{"new":{"ordered":N},"None":{"same":N},"1":{"same":N},"2":{"same":N},"-1":{"returned":N}}}' ]
}

@test "control: CuPy with -1 instead of a handle is overtaken in every run" {
	requires cuda cupy
	code='import cupy
class Careless:
    def __init__(self):
        cupy.cuda.Stream(non_blocking=True).use()
        self.array = cupy.arange(4096, dtype="f4")
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
    def __dlpack__(self, *, stream=None, max_version=None, **rest):
        return self.array.__dlpack__(stream=-1, max_version=max_version)'
	"$SUAI" validate --live --exit-zero --only-step 'trial order of dlpack' -f json --timeout 300 \
		--producer-stream 'py:cupy.cuda.get_current_stream().ptr' -c "$code" 'Careless()' > "$BATS_TEST_TMPDIR/document"
	run jq -c '.targets[0] | [.trials[0].counts.order, [.findings[].rule]]' "$BATS_TEST_TMPDIR/document"
	echo "$output"
	[[ "${output//$SUAI_LIVE_ROUNDS/N}" == '[{"new":{"no order":N},"None":{"no order":N},"1":{"no order":N},"2":{"no order":N},"-1":{"returned":N}},'*'"DLP607","DLP608"'* ]]
}

@test "PyTorch on its own stream reports none in its attribute, and orders __dlpack__" {
	requires cuda torch
	run orders torch_own order
	echo "$output"
	[ "${output//$SUAI_LIVE_ROUNDS/N}" = '{"cuda":{"read":{"unnamed":N}},"dlpack":{"new":{"ordered":N},"None":{"ordered":N},"1":{"ordered":N},"2":{"refused":1},"-1":{"returned":N},"exchange":{"returned":N}}}' ]
	jq -e '[.targets[0].findings[] | select(.rule == "CAI606" or .rule == "DLP611") | [.rule, .severity]] | unique
		== [["CAI606", "note"], ["DLP611", "warning"]]' "$BATS_TEST_TMPDIR/document"
}

# early OBJECT: of testdata/cuda/order_of.py, by protocol, whether a consumer's stream that waited as the interface requires
# read elements that changed later; and whether the work was still running then.
early() {
	SUAI_LIVE_ROUNDS=1 "$SUAI" validate --live --exit-zero --timeout 120 -f json \
		"$ROOT/testdata/cuda/order_of.py:$1()" > "$BATS_TEST_TMPDIR/document"
	run jq -c '[.targets[0].trials[] | select(.trial == "settled") | {(.protocol): [.counts.changed_bytes > 0, .counts.busy_ms > 0]}] | add' \
		"$BATS_TEST_TMPDIR/document"
	echo "$1: $output"
}

@test "elements written later are read too early only by consumers without a stream: CuPy, PyTorch" {
	requires cuda cupy torch
	early cupy_late
	[ "$output" = '{"cuda":[false,true],"dlpack":[false,true]}' ]
	early torch_late
	[ "$output" = '{"cuda":[true,true],"dlpack":[false,true]}' ]
}

@test "elements written later are read too early only by consumers without a stream: JAX, Numba" {
	requires cuda cupy jax numba.cuda
	early jax_late
	[ "$output" = '{"cuda":[true,true],"dlpack":[false,true]}' ]
	early numba_late
	[ "$output" = '{"cuda":[false,true]}' ]
	early numba_late_default
	[ "$output" = '{"cuda":[true,true]}' ]
}

@test "Numba reports the stream of an array that was created on one" {
	requires cuda numba.cuda
	run orders numba_own order
	echo "$output"
	[ "${output//$SUAI_LIVE_ROUNDS/N}" = '{"cuda":{"read":{"ordered":N}}}' ]
}

@test "findings of --live for PyTorch, JAX and Numba are on the list" {
	requires cuda cupy torch jax numba.cuda
	cd "$ROOT/testdata/cuda"
	SUAI_LIVE_ROUNDS=3 "$SUAI" validate --live -f json -o "$BATS_TEST_TMPDIR/document" --exit-zero --timeout 120 \
		-p cuda -p dlpack 'order_of.py:torch_own()' 'order_of.py:jax_late()' 'order_of.py:numba_late_default()'
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_healthy.py" expected order_of.py "$BATS_TEST_TMPDIR/document"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "two GPUs: findings of --live for an array whose device is not current are on the list, and name the device" {
	requires cuda cuda2 cupy
	cd "$ROOT/testdata/cuda"
	SUAI_LIVE_ROUNDS=3 "$SUAI" validate --live -f json -o "$BATS_TEST_TMPDIR/document" --exit-zero -p dlpack second_device.py:cupy_array
	run "$TEST_PYTHON" "$ROOT/testdata/tools/check_healthy.py" expected second_device.py "$BATS_TEST_TMPDIR/document"
	echo "$output"
	[ "$status" -eq 0 ]
	jq -e '.targets[0].findings[] | select(.rule == "DLP608").message
		| contains("pending work on the legacy default stream of device 1, which __cuda_array_interface__ declares")' "$BATS_TEST_TMPDIR/document"
}

@test "whether reading breaks a capture depends neither on pending work nor on other threads" {
	requires cuda
	code='import sys, threading, time; sys.path.insert(0, "testdata/cuda"); import driver, orders
def poll():
    driver.make_current(driver.primary())
    while True:
        driver.cuda.cuCtxSynchronize()
        time.sleep(0.0005)
def threaded(object):
    threading.Thread(target=poll, daemon=True).start()
    return object'
	cd "$ROOT"
	SUAI_LIVE_ROUNDS=3 suai validate --live --exit-zero --producer-stream py:orders.work_stream -f json -c "$code" \
		'threaded(orders.Names())' 'threaded(orders.Orders())' 'orders.NamesAnotherThatWaits()'
	jq -c '.targets[] | [(.findings | map(.rule)), (.trials[] | select(.trial == "order").counts.capture)]' <<< "$output"
	jq -e '[.targets[] | [.findings[].rule | select(. == "CAI607" or . == "DLP609")]] == [[], [], ["CAI607"]]' <<< "$output"
}

@test "JAX with work pending: reading its attribute is not reported as blocking the host or breaking a capture, in five runs" {
	requires cuda jax
	local outcome
	for run in 1 2 3 4 5; do
		SUAI_LIVE_ROUNDS=1 suai validate --live --exit-zero --timeout 120 --only-step 'trial order of cuda' -f json "$ROOT/testdata/cuda/order_of.py:jax_late()"
		jq -c '.targets[0].trials' <<< "$output"
		outcome=$(jq -r '.targets[0].trials[] | select(.trial == "order" and .protocol == "cuda") | "\(.outcome) \(.error.message)"' <<< "$output")
		[[ "$outcome" != skipped* ]] || skip "the trial was $outcome"
		[[ "$outcome" == done* ]]
		jq -e '[.targets[0].findings[] | select(.rule == "CAI607")] == []' <<< "$output"
	done
}
