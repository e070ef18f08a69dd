#!/usr/bin/env bats
# The wheels in dist/ (make wheel): installed, they work in any environment, and removed, they leave no file.

load helpers

setup_file() {
	shopt -s nullglob
	wheels=("$ROOT"/dist/suai-*_"$(uname -m)".whl)
	export WHEEL="${wheels[0]:-}"
	[ -n "$WHEEL" ] || return 0
	"$TEST_PYTHON" -m venv "$BATS_FILE_TMPDIR/venv"
	"$BATS_FILE_TMPDIR/venv/bin/python" -m pip install -q --no-index "$WHEEL"
	export VENV="$BATS_FILE_TMPDIR/venv"
}

setup() {
	unset SUAI_PYTHON
	[ -n "$WHEEL" ] || [[ "$BATS_TEST_DESCRIPTION" == "building a wheel "* ]] || skip "no wheel in dist/: make wheel"
}

@test "wheels are under 2 MiB and contain the licences of what is linked into them" {
	for wheel in "$ROOT"/dist/suai-*.whl; do
		[ "$(stat -c %s "$wheel")" -lt $((2 << 20)) ]
		for licence in LICENSE libyaml.txt jansson.txt liblzma.txt dlpack.txt; do
			"$TEST_PYTHON" -m zipfile -l "$wheel" | grep -q "dist-info/licenses/.*$licence"
		done
	done
}

@test "the program of a virtual environment finds its files and interpreter without activation, also through a link" {
	ln -s "$VENV/bin/suai" "$BATS_TEST_TMPDIR/suai"
	for SUAI in "$VENV/bin/suai" "$BATS_TEST_TMPDIR/suai"; do
		suai inspect --query shape -p buffer -c 'import sys; b = sys.prefix.encode()' 'b'
		[ "$output" = "$(printf %s "$VENV" | wc -c)" ]
	done
	cd "$BATS_TEST_TMPDIR"
	run "$VENV/bin/python" -m suai --version
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == "suai "* && "$output" == *"python: $VENV/bin/python"* ]]
}

@test "man pages and completions are installed" {
	for file in man/man1/suai.1 man/man7/suai-rules.7 man/man5/suai.yaml.5 bash-completion/completions/suai \
		zsh/site-functions/_suai fish/vendor_completions.d/suai.fish; do
		[ -s "$VENV/share/$file" ]
	done
}

@test "an installation with --target works" {
	"$VENV/bin/python" -m pip install -q --no-index --target "$BATS_TEST_TMPDIR/target" "$WHEEL"
	SUAI="$BATS_TEST_TMPDIR/target/bin/suai"
	PATH="$VENV/bin:$PATH" suai inspect --query shape -p buffer -c 'b = b"abc"' b
	[ "$output" = 3 ]
}

@test "a program that is installed for one version of Python uses that version" {
	local version
	version=python$("$VENV/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	"$VENV/bin/python" -m pip install -q --no-index --ignore-installed --prefix "$BATS_TEST_TMPDIR/user" "$WHEEL"
	mkdir "$BATS_TEST_TMPDIR/path"
	printf '#!/bin/sh\nexit 1\n' > "$BATS_TEST_TMPDIR/path/python3"
	chmod +x "$BATS_TEST_TMPDIR/path/python3"
	ln -s "$VENV/bin/python" "$BATS_TEST_TMPDIR/path/$version"
	run env -u VIRTUAL_ENV -u CONDA_PREFIX -u SUAI_PYTHON PATH="$BATS_TEST_TMPDIR/path" \
		"$BATS_TEST_TMPDIR/user/bin/suai" inspect -p buffer -c 'b = b"abc"' b
	echo "$output"
	[ "$status" -eq 0 ]
	mkdir -p "$BATS_TEST_TMPDIR/user/lib/python3.39/site-packages/suai" # two versions: neither is certain
	touch "$BATS_TEST_TMPDIR/user/lib/python3.39/site-packages/suai/__init__.py"
	run env -u VIRTUAL_ENV -u CONDA_PREFIX -u SUAI_PYTHON PATH="$BATS_TEST_TMPDIR/path" \
		"$BATS_TEST_TMPDIR/user/bin/suai" inspect -p buffer -c 'b = b"abc"' b
	[ "$status" -eq 4 ]
}

@test "the JSON Schema of reports is a file of the package" {
	"$VENV/bin/python" - > "$BATS_TEST_TMPDIR/report.json" <<-'END'
		import suai
		print(suai.validate(memoryview(b"abc")).json())
	END
	schema=$("$VENV/bin/python" -c 'import importlib.resources as r; print(r.files("suai") / "suai.schema.json")')
	[ "$(jq -cS . "$schema")" = "$(jq -cS . "$ROOT/schema/suai.schema.json")" ]
	"$TEST_PYTHON" - "$schema" "$BATS_TEST_TMPDIR/report.json" <<-'END'
		import json, sys, jsonschema
		schema, report = (json.load(open(path)) for path in sys.argv[1:])
		jsonschema.validate(report, schema)
	END
}

@test "suai trace finds the library of the package" {
	run "$VENV/bin/suai" trace -q -- "$VENV/bin/python" -c 'import array, hashlib'
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[1]}" = "0 exchanges" ] # it states if nothing was traced
}

@test "import suai judges an object of the process" {
	run "$VENV/bin/python" -c 'import suai; report = suai.validate(memoryview(b"abc")); print(report.ok, report.findings)'
	echo "$output"
	[ "$output" = "True []" ]
}

# pip removes a directory only if it held a file of the wheel, and leaves the directories above them, empty.
@test "uninstalling leaves no file behind, and no directory but those of share" {
	"$TEST_PYTHON" -m venv "$BATS_TEST_TMPDIR/venv"
	before=$(cd "$BATS_TEST_TMPDIR/venv" && find . -not -path '*/__pycache__*' | sort)
	"$BATS_TEST_TMPDIR/venv/bin/python" -m pip install -q --no-index "$WHEEL"
	"$BATS_TEST_TMPDIR/venv/bin/suai" inspect -p buffer -c 'b = b"abc"' b
	"$BATS_TEST_TMPDIR/venv/bin/python" -c 'import suai'
	"$BATS_TEST_TMPDIR/venv/bin/python" -m pip uninstall -q -y suai
	diff <(echo "$before") <(cd "$BATS_TEST_TMPDIR/venv" && find . -not -path '*/__pycache__*' |
		grep -vxE '\./share|\./share/(bash-completion|fish|man|zsh)' | sort)
}

# hook PLATFORM LIBC SOABI IMPLEMENTATION [MINOR]: what the build of a wheel prints on such a platform, and its exit status.
hook() {
	run --separate-stderr "$TEST_PYTHON" - "$ROOT/tools/hatch_build.py" "$@" <<-'END'
		import platform, runpy, sys, sysconfig, types
		for name in "hatchling", "hatchling.builders", "hatchling.builders.hooks", "hatchling.builders.hooks.plugin":
		    sys.modules[name] = types.ModuleType(name)
		sys.modules["hatchling.builders.hooks.plugin.interface"] = types.SimpleNamespace(BuildHookInterface=object)
		path, system, libc, soabi, implementation, *minor = sys.argv[1:]
		require_platform = runpy.run_path(path)["require_platform"]
		sys.platform = system
		sys.implementation.name = implementation
		platform.libc_ver = lambda: (libc, "2.36")
		sysconfig.get_config_var = {"SOABI": soabi}.get
		if minor:
		    sys.version_info = 3, int(minor[0]), 13
		    platform.python_version = lambda: "3.%s.13" % minor[0]
		require_platform()
	END
}

@test "building a wheel without glibc, on macOS, on Windows and for PyPy is refused with what is missing" {
	requires='suai requires CPython on Linux with glibc; this is'
	while IFS=, read -r system libc soabi implementation found; do
		hook "$system" "$libc" "$soabi" "$implementation"
		[ "$status" -eq 1 ]
		[ "$stderr" = "$requires $found" ]
	done <<-'END'
		linux,,cpython-312-x86_64-linux-musl,cpython,Linux with musl
		linux,musl,,cpython,musl
		linux,,,cpython,Linux without glibc
		darwin,,cpython-312-darwin,cpython,macOS
		win32,,,cpython,Windows
		linux,glibc,pypy310-pp73-x86_64-linux-gnu,pypy,pypy
	END
	hook linux glibc cpython-312-x86_64-linux-gnu cpython
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
}

@test "building a wheel for CPython 3.10 is refused before anything is compiled" {
	hook linux glibc cpython-310-x86_64-linux-gnu cpython 10
	[ "$status" -eq 1 ]
	[ "$stderr" = "suai requires CPython 3.11 or later; this is 3.10.13" ]
	hook linux glibc cpython-311-x86_64-linux-gnu cpython 11
	[ "$status" -eq 0 ]
}

@test "the wheel declares the pytest plugin, a module that does not import suai" {
	run "$VENV/bin/python" -c '
import importlib.metadata, importlib.util
[entry] = importlib.metadata.entry_points(group="pytest11", name="suai")
print(importlib.util.find_spec(entry.module).origin)'
	echo "$output"
	[[ "$output" == "$VENV"/*/site-packages/pytest_suai.py ]]
}
