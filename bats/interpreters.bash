# The interpreters of this machine, and one built with a shared libpython if there is none.

# Every Python 3 that is found, one per line, each executable once, including old versions.
all_interpreters() {
	local python real seen=' '
	for python in "$TEST_PYTHON" /usr/bin/python3.[0-9]* /usr/local/bin/python3.[0-9]* \
		"$HOME"/.pyenv/versions/*/bin/python3 /opt/*/bin/python3; do
		[[ $python =~ /python[0-9.]*$ && -x $python ]] || continue
		real=$(readlink -f "$python")
		case $python:$seen in
		"$TEST_PYTHON":*) ;; # environments are tested separately
		*" $real "*) continue ;;
		esac
		[ "$python" = "$TEST_PYTHON" ] || seen="$seen$real "
		echo "$python"
	done
}

is_usable() {
	"$1" -c 'import sys; sys.exit(sys.version_info < (3, 11) or "t" in sys.abiflags)' 2>/dev/null
}

# Whether the program uses a shared libpython.
is_shared() {
	readelf -d "$(readlink -f "$1")" 2>/dev/null | grep -q 'NEEDED.*\[libpython3'
}

interpreters() {
	local python
	all_interpreters | while read -r python; do
		if is_usable "$python"; then echo "$python"; fi
	done
}

# Builds a minimal program linked to libpython and prints its path.
build_shared_interpreter() {
	local folder="$1" config library_folder
	config=$(command -v python3-config /usr/bin/python3-config | grep -v /shims/ | head -n 1)
	library_folder=$("$config" --prefix)/lib
	mkdir -p "$folder"
	cat > "$folder/main.c" <<-'END'
		#include <Python.h>

		int main(int argc, char **argv)
		{
			return Py_BytesMain(argc, argv);
		}
	END
	# shellcheck disable=SC2046 # the flags are words
	gcc -o "$folder/python3" "$folder/main.c" $("$config" --includes) $("$config" --ldflags --embed) \
		-Wl,-rpath,"$library_folder:$library_folder/$(gcc -print-multiarch)" >&2
	echo "$folder/python3"
}

# The first interpreter that can be embedded; built if this machine has none.
shared_interpreter() {
	local python
	for python in $(interpreters); do
		if is_shared "$python"; then
			echo "$python"
			return
		fi
	done
	build_shared_interpreter "$BATS_FILE_TMPDIR/shared"
}

# The first static interpreter, or nothing.
static_interpreter() {
	local python
	for python in $(interpreters); do
		if ! is_shared "$python"; then
			echo "$python"
			return
		fi
	done
}

# fetched_interpreter VERSION: the CPython that tools/fetch-python got, or nothing.
fetched_interpreter() {
	local python="$ROOT/build/python$1/usr/bin/python$1"
	if [ -e "$ROOT/build/python$1/.ready" ]; then
		echo "$python"
	fi
}

# The first interpreter without a GIL that has NumPy, such as that of 'make test-freethreaded', or nothing.
freethreaded_interpreter() {
	local python
	for python in "$TEST_PYTHON" "$ROOT"/build/freethreaded/venv/bin/python /usr/bin/python3.[0-9]*t /usr/local/bin/python3.[0-9]*t \
		"$HOME"/.pyenv/versions/*t/bin/python3; do
		if [ -x "$python" ] && "$python" -c 'import sys, numpy; sys.exit("t" not in sys.abiflags)' 2> /dev/null; then
			echo "$python"
			return
		fi
	done
}
