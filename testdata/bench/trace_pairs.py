"""What suai trace costs loops of one call that is not an exchange: nanoseconds of a call with it, divided by those without it, in processes
that take turns, and the same ratio of processes without it, which is the noise. Starts and reports are not included.

Usage: trace_pairs.py [ROUNDS [NAME...]]   (SUAI: the program; loops whose package is missing are skipped)"""

from paired_runs import compare, run

NUMPY = "import numpy as np; x = np.arange(4.0)"
JAX = "import jax.numpy as jnp; x = jnp.arange(4.0); y = x + 1; jnp.sin(x)"
TORCH = "import torch; torch.set_num_threads(1); x = torch.arange(4.0); y = x + 1"
PANDAS = "import pandas as pd; x = pd.Series([1.0, 2.0] * 30); d = pd.DataFrame({'k': x, 'v': x})"
# Name: setup, call, calls in a loop.
LOOPS = {
    "np.array(list of numbers)": ("import numpy as np; x = [1.0, 2.0, 3.0, 4.0]", "np.array(x)", 15000),
    "np.array(list of numbers, dtype)": ("import numpy as np; x = [1.0, 2.0, 3.0, 4.0]", "np.array(x, dtype=np.float32)", 10000),
    "np.array(list of lists)": ("import numpy as np; x = [[1.0, 2.0], [3.0, 4.0]]", "np.array(x)", 10000),
    "np.array(tuple of numbers)": ("import numpy as np; x = (1.0, 2.0, 3.0, 4.0)", "np.array(x)", 15000),
    "np.array(list of tuples)": ("import numpy as np; x = [(1.0, 2.0), (3.0, 4.0)]", "np.array(x)", 10000),
    "np.array(list of strings)": ("import numpy as np; x = ['a', 'b']", "np.array(x)", 15000),
    "np.array(list of np.float64)": ("import numpy as np; x = [np.float64(1)] * 4", "np.array(x)", 15000),
    "np.array(list of arrays)": ("import numpy as np; x = [np.arange(4.0)] * 4", "np.array(x)", 7500),
    "np.array(array)": (NUMPY, "np.array(x)", 25000),
    "np.array(array, dtype)": (NUMPY, "np.array(x, dtype=np.float32)", 10000),
    "np.asarray(array)": (NUMPY, "np.asarray(x)", 75000),
    "np.asarray(array, dtype)": (NUMPY, "np.asarray(x, dtype=np.float64)", 30000),
    "np.asarray(np.float64)": ("import numpy as np; x = np.float64(1)", "np.asarray(x)", 25000),
    "np.asarray(string)": ("import numpy as np; x = 'abc'", "np.asarray(x)", 15000),
    "np.asarray(number)": ("import numpy as np; x = 1.0", "np.asarray(x)", 25000),
    "array + array": (NUMPY, "x + x", 15000),
    "array.shape": (NUMPY, "x.shape", 75000),
    "a function of Python": ("d = {'a': 1}\ndef f(a): return a['a'] + 1", "f(d)", 75000),
    "hashlib.sha256(bytes)": ("import hashlib; x = bytes(100)", "hashlib.sha256(x)", 10000),
    "JAX: x + y": (JAX, "x + y", 1500),
    "JAX: jnp.sin(x)": (JAX, "jnp.sin(x)", 1500),
    "JAX: jnp.asarray(x)": (JAX, "jnp.asarray(x)", 1500),
    "JAX: jnp.array(list of numbers)": (JAX, "jnp.array([1.0, 2.0])", 500),
    "JAX: jnp.array(list of its arrays)": (JAX, "jnp.array([x, y])", 150),
    "PyTorch: x + y": (TORCH, "x + y", 5000),
    "JAX: device_put(list of numbers)": (JAX + "; import jax", "jax.device_put([1.0, 2.0])", 250),
    "PyTorch: tensor(list)": (TORCH, "torch.tensor([1.0, 2.0])", 2500),
    "PyTorch: tensor(list of its tensors)": (TORCH, "torch.tensor([x[0], y[0]])", 500),
    "PyTorch: tensor(tuple of numbers)": (TORCH, "torch.tensor((1.0, 2.0))", 2500),
    "pandas: x + x": (PANDAS, "x + x", 150),
    "pandas: d['k'].mean()": (PANDAS, "d['k'].mean()", 150),
}
CHILD = """
import sys, time
setup, call, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
space = {}
exec(setup + "\\ndef repeat():\\n    for _ in range(%d): %s" % (n, call), space)
repeat, best = space["repeat"], 9e9
repeat()
for _ in range(25):
    began = time.perf_counter_ns()
    repeat()
    best = min(best, time.perf_counter_ns() - began)
print(best / n)
"""


def nanoseconds(prefix, name):
    setup, call, n = LOOPS[name]
    return float(run(name, prefix, [CHILD, setup, call, str(n)]))


compare(LOOPS, 15, "ns", "%.1f", nanoseconds)
