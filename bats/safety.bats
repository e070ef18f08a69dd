#!/usr/bin/env bats
# The effect of the working directory: nothing in it is imported or executed unless a target is Python code.

load helpers
load interpreters

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	printf 'import array\na = array.array("d", range(9))\n' > script.py
	"$SUAI" convert script.py:a -o a.npy > /dev/null
	"$SUAI" inspect -f yaml a.npy > dump.yaml
	pythons=$(interpreters) # queried outside of this directory, where 3.13 would import a trap
	mkdir here
	cd here || return 1
}

# set_traps: a module for each name that Python or suai may import; importing it leaves a record.
set_traps() {
	"$TEST_PYTHON" -c '
import sys
names = {"sitecustomize", "usercustomize", "_suai", "suai", "numpy", "dpctl", "dpnp", "cupy", "numba", "torch", "jax", "ml_dtypes"}
for name in names | set(sys.stdlib_module_names):
    with open(name + ".py", "w") as file:
        file.write(f"import sys\nsys.stderr.write(\"TRAPPED by {name}\\n\")\n")'
}

# imports_nothing ARGUMENT...: suai succeeds, and none of the traps was imported.
imports_nothing() {
	suai "$@"
	[ "$status" -eq 0 ]
	[[ "$output$stderr" != *TRAPPED* ]]
}

@test "commands without Python targets import nothing from the working directory, with any interpreter" {
	set_traps
	for python in $pythons; do
		export SUAI_PYTHON=$python
		for PYTHONPATH in "" ":" ".:$PWD/../nothing:" "../here"; do
			export PYTHONPATH
			imports_nothing devices
			imports_nothing convert ../a.npy --to numpy
		done
		unset PYTHONPATH
		imports_nothing convert ../a.npy --to dlpack --verify
		imports_nothing convert ../a.npy -o ../copy.npy --order F --timing
		imports_nothing inspect --values --stats --checksum ../a.npy
		imports_nothing inspect ../a.npy
		imports_nothing validate --all ../a.npy
		imports_nothing validate ../dump.yaml
		imports_nothing inspect ../dump.yaml
	done
}

@test "consumers of .npy files and SYCL devices are not imported from the working directory" {
	requires numpy sycl
	set_traps
	imports_nothing convert ../a.npy --to dlpack --call numpy:from_dlpack
	imports_nothing convert ../a.npy --to sycl --device sycl:cpu
}

# set_library_traps: libraries that a driver finds if its run path has empty entries.
set_library_traps() {
	local name
	echo 'int trap;' | gcc -shared -fPIC -x c -o libz.so.1 -
	for name in librt.so.1 libdl.so.2 libpthread.so.0 libgcc_s.so.1 libtbb.so.12 libcuda.so.1 libOpenCL.so.1 libsycl.so.9 \
		libDPCTLSyclInterface.so.0 libDPCTLSyclInterface.so; do
		cp libz.so.1 "$name"
	done
}

@test "drivers load no library from the working directory" {
	set_library_traps
	mkdir ../elsewhere
	for arguments in devices --version 'convert ../a.npy --to sycl --device sycl:cpu --dry-run'; do
		# shellcheck disable=SC2086 # words
		diff <(cd ../elsewhere && "$SUAI" $arguments 2>&1) <("$SUAI" $arguments 2>&1)
	done
}

@test "OCL_ICD_VENDORS may be relative to the working directory" {
	requires sycl
	[ -d "$OCL_ICD_VENDORS" ] || skip "OCL_ICD_VENDORS is not a directory"
	"$SUAI" devices > ../expected
	cp -r "$OCL_ICD_VENDORS" icd
	diff ../expected <(OCL_ICD_VENDORS=icd "$SUAI" devices)
}

@test "a consumer of a .npy file runs in the working directory" {
	suai convert ../a.npy --to dlpack --call '__import__("pathlib").Path("made").touch() or _'
	[ "$status" -eq 0 ]
	[ -e made ]
	SUAI_NO_PROC_FD=1 suai convert ../a.npy -o made.npy --verify
	[ "$status" -eq 0 ]
	cmp ../a.npy made.npy
}

@test "a script imports from its own directory and not from the working directory, even before it runs" {
	set_traps
	for python in $pythons; do
		export SUAI_PYTHON=$python
		imports_nothing inspect -p buffer ../script.py:a
	done
}

@test "suai itself imports nothing from the directory of a script or of -c" {
	set_traps
	echo 'a = bytearray(3)' > script.py
	for python in $pythons; do
		export SUAI_PYTHON=$python
		for target in '-c a=bytearray(3) a' script.py:a; do
			# shellcheck disable=SC2086 # words
			imports_nothing convert $target --to dlpack --verify --call 'str(_) and _'
			# shellcheck disable=SC2086
			imports_nothing validate --all -p buffer $target
		done
		for code in x 'import nothing_of_this_name' '1 /'; do
			suai inspect -p buffer -c "$code" 1
			[ "$status" -eq 3 ]
			[[ "$output$stderr" != *TRAPPED* ]]
		done
		suai inspect -p buffer script.py:z
		[ "$status" -eq 2 ]
		[[ "$output$stderr" != *TRAPPED* ]]
	done
}

@test "a dotted module and -c import from the working directory" {
	printf 'b = bytearray(3)\n' > local_module.py
	suai inspect --query shape -p buffer local_module:b
	[ "$status" -eq 0 ]
	[ "$output" = 3 ]
	suai inspect --query shape -p buffer -c 'import local_module' local_module.b
	[ "$output" = 3 ]
	suai inspect --query shape -p buffer ../script.py:a local_module:b
	[ "$status" -eq 0 ]
	suai inspect -p buffer ../script.py:a ../script.py:'__import__("local_module").b'
	[ "$status" -eq 3 ]
	PYTHONSAFEPATH=1 suai inspect -p buffer local_module:b
	[ "$status" -eq 2 ]
}

@test "a script finds neither suai's bootstrap nor its directory" {
	printf 'import __main__, sys\nassert not hasattr(__main__, "__file__") and "" not in sys.path, sys.path
assert not any("suai-bootstrap" in word for word in sys.argv + list(sys.modules)), sys.argv
assert sys.path[0] == __file__.rpartition("/")[0] and sys.path[1].endswith(".zip"), sys.path\nb = b"abc"\n' > ../sees.py
	for python in $pythons; do
		suai inspect -q -p buffer --python "$python" ../sees.py:b
		[ "$status" -eq 0 ]
	done
}
