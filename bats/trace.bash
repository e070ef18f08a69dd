# What the tests of suai trace, bats/trace_*.bats, share.

# build_exchanger NAME DIRECTORY INCLUDE FLAG...: testdata/trace/exchanger.c as a module.
build_exchanger() {
	gcc -shared -fPIC -O2 -DMODULE_NAME="\"$1\"" -DMODULE_INIT="PyInit_$1" -isystem "$3" \
		-isystem "${DLPACK_INCLUDE:-$ROOT/build/deps/include}" -o "$2/$1.so" "${@:4}" "$ROOT/testdata/trace/exchanger.c" -pthread
}

# build_numpy_converter FILE: an extension module that converts by functions of NumPy's C API.
build_numpy_converter() {
	gcc -shared -fPIC -O1 -w -isystem "$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
		-isystem "$("$TEST_PYTHON" -c 'import numpy; print(numpy.get_include())')" -o "$1" "$ROOT/testdata/trace/numpy_converter.c"
}

# testdata/calls/exchange_toy.c as a module in this directory.
build_exchange_toy() {
	local flags
	read -ra flags < <("$TEST_PYTHON" -c 'import sysconfig; print("-isystem", sysconfig.get_path("include"), "-DPy_GIL_DISABLED" * bool(sysconfig.get_config_var("Py_GIL_DISABLED")))')
	gcc -shared -fPIC "${flags[@]}" \
		-isystem "${DLPACK_INCLUDE:-$ROOT/build/deps/include}" -o exchange_toy.so "$ROOT/testdata/calls/exchange_toy.c"
}

setup_file() {
	python=$("$TEST_PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')
	[ -e "$python/Python.h" ] || skip "no Python.h in $python"
	# Calls through the procedure linkage table, bound late, and through the global offset table.
	build_exchanger giver "$BATS_FILE_TMPDIR" "$python" -Wl,-z,lazy
	build_exchanger taker "$BATS_FILE_TMPDIR" "$python" -fno-plt -Wl,-z,now
}

setup() {
	export PYTHONPATH="$BATS_FILE_TMPDIR" PYTHONDONTWRITEBYTECODE=1
	cd "$BATS_TEST_TMPDIR" || return 1
}

# trace ARGUMENT...: runs the Python of the tests under suai trace, with the report in report.json.
trace() {
	suai trace -f json -o report.json "${options[@]}" -- "$TEST_PYTHON" "$@"
}

# trace_unchanged ARGUMENT...: trace; the program exits with 0 and writes the same without suai, which is kept in plain.
trace_unchanged() {
	plain=$("$TEST_PYTHON" "$@")
	trace "$@"
	[ "$status" -eq 0 ]
	[ "$output" = "$plain" ]
}

# list_call_sites FROM: those of report.json from a line on: line, protocol, libraries, exchanges and bytes.
list_call_sites() {
	jq -r --argjson from "$1" '.call_sites | sort_by(.line, .consumer)[] | select(.line >= $from) |
		"\(.line) \(.protocol) \(.producer)>\(.consumer) \(.exchanges) \(.bytes)"' report.json
}

# reported QUERY: of report.json.
reported() {
	jq -c "$1" report.json
}
