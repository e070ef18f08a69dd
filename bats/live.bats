#!/usr/bin/env bats
# --live: proofs of order on a device, each in its own worker. Those for CUDA are in cuda_live.bats.

load helpers

setup() {
	cd "$ROOT" || return 1
}

# settled TARGET...: the rules of order that it violates, and the observations of the trial.
settled() {
	"$SUAI" validate --live --exit-zero -f json "$@" | jq -c '.targets[0]
		| [(.findings[] | select(.rule == "SUAI602") | .rule), (.trials[] | select(.trial == "settled") | .outcome,
			(.counts | .changed_bytes > 0, .held, .blocked, (.held_changed_bytes | if . == null then null else . > 0 end)))]'
}

@test "SUAI602: elements that are still being written are reported, whichever component started the work" {
	requires sycl
	[ "$(settled testdata/live/queues.py:'StillBusy()')" = '["SUAI602","done",true,true,false,false]' ]
	for class in Hurries HurriesInOrder; do
		run settled "testdata/live/queues.py:$class()"
		echo "$class: $output"
		[[ "$output" == '["SUAI602","done",'*',true,false,true]' ]]
	done
}

@test "SUAI602: an exporter that waits in the property is blocked by the gate, and has no findings" {
	requires sycl
	for class in Waits WaitsForSlow; do
		echo "$class"
		[ "$(settled "testdata/live/queues.py:$class()")" = '["done",false,true,true,null]' ]
	done
	[ "$(settled testdata/live/queues.py:'Done()')" = '["done",false,true,false,false]' ]
}

@test "SUAI602: dpnp and dpctl cause no false positives" {
	requires sycl dpnp
	for expression in 'dpnp.arange(100000)' 'dpnp.ones((3, 4)).T + 1' 'dpnp.arange(9)[::-2]' 'dpctl.memory.MemoryUSMDevice(96)'; do
		run settled -c 'import dpnp, dpctl.memory' "$expression"
		echo "$expression: $output"
		[[ "$output" == '["done",false,true,'* ]]
	done
}

@test "SUAI602: untestable objects are skipped with the reason" {
	requires sycl dpnp
	code='import dpnp
class Array:
    def __init__(self, **changes):
        self.memory = dpnp.arange(4)
        self.__sycl_usm_array_interface__ = self.memory.__sycl_usm_array_interface__ | changes'
	suai validate --live --select SUAI602 -v -c "$code" 'Array(syclobj="cpu")' 'Array(shape=(0,))'
	[ "$status" -eq 0 ]
	[[ "$output" == *"syclobj does not identify a queue, so suai cannot wait for the work"*"the array has no elements"* ]]
}

@test "without --live no trial runs, and its rules state what they require" {
	requires sycl
	"$SUAI" validate -f json --exit-zero testdata/live/queues.py:'StillBusy()' | jq -e '.targets[0].trials == []'
	"$SUAI" validate --lifetime -f json --exit-zero testdata/live/queues.py:'Done()' |
		jq -e '[.targets[0].trials[].trial] == ["rounds", "owner"]'
	suai validate --select SUAI602 testdata/live/queues.py:'StillBusy()'
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"require --live"* ]]
}

@test "a trial of --live can be repeated by its step" {
	requires sycl
	"$SUAI" validate --all --exit-zero --only-step 'trial settled of sycl' -f json testdata/live/queues.py:'Done()' |
		jq -e '[.targets[0].trials[].trial] == ["settled"]'
}

@test "DLP614: a producer that crashes on stream=-2, or accepts it, gives a warning, and the run does not fail" {
	suai validate --live -f json -c 'import os, sys; sys.path.insert(0, "testdata/calls"); import spy
class Crashes(spy.Spy):
    def check_stream(self, stream, dl_device):
        if isinstance(stream, int) and stream < -1: os.abort()
        super().check_stream(stream, dl_device)
class Accepts(spy.Spy):
    streams = {spy.CUDA: (-2,), spy.ROCM: (-2,)}' \
		'Crashes(spy.CUDA)' 'Crashes(spy.ROCM)' 'Accepts(spy.CUDA)' 'Accepts(spy.ROCM)' 'spy.Spy(spy.CUDA)' 'spy.Spy(spy.ROCM)' 'Crashes(spy.CPU)'
	[ "$status" -eq 0 ]
	jq -e 'all(.targets[]; .status == "ok")' <<< "$output"
	jq -e '[.targets[] | [.findings[] | select(.rule == "DLP614") | .severity]]
		== [["warning"], ["warning"], ["warning"], ["warning"], [], [], []]' <<< "$output"
	jq -e '[.targets[] | .findings[] | select(.rule == "DLP614").message][0] == "__dlpack__(stream=-2) crashed the process: killed by SIGABRT"' <<< "$output"
	jq -e '.targets[6].trials | all(.trial != "odd-stream")' <<< "$output"
	suai validate --live --only-step 'trial odd-stream of dlpack' -q -c 'import sys; sys.path.insert(0, "testdata/calls"); import spy
class Accepts(spy.Spy):
    streams = {spy.CUDA: (-2,)}' 'Accepts(spy.CUDA)'
	[[ "$output" == *"warning DLP614 negative-stream: __dlpack__(stream=-2) returned although no stream has the number -2"* ]]
}

@test "DLP608 names the stream of the pending work if an interface of the object declares it" {
	sed 's/told_by: option/told_by: interface/' testdata/rules/DLP608/bad.yaml > "$BATS_TEST_TMPDIR/declared.yaml"
	suai validate --live -f json "$BATS_TEST_TMPDIR/declared.yaml"
	jq -e '[.targets[0].findings[].message] == ["the stream whose handle was passed to __dlpack__ does not wait for the object'"'"'s pending work on stream 0x5c0de0, which __cuda_array_interface__ declares (3 of 3 runs)"]' <<< "$output"
	suai validate --live -f json testdata/rules/DLP608/bad.yaml
	jq -e '[.targets[0].findings[].message] == ["the stream whose handle was passed to __dlpack__ does not wait for the object'"'"'s pending work (3 of 3 runs)"]' <<< "$output"
}
