#!/usr/bin/env bats
# Engines that distribute arrays. They run on demand, with `make test-distributed`, which installs them.

load helpers

# The launcher of the environment, or of the system; skips the test if there is none.
mpiexec_of_python() {
	requires numpy
	MPIEXEC=$(dirname "$TEST_PYTHON")/mpiexec
	[ -x "$MPIEXEC" ] || MPIEXEC=$(command -v mpiexec) || skip "no mpiexec on this machine"
	"$MPIEXEC" -n 1 "$TEST_PYTHON" -c 'from mpi4py import MPI' 2>/dev/null || skip "no mpi4py in $TEST_PYTHON that runs under $MPIEXEC"
}

@test "ranks of MPI report their objects, and wait in MPI_Finalize for the one that is still busy" {
	mpiexec_of_python
	export SECONDS_BUSY=3 # longer than the 2 s that a worker otherwise has to exit
	for host in embed exec; do
		run -0 --separate-stderr "$MPIEXEC" -n 3 sh -c \
			'"$0" inspect --host "$1" -f json -o "$2.$$" "$3:a"' "$SUAI" "$host" "$BATS_TEST_TMPDIR/$host" "$ROOT/testdata/distributed/ranks.py"
		[ -z "$stderr" ]
		[ "$(cat "$BATS_TEST_TMPDIR/$host".* | jq -r '.targets[] | "\(.status) \(.interfaces | length)"' | sort | uniq -c | tr -s ' ')" = " 3 ok 4" ]
	done
}

@test "a rank that waits in MPI_Finalize for longer than --timeout is reported" {
	mpiexec_of_python
	export SECONDS_BUSY=5
	run --separate-stderr "$MPIEXEC" -n 2 sh -c \
		'[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 1 ] || exec "$0" inspect -q "$1:a"; "$0" inspect -q --timeout 3 "$1:a"; echo "exit $?"' \
		"$SUAI" "$ROOT/testdata/distributed/ranks.py"
	[[ $stderr == *"suai: MPI_Finalize did not return within 3 s: other MPI ranks are still running; --timeout sets the limit"* ]]
	[[ $output == *"exit 3"* ]]
}

# recipe TITLE: the Python code of a section of docs/distributed.md, of at most ten lines.
recipe() {
	awk -v title="## $1" '$0 == title { on = 1; next } /^## / { on = 0 } on && /^```/ { code = /python/; next } on && code' \
		"$ROOT/docs/distributed.md" > "$BATS_TEST_TMPDIR/recipe.py"
	[ "$(grep -c . "$BATS_TEST_TMPDIR/recipe.py")" -gt 4 ]
	[ "$(grep -c . "$BATS_TEST_TMPDIR/recipe.py")" -le 10 ]
	export PYTHONPATH="$ROOT/python:$ROOT/testdata/distributed" PYTHONDONTWRITEBYTECODE=1
}

# report_cost: the line that a recipe's program prints.
report_cost() {
	echo "$output"
	[ "$status" -eq 0 ]
	grep ' per piece$' <<< "$output" | sed 's/^/# /' >&3
}

@test "the recipe for Dask transfers no chunk and finds eight faults among 256 chunks" {
	requires numpy dask distributed
	recipe Dask
	run "$TEST_PYTHON" "$ROOT/testdata/distributed/dask_array.py" "$BATS_TEST_TMPDIR/recipe.py"
	report_cost
}

@test "the recipe for MPI finds eight faults with four ranks" {
	mpiexec_of_python
	recipe MPI
	run "$MPIEXEC" -n 4 "$TEST_PYTHON" "$ROOT/testdata/distributed/mpi_array.py" "$BATS_TEST_TMPDIR/recipe.py"
	report_cost
}

@test "the recipe for Ray finds eight faults" {
	requires numpy ray
	recipe Ray
	export HOME="$BATS_TEST_TMPDIR" RAY_AUTH_MODE=disabled
	run "$TEST_PYTHON" "$ROOT/testdata/distributed/ray_array.py" "$BATS_TEST_TMPDIR/recipe.py"
	report_cost
}
