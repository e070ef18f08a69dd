#!/usr/bin/env bats
# The dependencies between layers, in the sources and in the linked files.

load helpers

@test "includes stay within the layers" {
	run "$ROOT/tools/layers"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a forbidden include is found" {
	copy="$BATS_TEST_TMPDIR/copy"
	mkdir -p "$copy"
	cp -r "$ROOT/src" "$ROOT/tools" "$copy/"
	sed -i '2i #include "rules/engine/rule.h"' "$copy/src/model/value.c"
	run "$copy/tools/layers"
	[ "$status" -eq 1 ]
	[[ "$output" == *"src/model/value.c: includes rules/engine/rule.h, which model may not"* ]]
}

@test "a forbidden include in a subdirectory and an unknown layer are found" {
	copy="$BATS_TEST_TMPDIR/copy"
	mkdir -p "$copy"
	cp -r "$ROOT/src" "$ROOT/tools" "$copy/"
	sed -i '2i #include "commands/help.h"' "$copy/src/rules/sycl/sycl_dict.c"
	mkdir "$copy/src/misc"
	echo '// SPDX-License-Identifier: MIT' > "$copy/src/misc/misc.c"
	run "$copy/tools/layers"
	[ "$status" -eq 1 ]
	[[ "$output" == *"src/rules/sycl/sycl_dict.c: includes commands/help.h, which rules may not"* ]]
	[[ "$output" == *"src/misc/misc.c: misc is not a layer of tools/layers"* ]]
}

@test "layers that may include each other are found" {
	copy="$BATS_TEST_TMPDIR/copy"
	mkdir -p "$copy/src"
	cp -r "$ROOT/tools" "$copy/"
	sed -i 's/^model: base$/model: base rules/' "$copy/tools/layers"
	run "$copy/tools/layers"
	[ "$status" -eq 1 ]
	[[ "$output" == "tools/layers: model may include rules, which is listed after it" ]]
}

@test "cycles of directories are found, however deep the directories are and however long the cycle is" {
	copy="$BATS_TEST_TMPDIR/copy"
	mkdir -p "$copy"
	cp -r "$ROOT/src" "$ROOT/tools" "$copy/"
	sed -i '2i #include "rules/numpy/numpy.h"' "$copy/src/rules/shared/shared.h"
	sed -i '2i #include "formats/json/json_write.h"' "$copy/src/formats/yaml/yaml_scalar.h"
	sed -i '2i #include "formats/text/text_page.h"' "$copy/src/formats/json/json_write.h"
	run "$copy/tools/layers"
	[ "$status" -eq 1 ]
	grep -qxF 'src/rules/shared/shared.h: includes rules/numpy/numpy.h, a cycle: rules/numpy depends on rules/shared' <<< "$output"
	grep -qxF 'src/rules/numpy/numpy.h: includes rules/shared/shared.h, a cycle: rules/shared depends on rules/numpy' <<< "$output"
	grep -qxF 'src/formats/yaml/yaml_scalar.h: includes formats/json/json_write.h, a cycle: formats/json depends on formats/yaml' <<< "$output"
	! grep -q 'src/rules/cuda/\|src/model/' <<< "$output"
}

# Compiles an expression of a target's first interface.
compile_field() { # EXPRESSION
	printf '#include "facts/facts.h"\nconst char *read_field(const struct fact_interface *interface);\n%s %s; }\n' \
		'const char *read_field(const struct fact_interface *interface) { return' "$1" |
		"${CC:-cc}" -std=c11 -Wall -Werror -I"$ROOT/src" -x c -fsyntax-only -
}

@test "a misspelt field of facts does not compile" {
	for field in memory_reason error.message array.dtype array.memory.by again.step; do
		compile_field "interface->$field"
		run compile_field "interface->${field%?}"
		[ "$status" -ne 0 ]
		[[ "$output" == *"no member named"* ]]
	done
	compile_field "interface_status_name(INTERFACE_REFUSED)"
	run compile_field "interface_status_name(INTERFACE_REFUSE)"
	[[ "$output" == *"undeclared"* ]]
}

@test "facts are fields of structs: no string keys outside declared and details" {
	run "$ROOT/tools/fact-keys"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a fact that is read by a string key and an unused exception are found" {
	copy="$BATS_TEST_TMPDIR/copy"
	mkdir -p "$copy"
	cp -r "$ROOT/src" "$ROOT/tools" "$copy/"
	cp "$ROOT/testdata/tools/fact_keys.c" "$copy/src/rules/cross/misplaced.c"
	cat >> "$copy/src/model/job.c" <<-'END'
		const struct value *value_get_part(const struct value *whole, const char *part)
		{
			return value_get(whole, part);
		}
	END
	sed -i 's/^src\/formats\/tap\/tap.c: block/&, blocks/' "$copy/tools/fact-keys"
	run "$copy/tools/fact-keys"
	[ "$status" -eq 1 ]
	diff - <(echo "$output") <<-'END'
		src/rules/cross/misplaced.c:10: value_get in a macro
		src/rules/cross/misplaced.c:22: target, "interfaces"
		src/rules/cross/misplaced.c:26: interface, "memory.kind"
		src/rules/cross/misplaced.c:27: target, key
		src/rules/cross/misplaced.c:27: target, STATUS
		src/rules/cross/misplaced.c:28: target, "status"
		src/rules/cross/misplaced.c:28: target, "status"
		src/rules/cross/misplaced.c:29: value_get without a call
		tools/fact-keys: unused entry of ALLOWED: src/formats/tap/tap.c: blocks
	END
}

# "FILE: LITERAL" of each literal in src/ that consists of names of protocols, runtimes and types of devices, outside the
# lists of these names and the files of the protocol or runtime. Comments, generated tables and unit tests do not count.
name_literals() { # ROOT
	local names
	names=$(
		sed -n 's/^#define PROTOCOL_[A-Z_]* "\(.*\)"$/\1/p' "$1/src/protocols/names.h"
		sed -nE 's/^(#define DESCRIBED_RUNTIME_LIST\(EACH\) |\t)EACH\(([a-z]*), .*/\2/p' "$1/src/model/runtimes.h"
		sed -nE 's/.*DEVICE_[A-Z_]+ "([a-z_]+)"$/\1/p' "$1/src/model/device.h"
		sed -nE 's/.*\.name = "([a-z_]+)".*/\1/p' "$1/src/model/device.c"
	)
	[[ $names == *$'\nrocm\n'* && $names == *$'\ncuda_host\n'* ]] || return
	names=$(sort -u <<< "$names" | paste -s -d '|')
	(cd "$1" && find src -name '*.[ch]' ! -name '*_test.c' ! -name facts_tables.c ! -path src/protocols/names.h ! -path 'src/model/device.[ch]' |
		xargs perl -0777 -ne '
			s{/\*.*?\*/}{}gs;
			while (/"((?:'"$names"')(?:[ ,]+(?:'"$names"'))*)"/g) {
				print "$ARGV: $1\n" unless $ARGV =~ m{^src/(devices/$1/|protocols/$1[._])};
			}' | LC_ALL=C sort -u)
}

@test "names of protocols and runtimes are literals only in their own directories" {
	for name in $(sed -n 's/^\tEACH(\([a-z]*\),.*/\1/p' "$ROOT/src/model/runtimes.h"); do
		[ -f "$ROOT/src/devices/$name/$name.c" ]
	done
	# Types of OpenCL's and SYCL's devices, backends of SYCL, Python's modules and libraries, keys of facts and words of jobs with the same
	# names, and arguments that are not devices.
	diff <(name_literals "$ROOT") - <<-'END'
		src/consumers/reproduce_consumer.c: numpy
		src/consumers/reproduce_imports.c: numpy
		src/devices/opencl/opencl_device.c: cpu
		src/devices/sycl/sycl_device.c: cpu
		src/devices/sycl/sycl_device.c: cuda
		src/devices/sycl/sycl_device.c: opencl
		src/fuzz/edits.c: numpy
		src/matrix/adapters.c: numpy
		src/model/job.c: dlpack
		src/model/job.c: npy
		src/model/usual_names.c: numpy
		src/protocols/numpy.c: buffer
		src/protocols/sycl.c: cpu
		src/rules/cuda/cuda_dict.c: cpu
		src/rules/numpy/numpy.c: buffer
		src/rules/numpy/numpy_memory.c: buffer
		src/rules/sycl/sycl_object.c: cpu
		src/rules/sycl/sycl_object.c: cuda
		src/rules/sycl/sycl_object.c: opencl
		src/rules/trace/trace.c: numpy
		src/trace/array_methods.c: numpy
		src/trace/attributes.c: numpy
		src/trace/conversions.c: numpy
		src/trace/cuda.c: cuda
		src/trace/native_caller.c: numpy
		src/trace/passed.c: numpy
		src/trace/passed_function.c: numpy
		src/trace/results.c: numpy
		src/trace/site.c: numpy
		src/trace/verdict.c: numpy
		src/why/conclusions.c: numpy
		src/why/experiments.c: numpy
		src/why/remedy_rows.c: numpy
		src/worker/capture/dictionary_source.c: buffer
		src/worker/capture/dlpack_grid.c: cpu
		src/worker/capture/numpy.c: buffer
		src/worker/capture/self_reported.c: numpy
		src/worker/capture/self_reported_values.c: numpy
		src/worker/consume/examine.c: numpy
		src/worker/consume/pass.c: numpy
		src/worker/consume/tracer.c: cpu
		src/worker/consume/tracer.c: numpy
		src/worker/read/alternatives.c: numpy
		src/worker/trials/trials.c: numpy
	END
}

@test "a literal of a name is found, whatever reads it" {
	copy="$BATS_TEST_TMPDIR/copy"
	mkdir -p "$copy"
	cp -r "$ROOT/src" "$copy/"
	name_literals "$copy" > "$BATS_TEST_TMPDIR/before"
	echo 'static bool is_x(const char *name) { return fact_text_is(name, "dlpack"); } /* a "comment" */' >> "$copy/src/run/run_targets.c"
	echo 'static const char *const runtimes[] = { "cuda", /* "rocm" */ "sycl cuda" };' >> "$copy/src/formats/tap/tap.c"
	run diff "$BATS_TEST_TMPDIR/before" <(name_literals "$copy")
	[ "$(grep -c '^>' <<< "$output")" -eq 3 ]
	[[ "$output" == *"> src/formats/tap/tap.c: cuda"*"> src/formats/tap/tap.c: sycl cuda"*"> src/run/run_targets.c: dlpack"* ]]
}

# fake_convert PATH ARGUMENT...: a conversion that takes this path and whose elements are right.
fake_convert() {
	suai convert --verify --query copy.path,copy.engine,copy.verified "${@:2}"
	[ "$status" -eq 0 ]
	[ "$output" = "$1"$'\nfake\ntrue' ]
}

@test "a fake runtime is one directory and one line, and its memory is copied in every way" {
	requires numpy
	copy="$BATS_TEST_TMPDIR/copy"
	mkdir -p "$copy"
	# With the objects that are built here, if they are newer than the sources.
	git -C "$ROOT" ls-files -z | (cd "$ROOT" && xargs -0 cp -p --parents -t "$copy")
	built_objects | tar -C "$copy" -x
	mkdir "$copy/src/devices/fake"
	cp "$ROOT/testdata/fakes/runtime/fake.c" "$copy/src/devices/fake/"
	sed -i 's/^#define DEVICE_RUNTIME_LIST(EACH) .*/&\n\tEACH(fake, ext_dev, PROBED, ORDINAL) \\/' "$copy/src/model/runtimes.h"
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$copy" CC="$(sed 's/ -std=.*//' "$ROOT/build/flags")" CFLAGS=-O0 -o build/flags all
	SUAI="$copy/suai"
	suai devices --query runtime,device.type,name
	[[ "$output" == *"fake"*"ext_dev"*"Fake Device"* ]]
	exporter="$ROOT/testdata/fakes/runtime/exporter.py"
	suai inspect -f json "$exporter:exporter"
	[ "$(jq -r '.targets[0].interfaces[0].array.memory.by' <<< "$output")" = fake ]
	# To it, on a new stream; from it; within it, with and without a kernel. --verify reads it.
	export SUAI_DEBUG=fake
	fake_convert memcpy --to dlpack --device ext_dev:0 --stream new -c 'import numpy' 'numpy.arange(12.0)'
	[[ $stderr == *"open_stream"*"allocate"*"write"*"wait"*"read"*"release"* ]]
	fake_convert kernel --to numpy "$exporter:strided"
	[[ $stderr == *"wait"*"allocate"*"copy_strided"*"read"*"release"* ]]
	fake_convert memcpy --to dlpack --copy always "$exporter:exporter"
	[[ $stderr == *"wait"*"allocate"*"move"*"release"* ]]
	fake_convert kernel --to dlpack --copy always --order C "$exporter:strided"
	[[ $stderr == *"allocate"*"copy_strided"*"release"* ]]
	suai inspect -f json --values=2 "$exporter:strided"
	jq -e '.targets[0].data | .engine == "fake" and .values == [0, 6]' <<< "$output"
	[[ $stderr == *"wait"*"copy_strided"*"read"* ]]
	suai validate --lifetime -f json --exit-zero "$exporter:Exporter(numpy.arange(8.0))"
	[ "$(jq -c '.targets[0].trials[] | select(.trial == "outlive") | [.outcome, .counts.changed]' <<< "$output")" = '["done",false]' ]
}

@test "suai needs only the C library and no symbol of Python, a driver or dpctl" {
	run bash -c "readelf -d '$SUAI' | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v '^libm\.'"
	[ "$output" = libc.so.6 ]
	run bash -c "nm -u '$SUAI' | grep -E ' (_?Py|cu[A-Z]|cl[A-Z]|DPCTL)'"
	[ -z "$output" ]
}

@test "suai exports nothing, so that an embedded PyYAML keeps its own libyaml" {
	run bash -c "nm -D --defined-only '$SUAI' | grep -E ' (yaml_|json_|Py)'"
	[ -z "$output" ]
}

@test "the module exports only PyInit__suai and needs no libpython and no driver" {
	run bash -c "nm -D --defined-only '$ROOT/_suai.abi3.so' | sed 's/.* //'"
	[ "$output" = PyInit__suai ]
	run bash -c "readelf -d '$ROOT/_suai.abi3.so' | grep NEEDED | grep -E 'python|cuda|OpenCL|DPCTL|sycl'"
	[ -z "$output" ]
	run bash -c "nm -u '$ROOT/_suai.abi3.so' | grep -E ' (cu[A-Z]|cl[A-Z]|DPCTL)'"
	[ -z "$output" ]
}

@test "suai-devices needs only the C library, and nothing of Python" {
	run bash -c "readelf -d '$ROOT/suai-devices' | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libm|ld-linux.*)\.'"
	[ "$output" = libc.so.6 ]
	run bash -c "nm -u '$ROOT/suai-devices' | grep -E ' (_?Py|cu[A-Z]|cl[A-Z]|DPCTL)'"
	[ -z "$output" ]
}

@test "dlpack.h is version 1.3 and not copied into the repository" {
	include="${DLPACK_INCLUDE:-$ROOT/build/deps/include}"
	grep -q 'define DLPACK_MAJOR_VERSION 1' "$include/dlpack/dlpack.h"
	grep -q 'define DLPACK_MINOR_VERSION 3' "$include/dlpack/dlpack.h"
	run git -C "$ROOT" grep -lE '^#define DLPACK_MAJOR_VERSION'
	[ -z "$output" ]
}

@test "no two functions of the sources have one name, so that grep finds the one" {
	# A function's body begins with a brace in the first column; its name is before the first parenthesis of the lines above.
	run awk '
		FNR == 1 { head = "" }
		/^\{$/ {
			if (head !~ /\(/)
				next
			sub(/\(.*/, "", head)
			sub(/.*[ *]/, "", head)
			if (head in file && file[head] != FILENAME)
				print head ": " file[head] " and " FILENAME
			file[head] = FILENAME
			head = ""
			next
		}
		{ gsub(/__attribute__\(\(.*\)\) ?/, "") }
		/^[a-zA-Z]/ { head = $0 }
		/^}/ || /^#/ || /^$/ { head = "" }
	' $(git -C "$ROOT" ls-files --full-name "$ROOT/src" | grep '\.[ch]$' | grep -v -e _test -e /test.h -e /fuzz/ -e '^src/main.c' | sed "s,^,$ROOT/,")
	echo "$output"
	[ -z "$output" ]
}

@test "the top level has no sources" {
	cd "$ROOT" || return 1
	run -0 git ls-files -- ':(glob)*' ':(glob,exclude)[A-Z]*' ':(glob,exclude).*' ':(exclude)pyproject.toml'
	[ -z "$output" ]
}

@test "no assertion of a test is the left side of &&, where the shell ignores its failure" {
	run grep -nE $'^\t+\\[[^|]* \\]+ && (\\[|!|grep )[^|]*$' "$ROOT"/bats/*.bats
	echo "$output"
	[ "$status" -eq 1 ]
}

@test "each test that testdata/tools/asan_expected.tsv expects to fail exists" {
	local file title found=0
	while IFS=$'\t' read -r _ file title _; do
		[ "$title" != 'setup_file failed' ] || continue
		grep -qxF "@test \"$title\" {" "$ROOT/bats/$file" || {
			echo "$file has no test \"$title\""
			false
		}
		found=$((found + 1))
	done < <(grep $'^test\t' "$ROOT/testdata/tools/asan_expected.tsv")
	[ "$found" -gt 0 ]
}
