#!/usr/bin/env bats
# suai trace: what docs/trace.md states.

load helpers
load interpreters
load trace

@test "the tutorial of docs/trace.md shows what its commands print" {
	requires numpy scipy
	"$TEST_PYTHON" -c 'import scipy, sys; sys.exit(int(scipy.__version__.split(".")[1]) >= 18)' ||
		skip 'of SciPy before 1.18, whose f2py does not request copies by a flag'
	local command='' printed='' line n_lines=0
	mkdir bin
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$TEST_PYTHON" > bin/python3
	chmod +x bin/python3
	PATH="$PWD/bin:$ROOT:$PATH"
	unset -f suai
	sed -n '/^```python$/,/^```$/p' "$ROOT/docs/trace.md" | grep -v '^```' > pipeline.py
	diff pipeline.py "$ROOT/demo/pipeline.py"
	sed -n '/^```python solve$/,/^```$/p' "$ROOT/docs/trace.md" | grep -v '^```' > solve.py
	while IFS= read -r line; do
		case $line in
		'$ '*)
			command=${line#'$ '}
			printed=$(eval "$command" 2>&1 | sed -E 's/for up to [0-9.]+ m?s$/for up to 25 ms/' || true) ;;
		?*)
			grep -qxF -- "$line" <<< "$printed" || { printf '%s does not print: %s\n%s\n' "$command" "$line" "$printed"; return 1; }
			n_lines=$((n_lines + 1)) ;;
		esac
	done < <(sed -n '/^```console$/,/^```$/p' "$ROOT/docs/trace.md" | grep -v '^```')
	[ "$n_lines" -eq 27 ]
}

@test "what docs/trace.md lists as not seen does not count as an exchange" {
	requires numpy jax pyarrow
	cat > app.py <<-'END'
		import ctypes
		import numpy as np, jax, jax.numpy as jnp, pyarrow as pa
		a, b = np.arange(4096.0), np.zeros(4096)
		add = jax.jit(lambda v: v + 1)
		add(a)
		class Struct:
		    __array_struct__ = a.__array_struct__
		class Array:
		    def __array__(self, dtype=None, copy=None):
		        return a
		class Point:
		    def __init__(self, x):
		        self.x = x
		jax.tree_util.register_pytree_node(Point, lambda p: ((p.x,), None), lambda _, c: Point(*c))
		memoryview(a), bytes(a), a.data
		np.asarray(Struct())
		np.copyto(b, a), a.astype("f4"), a.copy(), ctypes.memmove(b.ctypes.data, a.ctypes.data, a.nbytes)
		jnp.sin(a), add(a), jax.device_put(Point(a))
		pa.array(a).to_numpy(), pa.array([a, b]), pa.array(a).__arrow_c_array__(), pa.array(pa.array(a))
		np.asarray(Array())
		np.asarray(memoryview(a))
	END
	suai trace --min-bytes 4096 -o report.json -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	# The last line is seen.
	[ "$(reported '[.call_sites[] | select(.line > 14) | [.line, .protocol, .exchanges]]')" = '[[21,"buffer",1]]' ]
}
