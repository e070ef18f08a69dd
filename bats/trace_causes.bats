#!/usr/bin/env bats
# suai trace: the causes of copies, and that the fixes remove them.

load helpers
load interpreters
load trace

@test "a copy that the call requests, by an argument or by default, has that cause and its own fix" {
	requires numpy scipy jax
	cat > app.py <<-'END'
		import array
		import numpy as np, jax, jax.numpy as jnp
		from scipy.linalg import lapack
		b = array.array("d", range(4000))
		np.array(b)
		np.array(b, copy=None)
		np.asarray(b, copy=True)
		f = np.asfortranarray(np.eye(60, dtype="f8"))
		lapack.dgetrf(f)
		lapack.dgetrf(f, overwrite_a=1)
		memory = np.zeros(8016, "f4")
		first = -memory.ctypes.data % 64 // 4
		x = memory[first:first + 8000]
		jnp.array(x)
		jnp.asarray(x, copy=True)
		jax.device_put(x)
	END
	suai trace --min-bytes 20000 -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.call_sites[] | select(.copied > 0) | [.line, .copy_causes]] | sort')" = \
		'[[5,["requested"]],[7,["requested"]],[9,["requested"]],[14,["requested"]],[15,["requested"]]]' ]
	[ "$(reported '[.call_sites[] | select(.copied > 0) | .findings[].hint | split("(")[0]] | unique')" = \
		'["call jax.device_put","call numpy.asarray","use the argument of the function that avoids the copy, such as overwrite_a=True or copy=False, if there is one and the array may be overwritten"]' ]
	jq '.call_sites |= [.[] | select(.line == 5) | .consumer = ("pandas", "PIL")]' report.json > other.yaml
	suai validate -f json other.yaml
	[ "$(jq -c '[.targets[].findings[].hint | split(", ")[0]]' <<< "$output")" = '["pass copy=False","use the argument of PIL that avoids the copy"]' ]
}

@test "each fix that the report states for a copy removes it" {
	requires numpy
	suai trace -f json -o report.json -- "$TEST_PYTHON" "$ROOT/testdata/trace/fixes.py"
	[ "$status" -eq 0 ]
	run -0 "$TEST_PYTHON" "$ROOT/testdata/trace/check_fixes.py" "$ROOT/testdata/trace/fixes.py" report.json
	echo "$output"
	[ "${#lines[@]}" -eq 1 ]
	[ "${output% fixes}" -ge 3 ]
}

@test "each stated cause of a copy is one: the copy is not made once all of them are removed" {
	requires numpy jax
	cat > app.py <<-'END'
		import numpy as np, jax, jax.numpy as jnp
		nbytes, dtype, shape = 32000, np.dtype("f4"), 8000
		def aligned(dtype):
		    m = np.empty(nbytes + 64, 'u1'); a = m[-m.ctypes.data % 64:][:nbytes].view(dtype).reshape(-1)
		    return a
		a, b = aligned("f4"), aligned("f4")[1:7001]
		jnp.asarray(a)
		jnp.asarray(b)
		jax.device_put(b)
		jnp.asarray(a, copy=False)
		jnp.asarray(a.reshape(80, 100)[:, :90])
		jnp.asarray(a, dtype="f4")
		jax.device_put(a)
		jnp.from_dlpack(a)
		jax.device_put(aligned("f8"))
	END
	suai trace --min-bytes 20000 -o report.json -- "$TEST_PYTHON" app.py
	version=$("$TEST_PYTHON" -c 'import jax; print(jax.__version_info__ >= (0, 10))')
	if [ "$version" = True ]; then
		expected='[[7,["requested"]],[8,["alignment","requested"]],[9,["alignment"]],[10,["requested"]],[11,["strides","requested"]],[15,["element-type"]]]'
	else
		expected='[[8,["alignment"]],[9,["alignment"]],[11,["strides"]],[15,["element-type"]]]'
	fi
	[ "$(reported '[.call_sites[] | select(.copied > 0) | [.line, .copy_causes]] | sort')" = "$expected" ]
	[ "$(reported '[.call_sites[] | select(.line == 9) | .findings[].hint]')" = \
		"[\"create the array in aligned memory: m = numpy.empty(nbytes + 64, 'u1'); a = m[-m.ctypes.data % 64:][:nbytes].view(dtype).reshape(shape)\"]" ]
	[ "$version" = False ] || [[ $(reported '[.call_sites[] | select(.line == 8) | .findings[].hint] | add') == *"(1) call jax.device_put(a)"*"; (2) create the array in aligned memory"* ]]
}

@test "elements in the other byte order, without alignment, or of packed records are causes of copies" {
	requires numpy scipy
	cat > app.py <<-'END'
		import numpy as np
		from scipy import ndimage
		data = bytes(8001)
		packed = np.zeros(1000, dtype=[("flag", "u1"), ("value", "f8")])
		for values in np.zeros(1000, ">f8"), np.frombuffer(data, "f8", 1000, 1), packed["value"], np.zeros(2000)[::2]:
		    ndimage.uniform_filter1d(values, 3)
		swapped, shifted = np.zeros(1000, ">f8"), np.frombuffer(data, "f8", 1000, 1)
		ndimage.uniform_filter1d(swapped, 3)
		ndimage.uniform_filter1d(shifted, 3)
		ndimage.uniform_filter1d(packed["value"], 3)
		ndimage.uniform_filter1d(swapped.astype(swapped.dtype.newbyteorder("=")), 3)
		ndimage.uniform_filter1d(np.require(shifted, requirements="A"), 3)
		ndimage.uniform_filter1d(np.ascontiguousarray(packed["value"]), 3)
	END
	suai trace --min-bytes 5000 -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.call_sites[] | select(.protocol == "numpy-api") | [.line, .exchanges, .copied, (.copy_causes | sort)]] | sort')" = \
		'[[6,8,3,["alignment","byte-order","strides"]],[8,2,1,["byte-order"]],[9,2,1,["alignment"]],[10,2,1,["strides"]],[11,2,0,[]],[12,2,0,[]],[13,2,0,[]]]' ]
	[ "$(reported '[.call_sites[] | select(.line == 8 or .line == 9) | .findings[].hint] | sort')" = \
		"[\"align the array once: a = numpy.require(a, requirements='A')\",\"convert the array once: a = a.astype(a.dtype.newbyteorder('='))\"]" ]
}

@test "that arrays are items of a list or a tuple is a cause of copies" {
	requires numpy jax
	cat > app.py <<-'END'
		import array
		import numpy as np, jax.numpy as jnp
		a, m = np.zeros(4096, "f4"), array.array("d", range(512))
		jnp.asarray([a, a])
		jnp.array((a, a))
		np.asarray([m, m])
		np.array(m)
	END
	suai trace --min-bytes 4096 -o report.json -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | select(.line > 3 and .copied > 0) | [.line, (.copy_causes | index("items") != null)]] | sort | unique')" = \
		'[[4,true],[5,true],[6,true],[7,false]]' ]
}

@test "a copy that JAX makes to export an array is one, although it flags no tensor" {
	requires numpy jax
	cat > app.py <<-'END'
		import numpy as np, jax.numpy as jnp
		a = jnp.ones(4096)
		np.from_dlpack(a, copy=True)
		np.from_dlpack(a)
	END
	suai trace --min-bytes 4096 -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.call_sites[] | select(.line > 2 and .producer == "jaxlib") | [.line, .shared, .copied, .copy_causes]] | sort')" = \
		'[[3,0,1,["requested"]],[4,1,0,[]]]' ]
}

@test "torch.tensor copies what it receives by DLPack, and torch.as_tensor what it converts" {
	requires numpy torch
	cat > app.py <<-'END'
		import numpy as np, torch
		class Exporter:
		    def __dlpack__(self, **options):
		        return values.__dlpack__(**options)
		    def __dlpack_device__(self):
		        return values.__dlpack_device__()
		class Converter:
		    def __dlpack__(self, **options):
		        return torch.from_dlpack(values).__dlpack__(**options)
		    def __dlpack_device__(self):
		        return values.__dlpack_device__()
		values = np.zeros(4096)
		torch.tensor(Exporter())
		torch.as_tensor(Exporter())
		torch.as_tensor(Exporter(), dtype=torch.float32)
		torch.from_dlpack(Exporter())
		torch.tensor(Converter())
	END
	suai trace --min-bytes 4096 -o report.json -- "$TEST_PYTHON" app.py
	[ "$status" -eq 0 ]
	[ "$(reported '[.call_sites[] | [.line, .shared, .copied, .copy_causes]] | sort')" = \
		'[[9,0,0,[]],[13,0,1,["requested"]],[14,1,0,[]],[15,0,1,["element-type"]],[16,1,0,[]],[17,0,1,["requested"]]]' ]
}

@test "elements of the same size and another kind are a cause of a copy" {
	requires numpy
	cat > app.py <<-'END'
		import array, numpy as np
		integers = array.array("q", range(500))
		np.asarray(integers, dtype="f8")
		np.asarray(integers, dtype="u8")
		np.array(integers)
		np.asarray(integers, dtype="i8")
	END
	trace app.py
	[ "$(reported '[.call_sites[] | select(.bytes == 4000) | [.line, .shared, .copied, .copy_causes]] | sort')" = \
		'[[3,0,1,["element-type"]],[4,0,1,["element-type"]],[5,0,1,["requested"]],[6,1,0,[]]]' ]
}

@test "copies by PyTorch, and those that a library requests of NumPy, do not have the order of the elements as a cause" {
	requires numpy torch
	cat > app.py <<-'END'
		import numpy as np, torch
		a = np.zeros((100, 60), dtype="f4")
		torch.tensor(a[:, :50])
		torch.as_tensor(a.T, dtype=torch.float64)
		torch.from_numpy(a[:, ::2])
	END
	suai trace --min-bytes 10000 -o report.json -- "$TEST_PYTHON" app.py
	[ "$(reported '[.call_sites[] | select(.line > 2) | [.line, .shared, .copied, .copy_causes]] | sort')" = \
		'[[3,0,1,["requested"]],[4,0,1,["element-type"]],[5,1,0,[]]]' ]
}
