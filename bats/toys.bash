# For bats files whose types are built with a C compiler: testdata/calls/NAME.c as the module NAME, which
# lists its types in `names`.

# build_toy NAME: in setup_file; setup adds it to PYTHONPATH.
build_toy() {
	local python dlpack="${DLPACK_INCLUDE:-$ROOT/build/deps/include}"
	python=$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	[ -e "$python/Python.h" ] || skip "no Python.h in $python"
	"${CC:-gcc}" -Wall -Werror -shared -fPIC -isystem "$python" -I"$dlpack" \
		-o "$BATS_FILE_TMPDIR/$1.abi3.so" "$ROOT/testdata/calls/$1.c"
}

setup() {
	export PYTHONPATH="$BATS_FILE_TMPDIR"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# toys NAME PREFIX: the module's types whose names begin with PREFIX, as targets.
toys() {
	"$TEST_PYTHON" -c 'import importlib, sys
module, prefix = sys.argv[1:]
for name in importlib.import_module(module).names:
    if name.startswith(prefix): print(f"{module}:{name}()")' "$@"
}
