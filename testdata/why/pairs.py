"""pairs.py [LIBRARY...]: pairs written without judge.py, whose causes were stated by a reader of plain Python before `suai why` was
called; each line that is offered is executed. Only the pairs of installed libraries, or only those of LIBRARIES and NumPy, are tried.
SUAI names the program; the interpreter that runs this file is used. Exit status 1 if a cause or a line is wrong."""
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent

# Libraries, imports, object, consumer, cause; None: no cause can be named, as the elements' values are at fault.
PAIRS = (
    ("scipy", "scipy.linalg", "numpy.array([[1., 2.], [2., 4.]])", "scipy.linalg:inv", None),
    ("scipy", "scipy.linalg", "numpy.arange(6.)", "scipy.linalg:inv", "dimensions"),
    ("scipy", "scipy.linalg", "numpy.zeros((2, 3))", "scipy.linalg:inv", "dimensions"),
    ("scipy", "scipy.linalg", "numpy.array([['a', 'b'], ['c', 'd']])", "scipy.linalg:inv", "element-type"),
    ("scipy", "scipy.sparse", "scipy.sparse.eye_array(3)", "numpy.linalg:det", "no-protocol"),
    ("pyarrow", "pyarrow", "numpy.zeros(3, 'c16')", "pyarrow:array", "element-type"),
    ("pyarrow", "pyarrow", "numpy.zeros((2, 3))", "pyarrow:array", "dimensions"),
    ("pyarrow", "pyarrow", "pyarrow.chunked_array([[1, 2], [3]])", "numpy:from_dlpack", "no-protocol"),
    ("pyarrow", "pyarrow", "numpy.arange(9.)[::3]", "pyarrow:array", "strides"),
    ("", "numpy", "'abc'", "numpy.frombuffer(_, 'u1')", "no-protocol"),
    ("", "numpy, hashlib", "memoryview(bytes(8))[::2]", "hashlib:sha256", "strides"),
    ("", "numpy, hashlib", "[1, 2]", "hashlib:sha256", "no-protocol"),
    ("", "numpy, zlib", "numpy.arange(9.)[::3]", "zlib:compress", "strides"),
    ("", "numpy", "numpy.array(['2026-01-01'], 'M8[D]')", "builtins:memoryview", "element-type"),
    ("", "numpy", "numpy.frombuffer(bytes(8), 'u1')", "_.sort()", "readonly"),
    ("", "ctypes, numpy", "(ctypes.c_int * 4)()", "numpy:from_dlpack", "no-protocol"),
    ("", "numpy", "numpy.arange(3)", "cupy_that_is_missing.asarray(_)", "consumer-missing"),
    ("jax", "jax.numpy", "jax.numpy.arange(3)", "numpy.add(_, 1, out=_)", "no-protocol"),
    ("jax", "jax.numpy", "numpy.arange(3.)", "jax.numpy:asarray", "element-type"),
    ("pandas", "pandas", "numpy.arange(4, dtype='>i4')", "pandas:unique", "byte-order"),
    ("pandas", "pandas", "numpy.zeros((2, 2, 2))", "pandas:DataFrame", "dimensions"),
    ("pandas", "pandas", "numpy.zeros((2, 2))", "pandas:Series", "dimensions"),
    ("pandas pyarrow", "pandas, pyarrow", "pandas.Series([1, 'a'], dtype=object)", "pyarrow:array", "element-type"),
    ("PIL", "PIL.Image, numpy", "PIL.Image.new('L', (4, 4))", "numpy:from_dlpack", "no-protocol"),
    ("PIL", "PIL.Image, numpy", "numpy.zeros((4, 4), 'i8')", "PIL.Image:fromarray", "element-type"),
    ("sklearn", "sklearn.preprocessing", "numpy.arange(4.)", "sklearn.preprocessing.StandardScaler().fit(_)", "dimensions"),
    ("sklearn", "sklearn.preprocessing", "numpy.array([['a'], ['b']])", "sklearn.preprocessing.StandardScaler().fit(_)", "element-type"),
    ("cv2", "cv2", "numpy.zeros((4, 8), 'u1')[:, ::2]", "cv2.line(_, (0, 0), (1, 1), 1)", "strides"),
    ("polars", "polars", "polars.DataFrame({'a': [1, 2]})", "numpy:from_dlpack", "no-protocol"),
    ("astropy", "astropy.units", "numpy.array(['x', 'y'])", "astropy.units.Quantity(_, 'm')", "element-type"),
    ("onnxruntime", "onnxruntime", "[1., 2.]", "onnxruntime.OrtValue.ortvalue_from_numpy(_)", "no-protocol"),
    ("torch", "torch", "torch.ones(3, requires_grad=True)", "numpy:asarray", "pending-operation"),
    ("torch", "torch", "torch.ones(3, dtype=torch.bfloat16)", "numpy:asarray", "element-type"),
    ("torch", "torch", "iter([1, 2])", "torch:as_tensor", "no-protocol"),
    ("torch pandas", "pandas, torch", "pandas.Series([1, 2])", "torch:from_numpy", "no-protocol"),
    ("pandas", "pandas", "pandas.Series([True, None, False], dtype='boolean')", "numpy.fft:fft", "nulls"),
    ("xarray", "xarray", "xarray.DataArray(numpy.frombuffer(bytes(24), 'i8'))", "numpy.random.default_rng(0).shuffle(_)", "readonly"),
    ("cv2", "cv2", "numpy.arange(1., 41).reshape(8, 1, 5)", "cv2:transpose", "dimensions"),
    ("torch", "torch", "torch.eye(3).to_sparse()", "numpy:asarray", "no-protocol"),
)


def available(libraries):
    return all((library in sys.argv[1:] or not sys.argv[1:]) and importlib.util.find_spec(library) for library in libraries.split())


def ask(directory, number, pair):
    """The cause, and what is wrong with a line."""
    path = pathlib.Path(directory, f"pair{number}.py")
    path.write_text(f"import {pair[1]}\nimport numpy\nx = {pair[2]}\n")
    command = [os.environ.get("SUAI", "suai"), "why", "--python", sys.executable, "-f", "json", f"{path}:x", pair[3]]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    document = path.with_suffix(".json")
    document.write_text(done.stdout)
    ran = subprocess.run([sys.executable, "-W", "ignore", HERE / "run_lines.py", document], capture_output=True, text=True)
    return json.loads(done.stdout)["why"], "" if ran.returncode == 0 else ran.stderr.strip().splitlines()[-1]


def main():
    pairs = [pair for pair in PAIRS if available(pair[0])]
    n_wrong = 0
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(2) as workers:
        for pair, (why, failure) in zip(pairs, workers.map(lambda item: ask(directory, *item), enumerate(pairs))):
            if why["cause"] != pair[4] or failure:
                n_wrong += 1
                print(f"{pair[2]} -> {pair[3]}: {why['cause']}, expected {pair[4]}\n    {why['message']}\n    {failure}")
    print(f"{len(pairs)} pairs, {n_wrong} wrong")
    return n_wrong > 0


sys.exit(main())
