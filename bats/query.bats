#!/usr/bin/env bats
# --query of each command: one line per key, whatever the value contains, for shell scripts.

load helpers

setup() {
	cd "$ROOT/testdata/validate" || return 1
}

@test "validate --query prints the keys of each finding, with validate's exit status" {
	suai validate --query target,rule,severity,field,protocol defects.yaml
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 30 ]
	[ "$(head -n 5 <<< "$output" | tr '\n' ' ')" = "arrays.py:a SUAI103 error shape[1] sycl " ]
	suai validate --query rule --select SUAI307 defects.yaml
	[ "$status" -eq 0 ]
	[ "$output" = SUAI307 ]
	suai validate --query message -c 'raise ValueError("no")' a
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[[ "$stderr" == *"suai: a: raised at import: ValueError: no; \"<-c>\", line 1, in <module>" ]]
	suai validate --query rul defects.yaml
	[ "$status" -eq 2 ]
	[ "$stderr" = "suai: --query: unknown key 'rul' for a finding (did you mean 'rule'?)" ]
	suai validate --query severities defects.yaml
	[ "$stderr" = "suai: --query: unknown key 'severities' for a finding (did you mean 'severity'?)" ]
	suai validate --query nothing defects.yaml
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: --query: unknown key 'nothing' for a finding; keys include target, "* ]]
	suai validate --query '' defects.yaml
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: --query: expected KEYS, got an empty value; keys include target, "* ]]
	suai validate --query rule,,target defects.yaml
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: --query: 'rule,,target' contains an empty key; keys include target, "* ]]
	suai validate --query rule --statistics defects.yaml
	[ "$status" -eq 2 ]
}

# bats test_tags=judge
@test "of two --query options the last one applies, as for any option that is not repeatable" {
	suai validate --query field --query rule --select SUAI103 --color never --color auto defects.yaml
	[ "$(sort -u <<< "$output")" = SUAI103 ]
	SUAI_OPTS='--query field' suai validate --query rule --select SUAI103 defects.yaml
	[ "$(sort -u <<< "$output")" = SUAI103 ]
	suai validate --query rule,field --select SUAI103 defects.yaml
	[ "$(sed -n 2p <<< "$output")" = 'shape[1]' ]
}

# bats test_tags=judge
@test "-f tsv doubles backslashes, so that no two names become one" {
	printf 'targets: [{target: "q\\nb"}, {target: "q\\\\x0ab"}, {target: "\\t\\\\"}]\n' > "$BATS_TEST_TMPDIR/names.yaml"
	suai inspect --query target,status -f tsv "$BATS_TEST_TMPDIR/names.yaml"
	[ "$output" = $'q\\x0ab\tok\nq\\\\x0ab\tok\n\\x09\\\\\tok' ]
	suai inspect --query target "$BATS_TEST_TMPDIR/names.yaml"
	[ "$output" = $'q\\x0ab\nq\\x0ab\n\\x09\\' ]
}

# bats test_tags=judge
@test "a value with line breaks, quotes, blanks and terminal escapes is one line that read accepts" {
	cat > "$BATS_TEST_TMPDIR/odd.yaml" << 'YAML'
targets:
- target: "a b'c\"$(touch hit)`touch hit`\\n\n \e[31m  z "
  type: m.A
  interfaces: [{protocol: cuda, declared: {shape: [2, 3], typestr: "<f4", data: [4096, false], version: 3}}]
- target: '*'
  type: m.A
  interfaces: []
YAML
	cd "$BATS_TEST_TMPDIR"
	suai inspect --query target,shape odd.yaml
	[ "$status" -eq 1 ]
	n=0
	while IFS= read -r target && IFS= read -r shape; do
		n=$((n + 1))
		targets[n]=$target shapes[n]=$shape
	done < <("$SUAI" inspect --query target,shape odd.yaml)
	[ "$n" -eq 2 ]
	[ "${targets[1]}" = 'a b'\''c"$(touch hit)`touch hit`\n\x0a \x1b[31m  z ' ]
	[ "${shapes[1]}" = "2 3" ]
	[ "${targets[2]}" = '*' ]
	[ -z "${shapes[2]}" ]
	[ ! -e hit ]
	set -- ${shapes[1]}
	[ "$#" -eq 2 ]
}

@test "inspect --query also accepts target, type, protocol and version" {
	suai inspect -c 'import array; a = array.array("d", [1, 2, 3])' a -p buffer --query target,type,status,protocol,shape,version
	[ "$status" -eq 1 ]
	[ "$output" = $'a\narray.array\nok\nbuffer\n3' ]
}

@test "convert -p applies only to the source: --query reads the new object through its own protocol" {
	requires numpy
	for to in dlpack numpy buffer; do
		for from in numpy numpy-struct dlpack buffer; do
			suai convert -c 'import numpy; a = numpy.ones((3, 4))' a -p $from --to $to --query copy.from,protocol,shape,type
			[ "$status" -eq 0 ]
			[ "$output" = "$from"$'\n'"$to"$'\n3 4\nnumpy.ndarray' ]
		done
	done
	suai convert -c 'import numpy; a = numpy.ones((3, 4))' a -p buffer -o "$BATS_TEST_TMPDIR/a.npy" --query copy.from,protocol,shape
	[ "$output" = $'buffer\nnpy\n3 4' ]
}

@test "convert --query prints keys of the conversion, and does not fail for a missing one" {
	suai convert -c 'import array; a = array.array("d", [1, 2, 3])' a --to dlpack --query copy.path,copy.from,protocol,shape,copy.kernel
	[ "$status" -eq 0 ]
	[ "$output" = $'zero-copy\nbuffer\ndlpack\n3' ]
	suai convert -c 'import array; a = array.array("d", [1, 2, 3])' a -o "$BATS_TEST_TMPDIR/a.npy" --query copy.kernel,copy.path
	[ "$status" -eq 0 ]
	[ -s "$BATS_TEST_TMPDIR/a.npy" ]
	suai convert -c 'import array; a = array.array("d", [1, 2, 3])' a --to dlpack --query copy.seconds,copy.verified,copy.path -f json
	[ "$status" -eq 0 ]
	[ "$output" = $'\n\nzero-copy' ]
	suai convert x.py:a --to dlpack --query copy.pth
	[ "$status" -eq 2 ]
}

@test "devices --query prints only lines of devices" {
	suai devices --query runtime,device.type,device.id
	[ "$status" -eq 0 ]
	[ "${lines[0]} ${lines[1]} ${lines[2]}" = "host cpu 0" ]
	[[ "$output" != *unavailable* && "$output" != *rocm* ]]
	suai devices --query filtre
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: --query: unknown key 'filtre' for a device (did you mean 'filter'?)" ]]
	suai devices --query device
	[ "$stderr" = "suai: --query: 'device' is a group; use one of its keys, such as device.type" ]
}

# bats test_tags=judge
@test "rule --query prints each rule's keys" {
	suai rule --query rule,severity,needs SUAI302
	[ "$status" -eq 0 ]
	[ "${lines[0]} ${lines[1]}" = "SUAI302 error" ]
	[ "$("$SUAI" rule --query rule | wc -l)" -eq "$("$SUAI" rule -f json | jq '.rules | length')" ]
	suai rule --query ruel
	[ "$status" -eq 2 ]
}

# bats test_tags=judge
@test "a replaced id still works, and names its replacement" {
	suai validate -q --select CAI406 defects.yaml
	[ "$status" -eq 0 ]
	[ "$stderr" = "suai: rule 'CAI406' was replaced by CAI403 device-accessible" ]
	suai rule --query rule cai-406
	[ "$output" = CAI403 ]
	[ "$stderr" = "suai: rule 'cai-406' was replaced by CAI403 device-accessible" ]
}

# bats test_tags=judge
@test "-f tsv prints one line per record: values in the order of the keys, separated by tabs, without a header" {
	suai validate -f tsv --query rule,target,field defects.yaml
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 6 ]
	[ "${lines[0]}" = $'SUAI103\tarrays.py:a\tshape[1]' ]
	[ "$(awk -F '\t' '{ print NF }' <<< "$output" | sort -u)" = 3 ]
	[ "$(paste - - - < <("$SUAI" validate --query rule,target,field defects.yaml))" = "$output" ]
	suai validate -f tsv --query rule --exit-zero defects.yaml
	[ "$status" -eq 0 ]
	[ "$output" = "$("$SUAI" validate --query rule --exit-zero defects.yaml)" ]
	suai rule -f tsv --query rule,name,severity SUAI302
	[ "$output" = $'SUAI302\tstrides-length\terror' ]
	suai rule -f tsv --query rule,clause,says,why,hint
	[ "$(awk -F '\t' '{ print NF }' <<< "$output" | sort -u)" = 5 ]
	[ "${#lines[@]}" -eq "$("$SUAI" rule --query rule | wc -l)" ]
}

# bats test_tags=judge
@test "-f tsv escapes tabs and line breaks in values, leaves missing ones empty, and then exits with 1" {
	cat > "$BATS_TEST_TMPDIR/odd.yaml" << 'YAML'
targets:
- target: "a\tb\nc\r d"
  type: m.A
  interfaces: [{protocol: cuda, declared: {shape: [2, 3], typestr: "<f4", data: [4096, false], version: 3}}]
- target: none
  type: m.B
  interfaces: []
YAML
	suai inspect -f tsv --query target,shape,type "$BATS_TEST_TMPDIR/odd.yaml"
	[ "$status" -eq 1 ]
	[ "$output" = 'a\x09b\x0ac\x0d d'$'\t2 3\tm.A\nnone\t\tm.B' ]
	suai inspect -f tsv --query shape,pointer,typestr -o "$BATS_TEST_TMPDIR/out.tsv" "$BATS_TEST_TMPDIR/odd.yaml"
	[ "$(cat "$BATS_TEST_TMPDIR/out.tsv")" = $'2 3\t0x1000\t<f4\n\t\t' ]
}

# bats test_tags=judge
@test "-f tsv requires --query" {
	for command in 'inspect x.py' 'validate x.py' 'validate --statistics x.py' 'convert x.py --to dlpack' devices rule; do
		# shellcheck disable=SC2086 # words
		suai $command -f tsv
		[ "$status" -eq 2 ]
		[ "$stderr" = "suai: -f tsv requires --query" ]
	done
	suai validate -f tsv --query rule,rul defects.yaml
	[ "$status" -eq 2 ]
	[[ "$stderr" == "suai: --query: unknown key 'rul' for a finding (did you mean 'rule'?)" ]]
}
