"""judge.py SEED [N]: whether `suai why` reports the cause that plain Python proves.

Each row of OBJECTS is an object with one deviation from an ordinary array of its library, and the cause that this deviation is. A pair
belongs to the pool if the consumer accepts the ordinary array and rejects the deviating one, in this interpreter and without suai: then
nothing but the deviation can be the cause. Draws N (50) pairs with the seed, from each cause in turn, asks `suai why` about each,
compares the causes, and executes each line that it offers. SUAI names the program; the interpreter that runs this file is used."""
import collections
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
FROZEN = "numpy.frombuffer(numpy.arange(8, dtype='i4').tobytes(), 'i4')"

# Library, expression of the ordinary array, then rows of a cause and the expression of an object with this deviation only.
OBJECTS = (
    ("numpy", "numpy.arange(8, dtype='i4')", (
        ("strides", "numpy.arange(16, dtype='i4')[1::2]"), ("strides", "numpy.arange(8, dtype='i4')[::-1]"),
        ("strides", "numpy.lib.stride_tricks.as_strided(numpy.ones(1, 'i4'), (8,), (0,))"), ("byte-order", "numpy.arange(8, dtype='>i4')"),
        ("element-type", "numpy.array(['a', 'bc'])"), ("element-type", "numpy.array([None, 1, 'x'], dtype=object)"),
        ("element-type", "numpy.zeros(4, 'm8[s]')"), ("element-type", "numpy.zeros(3, [('x', 'i4'), ('y', 'f8')])"),
        ("element-type", "numpy.zeros(4, 'c8')"), ("element-type", "numpy.zeros(4, 'g')"), ("element-type", "numpy.zeros(4, 'f2')"),
        ("element-type", "numpy.array([True, False, True])"), ("element-type", "numpy.zeros(4, 'S3')"),
        ("readonly", FROZEN), ("alignment", "numpy.zeros(33, 'u1')[1:].view('i4')"),
        ("dimensions", "numpy.array(5, 'i4')"), ("dimensions", "numpy.zeros((2, 3, 2), 'i4')"), ("dimensions", "numpy.zeros((2, 2, 2, 2, 2), 'i4')"),
        ("empty", "numpy.zeros(0, 'i4')"), ("no-protocol", "list(range(8))"), ("no-protocol", "{1, 2, 3}"), ("no-protocol", "range(8)"),
        ("no-protocol", "bytearray(range(8))"), ("no-protocol", "'text'"), ("no-protocol", "object()"), ("no-protocol", "None"))),
    ("pyarrow", "pyarrow.array([1, 2, 3], pyarrow.int32())", (
        ("nulls", "pyarrow.array([4, None, 6], pyarrow.int32())"), ("element-type", "pyarrow.array(['x', 'yz'])"),
        ("element-type", "pyarrow.array([[1], [2, 3]])"), ("element-type", "pyarrow.array([{'k': 1}])"),
        ("element-type", "pyarrow.array([True, False])"), ("element-type", "pyarrow.array([1, 2], pyarrow.timestamp('s'))"))),
    ("pandas", "pandas.Series([1, 2, 3])", (
        ("element-type", "pandas.Series(['p', 'q'])"), ("element-type", "pandas.Series([1, 'a', None], dtype=object)"),
        ("element-type", "pandas.Series(pandas.to_datetime(['2026-03-04', '2025-01-01']))"))),
    ("xarray", "xarray.DataArray(numpy.arange(5.0))", (
        ("element-type", "xarray.DataArray(numpy.array(['u', 'v']))"), ("dimensions", "xarray.DataArray(2.5)"),
        ("byte-order", "xarray.DataArray(numpy.arange(5, dtype='>f4'))"))),
    ("jax", "jax.numpy.arange(6)", (
        ("element-type", "jax.numpy.ones(4, 'bfloat16')"), ("element-type", "jax.random.key(3)"), ("dimensions", "jax.numpy.int32(4)"),
        ("producer-error", "(lambda a: (a.delete(), a)[1])(jax.numpy.arange(6) + 1)"), ("dimensions", "jax.numpy.zeros((2, 2, 2))"))),
    ("torch", "torch.arange(6.)", (
        ("pending-operation", "torch.ones(3, requires_grad=True)"), ("pending-operation", "torch.ones(3, dtype=torch.complex64).conj()"),
        ("pending-operation", "torch.ones(3, dtype=torch.complex64).conj().imag"), ("element-type", "torch.ones(3, dtype=torch.bfloat16)"),
        ("element-type", "torch.zeros(3, dtype=torch.float8_e5m2)"), ("strides", "torch.arange(12.)[::3]"), ("dimensions", "torch.tensor(2.)"),
        ("device", "torch.empty(3, device='meta')"), ("dimensions", "torch.zeros(2, 3, 2)"), ("empty", "torch.zeros(0)"),
        ("no-protocol", "torch.eye(3).to_sparse()"))),
    ("tensorflow", "tensorflow.range(6.)", (
        ("element-type", "tensorflow.constant(['a', 'b'])"), ("element-type", "tensorflow.cast(tensorflow.range(4), tensorflow.bfloat16)"),
        ("dimensions", "tensorflow.constant(3.)"), ("empty", "tensorflow.zeros([0])"),
        ("no-protocol", "tensorflow.ragged.constant([[1.], [2., 3.]])"))),
    ("mlx.core", "mlx.core.arange(6)", (
        ("element-type", "mlx.core.ones(3, mlx.core.bfloat16)"), ("dimensions", "mlx.core.array(3)"), ("empty", "mlx.core.array([], mlx.core.int32)"))),
    ("warp", "warp.array([1., 2., 3.], device='cpu')", (
        ("strides", "warp.array(numpy.arange(8, dtype='f4'), device='cpu')[::2]"), ("dimensions", "warp.zeros((2, 2, 2), device='cpu')"),
        ("empty", "warp.zeros(0, device='cpu')"))),
    ("paddle", "paddle.arange(6.)", (
        ("element-type", "paddle.ones([3], 'bfloat16')"), ("dimensions", "paddle.to_tensor(3.)"), ("empty", "paddle.zeros([0])"),
        ("strides", "paddle.ones([4, 4]).t()[::2]"))),
    ("dpnp", "dpnp.arange(6)", (
        ("strides", "dpnp.arange(12)[::2]"), ("dimensions", "dpnp.array(3)"), ("empty", "dpnp.zeros(0)"))),
)
CONSUMERS = {
    "builtins": ("builtins:memoryview", "memoryview(_).cast('B')", "ctypes.c_char.from_buffer(_)", "array.array('i', _)", "hash(bytes(_))"),
    "numpy": ("numpy:from_dlpack", "numpy.frombuffer(_, 'i4')", "numpy.asarray(_, dtype='f4')", "numpy.linalg.norm(_)", "numpy.bincount(_)"),
    "pyarrow": ("pyarrow.array(_)", "pyarrow:py_buffer", "pyarrow.Tensor.from_numpy(_)", "pyarrow.Array.from_dlpack(_)"),
    "torch": ("torch:from_dlpack", "torch:from_numpy", "torch:as_tensor", "torch.frombuffer(_, dtype=torch.int32)"),
    "tensorflow": ("tensorflow:convert_to_tensor", "tensorflow.experimental.dlpack.from_dlpack(_.__dlpack__())"),
    "mlx.core": ("mlx.core:array",), "warp": ("warp:from_dlpack", "warp.from_numpy(_, device='cpu')", "warp.array(_, device='cpu')"),
    "cv2": ("cv2:flip", "cv2.flip(_, 0)", "cv2.GaussianBlur(_, (3, 3), 0)", "cv2:norm"),
    "jax": ("jax.numpy:from_dlpack", "jax.numpy:asarray"), "tvm_ffi": ("tvm_ffi:from_dlpack",),
    "onnxruntime": ("onnxruntime.OrtValue.ortvalue_from_numpy(_)",), "paddle": ("paddle:to_tensor", "paddle:from_dlpack"),
    "pandas": ("pandas:Series", "pandas:Index"), "array_api_strict": ("array_api_strict:from_dlpack",),
    "scipy": ("scipy.linalg.norm(_)", "scipy.signal.hilbert(_)"), "dpnp": ("dpnp:from_dlpack", "dpnp:asarray"),
}
IMPORTS = {"builtins": "import array, ctypes, numpy", "scipy": "import scipy.linalg, scipy.signal", "warp": "import warp\nwarp.config.quiet = True\nwarp.init()"}


def available(library):
    return library == "builtins" or importlib.util.find_spec(library.split(".")[0]) is not None


def source_of(library, consumer_library, values):
    imports = dict.fromkeys(IMPORTS.get(name, "import " + name) for name in ("builtins", library, consumer_library))
    return "\n".join(imports) + "\n" + "".join(f"{name} = {text}\n" for name, text in values.items())


def expression_of(consumer):
    module, colon, function = consumer.partition(":")
    plain = colon and "(" not in module
    return (f"import {module}\n", f"{module}.{function}(_)") if plain else ("", consumer)


def outcomes(library, consumer_library, base, objects):
    """Whether each consumer accepts each object, by calling it in plain Python: {(consumer, index of the object, -1 the base): exception}."""
    code = source_of(library, consumer_library, {"base": base}) + "import json, sys\nfound = []\n"
    for consumer in CONSUMERS[consumer_library]:
        imports, expression = expression_of(consumer)
        for index, text in [(-1, base), *((i, text) for i, (_, text) in enumerate(objects))]:
            code += (f"{imports}try:\n    _ = {text}\nexcept Exception:\n    pass\nelse:\n"
                     f"    try:\n        {expression}\n        error = None\n    except Exception as e:\n"
                     f"        error = type(e).__name__ + ': ' + str(e)[:150]\n    found.append([{consumer!r}, {index}, error])\n")
    code += "print('\\n' + json.dumps(found))\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode:
        print(f"left out: {library} into {consumer_library} ends with {done.returncode}: {done.stderr.strip()[-200:]}")
        return {}
    return {(consumer, index): error for consumer, index, error in json.loads(done.stdout.splitlines()[-1])}


def pool():
    asked = [(library, consumers, base, objects) for library, base, objects in OBJECTS for consumers in CONSUMERS
             if available(library) and available(consumers)]
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        answers = list(workers.map(lambda arguments: outcomes(*arguments), asked))
    return [(library, consumers, consumer, *objects[index], error)
            for (library, consumers, _, objects), found in zip(asked, answers)
            for (consumer, index), error in found.items() if index >= 0 and error and found.get((consumer, -1), "") is None]


def ask(directory, number, pair):
    library, consumer_library, consumer, _, text, _ = pair
    path = pathlib.Path(directory, f"pair{number}.py")
    path.write_text(source_of(library, consumer_library, {"x": text}))
    command = [os.environ.get("SUAI", "suai"), "why", "--python", sys.executable, "-f", "json", f"{path}:x", consumer]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        why = json.loads(done.stdout).get("why")
    except ValueError:
        why = None
    path.with_suffix(".json").write_text(done.stdout)
    if not why:
        return None, f"exit {done.returncode}"
    ran = subprocess.run([sys.executable, HERE / "run_lines.py", path.with_suffix(".json")], capture_output=True, text=True)
    return why, "" if ran.returncode == 0 else (ran.stderr.strip().splitlines() or ["?"])[-1]


def main(seed, count=50):
    random.seed(seed)
    pairs = pool()
    strata = collections.defaultdict(list)
    for pair in random.sample(pairs, len(pairs)):
        strata[pair[3]].append(pair)
    drawn = []
    while len(drawn) < count and any(strata.values()):
        drawn += [strata[cause].pop() for cause in sorted(strata) if strata[cause]]
    drawn = drawn[:count]
    n_right = n_lines = n_failed = 0
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(2) as workers:
        answers = list(workers.map(lambda item: ask(directory, *item), enumerate(drawn)))
    for (_, _, consumer, cause, text, error), (why, failure) in zip(drawn, answers):
        reported = why and why["cause"]
        n_right += reported == cause
        n_lines += sum(bool(remedy["works"]) for remedy in why["remedies"]) if why else 0
        n_failed += bool(failure)
        if reported != cause or failure:
            print(f"{text} -> {consumer}: {reported}, expected {cause}\n    {error}" + (f"\n    FAILED: {failure}" if failure else ""))
    print(f"seed {seed}: {len(pairs)} pairs in the pool, {n_right} of {len(drawn)} causes right, "
          f"{n_lines} lines offered, of {n_failed} pairs one failed")


main(*(int(word) for word in sys.argv[1:]))
