"""draw.py SEED [N [DRAWN]]: draws DRAWN (200) pairs of pool/ and a consumer, asks `suai why` about each, then draws N (50) of those that
are rejected, copied or converted, from each cause in turn. Prints them with the cause, for a reader to check, and executes each line
that was offered. SUAI names the program, SUAI_PYTHON the interpreter."""
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
CONSUMERS = (
    "numpy:from_dlpack", "numpy:asarray", "numpy.asarray(_, copy=False)", "numpy:array", "builtins:memoryview",
    "jax.dlpack:from_dlpack", "jax.numpy:asarray", "jax:device_put", "dpnp:from_dlpack", "dpnp:asarray",
    "pyarrow:Tensor.from_numpy", "pyarrow:array", "pyarrow:py_buffer", "tvm_ffi:from_dlpack",
    "array_api_strict:from_dlpack", "array_api_strict:asarray", "ctypes.c_char.from_buffer(_)",
)


def names_of(path):
    import ast
    targets = [node.targets[0] for node in ast.parse(path.read_text()).body if isinstance(node, ast.Assign)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def ask(pair):
    path, name, consumer = pair
    command = [os.environ.get("SUAI", "suai"), "why", "--timeout", "60", "-f", "json", f"{path}:{name}", consumer]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    document = json.loads(done.stdout)
    return pair, document.get("why"), done.stdout


def execute(text):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([os.environ["SUAI_PYTHON"], HERE / "run_lines.py", file.name], capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


def main(seed, count=50, drawn=200):
    random.seed(seed)
    pairs = [(path, name, consumer) for path in sorted((HERE / "pool").glob("*.py")) for name in names_of(path) for consumer in CONSUMERS]
    pairs = random.sample(pairs, min(drawn, len(pairs)))
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        answers = [answer for answer in workers.map(ask, pairs) if answer[1] and answer[1]["verdict"] not in ("shared", "accepted")]
    strata = {}
    for answer in answers:
        strata.setdefault(str(answer[1]["cause"]), []).append(answer)
    chosen = []
    while len(chosen) < count and any(strata.values()):
        for stratum in strata.values():
            if stratum and len(chosen) < count:
                chosen.append(stratum.pop(0))
    n_lines = n_failed = 0
    print(f"seed {seed}, {len(pairs)} pairs asked, {len(answers)} not shared, {len(chosen)} drawn")
    for number, ((path, name, consumer), why, text) in enumerate(chosen, 1):
        error, failure = why["error"], execute(text)
        lines = [remedy["line"] for remedy in why["remedies"] if remedy["works"]]
        n_lines += len(lines)
        n_failed += bool(failure)
        raised = f"{error['type']}: {error['message'].splitlines()[0][:150]}" if error else f"result {why['type']} of {why['result_dtype']}"
        print(f"{number}. {path.stem}:{name} -> {consumer}: {why['verdict']}, {why['cause']}\n    {raised}\n    {why['message']}")
        print("    lines: " + ("; ".join(lines) or "none") + (f"\n    FAILED: {failure}" if failure else ""))
    print(f"{n_lines} lines executed, of {n_failed} pairs one failed")


main(*(int(word) for word in sys.argv[1:]))
