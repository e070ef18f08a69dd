#!/usr/bin/env bats
# suai devices: the host, SYCL through dpctl, and missing runtimes.

load helpers

make_fake() {
	export PYTHONPATH="$BATS_FILE_TMPDIR/fake"
	[ ! -e "$PYTHONPATH" ] || return 0
	mkdir -p "$PYTHONPATH"
	cp -r "$ROOT/testdata/fakes/fake_dpctl" "$PYTHONPATH/dpctl"
	"${CC:-gcc}" -D_GNU_SOURCE -fPIC -shared -o "$PYTHONPATH/dpctl/libDPCTLSyclInterface.so" \
		"$ROOT/testdata/fakes/fake_sycl_interface.c"
}

@test "the host is listed with its cores and memory" {
	suai devices -f json
	[ "$status" -eq 0 ]
	jq -e --argjson cores "$(nproc)" '.devices[0] | .runtime == "host" and .cores >= $cores
		and .device == {type: "cpu", id: 0} and .memory_bytes > 1e8' <<<"$output"
	jq -e '.suai == 1 and .command == "devices" and .targets == []' <<<"$output"
}

@test "SYCL devices are those of dpctl" {
	requires sycl
	suai devices -f json
	[ "$status" -eq 0 ]
	run diff <(jq -S '[.devices[] | select(.runtime == "sycl") | {id: .device.id, type: .device.type, filter, name,
			driver_version, memory_bytes, fp16: (.aspects | contains(["fp16"])),
			fp64: (.aspects | contains(["fp64"]))}]' <<<"$output") \
		<("$TEST_PYTHON" -c 'import dpctl, json
print(json.dumps([dict(id=i, type="oneapi", filter=d.filter_string, name=d.name,
    driver_version=d.driver_version, memory_bytes=d.global_mem_size, fp16=d.has_aspect_fp16,
    fp64=d.has_aspect_fp64) for i, d in enumerate(dpctl.get_devices())]))' | jq -S .)
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "USM kinds are those that dpctl's allocators support" {
	requires sycl
	suai devices -f json
	[ "$(jq -c '[.devices[] | select(.runtime == "sycl")][0].usm_kinds' <<<"$output")" = '["device","shared","host"]' ]
	"$TEST_PYTHON" -c 'import dpctl.memory as m
m.MemoryUSMDevice(8); m.MemoryUSMShared(8); m.MemoryUSMHost(8)'
}

@test "text has a line for the host and one for each device, and YAML equals JSON" {
	requires sycl
	suai devices
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == host* ]]
	[[ "$output" == *"opencl:cpu:0"*"aspects "*fp64* ]]
	suai devices -f yaml
	yaml="$output"
	suai devices -f json
	"$TEST_PYTHON" -c 'import json, sys, yaml
assert yaml.safe_load(sys.argv[1]) == json.loads(sys.argv[2])' "$yaml" "$output"
}

@test "without dpctl one line reports this, and it is not a failure" {
	suai devices --python /usr/bin/python3
	[ "$status" -eq 0 ]
	[[ "$output" == *"sycl: unavailable (dpctl is not installed in /usr/bin/python3)"* ]]
	suai devices --python /usr/bin/python3 -f json
	jq -e '[.devices[] | select(.runtime == "sycl") | .status, .name] == ["unavailable", null]' <<<"$output"
}

@test "without an interpreter the host is still listed" {
	run --separate-stderr env -u SUAI_PYTHON PATH="$BATS_TEST_TMPDIR" "$SUAI" devices
	echo "$output $stderr"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == host* ]]
	[[ "$output" == *"sycl: unavailable ("* ]]
}

@test "OpenCL devices are listed without Python, with clinfo's numbers" {
	[ -e /etc/OpenCL/vendors/pocl.icd ] || skip "no PoCL (pocl-opencl-icd) on this machine"
	export OCL_ICD_VENDORS=/etc/OpenCL/vendors
	run --separate-stderr env -u SUAI_PYTHON PATH="$BATS_TEST_TMPDIR" "$SUAI" devices -f json
	[ "$status" -eq 0 ]
	devices=$output
	jq -e '[.devices[] | select(.runtime == "opencl" and .backend == "Portable Computing Language")][0] |
		.device == {type: "opencl", id: null} and .status == "ok" and (.usm_kinds | type) == "array" and .cores > 0' <<<"$devices"
	jq -e '.devices[] | select(.runtime == "sycl") | .reason | startswith("no Python found")' <<<"$devices"
	command -v clinfo >/dev/null || return 0
	diff <(jq -r '.devices[] | select(.runtime == "opencl") | .filter + " " + .name' <<<"$devices") \
		<(clinfo --raw | sed -n 's/^\[[^]]*\/\([0-9]*\)\].*CL_DEVICE_NAME  *\(.*\)$/opencl:0.\1 \2/p')
}

@test "all devices of an OpenCL platform are listed and can be opened, however many there are" {
	requires numpy
	[ -e /etc/OpenCL/vendors/pocl.icd ] || skip "no PoCL (pocl-opencl-icd) on this machine"
	export OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd POCL_DEVICES
	POCL_DEVICES=$(yes basic | head -n 70 | tr '\n' ' ')
	suai devices -f json
	[ "$status" -eq 0 ]
	[ "$(jq '[.devices[] | select(.runtime == "opencl")] | length' <<<"$output")" -eq 70 ]
	suai convert "$ROOT/testdata/convert/arrays.py:c_order" --to dlpack --device opencl:0.69 -f json
	[ "$status" -eq 0 ]
	jq -e '.targets[0].interfaces[0].array.device | .type == "opencl" and .id == 69' <<<"$output"
	suai convert "$ROOT/testdata/convert/arrays.py:c_order" --to dlpack --device opencl:0.70
	[ "$status" -eq 4 ]
	[[ "$output$stderr" == *"no OpenCL device 0.70; 'suai devices' lists the available devices"* ]]
}

@test "Intel's OpenCL is listed with the kinds of USM that it supports" {
	requires sycl
	suai devices -f json
	jq -e '[.devices[] | select(.runtime == "opencl" and (.backend | startswith("Intel")))][0] |
		.usm_kinds == ["device", "shared", "host"] and (.aspects | index("fp64"))' <<<"$output"
}

# limit_of HOW: a second if it hangs; what ends by itself has a minute, which suffices on a busy machine.
limit_of() {
	[ "$1" = hang ] && echo 1 || echo 60
}

@test "fake: a driver that crashes, exits, hangs or is missing costs its runtime one line" {
	for how in die leave succeed hang; do
		rm -rf "$BATS_TEST_TMPDIR/$how"
		mkdir "$BATS_TEST_TMPDIR/$how"
		"${CC:-gcc}" -fPIC -shared -DFAKE_$how -o "$BATS_TEST_TMPDIR/$how/libOpenCL.so.1" \
			"$ROOT/testdata/fakes/fake_opencl_loader.c"
		run --separate-stderr env -u SUAI_PYTHON PATH="$BATS_TEST_TMPDIR" \
			LD_LIBRARY_PATH="$BATS_TEST_TMPDIR/$how" "$SUAI" devices --timeout "$(limit_of "$how")"
		echo "$output"
		[ "$status" -eq 0 ]
		[[ "${lines[0]}" == host* ]]
		case $how in
		die) [[ "$output" == *"opencl: unavailable (the process that queried opencl was killed by SIGABRT)"* ]] ;;
		leave) [[ "$output" == *"opencl: unavailable (the process that queried opencl exited with status 3)"* ]] ;;
		succeed) [[ "$output" == *"opencl: unavailable (the process that queried opencl exited with status 0)"* ]] ;;
		hang) [[ "$output" == *"opencl: unavailable (querying opencl exceeded --timeout"* ]] ;;
		esac
	done
}

@test "a nonexistent --python file, and a target, are usage errors" {
	suai devices --python /nonexistent/python
	[ "$status" -eq 2 ]
	suai devices arrays.py
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"devices: unexpected argument '"* ]]
}

@test "fake: a GPU device, and a library that finds none" {
	make_fake
	FAKE_SYCL_GPU=1 suai devices -f json
	[ "$status" -eq 0 ]
	jq -e '.devices[1] | .filter == "opencl:gpu:0" and .name == "fake SYCL device" and .aspects == ["fp64"]' <<<"$output"
	FAKE_SYCL_NULL=DeviceMgr_GetDevices suai devices
	[ "$status" -eq 0 ]
	[[ "$output" == *"sycl: unavailable (no device found)"* ]]
}

@test "fake: a dpctl that raises, crashes, exits or hangs on import costs one line" {
	make_fake
	FAKE_DPCTL_IMPORT=raise suai devices
	[ "$status" -eq 0 ]
	[[ "$output" == *"sycl: unavailable (importing dpctl raised OSError: fake dpctl: scripted failure)"* ]]
	while read -r how reason; do
		FAKE_DPCTL_IMPORT=$how suai devices --timeout "$(limit_of "$how")"
		[ "$status" -eq 0 ]
		[[ "${lines[0]}" == host* ]]
		[[ "$output" == *"sycl: unavailable ($reason)"* ]]
	done <<-'END'
		die at step 'import dpctl' the worker was killed by SIGSEGV
		leave at step 'import dpctl' the worker exited with status 0
		hang step 'import dpctl' did not return within 1 s; --timeout sets the limit
	END
}

@test "-o writes the result to a file" {
	suai devices -f json -o "$BATS_TEST_TMPDIR/devices.json"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	jq -e '.devices[0].runtime == "host"' "$BATS_TEST_TMPDIR/devices.json"
	suai devices -o /nonexistent/devices.json
	[ "$status" -eq 2 ]
}

@test "ROCm is described but not supported: one line in the list, and no conversion to it" {
	suai devices
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = "rocm: described but not queried" ]
	suai devices -f json
	jq -e '.devices[-1] | .runtime == "rocm" and .status == "described" and .reason == "described but not queried"
		and .device == {type: "rocm", id: null} and .name == null' <<<"$output"
	for to in '--to dlpack' '--to cuda' '--to numpy' "-o $BATS_TEST_TMPDIR/a.npy"; do
		# shellcheck disable=SC2086 # an option and its value
		suai convert $to --device rocm:0 -c 'a = bytearray(8)' a
		[ "$status" -eq 4 ]
		[[ "$stderr" == "suai: --device: 'rocm:0': suai cannot create arrays of the rocm runtime" ]]
	done
	[ ! -e "$BATS_TEST_TMPDIR/a.npy" ]
	suai convert --to dlpack --device rocm:x -c 'a = bytearray(8)' a
	[ "$status" -eq 2 ]
}

# options_of COMMAND: the options in its help, each with the name of its value.
options_of() {
	"$SUAI" help "$1" | sed -n '/^options:/,/^$/s/^  \(-.,\|   \) \(--[a-z-]* *[A-Z]*\).*/\2/p' | tr -s ' '
}

@test "devices accepts each option that its help lists, and no other option of inspect" {
	declare -A value=([FORMAT]=json [KEYS]=name [FILE]=empty.yaml [WHEN]=never [EXE]=$TEST_PYTHON [SEC]=30 [CMD]=env
		[HOW]=exec)
	n_taken=0
	n_refused=0
	cd "$BATS_TEST_TMPDIR"
	while read -r option argument; do
		[ -z "$argument" ] || [ -n "${value[$argument]}" ]
		: > empty.yaml
		suai devices "$option" ${argument:+"${value[$argument]}"}
		[ "$status" -eq 0 ]
		n_taken=$((n_taken + 1))
	done < <(options_of devices)
	while read -r option _; do
		suai devices "$option=1"
		[ "$status" -eq 2 ]
		[[ $stderr == "suai: devices: unknown option '$option'"* ]]
		n_refused=$((n_refused + 1))
	done < <(grep -vxFf <(options_of devices) <(options_of inspect))
	[ "$n_taken" -ge 12 ]
	[ "$n_refused" -ge 4 ]
}

@test "devices ignores options of targets in SUAI_OPTS and suai.yaml" {
	cd "$BATS_TEST_TMPDIR"
	echo 'jobs: 3' > suai.yaml
	SUAI_OPTS='-p cuda --jobs 2 -f json' suai devices
	[ "$status" -eq 0 ]
	jq -e '.command == "devices"' <<< "$output"
	suai inspect --show-settings
	[[ $output == *"jobs: 3 "*"suai.yaml:1"* ]]
	echo 'jobs: many' > suai.yaml
	suai devices
	[ "$status" -eq 2 ]
	[[ $stderr == *"suai.yaml:1:"*"jobs"* ]]
}
