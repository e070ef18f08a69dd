#!/usr/bin/env bats
# suai validate: findings, severities, selection, exit codes, dumps, healthy libraries.

load helpers

setup() {
	cd "$ROOT/testdata/validate" || return 1
}

# The findings only, "RULE severity", one per line.
findings() {
	"$TEST_PYTHON" -c '
import json, sys
for target in json.load(sys.stdin)["targets"]:
    for finding in target["findings"]:
        print(target["target"], finding["rule"], finding["severity"])
' <<< "$output"
}

@test "the typestr of an element type that another package adds to NumPy has a fix that can be followed" {
	sed "s/typestr: .*/typestr: \"QuadPrecDType(backend='sleef')\"/" "$ROOT/testdata/rules/NAI201/bad.yaml" >quad.yaml
	suai validate --select NAI201 quad.yaml
	[ "$status" -eq 1 ]
	[[ "$(tr -s ' \n' ' ' <<<"$output")" == *"= help: NumPy has no typestr for element types of other packages: "*"x.astype('f8')"* ]]
	suai validate --select NAI201 "$ROOT/testdata/rules/NAI201/bad.yaml"
	[[ "$output" != *"of other packages"* ]]
}

@test "an array of StringDType is one error, whose fix can be followed" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	printf 'import numpy\nif hasattr(numpy.dtypes, "StringDType"):\n    s = numpy.array(["a"], numpy.dtypes.StringDType())\n' > strings.py
	suai inspect -q strings.py:s || skip "NumPy has no StringDType"
	suai validate -f json strings.py:s
	[ "$(jq -c '[.targets[].findings[] | select(.severity == "error") | .rule]' <<< "$output")" = '["NAI201"]' ]
	suai validate strings.py:s
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"= help: convert the strings to the length of the longest: x.astype(f'U{numpy.strings.str_len(x).max(initial=1)}')"* ]]
	suai validate -q --select NAI201,NAI203 strings.py:"s.astype(f'U{numpy.strings.str_len(s).max(initial=1)}')"
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2016 # Python
	suai inspect --query dtype strings.py:'(lambda x: x.astype(f"U{numpy.strings.str_len(x).max(initial=1)}"))(numpy.array(["a" * 50], s.dtype))'
	[ "$output" = str50 ]
}

@test "all findings come in one run, one per cause, each with its field and its fix" {
	suai validate defects.yaml
	[ "$status" -eq 1 ]
	[ "$(grep -oE '(SUAI|XPR)[0-9]+ ' <<< "$output" | tr -d '\n')" = "SUAI103 SUAI110 SUAI113 SUAI108 SUAI205 SUAI307 " ]
	[ "${lines[0]}" = "arrays.py:a: 3 errors, 2 warnings in sycl" ]
	grep -qx '  error SUAI103 shape-integers: shape\[1\] is 3.5 (float), not an int' <<< "$output"
	grep -q 'help: use shape=tuple(int(extent) for extent in shape)' <<< "$output"
	suai validate -v defects.yaml
	grep -q 'see: dpctl __sycl_usm_array_interface__, version 1, shape' <<< "$output"
	suai validate defects.yaml
	[[ "${lines[-1]}" == "3 errors, 2 warnings, 1 note; 1 of 2 targets failed; "*" rules skipped (-v shows why)" ]]
}

# bats test_tags=judge
@test "a rule whose requirement failed is skipped, and names it" {
	suai validate -v --select SUAI308 defects.yaml
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "arrays.py:a: skipped SUAI308: requires SUAI108, which failed" ]
}

# bats test_tags=judge
@test "--no-skips fails a target if a rule had to be skipped, and reports which and why" {
	suai validate -q --select SUAI308 defects.yaml
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	suai validate -q --select SUAI308 --no-skips defects.yaml
	[ "$status" -eq 1 ]
	[ "$output" = "arrays.py:a: error skipped SUAI308: requires SUAI108, which failed" ]
	suai validate --select SUAI308 --no-skips defects.yaml
	[ "${lines[-1]}" = "no findings in 1 target; 1 of 2 targets failed; 1 rule skipped, which --no-skips forbids" ]
	suai validate -f json --select SUAI308 --no-skips defects.yaml
	[ "$status" -eq 1 ]
	[[ "$output" == *'"skipped": [{"rule": "SUAI308", "reason": "requires SUAI108, which failed"}]'* ]]
	[[ "$output" == *'"failed_targets": 1'* ]]
	suai validate --statistics --select SUAI308 --no-skips defects.yaml
	[ "$status" -eq 1 ]
	[ "$stderr" = "suai: arrays.py:a: skipped SUAI308: requires SUAI108, which failed" ]
	suai validate -q --exit-zero --select SUAI308 --no-skips defects.yaml
	[ "$status" -eq 0 ]
	suai validate -q --select SUAI101 --no-skips defects.yaml
	[ "$status" -eq 0 ]
}

# bats test_tags=judge
@test "--spec checks against an edition, whatever the object declares" {
	old='targets: [{target: old, type: m.A, interfaces: [{protocol: cuda, declared: {version: 2, shape: [1],
		typestr: "<f4", data: [4096, false], stream: 1, mask: 3}}]}]'
	judge() { run --separate-stderr "$SUAI" validate -f json --select CAI112,CAI115 "$@" - <<< "$old"; }
	judge
	[ "$(findings | cut -d ' ' -f 2 | tr '\n' ' ')" = "CAI112 CAI115 " ]
	judge --spec cai=0
	[ "$(findings | cut -d ' ' -f 2 | tr '\n' ' ')" = "CAI115 " ]
	judge --spec dlpack=1.1,array-api=2023.12 --spec cai=1
	[ "$(findings | cut -d ' ' -f 2 | tr '\n' ' ')" = "CAI112 CAI115 " ]
}

@test "--spec accepts the editions of all six specifications in one argument, and each applies" {
	lies="$ROOT/testdata/validate/dlpack_lies.py"
	suai validate -q --spec sycl=1,cai=3,dlpack=1.3,array-api=2025.12,numpy=3,pep3118=3 "$lies:strides_missing" "$lies:legacy_alone"
	[ "$(grep -oE 'DLP[0-9]+' <<< "$output" | tr '\n' ' ')" = "DLP303 DLP104 " ]
	suai validate -q --spec dlpack=1.1,array-api=2022.12 "$lies:strides_missing" "$lies:legacy_alone"
	[ "$(grep -oE 'DLP[0-9]+' <<< "$output" | tr '\n' ' ')" = "DLP304 " ]
}

@test "every finding names document, version and section" {
	suai validate -f json -p numpy -p numpy-struct -p buffer -p dlpack host_lies.py dlpack_lies.py masks.py
	[ "$(jq '[.targets[].findings[]] | length' <<< "$output")" -gt 90 ]
	[ -z "$(jq -r '.targets[].findings[].clause' <<< "$output" | grep -vE '^(derived from )?[^,;()]+, version [^ ,;()]+, [^,;()]+')" ]
}

# bats test_tags=judge
@test "--spec refuses unknown keys and editions, and lists the known ones" {
	for spec in cuda=1 1.3 =; do
		suai validate --spec "$spec" defects.yaml
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: '$spec': unknown key; expected KEY=EDITION, such as cai=2; the keys are array-api, sycl, cai, dlpack, numpy and pep3118" ]
	done
	for spec in cai cai=4 cai=02 cai=new; do
		suai validate --spec sycl=1,$spec defects.yaml
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: '$spec': unknown edition; the editions of cai are 0, 1, 2 and 3" ]
	done
	suai validate --spec array-api=2023 defects.yaml
	[ "$stderr" = "suai: 'array-api=2023': unknown edition; the editions of array-api are 2021.12, 2022.12, 2023.12, 2024.12 and 2025.12" ]
	suai docs man validate
	for edition in sycl cai dlpack array-api numpy pep3118 2021.12 1.3; do
		[[ "$output" == *"$edition"* ]]
	done
}

# bats test_tags=judge
@test "--severity determines what is shown and what fails" {
	suai validate -q -S error defects.yaml
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 3 ]
	suai validate -q -S warning --select SUAI108 defects.yaml
	[ "$status" -eq 1 ]
	suai validate -q -S error --select SUAI108 defects.yaml
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	suai validate -q -S note --select SUAI307 defects.yaml
	[ "$status" -eq 1 ]
	suai validate -q --select SUAI307,SUAI108 defects.yaml
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 2 ]
	suai validate --severity fatal defects.yaml
	[ "$status" -eq 2 ]
}

# bats test_tags=judge
@test "--strict treats recommendations and consumers' requirements as errors" {
	suai validate -q ../rules/SUAI204/bad.yaml
	[ "$status" -eq 0 ]
	[[ "$output" == *": warning SUAI204 "* ]]
	suai validate -q --strict ../rules/SUAI204/bad.yaml
	[ "$status" -eq 1 ]
	[[ "$output" == *": error SUAI204 "* ]]
	suai validate -q --strict ../rules/SUAI205/bad.yaml
	[[ "$output" == *": warning SUAI205 "* ]]
}

# bats test_tags=judge
@test "--select, --extend-select and --ignore accept ids and prefixes; the longest applies" {
	suai validate -f json --select suai1 defects.yaml
	[ "$(findings | cut -d ' ' -f 2 | tr '\n' ' ')" = "SUAI103 SUAI108 SUAI110 SUAI113 " ]
	suai validate -f json --select SUAI1 --ignore SUAI11,SUAI-108 defects.yaml
	[ "$(findings | cut -d ' ' -f 2 | tr '\n' ' ')" = "SUAI103 " ]
	suai validate -f json --ignore SUAI --select SUAI113 defects.yaml
	[ "$(findings | cut -d ' ' -f 2 | tr '\n' ' ')" = "SUAI113 " ]
	suai validate -f json --select SUAI3 --extend-select SUAI113 --extend-select SUAI205 defects.yaml
	[ "$(findings | cut -d ' ' -f 2 | tr '\n' ' ')" = "SUAI113 SUAI205 SUAI307 " ]
	suai validate --select SUAI1O3 defects.yaml
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: unknown rule 'SUAI1O3' (did you mean 'SUAI103'?)" ]
	suai validate --select SUAI1,DLP --ignore SUAI,DLP,SUAI1 defects.yaml
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: no rules are selected: 'SUAI1' is both selected and ignored" ]
	suai validate --ignore banana defects.yaml
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: unknown rule 'banana'; run 'suai rule' to list all rules" ]
}

# bats test_tags=judge
@test "--exit-zero reports findings without failing, but does not hide a missing target" {
	suai validate -q --exit-zero defects.yaml
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 6 ]
	suai validate -q --exit-zero defects.yaml missing.yaml
	[ "$status" -eq 2 ]
}

# bats test_tags=judge
@test "--statistics counts each rule instead" {
	suai validate --statistics defects.yaml defects.yaml ../rules/SUAI102/bad.yaml
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "      2  SUAI103  error    shape-integers" ]
	[ "${lines[-1]}" = "      1  SUAI102  error    shape-tuple" ]
	[ "${#lines[@]}" -eq 7 ]
	suai validate --statistics -f json defects.yaml
	[[ "$output" == *'"statistics": [{"rule": "SUAI103", "name": "shape-integers", "severity": "error", "count": 1}'* ]]
	[[ "$output" == *'"summary": {"targets": 2, "failed_targets": 1, "errors": 3, "warnings": 2, "notes": 1,'* ]]
}

# bats test_tags=judge
@test "a dump is checked from a file and from standard input, without Python" {
	SUAI_PYTHON=/nonexistent suai validate -q defects.yaml
	[ "$status" -eq 1 ]
	dump=$output
	SUAI_PYTHON=/nonexistent run --separate-stderr "$SUAI" validate -q - < defects.yaml
	[ "$status" -eq 1 ]
	[ "$output" = "$dump" ]
}

# What each process decodes of the target, in order: "as declared" and, of a broken interface, corrected forms.
described() {
	SUAI_DEBUG=describe "$SUAI" validate --select SUAI -f json "$1" 2>&1 >/dev/null |
		sed -n 's/^suai\[\([0-9]*\)\] describe: sycl /\1 /p' |
		awk '{ pid = $1; sub(/[^ ]* /, ""); forms[pid] = forms[pid] "; " $0 } END { for (pid in forms) print substr(forms[pid], 3) }'
}

@test "worker and judge each decode an interface once, and again for each correction of a broken one" {
	both() {
		printf '%s\n' "$1" "$1"
	}
	diff <(both "as declared") <(described described.py:legal)
	diff <(both "as declared; repaired") <(described described.py:listed)
	diff <(both "as declared; repaired; without offset") <(described described.py:far)
	diff <(both "as declared; repaired; without type") <(described described.py:untyped)
}

@test "interfaces that raise are findings, those that refuse are not, and the others are checked" {
	suai validate -f json mixed.py:raises
	[ "$status" -eq 1 ]
	[ "$(findings | grep -v note | sort | tr '\n' ' ')" = "$(printf 'mixed.py:raises %s error ' CAI001 NAI002 SUAI102 SUAI402)" ]
	[[ "$output" == *'"message": "reading __array_interface__ raised RuntimeError: no host memory"'* ]]
}

@test "__dlpack__ whose attribute cannot be read is one finding, as is __dlpack_device__" {
	for case in Every=DLP007:'reading __dlpack__ raised ValueError: no key __dlpack__' \
		Export=DLP007:"reading __dlpack__ raised KeyError: 'export'" \
		Device=DLP002:'reading __dlpack_device__ raised ValueError: no device' Refuses=; do
		suai validate -f json -S error -p dlpack -c 'from attributes import *' "${case%%=*}()"
		[ "$(jq -r '.targets[].findings[] | "\(.rule):\(.message)"' <<< "$output")" = "${case#*=}" ] ||
			{ echo "$case: $output"; return 1; }
	done
}

@test "an object that exposes nothing, and a module of such objects, fail" {
	suai validate -q mixed.py:nothing
	[ "$status" -eq 1 ]
	[ "$output" = "mixed.py:nothing: error XPR002 no-interface: the object, of type mixed.Nothing, exposes none of the interfaces (sycl, cuda, dlpack, numpy, numpy-struct, buffer)" ]
	suai validate -q -c 'class Array: pass' Array
	[ "$output" = "Array: error XPR002 no-interface: the object is a class, not an instance of one, and exposes none of the interfaces (sycl, cuda, dlpack, numpy, numpy-struct, buffer)" ]
	suai validate -q -p numpy -c 'import array; a = array.array("d", [1])' a
	[ "$status" -eq 1 ]
	echo 'x = 1' > "$BATS_TEST_TMPDIR/empty.py"
	suai validate -q "$BATS_TEST_TMPDIR/empty.py"
	[ "$status" -eq 1 ]
	[[ "$output" == *": error XPR002 no-interface: no object of the module exposes an interface (sycl, cuda, dlpack, numpy, numpy-struct)" ]]
	printf 'import array\na = array.array("d", [1])\nb = bytearray(8)\n_c = b"no target"\n' > "$BATS_TEST_TMPDIR/buffers.py"
	suai validate -q "$BATS_TEST_TMPDIR/buffers.py"
	[[ "$output" == *"no object of the module exposes an interface (sycl, cuda, dlpack, numpy, numpy-struct); 2 expose only a buffer, which -p buffer checks" ]]
	suai validate -q -p buffer "$BATS_TEST_TMPDIR/buffers.py"
	[ "$status" -eq 0 ]
}

@test "exit status 0: done, no failing findings" {
	suai validate -c 'import array; a = array.array("d", [1, 2, 3])' a
	[ "$status" -eq 0 ]
	[ "$output" = "no findings in 1 target" ]
}

@test "exit status 2: no such name, file or rule; the rest still runs" {
	suai validate -q mixed.py:raisse mixed.py:nothing
	[ "$status" -eq 2 ]
	[[ "$output" == *"did you mean 'raises'?"* && "$output" == *XPR002* ]]
}

@test "exit status 3: the target's code raised or exited, and the rest still runs" {
	suai validate -q mixed.py:leaves mixed.py:nothing
	[ "$status" -eq 3 ]
	[[ "${lines[0]}" == "mixed.py:leaves: left at __array_interface__: "* ]]
	[[ "${lines[1]}" == "mixed.py:nothing: error XPR002 "* ]]
	suai validate -q -c 'raise RuntimeError("no")' a
	[ "$status" -eq 3 ]
}

# bats test_tags=judge
@test "exit status 4: no interpreter" {
	run --separate-stderr env -i PATH=/nonexistent "$SUAI" validate mixed.py
	echo "$stderr"
	[ "$status" -eq 4 ]
}

@test "for disagreeing interfaces the finding lists the value of each, once per cause" {
	requires numpy
	suai validate -q -S warning --ignore DLP401 disagreeing.py
	[ "$status" -eq 1 ]
	diff <(sed -E 's/^disagreeing\.py://; s/0x[0-9a-f]+/0x/g' <<< "$output") - << 'END'
moved: error NAI901 agreement: the first element is at 0x in __array_interface__ but 0x in __dlpack__
moved: error NAI901 agreement: the strides are (32, 8) bytes in __array_interface__ but (-32, 8) bytes in __dlpack__
copied: error NAI901 agreement: the first element is at 0x in __array_interface__ but 0x in __dlpack__
cast: error NAI901 agreement: the element type is float64 in __array_interface__ but int64 in __dlpack__
transposed: error NAI901 agreement: the shape is (3, 4) in __array_interface__ but (4, 3) in __dlpack__
opened: error XPR801 same-access: the array is writable in __dlpack__ but read-only in __array_interface__
END
}

@test "a rule subsumed by one that is not selected is skipped, not passed" {
	requires sycl
	code='import dpctl.memory; a = dpctl.memory.MemoryUSMShared(64)'
	suai validate -v --select XPR801 -c "$code" a
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "a: skipped XPR801: reported by SUAI109, which failed but is not selected" ]
	suai validate -v --select XPR801,SUAI109 -c "$code" a
	[[ "$output" == *" SUAI109 "* && "$output" != *XPR801* ]]
}

# The findings of the rules listed here are in testdata/healthy/expected.
@test "healthy NumPy, dpnp and dpctl objects have no other finding above a note" {
	requires numpy sycl dpnp
	suai validate -S warning --ignore DLP401,DLP813 healthy.py
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings in 25 targets"* ]]
	suai validate -f json healthy.py
	[ "$(findings | grep -c 'memory SUAI109 note')" -eq 3 ]
	[ "$(findings | grep -c 'SUAI601 note')" -eq "$(findings | grep -c 'memory SUAI601 note')" ]
	[ "$(findings | grep -c ':empty DLP401 note')" -eq 1 ] # NumPy's are known
	[ "$(findings | grep -v ' note$' | sort | tr '\n' ' ')" = "$(printf 'healthy.py:%s ' \
		'usm_empty DLP401 warning' 'usm_scalar DLP813 error')" ]
}

@test "--static queries no driver and has the same findings for dictionaries" {
	requires sycl dpnp
	suai validate -f json healthy.py
	dynamic=$(findings | grep -vE 'SUAI601|DLP403') # queries the queue; alignment varies
	suai validate --static -f json healthy.py
	[ "$(findings | grep -v DLP403)" = "$dynamic" ]
	[[ "$output" != *usm-shared* ]]
}

@test "a filter string that selects no available device is found, unless --static is given" {
	requires sycl
	code='class A: pass
a = A()
a.__sycl_usm_array_interface__ = {"shape": (0,), "typestr": "<f4", "data": (0, False), "version": 1,
    "syclobj": "accelerator:7"}'
	suai validate -q -c "$code" a
	[ "$status" -eq 1 ]
	[ "$output" = "a: error SUAI502 filter-string: no available SYCL device matches 'accelerator:7'" ]
	suai validate -q --static -c "$code" a
	[ "$status" -eq 0 ]
}

@test "each form of a real syclobj passes, and each invalid one is found by its own rule" {
	requires sycl
	suai validate -q -S warning syclobj.py
	[ "$status" -eq 1 ]
	diff <(sed -E 's/^syclobj\.py:([^ ]*): ([a-z]*) ([A-Z0-9]*) .*/\1 \2 \3/' <<< "$output") - << 'EOF'
wrong_form error SUAI501
wrong_look_alike error SUAI501
wrong_filter error SUAI502
wrong_name error SUAI504
wrong_nameless error SUAI504
wrong_used error SUAI505
wrong_used_context error SUAI505
wrong_subclass warning SUAI508
wrong_context error SUAI402
wrong_get_capsule error SUAI507
wrong_get_capsule_rubbish error SUAI507
wrong_get_capsule_name error SUAI507
EOF
}

@test "a mask's interface is read, and must broadcast to the array" {
	suai validate -q -p numpy "$ROOT/testdata/validate/masks.py"
	[ "$status" -eq 1 ]
	diff <(sed 's/^[^ ]*masks.py://' <<< "$output") - << 'END'
too_long: error NAI107 mask-array: the shape of mask does not broadcast to the shape of the array
too_many_dimensions: error NAI107 mask-array: the shape of mask does not broadcast to the shape of the array
list_of_bools: error NAI107 mask-array: mask is a list of length 3, which has no __array_interface__
number: error NAI107 mask-array: mask is 7, which has no __array_interface__
looks_like_facts: error NAI107 mask-array: mask is <dict>, which has no __array_interface__
nothing: error NAI107 mask-array: mask is <object>, which has no __array_interface__
END
	[ "$("$SUAI" inspect -f json "$ROOT/testdata/validate/masks.py" | jq '.targets | length')" -eq 13 ]
	suai inspect -p numpy -f yaml "$ROOT/testdata/validate/masks.py:too_long"
	printf '%s\n' "$output" > "$BATS_TEST_TMPDIR/dump.yaml"
	suai inspect "$BATS_TEST_TMPDIR/dump.yaml"
	[[ "$output" == *"'mask': masks._Exporter({'shape': (4,), 'typestr': '|b1', 'data': (0x"* ]]
}

@test "a .npy file that is truncated, empty or has a false size is an error" {
	python='import array; a = array.array("d", range(9))'
	"$SUAI" convert -c "$python" a -o "$BATS_TEST_TMPDIR/whole.npy"
	suai validate "$BATS_TEST_TMPDIR/whole.npy"
	[ "$status" -eq 0 ]
	while read -r n_bytes rule; do
		head -c "$n_bytes" "$BATS_TEST_TMPDIR/whole.npy" > "$BATS_TEST_TMPDIR/cut.npy"
		suai validate -q "$BATS_TEST_TMPDIR/cut.npy"
		[ "$status" -eq 1 ]
		[[ "$output" == *": error $rule "* ]]
	done << 'EOF'
0 NPY001
9 NPY001
60 NPY001
199 NPY101
EOF
}

@test "excessive sizes are reported as such, and an invalid address is one finding" {
	cat > "$BATS_TEST_TMPDIR/much.py" << 'EOF'
import array

base = array.array("f", range(12))
said = {"shape": (12,), "typestr": "<f4", "data": (base.buffer_info()[0], False), "version": 3}


def exporter(**changed):
    return type("Exporter", (), {"__array_interface__": {**said, **changed}})()


healthy = exporter()
deep = exporter(shape=(1,) * 100000)
digits = exporter(shape=(10**5000,))
keys = exporter(**{f"key{i}": i for i in range(20000)})
fields = exporter(typestr="|V60000", shape=(), descr=[(f"f{i}", "|u1") for i in range(60000)])
first = type("Exporter", (), {"__array_interface__": {"descr": [(f"f{i}", "|u1") for i in range(34000)], **said, "typestr": "|V34000", "shape": (0,)}})()
zero = exporter(typestr="<f4\0x")
beyond = exporter(data=(2**64 + 5, False))
def nested(levels):
    descr = "|u1"
    for _ in range(levels):
        descr = [("a", descr)]
    return exporter(typestr="|V1", descr=descr)
negative = exporter(data=(-1, False))
EOF
	suai validate -q "$BATS_TEST_TMPDIR/much.py"
	[ "$status" -eq 1 ]
	diff <(sed 's/^[^ ]*much.py://' <<< "$output") - << 'EOF'
deep: error NAI102 shape-tuple: shape is <tuple: more than 100000 items (limit of suai)>
digits: error NAI102 shape-tuple: shape[0] is <int: an integer of thousands of digits>
zero: error NAI201 typestr-type: typestr '<f4\0...' contains a null character
beyond: error NAI104 data-area: data[0] is 18446744073709551621, which is not a 64-bit address
negative: error NAI104 data-area: data[0] is -1, which is not a 64-bit address
EOF
	suai convert --to dlpack -q "$BATS_TEST_TMPDIR/much.py:digits"
	[ "$status" -eq 3 ]
	[[ "$output" == *'much.py:digits: cannot be converted: numpy: cannot read shape[0]: <int: an integer of thousands of digits>' ]]
	suai validate --static -f json "$BATS_TEST_TMPDIR/much.py:fields" # legal, and read by NumPy
	[ "$status" -eq 0 ]
	jq -e '.targets[0] | .findings == [] and any(.skipped[]; .rule == "NAI106" and (.reason | test("suai'"'"'s limits")))' <<< "$output"
	suai validate --static --no-skips -q "$BATS_TEST_TMPDIR/much.py:keys"
	[ "$status" -eq 1 ]
	[[ "$output" == *'keys: error skipped NAI001: __array_interface__ is <dict: more than 4096 keys (limit of suai)>'* && "$output" != *'error NAI'* ]]
	# NumPy reads as many levels as Python's recursion limit permits.
	suai validate --static --no-skips -q "$BATS_TEST_TMPDIR/much.py:nested(20)" "$BATS_TEST_TMPDIR/much.py:nested(2000)"
	[ "$status" -eq 1 ]
	[[ "$output" != *'nested(20)'* && "$output" == *'nested(2000): error skipped NAI106: descr exceeds suai'"'"'s limits on size and nesting; lists and tuples are read up to 64 levels deep' ]]
}

@test "nd above 64 is one finding, and nothing behind the extents is read" {
	cat > "$BATS_TEST_TMPDIR/nd.py" << 'EOF'
import ctypes

new = ctypes.pythonapi.PyCapsule_New
new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Interface(ctypes.Structure):
    _fields_ = [("two", ctypes.c_int), ("nd", ctypes.c_int), ("typekind", ctypes.c_char), ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_int)] + [(name, ctypes.c_void_p) for name in ("shape", "strides", "data", "descr")]


extents, elements = (ctypes.c_ssize_t * 80)(2, 3, *[-5] * 78), (ctypes.c_float * 6)()
interface = Interface(2, 65, b"f", 4, 0x701, ctypes.addressof(extents), ctypes.addressof(extents), ctypes.addressof(elements))


class Array:
    __array_struct__ = property(lambda self: new(ctypes.addressof(interface), None, None))


array = Array()
EOF
	suai validate -f json "$BATS_TEST_TMPDIR/nd.py"
	[ "$status" -eq 1 ]
	jq -e '.targets[0] | [.findings[] | select(.severity != "note").message] == ["nd is 65, expected 0 to 64"]
		and .interfaces[0].declared.shape == "<not read: more than 64 dimensions>"' <<< "$output"
}

@test "a deleted array of JAX has no findings: its refusal is right" {
	requires jax
	suai validate --calls -f json -c 'import jax.numpy as jnp
x = jnp.arange(6.)
x.delete()' x
	[ "$status" -eq 0 ]
	jq -e '.targets[0] | .findings == [] and any(.skipped[]; .rule == "DLP002")
		and ([.calls[] | select(.held).error.message] == ["Array has been deleted with shape=float32[6].", "Array has been deleted with shape=float32[6]."])' <<< "$output"
}

@test "floats in messages have a point, as in Python" {
	suai validate --static -q -c 'class A:
    def __init__(self, extent): self.__array_interface__ = dict(shape=(extent,), typestr="<f8", data=(4096, False), version=3)' \
		'A(6.0)' 'A(-0.0)' 'A(1e300)' 'A(float("inf"))'
	[ "$status" -eq 1 ]
	diff <(sed 's/.* shape-tuple: //' <<< "$output") - << 'EOF'
shape[0] is 6.0 (float), not an int
shape[0] is -0.0 (float), not an int
shape[0] is 1.0e+300 (float), not an int
shape[0] is inf (float), not an int
EOF
}

@test "--static with --calls, --lifetime, --live or --all is refused, and --producer-stream without --live" {
	code='import array; a = array.array("d", [1])'
	for option in --calls --lifetime --live --all; do
		suai validate --static $option -c "$code" a
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[[ "$stderr" == *"--static cannot be used with $option"* ]]
	done
	suai validate --live --no-live --static -c "$code" a
	[ "$status" -eq 0 ]
	suai validate --calls --producer-stream 1 -c "$code" a
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"--producer-stream requires --live or --all"* ]]
	suai validate --all --producer-stream 1 -c "$code" a
	[ "$status" -eq 0 ]
}

# subclasses FILE: of a type with an entry among the producers.
subclasses() {
	cat > "$1" << 'PY'
import numpy as np


class Inherits(np.ndarray):
    pass


class Redefines(np.ndarray):
    @property
    def __array_interface__(self):
        raise ValueError("not this one")

    def __buffer__(self, flags):
        raise ValueError("no buffer of mine")


class Names(type):
    """Reports other bases than it has."""

    __mro__ = property(lambda cls: (np.ndarray, object))
    __bases__ = property(lambda cls: (np.ndarray,))
    __module__ = "numpy"

    def __getattribute__(cls, name):
        if name in ("__mro__", "__module__", "__qualname__", "__name__", "__dict__"):
            raise RuntimeError(name)
        return super().__getattribute__(name)


class Pretends(metaclass=Names):
    @property
    def __array_interface__(self):
        raise ValueError("none")


day = np.array(["2020-01-01"], "M8[D]")
inherits, redefines, pretends = day.view(Inherits), day.view(Redefines), Pretends()
PY
}

@test "facts about a producer apply to its subclasses, but not to what these redefine" {
	requires numpy
	subclasses "$BATS_TEST_TMPDIR/m.py"
	cd "$BATS_TEST_TMPDIR"
	suai validate -f concise --no-summary --select BUF001 m.py:inherits
	[ "$status" -eq 0 ]
	[[ "$output" == *" note BUF001 "* ]]
	suai validate -f concise --no-summary --select BUF001 m.py:redefines
	if "$TEST_PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 12))'; then
		[[ "$output" == *" error BUF001 "* ]]
	else
		[[ "$output" == *" note BUF001 "* ]] # a method, like those of others
	fi
	printf '%s\n' 'producers:' '- {type: numpy.ndarray, rule: NAI002, effect: excused, evidence: a test}' > suai.yaml
	suai validate --config suai.yaml --select NAI002 m.py:redefines
	[ "$status" -eq 1 ]
	printf '%s\n' 'producers:' '- {type: m.Redefines, rule: NAI002, effect: excused, evidence: a test}' > suai.yaml
	suai validate --config suai.yaml --select NAI002 m.py:redefines
	[ "$status" -eq 0 ]
	printf '%s\n' 'producers:' '- {type: m.Redefines, rule: BUF001, effect: keeps, evidence: a test}' > suai.yaml
	suai validate --config suai.yaml --select BUF001 m.py:redefines
	[ "$status" -eq 0 ]
	[[ "$output" != *BUF001* ]]
}

@test "a dump contains the bases of the object's type, and is checked with them" {
	requires numpy
	subclasses "$BATS_TEST_TMPDIR/m.py"
	suai inspect -f yaml "$BATS_TEST_TMPDIR/m.py:inherits"
	printf '%s\n' "$output" > "$BATS_TEST_TMPDIR/inherits.yaml"
	suai validate -f concise --no-summary --select BUF001 "$BATS_TEST_TMPDIR/inherits.yaml"
	[ "$status" -eq 0 ]
	[[ "$output" == *" note BUF001 "* ]]
	sed -i 's/^  mro: .*/  mro: [m.Inherits, object]/' "$BATS_TEST_TMPDIR/inherits.yaml"
	suai validate -f concise --no-summary --select BUF001 "$BATS_TEST_TMPDIR/inherits.yaml"
	[ "$status" -eq 1 ]
	[[ "$output" == *" error BUF001 "* ]]
}

@test "a metaclass that reports other bases or names changes neither facts nor findings" {
	requires numpy
	subclasses "$BATS_TEST_TMPDIR/m.py"
	cd "$BATS_TEST_TMPDIR"
	suai inspect -f json m.py:pretends
	[ "$(jq -c '.targets[0].mro' <<< "$output")" = '["m.Pretends","object"]' ]
	[ "$(jq -c '[.targets[0].type, .targets[0].interfaces[0].defined_by]' <<< "$output")" = '["m.Pretends","m.Pretends"]' ]
	printf '%s\n' 'producers:' '- {type: numpy.ndarray, rule: NAI002, effect: excused, evidence: a test}' > suai.yaml
	suai validate --config suai.yaml --select NAI002 m.py:pretends
	[ "$status" -eq 1 ]
}

@test "type names and lists of bases are truncated, and their control characters escaped" {
	cat > "$BATS_TEST_TMPDIR/m.py" << 'PY'
class Odd:
    __module__ = "\ud800"
    __qualname__ = "a\0b"
    def __dlpack_device__(self):
        return (1, 0)


Long = Odd
for i in range(600):
    Long = type("Long", (Long,), {"__module__": "m" * 5000, "__qualname__": "\u00e9" * 5000})
odd, long = Odd(), Long()
PY
	suai inspect -f json "$BATS_TEST_TMPDIR/m.py"
	[ "$status" -eq 0 ]
	[ "$(jq -c '.targets[0].mro' <<< "$output")" = '["\\ud800.a\\x00b","object"]' ]
	[ "$(jq -c '.targets[1] | [(.mro | length), (.type | length), .type[-4:]]' <<< "$output")" = '[256,1507,"é..."]' ]
}

@test "what hasattr() denies is not exposed: no finding of its protocol, and no implicit target" {
	cat > "$BATS_TEST_TMPDIR/m.py" << 'PY'
class Denies:
    @property
    def __dlpack__(self):
        raise AttributeError("not here")

    __dlpack_device__ = __array_interface__ = __array_struct__ = __dlpack__
    __cuda_array_interface__ = __sycl_usm_array_interface__ = __dlpack__


class Masked:
    __cuda_array_interface__ = {"shape": (0,), "typestr": "|u1", "data": (0, False), "version": 3, "mask": Denies()}


class Buffer(Denies, bytearray):
    pass


class Half(Denies):
    def __dlpack_device__(self):
        return (1, 0)


denies, buffer, half, masked = Denies(), Buffer(b"abc"), Half(), Masked()
PY
	cd "$BATS_TEST_TMPDIR"
	suai validate -f concise --no-summary m.py:denies m.py:buffer
	[ "$(grep -c error <<< "$output")" -eq 1 ]
	[[ "$output" == *"m.py:denies: error XPR002 "* ]]
	suai validate --isolated -f json m.py
	[ "$(findings)" = "m.py:half DLP001 error
m.py:masked CAI112 error" ]
	suai inspect -f json m.py
	[ "$(jq -c '[.targets[].target]' <<< "$output")" = '["m.py:half","m.py:masked"]' ]
	suai inspect -f json -p buffer m.py
	[ "$(jq -c '[.targets[].target]' <<< "$output")" = '["m.py:buffer"]' ]
	sed -i 's/^denies, .*/denies, buffer = Denies(), Buffer(b"abc")/' m.py
	suai validate -q m.py
	[ "$status" -eq 1 ]
	[[ "$output" == "m.py: error XPR002 no-interface: no object of the module exposes an interface"* ]]
}

@test "a buffer of the plain bytes that the other interfaces describe is not a disagreement; other bytes are" {
	requires numpy
	cat > "$BATS_TEST_TMPDIR/m.py" << 'PY'
import numpy as np


class Plane(bytearray):
    start, count = 0, 6

    def view(self):
        return np.frombuffer(self, "f4")[self.start :][: self.count].reshape(2, -1)

    def __dlpack__(self, **keywords):
        return self.view().__dlpack__(**keywords)

    def __dlpack_device__(self):
        return 1, 0


class Dictionary(Plane):
    __array_interface__ = property(lambda self: self.view()[::-1].__array_interface__)
    __dlpack__ = __dlpack_device__ = property()


class Elsewhere(Plane):
    other = np.zeros((2, 3), "f4")

    def view(self):
        return self.other


class Bytes(Plane):
    def view(self):
        return np.frombuffer(self, "u1")[:12]


whole, padded, backwards = Plane(24), Plane(40), Dictionary(24)
padded.start = 2
elsewhere, shorter = Elsewhere(24), Bytes(24)
PY
	cd "$BATS_TEST_TMPDIR"
	suai validate --isolated m.py:whole m.py:padded m.py:backwards
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings in 3 targets"* ]]
	suai validate --isolated -f json m.py:elsewhere m.py:shorter
	[ "$(findings)" = "m.py:elsewhere XPR101 error
m.py:elsewhere XPR201 error
m.py:elsewhere XPR301 error
m.py:shorter XPR301 error" ]
}

@test "closed objects, and devices unknown to DLPack, refuse without an error" {
	cat > "$BATS_TEST_TMPDIR/m.py" << 'PY'
import mmap
import pickle


class Meta:
    """As PyTorch's tensors on the device meta."""

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if dl_device and dl_device[0] == 1:
            raise NotImplementedError("no data")
        raise BufferError("cannot export")

    def __dlpack_device__(self):
        raise ValueError("unknown device type")


class Exports(Meta):
    def __dlpack__(self, **keywords):
        raise KeyError("an accident")


view, pickled, mapped = memoryview(b"abc"), pickle.PickleBuffer(b"abc"), mmap.mmap(-1, 1)
view.release()
pickled.release()
mapped.close()
meta, exports = Meta(), Exports()
PY
	cd "$BATS_TEST_TMPDIR"
	suai validate --isolated -f json m.py:view m.py:pickled m.py:mapped
	[ "$status" -eq 0 ]
	[ "$(findings)" = "m.py:view BUF001 note
m.py:pickled BUF001 note
m.py:mapped BUF001 note" ]
	suai validate --isolated --calls m.py:meta
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings"* ]]
	suai validate --isolated -f json --select DLP002,DLP007 m.py:exports
	[ "$(findings)" = "m.py:exports DLP002 error
m.py:exports DLP007 error" ]
}

# bats test_tags=judge
@test "a NULL export shares no memory with the next, and PyBUF_SIMPLE has no itemsize to compare" {
	cat > "$BATS_TEST_TMPDIR/facts.yaml" << 'YAML'
targets:
- target: fake
  type: m.Fake
  interfaces:
  - protocol: dlpack
    declared:
      device: [1, 0]
      capsule: {name: dltensor, destructor: '0x7f0000001000'}
      version: null
      flags: null
      manager_ctx: '0x5000'
      deleter: '0x7f0000002000'
      dl_tensor: {data: '0x0', device: {device_type: 1, device_id: 0}, ndim: 1, dtype: {code: 2, bits: 32, lanes: 1}, shape: [6], strides: [1], byte_offset: 0}
  calls:
  - {step: __dlpack__(), arguments: {}, outcome: returned, returned: PyCapsule, capsule: dltensor, pointer: '0x0', version: null, flags: null, held: false}
  - {step: __dlpack__(copy=True), arguments: {copy: true}, outcome: returned, returned: PyCapsule, capsule: dltensor, pointer: '0x0', version: null, flags: null, held: false}
- target: vtk
  type: m.Vtk
  interfaces:
  - protocol: buffer
    declared: {buf: '0x1000', len: 20, itemsize: 4, readonly: false, ndim: 1, format: f, shape: [5], strides: [4], suboffsets: null}
    details:
      requests:
      - {request: PyBUF_SIMPLE, outcome: returned, len: 20, itemsize: 1, set: []}
      - {request: PyBUF_ND, outcome: returned, len: 20, itemsize: 4, set: [shape]}
- target: nd
  type: m.Nd
  interfaces:
  - protocol: buffer
    declared: {buf: '0x1000', len: 20, itemsize: 4, readonly: false, ndim: 1, format: f, shape: [5], strides: [4], suboffsets: null}
    details:
      requests:
      - {request: PyBUF_ND, outcome: returned, len: 20, itemsize: 1, set: [shape]}
YAML
	suai validate -f json --calls --select DLP801,DLP402,BUF113 "$BATS_TEST_TMPDIR/facts.yaml"
	[ "$(findings)" = "fake DLP402 error
nd BUF113 error" ]
}

@test "a dictionary over the object's own bytes agrees with their buffer" {
	cat > "$BATS_TEST_TMPDIR/m.py" << 'PY'
class Own(bytearray):
    @property
    def __array_interface__(self):
        return {"shape": (2, 2), "typestr": "<f4", "data": None, "version": 3, "offset": 8}


own = Own(24)
PY
	suai validate "$BATS_TEST_TMPDIR/m.py:own"
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings in 1 target"* ]]
}

@test "elements outside the buffer of a dictionary are blamed on the key without which they are in it" {
	cat > "$BATS_TEST_TMPDIR/m.py" << 'PY'
def exporter(**keys):
    value = {"shape": (2, 2), "typestr": "<f4", "data": bytearray(16), "version": 3, **keys}
    return type("Exporter", (), {"__array_interface__": value})()


fits = exporter()
offset = exporter(offset=4)
strides = exporter(strides=(16, 4))
shape = exporter(shape=(3, 2))
both = exporter(offset=4, shape=(3, 2))
PY
	cd "$BATS_TEST_TMPDIR"
	suai validate --isolated -f json --select NAI302 m.py:{fits,offset,strides,shape,both}
	[ "$(jq -c '[.targets[].findings | map(.field)]' <<< "$output")" = '[[],["offset"],["strides"],["shape"],["shape"]]' ]
}

@test "a negative version is an error, and not an edition to check against" {
	cat > "$BATS_TEST_TMPDIR/m.py" << 'PY'
def exporter(attribute, version, **keys):
    value = {"shape": (0,), "typestr": "<f4", "data": (0, False), "version": version, **keys}
    return type("Exporter", (), {attribute: value})()


cuda = exporter("__cuda_array_interface__", -1, strides=[4])
wide = exporter("__cuda_array_interface__", -(2**70))
numpy = exporter("__array_interface__", -1)
sycl = exporter("__sycl_usm_array_interface__", -1, syclobj="cpu")
PY
	cd "$BATS_TEST_TMPDIR"
	suai validate --isolated --static -f json m.py
	[ "$(findings | grep -v note)" = "m.py:cuda CAI107 error
m.py:cuda CAI110 error
m.py:wide CAI107 error
m.py:numpy NAI103 error
m.py:sycl SUAI113 error" ]
}

@test "the shape of a CUDA array's mask is an error, its element type is reported with the mask" {
	cat > "$BATS_TEST_TMPDIR/m.py" << 'PY'
def exporter(shape, typestr, **keys):
    value = {"shape": shape, "typestr": typestr, "data": (0, False), "version": 3, **keys}
    return type("Exporter", (), {"__cuda_array_interface__": value})()


other, float_mask = exporter((0, 4), "<f4", mask=exporter((0, 3), "|b1")), exporter((0, 4), "<f4", mask=exporter((4,), "<f4"))
PY
	cd "$BATS_TEST_TMPDIR"
	suai validate --isolated --static -f concise --no-summary m.py
	[ "$status" -eq 1 ]
	[[ "${lines[1]}" == "m.py:other: error CAI116 "* ]]
	[[ "${lines[2]}" == "m.py:float_mask: warning CAI113 "*"elements of mask are of type '<f4', not booleans, bits or bytes" ]]
	[ "${#lines[@]}" -eq 3 ]
}

@test "arrays of ctypes are notes, at any number of dimensions" {
	suai validate --isolated --calls -f json -c 'import ctypes; two = (ctypes.c_int * 3 * 2)()' two
	[ "$status" -eq 0 ]
	[ "$(findings)" = "two BUF108 note
two BUF110 note
two BUF301 note" ]
	[ "$(jq -c '[.targets[].findings[].excused_by] | unique' <<< "$output")" = '["_ctypes.*","_ctypes.Array"]' ]
}

@test "integers of dictionaries that have __index__ only are reported, those derived from int are not" {
	cat > "$BATS_TEST_TMPDIR/integers.py" << 'PY'
class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Int(int):
    pass


def array(attribute, **keys):
    value = {"shape": (2, 3), "typestr": "<f4", "data": (0x10000, False), "strides": None, "version": 3, **keys}
    return type("Array", (), {attribute: value})()


def arrays(integer):
    yield array("__array_interface__", shape=(integer(2), 3), strides=(12, integer(4)), version=integer(3))
    yield array("__array_interface__", data=bytearray(40), offset=integer(8))
    yield array("__cuda_array_interface__", shape=(integer(2), 3), stream=integer(1))
    yield array("__sycl_usm_array_interface__", strides=(integer(3), 1), offset=integer(0), version=1, syclobj="cpu")


a, b, c, d = arrays(Index)
e, f, g, h = arrays(Int)
PY
	suai validate --isolated --static -f json --select NAI113,CAI117,SUAI115 "$BATS_TEST_TMPDIR/integers.py:"{a,b,c,d,e,f,g,h}
	[ "$(jq -c '[.targets[] | [.findings[].field]]' <<< "$output")" = \
		'[["shape[0]","strides[1]","version"],["offset"],["shape[0]","stream"],["strides[0]","offset"],[],[],[],[]]' ]
}

@test "what a library is known to do applies to objects that pass on its buffers" {
	requires numpy
	suai validate --isolated --calls -f json \
		-c 'import array, pickle, numpy as np; f = pickle.PickleBuffer(np.zeros((3, 4), order="F")); a = pickle.PickleBuffer(array.array("d", [1])); n = np.zeros((3, 4), order="F")' -p buffer f a n
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.targets[] | [.interfaces[].details.exporter, (.findings[] | .rule, .severity, .excused_by)]]' <<< "$output")" = \
		'[["numpy.ndarray","BUF701","note","numpy.*"],["array.array"],[null,"BUF701","note","numpy.*"]]' ]
}

# bats test_tags=judge
@test "what NumPy is known to do applies to arrays of array_api_strict, whose buffers are NumPy's" {
	for type in array_api_strict._array_object.Array mylib.Array; do
		sed "s/mylib.Array/$type/" "$ROOT/testdata/rules/BUF701/bad.yaml" > "$BATS_TEST_TMPDIR/refused.yaml"
		"$SUAI" validate --isolated --calls --select BUF701 -f json "$BATS_TEST_TMPDIR/refused.yaml" |
			jq -r '.targets[].findings[] | [.severity, .excused_by] | join(" ")'
	done > "$BATS_TEST_TMPDIR/severities"
	diff "$BATS_TEST_TMPDIR/severities" - <<< $'note array_api_strict.*\nwarning '
}

# bats test_tags=judge
@test "fields that a typed memoryview of Cython sets without a request are known behaviour" {
	sed 's/type: mylib.Array/type: mylib._io._memoryviewslice\n  mro: [mylib._io._memoryviewslice, mylib._io.memoryview, object]/' \
		"$ROOT/testdata/rules/BUF110/bad.yaml" > "$BATS_TEST_TMPDIR/slice.yaml"
	suai validate "$BATS_TEST_TMPDIR/slice.yaml" "$BATS_TEST_TMPDIR/slice.yaml" "$ROOT/testdata/rules/BUF110/bad.yaml"
	[ "$status" -eq 0 ]
	[ "$(grep -c ': note BUF110 ' <<< "$output")" -eq 1 ]
	[[ "$output" == *'-v shows '*'BUF110 in '*' (known mylib behaviour)'* ]]
}

# bats test_tags=judge
@test "a 128-bit float in DLPack is IEEE's, and not a NumPy type on this machine" {
	sed -e 's/code: 6, bits: 8/code: 2, bits: 128/' -e 's/target: good/target: wide/' "$ROOT/testdata/rules/DLP202/good.yaml" > "$BATS_TEST_TMPDIR/wide.yaml"
	grep -q 'bits: 128' "$BATS_TEST_TMPDIR/wide.yaml"
	suai validate --static "$BATS_TEST_TMPDIR/wide.yaml"
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings in 1 target"* ]]
	[ "$(uname -m)" = x86_64 ] || skip "long double is binary128 here"
	suai inspect -f json "$BATS_TEST_TMPDIR/wide.yaml"
	[ "$(jq -c '.targets[0].interfaces[0].array | [.dtype, .typestr, .itemsize]' <<< "$output")" = '["binary128",null,16]' ]
}

@test "an export that is also returned to a second consumer is found without --lifetime" {
	requires numpy
	cat > "$BATS_TEST_TMPDIR/m.py" << 'PY'
import ctypes

import numpy as np

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Fresh:
    def __init__(self):
        self.array, self.cache = np.zeros(3), {}

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, *, stream=None, max_version=None):
        return self.array.__dlpack__(max_version=max_version)


class Legacy(Fresh):
    def __dlpack__(self, *, stream=None):
        return self.cache.setdefault(0, self.array.__dlpack__())


class Kinds(Fresh):
    def __dlpack__(self, *, stream=None, max_version=None):
        return self.cache.setdefault(max_version, self.array.__dlpack__(max_version=max_version))


class Tensor(Legacy):
    def __dlpack__(self, *, stream=None):
        name = b"dltensor"
        return api.PyCapsule_New(api.PyCapsule_GetPointer(super().__dlpack__(), name), name, None)


class Once(Fresh):
    def __dlpack__(self, *, stream=None, max_version=None):
        if max_version in self.cache:
            raise RuntimeError("exported already")
        self.cache[max_version] = True
        return super().__dlpack__(max_version=max_version)


fresh, legacy, kinds, tensor, once = Fresh(), Legacy(), Kinds(), Tensor(), Once()
PY
	cd "$BATS_TEST_TMPDIR"
	suai validate --isolated -f json --select DLP708 m.py
	[ "$(findings)" = "m.py:legacy DLP708 error
m.py:kinds DLP708 error" ]
	[ "$(jq -c '[.targets[].status] | unique' <<< "$output")" = '["ok"]' ]
	suai validate --isolated --lifetime -f json --select DLP708 m.py:tensor m.py:fresh
	[ "$(jq -c '[.targets[].findings[] | [.field, .message]]' <<< "$output")" = \
		'[["dl_tensor","two capsules point to the same managed tensor"]]' ]
	# Later calls return it as it was renamed when it was consumed.
	suai validate --isolated --calls -f json --select DLP708,DLP809 m.py:legacy m.py:kinds
	[ "$(jq -r '[.targets[].findings[].rule] | join(" ")' <<< "$output")" = "DLP708 DLP708" ]
	suai inspect -f json m.py
	[ "$(jq -c '[.targets[].calls | length]' <<< "$output")" = "[2,3,4,3,4]" ]
	[ "$(jq -c '[.targets[].calls[] | select(.returned_again) | .step]' <<< "$output")" = \
		'["__dlpack__() again","__dlpack__() again","__dlpack__(max_version=(1, 3)) again"]' ]
	jq -e '.targets[4].calls[2] | .step == "__dlpack__() again" and .error.message == "exported already"' <<< "$output"
}

@test "a NULL pointer is found along with any other layout defect, and an invalid descr along with an invalid typestr" {
	code='class Holder:
    def __init__(self, attribute, **changes): self.__dict__[attribute] = {**base[attribute], **changes}
names = "__sycl_usm_array_interface__", "__cuda_array_interface__", "__array_interface__"
base = {name: {"shape": (2, 3), "typestr": "<f4", "data": (0, False), "strides": None, "version": 3 if i else 1} for i, name in enumerate(names)}
base[names[0]]["syclobj"] = "cpu"
sycl, cuda, numpy = names'
	while IFS='|' read -r found object; do
		run "$SUAI" validate --static -f json -c "$code" "Holder($object)"
		jq -r '.targets[0].findings[] | select(.severity == "error") | .rule' <<< "$output" | sort -u > "$BATS_TEST_TMPDIR/found"
		echo "$object: $(tr '\n' ' ' < "$BATS_TEST_TMPDIR/found")"
		[ "$(paste -sd ' ' "$BATS_TEST_TMPDIR/found")" = "$found" ]
	done <<- 'END'
		SUAI102 SUAI401|sycl, shape=[2, 3]
		SUAI104 SUAI401|sycl, shape=None
		SUAI301 SUAI401|sycl, shape=(2, -3)
		SUAI110 SUAI401|sycl, strides=[3, 1]
		SUAI302 SUAI401|sycl, strides=(1,)
		SUAI201 SUAI401|sycl, typestr="x4"
		SUAI105 SUAI401|sycl, typestr=None
		SUAI111 SUAI401|sycl, offset=None
		SUAI113 SUAI401|sycl, version=2
		SUAI114 SUAI401|sycl, syclobj=None
		CAI102 CAI402|cuda, shape=(2, 3.0)
		CAI201 CAI402|cuda, typestr="<q4"
		CAI302 CAI402|cuda, strides=(4,)
		NAI102 NAI401|numpy, shape=[2, 3]
		NAI301 NAI401|numpy, strides=[12, 4]
		NAI105 NAI401|numpy, offset=8
		NAI106 NAI201|numpy, data=(64, False), typestr="<q4", descr=[("x", "<f8")]
		CAI111 CAI201|cuda, data=(64, False), typestr="<q4", descr=[("x", "<f8")]
		NAI106 NAI201|numpy, data=(64, False), typestr="<x4", descr=[("a", "<f4"), ("b", 5)]
		NAI106 NAI201|numpy, data=(64, False), typestr=5, descr=[("a", "<f4"), ("b", 5)]
		CAI111 CAI201|cuda, data=(64, False), typestr="<x4", descr=[("a", "<f4"), ("b", 5)]
		NAI201|numpy, data=(64, False), typestr="<x4", descr=[("", "<x4")]
		SUAI401|sycl, strides=(3, 1)
		|sycl, shape=(0, 3)
	END
}

@test "a read-only flag whose truth value raises is an error by each dictionary, as in dpctl and dpnp" {
	requires sycl
	cat > "$BATS_TEST_TMPDIR/m.py" << 'PY'
import dpctl.memory


class Flag:
    def __bool__(self):
        raise ValueError("ambiguous")


class Exporter:
    def __init__(self, flag):
        self.memory = dpctl.memory.MemoryUSMShared(64)
        declared = self.memory.__sycl_usm_array_interface__
        self.__sycl_usm_array_interface__ = {**declared, "data": (declared["data"][0], flag)}


raises, number = Exporter(Flag()), Exporter(0)
try:
    dpctl.memory.as_usm_memory(raises)
except ValueError as error:
    assert str(error) == "ambiguous"
else:
    raise AssertionError("dpctl takes it")
dpctl.memory.as_usm_memory(number)
PY
	cd "$BATS_TEST_TMPDIR"
	suai validate --isolated -f json --select SUAI106,SUAI108 m.py
	[ "$(findings)" = "m.py:raises SUAI106 error
m.py:number SUAI108 warning" ]
}

@test "a dump of arrays without findings has no findings either" {
	requires numpy
	"$SUAI" inspect -f yaml -c 'import array, numpy as np' 'np.ones(3)' 'np.ones((2, 3)).T' 'np.ones((2, 3))[:, ::2]' \
		'array.array("d", [1, 2])' 'memoryview(b"abc")' > "$BATS_TEST_TMPDIR/dump.yaml"
	suai validate -f concise -S warning "$BATS_TEST_TMPDIR/dump.yaml"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == "no findings in 5 targets"* ]]
}

@test "strides in elements and overlapping writable elements are reported, healthy views of NumPy are not" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > strides.py <<-'END'
		import numpy as np
		from numpy.lib.stride_tricks import as_strided, sliding_window_view
		x = np.arange(16)
		class Exports:
		    def __init__(self, strides, typestr="<i8", readonly=False, shape=(4, 4)):
		        self.__array_interface__ = {"shape": shape, "typestr": typestr, "data": (x.ctypes.data, readonly),
		            "strides": strides, "version": 3}
		elements, readonly, sliced = Exports((4, 1)), Exports((4, 1), readonly=True), Exports((8, -2), shape=(2, 2))
		parts, text, structure = Exports((3, 1), "<c8"), Exports((3, 1), "<U2"), Exports((4, 1), "|V8")
		overlap, windows, wrong = Exports((0, 8)), as_strided(x, (4, 4), (8, 8)), as_strided(x, (4, 4), (4, 1))
		record = np.zeros(5, [("a", "u1"), ("b", "<f8"), ("c", "<c16")])
		healthy = [
		    x[::-1], x.reshape(4, 4).T, x[:0], np.broadcast_to(x, (3, 16)), sliding_window_view(x, 4), record["b"],
		    record["c"], record["c"].real, record["c"].imag, record[["a", "c"]], np.arange(9, dtype="u1")[::2],
		    np.diagonal(x.reshape(4, 4)), np.frombuffer(bytes(41), "i1")[1:].view("<f8"), np.array(["ab", "c"])[::-1],
		    as_strided(x, (4, 4), (8, 8), writeable=False), as_strided(x, (4, 4), (4, 1), writeable=False),
		    np.broadcast_to(record, (2, 5)), np.float32(2), np.array([None, 1]), np.zeros((3, 1, 2), "c8")[:, :, ::-1],
		    np.ndarray((5,), "S3", b"abcdefg", strides=(1,)), Exports((4, 1), "|u1"), Exports((0, 8), readonly=True)]
	END
	raised() { # PROTOCOL: "TARGET: RULE" of each finding about units and overlap
		"$SUAI" validate --isolated -p "$1" --select NAI307,NAI308,BUF307,BUF308 -f json strides.py |
			jq -r '.targets[] | .target as $t | .findings[] | "\($t | sub(".*:"; "")): \(.rule)"' | sort
	}
	[ "$(raised numpy)" = "elements: NAI307
overlap: NAI308
parts: NAI307
readonly: NAI307
sliced: NAI307
structure: NAI307
text: NAI307
windows: NAI308
wrong: NAI308" ]
	[ "$(raised numpy-struct)" = $'windows: NAI308\nwrong: NAI308' ]
	[ "$(raised buffer)" = $'windows: BUF308\nwrong: BUF308' ]
	# One finding for one cause.
	suai validate --isolated -f json -p numpy -p buffer -p dlpack strides.py:windows
	[ "$(jq -r '[.targets[].findings[].rule] | unique | join(" ")' <<< "$output")" = DLP311 ]
}

@test "a module whose interfaces -p excludes is described by them, and only objects with just a buffer count as such" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	printf 'import numpy\na = numpy.ones(3)\nb = a\nc = bytearray(3)\nd = c\n' > excluded.py
	suai validate -q -p cuda excluded.py
	[[ "$output" == *"an interface (cuda); 1 exposes only a buffer, which -p buffer checks; -p excludes __dlpack__, __array_interface__, __array_struct__, which types of its objects define" ]]
	printf 'import numpy\na = numpy.ones(3)\nb = a\n' > excluded.py
	suai validate -q -p sycl excluded.py
	[[ "$output" == *"an interface (sycl); -p excludes __dlpack__, __array_interface__, __array_struct__, which types of its objects define" ]]
}

# bats test_tags=judge
@test "a typestr of bytes, which NumPy accepts, does not hide what else is wrong" {
	suai validate -f concise - <<-'END'
		targets:
		- target: bitmap
		  type: mylib.Bitmap
		  interfaces:
		  - protocol: numpy
		    declared: {shape: [3, 4], typestr: <u1, data: [4096, false], version: 3}
		    types: {typestr: bytes}
		  - protocol: buffer
		    declared: {buf: '0x1000', len: 12, itemsize: 1, readonly: false, ndim: 3, format: B, shape: [3, 4, 1],
		      strides: [4, 1, 1], suboffsets: null}
	END
	[ "$status" -eq 1 ]
	[[ "$output" == *"error NAI201 typestr-type: typestr bytes"*"error NAI901 agreement: the shape is (3, 4) in"* ]]
}

@test "objects of one type without interfaces are one finding, and what to try does not divide it" {
	requires numpy
	cd "$BATS_TEST_TMPDIR"
	cat > datasets.py <<-'END'
		import numpy
		class Dataset:
		    scale_factor, add_offset = 0.5, 1.0
		    def __array__(self, dtype=None, copy=None):
		        return numpy.zeros(3)
		a, b = Dataset(), Dataset()
	END
	for option in '' --calls; do
		suai validate $option datasets.py:a datasets.py:b
		[ "$status" -eq 1 ]
		[ "$(grep -c XPR002 <<< "$output")" -eq 1 ]
		[[ "$(tr -s ' \n' ' ' <<< "$output")" == "datasets.py:a, b: error XPR002"*"try 'datasets.py:numpy.asarray(a)'"* ]]
	done
	suai convert datasets.py:a --to dlpack
	[ "$status" -eq 3 ]
	[[ "$(tr -s ' \n' ' ' <<< "$output")" == *"exposes no interface that convert can read; try 'datasets.py:numpy.asarray(a)'"* ]]
}

@test "a __getattr__ that raises is one finding that names the attributes, and other exceptions remain separate" {
	cat > "$BATS_TEST_TMPDIR/lazy.py" <<-'END'
		class Lazy:
		    def __getattr__(self, name):
		        raise RuntimeError("not loaded")
		class Keys:
		    def __getattr__(self, name):
		        return {}[name]
		class Two:
		    @property
		    def __cuda_array_interface__(self):
		        raise RuntimeError("not loaded")
		    @property
		    def __array_interface__(self):
		        raise RuntimeError("not loaded")
		lazy, keys, two = Lazy(), Keys(), Two()
	END
	suai validate -f concise "$BATS_TEST_TMPDIR/lazy.py:lazy"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 2 ]
	[[ "${lines[0]}" == *": error SUAI001 "*"raised RuntimeError: not loaded; so did __cuda_array_interface__, __dlpack__, __array_interface__ and __array_struct__" ]]
	suai validate -f concise --ignore SUAI,CAI "$BATS_TEST_TMPDIR/lazy.py:lazy"
	[[ "${lines[0]}" == *": error DLP007 "*"; so did __array_interface__ and __array_struct__" ]]
	suai validate -f concise "$BATS_TEST_TMPDIR/lazy.py:keys"
	[ "$(grep -c ': error ' <<< "$output")" -eq 1 ]
	suai validate -f concise "$BATS_TEST_TMPDIR/lazy.py:two"
	[ "$(grep -c ': error ' <<< "$output")" -eq 2 ]
}

@test "a weakref.proxy of a dead object is one finding, and built-in code with other messages remains separate" {
	cat > "$BATS_TEST_TMPDIR/dead.py" <<-'END'
		import weakref
		class Owner: pass
		proxy = weakref.proxy(Owner())
		class Codes:
		    __cuda_array_interface__ = property(ord)
		    __array_interface__ = property(len)
		codes = Codes()
	END
	suai validate -f concise "$BATS_TEST_TMPDIR/dead.py:proxy"
	[ "$status" -eq 1 ]
	[ "$(grep -c ': error ' <<< "$output")" -eq 1 ]
	[[ "${lines[0]}" == *": error SUAI001 "*"ReferenceError: weakly-referenced object no longer exists; so did __cuda_array_interface__, __dlpack__, __array_interface__ and __array_struct__" ]]
	suai validate -f json "$BATS_TEST_TMPDIR/dead.py:proxy"
	jq -e '[.targets[].findings[].hint] == ["raise AttributeError in the property if the object cannot be exported"]' <<< "$output"
	suai validate -f concise "$BATS_TEST_TMPDIR/dead.py:codes"
	[ "$(grep -c ': error ' <<< "$output")" -eq 2 ]
}

@test "a time unit with a divisor is read as NumPy reads it, and one that NumPy rejects is an error" {
	typed() { # typed TYPESTR
		"$SUAI" inspect --query dtype -c "class A:
    __array_interface__ = {'shape': (0,), 'typestr': '$1', 'data': (0, False), 'version': 3}" 'A()'
	}
	[ "$(typed '<M8[s/2]')" = 'datetime64[500ms]' ]
	[ "$(typed '<m8[3h/4]')" = 'timedelta64[45m]' ]
	suai validate -f concise -c "class A:
    __array_interface__ = {'shape': (0,), 'typestr': '<M8[s/0]', 'data': (0, False), 'version': 3}" 'A()'
	[[ "$output" == *"error NAI201 "*"'[s/0]' is not a valid time unit"* ]]
}
